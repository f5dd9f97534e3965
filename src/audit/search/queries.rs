//! Searches for the origins of novel code: streams a set of sources past an index of the queries.
//!
//! The index contains the queries, not the code that is searched. It grows with the change, and
//! each file of the tree is read, looked up and forgotten.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use foldhash::{HashMap, HashSet};

use crate::audit::read::{MIXED, Skip, Source, distinct, n_marked};
use crate::config::{Config, Thresholds};
use crate::files::Entry;
use crate::fingerprint::{Effort, Fingerprint, Params};
use crate::index::{Index, Posting, Sieve};
use crate::language::{Symbol, Token};
use crate::matching::{
    Alignment, Alignments, Block, Document, Seed, SeedSide, SharedKgram, Shortfall, WordedTokens,
    alignments, is_same_place, is_telling, may_be_evident, rare_words, seeds,
};
use crate::policy::Place;
use crate::store::BlobFacts;
use crate::store::corpus::BareTokens;
use crate::text::{FilePath, LinedText};

/// For each query, the k-grams that it shares with a target.
pub(in crate::audit) type SharedKgrams = BTreeMap<usize, Vec<SharedKgram>>;

/// The fingerprints of the parts of some documents to search for.
pub(in crate::audit) struct Queries<'q> {
    pub config: &'q Config,
    pub sources: Vec<&'q Source>,
    numbers: HashMap<&'q FilePath, usize>,
    /// For each source, which of its tokens to search for.
    asked: Vec<Cow<'q, [bool]>>,
    /// For each source, what its copies are judged with.
    pub thresholds: Vec<Thresholds>,
    /// Which k-grams of them are searched for.
    pub sampling: Params,
    pub(super) index: Index,
    /// For each source, its rare words.
    rare: OnceLock<Vec<HashSet<u32>>>,
    /// For each source, its fingerprints in order.
    sequences: OnceLock<Vec<Vec<u32>>>,
    /// The sieve of all fingerprints, and that of each source.
    sieves: OnceLock<(Sieve, Vec<Sieve>)>,
    sides: Vec<SeedSide<'q>>,
    /// The words that files are looked through for besides, sorted.
    pub words: Vec<u32>,
}

/// A fingerprint of the queries in a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::audit) struct Hit {
    /// Its first row in the index of the queries.
    pub row: u32,
    /// The position in the target.
    pub position: u32,
}

/// What one file has of the queries.
#[derive(Debug)]
pub(in crate::audit) struct FileHits {
    pub place: Place,
    pub target: Arc<Source>,
    /// Its text, if it is not in the tree and can be shown.
    pub text: Option<Arc<LinedText>>,
    /// The query's number, and how it aligns with the target.
    pub alignments: Vec<(usize, Alignment)>,
    /// The query's number, and a run with agreeing names that both have; only in the tree.
    pub runs: Vec<(usize, Block)>,
    /// The queries that are byte-identical to this file; they align as a whole.
    pub whole: Vec<usize>,
    /// The query's number, and what was left out of comparing it with this file.
    pub limits: Vec<(usize, Shortfall)>,
}

/// What some queries have in common with a file, each with the query's number.
#[derive(Debug, Default)]
pub(in crate::audit) struct AlignedQueries {
    pub alignments: Vec<(usize, Alignment)>,
    pub runs: Vec<(usize, Block)>,
    pub limits: Vec<(usize, Shortfall)>,
}

impl FileHits {
    /// A file with nothing in common with a query yet.
    pub fn new(place: Place, target: Arc<Source>) -> Self {
        let (text, alignments, runs, whole, limits) = Default::default();
        Self { place, target, text, alignments, runs, whole, limits }
    }

    /// The same, and its text can be shown.
    #[must_use]
    pub fn with_text(self) -> Self {
        Self { text: Some(Arc::new(self.target.text.clone().into())), ..self }
    }

    pub fn has_any(&self) -> bool {
        !self.alignments.is_empty() || !self.runs.is_empty() || !self.limits.is_empty()
    }

