//! Measures whether `find` names the origin of a copy by its first tokens, on copies of real
//! commits that were judged.
//!
//! For each judged copy, `check` names the origins. The first tokens of the copy are asked for in
//! the tree before its commit, as a person would who is about to write it, and the first three
//! answers count. Or they are asked for in the tree of the commit, where the copy itself is no
//! answer, but what was copied beside it is.
//!
//! Two things make that unfair. Another place may have as much of the sketch as the origin, spelled
//! the same: it is as good an answer. And a copy may begin with lines of its own, so that the
//! origin has little of its first tokens: nobody could name it. Both are found out by comparing
//! texts, without the program.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use serde::Deserialize;

use crate::before::Before;
use crate::columns::aligned;
use crate::error::Error;
use crate::git::git;
use crate::language::of_path;
use crate::output::print;
use crate::place::Place;
use crate::program::Program;
use crate::replay::{Lines, Replayed, findings};
use crate::scan::{Class, Scan, Token};
use crate::threads::on_all_threads;
use crate::worth::{CommitCopies, Verdict, judged};

/// Flags of `accuracy sketches`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub replayed: Replayed,
    /// Tokens of a sketch
    #[arg(long, value_name = "N", default_value_t = 40)]
    pub tokens: usize,
    /// Only every Nth judged finding
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub every: usize,
    /// The tree to search: that before the commit of the copy, or that of the commit
    #[arg(long, value_enum, default_value_t)]
    pub tree: Tree,
}

/// The tree that sketches are asked for in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Tree {
    /// As it was before the copy was made.
    #[default]
    Before,
    /// With the copy, and with whatever else was copied in its commit.
    With,
}

/// Answers that count.
const N_FIRST: usize = 3;
/// Answers to ask for: the copy itself and its other copies in the commit may be among them.
const N_ASKED: usize = 10;

#[derive(Deserialize)]
struct Answers {
    results: Vec<Answer>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    path: String,
    start_line: usize,
    end_line: usize,
    matched_start_line: usize,
    matched_end_line: usize,
}

/// What became of a judged copy that was asked for; answers are numbered from 1.
#[derive(Debug, Clone, Copy)]
struct Fate {
    /// The first answer that is an origin.
    origin: Option<usize>,
    /// The first answer that is an origin, or has as much of the sketch as the best of them.
    as_good: Option<usize>,
    /// Whether an origin has at least half of the sketch, whatever its names are.
    is_fair: bool,
}

/// Asks for the first tokens of each judged copy, and prints how often its origin is named.
pub fn run(args: &Args) -> Result<(), Error> {
    let program = Program::new(&args.replayed.chosen)?;
    let is_true = |of: &CommitCopies| {
        !matches!(of.verdict, Verdict::NotCopy | Verdict::Range | Verdict::Origin)
    };
    let all = judged()?.into_iter().filter(|of| args.replayed.is_in_half(of.half) && is_true(of));
    let all: Vec<CommitCopies> = all.step_by(args.every.max(1)).collect();
    let fates = on_all_threads(all.len(), |number| fate(&program, args, &all[number]));
    let fates = fates.into_iter().collect::<Result<Vec<Option<Fate>>, Error>>()?;
    if args.replayed.explain {
        for (of, fate) in all.iter().zip(&fates).filter_map(|(of, fate)| Some((of, (*fate)?))) {
            if fate.origin.is_none_or(|at| at > N_FIRST) {
                let at = |at: Option<usize>| at.map_or("-".to_owned(), |at| at.to_string());
                let has_half = if fate.is_fair { "" } else { "\torigin has less than half" };
                let (origin, as_good) = (at(fate.origin), at(fate.as_good));
                let place = format!(
                    "{} {}\t{}:{}-{}",
                    of.project,
                    &of.commit[..10],
                    of.path,
                    of.start,
                    of.end
                );
                print(&format!("{place}\torigin {origin}, as good {as_good}{has_half}\n"))?;
            }
        }
    }
    let asked: Vec<Fate> = fates.into_iter().flatten().collect();
    let fair: Vec<Fate> = asked.iter().filter(|fate| fate.is_fair).copied().collect();
    let cell = |of: &[Fate], place: &dyn Fn(&Fate) -> Option<usize>, max: usize| {
        let part = of.iter().filter(|fate| place(fate).is_some_and(|at| at <= max)).count();
        format!("{part}, {:.1} %", 100.0 * part as f64 / of.len().max(1) as f64)
    };
    let (origin, as_good) = (|fate: &Fate| fate.origin, |fate: &Fate| fate.as_good);
    let row = |name: &str, max: usize| {
        let cells = [
            (&asked, &origin as &dyn Fn(&Fate) -> _),
            (&asked, &as_good),
            (&fair, &origin),
            (&fair, &as_good),
        ];
        std::iter::once(name.to_owned())
            .chain(cells.map(|(of, place)| cell(of, place, max)))
            .collect()
    };
    let tree = match args.tree {
        Tree::Before => "before their commits",
        Tree::With => "of their commits",
    };
    print(&format!(
        "{} copies, the first {} tokens of each asked for in the trees {tree}; of {} of them an origin has half.\n\n",
        asked.len(),
        args.tokens,
        fair.len(),
    ))?;
    print(&aligned(&[
        ["", "the origin", "or a place as good", "the origin that has half", "or a place as good"]
            .map(str::to_owned)
            .to_vec(),
        row("the first answer is", 1),
        row("among the first three is", N_FIRST),
        row("among the first nine is", N_ASKED - 1),
    ]))
}

