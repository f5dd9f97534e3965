//! Lists and reads the files of a plain folder.

#[cfg(unix)]
use std::ffi::OsStr;
#[cfg(not(unix))]
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use ignore::WalkBuilder;

use crate::files::{self, Content, Entry, Error, ReadFiles};
use crate::text::FilePath;

/// A folder outside any repository.
#[derive(Debug, Clone)]
pub struct Folder {
    root: PathBuf,
}

impl Folder {
    /// The folder at `root`.
    pub fn new(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// Its files, sorted by path. Respects `.gitignore` and `.ignore` files, does not follow links, and leaves out
    /// `.git` folders at any depth, since each component may be a clone.
    ///
    /// # Errors
    /// If the folder, or one in it, could not be listed.
    pub fn entries(&self) -> Result<Vec<Entry>, Error> {
        let mut entries = Vec::new();
        let unlisted = |why: ignore::Error| Error::folder(&self.root, &why);
        let root = self.root.canonicalize().unwrap_or_else(|_| self.root.clone());
        // Those above the folder are heeded as well.
        if let Some(rules) = root.ancestors().find_map(unreadable_rules) {
            return Err(Error::file(&rules, &files::not_regular()));
        }
        let unreadable = Arc::new(OnceLock::new());
        let mut walk = WalkBuilder::new(&self.root);
        walk.require_git(false).hidden(false).filter_entry({
            let unreadable = Arc::clone(&unreadable);
            move |item| {
                let is_folder = item.file_type().is_some_and(|kind| kind.is_dir());
                let rules = is_folder.then(|| unreadable_rules(item.path())).flatten();
                let is_readable = rules.is_none();
                rules.into_iter().for_each(|rules| drop(unreadable.set(rules)));
                is_readable && item.file_name() != ".git"
            }
        });
        for item in walk.build() {
            let item = item.map_err(unlisted)?;
            if item.file_type().is_some_and(|kind| kind.is_file()) {
                let relative = item.path().strip_prefix(&self.root).unwrap_or(item.path());
                entries.push(Entry { path: slashes(relative), content: Content::Disk });
            }
        }
        if let Some(rules) = unreadable.get() {
            return Err(Error::file(rules, &files::not_regular()));
        }
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(entries)
    }

    /// Where the file at `path` of the folder is.
    pub fn on_disk(&self, path: &FilePath) -> PathBuf {
        self.root.join(os_name(path.as_bytes()))
    }
}

/// The file of rules for what to ignore in `folder` that cannot be read: the walk would wait for a pipe.
fn unreadable_rules(folder: &Path) -> Option<PathBuf> {
    let files = [".gitignore", ".ignore", ".git/info/exclude"].map(|name| folder.join(name));
    files.into_iter().find(|file| file.metadata().is_ok_and(|of| !of.is_file() && !of.is_dir()))
}

/// A relative path in git's form, with `/` between its parts.
pub fn slashes(path: &Path) -> FilePath {
    let parts: Vec<&[u8]> = path.components().map(|part| part.as_os_str().as_encoded_bytes()).collect();
    FilePath::new(parts.join(&b'/'))
}

/// The name that [`slashes`] took the bytes of. It need not be UTF-8: other people's files have all kinds of names.
#[cfg(unix)]
fn os_name(bytes: &[u8]) -> &OsStr {
    std::os::unix::ffi::OsStrExt::from_bytes(bytes)
}

/// The name that [`slashes`] took the bytes of: UTF-8, but for lone surrogates.
#[cfg(not(unix))]
fn os_name(bytes: &[u8]) -> OsString {
    String::from_utf8_lossy(bytes).into_owned().into()
}

impl ReadFiles for Folder {
    fn read(&self, entry: &Entry) -> Result<Vec<u8>, Error> {
        let path = self.on_disk(&entry.path);
        std::fs::read(&path).map_err(|why| Error::file(&path, &why))
    }

    fn size(&self, entry: &Entry) -> Option<u64> {
        std::fs::metadata(self.on_disk(&entry.path)).ok().map(|metadata| metadata.len())
    }
}
