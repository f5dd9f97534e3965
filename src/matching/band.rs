//! Examines a band of diagonals beyond an end of a copy, row by row.
//!
//! X-drop alignment (Zhang, Schwartz, Wagner, Miller 2000) with affine gaps (Gotoh 1982). Exact
//! within the band: the columns that are left out cannot be part of the best path.
//!
//! ```text
//!            column   c-1    c    c+1       One row down, the same column is one target token further:
//! row i                    diag  query      a diagonal step stays in its column, a query token without a
//! row i + 1        target  cell             target token comes from the column to the right
//! ```

use std::ops::Range;

use wide::{i16x8, i32x8};

use super::score::{GAP, GAP_TOKEN, MISMATCH, Scores};
use crate::language::Token;

/// How far a path may fall below the best score before it ends: seven mismatches in a row, or one
/// gap up to the edge of the band. Higher bridges more edits, and wanders further beyond the end of
/// a copy.
const X_DROP: i16 = 72;
/// Half the width of the band of diagonals.
pub const BAND: usize = 40;
/// Maximum rows: the scores of so many fit in 16 bits.
pub const ROUND: usize = 256;

/// The columns of the band: column c of row i is the cell of i query tokens and i + c - [`BAND`]
/// target tokens.
pub const WIDTH: usize = 2 * BAND + 1;
/// The columns that are computed at once.
const STRIDE: usize = 8;
/// The columns of a row, with as many behind them that are never reached as fill the last stride.
const LANES: usize = WIDTH.next_multiple_of(STRIDE);

/// A value for each column of a stride.
type Lanes = i16x8;

/// The columns of a stride, from its first.
const COLUMNS: Lanes = Lanes::new([0, 1, 2, 3, 4, 5, 6, 7]);

/// A score that no path has: all those of a round are within a few thousand of 0.
const NEVER: i16 = i16::MIN / 2;

// The best way to reach a cell.

const DIAGONAL: i16 = 0;
/// By an unmatched query token.
const QUERY: i16 = 1;
/// By an unmatched target token.
const TARGET: i16 = 2;

/// One round of an extension, from a corner that both sides share. Its memory is used again by the
/// next round.
#[derive(Debug)]
pub struct Band {
    columns: Range<usize>,
    targets: Targets,
    row: Row,
    best: Best,
    /// How each cell of each row was reached.
    steps: Vec<[i16; LANES]>,
}

/// The last row, with a column on the right that is never reached.
#[derive(Debug)]
struct Row {
    scores: [i16; LANES + 1],
    /// The best scores of paths that end with an unmatched query token.
    in_query_gap: [i16; LANES + 1],
    /// The strides that have a column worth continuing from are among these columns.
    live: Range<usize>,
}

/// The symbols and exact readings of the target tokens: column c of row i matches the token at i +
/// c. Those before [`BAND`] and behind the last are of no column.
#[derive(Debug)]
struct Targets {
    symbols: [i32; ROUND + LANES],
    exact: [i32; ROUND + LANES],
    /// Where the next token belongs.
    end: usize,
}

/// The best cell so far, as row and column; `None` for the corner.
#[derive(Debug)]
struct Best {
    score: i16,
    cell: Option<(usize, usize)>,
}

impl Band {
    /// A band without columns.
    pub fn new() -> Self {
        let row = Row { scores: [NEVER; _], in_query_gap: [NEVER; _], live: 0..0 };
        let targets = Targets { symbols: [0; _], exact: [0; _], end: BAND };
        Self { columns: 0..0, targets, row, best: Best { score: 0, cell: None }, steps: Vec::new() }
    }

    /// Begins a round of some columns with the corner's row, and no token of the target.
    pub fn begin(&mut self, columns: Range<usize>) {
        // No query token is consumed yet, so every column but the corner is a gap in the target.
        // Columns left of the corner would be negative target positions: nothing ever reaches
        // those.
        self.row = Row {
            scores: [NEVER; _],
            in_query_gap: [NEVER; _],
            live: BAND / STRIDE * STRIDE..columns.end,
        };
        self.row.scores[BAND] = 0;
        for n_skipped in 1..columns.end - BAND {
            self.row.scores[BAND + n_skipped] = GAP + GAP_TOKEN * n_skipped as i16;
        }
        self.columns = columns;
        self.targets.end = BAND;
        self.best = Best { score: 0, cell: None };
        self.steps.clear();
    }

