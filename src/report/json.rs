//! Writes findings for programs: versioned JSON, whose schema `docs/report.schema.json` publishes.

use std::collections::BTreeMap;
use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;

use super::audited::{OfClass as OfThisClass, share as percent_of};
use super::brief::Brief;
use super::words::crosses_border;
use super::{Format, Style, VERSION};
use crate::audit::{self, End, Outcome};
use crate::license::Class;
use crate::matching::CloneType;
use crate::policy::{self, Attribution, Level};

pub(super) const FORMAT: Format = Format { name: "json", help: "versioned JSON for programs", write };

/// Increases when a field changes its meaning or is removed; new fields do not count.
const FORMAT_VERSION: u32 = 1;

/// What an audit found.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    /// The version of this format.
    version: u32,
    /// The program that wrote it.
    tool: Tool,
    /// The start of the change; null if everything is new.
    base: Option<Revision>,
    /// The end of the change.
    head: Revision,
    /// What was examined.
    examined: Examined,
    /// The findings, sorted by path and position; for a scan, the clone classes, the largest first.
    findings: Vec<Finding>,
    /// The number of suppressed findings.
    suppressed_findings: usize,
    /// The suppressed findings, if requested.
    suppressed: Vec<Suppressed>,
    /// Notices about the audit itself: ineffective suppressions, settings that the change edits.
    notices: Vec<Notice>,
    /// How much of the tree is duplicated, if it was scanned as a whole.
    duplication: Option<Duplication>,
    /// How much of the tree was found in corpora, if it was audited as a whole.
    audit: Option<Audit>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Audit {
    /// Files that were compared.
    files: usize,
    tokens: usize,
    /// Those of the tokens that were found in a corpus.
    copied_tokens: usize,
    copied_percent: f64,
    /// By license class; a file with code of two classes counts in both.
    by_license_class: BTreeMap<&'static str, OfClass>,
    /// Whose code it is, the largest share first.
    components: Vec<Taken>,
    /// Which versions of components folders are, as far as the corpora have their history; sorted by folder.
    versions: Vec<FolderVersion>,
    /// The files that contain code of components, sorted by path.
    copied_files: Vec<CopiedFile>,
    /// What the history added, the oldest first, if requested.
    brought: Option<Vec<Brought>>,
}

/// A folder that was copied from a component, and the version that it fits best.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FolderVersion {
    /// The folder; empty for the root.
    folder: String,
    component: String,
    corpus: String,
    /// The folder of the component that it is a copy of; empty for its root.
    origin: String,
    /// A tag, `FIRST to LAST` where several tags fit equally, or a commit where there are no tags.
    version: Option<String>,
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
    /// Files that the version does not have.
    added: Vec<String>,
    /// Files of the version that are not there, by their paths in the component.
    missing: Vec<String>,
    /// Further ones in folders of which nothing was copied.
    missing_elsewhere: usize,
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
    /// The lines of the version, if its repository is at hand.
    removed: Option<Vec<String>>,
    added: Vec<String>,
}

