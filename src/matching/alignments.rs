//! Aligns two documents along their chains, and trims each alignment to what belongs to the copy.
//!
//! Invariant: the sides of an alignment within a single document never overlap.

use std::ops::Range;

use foldhash::{HashMap, HashSet, HashSetExt};

use super::Document;
use super::align::{Budget, align};
use super::alignment::{Alignment, Block};
use super::chain::chains;
use super::copied::CopiedStretches;
use super::pair::{Params, solid_runs};
use super::run::{agreeing, runs};
use super::seeding::Seed;
use crate::language::Token;

/// What two documents have in common.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Alignments {
    /// Alignments along the chains, the best chain first.
    pub alignments: Vec<Alignment>,
    /// All runs of at least `min_run` tokens that contain a seed and whose names agree, whether or
    /// not an alignment has them.
    pub runs: Vec<Block>,
    /// What was left out, as the documents repeat themselves too often.
    pub limits: Shortfall,
}

/// How much of two documents was compared, where they repeat themselves so often that not all of it
/// was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Shortfall {
    /// Places that were not looked at, those farthest apart; 0 in ordinary code.
    pub n_places_left: usize,
    /// Places that there are.
    pub n_places: usize,
    /// Chains that were not extended over edits beyond their first and last run, into code that is
    /// in no better alignment.
    pub n_not_extended: usize,
}

impl Shortfall {
    /// Whether anything was left out.
    pub fn is_any(&self) -> bool {
        self.n_places_left > 0 || self.n_not_extended > 0
    }
}

impl std::ops::AddAssign for Shortfall {
    fn add_assign(&mut self, other: Self) {
        self.n_places_left += other.n_places_left;
        self.n_places += other.n_places;
        self.n_not_extended += other.n_not_extended;
    }
}

/// Finds the alignments of `query` with `target` along the chains of their `seeds`, the best chains
/// first.
///
/// With `is_same`, query and target are one document: fragments never overlap themselves. Nothing
/// is judged yet; that is up to [`clones`](super::clones), once the caller has cut out the relevant
/// part.
///
/// Guarantee: every run of at least `min_run` tokens around a seed is part of an alignment, on its
/// own diagonal, unless it repeats itself with a shorter period, or is in a copied stretch that is
/// much longer. A chain may join runs, but none is ever dropped because another was better, or
/// because it is between two that are.
pub fn alignments(
    query: Document<'_>,
    target: Document<'_>,
    seeds: &mut [Seed],
    params: &Params,
    is_same: bool,
) -> Alignments {
    let min_period = is_same.then_some(params.min_run);
    let (mut runs, n_places_left) = runs(query.tokens, target.tokens, seeds, params.k, min_period);
    let agreeing = agreeing(&runs, query.tokens, target.tokens, params.min_run);
    let mut found: Vec<Alignment> = Vec::new();
    let mut aligned = Diagonals::default();
    let mut budget = Budget::of(query.tokens, target.tokens);
    let mut n_not_extended = 0;
    let mut is_aligned = vec![false; query.tokens.len()];
    let mut shown = HashSet::new();
    let copied = CopiedStretches::new(&agreeing, params.min_run);
    for chain in chains(&mut runs, params.max_gap) {
        // An earlier alignment that was extended over the same runs already shows everything.
        let is_shown = chain.iter().all(|run| aligned.contains(run))
            || copied.holds(&chain, query.tokens, target.tokens);
        if is_shown || !may_be_clone(&chain, query.tokens, target.tokens, params) {
            continue;
        }
        let is_whole = !budget.is_spent() || is_within(&chain, &is_aligned);
        let whole = align(query.tokens, target.tokens, &chain, is_same, &mut budget);
        let whole = trim(&whole, query, target);
        let parts = if is_same { without_overlap(&whole, query.tokens) } else { vec![whole] };
        // No clone has fewer tokens: a block that repeats itself every few tokens is cut into that
        // many parts.
        let parts = parts.into_iter().filter(|part| part.n_tokens() >= params.min_run);
        let n_before = found.len();
        for part in parts.filter(|part| shown.insert(part.clone())) {
            part.blocks.iter().for_each(|block| aligned.add(block));
            is_aligned[part.query()].fill(true);
            found.push(part);
        }
        n_not_extended += usize::from(!is_whole && found.len() > n_before);
    }
    let limits = Shortfall { n_places_left, n_places: seeds.len(), n_not_extended };
    Alignments { alignments: found, runs: agreeing, limits }
}

/// Whether what is before and behind a chain belongs to alignments that were found before it:
/// extending it would show nothing that is not shown.
fn is_within(chain: &[Block], is_aligned: &[bool]) -> bool {
    let (Some(first), Some(last)) = (chain.first(), chain.last()) else { return true };
    let ends = [(first.query as usize).checked_sub(1), Some(last.in_query().end)];
    ends.iter().flatten().all(|&at| is_aligned.get(at).is_none_or(|&is_aligned| is_aligned))
}

