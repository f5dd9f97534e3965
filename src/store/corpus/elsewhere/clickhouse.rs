//! Keeps a corpus in ClickHouse: tables in the order of hashes, asked with `IN` and never joined.
//!
//! ClickHouse has no transactions. A source gets a number that no other has, and its row in
//! `sources` is written last: what that table does not name is not seen. The row with the latest
//! time counts. `docs/scale.md` describes the tables.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clickhouse::{Client, Row};
use serde::{Deserialize, Serialize};
use tokio::runtime::Runtime;

use super::connection::{runtime, with_causes};
use super::tables::{
    ANSWERING, BlobOf, Database, SourceOf, TRIES, WRITING, is_local, no_segments, opened,
};
use super::{Compaction, Delivery, Engine, Location, OpenCorpus, Traffic};
use crate::files::BlobId;
use crate::store::corpus::lookups::MAX_BLOBS;
use crate::store::corpus::rows::PostingRow;
use crate::store::corpus::{Corpus, CorpusError, Shelf, hex};
use crate::store::{BlockAt, Result, SegmentError};
use crate::text::percent_decoded;

/// The version of the tables. It increases when they change, and a program refuses those of another
/// version.
const VERSION: u32 = 1;
/// The database, unless the URL names one.
const DATABASE: &str = "secondhand";
/// Maximum values of one `IN`: a query is a text, of which a server reads 256 KB at most.
const MAX_VALUES: usize = 8_000;

/// Bytes, which this format keeps as a text.
#[derive(Debug, Clone)]
struct Text(Vec<u8>);

impl Serialize for Text {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl serde::de::Visitor<'_> for Bytes {
            type Value = Text;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("bytes")
            }
            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Text, E> {
                Ok(Text(bytes.to_vec()))
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}

#[derive(Debug, Row, Serialize, Deserialize)]
struct SourceRow {
    source: u64,
    key: String,
    label: String,
    digest: String,
    stats: String,
    head: Text,
    removed: u8,
    changed: u64,
}

#[derive(Debug, Row, Serialize, Deserialize)]
struct KeyRow {
    key: u64,
    source: u64,
    blob: u32,
    component: u32,
}

#[derive(Debug, Row, Serialize, Deserialize)]
struct IdRow {
    id: Text,
    source: u64,
    blob: u32,
}

#[derive(Debug, Row, Serialize, Deserialize)]
struct BlockRow {
    source: u64,
    start: u64,
    checksum: u32,
    bytes: Text,
}

#[derive(Debug, Row, Deserialize)]
struct NumberRow {
    source: u64,
}

#[derive(Debug, Row, Serialize, Deserialize)]
struct VersionRow {
    version: u32,
    corpus: String,
}

/// What tables there are, and whether the settings let the server leave out the rest of an answer
/// without a word.
const STATE: &str = "SELECT version, corpus, assumeNotNull((SELECT count() FROM system.settings \
    WHERE name LIKE '%overflow_mode' AND value = 'break')) AS cutting FROM {db}.version";

#[derive(Debug, Row, Deserialize)]
struct StateRow {
    version: u32,
    corpus: String,
    cutting: u64,
}

/// The tables of a corpus, one statement each.
const TABLES: [&str; 5] = [
    "CREATE TABLE IF NOT EXISTS {db}.version (version UInt32, corpus String) ENGINE = MergeTree ORDER BY version",
    "CREATE TABLE IF NOT EXISTS {db}.sources (source UInt64, key String, label String, digest String, stats String, \
     head String, removed UInt8, changed UInt64) ENGINE = ReplacingMergeTree(changed) ORDER BY source",
    "CREATE TABLE IF NOT EXISTS {db}.postings (key UInt64, source UInt64, blob UInt32, component UInt32) \
     ENGINE = MergeTree ORDER BY (key, source, blob) SETTINGS index_granularity = 512",
    "CREATE TABLE IF NOT EXISTS {db}.blobs (id String, source UInt64, blob UInt32) \
     ENGINE = MergeTree ORDER BY (id, source) SETTINGS index_granularity = 512",
    "CREATE TABLE IF NOT EXISTS {db}.blocks (source UInt64, start UInt64, checksum UInt32, bytes String) \
     ENGINE = MergeTree ORDER BY (source, start) SETTINGS index_granularity = 256, index_granularity_bytes = 131072",
];

