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
    "icens", "ICENS", "icenc", "ermiss", "ermit", "PERMI", "istribut", "ublic domain",
    "PUBLIC DOMAIN", "ublic Domain", "GPL", "onfidential", "CONFIDENTIAL", "nauthorized",
    "misrepresented", "arrant", "ARRANT", "isclaim", "ISCLAIM", "LIABLE",
];

/// Parts of words of terms, in lower case: a paragraph with one of them, near a statement, may be
/// part of it.
const LIMITING: &[&str] = &[
    "not", "must", "shall", "only", "prohibit", "permi", "allow", "commerc", "agree", "strict",
    "exception", "except", "liab", "warrant", "disclaim", "provided", "altern", "any one of",
    "choose", "choice", "copyright", "dual", "option", "terms", "under",
];

/// The same for a paragraph in another comment: what is said of a function there limits no license.
const LIMITING_ALL: &[&str] = &[
    "commercial", "icens", "military", "redistribut", "sell", "sold", "the software", "this file",
    "this program", "this software", "this source",
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
    static OF_COMMENT: LazyLock<Regex> = LazyLock::new(|| any_of("(?i-u)", LIMITING));
    static OF_ALL: LazyLock<Regex> = LazyLock::new(|| any_of("(?i-u)", LIMITING_ALL));
    let near = part.start.saturating_sub(NEAR)..(part.end + NEAR).min(text.len());
    let comment = comment(text, &part, &near);
    let places = |any: &'static Regex, near: Range<usize>| {
        any.find_iter(&text[near.clone()]).map(move |of| near.start + of.start())
    };
    let mut before = places(&OF_ALL, near.start..comment.start)
        .chain(places(&OF_COMMENT, comment.start..part.start));
    let behind =
        places(&OF_COMMENT, part.end..comment.end).chain(places(&OF_ALL, comment.end..near.end));
    before.next().map_or(part.start, |at| paragraph(text, at).start)
        ..behind.last().map_or(part.end, |at| paragraph(text, at).end)
}

/// What of `near` is in one comment with a part of it.
fn comment(text: &[u8], part: &Range<usize>, near: &Range<usize>) -> Range<usize> {
    let lines = |of: Range<usize>| text[of].split_inclusive(|&byte| byte == b'\n');
    let first = lines(part.clone()).next().unwrap_or_default();
    let last = lines(part.clone()).next_back().unwrap_or_default();
    let n_before = n_going_on(first, lines(near.start..part.start).rev(), BEGINS);
    let n_behind = n_going_on(last, lines(part.end..near.end), ENDS);
    part.start - n_before..part.end + n_behind
}

/// The bytes of `lines` next to a line that are in a comment with it: those that begin with the
/// same mark, or else those up to the end of the comment.
fn n_going_on<'t>(line: &[u8], lines: impl Iterator<Item = &'t [u8]>, ends: [&str; 3]) -> usize {
    let mark = mark(line);
    let is_end =
        |line: &[u8]| ends.iter().any(|end| memchr::memmem::find(line, end.as_bytes()).is_some());
    let mut is_open = mark.is_some() || !is_end(line);
    let goes_on = |next: &&[u8]| match mark {
        Some(_) => self::mark(next) == mark,
        None => std::mem::replace(&mut is_open, !is_end(next)),
    };
    lines.take_while(goes_on).map(<[u8]>::len).sum()
}

/// The mark that a line of a comment begins with, if each line of it has one.
fn mark(line: &[u8]) -> Option<u8> {
    let line = line.trim_ascii_start();
    line.first().copied().filter(|mark| mark.is_ascii_punctuation() && !line.starts_with(b"/*"))
}

/// What begins a comment, and what ends it.
const BEGINS: [&str; 3] = ["/*", "<!--", "\"\"\""];
const ENDS: [&str; 3] = ["*/", "-->", "\"\"\""];

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
