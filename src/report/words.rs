//! Phrases that several formats share: positions, dates, levels, counts.

use std::collections::{BTreeMap, BTreeSet};

use super::GroupBy;
use super::sides::Sides;
use crate::audit::{Duplication, Outcome, Share, Skip};
use crate::change::End;
use crate::language::Languages;
use crate::matching::CloneType;
pub(super) use crate::policy::short_commit as short;
use crate::policy::{
    About, Answer, Attribution, Component, Deletion, Finding, Level, Origin, Place, Reuse, Topic,
    Verdict, Writing, best_first,
};
use crate::text::{FilePath, LinedText, noun_of, printable};
pub(super) use crate::text::{agreed, and_more, count, first};

/// Maximum places to name in a line; the rest are counted.
pub(super) const MAX_IN_LINE: usize = 3;
/// Maximum names, places or files to list in words; the rest are counted.
pub(super) const MAX_NAMED: usize = 12;
/// Maximum lines of a list; the rest are counted, and the verbose text has all.
pub(super) const MAX_LISTED_LINES: usize = 20;

/// The position of an origin: `src/a.c:12-20`.
pub(super) fn place(origin: &Origin) -> String {
    origin.fragment.in_file(&origin.path)
}

/// The position of a copy.
pub(super) fn here(finding: &Finding) -> String {
    finding.fragment.in_file(&finding.path)
}

/// The first `max` of these as they are told, and `and 3 more` with `where_to_look` if there are.
pub(super) fn listed<T>(
    all: &[T],
    max: usize,
    where_to_look: &str,
    told: impl Fn(&T) -> String,
) -> Vec<String> {
    let n_more = all.len().saturating_sub(max);
    let more = (n_more > 0).then(|| format!("and {n_more} more{where_to_look}"));
    all.iter().take(max).map(told).chain(more).collect()
}

/// Where those are that [`listed`] leaves out.
pub(super) const IN_VERBOSE: &str = ", which `--verbose` lists";

/// The description of an origin: when it was deleted or whose it is, if it is not in the tree; and
/// who wrote it, if requested.
pub(super) fn provenance(origin: &Origin) -> Option<String> {
    let place = match &origin.place {
        Place::Tree => None,
        Place::Past(deletion) => Some(deleted(deletion)),
        Place::Component(component) => {
            let verdict = origin.verdict.as_ref().map(|of| format!("; {}", of.describe()));
            Some(owned(component) + &printable(verdict.unwrap_or_default()))
        }
    };
    let written = origin.written.as_ref().map(|writing| written(writing, &origin.path));
    let notes: Vec<String> = written.into_iter().chain(place).collect();
    (!notes.is_empty()).then(|| notes.join(", "))
}

/// The same to follow what is said of the origin before.
pub(super) fn noted(origin: &Origin) -> String {
    provenance(origin).map(|note| format!(", {note}")).unwrap_or_default()
}

/// `written in 1a2b3c4d5e on 2024-03-01 by A Maintainer, as lib/old.c`.
pub(super) fn written(writing: &Writing, path: &FilePath) -> String {
    let on = day(writing.time).map(|day| format!(" on {day}")).unwrap_or_default();
    let renamed =
        if writing.path == *path { String::new() } else { format!(", as {}", writing.path) };
    let author = printable(&writing.author);
    format!("written in {}{on} by {author}{renamed}", short(&writing.commit))
}

/// `deleted in 1a2b3c4d5e on 2024-03-01 ("drop the old parser")`.
pub(super) fn deleted(deletion: &Deletion) -> String {
    let on = day(deletion.time).map(|day| format!(" on {day}")).unwrap_or_default();
    let subject = match &*printable(&deletion.subject) {
        "" => String::new(),
        subject => format!(" (\"{subject}\")"),
    };
    let reverted = if deletion.is_reverted { ", which this change reverts" } else { "" };
    format!("deleted in {}{on}{subject}{reverted}", short(&deletion.commit))
}

/// `from zlib 1.3.1, license Zlib (SPDX-License-Identifier in the file), corpus vendored`.
fn owned(component: &Component) -> String {
    let terms = &component.terms;
    let license = component.license().unwrap_or_else(|| "not known".to_owned());
    let evidence = terms.evidence.as_ref().map(|of| format!(" ({of})")).unwrap_or_default();
    let contradicted = match &terms.contradictions[..] {
        [] => String::new(),
        [one] => format!(", contradicted: {}", one.evidence),
        [first, others @ ..] => {
            let n_others = count(others.len(), "other");
            format!(", contradicted: {} and {n_others}", first.evidence)
        }
    };
    let (label, corpus) = (component.label(), &component.corpus);
    let license = format!("license {license}{evidence}{contradicted}");
    let mut text = format!("from {label}, {license}, corpus {corpus}");
    text.extend(component.url.as_ref().map(|url| format!(", {url}")));
    text.extend(component.first_seen.as_ref().map(|of| {
        let day = day(of.time).unwrap_or_default();
        match of.commit() {
            Some(commit) => format!(", there since {day} ({})", short(commit)),
            None => format!(", packed on {day}"),
        }
    }));
    printable(text)
}

