//! Aligns the queries with the files that share rare fingerprints with them.
//!
//! ```text
//! what files share -> how common each fingerprint is -> the files to align, each with some queries -> alignments
//! ```
//!
//! What files share comes from a [`Lookup`], from an index that knows a history, or from the
//! versions of past files.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use foldhash::{HashMap, HashSet};
use rayon::prelude::*;

use super::candidates::{Candidates, Overlap, choose};
use super::lookup::{Lookup, Targets, look_up, rows};
use super::queries::{AlignedQueries, FileHits, Hit, Queries, SearchOutcome, SeedPlaces};
use crate::audit::Error;
use crate::audit::read::{Skip, Source};
use crate::files::ReadFiles;
use crate::policy::Place;

pub(super) struct Target {
    pub place: Place,
    pub source: Arc<Source>,
    pub hits: Vec<Hit>,
}

/// Streams `targets` past the queries and aligns what they share.
///
/// Two passes: the first finds which fingerprints each file shares, to recognize common ones; the
/// second reads and aligns the files that share rare ones. The first reads nothing that is cached.
///
/// # Errors
/// The first file, by path, that could not be read.
pub(in crate::audit) fn search<R: ReadFiles>(
    queries: &Queries<'_>,
    targets: &Targets<'_, R>,
) -> Result<SearchOutcome, Error> {
    align(0, &mut look_up(&[Some(queries)], targets)?, targets)
}

/// Aligns a set of queries with the files that share rare fingerprints with them.
///
/// If a file that is read does not confirm the lookup, all are looked up again, without the cache.
pub(in crate::audit) fn align<'l, R: ReadFiles>(
    set: usize,
    lookup: &mut Lookup<'l>,
    targets: &Targets<'l, R>,
) -> Result<SearchOutcome, Error> {
    let Some(queries) = lookup.sets[set] else { return Ok(SearchOutcome::default()) };
    let mut scratch = Vec::new();
    loop {
        // What the cache knew of a file of a partial clone, and is not here.
        let missing = Mutex::new(BTreeSet::new());
        for source in &queries.sources {
            if let Some(file) = lookup.file_at(&source.path) {
                lookup.confirm(file, set, Ok(&queries.hits_in(source, &mut scratch)));
            }
        }
        let outcome = align_rows(queries, lookup.rows(set), targets, |reader, file, scratch| {
            let read = targets.sources.read(reader, &targets.entries[file])?;
            let hits = read.as_ref().map(|source| queries.hits_in(source, scratch));
            lookup.confirm(file, set, hits.as_deref().map_err(|skip| **skip));
            if let (Err(Skip::Missing), Ok(mut missing)) = (&read, missing.lock()) {
                missing.insert(file);
            }
            Ok(hits.ok().zip(read.ok()))
        })?;
        if lookup.is_refuted() {
            *lookup = look_up(lookup.sets, targets)?;
            continue;
        }
        let mut skipped = lookup.skipped();
        let missing = missing.into_inner().unwrap_or_default().into_iter();
        skipped.extend(missing.map(|file| (targets.entries[file].clone(), Skip::Missing)));
        let n_compared = targets.entries.len() - skipped.len();
        let n_places = queries.seeds_of_each(&lookup.n_places(set), |position, row, n| {
            SeedPlaces { position, row, n }
        });
        return Ok(SearchOutcome { skipped, n_compared, n_places, ..outcome });
    }
}

/// Aligns the queries with files by what they share: numbers, ascending, and fingerprints.
pub(in crate::audit) fn align_known<R: ReadFiles>(
    queries: &Queries<'_>,
    rows: Vec<(usize, Vec<u32>)>,
    targets: &Targets<'_, R>,
) -> Result<SearchOutcome, Error> {
    align_rows(queries, rows, targets, |reader, file, scratch| {
        let read = targets.sources.read(reader, &targets.entries[file])?;
        Ok(read.ok().map(|source| (queries.hits_in(&source, scratch), source)))
    })
}

