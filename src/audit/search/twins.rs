//! Finds the files of a tree that are a changed file, byte for byte.
//!
//! A whole file is a copy whatever it holds: a table, one-line functions, plain assignments, of which no
//! stretch by itself would tell anything.

use std::collections::{BTreeMap, HashMap};

use super::queries::{Found, Queries, SearchOutcome, may_be_whole};
use crate::audit::read::Source;
use crate::git::{BlobId, Entry};
use crate::policy::Place;
use crate::text::FilePath;

/// Twins that are named for one file; further ones are counted.
const MAX_NAMED: usize = 8;

/// The files that a changed file equals, byte for byte.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in crate::audit) struct Twins {
    /// The nearest that may be its origin: what was there before, else what the change brings in before it.
    pub origins: Vec<FilePath>,
    /// How many there are in all.
    pub n: usize,
}

/// For each of `sources`, files of the head, the files of `entries` that it is a copy of; `is_new` tells which of them
/// the change touches. Of equal files that are all new the first is the origin of the others.
///
/// Time O(n log n) in the files, and one hash of each source.
pub(in crate::audit) fn twins(
    sources: &[&Source],
    entries: &[Entry],
    is_new: &(dyn Fn(&FilePath) -> bool + Sync),
) -> Vec<Twins> {
    let ids: Vec<Option<BlobId>> =
        sources.iter().map(|source| may_be_whole(source).then(|| BlobId::of(&source.text))).collect();
    // Files of a work tree have no blob; those that changed are among the sources.
    let mut paths_of: HashMap<BlobId, BTreeMap<&FilePath, bool>> = HashMap::new();
    for (source, id) in sources.iter().zip(&ids) {
        if let Some(id) = id {
            paths_of.entry(*id).or_default().insert(&source.path, true);
        }
    }
    for entry in entries {
        if let Some(paths) = entry.blob().and_then(|id| paths_of.get_mut(&id)) {
            paths.insert(&entry.path, is_new(&entry.path));
        }
    }
    let twins_of = |(source, id): (&&Source, &Option<BlobId>)| {
        let Some(paths) = id.as_ref().and_then(|id| paths_of.get(id)).filter(|paths| paths.len() > 1) else {
            return Twins::default();
        };
        // Looking at the nearest of a million equal files for each of them would take a million squared.
        let old = || paths.iter().filter(|(_, is_new)| !**is_new).take(MAX_NAMED * MAX_NAMED);
        let new = || paths.iter().take_while(|(path, _)| **path < &source.path).take(MAX_NAMED);
        let mut origins: Vec<FilePath> = old().map(|(path, _)| (*path).clone()).collect();
        if origins.is_empty() {
            origins = new().map(|(path, _)| (*path).clone()).collect();
        }
        origins.retain(|path| *path != source.path);
        origins.sort_by_cached_key(|path| (path.distance(&source.path), path.clone()));
        origins.truncate(MAX_NAMED);
        Twins { origins, n: paths.len() - 1 }
    };
    sources.iter().zip(&ids).map(twins_of).collect()
}

impl SearchOutcome {
    /// Adds the files that whole queries equal, byte for byte; `place` tells where each is kept.
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
                *n_places = vec![(0, twins.n as u32 + 1)];
            }
        }
        let found = std::mem::take(&mut self.found).into_iter();
        let mut by_path: BTreeMap<FilePath, Found> = found.map(|found| (found.target.path.clone(), found)).collect();
        for (path, of_path) in queries_of {
            let found = by_path.remove(path).unwrap_or_else(|| {
                let target = Source { path: path.clone(), ..queries.sources()[of_path[0]].clone() };
                Found { place: place(path), target, text: None, alignments: Vec::new(), whole: Vec::new() }
            });
            by_path.insert(path.clone(), found.aligned_whole(&of_path));
        }
        self.found = by_path.into_values().collect();
    }
}
