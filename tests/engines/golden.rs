//! Makes the golden corpus and the changes that every engine must judge alike, out of generated
//! code.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use tempfile::TempDir;

use support::{Repository, git, secondhand};

/// Components besides the one with a history.
const N_COMPONENTS: usize = 199;
/// The licenses of components, in turn; the last is none.
const LICENSES: [Option<&str>; 4] = [Some("MIT"), Some("GPL-3.0-only"), Some("Apache-2.0"), None];

/// A sequence of numbers that looks random and is the same each time (xorshift).
pub struct Numbers(u64);

impl Numbers {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % n
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }
}

const WORDS: [&str; 24] = [
    "anchor", "basin", "cursor", "delta", "ember", "flange", "gasket", "hinge", "ingot", "jetty",
    "keel", "lever", "manifold", "notch", "orbit", "piston", "quill", "ratchet", "spindle",
    "torque", "umber", "valve", "winch", "yoke",
];

fn name(numbers: &mut Numbers) -> String {
    format!("{}_{}", numbers.of(&WORDS), numbers.of(&WORDS))
}

fn expression(numbers: &mut Numbers, depth: usize) -> String {
    let operand = |numbers: &mut Numbers| match numbers.below(5) {
        0 => numbers.below(900).to_string(),
        1 => format!("{}[{}]", name(numbers), numbers.of(&WORDS)),
        2 => format!("{}->{}", numbers.of(&WORDS), name(numbers)),
        3 => format!("{}({}, {})", name(numbers), numbers.of(&WORDS), numbers.below(99)),
        _ => name(numbers),
    };
    if depth == 0 || numbers.below(4) == 0 {
        return operand(numbers);
    }
    let (left, right) = (expression(numbers, depth - 1), expression(numbers, depth - 1));
    format!("({left} {} {right})", numbers.of(&["+", "-", "*", "&", "|", "^", "<<", ">>", "%"]))
}

fn statement(numbers: &mut Numbers) -> String {
    let (what, value) = (name(numbers), expression(numbers, 2));
    match numbers.below(6) {
        0 => format!("    if ({value})\n        {what} = {};\n", expression(numbers, 1)),
        1 => format!(
            "    for (int i = 0; i < {what}; i++)\n        {}[i] = {value};\n",
            name(numbers)
        ),
        2 => format!("    {what}({value}, {});\n", expression(numbers, 1)),
        3 => format!("    while ({what} > {value})\n        {what} /= {};\n", 2 + numbers.below(7)),
        4 => format!("    {what} += {value};\n"),
        _ => format!("    int {what} = {value};\n"),
    }
}

/// A function of about 200 tokens.
pub fn function(seed: u64) -> String {
    let mut numbers = Numbers::new(seed);
    let body: String = (0..14).map(|_| statement(&mut numbers)).collect();
    let (of, at) = (name(&mut numbers), numbers.of(&WORDS));
    format!(
        "int {of}_{seed}(struct {at} *{at}, int {})\n{{\n{body}    return {of};\n}}\n\n",
        numbers.of(&WORDS)
    )
}

/// A file of three functions of a component.
fn file(component: usize, number: usize) -> String {
    (0..3).map(|n| function((component * 100 + number * 10 + n) as u64)).collect()
}

/// The golden corpus, in a folder of corpora of its own.
pub struct Golden {
    folder: TempDir,
}

impl Golden {
    pub fn new() -> Self {
        let golden = Self::empty();
        let mut list = String::new();
        for component in 0..N_COMPONENTS {
            let folder = golden.folder.path().join(format!("sources/part{component:03}"));
            for number in 0..1 + component % 3 {
                write(&folder, &format!("src/file{number}.c"), &file(component, number));
            }
            list += &format!("[[source]]\nfrom = \"part{component:03}\"\n");
            if let Some(license) = LICENSES[component % LICENSES.len()] {
                list += &format!("license = \"{license}\"\n");
            }
        }
        write(&golden.folder.path().join("sources"), "corpus.toml", &list);
        let past = golden.folder.path().join("past");
        fs::create_dir_all(&past).expect("the folder is writable");
        git(&past, &["init", "--quiet", "--template="]);
        for version in 0..3u64 {
            let text: String = (0..3).map(|n| function(90_000 + version * 2 + n)).collect();
            write(&past, "lib/code.c", &text);
            write(&past, "LICENSE", "SPDX-License-Identifier: BSD-3-Clause\n");
            git(&past, &["add", "--all"]);
            git(&past, &["commit", "--quiet", "--message", &format!("version {version}")]);
            git(&past, &["tag", &format!("v{version}")]);
        }
        let (list, past) = (golden.path("sources/corpus.toml"), golden.path("past"));
        golden.corpus(&["add", "golden", &list, &past]);
        golden
    }

    /// A folder of corpora that has none yet: reports name the corpus, so what is imported has to
    /// have its name.
    pub fn empty() -> Self {
        Self { folder: TempDir::new().expect("the folder for temporary files is writable") }
    }