/// What became of a copy; `None` if `check` names no origin of it in the tree that is asked, or it
/// is too short, or in a language that this tool cannot scan.
fn fate(program: &Program, args: &Args, of: &CommitCopies) -> Result<Option<Fate>, Error> {
    let repository = args.replayed.projects.join(&of.project);
    let copy = Place { path: of.path.clone(), first: of.start as usize, last: of.end as usize };
    let place = |path: &str, lines: &Lines| Place {
        path: path.to_owned(),
        first: lines.start_line as usize,
        last: lines.end_line as usize,
    };
    let found = findings(program, &repository, &of.commit)?.into_iter().find(|finding| {
        let today = place(&finding.path, &finding.fragment);
        2 * copy.overlap(&today) >= copy.n_lines().min(today.n_lines())
    });
    let Some(finding) = found else { return Ok(None) };
    let in_tree = finding.origins.iter().filter(|origin| origin.place == "tree");
    let origins: Vec<Place> = in_tree.map(|origin| place(&origin.path, &origin.fragment)).collect();
    let copy = place(&finding.path, &finding.fragment);
    let Some(sketch) = sketch(&repository, &of.commit, &copy, args.tokens)? else {
        return Ok(None);
    };
    let (tree, origins) = match args.tree {
        Tree::With => (of.commit.clone(), origins),
        Tree::Before => {
            let before = Before::read(&repository, &of.commit)?;
            (
                format!("{}^", of.commit),
                origins.iter().filter_map(|origin| before.place(origin)).collect(),
            )
        }
    };
    if origins.is_empty() {
        return Ok(None);
    }
    let is_copy = |place: &Place| args.tree == Tree::With && place.overlap(&copy) > 0;

    let mut find = program.command("find", &repository);
    find.args(["-", "--rev", &tree, "--name", &of.path, "--limit", &N_ASKED.to_string()]);
    find.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let failed = |why: String| Error::Audit { command: "find".to_owned(), why };
    let mut child = find.spawn().map_err(|why| failed(why.to_string()))?;
    if let Some(mut input) = child.stdin.take() {
        // A program that has seen enough closes its end.
        drop(input.write_all(sketch.as_bytes()));
    }
    let output = child.wait_with_output().map_err(|why| failed(why.to_string()))?;
    if output.status.code() == Some(2) {
        return Ok(None);
    }
    let answers: Answers =
        serde_json::from_slice(&output.stdout).map_err(|why| failed(why.to_string()))?;
    let mut texts = Texts { repository: &repository, commit: &tree, scans: HashMap::new() };
    let Some(sketch) = Scanned::new(sketch, &of.path) else { return Ok(None) };
    let (mut held, mut is_fair) = (0, false);
    for origin in &origins {
        let (exact, alike) = sketch.held_by(&mut texts, origin)?;
        held = held.max(exact);
        is_fair |= 2 * alike >= args.tokens;
    }
    let (mut number, mut found) = (0, Fate { origin: None, as_good: None, is_fair });
    for answer in &answers.results {
        let place = |first, last| Place { path: answer.path.clone(), first, last };
        let whole = place(answer.start_line, answer.end_line);
        let is_origin = origins.iter().any(|origin| whole.overlap(origin) > 0);
        if !is_origin && is_copy(&whole) {
            continue;
        }
        number += 1;
        let matched = place(answer.matched_start_line, answer.matched_end_line);
        if is_origin {
            found.origin = found.origin.or(Some(number));
        }
        if found.as_good.is_none() && (is_origin || sketch.held_by(&mut texts, &matched)?.0 >= held)
        {
            found.as_good = Some(number);
        }
    }
    Ok(Some(found))
}

