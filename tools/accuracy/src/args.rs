//! Defines the command line of the benchmark.

use std::path::PathBuf;

use clap::Parser;

use crate::pull::{Kind, kind};

/// Measures how well copies are found: builds pull requests from real code, with and without copies, and checks them.
///
/// Nothing is measured but what is known to be true: the copies are put in by the benchmark, and equal seeds put in the same ones.
#[derive(Debug, Parser)]
#[command(name = "accuracy", bin_name = "cargo bench --bench accuracy --")]
pub struct Args {
    /// Folders with source code; each becomes a repository
    #[arg(value_name = "DIR")]
    pub folders: Vec<PathBuf>,
    /// What decides everything that is drawn
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Pull requests to build, all folders and kinds together
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u32).range(1..=9_999))]
    pub pulls: u32,
    /// Kinds of pull requests, parted by commas; a wrong name lists them [default: all]
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = kind)]
    pub kinds: Vec<&'static Kind>,
    /// Files of each repository at most
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u32).range(10..))]
    pub files: u32,
    /// The lengths of copies, in tokens
    #[arg(long, value_name = "FROM-TO", default_value = "20-200", value_parser = parse_lengths)]
    pub tokens: (usize, usize),
    /// The program to judge, instead of the one that cargo built
    #[arg(long, value_name = "PATH")]
    pub binary: Option<PathBuf>,
    /// Set an option of the program
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// Keep the repositories in this folder, and the list of all faults in its `faults.txt`
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// Print every fault: what was missed, what is no copy, wrong origins and ends
    #[arg(long)]
    pub explain: bool,
    /// Write the figures to this file, as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Cargo hands it to every benchmark
    #[arg(long, hide = true)]
    pub bench: bool,
}

fn parse_lengths(text: &str) -> Result<(usize, usize), String> {
    let expected = || "expected FROM-TO between 20 and 200, as in `50-200`".to_owned();
    let (from, to) = text.split_once('-').ok_or_else(expected)?;
    let (from, to): (usize, usize) = (from.parse().map_err(|_| expected())?, to.parse().map_err(|_| expected())?);
    if (20..=to).contains(&from) && to <= 200 { Ok((from, to)) } else { Err(expected()) }
}