    /// Adds the next token of the target.
    pub fn push(&mut self, token: &Token) {
        self.targets.symbols[self.targets.end] = token.symbol.get().cast_signed();
        self.targets.exact[self.targets.end] = token.exact.cast_signed();
        self.targets.end += 1;
    }

    /// Computes the row of the next query token; false if no cell is worth continuing from.
    ///
    /// Cells that have fallen too far below the best score are not continued, and strides without
    /// any other are not looked at: most rows reach four strides of eleven.
    pub fn advance(&mut self, scores_of: &Scores) -> bool {
        let i = self.steps.len();
        self.steps.push([TARGET; LANES]);
        let (row, steps) = (&mut self.row, &mut self.steps[i]);
        let wanted = Wanted::new(scores_of);
        // Nothing is beyond the end of the target.
        let columns = self.columns.start..self.targets.end.saturating_sub(i).min(self.columns.end);
        let (live_before, mut live) = (row.live.clone(), LANES..LANES);
        // A gap in the target leads one column to the left.
        let is_first_live = row.scores[live_before.start] > NEVER;
        let start = if is_first_live {
            live_before.start.saturating_sub(STRIDE)
        } else {
            live_before.start
        };
        // A target gap into column c opens in a column c' before it, and costs GAP + GAP_TOKEN · (c
        // - c'). With what a gap from column 0 costs added to all scores, each only needs the
        // greatest before it; one from the cell itself is never the best. No gap opens in a target
        // gap: continuing that is cheaper.
        let mut opened_before = NEVER;
        let mut from = start;
        while from < LANES {
            let in_target_gap = opened_before + GAP + GAP_TOKEN * from as i16;
            if from >= live_before.end && in_target_gap < self.best.score - X_DROP {
                break;
            }
            let mut diagonal = lanes(&row.scores, from) + self.targets.against(&wanted, i + from);
            let opens_gap = lanes(&row.scores, from + 1) + GAP;
            let mut query_gap = opens_gap.max(lanes(&row.in_query_gap, from + 1)) + GAP_TOKEN;
            let is_cut = from < columns.start || from + STRIDE > columns.end;
            if is_cut {
                (diagonal, query_gap) =
                    (within(diagonal, from, &columns), within(query_gap, from, &columns));
            }
            let without_target_gap = diagonal.max(query_gap);
            let gap_tokens = (COLUMNS + from as i16) * GAP_TOKEN;
            let opened =
                prefix_max(without_target_gap - gap_tokens).max(Lanes::splat(opened_before));
            opened_before = opened.to_array()[STRIDE - 1];
            let mut scores = without_target_gap.max(opened + GAP + gap_tokens);
            if is_cut {
                scores = within(scores, from, &columns);
            }
            let gap =
                scores.simd_eq(query_gap).bitselect(Lanes::splat(QUERY), Lanes::splat(TARGET));
            put(scores.simd_eq(diagonal).bitselect(Lanes::splat(DIAGONAL), gap), steps, from);

            // Only a match may end the alignment: a path that ends in a gap always scores less than
            // the same path without it. Each cell is compared with the best one up to it, in this
            // row too.
            let mut best_up_to = Lanes::splat(self.best.score);
            if diagonal.simd_gt(best_up_to).any() {
                best_up_to = prefix_max(diagonal).max(best_up_to);
                let score = best_up_to.to_array()[STRIDE - 1];
                let c = diagonal.to_array().iter().position(|&other| other == score);
                self.best = Best { score, cell: c.map(|c| (i, from + c)) };
            }
            let is_dead = scores.simd_lt(best_up_to - X_DROP);
            put(is_dead.bitselect(Lanes::splat(NEVER), scores), &mut row.scores, from);
            // A gap in the query that is not worth continuing never is again.
            put(query_gap, &mut row.in_query_gap, from);
            if !is_dead.all() {
                live = live.start.min(from)..from + STRIDE;
            }
            from += STRIDE;
        }
        row.live = live;
        !row.live.is_empty()
    }

    /// Whether another round from the best cell would examine the same cells, and find no better
    /// one: no path is worth continuing, and the best one is on the diagonal of the corner, where
    /// the next band would be, too.
    pub fn is_exhausted(&self) -> bool {
        self.row.live.is_empty() && self.best.cell.is_none_or(|(_, c)| c == BAND)
    }

