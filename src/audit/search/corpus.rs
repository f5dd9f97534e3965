//! Searches for the origins of novel code in a stored corpus.
//!
//! The tree is streamed past an index of the queries. Here, the queries are looked up in the index
//! of the corpus, rarest fingerprints first, within a budget. What shares most with a query is
//! unpacked and aligned token by token, like a file of the tree.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::election::{
    AS_MUCH, ComponentPath, CorpusHit, KnownVersions, Since, Winners, elect, first_appearance,
    note_first, oldest,
};
use super::line_counts::{LineCounts, SharedLines};
use super::queries::{FileHits, Queries, SearchOutcome, may_be_whole};
use crate::audit::read::{Source, Sources, distinct};
use crate::audit::{Context, Error, Progress};
use crate::files::BlobId;
use crate::fingerprint::{Fingerprint, Params};
use crate::git::blob_id;
use crate::language::{ChangedTokens, Token};
use crate::matching::{Alignment, CONTEXT, Document, Fix, edited_lines, fixes};
use crate::policy::{Component, Place};
use crate::sources::DeclaredComponent;
use crate::store::corpus::{
    BlobAt, BlobPosting, Corpus, CorpusError, CorpusSegment, FileLexer, FunctionPair, LexedFile,
    LexedVersion, Lookups, OpenCorpus, SegmentLookups, StoredFile, StoredLanguage, Traffic, each,
};
use crate::store::{SegmentError, key};
use crate::text::FilePath;

/// Maximum keys to look up at a time, which bounds the memory of their answers.
const BATCH: usize = 1 << 16;

/// A stored corpus, open.
#[derive(Debug)]
pub struct StoredCorpus {
    name: String,
    segments: Vec<CorpusSegment>,
    lookups: Box<dyn Lookups>,
    /// For each segment, the source that it was read from, if it was not imported.
    specs: Vec<Option<String>>,
    traffic: Option<Arc<Traffic>>,
    versions: KnownVersions,
}

/// What a corpus has under a fingerprint.
#[derive(Debug, Clone)]
struct KeyHits {
    n_components: u32,
    blobs: Arc<[BlobAt]>,
}

impl KeyHits {
    fn new(occurrences: &[BlobPosting], names: &[Vec<u32>]) -> Self {
        let components = occurrences.iter();
        let components: HashSet<&u32> =
            components.filter_map(|of| names[of.segment].get(of.component as usize)).collect();
        let blobs = occurrences.iter().map(|of| (of.segment, of.blob)).collect();
        Self { n_components: components.len() as u32, blobs }
    }
}

/// A blob that is aligned with queries; its license was not read yet.
struct BlobToAlign {
    at: BlobAt,
    file: StoredFile,
    target: Arc<Source>,
    alignments: Vec<(usize, Alignment)>,
    /// The queries that are the whole blob.
    whole: Vec<usize>,
}

impl StoredCorpus {
    /// Opens a corpus.
    ///
    /// # Errors
    /// If a part of it is unusable.
    pub fn open(corpus: &Corpus) -> Result<Self, CorpusError> {
        let segments = corpus.open()?;
        let mut specs: Vec<Option<String>> =
            corpus.records()?.into_iter().map(|(_, record)| record.spec).collect();
        // Another process has added a source: those of the segments are unknown.
        if specs.len() != segments.len() {
            specs = vec![None; segments.len()];
        }
        let versions = KnownVersions::new(segments.len());
        let (name, lookups) = (corpus.name().to_owned(), Box::new(SegmentLookups));
        Ok(Self { name, segments, lookups, specs, traffic: None, versions })
    }

    /// A corpus in an engine.
    pub fn elsewhere(opened: OpenCorpus) -> Self {
        let OpenCorpus { name, segments, lookups, traffic, .. } = opened;
        let specs = vec![None; segments.len()];
        let versions = KnownVersions::new(segments.len());
        Self { name, segments, lookups, specs, traffic: Some(traffic), versions }
    }

    pub(in crate::audit) fn shared_lines(
        &self,
        own: &LineCounts,
        segment: &CorpusSegment,
        blob: u32,
    ) -> Result<SharedLines, Error> {
        let at = (self.number_of(segment), blob);
        self.checked(self.versions.shared_lines(own, segment, at))
    }

    fn number_of(&self, segment: &CorpusSegment) -> usize {
        let number = self.segments.iter().position(|other| std::ptr::eq(other, segment));
        number.expect("the segment is one of this corpus")
    }