    pub fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().expect("temporary folders are UTF-8").to_owned()
    }

    /// Runs `secondhand corpus`; returns status, output and errors.
    pub fn run(&self, args: &[&str]) -> (i32, String, String) {
        self.run_with(args, &[])
    }

    pub fn run_with(&self, args: &[&str], variables: &[(&str, &str)]) -> (i32, String, String) {
        let mut command = secondhand(self.folder.path(), &["corpus"]);
        command
            .args(args)
            .args(["--corpus-dir", &self.path("corpora")])
            .envs(variables.iter().copied());
        let output = command.output().expect("the program starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (
            output.status.code().expect("no signal ended it"),
            text(&output.stdout),
            text(&output.stderr),
        )
    }

    /// Runs `secondhand corpus`, which succeeds; returns what it printed.
    #[track_caller]
    pub fn corpus(&self, args: &[&str]) -> String {
        let (status, output, errors) = self.run(args);
        assert_eq!((status, errors.as_str()), (0, ""), "{args:?}");
        output
    }
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().expect("it lies below the root"))
        .expect("the folder is writable");
    fs::write(path, text).expect("the folder is writable");
}

/// A repository with a commit for each change, none of which has the others: what a change copies,
/// only the corpus has.
pub struct Changes {
    repository: Repository,
    commits: Vec<String>,
    /// Status and report of each with the golden corpus in segments.
    expected: Vec<OnceLock<(i32, String)>>,
}

impl Changes {
    /// `n` changes, of which each sixth copies nothing.
    pub fn new(n: usize) -> Self {
        let repository = Repository::new();
        repository.write("own.c", function(1_000_000));
        let begin = repository.commit("begin");
        let mut commits = Vec::new();
        for change in 0..n {
            repository.git(&["checkout", "--quiet", "--detach", &begin]);
            let component = change * 37 % N_COMPONENTS;
            let whole = function((component * 100) as u64);
            let text = match change % 6 {
                0 => whole,
                1 => WORDS
                    .iter()
                    .fold(whole, |text, word| text.replace(word, &format!("our{}", word.len()))),
                2 => whole.lines().enumerate().fold(String::new(), |text, (n, line)| {
                    let more = if n % 6 == 5 { "    observe(line);\n" } else { "" };
                    format!("{text}{line}\n{more}")
                }),
                3 => file(component, 0),
                4 => function(90_000 + (change % 7) as u64),
                _ => function(2_000_000 + change as u64),
            };
            repository.write(
                format!("new/change{change}.c"),
                format!("{}{text}", function(3_000_000 + change as u64)),
            );
            repository.commit(&format!("change {change}"));
            commits.push(repository.git(&["rev-parse", "HEAD"]));
        }
        let expected = commits.iter().map(|_| OnceLock::new()).collect();
        Self { repository, commits, expected }
    }

    /// What `check` prints for one change with the corpus at `place`: its status, its report and
    /// its errors.
    pub fn check(
        &self,
        change: usize,
        golden: &Golden,
        place: &str,
        variables: &[(&str, &str)],
    ) -> (i32, String, String) {
        let commit = &self.commits[change];
        let base = format!("{commit}~1");
        let mut command = self.repository.secondhand(&["check", "--format", "json", "--no-cache"]);
        command.args([
            "--base",
            &base,
            "--head",
            commit,
            "--corpus",
            place,
            "--corpus-dir",
            &golden.path("corpora"),
        ]);
        let output = command.envs(variables.iter().copied()).output().expect("the program starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (
            output.status.code().expect("no signal ended it"),
            text(&output.stdout),
            text(&output.stderr),
        )
    }

    pub fn n(&self) -> usize {
        self.commits.len()
    }

    /// Checks that each change is judged as with the corpus in segments.
    #[track_caller]
    pub fn are_judged_alike(&self, golden: &Golden, place: &str, variables: &[(&str, &str)]) {
        self.are_judged_alike_in(golden, golden, place, variables);
    }

    /// Checks that the first change is judged as with the corpus in segments; returns the errors,
    /// which say what it took.
    #[track_caller]
    pub fn is_judged_alike(
        &self,
        golden: &Golden,
        place: &str,
        variables: &[(&str, &str)],
    ) -> String {
        self.judged(0, (golden, golden), place, variables).1
    }

    /// Checks one change with the corpus at `place`, in another folder of corpora; returns status
    /// and errors.
    #[track_caller]
    fn judged(
        &self,
        change: usize,
        (golden, other): (&Golden, &Golden),
        place: &str,
        variables: &[(&str, &str)],
    ) -> (i32, String) {
        let expected = self.expected[change].get_or_init(|| {
            let (expected, here, errors) = self.check(change, golden, "golden", &[]);
            assert!(expected < 2, "{errors}");
            (expected, here)
        });
        let (status, there, errors) = self.check(change, other, place, variables);
        assert_eq!((status, &there), (expected.0, &expected.1), "change {change}: {errors}");
        (status, errors)
    }

    /// The same as [`Changes::are_judged_alike`], with another folder of corpora.
    #[track_caller]
    pub fn are_judged_alike_in(
        &self,
        golden: &Golden,
        other: &Golden,
        place: &str,
        variables: &[(&str, &str)],
    ) {
        let n_found: i32 = (0..self.n())
            .map(|change| self.judged(change, (golden, other), place, variables).0)
            .sum();
        // Else the comparison would show nothing.
        assert!(
            n_found as usize * 2 >= self.n(),
            "{n_found} of {} changes have findings",
            self.n()
        );
    }
}

/// How many changes to compare: `.ci/scale` asks for a hundred.
pub fn n_changes() -> usize {
    std::env::var("SECONDHAND_TEST_CHANGES").ok().and_then(|n| n.parse().ok()).unwrap_or(12)
}
