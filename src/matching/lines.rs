//! Finds the lines that a change adds to a file, as git and code hosts count them.

use std::collections::HashSet;
use std::ops::{Range, RangeInclusive};

use imara_diff::{Algorithm, Diff, Hunk, InternedInput, Token};

/// How certain it is that the change from base adds a line, as counted by git and code hosts.
///
/// If a change can be described in several ways, a code host picks its own, and does not show an annotation on a line
/// that it does not consider added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Added {
    /// Git's default diff does not add it.
    No,
    /// Git's default diff adds it: Myers's, with the indent heuristic.
    ByDefault,
    /// Myers's diff, its minimal form and histogram diff, each with git's indent heuristic, all add it, at whichever
    /// position an ambiguous insertion is put; and if lines were replaced rather than added, base has no line equal to
    /// it.
    Surely,
}

/// For each line of `head`, counted from 0, how certain it is that the change from `base` adds it.
pub fn added_lines(base: &[u8], head: &[u8]) -> Vec<Added> {
    let input = InternedInput::new(base, head);
    let of_base: HashSet<_> = input.before.iter().copied().collect();
    let mut added = vec![Added::Surely; input.after.len()];
    let n_cells = n_cells(&input);
    let default = default_algorithm(n_cells);
    // The minimal form takes time in proportion to the cells, so large rewrites go without.
    let others = [Algorithm::MyersMinimal, Algorithm::Histogram].into_iter();
    let others = others.filter(|&of| of != default && (of == Algorithm::Histogram || n_cells <= MAX_MINIMAL_CELLS));
    for algorithm in std::iter::once(default).chain(others) {
        let mut diff = Diff::compute(algorithm, &input);
        diff.postprocess_lines(&input);
        let is_default = algorithm == default;
        for (line, added) in added.iter_mut().enumerate() {
            if !diff.is_added(line as u32) {
                *added = (*added).min(if is_default { Added::No } else { Added::ByDefault });
            }
        }
        let hunks: Vec<Hunk> = diff.hunks().collect();
        for (at, hunk) in hunks.iter().enumerate().filter(|(_, hunk)| hunk.before.is_empty()) {
            let earliest = at.checked_sub(1).map_or(0, |before| hunks[before].after.end as usize);
            let latest = hunks.get(at + 1).map_or(added.len(), |after| after.after.start as usize);
            for line in slid_over(&input.after, hunk.after.start as usize..hunk.after.end as usize, earliest, latest) {
                added[line] = added[line].min(Added::ByDefault);
            }
        }
        for hunk in hunks.iter().filter(|hunk| hunk.before.len() * REPLACED >= hunk.after.len()) {
            let lines = hunk.after.start as usize..hunk.after.end as usize;
            for (added, line) in added[lines.clone()].iter_mut().zip(&input.after[lines]) {
                if of_base.contains(line) {
                    *added = (*added).min(Added::ByDefault);
                }
            }
        }
    }
    added
}

/// Maximum changed lines of the base times changed lines of the head for Myers's diff: more takes seconds.
const MAX_CELLS: usize = 1 << 28;
/// The same for its minimal form.
const MAX_MINIMAL_CELLS: usize = 1 << 24;

/// Git's default diff, Myers's, or a histogram diff, which takes time that grows with the lines, for the largest
/// rewrites. Of many lines in another order it finds less in common.
pub(super) fn default_algorithm(n_cells: usize) -> Algorithm {
    if n_cells > MAX_CELLS { Algorithm::Histogram } else { Algorithm::Myers }
}

/// The lines of the base times the lines of the head between the first and the last that differ.
pub(super) fn n_cells<T: Eq + std::hash::Hash>(input: &InternedInput<T>) -> usize {
    let (before, after) = (&input.before, &input.after);
    let n_first = before.iter().zip(after).take_while(|(a, b)| a == b).count();
    let rest = before[n_first..].iter().rev().zip(after[n_first..].iter().rev());
    let n_equal = n_first + rest.take_while(|(a, b)| a == b).count();
    (before.len() - n_equal).saturating_mul(after.len() - n_equal)
}

/// The lines that are no longer inserted if the insertion `hunk` is put at another possible position between `earliest`
/// and `latest`.
fn slid_over(
    lines: &[Token],
    hunk: Range<usize>,
    earliest: usize,
    latest: usize,
) -> impl Iterator<Item = usize> + use<> {
    let (start, end) = (hunk.start, hunk.end);
    let n_up = (1..=start - earliest).take_while(|n| lines[start - n] == lines[end - n]).count();
    let n_down = (0..latest - end).take_while(|n| lines[start + n] == lines[end + n]).count();
    let slides = n_up + n_down >= FAR;
    hunk.filter(move |&line| slides && (line < start + n_down || line + n_up >= end))
}

/// Maximum lines by which an insertion can be moved, over ends of blocks and blank lines, and all diffs agree on its
/// position.
const FAR: usize = 6;

/// Minimum removed lines of a hunk, as one per this many added ones, for it to count as replacing code.
const REPLACED: usize = 4;

/// Where a code host shows an annotation for `lines` (from 1, inclusive): the longest run of lines that are added with
/// the highest certainty found there; the first of several. `None` if the change adds none of them.
pub fn shown_lines(added: &[Added], lines: RangeInclusive<u32>) -> Option<(u32, u32)> {
    let of_line = |line: u32| added.get(line as usize - 1).copied().unwrap_or(Added::No);
    let surest = lines.clone().map(of_line).max().filter(|&added| added > Added::No)?;
    let mut longest: Option<(u32, u32)> = None;
    let mut run: Option<(u32, u32)> = None;
    for line in lines {
        run = match run {
            _ if of_line(line) < surest => None,
            Some((first, _)) => Some((first, line)),
            None => Some((line, line)),
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
    fn the_longest_run_of_added_lines_is_shown() {
        let added = added_lines(b"a\nb\nc\n", b"a\nx\nb\ny\nz\nc\n");
        let is_added: Vec<bool> = added.iter().map(|&added| added == Added::Surely).collect();
        assert_eq!(is_added, [false, true, false, true, true, false]);
        assert_eq!(shown_lines(&added, 1..=6), Some((4, 5)));
        assert_eq!(shown_lines(&added, 1..=3), Some((2, 2)));
    }

    #[test]
    fn where_no_line_was_added_none_is_shown() {
        let added = added_lines(b"a\nb\nc\nd\n", b"x\na\nb\nc\ny\nd\n");
        assert_eq!(shown_lines(&added, 2..=3), None);
        assert_eq!(shown_lines(&added, 3..=5), Some((5, 5)));
        assert_eq!(shown_lines(&added_lines(b"a\nb\n", b"a\n"), 1..=1), None);
    }

    #[test]
    fn a_surely_added_line_is_shown_before_one_that_may_be_told_otherwise() {
        let added = [Added::ByDefault, Added::ByDefault, Added::No, Added::Surely];
        assert_eq!(shown_lines(&added, 1..=4), Some((4, 4)));
        assert_eq!(shown_lines(&added, 1..=3), Some((1, 2)));
    }

    #[test]
    fn lines_that_another_place_of_the_insertion_leaves_out_are_not_sure() {
        // `x y ABCDEF` may be put before `ABCDEF` or after it.
        let lines = |text: &str| text.split("").collect::<Vec<_>>().join("\n");
        let added = added_lines(lines("qABCDEFr").as_bytes(), lines("qABCDEFxyABCDEFr").as_bytes());
        assert_eq!(added.iter().filter(|&&added| added == Added::Surely).count(), 2);
        assert_eq!(shown_lines(&added, 1..=16), Some((9, 10)));
    }
}
