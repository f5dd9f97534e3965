//! Finds whole units of code, such as functions, by layout alone.
//!
//! A unit begins on a line and continues over further lines that are indented more, in any language
//! that people indent. No grammar is needed, so this works for every language with a table.

use std::ops::Range;

use super::Document;
use crate::language::{Kind, Token};

/// Maximum tokens of a head, in which the name of a function is looked for.
pub(super) const HEAD: usize = 120;

/// A whole unit of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// Its tokens.
    pub tokens: Range<usize>,
    /// The token with its name, if its first line reads as the head of a function.
    pub name: Option<usize>,
}

/// Finds the units around ranges that follow each other: thousands of edits of one function take the
/// time of one.
pub struct UnitSearch<'d> {
    document: Document<'d>,
    /// The last unit that was found, and the last range that no unit is around.
    known: [Option<KnownUnit>; 2],
}

struct KnownUnit {
    /// The first token of the line where the range begins.
    line: usize,
    end: usize,
    unit: Option<Unit>,
}

impl<'d> UnitSearch<'d> {
    /// A search in a text.
    pub fn new(document: Document<'d>) -> Self {
        Self { document, known: [None, None] }
    }

    /// As [`Document::enclosing_unit`], in time by the distance from the last range in the same
    /// unit.
    pub fn around(&mut self, range: Range<usize>) -> Option<Unit> {
        let document = self.document;
        let unit = document.unit_around(range.clone(), &self.known);
        let last = document.tokens.len().min(range.start + 1);
        let line = (0..last).rev().find(|&at| document.starts_line(at));
        self.known[usize::from(unit.is_none())] =
            line.map(|line| KnownUnit { line, end: range.end, unit: unit.clone() });
        unit
    }
}

