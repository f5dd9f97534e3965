//! Reads a segment: an immutable file of checksummed sections, mapped into memory or read in parts
//! from elsewhere. `docs/formats.md` gives the bytes.
//!
//! Invariant: whatever the file contains, nothing is read out of bounds, and no byte of a section
//! is returned before the checksum of its block has been verified. Blocks are verified when they
//! are first read, so opening takes the same time for any size.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sha2::{Digest as _, Sha256};

use super::error::{FORMAT_VERSION, Result, SegmentError};
use super::far::{BLOCK, BlockAt, Blocks, Far, SectionAt};
use super::map::Map;

/// The first bytes of a segment file. The bytes around the name reveal a transfer that changed line
/// endings.
pub(super) const MAGIC: [u8; 8] = *b"\x89SHSEG\r\n";
/// Bytes of the header.
pub(super) const HEADER: usize = 72;
/// Bytes of a row of the table of sections.
pub(super) const ROW: usize = 24;
/// Maximum sections of a segment.
const MAX_SECTIONS: usize = 64;

/// The kind of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum SegmentKind {
    /// Fingerprints by blob.
    Cache = 1,
    /// Where each fingerprint of a history first appeared.
    History = 2,
    /// Fingerprints of the components of a corpus.
    Corpus = 3,
    /// What is kept at hand of a segment of a corpus that is elsewhere.
    CorpusIndex = 4,
    /// The sorted postings of many segments that are elsewhere.
    Table = 5,
}

/// The parameters of fingerprints; they are comparable only if these are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SegmentParams {
    /// The noise threshold k.
    pub k: u32,
    /// The window w = t - k + 1.
    pub window: u32,
    /// The number of the scheme by which fingerprints were selected:
    /// [`ROBUST_WINNOWING`](crate::fingerprint::ROBUST_WINNOWING).
    pub scheme: u32,
    /// The reading of tokens that is hashed: 1 is the normalized one.
    pub normal_form: u32,
    /// A digest of the language tables and of the code that uses them.
    pub languages: u64,
    /// The hash of blob ids.
    pub hash: HashKind,
}

/// The hash that a repository uses for its ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum HashKind {
    /// Twenty bytes.
    Sha1 = 1,
    /// Thirty-two bytes.
    Sha256 = 2,
}

impl HashKind {
    /// The length of an id in bytes.
    pub fn n_bytes(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha256 => 32,
        }
    }
}

/// An open segment.
#[derive(Debug)]
pub struct Segment {
    bytes: Bytes,
    kind: u32,
    params: SegmentParams,
    sections: Vec<SectionAt>,
    /// The length of the file.
    len: usize,
}

#[derive(Debug)]
enum Bytes {
    Here {
        map: Map,
        /// One bit for each block: whether its checksum was verified.
        checked: Box<[AtomicU64]>,
        /// The offset of the block checksums in the file.
        checksums: usize,
    },
    Elsewhere {
        far: Far,
        /// Copies of the sections that every look-up needs.
        near: Option<Arc<Segment>>,
    },
}

impl Segment {
    /// Maps and checks the segment at `path`.
    pub fn open(path: &Path) -> Result<Self> {
        Self::new(Map::open(path).map_err(SegmentError::file(path))?)
    }

    /// Reads a segment from memory.
    pub fn from_bytes(bytes: impl Into<Box<[u8]>>) -> Result<Self> {
        Self::new(Map::Owned(bytes.into()))
    }

