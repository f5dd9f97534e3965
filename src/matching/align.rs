//! Aligns a query with a target around a chain, to the exact first and last token.
//!
//! Runs see neither an edited token at the ends of a copy nor the short pieces
//! between its edits. The alignment restores both: between the runs of the
//! chain everything is aligned that the gaps allow, and beyond its ends
//! it goes on for as long as it pays.

use std::collections::HashMap;
use std::ops::Range;

use super::alignment::{Alignment, Block};
use crate::language::{Kind, Token};

// The scores. Unrelated code scores below zero on average, also with gaps, so
// an extension ends soon after the copy does; a renamed copy scores above.

/// A name or literal that both sides spell the same: rarely chance.
const SAME_WORD: i32 = 12;
/// A name that the rest of the alignment renames in just this way.
const RENAMED_WORD: i32 = 8;
/// A keyword.
const KEYWORD: i32 = 6;
/// A punctuation byte: often chance.
const PUNCTUATION: i32 = 4;
/// A name or literal of which only the class agrees.
const SAME_CLASS: i32 = -2;
/// Two tokens in each other's place with different symbols.
const MISMATCH: i32 = -10;
/// Opening a gap on one side, and each token in it.
const GAP: i32 = -12;
const GAP_TOKEN: i32 = -1;
/// How far below its best an extension may fall before it ends: an edited
/// line, or about twenty inserted tokens. Higher bridges more and wanders further.
const X_DROP: i32 = 72;
/// Half the width of the band of diagonals that an extension looks at.
const BAND: usize = 40;
/// Tokens that one round of an extension may add; a long one takes more rounds.
const ROUND: usize = 256;
/// The largest gap between runs, in cells, that is aligned inside.
const GAP_CELLS: usize = 160 * 160;

/// How many rows the extensions of one pair of documents may look at in all.
///
/// Code that is alike everywhere has chains without number, and each could be extended over all of the text. The best
/// are extended first. Without an extension a chain still has all its runs, and loses only what lies around them.
#[derive(Debug)]
pub struct Budget {
    n_rows_left: usize,
}

impl Budget {
    /// Rows for each token of both documents. Ordinary files take less than one.
    const ROWS_PER_TOKEN: usize = 8;
    /// Rows of the shortest documents.
    const MIN_ROWS: usize = 64 * ROUND;

    /// The budget of a query and a target.
    pub fn of(query: &[Token], target: &[Token]) -> Self {
        Self { n_rows_left: Self::ROWS_PER_TOKEN * (query.len() + target.len()) + Self::MIN_ROWS }
    }

    fn take_row(&mut self) -> bool {
        let left = self.n_rows_left.checked_sub(1);
        self.n_rows_left = left.unwrap_or(0);
        left.is_some()
    }
}

