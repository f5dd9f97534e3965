//! Writes counts, a `name=value` a line: for scripts, and for the outputs of a workflow's step.

use std::io::{self, Write};

use super::Style;
use super::words::{n_left_out, n_of_level, n_unread};
use crate::audit::Outcome;
use crate::policy::{Finding, Level};

pub(super) fn write(outcome: &Outcome, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let findings: Vec<&Finding> = outcome.all_findings().collect();
    writeln!(out, "findings={}", findings.len())?;
    let (of_license, others): (Vec<&Finding>, Vec<&Finding>) =
        findings.into_iter().partition(|finding| names_a_component(finding));
    writeln!(out, "new-copies={}", others.iter().filter(|finding| finding.is_copy()).count())?;
    writeln!(out, "license-findings={}", of_license.len())?;
    for level in [Level::Error, Level::Warning, Level::Note] {
        writeln!(out, "{}s={}", level.name(), n_of_level(outcome, level))?;
    }
    writeln!(out, "not-examined={}", n_unread(outcome))?;
    writeln!(out, "left-out={}", n_left_out(outcome))
}

/// Whether a finding is about code with a license of its own.
fn names_a_component(finding: &Finding) -> bool {
    finding.origins.iter().any(|origin| origin.place.component().is_some())
}
