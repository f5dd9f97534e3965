//! Explains why a run failed and what to do about it.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::store::corpus::CorpusError;
use crate::text::nearest;
use crate::{audit, change, config, files, git};

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error(transparent)]
    Audit(#[from] audit::Error),
    #[error(transparent)]
    Change(#[from] change::Error),
    #[error("cannot write the report to `{}`: {why}", file.display())]
    Unwritable { file: PathBuf, why: std::io::Error },
    #[error("cannot write `{}`: `{}` is a link of the checkout, and links are not written through", file.display(), link.display())]
    ThroughLink { file: PathBuf, link: PathBuf },
    #[error("cannot write two reports to `{}`: the second would replace the first", file.display())]
    Twice { file: PathBuf },
    #[error("cannot write to standard output: {0}")]
    Output(std::io::Error),
    #[error("cannot read `{}`: {why}", file.display())]
    Unreadable { file: PathBuf, why: std::io::Error },
    #[error("cannot write `{}`: {why}", file.display())]
    NotWritten { file: PathBuf, why: std::io::Error },
    #[error("cannot write `{}`: it already exists", file.display())]
    Exists { file: PathBuf },
    #[error("cannot add a hook to `{}`: it is not in a form that can be edited safely", file.display())]
    Form { file: PathBuf, entry: &'static str },
    #[error("unknown {what} `{name}`")]
    Unknown { what: &'static str, name: String, known: Vec<String> },
    #[error(transparent)]
    Report(crate::audit::ReportError),
    #[error("there is no report in {}", folders.iter().map(|folder| format!("`{}`", folder.display())).collect::<Vec<_>>().join(", "))]
    NoReports { folders: Vec<PathBuf> },
    #[error("cannot scan these paths together: not all of them are inside `{}`", root.display())]
    Outside { root: PathBuf },
    #[error("cannot write the cache `{}`: {why}", folder.display())]
    Cache { folder: PathBuf, why: crate::store::SegmentError },
    #[error("cannot write a baseline to `{}`: it already exists", file.display())]
    BaselineExists { file: PathBuf },
    #[error("cannot update the baseline `{}`: it does not exist", file.display())]
    NoBaseline { file: PathBuf },
    #[error("cannot compare with the corpus `{name}`: there is no such corpus and no such folder")]
    NoCorpus { name: String, known: Vec<String> },
    #[error("cannot compare with the corpus `{place}`: settings do not choose whom this program contacts")]
    UrlInSettings { place: String },
    #[error("cannot use `{name}` as the place of a corpus: it is no URL")]
    NoUrl { name: String },
    #[error("cannot remove everything at `{place}`: name the sources")]
    RemoveAll { place: String },
    #[error("cannot compare with the corpus `{name}`: no component in this folder contains source code")]
    NoComponents { name: String },
    #[error("cannot compare with the corpus `{name}`: nothing with source code has been added to it")]
    EmptyCorpus { name: String },
    #[error("cannot compare with the corpus `{name}`: its component `{link}` is a link, and links are not followed")]
    LinkedComponent { name: String, link: String },
    #[error("cannot find a folder for corpora: neither HOME nor XDG_DATA_HOME is set")]
    NoDataFolder,
    #[error("cannot decide which of the sources the flags are for")]
    Declared,
    #[error("cannot audit: no corpus to compare with")]
    NothingToAudit,
    #[error("cannot find missed commits: no corpus has the history of a component, or a list of fixes")]
    NoPast,
    #[error("cannot compare: there is only one submission")]
    NothingToCompare,
    #[error("cannot compare: fewer than two of the {n} submissions contain a file that can be compared")]
    NothingComparable { n: usize, skipped: Vec<String> },
    #[error("cannot compare: all {n} submissions are in one folder, and only those of different folders are compared")]
    OneGroup { n: usize },
    #[error("cannot watch `{}`: {why}", folder.display())]
    Watch { folder: PathBuf, why: String },
    #[error("the audit is not complete: {limit}")]
    Incomplete { limit: Limit },
    #[error("cannot complete the audit: {limit}; it was {doing}")]
    GaveUp { limit: Limit, doing: String },
    #[error("cannot start {n} threads: {why}")]
    Threads { n: usize, why: String },
}

impl From<git::Error> for Failure {
    fn from(error: git::Error) -> Self {
        Self::Audit(error.into())
    }
}

impl From<files::Error> for Failure {
    fn from(error: files::Error) -> Self {
        Self::Audit(error.into())
    }
}

impl From<CorpusError> for Failure {
    fn from(error: CorpusError) -> Self {
        Self::Audit(error.into())
    }
}

impl From<config::ConfigError> for Failure {
    fn from(error: config::ConfigError) -> Self {
        Self::Audit(error.into())
    }
}

impl Failure {
    /// Lines of ours that end the help.
    pub fn example(&self) -> Option<&'static str> {
        match self {
            Self::Form { entry, .. } => Some(entry),
            _ => None,
        }
    }

    /// What to do about it: one line.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Audit(error) => error.help(),
            Self::Change(error) => error.help(),
            Self::Unknown { name, known, .. } => {
                let known: Vec<_> = known.iter().map(String::as_str).collect();
                let meant = nearest(name, &known).map(|nearest| format!("did you mean `{nearest}`? "));
                Some(format!("{}available: {}", meant.unwrap_or_default(), known.join(", ")))
            }
            Self::Report(crate::audit::ReportError::Newer { .. }) => Some("use the version of secondhand that wrote it".to_owned()),
            Self::Report(_) => Some("write it again, or move it out of the folder".to_owned()),
            Self::NoReports { .. } => Some(
                "write some there: `secondhand audit --report json=DIR/REPOSITORY/audit.json`, likewise scan, check and history".to_owned(),
            ),
            Self::NothingToAudit => Some(
                "set one with `--corpus NAME|DIR` or with `corpora` in the settings; `secondhand corpus add` creates one".to_owned(),
            ),
            Self::NoPast => Some(
                "add a clone with `secondhand corpus add NAME REPOSITORY`, or update a corpus of an older version with `secondhand corpus update NAME`"
                    .to_owned(),
            ),
            Self::NothingToCompare => {
                Some("give two files or folders, or one folder with a file or folder for each submission".to_owned())
            }
            Self::ThroughLink { .. } => Some("name a file that no link leads to, or take the link away".to_owned()),
            Self::Twice { .. } => Some("give each report a file of its own".to_owned()),
            Self::Exists { .. } => Some("use `--force` to overwrite it".to_owned()),
            Self::Form { .. } => Some("add this by hand:".to_owned()),
            Self::BaselineExists { .. } => {
                Some("update it with `secondhand baseline update`, or overwrite it with `--force`".to_owned())
            }
            Self::NoBaseline { .. } => Some("write one with `secondhand baseline create`".to_owned()),
            Self::UrlInSettings { place } => Some(format!("name it on the command line: `--corpus {place}`")),
            Self::NoUrl { .. } => Some("such as `postgres://user@host/database` or `s3://bucket/corpus`".to_owned()),
            Self::RemoveAll { .. } => Some("whoever owns the place can delete all of it there".to_owned()),
            Self::Outside { .. } => Some("scan a folder outside of the repository on its own".to_owned()),
            Self::NoCorpus { known, .. } if known.is_empty() => {
                Some("give a folder, or create a corpus with `secondhand corpus add NAME SOURCE`".to_owned())
            }
            Self::NoCorpus { known, .. } => Some(format!("available: {}; or give a folder", known.join(", "))),
            Self::NoComponents { .. } => Some(
                "give a folder with a subfolder for each component".to_owned(),
            ),
            Self::EmptyCorpus { name } => Some(format!("add to it with `secondhand corpus add {name} SOURCE`")),
            Self::LinkedComponent { link, .. } => {
                Some(format!("replace `{link}` with a copy of its target, or give the folder that contains the components themselves"))
            }
            Self::NothingComparable { skipped, .. } if !skipped.is_empty() => Some(format!(
                "left out: {}. `--text` compares prose and files of unknown languages too",
                skipped.join(", ")
            )),
            Self::NothingComparable { .. } => Some(
                "submissions are source files, or folders and archives of them. `secondhand languages --file FILE` shows how a file is read".to_owned(),
            ),
            Self::OneGroup { .. } => {
                Some("give two or more folders of submissions, such as last year's and this year's".to_owned())
            }
            Self::NoDataFolder => Some("set a folder with `--corpus-dir DIR`".to_owned()),
            Self::Incomplete { limit } => Some(format!("raise `{}`; the report says what was not examined", limit.flag())),
            Self::GaveUp { limit, .. } => Some(format!("raise `{}`", limit.flag())),
            Self::Declared => Some("add one source at a time, or list them in a corpus.toml".to_owned()),
            Self::Cache { .. } => Some("set another folder with `--cache-dir DIR`".to_owned()),
            Self::Watch { .. } => Some(
                "the system may limit the folders that are watched, as Linux does with fs.inotify.max_user_watches".to_owned(),
            ),
            Self::Unwritable { file, .. } | Self::NotWritten { file, .. } => {
                let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists())?;
                Some(format!("the folder `{}` does not exist: create it first", folder.display()))
            }
            Self::Output(_)
            | Self::Unreadable { .. }
            | Self::Threads { .. } => None,
        }
    }
}

/// The limit that ended a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Limit {
    /// Of time.
    Time(Duration),
    /// Of memory, in MB.
    Memory(u64),
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time(limit) => write!(f, "it takes more than {} s", limit.as_secs_f64()),
            Self::Memory(limit) => write!(f, "it takes more than {limit} MB of memory"),
        }
    }
}

impl Limit {
    /// The flag that sets it.
    pub fn flag(self) -> &'static str {
        match self {
            Self::Time(_) => "--timeout",
            Self::Memory(_) => "--max-memory",
        }
    }
}
