//! Reduces prose to words as SPDX's matching guidelines say (annex B of SPDX 2.3), so that layout,
//! comment marks, quotes, bullets, copyright lines and spelling do not matter.

use std::borrow::Cow;
use std::ops::Range;

use super::limits::is_limit_of_header;
use super::markup::plain;

/// Maximum bytes of a line that is a copyright notice.
const MAX_NOTICE: usize = 200;

/// The words of a text in lower case, one space between them, and the line of each.
#[derive(Debug, Clone, Default)]
pub struct Words {
    /// All words, each with a space before and after it.
    text: String,
    words: Vec<Word>,
}

#[derive(Debug, Clone, Copy)]
struct Word {
    /// Its offset in the text.
    start: u32,
    /// Its line, from 1.
    line: u32,
    /// Whether a sentence ends behind it.
    is_last: bool,
}

/// Spellings that the guidelines count as equal, and what both become.
const EQUAL: &[(&str, &str)] = &[
    ("acknowledgement", "acknowledgment"),
    ("artefact", "artifact"),
    ("authorisation", "authorization"),
    ("authorised", "authorized"),
    ("expressed", "express"),
    ("favour", "favor"),
    ("fulfil", "fulfill"),
    ("https", "http"),
    ("judgement", "judgment"),
    ("licence", "license"),
    ("licenced", "licensed"),
    ("licences", "licenses"),
    ("merchantibility", "merchantability"),
    ("organisation", "organization"),
    ("organisations", "organizations"),
    ("owner", "holder"),
    ("owners", "holders"),
    ("programme", "program"),
    ("recognise", "recognize"),
    ("unlicence", "unlicense"),
    ("whilst", "while"),
    ("wilful", "willful"),
    ("wilfull", "willful"),
];

impl Words {
    /// The words of `bytes`; the first line has the number `first_line`.
    pub fn new(bytes: &[u8], first_line: u32) -> Self {
        let mut words = Self { text: " ".to_owned(), words: Vec::new() };
        let text = plain(bytes);
        let mut margin = None;
        for (line, number) in text.split(|&byte| byte == b'\n').zip(first_line..) {
            let line = String::from_utf8_lossy(line);
            let goes_on = margin.as_ref().is_some_and(|margin: &String| goes_on(&line, margin));
            if !goes_on {
                margin = words.add_line(&line, number);
            }
            margin = margin.filter(|_| !line.trim_end().ends_with('.'));
        }
        words
    }

    /// Appends the words of another part of the same text.
    pub fn append(&mut self, other: &Self) {
        self.end_sentence();
        let shift = self.text.len() as u32 - 1;
        self.text.push_str(&other.text[1..]);
        self.words
            .extend(other.words.iter().map(|word| Word { start: word.start + shift, ..*word }));
    }

    /// The same with these ranges moved to where a word is.
    pub fn with_behind(&self, ranges: &[Range<usize>], place: usize) -> Self {
        let mut words = Self { text: " ".to_owned(), words: Vec::new() };
        let (moved, rest): (Vec<usize>, Vec<usize>) =
            (0..self.n_words()).partition(|at| ranges.iter().any(|of| of.contains(at)));
        let (before, behind) = rest.split_at(rest.partition_point(|&at| at < place));
        for &at in before.iter().chain(&moved).chain(behind) {
            words.push(self.word(at), self.words[at].line);
            words.words.last_mut().expect("it was pushed").is_last = self.words[at].is_last;
        }
        words
    }

