//! Measures how accurate `secondhand check` is, on pull requests whose truth is known.
//!
//! ```text
//! folder -> tree -> pull request -> repository -> verdict -> figures
//! ```
//!
//! A module uses those above it. Equal folders and seeds give equal pull requests and,
//! as long as the program is the same, equal figures.
//!
//! ```text
//! cargo bench --bench accuracy -- [--seed N] [--pulls N] [--kinds KIND,...] [--explain] DIR...
//! ```

/// Says why the benchmark could not be run.
mod error;

/// Draws numbers from a seed.
mod random;

/// Tells, of each language, how code is cut out of it.
mod language;

/// Scans source into tokens.
mod scan;

/// Finds functions and blocks.
mod fragment;

/// Measures how much of a text a tree holds already.
mod likeness;

/// Samples a folder.
mod tree;

/// Drafts a change to a tree.
mod draft;

/// Rewrites code as people do who copy it.
mod edit;

/// Builds one pull request.
mod builder;

/// Builds the pull requests that copy something.
mod copies;

/// Builds those that do not.
mod harmless;

/// Lists the kinds of pull requests.
mod pull;

/// Writes pull requests into git repositories.
mod repository;

/// Holds findings against the truth.
mod judge;

/// Adds verdicts up to figures.
mod tally;

/// Writes the figures.
mod table;

/// Defines the command line.
mod args;

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use clap::Parser;

use args::Args;
use error::Error;
use judge::{Program, Verdict};
use pull::{KINDS, Plan, Pull};
use tally::Tally;
use tree::Tree;

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tell(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<(), Error> {
    if args.folders.is_empty() {
        // `cargo bench` and `cargo test --benches` run all there are, without arguments.
        tell("nothing to measure: name folders with source code, as in `cargo bench --bench accuracy -- DIR`");
        return Ok(());
    }
    let sample = |folder: &PathBuf| Tree::sample(folder, args.files as usize, args.seed);
    let mut trees = args.folders.iter().map(sample).collect::<Result<Vec<_>, _>>()?;
    name_apart(&mut trees);
    let pulls = build(args, &trees)?;
    let scratch = tempfile::tempdir().map_err(Error::writing(&std::env::temp_dir()))?;
    let folder = args.keep.as_deref().unwrap_or(scratch.path());
    let repositories = write(folder, &trees, &pulls)?;
    let binary = args.binary.clone().unwrap_or_else(|| env!("CARGO_BIN_EXE_secondhand").into());
    let program = Program { binary, settings: args.settings.clone() };
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
    trees.iter().enumerate().map(|(number, tree)| repository::write(folder, tree, of_tree(number))).collect()
}

fn judge_all(program: &Program, pulls: &[Pull], repositories: &[PathBuf]) -> Result<Vec<Verdict>, Error> {
    let judge = |at: usize| program.judge(&repositories[pulls[at].tree], &pulls[at]);
    on_all_threads(pulls.len(), judge).into_iter().collect()
}

/// Two, so that the machine stays usable for others.
const N_THREADS: usize = 2;

/// Does the work for each number below `n`; the results stand in the order of the numbers.
fn on_all_threads<T: Send>(n: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(n));
    let run = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= n {
                return;
            }
            let result = work(number);
            done.lock().expect("no thread panics while it holds the lock").push((number, result));
        }
    };
    thread::scope(|scope| (0..N_THREADS).for_each(|_| drop(scope.spawn(run))));
    let mut done = done.into_inner().expect("no thread panics while it holds the lock");
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
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

/// Writes to standard output; a reader that has seen enough is no error.
fn print(text: &str) -> Result<(), Error> {
    match io::stdout().write_all(text.as_bytes()) {
        Err(why) if why.kind() != ErrorKind::BrokenPipe => Err(Error::Output(why)),
        _ => Ok(()),
    }
}

/// Writes a line to standard error, if anyone listens.
fn tell(line: &str) {
    drop(writeln!(io::stderr(), "{line}"));
}
