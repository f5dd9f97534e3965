//! Writes Markdown for the summary of a workflow step: a table, and both sides of each copy to
//! unfold.
//!
//! Promise: the output stays below the limit of a step summary, and says what was left out;
//! no file name or code can end its fence, its cell or its element.

use std::io::{self, Write};

use super::Style;
use super::audited::{classes, copied, from, headline, license_of, licenses, share, subject};
use super::missed::version_lines;
use super::sides::{lines, more_lines};
use super::text::examined;
use super::words::{
    copy_text, count, found, here, likeness, listed, of_level, place, provenance, range, text_of,
    to_do,
};
use crate::audit::{AuditSummary, Outcome};
use crate::language::Languages;
use crate::policy::{Finding, Fragment, Level, best_first};
use crate::text::LinedText;

/// Maximum bytes: GitHub accepts one mebibyte per step and nothing of a longer summary; other tools
/// in the step need some.
const MAX_BYTES: usize = 1_000_000;
/// Maximum bytes of the table.
const MAX_TABLE: usize = 180_000;
/// Number of bytes reserved for the sentence about what was left out, and for closing tags.
const RESERVED: usize = 1_000;
/// Maximum lines of code to show of each side.
const MAX_LINES: usize = 60;

pub(super) fn write(outcome: &Outcome, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(page(outcome, style).as_bytes())
}

fn page(outcome: &Outcome, style: &Style) -> String {
    let findings = best_first(&outcome.findings);
    let mut page = format!("## Secondhand: {}\n\n", escaped(&found(outcome)));
    page.push_str(&format!("{}\n\n", escaped(&range(outcome))));

    if let Some(audited) = &outcome.audited {
        page.push_str(&overview(outcome, audited));
    }
    let languages = Languages::builtin();
    let mut rest = String::new();
    if !style.is_quiet {
        let notable: Vec<_> = examined(outcome, style).lines().map(item).collect();
        let kept = fitting(&notable);
        rest = format!("<details><summary>What was examined</summary>\n\n{}", kept.concat());
        if kept.len() < notable.len() {
            rest.push_str(&format!("- {} more\n", notable.len() - kept.len()));
        }
        rest.push_str("\n</details>\n");
    }
    if !findings.is_empty() {
        let rows: Vec<_> = findings.iter().copied().map(row).collect();
        let listed = fitting(&rows);
        page.push_str("| | what | where | from | similarity |\n|---|---|---|---|---|\n");
        page.push_str(&listed.concat());
        page.push('\n');
        let copies = findings.iter().flat_map(|of| of.with_family()).filter(|of| of.has_code());
        let copies: Vec<&Finding> = copies.collect();
        let mut n_shown = 0;
        for finding in &copies {
            let details = details(finding, outcome, languages);
            if page.len() + details.len() + rest.len() + RESERVED > MAX_BYTES {
                break;
            }
            page.push_str(&details);
            n_shown += 1;
        }
        if n_shown < copies.len() {
            let unlisted = match rows.len() - listed.len() {
                0 => String::new(),
                n => format!(" and {} not even listed", count(n, "finding")),
            };
            page.push_str(&format!(
                "The code of {} is left out{unlisted}: a step summary is limited to one mebibyte.\n\n",
                count(copies.len() - n_shown, "finding"),
            ));
        }
    }
    page + &rest
}

/// What was audited and what of it is from where: license classes, components, folders and files.
fn overview(outcome: &Outcome, audited: &AuditSummary) -> String {
    let subject = subject(outcome, audited).into_iter().chain([headline(audited)]);
    let classes = classes(audited).into_iter().map(|(class, of)| {
        let share = format!("{} %", share(of.n_tokens, audited.n_tokens));
        cells([class.name().to_owned(), of.n_components.to_string(), of.n_files.to_string(), share])
    });
    let components = audited.components.iter().map(|taken| {
        let (name, license) = (taken.component.label(), license_of(&taken.component));
        let (n_files, n_tokens) = (taken.n_files.to_string(), taken.n_tokens.to_string());
        cells([name, license, n_files, n_tokens, taken.verdict.describe()])
    });
    let files = audited.files.iter().map(|file| {
        let from = escaped(&format!("{} ({})", from(audited, file), licenses(audited, file)));
        format!("| {} | {} % | {from} |\n", code_span(&file.path.to_string()), copied(file))
    });
    let folders = audited.versions.iter().flat_map(|of| version_lines(of, false));
    [
        part("", subject.map(|line| item(&line))),
        part("| license class | components | files | of tokens |\n|---|---|---|---|\n", classes),
        part(
            "| component | license | files | tokens | verdict |\n|---|---|---|---|---|\n",
            components,
        ),
        part("", folders.map(|line| item(line.trim()))),
        part("| file | in corpora | from |\n|---|---|---|\n", files),
    ]
    .concat()
}

fn item(line: &str) -> String {
    format!("- {}\n", escaped(line))
}

/// A table or list with as many of these lines as fit; nothing without any.
fn part(head: &str, lines: impl Iterator<Item = String>) -> String {
    let lines: Vec<String> = lines.collect();
    if lines.is_empty() {
        return String::new();
    }
    let kept = fitting(&lines);
    let mut part = head.to_owned() + &kept.concat();
    if let n @ 1.. = lines.len() - kept.len() {
        part += &format!("\n{n} more: `--format json` has all of them.\n");
    }
    part + "\n"
}

