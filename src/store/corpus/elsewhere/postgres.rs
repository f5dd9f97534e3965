//! Keeps a corpus in PostgreSQL: a schema for each corpus, its tables partitioned by hash.
//!
//! A writer works in one transaction under a lock, a reader in another one that sees a single
//! state, so no reader sees half of a source. `docs/scale.md` describes the tables.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio_postgres::binary_copy::BinaryCopyInWriter;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::error::SqlState;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Config, NoTls, Row};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::connection::{runtime, with_causes};
use super::tables::{
    ANSWERING, BlobOf, Database, SourceOf, TRIES, WRITING, is_local, no_segments, opened,
};
use super::{Compaction, Delivery, Engine, Location, OpenCorpus, Traffic};
use crate::files::BlobId;
use crate::store::Result;
use crate::store::corpus::lookups::MAX_BLOBS;
use crate::store::corpus::rows::PostingRow;
use crate::store::corpus::{Corpus, CorpusError, CorpusSegment, Shelf};

/// The version of the tables. It increases when they change, and a program refuses those of another
/// version.
const VERSION: i32 = 1;
/// The schema, unless the URL names one: `?schema=NAME`.
const SCHEMA: &str = "secondhand";
/// Number of partitions of postings and blocks: as many can be scanned, rebuilt or moved on their
/// own.
const N_PARTITIONS: u32 = 16;
/// Maximum time to wait for a connection.
const CONNECTING: Duration = Duration::from_secs(10);

pub(super) struct Postgres {
    location: Location,
    config: Config,
    schema: String,
    uses_tls: bool,
}

impl Postgres {
    pub fn new(location: &Location) -> Result<Self, CorpusError> {
        let (url, schema) = without_schema(&location.url);
        let schema = schema.unwrap_or(SCHEMA).to_owned();
        let is_name = schema.len() < 64
            && schema.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
            && schema.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
        if !is_name {
            return Err(location.fails("a schema is named by lower-case letters, digits and `_`"));
        }
        let mut config: Config = url.parse().map_err(|why| location.fails(reason(&why)))?;
        if config.get_password().is_none()
            && let Some(password) = std::env::var_os("PGPASSWORD")
        {
            config.password(password.as_encoded_bytes());
        }
        config
            .application_name("secondhand")
            .connect_timeout(CONNECTING)
            .tcp_user_timeout(ANSWERING);
        let is_local = config.get_hosts().iter().all(|host| match host {
            Host::Tcp(name) => is_local(name),
            #[cfg(unix)]
            Host::Unix(_) => true,
        });
        // Over a network nobody may listen, unless the user says so: `sslmode=disable`.
        let uses_tls = match config.get_ssl_mode() {
            SslMode::Disable => false,
            SslMode::Prefer => !is_local,
            _ => true,
        };
        config.ssl_mode(if uses_tls { SslMode::Require } else { SslMode::Disable });
        Ok(Self { location: location.clone(), config, schema, uses_tls })
    }

    fn connect(&self) -> Result<Session, CorpusError> {
        let runtime = runtime(1).map_err(|why| self.location.fails(why))?;
        let mut tries = 1;
        let client = loop {
            match runtime.block_on(self.client()) {
                Ok(client) => break client,
                // What the server itself has answered, it will answer again, unless it is starting
                // or full.
                Err(why) if tries == TRIES || why.is_final => {
                    return Err(self.location.fails(why.text));
                }
                Err(_) => std::thread::sleep(Duration::from_millis(250) * tries),
            }
            tries += 1;
        };
        let (schema, place) = (self.schema.clone(), self.location.to_string());
        Ok(Session { runtime, client, schema, place, traffic: Arc::default() })
    }

