//! Groups documents that resemble each other, without comparing each with each.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use super::sketch::ShingleSketch;
use crate::fingerprint::kgram::mix;

/// Documents that resemble the first of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShingleCluster {
    /// The number of the document that the others were compared with.
    pub representative: usize,
    /// The numbers of all its documents, ascending, with the representative.
    pub members: Vec<usize>,
}

/// Groups documents by their sketches, in the given order: each joins the first of the
/// representatives that it resembles most, if the estimate is at least `threshold`; otherwise it
/// becomes a representative.
///
/// A representative is found by the postings of its sketch, so a document is compared only with
/// those that it shares a sampled shingle with. Broder et al. (1997) join all pairs above the
/// threshold; with representatives, a chain of documents each a little unlike the one before does
/// not become one cluster, and postings do not grow with the number of copies. A shingle that more
/// than `max_postings` representatives have finds none (their "common shingles").
///
/// With `super_size`, a representative is found by super-shingles of that many shingles.
///
/// Time O(n · s · `max_postings`) for n sketches of s shingles; memory O(representatives · s).
pub fn greedy_clusters(
    sketches: &[ShingleSketch],
    threshold: f64,
    max_postings: usize,
    super_size: Option<usize>,
) -> Vec<ShingleCluster> {
    let mut postings: HashMap<u64, Vec<u32>> = HashMap::new();
    let mut clusters: Vec<ShingleCluster> = Vec::new();
    for (number, sketch) in sketches.iter().enumerate() {
        let keys = match super_size {
            Some(size) => Cow::Owned(super_shingles(sketch, size)),
            None => Cow::Borrowed(sketch.kept()),
        };
        let mut met = BTreeSet::new();
        let found = keys.iter().filter_map(|hash| postings.get(hash));
        found.filter(|of| of.len() <= max_postings).for_each(|of| met.extend(of));
        let mut best: Option<(f64, u32)> = None;
        for cluster in met {
            let representative = &sketches[clusters[cluster as usize].representative];
            let resemblance = sketch.resemblance(representative).value;
            if resemblance >= threshold && best.is_none_or(|(most, _)| resemblance > most) {
                best = Some((resemblance, cluster));
            }
        }
        match best {
            Some((_, cluster)) => clusters[cluster as usize].members.push(number),
            None => {
                for hash in keys.iter() {
                    let found = postings.entry(*hash).or_default();
                    // One more than the maximum is enough to know that there are too many.
                    if found.len() <= max_postings {
                        found.push(clusters.len() as u32);
                    }
                }
                clusters.push(ShingleCluster { representative: number, members: vec![number] });
            }
        }
    }
    clusters
}

/// The size of super-shingles that pairs of resemblance r share. In sketches of 100, rows of c
/// shingles that both have begin at 100 (1 - r) r^c places on average, which is 3 to 5 for c = 8r:
/// larger ones miss pairs.
pub fn super_size(resemblance: f64) -> usize {
    (8.0 * resemblance) as usize
}

/// Hashes of every `size` shingles of a sketch in a row, in the order of the permutation (Broder et
/// al. 1997, "super shingles"). A sketch that has fewer shingles is one.
///
/// Two documents that share one are nearly identical: with s = 100 and a size of 25, a pair of
/// resemblance 0.95 shares one of 76 far more often than not, and one of 0.5 hardly ever.
fn super_shingles(sketch: &ShingleSketch, size: usize) -> Vec<u64> {
    let size = size.min(sketch.kept().len()).max(1);
    let runs = sketch.kept().windows(size);
    runs.map(|run| run.iter().fold(0, |hash, shingle| mix(hash ^ shingle))).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::{Counting, ShingleSampling, Shingles};
    use super::*;
    use crate::fingerprint::tests::positive;

    fn sketch(numbers: impl IntoIterator<Item = u64>) -> ShingleSketch {
        let numbers: Vec<u64> = numbers.into_iter().collect();
        let shingles = Shingles::new([&numbers[..]], positive(1), Counting::Set);
        ShingleSketch::new(&shingles, ShingleSampling::Min { size: 100 }, 1)
    }

    /// A document of 1,000 shingles of family `of`, the first `n_changed` of them its own.
    fn document(of: u64, own: u64, n_changed: u64) -> ShingleSketch {
        sketch((0..1_000).map(|n| if n < n_changed { own << 32 | n } else { of << 40 | n }))
    }

    #[test]
    fn documents_join_the_representative_that_they_resemble_most() {
        let documents =
            [(1, 10, 0), (2, 20, 0), (1, 11, 100), (2, 21, 50), (3, 30, 1_000), (1, 12, 20)];
        let documents = documents.map(|(of, own, n_changed)| document(of, own, n_changed));
        let clusters = greedy_clusters(&documents, 0.5, 100, None);
        let members: Vec<_> = clusters.iter().map(|cluster| cluster.members.clone()).collect();
        assert_eq!(members, [vec![0, 2, 5], vec![1, 3], vec![4]]);
    }

    #[test]
    fn a_chain_of_small_changes_is_not_one_cluster() {
        // Each has nine tenths of the one before; the first and the last have nothing in common.
        let chain: Vec<_> = (0..20u64).map(|n| sketch(n * 100..n * 100 + 1_000)).collect();
        let clusters = greedy_clusters(&chain, 0.5, 100, None);
        assert!(clusters.len() > 2, "{clusters:?}");
        assert!(clusters.iter().all(|cluster| cluster.members[0] == cluster.representative));
    }

    #[test]
    fn super_shingles_find_the_nearly_identical_and_nothing_else() {
        let supers = |sketch: &ShingleSketch| {
            super_shingles(sketch, 25).into_iter().collect::<HashSet<u64>>()
        };
        let base = supers(&document(1, 10, 0));
        let shared = |n_changed: u64| {
            let is_shared = |own: &u64| !supers(&document(1, *own, n_changed)).is_disjoint(&base);
            (100..200).filter(is_shared).count()
        };
        assert_eq!(shared(0), 100);
        assert!(shared(10) >= 95, "{}", shared(10));
        assert!(shared(350) <= 2, "{}", shared(350));
    }

    #[test]
    fn super_shingles_of_the_size_for_a_threshold_find_nearly_all_pairs_above_it() {
        assert_eq!([0.0, 0.5, 0.8, 1.0].map(super_size), [0, 4, 6, 8]);
        for (threshold, n_changed) in [(0.5, 300), (0.8, 100), (0.95, 20)] {
            let base = document(1, 10, 0);
            let is_missed = |own: &u64| {
                let pair = [base.clone(), document(1, *own, n_changed)];
                let n_clusters = |size| greedy_clusters(&pair, threshold, 100, size).len();
                n_clusters(None) < n_clusters(Some(super_size(threshold)))
            };
            let n_missed = (100..200).filter(is_missed).count();
            assert!(n_missed <= 8, "{threshold}: {n_missed}");
        }
    }
}