    /// Adds a line; of a copyright notice, returns what is before it.
    fn add_line(&mut self, whole: &str, number: u32) -> Option<String> {
        let line = without_marks(whole);
        let marks = &whole[..whole.len() - line.len()];
        let is_notice = is_notice(line);
        let is_about_file =
            is_file_heading(line) || marks.starts_with("#!") || is_version_field(marks, line);
        if line.is_empty() || is_notice || is_about_file {
            self.end_sentence();
            return is_notice.then(|| marks.to_owned());
        }
        if is_field(marks) {
            self.end_sentence();
        }
        let line = line.trim_end_matches([' ', '|']);
        // "... License version" may end the line before: what begins this one is its number.
        let is_number =
            self.words.last().is_some_and(|last| !last.is_last) && self.text.ends_with(" version ");
        let line = &later_spelled_out(if is_number { line } else { without_bullet(line) });
        let mut last = "";
        for part in line.split_inclusive(|c: char| !c.is_alphanumeric() && c != '.') {
            let word = part.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '.');
            // The mark of a footnote, as in "MIT License [1]", is no version.
            let is_footnote = last.ends_with('[') && is_bullet(word) && part.ends_with(']');
            last = part;
            match word.contains('.') {
                _ if is_footnote => {}
                true => split_points(word).for_each(|word| self.add_word(word, number)),
                false if word.is_empty() => {}
                false => self.add_word(word, number),
            }
            let is_end = word.ends_with('.') && !is_abbreviation(word);
            if is_end || part.ends_with([';', ':', '!', '?', '|']) {
                self.end_sentence();
            }
        }
        None
    }

    fn end_sentence(&mut self) {
        if let Some(word) = self.words.last_mut() {
            word.is_last = true;
        }
    }

    fn add_word(&mut self, word: &str, line: u32) {
        let is_lower = word.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
        let word = &*if is_lower { Cow::Borrowed(word) } else { word.to_lowercase().into() };
        match (word, numbered(word)) {
            ("v" | "ver", _) => self.push("version", line),
            (_, Some((name, number))) => {
                for word in [name, "version", number].iter().filter(|word| !word.is_empty()) {
                    self.push(word, line);
                }
            }
            (word, _) => {
                // "Sublicense" and "sub-license", "noninfringement" and "non-infringement".
                let (first, rest) = match word {
                    _ if word.starts_with("non") && word.len() > 8 => word.split_at(3),
                    _ if word.starts_with("sublicen") => word.split_at(3),
                    "sharealike" => word.split_at(5),
                    _ => ("", word),
                };
                if !first.is_empty() {
                    self.push(first, line);
                }
                let equal = EQUAL.binary_search_by_key(&rest, |(spelling, _)| spelling);
                self.push(equal.map_or(rest, |at| EQUAL[at].1), line);
            }
        }
    }

    fn push(&mut self, word: &str, line: u32) {
        self.words.push(Word { start: self.text.len() as u32, line, is_last: false });
        self.text.push_str(word);
        self.text.push(' ');
    }

    /// All of them.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The line of each word, counted from the first one's, and whether a sentence ends there.
    pub fn layout(&self) -> Vec<(u32, bool)> {
        let first = self.line_of(0);
        self.words.iter().map(|word| (word.line.wrapping_sub(first), word.is_last)).collect()
    }

    pub(super) fn n_words(&self) -> usize {
        self.words.len()
    }

    /// The word at a place; empty behind the last.
    pub(super) fn word(&self, at: usize) -> &str {
        self.of(at..at + 1)
    }

    /// The words of a range, up to the last of all, with a space between them.
    pub fn of(&self, range: Range<usize>) -> &str {
        let start =
            |at: usize| self.words.get(at).map_or(self.text.len(), |word| word.start as usize);
        self.text[start(range.start)..start(range.end)].trim_ascii_end()
    }

    /// The hash of each word.
    pub fn hashes(&self) -> Vec<u32> {
        self.text.split_ascii_whitespace().map(hash).collect()
    }

    /// The hashes of the runs of `GRAM` words, by the position of the first.
    pub fn grams(hashes: &[u32]) -> impl Iterator<Item = u32> + '_ {
        hashes.windows(GRAM).map(|run| {
            run.iter().fold(0, |all: u32, &word| (all.rotate_left(7) ^ word).wrapping_mul(MIX))
        })
    }

    /// Whether a sentence ends within a range.
    pub fn has_end(&self, range: Range<usize>) -> bool {
        self.words[range].iter().any(|word| word.is_last)
    }

    pub(super) fn sentences(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let mut start = range.start;
        let mut found = Vec::new();
        for at in range.clone() {
            if self.words[at].is_last || at + 1 == range.end {
                found.push(start..at + 1);
                start = at + 1;
            }
        }
        found
    }

    /// Where `phrase` begins in [`Self::text`].
    pub fn find(&self, phrase: &str) -> Option<usize> {
        let text = self.text.as_bytes();
        memchr::memmem::find_iter(text, phrase)
            .find(|at| text[at - 1] == b' ' && text[at + phrase.len()] == b' ')
            .map(|at| at - 1)
    }

    pub(super) fn has(&self, phrase: &str) -> bool {
        self.find(phrase).is_some()
    }

    /// The word at or after an offset of [`Self::text`].
    pub fn word_at(&self, offset: usize) -> usize {
        self.words.partition_point(|word| (word.start as usize) < offset)
    }

    pub(super) fn line_of(&self, word: usize) -> u32 {
        self.words.get(word).or(self.words.last()).map_or(1, |word| word.line)
    }
}

