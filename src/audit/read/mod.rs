//! Reads files into tokens, and remembers their contents between runs.

mod remembered;
mod skip;
mod source;

use foldhash::{HashMap, HashMapExt};
use std::hash::Hash;

use rayon::prelude::*;

use super::{Context, Error};
use crate::files::ReadFiles;
use crate::git::{Attributes, Repository, Snapshot};
use crate::language::Token;

pub use remembered::Memory;
pub(super) use remembered::params;
pub use skip::Skip;
pub(super) use skip::reason;
pub(super) use source::{MINIFIED_TOKENS, MIXED, Promise, RecentFiles, Source, Sources};

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

/// The names in `tokens` that tell one piece of code from another, by their exact reading: sorted,
/// each once. Those of one or two bytes, like `i` and `ok`, do not.
pub(super) fn names(tokens: &[Token]) -> Vec<u32> {
    let names = tokens.iter().filter(|of| of.is_name() && of.end - of.start >= 3);
    distinct(names.map(|token| token.exact))
}

/// What there is of something: sorted, each once.
pub(super) fn distinct<T: Ord>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut all = Vec::from_iter(all);
    all.sort_unstable();
    all.dedup();
    all
}

/// How often each of some things is there.
pub(super) fn counts<T: Hash + Eq>(all: impl IntoIterator<Item = T>) -> HashMap<T, usize> {
    let mut counts = HashMap::new();
    all.into_iter().for_each(|one| *counts.entry(one).or_default() += 1);
    counts
}

/// How many tokens are marked.
pub(super) fn n_marked(is_marked: &[bool]) -> usize {
    is_marked.iter().filter(|&&is_marked| is_marked).count()
}
