//! Lists the files of a commit, of the index, or of the work tree.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashSet};

use gix::bstr::{BString, ByteSlice};
use gix::index::entry::{Mode, Stage};
use gix::index::extension::Tree;

use super::damage::{OF_INDEX, innermost};
use super::sparse::{OnDisk, is_left_out};
use super::tree::{self, Folders, Listing, TreeFile};
use super::{BlobId, CommitId, Content, Entry, Error, Reader, blob_entry, blob_of_gix, first_line};
use crate::text::{FilePath, common_prefix_by};

/// The regular files of one state of the repository, sorted by path.
///
/// Links and submodules are not among them: their content is elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Snapshot {
    /// The files.
    pub entries: Vec<Entry>,
    /// The links, which only [`Reader::file_at`] follows.
    pub links: Vec<Entry>,
    /// The submodules, with the commit that each is at.
    submodules: BTreeMap<FilePath, CommitId>,
    /// The repositories in the work tree that this one does not record, such as clones.
    pub repositories: BTreeSet<FilePath>,
    /// The paths in conflict, which `git commit` would refuse to record: our side is among the
    /// files.
    pub unmerged: BTreeSet<FilePath>,
}

impl Snapshot {
    /// The state with these files, given in any order.
    pub fn of(entries: Vec<Entry>) -> Self {
        Self::new(entries, Vec::new())
    }

    fn new(mut entries: Vec<Entry>, mut links: Vec<Entry>) -> Self {
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        links.sort_by(|a, b| a.path.cmp(&b.path));
        Self { entries, links, ..Self::default() }
    }

    /// The submodules that `before` does not have, or has at another commit.
    pub fn changed_submodules<'s>(
        &'s self,
        before: &'s Self,
    ) -> impl Iterator<Item = &'s FilePath> {
        let is_changed =
            |(path, commit): &(&FilePath, &CommitId)| before.submodules.get(*path) != Some(*commit);
        self.submodules.iter().filter(is_changed).map(|(path, _)| path)
    }

    /// The submodules that one of two states has at another commit than the other, or alone.
    pub fn moved_submodules<'s>(&'s self, before: &'s Self) -> impl Iterator<Item = &'s FilePath> {
        let gone = before.submodules.keys().filter(|path| !self.submodules.contains_key(*path));
        self.changed_submodules(before).chain(gone)
    }

    /// The link at `path`.
    pub fn link(&self, path: &FilePath) -> Option<&Entry> {
        self.links.binary_search_by(|link| link.path.cmp(path)).ok().map(|at| &self.links[at])
    }

    /// The files in `folder`, sorted by path.
    pub fn below<'s>(&'s self, folder: &'s FilePath) -> impl Iterator<Item = &'s Entry> {
        below(&self.entries, folder)
    }

    fn submodules_below<'s>(
        &'s self,
        folder: &'s FilePath,
    ) -> impl Iterator<Item = (&'s FilePath, &'s CommitId)> {
        let rest = self.submodules.range::<FilePath, _>(folder..);
        rest.take_while(|(path, _)| path.as_bytes().starts_with(folder.as_bytes()))
            .filter(|(path, _)| path.is_in(folder))
    }

    /// The files that only one of two states has, or that differ in them, sorted by path: each as
    /// it was before and as it is. What is on disk differs from everything.
    pub fn differences<'s>(
        &'s self,
        before: &'s Self,
    ) -> impl Iterator<Item = (Option<&'s Entry>, Option<&'s Entry>)> {
        let (mut old, mut new) = (before.entries.iter().peekable(), self.entries.iter().peekable());
        std::iter::from_fn(move || {
            loop {
                let order = match (old.peek(), new.peek()) {
                    (Some(old), Some(new)) => old.path.cmp(&new.path),
                    (Some(_), None) => Ordering::Less,
                    (None, Some(_)) => Ordering::Greater,
                    (None, None) => return None,
                };
                let old = order.is_le().then(|| old.next()).flatten();
                let new = order.is_ge().then(|| new.next()).flatten();
                if old != new || new.is_some_and(|new| new.content == Content::Disk) {
                    return Some((old, new));
                }
            }
        })
    }

    /// The paths of all files, then those of all links.
    pub fn paths(&self) -> impl Iterator<Item = &FilePath> {
        self.entries.iter().chain(&self.links).map(|entry| &entry.path)
    }

    /// The file at `path`.
    pub fn get(&self, path: &FilePath) -> Option<&Entry> {
        self.entries.binary_search_by(|entry| entry.path.cmp(path)).ok().map(|at| &self.entries[at])
    }

    /// Takes over each file of `head` that is the same in one of `sides`: in a merge, what comes
    /// from the other side is no newer than what was here.
    pub fn take_over(&mut self, head: &Self, sides: &[Self]) {
        let is_merged =
            |entry: &&Entry| sides.iter().any(|side| side.get(&entry.path) == Some(entry));
        let merged: BTreeMap<_, _> =
            head.entries.iter().filter(is_merged).map(|entry| (&entry.path, entry)).collect();
        self.entries.retain(|entry| !merged.contains_key(&entry.path));
        self.entries.extend(merged.into_values().cloned());
        self.entries.sort_by(|a, b| a.path.cmp(&b.path));
    }
}

