//! Keeps a corpus in an object store, in a folder, or behind a web server, and reads it there in place.
//!
//! ```text
//! corpus.json                 the manifest as it is now
//! manifests/<number>.json     each manifest that ever was; made only if there is none with the number
//! segments/<sha256>.seg       the segments, as they are on disk
//! tables/<sha256>.seg         the postings of many segments in one order
//! indexes/<sha256>.seg        of each table what every look-up needs of it and of its segments
//! ```
//!
//! Objects are named by their contents and never changed, so a reader keeps what it began with. Two writers make the
//! same next number, and the store lets one of them.
//!
//! To remove a source is to leave it out of the next manifest. What a table has of it is not heeded any more, and the
//! next compaction writes the table anew.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::{StreamExt, TryStreamExt};
use object_store::path::Path as Key;
use object_store::{
    BackoffConfig, ClientOptions, ObjectMeta, ObjectStore, ObjectStoreExt, ObjectStoreScheme, PutMode, PutOptions,
    RetryConfig, WriteMultipart,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;

use super::{Compaction, Delivery, Engine, Location, OpenCorpus, Traffic};
use crate::files::BlobId;
use crate::store::corpus::lookups::{Asked, BlobAt, BlobPosting, Lookups, MAX_BLOBS, each};
use crate::store::corpus::rows::{DIGEST, INDEX, digest, digest_of};
use crate::store::corpus::table::{self, Input, MAX_MEMBERS, Table, by_member};
use crate::store::corpus::{Corpus, CorpusError, CorpusSegment, Record, Stats, hex, is_name};
use crate::store::{BlockAt, Blocks, Segment, SegmentError, SegmentKind};

/// The version of manifests, tables and indexes.
const VERSION: u32 = 3;
/// Maximum requests at a time. With 256, a look-up of a thousand keys took half the time that it took with 64.
const PARALLEL: usize = 256;
/// Maximum bytes of a read; blocks that follow each other are read at once.
const MAX_READ: u64 = 1 << 20;
/// How often to read what does not come, or is not what it should be.
const TRIES: usize = 3;
/// Maximum time for the answer to a read, which has [`MAX_READ`] bytes at most.
const ANSWERING: Duration = Duration::from_secs(20);
/// Maximum time for a request of a writer, which has [`PART`] bytes at most.
const WRITING: Duration = Duration::from_secs(120);
/// Bytes of a part of an upload.
const PART: usize = 8 << 20;
/// Maximum parts of a download at a time.
const DOWNLOADS: usize = 16;
/// Maximum bytes of a manifest.
const MAX_MANIFEST: u64 = 64 << 20;
/// The folder for indexes, below the folder of all corpora; no corpus can have its name.
const KEPT: &str = ".elsewhere";
/// Maximum age, in seconds, of an object that a push before this one left: half of what `compact` waits by default.
const RESUMED: u64 = 30 * 60;

/// What a corpus consists of.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    version: u32,
    name: String,
    /// Increases with each change.
    number: u64,
    sources: Vec<Source>,
    /// The tables that have their postings.
    tables: Vec<TableObjects>,
    /// Sources that were removed or replaced, and tables that were written anew, whose objects may still be read.
    removed: Vec<Removed<Source>>,
    dropped: Vec<Removed<TableObjects>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Source {
    key: String,
    label: String,
    stats: Stats,
    /// The SHA-256 and the length of its segment.
    segment: String,
    len: u64,
    /// k and w.
    sampling: (usize, usize),
}

/// A table and its index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TableObjects {
    /// The SHA-256 and the length of each.
    table: String,
    len: u64,
    index: String,
    index_len: u64,
    n_postings: u64,
    /// The k and w of its members, and the SHA-256 of their segments.
    sampling: (usize, usize),
    members: Vec<String>,
}

/// What the manifest does not count any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Removed<T> {
    of: T,
    /// When, in seconds since 1970.
    time: u64,
}

impl<T> Removed<T> {
    fn now(of: T) -> Self {
        Self { of, time: now() }
    }
}

