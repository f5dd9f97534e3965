//! Groups clone pairs into classes: one copy with all its origins is one report.

use std::ops::Range;

/// A clone pair as grouping sees it: what it covers of the query and how well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The fragment of the query, in tokens.
    pub query: Range<usize>,
    /// The positions in the query of the aligned tokens, ascending.
    pub aligned: Vec<u32>,
    /// Those of them whose text agrees: the evidence.
    pub exact: Vec<u32>,
}

impl Candidate {
    /// How well it explains its fragment: of two, the one that is joined from pieces explains less.
    fn evidence(&self) -> i64 {
        let n_gap = self.query.len() - self.aligned.len();
        self.exact.len() as i64 - n_gap as i64
    }

    /// The number of tokens in `range` whose text agrees.
    fn n_exact_in(&self, range: &Range<usize>) -> usize {
        n_in(&self.exact, range)
    }

    /// How well it explains the tokens in `range`: those that are aligned, and once more those whose text agrees.
    fn agreement_in(&self, range: &Range<usize>) -> usize {
        n_in(&self.aligned, range) + self.n_exact_in(range)
    }
}

fn n_in(positions: &[u32], range: &Range<usize>) -> usize {
    let before = |end: usize| positions.partition_point(|&at| (at as usize) < end);
    before(range.end) - before(range.start)
}

/// A fragment of the query and the pairs that explain it, the best first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CloneClass {
    /// The fragment.
    pub query: Range<usize>,
    /// Indices of the pairs, as they were given.
    pub members: Vec<usize>,
}

/// How much two fragments must overlap, as a part of either, to be one class.
const SAME: f64 = 0.7;
/// How much of a fragment better classes must cover to explain it away.
const EXPLAINED: f64 = 0.5;
/// How well a class must agree where it covers a fragment to explain it, as a part of how well the fragment's own pair
/// does. A renamed copy reaches 0.8; an alignment that wandered on beyond its copy stays below.
const AGREES: f64 = 0.7;

/// Groups `candidates` of one query, best evidence first.
///
/// A candidate joins the class whose fragment is nearly its own; of one that
/// better classes cover for the most part only what is beyond them counts, if that agrees by itself, since the rest is reported
/// already; less than `min_tokens` beyond them is nothing. Each class's fragment is its best member's, less what other classes took: tokens at
/// the ends of two go to the one whose text agrees there, since what follows a copy
/// often begins as what follows its origin does. Time O(n²) in the candidates of one file.
pub fn classes(candidates: &[Candidate], min_tokens: usize) -> Vec<CloneClass> {
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by_key(|&at| (std::cmp::Reverse(candidates[at].evidence()), candidates[at].query.start, at));
    let mut classes: Vec<CloneClass> = Vec::new();
    for at in order {
        let own = &candidates[at].query;
        // What is left of a fragment that is explained for the most part has to agree by itself.
        let agrees = |beyond: &Range<usize>| {
            let agreement = candidates[at].agreement_in(beyond) as f64;
            beyond.len() >= min_tokens && agreement >= AGREES * 2.0 * beyond.len() as f64
        };
        let goes_beyond = agrees(&uncovered(own.clone(), &classes));
        let n_explained = |class: &CloneClass| {
            let shared = shared(own, &class.query);
            let theirs = class.members.first().map_or(0, |&best| candidates[best].agreement_in(&shared)) as f64;
            let is_explained = theirs >= AGREES * candidates[at].agreement_in(&shared) as f64;
            if is_explained { shared.len() } else { 0 }
        };
        let sibling = classes.iter_mut().find(|class| {
            let n = shared(own, &class.query).len() as f64;
            n >= SAME * own.len() as f64 && n >= SAME * class.query.len() as f64
        });
        if let Some(class) = sibling.filter(|_| !goes_beyond) {
            class.members.push(at);
            continue;
        }
        let n_explained: usize = classes.iter().map(n_explained).sum();
        let is_explained = n_explained as f64 >= EXPLAINED * own.len() as f64;
        if !is_explained {
            for class in &mut classes {
                yield_end(class, &candidates[at], candidates);
            }
        }
        let query = uncovered(own.clone(), &classes);
        if !query.is_empty() && (!is_explained || goes_beyond) {
            classes.push(CloneClass { query, members: vec![at] });
        }
    }
    classes.sort_by_key(|class| class.query.start);
    classes
}

