//! Writes a line for each finding, as compilers do: `src/a.c:12:1: warning[copied-code] 20 lines
//! copied from b.c:3 [3fa2c41d]`.
//!
//! Editors, problem matchers and `grep` read it. Promise: a finding is one line, the most severe
//! first.

use std::io::{self, Write};

use super::Style;
use super::words::{MAX_IN_LINE, grouped, place};
use crate::audit::Outcome;
use crate::policy::{Finding, Fragment, SuppressedFinding};
use crate::text::joined;

pub(super) fn write(outcome: &Outcome, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    for (name, findings) in grouped(outcome, style.group_by) {
        if let Some(name) = name {
            writeln!(out, "{name}:")?;
        }
        findings.into_iter().try_for_each(|finding| writeln!(out, "{}", finding_line(finding)))?;
    }
    outcome.suppressed.iter().try_for_each(|of| writeln!(out, "{}", suppressed_line(of)))
}

/// A suppressed finding in a line, which no matcher takes for one of a level.
fn suppressed_line(SuppressedFinding { finding, by }: &SuppressedFinding) -> String {
    let (message, why, id) = (finding.message(), &by.words, finding.id());
    format!("{}: suppressed[{}] {message} ({why}) [{id}]", start(finding), finding.rule.id)
}

/// A finding in a line.
pub fn finding_line(finding: &Finding) -> String {
    let (at, level, rule) = (start(finding), finding.level.name(), finding.rule.id);
    let (message, elsewhere, id) = (finding.message(), elsewhere(finding), finding.id());
    format!("{at}: {level}[{rule}] {message}{elsewhere} [{id}]")
}

/// `src/a.c:12:1`.
fn start(finding: &Finding) -> String {
    let Fragment { start, .. } = finding.fragment;
    format!("{}:{}:{}", finding.path, start.line, start.column)
}

/// Where else the code of a clone class is, which the message only counts.
fn elsewhere(finding: &Finding) -> String {
    if finding.n_novel > 0 || finding.missed().is_some() || finding.origins.is_empty() {
        return String::new();
    }
    format!(": also {}", joined(&finding.origins, MAX_IN_LINE, place))
}