impl Document<'_> {
    /// The smallest function that contains `range`, or else the largest unit that does; `None` if
    /// no unit does.
    ///
    /// Goes back line by line to those that are indented less, so time is O(n · d) for n tokens of
    /// the text and units that are nested d deep.
    pub fn enclosing_unit(&self, range: Range<usize>) -> Option<Unit> {
        self.unit_around(range, &[])
    }

    fn unit_around(&self, range: Range<usize>, known: &[Option<KnownUnit>]) -> Option<Unit> {
        let mut largest = None;
        let mut limit = usize::MAX;
        // What follows the last token is in no line of its own: a file may be left without code.
        let last = self.tokens.len().min(range.start + 1);
        for at in (0..last).rev().filter(|&at| self.starts_line(at)) {
            // What was around a range before is around this one, too, if it goes on to its end: what
            // ended before that one, ends before this one.
            let mut known =
                known.iter().flatten().filter(|of| of.line == at && of.end <= range.end);
            let around = known.find(|of| {
                of.unit.as_ref().is_none_or(|Unit { tokens, .. }| {
                    tokens.end >= range.end && self.indent(tokens.start) <= limit
                })
            });
            if let Some(around) = around {
                return around.unit.clone().or(largest);
            }
            let indentation = self.indent(at);
            if indentation > limit {
                continue;
            }
            // Only a line indented less can begin a unit around this one. A line that begins none,
            // such as a lone bracket or a unit that ends before `range`, has siblings above it that
            // may.
            limit = indentation;
            if self.is_part(at) {
                continue;
            }
            let (end, has_body) = self.end_of_unit(at);
            if end < range.end {
                continue;
            }
            let name = self.name_of_function(at..end);
            if name.is_some() {
                return Some(Unit { tokens: at..end, name });
            }
            if has_body {
                largest = Some(Unit { tokens: at..end, name });
            }
            let Some(less) = indentation.checked_sub(1) else { break };
            limit = less;
        }
        largest
    }

    /// The functions of the text, also those in others, in the order of their heads.
    ///
    /// Time O(n · d), as of [`Self::enclosing_unit`].
    pub fn functions(&self) -> Vec<Unit> {
        // Most lines begin no function, which is known before their end is looked for.
        let heads = (0..self.tokens.len()).filter(|&at| self.starts_line(at));
        heads.filter(|&at| self.begins_function(at)).filter_map(|at| self.function_at(at)).collect()
    }

    fn function_at(&self, at: usize) -> Option<Unit> {
        let (end, has_body) = self.end_of_unit(at);
        let name = self.name_of_function(at..end)?;
        let mut behind = self.tokens[name..end].iter();
        let has_body = has_body || behind.any(|token| token.punctuation() == Some(b'{'));
        has_body.then_some(Unit { tokens: at..end, name: Some(name) })
    }

    /// Whether `range` is one function, from the first token of its head to the last of its body.
    pub fn is_function(&self, range: &Range<usize>) -> bool {
        self.function_at(range.start).is_some_and(|unit| unit.tokens.end == range.end)
    }

    /// The bytes of some whole lines, with the comment and the annotations above them.
    pub fn bytes_with_comment(&self, lines: &Range<usize>) -> Range<usize> {
        let mut first = lines.start;
        while let Some(above) =
            (0..first).rev().find(|&at| self.starts_line(at)).filter(|&at| self.is_annotation(at))
        {
            first = above;
        }
        let start = self.tokens.get(first).map_or(self.text.len(), |token| token.start as usize);
        let end = lines.end.checked_sub(1).map_or(0, |last| self.tokens[last].end as usize);
        let before = first.checked_sub(1).map_or(0, |before| self.tokens[before].end as usize);
        let above = &self.text[before..start];
        // What is above a blank line is about something else.
        let paragraph = memchr::memmem::rfind(above, b"\n\n").map_or(0, |blank| blank + 2);
        before + paragraph..end.max(before + paragraph)
    }

    /// The first token of the next line after that of the token at `at`, or the number of all
    /// tokens.
    pub fn next_line(&self, at: usize) -> usize {
        let mut behind = at + 1..self.tokens.len();
        behind.find(|&next| self.starts_line(next)).unwrap_or(self.tokens.len())
    }

    /// The end of the unit that begins at `start`, and whether it has lines that are indented more.
    fn end_of_unit(&self, start: usize) -> (usize, bool) {
        let indentation = self.indent(start);
        let (mut depth, mut has_body) = (0i64, false);
        let mut at = start;
        while at < self.tokens.len() {
            if at > start && self.starts_line(at) {
                let own = self.indent(at);
                let word = self.tokens[at].text(self.text);
                let is_closer = self.tokens[at].is_closing();
                let is_end = self.words.ends_block(word);
                if own > indentation {
                    has_body = true;
                } else if own < indentation && is_closer {
                    return (at, has_body);
                } else if own == indentation && is_end && depth <= 0 {
                    return (at + 1, has_body);
                } else if own == indentation && is_closer {
                    let next = self.next_line(at);
                    let line = self.tokens[at..next].iter();
                    let after = depth + line.map(Token::nesting).sum::<i64>();
                    // `) -> u8 {` and `):` go on. A lone `}` ends the unit even if brackets do not
                    // balance, as with `#ifdef`.
                    let opens_body = self.is(next - 1, b":");
                    if after <= 0 && !opens_body || (word == b"}" && next == at + 1) {
                        return (next, has_body);
                    }
                } else if depth <= 0 && word != b"{" {
                    return (at, has_body);
                } else if self.begins_function(at) && self.begins_function(start) {
                    // A function in another is indented more: the brackets do not balance.
                    return (at, has_body);
                }
                // Everything else is inside of brackets: labels, directives, wrapped lines.
            }
            depth += self.tokens[at].nesting();
            at += 1;
        }
        (at, has_body)
    }

    fn begins_function(&self, at: usize) -> bool {
        !self.is_part(at) && self.name_of_function(at..self.tokens.len()).is_some()
    }

    /// Whether the token at `at` is what is behind a dot or an arrow: `f` in `a.f` and `a->f`.
    pub fn is_member(&self, at: usize) -> bool {
        at > 0 && self.is(at - 1, b".") || at > 1 && self.is(at - 2, b"-") && self.is(at - 1, b">")
    }

    /// The token with the name of the function that `unit` defines, judging by its head.
    fn name_of_function(&self, unit: Range<usize>) -> Option<usize> {
        let head = unit.start..unit.end.min(unit.start + HEAD);
        for at in head.clone() {
            // The body has begun: of a class, whose first method is no name of it.
            if self.starts_line(at) && self.indent(at) > self.indent(head.start) {
                return None;
            }
            if self.words.defines_function(self.word(at)) && at + 1 < head.end {
                // Go has a receiver between.
                let has_receiver = self.is(at + 1, b"(");
                let named = if has_receiver { self.closing(at + 1, head.end)? } else { at } + 1;
                return (named < head.end && self.tokens[named].is_name()).then_some(named);
            }
            if self.is(at, b"(") && at > head.start && !self.is(at - 1, b"pub") {
                return self.is_definition(at, unit.end).then_some(at - 1);
            }
            if matches!(self.word(at), b"=" | b"{" | b";") {
                return None;
            }
        }
        None
    }

    /// Whether the bracket at `open` begins the parameters of a function, and no arguments of a
    /// call.
    fn is_definition(&self, open: usize, end: usize) -> bool {
        let name = open - 1;
        // Swift's initializers have no other name.
        if self.is_member(name) || !self.tokens[name].is_name() && !self.is(name, b"init") {
            return false;
        }
        let Some(close) = self.closing(open, end) else { return false };
        // A call ends with its arguments, or something is done with its value.
        let goes_on =
            matches!(self.word(close + 1), b";" | b"," | b"." | b")" | b"?" | b"=" | b"+" | b"[");
        !goes_on && (close + 1..end.min(close + HEAD)).any(|at| self.is(at, b"{"))
    }

    /// The head of a unit: of a function from its first token to its body, with what it returns; of
    /// another one its first line, and the brackets that open there.
    pub fn head_of(&self, unit: &Unit) -> Option<Range<usize>> {
        let Some(name) = unit.name else { return self.first_line_of(unit) };
        let limit = unit.tokens.end.min(name + 1 + HEAD);
        // Behind the name, there may be parameters of the type: `f<A, B>(a: A)`.
        let is_generic = name + 1 < limit && matches!(self.word(name + 1), b"<" | b"[");
        let n_skipped = if is_generic { HEAD } else { 1 };
        let mut opening = (name + 1..limit).take(n_skipped).take_while(|&at| !self.is(at, b"{"));
        let open = opening.find(|&at| self.is(at, b"("))?;
        let end = self.closing(open, unit.tokens.end)?;
        let mut behind = end + 1..unit.tokens.end;
        let body = behind.find(|&at| self.starts_line(at) || matches!(self.word(at), b"{" | b"="));
        Some(unit.tokens.start..body.unwrap_or(end + 1))
    }

    /// The first line of a unit, up to its body: `class A extends B` with the `{` behind it, and
    /// `a: (` with all parameters.
    fn first_line_of(&self, unit: &Unit) -> Option<Range<usize>> {
        let start = unit.tokens.start;
        let next = (start + 1..unit.tokens.end).find(|&at| self.starts_line(at))?;
        let is_open = self.is(next - 1, b"(");
        let end = if is_open { self.closing(next - 1, unit.tokens.end)? + 1 } else { next };
        // A body may open on a line of its own; behind `{`, it has begun.
        let is_opened_below = end == next && self.is(next, b"{") && !self.is(next - 1, b"{");
        Some(start..end + usize::from(is_opened_below))
    }

    /// The bracket that closes the one at `at`, before `end`.
    pub fn closing(&self, at: usize, end: usize) -> Option<usize> {
        let mut depth = 0;
        let closing = (at..end).find(|&at| {
            depth += self.tokens[at].nesting();
            // What is nested deeper is left open.
            depth == 0 || depth > HEAD as i64
        });
        closing.filter(|_| depth == 0)
    }

    /// Whether `range` holds a whole unit (a function, a class) of at least `min_tokens` tokens,
    /// with the annotations above it.
    ///
    /// Time O(n · d) for n tokens in `range` and units that are nested d deep.
    pub fn holds_unit(&self, range: Range<usize>, min_tokens: usize) -> bool {
        let lines = range.clone().filter(|&at| self.starts_line(at));
        let starts: Vec<(usize, usize)> = lines.map(|at| (at, self.indent(at))).collect();
        starts.iter().enumerate().any(|(number, &(start, indentation))| {
            let mut is_annotation = self.is_annotation(start);
            // A unit begins with the first of its annotations.
            let above = starts[..number].last().filter(|(_, own)| *own == indentation);
            let is_below = is_annotation && above.is_some_and(|(at, _)| self.is_annotation(*at));
            if is_below || self.is_part(start) && !is_annotation {
                return false;
            }
            // The body: lines that are indented more, and among them those that open or close its
            // brackets.
            let mut has_body = false;
            let mut end = range.end;
            for &(at, own) in &starts[number + 1..] {
                let is_bracket =
                    self.tokens[at].is_closing() || self.tokens[at].punctuation() == Some(b'{');
                if is_annotation {
                    // Up to the line that is annotated.
                    is_annotation = own > indentation || is_bracket || self.is_annotation(at);
                    if own < indentation || !is_annotation && self.is_part(at) {
                        return false;
                    }
                } else if own > indentation {
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

    /// Whether the line that begins with this token annotates the unit below: `@Override`,
    /// `#[inline]`, `[Test]`.
    pub(super) fn is_annotation(&self, at: usize) -> bool {
        let opens = match self.word(at) {
            b"@" => return true,
            b"#" if self.is(at + 1, b"[") => at + 1,
            b"[" => at,
            _ => return false,
        };
        // `[1, 2].forEach(` is none.
        self.closing(opens, self.tokens.len().min(opens + HEAD))
            .is_some_and(|end| self.starts_line(end + 1))
    }

    /// Whether `range` has the first line of a function.
    pub fn holds_head(&self, range: Range<usize>) -> bool {
        let mut heads = range.filter(|&at| self.starts_line(at) && self.begins_function(at));
        heads.any(|at| self.name_of_function(at..self.end_of_unit(at).0).is_some())
    }

    pub(super) fn is_part(&self, at: usize) -> bool {
        let word = self.word(at);
        match self.tokens[at].kind() {
            Kind::Punctuation => true,
            // A label is indented less than what it is in: `out:`, alone on its line.
            Kind::Identifier if self.is(at + 1, b":") && self.starts_line(at + 2) => true,
            // A method of an interface in Java: `default int size() {`.
            Kind::Keyword if word == b"default" && at + 1 < self.tokens.len() => {
                self.tokens[at + 1].kind() == Kind::Punctuation && self.words.begins_part(word)
            }
            _ => self.words.begins_part(word),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{c_tokens, document};
    use super::UnitSearch;

    fn holds(text: &str, min_tokens: usize) -> bool {
        let tokens = c_tokens(text);
        document(text, &tokens).holds_unit(0..tokens.len(), min_tokens)
    }

    /// The unit around the first `x`: its first and last line, and its name.
    #[track_caller]
    fn check_unit(text: &str, lines: std::ops::Range<usize>, name: Option<&str>) {
        let tokens = c_tokens(text);
        let document = document(text, &tokens);
        let at = (0..tokens.len()).find(|&at| document.is(at, b"x")).expect("there is an x");
        let unit = document.enclosing_unit(at..at + 1).expect("there is a unit");
        let line = |offset: u32| text[..offset as usize].matches('\n').count() + 1;
        let named = unit.name.map(|at| document.word(at));
        let own = line(tokens[unit.tokens.start].start)..line(tokens[unit.tokens.end - 1].end);
        assert_eq!((own, named), (lines, name.map(str::as_bytes)), "{text}");
    }

    #[test]
    fn the_enclosing_unit_is_the_smallest_function_whose_head_is_read() {
        let labeled =
            "int a;\nint f(int a)\n{\n  if (a)\n    x = 1;\nout:\n  return 0;\n}\nint g;\n";
        check_unit(labeled, 2..8, Some("f"));
        let labeled = "int a;\nint f(int a)\n{\n  if (a)\n    goto out;\n  b();\nout:\n  g();\n  x = 1;\n}\nint g;\n";
        check_unit(labeled, 2..10, Some("f"));
        let method = "class A {\n  int f(int a) {\n    g(a,\n      x);\n  }\n  int b;\n}\n";
        check_unit(method, 2..5, Some("f"));
        check_unit("fn f(\n  a: u8,\n) -> u8 {\n  x\n}\n", 1..5, Some("f"));
        check_unit("func (r *R) Get(a int) int {\n\treturn x\n}\n", 1..3, Some("Get"));
        check_unit("def f(a):\n  return g(x)\ny = 1\n", 1..2, Some("f"));
        check_unit("def f(\n  a,\n):\n  return x\ny = 1\n", 1..4, Some("f"));
        check_unit("run(a, () => {\n  x();\n});\n", 1..3, None);
    }

    #[test]
    fn what_was_around_the_range_before_changes_nothing() {
        let text = "class A {\n  int f(int a) {\n    for (;;) {\n      g(a,\n        x);\n    }\n    if (a)\n      h(() => {\n        y();\n      });\n    return a;\n  }\n  int b[] = {\n    1,\n    2,\n  };\n};\nint c;\nint k(int a)\n{\n  z();\n}\n";
        let tokens = c_tokens(text);
        for length in 0..4 {
            for step in 1..5 {
                let mut search = UnitSearch::new(document(text, &tokens));
                for at in (0..tokens.len() - length).step_by(step) {
                    // Some reach beyond their unit, others do not.
                    let range = at..(at + length + 12 * (at % 2)).min(tokens.len());
                    let expected = document(text, &tokens).enclosing_unit(range.clone());
                    assert_eq!(search.around(range.clone()), expected, "{range:?} by {step}");
                }
            }
        }
    }

    #[test]
    fn a_function_whose_brackets_stay_open_ends_before_the_next() {
        let text = "int f(int a) {\n  if (a) {\n  return a;\nint g(int b) {\n  x = b;\n}\n";
        check_unit(text, 4..6, Some("g"));
        let tokens = c_tokens(text);
        let functions = document(text, &tokens).functions();
        assert_eq!(functions.len(), 2);
        assert_eq!(functions[0].tokens.end, functions[1].tokens.start);
        let nested = "int f(int a) {\n  int g(int b) {\n    x = b;\n  }\n  return a;\n}\n";
        let tokens = c_tokens(nested);
        let functions = document(nested, &tokens).functions();
        assert_eq!(functions[0].tokens, 0..tokens.len());
    }

    #[test]
    fn behind_the_last_token_is_no_unit_of_its_own() {
        assert_eq!(document("", &[]).enclosing_unit(0..0), None);
        let text = "int f(int a) {\n  return a;\n}\n";
        let tokens = c_tokens(text);
        let unit = document(text, &tokens).enclosing_unit(tokens.len()..tokens.len());
        assert_eq!(unit.and_then(|unit| unit.name), Some(1));
    }

    #[test]
    fn a_function_is_a_unit_with_its_brackets_and_a_part_of_it_is_none() {
        let function = "int f(int a)\n{\n  if (a)\n    return 1;\n  return 0;\n}\n";
        assert!(holds(function, c_tokens(function).len()));
        assert!(!holds(function, c_tokens(function).len() + 1));
        assert!(holds(&format!("x = 1;\n{function}y = 2;\n"), c_tokens(function).len()));
        assert!(!holds("if (a) {\n  b();\n  c();\n}\n", 5), "a condition");
        assert!(!holds("a = b;\nc = d;\ne = f;\n", 5), "statements in a row");
    }

    #[test]
    fn annotations_belong_to_the_unit_below() {
        let function = "int f(int a) {\n  if (a)\n    return 1;\n  return 0;\n}\n";
        for above in ["@Test\n", "@Test(a = 1)\n@Other\n", "#[inline]\n", "[Test]\n"] {
            let text = format!("{above}{function}");
            let n = c_tokens(&text).len();
            assert!(holds(&text, n) && holds(&format!("x = 1;\n{text}"), n), "{text}");
            assert!(!holds(&text, n + 1), "{text}");
        }
        assert!(holds("default int f(int a) {\n  return a;\n}\n", 12));
        assert!(!holds("@Test\nint f();\nint g();\n", 5), "nothing has a body");
        assert!(!holds("[1, 2].each(a);\nif (b) {\n  c();\n}\n", 5), "an array is no annotation");
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
