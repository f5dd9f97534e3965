//! Searches files: streams them past an index of the queries, and aligns what they share.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use rayon::prelude::*;

use super::candidates::{Candidates, Sharing, choose};
use super::queries::{AlignedQueries, Found, Hit, Queries, SearchOutcome, Unread};
use crate::audit::Error;
use crate::audit::read::{Skip, Source, Sources, reason};
use crate::files::{BlobId, Entry, ReadFiles};
use crate::policy::Place;
use crate::text::FilePath;

/// The files to search, and how to read them.
pub(in crate::audit) struct Targets<'t, R> {
    pub entries: &'t [Entry],
    /// Opens a reader for one thread.
    pub open: &'t (dyn Fn() -> R + Sync),
    /// Where each file is.
    pub place: &'t (dyn Fn(&FilePath) -> Place + Sync),
    /// Which of the files the change adds or modifies.
    pub is_new: &'t (dyn Fn(&FilePath) -> bool + Sync),
    /// The files of base that the change touches, as they were before: base decides what is common.
    pub before: &'t [&'t Source],
    /// Maximum components with a fingerprint, beyond which it is common; `None` for files of the tree.
    pub max_components: Option<usize>,
    /// Other queries to look up on the way, whose hits are returned without being aligned.
    pub also: Option<&'t Queries<'t>>,
}

/// Streams `targets` past the queries and aligns what they share.
///
/// Two passes: first find which fingerprints each file shares, to recognize common ones; then read and align the files
/// that share rare ones. For files in the cache, the first pass needs no reading.
///
/// # Errors
/// The first file, by path, that could not be read.
pub(in crate::audit) fn search<R: ReadFiles>(
    queries: &Queries<'_>,
    targets: &Targets<'_, R>,
    sources: &Sources<'_>,
) -> Result<SearchOutcome, Error> {
    let &Targets { entries, open, place, is_new, before, max_components, also } = targets;
    let progress = sources.progress;
    let is_trusted = sources.remembered.is_false().is_none();
    progress.begin("comparing", entries.len());
    let same_as = same_as(&entries.iter().collect::<Vec<_>>(), sources);
    let asked = ask_all(&[Some(queries), also], entries, &same_as, open, sources)?;
    // If a thousand paths have the same blob, it was looked up once.
    let asked: Vec<&Result<Asked, Skip>> = same_as
        .iter()
        .enumerate()
        .map(|(at, same_as)| asked[same_as.unwrap_or(at)].as_ref().expect("the first of equal files is asked"))
        .collect();

    let rows_of: Vec<Vec<u32>> = asked.iter().map(|asked| asked.as_ref().map_or(Vec::new(), Asked::rows)).collect();
    let of_entries = entries.iter().zip(&rows_of).filter(|(entry, _)| !is_new(&entry.path));
    let mut scratch = Vec::new();
    let rows_before: Vec<(&FilePath, Vec<u32>)> =
        before.iter().map(|source| (&source.path, rows(&queries.hits_in(source, &mut scratch)))).collect();
    let of_before = rows_before.iter().map(|(path, rows)| (*path, rows));
    let mut n_documents = n_documents(of_entries.map(|(entry, rows)| (&entry.path, rows)).chain(of_before), place);
    let mut n_places: BTreeMap<u32, u32> = BTreeMap::new();
    for hit in asked.iter().filter_map(|asked| asked.as_ref().ok()).flat_map(|asked| &asked.hits) {
        *n_places.entry(hit.row).or_default() += 1;
        // What only the change has was in no file of base.
        n_documents.entry(hit.row).or_default();
    }

    let n_compared = asked.iter().filter(|asked| asked.is_ok()).count();
    let is_followed = |row: &u32| {
        max_components.is_none_or(|max| n_documents.get(row).is_none_or(|&n_components| n_components as usize <= max))
    };
    let choosing = queries.choosing_rows();
    let chooses = |row: &u32| choosing.as_ref().is_none_or(|choosing| choosing.contains(row));
    let sharing: Vec<Sharing<'_>> = entries
        .iter()
        .zip(rows_of)
        .enumerate()
        .map(|(file, (entry, rows))| {
            let rows: Vec<u32> = rows.into_iter().filter(|row| is_followed(row) && chooses(row)).collect();
            Sharing { file, path: &entry.path, is_new: is_new(&entry.path), rows }
        })
        .filter(|sharing| !sharing.rows.is_empty())
        .collect();
    let Candidates { queries_of, n_passed_over, limited } = choose(queries, &sharing, sources.config.common_at);
    drop(sharing);
    progress.begin("aligning", queries_of.len());
    let found = queries_of
        .par_iter()
        .map_init(
            || (open(), Vec::new()),
            |(reader, scratch), (&number, wanted)| {
                let read = sources.read(reader, &entries[number])?;
                progress.step();
                let Ok(asked) = asked[number] else { return Ok(None) };
                if asked.is_false(&read, queries, scratch) {
                    sources.remembered.distrust();
                }
                Ok(read.ok().map(|target| {
                    let place = place(&target.path);
                    let same = queries.number_of(&target.path).filter(|_| place == Place::Tree);
                    let hits: Vec<Hit> = asked.hits.iter().filter(|hit| is_followed(&hit.row)).copied().collect();
                    let aligned = queries.align_wanted(&target, &hits, same, wanted);
                    found(place, target, aligned)
                }))
            },
        )
        .collect::<Result<Vec<_>, Error>>()?;
    sample(queries, entries, &asked, open, sources);
    if is_trusted && sources.remembered.is_false().is_some() {
        // Its other entries are not to be trusted either: remember nothing this time.
        return search(queries, targets, sources);
    }
    let skipped = entries.iter().zip(&asked).filter_map(|(entry, asked)| Some((entry.clone(), *asked.as_ref().err()?)));
    let skipped = skipped.collect();
    let found = found.into_iter().flatten().filter(Found::has_any).collect();
    let (frequencies, n_places) = (queries.frequencies(&n_documents), queries.frequencies(&n_places));
    let sighted = also.map(|_| sighted(entries, &asked)).unwrap_or_default();
    let named = asked.iter().map(|asked| asked.as_ref().map_or(Vec::new(), |asked| asked.names.clone()));
    let named = if queries.asks_names() { named.collect() } else { Vec::new() };
    Ok(SearchOutcome {
        sighted,
        named,
        found,
        frequencies,
        n_places,
        skipped,
        n_compared,
        n_passed_over,
        unread: Unread::default(),
        limited,
    })
}

