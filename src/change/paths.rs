//! Places files that flags and settings name in the repository.

use std::path::{Component, Path, PathBuf};

use super::Error;
use crate::config::below;
use crate::text::FilePath;

/// The path from the root of the repository of a file that a flag names, if it lies there.
pub fn in_tree(file: &Path, root: &Path) -> Option<FilePath> {
    below(file, root).as_ref().and_then(|path| settled(path.to_str()?))
}

/// A path that the settings write, from the root of the repository; `None` when it leads out of it.
pub fn settled(name: &str) -> Option<FilePath> {
    let mut names: Vec<&[u8]> = Vec::new();
    for part in Path::new(name).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(names.pop()?),
            Component::Normal(name) => names.push(name.as_encoded_bytes()),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    (!names.is_empty()).then(|| FilePath::new(names.join(&b'/')))
}

/// The root of another repository, a submodule or a clone, that holds the path `inside` of the one
/// at `root`.
pub fn root_of_another(root: &Path, inside: &Path) -> Option<PathBuf> {
    let folders = inside.ancestors().filter(|folder| !folder.as_os_str().is_empty());
    folders.map(|folder| root.join(folder)).find(|folder| folder.join(".git").exists())
}

/// Where the file lies that the settings name by the option `key`: inside of the repository.
pub fn inside(root: &Path, key: &str, name: &str) -> Result<PathBuf, Error> {
    settled(name).map(|_| root.join(name)).ok_or_else(|| Error::outside_option(key, name))
}
