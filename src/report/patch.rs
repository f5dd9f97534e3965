//! Writes the edits that siblings lack as a patch for `git apply`, with the names of each sibling.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::Range;

use super::Style;
use super::words::{STEERING, here, place, steers};
use crate::audit::Outcome;
use crate::text::{FilePath, printable};

/// The lines between the patches say what each is for: `git apply` and `patch` skip them.
pub(super) fn write(outcome: &Outcome, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut written: BTreeMap<&FilePath, Vec<Range<usize>>> = BTreeMap::new();
    for finding in &outcome.findings {
        let Some(missed) = finding.missed() else { continue };
        for (origin, patch) in finding.origins.iter().zip(&missed.patches) {
            let of = printable(here(finding));
            let at = printable(place(origin));
            let touched = patch.as_deref().map(touched_lines).unwrap_or_default();
            let of_file = written.entry(&origin.path).or_default();
            // The context of one would no longer be there after the other.
            let mut pairs = touched.iter().flat_map(|a| of_file.iter().map(move |b| (a, b)));
            if pairs.any(|(a, b)| a.start < b.end && b.start < a.end) {
                writeln!(
                    out,
                    "# {at} lacks the edit of {of}; its patch comes once the one above is applied\n"
                )?;
                continue;
            }
            of_file.extend(touched);
            match patch {
                Some(patch) if patch.split('\n').any(|line| steers(line.as_bytes())) => {
                    writeln!(out, "# {at} lacks the edit of {of}; {STEERING}\n")?;
                }
                Some(patch) => write!(out, "# {at} lacks the edit of {of}\n{patch}\n")?,
                None => {
                    writeln!(out, "# {at} lacks the edit of {of}; it has to be made by hand\n")?;
                }
            }
        }
    }
    for skipped in outcome.findings.iter().filter(|finding| !finding.unexamined_files().is_empty())
    {
        writeln!(out, "# {}", printable(skipped.message()))?;
    }
    Ok(())
}

/// The lines of the old file that the hunks of a patch have, with their context.
fn touched_lines(patch: &str) -> Vec<Range<usize>> {
    let hunks = patch.lines().filter_map(|line| {
        let (start, n) = line.strip_prefix("@@ -")?.split_once(' ')?.0.split_once(',')?;
        let (start, n): (usize, usize) = (start.parse().ok()?, n.parse().ok()?);
        Some(start..start + n)
    });
    hunks.collect()
}
