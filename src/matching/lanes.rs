//! Scores of one query token against several target tokens at once, by the widest instructions that
//! the machine has.
//!
//! Whoever calls these is inlined into a call of [`dispatch!`](fearless_simd::dispatch), and so is
//! each function here: only there the wider instructions may be used.

use fearless_simd::prelude::*;
use fearless_simd::{i8x32, i32x8, mask8x32, mask16x16};

use super::score::{MISMATCH, Scores};
use crate::language::Token;

/// The target tokens that are scored at once.
pub const STRIDE: usize = 32;

/// A value for each target token of a stride.
pub type Lanes<S> = i8x32<S>;

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
    /// Whether it depends on the spelling what an equal symbol scores.
    is_spelled: bool,
}

impl<S: Simd> QueryScores<S> {
    /// The scores of a token, each less by `n`.
    #[inline(always)]
    pub fn less_by(n: i8, simd: S, of: &Scores) -> Self {
        Self {
            symbol: i32x8::splat(simd, of.symbol.get().cast_signed()),
            exact: i32x8::splat(simd, of.exact.cast_signed()),
            renamed_to: i32x8::splat(simd, of.renamed_to.cast_signed()),
            same: Lanes::splat(simd, of.same - n),
            renamed: Lanes::splat(simd, of.renamed - n),
            class: Lanes::splat(simd, of.class - n),
            mismatch: Lanes::splat(simd, MISMATCH - n),
            is_spelled: of.same != of.class,
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
        if !wanted.is_spelled {
            return is_symbol.select(wanted.same, wanted.mismatch);
        }
        let exact = &self.exact[from..from + STRIDE];
        let other = is_equal(simd, exact, wanted.renamed_to).select(wanted.renamed, wanted.class);
        let word = is_equal(simd, exact, wanted.exact).select(wanted.same, other);
        is_symbol.select(word, wanted.mismatch)
    }
}

/// Which of a stride of words are this one.
#[inline(always)]
fn is_equal<S: Simd>(simd: S, words: &[i32], word: i32x8<S>) -> mask8x32<S> {
    let (low, high) = words.split_at(STRIDE / 2);
    simd.narrow_mask16x16(is_equal_half(simd, low, word), is_equal_half(simd, high, word))
}

#[inline(always)]
fn is_equal_half<S: Simd>(simd: S, words: &[i32], word: i32x8<S>) -> mask16x16<S> {
    let (low, high) = words.split_at(STRIDE / 4);
    let low = i32x8::from_slice(simd, low).simd_eq(word);
    simd.narrow_mask32x8(low, i32x8::from_slice(simd, high).simd_eq(word))
}
