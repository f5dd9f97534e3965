//! Defines a finding: a copy, where it is, and where it came from; or a file that was not examined, and why.

use std::sync::Arc;

use super::{Answer, COPIED_CODE, CORPUS_COPY, Date, KnownCopy, Level, NOT_EXAMINED, REVIVED_CODE, Rule, Verdict};
use crate::language::Token;
use crate::license::Terms;
use crate::matching::CloneType;
use crate::text::{FilePath, Position, fnv_1a, printable};

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
    /// The rule that a copy of it falls under.
    pub fn rule(&self) -> &'static Rule {
        match (&self.place, &self.verdict) {
            (Place::Past(_), _) => &REVIVED_CODE,
            (Place::Component(_), Some(verdict)) => verdict.answer.rule(),
            (Place::Component(_), None) => &CORPUS_COPY,
            (Place::Tree, _) => &COPIED_CODE,
        }
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

/// What a finding is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum About {
    /// A copy that a change brings in; or, when nothing in it is novel, a clone class of a tree.
    Copy,
    /// A changed file that could not be examined.
    Unread(Unexamined),
    /// All changed files that were left out on purpose, by path.
    LeftOut(Vec<Unexamined>),
}

/// A changed file that was not examined, or several in a folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unexamined {
    /// The file; or the folder, with a `/` at its end.
    pub path: FilePath,
    /// How many files it is.
    pub n_files: usize,
    /// Why, in a few words.
    pub reason: &'static str,
}

impl Unexamined {
    /// The file and why: `src/big.c (too large)`, `dist/ (3 files, vendored or built)`.
    pub fn describe(&self) -> String {
        let Self { path, n_files, reason } = self;
        match n_files {
            _ if !path.as_bytes().ends_with(b"/") => format!("{path} ({reason})"),
            1 => format!("{path} (1 file, {reason})"),
            n => format!("{path} ({n} files, {reason})"),
        }
    }
}

/// A copy, or what was not examined.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// How grave it is here.
    pub level: Level,
    /// What it is about.
    pub about: About,
    /// The file with the copy; of files that were left out, the first.
    pub path: FilePath,
    /// The whole copy; of a file that was not examined, its first character.
    pub fragment: Fragment,
    /// The longest run of lines in it that the change adds: what can be annotated on a pull request.
    pub added: Fragment,
    /// The tokens of the copy.
    pub n_tokens: usize,
    /// Those of them that the change brings in.
    pub n_novel: usize,
    /// How many other places hold it, of which the origins are those that were looked at.
    pub n_places: usize,
    /// The origins, the best first; of a copy at least one.
    pub origins: Vec<Origin>,
    /// Stays the same when lines move: a hash of the copy's tokens and its path.
    pub identity: String,
    /// The other places of a clone class of a whole tree; empty for a change.
    pub others: Vec<KnownCopy>,
}

/// A finding that is not reported, unless it is asked for.
#[derive(Debug, Clone)]
pub struct Suppressed {
    /// What was found.
    pub finding: Finding,
    /// Why it is not reported.
    pub by: SuppressedBy,
}

/// What keeps a finding from being reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SuppressedBy {
    /// A comment in the source.
    Comment {
        /// The line of the comment, in the file of the finding or, in a scan, of one of its places.
        line: u32,
        /// The reason it gives.
        reason: String,
        /// The last day it holds.
        until: Option<Date>,
    },
    /// The baseline.
    Baseline,
    /// An exception of the license policy.
    Exception {
        /// The reason it gives.
        reason: String,
        /// The last day it holds.
        until: Option<Date>,
    },
    /// A decision on this very copy.
    Decision {
        /// Who decided.
        by: String,
        /// Why.
        reason: String,
        /// The last day it holds.
        until: Option<Date>,
    },
}

impl SuppressedBy {
    /// What suppresses it and why, in a few words that steer no terminal.
    pub fn describe(&self) -> String {
        let words = match self {
            Self::Comment { line, reason, until } => format!("by the comment on line {line}{}: {reason}", end(until)),
            Self::Baseline => "by the baseline".to_owned(),
            Self::Exception { reason, until } => {
                format!("by an exception of the license policy{}: {reason}", end(until))
            }
            Self::Decision { by, reason, until } => format!("by a decision of {by}{}: {reason}", end(until)),
        };
        printable(words.as_bytes())
    }
}

fn end(until: &Option<Date>) -> String {
    until.map(|until| format!(" until {until}")).unwrap_or_default()
}

impl Notice {
    /// A notice; what is quoted in `message` is made to steer no terminal.
    pub fn new(path: Option<FilePath>, line: Option<u32>, message: &str) -> Self {
        Self { path, line, message: printable(message.as_bytes()) }
    }
}

impl std::fmt::Display for Notice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.path, self.line) {
            (Some(path), Some(line)) => write!(f, "{path}:{line}: {}", self.message),
            (Some(path), None) => write!(f, "{path}: {}", self.message),
            (None, _) => f.write_str(&self.message),
        }
    }
}

