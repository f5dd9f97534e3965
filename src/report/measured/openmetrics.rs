//! Writes figures for Prometheus and its like: OpenMetrics 1.0 text.
//!
//! Promise: each family is declared once, its samples follow it, and labels are escaped.

use std::io::{self, Write};

use crate::audit::{Outcome, Share};
use crate::report::Style;

/// A family of figures: its name, its unit, what it is, and how it is taken from a share.
type Family = (&'static str, &'static str, fn(&Share) -> usize);

const FAMILIES: &[Family] = &[
    ("files", "Files with source that were scanned.", |share| share.n_files),
    ("lines", "Lines of source in them, without tests.", |share| share.n_lines),
    ("duplicated_lines", "Lines that would go if each class were written once.", |share| {
        share.duplicated_lines
    }),
];

pub fn write(outcome: &Outcome, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let duplication = outcome.duplication.clone().unwrap_or_default();
    for (name, help, of) in FAMILIES {
        let total = (String::new(), of(&duplication.total).to_string());
        write_family(name, help, [total], out)?;
        let languages = duplication.by_language.iter();
        let samples =
            languages.map(|(language, share)| (label("language", language), of(share).to_string()));
        write_family(&format!("language_{name}"), help, samples, out)?;
        let folders = duplication.by_folder.iter();
        let samples = folders
            .map(|(folder, share)| (label("folder", &folder.to_string()), of(share).to_string()));
        write_family(&format!("folder_{name}"), help, samples, out)?;
    }
    let ratio = format!("{:.6}", duplication.total.percent() / 100.0);
    let (n_classes, n_suppressed) = (outcome.findings.len(), outcome.n_suppressed);
    for (name, help, value) in [
        ("duplicated_lines_ratio", "Duplicated lines divided by all lines.", ratio),
        ("clone_classes", "Clone classes that are not suppressed.", n_classes.to_string()),
        (
            "suppressed_clone_classes",
            "Clone classes that are suppressed.",
            n_suppressed.to_string(),
        ),
    ] {
        write_family(name, help, [(String::new(), value)], out)?;
    }
    writeln!(out, "# EOF")
}

/// Writes a family with its samples: the labels and the value of each.
fn write_family(
    name: &str,
    help: &str,
    samples: impl IntoIterator<Item = (String, String)>,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "# TYPE secondhand_{name} gauge\n# HELP secondhand_{name} {help}")?;
    for (labels, value) in samples {
        writeln!(out, "secondhand_{name}{labels} {value}")?;
    }
    Ok(())
}

/// `{name="value"}`, escaped as the format asks.
fn label(name: &str, value: &str) -> String {
    let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("{{{name}=\"{value}\"}}")
}