impl Manifest {
    /// The objects of sources and tables that may be read, by their names.
    fn objects(&self) -> BTreeSet<String> {
        let sources = self.sources.iter().chain(self.removed.iter().map(|removed| &removed.of));
        let tables = self.tables.iter().chain(self.dropped.iter().map(|dropped| &dropped.of));
        let of_table = |of: &TableObjects| [table_name(&of.table), index_name(&of.index)];
        sources.map(|of| segment_name(&of.segment)).chain(tables.flat_map(of_table)).collect()
    }

    /// Whether a member of a table is of no source any more.
    fn lacks_some(&self, table: &TableObjects) -> bool {
        let segments: BTreeSet<&str> = self.sources.iter().map(|source| source.segment.as_str()).collect();
        table.members.iter().any(|member| !segments.contains(member.as_str()))
    }
}

fn segment_name(digest: &str) -> String {
    format!("segments/{digest}.seg")
}

fn table_name(digest: &str) -> String {
    format!("tables/{digest}.seg")
}

fn index_name(digest: &str) -> String {
    format!("indexes/{digest}.seg")
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
    /// One for each request that may be under way.
    permits: Semaphore,
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
        .with_timeout(WRITING)
        .with_connect_timeout(Duration::from_secs(5))
        .with_pool_max_idle_per_host(PARALLEL);
    let retry = RetryConfig {
        backoff: BackoffConfig { init_backoff: Duration::from_millis(100), ..BackoffConfig::default() },
        max_retries: 4,
        retry_timeout: WRITING,
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
        let (traffic, permits) = (Arc::default(), Semaphore::new(PARALLEL));
        let session = Arc::new(Session { runtime, store, folder, place, traffic, permits });
        Ok(Self { location: location.clone(), digest, session })
    }

    /// The manifest, if there is one.
    fn manifest(&self) -> Result<Option<Manifest>, CorpusError> {
        let Some(bytes) = self.read_manifest("corpus.json")? else { return Ok(None) };
        let found = hex(&Sha256::digest(&bytes));
        if let Some(wanted) = self.digest.as_ref().filter(|wanted| **wanted != found) {
            return Err(self.location.fails(format!("the SHA-256 of its manifest is {found}, not {wanted}")));
        }
        manifest_of(&bytes).map(Some).map_err(|why| self.location.fails(why))
    }

    fn read_manifest(&self, name: &str) -> Result<Option<Vec<u8>>, CorpusError> {
        let session = &self.session;
        let key = session.key(name);
        session.runtime.block_on(session.whole(&key)).map_err(|why| match why {
            SegmentError::Elsewhere { why, .. } => self.location.fails(why),
            why => self.location.fails(why),
        })
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
        let current = self.manifest()?;
        let Some(mut manifest) = current.map_or_else(|| self.numbered(1), |found| Ok(Some(found)))? else {
            return Ok(None);
        };
        while let Some(next) = self.numbered(manifest.number + 1)? {
            manifest = next;
        }
        Ok(Some(manifest))
    }

    fn numbered(&self, number: u64) -> Result<Option<Manifest>, CorpusError> {
        let bytes = self.read_manifest(&format!("manifests/{number}.json"))?;
        bytes.map(|bytes| manifest_of(&bytes).map_err(|why| self.location.fails(why))).transpose()
    }

    /// Uploads a file as the object `name`, which has its SHA-256 in it, unless it is there: named by a manifest, or from
    /// a push just now that did not come to an end. An older one may be swept away while this goes on.
    fn upload(&self, name: &str, file: &Path, len: u64, named: &BTreeSet<String>) -> Result<(), CorpusError> {
        let session = &self.session;
        let key = session.key(name);
        let done = session.runtime.block_on(async {
            if let Ok(there) = session.store.head(&key).await {
                let age = now().saturating_sub(u64::try_from(there.last_modified.timestamp()).unwrap_or(0));
                if there.size == len && (named.contains(name) || age < RESUMED) {
                    return Ok(());
                }
            }
            let unreadable = |why: std::io::Error| object_store::Error::Generic { store: "file", source: why.into() };
            if len <= PART as u64 {
                let bytes = std::fs::read(file).map_err(unreadable)?;
                return session.store.put(&key, bytes.into()).await.map(drop);
            }
            let mut upload = WriteMultipart::new_with_chunk_size(session.store.put_multipart(&key).await?, PART);
            let mut file = std::fs::File::open(file).map_err(unreadable)?;
            let mut buffer = vec![0; 1 << 20];
            loop {
                let n = std::io::Read::read(&mut file, &mut buffer).map_err(unreadable)?;
                if n == 0 {
                    return upload.finish().await.map(drop);
                }
                upload.wait_for_capacity(8).await?;
                upload.write(&buffer[..n]);
            }
        });
        done.map_err(|why| self.location.fails(reason(&why)))
    }

    /// Downloads an object of `len` bytes to `to`, in parts side by side, and compares its digest.
    fn download(&self, name: &str, digest: &str, len: u64, to: &Path) -> Result<(), CorpusError> {
        let session = &self.session;
        let key = session.key(name);
        let unwritable = |why| CorpusError::File { file: to.to_owned(), why };
        let fails = |why: SegmentError| match why {
            SegmentError::Elsewhere { why, .. } => self.location.fails(why),
            why => self.location.fails(why),
        };
        let parent = to.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(parent).map_err(unwritable)?;
        let mut temporary = tempfile::Builder::new().prefix("tmp-").tempfile_in(parent).map_err(unwritable)?;
        let mut hasher = Sha256::new();
        session.runtime.block_on(async {
            let starts = (0..len).step_by(MAX_READ as usize);
            let parts = starts.map(|start| session.part(&key, start..len.min(start + MAX_READ)));
            let mut parts = futures_util::stream::iter(parts).buffered(DOWNLOADS);
            while let Some(bytes) = parts.try_next().await.map_err(fails)? {
                hasher.update(&bytes);
                std::io::Write::write_all(&mut temporary, &bytes).map_err(unwritable)?;
            }
            Ok::<_, CorpusError>(())
        })?;
        if hex(&hasher.finalize()) != digest {
            return Err(self.location.fails(format!("`{key}` is not what its name says: it is damaged or truncated")));
        }
        temporary.as_file().sync_data().map_err(unwritable)?;
        temporary.persist(to).map_err(|error| unwritable(error.error))?;
        Ok(())
    }

    /// A table, to look up in. Its index is from here if it was read before and is whole.
    fn table(&self, of: &TableObjects, folder: &Path) -> Result<Table, CorpusError> {
        let path = folder.join(format!("{}.seg", of.index));
        let opened = || {
            let index = Arc::new(Segment::open(&path)?.of_kind(SegmentKind::CorpusIndex)?);
            let key = self.session.key(&table_name(&of.table));
            let blocks = Parts { session: Arc::clone(&self.session), key, index: Arc::clone(&index), skipped: 0..0 };
            let table = Table::new(index, Box::new(blocks))?;
            let is_whole = table.members().len() == of.members.len();
            if is_whole { Ok(table) } else { Err(SegmentError::Damaged("the number of its members")) }
        };
        if std::fs::metadata(&path).is_ok_and(|found| found.len() == of.index_len)
            && let Ok(opened) = opened()
        {
            return Ok(opened);
        }
        self.download(&index_name(&of.index), &of.index, of.index_len, &path)?;
        opened().map_err(|why| self.location.fails(format!("its index `{}`: {why}", of.index)))
    }

    /// The segment of a source, of which `member` is kept here.
    fn segment(&self, source: &Source, member: &Arc<Segment>) -> Result<CorpusSegment, SegmentError> {
        let key = self.session.key(&segment_name(&source.segment));
        let skipped = CorpusSegment::blocks_without_digests(member)?;
        let blocks = Parts { session: Arc::clone(&self.session), key, index: Arc::clone(member), skipped };
        CorpusSegment::of_member(Arc::clone(member), Box::new(blocks))
    }

    /// Deletes the objects that are not `named` and are from before `last`: those of sources that were removed or merged,
    /// and what writers uploaded who did not come to an end.
    fn sweep(&self, named: &BTreeSet<String>, last: u64) -> Result<(), CorpusError> {
        let session = &self.session;
        for folder in ["segments", "tables", "indexes"] {
            let all = session.store.list(Some(&session.key(folder)));
            let all: Vec<ObjectMeta> =
                session.runtime.block_on(all.try_collect()).map_err(|why| self.location.fails(reason(&why)))?;
            for object in all {
                let name = format!("{folder}/{}", object.location.filename().unwrap_or_default());
                let is_old = u64::try_from(object.last_modified.timestamp()).is_ok_and(|time| time <= last);
                if !is_old || named.contains(&name) {
                    continue;
                }
                match session.runtime.block_on(session.store.delete(&object.location)) {
                    Ok(()) | Err(object_store::Error::NotFound { .. }) => {}
                    Err(why) => return Err(self.location.fails(reason(&why))),
                }
            }
        }
        Ok(())
    }

    /// Makes one table of the segments `new` and of those tables of the manifest for which `is_meant`, all of one
    /// sampling, without what no source is any more; returns the bytes that were uploaded.
    fn write_table(
        &self,
        manifest: &mut Manifest,
        new: Vec<(String, CorpusSegment)>,
        sampling: (usize, usize),
        is_meant: impl Fn(&TableObjects) -> bool,
    ) -> Result<u64, CorpusError> {
        let fails = |why: SegmentError| self.location.fails(why);
        let folder = tempfile::TempDir::new().map_err(|why| self.location.fails(why))?;
        let named = manifest.objects();
        let (meant, kept): (Vec<_>, Vec<_>) = std::mem::take(&mut manifest.tables).into_iter().partition(is_meant);
        manifest.tables = kept;
        let segments: BTreeSet<&str> = manifest.sources.iter().map(|source| source.segment.as_str()).collect();
        let of_tables = meant.iter().flat_map(|of| &of.members).filter(|member| segments.contains(member.as_str()));
        // In one order however they came: the same sources make the same bytes.
        let members: BTreeSet<String> = of_tables.chain(new.iter().map(|(digest, _)| digest)).cloned().collect();
        let numbers: BTreeMap<&str, u32> = members.iter().map(String::as_str).zip(0..).collect();
        let mut inputs = Vec::new();
        for of in &meant {
            let [table, index] = ["table", "index"].map(|name| folder.path().join(format!("{name}-{}", of.table)));
            self.download(&table_name(&of.table), &of.table, of.len, &table)?;
            self.download(&index_name(&of.index), &of.index, of.index_len, &index)?;
            let open = |path: &Path| Segment::open(path).map_err(fails);
            let numbers = of.members.iter().map(|member| numbers.get(member.as_str()).copied()).collect();
            inputs.push(Input::Table { table: open(&table)?, index: open(&index)?, numbers });
        }
        for (digest, segment) in new {
            inputs.push(Input::Segment(segment, numbers[digest.as_str()]));
        }
        manifest.dropped.extend(meant.into_iter().map(Removed::now));
        if members.is_empty() {
            return Ok(0);
        }
        let table::Written { table, index, n_postings } =
            table::write(&inputs, members.len(), folder.path()).map_err(fails)?;
        let digest_of = |path| digest_of(path).map_err(|why| CorpusError::File { file: path.clone(), why });
        let ((table_digest, len), (index_digest, index_len)) = (digest_of(&table)?, digest_of(&index)?);
        self.upload(&table_name(&table_digest), &table, len, &named)?;
        self.upload(&index_name(&index_digest), &index, index_len, &named)?;
        let members = members.into_iter().collect();
        let written =
            TableObjects { table: table_digest, len, index: index_digest, index_len, n_postings, sampling, members };
        // The same bytes as one that was dropped: it is not to be deleted.
        manifest.dropped.retain(|dropped| dropped.of.table != written.table);
        manifest.tables.push(written);
        Ok(len + index_len)
    }

    /// Makes one table of all tables of each sampling; returns the number of sources in them.
    fn merge_tables(&self, manifest: &mut Manifest) -> Result<usize, CorpusError> {
        let samplings: BTreeSet<_> = manifest.tables.iter().map(|of| of.sampling).collect();
        let mut n_merged = 0;
        for sampling in samplings {
            let tables: Vec<&TableObjects> = manifest.tables.iter().filter(|of| of.sampling == sampling).collect();
            let lacks_some = tables.iter().any(|of| manifest.lacks_some(of));
            let n: usize = tables.iter().map(|of| of.members.len()).sum();
            if (tables.len() > 1 && n <= MAX_MEMBERS) || lacks_some {
                self.write_table(manifest, Vec::new(), sampling, |of| of.sampling == sampling)?;
                n_merged += manifest.sources.iter().filter(|source| source.sampling == sampling).count();
            }
        }
        Ok(n_merged)
    }
}

