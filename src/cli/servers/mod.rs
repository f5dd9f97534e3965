//! Answers editors and agents, and watches files: the commands that run until they are ended.

mod job;
pub(super) mod lsp;
pub(super) mod mcp;
pub(super) mod watch;
