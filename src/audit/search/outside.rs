//! Searches code outside of the tree: a folder of components, or a stored corpus.

use std::path::Path;

use super::corpus::Stored;
use super::folder::search_folder;
use super::queries::{Queries, SearchOutcome};
use crate::audit::Error;
use crate::audit::read::Sources;
use crate::sources::Folder;
use crate::text::printable;

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
    ) -> Result<SearchOutcome, Error> {
        match self {
            Self::Folder { name, folder } => search_folder(name, folder, queries, sources),
            Self::Stored(stored) => stored.search(queries, sources.progress),
        }
    }
}