    /// Records that what it has of one query it has of another one with the same content.
    pub fn share(&mut self, of: usize, with: usize) {
        fn share<T: Clone>(all: &mut Vec<(usize, T)>, of: usize, with: usize) {
            let shared =
                all.iter().filter(|(query, _)| *query == of).map(|(_, what)| (with, what.clone()));
            all.extend(shared.collect::<Vec<_>>());
        }
        share(&mut self.alignments, of, with);
        share(&mut self.runs, of, with);
        share(&mut self.limits, of, with);
    }

    /// Leaves out the code of queries that another one has, too.
    pub fn leave_out(&mut self, other: &Self) {
        self.alignments.retain(|(query, own)| {
            let of_query = other.alignments.iter().filter(|(number, _)| number == query);
            !of_query.into_iter().any(|(_, of)| is_same_place(&of.query(), &own.query()))
        });
    }

    /// Records that the file is byte-identical to these queries.
    pub fn aligned_whole(mut self, queries: &[usize]) -> Self {
        let all: Alignment = (0..self.target.tokens.len()).map(|at| (at, at)).collect();
        self.alignments.retain(|(query, _)| !queries.contains(query));
        self.runs.retain(|(query, _)| !queries.contains(query));
        self.alignments.extend(queries.iter().map(|&query| (query, all.clone())));
        self.alignments.sort_by_key(|(query, _)| *query);
        Self { whole: queries.to_vec(), ..self }
    }
}

/// A query that was aligned with fewer files than usual, since too many share too much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::audit) struct LimitedQuery {
    pub query: usize,
    /// Files that share something with it.
    pub n_sharing: usize,
    /// Those it was aligned with.
    pub n_aligned: usize,
}

/// What shares something with what is searched for, and was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::audit) struct UnreadPlace {
    /// Past files that share less than those that were read.
    pub n_files: usize,
    /// Versions of those that were read, which are older or too large.
    pub n_versions: usize,
}

/// The number of places that have a seed of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::audit) struct SeedPlaces {
    /// Where the query has it.
    pub position: u32,
    /// The first row of its fingerprint.
    pub row: u32,
    pub n: u32,
}

#[derive(Debug, Default)]
pub(in crate::audit) struct SearchOutcome {
    /// The files that share something with a query, sorted by path.
    pub found: Vec<FileHits>,
    /// For each query, its seeds in order: position, and number of files with the fingerprint.
    pub frequencies: Vec<Vec<(u32, u32)>>,
    /// The same with the number of places, also in files of the change; empty if not needed.
    pub n_places: Vec<Vec<SeedPlaces>>,
    /// Files that were not compared, and why.
    pub skipped: Vec<(Entry, Skip)>,
    pub n_compared: usize,
    /// Pairs of a query and a file that were not aligned, since others explain what they share.
    pub n_passed_over: usize,
    /// Past files that share something with a query but were not read.
    pub unread: UnreadPlace,
    /// Queries that share so much with so many files that only the best of them were aligned.
    pub limited: Vec<LimitedQuery>,
}

impl<'q> Queries<'q> {
    /// Takes the informative fingerprints of `queries` of whose tokens at least half are `asked`.
    pub fn new(queries: Vec<(&'q Source, Cow<'q, [bool]>)>, config: &'q Config) -> Self {
        Self::sampled(queries, config, config.fingerprint)
    }

    /// Like [`Self::new`], with the k-grams that `sampling` selects: more find shorter runs.
    pub fn sampled(
        queries: Vec<(&'q Source, Cow<'q, [bool]>)>,
        config: &'q Config,
        sampling: Params,
    ) -> Self {
        let (sources, asked): (Vec<&Source>, _) = queries.into_iter().unzip();
        // Of files with the same name, the first counts.
        let numbered = sources.iter().enumerate().rev();
        let numbers = numbered.map(|(number, source)| (&source.path, number)).collect();
        let thresholds = sources.iter().map(|of| config.thresholds(&of.path, Some(&of.language)));
        let mut queries = Self {
            config,
            numbers,
            asked,
            thresholds: thresholds.collect(),
            sampling,
            index: Index::new([]),
            rare: OnceLock::new(),
            sequences: OnceLock::new(),
            sieves: OnceLock::new(),
            sides: sources.iter().map(|source| SeedSide::new(&source.tokens)).collect(),
            words: Vec::new(),
            sources,
        };
        let postings = queries.fingerprints(&sampling).into_iter().map(|(document, print)| {
            (print.hash, Posting { document: document as u32, position: print.position })
        });
        queries.index = Index::new(postings);
        queries
    }

