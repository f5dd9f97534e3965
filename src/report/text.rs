//! Writes findings for people: the copy and its origin, and what differs between them.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, Write};

use anstyle::{AnsiColor, Style as Color};
use unicode_width::UnicodeWidthStr;

use super::Style;
use super::brief::brief;
use super::frame::{draw, draw_one, has_marks, legend};
use super::missed::commit_lines;
use super::sides::{Rename, lines};
use super::words::{
    IN_VERBOSE, MAX_IN_LINE, MAX_LISTED_LINES, MAX_NAMED, base, copies_found, copy_text, count,
    end, file_of, first, found_in, found_in_audit, grouped, here, likeness, listed, milder,
    missed_note, noted, of_level, owned_by, percent, place, sides, silently_skipped, skipped_lines,
    to_do, unread_note,
};
use crate::audit::{Common, Duplication, Outcome, Share};
use crate::language::Languages;
use crate::policy::{
    About, Finding, Level, Origin, SuppressedFinding, UnexaminedFiles, best_first,
};

/// Maximum origins to list below the frames, and missed commits of a file; the rest are counted.
const MAX_LISTED: usize = 5;
pub(super) fn write(outcome: &Outcome, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if style.is_quiet {
        return super::concise::write(outcome, style, out);
    }
    let languages = Languages::builtin();
    let n_copies = n_copies(outcome);
    let n_shown = n_shown(n_copies, outcome, style);
    if is_overview(outcome, style) {
        return overview(outcome, n_shown, style, out);
    }
    let groups = grouped(outcome, style.group_by).into_iter();
    let copies = groups.flat_map(|(name, findings)| {
        // The name of a group is printed above its first copy.
        let copies = findings.into_iter().filter(is_shown).enumerate();
        copies.map(move |(at, finding)| (name.clone().filter(|_| at == 0), finding))
    });
    if outcome.audited.is_some() {
        write_summary(outcome, style, out)?;
        writeln!(out)?;
    }
    let mut is_marked = false;
    for (group, finding) in copies.take(n_shown) {
        if let Some(name) = group {
            writeln!(out, "{name}:\n")?;
        }
        // Of a whole tree there are many, and notes that say little are not read: the lines are
        // drawn when they are asked for.
        let is_short = (outcome.audited.is_some() || finding.milder.is_some())
            && !style.is_verbose
            && !style.is_full;
        let mut text =
            if is_short { briefly(finding, style) } else { text(finding, outcome, style) };
        text.extend(finding.family.iter().map(|other| note(&of_family(other), style)));
        text.extend(owned_by(outcome, finding).map(|owned| note(&owned, style)));
        if style.is_brief {
            text.extend(brief(outcome, finding).iter().map(|line| note(line, style)));
        }
        text.extend(to_do_note(finding, languages, style));
        is_marked |= has_marks(&text);
        writeln!(out, "{text}")?;
    }
    for finding in best_first(&outcome.findings) {
        let Some(behind) = finding.behind() else { continue };
        let at = finding.fragment.start_in(&finding.path);
        let mut text = headline(finding, style) + &note(&at, style);
        let n_told = if style.is_verbose || style.is_full { usize::MAX } else { MAX_LISTED };
        text.extend(commit_lines(behind, n_told).iter().map(|line| note(line, style)));
        text.extend(to_do_note(finding, languages, style));
        writeln!(out, "{text}")?;
    }
    if is_marked {
        write!(out, "{}", legend(style))?;
    }
    if n_shown < n_copies {
        writeln!(out, "{}\n", others(n_copies - n_shown))?;
    }
    write!(out, "{}", unexamined(outcome, style))?;
    if outcome.audited.is_some() { Ok(()) } else { write_summary(outcome, style, out) }
}

fn write_summary(outcome: &Outcome, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    for line in summary(outcome, style, style.columns()).lines() {
        let is_fitting = !style.wraps || line.width() <= style.columns();
        let parts = if is_fitting { vec![line.to_owned()] } else { style.wrapped(line, 2) };
        writeln!(out, "{}", parts.join("\n  "))?;
    }
    Ok(())
}

