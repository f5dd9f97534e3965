//! Writes, merges and opens the tables of a corpus in an object store, and looks up in them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use super::manifest::{Manifest, Removal, Source, TableObjects};
use super::session::ObjectBlocks;
use super::{Objects, kept_name};
use crate::files::{self, BlobId};
use crate::store::corpus::lookups::{Answers, AskedSegments, BlobAt, BlobPosting, Lookups, each};
use crate::store::corpus::table::{self, Input, MAX_MEMBERS, Table};
use crate::store::corpus::{CorpusError, CorpusSegment};
use crate::store::{Result, Segment, SegmentError, SegmentKind};

impl Objects {
    /// A table, to look up in. Its index is from here if it was read before and is whole.
    pub(super) fn table(&self, of: &TableObjects, folder: &Path) -> Result<Table, CorpusError> {
        let path = folder.join(kept_name(of));
        if std::fs::metadata(&path).is_ok_and(|found| found.len() == of.index_len)
            && let Ok(opened) = self.opened(of, &path)
        {
            return Ok(opened);
        }
        self.download(&of.index(), &path)?;
        self.opened(of, &path)
            .map_err(|why| self.location.fails(format!("its index `{}`: {why}", of.index)))
    }

    fn opened(&self, of: &TableObjects, path: &Path) -> Result<Table> {
        let index = Arc::new(Segment::open(path)?.of_kind(SegmentKind::CorpusIndex)?);
        let (session, object) = (Arc::clone(&self.session), of.table());
        let blocks = ObjectBlocks { session, object, index: Arc::clone(&index), skipped: 0..0 };
        let table = Table::new(index, Box::new(blocks))?;
        if table.members().len() != of.members.len() {
            return Err(SegmentError::Damaged("the number of its members"));
        }
        Ok(table)
    }

    /// The segment of a source, of which `member` is kept here.
    pub(super) fn segment(&self, source: &Source, member: &Arc<Segment>) -> Result<CorpusSegment> {
        let skipped = CorpusSegment::blocks_without_digests(member)?;
        let (session, object) = (Arc::clone(&self.session), source.segment());
        let blocks = ObjectBlocks { session, object, index: Arc::clone(member), skipped };
        CorpusSegment::of_member(Arc::clone(member), Box::new(blocks))
    }

    /// Makes one table of the segments `new` and of those tables of the manifest for which
    /// `is_meant`, all of one sampling, without what no source is any more; returns the bytes that
    /// were uploaded.
    pub(super) fn write_table(
        &self,
        manifest: &mut Manifest,
        new: Vec<(String, CorpusSegment)>,
        sampling: (usize, usize),
        is_meant: impl Fn(&TableObjects) -> bool,
    ) -> Result<u64, CorpusError> {
        let fails = |why: SegmentError| self.location.fails_with(why);
        let folder = tempfile::TempDir::new().map_err(|why| self.location.fails(why))?;
        let named = manifest.parts();
        let (meant, kept): (Vec<_>, Vec<_>) =
            std::mem::take(&mut manifest.tables).into_iter().partition(is_meant);
        manifest.tables = kept;
        let segments: BTreeSet<&str> =
            manifest.sources.iter().map(|source| source.segment.as_str()).collect();
        let of_tables = meant.iter().flat_map(|of| &of.members);
        let of_tables = of_tables.filter(|member| segments.contains(member.as_str()));
        // In one order however they came: the same sources make the same bytes.
        let members: BTreeSet<String> =
            of_tables.chain(new.iter().map(|(digest, _)| digest)).cloned().collect();
        let numbers: BTreeMap<&str, u32> = members.iter().map(String::as_str).zip(0..).collect();
        let mut inputs = Vec::new();
        for of in &meant {
            let [table, index] =
                ["table", "index"].map(|name| folder.path().join(format!("{name}-{}", of.table)));
            self.download(&of.table(), &table)?;
            self.download(&of.index(), &index)?;
            let numbers =
                of.members.iter().map(|member| numbers.get(member.as_str()).copied()).collect();
            let table = Segment::open(&table).map_err(fails)?;
            let index = Segment::open(&index).map_err(fails)?;
            inputs.push(Input::Table { table, index, numbers });
        }
        for (digest, segment) in new {
            inputs.push(Input::Segment(segment, numbers[digest.as_str()]));
        }
        manifest.dropped.extend(meant.into_iter().map(Removal::now));
        if members.is_empty() {
            return Ok(0);
        }
        let table::TableFile { table, index, n_postings } =
            table::write(&inputs, members.len(), folder.path()).map_err(fails)?;
        let (table_digest, len) = files::digest(&table).map_err(CorpusError::file(&table))?;
        let (index_digest, index_len) = files::digest(&index).map_err(CorpusError::file(&index))?;
        let members = members.into_iter().collect();
        let written = TableObjects {
            table: table_digest,
            len,
            index: index_digest,
            index_len,
            n_postings,
            sampling,
            members,
        };
        self.upload(&written.table(), &table, &named)?;
        self.upload(&written.index(), &index, &named)?;
        // The same bytes as one that was dropped: it is not to be deleted.
        manifest.dropped.retain(|dropped| dropped.of.table != written.table);
        manifest.tables.push(written);
        Ok(len + index_len)
    }