/// What a host calls a level: an error, a warning, or a note.
pub(super) fn of_level<T>(level: Level, [error, warning, note]: [T; 3]) -> T {
    match level {
        Level::Error => error,
        Level::Warning => warning,
        Level::Note => note,
    }
}

/// The day of a time in seconds since 1970, in UTC.
pub(super) fn day(time: i64) -> Option<String> {
    Some(jiff::Timestamp::from_second(time).ok()?.strftime("%Y-%m-%d").to_string())
}

/// How the copy differs from an origin: `renamed, 97 % alike`.
pub(super) fn likeness(origin: &Origin) -> String {
    alike(origin.clone_type, origin.similarity)
}

/// The same of any two sides.
pub(super) fn alike(clone_type: CloneType, similarity: f64) -> String {
    format!("{}, {} % alike", clone_type.word(), percent(similarity))
}

/// A fraction in whole percent; 100 only for the whole.
pub(super) fn percent(part: f64) -> u32 {
    (part * 100.0).floor() as u32
}

/// Who owns a copy and its first origin in the tree; `None` where nobody does.
pub(super) fn owned_by(outcome: &Outcome, finding: &Finding) -> Option<String> {
    let of_copy = owners_of(outcome, &finding.path);
    let origin = finding.origins_in_tree().next();
    Some(match origin.map(|origin| owners_of(outcome, &origin.path)) {
        Some(of_origin) if of_origin != of_copy => {
            let is_marked = outcome.owners.marks_borders && crosses_border(outcome, finding);
            let border = if is_marked { ": the copy crosses an ownership border" } else { "" };
            format!("owned by {of_copy}, its origin by {of_origin}{border}")
        }
        _ if of_copy == "nobody" => return None,
        _ => format!("owned by {of_copy}"),
    })
}

fn owners_of(outcome: &Outcome, path: &FilePath) -> String {
    match outcome.owners.of(path).as_slice() {
        [] => "nobody".to_owned(),
        of => printable(of.join(" ")),
    }
}

/// Whether none of the owners of a copy owns its first origin in the tree.
pub(super) fn crosses_border(outcome: &Outcome, finding: &Finding) -> bool {
    let origin = finding.origins_in_tree().next();
    origin.is_some_and(|origin| outcome.owners.is_border(&finding.path, &origin.path))
}

/// The findings, the best first, in the groups that are asked for, each with its name.
pub(super) fn grouped(
    outcome: &Outcome,
    by: Option<GroupBy>,
) -> Vec<(Option<String>, Vec<&Finding>)> {
    let findings = best_first(&outcome.findings);
    let Some(by) = by else { return vec![(None, findings)] };
    let mut groups: BTreeMap<(bool, String), Vec<&Finding>> = BTreeMap::new();
    for finding in findings {
        let group = match by {
            GroupBy::Owner => printable(outcome.owners.of(&finding.path).join(" ")),
            GroupBy::Folder => {
                let folder = finding.path.folder();
                FilePath::new(folder.strip_suffix(b"/").unwrap_or(b".")).to_string()
            }
        };
        // Those of nobody come last.
        groups.entry((group.is_empty(), group)).or_default().push(finding);
    }
    let named = |(is_nobodys, name)| if is_nobodys { "nobody".to_owned() } else { name };
    groups.into_iter().map(|(group, findings)| (Some(named(group)), findings)).collect()
}

/// Both sides of a finding; `None` if the text of the origin is not known.
pub(super) fn sides(outcome: &Outcome, finding: &Finding, origin: &Origin) -> Option<Sides> {
    let copy = (copy_text(outcome, finding), &finding.fragment);
    Some(Sides::new(copy, (text_of(outcome, origin)?, &origin.fragment)))
}

/// The text of the file with an origin, if known.
pub(super) fn text_of<'o>(outcome: &'o Outcome, origin: &'o Origin) -> Option<&'o LinedText> {
    match (&origin.text, &origin.place) {
        (Some(text), _) => Some(text),
        (None, Place::Tree) => outcome.texts.get(&origin.path),
        (None, _) => None,
    }
}

pub(super) fn copy_text<'o>(outcome: &'o Outcome, finding: &Finding) -> &'o LinedText {
    outcome.texts.get(&finding.path).unwrap_or(LinedText::empty())
}

/// What was found, and what could not be examined: what was not examined must not pass as clean.
pub(super) fn found(outcome: &Outcome) -> String {
    copies_found(outcome) + &missed_note(outcome) + &unread_note(outcome)
}

