//! Writes what was found as passages for agents: a head of a line or two, and code below it.
//!
//! Where space is limited, all heads are shown, and as much of the code as fits.

use unicode_width::UnicodeWidthStr;

use super::brief::brief;
use super::found::{facts, headline, numbered_lines, place as found_place};
use super::sides::{Line, lines, more_lines};
use super::words::{
    base, copy_text, count, end, found, here, likeness, owned_by, place, provenance, sides, text_of,
};
use crate::audit::{FoundCode, Outcome};
use crate::policy::{Finding, Origin, Place, best_first};
use crate::text::{joined, printable};

/// Maximum origins of a finding to name; the rest are counted.
const MAX_ORIGINS: usize = 5;
/// Width of the left side, in columns.
const SIDE: usize = 80;

/// A result: what it is, and its code.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Passage {
    /// What it is and where: lines that are only useful together.
    pub head: String,
    /// Further lines, the most important first: any number of the last may be left out.
    pub lines: Vec<String>,
}

/// What a change brings in, in a line.
pub fn check_headline(outcome: &Outcome) -> String {
    format!("{} in {} against {}", found(outcome), end(&outcome.head), base(outcome))
}

/// The findings that `is_asked` selects, the most severe first.
pub fn finding_passages(outcome: &Outcome, is_asked: impl Fn(&Finding) -> bool) -> Vec<Passage> {
    let findings = best_first(&outcome.findings).into_iter().filter(|finding| is_asked(finding));
    let passages = findings.flat_map(Finding::with_family).map(|finding| {
        let lines = owned_by(outcome, finding).into_iter().chain(brief(outcome, finding));
        Passage { head: head(finding), lines: lines.collect() }
    });
    passages.collect()
}

/// All about one finding: the rule, the origins, what differs, and both sides.
pub fn finding_in_full(outcome: &Outcome, finding: &Finding) -> Passage {
    let rule = finding.rule;
    let mut all = vec![
        format!("what it finds: {}", rule.finds.trim()),
        format!("why it matters: {}", rule.why.trim()),
    ];
    all.extend(finding.reasons());
    all.push(format!("what to do: {}", rule.action.trim()));
    all.extend(brief(outcome, finding));
    let text = copy_text(outcome, finding);
    let has_text = finding.is_copy() && !text.is_empty();
    let copy = has_text.then(|| (here(finding), text, &finding.fragment));
    let origin = finding.origins.first();
    let origin = origin.and_then(|of| Some((place(of), text_of(outcome, of)?, &of.fragment)));
    for (at, text, fragment) in copy.into_iter().chain(origin) {
        all.push(format!("--- {at}"));
        let lines = lines(text, fragment);
        all.extend(lines.iter().map(numbered));
        all.extend(more_lines(fragment, lines.len()));
    }
    Passage { head: head(finding), lines: all }
}

/// The clone classes of a scan that `is_asked` selects, the largest first: each with all its
/// places.
pub fn class_passages(outcome: &Outcome, is_asked: impl Fn(&Finding) -> bool) -> Vec<Passage> {
    let mut passages = Vec::new();
    for finding in outcome.findings.iter().filter(|finding| is_asked(finding)) {
        let (id, message, tokens) =
            (finding.id(), finding.message(), count(finding.n_tokens, "token"));
        let origins = finding.origins.iter().map(place);
        let places: Vec<String> = std::iter::once(here(finding)).chain(origins).collect();
        let places = joined(&places, MAX_ORIGINS, String::clone);
        let head = format!("[{id}] {message} ({tokens}): {places}");
        passages.push(Passage { head, lines: brief(outcome, finding) });
    }
    passages
}

/// What was found for a sketch, in a line, and what was not searched, in another.
pub fn found_headline(found: &FoundCode) -> String {
    let not_searched = found.unavailable.as_ref().map(|what| format!("\nnot searched: {what}"));
    headline(found) + &not_searched.unwrap_or_default()
}

/// The results for a sketch, the best first, each with its code.
pub fn found_passages(found: &FoundCode) -> Vec<Passage> {
    let passages = found.results.iter().map(|existing| {
        let lines = numbered_lines(existing)
            .into_iter()
            .map(|(number, line)| format!("{number:>5} {}", printable(line)).trim_end().to_owned());
        let head = format!("{}: {}", found_place(existing), facts(existing));
        Passage { head, lines: lines.collect() }
    });
    passages.collect()
}

/// `[1a2b] src/a.c:12-30: warning[copied-code] 19 lines copied from src/b.c:3; renamed, 97 %
/// alike`.
fn head(finding: &Finding) -> String {
    let at = here(finding);
    let (level, rule) = (finding.level.name(), finding.rule.id);
    let mut head = format!("[{}] {at}: {level}[{rule}] {}", finding.id(), finding.message());
    if let Some(first) = finding.origins.first() {
        head.push_str(&format!("; {}", likeness(first)));
        head.extend(provenance(first).map(|of| format!("; {of}")));
    }
    if let [Origin { place: Place::Tree, .. }, others @ ..] = &finding.origins[..]
        && !others.is_empty()
    {
        head.push_str(&format!("; also {}", joined(others, MAX_ORIGINS, place)));
    }
    head
}

/// A copy and its first origin next to each other, as plain text; `None` if the origin's text is
/// not known.
pub fn side_by_side(outcome: &Outcome, finding: &Finding) -> Option<String> {
    let origin = finding.origins.first()?;
    let sides = sides(outcome, finding, origin)?;
    let at = here(finding);
    let mut text = format!("{}\n\n{at:<SIDE$} | {}\n", finding.message(), place(origin));
    for row in 0..sides.rows.len() {
        let [copy, origin] = [true, false].map(|is_copy| {
            sides.line(row, is_copy).map(numbered).unwrap_or_default().replace('\t', "    ")
        });
        let mark = if sides.is_equal(row) { '|' } else { '~' };
        let pad = " ".repeat(SIDE.saturating_sub(copy.width()));
        text.push_str(format!("{copy}{pad} {mark} {origin}").trim_end());
        text.push('\n');
    }
    for line in brief(outcome, finding) {
        text.push_str(&format!("\n{line}"));
    }
    text.push('\n');
    Some(text)
}

fn numbered(line: &Line) -> String {
    format!("{:>5} {}", line.number, line.text)
}
