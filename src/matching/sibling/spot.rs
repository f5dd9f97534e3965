//! Compares the place of an edit with the place of a sibling that corresponds to it.

use std::collections::BTreeMap;
use std::ops::Range;

use foldhash::{HashMap, HashMapExt};

use super::edit::Edit;
use super::renaming::Renaming;
use crate::language::{Kind, Token};
use crate::matching::alignment::Alignment;

/// Number of tokens on either side of an edit to compare with those of a sibling.
const AROUND: usize = 40;

/// The place of a sibling that corresponds to an edit, and how much both have in common there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Spot {
    /// The tokens of the sibling between the neighbors of the edit.
    pub target: Range<usize>,
    /// Tokens in a row that agree, right before the edit.
    pub n_left_run: usize,
    /// Likewise right behind it.
    pub n_right_run: usize,
    /// Whether the shorter of both runs is spelled the same.
    pub is_short_run_spelled: bool,
    /// Tokens that agree among the 40 before it and the 40 behind it.
    pub n_around: usize,
    /// Names and literals that are aligned there or within it, whether they agree or not.
    pub n_words: usize,
    /// Of these, those that are spelled the same.
    pub n_spelled: usize,
    /// Tokens in a row across the edit, with what it removed, that the sibling spells the same.
    pub n_verbatim: usize,
    /// Removed tokens that the sibling has at its place.
    pub n_removed_there: usize,
    /// Removed tokens aligned in order.
    pub n_removed_aligned: usize,
}

/// The place in a sibling that corresponds to `edit`, according to the alignment of `base` with `target`; `None` if one
/// of the neighbors of the edit is not aligned with it.
pub fn spot(edit: &Edit, alignment: &Alignment, renaming: &Renaming, base: &[Token], target: &[Token]) -> Option<Spot> {
    let removed = edit.removed();
    let around = removed.start.saturating_sub(AROUND)..(removed.end + AROUND).min(base.len());
    let near: Vec<(usize, usize)> = alignment.within(around).pairs().collect();
    let split = near.partition_point(|&(a, _)| a < removed.start);
    let behind = near.partition_point(|&(a, _)| a < removed.end);
    let (left, inside, right) = (&near[..split], &near[split..behind], &near[behind..]);
    let start = left.last().filter(|&&(a, _)| removed.start - a <= MAX_SKIPPED).map(|&(a, b)| (a + 1, b + 1));
    let end = right.first().filter(|&&(a, _)| a - removed.end < MAX_SKIPPED).copied();
    let (start, end) = match (start, end) {
        (Some(start), Some(end)) => (start, end),
        // At an end of what both have in common, the removed tokens themselves say where the place ends.
        (Some(start), None) => {
            (start, inside.last().filter(|&&(a, _)| a + 1 == removed.end).map(|&(a, b)| (a + 1, b + 1))?)
        }
        (None, Some(end)) => (inside.first().filter(|&&(a, _)| a == removed.start).copied()?, end),
        (None, None) => return None,
    };
    let place = start.1..end.1;
    let agrees = |&&(a, b): &&(usize, usize)| renaming.agrees(&base[a], &target[b]);
    let run =
        |pairs: &mut dyn Iterator<Item = &(usize, usize)>, step: fn(usize, usize) -> bool, first: (usize, usize)| {
            let mut last = first;
            let mut n = 0;
            for pair in pairs {
                if !step(last.0, pair.0) || !step(last.1, pair.1) || !agrees(&pair) {
                    break;
                }
                last = *pair;
                n += 1;
            }
            n
        };
    let n_left_run = run(&mut left.iter().rev(), |last, at| last == at + 1, (removed.start, place.start));
    let n_right_run =
        run(&mut right.iter(), |last, at| last + 1 == at, (removed.end.wrapping_sub(1), place.end.wrapping_sub(1)));
    let is_word = |at: usize| !matches!(base[at].kind(), Kind::Punctuation | Kind::Keyword);
    let words = || near.iter().filter(|&&(a, _)| is_word(a));
    let mut left_there: HashMap<u32, usize> = HashMap::new();
    for token in &target[place.clone()] {
        *left_there.entry(token.exact).or_default() += 1;
    }
    let mut n_removed_there = 0;
    for token in &base[removed.clone()] {
        let there = if left_there.get(&token.exact).is_some_and(|&n| n > 0) {
            Some(token.exact)
        } else {
            renaming.get(token.exact)
        };
        if let Some(n) = there.and_then(|there| left_there.get_mut(&there)).filter(|n| **n > 0) {
            *n -= 1;
            n_removed_there += 1;
        }
    }
    let is_spelled = |&(a, b): &(usize, usize)| base[a].exact == target[b].exact;
    let is_short_run_spelled = if n_left_run < n_right_run {
        left.iter().rev().take(n_left_run).all(is_spelled)
    } else {
        right.iter().take(n_right_run).all(is_spelled)
    };
    // A name that differs farther away does not make what is nearer less alike.
    let is_inside_spelled = inside.iter().filter(agrees).all(is_spelled);
    let verbatim_left = left.iter().rev().take(n_left_run).take_while(|pair| is_spelled(pair));
    let verbatim_right = right.iter().take(n_right_run).take_while(|pair| is_spelled(pair));
    let verbatim = verbatim_left.chain(inside.iter().filter(agrees)).chain(verbatim_right);
    let n_verbatim = verbatim.filter(|_| is_inside_spelled).count();
    Some(Spot {
        target: place,
        is_short_run_spelled,
        n_verbatim,
        n_left_run,
        n_right_run,
        n_around: left.iter().chain(right).filter(agrees).count(),
        n_words: words().count(),
        n_spelled: words().filter(|&&(a, b)| base[a].exact == target[b].exact).count(),
        n_removed_there,
        n_removed_aligned: inside.iter().filter(agrees).count(),
    })
}

