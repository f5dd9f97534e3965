//! Reads files into tokens, and remembers their contents between runs.

mod names;
mod remembered;
mod skip;
mod source;
mod warm;

pub(super) use names::{distinct, n_marked, names};
pub use remembered::Memory;
pub(super) use remembered::params;
pub use skip::Skip;
pub(super) use skip::reason;
pub(super) use source::{MINIFIED_TOKENS, MIXED, Promise, RecentFiles, Source, Sources};
pub use warm::warm;