    /// These queries, which also ask each file which of some words it has.
    #[must_use]
    pub fn with_words(self, words: Vec<u32>) -> Self {
        Self { words: distinct(words), ..self }
    }

    /// The informative fingerprints that are half searched for, each with its query's number.
    pub fn fingerprints(&self, params: &Params) -> Vec<(usize, Fingerprint)> {
        let k = params.noise_threshold();
        let mut hashes = Vec::new();
        let mut found = Vec::new();
        for (document, (source, asked)) in self.sources.iter().zip(&self.asked).enumerate() {
            for print in params.fingerprints(&source.tokens, &mut hashes) {
                let at = print.position as usize;
                let asks = 2 * n_marked(&asked[at..at + k]) >= k;
                let min_distinct = self.config.matching.min_distinct;
                if asks && is_telling(&source.tokens[at..at + k], min_distinct) {
                    found.push((document, print));
                }
            }
        }
        found
    }

    /// Those of them that choose the files to compare with, by the effort of the settings.
    pub fn choosing(&self, params: &Params) -> Vec<(usize, Fingerprint)> {
        let all = self.fingerprints(params);
        let effort = self.config.effort;
        if effort == Effort::Full {
            return all;
        }
        let mut scratch = Vec::new();
        let of_documents = all.chunk_by(|a, b| a.0 == b.0).flat_map(|of_document| {
            let document = of_document[0].0;
            let mut prints: Vec<Fingerprint> =
                of_document.iter().map(|(_, print)| *print).collect();
            effort.keep(&mut prints, params, &self.sources[document].tokens, &mut scratch);
            prints.into_iter().map(move |print| (document, print))
        });
        of_documents.collect()
    }

    /// The numbers of [those](Self::choosing); `None` if all choose.
    pub fn choosing_rows(&self) -> Option<HashSet<u32>> {
        if self.config.effort == Effort::Full {
            return None;
        }
        let prints = self.choosing(&self.sampling).into_iter();
        Some(prints.filter_map(|(_, print)| self.row_of(print.hash)).collect())
    }

    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// Each distinct fingerprint to search for, by its number and its hash.
    pub fn distinct(&self) -> Vec<(u32, u64)> {
        let prints = self.fingerprints(&self.sampling).into_iter();
        distinct(prints.filter_map(|(_, print)| Some((self.row_of(print.hash)?, print.hash))))
    }

    /// The number of a fingerprint, which is that of its first row.
    #[inline]
    fn row_of(&self, hash: u64) -> Option<u32> {
        self.index.first_row(hash).map(|row| row as u32)
    }

    /// Whether a query may share a fingerprint with sources of `family`.
    fn may_share(&self, family: &str) -> bool {
        family == MIXED
            || self.sources.iter().any(|source| source.family == family || source.family == MIXED)
    }

    fn hits(&self, fingerprints: impl Iterator<Item = Fingerprint>) -> Vec<Hit> {
        let hits = fingerprints.filter_map(|print| {
            Some(Hit { row: self.row_of(print.hash)?, position: print.position })
        });
        hits.collect()
    }

    /// The fingerprints of `target` that the queries have too.
    pub fn hits_in(&self, target: &Source, scratch: &mut Vec<u64>) -> Vec<Hit> {
        if !self.may_share(&target.family) {
            return Vec::new();
        }
        self.hits(self.config.fingerprint.fingerprints(&target.tokens, scratch))
    }

    /// The same for a remembered file, from the numbered hashes that passed a sieve.
    pub fn hits_in_remembered(&self, target: &BlobFacts<'_>, passed: &[(usize, u64)]) -> Vec<Hit> {
        if !self.may_share(target.family) {
            return Vec::new();
        }
        let mut positions = target.positions().enumerate();
        let hits = passed.iter().filter_map(|&(number, hash)| {
            let row = self.row_of(hash)?;
            let (_, position) = positions.find(|(at, _)| *at == number)?;
            Some(Hit { row, position })
        });
        hits.collect()
    }

