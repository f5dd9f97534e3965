//! Measures secondhand: how accurate it is, and how its time grows with its input.
//!
//! Each command has a folder. A module uses those above it. Equal folders and seeds make equal
//! inputs.

// Says why something could not be measured.
mod error;

// Prints.
mod output;

// Writes tables.
mod columns;

// Spreads work over threads.
mod threads;

// Names stretches of files.
mod place;

// Writes git repositories.
mod git;

// Finds the program under test, and runs it.
mod program;

// Finds lines of a commit in its first parent.
mod before;

// Replays commits of cloned projects.
mod replay;

// Tells, of each language, how code is cut out of it.
mod language;

// Scans source into tokens.
mod scan;

// Finds functions and blocks.
mod fragment;

// Measures how much of a text a tree holds already.
mod likeness;

// Samples a folder.
mod tree;

// Rewrites code as people do who copy it.
mod edit;

// `accuracy pulls`: how well `check` finds copies in pull requests made from real code.
mod pulls;

// `accuracy growth`: how the time of a run grows with its input.
mod growth;

// `accuracy families`: how well `scan` finds families of clones.
mod families;

// `accuracy worth`: how many warnings are worth a reviewer's time, on judged findings of real
// commits.
mod worth;

// `accuracy sketches`: how often `find` names the origin of a copy by its first tokens.
mod sketches;
// `accuracy siblings`: how many fixes that missed a sibling are told, on real commits that later
// ones completed.
mod siblings;

// `accuracy merged`: how many copies are told that maintainers merged later.
mod merged;

// `accuracy instructions`: how many instructions seven small jobs take, and how many they took
// before.
mod instructions;

// `accuracy identify`: how many files are read as the language that they are in.
mod identify;

// `accuracy licenses`: how many license texts are read as what they are labelled.
mod licenses;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Measures secondhand: how accurate it is, and how its time grows with its input.
#[derive(Debug, Parser)]
#[command(name = "accuracy", bin_name = "cargo run --release -p accuracy --", max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// How well `check` finds copies: builds pull requests from real code, with and without copies,
    /// and checks them.
    ///
    /// The copies are put in by this program, so their truth is known; equal seeds put in the same
    /// ones.
    Pulls(pulls::Args),
    /// How time grows with the input: makes changes of a shape at sizes that double, and times the
    /// commands over them.
    ///
    /// Prints user CPU seconds and what each doubling multiplies them by; more than 2.2 is marked.
    Growth(growth::Args),
    /// How many instructions seven small jobs take, under valgrind, beside those on record; fails at
    /// 3 % more.
    Instructions(instructions::Args),
    /// How many files are read as the language that they are in: files in folders that are named
    /// after languages.
    Identify(identify::Args),
    /// How many license texts and headers are read as what they are labelled, by those who label
    /// them.
    Licenses(licenses::Args),
    /// How well `scan` finds clone families: makes families of 2 to 500 methods out of real Java
    /// code, and scans the tree.
    ///
    /// The members are identical, renamed one to one, or lightly edited, each in another file.
    Families(families::Args),
    /// How many warnings are worth a reviewer's time: replays findings of real commits that were
    /// read and judged.
    ///
    /// The judged findings are in `data/judged.csv`; the projects have to be cloned.
    Worth(worth::Args),
    /// How often `find` names the origin of a judged copy by its first tokens.
    ///
    /// The same findings and projects as for `worth`.
    Sketches(sketches::Args),
    /// How many fixes that missed a sibling are told: replays real fixes that later commits made at
    /// a second place.
    ///
    /// The pairs are in `data/siblings.csv`; the projects have to be cloned.
    Siblings(siblings::Args),
    /// How many copies that maintainers merged later are told: replays the commits that brought
    /// them in.
    ///
    /// The copies are in `data/merged.csv`; the projects have to be cloned. The sealed third runs
    /// only with `--half sealed`.
    Merged(merged::Args),
}

fn main() -> ExitCode {
    let done = match &Cli::parse().command {
        Command::Pulls(args) => pulls::run(args),
        Command::Growth(args) => growth::run(args),
        Command::Instructions(args) => instructions::run(args),
        Command::Identify(args) => identify::run(args),
        Command::Licenses(args) => licenses::run(args),
        Command::Families(args) => families::run(args),
        Command::Worth(args) => worth::run(args),
        Command::Sketches(args) => sketches::run(args),
        Command::Siblings(args) => siblings::run(args),
        Command::Merged(args) => merged::run(args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::tell(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}
