//! Keeps a corpus in an object store, in a folder, or behind a web server, and reads it there in
//! place.
//!
//! ```text
//! corpus.json                 the manifest as it is now
//! manifests/<number>.json     each manifest that ever was; made only if there is none with the number
//! segments/<sha256>/<part>    the segments, as they are on disk, in parts of 4 MiB
//! tables/<sha256>/<part>      the postings of many segments in one order
//! indexes/<sha256>/<part>     of each table what every look-up needs of it and of its segments
//! ```
//!
//! Objects are named by their contents and never changed, so a reader keeps what it began with. Two
//! writers make the same next number, and the store lets one of them.
//!
//! To remove a source is to leave it out of the next manifest. Its rows in tables are ignored until
//! the next compaction rewrites the tables.

mod manifest;
mod session;
mod tables;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest, Sha256};

use self::manifest::{Manifest, Object, Removal, Source, TableObjects, VERSION, now};
use self::session::Session;
use self::tables::{TableLookups, tables_to_merge};
use super::{Compaction, Delivery, Engine, Location, OpenCorpus};
use crate::store::corpus::lookups::each;
use crate::store::corpus::table::Table;
use crate::store::corpus::{
    Corpus, CorpusError, CorpusSegment, Record, Shelf, hex, remove_abandoned,
};

/// The folder for indexes, below the folder of all corpora; no corpus can have its name.
const KEPT: &str = ".elsewhere";

pub(super) struct Objects {
    location: Location,
    /// The SHA-256 that the manifest must have: `URL#sha256=...`.
    digest: Option<String>,
    session: Arc<Session>,
}

impl Objects {
    pub fn new(location: &Location) -> Result<Self, CorpusError> {
        let (url, digest) = match location.url.split_once("#sha256=") {
            Some((url, digest)) => (url, Some(digest.to_ascii_lowercase())),
            None => (location.url.as_str(), None),
        };
        // A path may be relative to the folder that the user is in.
        let url = match url.strip_prefix("file:") {
            Some(path) if !path.starts_with("//") => {
                let path = std::path::absolute(path).map_err(|why| location.fails(why))?;
                url::Url::from_directory_path(path).map_or_else(|()| url.to_owned(), String::from)
            }
            _ => url.to_owned(),
        };
        let session =
            Session::new(&url, location.to_string()).map_err(|why| location.fails(why))?;
        Ok(Self { location: location.clone(), digest, session: Arc::new(session) })
    }

    /// The folder for the indexes of this corpus, below the folder of all corpora.
    fn kept(&self, folder: &Path) -> PathBuf {
        folder.join(KEPT).join(&hex(&Sha256::digest(self.location.to_string()))[..16])
    }
}

/// The name that the index of a table has here.
fn kept_name(of: &TableObjects) -> String {
    format!("{}.seg", of.index)
}

impl Engine for Objects {
    fn open(&self, folder: Option<&Path>) -> Result<OpenCorpus, CorpusError> {
        let manifest = self.known_manifest()?;
        // Without a place to keep them, indexes are read anew in each run.
        let own = match folder.map(|folder| self.kept(folder)) {
            Some(folder) if std::fs::create_dir_all(&folder).is_ok() => Ok(folder),
            _ => Err(tempfile::TempDir::new().map_err(|why| self.location.fails(why))?),
        };
        let folder = own.as_ref().map_or_else(tempfile::TempDir::path, PathBuf::as_path);
        let tables: Vec<Table> = each(&manifest.tables, |of| self.table(of, folder))
            .into_iter()
            .collect::<Result<_, CorpusError>>()?;
        // A reader of an older state downloads again what it lacks, and what a reader has mapped
        // stays.
        if self.digest.is_none() {
            remove_abandoned(folder, |name| manifest.tables.iter().all(|of| name != kept_name(of)));
        }
        let mut members: BTreeMap<&str, (usize, u32)> = BTreeMap::new();
        for (table, of) in manifest.tables.iter().enumerate() {
            let places = (0..).map(|number| (table, number));
            members.extend(of.members.iter().map(String::as_str).zip(places));
        }
        let (mut segments, mut places) = (Vec::new(), Vec::new());
        for source in &manifest.sources {
            let &(table, number) = members.get(source.segment.as_str()).ok_or_else(|| {
                self.location.fails_of(&source.label, "no table of its manifest has it")
            })?;
            let member = &tables[table].members()[number as usize];
            let segment = self.segment(source, member);
            segments.push(segment.map_err(|why| self.location.fails_of(&source.label, why))?);
            places.push((table, number));
        }
        let sources =
            manifest.sources.into_iter().map(|source| (source.label, source.stats)).collect();
        let lookups = Box::new(TableLookups { tables, places });
        let traffic = Arc::clone(&self.session.traffic);
        Ok(OpenCorpus { name: manifest.name, sources, segments, lookups, traffic })
    }

