//! Writes a row for each origin of each finding, each missed commit, and each file that was not
//! examined, for spreadsheets.
//!
//! Promise: no cell is a formula, whatever the name of a file or a component.

use std::io::{self, Write};

use super::Style;
use super::words::{day, unexamined_word};
use crate::audit::Outcome;
use crate::policy::{Component, Finding, MissedCommit, Origin, UnexaminedFiles, Verdict};
use crate::text::printable;

const COLUMNS: [&str; 36] = [
    "rule", "level", "path", "start_line", "end_line", "added_start_line", "added_end_line",
    "tokens", "novel_tokens", "identity", "origin", "origin_place", "origin_path",
    "origin_start_line", "origin_end_line", "clone_type", "similarity", "deleted_in", "deleted_on",
    "component", "version", "license", "purl", "url", "corpus", "license_evidence", "message",
    "written_in", "written_on", "written_by", "license_class", "verdict", "reason", "suppressed",
    "brought_in", "brought_on",
];

type Row = [String; COLUMNS.len()];

pub(super) fn write(outcome: &Outcome, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let reported = outcome.all_findings().map(|finding| (finding, String::new()));
    let suppressed = outcome.suppressed.iter().map(|of| (&of.finding, of.by.words.clone()));
    let rows = reported.chain(suppressed).flat_map(|(finding, suppressed)| {
        let mut rows = Vec::new();
        for (origin, number) in finding.origins.iter().zip(1..) {
            rows.push(row(finding, number, origin, &suppressed, outcome));
        }
        for missed in finding.behind().iter().flat_map(|behind| &behind.commits) {
            rows.push(missed_row(finding, missed, &suppressed));
        }
        for file in finding.unexamined_files() {
            rows.push(unexamined_row(finding, file, &suppressed));
        }
        rows
    });
    write_table(COLUMNS, rows, out)
}

/// Writes a table, no cell of which is a formula.
pub(super) fn write_table(
    columns: impl IntoIterator<Item = impl AsRef<str>>,
    rows: impl Iterator<Item = impl IntoIterator<Item = String>>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    table.write_record(columns.into_iter().map(|name| defused(name.as_ref())))?;
    for row in rows {
        table.write_record(row.into_iter().map(|cell| defused(&cell)))?;
    }
    table.flush()
}

fn row(
    finding: &Finding,
    number: usize,
    origin: &Origin,
    suppressed: &str,
    outcome: &Outcome,
) -> Row {
    let (deletion, component) = (origin.place.deletion(), origin.place.component());
    let brought = outcome.audited.as_ref().zip(component);
    let brought = brought.and_then(|(all, of)| all.brought_into(&finding.path, &of.name));
    [
        finding.rule.id.to_owned(),
        finding.level.name().to_owned(),
        finding.path.to_string(),
        finding.fragment.start.line.to_string(),
        finding.fragment.end.line.to_string(),
        finding.added.start.line.to_string(),
        finding.added.end.line.to_string(),
        finding.n_tokens.to_string(),
        finding.n_novel.to_string(),
        finding.identity.clone(),
        number.to_string(),
        origin.place.name().to_owned(),
        origin.path.to_string(),
        origin.fragment.start.line.to_string(),
        origin.fragment.end.line.to_string(),
        origin.clone_type.name().to_owned(),
        format!("{:.3}", origin.similarity),
        known(deletion.map(|deletion| &deletion.commit)),
        deletion.and_then(|deletion| day(deletion.time)).unwrap_or_default(),
        known(component.map(|component| &component.name)),
        known(component.and_then(|component| component.version.as_ref())),
        component.and_then(Component::license).unwrap_or_default(),
        known(component.and_then(|component| component.purl.as_ref())),
        known(component.and_then(|component| component.url.as_ref())),
        known(component.map(|component| &component.corpus)),
        known(component.and_then(|component| component.terms.evidence.as_ref())),
        finding.message(),
        known(origin.written.as_ref().map(|writing| &writing.commit)),
        origin.written.as_ref().and_then(|writing| day(writing.time)).unwrap_or_default(),
        known(origin.written.as_ref().map(|writing| &writing.author)),
        component.map(|component| component.terms.class().name().to_owned()).unwrap_or_default(),
        origin.verdict.as_ref().map(|verdict| verdict.answer.name().to_owned()).unwrap_or_default(),
        origin.verdict.as_ref().map(Verdict::describe).unwrap_or_default(),
        suppressed.to_owned(),
        known(brought.map(|brought| &brought.first.commit)),
        brought.and_then(|brought| day(brought.first.time)).unwrap_or_default(),
    ]
}

fn known(text: Option<&String>) -> String {
    text.cloned().unwrap_or_default()
}

/// The row of a commit that a copy lacks: the columns about copies are empty.
fn missed_row(finding: &Finding, missed: &MissedCommit, suppressed: &str) -> Row {
    let place = missed.places.first();
    let component = finding.behind().map(|behind| &behind.component);
    COLUMNS.map(|column| match column {
        "path" => finding.path.to_string(),
        "start_line" => place.map_or_else(String::new, |of| of.fragment.start.line.to_string()),
        "end_line" => place.map_or_else(String::new, |of| of.fragment.end.line.to_string()),
        "origin_path" => missed.origin.to_string(),
        "component" => known(component.map(|of| &of.name)),
        "purl" => known(component.and_then(|of| of.purl.as_ref())),
        "url" => known(component.and_then(|of| of.url.as_ref())),
        "corpus" => known(component.map(|of| &of.corpus)),
        "message" => super::missed::commit_line(missed),
        _ => of_any(finding, column, suppressed),
    })
}

/// The row of a file that was not examined: the columns about copies and origins are empty.
fn unexamined_row(finding: &Finding, file: &UnexaminedFiles, suppressed: &str) -> Row {
    COLUMNS.map(|column| match column {
        "path" => file.path.to_string(),
        "message" => format!("{}: {}", unexamined_word(finding), file.describe()),
        _ => of_any(finding, column, suppressed),
    })
}

/// The cell of a column that is about any finding; empty in the others.
fn of_any(finding: &Finding, column: &str, suppressed: &str) -> String {
    match column {
        "rule" => finding.rule.id.to_owned(),
        "level" => finding.level.name().to_owned(),
        "identity" => finding.identity.clone(),
        "suppressed" => suppressed.to_owned(),
        _ => String::new(),
    }
}

/// `cell`, which no spreadsheet takes for a formula: one that begins like a formula gets an
/// apostrophe in front, and control characters are written out.
fn defused(cell: &str) -> String {
    let shown = printable(cell).replace('\t', "\\t");
    let begins = shown.trim_start().chars().next();
    let is_formula = matches!(begins, Some('=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '＠'));
    if is_formula { format!("'{shown}") } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_like_a_formula_is_text() {
        assert_eq!(defused("=HYPERLINK(\"x\")"), "'=HYPERLINK(\"x\")");
        assert_eq!(defused("-1+1|cmd"), "'-1+1|cmd");
        assert_eq!(defused("\t@SUM(1)"), "\\t@SUM(1)");
        assert_eq!(defused("\n=1"), "\\u{a}=1");
        assert_eq!(defused(" =1"), "' =1");
        assert_eq!(defused("＝1"), "'＝1");
        assert_eq!(defused("a=b"), "a=b");
    }
}
