//! Treats third-party code in the tree as code of components.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::licenses::{ComponentFolders, entries_in, identify, own_text};
use super::queries::FileHits;
use crate::audit::Error;
use crate::audit::read::{Source, Sources};
use crate::config::Config;
use crate::files::{Entry, ReadFiles};
use crate::git::{Reader, Snapshot};
use crate::license::{Licenses, Terms, is_about_license};
use crate::policy::{Answer, Component, Place};
use crate::text::{FilePath, MAX_WRITTEN};

/// What stands for the corpus of such a component.
const CORPUS: &str = "vendored";

/// The place of a file of the tree: in a vendored folder, or in the tree itself.
pub(in crate::audit) fn place_in_tree(config: &Config, path: &FilePath) -> Place {
    let Some(vendored) = config.vendored_at(path) else { return Place::Tree };
    let declared = vendored.license.as_ref().map(|license| {
        let mut licenses = Licenses::default();
        licenses.declare(&FilePath::new(""), license);
        Terms::new(&licenses.component())
    });
    Place::Component(Arc::new(Component {
        corpus: CORPUS.to_owned(),
        name: vendored.name().to_owned(),
        version: vendored.version.clone(),
        purl: vendored.purl.clone(),
        terms: declared.unwrap_or_default(),
        ..Component::default()
    }))
}

/// Finds the licenses of what was found in vendored folders, as `entries` state them; those
/// declared in the settings win. What is third-party code by its name or `.gitattributes` only is
/// of the tree, unless a license is stated there of which `is_told`.
pub(in crate::audit) fn identify_vendored(
    found: &mut [FileHits],
    entries: &[Entry],
    reader: &impl ReadFiles,
    sources: &Sources<'_>,
    is_told: &dyn Fn(&Terms) -> bool,
) -> Result<(), Error> {
    identify_with(found, entries, reader, sources, is_told, &own_text)
}

/// The same, as another state of the repository has it: a file not there says nothing of its own.
pub(in crate::audit) fn identify_vendored_as_of(
    state: &Snapshot,
    found: &mut [FileHits],
    reader: &Reader,
    sources: &Sources<'_>,
) -> Result<(), Error> {
    let is_told = asks_for_more(sources.config);
    identify_with(found, &state.entries, reader, sources, &is_told, &|source| {
        let entry = state.get(&source.path);
        let entry = entry.filter(|of| reader.size(of).is_none_or(|size| size <= MAX_WRITTEN));
        entry.and_then(|entry| reader.read(entry).ok()).unwrap_or_default()
    })
}

/// Whether the policy asks for more than a notice: that matters more than where the code is.
pub(in crate::audit) fn asks_for_more(config: &Config) -> impl Fn(&Terms) -> bool {
    |terms| terms.license.is_some() && config.licenses.judge(terms).answer != Answer::Allowed
}

fn identify_with(
    found: &mut [FileHits],
    entries: &[Entry],
    reader: &impl ReadFiles,
    sources: &Sources<'_>,
    is_told: &dyn Fn(&Terms) -> bool,
    text: &dyn Fn(&Source) -> Vec<u8>,
) -> Result<(), Error> {
    let config = sources.config;
    let mut unlisted: BTreeMap<FilePath, Vec<u8>> = BTreeMap::new();
    for of in found.iter_mut() {
        let path = &of.target.path;
        if let Some(folder) = component_folder(path, entries, sources) {
            let (corpus, name) = (CORPUS.to_owned(), name_of(folder, path, sources));
            let component = Component { corpus, name, ..Component::default() };
            of.place = Place::Component(Arc::new(component));
            unlisted.insert(path.clone(), folder.to_vec());
        }
    }
    let folders = ComponentFolders {
        folder_of: &|path| match config.vendored_at(path) {
            Some(of) => of.folder().as_bytes().to_vec(),
            None => unlisted.get(path).cloned().unwrap_or_default(),
        },
        declared: &|path| config.vendored_at(path).and_then(|of| of.license.clone()),
        text,
    };
    identify(found, entries, reader, &folders)?;
    for of in found.iter_mut().filter(|of| unlisted.contains_key(&of.target.path)) {
        if matches!(&of.place, Place::Component(component) if !is_told(&component.terms)) {
            of.place = Place::Tree;
        }
    }
    Ok(())
}

/// What third-party code by its name or `.gitattributes` only belongs to: the outermost folder
/// above that states a license, or the file alone. `None` for other files.
fn component_folder<'p>(
    path: &'p FilePath,
    entries: &[Entry],
    sources: &Sources<'_>,
) -> Option<&'p [u8]> {
    let root = sources.unlisted_folder(path)?;
    let bytes = path.as_bytes();
    let ends = memchr::memchr_iter(b'/', bytes).filter(|&end| end > root.len());
    // A license next to all third-party code tells less than one below.
    let named = ends.chain((!root.is_empty()).then_some(root.len()));
    let folder = named.map(|end| &bytes[..end]).find(|folder| states_license(folder, entries));
    Some(folder.unwrap_or(bytes))
}

/// The name of the component `folder`: its path below the folder of third-party code, as in
/// `golang.org/x/mod`; of a file alone, its folder in that. Without such a folder it is the name of
/// the component itself, or of the folder of the file.
fn name_of(folder: &[u8], path: &FilePath, sources: &Sources<'_>) -> String {
    let is_file = folder == path.as_bytes();
    let root = sources.unlisted_folder(path).filter(|root| !root.is_empty());
    let name = match root.and_then(|root| folder[root.len()..].strip_prefix(b"/")) {
        Some(below) if is_file => below.split(|&byte| byte == b'/').next(),
        Some(below) => Some(below),
        None => {
            let mut parts = folder.rsplit(|&byte| byte == b'/');
            let last = parts.next();
            parts.next().filter(|_| is_file).or(last)
        }
    };
    String::from_utf8_lossy(name.unwrap_or_default()).into_owned()
}

/// Whether a file directly in `folder` may state its license.
fn states_license(folder: &[u8], entries: &[Entry]) -> bool {
    let paths = entries_in(entries, folder).map(|entry| &entry.path);
    paths
        .filter(|path| path.folder().strip_suffix(b"/").unwrap_or_default() == folder)
        .any(is_about_license)
}
