//! Counts the names in the files near a copy: one that is rare there is stronger evidence.

use std::collections::BTreeMap;

use foldhash::HashMap;
use rayon::prelude::*;

use crate::audit::read::{Sources, names};
use crate::files::Entry;
use crate::git::Repository;
use crate::text::FilePath;

/// Files to read near each folder with copies, the nearest of one extension. Counted over the whole
/// tree, rare names predicted no more, and cost a second where there are thousands.
const MAX_FILES: usize = 30;
/// Maximum nearby files with a name for it to be rare.
pub(super) const FEW_FILES: u32 = 5;

/// The number of files with each name, by its exact reading.
type Counts = HashMap<u32, u32>;

/// A folder, and the extension of files in it.
type Neighborhood<'n> = (&'n [u8], &'n [u8]);

/// The names in the tree around the files of a change.
pub(in crate::audit) struct Nearby<'n>(BTreeMap<Neighborhood<'n>, Counts>);

impl<'n> Nearby<'n> {
    /// What is around the files at `paths` in the tree that holds `entries`. Time O(n) for n files
    /// of the tree, and for reading [`MAX_FILES`] of them; once for each folder and extension.
    pub fn new(
        paths: impl Iterator<Item = &'n FilePath>,
        entries: &[Entry],
        repository: &Repository,
        sources: &Sources<'_>,
    ) -> Self {
        let mut first_of: BTreeMap<Neighborhood<'_>, &FilePath> = BTreeMap::new();
        paths.for_each(|path| _ = first_of.entry(neighborhood(path)).or_insert(path));
        let nearest = first_of.into_par_iter().flat_map_iter(|(place, path)| {
            nearest(path, entries).into_iter().map(move |entry| (place, entry))
        });
        let nearest: Vec<(Neighborhood<'_>, &Entry)> = nearest.collect();
        let read = nearest.par_iter().map_init(
            || repository.reader(),
            |reader, (_, entry)| {
                let is_read = sources.is_read(&entry.path);
                let source = is_read.then(|| sources.read(reader, entry).ok()?.ok()).flatten();
                source.map(|source| names(&source.tokens)).unwrap_or_default()
            },
        );
        let read: Vec<Vec<u32>> = read.collect();
        let mut n_files: BTreeMap<Neighborhood<'_>, Counts> = BTreeMap::new();
        for (&(place, _), names) in nearest.iter().zip(read) {
            let counts = n_files.entry(place).or_default();
            names.into_iter().for_each(|name| *counts.entry(name).or_default() += 1);
        }
        Self(n_files)
    }

    /// The number of files near `path` with a name, by its exact reading.
    pub(super) fn n_files(&self, path: &FilePath, name: u32) -> u32 {
        self.0.get(&neighborhood(path)).and_then(|of| of.get(&name)).copied().unwrap_or(0)
    }
}

fn neighborhood(path: &FilePath) -> Neighborhood<'_> {
    (path.folder(), kind(path))
}

/// The extension of a path, or its name if it has none.
fn kind(path: &FilePath) -> &[u8] {
    path.extension().unwrap_or(path.name())
}

/// The files of the same extension that are nearest to a path.
fn nearest<'e>(path: &FilePath, entries: &'e [Entry]) -> Vec<&'e Entry> {
    let own = kind(path);
    let of_kind = entries.iter().filter(|of| kind(&of.path) == own);
    let mut nearest: Vec<(usize, &Entry)> =
        of_kind.map(|of| (of.path.distance(path), of)).collect();
    if nearest.len() > MAX_FILES {
        nearest.select_nth_unstable_by_key(MAX_FILES, |&(distance, of)| (distance, &of.path));
        nearest.truncate(MAX_FILES);
    }
    nearest.into_iter().map(|(_, entry)| entry).collect()
}
