//! Cuts fragments to whole statements.
//!
//! A fragment ends where two places stop being alike, which is often in the middle of a statement:
//! after the last one that is the same, both go on with `if (`, or before the first one, both end
//! with `);`. Such a piece says nothing, and is cut off. Statements are told by layout alone, as
//! [units](super::unit) are.
//!
//! ```text
//!   );                      cut: it closes what was opened before
//!   a = next(b);
//!   while (a < c) {
//!     a = next(a);
//!   }
//!   if (                    cut: it goes on behind the fragment
//! ```

use std::ops::Range;

use super::Document;
use super::alignments::MAX_OF_NEIGHBOR;

/// Maximum tokens of a partial statement to cut off: what is longer says something.
const MAX_PARTIAL: usize = 8;

impl Document<'_> {
    /// `range` without the parts of statements at its ends, if they are of at most 8 tokens each,
    /// and without the head of a function behind a blank line that goes on behind it, of at most
    /// 24.
    ///
    /// Time O(n) for n tokens of the lines around both ends.
    pub(super) fn whole_statements(&self, range: Range<usize>) -> Range<usize> {
        let start = self.start_of_statement(&range);
        if start < range.end { start..self.end_of_statement(&(start..range.end)) } else { range }
    }

    /// Behind what ends a statement that began before `range`.
    fn start_of_statement(&self, range: &Range<usize>) -> usize {
        let head = range.start..range.end.min(range.start + MAX_PARTIAL);
        let closed = range.start + self.n_closing(head.clone());
        let Some(start) = (closed..=head.end).find(|&at| !self.is_closer(at)) else {
            return range.start;
        };
        // `} else {` goes on with a statement of its own.
        let begun = (start..=head.end)
            .find(|&at| self.starts_line(at) || self.words.decides(self.word(at)));
        begun.unwrap_or(range.start)
    }

    /// The number of these tokens up to the last one that closes a block opened before them.
    pub(super) fn n_closing(&self, tokens: impl Iterator<Item = usize>) -> usize {
        let (mut depth, mut deepest, mut n) = (0, 0, 0);
        for (number, at) in tokens.enumerate() {
            depth += self.tokens[at].nesting();
            if depth < deepest {
                (deepest, n) = (depth, number + 1);
            }
        }
        n
    }

    /// Before what begins a statement that ends behind `range`.
    fn end_of_statement(&self, range: &Range<usize>) -> usize {
        let mut end = range.end;
        while self.goes_on(range.start, end) {
            let Some(line) = (range.start..end).rev().find(|&at| self.starts_line(at)) else {
                break;
            };
            // `} else {`: the block that it closes is in the range.
            let n_closers = (line..end).take_while(|&at| self.is_closer(at)).count();
            let kept = line + n_closers;
            let is_head = n_closers == 0 && self.starts_paragraph(line);
            let most = if is_head { MAX_OF_NEIGHBOR } else { MAX_PARTIAL };
            if kept + most < range.end || kept >= end || kept == range.start {
                break;
            }
            end = kept;
            if n_closers > 0 {
                break;
            }
        }
        end
    }

    /// Whether the line that ends before `end` goes on behind it: with more than what closes it,
    /// with a line that is indented more, or with the bracket of its body.
    fn goes_on(&self, start: usize, end: usize) -> bool {
        let next = (end..self.tokens.len()).find(|&at| self.starts_line(at) || !self.is_closer(at));
        let Some(next) = next.filter(|&next| next > start) else { return false };
        if !self.starts_line(next) {
            return true;
        }
        // What ends with a semicolon is whole, however the next line is laid out.
        if matches!(self.word(next - 1), b";" | b"}") {
            return false;
        }
        let line = (start..end).rev().find(|&at| self.starts_line(at));
        self.is(next, b"{") || line.is_some_and(|line| self.indent(next) > self.indent(line))
    }

    /// Whether a token ends what came before it: nothing begins with it.
    pub(super) fn is_closer(&self, at: usize) -> bool {
        let Some(token) = self.tokens.get(at) else { return false };
        token.is_closing()
            || matches!(token.punctuation(), Some(b';' | b','))
            || self.words.ends_block(token.text(self.text))
                && self.starts_line(at)
                && self.starts_line(at + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{c_tokens, document};

    #[track_caller]
    fn check_left(marked: &str, left: &str) {
        let (before, rest) = marked.split_once('«').expect("the start is marked");
        let (inside, behind) = rest.split_once('»').expect("the end is marked");
        let text = format!("{before}{inside}{behind}");
        let tokens = c_tokens(&text);
        let at = |offset: usize| tokens.partition_point(|token| (token.start as usize) < offset);
        let range = at(before.len())..at(before.len() + inside.len());
        let whole = document(&text, &tokens).whole_statements(range);
        let is = tokens.get(whole.start).zip(tokens.get(whole.end - 1));
        let is = is.map_or("", |(first, last)| &text[first.start as usize..last.end as usize]);
        assert_eq!(is, left, "{marked}");
    }

    #[test]
    fn what_closes_a_statement_that_began_before_is_cut_off() {
        check_left("f(a\n«);\n  b(c);\n  d(e);\n»}\n", "b(c);\n  d(e);");
        check_left("  if (a) {\n    f();\n«  }\n  b(c);\n  d(e);\n»", "b(c);\n  d(e);");
        check_left("  f(a, «b);\n  c(d);\n»", "c(d);");
        let other = "  if (a) {\n    f();\n«  } else {\n    b(c);\n  }\n»";
        check_left(other, "else {\n    b(c);\n  }");
    }

    #[test]
    fn what_goes_on_behind_is_cut_off() {
        check_left("«  b(c);\n  if (»a) {\n", "b(c);");
        check_left("«  b(c);\n  if (a) {\n»    d();\n  }\n", "b(c);");
        let other = "«  if (a) {\n    b(c);\n  } else if (d) {\n»    e();\n  }\n";
        check_left(other, "if (a) {\n    b(c);\n  }");
        check_left("«b(c);\nint f(int a)\n»{\n  d();\n}\n", "b(c);");
        check_left("«  b(c);\n  f(»a);\n", "b(c);");
    }

    #[test]
    fn whole_statements_and_brackets_alone_stay() {
        for text in [
            "«  b(c);\n  d(e);\n»",
            "«  b(c);\n  d(e)»;\n  f();\n",
            "«  b(c);\n»    d(e);\n",
            "«end = a;\nb();»\n",
        ] {
            let inside = text.split(['«', '»']).nth(1).unwrap_or_default();
            check_left(text, inside.trim());
        }
        check_left("f(a, (b\n«));\n»", "));");
    }

    #[test]
    fn a_long_part_of_a_statement_stays() {
        let text = "x = f(a, b, «c, d, e, g, h, i, j);\n  k(l);\n»";
        check_left(text, "c, d, e, g, h, i, j);\n  k(l);");
        check_left("«  k(l);\n  x = f(a, b, c, d, e,» g);\n", "k(l);\n  x = f(a, b, c, d, e,");
    }
}
