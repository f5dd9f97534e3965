//! Measures how interesting a copy is to a reviewer.
//!
//! Most copies that a change adds are real but uninteresting: fields, getters, builder chains, an
//! overload next to its sibling. The others stand out by how much they *do*: how many different
//! statements of a copy decide, call or compute, how many kinds of control flow are among them, and
//! how much of that reads like the origin.
//!
//! ```text
//!                                                  statements     control flow
//!     Token next(Reader in) {
//!         int c = in.read();                       1  calls
//!         while (c == ' ' || c == '\t') {          2  decides     while
//!             c = in.read();                       -  same shape as an earlier one, apart from its type
//!         }
//!         if (c < 0) {                             3  decides     if
//!             return Token.END;
//!         }
//!         return lex(c, in);                       4  calls
//!     }
//! ```
//!
//! Names that few of the files nearby use, and an end where a block ends, make it worth more; many
//! origins, less. A copy that begins or ends inside of a block is worth less than one of whole
//! blocks: people copy those.
//!
//! What shows that it was copied counts besides: lines whose words are all the same, unless they
//! are of one shape, as the rows of a table are; at most one a statement, since a list of arguments
//! has many lines, too.
//!
//! With every name kept, this copy does 4 statements and 2 points for each of 2 kinds of control
//! flow: 8. It ends with its block, so that is worth 1.4 times as much, 11.2, without rare names;
//! with all names changed, a quarter of that. Its seven lines of twelve bytes and more are of six
//! shapes. If all are the same in the origin, four count, one a statement; they are worth 12, and
//! the copy 23.

use std::hash::{BuildHasher as _, Hash as _, Hasher as _};
use std::ops::Range;

use foldhash::fast::FixedState;
use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

use super::Document;
use super::alignment::Alignment;
use crate::language::{Kind, Symbol, Token};

/// The worth of one kind of control flow, in statements.
const CONTROL_FLOW_WORTH: f64 = 2.0;
/// The worth of a copy with all names changed, as a fraction of its worth with all names kept.
const RENAMED_WORTH: f64 = 0.25;
/// The fraction of its worth that a copy keeps right next to its origin, where its author saw both.
const BESIDE_WORTH: f64 = 0.5;
/// How fast the worth of a copy falls with its origins: it is half at 16.
const COMMON: f64 = 0.25;
/// How much more a copy is worth that ends where a block ends.
const WHOLE_BLOCK_WORTH: f64 = 1.4;
/// The fraction of its worth that a copy keeps that does not begin and end on its outermost level.
const UNEVEN_WORTH: f64 = 0.6;
/// The worth of a line that copy and origin have in common, in statements. On the judged findings
/// of `tools/accuracy`, such lines tell copies worth reading about as well as what a copy does, and
/// both together better than either: of 126 warnings, 52 % of them useful, 81 are left, 70 %
/// useful, and 32 of 34 clearly useful ones.
const EQUAL_LINE_WORTH: f64 = 3.0;
/// Minimum bytes of such a line: a shorter one is like many others.
const MIN_LINE: usize = 12;
/// Maximum lines between a copy and an origin in the same file for them to be next to each other.
pub const BESIDE_LINES: u32 = 6;

/// What a copy does, and how much of it reads like its origin.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Worth {
    /// Statements of distinct shapes that decide, call or compute; several may be on one line.
    pub n_statements: usize,
    /// Kinds of control flow among them.
    pub n_controls: usize,
    /// The fraction of names that are spelled as in the origin, 0 to 1.
    pub names: f64,
    /// Names in both that few of the files nearby use.
    pub n_rare_names: usize,
    /// Lines that copy and origin have in common, spelled the same; those of one shape counted
    /// once.
    pub n_equal_lines: usize,
    /// Whether it ends where a block ends, rather than in the middle of one.
    pub ends_block: bool,
    /// Whether its first and its last line are on its outermost level.
    pub is_even: bool,
    /// The similarity of the copy and the origin, 0 to 1.
    pub similarity: f64,
    /// Whether the origin is right next to it, or another branch of the same decision.
    pub is_beside: bool,
    /// The number of origins that are older: what is written in many places is how things are
    /// written there.
    pub n_origins: usize,
    /// The least score of a warning where the copy is.
    pub minimum: u16,
}

