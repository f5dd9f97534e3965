//! Explains why an audit failed.

use crate::config::ConfigError;
use crate::git;
use crate::store::SegmentError;
use crate::store::corpus::CorpusError;

/// Why an audit failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The repository could not be read.
    #[error(transparent)]
    Git(#[from] git::Error),
    /// The settings could not be used.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The history index could not be written or read.
    #[error("cannot search the history: {0}")]
    Store(#[from] SegmentError),
    /// A stored corpus could not be used.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
}

impl Error {
    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Git(error) => error.help(),
            Self::Config(error) => error.help(),
            Self::Store(_) => {
                Some("set another folder for its index with `--cache-dir DIR`, or run without `--history`".into())
            }
            Self::Corpus(error) => error.help(),
        }
    }
}
