//! The densities that the winnowing paper derives, beside those that come out: the charge function,
//! a recurrence for documents of any length, the two bounds and the conjecture.

use crate::input::Input;
use crate::schemes::{Grams, PlainWinnowing, RobustWinnowing, SafeZeroMod, Scheme};
use crate::selection::{positive, random};
use crate::table::Row;
use secondhand::fingerprint::hash_numbers;

const WINDOWS: [usize; 3] = [4, 16, 100];
const LENGTH: usize = 1_000_000;

/// All of them, on random hashes; the charge function also on real code.
pub fn rows(input: &Input) -> Vec<Row> {
    let hashes = random(LENGTH, 1 << 40);
    let mut rows = vec![
        Row::several(
            "3.1, charge",
            "windows that are charged, fingerprints; w = 4, 16, 100",
            "2 / (w + 1) = ",
            WINDOWS.map(|w| charge(&hashes, w)),
        ),
        Row::several(
            "observation 1",
            "density · (w + 1) of winnowing, w = 4, 16, 100",
            "2 by the conjecture, at least 1.5 + 1 / 2w = ",
            WINDOWS.map(|w| factor(&hashes, w)),
        ),
        Row::several(
            "safe 0 mod p",
            "density of safe 0 mod p, w = 4, 16, 100",
            "(1 + ln w) / w = ",
            WINDOWS.map(|w| safe(&hashes, w)),
        ),
        short_documents(),
    ];
    if !input.codes.is_empty() {
        rows.push(real_code(input));
    }
    rows
}

fn density(scheme: &dyn Scheme, hashes: &[u64]) -> f64 {
    scheme.select(Grams { tokens: hashes, hashes }).len() as f64 / hashes.len() as f64
}

/// A fingerprint is charged to the first window that selects it. A window is charged where its
/// smallest hash is that of no earlier window: if it is the last of the w + 1 hashes of both, or
/// the first has left. Each of w + 1 equally likely places is the smallest, and two of them charge.
fn charged(hashes: &[u64], w: usize) -> usize {
    let smallest = |start: usize| (start..start + w).rev().min_by_key(|at| hashes[*at]);
    let windows = 0..(hashes.len() + 1).saturating_sub(w);
    let mut last = None;
    windows.filter(|&start| std::mem::replace(&mut last, smallest(start)) != last).count()
}

fn charge(hashes: &[u64], w: usize) -> (String, String) {
    let measured = density(&PlainWinnowing(positive(w)), hashes);
    let charged = charged(&hashes[..LENGTH / 10], w) as f64 / (LENGTH / 10) as f64;
    (format!("{charged:.5}, {measured:.5}"), format!("{:.5}", 2.0 / (w + 1) as f64))
}

fn factor(hashes: &[u64], w: usize) -> (String, String) {
    let measured = density(&PlainWinnowing(positive(w)), hashes);
    (format!("{:.3}", measured * (w + 1) as f64), format!("{:.3}", 1.5 + 0.5 / w as f64))
}

fn safe(hashes: &[u64], w: usize) -> (String, String) {
    let expected = (1.0 + (w as f64).ln()) / w as f64;
    (format!("{:.4}", density(&SafeZeroMod(positive(w)), hashes)), format!("{expected:.4}"))
}

/// The fingerprints expected of n hashes: the smallest of all is one, and what is left and right of
/// it are documents of their own. F(n) = 1 + 2 / n · (F(0) + ... + F(n - 1)), and 0 for n < w.
fn recurrence(n: usize, w: usize) -> f64 {
    let (mut sum, mut last) = (0.0, 0.0);
    for n in 1..=n {
        last = if n < w { 0.0 } else { 1.0 + 2.0 / n as f64 * sum };
        sum += last;
    }
    last
}

/// Documents of a few windows have fewer than their length times the density.
fn short_documents() -> Row {
    let w = 16;
    let figures = |n: usize| {
        let hashes = random(LENGTH / n * n, 1 << 40);
        let documents = hashes.chunks_exact(n);
        let n_documents = documents.len() as f64;
        let select = |hashes: &[u64]| {
            RobustWinnowing(positive(w)).select(Grams { tokens: hashes, hashes }).len()
        };
        let mean = documents.map(select).sum::<usize>() as f64 / n_documents;
        (format!("{mean:.3}"), format!("{:.3}", recurrence(n, w)))
    };
    Row::several(
        "recurrence",
        "fingerprints of 16, 20, 50, 1000 random hashes, w = 16",
        "F(n) = 2 (n + 1) / (w + 1) - 1 = ",
        [16, 20, 50, 1_000].map(figures),
    )
}

/// The same of the code that was read: ties and repeats are what the derivation leaves out.
fn real_code(input: &Input) -> Row {
    let (k, w) = (16, 16);
    let mut hashes = Vec::new();
    let (mut n, mut n_charged, mut n_selected) = (0, 0, 0);
    for code in &input.codes {
        hash_numbers(code, positive(k), &mut hashes);
        n += hashes.len();
        n_charged += charged(&hashes, w);
        n_selected +=
            RobustWinnowing(positive(w)).select(Grams { tokens: code, hashes: &hashes }).len();
    }
    let part = |of: usize| of as f64 / n as f64;
    Row::new(
        "3.1, charge",
        "windows of code that are charged, w = 16, k = 16; robust fingerprints",
        format!("{:.5}; {:.5}", part(n_charged), part(n_selected)),
        &format!("2 / (w + 1) = {:.5}", 2.0 / 17.0),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recurrence_has_its_closed_form() {
        for (n, w) in [(16, 16), (17, 16), (400, 16), (1_000, 100), (99, 100)] {
            let closed = if n < w { 0.0 } else { 2.0 * (n + 1) as f64 / (w + 1) as f64 - 1.0 };
            assert!((recurrence(n, w) - closed).abs() < 1e-6, "{n}, {w}");
        }
    }

    #[test]
    fn each_fingerprint_is_charged_to_one_window() {
        let hashes = random(5_000, 1 << 40);
        for w in [1, 4, 16] {
            let selected =
                PlainWinnowing(positive(w)).select(Grams { tokens: &hashes, hashes: &hashes });
            assert_eq!(charged(&hashes, w), selected.len());
        }
    }
}
