//! Tells copies that come back to where they were: who reverts adds nothing new.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::policy::{Origin, Place};
use crate::text::FilePath;

/// What comes back to a file that it had a while ago.
pub(in crate::audit) struct Comeback {
    /// For each line that the change adds, whether the file had it then.
    pub lines: Vec<Option<bool>>,
    /// The files that have some of its code only since then.
    pub later: BTreeSet<FilePath>,
}

impl Comeback {
    /// Whether all lines that the change adds in some rows come back.
    pub fn has_all(&self, rows: &Range<u32>) -> bool {
        let of_rows = self.lines.get(rows.start as usize - 1..rows.end as usize - 1);
        let mut added = of_rows.unwrap_or_default().iter().flatten().peekable();
        added.peek().is_some() && added.all(|was_there| *was_there)
    }

    pub fn is_later(&self, origin: &Origin) -> bool {
        origin.place == Place::Tree && self.later.contains(&origin.path)
    }
}
