//! Remembers the fingerprints of files between runs, and detects false entries.
//!
//! Invariant: a run has the same outcome with and without a cache. Fingerprints are stored under
//! the blob and everything else that decides how it is read. A cache can still be forged by whoever
//! may write to it, so files that are aligned, and a random sample of others, are read and compared
//! with their entries. The first difference ends the use of the cache.

use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::skip::{Skip, number};
use crate::config::Config;
use crate::files::{BlobId, Entry};
use crate::fingerprint::{Fingerprint, ROBUST_WINNOWING};
use crate::git::Repository;
use crate::language::Languages;
use crate::store::{BlobFacts, Cache, Fresh, HashKind, Key, SegmentError, SegmentParams};

/// What is remembered about the files of a repository, and what is learned during a run.
#[derive(Debug, Default)]
pub struct Memory {
    /// `None`: nothing is remembered.
    cache: Option<Cache>,
    fresh: Mutex<Vec<Fresh>>,
    is_false: AtomicBool,
}

pub(in crate::audit) fn params(
    repository: &Repository,
    config: &Config,
    languages: &Languages,
) -> SegmentParams {
    SegmentParams {
        k: config.fingerprint.noise_threshold() as u32,
        window: config.fingerprint.window().get() as u32,
        scheme: ROBUST_WINNOWING,
        normal_form: 1,
        languages: languages.digest(),
        hash: if repository.is_sha256() { HashKind::Sha256 } else { HashKind::Sha1 },
    }
}

impl Memory {
    /// Nothing is remembered.
    pub fn nothing() -> Self {
        Self::default()
    }

    /// Opens the cache in `folder`.
    pub fn open(
        folder: &Path,
        repository: &Repository,
        config: &Config,
        languages: &Languages,
    ) -> Self {
        let cache = Cache::open(folder, params(repository, config, languages));
        Self { cache: Some(cache), ..Self::default() }
    }

    /// The cache, if there is one.
    pub fn cache(&self) -> Option<&Cache> {
        self.cache.as_ref()
    }

    /// The same, without what was learned.
    pub fn into_cache(self) -> Option<Cache> {
        self.cache
    }

    /// The folder of the cache, if an entry was forged: something else has written to it.
    pub fn is_false(&self) -> Option<PathBuf> {
        let cache = self.cache.as_ref().filter(|_| self.is_false.load(Ordering::Relaxed))?;
        Some(cache.folder().to_owned())
    }

    pub(in crate::audit) fn is_learning(&self) -> bool {
        self.cache.is_some()
    }

    /// What is remembered about a file with this `reading`.
    pub(in crate::audit) fn get(&self, entry: &Entry, reading: u64) -> Option<BlobFacts<'_>> {
        let cache = self.cache.as_ref().filter(|_| !self.is_false.load(Ordering::Relaxed))?;
        cache.get(&key(entry.blob()?, reading))
    }

    /// Records the contents of a file in this family, or why it was skipped.
    pub(in crate::audit) fn learn(
        &self,
        entry: &Entry,
        reading: u64,
        family: Result<&str, Skip>,
        prints: impl Iterator<Item = Fingerprint>,
        words: &[u32],
    ) {
        let Some(blob) = entry.blob() else { return };
        let Some(status) = family.map_or_else(number, |_| Some(0)) else { return };
        let family = family.unwrap_or_default();
        let fresh = Fresh::new(key(blob, reading), status, family, prints, words);
        if let Ok(mut all) = self.fresh.lock() {
            all.push(fresh);
        }
    }

    /// The few of `n` files to read although the cache may know them, which nobody can predict.
    pub(in crate::audit) fn sample(&self, n: usize) -> Vec<usize> {
        if self.cache.as_ref().is_none_or(|cache| cache.n_entries() == 0) || n == 0 {
            return Vec::new();
        }
        // The keys of the hasher are random.
        (0..8).map(|at| RandomState::new().hash_one(at) as usize % n).collect()
    }

    /// Stops using the cache: an entry does not match its file.
    pub(in crate::audit) fn distrust(&self) {
        self.is_false.store(true, Ordering::Relaxed);
    }

    /// Writes what was learned.
    ///
    /// # Errors
    /// If the folder is not writable: the next run then takes as long as this one.
    pub fn save(self) -> Result<(), SegmentError> {
        let Some(cache) = self.cache else { return Ok(()) };
        let fresh = self.fresh.into_inner().unwrap_or_default();
        if self.is_false.into_inner() {
            Cache::clear(cache.folder());
        }
        if fresh.is_empty() && cache.faults().is_empty() { Ok(()) } else { cache.keep(&fresh) }
    }
}

fn key(blob: BlobId, reading: u64) -> Key {
    Key { id: blob.as_bytes().into(), reading }
}
