//! Defines what a finding is about: a copy, what a copy lacks, or files that were not examined.

use super::{Behind, LaterCommits, MissedEdit};
use crate::matching::Agreement;
use crate::text::{FilePath, count};

/// What a finding is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum About {
    /// A copy that a change adds; or, if nothing in it is novel, a clone class of a tree.
    Copy,
    /// A copy of a past state of its origin, which has changed since.
    OldCopy(LaterCommits),
    /// An edit of code that has siblings, which it did not reach.
    Missed(MissedEdit),
    /// A new function that the tree has already, in other words.
    Exists {
        /// The name of that function.
        name: String,
        /// What both call and say.
        agreement: Agreement,
    },
    /// Commits of its origin that a copy lacks.
    Behind(Behind),
    /// A changed file that could not be examined.
    Unread(UnexaminedFiles),
    /// All changed files that were left out on purpose, sorted by path.
    LeftOut(Vec<UnexaminedFiles>),
}

/// A changed file that was not examined, or several in a folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnexaminedFiles {
    /// The file, or the folder with a `/` at its end.
    pub path: FilePath,
    /// The number of files.
    pub n_files: usize,
    /// The reason, in a few words.
    pub reason: &'static str,
}

impl UnexaminedFiles {
    /// The file and the reason: `src/big.c (too large)`, `dist/ (3 files, vendored or built)`.
    pub fn describe(&self) -> String {
        let Self { path, n_files, reason } = self;
        if path.as_bytes().ends_with(b"/") {
            format!("{path} ({}, {reason})", count(*n_files, "file"))
        } else {
            format!("{path} ({reason})")
        }
    }
}
