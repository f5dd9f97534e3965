//! Writes a timeline for people: the commits that copied, the newest first.

use std::io::{self, Write};

use super::{commit, headline, likeness, origin_place, place, summary, written};
use crate::audit::{Copy, Timeline};
use crate::report::Style;
use crate::report::words::{MAX_IN_LINE, count};

pub(super) fn write(timeline: &Timeline, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let judged = timeline.commits.iter().rev().filter(|judged| !judged.copies.is_empty());
    if style.is_quiet {
        let copies = judged.flat_map(|of| of.copies.iter().map(|copy| (of.commit.short(), copy)));
        return copies.into_iter().try_for_each(|(commit, copy)| {
            let from = copy.origins.first().map(|origin| format!(" from {}", origin_place(origin)));
            writeln!(out, "{commit} {}{}", head(copy), from.unwrap_or_default())
        });
    }
    let mut lines = vec![(0, headline(timeline))];
    for judged in judged {
        lines.push((0, commit(judged)));
        for copy in &judged.copies {
            lines.push((2, head(copy)));
            let n_told = style.at_most(MAX_IN_LINE);
            for origin in copy.origins.iter().take(n_told) {
                let (place, likeness) = (origin_place(origin), likeness(origin));
                let written = written(origin).map(|written| format!("; {written}"));
                let written = written.unwrap_or_default();
                lines.push((4, format!("from {place}, {likeness}{written}")));
            }
            if copy.origins.len() > n_told {
                let others = count(copy.origins.len() - n_told, "other place");
                lines.push((4, format!("and {others}")));
            }
        }
    }
    lines.extend(summary(timeline).into_iter().map(|text| (0, text)));
    for (indent, text) in lines {
        for (at, part) in style.wrapped(&text, indent + 2).iter().enumerate() {
            // Continuation lines are indented further.
            writeln!(out, "{}{part}", " ".repeat(if at == 0 { indent } else { indent + 2 }))?;
        }
    }
    Ok(())
}

fn head(copy: &Copy) -> String {
    let (lines, tokens) = (count(copy.n_lines as usize, "line"), count(copy.n_tokens, "token"));
    format!("{}  {}: {lines}, {tokens}, {} new", place(copy), copy.level.name(), copy.n_novel)
}
