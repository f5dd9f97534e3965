//! Reads the files a change touches, pairs each with what it was, and diffs the pairs.

use rayon::prelude::*;

use super::pairing::{changes, renames};
use crate::audit::judge::Changed;
use crate::audit::read::{Skip, Source, Sources};
use crate::audit::{Error, Examined, Progress};
use crate::config::Config;
use crate::git::{Entry, Reader, Repository, Snapshot};
use crate::matching::{Novelty, novelty};
use crate::text::FilePath;

/// A file of base that the change touches.
pub(in crate::audit) struct Predecessor {
    pub source: Source,
    /// The file of the head that it became.
    pub of: Option<FilePath>,
    /// For each token, whether the change took it away.
    pub removed: Vec<bool>,
}

/// Reads the files that differ, pairs each with what it was, and diffs the pairs.
pub(in crate::audit) fn changed_files(
    repository: &Repository,
    base: &Snapshot,
    head: &Snapshot,
    sources: &Sources<'_>,
    progress: &dyn Progress,
    examined: &mut Examined,
) -> Result<(Vec<Changed>, Vec<Predecessor>), Error> {
    let changes = changes(base, head);
    examined.n_changed = changes.changed.len();
    let heads = changes.changed.iter().map(|(entry, _)| entry);
    let bases = changes.changed.iter().filter_map(|(_, before)| before.as_ref());
    let entries: Vec<&Entry> = heads.chain(bases).chain(&changes.deleted).collect();
    progress.begin("reading", entries.len());
    let read = |reader: &mut Reader, entry: &&Entry| -> Result<Result<Source, Skip>, crate::git::Error> {
        progress.step();
        match sources.skip_judging(&entry.path) {
            Some(skip) => Ok(Err(skip)),
            None => sources.read(reader, entry),
        }
    };
    let read = entries.par_iter().map_init(|| repository.reader(), read);
    let mut read = read.collect::<Result<Vec<_>, _>>()?.into_iter();

    let of_heads: Vec<_> = read.by_ref().take(changes.changed.len()).collect();
    let mut heads = Vec::new();
    for ((entry, before), head) in changes.changed.iter().zip(of_heads) {
        let base = before.as_ref().and_then(|_| read.next()).and_then(Result::ok);
        match head {
            Ok(head) => heads.push((head, base)),
            Err(skip) => examined.skipped.push((entry.path.clone(), skip)),
        }
    }
    let deleted = pair_renames(&mut heads, read.filter_map(Result::ok).collect(), sources.config);

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
