//! Takes segments apart into rows, for engines that hold tables, and makes segments of them again.
//!
//! A posting is a row of its own, so that an engine finds it by its key; so is the id of each blob. The rest of a
//! segment is kept in blocks as they are in its file.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

#[cfg(feature = "remote")]
use super::filter::filter;
use super::open::{CorpusSegment, SECTION, number_of};
#[cfg(feature = "remote")]
use crate::store::SegmentWriter;
use crate::store::{BlockAt, Blocks, Postings, Segment, SegmentError, SegmentKind};

/// The numbers of the sections of an index, besides those that are copies.
pub(super) struct IndexSections {
    /// The head of the segment.
    pub head: u32,
    /// The SHA-256 of each block, 32 bytes each.
    pub digests: u32,
    /// A filter of the keys.
    pub filter: u32,
}

pub(super) const INDEX: IndexSections = IndexSections { head: 40, digests: 41, filter: 42 };

/// The sections that every look-up needs: description, blobs, their order by id, the directory of the postings, and
/// where each license ends.
const NEAR: [u32; 5] = [SECTION.meta, SECTION.blobs, SECTION.by_id, SECTION.postings, SECTION.licenses];

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

    /// The segment that `index` is of, whose blocks are elsewhere.
    pub(super) fn of_index(index: Segment, blocks: Box<dyn Blocks>) -> Result<Self, SegmentError> {
        let index = index.of_kind(SegmentKind::CorpusIndex)?;
        let head = index.section(INDEX.head)?.all()?.to_vec();
        Self::new(Segment::elsewhere(&head, blocks, Some(index))?)
    }

    /// Writes what is to be at hand to read this segment from elsewhere; returns the path of the file in `folder`.
    #[cfg(feature = "remote")]
    pub(super) fn write_index(&self, folder: &Path) -> Result<PathBuf, SegmentError> {
        let mut out = SegmentWriter::create(folder, SegmentKind::CorpusIndex, *self.segment.params())?;
        for id in NEAR {
            out.begin(id);
            out.write(self.segment.section(id)?.all()?)?;
        }
        out.begin(INDEX.head);
        out.write(&self.segment.head()?)?;
        out.begin(INDEX.digests);
        for id in self.segment.section_ids() {
            for (_, bytes) in self.segment.blocks(id)? {
                out.write(&Sha256::digest(bytes))?;
            }
        }
        let postings = Postings::new(&self.segment, SECTION.postings)?;
        let mut keys: Vec<u64> = postings.rows()?.map(|(key, _)| key).collect();
        keys.dedup();
        out.begin(INDEX.filter);
        out.write(&filter(keys.len(), keys.iter().copied()))?;
        out.finish("index")
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

    /// The blocks of all sections but the postings, of which the first is kept: it says how many there are.
    pub(super) fn block_rows(&self) -> Result<Vec<(BlockAt, &[u8])>, SegmentError> {
        let mut rows = Vec::new();
        for id in self.segment.section_ids() {
            match id.checked_sub(SECTION.postings) {
                Some(0) => rows.extend(self.segment.blocks(id)?.into_iter().take(1)),
                Some(1 | 2) => {}
                _ => rows.extend(self.segment.blocks(id)?),
            }
        }
        Ok(rows)
    }

    /// The ids of all blobs, with their numbers.
    pub(super) fn id_rows(&self) -> impl Iterator<Item = Result<(Vec<u8>, u32), SegmentError>> + '_ {
        let row = |blob: u32| {
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
