//! Writes code of a shape, and changes that bring it in.
//!
//! Promise: equal arguments give equal text.

use std::fmt::Write;

use super::shapes::Change;
use crate::git::State;
use support::Random;

/// A new file, beside others.
pub fn added(text: &str) -> Change {
    Change { base: company(), head: one("src/new.c", text) }
}

/// A file that was there, copied.
pub fn copied(text: &str) -> Change {
    let base = company().into_iter().chain(one("src/old.c", text)).collect();
    Change { base, head: one("src/new.c", text) }
}

/// A file before and after.
pub fn edited(before: &str, after: &str) -> Change {
    let base = company().into_iter().chain(one("src/old.c", before)).collect();
    Change { base, head: one("src/old.c", after) }
}

/// `n` new files.
pub fn files(n: usize, text: impl Fn(usize) -> String) -> Change {
    Change { base: company(), head: (0..n).map(|i| (path("new", i), Some(text(i)))).collect() }
}

/// New files, beside others.
pub fn new_files(files: &[(String, String)]) -> Change {
    let new = |(path, text): &(String, String)| (format!("new/{path}"), Some(text.clone()));
    Change { base: company(), head: files.iter().map(new).collect() }
}

/// `n` files that were there, and a new one.
pub fn onto(n: usize, text: impl Fn(usize) -> String, new: &str) -> Change {
    let old = (0..n).map(|i| (path("old", i), Some(text(i))));
    Change { base: company().into_iter().chain(old).collect(), head: one("src/new.c", new) }
}

/// `n` files that were there, and what is in another folder instead; `rewrite` also says whether
/// the old one stays.
pub fn moved(
    n: usize,
    text: impl Fn(usize) -> String,
    rewrite: impl Fn(String, usize) -> (bool, String),
) -> Change {
    let (mut base, mut head) = (company(), State::new());
    for i in 0..n {
        base.insert(path("old", i), Some(text(i)));
        let (stays, new) = rewrite(text(i), i);
        head.insert(path("new", i), Some(new));
        if !stays {
            head.insert(path("old", i), None);
        }
    }
    Change { base, head }
}

/// A file of `n` functions, five of which each new file takes.
pub fn split(n: usize) -> Change {
    let functions =
        |parts: std::ops::Range<usize>| parts.map(|i| varied_functions(1, i)).collect::<String>();
    let mut head = one("src/old.c", "int left;\n");
    let parts = (0..n).step_by(5);
    head.extend(
        parts.map(|first| (path("new", first / 5), Some(functions(first..n.min(first + 5))))),
    );
    Change { base: company().into_iter().chain(one("src/old.c", &functions(0..n))).collect(), head }
}

/// Files of five functions each, `n` in all, that become one.
pub fn joined(n: usize) -> Change {
    let Change { base, head } = split(n);
    let back = |text: &Option<String>| text.as_ref().map(|_| String::new());
    let state = base.iter().filter(|(path, _)| !head.contains_key(*path)).chain(&head);
    let base_of_joined = state.map(|(path, text)| (path.clone(), text.clone())).collect();
    let mut joined: State = head.keys().map(|path| (path.clone(), None)).collect();
    joined.extend(head.keys().filter_map(|path| Some((path.clone(), back(base.get(path)?)))));
    joined.insert("src/old.c".to_owned(), base["src/old.c"].clone());
    Change { base: base_of_joined, head: joined }
}

/// `n` tests of one shape in `n_files` files.
pub fn alike_tests(n: usize, n_files: usize) -> Change {
    let test = |i: usize| {
        format!(
            "#[test]\nfn case_{i}() {{\n    let text = \"value {i}\";\n    let parsed = parse(text, {i}).expect(\"it \
             parses\");\n    assert_eq!(parsed.len(), {i});\n    assert_eq!(parsed.first(), Some(&{i}));\n}}\n\n"
        )
    };
    let per_file = n.div_ceil(n_files);
    let of_file =
        |file: usize| (file * per_file..n.min((file + 1) * per_file)).map(test).collect::<String>();
    Change {
        base: company(),
        head: (0..n_files).map(|i| (format!("tests/cases_{i}.rs"), Some(of_file(i)))).collect(),
    }
}

/// A document with `n` blocks of code.
pub fn document(n: usize) -> Change {
    let block = |i: usize| {
        format!("Example {i} shows how.\n\n```c\n{}```\n\n", sample(&format!("total_{i}"), 3))
    };
    Change { base: company(), head: one("docs/examples.md", &repeated(n, block)) }
}