    /// The matched cells of the best path, in ascending order; a diagonal step counts if `is_match`
    /// is true for its query and target position.
    pub fn path(&self, is_match: impl Fn(usize, usize) -> bool) -> Vec<(usize, usize)> {
        let mut path = Vec::with_capacity(self.steps.len());
        let mut at = self.best.cell;
        // Each cell stores its best step, but not whether that step opened a gap or continued one.
        // Inside a gap, the path can therefore differ from the best-scoring one. It is always a
        // legal path, and all its matches are real.
        while let Some((i, c)) = at {
            let Some(j) = (i + 1 + c).checked_sub(BAND).filter(|&j| j > 0) else { break };
            at = match self.steps[i][c] {
                DIAGONAL => {
                    if is_match(i, j - 1) {
                        path.push((i, j - 1));
                    }
                    i.checked_sub(1).map(|i| (i, c))
                }
                QUERY => i.checked_sub(1).map(|i| (i, c + 1)).filter(|&(_, c)| c < WIDTH),
                _ => c.checked_sub(1).map(|c| (i, c)),
            };
        }
        path.reverse();
        path
    }
}

/// The scores of a query token in each column of a stride: made once a row. Made for each stride
/// they took two fifths of a row's time, waiting for their own stores.
struct Wanted {
    symbol: i32x8,
    exact: i32x8,
    renamed_to: i32x8,
    same: Lanes,
    renamed: Lanes,
    class: Lanes,
}

impl Wanted {
    fn new(of: &Scores) -> Self {
        let word = |word: u32| i32x8::splat(word.cast_signed());
        Self {
            symbol: word(of.symbol.get()),
            exact: word(of.exact),
            renamed_to: word(of.renamed_to),
            same: Lanes::splat(of.same),
            renamed: Lanes::splat(of.renamed),
            class: Lanes::splat(of.class),
        }
    }
}

impl Targets {
    /// What a query token scores against the tokens of a stride.
    fn against(&self, wanted: &Wanted, from: usize) -> Lanes {
        let exact = words(&self.exact, from);
        let is_symbol = is_equal(words(&self.symbols, from), wanted.symbol);
        let other = is_equal(exact, wanted.renamed_to).bitselect(wanted.renamed, wanted.class);
        let word = is_equal(exact, wanted.exact).bitselect(wanted.same, other);
        is_symbol.bitselect(word, Lanes::splat(MISMATCH))
    }
}

/// Which values of a stride are those of another.
fn is_equal(values: i32x8, others: i32x8) -> Lanes {
    Lanes::from_i32x8_saturate(values.simd_eq(others))
}

/// The words of the stride that begins at `from`.
fn words(row: &[i32], from: usize) -> i32x8 {
    let mut lanes = [0; STRIDE];
    lanes.copy_from_slice(&row[from..from + STRIDE]);
    i32x8::from(lanes)
}

/// The values of the stride that begins at `from`.
fn lanes(row: &[i16], from: usize) -> Lanes {
    let mut lanes = [NEVER; STRIDE];
    lanes.copy_from_slice(&row[from..from + STRIDE]);
    Lanes::from(lanes)
}

fn put(lanes: Lanes, row: &mut [i16], from: usize) {
    row[from..from + STRIDE].copy_from_slice(&lanes.to_array());
}

/// The values of the stride that begins at `from`, outside of some columns [`NEVER`].
fn within(values: Lanes, from: usize, columns: &Range<usize>) -> Lanes {
    let column = COLUMNS + from as i16;
    let is_before = column.simd_lt(Lanes::splat(columns.start as i16));
    let is_within = column.simd_lt(Lanes::splat(columns.end as i16));
    (!is_before & is_within).bitselect(values, Lanes::splat(NEVER))
}

/// For each column, the greatest of the values up to it.
fn prefix_max(values: Lanes) -> Lanes {
    // Of two columns each, then of four, then of all.
    let [a, b, c, d, e, f, g, _] = values.to_array();
    let greatest = values.max(Lanes::new([NEVER, a, b, c, d, e, f, g]));
    let [a, b, c, d, e, f, _, _] = greatest.to_array();
    let greatest = greatest.max(Lanes::new([NEVER, NEVER, a, b, c, d, e, f]));
    let [a, b, c, d, _, _, _, _] = greatest.to_array();
    greatest.max(Lanes::new([NEVER, NEVER, NEVER, NEVER, a, b, c, d]))
}
