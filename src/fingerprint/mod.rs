//! Turns tokens into fingerprints: hashes of k-grams, of which winnowing keeps a few.
//!
//! Invariant: any run of [`Params::guarantee_threshold`] normalized tokens that
//! two texts share gives them a fingerprint in common, and no run below
//! [`Params::noise_threshold`] does (Schleimer, Wilkerson, Aiken 2003).

mod kgram;
mod winnow;

use std::num::NonZeroUsize;

pub use kgram::hash_kgrams;
pub use winnow::{Winnow, winnow};

use crate::language::Token;

/// A selected k-gram: its hash and the position of its first token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint {
    /// The hash of the k-gram.
    pub hash: u64,
    /// The position of its first token in the document.
    pub position: u32,
}

/// How fingerprints are taken; two sets can be compared only if theirs are equal.
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
    /// When t < k.
    pub fn new(noise_threshold: NonZeroUsize, guarantee_threshold: NonZeroUsize) -> Result<Self, ParamsError> {
        let (k, t) = (noise_threshold, guarantee_threshold);
        let window = (t.get() + 1).checked_sub(k.get()).and_then(NonZeroUsize::new);
        window.map(|window| Self { k, window }).ok_or(ParamsError { k, t })
    }

    /// k: no match of fewer tokens is detected.
    pub fn noise_threshold(&self) -> usize {
        self.k.get()
    }

    /// t = w + k - 1: every match of this many tokens is detected.
    pub fn guarantee_threshold(&self) -> usize {
        self.window.get() + self.k.get() - 1
    }

    /// w: every window of this many k-grams holds a fingerprint.
    pub fn window(&self) -> NonZeroUsize {
        self.window
    }

    /// Takes the fingerprints of `tokens`; `hashes` is scratch space.
    pub fn fingerprints<'h>(&self, tokens: &[Token], hashes: &'h mut Vec<u64>) -> Winnow<'h> {
        hash_kgrams(tokens, self.k, hashes);
        winnow(hashes, self.window)
    }
}