impl Worth {
    /// Of what is no copy, or nothing new.
    pub const NONE: Self = Self {
        n_statements: 0,
        n_controls: 0,
        names: 0.0,
        n_rare_names: 0,
        n_equal_lines: 0,
        ends_block: false,
        is_even: true,
        similarity: 0.0,
        is_beside: false,
        n_origins: 0,
        minimum: 0,
    };

    /// Of some tokens without an origin, which have so many statements and kinds of control flow.
    pub fn alone(
        document: Document<'_>,
        range: Range<usize>,
        (n_statements, n_controls): (usize, usize),
        minimum: u16,
    ) -> Self {
        let ends_block = document.ends_block(range.clone());
        let is_even = document.is_even(range);
        Self { n_statements, n_controls, ends_block, is_even, minimum, ..Self::NONE }
    }

    /// Statements that decide, call or compute, weighted by how much they read like the origin, and
    /// the lines that are the same; 0 or more.
    pub fn score(&self) -> f64 {
        self.of_statements() + self.of_lines()
    }

    /// Whether that makes a warning.
    pub fn is_enough(&self) -> bool {
        self.score() >= f64::from(self.minimum)
    }

    /// What its equal lines are worth, at most one a statement: a table or a list of arguments has
    /// many lines, and does little.
    pub fn of_lines(&self) -> f64 {
        EQUAL_LINE_WORTH * self.n_equal_lines.min(self.n_statements) as f64 / self.commonness()
    }

    /// What divides its worth: what is written in many places is how things are written there.
    fn commonness(&self) -> f64 {
        (self.n_origins.max(1) as f64).powf(COMMON)
    }

    /// What its statements are worth.
    pub fn of_statements(&self) -> f64 {
        let does = self.n_statements as f64 + CONTROL_FLOW_WORTH * self.n_controls as f64;
        let reads_alike =
            (RENAMED_WORTH + (1.0 - RENAMED_WORTH) * self.names) * self.similarity.powi(2);
        let whole = if self.ends_block { WHOLE_BLOCK_WORTH } else { 1.0 };
        let even = if self.is_even { 1.0 } else { UNEVEN_WORTH };
        let beside = if self.is_beside { BESIDE_WORTH } else { 1.0 };
        // Each row of a table has names of its own, and all rows are one statement.
        let n_rare_names = self.n_rare_names.min(self.n_statements) as f64;
        does * reads_alike * beside * whole * even * (1.0 + (1.0 + n_rare_names).ln())
            / self.commonness()
    }
}

/// What a statement does that decides, calls or computes.
#[derive(Debug)]
pub struct Deed<'d> {
    /// Its tokens.
    pub tokens: Range<usize>,
    shape: u64,
    controls: Vec<&'d str>,
}

/// The number of statements of different shapes, and of kinds of control flow. Time O(n).
pub fn n_statements<'d, 'a: 'd>(deeds: impl Iterator<Item = &'d Deed<'a>>) -> (usize, usize) {
    let mut shapes: HashSet<u64> = HashSet::new();
    let mut controls: HashSet<&str> = HashSet::new();
    for deed in deeds {
        shapes.insert(deed.shape);
        controls.extend(&deed.controls);
    }
    (shapes.len(), controls.len())
}

/// Whether two ranges of lines in one file are next to each other.
pub fn is_beside(copy: Range<u32>, origin: Range<u32>) -> bool {
    copy.start.abs_diff(origin.start) <= copy.end - copy.start + BESIDE_LINES
}

