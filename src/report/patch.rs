//! Writes the edits that siblings lack as a patch for `git apply`, with the names of each sibling.

use std::io::{self, Write};

use super::words::{lines, place};
use super::{Format, Style};
use crate::audit::Outcome;
use crate::text::printable;

pub(super) const FORMAT: Format =
    Format { name: "patch", help: "the edits that siblings lack, for `git apply`", write };

/// The lines between the patches say what each is for: `git apply` and `patch` skip them.
fn write(outcome: &Outcome, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    for finding in &outcome.findings {
        let Some(missed) = finding.missed() else { continue };
        for (origin, patch) in finding.origins.iter().zip(&missed.patches) {
            let of = printable(format!("{}:{}", finding.path, lines(&finding.fragment)).as_bytes());
            let at = printable(place(origin).as_bytes());
            match patch {
                Some(patch) => write!(out, "# {at} lacks the edit of {of}\n{patch}\n")?,
                None => writeln!(out, "# {at} lacks the edit of {of}; it has to be made by hand\n")?,
            }
        }
    }
    for skipped in outcome.findings.iter().filter(|finding| !finding.unexamined_files().is_empty()) {
        writeln!(out, "# {}", printable(skipped.message().as_bytes()))?;
    }
    Ok(())
}
