//! What an audit found, and what it looked at.

mod audited;
mod duplication;

use std::collections::BTreeMap;

pub use self::audited::{Audited, Brought, CopiedFile, Explained, Taken};
pub(super) use self::duplication::FileShare;
pub use self::duplication::{Duplication, Share};
use crate::audit::Skip;
use crate::git;
use crate::policy::{BadSuppression, Finding, Notice, Suppressed, Suppression};
use crate::text::FilePath;

/// One end of the range that is audited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// What the user calls it: a revision, "the index", "the work tree".
    pub name: String,
    /// Its commit, if it is one.
    pub commit: Option<git::CommitId>,
}

/// What was looked at, and what was not.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Examined {
    /// Files that the change adds or modifies, source or not.
    pub n_changed: usize,
    /// Those of them that were checked.
    pub n_judged: usize,
    /// Novel tokens in them, moved code left out.
    pub n_novel: usize,
    /// Files of the head that copies were looked for in.
    pub n_compared: usize,
    /// Pairs of a changed file and another that share code and were not aligned, since others explain the same.
    pub n_passed_over: usize,
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
    /// The end of the change.
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
    /// What was examined.
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

/// A suppression in a file, or what was meant as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// The file.
    pub path: FilePath,
    /// Whether the change adds it.
    pub is_added: bool,
    /// What it says.
    pub suppression: Result<Suppression, BadSuppression>,
}
