//! Stores corpora: the fingerprints and tokens of components, without their text.
//!
//! A corpus is a folder with two files for each source: a segment, and a record (`<key>.json`) that
//! names it and describes what was read. A record is replaced by renaming, so a source is either
//! complete or absent, and several processes may read, and write different sources, at the same
//! time. Of two that write one source, one is told: the lock of a source ends with the process that
//! has it.
//!
//! Invariant: nothing waits for a lock, and nothing is left half done, whenever a process ends.

mod build;
mod bundle;
mod chunks;
#[cfg(feature = "parquet")]
mod columns;
mod elsewhere;
#[cfg(feature = "remote")]
mod filter;
#[cfg(feature = "remote")]
mod indexes;
mod lookups;
mod make;
mod open;
mod past;
#[allow(dead_code, reason = "each engine uses some of it")]
mod rows;
#[cfg(feature = "remote")]
mod table;
mod tokens;

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use build::Builder;
pub use bundle::ImportResult;
pub use elsewhere::{Compaction, Delivery, Engine, Location, OpenCorpus, Traffic};
pub use lookups::{
    Answers, AskedSegments, BlobAt, BlobPosting, Lookups, MAX_BLOBS, SegmentLookups, each,
};
pub use make::{FileLexer, FunctionPair, LexedFile, LexedVersion, Sampling};
pub use open::{BareTokens, CorpusSegment, Lookup, StoredFile, StoredLanguage, StoredTokens};
pub use past::{StoredChange, StoredTag};

use super::write::remove_abandoned;
use super::{HashKind, SegmentError, SegmentParams, TRIES};
use crate::files;
use crate::fingerprint::{self, ROBUST_WINNOWING};
use crate::sources::{self, DeclaredComponent, Note, Request};
use crate::text::{MAX_MADE, hexadecimal as hex};

/// Increases when code or licenses are read differently than before, so that corpora are rebuilt.
const LEXING: u64 = 5;
/// The version of records and of exported files.
const VERSION: u32 = 1;
/// The folder for locks, below the folder of all corpora; no corpus can have its name.
const LOCKS: &str = ".locks";

fn params(fingerprint: &fingerprint::Params) -> SegmentParams {
    SegmentParams {
        k: fingerprint.noise_threshold() as u32,
        window: fingerprint.window().get() as u32,
        scheme: ROBUST_WINNOWING,
        normal_form: 1,
        languages: LEXING,
        hash: HashKind::Sha1,
    }
}

/// Figures about the contents of a source.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stats {
    /// Components.
    pub n_components: u64,
    /// Files, counting the same content wherever it occurs.
    pub n_files: u64,
    /// Distinct contents of files.
    pub n_blobs: u64,
    /// Tokens of these contents.
    pub n_tokens: u64,
    /// Bytes that were read.
    pub n_bytes: u64,
    /// Postings of the index.
    pub n_postings: u64,
}

/// A source of a corpus, as described by its record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    version: u32,
    /// How the source was specified when it was added; `None` if it was imported.
    pub spec: Option<String>,
    /// What was declared about the component when it was added.
    #[serde(default)]
    pub component: DeclaredComponent,
    /// What it is called in lists, and on other machines.
    pub label: String,
    /// Changes when there may be something new to read.
    pub stamp: Option<String>,
    /// The name of the segment.
    segment: String,
    /// The figures.
    pub stats: Stats,
}

impl Record {
    /// The record of a source that was read elsewhere.
    fn imported(label: String, segment: String, stats: Stats) -> Self {
        let component = DeclaredComponent::default();
        Self { version: VERSION, spec: None, component, label, stamp: None, segment, stats }
    }
}

