//! Defines the flags that several commands share, each once.

use std::path::PathBuf;

use clap::builder::PossibleValue;
use clap::{Arg, Args, ValueEnum};

use crate::change::{FilePlace, PastScope};
use crate::config::{FailOn, Setting, Trust};
use crate::fingerprint::Effort;
use crate::git::{Error, Repository, WalkLimits, seconds_of};
use crate::report::{Format, GroupBy};

/// Flags that every command takes.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Global options")]
pub(super) struct Common {
    /// Use the repository of this folder
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
    /// Corpora folder [default: the user's data folder]
    #[arg(long, value_name = "DIR", global = true, env = "SECONDHAND_CORPUS_DIR")]
    pub corpus_dir: Option<PathBuf>,
    /// Number of threads, at most 1024; 0 for one per core
    #[arg(
        short = 'j',
        long = "threads",
        value_name = "N",
        default_value_t = 0,
        global = true,
        env = "SECONDHAND_THREADS",
        value_parser = parse_threads
    )]
    pub threads: usize,
    /// End after this time: what was not examined by then is listed, and the exit status is 2; 0
    /// for no limit [default: 0]
    #[arg(long, value_name = "SECONDS", global = true, env = "SECONDHAND_TIMEOUT", value_parser = parse_seconds)]
    pub timeout: Option<f64>,
    /// End when the program uses more memory than this, in the same way; 0 for no limit [default:
    /// 4096]
    #[arg(long, value_name = "MB", global = true, env = "SECONDHAND_MAX_MEMORY")]
    pub max_memory: Option<u64>,
    /// When to use color
    #[arg(long, value_name = "WHEN", default_value = "auto", global = true)]
    pub color: Color,
    /// Print only findings, one a line
    #[arg(short, long, global = true)]
    pub quiet: bool,
    /// Print more: the code of every finding, clone types, and every skipped file with the reason
    #[arg(short, long, global = true, overrides_with = "quiet")]
    pub verbose: bool,
    /// Print every line of a copy instead of at most ten a side
    #[arg(long, global = true, conflicts_with = "quiet")]
    pub full: bool,
    /// Show for each copy what is equal, what differs and where, and what one shared function would
    /// save
    #[arg(long, global = true)]
    pub brief: bool,
    /// Print the N findings that are worth most, in the format text [default: 10 of a scan, and of
    /// more than 20]
    #[arg(long, value_name = "N", global = true)]
    pub top: Option<usize>,
    /// Print all findings, each with its code, in the format text
    #[arg(long, global = true, conflicts_with = "top")]
    pub all: bool,
    /// Group findings in the formats text and concise by owner, as CODEOWNERS says, or by folder
    #[arg(long, value_name = "WHAT", global = true)]
    pub group_by: Option<GroupBy>,
    /// Fetch nothing: files that a partial clone does not have are named, as those of a hook or an
    /// editor always are
    #[arg(long, global = true, env = "SECONDHAND_OFFLINE")]
    pub offline: bool,
    /// Print the text of `scan` instead of showing it in a pager (`GIT_PAGER`, `PAGER`, or `less`)
    #[arg(long, global = true)]
    pub no_pager: bool,
    /// Show no progress bar
    #[arg(long, global = true)]
    pub no_progress: bool,
    /// Cache folder [default: `secondhand` in the git directory]
    #[arg(long, value_name = "DIR", global = true, env = "SECONDHAND_CACHE_DIR")]
    pub cache_dir: Option<PathBuf>,
    /// Use no cache: read every file, and keep nothing
    #[arg(long, global = true)]
    pub no_cache: bool,
}

impl Common {
    /// The repository; what a partial clone does not have is fetched when it is read.
    pub fn repository(&self) -> Result<Repository, Error> {
        let repository = Repository::discover(&self.repo)?;
        Ok(if self.offline { repository } else { repository.fetching() })
    }

