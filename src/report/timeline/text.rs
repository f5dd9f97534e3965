//! Writes a timeline for people: the commits that copied, the newest first.

use std::io::{self, Write};

use super::{commit, headline, likeness, origin_place, place, summary, written};
use crate::audit::{Copy, Timeline};
use crate::report::Style;
use crate::report::frame::Canvas;
use crate::report::words::count;

/// Maximum origins to list for a copy; unlimited with `--verbose`.
const MAX_ORIGINS: usize = 2;

pub(super) fn write(timeline: &Timeline, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let canvas = Canvas::new(style);
    let mut line = |indent: usize, text: &str| -> io::Result<()> {
        for (at, part) in canvas.wrapped(text, indent + 2).iter().enumerate() {
            // Continuation lines are indented further.
            writeln!(out, "{}{part}", " ".repeat(if at == 0 { indent } else { indent + 2 }))?;
        }
        Ok(())
    };
    line(0, &headline(timeline))?;
    for judged in timeline.commits.iter().rev().filter(|judged| !judged.copies.is_empty()) {
        line(0, "")?;
        line(0, &commit(judged))?;
        for copy in &judged.copies {
            line(2, &head(copy))?;
            let n_told = if style.is_verbose { copy.origins.len() } else { MAX_ORIGINS };
            for origin in copy.origins.iter().take(n_told) {
                let written =
                    written(origin).map(|written| format!("; {written}")).unwrap_or_default();
                line(4, &format!("from {}, {}{written}", origin_place(origin), likeness(origin)))?;
            }
            if copy.origins.len() > n_told {
                line(4, &format!("and {}", count(copy.origins.len() - n_told, "other place")))?;
            }
        }
    }
    if !style.is_quiet {
        line(0, "")?;
        for text in summary(timeline) {
            line(0, &text)?;
        }
    }
    Ok(())
}

fn head(copy: &Copy) -> String {
    let (lines, tokens) = (count(copy.n_lines as usize, "line"), count(copy.n_tokens, "token"));
    format!("{}  {}: {lines}, {tokens}, {} new", place(copy), copy.level.name(), copy.n_novel)
}
