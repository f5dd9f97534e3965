//! Writes a row for each copy, and one for each commit without, for spreadsheets.
//!
//! The columns `copied_tokens` and `total_copied_tokens` of its commits are the trend.

use std::io::{self, Write};

use super::{TrendPoint, rows};
use crate::audit::{Copy, CopyOrigin, Timeline};
use crate::policy::Writing;
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
    let of = |cell: &dyn Fn(&Copy) -> String| copy.map(cell).unwrap_or_default();
    let origin = copy.and_then(|copy| copy.origins.first());
    let from = |cell: &dyn Fn(&CopyOrigin) -> String| origin.map(cell).unwrap_or_default();
    let written = origin.and_then(|origin| origin.written.as_ref());
    let then = |cell: &dyn Fn(&Writing) -> String| written.map(cell).unwrap_or_default();
    [
        row.judged.commit.to_string(),
        day(info.author_time).unwrap_or_default(),
        info.author.clone(),
        info.subject.clone(),
        row.judged.n_novel.to_string(),
        row.n_copied.to_string(),
        row.total.to_string(),
        of(&|copy| copy.rule.clone()),
        of(&|copy| copy.level.name().to_owned()),
        of(&|copy| copy.path.to_string()),
        of(&|copy| copy.fragment.start.line.to_string()),
        of(&|copy| copy.fragment.end.line.to_string()),
        of(&|copy| copy.n_tokens.to_string()),
        of(&|copy| copy.n_novel.to_string()),
        of(&|copy| copy.identity.clone()),
        of(&|copy| copy.origins.len().to_string()),
        from(&|origin| origin.path.to_string()),
        from(&|origin| origin.fragment.start.line.to_string()),
        from(&|origin| origin.fragment.end.line.to_string()),
        from(&|origin| origin.clone_type.name().to_owned()),
        from(&|origin| format!("{:.3}", origin.similarity)),
        then(&|written| written.commit.clone()),
        then(&|written| day(written.time).unwrap_or_default()),
        then(&|written| written.author.clone()),
        then(&|written| written.path.to_string()),
        info.email.clone(),
    ]
}
