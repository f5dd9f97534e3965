//! Finds files that only a link calls source.

use crate::audit::read::{Skip, Sources};
use crate::files::Error;
use crate::git::{Reader, Snapshot};
use crate::text::FilePath;

/// The links with the name of source that lead to a file which is not read as source, if the change made one of both what it
/// is. A compiler reads such a file by the name of the link.
pub(in crate::audit) fn linked(
    base: &Snapshot,
    head: &Snapshot,
    reader: &Reader,
    sources: &Sources<'_>,
) -> Result<Vec<FilePath>, Error> {
    let mut found = Vec::new();
    for link in head.links() {
        if sources.skip_judging(link).is_some() || sources.promise(link).is_none() {
            continue;
        }
        // What leads nowhere, or out of the repository, is no code of it.
        let Ok(Some(file)) = reader.file_at(head, link) else { continue };
        let before = reader.file_at(base, link).ok().flatten();
        if before.is_some_and(|before| before.content == file.content) {
            continue;
        }
        let skip = match sources.skip_by_name(&file.path) {
            None => sources.read(reader, file)?.err(),
            skip => skip,
        };
        if matches!(skip, Some(Skip::NotSource | Skip::Data)) {
            found.push(link.clone());
        }
    }
    Ok(found)
}
