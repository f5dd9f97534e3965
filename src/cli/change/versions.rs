//! Reads settings, baseline and decisions from a state of the repository.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::cli::error::Failure;
use crate::config::{FolderSettings, MAX_BASELINE, MAX_SETTINGS, NAMES, Reach, Written, decisions};
use crate::files::{Entry, ReadFiles, not_utf8, too_large};
use crate::git::{self, Reader, Snapshot};
use crate::policy::{Baseline, Decision};
use crate::text::FilePath;

/// The decisions of a state of the repository.
pub fn decisions_in(reader: &Reader, entry: &Entry) -> Result<Vec<Decision>, Failure> {
    Ok(decisions(&text_in(reader, entry, MAX_SETTINGS)?, &entry.path.to_string())?)
}

/// The baseline of a state of the repository.
pub fn baseline_in(reader: &Reader, entry: &Entry) -> Result<Baseline, Failure> {
    let text = text_in(reader, entry, MAX_BASELINE)?;
    Baseline::parse(&text).map_err(|error| Failure::Baseline { file: entry.path.to_string(), error })
}

/// The settings file of a state of the repository.
pub fn settings_entry<'s>(reader: &Reader, files: &'s Snapshot) -> Result<Option<&'s Entry>, Failure> {
    for name in NAMES {
        if let Some(entry) = reader.file_at(files, &FilePath::new(name.as_bytes()))? {
            return Ok(Some(entry));
        }
    }
    Ok(None)
}

/// The settings that a file of a state of the repository has.
pub fn settings_in(reader: &Reader, entry: &Entry) -> Result<Written, Failure> {
    let name = entry.path.to_string();
    Ok(Written::parse(text_in(reader, entry, MAX_SETTINGS)?, &name, format!("`{name}` of the base"))?)
}

/// The settings files of the folders of a state of the repository, by folder: those that `reach` heeds.
pub fn folder_entries<'s>(
    reader: &Reader,
    files: &'s Snapshot,
    reach: &Reach,
) -> Result<BTreeMap<FilePath, &'s Entry>, Failure> {
    let found = readable_folder_entries(reader, files, reach).into_iter();
    Ok(found.map(|(folder, (_, entry))| Ok((folder, entry?))).collect::<Result<_, git::Error>>()?)
}

/// The same with their paths, each by itself: one that is a link to nowhere is an error.
pub fn readable_folder_entries<'s>(
    reader: &Reader,
    files: &'s Snapshot,
    reach: &Reach,
) -> BTreeMap<FilePath, (FilePath, Result<&'s Entry, git::Error>)> {
    let mut found = BTreeMap::new();
    for folder in files.paths().filter_map(|path| reach.folder(path)) {
        let of_folder = |name: &str| FilePath::new([folder.as_bytes(), b"/", name.as_bytes()].concat());
        let file = |path: FilePath| reader.file_at(files, &path).transpose().map(|entry| (path, entry));
        if let Some(file) = NAMES.iter().map(|name| of_folder(name)).find_map(file) {
            found.entry(folder).or_insert(file);
        }
    }
    found
}

/// The settings that a file of a state of the repository has for the folder `folder`.
pub fn folder_settings_in(reader: &Reader, folder: FilePath, entry: &Entry) -> Result<FolderSettings, Failure> {
    let mut read = FolderSettings::parse(text_in(reader, entry, MAX_SETTINGS)?, entry.path.clone(), " of the base")?;
    // Its file may be a link to another one.
    read.folder = folder;
    Ok(read)
}

/// The text of a file that has at most `max` bytes.
fn text_in(reader: &Reader, entry: &Entry, max: u64) -> Result<String, Failure> {
    let unreadable = |why| Failure::Unreadable { file: PathBuf::from(entry.path.to_string()), why };
    if reader.size(entry).is_some_and(|size| size > max) {
        return Err(unreadable(too_large(max)));
    }
    String::from_utf8(reader.read(entry)?).map_err(|_| unreadable(not_utf8()))
}
