//! Takes segments apart into rows, for engines that hold tables, and makes segments of them again.
//!
//! A posting is a row of its own, so that an engine finds it by its key; so is the id of each blob. The rest of a
//! segment is kept in blocks as they are in its file.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::open::{CorpusSegment, SECTION, number_of};
#[cfg(feature = "remote")]
use crate::store::far::BLOCK;
use crate::store::{BlockAt, Blocks, Postings, Segment, SegmentError};
#[cfg(feature = "remote")]
use crate::store::{SegmentKind, SegmentWriter};

/// The numbers of the sections of indexes, besides those that are copies.
#[cfg(feature = "remote")]
pub(super) struct IndexSections {
    /// The head of the segment or of the table.
    pub head: u32,
    /// The [`digest`] of each block; of a segment without those of its postings.
    pub digests: u32,
    /// Of a segment, the first component of each blob, 4 bytes each.
    pub components: u32,
    /// Of a table, the first key of each block of postings, and of each block of ids.
    pub first_keys: u32,
    pub first_ids: u32,
    /// Of a table, where each of its members ends, 8 bytes each, and what is kept of them.
    pub member_ends: u32,
    pub members: u32,
    /// Of a table, a filter of its keys.
    pub filter: u32,
}

#[cfg(feature = "remote")]
pub(super) const INDEX: IndexSections = IndexSections {
    head: 40,
    digests: 41,
    components: 42,
    first_keys: 43,
    first_ids: 44,
    member_ends: 45,
    members: 46,
    filter: 47,
};

/// Bytes of the digest of a block. What is compared with it may be forged, but the digest itself is part of an index that
/// has a whole one: 128 bits are enough against another block with the same digest.
#[cfg(feature = "remote")]
pub(super) const DIGEST: usize = 16;

/// The digest of a block: the beginning of its SHA-256.
#[cfg(feature = "remote")]
pub(super) fn digest(block: &[u8]) -> [u8; DIGEST] {
    Sha256::digest(block).first_chunk().copied().unwrap_or_default()
}

/// The sections of a segment that every look-up needs: its description, and where each license ends.
#[cfg(feature = "remote")]
const NEAR: [u32; 2] = [SECTION.meta, SECTION.licenses];

/// The first component of a blob, from what is kept of its segment.
#[cfg(feature = "remote")]
pub(super) fn of_member(member: &Segment, blob: u32) -> Result<u32, SegmentError> {
    Ok(number_of(member.section(INDEX.components)?.row(blob as usize, 4)?))
}

/// The sections of postings: tables have what they say.
fn is_of_postings(id: u32) -> bool {
    (SECTION.postings..SECTION.postings + 3).contains(&id)
}

/// A row of the table of postings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PostingRow {
    pub key: u64,
    pub blob: u32,
    pub component: u32,
}

impl CorpusSegment {
    /// The segment at `path`, to take apart.
    pub(super) fn open_file(path: &Path) -> Result<Self, SegmentError> {
        Self::open(path)
    }

    /// The segment that `head` describes, whose blocks are elsewhere.
    pub(super) fn of_blocks(head: &[u8], blocks: Box<dyn Blocks>) -> Result<Self, SegmentError> {
        Self::new(Segment::elsewhere(head, blocks, None)?)
    }

    /// The segment that `member` is kept of, whose blocks are elsewhere.
    #[cfg(feature = "remote")]
    pub(super) fn of_member(member: std::sync::Arc<Segment>, blocks: Box<dyn Blocks>) -> Result<Self, SegmentError> {
        let head = member.section(INDEX.head)?.all()?.to_vec();
        Self::new(Segment::elsewhere(&head, blocks, Some(member))?)
    }

    /// What is to be at hand to read this segment from elsewhere.
    #[cfg(feature = "remote")]
    pub(super) fn member(&self) -> Result<Vec<u8>, SegmentError> {
        let mut out = SegmentWriter::in_memory(SegmentKind::CorpusIndex, *self.segment.params());
        for id in NEAR {
            out.begin(id);
            out.write(self.segment.section(id)?.all()?)?;
        }
        out.begin(INDEX.head);
        out.write(&self.segment.head()?)?;
        out.begin(INDEX.digests);
        for id in self.segment.section_ids().filter(|id| !is_of_postings(*id)) {
            for (_, bytes) in self.segment.blocks(id)? {
                out.write(&digest(bytes))?;
            }
        }
        out.begin(INDEX.components);
        for blob in 0..self.n_blobs {
            out.write(&self.component_of(blob)?.to_le_bytes())?;
        }
        out.finish_in_memory()
    }

    /// The numbers of the blocks that [`CorpusSegment::member`] has no digests of.
    #[cfg(feature = "remote")]
    pub(super) fn blocks_without_digests(member: &Segment) -> Result<std::ops::Range<u32>, SegmentError> {
        let form = Segment::described(member.section(INDEX.head)?.all()?)?;
        let n_blocks =
            |(_, range): &(u32, std::ops::Range<u64>)| (range.end - range.start).div_ceil(BLOCK as u64) as u32;
        let before = form.sections.iter().take_while(|(id, _)| !is_of_postings(*id)).map(n_blocks).sum();
        let without: u32 = form.sections.iter().filter(|(id, _)| is_of_postings(*id)).map(n_blocks).sum();
        Ok(before..before + without)
    }

    /// What it takes to read it from elsewhere, besides its blocks.
    pub(super) fn head(&self) -> Result<Vec<u8>, SegmentError> {
        self.segment.head()
    }

    /// The postings in the order of their keys, then of blobs, at most `max` of each key.
    pub(super) fn posting_rows(
        &self,
        max: usize,
    ) -> Result<impl Iterator<Item = Result<PostingRow, SegmentError>> + '_, SegmentError> {
        let mut last = (u64::MAX, 0);
        let rows = Postings::new(&self.segment, SECTION.postings)?.rows()?.filter(move |(key, _)| {
            last = if last.0 == *key { (*key, last.1 + 1) } else { (*key, 1) };
            last.1 <= max
        });
        Ok(rows.map(|(key, value)| {
            let blob = number_of(value);
            Ok(PostingRow { key, blob, component: self.component_of(blob)? })
        }))
    }

    /// The blocks of all sections but the postings.
    pub(super) fn block_rows(&self) -> Result<Vec<(BlockAt, &[u8])>, SegmentError> {
        let mut rows = Vec::new();
        for id in self.segment.section_ids().filter(|id| !is_of_postings(*id)) {
            rows.extend(self.segment.blocks(id)?);
        }
        Ok(rows)
    }

    /// The ids of all blobs, with their numbers, in the order of ids.
    pub(super) fn id_rows(&self) -> impl Iterator<Item = Result<(Vec<u8>, u32), SegmentError>> + '_ {
        let row = |at: u32| {
            let blob = number_of(self.segment.section(SECTION.by_id)?.row(at as usize, 4)?);
            let id = self.id_of(blob)?.ok_or(SegmentError::Damaged("the id of a blob"))?;
            Ok((id.sha1().to_vec(), blob))
        };
        (0..self.n_blobs).map(row)
    }
}

/// The SHA-256 of a file, in hexadecimal, and its length.
pub(super) fn digest_of(path: &PathBuf) -> std::io::Result<(String, u64)> {
    let mut hasher = Sha256::new();
    let mut file = std::fs::File::open(path)?;
    let n = std::io::copy(&mut file, &mut HashWriter(&mut hasher))?;
    Ok((super::hex(&hasher.finalize()), n))
}

struct HashWriter<'h>(&'h mut Sha256);

impl std::io::Write for HashWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
