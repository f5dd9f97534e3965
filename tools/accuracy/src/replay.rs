//! Replays commits of cloned projects: runs `check` on each, and reads its findings.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::error::Error;
use crate::program::{Chosen, Program};

/// The flags that name what is replayed.
#[derive(Debug, clap::Args)]
pub struct Replayed {
    /// Folder with clones of the projects, as OWNER/NAME
    #[arg(value_name = "DIR")]
    pub projects: PathBuf,
    /// Only these projects
    #[arg(long, value_enum)]
    pub half: Option<Half>,
    /// List each one, and what became of it
    #[arg(long)]
    pub explain: bool,
    #[command(flatten)]
    pub chosen: Chosen,
}

impl Replayed {
    pub fn is_in_half(&self, half: Half) -> bool {
        self.half.is_none_or(|only| half == only)
    }
}

/// The flags that draw ordinary commits of the projects, whose findings are counted.
#[derive(Debug, clap::Args)]
pub struct Ordinary {
    /// Also check this many commits of each project, drawn by the seed, and count their findings
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub commits: usize,
    /// What decides which commits are drawn
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

/// What a project serves for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Half {
    /// Thresholds are chosen on it
    Choose,
    /// Figures are reported on it
    Report,
    /// Looked at once, when all is chosen
    Sealed,
}

#[derive(Deserialize)]
struct Report {
    findings: Vec<Finding>,
}

#[derive(Deserialize)]
pub struct Finding {
    pub rule: String,
    pub level: Level,
    pub path: String,
    pub fragment: Lines,
    pub message: String,
    pub origins: Vec<Origin>,
    /// What it has in common with the others of its family, which reports for people show as one;
    /// `None` if it is alone.
    pub family: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    Note,
    Warning,
    Error,
}

#[derive(Deserialize)]
pub struct Origin {
    pub place: String,
    pub path: String,
    pub fragment: Lines,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Lines {
    pub start_line: u32,
    pub end_line: u32,
}

/// The findings about a commit.
pub fn findings(program: &Program, repository: &Path, commit: &str) -> Result<Vec<Finding>, Error> {
    let mut command = program.command("check", repository);
    command.args(["--base", &format!("{commit}^"), "--head", commit]);
    let report: Report = Program::report(&mut command)?;
    Ok(report.findings)
}
