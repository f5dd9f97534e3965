//! Groups clone pairs into classes: a copy with all its origins is one report.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;

use super::overlap::{is_same_place, joined, shared};

/// A clone pair as seen by grouping: what it covers of the query, and how well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    /// The fragment of the query, in tokens.
    pub query: Range<usize>,
    /// Positions of the aligned tokens in the query, ascending.
    pub aligned: Vec<u32>,
    /// Those of them that are spelled the same: the evidence.
    pub exact: Vec<u32>,
    /// The runs of equal symbols whose names agree, ascending: certainly copied.
    pub runs: Vec<Range<usize>>,
}

impl Candidate {
    /// How well it explains its fragment. A candidate joined from pieces explains less than one
    /// without gaps.
    fn evidence(&self) -> i64 {
        let n_gap = self.query.len() - self.aligned.len();
        self.exact.len() as i64 - n_gap as i64
    }

    fn n_exact_in(&self, range: &Range<usize>) -> usize {
        n_in(&self.exact, range)
    }

    /// How well it explains the tokens in `range`: the aligned ones, counting those spelled the
    /// same twice.
    fn agreement_in(&self, range: &Range<usize>) -> usize {
        n_in(&self.aligned, range) + self.n_exact_in(range)
    }

    fn agrees_in(&self, range: &Range<usize>) -> bool {
        self.agreement_in(range) as f64 >= AGREES * 2.0 * range.len() as f64
    }
}

fn n_in(positions: &[u32], range: &Range<usize>) -> usize {
    n_before(positions, range.end) - n_before(positions, range.start)
}

fn n_before(positions: &[u32], end: usize) -> usize {
    positions.partition_point(|&at| (at as usize) < end)
}

/// A fragment of the query and the pairs that explain it, the best first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group {
    /// The fragment.
    pub query: Range<usize>,
    /// Indices of the pairs in the order they were given.
    pub members: Vec<usize>,
}

/// Minimum fraction of a candidate that better classes must cover to explain it away.
const EXPLAINED: f64 = 0.5;
/// Minimum agreement of a class with a fragment that it covers, as a fraction of the agreement of
/// the fragment's own pair, to explain that fragment. A renamed copy reaches 0.8; an alignment that
/// went on beyond its copy stays below.
const AGREES: f64 = 0.7;

/// Maximum tokens that may be missing at an end of a run for it to count as covered.
const RAGGED: usize = 8;
/// Maximum members of a class; more would add nothing, and the best come first.
pub(super) const MAX_MEMBERS: usize = 64;

/// Groups `candidates` of one query into classes, so that each stretch of the query belongs to what
/// explains it best.
///
/// These are the nets of genome alignment (Kent 2003): the best candidate takes the tokens that it
/// aligns, the next one takes what is left, including the gaps of better ones, and so on. A stretch
/// of at least `min_tokens`, or all of a shorter candidate (a whole file), becomes a class, and
/// splits the classes that extend around it. Two things differ from genomes. First, a candidate
/// takes a stretch from a better one that hardly agrees there, and tokens at the border of two
/// candidates go to the one that spells them the same, because what follows a copy often begins
/// like what follows its origin. Second, a candidate that takes nothing is not lost: it becomes
/// another member if it has nearly the same fragment, or agrees with its part better than all
/// members so far.
///
/// ```text
/// candidates   a |=================----------==========|      classes   a |=======|    |=========| a
///              b           |=====================|                      b         |====|  (in the gap of a)
///              c |=======|                                    c is one more member of a if it agrees better
/// ```
///
/// Time O(Σ length of the candidates + candidates · members · log n), memory O(length of the
/// query).
pub(super) fn classes(candidates: &[Candidate], min_tokens: usize) -> Vec<Group> {
    let end = candidates.iter().map(|candidate| candidate.query.end).max().unwrap_or(0);
    let mut net = Net { candidates, min_tokens, owners: vec![None; end], classes: Vec::new() };
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by_key(|&at| (Reverse(candidates[at].evidence()), candidates[at].query.start, at));
    for at in order {
        net.take(at);
    }
    net.into_classes()
}

