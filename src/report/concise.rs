//! Writes a line for each finding, as compilers do: `src/a.c:12:1: warning[copied-code] 20 lines
//! copied from b.c:3 [3fa2c41d]`.
//!
//! Editors, problem matchers and `grep` read it. Promise: a finding is one line, the most severe
//! first.

use std::io::{self, Write};

use super::Style;
use super::words::{and_more, grouped, place};
use crate::audit::Outcome;
use crate::policy::{Finding, SuppressedFinding};

/// Maximum other places of a clone class to name.
const MAX_PLACES: usize = 3;

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
    let Finding { path, fragment, rule, .. } = finding;
    let (line, column, rule) = (fragment.start.line, fragment.start.column, rule.id);
    let (message, why, id) = (finding.message(), by.describe(), finding.id());
    format!("{path}:{line}:{column}: suppressed[{rule}] {message} ({why}) [{id}]")
}

/// A finding in a line.
pub fn finding_line(finding: &Finding) -> String {
    let at = finding.fragment.start;
    let (level, rule) = (finding.level.name(), finding.rule.id);
    let (path, line, column) = (&finding.path, at.line, at.column);
    let (message, elsewhere, id) = (finding.message(), elsewhere(finding), finding.id());
    format!("{path}:{line}:{column}: {level}[{rule}] {message}{elsewhere} [{id}]")
}

/// Where else the code of a clone class is, which the message only counts.
fn elsewhere(finding: &Finding) -> String {
    if finding.n_novel > 0 || finding.missed().is_some() || finding.origins.is_empty() {
        return String::new();
    }
    let places: Vec<_> = finding.origins.iter().take(MAX_PLACES).map(place).collect();
    format!(": also {}{}", places.join(", "), and_more(finding.origins.len() - places.len()))
}
