//! Reads versions of a text without reading again what a change left alone.
//!
//! Invariant: the tokens of a version are the same as when its whole text is read on its own.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::token::{Symbol, Token};
use crate::text::{common_prefix, common_prefix_by, common_suffix, common_suffix_by};

/// Number of bytes after a position that may influence how the text before it is read.
pub(super) const LOOKS_AHEAD: usize = 1024;
/// Minimum bytes between two positions at which reading may resume.
pub(super) const BETWEEN_MARKS: usize = if cfg!(any(test, fuzzing)) { 8 } else { 256 };

/// The reading of a text, to read changed ones by. Of each token it keeps the symbol, or all.
#[derive(Debug, Clone)]
pub struct Version<T = Symbol> {
    tokens: Vec<T>,
    marks: Vec<Mark>,
}

/// What a version keeps of a token.
pub trait Kept: Copy {
    /// This of a token.
    fn of(token: &Token) -> Self;
    /// Its symbol.
    fn symbol(&self) -> Symbol;
    /// The same of a token that is so many bytes further on.
    #[must_use]
    fn moved(self, shift: i64) -> Self;
}

impl Kept for Symbol {
    fn of(token: &Token) -> Self {
        token.symbol
    }

    fn symbol(&self) -> Symbol {
        *self
    }

    fn moved(self, _: i64) -> Self {
        self
    }
}

impl Kept for Token {
    fn of(token: &Token) -> Self {
        *token
    }

    fn symbol(&self) -> Symbol {
        self.symbol
    }

    fn moved(self, shift: i64) -> Self {
        let [start, end] = [self.start, self.end].map(|at| (i64::from(at) + shift) as u32);
        Self { start, end, ..self }
    }
}

/// The start of a line at which nothing is open: from here on, a text reads as if it began here,
/// except that the previous token counts.
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

/// Where reading begins, and where it may end; by default, that of everything.
#[derive(Debug, Clone, Default)]
pub(super) struct Plan<'v> {
    /// Where reading begins; `None` at the start of the text.
    pub from: Option<Mark>,
    /// Marks of the previous version that are also in this one.
    pub ends: &'v [Mark],
    /// The offset to add to positions of the previous version.
    pub shift: i64,
}

impl<'v> Plan<'v> {
    /// Reads what `text` does not share with `before_text`.
    pub fn new<T>(text: &[u8], before_text: &[u8], before: &'v Version<T>) -> Self {
        let n_prefix = common_prefix(text, before_text);
        let n_rest = text.len().min(before_text.len()) - n_prefix;
        let n_suffix = common_suffix(text, before_text).min(n_rest);
        let n_known =
            before.marks.partition_point(|mark| mark.at as usize + LOOKS_AHEAD <= n_prefix);
        let ends =
            before.marks.partition_point(|mark| (mark.at as usize) < before_text.len() - n_suffix);
        Self {
            from: n_known.checked_sub(1).map(|at| before.marks[at]),
            ends: &before.marks[ends..],
            shift: text.len() as i64 - before_text.len() as i64,
        }
    }
}

#[derive(Default)]
pub(super) struct PlanOutcome {
    /// Marks that were passed.
    pub marks: Vec<Mark>,
    /// The end of the plan that was reached.
    pub end: Option<Mark>,
    /// Whether all marks are valid: something unclosed may reach arbitrarily far.
    pub is_resumable: bool,
}

impl<T> Default for Version<T> {
    fn default() -> Self {
        Self { tokens: Vec::new(), marks: Vec::new() }
    }
}

impl<T: Kept> Version<T> {
    /// What it keeps of its tokens.
    pub fn tokens(&self) -> &[T] {
        &self.tokens
    }

