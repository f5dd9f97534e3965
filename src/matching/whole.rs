//! Cuts a fragment to whole statements, blocks and functions, by layout alone.
//!
//! ```text
//!         return a;            the end of another function: cut
//!     }
//!
//!     int next(Reader *in) {   the copy
//!         ...
//!     }
//!
//!     int last(Reader *in) {   the begin of the next one: cut
//! ```
//!
//! Alignments end where tokens stop being equal, which is rarely where code ends: any two functions of a language begin
//! and end alike. A block at an end of a fragment belongs to it if most of the block is in the fragment.
//!
//! Invariant: what has to be held stays whole, so a cut never drops a run that is a copy by itself.

use std::ops::Range;

use super::Document;
use super::unit::closes_unit;

/// Words that continue the statement above them.
const CONTINUING: &[&[u8]] =
    &[b"else", b"elif", b"elsif", b"elseif", b"except", b"rescue", b"catch", b"finally", b"ensure", b"then"];

/// What a cut has to leave.
pub struct Keep<'k> {
    /// Whether a token of the fragment is aligned with an origin.
    pub is_shared: &'k dyn Fn(usize) -> bool,
    /// Ranges that no cut may touch.
    pub held: &'k [Range<usize>],
    /// Whether a fragment is still enough to be reported.
    pub is_enough: &'k dyn Fn(&Range<usize>) -> bool,
}

impl std::fmt::Debug for Keep<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Keep").field("held", &self.held).finish_non_exhaustive()
    }
}

impl Keep<'_> {
    /// Whether `range` may be cut to `cut`.
    fn allows(&self, range: &Range<usize>, cut: &Range<usize>) -> bool {
        let holds = |range: &Range<usize>, held: &Range<usize>| range.start <= held.start && held.end <= range.end;
        let is_held = |held: &&Range<usize>| holds(range, held);
        cut.start < cut.end
            && cut != range
            && self.held.iter().filter(is_held).all(|held| holds(cut, held))
            && (self.is_enough)(cut)
    }
}

/// A line of a fragment, or what of it is in the fragment.
struct Line {
    /// Its tokens in the fragment.
    tokens: Range<usize>,
    indent: usize,
    /// Whether it begins with what closes a block.
    is_closer: bool,
    /// Whether it goes on with the statement above it.
    is_continuing: bool,
}

