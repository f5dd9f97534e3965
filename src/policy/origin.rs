//! Defines an origin: where the code of a copy may come from, and in what order several are listed.

use std::sync::Arc;

use super::{Answer, Verdict};
use crate::license::Terms;
use crate::matching::CloneType;
use crate::text::{FilePath, Position};

/// A stretch of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fragment {
    /// The first character.
    pub start: Position,
    /// After the last character, on its line.
    pub end: Position,
}

impl Fragment {
    /// The number of lines it touches.
    pub fn n_lines(&self) -> u32 {
        self.end.line - self.start.line + 1
    }
}

/// Code that a copy was made from, or may have been.
#[derive(Debug, Clone, PartialEq)]
pub struct Origin {
    /// Where it is kept.
    pub place: Place,
    /// The file.
    pub path: FilePath,
    /// The fragment in it.
    pub fragment: Fragment,
    /// How the copy differs from it.
    pub clone_type: CloneType,
    /// How alike they are, 0 to 1.
    pub similarity: f64,
    /// The part of the copy's names that it has as well, spelled the same, 0 to 1.
    pub names: f64,
    /// How much of one of the two files the other one held before, in percent, when they are kept in step.
    pub in_step: Option<u8>,
    /// What else decides which origin comes first.
    pub rank: Rank,
    /// The text of the file, when it is not one of the head tree and is known.
    pub text: Option<Arc<[u8]>>,
    /// When and by whom it was written, when that was asked for and is known.
    pub written: Option<Arc<Writing>>,
    /// What the license policy says, of an origin in a component.
    pub verdict: Option<Verdict>,
}

impl Origin {
    /// What the license policy answers, of an origin in a component.
    pub fn answer(&self) -> Option<Answer> {
        self.verdict.as_ref().map(|verdict| verdict.answer)
    }
}

/// What decides which of several origins comes first, before how near it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rank {
    /// Whether the change brings most of it in as well: what was there before comes first.
    pub is_new: bool,
    /// Tokens that are spelled the same over all tokens of the finding and the origin, 0 to 1.
    pub spelled: f64,
    /// The same of lines, comments included, 0 to 1.
    pub lines: f64,
}

impl Rank {
    /// Of an origin that is the same in every way, and was there before.
    pub const SAME: Self = Self { is_new: false, spelled: 1.0, lines: 1.0 };
}

/// Where an origin is kept.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// In the head tree.
    Tree,
    /// In the past of the repository: it was deleted.
    Past(Arc<Deletion>),
    /// In a component of a corpus, or in a vendored folder.
    Component(Arc<Component>),
}

/// When code left the repository.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deletion {
    /// The commit that deleted it, in hexadecimal.
    pub commit: String,
    /// The subject of that commit.
    pub subject: String,
    /// When it was made, in seconds since 1970.
    pub time: i64,
    /// Whether the change is a revert of that commit.
    pub is_reverted: bool,
}

/// When and by whom code was written.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Writing {
    /// The commit that brought in most of it, in hexadecimal.
    pub commit: String,
    /// The name of its author.
    pub author: String,
    /// When the author wrote it, in seconds since 1970.
    pub time: i64,
    /// The file it stood in then.
    pub path: FilePath,
}

/// A project whose code is in a corpus: what is known of it.
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
    /// Where it can be had.
    pub url: Option<String>,
    /// What is known of the license of the file that the origin is in.
    pub terms: Terms,
    /// Where a history first has the origin.
    pub first_seen: Option<FirstSeen>,
}

/// The first commit that has something, and when it was made.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FirstSeen {
    /// The commit, in hexadecimal.
    pub commit: String,
    /// When it was made, in seconds since 1970: as the commit says.
    pub time: i64,
}

impl Component {
    /// The license, an SPDX expression; `None` when it is not known.
    pub fn license(&self) -> Option<String> {
        self.terms.license.as_ref().map(ToString::to_string)
    }

    /// Its name and, where known, its version.
    pub fn label(&self) -> String {
        let version = self.version.as_ref().map(|version| format!(" {version}"));
        format!("{}{}", self.name, version.unwrap_or_default())
    }
}

/// Sorts origins: what was there before the change first, then what is spelled most alike, then the nearest path, then by
/// name and line.
///
/// Figures within one percent count as equal, so that a stray token does not outweigh nearness.
pub fn order_origins(origins: &mut [Origin], path: &FilePath) {
    let percent = |part: f64| -((part * 100.0).round() as i64);
    origins.sort_by_cached_key(|origin| {
        let Rank { is_new, spelled, lines } = origin.rank;
        let alike = (percent(spelled), percent(origin.similarity), percent(lines));
        (is_new, alike, origin.path.distance(path), origin.path.clone(), origin.fragment)
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(path: &str, similarity: f64) -> Origin {
        let at = Position { line: 1, column: 1 };
        let fragment = Fragment { start: at, end: at };
        Origin {
            place: Place::Tree,
            path: FilePath::new(path),
            fragment,
            clone_type: CloneType::Type3,
            similarity,
            names: 1.0,
            in_step: None,
            rank: Rank { is_new: false, spelled: similarity, lines: 0.0 },
            text: None,
            written: None,
            verdict: None,
        }
    }

    #[test]
    fn the_most_similar_origin_comes_first_then_the_nearest() {
        let mut origins = [origin("far/away/a.c", 0.9), origin("src/b.c", 0.9), origin("far/c.c", 0.95)];
        order_origins(&mut origins, &FilePath::new("src/new.c"));
        let paths: Vec<_> = origins.iter().map(|origin| origin.path.to_string()).collect();
        assert_eq!(paths, ["far/c.c", "src/b.c", "far/away/a.c"]);
    }
}
