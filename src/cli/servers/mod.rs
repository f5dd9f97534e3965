//! Answers editors and agents, and watches files: the commands that run until they are ended.

pub(super) mod hook;
mod job;
pub(super) mod lsp;
pub(super) mod mcp;
pub(super) mod watch;

/// Maximum bytes of a message: the largest sketch, were each of its bytes escaped.
const MAX_MESSAGE: usize = 64 << 20;
/// Maximum messages that wait: for us, or for a client to read them.
const MAX_WAITING: usize = 64;

fn too_large() -> String {
    format!("the message is larger than {} MiB", MAX_MESSAGE >> 20)
}

fn defect(why: &str) -> String {
    format!("this is a defect of secondhand: {why}")
}
