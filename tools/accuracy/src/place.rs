//! Names stretches of files.

use std::fmt;

/// A stretch of a file; lines from 1, both ends included.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub path: String,
    pub first: usize,
    pub last: usize,
}

impl Place {
    /// The number of lines that both have.
    pub fn overlap(&self, other: &Self) -> usize {
        let shared = (self.last.min(other.last) + 1).saturating_sub(self.first.max(other.first));
        if self.path == other.path { shared } else { 0 }
    }

    /// The number of lines.
    pub fn n_lines(&self) -> usize {
        self.last + 1 - self.first
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}-{}", self.path, self.first, self.last)
    }
}