/// Maximum tokens next to an edit that the sibling does not have.
const MAX_SKIPPED: usize = 4;

/// The part of the added words that `other` has already, in addition to those that `own` had before: 0 to 1. Close to 1
/// if the sibling was fixed before, perhaps in another way.
///
/// Words that `own` did not have at all say most: if there are any, the others do not count. In `.Bold(a&BOLD != 0)`,
/// where rows of `a&X != 0` are all around, only `Bold` and `BOLD` do.
pub fn has_already(added: &[Token], removed: &[Token], own: &[Token], other: &[Token], renaming: &Renaming) -> f64 {
    let is_word = |token: &&Token| token.kind() != Kind::Punctuation;
    let count = |tokens: &[Token], names: &dyn Fn(u32) -> u32| {
        let mut counts: BTreeMap<u32, i64> = BTreeMap::new();
        for token in tokens.iter().filter(is_word) {
            *counts.entry(names(token.exact)).or_default() += 1;
        }
        counts
    };
    let to = |name: u32| renaming.get(name).unwrap_or(name);
    let mut wanted = count(added, &to);
    for (name, n) in count(removed, &to) {
        if let Some(left) = wanted.get_mut(&name) {
            *left -= n;
        }
    }
    wanted.retain(|_, n| *n > 0);
    let (own, other) = (count(own, &to), count(other, &|name| name));
    if wanted.keys().any(|name| !own.contains_key(name)) {
        wanted.retain(|name, _| !own.contains_key(name));
    }
    let n_of = |counts: &BTreeMap<u32, i64>, name: &u32| counts.get(name).copied().unwrap_or(0);
    let n_wanted: i64 = wanted.values().sum();
    let n_had: i64 = wanted.iter().map(|(name, &n)| (n_of(&other, name) - n_of(&own, name)).clamp(0, n)).sum();
    if n_wanted == 0 { 0.0 } else { n_had as f64 / n_wanted as f64 }
}

/// Minimum tokens in a row across the place of an edit that agree. It is below the 16 tokens that show a missed edit by
/// itself: an edit may belong to others.
const MIN_RUN: usize = 14;
/// Minimum tokens that agree on both sides of an insertion: what it was put between. At the start or the end of what is
/// alike, fewer do if they are spelled the same.
const MIN_SIDE: usize = 5;
/// Minimum tokens on the longer side of such an insertion.
const MIN_LONGER_SIDE: usize = 8;

impl Spot {
    /// Whether the sibling still has what `edit` removed, and nothing else, at its place: without this, it is none.
    ///
    /// What is around on the other side of what they share may differ as it likes: the copy ends somewhere.
    pub fn is_alike(&self, edit: &Edit) -> bool {
        let n = edit.removed().len();
        let is_there = if n == 0 {
            let (longer, shorter) = (self.n_left_run.max(self.n_right_run), self.n_left_run.min(self.n_right_run));
            let is_end = shorter > 0 && longer >= MIN_LONGER_SIDE && self.is_short_run_spelled;
            self.target.is_empty() && (shorter >= MIN_SIDE || is_end)
        } else {
            let has_removed = 10 * self.n_removed_aligned >= 8 * n || 10 * self.n_removed_there >= 9 * n;
            has_removed && self.target.len() <= n + (n / 4).max(2)
        };
        is_there && self.n_run() >= MIN_RUN
    }

    pub(super) fn n_run(&self) -> usize {
        self.n_left_run + self.n_removed_aligned + self.n_right_run
    }

    /// The part of the words around that are spelled the same, 0 to 1.
    pub(super) fn spelled(&self) -> f64 {
        self.n_spelled as f64 / self.n_words.max(1) as f64
    }
}
