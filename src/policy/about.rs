//! Defines what a finding is about: a copy, what one lacks or an edit missed, or unread files.

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Component, Date, Fragment, short_commit};
use crate::matching::Agreement;
use crate::text::{FilePath, count, printable};

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

/// Commits of a component that a copy lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Behind {
    /// Whether a list of fixes has them; otherwise they are what came later.
    pub is_listed: bool,
    /// Whose commits they are.
    pub component: Arc<Component>,
    /// The commits, the oldest first; at least one.
    pub commits: Vec<MissedCommit>,
}

/// A commit that a copy lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissedCommit {
    /// The commit.
    pub commit: PastCommit,
    /// The file that it changed, as it was called then.
    pub origin: FilePath,
    /// The places of the copy that it would change, in order; at least one.
    pub places: Vec<MissedPlace>,
    /// The places that the commit changed, also those that the copy lacks or has as after it.
    pub n_hunks: usize,
}

/// A commit of a component, as a corpus keeps it.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PastCommit {
    /// Its hash, in hexadecimal.
    pub hash: String,
    /// Its time, in seconds since 1970.
    pub time: i64,
    /// The first line of its message.
    pub subject: String,
    /// The CVE and GHSA ids in its message, or that a list of fixes gives it, sorted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<String>,
    /// Whether it says that it fixes a security fault.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_security: bool,
}

/// A place of a copy that a commit would change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissedPlace {
    /// The place; for an insertion, the tokens before and after it.
    pub fragment: Fragment,
    /// The lines of the origin before the commit; if empty, an insertion before their start.
    pub origin_lines: Range<u32>,
    /// How to change the copy, if the text is available and the lines have the same layout.
    pub edit: Option<LineEdit>,
}

/// A change of some lines of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineEdit {
    /// The lines to replace, from 1; empty for an insertion before `lines.start`.
    pub lines: Range<u32>,
    /// What they become, each with its line end.
    pub text: Vec<u8>,
}

/// An edit that did not reach siblings of its code, which are the origins of the finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissedEdit {
    /// What the edit did that a sibling lacks, in a few words: "adds `if (fp)`".
    pub lacks: String,
    /// The name of the first sibling, if it has one.
    pub name: Option<String>,
    /// For each sibling, the same edit with its names, as a unified diff, if it applies.
    pub patches: Vec<Option<String>>,
    /// Whether a comment says that both are kept in step.
    pub is_declared: bool,
}

/// Commits that changed the origin of a copy since the state that was copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaterCommits {
    /// The newest commit that still had the copied state, in hexadecimal.
    pub state: String,
    /// The commits that changed these lines since, the newest first.
    pub since: Vec<Change>,
}

/// A commit that changed the origin of a copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The commit, in hexadecimal.
    pub commit: String,
    /// The subject of that commit.
    pub subject: String,
    /// Its time, in seconds since 1970.
    pub time: i64,
}

impl Behind {
    /// The first place, where the finding is shown.
    pub fn first_place(&self) -> Option<&MissedPlace> {
        self.commits.iter().flat_map(|commit| &commit.places).min_by_key(|place| place.fragment)
    }

    /// Whether any of the commits says that it fixes a security fault.
    pub fn is_security(&self) -> bool {
        self.commits.iter().any(|missed| missed.commit.is_security)
    }

    /// In a sentence: `lacks 2 later commits of zlib, first 5c44459c3b (Fix a bug)`.
    pub fn describe(&self) -> String {
        let owner = &self.component.name;
        let Some(MissedCommit { commit, .. }) = self.commits.first() else {
            return format!("behind {owner}");
        };
        let first = commit.describe();
        match (self.is_listed, self.commits.len()) {
            (true, 1) => format!("has the code that {owner} fixed in {first}"),
            (true, n) => {
                format!("has the code that {owner} fixed in {n} commits, first in {first}")
            }
            (false, 1) => format!("lacks a later commit of {owner}: {first}"),
            (false, n) => format!("lacks {n} later commits of {owner}, first {first}"),
        }
    }
}

impl PastCommit {
    /// `5c44459c3b (Fix a bug that can crash deflate; CVE-2018-25032)`.
    pub fn describe(&self) -> String {
        let mut told = vec![self.subject.clone(), self.further_ids().join(", ")];
        told.retain(|part| !part.is_empty());
        let short = self.short();
        if told.is_empty() { short.to_owned() } else { format!("{short} ({})", told.join("; ")) }
    }

    /// The first ten digits of its hash.
    pub fn short(&self) -> &str {
        short_commit(&self.hash)
    }

    /// Its ids that its subject does not name.
    pub fn further_ids(&self) -> Vec<&str> {
        self.ids.iter().map(String::as_str).filter(|id| !self.subject.contains(id)).collect()
    }
}

impl Change {
    /// As words, safe to print to a terminal: `04a0af9085 (2020-10-19, fix double fclose)`.
    pub fn describe(&self) -> String {
        let (day, subject) = (Date::of_seconds(self.time), printable(&self.subject));
        format!("{} ({day}, {subject})", short_commit(&self.commit))
    }
}
