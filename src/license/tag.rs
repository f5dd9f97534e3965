//! Reads SPDX tags in files: `SPDX-License-Identifier`, and snippets with their own.
//!
//! Tags are recognized in comments of any language: the text before one on its line
//! must end like the beginning of a comment, and a tag in quotes is code.

use super::limits::is_limit_of_name;
use super::{Expression, Method, Scope, Statement};

const LICENSE: &str = "SPDX-License-Identifier:";
/// The same for a snippet, in the standard since 2.3.
const SNIPPET_LICENSE: &str = "SPDX-SnippetLicenseConcluded:";
/// Maximum tags of a file.
const MAX_TAGS: usize = 1_000;
const MARKS: [&str; 6] = [
    LICENSE, SNIPPET_LICENSE, "SPDX-SnippetBegin", "SPDX-SnippetEnd", "REUSE-IgnoreStart",
    "REUSE-IgnoreEnd",
];

/// The tags of a file, each about the file or the lines of a snippet.
pub(super) fn tags(text: &[u8]) -> Vec<Statement> {
    let mut found: Vec<Statement> = Vec::new();
    // Most files have none; a single fast search rules them out.
    if memchr::memmem::find(text, b"SPDX-").is_none() {
        return found;
    }
    let mut is_ignored = false;
    let mut open: Vec<(u32, Vec<usize>)> = Vec::new();
    let mut snippets = Vec::new();
    let mut n_lines = 0;
    for (line, number) in text.split(|&byte| byte == b'\n').zip(1u32..) {
        n_lines = number;
        let Some((at, mark)) = mark(line) else { continue };
        match mark {
            "REUSE-IgnoreStart" => is_ignored = true,
            "REUSE-IgnoreEnd" => is_ignored = false,
            _ if is_ignored => {}
            "SPDX-SnippetBegin" => open.push((number, Vec::new())),
            "SPDX-SnippetEnd" => snippets.extend(open.pop().map(|of| (of, number))),
            _ if is_in_comment(&line[..at]) && found.len() < MAX_TAGS => {
                let written = expression_of(&line[at + mark.len()..]);
                // `NONE` and `NOASSERTION` state nothing.
                if !written.is_empty() && written != "NOASSERTION" && written != "NONE" {
                    if let Some((_, tags)) = open.last_mut() {
                        tags.push(found.len());
                    }
                    let (method, scope, line) = (Method::Tag, Scope::File, number);
                    let expression = Expression::parse(&written);
                    found.push(Statement { method, scope, line, expression, written });
                }
            }
            _ => {}
        }
    }
    // An unclosed snippet extends to the end of the file.
    snippets.extend(open.into_iter().map(|of| (of, n_lines)));
    for ((begin, tags), end) in snippets {
        tags.into_iter().for_each(|tag| found[tag].scope = Scope::Lines(begin, end));
    }
    found
}

/// The first tag on a line, and where it begins.
fn mark(line: &[u8]) -> Option<(usize, &'static str)> {
    memchr::memmem::find(line, b"SPDX-").or_else(|| memchr::memmem::find(line, b"REUSE-I"))?;
    let found =
        MARKS.iter().filter_map(|mark| Some((memchr::memmem::find(line, mark.as_bytes())?, *mark)));
    found.min_by_key(|(at, _)| *at)
}

/// Whether the text before a tag ends like the beginning of a comment.
fn is_in_comment(before: &[u8]) -> bool {
    let trimmed = before.trim_ascii_end();
    // Behind an open quote, unless it is a comment by itself, code writes a tag and states none.
    let mut n_quotes =
        [b'"', b'`'].iter().map(|quote| trimmed.iter().filter(|&byte| byte == quote).count());
    if trimmed.len() > 1 && n_quotes.any(|n| n % 2 == 1) {
        return false;
    }
    let is_apart = trimmed.len() < before.len();
    match trimmed.last() {
        None => true,
        // A quote right before the tag begins a string; with a space, a comment in Vim or Basic.
        Some(b'"' | b'\'' | b'`') => is_apart && trimmed.trim_ascii_start().len() == 1,
        Some(last) if last.is_ascii_alphanumeric() => {
            // Comment words: REM, dnl, C in Fortran, @c in Texinfo; a name may be before it.
            let word =
                trimmed.rsplit(|byte| !byte.is_ascii_alphanumeric()).next().unwrap_or_default();
            let begins = trimmed.trim_ascii_start().len() <= word.len() + 1;
            begins && [&b"rem"[..], b"REM", b"dnl", b"C", b"c", b"comment"].contains(&word)
        }
        Some(b'(' | b'{' | b'=' | b',' | b':') => trimmed.trim_ascii_start().len() == 1,
        Some(_) => true,
    }
}

/// The expression at the start of a tag's value: alternating operands and operators.
fn expression_of(value: &[u8]) -> String {
    let value = String::from_utf8_lossy(&value[..value.len().min(2_000)]);
    let mut taken: Vec<&str> = Vec::new();
    let mut depth = 0i32;
    let mut is_operand_next = true;
    let words: Vec<&str> = value.split_whitespace().collect();
    for (at, &word) in words.iter().enumerate() {
        let core = word.trim_start_matches('(').trim_end_matches(')');
        let is_operator = matches!(core, "AND" | "OR" | "WITH" | "and" | "or" | "with");
        let is_name =
            core.starts_with(|c: char| c.is_ascii_alphanumeric()) && core.chars().all(is_part);
        if is_operator == is_operand_next || !(is_operator || is_name) {
            // A word with the end of a comment, `MIT*/` or `MIT"`, is cut before it.
            let end = core.find(|c: char| !is_part(c));
            let mut rest = words[at..].join(" ");
            if let Some(end) = end.filter(|&end| end > 0 && is_operand_next) {
                let start = word.len() - word.trim_start_matches('(').len();
                taken.push(word[..start + end].trim_end_matches('-'));
                rest.drain(..start + end);
            }
            if !taken.is_empty() && adds(&rest) {
                let all = format!("{} {rest}", taken.join(" "));
                let end = all.trim_end_matches(|c: char| {
                    !c.is_ascii_alphanumeric() && !matches!(c, ')' | '+')
                });
                return end.to_owned();
            }
            break;
        }
        depth += word.matches('(').count() as i32 - word.matches(')').count() as i32;
        if depth < 0 {
            // A closing parenthesis belongs to the surrounding text.
            taken.push(word.trim_end_matches(')'));
            break;
        }
        taken.push(word);
        is_operand_next = is_operator;
    }
    taken.join(" ").trim_end_matches(['.', ':', '/']).to_owned()
}