    pub fn sieve(sets: &[Option<&Self>]) -> Sieve {
        Sieve::new(&sets.iter().flatten().map(|queries| &queries.index).collect::<Vec<_>>())
    }

    /// The words of the queries that a file of `family` has, by number.
    pub fn words_in<W: IntoIterator<Item = u32>>(
        &self,
        family: &str,
        words: impl FnOnce() -> W,
    ) -> Vec<u32> {
        let is_asked = !self.words.is_empty() && self.may_share(family);
        if is_asked { places_in(&self.words, words()) } else { Vec::new() }
    }

    pub fn number_of(&self, path: &FilePath) -> Option<usize> {
        self.numbers.get(path).copied()
    }

    /// Aligns the queries that share most with ascending parts of `target`; `hits` are its own.
    ///
    /// The parts are one text, in which what is between them is like nothing: each place of a query
    /// is paired with the few of all parts that are most like it. One part after the other, it
    /// would be paired with some of each, and the time would grow with the parts times the query.
    pub fn align_parts(
        &self,
        target: &Source,
        parts: &[Range<usize>],
        hits: &[Hit],
    ) -> Vec<(usize, Alignment)> {
        let mut tokens = target.tokens.clone();
        let mut of_parts: Vec<Vec<Hit>> = Vec::new();
        let mut end = 0;
        for part in parts {
            let from = hits.partition_point(|hit| (hit.position as usize) < part.start);
            let k = self.config.matching.k;
            let within =
                hits[from..].iter().take_while(|hit| hit.position as usize + k <= part.end);
            of_parts.push(within.copied().collect());
            blot_out(&mut tokens[end..part.start.max(end)]);
            end = part.end;
        }
        blot_out(&mut tokens[end..]);
        let document = Document { tokens: &tokens, ..target.document() };
        self.align_those(document, self.strongest(&of_parts), None).alignments
    }

    /// What those of the queries `wanted` share with a file of another project that may have enough
    /// evidence in common. Nearly none: 1 in 100 in the histories of 98 projects and redis.
    pub fn evident(
        &self,
        target: &BareTokens<'_>,
        wanted: &[usize],
        scratch: &mut Vec<u64>,
    ) -> SharedKgrams {
        if !self.may_share(target.family) {
            return SharedKgrams::new();
        }
        let (of_all, of_each) = self.sieves.get_or_init(|| {
            let of_each = Sieve::of_documents(&self.index, self.sources.len());
            (Sieve::new(&[&self.index]), of_each)
        });
        let all = self.config.fingerprint.fingerprints(&target.tokens, scratch);
        // One look into an index of many queries is slow, and so is one into a sieve of many.
        let hits = self.hits(all.filter(|print| {
            (wanted.len() == 1 || of_all.may_have(print.hash))
                && wanted.iter().any(|&of| of_each[of].may_have(print.hash))
        }));
        let rare = self
            .rare
            .get_or_init(|| self.sources.par_iter().map(|of| rare_words(of.document())).collect());
        let words: HashSet<u32> = target.words.iter().copied().collect();
        let other = WordedTokens { tokens: &target.tokens, words: &words };
        let side = SeedSide::new(&target.tokens);
        let mut shared = self.shared(&hits, wanted);
        shared.retain(|&query, shared| {
            let own = WordedTokens { tokens: &self.sources[query].tokens, words: &rare[query] };
            let seeds = self.seeds(query, &side, shared, false);
            may_be_evident(own, other, &seeds, &self.config.enough)
        });
        shared
    }

    fn seeds(
        &self,
        query: usize,
        target: &SeedSide<'_>,
        shared: &[SharedKgram],
        is_same: bool,
    ) -> Vec<Seed> {
        seeds(&self.sides[query], target, shared, self.config.matching.k, is_same)
    }

