//! Looks for the origins of novel code in the past: code that was deleted and comes back.
//!
//! The history index tells in which files fingerprints of the change appeared first; of each such file
//! the last version that held them is read, and aligned as a file of the tree is.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;

use super::cache::{Remembered, params};
use super::origins::{Found, Hit, Queries};
use super::source::{Source, Sources};
use super::{Error, Progress};
use crate::config::Config;
use crate::git::{Attributes, BlobId, CommitId, Event, Limits, Reader, Repository};
use crate::language::Languages;
use crate::policy::{Deletion, Place};
use crate::store::{History, PastEvent, Stretch, key};
use crate::text::FilePath;

/// Past files that are read for one change; those that share most with it come first.
const MAX_FILES: usize = 64;
/// Versions of a past file that are read; the newest come first.
const MAX_VERSIONS: usize = 32;
/// Contents that are read before their fingerprints are put together: bounds the memory.
const CHUNK: usize = 256;

/// The past to search.
#[derive(Debug)]
pub struct Past {
    history: History,
    /// The commits that count: those that the base reaches.
    base: CommitId,
    /// Ids of commits that the change says it reverts, in hexadecimal.
    reverted: Vec<String>,
    /// Contents that this clone does not have.
    n_missing: usize,
    is_shallow: bool,
}

impl Past {
    /// Opens the history index in `folder` and brings it up to `base`; `head` is the commit whose messages
    /// may name what they revert.
    ///
    /// # Errors
    /// When the history cannot be read, or the index cannot be written.
    pub fn open(
        folder: &Path,
        repository: &Repository,
        base: CommitId,
        head: Option<CommitId>,
        config: &Config,
        languages: &Languages,
        progress: &dyn Progress,
    ) -> Result<Self, Error> {
        // The past is read without attributes: those of today say nothing of files as they were.
        let (remembered, attributes) = (Remembered::nothing(), Attributes::default());
        let sources = &Sources { config, languages, attributes: &attributes, remembered: &remembered };
        let params = params(repository, config, languages);
        let reader = repository.reader();
        let (mut history, tips) = known(folder, params);
        let commits = reader.commits(&[base], &tips, Limits::default())?;
        let mut n_missing = 0;
        if !commits.is_empty() {
            let learned = learn(&commits, &history, repository, sources, progress)?;
            n_missing = learned.n_missing;
            let tips = vec![base.as_bytes().to_vec()];
            history.keep(Stretch { tips, ..learned.stretch })?;
            history = known(folder, params).0;
        }
        let reverted = head.map(|head| reverted(&reader, base, head)).transpose()?.unwrap_or_default();
        Ok(Self { history, base, reverted, n_missing, is_shallow: reader.is_shallow() })
    }

    /// What of the past could not be searched, in words; `None` when all was.
    pub fn unavailable(&self) -> Option<String> {
        match (self.is_shallow, self.n_missing) {
            (true, _) => Some("the history before this shallow clone begins".to_owned()),
            (false, 0) => None,
            (false, n) => Some(format!("{n} past files that this partial clone does not have")),
        }
    }