    fn new(map: Map) -> Result<Self> {
        let head = Header::new(&map)?;
        if (map.len() as u64) < head.len {
            return Err(SegmentError::Truncated);
        }
        if map.len() as u64 != head.len {
            return Err(SegmentError::Damaged("something follows its end"));
        }
        let Header { table, n_sections, .. } = head;
        let of_table = map
            .get(table..)
            .filter(|_| table >= HEADER)
            .ok_or(SegmentError::Damaged("the table's place"))?;
        if crc32fast::hash(of_table) != head.table_checksum {
            return Err(SegmentError::Damaged("the table of sections"));
        }
        let (sections, n_blocks) = sections(of_table, n_sections, table)?;
        if of_table.len() - n_sections * ROW != n_blocks * 4 {
            return Err(SegmentError::Damaged("the number of checksums"));
        }
        let checked = (0..n_blocks.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        let len = map.len();
        let bytes = Bytes::Here { map, checked, checksums: table + n_sections * ROW };
        Ok(Self { kind: head.kind, params: head.params, sections, bytes, len })
    }

    /// A segment whose file is elsewhere: `head` is what [`Segment::head`] made of it, `blocks`
    /// reads its blocks, and `near` has copies of some of its sections.
    pub fn elsewhere(
        head: &[u8],
        blocks: Box<dyn Blocks>,
        near: Option<Arc<Segment>>,
    ) -> Result<Self> {
        let header = Header::new(head)?;
        let (sections, n_blocks) = sections(checked_rows(head)?, header.n_sections, header.table)?;
        let bytes = Bytes::Elsewhere { far: Far::new(blocks, n_blocks), near };
        let len = usize::try_from(header.len).map_err(|_| SegmentError::Truncated)?;
        Ok(Self { kind: header.kind, params: header.params, sections, bytes, len })
    }

    /// What a head says: with which parameters it was made, and where its sections are.
    pub fn described(head: &[u8]) -> Result<SegmentForm> {
        let header = Header::new(head)?;
        let rows = checked_rows(head)?;
        let (sections, _) = sections(rows, header.n_sections, header.table)?;
        let places = sections
            .iter()
            .map(|SectionAt { id, range, .. }| (*id, range.start as u64..range.end as u64));
        Ok(SegmentForm { params: header.params, sections: places.collect() })
    }

    /// The header and the table of sections, with a checksum: what it takes to read this segment
    /// from elsewhere. It must be here.
    pub fn head(&self) -> Result<Vec<u8>> {
        let Bytes::Here { map, checksums, .. } = &self.bytes else {
            return Err(SegmentError::Damaged("it is elsewhere"));
        };
        let rows = &map[checksums - self.sections.len() * ROW..*checksums];
        let mut head = [&map[..HEADER], rows].concat();
        head.extend(crc32fast::hash(&head).to_le_bytes());
        Ok(head)
    }

    /// A digest of everything in it: of its header, its table and the checksums of its blocks.
    /// `None` if it is elsewhere.
    pub fn digest(&self) -> Option<[u8; 32]> {
        let Bytes::Here { map, checksums, .. } = &self.bytes else { return None };
        let table = checksums - self.sections.len() * ROW;
        let digest = Sha256::new().chain_update(&map[..HEADER]).chain_update(&map[table..]);
        Some(digest.finalize().into())
    }

    /// The blocks of a section with their bytes, verified.
    pub fn blocks(&self, id: impl Into<u32>) -> Result<Vec<(BlockAt, &[u8])>> {
        let section = self.section(id)?;
        let all = section.all()?.chunks(BLOCK).enumerate();
        Ok(all.map(|(n, bytes)| (section.at.block(n), bytes)).collect())
    }

    /// The numbers of its sections, in the order of the file.
    pub fn section_ids(&self) -> impl Iterator<Item = u32> {
        self.sections.iter().map(|section| section.id)
    }

    /// Whether its file is elsewhere.
    pub fn is_elsewhere(&self) -> bool {
        matches!(self.bytes, Bytes::Elsewhere { .. })
    }

    /// Reads parts of sections at once, if they are elsewhere and will be asked for.
    pub fn read_ahead(
        &self,
        parts: impl IntoIterator<Item = (impl Into<u32>, Range<usize>)>,
    ) -> Result<()> {
        let Bytes::Elsewhere { far, near } = &self.bytes else { return Ok(()) };
        let mut pieces = Vec::new();
        for (id, range) in parts {
            let id = id.into();
            if near.as_ref().is_none_or(|near| near.section(id).is_err()) {
                pieces.push((self.section(id)?.at, range));
            }
        }
        far.read_ahead(&pieces)
    }

    /// This segment, if it is of this `kind`.
    pub fn of_kind(self, kind: SegmentKind) -> Result<Self> {
        if self.kind == kind as u32 { Ok(self) } else { Err(SegmentError::OtherKind) }
    }

    /// This segment, if it was made with `params`.
    pub fn with_params(self, params: &SegmentParams) -> Result<Self> {
        if self.params == *params { Ok(self) } else { Err(SegmentError::OtherParams) }
    }

    /// What it was made with.
    pub fn params(&self) -> &SegmentParams {
        &self.params
    }

    /// The size of the file in bytes.
    pub fn n_bytes(&self) -> usize {
        self.len
    }

    /// The section `id`.
    #[inline]
    pub fn section(&self, id: impl Into<u32>) -> Result<Section<'_>> {
        let id = id.into();
        let found = self.sections.iter().find(|section| section.id == id);
        let at = found.ok_or(SegmentError::Damaged("a section is missing"))?;
        Ok(Section { segment: self, at })
    }