/// The tables to be written anew with `n_postings` more, by their digests.
///
/// Tables grow by doubling, as segments do elsewhere in the store: each has more postings than all smaller ones together,
/// so there are few of them, and each posting is written a few times at most, however often sources come.
fn tables_to_merge(tables: &[TableObjects], sampling: (usize, usize), n_postings: u64) -> BTreeSet<String> {
    let mut tables: Vec<&TableObjects> = tables.iter().filter(|of| of.sampling == sampling).collect();
    tables.sort_by_key(|of| of.n_postings);
    let mut n = n_postings;
    let is_meant = |of: &&&TableObjects| {
        let is_small = of.n_postings <= n;
        n += of.n_postings;
        is_small
    };
    tables.iter().take_while(is_meant).map(|of| of.table.clone()).collect()
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
    let is_sound = |of: &Source| is_hex(&of.key, 16) && is_hex(&of.segment, 64);
    let is_whole = |of: &TableObjects| is_hex(&of.table, 64) && is_hex(&of.index, 64);
    let sources = manifest.sources.iter().chain(manifest.removed.iter().map(|removed| &removed.of));
    let tables = manifest.tables.iter().chain(manifest.dropped.iter().map(|dropped| &dropped.of));
    if is_name(&manifest.name) && sources.into_iter().all(is_sound) && tables.into_iter().all(is_whole) {
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
        let tables: Vec<Table> =
            each(&manifest.tables, |of| self.table(of, folder)).into_iter().collect::<Result<_, CorpusError>>()?;
        let members = manifest.tables.iter().enumerate().flat_map(|(table, of)| {
            of.members.iter().zip(0..).map(move |(member, number)| (member.as_str(), (table, number)))
        });
        let members: BTreeMap<&str, (usize, u32)> = members.collect();
        let (mut segments, mut places) = (Vec::new(), Vec::new());
        for source in &manifest.sources {
            let fails = |why: &dyn std::fmt::Display| self.location.fails(format!("source `{}`: {why}", source.label));
            let &(table, number) =
                members.get(source.segment.as_str()).ok_or_else(|| fails(&"no table of its manifest has it"))?;
            let member = &tables[table].members()[number as usize];
            segments.push(self.segment(source, member).map_err(|why| fails(&why))?);
            places.push((table, number));
        }
        let sources = manifest.sources.into_iter().map(|source| (source.label, source.stats)).collect();
        let lookups = Box::new(TableLookups { tables, places });
        let traffic = Arc::clone(&self.session.traffic);
        Ok(OpenCorpus { name: manifest.name, sources, segments, lookups, traffic })
    }

    fn add(&self, corpus: &Corpus, _: Option<&str>) -> Result<Delivery, CorpusError> {
        let known = self.newest()?;
        let new = || Manifest {
            version: VERSION,
            name: corpus.name().to_owned(),
            number: 0,
            sources: Vec::new(),
            tables: Vec::new(),
            removed: Vec::new(),
            dropped: Vec::new(),
        };
        let mut manifest = known.unwrap_or_else(new);
        let named = manifest.objects();
        let mut written = Delivery::default();
        let mut new: BTreeMap<(usize, usize), (u64, BTreeMap<String, CorpusSegment>)> = BTreeMap::new();
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
            let sampling = segment.sampling();
            self.upload(&segment_name(&digest), &path, len, &named)?;
            let (old, kept) = manifest.sources.into_iter().partition(|of| of.key == key);
            manifest.sources = kept;
            manifest.removed.extend(Vec::into_iter(old).map(Removed::now));
            let (label, stats) = (record.label.clone(), record.stats);
            manifest.sources.push(Source { key, label, stats, segment: digest.clone(), len, sampling });
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
            written.n_bytes += self.write_table(&mut manifest, segments, sampling, |of| meant.contains(&of.table))?;
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
            manifest.removed.extend(removed.into_iter().map(Removed::now));
        }
        self.swap(manifest).map(drop)
    }

    fn compact(&self, older: Duration) -> Result<Compaction, CorpusError> {
        let mut manifest = self.newest()?.map_or_else(|| self.known_manifest(), Ok)?;
        let before = manifest.objects();
        let n_merged = self.merge_tables(&mut manifest)?;
        let last = now().saturating_sub(older.as_secs());
        let n_before = manifest.removed.len();
        manifest.removed.retain(|removed| removed.time > last);
        manifest.dropped.retain(|dropped| dropped.time > last);
        let after = manifest.objects();
        let compaction = Compaction { n_removed: n_before - manifest.removed.len(), n_merged };
        // First the manifest: what no manifest names is not missed by anybody who comes later.
        if before != after {
            self.swap(manifest)?;
        }
        self.sweep(&after, last)?;
        Ok(compaction)
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
            let claim = corpus.claim(&source.key, &source.label)?;
            let path = corpus.folder.join(&segment);
            self.download(&segment_name(&source.segment), &source.segment, source.len, &path)?;
            let damaged = |why: SegmentError| self.location.fails(format!("source `{}`: {why}", source.label));
            let checked = CorpusSegment::open(&path).and_then(|segment| segment.verify());
            if let Err(why) = checked {
                let _ = std::fs::remove_file(&path);
                return Err(damaged(why));
            }
            let record = Record::imported(source.label.clone(), segment, source.stats);
            corpus.put(&claim, &record)?;
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
        let read = async || {
            let bytes = self.store.get_range(key, range.clone()).await.map_err(|why| reason(&why))?;
            if bytes.len() as u64 == len { Ok(bytes.to_vec()) } else { Err(format!("`{key}` is truncated")) }
        };
        let bytes = self.tried(key, read).await?;
        self.traffic.count(len);
        Ok(bytes)
    }

    /// Reads an object, which is a manifest, if there is one.
    async fn whole(&self, key: &Key) -> Result<Option<Vec<u8>>, SegmentError> {
        let read = async || match self.store.get(key).await {
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(why) => Err(reason(&why)),
            Ok(found) if found.meta.size > MAX_MANIFEST => Err("its manifest is too long".to_owned()),
            Ok(found) => Ok(Some(found.bytes().await.map_err(|why| reason(&why))?.to_vec())),
        };
        let found = self.tried(key, read).await?;
        self.traffic.count(found.as_ref().map_or(0, Vec::len) as u64);
        Ok(found)
    }

    /// Reads, again if it fails or takes too long.
    async fn tried<T>(&self, key: &Key, read: impl AsyncFn() -> Result<T, String>) -> Result<T, SegmentError> {
        let _permit = self.permits.acquire().await.map_err(|why| self.fails(why))?;
        let mut tries = 1;
        loop {
            let why = match tokio::time::timeout(ANSWERING, read()).await {
                Ok(Ok(found)) => return Ok(found),
                Ok(Err(why)) => why,
                Err(_) => format!("no answer for `{key}` in {} s", ANSWERING.as_secs()),
            };
            if tries == TRIES {
                return Err(self.fails(why));
            }
            tries += 1;
        }
    }
}

