//! Finds the parts of a file that may state a license, and remembers what they were read as: the
//! headers of one project are mostly the same.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, RandomState};
use std::ops::Range;
use std::sync::{LazyLock, Mutex, PoisonError};

use regex::bytes::Regex;

use super::text::{self, Identity};
use super::words::Words;

/// Words of which every statement of a license has one. Most files have none.
const SPEAKING: &[&str] = &[
    "icens", "ICENS", "icenc", "ermi", "PERMI", "istribut", "ublic domain", "PUBLIC DOMAIN",
    "ublic Domain", "GPL", "onfidential", "CONFIDENTIAL", "nauthorized", "misrepresented",
    "arrant", "ARRANT", "isclaim", "ISCLAIM", "LIABLE",
];

/// Parts of words of terms, in lower case: a paragraph with one of them, near a statement, may be
/// part of it.
const LIMITING: &[&str] = &[
    "not", "must", "shall", "only", "prohibit", "permi", "allow", "commerc", "agree", "strict",
    "exception", "except", "liab", "warrant", "disclaim", "provided", "altern", "any one of",
    "choose", "choice", "copyright", "dual", "option", "terms", "under",
];

/// Maximum bytes between paragraphs that belong together.
const NEAR: usize = 600;

/// The parts of a text that may state a license: whole paragraphs, in order and apart from each
/// other.
pub(super) fn passages(text: &[u8]) -> Vec<Range<usize>> {
    static ANY: LazyLock<Regex> = LazyLock::new(|| any_of("", SPEAKING));
    let mut found: Vec<Range<usize>> = Vec::new();
    for at in ANY.find_iter(text).map(|of| of.start()) {
        if found.last().is_none_or(|of| of.end <= at) {
            add(&mut found, paragraph(text, at));
        }
    }
    let mut whole = Vec::new();
    found.into_iter().for_each(|of| add(&mut whole, with_limits(text, of)));
    whole
}

/// One search for all of some words.
fn any_of(flags: &str, words: &[&str]) -> Regex {
    Regex::new(&format!("{flags}(?:{})", words.join("|"))).expect("words are letters and spaces")
}

/// Adds a part of a text behind others; those that are near each other become one.
fn add(parts: &mut Vec<Range<usize>>, next: Range<usize>) {
    match parts.last_mut().filter(|last| next.start <= last.end + NEAR) {
        Some(last) => last.end = next.end.max(last.end),
        None => parts.push(next),
    }
}

/// A part of a text with the paragraphs near it that may limit it.
fn with_limits(text: &[u8], part: Range<usize>) -> Range<usize> {
    static ANY: LazyLock<Regex> = LazyLock::new(|| any_of("(?i-u)", LIMITING));
    let places = |near: Range<usize>| {
        ANY.find_iter(&text[near.clone()]).map(move |of| near.start + of.start())
    };
    let before = places(part.start.saturating_sub(NEAR)..part.start).next();
    let behind = places(part.end..(part.end + NEAR).min(text.len())).last();
    before.map_or(part.start, |at| paragraph(text, at).start)
        ..behind.map_or(part.end, |at| paragraph(text, at).end)
}

/// The lines around an offset up to those that hold no more than marks.
fn paragraph(text: &[u8], at: usize) -> Range<usize> {
    let is_blank =
        |line: &[u8]| !line.iter().any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii());
    let line_before = |end: usize| memchr::memrchr(b'\n', &text[..end]).map_or(0, |at| at + 1);
    let line_end =
        |at: usize| memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |n| at + n + 1);
    let (mut start, mut end) = (line_before(at), line_end(at));
    while start > 0 && !is_blank(&text[line_before(start - 1)..start]) {
        start = line_before(start - 1);
    }
    while end < text.len() && !is_blank(&text[end..line_end(end)]) {
        end = line_end(end);
    }
    start..end
}

/// What texts were read as.
#[derive(Debug, Default)]
pub struct KnownTexts {
    seed: RandomState,
    all: Mutex<HashMap<u64, Option<Identity>>>,
}

impl KnownTexts {
    /// The license that a license text is.
    pub(super) fn license(&self, text: &[u8]) -> Option<Identity> {
        self.read(("license", text), || text::identify(text))
    }

    /// The license that a part of a file states. Copyright lines and comment marks do not matter.
    pub(super) fn header(&self, text: &[u8]) -> Option<Identity> {
        self.read(("header", text), || {
            let words = Words::new(text, 1);
            let first = words.line_of(0);
            let key = ("words", words.text().to_owned(), words.layout());
            let found = self.read(key, || {
                text::header(words).map(|of| Identity { line: of.line - first, ..of })
            });
            found.map(|of| Identity { line: of.line + first, ..of })
        })
    }

    fn read(&self, key: impl Hash, read: impl FnOnce() -> Option<Identity>) -> Option<Identity> {
        let key = self.seed.hash_one(key);
        // What is there is right whatever else a thread left undone.
        let all = || self.all.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = all().get(&key) {
            return found.clone();
        }
        let found = read();
        all().insert(key, found.clone());
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_near_each_other_are_one_passage() {
        let n_parts = |n_between: usize| {
            let text = format!("license\n\n{}\n\nlicense\n", "x".repeat(n_between));
            passages(text.as_bytes()).len()
        };
        assert_eq!(n_parts(597), 1);
        assert_eq!(n_parts(598), 2);
    }
}