/// The class that each token of a query belongs to.
struct Net<'c> {
    candidates: &'c [Candidate],
    min_tokens: usize,
    /// For each token, the number of the class that aligns it.
    owners: Vec<Option<usize>>,
    classes: Vec<Group>,
}

impl Net<'_> {
    fn main_owner(&self, tokens: impl Iterator<Item = usize>) -> Option<usize> {
        let mut n_owned: BTreeMap<usize, usize> = BTreeMap::new();
        for class in tokens.filter_map(|at| self.owners[at]) {
            *n_owned.entry(class).or_default() += 1;
        }
        let most = n_owned.into_iter().max_by_key(|&(class, n)| (n, Reverse(class)));
        most.map(|(class, _)| class)
    }

    fn best(&self, class: usize) -> &Candidate {
        &self.candidates[self.classes[class].members[0]]
    }

    fn take(&mut self, at: usize) {
        let candidate = &self.candidates[at];
        // Three steps: cut the candidate where the owner of its tokens changes; keep the stretches
        // that it wins, joining neighbors that no other class separates; and make each of these
        // claims a class. Candidates come best first, so a single pass is enough. A later one can
        // still take a stretch from a class that hardly agrees there; `into_classes` splits that
        // class in the end.
        let stretches = self.stretches(candidate);
        let owned = stretches.iter().filter(|stretch| stretch.owner.is_some());
        let n_explained: usize = owned.map(|stretch| stretch.aligned.len()).sum();
        let is_explained = n_explained as f64 >= EXPLAINED * candidate.aligned.len() as f64;
        let mut claims: Vec<Vec<u32>> = Vec::new();
        let mut is_cut = true;
        for stretch in &stretches {
            if !self.yields(stretch, candidate, is_explained) {
                is_cut = true;
                continue;
            }
            let positions = &candidate.aligned[stretch.aligned.clone()];
            match claims.last_mut() {
                Some(last) if !is_cut && !stretch.is_parted => last.extend(positions),
                _ => claims.push(positions.to_vec()),
            }
            is_cut = false;
        }
        // If the fragment is mostly explained already, the rest has to agree on its own.
        claims.retain(|claim| {
            claim.len() >= self.min_tokens.min(candidate.aligned.len())
                && (!is_explained || candidate.agrees_in(&span(claim)))
        });
        let claimed: Vec<Range<usize>> = claims.iter().map(|claim| span(claim)).collect();
        for claim in claims {
            let mut from = claim[0] as usize;
            for &position in &claim {
                // A gap too small for another class belongs to the class around it.
                let position = position as usize;
                let from_gap = if position - from < self.min_tokens { from } else { position };
                self.owners[from_gap..=position].fill(Some(self.classes.len()));
                from = position + 1;
            }
            self.classes.push(Group { query: span(&claim), members: vec![at] });
        }
        if claimed.is_empty() {
            self.join(at);
        }
        self.name_runs(at, &claimed);
    }

    /// Makes a candidate a member if it has a run that no member has: that part came from there.
    fn name_runs(&mut self, at: usize, claimed: &[Range<usize>]) {
        let candidates = self.candidates;
        for run in &candidates[at].runs {
            if run.len() < self.min_tokens || is_within(run, claimed) {
                continue;
            }
            let Some(class) = self.main_owner(run.clone()) else { continue };
            let members = &mut self.classes[class].members;
            let mut runs = members.iter().map(|&of| &candidates[of].runs);
            let is_named = members.contains(&at) || runs.any(|runs| is_within(run, runs));
            if !is_named && members.len() < MAX_MEMBERS {
                members.push(at);
            }
        }
    }

    fn stretches(&self, candidate: &Candidate) -> Vec<Stretch> {
        let mut stretches: Vec<Stretch> = Vec::new();
        let mut behind = candidate.query.start;
        for (number, &position) in candidate.aligned.iter().enumerate() {
            let owner = self.owners[position as usize];
            // A gap in which other classes have tokens separates what is on either side.
            let is_parted = self.owners[behind..position as usize].iter().any(Option::is_some);
            behind = position as usize + 1;
            match stretches.last_mut() {
                Some(last) if last.owner == owner && !(is_parted && owner.is_none()) => {
                    last.aligned.end = number + 1;
                }
                _ => stretches.push(Stretch { owner, is_parted, aligned: number..number + 1 }),
            }
        }
        stretches
    }

    /// Whether a candidate gets a stretch: nobody owns it, or the owner explains it less well.
    fn yields(&self, stretch: &Stretch, candidate: &Candidate, is_explained: bool) -> bool {
        let Some(owner) = stretch.owner else { return true };
        let (class, best) = (&self.classes[owner], self.best(owner));
        let range = span(&candidate.aligned[stretch.aligned.clone()]);
        let [old, new] = [best, candidate].map(|of| of.agreement_in(&range) as f64);
        let is_worse = old < AGREES * new;
        if is_worse && stretch.aligned.len() >= self.min_tokens {
            return true;
        }
        // At an end of the class, where the candidate continues beyond it.
        let is_end = range.start <= class.query.start && candidate.query.start < class.query.start
            || range.end >= class.query.end && candidate.query.end > class.query.end;
        !is_explained && is_end && candidate.n_exact_in(&range) > best.n_exact_in(&range)
    }

    /// Makes a candidate that got nothing a member of the class that owns most of it, if it shows
    /// another origin.
    ///
    /// A few free tokens that it has beyond an end of the class are added: the copy continues
    /// there.
    fn join(&mut self, at: usize) {
        let candidate = &self.candidates[at];
        let aligned = candidate.aligned.iter().map(|&at| at as usize);
        let Some(class) = self.main_owner(aligned) else { return };
        let (query, members) = (self.classes[class].query.clone(), &self.classes[class].members);
        if members.len() >= MAX_MEMBERS {
            return;
        }
        let is_same = is_same_place(&candidate.query, &query);
        let range = shared(&candidate.query, &query);
        let agreement = candidate.agreement_in(&range);
        let agreements = members.iter().map(|&of| self.candidates[of].agreement_in(&range));
        let best = agreements.max().unwrap_or(0);
        let ends = if agreement >= best { self.free_ends(candidate, &query) } else { [0..0, 0..0] };
        // What agrees as well with all of the class is another origin of it, however much more it
        // has around.
        let covers = range == query;
        let is_better = (agreement > best || covers && agreement == best)
            && candidate.aligned.len() >= self.min_tokens;
        if !is_same && !is_better && ends.iter().all(Range::is_empty) {
            return;
        }
        for end in ends.iter().filter(|end| !end.is_empty()) {
            self.owners[end.clone()].fill(Some(class));
            let query = &mut self.classes[class].query;
            *query = joined(query, end);
        }
        self.classes[class].members.push(at);
    }

    /// What a candidate has beyond either end of a class, if nobody owns it and it agrees on its
    /// own.
    fn free_ends(&self, candidate: &Candidate, class: &Range<usize>) -> [Range<usize>; 2] {
        let ends = [
            candidate.query.start..class.start.min(candidate.query.end),
            class.end.max(candidate.query.start)..candidate.query.end,
        ];
        ends.map(|end| {
            let is_free = !end.is_empty() && self.owners[end.clone()].iter().all(Option::is_none);
            if is_free && candidate.agrees_in(&end) { end } else { 0..0 }
        })
    }

    /// The classes by position, each split where others took stretches out of it.
    fn into_classes(self) -> Vec<Group> {
        let owned = self.owners.iter().enumerate().filter_map(|(at, owner)| Some((at, (*owner)?)));
        let mut parts: Vec<(usize, Range<usize>)> = Vec::new();
        for (position, class) in owned {
            match parts.last_mut() {
                Some((of, range)) if *of == class => range.end = position + 1,
                _ => parts.push((class, position..position + 1)),
            }
        }
        parts.into_iter().filter_map(|(class, range)| self.part(class, &range)).collect()
    }

    /// What is left of a class in `range`, from the first to the last token that a member aligns.
    fn part(&self, class: usize, range: &Range<usize>) -> Option<Group> {
        let members = self.classes[class].members.clone();
        let spans = members.iter().map(|&member| {
            let aligned = &self.candidates[member].aligned;
            span(&aligned[n_before(aligned, range.start)..n_before(aligned, range.end)])
        });
        let spans = spans.filter(|span| !span.is_empty());
        let query = spans.reduce(|a, b| joined(&a, &b)).unwrap_or(0..0);
        let best = self.best(class);
        let n_left = n_in(&best.aligned, &query);
        (n_left >= self.min_tokens.min(best.aligned.len())).then_some(Group { query, members })
    }
}

