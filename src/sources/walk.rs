//! Lists and reads the files of a plain folder.

use std::collections::BTreeMap;
#[cfg(unix)]
use std::ffi::OsStr;
#[cfg(not(unix))]
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::{Match, WalkBuilder};

use crate::files::{Content, Entry, Error, ReadFiles};
use crate::text::{FilePath, MAX_WRITTEN};

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

    /// Its files, sorted by path, but for those that a `.gitignore` in it names. Does not follow
    /// links, and leaves out `.git` folders at any depth, since each component may be a clone.
    pub fn entries(&self) -> Result<Vec<Entry>, Error> {
        self.entries_of(std::slice::from_ref(&self.root))
    }

    /// Those of its files that are at `paths` in it or below, else as [`Folder::entries`].
    pub fn entries_of(&self, paths: &[PathBuf]) -> Result<Vec<Entry>, Error> {
        self.listed(paths, true)
    }

    /// All its files, whatever a `.gitignore` says, else as [`Folder::entries`]: what is compared
    /// with a corpus must not depend on what a file in it hides.
    pub fn all_entries(&self) -> Result<Vec<Entry>, Error> {
        self.listed(std::slice::from_ref(&self.root), false)
    }

    /// Where those of all its files are that are JSON by their names, sorted.
    pub fn json_files(&self) -> Result<Vec<PathBuf>, Error> {
        let files = self.all_entries()?.into_iter().map(|entry| self.on_disk(&entry.path));
        let mut files: Vec<PathBuf> =
            files.filter(|file| file.extension().is_some_and(|end| end == "json")).collect();
        files.sort_unstable();
        Ok(files)
    }

    fn listed(&self, paths: &[PathBuf], heeds_gitignore: bool) -> Result<Vec<Entry>, Error> {
        let mut entries = Vec::new();
        // What is around the folder, and what the user ignores elsewhere, says nothing about it.
        let (first, others) = paths.split_first().unwrap_or((&self.root, &[]));
        let mut walk = WalkBuilder::new(first);
        for path in others {
            walk.add(path);
        }
        walk.standard_filters(false);
        walk.filter_entry(|item| item.depth() == 0 || item.file_name() != ".git");
        for item in walk.build() {
            let item = item.map_err(|why| Error::folder(&self.root, &why))?;
            if item.file_type().is_some_and(|kind| kind.is_file()) {
                let relative = item.path().strip_prefix(&self.root).unwrap_or(item.path());
                entries.push(Entry { path: slashes(relative), content: Content::Disk });
            }
        }
        if heeds_gitignore {
            let ignored = IgnoreFiles::new(self, &entries);
            entries.retain(|entry| !ignored.contains(&entry.path));
        }
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        // One of the paths may be below another.
        entries.dedup_by(|a, b| a.path == b.path);
        Ok(entries)
    }

    /// Where the file at `path` of the folder is.
    pub fn on_disk(&self, path: &FilePath) -> PathBuf {
        self.root.join(os_name(path.as_bytes()))
    }
}

/// What the `.gitignore` files of a folder name.
struct IgnoreFiles(BTreeMap<Vec<u8>, Gitignore>);

impl IgnoreFiles {
    /// Reads those among `entries`, which are regular files, if they are not too large for one.
    fn new(folder: &Folder, entries: &[Entry]) -> Self {
        let files = entries.iter().filter_map(|entry| {
            let above = entry.path.as_bytes().strip_suffix(b".gitignore")?;
            if above.last().is_some_and(|&byte| byte != b'/') || folder.size(entry)? > MAX_WRITTEN {
                return None;
            }
            let text = folder.read(entry).ok()?;
            let mut rules = GitignoreBuilder::new("");
            // A line that is no pattern names nothing, as in git.
            String::from_utf8_lossy(&text)
                .lines()
                .for_each(|line| drop(rules.add_line(None, line)));
            Some((above.strip_suffix(b"/").unwrap_or_default().to_owned(), rules.build().ok()?))
        });
        Self(files.collect())
    }

    /// Whether a file or a folder above it is ignored, by the innermost word on it.
    fn contains(&self, path: &FilePath) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let bytes = path.as_bytes();
        let ends =
            memchr::memchr_iter(b'/', bytes).map(|at| (at, true)).chain([(bytes.len(), false)]);
        ends.into_iter().any(|(end, is_folder)| self.names(&bytes[..end], is_folder))
    }

    fn names(&self, path: &[u8], is_folder: bool) -> bool {
        let mut above = path.len();
        while let Some(end) = memchr::memrchr(b'/', &path[..above]).or((above > 0).then_some(0)) {
            above = end;
            let Some(rules) = self.0.get(&path[..above]) else { continue };
            let relative = path[above..].strip_prefix(b"/").unwrap_or(&path[above..]);
            match rules.matched(os_name(relative), is_folder) {
                Match::None => {}
                found => return found.is_ignore(),
            }
        }
        false
    }
}

/// A relative path in git's form, with `/` between its parts.
pub fn slashes(path: &Path) -> FilePath {
    let parts = Vec::from_iter(path.components().map(|part| part.as_os_str().as_encoded_bytes()));
    FilePath::new(parts.join(&b'/'))
}

/// The name that [`slashes`] took the bytes of, which need not be UTF-8.
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
