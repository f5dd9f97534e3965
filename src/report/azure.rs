//! Writes logging commands of Azure Pipelines: a warning or error in the summary of the run for
//! each finding.
//!
//! The host has no command for a note, so notes are lines of the log.

use std::io::{self, Write};

use super::Style;
use super::words::remarks;
use crate::audit::Outcome;
use crate::policy::{Finding, Level, best_first};
use crate::text::{Position, printable};

pub(super) fn write(outcome: &Outcome, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    for finding in best_first(&outcome.findings).into_iter().flat_map(Finding::with_family) {
        writeln!(out, "{}", line(finding))?;
    }
    let remarks = if style.is_quiet { Vec::new() } else { remarks(outcome) };
    // In front of it, nothing in a remark is a command, but what the agent takes anywhere.
    remarks.iter().try_for_each(|of| writeln!(out, "note: {}", printable(of)))
}

fn line(finding: &Finding) -> String {
    let Position { line, column } = finding.added.start;
    let (path, rule, message) = (finding.path.to_string(), finding.rule.id, finding.message());
    let kind = match finding.level {
        Level::Error => "error",
        Level::Warning => "warning",
        // Something comes before the path: a line must not begin with a command that a file is
        // named like.
        Level::Note => return format!("note: {path}:{line}:{column}: {rule}: {message}"),
    };
    format!(
        "##vso[task.logissue type={kind};sourcepath={};linenumber={line};columnnumber={column};code={rule};]{}",
        property(&path),
        data(&message)
    )
}

/// The text of a command, as the agent reads it back.
fn data(text: &str) -> String {
    text.replace('%', "%AZP25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property of a command: what would end it is escaped too.
fn property(text: &str) -> String {
    data(text).replace(']', "%5D").replace(';', "%3B")
}
