//! Reads the tables of databases: checks the rows that they answer, and puts them in the order of
//! the question. They come in any order, and may be damaged.

use std::collections::BTreeMap;
use std::fmt::{Debug, Display};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use super::{Location, OpenCorpus, Traffic};
use crate::files::BlobId;
use crate::store::corpus::lookups::{Answers, AskedSegments, BlobAt, BlobPosting, Lookups, each};
use crate::store::corpus::rows::PostingRow;
use crate::store::corpus::{CorpusError, CorpusSegment, Stats};
use crate::store::{BlockAt, Blocks, Result, Segment, SegmentError};

/// Maximum time to wait for an answer.
pub(super) const ANSWERING: Duration = Duration::from_secs(60);
/// Maximum time for what takes longer the more is written: a piece of a copy, the end of an insert,
/// a deletion, a commit.
pub(super) const WRITING: Duration = Duration::from_secs(3600);
/// How often to ask or to connect, with growing pauses: a server that restarts is there again soon.
pub(super) const TRIES: u32 = 3;

pub(super) fn no_segments(location: &Location) -> CorpusError {
    location.fails("a database holds no segments to copy; pull from where they were pushed to")
}

pub(super) fn is_local(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// A blob of a source: its id, the source, and its number there.
pub(super) type BlobOf<N> = (Vec<u8>, N, u32);

/// A database, which has numbers for sources. Rows come in any order.
pub(super) trait Database: Debug + Send + Sync + 'static {
    type Number: Copy + Ord + Debug + Display + Send + Sync;

    /// The blocks of a source that start here: start, checksum and bytes.
    fn blocks(&self, source: Self::Number, starts: &[u64]) -> Result<Vec<(u64, u32, Vec<u8>)>>;

    fn postings(
        &self,
        keys: &[u64],
        sources: &[Self::Number],
    ) -> Result<Vec<(Self::Number, PostingRow)>>;

    /// The blobs with these ids.
    fn blobs(&self, ids: &[BlobId], sources: &[Self::Number]) -> Result<Vec<BlobOf<Self::Number>>>;

    fn place(&self) -> &str;

    fn fails(&self, why: impl Display) -> SegmentError {
        SegmentError::Elsewhere { place: self.place().to_owned(), why: why.to_string() }
    }
}

pub(super) struct SourceOf<N> {
    pub source: N,
    pub label: String,
    pub stats: String,
    pub head: Vec<u8>,
}

/// Opens the sources of `rows`, several at a time, since each asks for its description.
pub(super) fn opened<D: Database>(
    location: &Location,
    name: String,
    rows: Vec<SourceOf<D::Number>>,
    database: &Arc<D>,
    traffic: &Arc<Traffic>,
) -> Result<OpenCorpus, CorpusError> {
    let opened = each(&rows, |row| {
        let stats: Stats =
            serde_json::from_str(&row.stats).map_err(|why| location.fails_of(&row.label, why))?;
        let blocks = SourceBlocks { database: Arc::clone(database), source: row.source };
        let segment = Segment::elsewhere(&row.head, Box::new(blocks), None)
            .and_then(CorpusSegment::new)
            .map_err(|why| location.fails_of(&row.label, why))?;
        Ok::<_, CorpusError>((stats, segment))
    });
    let (mut sources, mut segments, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
    for (row, opened) in rows.into_iter().zip(opened) {
        let (stats, segment) = opened?;
        sources.push((row.label, stats));
        segments.push(segment);
        numbers.push(row.source);
    }
    let lookups = Box::new(Tables { database: Arc::clone(database), sources: numbers });
    Ok(OpenCorpus { name, sources, segments, lookups, traffic: Arc::clone(traffic) })
}

#[derive(Debug)]
struct SourceBlocks<D: Database> {
    database: Arc<D>,
    source: D::Number,
}

impl<D: Database> Blocks for SourceBlocks<D> {
    fn read(&self, blocks: &[BlockAt]) -> Result<Vec<Vec<u8>>> {
        let Self { database, source } = self;
        let fails =
            |start: u64, why| database.fails(format!("block {start} of source {source} is {why}"));
        let starts: Vec<u64> = blocks.iter().map(|block| block.range.start).collect();
        let mut found: BTreeMap<u64, Vec<u8>> = BTreeMap::new();
        for (start, checksum, bytes) in database.blocks(*source, &starts)? {
            if crc32fast::hash(&bytes) != checksum {
                return Err(fails(start, "damaged"));
            }
            found.insert(start, bytes);
        }
        let taken = starts.into_iter();
        taken.map(|start| found.remove(&start).ok_or_else(|| fails(start, "missing"))).collect()
    }
}

#[derive(Debug)]
struct Tables<D: Database> {
    database: Arc<D>,
    /// The numbers of sources, in the order of their segments.
    sources: Vec<D::Number>,
}

impl<D: Database> Tables<D> {
    /// The sources that are asked for, each with the number of its segment.
    fn wanted(&self, asked: &AskedSegments<'_>) -> BTreeMap<D::Number, usize> {
        let asked = asked.iter();
        asked.filter_map(|(segment, _)| Some((*self.sources.get(*segment)?, *segment))).collect()
    }
}

impl<D: Database> Lookups for Tables<D> {
    fn postings(&self, asked: &AskedSegments<'_>, keys: &[u64]) -> Answers<BlobPosting> {
        let mut found = vec![Vec::new(); keys.len()];
        let wanted = self.wanted(asked);
        if keys.is_empty() || wanted.is_empty() {
            return Ok(found);
        }
        let sources: Vec<D::Number> = wanted.keys().copied().collect();
        for (source, row) in self.database.postings(keys, &sources)? {
            let place = keys.binary_search(&row.key).ok().zip(wanted.get(&source));
            let not_asked = || self.database.fails("it answered what was not asked");
            let (at, &segment) = place.ok_or_else(not_asked)?;
            found[at].push(BlobPosting { segment, blob: row.blob, component: row.component });
        }
        found.iter_mut().for_each(|of_key| of_key.sort_unstable());
        Ok(found)
    }

    fn blobs_of(&self, asked: &AskedSegments<'_>, ids: &[BlobId]) -> Answers<BlobAt> {
        let wanted = self.wanted(asked);
        if ids.is_empty() || wanted.is_empty() {
            return Ok(vec![Vec::new(); ids.len()]);
        }
        let sources: Vec<D::Number> = wanted.keys().copied().collect();
        let mut found: BTreeMap<Vec<u8>, Vec<BlobAt>> = BTreeMap::new();
        for (id, source, blob) in self.database.blobs(ids, &sources)? {
            if let Some(&segment) = wanted.get(&source) {
                found.entry(id).or_default().push((segment, blob));
            }
        }
        found.values_mut().for_each(|blobs| blobs.sort_unstable());
        Ok(ids.iter().map(|id| found.get(&id.sha1()[..]).cloned().unwrap_or_default()).collect())
    }
}
