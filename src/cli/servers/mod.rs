//! Answers editors and agents, and watches files: the commands that run until they are ended.

pub(super) mod hook;
mod job;
pub(super) mod lsp;
pub(super) mod mcp;
pub(super) mod watch;

use crate::text::MAX_MADE;

/// Maximum messages that wait: for us, or for a client to read them.
const MAX_WAITING: usize = 64;

fn too_large() -> String {
    format!("the message is larger than {} MiB", MAX_MADE >> 20)
}

fn defect(why: &str) -> String {
    format!("this is a defect of secondhand: {why}")
}