    fn add(&self, corpus: &Corpus, _: Option<&str>) -> Result<Delivery, CorpusError> {
        let mut manifest = self.newest()?.unwrap_or_else(|| {
            let name = corpus.name().to_owned();
            Manifest { version: VERSION, name, ..Manifest::default() }
        });
        let named = manifest.parts();
        let mut written = Delivery::default();
        let mut new: BTreeMap<(usize, usize), (u64, BTreeMap<String, CorpusSegment>)> =
            BTreeMap::new();
        for (key, record) in corpus.records()? {
            let (digest, len) = corpus.digest_of_source(&record)?;
            if manifest.sources.iter().any(|of| of.key == key && of.segment == digest) {
                written.n_kept += 1;
                continue;
            }
            let segment = corpus.open_source(&record)?;
            let sampling = segment.sampling();
            let file = corpus.folder.join(&record.segment);
            self.upload(&Object::segment(&digest, len), &file, &named)?;
            let (old, kept) = manifest.sources.into_iter().partition(|of| of.key == key);
            manifest.sources = kept;
            manifest.removed.extend(Vec::into_iter(old).map(Removal::now));
            let (label, stats, segment_digest) = (record.label, record.stats, digest.clone());
            let source = Source { key, label, stats, segment: segment_digest, len, sampling };
            manifest.sources.push(source);
            written.n_added += 1;
            written.n_postings += record.stats.n_postings;
            written.n_bytes += len;
            // Two sources may have the same bytes, and one that was removed may come back.
            if !manifest.tables.iter().any(|of| of.members.contains(&digest)) {
                let (n_postings, of_sampling) = new.entry(sampling).or_default();
                *n_postings += record.stats.n_postings;
                of_sampling.insert(digest, segment);
            }
        }
        for (sampling, (n_postings, segments)) in new {
            let meant = tables_to_merge(&manifest.tables, sampling, n_postings);
            let segments = segments.into_iter().collect();
            written.n_bytes += self
                .write_table(&mut manifest, segments, sampling, |of| meant.contains(&of.table))?;
        }
        if written.n_added > 0 {
            written.digest = Some(self.swap(manifest)?);
        }
        Ok(written)
    }

    fn remove(&self, labels: &[String]) -> Result<(), CorpusError> {
        let mut manifest = self.newest()?.map_or_else(|| self.known_manifest(), Ok)?;
        for label in labels {
            let (removed, kept) = manifest.sources.into_iter().partition(|of| of.label == *label);
            manifest.sources = kept;
            if Vec::is_empty(&removed) {
                return Err(self.location.fails(format!("it has no source `{label}`")));
            }
            manifest.removed.extend(removed.into_iter().map(Removal::now));
        }
        self.swap(manifest).map(drop)
    }

    fn compact(&self, older: Duration) -> Result<Compaction, CorpusError> {
        let mut manifest = self.newest()?.map_or_else(|| self.known_manifest(), Ok)?;
        let before = manifest.parts();
        let n_merged = self.merge_tables(&mut manifest)?;
        let last = now().saturating_sub(older.as_secs());
        let n_before = manifest.removed.len();
        manifest.removed.retain(|removed| removed.time > last);
        manifest.dropped.retain(|dropped| dropped.time > last);
        let after = manifest.parts();
        let compaction = Compaction { n_removed: n_before - manifest.removed.len(), n_merged };
        // First the manifest: what no manifest names is not missed by anybody who comes later.
        if before != after {
            self.swap(manifest)?;
        }
        self.sweep(&after, last)?;
        Ok(compaction)
    }

    fn pull(&self, shelf: &Shelf, name: Option<&str>) -> Result<Delivery, CorpusError> {
        let manifest = self.known_manifest()?;
        let corpus = shelf.new_corpus(name.unwrap_or(&manifest.name))?;
        let _held = corpus.create()?;
        let known = corpus.records()?;
        let mut written = Delivery::default();
        for source in &manifest.sources {
            let segment = format!("{}-{}.seg", source.key, &source.segment[..16]);
            if known.iter().any(|(key, record)| *key == source.key && record.segment == segment) {
                written.n_kept += 1;
                continue;
            }
            let claim = corpus.claim(&source.key, &source.label)?;
            let path = corpus.folder.join(&segment);
            self.download(&source.segment(), &path)?;
            CorpusSegment::check_new(&path)
                .map_err(|why| self.location.fails_of(&source.label, why))?;
            let record = Record::imported(source.label.clone(), segment, source.stats);
            corpus.put(&claim, &record)?;
            written.n_added += 1;
            written.n_bytes += source.len;
        }
        Ok(written)
    }
}