    async fn client(&self) -> Result<Client, NoConnection> {
        if self.uses_tls {
            // Both crates of providers may be built in; which one is meant has to be said once.
            let _ = rustls::crypto::ring::default_provider().install_default();
            let (tls, _) = MakeRustlsConnect::with_native_certs().map_err(|_| {
                let text = "no root certificate was found".to_owned();
                NoConnection { text, is_final: true }
            })?;
            let connecting = tokio::time::timeout(CONNECTING, self.config.connect(tls));
            let (client, connection) = NoConnection::or(connecting.await)?;
            tokio::spawn(connection);
            return Ok(client);
        }
        let connecting = tokio::time::timeout(CONNECTING, self.config.connect(NoTls));
        let (client, connection) = NoConnection::or(connecting.await)?;
        tokio::spawn(connection);
        Ok(client)
    }

    /// A transaction that only one process at a time can have; `work` is committed, or nothing.
    fn write<T>(&self, work: impl AsyncFnOnce(&Session) -> Result<T>) -> Result<T, CorpusError> {
        let session = self.connect()?;
        let done = session.runtime.block_on(async {
            session.run("BEGIN").await?;
            let lock = format!(
                "SELECT pg_try_advisory_xact_lock(hashtextextended('secondhand {}', 0))",
                self.schema
            );
            let is_ours = session.ask(&lock, &[]).await?.first().is_some_and(|row| row.get(0));
            if !is_ours {
                return Ok(None);
            }
            let done = work(&session).await?;
            session.in_time(WRITING, session.client.batch_execute("COMMIT")).await?;
            Ok(Some(done))
        });
        done.map_err(|why| self.location.fails_with(why))?
            .ok_or_else(|| CorpusError::Busy(self.location.to_string()))
    }
}

struct NoConnection {
    text: String,
    is_final: bool,
}

impl NoConnection {
    fn or<T>(
        answer: Result<Result<T, tokio_postgres::Error>, tokio::time::error::Elapsed>,
    ) -> Result<T, Self> {
        let Ok(answer) = answer else {
            let text = format!("no answer in {} s", CONNECTING.as_secs());
            return Err(Self { text, is_final: false });
        };
        answer.map_err(|why| {
            let may_pass = [SqlState::CANNOT_CONNECT_NOW, SqlState::TOO_MANY_CONNECTIONS];
            let is_final = why.code().is_some_and(|code| !may_pass.contains(code));
            Self { text: reason(&why), is_final }
        })
    }
}

/// The URL without its parameter `schema`, which the driver does not know, and that.
fn without_schema(url: &str) -> (String, Option<&str>) {
    let Some((before, parameters)) = url.split_once('?') else { return (url.to_owned(), None) };
    let (ours, others): (Vec<&str>, Vec<&str>) =
        parameters.split('&').partition(|of| of.starts_with("schema="));
    let schema = ours.last().and_then(|of| of.split_once('=')).map(|(_, name)| name);
    let rest = if others.is_empty() {
        before.to_owned()
    } else {
        format!("{before}?{}", others.join("&"))
    };
    (rest, schema)
}

/// What the server, or else the driver, says of an error.
fn reason(why: &tokio_postgres::Error) -> String {
    if let Some(said) = why.as_db_error() {
        return said.message().to_owned();
    }
    with_causes(why)
}

struct Session {
    runtime: Runtime,
    client: Client,
    schema: String,
    place: String,
    traffic: Arc<Traffic>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("place", &self.place).finish_non_exhaustive()
    }
}

