//! Finds the passages that two submissions share: each token is in at most one.

use std::cmp::Reverse;

use super::Match;
use super::file_pairs::{FilePairs, PassedOver};
use super::prints::ReadSubmission;
use super::tiles::Tiles;
use crate::audit::change::clusters;
use crate::audit::read::Source;
use crate::config::Config;
use crate::matching::{
    Alignment, Alignments, Block, ClonePair, Document, SeedSide, SharedKgram, Shortfall,
    alignments, clones, seeds,
};
use crate::text::FilePath;

pub(super) struct SharedCode {
    /// The passages, the longest first.
    pub matches: Vec<Match>,
    /// How many tokens of each they cover.
    pub n_matched: (usize, usize),
    /// Files of the first that were compared in part.
    pub limits: Vec<(FilePath, Shortfall)>,
}

/// Finds the matches of two submissions; each token is in at most one.
///
/// Long passages that are spelled the same take their tokens first, then those that are the same
/// but for their names (see [`Tiles`]), so functions in another order match each with its own. Then
/// the best match takes its tokens on both sides, and what is left of the next one is judged again,
/// so an exact match is never hidden by a longer one that merely spans it. In the end what is free
/// of a run goes to the match that has what is next to it, or is a match if it is long enough: of
/// tokens that were taken by what became no match, none is lost.
pub(super) fn matches(a: &ReadSubmission, b: &ReadSubmission, config: &Config) -> SharedCode {
    let of_a: Vec<Document<'_>> = a.sources.iter().map(Source::document).collect();
    let of_b: Vec<Document<'_>> = b.sources.iter().map(Source::document).collect();
    let (mut aligned, mut runs, mut limits) = (Vec::new(), Vec::new(), Vec::new());
    let FilePairs { shared, passed_over } = FilePairs::new(a, b, config.matching.k);
    for (files, shared) in shared {
        let (query, target) = (of_a[files.0], of_b[files.1]);
        let of_files = aligned_parts(query, target, &shared, &a.ignored[files.0], config);
        if of_files.limits.is_any() {
            limits.push((a.sources[files.0].path.clone(), of_files.limits));
        }
        aligned.extend(of_files.alignments.into_iter().map(|alignment| (files, alignment)));
        runs.extend(of_files.runs.into_iter().map(|run| (files, run)));
    }
    let mut tiles = Tiles::new(&of_a, &of_b, config);
    tiles.tile(&aligned, &runs, |files, run| {
        if a.ignored[files.0][run.query as usize..][..run.len as usize].contains(&true) {
            return false;
        }
        let alignment = Alignment { blocks: vec![run] };
        let pair = ClonePair::new(alignment, of_a[files.0].tokens, of_b[files.1].tokens);
        pair.is_clone(&config.matching)
    });
    // A run of a chain that was lost when the chain was judged is a match of its own.
    let n_aligned = aligned.len();
    runs.append(&mut tiles.paragraphs);
    aligned.extend(runs.into_iter().map(|(files, run)| (files, Alignment { blocks: vec![run] })));
    let mut found = Vec::new();
    for (files, alignment) in &aligned {
        for own in tiles.own_parts(*files, alignment) {
            let pairs = clones(own, of_a[files.0].tokens, of_b[files.1].tokens, &config.matching);
            found.extend(pairs.into_iter().map(|pair| (*files, pair)));
        }
    }
    found.sort_by_cached_key(|(files, pair)| {
        let starts = (pair.alignment.query().start, pair.alignment.target().start);
        (Reverse(evidence(pair)), *files, starts)
    });
    let mut claims = Claims::new(a, b);
    for (files, pair) in found {
        let (query, target) = (of_a[files.0], of_b[files.1]);
        let left: Alignment =
            pair.alignment.pairs().filter(|&at| claims.is_free(files, at)).collect();
        let pairs = match left.n_tokens() == pair.alignment.n_tokens() {
            true => vec![pair],
            false => clones(left, query.tokens, target.tokens, &config.matching),
        };
        for pair in pairs.into_iter().filter(|of| of.alignment.n_tokens() >= config.min_tokens) {
            claims.claim(files, &pair.alignment);
        }
    }
    // What a better match took its tokens for, and then did not become a match.
    let mut runs: Vec<_> =
        aligned[n_aligned..].iter().map(|(files, run)| (*files, run.blocks[0])).collect();
    runs.sort_unstable_by_key(|(files, run)| (Reverse(run.len), *files, *run));
    for (files, run) in runs {
        claims.fill(files, run, [of_a[files.0], of_b[files.1]], config);
    }
    // A file misses nothing by its partners if all that others have of it is matched.
    for (file, of_file) in passed_over {
        if of_file.positions.iter().any(|&at| claims.of_a[file][at as usize].is_none()) {
            let PassedOver { n_alike: n_places, n_left: n_places_left, .. } = of_file;
            let limit = Shortfall { n_places, n_places_left, n_not_extended: 0 };
            limits.push((a.sources[file].path.clone(), limit));
        }
    }
    let (matches, n_matched) = claims.into_matches(a, b);
    SharedCode { matches, n_matched, limits }
}

