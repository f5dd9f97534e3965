//! Writes a timeline for programs: versioned JSON, whose schema `docs/history.schema.json`
//! publishes.

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;

use super::{TrendPoint, rows};
use crate::audit::{self, CopyOrigin};
use crate::matching::CloneType;
use crate::policy::Level;
use crate::report::json::{Fragment, Written, fragment, written};
use crate::report::plain_json::write_json;
use crate::report::{Format, Style, VERSION};

pub(super) const FORMAT: Format<audit::Timeline> =
    Format { name: "json", help: "versioned JSON for programs", write };

/// Increases when a field changes its meaning or is removed; new fields do not count.
const FORMAT_VERSION: u32 = 1;

/// The copies that each commit of a range added.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct History {
    /// The version of this format.
    version: u32,
    /// The version of the program.
    secondhand: &'static str,
    /// The range as given.
    range: String,
    /// The commits, the oldest first.
    commits: Vec<Commit>,
    /// The number of commits left out because of their authors.
    left_out_commits: usize,
    /// What could not be checked.
    unavailable: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Commit {
    commit: String,
    subject: String,
    author: String,
    email: String,
    /// When the author wrote it, in seconds since 1970.
    author_time: i64,
    /// When it was committed, in seconds since 1970.
    commit_time: i64,
    is_merge: bool,
    /// Tokens of source that it added, not counting moved code, tests, examples and documents.
    new_tokens: usize,
    /// Those of them that are in copies worth a warning.
    copied_tokens: usize,
    /// A running sum: the copied tokens that it and the older commits of this list added. It never
    /// falls, and copies that were removed since still count.
    total_copied_tokens: usize,
    copies: Vec<Copy>,
    /// Files that it changed, may hold source and could not be read, or not in full.
    skipped: Vec<UnreadContents>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct UnreadContents {
    path: String,
    /// Why, in words.
    reason: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Copy {
    rule: String,
    level: Level,
    /// The file with the copy. Bytes that are not UTF-8 are written as `\xNN`.
    path: String,
    fragment: Fragment,
    tokens: usize,
    /// Tokens of the copy that the commit added.
    new_tokens: usize,
    /// Stays the same when lines move.
    identity: String,
    /// The origins, the best first.
    origins: Vec<Origin>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Origin {
    /// The file, in the tree of the commit.
    path: String,
    fragment: Fragment,
    /// `type-1`, `type-2` or `type-3`.
    clone_type: &'static str,
    /// For Type-2: whether names are renamed one to one throughout.
    consistent_renaming: Option<bool>,
    /// The similarity of copy and origin, 0 to 1.
    similarity: f64,
    /// When and by whom it was written; for the best origin, if known.
    written: Option<Written>,
}

fn write(timeline: &audit::Timeline, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let history = History {
        version: FORMAT_VERSION,
        secondhand: VERSION,
        range: timeline.range.clone(),
        commits: rows(timeline).iter().map(commit).collect(),
        left_out_commits: timeline.n_left_out,
        unavailable: timeline.unavailable.clone(),
    };
    write_json(&history, out)
}

/// The JSON schema of a timeline.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(History).to_value()
}

fn commit(row: &TrendPoint<'_>) -> Commit {
    let info = &row.judged.info;
    Commit {
        commit: row.judged.commit.to_string(),
        subject: info.subject.clone(),
        author: info.author.clone(),
        email: info.email.clone(),
        author_time: info.author_time,
        commit_time: info.time,
        is_merge: info.n_parents > 1,
        new_tokens: row.judged.n_novel,
        copied_tokens: row.n_copied,
        total_copied_tokens: row.total,
        copies: row.judged.copies.iter().map(copy).collect(),
        skipped: row.judged.unread.iter().map(unread).collect(),
    }
}

fn unread(of: &audit::UnreadFile) -> UnreadContents {
    UnreadContents { path: of.path.to_string(), reason: of.why.clone() }
}

fn copy(of: &audit::Copy) -> Copy {
    Copy {
        rule: of.rule.clone(),
        level: of.level,
        path: of.path.to_string(),
        fragment: fragment(&of.fragment),
        tokens: of.n_tokens,
        new_tokens: of.n_novel,
        identity: of.identity.clone(),
        origins: of.origins.iter().map(origin).collect(),
    }
}

fn origin(of: &CopyOrigin) -> Origin {
    let consistent_renaming = match of.clone_type {
        CloneType::Type2 { is_consistent } => Some(is_consistent),
        _ => None,
    };
    Origin {
        path: of.path.to_string(),
        fragment: fragment(&of.fragment),
        clone_type: of.clone_type.name(),
        consistent_renaming,
        similarity: (of.similarity * 1000.0).round() / 1000.0,
        written: of.written.as_ref().map(written),
    }
}
