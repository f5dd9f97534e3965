//! Lists the files of a tree, however it was made.

use std::collections::{HashMap, VecDeque};
use std::ops::ControlFlow;

use gix::bstr::{BStr, BString};
use gix::objs::tree::{EntryMode, EntryRef};
use gix::traverse::tree::{Visit, visit::Action};

use super::Error;
use super::damage::innermost;

/// Maximum folders inside each other. Git reads no deeper trees either (`core.maxTreeDepth`): the
/// paths in one take space that is quadratic in its depth.
pub(super) const MAX_DEPTH: usize = 4096;

/// An entry that is no folder.
pub(super) struct TreeFile {
    pub path: Vec<u8>,
    pub mode: EntryMode,
    pub id: gix::ObjectId,
}

/// The folders of a tree by their paths.
pub(super) type Folders = HashMap<BString, gix::ObjectId>;

/// What is below `tree`, without what is in folders that are the same in another tree, whose
/// folders are `known`; `what` names it in an error.
pub(super) fn listing<'k>(
    tree: &gix::Tree<'_>,
    known: &'k Folders,
    what: &str,
) -> Result<Listing<'k>, Error> {
    let mut listing = Listing {
        files: Vec::new(),
        folders: Folders::new(),
        same: Vec::new(),
        known,
        path: BString::default(),
        open: VecDeque::new(),
        is_too_deep: false,
    };
    let read = tree.traverse().breadthfirst(&mut listing);
    match read {
        _ if listing.is_too_deep => Err(too_deep(what)),
        Err(error) => Err(Error::unreadable(what, &innermost(&error))),
        Ok(()) => Ok(listing),
    }
}

/// Why a tree with too many folders inside each other was not read.
pub(super) fn too_deep(what: &str) -> Error {
    Error::TooDeep { what: what.to_owned(), max: MAX_DEPTH }
}

/// What was found in a tree.
pub(super) struct Listing<'k> {
    pub files: Vec<TreeFile>,
    /// The folders that were entered.
    pub folders: Folders,
    /// Those that are the same in the other tree.
    pub same: Vec<BString>,
    known: &'k Folders,
    path: BString,
    /// The folders that were not entered yet.
    open: VecDeque<BString>,
    is_too_deep: bool,
}

impl Visit for Listing<'_> {
    fn pop_back_tracked_path_and_set_current(&mut self) {
        self.path = self.open.pop_back().unwrap_or_default();
    }

    fn pop_front_tracked_path_and_set_current(&mut self) {
        self.path = self.open.pop_front().unwrap_or_default();
    }

    fn push_back_tracked_path_component(&mut self, component: &BStr) {
        self.push_path_component(component);
        self.open.push_back(self.path.clone());
    }

    fn push_path_component(&mut self, component: &BStr) {
        if !component.is_empty() {
            if !self.path.is_empty() {
                self.path.push(b'/');
            }
            self.path.extend_from_slice(component);
        }
    }

    fn pop_path_component(&mut self) {
        let n_above = memchr::memrchr(b'/', &self.path).unwrap_or(0);
        self.path.truncate(n_above);
    }

    fn visit_tree(&mut self, entry: &EntryRef<'_>) -> Action {
        if self.known.get(&self.path).is_some_and(|id| *id == entry.oid) {
            self.same.push(self.path.clone());
            return ControlFlow::Continue(false);
        }
        // What a malformed tree has twice is the same in no other.
        let id = self.folders.entry(self.path.clone());
        id.and_modify(|id| *id = id.kind().null()).or_insert_with(|| entry.oid.to_owned());
        self.is_too_deep = memchr::memchr_iter(b'/', &self.path).count() >= MAX_DEPTH;
        if self.is_too_deep { ControlFlow::Break(()) } else { ControlFlow::Continue(true) }
    }

    fn visit_nontree(&mut self, entry: &EntryRef<'_>) -> Action {
        let (path, id) = (self.path.to_vec(), entry.oid.to_owned());
        self.files.push(TreeFile { path, mode: entry.mode, id });
        ControlFlow::Continue(true)
    }
}