/// How well a pair explains its fragments: of two, one that is joined from pieces does less so.
fn evidence(pair: &ClonePair) -> i64 {
    let n_gap = pair.alignment.query().len() - pair.alignment.n_tokens();
    pair.n_exact as i64 - n_gap as i64
}

/// Tokens of a file of the first submission, each with its partner in one of the second.
type Partners = Vec<(usize, usize)>;

/// Which tokens of two submissions are matched.
struct Claims {
    /// For each file and token of the first, the file and token of the second, and the match.
    of_a: Vec<Vec<Option<(usize, usize, usize)>>>,
    /// For each file and token of the second, whether it is matched.
    of_b: Vec<Vec<bool>>,
    /// The files of each match, and its tokens of both, in any order.
    matches: Vec<((usize, usize), Partners)>,
}

impl Claims {
    fn new(a: &ReadSubmission, b: &ReadSubmission) -> Self {
        let of_a = a.sources.iter().map(|source| vec![None; source.tokens.len()]).collect();
        let of_b = b.sources.iter().map(|source| vec![false; source.tokens.len()]).collect();
        Self { of_a, of_b, matches: Vec::new() }
    }

    fn is_free(&self, files: (usize, usize), (at, to): (usize, usize)) -> bool {
        self.of_a[files.0][at].is_none() && !self.of_b[files.1][to]
    }

    /// The match that has a token with this partner.
    fn match_of(&self, files: (usize, usize), (at, to): (usize, usize)) -> Option<usize> {
        let (file, other, number) = self.of_a[files.0][at]?;
        ((file, other) == (files.1, to)).then_some(number)
    }

    /// Makes a match of free tokens. What is in its gaps may be part of another match.
    fn claim(&mut self, files: (usize, usize), alignment: &Alignment) {
        self.matches.push((files, Vec::new()));
        self.add(self.matches.len() - 1, alignment);
    }

    /// Adds free tokens to a match.
    fn add(&mut self, number: usize, alignment: &Alignment) {
        let (files, known) = &mut self.matches[number];
        for (at, to) in alignment.pairs() {
            self.of_a[files.0][at] = Some((files.1, to, number));
            self.of_b[files.1][to] = true;
        }
        known.extend(alignment.pairs());
    }

