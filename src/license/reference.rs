//! Reads headers that send the reader to another file: "see copyright notice in zlib.h".
//!
//! A header only names candidates. Whether one of them is a file of the component, and states a
//! license, is up to what knows its files.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::statement::{Method, Scope, Statement};

/// Bytes at the beginning of a file in which a header may send the reader elsewhere.
const WITHIN: usize = 4 * 1024;
/// Maximum files that a header names.
const MAX_FILES: usize = 4;
/// Maximum words between the word that refers and the name.
const REACH: usize = 16;

/// Words that send the reader to another file.
const REFERRING: &[&str] = &["see", "read", "refer", "consult", "found", "governed"];
/// Beginnings of words, one of which has to be near: an algorithm may be referred to, too.
const ABOUT: &[&str] = &[
    "licens", "licenc", "copyright", "copying", "condition", "permission", "distribut",
    "redistribut", "disclaim", "terms",
];
/// Names without an extension that people give to license texts.
const BARE: &[&str] =
    &["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "UNLICENSE", "NOTICE", "README", "LEGAL"];

/// The files, at most four, that a header refers to for its license, as statements without one.
pub(super) fn statements(bytes: &[u8]) -> Vec<Statement> {
    static IS_ABOUT: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(&format!("(?i-u){}", ABOUT.join("|"))).expect("words are letters")
    });
    let head = &bytes[..bytes.len().min(WITHIN)];
    // Most files speak of no terms.
    if !IS_ABOUT.is_match(head) {
        return Vec::new();
    }
    let head = String::from_utf8_lossy(head);
    let words: Vec<(&str, u32)> = head
        .lines()
        .zip(1u32..)
        .flat_map(|(line, number)| line.split_ascii_whitespace().map(move |word| (word, number)))
        .filter(|(word, _)| word.contains(|c: char| c.is_alphanumeric()) || ends_comment(word))
        .collect();
    let mut found: Vec<Statement> = Vec::new();
    let is_referring = |word: &str| REFERRING.iter().any(|of| bare(word).eq_ignore_ascii_case(of));
    for at in (0..words.len()).filter(|at| is_referring(words[*at].0)) {
        // "For conditions of use, see the notice in x.h"; "see the file COPYING for conditions".
        let near = &words[at.saturating_sub(REACH)..words.len().min(at + REACH)];
        let mut near = near.iter().map(|(word, _)| bare(word).to_lowercase());
        // "See x.h for version/license details."
        if !near.any(|of| of.split('/').any(|word| ABOUT.iter().any(|of| word.starts_with(of)))) {
            continue;
        }
        let mut behind = words[at + 1..].iter().take(REACH).take_while(|of| !ends_comment(of.0));
        let named = behind.find(|(word, _)| is_file_name(bare(word)));
        let Some(&(word, line)) = named else { continue };
        let written = bare(word).to_owned();
        if found.len() < MAX_FILES && !found.iter().any(|of| of.written == written) {
            let (method, scope, expression) = (Method::Reference, Scope::File, None);
            found.push(Statement { method, scope, line, expression, written });
        }
    }
    found
}

/// Whether a comment ends with a word, or code begins with it: a header names nothing behind it.
fn ends_comment(word: &str) -> bool {
    ["*/", "-->", "#include"].contains(&word)
}

/// A word without the quotes, brackets and punctuation around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric()).trim_end_matches('.')
}

/// Whether this may be the name of a file, and not a word, a number, an address or an abbreviation.
fn is_file_name(word: &str) -> bool {
    if word.contains("://") || word.contains('@') || word.starts_with("www.") {
        return false;
    }
    let name = word.rsplit('/').next().unwrap_or(word);
    if BARE.iter().any(|known| name.starts_with(known)) {
        return true;
    }
    name.rsplit_once('.').is_some_and(|(stem, extension)| {
        let is_extension = (1..=5).contains(&extension.len())
            && extension.chars().all(|c| c.is_ascii_alphanumeric());
        stem.len() > 1 && is_extension && extension.starts_with(|c: char| c.is_ascii_alphabetic())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::license::tests::rows;

    #[track_caller]
    fn check(table: &str) {
        for (header, expected) in rows(table) {
            let found = statements(header.as_bytes()).into_iter().next();
            assert_eq!(found.map_or("nothing".to_owned(), |of| of.written), expected, "{header}");
        }
    }

    #[test]
    fn a_header_sends_the_reader_to_the_file_with_the_terms() {
        check(
            r#"
/* For conditions of distribution and use, see copyright notice in zlib.h\n */ → zlib.h
** $Id: lapi.c $\n** Lua API\n** See Copyright Notice in lua.h\n*/ → lua.h
 * For conditions of distribution and use, see the disclaimer\n * and license in png.h\n → png.h
# See the file COPYING for copying permission. → COPYING
* For conditions of distribution and use, see the accompanying README.ijg\n * file. → README.ijg
// license that can be found in the LICENSE file. → LICENSE
/* see volk.h for version/license details */ → volk.h
// Distributed under the Boost Software License. (See accompanying file LICENSE_1_0.txt) → LICENSE_1_0.txt
# Refer to "docs/legal/TERMS.txt" for license terms → docs/legal/TERMS.txt
"#,
        );
    }

    #[test]
    fn other_references_say_nothing_about_terms() {
        check(
            r#"
/* The algorithm: see deflate.c for how matches are found. */ → nothing
/* See the license for the limits of the license. */\n\n#include "zlib.h"\n → nothing
// See the license for limits.\n#include <zlib.h>\n → nothing
// license: see https://example.invalid/license.html → nothing
// Copyright 2020 Example. See above, e.g. version 2.0 of the License. → nothing
int main(void) { return 0; } → nothing
"#,
        );
    }
}
