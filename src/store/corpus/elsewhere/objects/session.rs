//! Connects to an object store: reads in ranges, verified and repeated, uploads and deletes.

use std::collections::BTreeSet;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt};
use object_store::path::Path as Key;
use object_store::{
    BackoffConfig, ClientOptions, Error, ObjectMeta, ObjectStore, ObjectStoreExt,
    ObjectStoreScheme, PutMode, PutOptions, RetryConfig,
};
use sha2::{Digest, Sha256};
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;

use super::Objects;
use super::manifest::{FOLDERS, Object, PART, now};
use crate::store::corpus::elsewhere::Traffic;
use crate::store::corpus::elsewhere::connection::{runtime, with_causes};
use crate::store::corpus::indexes::{DIGEST, IndexId, digest};
use crate::store::corpus::{CorpusError, finish, hex, temporary_in};
use crate::store::{BlockAt, Blocks, Result, Segment, SegmentError};
use crate::text::MAX_MADE;

/// Maximum requests at a time. With 256, a look-up of a thousand keys took half the time that it
/// took with 64.
const PARALLEL: usize = 256;
/// Maximum bytes of a read; blocks that follow each other are read at once.
const MAX_READ: u64 = 1 << 20;
/// How often to read what does not come, or is not what it should be.
const TRIES: usize = 3;
/// Maximum time that a store may be silent while it is asked. An answer has [`MAX_READ`] bytes at
/// most.
const ANSWERING: Duration = Duration::from_secs(20);
/// Maximum time for a request of a writer, which has [`PART`] bytes at most.
const WRITING: Duration = Duration::from_secs(120);
/// Maximum parts of an upload at a time.
const UPLOADS: usize = 8;
/// Maximum pieces of a download at a time.
const DOWNLOADS: usize = 16;
/// Maximum age, in seconds, of an object that a push before this one left: half of what `compact`
/// waits by default.
const RESUMED: u64 = 30 * 60;

pub(super) struct Session {
    pub runtime: Runtime,
    store: Box<dyn ObjectStore>,
    folder: Key,
    place: String,
    pub traffic: Arc<Traffic>,
    /// One for each request that may be under way.
    permits: Semaphore,
    /// The reads that were answered.
    n_answered: AtomicU64,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("place", &self.place).finish_non_exhaustive()
    }
}

/// The store that a URL means, with the credentials of the environment, and the folder in it.
fn store_of(url: &str) -> Result<(Box<dyn ObjectStore>, Key), Error> {
    // Both crates of providers may be built in; which one is meant has to be said once.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let url = url::Url::parse(url).map_err(|why| generic("URL", why))?;
    let (scheme, folder) = ObjectStoreScheme::parse(&url).map_err(|why| generic("URL", why))?;
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
        backoff: BackoffConfig {
            init_backoff: Duration::from_millis(100),
            ..BackoffConfig::default()
        },
        max_retries: 4,
        retry_timeout: WRITING,
    };
    macro_rules! store {
        ($builder:expr, $url:expr) => {{
            let builder = $builder.with_url($url).with_client_options(options).with_retry(retry);
            Box::new(builder.build()?)
        }};
    }
    let store: Box<dyn ObjectStore> = match scheme {
        // With the last part of an object its folder goes.
        ObjectStoreScheme::Local => {
            Box::new(object_store::local::LocalFileSystem::new().with_automatic_cleanup(true))
        }
        ObjectStoreScheme::AmazonS3 => {
            store!(object_store::aws::AmazonS3Builder::from_env(), url.to_string())
        }
        ObjectStoreScheme::GoogleCloudStorage => {
            store!(object_store::gcp::GoogleCloudStorageBuilder::from_env(), url.to_string())
        }
        ObjectStoreScheme::MicrosoftAzure => {
            store!(object_store::azure::MicrosoftAzureBuilder::from_env(), url.to_string())
        }
        _ => store!(object_store::http::HttpBuilder::new(), &url[..url::Position::BeforePath]),
    };
    Ok((store, folder))
}

fn generic(store: &'static str, why: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::Generic { store, source: why.into() }
}