/// Counts in how many files each fingerprint is, chooses the files to align by the rare ones, and
/// aligns them. `read` reads a file and finds what it shares with the queries.
fn align_rows<R: ReadFiles, F>(
    queries: &Queries<'_>,
    rows_of: Vec<(usize, Vec<u32>)>,
    targets: &Targets<'_, R>,
    read: F,
) -> Result<SearchOutcome, Error>
where
    F: Fn(&R, usize, &mut Vec<u64>) -> Result<Option<(Vec<Hit>, Arc<Source>)>, Error> + Sync,
{
    let &Targets { entries, open, is_new, max_components, sources, is_rarity_judged, .. } = targets;
    let n_documents = n_documents(queries, &rows_of, targets);
    let common = n_documents.iter().filter(|(_, n)| **n as usize > max_components);
    let common: HashSet<u32> = common.map(|(row, _)| *row).collect();
    let choosing = queries.choosing_rows();
    let sharing = rows_of.into_iter().map(|(file, mut rows)| {
        rows.retain(|row| !common.contains(row));
        if let Some(choosing) = &choosing {
            rows.retain(|row| choosing.contains(row));
        }
        let path = &entries[file].path;
        Overlap { file, path, is_new: is_new(path), rows }
    });
    let sharing: Vec<Overlap<'_>> = sharing.filter(|sharing| !sharing.rows.is_empty()).collect();
    let Candidates { queries_of, n_passed_over, limited } = choose(
        queries,
        &sharing,
        is_rarity_judged.then_some(&n_documents),
        sources.config.common_at,
    );
    drop(sharing);
    sources.progress.begin("aligning", queries_of.len());
    let state = || (open(), Vec::new());
    let found = align_chosen(queries, &queries_of, state, |(reader, scratch), file| {
        let read = read(reader, file, scratch)?;
        sources.progress.step();
        Ok(read.map(|(mut hits, source)| {
            hits.retain(|hit| !common.contains(&hit.row));
            Target { place: targets.place(&source.path), source, hits }
        }))
    })?;
    let frequencies = queries.seeds_of_each(&n_documents, |position, _, n| (position, n));
    Ok(SearchOutcome { found, frequencies, n_passed_over, limited, ..SearchOutcome::default() })
}

/// Aligns each file with the queries chosen for it; `target` reads it with the `state` of a thread.
///
/// # Errors
/// The first, by the number of its file.
pub(super) fn align_chosen<S>(
    queries: &Queries<'_>,
    queries_of: &BTreeMap<usize, Vec<usize>>,
    state: impl Fn() -> S + Sync + Send,
    target: impl Fn(&mut S, usize) -> Result<Option<Target>, Error> + Sync + Send,
) -> Result<Vec<FileHits>, Error> {
    let found = queries_of.par_iter().map_init(state, |state, (&file, wanted)| {
        let Some(Target { place, source, hits }) = target(state, file)? else { return Ok(None) };
        let same = queries.number_of(&source.path).filter(|_| place == Place::Tree);
        let shared = queries.shared(&hits, wanted);
        let aligned = queries.align_those(source.document(), shared, same);
        // Most files have nothing: they are not kept until all are aligned.
        Ok(Some(found(place, source, aligned)).filter(FileHits::has_any))
    });
    let found: Vec<Option<FileHits>> = found.collect::<Result<_, Error>>()?;
    Ok(found.into_iter().flatten().collect())
}

pub(in crate::audit) fn found(
    place: Place,
    target: Arc<Source>,
    aligned: AlignedQueries,
) -> FileHits {
    let AlignedQueries { alignments, runs, limits } = aligned;
    let found = FileHits { alignments, limits, ..FileHits::new(place, target) };
    if found.place == Place::Tree { FileHits { runs, ..found } } else { found.with_text() }
}

/// For each fingerprint that some file has, the number of files that had it before the change; all
/// files and versions of a component count as one.
fn n_documents<R>(
    queries: &Queries<'_>,
    rows_of: &[(usize, Vec<u32>)],
    targets: &Targets<'_, R>,
) -> BTreeMap<u32, u32> {
    let &Targets { entries, is_new, before, .. } = targets;
    let mut counts: HashMap<u32, (u32, Option<Place>)> = HashMap::default();
    let old = rows_of.iter().filter(|(file, _)| !is_new(&entries[*file].path));
    let old = old.map(|(file, rows)| (&entries[*file].path, Cow::Borrowed(rows)));
    let mut scratch = Vec::new();
    let before = before
        .iter()
        .map(|source| (&source.path, Cow::Owned(rows(&queries.hits_in(source, &mut scratch)))));
    for (path, rows) in old.chain(before) {
        let place = Some(targets.place(path)).filter(|of| matches!(of, Place::Component(_)));
        for &row in &*rows {
            let (n, last) = counts.entry(row).or_default();
            // The files of a component are next to each other.
            if place.is_none() || *last != place {
                *n += 1;
                last.clone_from(&place);
            }
        }
    }
    // What only the change has was in no file of base.
    for &row in rows_of.iter().flat_map(|(_, rows)| rows) {
        counts.entry(row).or_default();
    }
    counts.into_iter().map(|(row, (n, _))| (row, n)).collect()
}
