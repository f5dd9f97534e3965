//! Reads what the commits of a change say about its files: whether they mend something.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::change::End;
use crate::git::{CommitId, Reader, Repository, Span, WalkLimits};
use crate::policy::Purpose;
use crate::text::FilePath;

/// Maximum commits of a change whose messages are read, the newest.
const MAX_COMMITS: usize = 256;

/// What the commits between two ends of a change say, read when it is asked for.
pub(in crate::audit) struct Purposes<'p> {
    pub repository: &'p Repository,
    pub base: Option<&'p End>,
    pub head: &'p End,
    /// For each file that a commit edits, what they say it was for.
    pub said: OnceLock<BTreeMap<FilePath, Purpose>>,
}

impl Purposes<'_> {
    /// What a file was edited for. What is not committed or cannot be read may mend something.
    pub(super) fn of(&self, path: &FilePath) -> Purpose {
        let said = self.said.get_or_init(|| {
            let ends = match (self.base.map(|end| end.commit), self.head.commit) {
                (Some(None), _) | (_, None) => None,
                (base, Some(head)) => Some((base.flatten(), head)),
            };
            let said = ends.and_then(|(base, head)| said(base, head, &self.repository.reader()));
            said.unwrap_or_default()
        });
        said.get(path).copied().unwrap_or(Purpose::Fix)
    }
}

fn said(
    base: Option<CommitId>,
    head: CommitId,
    reader: &Reader,
) -> Option<BTreeMap<FilePath, Purpose>> {
    let limits = WalkLimits { max_commits: Some(MAX_COMMITS), ..WalkLimits::default() };
    let span = Span { limits, hidden: base.into_iter().collect(), ..Span::of(head) };
    let mut said = BTreeMap::new();
    for commit in reader.commits_of(&span).ok()? {
        let purpose = Purpose::of(&reader.info(commit).ok()?.message);
        for event in reader.events(commit).ok()? {
            let of_file = said.entry(event.path).or_insert(purpose);
            *of_file = purpose.max(*of_file);
        }
    }
    Some(said)
}