fn is_shown(finding: &&Finding) -> bool {
    finding.has_code() && finding.behind().is_none()
}

fn n_copies(outcome: &Outcome) -> usize {
    outcome.findings.iter().filter(is_shown).count()
}

/// Whether the report lists clone classes without their code: of a whole tree, unless all of its
/// copies are asked for or fit a screen.
pub(super) fn is_overview(outcome: &Outcome, style: &Style) -> bool {
    let n_copies = n_copies(outcome);
    !style.is_quiet && outcome.duplication.is_some() && n_shown(n_copies, outcome, style) < n_copies
}

/// Findings that are printed where nobody asked for a number: as many as fit a screen.
const N_SCREEN: usize = 10;
/// Maximum findings of a change that are printed all the same.
const MAX_PRINTED: usize = 20;

/// How many of `n` copies are printed.
fn n_shown(n: usize, outcome: &Outcome, style: &Style) -> usize {
    let is_asked = style.is_verbose || style.is_full || style.is_brief || style.group_by.is_some();
    let is_whole = outcome.duplication.is_some();
    match style.top {
        Some(top) => top,
        None if is_asked || outcome.audited.is_some() || (!is_whole && n <= MAX_PRINTED) => n,
        None => N_SCREEN,
    }
}

/// Whether the first places of two classes are mostly the same lines.
fn begin_alike(a: &Finding, b: &Finding) -> bool {
    let n_lines = a.fragment.n_lines().min(b.fragment.n_lines());
    a.path == b.path && 2 * a.fragment.n_shared_lines(&b.fragment) > n_lines
}

/// How to see those that are not printed.
fn others(n: usize) -> String {
    let others = count(n, "other");
    format!("and {others} that are worth less: `--all` prints all, `--top N` the first")
}

/// Writes the clone classes that take most lines more than once, one each, and the summary. It
/// comes first where nobody scrolls.
fn overview(outcome: &Outcome, max: usize, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if !style.wraps {
        write_summary(outcome, style, out)?;
        writeln!(out)?;
    }
    let classes: Vec<&Finding> =
        best_first(&outcome.findings).into_iter().filter(|of| of.has_code()).collect();
    // Of classes that begin in the same code, the first says enough.
    let mut shown: Vec<&Finding> = Vec::new();
    for class in classes.iter().filter(|class| class.n_saved_lines > 0) {
        if shown.len() < max && !shown.iter().any(|other| begin_alike(class, other)) {
            shown.push(class);
        }
    }
    if !shown.is_empty() {
        writeln!(out, "lines that would go if each class were written once, and where it is:")?;
    }
    for class in &shown {
        let named = first(&class.origins, MAX_IN_LINE, |of| of.fragment.start_in(&of.path));
        let line = format!("[{}] {}, also {}", class.id(), here(class), named.join(", "));
        let places = style.wrapped(&line, 8).join("\n        ");
        writeln!(out, "{:>6}  {places}", class.n_saved_lines)?;
    }
    match (shown.len(), classes.len() - shown.len()) {
        (0, 0) => {}
        (0, n) => {
            writeln!(out, "no class is worth a warning in a change: `--all` prints all {n}\n")?;
        }
        (_, 0) => writeln!(out)?,
        (shown, n) if shown < max => writeln!(
            out,
            "not listed: {}, not worth a warning or in code listed above; `--all` prints all\n",
            count(n, "class")
        )?,
        (_, n) => writeln!(out, "{}\n", others(n))?,
    }
    write!(out, "{}", unexamined(outcome, style))?;
    if style.wraps { write_summary(outcome, style, out) } else { Ok(()) }
}

