//! Reads all files of a snapshot that the cache does not know.

use rayon::prelude::*;

use super::remembered::Memory;
use super::source::Sources;
use crate::audit::{Context, Error};
use crate::files::ReadFiles;
use crate::git::{Attributes, Repository, Snapshot};

/// Records the contents of the files of a snapshot; returns how many had to be read.
///
/// # Errors
/// If one of them cannot be read.
pub fn warm(
    repository: &Repository,
    snapshot: &Snapshot,
    remembered: &Memory,
    context: Context<'_>,
) -> Result<usize, Error> {
    let attributes = Attributes::read(&snapshot.entries, &repository.reader())?;
    let sources = Sources::new(context, &attributes, remembered);
    let unknown = Vec::from_iter(snapshot.entries.iter().filter(|entry| {
        sources.is_read(&entry.path)
            && remembered.get(entry, sources.reading(&entry.path)).is_none()
    }));
    repository.reader().fetch(&mut unknown.iter().copied().filter(|entry| sources.needs(entry)));
    context.progress.begin("reading", unknown.len());
    let open = || (repository.reader(), Vec::new());
    unknown.par_iter().try_for_each_init(open, |(reader, scratch), entry| {
        let read = sources.read(reader, entry)?;
        sources.learn(entry, &read, scratch);
        context.progress.step();
        Ok::<(), Error>(())
    })?;
    Ok(unknown.len())
}
