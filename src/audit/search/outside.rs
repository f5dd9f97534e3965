//! Searches code outside the tree: a folder of components, or a stored corpus.

use std::path::Path;

use sha2::{Digest as _, Sha256};

use super::corpus::StoredCorpus;
use super::folder::search_folder;
use super::queries::{Queries, SearchOutcome};
use crate::audit::Error;
use crate::audit::outcome::ExaminedCorpus;
use crate::audit::read::Sources;
use crate::change::Components;
use crate::config::Config;
use crate::files::ReadFiles as _;
use crate::policy::Component;
use crate::text::{hexadecimal, printable};

/// Code to compare a change with, besides its tree.
pub enum Outside {
    /// A folder, each of whose direct subfolders is a component.
    Folder {
        /// Its name.
        name: String,
        /// What is in it.
        components: Components,
    },
    /// A stored corpus.
    Stored(StoredCorpus),
}

impl Outside {
    /// The folder at `root`, as a corpus that is read on the fly.
    pub fn folder(root: &Path, components: Components) -> Self {
        // A path such as `..` has no name.
        let named = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let name =
            named.file_name().map_or_else(String::new, |name| printable(name.as_encoded_bytes()));
        Self::Folder { name, components }
    }

    /// The corpus, if it is stored.
    pub fn stored(&self) -> Option<&StoredCorpus> {
        if let Self::Stored(stored) = self { Some(stored) } else { None }
    }

    /// Its name, and a digest of what is in it if it is here; of a folder without too large files.
    pub(in crate::audit) fn examined(&self, config: &Config) -> ExaminedCorpus {
        let (name, digest) = match self {
            Self::Folder { name, components } => {
                let reader = components.reader();
                let mut digest = Sha256::new();
                for entry in components.entries() {
                    let is_read = reader.size(entry).is_some_and(|n| n <= config.max_file_size);
                    let bytes = is_read.then(|| reader.read(entry).ok()).flatten();
                    digest.update(Sha256::digest(entry.path.as_bytes()));
                    digest.update(Sha256::digest(bytes.unwrap_or_default()));
                }
                (&**name, Some(hexadecimal(&digest.finalize())))
            }
            Self::Stored(stored) => (stored.name(), stored.digest()),
        };
        ExaminedCorpus { name: name.to_owned(), digest }
    }

    /// Whether it has the history of any component.
    pub fn has_past(&self) -> bool {
        self.stored().is_some_and(|stored| stored.sources().any(|(segment, _)| segment.has_past()))
    }

    /// The license texts of a component, if this corpus has it.
    pub(in crate::audit) fn texts(&self, component: &Component) -> Result<Vec<String>, Error> {
        // A folder read on the fly keeps the texts with the terms.
        self.stored().map_or(Ok(Vec::new()), |stored| stored.texts(component))
    }

    pub(in crate::audit) fn search(
        &self,
        queries: &Queries<'_>,
        sources: &Sources<'_>,
    ) -> Result<SearchOutcome, Error> {
        match self {
            Self::Folder { name, components } => search_folder(name, components, queries, sources),
            Self::Stored(stored) => stored.search(queries, sources.progress),
        }
    }
}
