//! Scores of one query token against several target tokens at once, by the widest instructions that
//! the machine has.
//!
//! Whoever calls these is inlined into a call of [`dispatch!`](fearless_simd::dispatch), and so is
//! each function here: only there the wider instructions may be used.

use std::ops::Range;

use fearless_simd::prelude::*;
use fearless_simd::{i16x16, i32x8, mask16x16};

use super::score::{MISMATCH, Scores};
use crate::language::Token;

/// The target tokens that are scored at once.
pub const STRIDE: usize = 16;

/// A value for each target token of a stride.
pub type Lanes<S> = i16x16<S>;

/// A score that no path has: all others are within a few thousand of 0, or of what gaps cost.
pub const NEVER: i16 = i16::MIN / 2;

/// The scores of a query token in each lane: made once a row. Made for each stride they took two
/// fifths of a row's time, waiting for their own stores.
#[derive(Clone, Copy)]
pub struct QueryScores<S: Simd> {
    symbol: i32x8<S>,
    exact: i32x8<S>,
    renamed_to: i32x8<S>,
    same: Lanes<S>,
    renamed: Lanes<S>,
    class: Lanes<S>,
    mismatch: Lanes<S>,
}

impl<S: Simd> QueryScores<S> {
    #[inline(always)]
    pub fn new(simd: S, of: &Scores) -> Self {
        Self {
            symbol: i32x8::splat(simd, of.symbol.get().cast_signed()),
            exact: i32x8::splat(simd, of.exact.cast_signed()),
            renamed_to: i32x8::splat(simd, of.renamed_to.cast_signed()),
            same: Lanes::splat(simd, of.same),
            renamed: Lanes::splat(simd, of.renamed),
            class: Lanes::splat(simd, of.class),
            mismatch: Lanes::splat(simd, MISMATCH),
        }
    }
}

/// The symbols and exact readings of target tokens, in strides. No query token has the symbol of a
/// place without a token.
#[derive(Debug, Default)]
pub struct Targets {
    symbols: Vec<i32>,
    exact: Vec<i32>,
}

impl Targets {
    /// Makes room for `n` tokens, and as many behind them as fill their last stride.
    pub fn reserve(&mut self, n: usize) {
        let n = n.next_multiple_of(STRIDE).max(self.symbols.len());
        self.symbols.resize(n, 0);
        self.exact.resize(n, 0);
    }

    /// Puts a token at a place that there is room for.
    #[inline]
    pub fn put(&mut self, at: usize, token: &Token) {
        self.symbols[at] = token.symbol.get().cast_signed();
        self.exact[at] = token.exact.cast_signed();
    }

    /// What a query token scores against the tokens of the stride that begins at `from`.
    #[inline(always)]
    pub fn against<S: Simd>(&self, simd: S, wanted: &QueryScores<S>, from: usize) -> Lanes<S> {
        let is_symbol = is_equal(simd, &self.symbols[from..from + STRIDE], wanted.symbol);
        let exact = &self.exact[from..from + STRIDE];
        let other = is_equal(simd, exact, wanted.renamed_to).select(wanted.renamed, wanted.class);
        let word = is_equal(simd, exact, wanted.exact).select(wanted.same, other);
        is_symbol.select(word, wanted.mismatch)
    }
}

/// Which of a stride of words are this one.
#[inline(always)]
fn is_equal<S: Simd>(simd: S, words: &[i32], word: i32x8<S>) -> mask16x16<S> {
    let (low, high) = words.split_at(STRIDE / 2);
    let low = i32x8::from_slice(simd, low).simd_eq(word);
    simd.narrow_mask32x8(low, i32x8::from_slice(simd, high).simd_eq(word))
}

/// The values of the stride that begins at `from`.
#[inline(always)]
pub fn lanes<S: Simd>(simd: S, row: &[i16], from: usize) -> Lanes<S> {
    Lanes::from_slice(simd, &row[from..from + STRIDE])
}

#[inline(always)]
pub fn put<S: Simd>(lanes: Lanes<S>, row: &mut [i16], from: usize) {
    lanes.store_slice(&mut row[from..from + STRIDE]);
}

/// The places of the stride that begins at `from`.
#[inline(always)]
pub fn places<S: Simd>(simd: S, from: usize) -> Lanes<S> {
    const PLACES: [i16; STRIDE] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
    Lanes::load_array(simd, PLACES) + from as i16
}

/// The values of the stride that begins at `from`, outside of some places [`NEVER`].
#[inline(always)]
pub fn within<S: Simd>(simd: S, values: Lanes<S>, from: usize, kept: &Range<usize>) -> Lanes<S> {
    let (place, never) = (places(simd, from), Lanes::splat(simd, NEVER));
    let values = place.simd_lt(kept.start as i16).select(never, values);
    place.simd_lt(kept.end as i16).select(values, never)
}

/// For each lane, the greatest of the values up to it.
#[inline(always)]
pub fn prefix_max<S: Simd>(simd: S, values: Lanes<S>) -> Lanes<S> {
    // Of two lanes each, then of four, of eight, of all.
    let never = Lanes::splat(simd, NEVER);
    let values = values.max(never.slide::<15>(values));
    let values = values.max(never.slide::<14>(values));
    let values = values.max(never.slide::<12>(values));
    values.max(never.slide::<8>(values))
}
