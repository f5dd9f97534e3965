//! Reads code and prose as words, to compare functions that have no tokens in a row in common.
//!
//! A name is split at underscores and where its case changes, so `parseLinkHeader` and
//! `link_headers` share two words. Two functions are compared by BM25 (Robertson and Zaragoza, The
//! Probabilistic Relevance Framework, 2009), of which only the sum over words is needed here.

use std::ops::Range;

use super::{Document, Unit};
use crate::language::{Kind, Token};
use crate::text::fnv_1a;

/// Maximum bytes of a word; what is behind them does not count.
const MAX_WORD: usize = 24;
const MIN_WORD: usize = 2;
const MIN_STEM: usize = 3;
/// Endings that are ignored; `ies` is that of a `y`. The first that fits counts.
const ENDINGS: &[&[u8]] =
    &[b"ies", b"ing", b"ions", b"ion", b"ers", b"er", b"ed", b"es", b"s", b"e"];

/// How soon more of one word stops counting: `k1` of BM25.
const SATURATION: f64 = 1.2;
/// How much a long function is held against it: `b` of BM25.
const LENGTH: f64 = 0.75;
/// Words of a typical function. A constant, so that the score of a function does not hang on what
/// else was read.
const TYPICAL_WORDS: f64 = 60.0;
/// How often the words of its name count more than others.
const NAME_WEIGHT: usize = 3;

/// The words of `text`, each as a number and as it is spelled.
pub(super) fn word_texts(text: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    let mut at = 0;
    let pieces = std::iter::from_fn(move || {
        let piece = next_piece(text, at)?;
        at = piece.end;
        Some(&text[piece])
    });
    pieces.filter(|piece| piece.len() >= MIN_WORD).map(|piece| (number(piece), piece))
}

/// The words of `text`, as numbers.
pub fn words(text: &[u8]) -> impl Iterator<Item = u32> {
    word_texts(text).map(|(word, _)| word)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    Other,
}

/// Bytes beyond ASCII are letters of some script.
fn class(byte: u8) -> Class {
    match byte {
        b'a'..=b'z' | 0x80.. => Class::Lower,
        b'A'..=b'Z' => Class::Upper,
        b'0'..=b'9' => Class::Digit,
        _ => Class::Other,
    }
}

/// The next part of a name behind `from`: `parse`, `HTTP` and `Header` of `parseHTTPHeader`.
fn next_piece(text: &[u8], from: usize) -> Option<Range<usize>> {
    let start = from + text.get(from..)?.iter().position(|&byte| class(byte) != Class::Other)?;
    let first = class(text[start]);
    let end = end_of_run(text, start, first);
    let after = end_of_run(text, end, Class::Lower);
    if first != Class::Upper || after == end {
        return Some(start..end);
    }
    // The last capital of several begins the next word.
    Some(if end == start + 1 { start..after } else { start..end - 1 })
}

fn end_of_run(text: &[u8], start: usize, of: Class) -> usize {
    start + text[start..].iter().take_while(|&&byte| class(byte) == of).count()
}

/// A word as a number: without its ending, in lower case.
fn number(word: &[u8]) -> u32 {
    let word = &word[..word.len().min(MAX_WORD)];
    let behind = &word[word.len().min(MIN_STEM)..];
    let ending = ENDINGS.iter().find(|ending| {
        let start = behind.len().checked_sub(ending.len());
        start.is_some_and(|start| behind[start..].eq_ignore_ascii_case(ending))
    });
    let ending = ending.copied().unwrap_or_default();
    let instead: &[u8] = if ending == b"ies" { b"y" } else { b"" };
    let stem = &word[..word.len() - ending.len()];
    let hash = fnv_1a(stem.iter().chain(instead).map(u8::to_ascii_lowercase));
    (hash ^ hash >> 32) as u32
}

