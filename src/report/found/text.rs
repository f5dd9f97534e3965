//! Writes results for people: where the code is, and the code.

use std::io::{self, Write};

use super::{facts, headline, place};
use crate::audit::FoundCode;
use crate::report::Style;
use crate::report::frame::wrapped;
use crate::report::words::count;
use crate::text::printable;

/// Maximum lines of code to show of a result; unlimited with `--verbose`.
const MAX_LINES: usize = 24;
/// Minimum columns to write anything sensible.
const MIN_WIDTH: usize = 24;

pub(super) fn write(found: &FoundCode, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let width = style.width.max(MIN_WIDTH);
    if !style.is_quiet {
        writeln!(out, "{}", wrapped(&headline(found), width).join("\n"))?;
    }
    for existing in &found.results {
        let facts = wrapped(&facts(existing), width - 2).join("\n  ");
        writeln!(out, "\n{}\n  {facts}", place(existing))?;
        let Some(text) = &existing.text else { continue };
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
        let n_shown = if style.is_verbose { lines.len() } else { MAX_LINES };
        for (number, line) in (existing.fragment.start.line..).zip(&lines).take(n_shown) {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let spaced = String::from_utf8_lossy(line).replace('\t', "    ");
            let line = format!("{number:>6} | {}", printable(spaced.as_bytes()));
            writeln!(out, "{}", line.trim_end())?;
        }
        if lines.len() > n_shown {
            writeln!(out, "       = and {} more", count(lines.len() - n_shown, "line"))?;
        }
    }
    Ok(())
}
