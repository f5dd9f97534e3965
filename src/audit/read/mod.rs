//! Reads files into tokens, and remembers between runs what they hold.

mod remembered;
mod source;

pub use remembered::{Remembered, warm};
pub(super) use remembered::{params, reason};
pub use source::Skip;
pub(super) use source::{MIXED, Source, Sources};
