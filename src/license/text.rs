//! Recognizes whole license texts: LICENSE, COPYING and the like.
//!
//! Phrases come first: they are reliable, take microseconds, and get right what the text
//! comparison gets wrong. A text they do not recognize is compared with all SPDX texts.

use std::sync::{LazyLock, OnceLock};

use spdx::detection::TextData;

use super::expression::Expression;
use super::phrases::{Granted, granted, joined};
use super::words::Words;
use crate::text::unpack_xz;

/// Maximum bytes to read of a license text: the longest in SPDX has 90,000.
const MAX_BYTES: usize = 400_000;
/// Maximum bytes of a text to compare with all SPDX texts, since that takes time.
const MAX_COMPARED: usize = 120_000;
/// Minimum bytes of such a text.
const MIN_COMPARED: usize = 150;
/// Minimum bytes of a license with its own terms; a shorter text is a grant.
const LONG: usize = 6_000;
/// Minimum similarity to an SPDX text, 0 to 1.
const MIN_LIKENESS: f32 = 0.9;

/// A text that SPDX lists.
struct Known {
    name: &'static str,
    text: &'static str,
    size: Size,
    /// Its pairs of words, which are counted when they are first compared: that takes most of the time.
    data: OnceLock<TextData>,
}

/// The texts that SPDX lists, by the name of their license; `tools/licenses` writes them.
static KNOWN: LazyLock<Vec<Known>> = LazyLock::new(|| {
    static TEXTS: LazyLock<String> = LazyLock::new(|| unpack_xz(include_bytes!("../../config/licenses/texts.xz")));
    let texts = TEXTS.split('\u{1e}').filter_map(|text| text.split_once('\n'));
    texts.map(|(name, text)| Known { name, text, size: Size::of(text.lines()), data: OnceLock::new() }).collect()
});

/// The bytes of a normalized text that count for likeness: all of them, and those of lines without a copyright, which the
/// comparison may leave out.
struct Size {
    most: usize,
    least: usize,
}

impl Size {
    fn of<'l>(lines: impl Iterator<Item = &'l str>) -> Self {
        let (mut most, mut least) = (0, 0);
        for line in lines {
            most += line.len();
            least += if line.to_lowercase().contains("copyright") { 0 } else { line.len() };
        }
        Self { most, least }
    }

    /// Whether two texts with these sizes may be alike: at [`MIN_LIKENESS`] one has at most 11 words for 9 of the other's,
    /// and more than twice the bytes only if their words differ.
    fn may_fit(&self, other: &Self) -> bool {
        self.least <= 2 * other.most && other.least <= 2 * self.most
    }
}

/// The license of a whole text, and the line where it was recognized.
///
/// A text does not distinguish "only" from "or later": GNU licenses are given as "only", the narrower grant.
pub(super) fn identify(text: &[u8]) -> Option<(Expression, u32)> {
    let text = &text[..text.len().min(MAX_BYTES)];
    let words = Words::new(text, 1);
    let found = granted(&words, true);
    let (titles, others): (Vec<Granted>, Vec<Granted>) = found.into_iter().partition(|of| of.is_title);
    if titles.is_empty() {
        // Long texts mention other licenses, so a confident comparison takes precedence.
        let is_long = text.len() > LONG;
        let whole = if is_long { compare(text) } else { None };
        return whole.or_else(|| joined(others, &words)).or_else(|| if is_long { None } else { compare(text) });
    }
    // Below its title, a license text quotes the header it recommends; ignore what only repeats the title.
    let is_new = |of: &Granted| !titles.iter().any(|title| title.expression.agrees_with(&of.expression, false));
    let others: Vec<Granted> = others.iter().filter(|of| is_new(of)).cloned().collect();
    joined(titles.into_iter().chain(others).collect(), &words)
}

