//! Compares the place of an edit with the same place in a sibling: code that was alike before the edit.
//!
//! ```text
//!             left           removed    right
//! base        if ( f ( a )   == EOF     ) goto err ;        head: the edit leaves out `== EOF`
//! sibling     if ( f ( b )   == EOF     ) goto err ;        has what was removed, between the same neighbors
//! ```
//!
//! The edit is looked up as it was before the change, since its own file has already changed. A pure insertion has
//! nothing that was removed: its neighbors must be next to each other in the sibling.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput, Interner};

use super::alignment::Alignment;
use super::unit::Unit;
use crate::language::{Kind, Token};

/// Tokens of a base file that a change replaced by tokens of the head; either may be empty.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    /// The tokens before.
    pub base: (usize, usize),
    /// The tokens after.
    pub head: (usize, usize),
}

impl Edit {
    /// The tokens before.
    pub fn removed(&self) -> Range<usize> {
        self.base.0..self.base.1
    }

    /// The tokens after.
    pub fn added(&self) -> Range<usize> {
        self.head.0..self.head.1
    }

    /// How many tokens it removed or added, whichever are more.
    pub fn len(&self) -> usize {
        self.removed().len().max(self.added().len())
    }

    /// Whether it changed nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Maximum kept tokens between two edits of a statement for them to be one: with `- 1` replaced by `.saturating_sub(1)`,
/// the `1` was kept.
const MAX_BETWEEN: usize = 4;
/// Maximum kept tokens between an edit that opens a bracket and the one that closes it: `f(a, b)` became `g(f(a, b))`.
const MAX_WRAPPED: usize = 40;

/// The edits between what was `kept`, in order: the head file is the query, the base file the target.
///
/// A kept name that is another one now is an edit, unless it was renamed: see `substituted`. `scopes` has the units
/// around a token of base and around one of the head. Time O(n).
pub fn edits(kept: &Alignment, head: &[Token], base: &[Token], scopes: &Scopes<'_>) -> Vec<Edit> {
    let mut parts: Vec<Edit> = Vec::new();
    let mut from = (0, 0);
    let blocks = kept.blocks.iter().map(|block| (block.target as usize, block.query as usize, block.len as usize));
    for (of_base, of_head, len) in blocks.chain([(base.len(), head.len(), 0)]) {
        if from.0 < of_base || from.1 < of_head {
            parts.push(Edit { base: (from.0, of_base), head: (from.1, of_head) });
        }
        from = (of_base + len, of_head + len);
    }
    // A name that is another one right beside what was edited belongs to that edit, renamed or not: a call of another
    // function has other arguments.
    let is_beside = |at: usize| {
        let behind = parts.partition_point(|part| part.base.1 + 2 <= at);
        parts.get(behind).is_some_and(|part| part.base.0 <= at + 2)
    };
    let substituted = substituted(kept, head, base, &is_beside, scopes);
    parts.extend(substituted.into_iter().map(|(a, b)| Edit { base: (a, a + 1), head: (b, b + 1) }));
    parts.sort_unstable();
    let mut edits: Vec<Edit> = Vec::new();
    for part in parts {
        match edits.last_mut() {
            Some(last) if is_continued(last, &part, head, base) => {
                (last.base.1, last.head.1) = (part.base.1, part.head.1);
            }
            _ => edits.push(part),
        }
    }
    edits
}

/// Whether two edits are one: next to each other, or the two brackets put around something.
fn is_continued(edit: &Edit, next: &Edit, head: &[Token], base: &[Token]) -> bool {
    let n_between = next.base.0 - edit.base.1;
    let n_open = |tokens: &[Token]| tokens.iter().map(nesting).sum::<i64>();
    let ends_statement = |token: &Token| token.kind() == Kind::Punctuation && token.symbol.get() as u8 == b';';
    n_between <= MAX_BETWEEN && !base[edit.base.1..next.base.0].iter().any(ends_statement)
        || n_between <= MAX_WRAPPED && {
            let opened = n_open(&head[edit.added()]) - n_open(&base[edit.removed()]);
            let closed = n_open(&base[next.removed()]) - n_open(&head[next.added()]);
            opened != 0 && opened == closed && n_open(&base[edit.base.1..next.base.0]) == 0
        }
}

/// 1 for an opening bracket, -1 for a closing one.
fn nesting(token: &Token) -> i64 {
    match (token.kind(), token.symbol.get() as u8) {
        (Kind::Punctuation, b'(' | b'[' | b'{') => 1,
        (Kind::Punctuation, b')' | b']' | b'}') => -1,
        _ => 0,
    }
}

/// The tokens of the units around a token of base and around one of the head.
pub type Scopes<'s> = dyn Fn(usize, usize) -> (Range<usize>, Range<usize>) + 's;

/// The kept names, in base and in the head, that became other ones: `super->settings` is `host->settings` now.
///
/// A renaming changes all places that mean a thing: the old name is gone, or the new one was not there before. A name
/// that is kept in one place and changed in another was not renamed, and neither was one that became a known one.
fn substituted(
    kept: &Alignment,
    head: &[Token],
    base: &[Token],
    is_beside: &dyn Fn(usize) -> bool,
    scopes: &Scopes<'_>,
) -> Vec<(usize, usize)> {
    let is_changed = |&(b, a): &(usize, usize)| base[a].exact != head[b].exact && base[a].kind() == Kind::Identifier;
    let changed: Vec<(usize, usize)> = kept.pairs().filter(is_changed).map(|(b, a)| (a, b)).collect();
    if changed.is_empty() {
        return changed;
    }
    let names = |tokens: &[Token]| tokens.iter().map(|token| token.exact).collect::<HashSet<u32>>();
    let (in_base, in_head) = (names(base), names(head));
    // How often each name became which one: a variable that is renamed in one function stays in others.
    let mut counts: HashMap<(u32, u32), usize> = HashMap::new();
    for &(a, b) in &changed {
        *counts.entry((base[a].exact, head[b].exact)).or_default() += 1;
    }
    let is_renamed = |&(a, b): &(usize, usize)| {
        let (was, is) = (base[a].exact, head[b].exact);
        let is_everywhere = !in_head.contains(&was) && !in_base.contains(&is);
        let is_local = || {
            let near = |tokens: &[Token], at: usize, name: u32| {
                let (from, to) = (at.saturating_sub(RENAMED_AROUND), (at + RENAMED_AROUND).min(tokens.len()));
                tokens[from..to].iter().any(|token| token.exact == name)
            };
            let has = |tokens: &[Token], name: u32| tokens.iter().any(|token| token.exact == name);
            let in_unit = || {
                let (of_base, of_head) = scopes(a, b);
                !has(&head[of_head], was) && !has(&base[of_base], is)
            };
            counts[&(was, is)] > 1 && (!near(head, b, was) && !near(base, a, is) || in_unit())
        };
        is_everywhere || is_local() && !is_beside(a)
    };
    changed.into_iter().filter(|pair| !is_renamed(pair)).collect()
}

/// Number of tokens on either side of a changed name in which a renamed variable is found under its new name only.
const RENAMED_AROUND: usize = 80;

/// Which name of a sibling corresponds to which of the edited file.
#[derive(Debug, Default)]
pub struct Renaming {
    to: HashMap<u32, u32>,
    from: HashMap<u32, u32>,
}

impl Renaming {
    /// The renaming that most of the aligned names show, with each name used once on either side.
    pub fn of(alignment: &Alignment, base: &[Token], target: &[Token]) -> Self {
        let mut counts: HashMap<(u32, u32), usize> = HashMap::new();
        for (a, b) in alignment.pairs().map(|(a, b)| (&base[a], &target[b])) {
            if a.kind() == Kind::Identifier {
                *counts.entry((a.exact, b.exact)).or_default() += 1;
            }
        }
        let mut counts: Vec<_> = counts.into_iter().collect();
        // A name that both have is itself, even if it is opposite another one more often.
        counts.sort_unstable_by_key(|&((a, b), n)| (a != b, std::cmp::Reverse(n), a, b));
        let mut renaming = Self::default();
        for ((a, b), _) in counts {
            if !renaming.to.contains_key(&a) && !renaming.from.contains_key(&b) {
                renaming.to.insert(a, b);
                renaming.from.insert(b, a);
            }
        }
        renaming
    }

