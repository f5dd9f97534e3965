//! Keeps a corpus in an object store, in a folder, or behind a web server, and reads it there in place.
//!
//! ```text
//! corpus.json                 the manifest as it is now
//! manifests/<number>.json     each manifest that ever was; made only if there is none with the number
//! segments/<sha256>.seg       the segments
//! indexes/<sha256>.seg        of each what every look-up needs: directory, blobs, a filter, the digests of all blocks
//! ```
//!
//! Objects are named by their contents and never changed, so a reader keeps what it began with. Two writers make the
//! same next number, and the store lets one of them.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::{StreamExt, TryStreamExt};
use object_store::path::Path as Key;
use object_store::{
    BackoffConfig, ClientOptions, ObjectStore, ObjectStoreExt, ObjectStoreScheme, PutMode, PutOptions, RetryConfig,
    WriteMultipart,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tokio::runtime::Runtime;

use super::{Delivery, Engine, Location, OpenCorpus, Traffic};
use crate::files::BlobId;
use crate::store::corpus::filter::may_have;
use crate::store::corpus::lookups::{Asked, BlobAt, BlobPosting, Lookups, SegmentLookups};
use crate::store::corpus::rows::{INDEX, digest_of};
use crate::store::corpus::{Corpus, CorpusError, CorpusSegment, Record, Stats, hex, is_name};
use crate::store::{BlockAt, Blocks, Segment, SegmentError};

/// The version of manifests and indexes.
const VERSION: u32 = 1;
/// Maximum requests at a time.
const PARALLEL: usize = 64;
/// Maximum bytes of a read; blocks that follow each other are read at once.
const MAX_READ: u64 = 1 << 20;
/// How often to read a part that is not what it should be.
const TRIES: usize = 3;
/// Maximum time for a request, and for one with its repetitions.
const ANSWERING: Duration = Duration::from_secs(20);
/// Maximum bytes of a manifest.
const MAX_MANIFEST: u64 = 64 << 20;
/// The folder for indexes, below the folder of all corpora; no corpus can have its name.
const KEPT: &str = ".elsewhere";
/// Maximum segments to ask at a time.
const THREADS: usize = 16;

/// What a corpus consists of.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    version: u32,
    name: String,
    /// Increases with each change.
    number: u64,
    sources: Vec<Source>,
    /// Sources that were removed or replaced, whose objects may still be read.
    removed: Vec<Removed>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Source {
    key: String,
    label: String,
    stats: Stats,
    /// The SHA-256 and the length of its segment, and of its index.
    segment: String,
    len: u64,
    index: String,
    index_len: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Removed {
    source: Source,
    /// When, in seconds since 1970.
    time: u64,
}

/// A folder of an object store.
pub(super) struct Objects {
    location: Location,
    /// The SHA-256 that the manifest must have: `URL#sha256=...`.
    digest: Option<String>,
    session: Arc<Session>,
}

/// A connection.
struct Session {
    runtime: Runtime,
    store: Box<dyn ObjectStore>,
    folder: Key,
    place: String,
    traffic: Arc<Traffic>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("place", &self.place).finish_non_exhaustive()
    }
}

/// The store that a URL means, with the credentials of the environment, and the folder in it.
fn store_of(url: &str) -> Result<(Box<dyn ObjectStore>, Key), object_store::Error> {
    // Both crates of providers may be built in; which one is meant has to be said once.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let generic =
        |why: Box<dyn std::error::Error + Send + Sync>| object_store::Error::Generic { store: "URL", source: why };
    let url = url::Url::parse(url).map_err(|why| generic(why.into()))?;
    let (scheme, folder) = ObjectStoreScheme::parse(&url).map_err(|why| generic(why.into()))?;
    let is_plain = url.scheme() == "http"
        || ["AWS_ALLOW_HTTP", "AZURE_ALLOW_HTTP", "GOOGLE_ALLOW_HTTP"]
            .iter()
            .any(|name| std::env::var(name).is_ok_and(|value| value == "true"));
    let options = ClientOptions::new()
        .with_allow_http(is_plain)
        .with_timeout(ANSWERING)
        .with_connect_timeout(Duration::from_secs(5))
        .with_pool_max_idle_per_host(PARALLEL);
    let retry = RetryConfig {
        backoff: BackoffConfig { init_backoff: Duration::from_millis(100), ..BackoffConfig::default() },
        max_retries: 4,
        retry_timeout: ANSWERING,
    };
    let text = url.to_string();
    let store: Box<dyn ObjectStore> = match scheme {
        ObjectStoreScheme::Local => Box::new(object_store::local::LocalFileSystem::new()),
        ObjectStoreScheme::AmazonS3 => Box::new(
            object_store::aws::AmazonS3Builder::from_env()
                .with_url(text)
                .with_client_options(options)
                .with_retry(retry)
                .build()?,
        ),
        ObjectStoreScheme::GoogleCloudStorage => Box::new(
            object_store::gcp::GoogleCloudStorageBuilder::from_env()
                .with_url(text)
                .with_client_options(options)
                .with_retry(retry)
                .build()?,
        ),
        ObjectStoreScheme::MicrosoftAzure => Box::new(
            object_store::azure::MicrosoftAzureBuilder::from_env()
                .with_url(text)
                .with_client_options(options)
                .with_retry(retry)
                .build()?,
        ),
        _ => Box::new(
            object_store::http::HttpBuilder::new()
                .with_url(&url[..url::Position::BeforePath])
                .with_client_options(options)
                .with_retry(retry)
                .build()?,
        ),
    };
    Ok((store, folder))
}

/// What a store says of an error, without the address that was asked: it may hold a token.
fn reason(why: &object_store::Error) -> String {
    match why {
        object_store::Error::NotFound { path, .. } => format!("there is no object `{path}`"),
        object_store::Error::PermissionDenied { path, .. } => format!("no permission for `{path}`"),
        object_store::Error::Unauthenticated { path, .. } => format!("no valid credentials for `{path}`"),
        why => {
            let mut text = why.to_string();
            let mut cause = std::error::Error::source(why);
            while let Some(why) = cause {
                let more = why.to_string();
                if !text.contains(&more) {
                    text = format!("{text}: {more}");
                }
                cause = why.source();
            }
            without_query(&text)
        }
    }
}

/// A text in which what follows the `?` of an address is left out, and what is before its `@`.
fn without_query(text: &str) -> String {
    let word = |word: &str| {
        if !word.contains("://") {
            return word.to_owned();
        }
        let end = word.find('?').unwrap_or(word.len());
        match (word.find("://"), word[..end].rfind('@')) {
            (Some(start), Some(at)) if start < at => format!("{}{}", &word[..start + 3], &word[at + 1..end]),
            _ => word[..end].to_owned(),
        }
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
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
        let (store, folder) = store_of(&url).map_err(|why| location.fails(reason(&why)))?;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .map_err(|why| location.fails(why))?;
        let place = location.to_string();
        let session = Arc::new(Session { runtime, store, folder, place, traffic: Arc::default() });
        Ok(Self { location: location.clone(), digest, session })
    }

    /// The manifest, if there is one.
    fn manifest(&self) -> Result<Option<Manifest>, CorpusError> {
        let session = &self.session;
        let bytes = match session.runtime.block_on(session.store.get(&session.key("corpus.json"))) {
            Err(object_store::Error::NotFound { .. }) => return Ok(None),
            Err(why) => return Err(self.location.fails(reason(&why))),
            Ok(found) if found.meta.size > MAX_MANIFEST => return Err(self.location.fails("its manifest is too long")),
            Ok(found) => session.runtime.block_on(found.bytes()).map_err(|why| self.location.fails(reason(&why)))?,
        };
        session.traffic.count(bytes.len() as u64);
        let found = hex(&Sha256::digest(&bytes));
        if let Some(wanted) = self.digest.as_ref().filter(|wanted| **wanted != found) {
            return Err(self.location.fails(format!("the SHA-256 of its manifest is {found}, not {wanted}")));
        }
        manifest_of(&bytes).map(Some).map_err(|why| self.location.fails(why))
    }

    fn known_manifest(&self) -> Result<Manifest, CorpusError> {
        let none = "there is no corpus; `secondhand corpus push NAME URL` makes one";
        self.manifest()?.ok_or_else(|| self.location.fails(none))
    }

    /// Makes `manifest` the next one; nobody else may have done that since it was read.
    fn swap(&self, mut manifest: Manifest) -> Result<String, CorpusError> {
        manifest.number += 1;
        manifest.sources.sort_by(|a, b| (&a.label, &a.key).cmp(&(&b.label, &b.key)));
        let bytes = serde_json::to_vec_pretty(&manifest).map_err(|why| self.location.fails(why))?;
        let digest = hex(&Sha256::digest(&bytes));
        let session = &self.session;
        let create = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
        let numbered = session.key(&format!("manifests/{}.json", manifest.number));
        let current = session.key("corpus.json");
        session.runtime.block_on(async {
            match session.store.put_opts(&numbered, bytes.clone().into(), create).await {
                Err(object_store::Error::AlreadyExists { .. } | object_store::Error::Precondition { .. }) => {
                    return Err(CorpusError::Busy { place: self.location.to_string() });
                }
                Err(why) => return Err(self.location.fails(reason(&why))),
                Ok(_) => {}
            }
            session.store.put(&current, bytes.into()).await.map_err(|why| self.location.fails(reason(&why)))?;
            Ok(digest)
        })
    }

    /// The manifest to change: a writer that died may have left a newer one than the current one.
    fn newest(&self) -> Result<Option<Manifest>, CorpusError> {
        let Some(mut manifest) = self.manifest()? else { return self.numbered(1) };
        while let Some(next) = self.numbered(manifest.number + 1)? {
            manifest = next;
        }
        Ok(Some(manifest))
    }

    fn numbered(&self, number: u64) -> Result<Option<Manifest>, CorpusError> {
        let session = &self.session;
        let key = session.key(&format!("manifests/{number}.json"));
        let read = session.runtime.block_on(async { session.store.get(&key).await?.bytes().await });
        match read {
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(why) => Err(self.location.fails(reason(&why))),
            Ok(bytes) => manifest_of(&bytes).map(Some).map_err(|why| self.location.fails(why)),
        }
    }

    /// Uploads a file under its SHA-256, unless it is there.
    fn upload(&self, folder: &str, file: &Path, digest: &str, len: u64) -> Result<(), CorpusError> {
        let session = &self.session;
        let key = session.key(&format!("{folder}/{digest}.seg"));
        let done = session.runtime.block_on(async {
            if session.store.head(&key).await.is_ok_and(|there| there.size == len) {
                return Ok(());
            }
            let mut upload = WriteMultipart::new_with_chunk_size(session.store.put_multipart(&key).await?, 8 << 20);
            let mut file = std::fs::File::open(file)
                .map_err(|why| object_store::Error::Generic { store: "file", source: why.into() })?;
            let mut buffer = vec![0; 1 << 20];
            loop {
                let n = std::io::Read::read(&mut file, &mut buffer)
                    .map_err(|why| object_store::Error::Generic { store: "file", source: why.into() })?;
                if n == 0 {
                    return upload.finish().await.map(drop);
                }
                upload.wait_for_capacity(8).await?;
                upload.write(&buffer[..n]);
            }
        });
        done.map_err(|why| self.location.fails(reason(&why)))
    }

    /// Downloads an object to `to`, and compares its digest.
    fn download(&self, folder: &str, digest: &str, len: u64, to: &Path) -> Result<(), CorpusError> {
        let session = &self.session;
        let key = session.key(&format!("{folder}/{digest}.seg"));
        let unwritable = |why| CorpusError::File { file: to.to_owned(), why };
        let parent = to.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(parent).map_err(unwritable)?;
        let mut temporary = tempfile::Builder::new().prefix("tmp-").tempfile_in(parent).map_err(unwritable)?;
        let mut hasher = Sha256::new();
        let mut n = 0;
        session.runtime.block_on(async {
            let found = session.store.get(&key).await.map_err(|why| self.location.fails(reason(&why)))?;
            let mut stream = found.into_stream();
            while let Some(bytes) = stream.try_next().await.map_err(|why| self.location.fails(reason(&why)))? {
                hasher.update(&bytes);
                n += bytes.len() as u64;
                std::io::Write::write_all(&mut temporary, &bytes).map_err(unwritable)?;
            }
            Ok::<_, CorpusError>(())
        })?;
        session.traffic.count(n);
        if n != len || hex(&hasher.finalize()) != digest {
            return Err(self.location.fails(format!("`{key}` is not what its name says: it is damaged or truncated")));
        }
        temporary.as_file().sync_data().map_err(unwritable)?;
        temporary.persist(to).map_err(|error| unwritable(error.error))?;
        Ok(())
    }

    /// The index of a source, from here if it was read before.
    fn index(&self, source: &Source, folder: &Path) -> Result<PathBuf, CorpusError> {
        let path = folder.join(format!("{}.seg", source.index));
        let is_whole = std::fs::metadata(&path).is_ok_and(|found| found.len() == source.index_len);
        if !is_whole {
            self.download("indexes", &source.index, source.index_len, &path)?;
        }
        Ok(path)
    }
}

fn manifest_of(bytes: &[u8]) -> Result<Manifest, String> {
    #[derive(Deserialize)]
    struct Version {
        version: u32,
    }
    let Version { version } = serde_json::from_slice(bytes).map_err(|why| format!("its manifest: {why}"))?;
    if version != VERSION {
        return Err(format!("its manifest has version {version}, and this program knows version {VERSION}"));
    }
    let manifest: Manifest = serde_json::from_slice(bytes).map_err(|why| format!("its manifest: {why}"))?;
    let is_hex = |text: &str, len| text.len() == len && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_sound = |of: &Source| is_hex(&of.key, 16) && is_hex(&of.segment, 64) && is_hex(&of.index, 64);
    if is_name(&manifest.name) && manifest.sources.iter().all(is_sound) {
        return Ok(manifest);
    }
    Err("its manifest names what it cannot name".to_owned())
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

impl Engine for Objects {
    fn open(&self, folder: Option<&Path>) -> Result<OpenCorpus, CorpusError> {
        let manifest = self.known_manifest()?;
        // Without a place to keep them, indexes are read anew in each run.
        let own = match folder.map(|folder| folder.join(KEPT)) {
            Some(folder) if std::fs::create_dir_all(&folder).is_ok() => Ok(folder),
            _ => Err(tempfile::TempDir::new().map_err(|why| self.location.fails(why))?),
        };
        let folder = own.as_ref().map_or_else(tempfile::TempDir::path, PathBuf::as_path);
        let (mut sources, mut segments, mut indexes) = (Vec::new(), Vec::new(), Vec::new());
        for source in &manifest.sources {
            let damaged = |why: SegmentError| self.location.fails(format!("source `{}`: {why}", source.label));
            let path = self.index(source, folder)?;
            let index = Arc::new(Segment::open(&path).map_err(damaged)?);
            let near = Segment::open(&path).map_err(damaged)?;
            let blocks = Parts {
                session: Arc::clone(&self.session),
                key: self.session.key(&format!("segments/{}.seg", source.segment)),
                index: Arc::clone(&index),
            };
            segments.push(CorpusSegment::of_index(near, Box::new(blocks)).map_err(damaged)?);
            indexes.push(index);
            sources.push((source.label.clone(), source.stats));
        }
        let traffic = Arc::clone(&self.session.traffic);
        Ok(OpenCorpus { name: manifest.name, sources, segments, lookups: Box::new(Filtered { indexes }), traffic })
    }

    fn add(&self, corpus: &Corpus, _: Option<&str>) -> Result<Delivery, CorpusError> {
        let known = self.newest()?;
        let new = || Manifest {
            version: VERSION,
            name: corpus.name().to_owned(),
            number: 0,
            sources: Vec::new(),
            removed: Vec::new(),
        };
        let mut manifest = known.unwrap_or_else(new);
        let mut written = Delivery::default();
        for (key, record) in corpus.records()? {
            let path = corpus.folder.join(&record.segment);
            let unusable =
                |why| CorpusError::Segment { corpus: corpus.name.clone(), source_name: record.label.clone(), why };
            let unreadable = |why| CorpusError::File { file: path.clone(), why };
            let (digest, len) = digest_of(&path).map_err(unreadable)?;
            if manifest.sources.iter().any(|of| of.key == key && of.segment == digest) {
                written.n_kept += 1;
                continue;
            }
            let segment = CorpusSegment::open(&path).map_err(unusable)?;
            let own = tempfile::TempDir::new().map_err(unreadable)?;
            let index = segment.write_index(own.path()).map_err(unusable)?;
            let (index_digest, index_len) = digest_of(&index).map_err(unreadable)?;
            self.upload("segments", &path, &digest, len)?;
            self.upload("indexes", &index, &index_digest, index_len)?;
            let source = Source {
                key: key.clone(),
                label: record.label.clone(),
                stats: record.stats,
                segment: digest,
                len,
                index: index_digest,
                index_len,
            };
            let (old, kept) = manifest.sources.into_iter().partition(|of| of.key == key);
            manifest.sources = kept;
            manifest.removed.extend(Vec::into_iter(old).map(|source| Removed { source, time: now() }));
            manifest.sources.push(source);
            written.n_added += 1;
            written.n_postings += record.stats.n_postings;
            written.n_bytes += len + index_len;
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
            manifest.removed.extend(removed.into_iter().map(|source| Removed { source, time: now() }));
        }
        self.swap(manifest).map(drop)
    }

    fn compact(&self, older: Duration) -> Result<usize, CorpusError> {
        let mut manifest = self.newest()?.map_or_else(|| self.known_manifest(), Ok)?;
        let last = now().saturating_sub(older.as_secs());
        let (gone, kept): (Vec<Removed>, Vec<Removed>) = manifest.removed.into_iter().partition(|of| of.time <= last);
        manifest.removed = kept;
        if gone.is_empty() {
            return Ok(0);
        }
        let sources = manifest.sources.iter().chain(manifest.removed.iter().map(|of| &of.source));
        let used: BTreeSet<String> = sources.flat_map(|of| [of.segment.clone(), of.index.clone()]).collect();
        // First the manifest: what no manifest names is not missed by anybody who comes later.
        self.swap(manifest)?;
        let session = &self.session;
        for Removed { source, .. } in &gone {
            for (folder, digest) in [("segments", &source.segment), ("indexes", &source.index)] {
                if used.contains(digest) {
                    continue;
                }
                let key = session.key(&format!("{folder}/{digest}.seg"));
                match session.runtime.block_on(session.store.delete(&key)) {
                    Ok(()) | Err(object_store::Error::NotFound { .. }) => {}
                    Err(why) => return Err(self.location.fails(reason(&why))),
                }
            }
        }
        Ok(gone.len())
    }

    fn pull(&self, corpus: &dyn Fn(&str) -> Result<Corpus, CorpusError>) -> Result<Delivery, CorpusError> {
        let manifest = self.known_manifest()?;
        let corpus = corpus(&manifest.name)?;
        corpus.create()?;
        let known = corpus.records()?;
        let mut written = Delivery::default();
        for source in &manifest.sources {
            let segment = format!("{}-{}.seg", source.key, &source.segment[..16]);
            if known.iter().any(|(key, record)| *key == source.key && record.segment == segment) {
                written.n_kept += 1;
                continue;
            }
            let path = corpus.folder.join(&segment);
            self.download("segments", &source.segment, source.len, &path)?;
            let damaged = |why: SegmentError| self.location.fails(format!("source `{}`: {why}", source.label));
            let checked = CorpusSegment::open(&path).and_then(|segment| segment.verify());
            if let Err(why) = checked {
                let _ = std::fs::remove_file(&path);
                return Err(damaged(why));
            }
            let record = Record::imported(source.label.clone(), segment, source.stats);
            corpus.put(&source.key, &record)?;
            written.n_added += 1;
            written.n_bytes += source.len;
        }
        Ok(written)
    }
}

impl Session {
    fn key(&self, name: &str) -> Key {
        let parts = name.split('/');
        parts.fold(self.folder.clone(), Key::join)
    }

    fn fails(&self, why: impl std::fmt::Display) -> SegmentError {
        SegmentError::Elsewhere { place: self.place.clone(), why: why.to_string() }
    }

    /// Reads a part of an object.
    async fn part(&self, key: &Key, range: Range<u64>) -> Result<Vec<u8>, SegmentError> {
        let len = range.end - range.start;
        let mut tries = 1;
        loop {
            let read = tokio::time::timeout(ANSWERING, self.store.get_range(key, range.clone())).await;
            let why = match read {
                Ok(Ok(bytes)) if bytes.len() as u64 == len => {
                    self.traffic.count(len);
                    return Ok(bytes.to_vec());
                }
                Ok(Ok(_)) => format!("`{key}` is truncated"),
                Ok(Err(why)) => reason(&why),
                Err(_) => format!("no answer in {} s", ANSWERING.as_secs()),
            };
            if tries == TRIES {
                return Err(self.fails(why));
            }
            tries += 1;
        }
    }
}

/// The blocks of a segment.
#[derive(Debug)]
struct Parts {
    session: Arc<Session>,
    key: Key,
    index: Arc<Segment>,
}

impl Parts {
    /// The bytes of blocks that follow each other, each of which has the digest that the index says.
    async fn read_run(&self, run: &[BlockAt]) -> Result<Vec<Vec<u8>>, SegmentError> {
        let (Some(first), Some(last)) = (run.first(), run.last()) else { return Ok(Vec::new()) };
        let digests = self.index.section(INDEX.digests)?;
        let mut tries = 1;
        loop {
            let bytes = self.session.part(&self.key, first.range.start..last.range.end).await?;
            let mut blocks = Vec::with_capacity(run.len());
            for block in run {
                let at = |offset: u64| (offset - first.range.start) as usize;
                let bytes = &bytes[at(block.range.start)..at(block.range.end)];
                if Sha256::digest(bytes)[..] == *digests.row(block.number as usize, 32)? {
                    blocks.push(bytes.to_vec());
                }
            }
            if blocks.len() == run.len() {
                return Ok(blocks);
            }
            if tries == TRIES {
                let Range { start, end } = first.range.start..last.range.end;
                return Err(self.session.fails(format!("bytes {start} to {end} of `{}` are damaged", self.key)));
            }
            tries += 1;
        }
    }
}

impl Blocks for Parts {
    fn read(&self, blocks: &[BlockAt]) -> Result<Vec<Vec<u8>>, SegmentError> {
        let mut runs: Vec<&[BlockAt]> = Vec::new();
        let mut rest = blocks;
        while let Some(first) = rest.first() {
            let follows = |pair: &[BlockAt]| {
                pair[0].range.end == pair[1].range.start && pair[1].range.end - first.range.start <= MAX_READ
            };
            let n = 1 + rest.windows(2).take_while(|pair| follows(pair)).count();
            let (run, later) = rest.split_at(n);
            runs.push(run);
            rest = later;
        }
        self.session.runtime.block_on(async {
            let reads = futures_util::stream::iter(runs.into_iter().map(|run| self.read_run(run)));
            let read: Vec<Vec<Vec<u8>>> = reads.buffered(PARALLEL).try_collect().await?;
            Ok(read.into_iter().flatten().collect())
        })
    }
}

/// Looks up in segments elsewhere what their filters let pass.
#[derive(Debug)]
struct Filtered {
    indexes: Vec<Arc<Segment>>,
}

impl Filtered {
    /// What one segment has: for each key that may be there its place in `keys`, and the blobs.
    fn of_segment(
        &self,
        (number, segment): (usize, &CorpusSegment),
        keys: &[u64],
    ) -> Result<Vec<(usize, Vec<BlobPosting>)>, SegmentError> {
        let index = self.indexes.get(number).ok_or(SegmentError::Damaged("the number of a segment"))?;
        let filter = index.section(INDEX.filter)?;
        let (mut places, mut passed) = (Vec::new(), Vec::new());
        for (place, &key) in keys.iter().enumerate() {
            if may_have(&filter, key)? {
                places.push(place);
                passed.push(key);
            }
        }
        segment.read_postings_ahead(&passed)?;
        let found = SegmentLookups.postings(&[(number, segment)], &passed)?;
        Ok(places.into_iter().zip(found).collect())
    }
}

impl Lookups for Filtered {
    fn postings(&self, asked: &Asked<'_>, keys: &[u64]) -> Result<Vec<Vec<BlobPosting>>, SegmentError> {
        // Each thread waits for answers most of the time: there may be more of them than processors.
        let next = AtomicUsize::new(0);
        let work = || {
            let mut done = Vec::new();
            while let Some(one) = asked.get(next.fetch_add(1, Ordering::Relaxed)) {
                done.push((one.0, self.of_segment(*one, keys)));
            }
            done
        };
        let mut answers = if asked.len() == 1 {
            work()
        } else {
            std::thread::scope(|scope| {
                let threads: Vec<_> = (0..THREADS.min(asked.len())).map(|_| scope.spawn(work)).collect();
                threads.into_iter().flat_map(|thread| thread.join().unwrap_or_default()).collect()
            })
        };
        if answers.len() != asked.len() {
            return Err(SegmentError::Damaged("a look-up ended early"));
        }
        answers.sort_by_key(|(number, _)| *number);
        let mut found = vec![Vec::new(); keys.len()];
        for (_, answer) in answers {
            for (place, blobs) in answer? {
                found[place].extend(blobs);
            }
        }
        Ok(found)
    }

    fn blobs_of(&self, asked: &Asked<'_>, ids: &[BlobId]) -> Result<Vec<Vec<BlobAt>>, SegmentError> {
        SegmentLookups.blobs_of(asked, ids)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_shows_no_token_of_an_address() {
        let shown = without_query("error sending request for url (https://u:secret@host/a?sig=secret) after 3 tries");
        assert_eq!(shown, "error sending request for url (https://host/a after 3 tries");
        assert_eq!(without_query("no address at all"), "no address at all");
    }
}
