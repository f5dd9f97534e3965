//! Runs `scan`: finds every clone class of a tree.
//!
//! Three passes over the files: fingerprint them all and keep what occurs more
//! than once; align each file with those before it; join the pairs into classes.
//! Memory grows with the fingerprints, not with the text.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::cache::Remembered;
use super::duplication::{Duplication, FileShare};
use super::findings::fragment;
use super::judge::rarity;
use super::source::{Skip, Source, Sources};
use super::{End, Error, Examined, Outcome, Progress};
use crate::config::Config;
use crate::git::{Entry, ReadFiles};
use crate::index::{Index, Posting};
use crate::language::Languages;
use crate::matching::{Candidate, ClonePair, CloneType, Seed, alignments, classes, clones, is_telling};
use crate::policy::{COPIED_CODE, Finding, Fragment, Level, Origin, identity, order_origins};
use crate::text::{FilePath, Lines};

/// The files of a tree, and how to read them on each thread.
pub struct Tree<'t, R> {
    /// What it is called: a revision, a folder.
    pub end: End,
    /// The files, sorted by path.
    pub entries: Vec<Entry>,
    /// Opens a reader for one thread.
    pub open: &'t (dyn Fn() -> R + Sync),
}

impl<R> std::fmt::Debug for Tree<'_, R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tree").field("end", &self.end).field("n_entries", &self.entries.len()).finish_non_exhaustive()
    }
}

/// Places before this one that a repeated fingerprint is followed to. Classes
/// join what is left out: the tenth copy of something is a copy of the ninth.
const MAX_PLACES: usize = 16;
/// Files of a fingerprint that are counted; from here on it is common.
const MAX_COUNTED: usize = 64;
/// Bytes of sources that a thread keeps at hand as targets.
const KEPT_BYTES: usize = 16 * 1024 * 1024;

/// Finds all clone classes of a tree, the largest first, and what share of it they are.
///
/// # Errors
/// When a file cannot be read.
pub fn scan<R: ReadFiles>(
    tree: Tree<'_, R>,
    config: &Config,
    languages: &Languages,
    progress: &dyn Progress,
) -> Result<Outcome, Error> {
    let remembered = Remembered::nothing();
    let sources = Sources { config, languages, remembered: &remembered };
    let n_all = tree.entries.len();
    let entries: Vec<Entry> =
        tree.entries.into_iter().filter(|entry| sources.skip_by_name(&entry.path).is_none()).collect();
    let (index, read) = fingerprint_all(&entries, tree.open, &sources, progress)?;
    let scanner = Scanner { entries: &entries, open: tree.open, sources: &sources, index: &index };
    let copies = scanner.copies(&read, progress)?;
    let groups = join(copies);

    let mut duplication = Duplication::default();
    let mut examined = Examined { n_changed: n_all, ..Examined::default() };
    let mut covered: BTreeMap<u32, Vec<&Place>> = BTreeMap::new();
    for place in groups.iter().flatten() {
        covered.entry(place.document).or_default().push(place);
    }
    for (document, (entry, read)) in entries.iter().zip(&read).enumerate() {
        match read {
            Ok(size) => {
                let places = covered.get(&(document as u32)).map_or(&[][..], Vec::as_slice);
                duplication.add(&entry.path, &size.language, &size.share(places));
                examined.n_judged += 1;
            }
            Err(skip) if skip.is_notable() => examined.skipped.push((entry.path.clone(), *skip)),
            Err(_) => {}
        }
    }
    examined.n_compared = examined.n_judged;
    let mut findings: Vec<Finding> = groups.into_iter().filter_map(|group| finding(group, &entries, config)).collect();
    findings.sort_by(|a, b| (b.n_tokens, &a.path, a.fragment).cmp(&(a.n_tokens, &b.path, b.fragment)));
    let texts = texts(&findings, &entries, &(tree.open)())?;
    Ok(Outcome { base: None, head: tree.end, findings, examined, texts, duplication: Some(duplication) })
}

/// What the first pass learned of a file.
struct Size {
    language: String,
    n_tokens: usize,
    n_lines: u32,
}