/// Whether a run is as long as `min_run`, or half as long with most words spelled the same: a clone
/// needs one or the other. Most coincidental chains end here, before they are aligned.
fn may_be_clone(chain: &[Block], query: &[Token], target: &[Token], params: &Params) -> bool {
    chain.iter().any(|run| {
        let len = run.len as usize;
        len >= params.min_run
            || 2 * len >= params.min_run
                && run.n_spelled(query, target) as f64 >= params.min_spelled * len as f64
    })
}

/// What is already aligned, by diagonal.
#[derive(Default)]
struct Diagonals {
    /// For each diagonal, the number of its last range.
    last: HashMap<i64, usize>,
    /// Each with the number of the one before it on its diagonal.
    ranges: Vec<(Range<u32>, Option<usize>)>,
}

impl Diagonals {
    fn add(&mut self, block: &Block) {
        let before = self.last.insert(block.diagonal(), self.ranges.len());
        self.ranges.push((block.query..block.query + block.len, before));
    }

    fn contains(&self, run: &Block) -> bool {
        let mut next = self.last.get(&run.diagonal()).copied();
        while let Some((range, before)) = next.map(|at| &self.ranges[at]) {
            if range.start <= run.query && run.query + run.len <= range.end {
                return true;
            }
            next = *before;
        }
        false
    }
}

/// Maximum tokens to cut off at an end of an alignment: more than that is not a coincidence.
const MAX_TRIM: usize = 10;

/// Cuts an alignment down to its solid runs and what belongs to them, and removes the partial line
/// at either end: what follows a copy often begins like what follows its origin (`static int`), and
/// what precedes it ends alike (`;`, `}`).
fn trim(alignment: &Alignment, query: Document<'_>, target: Document<'_>) -> Alignment {
    let solid = solid_runs(alignment, query.tokens, target.tokens);
    let (Some(first), Some(last)) = (solid.first(), solid.last()) else {
        return Alignment::default();
    };
    let core = first.in_query().start..last.in_query().end;
    let alignment = with_supported_ends(alignment, core, query, target);
    let pairs = alignment.all_pairs();
    let n_before_line = (pairs.iter().take(MAX_TRIM + 1))
        .position(|&(a, b)| query.starts_line(a) || target.starts_line(b))
        .unwrap_or(0);
    let closers = pairs[n_before_line..].iter().take_while(|(a, _)| query.is_closer(*a));
    let n_head = (n_before_line + closers.count()).max(n_of_unit_before(&pairs, query));
    let n_after_line = (pairs.iter().rev().take(MAX_TRIM + 1))
        .position(|&(a, b)| query.starts_line(a + 1) || target.starts_line(b + 1));
    let n_tail = n_after_line.unwrap_or(0).max(n_of_unit_behind(&pairs, query, target));
    let last = pairs.len().checked_sub(n_tail + 1).and_then(|last| pairs.get(last));
    match (pairs.get(n_head), last) {
        (Some(first), Some(last)) if first.0 <= last.0 => alignment.within(first.0..last.0 + 1),
        _ => Alignment::default(),
    }
}

/// Cuts the neighboring units off a part of an alignment: what closes a block that was opened
/// before the part, and the head of a unit that continues behind it. A single run stays whole.
pub fn without_neighbors(part: Alignment, query: Document<'_>, target: Document<'_>) -> Alignment {
    if part.blocks.len() < 2 {
        return part;
    }
    let pairs = part.all_pairs();
    let end = pairs.len() - n_of_unit_behind(&pairs, query, target);
    let kept = pairs.get(n_of_unit_before(&pairs, query)..end);
    kept.unwrap_or_default().iter().copied().collect()
}

/// Maximum tokens of a neighboring unit to cut off: the end of the previous function, or the head
/// of the next one. Both are much the same everywhere. If there are more, the copy includes part of
/// that unit as well.
pub(super) const MAX_OF_NEIGHBOR: usize = 24;

/// The number of tokens at the start of an alignment that close a block opened before it.
fn n_of_unit_before(pairs: &[(usize, usize)], query: Document<'_>) -> usize {
    let n = query.n_closing(pairs.iter().take(MAX_OF_NEIGHBOR).map(|&(at, _)| at));
    // Whatever closes together with it: `});`
    n + pairs[n..].iter().take_while(|(at, _)| n > 0 && query.is_closer(*at)).count()
}

