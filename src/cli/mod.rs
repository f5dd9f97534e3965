//! Runs the program: reads the command line, does what it says, and ends with a status.

mod args;
mod commands;
mod flags;
mod io;
mod reference;
mod servers;
mod settings;

use std::process::ExitCode;
use std::time::UNIX_EPOCH;

use clap::{CommandFactory, Parser};

use self::args::{Cli, Command, ConfigCommand};
use self::commands::{
    audit, baseline, cache, calibrate, check, compare, corpus, find, history, init, report,
    resemblance, scan, show, stale,
};
use self::flags::Color;
use self::io::{Failure, limit, output};
use self::servers::{hook, lsp, mcp, watch};
use crate::audit::Outcome;
use crate::git;
use crate::policy::{Date, Notice};
use crate::text::{agreed, and_more};

/// Nothing at or above `--fail-on` was found.
const CLEAN: u8 = 0;
/// There are findings.
const FOUND: u8 = 1;
/// The audit failed.
const FAILED: u8 = 2;

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    let flags = command();
    let cli = match (Cli::try_parse(), settings::check_variables(&flags)) {
        (Err(said), _) if !said.use_stderr() => return told(&said),
        (_, Err(failure)) => return ended(Err(failure)),
        (Err(said), _) => return told(&said),
        (Ok(cli), Ok(())) => cli,
    };
    match cli.common.color {
        Color::Auto => {}
        Color::Always => anstream::ColorChoice::Always.write_global(),
        Color::Never => anstream::ColorChoice::Never.write_global(),
    }
    settings::warn_of_variables(&flags);
    let is_server = match &cli.command {
        Command::Lsp | Command::Mcp => true,
        Command::Check(flags) => flags.watch,
        _ => false,
    };
    limit::start(&cli.common, is_server);
    // What was found before the end is reported first.
    ended(run(&cli).and_then(|status| limit::complete().map(|()| status)))
}

fn ended(run: Result<u8, Failure>) -> ExitCode {
    ExitCode::from(run.unwrap_or_else(|failure| {
        output::report_failure(&failure);
        FAILED
    }))
}

/// Prints what the command line asks for in place of a command, or what is wrong with it: in plain
/// text if what was given could steer.
fn told(said: &clap::Error) -> ExitCode {
    use std::io::Write as _;
    let plain = said.render().to_string();
    let shown = output::lines_of(&plain);
    let printed = match said.use_stderr() && shown != plain {
        true => std::io::stderr().write_all(shown.as_bytes()),
        false => said.print().and_then(|()| std::io::stdout().flush()),
    };
    ended(output::printed(printed).map(|()| said.exit_code() as u8))
}

/// The command line as defined: help, completions, manual and reference are generated from it.
pub fn command() -> clap::Command {
    Cli::command()
}

pub use reference::reference;

fn run(Cli { command, common }: &Cli) -> Result<u8, Failure> {
    io::check_folders(common)?;
    let n = common.threads;
    let started = rayon::ThreadPoolBuilder::new().num_threads(n).build_global();
    started.map_err(|why| Failure::plain(format!("cannot start {n} threads: {why}")))?;
    let done = match command {
        Command::Check(flags) if flags.watch => watch::run(flags, common),
        Command::Check(flags) => return check::run(flags, common),
        Command::Find(flags) => return find::run(flags, common),
        Command::Lsp => return lsp::run(common),
        Command::Mcp => mcp::run(common),
        Command::Scan(flags) => return scan::run(flags, common),
        Command::History(flags) => history::run(flags, common),
        Command::Audit(flags) => return audit::run(flags, common),
        Command::Stale(flags) => return stale::run(flags, common),
        Command::Corpus(command) => corpus::run(command, common),
        Command::Hook => return hook::run(common),
        Command::Init(flags) => init::run(flags, common),
        Command::Cache { action } => cache::run(action, common),
        Command::Baseline(action) => baseline::run(action, common),
        Command::Compare(flags) => return compare::run(flags, common),
        Command::Report(flags) => report::run(flags, common),
        Command::Resemblance(flags) => resemblance::run(flags, common),
        Command::Explain { subject } => show::explain(subject.as_deref(), common),
        Command::Languages { name, file, tokens } => {
            show::languages(name.as_deref(), file.as_deref(), tokens.as_deref(), common)
        }
        Command::Config { command: Some(ConfigCommand::Calibrate(flags)), .. } => {
            calibrate::run(flags, common)
        }
        Command::Config { list, schema, command: None } => show::config(*list, *schema, common),
        Command::Completions { shell } => show::completions(*shell),
        Command::Man { command, folder } => {
            show::manual(command.as_deref(), folder.as_deref(), common)
        }
    };
    // The others find nothing that could fail a run.
    done.map(|()| CLEAN)
}

fn passed_over(repository: &git::Repository) -> Option<String> {
    let commits = repository.passed_over();
    let (first, rest) = commits.split_first()?;
    let more = and_more(rest.len());
    let (are, it) = agreed(commits.len(), ("is", "it"), ("are", "them"));
    Some(format!(
        "not read: commit {first}{more}, which {are} malformed, and the changes made to {it}; `git fsck` says more"
    ))
}

fn not_fetched(repository: &git::Repository) -> Option<Notice> {
    let why = repository.not_fetched()?;
    let message = format!(
        "cannot fetch what this partial clone does not have: {why}; `--offline` does not try"
    );
    Some(Notice::new(None, None, &message))
}

fn warn_of_nothing(outcome: &Outcome) {
    if outcome.examined.n_judged == 0 {
        output::warn(&format!(
            "no file in {} was examined: there is no source code, or all of it is ignored",
            outcome.head.name
        ));
    }
}

/// Today, in UTC.
fn today() -> Date {
    Date::of_seconds(now())
}

/// The current time in seconds since 1970, or that of the variable.
fn now() -> i64 {
    let set = std::env::var(settings::NOW).ok().and_then(|seconds| seconds.parse().ok());
    set.unwrap_or_else(|| UNIX_EPOCH.elapsed().map_or(0, |since| since.as_secs() as i64))
}
