//! Chooses which files of two submissions are aligned with each other.
//!
//! Two forks of a project have thousands of files, and a passage that most of them have makes each
//! share something with each. Aligning all of them takes time that grows with the square of the
//! files. But each token is in at most one match, so of a passage that `n` files of one submission
//! and `m` of the other have, at most `min(n, m)` pairs count. What two files share with each other
//! and with their counterparts too is a match with those.

use std::collections::BTreeMap;
use std::ops::Range;

use super::prints::{ReadSubmission, hash_of_whole};
use crate::audit::read::distinct;
use crate::matching::SharedKgram;

/// Maximum pairs of files with a fingerprint that are all aligned; of more, counterparts are.
const MAX_PAIRS: usize = 64;

/// For a fingerprint of many files, how many on either side of its counterpart one is aligned with.
const BESIDE: usize = 4;

type SharedOfPairs = BTreeMap<(usize, usize), Vec<SharedKgram>>;

/// The files of two submissions that are aligned with each other.
pub(super) struct FilePairs {
    /// For each pair of files, by their numbers, the fingerprints that they share.
    pub shared: SharedOfPairs,
    /// The files of the first that are not aligned with all that share something with them.
    pub passed_over: BTreeMap<usize, PassedOver>,
}

/// What a file is not aligned with.
#[derive(Default)]
pub(super) struct PassedOver {
    /// The number of files of the second submission that have its most frequent fingerprint.
    pub n_alike: usize,
    /// By how many fewer files it is aligned with.
    pub n_left: usize,
    /// The positions of its fingerprints that many files have.
    pub positions: Vec<u32>,
}

impl FilePairs {
    /// Chooses the pairs of files; those of a pair share a fingerprint.
    ///
    /// A fingerprint of few files pairs all that have it. For one of many, the files that have it
    /// are paired in their order: the first of one submission with the first of the other, and
    /// those beside it. A pair is aligned along all that it shares.
    ///
    /// Time O(n log n) for n fingerprints, times `2 * BESIDE` pairs or `MAX_PAIRS` at most.
    pub fn new(a: &ReadSubmission, b: &ReadSubmission, k: usize) -> Self {
        let mut shared = SharedOfPairs::new();
        let mut passed_over: BTreeMap<usize, PassedOver> = BTreeMap::new();
        let [own_prints, other_prints] = [a, b]
            .map(|of| Vec::from_iter(of.prints.iter().map(|of| distinct(of.iter().copied()))));
        for (own, other) in common(&keys(a), &keys(b)) {
            let is_of_few = own.len() * other.len() <= MAX_PAIRS;
            for (rank, &(key, file)) in own.iter().enumerate() {
                let beside = if is_of_few {
                    0..other.len()
                } else {
                    let counterpart = rank * other.len() / own.len();
                    counterpart.saturating_sub(BESIDE)..other.len().min(counterpart + BESIDE + 1)
                };
                let partners = other[beside].iter();
                shared.extend(partners.map(|&(_, partner)| ((file, partner), Vec::new())));
                if let (Key::Print(hash), false) = (key, is_of_few) {
                    let passed_over = passed_over.entry(file).or_default();
                    passed_over.n_alike = passed_over.n_alike.max(other.len());
                    let prints = &own_prints[file];
                    let from = prints.partition_point(|print| print.0 < hash);
                    let of_hash = prints[from..].chunk_by(|a, b| a.0 == b.0).next();
                    passed_over.positions.extend(positions(of_hash.unwrap_or_default()));
                }
            }
        }
        for (&(file, partner), shared) in &mut shared {
            let of_both = common(&own_prints[file], &other_prints[partner]);
            *shared = of_both
                .map(|(a, b)| SharedKgram { query: positions(a), target: positions(b) })
                .collect();
        }
        for (&file, passed_over) in &mut passed_over {
            passed_over.n_left =
                passed_over.n_alike.saturating_sub(shared.range((file, 0)..(file + 1, 0)).count());
        }
        passed_over.retain(|_, passed_over| passed_over.n_left > 0);
        drop_outdone(&mut shared, k);
        Self { shared, passed_over }
    }
}

/// Drops each pair of files that share half as much with each other as with their counterparts at
/// most, and nothing else: each token is in at most one match.
///
/// Time O(n) for n tokens and fingerprints of all pairs. Of two forks it saves most alignments.
fn drop_outdone(shared: &mut SharedOfPairs, k: usize) {
    let (of_a, of_b) = (counterparts(shared, 0, k), counterparts(shared, 1, k));
    shared.retain(|&(file, partner), shared| {
        !of_a[&file].outdoes(shared, 0, k) || !of_b[&partner].outdoes(shared, 1, k)
    });
}

