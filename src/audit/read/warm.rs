//! Reads all files of a snapshot that the cache does not know.

use rayon::prelude::*;

use super::remembered::Memory;
use super::source::Sources;
use crate::audit::{Context, Error};
use crate::files::{Entry, ReadFiles};
use crate::git::{Attributes, Reader, Repository, Snapshot};

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
    let is_unknown = |entry: &&Entry| {
        sources.skip_by_name(&entry.path).is_none()
            && remembered.get(entry, sources.reading(&entry.path)).is_none()
    };
    let unknown: Vec<&Entry> = snapshot.entries.iter().filter(is_unknown).collect();
    repository.reader().fetch(&mut unknown.iter().copied().filter(|entry| sources.needs(entry)));
    context.progress.begin("reading", unknown.len());
    let read = |(reader, scratch): &mut (Reader, Vec<u64>), entry: &&Entry| {
        let read = sources.read(reader, entry)?;
        sources.learn(entry, &read, scratch);
        context.progress.step();
        Ok::<(), Error>(())
    };
    unknown.par_iter().try_for_each_init(|| (repository.reader(), Vec::new()), read)?;
    Ok(unknown.len())
}
