//! Reads versions of a text without reading again what a change left alone.
//!
//! Invariant: the symbols of a version are the same as when its whole text is read on its own.

use std::ops::Range;

use super::token::{Symbol, Token};
use crate::text::{common_prefix, common_suffix};

/// Number of bytes after a position that may influence how the text before it is read.
pub(super) const LOOKS_AHEAD: usize = 1024;
/// Minimum bytes between two positions at which reading may resume.
pub(super) const BETWEEN_MARKS: usize = 256;

/// The normalized reading of a text, and what is needed to read a changed version of it.
#[derive(Debug, Clone, Default)]
pub struct Version {
    symbols: Vec<Symbol>,
    marks: Vec<Mark>,
}

/// The start of a line at which nothing is open: from here on, a text reads as if it began here, except that the
/// previous token counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    pub at: u32,
    pub n_tokens: u32,
    pub last: Option<Token>,
}

/// How a version differs from the previous one: in these tokens, and no others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedTokens {
    /// Tokens of the version before.
    pub before: Range<usize>,
    /// Tokens of this version.
    pub after: Range<usize>,
}

/// Where reading begins, and where it may end.
#[derive(Debug, Clone)]
pub(super) struct Plan<'v> {
    /// Where reading begins; `None` at the start of the text.
    pub from: Option<Mark>,
    /// Marks of the previous version that are also in this one.
    pub ends: &'v [Mark],
    /// The offset to add to positions of the previous version.
    pub shift: i64,
}

impl<'v> Plan<'v> {
    /// Reads everything.
    pub fn whole() -> Self {
        Self { from: None, ends: &[], shift: 0 }
    }

    /// Reads what `text` does not share with `before_text`.
    pub fn new(text: &[u8], before_text: &[u8], before: &'v Version) -> Self {
        let n_prefix = common_prefix(text, before_text);
        let n_rest = text.len().min(before_text.len()) - n_prefix;
        let n_suffix = common_suffix(text, before_text).min(n_rest);
        let n_known = before.marks.partition_point(|mark| mark.at as usize + LOOKS_AHEAD <= n_prefix);
        let ends = before.marks.partition_point(|mark| (mark.at as usize) < before_text.len() - n_suffix);
        Self {
            from: n_known.checked_sub(1).map(|at| before.marks[at]),
            ends: &before.marks[ends..],
            shift: text.len() as i64 - before_text.len() as i64,
        }
    }
}

/// What was read according to a plan.
pub(super) struct PlanOutcome {
    /// Marks that were passed.
    pub marks: Vec<Mark>,
    /// The end of the plan that was reached.
    pub end: Option<Mark>,
    /// Whether all marks are valid: something unclosed may reach arbitrarily far.
    pub is_resumable: bool,
}

impl Version {
    /// Its symbols.
    pub fn symbols(&self) -> &[Symbol] {
        &self.symbols
    }

    /// Combines what was read according to `plan`, the tokens `read` and its `outcome`, with what was known `before`.
    pub(super) fn new(before: &Self, plan: &Plan<'_>, read: &[Token], outcome: PlanOutcome) -> (Self, ChangedTokens) {
        let &Plan { from, shift, .. } = plan;
        let n_from = from.map_or(0, |mark| mark.n_tokens as usize);
        let n_end = outcome.end.map_or(before.symbols.len(), |mark| mark.n_tokens as usize);
        let known_after = &before.symbols[n_end..];
        let mut symbols = Vec::with_capacity(n_from + read.len() + known_after.len());
        symbols.extend_from_slice(&before.symbols[..n_from]);
        symbols.extend(read.iter().map(|token| token.symbol));
        let n_after = symbols.len();
        symbols.extend_from_slice(known_after);

        let mut marks = Vec::new();
        if outcome.is_resumable {
            let n_known = from.map_or(0, |from| before.marks.partition_point(|mark| mark.at <= from.at));
            marks.extend_from_slice(&before.marks[..n_known]);
            let last = outcome.marks.last().and_then(|mark| mark.last);
            marks.extend(outcome.marks);
            if let Some(end) = outcome.end {
                let n_shift = n_after as i64 - n_end as i64;
                let moved = |at: u32| (i64::from(at) + shift) as u32;
                let moved_token = |token: Token| Token { start: moved(token.start), end: moved(token.end), ..token };
                let rest = &before.marks[before.marks.partition_point(|mark| mark.at <= end.at)..];
                marks.extend(rest.iter().map(|mark| Mark {
                    at: moved(mark.at),
                    n_tokens: (i64::from(mark.n_tokens) + n_shift) as u32,
                    // A token before the end has its position in this text.
                    last: if mark.n_tokens == end.n_tokens { last } else { mark.last.map(moved_token) },
                }));
            }
        }
        let changed = ChangedTokens { before: n_from..n_end, after: n_from..n_after };
        let changed = changed.trimmed(&before.symbols, &symbols);
        (Self { symbols, marks }, changed)
    }

    /// The tokens in which a version differs from one before it.
    pub fn changed(&self, before: &Self) -> ChangedTokens {
        let changed = ChangedTokens { before: 0..before.symbols.len(), after: 0..self.symbols.len() };
        changed.trimmed(&before.symbols, &self.symbols)
    }
}

