//! Finds the lines that a change adds to a file, as git and code hosts count them.

use imara_diff::{Algorithm, Diff, InternedInput};

/// For each line of `head`, counted from 0, whether the change from `base` adds it.
///
/// Myers's diff with the indent heuristic, as `git diff` has it by default.
pub(super) fn added_lines(base: &[u8], head: &[u8]) -> Vec<bool> {
    let input = InternedInput::new(base, head);
    let mut diff = Diff::compute(Algorithm::Myers, &input);
    diff.postprocess_lines(&input);
    (0..input.after.len() as u32).map(|line| diff.is_added(line)).collect()
}

/// The longest run of added lines within `lines` (from 1, inclusive); the first of several.
pub(super) fn longest_run(added: &[bool], lines: std::ops::RangeInclusive<u32>) -> Option<(u32, u32)> {
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
