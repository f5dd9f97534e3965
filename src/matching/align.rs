//! Aligns a query with a target around a chain, to the exact first and last token.
//!
//! Runs miss edited tokens at the ends of a copy and the short pieces between its edits. The alignment restores both:
//! it aligns everything between the runs of the chain, and extends beyond its ends for as long as that pays.
//!
//! ```text
//! query    x = a + 1 ;    x→y and a→b are the renames of the chain: 8 + 4 + 8 + 4 + 12 + 4 = 40
//! target   y = b + 1 ;    without renames each name only agrees by class: -2 + 4 - 2 + 4 + 12 + 4 = 20
//! ```

use std::ops::Range;

use foldhash::{HashMap, HashMapExt};

use super::alignment::{Alignment, Block};
use crate::language::{Kind, Symbol, Token};

// The scores. Unrelated code scores below zero on average, even with gaps, so an extension ends soon after the copy
// does. A renamed copy scores above zero.

/// A name or literal that both sides spell the same: rarely a coincidence.
const SAME_WORD: i16 = 12;
/// A name that the rest of the alignment renames in the same way.
const RENAMED_WORD: i16 = 8;
/// A keyword.
const KEYWORD: i16 = 6;
/// A punctuation byte: often a coincidence.
const PUNCTUATION: i16 = 4;
/// A name or literal that agrees only by class.
const SAME_CLASS: i16 = -2;
/// Two tokens with different symbols, aligned with each other.
const MISMATCH: i16 = -10;
/// Opening a gap on one side, and each token in it.
const GAP: i16 = -12;
const GAP_TOKEN: i16 = -1;
/// How far an extension may fall below its best score before it ends: seven mismatches in a row, or one gap up to the
/// edge of the band. Higher bridges more edits, and wanders further beyond the end of a copy.
const X_DROP: i16 = 72;
/// Half the width of the band of diagonals that an extension examines.
const BAND: usize = 40;
/// Maximum query tokens that one round of an extension adds; a long extension takes more rounds.
const ROUND: usize = 256;
/// Maximum cells of a gap between two runs that is aligned inside.
const GAP_CELLS: usize = 160 * 160;

/// Maximum rows that all extensions of one pair of documents examine together.
///
/// Code that is similar everywhere has countless chains, and each could be extended over the whole text. The best
/// chains are extended first. A chain without an extension still has all its runs; it only misses what is around them.
#[derive(Debug)]
pub struct Budget {
    n_rows_left: usize,
}

impl Budget {
    /// Rows for each token of both documents. Ordinary files need less than one.
    const ROWS_PER_TOKEN: usize = 8;
    /// Minimum rows, for short documents.
    const MIN_ROWS: usize = 64 * ROUND;

    /// The budget for a query and a target.
    pub fn of(query: &[Token], target: &[Token]) -> Self {
        Self { n_rows_left: Self::ROWS_PER_TOKEN * (query.len() + target.len()) + Self::MIN_ROWS }
    }

