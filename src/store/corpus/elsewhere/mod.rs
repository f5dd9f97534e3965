//! Keeps corpora in engines that many machines share: databases and object stores.
//!
//! Each engine is a file, and a feature of the build. It holds the sources of a corpus side by
//! side: adding one writes that one only, removing one marks it, and `compact` gives the space
//! back. What a reader has begun with, it keeps.

#[cfg(feature = "clickhouse")]
mod clickhouse;
#[cfg(any(feature = "remote", feature = "postgres", feature = "clickhouse"))]
mod connection;
#[cfg(feature = "remote")]
mod objects;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(any(feature = "postgres", feature = "clickhouse"))]
mod tables;

use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::{Corpus, CorpusError, CorpusSegment, Lookups, Shelf, Stats};

/// Where a corpus is that is not in the folder of all corpora: a URL.
#[derive(Clone, PartialEq, Eq)]
pub struct Location {
    url: String,
}

/// The parts that are no secret.
impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, rest) = self.url.split_once(':').unwrap_or_default();
        let rest = rest.strip_prefix("//").unwrap_or(rest);
        // A password may hold anything, even what ends a host: what is before the last `@` is never
        // shown.
        let rest = rest.rsplit('@').next().unwrap_or_default();
        let rest = rest.split(['?', '#']).next().unwrap_or_default();
        write!(f, "{scheme}://{rest}")
    }
}

impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Location({self})")
    }
}

impl Location {
    /// The location that `name` is, if it is a URL.
    pub fn new(name: &str) -> Option<Self> {
        let (scheme, rest) = name.split_once(':')?;
        // A single letter is a drive.
        let is_scheme = scheme.len() > 1
            && scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(&byte));
        let is_url = is_scheme && (rest.starts_with("//") || scheme == "file");
        is_url.then(|| Self { url: name.to_owned() })
    }

    fn scheme(&self) -> &str {
        self.url.split(':').next().unwrap_or_default()
    }

    /// The engine that it is in.
    pub fn engine(&self) -> Result<Box<dyn Engine>, CorpusError> {
        #[allow(unused_variables, reason = "not with all features")]
        let feature = match self.scheme() {
            "postgres" | "postgresql" => {
                #[cfg(feature = "postgres")]
                return Ok(Box::new(postgres::Postgres::new(self)?));
                #[cfg(not(feature = "postgres"))]
                "postgres"
            }
            "clickhouse" => {
                #[cfg(feature = "clickhouse")]
                return Ok(Box::new(clickhouse::ClickHouse::new(self)?));
                #[cfg(not(feature = "clickhouse"))]
                "clickhouse"
            }
            "file" | "s3" | "s3a" | "gs" | "az" | "azure" | "abfs" | "abfss" | "https" | "http" => {
                #[cfg(feature = "remote")]
                return Ok(Box::new(objects::Objects::new(self)?));
                #[cfg(not(feature = "remote"))]
                "remote"
            }
            _ => {
                return Err(self.fails(
                    "its kind is not known; known are file:, s3:, gs:, az:, https:, http:, \
                     postgres:, clickhouse:",
                ));
            }
        };
        #[allow(unreachable_code, reason = "not with all features")]
        Err(CorpusError::NotBuilt { place: self.to_string(), feature })
    }

    pub(super) fn fails(&self, why: impl fmt::Display) -> CorpusError {
        CorpusError::Elsewhere { place: self.to_string(), why: why.to_string() }
    }
}

/// What was asked of an engine.
#[derive(Debug, Default)]
pub struct Traffic {
    n_requests: AtomicU64,
    n_bytes: AtomicU64,
}

impl Traffic {
    /// Counts a request, and the bytes of its answer.
    #[allow(dead_code, reason = "not without any engine")]
    pub(super) fn count(&self, n_bytes: u64) {
        self.n_requests.fetch_add(1, Ordering::Relaxed);
        self.n_bytes.fetch_add(n_bytes, Ordering::Relaxed);
    }

    /// The requests so far.
    pub fn n_requests(&self) -> u64 {
        self.n_requests.load(Ordering::Relaxed)
    }

    /// The bytes of their answers.
    pub fn n_bytes(&self) -> u64 {
        self.n_bytes.load(Ordering::Relaxed)
    }
}

/// A corpus in an engine, open.
#[derive(Debug)]
pub struct OpenCorpus {
    /// Its name where it was made.
    pub name: String,
    /// Its sources, each with its label and figures.
    pub sources: Vec<(String, Stats)>,
    /// Their segments.
    pub segments: Vec<CorpusSegment>,
    /// Looks up in them.
    pub lookups: Box<dyn Lookups>,
    /// Counts what is asked.
    pub traffic: Arc<Traffic>,
}

/// What writing to an engine did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Delivery {
    /// Sources that were added or replaced.
    pub n_added: usize,
    /// Sources that were there already.
    pub n_kept: usize,
    /// Postings that were added.
    pub n_postings: u64,
    /// Bytes that were added.
    pub n_bytes: u64,
    /// The SHA-256 of what describes all of it, where there is such a thing.
    pub digest: Option<String>,
}

/// What compaction did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Compaction {
    /// Sources that were removed or replaced, whose space was given back.
    pub n_removed: usize,
    /// Sources whose segments were merged.
    pub n_merged: usize,
}

/// Holds a corpus.
pub trait Engine {
    /// Opens it, to search it. What is kept here of it goes below `folder`.
    fn open(&self, folder: Option<&Path>) -> Result<OpenCorpus, CorpusError>;

    /// Adds the sources of `corpus` that it has not got, and replaces those that have changed;
    /// `readers` are allowed to read, where the engine knows users. If it fails, or another process
    /// is writing, all is as it was.
    fn add(&self, corpus: &Corpus, readers: Option<&str>) -> Result<Delivery, CorpusError>;

    /// Removes sources, by label: they are marked, and whoever has begun to read goes on.
    fn remove(&self, labels: &[String]) -> Result<(), CorpusError>;

    /// Merges small segments, where the engine has segments, and gives back the space of what was
    /// removed or merged, where readers are in the way only if that is `older`.
    fn compact(&self, older: Duration) -> Result<Compaction, CorpusError>;

    /// Copies it to a corpus of `shelf` with this name, or that of where it was made. If it fails,
    /// what was copied until then is whole.
    fn pull(&self, shelf: &Shelf, name: Option<&str>) -> Result<Delivery, CorpusError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_shows_no_password_wherever_it_stands() {
        let shown = |url: &str| Location::new(url).map(|location| location.to_string());
        for (url, expected) in [
            ("postgres://user:secret@db/corpora?schema=oss", "postgres://db/corpora"),
            ("postgres://user:sec/ret@db/corpora?password=secret#secret", "postgres://db/corpora"),
            ("postgres://user:sec?r@et@db/corpora", "postgres://db/corpora"),
            ("https://example.org/oss?token=secret", "https://example.org/oss"),
            ("file:/srv/oss", "file:///srv/oss"),
        ] {
            assert_eq!(shown(url).as_deref(), Some(expected));
        }
        for name in ["oss", "C:\\corpora", "../oss", "a b://c", "x", ":", "pkg:cargo/serde@1"] {
            assert_eq!(shown(name), None, "{name}");
        }
        let location = Location::new("postgres://user:secret@db/x").expect("it is a URL");
        assert!(!format!("{location:?}").contains("secret"));
    }
}