/// The files of `entries` that share fingerprints with `queries`, without aligning them.
///
/// # Errors
/// The first file, by path, that could not be read.
pub(in crate::audit) fn sight<R: ReadFiles>(
    queries: &Queries<'_>,
    entries: &[Entry],
    open: &(dyn Fn() -> R + Sync),
    sources: &Sources<'_>,
) -> Result<Vec<(Entry, Vec<Hit>)>, Error> {
    sources.progress.begin("comparing", entries.len());
    let same_as = same_as(&entries.iter().collect::<Vec<_>>(), sources);
    let asked = ask_all(&[None, Some(queries)], entries, &same_as, open, sources)?;
    let asked = same_as.iter().enumerate().map(|(at, same_as)| asked[same_as.unwrap_or(at)].as_ref());
    let asked: Vec<&Result<Asked, Skip>> =
        asked.map(|asked| asked.expect("the first of equal files is asked")).collect();
    Ok(sighted(entries, &asked))
}

/// The files that share something with the other queries.
fn sighted(entries: &[Entry], asked: &[&Result<Asked, Skip>]) -> Vec<(Entry, Vec<Hit>)> {
    let hits = |(entry, asked): (&Entry, &&Result<Asked, Skip>)| {
        let hits = &asked.as_ref().ok()?.also;
        (!hits.is_empty()).then(|| (entry.clone(), hits.clone()))
    };
    entries.iter().zip(asked).filter_map(hits).collect()
}