pub(super) struct ClickHouse {
    location: Location,
    session: Arc<Session>,
}

struct Session {
    runtime: Runtime,
    client: Client,
    database: String,
    place: String,
    traffic: Arc<Traffic>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("place", &self.place).finish_non_exhaustive()
    }
}

impl ClickHouse {
    pub fn new(location: &Location) -> Result<Self, CorpusError> {
        let url = url::Url::parse(&location.url).map_err(|why| location.fails(why))?;
        let host = url.host_str().ok_or_else(|| location.fails("it names no host"))?;
        let name = url.path().trim_matches('/');
        let database = if name.is_empty() { DATABASE } else { name }.to_owned();
        if !database.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            return Err(location.fails("a database is named by letters, digits and `_`"));
        }
        // Over a network nobody may listen, unless the user says so.
        let is_secure = match url.query() {
            None => !is_local(host.trim_matches(['[', ']'])),
            Some("secure=true") => true,
            Some("secure=false") => false,
            Some(_) => {
                let why = "the only parameters are `secure=true` and `secure=false`";
                return Err(location.fails(why));
            }
        };
        let (scheme, port) = if is_secure { ("https", 8443) } else { ("http", 8123) };
        let port = url.port().unwrap_or(port);
        let mut client = Client::default().with_url(format!("{scheme}://{host}:{port}"));
        if !url.username().is_empty() {
            client = client.with_user(decoded(location, url.username())?);
        }
        let password = url.password().map(|text| decoded(location, text)).transpose()?;
        let of_variable = std::env::var("CLICKHOUSE_PASSWORD").ok();
        if let Some(password) = password.or(of_variable) {
            client = client.with_password(password);
        }
        let runtime = runtime(1).map_err(|why| location.fails(why))?;
        let place = location.to_string();
        let session =
            Arc::new(Session { runtime, client, database, place, traffic: Arc::default() });
        Ok(Self { location: location.clone(), session })
    }

    /// Writes the row of a source as it is from now on.
    fn put(&self, row: SourceRow) -> Result<()> {
        self.session
            .insert("sources", std::iter::once(Ok(SourceRow { changed: now(), ..row })))
            .map(drop)
    }
}

/// A user or password; what is not encoded is as it is.
fn decoded(location: &Location, text: &str) -> Result<String, CorpusError> {
    let bytes = percent_decoded(text).unwrap_or_else(|| text.into());
    String::from_utf8(bytes).map_err(|_| location.fails("its user is no UTF-8"))
}

/// Nanoseconds since 1970: later writes count, and no two sources have one number.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos() as u64
}