/// Commits of a component that a copy lacks.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct MissedCommits {
    component: String,
    corpus: String,
    purl: Option<String>,
    url: Option<String>,
    /// Whether they come from a list of fixes.
    is_listed: bool,
    /// The oldest first.
    commits: Vec<MissedCommit>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct MissedCommit {
    #[serde(flatten)]
    commit: PastCommit,
    /// The file that it changed, as it was called then.
    origin: String,
    /// The places of the copy that it would change.
    places: Vec<MissedPlace>,
    /// The places of the file that it changed.
    changes: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PastCommit {
    hash: String,
    /// Its time, in seconds since 1970.
    time: i64,
    subject: String,
    /// CVE, GHSA and other ids.
    ids: Vec<String>,
    /// Whether it says that it fixes a security fault.
    is_security: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct MissedPlace {
    fragment: Fragment,
    /// The lines of the origin before the commit, the end after the last.
    origin_start_line: u32,
    origin_end_line: u32,
}

/// Code of a component that a commit added to a file.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Brought {
    path: String,
    /// The first commit that has the code in this file.
    first: FirstSeen,
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
struct Taken {
    component: Component,
    verdict: Verdict,
    files: usize,
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
    /// What explains it, the largest share first; each token is explained once.
    origins: Vec<Explained>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Explained {
    /// The index of the component in `components`, from 0.
    component: usize,
    name: String,
    /// Its license; null if unknown.
    license: Option<String>,
    path: String,
    tokens: usize,
    /// How much of the file it explains, 0 to 100.
    percent: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Duplication {
    total: Share,
    /// What is neither test code nor an example nor a document.
    source: Share,
    by_language: BTreeMap<String, Share>,
    /// By the folder right below the root; `.` for files at the root.
    by_folder: BTreeMap<String, Share>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Share {
    files: usize,
    lines: usize,
    tokens: usize,
    duplicated_lines: usize,
    duplicated_tokens: usize,
    /// The duplicated part of the lines, 0 to 100.
    percent_of_lines: f64,
    /// The duplicated part of the tokens, 0 to 100.
    percent_of_tokens: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Suppressed {
    finding: Finding,
    /// By what: `comment`, `baseline`, `exception` or `decision`.
    by: &'static str,
    /// Why, and until when.
    reason: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Notice {
    path: Option<String>,
    line: Option<u32>,
    message: String,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Revision {
    /// Its name: a revision, the index, the work tree.
    name: String,
    /// Its commit, if it is one.
    commit: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Examined {
    /// Files that the change adds or modifies.
    changed_files: usize,
    /// Those of them that were checked.
    judged_files: usize,
    /// Novel tokens in them.
    novel_tokens: usize,
    /// Files that were searched for origins.
    compared_files: usize,
    /// Pairs of a changed file and another one that share code but were not aligned, since others explain the same.
    passed_over_pairs: usize,
    /// Changed files that were not checked, or only in part.
    skipped: Vec<Skipped>,
    /// Source files of the head that were not compared.
    not_compared: Vec<Skipped>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Skipped {
    path: String,
    reason: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Finding {
    rule: &'static str,
    level: Level,
    /// Why the level is below that of the rule: where the copy is, that it says little, or that nothing is owed; null
    /// when it is not.
    level_reason: Option<String>,
    message: String,
    /// How much the copy does that its origin does as well: statements that decide, call or compute, weighted by how
    /// alike they read.
    worth: f64,
    /// The file with the copy. Bytes that are not UTF-8 are written as `\xNN`.
    path: String,
    /// The whole copy.
    fragment: Fragment,
    /// The longest run of its lines that the change adds.
    added: Fragment,
    tokens: usize,
    /// Tokens of the copy that the change adds.
    novel_tokens: usize,
    lines: u32,
    /// The origins, the best first; empty for files that were not examined.
    origins: Vec<Origin>,
    /// The files that were not examined, if the rule is `not-examined`; there are no origins then.
    unexamined: Vec<Unexamined>,
    /// What an edit missed, if it is about one; the origins are the siblings then.
    missed: Option<Missed>,
    /// The commits that changed the origin since the state that was copied, the newest first; empty if it is the
    /// present one.
    changed_since: Vec<ChangedBy>,
    /// The commits that a copy lacks, if the rule is `stale-copy` or `known-vulnerability`; there are no origins then.
    missed_commits: Option<MissedCommits>,
    /// The lines of code in the copy that its first origin has as well.
    copied_lines: u32,
    /// The identity of the first finding of its family: copies from the same file, or siblings beside each other, which
    /// reports for people show as one. Null if it is alone.
    family: Option<String>,
    /// Stays the same when lines move.
    identity: String,
    /// The owners of the copy, in CODEOWNERS.
    owners: Vec<String>,
    /// The owners of the first origin in the tree.
    origin_owners: Vec<String>,
    /// Whether none of the owners of the copy owns that origin, with the setting `owner-borders`.
    crosses_owners: bool,
    /// What is equal and what differs between the copy and its first origin; with `--brief`, if both texts are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    brief: Option<Brief>,
}

/// An edit that siblings lack.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Missed {
    /// What the edit did, in words.
    lacks: String,
    /// The number of siblings that lack it.
    siblings: usize,
    /// For each origin, the same edit as a unified diff; null where it does not apply.
    patches: Vec<Option<String>>,
}

/// A commit that changed the origin of a copy.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ChangedBy {
    commit: String,
    subject: String,
    /// Its time, in seconds since 1970.
    time: i64,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Unexamined {
    /// The file; or a folder, with a `/` at its end.
    path: String,
    /// The number of files.
    files: usize,
    reason: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Origin {
    /// Where it is.
    place: Place,
    /// The commit that deleted it, if its place is the past.
    deletion: Option<Deletion>,
    /// Whose it is, if its place is a component.
    component: Option<Component>,
    path: String,
    fragment: Fragment,
    /// `type-1`, `type-2` or `type-3`.
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

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Written {
    /// The commit that added most of its lines.
    commit: String,
    author: String,
    /// When the author wrote it, in seconds since 1970.
    author_time: i64,
    /// The path of its file at that time.
    path: String,
}

/// A potential verdict of the license policy, for a person to review.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Verdict {
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
struct Component {
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
    /// Whether the license was declared, by the maker of the corpus or in the settings, rather than found.
    is_declared: bool,
    /// Evidence for other licenses.
    contradictions: Vec<String>,
    /// The copyright notices that apply.
    notices: Vec<String>,
    /// The first commit of its history that has the origin.
    first_seen: Option<FirstSeen>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FirstSeen {
    commit: String,
    /// Its time according to the commit, in seconds since 1970.
    time: i64,
}

/// A part of a file; lines and columns from 1, columns in UTF-16 code units, the end column after the last.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Fragment {
    start_line: u32,
    start_column: u32,
    end_line: u32,
    end_column: u32,
}

fn write(outcome: &Outcome, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &report(outcome, style.is_brief))?;
    writeln!(out)
}

/// The JSON schema of the report.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Report).to_value()
}

fn report(outcome: &Outcome, is_brief: bool) -> Report {
    let skipped = |list: &[(crate::text::FilePath, crate::audit::Skip)]| {
        list.iter().map(|(path, skip)| Skipped { path: path.to_string(), reason: skip.reason() }).collect()
    };
    let examined = &outcome.examined;
    Report {
        version: FORMAT_VERSION,
        tool: Tool { name: "secondhand", version: VERSION },
        base: outcome.base.as_ref().map(revision),
        head: revision(&outcome.head),
        examined: Examined {
            changed_files: examined.n_changed,
            judged_files: examined.n_judged,
            novel_tokens: examined.n_novel,
            compared_files: examined.n_compared,
            passed_over_pairs: examined.n_passed_over,
            skipped: skipped(&examined.skipped),
            not_compared: skipped(&examined.not_compared),
        },
        findings: findings(outcome, is_brief),
        suppressed_findings: outcome.n_suppressed,
        suppressed: outcome.suppressed.iter().map(suppressed).collect(),
        notices: outcome.notices.iter().map(notice).collect(),
        duplication: outcome.duplication.as_ref().map(duplication),
        audit: outcome.audited.as_ref().map(audit),
    }
}

fn audit(of: &audit::Audited) -> Audit {
    let of_class = |(class, this): (Class, OfThisClass)| {
        let OfThisClass { n_components, n_files, n_tokens } = this;
        let percent = percent_of(n_tokens, of.n_tokens);
        (class.name(), OfClass { components: n_components, files: n_files, tokens: n_tokens, percent })
    };
    let taken = |taken: &audit::Taken| Taken {
        component: component(&taken.component),
        verdict: verdict(&taken.verdict),
        files: taken.n_files,
        tokens: taken.n_tokens,
    };
    let file = |file: &audit::CopiedFile| {
        let explained = |part: &audit::Explained| Explained {
            component: part.component,
            name: of.components[part.component].component.name.clone(),
            license: of.components[part.component].component.license(),
            path: part.path.to_string(),
            tokens: part.n_tokens,
            percent: percent_of(part.n_tokens, file.n_tokens),
        };
        CopiedFile {
            path: file.path.to_string(),
            sha1: file.sha1.clone(),
            tokens: file.n_tokens,
            copied_tokens: file.n_copied,
            containment_percent: percent_of(file.n_copied, file.n_tokens),
            is_whole: file.is_whole,
            origins: file.origins.iter().map(explained).collect(),
        }
    };
    Audit {
        files: of.n_files,
        tokens: of.n_tokens,
        copied_tokens: of.n_copied,
        copied_percent: percent_of(of.n_copied, of.n_tokens),
        by_license_class: super::audited::classes(of).into_iter().map(of_class).collect(),
        components: of.components.iter().map(taken).collect(),
        versions: of.versions.iter().map(folder_version).collect(),
        copied_files: of.files.iter().map(file).collect(),
        brought: of.brought.as_ref().map(|all| all.iter().map(brought).collect()),
    }
}

fn brought(of: &audit::Brought) -> Brought {
    Brought {
        path: of.path.to_string(),
        first: FirstSeen { commit: of.first.commit.clone(), time: of.first.time },
        component: component(&of.component),
        origin: of.origin.to_string(),
        verdict: verdict(&of.verdict),
        containment_percent: (of.containment * 1000.0).round() / 10.0,
        is_in_head: of.is_in_head,
        notes: of.notes.clone(),
    }
}

fn duplication(of: &audit::Duplication) -> Duplication {
    Duplication {
        total: share(&of.total),
        source: share(&of.source),
        by_language: of.by_language.iter().map(|(name, of)| (name.clone(), share(of))).collect(),
        by_folder: of.by_folder.iter().map(|(path, of)| (path.to_string(), share(of))).collect(),
    }
}

fn share(of: &audit::Share) -> Share {
    let rounded = |percent: f64| (percent * 100.0).round() / 100.0;
    Share {
        files: of.n_files,
        lines: of.n_lines,
        tokens: of.n_tokens,
        duplicated_lines: of.duplicated_lines,
        duplicated_tokens: of.duplicated_tokens,
        percent_of_lines: rounded(of.percent_of_lines()),
        percent_of_tokens: rounded(of.percent_of_tokens()),
    }
}

fn revision(end: &End) -> Revision {
    Revision { name: end.name.clone(), commit: end.commit.map(|commit| commit.to_string()) }
}

/// Every finding, in order; the copies of a family are where each of them is.
fn findings(outcome: &Outcome, is_brief: bool) -> Vec<Finding> {
    let with_heads = outcome.findings.iter().flat_map(|head| head.with_family().map(move |of| (of, head)));
    let mut all: Vec<(&policy::Finding, &policy::Finding)> = with_heads.collect();
    if all.len() > outcome.findings.len() {
        all.sort_by(|(a, _), (b, _)| (&a.path, a.fragment).cmp(&(&b.path, b.fragment)));
    }
    let family = |head: &policy::Finding| (!head.family.is_empty()).then(|| head.identity.clone());
    let findings = all.into_iter();
    findings.map(|(of, head)| Finding { family: family(head), ..finding_in(outcome, of, is_brief) }).collect()
}

/// A finding with its owners and its brief.
fn finding_in(outcome: &Outcome, of: &policy::Finding, is_brief: bool) -> Finding {
    let owners = |path| outcome.owners.of(path).into_iter().map(str::to_owned).collect();
    let origin = of.origins.iter().find(|origin| origin.place == policy::Place::Tree);
    Finding {
        owners: owners(&of.path),
        origin_owners: origin.map(|origin| owners(&origin.path)).unwrap_or_default(),
        crosses_owners: crosses_border(outcome, of),
        brief: is_brief.then(|| Brief::of(outcome, of)).flatten(),
        ..finding(of)
    }
}

fn finding(finding: &policy::Finding) -> Finding {
    Finding {
        rule: finding.rule.id,
        level: finding.level,
        level_reason: finding.milder.map(|milder| milder.describe()),
        message: finding.message(),
        worth: (finding.worth * 10.0).round() / 10.0,
        path: finding.path.to_string(),
        fragment: fragment(&finding.fragment),
        added: fragment(&finding.added),
        tokens: finding.n_tokens,
        novel_tokens: finding.n_novel,
        lines: finding.fragment.n_lines(),
        origins: finding.origins.iter().map(origin).collect(),
        unexamined: finding.unexamined_files().iter().map(unexamined).collect(),
        missed: finding.missed().map(|missed| Missed {
            lacks: missed.lacks.clone(),
            siblings: finding.n_places,
            patches: missed.patches.clone(),
        }),
        changed_since: finding.changed_since().iter().map(changed_by).collect(),
        missed_commits: finding.behind().map(missed_commits),
        copied_lines: finding.n_lines(),
        family: None,
        identity: finding.identity.clone(),
        owners: Vec::new(),
        origin_owners: Vec::new(),
        crosses_owners: false,
        brief: None,
    }
}

fn changed_by(change: &policy::Change) -> ChangedBy {
    ChangedBy { commit: change.commit.clone(), subject: change.subject.clone(), time: change.time }
}

fn missed_commits(of: &policy::Behind) -> MissedCommits {
    let place = |place: &policy::MissedPlace| MissedPlace {
        fragment: fragment(&place.fragment),
        origin_start_line: place.origin_lines.start,
        origin_end_line: place.origin_lines.end,
    };
    let commit = |missed: &policy::MissedCommit| MissedCommit {
        commit: past_commit(&missed.commit),
        origin: missed.origin.to_string(),
        places: missed.places.iter().map(place).collect(),
        changes: missed.n_hunks,
    };
    let component = &of.component;
    MissedCommits {
        component: component.name.clone(),
        corpus: component.corpus.clone(),
        purl: component.purl.clone(),
        url: component.url.clone(),
        is_listed: of.is_listed,
        commits: of.commits.iter().map(commit).collect(),
    }
}

fn past_commit(of: &policy::PastCommit) -> PastCommit {
    let policy::PastCommit { hash, time, subject, ids, is_security } = of.clone();
    PastCommit { hash, time, subject, ids, is_security }
}

fn folder_version(of: &audit::FolderVersion) -> FolderVersion {
    let shown = |line: &Vec<u8>| crate::text::printable(line);
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
    let names = |paths: &[crate::text::FilePath]| paths.iter().map(ToString::to_string).collect();
    let (added_lines, removed_lines) = of.n_edited_lines();
    FolderVersion {
        folder: of.folder.to_string(),
        component: of.component.name.clone(),
        corpus: of.component.corpus.clone(),
        origin: of.origin.to_string(),
        version: of.version(),
        first_tag: of.tags.as_ref().map(|(first, _)| first.clone()),
        last_tag: of.tags.as_ref().map(|(_, last)| last.clone()),
        purl: of.purl(),
        nearest_commit: of.commit.as_ref().map(|(commit, _)| past_commit(commit)),
        nearest_commit_lines: of.commit.as_ref().map(|(_, n)| *n),
        files: of.n_files,
        lines: of.n_lines,
        identical_files: of.n_same_bytes,
        equal_files: of.n_same_tokens,
        added_lines,
        removed_lines,
        edited: of.edited.iter().map(file).collect(),
        added: names(&of.added),
        missing: names(&of.missing),
        missing_elsewhere: of.n_missing_elsewhere,
    }
}

fn unexamined(of: &policy::Unexamined) -> Unexamined {
    Unexamined { path: of.path.to_string(), files: of.n_files, reason: of.reason }
}

fn suppressed(suppressed: &policy::Suppressed) -> Suppressed {
    let by = match suppressed.by {
        policy::SuppressedBy::Comment { .. } => "comment",
        policy::SuppressedBy::Baseline => "baseline",
        policy::SuppressedBy::Exception { .. } => "exception",
        policy::SuppressedBy::Decision { .. } => "decision",
    };
    Suppressed { finding: finding(&suppressed.finding), by, reason: suppressed.by.describe() }
}

fn notice(notice: &policy::Notice) -> Notice {
    Notice { path: notice.path.as_ref().map(ToString::to_string), line: notice.line, message: notice.message.clone() }
}

fn origin(origin: &policy::Origin) -> Origin {
    let clone_type = origin.clone_type.name();
    let consistent_renaming = match origin.clone_type {
        CloneType::Type2 { is_consistent } => Some(is_consistent),
        CloneType::Type1 | CloneType::Type3 => None,
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

pub(super) fn written(of: &policy::Writing) -> Written {
    Written { commit: of.commit.clone(), author: of.author.clone(), author_time: of.time, path: of.path.to_string() }
}

fn verdict(of: &policy::Verdict) -> Verdict {
    let (attribution, owed, given_in) = match of.attribution.clone() {
        Attribution::NotAsked => ("not-asked", Vec::new(), None),
        Attribution::Owed(notices) => ("owed", notices, None),
        Attribution::Given(path) => ("given", Vec::new(), Some(path)),
    };
    Verdict { answer: of.answer.name(), reason: of.reason.clone(), attribution, owed, given_in }
}

fn deletion(of: &policy::Deletion) -> Deletion {
    let policy::Deletion { commit, subject, time, is_reverted } = of.clone();
    Deletion { commit, subject, time, is_reverted }
}

fn component(of: &policy::Component) -> Component {
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
        first_seen: first_seen.map(|of| FirstSeen { commit: of.commit, time: of.time }),
    }
}

pub(super) fn fragment(fragment: &policy::Fragment) -> Fragment {
    Fragment {
        start_line: fragment.start.line,
        start_column: fragment.start.column,
        end_line: fragment.end.line,
        end_column: fragment.end.column,
    }
}
