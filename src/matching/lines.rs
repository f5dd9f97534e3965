//! Finds the lines that a change adds to a file, as git and code hosts count them.

use std::collections::HashSet;

use imara_diff::{Algorithm, Diff, InternedInput};

/// For each line of `head`, counted from 0, whether the change from `base` surely adds it.
///
/// Where a change can be told in several ways, code hosts tell it in theirs, and an annotation on a
/// line that they do not call added is not shown. So a line counts only if Myers's diff, its
/// minimal form and histogram diff, each with git's indent heuristic, all add it; and where
/// lines were replaced rather than added, only if base has no line equal to it.
pub fn added_lines(base: &[u8], head: &[u8]) -> Vec<bool> {
    let input = InternedInput::new(base, head);
    let of_base: HashSet<_> = input.before.iter().copied().collect();
    let mut added = vec![true; input.after.len()];
    for algorithm in [Algorithm::Myers, Algorithm::MyersMinimal, Algorithm::Histogram] {
        let mut diff = Diff::compute(algorithm, &input);
        diff.postprocess_lines(&input);
        for (line, is_added) in added.iter_mut().enumerate() {
            *is_added &= diff.is_added(line as u32);
        }
        for hunk in diff.hunks().filter(|hunk| hunk.before.len() * REPLACED >= hunk.after.len()) {
            let lines = hunk.after.start as usize..hunk.after.end as usize;
            for (is_added, line) in added[lines.clone()].iter_mut().zip(&input.after[lines]) {
                *is_added &= !of_base.contains(line);
            }
        }
    }
    added
}

/// A hunk that removes at least one line for this many added ones replaces code.
const REPLACED: usize = 4;

/// The longest run of added lines within `lines` (from 1, inclusive); the first of several.
pub fn longest_run(added: &[bool], lines: std::ops::RangeInclusive<u32>) -> Option<(u32, u32)> {
    let mut longest: Option<(u32, u32)> = None;
    let mut run: Option<(u32, u32)> = None;
    for line in lines {
        run = match (added.get(line as usize - 1), run) {
            (Some(true), Some((first, _))) => Some((first, line)),
            (Some(true), None) => Some((line, line)),
            _ => None,
        };
        let is_longer = |run: (u32, u32)| longest.is_none_or(|(first, last)| run.1 - run.0 > last - first);
        if run.is_some_and(is_longer) {
            longest = run;
        }
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_run_of_added_lines_is_found() {
        let added = added_lines(b"a\nb\nc\n", b"a\nx\nb\ny\nz\nc\n");
        assert_eq!(added, [false, true, false, true, true, false]);
        assert_eq!(longest_run(&added, 1..=6), Some((4, 5)));
        assert_eq!(longest_run(&added, 1..=3), Some((2, 2)));
        assert_eq!(longest_run(&added, 3..=3), None);
    }
}
