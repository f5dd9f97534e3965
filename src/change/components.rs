//! Lists and reads a folder of components: as it is on disk, or with what a state of the repository
//! has in it.

use std::path::{Path, PathBuf};

use crate::files::{Content, Entry, Error, ReadFiles};
use crate::git::{Reader, Repository};
use crate::sources::Folder;

/// A folder, each of whose direct subfolders is a component.
#[derive(Debug)]
pub struct Components {
    root: Option<PathBuf>,
    entries: Vec<Entry>,
    /// The repository with the files that are not on disk.
    repository: Option<Box<Repository>>,
}

impl Components {
    /// The folder at `root`.
    ///
    /// # Errors
    /// If the folder, or one in it, could not be listed.
    pub fn on_disk(root: &Path) -> Result<Self, Error> {
        let entries = Folder::new(root).all_entries()?;
        Ok(Self { root: Some(root.to_owned()), entries, repository: None })
    }

    /// The folder with these entries, by their paths in it: in the repository, or on disk at `root`
    /// if that is read.
    pub fn in_repository(
        root: Option<&Path>,
        mut entries: Vec<Entry>,
        repository: &Repository,
    ) -> Self {
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        let repository = Some(Box::new(repository.clone()));
        Self { root: root.map(Path::to_owned), entries, repository }
    }

    /// Its files, sorted by path.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Where it is on disk, if it is read there.
    pub fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    /// A handle for reading them on one thread.
    pub fn reader(&self) -> ComponentsReader {
        ComponentsReader {
            folder: Folder::new(self.root().unwrap_or(Path::new(""))),
            repository: self.repository.as_ref().map(|repository| repository.reader()),
        }
    }
}

/// Reads the files of a folder of components on one thread.
#[derive(Debug)]
pub struct ComponentsReader {
    folder: Folder,
    repository: Option<Reader>,
}

impl ReadFiles for ComponentsReader {
    fn read(&self, entry: &Entry) -> Result<Vec<u8>, Error> {
        match (&self.repository, entry.content) {
            (Some(repository), Content::Blob(_)) => repository.read(entry),
            _ => self.folder.read(entry),
        }
    }

    fn size(&self, entry: &Entry) -> Option<u64> {
        match (&self.repository, entry.content) {
            (Some(repository), Content::Blob(_)) => repository.size(entry),
            _ => self.folder.size(entry),
        }
    }
}
