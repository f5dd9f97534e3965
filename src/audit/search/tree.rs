//! Searches files: streams them past an index of the queries, and aligns what they share.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::queries::{FEW_FILES, Found, Hit, Queries, SearchOutcome};
use crate::audit::Error;
use crate::audit::read::{Skip, Source, Sources, reason};
use crate::config::Config;
use crate::git::{Entry, ReadFiles};
use crate::policy::Place;
use crate::text::FilePath;

/// The files to search, and how to read them.
pub(in crate::audit) struct Targets<'t, R> {
    pub entries: &'t [Entry],
    /// Opens a reader for one thread.
    pub open: &'t (dyn Fn() -> R + Sync),
    /// Where each file is kept.
    pub place: &'t (dyn Fn(&FilePath) -> Place + Sync),
    /// Files of the tree, or components of a corpus, that a fingerprint may occur in before it is common.
    pub common_at: usize,
}

/// Streams `targets` past the queries and aligns what they share.
///
/// Twice over: first each file is asked which fingerprints it shares, so that
/// common ones can be told; then those that share rare ones are read and aligned. What is
/// remembered of a file answers the first question without reading it.
///
/// # Errors
/// The first file, by path, that could not be read.
pub(in crate::audit) fn search<R: ReadFiles>(
    queries: &Queries<'_>,
    targets: &Targets<'_, R>,
    sources: &Sources<'_>,
) -> Result<SearchOutcome, Error> {
    let &Targets { entries, open, place, common_at } = targets;
    let progress = sources.progress;
    let is_trusted = sources.remembered.is_false().is_none();
    progress.begin("comparing", entries.len());
    let asked: Vec<Result<Asked, Skip>> = entries
        .par_iter()
        .map_init(
            || (open(), Vec::new()),
            |(reader, scratch), entry| {
                let asked = ask(queries, entry, reader, sources, scratch)?;
                progress.step();
                Ok(asked)
            },
        )
        .collect::<Result<_, Error>>()?;

    let hits = entries.iter().zip(&asked).filter_map(|(entry, asked)| {
        let rows = asked.as_ref().ok()?.hits.iter().map(|hit| hit.row);
        Some((entry, rows.collect()))
    });
    let n_documents = n_documents(hits, place);

    let n_compared = asked.iter().filter(|asked| asked.is_ok()).count();
    let promising = promising(&asked, &n_documents, common_at, sources.config);
    progress.begin("aligning", promising.len());
    let found = promising
        .par_iter()
        .map_init(
            || (open(), Vec::new()),
            |(reader, scratch), (number, hits)| {
                let read = sources.read(reader, &entries[*number])?;
                progress.step();
                let is_false = asked[*number].as_ref().is_ok_and(|asked| asked.is_false(&read, queries, scratch));
                if is_false {
                    sources.remembered.distrust();
                }
                Ok(read.ok().map(|target| {
                    let place = place(&target.path);
                    let same = queries.number_of(&target.path).filter(|_| place == Place::Tree);
                    let alignments = queries.align(&target, hits, same);
                    let text = (place != Place::Tree).then(|| target.text.clone().into());
                    Found { place, target, text, alignments, whole: Vec::new() }
                }))
            },
        )
        .collect::<Result<Vec<_>, Error>>()?;
    sample(queries, entries, &asked, &open(), sources);
    if is_trusted && sources.remembered.is_false().is_some() {
        // What else it said is as little to be trusted: nothing is remembered this time.
        return search(queries, targets, sources);
    }
    let skipped = entries.iter().zip(asked).filter_map(|(entry, asked)| Some((entry.clone(), asked.err()?))).collect();
    let found = found.into_iter().flatten().filter(|found| !found.alignments.is_empty()).collect();
    let frequencies = queries.frequencies(&n_documents);
    Ok(SearchOutcome { found, frequencies, skipped, n_compared })
}

/// The files of a tree that share something with the queries, when that is known without reading them.
pub(in crate::audit) struct Located<'l> {
    pub entries: &'l [Entry],
    /// The numbers of files, sorted, and what each shares.
    pub hits: Vec<(usize, Vec<u32>)>,
    /// Where each file is kept.
    pub place: &'l (dyn Fn(&FilePath) -> Place + Sync),
    /// As of [`Targets`].
    pub common_at: usize,
}

/// Aligns the queries with the files that share rare fingerprints with them.
///
/// # Errors
/// The first of them that could not be read.
pub(in crate::audit) fn search_located(
    queries: &Queries<'_>,
    located: &Located<'_>,
    reader: &impl ReadFiles,
    sources: &Sources<'_>,
) -> Result<SearchOutcome, Error> {
    let &Located { entries, ref hits, place, common_at } = located;
    let n_documents = n_documents(hits.iter().map(|(file, rows)| (&entries[*file], rows.clone())), place);
    let is_rare = |row: &u32| f64::from(n_documents[row]) <= FEW_FILES / sources.config.min_rarity;
    let is_telling = |row: &u32| n_documents.get(row).is_some_and(|&n| n as usize <= common_at);
    let mut scratch = Vec::new();
    let mut found = Vec::new();
    for (file, rows) in hits {
        if !rows.iter().any(is_rare) || !rows.iter().any(is_telling) {
            continue;
        }
        let Ok(target) = sources.read(reader, &entries[*file])? else { continue };
        let mut hits = queries.hits_in(&target, &mut scratch);
        hits.retain(|hit| is_telling(&hit.row));
        let place = place(&target.path);
        let same = queries.number_of(&target.path).filter(|_| place == Place::Tree);
        let alignments = queries.align(&target, &hits, same);
        if !alignments.is_empty() {
            let text = (place != Place::Tree).then(|| target.text.clone().into());
            found.push(Found { place, target, text, alignments, whole: Vec::new() });
        }
    }
    let frequencies = queries.frequencies(&n_documents);
    Ok(SearchOutcome { found, frequencies, skipped: Vec::new(), n_compared: entries.len() })
}

