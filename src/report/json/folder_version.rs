//! The version of a component that a folder was copied from, and what was edited since.

use schemars::JsonSchema;
use serde::Serialize;

use super::missed_commits::{PastCommit, past_commit};
use crate::audit;
use crate::text::{FilePath, printable};

/// A folder that was copied from a component, and the version that it fits best.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct FolderVersion {
    /// The folder; empty for the root.
    folder: String,
    /// The files that were copied, where they are not the folder: a single one, or a few among
    /// others.
    copied_files: Vec<String>,
    component: String,
    corpus: String,
    /// The folder of the component that it is a copy of; empty for its root.
    origin: String,
    /// A tag, `FIRST to LAST` where several tags fit equally, or a commit; null if most files
    /// differ from every one.
    version: Option<String>,
    /// The version that fits best, whether or not most files are identical.
    nearest: Option<String>,
    first_tag: Option<String>,
    last_tag: Option<String>,
    /// The package URL with the version, if it is a single one.
    purl: Option<String>,
    /// The commit that fits better than any tag.
    nearest_commit: Option<PastCommit>,
    /// The lines that differ from that commit.
    nearest_commit_lines: Option<usize>,
    files: usize,
    lines: usize,
    /// Files that are identical to those of the version.
    identical_files: usize,
    /// Files that differ in comments and layout only.
    equal_files: usize,
    added_lines: usize,
    removed_lines: usize,
    /// The local edits.
    edited: Vec<EditedFile>,
    /// Files that are identical to those of another version.
    of_other_versions: Vec<FileOfVersion>,
    /// Files that the version does not have.
    added: Vec<String>,
    /// Files of the version that are not there, by their paths in the component.
    missing: Vec<String>,
    /// Further ones in folders of which nothing was copied.
    missing_elsewhere: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FileOfVersion {
    path: String,
    /// The versions that have it, or the commit that does.
    version: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct EditedFile {
    path: String,
    origin: String,
    edits: Vec<EditedLines>,
}

/// Lines that were replaced: from 1, the end after the last; an empty range comes before its start.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct EditedLines {
    removed_start: u32,
    removed_end: u32,
    added_start: u32,
    added_end: u32,
    /// The lines of the version, if its repository is available.
    removed: Option<Vec<String>>,
    added: Vec<String>,
}

pub(super) fn folder_version(of: &audit::FolderVersion) -> FolderVersion {
    let shown = |line: &Vec<u8>| printable(line);
    let edit = |edit: &audit::EditedLines| EditedLines {
        removed_start: edit.removed.start,
        removed_end: edit.removed.end,
        added_start: edit.added.start,
        added_end: edit.added.end,
        removed: edit.removed_text.as_ref().map(|lines| lines.iter().map(shown).collect()),
        added: edit.added_text.iter().map(shown).collect(),
    };
    let file = |file: &audit::EditedFile| EditedFile {
        path: file.path.to_string(),
        origin: file.origin.to_string(),
        edits: file.edits.iter().map(edit).collect(),
    };
    let of_version = |(path, version): &(FilePath, String)| FileOfVersion {
        path: path.to_string(),
        version: version.clone(),
    };
    let names = |paths: &[FilePath]| paths.iter().map(ToString::to_string).collect();
    let (added_lines, removed_lines) = of.n_edited_lines();
    FolderVersion {
        folder: of.folder.to_string(),
        copied_files: names(&of.files),
        component: of.component.name.clone(),
        corpus: of.component.corpus.clone(),
        origin: of.origin.to_string(),
        version: of.version(),
        nearest: of.nearest(),
        first_tag: of.tags.as_ref().map(|(first, _)| first.clone()),
        last_tag: of.tags.as_ref().map(|(_, last)| last.clone()),
        purl: of.purl(),
        nearest_commit: of.commit.as_ref().map(|(commit, _)| past_commit(commit)),
        nearest_commit_lines: of.commit.as_ref().map(|(_, n)| *n),
        files: of.n_files,
        lines: of.n_lines,
        identical_files: of.identical.len(),
        equal_files: of.equal.len(),
        added_lines,
        removed_lines,
        edited: of.edited.iter().map(file).collect(),
        of_other_versions: of.of_others.iter().map(of_version).collect(),
        added: names(&of.added),
        missing: names(&of.missing),
        missing_elsewhere: of.n_missing_elsewhere,
    }
}
