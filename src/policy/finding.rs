//! Defines a finding: a copy, or what was not examined, with its rule, level and identity.

use std::cmp::Ordering;

use super::{
    About, Answer, Behind, Change, Date, Fragment, Judgment, KnownCopy, Level, Milder, MissedEdit,
    Origin, Place, Rule, UnexaminedFiles, n_as_good, short_commit,
};
use crate::language::Token;
use crate::matching::Worth;
use crate::text::{FilePath, agreed, count, fnv_1a, joined, printable};

/// A copy, or files that were not examined.
#[derive(Debug, Clone)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// Its severity in this case.
    pub level: Level,
    /// Why it is milder than its rule, if it is.
    pub milder: Option<Milder>,
    /// How much the copy does, and what shows that it was copied; nothing where nothing is new.
    pub worth: Worth,
    /// Whether it says little and is short: no evidence of where it comes from.
    pub is_idiom: bool,
    /// What it is about.
    pub about: About,
    /// The file with the copy; for files that were left out, the first of them.
    pub path: FilePath,
    /// The name of the language that the file was read as; empty if it was not read.
    pub language: String,
    /// The whole copy; for a file that was not examined, its first character.
    pub fragment: Fragment,
    /// The longest run of its lines that the change adds, which can be annotated on a pull request.
    pub added: Fragment,
    /// The number of tokens of the copy.
    pub n_tokens: usize,
    /// The number of those that the change adds.
    pub n_novel: usize,
    /// The number of other places with this code; the origins are those that were examined.
    pub n_places: usize,
    /// The origins, the best first; a copy has at least one.
    pub origins: Vec<Origin>,
    /// Stays the same when lines move: a hash of the copy's tokens and its path.
    pub identity: String,
    /// Lines of source that writing its class once saves, in a whole tree; 0 if hardly worth it.
    pub n_saved_lines: u64,
    /// The other places of a clone class of a whole tree; empty for a change.
    pub others: Vec<OtherPlace>,
    /// The other copies of its family, by position: see [`join_families`](super::join_families).
    pub family: Vec<Finding>,
}

/// A place of a clone class of a whole tree, besides that of the finding.
#[derive(Debug, Clone, PartialEq)]
pub struct OtherPlace {
    /// The file.
    pub path: FilePath,
    /// The number of its tokens.
    pub n_tokens: usize,
    /// Its [`content`].
    pub content: u64,
}

/// A finding that is only reported on request.
#[derive(Debug, Clone)]
pub struct SuppressedFinding {
    /// The finding.
    pub finding: Finding,
    /// Why it is not reported.
    pub by: SuppressedBy,
}

/// What suppresses a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuppressedBy {
    /// `comment`, `baseline`, `exception` or `decision`.
    pub kind: &'static str,
    /// What suppresses it and why, in a few words, safe to print to a terminal.
    pub words: String,
}

impl SuppressedBy {
    /// A comment, exception or decision, `by` which it is suppressed until that day.
    pub fn new(kind: &'static str, by: &str, until: Option<Date>, reason: &str) -> Self {
        let until = until.map(|until| format!(" until {until}")).unwrap_or_default();
        Self { kind, words: printable(format!("by {by}{until}: {reason}")) }
    }

    /// The baseline.
    pub fn baseline() -> Self {
        Self { kind: "baseline", words: "by the baseline".to_owned() }
    }
}

/// What readers must know about the audit: a vain suppression, settings that the change edits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Notice {
    /// The file it is about.
    pub path: Option<FilePath>,
    /// The line in it.
    pub line: Option<u32>,
    /// The message, a fragment without a full stop.
    pub message: String,
}