/// Why a corpus could not be used.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum CorpusError {
    #[error("cannot find the corpus `{name}` in `{}`", folder.display())]
    Missing { name: String, folder: PathBuf, known: Vec<String> },
    #[error(
        "cannot name a corpus `{0}`: a name consists of letters, digits and `._-`, and begins with a letter or digit"
    )]
    Name(String),
    #[error("cannot read or write `{}`: {why}", file.display())]
    File { file: PathBuf, why: io::Error },
    #[error("cannot use the corpus `{corpus}`: cannot read its record `{}`: {why}", file.display())]
    Record { corpus: String, file: PathBuf, why: io::Error },
    /// `source_name` is its label.
    #[error("cannot use `{source_name}` of the corpus `{corpus}`: {why}")]
    Segment { corpus: String, source_name: String, why: SegmentError },
    #[error(transparent)]
    Source(#[from] sources::Error),
    #[error("cannot import `{}`: {why}", file.display())]
    Import { file: PathBuf, why: String },
    /// `place` shows no passwords.
    #[error("cannot use the corpus at `{place}`: {why}")]
    Elsewhere { place: String, why: String },
    #[error("cannot use the corpus at `{place}`: this build lacks the feature `{feature}`")]
    NotBuilt { place: String, feature: &'static str },
    /// Two processes write to one corpus elsewhere.
    #[error("cannot write to the corpus at `{0}`: somebody else is writing to it")]
    Busy(String),
    /// Two processes write to one source of a corpus on this machine.
    #[error("cannot write `{source_name}` of the corpus `{corpus}`: another process is writing it")]
    Taken { corpus: String, source_name: String },
    #[error("cannot find the source `{spec}` in the corpus `{corpus}`")]
    NoSource { corpus: String, spec: String, known: Vec<String> },
}

impl CorpusError {
    fn file(path: &Path) -> impl Fn(io::Error) -> Self + '_ {
        |why| Self::File { file: path.to_owned(), why }
    }

    fn import(path: &Path, why: impl std::fmt::Display) -> Self {
        Self::Import { file: path.to_owned(), why: why.to_string() }
    }

    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        Some(match self {
            Self::Missing { known, .. } if known.is_empty() => {
                "there is none yet: `secondhand corpus add NAME SOURCE` makes one".into()
            }
            Self::Missing { known, .. } => format!("there are: {}", known.join(", ")),
            Self::Record { corpus, .. } => format!(
                "take the file away, and add its source again: `secondhand corpus add {corpus} SOURCE`"
            ),
            Self::Segment { .. } => {
                "rebuild it with `secondhand corpus update`, or import it again".into()
            }
            Self::Source(error) => return error.help(),
            Self::Import { .. } => {
                "nothing was changed; fetch the file again, and ask its author for the digest"
                    .into()
            }
            Self::NoSource { known, .. } => format!("its sources are: {}", known.join(", ")),
            Self::NotBuilt { feature, .. } => {
                format!("build it with `cargo install secondhand --features {feature}`")
            }
            Self::Busy(_) => "nothing was changed; run it again".into(),
            Self::Taken { .. } => {
                "this source is as it was; run it again when the other one has ended".into()
            }
            Self::Name(_) | Self::File { .. } | Self::Elsewhere { .. } => return None,
        })
    }
}

/// All corpora.
#[derive(Debug, Clone)]
pub struct Shelf {
    /// The folder that they are in, which may not exist yet.
    pub folder: PathBuf,
}

impl Shelf {
    /// The names of all corpora, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let names = folders.filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = names.filter(|name| is_name(name)).collect();
        names.sort_unstable();
        names
    }

    /// The corpus `name`, which must exist: else [`CorpusError::Missing`] names those that do.
    pub fn corpus(&self, name: &str) -> Result<Corpus, CorpusError> {
        let corpus = self.new_corpus(name)?;
        if corpus.folder.is_dir() {
            return Ok(corpus);
        }
        let (name, folder, known) = (name.to_owned(), self.folder.clone(), self.names());
        Err(CorpusError::Missing { name, folder, known })
    }

    /// The corpus `name`, whether or not it exists.
    pub fn new_corpus(&self, name: &str) -> Result<Corpus, CorpusError> {
        if !is_name(name) {
            return Err(CorpusError::Name(name.to_owned()));
        }
        Ok(Corpus { name: name.to_owned(), folder: self.folder.join(name) })
    }
}

