//! Looks for the origins of novel code outside of the tree: in folders of components.

use std::path::Path;
use std::sync::Arc;

use super::cache::Remembered;
use super::origins::{Queries, SearchOutcome, Targets, search};
use super::source::Sources;
use super::stored::Stored;
use super::stored::no_attributes;
use super::{Error, Progress};
use crate::config::{Config, Vendored};
use crate::corpus::Folder;
use crate::git::Entry;
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
    pub(super) fn search(
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
                let entries: Vec<Entry> =
                    folder.entries()?.into_iter().filter(|entry| sources.skip_by_name(&entry.path).is_none()).collect();
                let place = |path: &FilePath| Place::Component(Arc::new(component(name, path)));
                let open = || folder.clone();
                let common_at = sources.config.common_components;
                let targets = Targets { entries: &entries, open: &open, place: &place, common_at };
                let mut outcome = search(queries, &targets, sources, progress)?;
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
    Component {
        corpus: corpus.to_owned(),
        name,
        version: None,
        purl: None,
        url: None,
        license: None,
        license_evidence: None,
    }
}

/// The path of a file inside its component.
fn within_component(path: &FilePath) -> FilePath {
    let bytes = path.as_bytes();
    FilePath::new(memchr::memchr(b'/', bytes).map_or(bytes, |end| &bytes[end + 1..]))
}

/// Where a file of the tree is kept: in a vendored folder, or in the tree as such.
pub(super) fn place_in_tree(config: &Config, path: &FilePath) -> Place {
    config.vendored_at(path).map_or(Place::Tree, |vendored| Place::Component(Arc::new(vendored_component(vendored))))
}

fn vendored_component(vendored: &Vendored) -> Component {
    Component {
        corpus: "vendored".to_owned(),
        name: vendored.name().to_owned(),
        version: vendored.version.clone(),
        purl: vendored.purl.clone(),
        url: None,
        license: vendored.license.clone(),
        license_evidence: vendored.license.as_ref().map(|_| "the settings of this repository".to_owned()),
    }
}
