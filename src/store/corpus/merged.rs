//! Merges the segments of several sources into one, so that a look-up asks it instead of each of them.
//!
//! ```text
//! postings    of all members, in one order; a value is the number of the member (2 bytes) and of the blob (4 bytes)
//! members     their segments as they were, back to back
//! ```
//!
//! A member keeps its numbers of blobs and components, so whoever reads it sees the segment that it was, and finds the
//! same. What merging saves is one filter and one directory for all, and so the reads that many small ones cost.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::filter::{filter, may_have};
use super::open::{CorpusSegment, SECTION, number_of};
use super::rows::INDEX;
use crate::store::{Blocks, Postings, PostingsWriter, Segment, SegmentError, SegmentKind, SegmentWriter};

/// The section of the members; it comes last.
const MEMBERS: u32 = 1;
/// Bytes of a value: the number of a member and that of a blob.
const VALUE: usize = 6;

/// A merged segment that was written.
#[derive(Debug)]
pub(super) struct Written {
    /// Its file.
    pub segment: PathBuf,
    /// The file with what every look-up needs of it.
    pub index: PathBuf,
    /// Where in its file each member begins.
    pub starts: Vec<u64>,
}

/// Writes the segments in the files `members`, all of the same parameters, as one, to `folder`.
///
/// Time O(n log m) for n postings and m members; memory 12 bytes a posting.
///
/// # Errors
/// If a member cannot be read, or `folder` is not writable.
pub(super) fn merge(members: &[PathBuf], folder: &Path) -> Result<Written, SegmentError> {
    let segments: Vec<CorpusSegment> =
        members.iter().map(|path| CorpusSegment::open(path)).collect::<Result<_, SegmentError>>()?;
    let params = *segments.first().ok_or(SegmentError::Damaged("it has no members"))?.segment.params();
    if segments.iter().any(|of| *of.segment.params() != params) || u16::try_from(segments.len()).is_err() {
        return Err(SegmentError::OtherParams);
    }
    let mut rows = Vec::with_capacity(segments.len());
    let mut n_rows = 0;
    for segment in &segments {
        let postings = Postings::new(&segment.segment, SECTION.postings)?;
        n_rows += postings.len();
        rows.push(postings.rows()?.map(|(key, value)| (key, number_of(value))));
    }
    let mut postings = PostingsWriter::new(n_rows, VALUE);
    let mut keys: Vec<u64> = Vec::new();
    let mut heads: BinaryHeap<Reverse<(u64, usize, u32)>> = BinaryHeap::new();
    let mut next = |member: usize| rows[member].next().map(|(key, blob)| Reverse((key, member, blob)));
    heads.extend((0..segments.len()).filter_map(&mut next));
    while let Some(Reverse((key, member, blob))) = heads.pop() {
        let mut value = [0; VALUE];
        value[..2].copy_from_slice(&(member as u16).to_le_bytes());
        value[2..].copy_from_slice(&blob.to_le_bytes());
        postings.push(key, &value);
        if keys.last() != Some(&key) {
            keys.push(key);
        }
        heads.extend(next(member));
    }

    let mut out = SegmentWriter::create(folder, SegmentKind::Merged, params)?;
    postings.write(&mut out, SECTION.postings)?;
    out.begin(MEMBERS);
    let mut lens = Vec::with_capacity(members.len());
    for path in members {
        lens.push(append(&mut out, path).map_err(|why| match why {
            Appending::Read(why) => SegmentError::File { file: path.clone(), why },
            Appending::Write(why) => why,
        })?);
    }
    let segment = out.finish("merged")?;
    let written = Segment::open(&segment)?;
    let form = Segment::described(&written.head()?)?;
    let members = form.sections.iter().find(|(id, _)| *id == MEMBERS);
    let mut start = members.map_or(0, |(_, range)| range.start);
    let mut starts = Vec::with_capacity(lens.len());
    for len in lens {
        starts.push(start);
        start += len;
    }
    let index = write_index(&written, &keys, folder)?;
    Ok(Written { segment, index, starts })
}

