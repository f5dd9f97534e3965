//! Finds the lines that a change adds to a file, as git and code hosts count them.

use std::hash::Hash;
use std::ops::{Range, RangeInclusive};

use foldhash::HashSet;
use imara_diff::{Algorithm, Diff, Hunk, InternedInput, Token};

use crate::text::{common_prefix_by, common_suffix_by};

/// How certain it is that the change from base adds a line, as counted by git and code hosts.
///
/// If a change can be described in several ways, a code host picks its own, and does not show an
/// annotation on a line that it does not consider added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AddedLines {
    /// Git's default diff does not add it.
    No,
    /// Git's default diff adds it: Myers's, with the indent heuristic.
    ByDefault,
    /// Myers's diff, its minimal form and histogram diff, each with git's indent heuristic, all add
    /// it, at whichever position an ambiguous insertion is put; and if lines were replaced rather
    /// than added, base has no line equal to it.
    Surely,
}

/// For each line of `head`, counted from 0, how certain it is that the change from `base` adds it.
pub fn added_lines(base: &[u8], head: &[u8]) -> Vec<AddedLines> {
    let input = InternedInput::new(base, head);
    let of_base: HashSet<_> = input.before.iter().copied().collect();
    let n_lines = input.after.len() as u32;
    let mut added = vec![AddedLines::Surely; input.after.len()];
    for algorithm in [DEFAULT, Algorithm::MyersMinimal, Algorithm::Histogram] {
        let hunks = line_hunks(&input, algorithm, Diff::postprocess_lines);
        let otherwise = if algorithm == DEFAULT { AddedLines::No } else { AddedLines::ByDefault };
        let mut line = 0;
        let end = std::iter::once(n_lines..n_lines);
        for lines in hunks.iter().map(|hunk| hunk.after.clone()).chain(end) {
            for added in &mut added[line..lines.start as usize] {
                *added = (*added).min(otherwise);
            }
            line = lines.end as usize;
        }
        for (at, hunk) in hunks.iter().enumerate().filter(|(_, hunk)| hunk.before.is_empty()) {
            let earliest = at.checked_sub(1).map_or(0, |before| hunks[before].after.end as usize);
            let latest = hunks.get(at + 1).map_or(added.len(), |after| after.after.start as usize);
            let lines = hunk.after.start as usize..hunk.after.end as usize;
            for line in slid_over(&input.after, lines, earliest, latest) {
                added[line] = added[line].min(AddedLines::ByDefault);
            }
        }
        for hunk in hunks.iter().filter(|hunk| hunk.before.len() * REPLACED >= hunk.after.len()) {
            let lines = hunk.after.start as usize..hunk.after.end as usize;
            for (added, line) in added[lines.clone()].iter_mut().zip(&input.after[lines]) {
                if of_base.contains(line) {
                    *added = (*added).min(AddedLines::ByDefault);
                }
            }
        }
    }
    added
}

/// Git's default diff (Myers 1986).
pub(super) const DEFAULT: Algorithm = Algorithm::Myers;

/// Maximum changed lines of the base times changed lines of the head that a diff gets as a whole:
/// more takes seconds.
fn max_cells(algorithm: Algorithm) -> usize {
    if algorithm == DEFAULT { 1 << 28 } else { 1 << 24 }
}

/// What a line diff changes, once `postprocess` has put each change where it is read best.
///
/// Diffs take time that grows with the lines times the edits. So of a change that is too large, the
/// lines that each side has once are aligned first, as many as are in the same order (patience
/// diff), and then what is between them. If that is still too large, as where lines were put into
/// another order, it gets a histogram diff, which finds less in common.
pub(super) fn line_hunks<L: Copy + Default + Eq + Hash>(
    input: &InternedInput<L>,
    algorithm: Algorithm,
    postprocess: impl Fn(&mut Diff, &InternedInput<L>),
) -> Vec<Hunk> {
    if n_cells(input) <= max_cells(algorithm) {
        return diff_hunks(input, algorithm, postprocess);
    }
    let mut hunks = Vec::new();
    let end = (input.before.len(), input.after.len());
    let mut from = (0, 0);
    for anchor in lines_in_order(input).into_iter().chain([end]) {
        let mut part = InternedInput::default();
        part.update_before(input.before[from.0..anchor.0].iter().map(|&line| input.interner[line]));
        part.update_after(input.after[from.1..anchor.1].iter().map(|&line| input.interner[line]));
        let algorithm =
            if n_cells(&part) > max_cells(algorithm) { Algorithm::Histogram } else { algorithm };
        let of_part = diff_hunks(&part, algorithm, &postprocess).into_iter();
        hunks.extend(of_part.map(|hunk| Hunk {
            before: moved_on(hunk.before, from.0),
            after: moved_on(hunk.after, from.1),
        }));
        from = (anchor.0 + 1, anchor.1 + 1);
    }
    hunks
}

pub(super) fn diff_hunks<L: Hash + Eq>(
    input: &InternedInput<L>,
    algorithm: Algorithm,
    postprocess: impl Fn(&mut Diff, &InternedInput<L>),
) -> Vec<Hunk> {
    let mut diff = Diff::compute(algorithm, input);
    postprocess(&mut diff, input);
    diff.hunks().collect()
}

fn moved_on(lines: Range<u32>, n: usize) -> Range<u32> {
    lines.start + n as u32..lines.end + n as u32
}