fn one(path: &str, text: &str) -> State {
    State::from([(path.to_owned(), Some(text.to_owned()))])
}

fn path(folder: &str, i: usize) -> String {
    format!("{folder}/part{}/file{i}.c", i / 100)
}

/// What every base holds besides.
fn company() -> State {
    (0..4)
        .map(|i| (format!("src/company{i}.c"), Some(varied_functions(10, 500_000 + 10 * i))))
        .collect()
}

/// A number that `i` decides.
pub fn draw(i: usize) -> u64 {
    Random::new(1, i as u64).number()
}

/// `n` lines.
pub fn lines(n: usize, line: impl Fn(usize) -> String) -> String {
    (0..n).map(|i| line(i) + "\n").collect()
}

/// `n` parts.
pub fn repeated(n: usize, part: impl Fn(usize) -> String) -> String {
    (0..n).map(part).collect()
}

/// `body` in braces behind `head`.
pub fn braced(head: &str, body: &str) -> String {
    format!("{head}\n{{\n{body}}};\n")
}

/// `body` as a function.
pub fn function(body: &str) -> String {
    format!("void f(struct dev *dev)\n{{\n{body}}}\n")
}

/// A driver's table of writes.
pub fn register_writes(n: usize, factor: usize) -> String {
    let write =
        |i: usize| format!("    write_reg(dev, REG_{i}, 0x{:04x});", i * 7919 * factor % 65_536);
    function(&lines(n, write))
}

/// Rows of numbers, each with a call.
pub fn array_rows(n: usize) -> String {
    braced(
        "int rows[] =",
        &lines(n, |i| format!("    {}, {}, {}, foo(bar),", i % 7, i % 11, i % 13)),
    )
}

/// Rows of numbers.
pub fn number_rows(n: usize) -> String {
    braced(
        "int numbers[] =",
        &lines(n, |i| format!("    {i}, {}, 0x{:x}, {}.5,", i * 3, i * 7, i % 9)),
    )
}

/// Rows of a table of structs.
pub fn struct_rows(n: usize) -> String {
    braced(
        "struct option options[] =",
        &lines(n, |i| format!("    {{ \"option-{i}\", OPTION_{i}, {i}, set_{i} }},")),
    )
}

/// Assignments that differ in their numbers only, at random.
pub fn random_assignments(n: usize) -> String {
    let number = |i: usize, which: usize| draw(i * 4 + which) % 1_000;
    let line = |i: usize| {
        format!("x{} = y{} + z{}({});", number(i, 0), number(i, 1), number(i, 2), number(i, 3))
    };
    lines(n, line)
}

/// One statement of `n` calls.
pub fn chained_calls(n: usize) -> String {
    format!(
        "    builder\n{}    .done();\n",
        lines(n, |i| format!("        .with(\"name-{i}\", {i})"))
    )
}

/// A switch of `n` arms.
pub fn switch_arms(n: usize) -> String {
    let arms = lines(n, |i| format!("    case CODE_{i}:\n        return \"name of {i}\";"));
    format!(
        "const char *name(int code)\n{{\n    switch (code) {{\n{arms}    }}\n    return 0;\n}}\n"
    )
}

/// `n` branches.
pub fn else_if_arms(n: usize) -> String {
    let arm = |i: usize| {
        format!("    }} else if (code == {i}) {{\n        return handle_{i}(code, {i});")
    };
    format!(
        "int handle(int code)\n{{\n    if (code < 0) {{\n{}    }}\n    return 0;\n}}\n",
        lines(n, arm)
    )
}

/// `n` statements of two shapes, as `which` says.
pub fn two(n: usize, which: impl Fn(usize) -> bool) -> String {
    lines(n, |i| if which(i) { "    c(d, 7);".to_owned() } else { "    a[b] = 3;".to_owned() })
}

/// Statements of eight shapes.
const STATEMENTS: [&str; 8] = [
    "    a = b;", "    c(d, 7);", "    e[f] = 3;", "    g->h++;", "    i = j + 4 * k;",
    "    if (l) return m;", "    *n = o ? p : q;", "    while (r(s)) t--;",
];

/// `n` statements of eight shapes, as `which` says.
pub fn of_statements(n: usize, which: impl Fn(usize) -> usize) -> String {
    lines(n, |i| STATEMENTS[which(i)].to_owned())
}

/// Whether the Thue-Morse word has a one at `i`: it never says the same three times in a row.
pub fn thue_morse(i: usize) -> bool {
    i.count_ones() % 2 == 1
}

