//! Identifies the license of a whole text: LICENSE, COPYING and the like.
//!
//! A text is a license if SPDX's template of it matches, but for words that state no condition. If
//! conditions are added or missing, it is an unknown license that is like another, with the
//! sentences that differ.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use serde::Deserialize;

use super::align::{TemplateMatch, abridged, readings};
use super::choice::{LicenseStatement, is_offer, joined};
use super::grants::{EXCEPTIONS, Grant, alone, grants, title};
use super::limits::{begins, explains, is_limit, is_limit_of_header, is_limit_of_name};
use super::{Expression, Words, words};
use crate::text::shortened;

/// Maximum bytes to read of a license text: the longest in SPDX has 90,000.
const MAX_BYTES: usize = 400_000;
/// Maximum share of a text that may differ, if no condition does: in percent.
const TOLERANCE: usize = 5;
/// Maximum words in a row that may differ.
const MAX_ROW: usize = 12;
/// Minimum words of a text that is part of a license's.
const MIN_PART: usize = 100;

/// What a text states.
#[derive(Debug, Clone)]
pub(super) struct Identity {
    /// The license; `None` if it is unknown.
    pub expression: Option<Expression>,
    /// Where it begins.
    pub line: u32,
    /// What is known of an unknown one.
    pub written: String,
    /// Whether it has a license text, whole or in part.
    pub has_text: bool,
}

/// A license, and the phrases by which it is known.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Phrase {
    license: String,
    any: Vec<String>,
}

static PHRASES: LazyLock<HashMap<String, Vec<Phrase>>> = LazyLock::new(|| {
    toml::from_str(include_str!("../../config/licenses/phrases.toml"))
        .expect("a test reads the built-in table")
});

/// Maximum words between a license in a header and a sentence that is about it.
const NEAR: usize = 60;

/// Beginnings of words that state conditions.
const CONDITIONS: &[&str] = &[
    "advertis", "agree", "alter", "attribut", "author", "charg", "commerc", "condition", "consent",
    "copies", "copy", "credit", "derivative", "disclos", "display", "distribut", "endors",
    "except", "fee", "forbid", "free", "govern", "grant", "include", "indemnif", "institution",
    "internal", "liab", "limit", "may", "military", "modif", "must", "name", "neither", "no",
    "non", "nor", "not", "notice", "nuclear", "only", "patent", "permi", "personal", "prior",
    "profit", "prohibit", "promot", "provided", "publish", "redistribut", "registered", "reproduc",
    "require", "research", "restrict", "retain", "revoke", "right", "royalt", "sell", "sold",
    "shall", "should", "source", "sub", "terminat", "terms", "third", "trademark", "unless",
    "unmodified", "use", "used", "user", "warrant", "will", "without", "written",
];

/// The license of a whole text; `None` if nothing in it is known.
pub(super) fn identify(text: &[u8]) -> Option<Identity> {
    let words = alternatives_last(Words::new(&text[..text.len().min(MAX_BYTES)], 1));
    let mut parts = Parts::new(&words);
    if parts.readings.is_empty() {
        parts.readings.extend(abridged(&words));
        parts.beginning = parts.beginning.filter(|_| parts.readings.is_empty());
    }
    if parts.readings.is_empty() && parts.grants.is_empty() {
        if let Some(expression) = names(text) {
            let (line, written) = (words.line_of(0), String::new());
            return Some(Identity { expression: Some(expression), line, written, has_text: false });
        }
        parts.grants.extend(title(&words));
    }
    parts.identity(&words, true)
}

/// The licenses of a text that is no more than their names, as people join them.
fn names(text: &[u8]) -> Option<Expression> {
    let text = String::from_utf8_lossy(text);
    let lines =
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !words::is_notice(line));
    Expression::parse(lines.collect::<Vec<_>>().join("\n").trim_end_matches('.'))
}

/// The license that the header of a source file states; `None` if it states none.
pub(super) fn header(words: Words) -> Option<Identity> {
    let words = alternatives_last(words);
    let mut parts = Parts::new(&words);
    if parts.readings.is_empty() && parts.grants.is_empty() {
        parts.grants.extend(alone(&words));
    }
    parts.identity(&words, false)
}

