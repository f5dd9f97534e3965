//! Defines what is searched.

use crate::audit::read::Source;
use crate::files::Entry;
use crate::policy::Place;
use crate::text::FilePath;

/// The files to search, and how to read them.
pub(in crate::audit) struct Targets<'t, R> {
    pub entries: &'t [Entry],
    /// Opens a reader for one thread.
    pub open: &'t (dyn Fn() -> R + Sync),
    /// Where each file is.
    pub place: &'t (dyn Fn(&FilePath) -> Place + Sync),
    /// Which of the files the change adds or modifies.
    pub is_new: &'t (dyn Fn(&FilePath) -> bool + Sync),
    /// The files of base that the change touches, as they were before: base decides what is common.
    pub before: &'t [&'t Source],
    /// Maximum components with a fingerprint, beyond which it is common; `None` for files of the
    /// tree.
    pub max_components: Option<usize>,
}
