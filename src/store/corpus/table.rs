//! Sorts the postings of many sources into one table, which is searched where it is: a key takes
//! one read of a block.
//!
//! ```text
//! table    postings    key (7 bytes), member (3), blob (4); sorted, as many in a block as go into it whole
//!          ids         git id (20 bytes), member (3), blob (4); in the same way
//! index    the first key and the digest of each block; of each member what every look-up needs of its segment
//! ```
//!
//! The blocks of a table are like the leaves of a search tree whose inner nodes are in the index.
//! That is so small, a fortieth of the segments, that whoever has nothing else begins with it. More
//! than half of it is a filter, which answers for most keys that they are not there.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::filter::{Filter, may_have};
use super::indexes::{IndexId, digest, of_member};
use super::lookups::{Answers, MAX_BLOBS};
use super::open::CorpusSegment;
use crate::store::far::BLOCK;
use crate::store::segment::{big_endian, u64_at};
use crate::store::{
    Blocks, Result, Section, Segment, SegmentError, SegmentKind, SegmentParams, SegmentWriter,
};

/// Bytes of the number of a member.
const MEMBER: usize = 3;
/// Bytes of the longest key.
const MAX_KEY: usize = 20;
pub(super) const MAX_MEMBERS: usize = 1 << (8 * MEMBER);

#[derive(Debug, Clone, Copy)]
struct Rows {
    /// The section of the table that has them, and the section of the index with the first key of
    /// each block.
    section: u32,
    firsts: IndexId,
    /// Bytes of a key.
    n_key: usize,
}

const POSTINGS: Rows = Rows { section: 1, firsts: IndexId::FirstKeys, n_key: 7 };
const IDS: Rows = Rows { section: 2, firsts: IndexId::FirstIds, n_key: 20 };

impl Rows {
    /// Bytes of a row: its key, the number of a member and that of a blob.
    fn width(self) -> usize {
        self.n_key + MEMBER + 4
    }

    fn of_block(self, block: &[u8]) -> std::slice::ChunksExact<'_, u8> {
        block.chunks_exact(self.width())
    }
}

/// A row: its key, followed by zeros, the number of the member, and that of the blob.
type Row = ([u8; MAX_KEY], u32, u32);

/// The bytes of a key of postings, in whose order rows are.
fn bytes_of(key: u64) -> [u8; MAX_KEY] {
    let mut bytes = [0; MAX_KEY];
    bytes[..POSTINGS.n_key].copy_from_slice(&key.to_be_bytes()[8 - POSTINGS.n_key..]);
    bytes
}

/// The key of postings that a row begins with.
fn key_of(bytes: &[u8]) -> u64 {
    big_endian(&bytes[..POSTINGS.n_key])
}

/// The member and the blob of a row, after its key.
fn place_of(bytes: &[u8]) -> (u32, u32) {
    (big_endian(&bytes[..MEMBER]) as u32, big_endian(&bytes[MEMBER..]) as u32)
}

#[derive(Debug)]
pub(super) enum Input {
    /// A segment, and the number that it has as a member.
    Segment(CorpusSegment, u32),
    /// A table with its index, and the new numbers of its members, which ascend; none for those
    /// that are left out.
    Table { table: Segment, index: Segment, numbers: Vec<Option<u32>> },
}

#[derive(Debug)]
pub(super) struct TableFile {
    pub table: PathBuf,
    /// The file of its index.
    pub index: PathBuf,
    pub n_postings: u64,
}

/// Writes a table of `inputs`, all of the same parameters, to `folder`; it has `n_members`, each of
/// one input.
///
/// Time O(n log m) for n postings of m inputs; memory half a byte for each key.
pub(super) fn write(inputs: &[Input], n_members: usize, folder: &Path) -> Result<TableFile> {
    let params: Vec<&SegmentParams> = inputs.iter().map(Input::params).collect();
    let params = match params.split_first() {
        Some((first, rest)) if rest.iter().all(|of| of == first) => **first,
        _ => return Err(SegmentError::OtherParams),
    };
    let mut members: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
    for input in inputs {
        members.extend(input.members()?);
    }
    if members.len() != n_members || n_members > MAX_MEMBERS {
        return Err(SegmentError::Damaged("the number of its members"));
    }

    let mut out = SegmentWriter::create(folder, SegmentKind::Table, params)?;
    let postings = write_rows(&mut out, POSTINGS, inputs)?;
    let ids = write_rows(&mut out, IDS, inputs)?;
    let table = out.finish("table")?;

    let written = Segment::open(&table)?;
    // Half of the rows and more have the key of another one: the filter is made when the number of
    // keys is known.
    let mut filter = Filter::new(postings.n_keys);
    let mut out = SegmentWriter::create(folder, SegmentKind::CorpusIndex, params)?;
    out.section(IndexId::Head, &written.head()?)?;
    out.begin(IndexId::Digests);
    for rows in [POSTINGS, IDS] {
        for (_, bytes) in written.blocks(rows.section)? {
            out.write(&digest(bytes))?;
            if rows.section == POSTINGS.section {
                rows.of_block(bytes).for_each(|row| filter.insert(key_of(row)));
            }
        }
    }
    out.section(POSTINGS.firsts, &postings.firsts)?;
    out.section(IDS.firsts, &ids.firsts)?;
    out.begin(IndexId::MemberEnds);
    let mut end = 0;
    for member in members.values() {
        end += member.len() as u64;
        out.write(&end.to_le_bytes())?;
    }
    out.begin(IndexId::Members);
    members.values().try_for_each(|member| out.write(member))?;
    out.section(IndexId::Filter, filter.bytes())?;
    Ok(TableFile { index: out.finish("index")?, table, n_postings: postings.n_rows })
}

