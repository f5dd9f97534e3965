//! Finds the lines of a change that its files had a while ago, and what the tree did not have then.

use std::collections::{BTreeMap, BTreeSet};

use super::judge::{Comeback, TreeCopy};
use super::read::Source;
use super::search::FileHits;
use crate::git::{CommitId, Reader};
use crate::matching::{AddedLines, added_lines};
use crate::policy::Place;
use crate::text::FilePath;

/// How many commits before the base are looked at for what the change reverts to.
const NEAR: usize = 32;

/// The lines that come back to their files: those that the change adds, and that the file had under
/// its path at the first of the commits before `base`, along first parents. What came and went
/// since may have come and gone in one change, which added nothing, so nobody judged it. Commits
/// that a shallow or partial clone lacks are ignored.
///
/// With them, for each file, those of the files that `found` names in its copies that did not have
/// the code then: who moves code, and brings it back where it was, has it twice.
pub(super) fn reverted(
    with_copies: &[(&Source, &[TreeCopy])],
    found: &[FileHits],
    base: Option<CommitId>,
    reader: &Reader,
) -> BTreeMap<FilePath, Comeback> {
    let Some(base) = base.filter(|_| !with_copies.is_empty()) else { return BTreeMap::new() };
    let mut first = base;
    for _ in 0..NEAR {
        let Ok(Some(parent)) = reader.first_parent(first) else { break };
        first = parent;
    }
    let mut reverted = BTreeMap::new();
    for (file, copies) in with_copies {
        let [now, then] = [base, first].map(|commit| added_since(file, commit, reader));
        let lines = now.iter().zip(&then).map(|(now, then)| match now {
            AddedLines::No => None,
            _ => Some(*then == AddedLines::No),
        });
        let lines: Vec<Option<bool>> = lines.collect();
        if lines.contains(&Some(true)) {
            let in_tree = copies.iter().filter(|copy| found[copy.found].place == Place::Tree);
            let later = in_tree.filter(|copy| !had(&found[copy.found].target, copy, first, reader));
            let later: BTreeSet<FilePath> =
                later.map(|copy| found[copy.found].target.path.clone()).collect();
            reverted.insert(file.path.clone(), Comeback { lines, later });
        }
    }
    reverted
}

/// Which lines of a file were added since `commit`; all, if it was not there.
fn added_since(file: &Source, commit: CommitId, reader: &Reader) -> Vec<AddedLines> {
    let text = reader.text_at(commit, &file.path).ok().flatten().unwrap_or_default();
    added_lines(&text, file.bytes())
}

/// Whether a file had most lines of the origin of a copy at `commit`.
fn had(origin: &Source, copy: &TreeCopy, commit: CommitId, reader: &Reader) -> bool {
    let added = added_since(origin, commit, reader);
    let rows = origin.rows(&copy.pair.alignment.target());
    let of_copy = added.get(rows.start as usize - 1..rows.end as usize - 1).unwrap_or_default();
    let n_added = of_copy.iter().filter(|&&added| added > AddedLines::No).count();
    2 * n_added < of_copy.len()
}
