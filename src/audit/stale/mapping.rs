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
        let n_below_copy = there.as_bytes()[copy_in(there)..].split(|&byte| byte == b'/').count();
        let [here, there] =
            [here, there].map(|of| of.as_bytes().split(|&byte| byte == b'/').collect::<Vec<_>>());
        let n = here.iter().rev().zip(there.iter().rev()).take_while(|(a, b)| a == b).count();
        let n = n.min(n_below_copy);
        let [folder, origin] = [here, there].map(|parts| parts[..parts.len() - n].join(&b'/'));
        (n > 0).then_some(Self { folder, origin })
    }

    /// The path in the component of a file below the folder.
    pub fn there(&self, here: &FilePath) -> Option<FilePath> {
        Some(FilePath::joined(&self.origin, here.below(&self.folder)?))
    }

    /// Whether one of two folders of the tree is in the other, or they are the same.
    pub fn is_nested_with(&self, other: &Self) -> bool {
        let [a, b] = [self, other].map(|of| FilePath::new(&*of.folder));
        a.is_in(&b) || b.is_in(&a)
    }

    /// The same mapping from the innermost folder that holds all `files`.
    pub fn innermost(mut self, files: &[&FilePath]) -> Self {
        while let Some(name) = self.only_folder(files) {
            for folder in [&mut self.folder, &mut self.origin] {
                *folder = FilePath::joined(folder, &name).as_bytes().to_vec();
            }
        }
        self
    }

    /// The name of the one folder in the folder that holds all `files`, if there is one.
    fn only_folder(&self, files: &[&FilePath]) -> Option<Vec<u8>> {
        let names = files.iter().map(|path| {
            let rest = path.below(&self.folder)?;
            Some(rest[..memchr::memchr(b'/', rest)?].to_vec())
        });
        let names: Option<BTreeSet<Vec<u8>>> = names.collect();
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
