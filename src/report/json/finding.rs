//! The findings of a report, and those that are suppressed.

use schemars::JsonSchema;
use serde::Serialize;

use super::missed_commits::{MissedCommits, missed_commits};
use super::origin::{Fragment, Origin, fragment, origin};
use crate::audit::Outcome;
use crate::matching::Worth;
use crate::policy::{self, Level};
use crate::report::brief::Brief;
use crate::report::words::crosses_border;

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct Finding {
    rule: &'static str,
    level: Level,
    /// Why the level is below that of the rule: where the copy is, that it says little, or that
    /// nothing is owed; null when it is not.
    level_reason: Option<String>,
    message: String,
    /// How much the copy does that its origin does as well: statements that decide, call or
    /// compute, weighted by how alike they read.
    worth: f64,
    /// What that is made of; null where nothing is new.
    worth_parts: Option<WorthParts>,
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
    unexamined: Vec<UnexaminedFiles>,
    /// What an edit missed, if it is about one; the origins are the siblings then.
    missed: Option<MissedEdit>,
    /// Lines of source that go if the class is written once, in a scan; 0 if it is not worth a
    /// warning in a change.
    saved_lines: u64,
    /// The commits that changed the origin since the state that was copied, the newest first; empty
    /// if it is the present one.
    changed_since: Vec<ChangedBy>,
    /// The commits that a copy lacks, if the rule is `stale-copy` or `known-vulnerability`; there
    /// are no origins then.
    missed_commits: Option<MissedCommits>,
    /// The lines of code in the copy that its first origin has as well.
    copied_lines: u32,
    /// The identity of the first finding of its family: copies from the same file, or siblings
    /// beside each other, which reports for people show as one. Null if it is alone.
    family: Option<String>,
    /// Stays the same when lines move. Other formats show its first eight digits, which commands
    /// take.
    identity: String,
    /// The owners of the copy, in CODEOWNERS.
    owners: Vec<String>,
    /// The owners of the first origin in the tree.
    origin_owners: Vec<String>,
    /// The settings files that judged it, the nearest first: of the folder of the copy and of those
    /// above it.
    settings: Vec<String>,
    /// Whether both have owners, and none of those of the copy owns that origin.
    crosses_owners: bool,
    /// What is equal and what differs between the copy and its first origin; with `--brief`, if
    /// both texts are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    brief: Option<Brief>,
}

/// An edit that siblings lack.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct MissedEdit {
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
struct UnexaminedFiles {
    /// The file; or a folder, with a `/` at its end.
    path: String,
    /// The number of files.
    files: usize,
    reason: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct SuppressedFinding {
    finding: Finding,
    /// By what: `comment`, `baseline`, `exception` or `decision`.
    by: &'static str,
    /// Why, and until when.
    reason: String,
}

/// Every finding, in order; the copies of a family are where each of them is.
pub(super) fn findings(outcome: &Outcome, is_brief: bool) -> Vec<Finding> {
    let with_heads =
        outcome.findings.iter().flat_map(|head| head.with_family().map(move |of| (of, head)));
    let mut all: Vec<(&policy::Finding, &policy::Finding)> = with_heads.collect();
    if all.len() > outcome.findings.len() {
        all.sort_by(|(a, _), (b, _)| (&a.path, a.fragment).cmp(&(&b.path, b.fragment)));
    }
    let family = |head: &policy::Finding| (!head.family.is_empty()).then(|| head.identity.clone());
    let findings = all.into_iter();
    findings
        .map(|(of, head)| Finding { family: family(head), ..finding_in(outcome, of, is_brief) })
        .collect()
}

/// A finding with its owners and its brief.
fn finding_in(outcome: &Outcome, of: &policy::Finding, is_brief: bool) -> Finding {
    let owners = |path| outcome.owners.of(path).into_iter().map(str::to_owned).collect();
    let origin = of.origins.iter().find(|origin| origin.place == policy::Place::Tree);
    Finding {
        owners: owners(&of.path),
        settings: outcome.settings.of(&of.path).into_iter().map(str::to_owned).collect(),
        origin_owners: origin.map(|origin| owners(&origin.path)).unwrap_or_default(),
        crosses_owners: crosses_border(outcome, of),
        brief: is_brief.then(|| Brief::of(outcome, of)).flatten(),
        ..finding(of)
    }
}

/// What a copy is worth, part by part.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct WorthParts {
    /// What its statements are worth.
    statements: f64,
    /// What the lines are worth that copy and origin spell the same.
    equal_lines: f64,
    /// The least worth of a warning: `min-worth` where the copy is.
    minimum: u16,
    /// Statements of different shapes that decide, call or compute.
    n_statements: usize,
    /// Kinds of control flow among them.
    n_control_flow: usize,
    /// Names in both that few of the files nearby use.
    n_rare_names: usize,
    /// Lines of different shapes that copy and origin spell the same.
    n_equal_lines: usize,
    /// The fraction of names that are spelled as in the origin, 0 to 1.
    names: f64,
    /// Whether it ends where a block ends.
    ends_block: bool,
    /// Whether it begins and ends on its outermost level.
    is_even: bool,
    /// Whether the origin is next to it.
    is_beside: bool,
}

