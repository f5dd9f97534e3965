//! Finds the files of a change that are again as they were, and what the tree did not have then.

use std::collections::{BTreeMap, BTreeSet};

use super::judge::TreeCopy;
use super::read::Source;
use super::search::FileHits;
use crate::git::{CommitId, Reader, blob_id_like};
use crate::matching::{AddedLines, added_lines};
use crate::policy::Place;
use crate::text::{FilePath, Lines};

/// How many commits before the base are looked at for what the change reverts to.
const NEAR: usize = 32;
/// Maximum files to look for there. A revert of more is a revert of a commit, which `--history`
/// names.
const MAX_REVERTED: usize = 256;

/// The files that are, byte for byte, what they were under their path in one of the commits before
/// `base`, along first parents, if what comes back was there at the first of these already. What
/// came and went since may have come and gone in one change, which added nothing, so nobody judged
/// it. Commits that a shallow or partial clone lacks are ignored.
///
/// For each, those of the files that `found` names in its copies that did not have the code then:
/// who moves code, and brings it back where it was, has it twice.
pub(super) fn reverted(
    with_copies: &[(&Source, &[TreeCopy])],
    found: &[FileHits],
    base: Option<CommitId>,
    reader: &Reader,
) -> BTreeMap<FilePath, BTreeSet<FilePath>> {
    let files: Vec<&Source> = with_copies.iter().map(|(file, _)| *file).collect();
    let mut reverted: BTreeSet<&FilePath> = BTreeSet::new();
    let Some(base) = base.filter(|_| !files.is_empty() && files.len() <= MAX_REVERTED) else {
        return BTreeMap::new();
    };
    let mut first = base;
    for _ in 0..NEAR {
        let Ok(Some(parent)) = reader.first_parent(first) else { break };
        first = parent;
        let is_so = |file: &&&Source| {
            let was = reader.blob_at(first, &file.path).ok().flatten();
            was.is_some_and(|was| was == blob_id_like(was, file.bytes()))
        };
        let left = files.iter().filter(|file| !reverted.contains(&file.path));
        let found: Vec<&FilePath> = left.filter(is_so).map(|file| &file.path).collect();
        reverted.extend(found);
    }
    let stood = |file: &&&Source| {
        let added_since = |commit: CommitId| {
            let text = reader.text_at(commit, &file.path).ok().flatten().unwrap_or_default();
            added_lines(&text, file.bytes())
        };
        let mut lines = added_since(base).into_iter().zip(added_since(first));
        lines.all(|(now, then)| now == AddedLines::No || then == AddedLines::No)
    };
    let is_there = |copy: &&TreeCopy| had(&found[copy.found].target, copy, first, reader);
    let in_tree = |copy: &&TreeCopy| found[copy.found].place == Place::Tree;
    let is_reverted = |(file, _): &&(&Source, _)| reverted.contains(&file.path) && stood(&file);
    let later = |copies: &[TreeCopy]| -> BTreeSet<FilePath> {
        let later = copies.iter().filter(in_tree).filter(|copy| !is_there(copy));
        later.map(|copy| found[copy.found].target.path.clone()).collect()
    };
    let reverted = with_copies.iter().filter(is_reverted);
    reverted.map(|(file, copies)| (file.path.clone(), later(copies))).collect()
}

/// Whether a file had most lines of the origin of a copy at `commit`.
fn had(origin: &Source, copy: &TreeCopy, commit: CommitId, reader: &Reader) -> bool {
    let text = reader.text_at(commit, &origin.path).ok().flatten().unwrap_or_default();
    let (added, lines) = (added_lines(&text, origin.bytes()), Lines::new(&origin.text));
    let range = copy.pair.alignment.target();
    let line = |token: usize| lines.line_of(origin.tokens[token].start) as usize;
    let of_copy = added.get(line(range.start) - 1..line(range.end - 1)).unwrap_or_default();
    let n_added = of_copy.iter().filter(|&&added| added > AddedLines::No).count();
    2 * n_added < of_copy.len()
}
