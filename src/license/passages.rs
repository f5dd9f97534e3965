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

/// Parts of words of terms, in lower case, any of which adds a paragraph to a statement near it.
const LIMITING: &[&str] = &[
    "not", "must", "shall", "only", "prohibit", "permi", "allow", "commerc", "agree", "strict",
    "except", "liab", "warrant", "disclaim", "provided", "altern", "any one of", "choose",
    "choice", "copyright", "dual", "option", "terms", "under",
];

/// The same for a paragraph in another comment: what is said of a function there limits no license.
const LIMITING_ALL: &[&str] = &[
    "commercial", "icens", "military", "redistribut", "sell", "sold", "the software", "this file",
    "this program", "this software", "this source",
];

/// Maximum bytes between paragraphs that belong together.
const NEAR: usize = 600;

/// The parts of a text that may state a license: whole paragraphs, in order and apart.
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
    let before = [(&OF_ALL, near.start..comment.start), (&OF_COMMENT, comment.start..part.start)];
    let behind = [(&OF_COMMENT, part.end..comment.end), (&OF_ALL, comment.end..near.end)];
    let mut before = before.into_iter().flat_map(|(any, within)| places(text, any, within));
    let behind = behind.into_iter().flat_map(|(any, within)| places(text, any, within));
    before.next().map_or(part.start, |at| paragraph(text, at).start)
        ..behind.last().map_or(part.end, |at| paragraph(text, at).end)
}

/// Where a range of a text has one of some words.
fn places<'t>(
    text: &'t [u8],
    any: &'static Regex,
    within: Range<usize>,
) -> impl Iterator<Item = usize> + 't {
    any.find_iter(&text[within.clone()]).map(move |of| within.start + of.start())
}

/// What of `near` is in one comment with a part of it.
fn comment(text: &[u8], part: &Range<usize>, near: &Range<usize>) -> Range<usize> {
    let first = lines(&text[part.clone()]).next().unwrap_or_default();
    let last = lines(&text[part.clone()]).next_back().unwrap_or_default();
    let (begins, ends) = (["/*", "<!--", "\"\"\""], ["*/", "-->", "\"\"\""]);
    let n_before = n_going_on(first, lines(&text[near.start..part.start]).rev(), begins);
    let n_behind = n_going_on(last, lines(&text[part.end..near.end]), ends);
    part.start - n_before..part.end + n_behind
}

fn lines(text: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    text.split_inclusive(|&byte| byte == b'\n')
}

/// The bytes of `lines` next to a line that are in a comment with it: those that begin with the
/// same mark, or else those up to the end of the comment.
fn n_going_on<'t>(line: &[u8], lines: impl Iterator<Item = &'t [u8]>, ends: [&str; 3]) -> usize {
    let mark = mark(line);
    let mut is_open = mark.is_some() || !has_any(line, ends);
    let inside = lines.take_while(|next| match mark {
        Some(_) => self::mark(next) == mark,
        None => std::mem::replace(&mut is_open, !has_any(next, ends)),
    });
    inside.map(<[u8]>::len).sum()
}

fn has_any(line: &[u8], marks: [&str; 3]) -> bool {
    marks.iter().any(|mark| memchr::memmem::find(line, mark.as_bytes()).is_some())
}

/// The mark that a line of a comment begins with, if each line of it has one.
fn mark(line: &[u8]) -> Option<u8> {
    let line = line.trim_ascii_start();
    line.first().copied().filter(|mark| mark.is_ascii_punctuation() && !line.starts_with(b"/*"))
}

/// The lines around an offset up to those that hold no more than marks.
fn paragraph(text: &[u8], at: usize) -> Range<usize> {
    let start = memchr::memrchr(b'\n', &text[..at]).map_or(0, |at| at + 1);
    let end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |n| at + n + 1);
    let before = lines(&text[..start]).rev().take_while(|line| !is_blank(line));
    let behind = lines(&text[end..]).take_while(|line| !is_blank(line));
    start - before.map(<[u8]>::len).sum::<usize>()..end + behind.map(<[u8]>::len).sum::<usize>()
}

/// Whether a line holds no more than marks.
fn is_blank(line: &[u8]) -> bool {
    !line.iter().any(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii())
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
