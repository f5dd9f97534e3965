//! Reads the files that a change touches, pairs each with its predecessor, and diffs the pairs.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::pairing::{Changes, changes, renames};
use super::traces::Traces;
use crate::audit::read::{Skip, Source, Sources, n_marked};
use crate::audit::search::{Queries, may_be_whole, repeated};
use crate::audit::{Error, Examination};
use crate::config::{Config, Thresholds};
use crate::files::{Entry, ReadFiles};
use crate::git::{Repository, Snapshot};
use crate::matching::{Alignment, Novelty, novelty};
use crate::text::FilePath;

/// A file of the head, and which of its tokens the change adds.
pub(in crate::audit) struct ChangedFile {
    pub source: Arc<Source>,
    /// For each token, whether it is novel: not aligned with base, and not moved from elsewhere.
    pub novel: Vec<bool>,
    /// For each token, whether it was moved here in a piece that is no copy alone; empty if none.
    pub joined: Vec<bool>,
    /// What its other tokens were in base.
    pub was: Traces,
}

impl ChangedFile {
    /// An entirely new file.
    pub fn new(source: Arc<Source>) -> Self {
        let novel = vec![true; source.tokens.len()];
        Self { source, novel, joined: Vec::new(), was: Traces::default() }
    }

    pub fn at<'c>(all: &'c [Self], path: &FilePath) -> Option<&'c Self> {
        all.iter().find(|file| file.source.path == *path)
    }

    pub fn thresholds(&self, config: &Config) -> Thresholds {
        config.thresholds(&self.source.path, Some(&self.source.language))
    }

    /// Whether the change added nearly all of the file.
    pub fn is_brought_in(&self) -> bool {
        10 * self.n_added() >= 9 * self.novel.len()
    }

    /// Whether base had a token nowhere, in no piece either.
    pub fn is_added(&self, at: usize) -> bool {
        self.novel[at] && self.joined.get(at) != Some(&true)
    }

    pub fn n_added(&self) -> usize {
        (0..self.novel.len()).filter(|&at| self.is_added(at)).count()
    }

    pub fn n_novel(&self) -> usize {
        n_marked(&self.novel)
    }

    /// The novel tokens that could be part of a copy: those with enough others nearby.
    pub fn asked(&self, config: &Config) -> Cow<'_, [bool]> {
        let n_novel = self.n_novel();
        let min_tokens = self.thresholds(config).min_tokens;
        if n_novel < min_tokens || n_novel == self.novel.len() {
            return Cow::Borrowed(&self.novel);
        }
        Cow::Owned(around(&self.novel, &self.novel, min_tokens, 0))
    }
}

/// A file of base that the change touches.
pub(in crate::audit) struct Predecessor {
    pub source: Arc<Source>,
    /// The file of the head that it became.
    pub of: Option<FilePath>,
    /// For each token, whether the change removed it.
    pub removed: Vec<bool>,
    /// For each token, whether the head has it nowhere: what was moved is not gone.
    pub gone: Vec<bool>,
    /// What the change kept in place: the file that it became is the query, this one the target.
    pub kept: Alignment,
}

impl Predecessor {
    /// The file that became the one of the head at `path`.
    pub fn of<'p>(all: &'p [Self], path: &FilePath) -> Option<&'p Self> {
        all.iter().find(|file| file.of.as_ref() == Some(path))
    }
}