fn text(finding: &Finding, outcome: &Outcome, style: &Style) -> String {
    let mut text = headline(finding, style);
    let (own, other) = roles(finding);
    let copy = || lines(copy_text(outcome, finding), &finding.fragment);
    let at = here(finding);
    let Some((origin, rest)) = finding.origins.split_first() else {
        return text + &draw_one(&copy(), &at, style);
    };
    let mut title = format!("{at} {own}, {}", count(finding.n_tokens, "token"));
    if finding.n_novel > 0 && finding.is_copy() {
        title += &format!(", {} of them new", finding.n_novel);
    }
    let alike = alike(origin, style.is_verbose);
    let titles = [title, format!("{} {other}, {alike}{}", place(origin), noted(origin))];
    match sides(outcome, finding, origin) {
        Some(sides) => {
            text.push_str(&draw(&sides, &titles, style));
            text.push_str(&renames(&sides.renamed_names(&finding.path, &origin.path), style));
        }
        // A corpus may contain only fingerprints.
        None => {
            text.push_str(&draw_one(&copy(), &titles[0], style));
            text.push_str(&draw_one(&[], &titles[1], style));
        }
    }
    let settings = outcome.settings.of(&finding.path);
    if !style.is_verbose {
        text.push_str(&why_milder(finding, style));
    } else {
        finding.reasons().iter().for_each(|reason| text.push_str(&note(reason, style)));
    }
    if style.is_verbose && !settings.is_empty() {
        text.push_str(&note(&format!("settings: {}", settings.join(", ")), style));
    }
    if !rest.is_empty() {
        let places = count(rest.len(), "other place");
        text.push_str(&note(&format!("also found in {places}:"), style));
    }
    for origin in rest.iter().take(MAX_LISTED) {
        let line =
            format!("{} ({} % alike){}", place(origin), percent(origin.similarity), noted(origin));
        text.push_str(&format!("    {}\n", style.wrapped(&line, 6).join("\n      ")));
    }
    if rest.len() > MAX_LISTED {
        text.push_str(&format!("    and {} more\n", rest.len() - MAX_LISTED));
    }
    text
}

/// Another copy of a family, in a line.
fn of_family(other: &Finding) -> String {
    let origin = other.origins.first();
    let origin = origin.map(|of| format!(", {} {}, {}", of.relation(), place(of), likeness(of)));
    let milder = milder(other).map(|why| format!(" ({why})")).unwrap_or_default();
    format!("also {}{}{milder} [{}]", here(other), origin.unwrap_or_default(), other.id())
}

pub(super) fn roles(finding: &Finding) -> (&'static str, &'static str) {
    match &finding.about {
        About::Missed(_) => ("the edit", "its sibling"),
        About::Exists { .. } => ("the new function", "an existing one"),
        _ if finding.n_novel > 0 => ("the copy", "its origin"),
        _ => ("here", "and here"),
    }
}

/// How the copy differs from an origin; for those who ask for more, with the type that the
/// literature gives it.
fn alike(origin: &Origin, is_verbose: bool) -> String {
    if !is_verbose {
        return likeness(origin);
    }
    let (name, words) = (origin.clone_type.name(), origin.clone_type.describe());
    format!("{name} ({words}), {} % alike", percent(origin.similarity))
}

fn why_milder(finding: &Finding, style: &Style) -> String {
    milder(finding).map(|why| note(&format!("a {why}"), style)).unwrap_or_default()
}

fn to_do_note(finding: &Finding, languages: &Languages, style: &Style) -> Option<String> {
    to_do(finding, languages).map(|to_do| note(&format!("to do: {to_do}"), style))
}

fn briefly(finding: &Finding, style: &Style) -> String {
    let at = here(finding);
    let origin = finding.origins.first();
    let origin = origin.map(|origin| format!("{at}: {}{}", likeness(origin), noted(origin)));
    headline(finding, style) + &note(&origin.unwrap_or(at), style) + &why_milder(finding, style)
}

