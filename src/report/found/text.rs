//! Writes results for people: where the code is, and the code.

use std::io::{self, Write};

use super::{facts, headline, numbered_lines, place};
use crate::audit::FoundCode;
use crate::report::Style;
use crate::report::frame::wrapped;
use crate::report::words::count;
use crate::text::printable;

/// Maximum lines of code to show of a result; unlimited with `--verbose`.
const MAX_LINES: usize = 24;
pub(super) fn write(found: &FoundCode, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if style.is_quiet {
        return super::concise::write(found, style, out);
    }
    let width = style.columns();
    writeln!(out, "{}", wrapped(&headline(found), width).join("\n"))?;
    for existing in &found.results {
        let facts = wrapped(&facts(existing), width - 2).join("\n  ");
        writeln!(out, "\n{}\n  {facts}", place(existing))?;
        let lines = numbered_lines(existing);
        let n_shown = style.at_most(MAX_LINES);
        for (number, line) in lines.iter().take(n_shown) {
            let spaced = String::from_utf8_lossy(line).replace('\t', "    ");
            let line = format!("{number:>6} | {}", printable(spaced));
            writeln!(out, "{}", line.trim_end())?;
        }
        if lines.len() > n_shown {
            writeln!(out, "       = and {} more", count(lines.len() - n_shown, "line"))?;
        }
    }
    Ok(())
}