/// The words with the sentences in a license text that offer another one behind that text.
fn alternatives_last(words: Words) -> Words {
    if !words.has("alternatively") {
        return words;
    }
    let mut texts = readings(&words).into_iter().filter(|of| 2 * of.n_equal > of.n_required);
    let text = texts.find(|of| words.of(of.range.clone()).contains("alternatively"));
    let Some(text) = text else { return words };
    let mut offers: Vec<Range<usize>> = Vec::new();
    let sentences = words.sentences(0..words.n_words()).into_iter();
    for sentence in sentences.filter(|of| text.is_mostly_added(of)) {
        let begins = words.of(sentence.clone()).starts_with("alternatively");
        // "This clause is necessary due to a bad interaction between the GPL and ..."
        let goes_on = offers.last().is_some_and(|of| of.end == sentence.start)
            && words.of(sentence.clone()).contains("clause");
        if begins && !grants(&words, sentence.clone()).is_empty() || goes_on {
            offers.push(sentence);
        }
    }
    if offers.is_empty() { words } else { words.with_behind(&offers, text.range.end) }
}

struct Parts {
    readings: Vec<TemplateMatch>,
    /// Licenses that are named between these texts.
    grants: Vec<Grant>,
    /// Licenses whose text is said to be somewhere.
    references: Vec<Grant>,
    /// A license text of which most is missing, and which most of the text is.
    beginning: Option<TemplateMatch>,
}

impl Parts {
    fn new(words: &Words) -> Self {
        let (readings, partial): (Vec<TemplateMatch>, Vec<TemplateMatch>) =
            readings(words).into_iter().partition(|of| 2 * of.n_equal > of.n_required);
        let all: Vec<Grant> =
            between(&readings, words).into_iter().flat_map(|part| grants(words, part)).collect();
        let (mut references, mut grants): (Vec<Grant>, Vec<Grant>) =
            all.into_iter().partition(|of| of.is_reference);
        if readings.is_empty() && grants.is_empty() {
            std::mem::swap(&mut references, &mut grants);
        }
        let beginning = partial.into_iter().find(|of| {
            of.starts
                && spdx::license_id(of.id).is_some()
                && of.n_equal >= MIN_PART
                && 2 * of.range.len() > words.n_words()
        });
        Self { readings, grants, references, beginning }
    }

    fn identity(&self, words: &Words, is_whole: bool) -> Option<Identity> {
        if let Some(beginning) = &self.beginning {
            let (line, written) =
                (words.line_of(beginning.body), format!("part of {}", beginning.id));
            return Some(Identity { expression: None, line, written, has_text: true });
        }
        let starts = self.readings.iter().map(|of| of.body);
        let starts = starts.chain(self.grants.iter().map(|of| of.range.start));
        let line = starts.min().map(|at| words.line_of(at));
        let Some(line) = line else { return phrase(words) };
        let (expression, written) = match self.expression(words, is_whole) {
            Ok(expression) => (Some(expression), String::new()),
            Err(written) => (None, written),
        };
        let has_text = !self.readings.is_empty();
        Some(Identity { expression, line, written, has_text })
    }

    /// The license; if it is unknown, why.
    fn expression(&self, words: &Words, is_whole: bool) -> Result<Expression, String> {
        for reading in self.readings.iter().filter(|of| !of.is_abridged()) {
            let differing = conditions(reading, words);
            if !differing.is_empty() {
                return Err(with_other_terms(reading.id, &differing));
            }
        }
        let stated = self.stated();
        if let Some(vague) = stated.iter().find(|of| of.expression.is_none()) {
            return Err(words.of(vague.range.clone()).to_owned());
        }
        let exceptions = self.readings.iter().filter(|of| spdx::exception_id(of.id).is_some());
        let around = between(&self.readings, words);
        let joined = joined(stated, words, &around).ok_or("an exception")?;
        let left = self.left_over(words, is_whole);
        if !left.is_empty() {
            return Err(with_other_terms(&joined.to_string(), &left));
        }
        let named = EXCEPTIONS.iter().filter(|(name, _)| words.has(name)).map(|(_, id)| *id);
        Ok(exceptions.map(|of| of.id).chain(named).fold(joined, Expression::with_exception))
    }

