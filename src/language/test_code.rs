//! Finds test code inside a file, by the `tests` of a table and by layout.
//!
//! ```text
//! fn clamp(x: i32) -> i32 {      indented less than or as the mark, before it: no test code
//!     x.max(0)
//! }
//!
//! #[cfg(test)]                   the mark: a pattern of the table matches at the start of the line
//! #[allow(unused)]               between the mark and the body: part of the unit
//! mod tests {
//!     fn clamps() {}             the body: indented more than the mark
//! }                              a closing bracket as far left as the mark ends the unit
//! ```

use std::ops::Range;
use std::sync::OnceLock;

use regex::bytes::Regex;

use super::region::{compile, compile_key, indent};
use super::table::{Table, TableError, each_row};
use super::token::Token;
use crate::text::Lines;

/// The `tests` of a table at the start of a line; compiled when they are first searched for.
#[derive(Debug, Default)]
pub(super) struct TestMarks(OnceLock<Regex>);

impl TestMarks {
    /// Checks that the marks of `table` are regular expressions.
    pub fn check(table: &Table) -> Result<(), TableError> {
        each_row("tests", &table.tests, |pattern| compile_key("pattern", pattern)).map(drop)
    }

    /// The lines of test code, as disjoint ranges in order, counted from 1. A mark of `tests` where
    /// none of `tokens` begins, in a comment or inside a string, is none. Time O(n log n).
    pub fn find(&self, tests: &[String], text: &[u8], tokens: &[Token]) -> Vec<Range<u32>> {
        let mut units: Vec<Range<u32>> = Vec::new();
        if tests.is_empty() {
            return units;
        }
        let marks = self.0.get_or_init(|| {
            let all = tests.join("|");
            compile(&format!("^[ \\t]*(?:{all})")).expect("`check` has passed each")
        });
        let lines = Lines::new(text);
        let mut at = 0;
        while let Some(mark) = marks.find_at(text, at) {
            let first = lines.line_of(mark.start() as u32);
            let is_code = holds_token(mark.range(), tokens);
            let end = if is_code { end_of_unit(text, &lines, first, tokens) } else { first + 1 };
            units.extend(is_code.then_some(first..end));
            if end > lines.n_lines() {
                break;
            }
            at = lines.range(end).start;
        }
        units
    }
}

/// Whether one of `tokens` begins in `range`.
fn holds_token(range: Range<usize>, tokens: &[Token]) -> bool {
    let next = tokens.partition_point(|token| (token.start as usize) < range.start);
    tokens.get(next).is_some_and(|token| (token.start as usize) < range.end)
}

/// The line after the unit that begins on line `first`.
fn end_of_unit(text: &[u8], lines: &Lines, first: u32, tokens: &[Token]) -> u32 {
    let header = lines.text(text, first);
    let mark = indent(header);
    // An attribute is about what follows it; what has a name is declared.
    let is_declared = header.trim_ascii().first().is_some_and(u8::is_ascii_alphabetic);
    let mut has_body = false;
    let mut end = first + 1;
    if is_whole(header.trim_ascii()) {
        return end;
    }
    for line in first + 1..=lines.n_lines() {
        let content = lines.text(text, line);
        let trimmed = content.trim_ascii();
        let range = lines.range(line);
        let before = tokens.partition_point(|token| (token.start as usize) < range.start);
        let is_in_string = before > 0 && tokens[before - 1].end as usize > range.start;
        // The layout of strings and comments says nothing.
        if trimmed.is_empty() || is_in_string || has_body && !holds_token(range, tokens) {
            continue;
        }
        let own = indent(content);
        // As far left as the mark is its header, which may take several lines, and what closes the
        // body.
        match trimmed[0] {
            _ if own > mark => has_body = true,
            _ if own < mark => break,
            b')' | b']' if has_body && trimmed.ends_with(b";") => return line + 1,
            b')' | b']' => has_body = false,
            b'}' if has_body && !trimmed.ends_with(b"{") => return line + 1,
            b'{' | b'}' => {}
            first if has_body || is_declared && first.is_ascii_alphabetic() => break,
            _ if is_whole(trimmed) => return line + 1,
            _ => {}
        }
        end = line + 1;
    }
    end
}