/// The files of a commit, read once.
struct Texts<'t> {
    repository: &'t Path,
    commit: &'t str,
    scans: HashMap<String, Option<Scan>>,
}

impl Texts<'_> {
    /// A file; `None` if it is not in a language that this tool can scan.
    fn scan(&mut self, path: &str) -> Result<Option<&Scan>, Error> {
        if !self.scans.contains_key(path) {
            let language = of_path(path);
            let text = language.map(|_| text(self.repository, self.commit, path)).transpose()?;
            let scan = language.zip(text).map(|(language, text)| Scan::new(text, language));
            self.scans.insert(path.to_owned(), scan);
        }
        Ok(self.scans.get(path).and_then(Option::as_ref))
    }
}

/// A sketch and its tokens.
struct Scanned(Scan);

impl Scanned {
    fn new(sketch: String, path: &str) -> Option<Self> {
        Some(Self(Scan::new(sketch, of_path(path)?)))
    }

    /// How many tokens of the sketch the lines of `place` have in the same order: spelled the same,
    /// and whatever their names are. Longest common subsequences, in time O(n m).
    fn held_by(&self, texts: &mut Texts<'_>, place: &Place) -> Result<(usize, usize), Error> {
        let Some(scan) = texts.scan(&place.path)? else { return Ok((0, 0)) };
        let within: Vec<&Token> = scan
            .tokens
            .iter()
            .filter(|token| (place.first - 1..place.last).contains(&token.line))
            .collect();
        let of = |token: &Token| self.0.text[token.bytes.clone()].to_owned();
        let own: Vec<(Class, String)> =
            self.0.tokens.iter().map(|token| (token.class, of(token))).collect();
        let other: Vec<(Class, &str)> =
            within.iter().map(|token| (token.class, &scan.text[token.bytes.clone()])).collect();
        let exact = longest_common(&own, &other, |a, b| a.1 == b.1);
        let alike = longest_common(&own, &other, |a, b| {
            a.1 == b.1 || a.0 == Class::Name && b.0 == Class::Name
        });
        Ok((exact, alike))
    }
}

/// The length of the longest common subsequence of two sequences.
fn longest_common<A, B>(one: &[A], other: &[B], is_equal: impl Fn(&A, &B) -> bool) -> usize {
    let mut before = vec![0; other.len() + 1];
    for a in one {
        let mut row = vec![0; other.len() + 1];
        for (at, b) in other.iter().enumerate() {
            row[at + 1] = if is_equal(a, b) { before[at] + 1 } else { row[at].max(before[at + 1]) };
        }
        before = row;
    }
    before[other.len()]
}

/// The text of a file of a commit.
fn text(repository: &Path, commit: &str, path: &str) -> Result<String, Error> {
    let output = git(repository).args(["show", &format!("{commit}:{path}")]).output();
    let output = output
        .map_err(|why| Error::Audit { command: "git show".to_owned(), why: why.to_string() })?;
    Ok(String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n"))
}

/// The first `n` tokens of a copy, as written; `None` if it has fewer, or its language is not one
/// of ours.
fn sketch(
    repository: &Path,
    commit: &str,
    copy: &Place,
    n: usize,
) -> Result<Option<String>, Error> {
    let Some(language) = of_path(&copy.path) else { return Ok(None) };
    let text = text(repository, commit, &copy.path)?;
    let scan = Scan::new(text, language);
    let of_copy =
        scan.tokens.iter().filter(|token| (copy.first - 1..copy.last).contains(&token.line));
    let tokens: Vec<_> = of_copy.take(n).collect();
    let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { return Ok(None) };
    Ok((tokens.len() == n).then(|| scan.text[first.bytes.start..last.bytes.end].to_owned()))
}