impl Session {
    /// What the server answers, if it does so in this time.
    async fn in_time<T>(
        &self,
        limit: Duration,
        answer: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T> {
        match tokio::time::timeout(limit, answer).await {
            Ok(answer) => answer.map_err(|why| self.fails(reason(&why))),
            Err(_) => Err(self.fails(format!("no answer in {} s", limit.as_secs()))),
        }
    }

    async fn run(&self, sql: &str) -> Result<()> {
        self.in_time(ANSWERING, self.client.batch_execute(sql)).await
    }

    async fn ask(&self, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>> {
        let rows = self.in_time(ANSWERING, self.client.query(sql, values)).await?;
        let n_bytes: usize = rows.iter().map(Row::raw_size_bytes).sum();
        self.traffic.count(n_bytes as u64);
        Ok(rows)
    }

    /// Asks, from any thread.
    fn ask_now(&self, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>> {
        self.runtime.block_on(self.ask(sql, values))
    }

    /// The version of the tables, and the name of the corpus; `None` if there are no tables.
    async fn version(&self) -> Result<Option<(i32, String)>> {
        let schema = &self.schema;
        let known =
            self.ask("SELECT to_regclass($1) IS NOT NULL", &[&format!("{schema}.version")]).await?;
        if !known.first().is_some_and(|row| row.get(0)) {
            return Ok(None);
        }
        let rows = self.ask(&format!("SELECT version, corpus FROM {schema}.version"), &[]).await?;
        let row = rows.first().ok_or_else(|| self.fails("its table of versions is empty"))?;
        let (version, corpus): (i32, String) = (row.get(0), row.get(1));
        if version == VERSION {
            return Ok(Some((version, corpus)));
        }
        Err(self.fails(format!(
            "its tables have version {version}, and this program knows version {VERSION}"
        )))
    }

    async fn create(&self, corpus: &str) -> Result<()> {
        let schema = &self.schema;
        self.run(&tables(schema)).await?;
        let insert = format!("INSERT INTO {schema}.version (version, corpus) VALUES ($1, $2)");
        self.ask(&insert, &[&VERSION, &corpus]).await.map(drop)
    }

    /// Copies rows into a table; returns their number.
    async fn copy<'r>(
        &self,
        table: &str,
        types: &[Type],
        rows: impl Iterator<Item = Result<Vec<Box<dyn ToSql + Sync + 'r>>>>,
    ) -> Result<u64> {
        let sql = format!("COPY {}.{table} FROM STDIN BINARY", self.schema);
        let sink = self.in_time(WRITING, self.client.copy_in(&sql)).await?;
        let mut writer = std::pin::pin!(BinaryCopyInWriter::new(sink, types));
        for row in rows {
            let row = row?;
            let values: Vec<&(dyn ToSql + Sync)> =
                row.iter().map(|value| &**value as &(dyn ToSql + Sync)).collect();
            self.in_time(WRITING, writer.as_mut().write(&values)).await?;
        }
        self.in_time(WRITING, writer.finish()).await
    }

    /// Writes the rows of a segment; returns the number of its postings and of the bytes of its
    /// blocks.
    async fn add(&self, source: i32, segment: &CorpusSegment) -> Result<(u64, u64)> {
        type Value<'v> = Box<dyn ToSql + Sync + 'v>;
        let number = |value: u32| -> Value<'_> { Box::new(value as i32) };
        let postings = segment.posting_rows(MAX_BLOBS)?.map(|row| {
            let row = row?;
            let key: Value<'_> = Box::new(row.key as i64);
            Ok(vec![key, Box::new(source), number(row.blob), number(row.component)])
        });
        let n = self
            .copy("postings", &[Type::INT8, Type::INT4, Type::INT4, Type::INT4], postings)
            .await?;
        let ids = segment.id_rows().map(|row| {
            let (id, blob) = row?;
            let id: Value<'_> = Box::new(id);
            Ok(vec![id, Box::new(source), number(blob)])
        });
        self.copy("blobs", &[Type::BYTEA, Type::INT4, Type::INT4], ids).await?;
        let mut n_bytes = 0;
        let blocks = segment.block_rows()?.into_iter().map(|(at, bytes)| {
            n_bytes += bytes.len() as u64;
            let checksum = i64::from(crc32fast::hash(bytes));
            let source: Value<'_> = Box::new(source);
            Ok(vec![source, Box::new(at.range.start as i64), Box::new(checksum), Box::new(bytes)])
        });
        self.copy("blocks", &[Type::INT4, Type::INT8, Type::INT8, Type::BYTEA], blocks).await?;
        Ok((n, n_bytes))
    }
}

fn tables(schema: &str) -> String {
    let mut sql = format!(
        "CREATE SCHEMA IF NOT EXISTS {schema};
         CREATE TABLE {schema}.version (version integer NOT NULL, corpus text NOT NULL);
         CREATE TABLE {schema}.sources (
             source integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
             key text NOT NULL, label text NOT NULL, digest text NOT NULL, stats text NOT NULL, head bytea NOT NULL,
             added timestamptz NOT NULL DEFAULT now(), removed timestamptz);
         CREATE UNIQUE INDEX ON {schema}.sources (key) WHERE removed IS NULL;
         CREATE TABLE {schema}.postings (
             key bigint NOT NULL, source integer NOT NULL, blob integer NOT NULL, component integer NOT NULL,
             PRIMARY KEY (key, source, blob) INCLUDE (component)) PARTITION BY HASH (key);
         CREATE TABLE {schema}.blobs (
             id bytea NOT NULL, source integer NOT NULL, blob integer NOT NULL, PRIMARY KEY (id, source, blob));
         CREATE TABLE {schema}.blocks (
             source integer NOT NULL, start bigint NOT NULL, checksum bigint NOT NULL, bytes bytea NOT NULL,
             PRIMARY KEY (source, start)) PARTITION BY HASH (source, start);
         ALTER TABLE {schema}.blocks ALTER COLUMN bytes SET STORAGE EXTERNAL;\n"
    );
    for table in ["postings", "blocks"] {
        for n in 0..N_PARTITIONS {
            sql += &format!(
                "CREATE TABLE {schema}.{table}_{n} PARTITION OF {schema}.{table}
                 FOR VALUES WITH (MODULUS {N_PARTITIONS}, REMAINDER {n});\n"
            );
        }
    }
    sql
}

impl Engine for Postgres {
    fn open(&self, _: Option<&Path>) -> Result<OpenCorpus, CorpusError> {
        let session = Arc::new(self.connect()?);
        let schema = &self.schema;
        let (name, mut rows) = session
            .runtime
            .block_on(async {
                // A policy that hides rows is an error then: what is hidden must not pass as
                // absent.
                session.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL row_security = off").await?;
                let Some((_, name)) = session.version().await? else { return Err(session.fails(NONE)) };
                let select =
                    format!("SELECT label, key, source, stats, head FROM {schema}.sources WHERE removed IS NULL");
                Ok((name, session.ask(&select, &[]).await?))
            })
            .map_err(|why| self.location.fails_with(why))?;
        // As on a shelf: the order decides between equals.
        rows.sort_by_key(|row| (row.get::<_, String>(0), row.get::<_, String>(1)));
        let rows = rows.iter().map(|row| SourceOf {
            source: row.get(2),
            label: row.get(0),
            stats: row.get(3),
            head: row.get(4),
        });
        opened(&self.location, name, rows.collect(), &session, &session.traffic)
    }

    fn add(&self, corpus: &Corpus, readers: Option<&str>) -> Result<Delivery, CorpusError> {
        let sources = corpus.whole_sources()?;
        self.write(async |session| {
            let schema = &self.schema;
            let mut written = Delivery::default();
            if session.version().await?.is_none() {
                session.create(corpus.name()).await?;
            }
            for (key, record, segment, digest) in &sources {
                let known = format!("SELECT digest FROM {schema}.sources WHERE key = $1 AND removed IS NULL");
                let known = session.ask(&known, &[key]).await?;
                if known.first().is_some_and(|row| row.get::<_, &str>(0) == digest) {
                    written.n_kept += 1;
                    continue;
                }
                let mark = format!("UPDATE {schema}.sources SET removed = now() WHERE key = $1 AND removed IS NULL");
                session.ask(&mark, &[key]).await?;
                let stats = serde_json::to_string(&record.stats).map_err(|why| session.fails(why))?;
                let insert = format!(
                    "INSERT INTO {schema}.sources (key, label, digest, stats, head) VALUES ($1, $2, $3, $4, $5)
                     RETURNING source"
                );
                let rows = session.ask(&insert, &[key, &record.label, digest, &stats, &segment.head()?]).await?;
                let source = rows.first().ok_or_else(|| session.fails("it gave no number for a source"))?.get(0);
                let (n_postings, n_bytes) = session.add(source, segment).await?;
                written.n_added += 1;
                written.n_postings += n_postings;
                written.n_bytes += n_bytes;
            }
            if let Some(role) = readers {
                let role = format!("\"{}\"", role.replace('"', "\"\""));
                let grant = format!(
                    "GRANT USAGE ON SCHEMA {schema} TO {role}; GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {role}"
                );
                session.run(&grant).await?;
            }
            Ok(written)
        })
    }

    fn remove(&self, labels: &[String]) -> Result<(), CorpusError> {
        self.write(async |session| {
            if session.version().await?.is_none() {
                return Err(session.fails(NONE));
            }
            for label in labels {
                let mark = format!(
                    "UPDATE {}.sources SET removed = now() WHERE label = $1 AND removed IS NULL RETURNING source",
                    self.schema
                );
                if session.ask(&mark, &[label]).await?.is_empty() {
                    return Err(session.fails(format!("it has no source `{label}`")));
                }
            }
            Ok(())
        })
    }

    fn pull(&self, _: &Shelf, _: Option<&str>) -> Result<Delivery, CorpusError> {
        Err(no_segments(&self.location))
    }

    fn compact(&self, _: Duration) -> Result<Compaction, CorpusError> {
        self.write(async |session| {
            if session.version().await?.is_none() {
                return Err(session.fails(NONE));
            }
            let schema = &self.schema;
            let removed = format!("SELECT source FROM {schema}.sources WHERE removed IS NOT NULL");
            let removed: Vec<i32> =
                session.ask(&removed, &[]).await?.iter().map(|row| row.get(0)).collect();
            for table in ["postings", "blobs", "blocks", "sources"] {
                session.run("SET LOCAL statement_timeout = 0").await?;
                let delete = format!("DELETE FROM {schema}.{table} WHERE source = ANY($1)");
                session.in_time(WRITING, session.client.execute(&delete, &[&removed])).await?;
            }
            Ok(Compaction { n_removed: removed.len(), n_merged: 0 })
        })
    }
}

const NONE: &str =
    "there is no corpus in it, or its schema cannot be read; `secondhand corpus load` makes one";

impl Database for Session {
    type Number = i32;

    fn blocks(&self, source: i32, starts: &[u64]) -> Result<Vec<(u64, u32, Vec<u8>)>> {
        let starts: Vec<i64> = starts.iter().map(|start| *start as i64).collect();
        let select = format!(
            "SELECT start, checksum, bytes FROM {}.blocks WHERE source = $1 AND start = ANY($2)",
            self.schema
        );
        let rows = self.ask_now(&select, &[&source, &starts])?;
        let rows = rows.iter().map(|row| {
            let (start, checksum): (i64, i64) = (row.get(0), row.get(1));
            (start as u64, checksum as u32, row.get(2))
        });
        Ok(rows.collect())
    }

    fn postings(&self, keys: &[u64], sources: &[i32]) -> Result<Vec<(i32, PostingRow)>> {
        let keys: Vec<i64> = keys.iter().map(|key| *key as i64).collect();
        let select = format!(
            "SELECT key, source, blob, component FROM {}.postings WHERE key = ANY($1) AND source = ANY($2)",
            self.schema
        );
        let rows = self.ask_now(&select, &[&keys, &sources])?;
        let rows = rows.iter().map(|row| {
            let (key, source): (i64, i32) = (row.get(0), row.get(1));
            let [blob, component] = [2, 3].map(|at| row.get::<_, i32>(at) as u32);
            (source, PostingRow { key: key as u64, blob, component })
        });
        Ok(rows.collect())
    }

    fn blobs(&self, ids: &[BlobId], sources: &[i32]) -> Result<Vec<BlobOf<i32>>> {
        let ids: Vec<Vec<u8>> = ids.iter().map(|id| id.sha1().to_vec()).collect();
        let select = format!(
            "SELECT id, source, blob FROM {}.blobs WHERE id = ANY($1) AND source = ANY($2)",
            self.schema
        );
        let rows = self.ask_now(&select, &[&ids, &sources])?;
        let rows = rows.iter().map(|row| (row.get(0), row.get(1), row.get::<_, i32>(2) as u32));
        Ok(rows.collect())
    }

    fn place(&self) -> &str {
        &self.place
    }
}