/// Leaves the tokens at an end of `class` to `other`, which reaches to that end or over it, if more of their text agrees there.
fn yield_end(class: &mut CloneClass, other: &Candidate, candidates: &[Candidate]) {
    let shared = shared(&other.query, &class.query);
    let Some(best) = class.members.first().map(|&best| &candidates[best]) else { return };
    if shared.is_empty() || other.n_exact_in(&shared) <= best.n_exact_in(&shared) {
        return;
    }
    // What is left ends with an aligned token.
    if class.query.start < other.query.start && class.query.end <= other.query.end {
        let left = best.aligned.partition_point(|&at| (at as usize) < other.query.start);
        let end = left.checked_sub(1).map_or(other.query.start, |last| best.aligned[last] as usize + 1);
        class.query.end = end.max(class.query.start);
    } else if other.query.start <= class.query.start && other.query.end < class.query.end {
        let left = best.aligned.partition_point(|&at| (at as usize) < other.query.end);
        let start = best.aligned.get(left).map_or(other.query.end, |&first| first as usize);
        class.query.start = start.min(class.query.end);
    }
}

/// What `a` and `b` both cover.
fn shared(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    let start = a.start.max(b.start);
    start..a.end.min(b.end).max(start)
}

/// What is left of `range` when classes that reach over its ends are cut off.
fn uncovered(mut range: Range<usize>, classes: &[CloneClass]) -> Range<usize> {
    // Cutting one off may uncover that the next one reaches over the new end.
    loop {
        let before = range.clone();
        for class in classes.iter().filter(|class| !shared(&before, &class.query).is_empty()).map(|class| &class.query)
        {
            if class.start <= range.start {
                range.start = range.start.max(class.end).min(range.end);
            } else if class.end >= range.end {
                range.end = range.end.min(class.start).max(range.start);
            }
        }
        if range == before {
            return range;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A candidate that is aligned throughout, and whose first `n_exact` tokens agree.
    fn candidate(query: Range<usize>, n_exact: usize) -> Candidate {
        let positions = |n: usize| query.clone().take(n).map(|at| at as u32).collect();
        Candidate { aligned: positions(query.len()), exact: positions(n_exact), query }
    }

    fn classes_of(candidates: &[Candidate]) -> Vec<CloneClass> {
        classes(candidates, 30)
    }

    #[test]
    fn pairs_of_nearly_the_same_fragment_are_one_class_best_first() {
        let found = classes_of(&[candidate(10..90, 60), candidate(12..92, 75)]);
        assert_eq!(found, [CloneClass { query: 12..92, members: vec![1, 0] }]);
    }

    #[test]
    fn a_small_part_of_a_larger_copy_is_not_reported_again() {
        assert_eq!(classes_of(&[candidate(0..200, 190), candidate(50..100, 50)]).len(), 1);
    }

    #[test]
    fn copies_side_by_side_are_two_classes_that_do_not_overlap() {
        let found = classes_of(&[candidate(0..100, 100), candidate(90..200, 90)]);
        assert_eq!(found.iter().map(|class| class.query.clone()).collect::<Vec<_>>(), [0..100, 100..200]);
    }

    #[test]
    fn the_beginning_of_the_next_copy_is_the_next_copy_s() {
        let found = classes_of(&[candidate(0..110, 100), candidate(100..150, 50)]);
        assert_eq!(found.iter().map(|class| class.query.clone()).collect::<Vec<_>>(), [0..100, 100..150]);
    }

    #[test]
    fn an_alignment_that_wandered_into_the_next_copy_leaves_it_that_copy() {
        let mut wandered = candidate(0..170, 100);
        // Beyond the copy every second token is aligned by chance.
        wandered.aligned.retain(|&at| at < 100 || at % 2 == 0);
        let found = classes_of(&[wandered, candidate(110..170, 60)]);
        assert_eq!(found.iter().map(|class| class.query.clone()).collect::<Vec<_>>(), [0..109, 110..170]);
    }

    #[test]
    fn a_renamed_copy_is_not_cut_by_code_that_agrees_with_a_part_of_it() {
        let mut renamed = candidate(0..200, 200);
        renamed.exact.retain(|&at| at % 5 < 3);
        assert_eq!(classes_of(&[renamed, candidate(150..200, 50)]).len(), 1);
    }

    #[test]
    fn what_is_beyond_a_better_copy_counts_if_it_agrees_by_itself() {
        let fragments = |n_exact: usize| {
            let mut reaching = candidate(50..150, 100);
            reaching.exact.retain(|&at| at >= 100 && at < 100 + n_exact as u32);
            reaching.aligned.retain(|&at| at >= 100 && at < 100 + n_exact as u32);
            classes_of(&[candidate(0..110, 110), reaching]).into_iter().map(|class| class.query).collect::<Vec<_>>()
        };
        assert_eq!(fragments(50), [0..110, 110..150]);
        assert_eq!(fragments(30), std::iter::once(0..110).collect::<Vec<_>>());
    }

    #[test]
    fn what_two_copies_side_by_side_cover_is_cut_off() {
        let mut reaching = candidate(40..250, 0);
        reaching.exact = (180..250).collect();
        let found = classes_of(&[candidate(90..180, 90), candidate(0..92, 80), reaching]);
        assert_eq!(found.iter().map(|class| class.query.clone()).collect::<Vec<_>>(), [0..90, 90..180, 180..250]);
    }
}