/// Aligns `query` with `target` along a `chain` of runs.
///
/// Between runs by global, beyond the ends by X-drop alignment in a band
/// (Zhang, Schwartz, Wagner, Miller 2000; affine gaps after Gotoh 1982).
/// Time O(n + gaps² + 80 · extension); an extension ends when the budget of rows does.
pub fn align(query: &[Token], target: &[Token], chain: &[Block], budget: &mut Budget) -> Alignment {
    let anchors = disjoint(chain, query, target);
    let renames = renames(query, target, &anchors);
    let scorer = Scorer { query, target, renames };
    let Some(first) = anchors.first().copied() else { return Alignment::default() };

    let mut head = Vec::new();
    let mut at = (first.query as usize, first.target as usize);
    loop {
        let blocks = scorer.extend_left(at, budget);
        let Some(block) = blocks.last() else { break };
        at = (block.query as usize, block.target as usize);
        head.extend(blocks);
    }

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

/// The runs of a chain, cut so that no two overlap: what two of them claim is cut between them where most of it is
/// spelled the same.
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
            // The earlier run may be cut already, and be shorter than what the two share.
            let n_behind = n.saturating_sub(last.len);
            next = Block { query: next.query + n_behind, target: next.target + n_behind, len: next.len - n_behind };
            // The first `n_left` of the other `n` tokens stay with the earlier run, the others with the later.
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

/// For each name of the query, the name that stands in its place most often: Baker's p-match, by majority.
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

/// The columns of a band: column c of row i stands for target position i + c - [`BAND`].
const WIDTH: usize = 2 * BAND + 1;

/// A row of the band, with a column on either side that is never reached.
struct Row {
    scores: [i32; WIDTH + 2],
    /// The best scores of paths that end with a query token left out.
    in_query_gap: [i32; WIDTH + 2],
    /// The columns worth going on from; outside of them and the two beside them nothing is written.
    live: Range<usize>,
}

impl Row {
    const EMPTY: Self = Self { scores: [NEVER; WIDTH + 2], in_query_gap: [NEVER; WIDTH + 2], live: 0..0 };

    /// Makes it a row that nothing reaches.
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

/// The matched cells on the way back from `cell`, in ascending order; a
/// diagonal step counts when `is_match` says so of its query and target position.
fn trace_back(
    steps: &[[Step; WIDTH]],
    cell: Option<(usize, usize)>,
    is_match: impl Fn(usize, usize) -> bool,
) -> Vec<(usize, usize)> {
    let mut path = Vec::new();
    let mut at = cell;
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

/// How a cell of the matrix was best reached.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Diagonal,
    /// A query token without a target token.
    Query,
    /// A target token without a query token.
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

    /// Extends beyond the ends `from`, one round; empty when nothing is gained.
    fn extend_right(&self, from: (usize, usize), budget: &mut Budget) -> Vec<Block> {
        let path = self.extend(|i| self.query.get(from.0 + i), |j| self.target.get(from.1 + j), budget);
        blocks(&path, |i, j| (from.0 + i, from.1 + j))
    }

    /// Extends before the starts `from`, one round; the blocks descend.
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
    /// Row i stands for i tokens of the query; of each row only the columns are
    /// looked at that the row before left within [`X_DROP`] of the best score.
    fn extend(
        &self,
        query: impl Fn(usize) -> Option<&'t Token>,
        target: impl Fn(usize) -> Option<&'t Token>,
        budget: &mut Budget,
    ) -> Vec<(usize, usize)> {
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

    /// Fills `next`, which nothing reaches yet, from `row`: the cells of query token `i`.
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
        let first = row.live.start.saturating_sub(1).max(BAND.saturating_sub(i + 1));
        #[expect(clippy::needless_range_loop, reason = "a column is a place in five arrays of two rows")]
        for c in first..WIDTH {
            let j = i + 1 + c - BAND;
            // One row on, a column stands one target position further; each place is one further for the column beside the band.
            let query_gap = (row.scores[c + 2] + GAP).max(row.in_query_gap[c + 2]) + GAP_TOKEN;
            in_target_gap = (next.scores[c] + GAP).max(in_target_gap) + GAP_TOKEN;
            let mut diagonal = NEVER;
            if j > 0 {
                let Some(other) = target(j - 1) else { break };
                diagonal = row.scores[c + 1] + self.score(token, other, renamed);
            }
            let score = diagonal.max(query_gap).max(in_target_gap);
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
            if score > best.score && steps[c] == Step::Diagonal {
                *best = Best { score, cell: Some((i, c)) };
            }
        }
        steps
    }

    /// Aligns what lies between two blocks: all of it, from corner to corner.
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

    /// The matched cells of the best path through the whole matrix. Gaps cost
    /// the same in any number: both ends are known to belong together.
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

/// Joins matched cells into blocks, their places given by `place`.
fn blocks(path: &[(usize, usize)], place: impl Fn(usize, usize) -> (usize, usize)) -> Vec<Block> {
    path.iter().map(|&(i, j)| place(i, j)).collect::<Alignment>().blocks
}