/// Whether a line of a header is a unit with all of its body: what follows is no part of it.
fn is_whole(line: &[u8]) -> bool {
    let is_ended = line.starts_with(b"(") || line.ends_with(b";") || line.ends_with(b"}");
    let [n_open, n_closed] =
        [b"([{", b")]}"].map(|all| line.iter().filter(|byte| all.contains(byte)).count());
    is_ended && n_open == n_closed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Lexer;

    fn find(pattern: &str, text: &str) -> Vec<(u32, u32)> {
        let comments = "comments = [{ open = '/*', close = '*/' }]\nstrings = [{ open = '`', close = '`', multi-line = true }]";
        let table = format!("name = 'X'\ntests = ['''{pattern}''']\n{comments}");
        let table = Table::parse(&table).expect("it is a table");
        TestMarks::check(&table).expect("it is a pattern");
        let mut tokens = Vec::new();
        Lexer::new(&table).expect("it is a language").tokenize(text.as_bytes(), &mut tokens);
        let units = TestMarks::default().find(&table.tests, text.as_bytes(), &tokens).into_iter();
        units.map(|unit| (unit.start, unit.end)).collect()
    }

    #[test]
    fn a_unit_ends_with_its_body() {
        let rust = "fn f() {\n}\n#[cfg(test)]\nmod tests {\n    fn g() {\n    }\n}\nfn h() {\n}\n";
        assert_eq!(find(r"#\[cfg\(test\)\]", rust), [(3, 8)]);
        let python =
            "def f():\n    pass\n\ndef test_f(\n    a,\n):\n    pass\n\ndef g():\n    pass\n";
        assert_eq!(find("def test_", python), [(4, 8)]);
        let allman = "TEST(a, b)\n{\n  f();\n}\nint g()\n{\n  return 1;\n}\n";
        assert_eq!(find(r"TEST\(", allman), [(1, 5)]);
    }

    #[test]
    fn a_mark_in_a_comment_or_a_string_is_none() {
        assert_eq!(find(r"TEST\(", "/*\nTEST(\n*/\nint f()\n{\n  g();\n}\n"), []);
        assert_eq!(find(r"TEST\(", "`\nTEST(\n`\nTEST(a)\n{\n  g();\n}\n"), [(4, 8)]);
        // Nor does one end a unit.
        let text = "TEST(a)\n{\n  f(`\nx\n`);\n/* y\n*/\n  g();\n}\nh();\n";
        assert_eq!(find(r"TEST\(", text), [(1, 10)]);
    }

    #[test]
    fn a_unit_on_one_line_ends_with_it() {
        let behind = "int f()\n{\n  g();\n}\n";
        let units = [
            (r"#\[test", "#[test]\nmod a;\n", 3),
            (r"#\[test", "#[test]\nfn a() { b(); }\n", 3),
            (r"TEST\(", "TEST(a) { b(); }\n", 2),
            (r"it\(", "it('a', b);\n", 2),
            ("class Test", "class TestA: pass\n", 2),
            (r"#\[cfg", "#[cfg(test)]\nconst A: [u8; 1] = [\n    1,\n];\n", 5),
            (r"\(deftest", "(deftest a)\n(f\n  b)\n", 2),
        ];
        for (pattern, unit, end) in units {
            assert_eq!(find(pattern, &format!("{unit}{behind}")), [(1, end)], "{unit}");
        }
        assert_eq!(find("TEST", "TEST(a,\n b)\n{\n c();\n}\nint d;\n"), [(1, 6)]);
    }

    #[test]
    fn units_inside_others_are_one() {
        let text = "describe('a', () => {\n  it('b', () => {\n    c()\n  })\n})\nf()\n";
        assert_eq!(find("(describe|it)\\(", text), [(1, 6)]);
    }

    #[test]
    fn a_mark_at_the_end_is_all_there_is() {
        assert_eq!(find("test", "a\ntest"), [(2, 3)]);
        assert_eq!(find("test", "test\n"), [(1, 2)]);
    }
}
