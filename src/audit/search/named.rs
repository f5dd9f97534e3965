//! Finds files by the names of a sketch, for code that has too few tokens in a row in common with it.
//!
//! Fingerprints find what agrees for some tokens in a row, whatever its names are. A sketch that was written from
//! memory, or the first lines of code that was edited there, may have no such run, and still use the names of the code
//! that it resembles.

use foldhash::{HashMap, HashMapExt};
use rayon::prelude::*;

use super::align::found;
use super::queries::{AlignedQueries, Found, Queries, SearchOutcome};
use super::targets::Targets;
use crate::audit::Error;
use crate::audit::read::{Source, Sources};
use crate::files::ReadFiles;
use crate::language::{Kind, Token};
use crate::matching::{Alignment, Block, Seed, Shared, chains, seeds};
use crate::text::FilePath;

/// Maximum files to compare with: those with the rarest names of the sketch. Higher takes time in proportion.
const MAX_FILES: usize = 8;
/// Minimum names in common. One name is what a call of the code has as well.
const MIN_SHARED: usize = 3;
/// Minimum tokens in a row that are spelled the same. Fewer are brackets, or a name alone.
const SPELLED_RUN: usize = 4;

/// Files of a tree, to be searched for code that uses the names of the queries.
pub(in crate::audit) struct ByNames<'s, R> {
    pub queries: &'s Queries<'s>,
    /// The files that fingerprints were looked up in.
    pub targets: &'s Targets<'s, R>,
    /// Of files that use the same names, those nearest to this path count.
    pub near: Option<&'s FilePath>,
    pub sources: &'s Sources<'s>,
}

impl<R: ReadFiles> ByNames<'_, R> {
    /// Adds the files that use most of the names of the queries, rare names counting more, aligned with each query from
    /// runs of [`SPELLED_RUN`] tokens on. Only what is spelled the same is aligned: runs this short agree by chance once
    /// names may be others. `names` are those of the queries that each file uses, by the numbers of both, `searched` is what
    /// fingerprints found.
    ///
    /// A name counts by its inverse document frequency (Spärck Jones 1972). Time O(f m) for f files and m names of the
    /// queries, and for aligning with [`MAX_FILES`] files, of which those that fingerprints found are not read again.
    ///
    /// # Errors
    /// The first file, by path, that could not be read.
    pub fn search(&self, names: &[(usize, &[u32])], searched: &mut SearchOutcome) -> Result<(), Error> {
        let &Self { queries, targets: &Targets { entries, open, place, .. }, near, sources } = self;
        let distance = |file: usize| near.map_or(0, |near| near.distance(&entries[file].path));
        let best = most_named(names, searched.n_compared, distance);
        let (known, unread): (Vec<usize>, Vec<usize>) = {
            let is_known = |file: &usize| searched.found.iter().any(|of| of.target.path == entries[*file].path);
            best.into_iter().partition(is_known)
        };
        let known: Vec<&FilePath> = known.into_iter().map(|file| &entries[file].path).collect();
        let sketches = queries.sources();
        searched.found.par_iter_mut().filter(|of| known.contains(&&of.target.path)).for_each(|of| {
            let close = close_to(sketches, &of.target, sources);
            of.alignments.extend(close);
        });
        let read = unread.into_par_iter().map_init(open, |reader, file| {
            let Ok(target) = sources.read(reader, &entries[file])? else { return Ok(None) };
            let alignments = close_to(sketches, &target, sources);
            let aligned = AlignedQueries { alignments, ..AlignedQueries::default() };
            Ok(Some(found(place(&target.path), target, aligned)))
        });
        let read: Vec<Option<Found>> = read.collect::<Result<_, Error>>()?;
        searched.found.extend(read.into_iter().flatten().filter(Found::has_any));
        searched.found.sort_by(|a, b| a.target.path.cmp(&b.target.path));
        Ok(())
    }
}

/// The numbers of the files with the rarest names, given the names of each, how many files were looked through, and how
/// far each is.
fn most_named(names: &[(usize, &[u32])], n_files: usize, distance: impl Fn(usize) -> usize) -> Vec<usize> {
    let uses = || names.iter().flat_map(|(_, names)| *names);
    let n_names = uses().max().map_or(0, |max| *max as usize + 1);
    let mut n_using = vec![0usize; n_names];
    uses().for_each(|&name| n_using[name as usize] += 1);
    let weight = |name: &u32| (n_files as f64 / n_using[*name as usize].max(1) as f64).ln();
    let enough = names.iter().filter(|(_, names)| names.len() >= MIN_SHARED);
    let weighed = enough.map(|&(file, names)| (names.iter().map(weight).sum::<f64>(), distance(file), file));
    let mut best: Vec<(f64, usize, usize)> = weighed.collect();
    best.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    best.into_iter().take(MAX_FILES).map(|(.., file)| file).collect()
}

