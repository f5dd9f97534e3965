//! What `audit` found in a whole tree, by license, component, folder and file; and how much of one
//! is duplicated.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::finding::PastCommit;
use super::origin::{Component, FirstAppearance, Verdict};
use crate::audit::{self, AuditSummary};
use crate::report::audited::{self, classes, share as percent_of};
use crate::report::plain_json::{each, json_types, rounded, strings};
use crate::text::{FilePath, printable};

json_types! {

pub(super) struct Audit from (of: &AuditSummary) {
    /// The name of the tree.
    project: String = of.project.clone(),
    /// Its revision: a commit, or the work tree on one.
    revision: String = of.revision.clone(),
    /// What it was compared with.
    corpora: Vec<ExaminedCorpus> = each(&of.corpora),
    /// Files that were compared.
    files: usize = of.n_files,
    tokens: usize = of.n_tokens,
    /// Those of the tokens that were found in a corpus.
    copied_tokens: usize = of.n_copied,
    copied_percent: f64 = percent_of(of.n_copied, of.n_tokens),
    /// By license class; a file with code of two classes counts in both.
    by_license_class: BTreeMap<&'static str, OfClass> = classes(of)
        .into_iter()
        .map(|(class, part)| (class.name(), OfClass::from((of, part))))
        .collect(),
    /// Whose code it is, the largest share first.
    components: Vec<ComponentCopy> = each(&of.components),
    /// Short fragments that read like code of components, which they may be by chance: no evidence
    /// of a copy.
    possible: Vec<Possible> = each(&of.possible),
    /// Which versions of components folders are, as far as the corpora have their history; sorted
    /// by folder.
    versions: Vec<FolderVersion> = each(&of.versions),
    /// The files that contain code of components, sorted by path.
    copied_files: Vec<CopiedFile> =
        of.files.iter().map(|file| CopiedFile::from((of, file, of.state_of(file)))).collect(),
    /// What the history added, the oldest first, if requested.
    brought: Option<Vec<Introduction>> = of.brought.as_ref().map(each),
}

struct ExaminedCorpus from (of: &audit::ExaminedCorpus) {
    name: String = of.name.clone(),
    /// A digest (SHA-256) of everything in it, as `corpus show` prints it; null for what is in an
    /// engine.
    digest: Option<String> = of.digest.clone(),
}

struct OfClass from ((tree, of): (&AuditSummary, audited::OfClass)) {
    components: usize = of.n_components,
    files: usize = of.n_files,
    tokens: usize = of.n_tokens,
    /// Of all tokens of the tree, 0 to 100.
    percent: f64 = percent_of(of.n_tokens, tree.n_tokens),
}

struct ComponentCopy from (of: &audit::ComponentCopy) {
    component: Component = Component::from(&*of.component),
    verdict: Verdict = Verdict::from(&of.verdict),
    files: usize = of.n_files,
    tokens: usize = of.n_tokens,
}

struct Possible from (of: &audit::Possible) {
    path: String = of.path.to_string(),
    name: String = of.component.name.clone(),
    version: Option<String> = of.component.version.clone(),
    /// The file of the component.
    origin: String = of.origin.to_string(),
    tokens: usize = of.n_tokens,
}

struct CopiedFile from (
    (tree, of, state): (&AuditSummary, &audit::CopiedFile, audit::State)
) {
    path: String = of.path.to_string(),
    /// The SHA-1 of its content.
    sha1: String = of.sha1.clone(),
    tokens: usize = of.n_tokens,
    copied_tokens: usize = of.n_copied,
    /// How much of it was found in corpora, 0 to 100.
    containment_percent: f64 = percent_of(of.n_copied, of.n_tokens),
    /// Whether it is identical to a file of a component.
    is_whole: bool = of.is_whole,
    /// How it relates to its origin, as the version of its folder shows.
    state: State = State::from(&state),
    /// For an edited file, the lines that were added.
    added_lines: Option<usize> = edited_lines(&state).map(|(added, _)| added),
    /// Those that were removed.
    removed_lines: Option<usize> = edited_lines(&state).map(|(_, removed)| removed),
    /// The version that it was compared with.
    since: Option<String> =
        if let audit::State::Edited { since, .. } = state { since } else { None },
    /// What explains it, the largest share first; each token is explained once.
    origins: Vec<Explanation> =
        of.origins.iter().map(|part| Explanation::from((tree, of, part))).collect(),
}

struct Explanation from (
    (tree, file, of): (&AuditSummary, &audit::CopiedFile, &audit::Explanation)
) {
    /// The index of the component in `components`, from 0.
    component: usize = of.component,
    name: String = tree.components[of.component].component.name.clone(),
    /// The versions of the component that have this file as it was copied, or the commit that does.
    version: Option<String> = of.version.clone(),
    /// Its license; null if unknown.
    license: Option<String> = tree.components[of.component].component.license(),
    path: String = of.path.to_string(),
    tokens: usize = of.n_tokens,
    /// How much of the file it explains, 0 to 100.
    percent: f64 = percent_of(of.n_tokens, file.n_tokens),
}

/// Code of a component that a commit added to a file.
struct Introduction from (of: &audit::Introduction) {
    path: String = of.path.to_string(),
    /// The first commit that has the code in this file.
    first: FirstAppearance = FirstAppearance::from(&of.first),
    component: Component = Component::from(&*of.component),
    /// The file of the component.
    origin: String = of.origin.to_string(),
    verdict: Verdict = Verdict::from(&of.verdict),
    /// How much of the file it was, 0 to 100.
    containment_percent: f64 = (of.containment * 1000.0).round() / 10.0,
    /// Whether the head still has code of the component in this file.
    is_in_head: bool = of.is_in_head,
    /// Which side is older, and whether the dates can be trusted.
    notes: Vec<String> = of.notes.clone(),
}

/// A folder that was copied from a component, and the version that it fits best.
struct FolderVersion from (of: &audit::FolderVersion) {
    /// The folder; empty for the root.
    folder: String = of.folder.to_string(),
    /// The files that were copied, where they are not the folder: a single one, or a few among
    /// others.
    copied_files: Vec<String> = strings(&of.files),
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
    added: Vec<String> = strings(&of.added),
    /// Files of the version that are not there, by their paths in the component.
    missing: Vec<String> = strings(&of.missing),
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

/// Of the source of a tree, without tests, examples and documents: lines that would go if each
/// class that is worth a warning in a change were written once.
pub(super) struct Duplication from (of: &audit::Duplication) {
    total: Share = Share::from(&of.total),
    /// The classes that count.
    classes: usize = of.n_classes,
    by_language: BTreeMap<String, Share> =
        of.by_language.iter().map(|(name, of)| (name.clone(), of.into())).collect(),
    /// By the folder right below the root; `.` for files at the root.
    by_folder: BTreeMap<String, Share> =
        of.by_folder.iter().map(|(path, of)| (path.to_string(), of.into())).collect(),
}

struct Share from (of: &audit::Share) {
    files: usize = of.n_files,
    lines: usize = of.n_lines,
    duplicated_lines: usize = of.duplicated_lines,
    /// The duplicated part of the lines, 0 to 100.
    percent_of_lines: f64 = rounded(of.percent(), 2),
}

}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum State {
    /// It has the same bytes.
    Identical,
    /// It differs in comments and layout only.
    Equal,
    /// It was edited.
    Edited,
    /// It contains code of it.
    Part,
}

impl From<&audit::State> for State {
    fn from(state: &audit::State) -> Self {
        match state {
            audit::State::Identical => Self::Identical,
            audit::State::Equal => Self::Equal,
            audit::State::Edited { .. } => Self::Edited,
            audit::State::Part => Self::Part,
        }
    }
}

fn edited_lines(state: &audit::State) -> Option<(usize, usize)> {
    if let audit::State::Edited { lines, .. } = state { Some(*lines) } else { None }
}

fn shown(lines: &[Vec<u8>]) -> Vec<String> {
    lines.iter().map(printable).collect()
}
