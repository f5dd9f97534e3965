//! Keeps at hand what every look-up needs of segments and tables that are elsewhere: the sections
//! of indexes.

use std::ops::Range;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::open::{BlobRow, CorpusSegment, KeptRows, SectionId};
use super::rows::is_of_postings;
use crate::store::far::BLOCK;
use crate::store::segment::number_of;
use crate::store::{Blocks, Result, Segment, SegmentError, SegmentKind, SegmentWriter};
use crate::text::varint::{put, take};

/// The sections of indexes, besides those that are copies.
#[derive(Debug, Clone, Copy)]
pub(super) enum IndexId {
    /// The head of the segment or of the table.
    Head = 40,
    /// The [`digest`] of each block; of a segment without those of its postings.
    Digests = 41,
    /// Of a segment, the first component of each blob: the bytes of a number, 0 where all are 0,
    /// then the numbers.
    Components = 42,
    /// Of a segment, the language of each blob, and how long its tokens and its record are, as
    /// varints.
    Lengths = 48,
    /// Of a table, the first key of each block of postings, and of each block of ids.
    FirstKeys = 43,
    FirstIds = 44,
    /// Of a table, where each of its members ends, 8 bytes each, and what is kept of them.
    MemberEnds = 45,
    Members = 46,
    /// Of a table, a filter of its keys.
    Filter = 47,
}

impl From<IndexId> for u32 {
    fn from(id: IndexId) -> Self {
        id as Self
    }
}

/// Bytes of the digest of a block. What is compared with it may be forged, but the digest itself is
/// part of an index that has a whole one: 128 bits are enough against another block with the same
/// digest.
pub(super) const DIGEST: usize = 16;

/// The digest of a block: the beginning of its SHA-256.
pub(super) fn digest(block: &[u8]) -> [u8; DIGEST] {
    Sha256::digest(block).first_chunk().copied().unwrap_or_default()
}

/// The first component of a blob, from what is kept of its segment.
pub(super) fn of_member(member: &Segment, blob: u32) -> Result<u32> {
    let all = member.section(IndexId::Components)?;
    let width = usize::from(all.bytes(0..1)?[0]);
    let start = 1 + blob as usize * width;
    Ok(number_of(all.bytes(start..start + width)?))
}

/// Writes the first component of each blob, as [`of_member`] reads it.
fn write_components(out: &mut SegmentWriter, components: &[u32]) -> Result<()> {
    let width = match components.iter().max().copied().unwrap_or(0) {
        0 => 0,
        max => max.ilog2() as usize / 8 + 1,
    };
    out.section(IndexId::Components, &[width as u8])?;
    components.iter().try_for_each(|component| out.write(&component.to_le_bytes()[..width]))
}

/// Where the parts of each blob are in the sections of a segment, from what is kept of it: they
/// follow each other.
fn blob_rows(member: &Segment) -> Option<Vec<BlobRow>> {
    let mut bytes = member.section(IndexId::Lengths).and_then(|section| section.all()).ok()?;
    let (mut rows, mut packed, mut record) = (Vec::new(), 0..0_usize, 0..0_usize);
    while !bytes.is_empty() {
        let mut next = || u32::try_from(take(&mut bytes)?).ok();
        let language = next()?;
        packed = packed.end..packed.end.saturating_add(next()? as usize);
        record = record.end..record.end.saturating_add(next()? as usize);
        rows.push(BlobRow { language, packed: packed.clone(), record: record.clone() });
    }
    Some(rows)
}

impl CorpusSegment {
    /// The segment that `member` is kept of, whose blocks are elsewhere.
    pub(super) fn of_member(member: Arc<Segment>, blocks: Box<dyn Blocks>) -> Result<Self> {
        let head = member.section(IndexId::Head)?.all()?.to_vec();
        let mut segment = Self::new(Segment::elsewhere(&head, blocks, Some(Arc::clone(&member)))?)?;
        segment.kept_rows = Some(KeptRows::new(Box::new(move || blob_rows(&member))));
        Ok(segment)
    }

    /// What is to be at hand to read this segment from elsewhere.
    pub(super) fn member(&self) -> Result<Vec<u8>> {
        let mut out = SegmentWriter::in_memory(SegmentKind::CorpusIndex, *self.segment.params());
        // Every look-up needs its description, and where each license ends.
        for id in [SectionId::Meta, SectionId::Licenses] {
            out.section(id, self.segment.section(id)?.all()?)?;
        }
        out.section(IndexId::Head, &self.segment.head()?)?;
        out.begin(IndexId::Digests);
        for (_, bytes) in self.block_rows()? {
            out.write(&digest(bytes))?;
        }
        let components = (0..self.n_blobs).map(|blob| self.component_of(blob));
        write_components(&mut out, &components.collect::<Result<Vec<_>>>()?)?;
        let (mut lengths, mut packed_end, mut record_end) = (Vec::new(), 0, 0);
        for blob in 0..self.n_blobs {
            let BlobRow { language, packed, record } = self.row(blob)?;
            if (packed.start, record.start) != (packed_end, record_end) {
                return Err(SegmentError::Damaged("the order of its blobs"));
            }
            (packed_end, record_end) = (packed.end, record.end);
            put(&mut lengths, u64::from(language));
            put(&mut lengths, packed.len() as u64);
            put(&mut lengths, record.len() as u64);
        }
        out.section(IndexId::Lengths, &lengths)?;
        out.finish_in_memory()
    }

    /// The numbers of the blocks that [`CorpusSegment::member`] has no digests of.
    pub(super) fn blocks_without_digests(member: &Segment) -> Result<Range<u32>> {
        let form = Segment::described(member.section(IndexId::Head)?.all()?)?;
        let before: u32 =
            form.sections.iter().take_while(|(id, _)| !is_of_postings(*id)).map(n_blocks).sum();
        let without: u32 =
            form.sections.iter().filter(|(id, _)| is_of_postings(*id)).map(n_blocks).sum();
        Ok(before..before + without)
    }
}

fn n_blocks((_, range): &(u32, Range<u64>)) -> u32 {
    (range.end - range.start).div_ceil(BLOCK as u64) as u32
}
