//! Lists and reads the files of a plain folder.

use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use crate::git::{Content, Entry, Error, ReadFiles};
use crate::text::FilePath;

/// A folder outside of any repository.
#[derive(Debug, Clone)]
pub struct Folder {
    root: PathBuf,
}

impl Folder {
    /// The folder at `root`.
    pub fn new(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// Its files, sorted by path; `.gitignore` and `.ignore` files in it are heeded, links are not followed.
    ///
    /// # Errors
    /// [`Error::Unreadable`] names the folder that could not be listed.
    pub fn entries(&self) -> Result<Vec<Entry>, Error> {
        let mut entries = Vec::new();
        let unlisted = |why: ignore::Error| Error::Unreadable {
            what: format!("the folder `{}`", self.root.display()),
            why: why.to_string(),
        };
        for item in WalkBuilder::new(&self.root).require_git(false).hidden(false).build() {
            let item = item.map_err(unlisted)?;
            let is_file = item.file_type().is_some_and(|kind| kind.is_file());
            let relative = item.path().strip_prefix(&self.root).unwrap_or(item.path());
            if is_file && !relative.starts_with(".git") {
                let path = relative.as_os_str().as_encoded_bytes().to_vec();
                entries.push(Entry { path: FilePath::new(path), content: Content::Disk });
            }
        }
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(entries)
    }

    fn on_disk(&self, path: &FilePath) -> PathBuf {
        self.root.join(String::from_utf8_lossy(path.as_bytes()).as_ref())
    }
}

impl ReadFiles for Folder {
    fn read(&self, entry: &Entry) -> Result<Vec<u8>, Error> {
        let path = self.on_disk(&entry.path);
        std::fs::read(&path).map_err(|why| Error::File { path, why })
    }

    fn size(&self, entry: &Entry) -> Option<u64> {
        std::fs::metadata(self.on_disk(&entry.path)).ok().map(|metadata| metadata.len())
    }
}