    /// What was asked of an engine so far, if the corpus is in one.
    pub fn traffic(&self) -> Option<&Traffic> {
        self.traffic.as_deref()
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A digest of everything in it, in hexadecimal; `None` if a part of it is in an engine.
    pub(in crate::audit) fn digest(&self) -> Option<String> {
        CorpusSegment::digest_of(&self.segments)
    }

    /// The segments of its sources, each with the name of the source if it was not imported.
    pub(in crate::audit) fn sources(&self) -> impl Iterator<Item = (&CorpusSegment, Option<&str>)> {
        self.segments.iter().zip(self.specs.iter().map(Option::as_deref))
    }

    /// The blobs of a segment with any of the fingerprints.
    pub(in crate::audit) fn sharing(
        &self,
        segment: &CorpusSegment,
        hashes: &[u64],
    ) -> Result<Vec<u32>, Error> {
        let asked = [(self.number_of(segment), segment)];
        let keys = distinct(hashes.iter().map(|hash| key(*hash)));
        let found = self.checked(self.lookups.postings(&asked, &keys))?;
        let blobs = distinct(found.into_iter().flatten().map(|of| of.blob));
        self.checked(segment.read_ahead(&blobs))?;
        Ok(blobs)
    }

    /// The segments with the code of projects, by number: lists of fixes hold pairs of functions.
    fn of_projects(&self) -> impl Iterator<Item = (usize, &CorpusSegment)> {
        self.segments.iter().enumerate().filter(|(_, segment)| !segment.is_of_fixes())
    }

    pub(super) fn search(
        &self,
        queries: &Queries<'_>,
        progress: &dyn Progress,
    ) -> Result<SearchOutcome, Error> {
        let common_components = queries.config.common_components;
        // Elsewhere, both wait for answers.
        let (hits, whole) = rayon::join(|| self.hits(queries), || self.whole_files(queries));
        let (mut hits, whole) = (hits?, whole?);
        let mut frequencies = vec![Vec::new(); queries.sources.len()];
        for hit in &hits {
            frequencies[hit.query].push((hit.position, hit.n_components));
        }
        for of_query in &mut frequencies {
            of_query.sort_unstable();
        }
        // Frequencies say how common all of it is. Candidates come from the rare ones only.
        hits.retain(|hit| hit.n_components as usize <= common_components);
        let elected = elect(&self.segments, &self.versions, hits, &queries.sources);
        let Winners { wanted: mut candidates, since } = self.checked(elected)?;
        for at in whole.keys() {
            candidates.entry(*at).or_default();
        }
        self.each_elsewhere(candidates.keys(), CorpusSegment::read_ahead)?;

        progress.begin("aligning", candidates.len());
        let found = candidates
            .into_par_iter()
            .map_init(Vec::new, |scratch, (at, wanted)| {
                progress.step();
                let whole = whole.get(&at).map_or(&[][..], Vec::as_slice);
                self.align(at, (&wanted, whole), queries, scratch)
            })
            .collect::<Result<Vec<_>, Error>>()?;
        let found: Vec<BlobToAlign> = found.into_iter().flatten().collect();
        let blobs = found.iter().map(|of| &of.at);
        self.each_elsewhere(blobs, CorpusSegment::read_licenses_ahead)?;
        let found = found.into_iter().map(|of| self.found(of)).collect::<Result<_, Error>>()?;
        let n_files = self.of_projects().map(|(_, segment)| segment.stats().n_files as usize);
        let n_compared = n_files.sum();
        Ok(SearchOutcome {
            found: best_of_each(found, since, &queries.sources),
            frequencies,
            n_compared,
            ..SearchOutcome::default()
        })
    }

    fn hits(&self, queries: &Queries<'_>) -> Result<Vec<CorpusHit>, Error> {
        let names = self.names();
        // Segments may differ in k and window: each group is asked with fingerprints of its own.
        let mut by_params: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
        for (number, segment) in self.of_projects() {
            by_params.entry(segment.sampling()).or_default().push(number);
        }
        let mut all = Vec::new();
        for ((k, window), numbers) in by_params {
            // A narrower window selects everything that a wider one selects.
            let window = window.min(queries.sampling.window().get());
            let Some(params) = params(k, window) else { continue };
            let prints = queries.choosing(&params);
            let mut keys: Vec<u64> = prints.iter().map(|(_, print)| key(print.hash)).collect();
            keys.par_sort_unstable();
            keys.dedup();
            let found = self.look_up(&numbers, &names, &keys)?;
            for (query, Fingerprint { hash, position }) in prints {
                let Ok(at) = keys.binary_search(&key(hash)) else { continue };
                let KeyHits { n_components, blobs } = found[at].clone();
                if n_components > 0 {
                    all.push(CorpusHit { query, position, n_components, blobs });
                }
            }
        }
        Ok(all)
    }

    /// What the segments with these numbers have under each of `keys`, which ascend.
    fn look_up(
        &self,
        numbers: &[usize],
        names: &[Vec<u32>],
        keys: &[u64],
    ) -> Result<Vec<KeyHits>, Error> {
        let asked: Vec<(usize, &CorpusSegment)> =
            numbers.iter().map(|&number| (number, &self.segments[number])).collect();
        let mut answers = Vec::with_capacity(keys.len());
        for batch in keys.chunks(BATCH) {
            let postings = self.checked(self.lookups.postings(&asked, batch))?;
            answers.par_extend(postings.into_par_iter().map(|of_key| KeyHits::new(&of_key, names)));
        }
        Ok(answers)
    }

    /// Reads with `read` the blobs of each segment that is elsewhere, all at once.
    fn each_elsewhere<'b>(
        &self,
        blobs: impl Iterator<Item = &'b BlobAt>,
        read: impl Fn(&CorpusSegment, &[u32]) -> Result<(), SegmentError> + Sync,
    ) -> Result<(), Error> {
        let blobs = distinct(blobs.copied());
        let elsewhere =
            blobs.chunk_by(|a, b| a.0 == b.0).filter(|of| self.segments[of[0].0].is_elsewhere());
        let read = each(&elsewhere.collect::<Vec<_>>(), |of_segment| {
            let blobs: Vec<u32> = of_segment.iter().map(|(_, blob)| *blob).collect();
            self.checked(read(&self.segments[of_segment[0].0], &blobs))
        });
        read.into_iter().collect()
    }