/// The words of a file, in its code and its comments, sorted, each once. Keywords say nothing about
/// a function.
///
/// Time O(n + m log m) for n bytes and m names. A name that is repeated is split once.
pub fn words_of_file(text: &[u8], tokens: &[Token]) -> Vec<u32> {
    let mut found = Vec::new();
    let mut names: Vec<(u32, usize)> = Vec::new();
    let mut end = 0;
    for (at, token) in tokens.iter().enumerate() {
        let between = text.get(end..token.start as usize).unwrap_or_default();
        end = token.end as usize;
        // Most of what is between tokens is a space.
        if between.len() > MIN_WORD {
            found.extend(words(between));
        }
        match token.kind() {
            Kind::Identifier => names.push((token.exact, at)),
            Kind::String => found.extend(words(token.text(text))),
            Kind::Keyword | Kind::Number | Kind::Punctuation => {}
        }
    }
    found.extend(words(text.get(end..).unwrap_or_default()));
    names.sort_unstable();
    names.dedup_by_key(|(exact, _)| *exact);
    for (_, at) in names {
        found.extend(words(tokens[at].text(text)));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The words of a part of some code, in its names, literals and comments, each as a number and as
/// it is spelled.
pub(super) fn words_of_code<'d>(
    document: Document<'d>,
    bytes: Range<usize>,
) -> impl Iterator<Item = (u32, &'d [u8])> + use<'d> {
    let Document { text, tokens, .. } = document;
    let first = tokens.partition_point(|token| (token.start as usize) < bytes.start);
    let last = tokens.partition_point(|token| (token.start as usize) < bytes.end);
    let keywords = tokens[first..last].iter().filter(|token| token.kind() == Kind::Keyword);
    let skipped = keywords.map(|token| token.start as usize..token.end as usize);
    let mut start = bytes.start;
    let between = skipped.chain(std::iter::once(bytes.end..bytes.end)).map(move |skipped| {
        let between = start..skipped.start.max(start);
        start = skipped.end;
        between
    });
    between.flat_map(|between| word_texts(&text[between]))
}

/// The words of a piece of code, and how often each is in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bag {
    /// Sorted by word.
    counts: Vec<(u32, u32)>,
    n_words: usize,
}

impl Bag {
    /// The words of `text`.
    pub fn new(text: &[u8]) -> Self {
        Self::of_words(words(text).collect())
    }

    /// The words of code, of which `bytes` are asked for.
    pub fn of_code(document: Document<'_>, bytes: Range<usize>) -> Self {
        Self::of_words(words_of_code(document, bytes).map(|(word, _)| word).collect())
    }

    /// The words of a function, with those of the comment above it; its name counts for more.
    pub fn of_unit(document: Document<'_>, unit: &Unit) -> Self {
        let code = words_of_code(document, document.bytes_with_comment(&unit.tokens));
        let mut all: Vec<u32> = code.map(|(word, _)| word).collect();
        let name = unit.name.map(|at| document.tokens[at].text(document.text)).unwrap_or_default();
        for _ in 1..NAME_WEIGHT {
            all.extend(words(name));
        }
        Self::of_words(all)
    }

    fn of_words(mut words: Vec<u32>) -> Self {
        words.sort_unstable();
        let of_words = words.chunk_by(|a, b| a == b);
        let counts = of_words.map(|same| (same[0], same.len() as u32)).collect();
        Self { counts, n_words: words.len() }
    }

    /// Its words, sorted, each once.
    pub fn words(&self) -> impl Iterator<Item = u32> + '_ {
        self.counts.iter().map(|(word, _)| *word)
    }

    fn find(&self, word: u32) -> Option<usize> {
        self.counts.binary_search_by_key(&word, |(word, _)| *word).ok()
    }

    fn count(&self, word: u32) -> u32 {
        self.find(word).map_or(0, |at| self.counts[at].1)
    }
}

/// How rare the words of a bag are in the files of a tree.
#[derive(Debug, Clone)]
pub struct Rarity<'b> {
    asked: &'b Bag,
    /// For each word of the bag, its inverse document frequency.
    weights: Vec<f64>,
}

/// What a function has of the words of another one.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct WordMatch {
    /// Its score, divided by that of the very same words: 1 is as good as it itself.
    pub score: f64,
    /// The fraction of the words that it has, 0 to 1, rare ones counting more.
    pub share: f64,
    /// The number of words that it has.
    pub n_words: usize,
}

impl<'b> Rarity<'b> {
    /// The words of a bag, each with the number of files that have it, of `n_files` in all.
    pub fn new(asked: &'b Bag, n_having: impl Fn(u32) -> usize, n_files: usize) -> Self {
        let n_having = asked.words().map(|word| n_having(word).min(n_files) as f64);
        let weights = n_having.map(|n| (1.0 + (n_files as f64 - n + 0.5) / (n + 0.5)).ln());
        Self { asked, weights: weights.collect() }
    }

