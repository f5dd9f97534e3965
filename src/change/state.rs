//! Reads settings, baseline, decisions and licenses from a state of the repository.

use std::collections::BTreeMap;
use std::path::Path;

use super::Error;
use crate::config::{FolderSettings, NAMES, RawConfig, Reach, SettingsFile, decisions};
use crate::files::{self, Entry, ReadFiles, not_utf8, too_large};
use crate::git::{self, Reader, Snapshot};
use crate::license::ProjectFiles;
use crate::policy::{Baseline, Decision};
use crate::sources::{is_license_sized, may_state_license};
use crate::text::{FilePath, MAX_MADE, MAX_WRITTEN};

pub(super) fn decisions_in(reader: &Reader, entry: &Entry) -> Result<Vec<Decision>, Error> {
    Ok(decisions(&text_in(reader, entry, MAX_WRITTEN)?, &entry.path.to_string())?)
}

pub(super) fn baseline_in(reader: &Reader, entry: &Entry) -> Result<Baseline, Error> {
    let text = text_in(reader, entry, MAX_MADE)?;
    Baseline::parse(&text).map_err(|why| Error::baseline(&entry.path, &why))
}

/// The settings file of a state of the repository.
pub(super) fn settings_entry<'s>(
    reader: &Reader,
    files: &'s Snapshot,
) -> Result<Option<&'s Entry>, Error> {
    let mut found = NAMES.iter().map(|name| reader.file_at(files, &FilePath::new(*name)));
    Ok(found.find_map(Result::transpose).transpose()?)
}

pub(super) fn settings_in(reader: &Reader, entry: &Entry) -> Result<SettingsFile, Error> {
    let name = entry.path.to_string();
    let text = text_in(reader, entry, MAX_WRITTEN)?;
    Ok(SettingsFile::parse(text, &name, format!("`{name}` of the base"))?)
}

/// The settings of a state of the repository, with those of its folders.
pub(super) fn settings_of(reader: &Reader, files: &Snapshot) -> Result<SettingsFile, Error> {
    let entry = settings_entry(reader, files)?;
    let written = entry.map(|entry| settings_in(reader, entry)).transpose()?;
    let mut written = written.unwrap_or_else(SettingsFile::nowhere);
    for (folder, (_, entry)) in folder_entries(reader, files, &Reach::new(&written.raw)) {
        written.folders.push(folder_settings_in(reader, folder, entry?)?);
    }
    Ok(written)
}

/// What the settings at the root of a state of the repository say: the defaults where they cannot
/// be read.
pub(super) fn raw_of(reader: &Reader, files: &Snapshot) -> RawConfig {
    let entry = settings_entry(reader, files).ok().flatten();
    entry.and_then(|entry| settings_in(reader, entry).ok()).unwrap_or_default().raw
}

/// The settings files of the folders of a state of the repository with their paths, by folder:
/// those that `reach` heeds. One that is a link to nowhere is an error by itself.
pub(super) fn folder_entries<'s>(
    reader: &Reader,
    files: &'s Snapshot,
    reach: &Reach,
) -> BTreeMap<FilePath, (FilePath, Result<&'s Entry, git::Error>)> {
    let mut found = BTreeMap::new();
    for folder in files.paths().filter_map(|path| reach.folder(path)) {
        let file = NAMES.iter().find_map(|name| {
            let path = FilePath::joined(folder.as_bytes(), name.as_bytes());
            reader.file_at(files, &path).transpose().map(|entry| (path, entry))
        });
        if let Some(file) = file {
            found.entry(folder).or_insert(file);
        }
    }
    found
}

pub(super) fn folder_settings_in(
    reader: &Reader,
    folder: FilePath,
    entry: &Entry,
) -> Result<FolderSettings, Error> {
    let text = text_in(reader, entry, MAX_WRITTEN)?;
    let mut read = FolderSettings::parse(text, entry.path.clone(), " of the base")?;
    // Its file may be a link to another one.
    read.folder = folder;
    Ok(read)
}

/// The files at the root of the repository that may state its license.
pub fn project_files(files: &Snapshot, reader: &Reader) -> Result<ProjectFiles, files::Error> {
    let mut stating = Vec::new();
    for entry in files.entries.iter().filter(|entry| may_state_license(&entry.path)) {
        if is_license_sized(reader, entry)
            && let Ok(bytes) = reader.try_read(entry)?
        {
            stating.push((entry.path.clone(), bytes));
        }
    }
    Ok(ProjectFiles::new(stating))
}

/// The submodule that a change moves and that `path` is in, or that is in it.
pub(super) fn moved_submodule<'s>(
    base: &'s Snapshot,
    head: &'s Snapshot,
    path: &FilePath,
) -> Option<&'s FilePath> {
    head.moved_submodules(base).find(|submodule| path.is_in(submodule) || submodule.is_in(path))
}

fn text_in(reader: &Reader, entry: &Entry, max: u64) -> Result<String, Error> {
    let text = match reader.size(entry) {
        Some(size) if size > max => Err(too_large(max)),
        _ => String::from_utf8(reader.read(entry)?).map_err(|_| not_utf8()),
    };
    text.map_err(|why| Error::unreadable(Path::new(&entry.path.to_string()), &why))
}