    /// Combines what was `read` according to `plan`, its `outcome`, and what was known `before`.
    pub(super) fn new(
        before: &Self,
        plan: &Plan<'_>,
        read: &[Token],
        outcome: PlanOutcome,
    ) -> (Self, ChangedTokens) {
        let &Plan { from, shift, .. } = plan;
        let n_from = from.map_or(0, |mark| mark.n_tokens as usize);
        let n_end = outcome.end.map_or(before.tokens.len(), |mark| mark.n_tokens as usize);
        let known_after = &before.tokens[n_end..];
        let mut tokens = Vec::with_capacity(n_from + read.len() + known_after.len());
        tokens.extend_from_slice(&before.tokens[..n_from]);
        tokens.extend(read.iter().map(T::of));
        let n_after = tokens.len();
        tokens.extend(known_after.iter().map(|token| token.moved(shift)));

        let mut marks = Vec::new();
        if outcome.is_resumable {
            let n_known =
                from.map_or(0, |from| before.marks.partition_point(|mark| mark.at <= from.at));
            marks.extend_from_slice(&before.marks[..n_known]);
            let last = outcome.marks.last().and_then(|mark| mark.last);
            marks.extend(outcome.marks);
            if let Some(end) = outcome.end {
                let n_shift = n_after as i64 - n_end as i64;
                let rest = &before.marks[before.marks.partition_point(|mark| mark.at <= end.at)..];
                marks.extend(rest.iter().map(|mark| Mark {
                    at: (i64::from(mark.at) + shift) as u32,
                    n_tokens: (i64::from(mark.n_tokens) + n_shift) as u32,
                    // A token before the end has its position in this text.
                    last: if mark.n_tokens == end.n_tokens {
                        last
                    } else {
                        mark.last.map(|last| last.moved(shift))
                    },
                }));
            }
        }
        let changed = ChangedTokens { before: n_from..n_end, after: n_from..n_after };
        let changed = changed.trimmed(&before.tokens, &tokens);
        (Self { tokens, marks }, changed)
    }
}

impl ChangedTokens {
    /// Without the tokens at both ends whose symbols are the same after all.
    fn trimmed<T: Kept>(self, before: &[T], after: &[T]) -> Self {
        let (old, new) = (&before[self.before.clone()], &after[self.after.clone()]);
        let n_first = common_prefix_by(old, new, |a, b| a.symbol() == b.symbol());
        let (old, new) = (&old[n_first..], &new[n_first..]);
        let n_last = common_suffix_by(old, new, |a, b| a.symbol() == b.symbol());
        Self {
            before: self.before.start + n_first..self.before.end - n_last,
            after: self.after.start + n_first..self.after.end - n_last,
        }
    }
}

/// The tokens of a version that no earlier one has: all, but for what it is told to share.
#[derive(Debug)]
pub struct OwnTokens(Mutex<Range<usize>>);

impl OwnTokens {
    /// All of `n` tokens.
    pub fn all(n: usize) -> Self {
        Self(Mutex::new(0..n))
    }

    /// Records that a version differs from `base` in `changed`: the earlier one has the rest.
    pub fn share(&self, base: &Self, is_base_earlier: bool, changed: ChangedTokens) {
        let (later, changed) =
            if is_base_earlier { (self, changed.after) } else { (base, changed.before) };
        let mut own = later.0.lock().unwrap_or_else(PoisonError::into_inner);
        if changed.len() < own.len() {
            *own = changed;
        }
    }

    /// Where they are.
    pub fn into_range(self) -> Range<usize> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::table::{Delimiters, OneOrMany, Table};
    use super::super::{Languages, Lexer};
    use super::*;

    /// Pieces of code of many languages that open, close, join and separate what a lexer knows.
    const PIECES: &[&str] = &[
        "\n", "\n", " ", "\r", "\r\n", "\\\n", "\\", "a", "1", "é", "=", ".", ",", ";", "<", ">",
        "/", "(", ")", "[", "]", "{", "}", "}\n", "if (a\n", ") / b\n", "/`/ c\n", "((a<<b))\n",
        "$a{b}\n", "for (a of\n", "for\nawait\n(", "<b>don't\n", "</b>", "\\u002f*\n",
        "/*a;*/import \"C\"\n", "int a = b + 1;\n",
    ];

