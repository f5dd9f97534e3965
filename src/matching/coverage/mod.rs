//! Checks the classes of a file against its runs: each run of novel tokens must be in a class that
//! names its origin.
//!
//! A class is a hypothesis, made of chains that join runs across gaps. It may have lost a run, or
//! name an origin that is similar where another one is the same. Runs are certain. So each run is
//! looked up in the classes, the longest first, and if it is missing, the smallest possible change
//! is made: moving a border, adding an origin, or adding a class.
//!
//! ```text
//! run        |==================|           from x, a whole function
//! classes    |====== x ===|--- y ----|      the border moves to the end of the run: y had gone too far
//!            |======== y ============|      x becomes one more origin
//!                                           no class at all: the run becomes one
//! ```
//!
//! A part of a longer run whose origin is named needs no other origin.

mod layout;
mod members;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use self::layout::Layout;
pub use self::members::{CloneClass, QueryPairs, TargetPair};
use super::class::{Candidate, Group, MAX_MEMBERS, classes};
use super::overlap::{holds, joined, overlaps, shared};
use super::pair::ClonePair;
use super::run::agreeing;

/// Maximum rounds; a border that is moved for one run may take a stretch from another.
const MAX_ROUNDS: usize = 4;

/// The classes of a query, and the runs that they have to contain.
#[derive(Debug)]
pub struct CloneClasses {
    /// The classes in order; no two overlap.
    pub classes: Vec<CloneClass>,
    /// The number of each run's pair, and the part of the pair that is a run; none is inside
    /// another.
    pub runs: Vec<(usize, ClonePair)>,
}

/// Groups the pairs of a query into classes, and makes sure that each run is in a class with its
/// origin.
pub fn clone_classes(input: QueryPairs<'_>) -> CloneClasses {
    let QueryPairs { query, pairs, min_tokens, is_enough, .. } = input;
    // Runs do not decide what the classes are: they are what these are checked against.
    let aligned: Vec<usize> = (0..pairs.len()).filter(|&number| !pairs[number].is_run).collect();
    let aligned_pairs = aligned.iter().map(|&number| pairs[number]);
    let candidates: Vec<Candidate> =
        aligned_pairs.map(|of| of.pair.candidate(query.tokens, of.tokens)).collect();
    let mut groups = classes(&candidates, min_tokens);
    for number in groups.iter_mut().flat_map(|group| &mut group.members) {
        *number = aligned[*number];
    }
    groups.retain(|Group { query, members }| {
        is_enough(query) || members.iter().any(|&number| pairs[number].is_sufficient)
    });
    reconcile(groups, input)
}

/// Makes sure that each run is in a class with its origin. `groups` are those of the other pairs,
/// by their numbers; those that lose all members are dropped.
///
/// Time O(r log r + r · m) for r runs and m members of the classes that contain each.
fn reconcile(groups: Vec<Group>, input: QueryPairs<'_>) -> CloneClasses {
    let layout = Layout::new(input.query);
    let mut pieces: Vec<Piece> = Vec::new();
    for (number, run) in input.pairs.iter().enumerate().filter(|(_, pair)| pair.is_run) {
        let (query, target) = (run.pair.alignment.query(), run.pair.alignment.target());
        let period = if run.is_same { query.start.abs_diff(target.start) } else { usize::MAX };
        let parts = layout.parts(query.clone(), input.min_tokens, period);
        pieces.extend(parts.into_iter().map(|part| Piece {
            number,
            target_start: target.start + part.start - query.start,
            query: part,
            n_exact: run.pair.n_exact,
        }));
    }
    // Of equally long ones, the one with the most similar spelling.
    pieces.sort_by_key(|piece| {
        (Reverse(piece.query.len()), Reverse(piece.n_exact), piece.query.start, piece.number)
    });
    let named = groups.into_iter().map(|of| input.named(&of.query, of.members.into_iter()));
    let named = named.filter(|named| !named.members.is_empty());
    let classes = named.map(|class| (class.query.start, class)).collect();
    let mut cover = Cover { classes, input };
    let mut asked: Vec<&Piece> = Vec::new();
    for _ in 0..MAX_ROUNDS {
        let mut held = Outermost::default();
        let mut is_changed = false;
        asked.clear();
        for piece in &pieces {
            if held.holds(&piece.query) {
                continue;
            }
            asked.push(piece);
            is_changed |= cover.hold(piece, &held);
            if cover.missing(piece).is_empty() {
                held.add(piece.query.clone());
            }
        }
        if !is_changed {
            break;
        }
    }
    let run = |piece: &Piece| Some((piece.number, input.left(&piece.query, piece.number)?));
    let runs = asked.into_iter().filter_map(run).collect();
    CloneClasses { runs, classes: cover.into_classes() }
}

