//! Names by class and one token more, beside Baker's p-match (1995), in which names correspond one
//! to one.

use std::collections::HashMap;

use secondhand::fingerprint::hash_numbers;
use support::Random;

use crate::input::Input;
use crate::selection::positive;
use crate::table::Row;

/// For each way of reading names, the k-grams that two projects have by chance.
pub fn row(input: &Input) -> Row {
    let figures = |k: usize| {
        let shares = [
            shared(input, |at| by_class(&input.codes[at], k)),
            shared(input, |at| by_class(&input.codes[at], k + 1)),
            shared(input, |at| one_to_one(&input.codes[at], &input.names[at], k)),
        ];
        (shares.map(|share| format!("{share:.2}")).join(", "), String::new())
    };
    Row::several(
        "Baker",
        "8-, 12-, 16-, 24-grams that two projects have, in percent: names by class, the same for k + 1, p-match",
        "the second as good as the third",
        [8, 12, 16, 24].map(figures),
    )
}

/// The part of different k-grams that two projects have, in percent.
fn shared(input: &Input, hashes: impl Fn(usize) -> Vec<u64>) -> f64 {
    let mut first: HashMap<u64, (usize, bool)> = HashMap::new();
    for (at, &project) in input.projects[1].iter().enumerate() {
        for hash in hashes(at) {
            let (of, is_shared) = first.entry(hash).or_insert((project, false));
            *is_shared |= *of != project;
        }
    }
    let n_shared = first.values().filter(|(_, is_shared)| *is_shared).count();
    100.0 * n_shared as f64 / first.len().max(1) as f64
}

fn by_class(symbols: &[u64], k: usize) -> Vec<u64> {
    let mut hashes = Vec::new();
    hash_numbers(symbols, positive(k), &mut hashes);
    hashes
}

/// Each name is the distance to where it was last in the k-gram: Baker's encoding, equal where
/// names correspond one to one.
fn one_to_one(symbols: &[u64], names: &[u32], k: usize) -> Vec<u64> {
    let gram = |(symbols, names): (&[u64], &[u32])| {
        let distance = |at: usize| match names[at] {
            0 => 0,
            name => names[..at]
                .iter()
                .rev()
                .position(|other| *other == name)
                .map_or(0, |n| n as u64 + 1),
        };
        (0..k).fold(0, |hash, at| mixed(mixed(hash ^ symbols[at]) ^ distance(at)))
    };
    symbols.windows(k).zip(names.windows(k)).map(gram).collect()
}

fn mixed(number: u64) -> u64 {
    Random::new(number, 0).number()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_p_match_is_a_renaming_one_to_one() {
        let symbols = [1, 9, 1, 9, 1];
        let hash = |names: [u32; 5]| one_to_one(&symbols, &names, 5)[0];
        assert_eq!(hash([5, 0, 6, 0, 5]), hash([6, 0, 8, 0, 6]));
        assert_ne!(hash([5, 0, 6, 0, 5]), hash([5, 0, 6, 0, 6]));
        assert_ne!(hash([5, 0, 6, 0, 5]), hash([5, 0, 5, 0, 5]));
        assert_eq!(by_class(&symbols, 5).len(), 1);
    }
}
