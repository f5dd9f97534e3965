//! Writes findings for programs: versioned JSON, whose schema `docs/report.schema.json` publishes.
//!
//! Each file has the types of a part of the schema, then the functions that make them of what an
//! audit found.

mod audit;
mod duplication;
mod finding;
mod folder_version;
mod missed_commits;
mod origin;

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;

use self::audit::{Audit, audit};
use self::duplication::{Duplication, duplication};
use self::finding::{Finding, SuppressedFinding, findings, suppressed};
pub(super) use self::origin::{Fragment, Written, fragment, written};
use super::plain_json::write_json;
use super::{Format, Style, VERSION};
use crate::audit::{Outcome, Skip};
use crate::change::End;
use crate::policy;
use crate::text::FilePath;

pub(super) const FORMAT: Format =
    Format { name: "json", help: "versioned JSON for programs", write };

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
    examined: Examination,
    /// The findings, sorted by path and position; for a scan, the clone classes, the largest first.
    findings: Vec<Finding>,
    /// The number of suppressed findings.
    suppressed_findings: usize,
    /// The suppressed findings, if requested.
    suppressed: Vec<SuppressedFinding>,
    /// Notices about the audit itself: ineffective suppressions, settings that the change edits.
    notices: Vec<Notice>,
    /// How much of the tree is duplicated, if it was scanned as a whole.
    duplication: Option<Duplication>,
    /// How much of the tree was found in corpora, if it was audited as a whole.
    audit: Option<Audit>,
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
struct Examination {
    /// Files that the change adds or modifies.
    changed_files: usize,
    /// Those of them that were checked.
    judged_files: usize,
    /// Novel tokens in them.
    novel_tokens: usize,
    /// Files that were searched for origins.
    compared_files: usize,
    /// Pairs of a changed file and another one that share code but were not aligned, since others
    /// explain the same.
    passed_over_pairs: usize,
    /// Changed files that were not checked, or only in part.
    skipped: Vec<SkippedFile>,
    /// Source files of the head that were not compared.
    not_compared: Vec<SkippedFile>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct SkippedFile {
    path: String,
    reason: &'static str,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Notice {
    path: Option<String>,
    line: Option<u32>,
    message: String,
}

fn write(outcome: &Outcome, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    write_json(&report(outcome, style.is_brief), out)
}

/// The JSON schema of the report.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Report).to_value()
}

fn report(outcome: &Outcome, is_brief: bool) -> Report {
    let skipped = |list: &[(FilePath, Skip)]| {
        list.iter()
            .map(|(path, skip)| SkippedFile { path: path.to_string(), reason: skip.reason() })
            .collect()
    };
    let examined = &outcome.examined;
    Report {
        version: FORMAT_VERSION,
        tool: Tool { name: "secondhand", version: VERSION },
        base: outcome.base.as_ref().map(revision),
        head: revision(&outcome.head),
        examined: Examination {
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

fn revision(end: &End) -> Revision {
    Revision { name: end.name.clone(), commit: end.commit.map(|commit| commit.to_string()) }
}

fn notice(notice: &policy::Notice) -> Notice {
    Notice {
        path: notice.path.as_ref().map(ToString::to_string),
        line: notice.line,
        message: notice.message.clone(),
    }
}
