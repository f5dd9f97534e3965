//! Hashes of 64 and of 32 bits, and the rolling hash beside one from scratch.

use std::collections::HashSet;
use std::time::Instant;

use secondhand::fingerprint::hash_numbers;

use crate::input::Input;
use crate::selection::positive;
use crate::table::Row;

const K: usize = 50;
const BASE: u64 = 0xD6E8_FEB8_6659_FD93;
/// Letters to look at, and those to hash from scratch: each of these costs K steps.
const LETTERS: usize = 8_000_000;
const FROM_SCRATCH: usize = 2_000_000;

/// Both, on the letters that were read.
pub fn rows(input: &Input) -> Vec<Row> {
    let (mut grams, mut long, mut short) = (HashSet::new(), HashSet::new(), HashSet::new());
    let mut hashes = Vec::new();
    let mut letters = Vec::new();
    let mut n_letters = 0;
    for text in &input.texts {
        n_letters += text.len();
        if n_letters > LETTERS {
            break;
        }
        hash_numbers(text, positive(K), &mut hashes);
        for (hash, gram) in hashes.iter().zip(text.windows(K)) {
            long.insert(*hash);
            short.insert(*hash as u32);
            grams.insert(fingerprint(gram));
        }
        if letters.len() < FROM_SCRATCH {
            letters.extend(text);
        }
    }
    let n = grams.len() as f64;
    let expected = n * n / 2.0 / 2f64.powi(32);
    let lost = |kept: usize| (grams.len() - kept.min(grams.len())).to_string();
    if letters.len() < K {
        return Vec::new();
    }
    let (rolling, direct) = (timed(rolling, &letters), timed(from_scratch, &letters));
    vec![
        Row::new("hashes", &format!("different {K}-grams of letters"), grams.len().to_string(), ""),
        Row::new("hashes", "of them with the hash of another, 64 bits", lost(long.len()), "0"),
        Row::new(
            "hashes",
            "the same, 32 bits",
            lost(short.len()),
            &format!("n² / 2^33 = {expected:.0}"),
        ),
        Row::new(
            "2.2",
            &format!("time a {K}-gram, rolling; from scratch"),
            format!("{rolling:.1}; {direct:.1} ns"),
            "",
        ),
    ]
}

/// Nanoseconds a letter.
fn timed(hash: fn(&[u64]) -> u64, letters: &[u64]) -> f64 {
    let began = Instant::now();
    std::hint::black_box(hash(letters));
    began.elapsed().as_secs_f64() * 1e9 / letters.len().max(1) as f64
}

fn rolling(letters: &[u64]) -> u64 {
    let leaving = (0..K).fold(1u64, |power, _| power.wrapping_mul(BASE));
    let mut hash = letters[..K].iter().fold(0, |hash, letter| step(hash, *letter));
    letters[K..].iter().zip(letters).fold(hash, |all, (last, first)| {
        hash = step(hash, *last).wrapping_sub(step(0, *first).wrapping_mul(leaving));
        all ^ hash
    })
}

fn from_scratch(letters: &[u64]) -> u64 {
    let hash = |gram: &[u64]| gram.iter().fold(0, |hash, letter| step(hash, *letter));
    letters.windows(K).fold(0, |all, gram| all ^ hash(gram))
}

fn step(hash: u64, letter: u64) -> u64 {
    hash.wrapping_mul(BASE).wrapping_add(letter.wrapping_mul(0x9E37_79B9_7F4A_7C15))
}

/// The gram itself, as good as: two other polynomials, of 128 bits together.
fn fingerprint(gram: &[u64]) -> (u64, u64) {
    let polynomial = |base: u64| {
        gram.iter().fold(base, |hash, letter| (hash ^ letter).wrapping_mul(base).rotate_left(23))
    };
    (polynomial(0xFF51_AFD7_ED55_8CCD), polynomial(0xC4CE_B9FE_1A85_EC53))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_hash_every_gram() {
        let letters: Vec<u64> = (0..500).map(|n| n * n % 95).collect();
        assert_eq!(rolling(&letters), from_scratch(&letters));
    }
}
