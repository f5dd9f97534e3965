//! Counts the source files that a work tree or its index has and no commit.
//!
//! A check of commits mentions them: people edit first, check, and commit later.

use crate::config::Config;
use crate::git::{Reader, Snapshot};
use crate::language::Languages;
use crate::policy::Notice;
use crate::text::{FilePath, agreed, count};

/// Source files that differ from `HEAD`; at least one.
pub(super) struct UncommittedFiles {
    /// The work tree.
    pub work_tree: Snapshot,
    /// How many differ, in the one or the other.
    n: usize,
    n_in_work_tree: usize,
    n_in_index: usize,
}

impl UncommittedFiles {
    /// The files that are not as `committed` in `HEAD` and would be judged, `within` these if there
    /// are any; `None` if there are none, and in a bare repository.
    ///
    /// Cost: that of `git status`.
    pub fn read(
        reader: &Reader,
        committed: &Snapshot,
        (config, languages): (&Config, &Languages),
        within: &[FilePath],
    ) -> Option<Self> {
        // A work tree that cannot be read is not what was asked about.
        let (work_tree, index) = (reader.work_tree_snapshot().ok()?, reader.index_snapshot().ok()?);
        let is_asked = |path: &FilePath| {
            languages.possible(path).next().is_some()
                && !config.ignore.contains(path)
                && path.is_within(within)
        };
        let [n_in_work_tree, n_in_index] = [&work_tree, &index].map(|files| {
            let new = files.differences(committed).filter_map(|(_, new)| new);
            new.filter(|entry| is_asked(&entry.path)).count()
        });
        let n = n_in_work_tree.max(n_in_index);
        (n > 0).then_some(Self { work_tree, n, n_in_work_tree, n_in_index })
    }

    /// A notice that only commits were checked, and which flag checks the files.
    pub fn not_judged(&self) -> Notice {
        let flag = match self.n_in_index {
            0 => "`--worktree`".to_owned(),
            n if n >= self.n_in_work_tree => "`--staged`".to_owned(),
            n => format!("`--worktree`, or `--staged` for the {n} in the index"),
        };
        let (files, verb) = (count(self.n, "uncommitted file"), agreed(self.n, "is", "are"));
        Notice::new(None, None, &format!("{files} {verb} not checked; use {flag}"))
    }

    /// A notice that the files were checked, and how to check the last commit instead.
    pub fn judged(&self) -> Notice {
        let files = count(self.n, "uncommitted file");
        let message = format!(
            "no commits beyond the base, so this checked {files}, as `--worktree` does; `--head HEAD` checks the last commit"
        );
        Notice::new(None, None, &message)
    }
}
