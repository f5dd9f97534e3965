//! Hashes every k-gram of a token stream with a rolling hash.

use std::num::NonZeroUsize;

use crate::language::{Symbol, Token};

/// The base of the polynomial: odd, so that multiplying by it loses no bits mod 2^64.
const BASE: u64 = 0xD6E8_FEB8_6659_FD93;

/// Spreads a symbol over the whole word.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// Hashes every k-gram of the normalized `tokens` into `hashes`, replacing its contents.
///
/// The rolling hash of Karp and Rabin (1987), section 2.2 of the winnowing paper,
/// mod 2^64 and mixed at the end: winnowing orders hashes, and the low bits of
/// a polynomial mod 2^64 are far from uniform.
///
/// Time O(n) for any k. Fewer than k tokens have no k-gram.
pub fn hash_kgrams(tokens: &[Token], k: NonZeroUsize, hashes: &mut Vec<u64>) {
    roll(tokens, |token| u64::from(token.symbol.get()), k, hashes);
}

/// Like [`hash_kgrams`], for the exact readings: equal for k-grams that are spelled the same.
pub fn hash_spelled(tokens: &[Token], k: NonZeroUsize, hashes: &mut Vec<u64>) {
    roll(tokens, |token| u64::from(token.symbol.get()) << 32 | u64::from(token.exact), k, hashes);
}

/// Like [`hash_kgrams`], for symbols alone.
pub fn hash_symbols(symbols: &[Symbol], k: NonZeroUsize, hashes: &mut Vec<u64>) {
    roll(symbols, |symbol| u64::from(symbol.get()), k, hashes);
}

/// Like [`hash_kgrams`], for any numbers.
pub fn hash_numbers(numbers: &[u64], k: NonZeroUsize, hashes: &mut Vec<u64>) {
    roll(numbers, |number| *number, k, hashes);
}

#[inline]
fn roll<T>(items: &[T], number: impl Fn(&T) -> u64, k: NonZeroUsize, hashes: &mut Vec<u64>) {
    let k = k.get();
    hashes.clear();
    if items.len() < k {
        return;
    }
    // What an item contributes by the time it leaves, including the factor of `value`, to multiply
    // only once.
    let leaving = (0..k).fold(SPREAD, |power, _| power.wrapping_mul(BASE));
    let mut hash = polynomial(items[..k].iter().map(|item| value(number(item))));
    hashes.reserve(items.len() - k + 1);
    hashes.push(mix(hash));
    hashes.extend(items[k..].iter().zip(items).map(|(last, first)| {
        // The contributions of the entering and leaving symbols do not depend on the previous hash.
        let change = value(number(last)).wrapping_sub(number(first).wrapping_mul(leaving));
        hash = hash.wrapping_mul(BASE).wrapping_add(change);
        mix(hash)
    }));
}

/// Hashes the exact readings of a k-gram's tokens: the same for k-grams spelled the same. Time
/// O(k).
pub fn hash_exact(kgram: &[Token]) -> u32 {
    (mix(polynomial(kgram.iter().map(|token| u64::from(token.exact)))) >> 32) as u32
}

/// The polynomial of some values at [`BASE`].
#[inline]
fn polynomial(values: impl Iterator<Item = u64>) -> u64 {
    values.fold(0, |hash, value| hash.wrapping_mul(BASE).wrapping_add(value))
}

#[inline]
fn value(number: u64) -> u64 {
    number.wrapping_mul(SPREAD)
}

/// A bijection that spreads every bit over the whole word (splitmix64's finalizer, shortened).
#[inline]
pub(super) fn mix(hash: u64) -> u64 {
    let hash = (hash ^ hash >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    hash ^ hash >> 32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fingerprint::tests::{positive, tokens};

    /// The hash of one k-gram by the definition: a polynomial of its symbols, mixed.
    fn direct(kgram: &[u64]) -> u64 {
        let n = kgram.len() as u32;
        let term =
            |(at, number): (u32, &u64)| value(*number).wrapping_mul(BASE.wrapping_pow(n - 1 - at));
        mix((0..n).zip(kgram).map(term).fold(0, u64::wrapping_add))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn the_rolling_hash_is_the_direct_one(numbers in prop::collection::vec(any::<u64>(), 0..80), k in 1usize..24) {
            let mut hashes = Vec::new();
            hash_numbers(&numbers, positive(k), &mut hashes);
            prop_assert_eq!(hashes, numbers.windows(k).map(direct).collect::<Vec<_>>());
        }
    }

    /// The chi-square statistic of `counts` against equal ones, with one degree of freedom less
    /// than there are counts.
    fn chi_square(counts: &[u32]) -> f64 {
        let expected = f64::from(counts.iter().sum::<u32>()) / counts.len() as f64;
        counts.iter().map(|&n| (f64::from(n) - expected).powi(2) / expected).sum()
    }

    #[test]
    fn hashes_of_counted_up_kgrams_are_uniform_in_their_high_and_low_bits() {
        // The worst that code offers: k-grams that differ in one small number.
        let mut hashes = Vec::new();
        let numbers: Vec<u64> = (0..100_000).map(|n| n / 3).collect();
        hash_numbers(&numbers, positive(4), &mut hashes);
        hashes.sort_unstable();
        hashes.dedup();
        for shift in [56, 32, 8, 0] {
            let mut counts = [0u32; 256];
            hashes.iter().for_each(|hash| counts[(hash >> shift & 0xFF) as usize] += 1);
            // With 255 degrees of freedom, one in ten thousand is above 345.
            let statistic = chi_square(&counts);
            assert!(statistic < 345.0, "bits from {shift}: {statistic}");
        }
    }

    #[test]
    fn equal_kgrams_have_equal_hashes_wherever_they_stand_and_fewer_tokens_have_none() {
        let mut hashes = Vec::new();
        hash_kgrams(&tokens(b"abcdeXabcdYbcde"), positive(4), &mut hashes);
        assert_eq!(hashes.len(), 12);
        assert_eq!((hashes[0], hashes[1]), (hashes[6], hashes[11]));
        assert_ne!(hashes[0], hashes[1]);
        hash_kgrams(&tokens(b"abc"), positive(4), &mut hashes);
        assert!(hashes.is_empty());
    }
}
