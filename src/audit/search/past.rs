//! Searches for the origins of novel code in the past: deleted code that comes back.
//!
//! The history index knows the files in which the fingerprints of the change first appeared. For
//! each such file, the last version that contained them is read and aligned like a file of the
//! tree.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::align::{Target, align_chosen};
use super::candidates::{Candidates, Overlap, choose};
use super::lookup::rows;
use super::queries::{FileHits, Hit, Queries, SearchOutcome, UnreadPlace, may_be_whole};
use super::twins::MAX_NAMED;
use crate::audit::read::{Source, Sources, params};
use crate::audit::{Context, Error};
use crate::config::Config;
use crate::files::BlobId;
use crate::git::{Blob, CommitId, Event, Reader, Repository, Span, Work, ids_like};
use crate::language::{Language, Languages, OwnTokens, Token, Version};
use crate::policy::{Deletion, Place};
use crate::store::{
    Earliest, EventRow, Extent, History, PastEvent, SegmentError, SegmentParams, Stretch, key,
};
use crate::text::{FilePath, agreed, count};

/// Maximum past files to read for a small change; one more for each eight of its fingerprints.
const MAX_FILES: usize = 64;
/// Number of fingerprints of the change for each further past file to read.
const FINGERPRINTS_PER_FILE: usize = 8;
/// Maximum versions of a past file to read; the newest come first.
const MAX_VERSIONS: usize = 32;
/// Minimum consecutive commits whose trees one thread compares, since they have most in common.
const MIN_COMMITS: usize = 512;
/// Number of commits whose changes are held in memory with full paths.
const COMMITS_AT_ONCE: usize = 8 * 1024;

/// The past to search.
#[derive(Debug)]
pub struct Past {
    history: History,
    /// The commits that count, if the index has others as well.
    reached: Option<HashSet<CommitId>>,
    /// Ids of commits that the change claims to revert, in hexadecimal, each with who claims it.
    reverted: Vec<(String, CommitId)>,
    /// Contents that are missing in this clone.
    n_missing: usize,
    is_shallow: bool,
    unkept: Option<SegmentError>,
}

/// The contents of a history index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistoryContents {
    /// Number of commits that were just read.
    pub n_new: usize,
    /// Number of distinct fingerprints.
    pub n_fingerprints: usize,
    /// The total size of its files in bytes.
    pub n_bytes: u64,
}

/// What is searched for in the past.
pub(in crate::audit) struct PastQuery<'q> {
    pub queries: &'q Queries<'q>,
    /// For each query, whether the change added nearly all of the file; empty if nothing did.
    pub brought_in: Vec<bool>,
    /// The contents of the base: they are not past.
    pub standing: HashSet<BlobId>,
}

impl Past {
    /// Opens the history index in `folder`, or makes one in memory, and brings it up to `span`. The
    /// messages between the ends of `change` may name what it reverts.
    ///
    /// # Errors
    /// If the history cannot be read, or the index cannot be written.
    pub fn open(
        folder: Option<&Path>,
        repository: &Repository,
        span: &Span,
        change: Option<(CommitId, CommitId)>,
        context: Context<'_>,
    ) -> Result<Self, Error> {
        let mut past = Self::updated(folder, repository, span, context)?;
        let reader = repository.reader();
        if !span.is_whole() || !knows_nothing_else(&past.history, &span.tips, &reader)? {
            past.reached = Some(reader.commits_of(span)?.into_iter().collect());
        }
        if let Some((base, head)) = change {
            past.reverted = reverted(&reader, base, head)?;
        }
        Ok(past)
    }

