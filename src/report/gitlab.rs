//! Writes GitLab's Code Quality report.
//!
//! Promise: each fingerprint is there once, since GitLab shows one of several that are the same.

use std::collections::HashMap;
use std::io::{self, Write};

use serde::Serialize;

use super::words::{likeness, place, provenance};
use super::{Format, Style};
use crate::audit::Outcome;
use crate::policy::{Finding, Level};
use crate::text::is_direction_mark;

pub(super) const FORMAT: Format = Format { name: "gitlab", help: "Code Quality report of GitLab", write };

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

fn write(outcome: &Outcome, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut n_of: HashMap<&str, usize> = HashMap::new();
    let issues: Vec<_> = outcome
        .findings
        .iter()
        .map(|finding| {
            let n = n_of.entry(&finding.identity).or_default();
            *n += 1;
            issue(finding, *n)
        })
        .collect();
    // A path must be exact, or the host does not find the file; JSON can spell it so that it steers no terminal.
    let json = serde_json::to_string_pretty(&issues)?;
    for c in json.chars() {
        match c {
            c if is_direction_mark(c) => write!(out, "\\u{:04x}", u32::from(c))?,
            c => write!(out, "{c}")?,
        }
    }
    writeln!(out)
}

/// The finding as an issue; `n` tells how many of its identity there are up to this one.
fn issue(finding: &Finding, n: usize) -> Issue<'_> {
    let identity = &finding.identity;
    Issue {
        description: description(finding),
        check_name: finding.rule.id,
        fingerprint: if n == 1 { identity.clone() } else { format!("{identity}-{n}") },
        severity: match finding.level {
            Level::Error => "critical",
            Level::Warning => "major",
            Level::Note => "info",
        },
        location: Location {
            path: String::from_utf8_lossy(finding.path.as_bytes()).into_owned(),
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