/// What a file of the tree has of the queries.
struct Asked {
    hits: Vec<Hit>,
    /// Whether it was not read for this.
    is_remembered: bool,
}

impl Asked {
    /// Whether what was remembered of a file is not what it holds.
    fn is_false(&self, read: &Result<Source, Skip>, queries: &Queries<'_>, scratch: &mut Vec<u64>) -> bool {
        let is_true = |source: &Source| queries.hits_in(source, scratch) == self.hits;
        self.is_remembered && !read.as_ref().is_ok_and(is_true)
    }
}

/// Asks a file which fingerprints it shares with the queries: what is remembered of it, or itself.
fn ask(
    queries: &Queries<'_>,
    entry: &Entry,
    reader: &impl ReadFiles,
    sources: &Sources<'_>,
    scratch: &mut Vec<u64>,
) -> Result<Result<Asked, Skip>, Error> {
    if let Some(cached) = sources.remembered.get(entry, sources.reading(&entry.path)) {
        return Ok(match reason(cached.status) {
            Some(skip) => Err(skip),
            None => Ok(Asked { hits: queries.hits_in_remembered(&cached), is_remembered: true }),
        });
    }
    let read = sources.read(reader, entry)?;
    sources.learn(entry, &read, scratch);
    Ok(read.map(|target| Asked { hits: queries.hits_in(&target, scratch), is_remembered: false }))
}

/// The files that can hold a clone, by number, and their hits that are not common.
///
/// A clone needs seeds that are rare in the mean, so at least one that is as rare as the mean must be.
fn promising(
    asked: &[Result<Asked, Skip>],
    n_documents: &BTreeMap<u32, u32>,
    common_at: usize,
    config: &Config,
) -> Vec<(usize, Vec<Hit>)> {
    let rare_at = FEW_FILES / config.min_rarity;
    let mut promising = Vec::new();
    for (number, asked) in asked.iter().enumerate() {
        let Ok(asked) = asked else { continue };
        if asked.hits.iter().any(|hit| f64::from(n_documents[&hit.row]) <= rare_at) {
            let is_telling = |hit: &&Hit| n_documents[&hit.row] as usize <= common_at;
            promising.push((number, asked.hits.iter().filter(is_telling).copied().collect::<Vec<_>>()));
        }
    }
    promising.retain(|(_, hits)| !hits.is_empty());
    promising
}

/// Compares what is remembered of the queries, and of a few files that are read for it, with what they hold,
/// and ends the use of the cache when it was wrong about one.
fn sample(
    queries: &Queries<'_>,
    entries: &[Entry],
    asked: &[Result<Asked, Skip>],
    reader: &impl ReadFiles,
    sources: &Sources<'_>,
) {
    let mut scratch = Vec::new();
    for source in queries.sources() {
        let Ok(number) = entries.binary_search_by(|entry| entry.path.cmp(&source.path)) else { continue };
        let hits = queries.hits_in(source, &mut scratch);
        if asked[number].as_ref().map_or(true, |asked| asked.hits != hits) {
            sources.remembered.distrust();
        }
    }
    for number in sources.remembered.sample(entries.len()) {
        // What is not in a partial clone cannot be compared, and need not be.
        let Ok(read) = sources.read(reader, &entries[number]) else { continue };
        let is_false = match &asked[number] {
            Ok(asked) => asked.is_false(&read, queries, &mut scratch),
            Err(skip) => read.err() != Some(*skip),
        };
        if is_false {
            sources.remembered.distrust();
        }
    }
}

/// For each fingerprint that was hit, the number of files that hold it: files of the tree, and components
/// outside of it, since a component's versions and files are one voice.
fn n_documents<'e>(
    hits: impl Iterator<Item = (&'e Entry, Vec<u32>)>,
    place: &(dyn Fn(&FilePath) -> Place + Sync),
) -> BTreeMap<u32, u32> {
    let mut counted: BTreeMap<u32, (u32, Option<Place>)> = BTreeMap::new();
    for (entry, mut rows) in hits {
        if rows.is_empty() {
            continue;
        }
        rows.sort_unstable();
        rows.dedup();
        let place = Some(place(&entry.path)).filter(|place| matches!(place, Place::Component(_)));
        for row in rows {
            let (n, last) = counted.entry(row).or_default();
            // The files of a component stand beside each other.
            if place.is_none() || *last != place {
                *n += 1;
                last.clone_from(&place);
            }
        }
    }
    counted.into_iter().map(|(row, (n, _))| (row, n)).collect()
}