    /// The index in `folder`, brought up to `span`; a part has its own, unless all is indexed.
    fn updated(
        folder: Option<&Path>,
        repository: &Repository,
        span: &Span,
        context: Context<'_>,
    ) -> Result<Self, Error> {
        // The past is read without attributes: those of today do not apply to files as they were.
        let sources = Sources::bare(context);
        let params = params(repository, context.config, context.languages);
        let indexing = Indexer { folder, repository, sources: &sources };
        let reader = repository.reader();
        let whole = opened(folder, params, Extent::Whole)?;
        let tips = whole.tips()?;
        if span.is_whole() || !tips.is_empty() {
            let hidden = [&tips[..], &span.hidden].concat();
            let mut new = reader.commits_of(&Span { hidden, ..span.clone() })?;
            if !new.is_empty() {
                // All that the tips reach, so that the next update has only newer ones to add.
                let all = Span { tips: span.tips.clone(), hidden: tips, ..Span::default() };
                new = reader.commits_of(&all)?;
            }
            return indexing.add(whole, &new, &span.tips, false);
        }

        let mut part = opened(folder, params, Extent::Part)?;
        let mut new = reader.commits_of(span)?;
        let known: HashSet<CommitId> = part.commits()?.into_iter().collect();
        if new.first().is_none_or(|oldest| known.contains(oldest)) {
            new.retain(|commit| !known.contains(commit));
        } else {
            part.remove();
        }
        indexing.add(part, &new, &span.tips, true)
    }

    /// The contents of the index in `folder`, after updating it to cover `span`.
    ///
    /// # Errors
    /// Like [`Past::open`].
    pub fn index(
        folder: &Path,
        repository: &Repository,
        span: &Span,
        context: Context<'_>,
    ) -> Result<HistoryContents, Error> {
        let extent = if span.is_whole() { Extent::Whole } else { Extent::Part };
        let params = params(repository, context.config, context.languages);
        let before = History::open(folder, params, extent).readable()?;
        before.verify()?;
        let n_before = before.commits().map_or(0, |commits| commits.len());
        let Self { history, unkept, .. } = Self::updated(Some(folder), repository, span, context)?;
        if let Some(why) = unkept {
            return Err(why.into());
        }
        let n_commits = history.commits().map_or(0, |commits| commits.len());
        Ok(HistoryContents {
            n_new: n_commits.saturating_sub(n_before),
            n_fingerprints: history.n_fingerprints(),
            n_bytes: history.n_bytes(),
        })
    }

    /// Why the index could not be kept for later runs.
    pub fn unkept(&self) -> Option<&SegmentError> {
        self.unkept.as_ref()
    }

    /// Removes the index in `folder`, which is damaged: it has to be rebuilt.
    pub fn discard(folder: &Path, repository: &Repository, context: Context<'_>) {
        let params = params(repository, context.config, context.languages);
        for extent in [Extent::Whole, Extent::Part] {
            History::discard(folder, &params, extent);
        }
    }

    /// The indexes in `folder`, of all the past and of a part of it.
    pub fn indexes(
        folder: &Path,
        repository: &Repository,
        config: &Config,
        languages: &Languages,
    ) -> [Result<History, SegmentError>; 2] {
        let params = params(repository, config, languages);
        [Extent::Whole, Extent::Part].map(|extent| History::open(folder, params, extent).readable())
    }

    /// What part of the past was not searched, in words, for `what`: a change or a sketch.
    pub(in crate::audit) fn unavailable(&self, unread: UnreadPlace, what: &str) -> Option<String> {
        if self.is_shallow {
            return Some("the history before this shallow clone begins".to_owned());
        }
        if self.n_missing > 0 {
            let files = count(self.n_missing, "past file");
            return Some(format!("{files} that this partial clone does not have"));
        }
        let UnreadPlace { n_files, n_versions } = unread;
        let share = agreed(n_files, "shares", "share");
        let files = count(n_files, "past file");
        let files = format!("{files} that {share} less with the {what} than those that were read");
        let versions = format!("{} of past files", count(n_versions, "older version"));
        let parts = [(n_files, files), (n_versions, versions)].into_iter().filter(|(n, _)| *n > 0);
        let parts: Vec<String> = parts.map(|(_, part)| part).collect();
        (!parts.is_empty()).then(|| parts.join(", and "))
    }

