//! The version of a component that a folder was copied from, and what was edited since.

use super::missed_commits::PastCommit;
use crate::audit;
use crate::report::plain_json::{each, json_types};
use crate::text::{FilePath, printable};

json_types! {

/// A folder that was copied from a component, and the version that it fits best.
pub(super) struct FolderVersion from (of: &audit::FolderVersion) {
    /// The folder; empty for the root.
    folder: String = of.folder.to_string(),
    /// The files that were copied, where they are not the folder: a single one, or a few among
    /// others.
    copied_files: Vec<String> = names(&of.files),
    component: String = of.component.name.clone(),
    corpus: String = of.component.corpus.clone(),
    /// The folder of the component that it is a copy of; empty for its root.
    origin: String = of.origin.to_string(),
    /// A tag, `FIRST to LAST` where several tags fit equally, or a commit; null if most files
    /// differ from every one.
    version: Option<String> = of.version(),
    /// The version that fits best, whether or not most files are identical.
    nearest: Option<String> = of.nearest(),
    first_tag: Option<String> = of.tags.as_ref().map(|(first, _)| first.clone()),
    last_tag: Option<String> = of.tags.as_ref().map(|(_, last)| last.clone()),
    /// The package URL with the version, if it is a single one.
    purl: Option<String> = of.purl(),
    /// The commit that fits better than any tag.
    nearest_commit: Option<PastCommit> = of.commit.as_ref().map(|(commit, _)| commit.into()),
    /// The lines that differ from that commit.
    nearest_commit_lines: Option<usize> = of.commit.as_ref().map(|(_, n)| *n),
    files: usize = of.n_files,
    lines: usize = of.n_lines,
    /// Files that are identical to those of the version.
    identical_files: usize = of.identical.len(),
    /// Files that differ in comments and layout only.
    equal_files: usize = of.equal.len(),
    added_lines: usize = of.n_edited_lines().0,
    removed_lines: usize = of.n_edited_lines().1,
    /// The local edits.
    edited: Vec<EditedFile> = each(&of.edited),
    /// Files that are identical to those of another version.
    of_other_versions: Vec<FileOfVersion> = each(&of.of_others),
    /// Files that the version does not have.
    added: Vec<String> = names(&of.added),
    /// Files of the version that are not there, by their paths in the component.
    missing: Vec<String> = names(&of.missing),
    /// Further ones in folders of which nothing was copied.
    missing_elsewhere: usize = of.n_missing_elsewhere,
}

struct FileOfVersion from ((path, version): &(FilePath, String)) {
    path: String = path.to_string(),
    /// The versions that have it, or the commit that does.
    version: String = version.clone(),
}

struct EditedFile from (of: &audit::EditedFile) {
    path: String = of.path.to_string(),
    origin: String = of.origin.to_string(),
    edits: Vec<EditedLines> = each(&of.edits),
}

/// Lines that were replaced: from 1, the end after the last; an empty range comes before its start.
struct EditedLines from (of: &audit::EditedLines) {
    removed_start: u32 = of.removed.start,
    removed_end: u32 = of.removed.end,
    added_start: u32 = of.added.start,
    added_end: u32 = of.added.end,
    /// The lines of the version, if its repository is available.
    removed: Option<Vec<String>> = of.removed_text.as_deref().map(shown),
    added: Vec<String> = shown(&of.added_text),
}

}

fn names(paths: &[FilePath]) -> Vec<String> {
    paths.iter().map(ToString::to_string).collect()
}

fn shown(lines: &[Vec<u8>]) -> Vec<String> {
    lines.iter().map(printable).collect()
}