pub(super) fn found_in(outcome: &Outcome) -> String {
    format!("{} in {}", found(outcome), end(&outcome.head))
}

/// The same of a whole tree.
pub(super) fn found_in_audit(outcome: &Outcome) -> String {
    let n_compared = count(outcome.examined.n_compared, "file");
    format!("{}, compared with {n_compared}", found_in(outcome))
}

/// `; 2 edits missed siblings`, where some did.
pub(super) fn missed_note(outcome: &Outcome) -> String {
    let n = outcome.findings.iter().filter(|finding| finding.missed().is_some()).count();
    if n > 0 { format!("; {} missed siblings", count(n, "edit")) } else { String::new() }
}

/// `; 2 changed files not examined`, where some could not be.
pub(super) fn unread_note(outcome: &Outcome) -> String {
    let n = n_unread(outcome);
    if n > 0 { format!("; {} not examined", count(n, file_of(outcome))) } else { String::new() }
}

/// What `audit` looks at is a file, and what `check` looks at is a changed one.
pub(super) fn file_of(outcome: &Outcome) -> &'static str {
    if outcome.audited.is_some() { "file" } else { "changed file" }
}

/// The one figure of a tree and what it is made of, in a sentence.
pub(super) fn duplicated(of: &Duplication) -> String {
    let Share { n_lines, duplicated_lines, .. } = of.total;
    let (lines, classes) = (count(n_lines, "line"), count(of.n_classes, "class"));
    format!(
        "duplicated: {:.1} %: {duplicated_lines} of {lines} of source would go if the {classes} worth a warning in a \
         change were written once each; tests, examples, documents and declarations do not count",
        of.total.percent()
    )
}

/// What the copies of an outcome are called: a check finds copies, a scan classes; of a whole tree
/// everything counts that programs are told.
pub(super) fn copies_found(outcome: &Outcome) -> String {
    if outcome.duplication.is_some() {
        return count(outcome.findings.len(), "clone class");
    }
    let is_audit = outcome.audited.is_some();
    let copies = outcome.all_findings().filter(|finding| is_audit || finding.is_copy());
    let levels: Vec<Level> = copies.map(|finding| finding.level).collect();
    let mut counts = Vec::new();
    for level in [Level::Error, Level::Warning, Level::Note] {
        if let n @ 1.. = levels.iter().filter(|of| **of == level).count() {
            counts.push(count(n, level.name()));
        }
    }
    let noun = if is_audit { "finding" } else { "new copy" };
    let copies = match levels.len() {
        0 => format!("no {}", noun_of(0, noun)),
        n => format!("{}: {}", count(n, noun), counts.join(", ")),
    };
    match n_vulnerable(outcome) {
        0 => copies,
        n => format!("{}; {copies}", lacking_fixes(n)),
    }
}

pub(super) fn n_of_level(outcome: &Outcome, level: Level) -> usize {
    outcome.all_findings().filter(|finding| finding.level == level).count()
}

/// Why a finding is milder than its rule is, and what it is: `note: in test code`.
pub(super) fn milder(finding: &Finding) -> Option<String> {
    finding.milder.map(|why| format!("{}: {}", finding.level.name(), why.describe()))
}

/// `2 copies lack security fixes`.
pub(super) fn lacking_fixes(n_copies: usize) -> String {
    let lack = agreed(n_copies, "lacks", "lack");
    format!("{} {lack} security fixes", count(n_copies, "copy"))
}

/// Copies that lack fixes of security faults.
pub(super) fn n_vulnerable(outcome: &Outcome) -> usize {
    let copies = outcome.all_findings().filter(|finding| finding.behind().is_some());
    copies.filter(|copy| copy.level > Level::Note).count()
}

/// What happened to the files of a finding about such: one could not be examined, or they were left
/// out on purpose.
pub(super) fn unexamined_word(finding: &Finding) -> &'static str {
    if matches!(finding.about, About::LeftOut(_)) { "left out" } else { "not examined" }
}

pub(super) fn n_unread(outcome: &Outcome) -> usize {
    outcome.findings.iter().filter(|finding| matches!(finding.about, About::Unread(_))).count()
}

pub(super) fn n_left_out(outcome: &Outcome) -> usize {
    let files =
        outcome.findings.iter().filter(|finding| matches!(finding.about, About::LeftOut(_)));
    files.flat_map(Finding::unexamined_files).map(|file| file.n_files).sum()
}

/// Files that could not be read and may be source, and that no finding names: the rule is off, or a
/// whole tree was read.
pub(super) fn silently_skipped(outcome: &Outcome) -> impl Iterator<Item = &(FilePath, Skip)> {
    let files = outcome.findings.iter().flat_map(Finding::unexamined_files);
    let named: BTreeSet<&FilePath> = files.map(|file| &file.path).collect();
    outcome.examined.skipped.iter().filter(move |(path, _)| !named.contains(path))
}

