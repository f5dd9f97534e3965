//! The result of an audit, and what it examined.

mod audited;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

pub use self::audited::{
    AuditSummary, ComponentCopy, CopiedFile, EditedFile, EditedLines, ExaminedCorpus, Explanation,
    FolderVersion, HeldFix, Introduction, Possible, State, generic_purl, percent_encoded,
};
use crate::audit::Skip;
use crate::change::End;
use crate::matching::Shortfall;
use crate::policy::{
    BadSuppression, Finding, Fragment, Notice, Owners, SettingsFiles, SuppressedFinding,
    Suppression,
};
use crate::text::{FilePath, LinedText, agreed, count};

/// What was examined, and what was not.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Examination {
    /// Files that the change adds or modifies, source or not.
    pub n_changed: usize,
    /// Those of them that were checked.
    pub n_judged: usize,
    /// Novel tokens in them, not counting moved code.
    pub n_novel: usize,
    /// Files of the head that were searched for origins.
    pub n_compared: usize,
    /// Pairs of a changed file and another that share code that others explain: not aligned.
    pub n_passed_over: usize,
    /// Changed files that were not checked, and why, sorted by path.
    pub skipped: Vec<(FilePath, Skip)>,
    /// Source files of the head that were not compared, and why, sorted by path.
    pub not_compared: Vec<(FilePath, Skip)>,
    /// What could not be searched in the history, in words, if that was requested.
    pub unavailable: Option<String>,
    /// Code, by corpus and path, that so many components of a corpus have that none is its origin.
    pub common: Vec<Common>,
}

/// Code of a changed file that occurs in many components of a corpus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Common {
    /// The changed file.
    pub path: FilePath,
    /// Tokens of it that are common.
    pub n_tokens: usize,
    /// The number of components that have the most common of them.
    pub n_components: usize,
}

/// What an audit found.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// The name of the repository; empty for a folder outside of one.
    pub repository: String,
    /// The start of the change; `None` if everything is new, as in a first commit.
    pub base: Option<End>,
    /// The end of the change.
    pub head: End,
    /// The findings, sorted by path and position.
    pub findings: Vec<Finding>,
    /// Of findings with origins in more than one of the tree, corpora and the past, what each would
    /// be alone, by path, place and rule: accepting one does not accept the other.
    pub parts: BTreeMap<PartKey, Vec<Finding>>,
    /// Findings that are not reported, and why, in the same order; empty unless requested.
    pub suppressed: Vec<SuppressedFinding>,
    /// The number of findings that are not reported.
    pub n_suppressed: usize,
    /// Notices about the audit itself, sorted by path and line.
    pub notices: Vec<Notice>,
    /// The suppressions in the files that were checked.
    pub comments: Vec<Comment>,
    /// What was examined.
    pub examined: Examination,
    /// Maximum findings to report.
    pub max_findings: usize,
    /// The texts of the files with findings and origins; of a scan none until they are read.
    pub texts: BTreeMap<FilePath, LinedText>,
    /// The calls of functions in copies and first origins, by path and first line, if requested.
    pub callers: BTreeMap<(FilePath, u32), Vec<Callers>>,
    /// Who owns the files.
    pub owners: Owners,
    /// Which settings judged the files.
    pub settings: SettingsFiles,
    /// How much of the tree is duplicated, if the whole tree was scanned.
    pub duplication: Option<Duplication>,
    /// How much of the tree was found in corpora, if the whole tree was audited.
    pub audited: Option<AuditSummary>,
}

impl Outcome {
    /// An outcome without findings.
    pub fn new(base: Option<End>, head: End) -> Self {
        Self { base, head, max_findings: usize::MAX, ..Self::default() }
    }

    /// The number of files that were not examined or compared, as a partial clone lacks them.
    pub fn n_missing(&self) -> usize {
        let skipped = self.examined.skipped.iter().chain(&self.examined.not_compared);
        skipped.filter(|(_, skip)| *skip == Skip::Missing).count()
    }

    /// All findings, each followed by the other copies of its family.
    pub fn all_findings(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().flat_map(Finding::with_family)
    }

    /// Drops findings beyond the maximum, the least severe and last first, with a notice.
    pub fn limit_findings(&mut self) {
        let n_more = self.findings.len().saturating_sub(self.max_findings);
        if n_more == 0 {
            return;
        }
        let mut by_level: Vec<usize> = (0..self.findings.len()).collect();
        by_level.sort_unstable_by_key(|&at| (Reverse(self.findings[at].level), at));
        let mut is_kept = vec![false; self.findings.len()];
        by_level[..self.max_findings].iter().for_each(|&at| is_kept[at] = true);
        let mut kept = is_kept.into_iter();
        self.findings.retain(|_| kept.next().unwrap_or(false));
        let (findings, are) = (count(n_more, "more finding"), agreed(n_more, "is", "are"));
        let text = format!("{findings} {are} not listed: `max-findings` is {}", self.max_findings);
        self.notices.push(Notice::new(None, None, &text));
    }
}