    /// What a name is in the sibling.
    pub fn get(&self, name: u32) -> Option<u32> {
        self.to.get(&name).copied()
    }

    /// The names and what they are in the sibling, in no order.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.to.iter().map(|(&name, &to)| (name, to))
    }

    /// Whether `tokens` are `target` in the sibling.
    pub fn makes(&self, tokens: &[Token], target: &[Token]) -> bool {
        tokens.len() == target.len() && tokens.iter().zip(target).all(|(a, b)| self.agrees(a, b))
    }

    /// Whether two tokens are the same, up to the renaming.
    pub fn agrees(&self, a: &Token, b: &Token) -> bool {
        a.symbol == b.symbol
            && (a.exact == b.exact || a.kind() == Kind::Identifier && self.get(a.exact) == Some(b.exact))
    }
}

/// Maximum tokens of a gap, on either side, in an alignment around an anchor, and the minimum tokens that agree behind
/// it for the alignment to go on: the farther it is, the more.
const GAPS: [(usize, usize); 2] = [(12, 6), (60, 16)];
/// Maximum tokens by which one side gets ahead of the other.
const MAX_AHEAD: usize = 120;

/// Aligns the surroundings of an `anchor`, a position of the base file and one of the target, for up to `reach` tokens
/// on the left and on the right, greedily: after what differs, the nearest place where both go on alike counts.
///
/// An alignment of whole files gives each stretch to the place that explains it best. The place of an edit may have
/// more siblings than that one. Time O(reach).
pub fn aligned_around(anchor: (usize, usize), base: &[Token], target: &[Token], reach: [usize; 2]) -> Alignment {
    aligned_over(&GAPS, anchor, base, target, reach)
}