/// The number of tokens at the end that open a unit which goes on, after a blank line on both
/// sides.
fn n_of_unit_behind(pairs: &[(usize, usize)], query: Document<'_>, target: Document<'_>) -> usize {
    let mut depth = 0i64;
    for (number, &(at, to)) in pairs.iter().rev().enumerate().take(MAX_OF_NEIGHBOR) {
        depth += query.tokens[at].nesting();
        // An alignment that is all head is no neighbor's.
        let is_behind = number + 1 < pairs.len();
        if is_behind && depth > 0 && query.starts_paragraph(at) && target.starts_paragraph(to) {
            return number + 1;
        }
    }
    0
}

/// Minimum equal tokens in a row that belong to a copy if they follow it closely and spell a word
/// the same.
const SUPPORTED_RUN: u32 = 4;
/// Maximum tokens between such a run and the copy.
const MAX_BEFORE_END: usize = 24;

/// The alignment from `core` outward to the last supported block; blocks of a few tokens in between
/// are coincidences.
fn with_supported_ends(
    alignment: &Alignment,
    core: Range<usize>,
    query: Document<'_>,
    target: Document<'_>,
) -> Alignment {
    let mut range = core;
    for block in alignment.blocks.iter().rev() {
        let Range { start, end } = block.in_query();
        let gap = range.start.saturating_sub(end);
        if start < range.start && is_supported(block, gap, query, target) {
            range.start = start;
        }
    }
    for block in &alignment.blocks {
        let Range { start, end } = block.in_query();
        let gap = start.saturating_sub(range.end);
        if end > range.end && is_supported(block, gap, query, target) {
            range.end = end;
        }
    }
    alignment.within(range)
}

/// Whether a block belongs to a copy, with a gap of so many tokens between.
fn is_supported(block: &Block, gap: usize, query: Document<'_>, target: Document<'_>) -> bool {
    gap == 0
        || block.len >= SUPPORTED_RUN
            && gap <= MAX_BEFORE_END
            && block.sides(query.tokens, target.tokens).any(|(a, b)| a.is_same_word(b))
}

/// Cuts an alignment of a document with itself into parts whose sides do not overlap.
///
/// The longest block is kept whole, with those of its neighbors that are worth most among all that
/// leave the sides apart; what is left on either side is cut in the same way. A block that overlaps
/// itself is periodic, and is cut by its period: in `A A A`, the second is a copy of the first, and
/// the third of the second.
fn without_overlap(alignment: &Alignment, tokens: &[Token]) -> Vec<Alignment> {
    let blocks = &alignment.blocks;
    let worth = Worth::new(blocks, tokens);
    let mut parts = Vec::new();
    let mut rest: Vec<Range<usize>> = Vec::new();
    rest.push(0..blocks.len());
    while let Some(within) = rest.pop() {
        let longest = within.clone().max_by_key(|&at| (blocks[at].len, std::cmp::Reverse(at)));
        let Some(longest) = longest else { continue };
        let period = blocks[longest].query.abs_diff(blocks[longest].target);
        let Range { start, end } = if blocks[longest].len > period {
            parts.extend(cut_by_period(blocks[longest], period.max(1)));
            longest..longest + 1
        } else {
            let part = worth.best_around(longest, within.clone());
            parts.push(Alignment { blocks: blocks[part.clone()].to_vec() });
            part
        };
        rest.push(within.start..start);
        rest.push(end..within.end);
    }
    parts
}

/// What blocks in a row are worth together: a token 1, and 1 more if it is spelled the same, a
/// token in a gap -1.
struct Worth<'b> {
    blocks: &'b [Block],
    of_block: Vec<i64>,
    /// What the blocks up to each are worth, the gaps between them included.
    up_to: Vec<i64>,
}

impl<'b> Worth<'b> {
    /// Time O(n) for n tokens in the blocks.
    fn new(blocks: &'b [Block], tokens: &[Token]) -> Self {
        let of_block =
            |block: &Block| (block.n_spelled(tokens, tokens) + block.len as usize) as i64;
        let of_block: Vec<i64> = blocks.iter().map(of_block).collect();
        let mut up_to = of_block.clone();
        for at in 1..blocks.len() {
            up_to[at] += up_to[at - 1] - i64::from(blocks[at - 1].gap_to(&blocks[at]));
        }
        Self { blocks, of_block, up_to }
    }

    fn of(&self, (from, to): (usize, usize)) -> i64 {
        self.up_to[to] - self.up_to[from] + self.of_block[from]
    }

    fn is_apart(&self, from: usize, to: usize) -> bool {
        let (first, last) = (&self.blocks[from], &self.blocks[to]);
        last.query + last.len <= first.target || last.target + last.len <= first.query
    }

