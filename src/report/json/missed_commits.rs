//! The commits that a copy lacks.

use schemars::JsonSchema;
use serde::Serialize;

use super::origin::{Fragment, fragment};
use crate::policy;

/// Commits of a component that a copy lacks.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct MissedCommits {
    component: String,
    corpus: String,
    purl: Option<String>,
    url: Option<String>,
    /// Whether they come from a list of fixes.
    is_listed: bool,
    /// The oldest first.
    commits: Vec<MissedCommit>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct MissedCommit {
    #[serde(flatten)]
    commit: PastCommit,
    /// The file that it changed, as it was called then.
    origin: String,
    /// The places of the copy that it would change.
    places: Vec<MissedPlace>,
    /// The places of the file that it changed.
    changes: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct MissedPlace {
    fragment: Fragment,
    /// The lines of the origin before the commit, the end after the last.
    origin_start_line: u32,
    origin_end_line: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct PastCommit {
    hash: String,
    /// Its time, in seconds since 1970.
    time: i64,
    subject: String,
    /// CVE, GHSA and other ids.
    ids: Vec<String>,
    /// Whether it says that it fixes a security fault.
    is_security: bool,
}

pub(super) fn missed_commits(of: &policy::Behind) -> MissedCommits {
    let place = |place: &policy::MissedPlace| MissedPlace {
        fragment: fragment(&place.fragment),
        origin_start_line: place.origin_lines.start,
        origin_end_line: place.origin_lines.end,
    };
    let commit = |missed: &policy::MissedCommit| MissedCommit {
        commit: past_commit(&missed.commit),
        origin: missed.origin.to_string(),
        places: missed.places.iter().map(place).collect(),
        changes: missed.n_hunks,
    };
    let component = &of.component;
    MissedCommits {
        component: component.name.clone(),
        corpus: component.corpus.clone(),
        purl: component.purl.clone(),
        url: component.url.clone(),
        is_listed: of.is_listed,
        commits: of.commits.iter().map(commit).collect(),
    }
}

pub(super) fn past_commit(of: &policy::PastCommit) -> PastCommit {
    let policy::PastCommit { hash, time, subject, ids, is_security } = of.clone();
    PastCommit { hash, time, subject, ids, is_security }
}
