//! Measures how accurate `secondhand check` is, on pull requests whose truth is known.
//!
//! ```text
//! folder -> tree -> pull request -> repository -> verdict -> figures
//! ```
//!
//! Equal folders and seeds give equal pull requests and, as long as the program under test is the
//! same, equal figures.

// Drafts a change to a tree.
mod draft;

// Builds one pull request.
mod builder;

// Builds the pull requests that copy something.
mod copies;

// Builds those that do not.
mod harmless;

// Lists the kinds of pull requests.
mod kinds;

// Writes pull requests into git repositories.
mod write;

// Holds findings against the truth.
mod judge;

// Adds verdicts up to figures.
mod tally;

// Writes the figures.
mod table;

// Defines the flags.
mod args;

use std::fs;
use std::path::{Path, PathBuf};

pub use args::Args;

use crate::error::Error;
use crate::output::{print, tell};
use crate::program::Program;
use crate::threads::on_all_threads;
use crate::tree::Tree;
use judge::{Verdict, judge};
use kinds::{KINDS, Plan, Pull};
use tally::Tally;

/// Builds the pull requests, has them checked, and prints the figures.
pub fn run(args: &Args) -> Result<(), Error> {
    let program = Program::new(&args.chosen)?;
    let sample = |folder: &PathBuf| Tree::sample(folder, args.files as usize, args.seed);
    let mut trees = args.folders.iter().map(sample).collect::<Result<Vec<_>, _>>()?;
    name_apart(&mut trees);
    let pulls = build(args, &trees)?;
    let scratch = tempfile::tempdir().map_err(Error::writing(&std::env::temp_dir()))?;
    let folder = args.keep.as_deref().unwrap_or(scratch.path());
    let repositories = write(folder, &trees, &pulls)?;
    let verdicts = judge_all(&program, &pulls, &repositories)?;
    report(args, &trees, &pulls, &verdicts)
}

/// Numbers the trees that have the name of one before them.
fn name_apart(trees: &mut [Tree]) {
    for at in 1..trees.len() {
        let (before, tree) = trees.split_at_mut(at);
        if before.iter().any(|other| other.name == tree[0].name) {
            tree[0].name = format!("{}-{}", tree[0].name, at + 1);
        }
    }
}

/// Builds the pull requests that can be built, and tells of the others.
fn build(args: &Args, trees: &[Tree]) -> Result<Vec<Pull>, Error> {
    let kinds = if args.kinds.is_empty() { KINDS.iter().collect() } else { args.kinds.clone() };
    let plan = Plan { trees, kinds, seed: args.seed, sizes: args.tokens.0..=args.tokens.1 };
    let n_pulls = args.pulls as usize;
    let built = on_all_threads(n_pulls, |number| plan.build(number));
    for (number, _) in built.iter().enumerate().filter(|(_, pull)| pull.is_none()) {
        let kind = plan.kinds[number % plan.kinds.len()].name;
        tell(&format!("left out: pull request {number}, {kind}: no folder has what it needs"));
    }
    let pulls: Vec<Pull> = built.into_iter().flatten().collect();
    if pulls.is_empty() { Err(Error::NoPulls) } else { Ok(pulls) }
}

fn write(folder: &Path, trees: &[Tree], pulls: &[Pull]) -> Result<Vec<PathBuf>, Error> {
    let of_tree = |tree: usize| pulls.iter().filter(move |pull| pull.tree == tree);
    trees
        .iter()
        .enumerate()
        .map(|(number, tree)| write::write(folder, tree, of_tree(number)))
        .collect()
}

fn judge_all(
    program: &Program,
    pulls: &[Pull],
    repositories: &[PathBuf],
) -> Result<Vec<Verdict>, Error> {
    let judge = |at: usize| judge(program, &repositories[pulls[at].tree], &pulls[at]);
    on_all_threads(pulls.len(), judge).into_iter().collect()
}

/// Prints the table, and writes what else was asked for.
fn report(args: &Args, trees: &[Tree], pulls: &[Pull], verdicts: &[Verdict]) -> Result<(), Error> {
    let kinds: Vec<_> = KINDS.iter().collect();
    let mut tally = Tally::new(&kinds, trees.len());
    let mut faults = String::new();
    for (pull, verdict) in pulls.iter().zip(verdicts) {
        tally.count(pull, verdict);
        faults += &table::faults(pull, verdict, &trees[pull.tree]);
    }
    if args.explain {
        print(&format!("{faults}\n"))?;
    }
    print(&format!("{}\n{}\n", table::table(&tally, trees), table::LEGEND))?;
    if let Some(folder) = &args.keep {
        let file = folder.join("faults.txt");
        fs::write(&file, faults).map_err(Error::writing(&file))?;
    }
    if let Some(file) = &args.json {
        let figures = format!("{:#}\n", table::json(&tally, trees, args.seed));
        fs::write(file, figures).map_err(Error::writing(file))?;
    }
    Ok(())
}
