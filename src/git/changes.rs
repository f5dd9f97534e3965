//! Finds which files of the work tree differ from the index.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use gix::bstr::BStr;
use gix::dir::walk::EmissionMode;
use gix::index::entry::{Stat, stat};
use gix::status::index_worktree::Options;
use gix::status::plumbing::index_as_worktree::traits::{
    CompareBlobs, FastEq, ReadData, SubmoduleStatus,
};
use gix::status::plumbing::index_as_worktree::{Change, EntryStatus};
use gix::status::plumbing::index_as_worktree_with_renames::{Entry as FileHits, Recorder};

use super::damage::innermost;
use super::{BlobId, Content, Entry, Error, Reader, blob_id_like, blob_of_gix};
use crate::text::FilePath;

impl Reader {
    /// The paths of tracked files that are not as the index has them, and of untracked files that
    /// git does not ignore.
    pub(super) fn changed_on_disk(&self, root: &Path) -> Result<BTreeSet<FilePath>, Error> {
        let index = self.index()?;
        let found = self.compared_with(&index).map_err(|why| {
            self.closed(root, &index)
                .unwrap_or_else(|| Error::unreadable("the work tree", &innermost(&why)))
        })?;
        let changed = found.iter().filter(|entry| self.is_changed(entry, root));
        Ok(changed.map(|entry| FilePath::new(entry.destination_rela_path())).collect())
    }

    /// What may differ in the work tree from the index.
    fn compared_with<'i>(
        &self,
        index: &'i gix::index::State,
    ) -> Result<Vec<FileHits<'i, IndexState, ()>>, gix::Error> {
        let walk = self.repo.dirwalk_options()?.emit_untracked(EmissionMode::Matching);
        let options = Options { dirwalk_options: Some(walk), ..Options::default() };
        let (mut found, mut progress) = (Recorder { records: Vec::new() }, gix::progress::Discard);
        let (none, goes_on) = (std::iter::empty::<&BStr>(), AtomicBool::new(false));
        self.repo.index_worktree_status(
            index, none, &mut found, BestEffort, BestEffort, &mut progress, &goes_on, options,
        )?;
        Ok(found.records)
    }

    /// Whether git would call a file changed. One that cannot be converted is as it was if its size
    /// and times are.
    fn is_changed(&self, entry: &FileHits<'_, IndexState, ()>, root: &Path) -> bool {
        match entry {
            FileHits::Modification {
                entry,
                rela_path,
                status:
                    EntryStatus::Change(Change::Modification {
                        content_change: Some(IndexState::Failed),
                        ..
                    }),
                ..
            } => {
                let path = FilePath::new(rela_path);
                self.differs_on_disk(&path, blob_of_gix(entry.id)).unwrap_or_else(|_| {
                    let options = stat::Options { use_nsec: true, ..Default::default() };
                    let stat = stat_of(root, rela_path);
                    stat.is_none_or(|stat| !stat.matches(&entry.stat, options))
                })
            }
            entry => entry.summary().is_some(),
        }
    }

    /// Whether the file at `path` has other bytes on disk than `blob`.
    pub(super) fn differs_on_disk(&self, path: &FilePath, blob: BlobId) -> Result<bool, Error> {
        let on_disk = Entry { path: path.clone(), content: Content::Disk };
        Ok(blob_id_like(blob, &self.bytes(&on_disk)?) != blob)
    }

    /// The first file of the index that is in a folder which cannot be looked into: the error of a
    /// status names none.
    fn closed(&self, root: &Path, index: &gix::index::State) -> Option<Error> {
        let paths =
            index.entries().iter().filter_map(|entry| gix::path::from_bstr(entry.path(index)).ok());
        paths.map(|path| root.join(path)).find_map(|path| match path.symlink_metadata() {
            Err(why) if why.kind() == std::io::ErrorKind::PermissionDenied => {
                Some(Error::File { path, why })
            }
            _ => None,
        })
    }
}

fn stat_of(root: &Path, path: &BStr) -> Option<Stat> {
    let path = root.join(gix::path::from_bstr(path).ok()?);
    Stat::from_fs(&gix::index::fs::Metadata::from_path_no_follow(&path).ok()?).ok()
}

/// How a file compares with the index.
#[derive(Clone, Copy)]
enum IndexState {
    Differs,
    /// It cannot be read, or converted to what git would record: whoever reads it meets the reason.
    Failed,
}

/// Compares files as git does, without ending for one of them; submodules are not looked into.
#[derive(Clone)]
struct BestEffort;

impl CompareBlobs for BestEffort {
    type Output = IndexState;

    fn compare_blobs<'a, 'b>(
        &mut self,
        entry: &gix::index::Entry,
        size: u64,
        data: impl ReadData<'a>,
        buffer: &mut Vec<u8>,
    ) -> gix::Result<Option<IndexState>> {
        let differs = FastEq.compare_blobs(entry, size, data, buffer);
        Ok(differs.map_or(Some(IndexState::Failed), |of| of.map(|()| IndexState::Differs)))
    }
}

impl SubmoduleStatus for BestEffort {
    type Output = ();

    fn status(&mut self, _: &gix::index::Entry, _: &BStr) -> gix::Result<Option<()>> {
        Ok(None)
    }
}
