//! Finds the license of the project under audit: what its manifest or license text states.

use super::Error;
use crate::files::ReadFiles;
use crate::git::{Reader, Snapshot};
use crate::license::{Licenses, LicensingInfo, Terms, is_relevant};
use crate::sources::MAX_LICENSE_FILE;

/// The license that the files at the root of the repository state.
///
/// # Errors
/// If one of them cannot be read.
pub fn project_terms(files: &Snapshot, reader: &Reader) -> Result<Terms, Error> {
    let mut licenses = Licenses::default();
    let is_at_root = |path: &[u8]| !path.contains(&b'/');
    for entry in files.entries.iter().filter(|entry| is_at_root(entry.path.as_bytes()) && is_relevant(&entry.path)) {
        if reader.size(entry).is_none_or(|size| size <= MAX_LICENSE_FILE) {
            licenses.add(&entry.path, &LicensingInfo::new(&entry.path, &reader.read(entry)?));
        }
    }
    Ok(Terms::new(&licenses.component()))
}