    /// The past files with code of the queries, aligned with them.
    ///
    /// Not all that share a fingerprint are read, each in up to [`MAX_VERSIONS`] versions: for each
    /// changed file those that explain something of it, as many as fit the size of the change.
    pub(in crate::audit) fn search(
        &self,
        sought: &PastQuery<'_>,
        repository: &Repository,
        sources: &Sources<'_>,
    ) -> Result<SearchOutcome, Error> {
        let queries = sought.queries;
        let mut rows_of: BTreeMap<&FilePath, BTreeSet<u32>> = BTreeMap::new();
        let asked = queries.distinct();
        let max_files = MAX_FILES + asked.len() / FINGERPRINTS_PER_FILE;
        for (row, hash) in asked {
            for path in self.history.paths_of(hash)? {
                rows_of.entry(path).or_default().insert(row);
            }
        }
        let sharing = rows_of.into_iter().enumerate().map(|(file, (path, rows))| Overlap {
            file,
            path,
            is_new: false,
            rows: rows.into_iter().collect(),
        });
        let sharing: Vec<Overlap<'_>> = sharing.collect();
        let Candidates { mut queries_of, n_passed_over, limited } =
            choose(queries, &sharing, None, sources.config.common_at);
        let mut best: Vec<usize> = queries_of.keys().copied().collect();
        best.sort_unstable_by_key(|&file| (Reverse(sharing[file].rows.len()), file));
        let n_files = best.len().saturating_sub(max_files);
        best.iter().skip(max_files).for_each(|file| drop(queries_of.remove(file)));
        let paths: Vec<FilePath> =
            queries_of.keys().map(|&file| sharing[file].path.clone()).collect();
        let mut events = self.history.events_of(&paths)?;
        events.values_mut().for_each(|events| events.retain(|event| self.is_reached(event)));
        sources.progress.begin("past", events.len());
        let n_versions = AtomicUsize::new(0);
        let state = || (repository.reader(), Vec::new());
        let mut found = align_chosen(queries, &queries_of, state, |(reader, scratch), file| {
            let Some((path, events)) = events.get_key_value(sharing[file].path) else {
                return Ok(None);
            };
            sources.progress.step();
            let (best, n_unread) = sought.last_version(path, events, reader, sources, scratch)?;
            n_versions.fetch_add(n_unread, Ordering::Relaxed);
            let Some(PastVersion { event, source, hits }) = best else { return Ok(None) };
            let place = Place::Past(Arc::new(self.deletion(event, reader)?));
            Ok(Some(Target { place, source, hits }))
        })?;
        // That a past file was compared in part is not reported: neither are its other versions.
        found.iter_mut().for_each(|found| found.limits.clear());
        for whole in self.whole_files(sought, &repository.reader(), sources)? {
            // The file may have been found in another version, which is the lesser origin.
            for other in found.iter_mut().filter(|other| other.target.path == whole.target.path) {
                other.alignments.retain(|(query, _)| !whole.whole.contains(query));
            }
            found.push(whole);
        }
        found.retain(|found| !found.alignments.is_empty());
        let unread = UnreadPlace { n_files, n_versions: n_versions.into_inner() };
        Ok(SearchOutcome { found, n_passed_over, unread, limited, ..SearchOutcome::default() })
    }

    /// The past files that whole queries are byte-identical to.
    ///
    /// Fingerprints lose them: each leads to the file in which it first appeared, and a file of
    /// idioms has none of its own.
    fn whole_files(
        &self,
        sought: &PastQuery<'_>,
        reader: &Reader,
        sources: &Sources<'_>,
    ) -> Result<Vec<FileHits>, Error> {
        let &PastQuery { queries, ref brought_in, ref standing } = sought;
        let id_of = ids_like(standing.iter().next().copied());
        let mut queries_of: BTreeMap<BlobId, Vec<usize>> = BTreeMap::new();
        for (query, source) in queries.sources.iter().enumerate() {
            if brought_in.get(query) == Some(&true) && may_be_whole(source) {
                queries_of.entry(id_of(source.bytes())).or_default().push(query);
            }
        }
        queries_of.retain(|blob, _| !standing.contains(blob));
        let removals = self.history.removals_of(&queries_of.keys().copied().collect())?;
        // Of each content, the last removal from each path.
        let mut removed: HashMap<BlobId, BTreeMap<&FilePath, &PastEvent>> = HashMap::new();
        for event in removals.iter().filter(|event| self.is_reached(event)) {
            if let Some(blob) = event.before {
                removed.entry(blob).or_default().insert(&event.path, event);
            }
        }
        let mut found = Vec::new();
        for (blob, of_blob) in queries_of {
            let source = queries.sources[of_blob[0]];
            let events = removed.get(&blob).into_iter().flat_map(BTreeMap::values).copied();
            let mut events: Vec<&PastEvent> =
                events.filter(|event| sources.reads_alike(source, &event.path)).collect();
            events.sort_by_key(|event| event.path.distance(&source.path));
            for event in events.into_iter().take(MAX_NAMED) {
                let target = Arc::new(Source { path: event.path.clone(), ..source.clone() });
                let place = Place::Past(Arc::new(self.deletion(event, reader)?));
                found.push(FileHits::new(place, target).with_text().aligned_whole(&of_blob));
            }
        }
        Ok(found)
    }

