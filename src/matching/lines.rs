//! Finds the lines that a change adds to a file, as git and code hosts count them.

use std::collections::HashSet;
use std::ops::{Range, RangeInclusive};

use imara_diff::{Algorithm, Diff, Hunk, InternedInput, Token};

/// How surely the change from base adds a line, as git and code hosts count it.
///
/// Where a change can be told in several ways, code hosts tell it in theirs, and an annotation on a
/// line that they do not call added is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Added {
    /// Git's default diff does not add it.
    No,
    /// Git's default diff adds it: Myers's, with the indent heuristic.
    ByDefault,
    /// Myers's diff, its minimal form and histogram diff, each with git's indent heuristic, all add
    /// it, wherever an insertion is put that could stand in several places; and where lines were replaced rather than
    /// added, base has no line equal to it.
    Surely,
}

/// For each line of `head`, counted from 0, how surely the change from `base` adds it.
pub fn added_lines(base: &[u8], head: &[u8]) -> Vec<Added> {
    let input = InternedInput::new(base, head);
    let of_base: HashSet<_> = input.before.iter().copied().collect();
    let mut added = vec![Added::Surely; input.after.len()];
    for algorithm in [Algorithm::Myers, Algorithm::MyersMinimal, Algorithm::Histogram] {
        let mut diff = Diff::compute(algorithm, &input);
        diff.postprocess_lines(&input);
        let is_default = algorithm == Algorithm::Myers;
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

/// The lines of the insertion `hunk` that are not inserted when it is put in another place where it could stand as well,
/// between `earliest` and `latest`.
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

/// Lines that an insertion may be moved by, over the ends of blocks and blank lines, and all diffs put it in the same place.
const FAR: usize = 6;

/// A hunk that removes at least one line for this many added ones replaces code.
const REPLACED: usize = 4;

/// Where a code host shows what is said of `lines` (from 1, inclusive): the longest run of lines that are
/// added at least as surely as any there, the first of several. None when the change adds no line of them.
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
        // `x y ABCDEF` may be put before `ABCDEF` as well as behind it.
        let lines = |text: &str| text.split("").collect::<Vec<_>>().join("\n");
        let added = added_lines(lines("qABCDEFr").as_bytes(), lines("qABCDEFxyABCDEFr").as_bytes());
        assert_eq!(added.iter().filter(|&&added| added == Added::Surely).count(), 2);
        assert_eq!(shown_lines(&added, 1..=16), Some((9, 10)));
    }
}