impl Document<'_> {
    /// `range` without the parts of statements and blocks at its ends that belong to other code.
    ///
    /// Time O(n · d) for n tokens in `range` and in the blocks that it cuts, nested d deep.
    pub fn whole(&self, range: Range<usize>, keep: &Keep<'_>) -> Range<usize> {
        let mut range = range;
        // Each cut leaves fewer lines, so this ends.
        loop {
            let lines = self.lines(&range);
            let cuts = self.cut_statements(&range, &lines).into_iter();
            let cuts = cuts
                .chain(foreign_ends(&range, &lines, keep))
                .chain(self.ended_blocks(&range, &lines))
                .chain(self.begun_blocks(&range, &lines));
            let Some(cut) = cuts.into_iter().find(|cut| keep.allows(&range, cut)) else { return range };
            range = cut;
        }
    }

    fn lines(&self, range: &Range<usize>) -> Vec<Line> {
        let starts = range.clone().filter(|&at| at == range.start || self.starts_line(at));
        let mut lines: Vec<Line> = Vec::new();
        for at in starts {
            if let Some(last) = lines.last_mut() {
                last.tokens.end = at;
            }
            lines.push(Line {
                tokens: at..range.end,
                indent: self.indent(at),
                is_closer: self.is_closer(at),
                is_continuing: self.is_opener(at) || CONTINUING.contains(&self.tokens[at].text(self.text)),
            });
        }
        for line in &mut lines {
            // `} else {` closes and goes on.
            let opens = || line.tokens.clone().map(|at| self.nesting(at)).sum::<i64>() >= 0;
            line.is_continuing |= line.is_closer && line.tokens.len() > 1 && opens();
        }
        lines
    }

    /// Whether the token at `at` closes a block: a bracket, or a word such as `end`.
    fn is_closer(&self, at: usize) -> bool {
        closes_unit(self.tokens[at].text(self.text))
    }

    /// Whether the token at `at` opens the block of the statement above it.
    fn is_opener(&self, at: usize) -> bool {
        self.tokens[at].text(self.text) == b"{"
    }

    /// The first token of the next line at or after `at`.
    fn next_line(&self, at: usize) -> usize {
        (at..self.tokens.len()).find(|&at| self.starts_line(at)).unwrap_or(self.tokens.len())
    }

    /// Cuts a line at an end of which less than half is in `range`, and what belongs to the code below: an annotation.
    fn cut_statements(&self, range: &Range<usize>, lines: &[Line]) -> Vec<Range<usize>> {
        let (Some(first), Some(last)) = (lines.first(), lines.last()) else { return Vec::new() };
        let mut cuts = Vec::new();
        let before = (0..=first.tokens.start).rev().find(|&at| self.starts_line(at)).unwrap_or(0);
        if 2 * first.tokens.len() < first.tokens.end - before {
            cuts.push(first.tokens.end..range.end);
        }
        let behind = self.next_line(last.tokens.end);
        let word = self.tokens[last.tokens.start].text(self.text);
        let second = self.tokens.get(last.tokens.start + 1).map(|token| token.text(self.text));
        let is_annotation = word == b"@" || word == b"#" && second == Some(b"[");
        if 2 * last.tokens.len() < behind - last.tokens.start || is_annotation && behind < self.tokens.len() {
            cuts.push(range.start..last.tokens.start);
        }
        cuts
    }

    /// Cuts blocks that began before `range` and end in it, if most of them is before it: the outermost first.
    fn ended_blocks(&self, range: &Range<usize>, lines: &[Line]) -> Vec<Range<usize>> {
        let mut cuts = Vec::new();
        let mut least = lines.first().map_or(0, |line| line.indent);
        for (number, line) in lines.iter().enumerate().skip(1) {
            // `} else {` ends a block, but not its statement.
            if line.indent >= least || line.is_continuing {
                continue;
            }
            least = line.indent;
            let end = if line.is_closer { line.tokens.end } else { line.tokens.start };
            let begins = |at: usize| self.starts_line(at) && !self.is_closer(at) && !self.is_opener(at);
            let is_head = |&at: &usize| begins(at) && self.indent(at) <= line.indent;
            let Some(head) = (0..range.start).rev().find(is_head) else { continue };
            let (n_inside, n_all) = (end - range.start, end - head);
            if 2 * n_inside < n_all && (end < range.end || number + 1 < lines.len()) {
                cuts.push(end..range.end);
            }
        }
        cuts.reverse();
        cuts
    }

    /// Cuts blocks that begin in `range` and end behind it, if most of them is behind it: the outermost first.
    fn begun_blocks(&self, range: &Range<usize>, lines: &[Line]) -> Vec<Range<usize>> {
        let next = self.next_line(range.end);
        if next >= self.tokens.len() {
            return Vec::new();
        }
        // A line that is indented less than all that follows it, up to the code behind `range`, has begun a block.
        let opens = next > range.end || self.is_closer(next) || self.is_opener(next);
        let mut least = self.indent(next) + usize::from(opens);
        let mut cuts = Vec::new();
        for line in lines.iter().skip(1).rev() {
            if line.indent >= least || line.is_closer || line.is_continuing {
                least = least.min(line.indent + usize::from(line.is_closer || line.is_continuing));
                continue;
            }
            least = line.indent;
            let start = line.tokens.start;
            let (end, _) = self.end_of_unit(start);
            if 2 * (range.end - start) < end.saturating_sub(start) {
                cuts.push(range.start..start);
            }
        }
        cuts.reverse();
        cuts
    }
}

/// Cuts the lines at an end of which more are foreign than shared, as many as are worth least together.
fn foreign_ends(range: &Range<usize>, lines: &[Line], keep: &Keep<'_>) -> Vec<Range<usize>> {
    let worth = |line: &Line| {
        let n_shared = line.tokens.clone().filter(|&at| (keep.is_shared)(at)).count();
        if 2 * n_shared > line.tokens.len() { 1 } else { -1 }
    };
    let worth: Vec<i64> = lines.iter().map(worth).collect();
    let head = worst(worth.iter().copied()).filter(|&n| n < lines.len());
    let tail = worst(worth.iter().rev().copied()).filter(|&n| n < lines.len());
    let head = head.map(|n| lines[n].tokens.start..range.end);
    let tail = tail.map(|n| range.start..lines[lines.len() - n].tokens.start);
    head.into_iter().chain(tail).collect()
}