    fn is_reached(&self, event: &PastEvent) -> bool {
        self.reached.as_ref().is_none_or(|reached| reached.contains(&event.commit))
    }

    fn deletion(&self, event: &PastEvent, reader: &Reader) -> Result<Deletion, Error> {
        let commit = event.commit;
        let info = reader.info(commit)?;
        let id = commit.to_string();
        let mut is_reverted = false;
        for (_, by) in self.reverted.iter().filter(|(reverted, _)| id.starts_with(reverted)) {
            // A message is no proof: the file has to be again as it was before the commit.
            is_reverted = is_reverted
                || event.before.is_some() && reader.blob_at(*by, &event.path)? == event.before;
        }
        Ok(Deletion { commit: id, subject: info.subject, time: info.time, is_reverted })
    }
}

/// Whether the index has no commits besides those reachable from `tips`.
fn knows_nothing_else(
    history: &History,
    tips: &[CommitId],
    reader: &Reader,
) -> Result<bool, Error> {
    Ok(history.tips()?.into_iter().all(|known| {
        tips.contains(&known)
            || tips.iter().any(|&tip| reader.merge_base(known, tip).is_ok_and(|base| base == known))
    }))
}

fn opened(
    folder: Option<&Path>,
    params: SegmentParams,
    extent: Extent,
) -> Result<History, SegmentError> {
    match folder {
        Some(folder) => History::open(folder, params, extent).readable(),
        None => Ok(History::in_memory(params, extent)),
    }
}

/// Reads the history of a repository for its index.
struct Indexer<'i> {
    /// The folder of the index, if it is not in memory.
    folder: Option<&'i Path>,
    repository: &'i Repository,
    sources: &'i Sources<'i>,
}

impl Indexer<'_> {
    /// Adds what `commits` did, the oldest first, to an index; all of its commits count.
    fn add(
        &self,
        history: History,
        commits: &[CommitId],
        tips: &[CommitId],
        with_before: bool,
    ) -> Result<Past, Error> {
        let (mut history, mut n_missing, mut unkept) = (history, 0, None);
        if !commits.is_empty() {
            let (stretch, first, missing) = self.learn(commits, tips, with_before)?;
            n_missing = missing;
            (history, unkept) = history.keep(&stretch, first)?;
        }
        let is_shallow = self.repository.reader().is_shallow();
        Ok(Past { history, reached: None, reverted: Vec::new(), n_missing, is_shallow, unkept })
    }

    /// Reads what `commits` added, the oldest first, `with_before` also what was there before them;
    /// records where each fingerprint first appeared, and returns how many contents are missing.
    fn learn(
        &self,
        commits: &[CommitId],
        tips: &[CommitId],
        with_before: bool,
    ) -> Result<(Stretch, Earliest, usize), Error> {
        let &Self { folder, repository, sources } = self;
        let progress = sources.progress;
        progress.begin("history", commits.len());
        let mut paths = Paths::default();
        let mut readings: Vec<u64> = Vec::new();
        let mut events: Vec<EventRow> = Vec::new();
        // The newest first: most packs store older trees as deltas of them.
        for (number, chunk) in commits.chunks(COMMITS_AT_ONCE).enumerate().rev() {
            let of_commits = chunk.par_iter().rev().with_min_len(MIN_COMMITS).map_init(
                || repository.history_reader(),
                |reader, commit| {
                    progress.step();
                    match progress.end() {
                        Some(_) => Err(Error::Ended),
                        None => reader.events(*commit).map_err(Error::from),
                    }
                },
            );
            let of_commits = of_commits.collect::<Result<Vec<_>, Error>>()?;
            let first = number * COMMITS_AT_ONCE;
            for (at, of_commit) in of_commits.into_iter().enumerate() {
                let commit = (first + chunk.len() - 1 - at) as u32;
                for Event { path, before, after } in of_commit.into_iter().rev() {
                    let Some((path, reading)) = paths.number(path, sources) else { continue };
                    readings.resize(readings.len().max(path as usize + 1), reading);
                    events.push(EventRow { path, commit, before, after });
                }
            }
        }
        events.reverse();
        let mut wanted = HashMap::new();
        for (number, EventRow { path, before, after, .. }) in events.iter().enumerate() {
            let before = before.filter(|_| with_before);
            for blob in [before, *after].into_iter().flatten() {
                let content = PastContent { path: *path, event: number as u32 };
                wanted.entry((blob, readings[*path as usize])).or_insert(content);
            }
        }
        let Paths { paths, .. } = paths;
        let (blobs, contents) = sorted(wanted);

        repository.reader().fetch_blobs(&mut blobs.iter().copied());
        progress.begin("reading", blobs.len());
        let first = folder.map_or_else(Earliest::in_memory, Earliest::new);
        let learning =
            FingerprintRecorder { paths: &paths, contents: &contents, first: &first, sources };
        let missing = repository.each_blob(&blobs, &learning)?;
        if progress.end().is_some() {
            return Err(Error::Ended);
        }
        let (tips, commits) = (tips.to_vec(), commits.to_vec());
        Ok((Stretch { tips, commits, paths, events }, first, missing.len()))
    }
}

