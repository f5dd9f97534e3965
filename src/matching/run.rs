//! Grows seeds into runs: the longest stretches of equal symbols around them.
//!
//! Invariant: runs are maximal on their diagonal, none overlap on one, and each contains a seed.

use std::collections::BTreeMap;
use std::ops::Range;

use foldhash::{HashMap, HashMapExt};

use super::alignment::Block;
use super::seeding::Seed;
use crate::language::Token;
use crate::text::{common_prefix_by, common_suffix_by};

/// Maximum number of times that the tokens of both documents are traversed. Code that is similar on
/// that many diagonals is repetitive throughout, and further diagonals show nothing new.
const MAX_WALKS: usize = 32;

/// Grows `seeds`, of `k` tokens each, into runs; sorts `seeds`. Also returns how many of the seeds
/// were not looked at, those of the farthest diagonals.
///
/// With `is_same`, both documents are one, and a run that overlaps its own other side is a tandem
/// repeat: the same `period` tokens over and over. A period below `min_period` is typical of
/// tables, lists and accessors, and not a copy: the run is left out, and so is every other run
/// between two positions in the repeat. (Masking of tandem repeats, as DUST and TRF do for
/// genomes.) What is spelled the same for `min_period` tokens is no such repeat, even there: rows
/// of one shape differ in their names and literals, so rows that agree in all of these were copied.
///
/// Time O(s log s + n) for s seeds, where n is at most `MAX_WALKS` times the tokens of both
/// documents.
pub fn runs(
    query: &[Token],
    target: &[Token],
    seeds: &mut [Seed],
    k: usize,
    min_period: Option<usize>,
) -> (Vec<Block>, usize) {
    // The nearest diagonals first: they reveal tandem repeats, and what is inside one is not
    // examined again.
    seeds.sort_unstable_by_key(|seed| (seed.diagonal().abs(), seed.diagonal(), seed.query));
    let mut n_walks_left = MAX_WALKS * (query.len() + target.len());
    let mut runs: Vec<Block> = Vec::new();
    let mut tandems = Tandems::default();
    let min_len = min_period.unwrap_or(usize::MAX);
    let mut spelled = TandemRuns { query, target, min_len, ..TandemRuns::default() };
    let mut known: Option<(i64, usize)> = None;
    let mut n_left = 0;
    for (number, seed) in seeds.iter().enumerate() {
        let (a, b) = (seed.query as usize, seed.target as usize);
        let last = known.filter(|(of, _)| *of == seed.diagonal());
        let start_of_rest = last.map_or(0, |(_, end)| end);
        // A seed inside the last run on the same diagonal adds nothing.
        if a < start_of_rest {
            continue;
        }
        if tandems.holds_both(a, b) {
            n_walks_left = n_walks_left.saturating_sub(spelled.grow(a, b, k));
            continue;
        }
        let n_after = common_prefix_by(&query[a..], &target[b..], |a, b| a.symbol == b.symbol);
        // Another k-gram with the same hash.
        if n_after < k {
            continue;
        }
        let before = (&query[start_of_rest..a], &target[..b]);
        let n_before = common_suffix_by(before.0, before.1, |a, b| a.symbol == b.symbol);
        let len = n_before + n_after;
        known = Some((seed.diagonal(), a + n_after));
        let (period, a, b) = (a.abs_diff(b), a - n_before, b - n_before);
        if min_period.is_some_and(|min_period| len > period && period < min_period) {
            tandems.add(a.min(b)..a.max(b) + len);
        } else {
            runs.push(Block { query: a as u32, target: b as u32, len: len as u32 });
        }
        match n_walks_left.checked_sub(len) {
            Some(left) => n_walks_left = left,
            None => {
                n_left = seeds.len() - number - 1;
                break;
            }
        }
    }
    // What was a run before its tandem was known.
    spelled.ends.clear();
    runs.retain(|run| {
        let is_in_tandem = tandems.holds(run);
        for at in (0..run.len as usize).step_by(k).take_while(|_| is_in_tandem) {
            spelled.grow(run.query as usize + at, run.target as usize + at, 1);
        }
        !is_in_tandem
    });
    spelled.runs.sort_unstable();
    spelled.runs.dedup();
    runs.extend(spelled.runs);
    (runs, n_left)
}

