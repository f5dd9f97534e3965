//! Defines an origin: where the code of a copy may come from, and how several origins are sorted.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Answer, Verdict};
use crate::license::Terms;
use crate::matching::CloneType;
use crate::text::{FilePath, LinedText, Position};

/// A contiguous part of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "[u32; 4]", into = "[u32; 4]")]
pub struct Fragment {
    /// The first character.
    pub start: Position,
    /// After the last character, on its line.
    pub end: Position,
}

/// As it is stored: line and column of both ends, in order whoever wrote them.
impl From<[u32; 4]> for Fragment {
    fn from([line, column, end_line, end_column]: [u32; 4]) -> Self {
        let end = Position { line: end_line.max(line), column: end_column };
        Self { start: Position { line, column }, end }
    }
}

impl From<Fragment> for [u32; 4] {
    fn from(Fragment { start, end }: Fragment) -> Self {
        [start.line, start.column, end.line, end.column]
    }
}

impl Fragment {
    /// The lines it touches.
    #[inline]
    pub fn rows(&self) -> Range<u32> {
        self.start.line..self.end.line + 1
    }

    /// Whether it touches all lines that another one does.
    pub fn holds_lines(&self, other: &Self) -> bool {
        self.start.line <= other.start.line && other.end.line <= self.end.line
    }

    /// These columns of a line.
    pub fn in_line(line: u32, columns: Range<u32>) -> Self {
        let Range { start, end } = columns;
        Self { start: Position { line, column: start }, end: Position { line, column: end } }
    }

    /// The number of lines it touches.
    pub fn n_lines(&self) -> u32 {
        self.end.line - self.start.line + 1
    }

    /// The number of lines that both touch, if they are of one file.
    pub fn n_shared_lines(&self, other: &Self) -> u32 {
        let end = self.end.line.min(other.end.line) + 1;
        end.saturating_sub(self.start.line.max(other.start.line))
    }

    /// The lines it touches: `12` or `12-20`.
    pub fn lines(&self) -> String {
        let (first, last) = (self.start.line, self.end.line);
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    }

    /// Where it is in a file: `src/a.c:12-20`.
    pub fn in_file(&self, path: &FilePath) -> String {
        format!("{path}:{}", self.lines())
    }

    /// Where it begins in a file: `src/a.c:12`.
    pub fn start_in(&self, path: &FilePath) -> String {
        format!("{path}:{}", self.start.line)
    }
}

/// Code that a copy was made from, or may have been made from.
#[derive(Debug, Clone, PartialEq)]
pub struct Origin {
    /// Where it is.
    pub place: Place,
    /// The file.
    pub path: FilePath,
    /// The fragment in it.
    pub fragment: Fragment,
    /// How the copy differs from it.
    pub clone_type: CloneType,
    /// Their similarity, 0 to 1.
    pub similarity: f64,
    /// What else the copy has in common with it.
    pub in_common: InCommon,
    /// What else decides the order of origins.
    pub rank: Rank,
    /// The text of the file, if it is known and not in the head tree.
    pub text: Option<Arc<LinedText>>,
    /// When and by whom it was written, if requested and known.
    pub written: Option<Arc<Writing>>,
    /// The verdict of the license policy, for an origin in a component.
    pub verdict: Option<Verdict>,
}

impl Origin {
    /// Code of the tree, of which nothing else is known.
    pub fn in_tree(
        path: FilePath,
        fragment: Fragment,
        clone_type: CloneType,
        similarity: f64,
    ) -> Self {
        Self {
            place: Place::Tree,
            path,
            fragment,
            clone_type,
            similarity,
            in_common: InCommon::NAMES,
            rank: Rank::SAME,
            text: None,
            written: None,
            verdict: None,
        }
    }

    /// How a copy relates to it: of two places that a change adds, neither is known as the first.
    pub fn relation(&self) -> &'static str {
        if self.rank.is_new { "the same as" } else { "copied from" }
    }

    /// The answer of the license policy, for an origin in a component.
    pub fn answer(&self) -> Option<Answer> {
        self.verdict.as_ref().map(|verdict| verdict.answer)
    }
}

/// What a copy and an origin have in common besides their tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InCommon {
    /// The part of the copy's names that the origin has as well, spelled the same, 0 to 1.
    pub names: f64,
    /// The part of names and literals that do agree, as they are or renamed one to one, 0 to 1.
    pub agreement: f64,
    /// Names in both that few of the files nearby use.
    pub n_rare_names: usize,
    /// Lines in both, spelled the same; those of one shape counted once.
    pub n_equal_lines: usize,
    /// How much of one file the other held before, in percent, if one is a bundle with it.
    pub in_step: Option<u8>,
    /// Whether the origin is in a document.
    pub is_prose: bool,
    /// Whether the origin is generated.
    pub is_generated: bool,
    /// Whether no build has both.
    pub is_alternative: bool,
    /// Lines of the copy with code that the origin has as well; 0 if that is not known.
    pub n_lines: u32,
    /// What the change inserted both here and there, if the two were alike before.
    pub insertion: Option<Insertion>,
    /// How the origin could be used in place of the copy.
    pub reuse: Reuse,
}