    /// For each segment, a number for the name of each component: its versions count as one.
    fn names(&self) -> Vec<Vec<u32>> {
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        let mut names: Vec<Vec<u32>> = Vec::with_capacity(self.segments.len());
        for segment in &self.segments {
            let of_segment = segment.components().iter().map(|component| {
                let next = numbers.len() as u32;
                *numbers.entry(&component.name).or_insert(next)
            });
            names.push(of_segment.collect());
        }
        names
    }

    pub(in crate::audit) fn files_of(
        &self,
        id: &BlobId,
    ) -> Result<Vec<(FilePath, Component)>, Error> {
        let mut found: Vec<(FilePath, Component)> = Vec::new();
        for (number, blob) in self.blobs_of(std::slice::from_ref(id))?.into_iter().flatten() {
            let segment = &self.segments[number];
            for file in self.checked(segment.files(blob))? {
                let component = self.component(segment, &file)?;
                let mut known = found.iter();
                if !known.any(|(path, of)| *path == file.path && of.name == component.name) {
                    found.push((file.path, component));
                }
            }
        }
        Ok(found)
    }

    /// The blobs of few components that whole files of the change are, with the file numbers.
    fn whole_files(&self, queries: &Queries<'_>) -> Result<BTreeMap<BlobAt, Vec<usize>>, Error> {
        let mut found: BTreeMap<BlobAt, Vec<usize>> = BTreeMap::new();
        let whole = queries.sources.iter().enumerate().filter(|(_, source)| may_be_whole(source));
        let (whole, ids): (Vec<usize>, Vec<BlobId>) =
            whole.map(|(query, of)| (query, blob_id(of.bytes()))).unzip();
        let known = self.blobs_of(&ids)?;
        self.each_elsewhere(known.iter().flatten(), CorpusSegment::read_ahead)?;
        for (query, blobs) in whole.into_iter().zip(known) {
            let mut names = BTreeSet::new();
            for &(number, blob) in &blobs {
                let segment = &self.segments[number];
                for file in self.checked(segment.files(blob))? {
                    names.insert(&segment.components()[file.component as usize].name);
                }
            }
            if names.len() <= queries.config.common_components {
                blobs.into_iter().for_each(|at| found.entry(at).or_default().push(query));
            }
        }
        Ok(found)
    }

    /// For each of `ids` the blobs with the code of projects that have it.
    fn blobs_of(&self, ids: &[BlobId]) -> Result<Vec<Vec<BlobAt>>, Error> {
        let asked: Vec<(usize, &CorpusSegment)> = self.of_projects().collect();
        self.checked(self.lookups.blobs_of(&asked, ids))
    }