    /// Aligns the queries that share something with a file, which is the query `same`.
    pub fn align_those(
        &self,
        target: Document<'_>,
        shared: SharedKgrams,
        same: Option<usize>,
    ) -> AlignedQueries {
        let mut found = AlignedQueries::default();
        let side = SeedSide::new(target.tokens);
        for (query, shared) in shared {
            let is_same = same == Some(query);
            let mut seeds = self.seeds(query, &side, &shared, is_same);
            let Alignments { alignments, runs, limits } = alignments(
                self.sources[query].document(),
                target,
                &mut seeds,
                &self.thresholds[query].matching,
                is_same,
            );
            found.alignments.extend(alignments.into_iter().map(|alignment| (query, alignment)));
            found.runs.extend(runs.into_iter().map(|run| (query, run)));
            found.limits.extend(limits.is_any().then_some((query, limits)));
        }
        found
    }

    /// For each of the queries `wanted`, the fingerprints it shares by the `hits` in a target.
    pub fn shared(&self, hits: &[Hit], wanted: &[usize]) -> SharedKgrams {
        // Hits list fingerprints by position in the target. Group them by fingerprint, then pair
        // each group with the positions of the same fingerprint in each query:
        //
        //     hits (row, position)    in_target       postings(row)          shared: query | target
        //     (7, 10) (9, 14)         7: 10, 52       7: query 0 at 3, 8     query 0:  3, 8 | 10, 52
        //     (7, 52)                 9: 14           9: query 2 at 5        query 2:  5    | 14
        //
        // Hits ascend by position, so the positions stay ascending. A thousand queries may have the
        // fingerprint, but a file is only aligned with a few of them.
        let mut shared = vec![Vec::new(); wanted.len()];
        for (row, target) in positions_of(hits) {
            let postings = self.postings(row);
            for (&query, shared) in wanted.iter().zip(&mut shared) {
                let from = postings.partition_point(|(_, of)| (of.document as usize) < query);
                let of_query = postings[from..].iter();
                let of_query = of_query.take_while(|(_, of)| of.document as usize == query);
                let query: Vec<u32> = of_query.map(|(_, posting)| posting.position).collect();
                if !query.is_empty() {
                    shared.push(SharedKgram { query, target: target.clone() });
                }
            }
        }
        let shared = wanted.iter().copied().zip(shared);
        shared.filter(|(_, shared)| !shared.is_empty()).collect()
    }

    /// Like [`Self::shared`], but each fingerprint of a part of the target only counts for the few
    /// queries that share most with that part.
    ///
    /// Two thousand files that were replaced share idioms with each other, two million times. Each
    /// rare fingerprint gives its queries a vote, and is followed to the four with most votes; a
    /// common one is followed to the winners. Time O(64 h) for h hits.
    fn strongest(&self, of_parts: &[Vec<Hit>]) -> SharedKgrams {
        if self.sources.len() <= WINNERS {
            return self.shared(&of_parts.concat(), &Vec::from_iter(0..self.sources.len()));
        }
        let mut wanted: BTreeMap<usize, Vec<Hit>> = BTreeMap::new();
        for hits in of_parts.iter().filter(|hits| !hits.is_empty()) {
            self.follow(hits, &mut wanted);
        }
        let of_query = wanted.into_iter().flat_map(|(query, mut hits)| {
            hits.sort_unstable_by_key(|hit| hit.position);
            self.shared(&hits, &[query])
        });
        of_query.collect()
    }

    /// Gives the hits of a part of the target to the few queries that share most with it.
    fn follow(&self, hits: &[Hit], wanted: &mut BTreeMap<usize, Vec<Hit>>) {
        let in_target = positions_of(hits);
        let mut votes: BTreeMap<usize, u32> = BTreeMap::new();
        for &row in in_target.keys().filter(|&&row| self.is_rare(row)) {
            self.queries_of(row).for_each(|query| *votes.entry(query).or_default() += 1);
        }
        let mut winners = most_voted(votes.keys().copied().collect(), &votes, WINNERS);
        if winners.is_empty() {
            let first = in_target.keys().flat_map(|&row| self.queries_of(row).take(WINNERS));
            winners.extend(first.take(WINNERS));
        }
        let winners = distinct(winners);

        for (&row, positions) in &in_target {
            let followed = match self.is_rare(row) {
                true => most_voted(self.queries_of(row).collect(), &votes, FOLLOWED),
                false => winners.clone(),
            };
            for query in followed {
                let hits = positions.iter().map(|&position| Hit { row, position });
                wanted.entry(query).or_default().extend(hits);
            }
        }
    }

