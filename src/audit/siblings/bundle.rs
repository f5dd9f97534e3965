//! Tells a file that is built from others: an edit of the sources reaches it when it is built.

use std::collections::BTreeSet;

use crate::audit::read::Source;
use crate::config::Config;

/// Minimum percentage of the smaller file's fingerprints in a bundle.
const IN_STEP: usize = 70;
/// Minimum size of a bundle, as a multiple of the file's fingerprints.
const BUNDLE: usize = 3;

/// Whether one of two files is built from the other and more.
pub(super) fn is_bundle(a: &Source, b: &Source, config: &Config) -> bool {
    let mut scratch = Vec::new();
    let mut prints = |of: &Source| -> BTreeSet<u64> {
        config.fingerprint.fingerprints(&of.tokens, &mut scratch).map(|print| print.hash).collect()
    };
    let (a, b) = (prints(a), prints(b));
    let (n_fewer, n_more) = (a.len().min(b.len()), a.len().max(b.len()));
    n_more >= BUNDLE * n_fewer && 100 * a.intersection(&b).count() >= IN_STEP * n_fewer.max(1)
}
