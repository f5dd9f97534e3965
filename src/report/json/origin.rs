//! Where a copy comes from: a place in the tree, the past or a component, whose it is, and on which
//! terms.

use schemars::JsonSchema;
use serde::Serialize;

use crate::license::Class;
use crate::matching::CloneType;
use crate::policy::{self, Attribution};
use crate::report::plain_json::{json_types, rounded};

json_types! {

pub(super) struct Origin from (of: &policy::Origin) {
    /// Where it is.
    place: Place = Place::from(&of.place),
    /// The commit that deleted it, if its place is the past.
    deletion: Option<Deletion> = of.place.deletion().map(Deletion::from),
    /// Whose it is, if its place is a component.
    component: Option<Component> = of.place.component().map(Component::from),
    path: String = of.path.to_string(),
    fragment: Fragment = Fragment::from(&of.fragment),
    /// `type-1`, `type-2` or `type-3`; `type-4` for other code with the same words, whose
    /// similarity is the part of them.
    clone_type: &'static str = of.clone_type.name(),
    /// For Type-2: whether names are renamed one to one throughout.
    consistent_renaming: Option<bool> = is_consistent(of.clone_type),
    /// The similarity of copy and origin, 0 to 1.
    similarity: f64 = rounded(of.similarity, 3),
    /// When and by whom it was written, if requested and known.
    written: Option<Written> = of.written.as_deref().map(Written::from),
    /// The verdict of the license policy, if its place is a component.
    verdict: Option<Verdict> = of.verdict.as_ref().map(Verdict::from),
}

struct Deletion from (of: &policy::Deletion) {
    commit: String = of.commit.clone(),
    /// The subject of the commit.
    subject: String = of.subject.clone(),
    /// Its time, in seconds since 1970.
    time: i64 = of.time,
    /// Whether the change is a revert of it.
    is_reverted: bool = of.is_reverted,
}

pub(super) struct Component from (of: &policy::Component) {
    /// The corpus it is in.
    corpus: String = of.corpus.clone(),
    name: String = of.name.clone(),
    version: Option<String> = of.version.clone(),
    /// Its package URL.
    purl: Option<String> = of.purl.clone(),
    /// Where to get it.
    url: Option<String> = of.url.clone(),
    /// An SPDX expression; null if unknown.
    license: Option<String> = of.license(),
    /// What the license requires of those who copy.
    license_class: Class = of.terms.class(),
    /// How the license was found.
    license_evidence: Option<String> = of.terms.evidence.clone(),
    /// Whether the license was declared, by the maker of the corpus or in the settings, rather than
    /// found.
    is_declared: bool = of.terms.is_declared,
    /// Evidence for other licenses.
    contradictions: Vec<String> =
        of.terms.contradictions.iter().map(|of| of.evidence.clone()).collect(),
    /// The copyright notices that apply.
    notices: Vec<String> = of.terms.notices.clone(),
    /// The first commit of its history that has the origin.
    first_seen: Option<FirstAppearance> = of.first_seen.as_ref().map(FirstAppearance::from),
}

pub(super) struct FirstAppearance from (of: &policy::FirstAppearance) {
    /// Null for an archive.
    commit: Option<String> = of.commit().map(ToOwned::to_owned),
    /// Its time according to the commit or the archive, in seconds since 1970.
    time: i64 = of.time,
}

/// A potential verdict of the license policy, for a person to review.
pub(super) struct Verdict from (of: &policy::Verdict) {
    /// `allowed`, `review`, `unknown` or `denied`.
    answer: &'static str = of.answer.name(),
    reason: String = of.reason.clone(),
    /// `not-asked`, `owed` or `given`.
    attribution: &'static str = match of.attribution {
        Attribution::NotAsked => "not-asked",
        Attribution::Owed(_) => "owed",
        Attribution::Given(_) => "given",
    },
    /// The copyright notices that are owed, if known.
    owed: Vec<String> =
        if let Attribution::Owed(notices) = &of.attribution { notices.clone() } else { Vec::new() },
    /// The file that gives the notices.
    given_in: Option<String> =
        if let Attribution::Given(path) = &of.attribution { Some(path.clone()) } else { None },
}

pub(in crate::report) struct Written from (of: &policy::Writing) {
    /// The commit that added most of its lines.
    commit: String = of.commit.clone(),
    author: String = of.author.clone(),
    /// When the author wrote it, in seconds since 1970.
    author_time: i64 = of.time,
    /// The path of its file at that time.
    path: String = of.path.to_string(),
}

/// A part of a file; lines and columns from 1, columns in UTF-16 code units, the end column after
/// the last.
pub(in crate::report) struct Fragment from (of: &policy::Fragment) {
    start_line: u32 = of.start.line,
    start_column: u32 = of.start.column,
    end_line: u32 = of.end.line,
    end_column: u32 = of.end.column,
}

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

impl From<&policy::Place> for Place {
    fn from(place: &policy::Place) -> Self {
        match place {
            policy::Place::Tree => Self::Tree,
            policy::Place::Past(_) => Self::Past,
            policy::Place::Component(_) => Self::Component,
        }
    }
}

/// Whether a clone renames one to one throughout; `None` if it is of another type.
pub(in crate::report) fn is_consistent(clone_type: CloneType) -> Option<bool> {
    if let CloneType::Type2 { is_consistent } = clone_type { Some(is_consistent) } else { None }
}
