//! Remembers the fingerprints of files between runs, and detects false entries.
//!
//! Invariant: a run with the cache has the same outcome as one without it. Fingerprints are stored
//! under the blob and everything else that decides how it is read. A cache can still be forged if
//! others may write to it, so every file that is aligned, and a random sample of others, are read
//! and compared with their entries. The first difference ends the use of the cache.

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

/// Number of files to read in each run although the cache knows them.
const SAMPLED: usize = 8;
/// The number of the normalized reading in segments.
const NORMALIZED: u32 = 1;

/// What is remembered about the files of a repository, and what is learned during a run.
#[derive(Debug, Default)]
pub struct Memory {
    /// `None`: nothing is remembered.
    cache: Option<Cache>,
    fresh: Mutex<Vec<Fresh>>,
    is_false: AtomicBool,
}

/// What fingerprints of `repository` are taken with.
pub(in crate::audit) fn params(
    repository: &Repository,
    config: &Config,
    languages: &Languages,
) -> SegmentParams {
    SegmentParams {
        k: config.fingerprint.noise_threshold() as u32,
        window: config.fingerprint.window().get() as u32,
        scheme: ROBUST_WINNOWING,
        normal_form: NORMALIZED,
        languages: languages.digest(),
        hash: if repository.is_sha256() { HashKind::Sha256 } else { HashKind::Sha1 },
    }
}

impl Memory {
    /// A cache that remembers nothing.
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

    /// The cache behind it.
    pub fn cache(&self) -> Option<&Cache> {
        self.cache.as_ref()
    }

    /// The cache alone.
    pub fn into_cache(self) -> Option<Cache> {
        self.cache
    }

    /// The folder of the cache, if an entry was found to be forged: something other than this
    /// program wrote it.
    pub fn is_false(&self) -> Option<PathBuf> {
        let cache = self.cache.as_ref().filter(|_| self.is_false.load(Ordering::Relaxed))?;
        Some(cache.folder().to_owned())
    }

    /// Whether to remember what is read.
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
        let Some(blob) = entry.blob().filter(|_| self.is_learning()) else { return };
        let (status, family) = match family {
            Ok(family) => (0, family),
            Err(skip) => match number(skip) {
                Some(number) => (number, ""),
                None => return,
            },
        };
        let fresh = Fresh::new(key(blob, reading), status, family, prints, words);
        if let Ok(mut all) = self.fresh.lock() {
            all.push(fresh);
        }
    }

    /// A random sample of the `n` cached files to read anyway, so that a forged cache cannot
    /// predict which.
    pub(in crate::audit) fn sample(&self, n: usize) -> Vec<usize> {
        if self.cache.as_ref().is_none_or(|cache| cache.n_entries() == 0) || n == 0 {
            return Vec::new();
        }
        // The keys of the hasher are random.
        (0..SAMPLED).map(|at| RandomState::new().hash_one(at) as usize % n).collect()
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