/// The same up to the first wide gap on either side, in a fraction of the time. It shows the place of any edit that it
/// reaches: what is right beside a place has no wide gap.
pub fn aligned_near(anchor: (usize, usize), base: &[Token], target: &[Token], reach: [usize; 2]) -> Alignment {
    aligned_over(&GAPS[..1], anchor, base, target, reach)
}

fn aligned_over(
    gaps: &[(usize, usize)],
    anchor: (usize, usize),
    base: &[Token],
    target: &[Token],
    reach: [usize; 2],
) -> Alignment {
    // In one file, the two sides must not get into each other: the target may get ahead only away from the base.
    let is_same_file = std::ptr::eq(base, target);
    let ahead_left = if is_same_file && anchor.0 < anchor.1 { 0 } else { MAX_AHEAD };
    let ahead_right = if is_same_file && anchor.1 < anchor.0 { 0 } else { MAX_AHEAD };
    let is_same = |a: usize, b: usize| base[a].symbol == target[b].symbol;
    // One direction: `step(at, n)` is the position `n` tokens on, counted from the anchor.
    let walk = |[reach, ahead]: [usize; 2], step: &dyn Fn(usize, usize) -> Option<(usize, usize)>| {
        let mut pairs: Vec<(usize, usize)> = Vec::new();
        let (mut a, mut b) = (0, 0);
        while a < reach && b < reach + ahead {
            let agrees = |a: usize, b: usize| step(a, b).is_some_and(|(a, b)| is_same(a, b));
            if agrees(a, b) {
                pairs.extend(step(a, b));
                (a, b) = (a + 1, b + 1);
                continue;
            }
            let resumed = |&(max, resuming): &(usize, usize)| {
                let gap =
                    (1..=2 * max).flat_map(|n| (n.saturating_sub(max)..=n.min(max)).map(move |of_a| (of_a, n - of_a)));
                let mut places = gap.map(|(of_a, of_b)| (a + of_a, b + of_b));
                places.find(|&(a, b)| (0..resuming).all(|n| agrees(a + n, b + n)))
            };
            match gaps.iter().find_map(resumed) {
                Some(next) => (a, b) = next,
                None => break,
            }
        }
        pairs
    };
    let forward = walk([reach[1], ahead_right], &|a, b| {
        let (a, b) = (anchor.0 + a, anchor.1 + b);
        (a < base.len() && b < target.len()).then_some((a, b))
    });
    let backward =
        walk([reach[0], ahead_left], &|a, b| Some((anchor.0.checked_sub(a + 1)?, anchor.1.checked_sub(b + 1)?)));
    backward.into_iter().rev().chain(forward).collect()
}

