//! Holds functions of six languages, and makes mechanical variants of them.

use std::collections::{BTreeMap, BTreeSet};

use secondhand::language::Kind;

use crate::oracle::tokens;
use support::Random;

/// A language, its functions, and what is put into them.
pub struct Language {
    /// The name of its table.
    pub id: &'static str,
    extension: &'static str,
    /// What a file begins and ends with.
    head: &'static str,
    pub tail: &'static str,
    /// Twelve functions of 40 to 150 tokens that have nothing in common, a blank line between.
    code: &'static str,
    /// Statements that may be put into any function.
    statements: [&'static str; 4],
    /// What ends a statement on its line.
    end: &'static str,
    /// A test, with `NAME`, and `W`, `X`, `Y`, `Z` for numbers.
    test: &'static str,
}

pub static LANGUAGES: [Language; 6] = [
    Language {
        id: "c",
        extension: "c",
        head: "#include \"sample.h\"\n\n",
        tail: "",
        code: include_str!("code/c.c"),
        statements: [
            "trace_step(context, 4);",
            "stats->n_visits += weight * 2;",
            "last_error = error_of(handle);",
            "assert(budget >= 0);",
        ],
        end: ";",
        test: r#"static void test_ring_NAME(void **state)
{
    struct ring *ring = ring_new(W, sizeof(int));
    for (int i = 0; i < X; i++)
        ring_push(ring, &i);
    assert_int_equal(ring->length, Y);
    assert_int_equal(ring->n_dropped, Z);
    ring_free(ring);
}
"#,
    },
    Language {
        id: "python",
        extension: "py",
        head: "import sample\n\n",
        tail: "",
        code: include_str!("code/python.py"),
        statements: [
            "trace.step(context, 4)",
            "stats.visits += weight * 2",
            "last_error = error_of(handle)",
            "budget.check(minimum=0)",
        ],
        end: "",
        test: r#"def test_ring_NAME(ring_factory):
    ring = ring_factory(capacity=W)
    for number in range(X):
        ring.push(number)
    assert len(ring) == Y
    assert ring.dropped == Z
    ring.clear()
    assert not list(ring)
"#,
    },
    Language {
        id: "javascript",
        extension: "js",
        head: "import { sample } from './sample.js';\n\n",
        tail: "",
        code: include_str!("code/javascript.js"),
        statements: [
            "trace.step(context, 4);",
            "stats.visits += weight * 2;",
            "lastError = errorOf(handle);",
            "budget.check({ minimum: 0 });",
        ],
        end: ";",
        test: r#"it('keeps the last when NAME', async () => {
  const ring = await createRing({ capacity: W });
  for (let i = 0; i < X; i++) {
    ring.push(i);
  }
  expect(ring.length).toBe(Y);
  expect(ring.dropped).toBe(Z);
  ring.clear();
});
"#,
    },
    Language {
        id: "rust",
        extension: "rs",
        head: "use sample::*;\n\n",
        tail: "",
        code: include_str!("code/rust.rs"),
        statements: [
            "trace.step(&context, 4);",
            "stats.n_visits += weight * 2;",
            "last_error = error_of(handle);",
            "budget.check(0..);",
        ],
        end: ";",
        test: r#"fn ring_keeps_NAME(pool: &Pool) {
    let mut ring = Ring::with_capacity(pool, W);
    for number in 0..X {
        ring.push(number);
    }
    assert_eq!(ring.len(), Y);
    assert_eq!(ring.n_dropped(), Z);
    ring.clear();
}
"#,
    },
    Language {
        id: "java",
        extension: "java",
        head: "package sample;\n\nfinal class Sample {\n\n",
        tail: "}\n",
        code: include_str!("code/java.java"),
        statements: [
            "trace.step(context, 4);",
            "stats.visits += weight * 2;",
            "lastError = errorOf(handle);",
            "budget.check(0L);",
        ],
        end: ";",
        test: r#"    public void keepsLast_NAME() throws Exception {
        Ring<Integer> ring = factory.create(W);
        for (int i = 0; i < X; i++) {
            ring.push(i);
        }
        assertEquals(Y, ring.size());
        assertEquals(Z, ring.dropped());
        ring.clear();
    }