/// Those of sorted `entries` that are in `folder`.
fn below<'s>(entries: &'s [Entry], folder: &'s FilePath) -> impl Iterator<Item = &'s Entry> {
    let first = entries.partition_point(|entry| entry.path.as_bytes() < folder.as_bytes());
    let rest = entries[first..].iter();
    rest.take_while(|entry| entry.path.as_bytes().starts_with(folder.as_bytes()))
        .filter(|entry| entry.path.is_in(folder))
}

/// The files of a tree, and its folders: what another tree shares of them is not listed again.
#[derive(Default)]
pub(super) struct ListedTree {
    files: Snapshot,
    folders: Folders,
}

impl ListedTree {
    /// Its folders among these and below them.
    fn folders_in(&self, these: &[FilePath]) -> impl Iterator<Item = (BString, gix::ObjectId)> {
        let these: HashSet<&[u8]> = these.iter().map(FilePath::as_bytes).collect();
        self.folders.iter().filter_map(move |(path, id)| {
            let mut ends = memchr::memchr_iter(b'/', path).chain([path.len()]);
            ends.any(|end| these.contains(&path[..end])).then(|| (path.clone(), *id))
        })
    }
}

impl Reader {
    /// The files of a commit. Only folders are read that are not the same in the index, or in the
    /// first commit that was listed: the trees of a change are nearly the same.
    pub fn commit_snapshot(&self, commit: CommitId) -> Result<Snapshot, Error> {
        let id = self.tree_of(commit)?;
        let what = format!("the tree of commit {commit}");
        if let Some(like) = self.listed.get() {
            return Ok(self.snapshot_like(like, id, &what)?.0);
        }
        let index = self.listed_index();
        let (files, mut folders, same) = self.snapshot_like(&index, id, &what)?;
        folders.extend(index.folders_in(&same));
        self.listed.set(ListedTree { files: files.clone(), folders }).unwrap_or_default();
        Ok(files)
    }

    /// The files of the index, and those folders whose trees git remembered there: after a
    /// checkout or a commit, all that was not edited since. Nothing if it cannot be read, has
    /// folders in place of their files, or a tree is missing.
    fn listed_index(&self) -> ListedTree {
        let index = self.root.as_ref().and_then(|_| self.index().ok());
        let index = index.filter(|index| !index.is_sparse());
        let tree = index.as_ref().and_then(|index| index.tree());
        let (Some(tree), Ok(files)) = (tree, self.index_snapshot()) else {
            return ListedTree::default();
        };
        let mut folders = Folders::new();
        let mut open: Vec<(BString, &Tree)> = vec![(BString::default(), tree)];
        while let Some((path, tree)) = open.pop() {
            for child in &tree.children {
                let above = if path.is_empty() { &b""[..] } else { b"/" };
                let path = BString::from([&path, above, &child.name].concat());
                if child.num_entries.is_some() {
                    if !self.repo.has_object(child.id) {
                        return ListedTree::default();
                    }
                    folders.insert(path.clone(), child.id);
                }
                open.push((path, child));
            }
        }
        ListedTree { files, folders }
    }

