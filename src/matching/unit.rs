//! Finds whole units of code, such as functions, by layout alone.
//!
//! A unit begins on a line and continues over further lines that are indented more, in any language that people indent.
//! No grammar is needed, so this works for every language with a table.

use std::ops::Range;

use super::Document;
use crate::language::Kind;

/// Words that begin part of a function rather than a unit.
const PARTS: &[&str] = &[
    "if", "else", "elif", "elsif", "elseif", "unless", "for", "foreach", "while", "until", "loop", "do", "repeat",
    "switch", "select", "case", "when", "default", "match", "try", "except", "rescue", "catch", "finally", "ensure",
    "with", "return", "then", "begin",
];

impl Document<'_> {
    /// Whether `range` holds a whole unit (a function, a class) of at least `min_tokens` tokens.
    ///
    /// Time O(n · d) for n tokens in `range` and units that are nested d deep.
    pub fn holds_unit(&self, range: Range<usize>, min_tokens: usize) -> bool {
        let starts: Vec<(usize, usize)> =
            range.clone().filter(|&at| self.starts_line(at)).map(|at| (at, self.indent(at))).collect();
        starts.iter().enumerate().any(|(number, &(start, indentation))| {
            if self.is_part(start) {
                return false;
            }
            // The body: lines that are indented more, and among them those that open or close its brackets.
            let mut has_body = false;
            let mut end = range.end;
            for &(at, own) in &starts[number + 1..] {
                let is_bracket = matches!(self.tokens[at].text(self.text), b"{" | b"}" | b")" | b"]");
                if own > indentation {
                    has_body = true;
                } else if !is_bracket || own < indentation {
                    end = at;
                    break;
                }
            }
            // A unit that extends to the end of the range is whole if nothing of it follows.
            let goes_on = end == range.end
                && end < self.tokens.len()
                && (!self.starts_line(end) || self.indent(end) > indentation);
            has_body && !goes_on && end - start >= min_tokens
        })
    }

    fn is_part(&self, at: usize) -> bool {
        let token = &self.tokens[at];
        let word = token.text(self.text);
        match token.kind() {
            Kind::Punctuation => true,
            _ => PARTS.iter().any(|part| word.eq_ignore_ascii_case(part.as_bytes())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{c_tokens, document};

    fn holds(text: &str, min_tokens: usize) -> bool {
        let tokens = c_tokens(text);
        document(text, &tokens).holds_unit(0..tokens.len(), min_tokens)
    }

    #[test]
    fn a_function_is_a_unit_with_its_brackets() {
        let function = "int f(int a)\n{\n  if (a)\n    return 1;\n  return 0;\n}\n";
        assert!(holds(function, c_tokens(function).len()));
        assert!(!holds(function, c_tokens(function).len() + 1));
        assert!(holds(&format!("x = 1;\n{function}y = 2;\n"), c_tokens(function).len()));
    }

    #[test]
    fn a_part_of_a_function_is_none() {
        assert!(!holds("if (a) {\n  b();\n  c();\n}\n", 5), "a condition");
        assert!(!holds("a = b;\nc = d;\ne = f;\n", 5), "statements in a row");
    }

    #[test]
    fn a_function_that_goes_on_beyond_the_range_is_not_whole() {
        let text = "int f(int a) {\n  b();\n  c();\n  d();\n}\n";
        let tokens = c_tokens(text);
        let document = document(text, &tokens);
        assert!(!document.holds_unit(0..tokens.len() - 5, 5));
        assert!(document.holds_unit(0..tokens.len(), 5));
    }
}
