//! Defines the flags that several commands share, each once.

use std::path::PathBuf;

use clap::{Arg, Args, ValueEnum};

use crate::audit::Outcome;
use crate::git::{CommitId, Error, Reader, Span, WalkLimits, seconds_of};
use crate::policy::Level;
use crate::report::Format;

/// Flags that every command takes.
#[derive(Debug, Args)]
pub(super) struct Common {
    /// Work in this folder's repository
    #[arg(short = 'C', long = "repo", value_name = "DIR", default_value = ".", global = true)]
    pub repo: PathBuf,
    /// Read settings from this file instead of the repository's
    #[arg(long, value_name = "FILE", global = true, env = "SECONDHAND_CONFIG")]
    pub config: Option<PathBuf>,
    /// Read no settings file
    #[arg(long, global = true, conflicts_with = "config")]
    pub isolated: bool,
    /// Set an option for this run, as in the settings file: `min-tokens=40`
    #[arg(long = "set", value_name = "KEY=VALUE", global = true, value_parser = parse_setting)]
    pub set: Vec<(String, String)>,
    /// Keep corpora in this folder [default: the user's data folder]
    #[arg(long, value_name = "DIR", global = true, env = "SECONDHAND_CORPUS_DIR")]
    pub corpus_dir: Option<PathBuf>,
    /// Threads to use; 0 for one a core
    #[arg(
        short = 'j',
        long = "threads",
        value_name = "N",
        default_value_t = 0,
        global = true,
        env = "SECONDHAND_THREADS"
    )]
    pub threads: usize,
    /// When to color
    #[arg(long, value_name = "WHEN", default_value = "auto", global = true)]
    pub color: Color,
    /// Print findings only
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Say more: every file that was passed over, and why
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    pub verbose: bool,
    /// Show no progress bar
    #[arg(long, global = true)]
    pub no_progress: bool,
    /// Keep fingerprints of files in this folder [default: `secondhand` in the git directory]
    #[arg(long, value_name = "DIR", global = true, env = "SECONDHAND_CACHE_DIR")]
    pub cache_dir: Option<PathBuf>,
    /// Read every file anew, and keep nothing
    #[arg(long, global = true)]
    pub no_cache: bool,
}

/// When to color.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Color {
    /// When the output is a terminal; heeds NO_COLOR and CLICOLOR_FORCE
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Which part of the past is searched.
#[derive(Debug, Clone, Args)]
#[command(mut_args = |flag| if ["since", "max_commits"].contains(&flag.get_id().as_str()) { flag.requires("history") } else { flag })]
pub(super) struct PastFlags {
    /// Search the past, too, for deleted code that comes back; the first time this reads all history
    #[arg(long)]
    pub history: bool,
    /// The past of this revision or range (`A..B`) instead of that of the base; may be repeated
    #[arg(long, value_name = "REV|RANGE", requires = "history")]
    pub history_of: Vec<String>,
    #[command(flatten)]
    pub limits: CommitLimits,
}

impl PastFlags {
    /// The part of the past that is asked for, if any is: of `default` where no revision is named.
    ///
    /// # Errors
    /// When there is no such revision, or the date is none.
    pub fn span(&self, default: Option<CommitId>, reader: &Reader) -> Result<Option<Span>, Error> {
        let mut span = Span { limits: self.limits.read()?, ..Span::default() };
        for revision in &self.history_of {
            reader.add_revision(revision, &mut span)?;
        }
        if span.tips.is_empty() {
            span.tips.extend(default);
        }
        Ok((self.history && !span.tips.is_empty()).then_some(span))
    }
}

/// How far back a history is followed.
#[derive(Debug, Clone, Args)]
pub(super) struct CommitLimits {
    /// Leave out commits before this date: `2025-01-31`, `2 years ago`
    #[arg(long, value_name = "DATE")]
    since: Option<String>,
    /// Only the newest N commits
    #[arg(long, value_name = "N")]
    max_commits: Option<usize>,
}

