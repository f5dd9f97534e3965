//! Judges an alignment against a change: which part of it is a copy that the change adds.
//!
//! This file is docs/semantics.md, "What counts as a new copy", in code.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::old_pairs::{Pairs, Part, Side};
use crate::audit::change::{ChangedFile, MAX_OLD_BETWEEN, Predecessor, clusters};
use crate::audit::read::Source;
use crate::audit::search::{FEW_FILES, SearchOutcome};
use crate::config::{Config, Thresholds};
use crate::language::Token;
use crate::matching::{
    Alignment, Block, ClonePair, Document, Enough, Evidence, clones, without_neighbors,
};
use crate::policy::Place;
use crate::text::FilePath;

/// A copy of a query's novel code, and the file of the tree that contains it.
pub(in crate::audit) struct TreeCopy {
    /// The number of the target among those found.
    pub found: usize,
    pub pair: ClonePair,
    /// Whether the files are byte-identical.
    pub is_whole: bool,
    /// Whether it is a single run, which others probably contain already.
    pub is_run: bool,
    /// Whether the change inserted it into both members of an old pair.
    pub is_in_both: bool,
}

impl TreeCopy {
    /// An aligned part of the target `found`, and whether the change inserted it into both members
    /// of an old pair.
    fn part(found: usize, (pair, is_in_both): (ClonePair, bool)) -> Self {
        Self { found, pair, is_whole: false, is_run: false, is_in_both }
    }
}

/// For each of `asking`, what the change copied into it; from other projects only copies with
/// `enough` evidence.
pub(in crate::audit) fn copies_of(
    asking: &[&ChangedFile],
    searched: &SearchOutcome,
    changed: &[ChangedFile],
    base: &[Predecessor],
    enough: Option<&Enough>,
    config: &Config,
) -> Vec<Vec<TreeCopy>> {
    let changed: BTreeMap<&FilePath, &ChangedFile> =
        changed.iter().map(|file| (&file.source.path, file)).collect();
    let SearchOutcome { found, frequencies, .. } = searched;
    let thresholds: Vec<Thresholds> = asking.iter().map(|file| file.thresholds(config)).collect();
    let added: Vec<OnceCell<Vec<bool>>> = asking.iter().map(|_| OnceCell::new()).collect();
    let mut copied: Vec<Vec<TreeCopy>> = asking.iter().map(|_| Vec::new()).collect();
    for (number, found) in found.iter().enumerate() {
        let is_outside = found.place != Place::Tree;
        let changed = if is_outside { None } else { changed.get(&found.target.path).copied() };
        let target = Side { source: &found.target, changed };
        // For code of other projects it does not matter who had it first.
        let base = (!is_outside).then_some(base);
        let between = |query: usize| FilePair {
            query: Side { source: &asking[query].source, changed: Some(asking[query]) },
            target,
            base,
            frequencies: &frequencies[query],
            thresholds: &thresholds[query],
            added: &added[query],
        };
        let mut old_of: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for (query, alignment) in &found.alignments {
            if found.whole.contains(query) {
                let source = &asking[*query].source;
                // A file that existed before and that a small change made identical is judged like
                // any other change.
                if 2 * asking[*query].n_added() >= source.tokens.len() {
                    let tokens = &found.target.tokens;
                    let pair = ClonePair::new(alignment.clone(), &source.tokens, tokens);
                    let whole = TreeCopy::part(number, (pair, false));
                    copied[*query].push(TreeCopy { is_whole: true, ..whole });
                    continue;
                }
            }
            let between = between(*query);
            let pairs = between.copies(alignment, old_of.entry(*query).or_default());
            let is_evident = |pair: &ClonePair, enough: &Enough| {
                Evidence::new(pair, between.query.source.document(), &found.target.tokens, enough)
                    .is(enough)
            };
            // A copy with evidence is evidence for the others too: its author had the file.
            if enough.is_some_and(|enough| !pairs.iter().any(|(pair, _)| is_evident(pair, enough)))
            {
                continue;
            }
            copied[*query].extend(pairs.into_iter().map(|pair| TreeCopy::part(number, pair)));
        }
        for (query, run) in &found.runs {
            let between = between(*query);
            let n_novel = (run.query..run.query + run.len)
                .filter(|&at| between.query.is_novel(at as usize))
                .count();
            if n_novel < thresholds[*query].min_tokens || found.whole.contains(query) {
                continue;
            }
            let alignment = Alignment { blocks: vec![*run] };
            let pairs = between.copies(&alignment, old_of.entry(*query).or_default());
            let of_run = |pair| TreeCopy { is_run: true, ..TreeCopy::part(number, pair) };
            copied[*query].extend(pairs.into_iter().map(of_run));
        }
    }
    copied
}