    /// The past files that hold what is asked, aligned with it; `standing` are the contents of the base.
    pub(super) fn search(
        &self,
        queries: &Queries<'_>,
        standing: &HashSet<BlobId>,
        repository: &Repository,
        sources: &Sources<'_>,
        progress: &dyn Progress,
    ) -> Result<Vec<Found>, Error> {
        let mut n_shared: BTreeMap<&FilePath, usize> = BTreeMap::new();
        for hash in queries.hashes(sources.config) {
            let paths: BTreeSet<&FilePath> = self.history.paths_of(hash)?.into_iter().collect();
            for path in paths {
                *n_shared.entry(path).or_default() += 1;
            }
        }
        let mut files: Vec<(&FilePath, usize)> = n_shared.into_iter().collect();
        files.sort_by_key(|&(path, n)| (std::cmp::Reverse(n), path));
        files.truncate(MAX_FILES);
        let paths: Vec<FilePath> = files.into_iter().map(|(path, _)| path.clone()).collect();
        let events = self.history.events_of(&paths)?;
        let reached = self.reached(&repository.reader())?;
        let is_reached = |event: &PastEvent| reached.as_ref().is_none_or(|reached| reached.contains(&event.commit));

        progress.begin("past", events.len());
        let found = events
            .into_par_iter()
            .map_init(
                || (repository.reader(), Vec::new()),
                |(reader, scratch), (path, events)| {
                    progress.step();
                    let events: Vec<PastEvent> = events.into_iter().filter(is_reached).collect();
                    let best = last_version(&path, &events, standing, queries, reader, sources, scratch)?;
                    let Some(Version { event, source, hits }) = best else { return Ok(None) };
                    let deletion = self.deletion(event, reader)?;
                    let alignments = queries.align(&source, &hits, None, sources.config);
                    let text: Arc<[u8]> = source.text.clone().into();
                    Ok(Some(Found {
                        place: Place::Past(Arc::new(deletion)),
                        target: source,
                        text: Some(text),
                        alignments,
                    }))
                },
            )
            .collect::<Result<Vec<_>, Error>>()?;
        Ok(found.into_iter().flatten().filter(|found| !found.alignments.is_empty()).collect())
    }

    /// The commits that the base reaches, when the index knows others as well.
    fn reached(&self, reader: &Reader) -> Result<Option<HashSet<Vec<u8>>>, Error> {
        let tips = self.history.tips()?;
        let is_before = |tip: &Vec<u8>| {
            let tip = CommitId::from_bytes(tip);
            tip.is_some_and(|tip| tip == self.base || reader.merge_base(tip, self.base).is_ok_and(|base| base == tip))
        };
        if tips.iter().all(is_before) {
            return Ok(None);
        }
        let commits = reader.commits(&[self.base], &[], Limits::default())?;
        Ok(Some(commits.into_iter().map(|commit| commit.as_bytes().to_vec()).collect()))
    }

    fn deletion(&self, event: &PastEvent, reader: &Reader) -> Result<Deletion, Error> {
        let damaged = || crate::store::SegmentError::Damaged("the id of a commit");
        let commit = CommitId::from_bytes(&event.commit).ok_or_else(damaged)?;
        let info = reader.info(commit)?;
        let id = commit.to_string();
        let is_reverted = self.reverted.iter().any(|reverted| id.starts_with(reverted.as_str()));
        Ok(Deletion { commit: id, subject: info.subject, time: info.time, is_reverted })
    }
}

/// The index in `folder`, and the commits it knows; an empty one when it cannot be read.
fn known(folder: &Path, params: crate::store::Params) -> (History, Vec<CommitId>) {
    let history = History::open(folder, params);
    let tips = history.tips().unwrap_or_default();
    (history, tips.iter().filter_map(|tip| CommitId::from_bytes(tip)).collect())
}

/// What was learned of some commits.
struct Learned {
    stretch: Stretch,
    n_missing: usize,
}

/// Reads what `commits` brought in, the oldest first, and notes where each fingerprint appeared first.
fn learn(
    commits: &[CommitId],
    history: &History,
    repository: &Repository,
    sources: &Sources<'_>,
    progress: &dyn Progress,
) -> Result<Learned, Error> {
    progress.begin("history", commits.len());
    let of_commits = commits
        .par_iter()
        .map_init(
            || repository.reader(),
            |reader, commit| {
                progress.step();
                let events = reader.events(*commit)?;
                let is_source = |event: &Event| sources.skip_by_name(&event.path).is_none();
                Ok((reader.is_merge(*commit)?, events.into_iter().filter(is_source).collect::<Vec<_>>()))
            },
        )
        .collect::<Result<Vec<_>, Error>>()?;

    let mut stretch = Stretch::default();
    let mut seen: HashSet<(BlobId, u64)> = HashSet::new();
    let mut fresh: Vec<(u32, FilePath, BlobId)> = Vec::new();
    for (commit, (is_merge, events)) in commits.iter().zip(of_commits) {
        for event in events {
            let is_new = event.after.is_some_and(|blob| seen.insert((blob, sources.reading(&event.path))));
            // What a merge brings in, its other parents have brought in before, but for what it resolved.
            if is_merge && !is_new {
                continue;
            }
            if let Some(blob) = event.after.filter(|_| is_new) {
                fresh.push((stretch.events.len() as u32, event.path.clone(), blob));
            }
            stretch.events.push(past_event(*commit, event));
        }
    }

    progress.begin("reading", fresh.len());
    let mut first: HashMap<u64, u32> = HashMap::new();
    let mut n_missing = 0;
    for chunk in fresh.chunks(CHUNK) {
        let read = chunk
            .par_iter()
            .map_init(
                || (repository.reader(), Vec::new()),
                |(reader, scratch), (event, path, blob)| {
                    progress.step();
                    let Some(text) = reader.past_blob(*blob, path)? else { return Ok((*event, None)) };
                    Ok((*event, Some(keys(sources, path, text, scratch))))
                },
            )
            .collect::<Result<Vec<(u32, Option<Vec<u64>>)>, Error>>()?;
        n_missing += read.iter().filter(|(_, keys)| keys.is_none()).count();
        for (event, keys) in read {
            for key in keys.into_iter().flatten() {
                first.entry(key).or_insert(event);
            }
        }
    }
    let mut first: Vec<(u64, u32)> = first.into_iter().collect();
    first.sort_unstable();
    for (key, event) in first {
        if !history.has(key)? {
            stretch.first.push((key, event));
        }
    }
    Ok(Learned { stretch, n_missing })
}

