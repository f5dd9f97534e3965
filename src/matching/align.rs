//! Aligns a query with a target around a chain, to the exact first and last token.
//!
//! Runs miss edited tokens at the ends of a copy and the short pieces between its edits. The
//! alignment restores both: it aligns everything between the runs of the chain, and extends beyond
//! its ends for as long as that pays.
//!
//! ```text
//! query    x = a + 1 ;    x→y and a→b are the renames of the chain: 8 + 4 + 8 + 4 + 12 + 4 = 40
//! target   y = b + 1 ;    without renames each name only agrees by class: -2 + 4 - 2 + 4 + 12 + 4 = 20
//! ```

use std::ops::Range;

use fearless_simd::{Level, Simd, dispatch};

use super::alignment::{Alignment, Block, Cell};
use super::band::{BAND, Band, ROUND, WIDTH};
use super::corners::{MAX_CELLS, Matrix};
use super::score::Renames;
use crate::language::Token;

/// Maximum rows that all extensions of one pair of documents examine together, and the memory for
/// them.
///
/// Code that is similar everywhere has countless chains, and each could be extended over the whole
/// text. The best chains are extended first. A chain without an extension still has all its runs;
/// it only misses what is around them.
#[derive(Debug)]
pub struct Budget {
    level: Level,
    n_rows_left: usize,
    band: Band,
    matrix: Matrix,
}

impl Budget {
    /// Rows for each token of the shorter document, which ends each extension. Ordinary files need
    /// less than one.
    const ROWS_PER_TOKEN: usize = 16;
    /// Minimum rows, for short documents.
    const MIN_ROWS: usize = 64 * ROUND;

    pub fn of(query: &[Token], target: &[Token]) -> Self {
        let n_rows_left = Self::ROWS_PER_TOKEN * query.len().min(target.len()) + Self::MIN_ROWS;
        Self { level: Level::new(), n_rows_left, band: Band::new(), matrix: Matrix::default() }
    }

    pub fn is_spent(&self) -> bool {
        self.n_rows_left == 0
    }

    fn take_row(&mut self) -> bool {
        let left = self.n_rows_left.checked_sub(1);
        self.n_rows_left = left.unwrap_or(0);
        left.is_some()
    }
}

/// Aligns `query` with `target` along a `chain` of runs.
///
/// Global alignment between runs, X-drop alignment in a [band](Band) beyond the ends. Time O(n +
/// gaps² + 81 · extension). An extension also ends when the budget of rows is used up. With
/// `is_same`, query and target are one document: an extension stays on its side of the diagonal on
/// which every token is itself, which would lead it through the whole text.
pub fn align(
    query: &[Token],
    target: &[Token],
    chain: &[Block],
    is_same: bool,
    budget: &mut Budget,
) -> Alignment {
    // The instructions of all kinds of machines find the same.
    dispatch!(budget.level, simd => align_with(simd, query, target, chain, is_same, budget))
}

#[inline(always)]
fn align_with<S: Simd>(
    simd: S,
    query: &[Token],
    target: &[Token],
    chain: &[Block],
    is_same: bool,
    budget: &mut Budget,
) -> Alignment {
    let anchors = disjoint(chain, query, target);
    let renames = Renames::new(query, target, &anchors);
    let scorer = Scorer { query, target, renames, is_same };
    let Some(first) = anchors.first().copied() else { return Alignment::default() };

    // Extend to the left in rounds. Each round starts at the outermost block of the previous one
    // with a best score of 0 again, so a long copy is followed to its start while the matrix of a
    // round stays small.
    let mut head = Vec::new();
    let mut at = (first.query as usize, first.target as usize);
    loop {
        let blocks = scorer.extend_left(simd, at, budget);
        let Some(block) = blocks.last() else { break };
        at = (block.query as usize, block.target as usize);
        head.extend(blocks);
        if budget.band.is_exhausted() {
            break;
        }
    }

    // The blocks of `head` descend, but an alignment is built in ascending order.
    let mut alignment = Alignment::default();
    head.iter().rev().for_each(|block| alignment.add(block));
    alignment.add(&first);
    for pair in anchors.windows(2) {
        scorer.fill(simd, pair, budget, &mut alignment);
        alignment.add(&pair[1]);
    }
    loop {
        let (query_end, target_end) = (alignment.query().end, alignment.target().end);
        let blocks = scorer.extend_right(simd, (query_end, target_end), budget);
        if blocks.is_empty() {
            break;
        }
        blocks.iter().for_each(|block| alignment.add(block));
        if budget.band.is_exhausted() {
            break;
        }
    }
    alignment
}