    /// The same flags for an answer to a program: it does not wait for a remote either.
    pub fn silent(&self) -> Self {
        Self { quiet: true, no_progress: true, offline: true, ..self.clone() }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Color {
    /// If the output is a terminal; respects NO_COLOR and CLICOLOR_FORCE
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Compare with")]
#[command(mut_args = |flag| if ["since", "max_commits"].contains(&flag.get_id().as_str()) { flag.requires("history") } else { flag })]
pub(super) struct PastFlags {
    /// Also search history for deleted code that comes back; the first run reads all history
    #[arg(long)]
    pub history: bool,
    /// Search the history of this revision or range (`A..B`) instead of the base's; may be repeated
    #[arg(long, value_name = "REV|RANGE", requires = "history")]
    pub history_of: Vec<String>,
    #[command(flatten)]
    pub limits: CommitLimits,
}

impl PastFlags {
    pub fn scope(&self) -> Result<PastScope, Error> {
        Ok(PastScope { revisions: self.history_of.clone(), limits: self.limits.read()? })
    }
}

#[derive(Debug, Clone, Args)]
pub(super) struct CommitLimits {
    /// Ignore commits before this date: `2025-01-31`, `2 years ago`
    #[arg(long, value_name = "DATE")]
    since: Option<String>,
    /// Only the newest N commits
    #[arg(long, value_name = "N")]
    max_commits: Option<usize>,
}

impl CommitLimits {
    pub fn read(&self) -> Result<WalkLimits, Error> {
        Ok(WalkLimits {
            since: self.since.as_deref().map(seconds_of).transpose()?,
            max_commits: self.max_commits,
        })
    }
}

#[derive(Debug, Default, Args)]
pub(super) struct TreeFlags {
    /// Read the tree of this revision instead of the work tree
    #[arg(long, value_name = "REV")]
    pub rev: Option<String>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Compare with")]
pub(super) struct CorpusFlags {
    /// Compare with this corpus: a stored one, a folder in which each direct subfolder is a
    /// component, or a URL; may be repeated
    #[arg(long = "corpus", value_name = "NAME|DIR|URL")]
    pub named: Vec<String>,
}

#[derive(Debug, Args)]
pub(super) struct EffortFlag {
    /// Which fingerprints choose the files to compare: `full`, `rounds` (one in four first),
    /// `window:W` or `smallest:N`; less than `full` misses copies, and says so
    #[arg(long, value_name = "EFFORT", default_value_t)]
    pub effort: Effort,
}

#[derive(Debug, Default, Args)]
pub(super) struct MinTokens {
    /// Minimum tokens for a copy to be reported; in a change, only added tokens count
    #[arg(long, value_name = "N", help_heading = "Settings")]
    min_tokens: Option<usize>,
}

impl MinTokens {
    /// The flag as a value of the option `key`, if it is set.
    pub fn settings(&self, key: &'static str) -> Vec<Setting> {
        self.min_tokens.iter().map(|n| (key, n.to_string())).collect()
    }
}

#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Accepted copies")]
pub(super) struct SuppressionFlags {
    /// Do not report the copies in this baseline [default: the option `baseline`, if the file
    /// exists]
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Use no baseline
    #[arg(long, conflicts_with = "baseline")]
    pub no_baseline: bool,
    /// Also report suppressed findings, marked as such; a format that cannot says so
    #[arg(long)]
    pub show_suppressed: bool,
}

impl SuppressionFlags {
    /// Where the baseline is.
    pub fn place(&self) -> FilePlace {
        FilePlace::of_flags(self.baseline.as_ref(), self.no_baseline)
    }
}

#[derive(Debug, Default, Args)]
pub(super) struct MissingFlag {
    /// End with status 2 if files could not be compared because this partial clone does not have
    /// them
    #[arg(long)]
    pub fail_on_missing: bool,
}

/// Which reports are written, and where. Each command sets its formats with [`with_formats`].
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Output")]
pub(super) struct ReportFlags {
    /// Output format
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<String>,
    /// Write the output to this file instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write an additional report to a file; may be repeated
    #[arg(long = "report", value_name = "FORMAT=FILE", value_parser = parse_report)]
    pub reports: Vec<(String, PathBuf)>,
}

impl ReportFlags {
    /// The flags that are options as well.
    pub fn settings(&self) -> Vec<Setting> {
        self.format.iter().map(|format| ("format", format.clone())).collect()
    }
}

/// Names `formats` in the help of `--format`.
pub(super) fn with_formats<T: 'static, F: IntoIterator<Item = &'static Format<T>>>(
    formats: F,
) -> impl FnMut(Arg) -> Arg + use<T, F> {
    let names: Vec<&str> = formats.into_iter().map(|format| format.name).collect();
    let help = format!("Output format: {}", names.join(", "));
    move |arg| if arg.get_id() == "format" { arg.help(&help) } else { arg }
}

/// Flags for reports, and for which findings fail the run.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Output")]
pub(super) struct Output {
    #[command(flatten)]
    pub reporting: ReportFlags,
    /// Report only the finding with this id, as reports show it; may be repeated
    #[arg(long, value_name = "ID")]
    pub only: Vec<String>,
    /// The lowest level of findings that fails the run [default: the option `fail-on`, or else
    /// warning]
    #[arg(long, value_name = "LEVEL")]
    pub fail_on: Option<FailOn>,
}

impl Output {
    /// The flags that are options as well.
    pub fn settings(&self) -> Vec<Setting> {
        self.reporting.settings().into_iter().chain(choice("fail-on", self.fail_on)).collect()
    }
}

/// A flag as a value of the option `key`, if it is set.
pub(super) fn choice(key: &'static str, flag: Option<impl ValueEnum>) -> Option<Setting> {
    Some((key, flag?.to_possible_value()?.get_name().to_owned()))
}

/// The values of flags whose types are of the floors below, each with its help.
macro_rules! values {
    ($($flag:ident { $($value:ident = $name:literal: $help:literal,)* })*) => {$(
        impl ValueEnum for $flag {
            fn value_variants<'a>() -> &'a [Self] {
                &[$(Self::$value),*]
            }

            fn to_possible_value(&self) -> Option<PossibleValue> {
                Some(match self { $(Self::$value => PossibleValue::new($name).help($help),)* })
            }
        }
    )*};
}

values! {
    FailOn {
        Error = "error": "Errors only",
        Warning = "warning": "Warnings and errors",
        Note = "note": "Any finding",
        Never = "never": "Nothing",
    }
    GroupBy {
        Owner = "owner": "The owners of the copy, in CODEOWNERS",
        Folder = "folder": "The folder of the copy",
    }
    Trust {
        Head = "head": "Those of the head; edits to them are listed",
        Base = "base": "Those of the base as it is now, and no suppression that the change adds",
        Auto = "auto": "`base` where the variable CI is set, else `head`",
    }
}

/// Maximum threads: more than any machine has cores that a run could use.
const MAX_THREADS: usize = 1_024;

fn parse_threads(text: &str) -> Result<usize, String> {
    let n: usize = text.parse().map_err(|_| "it is not a number".to_owned())?;
    if n <= MAX_THREADS { Ok(n) } else { Err(format!("there are at most {MAX_THREADS} threads")) }
}

fn parse_seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.0..=MAX_SECONDS).contains(seconds));
    seconds.ok_or_else(|| format!("expected seconds, at most {MAX_SECONDS}"))
}

/// The longest time to wait: a month.
const MAX_SECONDS: f64 = 31.0 * 24.0 * 3600.0;

fn parse_setting(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("expected KEY=VALUE, as in `min-tokens=40`")?;
    Ok((key.trim().to_owned(), value.trim().to_owned()))
}

fn parse_report(text: &str) -> Result<(String, PathBuf), String> {
    let (format, file) =
        text.split_once('=').ok_or("expected FORMAT=FILE, as in `sarif=copies.sarif`")?;
    Ok((format.to_owned(), file.into()))
}
