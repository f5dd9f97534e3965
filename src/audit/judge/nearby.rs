//! Counts the names that the files near a copy use: a name that is rare there is stronger evidence
//! than a common one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::audit::read::{Sources, names};
use crate::files::Entry;
use crate::git::Repository;
use crate::text::FilePath;

/// Files that are read near each folder with copies: the nearest of the same extension. Counted
/// over the whole tree, rare names predicted no more than over 30 files, and cost a second where
/// there are thousands.
const MAX_FILES: usize = 30;
/// Maximum nearby files with a name for it to be rare.
pub(super) const FEW_FILES: u32 = 5;

/// In how many files each name is, by its exact reading.
pub(super) type Counts = HashMap<u32, u32>;

/// A folder, and the extension of the files in it that were asked about.
type Neighborhood = (Vec<u8>, Vec<u8>);

/// The tree around the files of a change.
pub(in crate::audit) struct Nearby<'n> {
    entries: &'n [Entry],
    repository: &'n Repository,
    sources: &'n Sources<'n>,
    /// For each folder and extension that was asked about, in how many of its files each name is.
    known: Mutex<HashMap<Neighborhood, Arc<OnceLock<Arc<Counts>>>>>,
}

impl<'n> Nearby<'n> {
    /// The tree that holds `entries`.
    pub fn new(entries: &'n [Entry], repository: &'n Repository, sources: &'n Sources<'n>) -> Self {
        Self { entries, repository, sources, known: Mutex::default() }
    }

    /// In how many of the files near `path` each name is, by its exact reading. Time O(n) for n
    /// files of the tree, and for reading [`MAX_FILES`] of them; once for each folder.
    pub(super) fn names(&self, path: &FilePath) -> Arc<Counts> {
        let kind = path.extension().unwrap_or(path.name());
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let counts = Arc::clone(known.entry((path.folder().to_vec(), kind.to_vec())).or_default());
        drop(known);
        Arc::clone(counts.get_or_init(|| Arc::new(self.count(path, kind))))
    }

    /// In how many of the files of a kind near `path` each name is.
    fn count(&self, path: &FilePath, kind: &[u8]) -> Counts {
        let of_kind =
            self.entries.iter().filter(|of| of.path.extension().unwrap_or(of.path.name()) == kind);
        let mut nearest: Vec<(usize, &FilePath, &Entry)> =
            of_kind.map(|of| (of.path.distance(path), &of.path, of)).collect();
        if nearest.len() > MAX_FILES {
            nearest.select_nth_unstable_by(MAX_FILES, |a, b| (a.0, a.1).cmp(&(b.0, b.1)));
            nearest.truncate(MAX_FILES);
        }
        let reader = self.repository.reader();
        let mut n_files: Counts = HashMap::new();
        for (_, path, entry) in nearest {
            if self.sources.is_read(path)
                && let Ok(Ok(source)) = self.sources.read(&reader, entry)
            {
                for name in names(&source.tokens) {
                    *n_files.entry(name).or_default() += 1;
                }
            }
        }
        n_files
    }
}
