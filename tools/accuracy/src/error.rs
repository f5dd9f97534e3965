//! Says why the measurement failed.

use std::path::{Path, PathBuf};

/// Why the measurement failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A folder or file could not be read.
    #[error("cannot read `{}`: {why}", path.display())]
    Unreadable { path: PathBuf, why: std::io::Error },
    /// A folder or file could not be written.
    #[error("cannot write `{}`: {why}", path.display())]
    Unwritable { path: PathBuf, why: std::io::Error },
    /// Nobody takes the figures.
    #[error("cannot write to standard output: {0}")]
    Output(std::io::Error),
    /// A folder holds too little source.
    #[error("cannot sample `{}`: it holds {n_files} source files that can be used, and {n_needed} are needed", path.display())]
    TooFewFiles { path: PathBuf, n_files: usize, n_needed: usize },
    /// Nothing could be built from the folders.
    #[error(
        "cannot build a single pull request from these folders: no function in them is long and distinctive enough"
    )]
    NoPulls,
    /// Cargo did not build the program under test.
    #[error("cannot build the program to measure: {why}")]
    Build { why: String },
    /// A job costs more instructions than its record.
    #[error(
        "these jobs cost more than 3 % more instructions than on record: {jobs}\nif that is what it takes, run `accuracy instructions --record`, and say why in the commit"
    )]
    Dearer { jobs: String },
    /// Git failed.
    #[error("cannot {doing}: {why}")]
    Git { doing: &'static str, why: String },
    /// The judged findings are not what they should be.
    #[error("cannot read the judged findings: {why}")]
    Judged { why: String },
    /// The program under test failed, or printed no report.
    #[error("cannot run `{command}`: {why}")]
    Audit { command: String, why: String },
}

impl Error {
    /// For `map_err` on what reads `path`.
    pub fn reading(path: &Path) -> impl FnOnce(std::io::Error) -> Self + '_ {
        |why| Self::Unreadable { path: path.to_owned(), why }
    }

    /// For `map_err` on what writes `path`.
    pub fn writing(path: &Path) -> impl FnOnce(std::io::Error) -> Self + '_ {
        |why| Self::Unwritable { path: path.to_owned(), why }
    }
}