/// Reads the files that differ, pairs each with its predecessor, and diffs the pairs.
pub(in crate::audit) fn changed_files(
    repository: &Repository,
    base: &Snapshot,
    head: &Snapshot,
    sources: &Sources<'_>,
    examined: &mut Examination,
) -> Result<(Vec<ChangedFile>, Vec<Predecessor>), Error> {
    let reader = repository.reader();
    let changes = changes(base, head, |before, path| sources.was_judged_as(&reader, before, path));
    examined.n_changed = changes.changed.len();
    let read = read_sides(&changes, repository, sources)?;
    // All files have to be read before it is known what is new and what was moved.
    if let Some(end) = read.iter().filter_map(|read| read.as_ref().err()).find(|skip| skip.is_end())
    {
        let paths = changes.changed.iter().map(|(entry, _)| entry.path.clone());
        let skips = read.iter().map(|read| *read.as_ref().err().unwrap_or(end));
        examined.skipped.extend(paths.zip(skips));
        return Ok((Vec::new(), Vec::new()));
    }
    let mut read = read.into_iter();
    let of_heads: Vec<_> = read.by_ref().take(changes.changed.len()).collect();
    let mut heads = Vec::new();
    for ((entry, before), head) in changes.changed.iter().zip(of_heads) {
        let is_judged = before.is_some() && sources.skip_judging(&entry.path).is_none();
        let base = if is_judged { read.next() } else { None };
        let head = match base {
            // Without what was there before, all of it would be new.
            Some(Err(Skip::Missing)) => head.and(Err(Skip::Missing)),
            _ => head,
        };
        let skip = match &head {
            Ok(head) => sources.left_out_of(head),
            Err(skip) => Some(sources.looked_into(&reader, entry, *skip)),
        };
        examined.skipped.extend(skip.map(|skip| (entry.path.clone(), skip)));
        heads.extend(head.map(|head| (head, base.and_then(Result::ok))));
    }
    let deleted: Vec<_> = changes.deleted.iter().zip(read).collect();
    // What was moved out of one that is not here looks new.
    let missing =
        deleted.iter().filter(|(_, read)| !heads.is_empty() && matches!(read, Err(Skip::Missing)));
    examined.not_compared.extend(missing.map(|(entry, _)| (entry.path.clone(), Skip::Missing)));
    let deleted = deleted.into_iter().filter_map(|(_, read)| read.ok()).collect();
    let deleted = pair_renames(&mut heads, deleted, sources.config);
    Ok(diffs(heads, deleted, sources))
}

/// Reads the changed files, then what those that are judged were before, then the deleted files.
fn read_sides(
    changes: &Changes,
    repository: &Repository,
    sources: &Sources<'_>,
) -> Result<Vec<Result<Arc<Source>, Skip>>, Error> {
    let reader = repository.reader();
    let heads = changes.changed.iter().map(|(entry, _)| entry);
    let mut skips: Vec<Option<Skip>> =
        heads.clone().map(|entry| sources.skip_judging(&entry.path)).collect();
    // What an unchecked file was does not matter: a folder may be added as a whole.
    let judged = changes.changed.iter().zip(&skips).filter(|(_, skip)| skip.is_none());
    let bases: Vec<&Entry> = judged.filter_map(|((_, base), _)| base.as_ref()).collect();
    let added: Vec<usize> = (0..skips.len())
        .filter(|&at| skips[at].is_none() && changes.changed[at].1.is_none())
        .collect();
    let added_files: Vec<&Entry> = added.iter().map(|&at| &changes.changed[at].0).collect();
    for (at, same) in added.into_iter().zip(repeated(&added_files, sources, &reader)) {
        skips[at] = same.map(|_| Skip::Repeated);
    }
    let entries: Vec<(&Entry, Option<Skip>)> = (heads.zip(skips))
        .chain(bases.into_iter().map(|entry| (entry, sources.skip_by_name(&entry.path))))
        // What nobody has judged comes in as new, from wherever.
        .chain(changes.deleted.iter().map(|entry| (entry, sources.skip_judging(&entry.path))))
        .collect();
    let needed = entries.iter().filter(|(entry, skip)| skip.is_none() && sources.needs(entry));
    reader.fetch(&mut needed.map(|(entry, _)| *entry));
    sources.progress.begin("reading", entries.len());
    let read = entries.par_iter().map_init(
        || repository.reader(),
        |reader, (entry, skip)| {
            sources.progress.step();
            match skip {
                Some(skip) => Ok(Err(*skip)),
                None => sources.read(reader, entry),
            }
        },
    );
    Ok(read.collect::<Result<_, crate::files::Error>>()?)
}

/// Diffs each file with its predecessor; those of `deleted` files are gone entirely.
fn diffs(
    heads: Vec<(Arc<Source>, Option<Arc<Source>>)>,
    deleted: Vec<Arc<Source>>,
    sources: &Sources<'_>,
) -> (Vec<ChangedFile>, Vec<Predecessor>) {
    let diffs: Vec<_> = heads.into_par_iter().map(|(head, base)| diff(head, base)).collect();
    let (mut changed, mut predecessors) = (Vec::new(), Vec::new());
    for (mut file, before) in diffs {
        if let Some(before) = before {
            // What was test code was not judged as what it is now.
            let was_test = sources.test_tokens(&before.source);
            let is_test =
                if was_test.is_empty() { Vec::new() } else { sources.test_tokens(&file.source) };
            let mut kept = Alignment::default();
            for (at, from) in before.kept.pairs() {
                match was_test.get(from) == Some(&true) && is_test.get(at) != Some(&true) {
                    true => file.novel[at] = true,
                    false => kept.extend([(at, from)]),
                }
            }
            file.was = Traces::kept(&kept, predecessors.len(), before.source.tokens.len());
            predecessors.push(before);
        }
        changed.push(file);
    }
    predecessors.extend(deleted.into_iter().map(|source| Predecessor {
        removed: vec![true; source.tokens.len()],
        gone: vec![true; source.tokens.len()],
        of: None,
        kept: Alignment::default(),
        source,
    }));
    (changed, predecessors)
}