    /// The files of `HEAD`; none before the first commit.
    pub fn head_snapshot(&self) -> Result<Snapshot, Error> {
        self.head()?.map_or_else(|| Ok(Snapshot::default()), |head| self.commit_snapshot(head))
    }

    /// The files of a tree that has folders of one that was listed, the folders that it does not
    /// share, and the outermost of those that it does.
    fn snapshot_like(
        &self,
        like: &ListedTree,
        id: gix::ObjectId,
        what: &str,
    ) -> Result<(Snapshot, Folders, Vec<FilePath>), Error> {
        // With a tree git fetches those below it.
        self.fetch_blobs(&mut std::iter::once(blob_of_gix(id)));
        let root = self.tree(id, what)?;
        let Listing { files, same, folders, .. } = tree::listing(&root, &like.folders, what)?;
        let same: Vec<FilePath> = same.iter().map(FilePath::new).collect();
        let [mut entries, mut links] = [&like.files.entries, &like.files.links].map(|of| {
            same.iter().flat_map(|folder| below(of, folder)).cloned().collect::<Vec<Entry>>()
        });
        let submodules = same.iter().flat_map(|folder| like.files.submodules_below(folder));
        let mut submodules: BTreeMap<_, _> =
            submodules.map(|(path, id)| (path.clone(), *id)).collect();
        for TreeFile { path, mode, id } in files {
            if mode.is_commit() {
                submodules.insert(FilePath::new(path), CommitId(id));
            } else if mode.is_link() {
                links.push(blob_entry(path, id));
            } else if mode.is_blob() {
                entries.push(blob_entry(path, id));
            }
        }
        Ok((Snapshot { submodules, ..Snapshot::new(entries, links) }, folders, same))
    }

    /// The blobs in the trees that references and `HEAD` point to, and in the index.
    ///
    /// # Errors
    /// If the references cannot be listed. A reference to something missing contributes nothing.
    pub fn blobs_of_tips(&self) -> Result<BTreeSet<BlobId>, Error> {
        let mut commits: BTreeSet<CommitId> = self.head()?.into_iter().collect();
        self.each_reference(|reference| {
            commits.extend(reference.peel_to_commit().map(|commit| CommitId(commit.id)));
            Ok(())
        })?;
        let snapshots = commits.into_iter().filter_map(|commit| self.commit_snapshot(commit).ok());
        let files = snapshots.chain(self.index_snapshot().ok()).flat_map(|of| of.entries);
        Ok(files.filter_map(|entry| entry.blob()).collect())
    }

    /// The files of the index: what `git commit` would record. For a conflict, our side.
    pub fn index_snapshot(&self) -> Result<Snapshot, Error> {
        Ok(self.index_files()?.0)
    }

    /// The folders below the root that have files in the index, each after those above it. Empty
    /// without a work tree.
    pub fn tracked_folders(&self) -> Result<Vec<FilePath>, Error> {
        if self.root.is_none() {
            return Ok(Vec::new());
        }
        let Ok(index) = self.index() else {
            // What is asked of commits does not fail for the index.
            let head = self.head_snapshot()?;
            return Ok(folders_of(head.entries.iter().map(|entry| entry.path.as_bytes())));
        };
        Ok(folders_of(index.entries().iter().map(|entry| entry.path(&index).as_bytes())))
    }

    /// The index; that of the head where there is none.
    pub(super) fn index(&self) -> Result<gix::worktree::IndexPersistedOrInMemory, Error> {
        self.repo.index_or_load_from_head_or_empty().map_err(|why| Error::Damaged {
            file: self.repo.index_path().components().collect(),
            why: first_line(&innermost(&why)),
            cure: OF_INDEX,
        })
    }

