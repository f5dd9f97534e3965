//! Looks up which fingerprints of the queries each file of a tree has, without aligning anything.
//!
//! What the cache knows of a file needs no reading. A cache can be forged, so a random sample here,
//! and later every file that is aligned, is compared with it.
//!
//! Invariant: the same files have the same lookup, with a cache and without one.

use std::collections::BTreeMap;
use std::sync::Arc;

use foldhash::HashMap;
use rayon::prelude::*;

use super::queries::{Hit, Queries};
use super::vendored::place_in_tree;
use crate::audit::Error;
use crate::audit::read::{Skip, Source, Sources, distinct, reason};
use crate::files::{BlobId, Entry, ReadFiles};
use crate::index::Sieve;
use crate::policy::{Component, Place};
use crate::text::{FilePath, printable};

/// The files to search, and how to read them.
pub(in crate::audit) struct Targets<'t, R> {
    pub entries: &'t [Entry],
    /// Opens a reader for one thread.
    pub open: &'t (dyn Fn() -> R + Sync),
    pub sources: &'t Sources<'t>,
    /// The corpus whose components the files are; `None` for files of the tree.
    pub corpus: Option<&'t str>,
    pub is_new: &'t (dyn Fn(&FilePath) -> bool + Sync),
    /// The touched files as they were: base decides what is common.
    pub before: &'t [&'t Source],
    /// Maximum components with a fingerprint that is not common; for the tree there is none.
    pub max_components: usize,
    /// Whether files that share nothing but a few common fingerprints are left out.
    pub is_rarity_judged: bool,
}

impl<'t, R> Targets<'t, R> {
    /// Files of the tree, none of which is new.
    pub fn new(
        entries: &'t [Entry],
        open: &'t (dyn Fn() -> R + Sync),
        sources: &'t Sources<'t>,
    ) -> Self {
        let (corpus, before, max_components) = (None, &[][..], usize::MAX);
        let (is_new, is_rarity_judged) = (&|_: &FilePath| false, false);
        Self { entries, open, sources, corpus, is_new, before, max_components, is_rarity_judged }
    }

    pub fn place(&self, path: &FilePath) -> Place {
        let Some(corpus) = self.corpus else { return place_in_tree(self.sources.config, path) };
        let name = match component_folder(path) {
            b"" => corpus.to_owned(),
            folder => printable(folder),
        };
        let corpus = corpus.to_owned();
        Place::Component(Arc::new(Component { corpus, name, ..Component::default() }))
    }
}

/// The top folder of a path, which is a component; empty for a file at the root.
pub(super) fn component_folder(path: &FilePath) -> &[u8] {
    let bytes = path.as_bytes();
    memchr::memchr(b'/', bytes).map_or(&[][..], |end| &bytes[..end])
}

/// What the files of a tree share with several sets of queries.
pub(in crate::audit) struct Lookup<'l> {
    pub sets: &'l [Option<&'l Queries<'l>>],
    entries: &'l [Entry],
    sources: &'l Sources<'l>,
    /// For each file, the first one that is the same, if there is an earlier one.
    same_as: Vec<Option<usize>>,
    /// What each file shares, or why it was not read; `None` if it is the same as an earlier one.
    files: Vec<Option<Result<Shares, Skip>>>,
    uses_cache: bool,
}

struct Shares {
    of_sets: Vec<Share>,
    /// Whether this needed no reading.
    is_remembered: bool,
}

/// What a file shares with a set of queries.
#[derive(Default)]
struct Share {
    hits: Vec<Hit>,
    /// The numbers of the words that it has.
    words: Vec<u32>,
}

/// Looks up `sets` of queries in the targets, all in one pass; a set that is `None` shares nothing.
pub(in crate::audit) fn look_up<'l, R: ReadFiles>(
    sets: &'l [Option<&'l Queries<'l>>],
    targets: &Targets<'l, R>,
) -> Result<Lookup<'l>, Error> {
    let &Targets { entries, sources, open, .. } = targets;
    // At most twice: without the cache, nothing is refuted.
    loop {
        open().fetch(&mut entries.iter().filter(|entry| sources.needs(entry)));
        sources.progress.begin("comparing", entries.len());
        let uses_cache = sources.remembered.is_false().is_none();
        let same_as = same_as(&entries.iter().collect::<Vec<_>>(), sources);
        let files = shares_of_all(sets, targets, &same_as)?;
        let lookup = Lookup { sets, entries, sources, same_as, files, uses_cache };
        lookup.sample(open);
        if !lookup.is_refuted() {
            return Ok(lookup);
        }
    }
}

