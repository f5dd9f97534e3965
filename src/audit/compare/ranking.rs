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

/// What the submissions share, two by two: what [`super::Comparison`] says of it.
pub(super) struct Ranking {
    /// Pairs at or above the threshold, without their matches, the most similar first.
    pub pairs: Vec<Pair>,
    pub n_compared: usize,
    pub n_sharing: usize,
    /// The largest containment of a pair, at or above the threshold or not.
    pub most: f64,
    /// [0 %, 5 %), ... [95 %, 100 %].
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
    let short = ShortSequences::new(read);
    let of_all = (0..read.len()).into_par_iter().map(|a| {
        progress.step();
        let mut n_shared = vec![0u32; read.len()];
        let mut met = Vec::new();
        for posting in read[a].distinct().into_iter().flat_map(|hash| index.postings(hash)) {
            let b = posting.document as usize;
            if b > a && (!is_across_only || submissions[a].group != submissions[b].group) {
                if n_shared[b] == 0 {
                    met.push(b);
                }
                n_shared[b] += 1;
            }
        }
        met.sort_unstable();
        let mut histogram = [0; HISTOGRAM_BARS];
        let (mut pairs, mut most) = (Vec::new(), 0.0);
        for &b in &met {
            let [of_a, of_b] = [a, b].map(|number| (number, read[number].n_fingerprints));
            let pair = Pair::new(of_a, of_b, n_shared[b] as usize);
            let bar = (pair.containment() * HISTOGRAM_BARS as f64) as usize;
            histogram[bar.min(HISTOGRAM_BARS - 1)] += 1;
            most = f64::max(most, pair.containment());
            if pair.containment() >= threshold {
                let likeness = short.as_ref().map_or(pair.likeness, |short| short.likeness(a, b));
                pairs.push(Pair { likeness, ..pair });
            }
        }
        (pairs, met.len(), histogram, most)
    });
    let of_all: Vec<_> = of_all.collect();
    let mut ranking = Ranking {
        pairs: Vec::new(),
        n_compared: n_pairs(submissions, read, is_across_only),
        n_sharing: 0,
        most: 0.0,
        histogram: [0; HISTOGRAM_BARS],
    };
    for (pairs, n_sharing, histogram, most) in of_all {
        ranking.most = ranking.most.max(most);
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
fn n_pairs(submissions: &[Submission], read: &[ReadSubmission], is_across_only: bool) -> usize {
    let with_files = submissions.iter().zip(read).filter(|(_, read)| !read.sources.is_empty());
    let mut groups: Vec<usize> = with_files.map(|(submission, _)| submission.group).collect();
    groups.sort_unstable();
    let pairs = |n: usize| n * n.saturating_sub(1) / 2;
    let within: usize = groups.chunk_by(|a, b| a == b).map(|group| pairs(group.len())).sum();
    pairs(groups.len()) - if is_across_only { within } else { 0 }
}
