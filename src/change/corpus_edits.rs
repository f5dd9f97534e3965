//! Lists what a change edits in what it is compared with inside of the repository: folders of
//! components, their licenses, and the license of the project.

use std::collections::BTreeSet;

use super::Error;
use super::state::project_files;
use crate::config::Vendored;
use crate::files::ReadFiles;
use crate::git::{Reader, Snapshot, Way};
use crate::license::{LicensingInfo, is_about_license};
use crate::policy::Notice;
use crate::sources::{is_license_sized, may_state_license};
use crate::text::{FilePath, count};

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
            let moved = self.head.moved_submodules(self.base);
            let moved = moved.filter(|path| path.is_in(folder) || folder.is_in(path));
            let mut edited: BTreeSet<FilePath> = moved.cloned().collect();
            let ways = [self.base, self.head].map(|files| self.reader.way(files, folder));
            for Way { links, end } in ways.into_iter().flatten() {
                // A link in the place of the folder, or above it, puts another one there.
                let links = links.into_iter().map(|link| &link.path);
                let links = links.filter(|path| self.base.link(path) != self.head.link(path));
                edited.extend(links.cloned());
                edited.extend(end.iter().flat_map(|folder| self.edited_in(folder)));
            }
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

    pub fn project(&self) -> Result<Option<Notice>, Error> {
        let path = self.edited_in(&FilePath::new("")).into_iter().find(may_state_license);
        if path.is_none() {
            return Ok(None);
        }
        let (old, new) = (self.project_license(self.base)?, self.project_license(self.head)?);
        let message = format!("the change edits the license of the project from {old} to {new}");
        Ok((old != new).then(|| Notice::new(path, None, &message)))
    }

    fn project_license(&self, files: &Snapshot) -> Result<String, Error> {
        let files = project_files(files, self.reader)?;
        let license = files.terms().license.as_ref();
        Ok(license.map_or_else(|| "none that is known".to_owned(), ToString::to_string))
    }

    fn edited_in(&self, folder: &FilePath) -> BTreeSet<FilePath> {
        self.edited.iter().copied().filter(|path| path.is_in(folder)).cloned().collect()
    }

    /// Whether a file states other licenses than before.
    fn is_licensed_anew(&self, path: &FilePath) -> bool {
        let [old, new] = [self.base, self.head].map(|files| {
            let short = files.get(path).filter(|entry| is_license_sized(self.reader, entry));
            let bytes = short.and_then(|entry| self.reader.read(entry).ok()).unwrap_or_default();
            LicensingInfo::new(path, &bytes)
        });
        is_about_license(path) || old != new
    }
}

fn of_files(what: &str, edited: BTreeSet<FilePath>) -> Option<Notice> {
    let n = count(edited.len(), "file");
    let first = edited.into_iter().next()?;
    Some(Notice::new(Some(first), None, &format!("{what}: {n}")))
}
