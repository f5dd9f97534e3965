//! Traces the tokens of a changed file back to base: kept where they were, or moved from elsewhere.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::matching::Alignment;

/// The base tokens that the tokens of a head file were before the change.
///
/// Invariant: the runs are sorted by their position in the head, and no two share a token.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in crate::audit) struct Traces {
    runs: Vec<Trace>,
    /// The predecessor of this file, and its number of tokens, for edits at an end of the file.
    own: Option<(usize, usize)>,
}

/// A run of tokens of the head, and what it was in the base file number `file`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Trace {
    at: usize,
    len: usize,
    file: usize,
    from: usize,
}

impl Traces {
    /// What a file `kept` of its predecessor, the base file number `file` with `n_tokens`.
    pub fn kept(kept: &Alignment, file: usize, n_tokens: usize) -> Self {
        let runs = kept.blocks.iter().map(|block| Trace {
            at: block.query as usize,
            len: block.len as usize,
            file,
            from: block.target as usize,
        });
        Self { runs: runs.collect(), own: Some((file, n_tokens)) }
    }

    /// Adds what was moved here: for each token, the base file and the position there, if it was.
    pub fn add_moved(&mut self, moved: &[Option<(usize, usize)>]) {
        for (at, was) in moved.iter().enumerate() {
            let Some((file, from)) = *was else { continue };
            match self.runs.last_mut() {
                Some(run)
                    if run.file == file && run.at + run.len == at && run.from + run.len == from =>
                {
                    run.len += 1;
                }
                _ => self.runs.push(Trace { at, len: 1, file, from }),
            }
        }
        self.runs.sort_unstable_by_key(|run| run.at);
    }

    /// The tokens of the base file number `file` that this file has, in no order.
    pub fn tokens_of(&self, file: usize) -> impl Iterator<Item = Range<usize>> + '_ {
        self.runs.iter().filter(move |run| run.file == file).map(|run| run.from..run.from + run.len)
    }

    /// What `range` was before: a part of a base file, by number; `None` if there was nothing.
    ///
    /// The part extends as far as the tokens around `range` allow, since the head no longer has
    /// what the change replaced: in `a X Y b`, which was `a P Q R b`, `X` and `Y` were `P Q R`.
    /// Only what is `gone` was replaced, given a base file and a position: what the head has
    /// elsewhere is not. If the tokens come from several files, the file with most of them counts.
    pub fn before(
        &self,
        range: Range<usize>,
        gone: impl Fn(usize, usize) -> bool,
    ) -> Option<(usize, Range<usize>)> {
        let first = self.runs.partition_point(|run| run.at + run.len <= range.start);
        let behind = self.runs.partition_point(|run| run.at < range.end);
        let within = self.runs[first..behind].iter().map(|run| {
            let (start, end) = (run.at.max(range.start), (run.at + run.len).min(range.end));
            Trace { at: start, len: end - start, file: run.file, from: run.from + (start - run.at) }
        });
        let mut within: Vec<Trace> = within.collect();

        // What is next to the range, and what it was: the ends of the file at its ends.
        let before = match within.first() {
            Some(run) if run.at == range.start => Some((run.file, run.from)),
            _ => match first.checked_sub(1).map(|at| self.runs[at]) {
                Some(run) => Some((run.file, run.from + run.len)),
                None => self.own.map(|(file, _)| (file, 0)),
            },
        };
        let after = match within.last() {
            Some(run) if run.at + run.len == range.end => Some((run.file, run.from + run.len)),
            _ => match self.runs.get(behind.max(first)) {
                Some(run) => Some((run.file, run.from)),
                None => self.own,
            },
        };

        let mut n_of: BTreeMap<usize, usize> = BTreeMap::new();
        within.iter().for_each(|run| *n_of.entry(run.file).or_default() += run.len);
        let file = n_of.into_iter().max_by_key(|&(file, n)| (n, std::cmp::Reverse(file)));
        let Some((file, _)) = file else {
            let ((file, start), (other, end)) = (before?, after?);
            if file != other || start >= end {
                return None;
            }
            let n_behind_start = (start..end).take_while(|&at| gone(file, at)).count();
            let n_before_end = (start..end).rev().take_while(|&at| gone(file, at)).count();
            let replaced = if n_behind_start >= n_before_end {
                start..start + n_behind_start
            } else {
                end - n_before_end..end
            };
            return (!replaced.is_empty()).then_some((file, replaced));
        };
        within.retain(|run| run.file == file);
        let start = within.iter().map(|run| run.from).min()?;
        let end = within.iter().map(|run| run.from + run.len).max()?;
        let from = before
            .filter(|&(of, from)| of == file && from <= start)
            .map_or(start, |(_, from)| from);
        let to = after.filter(|&(of, to)| of == file && to >= end).map_or(end, |(_, to)| to);
        let start = start - (from..start).rev().take_while(|&at| gone(file, at)).count();
        let end = end + (end..to).take_while(|&at| gone(file, at)).count();
        Some((file, start..end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `a X Y b c`, which was `a P Q R b` and, in another file, `c`.
    fn traces() -> Traces {
        let mut traces = Traces::kept(&[(0, 0), (3, 4)].into_iter().collect(), 1, 5);
        traces.add_moved(&[None, None, None, None, Some((7, 20)), None]);
        traces
    }

    fn all(_: usize, _: usize) -> bool {
        true
    }

    #[test]
    fn what_was_replaced_is_what_an_edit_was() {
        assert_eq!(traces().before(1..3, all), Some((1, 1..4)));
        assert_eq!(traces().before(0..2, all), Some((1, 0..4)));
        // What the head has elsewhere was not.
        assert_eq!(traces().before(1..3, |_, at| at == 3), Some((1, 3..4)));
        assert_eq!(traces().before(1..3, |_, _| false), None);
        assert_eq!(traces().before(0..2, |_, at| at == 1), Some((1, 0..2)));
        // Of two files, the one with more of it counts.
        assert_eq!(traces().before(0..5, all), Some((1, 0..5)));
        assert_eq!(traces().before(4..5, all), Some((7, 20..21)));
        // An insertion was nothing.
        let traces = Traces::kept(&[(0, 0), (3, 1)].into_iter().collect(), 0, 2);
        assert_eq!(traces.before(1..3, all), None);
    }

    #[test]
    fn an_edit_at_an_end_of_the_file_was_what_the_file_ended_with() {
        let traces = Traces::kept(&[(2, 3)].into_iter().collect(), 0, 9);
        assert_eq!(traces.before(0..2, all), Some((0, 0..3)));
        assert_eq!(traces.before(3..8, all), Some((0, 4..9)));
        assert_eq!(Traces::default().before(0..4, all), None);
    }
}
