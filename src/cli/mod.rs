//! Runs the program: reads the command line, does what it says, and ends with a status.

mod args;
mod audit;
mod baseline;
mod cache;
mod check;
mod compare;
mod corpus;
mod edits;
mod environment;
mod error;
mod find;
mod flags;
mod history;
mod init;
mod output;
mod progress;
mod reference;
mod scan;
mod settings;
mod show;
mod stale;
mod suppressing;
mod survey;
mod uncommitted;
mod versions;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use self::args::{Cli, Command};
use self::error::Failure;
use self::flags::Color;

/// Nothing at or above `--fail-on` was found.
const CLEAN: u8 = 0;
/// There are findings.
const FOUND: u8 = 1;
/// The audit failed.
const FAILED: u8 = 2;

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    match cli.common.color {
        Color::Auto => {}
        Color::Always => anstream::ColorChoice::Always.write_global(),
        Color::Never => anstream::ColorChoice::Never.write_global(),
    }
    settings::warn_of_variables(&command());
    match run(&cli) {
        Ok(status) => ExitCode::from(status),
        Err(failure) => {
            output::report_failure(&failure);
            ExitCode::from(FAILED)
        }
    }
}

/// The command line as defined: help, completions, manual and reference are generated from it.
pub fn command() -> clap::Command {
    Cli::command()
}

pub use reference::reference;

fn run(cli: &Cli) -> Result<u8, Failure> {
    match &cli.command {
        Command::Check(flags) => check::run(flags, &cli.common),
        Command::Find(flags) => find::run(flags, &cli.common),
        Command::Scan(flags) => scan::run(flags, &cli.common),
        Command::History(flags) => history::run(flags, &cli.common),
        Command::Audit(flags) => audit::run(flags, &cli.common),
        Command::Stale(flags) => stale::run(flags, &cli.common),
        Command::Corpus(command) => corpus::run(command, &cli.common),
        Command::Init(flags) => init::run(flags, &cli.common),
        Command::Cache { action } => cache::run(action, &cli.common),
        Command::Baseline(action) => baseline::run(action, &cli.common),
        Command::Compare(flags) => compare::run(flags, &cli.common),
        Command::Explain { rule } => show::explain(rule.as_deref()),
        Command::Languages { file, tokens } => show::languages(file.as_deref(), tokens.as_deref(), &cli.common),
        Command::Config { list, schema } => show::config(*list, *schema, &cli.common),
        Command::Completions { shell } => show::completions(*shell),
        Command::Man { command, folder } => show::manual(command.as_deref(), folder.as_deref()),
    }
}

/// Sets the number of threads to `n`, or one per core for 0.
fn start_threads(n: usize) -> Result<(), Failure> {
    let built = rayon::ThreadPoolBuilder::new().num_threads(n).build_global();
    built.map_err(|error| Failure::Threads { n, why: error.to_string() })
}