    /// Reads every byte.
    pub fn verify(&self) -> Result<()> {
        self.sections.iter().try_for_each(|at| Section { segment: self, at }.all().map(drop))
    }
}

/// What a segment consists of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentForm {
    /// The parameters.
    pub params: SegmentParams,
    /// The number of each section, and its bytes in the file.
    pub sections: Vec<(u32, Range<u64>)>,
}

/// The rows of the table of sections in a head.
fn checked_rows(head: &[u8]) -> Result<&[u8]> {
    let rows = head.get(HEADER..head.len().saturating_sub(4)).ok_or(SegmentError::Truncated)?;
    if u32_at(head, head.len() - 4) == Some(crc32fast::hash(&head[..head.len() - 4])) {
        return Ok(rows);
    }
    Err(SegmentError::Damaged("the table of sections"))
}

struct Header {
    kind: u32,
    params: SegmentParams,
    n_sections: usize,
    /// The length of the file.
    len: u64,
    /// Where the table of sections begins.
    table: usize,
    table_checksum: u32,
}

impl Header {
    fn new(bytes: &[u8]) -> Result<Self> {
        let n_magic = bytes.len().min(MAGIC.len());
        if bytes[..n_magic] != MAGIC[..n_magic] {
            return Err(SegmentError::Foreign);
        }
        let version = u32_at(bytes, 8).ok_or(SegmentError::Truncated)?;
        if version != FORMAT_VERSION {
            return Err(SegmentError::Version { found: version });
        }
        let header = bytes.get(..HEADER).ok_or(SegmentError::Truncated)?;
        if Some(crc32fast::hash(&header[..HEADER - 4])) != u32_at(header, HEADER - 4) {
            return Err(SegmentError::Damaged("the header"));
        }
        let [kind, k, window, scheme, normal_form, hash, n_sections, table_checksum] =
            [12, 16, 20, 24, 28, 40, 44, 64].map(|at| u32_at(header, at).unwrap_or_default());
        let [languages, len, table] = [32, 48, 56].map(|at| u64_at(header, at).unwrap_or_default());
        let hash = match hash {
            1 => HashKind::Sha1,
            2 => HashKind::Sha256,
            _ => return Err(SegmentError::Damaged("the kind of hash")),
        };
        let params = SegmentParams { k, window, scheme, normal_form, languages, hash };
        let n_sections = n_sections as usize;
        let table = usize::try_from(table).unwrap_or(usize::MAX);
        Ok(Self { kind, params, n_sections, len, table, table_checksum })
    }
}

impl SectionAt {
    /// Compares the checksum of a block of a mapped file, once.
    fn check(
        &self,
        block: usize,
        map: &Map,
        checked: &[AtomicU64],
        checksums: usize,
    ) -> Result<()> {
        let number = self.first_block + block;
        let (word, bit) = (&checked[number / 64], 1 << (number % 64));
        if word.load(Ordering::Relaxed) & bit != 0 {
            return Ok(());
        }
        let start = self.range.start + block * BLOCK;
        let bytes = &map[start..self.range.end.min(start + BLOCK)];
        if Some(crc32fast::hash(bytes)) != u32_at(map, checksums + 4 * number) {
            return Err(SegmentError::Damaged("a block's checksum"));
        }
        word.fetch_or(bit, Ordering::Relaxed);
        Ok(())
    }
}