/// What a store says of an error, without the address that was asked: it may hold a token.
fn reason(why: &Error) -> String {
    match why {
        Error::NotFound { path, .. } => format!("there is no object `{path}`"),
        Error::PermissionDenied { path, .. } => format!("no permission for `{path}`"),
        Error::Unauthenticated { path, .. } => format!("no valid credentials for `{path}`"),
        why => without_query(&with_causes(why)),
    }
}

fn part_of(file: &Path, start: u64, len: u64) -> std::io::Result<Vec<u8>> {
    let mut file = crate::files::open(file)?;
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = vec![0; len as usize];
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// A text in which what follows the `?` of an address is left out, and what is before its `@`.
fn without_query(text: &str) -> String {
    let words = text.split(' ').map(|word| {
        let Some(start) = word.find("://") else { return word.to_owned() };
        let end = word.find('?').unwrap_or(word.len());
        match word[..end].rfind('@') {
            Some(at) if start < at => format!("{}{}", &word[..start + 3], &word[at + 1..end]),
            _ => word[..end].to_owned(),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

impl Objects {
    /// Uploads a file as `object`, but for the parts that are there: named by a manifest, or from a
    /// push just now that did not come to an end. Older ones may be swept away while this goes on.
    pub(super) fn upload(
        &self,
        object: &Object,
        file: &Path,
        named: &BTreeSet<String>,
    ) -> Result<(), CorpusError> {
        let session = &self.session;
        let put = async |(number, range): (u64, Range<u64>)| {
            let (name, len) = (object.part(number), range.end);
            let key = session.key(&name);
            if let Ok(there) = session.store.head(&key).await {
                let age = now()
                    .saturating_sub(u64::try_from(there.last_modified.timestamp()).unwrap_or(0));
                if there.size == len && (named.contains(&name) || age < RESUMED) {
                    return Ok(());
                }
            }
            let bytes = part_of(file, number * PART, len).map_err(|why| generic("file", why))?;
            session.store.put(&key, bytes.into()).await.map(drop)
        };
        let parts =
            futures_util::stream::iter(Object::parts(0..object.len)).map(put).buffered(UPLOADS);
        let done = session.runtime.block_on(parts.try_collect::<()>());
        done.map_err(|why| self.location.fails(reason(&why)))
    }

    /// Downloads an object to `to`, in pieces side by side, and compares its digest.
    pub(super) fn download(&self, object: &Object, to: &Path) -> Result<(), CorpusError> {
        let session = &self.session;
        let parent = to.parent().unwrap_or(Path::new("."));
        let mut temporary = std::fs::create_dir_all(parent)
            .and_then(|()| temporary_in(parent))
            .map_err(CorpusError::file(to))?;
        let mut hasher = Sha256::new();
        session.runtime.block_on(async {
            let starts = (0..object.len).step_by(MAX_READ as usize);
            let pieces =
                starts.map(|start| session.read(object, start..object.len.min(start + MAX_READ)));
            let mut pieces = futures_util::stream::iter(pieces).buffered(DOWNLOADS);
            while let Some(bytes) =
                pieces.try_next().await.map_err(|why| self.location.fails_with(why))?
            {
                hasher.update(&bytes);
                std::io::Write::write_all(&mut temporary, &bytes).map_err(CorpusError::file(to))?;
            }
            Ok::<_, CorpusError>(())
        })?;
        if hex(&hasher.finalize()) != object.digest {
            return Err(self.location.fails(format!(
                "`{object}` is not what its name says: it is damaged or truncated"
            )));
        }
        finish(temporary, to).map_err(CorpusError::file(to))
    }

    /// Deletes the objects that are not `named` and are from before `last`: those of sources that
    /// were removed or merged, and what writers uploaded who did not come to an end.
    pub(super) fn sweep(&self, named: &BTreeSet<String>, last: u64) -> Result<(), CorpusError> {
        let session = &self.session;
        for folder in FOLDERS {
            let all = session.store.list(Some(&session.key(folder)));
            let all = session.runtime.block_on(all.try_collect::<Vec<ObjectMeta>>());
            for object in all.map_err(|why| self.location.fails(reason(&why)))? {
                let parts = object.location.prefix_match(&session.folder).into_iter().flatten();
                let name = parts.map(|part| part.as_ref().to_owned()).collect::<Vec<_>>().join("/");
                let is_old =
                    u64::try_from(object.last_modified.timestamp()).is_ok_and(|time| time <= last);
                if !is_old || named.contains(&name) {
                    continue;
                }
                match session.runtime.block_on(session.store.delete(&object.location)) {
                    Ok(()) | Err(Error::NotFound { .. }) => {}
                    Err(why) => return Err(self.location.fails(reason(&why))),
                }
            }
        }
        Ok(())
    }
}

impl Session {
    /// The connection that `url` leads to, which messages call `place`.
    pub fn new(url: &str, place: String) -> Result<Self, String> {
        let (store, folder) = store_of(url).map_err(|why| reason(&why))?;
        let runtime = runtime(2).map_err(|why| why.to_string())?;
        let (traffic, permits) = (Arc::default(), Semaphore::new(PARALLEL));
        Ok(Self { runtime, store, folder, place, traffic, permits, n_answered: AtomicU64::new(0) })
    }

    pub fn key(&self, name: &str) -> Key {
        let parts = name.split('/');
        parts.fold(self.folder.clone(), Key::join)
    }

    pub fn fails(&self, why: impl std::fmt::Display) -> SegmentError {
        SegmentError::Elsewhere { place: self.place.clone(), why: why.to_string() }
    }

    async fn read(&self, object: &Object, range: Range<u64>) -> Result<Vec<u8>> {
        let mut read = Vec::with_capacity((range.end - range.start) as usize);
        // Pieces are far smaller than parts: hardly one in a hundred has bytes of two.
        for (number, range) in Object::parts(range) {
            read.extend(self.read_part(&self.key(&object.part(number)), range).await?);
        }
        Ok(read)
    }

    async fn read_part(&self, key: &Key, range: Range<u64>) -> Result<Vec<u8>> {
        let len = range.end - range.start;
        let read = async || {
            let bytes =
                self.store.get_range(key, range.clone()).await.map_err(|why| reason(&why))?;
            if bytes.len() as u64 == len {
                Ok(bytes.to_vec())
            } else {
                Err(format!("`{key}` is truncated"))
            }
        };
        let bytes = self.tried(key, read).await?;
        self.traffic.count(len);
        Ok(bytes)
    }

    /// Makes the object `name`; whether it did, since there was none.
    pub async fn create(&self, name: &str, bytes: Vec<u8>) -> Result<bool> {
        let create = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
        match self.store.put_opts(&self.key(name), bytes.into(), create).await {
            Ok(_) => Ok(true),
            Err(Error::AlreadyExists { .. } | Error::Precondition { .. }) => Ok(false),
            Err(why) => Err(self.fails(reason(&why))),
        }
    }

    /// Makes the object `name`, or replaces it.
    pub async fn put(&self, name: &str, bytes: Vec<u8>) -> Result<()> {
        let put = self.store.put(&self.key(name), bytes.into()).await;
        put.map(drop).map_err(|why| self.fails(reason(&why)))
    }

    /// Reads the object `name`, which is a manifest, if there is one.
    pub async fn whole(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let key = &self.key(name);
        let read = async || match self.store.get(key).await {
            Err(Error::NotFound { .. }) => Ok(None),
            Err(why) => Err(reason(&why)),
            Ok(found) if found.meta.size > MAX_MADE => Err("its manifest is too long".to_owned()),
            Ok(found) => Ok(Some(found.bytes().await.map_err(|why| reason(&why))?.to_vec())),
        };
        let found = self.tried(key, read).await?;
        self.traffic.count(found.as_ref().map_or(0, Vec::len) as u64);
        Ok(found)
    }

    /// Reads, again if it fails or the store is silent.
    async fn tried<T>(&self, key: &Key, read: impl AsyncFn() -> Result<T, String>) -> Result<T> {
        let _permit = self.permits.acquire().await.map_err(|why| self.fails(why))?;
        let mut tries = 1;
        loop {
            let why = match self.answer(key, read()).await {
                Ok(found) => return Ok(found),
                Err(why) => why,
            };
            if tries == TRIES {
                return Err(self.fails(why));
            }
            tries += 1;
        }
    }

    /// Waits for an answer, for as long as the store answers any read: it may take one after the
    /// other, and to ask it again would make those that wait more.
    async fn answer<T>(
        &self,
        key: &Key,
        read: impl Future<Output = Result<T, String>>,
    ) -> Result<T, String> {
        let mut read = pin!(read);
        loop {
            let n_before = self.n_answered.load(Ordering::Relaxed);
            if let Ok(answer) = tokio::time::timeout(ANSWERING, &mut read).await {
                self.n_answered.fetch_add(1, Ordering::Relaxed);
                return answer;
            }
            if self.n_answered.load(Ordering::Relaxed) == n_before {
                return Err(format!("no answer for `{key}` in {} s", ANSWERING.as_secs()));
            }
        }
    }
}

/// The blocks of a segment or of a table.
#[derive(Debug)]
pub(super) struct ObjectBlocks {
    pub session: Arc<Session>,
    pub object: Object,
    /// What has the digests of its blocks, but for those that are skipped.
    pub index: Arc<Segment>,
    pub skipped: Range<u32>,
}

impl ObjectBlocks {
    /// The row of the digest of a block.
    fn row_of(&self, block: &BlockAt) -> Result<usize> {
        match block.number {
            number if number < self.skipped.start => Ok(number as usize),
            number if number >= self.skipped.end => {
                Ok((number - self.skipped.end + self.skipped.start) as usize)
            }
            _ => Err(SegmentError::Damaged("a block that nobody may ask for")),
        }
    }

    /// The bytes of blocks that follow each other, each of which has the digest that the index
    /// says.
    async fn read_run(&self, run: &[BlockAt]) -> Result<Vec<Vec<u8>>> {
        let (Some(first), Some(last)) = (run.first(), run.last()) else { return Ok(Vec::new()) };
        let digests = self.index.section(IndexId::Digests)?;
        let mut tries = 1;
        loop {
            let bytes = self.session.read(&self.object, first.range.start..last.range.end).await?;
            let mut blocks = Vec::with_capacity(run.len());
            for block in run {
                let [start, end] = [block.range.start, block.range.end]
                    .map(|offset| (offset - first.range.start) as usize);
                let bytes = &bytes[start..end];
                if digest(bytes) == *digests.row(self.row_of(block)?, DIGEST)? {
                    blocks.push(bytes.to_vec());
                }
            }
            if blocks.len() == run.len() {
                return Ok(blocks);
            }
            if tries == TRIES {
                let Range { start, end } = first.range.start..last.range.end;
                return Err(self
                    .session
                    .fails(format!("bytes {start} to {end} of `{}` are damaged", self.object)));
            }
            tries += 1;
        }
    }
}

impl Blocks for ObjectBlocks {
    fn read(&self, blocks: &[BlockAt]) -> Result<Vec<Vec<u8>>> {
        let mut runs: Vec<&[BlockAt]> = Vec::new();
        let mut rest = blocks;
        while let Some(first) = rest.first() {
            let following = rest.windows(2).take_while(|pair| {
                pair[0].range.end == pair[1].range.start
                    && pair[1].range.end - first.range.start <= MAX_READ
            });
            let (run, later) = rest.split_at(1 + following.count());
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

#[cfg(test)]
mod tests {
    use tokio::runtime::Builder;
    use tokio::sync::Mutex;
    use tokio::time::{Instant, sleep};

    use super::super::super::Location;
    use super::*;

    /// Reads as often as reads may be at a time, each of which `read` answers; returns what they
    /// met, and the seconds that passed for them.
    fn read_all<F: Future<Output = ()>>(read: impl Fn() -> F) -> (Vec<Result<()>>, u64) {
        // Its clock leaps to the next moment at which something happens.
        let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.expect("there are threads").block_on(async {
            let session = Session::new("file:///none", "file:///none".to_owned())
                .expect("a folder needs no connection");
            let (key, start) = (session.key("table"), Instant::now());
            let read = async || {
                read().await;
                Ok(())
            };
            let all =
                futures_util::future::join_all((0..PARALLEL).map(|_| session.tried(&key, read)))
                    .await;
            let took = start.elapsed().as_secs();
            // A runtime may not end within another one.
            std::mem::forget(session);
            (all, took)
        })
    }

    #[test]
    fn a_store_that_answers_one_read_after_the_other_is_waited_for() {
        let turns = Arc::new(Mutex::new(()));
        let (all, took) = read_all(|| {
            let turns = Arc::clone(&turns);
            // It goes on with what nobody waits for any more.
            let answer = tokio::spawn(async move {
                let _turn = turns.lock().await;
                sleep(Duration::from_millis(300)).await;
            });
            async { answer.await.expect("it ends") }
        });
        assert!(all.iter().all(Result::is_ok));
        assert_eq!(took, 300 * PARALLEL as u64 / 1_000);
    }

    #[test]
    fn a_store_that_is_silent_is_asked_three_times() {
        let (all, took) = read_all(std::future::pending);
        assert!(
            all.iter()
                .all(|read| read.as_ref().is_err_and(|why| why.to_string().contains("in 20 s")))
        );
        assert_eq!(took, 60);
    }

    #[test]
    fn an_object_is_stored_in_parts_and_read_across_them() {
        let folder = tempfile::TempDir::new().expect("the folder for temporary files is writable");
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        let bytes: Vec<u8> =
            (0..9_000_000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        std::fs::write(&from, &bytes).expect("the folder is writable");
        let location =
            Location::new(&format!("file:{}/store", folder.path().display())).expect("it is a URL");
        let objects = Objects::new(&location).expect("a folder needs no connection");
        let object = Object::segment(&hex(&Sha256::digest(&bytes)), bytes.len() as u64);
        let part = |number: u64| folder.path().join("store").join(object.part(number));
        objects.upload(&object, &from, &BTreeSet::new()).expect("the folder is writable");
        let len = |number: u64| std::fs::metadata(part(number)).map(|found| found.len()).ok();
        assert_eq!(
            [0, 1, 2, 3].map(len),
            [Some(PART), Some(PART), Some(9_000_000 - 2 * PART), None]
        );
        let read = |range: Range<u64>| {
            objects.session.runtime.block_on(objects.session.read(&object, range))
        };
        for (start, end) in [
            (0, 1),
            (PART - 3, PART + 5),
            (PART, PART + 1),
            (PART - 1, 2 * PART + 1),
            (8_999_999, 9_000_000),
        ] {
            assert_eq!(read(start..end).expect("it is there"), bytes[start as usize..end as usize]);
        }
        read(8_999_999..9_000_001).expect_err("it ends before");
        // What a push before left is not written again; what it lacks is.
        std::fs::remove_file(part(1)).expect("it was written");
        let before =
            std::fs::metadata(part(0)).and_then(|found| found.modified()).expect("it was written");
        objects.download(&object, &to).expect_err("a part of it is missing");
        objects.upload(&object, &from, &BTreeSet::new()).expect("the folder is writable");
        assert_eq!(
            std::fs::metadata(part(0)).and_then(|found| found.modified()).expect("it is there"),
            before
        );
        objects.download(&object, &to).expect("it is whole");
        assert_eq!(std::fs::read(&to).expect("it was downloaded"), bytes);
        // Whatever is older and not named goes, and with it its folder.
        objects.sweep(&[object.part(0)].into(), now() + 1).expect("the folder is writable");
        assert_eq!([0, 1, 2].map(len), [Some(PART), None, None]);
        objects.sweep(&BTreeSet::new(), now() + 1).expect("the folder is writable");
        assert!(!folder.path().join("store/segments").join(&object.digest).exists());
    }

    #[test]
    fn a_message_shows_no_token_of_an_address() {
        let shown = without_query(
            "error sending request for url (https://u:secret@host/a?sig=secret) after 3 tries",
        );
        assert_eq!(shown, "error sending request for url (https://host/a after 3 tries");
        assert_eq!(without_query("no address at all"), "no address at all");
    }
}
