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

use fearless_simd::prelude::*;

use super::alignment::Cell;
use super::lanes::{Lanes, QueryScores, STRIDE, Targets};
use super::score::{GAP, GAP_TOKEN, Scores};
use crate::language::Token;

/// How far a path may fall below the best score before it ends: seven mismatches in a row, or one
/// gap up to the edge of the band. Higher bridges more edits, and wanders further beyond the end of
/// a copy.
const X_DROP: i8 = 72;
/// Half the width of the band of diagonals.
pub const BAND: usize = 40;
/// Maximum rows of a round: its steps fit in a cache.
pub const ROUND: usize = 256;
/// The last lane of a stride.
const LAST: usize = STRIDE - 1;
/// A score that is worth nothing, even with the next match: 8 bits hold it, with what a row takes
/// off a score at most.
const NEVER: i8 = -100;

/// The columns of the band: column c of row i is the cell of i query tokens and i + c - [`BAND`]
/// target tokens.
pub const WIDTH: usize = 2 * BAND + 1;
/// The columns of a row, with as many behind them that are never reached as fill the last stride.
const LANES: usize = WIDTH.next_multiple_of(STRIDE);

// The best way to reach a cell.

const DIAGONAL: i8 = 0;
/// By an unmatched query token.
const QUERY: i8 = 1;
/// By an unmatched target token.
const TARGET: i8 = 2;

/// One round of an extension, from a corner that both sides share. Its memory is used again by the
/// next round.
#[derive(Debug)]
pub struct Band {
    columns: Range<usize>,
    /// Column c of row i matches the token at i + c. Those before [`BAND`] are of no column.
    targets: Targets,
    target_end: usize,
    row: Row,
    n_rows: usize,
    /// The best cell so far, as row and column; `None` for the corner.
    best: Option<(usize, usize)>,
    /// How each cell of each row was reached, of the strides that were computed.
    steps: Vec<[i8; LANES]>,
}

/// The last row, with a column on the right that is never reached. Only how far a score is from the
/// best one matters, so all are less the best score up to the row before.
#[derive(Debug)]
struct Row {
    scores: [i8; LANES + 1],
    /// The best scores of paths that end with an unmatched query token.
    in_query_gap: [i8; LANES + 1],
    /// The best score.
    best: i8,
    /// The strides that have a column worth continuing from are among these columns.
    live: Range<usize>,
}

impl Band {
    /// A band without columns.
    pub fn new() -> Self {
        let mut targets = Targets::default();
        targets.reserve(ROUND + LANES);
        Self {
            columns: 0..0,
            targets,
            target_end: BAND,
            row: Row { scores: [NEVER; _], in_query_gap: [NEVER; _], best: 0, live: 0..0 },
            n_rows: 0,
            best: None,
            steps: Vec::new(),
        }
    }

    /// Begins a round of some columns with the corner's row, and no token of the target.
    pub fn begin(&mut self, columns: Range<usize>) {
        // No query token is consumed yet, so every column but the corner is a gap in the target.
        // Columns left of the corner would be negative target positions: nothing ever reaches
        // those.
        self.row = Row {
            scores: [NEVER; _],
            in_query_gap: [NEVER; _],
            best: 0,
            live: BAND / STRIDE * STRIDE..columns.end,
        };
        self.row.scores[BAND] = 0;
        for n_skipped in 1..columns.end - BAND {
            self.row.scores[BAND + n_skipped] = GAP + GAP_TOKEN * n_skipped as i8;
        }
        self.columns = columns;
        self.target_end = BAND;
        self.n_rows = 0;
        self.best = None;
    }

    /// Adds the next token of the target.
    #[inline]
    pub fn push(&mut self, token: &Token) {
        self.targets.put(self.target_end, token);
        self.target_end += 1;
    }

