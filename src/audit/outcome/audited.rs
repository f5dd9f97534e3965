//! What an audit of a whole tree found: which files hold code of which components.

use std::sync::Arc;

use crate::policy::{Component, FirstSeen, Verdict};
use crate::text::FilePath;

/// What of a tree stands in corpora.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Audited {
    /// What the tree is called.
    pub project: String,
    /// When it was recorded, or looked at, in seconds since 1970.
    pub time: i64,
    /// Files that were compared.
    pub n_files: usize,
    /// Tokens of them.
    pub n_tokens: usize,
    /// Those of the tokens that were found in a corpus.
    pub n_copied: usize,
    /// The files that hold some, sorted by path.
    pub files: Vec<CopiedFile>,
    /// Whose code that is, most of it first.
    pub components: Vec<Taken>,
    /// What the history brought in, when it was asked for: by path and component, the oldest first.
    pub brought: Option<Vec<Brought>>,
}

impl Audited {
    /// The commit that first brought code of the component of this name into the file at `path`, as far as the history was asked.
    pub fn brought_into(&self, path: &FilePath, component: &str) -> Option<&Brought> {
        let mut brought = self.brought.iter().flatten();
        brought.find(|of| of.path == *path && of.component.name == component)
    }
}

/// Code of a component that a commit added to a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Brought {
    /// The file.
    pub path: FilePath,
    /// The first commit that has the code in this file.
    pub first: FirstSeen,
    /// Whose it is.
    pub component: Arc<Component>,
    /// The file of the component.
    pub origin: FilePath,
    /// What the policy says.
    pub verdict: Verdict,
    /// How much of the file it was, 0 to 1.
    pub containment: f64,
    /// Whether the head still has code of the component in this file.
    pub is_in_head: bool,
    /// What is to be known of the dates: which side is older, and whether they can be trusted.
    pub notes: Vec<String>,
}

/// A file that holds code of components.
#[derive(Debug, Clone, PartialEq)]
pub struct CopiedFile {
    /// The file.
    pub path: FilePath,
    /// The SHA-1 of its content, in hexadecimal.
    pub sha1: String,
    /// Its tokens.
    pub n_tokens: usize,
    /// Those that stand in a corpus, too.
    pub n_copied: usize,
    /// Whether it is identical to a file of a component.
    pub is_whole: bool,
    /// What explains it, the largest share first; each token is explained once.
    pub origins: Vec<Explained>,
    /// The first commit that has it, of a file of the past.
    pub first: Option<FirstSeen>,
}

/// What explains a part of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained {
    /// The number of the component.
    pub component: usize,
    /// The file of it.
    pub path: FilePath,
    /// The tokens that it explains.
    pub n_tokens: usize,
}

/// What was taken from a component, under one license.
#[derive(Debug, Clone, PartialEq)]
pub struct Taken {
    /// The component; its version is that of the file that explains most.
    pub component: Arc<Component>,
    /// What the policy says.
    pub verdict: Verdict,
    /// Files that hold code of it.
    pub n_files: usize,
    /// Tokens that it explains.
    pub n_tokens: usize,
}