/// An alignment around a place, and beyond its ends what an alignment of both units as wholes finds.
pub fn continued(local: &Alignment, whole: &Alignment) -> Alignment {
    let (query, target) = (local.query(), local.target());
    let before = whole.pairs().filter(|&(a, b)| a < query.start && b < target.start);
    let behind = whole.pairs().filter(|&(a, b)| a >= query.end && b >= target.end);
    before.chain(local.pairs()).chain(behind).collect()
}

/// Tokens of the runs by which two units are aligned. Fewer are everywhere.
const RUN: usize = 6;
/// Maximum tokens of a unit to align as a whole.
const MAX_UNIT: usize = 4_000;

/// Aligns two units as wholes: where a diff of their runs of six tokens finds both the same.
///
/// Time O(n + d²) for n tokens and d differences, and less where the diff gives up on the shortest one.
pub fn aligned_units(base: &[Token], unit: &Unit, target: &[Token], of: &Unit) -> Alignment {
    let mut alignment = Alignment::default();
    if unit.tokens.len().max(of.tokens.len()) > MAX_UNIT {
        return alignment;
    }
    let runs = |tokens: &[Token]| -> Vec<[u32; RUN]> {
        tokens.windows(RUN).map(|run| std::array::from_fn(|at| run[at].symbol.get())).collect()
    };
    let mut input = InternedInput { before: Vec::new(), after: Vec::new(), interner: Interner::new(0) };
    input.update_before(runs(&base[unit.tokens.clone()]).into_iter());
    input.update_after(runs(&target[of.tokens.clone()]).into_iter());
    let diff = Diff::compute(Algorithm::Histogram, &input);
    let hunks = diff.hunks().map(|hunk| (hunk.before.start..hunk.before.end, hunk.after.start..hunk.after.end));
    let ends = (input.before.len() as u32, input.after.len() as u32);
    let (mut a, mut b) = (0, 0);
    for (before, after) in hunks.chain([(ends.0..ends.0, ends.1..ends.1)]) {
        let n_runs = (before.start - a) as usize;
        let (from_a, from_b) = (unit.tokens.start + a as usize, of.tokens.start + b as usize);
        // The last run of a stretch may reach into the next one.
        let taken = alignment.blocks.last().map_or(0, |last| {
            let (end_a, end_b) = ((last.query + last.len) as usize, (last.target + last.len) as usize);
            end_a.saturating_sub(from_a).max(end_b.saturating_sub(from_b))
        });
        let len = if n_runs > 0 { n_runs + RUN - 1 } else { 0 };
        alignment.push(from_a + taken, from_b + taken, len.saturating_sub(taken));
        (a, b) = (before.end, after.end);
    }
    alignment
}

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
    /// Tokens that agree among the 40 before it.
    pub n_left: usize,
    /// Likewise behind it.
    pub n_right: usize,
    /// Of all of these, names and literals.
    pub n_words: usize,
    /// Of these, those that are spelled the same.
    pub n_spelled: usize,
    /// Words among the aligned ones around that do not agree.
    pub n_clashing: usize,
    /// Tokens in a row across the edit, with what it removed, that the sibling spells the same.
    pub n_verbatim: usize,
    /// Different words of them.
    pub n_verbatim_words: usize,
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
    let n_agreeing = words().filter(agrees).count();
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
    let verbatim: Vec<&(usize, usize)> = verbatim.filter(|_| is_inside_spelled).collect();
    let words_of_run: HashSet<u32> =
        verbatim.iter().filter(|&&&(a, _)| is_word(a)).map(|&&(a, _)| base[a].exact).collect();
    Some(Spot {
        target: place,
        is_short_run_spelled,
        n_verbatim: verbatim.len(),
        n_verbatim_words: words_of_run.len(),
        n_left_run,
        n_right_run,
        n_left: left.iter().filter(agrees).count(),
        n_right: right.iter().filter(agrees).count(),
        n_words: n_agreeing,
        n_spelled: words().filter(|&&(a, b)| base[a].exact == target[b].exact).count(),
        n_clashing: words().count() - n_agreeing,
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

/// How much an edited unit and a unit that may be its sibling have in common, besides the place of the edit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Likeness {
    /// Tokens of the two units.
    pub n_tokens: (usize, usize),
    /// Tokens that agree.
    pub n_agreeing: usize,
    /// Whether the edit replaces operators and numbers only.
    pub is_operator: bool,
    /// Whether the edit replaces names by others, and nothing else.
    pub is_substitution: bool,
    /// Whether both are one unit: two branches of a function.
    pub is_same_unit: bool,
    /// Distinct names that the edit adds.
    pub n_names: usize,
    /// Those of them that the file of the sibling knows, perhaps under another name.
    pub n_known: usize,
    /// Those of them that the change introduces, and uses or defines elsewhere too.
    pub n_introduced: usize,
    /// The part of the added words that the sibling has already, 0 to 1: see [`has_already`].
    pub had: f64,
    /// Whether the change is so large that one of its many edits agrees with something by chance.
    pub is_large_change: bool,
    /// Whether the change edits so much, of this unit too, that it is no fix.
    pub is_rewritten: bool,
    /// Whether the edit uses a variable of its unit that the other unit does not have.
    pub needs_variable: bool,
    /// Whether the edit only removes something that the other unit uses elsewhere.
    pub is_still_used: bool,
}

/// Minimum tokens that a removal and an addition have together: fewer (`const`, a comma) are rarely a fix.
const MIN_EDIT: usize = 4;
/// Minimum tokens that agree in a row across the place of an edit.
const MIN_RUN: usize = 16;
/// Minimum tokens that agree right before an insertion, and right behind it: what it was put between.
const MIN_SIDE: usize = 5;
/// Minimum tokens on the shorter side of an insertion at the start or the end of a block: `) {`.
const MIN_END: usize = 2;
/// Minimum tokens that agree in a row on the longer side of such an insertion.
const MIN_BLOCK_SIDE: usize = 30;
/// Minimum tokens that agree in a row on the longer side of a replacement, with what it replaces.
const MIN_LONGER_SIDE: usize = 12;
/// Minimum tokens that agree around, and at, the place of an edit.
const MIN_AROUND: usize = 24;
/// Minimum tokens that agree in two units for them to be siblings.
const MIN_AGREEING: usize = 24;
/// Minimum tokens in a row, with the names spelled the same, for the place of an edit alone to show a sibling.
const VERBATIM_RUN: usize = 24;
/// Minimum different names and literals of such a run: brackets and keywords alone are everywhere.
const VERBATIM_WORDS: usize = 5;
/// Minimum tokens of such a run for the sibling of an edit of which it knows no name.
const VERBATIM_UNKNOWN: usize = 40;
/// Minimum part of the longer unit that agrees for a sibling to get what the change introduces, too.
const TWIN: f64 = 0.75;
/// Tokens in a row from which on it does not matter what is beyond them.
const LONG_RUN: usize = 32;
/// Minimum tokens in a row for the place of an edit alone to show a sibling whose names differ.
const RENAMED_RUN: usize = 40;
/// Minimum tokens in a row for the replacement of a single token to be a fix.
const TINY_EDIT_RUN: usize = 28;

impl Spot {
    /// Whether the sibling still has what `edit` removed, and nothing else, at its place.
    fn has_removed(&self, edit: &Edit) -> bool {
        let n = edit.removed().len();
        if n == 0 {
            let (longer, shorter) = (self.n_left_run.max(self.n_right_run), self.n_left_run.min(self.n_right_run));
            let is_between =
                shorter >= MIN_SIDE || shorter >= MIN_END && longer >= MIN_BLOCK_SIDE && self.is_short_run_spelled;
            return self.target.is_empty() && is_between;
        }
        let is_there = 10 * self.n_removed_aligned >= 8 * n || 10 * self.n_removed_there >= 9 * n;
        is_there
            && self.target.len() <= n + (n / 4).max(2)
            && self.n_left_run.max(self.n_right_run) + self.n_removed_aligned >= MIN_LONGER_SIDE
    }

    /// Whether the sibling has what `edit` removed, and most words around agree: without this, it is none.
    pub fn is_alike(&self, edit: &Edit) -> bool {
        self.has_removed(edit) && (self.clashing() <= 0.2 || self.n_run() >= LONG_RUN)
    }

    /// The part of the words around that do not agree, 0 to 1.
    fn clashing(&self) -> f64 {
        self.n_clashing as f64 / (self.n_words + self.n_clashing).max(1) as f64
    }

    fn n_run(&self) -> usize {
        self.n_left_run + self.n_removed_aligned + self.n_right_run
    }

    /// The part of the words around that are spelled the same, 0 to 1.
    fn spelled(&self) -> f64 {
        self.n_spelled as f64 / (self.n_words + self.n_clashing).max(1) as f64
    }
}

/// Whether `edit` belongs to others around it that missed a sibling: it is too small to show that by itself.
pub fn may_be_missed(edit: &Edit, spot: &Spot, likeness: &Likeness) -> bool {
    spot.is_alike(edit) && !likeness.was_mended()
}

impl Likeness {
    /// Whether the sibling has what the edit adds. One name alone may be there for another reason, unless the edited
    /// file did not even know it.
    fn was_mended(&self) -> bool {
        self.had >= 0.6 && (self.n_names > 1 || self.n_introduced > 0)
    }
}

/// Whether `edit` missed a sibling at `spot`: both were alike before, and it still is as it was.
///
/// Chosen on the histories of eight projects; `docs/measurements/fixes.md` has the figures.
pub fn is_missed(edit: &Edit, spot: &Spot, likeness: &Likeness) -> bool {
    let (n_removed, n_added) = (edit.removed().len(), edit.added().len());
    let (own, other) = likeness.n_tokens;
    let of_smaller = likeness.n_agreeing as f64 / own.min(other).max(1) as f64;
    let of_larger = likeness.n_agreeing as f64 / own.max(other).max(1) as f64;
    let n_run = spot.n_run();
    // One operator is a fix if the units are surely clones, another token if the code around it surely is one. A
    // `const` or a comma is none.
    let is_tiny_fix = n_removed + n_added >= 2 && n_run >= TINY_EDIT_RUN;
    let is_enough = n_removed + n_added >= MIN_EDIT || likeness.is_operator && of_larger >= 0.6 || is_tiny_fix;
    let is_alike_there = is_enough
        && spot.is_alike(edit)
        && n_run >= MIN_RUN
        && spot.n_left + spot.n_right + spot.n_removed_aligned >= MIN_AROUND;
    if !is_alike_there || likeness.was_mended() {
        return false;
    }
    let (spelled, clashing) = (spot.spelled(), spot.clashing());

    // Each kind of evidence is enough. The units are alike as wholes; or what surrounds the edit is the same word for
    // word, as in code that was pasted into a longer function; or it is a long run up to names.
    let are_units = likeness.n_agreeing >= MIN_AGREEING;
    let is_part = of_smaller >= 0.7 && of_larger >= if n_added == 0 { 0.8 } else { 0.2 } && spelled >= 0.6;
    let is_twin = of_smaller >= 0.65 && of_larger >= 0.5 && spelled >= 0.3;
    let is_renamed = n_run >= RENAMED_RUN && clashing <= 0.05 && of_larger >= 0.25 && spelled >= 0.3;
    let is_verbatim = spot.n_verbatim >= VERBATIM_RUN
        && spot.n_verbatim_words >= VERBATIM_WORDS
        && (clashing <= 0.12 || n_run >= LONG_RUN);
    // An author who edits one branch sees the other.
    let is_seen = likeness.is_same_unit && !(spelled >= 0.9 && n_run >= TINY_EDIT_RUN);
    // What the sibling cannot even name belongs to the edited member alone, unless they are twins.
    // One new name in place of what the sibling still has is a better call: `- 1` became `.saturating_sub(1)`.
    let is_replaced = n_removed > 0 && likeness.n_names == 1;
    let is_foreign = likeness.is_substitution && likeness.n_known < likeness.n_names
        || likeness.n_names > 0 && likeness.n_known == 0 && spot.n_verbatim < VERBATIM_UNKNOWN && !is_replaced
        || 2 * likeness.n_known < likeness.n_names
            && of_larger < 0.5
            && spot.n_verbatim < VERBATIM_UNKNOWN
            && !is_replaced
            && !(of_smaller >= 0.7 && spelled >= 0.9);
    // What the change defines, and uses here, is a feature of the edited member, unless they are twins.
    let is_feature =
        likeness.n_introduced > 0 && of_larger < TWIN && spot.n_verbatim < VERBATIM_UNKNOWN && !is_replaced;
    let is_chance = likeness.is_large_change && of_larger < 0.5 || likeness.is_rewritten;
    // There, the edit would not compile, or break what still works.
    let is_own = likeness.needs_variable || likeness.is_still_used;
    (is_verbatim || is_renamed || are_units && (is_part || is_twin))
        && !is_seen
        && !is_foreign
        && !is_feature
        && !is_chance
        && !is_own
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether an insertion of eight tokens with two names, of which the sibling knows `n_known`, is missed where
    /// `n_verbatim` tokens are spelled the same.
    fn is_insertion_missed(n_known: usize, n_verbatim: usize) -> bool {
        is_missed_by(n_verbatim, Likeness { n_known, ..LIKENESS })
    }

    /// Two names in units of which most agrees.
    const LIKENESS: Likeness = Likeness {
        n_tokens: (120, 120),
        n_agreeing: 110,
        is_operator: false,
        is_substitution: false,
        is_same_unit: false,
        n_names: 2,
        n_known: 2,
        n_introduced: 0,
        had: 0.0,
        is_large_change: false,
        is_rewritten: false,
        needs_variable: false,
        is_still_used: false,
    };

    /// Whether such an insertion is missed by a sibling that is so alike.
    fn is_missed_by(n_verbatim: usize, likeness: Likeness) -> bool {
        let edit = Edit { base: (100, 100), head: (100, 108) };
        let spot = Spot {
            target: 50..50,
            n_left_run: 30,
            n_right_run: 30,
            is_short_run_spelled: true,
            n_left: 40,
            n_right: 40,
            n_words: 30,
            n_spelled: 28,
            n_verbatim,
            n_verbatim_words: 9,
            ..Spot::default()
        };
        is_missed(&edit, &spot, &likeness)
    }

    #[test]
    fn what_the_change_introduces_is_missed_between_twins_only() {
        let introducing = |n_agreeing| Likeness { n_agreeing, n_known: 1, n_introduced: 1, ..LIKENESS };
        assert!(is_missed_by(20, introducing(110)));
        assert!(!is_missed_by(20, introducing(80)));
        assert!(is_missed_by(20, Likeness { n_introduced: 0, ..introducing(80) }));
        assert!(is_missed_by(VERBATIM_UNKNOWN, introducing(80)));
        // The sibling has it already.
        let had = |n_introduced| Likeness { had: 1.0, n_names: 1, n_introduced, ..LIKENESS };
        assert!(is_missed_by(20, had(0)));
        assert!(!is_missed_by(20, had(1)));
    }

    #[test]
    fn an_edit_of_which_the_sibling_knows_no_name_needs_a_longer_run_word_for_word() {
        assert!(is_insertion_missed(1, VERBATIM_UNKNOWN - 1));
        assert!(!is_insertion_missed(0, VERBATIM_UNKNOWN - 1));
        assert!(is_insertion_missed(0, VERBATIM_UNKNOWN));
    }
}
