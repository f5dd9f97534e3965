//! Looks for the origins of novel code outside of the tree: in folders of components.

use std::collections::btree_map::Entry as Slot;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use super::corpus::{Stored, no_attributes};
use super::queries::{Found, Queries, SearchOutcome, Targets, search};
use crate::audit::judge::may_be_whole;
use crate::audit::read::{Remembered, Source, Sources};
use crate::audit::{Error, Progress};
use crate::config::{Config, Vendored};
use crate::corpus::{Folder, MAX_LICENSE_FILE};
use crate::git::{Entry, ReadFiles};
use crate::license::{Licenses, Said, Terms, is_relevant};
use crate::policy::{Component, Place};
use crate::text::{FilePath, printable};

/// Code that a change is compared with, besides its tree.
#[derive(Debug)]
pub enum Outside {
    /// A folder, each of whose direct subfolders is a component.
    Folder {
        /// What it is called.
        name: String,
        /// Where it is.
        folder: Folder,
    },
    /// A stored corpus.
    Stored(Stored),
}

impl Outside {
    /// The folder at `root` as a corpus on the spot.
    pub fn folder(root: &Path) -> Self {
        // A path like `..` has no name of its own.
        let named = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let name = named.file_name().map_or_else(String::new, |name| printable(name.as_encoded_bytes()));
        Self::Folder { name, folder: Folder::new(root) }
    }

    /// What is found of the queries in this corpus.
    pub(in crate::audit) fn search(
        &self,
        queries: &Queries<'_>,
        sources: &Sources<'_>,
        progress: &dyn Progress,
    ) -> Result<SearchOutcome, Error> {
        match self {
            Self::Stored(stored) => stored.search(queries, sources, progress),
            Self::Folder { name, folder } => {
                // What is remembered is of the files of the repository.
                let nothing = Remembered::nothing();
                let sources = &Sources { remembered: &nothing, attributes: no_attributes(), ..*sources };
                let all = folder.entries()?;
                let is_source = |entry: &&Entry| sources.skip_by_name(&entry.path).is_none();
                let entries: Vec<Entry> = all.iter().filter(is_source).cloned().collect();
                let place = |path: &FilePath| Place::Component(Arc::new(component(name, path)));
                let open = || folder.clone();
                let common_at = sources.config.common_components;
                let targets = Targets { entries: &entries, open: &open, place: &place, common_at };
                let mut outcome = search(queries, &targets, sources, progress)?;
                take_whole(&mut outcome, &entries, folder, queries, sources, &place)?;
                identify(&mut outcome.found, &all, folder, &|path| component_folder(path).to_vec(), &|_| None)?;
                for found in &mut outcome.found {
                    found.target.path = within_component(&found.target.path);
                }
                Ok(outcome)
            }
        }
    }
}

/// The component that a file of the corpus `corpus` belongs to: its top folder.
fn component(corpus: &str, path: &FilePath) -> Component {
    let bytes = path.as_bytes();
    let name = memchr::memchr(b'/', bytes).map_or_else(|| corpus.to_owned(), |end| printable(&bytes[..end]));
    Component { corpus: corpus.to_owned(), name, ..Component::default() }
}

/// The top folder of a path; nothing of a file at the root.
fn component_folder(path: &FilePath) -> &[u8] {
    let bytes = path.as_bytes();
    memchr::memchr(b'/', bytes).map_or(&[][..], |end| &bytes[..end])
}

/// Takes note of the files that whole queries are, byte for byte, whether or not they share a fingerprint that tells.
fn take_whole(
    outcome: &mut SearchOutcome,
    entries: &[Entry],
    folder: &Folder,
    queries: &Queries<'_>,
    sources: &Sources<'_>,
    place: &dyn Fn(&FilePath) -> Place,
) -> Result<(), Error> {
    let mut by_size: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (number, source) in queries.sources().iter().enumerate().filter(|(_, source)| may_be_whole(source)) {
        by_size.entry(source.text.len()).or_default().push(number);
    }
    if by_size.is_empty() {
        return Ok(());
    }
    let mut whole: Vec<(FilePath, Vec<usize>)> = Vec::new();
    let mut n_components: BTreeMap<usize, BTreeSet<Vec<u8>>> = BTreeMap::new();
    for entry in entries {
        let size = folder.size(entry).and_then(|size| usize::try_from(size).ok());
        let Some(alike) = size.and_then(|size| by_size.get(&size)) else { continue };
        let text = folder.read(entry)?;
        let same: Vec<usize> = alike.iter().filter(|&&query| queries.sources()[query].text == text).copied().collect();
        for &query in &same {
            n_components.entry(query).or_default().insert(component_folder(&entry.path).to_vec());
        }
        if !same.is_empty() {
            whole.push((entry.path.clone(), same));
        }
    }
    for (path, mut same) in whole {
        same.retain(|query| n_components[query].len() <= sources.config.common_components);
        let Some(&first) = same.first() else { continue };
        let at = outcome.found.iter().position(|found| found.target.path == path);
        let found = match at {
            Some(at) => outcome.found.swap_remove(at),
            None => {
                let target = Source { path: path.clone(), ..queries.sources()[first].clone() };
                let text = Some(target.text.clone().into());
                Found { place: place(&path), target, text, alignments: Vec::new(), whole: Vec::new() }
            }
        };
        outcome.found.push(found.aligned_whole(&same));
    }
    outcome.found.sort_by(|a, b| a.target.path.cmp(&b.target.path));
    Ok(())
}