/// What each file has of the queries; `None` for a file that is the same as an earlier one.
fn ask_all<R: ReadFiles>(
    queries: &[Option<&Queries<'_>>; 2],
    entries: &[Entry],
    same_as: &[Option<usize>],
    open: &(dyn Fn() -> R + Sync),
    sources: &Sources<'_>,
) -> Result<Vec<Option<Result<Asked, Skip>>>, Error> {
    let ask_one = |(reader, scratch): &mut (R, Vec<u64>), (entry, same_as): (&Entry, &Option<usize>)| {
        sources.progress.step();
        match same_as {
            Some(_) => Ok(None),
            None => ask(queries, entry, reader, sources, scratch).map(Some),
        }
    };
    entries.par_iter().zip(same_as).map_init(|| (open(), Vec::new()), ask_one).collect()
}

/// Files with one content that are examined in any case, and at most.
const SAME_FILES: [u64; 2] = [16, 1_000];
/// Maximum bytes of them all, besides the first few.
const SAME_BYTES: u64 = 16 << 20;

/// For each file with the content of so many before it that one more says nothing new, the first of them.
///
/// Five objects of a repository can be a million files: trees of trees of one file.
pub(in crate::audit) fn repeated(
    entries: &[&Entry],
    sources: &Sources<'_>,
    reader: &impl ReadFiles,
) -> Vec<Option<usize>> {
    let mut n_of: HashMap<usize, (u64, u64)> = HashMap::new();
    let mut repeated = same_as(entries, sources);
    for same in &mut repeated {
        let Some(first) = *same else { continue };
        let (n, max) = n_of.entry(first).or_insert((1, SAME_FILES[1]));
        *n += 1;
        if *n == SAME_FILES[0] {
            let n_bytes = reader.size(entries[first]).unwrap_or(0).max(1);
            *max = (SAME_BYTES / n_bytes).clamp(SAME_FILES[0], SAME_FILES[1]);
        }
        if *n <= *max {
            *same = None;
        }
    }
    repeated
}

/// For each file, the first one with the same content that is read in the same way, if there is an earlier one.
fn same_as(entries: &[&Entry], sources: &Sources<'_>) -> Vec<Option<usize>> {
    // What decides how a file is read: its extension, or all of a name without one.
    fn kind(path: &FilePath) -> Result<&[u8], &[u8]> {
        path.extension().ok_or_else(|| path.name())
    }
    let mut first: HashMap<BlobId, Vec<usize>> = HashMap::new();
    let mut same_as = Vec::with_capacity(entries.len());
    for (at, entry) in entries.iter().enumerate() {
        let Some(blob) = entry.blob() else {
            same_as.push(None);
            continue;
        };
        let alike = first.entry(blob).or_default();
        let is_same = |other: &&usize| {
            let other = &entries[**other].path;
            kind(other) == kind(&entry.path)
                && sources.attributes.of(other).language == sources.attributes.of(&entry.path).language
                && sources.attributes.of(other).generated == sources.attributes.of(&entry.path).generated
        };
        let known = alike.iter().find(is_same).copied();
        // If one blob has ever new kinds of names, the rest are read one by one.
        if known.is_none() && alike.len() < 8 {
            alike.push(at);
        }
        same_as.push(known);
    }
    same_as
}

/// The files of a tree that share something with the queries, if that is known without reading them.
pub(in crate::audit) struct Located<'l> {
    pub entries: &'l [Entry],
    /// The numbers of files, sorted, and what each shares.
    pub hits: Vec<(usize, Vec<u32>)>,
    /// Where each file is.
    pub place: &'l (dyn Fn(&FilePath) -> Place + Sync),
    /// Which of the files the change adds or modifies.
    pub is_new: &'l (dyn Fn(&FilePath) -> bool + Sync),
}

/// Aligns the queries with the files that share rare fingerprints with them.
///
/// # Errors
/// The first of them that could not be read.
pub(in crate::audit) fn search_located(
    queries: &Queries<'_>,
    located: Located<'_>,
    reader: &impl ReadFiles,
    sources: &Sources<'_>,
) -> Result<SearchOutcome, Error> {
    let Located { entries, hits, place, is_new } = located;
    let of_files = hits.iter().map(|(file, rows)| (&entries[*file].path, rows));
    let mut n_documents = n_documents(of_files.filter(|(path, _)| !is_new(path)), place);
    for &row in hits.iter().flat_map(|(_, rows)| rows) {
        n_documents.entry(row).or_default();
    }
    let sharing = |(file, rows): (usize, Vec<u32>)| {
        let path = &entries[file].path;
        Sharing { file, path, is_new: is_new(path), rows }
    };
    let sharing: Vec<Sharing<'_>> = hits.into_iter().map(sharing).collect();
    let Candidates { queries_of, n_passed_over, limited } = choose(queries, &sharing, sources.config.common_at);
    let mut scratch = Vec::new();
    let mut all_found = Vec::new();
    for (file, wanted) in queries_of {
        let Ok(target) = sources.read(reader, &entries[file])? else { continue };
        let hits = queries.hits_in(&target, &mut scratch);
        let place = place(&target.path);
        let same = queries.number_of(&target.path).filter(|_| place == Place::Tree);
        let aligned = queries.align_wanted(&target, &hits, same, &wanted);
        if !aligned.alignments.is_empty() || !aligned.runs.is_empty() {
            all_found.push(found(place, target, aligned));
        }
    }
    let frequencies = queries.frequencies(&n_documents);
    let n_places = vec![Vec::new(); queries.sources().len()];
    let n_compared = entries.len();
    let outcome = SearchOutcome::default();
    Ok(SearchOutcome { found: all_found, frequencies, n_places, n_compared, n_passed_over, limited, ..outcome })
}

/// What was found in a file of the tree.
pub(super) fn found(place: Place, target: Source, aligned: AlignedQueries) -> Found {
    let is_in_tree = place == Place::Tree;
    let text = (!is_in_tree).then(|| Arc::new(target.text.clone().into()));
    let runs = if is_in_tree { aligned.runs } else { Vec::new() };
    let AlignedQueries { alignments, limits, .. } = aligned;
    Found { place, target, text, alignments, runs, whole: Vec::new(), limits }
}

/// What a file of the tree has of the queries.
struct Asked {
    hits: Vec<Hit>,
    /// What it has of the other queries.
    also: Vec<Hit>,
    /// Which names of the queries it uses.
    names: Vec<u32>,
    /// Whether this needed no reading.
    is_remembered: bool,
}

