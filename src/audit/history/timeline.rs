//! Defines what each commit of a range copied, and how that is stored between runs.

use serde::{Deserialize, Serialize};

use crate::git::{CommitId, CommitInfo};
use crate::matching::CloneType;
use crate::policy::{Fragment, Level, Writing};
use crate::text::FilePath;

/// The commits of a range, and what each copied.
#[derive(Debug, Clone, Default)]
pub struct Timeline {
    /// The name of the repository.
    pub repository: String,
    /// The range as given by the user.
    pub range: String,
    /// The commits, the oldest first.
    pub commits: Vec<CommitCopies>,
    /// The number of commits left out because of their authors.
    pub n_left_out: usize,
    /// What could not be checked, in words.
    pub unavailable: Option<String>,
    /// The address of the remote `origin`, as configured.
    pub remote: Option<String>,
}

impl Timeline {
    /// Whether a copy or an origin is in this file or folder.
    pub fn knows(&self, path: &FilePath) -> bool {
        self.commits.iter().flat_map(|of| &of.copies).any(|copy| {
            copy.path.is_in(path) || copy.origins.iter().any(|origin| origin.path.is_in(path))
        })
    }
}

/// A commit, and the copies that it added.
#[derive(Debug, Clone)]
pub struct CommitCopies {
    /// The commit.
    pub commit: CommitId,
    /// Its metadata.
    pub info: CommitInfo,
    /// Tokens of source that it added, not counting moved code, tests, examples and documents.
    pub n_novel: usize,
    /// The copies, sorted by path and position.
    pub copies: Vec<Copy>,
    /// The files that it changed, may hold source and could not be read, or not in full.
    pub unread: Vec<UnreadFile>,
}

/// A changed file that could not be read, or not in full.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UnreadFile {
    /// The file.
    pub path: FilePath,
    /// Why, in words.
    pub why: String,
}

impl CommitCopies {
    /// Tokens that it added in copies that are worth a warning, so not in tests or documents.
    pub fn n_copied(&self) -> usize {
        self.copies.iter().filter(|copy| copy.level > Level::Note).map(|copy| copy.n_novel).sum()
    }
}

/// A copy that a commit added.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Copy {
    /// The id of the rule it falls under.
    pub rule: String,
    /// Its level.
    pub level: Level,
    /// The file with the copy.
    pub path: FilePath,
    /// The whole copy.
    pub fragment: Fragment,
    /// Its lines of code that the best origin has as well.
    pub n_lines: u32,
    /// The number of its tokens.
    pub n_tokens: usize,
    /// The number of those that the commit added.
    pub n_novel: usize,
    /// Like the identity of a finding.
    pub identity: String,
    /// The origins, the best first.
    pub origins: Vec<CopyOrigin>,
}

/// The origin of copied code.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CopyOrigin {
    /// The file, in the tree of the commit.
    pub path: FilePath,
    /// The fragment in it.
    pub fragment: Fragment,
    /// How the copy differs from it.
    pub clone_type: CloneType,
    /// Their similarity, 0 to 1.
    pub similarity: f64,
    /// When and by whom it was written, if known; only for the best origin.
    pub written: Option<Writing>,
}

/// A commit as stored between runs.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct KeptCommit {
    pub commit: String,
    pub n_novel: usize,
    pub copies: Vec<Copy>,
    pub unread: Vec<UnreadFile>,
    /// Whether the authors of the origins were searched for.
    pub is_traced: bool,
}
