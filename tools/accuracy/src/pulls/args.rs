//! Defines the flags of `accuracy pulls`.

use std::path::PathBuf;

use super::kinds::{Kind, kind};
use crate::program::Chosen;

/// Flags of `accuracy pulls`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folders with source code; each becomes a repository
    #[arg(value_name = "DIR", required = true)]
    pub folders: Vec<PathBuf>,
    /// What decides everything that is drawn
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// Pull requests to build, all folders and kinds together
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u32).range(1..=9_999))]
    pub pulls: u32,
    /// Kinds of pull requests, separated by commas; a wrong name lists them [default: all]
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = kind)]
    pub kinds: Vec<&'static Kind>,
    /// Maximum files of each repository
    #[arg(long, value_name = "N", default_value_t = 300, value_parser = clap::value_parser!(u32).range(10..))]
    pub files: u32,
    /// The lengths of copies, in tokens
    #[arg(long, value_name = "FROM-TO", default_value = "20-200", value_parser = parse_lengths)]
    pub tokens: (usize, usize),
    #[command(flatten)]
    pub chosen: Chosen,
    /// Keep the repositories in this folder, and the list of all faults in its `faults.txt`
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// Print every fault: what was missed, what is no copy, wrong origins and ends
    #[arg(long)]
    pub explain: bool,
    /// Write the figures to this file, as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

fn parse_lengths(text: &str) -> Result<(usize, usize), String> {
    let expected = || "expected FROM-TO between 20 and 200, as in `50-200`".to_owned();
    let (from, to) = text.split_once('-').ok_or_else(expected)?;
    let (from, to): (usize, usize) =
        (from.parse().map_err(|_| expected())?, to.parse().map_err(|_| expected())?);
    if (20..=to).contains(&from) && to <= 200 { Ok((from, to)) } else { Err(expected()) }
}
