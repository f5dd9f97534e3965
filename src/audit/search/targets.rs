//! Defines what is searched.

use std::sync::Arc;

use super::vendored::place_in_tree;
use crate::audit::read::{Source, Sources};
use crate::files::Entry;
use crate::policy::{Component, Place};
use crate::text::{FilePath, printable};

/// The files to search, and how to read them.
pub(in crate::audit) struct Targets<'t, R> {
    pub entries: &'t [Entry],
    /// Opens a reader for one thread.
    pub open: &'t (dyn Fn() -> R + Sync),
    pub sources: &'t Sources<'t>,
    /// The corpus whose components the files are; `None` for files of the tree.
    pub corpus: Option<&'t str>,
    /// Which of the files the change adds or modifies.
    pub is_new: &'t (dyn Fn(&FilePath) -> bool + Sync),
    /// The touched files as they were: base decides what is common.
    pub before: &'t [&'t Source],
    /// Maximum components with a fingerprint that is not common; for the tree there is none.
    pub max_components: usize,
    /// Whether files that share nothing but a few common fingerprints are left out.
    pub is_rarity_judged: bool,
}

impl<'t, R> Targets<'t, R> {
    /// Files of the tree, none of which is new.
    pub fn new(
        entries: &'t [Entry],
        open: &'t (dyn Fn() -> R + Sync),
        sources: &'t Sources<'t>,
    ) -> Self {
        let (corpus, before, max_components) = (None, &[][..], usize::MAX);
        let (is_new, is_rarity_judged) = (&|_: &FilePath| false, false);
        Self { entries, open, sources, corpus, is_new, before, max_components, is_rarity_judged }
    }

    /// Where a file is.
    pub fn place(&self, path: &FilePath) -> Place {
        match self.corpus {
            Some(corpus) => place_in_corpus(corpus, path),
            None => place_in_tree(self.sources.config, path),
        }
    }
}

/// The place of a file of the corpus `corpus`: in the component that is its top folder.
pub(super) fn place_in_corpus(corpus: &str, path: &FilePath) -> Place {
    let name = match component_folder(path) {
        b"" => corpus.to_owned(),
        folder => printable(folder),
    };
    let corpus = corpus.to_owned();
    Place::Component(Arc::new(Component { corpus, name, ..Component::default() }))
}

/// The top folder of a path; empty for a file at the root.
pub(super) fn component_folder(path: &FilePath) -> &[u8] {
    let bytes = path.as_bytes();
    memchr::memchr(b'/', bytes).map_or(&[][..], |end| &bytes[..end])
}
