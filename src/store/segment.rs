//! Reads a segment: an immutable file of checksummed sections. `docs/formats.md` gives the bytes.
//!
//! Invariant: whatever the file contains, nothing is read out of bounds, and no byte of a section is returned before
//! the checksum of its block has been verified. Blocks are verified when they are first read, so opening takes the
//! same time for any size.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::map::Map;

/// The first bytes of a segment file. The bytes around the name reveal a transfer that changed line endings.
pub(super) const MAGIC: [u8; 8] = *b"\x89SHSEG\r\n";
/// Increases with every change of the format.
pub const FORMAT_VERSION: u32 = 1;
/// The length of the header in bytes.
pub(super) const HEADER: usize = 72;
/// The length of a row of the table of sections in bytes.
pub(super) const ROW: usize = 24;
/// Bytes covered by one checksum.
pub(super) const BLOCK: usize = 4096;
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
}

/// The parameters of fingerprints; they are comparable only if these are equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SegmentParams {
    /// The noise threshold k.
    pub k: u32,
    /// The window w = t - k + 1.
    pub window: u32,
    /// The number of the scheme by which fingerprints were selected: see
    /// [`Scheme`](crate::fingerprint::schemes::Scheme).
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
    pub fn len(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha256 => 32,
        }
    }

    /// Always false: an id has bytes.
    pub fn is_empty(self) -> bool {
        false
    }
}

/// Why a segment cannot be used. The only cost is the time to rebuild it.
#[derive(Debug, thiserror::Error)]
pub enum SegmentError {
    /// The file could not be opened or written.
    #[error("cannot read or write `{}`: {why}", file.display())]
    File {
        /// The file.
        file: PathBuf,
        /// The reason.
        why: std::io::Error,
    },
    /// This file of several cannot be used.
    #[error("`{}`: {why}", file.display())]
    Of {
        /// The file.
        file: PathBuf,
        /// Why not.
        why: Box<SegmentError>,
    },
    /// It is no segment.
    #[error("it is not a segment of this program")]
    Foreign,
    /// It was written by another version of this program.
    #[error("its format is {found}, but only {FORMAT_VERSION} is supported")]
    Version {
        /// Its version.
        found: u32,
    },
    /// It is a segment of another kind.
    #[error("it is a segment of another kind")]
    OtherKind,
    /// It was made with other settings, language tables or another object format.
    #[error("it was made with other settings or language tables")]
    OtherParams,
    /// It is truncated.
    #[error("it is truncated")]
    Truncated,
    /// A checksum is wrong, or its contents are impossible.
    #[error("it is damaged: {0}")]
    Damaged(&'static str),
}

impl SegmentError {
    /// This error, of the file at `path`.
    pub(super) fn of(self, path: &Path) -> Self {
        match self {
            Self::File { .. } | Self::Of { .. } => self,
            why => Self::Of { file: path.to_owned(), why: Box::new(why) },
        }
    }

    /// Whether the file differs from what was written: rebuilding it helps.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Of { why, .. } => why.is_damage(),
            Self::Foreign | Self::OtherKind | Self::Truncated | Self::Damaged(_) => true,
            Self::File { .. } | Self::Version { .. } | Self::OtherParams => false,
        }
    }
}

/// An open segment.
#[derive(Debug)]
pub struct Segment {
    map: Map,
    kind: u32,
    params: SegmentParams,
    sections: Vec<SectionAt>,
    /// One bit for each block: whether its checksum was verified.
    checked: Box<[AtomicU64]>,
    /// The offset of the block checksums in the file.
    checksums: usize,
}

/// The location of a section.
#[derive(Debug)]
struct SectionAt {
    id: u32,
    range: Range<usize>,
    /// The number of its first block in the file.
    first_block: usize,
}

impl Segment {
    /// Maps and checks the segment at `path`.
    ///
    /// # Errors
    /// What is wrong with it; see [`SegmentError`].
    pub fn open(path: &Path) -> Result<Self, SegmentError> {
        let map = Map::open(path).map_err(|why| SegmentError::File { file: path.to_owned(), why })?;
        Self::new(map)
    }

    /// Reads a segment from memory.
    ///
    /// # Errors
    /// Like [`Segment::open`].
    pub fn from_bytes(bytes: impl Into<Box<[u8]>>) -> Result<Self, SegmentError> {
        Self::new(Map::Owned(bytes.into()))
    }

