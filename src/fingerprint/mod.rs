//! Turns tokens into fingerprints: hashes of k-grams, of which winnowing keeps a few.
//!
//! Invariant: any run of [`Params::guarantee_threshold`] normalized tokens that
//! two texts share gives them a common fingerprint, and no run shorter than
//! [`Params::noise_threshold`] does (Schleimer, Wilkerson, Aiken 2003).

mod effort;
mod kgram;
pub mod resemblance;
mod winnow;

use std::num::NonZeroUsize;
use std::ops::Range;

pub use effort::Effort;
use kgram::hash_symbols;
pub use kgram::{hash_exact, hash_kgrams, hash_numbers, hash_spelled};
pub use winnow::{ROBUST_WINNOWING, Winnow, winnow};

use crate::language::{Symbol, Token};

/// A selected k-gram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint {
    /// Its hash.
    pub hash: u64,
    /// The position of its first token in the document.
    pub position: u32,
}

/// The parameters of fingerprinting; two sets of fingerprints are comparable only if these are
/// equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Params {
    k: NonZeroUsize,
    window: NonZeroUsize,
}

/// The guarantee threshold is below the noise threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the guarantee threshold t = {t} is below the noise threshold k = {k}")]
pub struct ParamsError {
    k: NonZeroUsize,
    t: NonZeroUsize,
}

impl Params {
    /// Takes k and t; the window is t - k + 1.
    ///
    /// # Errors
    /// If t < k.
    pub fn new(
        noise_threshold: NonZeroUsize,
        guarantee_threshold: NonZeroUsize,
    ) -> Result<Self, ParamsError> {
        let (k, t) = (noise_threshold, guarantee_threshold);
        let window = (t.get() + 1).checked_sub(k.get()).and_then(NonZeroUsize::new);
        window.map(|window| Self { k, window }).ok_or(ParamsError { k, t })
    }

    /// The parameters that select every k-gram.
    pub fn of_every_kgram(&self) -> Self {
        Self { window: NonZeroUsize::MIN, ..*self }
    }

    /// k: no match of fewer tokens is detected.
    pub fn noise_threshold(&self) -> usize {
        self.k.get()
    }

    /// t = w + k - 1: every match of this many tokens is detected.
    pub fn guarantee_threshold(&self) -> usize {
        self.window.get() + self.k.get() - 1
    }

    /// w: every window of this many k-grams has a fingerprint.
    pub fn window(&self) -> NonZeroUsize {
        self.window
    }

    /// The minimum number of fingerprints in a match of `n` tokens: windows that do not overlap.
    pub fn n_guaranteed(&self, n: usize) -> usize {
        (n + 1).saturating_sub(self.k.get()) / self.window
    }

    /// Of `n` tokens, those of the windows that overlap `changed`: their fingerprints are all that
    /// may change if only these tokens do. An empty range means a deletion at that point.
    ///
    /// Winnowing is local: a window selects its smallest hash, whatever is around it. These
    /// fingerprints and those of the unchanged windows are therefore all of the whole text.
    pub fn around(&self, n: usize, changed: Range<usize>) -> Range<usize> {
        let n_window = self.guarantee_threshold();
        let to = (changed.end + n_window - 1).max(n_window).min(n);
        let from = changed.start.saturating_sub(n_window - 1).min(to.saturating_sub(n_window));
        from..to
    }

