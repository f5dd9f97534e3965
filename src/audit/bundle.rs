//! Tells a file that is built from others, and that their edits reach when it is built.

use std::collections::HashSet;

use super::read::Source;
use crate::config::Config;

/// Minimum percentage of the smaller file's fingerprints in a bundle.
const IN_STEP: usize = 70;
/// Minimum size of a bundle, as a multiple of the file's fingerprints.
const BUNDLE: usize = 3;

/// A file that holds most of a smaller one, and much else.
pub(super) struct Bundle {
    /// The number of fingerprints of the smaller file.
    pub n_prints: usize,
    /// How many of them the larger one has, in percent.
    pub percent: usize,
}

impl Bundle {
    /// The larger of two files, if it is built from the smaller one and others.
    pub fn between(a: &Source, b: &Source, config: &Config) -> Option<Self> {
        let mut scratch = Vec::new();
        let [a, b]: [HashSet<u64>; 2] = [a, b].map(|source| {
            let prints = config.fingerprint.fingerprints(&source.tokens, &mut scratch);
            prints.map(|print| print.hash).collect()
        });
        let (n_prints, n_more) = (a.len().min(b.len()), a.len().max(b.len()));
        if n_prints == 0 || n_more < BUNDLE * n_prints {
            return None;
        }
        let percent = 100 * a.intersection(&b).count() / n_prints;
        (percent >= IN_STEP).then_some(Self { n_prints, percent })
    }
}