    /// Whether few places of the queries have a fingerprint.
    fn is_rare(&self, row: u32) -> bool {
        self.postings(row).len() <= FEW_POSTINGS
    }

    fn queries_of(&self, row: u32) -> impl Iterator<Item = usize> + '_ {
        let of_queries = self.postings(row).chunk_by(|a, b| a.1.document == b.1.document);
        of_queries.map(|of_query| of_query[0].1.document as usize)
    }

    /// For each query, its seeds in order, of a position, a fingerprint and the number of that.
    pub(super) fn seeds_of_each<T: Ord + Clone>(
        &self,
        numbers: &BTreeMap<u32, u32>,
        seed: impl Fn(u32, u32, u32) -> T,
    ) -> Vec<Vec<T>> {
        let mut seeds = vec![Vec::new(); self.sources.len()];
        for (&row, &n) in numbers {
            for (_, posting) in self.postings(row) {
                seeds[posting.document as usize].push(seed(posting.position, row, n));
            }
        }
        for of_query in &mut seeds {
            of_query.sort_unstable();
        }
        seeds
    }

    /// All postings of the fingerprint whose first row this is, in order.
    pub fn postings(&self, row: u32) -> &[(u64, Posting)] {
        self.index.run_from(row as usize)
    }

    /// The fingerprints of a query in the order of its tokens, by the number of their first row.
    pub(super) fn sequence(&self, query: usize) -> &[u32] {
        let sequences = self.sequences.get_or_init(|| {
            let mut sequences = vec![Vec::new(); self.sources.len()];
            for (document, print) in self.fingerprints(&self.sampling) {
                sequences[document].extend(self.row_of(print.hash));
            }
            sequences
        });
        &sequences[query]
    }
}

fn positions_of(hits: &[Hit]) -> BTreeMap<u32, Vec<u32>> {
    let mut positions: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for hit in hits {
        positions.entry(hit.row).or_default().push(hit.position);
    }
    positions
}

fn most_voted(mut queries: Vec<usize>, votes: &BTreeMap<usize, u32>, max: usize) -> Vec<usize> {
    queries.sort_unstable_by_key(|query| (Reverse(votes.get(query).copied()), *query));
    queries.truncate(max);
    queries
}

/// The places in `numbers` of those that are in `others` too; both are sorted. Time linear in both.
pub(super) fn places_in(numbers: &[u32], others: impl IntoIterator<Item = u32>) -> Vec<u32> {
    let mut others = others.into_iter().peekable();
    let places = (0..).zip(numbers).filter(|&(_, &number)| {
        while others.next_if(|&other| other < number).is_some() {}
        others.peek() == Some(&number)
    });
    places.map(|(place, _)| place).collect()
}

/// Makes tokens like no others.
fn blot_out(tokens: &mut [Token]) {
    // No lexer reads the byte 0 without a family.
    tokens.iter_mut().for_each(|token| (token.symbol, token.exact) = (Symbol::punctuation(0), 0));
}

/// Maximum postings of a fingerprint for it to be rare.
const FEW_POSTINGS: usize = 64;
/// Maximum queries to which a rare fingerprint is followed.
const FOLLOWED: usize = 4;
/// Maximum queries to which a common one is followed.
const WINNERS: usize = 16;

/// Minimum tokens of a byte-identical file, fewer than `min-tokens`: identity is evidence.
const WHOLE_TOKENS: usize = 20;
/// Minimum bytes for the same: a file with a line of code or none is the same in many projects.
const WHOLE_BYTES: usize = 300;

pub(in crate::audit) fn may_be_whole(source: &Source) -> bool {
    source.tokens.len() >= WHOLE_TOKENS && source.text.len() >= WHOLE_BYTES
}
