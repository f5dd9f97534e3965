//! Ranks pairs of submissions by what they share, without comparing each with each.
//!
//! The index is asked for every fingerprint of a submission; what comes back, counted by
//! submission, are the numbers that it shares with each. This is how MOSS does it (Schleimer,
//! Wilkerson, Aiken 2003, section 5.2): index, look up, sort by document. A pair that shares
//! nothing costs nothing, and one below the threshold is never built.

use rayon::prelude::*;

use super::likeness::ShortSequences;
use super::prints::ReadSubmission;
use super::{CompareParams, Pair, Submission};
use crate::audit::Progress;
use crate::index::Index;

/// The bars of a histogram of pairs.
pub const HISTOGRAM_BARS: usize = 20;

/// What the submissions share, two by two.
pub(super) struct Ranking {
    /// Pairs at or above the threshold, without their matches, the most similar first.
    pub pairs: Vec<Pair>,
    /// The number of pairs that could be compared.
    pub n_compared: usize,
    /// How many of them share something.
    pub n_sharing: usize,
    /// How many of them have which containment: [0 %, 5 %), ... [95 %, 100 %].
    pub histogram: [usize; HISTOGRAM_BARS],
}

/// Ranks the pairs of `submissions` by likeness, then by containment and resemblance, then by name.
///
/// Time O(sum over fingerprints of the square of the submissions that have it), which a maximum for
/// common passages makes linear in the fingerprints; memory O(pairs at or above `threshold`).
pub(super) fn ranked(
    submissions: &[Submission],
    read: &[ReadSubmission],
    index: &Index,
    params: &CompareParams,
    progress: &dyn Progress,
) -> Ranking {
    let &CompareParams { threshold, is_across_only, .. } = params;
    let may_pair =
        |a: usize, b: usize| !is_across_only || submissions[a].group != submissions[b].group;
    let short = ShortSequences::new(read);
    let likeness =
        |pair: &Pair| short.as_ref().map_or(pair.likeness, |short| short.likeness(pair.a, pair.b));
    let of_one = |a: usize| {
        progress.step();
        let mut n_shared = vec![0u32; read.len()];
        let mut met = Vec::new();
        for posting in read[a].distinct().into_iter().flat_map(|hash| index.postings(hash)) {
            let b = posting.document as usize;
            if b > a && may_pair(a, b) {
                if n_shared[b] == 0 {
                    met.push(b);
                }
                n_shared[b] += 1;
            }
        }
        met.sort_unstable();
        let mut histogram = [0; HISTOGRAM_BARS];
        let mut pairs = Vec::new();
        for &b in &met {
            let n_prints = |number: usize| (number, read[number].n_fingerprints);
            let pair = Pair::new(n_prints(a), n_prints(b), n_shared[b] as usize);
            let bar = (pair.containment() * HISTOGRAM_BARS as f64) as usize;
            histogram[bar.min(HISTOGRAM_BARS - 1)] += 1;
            if pair.containment() >= threshold {
                pairs.push(Pair { likeness: likeness(&pair), ..pair });
            }
        }
        (pairs, met.len(), histogram)
    };
    let of_all: Vec<_> = (0..read.len()).into_par_iter().map(of_one).collect();
    let mut ranking = Ranking {
        pairs: Vec::new(),
        n_compared: n_comparable(submissions, read, is_across_only),
        n_sharing: 0,
        histogram: [0; HISTOGRAM_BARS],
    };
    for (pairs, n_sharing, histogram) in of_all {
        ranking.pairs.extend(pairs);
        ranking.n_sharing += n_sharing;
        ranking.histogram.iter_mut().zip(histogram).for_each(|(sum, n)| *sum += n);
    }
    ranking.histogram[0] += ranking.n_compared - ranking.n_sharing;
    let names = |pair: &Pair| (&submissions[pair.a].name, &submissions[pair.b].name);
    ranking.pairs.par_sort_unstable_by(|one, other| {
        one.rank(other).then_with(|| {
            names(one).cmp(&names(other)).then((one.a, one.b).cmp(&(other.a, other.b)))
        })
    });
    ranking
}

/// The number of pairs of submissions with files in them.
pub(super) fn n_comparable(
    submissions: &[Submission],
    read: &[ReadSubmission],
    is_across_only: bool,
) -> usize {
    let with_files = || submissions.iter().zip(read).filter(|(_, read)| !read.sources.is_empty());
    let pairs = |n: usize| n * n.saturating_sub(1) / 2;
    let mut groups: Vec<usize> = with_files().map(|(submission, _)| submission.group).collect();
    groups.sort_unstable();
    let within: usize = groups.chunk_by(|a, b| a == b).map(|group| pairs(group.len())).sum();
    pairs(with_files().count()) - if is_across_only { within } else { 0 }
}
