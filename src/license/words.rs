//! Reduces prose to words, so that layout, comment marks and quotes do not matter.

use std::borrow::Cow;

use memchr::memmem::Finder;
use serde::Deserialize;

/// The words of a text in lower case, one space between them, and the line of each.
#[derive(Debug, Clone, Default)]
pub(super) struct Words {
    /// All words, each with a space before and after it.
    text: String,
    /// Offsets of the words in `text`, with their lines from 1.
    lines: Vec<(u32, u32)>,
}

/// A phrase to search for, as whole words.
#[derive(Debug, Deserialize)]
#[serde(from = "String")]
pub(super) struct Phrase(Finder<'static>);

impl From<String> for Phrase {
    fn from(words: String) -> Self {
        Self(Finder::new(format!(" {words} ").as_bytes()).into_owned())
    }
}

impl Words {
    /// The words of `bytes`; the first line has the number `first_line`.
    pub fn new(bytes: &[u8], first_line: u32) -> Self {
        let mut words = Self { text: " ".to_owned(), lines: Vec::new() };
        for (line, number) in bytes.split(|&byte| byte == b'\n').zip(first_line..) {
            words.add_line(&String::from_utf8_lossy(line), number);
        }
        words
    }

    /// Appends the words of another part of the same text.
    pub fn append(&mut self, other: &Self) {
        let shift = self.text.len() as u32 - 1;
        self.text.push_str(&other.text[1..]);
        self.lines.extend(other.lines.iter().map(|(at, line)| (at + shift, *line)));
    }

    fn add_line(&mut self, line: &str, number: u32) {
        let mut is_first = true;
        let line = &later_spelled_out(line);
        for part in line.split(|c: char| !c.is_alphanumeric() && c != '.') {
            for word in split_points(part) {
                // The comment words of DOS batch files and m4.
                let is_comment_mark = std::mem::take(&mut is_first) && matches!(word, "rem" | "REM" | "dnl");
                if !is_comment_mark {
                    self.add_word(word, number);
                }
            }
        }
    }

    fn add_word(&mut self, word: &str, line: u32) {
        let word = word.to_lowercase();
        let number = word.strip_prefix('v').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        match (word.as_str(), number) {
            ("v", _) => self.push("version", line),
            (_, Some(number)) => {
                self.push("version", line);
                self.push(number, line);
            }
            ("licence", _) => self.push("license", line),
            ("licences", _) => self.push("licenses", line),
            (word, _) => self.push(word, line),
        }
    }

    fn push(&mut self, word: &str, line: u32) {
        self.lines.push((self.text.len() as u32, line));
        self.text.push_str(word);
        self.text.push(' ');
    }

    /// The words.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where `phrase` begins in [`Self::text`].
    pub fn find(&self, phrase: &str) -> Option<usize> {
        memchr::memmem::find(self.text.as_bytes(), format!(" {phrase} ").as_bytes())
    }

    /// Like [`Self::find`], for a phrase that is searched for in many texts.
    pub fn find_phrase(&self, phrase: &Phrase) -> Option<usize> {
        phrase.0.find(self.text.as_bytes())
    }

    /// Whether `phrase` is in the text.
    pub fn has(&self, phrase: &str) -> bool {
        self.find(phrase).is_some()
    }

    /// The line of the word at or after an offset of [`Self::text`].
    pub fn line_at(&self, offset: usize) -> u32 {
        let at = self.lines.partition_point(|(start, _)| (*start as usize) < offset);
        self.lines.get(at).or(self.lines.last()).map_or(1, |(_, line)| *line)
    }
}

/// "3.0+" as "3.0 or later".
fn later_spelled_out(line: &str) -> Cow<'_, str> {
    if !line.contains('+') {
        return Cow::Borrowed(line);
    }
    let mut spelled = String::with_capacity(line.len() + 16);
    let mut is_after_digit = false;
    for c in line.chars() {
        if c == '+' && is_after_digit {
            spelled.push_str(" or later ");
        } else {
            spelled.push(c);
        }
        is_after_digit = c.is_ascii_digit();
    }
    Cow::Owned(spelled)
}

/// Splits at periods, except between digits: `2.0` is a word.
fn split_points(part: &str) -> impl Iterator<Item = &str> {
    let bytes = part.as_bytes();
    let is_digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
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
        let words =
            Words::new(b" * Licensed under the Apache Licence,\n * Version 2.0 (the \"License\").\ndnl GPL v2.", 1);
        assert_eq!(words.text(), " licensed under the apache license version 2.0 the license gpl version 2 ");
        assert_eq!(words.line_at(words.find("version 2.0").expect("it is there") + 1), 2);
        assert!(words.has("apache license version 2.0"));
        assert!(!words.has("apache lic"));
    }
}
