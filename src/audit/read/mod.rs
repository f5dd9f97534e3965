//! Reads files into tokens, and remembers their contents between runs.

mod remembered;
mod skip;
mod source;
mod warm;

pub use remembered::Remembered;
pub(super) use remembered::params;
pub use skip::Skip;
pub(super) use skip::reason;
pub(super) use source::{MIXED, Promise, Source, Sources};
pub use warm::warm;
