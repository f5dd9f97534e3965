//! Extracts copyright notices, which most licenses require to be kept.

use std::collections::BTreeSet;

use crate::text::printable;

/// Maximum bytes of a text to search.
const MAX_BYTES: usize = 64 * 1024;
/// Maximum notices of a text to keep.
const MAX_LINES: usize = 50;

/// The copyright lines of a text, as written but without comment marks, in order and without
/// duplicates.
pub fn copyright_lines(text: &[u8]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    if !speaks_of_copyright(&text[..text.len().min(MAX_BYTES)]) {
        return Vec::new();
    }
    let lines = text[..text.len().min(MAX_BYTES)]
        .split(|byte| b"\r\n".contains(byte))
        .filter_map(copyright_line);
    lines.filter(|line| seen.insert(line.clone())).take(MAX_LINES).collect()
}

/// Whether a text contains one of the words that every notice has.
fn speaks_of_copyright(text: &[u8]) -> bool {
    ["opyright", "OPYRIGHT", "(c)", "(C)", "©", "&copy;"]
        .iter()
        .any(|word| memchr::memmem::find(text, word.as_bytes()).is_some())
}

/// A line that claims a copyright: the word or the sign, followed by a year or a name.
fn copyright_line(line: &[u8]) -> Option<String> {
    if line.len() > 300 || !speaks_of_copyright(line) {
        return None;
    }
    let text = decoded(&printable(line));
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
    // "Copyright notice" and "copyright holders" occur in license texts.
    let is_prose = ["notice", "holder", "owner", "law", "license", "statement", "[yyyy]", "<year>"]
        .iter()
        .any(|word| lower.contains(word));
    (is_tag || (is_claim && (has_year || has_sign) && !is_prose && !is_clause))
        .then(|| notice.to_owned())
}

/// Entities of HTML that notices are written with.
const ENTITIES: &[(&str, &str)] = &[
    ("&copy;", "©"),
    ("&#169;", "©"),
    ("&#xa9;", "©"),
    ("&#xA9;", "©"),
    ("&ndash;", "–"),
    ("&#8211;", "–"),
    ("&mdash;", "—"),
    ("&nbsp;", " "),
    ("&#160;", " "),
    ("&lt;", "<"),
    ("&gt;", ">"),
    ("&quot;", "\""),
    ("&auml;", "ä"),
    ("&ouml;", "ö"),
    ("&uuml;", "ü"),
    ("&eacute;", "é"),
    ("&amp;", "&"),
];

/// A text without entities: a notice is read by people.
fn decoded(text: &str) -> String {
    ENTITIES.iter().fold(text.to_owned(), |text, (entity, sign)| text.replace(entity, sign))
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
    }
}