    /// How rare a word is; 0 for one that is not in the bag.
    pub(super) fn weight(&self, word: u32) -> f64 {
        self.asked.find(word).map_or(0.0, |at| self.weights[at])
    }

    /// How much a function has of them.
    pub fn of_function(&self, known: &Bag) -> WordMatch {
        let (mut score, mut best, mut share, mut all, mut n_words) = (0.0, 0.0, 0.0, 0.0, 0);
        for ((word, weight), plain) in self.weights().zip(&self.weights) {
            let n = known.count(word);
            score += weight * saturated(n, known.n_words);
            best += weight * saturated(self.asked.count(word), self.asked.n_words);
            all += plain;
            share += if n > 0 { *plain } else { 0.0 };
            n_words += usize::from(n > 0);
        }
        WordMatch {
            score: score / f64::max(best, f64::MIN_POSITIVE),
            share: share / f64::max(all, f64::MIN_POSITIVE),
            n_words,
        }
    }

    /// Each word with its weight: a rare one counts more, and so does one that is there often.
    pub fn weights(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        let counts = self.asked.counts.iter().zip(&self.weights);
        counts.map(|((word, n), weight)| (*word, weight * f64::from(*n).sqrt()))
    }
}

/// What `n` of one word among `n_words` are worth.
fn saturated(n: u32, n_words: usize) -> f64 {
    let n = f64::from(n);
    n / (n + SATURATION * (1.0 - LENGTH + LENGTH * n_words as f64 / TYPICAL_WORDS))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{c_tokens, document};
    use super::*;

    #[test]
    fn names_are_split_where_people_read_words() {
        for (text, expected) in [
            ("parseHTTPHeader2 _link_to-end", "parse HTTP Header 2 link to end"),
            ("URL", "URL"),
            ("AList größe", "A List größe"),
            ("(-)", ""),
        ] {
            let next = |piece: &Range<usize>| next_piece(text.as_bytes(), piece.end);
            let pieces = std::iter::successors(next(&(0..0)), next).map(|piece| &text[piece]);
            assert_eq!(pieces.collect::<Vec<_>>().join(" "), expected);
        }
    }

    #[test]
    fn forms_of_a_word_are_one_word() {
        for (a, b) in [("headers", "Header"), ("parsing", "parse"), ("entries", "ENTRY")] {
            assert_eq!(number(a.as_bytes()), number(b.as_bytes()), "{a} and {b}");
        }
        assert_ne!(number(b"is"), number(b"i"), "too short to have an ending");
    }

    #[test]
    fn the_words_of_a_file_are_those_of_its_text() {
        let text = "/* Reads entries. */\nint read_entry(int n) { puts(\"no more\"); return n; } // last\n";
        let tokens = c_tokens(text);
        let mut all: Vec<u32> =
            words_of_code(document(text, &tokens), 0..text.len()).map(|(word, _)| word).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(words_of_file(text.as_bytes(), &tokens), all);
        assert!(!all.contains(&number(b"return")) && all.contains(&number(b"last")));
    }

    #[test]
    fn a_function_has_the_words_of_the_comment_above_it_and_no_others() {
        let text = "/* License. */\n\n/* Counts apples. */\nint f(int a)\n{\n  return pears;\n}\nint other;\n";
        let tokens = c_tokens(text);
        let functions = document(text, &tokens).functions();
        let bag = Bag::of_unit(document(text, &tokens), &functions[0]);
        let has = |word: &str| bag.count(number(word.as_bytes())) > 0;
        assert!(has("apple") && has("pear") && !has("license") && !has("other"));
    }

    #[test]
    fn what_has_the_rare_words_scores_higher() {
        let asked = Bag::new(b"parse the link header");
        let rarity =
            Rarity::new(&asked, |word| if word == number(b"header") { 1 } else { 50 }, 100);
        let of = |text: &str| rarity.of_function(&Bag::new(text.as_bytes()));
        assert!(of("read header").score > of("parse link").score);
        assert!((of("the link header, parsed").share - 1.0).abs() < 1e-9);
        assert!((rarity.of_function(&asked).score - 1.0).abs() < 1e-9);
        assert_eq!(of("nothing").n_words, 0);
    }
}
