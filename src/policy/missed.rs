//! Defines what an edit missed: siblings of the edited code that still are as they were; and what a
//! copy missed.

use super::{Date, short_commit};
use crate::text::printable;

/// An edit that did not reach the siblings of the edited code; these are the origins of its
/// finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissedEdit {
    /// What the edit did that a sibling lacks, in a few words: "adds `if (fp)`".
    pub lacks: String,
    /// The name of the first sibling, if it has one.
    pub name: Option<String>,
    /// For each sibling, the same edit with its names, as a unified diff; `None` where it does not
    /// apply.
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

impl Change {
    /// As words, safe to print to a terminal: `04a0af9085 (2020-10-19, fix double fclose)`.
    pub fn describe(&self) -> String {
        let (day, subject) = (Date::of_seconds(self.time), printable(&self.subject));
        format!("{} ({day}, {subject})", short_commit(&self.commit))
    }
}