/// What was not examined: a group for each level, a line for each file.
fn unexamined(outcome: &Outcome, style: &Style) -> String {
    let mut groups: BTreeMap<_, Vec<&UnexaminedFiles>> = BTreeMap::new();
    for finding in &outcome.findings {
        let is_left_out = matches!(finding.about, About::LeftOut(_));
        let group = (Reverse(finding.level), is_left_out, finding.rule.id);
        groups.entry(group).or_default().extend(finding.unexamined_files());
    }
    groups.retain(|_, files| !files.is_empty());
    let mut text = String::new();
    for ((Reverse(level), is_left_out, rule), files) in groups {
        let n_files = files.iter().map(|file| file.n_files).sum();
        let n = count(n_files, file_of(outcome));
        let (verb, word) = match (is_left_out, n_files) {
            (true, 1) => ("was left out", "left out"),
            (true, _) => ("were left out", "left out"),
            (false, _) => ("could not be examined", "not examined"),
        };
        text.push_str(&tagged(level, rule, &format!("{n} {verb}"), style));
        let named = listed(&files, style.at_most(MAX_LISTED_LINES), IN_VERBOSE, |file| {
            format!("{word}: {}", file.describe())
        });
        text.extend(named.iter().map(|line| note(line, style)));
        text.push('\n');
    }
    text
}

/// `warning[copied-code]: what was found [3fa2c41d]`.
fn headline(finding: &Finding, style: &Style) -> String {
    let message = format!("{} [{}]", finding.message(), finding.id());
    tagged(finding.level, finding.rule.id, &message, style)
}

fn tagged(level: Level, rule: &str, message: &str, style: &Style) -> String {
    let colors = [AnsiColor::BrightRed, AnsiColor::Yellow, AnsiColor::BrightGreen];
    let color = of_level(level, colors);
    let tag = format!("{}[{rule}]", level.name());
    let lines = style.wrapped(&format!("{tag}: {message}"), 2);
    let text = format!("{}\n", lines.join("\n  "));
    if !style.has_color {
        return text;
    }
    let (tag_style, bold) = (color.on_default().bold(), Color::new().bold());
    let rest = text.trim_end().strip_prefix(&*tag).unwrap_or_default();
    format!("{tag_style}{tag}{tag_style:#}{bold}{rest}{bold:#}\n")
}

fn renames(all: &[&Rename], style: &Style) -> String {
    if all.is_empty() {
        return String::new();
    }
    let words = first(all, MAX_NAMED, |rename| {
        let times = if rename.n > 1 { format!(" ({}x)", rename.n) } else { String::new() };
        format!("{} -> {}{times}", rename.from, rename.to)
    });
    note(&format!("renamed: {}", words.join(", ")), style)
}

fn note(text: &str, style: &Style) -> String {
    format!("  = {}\n", style.wrapped(text, 4).join("\n    "))
}

/// What was found, and what was examined, one line each.
fn summary(outcome: &Outcome, style: &Style, width: usize) -> String {
    let lines = match (&outcome.duplication, &outcome.audited) {
        (Some(duplication), _) => duplication_lines(outcome, duplication, width),
        (None, Some(audited)) => super::audited::summary(outcome, audited, style),
        (None, None) => vec![checked_line(outcome)],
    };
    summary_of(outcome, lines, style.is_verbose)
}

/// The same without its tables: a sentence each, for formats that have a place for what is said
/// about a run.
pub(super) fn sentences(outcome: &Outcome) -> Vec<String> {
    let mut sentences = match (&outcome.duplication, &outcome.audited) {
        (Some(duplication), _) => vec![found_in(outcome), super::words::duplicated(duplication)],
        (None, Some(audited)) => {
            let mut subject = super::audited::subject(outcome, audited);
            subject.extend([super::audited::headline(audited), found_in_audit(outcome)]);
            subject
        }
        (None, None) => vec![checked_line(outcome)],
    };
    sentences.extend(remarks(outcome, false));
    sentences
}

/// What was examined, without what was found; of an audit without its subject.
pub(super) fn examined(outcome: &Outcome, style: &Style) -> String {
    match &outcome.audited {
        Some(_) => summary_of(outcome, vec![found_in_audit(outcome)], style.is_verbose),
        None => summary(outcome, style, usize::MAX),
    }
}