/// Whether the Fibonacci word has a one at `i`: it has as few different parts as a word without a
/// period can have.
pub fn fibonacci(i: usize) -> bool {
    const GOLDEN: f64 = 1.618_033_988_749_895;
    let floor = |i: usize| (i as f64 / GOLDEN).floor() as usize;
    floor(i + 2) - floor(i + 1) == 0
}

/// `n` statements, a prefix of a word over eight in which every run of six stands once
/// (Fredricksen, Kessler 1977).
pub fn de_bruijn(n: usize) -> String {
    const LENGTH: usize = 6;
    // The Lyndon words whose length divides `LENGTH`, in order, make the word.
    let mut word: Vec<usize> = Vec::new();
    let mut lyndon: Vec<usize> = vec![0];
    while word.len() < n && !lyndon.is_empty() {
        if LENGTH.is_multiple_of(lyndon.len()) {
            word.extend(&lyndon);
        }
        let period = lyndon.len();
        lyndon = (0..LENGTH).map(|i| lyndon[i % period]).collect();
        while lyndon.last() == Some(&(STATEMENTS.len() - 1)) {
            lyndon.pop();
        }
        if let Some(last) = lyndon.last_mut() {
            *last += 1;
        }
    }
    of_statements(n.min(word.len()), |i| word[i])
}

/// Every tenth line with another number.
pub fn every_tenth_edited(text: &str) -> String {
    let edit = |(i, line): (usize, &str)| {
        if i % 10 == 5 { line.replace("0x", "0x9") } else { line.to_owned() }
    };
    text.lines().enumerate().map(|line| edit(line) + "\n").collect()
}

/// `text` with `line` behind every `n`th of its lines.
pub fn after_every(text: &str, n: usize, line: &str) -> String {
    let with = |(i, old): (usize, &str)| {
        if (i + 1) % n == 0 { format!("{old}\n{line}\n") } else { format!("{old}\n") }
    };
    text.lines().enumerate().map(with).collect()
}

/// The lines in the opposite order.
pub fn reversed(text: &str) -> String {
    text.lines().rev().map(|line| format!("{line}\n")).collect()
}

/// A function of fifteen lines that works on `name`; `factor` is a number in it.
pub fn sample(name: &str, factor: usize) -> String {
    format!(
        "int sum_up(struct list *list, int limit)\n{{\n    int {name} = 0;\n    struct item *item;\n    for (item = \
         list->head; item != NULL; item = item->next) {{\n        if (item->weight > limit || item->flags & SKIP) \
         {{\n            list->n_skipped++;\n            continue;\n        }}\n        {name} += item->weight * \
         {factor} + item->bonus;\n    }}\n    if ({name} > limit)\n        report(list, {name} - limit);\n    return \
         {name};\n}}\n\n"
    )
}

/// The same with one statement more or other, as `i` decides.
pub fn variant(i: usize) -> String {
    let text = sample("total", 3);
    let n_lines = text.lines().count();
    let at = 3 + i % (n_lines - 5);
    let statement = STATEMENTS[i / n_lines % STATEMENTS.len()];
    let lines = text.lines().enumerate().map(|(line, old)| match line == at {
        true => format!("{old}\n    {statement}\n"),
        false => format!("{old}\n"),
    });
    lines.collect::<String>() + "\n"
}

/// `n` statements on one line, below some code of ordinary lines.
pub fn long_line(n: usize) -> String {
    let line: String =
        (0..n).map(|i| format!("{} ", statement(&mut Random::new(3, i as u64)))).collect();
    format!("{}{}", varied_functions(20, 0), function(&(line + "\n")))
}

/// Brackets in brackets: runs of `n` levels, each closed, `per_line` on a line.
pub fn nested(n: usize, open: &str, close: &str, per_line: usize) -> String {
    let mut text = String::from("    x = 0;\n");
    for (bracket, is_opening) in [(open, true), (close, false)] {
        for i in 0..n {
            text.push_str(bracket);
            if i % per_line == per_line - 1 {
                text.push('\n');
            }
        }
        if is_opening {
            text.push_str("y = 1");
        }
    }
    text + ";\n"
}

/// A file of some 500 lines that differs from the others in a name and a line.
pub fn near_duplicate(i: usize) -> String {
    let mut text = varied_functions(40, 7_000).replace("total", &format!("total_{i}"));
    writeln!(text, "int number(void) {{ return {i}; }}").expect("a string takes all");
    text
}