    /// The licenses that are stated, in order; each as it is stated most exactly.
    fn stated(&self) -> Vec<LicenseStatement> {
        let texts = self.readings.iter().filter(|of| spdx::exception_id(of.id).is_none());
        let texts = texts.map(|of| LicenseStatement {
            range: of.range.clone(),
            expression: Expression::parse_spdx(of.id),
        });
        let texts: Vec<LicenseStatement> = texts.collect();
        let (exact, vague): (Vec<&Grant>, Vec<&Grant>) =
            self.grants.iter().partition(|of| of.others.is_empty());
        let named: Vec<&Expression> =
            exact.iter().filter_map(|of| of.expression.as_ref()).collect();
        // A text does not tell "only" from "or later"; the sentence that names it does.
        let mut all = texts.clone();
        all.retain(|of| {
            let text = of.expression.as_ref();
            !text.is_some_and(|text| named.iter().any(|of| of.is_edition_of(text)))
        });
        let referred = self.references.iter().filter(|of| of.others.is_empty());
        let known = named
            .iter()
            .copied()
            .chain(texts.iter().filter_map(|of| of.expression.as_ref()))
            .chain(referred.filter_map(|of| of.expression.as_ref()));
        let known: Vec<&Expression> = known.collect();
        for of in &vague {
            let told = known.iter().copied().find(|other| of.is_name_of(other));
            // "GNU Lesser General Public License (LGPL)": the first version of the former is later.
            let others = vague.iter().filter_map(|other| other.expression.as_ref());
            let others = others.filter(|other| of.is_name_of(other)).chain(&of.expression);
            let expression = told.or_else(|| others.max_by_key(ToString::to_string)).cloned();
            all.push(LicenseStatement { range: of.range.clone(), expression });
        }
        all.extend(exact.iter().map(|of| LicenseStatement {
            range: of.range.clone(),
            expression: of.expression.clone(),
        }));
        leave_out_vaguer(&mut all);
        all.sort_by_key(|of| of.range.start);
        all
    }

    /// The sentences that may be terms and are in no license text.
    fn left_over(&self, words: &Words, is_whole: bool) -> Vec<String> {
        let parts = between(&self.readings, words).into_iter();
        let sentences = parts.flat_map(|part| words.sentences(part));
        let left = sentences.filter(|of| {
            let sentence = words.of(of.clone());
            if explains(sentence) {
                return false;
            }
            match self.beside_names(of, words) {
                Some(beside) => is_limit_of_name(&beside) && !is_usual(sentence),
                None if is_whole && is_offer(sentence) => is_limit_of_name(sentence),
                None if is_whole => is_term(sentence),
                // "With the special exception on linking described in the file LICENSE."
                None if EXCEPTIONS.iter().any(|(name, _)| sentence.contains(name)) => false,
                None => self.is_near(of) && is_limit_of_header(sentence) && !is_usual(sentence),
            }
        });
        left.map(|of| words.of(of).to_owned()).collect()
    }

    /// Whether a sentence is near a license that is stated.
    fn is_near(&self, sentence: &Range<usize>) -> bool {
        let ranges = self.readings.iter().map(|of| &of.range);
        let mut stated = ranges.chain(self.grants.iter().map(|of| &of.range));
        stated.any(|near| sentence.start < near.end + NEAR && near.start < sentence.end + NEAR)
    }

    /// The words of a sentence beside the licenses that it names; `None` if it names none.
    fn beside_names(&self, sentence: &Range<usize>, words: &Words) -> Option<String> {
        let beside =
            sentence.clone().filter(|at| !self.grants.iter().any(|of| of.range.contains(at)));
        let beside: Vec<&str> = beside.map(|at| words.word(at)).collect();
        if beside.len() == sentence.len() {
            return None;
        }
        let beside = beside.join(" ");
        // What a license says itself limits it no further.
        let mut named = self.grants.iter().filter_map(|of| of.expression.as_ref());
        let is_noncommercial = named.any(|of| of.to_string().contains("-NC-"));
        Some(if is_noncommercial { beside.replace("non commercial", "") } else { beside })
    }
}

