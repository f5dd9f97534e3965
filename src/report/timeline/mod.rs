//! Writes the copies that each commit of a range added: one file for each format.

mod csv;
mod host;
mod html;
pub(super) mod json;
mod markdown;
mod periods;
mod text;

use super::Format;
use super::plain_json::write_as;
use super::words::{MAX_NAMED, alike, count, day, listed};
use crate::audit::{CommitCopies, Copy, CopyOrigin, Timeline};
use crate::text::printable;

/// All formats of `history`, the default first.
pub static TIMELINE_FORMATS: &[Format<Timeline>] = &[
    Format::new("text", "the commits that copied, for people", text::write),
    Format::new("json", "versioned JSON for programs", write_as::<_, json::History>),
    Format::new(
        "csv",
        "a row for each copy and each commit without, with the trend, for spreadsheets",
        csv::write,
    ),
    Format::new("html", "one page with charts of the trend, to read in a browser", html::write),
    Format::new("markdown", "a table of the copies", markdown::write),
];

/// A commit, and what came in with it and before it.
struct TrendPoint<'t> {
    judged: &'t CommitCopies,
    /// Copied tokens that it added.
    n_copied: usize,
    /// Copied tokens that it and the commits before it added.
    total: usize,
}

/// The commits, the oldest first, with running totals.
fn rows(timeline: &Timeline) -> Vec<TrendPoint<'_>> {
    let mut rows: Vec<TrendPoint<'_>> = Vec::new();
    for judged in &timeline.commits {
        let n_copied = judged.n_copied();
        let total = n_copied + rows.last().map_or(0, |row| row.total);
        rows.push(TrendPoint { judged, n_copied, total });
    }
    rows
}

fn headline(timeline: &Timeline) -> String {
    let n_copies: usize = timeline.commits.iter().map(|judged| judged.copies.len()).sum();
    let n_with = timeline.commits.iter().filter(|judged| !judged.copies.is_empty()).count();
    let commits = count(timeline.commits.len(), "commit");
    match n_copies {
        0 => format!("{commits}: no new copies"),
        n => format!("{commits}: {} in {}", count(n, "new copy"), count(n_with, "commit")),
    }
}

fn summary(timeline: &Timeline) -> Vec<String> {
    let n_novel: usize = timeline.commits.iter().map(|judged| judged.n_novel).sum();
    let n_copied: usize = timeline.commits.iter().map(CommitCopies::n_copied).sum();
    let share = if n_novel == 0 { 0.0 } else { n_copied as f64 / n_novel as f64 * 100.0 };
    let mut summary = vec![
        format!("range: {}", printable(&timeline.range)),
        format!(
            "new tokens of source: {n_novel}; in copies worth a warning: {n_copied}, {share:.1} %"
        ),
    ];
    if timeline.n_left_out > 0 {
        let commits = count(timeline.n_left_out, "commit");
        summary.push(format!("left out, by other authors: {commits}"));
    }
    summary.extend(timeline.unavailable.iter().map(|what| format!("not checked: {what}")));
    summary.extend(unread(timeline));
    summary
}

/// The changed files that could not be read: how many, and the first few.
fn unread(timeline: &Timeline) -> Option<String> {
    let mut all = Vec::new();
    for judged in timeline.commits.iter().rev() {
        all.extend(judged.unread.iter().map(|file| (judged.commit, file)));
    }
    let listed = listed(&all, MAX_NAMED, "", |(commit, file)| {
        format!("{} in {} ({})", printable(file.path.as_bytes()), commit.short(), file.why)
    });
    (!listed.is_empty()).then(|| format!("not examined: {}", listed.join(", ")))
}

/// `1a2b3c4d5e 2026-01-31 A Maintainer: the subject`.
fn commit(judged: &CommitCopies) -> String {
    let info = &judged.info;
    let day = day(info.author_time).unwrap_or_default();
    printable(format!("{} {day} {}: {}", judged.commit.short(), info.author, info.subject))
}

fn place(copy: &Copy) -> String {
    copy.fragment.in_file(&copy.path)
}

fn origin_place(origin: &CopyOrigin) -> String {
    origin.fragment.in_file(&origin.path)
}

fn likeness(origin: &CopyOrigin) -> String {
    alike(origin.clone_type, origin.similarity)
}

/// `written in 1a2b3c4d5e on 2026-01-31 by A Maintainer, as lib/old.c`.
fn written(origin: &CopyOrigin) -> Option<String> {
    origin.written.as_ref().map(|writing| super::words::written(writing, &origin.path))
}
