//! Searches code outside of the tree: a folder of components, or a stored corpus.

use std::path::Path;
use std::sync::Arc;

use super::corpus::{Stored, no_attributes};
use super::folder::{component, component_folder, take_whole, within_component};
use super::licenses::identify;
use super::queries::{Queries, SearchOutcome};
use super::tree::{Targets, search};
use crate::audit::read::{Remembered, Sources};
use crate::audit::{Error, Progress};
use crate::corpus::Folder;
use crate::git::Entry;
use crate::policy::Place;
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
