//! Writes a row for each copy, and one for each commit without, for spreadsheets.
//!
//! The columns `copied_tokens` and `total_copied_tokens` of its commits are the trend.

use std::io::{self, Write};

use super::{TrendPoint, rows};
use crate::audit::{Copy, Timeline};
use crate::report::Style;
use crate::report::csv::write_table;
use crate::report::words::day;

const COLUMNS: [&str; 26] = [
    "commit", "date", "author", "subject", "new_tokens", "copied_tokens", "total_copied_tokens",
    "rule", "level", "path", "start_line", "end_line", "tokens", "new_tokens_of_copy", "identity",
    "origins", "origin_path", "origin_start_line", "origin_end_line", "clone_type", "similarity",
    "origin_commit", "origin_date", "origin_author", "origin_path_then", "email",
];

pub(super) fn write(timeline: &Timeline, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let rows = rows(timeline);
    let cells = rows.iter().flat_map(|row| {
        let copies: Vec<Option<&Copy>> = row.judged.copies.iter().map(Some).collect();
        let copies = if copies.is_empty() { vec![None] } else { copies };
        copies.into_iter().map(move |copy| cells(row, copy))
    });
    write_table(COLUMNS, cells, out)
}

fn cells(row: &TrendPoint<'_>, copy: Option<&Copy>) -> [String; COLUMNS.len()] {
    let info = &row.judged.info;
    let origin = copy.and_then(|copy| copy.origins.first());
    let written = origin.and_then(|origin| origin.written.as_ref());
    [
        row.judged.commit.to_string(),
        day(info.author_time).unwrap_or_default(),
        info.author.clone(),
        info.subject.clone(),
        row.judged.n_novel.to_string(),
        row.n_copied.to_string(),
        row.total.to_string(),
        cell(copy, |copy| &copy.rule),
        cell(copy, |copy| copy.level.name()),
        cell(copy, |copy| &copy.path),
        cell(copy, |copy| &copy.fragment.start.line),
        cell(copy, |copy| &copy.fragment.end.line),
        cell(copy, |copy| &copy.n_tokens),
        cell(copy, |copy| &copy.n_novel),
        cell(copy, |copy| &copy.identity),
        copy.map(|copy| copy.origins.len().to_string()).unwrap_or_default(),
        cell(origin, |origin| &origin.path),
        cell(origin, |origin| &origin.fragment.start.line),
        cell(origin, |origin| &origin.fragment.end.line),
        cell(origin, |origin| origin.clone_type.name()),
        origin.map(|origin| format!("{:.3}", origin.similarity)).unwrap_or_default(),
        cell(written, |written| &written.commit),
        written.and_then(|written| day(written.time)).unwrap_or_default(),
        cell(written, |written| &written.author),
        cell(written, |written| &written.path),
        info.email.clone(),
    ]
}

/// A figure or text of something, if there is such a thing.
fn cell<T, D: ToString + ?Sized>(of: Option<&T>, value: impl Fn(&T) -> &D) -> String {
    of.map(|of| value(of).to_string()).unwrap_or_default()
}