"#,
    },
    Language {
        id: "go",
        extension: "go",
        head: "package sample\n\n",
        tail: "",
        code: include_str!("code/go.go"),
        statements: [
            "trace.Step(ctx, 4)",
            "stats.Visits += weight * 2",
            "lastError = errorOf(handle)",
            "budget.Check(0)",
        ],
        end: "",
        test: r#"func checkRing_NAME(t *testing.T) {
	ring := NewRing(W)
	for i := 0; i < X; i++ {
		ring.Push(i)
	}
	if ring.Len() != Y || ring.Dropped() != Z {
		t.Fatalf("got %d and %d", ring.Len(), ring.Dropped())
	}
	ring.Clear()
}
"#,
    },
];

/// Words that other names are made of.
const WORDS: [&str; 16] = [
    "amber", "basil", "cedar", "delta", "ember", "fjord", "grove", "heron", "inlet", "junco",
    "kelp", "larch", "mesa", "north", "otter", "prism",
];

impl Language {
    /// Its functions.
    pub fn functions(&self) -> Vec<String> {
        self.code.trim_end().split("\n\n").map(|function| format!("{function}\n")).collect()
    }

    /// The file `name`: its path, and a text that holds `functions`, a blank line between.
    pub fn file(&self, name: &str, functions: &[String]) -> (String, String) {
        let body = functions.iter().map(|function| format!("{function}\n")).collect::<String>();
        (format!("src/{name}.{}", self.extension), format!("{}{body}{}", self.head, self.tail))
    }

    /// `n` variants of the function; the first is the function as it is.
    pub fn variants(&self, function: &str, n: usize, random: &mut Random) -> Vec<String> {
        let mut variants = vec![function.to_owned()];
        variants.extend((1..n).map(|_| self.variant(function, random)));
        variants
    }

    /// The function as it is, renamed, with a statement changed, or with a line inserted.
    pub fn variant(&self, function: &str, random: &mut Random) -> String {
        match random.below(4) {
            0 => function.to_owned(),
            1 => self.renamed(function, random),
            2 => self.with_statement(function, true, random),
            _ => self.with_statement(function, false, random),
        }
    }

    /// Most names changed one to one.
    pub fn renamed(&self, function: &str, random: &mut Random) -> String {
        let tokens = tokens(function, self);
        let text = |start: u32, end: u32| &function[start as usize..end as usize];
        let names = tokens.iter().filter(|token| token.kind() == Kind::Identifier);
        let names: BTreeSet<&str> = names.map(|token| text(token.start, token.end)).collect();
        let percent = random.between(60, 100);
        let mut n_others = random.below(40);
        let mut others = BTreeMap::new();
        for name in names.into_iter().filter(|_| random.below(100) < percent) {
            n_others += 1;
            others.insert(name, format!("{}_{}", WORDS[n_others % 16], WORDS[n_others / 16 % 16]));
        }
        let mut renamed = String::new();
        let mut done = 0;
        for token in tokens.iter().filter(|token| token.kind() == Kind::Identifier) {
            if let Some(other) = others.get(text(token.start, token.end)) {
                renamed += text(done, token.start);
                renamed += other;
                done = token.end;
            }
        }
        renamed + &function[done as usize..]
    }

    /// A statement put in the place of one, or behind it.
    pub fn with_statement(&self, function: &str, is_change: bool, random: &mut Random) -> String {
        let lines: Vec<&str> = function.lines().collect();
        let at = self.place_of_statement(function, random);
        let indent = &lines[at][..lines[at].len() - lines[at].trim_start().len()];
        let other = format!("{indent}{}", self.statements[random.below(4)]);
        let mut changed = lines.clone();
        if is_change {
            changed[at] = &other;
        } else {
            changed.insert(at + 1, &other);
        }
        changed.join("\n") + "\n"
    }

    /// The line of one of its simple statements, from 0.
    pub fn place_of_statement(&self, function: &str, random: &mut Random) -> usize {
        let lines: Vec<&str> = function.lines().collect();
        let statements: Vec<usize> =
            (1..lines.len() - 1).filter(|&at| self.is_statement(lines[at])).collect();
        statements[random.below(statements.len())]
    }

    /// `n` statements put behind the line `at`.
    pub fn with_statements_at(&self, function: &str, at: usize, n: usize) -> String {
        let mut lines: Vec<String> = function.lines().map(String::from).collect();
        let indent = lines[at][..lines[at].len() - lines[at].trim_start().len()].to_owned();
        let others = (0..n).map(|i| format!("{indent}{}", self.statements[i % 4]));
        lines.splice(at + 1..at + 1, others);
        lines.join("\n") + "\n"
    }