impl Size {
    fn share(&self, places: &[&Place]) -> FileShare {
        let mut lines = BTreeSet::new();
        let mut tokens = BTreeSet::new();
        for place in places {
            lines.extend(place.fragment.start.line..=place.fragment.end.line);
            tokens.extend(place.tokens.clone());
        }
        FileShare {
            n_tokens: self.n_tokens,
            n_lines: self.n_lines as usize,
            duplicated_tokens: tokens.len(),
            duplicated_lines: lines.len(),
        }
    }
}

/// Fingerprints every file; the index holds what occurs more than once.
fn fingerprint_all<R: ReadFiles>(
    entries: &[Entry],
    open: &(dyn Fn() -> R + Sync),
    sources: &Sources<'_>,
    progress: &dyn Progress,
) -> Result<(Index, Vec<Result<Size, Skip>>), Error> {
    progress.begin("reading", entries.len());
    let prints = |source: &Source, document: u32, scratch: &mut Vec<u64>| {
        let k = sources.config.matching.k;
        let telling = |at: usize| is_telling(&source.tokens[at..at + k], sources.config.matching.min_distinct);
        let prints = sources.config.fingerprint.fingerprints(&source.tokens, scratch);
        let prints = prints.filter(|print| telling(print.position as usize));
        prints.map(|print| (print.hash, Posting { document, position: print.position })).collect::<Vec<_>>()
    };
    let read = entries
        .par_iter()
        .enumerate()
        .map_init(
            || (open(), Vec::new()),
            |(reader, scratch), (document, entry)| {
                let read = sources.read(reader, entry)?;
                progress.step();
                Ok(read.map(|source| {
                    let n_lines = Lines::new(&source.text).n_lines();
                    let size = Size { language: source.language.clone(), n_tokens: source.tokens.len(), n_lines };
                    (size, prints(&source, document as u32, scratch))
                }))
            },
        )
        .collect::<Result<Vec<_>, Error>>()?;
    let n_rows = read.iter().flatten().map(|(_, rows)| rows.len()).sum();
    let mut rows = Vec::with_capacity(n_rows);
    let sizes = read
        .into_iter()
        .map(|read| {
            read.map(|(size, of_file)| {
                rows.extend(of_file);
                size
            })
        })
        .collect();
    Ok((Index::of_repeated(rows), sizes))
}

/// A place that holds a member of a class.
#[derive(Debug, Clone)]
struct Place {
    document: u32,
    tokens: std::ops::Range<usize>,
    fragment: Fragment,
    /// How it relates to the first place of its class.
    clone_type: CloneType,
    similarity: f64,
    /// Its content, for the identity.
    exact: Arc<[u32]>,
}

/// A fragment and the earlier places that it repeats.
struct Repeat {
    place: Place,
    earlier: Vec<Place>,
}

struct Scanner<'s, R> {
    entries: &'s [Entry],
    open: &'s (dyn Fn() -> R + Sync),
    sources: &'s Sources<'s>,
    index: &'s Index,
}

/// Sources that a thread has read last.
#[derive(Default)]
struct Kept {
    sources: HashMap<u32, Arc<Source>>,
    order: VecDeque<u32>,
    n_bytes: usize,
}

