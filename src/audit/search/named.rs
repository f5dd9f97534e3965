//! Finds files by the names of a sketch, for code that has too few tokens in a row in common with it.
//!
//! Fingerprints find what agrees for some tokens in a row, whatever its names are. A sketch that was written from
//! memory, or the first lines of code that was edited there, may have no such run, and still use the names of the code
//! that it resembles.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::queries::{AlignedQueries, Found};
use super::tree::found;
use crate::audit::Error;
use crate::audit::read::{Source, Sources, names, reason};
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

/// The files that use most of the names of `sketches`, rare names counting more, aligned with each sketch from runs of
/// [`CLOSE_K`] tokens on. Only what is spelled the same is aligned: runs this short agree by chance once names may be
/// others.
///
/// A name counts by its inverse document frequency (Spärck Jones 1972). Time O(n log m) for n names of all files and
/// m names of the sketches, and for aligning with [`MAX_FILES`] files. Names of remembered files need no reading.
///
/// # Errors
/// The first file, by path, that could not be read.
pub(in crate::audit) fn search_by_names<R: ReadFiles>(
    sketches: &[Source],
    entries: &[Entry],
    open: &(dyn Fn() -> R + Sync),
    place: &(dyn Fn(&FilePath) -> Place + Sync),
    sources: &Sources<'_>,
) -> Result<Vec<Found>, Error> {
    let mut asked: Vec<u32> = sketches.iter().flat_map(|sketch| names(&sketch.tokens)).collect();
    asked.sort_unstable();
    asked.dedup();
    let asked = &asked;
    let shared = |names: &mut dyn Iterator<Item = u32>| -> Vec<usize> {
        names.filter_map(|name| asked.binary_search(&name).ok()).collect()
    };
    let named = entries.par_iter().map_init(open, |reader, entry| {
        if let Some(cached) = sources.remembered.get(entry, sources.reading(&entry.path)) {
            return Ok(reason(cached.status).is_none().then(|| shared(&mut cached.names())));
        }
        let read = sources.read(reader, entry)?;
        Ok(read.ok().map(|source| shared(&mut names(&source.tokens).into_iter())))
    });
    let named: Vec<Option<Vec<usize>>> = named.collect::<Result<_, Error>>()?;

    let mut n_files = vec![0usize; asked.len()];
    named.iter().flatten().flatten().for_each(|&name| n_files[name] += 1);
    let n_read = named.iter().flatten().count();
    let weight = |name: &usize| (n_read as f64 / n_files[*name].max(1) as f64).ln();
    let mut best: Vec<(f64, usize)> = named
        .iter()
        .enumerate()
        .filter_map(|(file, names)| Some((file, names.as_ref().filter(|names| names.len() >= MIN_SHARED)?)))
        .map(|(file, names)| (names.iter().map(weight).sum(), file))
        .collect();
    best.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    best.truncate(MAX_FILES);

    let reader = open();
    let mut all_found = Vec::new();
    for (_, file) in best {
        let Ok(target) = sources.read(&reader, &entries[file])? else { continue };
        let mut aligned = AlignedQueries::default();
        for (number, sketch) in sketches.iter().enumerate().filter(|(_, sketch)| sketch.family == target.family) {
            aligned.alignments.extend(close(sketch, &target, sources).into_iter().map(|of| (number, of)));
        }
        let found = found(place(&target.path), target, aligned);
        if found.has_any() {
            all_found.push(found);
        }
    }
    all_found.sort_by(|a, b| a.target.path.cmp(&b.target.path));
    Ok(all_found)
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
