//! Finds the licenses of what was found in folders of components.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Slot;
use std::sync::Arc;

use super::queries::FileHits;
use crate::audit::Error;
use crate::audit::read::Source;
use crate::files::{Entry, ReadFiles};
use crate::license::{KnownTexts, Licenses, LicensingInfo, Terms, is_relevant, meant_by};
use crate::policy::{Component, Place};
use crate::sources::is_license_sized;
use crate::text::FilePath;

/// Where the components are, and what they say of themselves.
pub(super) struct ComponentFolders<'c> {
    pub folder_of: &'c dyn Fn(&FilePath) -> Vec<u8>,
    pub declared: &'c dyn Fn(&FilePath) -> Option<String>,
    /// The text of a file that may state its license.
    pub text: &'c dyn Fn(&Source) -> Vec<u8>,
}

pub(super) fn own_text(source: &Source) -> Vec<u8> {
    source.text.clone()
}

pub(super) fn identify(
    found: &mut [FileHits],
    entries: &[Entry],
    reader: &impl ReadFiles,
    folders: &ComponentFolders<'_>,
) -> Result<(), Error> {
    let ComponentFolders { folder_of, declared, text } = folders;
    let mut known: BTreeMap<Vec<u8>, Licenses> = BTreeMap::new();
    let memory = KnownTexts::default();
    for one in found {
        let Place::Component(component) = &one.place else { continue };
        let folder = folder_of(&one.target.path);
        let licenses = match known.entry(folder.clone()) {
            Slot::Occupied(slot) => slot.into_mut(),
            Slot::Vacant(slot) => {
                let mut licenses = licenses_in(entries, reader, &folder)?;
                let declared = declared(&one.target.path);
                declared.iter().for_each(|of| licenses.declare(&FilePath::new(""), of));
                slot.insert(licenses)
            }
        };
        let path =
            one.target.path.below(&folder).map_or_else(|| one.target.path.clone(), FilePath::new);
        let refer = |of: &FilePath, name: &str| {
            meant_by(of, name).into_iter().find_map(|at| {
                let text = text_at(entries, reader, &FilePath::joined(&folder, at.as_bytes()))?;
                Some((at.clone(), LicensingInfo::remembered(&at, &text, &memory)))
            })
        };
        let whole = Terms { texts: licenses.texts().to_vec(), ..Terms::new(&licenses.component()) };
        let info = LicensingInfo::remembered(&path, &text(&one.target), &memory);
        let terms = Terms::of_file(&licenses.of_info(&path, &info, &refer), &whole);
        let terms = Terms { texts: whole.texts, ..terms };
        one.place = Place::Component(Arc::new(Component { terms, ..(**component).clone() }));
    }
    Ok(())
}

/// The bytes of a file that is no longer than a license.
fn text_at(entries: &[Entry], reader: &impl ReadFiles, path: &FilePath) -> Option<Vec<u8>> {
    let entry = &entries[entries.binary_search_by(|entry| entry.path.cmp(path)).ok()?];
    is_license_sized(reader, entry).then(|| reader.read(entry).ok())?
}

/// The files whose paths begin with `folder`.
pub(super) fn entries_in<'e>(
    entries: &'e [Entry],
    folder: &[u8],
) -> impl Iterator<Item = &'e Entry> {
    let first = entries.partition_point(|entry| entry.path.as_bytes() < folder);
    entries[first..].iter().take_while(move |entry| entry.path.as_bytes().starts_with(folder))
}

/// The license statements of the files in `folder`, by their paths in it.
fn licenses_in(
    entries: &[Entry],
    reader: &impl ReadFiles,
    folder: &[u8],
) -> Result<Licenses, Error> {
    let mut licenses = Licenses::default();
    for entry in entries_in(entries, folder) {
        let Some(path) = entry.path.below(folder).map(FilePath::new) else { continue };
        if is_relevant(&path)
            && is_license_sized(reader, entry)
            && let Ok(bytes) = reader.try_read(entry)?
        {
            licenses.add_with_named(&path, &bytes, |named| {
                text_at(entries, reader, &FilePath::joined(folder, named.as_bytes()))
            });
        }
    }
    Ok(licenses)
}
