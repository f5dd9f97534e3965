//! Finds what copies of projects have missed: commits that changed just their lines, and fixes of
//! vulnerabilities; and which version of a project a vendored folder is.
//!
//! All of it is read from stored corpora, which keep for each commit which blob of a file became
//! which: see `src/store/corpus/past.rs`. Only a patch needs the clone that a corpus was made from.

mod difference;
mod fit;
mod known;
mod lineage;
mod mapping;
mod missed;

pub(super) use difference::TreeFiles;
pub(super) use fit::{WholeCopy, fit};
pub(super) use known::{held_fixes, missed_fixes};
pub(super) use lineage::ComponentFile;
pub(super) use missed::Holder;
