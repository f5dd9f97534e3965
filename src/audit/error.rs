//! Explains why an audit failed.

use crate::config::ConfigError;
use crate::files;
use crate::git;
use crate::store::SegmentError;
use crate::store::corpus::CorpusError;
use crate::text::count;

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
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum SketchError {
    /// It has no words.
    #[error("it is empty")]
    Empty,
    /// It has too many bytes.
    #[error("it is larger than {} MB", max / 1_000_000)]
    TooLarge { max: usize },
    /// It cannot be read as source.
    #[error("it is {reason}")]
    Unreadable { reason: &'static str },
    /// No language has this name.
    #[error("unknown language `{name}`")]
    UnknownLanguage { name: String, nearest: Option<String> },
    /// No language has files of this name.
    #[error("no language has files named `{name}`")]
    UnknownFile { name: String },
    /// The file has fewer lines.
    #[error("it begins at line {first}, and the file has {}", count(*n_lines, "line"))]
    NoLines { first: u32, n_lines: u32 },
}

impl SketchError {
    /// What to do about it.
    fn help(&self) -> Option<String> {
        let help = match self {
            Self::Empty => "give a function, its signature, its name, or a few words",
            Self::TooLarge { .. } => "give the lines that matter with `--lines A-B`",
            Self::UnknownLanguage { nearest, .. } => {
                let meant = nearest.as_ref().map(|of| format!("did you mean `{of}`? "));
                let list = "name one with `--lang NAME`; `secondhand languages` lists all";
                return Some(meant.unwrap_or_default() + list);
            }
            Self::UnknownFile { .. } => {
                "name its language with `--lang NAME`; `secondhand languages` lists all"
            }
            Self::Unreadable { .. } | Self::NoLines { .. } => return None,
        };
        Some(help.to_owned())
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
            Self::Sketch(error) => error.help(),
        }
    }
}
