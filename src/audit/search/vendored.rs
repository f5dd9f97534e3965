//! Treats vendored folders of the tree as components.

use std::sync::Arc;

use super::licenses::identify;
use super::queries::Found;
use crate::audit::Error;
use crate::config::{Config, Vendored};
use crate::files::{Entry, ReadFiles};
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

/// Finds the licenses of what was found in vendored folders; licenses declared in the settings win.
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