fn cells<const N: usize>(cells: [String; N]) -> String {
    format!("| {} |\n", cells.map(|cell| escaped(&cell)).join(" | "))
}

/// As many of these lines as fit into a table.
fn fitting(lines: &[String]) -> &[String] {
    let mut n_free = MAX_TABLE;
    let is_over = |line: &String| n_free.checked_sub(line.len()).map(|n| n_free = n).is_none();
    &lines[..lines.iter().position(is_over).unwrap_or(lines.len())]
}

fn row(finding: &Finding) -> String {
    let rule = format!("{} {}", sign(finding.level), escaped(finding.rule.id));
    if let Some(behind) = finding.behind() {
        let lines = super::missed::commit_lines(behind, MAX_LINES);
        let lines: Vec<String> = lines.iter().map(|line| escaped(line)).collect();
        return format!(
            "| {rule} | missed commits | {} | {}<br>{} | |\n",
            code_span(&finding.fragment.start_in(&finding.path)),
            escaped(&behind.component.label()),
            lines.join("<br>"),
        );
    }
    if !finding.has_code() {
        let (files, word) = (finding.unexamined_files(), super::words::unexamined_word(finding));
        let named = listed(files, MAX_LINES, "", |file| code_span(&file.describe()));
        return format!("| {rule} | {word} | {} | | |\n", named.join("<br>"));
    }
    let origin = finding.origins.first();
    let mut from = origin.map(|origin| code_span(&place(origin))).unwrap_or_default();
    from.extend(origin.and_then(provenance).map(|note| format!("<br>{}", escaped(&note))));
    if let n @ 2.. = finding.origins.len() {
        from += &format!("<br>and {}", count(n - 1, "other place"));
    }
    format!(
        "| {rule} | {} | {} | {from} | {} |\n",
        count(finding.n_lines() as usize, "line"),
        code_span(&here(finding)),
        escaped(&origin.map(likeness).unwrap_or_default()),
    )
}

fn sign(level: Level) -> &'static str {
    of_level(level, ["🛑", "⚠️", "📝"])
}

fn details(finding: &Finding, outcome: &Outcome, languages: &Languages) -> String {
    let here = here(finding);
    let mut text = format!(
        "<details><summary>{} {}: {}</summary>\n\n",
        sign(finding.level),
        code_span(&here),
        escaped(&finding.message())
    );
    text.push_str(&code(&here, copy_text(outcome, finding), &finding.fragment));
    for (at, origin) in finding.origins.iter().enumerate().take(MAX_LINES) {
        let (place, likeness) = (place(origin), escaped(&likeness(origin)));
        let note = provenance(origin).map(|note| format!(": {}", escaped(&note)));
        let note = note.unwrap_or_default();
        text += &match text_of(outcome, origin).filter(|_| at == 0) {
            Some(source) => {
                format!("{likeness}{note}\n\n{}", code(&place, source, &origin.fragment))
            }
            None => format!("- {} ({likeness}){note}\n", code_span(&place)),
        };
    }
    if finding.origins.len() > MAX_LINES {
        text.push_str(&format!("- {} more\n", finding.origins.len() - MAX_LINES));
    }
    let to_do = to_do(finding, languages);
    text.extend(to_do.map(|to_do| format!("- to do: {}\n", escaped(&to_do))));
    text.push_str(&format!("- id: {}\n\n</details>\n\n", code_span(finding.id())));
    text
}

/// A finding, and the code of its first origin, for a tooltip.
pub fn other_side(outcome: &Outcome, finding: &Finding) -> String {
    let mut text = format!("{} ({})\n\n", escaped(&finding.message()), code_span(finding.id()));
    if let Some(origin) = finding.origins.first()
        && let Some(source) = text_of(outcome, origin)
    {
        text.push_str(&code(&place(origin), source, &origin.fragment));
    }
    let to_do = to_do(finding, Languages::builtin());
    text.extend(to_do.map(|to_do| format!("To do: {}\n", escaped(&to_do))));
    text
}

/// Code under its place, in a fence that is longer than any in it.
fn code(place: &str, source: &LinedText, fragment: &Fragment) -> String {
    let lines = lines(source, fragment);
    let mut code: String =
        lines.iter().take(MAX_LINES).flat_map(|line| [&*line.text, "\n"]).collect();
    if let Some(more) = more_lines(fragment, MAX_LINES) {
        code.push_str(&format!("{more}\n"));
    }
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{}\n\n{fence}{}\n{code}{fence}\n\n", code_span(place), language(place))
}

/// The language name for a syntax highlighter: the extension, if it is a plain one.
fn language(place: &str) -> &str {
    let name = place.rsplit_once(':').map_or(place, |(path, _)| path);
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let is_plain = extension.len() <= 8 && extension.chars().all(|c| c.is_ascii_alphanumeric());
    if is_plain { extension } else { "" }
}

/// `text` as inline code that nothing in it can end.
pub(super) fn code_span(text: &str) -> String {
    format!("<code>{}</code>", escaped(text))
}

/// `text` without special characters of Markdown or HTML: punctuation becomes character references.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' => escaped.push(' '),
            ' ' | '/' | '.' | '-' | ',' | '%' => escaped.push(c),
            c if c.is_ascii_punctuation() => escaped.push_str(&format!("&#{};", u32::from(c))),
            c => escaped.push(c),
        }
    }
    escaped
}