/// The same, but its functions are made of statements of five shapes.
pub fn near_duplicate_of_few_shapes(i: usize) -> String {
    let mut text = String::new();
    for number in 0..45 {
        let mut random = Random::new(3, number as u64);
        let (name, of) = (name(&mut random), word(&mut random));
        writeln!(text, "static void {name}_{number}(struct {of} *p)\n{{")
            .expect("a string takes all");
        for _ in 0..8 {
            let [a, b, c, d] = [(); 4].map(|()| word(&mut random));
            let n = random.below(99);
            let statement = match random.below(5) {
                0 => format!("p->{a}{n} = {b}_{c}(p, {n});"),
                1 => format!("while (p->{a} < {n}) {b}_{c}(p->{d});"),
                2 => format!("if (!{a}_{b}(p) || {c}) goto {d};"),
                3 => format!("{a}[{b}] += p->{c} << {n};"),
                _ => format!("switch (p->{a}) {{ case {n}: {b}--; default: break; }}"),
            };
            writeln!(text, "    {statement}").expect("a string takes all");
        }
        text.push_str("}\n\n");
    }
    text = text.replace("buffer", &format!("buffer_{i}"));
    writeln!(text, "int number(void) {{ return {i}; }}").expect("a string takes all");
    text
}

/// `n` functions that have nothing in common but their language, from the one numbered `first` on.
pub fn varied_functions(n: usize, first: usize) -> String {
    (first..first + n).map(varied_function).collect()
}

/// The same, last one first.
pub fn varied_functions_reversed(n: usize) -> String {
    (0..n).rev().map(varied_function).collect()
}

/// Words that names are made of.
const WORDS: [&str; 24] = [
    "node", "list", "page", "size", "key", "slot", "flag", "name", "path", "buffer", "state",
    "queue", "frame", "block", "index", "token", "entry", "cache", "event", "range", "limit",
    "offset", "handle", "weight",
];

fn varied_function(number: usize) -> String {
    let mut random = Random::new(2, number as u64);
    let mut text = format!(
        "int {}_{number}(struct {} *p, int n)\n{{\n    int total = 0;\n",
        name(&mut random),
        word(&mut random)
    );
    let n_statements = random.between(6, 14);
    let mut n_open = 0;
    for _ in 0..n_statements {
        let indent = "    ".repeat(n_open + 1);
        match random.below(6) {
            0 if n_open < 3 => {
                let head = condition(&mut random);
                writeln!(text, "{indent}if ({head}) {{").expect("a string takes all");
                n_open += 1;
            }
            1 if n_open < 3 => {
                let head = condition(&mut random);
                writeln!(text, "{indent}while ({head}) {{").expect("a string takes all");
                n_open += 1;
            }
            _ => writeln!(text, "{indent}{}", statement(&mut random)).expect("a string takes all"),
        }
        if n_open > 0 && random.chance(25) {
            writeln!(text, "{}}}", "    ".repeat(n_open)).expect("a string takes all");
            n_open -= 1;
        }
    }
    for level in (1..=n_open).rev() {
        writeln!(text, "{}}}", "    ".repeat(level)).expect("a string takes all");
    }
    text + "    return total;\n}\n\n"
}

fn word(random: &mut Random) -> &'static str {
    WORDS[random.below(WORDS.len())]
}

fn name(random: &mut Random) -> String {
    format!("{}_{}", word(random), word(random))
}

fn operand(random: &mut Random) -> String {
    match random.below(5) {
        0 => random.below(100).to_string(),
        1 => format!("p->{}", word(random)),
        2 => format!("{}[{}]", word(random), word(random)),
        3 => format!("{}({})", name(random), word(random)),
        _ => word(random).to_owned(),
    }
}

fn condition(random: &mut Random) -> String {
    let (a, b) = (operand(random), operand(random));
    match random.below(4) {
        0 => format!("{a} < {b}"),
        1 => format!("{a} == {b} || !{}", operand(random)),
        2 => format!("{a} && {b} > {}", random.below(50)),
        _ => format!("!{a}"),
    }
}

fn statement(random: &mut Random) -> String {
    let (target, a, b) = (word(random), operand(random), operand(random));
    match random.below(9) {
        0 => format!("{target} = {a};"),
        1 => format!("{target} = {a} + {b};"),
        2 => format!("p->{target} = {a} * {b} - {};", operand(random)),
        3 => format!("{}({a}, {b});", name(random)),
        4 => format!("{}(p, {a}, \"{target} of {}\", {b});", name(random), word(random)),
        5 => format!("total += {a} << {};", random.below(8)),
        6 => format!("{target}[{a}] = {b};"),
        7 => format!("struct {target} *{} = {}({a});", word(random), name(random)),
        _ => format!("{target} = {a} ? {b} : {};", operand(random)),
    }
}