    /// Pieces of code that mean something to a table: its openers, closers, imports and examples.
    fn pieces(table: &Table) -> Vec<String> {
        let mut pieces: Vec<String> = PIECES.iter().map(|&piece| piece.to_owned()).collect();
        let filled = |text: &str| {
            let (Some(open), Some(close)) = (text.find('{'), text.rfind('}')) else {
                return vec![text.to_owned()];
            };
            let with = |hole: &str| format!("{}{hole}{}", &text[..open], &text[close + 1..]);
            match &text[open + 1..close.max(open + 1)] {
                "splice" => vec![with(""), with("\\\n"), with("\\\n\\\n")],
                "blank" => vec![with(""), with(" ")],
                "tag" | "delimiter" => vec![with(""), with("A"), with("B")],
                "quote" => vec![with("("), with(" {"), with("}"), with(")"), with("|")],
                "bracket" => vec![with("("), with(")"), with("|")],
                repeated if repeated.chars().count() == 1 => {
                    vec![with(""), with(repeated), with(&repeated.repeat(2))]
                }
                _ => vec![text.to_owned()],
            }
        };
        for row in table.comments.iter().chain(&table.strings) {
            let delimiters = row.open.iter().chain(row.close.iter().flat_map(OneOrMany::iter));
            pieces.extend(delimiters.flat_map(filled));
            pieces.extend(row.ends_before.iter().chain(&row.plain).cloned());
            let escapes = |escape: &char| [format!("{escape}"), format!("{escape}\n")];
            pieces.extend(row.escape.iter().flat_map(escapes));
            let inside = row.interpolation.iter().chain(&row.shelter);
            pieces.extend(inside.flat_map(|inside| [inside.open.clone(), inside.close.clone()]));
            pieces.extend(row.format_after.iter().map(char::to_string));
        }
        for row in &table.heredocs {
            pieces.extend(["", "'", "\""].map(|quote| format!("{}{quote}A{quote}\n", row.open)));
            pieces.extend(row.indented.chars().map(|sign| format!("{}{sign}A", row.open)));
            pieces.extend(["A\n", "\tA\n", " A\n"].map(str::to_owned));
        }
        for row in &table.imports {
            pieces.extend(row.first.iter().map(|first| format!("{first} ")));
            pieces.extend(row.not_before.chars().chain(row.not_with.chars()).map(String::from));
            pieces.extend(row.not_with_words.split_whitespace().map(|word| format!("{word} ")));
        }
        let words = [&table.heads, &table.infix, &table.value_keywords].into_iter();
        let words = words.flat_map(|words| words.split_whitespace());
        pieces.extend(words.map(|word| format!("{word} ")));
        let plain = table.plain.iter().chain(&table.plain_operands).chain(&table.plain_arguments);
        pieces.extend(plain.chain(&table.postfix).cloned());
        let case = |pair: &Delimiters| [format!("{} ", pair.open), format!("{}\n", pair.close)];
        pieces.extend(table.cases.iter().flat_map(case));
        pieces.extend(table.sigils.chars().map(String::from));
        pieces.extend(table.examples.iter().map(|example| example.source.clone()));
        pieces
    }

    #[derive(Debug, Clone)]
    enum Part {
        /// One of the language's pieces, and how many eighths of it.
        Piece(prop::sample::Index, usize),
        /// Longer than any lookahead.
        Filler(&'static str),
        LineEnd,
    }

