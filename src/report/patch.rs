//! Writes patches for `git apply` and `patch -p1`: the edits that siblings lack, and the commits
//! that copies lack.
//!
//! Promise: no line of a patch is a command or unseen where it is printed.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::Range;

use super::Style;
use super::missed::commit_line;
use super::words::{here, place};
use crate::audit::Outcome;
use crate::matching::HUNK_CONTEXT;
use crate::policy::{LineEdit, MissedCommit};
use crate::text::{FilePath, LinedText, printable};

/// Why a patch leaves an edit out.
const STEERING: &str =
    "a line at it would be a command, or not be seen, where this is printed: apply by hand";

/// The edits that siblings lack, with the names of each sibling. The lines between the patches say
/// what each is for: `git apply` and `patch` skip them.
pub(super) fn write(outcome: &Outcome, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut written: BTreeMap<&FilePath, Vec<Range<usize>>> = BTreeMap::new();
    for finding in &outcome.findings {
        let Some(missed) = finding.missed() else { continue };
        for (origin, patch) in finding.origins.iter().zip(&missed.patches) {
            let (at, of) = (printable(place(origin)), printable(here(finding)));
            let lacks = format!("# {at} lacks the edit of {of}");
            let touched = patch.as_deref().map(touched_lines).unwrap_or_default();
            let of_file = written.entry(&origin.path).or_default();
            // The context of one would no longer be there after the other.
            let mut pairs = touched.iter().flat_map(|a| of_file.iter().map(move |b| (a, b)));
            if pairs.any(|(a, b)| a.start < b.end && b.start < a.end) {
                writeln!(out, "{lacks}; its patch comes once the one above is applied\n")?;
                continue;
            }
            of_file.extend(touched);
            match patch {
                Some(patch) if patch.split('\n').any(|line| steers(line.as_bytes())) => {
                    writeln!(out, "{lacks}; {STEERING}\n")?;
                }
                Some(patch) => write!(out, "{lacks}\n{patch}\n")?,
                None => writeln!(out, "{lacks}; it has to be made by hand\n")?,
            }
        }
    }
    let unread = outcome.findings.iter().filter(|finding| !finding.unexamined_files().is_empty());
    for skipped in unread {
        writeln!(out, "# {}", printable(skipped.message()))?;
    }
    Ok(())
}

/// Whether a patch that has this line would steer what shows it: a command of a CI system, or a
/// character that is not seen or moves a cursor. What escapes those is no patch.
fn steers(line: &[u8]) -> bool {
    let line = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line));
    printable(line.as_bytes()) != line
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

/// The commits that copies lack. Only what is sure is in it: a hunk whose lines are laid out in the
/// copy as they were in the origin, and of which the text is available. The others are named in a
/// comment above.
pub(super) fn write_missing(outcome: &Outcome, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut of_files: BTreeMap<&FilePath, Vec<&MissedCommit>> = BTreeMap::new();
    for finding in &outcome.findings {
        if let Some(behind) = finding.behind() {
            of_files.entry(&finding.path).or_default().extend(&behind.commits);
        }
    }
    for (path, mut commits) in of_files {
        commits.sort_by_key(|missed| missed.commit.time);
        let Some(text) = outcome.texts.get(path) else { continue };
        let mut edits: Vec<&LineEdit> = Vec::new();
        for missed in commits {
            let (mut n_left, mut n_steering) = (0, 0);
            for place in &missed.places {
                match &place.edit {
                    Some(edit) if steers_at(edit, text) => n_steering += 1,
                    // A later commit that changes the same lines again needs the earlier one first.
                    Some(edit) if edits.iter().all(|other| !touches(other, edit)) => {
                        edits.push(edit);
                    }
                    Some(edit) if edits.contains(&edit) => {}
                    _ => n_left += 1,
                }
            }
            writeln!(out, "# {}", commit_line(missed))?;
            let n_places = missed.places.len();
            if n_left > 0 {
                writeln!(out, "#   {n_left} of {n_places} not in this patch: apply by hand")?;
            }
            if n_steering > 0 {
                writeln!(out, "#   {n_steering} of {n_places} not in this patch: {STEERING}")?;
            }
        }
        edits.sort_unstable_by_key(|edit| (edit.lines.start, edit.lines.end));
        write_file(path, text, &edits, out)?;
    }
    Ok(())
}