    /// Whether all rows are used up.
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
/// Global alignment between runs, X-drop alignment in a band beyond the ends
/// (Zhang, Schwartz, Wagner, Miller 2000; affine gaps after Gotoh 1982).
/// Time O(n + gaps² + 81 · extension), eight columns of the band at a time. An extension also ends when the budget of
/// rows is used up. With `is_same`, query and target are one document: an extension stays on its side of the diagonal
/// on which every token is itself, which would lead it through the whole text.
pub fn align(query: &[Token], target: &[Token], chain: &[Block], is_same: bool, budget: &mut Budget) -> Alignment {
    let anchors = disjoint(chain, query, target);
    let renames = renames(query, target, &anchors);
    let scorer = Scorer { query, target, renames, is_same };
    let Some(first) = anchors.first().copied() else { return Alignment::default() };

    // Extend to the left in rounds. Each round starts at the outermost block of the previous one with a best score of 0
    // again, so a long copy is followed to its start while the matrix of a round stays small.
    let mut head = Vec::new();
    let mut at = (first.query as usize, first.target as usize);
    loop {
        let blocks = scorer.extend_left(at, budget);
        let Some(block) = blocks.last() else { break };
        at = (block.query as usize, block.target as usize);
        head.extend(blocks);
    }

    // The blocks of `head` descend, but an alignment is built in ascending order.
    let mut alignment = Alignment::default();
    for block in head.iter().rev() {
        alignment.push(block.query as usize, block.target as usize, block.len as usize);
    }
    for (anchor, next) in anchors.iter().zip(anchors.iter().skip(1).map(Some).chain([None])) {
        alignment.push(anchor.query as usize, anchor.target as usize, anchor.len as usize);
        if let Some(next) = next {
            scorer.fill(anchor, next, &mut alignment);
        }
    }
    loop {
        let (query_end, target_end) = (alignment.query().end, alignment.target().end);
        let blocks = scorer.extend_right((query_end, target_end), budget);
        if blocks.is_empty() {
            break;
        }
        for block in blocks {
            alignment.push(block.query as usize, block.target as usize, block.len as usize);
        }
    }
    alignment
}

/// The runs of a chain, cut so that no two overlap: where two overlap, they are cut at the point that leaves most
/// tokens spelled the same.
fn disjoint(chain: &[Block], query: &[Token], target: &[Token]) -> Vec<Block> {
    let is_exact =
        |block: &Block, at: u32| query[(block.query + at) as usize].exact == target[(block.target + at) as usize].exact;
    let mut anchors: Vec<Block> = Vec::new();
    for &next in chain {
        let mut next = next;
        if let Some(last) = anchors.last_mut() {
            let overlap = |end: u32, start: u32| end.saturating_sub(start);
            let n = overlap(last.query + last.len, next.query).max(overlap(last.target + last.len, next.target));
            if n >= next.len {
                continue;
            }
            // The earlier run may already have been cut, and be shorter than the overlap.
            let n_behind = n.saturating_sub(last.len);
            next = Block { query: next.query + n_behind, target: next.target + n_behind, len: next.len - n_behind };
            // The first `n_left` of the remaining `n` tokens stay with the earlier run, the others with the later one.
            let n = n - n_behind;
            let mut n_exact: i64 = (0..n).map(|at| i64::from(is_exact(&next, at))).sum();
            let mut best = (n_exact, 0);
            for n_left in 1..=n {
                n_exact += i64::from(is_exact(last, last.len - n + n_left - 1));
                n_exact -= i64::from(is_exact(&next, n_left - 1));
                if n_exact >= best.0 {
                    best = (n_exact, n_left);
                }
            }
            let n_left = best.1;
            last.len -= n - n_left;
            next = Block { query: next.query + n_left, target: next.target + n_left, len: next.len - n_left };
            if last.len == 0 {
                anchors.pop();
            }
        }
        anchors.push(next);
    }
    anchors
}

/// For each name of the query, the name that most often replaces it: Baker's p-match, by majority.
fn renames(query: &[Token], target: &[Token], anchors: &[Block]) -> HashMap<u32, u32> {
    let mut counts: HashMap<(u32, u32), u32> = HashMap::new();
    for block in anchors {
        for offset in 0..block.len {
            let (a, b) = (&query[(block.query + offset) as usize], &target[(block.target + offset) as usize]);
            if a.kind() == Kind::Identifier && a.exact != b.exact {
                *counts.entry((a.exact, b.exact)).or_default() += 1;
            }
        }
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_unstable_by_key(|&(names, n)| (n, names));
    counts.into_iter().map(|(names, _)| names).collect()
}

/// The columns of a band: column c of row i is the cell of i query tokens and i + c - [`BAND`] target tokens.
///
/// ```text
///            column   c-1    c    c+1       One row down, the same column is one target token further:
/// row i                    diag  query      a diagonal step stays in its column, a query token without a
/// row i + 1        target  cell             target token comes from the column to the right
/// ```
const WIDTH: usize = 2 * BAND + 1;

/// The columns that are computed at once: a vector of the least machine holds eight scores.
const STRIDE: usize = 8;
/// The columns of a row, with as many behind them that are never reached as fill the last vector.
const LANES: usize = WIDTH.next_multiple_of(STRIDE);
/// A value for each column. Loops over these have a fixed length and no branches, so that each becomes a dozen vector
/// instructions: 16 bits, and a maximum instead of a branch, are what all machines have instructions for.
type Lanes = [i16; LANES];

/// A row of the band, with a column on the right that is never reached.
struct Row {
    scores: [i16; LANES + 1],
    /// The best scores of paths that end with an unmatched query token.
    in_query_gap: [i16; LANES + 1],
}

impl Row {
    const EMPTY: Self = Self { scores: [NEVER; LANES + 1], in_query_gap: [NEVER; LANES + 1] };
}

/// The symbols and exact readings of the target tokens that the rows of a round examine: column c of row i matches the
/// token at i + c.
struct Window {
    symbols: [Symbol; ROUND + LANES],
    exact: [u32; ROUND + LANES],
    /// Where the next token belongs. There are none before [`BAND`].
    end: usize,
}

impl Window {
    const EMPTY: Self = Self { symbols: [Symbol::IDENTIFIER; _], exact: [0; _], end: BAND };

    fn push(&mut self, token: &Token) {
        self.symbols[self.end] = token.symbol;
        self.exact[self.end] = token.exact;
        self.end += 1;
    }
}

/// For each column, the greatest value up to it.
fn prefix_max(values: &Lanes) -> Lanes {
    let mut greatest = *values;
    // Of two columns each, then of four, then of eight: a vector. From there each vector continues the one before it.
    for n_columns in [1, 2, 4] {
        let before = greatest;
        for (greatest, &before) in greatest[n_columns..].iter_mut().zip(&before) {
            *greatest = before.max(*greatest);
        }
    }
    for c in STRIDE..LANES {
        greatest[c] = greatest[c].max(greatest[c - STRIDE]);
    }
    greatest
}

/// The best cell so far, as row and column; `None` for the corner.
struct Best {
    score: i16,
    cell: Option<(usize, usize)>,
}

/// The matched cells on the way back from `cell`, in ascending order; a diagonal step counts if `is_match` is true for
/// its query and target position.
fn trace_back(
    steps: &[[Step; LANES]],
    cell: Option<(usize, usize)>,
    is_match: impl Fn(usize, usize) -> bool,
) -> Vec<(usize, usize)> {
    let mut path = Vec::new();
    let mut at = cell;
    // Each cell stores its best step, but not whether that step opened a gap or continued one. Inside a gap, the path
    // can therefore differ from the best-scoring one. It is always a legal path, and all its matches are real.
    while let Some((i, c)) = at {
        let Some(j) = (i + 1 + c).checked_sub(BAND).filter(|&j| j > 0) else { break };
        at = match steps[i][c] {
            Step::Diagonal => {
                if is_match(i, j - 1) {
                    path.push((i, j - 1));
                }
                i.checked_sub(1).map(|i| (i, c))
            }
            Step::Query => i.checked_sub(1).map(|i| (i, c + 1)).filter(|&(_, c)| c < WIDTH),
            Step::Target => c.checked_sub(1).map(|c| (i, c)),
        };
    }
    path.reverse();
    path
}

struct Scorer<'t> {
    query: &'t [Token],
    target: &'t [Token],
    renames: HashMap<u32, u32>,
    /// Whether query and target are one document.
    is_same: bool,
}

/// What a token of the query scores against any token of the target.
struct Scores {
    symbol: Symbol,
    exact: u32,
    /// The name that it is renamed to, or its own.
    renamed_to: u32,
    /// The scores of a token with the same symbol: one that is spelled the same, one that it is renamed to, any other.
    same: i16,
    renamed: i16,
    class: i16,
}

impl Scores {
    /// The score against a token of the target, without a branch.
    #[inline]
    fn against(&self, symbol: Symbol, exact: u32) -> i16 {
        let other = if exact == self.renamed_to { self.renamed } else { self.class };
        let word = if exact == self.exact { self.same } else { other };
        if symbol == self.symbol { word } else { MISMATCH }
    }
}

/// The best way to reach a cell of the matrix.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Diagonal,
    /// An unmatched query token.
    Query,
    /// An unmatched target token.
    Target,
}

