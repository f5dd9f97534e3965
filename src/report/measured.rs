//! Writes how much of a tree is duplicated, for what draws and watches figures.

use std::io::{self, Write};

use serde_json::json;

use super::plain_json::rounded;
use super::{Style, VERSION};
use crate::audit::{Outcome, Share};

/// The figures of the source of the whole tree; nothing is duplicated where no tree was scanned.
fn total(outcome: &Outcome) -> Share {
    outcome.duplication.as_ref().map(|duplication| duplication.total).unwrap_or_default()
}

/// The duplicated part of the lines, as badges show it: `3.4 %`.
fn message(outcome: &Outcome) -> String {
    format!("{:.1} %", total(outcome).percent())
}

/// The color of a badge by the percentage on it: its name and its value.
fn color(outcome: &Outcome) -> (&'static str, &'static str) {
    match total(outcome).percent() {
        20.0.. => ("red", "#e05d44"),
        10.0.. => ("orange", "#fe7d37"),
        5.0.. => ("yellow", "#dfb317"),
        3.0.. => ("green", "#97ca00"),
        _ => ("brightgreen", "#4c1"),
    }
}

const LABEL: &str = "duplication";
/// Units of a character: a mean, since the text is fitted to its length.
const CHARACTER: usize = 7;
/// Units on both sides of a text.
const MARGIN: usize = 10;

/// A badge as SVG: `duplication 3.4 %`.
pub(super) fn badge(outcome: &Outcome, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let message = message(outcome);
    let (left, right) = (LABEL.len() * CHARACTER, message.len() * CHARACTER);
    let (of_label, of_message) = (left + MARGIN, right + MARGIN);
    let (width, fill) = (of_label + of_message, color(outcome).1);
    let parts = [(of_label / 2, left, LABEL), (of_label + of_message / 2, right, message.as_str())];
    let [label, value] = parts.map(|(middle, length, text)| {
        format!(r#"<text x="{middle}" y="14" textLength="{length}">{text}</text>"#)
    });
    writeln!(
        out,
        r##"<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="{LABEL}: {message}">
<title>{LABEL}: {message}</title>
<clipPath id="r"><rect width="{width}" height="20" rx="3"/></clipPath>
<g clip-path="url(#r)"><rect width="{of_label}" height="20" fill="#555"/><rect x="{of_label}" width="{of_message}" height="20" fill="{fill}"/></g>
<g fill="#fff" text-anchor="middle" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11">{label}{value}</g>
</svg>"##
    )
}

/// What badge services draw a badge from: the endpoint schema of shields.io.
pub(super) fn shields(outcome: &Outcome, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let badge = json!({"schemaVersion": 1, "label": LABEL, "message": message(outcome), "color": color(outcome).0});
    writeln!(out, "{badge}")
}

/// A line of JSON that a scheduled job appends to a file: a row of a trend for each commit.
///
/// It has no time of its own, so that the same tree writes the same bytes: the commit has one.
pub(super) fn trend(outcome: &Outcome, _: &Style, out: &mut dyn Write) -> io::Result<()> {
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

/// A family of figures: its name, what it is, and how it is taken from a share.
type Family = (&'static str, &'static str, fn(&Share) -> usize);

const FAMILIES: &[Family] = &[
    ("files", "Files with source that were scanned.", |share| share.n_files),
    ("lines", "Lines of source in them, without tests.", |share| share.n_lines),
    ("duplicated_lines", "Lines that would go if each class were written once.", |share| {
        share.duplicated_lines
    }),
];

/// Figures for Prometheus and its like: OpenMetrics 1.0 text.
///
/// Promise: each family is declared once, its samples follow it, and labels are escaped.
pub(super) fn openmetrics(outcome: &Outcome, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let duplication = outcome.duplication.clone().unwrap_or_default();
    for (name, help, of) in FAMILIES {
        let sample = |labels: String, share: &Share| (labels, of(share).to_string());
        let total = sample(String::new(), &duplication.total);
        let languages = duplication.by_language.iter();
        let languages = languages.map(|(name, share)| sample(label("language", name), share));
        let folders = duplication.by_folder.iter();
        let folders =
            folders.map(|(path, share)| sample(label("folder", &path.to_string()), share));
        write_family(name, help, [total], out)?;
        write_family(&format!("language_{name}"), help, languages, out)?;
        write_family(&format!("folder_{name}"), help, folders, out)?;
    }
    let ratio = format!("{:.6}", duplication.total.percent() / 100.0);
    let n_classes = outcome.findings.len().to_string();
    let n_suppressed = outcome.n_suppressed.to_string();
    for (name, help, value) in [
        ("duplicated_lines_ratio", "Duplicated lines divided by all lines.", ratio),
        ("clone_classes", "Clone classes that are not suppressed.", n_classes),
        ("suppressed_clone_classes", "Clone classes that are suppressed.", n_suppressed),
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
