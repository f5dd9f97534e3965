//! Reads what the commits of a change say about its files: whether they mend something.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use crate::change::End;
use crate::git::{CommitId, Reader, Repository, WalkLimits};
use crate::matching::Purpose;
use crate::policy::says_fix;
use crate::text::FilePath;

/// Maximum commits of a change whose messages are read, the newest.
const MAX_COMMITS: usize = 256;

/// What the commits of a change say, read when it is first asked for.
pub(in crate::audit) struct Purposes<'p> {
    repository: &'p Repository,
    /// The commits at both ends; of a change that begins with nothing, the first is `None`.
    ends: Option<(Option<CommitId>, CommitId)>,
    said: OnceLock<Said>,
}

/// What was said.
enum Said {
    /// The same about all files.
    All(Purpose),
    /// For each file that a commit changed, what its commits say.
    Each(BTreeMap<FilePath, Purpose>),
}

impl<'p> Purposes<'p> {
    pub fn new(repository: &'p Repository, base: Option<&End>, head: &End) -> Self {
        let ends = match (base.map(|end| end.commit), head.commit) {
            (Some(None), _) | (_, None) => None,
            (base, Some(head)) => Some((base.flatten(), head)),
        };
        Self { repository, ends, said: OnceLock::new() }
    }

    /// What the commits say that changed a file. What cannot be read says nothing: it is but a hint.
    pub(super) fn of(&self, path: &FilePath) -> Purpose {
        let said = || self.read(&self.repository.reader()).unwrap_or(Said::All(Purpose::Unknown));
        match self.said.get_or_init(said) {
            Said::All(purpose) => *purpose,
            Said::Each(said) => said.get(path).copied().unwrap_or(Purpose::Unknown),
        }
    }

    fn read(&self, reader: &Reader) -> Option<Said> {
        let (base, head) = self.ends?;
        let limits = WalkLimits { max_commits: Some(MAX_COMMITS), ..WalkLimits::default() };
        let commits = reader.commits(&[head], base.as_slice(), limits).ok()?;
        let purpose = |commit: &CommitId| {
            let message = reader.info(*commit).ok()?.message;
            Some(if says_fix(&message) { Purpose::Mends } else { Purpose::Other })
        };
        if let [only] = commits.as_slice() {
            return purpose(only).map(Said::All);
        }
        let mut said: BTreeMap<FilePath, Purpose> = BTreeMap::new();
        for commit in &commits {
            let purpose = purpose(commit)?;
            for event in reader.events(*commit).ok()? {
                let of_file = said.entry(event.path).or_insert(purpose);
                *of_file = (*of_file).max(purpose);
            }
        }
        Some(Said::Each(said))
    }
}