/// A file of the change and one that it may be copied from.
struct FilePair<'a> {
    query: Side<'a>,
    target: Side<'a>,
    /// The files of base, if it matters what they contained.
    base: Option<&'a [Predecessor]>,
    /// For each fingerprint of the query, the number of files that have it.
    frequencies: &'a [(u32, u32)],
    /// What the copies in the query are judged with.
    thresholds: &'a Thresholds,
    /// For each token of the query, whether git calls its line added.
    added: &'a OnceCell<Vec<bool>>,
}

impl FilePair<'_> {
    /// The parts of `alignment` that the change copied from the target into the query.
    ///
    /// A novel token counts when what it is aligned with
    ///
    /// - was there before the change, or was moved; or
    /// - is novel too, and comes first: of two new copies, the later one is the copy. Pieces that
    ///   base had, put together alike in both, are none.
    ///
    /// What was already a pair in `base` is not a copy. Of each, whether it was inserted into both
    /// members of such a pair.
    ///
    /// `old` are the tokens of the query that earlier alignments with this target showed to be such
    /// a pair: repetitive code can be aligned in other ways too, which prove nothing new. Those of
    /// this alignment are added.
    fn copies(&self, alignment: &Alignment, old: &mut BTreeSet<usize>) -> Vec<(ClonePair, bool)> {
        let &Self { query, target, base, frequencies, thresholds, added } = self;
        let Thresholds { min_tokens, ref matching, min_rarity, .. } = *thresholds;
        let counts = |&(a, b): &(usize, usize)| {
            let comes_first = (&target.source.path, b) < (&query.source.path, a);
            query.is_novel(a) && (!target.is_novel(b) || comes_first && !query.is_joined(a))
        };
        let counted: Vec<usize> = alignment.pairs().filter(counts).map(|(a, _)| a).collect();
        // A match of fewer than k tokens is never found: neither where it is alone, nor where
        // others are scattered around it.
        let seen_in = |runs: &[Range<usize>]| -> Vec<usize> {
            runs.iter().flat_map(|run| among(&counted, run)).copied().collect()
        };
        let is_seen = |run: &Range<usize>| run.len() >= matching.k;
        let mut runs = clusters(&counted, |mut range| range.any(|at| !query.is_novel(at)));
        runs.retain(is_seen);
        let mut seen = seen_in(&runs);
        let mut fragments = clusters(&counted, |range| {
            range.filter(|&at| !query.is_novel(at)).count() > MAX_OLD_BETWEEN
        });
        fragments.retain(|fragment| among(&counted, fragment).len() >= min_tokens);
        let are_few = |fragment: &Range<usize>| among(&seen, fragment).len() < min_tokens;
        if let Some(base) = base.filter(|_| fragments.iter().any(are_few)) {
            // What is pasted over old code keeps a few of its tokens, on lines that are new all the
            // same.
            let is_added = added.get_or_init(|| query.added(base));
            let mut pasted = clusters(&counted, |mut range| {
                range.any(|at| !query.is_novel(at) && !is_added[at])
            });
            pasted.retain(|run| is_seen(run) && query.pastes(run.clone(), base));
            let is_pasted = |at: usize| {
                let next = pasted.partition_point(|of| of.end <= at);
                pasted.get(next).is_some_and(|of| of.start <= at)
            };
            runs.retain(|run| !is_pasted(run.start));
            runs.extend(pasted);
            runs.sort_by_key(|run| run.start);
            seen = seen_in(&runs);
        }
        let within = |fragment: &Range<usize>| among(&seen, fragment);
        let is_enough = |fragment: &Range<usize>| within(fragment).len() >= min_tokens;
        fragments.retain(is_enough);
        let is_of_old_pair = |fragment: &Range<usize>| {
            let n_old = within(fragment).iter().filter(|at| old.contains(at)).count();
            2 * n_old > within(fragment).len()
        };
        fragments.retain(|fragment| !is_of_old_pair(fragment));
        let parts = match base {
            Some(base) => {
                let pairs = Pairs { query, target, alignment, base, params: matching };
                let mut parts = pairs.new_parts(fragments.clone(), &runs);
                let is_new = |at: &usize| parts.iter().any(|part| part.range.contains(at));
                old.extend(fragments.into_iter().flatten().filter(|at| !is_new(at)));
                parts.retain(|part| is_enough(&part.range));
                parts
            }
            None => fragments.into_iter().map(|range| Part { range, is_in_both: false }).collect(),
        };
        let (document, other) = (query.source.document(), target.source.document());
        let counts = |pair: &ClonePair| {
            is_enough(&pair.alignment.query())
                && (is_long_or_whole(pair, document, min_tokens)
                    || rarity(&pair.alignment, frequencies, matching.k) >= min_rarity)
        };
        let mut copies = Vec::new();
        for Part { range, is_in_both } in parts {
            let fragment = completed(range, alignment, query.source);
            let part = beyond_seam(alignment.within(fragment), alignment, query, target);
            let part = without_neighbors(part, document, other);
            let pairs = clones(part, document.tokens, other.tokens, matching).into_iter();
            copies.extend(pairs.filter(counts).map(|pair| (pair, is_in_both)));
        }
        copies
    }
}