/// How code could be used instead of a copy of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reuse {
    /// It is a whole function, which can be called.
    Call,
    /// It holds functions, and what belongs to them.
    Use,
    /// It is a part of something, which has to be written once first.
    Share,
}

/// Code that a change inserted into two places that were alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Insertion {
    /// New tokens.
    pub n_tokens: usize,
    /// Whether it holds a whole function or class.
    pub holds_unit: bool,
}

impl InCommon {
    /// Of an origin whose names are the same, and of which no more is known.
    pub const NAMES: Self = Self {
        names: 1.0,
        agreement: 1.0,
        n_rare_names: 0,
        n_equal_lines: 0,
        in_step: None,
        is_prose: false,
        is_generated: false,
        is_alternative: false,
        n_lines: 0,
        insertion: None,
        reuse: Reuse::Share,
    };
}

/// What decides the order of several origins, before their distance does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rank {
    /// The part of the finding that it explains, by how similar the two are there, 0 to 1.
    pub explains: f64,
    /// Whether the change adds most of it too: existing code comes first.
    pub is_new: bool,
    /// Tokens spelled the same, divided by all tokens of the finding and the origin, 0 to 1.
    pub spelled: f64,
    /// The same for lines, including comments, 0 to 1.
    pub lines: f64,
}

impl Rank {
    /// The rank of an origin that is the same in every way and existed before.
    pub const SAME: Self = Self { explains: 1.0, is_new: false, spelled: 1.0, lines: 1.0 };
}

/// Where an origin is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// In the head tree.
    Tree,
    /// In the history of the repository: it was deleted.
    Past(Arc<Deletion>),
    /// In a component of a corpus, or in a vendored folder.
    Component(Arc<Component>),
}

impl Place {
    /// The name of its kind.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Tree => "tree",
            Self::Past(_) => "past",
            Self::Component(_) => "component",
        }
    }

    /// Who deleted what is there, if it is in the past.
    pub fn deletion(&self) -> Option<&Deletion> {
        if let Self::Past(deletion) = self { Some(deletion) } else { None }
    }

    /// Whose it is, if it is in a component.
    pub fn component(&self) -> Option<&Component> {
        if let Self::Component(component) = self { Some(component) } else { None }
    }
}

/// The first ten digits of a commit.
pub fn short_commit(commit: &str) -> &str {
    commit.get(..10).unwrap_or(commit)
}

/// When code left the repository.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deletion {
    /// The commit that deleted it, in hexadecimal.
    pub commit: String,
    /// The subject of that commit.
    pub subject: String,
    /// Its time, in seconds since 1970.
    pub time: i64,
    /// Whether the change is a revert of that commit.
    pub is_reverted: bool,
}

/// When and by whom code was written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Writing {
    /// The commit that added most of it, in hexadecimal.
    pub commit: String,
    /// The name of its author.
    pub author: String,
    /// When the author wrote it, in seconds since 1970.
    pub time: i64,
    /// The path of its file at that time.
    pub path: FilePath,
}

/// A project whose code is in a corpus.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Component {
    /// The corpus it is in.
    pub corpus: String,
    /// Its name.
    pub name: String,
    /// Its version, a release or a commit.
    pub version: Option<String>,
    /// Its package URL.
    pub purl: Option<String>,
    /// Where to get it.
    pub url: Option<String>,
    /// The license terms of the file that contains the origin.
    pub terms: Terms,
    /// Where the origin first appears in a history.
    pub first_seen: Option<FirstAppearance>,
}

/// The first commit that contains something, or the archive, and its time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FirstAppearance {
    /// The commit, in hexadecimal; empty for an archive.
    pub commit: String,
    /// Its time in seconds since 1970, according to the commit or the archive.
    pub time: i64,
}

impl FirstAppearance {
    /// The commit; `None` for an archive, whose code may be much older.
    pub fn commit(&self) -> Option<&str> {
        (!self.commit.is_empty()).then_some(&*self.commit)
    }
}

impl Component {
    /// The license, an SPDX expression; `None` if unknown.
    pub fn license(&self) -> Option<String> {
        self.terms.license.as_ref().map(ToString::to_string)
    }

    /// The license in words.
    pub fn license_words(&self) -> String {
        self.license().unwrap_or_else(|| "license not known".to_owned())
    }

