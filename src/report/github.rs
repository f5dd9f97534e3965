//! Writes workflow commands, which GitHub Actions shows as annotations on the added lines.
//!
//! Promise: nothing but commands is printed, and no file name or message can begin one of its own.

use std::io::{self, Write};

use super::Style;
use super::words::{
    count, first, likeness, milder, of_level, place, provenance, remarks, silently_skipped, to_do,
};
use crate::audit::Outcome;
use crate::language::Languages;
use crate::policy::{Finding, Level, best_first};

/// Maximum annotations of each level that GitHub shows for a step; it silently drops the rest.
const MAX_OF_LEVEL: usize = 10;

pub(super) fn write(outcome: &Outcome, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let skipped = silently_skipped(outcome).filter(|(_, skip)| skip.is_notable());
    let skipped = skipped.map(|(path, skip)| format!("not examined: {path} ({})", skip.reason()));
    let remarks: Vec<_> = remarks(outcome).into_iter().chain(skipped).collect();
    let shown_remarks = if style.is_quiet { &[][..] } else { &remarks[..] };

    let languages = Languages::builtin();
    let (mut n_left_out, mut n_notices) = (0, 0);
    for level in [Level::Error, Level::Warning, Level::Note] {
        let all = best_first(&outcome.findings).into_iter().flat_map(Finding::with_family);
        let findings: Vec<_> = all.filter(|finding| finding.level == level).collect();
        // The last notice is reserved for what is left out.
        let is_over = findings.len() + shown_remarks.len() > MAX_OF_LEVEL || n_left_out > 0;
        let max = MAX_OF_LEVEL - usize::from(level == Level::Note && is_over);
        for finding in findings.iter().take(max) {
            annotation(finding, languages, out)?;
        }
        n_left_out += findings.len().saturating_sub(max);
        // In the end, those of notes.
        n_notices = findings.len().min(max);
    }
    let n_free = MAX_OF_LEVEL.saturating_sub(n_notices + usize::from(n_left_out > 0));
    let n_shown =
        if shown_remarks.len() > n_free { n_free.saturating_sub(1) } else { shown_remarks.len() };
    for line in &shown_remarks[..n_shown] {
        writeln!(out, "::notice title=secondhand::{}", message(line))?;
    }
    let n_left = shown_remarks.len() - n_shown;
    let more = [(n_left_out, "finding"), (n_left, "remark")].into_iter().filter(|(n, _)| *n > 0);
    let more: Vec<_> = more.map(|(n, noun)| count(n, noun)).collect();
    if !more.is_empty() {
        let more = more.join(" and ");
        let text = format!("{more} more: GitHub shows {MAX_OF_LEVEL} annotations per level");
        writeln!(out, "::notice title=secondhand::{}", message(&text))?;
    }
    Ok(())
}

fn annotation(finding: &Finding, languages: &Languages, out: &mut dyn Write) -> io::Result<()> {
    let command = of_level(finding.level, ["error", "warning", "notice"]);
    let added = &finding.added;
    write!(out, "::{command} file={},", property(&finding.path.to_string()))?;
    write!(out, "line={},endLine={},", added.start.line, added.end.line)?;
    // GitHub uses columns within one line only.
    if added.start.line == added.end.line {
        write!(out, "col={},endColumn={},", added.start.column, added.end.column)?;
    }
    let mut text = finding.message();
    if let Some(origin) = finding.origins.first() {
        text.push_str(&format!("\n{}, {}", likeness(origin), count(finding.n_tokens, "token")));
        text.extend(provenance(origin).map(|note| format!("\n{note}")));
    }
    text.extend(milder(finding).map(|why| format!("\na {why}")));
    let places = first(&finding.origins, MAX_OF_LEVEL, place);
    text.extend(places.iter().map(|place| format!("\n- {place}")));
    text.extend(to_do(finding, languages).map(|to_do| format!("\nto do: {to_do}")));
    writeln!(out, "title={}::{}", property(finding.rule.id), message(&text))
}

/// Escapes a message, by the rules of the runner.
fn message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property, by the rules of the runner.
fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}