impl ChangedTokens {
    /// Without the tokens at both ends that are the same after all.
    fn trimmed(self, before: &[Symbol], after: &[Symbol]) -> Self {
        let (old, new) = (&before[self.before.clone()], &after[self.after.clone()]);
        let n_first = old.iter().zip(new).take_while(|(a, b)| a == b).count();
        let (old, new) = (&old[n_first..], &new[n_first..]);
        let n_last = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
        Self {
            before: self.before.start + n_first..self.before.end - n_last,
            after: self.after.start + n_first..self.after.end - n_last,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Languages, Lexer};
    use super::*;

    /// Pieces of code that open, close, join and separate what a lexer knows.
    const PIECES: &[&str] = &[
        "int a = b + 1;\n",
        "/* open",
        "*/",
        "// line\n",
        "\"text",
        "\"",
        "'c'",
        "\n",
        "\\\n",
        "{",
        "}\n",
        "#include <x.h>\n",
        "import a\n",
        "from b import (c,\n d)\n",
        "'''",
        "\"\"\"",
        "cat <<EOF\n",
        "EOF\n",
        "x = y / z / w\n",
        "return /re/g\n",
        "`t ${a} t`\n",
        "${",
        "r#\"raw\"#\n",
        "if (a < b) { f(a, b); }\n",
        "   \n",
        "=begin\n",
        "=end\n",
        "# note\n",
        "%q(a)\n",
        "<?php\n",
        "if (a\n",
        ")\n",
        ") / b\n",
        "/`/ c\n",
        "f'{a:'}'",
        " \r",
        "=pod q{\n",
        "\n=cut\n",
        "$a{b}\n",
        "((a<<b))\n",
        "cat << 'A' <<!\n",
        "A\n!\n",
        "for (a of\n",
        "<!-- `\n",
        "(* \"(*\" *)\n",
        "<b>don't\n",
        "</b>",
        "\\u002f*\n",
        "'''\nc ''' d\n",
        "import \"C\"\n",
        "/* int c; */import \"C\"\n",
    ];

    const IDS: &[&str] = &[
        "c",
        "python",
        "shell",
        "javascript",
        "ruby",
        "perl",
        "rust",
        "php",
        "go",
        "java",
        "scala",
        "elixir",
        "ocaml",
    ];

    fn text(pieces: &[usize]) -> String {
        let piece = |at: &usize| PIECES[at % PIECES.len()];
        pieces.iter().map(piece).collect()
    }

    /// Reads `text` as the version after `before`, and checks that it is read as it would be on its own.
    fn assert_as_whole(lexer: &Lexer, before: &str, version: &Version, text: &str) -> Version {
        let mut tokens = Vec::new();
        let (read, changed) = lexer.version(text.as_bytes(), Some((before.as_bytes(), version)), &mut tokens);
        lexer.tokenize(text.as_bytes(), &mut tokens);
        let expected: Vec<Symbol> = tokens.iter().map(|token| token.symbol).collect();
        assert_eq!(read.symbols(), expected, "{text:?}");
        assert_eq!(version.symbols()[..changed.before.start], expected[..changed.after.start]);
        assert_eq!(version.symbols()[changed.before.end..], expected[changed.after.end..]);
        read
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn a_version_is_read_as_the_whole_text_is(
            around in prop::collection::vec(prop::collection::vec(0usize..51, 0..30), 2),
            edits in prop::collection::vec((0usize..40, prop::collection::vec(0usize..51, 0..4), 0usize..400), 1..5),
            filler in 0usize..3,
        ) {
            let languages = Languages::builtin();
            // The text around an edit is longer than any lookahead.
            let filler = "total = compute(value, 17, other);\n".repeat(filler * 60);
            let mut text_now = format!("{}{filler}{}{filler}{}", text(&around[0]), text(&around[1]), text(&around[0]));
            for id in IDS {
                let Some(language) = languages.get(id) else { continue };
                let mut tokens = Vec::new();
                let (mut version, _) = language.lexer.version(text_now.as_bytes(), None, &mut tokens);
                for (at, pieces, n_gone) in &edits {
                    let mut at = at * text_now.len() / 40;
                    while !text_now.is_char_boundary(at) { at -= 1; }
                    let mut end = (at + n_gone).min(text_now.len());
                    while !text_now.is_char_boundary(end) { end -= 1; }
                    let next = format!("{}{}{}", &text_now[..at], text(pieces), &text_now[end.max(at)..]);
                    let read = assert_as_whole(&language.lexer, &text_now, &version, &next);
                    (version, text_now) = (read, next);
                }
            }
        }
    }

    #[test]
    fn what_was_opened_before_the_place_of_resuming_says_nothing() {
        let languages = Languages::builtin();
        let lexer = &languages.get("javascript").expect("there is JavaScript").lexer;
        let filler = "total = compute(value, 17, other);\n".repeat(100);
        let text = |head: &str| format!("{head}{filler}if (a\n}}\n) /`/ c\n{filler}");
        let (version, _) = lexer.version(text("").as_bytes(), None, &mut Vec::new());
        assert_as_whole(lexer, &text(""), &version, &text("{"));
    }

    #[test]
    fn an_edit_in_a_long_text_is_all_that_is_read() {
        let languages = Languages::builtin();
        let lexer = &languages.get("c").expect("there is C").lexer;
        let before = "int add(int a, int b) { return a + b; }\n".repeat(1_000);
        let after = before.replacen("a + b", "a - b + 1", 500).replacen("a - b + 1", "a + b", 499);
        let mut tokens = Vec::new();
        let (version, _) = lexer.version(before.as_bytes(), None, &mut tokens);
        let n_all = tokens.len();
        let (_, changed) = lexer.version(after.as_bytes(), Some((before.as_bytes(), &version)), &mut tokens);
        assert!(tokens.len() < n_all / 10, "{} of {n_all} tokens", tokens.len());
        // `+ b` became `- b + 1`.
        assert_eq!((changed.before.len(), changed.after.len()), (2, 4));
    }
}
