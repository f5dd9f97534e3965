//! Writes a timeline as Markdown: a table of the copies, and the commits that copied most.

use std::io::{self, Write};

use super::{headline, likeness, origin_place, place, summary, written};
use crate::audit::{CommitCopies, Copy, Timeline};
use crate::report::Style;
use crate::report::html::MAX_TABLE_ROWS;
use crate::report::markdown::{code_span, escaped};
use crate::report::words::{count, day};
use crate::text::printable;

pub(super) fn write(timeline: &Timeline, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "## {}\n", escaped(&headline(timeline)))?;
    let commits = timeline.commits.iter().rev();
    let copies = commits.flat_map(|judged| judged.copies.iter().map(move |copy| (judged, copy)));
    let n_copies = copies.clone().count();
    if n_copies > 0 {
        writeln!(
            out,
            "| commit | what | where | from | similarity | written |\n|---|---|---|---|---|---|"
        )?;
        for (judged, copy) in copies.take(MAX_TABLE_ROWS) {
            out.write_all(row(judged, copy).as_bytes())?;
        }
        writeln!(out)?;
        if n_copies > MAX_TABLE_ROWS {
            writeln!(out, "{} are not listed.\n", count(n_copies - MAX_TABLE_ROWS, "copy"))?;
        }
    }
    for line in summary(timeline) {
        writeln!(out, "- {}", escaped(&line))?;
    }
    Ok(())
}

fn row(judged: &CommitCopies, copy: &Copy) -> String {
    let info = &judged.info;
    let day = day(info.author_time).unwrap_or_default();
    let origin = copy.origins.first();
    let mut from = origin.map(|origin| code_span(&origin_place(origin))).unwrap_or_default();
    if let n @ 2.. = copy.origins.len() {
        from += &format!("<br>and {}", count(n - 1, "other place"));
    }
    format!(
        "| {} {day}<br>{}: {} | {}, {} | {} | {from} | {} | {} |\n",
        code_span(&judged.commit.short()),
        escaped(&printable(&info.author)),
        escaped(&printable(&info.subject)),
        count(copy.n_lines as usize, "line"),
        escaped(copy.level.name()),
        code_span(&place(copy)),
        escaped(&origin.map(likeness).unwrap_or_default()),
        escaped(&origin.and_then(written).unwrap_or_default()),
    )
}