/// What a reader must know about the audit itself: a suppression that does not hold, settings that the change edits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Notice {
    /// The file it is about.
    pub path: Option<FilePath>,
    /// The line in it.
    pub line: Option<u32>,
    /// What there is to know, a fragment without a full stop.
    pub message: String,
}

/// Files that a message names; the rest is counted.
const MAX_NAMED: usize = 20;

impl Finding {
    /// A finding about what was not examined, with the rule's `level`; `path` is the file, or the first of them.
    pub fn unexamined(about: About, level: Level, path: FilePath) -> Self {
        let at = |column| Position { line: 1, column };
        let fragment = Fragment { start: at(1), end: at(2) };
        // The same file is the same finding whatever it holds, and the files that are left out are one in all.
        let of = match &about {
            About::Unread(file) => identity(&NOT_EXAMINED, &path, fnv_1a(file.reason.bytes())),
            About::LeftOut(_) | About::Copy => identity(&NOT_EXAMINED, &FilePath::new(""), 0),
        };
        Self {
            rule: &NOT_EXAMINED,
            level,
            about,
            path,
            fragment,
            added: fragment,
            n_tokens: 0,
            n_novel: 0,
            n_places: 0,
            origins: Vec::new(),
            identity: of,
            others: Vec::new(),
        }
    }

    /// Whether it is about a copy.
    pub fn is_copy(&self) -> bool {
        self.about == About::Copy
    }

    /// The files that were not examined; none of a copy.
    pub fn unexamined_files(&self) -> &[Unexamined] {
        match &self.about {
            About::Copy => &[],
            About::Unread(file) => std::slice::from_ref(file),
            About::LeftOut(files) => files,
        }
    }

    /// The copy as a baseline knows it.
    pub fn known_copy(&self) -> KnownCopy {
        KnownCopy {
            identity: self.identity.clone(),
            rule: self.rule.id.to_owned(),
            n_tokens: self.n_tokens,
            path: self.path.to_string(),
        }
    }

    /// What is said in one line.
    pub fn message(&self) -> String {
        match &self.about {
            About::Copy => self.copy_message(),
            About::Unread(file) => format!("not examined: {}", file.describe()),
            About::LeftOut(files) => {
                let named: Vec<_> = files.iter().take(MAX_NAMED).map(Unexamined::describe).collect();
                let more = match files.len() - named.len() {
                    0 => String::new(),
                    n => format!(" and {n} more"),
                };
                format!("left out: {}{more}", named.join(", "))
            }
        }
    }

    fn copy_message(&self) -> String {
        let message = self.message_of_first();
        // Origins are listed as far as they were looked at.
        match self.n_places > self.origins.len() && self.n_novel > 0 {
            true => format!("{message}, found in {} places besides", self.n_places),
            false => message,
        }
    }

    fn message_of_first(&self) -> String {
        let origin = self.origins.first();
        let n_lines = self.fragment.n_lines();
        let lines = if n_lines == 1 { "line" } else { "lines" };
        if self.n_novel == 0 {
            let n_places = self.origins.len() + 1;
            return format!("{n_lines} {lines} stand in {n_places} places");
        }
        let Some(Origin { place, path, fragment, .. }) = origin else { return format!("{n_lines} copied {lines}") };
        let line = fragment.start.line;
        match place {
            Place::Tree if *path == self.path => {
                format!("{n_lines} {lines} copied from line {line} of the same file")
            }
            Place::Tree => format!("{n_lines} {lines} copied from {path}:{line}"),
            Place::Past(deletion) => {
                let commit = &deletion.commit[..deletion.commit.len().min(10)];
                format!("{n_lines} {lines} copied from {path}:{line}, deleted in {commit}")
            }
            Place::Component(component) => {
                let license = component.license().unwrap_or_else(|| "license not known".to_owned());
                // Whoever made the component chose its name.
                let owner = printable(format!("{} ({license})", component.label()).as_bytes());
                let verdict = match origin.and_then(|origin| origin.verdict.as_ref()).map(|verdict| verdict.answer) {
                    Some(Answer::Denied) => ": a potential license conflict",
                    Some(Answer::Review) => ": its license has to be reviewed",
                    _ => "",
                };
                format!("{n_lines} {lines} copied from {path}:{line} of {owner}{verdict}")
            }
        }
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

/// The identity of a copy: its rule, its path and its [`content`], in hexadecimal.
pub fn identity(rule: &Rule, path: &FilePath, content: u64) -> String {
    let bytes = rule.id.bytes().chain([0]).chain(path.as_bytes().iter().copied()).chain([0]);
    format!("{:016x}", fnv_1a(bytes.chain(content.to_le_bytes())))
}

/// The content of a copy: the exact readings of its tokens, hashed.
pub fn content(tokens: &[Token]) -> u64 {
    fnv_1a(tokens.iter().flat_map(|token| token.exact.to_le_bytes()))
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
