//! Writes reviewdog's diagnostics: a comment on the lines of a pull request, whatever host it is
//! on.
//!
//! Positions are lines alone: reviewdog counts columns in bytes, and the whole line is meant
//! anyway.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::plain_json::{exact, write_json};
use super::words::{likeness, of_level, provenance};
use super::{REPOSITORY, Style};
use crate::audit::Outcome;
use crate::policy::{Finding, Fragment};
use crate::text::FilePath;

pub(super) fn write(outcome: &Outcome, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let diagnostics: Vec<Value> = outcome.all_findings().map(diagnostic).collect();
    let report = json!({ "source": { "name": "secondhand", "url": REPOSITORY }, "diagnostics": diagnostics });
    write_json(&report, out)
}

fn diagnostic(finding: &Finding) -> Value {
    let related = finding.origins_in_tree().map(|origin| {
        json!({ "message": likeness(origin), "location": location(&origin.path, &origin.fragment) })
    });
    json!({
        "message": message(finding),
        "location": location(&finding.path, &finding.added),
        "severity": of_level(finding.level, ["ERROR", "WARNING", "INFO"]),
        "code": { "value": finding.rule.id },
        "relatedLocations": related.collect::<Value>(),
    })
}

fn message(finding: &Finding) -> String {
    let note = finding.origins.first().and_then(provenance);
    finding.message() + &note.map(|note| format!(" ({note})")).unwrap_or_default()
}

fn location(path: &FilePath, fragment: &Fragment) -> Value {
    let (first, last) = (fragment.start.line, fragment.end.line);
    json!({ "path": exact(path), "range": { "start": { "line": first }, "end": { "line": last } } })
}
