//! Judges an alignment against a change: which part of it is a copy that the change adds.
//!
//! This file is docs/semantics.md, "What counts as a new copy", in code.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::old_pairs::{Pairs, Part, Side};
use crate::audit::change::{ChangedFile, MAX_OLD_BETWEEN, Predecessor, clusters};
use crate::audit::read::{Source, n_marked};
use crate::audit::search::SearchOutcome;
use crate::config::{Config, Thresholds};
use crate::language::Token;
use crate::matching::{
    Alignment, ClonePair, Document, Enough, Evidence, clones, mean_rarity, without_neighbors,
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
    /// Whether it is a single run, which others probably contain.
    pub is_run: bool,
    /// Whether the change inserted it into both members of an old pair.
    pub is_in_both: bool,
}

/// What the change copied into each of `asking`; from other projects only with `enough` evidence.
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
        let alignments = found.alignments.iter();
        let alignments = alignments.map(|(query, of)| (*query, Cow::Borrowed(of), false));
        let runs = found.runs.iter().filter(|(query, run)| {
            let novel = &asking[*query].novel[run.query as usize..(run.query + run.len) as usize];
            n_marked(novel) >= thresholds[*query].min_tokens && !found.whole.contains(query)
        });
        let runs =
            runs.map(|(query, run)| (*query, Cow::Owned(Alignment { blocks: vec![*run] }), true));
        let mut old_of: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for (query, alignment, is_run) in alignments.chain(runs) {
            let source = &asking[query].source;
            // What a small change made identical is judged like any other change.
            if found.whole.contains(&query) && 2 * asking[query].n_added() >= source.tokens.len() {
                let tokens = &found.target.tokens;
                let pair = ClonePair::new(alignment.into_owned(), &source.tokens, tokens);
                let (is_whole, is_run, is_in_both) = (true, false, false);
                copied[query].push(TreeCopy { found: number, pair, is_whole, is_run, is_in_both });
                continue;
            }
            let of_files = FilePair {
                query: Side { source, changed: Some(asking[query]) },
                target,
                base,
                frequencies: &frequencies[query],
                thresholds: &thresholds[query],
                added: &added[query],
            };
            let pairs = of_files.copies(&alignment, old_of.entry(query).or_default());
            // A copy with evidence is evidence for the others too: its author had the file.
            let is_evident = enough.is_none_or(|enough| {
                let (document, tokens) = (source.document(), &found.target.tokens);
                pairs.iter().any(|(of, _)| Evidence::new(of, document, tokens, enough).is(enough))
            });
            if is_evident {
                for (pair, is_in_both) in pairs {
                    let (found, is_whole) = (number, false);
                    copied[query].push(TreeCopy { found, pair, is_whole, is_run, is_in_both });
                }
            }
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
        let &Self { query, target, base, frequencies, thresholds, .. } = self;
        let Thresholds { min_tokens, ref matching, min_rarity, .. } = *thresholds;
        let counted = self.counted(alignment);
        let mut fragments = clusters(&counted, |range| {
            range.filter(|&at| !query.is_novel(at)).count() > MAX_OLD_BETWEEN
        });
        fragments.retain(|fragment| among(&counted, fragment).len() >= min_tokens);
        let (runs, seen) = self.runs(&counted, &fragments);
        fragments.retain(|fragment| {
            let seen = among(&seen, fragment);
            let n_old = seen.iter().filter(|at| old.contains(at)).count();
            seen.len() >= min_tokens && 2 * n_old <= seen.len()
        });
        let parts = match base {
            Some(base) => {
                let pairs = Pairs { query, target, alignment, base, params: matching };
                let mut parts = pairs.new_parts(fragments.clone(), &runs);
                let mut tokens: Vec<usize> = fragments.into_iter().flatten().collect();
                tokens.retain(|at| !parts.iter().any(|part| part.range.contains(at)));
                old.extend(tokens);
                parts.retain(|part| among(&seen, &part.range).len() >= min_tokens);
                parts
            }
            None => fragments.into_iter().map(|range| Part { range, is_in_both: false }).collect(),
        };
        let (document, other) = (query.source.document(), target.source.document());
        let mut copies = Vec::new();
        for Part { range, is_in_both } in parts {
            let fragment = completed(range, alignment, query.source);
            let part = beyond_seam(alignment.within(fragment), alignment, query, target);
            let part = without_neighbors(part, document, other);
            let pairs = clones(part, document.tokens, other.tokens, matching).into_iter();
            let pairs = pairs.filter(|pair| {
                among(&seen, &pair.alignment.query()).len() >= min_tokens
                    && (is_long_or_whole(pair, document, min_tokens)
                        || rarity(&pair.alignment, frequencies, matching.k) >= min_rarity)
            });
            copies.extend(pairs.map(|pair| (pair, is_in_both)));
        }
        copies
    }

    fn counted(&self, alignment: &Alignment) -> Vec<usize> {
        let &Self { query, target, .. } = self;
        let counted = alignment.pairs().filter(|&(a, b)| {
            let comes_first = (&target.source.path, b) < (&query.source.path, a);
            query.is_novel(a) && (!target.is_novel(b) || comes_first && !query.is_joined(a))
        });
        counted.map(|(a, _)| a).collect()
    }

    /// The runs of novel tokens with those that are `counted`, and these: a match of fewer than k
    /// tokens is never found, alone or with others scattered around it.
    ///
    /// If they are too few for one of the `fragments`, what is pasted over old code is a run, too:
    /// it keeps a few of its tokens, on lines that are new all the same.
    fn runs(
        &self,
        counted: &[usize],
        fragments: &[Range<usize>],
    ) -> (Vec<Range<usize>>, Vec<usize>) {
        let Thresholds { min_tokens, ref matching, .. } = *self.thresholds;
        let query = self.query;
        let mut runs = clusters(counted, |mut range| range.any(|at| !query.is_novel(at)));
        runs.retain(|run| run.len() >= matching.k);
        let seen = among_all(counted, &runs);
        let are_enough =
            fragments.iter().all(|fragment| among(&seen, fragment).len() >= min_tokens);
        let Some(base) = self.base.filter(|_| !are_enough) else { return (runs, seen) };
        let is_added = self.added.get_or_init(|| query.added(base));
        let mut pasted =
            clusters(counted, |mut range| range.any(|at| !query.is_novel(at) && !is_added[at]));
        pasted.retain(|run| run.len() >= matching.k && query.pastes(run.clone(), base));
        runs.retain(|run| {
            let next = pasted.partition_point(|of| of.end <= run.start);
            pasted.get(next).is_none_or(|of| of.start > run.start)
        });
        runs.extend(pasted);
        runs.sort_unstable_by_key(|run| run.start);
        let seen = among_all(counted, &runs);
        (runs, seen)
    }
}