/// The runs of a chain, cut so that no two overlap: where two overlap, they are cut at the point
/// that leaves most tokens spelled the same.
fn disjoint(chain: &[Block], query: &[Token], target: &[Token]) -> Vec<Block> {
    let mut anchors: Vec<Block> = Vec::new();
    for mut next in chain.iter().copied() {
        if let Some(last) = anchors.last_mut() {
            let in_query = (last.query + last.len).saturating_sub(next.query);
            let n = in_query.max((last.target + last.len).saturating_sub(next.target));
            if n >= next.len {
                continue;
            }
            // The earlier run may already have been cut, and be shorter than the overlap.
            let n_behind = n.saturating_sub(last.len);
            next = next.part(n_behind, next.len - n_behind);
            // The first `n_left` of the remaining `n` tokens stay with the earlier run, the others
            // with the later one.
            let n = n - n_behind;
            let mut n_exact = next.part(0, n).n_spelled(query, target) as i64;
            let mut best = (n_exact, 0);
            for n_left in 1..=n {
                let of_last = last.len - n + n_left - 1;
                n_exact += i64::from(last.is_spelled_at(of_last, query, target));
                n_exact -= i64::from(next.is_spelled_at(n_left - 1, query, target));
                if n_exact >= best.0 {
                    best = (n_exact, n_left);
                }
            }
            let n_left = best.1;
            last.len -= n - n_left;
            next = next.part(n_left, next.len - n_left);
            if last.len == 0 {
                anchors.pop();
            }
        }
        anchors.push(next);
    }
    anchors
}

struct Scorer<'t> {
    query: &'t [Token],
    target: &'t [Token],
    renames: Renames,
    is_same: bool,
}

impl<'t> Scorer<'t> {
    /// Extends one round beyond the end `from`; empty if nothing is gained.
    #[inline(always)]
    fn extend_right<S: Simd>(&self, simd: S, from: Cell, budget: &mut Budget) -> Vec<Block> {
        let columns = self.columns(from.0 as i64 - from.1 as i64);
        let (query, target) = (&self.query[from.0..], &self.target[from.1..]);
        let path = self.extend(simd, |n| query.get(n), |n| target.get(n), columns, budget);
        let path = path.into_iter().map(|(i, j)| (from.0 + i, from.1 + j));
        path.collect::<Alignment>().blocks
    }

    /// Extends one round before the start `from`; the blocks descend.
    #[inline(always)]
    fn extend_left<S: Simd>(&self, simd: S, from: Cell, budget: &mut Budget) -> Vec<Block> {
        let columns = self.columns(from.1 as i64 - from.0 as i64);
        let path = self.extend(
            simd,
            |n| self.query.get(from.0.checked_sub(n + 1)?),
            |n| self.target.get(from.1.checked_sub(n + 1)?),
            columns,
            budget,
        );
        let mut blocks = Alignment::from_iter(path).blocks;
        for block in &mut blocks {
            block.query = from.0 as u32 - block.query - block.len;
            block.target = from.1 as u32 - block.target - block.len;
        }
        blocks
    }

