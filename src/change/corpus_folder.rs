//! Lists and reads a folder of components, on disk or inside of the repository as the base has it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::state::moved_submodule;
use super::{Authority, Error, Side};
use crate::files::{self, Content, Entry, ReadFiles};
use crate::git::{Reader, Repository, Snapshot};
use crate::sources::Folder;
use crate::text::FilePath;

/// A folder, each of whose direct subfolders is a component.
pub struct Components {
    root: Option<PathBuf>,
    entries: Vec<Entry>,
    /// The repository with the files that are not on disk.
    repository: Option<Box<Repository>>,
}

impl Components {
    /// The folder at `root`.
    pub fn on_disk(root: &Path) -> Result<Self, files::Error> {
        let entries = Folder::new(root).all_entries()?;
        Ok(Self { root: Some(root.to_owned()), entries, repository: None })
    }

    /// The folder with these entries, by their paths in it: in the repository, or on disk at `root`
    /// if that is read.
    fn in_repository(
        root: Option<&Path>,
        mut entries: Vec<Entry>,
        repository: &Repository,
    ) -> Self {
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        let repository = Some(Box::new(repository.clone()));
        Self { root: root.map(Path::to_owned), entries, repository }
    }

    /// The same without the files in `folder`.
    #[must_use]
    pub fn without(mut self, folder: &FilePath) -> Self {
        self.entries.retain(|entry| !entry.path.is_in(folder));
        self
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
            repository: self.repository.as_deref().map(Repository::reader),
        }
    }
}

/// Reads the files of a folder of components on one thread.
pub struct ComponentsReader {
    folder: Folder,
    repository: Option<Reader>,
}

impl ReadFiles for ComponentsReader {
    fn read(&self, entry: &Entry) -> Result<Vec<u8>, files::Error> {
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

impl Authority<'_> {
    /// The corpus `name`, the folder at `path` of the repository, which is `on_disk`.
    ///
    /// With the base trusted, what the repository has in it is as the base has it, and what else is
    /// there is what the user put there: it is an error if it cannot be told whose files are in it.
    pub fn components(
        &self,
        name: &str,
        path: &FilePath,
        on_disk: &Path,
    ) -> Result<Components, Error> {
        let (reader, base) = (self.repository.reader(), self.corpora());
        let way = reader.way(self.head, path)?;
        let leads_elsewhere = way.links.iter().any(|link| base.link(&link.path) != Some(link));
        let why = "it is behind a link that the change brings in";
        let linked = Error::user(
            format!("cannot compare with the corpus `{name}`: {why}"),
            "put the folder itself in its place",
        );
        if self.side == Side::Head {
            return match on_disk.is_dir() {
                true if leads_elsewhere && !is_below(on_disk, self.repository.root()) => {
                    Err(linked)
                }
                true => Ok(Components::on_disk(on_disk)?),
                false => Ok(Components::in_repository(None, Vec::new(), self.repository)),
            };
        }
        if let Some(submodule) = moved_submodule(base, self.head, path) {
            let is_in = if path.is_in(submodule) { "is in" } else { "has a part in" };
            return Err(Error::moved_submodule(&name, is_in, submodule));
        }
        let base = reader.way(base, path)?.end.map(|end| inside(base, &end)).unwrap_or_default();
        let of_head = way.end.map(|end| inside(self.head, &end)).unwrap_or_default();
        let is_read = !leads_elsewhere && on_disk.is_dir();
        let on_disk_alone = if is_read {
            of_nobody(&Folder::new(on_disk).all_entries()?, &base, &of_head)
        } else {
            Vec::new()
        };
        if leads_elsewhere && base.is_empty() {
            return Err(linked);
        }
        if let Some(added) = mixed_in(&base, &of_head, &on_disk_alone) {
            let path = FilePath::joined(path.as_bytes(), added.as_bytes());
            let why =
                format!("the change adds `{path}` to it, and the base does not have what is there");
            return Err(Error::user(
                format!("cannot compare with the corpus `{name}`: {why}"),
                format!(
                    "take `{path}` out of the change, or keep the corpus outside of the repository"
                ),
            ));
        }
        let entries = [base, on_disk_alone].concat();
        Ok(Components::in_repository(is_read.then_some(on_disk), entries, self.repository))
    }

    /// Whether the change, and not the base, has a link at this path of the repository.
    pub fn adds_link(&self, path: &FilePath) -> bool {
        self.side == Side::Base
            && self.head.link(path).is_some()
            && self.corpora().link(path).is_none()
    }
}

fn is_below(path: &Path, root: &Path) -> bool {
    path.canonicalize()
        .is_ok_and(|path| root.canonicalize().is_ok_and(|root| path.starts_with(root)))
}

/// The files of a state that are in `folder`, by their paths in it.
fn inside(files: &Snapshot, folder: &FilePath) -> Vec<Entry> {
    Vec::from_iter(files.below(folder).filter_map(|entry| {
        let path = FilePath::new(entry.path.below(folder.as_bytes())?);
        Some(Entry { path, ..entry.clone() })
    }))
}

/// Those of the files on disk that neither side has recorded.
fn of_nobody(on_disk: &[Entry], base: &[Entry], head: &[Entry]) -> Vec<Entry> {
    let recorded = head.iter().filter(|entry| entry.blob().is_some());
    let known: BTreeSet<&FilePath> = base.iter().chain(recorded).map(|entry| &entry.path).collect();
    on_disk.iter().filter(|entry| !known.contains(&entry.path)).cloned().collect()
}

/// The first file that a change records in a component that the base does not have, but the disk
/// has: we cannot tell which of its files the user put there. Where the base has no component at
/// all, every file is one.
fn mixed_in<'e>(
    base: &[Entry],
    head: &'e [Entry],
    on_disk_alone: &[Entry],
) -> Option<&'e FilePath> {
    let of_base: BTreeSet<&[u8]> = base.iter().map(component).collect();
    let of_disk: BTreeSet<&[u8]> = on_disk_alone.iter().map(component).collect();
    let is_all_users = of_base.iter().all(|component| component.is_empty());
    let mixed = head.iter().find(|entry| {
        let component = component(entry);
        entry.blob().is_some()
            && !base.iter().any(|known| known.path == entry.path)
            && (is_all_users || !of_base.contains(component) && of_disk.contains(component))
    });
    mixed.map(|entry| &entry.path)
}

/// The name of the component that a file of a corpus folder is in; empty for a file beside them.
fn component(entry: &Entry) -> &[u8] {
    let path = entry.path.as_bytes();
    memchr::memchr(b'/', path).map_or(&[], |end| &path[..end])
}