/// Whether two edits have a line in common, or are next to each other.
fn touches(a: &LineEdit, b: &LineEdit) -> bool {
    a.lines.start <= b.lines.end && b.lines.start <= a.lines.end
}

/// Whether a line of the hunk of an edit is one that no patch shows.
fn steers_at(edit: &LineEdit, text: &LinedText) -> bool {
    let lines = text.lines();
    let first = edit.lines.start.saturating_sub(HUNK_CONTEXT).max(1);
    let mut own = (first..(edit.lines.end + HUNK_CONTEXT).min(lines.n_lines() + 1))
        .map(|line| own_line(b' ', text, line).1);
    own.any(steers) || new_lines(edit).any(steers)
}

/// The lines that an edit brings, without their ends.
fn new_lines(edit: &LineEdit) -> impl Iterator<Item = &[u8]> {
    let lines = edit.text.split_inclusive(|&byte| byte == b'\n');
    lines.map(|line| line.strip_suffix(b"\n").unwrap_or(line))
}

/// A line of a hunk: its sign, its bytes, and whether it ends with a line end.
type PatchLine<'l> = (u8, &'l [u8], bool);

fn write_file(
    path: &FilePath,
    text: &LinedText,
    edits: &[&LineEdit],
    out: &mut dyn Write,
) -> io::Result<()> {
    if edits.is_empty() {
        return Ok(());
    }
    let lines = text.lines();
    // The text after the last line end counts as a line only if there is any.
    let n_lines = lines.n_lines() - u32::from(text.is_empty() || text.ends_with(b"\n"));
    writeln!(out, "--- {}\n+++ {}", named("a", path), named("b", path))?;
    let mut shift = 0i64;
    // Edits whose contexts meet are one hunk.
    let n_between = |a: &LineEdit, b: &LineEdit| b.lines.start.saturating_sub(a.lines.end);
    for group in edits.chunk_by(|a, b| n_between(a, b) <= 2 * HUNK_CONTEXT) {
        let first = group[0].lines.start.saturating_sub(HUNK_CONTEXT).max(1);
        let last = (group[group.len() - 1].lines.end + HUNK_CONTEXT).min(n_lines + 1);
        let mut body: Vec<PatchLine<'_>> = Vec::new();
        let has_carriage_return = text[lines.range(first)].ends_with(b"\r\n");
        let mut line = first;
        for edit in group {
            body.extend((line..edit.lines.start).map(|line| own_line(b' ', text, line)));
            body.extend(edit.lines.clone().map(|line| own_line(b'-', text, line)));
            body.extend(new_lines(edit).map(|line| (b'+', line, true)));
            line = edit.lines.end;
        }
        body.extend((line..last).map(|line| own_line(b' ', text, line)));
        let n_old = body.iter().filter(|(sign, ..)| *sign != b'+').count() as i64;
        let n_new = body.iter().filter(|(sign, ..)| *sign != b'-').count() as i64;
        // Of no lines, the one before is named.
        let old = i64::from(first) - i64::from(n_old == 0);
        let new = i64::from(first) + shift - i64::from(n_new == 0);
        writeln!(out, "@@ -{old},{n_old} +{new},{n_new} @@")?;
        for (sign, bytes, has_end) in body {
            out.write_all(&[sign])?;
            out.write_all(bytes)?;
            out.write_all(if sign == b'+' && has_carriage_return { b"\r\n" } else { b"\n" })?;
            if !has_end {
                out.write_all(b"\\ No newline at end of file\n")?;
            }
        }
        shift += n_new - n_old;
    }
    Ok(())
}

/// A line of the copy.
fn own_line(sign: u8, text: &LinedText, line: u32) -> PatchLine<'_> {
    let bytes = &text[text.lines().range(line)];
    (sign, bytes.strip_suffix(b"\n").unwrap_or(bytes), bytes.ends_with(b"\n"))
}

/// The name of a file on a side of a patch, quoted as git does if it has bytes that are not plain.
fn named(side: &str, path: &FilePath) -> String {
    let quoted = path.as_bytes().iter().map(|byte| match byte {
        b'"' | b'\\' => format!("\\{}", char::from(*byte)),
        b' '..=b'~' => char::from(*byte).to_string(),
        byte => format!("\\{byte:03o}"),
    });
    let quoted: String = quoted.collect();
    if quoted.contains('\\') {
        format!("\"{side}/{quoted}\"")
    } else {
        format!("{side}/{}", printable(quoted))
    }
}
