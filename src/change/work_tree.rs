//! Reads settings, baseline and decisions of the work tree: those that judge where the head is
//! trusted.

use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::Error;
use super::paths::{in_tree, inside};
use crate::config::{
    Config, FolderSettings, RawConfig, Reach, SettingsFile, decisions, find, read_text,
};
use crate::git::Repository;
use crate::policy::{Baseline, Decision};
use crate::text::{FilePath, MAX_MADE, MAX_WRITTEN, nearest};

/// Where settings, or a baseline, are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum FilePlace {
    /// Settings: at the root of the repository, and in its folders with tracked files. A baseline:
    /// where the option `baseline` says, if it is there.
    #[default]
    Usual,
    /// In this file alone.
    File(PathBuf),
    /// Nowhere.
    Nowhere,
}

impl FilePlace {
    /// The place by two flags: one names a file, the other says that there is none.
    pub fn of_flags(file: Option<&PathBuf>, is_nowhere: bool) -> Self {
        match file {
            _ if is_nowhere => Self::Nowhere,
            Some(file) => Self::File(file.clone()),
            None => Self::Usual,
        }
    }

    /// The file, if one is named; from the root of the repository.
    pub(super) fn in_tree(&self, root: &Path) -> Option<FilePath> {
        if let Self::File(file) = self { in_tree(file, root) } else { None }
    }

    /// The settings that are written there.
    pub fn settings(&self, repository: Option<&Repository>) -> Result<SettingsFile, Error> {
        let root = repository.map(Repository::root);
        match self {
            Self::Nowhere => return Ok(SettingsFile::nowhere()),
            Self::File(file) => return Ok(SettingsFile::read(file, root)?),
            Self::Usual => {}
        }
        let written =
            root.and_then(find).map(|file| SettingsFile::read(&file, root)).transpose()?;
        let mut written = written.unwrap_or_else(SettingsFile::nowhere);
        if let Some(repository) = repository {
            let reach = Reach::new(&written.raw);
            let folders = repository.reader().tracked_folders()?.into_par_iter();
            let folders = folders.filter(|folder| reach.heeds(folder));
            let folders = folders.map(|folder| FolderSettings::read(repository.root(), &folder));
            for folder in folders.collect::<Vec<_>>() {
                written.folders.extend(folder?);
            }
        }
        Ok(written)
    }

    /// The baseline that is there, of the repository at `root` if there is one: the file that the
    /// settings name need not be.
    pub fn baseline(&self, root: Option<&Path>, config: &Config) -> Result<Baseline, Error> {
        if let Self::File(file) = self {
            return read_baseline(file, root);
        }
        if let Some(root) = root
            && *self == Self::Usual
            && !config.baseline.is_empty()
        {
            let file = inside(root, "baseline", &config.baseline)?;
            if file.symlink_metadata().is_ok() {
                return read_baseline(&file, Some(root));
            }
        }
        Ok(Baseline::default())
    }

    /// The baseline that the settings name and that is not there, in a repository at `root`.
    pub fn missing_baseline<'c>(&self, root: Option<&Path>, config: &'c Config) -> Option<&'c str> {
        let is_named = *self == Self::Usual && !config.baseline.is_empty();
        let is_missing = is_named && root?.join(&config.baseline).symlink_metadata().is_err();
        (is_missing && config.baseline != RawConfig::default().baseline).then_some(&config.baseline)
    }
}

/// The folders of the projects with these names: what their settings call them, or their paths.
pub fn projects(names: &[String], written: &SettingsFile) -> Result<Vec<FilePath>, Error> {
    let own = Some(&written.raw.project).filter(|name| !name.is_empty());
    let own = own.map(|name| (name.clone(), FilePath::new("")));
    let below = written.folders.iter().map(|of| (of.name(), of.folder.clone()));
    let known: Vec<(String, FilePath)> = own.into_iter().chain(below).collect();
    names.iter().map(|name| project(name, &known)).collect()
}

fn project(name: &str, known: &[(String, FilePath)]) -> Result<FilePath, Error> {
    let path = name.trim_start_matches("./").trim_matches('/');
    let by_name = known.iter().find(|(known, _)| known == name);
    let found =
        by_name.or_else(|| known.iter().find(|(_, folder)| folder.as_bytes() == path.as_bytes()));
    found.map(|(_, folder)| folder.clone()).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| name.as_str()).collect();
        no_project(name, &names)
    })
}

fn no_project(name: &str, known: &[&str]) -> Error {
    let meant = nearest(name, known).map(|nearest| format!("did you mean `{nearest}`? "));
    let meant = meant.unwrap_or_default();
    let known =
        if known.is_empty() { String::new() } else { format!("available: {}; ", known.join(", ")) };
    Error::user(
        format!(
            "there is no project `{name}`: no folder with settings of its own has this name or path"
        ),
        format!(
            "{meant}{known}a folder without a `secondhand.toml` is named as a path, without `--project`"
        ),
    )
}

/// Reads a baseline, of the repository at `root` if there is one.
pub fn read_baseline(file: &Path, root: Option<&Path>) -> Result<Baseline, Error> {
    Baseline::parse(&text_of(file, root, MAX_MADE)?)
        .map_err(|why| Error::baseline(&file.display(), &why))
}

fn text_of(file: &Path, root: Option<&Path>, max: u64) -> Result<String, Error> {
    read_text(file, root, max).map_err(|why| Error::unreadable(file, &why))
}

/// The decisions named in the settings, if the file exists.
pub fn decisions_of(root: &Path, config: &Config) -> Result<Vec<Decision>, Error> {
    if config.decisions.is_empty() {
        return Ok(Vec::new());
    }
    let file = inside(root, "decisions", &config.decisions)?;
    if file.symlink_metadata().is_err() {
        return Ok(Vec::new());
    }
    Ok(decisions(&text_of(&file, Some(root), MAX_WRITTEN)?, &config.decisions)?)
}