    /// Aligns a blob with the queries `wanted`, and those that are the `whole` of it.
    fn align(
        &self,
        (number, blob): BlobAt,
        (wanted, whole): (&[usize], &[usize]),
        queries: &Queries<'_>,
        scratch: &mut Vec<u64>,
    ) -> Result<Option<BlobToAlign>, Error> {
        let segment = &self.segments[number];
        let bare = self.checked(segment.bare_tokens(blob))?;
        let shared = queries.evident(&bare, wanted, scratch);
        // Equal bytes that were lexed differently have other tokens: positions would not fit.
        let mut whole = whole.to_vec();
        whole.retain(|&query| queries.sources[query].tokens.len() == bare.tokens.len());
        if shared.is_empty() && whole.is_empty() {
            return Ok(None);
        }
        let stored = self.checked(segment.tokens(blob))?;
        let file = oldest(self.checked(segment.files(blob))?);
        let language = self.checked(segment.language(blob))?;
        let language = [&*language.name, &*language.family];
        let target = Source::plain(file.path.clone(), stored.text, stored.tokens, language);
        let target = Arc::new(target);
        let alignments = queries.align_those(target.document(), shared, None).alignments;
        let has_some = !alignments.is_empty() || !whole.is_empty();
        Ok(has_some.then_some(BlobToAlign { at: (number, blob), file, target, alignments, whole }))
    }

    fn found(&self, aligned: BlobToAlign) -> Result<FileHits, Error> {
        let BlobToAlign { at, file, target, alignments, whole } = aligned;
        let place = Place::Component(Arc::new(self.component(&self.segments[at.0], &file)?));
        let found = FileHits { alignments, ..FileHits::new(place, target) };
        Ok(if whole.is_empty() { found } else { found.aligned_whole(&whole) })
    }

    /// The license texts of a component; none if it is of another corpus.
    pub(in crate::audit) fn texts(&self, component: &Component) -> Result<Vec<String>, Error> {
        if component.corpus != self.name {
            return Ok(Vec::new());
        }
        for (segment, _) in self.sources() {
            let mut all = segment.components().iter();
            let number = all.position(|of| of.name == component.name && of.purl == component.purl);
            if let Some(number) = number {
                return Ok(self.checked(segment.component_license(number))?.texts);
            }
        }
        Ok(Vec::new())
    }

    fn component(&self, segment: &CorpusSegment, file: &StoredFile) -> Result<Component, Error> {
        let component = self.declared(segment, file.component);
        Ok(Component {
            version: component.version.or_else(|| version_of(file)),
            terms: self.checked(segment.license(file.license))?,
            first_seen: file.seen.as_ref().map(first_appearance),
            ..component
        })
    }

    /// The component with this number, as it was declared: without its license.
    pub(in crate::audit) fn declared(&self, segment: &CorpusSegment, number: u32) -> Component {
        let DeclaredComponent { name, version, purl, url, .. } =
            segment.components()[number as usize].clone();
        let corpus = self.name.clone();
        Component { corpus, name, version, purl, url, ..Component::default() }
    }

    pub(in crate::audit) fn checked<T>(&self, read: Result<T, SegmentError>) -> Result<T, Error> {
        let error = match read {
            Ok(read) => return Ok(read),
            // Nothing here can mend what is there.
            Err(SegmentError::Elsewhere { place, why }) => CorpusError::Elsewhere { place, why },
            Err(why) => {
                let source_name = "its index".to_owned();
                CorpusError::Segment { corpus: self.name.clone(), source_name, why }
            }
        };
        Err(error.into())
    }
}

/// The releases of a history that contain a file, or its first commit.
pub(in crate::audit) fn version_of(file: &StoredFile) -> Option<String> {
    let seen = file.seen.as_ref()?;
    Some(match (&seen.first_tag, &seen.last_tag) {
        (Some(first), Some(last)) if first != last => format!("{first} to {last}"),
        (Some(tag), _) | (_, Some(tag)) => tag.clone(),
        (None, None) if seen.commit.is_empty() => return None,
        (None, None) => seen.commit[..seen.commit.len().min(10)].to_owned(),
    })
}

pub(in crate::audit) fn params(k: usize, window: usize) -> Option<Params> {
    let k = std::num::NonZeroUsize::new(k)?;
    Params::new(k, k.checked_add(window.checked_sub(1)?)?).ok()
}