/// The fraction of the names in `copy` that `origin` also has, spelled the same, 0 to 1; 1 if there
/// are none. Time O(n + m).
pub fn names_alike(copy: &[Token], origin: &[Token]) -> f64 {
    let mut left: HashMap<u32, usize> = HashMap::new();
    for token in origin.iter().filter(|token| token.is_name()) {
        *left.entry(token.exact).or_default() += 1;
    }
    let (mut n, mut n_same) = (0, 0);
    for token in copy.iter().filter(|token| token.is_name()) {
        n += 1;
        if let Some(left) = left.get_mut(&token.exact).filter(|left| **left > 0) {
            *left -= 1;
            n_same += 1;
        }
    }
    if n == 0 { 1.0 } else { f64::from(n_same) / f64::from(n) }
}

/// The lines that two documents have in common along `alignment`, however they are laid out: lines
/// of one of them, the one with more of these, whose tokens all are spelled the same in the other.
/// Those of one shape are counted once. Time O(n).
pub fn n_equal_lines(alignment: &Alignment, query: Document<'_>, target: Document<'_>) -> usize {
    let spelled =
        alignment.pairs().filter(|&(a, b)| query.tokens[a].exact == target.tokens[b].exact);
    let (own, others): (Vec<usize>, Vec<usize>) = spelled.unzip();
    query.n_lines_of(alignment.query(), &own).max(target.n_lines_of(alignment.target(), &others))
}

impl<'d> Document<'d> {
    /// The lines of at least twelve bytes in `range` all of whose tokens are among some, which
    /// ascend; those of one shape once.
    fn n_lines_of(&self, range: Range<usize>, tokens: &[usize]) -> usize {
        let mut shapes: HashSet<Vec<Symbol>> = HashSet::new();
        let mut rest = tokens;
        for part in self.parts(range) {
            let within = rest.partition_point(|&at| at < part.end);
            let line = &self.tokens[part];
            let n_bytes = line.last().map_or(0, |last| last.end - line[0].start);
            if within == line.len() && n_bytes as usize >= MIN_LINE {
                shapes.insert(line.iter().map(|token| token.symbol).collect());
            }
            rest = &rest[within..];
        }
        shapes.len()
    }

    /// Whether the tokens in `range` end where a block ends: with a line of closing brackets or
    /// words, or where the next line is indented less. Time O(line).
    pub fn ends_block(&self, range: Range<usize>) -> bool {
        let Some(first) = range.clone().rev().find(|&at| self.starts_line(at)) else {
            return false;
        };
        let closes = self.ends_block_with(&self.tokens[first]);
        let is_cut = range.end < self.tokens.len() && !self.starts_line(range.end);
        !is_cut && (closes || self.indent(range.end) < self.indent(first))
    }

    /// Whether two parts of a text are branches of one decision: `else if` after `if`, one `case`
    /// after another. Time O(distance).
    pub fn are_branches(&self, a: &Range<usize>, b: &Range<usize>) -> bool {
        let [first, last] = if a.start < b.start { [a, b] } else { [b, a] };
        let indent = self.indent(first.start);
        let mut lines = (first.start..last.start).filter(|&at| self.starts_line(at));
        [first, last].into_iter().all(|of| self.begins_branch(of))
            && indent == self.indent(last.start)
            && lines.all(|at| self.indent(at) >= indent)
    }

    fn begins_branch(&self, range: &Range<usize>) -> bool {
        let mut words = range.clone().filter(|&at| !self.tokens[at].is_closing());
        words.next().is_some_and(|at| self.is_part(at) && self.words.begins_branch(self.word(at)))
    }

