//! Lists what a change edits in what it is compared with inside of the repository: folders of
//! components, their licenses, and the license of the project.

use std::collections::BTreeSet;

use super::Error;
use super::state::project_files;
use crate::config::Vendored;
use crate::files::{Entry, ReadFiles};
use crate::git::{Reader, Snapshot};
use crate::license::{LicensingInfo, is_relevant};
use crate::policy::Notice;
use crate::sources::MAX_LICENSE_FILE;
use crate::text::{FilePath, count};

/// A change.
pub(super) struct CorpusEdits<'e> {
    reader: &'e Reader,
    base: &'e Snapshot,
    head: &'e Snapshot,
    /// The files that are others than before, or gone.
    edited: Vec<&'e FilePath>,
}

impl<'e> CorpusEdits<'e> {
    pub fn new(reader: &'e Reader, base: &'e Snapshot, head: &'e Snapshot) -> Self {
        let edited = head.differences(base).filter_map(|(before, after)| after.or(before));
        Self { reader, base, head, edited: edited.map(|entry| &entry.path).collect() }
    }

    /// What it edits in `corpora`, folders of the repository.
    pub fn corpora<'n>(&'n self, corpora: &'n [FilePath]) -> impl Iterator<Item = Notice> + 'n {
        corpora.iter().filter_map(|folder| {
            let way = |files| self.reader.way(files, folder).ok()?.end.ok();
            let folders: BTreeSet<FilePath> =
                [way(self.base), way(self.head)].into_iter().flatten().collect();
            let mut edited: BTreeSet<FilePath> =
                folders.iter().flat_map(|folder| self.edited_in(folder)).collect();
            // A link in the place of the folder, or above it, puts another one there.
            edited.extend(self.edited_links(folder));
            let moved = self.head.moved_submodules(self.base);
            edited.extend(moved.filter(|path| path.is_in(folder) || folder.is_in(path)).cloned());
            let what = format!("the change edits a corpus, the folder `{folder}`");
            of_files(&what, edited)
        })
    }

    /// What it edits in how vendored folders are licensed.
    pub fn vendored<'n>(&'n self, vendored: &'n [Vendored]) -> impl Iterator<Item = Notice> + 'n {
        vendored.iter().filter(|folder| folder.license.is_none()).filter_map(|vendored| {
            let folder = FilePath::new(vendored.folder().as_bytes());
            let edited =
                self.edited_in(&folder).into_iter().filter(|path| self.is_licensed_anew(path));
            let what = format!("the change edits how the vendored folder `{folder}` is licensed");
            of_files(&what, edited.collect())
        })
    }

    /// What it makes of the license of the project.
    pub fn project(&self) -> Result<Option<Notice>, Error> {
        let root_files = self.edited_in(&FilePath::new("")).into_iter();
        let path = root_files.filter(|path| !path.as_bytes().contains(&b'/')).find(is_relevant);
        if path.is_none() {
            return Ok(None);
        }
        let license = |files| -> Result<String, Error> {
            let files = project_files(files, self.reader)?;
            let license = files.terms().license.as_ref();
            Ok(license.map_or_else(|| "none that is known".to_owned(), ToString::to_string))
        };
        let (old, new) = (license(self.base)?, license(self.head)?);
        let message = format!("the change edits the license of the project from {old} to {new}");
        Ok((old != new).then(|| Notice::new(path, None, &message)))
    }

    /// The files in `folder` that are others than before, or gone.
    fn edited_in(&self, folder: &FilePath) -> BTreeSet<FilePath> {
        self.edited.iter().copied().filter(|path| path.is_in(folder)).cloned().collect()
    }

    /// The links on the way to `folder` that are others than before, or gone.
    fn edited_links(&self, folder: &FilePath) -> BTreeSet<FilePath> {
        let on_way =
            |files| self.reader.way(files, folder).map(|way| way.links).unwrap_or_default();
        let is_edited = |link: &&&Entry| self.base.link(&link.path) != self.head.link(&link.path);
        let of_both = [on_way(self.base), on_way(self.head)].concat();
        of_both.iter().filter(is_edited).map(|link| link.path.clone()).collect()
    }

    /// Whether a file states other licenses than before.
    fn is_licensed_anew(&self, path: &FilePath) -> bool {
        let stated = |files: &Snapshot| {
            let short = files.get(path).filter(|entry| {
                self.reader.size(entry).is_none_or(|size| size <= MAX_LICENSE_FILE)
            });
            let bytes = short.and_then(|entry| self.reader.read(entry).ok()).unwrap_or_default();
            LicensingInfo::new(path, &bytes)
        };
        is_relevant(path) || stated(self.base) != stated(self.head)
    }
}

fn of_files(what: &str, edited: BTreeSet<FilePath>) -> Option<Notice> {
    let n = count(edited.len(), "file");
    let first = edited.into_iter().next()?;
    Some(Notice::new(Some(first), None, &format!("{what}: {n}")))
}
