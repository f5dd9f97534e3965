//! The result of auditing a whole tree: which files contain code of which components.

use std::sync::Arc;

use crate::policy::{Component, FirstSeen, Verdict};
use crate::text::FilePath;

/// How much of a tree was found in corpora.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Audited {
    /// The name of the tree.
    pub project: String,
    /// When it was recorded or examined, in seconds since 1970.
    pub time: i64,
    /// Files that were compared.
    pub n_files: usize,
    /// The number of their tokens.
    pub n_tokens: usize,
    /// Those of the tokens that were found in a corpus.
    pub n_copied: usize,
    /// The files with such tokens, sorted by path.
    pub files: Vec<CopiedFile>,
    /// Whose code that is, the largest share first.
    pub components: Vec<Taken>,
    /// What the history added, if requested: by path and component, the oldest first.
    pub brought: Option<Vec<Brought>>,
}

impl Audited {
    /// The commit that first added code of the component with this name to the file at `path`, if the history was
    /// searched.
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
    /// The verdict of the policy.
    pub verdict: Verdict,
    /// How much of the file it was, 0 to 1.
    pub containment: f64,
    /// Whether the head still has code of the component in this file.
    pub is_in_head: bool,
    /// Notes about the dates: which side is older, and whether they can be trusted.
    pub notes: Vec<String>,
}

/// A file that contains code of components.
#[derive(Debug, Clone, PartialEq)]
pub struct CopiedFile {
    /// The file.
    pub path: FilePath,
    /// The SHA-1 of its content, in hexadecimal.
    pub sha1: String,
    /// Its tokens.
    pub n_tokens: usize,
    /// The number of those that were found in a corpus.
    pub n_copied: usize,
    /// Whether it is identical to a file of a component.
    pub is_whole: bool,
    /// What explains it, the largest share first; each token is explained once.
    pub origins: Vec<Explained>,
    /// The first commit that has it, for a file from the history.
    pub first: Option<FirstSeen>,
}

/// What explains a part of a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained {
    /// The number of the component.
    pub component: usize,
    /// The file of the component.
    pub path: FilePath,
    /// The number of tokens that it explains.
    pub n_tokens: usize,
}

/// What was copied from a component, under one license.
#[derive(Debug, Clone, PartialEq)]
pub struct Taken {
    /// The component, with the version of the file that explains most.
    pub component: Arc<Component>,
    /// The verdict of the policy.
    pub verdict: Verdict,
    /// The number of files with code of it.
    pub n_files: usize,
    /// The number of tokens that it explains.
    pub n_tokens: usize,
}
