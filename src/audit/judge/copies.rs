//! Judges an alignment against a change: which part of it is a copy that the change brings in.
//!
//! This file is section "What counts as a newly introduced copy" of the
//! documentation, in code.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::audit::change::{Changed, MAX_OLD_BETWEEN, clusters};
use crate::audit::read::Source;
use crate::audit::search::{FEW_FILES, SearchOutcome};
use crate::config::Config;
use crate::matching::{Alignment, Block, ClonePair, Document, Enough, Evidence, clones};
use crate::policy::Place;
use crate::text::FilePath;

/// A copy of a query's novel code, and the file of the tree it stands in.
pub(in crate::audit) struct Copied {
    /// The number of the target among those found.
    pub found: usize,
    pub pair: ClonePair,
    /// Whether the files are the same, byte for byte.
    pub is_whole: bool,
}

/// For each of `asking`, what the change copied into it; of other projects only that for which there is evidence `enough`.
pub(in crate::audit) fn copies_of(
    asking: &[&Changed],
    searched: &SearchOutcome,
    changed: &[Changed],
    enough: Option<&Enough>,
    config: &Config,
) -> Vec<Vec<Copied>> {
    let novel: BTreeMap<&FilePath, &[bool]> = changed.iter().map(|file| (&file.source.path, &*file.novel)).collect();
    let SearchOutcome { found, frequencies, .. } = searched;
    let mut copied: Vec<Vec<Copied>> = asking.iter().map(|_| Vec::new()).collect();
    for (number, found) in found.iter().enumerate() {
        let is_outside = found.place != Place::Tree;
        let novel = if is_outside { None } else { novel.get(&found.target.path).copied() };
        let target = Side { source: &found.target, novel };
        for (query, alignment) in &found.alignments {
            if found.whole.contains(query) {
                let source = &asking[*query].source;
                // What stood there before, and was made whole by a small change, is judged as any other change.
                if 2 * asking[*query].n_novel() >= source.tokens.len() {
                    let pair = ClonePair::new(alignment.clone(), &source.tokens, &found.target.tokens);
                    copied[*query].push(Copied { found: number, pair, is_whole: true });
                    continue;
                }
            }
            let side = Side { source: &asking[*query].source, novel: Some(&asking[*query].novel) };
            let pairs = copies(side, target, alignment, &frequencies[*query], config);
            let evidence = |pair: &ClonePair| Evidence::new(pair, side.source.document(), &found.target.tokens);
            // One that is evident speaks for the others: whoever took it had the file.
            if enough.is_some_and(|enough| !pairs.iter().any(|pair| evidence(pair).is(enough))) {
                continue;
            }
            copied[*query].extend(pairs.into_iter().map(|pair| Copied { found: number, pair, is_whole: false }));
        }
    }
    copied
}

/// A side of an alignment.
#[derive(Debug, Clone, Copy)]
struct Side<'a> {
    source: &'a Source,
    /// `None` when the change does not touch the file.
    novel: Option<&'a [bool]>,
}

impl Side<'_> {
    fn is_novel(&self, at: usize) -> bool {
        self.novel.is_some_and(|novel| novel[at])
    }
}

/// The parts of `alignment` that the change copied from `target` into `query`.
///
/// A novel token counts when what it is aligned with
///
/// - was there before the change, or was moved; or
/// - is novel too, and comes first: of two new copies, the later is the copy. Not so
///   within a clone that was there before: then the change edited both its members alike.
fn copies(
    query: Side<'_>,
    target: Side<'_>,
    alignment: &Alignment,
    frequencies: &[(u32, u32)],
    config: &Config,
) -> Vec<ClonePair> {
    let counts = |&(a, b): &(usize, usize)| {
        let comes_first = (&target.source.path, b) < (&query.source.path, a);
        query.is_novel(a) && (!target.is_novel(b) || comes_first)
    };
    let counted: Vec<usize> = alignment.pairs().filter(counts).map(|(a, _)| a).collect();
    let n_counted = |fragment: &Range<usize>| counted.iter().filter(|at| fragment.contains(at)).count();
    let (tokens, others) = (&query.source.tokens, &target.source.tokens);
    clusters(&counted, |range| range.filter(|&at| !query.is_novel(at)).count() > MAX_OLD_BETWEEN)
        .into_iter()
        .filter(|fragment| n_counted(fragment) >= config.min_tokens)
        .filter(|fragment| !is_same_edit(query, target, alignment, fragment, config))
        .map(|fragment| completed(fragment, alignment, query.source))
        .flat_map(|fragment| clones(alignment.within(fragment), tokens, others, &config.matching))
        .filter(|pair| n_counted(&pair.alignment.query()) >= config.min_tokens)
        .filter(|pair| {
            is_long_or_whole(pair, query.source.document(), config.min_tokens)
                || rarity(&pair.alignment, frequencies, config) >= config.min_rarity
        })
        .collect()
}

