//! Where a copy comes from: a place in the tree, the past or a component, whose it is, and on which
//! terms.

use schemars::JsonSchema;
use serde::Serialize;

use crate::license::Class;
use crate::matching::CloneType;
use crate::policy::{self, Attribution};

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Origin {
    /// Where it is.
    place: Place,
    /// The commit that deleted it, if its place is the past.
    deletion: Option<Deletion>,
    /// Whose it is, if its place is a component.
    component: Option<Component>,
    path: String,
    fragment: Fragment,
    /// `type-1`, `type-2` or `type-3`; `type-4` for other code with the same words, whose
    /// similarity is the part of them.
    clone_type: &'static str,
    /// For Type-2: whether names are renamed one to one throughout.
    consistent_renaming: Option<bool>,
    /// The similarity of copy and origin, 0 to 1.
    similarity: f64,
    /// When and by whom it was written, if requested and known.
    written: Option<Written>,
    /// The verdict of the license policy, if its place is a component.
    verdict: Option<Verdict>,
}

/// Where an origin is.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Place {
    /// In the head tree.
    Tree,
    /// In the history of the repository: it was deleted.
    Past,
    /// In a component of a corpus, or in a vendored folder.
    Component,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Deletion {
    commit: String,
    /// The subject of the commit.
    subject: String,
    /// Its time, in seconds since 1970.
    time: i64,
    /// Whether the change is a revert of it.
    is_reverted: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Component {
    /// The corpus it is in.
    corpus: String,
    name: String,
    version: Option<String>,
    /// Its package URL.
    purl: Option<String>,
    /// Where to get it.
    url: Option<String>,
    /// An SPDX expression; null if unknown.
    license: Option<String>,
    /// What the license requires of those who copy.
    license_class: Class,
    /// How the license was found.
    license_evidence: Option<String>,
    /// Whether the license was declared, by the maker of the corpus or in the settings, rather than
    /// found.
    is_declared: bool,
    /// Evidence for other licenses.
    contradictions: Vec<String>,
    /// The copyright notices that apply.
    notices: Vec<String>,
    /// The first commit of its history that has the origin.
    first_seen: Option<FirstAppearance>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct FirstAppearance {
    /// Null for an archive.
    commit: Option<String>,
    /// Its time according to the commit or the archive, in seconds since 1970.
    time: i64,
}

/// A potential verdict of the license policy, for a person to review.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Verdict {
    /// `allowed`, `review`, `unknown` or `denied`.
    answer: &'static str,
    reason: String,
    /// `not-asked`, `owed` or `given`.
    attribution: &'static str,
    /// The copyright notices that are owed, if known.
    owed: Vec<String>,
    /// The file that gives the notices.
    given_in: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::report) struct Written {
    /// The commit that added most of its lines.
    commit: String,
    author: String,
    /// When the author wrote it, in seconds since 1970.
    author_time: i64,
    /// The path of its file at that time.
    path: String,
}

/// A part of a file; lines and columns from 1, columns in UTF-16 code units, the end column after
/// the last.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(in crate::report) struct Fragment {
    start_line: u32,
    start_column: u32,
    end_line: u32,
    end_column: u32,
}

pub(super) fn origin(origin: &policy::Origin) -> Origin {
    let clone_type = origin.clone_type.name();
    let consistent_renaming = match origin.clone_type {
        CloneType::Type2 { is_consistent } => Some(is_consistent),
        CloneType::Type1 | CloneType::Type3 | CloneType::Type4 => None,
    };
    let (place, deletion, component) = match &origin.place {
        policy::Place::Tree => (Place::Tree, None, None),
        policy::Place::Past(of) => (Place::Past, Some(deletion(of)), None),
        policy::Place::Component(of) => (Place::Component, None, Some(component(of))),
    };
    Origin {
        place,
        deletion,
        component,
        path: origin.path.to_string(),
        fragment: fragment(&origin.fragment),
        clone_type,
        consistent_renaming,
        similarity: (origin.similarity * 1000.0).round() / 1000.0,
        written: origin.written.as_deref().map(written),
        verdict: origin.verdict.as_ref().map(verdict),
    }
}

fn deletion(of: &policy::Deletion) -> Deletion {
    let policy::Deletion { commit, subject, time, is_reverted } = of.clone();
    Deletion { commit, subject, time, is_reverted }
}

pub(super) fn component(of: &policy::Component) -> Component {
    let policy::Component { corpus, name, version, purl, url, terms, first_seen } = of.clone();
    Component {
        corpus,
        name,
        version,
        purl,
        url,
        license: of.license(),
        license_class: terms.class(),
        license_evidence: terms.evidence,
        is_declared: terms.is_declared,
        contradictions: terms.contradictions.into_iter().map(|of| of.evidence).collect(),
        notices: terms.notices,
        first_seen: first_seen.as_ref().map(self::first_seen),
    }
}

pub(super) fn first_seen(of: &policy::FirstAppearance) -> FirstAppearance {
    FirstAppearance { commit: of.commit().map(ToOwned::to_owned), time: of.time }
}

pub(super) fn verdict(of: &policy::Verdict) -> Verdict {
    let (attribution, owed, given_in) = match of.attribution.clone() {
        Attribution::NotAsked => ("not-asked", Vec::new(), None),
        Attribution::Owed(notices) => ("owed", notices, None),
        Attribution::Given(path) => ("given", Vec::new(), Some(path)),
    };
    Verdict { answer: of.answer.name(), reason: of.reason.clone(), attribution, owed, given_in }
}

pub(in crate::report) fn written(of: &policy::Writing) -> Written {
    Written {
        commit: of.commit.clone(),
        author: of.author.clone(),
        author_time: of.time,
        path: of.path.to_string(),
    }
}

pub(in crate::report) fn fragment(fragment: &policy::Fragment) -> Fragment {
    Fragment {
        start_line: fragment.start.line,
        start_column: fragment.start.column,
        end_line: fragment.end.line,
        end_column: fragment.end.column,
    }
}
