//! Keeps a corpus in an object store, in a folder, or behind a web server, and reads it there in place.
//!
//! ```text
//! corpus.json                 the manifest as it is now
//! manifests/<number>.json     each manifest that ever was; made only if there is none with the number
//! segments/<sha256>.seg       the segments, and small ones merged into larger ones
//! indexes/<sha256>.seg        of each what every look-up needs: directory, blobs, a filter, the digests of all blocks
//! ```
//!
//! Objects are named by their contents and never changed, so a reader keeps what it began with. Two writers make the
//! same next number, and the store lets one of them.
//!
//! A source is a segment; compaction puts small ones into one object, in which each is still there as it was. To remove
//! a source is to leave it out of the next manifest, wherever its segment is: what a merged segment has of it is not
//! asked for any more, and the next compaction writes the rest anew.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures_util::{StreamExt, TryStreamExt};
use object_store::path::Path as Key;
use object_store::{
    BackoffConfig, ClientOptions, GetOptions, GetRange, ObjectMeta, ObjectStore, ObjectStoreExt, ObjectStoreScheme,
    PutMode, PutOptions, RetryConfig, WriteMultipart,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tokio::runtime::Runtime;

use super::{Compaction, Delivery, Engine, Location, OpenCorpus, Traffic};
use crate::files::BlobId;
use crate::store::corpus::lookups::{Asked, BlobAt, BlobPosting, Lookups, MAX_BLOBS, SegmentLookups, each};
use crate::store::corpus::merged::{Merged, merge, passing};
use crate::store::corpus::rows::{INDEX, digest_of};
use crate::store::corpus::{Corpus, CorpusError, CorpusSegment, Record, Stats, hex, is_name};
use crate::store::{BlockAt, Blocks, Segment, SegmentError};

/// The version of manifests and indexes.
const VERSION: u32 = 2;
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
/// Maximum age, in seconds, of an object that a push before this one left: half of what `compact` waits by default.
const RESUMED: u64 = 30 * 60;
/// Below so many bytes, a segment is merged with others.
const SMALL: u64 = 128 << 20;
/// Maximum bytes of the members of a merged segment.
const MAX_MERGED: u64 = 2 * SMALL;
/// Maximum members of a merged segment.
const MAX_MEMBERS: usize = 1 << 16;

/// What a corpus consists of.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    version: u32,
    name: String,
    /// Increases with each change.
    number: u64,
    sources: Vec<Source>,
    /// Sources that were removed, replaced or merged, whose objects may still be read.
    removed: Vec<Removed>,
    /// The segments that sources are parts of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    merged: Vec<MergedObject>,
    /// Those that no source is part of any more, but which may still be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    dropped: Vec<Dropped>,
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
    /// k and w.
    sampling: (usize, usize),
    /// Where its segment is, if it is not an object of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    part: Option<Part>,
}

/// A part of a merged segment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Part {
    /// The SHA-256 of the merged segment.
    of: String,
    /// Its number in it.
    member: u16,
    /// Where it begins.
    start: u64,
}