/// Records which fingerprints the contents of a stretch have, and from which event.
struct FingerprintRecorder<'l> {
    paths: &'l [FilePath],
    contents: &'l [Vec<PastContent>],
    first: &'l Earliest,
    sources: &'l Sources<'l>,
}

#[derive(Default)]
struct Scratch {
    tokens: Vec<Token>,
    hashes: Vec<u64>,
    keys: Vec<Vec<u64>>,
}

/// A content that was read as a version of another one; its fingerprints are recorded last.
struct ReadVersion<'l> {
    language: &'l Language,
    version: Version,
    event: u32,
    /// The tokens that a version of an earlier event has not.
    own: OwnTokens,
}

impl<'l> Work for FingerprintRecorder<'l> {
    type State = Scratch;
    type Product = Option<ReadVersion<'l>>;

    fn max_size(&self) -> u64 {
        self.sources.config.max_file_size
    }

    fn is_over(&self) -> bool {
        self.sources.progress.end().is_some()
    }

    fn state(&self) -> Scratch {
        Scratch::default()
    }

    fn make(&self, scratch: &mut Scratch, blob: Blob<'_, Self::Product>) -> Self::Product {
        let Blob { number, bytes, base } = blob;
        let contents = &self.contents[number?];
        self.sources.progress.step();
        if let [content] = contents[..]
            && let Some(language) = self.sources.plain(&self.paths[content.path as usize], bytes)
        {
            let base = base.and_then(|(text, made)| Some((text, made.as_ref()?)));
            let base = base.filter(|(_, made)| std::ptr::eq(made.language, language));
            let before = base.map(|(text, made)| (text, &made.version));
            let (version, changed) = language.lexer.version(bytes, before, &mut scratch.tokens);
            let path = &self.paths[content.path as usize];
            debug_assert!(is_read_whole(language, bytes, &version), "{path}");
            let own = OwnTokens::all(version.tokens().len());
            let read = ReadVersion { language, version, event: content.event, own };
            if let Some((_, base)) = base {
                read.own.share(&base.own, base.event < read.event, changed);
            }
            return Some(read);
        }
        let Scratch { tokens, hashes, keys } = scratch;
        for content in contents {
            if self.sources.lex(&self.paths[content.path as usize], bytes, tokens).is_ok() {
                let prints = self.sources.config.fingerprint.fingerprints(tokens, hashes);
                self.first.note(prints.map(|print| key(print.hash)), content.event, keys);
            }
        }
        None
    }

    fn finish(&self, scratch: &mut Scratch, made: Self::Product) {
        let Some(ReadVersion { version, event, own, .. }) = made else { return };
        let params = &self.sources.config.fingerprint;
        let hashes = params.hashes_around(version.tokens(), own.into_range(), &mut scratch.hashes);
        self.first.note(hashes.map(key), event, &mut scratch.keys);
    }
}