/// How much of some files is duplicated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Share {
    /// The files.
    pub n_files: usize,
    /// Their lines, without those of test code.
    pub n_lines: usize,
    /// Those of them that would go if each class were written once.
    pub duplicated_lines: usize,
}

impl Share {
    /// The duplicated fraction of the lines, 0 to 100.
    pub fn percent(&self) -> f64 {
        100.0 * self.duplicated_lines as f64 / self.n_lines.max(1) as f64
    }

    fn add(&mut self, other: &Self) {
        self.n_files += other.n_files;
        self.n_lines += other.n_lines;
        self.duplicated_lines += other.duplicated_lines;
    }
}

/// How much of the source of a tree is duplicated: the lines that would go if each class were
/// written once. Tests, examples and documents are no source, as they repeat by nature; a class
/// that would not be worth a warning in a change does not count.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Duplication {
    /// All of it.
    pub total: Share,
    /// The classes that count.
    pub n_classes: usize,
    /// By the name of the language.
    pub by_language: BTreeMap<String, Share>,
    /// By folder directly below the root; files at the root count as `.`.
    pub by_folder: BTreeMap<FilePath, Share>,
    /// By file.
    pub by_file: BTreeMap<FilePath, Share>,
}

impl Duplication {
    /// Adds a file.
    pub(in crate::audit) fn add(&mut self, path: &FilePath, language: &str, file: &Share) {
        let end = memchr::memchr(b'/', path.as_bytes());
        let folder = end.map_or(&b"."[..], |end| &path.as_bytes()[..end]);
        self.total.add(file);
        self.by_language.entry(language.to_owned()).or_default().add(file);
        self.by_folder.entry(FilePath::new(folder)).or_default().add(file);
        self.by_file.entry(path.clone()).or_default().add(file);
    }
}

/// A place and a rule, which only one finding has.
pub type PartKey = (FilePath, Fragment, &'static str);

/// The key of a finding in [`Outcome::parts`].
pub fn part_key(finding: &Finding) -> PartKey {
    (finding.path.clone(), finding.fragment, finding.rule.id)
}

/// A suppression in a file, or something meant as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// The file.
    pub path: FilePath,
    /// Whether the change adds it.
    pub is_added: bool,
    /// Whether the base as it is now has it.
    pub is_at_tip: bool,
    /// For each line of the file, whether the change adds it; empty where there is no change.
    pub added: Arc<[bool]>,
    /// Its contents.
    pub suppression: Result<Suppression, BadSuppression>,
}

/// A function, and where it is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Callers {
    /// Its name.
    pub function: String,
    /// The file and line of each call, in order.
    pub calls: Vec<(FilePath, u32)>,
}

/// Maximum files to name that were compared in part; the rest are counted.
const MAX_LIMITED: usize = 3;

/// What was compared in part only, as files repeat each other too often: a sentence each.
pub(super) fn in_part(
    limits: impl Iterator<Item = (FilePath, Shortfall)>,
) -> Vec<(FilePath, String)> {
    let mut of_path: BTreeMap<FilePath, Shortfall> = BTreeMap::new();
    for (path, limits) in limits {
        *of_path.entry(path).or_default() += limits;
    }
    let described = of_path.into_iter().flat_map(|(path, limits)| {
        let Shortfall { n_places_left, n_places, n_not_extended } = limits;
        let n_compared = n_places - n_places_left;
        let places = (n_places_left > 0).then(|| {
            let places = count(n_places, "place");
            format!("repeats code of {places}: the nearest {n_compared} were aligned")
        });
        let chains = (n_not_extended > 0).then(|| {
            let (were, their) = agreed(n_not_extended, ("was", "its"), ("were", "their"));
            let repeats = count(n_not_extended, "repeat");
            format!("is very repetitive: {repeats} {were} not extended past edits at {their} ends")
        });
        places.into_iter().chain(chains).map(move |text| (path.clone(), text))
    });
    described.collect()
}

/// The first few of such notices; the others are counted.
pub(super) fn first_few(mut notices: Vec<Notice>) -> Vec<Notice> {
    if notices.len() > MAX_LIMITED {
        let n_more = notices.len() - MAX_LIMITED;
        notices.truncate(MAX_LIMITED);
        let (files, were) = (count(n_more, "more file"), agreed(n_more, "was", "were"));
        let more = format!("{files} {were} compared in part, like those named here");
        notices.push(Notice::new(None, None, &more));
    }
    notices
}