impl Input {
    fn params(&self) -> &SegmentParams {
        match self {
            Self::Segment(segment, _) => segment.segment.params(),
            Self::Table { table, .. } => table.params(),
        }
    }

    /// What the index has of each member, by its number.
    fn members(&self) -> Result<Vec<(u32, Vec<u8>)>> {
        match self {
            Self::Segment(segment, number) => Ok(vec![(*number, segment.member()?)]),
            Self::Table { index, numbers, .. } => {
                let all = members(index)?;
                if all.len() != numbers.len() {
                    return Err(SegmentError::Damaged("the number of its members"));
                }
                let all = all.into_iter().zip(numbers);
                Ok(all.filter_map(|(of, number)| Some(((*number)?, of.to_vec()))).collect())
            }
        }
    }

    /// The rows in order, with the new numbers of members.
    fn rows(&self, rows: Rows) -> Result<Box<dyn Iterator<Item = Result<Row>> + '_>> {
        match self {
            Self::Segment(segment, number) if rows.section == POSTINGS.section => {
                let postings = segment.posting_rows(MAX_BLOBS)?;
                Ok(Box::new(
                    postings.map(|row| row.map(|row| (bytes_of(row.key), *number, row.blob))),
                ))
            }
            Self::Segment(segment, number) => Ok(Box::new(segment.id_rows().map(|row| {
                let (id, blob) = row?;
                let id = id.first_chunk().ok_or(SegmentError::Damaged("the id of a blob"))?;
                Ok((*id, *number, blob))
            }))),
            Self::Table { table, numbers, .. } => {
                let blocks = table.section(rows.section)?.all()?.chunks(BLOCK);
                let all = blocks.flat_map(move |block| rows.of_block(block));
                Ok(Box::new(all.filter_map(move |row| {
                    let mut key = [0; MAX_KEY];
                    key[..rows.n_key].copy_from_slice(&row[..rows.n_key]);
                    let (member, blob) = place_of(&row[rows.n_key..]);
                    match numbers.get(member as usize) {
                        Some(number) => number.map(|number| Ok((key, number, blob))),
                        None => Some(Err(SegmentError::Damaged("the number of a member"))),
                    }
                })))
            }
        }
    }
}

struct WrittenRows {
    n_rows: u64,
    /// The number of different keys.
    n_keys: u64,
    /// The first key of each block.
    firsts: Vec<u8>,
}

/// Writes the rows of all inputs in one order as a section.
fn write_rows(out: &mut SegmentWriter, rows: Rows, inputs: &[Input]) -> Result<WrittenRows> {
    let mut of_inputs = inputs.iter().map(|input| input.rows(rows)).collect::<Result<Vec<_>>>()?;
    let mut heads: BinaryHeap<Reverse<(Row, usize)>> = BinaryHeap::new();
    for (number, of_input) in of_inputs.iter_mut().enumerate() {
        heads.extend(of_input.next().transpose()?.map(|row| Reverse((row, number))));
    }
    out.begin(rows.section);
    let mut written = WrittenRows { n_rows: 0, n_keys: 0, firsts: Vec::new() };
    let mut last: Option<Row> = None;
    let of_block = BLOCK / rows.width();
    let rest = vec![0; BLOCK % rows.width()];
    while let Some(Reverse((row, number))) = heads.pop() {
        // A row that is not where it belongs would not be found.
        if last.is_some_and(|last| last >= row) {
            return Err(SegmentError::Damaged("the order of its rows"));
        }
        let (key, member, blob) = row;
        written.n_keys += u64::from(last.is_none_or(|(before, ..)| before != key));
        last = Some(row);
        if written.n_rows.is_multiple_of(of_block as u64) {
            if written.n_rows > 0 {
                out.write(&rest)?;
            }
            written.firsts.extend(&key[..rows.n_key]);
        }
        written.n_rows += 1;
        out.write(&key[..rows.n_key])?;
        out.write(&member.to_be_bytes()[4 - MEMBER..])?;
        out.write(&blob.to_be_bytes())?;
        heads.extend(of_inputs[number].next().transpose()?.map(|row| Reverse((row, number))));
    }
    Ok(written)
}