/// Leaves out the licenses that others tell more exactly.
fn leave_out_vaguer(stated: &mut Vec<LicenseStatement>) {
    // A sentence that leaves the version open to later ones tells more than one that only names it.
    let known: Vec<Expression> = stated.iter().filter_map(|of| of.expression.clone()).collect();
    stated.retain(|of| !of.expression.as_ref().is_some_and(|of| of.is_later_among(&known)));
    let known: Vec<Expression> = stated.iter().filter_map(|of| of.expression.clone()).collect();
    let has_edition = |of: &Expression| {
        known.iter().any(|other| other.is_edition_of(of) && !of.is_edition_of(other))
    };
    stated.retain(|of| !of.expression.as_ref().is_some_and(has_edition));
}

/// What is known of a license with terms that the license it is like does not have.
fn with_other_terms(license: &str, terms: &[String]) -> String {
    let first = terms.first().map_or("", String::as_str);
    let n_more = terms.len().saturating_sub(1);
    let more = if n_more > 0 { format!(" and {n_more} more") } else { String::new() };
    // What is not understood can be the whole of a text.
    let first = shortened(first, 100);
    format!("like {license}, with other terms: {first}{more}")
}

/// The parts of a text that are before, between and behind license texts.
fn between(readings: &[TemplateMatch], words: &Words) -> Vec<Range<usize>> {
    let starts = std::iter::once(0).chain(readings.iter().map(|of| of.range.end));
    let ends = readings.iter().map(|of| of.range.start).chain([words.n_words()]);
    starts.zip(ends).map(|(start, end)| start..end).collect()
}

/// A license that no list has, by a phrase of it.
fn phrase(words: &Words) -> Option<Identity> {
    let mut found = PHRASES["phrase"]
        .iter()
        .filter_map(|row| row.any.iter().find_map(|phrase| words.find(phrase)).map(|at| (row, at)));
    let (row, at) = found.next()?;
    let line = words.line_of(words.word_at(at + 1));
    let expression = Expression::parse_spdx(&row.license);
    Some(Identity { expression, line, written: String::new(), has_text: false })
}

/// What differs from the template, if it may be a condition.
fn conditions(reading: &TemplateMatch, words: &Words) -> Vec<String> {
    let rows = reading.differences.iter().map(|of| Rows {
        missing: of.missing.clone(),
        added: words.of(of.added.clone()).split_whitespace().collect(),
        before: words.of(of.added.start.saturating_sub(1)..of.added.start),
    });
    let rows: Vec<Rows> = rows.filter(|rows| !rows.are_equal()).collect();
    let n_differing: usize = rows.iter().map(|of| of.missing.len().max(of.added.len())).sum();
    let is_small = n_differing <= MAX_ROW.max(reading.n_equal * TOLERANCE / 100);
    rows.iter().filter(|of| !is_small || of.state_condition()).map(Rows::describe).collect()
}

/// Words without which a grant is narrower: "with or without fee", "source and binary forms".
const JOINING: &[&str] = &["binary", "or", "with"];

/// Words by which more than a name is added: "and to those of our website".
const BINDING: &[&str] = &["our", "that", "to", "we", "which", "who"];

/// Words that a template has, what a text has instead, and the word before them.
struct Rows<'t> {
    missing: Vec<&'t str>,
    added: Vec<&'t str>,
    before: &'t str,
}

impl Rows<'_> {
    /// Whether both mean the same, or nothing that is about the software.
    fn are_equal(&self) -> bool {
        let (missing, added) = (&self.missing, &self.added);
        are_spellings(missing, added)
            || are_spellings(&without_list(missing), &without_list(added))
            || missing.concat() == added.concat()
            || [missing, added].iter().all(|row| row.is_empty() || is_notice(row))
            || is_about_text(missing) && added.is_empty()
            || missing.is_empty() && added[..] == ["no", "warranty"]
    }

    fn state_condition(&self) -> bool {
        // The number of a section is none, that of a version is one.
        let is_version =
            |word: &&str| word.contains('.') && word.starts_with(|c: char| c.is_ascii_digit());
        let is_of_version = self.before == "version"
            || self.added.contains(&"version")
            || self.missing.iter().any(is_version);
        let states = [&self.missing, &self.added].iter().any(|row| {
            !is_notice(row) && (row.len() > MAX_ROW || row.iter().any(|word| is_condition(word)))
        });
        self.added.iter().any(is_version) && is_of_version
            || states
            || self.missing.len() > self.added.len()
                && self.missing.iter().any(|word| JOINING.contains(word))
            || is_limit(&self.added.join(" "))
            || self.added.len() > 2 && self.added.iter().any(|word| BINDING.contains(word))
    }

    fn describe(&self) -> String {
        format!("\"{}\" for \"{}\"", self.added.join(" "), self.missing.join(" "))
    }
}

