//! Lists the files of a tree, however it was made.

use std::collections::VecDeque;
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

/// All entries below `tree` that are no folders; `what` names it in an error.
pub(super) fn files(tree: &gix::Tree<'_>, what: &str) -> Result<Vec<TreeFile>, Error> {
    let mut listing = Listing::default();
    let read = tree.traverse().breadthfirst(&mut listing);
    match read {
        _ if listing.is_too_deep => Err(too_deep(what)),
        Err(error) => Err(Error::unreadable(what, &innermost(&error))),
        Ok(()) => Ok(listing.files),
    }
}

/// Why a tree with too many folders inside each other was not read.
pub(super) fn too_deep(what: &str) -> Error {
    Error::TooDeep { what: what.to_owned(), max: MAX_DEPTH }
}

/// The files so far, and the folders that were not entered yet. Folders are not kept.
#[derive(Default)]
struct Listing {
    files: Vec<TreeFile>,
    path: BString,
    open: VecDeque<BString>,
    is_too_deep: bool,
}

impl Visit for Listing {
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

    fn visit_tree(&mut self, _: &EntryRef<'_>) -> Action {
        self.is_too_deep = memchr::memchr_iter(b'/', &self.path).count() >= MAX_DEPTH;
        if self.is_too_deep { ControlFlow::Break(()) } else { ControlFlow::Continue(true) }
    }

    fn visit_nontree(&mut self, entry: &EntryRef<'_>) -> Action {
        self.files.push(TreeFile {
            path: self.path.to_vec(),
            mode: entry.mode,
            id: entry.oid.to_owned(),
        });
        ControlFlow::Continue(true)
    }
}