/// The distinct fingerprints of some hits, sorted.
fn rows(hits: &[Hit]) -> Vec<u32> {
    let mut rows: Vec<u32> = hits.iter().map(Hit::row).collect();
    rows.sort_unstable();
    rows.dedup();
    rows
}

impl Asked {
    fn rows(&self) -> Vec<u32> {
        rows(&self.hits)
    }

    /// Whether a cache entry does not match its file.
    fn is_false(&self, read: &Result<Source, Skip>, queries: &Queries<'_>, scratch: &mut Vec<u64>) -> bool {
        let is_true = |source: &Source| queries.hits_in(source, scratch) == self.hits;
        let is_unread = read.as_ref().is_err_and(|skip| skip.is_end());
        self.is_remembered && !is_unread && !read.as_ref().is_ok_and(is_true)
    }
}

/// Finds which fingerprints a file shares with the queries: from the cache, or from the file itself.
fn ask(
    &[queries, also]: &[Option<&Queries<'_>>; 2],
    entry: &Entry,
    reader: &impl ReadFiles,
    sources: &Sources<'_>,
    scratch: &mut Vec<u64>,
) -> Result<Result<Asked, Skip>, Error> {
    if let Some(cached) = sources.remembered.get(entry, sources.reading(&entry.path)) {
        return Ok(match reason(cached.status) {
            Some(skip) => Err(skip),
            None => {
                let hits = |queries: Option<&Queries<'_>>| queries.map(|queries| queries.hits_in_remembered(&cached));
                let (hits, also) = (hits(queries).unwrap_or_default(), hits(also).unwrap_or_default());
                let names = queries.map(|queries| queries.names_in_remembered(&cached)).unwrap_or_default();
                Ok(Asked { hits, also, names, is_remembered: true })
            }
        });
    }
    let read = sources.read(reader, entry)?;
    sources.learn(entry, &read, scratch);
    Ok(read.map(|target| {
        let mut hits = |queries: Option<&Queries<'_>>| queries.map(|queries| queries.hits_in(&target, scratch));
        let (hits, also) = (hits(queries).unwrap_or_default(), hits(also).unwrap_or_default());
        let names = queries.map(|queries| queries.names_in(&target)).unwrap_or_default();
        Asked { hits, also, names, is_remembered: false }
    }))
}

/// Compares the cache entries of the queries, and of a few files that are read for this, with the actual contents; ends
/// the use of the cache if one is wrong.
fn sample<R: ReadFiles>(
    queries: &Queries<'_>,
    entries: &[Entry],
    asked: &[&Result<Asked, Skip>],
    open: &(dyn Fn() -> R + Sync),
    sources: &Sources<'_>,
) {
    let mut scratch = Vec::new();
    for source in queries.sources() {
        let Ok(number) = entries.binary_search_by(|entry| entry.path.cmp(&source.path)) else { continue };
        let hits = queries.hits_in(source, &mut scratch);
        if asked[number].as_ref().map_or_else(|skip| !skip.is_end(), |asked| asked.hits != hits) {
            sources.remembered.distrust();
        }
    }
    let sampled = sources.remembered.sample(entries.len());
    sampled.into_par_iter().for_each_init(
        || (open(), Vec::new()),
        |(reader, scratch), number| {
            // Files missing in a partial clone cannot be compared, and need not be.
            let Ok(read) = sources.read(reader, &entries[number]) else { return };
            let is_false = match &asked[number] {
                Ok(asked) => asked.is_false(&read, queries, scratch),
                Err(skip) if skip.is_end() => false,
                Err(skip) => read.err().is_none_or(|read| !read.is_end() && read != *skip),
            };
            if is_false {
                sources.remembered.distrust();
            }
        },
    );
}

/// For each fingerprint that was hit, the number of files that have it: files of the tree, and components outside it,
/// since all versions and files of a component count as one.
fn n_documents<'e>(
    rows_of: impl Iterator<Item = (&'e FilePath, &'e Vec<u32>)>,
    place: &(dyn Fn(&FilePath) -> Place + Sync),
) -> BTreeMap<u32, u32> {
    let mut counted: BTreeMap<u32, (u32, Option<Place>)> = BTreeMap::new();
    for (path, rows) in rows_of.filter(|(_, rows)| !rows.is_empty()) {
        let place = Some(place(path)).filter(|place| matches!(place, Place::Component(_)));
        for &row in rows {
            let (n, last) = counted.entry(row).or_default();
            // The files of a component are next to each other.
            if place.is_none() || *last != place {
                *n += 1;
                last.clone_from(&place);
            }
        }
    }
    counted.into_iter().map(|(row, (n, _))| (row, n)).collect()
}
