//! Measures how many fixes that missed a sibling `check` tells of, on real commits that later ones
//! completed.
//!
//! `data/siblings.csv` names a commit that mended one place, a place that was alike and stayed as
//! it was, and the later commit that made the same edit there. Each pair was read; there is no code
//! in it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::error::Error;
use crate::git;
use crate::output::print;
use crate::program::Program;
use crate::replay::{Finding, Half, Lines, Ordinary, Origin, Replayed, findings};
use crate::threads::on_all_threads;
use support::Random;

/// Flags of `accuracy siblings`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    pub replayed: Replayed,
    #[command(flatten)]
    pub ordinary: Ordinary,
}

/// A fix, and the sibling that it missed.
#[derive(Debug, Deserialize)]
struct Pair {
    half: Half,
    project: String,
    /// The commit that mended one place.
    fixed: String,
    path: String,
    /// The later commit that mended the other.
    mended: String,
    /// The file of the other place.
    sibling: String,
    /// Its line after `fixed`.
    line: u32,
    /// Tokens in a row that both places have, up to names, across the edit.
    run: u32,
}

/// Lines between the place of a note and the edit that mended it.
const NEAR: u32 = 6;
/// Tokens in a row that are within reach of the rule.
const REACH: u32 = 16;

/// Replays the pairs, and prints how many are found.
pub fn run(args: &Args) -> Result<(), Error> {
    let Args { replayed, ordinary } = args;
    let program = Program::new(&replayed.chosen)?;
    let mut rows = csv::Reader::from_reader(include_bytes!("../data/siblings.csv").as_slice());
    let pairs: Vec<Pair> = rows
        .deserialize()
        .collect::<Result<_, csv::Error>>()
        .map_err(|why| Error::Judged { why: why.to_string() })?;
    let pairs: Vec<&Pair> = pairs.iter().filter(|of| replayed.is_in_half(of.half)).collect();
    let found = on_all_threads(pairs.len(), |number| {
        let pair = pairs[number];
        let notes = notes(&program, &replayed.projects.join(&pair.project), &pair.fixed)?;
        Ok(notes.iter().flat_map(|note| &note.origins).any(|origin| names(origin, pair)))
    });
    let found: Vec<bool> = found.into_iter().collect::<Result<_, Error>>()?;
    if replayed.explain {
        let line = |(pair, found): (&&Pair, &bool)| {
            let Pair { project, fixed, path, mended, sibling, .. } = pair;
            let (fixed, mended) = (&fixed[..10], &mended[..10]);
            format!(
                "{}\t{project} {fixed} {path}\t{mended} {sibling}\n",
                if *found { "found" } else { "lost" }
            )
        };
        print(&pairs.iter().zip(&found).map(line).collect::<String>())?;
    }
    let (n_found, n_within) = (
        pairs.iter().zip(&found).filter(|(pair, found)| pair.run >= REACH && **found).count(),
        pairs.iter().filter(|pair| pair.run >= REACH).count(),
    );
    print(&format!(
        "{n_found} of {n_within} siblings with a run of {REACH} tokens are found ({} %); {} pairs in all\n",
        100 * n_found / n_within.max(1),
        pairs.len()
    ))?;
    if ordinary.commits > 0 {
        let projects: BTreeSet<&str> = pairs.iter().map(|of| of.project.as_str()).collect();
        print(&rate(&program, args, &projects.into_iter().collect::<Vec<_>>())?)?;
    }
    Ok(())
}

fn names(origin: &Origin, pair: &Pair) -> bool {
    let Lines { start_line, end_line } = origin.fragment;
    origin.path == pair.sibling && start_line <= pair.line + NEAR && pair.line <= end_line + NEAR
}

/// The notes on a commit about siblings that it missed.
fn notes(program: &Program, repository: &Path, commit: &str) -> Result<Vec<Finding>, Error> {
    let all = findings(program, repository, commit)?.into_iter();
    Ok(all.filter(|finding| finding.rule == "missed-sibling").collect())
}

/// How many notes ordinary commits have.
fn rate(program: &Program, args: &Args, projects: &[&str]) -> Result<String, Error> {
    let Args { replayed, ordinary } = args;
    let mut drawn: Vec<(PathBuf, String)> = Vec::new();
    for (number, project) in projects.iter().enumerate() {
        let repository = replayed.projects.join(project);
        let mut commits = git::commits(&repository)?;
        Random::new(ordinary.seed, number as u64).shuffle(&mut commits);
        drawn.extend(
            commits.into_iter().take(ordinary.commits).map(|commit| (repository.clone(), commit)),
        );
    }
    let of_commits =
        on_all_threads(drawn.len(), |number| notes(program, &drawn[number].0, &drawn[number].1));
    let (mut n, mut n_noted, mut n_notes) = (0, 0, 0);
    for (notes, (repository, commit)) in of_commits.into_iter().zip(&drawn) {
        let notes = notes?;
        n += 1;
        n_noted += usize::from(!notes.is_empty());
        n_notes += notes.len();
        if replayed.explain {
            for note in notes {
                print(&format!(
                    "{} {}\t{}\t{}\n",
                    repository.display(),
                    &commit[..10],
                    note.path,
                    note.message
                ))?;
            }
        }
    }
    let per_100 = 100.0 * n_notes as f64 / f64::from(n.max(1));
    Ok(format!("{n} ordinary commits: {n_noted} have a note; {per_100:.1} notes per 100 commits\n"))
}
