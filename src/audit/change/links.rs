//! Finds files that only a link calls source.

use std::sync::Arc;

use super::changed::diff;
use crate::audit::read::{Skip, Source, Sources};
use crate::files::{Entry, Error, ReadFiles};
use crate::git::{Reader, Snapshot};
use crate::text::FilePath;

/// The links with the name of source to files that are not read as source, and to which the change
/// adds as much code as a copy needs. A compiler reads such a file by the name of the link.
pub(in crate::audit) fn linked(
    base: &Snapshot,
    head: &Snapshot,
    reader: &Reader,
    sources: &Sources<'_>,
) -> Result<Vec<FilePath>, Error> {
    let mut found = Vec::new();
    for Entry { path: link, .. } in &head.links {
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
        if matches!(skip, Some(Skip::NotSource | Skip::Data))
            && adds_code(link, before, file, reader, sources)?
        {
            found.push(link.clone());
        }
    }
    Ok(found)
}

/// Whether a file, read by the name of `link`, adds as much as a copy needs, or cannot be read.
fn adds_code(
    link: &FilePath,
    before: Option<&Entry>,
    file: &Entry,
    reader: &Reader,
    sources: &Sources<'_>,
) -> Result<bool, Error> {
    if sources.is_too_large(reader, file) {
        return Ok(true);
    }
    let head = match read_as(link, file, reader, sources)? {
        Ok(head) => head,
        Err(skip) => return Ok(skip.is_notable()),
    };
    let before = before.map(|before| read_as(link, before, reader, sources)).transpose()?;
    let (changed, _) = diff(head, before.and_then(Result::ok));
    Ok(changed.n_novel() >= changed.thresholds(sources.config).min_tokens)
}

fn read_as(
    link: &FilePath,
    file: &Entry,
    reader: &Reader,
    sources: &Sources<'_>,
) -> Result<Result<Arc<Source>, Skip>, Error> {
    let bytes = reader.try_read(file)?.map_err(Skip::from);
    Ok(bytes.and_then(|bytes| sources.tokenize(link, bytes)).map(Arc::new))
}
