//! Aligns a query with a target around a chain, to the exact first and last token.
//!
//! Runs miss edited tokens at the ends of a copy and the short pieces between its edits. The alignment restores both:
//! it aligns everything between the runs of the chain, and extends beyond its ends for as long as that pays.
//!
//! ```text
//! query    x = a + 1 ;    x→y and a→b are the renames of the chain: 8 + 4 + 8 + 4 + 12 + 4 = 40
//! target   y = b + 1 ;    without renames each name only agrees by class: -2 + 4 - 2 + 4 + 12 + 4 = 20
//! ```

use std::collections::HashMap;
use std::ops::Range;

use super::alignment::{Alignment, Block};
use crate::language::{Kind, Token};

// The scores. Unrelated code scores below zero on average, even with gaps, so an extension ends soon after the copy
// does. A renamed copy scores above zero.

/// A name or literal that both sides spell the same: rarely a coincidence.
const SAME_WORD: i32 = 12;
/// A name that the rest of the alignment renames in the same way.
const RENAMED_WORD: i32 = 8;
/// A keyword.
const KEYWORD: i32 = 6;
/// A punctuation byte: often a coincidence.
const PUNCTUATION: i32 = 4;
/// A name or literal that agrees only by class.
const SAME_CLASS: i32 = -2;
/// Two tokens with different symbols, aligned with each other.
const MISMATCH: i32 = -10;
/// Opening a gap on one side, and each token in it.
const GAP: i32 = -12;
const GAP_TOKEN: i32 = -1;
/// How far an extension may fall below its best score before it ends: seven mismatches in a row, or one gap up to the
/// edge of the band. Higher bridges more edits, and wanders further beyond the end of a copy.
const X_DROP: i32 = 72;
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
/// Time O(n + gaps² + 80 · extension). An extension also ends when the budget of rows is used up.
pub fn align(query: &[Token], target: &[Token], chain: &[Block], budget: &mut Budget) -> Alignment {
    let anchors = disjoint(chain, query, target);
    let renames = renames(query, target, &anchors);
    let scorer = Scorer { query, target, renames };
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

/// A row of the band, with a column on either side that is never reached.
struct Row {
    scores: [i32; WIDTH + 2],
    /// The best scores of paths that end with an unmatched query token.
    in_query_gap: [i32; WIDTH + 2],
    /// The columns worth continuing from. Nothing is written outside them and the two columns next to them.
    live: Range<usize>,
}

impl Row {
    const EMPTY: Self = Self { scores: [NEVER; WIDTH + 2], in_query_gap: [NEVER; WIDTH + 2], live: 0..0 };

    /// Makes this a row that nothing reaches.
    fn clear(&mut self) {
        let written = self.live.start..self.live.end + 2;
        self.scores[written.clone()].fill(NEVER);
        self.in_query_gap[written].fill(NEVER);
        self.live = 0..0;
    }
}

/// The best cell so far, as row and column; `None` for the corner.
struct Best {
    score: i32,
    cell: Option<(usize, usize)>,
}

/// The matched cells on the way back from `cell`, in ascending order; a diagonal step counts if `is_match` is true for
/// its query and target position.
fn trace_back(
    steps: &[[Step; WIDTH]],
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

const NEVER: i32 = i32::MIN / 4;

impl<'t> Scorer<'t> {
    /// The name that a name of the query is renamed to.
    fn renamed(&self, token: &Token) -> Option<u32> {
        let is_name = token.kind() == Kind::Identifier && !self.renames.is_empty();
        if is_name { self.renames.get(&token.exact).copied() } else { None }
    }

    #[inline]
    fn score(&self, a: &Token, b: &Token, renamed: Option<u32>) -> i32 {
        if a.symbol != b.symbol {
            return MISMATCH;
        }
        match a.kind() {
            Kind::Punctuation => PUNCTUATION,
            Kind::Keyword => KEYWORD,
            _ if a.exact == b.exact => SAME_WORD,
            Kind::Identifier if renamed == Some(b.exact) => RENAMED_WORD,
            _ => SAME_CLASS,
        }
    }

    /// Extends one round beyond the end `from`; empty if nothing is gained.
    fn extend_right(&self, from: (usize, usize), budget: &mut Budget) -> Vec<Block> {
        let path = self.extend(|i| self.query.get(from.0 + i), |j| self.target.get(from.1 + j), budget);
        blocks(&path, |i, j| (from.0 + i, from.1 + j))
    }

    /// Extends one round before the start `from`; the blocks descend.
    fn extend_left(&self, from: (usize, usize), budget: &mut Budget) -> Vec<Block> {
        let before = |tokens: &'t [Token], from: usize| move |n: usize| tokens.get(from.checked_sub(n + 1)?);
        let path = self.extend(before(self.query, from.0), before(self.target, from.1), budget);
        let mut blocks = blocks(&path, |i, j| (i, j));
        for block in &mut blocks {
            block.query = from.0 as u32 - block.query - block.len;
            block.target = from.1 as u32 - block.target - block.len;
        }
        blocks
    }

    /// The matched cells, in order, of the best-scoring path from the corner.
    ///
    /// Row i stands for i tokens of the query. In each row, only the columns are examined that the previous row left
    /// within [`X_DROP`] of the best score.
    fn extend(
        &self,
        query: impl Fn(usize) -> Option<&'t Token>,
        target: impl Fn(usize) -> Option<&'t Token>,
        budget: &mut Budget,
    ) -> Vec<(usize, usize)> {
        // Row 0: no query token is consumed yet, so every column but the corner is a gap in the target. Columns left of
        // the corner would be negative target positions.
        let (mut row, mut next) = (Row::EMPTY, Row::EMPTY);
        row.live = BAND..WIDTH;
        for n_skipped in 0..WIDTH - BAND {
            row.scores[1 + BAND + n_skipped] = if n_skipped == 0 { 0 } else { GAP + GAP_TOKEN * n_skipped as i32 };
        }
        let mut steps: Vec<[Step; WIDTH]> = Vec::new();
        let mut best = Best { score: 0, cell: None };
        for i in 0..ROUND {
            let Some(token) = query(i).filter(|_| budget.take_row()) else { break };
            let next_steps = self.next_row(&row, &mut next, i, token, &target, &mut best);
            if next.live.is_empty() {
                break;
            }
            steps.push(next_steps);
            std::mem::swap(&mut row, &mut next);
            next.clear();
        }
        trace_back(&steps, best.cell, |i, j| match (query(i), target(j)) {
            (Some(a), Some(b)) => a.symbol == b.symbol,
            _ => false,
        })
    }

    /// Fills `next`, an empty row, from `row`: the cells of query token `i`.
    #[inline]
    fn next_row(
        &self,
        row: &Row,
        next: &mut Row,
        i: usize,
        token: &Token,
        target: &impl Fn(usize) -> Option<&'t Token>,
        best: &mut Best,
    ) -> [Step; WIDTH] {
        let renamed = self.renamed(token);
        let mut steps = [Step::Diagonal; WIDTH];
        let mut in_target_gap = NEVER;
        // A query gap can move a path one column to the left of the live ones, but not to a negative target position.
        let first = row.live.start.saturating_sub(1).max(BAND.saturating_sub(i + 1));
        #[expect(clippy::needless_range_loop, reason = "a column is a place in five arrays of two rows")]
        for c in first..WIDTH {
            let j = i + 1 + c - BAND;
            // Arrays have one extra column on the left, so column c is at index c + 1: the cell itself and its diagonal
            // predecessor are at c + 1, the query gap comes from c + 2 of the previous row, the target gap from c of
            // this row.
            let query_gap = (row.scores[c + 2] + GAP).max(row.in_query_gap[c + 2]) + GAP_TOKEN;
            in_target_gap = (next.scores[c] + GAP).max(in_target_gap) + GAP_TOKEN;
            let mut diagonal = NEVER;
            if j > 0 {
                let Some(other) = target(j - 1) else { break };
                diagonal = row.scores[c + 1] + self.score(token, other, renamed);
            }
            let score = diagonal.max(query_gap).max(in_target_gap);
            // Pruning. To the right of the previous row's live columns, only a target gap can still reach a cell, and
            // its score falls with every column, so the rest of the row is out of reach. Left of that, later columns
            // may still be reached from above: `continue`, not `break`.
            if score < best.score - X_DROP {
                if c >= row.live.end {
                    break;
                }
                continue;
            }
            next.scores[c + 1] = score;
            next.in_query_gap[c + 1] = query_gap;
            next.live = if next.live.is_empty() { c..c + 1 } else { next.live.start..c + 1 };
            steps[c] = match score {
                score if score == diagonal => Step::Diagonal,
                score if score == query_gap => Step::Query,
                _ => Step::Target,
            };
            // Only a match may end the alignment: a path that ends in a gap always scores less than the same path
            // without it.
            if score > best.score && steps[c] == Step::Diagonal {
                *best = Best { score, cell: Some((i, c)) };
            }
        }
        steps
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
        for (j, score) in scores[..width].iter_mut().enumerate() {
            *score = GAP_TOKEN * j as i32;
        }
        for (i, token) in a.iter().enumerate() {
            let renamed = self.renamed(token);
            scores[(i + 1) * width] = GAP_TOKEN * (i as i32 + 1);
            for (j, other) in b.iter().enumerate() {
                let diagonal = scores[i * width + j] + self.score(token, other, renamed);
                let gap = scores[i * width + j + 1].max(scores[(i + 1) * width + j]) + GAP_TOKEN;
                scores[(i + 1) * width + j + 1] = diagonal.max(gap);
            }
        }
        // Retrace the path by comparing scores. That needs no second matrix of steps, and the scores are integers, so
        // equality is exact.
        let (mut i, mut j) = (a.len(), b.len());
        let mut path = Vec::new();
        while i > 0 && j > 0 {
            let here = scores[i * width + j];
            let renamed = self.renamed(&a[i - 1]);
            if here == scores[(i - 1) * width + j - 1] + self.score(&a[i - 1], &b[j - 1], renamed) {
                if a[i - 1].symbol == b[j - 1].symbol {
                    path.push((i - 1, j - 1));
                }
                i -= 1;
                j -= 1;
            } else if here == scores[(i - 1) * width + j] + GAP_TOKEN {
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