    /// Computes the row of the next query token; false if no cell is worth continuing from.
    ///
    /// Cells that have fallen too far below the best score are not continued, and strides without
    /// any other are not looked at.
    #[inline(always)]
    pub fn advance<S: Simd>(&mut self, simd: S, scores_of: &Scores) -> bool {
        let i = self.n_rows;
        self.n_rows += 1;
        if self.steps.len() == i {
            self.steps.push([TARGET; LANES]);
        }
        let (row, steps) = (&mut self.row, &mut self.steps[i]);
        let rise = row.best;
        row.best = 0;
        let wanted = QueryScores::less_by(rise, simd, scores_of);
        // Nothing is beyond the end of the target.
        let columns = self.columns.start..self.target_end.saturating_sub(i).min(self.columns.end);
        let (live_before, mut live) = (row.live.clone(), LANES..LANES);
        // A gap in the target leads one column to the left.
        let is_first_live = row.scores[live_before.start] > NEVER;
        let start = if is_first_live {
            live_before.start.saturating_sub(STRIDE)
        } else {
            live_before.start
        };
        // A target gap into column c opens in a column c' before it, and costs GAP + GAP_TOKEN · (c
        // - c'). With what a gap from the first column of the stride costs added to all scores, each
        // only needs the greatest before it; one from the cell itself is never the best. No gap
        // opens in a target gap: continuing that is cheaper.
        let gap_tokens = places(simd) * GAP_TOKEN;
        let never = Lanes::splat(simd, NEVER);
        let next_stride = Lanes::splat(simd, GAP_TOKEN * STRIDE as i8);
        let mut opened_before = never;
        for stride in start / STRIDE..LANES / STRIDE {
            let from = stride * STRIDE;
            if from >= live_before.end && opened_before[0] + GAP < row.best - X_DROP {
                break;
            }
            let mut diagonal =
                lanes(simd, &row.scores, from) + self.targets.against(simd, &wanted, i + from);
            let opens_gap = lanes(simd, &row.scores, from + 1) + GAP;
            let continues_gap = lanes(simd, &row.in_query_gap, from + 1);
            let mut query_gap = opens_gap.max(continues_gap) + (GAP_TOKEN - rise);
            let is_cut = from < columns.start || from + STRIDE > columns.end;
            if is_cut {
                diagonal = within(simd, diagonal, from, &columns);
                query_gap = within(simd, query_gap, from, &columns);
            }
            let without_target_gap = diagonal.max(query_gap);
            let opened = (without_target_gap - gap_tokens).max(opened_before);
            let opened = prefix_max(simd, opened);
            opened_before = opened.slide::<LAST>(never).saturating_add(next_stride);
            let mut scores = without_target_gap.max(opened + (gap_tokens + GAP));
            if is_cut {
                scores = within(simd, scores, from, &columns);
            }
            let gap = scores
                .simd_eq(query_gap)
                .select(Lanes::splat(simd, QUERY), Lanes::splat(simd, TARGET));
            put(scores.simd_eq(diagonal).select(Lanes::splat(simd, DIAGONAL), gap), steps, from);

            // Only a match may end the alignment: a path that ends in a gap always scores less than
            // the same path without it. Each cell is compared with the best one up to it, in this
            // row too.
            let mut best_up_to = Lanes::splat(simd, row.best);
            if diagonal.simd_gt(best_up_to).any_true() {
                best_up_to = prefix_max(simd, diagonal).max(best_up_to);
                row.best = best_up_to[LAST];
                let c = diagonal.simd_eq(row.best).to_bitmask().trailing_zeros() as usize;
                self.best = Some((i, from + c));
            }
            let is_dead = scores.simd_lt(best_up_to - X_DROP);
            put(is_dead.select(never, scores), &mut row.scores, from);
            // Nor is a gap in the query that leads to a dead cell worth continuing.
            put(is_dead.select(never, query_gap.max(never)), &mut row.in_query_gap, from);
            if !is_dead.all_true() {
                live = live.start.min(from)..from + STRIDE;
            }
        }
        row.live = live;
        !row.live.is_empty()
    }

    /// Whether another round from the best cell would examine the same cells, and find no better
    /// one: no path is worth continuing, and the best one is on the diagonal of the corner, where
    /// the next band would be, too.
    pub fn is_exhausted(&self) -> bool {
        self.row.live.is_empty() && self.best.is_none_or(|(_, c)| c == BAND)
    }

    /// The matched cells of the best path, in ascending order; a diagonal step counts if `is_match`
    /// is true for its query and target position.
    #[inline]
    pub fn path(&self, is_match: impl Fn(usize, usize) -> bool) -> Vec<Cell> {
        let mut path = Vec::with_capacity(self.steps.len());
        let mut at = self.best;
        // Each cell stores its best step, but not whether that step opened a gap or continued one.
        // Inside a gap, the path can therefore differ from the best one, but all its matches are
        // real.
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

/// The values of the stride that begins at `from`.
#[inline(always)]
fn lanes<S: Simd>(simd: S, row: &[i8], from: usize) -> Lanes<S> {
    Lanes::from_slice(simd, &row[from..from + STRIDE])
}

#[inline(always)]
fn put<S: Simd>(lanes: Lanes<S>, row: &mut [i8], from: usize) {
    lanes.store_slice(&mut row[from..from + STRIDE]);
}

/// The places within a stride.
#[inline(always)]
fn places<S: Simd>(simd: S) -> Lanes<S> {
    const PLACES: [i8; STRIDE] = [
        0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
        25, 26, 27, 28, 29, 30, 31,
    ];
    Lanes::load_array(simd, PLACES)
}

/// The values of the stride that begins at `from`, outside of some places [`NEVER`].
#[inline(always)]
fn within<S: Simd>(simd: S, values: Lanes<S>, from: usize, kept: &Range<usize>) -> Lanes<S> {
    let (place, never) = (places(simd) + from as i8, Lanes::splat(simd, NEVER));
    let values = place.simd_lt(kept.start as i8).select(never, values);
    place.simd_lt(kept.end as i8).select(values, never)
}

/// For each lane, the greatest of the values up to it.
#[inline(always)]
fn prefix_max<S: Simd>(simd: S, values: Lanes<S>) -> Lanes<S> {
    // Of two lanes each, then of four, of eight, of sixteen, of all.
    let never = Lanes::splat(simd, NEVER);
    let values = values.max(never.slide::<31>(values));
    let values = values.max(never.slide::<30>(values));
    let values = values.max(never.slide::<28>(values));
    let values = values.max(never.slide::<24>(values));
    values.max(never.slide::<16>(values))
}
