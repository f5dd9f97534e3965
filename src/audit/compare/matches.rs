//! Finds the passages that two submissions share: each token is in at most one.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::Match;
use super::prints::Read;
use super::tiles::Tiles;
use crate::audit::judge::fragment;
use crate::audit::read::Source;
use crate::config::Config;
use crate::matching::{Aligned, Alignment, Block, ClonePair, Document, Shared, alignments, clones, seeds};
use crate::text::Lines;

/// A clone of two files, by their numbers in the submissions.
struct FoundPair {
    files: (usize, usize),
    pair: ClonePair,
}

impl FoundPair {
    /// How well it explains its fragments: of two, the one that is joined from pieces explains less.
    fn evidence(&self) -> i64 {
        let n_gap = self.pair.alignment.query().len() - self.pair.alignment.n_tokens();
        self.pair.n_exact as i64 - n_gap as i64
    }
}

/// The matches of two submissions, and how many tokens of each they cover; each token is in at most one match.
///
/// Long passages that are spelled the same take their tokens first, then those that are the same but for their names
/// (see [`Tiles`]), so functions in another order match each with its own. Then the best match takes its tokens on both
/// sides, and what is left of the next one is judged again, so an exact match is never hidden by a longer one that
/// merely spans it.
pub(super) fn matches(a: &Read, b: &Read, config: &Config) -> (Vec<Match>, (usize, usize)) {
    let of_a: Vec<Document<'_>> = a.sources.iter().map(Source::document).collect();
    let of_b: Vec<Document<'_>> = b.sources.iter().map(Source::document).collect();
    let (mut aligned, mut runs) = (Vec::new(), Vec::new());
    for (files, shared) in shared(a, b) {
        let (query, target) = (of_a[files.0], of_b[files.1]);
        let of_files = aligned_parts(query, target, &shared, &a.ignored[files.0], config);
        aligned.extend(of_files.alignments.into_iter().map(|alignment| (files, alignment)));
        runs.extend(of_files.runs.into_iter().map(|run| (files, run)));
    }
    // No passage of fewer tokens is ever a match.
    let min_tile = config.min_tokens.min(config.matching.min_run);
    let tiles = Tiles::new(&aligned, &runs, &of_a, &of_b, min_tile);
    // A run that chaining joined to others, and that was lost when the chain was judged, is a match of its own.
    aligned.extend(runs.into_iter().map(|(files, run)| (files, Alignment { blocks: vec![run] })));
    let mut found = Vec::new();
    for (files, alignment) in &aligned {
        for own in tiles.own_parts(*files, alignment) {
            let pairs = clones(own, of_a[files.0].tokens, of_b[files.1].tokens, &config.matching);
            found.extend(pairs.into_iter().map(|pair| FoundPair { files: *files, pair }));
        }
    }
    found.sort_by_cached_key(|found| {
        (
            Reverse(found.evidence()),
            found.files,
            found.pair.alignment.query().start,
            found.pair.alignment.target().start,
        )
    });
    let unmatched = |read: &Read| read.sources.iter().map(|source| vec![true; source.tokens.len()]).collect::<Vec<_>>();
    let (mut free_a, mut free_b) = (unmatched(a), unmatched(b));
    let mut matches = Vec::new();
    for FoundPair { files, pair } in found {
        let (query, target) = (&a.sources[files.0], &b.sources[files.1]);
        let (free_of_a, free_of_b) = (&mut free_a[files.0], &mut free_b[files.1]);
        let left: Alignment = pair.alignment.pairs().filter(|&(at, to)| free_of_a[at] && free_of_b[to]).collect();
        let pairs = match left.n_tokens() == pair.alignment.n_tokens() {
            true => vec![pair],
            false => clones(left, &query.tokens, &target.tokens, &config.matching),
        };
        for pair in pairs.into_iter().filter(|pair| pair.alignment.n_tokens() >= config.min_tokens) {
            let (in_query, in_target) = (pair.alignment.query(), pair.alignment.target());
            // What is in its gaps may be part of another match.
            for (at, to) in pair.alignment.pairs() {
                (free_of_a[at], free_of_b[to]) = (false, false);
            }
            let of_query = fragment(&query.text, &Lines::new(&query.text), &query.tokens[in_query.clone()]);
            let of_target = fragment(&target.text, &Lines::new(&target.text), &target.tokens[in_target]);
            let (Some(of_query), Some(of_target)) = (of_query, of_target) else { continue };
            let found = Match {
                a: (query.path.clone(), of_query),
                b: (target.path.clone(), of_target),
                clone_type: pair.clone_type,
                similarity: pair.similarity,
                n_tokens: in_query.len(),
            };
            matches.push((found, files));
        }
    }
    matches.sort_by_cached_key(|(found, files)| (Reverse(found.n_tokens), *files, found.a.1));
    let n = |free: &[Vec<bool>]| free.iter().flatten().filter(|&&free| !free).count();
    (matches.into_iter().map(|(found, _)| found).collect(), (n(&free_a), n(&free_b)))
}

/// The fingerprints that each two files share.
fn shared(a: &Read, b: &Read) -> BTreeMap<(usize, usize), Vec<Shared>> {
    let mut places_in_b: HashMap<u64, Vec<(usize, u32)>> = HashMap::new();
    for (file, prints) in b.prints.iter().enumerate() {
        for &(hash, position) in prints {
            places_in_b.entry(hash).or_default().push((file, position));
        }
    }
    let mut shared: BTreeMap<(usize, usize), Vec<Shared>> = BTreeMap::new();
    for (file, prints) in a.prints.iter().enumerate() {
        let mut prints = prints.clone();
        prints.sort_unstable();
        for of_one in prints.chunk_by(|a, b| a.0 == b.0) {
            let Some(places) = places_in_b.get(&of_one[0].0) else { continue };
            let query: Vec<u32> = of_one.iter().map(|&(_, position)| position).collect();
            for of_other in places.chunk_by(|a, b| a.0 == b.0) {
                let target = of_other.iter().map(|&(_, position)| position).collect();
                shared.entry((file, of_other[0].0)).or_default().push(Shared { query: query.clone(), target });
            }
        }
    }
    shared
}

/// The alignments and runs of two files, cut to the code of the query that counts.
fn aligned_parts(
    query: Document<'_>,
    target: Document<'_>,
    shared: &[Shared],
    ignored: &[bool],
    config: &Config,
) -> Aligned {
    let mut seeds = seeds(query, target, shared, config.matching.k, false);
    let own_parts = |alignment: &Alignment| -> Vec<Alignment> {
        let own = own_runs(alignment.query(), ignored, config.matching.k).into_iter();
        own.map(|own| alignment.within(own)).filter(|part| part.n_tokens() >= config.matching.min_run).collect()
    };
    let Aligned { alignments, runs, limits } = alignments(query, target, &mut seeds, &config.matching, false);
    let of_run = |run: Block| own_parts(&Alignment { blocks: vec![run] }).into_iter().flat_map(|part| part.blocks);
    Aligned {
        alignments: alignments.iter().flat_map(own_parts).collect(),
        runs: runs.into_iter().flat_map(of_run).collect(),
        limits,
    }
}

/// The runs of `range` that count; fewer than `k` ignored tokens in a row do not split a run.
fn own_runs(range: Range<usize>, ignored: &[bool], k: usize) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for at in range.filter(|&at| !ignored[at]) {
        match runs.last_mut() {
            Some(last) if at - last.end < k => last.end = at + 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}