/// Those of `positions`, which ascend, that are in `ranges`.
fn among_all(positions: &[usize], ranges: &[Range<usize>]) -> Vec<usize> {
    ranges.iter().flat_map(|range| among(positions, range)).copied().collect()
}

/// Those of `positions`, which ascend, that are in `range`.
fn among<'p>(positions: &'p [usize], range: &Range<usize>) -> &'p [usize] {
    let first = positions.partition_point(|&at| at < range.start);
    let behind = positions.partition_point(|&at| at < range.end);
    &positions[first..behind]
}

/// Extends a fragment to whole lines and the ends of the brackets that it opens, as far as the
/// alignment has no gap: which of two equal tokens a diff considers novel is arbitrary.
fn completed(fragment: Range<usize>, alignment: &Alignment, source: &Source) -> Range<usize> {
    let document = source.document();
    let first = alignment.block_at(fragment.start).map_or(fragment.start, |block| block.start);
    let starts = (first..=fragment.start).rev().find(|&at| document.starts_line(at));
    let start = starts.unwrap_or(fragment.start);
    let mut end = fragment.end;
    let last = alignment.block_at(end - 1).map_or(end, |block| block.end);
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
    let tokens = &query.source.tokens;
    // Where the two would meet: at the beginning of the later one.
    while (if start < of_start { end < of_start } else { of_end < start })
        && let (Some(own), Some(other)) = (tokens.get(end), tokens.get(of_end))
        && own.symbol == other.symbol
        && query.is_novel(end)
    {
        fragment.extend([(end, of_end)]);
        (end, of_end) = (end + 1, of_end + 1);
    }
    fragment
}

/// Whether a clone counts however common it is: rarity only filters idioms.
pub(in crate::audit) fn is_long_or_whole(
    pair: &ClonePair,
    query: Document<'_>,
    min_tokens: usize,
) -> bool {
    pair.longest_run >= 2 * min_tokens || query.holds_unit(pair.alignment.query(), min_tokens)
}

/// How rare the seeds of a clone are, 0 to 1.
fn rarity(alignment: &Alignment, frequencies: &[(u32, u32)], k: usize) -> f64 {
    let k = k as u32;
    let blocks = alignment.blocks.iter().filter(|block| block.len >= k);
    mean_rarity(blocks.flat_map(|block| {
        let from = frequencies.partition_point(|&(position, _)| position < block.query);
        let within = frequencies[from..].iter();
        let within = within.take_while(move |(at, _)| at + k <= block.query + block.len);
        within.map(|&(_, n_files)| n_files)
    }))
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