fn is_within(run: &Range<usize>, all: &[Range<usize>]) -> bool {
    all.iter().any(|other| other.start <= run.start + RAGGED && run.end <= other.end + RAGGED)
}

/// Consecutive aligned tokens of a candidate with the same owner, or none.
struct Stretch {
    owner: Option<usize>,
    /// Whether there are tokens of other classes right before it.
    is_parted: bool,
    /// Indices of the candidate's aligned tokens.
    aligned: Range<usize>,
}

fn span(positions: &[u32]) -> Range<usize> {
    match (positions.first(), positions.last()) {
        (Some(&first), Some(&last)) => first as usize..last as usize + 1,
        _ => 0..0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A candidate that is aligned throughout, and spelled the same in part of it.
    fn candidate(query: Range<usize>, n_exact: usize) -> Candidate {
        let positions = |n: usize| query.clone().take(n).map(|at| at as u32).collect();
        Candidate {
            aligned: positions(query.len()),
            exact: positions(n_exact),
            runs: Vec::new(),
            query,
        }
    }

    fn classes_of(candidates: &[Candidate]) -> Vec<Group> {
        classes(candidates, 30)
    }

    #[track_caller]
    fn check(candidates: &[Candidate], expected: &[Range<usize>]) {
        let found: Vec<_> = classes_of(candidates).into_iter().map(|class| class.query).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn pairs_of_nearly_the_same_fragment_are_one_class_best_first() {
        let found = classes_of(&[candidate(10..90, 60), candidate(12..92, 75)]);
        assert_eq!(found, [Group { query: 12..92, members: vec![1, 0] }]);
    }

    #[test]
    fn a_small_part_of_a_larger_copy_is_not_reported_again_however_renamed_that_is() {
        assert_eq!(classes_of(&[candidate(0..200, 190), candidate(50..100, 50)]).len(), 1);
        let mut renamed = candidate(0..200, 200);
        renamed.exact.retain(|&at| at % 5 < 3);
        assert_eq!(classes_of(&[renamed, candidate(150..200, 50)]).len(), 1);
    }

    #[test]
    fn copies_side_by_side_are_two_classes_that_do_not_overlap() {
        check(&[candidate(0..100, 100), candidate(90..200, 90)], &[0..100, 100..200]);
        // The beginning of the next copy is the next copy's.
        check(&[candidate(0..110, 100), candidate(100..150, 50)], &[0..100, 100..150]);
    }

    #[test]
    fn an_alignment_that_wandered_into_the_next_copy_leaves_it_that_copy() {
        let mut wandered = candidate(0..170, 100);
        // Beyond the copy every second token is aligned by chance.
        wandered.aligned.retain(|&at| at < 100 || at % 2 == 0);
        check(&[wandered, candidate(110..170, 60)], &[0..109, 110..170]);
    }

    #[test]
    fn what_is_beyond_a_better_copy_counts_if_it_agrees_by_itself() {
        let both = [0..110, 110..150];
        for (n_exact, expected) in [(50, &both[..]), (30, &both[..1])] {
            let mut reaching = candidate(50..150, 100);
            reaching.exact.retain(|&at| (100..100 + n_exact).contains(&at));
            reaching.aligned.clone_from(&reaching.exact);
            check(&[candidate(0..110, 110), reaching], expected);
        }
    }

    #[test]
    fn what_two_copies_side_by_side_cover_is_cut_off() {
        let mut reaching = candidate(40..250, 0);
        reaching.exact = (180..250).collect();
        let candidates = [candidate(90..180, 90), candidate(0..92, 80), reaching];
        check(&candidates, &[0..90, 90..180, 180..250]);
    }
}
