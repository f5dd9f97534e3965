//! Decides whom to believe about what judges a change.
//!
//! Promise: where the base is trusted, a change has no say in what judges it. All that it could
//! have a say in is asked of an [`Authority`], which has a method for each thing; what is read of a
//! state of the repository without asking it is what the change is, not what judges it.
//! `docs/security.md` lists these methods with their tests.

use std::path::Path;
use std::sync::LazyLock;

use super::paths::settled;
use super::state::{
    baseline_in, decisions_in, moved_submodule, project_files, raw_of, settings_in, settings_of,
};
use super::work_tree::{FilePlace, decisions_of};
use super::{Error, Range, Side};
use crate::config::{Config, SettingsFile};
use crate::files::{self, Entry};
use crate::git::{Attributes, Reader, Repository, Snapshot};
use crate::license::ProjectFiles;
use crate::policy::{Baseline, Decision, Notice};
use crate::store::corpus::Location;
use crate::text::FilePath;

/// Answers for the side that is believed.
#[derive(Clone, Copy)]
pub struct Authority<'c> {
    pub(super) side: Side,
    pub(super) repository: &'c Repository,
    /// What the change starts from.
    base: &'c Snapshot,
    /// The base as it is now.
    tip: &'c Snapshot,
    pub(super) head: &'c Snapshot,
}

/// What is before the first commit.
static NOTHING: LazyLock<Snapshot> = LazyLock::new(Snapshot::default);

impl Range {
    /// The files that the change starts from: none before the first commit.
    pub fn base_files(&self) -> &Snapshot {
        self.base.as_ref().map_or(&*NOTHING, |(_, files)| files)
    }

    /// Whom to believe about what judges the change.
    pub fn authority<'c>(&'c self, repository: &'c Repository) -> Authority<'c> {
        let base = self.base_files();
        let tip = self.tip.as_ref().unwrap_or(base);
        Authority { side: self.side, repository, base, tip, head: &self.head.1 }
    }
}

