//! The findings of a report, those that are suppressed, and the commits that copies lack.

use super::origin::{Fragment, Origin};
use crate::audit::Outcome;
use crate::matching::Worth;
use crate::policy::{self, Level};
use crate::report::brief::Brief;
use crate::report::plain_json::{each, json_types, rounded, strings};
use crate::report::words::crosses_border;

json_types! {

pub(super) struct Finding from (of: &policy::Finding) {
    rule: &'static str = of.rule.id,
    level: Level = of.level,
    /// Why the level is below that of the rule: where the copy is, that it says little, or that
    /// nothing is owed; null when it is not.
    level_reason: Option<String> = of.milder.map(|milder| milder.describe()),
    message: String = of.message(),
    /// How much the copy does that its origin does as well: statements that decide, call or
    /// compute, weighted by how alike they read.
    worth: f64 = rounded(of.worth.score(), 1),
    /// What that is made of; null where nothing is new.
    worth_parts: Option<WorthParts> =
        (of.worth != Worth::NONE).then(|| WorthParts::from(&of.worth)),
    /// The file with the copy. Bytes that are not UTF-8 are written as `\xNN`.
    path: String = of.path.to_string(),
    /// The whole copy.
    fragment: Fragment = Fragment::from(&of.fragment),
    /// The longest run of its lines that the change adds.
    added: Fragment = Fragment::from(&of.added),
    tokens: usize = of.n_tokens,
    /// Tokens of the copy that the change adds.
    novel_tokens: usize = of.n_novel,
    lines: u32 = of.fragment.n_lines(),
    /// The origins, the best first; empty for files that were not examined.
    origins: Vec<Origin> = each(&of.origins),
    /// The files that were not examined, if the rule is `not-examined`; there are no origins then.
    unexamined: Vec<UnexaminedFiles> = each(of.unexamined_files()),
    /// What an edit missed, if it is about one; the origins are the siblings then.
    missed: Option<MissedEdit> = of.missed().map(|missed| MissedEdit::from((of, missed))),
    /// Lines of source that go if the class is written once, in a scan; 0 if it is not worth a
    /// warning in a change.
    saved_lines: u64 = of.n_saved_lines,
    /// The commits that changed the origin since the state that was copied, the newest first; empty
    /// if it is the present one.
    changed_since: Vec<ChangedBy> = each(of.changed_since()),
    /// The commits that a copy lacks, if the rule is `stale-copy` or `known-vulnerability`; there
    /// are no origins then.
    missed_commits: Option<MissedCommits> = of.behind().map(MissedCommits::from),
    /// The lines of code in the copy that its first origin has as well.
    copied_lines: u32 = of.n_lines(),
    /// The identity of the first finding of its family: copies from the same file, or siblings
    /// beside each other, which reports for people show as one. Null if it is alone.
    family: Option<String> = None,
    /// Stays the same when lines move. Other formats show its first eight digits, which commands
    /// take.
    identity: String = of.identity.clone(),
    /// The owners of the copy, in CODEOWNERS.
    owners: Vec<String> = Vec::new(),
    /// The owners of the first origin in the tree.
    origin_owners: Vec<String> = Vec::new(),
    /// The settings files that judged it, the nearest first: of the folder of the copy and of those
    /// above it.
    settings: Vec<String> = Vec::new(),
    /// Whether both have owners, and none of those of the copy owns that origin.
    crosses_owners: bool = false,
    /// What is equal and what differs between the copy and its first origin; with `--brief`, if
    /// both texts are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    brief: Option<Brief> = None,
}

/// An edit that siblings lack.
struct MissedEdit from ((finding, missed): (&policy::Finding, &policy::MissedEdit)) {
    /// What the edit did, in words.
    lacks: String = missed.lacks.clone(),
    /// The number of siblings that lack it.
    siblings: usize = finding.n_places,
    /// For each origin, the same edit as a unified diff; null where it does not apply.
    patches: Vec<Option<String>> = missed.patches.clone(),
}

/// A commit that changed the origin of a copy.
struct ChangedBy from (of: &policy::Change) {
    commit: String = of.commit.clone(),
    subject: String = of.subject.clone(),
    /// Its time, in seconds since 1970.
    time: i64 = of.time,
}

struct UnexaminedFiles from (of: &policy::UnexaminedFiles) {
    /// The file; or a folder, with a `/` at its end.
    path: String = of.path.to_string(),
    /// The number of files.
    files: usize = of.n_files,
    reason: &'static str = of.reason,
}

pub(super) struct SuppressedFinding from (of: &policy::SuppressedFinding) {
    finding: Finding = Finding::from(&of.finding),
    /// By what: `comment`, `baseline`, `exception` or `decision`.
    by: &'static str = of.by.kind,
    /// Why, and until when.
    reason: String = of.by.words.clone(),
}

/// Commits of a component that a copy lacks.
struct MissedCommits from (of: &policy::Behind) {
    component: String = of.component.name.clone(),
    corpus: String = of.component.corpus.clone(),
    purl: Option<String> = of.component.purl.clone(),
    url: Option<String> = of.component.url.clone(),
    /// Whether they come from a list of fixes.
    is_listed: bool = of.is_listed,
    /// The oldest first.
    commits: Vec<MissedCommit> = each(&of.commits),
}

struct MissedCommit from (of: &policy::MissedCommit) {
    #[serde(flatten)]
    commit: PastCommit = PastCommit::from(&of.commit),
    /// The file that it changed, as it was called then.
    origin: String = of.origin.to_string(),
    /// The places of the copy that it would change.
    places: Vec<MissedPlace> = each(&of.places),
    /// The places of the file that it changed.
    changes: usize = of.n_hunks,
}

struct MissedPlace from (of: &policy::MissedPlace) {
    fragment: Fragment = Fragment::from(&of.fragment),
    /// The lines of the origin before the commit, the end after the last.
    origin_start_line: u32 = of.origin_lines.start,
    origin_end_line: u32 = of.origin_lines.end,
}

pub(super) struct PastCommit from (of: &policy::PastCommit) {
    hash: String = of.hash.clone(),
    /// Its time, in seconds since 1970.
    time: i64 = of.time,
    subject: String = of.subject.clone(),
    /// CVE, GHSA and other ids.
    ids: Vec<String> = of.ids.clone(),
    /// Whether it says that it fixes a security fault.
    is_security: bool = of.is_security,
}

/// What a copy is worth, part by part.
struct WorthParts from (of: &Worth) {
    /// What its statements are worth.
    statements: f64 = rounded(of.of_statements(), 1),
    /// What the lines are worth that copy and origin spell the same.
    equal_lines: f64 = rounded(of.of_lines(), 1),
    /// The least worth of a warning: `min-worth` where the copy is.
    minimum: u16 = of.minimum,
    /// Statements of different shapes that decide, call or compute.
    n_statements: usize = of.n_statements,
    /// Kinds of control flow among them.
    n_control_flow: usize = of.n_controls,
    /// Names in both that few of the files nearby use.
    n_rare_names: usize = of.n_rare_names,
    /// Lines of different shapes that copy and origin spell the same.
    n_equal_lines: usize = of.n_equal_lines,
    /// The fraction of names that are spelled as in the origin, 0 to 1.
    names: f64 = rounded(of.names, 2),
    /// Whether it ends where a block ends.
    ends_block: bool = of.ends_block,
    /// Whether it begins and ends on its outermost level.
    is_even: bool = of.is_even,
    /// Whether the origin is next to it.
    is_beside: bool = of.is_beside,
}

}

/// Every finding, in order; the copies of a family are where each of them is.
pub(super) fn findings(outcome: &Outcome, is_brief: bool) -> Vec<Finding> {
    let with_heads =
        outcome.findings.iter().flat_map(|head| head.with_family().map(move |of| (of, head)));
    let mut all: Vec<(&policy::Finding, &policy::Finding)> = with_heads.collect();
    if all.len() > outcome.findings.len() {
        all.sort_by(|(a, _), (b, _)| (&a.path, a.fragment).cmp(&(&b.path, b.fragment)));
    }
    let findings = all.into_iter().map(|(of, head)| {
        let origin = of.origins_in_tree().next();
        Finding {
            family: (!head.family.is_empty()).then(|| head.identity.clone()),
            owners: strings(&outcome.owners.of(&of.path)),
            settings: strings(&outcome.settings.of(&of.path)),
            origin_owners: origin.map_or(Vec::new(), |of| strings(&outcome.owners.of(&of.path))),
            crosses_owners: crosses_border(outcome, of),
            brief: is_brief.then(|| Brief::of(outcome, of)).flatten(),
            ..Finding::from(of)
        }
    });
    findings.collect()
}
