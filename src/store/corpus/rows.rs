//! Takes segments apart into rows, for engines that hold tables.
//!
//! A posting is a row of its own, so that an engine finds it by its key; so is the id of each blob.
//! The rest of a segment is kept in blocks as they are in its file.

use super::open::{CorpusSegment, SectionId};
use crate::store::segment::number_of;
use crate::store::{BlockAt, Postings, Result, SegmentError};

/// The sections of postings: tables have what they say.
pub(super) fn is_of_postings(id: u32) -> bool {
    (0..3).any(|at| id == SectionId::Postings as u32 + at)
}

/// A row of the table of postings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PostingRow {
    pub key: u64,
    pub blob: u32,
    pub component: u32,
}

impl CorpusSegment {
    /// What it takes to read it from elsewhere, besides its blocks.
    pub(super) fn head(&self) -> Result<Vec<u8>> {
        self.segment.head()
    }

    /// The postings in the order of their keys, then of blobs, at most `max` of each key.
    pub(super) fn posting_rows(
        &self,
        max: usize,
    ) -> Result<impl Iterator<Item = Result<PostingRow>> + '_> {
        let mut last = (u64::MAX, 0);
        let rows =
            Postings::new(&self.segment, SectionId::Postings)?.rows()?.filter(move |(key, _)| {
                last = if last.0 == *key { (*key, last.1 + 1) } else { (*key, 1) };
                last.1 <= max
            });
        Ok(rows.map(|(key, value)| {
            let blob = number_of(value);
            Ok(PostingRow { key, blob, component: self.component_of(blob)? })
        }))
    }

    /// The blocks of all sections but the postings.
    pub(super) fn block_rows(&self) -> Result<Vec<(BlockAt, &[u8])>> {
        let mut rows = Vec::new();
        for id in self.segment.section_ids().filter(|id| !is_of_postings(*id)) {
            rows.extend(self.segment.blocks(id)?);
        }
        Ok(rows)
    }

    /// The ids of all blobs, with their numbers, in the order of ids.
    pub(super) fn id_rows(&self) -> impl Iterator<Item = Result<(Vec<u8>, u32)>> + '_ {
        (0..self.n_blobs).map(|at| {
            let blob = number_of(self.segment.section(SectionId::ById)?.row(at as usize, 4)?);
            let id = self.id_of(blob)?.ok_or(SegmentError::Damaged("the id of a blob"))?;
            Ok((id.sha1().to_vec(), blob))
        })
    }
}