/// How much of a query a version has: its aligned tokens, twice if they are spelled the same.
fn likeness(found: &FileHits, query: usize, source: &Source) -> usize {
    let mut is_aligned = vec![0u8; source.tokens.len()];
    for (_, alignment) in found.alignments.iter().filter(|(number, _)| *number == query) {
        for (a, b) in alignment.pairs() {
            let is_exact = source.tokens[a].exact == found.target.tokens[b].exact;
            is_aligned[a] = is_aligned[a].max(1 + u8::from(is_exact));
        }
    }
    is_aligned.into_iter().map(usize::from).sum()
}

/// The tokens of a version from the first to the last that is aligned with a query.
fn span(found: &FileHits, query: usize) -> usize {
    let of_query = found.alignments.iter().filter(|(number, _)| *number == query);
    of_query.map(|(_, alignment)| alignment.target().len().saturating_sub(1)).sum()
}

/// Of the versions of each file, keeps the one most similar to each query; of equals, the first.
fn best_of_each(mut found: Vec<FileHits>, mut since: Since, sources: &[&Source]) -> Vec<FileHits> {
    // For each version that was aligned, how much of each query it has.
    let likenesses = found.iter().map(|one| {
        let queries: BTreeSet<usize> = one.alignments.iter().map(|(query, _)| *query).collect();
        queries.into_iter().map(|query| (query, likeness(one, query, sources[query]))).collect()
    });
    let likenesses: Vec<BTreeMap<usize, usize>> = likenesses.collect();
    // By component, path and query: the highest likeness, and the version that has it.
    let mut best: HashMap<(ComponentPath, usize), (_, usize)> = HashMap::new();
    for (number, one) in found.iter().enumerate() {
        for (&query, &likeness) in &likenesses[number] {
            // Of versions that have as much, the one that has least in between, and least besides.
            let rated =
                ((likeness, Reverse(span(one, query)), Reverse(one.target.tokens.len())), number);
            let kept = best.entry((file_of(one), query)).or_insert(rated);
            if rated.0 > kept.0 {
                *kept = rated;
            }
        }
    }
    // An earlier version with about as much of it shows since when the code has existed.
    for (number, one) in found.iter().enumerate() {
        let Place::Component(component) = &one.place else { continue };
        let Some(seen) = &component.first_seen else { continue };
        let file = file_of(one);
        let has_most = likenesses[number].iter().any(|(&query, &likeness)| {
            let best = best.get(&(file.clone(), query));
            let most = best.map_or(0, |((most, ..), _)| *most);
            likeness as f64 >= AS_MUCH * most as f64
        });
        if has_most {
            note_first(&mut since, file, seen);
        }
    }
    for one in &mut found {
        let Place::Component(component) = &one.place else { continue };
        let Some(first) = since.get(&file_of(one)) else { continue };
        let component = Component { first_seen: Some(first.clone()), ..(**component).clone() };
        one.place = Place::Component(Arc::new(component));
    }
    for (number, one) in found.iter_mut().enumerate() {
        let file = file_of(one);
        one.alignments.retain(|(query, _)| {
            best.get(&(file.clone(), *query)).is_some_and(|(_, kept)| *kept == number)
        });
    }
    found.retain(|one| !one.alignments.is_empty());
    found
}

fn file_of(found: &FileHits) -> ComponentPath {
    let component = match &found.place {
        Place::Component(component) => component.name.clone(),
        _ => String::new(),
    };
    (component, found.target.path.clone())
}

/// Reads the files of a corpus like those of a tree.
pub struct CorpusLexer<'r> {
    sources: Sources<'r>,
}

impl<'r> CorpusLexer<'r> {
    /// Reads with the settings and languages of `context`.
    pub fn new(context: Context<'r>) -> Self {
        Self { sources: Sources::bare(context) }
    }
}

