//! The commits that a copy lacks.

use super::origin::Fragment;
use crate::policy;
use crate::report::plain_json::{each, json_types};

json_types! {

/// Commits of a component that a copy lacks.
pub(super) struct MissedCommits from (of: &policy::Behind) {
    component: String = of.component.name.clone(),
    corpus: String = of.component.corpus.clone(),
    purl: Option<String> = of.component.purl.clone(),
    url: Option<String> = of.component.url.clone(),
    /// Whether they come from a list of fixes.
    is_listed: bool = of.is_listed,
    /// The oldest first.
    commits: Vec<MissedCommit> = each(&of.commits),
}

struct MissedCommit from (of: &policy::MissedCommit) {
    #[serde(flatten)]
    commit: PastCommit = PastCommit::from(&of.commit),
    /// The file that it changed, as it was called then.
    origin: String = of.origin.to_string(),
    /// The places of the copy that it would change.
    places: Vec<MissedPlace> = each(&of.places),
    /// The places of the file that it changed.
    changes: usize = of.n_hunks,
}

struct MissedPlace from (of: &policy::MissedPlace) {
    fragment: Fragment = Fragment::from(&of.fragment),
    /// The lines of the origin before the commit, the end after the last.
    origin_start_line: u32 = of.origin_lines.start,
    origin_end_line: u32 = of.origin_lines.end,
}

pub(super) struct PastCommit from (of: &policy::PastCommit) {
    hash: String = of.hash.clone(),
    /// Its time, in seconds since 1970.
    time: i64 = of.time,
    subject: String = of.subject.clone(),
    /// CVE, GHSA and other ids.
    ids: Vec<String> = of.ids.clone(),
    /// Whether it says that it fixes a security fault.
    is_security: bool = of.is_security,
}

}
