//! Explains why an audit failed.

use crate::config::ConfigError;
use crate::files;
use crate::git;
use crate::store::SegmentError;
use crate::store::corpus::CorpusError;

/// Why an audit failed.
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
    /// The history index could not be written or read.
    #[error("cannot search the history: {0}")]
    Store(#[from] SegmentError),
    /// A stored corpus could not be used.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// A limit ended the run before the history was read.
    #[error("the history was not read to its end")]
    Ended,
    /// There is nothing to search for.
    #[error("cannot search for this sketch: {0}")]
    Sketch(#[from] SketchError),
}

/// Why a sketch cannot be searched for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct SketchError {
    why: String,
    help: Option<String>,
}

impl SketchError {
    pub(super) fn new(why: String, help: Option<&str>) -> Self {
        Self { why, help: help.map(ToOwned::to_owned) }
    }

    /// It has more than `max` bytes.
    pub fn too_large(max: usize) -> Self {
        let why = format!("it is larger than {} MB", max / 1_000_000);
        Self::new(why, Some("give the lines that matter with `--lines A-B`"))
    }
}

impl Error {
    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Git(error) => error.help(),
            Self::Files(error) => error.help(),
            Self::Config(error) => error.help(),
            Self::Store(_) => {
                Some("set another folder for its index with `--cache-dir DIR`, or run without `--history`".into())
            }
            Self::Ended => None,
            Self::Corpus(error) => error.help(),
            Self::Sketch(error) => error.help.clone(),
        }
    }
}
