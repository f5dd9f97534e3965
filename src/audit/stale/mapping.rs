//! Says which file of a component a file of a folder is, by its name.

use std::collections::BTreeSet;

use crate::config::Foreign;
use crate::text::FilePath;

/// A folder of the tree, and the folder of a component whose files have the same names; without
/// slashes at their ends, and empty for the root.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Mapping {
    pub folder: Vec<u8>,
    pub origin: Vec<u8>,
}

impl Mapping {
    /// Of a file and a file of the same name elsewhere; `None` if the names differ. What the
    /// component copied from another project is mapped apart from its own files.
    pub fn new(here: &FilePath, there: &FilePath) -> Option<Self> {
        let parts = |path: &FilePath| {
            path.as_bytes().split(|&byte| byte == b'/').map(<[u8]>::to_vec).collect()
        };
        let n_below_copy = there.as_bytes()[copy_in(there)..].split(|&byte| byte == b'/').count();
        let (here, there): (Vec<Vec<u8>>, Vec<Vec<u8>>) = (parts(here), parts(there));
        let n = here.iter().rev().zip(there.iter().rev()).take_while(|(a, b)| a == b).count();
        let n = n.min(n_below_copy);
        let folder = |parts: &[Vec<u8>]| parts[..parts.len() - n].join(&b'/');
        (n > 0).then(|| Self { folder: folder(&here), origin: folder(&there) })
    }

    /// The path in the component of a file below the folder.
    pub fn there(&self, here: &FilePath) -> Option<FilePath> {
        Some(FilePath::joined(&self.origin, here.below(&self.folder)?))
    }

    /// Whether the folder of the component is a copy of another project.
    pub fn is_of_copy(&self) -> bool {
        is_of_copy(&self.origin)
    }

    /// Whether one of two folders of the tree is in the other, or they are the same.
    pub fn is_nested_with(&self, other: &Self) -> bool {
        let is_in = |a: &[u8], b: &[u8]| a == b || FilePath::new(a).below(b).is_some();
        is_in(&self.folder, &other.folder) || is_in(&other.folder, &self.folder)
    }

    /// The same mapping from the innermost folder that holds all `files`, which are below the
    /// folder.
    pub fn innermost(self, files: &[&FilePath]) -> Self {
        let mut mapping = self;
        while let Some(name) = mapping.only_folder(files) {
            let inner = |folder: &[u8]| FilePath::joined(folder, &name).as_bytes().to_vec();
            mapping = Self { folder: inner(&mapping.folder), origin: inner(&mapping.origin) };
        }
        mapping
    }

    /// The name of the one folder in the folder that holds all `files`, if there is one.
    fn only_folder(&self, files: &[&FilePath]) -> Option<Vec<u8>> {
        let first = |path: &&FilePath| {
            let rest = path.below(&self.folder)?;
            Some(rest[..rest.iter().position(|&byte| byte == b'/')?].to_vec())
        };
        let names: Option<BTreeSet<Vec<u8>>> = files.iter().map(first).collect();
        names.filter(|names| names.len() == 1)?.pop_first()
    }
}

/// Whether a folder of a component is, or is in, one of third-party code.
pub(super) fn is_of_copy(folder: &[u8]) -> bool {
    Foreign::above(&FilePath::joined(folder, b"")).is_some()
}

/// Where the path of a file begins within the copy of another project that it belongs to: below the
/// folder of third-party code, and the folder of the project in it. 0 for a component's own file.
fn copy_in(path: &FilePath) -> usize {
    let Some(root) = Foreign::above(path).map(|of| of.folder.len() + 1) else { return 0 };
    memchr::memchr(b'/', &path.as_bytes()[root..]).map_or(root, |end| root + end + 1)
}
