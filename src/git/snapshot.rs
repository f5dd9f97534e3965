//! Lists the files of a commit, of the index, or of the work tree.

use std::collections::{BTreeMap, BTreeSet};

use gix::index::entry::{Mode, Stage};
use gix::status::UntrackedFiles;

use super::{BlobId, CommitId, Error, Reader};
use crate::text::FilePath;

/// Where a file's bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// In the object database.
    Blob(BlobId),
    /// In the work tree only: the file differs from the index, or git does not track it.
    Disk,
}

/// A regular file of a snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its path.
    pub path: FilePath,
    /// Where its bytes are.
    pub content: Content,
}

impl Entry {
    /// The blob that holds its bytes; `None` when they are on disk only.
    pub fn blob(&self) -> Option<BlobId> {
        match self.content {
            Content::Blob(id) => Some(id),
            Content::Disk => None,
        }
    }
}

/// The regular files of one state of the repository, sorted by path.
///
/// Links and submodules are not in it: their content is elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snapshot {
    /// The files.
    pub entries: Vec<Entry>,
}

impl Snapshot {
    /// The state that has these files, in any order.
    pub fn of(entries: Vec<Entry>) -> Self {
        Self::new(entries)
    }

    fn new(mut entries: Vec<Entry>) -> Self {
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        Self { entries }
    }

    /// The file at `path`.
    pub fn get(&self, path: &FilePath) -> Option<&Entry> {
        self.entries.binary_search_by(|entry| entry.path.cmp(path)).ok().map(|at| &self.entries[at])
    }
}

impl Snapshot {
    /// Takes each file of `head` that is the same in one of `sides` over from there: in a merge,
    /// what comes from the other side is no more new than what was here.
    pub fn take_over(&mut self, head: &Self, sides: &[Self]) {
        let is_merged = |entry: &&Entry| sides.iter().any(|side| side.get(&entry.path) == Some(entry));
        let merged: BTreeMap<_, _> = head.entries.iter().filter(is_merged).map(|entry| (&entry.path, entry)).collect();
        self.entries.retain(|entry| !merged.contains_key(&entry.path));
        self.entries.extend(merged.into_values().cloned());
        self.entries.sort_by(|a, b| a.path.cmp(&b.path));
    }
}

impl Reader {
    /// The files of a commit.
    ///
    /// # Errors
    /// When the commit or one of its trees is not here.
    pub fn commit_snapshot(&self, commit: CommitId) -> Result<Snapshot, Error> {
        let unreadable = |error: gix::Error| Error::unreadable(&format!("the tree of commit {commit}"), &error);
        let tree = self.find_commit(commit)?.tree().map_err(unreadable)?;
        let files = tree.traverse().breadthfirst.files().map_err(unreadable)?;
        let entries = files.into_iter().filter(|file| file.mode.is_blob()).map(|file| Entry {
            path: FilePath::new(Vec::from(file.filepath)),
            content: Content::Blob(BlobId(file.oid)),
        });
        Ok(Snapshot::new(entries.collect()))
    }

    /// The blobs in the trees that references and `HEAD` name, and in the index.
    ///
    /// # Errors
    /// When the references cannot be listed. A reference to something that is not here holds nothing.
    pub fn blobs_of_tips(&self) -> Result<BTreeSet<BlobId>, Error> {
        let unreadable = |error: &dyn std::fmt::Display| Error::unreadable("the references", &error.to_string());
        let platform = self.repo.references().map_err(|error| unreadable(&error))?;
        let all = platform.all().map_err(|error| unreadable(&error))?;
        let mut commits: BTreeSet<CommitId> = self.head()?.into_iter().collect();
        for reference in all {
            let mut reference = reference.map_err(|error| unreadable(&error))?;
            commits.extend(reference.peel_to_commit().map(|commit| CommitId(commit.id)));
        }
        let snapshots = commits.into_iter().filter_map(|commit| self.commit_snapshot(commit).ok());
        let snapshots = snapshots.chain(self.index_snapshot().ok());
        Ok(snapshots.flat_map(|snapshot| snapshot.entries).filter_map(|entry| entry.blob()).collect())
    }

    /// The files of the index: what `git commit` would record. Of a conflict, our side.
    ///
    /// # Errors
    /// When the index is there and cannot be read.
    pub fn index_snapshot(&self) -> Result<Snapshot, Error> {
        if self.root.is_none() {
            return Err(Error::Bare { what: "index", root: self.repo.git_dir().to_owned() });
        }
        let index =
            self.repo.index_or_load_from_head_or_empty().map_err(|error| Error::unreadable("the index", &error))?;
        let is_file = |entry: &&gix::index::Entry| {
            matches!(entry.mode, Mode::FILE | Mode::FILE_EXECUTABLE)
                && matches!(entry.stage(), Stage::Unconflicted | Stage::Ours)
        };
        let entries = index.entries().iter().filter(is_file).map(|entry| Entry {
            path: FilePath::new(entry.path(&index).to_vec()),
            content: Content::Blob(BlobId(entry.id)),
        });
        Ok(Snapshot::new(entries.collect()))
    }

    /// The files of the work tree: tracked ones as they are on disk, and
    /// untracked ones that git does not ignore.
    ///
    /// # Errors
    /// [`Error::Bare`] when there is no work tree.
    pub fn work_tree_snapshot(&self) -> Result<Snapshot, Error> {
        if self.root.is_none() {
            return Err(Error::Bare { what: "work tree", root: self.repo.git_dir().to_owned() });
        }
        let unreadable = |error: &dyn std::fmt::Display| Error::unreadable("the work tree", &error.to_string());
        let status = self.repo.status(gix::progress::Discard).map_err(|error| unreadable(&error))?;
        let status = status.index_worktree_rewrites(None).index_worktree_submodules(None);
        let changes = status.untracked_files(UntrackedFiles::Files).into_index_worktree_iter(Vec::new());
        let mut changed = BTreeSet::new();
        for change in changes.map_err(|error| unreadable(&error))? {
            let change = change.map_err(|error| unreadable(&error))?;
            if change.summary().is_some() {
                changed.insert(FilePath::new(change.rela_path().to_vec()));
            }
        }
        let mut entries = self.index_snapshot()?.entries;
        entries.retain(|entry| !changed.contains(&entry.path));
        for path in changed {
            let on_disk = self.on_disk(&path)?;
            if std::fs::symlink_metadata(&on_disk).is_ok_and(|metadata| metadata.is_file()) {
                entries.push(Entry { path, content: Content::Disk });
            }
        }
        Ok(Snapshot::new(entries))
    }
}
