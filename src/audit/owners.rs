//! Reads who owns the files of a tree.

use crate::config::Config;
use crate::files::ReadFiles;
use crate::git::{Reader, Snapshot};
use crate::policy::{OWNERS_FILES, Owners};
use crate::text::FilePath;

/// Maximum bytes of the file, as on GitHub. A larger one is ignored, as it is there.
const MAX_OWNERS: u64 = 3 * 1024 * 1024;

/// The owners that CODEOWNERS names; none if the tree has no such file that can be read.
pub fn owners(files: &Snapshot, reader: &Reader, config: &Config) -> Owners {
    let mut named = OWNERS_FILES.iter().map(|path| FilePath::new(*path));
    let entry = named.find_map(|path| reader.file_at(files, &path).ok().flatten());
    let entry = entry.filter(|entry| reader.size(entry).is_some_and(|size| size <= MAX_OWNERS));
    let bytes = entry.and_then(|entry| reader.read(entry).ok()).unwrap_or_default();
    let mut owners = Owners::parse(&String::from_utf8_lossy(&bytes));
    owners.marks_borders = config.owner_borders;
    owners
}
