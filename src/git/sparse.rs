//! Reads through sparse indexes and sparse checkouts: what they leave out is still part of the
//! repository.
//!
//! A sparse index records a folder outside the cone as one entry with the id of its tree. A sparse
//! checkout marks the entries whose files it does not write; git drops the mark if the file exists
//! anyway.

use std::collections::HashMap;
use std::path::PathBuf;

use gix::index::entry::{Flags, Mode};

use super::tree::{self, Folders};
use super::{Entry, Error, Reader, blob_entry};
use crate::text::FilePath;

impl Reader {
    /// The files of a folder that a sparse index records as one entry.
    pub(super) fn collapsed(
        &self,
        entry: &gix::index::Entry,
        folder: &[u8],
    ) -> Result<Vec<Entry>, Error> {
        let folder = folder.strip_suffix(b"/").unwrap_or(folder);
        let what = format!("the folder `{}` of the sparse index", FilePath::new(folder));
        let tree = match self.repo.try_find_object(entry.id) {
            Ok(None) => return Err(Error::MissingTree { id: entry.id.to_string(), path: what }),
            _ => self.repo.find_tree(entry.id).map_err(|error| Error::unreadable(&what, &error))?,
        };
        let files = tree::listing(&tree, &Folders::new(), &what)?
            .files
            .into_iter()
            .filter(|file| file.mode.is_blob())
            .map(|file| blob_entry([folder, b"/", &file.path[..]].concat(), file.id));
        Ok(files.collect())
    }

    /// Whether existing files that the checkout leaves out count as they are on disk: git's default
    /// in a sparse checkout. Elsewhere, `git update-index --skip-worktree` hides them for good.
    pub(super) fn sees_left_out_files(&self) -> bool {
        let config = self.repo.config_snapshot();
        let is_set = |key: &str| config.boolean(key).unwrap_or(false);
        is_set("core.sparseCheckout") && !is_set("sparse.expectFilesOutsideOfPatterns")
    }
}

/// Whether the checkout leaves out the file or the folder of this entry.
pub(super) fn is_left_out(entry: &gix::index::Entry) -> bool {
    entry.flags.contains(Flags::SKIP_WORKTREE) || entry.mode == Mode::DIR
}

/// Which regular files exist in a work tree. Links are not followed, neither to files nor to
/// folders above them: git treats what is behind one as deleted.
pub(super) struct OnDisk {
    root: PathBuf,
    /// Whether each path that was looked up is a folder.
    folders: HashMap<Vec<u8>, bool>,
}

impl OnDisk {
    pub fn new(root: PathBuf) -> Self {
        Self { root, folders: HashMap::new() }
    }

    /// Whether there is a regular file at `path`. Each folder is checked once, and nothing is
    /// checked below a missing one: in a monorepo with a sparse checkout, most folders are missing.
    pub fn has_file(&mut self, path: &FilePath) -> bool {
        self.at(path.as_bytes()).is_some_and(|metadata| metadata.is_file())
    }

    pub fn has_link(&mut self, path: &FilePath) -> bool {
        self.at(path.as_bytes()).is_some_and(|metadata| metadata.is_symlink())
    }

    /// Whether the folder at `path` is the root of a repository, with files or a link to them.
    pub fn has_repository(&mut self, path: &FilePath) -> bool {
        self.at(FilePath::joined(path.as_bytes(), b".git").as_bytes()).is_some()
    }

    fn at(&mut self, path: &[u8]) -> Option<std::fs::Metadata> {
        let above = memchr::memrchr(b'/', path).map_or(&b""[..], |end| &path[..end]);
        if !self.has_folder(above) {
            return None;
        }
        let path = gix::path::from_bstr(gix::bstr::BStr::new(path)).ok()?;
        std::fs::symlink_metadata(self.root.join(path)).ok()
    }

    fn has_folder(&mut self, folder: &[u8]) -> bool {
        if folder.is_empty() {
            return true;
        }
        if let Some(&is_there) = self.folders.get(folder) {
            return is_there;
        }
        let is_there = self.at(folder).is_some_and(|metadata| metadata.is_dir());
        self.folders.insert(folder.to_owned(), is_there);
        is_there
    }
}
