//! Finds licenses by the phrases that grant them, in headers and in whole texts.
//!
//! The phrases are in the table `config/licenses/phrases.toml`. The GNU licenses, whose
//! sentences vary most, are recognized here.

use std::sync::LazyLock;

use serde::Deserialize;

use super::expression::{Expression, License};
use super::words::{Phrase, Words};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GrantsFile {
    phrase: Vec<Grant>,
}

/// A license, and the phrases of a text that grants it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Grant {
    license: String,
    /// All of these must occur.
    all: Vec<Phrase>,
    /// And one of these, if there are any.
    #[serde(default)]
    any: Vec<Phrase>,
    /// And none of these.
    #[serde(default)]
    none: Vec<Phrase>,
    /// The title of a whole license text, not searched for in headers.
    #[serde(default)]
    is_title: bool,
    /// Licenses of which this one is a more specific version.
    #[serde(default)]
    instead_of: Vec<String>,
}

static TABLE: LazyLock<Vec<Grant>> = LazyLock::new(|| {
    let table: GrantsFile =
        toml::from_str(include_str!("../../config/licenses/phrases.toml")).expect("a test reads the built-in table");
    table.phrase
});

/// A license granted by phrases, and the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Granted {
    pub expression: Expression,
    pub line: u32,
    /// Whether the whole text of a long license was recognized by its title.
    pub is_title: bool,
}

/// The licenses that phrases in `words` grant; with `titles`, titles of whole license texts count too.
pub(super) fn granted(words: &Words, titles: bool) -> Vec<Granted> {
    let mut found: Vec<(&Grant, usize)> = Vec::new();
    for row in TABLE.iter().filter(|row| titles || !row.is_title) {
        let is_here = row.all.iter().all(|phrase| words.find_phrase(phrase).is_some())
            && (row.any.is_empty() || row.any.iter().any(|phrase| words.find_phrase(phrase).is_some()))
            && !row.none.iter().any(|phrase| words.find_phrase(phrase).is_some());
        if is_here {
            let first = row.all.iter().chain(&row.any).find_map(|phrase| words.find_phrase(phrase)).unwrap_or_default();
            found.push((row, first));
        }
    }
    found.sort_by_key(|(_, first)| *first);
    let replaced: Vec<&String> = found.iter().flat_map(|(row, _)| &row.instead_of).collect();
    let kept = found.iter().filter(|(row, _)| !replaced.contains(&&row.license));
    let mut granted: Vec<Granted> = kept
        .filter_map(|(row, first)| {
            let line = words.line_at(first + 1);
            Some(Granted { expression: Expression::of(&row.license)?, line, is_title: row.is_title })
        })
        .collect();
    // Long license texts mention the GNU licenses, and those end with the header they recommend: that grants nothing.
    let has_title = granted.iter().any(|of| of.is_title);
    let is_tri_license = replaced.iter().any(|id| id.starts_with("GPL"));
    if !has_title && !is_tri_license {
        granted.extend(gnu(words));
    }
    granted
}

/// Combines the licenses granted in one header: a choice if it says so, otherwise all of them.
///
/// Licenses that it names beside those that it grants in known sentences belong to it as well: it says no less than that.
pub(super) fn joined(granted: Vec<Granted>, words: &Words) -> Option<(Expression, u32)> {
    let line = granted.iter().map(|of| of.line).min()?;
    let named = named_beside(&granted, words);
    let expressions = granted.into_iter().map(|of| of.expression).chain(named);
    let joined = if is_choice(words) { Expression::any(expressions) } else { Expression::all(expressions) };
    joined.map(|expression| (expression, line))
}