/// Whether this is a valid name for a corpus.
pub fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
}

/// A stored corpus.
#[derive(Debug, Clone)]
pub struct Corpus {
    name: String,
    folder: PathBuf,
}

/// The right to write a source, which no other process has meanwhile.
#[derive(Debug)]
struct Claim {
    key: String,
    _lock: File,
}

/// The folder of a corpus while a process adds to it. What is empty in the end goes: the corpus did
/// not exist before.
#[derive(Debug)]
struct HeldFolder<'c> {
    folder: &'c Path,
    lock: File,
}

impl Drop for HeldFolder<'_> {
    fn drop(&mut self) {
        let _ = self.lock.unlock();
        // Another process that is adding needs it.
        if !matches!(self.lock.try_lock(), Err(TryLockError::WouldBlock)) {
            let _ = fs::remove_dir(self.folder);
        }
    }
}

/// A source: its key, record and segment, and the digest of that.
type WholeSource = (String, Record, CorpusSegment, String);

/// What adding a source did.
#[derive(Debug)]
pub struct Addition {
    /// The figures of the source; `None` when there was nothing new to read.
    pub stats: Option<Stats>,
    /// What was skipped.
    pub notes: Vec<Note>,
}

impl Corpus {
    /// The name of its folder.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Adds sources, or reads what is new of them, several at a time; what came of each is in their
    /// order, and one that fails stays as it was. A source that is named twice is read once, as it
    /// is named last.
    pub fn add(
        &self,
        sources: &[(String, DeclaredComponent)],
        sampling: Sampling,
        reading: &dyn FileLexer,
    ) -> Result<Vec<Result<Addition, CorpusError>>, CorpusError> {
        let _held = self.create()?;
        let added = sources.par_iter().enumerate().map(|(at, (spec, component))| {
            let is_last = !sources[at + 1..].iter().any(|(other, _)| key_of(other) == key_of(spec));
            match is_last {
                true => self.add_now(spec, component.clone(), sampling, reading),
                false => Ok(Addition { stats: None, notes: Vec::new() }),
            }
        });
        Ok(added.collect())
    }

    fn add_now(
        &self,
        spec: &str,
        component: DeclaredComponent,
        sampling: Sampling,
        reading: &dyn FileLexer,
    ) -> Result<Addition, CorpusError> {
        let (key, label) = (key_of(spec), sources::label(spec));
        let claim = self.claim(&key, &label)?;
        let mut records = self.records()?.into_iter();
        let before = records.find(|(other, _)| *other == key).map(|(_, record)| record);
        let known = before.as_ref().and_then(|record| self.open_source(record).ok());
        let sampling = if sources::is_fixes(spec) { sampling.dense() } else { sampling };
        let known = known.filter(|known| known.is_sampled(&sampling.fingerprint));
        let request =
            Request { spec, component: component.clone(), limits: sources::Limits::default() };
        let stamp = sources::stamp(spec);
        // What an older version wrote lacks the past.
        if let (Some(known), Some(before)) = (&known, &before)
            && (known.keeps_past() || !sources::has_past(spec))
            && (before.stamp.is_some() && before.stamp == stamp && before.component == component)
        {
            return Ok(Addition { stats: None, notes: Vec::new() });
        }
        let mut builder = Builder::new(&self.folder, sampling, reading, known.as_ref())
            .map_err(|why| self.unusable(spec, why))?;
        sources::read(&request, &mut builder)?;
        let notes = builder.notes();
        let (path, stats) = builder.finish(&key).map_err(|why| self.unusable(spec, why))?;
        let segment = name_of(&path);
        let spec = Some(spec.to_owned());
        let record = Record { version: VERSION, spec, component, label, stamp, segment, stats };
        self.put(&claim, &record)?;
        Ok(Addition { stats: Some(stats), notes })
    }