/// Compares a text with all SPDX texts.
fn compare(text: &[u8]) -> Option<(Expression, u32)> {
    let text = String::from_utf8_lossy(text);
    if !(MIN_COMPARED..=MAX_COMPARED).contains(&text.trim().len()) {
        return None;
    }
    let text = TextData::new(&text);
    let size = Size::of(text.lines().iter().map(String::as_str));
    let mut best: Option<(f32, &str)> = None;
    for known in KNOWN.iter().filter(|known| known.size.may_fit(&size)) {
        let likeness = known.data.get_or_init(|| TextData::new(known.text)).match_score(&text);
        if likeness > best.map_or(MIN_LIKENESS, |(most, _)| most) {
            best = Some((likeness, known.name));
        }
    }
    Expression::of(best?.1).map(|expression| (expression, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(id: &str, text: &str, expected: &str) {
        let found = identify(text.as_bytes()).map(|(expression, _)| expression.to_string());
        assert_eq!(found.as_deref(), Some(expected), "{id}");
    }

    #[test]
    fn every_frequent_text_of_spdx_is_recognized() {
        let ids = [
            ("MIT", "MIT"),
            ("MIT-0", "MIT-0"),
            ("X11", "X11"),
            ("JSON", "JSON"),
            ("ISC", "ISC"),
            ("0BSD", "0BSD"),
            ("Apache-2.0", "Apache-2.0"),
            ("Pixar", "Pixar"),
            ("BSD-2-Clause", "BSD-2-Clause"),
            ("BSD-3-Clause", "BSD-3-Clause"),
            ("BSD-4-Clause", "BSD-4-Clause"),
            ("BSL-1.0", "BSL-1.0"),
            ("Zlib", "Zlib"),
            ("Unlicense", "Unlicense"),
            ("CC0-1.0", "CC0-1.0"),
            ("WTFPL", "WTFPL"),
            ("GPL-1.0", "GPL-1.0-only"),
            ("GPL-2.0", "GPL-2.0-only"),
            ("GPL-3.0", "GPL-3.0-only"),
            ("LGPL-2.0", "LGPL-2.0-only"),
            ("LGPL-2.1", "LGPL-2.1-only"),
            ("LGPL-3.0", "LGPL-3.0-only"),
            ("AGPL-3.0", "AGPL-3.0-only"),
            ("MPL-1.1", "MPL-1.1"),
            ("MPL-2.0", "MPL-2.0"),
            ("EPL-1.0", "EPL-1.0"),
            ("EPL-2.0", "EPL-2.0"),
            ("CDDL-1.0", "CDDL-1.0"),
            ("SSPL-1.0", "SSPL-1.0"),
            ("BUSL-1.1", "BUSL-1.1"),
            ("Elastic-2.0", "Elastic-2.0"),
            ("Artistic-2.0", "Artistic-2.0"),
            ("PostgreSQL", "PostgreSQL"),
            ("OFL-1.1", "OFL-1.1"),
            ("CC-BY-4.0", "CC-BY-4.0"),
            ("CC-BY-SA-4.0", "CC-BY-SA-4.0"),
            ("EUPL-1.2", "EUPL-1.2"),
        ];
        let (mut missing, mut wrong): (Vec<&str>, Vec<String>) = (Vec::new(), Vec::new());
        for (id, expected) in ids {
            let names = [id.to_owned(), format!("{id}-only"), format!("{id}-or-later")];
            match KNOWN.iter().find(|known| names.iter().any(|name| name == known.name)) {
                Some(known) => {
                    let found = identify(known.text.as_bytes()).map(|(expression, _)| expression.to_string());
                    if found.as_deref() != Some(expected) {
                        wrong.push(format!("{id}: {found:?}"));
                    }
                }
                None => missing.push(id),
            }
        }
        assert_eq!(wrong, [""; 0]);
        assert!(missing.len() <= 2, "the crate has no texts of {missing:?}");
    }

    #[test]
    fn every_text_of_spdx_is_most_like_itself() {
        assert!(KNOWN.len() > 700, "{} texts", KNOWN.len());
        let data = |of: &'static Known| of.data.get_or_init(|| TextData::new(of.text));
        for known in KNOWN.iter().step_by(7).filter(|known| known.text.len() < MAX_COMPARED) {
            // Of a short header, no pair of words may be left.
            if data(known).match_score(data(known)) == 0.0 {
                continue;
            }
            let fitting = KNOWN.iter().filter(|other| other.size.may_fit(&known.size));
            let best = fitting.map(|other| data(other).match_score(data(known))).fold(0.0, f32::max);
            assert!(best > 0.999, "{}: {best}", known.name);
        }
    }

    #[test]
    fn two_texts_in_one_file_are_both_kept() {
        let mit = "Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the \"Software\"). The above copyright notice and this permission notice shall be included.";
        let zlib = "In no event will the authors be held liable for any damages arising from the use of this software. 1. The origin of this software must not be misrepresented.";
        check("both", &format!("{mit}\n\n---\n\n{zlib}"), "MIT AND Zlib");
        check("either", &format!("Dual-licensed:\n{mit}\n\n---\n\n{zlib}"), "MIT OR Zlib");
    }

    #[test]
    fn a_text_that_nobody_knows_stays_unknown() {
        assert_eq!(identify(b"You may use this on Tuesdays, if you have asked first and the moon is full."), None);
        assert_eq!(identify(b""), None);
    }
}