    /// Adds what is free of a run to the matches with the rest of it, or as a match if long enough.
    fn fill(
        &mut self,
        files: (usize, usize),
        run: Block,
        [query, target]: [Document<'_>; 2],
        config: &Config,
    ) {
        let (first, to) = (run.query as usize, run.target as usize);
        let starts_line = |at: usize| query.starts_line(first + at) && target.starts_line(to + at);
        let len = run.len as usize;
        let mut start = 0;
        while start < len {
            let free =
                (start..len).take_while(|&at| self.is_free(files, (first + at, to + at))).count();
            let end = start + free;
            let [before, behind] = [start.checked_sub(1), Some(end).filter(|&end| end < len)]
                .map(|at| self.match_of(files, (first + at?, to + at?)));
            // Whole lines, unless it goes on.
            let from = (start..end).find(|&at| before.is_some() || starts_line(at));
            let until = (start..=end).rfind(|&at| behind.is_some() || starts_line(at));
            if let Some((from, until)) = from.zip(until).filter(|(from, until)| from < until) {
                let alignment: Alignment = (from..until).map(|at| (first + at, to + at)).collect();
                match before.or(behind) {
                    Some(number) => self.add(number, &alignment),
                    None if until - from >= config.min_tokens => self.claim(files, &alignment),
                    None => {
                        // Too short alone: it is shown with what others have around it in the run.
                        let from = from.saturating_sub(config.min_tokens);
                        let until = (until + config.min_tokens).min(len);
                        let from = (from..until).find(|&at| starts_line(at)).unwrap_or(from);
                        let until = (from..=until).rfind(|&at| starts_line(at)).unwrap_or(from);
                        if until - from >= config.min_tokens {
                            self.claim(files, &alignment);
                            let shown = (from..until).map(|at| (first + at, to + at));
                            self.matches.last_mut().expect("it was just added").1.extend(shown);
                        }
                    }
                }
            }
            start = end + 1;
        }
    }

    /// The matches, the longest first, and how many tokens of each submission they cover.
    fn into_matches(self, a: &ReadSubmission, b: &ReadSubmission) -> (Vec<Match>, (usize, usize)) {
        let n_matched = (
            self.of_a.iter().flatten().filter(|of| of.is_some()).count(),
            self.of_b.iter().flatten().filter(|&&is_matched| is_matched).count(),
        );
        let found = self.matches.into_iter().filter_map(|(files, mut pairs)| {
            let (query, target) = (&a.sources[files.0], &b.sources[files.1]);
            pairs.sort_unstable();
            pairs.dedup();
            let pair = ClonePair::new(pairs.into_iter().collect(), &query.tokens, &target.tokens);
            let in_query = pair.alignment.query();
            let of_query = query.fragment(&in_query)?;
            let of_target = target.fragment(&pair.alignment.target())?;
            let found = Match {
                a: (query.path.clone(), of_query),
                b: (target.path.clone(), of_target),
                clone_type: pair.clone_type,
                similarity: pair.similarity,
                n_tokens: in_query.len(),
            };
            Some((found, files))
        });
        let mut found = Vec::from_iter(found);
        found.sort_by_cached_key(|(found, files)| (Reverse(found.n_tokens), *files, found.a.1));
        (found.into_iter().map(|(found, _)| found).collect(), n_matched)
    }
}

/// The alignments and runs of two files, cut to the code of the query that counts.
fn aligned_parts(
    query: Document<'_>,
    target: Document<'_>,
    shared: &[SharedKgram],
    ignored: &[bool],
    config: &Config,
) -> Alignments {
    let sides = [query, target].map(|of| SeedSide::new(of.tokens));
    let mut seeds = seeds(&sides[0], &sides[1], shared, config.matching.k, false);
    let Alignments { alignments, runs, limits } =
        alignments(query, target, &mut seeds, &config.matching, false);
    let runs = runs.into_iter().map(|run| Alignment { blocks: vec![run] });
    let runs = runs.flat_map(|run| own_parts(&run, ignored, config));
    Alignments {
        alignments: alignments.iter().flat_map(|of| own_parts(of, ignored, config)).collect(),
        runs: runs.flat_map(|part| part.blocks).collect(),
        limits,
    }
}

/// The parts of an alignment that count; fewer than k ignored tokens in a row do not split one.
fn own_parts(alignment: &Alignment, ignored: &[bool], config: &Config) -> Vec<Alignment> {
    let own: Vec<usize> = alignment.query().filter(|&at| !ignored[at]).collect();
    let runs = clusters(&own, |between| between.len() >= config.matching.k).into_iter();
    let parts = runs.map(|run| alignment.within(run));
    parts.filter(|part| part.n_tokens() >= config.matching.min_run).collect()
}
