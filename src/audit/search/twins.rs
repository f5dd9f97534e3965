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

/// Maximum identical files to name for one file.
pub(super) const MAX_NAMED: usize = 8;

/// The files that are byte-identical to a changed file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in crate::audit) struct Twins {
    /// The nearest possible origins: existing ones, or else those that the change adds before it.
    pub origins: Vec<FilePath>,
    /// The total number.
    pub n: usize,
    /// The first that the change adds before it, which is searched for in place of this one.
    pub first: Option<FilePath>,
}

/// For each of `sources`, files of the head, the files of `entries` that it is a copy of and
/// `is_comparable` to. Of equal files that are all new, the first is the origin of the others.
///
/// Time O(n log n) in the number of files, and one hash of each source.
pub(in crate::audit) fn twins(
    sources: &[Option<&Source>],
    entries: &[Entry],
    is_comparable: &dyn Fn(&Source, &FilePath) -> bool,
) -> Vec<Twins> {
    let id_of = ids_like(entries.iter().find_map(Entry::blob));
    let whole = sources.iter().map(|source| source.filter(|source| may_be_whole(source)));
    let ids: Vec<Option<BlobId>> =
        whole.map(|source| source.map(|source| id_of(source.bytes()))).collect();
    // Files of a work tree have no blob; those that changed are among the sources.
    let mut is_brought_in: HashMap<BlobId, BTreeMap<&FilePath, bool>> = HashMap::new();
    for (source, id) in sources.iter().zip(&ids) {
        if let (Some(source), Some(id)) = (source, id) {
            is_brought_in.entry(*id).or_default().insert(&source.path, true);
        }
    }
    for entry in entries {
        if let Some(paths) = entry.blob().and_then(|id| is_brought_in.get_mut(&id)) {
            paths.entry(&entry.path).or_insert(false);
        }
    }
    let twins = sources.iter().zip(&ids).map(|(source, id)| {
        let paths = id.as_ref().and_then(|id| is_brought_in.get(id));
        let paths = paths.filter(|paths| paths.len() > 1);
        let (Some(source), Some(paths)) = (source, paths) else { return Twins::default() };
        // Comparing all of a million equal files would take a million squared steps.
        let old = paths.iter().filter(|(_, is_brought_in)| !**is_brought_in);
        let old = old.take(MAX_NAMED * MAX_NAMED).map(|(path, _)| *path);
        let before = paths
            .range::<&FilePath, _>(..&source.path)
            .filter(|(_, is_brought_in)| **is_brought_in);
        let before = before.take(MAX_NAMED).map(|(path, _)| *path);
        let [mut origins, before] = [Vec::from_iter(old), Vec::from_iter(before)].map(|mut all| {
            all.retain(|path| **path != source.path && is_comparable(source, path));
            all
        });
        let first = before.first().map(|&path| path.clone());
        if origins.is_empty() {
            origins = before;
        }
        origins.sort_by_cached_key(|path| (path.distance(&source.path), *path));
        origins.truncate(MAX_NAMED);
        let origins = origins.into_iter().cloned().collect();
        Twins { origins, n: paths.len() - 1, first }
    });
    twins.collect()
}

impl SearchOutcome {
    /// Adds the files that are byte-identical to whole queries, and what the first of equals has.
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
                FileHits::new(place(path), Arc::new(Source { path: path.clone(), ..source }))
            });
            by_path.insert(path.clone(), found.aligned_whole(&of_path));
        }
        self.found = by_path.into_values().collect();
    }
}