    /// The columns that an extension examines, if a token is itself `n_behind` columns behind that
    /// of the corner: all, or those on the corner's side of that one.
    fn columns(&self, n_behind: i64) -> Range<usize> {
        match usize::try_from(BAND as i64 + n_behind) {
            Ok(column) if self.is_same && column > BAND => 0..column.min(WIDTH),
            Ok(column) if self.is_same && column < BAND => column + 1..WIDTH,
            _ => 0..WIDTH,
        }
    }

    /// The matched cells, in order, of the best-scoring path from the corner through some
    /// `columns`.
    #[inline(always)]
    fn extend<S: Simd>(
        &self,
        simd: S,
        query: impl Fn(usize) -> Option<&'t Token>,
        target: impl Fn(usize) -> Option<&'t Token>,
        columns: Range<usize>,
        budget: &mut Budget,
    ) -> Vec<Cell> {
        budget.band.begin(columns);
        (0..BAND).map_while(&target).for_each(|token| budget.band.push(token));
        for i in 0..ROUND {
            let Some(token) = query(i).filter(|_| budget.take_row()) else { break };
            target(i + BAND).into_iter().for_each(|token| budget.band.push(token));
            if !budget.band.advance(simd, &self.renames.scores(token)) {
                break;
            }
        }
        budget.band.path(|i, j| match (query(i), target(j)) {
            (Some(a), Some(b)) => a.symbol == b.symbol,
            _ => false,
        })
    }

    #[inline(always)]
    fn fill<S: Simd>(
        &self,
        simd: S,
        between: &[Block],
        budget: &mut Budget,
        alignment: &mut Alignment,
    ) {
        let [before, after] = between else { return };
        let from = ((before.query + before.len) as usize, (before.target + before.len) as usize);
        let a = &self.query[from.0..after.query as usize];
        let b = &self.target[from.1..after.target as usize];
        if a.is_empty() || b.is_empty() || a.len() * b.len() > MAX_CELLS {
            return;
        }
        let path = budget.matrix.path(simd, a, b, &self.renames);
        alignment.extend(path.iter().map(|&(i, j)| (from.0 + i, from.1 + j)));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::c_tokens;
    use super::*;

    const WORDS: [&str; 12] = ["a", "b", "c", "f", "(", ")", ";", "+", "{", "}", "if", "1"];

    /// Any code, and the same with a stretch of it replaced.
    fn edited() -> impl Strategy<Value = (String, String)> {
        let words = |n| prop::collection::vec(prop::sample::select(&WORDS[..]), n);
        (words(0..120), words(0..20), any::<prop::sample::Index>(), 0usize..20).prop_map(
            |(own, put, at, n_gone)| {
                let at = at.index(own.len() + 1);
                let other = [&own[..at], &put, &own[(at + n_gone).min(own.len())..]].concat();
                (own.join(" "), other.join(" "))
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn every_kind_of_machine_finds_the_same(
            (before, other_before) in edited(),
            (between, other_between) in edited(),
            (behind, other_behind) in edited(),
        ) {
            let runs = ["if (first < second) third(fourth);", "while (fifth) sixth += seventh;"];
            let side = |parts: [&str; 3]| {
                let all = [parts[0], runs[0], parts[1], runs[1], parts[2]].map(c_tokens);
                let n = |at: usize| all[..at].iter().map(Vec::len).sum::<usize>() as u32;
                (all.concat(), [n(1), n(3)])
            };
            let (query, at) = side([&before, &between, &behind]);
            let (target, to) = side([&other_before, &other_between, &other_behind]);
            let lens = runs.map(|run| c_tokens(run).len() as u32);
            let block = |run: usize| Block { query: at[run], target: to[run], len: lens[run] };
            let chain = [block(0), block(1)];
            let at_level = |level| {
                let mut budget = Budget { level, ..Budget::of(&query, &target) };
                align(&query, &target, &chain, false, &mut budget)
            };
            prop_assert_eq!(at_level(Level::baseline()), at_level(Level::new()));
        }
    }
}
