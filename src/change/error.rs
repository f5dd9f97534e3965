//! Explains why it cannot be said what a change is, or what judges it.

use std::fmt::Display;
use std::io;
use std::path::Path;

use crate::config::ConfigError;
use crate::policy::BaselineError;
use crate::text::FilePath;
use crate::{files, git};

/// Why a change cannot be checked.
#[derive(Debug, thiserror::Error)]
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
    /// What is asked for, or what judges it, cannot be used.
    #[error("{message}")]
    User {
        /// What was not done, and why.
        message: String,
        /// What to do about it.
        help: Option<String>,
    },
}

impl Error {
    /// What was not done and why, and what to do about it: one line each.
    pub(super) fn user(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::User { message: message.into(), help: Some(help.into()) }
    }

    /// A file that judges cannot be read.
    pub(super) fn unreadable(file: &Path, why: &io::Error) -> Self {
        Self::User { message: format!("cannot read `{}`: {why}", file.display()), help: None }
    }

    /// A file is no baseline.
    pub(super) fn baseline(file: &dyn Display, why: &BaselineError) -> Self {
        let help = "replace it with `secondhand baseline create --force`";
        Self::user(format!("cannot read the baseline `{file}`, {why}"), help)
    }

    /// The base that `by`, a variable or option, names is not in this clone.
    pub(super) fn named_base(revision: &str, by: &str, is_shallow: bool) -> Self {
        let wanted = match revision.strip_prefix("origin/") {
            Some(branch) => format!("{branch}:refs/remotes/origin/{branch}"),
            None => revision.to_owned(),
        };
        let depth = if is_shallow {
            "the clone is shallow, have the checkout fetch all of it; or "
        } else {
            ""
        };
        Self::user(
            format!(
                "cannot find what to compare with: `{revision}`, which {by} names, is not here"
            ),
            format!(
                "{depth}run `git fetch origin {wanted}` before, or name another base with `--base REV`"
            ),
        )
    }

    /// The option `key` of the settings leads out of the repository.
    pub(super) fn outside_option(key: &str, path: &str) -> Self {
        Self::user(
            format!("cannot use `{key}` of the settings: `{path}` is not inside of the repository"),
            format!("write `{key}` as a path from the root of the repository"),
        )
    }

    /// A change moves the submodule that `what` is in, or has a part in, as `is_in` says.
    pub(super) fn moved_submodule(what: &dyn Display, is_in: &str, submodule: &FilePath) -> Self {
        Self::user(
            format!(
                "cannot use `{what}`: it {is_in} the submodule `{submodule}`, which the change moves"
            ),
            format!(
                "let the base have this commit of `{submodule}` first, or trust the head with `--trust head`"
            ),
        )
    }

    /// What is at `path` is in the repository at `root`, and not in the one under audit.
    pub fn in_another(path: &Path, root: &Path) -> Self {
        Self::user(
            format!("cannot read `{}`: it is in a repository of its own", path.display()),
            format!("name that one: `--repo {}`", root.display()),
        )
    }

    /// What to do about it: one line.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Git(error) => error.help(),
            Self::Files(error) => error.help(),
            Self::Config(error) => error.help(),
            Self::User { help, .. } => help.clone(),
        }
    }
}