/// Names of licenses in a header that names several, and what each stands for.
const NAMED: &[(&str, &str)] = &[
    ("apache license", "Apache-2.0"),
    ("artistic license", "LicenseRef-Artistic"),
    ("boost software license", "BSL-1.0"),
    ("bsd license", "LicenseRef-BSD"),
    ("bsd licence", "LicenseRef-BSD"),
    ("bsd style license", "LicenseRef-BSD"),
    ("common development and distribution license", "CDDL-1.0"),
    ("eclipse public license", "LicenseRef-EPL"),
    ("gnu affero general public license", "LicenseRef-AGPL"),
    ("gnu general public license", "GPL-1.0-or-later"),
    ("gnu lesser general public license", "LGPL-2.0-or-later"),
    ("gnu public license", "GPL-1.0-or-later"),
    ("gpl", "GPL-1.0-or-later"),
    ("isc license", "ISC"),
    ("lgpl", "LGPL-2.0-or-later"),
    ("mit license", "MIT"),
    ("mozilla public license", "LicenseRef-MPL"),
    ("zlib license", "Zlib"),
];

/// The licenses that a header joins to what it grants by name alone: "under the terms of the Apache License, and the BSD
/// License".
fn named_beside(granted: &[Granted], words: &Words) -> Vec<Expression> {
    let is_granted = |license: &License| {
        granted.iter().flat_map(|of| of.expression.licenses()).any(|of| {
            let (family, other) = (of.family(), license.family());
            family == other || (family.starts_with("BSD") && other.starts_with("BSD"))
        })
    };
    let is_joined = |name: &str| {
        let joins = ["and the", "or the", "and", "or", "and under the", "or under the"];
        let after = ["as well as the", "alternatively the", "either the", "both the"];
        joins.iter().chain(&after).any(|join| words.has(&format!("{join} {name}")))
    };
    // A whole text names others that it may be joined with.
    if granted.iter().any(|of| of.is_title) {
        return Vec::new();
    }
    let named = NAMED.iter().filter(|(name, _)| is_joined(name)).filter_map(|(_, id)| Expression::of(id));
    named.filter(|of| !of.licenses().any(is_granted)).collect()
}

/// Whether a header offers a choice of licenses; "at your option any later version" does not.
fn is_choice(words: &Words) -> bool {
    let offers = [
        "alternatively",
        "dual licensed",
        "dual license",
        "tri license",
        "tri licensed",
        "triple licensed",
        "multi licensed",
        "at your choice",
        "your choice of",
        "a choice of",
        "you may choose",
        "you can choose",
        "under the terms of either",
        "under either",
        "one of the following licenses",
        "either of the following licenses",
        "at your discretion",
    ];
    let at_option = memchr::memmem::find_iter(words.text().as_bytes(), b" at your option ").any(|at| {
        let rest = &words.text()[at + " at your option ".len()..];
        !rest.starts_with("any later")
    });
    at_option || offers.iter().any(|phrase| words.has(phrase))
}

/// Maximum distance in bytes between a GNU license's name and its version.
const REACH: usize = 240;

/// The GNU licenses granted in a header, with their versions and exceptions.
fn gnu(words: &Words) -> Vec<Granted> {
    let text = words.text();
    let mut found: Vec<Granted> = Vec::new();
    let names = [
        ("AGPL", "gnu affero general public license"),
        ("LGPL", "gnu lesser general public license"),
        ("LGPL", "gnu library general public license"),
        ("GPL", "gnu general public license"),
        ("LGPL", "gnu lgpl"),
        ("GPL", "gnu gpl"),
        ("LGPL", "lgpl"),
        ("GPL", "gpl"),
    ];
    let mut taken: Vec<usize> = Vec::new();
    for (family, name) in names {
        let needle = format!(" {name} ");
        for at in memchr::memmem::find_iter(text.as_bytes(), needle.as_bytes()) {
            let end = at + needle.len();
            let before = tail(&text[..at + 1], 60);
            let after = head(&text[end - 1..], REACH);
            let version = version_of(before, after, name.ends_with("license"));
            // "See the GNU General Public License for more details" grants nothing.
            let Some((version, is_later)) = version else { continue };
            if taken.iter().any(|other| other.abs_diff(end) < 12) {
                continue;
            }
            taken.push(end);
            let Some(id) = gnu_id(family, version, is_later) else { continue };
            let id = exception(words, family).map_or_else(|| id.clone(), |with| format!("{id} WITH {with}"));
            let Some(expression) = Expression::of(&id) else { continue };
            if !found.iter().any(|other| other.expression == expression) {
                found.push(Granted { expression, line: words.line_at(at + 1), is_title: false });
            }
        }
    }
    found
}

