//! Extracts copyright notices, which most licenses require to be kept.

use std::collections::BTreeSet;

use super::markup::{in_utf8, without_entities};
use super::words::without_marks;
use crate::text::printable;

/// Maximum bytes of a text to search.
const MAX_BYTES: usize = 64 * 1024;
/// Maximum notices of a text to keep.
const MAX_LINES: usize = 50;

/// The copyright lines of a text, as written but without comment marks, in order and without
/// duplicates.
pub fn copyright_lines(text: &[u8]) -> Vec<String> {
    let text = &text[..text.len().min(MAX_BYTES)];
    if !speaks_of_copyright(text) {
        return Vec::new();
    }
    let text = in_utf8(text);
    let lines: Vec<&str> = text.split(['\r', '\n']).filter(|line| !line.is_empty()).collect();
    // Years that fill a line have their holder on the next.
    let whole = |at: usize| {
        let next = lines.get(at + 1).filter(|_| lines[at].trim_end().ends_with(','));
        next.and_then(|next| copyright_line(&format!("{} {}", lines[at], without_marks(next))))
            .or_else(|| copyright_line(lines[at]))
    };
    let mut seen = BTreeSet::new();
    let notices = (0..lines.len()).filter_map(whole);
    notices.filter(|line| seen.insert(line.clone())).take(MAX_LINES).collect()
}

/// Whether a text contains one of the words that every notice has.
fn speaks_of_copyright(text: &[u8]) -> bool {
    ["opyright", "OPYRIGHT", "(c)", "(C)", "©", "&copy;"]
        .iter()
        .any(|word| memchr::memmem::find(text, word.as_bytes()).is_some())
}

/// A line that claims a copyright: the word or the sign, followed by a year or a name.
fn copyright_line(line: &str) -> Option<String> {
    if line.len() > 300 || !speaks_of_copyright(line.as_bytes()) {
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
    // "Copyright notice" and "copyright holders" occur in license texts, and Lawrence is a name.
    let words = lower.split(|c: char| !c.is_alphanumeric()).map(|word| word.trim_end_matches('s'));
    let is_prose = lower.contains("[yyyy]")
        || lower.contains("<year>")
        || words.into_iter().any(|word| {
            ["notice", "holder", "owner", "law", "license", "licensed", "statement"].contains(&word)
        });
    (is_tag || (is_claim && (has_year || has_sign) && !is_prose && !is_clause))
        .then(|| notice.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_are_taken_and_prose_is_not() {
        let text = b"/*\n * Copyright (c) 2013, Example <a@example.invalid>\n * Copyright (c) 2013, Example <a@example.invalid>\n * the above copyright notice\n */\n// SPDX-FileCopyrightText: 2020 Other\n";
        assert_eq!(
            copyright_lines(b"(c) You must retain\n(c) under Patent Claims infringed\n"),
            [""; 0]
        );
        assert_eq!(
            copyright_lines(b"Copyright (c) 2020 A\r\n(c) 2021 B<br>\r\n"),
            ["Copyright (c) 2020 A", "(c) 2021 B"]
        );
        assert_eq!(
            copyright_lines(text),
            ["Copyright (c) 2013, Example <a@example.invalid>", "2020 Other"]
        );
        assert_eq!(
            copyright_lines(b"Copyright &copy; 2006&ndash;2012 A &amp; B"),
            ["Copyright © 2006–2012 A & B"]
        );
        assert_eq!(copyright_lines(b"&copy; 2020 A<br>"), ["© 2020 A"]);
        assert_eq!(
            copyright_lines(
                b" * Copyright 2010, 2011,\r\n *           2012 Lawrence Livermore\r\n"
            ),
            ["Copyright 2010, 2011, 2012 Lawrence Livermore"]
        );
        assert_eq!(copyright_lines(b"Copyright 2020 J\xF6rg"), ["Copyright 2020 Jörg"]);
        assert_eq!(
            copyright_lines(b"Copyright 2020 A&#27;[1m\x07"),
            ["Copyright 2020 A\\u{1b}[1m\\u{7}"]
        );
    }
}