/// A score that no path has: all those of a round are within a few thousand of 0, and 16 bits are enough for them.
const NEVER: i16 = i16::MIN / 2;

impl<'t> Scorer<'t> {
    /// The name that a name of the query is renamed to.
    fn renamed(&self, token: &Token) -> Option<u32> {
        let is_name = token.kind() == Kind::Identifier && !self.renames.is_empty();
        if is_name { self.renames.get(&token.exact).copied() } else { None }
    }

    /// What a token of the query scores.
    #[inline]
    fn scores(&self, token: &Token) -> Scores {
        let (same, renamed, class) = match token.kind() {
            Kind::Punctuation => (PUNCTUATION, PUNCTUATION, PUNCTUATION),
            Kind::Keyword => (KEYWORD, KEYWORD, KEYWORD),
            _ => (SAME_WORD, RENAMED_WORD, SAME_CLASS),
        };
        let renamed_to = self.renamed(token).unwrap_or(token.exact);
        Scores { symbol: token.symbol, exact: token.exact, renamed_to, same, renamed, class }
    }

    /// Extends one round beyond the end `from`; empty if nothing is gained.
    fn extend_right(&self, from: (usize, usize), budget: &mut Budget) -> Vec<Block> {
        let columns = self.columns(from.0 as i64 - from.1 as i64);
        let path = self.extend(|i| self.query.get(from.0 + i), |j| self.target.get(from.1 + j), columns, budget);
        blocks(&path, |i, j| (from.0 + i, from.1 + j))
    }