/// Completes a fragment of novel tokens to whole lines, and closes the brackets it opens, as far as the
/// alignment goes on without a gap: which of two equal tokens a diff calls novel is chance.
fn completed(fragment: Range<usize>, alignment: &Alignment, source: &Source) -> Range<usize> {
    let document = source.document();
    let block_of = |at: usize| {
        let holds = |block: &&Block| (block.query..block.query + block.len).contains(&(at as u32));
        alignment.blocks.iter().find(holds).map(|block| block.query as usize..(block.query + block.len) as usize)
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
    let mut n_open = 0i64;
    let mut bracket = |at: usize| {
        match source.tokens[at].text(&source.text) {
            b"(" | b"[" | b"{" => n_open += 1,
            b")" | b"]" | b"}" => n_open -= 1,
            _ => {}
        }
        n_open
    };
    let mut depth = (start..end).map(&mut bracket).last().unwrap_or(0);
    while end < last && (!document.starts_line(end) || depth > 0 && closes(source, end)) {
        depth = bracket(end);
        end += 1;
    }
    start..end
}

fn closes(source: &Source, at: usize) -> bool {
    matches!(source.tokens[at].text(&source.text), b")" | b"]" | b"}")
}

/// The part of the tokens beside an edit that must be aligned to show that a clone was there before.
const WAS_CLONE: f64 = 0.75;
/// How far beside an edit, in units of `min-tokens`, a clone is looked at.
const BESIDE: usize = 3;

/// Whether the change made the same edit to both members of an old clone: what is
/// novel here is novel there too, the tokens on one side of it were a clone before, and the edit lies within
/// brackets of theirs or is no larger than they are. A larger one beside them is a copy of its own.
fn is_same_edit(
    query: Side<'_>,
    target: Side<'_>,
    alignment: &Alignment,
    fragment: &Range<usize>,
    config: &Config,
) -> bool {
    let is_novel_in_both = |&(a, b): &(usize, usize)| query.is_novel(a) && target.is_novel(b);
    let edited = alignment.within(fragment.clone());
    if 2 * edited.pairs().filter(is_novel_in_both).count() <= edited.n_tokens() {
        return false;
    }
    let n_beside = (BESIDE * config.min_tokens).max(fragment.len());
    let before = fragment.start.saturating_sub(n_beside)..fragment.start;
    let after = fragment.end..fragment.end + n_beside;
    let old = |beside: Range<usize>| -> Alignment {
        alignment.within(beside).pairs().filter(|&(a, b)| !query.is_novel(a) && !target.is_novel(b)).collect()
    };
    let sides = [old(before), old(after)];
    let n_old: usize = sides.iter().map(Alignment::n_tokens).sum();
    if n_old < edited.n_tokens() && !is_in_brackets(query.source, sides[0].query().start..fragment.start) {
        return false;
    }
    sides.into_iter().any(|old| {
        let is_long = old.n_tokens() as f64 >= WAS_CLONE * config.min_tokens as f64;
        is_long && ClonePair::new(old, &query.source.tokens, &target.source.tokens).is_clone(&config.matching)
    })
}

/// Whether a bracket that the tokens `before` open is still open behind them.
fn is_in_brackets(source: &Source, before: Range<usize>) -> bool {
    let mut n_closed = 0usize;
    for token in source.tokens[before].iter().rev() {
        match token.text(&source.text) {
            b")" | b"]" | b"}" => n_closed += 1,
            b"(" | b"[" | b"{" if n_closed == 0 => return true,
            b"(" | b"[" | b"{" => n_closed -= 1,
            _ => {}
        }
    }
    false
}

/// A run of this many times `min-tokens` is no idiom, however often it occurs.
const LONG: usize = 2;

/// Whether a clone says something whatever else holds it: it is long, or a whole function. Rarity silences idioms only.
pub(in crate::audit) fn is_long_or_whole(pair: &ClonePair, query: Document<'_>, min_tokens: usize) -> bool {
    pair.longest_run >= LONG * min_tokens || query.holds_unit(pair.alignment.query(), min_tokens)
}

/// How rare the seeds of a clone are, 0 to 1: the mean of what each tells.
///
/// A seed in a few files tells all; one in many is how such code is written, and tells in
/// inverse proportion (the document frequency of information retrieval).
pub(in crate::audit) fn rarity(alignment: &Alignment, frequencies: &[(u32, u32)], config: &Config) -> f64 {
    let k = config.matching.k as u32;
    let mut told = 0.0;
    let mut n_seeds = 0.0;
    for block in alignment.blocks.iter().filter(|block| block.len >= k) {
        let from = frequencies.partition_point(|&(position, _)| position < block.query);
        let within = frequencies[from..].iter().take_while(|&&(position, _)| position + k <= block.query + block.len);
        for &(_, n_files) in within {
            told += (FEW_FILES / f64::from(n_files.max(1))).min(1.0);
            n_seeds += 1.0;
        }
    }
    if n_seeds == 0.0 { 0.0 } else { told / n_seeds }
}