impl<'c> Authority<'c> {
    fn believed(&self) -> &'c Snapshot {
        match self.side {
            Side::Head => self.head,
            Side::Base => self.tip,
        }
    }

    /// The base as it is now, where that has to agree with what the change says of itself.
    fn witness(&self) -> Option<&'c Snapshot> {
        (self.side == Side::Base).then_some(self.tip)
    }

    /// The settings, before variables and flags, and the notice about a file that only the change
    /// has. Of a file that no commit has, those on disk; one in a submodule that the change moves
    /// is an error.
    pub fn settings(&self, place: &FilePlace) -> Result<(SettingsFile, Option<Notice>), Error> {
        let reader = self.repository.reader();
        let settings = match self.version(place, &reader)? {
            Version::OnDisk => place.settings(Some(self.repository))?,
            Version::Usual => settings_of(&reader, self.tip)?,
            Version::At(entry) => settings_in(&reader, entry)?,
            Version::Missing(path) => {
                let notice = missing(path, "these settings are", "were");
                return Ok((SettingsFile::nowhere(), Some(notice)));
            }
        };
        Ok((settings, None))
    }

    /// The baseline that the settings in use or the caller name, and the notice about a file that
    /// only the change has.
    pub fn baseline(
        &self,
        place: &FilePlace,
        config: &Config,
    ) -> Result<(Baseline, Option<Notice>), Error> {
        let reader = self.repository.reader();
        let baseline = match self.version(place, &reader)? {
            Version::OnDisk => place.baseline(Some(self.repository.root()), config)?,
            Version::Usual => {
                let entry = self.named_by_settings("baseline", &config.baseline, &reader)?;
                entry.map(|entry| baseline_in(&reader, entry)).transpose()?.unwrap_or_default()
            }
            Version::At(entry) => baseline_in(&reader, entry)?,
            Version::Missing(path) => {
                let notice = missing(path, "this baseline is", "was");
                return Ok((Baseline::default(), Some(notice)));
            }
        };
        Ok((baseline, None))
    }

    /// The decisions that the settings in use name.
    pub fn decisions(&self, config: &Config) -> Result<Vec<Decision>, Error> {
        if self.side == Side::Head {
            return decisions_of(self.repository.root(), config);
        }
        let reader = self.repository.reader();
        let entry = self.named_by_settings("decisions", &config.decisions, &reader)?;
        Ok(entry.map(|entry| decisions_in(&reader, entry)).transpose()?.unwrap_or_default())
    }

    /// What `.gitattributes` say of languages, of generated and of vendored files.
    pub fn attributes(&self) -> Result<Attributes, files::Error> {
        Attributes::read(&self.believed().entries, &self.repository.reader())
    }

    /// The state that has to have a mark of generated code, too, for it to count.
    pub fn marks(&self) -> Option<&'c Snapshot> {
        self.witness()
    }

    /// The state that has to have a comment that suppresses findings, too, for it to count.
    pub fn comments(&self) -> Option<&'c Snapshot> {
        self.witness()
    }

    /// The state whose files say how the folders of the repository are licensed.
    pub fn licenses(&self) -> &'c Snapshot {
        self.believed()
    }

    /// The files that state the license of the project.
    pub fn project(&self) -> Result<ProjectFiles, files::Error> {
        project_files(self.believed(), &self.repository.reader())
    }

    /// The state whose links say where a folder of components is, and, where the base is believed,
    /// whose files are in it.
    pub(super) fn corpora(&self) -> &'c Snapshot {
        match self.side {
            Side::Head => self.base,
            Side::Base => self.tip,
        }
    }

    /// Checks that corpora which a change adds to its settings are inside of the repository: a
    /// change must not make the CI machine read folders outside the repository.
    pub(super) fn check_corpora(&self, named: &[String]) -> Result<(), Error> {
        if self.side == Side::Base {
            return Ok(());
        }
        let root = self.repository.root();
        let known = raw_of(&self.repository.reader(), self.base).corpora;
        let real_root = root.canonicalize().map_err(|why| Error::unreadable(root, &why))?;
        let mut added = named.iter().filter(|name| !known.contains(name));
        let Some(name) = added.find(|name| !is_inside(name, root, &real_root)) else {
            return Ok(());
        };
        let shown = Location::new(name).map_or_else(|| name.clone(), |of| of.to_string());
        let added = "which the change adds to its settings: it is not inside of the repository";
        Err(Error::user(
            format!("cannot compare with the corpus `{shown}`, {added}"),
            format!("name it on the command line: `--corpus {shown}`"),
        ))
    }

    /// Which version of a file that judges is believed.
    fn version(&self, place: &FilePlace, reader: &Reader) -> Result<Version<'c>, Error> {
        if self.side == Side::Base && *place == FilePlace::Usual {
            return Ok(Version::Usual);
        }
        let path = place.in_tree(self.repository.root()).filter(|_| self.side == Side::Base);
        let Some(path) = path else { return Ok(Version::OnDisk) };
        if let Some(submodule) = moved_submodule(self.tip, self.head, &path) {
            return Err(Error::moved_submodule(&path, "is in", submodule));
        }
        Ok(match reader.file_at(self.tip, &path)? {
            Some(entry) => Version::At(entry),
            None if matches!(reader.file_at(self.head, &path), Ok(None)) => Version::OnDisk,
            None => Version::Missing(path),
        })
    }

    /// The file of the base that the base's settings name by the option `key`.
    fn named_by_settings(
        &self,
        key: &str,
        name: &str,
        reader: &Reader,
    ) -> Result<Option<&'c Entry>, Error> {
        if name.is_empty() {
            return Ok(None);
        }
        let path = settled(name).ok_or_else(|| Error::outside_option(key, name))?;
        Ok(reader.file_at(self.tip, &path)?)
    }
}

/// The version of a file that judges, which is believed.
enum Version<'s> {
    /// That of the base, where no flag names the file.
    Usual,
    /// The file that a flag names, as the base has it.
    At(&'s Entry),
    /// None: the change brings in the file that a flag names.
    Missing(FilePath),
    /// The one on disk: the head is believed, or the user wrote the file.
    OnDisk,
}

fn missing(path: FilePath, these_are: &str, were: &str) -> Notice {
    Notice::new(Some(path), None, &format!("{these_are} not in the base, and {were} not used"))
}

/// Whether a corpus of the settings is inside of the repository; one that is nowhere is.
fn is_inside(name: &str, root: &Path, real_root: &Path) -> bool {
    // What a URL names is elsewhere, whatever path its text would make.
    if Location::new(name).is_some() || settled(name).is_none() {
        return false;
    }
    root.join(name).canonicalize().map_or(true, |folder| folder.starts_with(real_root))
}