    /// `percent` of its names replaced, each time by another one.
    pub fn renamed_at_random(&self, function: &str, percent: usize, random: &mut Random) -> String {
        let mut renamed = String::new();
        let mut done = 0;
        for token in tokens(function, self).iter().filter(|token| token.kind() == Kind::Identifier)
        {
            if random.below(100) < percent {
                renamed += &function[done..token.start as usize];
                renamed += WORDS[random.below(16)];
                done = token.end as usize;
            }
        }
        renamed + &function[done..]
    }

    /// Whether a line is one simple statement.
    fn is_statement(&self, line: &str) -> bool {
        const OTHERS: [&str; 13] = [
            "return", "if", "for", "while", "else", "case", "default", "switch", "select", "break",
            "continue", "raise", "throw",
        ];
        let line = line.trim();
        let word: String = line.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let n = |c: char| line.matches(c).count();
        let is_balanced = n('(') == n(')') && n('[') == n(']') && n('{') == n('}');
        let is_closed = line.ends_with(self.end) && !line.ends_with([':', '{', ',', '\\', '(']);
        !word.is_empty()
            && !OTHERS.contains(&word.as_str())
            && is_balanced
            && is_closed
            && line.contains(['=', '('])
    }

    /// Rows of a table: two each of one shape, with strings of their own.
    pub fn rows(&self, n: usize, random: &mut Random) -> Vec<String> {
        let mut rows = Vec::new();
        while rows.len() < n {
            let names = [(); 2].map(|()| ["limit", "base", "", "", ""][random.below(5)]);
            let last = ["yes", "no"][random.below(2)];
            for _ in 0..2 {
                let [one, two] = names.map(|name| match name {
                    "" => format!("\"{:x}\"", random.below(0x10_0000)),
                    name => name.to_owned(),
                });
                rows.push(format!("    {{{one}, {two}, {last}}},\n"));
            }
        }
        rows.truncate(n);
        rows
    }

    /// A table with these rows.
    pub fn table(&self, rows: &[String]) -> String {
        format!("cases = {{\n{}}}{}\n", rows.concat(), self.end)
    }

    /// `n` tests that differ in their names and numbers.
    pub fn alike_tests(&self, n: usize, random: &mut Random) -> Vec<String> {
        let mut test = |i: usize| {
            let mut test = self
                .test
                .replace("NAME", &format!("{}_{}", WORDS[i % 16], WORDS[random.below(16)]));
            for number in ["W", "X", "Y", "Z"] {
                test = replaced_word(&test, number, &random.between(1, 99).to_string());
            }
            test
        };
        (0..n).map(&mut test).collect()
    }
}

/// `text` with the word replaced where it stands alone.
fn replaced_word(text: &str, word: &str, by: &str) -> String {
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let mut replaced = String::new();
    let mut done = 0;
    for (at, _) in text.match_indices(word) {
        let (before, after) =
            (text[..at].chars().next_back(), text[at + word.len()..].chars().next());
        if !is_word(before) && !is_word(after) {
            replaced += &text[done..at];
            replaced += by;
            done = at + word.len();
        }
    }
    replaced + &text[done..]
}

#[test]
fn the_functions_are_as_the_law_needs_them() {
    let mut unfit = Vec::new();
    for language in &LANGUAGES {
        let functions = language.functions();
        assert!(functions.len() >= 12, "{}: {}", language.id, functions.len());
        for function in &functions {
            let n = tokens(function, language).len();
            let n_statements =
                function.lines().skip(1).filter(|line| language.is_statement(line)).count();
            let renamed = language.renamed(function, &mut Random::new(1, 1));
            let symbols = |text: &str| {
                tokens(text, language).iter().map(|token| token.symbol).collect::<Vec<_>>()
            };
            if !(40..=150).contains(&n)
                || n_statements == 0
                || symbols(function) != symbols(&renamed)
            {
                unfit.push(format!(
                    "{}, {n} tokens, {n_statements} statements:\n{function}{renamed}",
                    language.id
                ));
            }
        }
    }
    assert!(unfit.is_empty(), "{}", unfit.join("\n"));
}
