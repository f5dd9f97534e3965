//! Answers editors and agents, and watches files: the commands that run until they are ended.

pub(super) mod hook;
mod job;
pub(super) mod lsp;
pub(super) mod mcp;
pub(super) mod watch;