impl Notice {
    /// A notice; quoted text in `message` is made safe to print to a terminal.
    pub fn new(path: Option<FilePath>, line: Option<u32>, message: &str) -> Self {
        Self { path, line, message: printable(message) }
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

/// Minimum origins of code that is how things are written here: the number says most.
const MANY_PLACES: usize = 5;

impl Finding {
    /// A finding without tokens and origins, all of it added, known by rule, path and `key`.
    pub fn new(
        about: About,
        judgment: Judgment,
        path: FilePath,
        fragment: Fragment,
        key: u64,
    ) -> Self {
        let Judgment { rule, level, milder } = judgment;
        Self {
            rule,
            level,
            milder,
            worth: Worth::NONE,
            is_idiom: false,
            about,
            identity: identity(rule, &path, key),
            path,
            language: String::new(),
            fragment,
            added: fragment,
            n_tokens: 0,
            n_novel: 0,
            n_places: 0,
            origins: Vec::new(),
            n_saved_lines: 0,
            others: Vec::new(),
            family: Vec::new(),
        }
    }

    /// The order of findings: by path, then by position.
    pub fn by_place(a: &Self, b: &Self) -> Ordering {
        (&a.path, a.fragment).cmp(&(&b.path, b.fragment))
    }

    /// A finding about what was not examined; `path` is the file, or the first of several.
    pub fn unexamined(about: About, judgment: Judgment, path: FilePath) -> Self {
        let fragment = Fragment::in_line(1, 1..2);
        // The same file is the same finding whatever it holds; left-out files are one.
        let identity = match &about {
            About::Unread(file) => identity(judgment.rule, &path, fnv_1a(file.reason.bytes())),
            _ => identity(judgment.rule, &FilePath::new(""), 0),
        };
        Self { identity, ..Self::new(about, judgment, path, fragment, 0) }
    }

    /// A finding about commits that a copy at `path` lacks.
    pub fn of_behind(
        behind: Behind,
        judgment: Judgment,
        path: FilePath,
        fragment: Fragment,
    ) -> Self {
        let hashes: Vec<_> = behind.commits.iter().map(|of| of.commit.hash.as_str()).collect();
        // The same commits are the same finding wherever the copy moves; a further one is not.
        let key = fnv_1a(hashes.join(" ").bytes());
        let n_places = behind.commits.iter().map(|missed| missed.places.len()).sum();
        Self { n_places, ..Self::new(About::Behind(behind), judgment, path, fragment, key) }
    }

    /// Its short name, which commands take: the first eight digits of its identity.
    pub fn id(&self) -> &str {
        self.identity.get(..8).unwrap_or(&self.identity)
    }

    /// Whether `id` names it: it begins with at least four of these digits.
    pub fn is_named(&self, id: &str) -> bool {
        id.len() >= 4 && self.identity.starts_with(id)
    }

    /// What the copy lacks, if it is about that.
    pub fn behind(&self) -> Option<&Behind> {
        if let About::Behind(behind) = &self.about { Some(behind) } else { None }
    }

    /// Whether it is about a copy.
    pub fn is_copy(&self) -> bool {
        matches!(self.about, About::Copy | About::OldCopy(_))
    }

    /// Whether it is about code, and not about files that were not examined.
    pub fn has_code(&self) -> bool {
        !matches!(self.about, About::Unread(_) | About::LeftOut(_))
    }

    /// What the edit missed, if it is about an edit.
    pub fn missed(&self) -> Option<&MissedEdit> {
        if let About::Missed(missed) = &self.about { Some(missed) } else { None }
    }

    /// The commits that changed the origin since the state that was copied, the newest first.
    pub fn changed_since(&self) -> &[Change] {
        if let About::OldCopy(outdated) = &self.about { &outdated.since } else { &[] }
    }

    /// The files that were not examined; empty for a copy.
    pub fn unexamined_files(&self) -> &[UnexaminedFiles] {
        match &self.about {
            About::Unread(file) => std::slice::from_ref(file),
            About::LeftOut(files) => files,
            _ => &[],
        }
    }

    /// The copy and its other places, as recorded in a baseline.
    pub fn known_copies(&self) -> impl Iterator<Item = KnownCopy> {
        let own = (self.identity.clone(), self.n_tokens, &self.path);
        let others = self.others.iter().map(|OtherPlace { path, n_tokens, content }| {
            (identity(self.rule, path, *content), *n_tokens, path)
        });
        std::iter::once(own).chain(others).map(|(identity, n_tokens, path)| KnownCopy {
            identity,
            rule: self.rule.id.to_owned(),
            n_tokens,
            path: path.to_string(),
        })
    }

    /// The one-line message. It names the first of many files and commits, and counts the rest.
    pub fn message(&self) -> String {
        match &self.about {
            About::Copy => {
                let mut message = self.message_of_first();
                // Few places are listed; of many, not all are examined, and the number says more.
                let n_places = self.n_places.max(n_as_good(&self.origins));
                if n_places >= MANY_PLACES && self.n_novel > 0 {
                    message += &format!(", which is written in {n_places} places");
                }
                message + &self.family_message()
            }
            About::OldCopy(outdated) => {
                let changes = joined(&outdated.since, 3, Change::describe);
                format!("{}, as it was before {changes}", self.message_of_first())
            }
            About::Missed(missed) => self.missed_message(missed),
            About::Exists { name, agreement } => {
                let place = self.origins.first().map(|of| of.fragment.start_in(&of.path));
                let (place, agrees) = (place.unwrap_or_default(), agreement.describe());
                format!("may exist already as {name} at {place}: {agrees}")
            }
            About::Behind(behind) => printable(behind.describe()),
            About::Unread(file) => format!("not examined: {}", file.describe()),
            About::LeftOut(files) => {
                format!("left out: {}", joined(files, 20, UnexaminedFiles::describe))
            }
        }
    }

    fn missed_message(&self, missed: &MissedEdit) -> String {
        let Some(origin) = self.origins.first() else { return missed.lacks.clone() };
        let at = self.place_of(origin);
        let name = missed.name.as_ref().map(|name| format!(" in {}", printable(name)));
        let name = name.unwrap_or_default();
        let verb =
            if missed.is_declared { "is kept in step with this by a comment" } else { "was alike" };
        let lacks = printable(&missed.lacks);
        let mut message = format!("{at}{name} {verb} and lacks this edit: {lacks}");
        if let n @ 1.. = self.n_places.saturating_sub(1) {
            let (others, lack) = (count(n, "other sibling"), agreed(n, "lacks", "lack"));
            message += &format!(", and {others} {lack} it too");
        }
        message
    }

    /// Where an origin in the tree is.
    fn place_of(&self, Origin { path, fragment, .. }: &Origin) -> String {
        match *path == self.path {
            true => format!("line {} of the same file", fragment.start.line),
            false => fragment.start_in(path),
        }
    }

    /// The origins in the tree.
    pub fn origins_in_tree(&self) -> impl Iterator<Item = &Origin> {
        self.origins.iter().filter(|origin| origin.place == Place::Tree)
    }

    /// The lines of code that its first origin has as well; all its lines if that is not known.
    pub fn n_lines(&self) -> u32 {
        let n_lines = self.origins.first().map_or(0, |origin| origin.in_common.n_lines);
        if n_lines == 0 { self.fragment.n_lines() } else { n_lines }
    }

    fn message_of_first(&self) -> String {
        let n_lines = self.n_lines();
        let lines = count(n_lines, "line");
        if self.n_novel == 0 {
            let n_places = self.origins.len() + 1;
            return format!("{lines} found in {}", count(n_places, "place"));
        }
        let Some(of @ Origin { place, path, fragment, .. }) = self.origins.first() else {
            return count(n_lines, "copied line");
        };
        let at = fragment.start_in(path);
        match place {
            Place::Tree => match (of.in_common.insertion, self.place_of(of)) {
                (Some(_), at) => {
                    format!("{lines} inserted here and at {at}, which were alike before")
                }
                (None, at) => format!("{lines} {} {at}", of.relation()),
            },
            Place::Past(deletion) => {
                format!("{lines} copied from {at}, deleted in {}", short_commit(&deletion.commit))
            }
            Place::Component(component) => {
                // The name of a component comes from its makers, who may be hostile.
                let (label, license) = (component.label(), component.license_words());
                let owner = printable(format!("{label} ({license})"));
                let verdict = match of.answer() {
                    Some(Answer::Denied) => ": a potential license conflict",
                    Some(Answer::Review) => ": its license needs review",
                    _ => "",
                };
                format!("{lines} copied from {at} of {owner}{verdict}")
            }
        }
    }
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