/// The blocks of a segment or of a table.
#[derive(Debug)]
struct Parts {
    session: Arc<Session>,
    key: Key,
    /// What has the digests of its blocks, but for those that are skipped.
    index: Arc<Segment>,
    skipped: Range<u32>,
}

impl Parts {
    /// The row of the digest of a block.
    fn row_of(&self, block: &BlockAt) -> Result<usize, SegmentError> {
        match block.number {
            number if number < self.skipped.start => Ok(number as usize),
            number if number >= self.skipped.end => Ok((number - self.skipped.end + self.skipped.start) as usize),
            _ => Err(SegmentError::Damaged("a block that nobody may ask for")),
        }
    }

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
                if digest(bytes) == *digests.row(self.row_of(block)?, DIGEST)? {
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

/// Looks up in tables.
#[derive(Debug)]
struct TableLookups {
    tables: Vec<Table>,
    /// For each segment its table, and its number in it.
    places: Vec<(usize, u32)>,
}

/// A table, and the segments that are asked of it, by their numbers in it.
type AskedTable<'t> = (&'t Table, BTreeMap<u32, Vec<usize>>);

impl TableLookups {
    fn tables(&self, asked: &Asked<'_>) -> Result<Vec<AskedTable<'_>>, SegmentError> {
        let mut tables: BTreeMap<usize, BTreeMap<u32, Vec<usize>>> = BTreeMap::new();
        for (segment, _) in asked {
            let (table, member) = self.places.get(*segment).ok_or(SegmentError::Damaged("the number of a segment"))?;
            tables.entry(*table).or_default().entry(*member).or_default().push(*segment);
        }
        let tables = tables.into_iter();
        Ok(tables.filter_map(|(table, members)| Some((self.tables.get(table)?, members))).collect())
    }

    /// For each of `n` questions what all tables answer together, in order: segments, blobs and their components.
    fn answers(
        &self,
        asked: &Asked<'_>,
        n: usize,
        ask: impl Fn(&Table) -> Result<Vec<Vec<(u32, u32)>>, SegmentError> + Sync,
    ) -> Result<Vec<Vec<BlobPosting>>, SegmentError> {
        let answers = each(&self.tables(asked)?, |(table, members)| {
            let found = ask(table)?;
            let mut of_table = Vec::with_capacity(found.len());
            for places in &found {
                let mut blobs = Vec::new();
                for (member, places) in by_member(places) {
                    // Those that are not asked may be removed.
                    for &segment in members.get(&member).into_iter().flatten() {
                        for &(_, blob) in places.iter().take(MAX_BLOBS) {
                            blobs.push(BlobPosting { segment, blob, component: table.component_of(member, blob)? });
                        }
                    }
                }
                of_table.push(blobs);
            }
            Ok::<_, SegmentError>(of_table)
        });
        let mut all = vec![Vec::new(); n];
        for answer in answers {
            for (all, blobs) in all.iter_mut().zip(answer?) {
                all.extend(blobs);
            }
        }
        all.iter_mut().for_each(|blobs| blobs.sort_unstable());
        Ok(all)
    }
}

impl Lookups for TableLookups {
    fn postings(&self, asked: &Asked<'_>, keys: &[u64]) -> Result<Vec<Vec<BlobPosting>>, SegmentError> {
        self.answers(asked, keys.len(), |table| table.postings(keys))
    }

    fn blobs_of(&self, asked: &Asked<'_>, ids: &[BlobId]) -> Result<Vec<Vec<BlobAt>>, SegmentError> {
        let sought: Vec<[u8; 20]> = ids.iter().map(BlobId::sha1).collect();
        let found = self.answers(asked, ids.len(), |table| table.blobs_of(&sought))?;
        Ok(found.into_iter().map(|blobs| blobs.into_iter().map(|of| (of.segment, of.blob)).collect()).collect())
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