/// What readers must know beside the findings: notices, and the files that nothing was compared
/// with.
pub(super) fn remarks(outcome: &Outcome) -> Vec<String> {
    let not_compared = skipped_lines("not compared with", outcome.examined.not_compared.iter());
    outcome.notices.iter().map(ToString::to_string).chain(not_compared).collect()
}

/// A line for each skipped file, which begins with `how`; those that a partial clone does not have
/// are counted.
pub(super) fn skipped_lines<'s>(
    how: &str,
    skipped: impl Iterator<Item = &'s (FilePath, Skip)>,
) -> Vec<String> {
    let (missing, others): (Vec<_>, Vec<_>) = skipped.partition(|(_, skip)| *skip == Skip::Missing);
    let others = others.iter().map(|(path, skip)| format!("{how}: {path} ({})", skip.reason()));
    let missing = (!missing.is_empty())
        .then(|| format!("{how}: {} ({})", count(missing.len(), "file"), Skip::Missing.reason()));
    others.chain(missing).collect()
}

/// The range of a change: `main 1a2b3c4d5e .. HEAD 5e6f7a8b9c`; its end where everything is new.
pub(super) fn range(outcome: &Outcome) -> String {
    let base = outcome.base.as_ref().map(|base| format!("{} .. ", end(base)));
    base.unwrap_or_default() + &end(&outcome.head)
}

pub(super) fn base(outcome: &Outcome) -> String {
    outcome.base.as_ref().map_or_else(|| "nothing".to_owned(), end)
}

/// An end of the range: `main 1a2b3c4d5e`, `the index`. What is named by its id has no other name.
pub(super) fn end(end: &End) -> String {
    // A branch name is untrusted text.
    let name = printable(&end.name);
    match &end.commit {
        Some(commit) if commit.is_abbreviated(&name) => commit.short(),
        Some(commit) => format!("{name} {}", commit.short()),
        None => name,
    }
}

/// What has to be done about code of others, the gravest first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Need {
    Removal,
    License,
    Review,
    Attribution,
}

impl Need {
    /// What a verdict asks for; `None` if it asks for nothing.
    pub fn of(verdict: &Verdict) -> Option<Self> {
        match (verdict.answer, &verdict.attribution) {
            (Answer::Denied, _) => Some(Self::Removal),
            (Answer::Unknown, _) => Some(Self::License),
            (Answer::Review, _) => Some(Self::Review),
            (Answer::Allowed, Attribution::Owed(_)) => Some(Self::Attribution),
            (Answer::Allowed, _) => None,
        }
    }

    pub fn words(self) -> &'static str {
        match self {
            Self::Removal => "remove it, or agree on an exception",
            Self::License => "find its license",
            Self::Review => "review",
            Self::Attribution => "give attribution",
        }
    }
}

/// What to do about a finding of which something is to be done: reuse the origin, or say why the
/// copy is kept.
pub(super) fn to_do(finding: &Finding, languages: &Languages) -> Option<String> {
    if !finding.has_code() || finding.level == Level::Note && finding.missed().is_none() {
        return None;
    }
    let (open, close) = languages.comment(&finding.language).unwrap_or(("//", ""));
    let comment = format!("{open} secondhand: allow({}) -- why {close}", finding.rule.id);
    let keep = format!("keep it with a comment above: {}", comment.trim_end());
    let verdicts = finding.origins.iter().filter_map(|origin| origin.verdict.as_ref());
    let need = verdicts.filter_map(Need::of).min();
    let need = need.filter(|_| finding.rule.topic == Topic::License);
    let what = match (finding.missed(), need, finding.origins.first()) {
        (Some(missed), ..) => {
            let has_patch = missed.patches.iter().any(Option::is_some);
            let patch = if has_patch { " (`--format patch` writes it)" } else { "" };
            format!("make the same edit there{patch}")
        }
        _ if finding.behind().is_some() => "apply what is missing".to_owned(),
        (None, Some(need), _) => need.words().to_owned(),
        (None, None, Some(origin)) if origin.in_common.insertion.is_some() => {
            "write it once, as a function of what differs".to_owned()
        }
        (None, None, Some(Origin { place: Place::Tree, path, fragment, in_common, .. })) => {
            match in_common.reuse {
                Reuse::Call => format!("call {} instead", fragment.start_in(path)),
                Reuse::Use => format!("use {} instead", fragment.start_in(path)),
                Reuse::Share => "write it once, and use it in both places".to_owned(),
            }
        }
        _ => "use the original instead".to_owned(),
    };
    Some(format!("{what}, or {keep}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_told_in_universal_time() {
        assert_eq!(day(0).as_deref(), Some("1970-01-01"));
        assert_eq!(day(i64::MAX), None);
    }
}