/// What a file shares with the one with which it shares most.
struct Counterpart {
    n_shared: usize,
    /// For each token, whether it is shared.
    is_shared: Vec<bool>,
}

fn counterparts(shared: &SharedOfPairs, side: usize, k: usize) -> BTreeMap<usize, Counterpart> {
    let mut most: BTreeMap<usize, &[SharedKgram]> = BTreeMap::new();
    for (&(file, partner), shared) in shared {
        let most = most.entry([file, partner][side]).or_default();
        if shared.len() > most.len() {
            *most = shared;
        }
    }
    most.into_iter().map(|(file, shared)| (file, Counterpart::new(shared, side, k))).collect()
}

impl Counterpart {
    fn new(shared: &[SharedKgram], side: usize, k: usize) -> Self {
        let mut is_shared = Vec::new();
        for kgram in kgrams(shared, side, k) {
            is_shared.resize(is_shared.len().max(kgram.end), false);
            is_shared[kgram].fill(true);
        }
        Self { n_shared: shared.len(), is_shared }
    }

    fn outdoes(&self, shared: &[SharedKgram], side: usize, k: usize) -> bool {
        2 * shared.len() <= self.n_shared
            && kgrams(shared, side, k).all(|kgram| {
                self.is_shared.get(kgram).is_some_and(|is_shared| !is_shared.contains(&false))
            })
    }
}

fn kgrams(shared: &[SharedKgram], side: usize, k: usize) -> impl Iterator<Item = Range<usize>> {
    let positions = shared.iter().flat_map(move |of| [&of.query, &of.target][side]);
    positions.map(move |&at| at as usize..at as usize + k)
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    /// All of their tokens, as they are spelled.
    Whole(u64),
    Print(u64),
}

/// What each file of a submission may have in common with others, sorted.
fn keys(read: &ReadSubmission) -> Vec<(Key, usize)> {
    // What has no fingerprint has nothing to be aligned along.
    let files = (0..read.sources.len()).filter(|&number| !read.prints[number].is_empty());
    distinct(files.flat_map(|number| {
        let prints = read.prints[number].iter().map(|&(hash, _)| Key::Print(hash));
        let whole = Key::Whole(hash_of_whole(&read.sources[number]));
        prints.chain([whole]).map(move |key| (key, number))
    }))
}

fn positions(prints: &[(u64, u32)]) -> Vec<u32> {
    prints.iter().map(|&(_, position)| position).collect()
}

/// Keys with what belongs to them, sorted.
type Entries<'l, K, V> = &'l [(K, V)];

/// The entries of two sorted lists for each key that both have.
fn common<'l, K: Ord, V>(
    own: Entries<'l, K, V>,
    other: Entries<'l, K, V>,
) -> impl Iterator<Item = (Entries<'l, K, V>, Entries<'l, K, V>)> {
    let mut others = other.chunk_by(|a, b| a.0 == b.0).peekable();
    own.chunk_by(|a, b| a.0 == b.0).filter_map(move |of_own| {
        while others.next_if(|of_other| of_other[0].0 < of_own[0].0).is_some() {}
        Some((of_own, others.next_if(|of_other| of_other[0].0 == of_own[0].0)?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_dropped_if_both_files_share_all_of_it_and_as_much_again_with_their_counterparts() {
        let kgrams = |query: Range<u32>, target: u32| {
            let shared = query
                .clone()
                .map(|at| SharedKgram { query: vec![at], target: vec![at - query.start + target] });
            shared.collect()
        };
        let left = |of_pair: Range<u32>| {
            let counterparts = [((0, 0), kgrams(0..20, 5)), ((1, 1), kgrams(0..20, 0))];
            let mut shared = SharedOfPairs::from(counterparts);
            shared.insert((0, 1), kgrams(of_pair, 0));
            drop_outdone(&mut shared, 4);
            shared.into_keys().collect::<Vec<_>>()
        };
        assert_eq!(left(3..13), [(0, 0), (1, 1)]);
        // More than half; and what the first file shares with nothing else.
        assert_eq!(left(3..14), [(0, 0), (0, 1), (1, 1)]);
        assert_eq!(left(18..22), [(0, 0), (0, 1), (1, 1)]);
    }
}