/// Those of `positions`, which ascend, that are in `range`.
fn among<'p>(positions: &'p [usize], range: &Range<usize>) -> &'p [usize] {
    let before = |end: usize| positions.partition_point(|&at| at < end);
    &positions[before(range.start)..before(range.end)]
}

/// Extends a fragment of novel tokens to whole lines, and to the ends of the brackets that it
/// opens, as far as the alignment continues without a gap: which of two equal tokens a diff
/// considers novel is arbitrary.
fn completed(fragment: Range<usize>, alignment: &Alignment, source: &Source) -> Range<usize> {
    let document = source.document();
    let block_of = |at: usize| {
        let holds = |block: &&Block| (block.query..block.query + block.len).contains(&(at as u32));
        let block = alignment.blocks.iter().find(holds);
        block.map(|block| block.query as usize..(block.query + block.len) as usize)
    };
    let mut start = fragment.start;
    let first = block_of(start).map_or(start, |block| block.start);
    while start > first && !document.starts_line(start) {
        start -= 1;
    }
    if !document.starts_line(start) {
        start = fragment.start;
    }
    let mut end = fragment.end;
    let last = block_of(end - 1).map_or(end, |block| block.end);
    let tokens = &source.tokens;
    let mut depth: i64 = tokens[start..end].iter().map(Token::nesting).sum();
    while end < last && (!document.starts_line(end) || depth > 0 && tokens[end].is_closing()) {
        depth += tokens[end].nesting();
        end += 1;
    }
    start..end
}