/// The words of a row without "list of": "this condition" is a list of one.
fn without_list<'t>(row: &[&'t str]) -> Vec<&'t str> {
    row.strip_prefix(&["list", "of"]).unwrap_or(row).to_vec()
}

fn are_spellings(missing: &[&str], added: &[&str]) -> bool {
    missing.len() == added.len() && missing.iter().zip(added).all(|(a, b)| is_spelling(a, b))
}

/// Whether two words are one, in two numbers or with a slip.
fn is_spelling(a: &str, b: &str) -> bool {
    a.trim_end_matches('s') == b.trim_end_matches('s')
        || [a, b] == ["are", "is"]
        || a.len().min(b.len()) > 5 && strsim::levenshtein(a, b) < 2
}

fn is_notice(row: &[&str]) -> bool {
    let is_year = |word: &&str| word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    let is_one = row.contains(&"copyright")
        || row.windows(3).any(|of| of == ["all", "rights", "reserved"])
        || row.iter().all(is_year)
        || row.first() == Some(&"c") && row.iter().any(is_year);
    const STATING: [&str; 7] = ["must", "shall", "may", "should", "not", "no", "provided"];
    is_one && !row.iter().any(|word| STATING.contains(word))
}

/// Whether words are about the text itself, as in "copies of this license document".
fn is_about_text(row: &[&str]) -> bool {
    let text = row.join(" ");
    const ABOUT: [&str; 4] = [
        "copies of this license",
        "copies of this document",
        "modification of the license",
        "this license is copyright",
    ];
    ABOUT.iter().any(|of| text.contains(of))
}

fn is_condition(word: &str) -> bool {
    CONDITIONS.iter().any(|beginning| begins(word, beginning))
}

/// Sentences of notices that add nothing to the license they name.
const USUAL: &[&str] = &[
    "except according to those terms",
    "except in compliance",
    "required by applicable law",
    "for more details",
    "specific language governing",
    "copy of the license",
    "have received a copy",
    "if not write to",
    "if not see",
    "not remove this notice",
    "without any warranty",
    "without warranties",
    "as is",
    "no representations",
    "was not distributed with this",
    "without even the implied warranty",
    "subject to license terms",
    "strongly recommend",
];

/// What says that files may state another license themselves.
const OTHERWISE: &[&str] = &[
    "otherwise noted", "otherwise stated", "stated otherwise", "otherwise specified",
    "otherwise indicated",
];

/// Whether a sentence beside a license text may be a term.
fn is_term(sentence: &str) -> bool {
    let row: Vec<&str> = sentence.split(' ').collect();
    is_limit(sentence)
        && !is_notice(&row)
        && !is_about_text(&row)
        && !is_usual(sentence)
        && !OTHERWISE.iter().any(|of| sentence.contains(of))
}