impl<'l> Lookup<'l> {
    /// Whether it relied on a cache that has turned out to be false.
    pub fn is_refuted(&self) -> bool {
        self.uses_cache && self.sources.remembered.is_false().is_some()
    }

    /// Distrusts the cache if it knew something else of a file than the `hits`, or why it has none.
    pub fn confirm(&self, file: usize, set: usize, hits: Result<&[Hit], Skip>) {
        let is_false = match (self.shares(file).as_ref(), hits) {
            // What was not read, or is not there in a partial clone, cannot be compared.
            (_, Err(skip)) | (Err(&skip), _) if skip.is_end() || skip == Skip::Missing => false,
            (Err(&skip), hits) => hits.err() != Some(skip),
            (Ok(shares), hits) => shares.is_remembered && hits != Ok(&shares.of_sets[set].hits),
        };
        if is_false {
            self.sources.remembered.distrust();
        }
    }

    pub fn file_at(&self, path: &FilePath) -> Option<usize> {
        self.entries.binary_search_by(|entry| entry.path.cmp(path)).ok()
    }

    /// The files that share something with a set, by number, each with its distinct fingerprints.
    pub fn rows(&self, set: usize) -> Vec<(usize, Vec<u32>)> {
        let files = (0..self.entries.len())
            .into_par_iter()
            .filter_map(|file| Some((file, rows(&self.share(file, set)?.hits))));
        files.filter(|(_, rows)| !rows.is_empty()).collect()
    }

    /// The number of places with each fingerprint of a set.
    pub fn n_places(&self, set: usize) -> BTreeMap<u32, u32> {
        let mut n_places: HashMap<u32, u32> = HashMap::default();
        for hit in self.shares_of(set).flat_map(|(_, share)| &share.hits) {
            *n_places.entry(hit.row).or_default() += 1;
        }
        n_places.into_iter().collect()
    }

    /// The files that share something with a set, and what.
    pub fn hits(&self, set: usize) -> Vec<(Entry, Vec<Hit>)> {
        let files = self.shares_of(set).filter(|(_, share)| !share.hits.is_empty());
        files.map(|(file, share)| (self.entries[file].clone(), share.hits.clone())).collect()
    }

    /// The numbers of the files that have words of a set, and of these words.
    pub fn words(&self, set: usize) -> Vec<(usize, &[u32])> {
        let files = self.shares_of(set).map(|(file, share)| (file, &*share.words));
        files.filter(|(_, words)| !words.is_empty()).collect()
    }

    pub fn skipped(&self) -> Vec<(Entry, Skip)> {
        let files = self.entries.iter().enumerate();
        files
            .filter_map(|(file, entry)| Some((entry.clone(), *self.shares(file).as_ref().err()?)))
            .collect()
    }

    /// What a file shares. If a thousand paths have the same blob, it was looked up once.
    fn shares(&self, file: usize) -> &Result<Shares, Skip> {
        let first = self.same_as[file].unwrap_or(file);
        self.files[first].as_ref().expect("the first of equal files is looked up")
    }

    /// What a file shares with a set; `None` if it was not looked up.
    fn share(&self, file: usize, set: usize) -> Option<&Share> {
        Some(&self.shares(file).as_ref().ok()?.of_sets[set])
    }

    fn shares_of(&self, set: usize) -> impl Iterator<Item = (usize, &Share)> {
        (0..self.entries.len()).filter_map(move |file| Some((file, self.share(file, set)?)))
    }

    /// Compares what the cache knows about a few files with their contents.
    fn sample<R: ReadFiles>(&self, open: &(dyn Fn() -> R + Sync)) {
        let sampled = self.sources.remembered.sample(self.entries.len()).into_par_iter();
        sampled.for_each_init(
            || (open(), Vec::new()),
            |(reader, scratch), file| {
                // Files missing in a partial clone cannot be compared, and need not be.
                if reader.size(&self.entries[file]).is_none() {
                    return;
                }
                let Ok(read) = self.sources.read(reader, &self.entries[file]) else { return };
                for (set, queries) in self.sets.iter().enumerate() {
                    let Some(queries) = queries else { continue };
                    let hits = read.as_ref().map(|source| queries.hits_in(source, scratch));
                    self.confirm(file, set, hits.as_deref().map_err(|skip| **skip));
                }
            },
        );
    }
}

