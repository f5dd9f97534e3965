//! Finds the files of a tree that are byte-identical to a changed file.
//!
//! A whole file is a copy whatever it contains: a table, one-line functions, plain assignments,
//! none of which would be evidence on its own.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::queries::{FileHits, Queries, SearchOutcome, SeedPlaces, may_be_whole};
use crate::audit::read::Source;
use crate::files::{BlobId, Entry};
use crate::git::ids_like;
use crate::policy::Place;
use crate::text::FilePath;

/// Maximum identical files to report for one file; further ones are counted.
const MAX_NAMED: usize = 8;

/// The files that are byte-identical to a changed file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in crate::audit) struct Twins {
    /// The nearest possible origins: existing ones, or else those that the change adds before it.
    pub origins: Vec<FilePath>,
    /// The total number.
    pub n: usize,
    /// The first of those that the change adds before it, if any. It is searched for in place of
    /// this one.
    pub first: Option<FilePath>,
}

/// Since when a file has had its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Since {
    /// Since before the change.
    Base,
    /// The change modified it.
    Touched,
    /// The change added all of it.
    BroughtIn,
}

/// For each of `sources`, files of the head, the files of `entries` that it is a copy of. `is_new`
/// is true for those that the change touches, `is_comparable` if a source under another path would
/// be read in the same way. Of equal files that are all new, the first is the origin of the others.
///
/// Time O(n log n) in the number of files, and one hash of each source.
pub(in crate::audit) fn twins(
    sources: &[Option<&Source>],
    entries: &[Entry],
    is_new: &(dyn Fn(&FilePath) -> bool + Sync),
    is_comparable: &dyn Fn(&Source, &FilePath) -> bool,
) -> Vec<Twins> {
    let id_of = ids_like(entries.iter().find_map(Entry::blob));
    let id = |source: &&Source| may_be_whole(source).then(|| id_of(source.bytes()));
    let ids: Vec<Option<BlobId>> =
        sources.iter().map(|source| source.as_ref().and_then(id)).collect();
    // Files of a work tree have no blob; those that changed are among the sources.
    let mut paths_of: HashMap<BlobId, BTreeMap<&FilePath, Since>> = HashMap::new();
    for (source, id) in sources.iter().zip(&ids) {
        if let (Some(source), Some(id)) = (source, id) {
            paths_of.entry(*id).or_default().insert(&source.path, Since::BroughtIn);
        }
    }
    for entry in entries {
        if let Some(paths) = entry.blob().and_then(|id| paths_of.get_mut(&id)) {
            let since = if is_new(&entry.path) { Since::Touched } else { Since::Base };
            paths.entry(&entry.path).or_insert(since);
        }
    }
    let twins_of = |(source, id): (&Option<&Source>, &Option<BlobId>)| {
        let paths = id.as_ref().and_then(|id| paths_of.get(id)).filter(|paths| paths.len() > 1);
        let (Some(source), Some(paths)) = (source, paths) else { return Twins::default() };
        let is_other = |path: &FilePath| *path != source.path && is_comparable(source, path);
        // Comparing all of a million equal files would take a million squared steps.
        let since_before = |is_new: bool| {
            move |(_, since): &(&&FilePath, &Since)| (**since == Since::BroughtIn) == is_new
        };
        let path = |(path, _): (&&FilePath, &Since)| (*path).clone();
        let old = paths.iter().filter(since_before(false)).take(MAX_NAMED * MAX_NAMED);
        let mut origins: Vec<FilePath> = old.map(path).filter(&is_other).collect();
        let before = paths.iter().take_while(|(path, _)| **path < &source.path);
        let before = before.filter(since_before(true)).take(MAX_NAMED);
        let before: Vec<FilePath> = before.map(path).filter(&is_other).collect();
        let first = before.first().cloned();
        if origins.is_empty() {
            origins = before;
        }
        origins.sort_by_cached_key(|path| (path.distance(&source.path), path.clone()));
        origins.truncate(MAX_NAMED);
        Twins { origins, n: paths.len() - 1, first }
    };
    sources.iter().zip(&ids).map(twins_of).collect()
}

impl SearchOutcome {
    /// Adds the files that are byte-identical to whole queries, and to each query what was found of
    /// the first of those that the change adds; `place` says where each one is.
    pub(in crate::audit) fn take_twins(
        &mut self,
        queries: &Queries<'_>,
        twins: &[Twins],
        place: &dyn Fn(&FilePath) -> Place,
    ) {
        let mut queries_of: BTreeMap<&FilePath, Vec<usize>> = BTreeMap::new();
        for (query, twins) in twins.iter().enumerate() {
            twins.origins.iter().for_each(|path| queries_of.entry(path).or_default().push(query));
            if twins.n > 0
                && let Some(n_places) = self.n_places.get_mut(query)
            {
                *n_places = vec![SeedPlaces { position: 0, row: 0, n: twins.n as u32 + 1 }];
            }
            if let Some(first) = twins.first.as_ref().and_then(|first| queries.number_of(first)) {
                let own = &queries.sources[query].path;
                let others = self.found.iter_mut().filter(|found| found.target.path != *own);
                others.for_each(|found| found.share(first, query));
                if let Some(of_first) = self.frequencies.get(first).cloned() {
                    self.frequencies[query] = of_first;
                }
            }
        }
        let found = std::mem::take(&mut self.found).into_iter();
        let mut by_path: BTreeMap<FilePath, FileHits> =
            found.map(|found| (found.target.path.clone(), found)).collect();
        for (path, of_path) in queries_of {
            let found = by_path.remove(path).unwrap_or_else(|| {
                let source = queries.sources[of_path[0]].clone();
                FileHits::new(place(path), Arc::new(Source { path: path.clone(), ..source }), None)
            });
            by_path.insert(path.clone(), found.aligned_whole(&of_path));
        }
        self.found = by_path.into_values().collect();
    }
}
