//! Finds the files of a change that are again as they were, and what the tree did not have then.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use super::judge::TreeCopy;
use super::read::Source;
use super::search::FileHits;
use crate::files::BlobId;
use crate::git::{CommitId, Reader, blob_id_like};
use crate::matching::{AddedLines, added_lines};
use crate::policy::Place;
use crate::text::FilePath;

/// How many commits before the base are looked at for what the change reverts to.
const NEAR: usize = 32;
/// Maximum files to look for there: a larger revert is one of a commit, which `--history` names.
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
    let mut left: BTreeMap<&FilePath, (&Source, OnceCell<BlobId>)> =
        with_copies.iter().map(|(file, _)| (&file.path, (*file, OnceCell::new()))).collect();
    let Some(base) = base.filter(|_| !left.is_empty() && left.len() <= MAX_REVERTED) else {
        return BTreeMap::new();
    };
    let mut first = base;
    for _ in 0..NEAR {
        let Ok(Some(parent)) = reader.first_parent(first) else { break };
        first = parent;
        left.retain(|path, (file, id)| {
            let was = reader.blob_at(first, path).ok().flatten();
            was.is_none_or(|was| was != *id.get_or_init(|| blob_id_like(was, file.bytes())))
        });
    }
    let mut reverted = BTreeMap::new();
    for (file, copies) in with_copies.iter().filter(|(file, _)| !left.contains_key(&file.path)) {
        let [now, then] = [base, first].map(|commit| added_since(file, commit, reader));
        if now.iter().zip(&then).all(|(now, then)| [now, then].contains(&&AddedLines::No)) {
            let in_tree = copies.iter().filter(|copy| found[copy.found].place == Place::Tree);
            let later = in_tree.filter(|copy| !had(&found[copy.found].target, copy, first, reader));
            let later = later.map(|copy| found[copy.found].target.path.clone()).collect();
            reverted.insert(file.path.clone(), later);
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
