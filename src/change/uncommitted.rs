//! Counts the source files that a work tree or its index has and no commit.
//!
//! A check of commits mentions them: people edit first, check, and commit later.

use crate::config::Config;
use crate::files::Entry;
use crate::git::{Reader, Snapshot};
use crate::language::Languages;
use crate::policy::Notice;
use crate::text::{FilePath, agreed, count};

/// Source files that differ from `HEAD`; at least one.
#[derive(Debug)]
pub(super) struct UncommittedFiles {
    /// The work tree.
    pub work_tree: Snapshot,
    /// How many differ in it.
    n_in_work_tree: usize,
    /// How many differ in the index.
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
        let both = [&work_tree, &index];
        if both.iter().all(|of| of.differences(committed).all(|(_, new)| new.is_none())) {
            return None;
        }
        let [n_in_work_tree, n_in_index] = [&work_tree, &index].map(|files| {
            let new = files.differences(committed).filter_map(|(_, new)| new);
            let asked = new.filter(|Entry { path, .. }| {
                languages.possible(path).next().is_some()
                    && !config.ignore.contains(path)
                    && path.is_within(within)
            });
            asked.count()
        });
        let found = Self { work_tree, n_in_work_tree, n_in_index };
        (found.n() > 0).then_some(found)
    }

    fn n(&self) -> usize {
        self.n_in_work_tree.max(self.n_in_index)
    }

    fn files(&self) -> String {
        count(self.n(), "uncommitted file")
    }

    /// A notice that only commits were checked, and which flag checks the files.
    pub fn not_judged(&self) -> Notice {
        let flag = match self.n_in_index {
            0 => "`--worktree`".to_owned(),
            n if n >= self.n_in_work_tree => "`--staged`".to_owned(),
            n => format!("`--worktree`, or `--staged` for the {n} in the index"),
        };
        let verb = agreed(self.n(), "is", "are");
        Notice::new(None, None, &format!("{} {verb} not checked; use {flag}", self.files()))
    }

    /// A notice that the files were checked, and how to check the last commit instead.
    pub fn judged(&self) -> Notice {
        let message = format!(
            "no commits beyond the base, so this checked {}, as `--worktree` does; `--head HEAD` checks the last commit",
            self.files()
        );
        Notice::new(None, None, &message)
    }
}
