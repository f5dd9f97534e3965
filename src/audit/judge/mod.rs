//! Judges what was found: which of it is a copy that the change brings in, and which findings that makes.

mod attribution;
mod copies;
mod findings;
mod suppress;

pub(super) use attribution::Attributions;
pub(super) use copies::{Changed, Copied, FEW_FILES, MAX_OLD_BETWEEN, clusters, copies_of, hunks, may_be_whole};
pub(super) use findings::{AllCopies, findings, fragment, whole_file};
pub(super) use suppress::comments;
pub use suppress::{Comment, suppress};
