//! Writes one self-contained page: each copy next to its origin, with differences marked.
//!
//! Promise: the page loads nothing, and its policy forbids it to; the template escapes all names
//! and code; it can be read without its script. It is also well-formed XML.

mod chart;
mod page;

use std::io::{self, Write};

pub(super) use chart::Chart;
pub(super) use page::{Block, Card, Code, Overview, Page};

use super::audited::rows;
use super::sides::{Sides, lines};
use super::text::summary;
use super::words::{copy_text, count, end, found, likeness, place, provenance, text_of};
use super::{Format, Style};
use crate::audit::Outcome;
use crate::language::Languages;
use crate::policy::{Finding, Fragment, Origin, Unexamined, best_first};
use crate::text::{FilePath, Lines, Position};

pub(super) const FORMAT: Format = Format { name: "html", help: "one page, side by side, to read in a browser", write };

/// Maximum origins of a finding to show next to the copy; the rest are listed.
const MAX_LAID_OUT: usize = 3;
/// Maximum origins to list.
const MAX_LISTED: usize = 200;
/// Maximum rows of code on a page; beyond it, findings are listed without their code. A
/// browser takes half a second for so many.
const MAX_ROWS: usize = 60_000;

fn write(outcome: &Outcome, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let languages = Languages::builtin();
    let mut n_free = MAX_ROWS;
    let findings: Vec<&Finding> = best_first(&outcome.findings).into_iter().flat_map(Finding::with_family).collect();
    let mut cards: Vec<_> = findings.iter().map(|finding| card(finding, outcome, &languages, &mut n_free)).collect();
    cards.extend(outcome.suppressed.iter().map(|suppressed| {
        let card = card(&suppressed.finding, outcome, &languages, &mut n_free);
        Card {
            level: "suppressed",
            badge: format!("suppressed {}", card.rule),
            facts: format!("{}; suppressed {}", card.facts, suppressed.by.describe()),
            ..card
        }
    }));
    let base = outcome.base.as_ref().map(|base| format!("{} .. ", end(base))).unwrap_or_default();
    let page = Page::new(
        format!("Secondhand: {}", found(outcome)),
        format!("{base}{}", end(&outcome.head)),
        summary(outcome, style.is_verbose),
        cards,
    );
    let Some(audited) = &outcome.audited else { return page.write(out) };
    let card_of = |path: &str| findings.iter().position(|finding| finding.path.to_string() == path);
    let rows = rows(audited).into_iter().map(|row| (row.clone(), card_of(&row[0])));
    let columns = vec!["file", "from", "in corpora", "tokens"];
    page.with_table(Overview { columns, rows: rows.collect() }).write(out)
}

fn card(finding: &Finding, outcome: &Outcome, languages: &Languages, n_free: &mut usize) -> Card {
    let text = copy_text(outcome, finding);
    let laid_out = finding.origins.iter().take(MAX_LAID_OUT);
    let mut blocks: Vec<Block> = laid_out.map(|origin| block(finding, origin, outcome, n_free)).collect();
    blocks.extend(finding.missed().and_then(|missed| patch(missed.patches.first()?.as_ref()?, n_free)));
    let others = finding.origins.iter().skip(MAX_LAID_OUT);
    let mut listed: Vec<_> = others.clone().take(MAX_LISTED).map(listed).collect();
    if others.len() > MAX_LISTED {
        listed.push(format!("{} more", others.len() - MAX_LISTED));
    }
    let files = finding.unexamined_files();
    listed.extend(files.iter().take(MAX_LISTED).map(Unexamined::describe));
    if files.len() > MAX_LISTED {
        listed.push(format!("{} more", files.len() - MAX_LISTED));
    }
    if let Some(behind) = finding.behind() {
        listed.extend(super::missed::commit_lines(behind, MAX_LISTED));
    }
    let new = if finding.n_novel > 0 { format!(", {} new", finding.n_novel) } else { String::new() };
    let paths = finding.origins.iter().map(|origin| origin.path.to_string());
    Card {
        level: finding.level.name(),
        rule: finding.rule.id.to_owned(),
        language: language(&finding.path, text, languages),
        path: [finding.path.to_string()].into_iter().chain(paths.take(MAX_LISTED)).collect::<Vec<_>>().join("\n"),
        badge: format!("{} {}", finding.level.name(), finding.rule.id),
        headline: finding.message(),
        place: here(finding),
        facts: if finding.has_code() { format!("{}{new}", count(finding.n_tokens, "token")) } else { String::new() },
        blocks,
        listed,
    }
}

/// The edit with the names of the nearest sibling.
fn patch(patch: &str, n_free: &mut usize) -> Option<Block> {
    let end = Lines::new(patch.as_bytes()).position(patch.as_bytes(), patch.len() as u32);
    let whole = Fragment { start: Position { line: 1, column: 1 }, end };
    Some(Block {
        likeness: "the same edit for the sibling".to_owned(),
        note: "`secondhand check --format patch` writes it for `git apply`".to_owned(),
        titles: [(String::new(), "patch"), (String::new(), "")],
        code: Code::of_one(&lines(patch.as_bytes(), &whole), n_free),
    })
}

fn here(finding: &Finding) -> String {
    format!("{}:{}", finding.path, super::words::lines(&finding.fragment))
}

fn block(finding: &Finding, origin: &Origin, outcome: &Outcome, n_free: &mut usize) -> Block {
    let copy = (copy_text(outcome, finding), &finding.fragment);
    let (own, other) = super::text::roles(finding);
    let code = match text_of(outcome, origin) {
        _ if *n_free == 0 => Code::default(),
        Some(source) => Code::of_both(&Sides::new(copy, (source, &origin.fragment)), n_free),
        None => Code::of_one(&lines(copy.0, copy.1), n_free),
    };
    Block {
        likeness: likeness(origin),
        note: provenance(origin).unwrap_or_default(),
        titles: [(here(finding), own), (place(origin), other)],
        code,
    }
}

fn listed(origin: &Origin) -> String {
    let note = provenance(origin).map(|note| format!(", {note}")).unwrap_or_default();
    format!("{} ({}){note}", place(origin), likeness(origin))
}

/// The name of the language of a file; for a language from the settings, the extension.
fn language(path: &FilePath, text: &[u8], languages: &Languages) -> String {
    let known = languages.identify(path, text).map(|language| language.name.clone());
    known.unwrap_or_else(|| {
        let name = path.to_string();
        name.rsplit_once('.').map_or_else(|| "other".to_owned(), |(_, extension)| extension.to_owned())
    })
}