fn is_usual(sentence: &str) -> bool {
    USUAL.iter().any(|usual| sentence.contains(usual))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::license::templates::{Template, all};
    use crate::license::tests::{MIT, check_header, check_headers, text};

    const BSD: &str = "Redistribution and use in source and binary forms, with or without modification, are permitted provided that the following conditions are met:
1. Redistributions of source code must retain the above copyright notice, this list of conditions and the following disclaimer.
2. Redistributions in binary form must reproduce the above copyright notice, this list of conditions and the following disclaimer in the documentation and/or other materials provided with the distribution.
THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS \"AS IS\" AND ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT HOLDER OR CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.
";

    fn read(text: &str) -> Result<String, String> {
        let Some(identity) = identify(text.as_bytes()) else { return Err("nothing".to_owned()) };
        identity.expression.map(|of| of.to_string()).ok_or(identity.written)
    }

    fn own_words(template: &Template) -> String {
        let words = template.words.iter().zip(&template.is_required);
        let required = words.filter(|(_, is_required)| **is_required).map(|(word, _)| *word);
        required.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn two_texts_are_no_choice_unless_one_is_offered() {
        let ids = ["MIT", "Apache-2.0", "BSD-3-Clause", "GPL-2.0-only", "LGPL-2.1-only"];
        let pairs = ids.iter().flat_map(|one| ids.map(|other| (*one, other)));
        for (one, other) in pairs.filter(|(one, other)| one != other) {
            let texts = format!("{}.\n\n{}.\n", text(one), text(other));
            let found = read(&texts).unwrap_or_else(|why| panic!("{one}, {other}: {why}"));
            assert!(found.contains(" AND ") && !found.contains(" OR "), "{one}, {other}: {found}");
            for offer in ["choose between these licenses", "use it under either license"] {
                let found = read(&format!("You may {offer}.\n\n{texts}"));
                assert!(found.expect("both are known").contains(" OR "), "{one}, {other}");
                let limit = "for non-commercial purposes only";
                let limited = read(&format!("You may {offer}, {limit}.\n\n{texts}"));
                assert!(limited.is_err(), "{limited:?}");
            }
        }
    }

    #[test]
    fn each_template_is_found_in_its_own_words() {
        let mut other = Vec::new();
        for template in all().filter(|of| spdx::license_id(of.id).is_some()) {
            let text = own_words(template);
            let found = read(&text);
            let expected = Expression::parse_spdx(template.id).map(|of| of.to_string());
            if found.clone().ok() != expected {
                other.push(format!("{} {found:.80?}", template.id));
            }
        }
        assert_eq!(other.len(), 0, "{other:#?}");
    }

    #[test]
    fn a_text_of_names_alone_is_what_they_say_together() {
        for (text, expected) in [
            (
                "Copyright (c) 2012 Example\n\nMIT or Apache 2.0, at your option.\n",
                "MIT OR Apache-2.0",
            ),
            ("MPL 1.1/GPL 2.0/LGPL 2.1", "MPL-1.1 OR GPL-2.0-only OR LGPL-2.1-only"),
            ("The Academic Free License, version 3.0\n", "AFL-3.0"),
            ("MIT No Attribution", "MIT-0"),
            ("OpenSSL license", "OpenSSL"),
        ] {
            assert_eq!(read(text).as_deref(), Ok(expected), "{text}");
        }
        assert!(read("MIT, but not for weapons").is_err());
    }

    #[test]
    fn a_list_of_one_condition_is_one() {
        let one: String = BSD.split_inclusive('\n').filter(|of| !of.starts_with("2.")).collect();
        let one = one.replace("conditions are", "condition is");
        let one = one.replace("this list of conditions", "this condition");
        assert_eq!(read(&one).as_deref(), Ok("BSD-1-Clause"));
    }

    #[test]
    fn conditions_that_are_added_or_missing_make_a_text_unknown() {
        assert_eq!(read(BSD).as_deref(), Ok("BSD-2-Clause"));
        let with = |extra: &str| {
            read(&BSD.replace("THIS SOFTWARE IS", &format!("{extra}\nTHIS SOFTWARE IS")))
        };
        assert!(with("3. Neither aircraft nor weapons may contain this software.").is_err());
        let source =
            "3. Redistributions must be accompanied by information on how to obtain the source.";
        assert!(with(source).is_err());
        let without: String =
            BSD.split_inclusive('\n').filter(|line| !line.starts_with("1.")).collect();
        assert!(read(&without).is_err());
        let thankful = format!("{BSD}\nThank you for reading so far.\n");
        assert_eq!(read(&thankful).as_deref(), Ok("BSD-2-Clause"));
    }

    #[test]
    fn notices_are_read_as_they_say() {
        check_headers(
            r#"
released under a 3-clause BSD license → BSD-3-Clause
Dual licensed under the MIT and GPL licenses. → MIT OR GPL-1.0-or-later
either the MIT License or the GNU General Public License (GPL) Version 2. → MIT OR GPL-2.0-only
licensed under the GNU GPL3+. → GPL-3.0-or-later
under the terms of the GNU General Public License as published by the Free Software Foundation, Inc., 51 Franklin St, Boston, USA; either version 2 of the License, or (at your option) any later version → GPL-2.0-or-later
under the terms of the GNU GPL version 2 and not any later version → GPL-2.0-only
under the modified BSD license, which is GPL-compatible → BSD-3-Clause
under the terms of the GNU AFERO GENERAL PUBLIC LICENSE → unknown
under the terms of the Affero GNU General Public License, version 3 → AGPL-3.0-only
Example, Inc. All rights reserved. Licensed under the MIT license → MIT
https://www.apache.org/licenses/LICENSE-2.0.txt → Apache-2.0
Licensed under http://opensource.org/licenses/mit-license.php → MIT
see https://www.apache.org/licenses/ and www.isc.org → unknown
License: LGPL-2.1+\nOn Debian systems, the text of the LGPL is in /usr/share/common-licenses/LGPL-2 → LGPL-2.1-or-later
under the terms of the GNU Lesser General Public License (LGPL). → LGPL-2.1-or-later
under the terms of the GNU Library General Public License. → LGPL-2.0-or-later
under the Lesser GNU General Public License, version 3 → LGPL-3.0-only
under the terms of the GNU General Public License; either version 2, or later → GPL-2.0-or-later
subject to the GNU General Public License, License: GPL-2+ → GPL-2.0-or-later
licensed under the GPLv2+CE. → GPL-2.0-only WITH Classpath-exception-2.0
This file is GPLv2 as found in COPYING. → GPL-2.0-only
Licensed to the Apache Software Foundation. → unknown
licensed under an Apache-style license → unknown
This is the system zlib. → unknown
License: zlib → Zlib
under the OpenSSL license → OpenSSL
Licensed under the Apache License, Version 2.0 <LICENSE-APACHE or http://www.apache.org/licenses/LICENSE-2.0> or the MIT license <LICENSE-MIT or http://opensource.org/licenses/MIT>, at your option. This file may not be copied, modified, or distributed except according to those terms. → Apache-2.0 OR MIT
under the terms of the GNU General Public License version\n2.0. → GPL-2.0-only
under the terms of the Do What The Fuck You Want To Public License, Version 2 → WTFPL
subject to the terms of the Mozilla Public License, v. 2.0. This Source Code Form is "Incompatible With Secondary Licenses", as defined by the Mozilla Public License, v. 2.0. → unknown
under the terms of the Artistic License version\n2.0. Please report faults. → Artistic-2.0
GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt) → GPL-3.0-or-later
GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt) → GPL-3.0-or-later
@license https://www.opensource.org/licenses/bsd-license.php\n@param string $ip An IP version 6 → LicenseRef-BSD
@license GPL 2 (http://www.gnu.org/licenses/gpl.html)\n'Aún no se ha definido el permiso' 2 → GPL-2.0-only
Also available as a package for most Linux distributions, FreeBSD, and OpenBSD. → unknown
You may redistribute it under the same terms as Perl itself. → Artistic-1.0-Perl OR GPL-1.0-or-later
under the MIT license. It is available for Perl and Ruby. → MIT
derived from the map Cube 2 and is licensed under CC BY 4.0. → CC-BY-4.0
under the MIT license. Use it, since others use malloc and may not be thread safe. → MIT
under the ELv2 license → Elastic-2.0
At the discretion of the user, this may be licensed under the GNU General Public License v3, a BSD-Style license, or the original HIDAPI license. → GPL-3.0-only OR LicenseRef-BSD OR HIDAPI
Choice of public domain or MIT-0. See license statements at the end of this file. → unknown
# Copyright 2019 Example\n# License Same As Perl → Artistic-1.0-Perl OR GPL-1.0-or-later
"#,
        );
        let offered = BSD.replace("THIS SOFTWARE IS", "Alternatively, this software may be distributed under the terms of the GNU General Public License version 2.\n\nTHIS SOFTWARE IS");
        check_header(&offered, "BSD-2-Clause OR GPL-2.0-only");
    }

    #[test]
    fn a_license_that_is_named_and_not_known_makes_all_unknown() {
        // A name has up to four words.
        check_headers(
            r#"
under the MIT license. The fonts are under the Frobnicator License. → unknown
Licensed under Frobnicator SW License Agreement V2 → unknown
licensed by Example under Great Frobnicator license FR0044, the "License" → unknown
Use of this software is governed by the Frobnicator license agreement. → unknown
This code cannot be redistributed without permission from Example. → LicenseRef-proprietary
#!/usr/bin/env ruby\nCopyright 2015 Example\nLicensed under the Apache License, Version 2.0 → Apache-2.0
See foo.\n@license MIT\n@version 1.1 → MIT
License: GPL\nVersion: 3.0 → GPL-1.0-or-later
x.css v8.0.1 | MIT License | example.invalid → MIT
X (c) 2010 Jane Doe. MIT licensed. → MIT
See the MIT license. → unknown
licensed under the MIT license. See https://docs.python.org/3/library/os.html → MIT
under the terms of the BSD, Artistic, or GPL licenses → LicenseRef-BSD OR Artistic-1.0-Perl OR GPL-1.0-or-later
under the MIT license. This means you can use it in proprietary products. → MIT
under the MIT license. This means you must not use it in proprietary products. → unknown
distributed under the terms of the GNU Lesser General Public License version 2.1, with the special exception on linking described in the file LICENSE. → LGPL-2.1-only WITH OCaml-LGPL-linking-exception
under the terms of the Glide General Public License → unknown
under the terms of the GNU General Public License, or the Frobnicator license → unknown
under the Apache License, Version 2.0 and GNU GLP V2. → unknown
under the Apache License, Version 2.0. It needs GNU make, version 4. → Apache-2.0
The code is under the MIT license, and the art under CC-BY-NC. → unknown
under the Apache License 2.0. Commercial use requires a license from Example Inc. → unknown
under the MIT license, the art under the Great Old Frobnicator Widget license. → unknown
under the MIT license. It is under the folder where every package keeps license files. → MIT
under the terms of the X11 license. → unknown
under the MIT license. Use it under the terms of this license. → MIT
under the MIT license. Redistribute it under the same license. → MIT
"#,
        );
    }

    #[test]
    fn what_limits_a_license_makes_it_unknown() {
        for limit in [
            "for personal use",
            "except for lib",
            "for non-commercial use",
            "unless you are a company",
            "with the restriction that it is not sold",
            "provided that you share",
            "with Commons Clause",
        ] {
            check_header(&format!("Licensed under the MIT license {limit}."), "unknown");
            assert!(read(&format!("MIT License {limit}\n\n{BSD}")).is_err(), "{limit}");
        }
        for limit in ["It must not be used in weapons.", "Resale is forbidden.", "Do not sell it."]
        {
            let file = limit.replace("it", "this file");
            check_header(&format!("Licensed under the MIT license. {file}"), "unknown");
            assert!(read(&format!("{BSD}\n{limit}\n")).is_err(), "{limit}");
        }
        for (words, narrower) in [
            ("with or without\n", "without"),
            ("with or without ", "without "),
            ("source and binary forms", "source form"),
            ("Redistribution and use", "Non-commercial redistribution and use"),
            ("are met:", "are met, and those that our website lists:"),
        ] {
            let text = BSD.replace(words, narrower);
            assert!(text == BSD || read(&text).is_err(), "{narrower}");
        }
        check_header("Unless otherwise noted, all is under the MIT license.", "MIT");
        check_header("Except where noted otherwise, all is under the MIT license.", "MIT");
        let limited =
            "Unless noted otherwise, all is under the MIT license for non-commercial use.";
        check_header(limited, "unknown");
    }

    #[test]
    fn an_abridged_text_with_a_term_is_unknown() {
        assert_eq!(read(MIT).as_deref(), Ok("MIT"));
        for term in ["You may not sell it.", "Provided that you share it.", "No resale."] {
            assert!(read(&format!("{MIT}\n{term}\n")).is_err(), "{term}");
        }
    }
}