/// The number that a server gives of an error: `Code: 60. DB::Exception: ...`.
fn code_of(why: &str) -> Option<u32> {
    let (_, rest) = why.split_once("Code: ")?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

fn no_answer() -> String {
    format!("no answer in {} s", ANSWERING.as_secs())
}

/// Numbers, as `IN` takes them.
fn list<T: std::fmt::Display>(values: impl IntoIterator<Item = T>) -> String {
    values.into_iter().map(|value| value.to_string()).collect::<Vec<_>>().join(",")
}

impl Session {
    fn sql(&self, text: &str) -> String {
        text.replace("{db}", &self.database)
    }

    fn run(&self, sql: &str) -> Result<()> {
        // A `?` is a value to be bound, and none of these has one.
        let query = self.client.query(&self.sql(sql));
        let answer = async { tokio::time::timeout(ANSWERING, query.execute()).await };
        match self.runtime.block_on(answer) {
            Ok(done) => done.map_err(|why| self.fails(with_causes(&why))),
            Err(_) => Err(self.fails(no_answer())),
        }
    }

    fn ask<T: Row + for<'de> Deserialize<'de>>(
        &self,
        sql: &str,
        n_bytes: fn(&T) -> usize,
    ) -> Result<Vec<T>> {
        let sql = self.sql(sql);
        let mut tries = 1;
        loop {
            // Else the server begins to answer before it knows whether it can, and what it says
            // then is like a row.
            let query = self.client.query(&sql).with_option("wait_end_of_query", "1");
            let answer = async { tokio::time::timeout(ANSWERING, query.fetch_all::<T>()).await };
            match self.runtime.block_on(answer) {
                Ok(Ok(rows)) => {
                    self.traffic.count(rows.iter().map(n_bytes).sum::<usize>() as u64);
                    return Ok(rows);
                }
                // A network may be there again soon.
                Ok(Err(clickhouse::error::Error::Network(_))) if tries < TRIES => {
                    std::thread::sleep(Duration::from_millis(250) * tries);
                    tries += 1;
                }
                Ok(Err(why)) => return Err(self.fails(with_causes(&why))),
                Err(_) => return Err(self.fails(no_answer())),
            }
        }
    }

    fn insert<T: Row + Serialize>(
        &self,
        table: &str,
        rows: impl Iterator<Item = Result<T>>,
    ) -> Result<u64> {
        self.runtime.block_on(async {
            let fails = |why: clickhouse::error::Error| self.fails(with_causes(&why));
            let mut insert =
                self.client.insert(&format!("{}.{table}", self.database)).map_err(fails)?;
            insert = insert.with_timeouts(Some(ANSWERING), Some(WRITING));
            let mut n = 0;
            for row in rows {
                insert.write(&row?).await.map_err(fails)?;
                n += 1;
            }
            insert.end().await.map_err(fails)?;
            Ok(n)
        })
    }

    /// The name of the corpus; `None` if there are no tables.
    fn corpus(&self) -> Result<Option<String>> {
        let rows = match self.ask::<StateRow>(STATE, |_| 32) {
            Ok(rows) => rows,
            // UNKNOWN_TABLE and UNKNOWN_DATABASE.
            Err(SegmentError::Elsewhere { why, .. }) if matches!(code_of(&why), Some(60 | 81)) => {
                return Ok(None);
            }
            Err(why) => return Err(why),
        };
        let Some(StateRow { version, corpus, cutting }) = rows.into_iter().next() else {
            return Ok(None);
        };
        if version != VERSION {
            return Err(self.fails(format!(
                "its tables have version {version}, and this program knows version {VERSION}"
            )));
        }
        if cutting != 0 {
            return Err(self.fails(
                "a setting of this user, an overflow mode, is `break`: answers may be cut off",
            ));
        }
        Ok(Some(corpus))
    }

    /// The sources, removed ones too.
    fn sources(&self) -> Result<Vec<SourceRow>> {
        let select = "SELECT source, key, label, digest, stats, head, removed, changed FROM {db}.sources FINAL";
        self.ask::<SourceRow>(select, |row| row.head.0.len() + row.stats.len() + 100)
    }

    /// Of each key the source that was written last, unless it was removed; in the order of a
    /// shelf.
    fn live(&self) -> Result<Vec<SourceRow>> {
        let mut latest: BTreeMap<String, SourceRow> = BTreeMap::new();
        for row in self.sources()? {
            let is_later = latest
                .get(&row.key)
                .is_none_or(|known| (known.source, known.changed) < (row.source, row.changed));
            if is_later {
                latest.insert(row.key.clone(), row);
            }
        }
        let mut live: Vec<SourceRow> =
            latest.into_values().filter(|row| row.removed == 0).collect();
        live.sort_by(|a, b| (&a.label, &a.key).cmp(&(&b.label, &b.key)));
        Ok(live)
    }
}

const NONE: &str = "there is no corpus in it; `secondhand corpus load NAME URL` makes one";

impl Engine for ClickHouse {
    fn open(&self, _: Option<&Path>) -> Result<OpenCorpus, CorpusError> {
        let session = &self.session;
        let fails = |why: SegmentError| self.location.fails_with(why);
        let name = session.corpus().map_err(fails)?.ok_or_else(|| self.location.fails(NONE))?;
        let rows = session.live().map_err(fails)?.into_iter();
        let rows = rows.map(|SourceRow { source, label, stats, head, .. }| SourceOf {
            source,
            label,
            stats,
            head: head.0,
        });
        opened(&self.location, name, rows.collect(), session, &session.traffic)
    }

    fn add(&self, corpus: &Corpus, readers: Option<&str>) -> Result<Delivery, CorpusError> {
        let session = &self.session;
        let fails = |why: SegmentError| self.location.fails_with(why);
        if session.corpus().map_err(fails)?.is_none() {
            session.run("CREATE DATABASE IF NOT EXISTS {db}").map_err(fails)?;
            TABLES.iter().try_for_each(|table| session.run(table)).map_err(fails)?;
            let row = VersionRow { version: VERSION, corpus: corpus.name().to_owned() };
            session.insert("version", std::iter::once(Ok(row))).map_err(fails)?;
        }
        let live = session.live().map_err(fails)?;
        let mut delivery = Delivery::default();
        for (key, record) in corpus.records()? {
            let (digest, _) = corpus.digest_of_source(&record)?;
            if live.iter().any(|row| row.key == key && row.digest == digest) {
                delivery.n_kept += 1;
                continue;
            }
            let segment = corpus.open_source(&record)?;
            let source = now();
            let postings = segment.posting_rows(MAX_BLOBS);
            let postings =
                postings.map_err(|why| corpus.unusable(&record.label, why))?.map(|row| {
                    let row = row?;
                    Ok(KeyRow { key: row.key, source, blob: row.blob, component: row.component })
                });
            delivery.n_postings += session.insert("postings", postings).map_err(fails)?;
            let ids = segment
                .id_rows()
                .map(|row| row.map(|(id, blob)| IdRow { id: Text(id), source, blob }));
            session.insert("blobs", ids).map_err(fails)?;
            let blocks = segment.block_rows().map_err(|why| corpus.unusable(&record.label, why))?;
            delivery.n_bytes += blocks.iter().map(|(_, bytes)| bytes.len() as u64).sum::<u64>();
            let blocks = blocks.into_iter().map(|(BlockAt { range, .. }, bytes)| {
                let (start, checksum) = (range.start, crc32fast::hash(bytes));
                Ok(BlockRow { source, start, checksum, bytes: Text(bytes.to_vec()) })
            });
            session.insert("blocks", blocks).map_err(fails)?;
            let stats =
                serde_json::to_string(&record.stats).map_err(|why| self.location.fails(why))?;
            let head = segment.head().map_err(|why| corpus.unusable(&record.label, why))?;
            let (head, label, removed, changed) = (Text(head), record.label, 0, 0);
            let row = SourceRow { source, key, label, digest, stats, head, removed, changed };
            self.put(row).map_err(fails)?;
            delivery.n_added += 1;
        }
        if let Some(role) = readers {
            let role = role.replace('`', "");
            session.run(&format!("GRANT SELECT ON {{db}}.* TO `{role}`")).map_err(fails)?;
        }
        Ok(delivery)
    }

    fn remove(&self, labels: &[String]) -> Result<(), CorpusError> {
        let fails = |why: SegmentError| self.location.fails_with(why);
        let live = self.session.live().map_err(fails)?;
        if let Some(label) = labels.iter().find(|label| live.iter().all(|row| row.label != **label))
        {
            return Err(self.location.fails(format!("it has no source `{label}`")));
        }
        for row in live.into_iter().filter(|row| labels.contains(&row.label)) {
            self.put(SourceRow { removed: 1, ..row }).map_err(fails)?;
        }
        Ok(())
    }

    fn compact(&self, older: Duration) -> Result<Compaction, CorpusError> {
        let fails = |why: SegmentError| self.location.fails_with(why);
        let live: Vec<u64> =
            self.session.live().map_err(fails)?.iter().map(|row| row.source).collect();
        let last = now().saturating_sub(older.as_nanos() as u64);
        let all = self.session.sources().map_err(fails)?;
        let gone = all.iter().filter(|row| !live.contains(&row.source) && row.changed <= last);
        let mut gone: Vec<u64> = gone.map(|row| row.source).collect();
        let n_removed = gone.len();
        // What a writer left that did not come to an end: no row names it.
        let named: Vec<u64> = all.iter().map(|row| row.source).collect();
        let written = self
            .session
            .ask::<NumberRow>("SELECT DISTINCT source FROM {db}.postings", |_| 8)
            .map_err(fails)?;
        let written = written.iter().map(|row| row.source);
        gone.extend(written.filter(|source| !named.contains(source) && *source <= last));
        if !gone.is_empty() {
            for table in ["postings", "blobs", "blocks", "sources"] {
                let delete =
                    format!("ALTER TABLE {{db}}.{table} DELETE WHERE source IN ({})", list(&gone));
                self.session.run(&delete).map_err(fails)?;
            }
        }
        Ok(Compaction { n_removed, n_merged: 0 })
    }

    fn pull(&self, _: &Shelf, _: Option<&str>) -> Result<Delivery, CorpusError> {
        Err(no_segments(&self.location))
    }
}

impl Database for Session {
    type Number = u64;

    fn blocks(&self, source: u64, starts: &[u64]) -> Result<Vec<(u64, u32, Vec<u8>)>> {
        let mut rows = Vec::new();
        for some in starts.chunks(MAX_VALUES) {
            let select = format!(
                "SELECT source, start, checksum, bytes FROM {{db}}.blocks WHERE source = {source} AND start IN ({})",
                list(some)
            );
            rows.extend(self.ask::<BlockRow>(&select, |row| row.bytes.0.len() + 20)?);
        }
        Ok(rows.into_iter().map(|row| (row.start, row.checksum, row.bytes.0)).collect())
    }

    fn postings(&self, keys: &[u64], sources: &[u64]) -> Result<Vec<(u64, PostingRow)>> {
        let mut rows = Vec::new();
        for some in keys.chunks(MAX_VALUES) {
            let select = format!(
                "SELECT key, source, blob, component FROM {{db}}.postings WHERE key IN ({}) AND source IN ({})",
                list(some),
                list(sources)
            );
            rows.extend(self.ask::<KeyRow>(&select, |_| 24)?);
        }
        let rows = rows.into_iter().map(|KeyRow { key, source, blob, component }| {
            (source, PostingRow { key, blob, component })
        });
        Ok(rows.collect())
    }

    fn blobs(&self, ids: &[BlobId], sources: &[u64]) -> Result<Vec<BlobOf<u64>>> {
        let mut rows = Vec::new();
        for some in ids.chunks(MAX_VALUES / 4) {
            let ids = some.iter().map(|id| format!("unhex('{}')", hex(&id.sha1())));
            let select = format!(
                "SELECT id, source, blob FROM {{db}}.blobs WHERE id IN ({}) AND source IN ({})",
                list(ids),
                list(sources)
            );
            rows.extend(self.ask::<IdRow>(&select, |_| 32)?);
        }
        Ok(rows.into_iter().map(|row| (row.id.0, row.source, row.blob)).collect())
    }

    fn place(&self) -> &str {
        &self.place
    }
}