/// Reads the table of sections, which must be contiguous; returns them and the number of their
/// blocks.
fn sections(table: &[u8], n: usize, end: usize) -> Result<(Vec<SectionAt>, usize)> {
    let damaged = SegmentError::Damaged;
    if n > MAX_SECTIONS || table.len() < n * ROW {
        return Err(damaged("the number of sections"));
    }
    let mut sections: Vec<SectionAt> = Vec::with_capacity(n);
    let (mut last_end, mut n_blocks) = (HEADER, 0);
    for row in table[..n * ROW].chunks_exact(ROW) {
        let [start, len] = [8, 16].map(|at| usize::try_from(u64_at(row, at)?).ok());
        let (start, len) = start.zip(len).ok_or(damaged("a section's place"))?;
        let range = start..start.checked_add(len).ok_or(damaged("a section's place"))?;
        let id = u32_at(row, 0).ok_or(damaged("a section's name"))?;
        if range.start < last_end || range.end > end || sections.iter().any(|other| other.id == id)
        {
            return Err(damaged("a section's place"));
        }
        last_end = range.end;
        sections.push(SectionAt { id, first_block: n_blocks, range });
        n_blocks += len.div_ceil(BLOCK);
    }
    Ok((sections, n_blocks))
}

/// A section of an open segment.
#[derive(Debug, Clone, Copy)]
pub struct Section<'s> {
    segment: &'s Segment,
    at: &'s SectionAt,
}

impl<'s> Section<'s> {
    /// Its length in bytes.
    pub fn len(&self) -> usize {
        self.at.range.len()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.at.range.is_empty()
    }

    /// Its bytes in `range`, verified.
    #[inline]
    pub fn bytes(&self, range: Range<usize>) -> Result<&'s [u8]> {
        if range.start > range.end || range.end > self.len() {
            return Err(SegmentError::Damaged("a reference leads out of its section"));
        }
        match &self.segment.bytes {
            Bytes::Here { map, checked, checksums } => {
                for block in self.at.blocks(&range) {
                    self.at.check(block, map, checked, *checksums)?;
                }
                let start = self.at.range.start;
                Ok(&map[start + range.start..start + range.end])
            }
            Bytes::Elsewhere { far, near } => {
                match near.as_ref().and_then(|near| near.section(self.at.id).ok()) {
                    Some(near) => near.bytes(range),
                    None => far.bytes(self.at, range),
                }
            }
        }
    }

    /// All its bytes, verified.
    pub fn all(&self) -> Result<&'s [u8]> {
        self.bytes(0..self.len())
    }

    /// The texts in it, each after its length in `n_len` bytes; `None` for one that is not whole.
    pub(super) fn texts(&self, n_len: usize) -> Result<impl Iterator<Item = Option<&'s [u8]>>> {
        let mut rest = self.all()?;
        Ok(std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let (len, behind) = rest.split_at_checked(n_len).unwrap_or_default();
            let split = behind.split_at_checked(number_of(len) as usize);
            rest = split.map_or(&[], |(_, rest)| rest);
            Some(split.map(|(text, _)| text))
        }))
    }

    /// The `len` bytes of the row `at` of a table with rows of this length.
    #[inline]
    pub fn row(&self, at: usize, len: usize) -> Result<&'s [u8]> {
        let start = at.checked_mul(len).ok_or(SegmentError::Damaged("a row's number"))?;
        self.bytes(start..start.saturating_add(len))
    }
}

/// The little-endian number at `at`.
#[inline]
pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

/// The little-endian number of up to four bytes.
#[inline]
pub(super) fn number_of(bytes: &[u8]) -> u32 {
    bytes.iter().take(4).rev().fold(0, |number, &byte| number << 8 | u32::from(byte))
}

/// The big-endian number of up to eight bytes.
#[inline]
pub(super) fn big_endian(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// The range of `len` bytes from `start` on.
#[inline]
pub(super) fn span(start: u64, len: usize) -> Range<usize> {
    let start = usize::try_from(start).unwrap_or(usize::MAX);
    start..start.saturating_add(len)
}

/// The little-endian number at `at`.
#[inline]
pub(super) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}
