//! Extracts copyright notices, which most licenses require to be kept.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::markup::{in_utf8, without_entities};
use super::words::without_marks;
use crate::text::printable;

/// Maximum bytes of a text to search.
const MAX_BYTES: usize = 64 * 1024;
/// Maximum notices of a text to keep.
const MAX_LINES: usize = 50;

/// The first 50 copyright lines in 64 KiB, without comment marks, in order and each once.
pub fn copyright_lines(text: &[u8]) -> Vec<String> {
    let text = &text[..text.len().min(MAX_BYTES)];
    if marks(text).next().is_none() {
        return Vec::new();
    }
    let text = in_utf8(text);
    let (mut seen, mut notices, mut behind) = (BTreeSet::new(), Vec::new(), 0);
    for at in marks(text.as_bytes()) {
        if at < behind || notices.len() >= MAX_LINES {
            continue;
        }
        let (line, next) = lines_from(&text, at);
        behind = line.end;
        let line = &text[line];
        // Years that fill a line have their holder on the next.
        let whole = next
            .filter(|_| line.trim_end().ends_with(','))
            .and_then(|next| copyright_line(&format!("{line} {}", without_marks(&text[next]))));
        if let Some(notice) = whole.or_else(|| copyright_line(line))
            && seen.insert(notice.clone())
        {
            notices.push(notice);
        }
    }
    notices
}

/// The line around an offset, and the next one that is not empty.
fn lines_from(text: &str, at: usize) -> (Range<usize>, Option<Range<usize>>) {
    let end_of = |at: usize| text[at..].find(['\r', '\n']).map_or(text.len(), |n| at + n);
    let line = text[..at].rfind(['\r', '\n']).map_or(0, |at| at + 1)..end_of(at);
    let n_empty = text[line.end..].bytes().take_while(|byte| b"\r\n".contains(byte)).count();
    let start = line.end + n_empty;
    (line, (start < text.len()).then(|| start..end_of(start)))
}

/// Where a text has one of the words that every notice has.
fn marks(text: &[u8]) -> impl Iterator<Item = usize> {
    static MARK: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"opyright|OPYRIGHT|\(c\)|\(C\)|©|&copy;").expect("it is valid")
    });
    MARK.find_iter(text).map(|of| of.start())
}

/// Whether a line begins as a claim does, or may: most that have the word are sentences.
fn may_claim(line: &str) -> bool {
    let claim = line.trim_start_matches(|c: char| !c.is_alphanumeric() && !"(©&<".contains(c));
    let begin = claim.as_bytes().get(..4).unwrap_or_default();
    begin.eq_ignore_ascii_case(b"copy")
        || claim.starts_with(['(', '©', '&', '<'])
        || line.contains("SPDX-FileCopyrightText:")
}

/// A line that claims a copyright: the word or the sign, followed by a year or a name.
fn copyright_line(line: &str) -> Option<String> {
    if line.len() > 300 || !may_claim(line) {
        return None;
    }
    let text = printable(without_entities(line).as_bytes());
    let start = text.find(|c: char| c.is_alphanumeric() || c == '(' || c == '©')?;
    let notice = text[start..].trim_end();
    let notice = ["-->", "<br>", "<br/>", "<br />", "</p>"]
        .iter()
        .fold(notice, |of, end| of.strip_suffix(end).unwrap_or(of));
    let notice = notice.trim_end_matches([' ', '*', '/', '#', '-', '\t']).trim_end();
    let notice = notice.strip_prefix("SPDX-FileCopyrightText:").map_or(notice, str::trim_start);
    let lower = notice.to_lowercase();
    let is_claim =
        lower.starts_with("copyright ") || lower.starts_with("(c) ") || lower.starts_with('©');
    // "(c) You must retain" is a clause of a license: a mark alone claims nothing without a year.
    let is_clause = lower.starts_with("(c) ") && !notice.contains(|c: char| c.is_ascii_digit());
    let is_tag = text.contains("SPDX-FileCopyrightText:");
    let has_year = notice.split(|c: char| !c.is_ascii_digit()).any(|digits| digits.len() == 4);
    let has_sign = lower.contains("(c)") || lower.contains('©');
    // "Copyright jQuery Foundation and other contributors". A sentence goes on in lower case.
    let of_whom = notice.strip_prefix("Copyright ").and_then(|of| of.split_whitespace().next());
    let names = of_whom.is_some_and(|name| name.contains(char::is_uppercase));
    // "Copyright notice" and "copyright holders" occur in license texts, and Lawrence is a name.
    let words = lower.split(|c: char| !c.is_alphanumeric()).map(|word| word.trim_end_matches('s'));
    let is_prose = lower.contains("[yyyy]")
        || lower.contains("<year>")
        || words.into_iter().any(|word| {
            ["notice", "holder", "owner", "law", "license", "licensed", "statement"].contains(&word)
        });
    (is_tag || (is_claim && (has_year || has_sign || names) && !is_prose && !is_clause))
        .then(|| notice.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_are_taken_and_prose_is_not() {
        let check = |text: &[u8], expected: &[&str]| assert_eq!(copyright_lines(text), expected);
        check(b"(c) You must retain\n(c) under Patent Claims infringed\n", &[]);
        let two = ["Copyright (c) 2020 A", "(c) 2021 B"];
        check(b"Copyright (c) 2020 A\r\n(c) 2021 B<br>\r\n", &two);
        let text = b"/*\n * Copyright (c) 2013, Example <a@example.invalid>\n * Copyright (c) 2013, Example <a@example.invalid>\n * the above copyright notice\n */\n// SPDX-FileCopyrightText: 2020 Other\n";
        check(text, &["Copyright (c) 2013, Example <a@example.invalid>", "2020 Other"]);
        let years = ["Copyright © 2006–2012 A & B"];
        check(b"Copyright &copy; 2006&ndash;2012 A &amp; B", &years);
        check(b"&copy; 2020 A<br>", &["© 2020 A"]);
        let text = b" * Copyright 2010, 2011,\r\n *           2012 Lawrence Livermore\r\n";
        check(text, &["Copyright 2010, 2011, 2012 Lawrence Livermore"]);
        let names = ["Copyright Joyent, Inc. and others.", "Copyright jQuery Foundation"];
        check(b" * Copyright Joyent, Inc. and others.\n * Copyright jQuery Foundation\n", &names);
        let prose = b"Copyright is held by A.\nCopyright and B\nCopyright Law\n\"Copyright Holder\" means C";
        check(prose, &[]);
        check(b"Copyright 2020 J\xF6rg", &["Copyright 2020 Jörg"]);
        check(b"Copyright 2020 A&#27;[1m\x07", &["Copyright 2020 A\\u{1b}[1m\\u{7}"]);
    }
}