    /// Creates the folder, and removes what killed processes left in it. It stays as long as what
    /// this returns.
    fn create(&self) -> Result<HeldFolder<'_>, CorpusError> {
        let lock = self.lock_file("adding")?;
        // Where a file system knows no locks, one process may remove what another has made.
        let _ = lock.lock_shared();
        let held = HeldFolder { folder: &self.folder, lock };
        fs::create_dir_all(&self.folder).map_err(CorpusError::file(&self.folder))?;
        let named: Vec<String> =
            self.records()?.into_iter().map(|(_, record)| record.segment).collect();
        remove_abandoned(&self.folder, |name| !named.iter().any(|of| of == name));
        Ok(held)
    }

    /// Opens the file of a lock of the corpus.
    ///
    /// It is not in the folder of the corpus, which can be removed while the lock is held. The file
    /// stays, empty: if it were removed, one process could lock what is gone while another makes it
    /// anew.
    fn lock_file(&self, of: &str) -> Result<File, CorpusError> {
        let folder = self.folder.parent().unwrap_or(&self.folder).join(LOCKS);
        let path = folder.join(format!("{}-{of}", self.name));
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        let file = fs::create_dir_all(&folder).and_then(|()| options.open(&path));
        file.map_err(CorpusError::file(&path))
    }

    /// Claims a source, to write it; `label` is what an error calls it.
    fn claim(&self, key: &str, label: &str) -> Result<Claim, CorpusError> {
        let lock = self.lock_file(key)?;
        match lock.try_lock() {
            // Where a file system knows no locks, the last writer wins: a source is whole even so.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(Claim { key: key.to_owned(), _lock: lock }),
            Err(TryLockError::WouldBlock) => {
                Err(CorpusError::Taken { corpus: self.name.clone(), source_name: label.to_owned() })
            }
        }
    }

    /// Checks that nobody else writes a source. Several are checked one at a time, before any is
    /// changed: a process may not have as many files open as a corpus has sources.
    fn check_unclaimed(&self, key: &str, label: &str) -> Result<(), CorpusError> {
        self.claim(key, label).map(drop)
    }

    /// Replaces a record, and removes the segment that no record names any more.
    fn put(&self, claim: &Claim, record: &Record) -> Result<(), CorpusError> {
        let path = self.record_path(&claim.key);
        let before = read_record(&path).ok();
        self.write(&path, record).map_err(CorpusError::file(&path))?;
        if let Some(before) = before.filter(|before| before.segment != record.segment) {
            // A reader that has it open keeps it; one that is about to open it tries again.
            let _ = fs::remove_file(self.folder.join(before.segment));
        }
        Ok(())
    }

    fn write(&self, path: &Path, record: &Record) -> io::Result<()> {
        let mut file = temporary_in(&self.folder)?;
        serde_json::to_writer_pretty(&mut file, record)?;
        finish(file, path)
    }

    fn record_path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}.json"))
    }

    /// The records of all sources with their keys, sorted by label.
    pub fn records(&self) -> Result<Vec<(String, Record)>, CorpusError> {
        let entries = fs::read_dir(&self.folder).map_err(CorpusError::file(&self.folder))?;
        let mut records = Vec::new();
        for entry in entries {
            let path = entry.map_err(CorpusError::file(&self.folder))?.path();
            if path.extension().is_none_or(|extension| extension != "json") {
                continue;
            }
            let key = name_of(&path.with_extension(""));
            match read_record(&path) {
                Ok(record) => records.push((key, record)),
                // Removed since the folder was listed.
                Err(why) if why.kind() == io::ErrorKind::NotFound => {}
                Err(why) => {
                    return Err(CorpusError::Record { corpus: self.name.clone(), file: path, why });
                }
            }
        }
        records.sort_unstable_by(|a, b| (&a.1.label, &a.0).cmp(&(&b.1.label, &b.0)));
        Ok(records)
    }

    /// Opens the segments of all sources, or none: what was not compared must not pass as clean.
    pub fn open(&self) -> Result<Vec<CorpusSegment>, CorpusError> {
        let mut looks = 0;
        loop {
            looks += 1;
            let records = self.records()?;
            match records.iter().map(|(_, record)| self.open_source(record)).collect() {
                Err(CorpusError::Segment { why: SegmentError::File { why, .. }, .. })
                    if why.kind() == io::ErrorKind::NotFound && looks < TRIES => {}
                opened => return opened,
            }
        }
    }

    fn open_source(&self, record: &Record) -> Result<CorpusSegment, CorpusError> {
        CorpusSegment::open(&self.folder.join(&record.segment))
            .map_err(|why| self.unusable(&record.label, why))
    }

    fn unusable(&self, source: &str, why: SegmentError) -> CorpusError {
        CorpusError::Segment { corpus: self.name.clone(), source_name: source.to_owned(), why }
    }

    #[allow(dead_code, reason = "not without any engine")]
    fn whole_sources(&self) -> Result<Vec<WholeSource>, CorpusError> {
        let whole = self.records()?.into_iter().map(|(key, record)| {
            let segment = self.open_source(&record)?;
            let (digest, _) = self.digest_of_source(&record)?;
            Ok((key, record, segment, digest))
        });
        whole.collect()
    }

    /// The SHA-256 and the length of the segment of a source.
    fn digest_of_source(&self, record: &Record) -> Result<(String, u64), CorpusError> {
        let path = self.folder.join(&record.segment);
        files::digest(&path).map_err(CorpusError::file(&path))
    }

    /// Removes a source, by the name it was added under or its label.
    pub fn remove_source(&self, spec: &str) -> Result<(), CorpusError> {
        let records = self.records()?;
        let is_meant =
            |record: &Record| record.spec.as_deref() == Some(spec) || record.label == spec;
        let Some((key, record)) = records.iter().find(|(_, record)| is_meant(record)) else {
            let known = records.into_iter().map(|(_, of)| of.spec.unwrap_or(of.label)).collect();
            let (corpus, spec) = (self.name.clone(), spec.to_owned());
            return Err(CorpusError::NoSource { corpus, spec, known });
        };
        self.remove_record(key, record)?;
        let _ = fs::remove_file(self.folder.join(&record.segment));
        Ok(())
    }

    /// Removes the corpus.
    pub fn remove(&self) -> Result<(), CorpusError> {
        let records = self.records()?;
        records.iter().try_for_each(|(key, record)| self.check_unclaimed(key, &record.label))?;
        // Records first: without its record, the rest is not a source any more.
        records.iter().try_for_each(|(key, record)| self.remove_record(key, record))?;
        fs::remove_dir_all(&self.folder).map_err(CorpusError::file(&self.folder))
    }

    fn remove_record(&self, key: &str, record: &Record) -> Result<(), CorpusError> {
        let _claim = self.claim(key, &record.label)?;
        let path = self.record_path(key);
        fs::remove_file(&path).map_err(CorpusError::file(&path))
    }
}

