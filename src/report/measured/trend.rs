//! Writes a line of JSON that a scheduled job appends to a file: a row of a trend for each commit.
//!
//! It has no time of its own, so that the same tree writes the same bytes: the commit has one.

use std::io::{self, Write};

use serde_json::json;

use super::total;
use crate::audit::Outcome;
use crate::report::plain_json::rounded;
use crate::report::{Style, VERSION};

pub fn write(outcome: &Outcome, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let total = total(outcome);
    let row = json!({
        "commit": outcome.head.commit.as_ref().map(ToString::to_string),
        "files": total.n_files,
        "lines": total.n_lines,
        "duplicatedLines": total.duplicated_lines,
        "percentOfLines": rounded(total.percent(), 2),
        "cloneClasses": outcome.findings.len(),
        "suppressed": outcome.n_suppressed,
        "secondhand": VERSION,
    });
    writeln!(out, "{row}")
}