/// How many of the first values have the least sum, if that is negative.
fn worst(values: impl Iterator<Item = i64>) -> Option<usize> {
    let mut sum = 0;
    let sums = values.enumerate().map(|(at, value)| {
        sum += value;
        (sum, at + 1)
    });
    sums.min().filter(|(sum, _)| *sum < 0).map(|(_, n)| n)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{c_tokens, document};
    use super::*;
    use crate::language::{Languages, Token};

    fn tokens_of(language: &str, text: &str) -> Vec<Token> {
        let languages = Languages::builtin();
        let mut tokens = Vec::new();
        languages.get(language).expect("it is built in").lexer.tokenize(text.as_bytes(), &mut tokens);
        tokens
    }

    /// Cuts what is between `<<` and `>>`, where `?` lines are foreign; returns the lines that are left, from 1.
    #[track_caller]
    fn check(language: &str, marked: &str, expected: std::ops::RangeInclusive<usize>) {
        let (before, rest) = marked.split_once("<<").expect("there is a start");
        let (inside, after) = rest.split_once(">>").expect("there is an end");
        let text = format!("{before}{inside}{after}");
        let tokens = tokens_of(language, &text);
        let at = |offset: usize| tokens.iter().take_while(|token| (token.start as usize) < offset).count();
        let range = at(before.len())..at(before.len() + inside.len());
        let line = |at: usize| text[..tokens[at].start as usize].matches('\n').count() + 1;
        let is_foreign = |at: usize| text.lines().nth(line(at) - 1).is_some_and(|line| line.contains("foreign"));
        let keep = Keep { is_shared: &|at| !is_foreign(at), held: &[], is_enough: &|range| range.len() > 5 };
        let cut = document(&text, &tokens).whole(range, &keep);
        assert_eq!(line(cut.start)..=line(cut.end - 1), expected, "{text}");
    }

    #[test]
    fn the_begin_of_the_next_function_is_cut() {
        check("c", "<<int f(int a) {\n  b();\n  c();\n}\n\nint g(int>> d) {\n  e();\n  h();\n}\n", 1..=4);
        check("c", "<<int f(int a)\n{\n  b();\n  c();\n}\n\nint g(int d)>>\n{\n  e();\n  h();\n  i();\n}\n", 1..=5);
        check(
            "c",
            "<<int f(int a) {\n  b();\n  c();\n}\n\nint g(int d) {\n  e();>>\n  h();\n  i(j, k);\n  l();\n}\n",
            1..=4,
        );
        check("python", "<<def f(a):\n  b()\n  c()\n\ndef g(d):\n  e()>>\n  h(i, j)\n  k(l, m)\n", 1..=3);
        check("ruby", "<<def f(a)\n  b()\n  c()\nend\n\ndef g(d)\n  e()>>\n  h(i, j)\n  k(l, m)\nend\n", 1..=4);
        check(
            "java",
            "class A {\n  <<int f(int a) {\n    b();\n    c();\n  }\n\n  @Override>>\n  int g() { }\n}\n",
            2..=5,
        );
    }

    #[test]
    fn the_end_of_the_function_before_is_cut() {
        check(
            "c",
            "int f(int a) {\n  b();\n  c(d, e);\n  <<return g;\n}\n\nint h(int i) {\n  j();\n  k();\n}\n>>",
            7..=10,
        );
        check("python", "def f(a):\n  b()\n  c(d, e)\n  <<return g\n\ndef h(i):\n  j()\n  k()\n>>", 6..=8);
        check("ruby", "def f(a)\n  b()\n  c(d, e)\n  <<g(h)\nend\n\ndef h(i)\n  j()\n  k()\nend\n>>", 7..=10);
        check(
            "c",
            "int f() {\n  if (a) {\n    b(c, d);\n    e();\n    <<g();\n  }\n  j(k, l);\n  m(n);\n}\n>>int x;\n",
            7..=9,
        );
    }

    #[test]
    fn a_block_that_is_mostly_there_stays() {
        check("c", "<<int f(int a) {\n  b();\n  c();\n  d(e, g);\n>>  h();\n}\n", 1..=4);
        check("c", "int f(int a) {\n<<  b();\n  c();\n  d(e, g);\n}\n>>int h;\n", 2..=5);
        check("c", "<<if (a) {\n  b();\n} else {\n  c();\n}\n>>d();\n", 1..=5);
    }

    #[test]
    fn heads_and_tails_that_are_more_foreign_than_shared_are_cut() {
        check("c", "<<a();\nforeign();\nforeign(b);\nc();\nd();\ne();\n>>", 4..=6);
        check("c", "<<c();\nd();\ne();\nforeign();\nforeign(b);\na();\n>>", 1..=3);
        check("c", "<<c();\nd();\nforeign();\na();\n>>", 1..=4);
    }

    #[test]
    fn what_is_held_stays() {
        let text = "int f(int a) {\n  b();\n  c();\n}\n\nint g(int d) {\n  e();\n  h();\n  i();\n  j();\n}\n";
        let tokens = c_tokens(text);
        let all = 0..tokens.len() - 14;
        let cut = |held: &[Range<usize>]| {
            let keep = Keep { is_shared: &|_| true, held, is_enough: &|_| true };
            document(text, &tokens).whole(all.clone(), &keep)
        };
        assert!(cut(&[]).end < all.end);
        assert_eq!(cut(&[all.clone()]), all);
    }
}
