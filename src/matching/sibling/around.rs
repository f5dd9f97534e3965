//! Aligns what is around an edit with a sibling, and units as wholes.

use imara_diff::{Algorithm, Diff, InternedInput, Interner};

use crate::language::Token;
use crate::matching::alignment::Alignment;
use crate::matching::unit::Unit;

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
