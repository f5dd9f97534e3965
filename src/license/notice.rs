//! Extracts copyright notices, which most licenses require to be kept.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::markup::{in_utf8, without_entities};
use super::words::{speaks_of_terms, without_marks};
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

/// Maximum words before the word or sign of a notice: "Portions and documentation Copyright".
const MAX_BEFORE: usize = 4;

/// Whether a line begins as a claim does, or may: most that have the word are sentences.
fn may_claim(line: &str) -> bool {
    let claim = line.trim_start_matches(|c: char| !c.is_alphanumeric() && !"(©&<".contains(c));
    let begin = claim.as_bytes().get(..4).unwrap_or_default();
    begin.eq_ignore_ascii_case(b"copy")
        || claim.starts_with(['(', '©', '&', '<'])
        || line.contains("SPDX-FileCopyrightText:")
        || is_plain_claim(line)
}

/// Whether a line has a sign or a year right behind the word, and few words before it: "Portions
/// Copyright (c) 2020 A", "@author Copyright 2020 A", "Copyright: (c) 2020 A".
fn is_plain_claim(line: &str) -> bool {
    static PLAIN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)copyright(?:ed)?[\s:,]*(?:\(c\)|©|&copy;|[12]\d{3}\b)")
            .expect("it is valid")
    });
    PLAIN.find(line.as_bytes()).is_some_and(|of| {
        let before = &line[..of.start()];
        let words = before.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        !before.contains(['"', '=', '`']) && words.count() <= MAX_BEFORE
    })
}

/// Whether a text begins with the word or the sign of a notice.
fn is_claim(text: &str) -> bool {
    let lower = text.to_lowercase();
    ["copyright ", "(c) ", "©"].iter().any(|mark| lower.starts_with(mark))
}

/// A line without the tags of HTML around it.
fn without_tags(line: &str) -> &str {
    let mut line = line;
    while let Some((tag, rest)) = line.strip_prefix('<').and_then(|of| of.split_once('>'))
        && !rest.is_empty()
        && !tag.contains('@')
    {
        line = rest.trim_start();
    }
    let end = ["</", "<br>", "<br/", "<br "].iter().filter_map(|tag| line.find(tag)).min();
    line[..end.unwrap_or(line.len())].trim_end()
}

/// A line that claims a copyright: the word or the sign, followed by a year or a name.
fn copyright_line(line: &str) -> Option<String> {
    if line.len() > 300 || !may_claim(line) {
        return None;
    }
    let text = printable(without_entities(line).as_bytes());
    let is_mark = |c: char| !c.is_alphanumeric() && !"(©<@\\:".contains(c);
    let notice = without_tags(text.trim_start_matches(is_mark));
    let notice = ["-->", "*)"].iter().fold(notice, |of, end| of.strip_suffix(end).unwrap_or(of));
    let notice = notice.strip_prefix("(*").unwrap_or(notice);
    let start = notice.find(|c: char| c.is_alphanumeric() || c == '(' || c == '©')?;
    let (marks, notice) = notice.split_at(start);
    // "@author Copyright 2020 A", ":copyright: (c) 2020 A".
    let notice = match notice.split_once(' ') {
        Some((tag, rest))
            if marks.ends_with(['@', '\\', ':'])
                && tag != "copyright"
                && (is_claim(rest) || is_plain_claim(rest)) =>
        {
            rest.trim_start()
        }
        _ => notice,
    };
    let notice = notice.trim_end_matches([' ', '*', '/', '#', '-', '\t']).trim_end();
    let notice = notice.strip_prefix("SPDX-FileCopyrightText:").map_or(notice, str::trim_start);
    let is_plain = is_plain_claim(notice);
    // "Copyright 2020 A. Released under the MIT license."
    let notice = match notice.split_once(". ") {
        Some((claim, rest)) if is_plain && speaks_of_terms(&rest.to_lowercase()) => claim,
        _ => notice,
    };
    let lower = notice.to_lowercase();
    let is_claim = is_plain || is_claim(notice);
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
    let is_prose = ["[yyyy]", "<year>", "name of author"].iter().any(|of| lower.contains(of))
        || words.into_iter().any(|word| {
            ["notice", "holder", "license", "licensed", "statement"].contains(&word)
                || ["owner", "law"].contains(&word) && !is_plain
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
        check(b" * <h2><center>&copy; COPYRIGHT 2020 A</center></h2>", &["© COPYRIGHT 2020 A"]);
        check(b":copyright: (c) 2020 by A", &["(c) 2020 by A"]);
        check(
            b"(*   Copyright 2020 A <brook@example.invalid>   *)",
            &["Copyright 2020 A <brook@example.invalid>"],
        );
        let text = b" * Copyright 2010, 2011,\r\n *           2012 Lawrence Livermore\r\n";
        check(text, &["Copyright 2010, 2011, 2012 Lawrence Livermore"]);
        let names = ["Copyright Joyent, Inc. and others.", "Copyright jQuery Foundation"];
        check(b" * Copyright Joyent, Inc. and others.\n * Copyright jQuery Foundation\n", &names);
        let prose = b"Copyright is held by A.\nCopyright and B\nCopyright Law\n\"Copyright Holder\" means C";
        check(prose, &[]);
        for claim in [
            "Portions Copyright (c) 2020 A",
            "Copyright: (c) 2020 A",
            "Copyright(C) 2020 A",
            "Copyright, 2020, A",
            "Copyrighted 2020 by A",
            "CodeMirror, copyright (c) by A",
            "Copyright 2020 B Law Firm",
        ] {
            check(format!("# @rem {claim}\n").as_bytes(), &[claim]);
            check(format!(" * {claim}\n").as_bytes(), &[claim]);
        }
        let released = b"// Copyright (c) 2012 A. Released under the MIT license.";
        check(released, &["Copyright (c) 2012 A"]);
        check(b"print(\"Copyright (c) 2020 A\")\nAll that was said of it is Copyright 2020", &[]);
        check(b"Copyright 2020 J\xF6rg", &["Copyright 2020 Jörg"]);
        check(b"Copyright 2020 A&#27;[1m\x07", &["Copyright 2020 A\\u{1b}[1m\\u{7}"]);
    }
}
