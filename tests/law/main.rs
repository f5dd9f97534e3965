//! Holds `check` to its law, on code that repeats itself:
//!
//! > Every run of at least `min-tokens` novel tokens that exists elsewhere with equal symbols and agreeing names lies in
//! > a finding, as copy or as origin, with its true origin named, for every `max-gap`. No fragment overlaps its own
//! > origin.
//!
//! The code is real functions and mechanical variants of them, put together in ways that invite
//! wrong chains. What is to be found is computed by brute force (`oracle.rs`), from the tokens
//! alone.
//!
//! In a tree, which `scan` reads, all code is novel, and the members of a class are each other's
//! origins.
//!
//! In `compare`, all code of one submission is looked for in the other one. Each token is in one
//! match at most, so a run may be missing if its only origins belong to other matches.
//!
//! By default a case for each language and arrangement runs, at two values of `max-gap`.
//! `LAW_CASES=50 cargo test --test law` runs 50, each at every value; `LAW_SEED=7` draws others.

mod oracle;
mod real;
mod samples;
mod tally;

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Stdio;

use oracle::{Said, Text};
use samples::{LANGUAGES, Language};
use support::{Random, Report, Repository, git_command};

/// The values of `max-gap` that the law is held against; the default is 240.
const MAX_GAPS: [usize; 9] = [20, 60, 80, 100, 120, 160, 200, 240, 400];
/// The default of `min-tokens`, which the cases are made for.
const MIN_TOKENS: usize = 40;

/// A change, and which of its lines are new.
struct Case {
    language: &'static Language,
    /// The files of base, then those that the head has in their place or besides.
    base: Vec<(String, String)>,
    head: Vec<(String, String)>,
    /// The paths of base that the head does not have.
    gone: Vec<String>,
    /// The files with novel code, and the lines of it: from the first to the last.
    novel: Vec<(String, usize, usize)>,
}

impl Case {
    fn new(language: &'static Language) -> Self {
        Self { language, base: Vec::new(), head: Vec::new(), gone: Vec::new(), novel: Vec::new() }
    }

    /// Adds a file of base that holds `functions`.
    fn with_base(mut self, name: &str, functions: &[String]) -> Self {
        self.base.push(self.language.file(name, functions));
        self
    }

    /// Adds a new file that holds `functions`.
    fn with_new(mut self, name: &str, functions: &[String]) -> Self {
        let (path, text) = self.language.file(name, functions);
        self.novel.push((path.clone(), 1, text.lines().count()));
        self.head.push((path, text));
        self
    }

    /// Pastes `functions` into the file of base that holds `old`, behind the first `n` of them.
    fn with_pasted(mut self, name: &str, old: &[String], n: usize, functions: &[String]) -> Self {
        let all = [&old[..n], functions, &old[n..]].concat();
        let (path, text) = self.language.file(name, &all);
        let (_, before) = self.language.file(name, &old[..n]);
        let n_lines = |text: &str| text.lines().count();
        // The file of the functions before ends with what closes it, and its lines have the same
        // numbers.
        let first = n_lines(&before) + 1 - n_lines(self.language.tail);
        let last = first + functions.iter().map(|function| n_lines(function) + 1).sum::<usize>();
        self.novel.push((path.clone(), first, last));
        self.head.push((path, text));
        self
    }

    /// The files of the head; for a comparison those of base are one submission, and those of the
    /// head the other.
    fn texts(&self, command: Command) -> Vec<Text> {
        if command == Command::Compare {
            let of = |side: &'static str, files: &[(String, String)]| -> Vec<Text> {
                let text = |(path, text): &(String, String)| {
                    Text::new(&format!("{side}/{path}"), text, self.language)
                };
                files.iter().map(text).collect()
            };
            return [of("one", &self.base), of("two", &self.head)].into_iter().flatten().collect();
        }
        let is_kept = |path: &str| self.head.iter().all(|(other, _)| other != path);
        let kept = self.base.iter().filter(|(path, _)| is_kept(path));
        kept.chain(&self.head).map(|(path, text)| Text::new(path, text, self.language)).collect()
    }
}

