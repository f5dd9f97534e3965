//! Counts the lines that a file shares with versions, which costs far less than to align them.

use crate::audit::read::Source;
use crate::matching::line_keys;
use crate::text::fnv_1a;

/// The lines of a file of the tree.
pub(in crate::audit) struct LineCounts {
    /// Sorted.
    keys: Vec<u64>,
    pub(super) digest: u64,
}

/// What a file has in common with a version.
#[derive(Debug, Clone, Copy)]
pub(in crate::audit) struct SharedLines {
    /// The lines that both have, as often as both have them.
    pub n: usize,
    /// The same, with each line once: what ends blocks is in all versions.
    pub n_distinct: usize,
    pub n_version: usize,
}

impl LineCounts {
    pub fn new(source: &Source) -> Self {
        let mut keys = line_keys(source.document());
        keys.sort_unstable();
        let digest = fnv_1a(keys.iter().flat_map(|key| key.to_le_bytes()));
        Self { keys, digest }
    }

    pub fn n(&self) -> usize {
        self.keys.len()
    }

    /// What is shared with a version whose lines have these sorted keys.
    pub(super) fn shared(&self, version: &[u64]) -> SharedLines {
        let (mut a, mut b, mut n, mut n_distinct) = (0, 0, 0, 0);
        while let (Some(left), Some(right)) = (self.keys.get(a), version.get(b)) {
            if left == right {
                n += 1;
                n_distinct +=
                    usize::from(a == 0 || self.keys[a - 1] != *left || version[b - 1] != *right);
            }
            (a, b) = (a + usize::from(left <= right), b + usize::from(right <= left));
        }
        SharedLines { n, n_distinct, n_version: version.len() }
    }

    /// Minimum lines to add and to remove to make one of the other.
    pub fn distance(&self, shared: &SharedLines) -> usize {
        self.n() + shared.n_version - 2 * shared.n
    }

    /// Whether at least half of the longer of both is in the other, too.
    pub fn is_mostly(&self, shared: &SharedLines) -> bool {
        2 * shared.n >= shared.n_version.max(self.n())
    }
}
