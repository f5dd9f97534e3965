//! Writes a decisions file to fill in: an entry for each copy that is not accepted yet.

use std::io::{self, Write};

use crate::audit::Outcome;
use crate::policy::Finding;
use crate::report::Style;

pub fn write(outcome: &Outcome, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    for finding in &outcome.findings {
        writeln!(out, "[[decision]]")?;
        writeln!(out, "copy = {}", quoted(&finding.identity))?;
        writeln!(out, "path = {}", quoted(&finding.fragment.start_in(&finding.path)))?;
        writeln!(out, "rule = {}", quoted(finding.rule.id))?;
        writeln!(out, "origin = {}", quoted(&origin(finding)))?;
        writeln!(out, "by = \"\"\nreason = \"\"\nuntil = \"\"\n")?;
    }
    Ok(())
}

fn origin(finding: &Finding) -> String {
    let Some(origin) = finding.origins.first() else { return String::new() };
    let Some(component) = origin.place.component() else { return origin.path.to_string() };
    format!("{} {} ({})", component.label(), origin.path, component.license_words())
}

/// A string of TOML, which JSON's are.
fn quoted(text: &str) -> String {
    serde_json::Value::String(crate::text::printable(text)).to_string().replace('\u{7f}', "\\u007f")
}