/// A part of a run: whole units of code, if it has any.
struct Piece {
    number: usize,
    query: Range<usize>,
    target_start: usize,
    n_exact: usize,
}

impl Piece {
    fn target(&self, stretch: &Range<usize>) -> Range<usize> {
        let start = self.target_start + stretch.start - self.query.start;
        start..start + stretch.len()
    }
}

/// The ranges that are not inside another one.
#[derive(Default)]
struct Outermost(BTreeMap<usize, usize>);

impl Outermost {
    fn holds(&self, range: &Range<usize>) -> bool {
        // Starts and ends both ascend, so the last range that begins early enough ends last.
        self.0.range(..=range.start).next_back().is_some_and(|(_, end)| *end >= range.end)
    }

    fn add(&mut self, range: Range<usize>) {
        while let Some((&start, _)) =
            self.0.range(range.start..).next().filter(|(_, end)| **end <= range.end)
        {
            self.0.remove(&start);
        }
        self.0.insert(range.start, range.end);
    }
}

/// The classes by first token; no two overlap.
struct Cover<'s> {
    classes: BTreeMap<usize, CloneClass>,
    input: QueryPairs<'s>,
}

impl Cover<'_> {
    /// The classes, without what the borders have left too little of.
    fn into_classes(self) -> Vec<CloneClass> {
        let Self { classes, input } = self;
        let starts: BTreeSet<usize> = classes.keys().copied().collect();
        let ends: BTreeSet<usize> = classes.values().map(|class| class.query.end).collect();
        let is_border = |at: usize| starts.contains(&at) && ends.contains(&at);
        let classes = classes.into_values().map(|class| class.without_slivers(input));
        classes.map(|class| class.of_statements(input, &is_border)).collect()
    }

    /// Cuts a piece where classes begin and end; returns each stretch with the first token of its
    /// class.
    fn stretches(&self, range: &Range<usize>) -> Vec<(Range<usize>, Option<usize>)> {
        let before = self.classes.range(..=range.start).next_back();
        let first = before.map_or(range.start, |(&start, _)| start);
        let mut stretches = Vec::new();
        let mut at = range.start;
        for (&start, class) in self.classes.range(first..range.end) {
            let within = shared(&class.query, range);
            if within.is_empty() {
                continue;
            }
            if at < within.start {
                stretches.push((at..within.start, None));
            }
            at = within.end;
            stretches.push((within, Some(start)));
        }
        if at < range.end {
            stretches.push((at..range.end, None));
        }
        stretches
    }

    fn is_named(&self, class: usize, piece: &Piece, stretch: &Range<usize>) -> bool {
        let (class, target) = (&self.classes[&class], piece.target(stretch));
        let run = &self.input.pairs[piece.number];
        class.members.iter().any(|(number, pair)| {
            let named = pair.alignment.target();
            self.input.pairs[*number].target == run.target
                && holds(&named, &target)
                && (!self.input.by_part || holds(&pair.alignment.query(), stretch))
                // A copy is not its own origin.
                && !(run.is_same && overlaps(&named, &class.query))
        })
    }

    fn missing(&self, piece: &Piece) -> Vec<(Range<usize>, Option<usize>)> {
        let mut stretches = self.stretches(&piece.query);
        stretches.retain(|(stretch, class)| {
            class.is_none_or(|class| !self.is_named(class, piece, stretch))
        });
        stretches
    }

    /// Fits the classes to a piece; returns whether any of them changed.
    fn hold(&mut self, piece: &Piece, held: &Outermost) -> bool {
        let mut is_changed = false;
        for (stretch, class) in self.missing(piece) {
            if let Some(class) = class {
                is_changed |= self.move_border(class, piece, &stretch, held)
                    || self.name(class, piece, &stretch);
            }
        }
        for (stretch, class) in self.missing(piece) {
            if class.is_none() {
                is_changed |= self.take_free(piece, &stretch);
            }
        }
        is_changed
    }

    /// Moves a short stretch at an end of a class to the neighboring class that has the rest of the
    /// piece.
    fn move_border(
        &mut self,
        class: usize,
        piece: &Piece,
        stretch: &Range<usize>,
        held: &Outermost,
    ) -> bool {
        let range = self.classes[&class].query.clone();
        let rest = match (stretch.start == range.start, stretch.end == range.end) {
            (true, false) => stretch.end..range.end,
            (false, true) => range.start..stretch.start,
            _ => return false,
        };
        // Leave it if it is itself part of a run that is as long.
        if 2 * stretch.len() > piece.query.len()
            || held.holds(stretch)
            || !(self.input.is_enough)(&rest)
        {
            return false;
        }
        // The neighboring class has the rest of the piece.
        let neighbor = if rest.start > stretch.start {
            stretch.start.checked_sub(1).filter(|_| stretch.start > piece.query.start)
        } else {
            Some(stretch.end).filter(|_| stretch.end < piece.query.end)
        };
        let Some(neighbor) = neighbor.and_then(|at| self.class_at(at)) else { return false };
        let beside = shared(&self.classes[&neighbor].query, &piece.query);
        if beside.is_empty() || !self.is_named(neighbor, piece, &beside) {
            return false;
        }
        let left = self.input.named(&rest, self.classes[&class].numbers());
        if left.members.is_empty() || !self.extend(neighbor, piece, stretch) {
            return false;
        }
        self.classes.remove(&class);
        self.classes.insert(left.query.start, left);
        true
    }

    fn name(&mut self, class: usize, piece: &Piece, stretch: &Range<usize>) -> bool {
        let named = &self.classes[&class];
        if self.input.pairs[piece.number].is_same && overlaps(&piece.target(stretch), &named.query)
        {
            return !self.is_as_good(class, stretch) && self.part(class, piece, stretch);
        }
        if named.members.len() >= MAX_MEMBERS {
            return false;
        }
        // An origin of a line or two says little: where only that is missing, all of the piece is
        // named.
        let meets_itself = self.input.pairs[piece.number].is_same
            && overlaps(&piece.target(&piece.query), &named.query);
        let is_short = stretch.len() < self.input.min_tokens && !meets_itself;
        let shown = if is_short { &piece.query } else { stretch };
        let Some(pair) = self.input.left(shown, piece.number) else { return false };
        self.classes.get_mut(&class).expect("it was there").add(piece.number, pair, self.input);
        true
    }

    /// Whether an origin of the class has all of a stretch in one run as well.
    fn is_as_good(&self, class: usize, stretch: &Range<usize>) -> bool {
        let query = self.input.query.tokens;
        self.classes[&class].members.iter().any(|(number, pair)| {
            let left = pair.alignment.within(stretch.clone());
            let target = self.input.pairs[*number].tokens;
            !agreeing(&left.blocks, query, target, stretch.len()).is_empty()
        })
    }

    /// Splits a class that contains a stretch and its origin between the two.
    fn part(&mut self, class: usize, piece: &Piece, stretch: &Range<usize>) -> bool {
        let range = self.classes[&class].query.clone();
        let target = piece.target(stretch);
        let border = if target.end <= stretch.start { stretch.start } else { stretch.end };
        let members: Vec<usize> = self.classes[&class].numbers().collect();
        let parts = [range.start..border, border..range.end];
        if parts.iter().any(Range::is_empty) {
            return false;
        }
        self.classes.remove(&class);
        for part in parts {
            let own = shared(&part, stretch);
            let members = members.iter().copied().chain((!own.is_empty()).then_some(piece.number));
            let named = self.input.named(&part, members);
            if !named.members.is_empty() && (self.input.is_enough)(&part) {
                self.classes.insert(part.start, named);
            }
        }
        true
    }

    /// Adds a stretch without a class to the class beside it with more of the piece, or makes it
    /// one.
    fn take_free(&mut self, piece: &Piece, stretch: &Range<usize>) -> bool {
        for at in [stretch.start.checked_sub(1), Some(stretch.end)].into_iter().flatten() {
            let Some(class) = self.class_at(at) else { continue };
            let beside = shared(&self.classes[&class].query, &piece.query);
            let is_of_piece = !beside.is_empty() && self.is_named(class, piece, &beside);
            let is_of_run = self.classes[&class].numbers().any(|number| number == piece.number);
            if (is_of_piece || is_of_run) && self.extend(class, piece, stretch) {
                return true;
            }
        }
        if !(self.input.is_enough)(stretch) {
            return false;
        }
        let named = self.input.named(stretch, std::iter::once(piece.number));
        self.classes.insert(stretch.start, named);
        true
    }

    fn class_at(&self, at: usize) -> Option<usize> {
        let (&start, class) = self.classes.range(..=at).next_back()?;
        class.query.contains(&at).then_some(start)
    }

    fn extend(&mut self, class: usize, piece: &Piece, stretch: &Range<usize>) -> bool {
        let is_same = self.input.pairs[piece.number].is_same;
        let before = self.classes[&class].query.clone();
        let mut range = joined(&before, stretch);
        let Some(mut pair) = self.input.left(&range, piece.number) else { return false };
        if is_same && overlaps(&pair.alignment.target(), &range) {
            // In repetitive code, the class has another period: it can begin where the unit does.
            range = joined(&shared(&before, &piece.query), stretch);
            let n_lost = before.len() - shared(&before, &range).len();
            let Some(left) = self.input.left(&range, piece.number) else { return false };
            if n_lost >= self.input.min_tokens || overlaps(&left.alignment.target(), &range) {
                return false;
            }
            pair = left;
        }
        let Some(mut named) = self.classes.remove(&class) else { return false };
        let pairs = self.input.pairs;
        let meets_itself = named.members.iter().any(|(number, other)| {
            pairs[*number].is_same && overlaps(&other.alignment.target(), &range)
        });
        if range.start > before.start || range.end < before.end || meets_itself {
            named = self.input.named(&range, named.numbers());
        }
        named.query = range;
        let (target, of_target) = (self.input.pairs[piece.number].target, pair.alignment.target());
        // The run names everything that others at this position named.
        let of_query = pair.alignment.query();
        named.members.retain(|(number, other)| {
            self.input.pairs[*number].target != target
                || !holds(&of_target, &other.alignment.target())
                || (self.input.by_part && !holds(&of_query, &other.alignment.query()))
        });
        named.members.insert(0, (piece.number, pair));
        self.classes.insert(named.query.start, named);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Token;
    use crate::matching::alignment::{Alignment, Block};
    use crate::matching::pair::Params;
    use crate::matching::tests::{PARAMS, c_tokens, document};

    /// Two functions of 22 and 21 tokens.
    const F: &str = "int f(int a)\n{\n    g(a, 1);\n    return a + b * 7;\n}\n";
    const G: &str = "void h(char *s)\n{\n    while (*s)\n        put(s, 2);\n}\n";
    const N: usize = 22;

    /// A pair of part of the query and the same many tokens of a target: its number, or the query
    /// if there is none.
    struct Pair {
        target: Option<usize>,
        query: Range<usize>,
        start: usize,
        is_run: bool,
    }

    fn run(target: usize, query: Range<usize>) -> Pair {
        Pair { target: Some(target), start: query.start, query, is_run: true }
    }

    fn aligned(target: usize, query: Range<usize>) -> Pair {
        Pair { is_run: false, ..run(target, query) }
    }

    /// The coverage of `query` by classes of at least 20 tokens, given the pairs and the classes
    /// with their numbers.
    fn covered(
        query: &str,
        targets: &[&str],
        pairs: &[Pair],
        classes: &[(Range<usize>, &[usize])],
    ) -> CloneClasses {
        let own = c_tokens(query);
        let others: Vec<Vec<Token>> = targets.iter().map(|text| c_tokens(text)).collect();
        let tokens = |pair: &Pair| pair.target.map_or(&own, |target| &others[target]);
        let clone = |pair: &Pair| {
            let (query, target) = (pair.query.start as u32, pair.start as u32);
            let blocks = vec![Block { query, target, len: pair.query.len() as u32 }];
            ClonePair::new(Alignment { blocks }, &own, tokens(pair))
        };
        let clones: Vec<ClonePair> = pairs.iter().map(clone).collect();
        let shown = |(of, pair): (&Pair, _)| TargetPair {
            pair,
            target: of.target.unwrap_or(targets.len()),
            tokens: tokens(of),
            is_same: of.target.is_none(),
            is_run: of.is_run,
            is_sufficient: false,
        };
        let shown: Vec<TargetPair<'_>> = pairs.iter().zip(&clones).map(shown).collect();
        let class = |(query, members): &(Range<usize>, &[usize])| Group {
            query: query.clone(),
            members: members.to_vec(),
        };
        let input = QueryPairs {
            query: document(query, &own),
            pairs: &shown,
            min_tokens: 20,
            is_enough: &|range| range.len() >= 20,
            by_part: false,
            params: &Params { min_run: 20, ..PARAMS },
        };
        reconcile(classes.iter().map(class).collect(), input)
    }

    fn classes(coverage: &CloneClasses) -> Vec<(Range<usize>, Vec<usize>)> {
        let classes = coverage.classes.iter();
        classes.map(|class| (class.query.clone(), class.numbers().collect())).collect()
    }

    #[test]
    fn a_run_of_the_minimum_that_no_class_has_becomes_one() {
        assert_eq!(classes(&covered(F, &[F], &[run(0, 0..N)], &[])), [(0..N, vec![0])]);
        assert_eq!(classes(&covered(F, &[F], &[run(0, 0..19)], &[])), []);
    }

    #[test]
    fn a_class_gets_the_origin_of_its_run() {
        let other = F.replace("g(a, 1)", "q(b, 2)");
        let pairs = [aligned(0, 0..N), run(1, 0..N)];
        let found = covered(F, &[&other, F], &pairs, &[(0..N, &[0])]);
        assert_eq!(classes(&found), [(0..N, vec![0, 1])]);
        // One that is named is not named again.
        let pairs = [aligned(0, 0..N), run(0, 0..N)];
        assert_eq!(classes(&covered(F, &[F], &pairs, &[(0..N, &[0])])), [(0..N, vec![0])]);
    }

    #[test]
    fn a_part_of_a_run_that_is_named_needs_no_other_origin() {
        let both = format!("{F}\n{G}");
        let n = c_tokens(&both).len();
        let pairs = [aligned(0, 0..n), run(0, 0..n), run(1, 0..N)];
        let found = covered(&both, &[&both, F], &pairs, &[(0..n, &[0])]);
        assert_eq!(classes(&found), [(0..n, vec![0])]);
        assert_eq!(found.runs.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [1, 1]);
    }

    #[test]
    fn of_a_function_and_its_copy_in_one_file_only_the_copy_is_covered() {
        let twice = format!("{F}\n{F}");
        let own = Pair { target: None, query: N..2 * N, start: 0, is_run: true };
        assert_eq!(classes(&covered(&twice, &[], &[own], &[])), [(N..2 * N, vec![0])]);
    }
}
