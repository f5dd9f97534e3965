//! Measures whether `find` names the origin of a copy by its first tokens, on copies of real commits that were judged.
//!
//! For each judged copy, `check` names the origins. The first tokens of the copy are asked for in the tree of its
//! commit, and of the answers that are not the copy itself, the first three count.

use std::io::Write;
use std::process::Stdio;

use serde::Deserialize;

use crate::columns::aligned;
use crate::error::Error;
use crate::git::git;
use crate::language::of_path;
use crate::output::print;
use crate::place::Place;
use crate::program::Program;
use crate::replay::{Lines, Replayed, findings};
use crate::scan::Scan;
use crate::threads::on_all_threads;
use crate::worth::{Judged, Verdict, judged};

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
}

/// What became of a judged copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// `check` names no origin of it in the tree today, or it is too short, or in a language that this tool cannot
    /// scan.
    NotAsked,
    /// The origin is the answer with this number, from 1.
    Named(usize),
    NotNamed,
}

/// Asks for the first tokens of each judged copy, and prints how often its origin is named.
pub fn run(args: &Args) -> Result<(), Error> {
    let program = Program::new(&args.replayed.chosen)?;
    let is_true = |of: &Judged| !matches!(of.verdict, Verdict::NotCopy | Verdict::Range | Verdict::Origin);
    let all = judged()?.into_iter().filter(|of| args.replayed.is_in_half(of.half) && is_true(of));
    let all: Vec<Judged> = all.step_by(args.every.max(1)).collect();
    let fates = on_all_threads(all.len(), |number| fate(&program, args, &all[number]));
    let fates = fates.into_iter().collect::<Result<Vec<Fate>, Error>>()?;
    if args.replayed.explain {
        for (of, _) in all.iter().zip(&fates).filter(|(_, fate)| **fate == Fate::NotNamed) {
            print(&format!("{} {}\t{}:{}-{}\n", of.project, &of.commit[..10], of.path, of.start, of.end))?;
        }
    }
    let n = |is: &dyn Fn(Fate) -> bool| fates.iter().filter(|fate| is(**fate)).count();
    let n_asked = n(&|fate| fate != Fate::NotAsked);
    let percent = |part: usize| format!("{:.1} %", 100.0 * part as f64 / n_asked.max(1) as f64);
    let row = |name: &str, part: usize| vec![name.to_owned(), part.to_string(), percent(part)];
    let first = |max: usize| n(&|fate| matches!(fate, Fate::Named(at) if at <= max));
    print(&aligned(&[
        row("asked", n_asked),
        row("origin first", first(1)),
        row("among the first three", first(N_FIRST)),
        row("among the first nine", first(N_ASKED - 1)),
    ]))
}

fn fate(program: &Program, args: &Args, of: &Judged) -> Result<Fate, Error> {
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
    let Some(finding) = found else { return Ok(Fate::NotAsked) };
    let in_tree = finding.origins.iter().filter(|origin| origin.place == "tree");
    let origins: Vec<Place> = in_tree.map(|origin| place(&origin.path, &origin.fragment)).collect();
    let copy = place(&finding.path, &finding.fragment);
    let Some(sketch) = sketch(&repository, &of.commit, &copy, args.tokens)? else { return Ok(Fate::NotAsked) };
    if origins.is_empty() {
        return Ok(Fate::NotAsked);
    }

    let mut find = program.command("find", &repository);
    find.args(["-", "--rev", &of.commit, "--name", &of.path, "--limit", &N_ASKED.to_string()]);
    find.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let failed = |why: String| Error::Audit { command: "find".to_owned(), why };
    let mut child = find.spawn().map_err(|why| failed(why.to_string()))?;
    if let Some(mut input) = child.stdin.take() {
        // A program that has seen enough closes its end.
        drop(input.write_all(sketch.as_bytes()));
    }
    let output = child.wait_with_output().map_err(|why| failed(why.to_string()))?;
    if output.status.code() == Some(2) {
        return Ok(Fate::NotAsked);
    }
    let answers: Answers = serde_json::from_slice(&output.stdout).map_err(|why| failed(why.to_string()))?;
    let others = answers.results.iter().map(|answer| Place {
        path: answer.path.clone(),
        first: answer.start_line,
        last: answer.end_line,
    });
    let at = others
        .filter(|answer| answer.overlap(&copy) == 0 || origins.iter().any(|origin| answer.overlap(origin) > 0))
        .position(|answer| origins.iter().any(|origin| answer.overlap(origin) > 0));
    Ok(at.map_or(Fate::NotNamed, |at| Fate::Named(at + 1)))
}

/// The first `n` tokens of a copy, as written; `None` if it has fewer, or its language is not one of ours.
fn sketch(repository: &std::path::Path, commit: &str, copy: &Place, n: usize) -> Result<Option<String>, Error> {
    let Some(language) = of_path(&copy.path) else { return Ok(None) };
    let output = git(repository).args(["show", &format!("{commit}:{}", copy.path)]).output();
    let output = output.map_err(|why| Error::Audit { command: "git show".to_owned(), why: why.to_string() })?;
    let text = String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n");
    let scan = Scan::new(text, language);
    let of_copy = scan.tokens.iter().filter(|token| (copy.first - 1..copy.last).contains(&token.line));
    let tokens: Vec<_> = of_copy.take(n).collect();
    let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { return Ok(None) };
    Ok((tokens.len() == n).then(|| scan.text[first.bytes.start..last.bytes.end].to_owned()))
}