/// The version that is granted, and whether later ones are; `None` if nothing is granted here.
fn version_of<'t>(before: &'t str, after: &'t str, is_spelled_out: bool) -> Option<(&'t str, bool)> {
    let is_granted = after.starts_with(" as published by the free software foundation ")
        || after.starts_with(" version ")
        || after.starts_with(" gpl version ")
        || after.starts_with(" either version ")
        || (is_spelled_out && before.ends_with(" under the terms of the ") && !after.starts_with(" for more "))
        || before.ends_with(" licensed under the ")
        || before.ends_with(" released under the ")
        || (before.contains(" version ") && before.ends_with(" of the ") && after.starts_with(" as published "));
    if !is_granted {
        return None;
    }
    // Only this sentence: the next mention of a license starts another one.
    let end = [" general public license ", " if not see ", " for more details ", " without any warranty "]
        .iter()
        .filter_map(|stop| after.find(stop))
        .min()
        .unwrap_or(after.len());
    let sentence = &after[..end];
    let is_later = sentence.contains(" any later version ")
        || sentence.contains(" or later ")
        || sentence.contains(" or newer ")
        || sentence.contains(" or any later ")
        || sentence.contains(" or higher ");
    let numbered = |text: &'t str| {
        let (_, rest) = text.split_once(" version ")?;
        let number = rest.split(' ').next()?;
        number.starts_with(|c: char| c.is_ascii_digit()).then_some(number)
    };
    let version = numbered(sentence).or_else(|| numbered(before)).unwrap_or_default();
    Some((version, is_later))
}

fn gnu_id(family: &str, version: &str, is_later: bool) -> Option<String> {
    let version = match (family, version) {
        ("GPL", "" | "1" | "1.0") => "1.0",
        ("GPL" | "LGPL", "2" | "2.0") => "2.0",
        ("LGPL", "2.1") => "2.1",
        ("LGPL", "") => "2.0",
        ("AGPL", "") | (_, "3" | "3.0") => "3.0",
        _ => return None,
    };
    let suffix = if is_later { "or-later" } else { "only" };
    Some(format!("{family}-{version}-{suffix}"))
}

/// The exception added in a GNU header.
fn exception(words: &Words, family: &str) -> Option<&'static str> {
    let known = [
        ("gcc runtime library exception", "GCC-exception-3.1"),
        (
            "linking this library statically or dynamically with other modules is making a combined work",
            "Classpath-exception-2.0",
        ),
        ("classpath exception", "Classpath-exception-2.0"),
        ("part or all of the bison parser skeleton", "Bison-exception-2.2"),
        ("linux syscall note", "Linux-syscall-note"),
    ];
    (family == "GPL").then(|| known.iter().find(|(phrase, _)| words.has(phrase)).map(|(_, id)| *id)).flatten()
}

fn head(text: &str, n: usize) -> &str {
    let end = (0..=n.min(text.len())).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    &text[..end]
}

