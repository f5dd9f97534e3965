//! Writes what was found as passages for agents: a head of a line or two, and code below it.
//!
//! Where space is limited, all heads are shown, and as much of the code as fits.

use unicode_width::UnicodeWidthStr;

use super::brief::brief;
use super::found::{facts, headline, place as found_place};
use super::sides::{Line, Sides, lines};
use super::words::{
    and_more, copy_text, count, end, found, here, likeness, owned_by, place, provenance, text_of,
};
use crate::audit::{FoundCode, Outcome};
use crate::policy::{Finding, Origin, Place, best_first};
use crate::text::printable;

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
    let base = outcome.base.as_ref().map_or_else(|| "nothing".to_owned(), end);
    format!("{} in {} against {base}", found(outcome), end(&outcome.head))
}

/// The findings that `is_asked` selects, the most severe first.
pub fn finding_passages(outcome: &Outcome, is_asked: impl Fn(&Finding) -> bool) -> Vec<Passage> {
    let findings = best_first(&outcome.findings).into_iter().filter(|finding| is_asked(finding));
    let lines = |finding: &Finding| {
        owned_by(outcome, finding).into_iter().chain(brief(outcome, finding)).collect()
    };
    let all = findings.flat_map(Finding::with_family);
    all.map(|finding| Passage { head: head(finding), lines: lines(finding) }).collect()
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
    if finding.is_copy() && !text.is_empty() {
        all.push(format!("--- {}", here(finding)));
        all.extend(lines(text, &finding.fragment).iter().map(numbered));
    }
    let with_text =
        finding.origins.first().and_then(|origin| Some((origin, text_of(outcome, origin)?)));
    if let Some((origin, text)) = with_text {
        all.push(format!("--- {}", place(origin)));
        all.extend(lines(text, &origin.fragment).iter().map(numbered));
    }
    Passage { head: head(finding), lines: all }
}

/// The clone classes of a scan that `is_asked` selects, the largest first: each with all its
/// places.
pub fn class_passages(outcome: &Outcome, is_asked: impl Fn(&Finding) -> bool) -> Vec<Passage> {
    let class = |finding: &Finding| {
        let tokens = count(finding.n_tokens, "token");
        let origins = finding.origins.iter().map(place);
        let places: Vec<String> = std::iter::once(here(finding)).chain(origins).collect();
        let head =
            format!("[{}] {} ({tokens}): {}", finding.id(), finding.message(), shortened(&places));
        Passage { head, lines: brief(outcome, finding) }
    };
    outcome.findings.iter().filter(|finding| is_asked(finding)).map(class).collect()
}

/// What was found for a sketch, in a line, and what was not searched, in another.
pub fn found_headline(found: &FoundCode) -> String {
    let not_searched = found.unavailable.as_ref().map(|what| format!("\nnot searched: {what}"));
    headline(found) + &not_searched.unwrap_or_default()
}

/// The results for a sketch, the best first, each with its code.
pub fn found_passages(found: &FoundCode) -> Vec<Passage> {
    let block = |existing: &crate::audit::Existing| {
        let text = existing.text.as_deref().unwrap_or_default();
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        let numbered = (existing.fragment.start.line..).zip(text.split(|&byte| byte == b'\n'));
        let lines = numbered.map(|(number, line)| {
            format!("{number:>5} {}", printable(line.strip_suffix(b"\r").unwrap_or(line)))
                .trim_end()
                .to_owned()
        });
        let lines = if existing.text.is_some() { lines.collect() } else { Vec::new() };
        Passage { head: format!("{}: {}", found_place(existing), facts(existing)), lines }
    };
    found.results.iter().map(block).collect()
}

/// `[1a2b] src/a.c:12-30: warning[copied-code] 19 lines copied from src/b.c:3; renamed, 97 %
/// alike`.
fn head(finding: &Finding) -> String {
    let at = here(finding);
    let (level, rule) = (finding.level.name(), finding.rule.id);
    let mut head = format!("[{}] {at}: {level}[{rule}] {}", finding.id(), finding.message());
    if let Some(first) = finding.origins.first() {
        head.push_str(&format!("; {}", likeness(first)));
        head.push_str(&provenance(first).map(|of| format!("; {of}")).unwrap_or_default());
    }
    if let [Origin { place: Place::Tree, .. }, others @ ..] = &finding.origins[..]
        && !others.is_empty()
    {
        let others: Vec<String> = others.iter().map(place).collect();
        head.push_str(&format!("; also {}", shortened(&others)));
    }
    head
}

/// A copy and its first origin next to each other, as plain text; `None` if the origin's text is
/// not known.
pub fn side_by_side(outcome: &Outcome, finding: &Finding) -> Option<String> {
    let origin = finding.origins.first()?;
    let sides = Sides::new(
        (copy_text(outcome, finding), &finding.fragment),
        (text_of(outcome, origin)?, &origin.fragment),
    );
    let at = here(finding);
    let mut text = format!("{}\n\n{at:<SIDE$} | {}\n", finding.message(), place(origin));
    for &row in &sides.rows {
        let side = |lines: &[Line], at: Option<usize>| {
            at.map(|at| numbered(&lines[at]).replace('\t', "    ")).unwrap_or_default()
        };
        let (copy, origin) = (side(&sides.copy, row.0), side(&sides.origin, row.1));
        let mark =
            if sides.is_marked(row) || row.0.is_none() || row.1.is_none() { '~' } else { '|' };
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

fn shortened(places: &[String]) -> String {
    let n_more = places.len().saturating_sub(MAX_ORIGINS);
    places[..places.len() - n_more].join(", ") + &and_more(n_more)
}
