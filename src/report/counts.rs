//! Writes counts, a `name=value` a line: for scripts, and for the outputs of a workflow's step.

use std::io::{self, Write};

use super::Style;
use super::words::{component_of, n_left_out, n_unread};
use crate::audit::Outcome;
use crate::policy::{Finding, Level};

pub(super) fn write(outcome: &Outcome, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let count =
        |matches: &dyn Fn(&&Finding) -> bool| outcome.all_findings().filter(matches).count();
    writeln!(out, "findings={}", outcome.all_findings().count())?;
    let n_new = count(&|finding| finding.is_copy() && !names_a_component(finding));
    writeln!(out, "new-copies={n_new}")?;
    writeln!(out, "license-findings={}", count(&|finding| names_a_component(finding)))?;
    for level in [Level::Error, Level::Warning, Level::Note] {
        writeln!(out, "{}s={}", level.name(), count(&|finding| finding.level == level))?;
    }
    writeln!(out, "not-examined={}", n_unread(outcome))?;
    writeln!(out, "left-out={}", n_left_out(outcome))
}

/// Whether a finding is about code with a license of its own.
fn names_a_component(finding: &Finding) -> bool {
    finding.origins.iter().any(|origin| component_of(&origin.place).is_some())
}