/// What an index has of each member.
fn members(index: &Segment) -> Result<Vec<&[u8]>> {
    let ends = index.section(IndexId::MemberEnds)?.all()?;
    let all = index.section(IndexId::Members)?;
    let mut start = 0;
    let members = ends.chunks_exact(8).map(|end| {
        let end = u64_at(end, 0).and_then(|end| usize::try_from(end).ok());
        let end = end.ok_or(SegmentError::Damaged("where a member ends"))?;
        all.bytes(std::mem::replace(&mut start, end)..end)
    });
    members.collect()
}

/// The bytes of blocks of a section.
fn bytes_in(section: &Section<'_>, blocks: &Range<usize>) -> Range<usize> {
    blocks.start * BLOCK..(blocks.end * BLOCK).min(section.len())
}

/// A table elsewhere.
#[derive(Debug)]
pub(super) struct Table {
    /// The table, whose blocks are read when they are asked for.
    segment: Segment,
    index: Arc<Segment>,
    /// What the index has of each member.
    members: Vec<Arc<Segment>>,
}

impl Table {
    /// The table that `index` is of, all of which is checked; `blocks` reads its blocks.
    pub fn new(index: Arc<Segment>, blocks: Box<dyn Blocks>) -> Result<Self> {
        index.verify()?;
        let segment = Segment::elsewhere(index.section(IndexId::Head)?.all()?, blocks, None)?
            .of_kind(SegmentKind::Table)?;
        for rows in [POSTINGS, IDS] {
            let n_blocks = segment.section(rows.section)?.len().div_ceil(BLOCK);
            if index.section(rows.firsts)?.len() != n_blocks * rows.n_key {
                return Err(SegmentError::Damaged("the number of its blocks"));
            }
        }
        let members = members(&index)?.into_iter().map(|bytes| {
            Ok(Arc::new(Segment::from_bytes(bytes)?.of_kind(SegmentKind::CorpusIndex)?))
        });
        let members = members.collect::<Result<_>>()?;
        Ok(Self { segment, index, members })
    }

    /// What is kept here of each member.
    pub fn members(&self) -> &[Arc<Segment>] {
        &self.members
    }

    /// The component that first has a blob of a member.
    pub fn component_of(&self, member: u32, blob: u32) -> Result<u32> {
        let member = self.members.get(member as usize);
        of_member(member.ok_or(SegmentError::Damaged("the number of a member"))?, blob)
    }

    /// For each of `keys`, which ascend, the members and blobs that have it, in this order. All is
    /// read at once.
    pub fn postings(&self, keys: &[u64]) -> Answers<(u32, u32)> {
        let filter = self.index.section(IndexId::Filter)?;
        let mut passed = Vec::new();
        for (place, &key) in keys.iter().enumerate() {
            if may_have(&filter, key)? {
                passed.push((place, bytes_of(key)));
            }
        }
        let asked: Vec<&[u8]> = passed.iter().map(|(_, key)| &key[..POSTINGS.n_key]).collect();
        let found = self.find(POSTINGS, &asked)?;
        let mut all = vec![Vec::new(); keys.len()];
        for ((place, _), places) in passed.into_iter().zip(found) {
            all[place] = places;
        }
        Ok(all)
    }

    /// For each git id the members and blobs that have it, in this order. All is read at once.
    pub fn blobs_of(&self, ids: &[[u8; MAX_KEY]]) -> Answers<(u32, u32)> {
        self.find(IDS, &ids.iter().map(|id| &id[..]).collect::<Vec<_>>())
    }

    fn find(&self, rows: Rows, keys: &[&[u8]]) -> Answers<(u32, u32)> {
        let section = self.segment.section(rows.section)?;
        let firsts: Vec<&[u8]> =
            self.index.section(rows.firsts)?.all()?.chunks_exact(rows.n_key).collect();
        // The rows of a key may begin in the block before the first one that begins with it.
        let of_keys = keys.iter().map(|key| {
            let begin = firsts.partition_point(|first| first < key).saturating_sub(1);
            begin..firsts.partition_point(|first| first <= key)
        });
        let of_keys: Vec<Range<usize>> = of_keys.collect();
        let asked = of_keys.iter().filter(|blocks| !blocks.is_empty());
        let asked = asked.map(|blocks| (rows.section, bytes_in(&section, blocks)));
        self.segment.read_ahead(asked)?;
        let mut found = Vec::with_capacity(keys.len());
        for (key, blocks) in keys.iter().zip(of_keys) {
            let mut places = Vec::new();
            for block in blocks {
                let all: Vec<&[u8]> = rows
                    .of_block(section.bytes(bytes_in(&section, &(block..block + 1)))?)
                    .collect();
                let begin = all.partition_point(|row| row[..rows.n_key] < **key);
                let equal = all[begin..].iter().take_while(|row| row[..rows.n_key] == **key);
                places.extend(equal.map(|row| place_of(&row[rows.n_key..])));
            }
            found.push(places);
        }
        Ok(found)
    }
}