impl<R: ReadFiles> Scanner<'_, R> {
    /// For each file, the fragments that repeat earlier ones, in the order of the files.
    fn copies(&self, read: &[Result<Size, Skip>], progress: &dyn Progress) -> Result<Vec<Repeat>, Error> {
        progress.begin("aligning", self.entries.len());
        let next = AtomicUsize::new(0);
        let work = |_: usize| -> Result<Vec<(usize, Vec<Repeat>)>, Error> {
            let (reader, mut kept, mut scratch, mut found) = ((self.open)(), Kept::default(), Vec::new(), Vec::new());
            // Neighbors in the tree resemble each other: each thread takes the next file, so that targets are at hand.
            loop {
                let document = next.fetch_add(1, Ordering::Relaxed);
                let Some(read) = read.get(document) else { return Ok(found) };
                progress.step();
                if read.is_ok() {
                    let repeats = self.repeats(document as u32, &reader, &mut kept, &mut scratch)?;
                    found.push((document, repeats));
                }
            }
        };
        let n_threads = rayon::current_num_threads();
        let found = (0..n_threads).into_par_iter().map(work).collect::<Result<Vec<_>, Error>>()?;
        let mut found: Vec<_> = found.into_iter().flatten().collect();
        found.sort_by_key(|(document, _)| *document);
        Ok(found.into_iter().flat_map(|(_, repeats)| repeats).collect())
    }

    fn source(&self, document: u32, reader: &R, kept: &mut Kept) -> Result<Option<Arc<Source>>, Error> {
        if let Some(source) = kept.sources.get(&document) {
            return Ok(Some(Arc::clone(source)));
        }
        let Ok(source) = self.sources.read(reader, &self.entries[document as usize])? else { return Ok(None) };
        let source = Arc::new(source);
        let n_bytes = |source: &Source| source.text.len() + source.tokens.len() * size_of::<crate::language::Token>();
        kept.n_bytes += n_bytes(&source);
        kept.sources.insert(document, Arc::clone(&source));
        kept.order.push_back(document);
        while kept.n_bytes > KEPT_BYTES && kept.order.len() > 1 {
            let oldest = kept.order.pop_front().and_then(|oldest| kept.sources.remove(&oldest));
            kept.n_bytes -= oldest.map_or(0, |oldest| n_bytes(&oldest));
        }
        Ok(Some(source))
    }

    /// The fragments of a file that repeat earlier ones.
    fn repeats(
        &self,
        document: u32,
        reader: &R,
        kept: &mut Kept,
        scratch: &mut Vec<u64>,
    ) -> Result<Vec<Repeat>, Error> {
        let Some(query) = self.source(document, reader, kept)? else { return Ok(Vec::new()) };
        let (mut seeds, frequencies) = self.seeds(&query, document, scratch);
        let config = self.sources.config;
        let mut pairs: Vec<(Place, ClonePair)> = Vec::new();
        for (&other, seeds) in &mut seeds {
            let target = if other == document { Some(Arc::clone(&query)) } else { self.source(other, reader, kept)? };
            let Some(target) = target.filter(|target| target.family == query.family) else { continue };
            for alignment in alignments(query.document(), target.document(), seeds, &config.matching, other == document)
            {
                for pair in clones(alignment, &query.tokens, &target.tokens, &config.matching) {
                    let is_long = pair.alignment.n_tokens() >= config.min_tokens;
                    if is_long && rarity(&pair.alignment, &frequencies, config) >= config.min_rarity {
                        pairs.extend(place(other, &target, pair.alignment.target(), &pair).map(|place| (place, pair)));
                    }
                }
            }
        }
        Ok(repeats(document, &query, &pairs))
    }

    /// The seeds of a file with each earlier one, and how many files hold each fingerprint.
    #[expect(clippy::type_complexity, reason = "seeds by target, and positions with their counts")]
    fn seeds(
        &self,
        query: &Source,
        document: u32,
        scratch: &mut Vec<u64>,
    ) -> (BTreeMap<u32, Vec<Seed>>, Vec<(u32, u32)>) {
        let mut seeds: BTreeMap<u32, Vec<Seed>> = BTreeMap::new();
        let mut frequencies = Vec::new();
        for print in self.sources.config.fingerprint.fingerprints(&query.tokens, scratch) {
            let own = Posting { document, position: print.position };
            let rows = self.index.rows(print.hash);
            if rows.is_empty() {
                continue;
            }
            let postings = self.index.run_from(rows.start);
            let mut n_files = 0;
            let mut last = None;
            for posting in postings.clone() {
                n_files += u32::from(last.replace(posting.document) != Some(posting.document));
                if n_files as usize == MAX_COUNTED {
                    break;
                }
            }
            frequencies.push((print.position, n_files));
            if n_files as usize >= MAX_COUNTED {
                continue;
            }
            let n_before = postings.clone().take_while(|posting| *posting < own).count();
            for posting in postings.take(n_before).skip(n_before.saturating_sub(MAX_PLACES)) {
                seeds
                    .entry(posting.document)
                    .or_default()
                    .push(Seed { query: print.position, target: posting.position });
            }
        }
        (seeds, frequencies)
    }
}

fn place(document: u32, source: &Source, tokens: std::ops::Range<usize>, pair: &ClonePair) -> Option<Place> {
    let within = &source.tokens[tokens.clone()];
    Some(Place {
        document,
        fragment: fragment(&source.text, &Lines::new(&source.text), within)?,
        exact: within.iter().map(|token| token.exact).collect(),
        tokens,
        clone_type: pair.clone_type,
        similarity: pair.similarity,
    })
}

