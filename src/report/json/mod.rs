//! Writes findings for programs: versioned JSON, whose schema `docs/report.schema.json` publishes.
//!
//! Each file has the types of a part of the schema.

mod audit;
mod finding;
mod origin;

use std::io::{self, Write};

use self::audit::{Audit, Duplication};
use self::finding::{Finding, SuppressedFinding, findings};
pub(super) use self::origin::{Fragment, Written, is_consistent};
use super::plain_json::{each, json_types, write_json};
use super::{Style, VERSION};
use crate::audit::{Outcome, Skip};
use crate::change::End;
use crate::policy;
use crate::text::FilePath;

json_types! {

/// What an audit found.
pub(super) struct Report from ((outcome, is_brief): (&Outcome, bool)) {
    /// The version of this format.
    version: u32 = 1,
    /// The program that wrote it.
    tool: Tool = Tool::from(VERSION),
    /// The start of the change; null if everything is new.
    base: Option<Revision> = outcome.base.as_ref().map(Revision::from),
    /// The end of the change.
    head: Revision = Revision::from(&outcome.head),
    /// What was examined.
    examined: Examination = Examination::from(&outcome.examined),
    /// The findings, sorted by path and position; for a scan, the clone classes, the largest first.
    findings: Vec<Finding> = findings(outcome, is_brief),
    /// The number of suppressed findings.
    suppressed_findings: usize = outcome.n_suppressed,
    /// The suppressed findings, if requested.
    suppressed: Vec<SuppressedFinding> = each(&outcome.suppressed),
    /// Notices about the audit itself: ineffective suppressions, settings that the change edits.
    notices: Vec<Notice> = each(&outcome.notices),
    /// How much of the tree is duplicated, if it was scanned as a whole.
    duplication: Option<Duplication> = outcome.duplication.as_ref().map(Duplication::from),
    /// How much of the tree was found in corpora, if it was audited as a whole.
    audit: Option<Audit> = outcome.audited.as_ref().map(Audit::from),
}

struct Tool from (version: &'static str) {
    name: &'static str = "secondhand",
    version: &'static str = version,
}

struct Revision from (of: &End) {
    /// Its name: a revision, the index, the work tree.
    name: String = of.name.clone(),
    /// Its commit, if it is one.
    commit: Option<String> = of.commit.map(|commit| commit.to_string()),
}

struct Examination from (of: &crate::audit::Examination) {
    /// Files that the change adds or modifies.
    changed_files: usize = of.n_changed,
    /// Those of them that were checked.
    judged_files: usize = of.n_judged,
    /// Novel tokens in them.
    novel_tokens: usize = of.n_novel,
    /// Files that were searched for origins.
    compared_files: usize = of.n_compared,
    /// Pairs of a changed file and another one that share code but were not aligned, since others
    /// explain the same.
    passed_over_pairs: usize = of.n_passed_over,
    /// Changed files that were not checked, or only in part.
    skipped: Vec<SkippedFile> = each(&of.skipped),
    /// Source files of the head that were not compared.
    not_compared: Vec<SkippedFile> = each(&of.not_compared),
}

struct SkippedFile from ((path, skip): &(FilePath, Skip)) {
    path: String = path.to_string(),
    reason: &'static str = skip.reason(),
}

struct Notice from (of: &policy::Notice) {
    path: Option<String> = of.path.as_ref().map(ToString::to_string),
    line: Option<u32> = of.line,
    message: String = of.message.clone(),
}

}

pub(super) fn write(outcome: &Outcome, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    write_json(&Report::from((outcome, style.is_brief)), out)
}
