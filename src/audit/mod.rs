//! Runs audits: reads what a change touches, compares it with the tree, and says what was found.
//!
//! Invariant: an equal repository state gives an equal [`Outcome`], whatever the number of threads.

mod change;
mod check;
mod compare;
mod history;
mod inventory;
mod judge;
mod read;
mod scan;
mod search;

use std::collections::BTreeMap;

pub use check::{Elsewhere, Range, check};
pub use compare::{CompareParams, Compared, Comparison, Match, Pair, Submission, compare};
pub use history::{Copy, CopyOrigin, Judged, Timeline, TimelineParams, blame, timeline};
pub use inventory::{Audited, Brought, CopiedFile, Explained, Taken, Whole, audit, brought};
pub use judge::{Comment, suppress};
pub use read::{Remembered, Skip, warm};
pub use scan::{Duplication, Share, Tree, scan};
pub use search::{CorpusReading, Indexed, Outside, Past, Stored};

use crate::config::ConfigError;
use crate::git;
use crate::policy::{Finding, Notice, Suppressed};
use crate::store::SegmentError;
use crate::store::corpus::CorpusError;
use crate::text::FilePath;

/// One end of the range that is audited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// What the user calls it: a revision, "the index", "the work tree".
    pub name: String,
    /// Its commit, when it is one.
    pub commit: Option<git::CommitId>,
}

/// What was looked at, and what was not.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Examined {
    /// Files that the change adds or modifies, source or not.
    pub n_changed: usize,
    /// Those of them that were judged.
    pub n_judged: usize,
    /// Novel tokens in them, moved code left out.
    pub n_novel: usize,
    /// Files of the head that copies were looked for in.
    pub n_compared: usize,
    /// Changed files that were not judged, and why, sorted by path.
    pub skipped: Vec<(FilePath, Skip)>,
    /// Files of the head that are source and were not compared, and why, sorted by path.
    pub not_compared: Vec<(FilePath, Skip)>,
    /// What of the past could not be searched, in words, when it was asked for.
    pub unavailable: Option<String>,
    /// Code of the change that so many components of a corpus have that none is its origin, by corpus and path.
    pub common: Vec<Common>,
}

/// Code of a changed file that many components of a corpus have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Common {
    /// The changed file.
    pub path: FilePath,
    /// Tokens of it that are common.
    pub n_tokens: usize,
    /// The number of components that have the most common of them.
    pub n_components: usize,
}

/// What an audit found.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// Where the change begins; `None` when everything is new, as in a first commit.
    pub base: Option<End>,
    /// Where it ends.
    pub head: End,
    /// The findings, sorted by path and place.
    pub findings: Vec<Finding>,
    /// Findings that are not reported, and why, sorted likewise; empty unless they are asked for.
    pub suppressed: Vec<Suppressed>,
    /// How many findings are not reported.
    pub n_suppressed: usize,
    /// What a reader must know about the audit itself, sorted by path and line.
    pub notices: Vec<Notice>,
    /// The suppressions in the files that were judged.
    pub comments: Vec<Comment>,
    /// What was looked at.
    pub examined: Examined,
    /// The texts of all files that findings and origins lie in.
    pub texts: BTreeMap<FilePath, Vec<u8>>,
    /// What share of the tree is duplicated, when the whole tree was scanned.
    pub duplication: Option<Duplication>,
    /// What of the tree stands in corpora, when the whole tree was audited.
    pub audited: Option<Audited>,
}

impl Outcome {
    /// An outcome in which nothing was found yet.
    pub fn new(base: Option<End>, head: End) -> Self {
        Self {
            base,
            head,
            findings: Vec::new(),
            suppressed: Vec::new(),
            n_suppressed: 0,
            notices: Vec::new(),
            comments: Vec::new(),
            examined: Examined::default(),
            texts: BTreeMap::new(),
            duplication: None,
            audited: None,
        }
    }
}

/// Told of long work, for a progress bar.
pub trait Progress: Sync {
    /// A stage of `n_steps` begins.
    fn begin(&self, stage: &'static str, n_steps: usize);
    /// A step of it is done. Called from many threads.
    fn step(&self);
}

/// Why an audit could not be done.
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
    /// What the person can do about it.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Git(error) => error.help(),
            Self::Config(error) => error.help(),
            Self::Store(_) => {
                Some("name another place for its index with `--cache-dir DIR`, or run without `--history`".into())
            }
            Self::Corpus(error) => error.help(),
        }
    }
}