/// How code is put together for one case.
type Arrangement = fn(&'static Language, &mut Random) -> Case;

/// A command that the law is held against.
#[derive(Clone, Copy, PartialEq)]
enum Command {
    Check,
    Scan,
    Compare,
}

/// A number of the environment.
fn setting(name: &str) -> Option<u64> {
    std::env::var(name)
        .ok()
        .map(|value| value.parse().unwrap_or_else(|_| panic!("{name} is no number")))
}

/// Holds `check` against cases of `arrangement` in all languages.
#[track_caller]
fn check(arrangement: Arrangement) {
    check_with(Command::Check, arrangement);
}

#[track_caller]
fn check_with(command: Command, arrangement: Arrangement) {
    let (n_cases, seed) = (setting("LAW_CASES"), setting("LAW_SEED").unwrap_or(1));
    let mut cases = Vec::new();
    for (number, language) in LANGUAGES.iter().enumerate() {
        for at in 0..n_cases.unwrap_or(1) {
            let draw = |again: u64| {
                arrangement(language, &mut Random::new(seed, again << 32 | at << 8 | number as u64))
            };
            // Of variants no two may be alike for long enough.
            let asks = |case: &Case| !asked(command, case).is_empty();
            let case = (0..9).map(draw).find(asks).expect("one case in nine asks for something");
            // By default two values for each language, so that all have their turn.
            let two =
                || [2 * number, 2 * number + 7].map(|at| MAX_GAPS[at % MAX_GAPS.len()]).to_vec();
            cases.push((case, if n_cases.is_some() { MAX_GAPS.to_vec() } else { two() }));
        }
    }
    let repository = if command == Command::Compare { submissions(&cases) } else { import(&cases) };
    let mut faults = String::new();
    let (mut n_runs, mut n_broken) = (0, 0);
    for (number, (case, gaps)) in cases.iter().enumerate() {
        let texts = case.texts(command);
        let asked = asked(command, case);
        let said = match command {
            Command::Check => Said::Origins,
            Command::Scan => Said::Classes,
            Command::Compare => Said::Matches,
        };
        for gap in gaps {
            let report = run(command, &repository, number, *gap);
            let broken = oracle::faults(&texts, &asked, &report, said);
            n_runs += 1;
            if !broken.is_empty() {
                n_broken += 1;
                writeln!(faults, "{}, case {number}, max-gap {gap}:\n{broken}", case.language.id)
                    .expect("a string takes all");
            }
        }
    }
    assert!(n_broken == 0, "{n_broken} of {n_runs} runs break the law:\n{faults}");
}

/// What a command has to find in a case.
fn asked(command: Command, case: &Case) -> Vec<oracle::AskedSegments> {
    let texts = case.texts(command);
    let novel = match command {
        Command::Check => case.novel.clone(),
        Command::Scan | Command::Compare => texts.iter().map(Text::whole).collect(),
    };
    let submission = |path: &str| path.split('/').next().map(str::to_owned);
    let may_be_origin =
        |of: &str, path: &str| command != Command::Compare || submission(of) != submission(path);
    oracle::asked(&texts, &novel, MIN_TOKENS, may_be_origin)
}

/// One repository for all cases: the branches `base-N` and `head-N` are case N.
fn import(cases: &[(Case, Vec<usize>)]) -> Repository {
    let repository = Repository::new();
    let mut stream = String::new();
    let mut write = |branch: &str, from: &str, files: &[(String, String)], gone: &[String]| {
        writeln!(
            stream,
            "commit refs/heads/{branch}\ncommitter A <a@example.com> 1 +0000\ndata 0\n{from}"
        )
        .expect("a string takes all");
        for (path, text) in files {
            writeln!(stream, "M 100644 inline {path}\ndata {}\n{text}", text.len())
                .expect("a string takes all");
        }
        for path in gone {
            writeln!(stream, "D {path}").expect("a string takes all");
        }
    };
    for (number, (case, _)) in cases.iter().enumerate() {
        write(&format!("base-{number}"), "", &case.base, &[]);
        write(
            &format!("head-{number}"),
            &format!("from refs/heads/base-{number}"),
            &case.head,
            &case.gone,
        );
    }
    let mut git = git_command(repository.root(), &["fast-import", "--quiet"]);
    let mut git = git.stdin(Stdio::piped()).spawn().expect("git is installed");
    git.stdin.take().expect("it is piped").write_all(stream.as_bytes()).expect("git reads");
    assert!(git.wait().expect("git ends").success(), "git imports the cases");
    repository
}

/// One folder for all cases: `N/one` and `N/two` are the submissions of case N.
fn submissions(cases: &[(Case, Vec<usize>)]) -> Repository {
    let repository = Repository::new();
    for (number, (case, _)) in cases.iter().enumerate() {
        for (side, files) in [("one", &case.base), ("two", &case.head)] {
            files
                .iter()
                .for_each(|(path, text)| repository.write(format!("{number}/{side}/{path}"), text));
        }
    }
    repository
}

/// The report of case `number`.
fn run(command: Command, repository: &Repository, number: usize, gap: usize) -> Report {
    let (base, head, gap) =
        (format!("base-{number}"), format!("head-{number}"), format!("max-gap={gap}"));
    match command {
        Command::Check => {
            repository.check(&["--base", &base, "--head", &head, "--no-cache", "--set", &gap])
        }
        Command::Scan => {
            let min_tokens = MIN_TOKENS.to_string();
            let args = ["--rev", &head, "--min-tokens", &min_tokens, "--no-cache", "--set", &gap];
            Report::new(repository.secondhand(&["scan", "--format", "json"]).args(args))
        }
        Command::Compare => {
            let args = ["--min-tokens", &MIN_TOKENS.to_string(), "--set", &gap, "one", "two"];
            let mut compare = repository.secondhand(&["compare", "--format", "json"]);
            Report::new(compare.args(args).current_dir(repository.path(number.to_string())))
        }
    }
}

/// Draws functions of the language, each once.
fn some(language: &Language, n: usize, random: &mut Random) -> Vec<String> {
    let mut functions = language.functions();
    random.shuffle(&mut functions);
    functions.truncate(n);
    functions
}

/// The functions in an order in which none follows the one it followed.
fn in_another_order(functions: &[String], random: &mut Random) -> Vec<String> {
    let mut order: Vec<usize> = (0..functions.len()).collect();
    loop {
        random.shuffle(&mut order);
        if order.windows(2).all(|pair| pair[1] != pair[0] + 1) {
            return order.iter().map(|&at| functions[at].clone()).collect();
        }
    }
}

#[test]
fn variants_of_a_new_function_in_a_row() {
    check(|language, random| {
        let function = &some(language, 1, random)[0];
        let n = random.between(3, 6);
        let variants = language.variants(function, n, random);
        let others =
            some(language, 12, random).into_iter().filter(|other| other != function).take(3);
        Case::new(language).with_base("old", &others.collect::<Vec<_>>()).with_new("new", &variants)
    });
}

#[test]
fn variants_of_an_old_function_in_a_row() {
    check(|language, random| {
        let old = some(language, 4, random);
        let at = random.below(4);
        let n = random.between(3, 6);
        let variants = language.variants(&old[at], n, random);
        Case::new(language).with_base("old", &old).with_new("new", &variants)
    });
}

#[test]
fn variants_of_several_functions_in_turn() {
    check(|language, random| {
        let mut functions = some(language, 6, random);
        let old = functions.split_off(3);
        let shown = [&functions[..2], &old[..1]].concat();
        let mut new = Vec::new();
        for _ in 0..random.between(2, 3) {
            new.extend(shown.iter().map(|function| language.variant(function, random)));
        }
        Case::new(language).with_base("old", &old).with_new("new", &new)
    });
}

#[test]
fn variants_of_several_functions_in_any_order() {
    check(|language, random| {
        let mut functions = some(language, 6, random);
        let old = functions.split_off(3);
        let shown = [&functions[..2], &old[..1]].concat();
        let n = random.between(3, 4);
        let mut new: Vec<String> =
            shown.iter().flat_map(|function| language.variants(function, n, random)).collect();
        random.shuffle(&mut new);
        Case::new(language).with_base("old", &old).with_new("new", &new)
    });
}

/// A new file with the functions of an old one.
fn functions_in_another_order(language: &'static Language, random: &mut Random) -> Case {
    let n = random.between(4, 8);
    let old = some(language, n, random);
    let new = in_another_order(&old, random);
    Case::new(language).with_base("old", &old).with_new("new", &new)
}

/// A new file with variants of the functions of an old one.
fn variants_in_another_order(language: &'static Language, random: &mut Random) -> Case {
    let n = random.between(4, 8);
    let old = some(language, n, random);
    let new: Vec<String> = in_another_order(&old, random)
        .iter()
        .map(|function| language.variant(function, random))
        .collect();
    Case::new(language).with_base("old", &old).with_new("new", &new)
}

#[test]
fn functions_of_a_file_in_another_order_in_a_new_file() {
    check(functions_in_another_order);
}

#[test]
fn functions_of_a_file_in_another_order_in_another_file() {
    check(|language, random| {
        let mut old = some(language, 10, random);
        let other = old.split_off(6);
        let new = in_another_order(&old, random);
        let at = random.below(5);
        Case::new(language)
            .with_base("old", &old)
            .with_base("other", &other)
            .with_pasted("other", &other, at, &new)
    });
}

#[test]
fn functions_of_a_file_in_another_order_in_the_same_file() {
    check(|language, random| {
        let n = random.between(4, 6);
        let old = some(language, n, random);
        let new = in_another_order(&old, random);
        Case::new(language).with_base("old", &old).with_pasted("old", &old, n, &new)
    });
}

#[test]
fn variants_of_the_functions_of_a_file_in_another_order() {
    check(variants_in_another_order);
}

#[test]
fn the_functions_of_two_files_in_turn() {
    check(|language, random| {
        let mut one = some(language, 8, random);
        let two = one.split_off(4);
        let new: Vec<String> =
            one.iter().zip(&two).flat_map(|(a, b)| [a.clone(), b.clone()]).collect();
        Case::new(language).with_base("one", &one).with_base("two", &two).with_new("new", &new)
    });
}

#[test]
fn a_function_pasted_many_times() {
    check(|language, random| {
        let old = some(language, 3, random);
        let new = vec![old[random.below(3)].clone(); random.between(3, 9)];
        Case::new(language).with_base("old", &old).with_new("new", &new)
    });
}

#[test]
fn rows_of_a_table_in_another_table_of_their_file() {
    check(|language, random| {
        let rows = |n: usize, random: &mut Random| language.rows(n, random);
        let (one, two) = (rows(12, random), rows(12, random));
        let at = random.below(5);
        let pasted = [&two[..4], &one[at..at + 7], &two[4..]].concat();
        let tables = [language.table(&one), language.table(&pasted)];
        Case::new(language).with_base("old", &some(language, 3, random)).with_new("new", &tables)
    });
}

#[test]
fn alike_tests_in_a_new_file() {
    check(|language, random| {
        let n = random.between(3, 8);
        let tests = language.alike_tests(n, random);
        Case::new(language).with_base("old", &some(language, 3, random)).with_new("new", &tests)
    });
}

#[test]
fn alike_tests_beside_old_ones() {
    check(|language, random| {
        let mut tests = language.alike_tests(8, random);
        let new = tests.split_off(random.between(2, 5));
        let n = tests.len();
        Case::new(language).with_base("old", &tests).with_pasted("old", &tests, n, &new)
    });
}

#[test]
fn in_a_tree_too_variants_of_a_function_in_a_row() {
    check_with(Command::Scan, |language, random| {
        let n = random.between(3, 6);
        let variants = language.variants(&some(language, 1, random)[0], n, random);
        Case::new(language).with_new("new", &variants)
    });
}

#[test]
fn in_a_tree_too_functions_of_a_file_in_another_order() {
    check_with(Command::Scan, functions_in_another_order);
}

#[test]
fn in_a_tree_too_alike_tests() {
    check_with(Command::Scan, |language, random| {
        let n = random.between(4, 8);
        Case::new(language).with_new("new", &language.alike_tests(n, random))
    });
}

#[test]
fn in_a_comparison_too_functions_in_another_order() {
    check_with(Command::Compare, functions_in_another_order);
}

#[test]
fn in_a_comparison_too_variants_of_functions_in_another_order() {
    check_with(Command::Compare, variants_in_another_order);
}

#[test]
fn in_a_comparison_too_variants_of_a_function_in_a_row() {
    check_with(Command::Compare, |language, random| {
        let old = some(language, 4, random);
        let at = random.below(4);
        let n = random.between(3, 6);
        let variants = language.variants(&old[at], n, random);
        Case::new(language).with_base("old", &old).with_new("new", &variants)
    });
}

#[test]
fn in_a_comparison_too_variants_on_both_sides() {
    check_with(Command::Compare, |language, random| {
        let functions = some(language, 2, random);
        let n = random.between(2, 4);
        let mut sides = || -> Vec<String> {
            let mut all: Vec<String> = functions
                .iter()
                .flat_map(|function| language.variants(function, n, random))
                .collect();
            random.shuffle(&mut all);
            all
        };
        let (one, two) = (sides(), sides());
        Case::new(language).with_base("old", &one).with_new("new", &two)
    });
}

#[test]
fn in_a_comparison_too_the_functions_of_two_files_in_turn() {
    check_with(Command::Compare, |language, random| {
        let mut one = some(language, 8, random);
        let two = one.split_off(4);
        let new: Vec<String> =
            one.iter().zip(&two).flat_map(|(a, b)| [a.clone(), b.clone()]).collect();
        Case::new(language).with_base("one", &one).with_base("two", &two).with_new("new", &new)
    });
}

#[test]
fn in_a_comparison_too_alike_tests() {
    check_with(Command::Compare, |language, random| {
        let mut tests = language.alike_tests(10, random);
        let new = tests.split_off(5);
        random.shuffle(&mut tests);
        Case::new(language).with_base("old", &tests).with_new("new", &[new, tests.clone()].concat())
    });
}
