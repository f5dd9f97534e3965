//! Finds files by the names of a sketch, for code that has too few tokens in a row in common with it.
//!
//! Fingerprints find what agrees for some tokens in a row, whatever its names are. A sketch that was written from
//! memory, or the first lines of code that was edited there, may have no such run, and still use the names of the code
//! that it resembles.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::queries::{AlignedQueries, Found, Queries, SearchOutcome};
use super::tree::found;
use crate::audit::Error;
use crate::audit::read::{Source, Sources};
use crate::files::{Entry, ReadFiles};
use crate::language::{Kind, Token};
use crate::matching::{Alignment, Params, Shared, alignments, seeds};
use crate::policy::Place;
use crate::text::FilePath;

/// Maximum files to compare with: those with the rarest names of the sketch. Higher takes time in proportion.
const MAX_FILES: usize = 8;
/// Minimum names in common. One name is what a call of the code has as well.
const MIN_SHARED: usize = 3;
/// k of the comparison with these files: they are few, and spelling decides.
const CLOSE_K: usize = 6;
/// Minimum tokens in a row that are spelled the same. Fewer are brackets, or a name alone.
const SPELLED_RUN: u32 = 4;

/// Adds the files that use most of the names of the queries, rare names counting more, aligned with each query from
/// runs of [`CLOSE_K`] tokens on. Only what is spelled the same is aligned: runs this short agree by chance once names
/// may be others. `searched` is what fingerprints found in `entries`; of files that use the same names, those nearest to
/// the path `near` count.
///
/// A name counts by its inverse document frequency (Spärck Jones 1972). Time O(f m) for f files and m names of the
/// queries, and for aligning with [`MAX_FILES`] files, of which those that fingerprints found are not read again.
///
/// # Errors
/// The first file, by path, that could not be read.
pub(in crate::audit) fn search_by_names<R: ReadFiles>(
    queries: &Queries<'_>,
    entries: &[Entry],
    open: &(dyn Fn() -> R + Sync),
    place: &(dyn Fn(&FilePath) -> Place + Sync),
    near: Option<&FilePath>,
    searched: &mut SearchOutcome,
    sources: &Sources<'_>,
) -> Result<(), Error> {
    let distance = |file: usize| near.map_or(0, |near| near.distance(&entries[file].path));
    let best = most_named(&searched.named, searched.n_compared, distance);
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

/// The numbers of the files with the rarest names, given the names of each, how many files were looked through, and how
/// far each is.
fn most_named(named: &[Vec<u32>], n_files: usize, distance: impl Fn(usize) -> usize) -> Vec<usize> {
    let n_names = named.iter().flatten().max().map_or(0, |max| *max as usize + 1);
    let mut n_using = vec![0usize; n_names];
    named.iter().flatten().for_each(|&name| n_using[name as usize] += 1);
    let weight = |name: &u32| (n_files as f64 / n_using[*name as usize].max(1) as f64).ln();
    let enough = named.iter().enumerate().filter(|(_, names)| names.len() >= MIN_SHARED);
    let weighed = enough.map(|(file, names)| (names.iter().map(weight).sum::<f64>(), distance(file), file));
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

/// What of a sketch and a file is spelled the same, along the alignments of short runs.
fn close(sketch: &Source, target: &Source, sources: &Sources<'_>) -> Vec<Alignment> {
    let params = Params { k: CLOSE_K, min_run: CLOSE_K, ..sources.config.matching };
    let kgram = |tokens: &[Token]| -> [u32; CLOSE_K] { std::array::from_fn(|at| tokens[at].symbol.get()) };
    let mut shared: BTreeMap<[u32; CLOSE_K], Shared> = BTreeMap::new();
    for (at, tokens) in sketch.tokens.windows(CLOSE_K).enumerate() {
        shared.entry(kgram(tokens)).or_default().query.push(at as u32);
    }
    for (at, tokens) in target.tokens.windows(CLOSE_K).enumerate() {
        if let Some(shared) = shared.get_mut(&kgram(tokens)) {
            shared.target.push(at as u32);
        }
    }
    let shared: Vec<Shared> = shared.into_values().filter(|shared| !shared.target.is_empty()).collect();
    let mut seeds = seeds(sketch.document(), target.document(), &shared, params.k, false);
    let aligned = alignments(sketch.document(), target.document(), &mut seeds, &params, false).alignments;
    let is_spelled = |&(at, from): &(usize, usize)| {
        let (own, other) = (&sketch.tokens[at], &target.tokens[from]);
        own.kind() != Kind::Identifier || own.exact == other.exact
    };
    let spelled = aligned.into_iter().map(|alignment| {
        let mut spelled: Alignment = alignment.pairs().filter(is_spelled).collect();
        spelled.blocks.retain(|run| run.len >= SPELLED_RUN);
        spelled
    });
    spelled.filter(|alignment| !alignment.blocks.is_empty()).collect()
}