/// Finds out the licenses of what was found in folders of components: `folder_of` says which folder the component of a
/// file is, `declared` what license it is said to have.
pub(in crate::audit) fn identify(
    found: &mut [Found],
    entries: &[Entry],
    reader: &impl ReadFiles,
    folder_of: &dyn Fn(&FilePath) -> Vec<u8>,
    declared: &dyn Fn(&FilePath) -> Option<String>,
) -> Result<(), Error> {
    let mut known: BTreeMap<Vec<u8>, Licenses> = BTreeMap::new();
    for one in found {
        let Place::Component(component) = &one.place else { continue };
        let folder = folder_of(&one.target.path);
        let licenses = match known.entry(folder.clone()) {
            Slot::Occupied(slot) => slot.into_mut(),
            Slot::Vacant(slot) => {
                let mut licenses = heard(entries, reader, &folder)?;
                if let Some(declared) = declared(&one.target.path) {
                    licenses.declare(&FilePath::new(""), &declared);
                }
                slot.insert(licenses)
            }
        };
        let path = FilePath::new(below(&one.target.path, &folder));
        let terms = Terms::new(&licenses.of(&path, &one.target.text));
        one.place = Place::Component(Arc::new(Component { terms, ..(**component).clone() }));
    }
    Ok(())
}

/// What the files in `folder` say of licenses, by their paths in it.
fn heard(entries: &[Entry], reader: &impl ReadFiles, folder: &[u8]) -> Result<Licenses, Error> {
    let mut licenses = Licenses::default();
    let is_inside =
        |entry: &&Entry| folder.is_empty() || below(&entry.path, folder).len() < entry.path.as_bytes().len();
    let first = entries.partition_point(|entry| entry.path.as_bytes() < folder);
    let inside = entries[first..].iter().take_while(|entry| entry.path.as_bytes().starts_with(folder));
    for entry in inside.filter(is_inside) {
        let path = FilePath::new(below(&entry.path, folder));
        if is_relevant(&path) && reader.size(entry).is_none_or(|size| size <= MAX_LICENSE_FILE) {
            licenses.hear(&path, &Said::new(&path, &reader.read(entry)?));
        }
    }
    Ok(licenses)
}

/// The rest of `path` below `folder`; the whole path where it is not there.
fn below<'p>(path: &'p FilePath, folder: &[u8]) -> &'p [u8] {
    let bytes = path.as_bytes();
    if folder.is_empty() {
        return bytes;
    }
    bytes.strip_prefix(folder).and_then(|rest| rest.strip_prefix(b"/")).unwrap_or(bytes)
}

/// The path of a file inside its component.
fn within_component(path: &FilePath) -> FilePath {
    let bytes = path.as_bytes();
    FilePath::new(memchr::memchr(b'/', bytes).map_or(bytes, |end| &bytes[end + 1..]))
}

/// Where a file of the tree is kept: in a vendored folder, or in the tree as such.
pub(in crate::audit) fn place_in_tree(config: &Config, path: &FilePath) -> Place {
    config.vendored_at(path).map_or(Place::Tree, |vendored| Place::Component(Arc::new(vendored_component(vendored))))
}

fn vendored_component(vendored: &Vendored) -> Component {
    let declared = vendored.license.as_ref().map(|license| {
        let mut licenses = Licenses::default();
        licenses.declare(&FilePath::new(""), license);
        Terms::new(&licenses.component())
    });
    Component {
        corpus: "vendored".to_owned(),
        name: vendored.name().to_owned(),
        version: vendored.version.clone(),
        purl: vendored.purl.clone(),
        terms: declared.unwrap_or_default(),
        ..Component::default()
    }
}

/// Finds out the licenses of what was found in vendored folders; what the settings declare counts.
pub(in crate::audit) fn identify_vendored(
    found: &mut [Found],
    entries: &[Entry],
    reader: &impl ReadFiles,
    config: &Config,
) -> Result<(), Error> {
    let folder = |path: &FilePath| config.vendored_at(path).map_or_else(Vec::new, |of| of.folder().as_bytes().to_vec());
    let declared = |path: &FilePath| config.vendored_at(path).and_then(|of| of.license.clone());
    identify(found, entries, reader, &folder, &declared)
}
