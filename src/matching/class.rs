//! Groups clone pairs into classes: one copy with all its origins is one report.

use std::ops::Range;

/// A clone pair as grouping sees it: what it covers of the query and how well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The fragment of the query, in tokens.
    pub query: Range<usize>,
    /// The positions in the query of the aligned tokens whose text agrees, ascending: the evidence.
    pub exact: Vec<u32>,
    /// The tokens of the query in it that are not aligned: what speaks against it.
    pub n_gap: usize,
}

impl Candidate {
    /// How well it explains its fragment: of two, the one that is joined from pieces explains less.
    fn evidence(&self) -> i64 {
        self.exact.len() as i64 - self.n_gap as i64
    }

    /// The number of tokens in `range` whose text agrees.
    fn n_exact_in(&self, range: &Range<usize>) -> usize {
        let before = |end: usize| self.exact.partition_point(|&at| (at as usize) < end);
        before(range.end) - before(range.start)
    }
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
/// How much of a fragment a better class must cover to explain it away.
const EXPLAINED: f64 = 0.5;

/// Groups `candidates` of one query, best evidence first.
///
/// A candidate joins the class whose fragment is nearly its own; one that
/// better classes cover for the most part is dropped, since its tokens are reported
/// already. Each class's fragment is its best member's, less what other classes took: tokens at
/// the ends of two go to the one whose text agrees there, since what follows a copy
/// often begins as what follows its origin does. Time O(n²) in the candidates of one file.
pub fn classes(candidates: &[Candidate]) -> Vec<CloneClass> {
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by_key(|&at| (std::cmp::Reverse(candidates[at].evidence()), candidates[at].query.start, at));
    let mut classes: Vec<CloneClass> = Vec::new();
    for at in order {
        let own = &candidates[at].query;
        let n_shared = |class: &CloneClass| overlap(own, &class.query) as f64;
        let sibling = classes.iter_mut().find(|class| {
            let n = overlap(own, &class.query) as f64;
            n >= SAME * own.len() as f64 && n >= SAME * class.query.len() as f64
        });
        if let Some(class) = sibling {
            class.members.push(at);
        } else if classes.iter().map(n_shared).sum::<f64>() < EXPLAINED * own.len() as f64 {
            for class in &mut classes {
                yield_end(class, &candidates[at], candidates);
            }
            let query = uncovered(own.clone(), &classes);
            if !query.is_empty() {
                classes.push(CloneClass { query, members: vec![at] });
            }
        }
    }
    classes.sort_by_key(|class| class.query.start);
    classes
}

/// Leaves the tokens at an end of `class` to `other`, which reaches over that end, if more of their text agrees there.
fn yield_end(class: &mut CloneClass, other: &Candidate, candidates: &[Candidate]) {
    let shared = other.query.start.max(class.query.start)..other.query.end.min(class.query.end);
    let agrees_more = |best: &Candidate| other.n_exact_in(&shared) > best.n_exact_in(&shared);
    if shared.is_empty() || !class.members.first().is_some_and(|&best| agrees_more(&candidates[best])) {
        return;
    }
    if class.query.start < other.query.start && class.query.end < other.query.end {
        class.query.end = other.query.start;
    } else if other.query.start < class.query.start && other.query.end < class.query.end {
        class.query.start = other.query.end;
    }
}

fn overlap(a: &Range<usize>, b: &Range<usize>) -> usize {
    a.end.min(b.end).saturating_sub(a.start.max(b.start))
}

/// What is left of `range` when classes that reach over its ends are cut off.
fn uncovered(mut range: Range<usize>, classes: &[CloneClass]) -> Range<usize> {
    for class in classes
        .iter()
        .filter(|class| overlap(&range, &class.query) > 0)
        .map(|class| class.query.clone())
        .collect::<Vec<_>>()
    {
        if class.start <= range.start {
            range.start = class.end.min(range.end);
        } else if class.end >= range.end {
            range.end = class.start.max(range.start);
        }
    }
    range
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A candidate whose first `n_exact` tokens agree.
    fn candidate(query: Range<usize>, n_exact: usize) -> Candidate {
        let exact = query.clone().take(n_exact).map(|at| at as u32).collect();
        Candidate { query, exact, n_gap: 0 }
    }

    #[test]
    fn pairs_of_nearly_the_same_fragment_are_one_class_best_first() {
        let found = classes(&[candidate(10..90, 60), candidate(12..92, 75)]);
        assert_eq!(found, [CloneClass { query: 12..92, members: vec![1, 0] }]);
    }

    #[test]
    fn a_small_part_of_a_larger_copy_is_not_reported_again() {
        assert_eq!(classes(&[candidate(0..200, 190), candidate(50..100, 50)]).len(), 1);
    }

    #[test]
    fn copies_side_by_side_are_two_classes_that_do_not_overlap() {
        let found = classes(&[candidate(0..100, 100), candidate(90..200, 90)]);
        assert_eq!(found.iter().map(|class| class.query.clone()).collect::<Vec<_>>(), [0..100, 100..200]);
    }

    #[test]
    fn the_beginning_of_the_next_copy_is_the_next_copy_s() {
        let found = classes(&[candidate(0..110, 100), candidate(100..150, 50)]);
        assert_eq!(found.iter().map(|class| class.query.clone()).collect::<Vec<_>>(), [0..100, 100..150]);
    }
}
