//! Writes GitLab's Code Quality report.
//!
//! Promise: each fingerprint is there once, since GitLab shows one of several that are the same.

use std::collections::HashMap;
use std::io::{self, Write};

use serde::Serialize;

use super::Style;
use super::plain_json::{exact, write_json};
use super::words::{likeness, of_level, place, provenance};
use crate::audit::Outcome;
use crate::policy::Finding;

#[derive(Serialize)]
struct Issue<'o> {
    description: String,
    check_name: &'o str,
    fingerprint: String,
    severity: &'static str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: LineRange,
}

#[derive(Serialize)]
struct LineRange {
    begin: u32,
    end: u32,
}

pub(super) fn write(outcome: &Outcome, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut n_of: HashMap<&str, usize> = HashMap::new();
    let issues = outcome.all_findings().map(|finding| {
        let n = n_of.entry(&finding.identity).or_default();
        *n += 1;
        issue(finding, *n)
    });
    write_json(&Vec::from_iter(issues), out)
}

/// The finding as an issue; `n` counts the issues with its identity up to this one.
fn issue(finding: &Finding, n: usize) -> Issue<'_> {
    let identity = &finding.identity;
    Issue {
        description: description(finding),
        check_name: finding.rule.id,
        fingerprint: if n == 1 { identity.clone() } else { format!("{identity}-{n}") },
        severity: of_level(finding.level, ["critical", "major", "info"]),
        location: Location {
            path: exact(&finding.path),
            lines: LineRange { begin: finding.added.start.line, end: finding.added.end.line },
        },
    }
}

fn description(finding: &Finding) -> String {
    let mut text = finding.message();
    if let Some(origin) = finding.origins.first() {
        text.push_str(&format!(" ({}, {})", place(origin), likeness(origin)));
        text.extend(provenance(origin).map(|note| format!("; {note}")));
    }
    text
}
