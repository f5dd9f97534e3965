//! Writes the difference of two texts as a unified diff, which `git apply` and `patch` read.

use std::ops::Range;

use imara_diff::{Diff, Hunk, InternedInput};

use super::lines::{DEFAULT, diff_hunks};

/// Number of context lines around a change: two with at most twice as many between are one hunk.
pub const HUNK_CONTEXT: u32 = 3;

/// The unified diff from `old` to `new`, the file at `path`; bytes that are not UTF-8 are replaced.
/// Time O(n √n).
pub fn unified(path: &str, old: &[u8], new: &[u8]) -> String {
    let input = InternedInput::new(old, new);
    let hunks = diff_hunks(&input, DEFAULT, Diff::postprocess_lines);
    let [old, new] = [old, new].map(|text| {
        let lines = text.split_inclusive(|&byte| byte == b'\n');
        lines.map(|line| String::from_utf8_lossy(line).into_owned()).collect::<Vec<String>>()
    });
    let mut written = format!("diff --git a/{path} b/{path}\n--- a/{path}\n+++ b/{path}\n");
    // Hunks whose contexts touch are one.
    for group in hunks.chunk_by(|a, b| b.before.start - a.before.end <= 2 * HUNK_CONTEXT) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let n_above = first.before.start.min(HUNK_CONTEXT);
        let end = (last.before.end + HUNK_CONTEXT).min(old.len() as u32);
        let n_below = end - last.before.end;
        let from = (first.before.start - n_above, first.after.start - n_above);
        let n = (end - from.0, last.after.end + n_below - from.1);
        let (old_at, new_at) = (from.0 + u32::from(n.0 > 0), from.1 + u32::from(n.1 > 0));
        written.push_str(&format!("@@ -{old_at},{} +{new_at},{} @@\n", n.0, n.1));
        let mut kept = from.0;
        for hunk in group {
            let Hunk { before, after } = hunk.clone();
            write_lines(' ', &old, kept..before.start, &mut written);
            write_lines('-', &old, before.clone(), &mut written);
            write_lines('+', &new, after, &mut written);
            kept = before.end;
        }
        write_lines(' ', &old, kept..end, &mut written);
    }
    written
}

fn write_lines(sign: char, lines: &[String], range: Range<u32>, out: &mut String) {
    for text in &lines[range.start as usize..range.end as usize] {
        out.push(sign);
        out.push_str(text);
        if !text.ends_with('\n') {
            out.push_str("\n\\ No newline at end of file\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diff_has_three_lines_of_context_and_counts_its_lines() {
        let diff =
            unified("a.c", b"1\n2\n3\n4\n5\n6\n7\n8\n9\n", b"1\n2\n3\n4\nx\ny\n6\n7\n8\n9\n");
        let expected = "diff --git a/a.c b/a.c\n--- a/a.c\n+++ b/a.c\n@@ -2,7 +2,8 @@\n 2\n 3\n 4\n-5\n+x\n+y\n 6\n 7\n 8\n";
        assert_eq!(diff, expected);
    }

    #[test]
    fn changes_far_apart_are_two_hunks_and_a_missing_newline_is_marked() {
        let diff = unified("a.c", b"a\n1\n2\n3\n4\n5\n6\n7\nb", b"1\n2\n3\n4\n5\n6\n7\nc");
        let end = "-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file\n";
        let hunks = ["@@ -1,4 +1,3 @@\n-a\n", "@@ -6,4 +5,4 @@\n"];
        assert!(hunks.iter().all(|hunk| diff.contains(hunk)) && diff.ends_with(end), "{diff}");
    }
}
