//! Pairs an edited file with a file that may have siblings of its units.

use super::images::PreImages;
use super::other::Other;
use crate::audit::change::Changed;
use crate::audit::read::Source;
use crate::matching::{Edit, Unit};

/// An edited file, and a file that may have siblings of its units.
pub(super) struct Members<'m, 'p> {
    pub images: &'m PreImages<'p>,
    /// The number of the edited file.
    pub number: usize,
    /// The edited file in base.
    pub own: &'m Source,
    /// The edited file in the head.
    pub head: &'m Changed,
    pub other: &'m Other<'m>,
}

impl<'m, 'p> Members<'m, 'p> {
    /// `None` if the file is not in the head.
    pub fn new(images: &'m PreImages<'p>, number: usize, other: &'m Other<'m>) -> Option<Self> {
        Some(Self { images, number, own: &images.base[number].source, head: images.heads[number]?, other })
    }

    /// The edits of the edited file that a sibling may lack, in order.
    pub fn edits(&self) -> &'m [Edit] {
        &self.images.edits[self.number]
    }

    /// The unit around each of these edits, in base.
    pub fn units(&self) -> &'m [Unit] {
        &self.images.units[self.number]
    }

    /// All edits of the edited file.
    pub fn all_edits(&self) -> &'m [Edit] {
        &self.images.all_edits[self.number]
    }

    /// Whether both are one file.
    pub fn is_same_file(&self) -> bool {
        self.other.number == Some(self.number)
    }

    /// The other file in the head.
    pub fn other_in_head(&self) -> Option<&'m Source> {
        self.other.number.map_or(Some(self.other.source), |number| Some(&self.images.heads[number]?.source))
    }
}