/// The maximal parts of `runs` with `least` tokens or more whose names agree. They may
/// overlap: if a name clashes with an earlier one, the next part begins after that.
///
/// Time and memory O(n) for n tokens in `runs`.
pub fn agreeing(runs: &[Block], query: &[Token], target: &[Token], least: usize) -> Vec<Block> {
    let mut found = Vec::new();
    for run in runs.iter().filter(|run| run.len as usize >= least) {
        // For each name where it was met last, and what was opposite.
        let mut of_query: HashMap<u32, (u32, u32)> = HashMap::new();
        let mut of_target: HashMap<u32, (u32, u32)> = HashMap::new();
        let mut start = 0;
        for at in 0..run.len {
            let (a, b) = (&query[(run.query + at) as usize], &target[(run.target + at) as usize]);
            if !a.is_name() {
                continue;
            }
            let last_of_query = of_query.insert(a.exact, (at, b.exact));
            let last_of_target = of_target.insert(b.exact, (at, a.exact));
            let clash = (last_of_query.filter(|(_, opposite)| *opposite != b.exact))
                .max(last_of_target.filter(|(_, opposite)| *opposite != a.exact));
            if let Some((place, _)) = clash.filter(|(place, _)| *place >= start) {
                found.push(run.part(start, at - start));
                start = place + 1;
            }
        }
        found.push(run.part(start, run.len - start));
    }
    found.retain(|part| part.len as usize >= least);
    found
}

/// The runs within tandem repeats that are spelled the same.
#[derive(Default)]
struct TandemRuns<'t> {
    query: &'t [Token],
    target: &'t [Token],
    min_len: usize,
    runs: Vec<Block>,
    /// Where the spelling repeats itself too: copied or not, it says the same again and again.
    tandems: Tandems,
    /// By diagonal, the end of the last run in the query.
    ends: HashMap<i64, usize>,
}

impl TandemRuns<'_> {
    /// Grows two positions into a run if `k` tokens there are spelled the same; returns how many
    /// tokens were compared.
    ///
    /// On each diagonal, positions have to ascend.
    fn grow(&mut self, a: usize, b: usize, k: usize) -> usize {
        let Self { query, target, .. } = *self;
        let end = self.ends.entry(b as i64 - a as i64).or_default();
        if a < *end || self.tandems.holds_both(a, b) {
            return 0;
        }
        let n_after = common_prefix_by(&query[a..], &target[b..], |a, b| a.exact == b.exact);
        if n_after < k {
            return n_after;
        }
        let n_before = common_suffix_by(&query[*end..a], &target[..b], |a, b| a.exact == b.exact);
        *end = a + n_after;
        let (len, period) = (n_before + n_after, a.abs_diff(b));
        let (a, b) = (a - n_before, b - n_before);
        if len > period {
            self.tandems.add(a.min(b)..a.max(b) + len);
        } else if len >= self.min_len {
            self.runs.push(Block { query: a as u32, target: b as u32, len: len as u32 });
        }
        len
    }
}

/// The tandem repeats of a document; overlapping ones are joined.
#[derive(Default)]
struct Tandems(BTreeMap<usize, usize>);

impl Tandems {
    fn add(&mut self, mut range: Range<usize>) {
        // Ranges that only touch are separate repeats: tandems of two shapes can be next to each
        // other.
        while let Some((&start, &end)) =
            self.0.range(..range.end).next_back().filter(|(_, end)| **end > range.start)
        {
            self.0.remove(&start);
            range = range.start.min(start)..range.end.max(end);
        }
        self.0.insert(range.start, range.end);
    }

