//! Defines the place of a sibling that lacks an edit.

use std::collections::HashMap;

use crate::matching::{Likeness, Unit};

/// A place that lacks an edit.
pub(super) struct Place {
    /// Its tokens in the head.
    pub in_head: (usize, usize),
    /// The unit of the edit.
    pub unit: Unit,
    /// The unit of the place.
    pub of: Unit,
    pub likeness: Likeness,
    /// For each name of the edited file, by its reading, how the sibling spells it.
    pub names: HashMap<u32, Vec<u8>>,
    /// Whether it shows by itself that the edit is missed, and not only next to others that do.
    pub is_missed: bool,
}