/// Extends a copy right after its origin, or right before it, to its last novel token.
///
/// In `A A` within one file, the repeat has a period but no beginning: `alignment` was cut where
/// its sides meet, which may be a few tokens before the first novel one. The copy then lacks as
/// many at its end.
fn beyond_seam(
    mut fragment: Alignment,
    alignment: &Alignment,
    query: Side<'_>,
    target: Side<'_>,
) -> Alignment {
    let (all, of_all) = (alignment.query(), alignment.target());
    let is_same = target.changed.is_some() && query.source.path == target.source.path;
    let meets_itself = is_same && (of_all.end == all.start || all.end == of_all.start);
    if !meets_itself || fragment.query().end != all.end {
        return fragment;
    }
    let (start, of_start) = (fragment.query().start, fragment.target().start);
    let (mut end, mut of_end) = (all.end, of_all.end);
    let symbol = |at: usize| query.source.tokens.get(at).map(|token| token.symbol);
    let is_apart =
        |end: usize, of_end: usize| if start < of_start { end < of_start } else { of_end < start };
    while is_apart(end, of_end)
        && symbol(end).is_some()
        && symbol(end) == symbol(of_end)
        && query.is_novel(end)
    {
        fragment.extend([(end, of_end)]);
        (end, of_end) = (end + 1, of_end + 1);
    }
    fragment
}

/// Minimum length of a run that is no idiom however often it occurs, as a multiple of `min-tokens`.
const LONG: usize = 2;

/// Whether a clone counts however common it is: it is long, or a whole function. Rarity only
/// filters idioms.
pub(in crate::audit) fn is_long_or_whole(
    pair: &ClonePair,
    query: Document<'_>,
    min_tokens: usize,
) -> bool {
    pair.longest_run >= LONG * min_tokens || query.holds_unit(pair.alignment.query(), min_tokens)
}

/// How rare the seeds of a clone are, 0 to 1: the mean of their weights.
///
/// A seed found in a few files counts fully. One found in many is a common way to write code, and
/// counts in inverse proportion (the document frequency of information retrieval).
pub(in crate::audit) fn rarity(alignment: &Alignment, frequencies: &[(u32, u32)], k: usize) -> f64 {
    let k = k as u32;
    let mut weight = 0.0;
    let mut n_seeds = 0.0;
    for block in alignment.blocks.iter().filter(|block| block.len >= k) {
        let from = frequencies.partition_point(|&(position, _)| position < block.query);
        let within = frequencies[from..]
            .iter()
            .take_while(|&&(position, _)| position + k <= block.query + block.len);
        for &(_, n_files) in within {
            weight += (FEW_FILES / f64::from(n_files.max(1))).min(1.0);
            n_seeds += 1.0;
        }
    }
    if n_seeds == 0.0 { 0.0 } else { weight / n_seeds }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RawConfig;
    use crate::matching::Block;

    #[test]
    fn a_run_of_twice_the_minimum_counts_however_common_it_is() {
        let text: String = (0..100).map(|at| format!("w{at} + ")).collect();
        let mut tokens = Vec::new();
        let languages = crate::language::Languages::builtin();
        languages.get("c").expect("C is built in").lexer.tokenize(text.as_bytes(), &mut tokens);
        let document = Document::new(text.as_bytes(), &tokens);
        let is_long = |len: u32| {
            let alignment = Alignment { blocks: vec![Block { query: 0, target: 0, len }] };
            is_long_or_whole(&ClonePair::new(alignment, &tokens, &tokens), document, 40)
        };
        assert_eq!((is_long(80), is_long(79)), (true, false));
    }

    /// As `docs/semantics.md` says: five files count whole, fifty a tenth.
    #[test]
    fn a_seed_in_up_to_five_files_counts_whole_and_one_in_fifty_a_tenth() {
        let config = Config::new(RawConfig::default(), "a test").expect("the defaults are valid");
        let k = config.matching.k as u32;
        let alignment = Alignment { blocks: vec![Block { query: 10, target: 0, len: k + 1 }] };
        let check = |frequencies: &[(u32, u32)], expected: f64| {
            let found = rarity(&alignment, frequencies, config.matching.k);
            assert!((found - expected).abs() < 1e-9, "{frequencies:?}: {found}");
        };
        check(&[(10, 1)], 1.0);
        check(&[(10, 5)], 1.0);
        check(&[(10, 6)], 5.0 / 6.0);
        check(&[(10, 50)], 0.1);
        check(&[(10, 5), (11, 50)], 0.55);
        // Seeds that extend beyond the run are not part of it.
        check(&[(9, 1), (10, 50), (12, 1)], 0.1);
        check(&[], 0.0);
    }
}
