//! Writes OpenVEX: which fixes of security faults the copies of components have, and which they
//! lack.
//!
//! A copy of which one file lacks a fix lacks it, whatever its other files have.

use std::collections::BTreeMap;
use std::io::{self, Write};

use serde_json::{Value, json};

use super::{serial_number, timestamp};
use crate::audit::{AuditSummary, Outcome, generic_purl, percent_encoded};
use crate::policy::{Component, Ground, Milder, PastCommit};
use crate::report::plain_json::write_json;
use crate::report::{Style, VERSION};
use crate::text::{FilePath, printable};

/// A fix of a security fault, and what copies have of it.
pub(super) struct Statement<'s> {
    pub component: &'s Component,
    pub commit: &'s PastCommit,
    /// The files that have it.
    pub having: Vec<&'s FilePath>,
    /// Those that lack it, with the lines.
    pub lacking: Vec<(&'s FilePath, String)>,
}

/// What is known of each fix, by its name and component: `CVE-2018-25032`, or the commit that a copy
/// lacks if it has no number. Test code is not about what runs.
pub(super) fn statements<'s>(
    outcome: &'s Outcome,
    audited: &'s AuditSummary,
) -> BTreeMap<(String, String), Statement<'s>> {
    let mut fixes: Vec<(&Component, &PastCommit, &FilePath, Option<String>)> = Vec::new();
    for finding in &outcome.findings {
        let Some(behind) = finding.behind() else { continue };
        if finding.milder == Some(Milder::In(Ground::Test)) {
            continue;
        }
        for missed in behind.commits.iter().filter(|missed| missed.commit.is_security) {
            let at: Vec<String> = missed.places.iter().map(|of| of.fragment.lines()).collect();
            fixes.push((&behind.component, &missed.commit, &finding.path, Some(at.join(", "))));
        }
    }
    for fix in audited.fixes.iter().filter(|fix| !fix.commit.ids.is_empty()) {
        fixes.push((&fix.component, &fix.commit, &fix.path, None));
    }
    let mut statements: BTreeMap<(String, String), Statement<'s>> = BTreeMap::new();
    for (component, commit, path, lacking) in fixes {
        let hash = std::slice::from_ref(&commit.hash);
        for name in if commit.ids.is_empty() { hash } else { &commit.ids[..] } {
            let statement =
                statements.entry((name.clone(), component.name.clone())).or_insert_with(|| {
                    Statement { component, commit, having: Vec::new(), lacking: Vec::new() }
                });
            match &lacking {
                Some(lines) => statement.lacking.push((path, lines.clone())),
                None => statement.having.push(path),
            }
        }
    }
    statements
}

impl Statement<'_> {
    pub fn is_fixed(&self) -> bool {
        self.lacking.is_empty()
    }

    /// What OpenVEX and CycloneDX call that: of a fault that nobody gave a number it takes a person
    /// to say whether it is one.
    pub fn status(&self) -> (&'static str, &'static str) {
        match (self.is_fixed(), self.commit.ids.is_empty()) {
            (true, _) => ("fixed", "resolved"),
            (false, false) => ("affected", "exploitable"),
            (false, true) => ("under_investigation", "in_triage"),
        }
    }

    pub fn describe(&self) -> String {
        let (commit, owner) = (self.commit.describe(), &self.component.name);
        let having = self.having.iter().map(ToString::to_string);
        let lacking = self.lacking.iter().map(|(path, lines)| format!("{path} lines {lines}"));
        let (has, files): (_, Vec<String>) = match self.is_fixed() {
            true => ("has", having.collect()),
            false => ("lacks", lacking.collect()),
        };
        printable(format!("the copy {has} {commit} of {owner}: {}", files.join("; ")))
    }
}

pub fn write(outcome: &Outcome, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let Some(audited) = &outcome.audited else { return Ok(()) };
    let revision =
        outcome.head.commit.map(|commit| format!("@{}", percent_encoded(&commit.to_string())));
    let project = generic_purl(&audited.project) + &revision.unwrap_or_default();
    let time = timestamp(audited.time);
    let statements = statements(outcome, audited).into_iter().map(|((name, _), of)| {
        let purl = of.component.purl.clone().unwrap_or_else(|| generic_purl(&of.component.name));
        let (status, _) = of.status();
        let (why, text) = match status {
            "affected" => ("action_statement", format!("Apply the fix: {}", of.describe())),
            _ => ("status_notes", of.describe()),
        };
        json!({
            "vulnerability": {"name": name, "description": printable(&of.commit.subject)},
            "products": [{"@id": project, "subcomponents": [{"@id": purl}]}],
            "status": status,
            "timestamp": time,
            why: text,
        })
    });
    let mut document = json!({
        "@context": "https://openvex.dev/ns/v0.2.0",
        "author": "secondhand",
        "role": "auditor of copied code; to be reviewed by a person",
        "timestamp": time,
        "version": 1,
        "tooling": format!("secondhand {VERSION}"),
        "statements": statements.collect::<Value>(),
    });
    document["@id"] = json!(serial_number(&document));
    write_json(&document, out)
}