fn past_event(commit: CommitId, event: Event) -> PastEvent {
    let id = |blob: Option<BlobId>| blob.map(|blob| blob.as_bytes().to_vec());
    let Event { path, before, after } = event;
    PastEvent { path, commit: commit.as_bytes().to_vec(), before: id(before), after: id(after) }
}

/// The keys of a content's fingerprints, each once.
fn keys(sources: &Sources<'_>, path: &FilePath, text: Vec<u8>, scratch: &mut Vec<u64>) -> Vec<u64> {
    let Ok(source) = sources.of_text(path, text) else { return Vec::new() };
    let prints = sources.config.fingerprint.fingerprints(&source.tokens, scratch);
    let mut keys: Vec<u64> = prints.map(|print| key(print.hash)).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// A past version of a file: the event that took it away, and what it shares with the queries.
struct Version<'e> {
    event: &'e PastEvent,
    source: Source,
    hits: Vec<Hit>,
}

/// The version that held most of what is asked, the last of several, and that does not stand any more.
fn last_version<'e>(
    path: &FilePath,
    events: &'e [PastEvent],
    standing: &HashSet<BlobId>,
    queries: &Queries<'_>,
    reader: &Reader,
    sources: &Sources<'_>,
    scratch: &mut Vec<u64>,
) -> Result<Option<Version<'e>>, Error> {
    let mut best: Option<(usize, Version<'e>)> = None;
    let mut seen: HashSet<BlobId> = HashSet::new();
    for event in events.iter().rev() {
        let Some(blob) = event.before.as_deref().and_then(BlobId::from_bytes) else { continue };
        if standing.contains(&blob) || !seen.insert(blob) || seen.len() > MAX_VERSIONS {
            continue;
        }
        let Some(text) = reader.past_blob(blob, path)? else { continue };
        let Ok(source) = sources.of_text(path, text) else { continue };
        let hits = queries.hits_in(&source, sources.config, scratch);
        let n_rows = hits.iter().map(Hit::row).collect::<BTreeSet<u32>>().len();
        if n_rows > best.as_ref().map_or(0, |(n, _)| *n) {
            best = Some((n_rows, Version { event, source, hits }));
        }
    }
    Ok(best.map(|(_, version)| version))
}

/// The commits that the messages between `base` and `head` say they revert.
fn reverted(reader: &Reader, base: CommitId, head: CommitId) -> Result<Vec<String>, Error> {
    let mut reverted = Vec::new();
    for commit in reader.commits(&[head], &[base], Limits::default())? {
        let message = reader.info(commit)?.message;
        for rest in message.split("This reverts commit ").skip(1) {
            let id: String = rest.chars().take_while(char::is_ascii_hexdigit).collect();
            if id.len() >= 7 {
                reverted.push(id.to_ascii_lowercase());
            }
        }
    }
    Ok(reverted)
}
