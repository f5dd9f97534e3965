//! Writes findings for programs: versioned JSON, whose schema `docs/report.schema.json` publishes.

use std::collections::BTreeMap;
use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;

use super::{Format, Style, VERSION};
use crate::audit::{self, End, Outcome};
use crate::matching::CloneType;
use crate::policy::{self, Level};

pub(super) const FORMAT: Format = Format { name: "json", help: "versioned JSON for programs", write };

/// Grows when a field changes its meaning or goes away; new fields do not count.
const FORMAT_VERSION: u32 = 1;

/// What an audit found.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    /// The version of this format.
    version: u32,
    /// The program that wrote it.
    tool: Tool,
    /// Where the change begins; null when everything is new.
    base: Option<Revision>,
    /// Where it ends.
    head: Revision,
    /// What was looked at.
    examined: Examined,
    /// The findings, sorted by path and place; of a scan, the clone classes, the largest first.
    findings: Vec<Finding>,
    /// How many findings comments and the baseline suppress.
    suppressed_findings: usize,
    /// Those findings, when they are asked for.
    suppressed: Vec<Suppressed>,
    /// What there is to know about the audit itself: suppressions that do not hold, settings that the change edits.
    notices: Vec<Notice>,
    /// What share of the tree is duplicated, when it was scanned as a whole.
    duplication: Option<Duplication>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Duplication {
    total: Share,
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
    /// Where: `comment` or `baseline`.
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
    /// What it was called: a revision, the index, the work tree.
    name: String,
    /// Its commit, when it is one.
    commit: Option<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Examined {
    /// Files that the change adds or modifies.
    changed_files: usize,
    /// Those of them that were judged.
    judged_files: usize,
    /// Novel tokens in them.
    novel_tokens: usize,
    /// Files that copies were looked for in.
    compared_files: usize,
    /// Changed files that were not judged.
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
    message: String,
    /// The file with the copy. Bytes that are not UTF-8 are written as `\xNN`.
    path: String,
    /// The whole copy.
    fragment: Fragment,
    /// The longest run of lines in it that the change adds.
    added: Fragment,
    tokens: usize,
    /// Tokens of the copy that the change brings in.
    novel_tokens: usize,
    lines: u32,
    /// The origins, the best first.
    origins: Vec<Origin>,
    /// Stays the same when lines move.
    identity: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Origin {
    /// Where it is kept.
    place: Place,
    /// The commit that deleted it, when its place is the past.
    deletion: Option<Deletion>,
    /// Whose it is, when its place is a component.
    component: Option<Component>,
    path: String,
    fragment: Fragment,
    /// `type-1`, `type-2` or `type-3`.
    clone_type: &'static str,
    /// For Type-2: whether each name stands for one name throughout.
    consistent_renaming: Option<bool>,
    /// How alike copy and origin are, 0 to 1.
    similarity: f64,
    /// When and by whom it was written, when that was asked for and is known.
    written: Option<Written>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Written {
    /// The commit that brought in most of its lines.
    commit: String,
    author: String,
    /// When the author wrote it, in seconds since 1970.
    author_time: i64,
    /// The file it stood in then.
    path: String,
}

/// Where an origin is kept.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum Place {
    /// In the head tree.
    Tree,
    /// In the past of the repository: it was deleted.
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
    /// When it was made, in seconds since 1970.
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
    /// Where it can be had.
    url: Option<String>,
    /// An SPDX expression; null when it is not known.
    license: Option<String>,
    /// How the license was found.
    license_evidence: Option<String>,
}

/// A stretch of a file; lines and columns from 1, columns in UTF-16 code units, the end column after the last.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Fragment {
    start_line: u32,
    start_column: u32,
    end_line: u32,
    end_column: u32,
}

fn write(outcome: &Outcome, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &report(outcome))?;
    writeln!(out)
}

/// The JSON schema of the report.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Report).to_value()
}

fn report(outcome: &Outcome) -> Report {
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
            skipped: skipped(&examined.skipped),
            not_compared: skipped(&examined.not_compared),
        },
        findings: outcome.findings.iter().map(finding).collect(),
        suppressed_findings: outcome.n_suppressed,
        suppressed: outcome.suppressed.iter().map(suppressed).collect(),
        notices: outcome.notices.iter().map(notice).collect(),
        duplication: outcome.duplication.as_ref().map(duplication),
    }
}

fn duplication(of: &audit::Duplication) -> Duplication {
    Duplication {
        total: share(&of.total),
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

fn finding(finding: &policy::Finding) -> Finding {
    Finding {
        rule: finding.rule.id,
        level: finding.level,
        message: finding.message(),
        path: finding.path.to_string(),
        fragment: fragment(&finding.fragment),
        added: fragment(&finding.added),
        tokens: finding.n_tokens,
        novel_tokens: finding.n_novel,
        lines: finding.fragment.n_lines(),
        origins: finding.origins.iter().map(origin).collect(),
        identity: finding.identity.clone(),
    }
}

fn suppressed(suppressed: &policy::Suppressed) -> Suppressed {
    let by = match suppressed.by {
        policy::SuppressedBy::Comment { .. } => "comment",
        policy::SuppressedBy::Baseline => "baseline",
    };
    Suppressed { finding: finding(&suppressed.finding), by, reason: suppressed.by.describe() }
}

fn notice(notice: &policy::Notice) -> Notice {
    Notice { path: notice.path.as_ref().map(ToString::to_string), line: notice.line, message: notice.message.clone() }
}

fn origin(origin: &policy::Origin) -> Origin {
    let (clone_type, consistent_renaming) = match origin.clone_type {
        CloneType::Type1 => ("type-1", None),
        CloneType::Type2 { is_consistent } => ("type-2", Some(is_consistent)),
        CloneType::Type3 => ("type-3", None),
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
        written: origin.written.as_ref().map(|writing| Written {
            commit: writing.commit.clone(),
            author: writing.author.clone(),
            author_time: writing.time,
            path: writing.path.to_string(),
        }),
    }
}

fn deletion(of: &policy::Deletion) -> Deletion {
    let policy::Deletion { commit, subject, time, is_reverted } = of.clone();
    Deletion { commit, subject, time, is_reverted }
}

fn component(of: &policy::Component) -> Component {
    let policy::Component { corpus, name, version, purl, url, license, license_evidence } = of.clone();
    Component { corpus, name, version, purl, url, license, license_evidence }
}

fn fragment(fragment: &policy::Fragment) -> Fragment {
    Fragment {
        start_line: fragment.start.line,
        start_column: fragment.start.column,
        end_line: fragment.end.line,
        end_column: fragment.end.column,
    }
}