    fn parts(n: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Part>> {
        let index = any::<prop::sample::Index>;
        let filler =
            prop::sample::select(vec!["total = compute(value, 17, other);\n", "\n", "more ", " "]);
        let part = prop_oneof![
            4 => index().prop_map(|piece| Part::Piece(piece, 8)),
            1 => (index(), 1usize..8).prop_map(|(piece, n_eighths)| Part::Piece(piece, n_eighths)),
            2 => filler.prop_map(Part::Filler),
            2 => Just(Part::LineEnd),
        ];
        prop::collection::vec(part, n)
    }

    fn text(pieces: &[String], parts: &[Part]) -> String {
        let text = |part: &Part| match part {
            Part::Piece(piece, n_eighths) => {
                let piece = &pieces[piece.index(pieces.len())];
                piece.chars().take(piece.chars().count() * n_eighths / 8).collect()
            }
            Part::Filler(line) => line.repeat(1_200 / line.len()),
            Part::LineEnd => "\n".to_owned(),
        };
        parts.iter().map(text).collect()
    }

    /// Checks that `text`, read as the version after `before`, is read as it is on its own.
    fn assert_as_whole(
        id: &str,
        lexer: &Lexer,
        before: &str,
        version: &Version<Token>,
        text: &str,
    ) -> Version<Token> {
        let mut tokens = Vec::new();
        let (read, changed) =
            lexer.version(text.as_bytes(), Some((before.as_bytes(), version)), &mut tokens);
        lexer.tokenize(text.as_bytes(), &mut tokens);
        assert!(read.tokens() == tokens, "{id}: {text:?} after {before:?}");
        let symbols = |tokens: &[Token]| tokens.iter().map(|of| of.symbol).collect::<Vec<_>>();
        let (before, after) = (symbols(version.tokens()), symbols(&tokens));
        assert_eq!(before[..changed.before.start], after[..changed.after.start]);
        assert_eq!(before[changed.before.end..], after[changed.after.end..]);
        read
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn a_version_is_read_as_the_whole_text_is(
            first in any::<prop::sample::Index>(),
            parts in parts(0..14),
            edits in prop::collection::vec((any::<prop::sample::Index>(), 0usize..3, parts(0..3)), 1..5),
        ) {
            let languages = Languages::builtin();
            let ids = languages.ids();
            for n in 0..5 {
                // Neighbors in the alphabet have little in common.
                let id = ids[(first.index(ids.len()) + n) % ids.len()];
                let language = languages.get(id).expect("the language is listed");
                let pieces = pieces(languages.table(id).expect("it has a table"));
                let (mut parts, mut text_now) = (parts.clone(), text(&pieces, &parts));
                let (mut version, _) = language.lexer.version(text_now.as_bytes(), None, &mut Vec::new());
                for (at, n_gone, more) in &edits {
                    let at = at.index(parts.len() + 1);
                    parts.splice(at..(at + n_gone).min(parts.len()), more.iter().cloned());
                    let next = text(&pieces, &parts);
                    let read = assert_as_whole(id, &language.lexer, &text_now, &version, &next);
                    (version, text_now) = (read, next);
                }
            }
        }
    }

    /// Checks that an edit is read as the whole text is; `~` is longer than any lookahead.
    fn check(id: &str, before: &str, after: &str) {
        let languages = Languages::builtin();
        let lexer = &languages.get(id).expect("there is such a language").lexer;
        let [before, after] = [before, after]
            .map(|text| text.replace('~', &"total = compute(value, 17, other)\n".repeat(40)));
        let (version, _) = lexer.version(before.as_bytes(), None, &mut Vec::new());
        let read = assert_as_whole(id, lexer, &before, &version, &after);
        assert_as_whole(id, lexer, &after, &read, &before);
    }

    #[test]
    fn what_was_opened_before_the_place_of_resuming_says_nothing() {
        check("javascript", "~if (a\n}\n) /`/ c\n~", "{~if (a\n}\n) /`/ c\n~");
    }

    #[test]
    fn where_what_follows_depends_on_more_than_one_token_reading_does_not_resume() {
        // A member may be called `if`, and `await` comes between a head and its brackets.
        check("javascript", "~a.\nif\n(b) /'/ c\n~", "~a.\nif\n(b) /'/ c\nd~");
        check("javascript", "~a\nif\n(b) /'/ c\n~", "~a.\nif\n(b) /'/ c\n~");
        check("javascript", "~for\nawait\n(a of b) /'/ c\n~", "~fox\nawait\n(a of b) /'/ c\n~");
        check("perl", "~$\na\n{b}\n=cut\nc\n~", "~d\na\n{b}\n=cut\nc\n~");
        check("perl", "~$a-\n>\n{b}\n=cut\nc\n~", "~$a;\n>\n{b}\n=cut\nc\n~");
    }

    #[test]
    fn reading_resumes_at_the_start_of_a_line_however_the_one_before_ends() {
        check("asciidoc", "~some more text\n// b\n~", "~some more text\r// b\n~");
        check("ruby", "~some + text\n=begin\n'\n=end\n~", "~some + text\r=begin\n'\n=end\n~");
        check("elixir", "~a = \"\"\"\nb\n\"\"\"\n~", "~a = \"\"\"\nb\r\"\"\"\n~");
        check("php", "<?php\na(<<<A\nb\nA\n);\n~", "<?php\na(<<<A\nb\n\nA\n);\n~");
    }

    #[test]
    fn what_is_far_behind_decides_nothing_before_it() {
        // A comment whose string nothing closes ends as if there was none: what comes later could
        // close it.
        check("ocaml", "(* \" *)\n~let a = 1\n~", "(* \" *)\n~let a = 1 \" *)\n~");
        check("ocaml", "(* {a| *)\n~let a = 1\n~", "(* {a| *)\n~let a = 1 |a} *)\n~");
        // The second part of a substitution may be on another line.
        let far = "\n".repeat(2 * LOOKS_AHEAD);
        check("perl", &format!("~s{{a}}{far}b\n~"), &format!("~s{{a}}{far}{{b}}\n~"));
    }

    #[test]
    fn an_edit_in_a_long_text_is_all_that_is_read() {
        let languages = Languages::builtin();
        let lexer = &languages.get("c").expect("there is C").lexer;
        let before = "int add(int a, int b) { return a + b; }\n".repeat(1_000);
        let after = before.replacen("a + b", "a - b + 1", 500).replacen("a - b + 1", "a + b", 499);
        let mut tokens = Vec::new();
        let (version, _) = lexer.version::<Token>(before.as_bytes(), None, &mut tokens);
        let n_all = tokens.len();
        let (_, changed) =
            lexer.version(after.as_bytes(), Some((before.as_bytes(), &version)), &mut tokens);
        assert!(tokens.len() < n_all / 10, "{} of {n_all} tokens", tokens.len());
        // `+ b` became `- b + 1`.
        assert_eq!((changed.before.len(), changed.after.len()), (2, 4));
    }
}