    /// Extends one round before the start `from`; the blocks descend.
    fn extend_left(&self, from: (usize, usize), budget: &mut Budget) -> Vec<Block> {
        let before = |tokens: &'t [Token], from: usize| move |n: usize| tokens.get(from.checked_sub(n + 1)?);
        let columns = self.columns(from.1 as i64 - from.0 as i64);
        let path = self.extend(before(self.query, from.0), before(self.target, from.1), columns, budget);
        let mut blocks = blocks(&path, |i, j| (i, j));
        for block in &mut blocks {
            block.query = from.0 as u32 - block.query - block.len;
            block.target = from.1 as u32 - block.target - block.len;
        }
        blocks
    }

    /// The columns that an extension examines, if a token is itself `n_behind` columns behind that of the corner: all,
    /// or those on the corner's side of that one.
    fn columns(&self, n_behind: i64) -> Range<usize> {
        match usize::try_from(BAND as i64 + n_behind) {
            Ok(column) if self.is_same && column > BAND => 0..column.min(WIDTH),
            Ok(column) if self.is_same && column < BAND => column + 1..WIDTH,
            _ => 0..WIDTH,
        }
    }

    /// The matched cells, in order, of the best-scoring path from the corner through some `columns`.
    ///
    /// Row i stands for i tokens of the query. A row continues only from the cells of the previous row that are within
    /// [`X_DROP`] of the best score.
    fn extend(
        &self,
        query: impl Fn(usize) -> Option<&'t Token>,
        target: impl Fn(usize) -> Option<&'t Token>,
        columns: Range<usize>,
        budget: &mut Budget,
    ) -> Vec<(usize, usize)> {
        // Row 0: no query token is consumed yet, so every column but the corner is a gap in the target. Columns left of
        // the corner would be negative target positions: nothing ever reaches those.
        let mut row = Row::EMPTY;
        row.scores[BAND] = 0;
        for n_skipped in 1..columns.end - BAND {
            row.scores[BAND + n_skipped] = GAP + GAP_TOKEN * n_skipped as i16;
        }
        let mut window = Window::EMPTY;
        (0..BAND).map_while(&target).for_each(|token| window.push(token));
        let mut steps: Vec<[Step; LANES]> = Vec::new();
        let mut best = Best { score: 0, cell: None };
        for i in 0..ROUND {
            let Some(token) = query(i).filter(|_| budget.take_row()) else { break };
            target(i + BAND).into_iter().for_each(|token| window.push(token));
            let Some(next_steps) = self.next_row(&mut row, i, token, &window, &columns, &mut best) else { break };
            steps.push(next_steps);
        }
        trace_back(&steps, best.cell, |i, j| match (query(i), target(j)) {
            (Some(a), Some(b)) => a.symbol == b.symbol,
            _ => false,
        })
    }

