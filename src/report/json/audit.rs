//! What the command `audit` found in a whole tree, and how much of it is by license and by
//! component.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::folder_version::{FolderVersion, folder_version};
use super::origin::{Component, FirstAppearance, Verdict, component, first_seen, verdict};
use crate::audit;
use crate::license::Class;
use crate::report::audited::{OfClass as OfThisClass, classes, share as percent_of};

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Audit {
    /// The name of the tree.
    project: String,
    /// Its revision: a commit, or the work tree on one.
    revision: String,
    /// What it was compared with.
    corpora: Vec<ExaminedCorpus>,
    /// Files that were compared.
    files: usize,
    tokens: usize,
    /// Those of the tokens that were found in a corpus.
    copied_tokens: usize,
    copied_percent: f64,
    /// By license class; a file with code of two classes counts in both.
    by_license_class: BTreeMap<&'static str, OfClass>,
    /// Whose code it is, the largest share first.
    components: Vec<ComponentCopy>,
    /// Short fragments that read like code of components, which they may be by chance: no evidence
    /// of a copy.
    possible: Vec<Possible>,
    /// Which versions of components folders are, as far as the corpora have their history; sorted
    /// by folder.
    versions: Vec<FolderVersion>,
    /// The files that contain code of components, sorted by path.
    copied_files: Vec<CopiedFile>,
    /// What the history added, the oldest first, if requested.
    brought: Option<Vec<Introduction>>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct ExaminedCorpus {
    name: String,
    /// A digest (SHA-256) of everything in it, as `corpus show` prints it; null for what is in an
    /// engine.
    digest: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct OfClass {
    components: usize,
    files: usize,
    tokens: usize,
    /// Of all tokens of the tree, 0 to 100.
    percent: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ComponentCopy {
    component: Component,
    verdict: Verdict,
    files: usize,
    tokens: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Possible {
    path: String,
    name: String,
    version: Option<String>,
    /// The file of the component.
    origin: String,
    tokens: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CopiedFile {
    path: String,
    /// The SHA-1 of its content.
    sha1: String,
    tokens: usize,
    copied_tokens: usize,
    /// How much of it was found in corpora, 0 to 100.
    containment_percent: f64,
    /// Whether it is identical to a file of a component.
    is_whole: bool,
    /// How it relates to its origin, as the version of its folder shows.
    state: State,
    /// For an edited file, the lines that were added.
    added_lines: Option<usize>,
    /// Those that were removed.
    removed_lines: Option<usize>,
    /// The version that it was compared with.
    since: Option<String>,
    /// What explains it, the largest share first; each token is explained once.
    origins: Vec<Explanation>,
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

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Explanation {
    /// The index of the component in `components`, from 0.
    component: usize,
    name: String,
    /// The versions of the component that have this file as it was copied, or the commit that does.
    version: Option<String>,
    /// Its license; null if unknown.
    license: Option<String>,
    path: String,
    tokens: usize,
    /// How much of the file it explains, 0 to 100.
    percent: f64,
}

/// Code of a component that a commit added to a file.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Introduction {
    path: String,
    /// The first commit that has the code in this file.
    first: FirstAppearance,
    component: Component,
    /// The file of the component.
    origin: String,
    verdict: Verdict,
    /// How much of the file it was, 0 to 100.
    containment_percent: f64,
    /// Whether the head still has code of the component in this file.
    is_in_head: bool,
    /// Which side is older, and whether the dates can be trusted.
    notes: Vec<String>,
}

pub(super) fn audit(of: &audit::AuditSummary) -> Audit {
    let of_class = |(class, this): (Class, OfThisClass)| {
        let OfThisClass { n_components, n_files, n_tokens } = this;
        let percent = percent_of(n_tokens, of.n_tokens);
        (
            class.name(),
            OfClass { components: n_components, files: n_files, tokens: n_tokens, percent },
        )
    };
    let taken = |taken: &audit::ComponentCopy| ComponentCopy {
        component: component(&taken.component),
        verdict: verdict(&taken.verdict),
        files: taken.n_files,
        tokens: taken.n_tokens,
    };
    let file = |file: &audit::CopiedFile| {
        let explained = |part: &audit::Explanation| Explanation {
            component: part.component,
            name: of.components[part.component].component.name.clone(),
            version: part.version.clone(),
            license: of.components[part.component].component.license(),
            path: part.path.to_string(),
            tokens: part.n_tokens,
            percent: percent_of(part.n_tokens, file.n_tokens),
        };
        let (state, lines, since) = match of.state_of(file) {
            audit::State::Identical => (State::Identical, None, None),
            audit::State::Equal => (State::Equal, None, None),
            audit::State::Edited { lines, since } => (State::Edited, Some(lines), since),
            audit::State::Part => (State::Part, None, None),
        };
        CopiedFile {
            path: file.path.to_string(),
            sha1: file.sha1.clone(),
            tokens: file.n_tokens,
            copied_tokens: file.n_copied,
            containment_percent: percent_of(file.n_copied, file.n_tokens),
            is_whole: file.is_whole,
            state,
            added_lines: lines.map(|(added, _)| added),
            removed_lines: lines.map(|(_, removed)| removed),
            since,
            origins: file.origins.iter().map(explained).collect(),
        }
    };
    let corpus = |of: &audit::ExaminedCorpus| ExaminedCorpus {
        name: of.name.clone(),
        digest: of.digest.clone(),
    };
    Audit {
        project: of.project.clone(),
        revision: of.revision.clone(),
        corpora: of.corpora.iter().map(corpus).collect(),
        files: of.n_files,
        tokens: of.n_tokens,
        copied_tokens: of.n_copied,
        copied_percent: percent_of(of.n_copied, of.n_tokens),
        by_license_class: classes(of).into_iter().map(of_class).collect(),
        components: of.components.iter().map(taken).collect(),
        possible: of.possible.iter().map(possible).collect(),
        versions: of.versions.iter().map(folder_version).collect(),
        copied_files: of.files.iter().map(file).collect(),
        brought: of.brought.as_ref().map(|all| all.iter().map(brought).collect()),
    }
}

fn possible(of: &audit::Possible) -> Possible {
    Possible {
        path: of.path.to_string(),
        name: of.component.name.clone(),
        version: of.component.version.clone(),
        origin: of.origin.to_string(),
        tokens: of.n_tokens,
    }
}

fn brought(of: &audit::Introduction) -> Introduction {
    Introduction {
        path: of.path.to_string(),
        first: first_seen(&of.first),
        component: component(&of.component),
        origin: of.origin.to_string(),
        verdict: verdict(&of.verdict),
        containment_percent: (of.containment * 1000.0).round() / 10.0,
        is_in_head: of.is_in_head,
        notes: of.notes.clone(),
    }
}