    /// The files of the index, and those among them that a sparse checkout leaves out.
    fn index_files(&self) -> Result<(Snapshot, Vec<FilePath>), Error> {
        if self.root.is_none() {
            return Err(Error::Bare { what: "index", root: self.repo.git_dir().to_owned() });
        }
        let index = self.index()?;
        let (mut entries, mut links, mut left_out) = (Vec::new(), Vec::new(), Vec::new());
        let (mut submodules, mut unmerged) = (BTreeMap::new(), BTreeSet::new());
        for entry in index.entries() {
            let path = entry.path(&index);
            let is_ours = matches!(entry.stage(), Stage::Unconflicted | Stage::Ours);
            let from = entries.len();
            match entry.mode {
                Mode::DIR => entries.extend(self.collapsed(entry, path)?),
                Mode::FILE | Mode::FILE_EXECUTABLE if is_ours => {
                    entries.push(blob_entry(path, entry.id));
                }
                Mode::SYMLINK if is_ours => links.push(blob_entry(path, entry.id)),
                Mode::COMMIT if is_ours => {
                    submodules.insert(FilePath::new(path), CommitId(entry.id));
                }
                _ => {}
            }
            if entry.stage() != Stage::Unconflicted {
                unmerged.insert(FilePath::new(path));
            }
            if is_left_out(entry) {
                left_out.extend(entries[from..].iter().map(|entry| entry.path.clone()));
            }
        }
        Ok((Snapshot { submodules, unmerged, ..Snapshot::new(entries, links) }, left_out))
    }

    /// The files of the work tree: tracked files as they are on disk, and untracked files that git
    /// does not ignore.
    ///
    /// # Errors
    /// [`Error::Bare`] if there is no work tree.
    pub fn work_tree_snapshot(&self) -> Result<Snapshot, Error> {
        let root = self.work_tree()?;
        let mut changed = self.changed_on_disk(root)?;
        let (index, left_out) = self.index_files()?;
        let mut on_disk = OnDisk::new(root.to_owned());
        if self.sees_left_out_files() {
            for path in left_out {
                let Some(blob) = index.get(&path).and_then(Entry::blob) else { continue };
                if on_disk.has_file(&path) && self.differs_on_disk(&path, blob)? {
                    changed.insert(path);
                }
            }
        }
        // A file on disk that is neither in the index nor new is one that git ignores, edited or
        // not.
        for path in self.edited.keys() {
            if index.get(path).is_some() || !on_disk.has_file(path) {
                changed.insert(path.clone());
            }
        }
        // What is on disk is read, whatever the conflict is.
        let Snapshot { mut entries, mut links, submodules, mut repositories, .. } = index;
        entries.retain(|entry| !changed.contains(&entry.path));
        links.retain(|entry| !changed.contains(&entry.path));
        for path in changed {
            if self.edited.contains_key(&path) || on_disk.has_file(&path) {
                entries.push(Entry { path, content: Content::Disk });
            } else if on_disk.has_link(&path) {
                links.push(Entry { path, content: Content::Disk });
            } else if on_disk.has_repository(&path) {
                repositories.insert(path);
            }
        }
        Ok(Snapshot { submodules, repositories, ..Snapshot::new(entries, links) })
    }
}

/// The folders of sorted `paths` below the root, sorted.
fn folders_of<'p>(paths: impl Iterator<Item = &'p [u8]>) -> Vec<FilePath> {
    let mut folders = Vec::new();
    let mut last: &[u8] = b"";
    for path in paths {
        let within = path.rfind_byte(b'/').map_or(&[][..], |end| &path[..=end]);
        // What is below a folder is in a row.
        let n_known = common_prefix_by(last, within, |a, b| a == b);
        let ends = within[n_known..].find_iter("/").map(|end| n_known + end);
        folders.extend(ends.map(|end| FilePath::new(&within[..end])));
        last = within;
    }
    folders.sort_unstable();
    folders
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// `a-b/x` and `a.c` come before `a/x`: what is below a folder is in a row all the same.
        #[test]
        fn folders_are_those_above_any_path(
            parts in prop::collection::vec(prop::collection::vec("[ab.-]{1,2}", 1..5), 0..30),
        ) {
            let above = |parts: &Vec<String>| {
                (1..parts.len()).map(|n| FilePath::new(parts[..n].join("/"))).collect::<Vec<_>>()
            };
            let expected: BTreeSet<FilePath> = parts.iter().flat_map(above).collect();
            let mut paths: Vec<String> = parts.iter().map(|parts| parts.join("/")).collect();
            paths.sort();
            let found = folders_of(paths.iter().map(String::as_bytes));
            prop_assert_eq!(found, Vec::from_iter(expected));
        }
    }
}
