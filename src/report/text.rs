//! Writes findings for people: a code frame of the copy and of its origin.

use std::borrow::Cow;
use std::io::{self, Write};

use annotate_snippets::{AnnotationKind, Group, Level as Severity, Origin as Place, Renderer, Snippet};

use super::frame::Frame;
use super::{Format, Style, count};
use crate::audit::{Duplication, Outcome, Share};
use crate::policy::{Finding, Level};

pub(super) const FORMAT: Format = Format { name: "text", help: "code frames for people", write };

/// Origins that are listed below the frame of the first; the rest is counted.
const MAX_ORIGINS: usize = 5;

fn write(outcome: &Outcome, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    for finding in &outcome.findings {
        writeln!(out, "{}\n", frames(finding, outcome, style))?;
    }
    if !style.is_quiet {
        write!(out, "{}", summary(outcome, style.is_verbose))?;
    }
    Ok(())
}

fn frames(finding: &Finding, outcome: &Outcome, style: &Style) -> String {
    let severity = match finding.level {
        Level::Error => Severity::ERROR,
        Level::Warning => Severity::WARNING,
        Level::Note => Severity::NOTE,
    };
    let (first, rest) = finding.origins.split_first().map_or((None, &[][..]), |(first, rest)| (Some(first), rest));
    let is_new = finding.n_novel > 0;
    let (here, there) = if is_new { ("the copy", "its origin") } else { ("here", "and here") };
    let copy = snippet(outcome, &finding.path, &finding.fragment, AnnotationKind::Primary, here);
    let mut report = vec![severity.primary_title(finding.message()).id(finding.rule.id).element(copy)];
    if let Some(origin) = first {
        let title = format!(
            "{} clone, {}: {:.0} % alike, {} tokens{}",
            origin.clone_type.name(),
            origin.clone_type.describe(),
            (origin.similarity * 100.0).floor(),
            finding.n_tokens,
            if is_new { format!(", {} of them new", finding.n_novel) } else { String::new() },
        );
        let frame = snippet(outcome, &origin.path, &origin.fragment, AnnotationKind::Context, there);
        report.push(Group::with_title(Severity::NOTE.secondary_title(title)).element(frame));
    }
    if !rest.is_empty() {
        let mut others = Group::with_title(
            Severity::NOTE.secondary_title(format!("it also stands in {}", count(rest.len(), "other place"))),
        );
        for origin in rest.iter().take(MAX_ORIGINS) {
            let place = Place::path(origin.path.to_string());
            let start = origin.fragment.start;
            others = others.element(place.line(start.line as usize).char_column(start.column as usize));
        }
        if rest.len() > MAX_ORIGINS {
            let n_more = rest.len() - MAX_ORIGINS;
            others = others.element(Severity::NOTE.message(format!("and {n_more} more")));
        }
        report.push(others);
    }
    let renderer = if style.has_color { Renderer::styled() } else { Renderer::plain() };
    renderer.term_width(style.width).render(&report)
}

fn snippet<'s>(
    outcome: &Outcome,
    path: &crate::text::FilePath,
    fragment: &crate::policy::Fragment,
    kind: AnnotationKind,
    label: &'s str,
) -> Snippet<'s, annotate_snippets::Annotation<'s>> {
    let text = outcome.texts.get(path).map_or(&[][..], Vec::as_slice);
    let Frame { text, first_line, span } = Frame::new(text, fragment);
    Snippet::source(Cow::Owned(text))
        .line_start(first_line as usize)
        .path(path.to_string())
        .annotation(kind.span(span).label(label))
}

/// What was found, and what was looked at: a line each.
pub(super) fn summary(outcome: &Outcome, is_verbose: bool) -> String {
    let examined = &outcome.examined;
    let mut lines = match &outcome.duplication {
        Some(duplication) => duplication_lines(outcome, duplication),
        None => vec![checked_line(outcome)],
    };
    if outcome.n_suppressed > 0 {
        lines.push(format!("suppressed: {}", count(outcome.n_suppressed, "finding")));
    }
    for suppressed in &outcome.suppressed {
        let crate::policy::Suppressed { finding, by } = suppressed;
        let line = finding.fragment.start.line;
        lines.push(format!("suppressed {}: {}:{line}: {}", by.describe(), finding.path, finding.message()));
    }
    lines.extend(outcome.notices.iter().map(|notice| format!("note: {notice}")));
    for (path, skip) in examined.skipped.iter().filter(|(_, skip)| is_verbose || skip.is_notable()) {
        lines.push(format!("not examined: {path} ({})", skip.reason()));
    }
    for (path, skip) in &examined.not_compared {
        lines.push(format!("not compared with: {path} ({})", skip.reason()));
    }
    for common in &examined.common {
        let n = count(common.n_tokens, "token");
        lines.push(format!("common, not scored: {n} of {} (in {} components)", common.path, common.n_components));
    }
    lines.push(String::new());
    lines.join("\n")
}

fn checked_line(outcome: &Outcome) -> String {
    let examined = &outcome.examined;
    let base = outcome.base.as_ref().map_or_else(|| "nothing".to_owned(), end);
    format!(
        "{} in {} with {}, compared with {} ({base} .. {})",
        found(outcome),
        count(examined.n_judged, "changed file"),
        count(examined.n_novel, "new token"),
        count(examined.n_compared, "file"),
        end(&outcome.head),
    )
}

/// Folders that are listed; the rest is left to the JSON report.
const MAX_FOLDERS: usize = 12;

/// The duplicated share: of all, by language, and of the folders that have most.
fn duplication_lines(outcome: &Outcome, duplication: &Duplication) -> Vec<String> {
    let row = |name: &str, share: &Share| {
        format!(
            "{name:<28} {:>6} {:>9} {:>6.1} % {:>10} {:>6.1} %",
            share.n_files,
            share.n_lines,
            share.percent_of_lines(),
            share.n_tokens,
            share.percent_of_tokens()
        )
    };
    let mut lines = vec![
        format!(
            "{} in {}",
            count(outcome.findings.len(), "clone class").replace("classs", "classes"),
            end(&outcome.head)
        ),
        String::new(),
        format!("{:<28} {:>6} {:>9} {:>8} {:>10} {:>8}", "", "files", "lines", "cloned", "tokens", "cloned"),
    ];
    lines.extend(duplication.by_language.iter().map(|(name, share)| row(name, share)));
    if duplication.by_folder.len() > 1 {
        let mut folders: Vec<_> = duplication.by_folder.iter().collect();
        folders.sort_by_key(|(path, share)| (std::cmp::Reverse(share.duplicated_tokens), (*path).clone()));
        lines.extend(folders.iter().take(MAX_FOLDERS).map(|(path, share)| row(&format!("{path}/"), share)));
    }
    lines.push(row("total", &duplication.total));
    lines
}

fn found(outcome: &Outcome) -> String {
    let n_of = |level| outcome.findings.iter().filter(|finding| finding.level == level).count();
    let levels = [(Level::Error, "error"), (Level::Warning, "warning"), (Level::Note, "note")];
    let counts: Vec<_> = levels
        .into_iter()
        .filter(|(level, _)| n_of(*level) > 0)
        .map(|(level, noun)| count(n_of(level), noun))
        .collect();
    match counts.as_slice() {
        [] => "no new copies".to_owned(),
        _ => format!("{}: {}", count(outcome.findings.len(), "new copy").replace("copys", "copies"), counts.join(", ")),
    }
}

fn end(end: &crate::audit::End) -> String {
    match &end.commit {
        Some(commit) => format!("{} {}", end.name, commit.short()),
        None => end.name.clone(),
    }
}