fn temporary_in(folder: &Path) -> io::Result<NamedTempFile> {
    let made = tempfile::Builder::new().prefix("tmp-").tempfile_in(folder);
    // The temporary file means nothing to whoever reads of it.
    made.map_err(|why| why.kind().into())
}

/// Puts a file in its place, which has all of it or what was there before.
fn finish(file: NamedTempFile, path: &Path) -> io::Result<()> {
    file.as_file().sync_data()?;
    file.persist(path).map(drop).map_err(|error| error.error)
}

/// Reads a record; its segment is a name in the folder, and nothing else.
fn read_record(path: &Path) -> io::Result<Record> {
    let record: Record =
        serde_json::from_slice(&files::read(path, MAX_MADE)?).map_err(io::Error::other)?;
    let is_plain = record.segment.ends_with(".seg")
        && !record.segment.contains(['/', '\\'])
        && !record.segment.starts_with('.');
    if record.version == VERSION && is_plain {
        return Ok(record);
    }
    Err(io::Error::other("it is not a record of this version"))
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The name that the files of a source begin with.
fn key_of(spec: &str) -> String {
    hex(&Sha256::digest(spec.as_bytes()))[..16].to_owned()
}

fn is_hex(text: &str, len: usize) -> bool {
    text.len() == len && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