/// Whether a character may be part of the name of a license.
fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | ':' | '/')
}

/// Whether words behind an expression name another license or limit it: `MIT, GPL-2.0`.
fn adds(rest: &str) -> bool {
    let mut names = rest
        .split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '.' | '-' | '+'))
        .map(|name| name.trim_matches(['.', '-']));
    let lower = rest.to_lowercase().replace(|c: char| !c.is_alphanumeric(), " ");
    is_limit_of_name(&lower.split_whitespace().collect::<Vec<_>>().join(" "))
        || names.any(|name| Expression::parse(name).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::license::tests::rows;

    #[track_caller]
    fn check(table: &str) {
        for (text, expected) in rows(table) {
            let found = tags(text.as_bytes());
            let found: Vec<_> =
                found.iter().map(|of| format!("{} {}", of.line, of.written)).collect();
            let expected: &[&str] = if expected == "nothing" { &[] } else { &[expected] };
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn a_tag_is_read_in_comments_of_any_language() {
        check(
            r#"
// SPDX-License-Identifier: MIT\n → 1 MIT
/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */ → 1 GPL-2.0 WITH Linux-syscall-note
<!-- SPDX-License-Identifier: MIT --> → 1 MIT
<!--SPDX-License-Identifier: MIT--> → 1 MIT
#!/bin/sh\n# SPDX-License-Identifier: (MIT OR Apache-2.0) → 2 (MIT OR Apache-2.0)
(* SPDX-License-Identifier: LGPL-2.1-only *) → 1 LGPL-2.1-only
" SPDX-License-Identifier: Vim → 1 Vim
REM SPDX-License-Identifier: MIT → 1 MIT
dnl SPDX-License-Identifier: FSFAP → 1 FSFAP
{# SPDX-License-Identifier: MIT #} → 1 MIT
--[[ SPDX-License-Identifier: MIT]] → 1 MIT
// SPDX-License-Identifier: MIT Copyright 2020 → 1 MIT
// SPDX-License-Identifier: GPL-2.0+ BSD-2-Clause → 1 GPL-2.0+ BSD-2-Clause
int x; // SPDX-License-Identifier: MIT → 1 MIT
SPDX-License-Identifier: MIT → 1 MIT
"#,
        );
    }

    #[test]
    fn a_license_is_not_lost_behind_a_sign_that_joins_none_or_at_the_end_of_a_line() {
        check(
            r#"
// SPDX-License-Identifier: MIT, GPL-2.0 → 1 MIT , GPL-2.0
// SPDX-License-Identifier: MIT,GPL-2.0 */ → 1 MIT ,GPL-2.0
// SPDX-License-Identifier: MIT; GPLv2. → 1 MIT ; GPLv2
// SPDX-License-Identifier: MIT & ISC → 1 MIT & ISC
// SPDX-License-Identifier: MIT and/or ISC → 1 MIT and/or ISC
// SPDX-License-Identifier: MIT AND → 1 MIT AND
// SPDX-License-Identifier: MIT, see LICENSE → 1 MIT
// SPDX-License-Identifier: MIT; int x; → 1 MIT
/* SPDX-License-Identifier: The MIT License, GPLv2 */ → 1 The MIT License, GPLv2
/* SPDX-License-Identifier: MIT plus GPL-2.0 */ → 1 MIT plus GPL-2.0
/* SPDX-License-Identifier: MIT for the code, GPL-2.0 for the tools */ → 1 MIT for the code, GPL-2.0 for the tools
/* SPDX-License-Identifier: MIT except lib */ → 1 MIT except lib
/* SPDX-License-Identifier: MIT -- not for commercial use */ → 1 MIT -- not for commercial use
/* SPDX-License-Identifier: BSD 3-clause, LGPLv3 */ → 1 BSD 3-clause, LGPLv3
"#,
        );
    }

    #[test]
    fn a_tag_in_a_string_is_code() {
        check(
            r#"
let tag = "SPDX-License-Identifier: MIT"; → nothing
    'SPDX-License-Identifier: MIT', → nothing
echo SPDX-License-Identifier: $license → nothing
    out.write("// SPDX-License-Identifier: MIT"); → nothing
    println!(`/* SPDX-License-Identifier: MIT */`); → nothing
# REUSE-IgnoreStart\n# SPDX-License-Identifier: MIT\n# REUSE-IgnoreEnd\n → nothing
# SPDX-License-Identifier: NOASSERTION\n → nothing
"#,
        );
    }

    #[test]
    fn a_snippet_has_a_license_of_its_own() {
        let text = "// SPDX-License-Identifier: MIT\ncode\n// SPDX-SnippetBegin\n// SPDX-License-Identifier: GPL-2.0-only\ncopied\n// SPDX-SnippetEnd\n";
        let found = tags(text.as_bytes());
        assert_eq!(found[0].scope, Scope::File);
        assert_eq!(found[1].scope, Scope::Lines(3, 6));
    }
}