/// What each file shares; `None` if it is the same as an earlier one.
fn shares_of_all<R: ReadFiles>(
    sets: &[Option<&Queries<'_>>],
    targets: &Targets<'_, R>,
    same_as: &[Option<usize>],
) -> Result<Vec<Option<Result<Shares, Skip>>>, Error> {
    let (sieve, sources) = (Queries::sieve(sets), targets.sources);
    let entries = targets.entries.par_iter().zip(same_as);
    let shares = entries.map_init(
        || ((targets.open)(), Vec::new()),
        |(reader, scratch), (entry, same_as)| {
            sources.progress.step();
            match same_as {
                Some(_) => Ok(None),
                None => shares_of((sets, &sieve), entry, reader, sources, scratch).map(Some),
            }
        },
    );
    shares.collect()
}

/// What a file shares with each set: from the cache, or from the file itself.
fn shares_of(
    (sets, sieve): (&[Option<&Queries<'_>>], &Sieve),
    entry: &Entry,
    reader: &impl ReadFiles,
    sources: &Sources<'_>,
    scratch: &mut Vec<u64>,
) -> Result<Result<Shares, Skip>, Error> {
    if let Some(cached) = sources.remembered.get(entry, sources.reading(&entry.path)) {
        if let Some(skip) = reason(cached.status) {
            return Ok(Err(skip));
        }
        let hashes = cached.hashes().enumerate();
        let passed: Vec<_> = hashes.filter(|(_, hash)| sieve.may_have(*hash)).collect();
        let of_sets = sets.iter().map(|queries| {
            queries.map_or_else(Share::default, |queries| Share {
                hits: queries.hits_in_remembered(&cached, &passed),
                words: queries.words_in(cached.family, || cached.words()),
            })
        });
        return Ok(Ok(Shares { of_sets: of_sets.collect(), is_remembered: true }));
    }
    let read = sources.read(reader, entry)?;
    sources.learn(entry, &read, scratch);
    Ok(read.map(|source| {
        let of_sets = sets.iter().map(|queries| {
            queries.map_or_else(Share::default, |queries| Share {
                hits: queries.hits_in(&source, scratch),
                words: queries.words_in(&source.family, || source.distinct_words()),
            })
        });
        Shares { of_sets: of_sets.collect(), is_remembered: false }
    }))
}

pub(super) fn rows(hits: &[Hit]) -> Vec<u32> {
    distinct(hits.iter().map(|hit| hit.row))
}

/// Files with one content that are examined in any case, and at most.
const SAME_FILES: [u64; 2] = [16, 1_000];
/// Maximum bytes of them all, besides the first few.
const SAME_BYTES: u64 = 16 << 20;

/// For each file with the content of too many before it, the first of them.
///
/// Five objects of a repository can be a million files: trees of trees of one file.
pub(in crate::audit) fn repeated(
    entries: &[&Entry],
    sources: &Sources<'_>,
    reader: &impl ReadFiles,
) -> Vec<Option<usize>> {
    let mut n_of: HashMap<usize, (u64, u64)> = HashMap::default();
    let mut repeated = same_as(entries, sources);
    for same in &mut repeated {
        let Some(first) = *same else { continue };
        let (n, max) = n_of.entry(first).or_insert((1, SAME_FILES[1]));
        *n += 1;
        if *n == SAME_FILES[0] {
            let n_bytes = reader.size(entries[first]).unwrap_or(0).max(1);
            *max = (SAME_BYTES / n_bytes).clamp(SAME_FILES[0], SAME_FILES[1]);
        }
        if *n <= *max {
            *same = None;
        }
    }
    repeated
}

/// For each file, the first one before it with the same content that is read in the same way.
fn same_as(entries: &[&Entry], sources: &Sources<'_>) -> Vec<Option<usize>> {
    // What decides how a file is read: its extension, or all of a name without one.
    fn kind(path: &FilePath) -> Result<&[u8], &[u8]> {
        path.extension().ok_or_else(|| path.name())
    }
    let blobs = entries.par_iter().enumerate().filter_map(|(at, entry)| Some((entry.blob()?, at)));
    let mut blobs: Vec<(BlobId, usize)> = blobs.collect();
    blobs.sort_unstable();
    let mut same_as = vec![None; entries.len()];
    let repeated = blobs.chunk_by(|a, b| a.0 == b.0).filter(|files| files.len() > 1);
    for files in repeated {
        let mut first: Vec<usize> = Vec::new();
        for &(_, at) in files {
            let path = &entries[at].path;
            same_as[at] = first.iter().copied().find(|&other| {
                let other = &entries[other].path;
                kind(other) == kind(path)
                    && (sources.attributes.is_empty() || {
                        let (a, b) = (sources.attributes.of(other), sources.attributes.of(path));
                        (a.language, a.generated) == (b.language, b.generated)
                    })
            });
            // If one blob has ever new kinds of names, the rest are read one by one.
            if same_as[at].is_none() && first.len() < 8 {
                first.push(at);
            }
        }
    }
    same_as
}