/// The lines that the base and the head have once each, as many as are in the same order in both:
/// their numbers in the base and the head.
fn lines_in_order<L: Eq + Hash>(input: &InternedInput<L>) -> Vec<(usize, usize)> {
    // For each line, how often either side has it, and where last.
    let mut places = vec![[(0, 0); 2]; input.interner.num_tokens() as usize];
    for (side, lines) in [&input.before, &input.after].into_iter().enumerate() {
        for (at, line) in lines.iter().enumerate() {
            let (n, place) = &mut places[line.0 as usize][side];
            (*n, *place) = (*n + 1, at);
        }
    }
    let mut once: Vec<(usize, usize)> = places.iter().filter_map(place_of_one).collect();
    once.sort_unstable();
    longest_ascent(&once)
}

/// Where both sides have what each has once, by how often each has it, and where last.
pub(super) fn place_of_one([base, head]: &[(u32, usize); 2]) -> Option<(usize, usize)> {
    (base.0 == 1 && head.0 == 1).then_some((base.1, head.1))
}

/// The longest subsequence of pairs that ascend in the first place that also ascends in the second
/// (Schensted 1961).
pub(super) fn longest_ascent(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // For each length, the pair that ends a subsequence of it lowest; for each pair, the one before
    // it.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (number, pair) in pairs.iter().enumerate() {
        let length = ends.partition_point(|&end| pairs[end].1 < pair.1);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        if length == ends.len() { ends.push(number) } else { ends[length] = number }
    }
    let mut ascent: Vec<_> =
        std::iter::successors(ends.last().copied(), |&at| before[at]).map(|at| pairs[at]).collect();
    ascent.reverse();
    ascent
}

/// The lines of the base times the lines of the head between the first and the last that differ.
fn n_cells<L>(input: &InternedInput<L>) -> usize {
    let (before, after) = (&input.before, &input.after);
    let n_first = common_prefix_by(before, after, |a, b| a == b);
    let n_equal = n_first + common_suffix_by(&before[n_first..], &after[n_first..], |a, b| a == b);
    (before.len() - n_equal).saturating_mul(after.len() - n_equal)
}

/// The lines that are no longer inserted if the insertion `hunk` is put at another possible
/// position between `earliest` and `latest`.
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

/// Maximum lines by which an insertion can be moved, over ends of blocks and blank lines, and all
/// diffs agree on its position.
const FAR: usize = 6;

/// Minimum removed lines of a hunk, as one per this many added ones, for it to count as replacing
/// code.
const REPLACED: usize = 4;

/// Where a code host shows an annotation for `lines` (from 1, inclusive): the longest run of lines
/// that are added with the highest certainty found there; the first of several. `None` if the
/// change adds none of them.
pub fn shown_lines(added: &[AddedLines], lines: RangeInclusive<u32>) -> Option<(u32, u32)> {
    let lines = lines.map(|line| (line, *added.get(line as usize - 1).unwrap_or(&AddedLines::No)));
    let (_, surest) = lines.clone().max_by_key(|(_, added)| *added)?;
    let mut longest: Option<(u32, u32)> = None;
    let mut run: Option<(u32, u32)> = None;
    for (line, added) in lines {
        let is_shown = added == surest && surest > AddedLines::No;
        run = is_shown.then(|| (run.map_or(line, |(first, _)| first), line));
        if let Some((first, last)) = run
            && longest.is_none_or(|longest| last - first > longest.1 - longest.0)
        {
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
        let is_added: Vec<bool> = added.iter().map(|&added| added == AddedLines::Surely).collect();
        assert_eq!(is_added, [false, true, false, true, true, false]);
        assert_eq!(shown_lines(&added, 1..=6), Some((4, 5)));
        assert_eq!(shown_lines(&added, 1..=3), Some((2, 2)));
        assert_eq!(shown_lines(&added, 3..=3), None);
    }

    #[test]
    fn the_lines_put_into_a_file_that_is_too_large_for_one_diff_are_those_that_are_added() {
        // More than 2^28 cells, and each third line is in the file a hundred times.
        let old = |at: usize| match at % 3 {
            0 => format!("}} // {}\n", at % 500),
            _ => format!("line {at};\n"),
        };
        let base: String = (0..12_000).map(old).collect();
        let head: String = (0..12_000).map(|at| old(at) + "trace(here);\n").collect();
        let added = added_lines(base.as_bytes(), head.as_bytes());
        let is_put = |(at, added)| (added > AddedLines::No) == (at % 2 == 1);
        assert!(added.into_iter().enumerate().all(is_put));
    }

    #[test]
    fn a_surely_added_line_is_shown_before_one_that_may_be_told_otherwise() {
        let added =
            [AddedLines::ByDefault, AddedLines::ByDefault, AddedLines::No, AddedLines::Surely];
        assert_eq!(shown_lines(&added, 1..=4), Some((4, 4)));
        assert_eq!(shown_lines(&added, 1..=3), Some((1, 2)));
    }

    #[test]
    fn lines_that_another_place_of_the_insertion_leaves_out_are_not_sure() {
        // `x y ABCDEF` may be put before `ABCDEF` or after it.
        let lines = |text: &str| text.split("").collect::<Vec<_>>().join("\n");
        let added = added_lines(lines("qABCDEFr").as_bytes(), lines("qABCDEFxyABCDEFr").as_bytes());
        assert_eq!(added.iter().filter(|&&added| added == AddedLines::Surely).count(), 2);
        assert_eq!(shown_lines(&added, 1..=16), Some((9, 10)));
    }
}