fn worth_parts(worth: &Worth) -> WorthParts {
    WorthParts {
        statements: tenths(worth.of_statements()),
        equal_lines: tenths(worth.of_lines()),
        minimum: worth.minimum,
        n_statements: worth.n_statements,
        n_control_flow: worth.n_controls,
        n_rare_names: worth.n_rare_names,
        n_equal_lines: worth.n_equal_lines,
        names: (worth.names * 100.0).round() / 100.0,
        ends_block: worth.ends_block,
        is_even: worth.is_even,
        is_beside: worth.is_beside,
    }
}

fn tenths(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

fn finding(finding: &policy::Finding) -> Finding {
    Finding {
        rule: finding.rule.id,
        level: finding.level,
        level_reason: finding.milder.map(|milder| milder.describe()),
        message: finding.message(),
        worth: tenths(finding.worth.score()),
        worth_parts: (finding.worth != Worth::NONE).then(|| worth_parts(&finding.worth)),
        path: finding.path.to_string(),
        fragment: fragment(&finding.fragment),
        added: fragment(&finding.added),
        tokens: finding.n_tokens,
        novel_tokens: finding.n_novel,
        lines: finding.fragment.n_lines(),
        origins: finding.origins.iter().map(origin).collect(),
        unexamined: finding.unexamined_files().iter().map(unexamined).collect(),
        missed: finding.missed().map(|missed| MissedEdit {
            lacks: missed.lacks.clone(),
            siblings: finding.n_places,
            patches: missed.patches.clone(),
        }),
        changed_since: finding.changed_since().iter().map(changed_by).collect(),
        missed_commits: finding.behind().map(missed_commits),
        saved_lines: finding.n_saved_lines,
        copied_lines: finding.n_lines(),
        family: None,
        identity: finding.identity.clone(),
        owners: Vec::new(),
        origin_owners: Vec::new(),
        settings: Vec::new(),
        crosses_owners: false,
        brief: None,
    }
}

fn changed_by(change: &policy::Change) -> ChangedBy {
    ChangedBy { commit: change.commit.clone(), subject: change.subject.clone(), time: change.time }
}

fn unexamined(of: &policy::UnexaminedFiles) -> UnexaminedFiles {
    UnexaminedFiles { path: of.path.to_string(), files: of.n_files, reason: of.reason }
}

pub(super) fn suppressed(suppressed: &policy::SuppressedFinding) -> SuppressedFinding {
    let by = match suppressed.by {
        policy::SuppressedBy::Comment { .. } => "comment",
        policy::SuppressedBy::Baseline => "baseline",
        policy::SuppressedBy::Exception { .. } => "exception",
        policy::SuppressedBy::Decision { .. } => "decision",
    };
    SuppressedFinding {
        finding: finding(&suppressed.finding),
        by,
        reason: suppressed.by.describe(),
    }
}