fn tail(text: &str, n: usize) -> &str {
    let start = text.len().saturating_sub(n);
    let start = (start..=text.len()).find(|&start| text.is_char_boundary(start)).unwrap_or(text.len());
    &text[start..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(header: &str, expected: &str) {
        let words = Words::new(header.as_bytes(), 1);
        let found = joined(granted(&words, false), &words);
        let found = found.map_or_else(|| "nothing".to_owned(), |(expression, _)| expression.to_string());
        assert_eq!(found, expected, "{header}");
    }

    #[test]
    fn gnu_headers_tell_version_and_later_ones() {
        check(
            "This program is free software; you can redistribute it and/or modify\n * it under the terms of the GNU General Public License as published by\n * the Free Software Foundation; either version 2 of the License, or\n * (at your option) any later version.\n * This is distributed WITHOUT ANY WARRANTY. See the GNU General Public License for more details.",
            "GPL-2.0-or-later",
        );
        check(
            "under the terms of the GNU General Public License version 2 as published by the Free Software Foundation.",
            "GPL-2.0-only",
        );
        check(
            "under the terms of version 2 of the GNU General Public License as published by the Free Software Foundation.",
            "GPL-2.0-only",
        );
        check(
            "it under the terms of the GNU Lesser General Public License as published by the Free Software Foundation; either version 2.1 of the License, or (at your option) any later version. See the GNU Lesser General Public License for more details.",
            "LGPL-2.1-or-later",
        );
        check(
            "it under the terms of the GNU Affero General Public License as published by the Free Software Foundation, either version 3 of the License, or (at your option) any later version.",
            "AGPL-3.0-or-later",
        );
        check("You should have received a copy of the GNU General Public License along with this program.", "nothing");
        check("This file is licensed under the GPL v3 or later.", "GPL-3.0-or-later");
        check(
            "GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)",
            "GPL-3.0-or-later",
        );
    }

    #[test]
    fn other_headers_are_known_by_their_sentences() {
        check("Licensed under the Apache License, Version 2.0 (the \"License\");", "Apache-2.0");
        check(
            "Licensed under the Apache License, Version 2.0 <LICENSE-APACHE or http://www.apache.org/licenses/LICENSE-2.0> or the MIT license <LICENSE-MIT or http://opensource.org/licenses/MIT>, at your option.",
            "Apache-2.0 OR MIT",
        );
        check("This Source Code Form is subject to the terms of the Mozilla Public License, v. 2.0.", "MPL-2.0");
        check("This file is in the public domain.", "LicenseRef-public-domain");
        check(
            "Proprietary and confidential. Unauthorized copying of this file is prohibited.",
            "LicenseRef-proprietary",
        );
        check("int main(void) { return 0; }", "nothing");
        check("Copyright 2020 Example. All rights reserved.", "nothing");
    }

    #[test]
    fn the_clauses_of_bsd_are_counted() {
        let two = "Redistribution and use in source and binary forms, with or without modification, are permitted provided that the following conditions are met: 1. Redistributions of source code must retain the above copyright notice";
        check(two, "BSD-2-Clause");
        check(
            &format!(
                "{two} Neither the name of the Example nor the names of its contributors may be used to endorse or promote products derived from this software without specific prior written permission."
            ),
            "BSD-3-Clause",
        );
        check(
            &format!(
                "{two} ALTERNATIVELY, this software may be distributed under the terms of the GNU General Public License (\"GPL\") version 2 as published by the Free Software Foundation."
            ),
            "BSD-2-Clause OR GPL-2.0-only",
        );
    }

    #[test]
    fn a_header_says_no_less_than_the_licenses_that_it_names() {
        check(
            "This file is dual licensed under the terms of the Apache License, Version\n 2.0, and the BSD License. See the LICENSE file in the root of this\n repository for complete details.",
            "Apache-2.0 OR LicenseRef-BSD",
        );
        check(
            "Version: MPL 1.1/GPL 2.0/LGPL 2.1\n *\n * The contents of this file are subject to the Mozilla Public License Version\n * 1.1 (the \"License\");",
            "MPL-1.1 OR GPL-2.0-or-later OR LGPL-2.1-or-later",
        );
        check("Licensed under the Apache License, Version 2.0 and the MIT license.", "Apache-2.0 AND MIT");
        check(
            "Licensed under the Apache License, Version 2.0 (the \"License\"); this is compatible with GPL.",
            "Apache-2.0",
        );
        check(
            "This software is available to you under a choice of one of two licenses. You may choose to be licensed under the terms of the GNU General Public License (GPL) Version 2, available from the file COPYING, or the BSD license below: Redistribution and use in source and binary forms, with or without modification, are permitted provided that the following conditions are met: Redistributions of source code must retain the above copyright notice",
            "BSD-2-Clause OR GPL-2.0-only",
        );
    }
}