/// Gives each added file the deleted one it was renamed from; returns the deleted files left.
fn pair_renames(
    heads: &mut [(Arc<Source>, Option<Arc<Source>>)],
    deleted: Vec<Arc<Source>>,
    config: &Config,
) -> Vec<Arc<Source>> {
    let added: Vec<usize> = (0..heads.len()).filter(|&at| heads[at].1.is_none()).collect();
    let added_sources: Vec<&Source> = added.iter().map(|&at| &*heads[at].0).collect();
    let deleted_sources: Vec<&Source> = deleted.iter().map(|source| &**source).collect();
    let before = renames(&added_sources, &deleted_sources, &config.fingerprint);
    let mut deleted: Vec<Option<Arc<Source>>> = deleted.into_iter().map(Some).collect();
    for (at, before) in added.into_iter().zip(before) {
        let Some(before) = before else { continue };
        let head = heads[at].0.file();
        heads[at].1 = deleted[before].take_if(|from| config.judges_alike(from.file(), head));
    }
    deleted.into_iter().flatten().collect()
}

pub(super) fn diff(
    head: Arc<Source>,
    base: Option<Arc<Source>>,
) -> (ChangedFile, Option<Predecessor>) {
    let Some(base) = base else { return (ChangedFile::new(head), None) };
    let Novelty { novel, removed, kept } = novelty(base.document(), head.document());
    let predecessor = Predecessor {
        of: Some(head.path.clone()),
        source: base,
        gone: removed.clone(),
        removed,
        kept,
    };
    (ChangedFile { novel, ..ChangedFile::new(head) }, Some(predecessor))
}

/// The files that add enough to search for; `by_file` also those that may be a corpus file.
pub(in crate::audit) fn asking<'c>(
    changed: impl IntoIterator<Item = &'c ChangedFile>,
    by_file: bool,
    config: &Config,
) -> Vec<&'c ChangedFile> {
    // Vendored code is declared to come from elsewhere; only copies out of it count.
    let own = changed.into_iter().filter(|file| config.vendored_at(&file.source.path).is_none());
    own.filter(|file| {
        file.n_novel() >= file.thresholds(config).min_tokens
            || by_file && may_be_whole(&file.source)
    })
    .collect()
}

/// What is searched for of `asking`.
pub(in crate::audit) fn queries<'q>(asking: &[&'q ChangedFile], config: &'q Config) -> Queries<'q> {
    Queries::new(asking.iter().map(|file| (&*file.source, file.asked(config))).collect(), config)
}

/// Maximum old tokens between two novel parts of one copy; more of them split it in two.
pub(in crate::audit) const MAX_OLD_BETWEEN: usize = 40;

/// The ranges of changed tokens, split where more than [`MAX_OLD_BETWEEN`] others are in between.
pub(in crate::audit) fn hunks(is_changed: &[bool]) -> Vec<Range<usize>> {
    let changed: Vec<usize> = (0..is_changed.len()).filter(|&at| is_changed[at]).collect();
    clusters(&changed, |between| between.len() > MAX_OLD_BETWEEN)
}

/// The changed tokens within `margin` of the hunks with at least `min_tokens` that are `left`.
pub(super) fn around(
    left: &[bool],
    is_changed: &[bool],
    min_tokens: usize,
    margin: usize,
) -> Vec<bool> {
    let mut asked = vec![false; left.len()];
    for hunk in hunks(left) {
        if n_marked(&left[hunk.clone()]) >= min_tokens {
            let around = hunk.start.saturating_sub(margin)..(hunk.end + margin).min(left.len());
            asked[around.clone()].copy_from_slice(&is_changed[around]);
        }
    }
    asked
}

/// Groups ascending positions into ranges, split where `parts` is true for what is between two.
pub(in crate::audit) fn clusters(
    positions: &[usize],
    parts: impl Fn(Range<usize>) -> bool,
) -> Vec<Range<usize>> {
    let mut clusters: Vec<Range<usize>> = Vec::new();
    for &at in positions {
        match clusters.last_mut() {
            Some(last) if !parts(last.end..at) => last.end = at + 1,
            _ => clusters.push(at..at + 1),
        }
    }
    clusters
}