    /// The blocks around the one at `longest` that are worth most, of those `within` whose sides do
    /// not overlap.
    ///
    /// Blocks are never taken just for being first: in `A B A' B'`, where `A B'` is not far from `B
    /// A'` either, each takes those that are near. Time O(b) for the b blocks that are apart from
    /// it: those within one period, where code repeats itself.
    fn best_around(&self, longest: usize, within: Range<usize>) -> Range<usize> {
        // The more is taken on the left, the less may be taken on the right. For each end the best
        // one up to there.
        let mut best_to: Vec<usize> = Vec::new();
        for to in (longest..within.end).take_while(|&to| self.is_apart(longest, to)) {
            let before = best_to.last().filter(|&&best| self.up_to[best] > self.up_to[to]);
            best_to.push(before.copied().unwrap_or(to));
        }
        let mut best = (longest, longest);
        let starts = (within.start..=longest).rev();
        for from in starts.take_while(|&from| self.is_apart(from, longest)) {
            while !self.is_apart(from, longest + best_to.len() - 1) {
                best_to.pop();
            }
            let part = (from, best_to[best_to.len() - 1]);
            if self.of(part) >= self.of(best) {
                best = part;
            }
        }
        best.0..best.1 + 1
    }
}

fn cut_by_period(block: Block, period: u32) -> Vec<Alignment> {
    let starts = (0..block.len).step_by(period as usize);
    let parts = starts.map(|start| block.part(start, period.min(block.len - start)));
    parts.map(|part| Alignment { blocks: vec![part] }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{c_tokens, document};
    use super::*;

    #[test]
    fn four_tokens_beside_a_copy_that_spell_a_word_the_same_belong_to_it_and_three_do_not() {
        let text: String = (0..80).map(|at| format!("w{at} ")).collect();
        let tokens = c_tokens(&text);
        let end = |gap: u32, len: u32| {
            let block = |query, len| Block { query, target: query, len };
            let alignment = Alignment { blocks: vec![block(0, 20), block(20 + gap, len)] };
            let document = document(&text, &tokens);
            with_supported_ends(&alignment, 0..20, document, document).query().end
        };
        assert_eq!((end(5, 4), end(5, 3)), (29, 20));
        assert_eq!((end(24, 4), end(25, 4)), (48, 20));
    }

    #[test]
    fn a_part_has_no_end_of_the_block_before_the_copy_and_no_head_of_the_unit_behind() {
        let copied = "int f(int a)\n{\n    return a * a + offset;\n}\n";
        let [own_end, other_end] = [
            "int g(char *name)\n{\n    own(name);\n}\n",
            "int h(char *text)\n{\n    of = text;\n}\n",
        ];
        let own = format!(".fields = fields,\n}};\n}}\n{copied}\n{own_end}");
        let other = format!(".port = port,\n}};\n{copied}\n{other_end}");
        let (query, target) = (c_tokens(&own), c_tokens(&other));
        let block = |query, target, len| Block { query, target, len };
        let n_copied = c_tokens(copied).len() as u32;
        // `.fields = fields, };`, one more `}` in the query, the copy, `int g(char *name) {`.
        let part = Alignment { blocks: vec![block(0, 0, 7), block(8, 7, n_copied + 8)] };
        let (query, target) = (document(&own, &query), document(&other, &target));
        let cut = |part| without_neighbors(part, query, target).blocks;
        assert_eq!(cut(part), [block(8, 7, n_copied)]);
        let run = vec![block(1, 1, 6)];
        assert_eq!(cut(Alignment { blocks: run.clone() }), run);
    }

    #[test]
    fn the_sides_of_a_copy_in_one_document_do_not_overlap() {
        let block = |query, target, len| Block { query, target, len };
        let tokens = c_tokens(&"x;".repeat(100));
        let parts = |blocks: &[Block]| {
            let mut parts = without_overlap(&Alignment { blocks: blocks.to_vec() }, &tokens);
            parts.sort_by_key(|part| part.blocks[0]);
            parts.into_iter().map(|part| part.blocks).collect::<Vec<_>>()
        };
        // A A A: one block, shifted by a period of 10.
        assert_eq!(parts(&[block(10, 0, 20)]), [[block(10, 0, 10)], [block(20, 10, 10)]]);
        // A copy of 50 tokens among repeats of another shape stays whole.
        assert_eq!(
            parts(&[block(80, 0, 12), block(100, 20, 50), block(170, 90, 12)]),
            [vec![block(80, 0, 12), block(100, 20, 50)], vec![block(170, 90, 12)]]
        );
        // What is near belongs together, though what is far comes first.
        assert_eq!(
            parts(&[block(85, 0, 8), block(120, 40, 40), block(161, 81, 10)]),
            [vec![block(85, 0, 8)], vec![block(120, 40, 40), block(161, 81, 10)]]
        );
    }
}