/// Number of words of a gram: four do not occur together by chance.
const GRAM: usize = 4;
const MIX: u32 = 0x9E37_79B1;

/// The hash of a word.
pub fn hash(word: &str) -> u32 {
    word.bytes().fold(0x811C_9DC5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// The parts of a word with a version: "v2", "gplv2", and "gpl2".
#[inline]
fn numbered(word: &str) -> Option<(&str, &str)> {
    if !word.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let name = word.find("gpl").and_then(|at| word.split_at_checked(at + 3));
    let mut parts = word.rsplit_once('v').into_iter().chain(name);
    parts.find(|(_, rest)| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Whether a word is the number or letter of a list.
pub fn is_bullet(word: &str) -> bool {
    word.len() == 1 || word.len() == 2 && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// A line without the marks of comments and quotes around it.
pub(super) fn without_marks(line: &str) -> &str {
    let line = line
        .trim_start_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '(' | '©' | '<' | '['));
    // The comment words of DOS batch files and m4.
    let rest = ["rem ", "REM ", "dnl "].iter().find_map(|mark| line.strip_prefix(mark));
    rest.map_or(line, without_marks)
}

/// A line without the number or letter of a list before it: `1.`, `(a)`, `iv)`, `1.1 Terms`.
fn without_bullet(line: &str) -> &str {
    let (bullet, rest) = line.split_once(' ').unwrap_or((line, ""));
    let inner = bullet.trim_start_matches('(').trim_end_matches(['.', ')', ':']);
    let rest = rest.trim_start();
    let is_number =
        inner.len() <= 6 && inner.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let is_letter =
        inner.len() == 1 || inner.len() <= 4 && inner.bytes().all(|byte| b"ivxIVX".contains(&byte));
    // "Version" may be at the end of the line before: "2.0 (the "License")".
    let is_title =
        is_number && rest.starts_with(|c: char| c.is_uppercase() || matches!(c, '"' | '“'));
    let is_mark = is_title || bullet.ends_with(['.', ')', ':']) && (is_number || is_letter);
    if is_mark && !inner.is_empty() { rest } else { line }
}

/// Whether a word with a period ends no sentence: "Inc.", "e.g.", initials.
fn is_abbreviation(word: &str) -> bool {
    let word = word.trim_end_matches('.');
    word.len() == 1
        || word.contains('.') && !word.starts_with(|c: char| c.is_ascii_digit())
        || ["inc", "ltd", "corp", "co", "llc", "al"].contains(&word.to_lowercase().as_str())
}

/// Whether a line is the name of a file that what follows is about: `ht-internal.h:`.
fn is_file_heading(line: &str) -> bool {
    let name = line.trim_end().strip_suffix(':').unwrap_or_default();
    name.contains('.') && !name.contains(char::is_whitespace)
}

/// Whether what is before a line makes it a field of a comment for tools: `@license MIT`.
fn is_field(marks: &str) -> bool {
    marks.ends_with(['@', '\\'])
}

/// Whether a line is the version of the file, and of no license: `@version 3.0`, `Version: 3.0`.
fn is_version_field(marks: &str, line: &str) -> bool {
    let Some(version) = line.strip_prefix("version").or_else(|| line.strip_prefix("Version"))
    else {
        return false;
    };
    let is_number = |of: &str| of.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    is_field(marks) || version.strip_prefix(':').is_some_and(|of| is_number(of.trim()))
}

/// Whether a line is a copyright notice, and no license: it has a year or sign, and grants nothing.
pub(super) fn is_notice(line: &str) -> bool {
    if line.len() > MAX_NOTICE || !line.starts_with(['c', 'C', '(', '©', 'p', 'P', 'a', 'A']) {
        return false;
    }
    let lower = line.to_lowercase();
    if speaks_of_terms(&lower) {
        return false;
    }
    let claim = ["copyright", "(c)", "©", "portions copyright"]
        .iter()
        .find_map(|mark| lower.strip_prefix(mark));
    let Some(rest) = claim.map(str::trim_start) else {
        return lower.starts_with("all rights reserved");
    };
    let has_year = rest.split(|c: char| !c.is_ascii_digit()).any(|digits| digits.len() == 4);
    has_year || rest.starts_with(['(', '©', '<', '[', '{']) && lower.starts_with('c')
}

/// Whether a line goes on with the copyright notice before it: it is further to the right.
fn goes_on(line: &str, margin: &str) -> bool {
    let lower = line.to_lowercase().replace(|c: char| !c.is_alphanumeric(), " ");
    let words: Vec<&str> = lower.split_whitespace().collect();
    line.strip_prefix(margin).is_some_and(|rest| rest.starts_with([' ', '\t']))
        && !words.is_empty()
        && !speaks_of_terms(&lower)
        && !is_limit_of_header(&words.join(" "))
}

/// Whether a line of a notice, in lower case, says what is granted.
pub(super) fn speaks_of_terms(lower: &str) -> bool {
    ["licens", "permission", " terms"].iter().any(|word| lower.contains(word))
}

/// "3.0+" as "3.0 or later".
fn later_spelled_out(line: &str) -> Cow<'_, str> {
    if !line.contains('+') {
        return Cow::Borrowed(line);
    }
    let mut parts = line.split('+').peekable();
    let mut spelled = String::with_capacity(line.len() + 16);
    while let Some(part) = parts.next() {
        spelled.push_str(part);
        // "GPLv2+CE" has an exception, and no later versions.
        let Some(next) = parts.peek() else { break };
        let is_later = part.ends_with(|c: char| c.is_ascii_digit())
            && !next.starts_with(|c: char| c.is_ascii_alphabetic());
        spelled.push_str(if is_later { " or later " } else { "+" });
    }
    Cow::Owned(spelled)
}

/// Splits at periods, except between digits: `2.0` is a word.
fn split_points(part: &str) -> impl Iterator<Item = &str> {
    let bytes = part.as_bytes();
    let is_digit =
        |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    let mut cuts = vec![0];
    for (at, _) in part.match_indices('.') {
        if !(is_digit(at.checked_sub(1)) && is_digit(Some(at + 1))) {
            cuts.extend([at, at + 1]);
        }
    }
    cuts.push(part.len());
    let pieces: Vec<&str> = cuts.windows(2).map(|cut| &part[cut[0]..cut[1]]).collect();
    pieces.into_iter().filter(|piece| !piece.is_empty() && *piece != ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_comment_marks_and_spelling_do_not_matter() {
        let text =
            b" * Licensed under the Apache Licence,\n * Version 2.0 (the \"License\").\ndnl GPL v2.\n# 1. Sublicense";
        let words = Words::new(text, 1);
        let plain =
            " licensed under the apache license version 2.0 the license gpl version 2 sub license ";
        assert_eq!(words.text(), plain);
        let at = words.find("version 2.0").expect("it is there");
        assert_eq!(words.line_of(words.word_at(at + 1)), 2);
        assert!(words.has("apache license version 2.0"));
        assert!(!words.has("apache lic"));
        assert_eq!(words.sentences(0..words.n_words()).len(), 3);
    }

    #[test]
    fn copyright_lines_are_no_part_of_a_license() {
        let text = "Copyright (c) 2020 Example\n(c) 2019 Other\nCopyright notices must stay.\nall";
        let words = Words::new(text.as_bytes(), 1);
        assert_eq!(words.text(), " copyright notices must stay all ");
        assert!(EQUAL.is_sorted());
    }
}