    /// Makes one table of all tables of each sampling; returns the number of sources in them.
    pub(super) fn merge_tables(&self, manifest: &mut Manifest) -> Result<usize, CorpusError> {
        let samplings: BTreeSet<_> = manifest.tables.iter().map(|of| of.sampling).collect();
        let mut n_merged = 0;
        for sampling in samplings {
            let tables: Vec<&TableObjects> =
                manifest.tables.iter().filter(|of| of.sampling == sampling).collect();
            let lacks_some = tables.iter().any(|of| manifest.lacks_some(of));
            let n: usize = tables.iter().map(|of| of.members.len()).sum();
            if (tables.len() > 1 && n <= MAX_MEMBERS) || lacks_some {
                self.write_table(manifest, Vec::new(), sampling, |of| of.sampling == sampling)?;
                n_merged +=
                    manifest.sources.iter().filter(|source| source.sampling == sampling).count();
            }
        }
        Ok(n_merged)
    }
}

/// The tables to be written anew with `n_postings` more, by their digests.
///
/// Those are the largest table that has no more postings than all smaller ones and the new ones
/// together, and all that are smaller. Afterwards each table has more postings than all smaller
/// ones together, so n postings are in at most 1 + log2 n tables; and what is written again is in a
/// table at least twice as large as before, so that no posting is written more than 1 + log2 n
/// times, however often sources come.
pub(super) fn tables_to_merge(
    tables: &[TableObjects],
    sampling: (usize, usize),
    n_postings: u64,
) -> BTreeSet<String> {
    let mut tables: Vec<&TableObjects> =
        tables.iter().filter(|of| of.sampling == sampling).collect();
    tables.sort_by_key(|of| of.n_postings);
    let (mut n_merged, mut total) = (0, n_postings);
    for (at, of) in tables.iter().enumerate() {
        if of.n_postings <= total {
            n_merged = at + 1;
        }
        total += of.n_postings;
    }
    tables[..n_merged].iter().map(|of| of.table.clone()).collect()
}

#[derive(Debug)]
pub(super) struct TableLookups {
    pub tables: Vec<Table>,
    /// For each segment its table, and its number in it.
    pub places: Vec<(usize, u32)>,
}

/// A table, and the segments that are asked of it, by their numbers in it.
type AskedTable<'t> = (&'t Table, BTreeMap<u32, Vec<usize>>);