    /// Its name and, if known, its version.
    pub fn label(&self) -> String {
        let version = self.version.as_ref().map(|version| format!(" {version}"));
        format!("{}{}", self.name, version.unwrap_or_default())
    }

    /// Whether both are code of one component under one license.
    pub fn is_same(&self, other: &Self) -> bool {
        (&self.corpus, &self.name, &self.terms.license)
            == (&other.corpus, &other.name, &other.terms.license)
    }

    /// When its history first has the origin; `None` for an archive, which may be much younger.
    pub fn committed(&self) -> Option<i64> {
        let seen = self.first_seen.as_ref()?;
        seen.commit().map(|_| seen.time)
    }

    /// Its version as programs take it: one release or commit, and not `v1.2.0 to v1.2.1`.
    pub fn single_version(&self) -> Option<&str> {
        self.version.as_deref().filter(|version| !version.contains(" to "))
    }

    /// The component without a version, where several are mixed or none is known.
    #[must_use]
    pub fn unversioned(&self) -> Self {
        let purl = self.purl.as_deref().map(unversioned_purl);
        Self { version: None, purl, ..self.clone() }
    }
}

/// A package URL without its version: it is `pkg:type/name@version?qualifiers#subpath`.
pub fn unversioned_purl(purl: &str) -> String {
    let (name, rest) = purl.split_at(purl.find(['?', '#']).unwrap_or(purl.len()));
    let after_type = name.find('/').unwrap_or(0);
    let name = name[after_type..]
        .rfind('@')
        .filter(|&at| at > 1)
        .map_or(name, |at| &name[..after_type + at]);
    format!("{name}{rest}")
}

/// Maximum difference in what two origins explain for them to be equals: the older of them comes
/// first. A smaller one would name a new twin before the old code that both were made from, a
/// larger one names old code that explains little.
const AS_GOOD: f64 = 0.15;

/// Sorts origins: those that explain about as much of the copy as the best one does before the
/// others; of these, code that was written by hand first, then code from before the change, then
/// the most similar spelling, then the nearest path, then by name and line.
///
/// Figures within one percent count as equal, so that a stray token does not outweigh distance.
pub fn order_origins(origins: &mut [Origin], path: &FilePath) {
    let best = best_explained(origins);
    origins.sort_by_cached_key(|origin| {
        let Rank { explains, is_new, spelled, lines } = origin.rank;
        let alike = [spelled, origin.similarity, lines].map(|part| (part * 100.0).round() as i64);
        (
            explains < best - AS_GOOD,
            origin.in_common.is_generated,
            is_new,
            alike.map(Reverse),
            origin.path.distance(path),
            origin.path.clone(),
            origin.fragment,
        )
    });
}

/// The number of origins that explain about as much of the copy as the best one does. The others
/// have parts of it.
pub fn n_as_good(origins: &[Origin]) -> usize {
    let best = best_explained(origins);
    origins.iter().filter(|origin| origin.rank.explains >= best - AS_GOOD).count()
}

fn best_explained(origins: &[Origin]) -> f64 {
    origins.iter().map(|origin| origin.rank.explains).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(path: &str, similarity: f64) -> Origin {
        let fragment = Fragment::in_line(1, 1..1);
        Origin {
            rank: Rank { explains: similarity, is_new: false, spelled: similarity, lines: 0.0 },
            ..Origin::in_tree(FilePath::new(path), fragment, CloneType::Type3, similarity)
        }
    }

    #[test]
    fn the_most_similar_origin_comes_first_then_the_nearest() {
        let mut origins =
            [origin("far/away/a.c", 0.9), origin("src/b.c", 0.9), origin("far/c.c", 0.95)];
        order_origins(&mut origins, &FilePath::new("src/new.c"));
        let paths: Vec<_> = origins.iter().map(|origin| origin.path.to_string()).collect();
        assert_eq!(paths, ["far/c.c", "src/b.c", "far/away/a.c"]);
    }

    #[test]
    fn what_explains_a_part_of_a_copy_is_no_place_of_it() {
        assert_eq!(n_as_good(&[origin("a.c", 1.0), origin("b.c", 0.9), origin("c.c", 0.07)]), 2);
    }

    #[test]
    fn an_old_origin_comes_first_unless_a_new_one_explains_far_more() {
        let ranked = |path: &str, explains: f64, is_new: bool| Origin {
            rank: Rank { explains, is_new, spelled: explains, lines: 0.0 },
            ..origin(path, 0.9)
        };
        let first = |old: f64, new: f64| {
            let mut origins = [ranked("new.c", new, true), ranked("old.c", old, false)];
            order_origins(&mut origins, &FilePath::new("copy.c"));
            origins[0].path.to_string()
        };
        assert_eq!((first(0.86, 1.0), first(0.84, 1.0)), ("old.c".to_owned(), "new.c".to_owned()));
    }
}
