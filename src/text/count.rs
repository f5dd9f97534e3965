//! Writes numbers of things: the one place that knows plurals.

use std::borrow::Cow;
use std::fmt::Display;

/// A number with its noun: `1 file`, `2 files`, `0 more copies`. The last word takes the plural.
pub fn count<N: Display + Copy + PartialEq + From<u8>>(n: N, noun: &str) -> String {
    format!("{n} {}", noun_of(n, noun))
}

/// The noun for `n` things, where the number is written in another way.
pub fn noun_of<N: Copy + PartialEq + From<u8>>(n: N, noun: &str) -> Cow<'_, str> {
    match noun.strip_suffix('y') {
        _ if n == N::from(1) => Cow::Borrowed(noun),
        Some(stem) => Cow::Owned(format!("{stem}ies")),
        None if noun.ends_with("ss") || noun.ends_with("ch") => Cow::Owned(format!("{noun}es")),
        None => Cow::Owned(format!("{noun}s")),
    }
}

/// The words that agree with `n`: `agreed(n, "is", "are")`.
pub fn agreed<N: Copy + PartialEq + From<u8>, W>(n: N, of_one: W, of_more: W) -> W {
    if n == N::from(1) { of_one } else { of_more }
}

/// The first `max` of these as they are told, and `3 more`, where there are more.
pub fn first<T>(all: &[T], max: usize, told: impl Fn(&T) -> String) -> Vec<String> {
    let n_more = all.len().saturating_sub(max);
    all.iter().take(max).map(told).chain((n_more > 0).then(|| format!("{n_more} more"))).collect()
}

/// ` and 3 more`, where there are more.
pub fn and_more(n_more: usize) -> String {
    if n_more > 0 { format!(" and {n_more} more") } else { String::new() }
}

/// The first `max` of these as they are told, and the number of the others: `a, b and 3 more`.
pub fn joined<T>(all: &[T], max: usize, told: impl Fn(&T) -> String) -> String {
    let named: Vec<String> = all.iter().take(max).map(told).collect();
    named.join(", ") + &and_more(all.len() - named.len())
}

/// Bytes as hexadecimal digits.
pub fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_have_their_plurals() {
        assert_eq!([count(1u64, "copy"), count(2u64, "copy")], ["1 copy", "2 copies"]);
        assert_eq!([count(0, "class"), count(3, "more file")], ["0 classes", "3 more files"]);
        assert_eq!([noun_of(1usize, "match"), noun_of(2usize, "match")], ["match", "matches"]);
        assert_eq!([agreed(0u32, "is", "are"), agreed(1u32, "is", "are")], ["are", "is"]);
    }
}
