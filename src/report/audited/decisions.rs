//! Writes a decisions file to fill in: an entry for each copy that is not accepted yet.

use std::io::{self, Write};

use crate::audit::Outcome;
use crate::policy::{Finding, Place};
use crate::report::Style;

pub fn write(outcome: &Outcome, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    for finding in &outcome.findings {
        writeln!(out, "[[decision]]")?;
        writeln!(out, "copy = {}", quoted(&finding.identity))?;
        let path = format!("{}:{}", finding.path, finding.fragment.start.line);
        writeln!(out, "path = {}", quoted(&path))?;
        writeln!(out, "rule = {}", quoted(finding.rule.id))?;
        writeln!(out, "origin = {}", quoted(&origin(finding)))?;
        writeln!(out, "by = \"\"\nreason = \"\"\nuntil = \"\"\n")?;
    }
    Ok(())
}

fn origin(finding: &Finding) -> String {
    let Some(origin) = finding.origins.first() else { return String::new() };
    let Place::Component(component) = &origin.place else { return origin.path.to_string() };
    let license = component.license().unwrap_or_else(|| "license not known".to_owned());
    format!("{} {} ({license})", component.label(), origin.path)
}

/// A string of TOML, which JSON's are.
fn quoted(text: &str) -> String {
    serde_json::Value::String(crate::text::printable(text.as_bytes()))
        .to_string()
        .replace('\u{7f}', "\\u007f")
}