    /// The hashes of the fingerprints [`Self::around`] what changed. May repeat hashes.
    pub fn hashes_around<'h>(
        &self,
        symbols: &[Symbol],
        changed: Range<usize>,
        hashes: &'h mut Vec<u64>,
    ) -> impl Iterator<Item = u64> + use<'h> {
        hash_symbols(&symbols[self.around(symbols.len(), changed)], self.k, hashes);
        winnow(hashes, self.window).map(|print| print.hash)
    }

    /// The fingerprints of `tokens`; `hashes` is scratch space.
    pub fn fingerprints<'h>(&self, tokens: &[Token], hashes: &'h mut Vec<u64>) -> Winnow<'h> {
        hash_kgrams(tokens, self.k, hashes);
        winnow(hashes, self.window)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::text::common_prefix;

    pub(super) fn positive(n: usize) -> NonZeroUsize {
        NonZeroUsize::new(n).expect("the tests have numbers above 0")
    }

    pub(super) fn tokens(symbols: &[u8]) -> Vec<Token> {
        let symbols = symbols.iter().map(|byte| Symbol::punctuation(*byte));
        symbols.map(|symbol| Token { start: 0, end: 0, symbol, exact: 0 }).collect()
    }

    fn params(k: usize, t: usize) -> Params {
        Params::new(positive(k), positive(t)).expect("the tests have k <= t")
    }

    fn hashes(params: &Params, symbols: &[u8]) -> HashSet<u64> {
        params.fingerprints(&tokens(symbols), &mut Vec::new()).map(|print| print.hash).collect()
    }

    /// The longest run of symbols common to both texts, by trying all.
    fn longest_shared_run(a: &[u8], b: &[u8]) -> usize {
        let places = (0..a.len()).flat_map(|i| (0..b.len()).map(move |j| (i, j)));
        let runs = places.map(|(i, j)| common_prefix(&a[i..], &b[j..]));
        runs.max().unwrap_or(0)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn a_shared_run_of_t_tokens_is_always_found(
            shared in prop::collection::vec(any::<u8>(), 24..40),
            around in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 4),
            k in 1usize..20,
        ) {
            let params = params(k, 24);
            let a = [&around[0][..], &shared, &around[1]].concat();
            let b = [&around[2][..], &shared, &around[3]].concat();
            prop_assert!(!hashes(&params, &a).is_disjoint(&hashes(&params, &b)));
        }

        #[test]
        fn a_match_has_as_many_fingerprints_as_are_guaranteed(
            symbols in prop::collection::vec(any::<u8>(), 0..120),
            k in 1usize..20,
            w in 1usize..8,
        ) {
            let params = params(k, k + w - 1);
            let n = params.fingerprints(&tokens(&symbols), &mut Vec::new()).count();
            let least = params.n_guaranteed(symbols.len());
            prop_assert!(n >= least, "{n} of {least}");
            prop_assert_eq!(least > 0, symbols.len() >= params.guarantee_threshold());
        }

        #[test]
        fn what_a_change_can_make_and_what_it_leaves_alone_are_all_hashes(
            before in prop::collection::vec(0u8..9, 0..80),
            put in prop::collection::vec(0u8..9, 0..12),
            at in 0usize..80,
            n_gone in 0usize..12,
            k in 1usize..8,
            w in 1usize..8,
        ) {
            let params = params(k, k + w - 1);
            let at = at.min(before.len());
            let end = (at + n_gone).min(before.len());
            let after = [&before[..at], &put, &before[end..]].concat();
            let symbols: Vec<Symbol> = after.iter().map(|byte| Symbol::punctuation(*byte)).collect();
            let old: Vec<Symbol> = before.iter().map(|byte| Symbol::punctuation(*byte)).collect();
            let around = |symbols: &[Symbol], changed| -> HashSet<u64> {
                params.hashes_around(symbols, changed, &mut Vec::new()).collect()
            };
            let (new, old) = (around(&symbols, at..at + put.len()), around(&old, at..end));
            let (all_before, all_after) = (hashes(&params, &before), hashes(&params, &after));
            prop_assert!(new.is_subset(&all_after) && old.is_subset(&all_before));
            let known: HashSet<u64> = all_before.union(&new).copied().collect();
            prop_assert!(all_after.is_subset(&known), "a hash is new and was not found");
        }

        #[test]
        fn a_shared_run_below_k_tokens_is_never_found(
            a in prop::collection::vec(0u8..6, 0..60),
            b in prop::collection::vec(0u8..6, 0..60),
        ) {
            let k = longest_shared_run(&a, &b) + 1;
            let params = params(k, k + 4);
            prop_assert!(hashes(&params, &a).is_disjoint(&hashes(&params, &b)));
        }
    }
}