/// Whether a version has the symbols of its text, read on its own.
fn is_read_whole(language: &Language, text: &[u8], version: &Version) -> bool {
    let mut tokens = Vec::new();
    language.lexer.tokenize(text, &mut tokens);
    version.tokens().iter().copied().eq(tokens.iter().map(|token| token.symbol))
}

/// The paths of a stretch, without duplicates.
#[derive(Default)]
struct Paths {
    paths: Vec<FilePath>,
    /// For each path, its number and how it is read; `None` if it is not source.
    numbers: HashMap<FilePath, Option<(u32, u64)>>,
}

impl Paths {
    fn number(&mut self, path: FilePath, sources: &Sources<'_>) -> Option<(u32, u64)> {
        if let Some(number) = self.numbers.get(&path) {
            return *number;
        }
        let number = sources.is_read(&path).then(|| {
            self.paths.push(path.clone());
            (self.paths.len() as u32 - 1, sources.reading(&path))
        });
        self.numbers.insert(path, number);
        number
    }
}

/// A content to read: as which file, and for which event.
#[derive(Debug, Clone, Copy)]
struct PastContent {
    path: u32,
    event: u32,
}

/// The blobs, and how each is read.
fn sorted(contents: HashMap<(BlobId, u64), PastContent>) -> (Vec<BlobId>, Vec<Vec<PastContent>>) {
    let mut rows: Vec<(BlobId, PastContent)> =
        contents.into_iter().map(|((blob, _), content)| (blob, content)).collect();
    rows.sort_unstable_by_key(|(blob, content)| (*blob, content.event, content.path));
    let groups = rows.chunk_by(|a, b| a.0 == b.0);
    groups.map(|group| (group[0].0, group.iter().map(|row| row.1).collect())).unzip()
}

/// A past version of a file: the event that removed it, and what it shares with the queries.
struct PastVersion<'e> {
    event: &'e PastEvent,
    source: Arc<Source>,
    hits: Vec<Hit>,
}

impl PastQuery<'_> {
    /// The version with most of the queries' code that no longer exists, the last of several; and
    /// how many were not read, since there are too many or they are too large.
    fn last_version<'e>(
        &self,
        path: &FilePath,
        events: &'e [PastEvent],
        reader: &Reader,
        sources: &Sources<'_>,
        scratch: &mut Vec<u64>,
    ) -> Result<(Option<PastVersion<'e>>, usize), Error> {
        let mut best: Option<(usize, PastVersion<'e>)> = None;
        let (mut n_read, mut n_unread) = (0, 0);
        let mut seen: HashSet<BlobId> = HashSet::new();
        for event in events.iter().rev() {
            let Some(blob) = event.before else { continue };
            if self.standing.contains(&blob) || !seen.insert(blob) {
                continue;
            }
            let size = reader.blob_size(blob);
            let max = sources.config.max_file_size;
            if n_read == MAX_VERSIONS || size.is_some_and(|size| size > max) {
                n_unread += 1;
                continue;
            }
            n_read += 1;
            let Some(text) = reader.past_blob(blob, path)? else { continue };
            let Ok(source) = sources.tokenize(path, text).map(Arc::new) else { continue };
            let hits = self.queries.hits_in(&source, scratch);
            let n_rows = rows(&hits).len();
            if n_rows > best.as_ref().map_or(0, |(n, _)| *n) {
                best = Some((n_rows, PastVersion { event, source, hits }));
            }
        }
        Ok((best.map(|(_, version)| version), n_unread))
    }
}

/// The commits that messages between `base` and `head` claim to revert, each with who claims it.
fn reverted(
    reader: &Reader,
    base: CommitId,
    head: CommitId,
) -> Result<Vec<(String, CommitId)>, Error> {
    let mut reverted = Vec::new();
    for commit in reader.commits_of(&Span { hidden: vec![base], ..Span::of(head) })? {
        let message = reader.info(commit)?.message;
        for rest in message.split("This reverts commit ").skip(1) {
            let id: String = rest.chars().take_while(char::is_ascii_hexdigit).collect();
            if id.len() >= 7 {
                reverted.push((id.to_ascii_lowercase(), commit));
            }
        }
    }
    Ok(reverted)
}
