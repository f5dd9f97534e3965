//! The overview of an audit: what needs a decision, license classes, components, versions, and
//! files.

use super::Page;
use super::parts::Columns::{Figures, Text};
use super::parts::{
    Bar, Bars, Cell, MAX_TABLE_ROWS, Table, Tiles, counted, left_out, percentage, thousands,
};
use crate::audit::{AuditSummary, ComponentCopy, CopiedFile, Introduction, Outcome};
use crate::policy::{Answer, Finding, Level};
use crate::report::audited::{brought_in, classes, from, license_of, licenses, version};
use crate::report::words::{Need, count, n_of_level, n_vulnerable};
use crate::text::printable;

/// The first sentence: how much of the tree is from elsewhere.
pub(super) fn title(audited: &AuditSummary) -> String {
    let found = match audited.n_copied {
        0 => "no code of known projects was found".to_owned(),
        n => format!("{} % of the code is from known projects", percentage(n, audited.n_tokens)),
    };
    printable(format!("{}, {}: {found}", audited.project, audited.revision))
}

pub(super) fn overview(
    outcome: &Outcome,
    audited: &AuditSummary,
    findings: &[&Finding],
    page: Page,
) -> Page {
    let page = page.with(&tiles(outcome, audited));
    if audited.components.is_empty() {
        return page;
    }
    let mut undecided: Vec<&ComponentCopy> =
        audited.components.iter().filter(|taken| Need::of(&taken.verdict).is_some()).collect();
    undecided.sort_by_key(|taken| Need::of(&taken.verdict));
    page.with_all((!undecided.is_empty()).then(|| decisions(&undecided)))
        .with(&by_class(audited))
        .with(&components(audited))
        .with_all((!audited.versions.is_empty()).then(|| versions(audited)))
        .with_all(audited.brought.as_ref().map(|rows| brought(audited, rows)))
        .with(&files(audited, findings))
}

fn tiles(outcome: &Outcome, audited: &AuditSummary) -> Tiles {
    let AuditSummary { n_files, n_tokens, n_copied, files, .. } = audited;
    let n_undecided = audited.n_components(|taken| taken.verdict.answer != Answer::Allowed);
    let n_denied = audited.n_components(|taken| taken.verdict.answer == Answer::Denied);
    let [n_warnings, n_errors] =
        [Level::Warning, Level::Error].map(|level| n_of_level(outcome, level));
    let n_vulnerable = n_vulnerable(outcome);
    let vulnerable =
        (n_vulnerable > 0).then(|| ("Lack security fixes", thousands(n_vulnerable), String::new()));
    let others = [
        ("Warnings", thousands(n_warnings), format!("and {}", count(n_errors, "error"))),
        ("Need a decision", thousands(n_undecided), format!("{n_denied} denied")),
        (
            "From known projects",
            format!("{} %", percentage(*n_copied, *n_tokens)),
            format!("{} of {}", thousands(*n_copied), counted(*n_tokens, "token")),
        ),
        ("Components", thousands(audited.n_components(|_| true)), String::new()),
        ("Files with their code", thousands(files.len()), format!("of {}", thousands(*n_files))),
    ];
    Tiles { tiles: vulnerable.into_iter().chain(others).collect() }
}

fn decisions(undecided: &[&ComponentCopy]) -> Table {
    let rows = undecided.iter().take(MAX_TABLE_ROWS).map(|taken| {
        let need = Need::of(&taken.verdict).map(Need::words).unwrap_or_default();
        let license = taken.component.license().unwrap_or_else(|| "not known".to_owned());
        vec![
            need.to_owned().into(),
            Cell::listing(printable(taken.component.label())),
            printable(license).into(),
            printable(taken.verdict.describe()).into(),
            thousands(taken.n_files).into(),
        ]
    });
    Table {
        title: "To do",
        note: "To record decisions: secondhand audit --format decisions, or the license policy in secondhand.toml.",
        columns: &[Text(&["to do", "component", "license", "why"]), Figures(&["files"])],
        rows: rows.collect(),
        left_out: left_out(undecided.len(), MAX_TABLE_ROWS, "component", "more"),
    }
}

fn by_class(audited: &AuditSummary) -> Bars {
    let bars = classes(audited).into_iter().rev().map(|(class, of)| {
        let (components, files) = (count(of.n_components, "component"), count(of.n_files, "file"));
        Bar {
            name: class.name().to_owned().into(),
            percent: percentage(of.n_tokens, audited.n_tokens),
            figures: format!("{components} in {files}"),
        }
    });
    let (bars, left_out) = (bars.collect(), String::new());
    Bars { title: "By license class", what: "class", unit: "found", bars, left_out }
}

fn components(audited: &AuditSummary) -> Table {
    let rows = audited.components.iter().take(MAX_TABLE_ROWS).map(|taken| {
        vec![
            Cell::listing(printable(taken.component.label())),
            printable(license_of(&taken.component)).into(),
            taken.verdict.answer.name().to_owned().into(),
            thousands(taken.n_files).into(),
            thousands(taken.n_tokens).into(),
        ]
    });
    Table {
        title: "Components",
        columns: &[Text(&["component", "license", "verdict"]), Figures(&["files", "tokens"])],
        rows: rows.collect(),
        left_out: left_out(audited.components.len(), MAX_TABLE_ROWS, "component", "more"),
        ..Table::default()
    }
}

fn versions(audited: &AuditSummary) -> Table {
    let versions = audited.versions.iter().take(MAX_TABLE_ROWS);
    Table {
        title: "Versions",
        columns: &[Text(&["folder: the version that fits best, and local edits"])],
        rows: versions.map(|of| vec![version(of, false).into()]).collect(),
        left_out: left_out(audited.versions.len(), MAX_TABLE_ROWS, "folder", "more"),
        ..Table::default()
    }
}

fn brought(audited: &AuditSummary, brought: &[Introduction]) -> Table {
    let rows = brought.iter().take(MAX_TABLE_ROWS).map(|of| {
        let gone = if of.is_in_head { "" } else { ", since removed" };
        let when = brought_in(audited, &of.path, &of.component.name).unwrap_or_default();
        vec![
            of.path.to_string().into(),
            printable(of.component.label()).into(),
            printable(format!("{when}{gone}")).into(),
            of.verdict.answer.name().to_owned().into(),
        ]
    });
    Table {
        title: "When it came in",
        columns: &[Text(&["file", "component", "when", "verdict"])],
        rows: rows.collect(),
        left_out: left_out(brought.len(), MAX_TABLE_ROWS, "row", "more"),
        ..Table::default()
    }
}

fn files(audited: &AuditSummary, findings: &[&Finding]) -> Table {
    let mut files: Vec<&CopiedFile> = audited.files.iter().collect();
    files.sort_by_key(|file| std::cmp::Reverse(file.n_copied));
    let rows = files.iter().take(MAX_TABLE_ROWS).map(|file| {
        let card = findings.iter().position(|finding| finding.path == file.path);
        vec![
            Cell::to_card(file.path.to_string(), card),
            from(audited, file).into(),
            licenses(audited, file).into(),
            format!("{} %", percentage(file.n_copied, file.n_tokens)).into(),
            thousands(file.n_tokens).into(),
        ]
    });
    Table {
        title: "Files",
        columns: &[Text(&["file", "from", "license"]), Figures(&["in corpora", "tokens"])],
        rows: rows.collect(),
        left_out: left_out(files.len(), MAX_TABLE_ROWS, "file", "more"),
        ..Table::default()
    }
}