    fn at(&self, position: usize) -> Option<usize> {
        let (&start, &end) = self.0.range(..=position).next_back()?;
        (position < end).then_some(start)
    }

    fn holds(&self, run: &Block) -> bool {
        let (query, target) = (run.in_query(), run.target as usize);
        self.holds_both(query.start, target) && self.holds_both(query.start, query.end - 1)
    }

    fn holds_both(&self, a: usize, b: usize) -> bool {
        !self.0.is_empty() && self.at(a).is_some_and(|of_a| self.at(b) == Some(of_a))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::c_tokens;
    use super::*;

    #[track_caller]
    fn check(
        [query, target]: [&str; 2],
        seeds: &[(u32, u32)],
        min_period: Option<usize>,
        expected: &[(u32, u32, u32)],
    ) {
        let seeds = seeds.iter().map(|&(query, target)| Seed { query, target });
        let mut seeds: Vec<Seed> = seeds.collect();
        let (found, _) = runs(&c_tokens(query), &c_tokens(target), &mut seeds, 3, min_period);
        let found: Vec<_> = found.iter().map(|run| (run.query, run.target, run.len)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn seeds_of_one_stretch_are_one_run_that_ends_where_the_symbols_differ() {
        check(["x; a = b + c; y", "a = b + c; 1"], &[(4, 2), (3, 1)], None, &[(2, 0, 6)]);
        let parted = ["a = b; if (c)", "a = b, if (c)"];
        check(parted, &[(0, 0), (4, 4)], None, &[(0, 0, 3), (4, 4, 4)]);
        // A seed that is no equal k-gram is none.
        check(["a = 1", "a = b"], &[(0, 0)], None, &[]);
    }

    #[test]
    fn what_is_not_looked_at_is_counted() {
        let rows = c_tokens(&"f(x); ".repeat(100));
        let n_left = |n: u32| {
            let mut all: Vec<Seed> =
                (0..n * n).map(|at| Seed { query: 5 * (at / n), target: 5 * (at % n) }).collect();
            runs(&rows, &rows, &mut all, 3, None).1
        };
        assert_eq!(n_left(5), 0);
        assert!(n_left(98) > 1_000, "{}", n_left(98));
    }

    #[test]
    fn a_short_repeat_in_a_row_is_no_run_of_its_document_with_itself() {
        let rows = ["f(x); f(x); f(x);"; 2];
        check(rows, &[(5, 0)], Some(6), &[]);
        check(rows, &[(5, 0)], Some(5), &[(5, 0, 10)]);
        // Its sides do not overlap, unless they are known to be within a repeat.
        check(rows, &[(10, 0)], Some(40), &[(10, 0, 5)]);
        check(rows, &[(10, 0), (5, 0)], Some(40), &[]);
    }

    #[test]
    fn rows_of_one_shape_that_are_spelled_the_same_are_a_run() {
        let rows = ["f(a); f(b); f(c); f(d); f(a); f(b); f(c); f(e);"; 2];
        let seeds = [(5, 0), (20, 0), (30, 0)];
        check(rows, &seeds, Some(15), &[(20, 0, 17)]);
        check(rows, &seeds, Some(18), &[]);
    }

    fn parts(query: &str, target: &str) -> Vec<(u32, u32)> {
        let (query, target) = (c_tokens(query), c_tokens(target));
        let run = Block { query: 0, target: 0, len: query.len() as u32 };
        let parts = agreeing(&[run], &query, &target, 4).into_iter();
        parts.map(|part| (part.query, part.len)).collect()
    }

    #[test]
    fn a_name_that_clashes_ends_a_run_and_the_next_begins_behind_its_rival() {
        assert_eq!(parts("a = b + a;", "x = y + x;"), [(0, 6)], "all are renamed one to one");
        assert_eq!(parts("a = b + c * a - 1;", "x = y + z * y - 1;"), [(0, 6), (3, 7)]);
    }
}