/// What each sketch and a file have in common by [`close`], with the sketch's number.
fn close_to(sketches: &[&Source], target: &Source, sources: &Sources<'_>) -> Vec<(usize, Alignment)> {
    let of_family = sketches.iter().enumerate().filter(|(_, sketch)| sketch.family == target.family);
    of_family
        .flat_map(|(number, sketch)| close(sketch, target, sources).into_iter().map(move |of| (number, of)))
        .collect()
}

/// What of a sketch and a file is spelled the same: chains of runs that follow each other on both sides.
///
/// They are neither extended nor trimmed, unlike the alignments of clones: edits are between spelled runs anyway, and
/// the end of a signature counts though its beginning differs. Chains shorter than a match may be are coincidences.
fn close(sketch: &Source, target: &Source, sources: &Sources<'_>) -> Vec<Alignment> {
    let params = &sources.config.matching;
    let mut shared: HashMap<[u64; SPELLED_RUN], Shared> = HashMap::new();
    for (at, spelled) in spelled_kgrams(&sketch.tokens) {
        shared.entry(spelled).or_default().query.push(at);
    }
    for (at, spelled) in spelled_kgrams(&target.tokens) {
        if let Some(shared) = shared.get_mut(&spelled) {
            shared.target.push(at);
        }
    }
    // Their order does not count: seeds are sorted.
    let shared: Vec<Shared> = shared.into_values().filter(|shared| !shared.target.is_empty()).collect();
    let seeds = seeds(sketch.document(), target.document(), &shared, SPELLED_RUN, false);
    let mut runs = spelled_runs(&sketch.tokens, &target.tokens, seeds);
    let aligned = |chain: Vec<Block>| aligned(&chain, &sketch.tokens, &target.tokens);
    let chains = chains(&mut runs, params.max_gap).into_iter().map(aligned);
    chains.filter(|chain| chain.n_tokens() >= params.k).collect()
}

/// The longest runs around `seeds` in which both sides are spelled the same.
fn spelled_runs(own: &[Token], other: &[Token], mut seeds: Vec<Seed>) -> Vec<Block> {
    let diagonal = |query: u32, target: u32| i64::from(target) - i64::from(query);
    seeds.sort_unstable_by_key(|seed| (diagonal(seed.query, seed.target), seed.query));
    let is_spelled = |(own, other): &(&Token, &Token)| spelling(own) == spelling(other);
    let mut runs: Vec<Block> = Vec::new();
    for Seed { query, target } in seeds {
        let of_diagonal = runs.last().filter(|last| diagonal(last.query, last.target) == diagonal(query, target));
        let end = of_diagonal.map_or(0, |last| last.query + last.len);
        if query < end {
            continue;
        }
        let (at, from) = (query as usize, target as usize);
        let n_after = own[at..].iter().zip(&other[from..]).take_while(is_spelled).count();
        let before = own[end as usize..at].iter().rev().zip(other[..from].iter().rev());
        let n_before = before.take_while(is_spelled).count() as u32;
        runs.push(Block { query: query - n_before, target: target - n_before, len: n_before + n_after as u32 });
    }
    runs
}

/// The runs of a chain as an alignment, each without the tokens that the one before it has. Between two runs on one
/// diagonal, another name was used, and whatever else is spelled the same belongs to them.
fn aligned(chain: &[Block], own: &[Token], other: &[Token]) -> Alignment {
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for run in chain {
        let (mut at, mut from) = (run.query as usize, run.target as usize);
        let end = at + run.len as usize;
        if let Some(&(last, last_from)) = pairs.last() {
            let n_overlap = (last + 1).saturating_sub(at).max((last_from + 1).saturating_sub(from));
            (at, from) = (at + n_overlap, from + n_overlap);
            let between = (last + 1..at).zip(last_from + 1..from).filter(|_| at - last == from - last_from);
            pairs.extend(between.filter(|&(at, from)| spelling(&own[at]) == spelling(&other[from])));
        }
        pairs.extend((at..end).zip(from..));
    }
    pairs.into_iter().collect()
}

/// How a token is spelled, if it is a name; otherwise its class.
fn spelling(token: &Token) -> u64 {
    let name = if token.kind() == Kind::Identifier { token.exact } else { 0 };
    u64::from(token.symbol.get()) << 32 | u64::from(name)
}

/// Each [`SPELLED_RUN`] tokens in a row with a name among them, and where they begin. Without a name, they are brackets.
fn spelled_kgrams(tokens: &[Token]) -> impl Iterator<Item = (u32, [u64; SPELLED_RUN])> + '_ {
    let has_name = |tokens: &[Token]| tokens.iter().any(|token| token.kind() == Kind::Identifier);
    let named = (0..).zip(tokens.windows(SPELLED_RUN)).filter(move |(_, tokens)| has_name(tokens));
    named.map(|(at, tokens)| (at, std::array::from_fn(|n| spelling(&tokens[n]))))
}