impl TableLookups {
    fn tables(&self, asked: &AskedSegments<'_>) -> Result<Vec<AskedTable<'_>>> {
        let mut tables: BTreeMap<usize, BTreeMap<u32, Vec<usize>>> = BTreeMap::new();
        for (segment, _) in asked {
            let place = self.places.get(*segment);
            let (table, member) = place.ok_or(SegmentError::Damaged("the number of a segment"))?;
            tables.entry(*table).or_default().entry(*member).or_default().push(*segment);
        }
        let tables = tables.into_iter();
        Ok(tables.filter_map(|(table, members)| Some((self.tables.get(table)?, members))).collect())
    }

    /// For each of `n` questions what all tables answer together, in order: segments, blobs and
    /// their components.
    fn answers(
        &self,
        asked: &AskedSegments<'_>,
        n: usize,
        ask: impl Fn(&Table) -> Answers<(u32, u32)> + Sync,
    ) -> Answers<BlobPosting> {
        let answers = each(&self.tables(asked)?, |(table, members)| {
            let found = ask(table)?;
            let mut of_table = Vec::with_capacity(found.len());
            for places in &found {
                let mut blobs = Vec::new();
                for &(member, blob) in places {
                    // Members that are not asked may be removed.
                    for &segment in members.get(&member).into_iter().flatten() {
                        let component = table.component_of(member, blob)?;
                        blobs.push(BlobPosting { segment, blob, component });
                    }
                }
                of_table.push(blobs);
            }
            Ok::<_, SegmentError>(of_table)
        });
        let mut all = vec![Vec::new(); n];
        for answer in answers {
            for (all, blobs) in all.iter_mut().zip(answer?) {
                all.extend(blobs);
            }
        }
        all.iter_mut().for_each(|blobs| blobs.sort_unstable());
        Ok(all)
    }
}

impl Lookups for TableLookups {
    fn postings(&self, asked: &AskedSegments<'_>, keys: &[u64]) -> Answers<BlobPosting> {
        self.answers(asked, keys.len(), |table| table.postings(keys))
    }

    fn blobs_of(&self, asked: &AskedSegments<'_>, ids: &[BlobId]) -> Answers<BlobAt> {
        let sought: Vec<[u8; 20]> = ids.iter().map(BlobId::sha1).collect();
        let found = self.answers(asked, ids.len(), |table| table.blobs_of(&sought))?;
        let blobs = found.into_iter().map(|blobs| {
            blobs.into_iter().map(|BlobPosting { segment, blob, .. }| (segment, blob)).collect()
        });
        Ok(blobs.collect())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn table(n: usize, n_postings: u64) -> TableObjects {
        let table = n.to_string();
        TableObjects { table, n_postings, sampling: (1, 1), ..TableObjects::default() }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]

        #[test]
        fn tables_are_few_and_each_posting_is_written_few_times(
            mut pushes in prop::collection::vec(1_u64..1000, 1..60),
            order in 0..3,
        ) {
            match order {
                1 => pushes.sort_unstable(),
                2 => pushes.sort_unstable_by_key(|&n| std::cmp::Reverse(n)),
                _ => {}
            }
            let mut tables = vec![table(usize::MAX, 1)];
            tables[0].sampling = (2, 2);
            let (mut n_all, mut n_written) = (0, 0);
            for (n, &n_postings) in pushes.iter().enumerate() {
                let meant = tables_to_merge(&tables, (1, 1), n_postings);
                prop_assert!(!meant.contains(&tables[0].table), "it is of another sampling");
                let (merged, kept): (Vec<_>, Vec<_>) = tables.into_iter().partition(|of| meant.contains(&of.table));
                let n_merged = n_postings + merged.iter().map(|of| of.n_postings).sum::<u64>();
                tables = kept;
                tables.push(table(n, n_merged));
                n_all += n_postings;
                n_written += n_merged;
                let mut sizes: Vec<u64> = tables[1..].iter().map(|of| of.n_postings).collect();
                sizes.sort_unstable();
                for (at, &size) in sizes.iter().enumerate() {
                    prop_assert!(size > sizes[..at].iter().sum(), "{:?}", sizes);
                }
            }
            prop_assert_eq!(tables[1..].iter().map(|of| of.n_postings).sum::<u64>(), n_all);
            prop_assert!(n_written <= n_all * u64::from(1 + n_all.ilog2()), "{} of {}", n_written, n_all);
        }
    }
}