/// Groups the pairs of one file by the fragment they explain.
fn repeats(document: u32, query: &Source, pairs: &[(Place, ClonePair)]) -> Vec<Repeat> {
    let candidates: Vec<Candidate> =
        pairs.iter().map(|(_, pair)| Candidate { query: pair.alignment.query(), n_exact: pair.n_exact }).collect();
    let repeat = |class: crate::matching::CloneClass| {
        let members: Vec<_> = class.members.iter().map(|&member| &pairs[member]).collect();
        let (_, best) = members.first()?;
        let place = place(document, query, class.query, best)?;
        Some(Repeat { place, earlier: members.into_iter().map(|(place, _)| place.clone()).collect() })
    };
    classes(&candidates).into_iter().filter_map(repeat).collect()
}

/// How much two places must overlap, as a part of either, to be one.
const SAME_PLACE: f64 = 0.7;

/// Joins repeats into classes: a fragment goes where one of its earlier places is a member already.
fn join(repeats: Vec<Repeat>) -> Vec<Vec<Place>> {
    let mut classes: Vec<Vec<Place>> = Vec::new();
    let mut members: HashMap<u32, Vec<(std::ops::Range<usize>, usize)>> = HashMap::new();
    for Repeat { place, earlier } in repeats {
        let known = |place: &Place| {
            let of_document = members.get(&place.document)?;
            of_document.iter().find(|(tokens, _)| is_same(tokens, &place.tokens)).map(|&(_, class)| class)
        };
        let class = earlier.iter().chain([&place]).find_map(known).unwrap_or(classes.len());
        if class == classes.len() {
            classes.push(Vec::new());
        }
        for place in earlier.into_iter().chain([place]) {
            let of_document = members.entry(place.document).or_default();
            if !of_document.iter().any(|(tokens, _)| is_same(tokens, &place.tokens)) {
                of_document.push((place.tokens.clone(), class));
                classes[class].push(place);
            }
        }
    }
    classes.retain(|class| class.len() > 1);
    classes
}

fn is_same(a: &std::ops::Range<usize>, b: &std::ops::Range<usize>) -> bool {
    let n_shared = a.end.min(b.end).saturating_sub(a.start.max(b.start)) as f64;
    n_shared >= SAME_PLACE * a.len() as f64 && n_shared >= SAME_PLACE * b.len() as f64
}

/// A class as a finding: its first place, and the others as origins.
fn finding(mut class: Vec<Place>, entries: &[Entry], config: &Config) -> Option<Finding> {
    config.level(&COPIED_CODE)?;
    class.sort_by_key(|place| (place.document, place.tokens.start));
    let path = |place: &Place| entries[place.document as usize].path.clone();
    let (first, others) = class.split_first()?;
    let mut origins: Vec<Origin> = others
        .iter()
        .map(|place| Origin {
            place: crate::policy::Place::Tree,
            path: path(place),
            fragment: place.fragment,
            clone_type: place.clone_type,
            similarity: place.similarity,
            text: None,
        })
        .collect();
    order_origins(&mut origins, &path(first));
    Some(Finding {
        rule: &COPIED_CODE,
        level: Level::Note,
        identity: identity(&COPIED_CODE, &path(first), first.exact.iter().copied()),
        path: path(first),
        fragment: first.fragment,
        added: first.fragment,
        n_tokens: first.tokens.len(),
        n_novel: 0,
        origins,
    })
}

/// The texts of all files that the findings name first, or as first origin: what frames show.
fn texts(
    findings: &[Finding],
    entries: &[Entry],
    reader: &impl ReadFiles,
) -> Result<BTreeMap<FilePath, Vec<u8>>, Error> {
    let mut texts = BTreeMap::new();
    for finding in findings {
        let shown = finding.origins.first().map(|origin| &origin.path).into_iter().chain([&finding.path]);
        for path in shown {
            if !texts.contains_key(path)
                && let Ok(at) = entries.binary_search_by(|entry| entry.path.cmp(path))
            {
                texts.insert(path.clone(), reader.read(&entries[at])?);
            }
        }
    }
    Ok(texts)
}
