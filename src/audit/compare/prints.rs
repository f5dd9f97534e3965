//! Turns a submission into a set of fingerprints, without what was handed out or is common.

use std::collections::HashSet;

use rayon::prelude::*;

use crate::audit::read::{Source, distinct};
use crate::audit::search::may_be_whole;
use crate::config::Config;
use crate::fingerprint::Params;
use crate::index::{Index, Posting};
use crate::matching::is_telling;
use crate::text::fnv_1a;

pub(super) struct ReadSubmission {
    pub sources: Vec<Source>,
    /// For each source, its fingerprints and their positions, without those that do not count.
    pub prints: Vec<Vec<(u64, u32)>>,
    /// For each source and token, whether it is code that does not count: handed out, or common.
    pub ignored: Vec<Vec<bool>>,
    /// The number of distinct fingerprints.
    pub n_fingerprints: usize,
}

/// The informative fingerprints of a source; those of different families differ. A file without
/// any, such as one of plain assignments, has its whole as one: an equal file shares it.
pub(super) fn prints_of(source: &Source, params: &Params, config: &Config) -> Vec<(u64, u32)> {
    let k = params.noise_threshold();
    let family = source.family.bytes();
    let family =
        family.fold(0, |hash: u64, byte| hash.wrapping_mul(31).wrapping_add(u64::from(byte)));
    let mut hashes = Vec::new();
    let prints = params.fingerprints(&source.tokens, &mut hashes);
    let prints = prints.map(|print| (print.hash, print.position)).filter(|&(_, position)| {
        is_telling(&source.tokens[position as usize..][..k], config.matching.min_distinct)
    });
    let mut prints: Vec<(u64, u32)> = prints.collect();
    if prints.is_empty() && may_be_whole(source) {
        prints.push((hash_of_whole(source), 0));
    }
    for (hash, _) in &mut prints {
        *hash ^= family.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
    prints
}

/// A hash of all tokens of a source, as they are spelled.
pub(super) fn hash_of_whole(source: &Source) -> u64 {
    fnv_1a(source.tokens.iter().flat_map(|token| token.exact.to_le_bytes()))
}

impl ReadSubmission {
    /// Fingerprints `sources`, ignoring the k-grams of `given`.
    pub fn new(
        sources: Vec<Source>,
        params: &Params,
        given: &HashSet<u64>,
        config: &Config,
    ) -> Self {
        let counted = sources.iter().map(|source| {
            let mut prints = prints_of(source, params, config);
            prints.retain(|(hash, _)| !given.contains(hash));
            (prints, handed_out(source, given, config))
        });
        let (prints, ignored) = counted.unzip();
        let mut read = Self { n_fingerprints: 0, sources, prints, ignored };
        read.n_fingerprints = read.distinct().len();
        read
    }

    /// Its distinct fingerprints, sorted.
    pub fn distinct(&self) -> Vec<u64> {
        distinct(self.prints.iter().flatten().map(|&(hash, _)| hash))
    }

    /// Removes the fingerprints for which `is_common`, and ignores the code that they cover.
    ///
    /// Of a common passage, winnowing selects a k-gram in every window. So what lies between two
    /// common ones less than a window apart is common too, or the passage would be in pieces.
    fn remove(&mut self, is_common: impl Fn(u64) -> bool, k: usize, window: usize) {
        for (prints, ignored) in self.prints.iter_mut().zip(&mut self.ignored) {
            let mut last: Option<usize> = None;
            prints.retain(|&(hash, position)| {
                let at = position as usize;
                if !is_common(hash) {
                    last = None;
                    return true;
                }
                let from = last.filter(|last| at - last <= window).unwrap_or(at);
                ignored[from..at + k].fill(true);
                last = Some(at);
                false
            });
        }
        self.n_fingerprints = self.distinct().len();
    }
}

/// For each token, whether a k-gram of handed-out code contains it.
fn handed_out(source: &Source, given: &HashSet<u64>, config: &Config) -> Vec<bool> {
    let mut is_given = vec![false; source.tokens.len()];
    if !given.is_empty() {
        let params = config.fingerprint.of_every_kgram();
        for (hash, position) in prints_of(source, &params, config) {
            if given.contains(&hash) {
                is_given[position as usize..][..params.noise_threshold()].fill(true);
            }
        }
    }
    is_given
}

pub(super) fn index(read: &[ReadSubmission]) -> Index {
    let postings = read.iter().enumerate().flat_map(|(number, read)| {
        let hashes = read.prints.iter().flatten();
        hashes.map(move |&(hash, _)| (hash, Posting { document: number as u32, position: 0 }))
    });
    Index::new(postings)
}

/// Removes the fingerprints that more than `max_submissions` have, as if handed out (MOSS's option
/// `-m`); returns how many. Their postings stay in `index`, but are never looked up.
pub(super) fn remove_common(
    read: &mut [ReadSubmission],
    index: &Index,
    max_submissions: usize,
    params: &Params,
) -> usize {
    let is_common = |hash: u64| index.postings(hash).len() > max_submissions;
    // Counted where they first occur.
    let n_common = read.par_iter().enumerate().map(|(number, read)| {
        let common = read.distinct().into_iter().filter(|&hash| is_common(hash));
        let firsts = common.filter_map(|hash| index.postings(hash).next());
        firsts.filter(|first| first.document as usize == number).count()
    });
    let n_common = n_common.sum();
    if n_common > 0 {
        let (k, window) = (params.noise_threshold(), params.window().get());
        read.par_iter_mut().for_each(|read| read.remove(is_common, k, window));
    }
    n_common
}
