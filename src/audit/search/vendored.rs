//! Treats vendored folders of the tree as components.

use std::sync::Arc;

use super::licenses::{ComponentFolders, identify, own_text};
use super::queries::Found;
use crate::audit::Error;
use crate::audit::read::Source;
use crate::config::{Config, Vendored};
use crate::files::{Entry, ReadFiles};
use crate::git::{Reader, Snapshot};
use crate::license::{Licenses, Terms};
use crate::policy::{Component, Place};
use crate::text::FilePath;

/// The place of a file of the tree: in a vendored folder, or in the tree itself.
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

/// Finds the licenses of what was found in vendored folders, as the files among `entries` state them; licenses declared
/// in the settings win.
pub(in crate::audit) fn identify_vendored(
    found: &mut [Found],
    entries: &[Entry],
    reader: &impl ReadFiles,
    config: &Config,
) -> Result<(), Error> {
    identify_with(found, entries, reader, config, &own_text)
}

/// The same, as another state of the repository has it: a file that was not there says nothing of its own.
pub(in crate::audit) fn identify_vendored_as_of(
    state: &Snapshot,
    found: &mut [Found],
    reader: &Reader,
    config: &Config,
) -> Result<(), Error> {
    let text = |source: &Source| {
        let short = state.get(&source.path).filter(|entry| reader.size(entry).is_none_or(|size| size <= MAX_TEXT));
        short.and_then(|entry| reader.read(entry).ok()).unwrap_or_default()
    };
    identify_with(found, &state.entries, reader, config, &text)
}

/// Maximum bytes of a file to look for its license in.
const MAX_TEXT: u64 = 4 << 20;

fn identify_with(
    found: &mut [Found],
    entries: &[Entry],
    reader: &impl ReadFiles,
    config: &Config,
    text: &dyn Fn(&Source) -> Vec<u8>,
) -> Result<(), Error> {
    let folder = |path: &FilePath| config.vendored_at(path).map_or_else(Vec::new, |of| of.folder().as_bytes().to_vec());
    let declared = |path: &FilePath| config.vendored_at(path).and_then(|of| of.license.clone());
    identify(found, entries, reader, &ComponentFolders { folder_of: &folder, declared: &declared, text })
}
