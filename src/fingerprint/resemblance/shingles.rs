//! Turns a document into its set of shingles, and compares such sets exactly.

use std::num::NonZeroUsize;

use crate::fingerprint::kgram::{hash_numbers, mix};

/// How a shingle that occurs repeatedly counts (Broder 1997, options A and B).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counting {
    /// Once: a document is the set of its shingles (the paper's option B).
    Set,
    /// As often as it occurs: each shingle is labeled with the number of its occurrence (option A).
    Labeled,
}

/// Spreads the label of an occurrence over the word; not a multiplier that hashes of shingles use.
const LABEL: u64 = 0xBF58_476D_1CE4_E5B9;

/// The shingles of a document, by their hashes.
///
/// Two different shingles have the same hash with a probability of 2^-64 for each pair.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shingles {
    hashes: Vec<u64>,
}

impl Shingles {
    /// The shingles of `size` tokens of a document. It is given in `parts`, such as files: a
    /// shingle is of one part. Tokens are any numbers; equal tokens have equal ones.
    ///
    /// Time O(n log n), memory O(n) for n tokens. Fewer tokens than `size` have no shingle.
    pub fn new<'t>(
        parts: impl IntoIterator<Item = &'t [u64]>,
        size: NonZeroUsize,
        counting: Counting,
    ) -> Self {
        let mut hashes = Vec::new();
        let mut of_part = Vec::new();
        for part in parts {
            hash_numbers(part, size, &mut of_part);
            hashes.append(&mut of_part);
        }
        hashes.sort_unstable();
        if counting == Counting::Labeled {
            for occurrences in hashes.chunk_by_mut(|a, b| a == b) {
                // The first has label 0 and keeps its hash: a set without repetitions is the same
                // under both options.
                for (label, hash) in (0u64..).zip(occurrences).skip(1) {
                    *hash = mix(mix(*hash).rotate_left(17) ^ label.wrapping_mul(LABEL));
                }
            }
            hashes.sort_unstable();
        }
        hashes.dedup();
        Self { hashes }
    }

    /// Their hashes, ascending and distinct.
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// The number of shingles that both have. Time O(n) for n in both.
    pub fn n_shared(&self, other: &Self) -> usize {
        n_common(&self.hashes, &other.hashes)
    }

    /// The resemblance: what both have, divided by what either has, 0 to 1. Two empty sets resemble
    /// each other wholly.
    ///
    /// One minus it is a metric; in particular it satisfies the triangle inequality, as the paper
    /// says.
    pub fn resemblance(&self, other: &Self) -> f64 {
        let shared = self.n_shared(other);
        ratio(shared, self.hashes.len() + other.hashes.len() - shared)
    }

    /// The containment: the fraction of this set that `other` has, 0 to 1. An empty set is in every
    /// other.
    pub fn containment_in(&self, other: &Self) -> f64 {
        ratio(self.n_shared(other), self.hashes.len())
    }
}

pub(super) fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

pub(super) fn n_common(a: &[u64], b: &[u64]) -> usize {
    let (mut at, mut to, mut n) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(at), b.get(to)) {
        n += usize::from(x == y);
        at += usize::from(x <= y);
        to += usize::from(y <= x);
    }
    n
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::fingerprint::tests::positive;

    fn words(text: &str) -> Vec<u64> {
        let number = |word: &str| word.bytes().fold(0, |n, byte| n * 257 + u64::from(byte));
        text.split(' ').map(number).collect()
    }

    /// The example of the paper, `a rose is a rose is a rose`.
    #[test]
    fn a_rose_is_a_rose_as_printed() {
        let [a, b] =
            ["a rose is a rose is a rose", "a rose is a flower which is a rose"].map(words);
        let printed =
            [(Counting::Labeled, [0.70, 0.50, 0.30]), (Counting::Set, [0.60, 0.50, 3.0 / 7.0])];
        for (counting, resemblances) in printed {
            for (n, expected) in (1..).zip(resemblances) {
                let shingles = |of: &[u64]| Shingles::new([of], positive(n), counting);
                let resemblance = shingles(&a).resemblance(&shingles(&b));
                assert!((resemblance - expected).abs() < 1e-12, "{counting:?}, {n}: {resemblance}");
            }
        }
    }

    /// Option A by the definition: the smaller number of occurrences of each shingle, and the
    /// larger one.
    fn labeled(a: &[u64], b: &[u64], n: usize) -> f64 {
        let mut counts: BTreeMap<&[u64], [usize; 2]> = BTreeMap::new();
        for (of, side) in [(a, 0), (b, 1)] {
            of.windows(n).for_each(|shingle| counts.entry(shingle).or_default()[side] += 1);
        }
        let sum =
            |pick: fn(usize, usize) -> usize| counts.values().map(|of| pick(of[0], of[1])).sum();
        ratio(sum(usize::min), sum(usize::max))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn labeled_shingles_count_as_often_as_they_occur(
            a in prop::collection::vec(0u64..4, 0..60),
            b in prop::collection::vec(0u64..4, 0..60),
            n in 1usize..5,
        ) {
            let shingles = |of: &[u64]| Shingles::new([of], positive(n), Counting::Labeled);
            prop_assert!((shingles(&a).resemblance(&shingles(&b)) - labeled(&a, &b, n)).abs() < 1e-12);
        }

        #[test]
        fn one_minus_resemblance_satisfies_the_triangle_inequality(
            of_all in prop::collection::vec(prop::collection::vec(0u64..5, 0..40), 3),
            n in 1usize..4,
            is_labeled: bool,
        ) {
            let counting = if is_labeled { Counting::Labeled } else { Counting::Set };
            let all: Vec<_> = of_all.iter().map(|of| Shingles::new([&of[..]], positive(n), counting)).collect();
            let distance = |a: usize, b: usize| 1.0 - all[a].resemblance(&all[b]);
            prop_assert!(distance(0, 2) <= distance(0, 1) + distance(1, 2) + 1e-12);
            prop_assert!(distance(0, 0) == 0.0 && distance(0, 1) == distance(1, 0));
        }

        #[test]
        fn no_shingle_spans_two_parts(a in prop::collection::vec(0u64..5, 0..20), b in prop::collection::vec(0u64..5, 0..20)) {
            let apart = Shingles::new([&a[..], &b[..]], positive(3), Counting::Set);
            let of_each = [&a, &b].map(|of| Shingles::new([&of[..]], positive(3), Counting::Set));
            prop_assert!(of_each.iter().all(|of| of.containment_in(&apart) == 1.0));
            let [n_a, n_b] = [0, 1].map(|part| of_each[part].hashes().len());
            prop_assert_eq!(apart.hashes().len(), n_a + n_b - of_each[0].n_shared(&of_each[1]));
        }
    }
}
