//! Defines the place of a sibling that lacks an edit.

use std::ops::Range;

use crate::matching::{Likeness, Unit};

/// A place that lacks an edit.
pub(super) struct Place {
    /// Its tokens in the head.
    pub in_head: (usize, usize),
    /// Its tokens in base.
    pub in_base: Range<usize>,
    /// The unit of the edit.
    pub unit: Unit,
    /// The unit of the place.
    pub of: Unit,
    pub likeness: Likeness,
    /// Whether it shows by itself that the edit is missed, and not only next to others that do.
    pub is_missed: bool,
}
