//! Defines the pair of an edited file and one that may have siblings, and the place of a sibling.

use super::windows::Windows;
use crate::audit::change::ChangedFile;
use crate::audit::read::Source;
use crate::matching::{Site, Unit, Window};

/// An edited file, and one that may have siblings of its hunks.
pub(super) struct Pair<'m> {
    pub windows: &'m Windows<'m>,
    /// The number of the edited file.
    pub number: usize,
    /// The edited file in base.
    pub own: &'m Source,
    /// The edited file in the head.
    pub head: &'m ChangedFile,
    /// The other file in the head.
    pub other: &'m Source,
    /// The number of the other file in base, if the change touches it.
    pub other_number: Option<usize>,
}

/// A place that lacks a hunk.
pub(super) struct Place<'m> {
    pub window: &'m Window,
    pub site: Site,
    /// The unit of the window in base, and the one around the place.
    pub unit: &'m Unit,
    pub of: Option<Unit>,
}