enum Appending {
    Read(std::io::Error),
    Write(SegmentError),
}

/// Appends a file to the current section; returns its length.
fn append(out: &mut SegmentWriter, path: &Path) -> Result<u64, Appending> {
    let mut file = File::open(path).map_err(Appending::Read)?;
    let mut buffer = vec![0; 1 << 20];
    let mut len = 0;
    loop {
        let n = file.read(&mut buffer).map_err(Appending::Read)?;
        if n == 0 {
            return Ok(len);
        }
        out.write(&buffer[..n]).map_err(Appending::Write)?;
        len += n as u64;
    }
}

/// Writes what every look-up needs. The members have indexes of their own, which also have the digests of their blocks.
fn write_index(merged: &Segment, keys: &[u64], folder: &Path) -> Result<PathBuf, SegmentError> {
    let mut out = SegmentWriter::create(folder, SegmentKind::CorpusIndex, *merged.params())?;
    out.begin(SECTION.postings);
    out.write(merged.section(SECTION.postings)?.all()?)?;
    out.begin(INDEX.head);
    out.write(&merged.head()?)?;
    out.begin(INDEX.digests);
    for id in SECTION.postings..SECTION.postings + 3 {
        for (_, bytes) in merged.blocks(id)? {
            out.write(&Sha256::digest(bytes))?;
        }
    }
    out.begin(INDEX.filter);
    out.write(&filter(keys.len(), keys.iter().copied()))?;
    out.finish("index")
}

/// The place of a key among those that were asked for, and the members and blobs that have it, in this order.
pub(super) type KeyAt = (usize, Vec<(u16, u32)>);

/// A merged segment elsewhere.
#[derive(Debug)]
pub(super) struct Merged {
    segment: Segment,
    index: Arc<Segment>,
}

impl Merged {
    /// The merged segment that `index` is of; `near` is the same index, and `blocks` reads the rest.
    ///
    /// # Errors
    /// What is wrong with the index.
    pub fn new(index: Arc<Segment>, near: Segment, blocks: Box<dyn Blocks>) -> Result<Self, SegmentError> {
        let near = near.of_kind(SegmentKind::CorpusIndex)?;
        let head = near.section(INDEX.head)?.all()?.to_vec();
        let segment = Segment::elsewhere(&head, blocks, Some(near))?.of_kind(SegmentKind::Merged)?;
        Postings::new(&segment, SECTION.postings)?;
        Ok(Self { segment, index })
    }

    /// What it has of those of `keys` that its filter lets pass. All of it is read at once.
    ///
    /// # Errors
    /// If it cannot be read, or is damaged.
    pub fn postings(&self, keys: &[u64]) -> Result<Vec<KeyAt>, SegmentError> {
        let passed = passing(&self.index, keys)?;
        let postings = Postings::new(&self.segment, SECTION.postings)?;
        let parts = postings.parts(&passed.iter().map(|(_, key)| *key).collect::<Vec<_>>())?;
        self.segment.read_ahead(parts.into_iter().map(|(offset, range)| (SECTION.postings + offset, range)))?;
        let of_value = |value: &[u8]| (number_of(&value[..2]) as u16, number_of(&value[2..]));
        let found = |(place, key): (usize, u64)| {
            let values = postings.get(key)?;
            // The length of a value is part of what was read.
            if values.clone().any(|value| value.len() != VALUE) {
                return Err(SegmentError::Damaged("a posting"));
            }
            Ok((place, values.map(of_value).collect()))
        };
        passed.into_iter().map(found).collect()
    }
}

/// The keys that the filter of an index lets pass, each with its place.
pub(super) fn passing(index: &Segment, keys: &[u64]) -> Result<Vec<(usize, u64)>, SegmentError> {
    let filter = index.section(INDEX.filter)?;
    let mut passed = Vec::new();
    for (place, &key) in keys.iter().enumerate() {
        if may_have(&filter, key)? {
            passed.push((place, key));
        }
    }
    Ok(passed)
}
