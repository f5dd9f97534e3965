//! Aligns what is between two runs of a chain from corner to corner (Needleman, Wunsch 1970), row
//! by row.
//!
//! Opening a gap costs nothing extra here, since both ends are known to belong together.

use fearless_simd::i16x16;
use fearless_simd::prelude::*;

use super::alignment::Cell;
use super::lanes::{QueryScores, STRIDE, Targets};
use super::score::{GAP_TOKEN, Renames};
use crate::language::Token;

/// Maximum cells of a matrix: their scores fit in 16 bits, even if one side has a single token.
pub const MAX_CELLS: usize = 160 * 160;

/// The scores that are added at once: half of a stride.
const LANES: usize = STRIDE / 2;

/// The scores of all cells. The next matrix uses its memory again.
#[derive(Debug, Default)]
pub struct Matrix {
    targets: Targets,
    /// The row of i query tokens has the score of j target tokens at j.
    scores: Vec<i16>,
}

impl Matrix {
    /// The matched cells of the best path through the whole matrix, in ascending order. Time O(nm)
    /// for n query and m target tokens, of which [`STRIDE`] are compared at once.
    #[inline(always)]
    pub fn path<S: Simd>(
        &mut self,
        simd: S,
        query: &[Token],
        target: &[Token],
        renames: &Renames,
    ) -> Vec<Cell> {
        // Column 0 is before all strides, and behind the last of the row above.
        let width = 1 + target.len().next_multiple_of(STRIDE);
        self.targets.reserve(target.len());
        for (at, token) in target.iter().enumerate() {
            self.targets.put(at, token);
        }
        let n_scores = (query.len() + 1) * width;
        self.scores.resize(n_scores.max(self.scores.len()), 0);
        let gap_token = i16::from(GAP_TOKEN);
        for (j, score) in self.scores[..width].iter_mut().enumerate() {
            *score = gap_token * j as i16;
        }
        for (i, token) in query.iter().enumerate() {
            let wanted = QueryScores::less_by(0, simd, &renames.scores(token));
            let (above, row) = self.scores[i * width..][..2 * width].split_at_mut(width);
            row[0] = gap_token * (i as i16 + 1);
            // What a gap from column 0 costs is added to all scores, so that a gap in the target
            // that ends in a column began at the greatest before it.
            let mut greatest = row[0];
            for stride in (0..target.len()).step_by(STRIDE) {
                let (low, high) = simd.widen_i8x32(self.targets.against(simd, &wanted, stride));
                for (from, scores) in [(stride, low), (stride + LANES, high)] {
                    if from >= target.len() {
                        break;
                    }
                    let diagonal = lanes(simd, above, from) + scores;
                    let without_target_gap = diagonal.max(lanes(simd, above, from + 1) + gap_token);
                    let gap_tokens = (places(simd) + (from + 1) as i16) * gap_token;
                    let up_to = prefix_max(simd, without_target_gap - gap_tokens).max(greatest);
                    greatest = up_to[LANES - 1];
                    (up_to + gap_tokens).store_slice(&mut row[from + 1..][..LANES]);
                }
            }
        }
        self.retrace(query, target, renames, width)
    }

    /// The path that the scores came from: that needs no second matrix of steps, and the scores are
    /// integers, so equality is exact.
    fn retrace(
        &self,
        query: &[Token],
        target: &[Token],
        renames: &Renames,
        width: usize,
    ) -> Vec<Cell> {
        let (mut i, mut j) = (query.len(), target.len());
        let mut path = Vec::new();
        while i > 0 && j > 0 {
            let (own, other) = (&query[i - 1], &target[j - 1]);
            let here = self.scores[i * width + j];
            let score = i16::from(renames.scores(own).against(other.symbol, other.exact));
            if here == self.scores[(i - 1) * width + j - 1] + score {
                if own.symbol == other.symbol {
                    path.push((i - 1, j - 1));
                }
                i -= 1;
                j -= 1;
            } else if here == self.scores[(i - 1) * width + j] + i16::from(GAP_TOKEN) {
                i -= 1;
            } else {
                j -= 1;
            }
        }
        path.reverse();
        path
    }
}

/// The scores from a column on.
#[inline(always)]
fn lanes<S: Simd>(simd: S, row: &[i16], from: usize) -> i16x16<S> {
    i16x16::from_slice(simd, &row[from..from + LANES])
}

#[inline(always)]
fn places<S: Simd>(simd: S) -> i16x16<S> {
    i16x16::load_array(simd, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15])
}

/// For each lane, the greatest of the values up to it.
#[inline(always)]
fn prefix_max<S: Simd>(simd: S, values: i16x16<S>) -> i16x16<S> {
    // Of two lanes each, then of four, of eight, of all.
    let never = i16x16::splat(simd, i16::MIN / 2);
    let values = values.max(never.slide::<15>(values));
    let values = values.max(never.slide::<14>(values));
    let values = values.max(never.slide::<12>(values));
    values.max(never.slide::<8>(values))
}
