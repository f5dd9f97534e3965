//! Writes one self-contained page: each copy next to its origin, with differences marked.
//!
//! Promise: the page loads nothing, and its policy forbids it to; the template escapes all names
//! and code; it can be read without its script. It is also well-formed XML.

mod audit;
mod chart;
mod code;
mod page;
mod parts;
mod scan;
mod treemap;

use std::io::{self, Write};

pub(super) use chart::{Chart, Scale, period_table, share_chart};
pub(super) use code::Code;
pub(super) use page::{Block, Card, Heading, MAX_CARDS, Page};
pub(super) use parts::{
    Cell, Columns, Details, MAX_TABLE_ROWS, Table, Tiles, counted, left_out, percentage, thousands,
};

use super::Style;
use super::audited::subject;
use super::sides::{lines, whole};
use super::text::examined;
use super::words::{
    copy_text, count, first, found, here, likeness, noted, place, provenance, range, sides, to_do,
};
use crate::audit::Outcome;
use crate::language::Languages;
use crate::policy::{Finding, Origin, UnexaminedFiles, best_first};
use crate::text::{FilePath, LinedText, printable};

/// Maximum origins of a finding to show next to the copy; the rest are listed.
const MAX_LAID_OUT: usize = 3;
/// Maximum origins to list.
const MAX_LISTED: usize = 200;
/// Maximum rows of code on a page; beyond it, findings are listed without their code. The
/// page has some megabytes then.
pub(super) const MAX_ROWS: usize = 30_000;

pub(super) fn write(outcome: &Outcome, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let languages = Languages::builtin();
    let mut n_free = MAX_ROWS;
    let findings: Vec<&Finding> =
        best_first(&outcome.findings).into_iter().flat_map(Finding::with_family).collect();
    let shown = &findings[..findings.len().min(MAX_CARDS)];
    let mut cards: Vec<_> =
        shown.iter().map(|finding| card(finding, outcome, languages, &mut n_free)).collect();
    cards.extend(outcome.suppressed.iter().take(MAX_CARDS).map(|suppressed| {
        let card = card(&suppressed.finding, outcome, languages, &mut n_free);
        Card {
            level: "suppressed",
            badge: format!("suppressed {}", card.rule),
            facts: format!("{}; suppressed {}", card.facts, suppressed.by.words),
            ..card
        }
    }));
    let n_more = findings.len().saturating_sub(MAX_CARDS)
        + outcome.suppressed.len().saturating_sub(MAX_CARDS);
    let left_out = left_out(n_more, 0, "finding", "left out");
    let found = found(outcome);
    let (title, subtitle, list) = match (&outcome.duplication, &outcome.audited) {
        (Some(all), _) => (scan::title(all), format!("{found} in "), "Clone classes"),
        (None, Some(all)) => (audit::title(all), format!("{found} in "), "Copies"),
        (None, None) => (found, String::new(), "Findings"),
    };
    let title = match outcome.repository.as_str() {
        "" => title,
        repository => format!("{repository}: {title}"),
    };
    let subject = outcome.audited.as_ref().map(|audited| subject(outcome, audited));
    let subject: String = subject.into_iter().flatten().map(|line| format!("\n{line}")).collect();
    let subtitle = format!("{subtitle}{}{subject}", range(outcome));
    let summary = examined(outcome, style);
    let page = Page::new(Heading { title, subtitle, summary, list, left_out }, cards);
    let page = match (&outcome.duplication, &outcome.audited) {
        (Some(duplication), _) => scan::overview(outcome, duplication, shown, page),
        (None, Some(audited)) => audit::overview(outcome, audited, shown, page),
        (None, None) => page,
    };
    page.write(out)
}

fn card(finding: &Finding, outcome: &Outcome, languages: &Languages, n_free: &mut usize) -> Card {
    let text = copy_text(outcome, finding);
    let laid_out = finding.origins.iter().take(MAX_LAID_OUT);
    let mut blocks: Vec<Block> =
        laid_out.map(|origin| block(finding, origin, outcome, n_free)).collect();
    let edit = finding.missed().and_then(|missed| missed.patches.first()?.as_ref());
    blocks.extend(edit.map(|edit| patch(edit, n_free)));
    let others = finding.origins.get(MAX_LAID_OUT..).unwrap_or_default();
    let mut listed = first(others, MAX_LISTED, listed);
    listed.extend(first(finding.unexamined_files(), MAX_LISTED, UnexaminedFiles::describe));
    if let Some(behind) = finding.behind() {
        listed.extend(super::missed::commit_lines(behind, MAX_LISTED));
    }
    listed.extend(to_do(finding, languages).map(|to_do| format!("to do: {to_do}")));
    let path = std::iter::once(finding.path.to_string());
    let paths = finding.origins.iter().map(|origin| match origin.place.component() {
        // A component is looked for by its name.
        Some(of) => printable(format!("{} {}", of.label(), origin.path)),
        None => origin.path.to_string(),
    });
    Card {
        level: finding.level.name(),
        rule: finding.rule.id.to_owned(),
        language: language(&finding.path, text, languages),
        path: Vec::from_iter(path.chain(paths.take(MAX_LISTED))).join("\n"),
        badge: format!("{} {}", finding.level.name(), finding.rule.id),
        headline: finding.message(),
        place: here(finding),
        facts: if finding.has_code() { facts(finding, outcome) } else { String::new() },
        blocks,
        listed,
        ..Card::default()
    }
}

fn facts(finding: &Finding, outcome: &Outcome) -> String {
    let mut facts = count(finding.n_tokens, "token");
    if finding.n_novel > 0 {
        facts += &format!(", {} new", finding.n_novel);
    }
    facts += &format!(", id {}", finding.id());
    // Where not all files are judged by the same settings.
    if outcome.settings.are_nested() {
        facts += &format!(", settings: {}", outcome.settings.of(&finding.path).join(", "));
    }
    facts
}

/// The edit with the names of the nearest sibling.
fn patch(patch: &str, n_free: &mut usize) -> Block {
    let text = LinedText::from(patch.as_bytes().to_vec());
    Block {
        likeness: "the same edit for the sibling".to_owned(),
        note: "`secondhand check --format patch` writes it for `git apply`".to_owned(),
        titles: [(String::new(), "patch"), (String::new(), "")],
        code: Code::of_one(&lines(&text, &whole(&text)), n_free),
    }
}

fn block(finding: &Finding, origin: &Origin, outcome: &Outcome, n_free: &mut usize) -> Block {
    let (own, other) = super::text::roles(finding);
    let code = if *n_free == 0 {
        Code::default()
    } else if let Some(sides) = sides(outcome, finding, origin) {
        Code::of_both(&sides, (&finding.path, &origin.path), n_free)
    } else {
        Code::of_one(&lines(copy_text(outcome, finding), &finding.fragment), n_free)
    };
    Block {
        likeness: likeness(origin),
        note: provenance(origin).unwrap_or_default(),
        titles: [(here(finding), own), (place(origin), other)],
        code,
    }
}

fn listed(origin: &Origin) -> String {
    format!("{} ({}){}", place(origin), likeness(origin), noted(origin))
}

/// The name of the language of a file; for a language from the settings, the extension.
fn language(path: &FilePath, text: &[u8], languages: &Languages) -> String {
    match (languages.identify(path, text), path.to_string().rsplit_once('.')) {
        (Some(language), _) => language.name.clone(),
        (None, Some((_, extension))) => extension.to_owned(),
        (None, None) => "other".to_owned(),
    }
}
