//! Explains why a run failed and what to do about it.

use std::io;
use std::path::Path;
use std::time::Duration;

use crate::text::nearest;
use crate::{audit, change};

#[derive(Debug, thiserror::Error)]
pub(in crate::cli) enum Failure {
    #[error(transparent)]
    Audit(audit::Error),
    #[error(transparent)]
    Change(#[from] change::Error),
    #[error("the audit is not complete: {0}")]
    Incomplete(Limit),
    /// A file with hooks has a form of its own, in which `entry` goes somewhere.
    #[error("cannot add a hook to `{file}`: it is not in a form that can be edited safely")]
    Form { file: String, entry: &'static str },
    /// What the user asked for cannot be done.
    #[error("{message}")]
    User { message: String, help: Option<String> },
}

impl<E: Into<audit::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Audit(error.into())
    }
}

/// Maximum names in a help: the languages are hundreds.
const MAX_LISTED: usize = 50;

impl Failure {
    /// What was not done and why, and what to do about it: one line each.
    pub fn user(message: impl Into<String>, help: impl Into<String>) -> Self {
        Self::User { message: message.into(), help: Some(help.into()) }
    }

    /// What was not done and why, where there is no advice.
    pub fn plain(message: String) -> Self {
        Self::User { message, help: None }
    }

    /// Why a file cannot be read, of an error: `fs::read_dir(file).map_err(Failure::unreadable(file))`.
    pub fn unreadable(file: &Path) -> impl Fn(io::Error) -> Self {
        move |why| Self::plain(format!("cannot read `{}`: {why}", file.display()))
    }

    /// Why a report cannot be written.
    pub fn unwritable(file: &Path) -> impl Fn(io::Error) -> Self {
        move |why| {
            let message = format!("cannot write the report to `{}`: {why}", file.display());
            Self::User { message, help: missing_folder(file) }
        }
    }

    /// Why another file cannot be written.
    pub fn not_written(file: &Path) -> impl Fn(io::Error) -> Self {
        move |why| {
            let message = format!("cannot write `{}`: {why}", file.display());
            Self::User { message, help: missing_folder(file) }
        }
    }

    pub fn output(why: &io::Error) -> Self {
        Self::plain(format!("cannot write to standard output: {why}"))
    }

    pub fn unknown(what: &str, name: &str, known: &[&str]) -> Self {
        let meant = nearest(name, known).map(|nearest| format!("did you mean `{nearest}`? "));
        let available = match known.len() {
            n if n > MAX_LISTED => format!("`secondhand {what}s` lists all {n}"),
            _ => format!("available: {}", known.join(", ")),
        };
        Self::user(format!("unknown {what} `{name}`"), meant.unwrap_or_default() + &available)
    }

    /// Lines of ours that end the help.
    pub fn example(&self) -> Option<&'static str> {
        if let Self::Form { entry, .. } = self { Some(entry) } else { None }
    }

    /// What to do about it: one line.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Audit(error) => error.help(),
            Self::Change(error) => error.help(),
            Self::Incomplete(limit) => {
                Some(format!("raise `{}`; the report says what was not examined", limit.flag()))
            }
            Self::Form { .. } => Some("add this by hand:".to_owned()),
            Self::User { help, .. } => help.clone(),
        }
    }
}

fn missing_folder(file: &Path) -> Option<String> {
    let folder = file.parent()?;
    (!folder.as_os_str().is_empty() && !folder.exists())
        .then(|| format!("the folder `{}` does not exist: create it first", folder.display()))
}

#[derive(Debug, Clone, Copy, thiserror::Error)]
pub(in crate::cli) enum Limit {
    #[error("it takes more than {} s", .0.as_secs_f64())]
    Time(Duration),
    /// In MB.
    #[error("it takes more than {0} MB of memory")]
    Memory(u64),
}

impl Limit {
    pub fn flag(self) -> &'static str {
        match self {
            Self::Time(_) => "--timeout",
            Self::Memory(_) => "--max-memory",
        }
    }
}