/// Lines, and what was examined and what was not.
fn summary_of(outcome: &Outcome, mut lines: Vec<String>, is_verbose: bool) -> String {
    lines.extend(remarks(outcome, is_verbose));
    lines.push(String::new());
    lines.join("\n")
}

/// What was examined and what was not, a line each.
fn remarks(outcome: &Outcome, is_verbose: bool) -> Vec<String> {
    let examined = &outcome.examined;
    let mut lines = Vec::new();
    if outcome.n_suppressed > 0 {
        lines.push(format!("suppressed: {}", count(outcome.n_suppressed, "finding")));
    }
    for SuppressedFinding { finding, by } in &outcome.suppressed {
        let (by, at) = (&by.words, finding.fragment.start_in(&finding.path));
        lines.push(format!("suppressed {by}: {at}: {} [{}]", finding.message(), finding.id()));
    }
    lines.extend(outcome.notices.iter().map(|notice| format!("note: {notice}")));
    let skipped = silently_skipped(outcome).filter(|(_, skip)| is_verbose || skip.is_notable());
    lines.extend(skipped_lines("not examined", skipped));
    lines.extend(skipped_lines("not compared with", examined.not_compared.iter()));
    if is_verbose && examined.n_passed_over > 0 {
        let n = count(examined.n_passed_over, "pair");
        lines.push(format!("common code: {n} of files that share it were not aligned, since others explain the same"));
    }
    for Common { path, n_tokens, n_components } in &examined.common {
        let (tokens, components) = (count(*n_tokens, "token"), count(*n_components, "component"));
        lines.push(format!("common, not scored: {tokens} of {path} (in {components})"));
    }
    lines
}

fn checked_line(outcome: &Outcome) -> String {
    let examined = &outcome.examined;
    let found = copies_found(outcome) + &missed_note(outcome);
    let range = format!("({} .. {}){}", base(outcome), end(&outcome.head), unread_note(outcome));
    if examined.n_judged == 0 && outcome.findings.is_empty() {
        return format!("{found}: no source file changed {range}");
    }
    if examined.n_novel == 0 && examined.n_compared == 0 {
        let files = count(examined.n_judged, "changed file");
        return format!("{found} in {files}: no code was added {range}");
    }
    format!(
        "{found} in {} with {}, compared with {} {range}",
        count(examined.n_judged, "changed file"),
        count(examined.n_novel, "new token"),
        count(examined.n_compared, "file"),
    )
}

/// Maximum columns of a name.
const MAX_NAME: usize = 44;

/// What is duplicated: overall in a sentence, by language, and for the folders with most of it.
fn duplication_lines(outcome: &Outcome, duplication: &Duplication, width: usize) -> Vec<String> {
    let width = width.saturating_sub(34).clamp(4, MAX_NAME);
    let sentence = super::words::duplicated(duplication);
    let head = format!("{:<width$} {:>6} {:>8} {:>17}", "source", "files", "lines", "duplicated");
    let mut lines = vec![found_in(outcome), sentence, String::new(), head];
    lines.extend(duplication.by_language.iter().map(|(name, of)| share_row(name, of, width)));
    if duplication.by_folder.len() > 1 {
        let mut folders: Vec<_> = duplication.by_folder.iter().collect();
        folders.sort_unstable_by_key(|(path, share)| (Reverse(share.duplicated_lines), *path));
        for (path, share) in folders.into_iter().take(MAX_NAMED) {
            lines.push(share_row(&format!("{path}/"), share, width));
        }
    }
    lines.push(share_row("total", &duplication.total, width));
    lines
}

/// A row of the table; a name is cut to `width`.
fn share_row(name: &str, share: &Share, width: usize) -> String {
    let Share { n_files, n_lines, duplicated_lines } = share;
    let (name, percent) = (name.chars().take(width).collect::<String>(), share.percent());
    format!("{name:<width$} {n_files:>6} {n_lines:>8} {duplicated_lines:>8} {percent:>6.1} %")
}
