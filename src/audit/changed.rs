//! Reads the files a change touches, pairs each with what it was, and diffs the pairs.

use rayon::prelude::*;

use super::changes::{changes, renames};
use super::judge::Changed;
use super::source::{Skip, Source, Sources};
use super::{Error, Examined, Progress};
use crate::config::Config;
use crate::git::{Entry, Reader, Repository, Snapshot};
use crate::matching::{Novelty, novelty};
use crate::text::FilePath;

/// A file of base that the change touches.
pub(super) struct Predecessor {
    pub source: Source,
    /// The file of the head that it became.
    pub of: Option<FilePath>,
    /// For each token, whether the change took it away.
    pub removed: Vec<bool>,
}

/// Reads the files that differ, pairs each with what it was, and diffs the pairs.
pub(super) fn changed_files(
    repository: &Repository,
    base: &Snapshot,
    head: &Snapshot,
    sources: &Sources<'_>,
    progress: &dyn Progress,
    examined: &mut Examined,
) -> Result<(Vec<Changed>, Vec<Predecessor>), Error> {
    let changes = changes(base, head);
    examined.n_changed = changes.changed.len();
    progress.begin("reading", changes.changed.len() + changes.deleted.len());
    let read = |entry: &Entry, reader: &Reader| match sources.skip_judging(&entry.path) {
        Some(skip) => Ok(Err(skip)),
        None => sources.read(reader, entry),
    };
    let pairs = changes
        .changed
        .par_iter()
        .map_init(
            || repository.reader(),
            |reader, (entry, before)| {
                progress.step();
                let head = read(entry, reader)?;
                let base = before.as_ref().map(|before| read(before, reader)).transpose()?;
                Ok((head, base.and_then(Result::ok)))
            },
        )
        .collect::<Result<Vec<(Result<Source, Skip>, Option<Source>)>, Error>>()?;
    let deleted = changes
        .deleted
        .par_iter()
        .map_init(
            || repository.reader(),
            |reader, entry| {
                progress.step();
                Ok(read(entry, reader)?.ok())
            },
        )
        .collect::<Result<Vec<Option<Source>>, Error>>()?;

    let mut heads = Vec::new();
    for ((entry, _), (head, base)) in changes.changed.iter().zip(pairs) {
        match head {
            Ok(head) => heads.push((head, base)),
            Err(skip) => examined.skipped.push((entry.path.clone(), skip)),
        }
    }
    let deleted = pair_renames(&mut heads, deleted.into_iter().flatten().collect(), sources.config);

    let diffs: Vec<_> = heads.into_par_iter().map(|(head, base)| diff(head, base)).collect();
    let mut changed = Vec::new();
    let mut predecessors = Vec::new();
    for (file, before) in diffs {
        changed.push(file);
        predecessors.extend(before);
    }
    predecessors.extend(deleted.into_iter().map(|source| Predecessor {
        removed: vec![true; source.tokens.len()],
        of: None,
        source,
    }));
    Ok((changed, predecessors))
}

/// Gives each added file the deleted file it was renamed from; returns the deleted files that are left.
fn pair_renames(heads: &mut [(Source, Option<Source>)], deleted: Vec<Source>, config: &Config) -> Vec<Source> {
    let added: Vec<usize> = (0..heads.len()).filter(|&at| heads[at].1.is_none()).collect();
    let added_sources: Vec<&Source> = added.iter().map(|&at| &heads[at].0).collect();
    let before = renames(&added_sources, &deleted.iter().collect::<Vec<_>>(), &config.fingerprint);
    let mut deleted: Vec<Option<Source>> = deleted.into_iter().map(Some).collect();
    for (at, before) in added.into_iter().zip(before) {
        heads[at].1 = before.and_then(|before| deleted[before].take());
    }
    deleted.into_iter().flatten().collect()
}

fn diff(head: Source, base: Option<Source>) -> (Changed, Option<Predecessor>) {
    match base {
        Some(base) => {
            let Novelty { novel, removed } = novelty(base.document(), head.document());
            let predecessor = Predecessor { of: Some(head.path.clone()), source: base, removed };
            (Changed { source: head, novel }, Some(predecessor))
        }
        None => (Changed { novel: vec![true; head.tokens.len()], source: head }, None),
    }
}