    /// Moves `row` on to the next one, the cells of query token `i`, and gives the steps to it; `None` if no cell is
    /// worth continuing from.
    fn next_row(
        &self,
        row: &mut Row,
        i: usize,
        token: &Token,
        window: &Window,
        columns: &Range<usize>,
        best: &mut Best,
    ) -> Option<[Step; LANES]> {
        // Nothing is beyond the end of the target.
        let n_columns = window.end.saturating_sub(i).min(columns.end);

        let scores_of = self.scores(token);
        let mut diagonal = [NEVER; LANES];
        let others = window.symbols[i..].iter().zip(&window.exact[i..]);
        for ((diagonal, &score), (&symbol, &exact)) in diagonal.iter_mut().zip(&row.scores).zip(others) {
            *diagonal = score + scores_of.against(symbol, exact);
        }
        diagonal[n_columns..].fill(NEVER);
        diagonal[..columns.start].fill(NEVER);
        let mut query_gap = [NEVER; LANES];
        #[expect(clippy::needless_range_loop, reason = "a column is a place in three arrays")]
        for c in 0..LANES {
            query_gap[c] = (row.scores[c + 1] + GAP).max(row.in_query_gap[c + 1]) + GAP_TOKEN;
        }
        query_gap[..columns.start].fill(NEVER);

        // A target gap into column c opens in a column c' before it, and costs GAP + GAP_TOKEN · (c - c'). With what a
        // gap from column 0 costs added to all scores, each only needs the greatest before it; one from the cell itself
        // is never the best. No gap opens in a target gap: continuing that is cheaper.
        let mut opened = [NEVER; LANES];
        for c in 0..LANES {
            opened[c] = diagonal[c].max(query_gap[c]) - GAP_TOKEN * c as i16;
        }
        let opened = prefix_max(&opened);
        let mut scores = [NEVER; LANES];
        for c in 0..LANES {
            let target_gap = opened[c] + GAP + GAP_TOKEN * c as i16;
            scores[c] = diagonal[c].max(query_gap[c]).max(target_gap);
        }
        scores[n_columns..].fill(NEVER);

        let mut steps = [Step::Target; LANES];
        for c in 0..LANES {
            let gap = if scores[c] == query_gap[c] { Step::Query } else { Step::Target };
            steps[c] = if scores[c] == diagonal[c] { Step::Diagonal } else { gap };
        }

        // Only a match may end the alignment: a path that ends in a gap always scores less than the same path without
        // it. Each cell is compared with the best one up to it, in this row too.
        let mut best_up_to = [best.score; LANES];
        let row_best = diagonal.iter().copied().fold(NEVER, i16::max);
        if row_best > best.score {
            best_up_to = prefix_max(&diagonal).map(|score| score.max(best.score));
            let c = diagonal.iter().position(|&score| score == row_best);
            *best = Best { score: row_best, cell: c.map(|c| (i, c)) };
        }
        let mut is_any_live = false;
        for c in 0..LANES {
            let is_live = scores[c] >= best_up_to[c] - X_DROP;
            is_any_live |= is_live;
            row.scores[c] = if is_live { scores[c] } else { NEVER };
            // A gap in the query that is not worth continuing never is again.
            row.in_query_gap[c] = query_gap[c];
        }
        is_any_live.then_some(steps)
    }

    /// Aligns everything between two blocks, from corner to corner.
    fn fill(&self, before: &Block, after: &Block, alignment: &mut Alignment) {
        let from = ((before.query + before.len) as usize, (before.target + before.len) as usize);
        let a = &self.query[from.0..after.query as usize];
        let b = &self.target[from.1..after.target as usize];
        if a.is_empty() || b.is_empty() || a.len() * b.len() > GAP_CELLS {
            return;
        }
        for block in blocks(&self.global(a, b), |i, j| (from.0 + i, from.1 + j)) {
            alignment.push(block.query as usize, block.target as usize, block.len as usize);
        }
    }

    /// The matched cells of the best path through the whole matrix. Opening a gap costs nothing extra here, since both
    /// ends are known to belong together.
    fn global(&self, a: &[Token], b: &[Token]) -> Vec<(usize, usize)> {
        let width = b.len() + 1;
        let mut scores = vec![0i32; (a.len() + 1) * width];
        let gap = i32::from(GAP_TOKEN);
        for (j, score) in scores[..width].iter_mut().enumerate() {
            *score = gap * j as i32;
        }
        for (i, token) in a.iter().enumerate() {
            let scores_of = self.scores(token);
            scores[(i + 1) * width] = gap * (i as i32 + 1);
            for (j, other) in b.iter().enumerate() {
                let diagonal = scores[i * width + j] + i32::from(scores_of.against(other.symbol, other.exact));
                let gap = scores[i * width + j + 1].max(scores[(i + 1) * width + j]) + gap;
                scores[(i + 1) * width + j + 1] = diagonal.max(gap);
            }
        }
        // Retrace the path by comparing scores. That needs no second matrix of steps, and the scores are integers, so
        // equality is exact.
        let (mut i, mut j) = (a.len(), b.len());
        let mut path = Vec::new();
        while i > 0 && j > 0 {
            let here = scores[i * width + j];
            let score = self.scores(&a[i - 1]).against(b[j - 1].symbol, b[j - 1].exact);
            if here == scores[(i - 1) * width + j - 1] + i32::from(score) {
                if a[i - 1].symbol == b[j - 1].symbol {
                    path.push((i - 1, j - 1));
                }
                i -= 1;
                j -= 1;
            } else if here == scores[(i - 1) * width + j] + gap {
                i -= 1;
            } else {
                j -= 1;
            }
        }
        path.reverse();
        path
    }
}

/// Joins matched cells into blocks; `place` gives their positions.
fn blocks(path: &[(usize, usize)], place: impl Fn(usize, usize) -> (usize, usize)) -> Vec<Block> {
    path.iter().map(|&(i, j)| place(i, j)).collect::<Alignment>().blocks
}