impl CommitLimits {
    /// What the flags say.
    ///
    /// # Errors
    /// When the date is none.
    pub fn read(&self) -> Result<WalkLimits, Error> {
        Ok(WalkLimits { since: self.since.as_deref().map(seconds_of).transpose()?, max_commits: self.max_commits })
    }
}

/// Where the tree is read that a command looks through.
#[derive(Debug, Args)]
pub(super) struct TreeFlags {
    /// Read the tree of this revision instead of the work tree
    #[arg(long, value_name = "REV")]
    pub rev: Option<String>,
}

/// What code is compared with, besides the repository's own.
#[derive(Debug, Args)]
pub(super) struct CorpusFlags {
    /// Compare with this corpus: a stored one, or a folder, each of whose direct subfolders is a component; may be repeated
    #[arg(long = "corpus", value_name = "NAME|DIR")]
    pub named: Vec<String>,
}

/// An option and its value, as a flag sets it.
pub(super) type Setting = (&'static str, String);

/// How long a copy has to be.
#[derive(Debug, Args)]
pub(super) struct MinTokens {
    /// Minimum tokens for a copy to be reported; of a change, only the tokens it brings in count
    #[arg(long, value_name = "N")]
    min_tokens: Option<usize>,
}

impl MinTokens {
    /// The flag as the value of the option `key`, when it is given.
    pub fn setting(&self, key: &'static str) -> Option<Setting> {
        self.min_tokens.map(|n| (key, n.to_string()))
    }
}

/// Flags for what is not reported.
#[derive(Debug, Args)]
pub(super) struct Suppressing {
    /// Leave out the copies in this baseline [default: the option `baseline`, if the file is there]
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Use no baseline
    #[arg(long, conflicts_with = "baseline")]
    pub no_baseline: bool,
    /// Report suppressed findings too, marked as such, where the format can
    #[arg(long)]
    pub show_suppressed: bool,
}

/// Which reports are written, and where. Each command says with [`with_formats`] which formats it has.
#[derive(Debug, Args)]
pub(super) struct Reporting {
    /// The format of what is printed
    #[arg(long, value_name = "FORMAT", default_value = "text", env = "SECONDHAND_FORMAT")]
    pub format: String,
    /// Write it to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write a further report to a file; may be repeated
    #[arg(long = "report", value_name = "FORMAT=FILE", value_parser = parse_report)]
    pub reports: Vec<(String, PathBuf)>,
}

/// Names `formats` in the help of `--format`.
pub(super) fn with_formats<T: 'static, F: IntoIterator<Item = &'static Format<T>>>(
    formats: F,
) -> impl FnMut(Arg) -> Arg + use<T, F> {
    let names: Vec<&str> = formats.into_iter().map(|format| format.name).collect();
    let help = format!("The format of what is printed: {}", names.join(", "));
    move |arg| if arg.get_id() == "format" { arg.help(&help) } else { arg }
}

/// Flags for what is printed, and what fails.
#[derive(Debug, Args)]
pub(super) struct Output {
    #[command(flatten)]
    pub reporting: Reporting,
    /// The level from which findings fail the run
    #[arg(long, value_name = "LEVEL", default_value = "warning", env = "SECONDHAND_FAIL_ON")]
    pub fail_on: FailOn,
}

impl Output {
    /// Whether what was found fails the run.
    pub fn fails(&self, outcome: &Outcome) -> bool {
        let least = match self.fail_on {
            FailOn::Error => Level::Error,
            FailOn::Warning => Level::Warning,
            FailOn::Note => Level::Note,
            FailOn::Never => return false,
        };
        outcome.findings.iter().any(|finding| finding.level >= least)
    }
}

/// The level from which findings fail the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum FailOn {
    /// Errors only
    Error,
    /// Warnings and errors
    Warning,
    /// Any finding
    Note,
    /// Nothing
    Never,
}

fn parse_setting(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE, as in `min-tokens=40`")?;
    Ok((key.trim().to_owned(), value.trim().to_owned()))
}

fn parse_report(text: &str) -> Result<(String, PathBuf), String> {
    let (format, file) = text.split_once('=').ok_or("expected FORMAT=FILE, as in `sarif=copies.sarif`")?;
    Ok((format.to_owned(), file.into()))
}