impl FileLexer for CorpusLexer<'_> {
    fn wants(&self, path: &FilePath, size: u64) -> bool {
        size <= self.sources.config.max_file_size && self.sources.is_read(path)
    }

    fn is_too_large(&self, path: &FilePath, size: u64) -> bool {
        size > self.sources.config.max_file_size
            && self.sources.is_read(path)
            && self.sources.promise(path).is_some()
    }

    fn lex(&self, path: &FilePath, bytes: &[u8]) -> Option<LexedFile> {
        let Source { language: name, family, tokens, .. } =
            self.sources.tokenize(path, bytes.to_vec()).ok()?;
        Some(LexedFile { language: StoredLanguage { name, family }, tokens })
    }

    fn version(
        &self,
        path: &FilePath,
        bytes: &[u8],
        base: Option<(&[u8], &LexedVersion)>,
        tokens: &mut Vec<Token>,
    ) -> Option<(LexedVersion, ChangedTokens)> {
        let language = self.sources.plain(path, bytes)?;
        let base = base.filter(|(_, made)| made.language.name == language.name);
        let before = base.map(|(text, made)| (text, &made.version));
        let (version, changed) = language.lexer.version(bytes, before, tokens);
        let (name, family) = (language.name.clone(), language.family.clone());
        Some((LexedVersion { language: StoredLanguage { name, family }, version }, changed))
    }

    fn changed_functions(&self, path: &FilePath, before: &[u8], after: &[u8]) -> Vec<FunctionPair> {
        match [before, after].map(|bytes| self.sources.tokenize(path, bytes.to_vec())) {
            [Ok(before), Ok(after)] => changed_functions(&before, &after),
            _ => Vec::new(),
        }
    }

    fn step(&self) {
        self.sources.progress.step();
    }
}

/// For each edit that a copy could miss, the unit of code around it, or its context.
fn changed_functions(before: &Source, after: &Source) -> Vec<FunctionPair> {
    let (old, new) = (before.document(), after.document());
    // Both sides begin and end at the same place: what only one had would look edited.
    let edits = edited_lines(old, new);
    let backwards: Vec<(Range<usize>, Range<usize>)> =
        edits.iter().cloned().map(|(from, to)| (to, from)).collect();
    let mut froms: Vec<Range<usize>> = Vec::new();
    for Fix { hunk, window } in fixes(old, new) {
        let from = unit_around(old, &hunk.removed);
        let back = counterpart(&unit_around(new, &hunk.added), &backwards);
        let from =
            from.start.min(back.start).min(window.start)..from.end.max(back.end).max(window.end);
        let from = whole_edits(from, &edits);
        match froms.last_mut() {
            Some(last) if from.start <= last.end => {
                *last = last.start.min(from.start)..last.end.max(from.end);
            }
            _ => froms.push(from),
        }
    }
    let pairs = froms.into_iter().map(|from| {
        let to = counterpart(&from, &edits);
        FunctionPair { before: lexed(before, from), after: lexed(after, to) }
    });
    pairs.collect()
}

fn lexed(source: &Source, tokens: Range<usize>) -> LexedFile {
    let (name, family) = (source.language.clone(), source.family.clone());
    let language = StoredLanguage { name, family };
    LexedFile { language, tokens: source.tokens[tokens].to_vec() }
}

/// The unit around a part of a file, and at least its context, which a copy must have too.
fn unit_around(document: Document<'_>, part: &Range<usize>) -> Range<usize> {
    let n_tokens = document.tokens.len();
    let part = part.start.min(n_tokens.saturating_sub(1))..part.end;
    let around = part.start.saturating_sub(CONTEXT)..(part.end + CONTEXT).min(n_tokens);
    // A hunk may reach over the end of a function, and its context into the next one.
    let unit = document.enclosing_unit(part).map_or(around.clone(), |unit| unit.tokens);
    unit.start.min(around.start)..unit.end.max(around.end)
}

/// `range`, extended so that it begins and ends inside no edit.
fn whole_edits(range: Range<usize>, edits: &[(Range<usize>, Range<usize>)]) -> Range<usize> {
    let [first, last] = [range.start, range.end]
        .map(|at| edits.iter().map(|(from, _)| from).find(|from| from.start < at && at < from.end));
    first.map_or(range.start, |from| from.start)..last.map_or(range.end, |from| from.end)
}

/// What a range of tokens is on the other side of `edits`, which are in order.
fn counterpart(range: &Range<usize>, edits: &[(Range<usize>, Range<usize>)]) -> Range<usize> {
    let (before, behind) =
        edits.split_at(edits.partition_point(|(from, _)| from.end <= range.start));
    let start = match behind.first() {
        Some((from, to)) if from.start < range.start => to.start,
        // What was put before the first token is at the start, too.
        _ if range.start == 0 => 0,
        _ => shifted(range.start, before),
    };
    let (before, behind) = edits.split_at(
        edits.partition_point(|(from, _)| from.start < range.end && from.end <= range.end),
    );
    let end = match behind.first() {
        Some((from, to)) if from.start < range.end => to.end,
        _ => shifted(range.end, before),
    };
    start..end.max(start)
}

/// What a token behind all of some edits is on their other side.
fn shifted(at: usize, edits: &[(Range<usize>, Range<usize>)]) -> usize {
    edits.last().map_or(at, |(from, to)| to.end + (at - from.end))
}
