//! Reads files that decide what is reported: as regular files of bounded size, and not through
//! links out of the tree.
//!
//! A change can put anything under the name of its settings: a device that never ends, a pipe that
//! no process writes to, a link to what the machine keeps to itself.

use std::io;
use std::path::{Component, Path, PathBuf};

use crate::files;

/// The text of `file`, which has at most `max` bytes. One inside of `root` is a regular file there,
/// whatever links lead to it.
pub fn read_text(file: &Path, root: Option<&Path>, max: u64) -> io::Result<String> {
    if let Some(root) = root.filter(|root| below(file, root).is_some()) {
        let target = file.canonicalize()?;
        if !target.starts_with(root.canonicalize()?) || is_linked_into_another(file, root, &target)
        {
            let why = "it is a link out of the repository, which is not followed";
            return Err(io::Error::other(why));
        }
    }
    files::read_text(file, max)
}

/// Whether links, on the way from `root` to `file`, lead into another repository inside of this
/// one, such as a submodule: its commits are none of this one.
fn is_linked_into_another(file: &Path, root: &Path, target: &Path) -> bool {
    let (Ok(root), Some(path)) = (root.canonicalize(), below(file, root)) else { return false };
    let folders = target.ancestors().skip(1).take_while(|folder| *folder != root);
    target != root.join(path)
        && folders.into_iter().any(|folder| folder.join(".git").symlink_metadata().is_ok())
}

/// The path of `file` from `root`, by any spelling of the root; `None` when it is not below it.
pub fn below(file: &Path, root: &Path) -> Option<PathBuf> {
    let root = root.canonicalize().ok()?;
    let file = without_dots(&std::path::absolute(file).ok()?);
    // From the outermost folder on: a link further in may lead back to the root.
    let above: Vec<&Path> = file.ancestors().skip(1).collect();
    let mut above = above.into_iter().rev();
    let found = above.find(|folder| folder.canonicalize().is_ok_and(|folder| folder == root))?;
    file.strip_prefix(found).ok().map(Path::to_owned)
}

/// An absolute path without `.` and `..`, whatever links are on its way.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}
