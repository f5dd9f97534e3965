//! Checks the rows that databases answer, and puts them in the order of the question: they come in
//! any order, and may be damaged.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::net::IpAddr;
use std::ops::Range;
use std::time::Duration;

use super::Location;
use crate::files::BlobId;
use crate::store::corpus::lookups::{AskedSegments, BlobAt, BlobPosting, each};
use crate::store::corpus::rows::PostingRow;
use crate::store::corpus::{CorpusError, CorpusSegment, Stats};
use crate::store::{BlockAt, Blocks, Segment};

/// Maximum time to wait for an answer.
pub(super) const ANSWERING: Duration = Duration::from_secs(60);
/// Maximum time for what takes longer the more is written: a piece of a copy, the end of an insert,
/// a deletion, a commit.
pub(super) const WRITING: Duration = Duration::from_secs(3600);
/// How often to ask or to connect, with growing pauses: a server that restarts is there again soon.
pub(super) const TRIES: u32 = 3;

pub(super) const NO_SEGMENTS: &str =
    "a database holds no segments to copy; pull from where they were pushed to";

pub(super) fn is_local(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

/// The numbers that a database has for sources, in the order of their segments.
#[derive(Debug)]
pub(super) struct SourceNumbers<N>(pub Vec<N>);

/// The sources that are asked for, each with the number of its segment.
pub(super) type SourceSegments<N> = BTreeMap<N, usize>;

impl<N: Copy + Ord> SourceNumbers<N> {
    /// The sources of the segments that are asked.
    pub fn of(&self, asked: &AskedSegments<'_>) -> SourceSegments<N> {
        asked.iter().filter_map(|(segment, _)| Some((*self.0.get(*segment)?, *segment))).collect()
    }
}

pub(super) struct SourceOf<N> {
    pub source: N,
    pub label: String,
    pub stats: String,
    pub head: Vec<u8>,
}

/// Sources, each with its label and figures; their segments; and their numbers.
pub(super) type SourceTables<N> = (Vec<(String, Stats)>, Vec<CorpusSegment>, SourceNumbers<N>);

/// Opens the sources of `rows`, whose blocks `blocks_of` reads: several at a time, since each asks
/// for its description.
pub(super) fn open_sources<N: Copy + Sync>(
    location: &Location,
    rows: Vec<SourceOf<N>>,
    blocks_of: impl Fn(N) -> Box<dyn Blocks> + Sync,
) -> Result<SourceTables<N>, CorpusError> {
    let opened = each(&rows, |row| {
        let stats: Stats =
            serde_json::from_str(&row.stats).map_err(|why| location.fails_of(&row.label, why))?;
        let segment = Segment::elsewhere(&row.head, blocks_of(row.source), None)
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
    Ok((sources, segments, SourceNumbers(numbers)))
}

/// The bytes of `blocks` of a source, each of which is among `rows` and undamaged. A row has where
/// it starts, its checksum and its bytes.
pub(super) fn blocks_of(
    blocks: &[BlockAt],
    source: impl Display,
    rows: impl IntoIterator<Item = (u64, u32, Vec<u8>)>,
) -> Result<Vec<Vec<u8>>, String> {
    let mut found: BTreeMap<u64, Vec<u8>> = BTreeMap::new();
    for (start, checksum, bytes) in rows {
        if crc32fast::hash(&bytes) != checksum {
            return Err(format!("block {start} of source {source} is damaged"));
        }
        found.insert(start, bytes);
    }
    let taken = blocks.iter().map(|BlockAt { range: Range { start, .. }, .. }| {
        found.remove(start).ok_or_else(|| format!("block {start} of source {source} is missing"))
    });
    taken.collect()
}

/// For each of `keys`, which ascend, its rows with their sources, in the order that
/// [`Lookups`](crate::store::corpus::Lookups) asks for.
pub(super) fn postings_of<N: Ord>(
    keys: &[u64],
    wanted: &SourceSegments<N>,
    rows: impl IntoIterator<Item = (N, PostingRow)>,
) -> Result<Vec<Vec<BlobPosting>>, String> {
    let mut found = vec![Vec::new(); keys.len()];
    for (source, PostingRow { key, blob, component }) in rows {
        let place = keys.binary_search(&key).ok().zip(wanted.get(&source));
        let (at, &segment) = place.ok_or("it answered what was not asked")?;
        found[at].push(BlobPosting { segment, blob, component });
    }
    found.iter_mut().for_each(|of_key| of_key.sort_unstable());
    Ok(found)
}

/// For each of `ids` the blobs of its rows: id, source and blob.
pub(super) fn blobs_of<N: Ord>(
    ids: &[BlobId],
    wanted: &SourceSegments<N>,
    rows: impl IntoIterator<Item = (Vec<u8>, N, u32)>,
) -> Vec<Vec<BlobAt>> {
    let mut found: BTreeMap<Vec<u8>, Vec<BlobAt>> = BTreeMap::new();
    for (id, source, blob) in rows {
        if let Some(&segment) = wanted.get(&source) {
            found.entry(id).or_default().push((segment, blob));
        }
    }
    found.values_mut().for_each(|blobs| blobs.sort_unstable());
    ids.iter().map(|id| found.get(&id.sha1()[..]).cloned().unwrap_or_default()).collect()
}
