//! Explains why it cannot be said what a change is, or what judges it.

use std::io;
use std::path::PathBuf;

use crate::config::ConfigError;
use crate::policy::BaselineError;
use crate::text::{FilePath, nearest};
use crate::{files, git};

/// Why a change cannot be checked.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum Error {
    /// The repository could not be read.
    #[error(transparent)]
    Git(#[from] git::Error),
    /// A file could not be read.
    #[error(transparent)]
    Files(#[from] files::Error),
    /// The settings could not be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A file that judges could not be read.
    #[error("cannot read `{}`: {why}", file.display())]
    Unreadable { file: PathBuf, why: io::Error },
    /// A baseline is none.
    #[error("cannot read the baseline `{file}`, {error}")]
    Baseline { file: String, error: BaselineError },
    /// The file of a workflow's event could not be read.
    #[error("cannot read the event of this workflow, `{}`: {why}", file.display())]
    Event { file: PathBuf, why: String },
    /// The base that the environment or the settings name is not in this clone.
    #[error("cannot find what to compare with: `{revision}`, which {by} names, is not here")]
    NamedBase {
        revision: String,
        /// The variable or option.
        by: &'static str,
        /// Whether the clone lacks older commits.
        is_shallow: bool,
    },
    /// Where a base must not be guessed, none is known.
    #[error("cannot find what to compare with: the default branch is not known here")]
    NoDefaultBranch,
    /// There is nothing to compare.
    #[error(
        "cannot find what to compare with: there is no commit yet; `--staged` checks the first one"
    )]
    NoCommit,
    /// No project has this name.
    #[error(
        "there is no project `{name}`: no folder with settings of its own has this name or path"
    )]
    NoProject { name: String, known: Vec<String> },
    /// A path is a revision, or two with dots between them.
    #[error("cannot check the path `{0}`: it is a revision, not a file or folder")]
    RevisionAsPath(String),
    /// A path is in another place.
    #[error("cannot check the path `{}`: it is outside the repository `{}`", path.display(), root.display())]
    OutsideCheck { path: PathBuf, root: PathBuf },
    /// A path is nowhere.
    #[error("cannot check the path `{}`: there is no such file or folder", .0.display())]
    NoPath(PathBuf),
    /// An option of the settings leads out of the repository.
    #[error("cannot use `{key}` of the settings: `{path}` is not inside of the repository")]
    OutsideOption { key: &'static str, path: String },
    /// A change adds a corpus to its settings that leads out of the repository.
    #[error(
        "cannot compare with the corpus `{0}`, which the change adds to its settings: it is not inside of the repository"
    )]
    OutsideCorpus(String),
    /// A change puts a link in the place of a corpus.
    #[error("cannot compare with the corpus `{0}`: it is behind a link that the change brings in")]
    LinkedCorpus(String),
    /// A change adds files to a corpus beside those that the user put there.
    #[error(
        "cannot compare with the corpus `{name}`: the change adds `{path}` to it, and the base does not have what is there"
    )]
    MixedCorpus { name: String, path: FilePath },
    /// A change moves the submodule that has what judges it.
    #[error("cannot use `{what}`: it {is_in} the submodule `{submodule}`, which the change moves")]
    MovedSubmodule {
        what: String,
        /// Whether it is in the submodule or has a part there, in words.
        is_in: &'static str,
        submodule: FilePath,
    },
}

impl Error {
    /// What to do about it: one line.
    pub fn help(&self) -> Option<String> {
        let help = match self {
            Self::Git(error) => return error.help(),
            Self::Files(error) => return error.help(),
            Self::Config(error) => return error.help(),
            Self::Unreadable { .. } => return None,
            Self::NamedBase { revision, is_shallow, .. } => {
                return Some(fetching(revision, *is_shallow));
            }
            Self::NoProject { name, known } => return Some(naming(name, known)),
            Self::RevisionAsPath(name) => return Some(comparing(name)),
            Self::OutsideOption { key, .. } => {
                return Some(format!("write `{key}` as a path from the root of the repository"));
            }
            Self::OutsideCorpus(name) => {
                return Some(format!("name it on the command line: `--corpus {name}`"));
            }
            Self::MixedCorpus { path, .. } => {
                let instead = "keep the corpus outside of the repository";
                return Some(format!("take `{path}` out of the change, or {instead}"));
            }
            Self::MovedSubmodule { submodule, .. } => {
                let first = format!("let the base have this commit of `{submodule}` first");
                return Some(first + ", or trust the head with `--trust head`");
            }
            Self::Baseline { .. } => "replace it with `secondhand baseline create --force`",
            Self::Event { .. } => "set the base with `--base REV`",
            Self::NoDefaultBranch => {
                "fetch it, as with `git fetch origin main:refs/remotes/origin/main`, or name the \
                 base with `--base REV` or SECONDHAND_BASE"
            }
            Self::NoCommit => "name it with `--base REV`",
            Self::OutsideCheck { .. } => "name the repository with `--repo DIR`",
            Self::NoPath(_) => {
                "paths start from the folder of `--repo`; a revision is named with `--base REV`"
            }
            Self::LinkedCorpus(_) => "put the folder itself in its place",
        };
        Some(help.to_owned())
    }
}

/// How to get a base that a clone does not have.
fn fetching(revision: &str, is_shallow: bool) -> String {
    let wanted = match revision.strip_prefix("origin/") {
        Some(branch) => format!("{branch}:refs/remotes/origin/{branch}"),
        None => revision.to_owned(),
    };
    let depth = if is_shallow {
        "the clone is shallow, have the checkout fetch all of it; or "
    } else {
        ""
    };
    format!("{depth}run `git fetch origin {wanted}` before, or name another base with `--base REV`")
}

/// How to name one of the `known` projects.
fn naming(name: &str, known: &[String]) -> String {
    let names: Vec<_> = known.iter().map(String::as_str).collect();
    let meant = nearest(name, &names)
        .map(|nearest| format!("did you mean `{nearest}`? "))
        .unwrap_or_default();
    let known =
        if known.is_empty() { String::new() } else { format!("available: {}; ", known.join(", ")) };
    format!(
        "{meant}{known}a folder without a `secondhand.toml` is named as a path, without `--project`"
    )
}

/// How to compare with what was given as a path.
fn comparing(name: &str) -> String {
    let Some((base, head)) = name.split_once("..") else {
        return format!("to compare with it, use `--base {name}`");
    };
    let head = head.trim_start_matches('.');
    let head = if head.is_empty() { String::new() } else { format!(" --head {head}") };
    format!("to compare the two, use `--base {base}{head}`")
}