/// A merged segment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct MergedObject {
    segment: String,
    len: u64,
    index: String,
    index_len: u64,
    n_members: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Removed {
    source: Source,
    /// When, in seconds since 1970.
    time: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Dropped {
    merged: MergedObject,
    /// When, in seconds since 1970.
    time: u64,
}

impl Source {
    /// The object that has its segment, and where it begins in it.
    fn place(&self) -> (&str, u64) {
        self.part.as_ref().map_or((&self.segment, 0), |part| (&part.of, part.start))
    }
}

impl Manifest {
    /// The objects of sources and merged segments that may be read, by their names.
    fn objects(&self) -> BTreeSet<String> {
        let removed = self.removed.iter().map(|of| &of.source);
        let of_source = |of: &Source| [segment_name(of.place().0), index_name(&of.index)];
        let dropped = self.dropped.iter().map(|of| &of.merged);
        let of_merged = |of: &MergedObject| [segment_name(&of.segment), index_name(&of.index)];
        let sources = self.sources.iter().chain(removed).flat_map(of_source);
        sources.chain(self.merged.iter().chain(dropped).flat_map(of_merged)).collect()
    }
}

fn segment_name(digest: &str) -> String {
    format!("segments/{digest}.seg")
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

    /// Downloads the segment of a source to `to`, and compares its digest.
    fn download_segment(&self, source: &Source, to: &Path) -> Result<(), CorpusError> {
        let (object, start) = source.place();
        let part = source.part.is_some().then_some(start..start + source.len);
        self.download(&segment_name(object), part, &source.segment, source.len, to)
    }

    /// Downloads an object, or a part of it, to `to`, and compares its digest.
    fn download(
        &self,
        name: &str,
        part: Option<Range<u64>>,
        digest: &str,
        len: u64,
        to: &Path,
    ) -> Result<(), CorpusError> {
        let session = &self.session;
        let key = session.key(name);
        let unwritable = |why| CorpusError::File { file: to.to_owned(), why };
        let parent = to.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(parent).map_err(unwritable)?;
        let mut temporary = tempfile::Builder::new().prefix("tmp-").tempfile_in(parent).map_err(unwritable)?;
        let mut hasher = Sha256::new();
        let mut n = 0;
        session.runtime.block_on(async {
            let options = GetOptions { range: part.map(GetRange::Bounded), ..GetOptions::default() };
            let found = session.store.get_opts(&key, options).await.map_err(|why| self.location.fails(reason(&why)))?;
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

    /// What `open` makes of the index with this digest, from here if it was read before and is whole.
    fn index<T>(
        &self,
        (digest, len): (&str, u64),
        folder: &Path,
        open: impl Fn(Arc<Segment>, Segment) -> Result<T, SegmentError>,
    ) -> Result<T, CorpusError> {
        let path = folder.join(format!("{digest}.seg"));
        // Twice: to be found by, and as a part of what is read.
        let opened = || open(Arc::new(Segment::open(&path)?), Segment::open(&path)?);
        if std::fs::metadata(&path).is_ok_and(|found| found.len() == len)
            && let Ok(opened) = opened()
        {
            return Ok(opened);
        }
        self.download(&index_name(digest), None, digest, len, &path)?;
        opened().map_err(|why| self.location.fails(format!("its index `{digest}`: {why}")))
    }

    /// A merged segment, to look up in.
    fn merged(&self, of: &MergedObject, folder: &Path) -> Result<Merged, CorpusError> {
        self.index((&of.index, of.index_len), folder, |index, near| {
            let blocks = self.parts(&of.segment, 0, &index);
            Merged::new(index, near, Box::new(blocks))
        })
    }

    /// What begins at `start` in the object of this digest.
    fn parts(&self, object: &str, start: u64, index: &Arc<Segment>) -> Parts {
        let key = self.session.key(&segment_name(object));
        Parts { session: Arc::clone(&self.session), key, start, index: Arc::clone(index) }
    }

    /// Deletes the objects that are not `named` and are from before `last`: those of sources that were removed or merged,
    /// and what writers uploaded who did not come to an end.
    fn sweep(&self, named: &BTreeSet<String>, last: u64) -> Result<(), CorpusError> {
        let session = &self.session;
        for folder in ["segments", "indexes"] {
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

    /// Merges small segments, and those that have removed members with what is left of them; returns the number of
    /// sources whose segments were merged.
    fn merge_small(&self, manifest: &mut Manifest) -> Result<usize, CorpusError> {
        let named = manifest.objects();
        let mut n = 0;
        for batch in batches(manifest) {
            let folder = tempfile::TempDir::new().map_err(|why| self.location.fails(why))?;
            let mut files = Vec::with_capacity(batch.len());
            for &at in &batch {
                let file = folder.path().join(format!("{at}.seg"));
                self.download_segment(&manifest.sources[at], &file)?;
                files.push(file);
            }
            let written = merge(&files, folder.path()).map_err(|why| self.location.fails(why))?;
            let unreadable = |why| CorpusError::File { file: folder.path().to_owned(), why };
            let (segment, len) = digest_of(&written.segment).map_err(unreadable)?;
            let (index, index_len) = digest_of(&written.index).map_err(unreadable)?;
            self.upload(&segment_name(&segment), &written.segment, len, &named)?;
            self.upload(&index_name(&index), &written.index, index_len, &named)?;
            for ((&at, &start), member) in batch.iter().zip(&written.starts).zip(0..) {
                let source = &mut manifest.sources[at];
                if source.part.is_none() {
                    // Its own object goes when nobody reads it any more; its index stays.
                    manifest.removed.push(Removed { source: source.clone(), time: now() });
                }
                source.part = Some(Part { of: segment.clone(), member, start });
            }
            manifest.merged.push(MergedObject { segment, len, index, index_len, n_members: batch.len() });
            n += batch.len();
        }
        let is_used = |of: &MergedObject| {
            manifest.sources.iter().any(|source| source.part.as_ref().is_some_and(|part| part.of == of.segment))
        };
        let (used, unused) = std::mem::take(&mut manifest.merged).into_iter().partition(is_used);
        manifest.merged = used;
        manifest.dropped.extend(Vec::into_iter(unused).map(|merged| Dropped { merged, time: now() }));
        Ok(n)
    }
}

/// Sources that stay together: their bytes, whether some that were with them are removed, and their numbers.
type Together = (u64, bool, Vec<usize>);

/// The sources to be merged, as numbers in the manifest, those of one segment together.
///
/// Segments grow by doubling, as elsewhere in the store: one that was made of at least [`SMALL`] bytes is left alone as
/// long as all of its members are there, so however often sources come and are compacted, each byte is written a few
/// times at most.
fn batches(manifest: &Manifest) -> Vec<Vec<usize>> {
    // What is merged already stays together; a segment of one source is a unit of its own.
    let mut units: BTreeMap<(Option<&str>, usize), Vec<usize>> = BTreeMap::new();
    for (at, source) in manifest.sources.iter().enumerate() {
        let unit = source.part.as_ref().map_or((None, at), |part| (Some(part.of.as_str()), 0));
        units.entry(unit).or_default().push(at);
    }
    let mut by_sampling: BTreeMap<(usize, usize), Vec<Together>> = BTreeMap::new();
    for ((merged, _), sources) in units {
        let n_bytes: u64 = sources.iter().map(|&at| manifest.sources[at].len).sum();
        let of = manifest.merged.iter().find(|of| Some(of.segment.as_str()) == merged);
        let lacks_some = of.is_some_and(|of| of.n_members > sources.len());
        if n_bytes < SMALL || lacks_some {
            let sampling = manifest.sources[sources[0]].sampling;
            by_sampling.entry(sampling).or_default().push((n_bytes, lacks_some, sources));
        }
    }
    let mut batches = Vec::new();
    for mut units in by_sampling.into_values() {
        units.sort();
        let mut batch: Vec<usize> = Vec::new();
        let (mut n_bytes, mut n_units, mut must) = (0, 0, false);
        let mut end = |batch: &mut Vec<usize>, n_units: usize, must: bool| {
            let mut done = std::mem::take(batch);
            if n_units > 1 || must {
                // In the order of the manifest: the same sources make the same bytes.
                done.sort_unstable();
                batches.push(done);
            }
        };
        for (len, lacks_some, sources) in units {
            if n_bytes + len > MAX_MERGED || batch.len() + sources.len() > MAX_MEMBERS {
                end(&mut batch, n_units, must);
                (n_bytes, n_units, must) = (0, 0, false);
            }
            n_bytes += len;
            n_units += 1;
            must |= lacks_some;
            batch.extend(sources);
        }
        end(&mut batch, n_units, must);
    }
    batches
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
    let is_part = |of: &Source| of.part.as_ref().is_none_or(|part| is_hex(&part.of, 64));
    let is_sound = |of: &Source| is_hex(&of.key, 16) && is_hex(&of.segment, 64) && is_hex(&of.index, 64) && is_part(of);
    let is_whole = |of: &MergedObject| is_hex(&of.segment, 64) && is_hex(&of.index, 64);
    let sources = manifest.sources.iter().chain(manifest.removed.iter().map(|of| &of.source));
    let merged = manifest.merged.iter().chain(manifest.dropped.iter().map(|of| &of.merged));
    if is_name(&manifest.name) && sources.into_iter().all(is_sound) && merged.into_iter().all(is_whole) {
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
        let opened = each(&manifest.sources, |source| {
            self.index((&source.index, source.index_len), folder, |index, near| {
                let (object, start) = source.place();
                let blocks = self.parts(object, start, &index);
                Ok((CorpusSegment::of_index(near, Box::new(blocks))?, index))
            })
        });
        let opened: Vec<(CorpusSegment, Arc<Segment>)> = opened.into_iter().collect::<Result<_, CorpusError>>()?;
        let (segments, indexes) = opened.into_iter().unzip();
        let merged = each(&manifest.merged, |of| self.merged(of, folder));
        let merged: Vec<Merged> = merged.into_iter().collect::<Result<_, CorpusError>>()?;
        let mut parts = Vec::with_capacity(manifest.sources.len());
        for source in &manifest.sources {
            let Some(part) = &source.part else {
                parts.push(None);
                continue;
            };
            let at = manifest.merged.iter().position(|of| of.segment == part.of);
            let missing = || self.location.fails(format!("its manifest lacks the segment of `{}`", source.label));
            parts.push(Some((at.ok_or_else(missing)?, part.member)));
        }
        let digests = manifest.sources.iter().map(|of| &of.index).chain(manifest.merged.iter().map(|of| &of.index));
        let kept = digests.map(|digest| folder.join(format!("{digest}.seg"))).collect();
        let sources = manifest.sources.into_iter().map(|source| (source.label, source.stats)).collect();
        let lookups = Box::new(Filtered { indexes, merged, parts, kept });
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
            removed: Vec::new(),
            merged: Vec::new(),
            dropped: Vec::new(),
        };
        let mut manifest = known.unwrap_or_else(new);
        let named = manifest.objects();
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
            self.upload(&segment_name(&digest), &path, len, &named)?;
            self.upload(&index_name(&index_digest), &index, index_len, &named)?;
            let source = Source {
                key: key.clone(),
                label: record.label.clone(),
                stats: record.stats,
                segment: digest,
                len,
                index: index_digest,
                index_len,
                sampling: segment.sampling(),
                part: None,
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

    fn compact(&self, older: Duration) -> Result<Compaction, CorpusError> {
        let mut manifest = self.newest()?.map_or_else(|| self.known_manifest(), Ok)?;
        let before = manifest.objects();
        let n_merged = self.merge_small(&mut manifest)?;
        let last = now().saturating_sub(older.as_secs());
        let (gone, kept): (Vec<Removed>, Vec<Removed>) = manifest.removed.into_iter().partition(|of| of.time <= last);
        manifest.removed = kept;
        manifest.dropped.retain(|of| of.time > last);
        let after = manifest.objects();
        // A source that was merged is there all the same.
        let is_here = |of: &Removed| manifest.sources.iter().any(|source| source.segment == of.source.segment);
        let compaction = Compaction { n_removed: gone.iter().filter(|of| !is_here(of)).count(), n_merged };
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
            self.download_segment(source, &path)?;
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
    /// Where it begins in the object.
    start: u64,
    index: Arc<Segment>,
}

impl Parts {
    /// The bytes of blocks that follow each other, each of which has the digest that the index says.
    async fn read_run(&self, run: &[BlockAt]) -> Result<Vec<Vec<u8>>, SegmentError> {
        let (Some(first), Some(last)) = (run.first(), run.last()) else { return Ok(Vec::new()) };
        let digests = self.index.section(INDEX.digests)?;
        let mut tries = 1;
        loop {
            let range = self.start + first.range.start..self.start + last.range.end;
            let bytes = self.session.part(&self.key, range).await?;
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
    merged: Vec<Merged>,
    /// For each segment the merged one that it is part of, and its number in it.
    parts: Vec<Option<(usize, u16)>>,
    /// The files of all indexes.
    kept: Vec<PathBuf>,
}

/// What is asked at once: a segment, or a merged one with those of its members that count.
enum Unit<'s> {
    One(usize, &'s CorpusSegment),
    Merged(&'s Merged, BTreeMap<u16, (usize, &'s CorpusSegment)>),
}

/// For each key that may be there its place among those that are asked, and the blobs.
type Answer = Result<Vec<(usize, Vec<BlobPosting>)>, SegmentError>;

impl Filtered {
    fn units<'s>(&'s self, asked: &Asked<'s>) -> Vec<Unit<'s>> {
        let (mut units, mut merged) = (Vec::new(), BTreeMap::new());
        for &(number, segment) in asked {
            match self.parts.get(number).copied().flatten() {
                None => units.push(Unit::One(number, segment)),
                Some((of, member)) => {
                    merged.entry(of).or_insert_with(BTreeMap::new).insert(member, (number, segment));
                }
            }
        }
        let merged = merged.into_iter().filter_map(|(of, members)| Some(Unit::Merged(self.merged.get(of)?, members)));
        units.extend(merged);
        units
    }

    fn answer(&self, unit: &Unit<'_>, keys: &[u64]) -> Answer {
        match unit {
            Unit::One(number, segment) => {
                let index = self.indexes.get(*number).ok_or(SegmentError::Damaged("the number of a segment"))?;
                let (places, passed): (Vec<usize>, Vec<u64>) = passing(index, keys)?.into_iter().unzip();
                segment.read_postings_ahead(&passed)?;
                let found = SegmentLookups.postings(&[(*number, *segment)], &passed)?;
                Ok(places.into_iter().zip(found).collect())
            }
            Unit::Merged(merged, members) => {
                let found = merged.postings(keys)?.into_iter();
                found.map(|(place, found)| Ok((place, of_members(&found, members)?))).collect()
            }
        }
    }
}

/// The blobs of the members that count, of each as many as its own segment would answer.
fn of_members(
    found: &[(u16, u32)],
    members: &BTreeMap<u16, (usize, &CorpusSegment)>,
) -> Result<Vec<BlobPosting>, SegmentError> {
    let mut blobs = Vec::new();
    for of_member in found.chunk_by(|a, b| a.0 == b.0) {
        // The member was removed, or is not asked for.
        let Some((number, segment)) = members.get(&of_member[0].0) else { continue };
        for &(_, blob) in of_member.iter().take(MAX_BLOBS) {
            blobs.push(BlobPosting { segment: *number, blob, component: segment.component_of(blob)? });
        }
    }
    Ok(blobs)
}

impl Filtered {
    /// An index that was damaged since it was downloaded is found out when a block of it is read. It is removed, so that
    /// the next run downloads it again.
    fn removing_what_is_damaged(&self, why: SegmentError) -> SegmentError {
        let is_damaged = |path: &PathBuf| {
            let checked = Segment::open(path).and_then(|index| index.verify());
            checked.is_err_and(|why| why.is_damage())
        };
        match self.kept.iter().filter(|_| why.is_damage()).find(|path| is_damaged(path)) {
            Some(path) => {
                let _ = std::fs::remove_file(path);
                let why = "it was damaged and has been removed; run this again to download it";
                SegmentError::File { file: path.clone(), why: std::io::Error::other(why) }
            }
            None => why,
        }
    }
}

impl Lookups for Filtered {
    fn postings(&self, asked: &Asked<'_>, keys: &[u64]) -> Result<Vec<Vec<BlobPosting>>, SegmentError> {
        let mut found = vec![Vec::new(); keys.len()];
        for answer in each(&self.units(asked), |unit| self.answer(unit, keys)) {
            for (place, blobs) in answer.map_err(|why| self.removing_what_is_damaged(why))? {
                found[place].extend(blobs);
            }
        }
        // Members of merged segments come between others.
        found.iter_mut().for_each(|of_key| of_key.sort_unstable());
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