    fn new(map: Map) -> Result<Self, SegmentError> {
        let n_magic = map.len().min(MAGIC.len());
        if map[..n_magic] != MAGIC[..n_magic] {
            return Err(SegmentError::Foreign);
        }
        let version = u32_at(&map, 8).ok_or(SegmentError::Truncated)?;
        if version != FORMAT_VERSION {
            return Err(SegmentError::Version { found: version });
        }
        let header = map.get(..HEADER).ok_or(SegmentError::Truncated)?;
        let field = |at| u32_at(header, at).ok_or(SegmentError::Truncated);
        let long = |at| u64_at(header, at).ok_or(SegmentError::Truncated);
        if crc32fast::hash(&header[..HEADER - 4]) != field(HEADER - 4)? {
            return Err(SegmentError::Damaged("the header"));
        }
        if (map.len() as u64) < long(48)? {
            return Err(SegmentError::Truncated);
        }
        if map.len() as u64 != long(48)? {
            return Err(SegmentError::Damaged("something follows its end"));
        }
        let hash = match field(40)? {
            1 => HashKind::Sha1,
            2 => HashKind::Sha256,
            _ => return Err(SegmentError::Damaged("the kind of hash")),
        };
        let params = SegmentParams {
            k: field(16)?,
            window: field(20)?,
            scheme: field(24)?,
            normal_form: field(28)?,
            languages: long(32)?,
            hash,
        };
        let n_sections = field(44)? as usize;
        let table = usize::try_from(long(56)?).unwrap_or(usize::MAX);
        let of_table =
            map.get(table..).filter(|_| table >= HEADER).ok_or(SegmentError::Damaged("the table's place"))?;
        if crc32fast::hash(of_table) != field(64)? {
            return Err(SegmentError::Damaged("the table of sections"));
        }
        let (sections, n_blocks) = sections(of_table, n_sections, table)?;
        let kind = field(12)?;
        let checked = (0..n_blocks.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Ok(Self { kind, params, sections, checked, checksums: table + n_sections * ROW, map })
    }

    /// This segment, if it is of this `kind`.
    ///
    /// # Errors
    /// [`SegmentError::OtherKind`].
    pub fn of_kind(self, kind: SegmentKind) -> Result<Self, SegmentError> {
        if self.kind == kind as u32 { Ok(self) } else { Err(SegmentError::OtherKind) }
    }

    /// This segment, if it was made with `params`.
    ///
    /// # Errors
    /// [`SegmentError::OtherParams`].
    pub fn with_params(self, params: &SegmentParams) -> Result<Self, SegmentError> {
        if self.params == *params { Ok(self) } else { Err(SegmentError::OtherParams) }
    }

    /// What it was made with.
    pub fn params(&self) -> &SegmentParams {
        &self.params
    }

    /// The size of the file in bytes.
    pub fn n_bytes(&self) -> usize {
        self.map.len()
    }

    /// The section `id`.
    ///
    /// # Errors
    /// If the segment has no such section.
    pub fn section(&self, id: u32) -> Result<Section<'_>, SegmentError> {
        let found = self.sections.iter().find(|section| section.id == id);
        found.map(|at| Section { segment: self, at }).ok_or(SegmentError::Damaged("a section is missing"))
    }

    /// Reads every byte.
    ///
    /// # Errors
    /// When a checksum does not hold.
    pub fn verify(&self) -> Result<(), SegmentError> {
        self.sections.iter().try_for_each(|at| Section { segment: self, at }.all().map(drop))
    }

    /// Compares the checksum of a block, once.
    fn check(&self, section: &SectionAt, block: usize) -> Result<(), SegmentError> {
        let number = section.first_block + block;
        let (word, bit) = (&self.checked[number / 64], 1 << (number % 64));
        if word.load(Ordering::Relaxed) & bit != 0 {
            return Ok(());
        }
        let start = section.range.start + block * BLOCK;
        let bytes = &self.map[start..section.range.end.min(start + BLOCK)];
        if Some(crc32fast::hash(bytes)) != u32_at(&self.map, self.checksums + 4 * number) {
            return Err(SegmentError::Damaged("a block's checksum"));
        }
        word.fetch_or(bit, Ordering::Relaxed);
        Ok(())
    }
}

/// Reads the table of sections, which must be contiguous, with a checksum for each of their blocks.
fn sections(table: &[u8], n: usize, end: usize) -> Result<(Vec<SectionAt>, usize), SegmentError> {
    let damaged = SegmentError::Damaged;
    if n > MAX_SECTIONS || table.len() < n * ROW {
        return Err(damaged("the number of sections"));
    }
    let mut sections: Vec<SectionAt> = Vec::with_capacity(n);
    let (mut last_end, mut n_blocks) = (HEADER, 0);
    for row in table[..n * ROW].chunks_exact(ROW) {
        let read = |at| u64_at(row, at).and_then(|value| usize::try_from(value).ok());
        let (start, len) = read(8).zip(read(16)).ok_or(damaged("a section's place"))?;
        let range = start..start.checked_add(len).ok_or(damaged("a section's place"))?;
        let id = u32_at(row, 0).ok_or(damaged("a section's name"))?;
        if range.start < last_end || range.end > end || sections.iter().any(|other| other.id == id) {
            return Err(damaged("a section's place"));
        }
        last_end = range.end;
        sections.push(SectionAt { id, first_block: n_blocks, range });
        n_blocks += len.div_ceil(BLOCK);
    }
    if table.len() - n * ROW != n_blocks * 4 {
        return Err(damaged("the number of checksums"));
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
    ///
    /// # Errors
    /// If the range is out of bounds, or a checksum is wrong.
    #[inline]
    pub fn bytes(&self, range: Range<usize>) -> Result<&'s [u8], SegmentError> {
        if range.start > range.end || range.end > self.len() {
            return Err(SegmentError::Damaged("a reference leads out of its section"));
        }
        if !range.is_empty() {
            for block in range.start / BLOCK..=(range.end - 1) / BLOCK {
                self.segment.check(self.at, block)?;
            }
        }
        let start = self.at.range.start;
        Ok(&self.segment.map[start + range.start..start + range.end])
    }

    /// All its bytes, verified.
    ///
    /// # Errors
    /// If a checksum is wrong.
    pub fn all(&self) -> Result<&'s [u8], SegmentError> {
        self.bytes(0..self.len())
    }

    /// The `len` bytes of the row `at` of a table with rows of this length.
    ///
    /// # Errors
    /// Like [`Section::bytes`].
    #[inline]
    pub fn row(&self, at: usize, len: usize) -> Result<&'s [u8], SegmentError> {
        let start = at.checked_mul(len).ok_or(SegmentError::Damaged("a row's number"))?;
        self.bytes(start..start.saturating_add(len))
    }
}

/// The little-endian number at `at`.
#[inline]
pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

/// The little-endian number at `at`.
#[inline]
pub(super) fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}