    /// Whether `range` begins and ends on its outermost level: its first line is indented no more
    /// than any other, and so is its last one, or the line behind it, where indentation alone ends
    /// a block. Time O(n).
    pub fn is_even(&self, range: Range<usize>) -> bool {
        let starts = range.clone().filter(|&at| at == range.start || self.starts_line(at));
        let indents: Vec<usize> = starts.map(|at| self.indent(at)).collect();
        let Some(&least) = indents.iter().min() else { return true };
        let is_followed = self
            .tokens
            .get(range.end)
            .is_some_and(|next| self.indent(range.end) > least || self.ends_block_with(next));
        indents.first() == Some(&least) && (indents.last() == Some(&least) || !is_followed)
    }

    /// Counts what the statements of `range` do that have a token which `is_novel`: statements of
    /// distinct shapes, and kinds of control flow. With `juxtaposed`, a name before a name or a
    /// literal is also a call.
    pub fn statements(
        &self,
        range: Range<usize>,
        is_novel: &[bool],
        juxtaposed: bool,
    ) -> (usize, usize) {
        let mut deeds = self.deeds(range, juxtaposed);
        deeds.retain(|deed| is_novel[deed.tokens.clone()].contains(&true));
        n_statements(deeds.iter())
    }

    /// What each statement of `range` does. Time O(n).
    pub fn deeds(&self, range: Range<usize>, juxtaposed: bool) -> Vec<Deed<'d>> {
        self.parts(range).into_iter().filter_map(|part| self.deed(part, juxtaposed)).collect()
    }

    /// The statements in `range`: its lines, and what ends with `;`, `{` or `}` outside of `()` and
    /// `[]`.
    fn parts(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let (mut parts, mut open, mut start) = (Vec::new(), Vec::new(), range.start);
        let mut before = None;
        for at in range.clone() {
            let own = self.tokens[at].punctuation();
            let ends = matches!(before, Some(b';' | b'{' | b'}'))
                && !matches!(open.last(), Some(b'(' | b'['));
            if at > start && (self.starts_line(at) || ends && !self.is_closer(at)) {
                parts.push(start..at);
                start = at;
            }
            match own {
                Some(bracket @ (b'(' | b'[' | b'{')) => open.push(bracket),
                Some(b')' | b']' | b'}') => drop(open.pop()),
                _ => (),
            }
            before = own;
        }
        if start < range.end {
            parts.push(start..range.end);
        }
        parts
    }

    /// What a statement does. Annotations, preprocessor lines and signatures do nothing themselves;
    /// where a call may have no brackets, a signature looks like one.
    fn deed(&self, tokens: Range<usize>, juxtaposed: bool) -> Option<Deed<'d>> {
        let line = &self.tokens[tokens.clone()];
        if matches!(line[0].text(self.text), b"@" | b"#") {
            return None;
        }
        let words = line.iter().filter(|token| token.is_word()).map(|token| token.text(self.text));
        let controls: Vec<&str> = words.filter_map(|word| self.words.control_flow(word)).collect();
        if controls.is_empty()
            && (!self.acts(line, juxtaposed)
                || self.declares(line)
                || !juxtaposed && self.is_signature(&tokens))
        {
            return None;
        }
        let mut shape = FixedState::default().build_hasher();
        line.iter().for_each(|token| token.symbol.hash(&mut shape));
        Some(Deed { tokens, shape: shape.finish(), controls })
    }

    /// Whether a line begins a signature. Most without brackets are told at once.
    fn is_signature(&self, tokens: &Range<usize>) -> bool {
        self.tokens[tokens.clone()].iter().any(|token| token.punctuation() == Some(b'('))
            && self.end_of_signature(tokens.start) > tokens.start
    }

    /// Whether a line that begins with this token ends a block: with a bracket, or in languages
    /// without them with a word.
    fn ends_block_with(&self, token: &Token) -> bool {
        token.is_closing() || self.words.ends_block(token.text(self.text))
    }

    fn acts(&self, line: &[Token], juxtaposed: bool) -> bool {
        line.iter().any(|token| self.computes(token))
            || line.windows(2).any(|pair| {
                let [first, second] = [&pair[0], &pair[1]].map(|token| token.text(self.text));
                match pair[1].kind() {
                    Kind::Punctuation if second == b"(" => pair[0].is_word(),
                    Kind::Punctuation => first == second && matches!(second, b"&" | b"|"),
                    Kind::Keyword => false,
                    _ => juxtaposed && pair[0].is_name(),
                }
            })
    }

    /// Whether a line gives names a type, as `real, intent(in) :: x(:)` of Fortran and signatures of
    /// Haskell do. Elsewhere a `::` is part of a name, and touches it.
    fn declares(&self, line: &[Token]) -> bool {
        let is_blank = |at: Option<&u8>| at.is_some_and(u8::is_ascii_whitespace);
        let names = line.split(|token| token.punctuation() == Some(b'=')).next().unwrap_or(line);
        names.windows(2).any(|pair| {
            let [start, end] = [pair[0].start, pair[1].end].map(|at| at as usize);
            self.text[start..end] == *b"::"
                && is_blank(self.text[..start].last())
                && is_blank(self.text.get(end))
        })
    }

    /// Whether a token is an operator that computes. A `<` or `>` that is, or the arrow that it is
    /// part of, has white space on both sides; others enclose arguments of types.
    fn computes(&self, token: &Token) -> bool {
        match token.punctuation() {
            Some(b'+' | b'-' | b'*' | b'/' | b'%') => true,
            Some(b'<' | b'>') => {
                let (before, behind) = self.text.split_at(token.start as usize);
                let ends = [
                    before.iter().rfind(|byte| !b"<>=-".contains(byte)),
                    behind.iter().find(|byte| !b"<>=-".contains(byte)),
                ];
                ends.into_iter().flatten().all(u8::is_ascii_whitespace)
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{c_tokens, document, tokens_of};
    use super::*;
    use crate::text::Lines;

    #[track_caller]
    fn check(text: &str, expected: (usize, usize)) {
        let tokens = c_tokens(text);
        let is_novel = vec![true; tokens.len()];
        let found = document(text, &tokens).statements(0..tokens.len(), &is_novel, false);
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn what_decides_calls_or_computes_counts_once_for_each_shape_and_kind_of_control_flow() {
        // A pointer looks like a product.
        check("int a;\nchar *name;\nb = c;\nreturn d;\n}\n", (1, 0));
        check("int a;\nb = c;\nreturn d;\n", (0, 0));
        check("f(a);\ng(b);\nh(c, d);\n", (2, 0));
        check("if (a)\n  b = c;\nelse if (d)\n  e = f;\nwhile (g)\n  h = i;\n", (3, 3));
    }

    #[test]
    fn statements_on_one_line_count_as_on_several() {
        let text = "for (a = 0; a < b; a++) {\n  f(a);\n  if (a) {\n    g(a, b);\n  }\n}\n";
        check(text, (4, 2));
        check(&text.replace('\n', " "), (4, 2));
    }

    #[test]
    fn what_was_there_before_does_not_count() {
        let text = "f(a);\nif (b) {\n}\n";
        let tokens = c_tokens(text);
        let is_novel: Vec<bool> = (0..tokens.len()).map(|at| at < 5).collect();
        let found = document(text, &tokens).statements(0..tokens.len(), &is_novel, false);
        assert_eq!(found, (1, 0));
    }

    #[test]
    fn longer_never_is_worth_less_and_renamed_is_worth_a_quarter() {
        let kept = Worth { names: 1.0, similarity: 1.0, n_origins: 1, minimum: 20, ..Worth::NONE };
        let worth = Worth { n_statements: 4, n_controls: 2, ..kept };
        let is = |worth: Worth, score: f64| {
            assert!((worth.score() - score).abs() < 1e-9, "{worth:?} {}", worth.score());
        };
        is(worth, 8.0);
        is(Worth { names: 0.0, ..worth }, 2.0);
        is(Worth { is_beside: true, ..worth }, 4.0);
        is(Worth { n_origins: 16, ..worth }, 4.0);
        is(Worth { ends_block: true, ..worth }, 11.2);
        is(Worth { is_even: false, ..worth }, 4.8);
        is(Worth { n_rare_names: 3, ..worth }, 8.0 * (1.0 + 4f64.ln()));
        is(Worth { n_rare_names: 60, ..worth }, 8.0 * (1.0 + 5f64.ln()));
        is(Worth { similarity: 0.5, ..worth }, 2.0);
        let renamed = Worth { n_equal_lines: 3, names: 0.0, ..worth };
        is(renamed, 11.0);
        is(Worth { n_origins: 16, ..renamed }, 5.5);
        is(Worth { n_equal_lines: 9, names: 0.0, ..worth }, 14.0);
        assert!(Worth { n_statements: 5, ..worth }.score() > worth.score());
    }

    #[test]
    fn equal_lines_are_long_enough_spelled_the_same_and_of_different_shapes() {
        let n_equal = |text: &str, other: &str| {
            let (own, others) = (c_tokens(text), c_tokens(other));
            let alignment: Alignment = (0..own.len()).zip(0..others.len()).collect();
            n_equal_lines(&alignment, document(text, &own), document(other, &others))
        };
        let text = "  left = right;\n  first = second;\n  if (left) return first;\n  a = b;\n";
        assert_eq!(n_equal(text, text), 2, "two shapes; the last line is too short");
        assert_eq!(n_equal(text, &text.replace('\n', " ")), 2, "layout does not count");
        assert_eq!(n_equal(&text.replace('\n', " "), text), 2, "on either side");
        // Of one shape, the other line is the same.
        assert_eq!(n_equal(text, &text.replace("left", "other")), 1);
    }

    #[test]
    fn a_copy_ends_a_block_with_its_bracket_or_before_a_line_that_is_indented_less() {
        let text = "int f(int a)\n{\n  b();\n  if (a) {\n    c();\n    d();\n  }\n}\n";
        let tokens = c_tokens(text);
        let ends_at = |line: u32| {
            let lines = Lines::new(text.as_bytes());
            let end = tokens.partition_point(|token| lines.line_of(token.start) <= line);
            document(text, &tokens).ends_block(0..end)
        };
        let ends: Vec<u32> = (1..=8).filter(|&line| ends_at(line)).collect();
        assert_eq!(ends, [6, 7, 8]);
        let in_a_line = 0..tokens.len() - 3;
        assert!(!document(text, &tokens).ends_block(in_a_line));
    }

    #[test]
    fn whole_blocks_begin_and_end_on_the_outermost_level() {
        let text = "a();\nif (b) {\n  c();\n}\nd();\n";
        let tokens = c_tokens(text);
        let is_even = |range| document(text, &tokens).is_even(range);
        assert!(is_even(0..tokens.len()) && is_even(4..tokens.len() - 4));
        assert!(!is_even(4..13), "the block goes on");
        assert!(!is_even(9..tokens.len()), "the block began before");

        // Without brackets, what follows shows where a block ends.
        let text = "def f(a):\n  b()\n  return a\ndef g():\n  d()\n";
        let tokens = tokens_of("python", text);
        let behind = |word: &[u8]| {
            1 + tokens.iter().position(|token| token.text(text.as_bytes()) == word).unwrap_or(0)
        };
        let is_even = |end| document(text, &tokens).is_even(0..end);
        assert!(is_even(behind(b"return") + 1) && is_even(tokens.len()));
        assert!(!is_even(behind(b"b") + 2), "the function goes on");
    }

    #[test]
    fn names_are_alike_as_often_as_the_origin_has_them() {
        let (copy, origin) = (c_tokens("a = b + b;"), c_tokens("b = c;"));
        assert!((names_alike(&copy, &origin) - 1.0 / 3.0).abs() < 1e-9);
        assert!((names_alike(&c_tokens("1;"), &origin) - 1.0).abs() < 1e-9);
    }
}
