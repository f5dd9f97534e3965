//! Looks for the origins of novel code: streams a set of sources past an index of the queries.
//!
//! The index holds what is asked about, not what is searched: its size grows
//! with the change, and each file of the tree is read, asked and forgotten.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use crate::audit::judge::{Changed, FEW_FILES};
use crate::audit::read::{MIXED, Skip, Source, Sources, reason};
use crate::audit::{Error, Progress};
use crate::config::Config;
use crate::fingerprint::{Fingerprint, Params};
use crate::git::{Entry, ReadFiles};
use crate::index::{Index, Posting};
use crate::matching::{Alignment, Document, Seed, alignments, is_telling, may_be_evident, rare_words};
use crate::policy::Place;
use crate::store::Cached;
use crate::text::FilePath;

/// The fingerprints of the parts of some documents that are asked about.
pub(in crate::audit) struct Queries<'q> {
    sources: Vec<&'q Source>,
    /// For each source, which of its tokens are asked about.
    asked: Vec<Cow<'q, [bool]>>,
    index: Index,
    /// For each source, its rare words.
    rare: OnceLock<Vec<HashSet<u32>>>,
}

/// A fingerprint of the queries, and where it occurs in a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::audit) struct Hit {
    /// Its first row in the index of the queries.
    row: u32,
    /// The position in the target.
    position: u32,
}

impl Hit {
    /// The fingerprint, as a number.
    pub fn row(&self) -> u32 {
        self.row
    }
}

/// What was found of the queries in one file.
#[derive(Debug)]
pub(in crate::audit) struct Found {
    /// Where the file is kept.
    pub place: Place,
    pub target: Source,
    /// Its text, when it is not one of the tree and can be shown.
    pub text: Option<Arc<[u8]>>,
    /// The query's number, and how it aligns with the target.
    pub alignments: Vec<(usize, Alignment)>,
    /// The queries that are this very file, byte for byte; they align as a whole.
    pub whole: Vec<usize>,
}

impl Found {
    /// Takes note that the file is these queries, byte for byte.
    pub fn aligned_whole(mut self, queries: &[usize]) -> Self {
        let all: Alignment = (0..self.target.tokens.len()).map(|at| (at, at)).collect();
        self.alignments.retain(|(query, _)| !queries.contains(query));
        self.alignments.extend(queries.iter().map(|&query| (query, all.clone())));
        self.alignments.sort_by_key(|(query, _)| *query);
        Self { whole: queries.to_vec(), ..self }
    }
}

/// What a search found.
#[derive(Debug)]
pub(in crate::audit) struct SearchOutcome {
    /// The files that share something with a query, sorted by path.
    pub found: Vec<Found>,
    /// For each query, its seeds in order: position, and the number of files that hold the fingerprint.
    pub frequencies: Vec<Vec<(u32, u32)>>,
    /// Files that were not compared, and why.
    pub skipped: Vec<(Entry, Skip)>,
    /// Files that were.
    pub n_compared: usize,
}

/// Seeds that one fingerprint may give between two documents; one that repeats more is no evidence.
const MAX_SEEDS_OF_ONE: usize = 64;

impl<'q> Queries<'q> {
    /// Takes the fingerprints of `queries` that tell something and of whose tokens at least half are `asked`.
    pub fn new(queries: Vec<(&'q Source, Cow<'q, [bool]>)>, config: &Config) -> Self {
        let (sources, asked) = queries.into_iter().unzip();
        let mut queries = Self { sources, asked, index: Index::new([]), rare: OnceLock::new() };
        let postings = queries
            .fingerprints(&config.fingerprint, config)
            .into_iter()
            .map(|(document, print)| (print.hash, Posting { document: document as u32, position: print.position }));
        queries.index = Index::new(postings);
        queries
    }

    /// Asks about what the changes to these files could have copied.
    pub fn about(changed: &[&'q Changed], config: &Config) -> Self {
        Self::new(changed.iter().map(|file| (&file.source, file.asked(config))).collect(), config)
    }

    /// The fingerprints that tell something and of whose tokens at least half are asked about, each with its query's number.
    pub fn fingerprints(&self, params: &Params, config: &Config) -> Vec<(usize, Fingerprint)> {
        let k = params.noise_threshold();
        let mut hashes = Vec::new();
        let mut found = Vec::new();
        for (document, (source, asked)) in self.sources.iter().zip(&self.asked).enumerate() {
            for print in params.fingerprints(&source.tokens, &mut hashes) {
                let at = print.position as usize;
                let n_asked = asked[at..at + k].iter().filter(|&&is_asked| is_asked).count();
                if 2 * n_asked >= k && is_telling(&source.tokens[at..at + k], config.matching.min_distinct) {
                    found.push((document, print));
                }
            }
        }
        found
    }

    /// The documents that are asked about.
    pub fn sources(&self) -> &[&'q Source] {
        &self.sources
    }

    /// Whether nothing is asked.
    pub fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// The hashes that are asked about, each once, in order.
    pub fn hashes(&self, config: &Config) -> BTreeSet<u64> {
        let mut scratch = Vec::new();
        let mut asked = BTreeSet::new();
        for source in &self.sources {
            let prints = config.fingerprint.fingerprints(&source.tokens, &mut scratch);
            asked.extend(prints.map(|print| print.hash).filter(|&hash| !self.index.rows(hash).is_empty()));
        }
        asked
    }

    /// Each fingerprint that is asked about, by its number and its hash, once.
    pub fn distinct(&self, config: &Config) -> Vec<(u32, u64)> {
        let prints = self.fingerprints(&config.fingerprint, config);
        let numbered = prints.into_iter().map(|(_, print)| (self.index.rows(print.hash).start as u32, print.hash));
        let distinct: BTreeSet<(u32, u64)> = numbered.collect();
        distinct.into_iter().collect()
    }

    /// Whether any query could share a fingerprint with sources of `family`: those of two families never do.
    fn may_share(&self, family: &str) -> bool {
        family == MIXED || self.sources.iter().any(|source| source.family == family || source.family == MIXED)
    }

    fn hits(&self, fingerprints: impl Iterator<Item = Fingerprint>) -> Vec<Hit> {
        let hit = |print: Fingerprint| {
            let rows = self.index.rows(print.hash);
            (!rows.is_empty()).then_some(Hit { row: rows.start as u32, position: print.position })
        };
        fingerprints.filter_map(hit).collect()
    }

    /// The fingerprints of `target` that the queries have too.
    pub fn hits_in(&self, target: &Source, config: &Config, scratch: &mut Vec<u64>) -> Vec<Hit> {
        if !self.may_share(&target.family) {
            return Vec::new();
        }
        self.hits(config.fingerprint.fingerprints(&target.tokens, scratch))
    }

    /// The fingerprints of a file that the queries have too, by what is remembered of it.
    fn hits_in_remembered(&self, target: &Cached<'_>) -> Vec<Hit> {
        if !self.may_share(target.family) {
            return Vec::new();
        }
        let rows = target.hashes().map(|hash| self.index.rows(hash));
        let found: Vec<_> = rows.enumerate().filter(|(_, rows)| !rows.is_empty()).collect();
        let mut positions = target.positions().enumerate();
        let hit = |(number, rows): (usize, std::ops::Range<usize>)| {
            let (_, position) = positions.find(|(at, _)| *at == number)?;
            Some(Hit { row: rows.start as u32, position })
        };
        found.into_iter().filter_map(hit).collect()
    }

    /// The number of the query that is the file at `path`.
    fn number_of(&self, path: &FilePath) -> Option<usize> {
        self.sources.iter().position(|source| source.path == *path)
    }

    /// Aligns the queries with `target` along its `hits`; `same` is the number of the query that is the target itself.
    pub fn align(
        &self,
        target: &Source,
        hits: &[Hit],
        same: Option<usize>,
        config: &Config,
    ) -> Vec<(usize, Alignment)> {
        self.align_those(target.document(), hits, same, config, |_, _| true)
    }

    /// Aligns the queries with a part of `target`, and with nothing beyond it; `hits` are those of all of it, in order.
    pub fn align_part(
        &self,
        target: &Source,
        part: Range<usize>,
        hits: &[Hit],
        config: &Config,
    ) -> Vec<(usize, Alignment)> {
        let start = part.start as u32;
        let ends_within = |hit: &&Hit| hit.position as usize + config.matching.k <= part.end;
        let from = hits.partition_point(|hit| hit.position < start);
        let within = hits[from..].iter().take_while(ends_within);
        let hits: Vec<Hit> = within.map(|hit| Hit { position: hit.position - start, ..*hit }).collect();
        if hits.is_empty() {
            return Vec::new();
        }
        let document = Document { text: &target.text, tokens: &target.tokens[part.clone()] };
        let mut aligned = self.align_those(document, &hits, None, config, |_, _| true);
        for block in aligned.iter_mut().flat_map(|(_, alignment)| &mut alignment.blocks) {
            block.target += start;
        }
        aligned
    }

    /// Aligns the queries with a file of another project, those that could show evidence that is enough.
    pub fn align_evident(&self, target: &Source, hits: &[Hit], config: &Config) -> Vec<(usize, Alignment)> {
        let rare = self.rare.get_or_init(|| self.sources.par_iter().map(|of| rare_words(of.document())).collect());
        let words: HashSet<u32> = target.tokens.iter().map(|token| token.exact).collect();
        self.align_those(target.document(), hits, None, config, |query, seeds| {
            let own = &self.sources[query].tokens;
            may_be_evident(own, &target.tokens, &rare[query], &words, seeds, &config.enough)
        })
    }

    /// Aligns the queries of which `is_asked` says so, by their number and seeds.
    fn align_those(
        &self,
        target: Document<'_>,
        hits: &[Hit],
        same: Option<usize>,
        config: &Config,
        is_asked: impl Fn(usize, &[Seed]) -> bool,
    ) -> Vec<(usize, Alignment)> {
        let mut found = Vec::new();
        for (query, mut seeds) in self.seeds(hits).into_iter().filter(|(query, seeds)| is_asked(*query, seeds)) {
            let source = self.sources[query];
            let is_same = same == Some(query);
            let aligned = alignments(source.document(), target, &mut seeds, &config.matching, is_same);
            found.extend(aligned.into_iter().map(|alignment| (query, alignment)));
        }
        found
    }

    /// The seeds between each query and a target, by its `hits`.
    fn seeds(&self, hits: &[Hit]) -> BTreeMap<usize, Vec<Seed>> {
        let mut n_in_target: BTreeMap<u32, usize> = BTreeMap::new();
        for hit in hits {
            *n_in_target.entry(hit.row).or_default() += 1;
        }
        let mut seeds: BTreeMap<usize, Vec<Seed>> = BTreeMap::new();
        for hit in hits {
            let postings = self.rows_from(hit.row);
            for posting in postings.clone() {
                let query = posting.document as usize;
                let n_in_query = postings.clone().filter(|other| other.document == posting.document).count();
                if n_in_query * n_in_target[&hit.row] <= MAX_SEEDS_OF_ONE {
                    seeds.entry(query).or_default().push(Seed { query: posting.position, target: hit.position });
                }
            }
        }
        seeds
    }

    /// For each query, its seeds in order, with the number of files that hold each.
    fn frequencies(&self, n_documents: &BTreeMap<u32, u32>) -> Vec<Vec<(u32, u32)>> {
        let mut frequencies = vec![Vec::new(); self.sources.len()];
        for (&row, &n) in n_documents {
            for posting in self.rows_from(row) {
                frequencies[posting.document as usize].push((posting.position, n));
            }
        }
        for of_query in &mut frequencies {
            of_query.sort_unstable();
        }
        frequencies
    }

    /// All postings of the fingerprint whose first row this is.
    fn rows_from(&self, row: u32) -> impl ExactSizeIterator<Item = Posting> + Clone + '_ {
        self.index.run_from(row as usize)
    }
}

/// The files to search, and how to read them.
pub(in crate::audit) struct Targets<'t, R> {
    pub entries: &'t [Entry],
    /// Opens a reader for one thread.
    pub open: &'t (dyn Fn() -> R + Sync),
    /// Where each file is kept.
    pub place: &'t (dyn Fn(&FilePath) -> Place + Sync),
    /// Files of the tree, or components of a corpus, that a fingerprint may occur in before it is common.
    pub common_at: usize,
}

/// Streams `targets` past the queries and aligns what they share.
///
/// Twice over: first each file is asked which fingerprints it shares, so that
/// common ones can be told; then those that share rare ones are read and aligned. What is
/// remembered of a file answers the first question without reading it.
///
/// # Errors
/// The first file, by path, that could not be read.
pub(in crate::audit) fn search<R: ReadFiles>(
    queries: &Queries<'_>,
    targets: &Targets<'_, R>,
    sources: &Sources<'_>,
    progress: &dyn Progress,
) -> Result<SearchOutcome, Error> {
    let &Targets { entries, open, place, common_at } = targets;
    let is_trusted = sources.remembered.is_false().is_none();
    progress.begin("comparing", entries.len());
    let asked: Vec<Result<Asked, Skip>> = entries
        .par_iter()
        .map_init(
            || (open(), Vec::new()),
            |(reader, scratch), entry| {
                let asked = ask(queries, entry, reader, sources, scratch)?;
                progress.step();
                Ok(asked)
            },
        )
        .collect::<Result<_, Error>>()?;

    let hits = entries.iter().zip(&asked).filter_map(|(entry, asked)| {
        let rows = asked.as_ref().ok()?.hits.iter().map(|hit| hit.row);
        Some((entry, rows.collect()))
    });
    let n_documents = n_documents(hits, place);

    let n_compared = asked.iter().filter(|asked| asked.is_ok()).count();
    let promising = promising(&asked, &n_documents, common_at, sources.config);
    progress.begin("aligning", promising.len());
    let found = promising
        .par_iter()
        .map_init(
            || (open(), Vec::new()),
            |(reader, scratch), (number, hits)| {
                let read = sources.read(reader, &entries[*number])?;
                progress.step();
                let is_false =
                    asked[*number].as_ref().is_ok_and(|asked| asked.is_false(&read, queries, sources, scratch));
                if is_false {
                    sources.remembered.distrust();
                }
                Ok(read.ok().map(|target| {
                    let place = place(&target.path);
                    let same = queries.number_of(&target.path).filter(|_| place == Place::Tree);
                    let alignments = queries.align(&target, hits, same, sources.config);
                    let text = (place != Place::Tree).then(|| target.text.clone().into());
                    Found { place, target, text, alignments, whole: Vec::new() }
                }))
            },
        )
        .collect::<Result<Vec<_>, Error>>()?;
    sample(queries, entries, &asked, &open(), sources);
    if is_trusted && sources.remembered.is_false().is_some() {
        // What else it said is as little to be trusted: nothing is remembered this time.
        return search(queries, targets, sources, progress);
    }
    let skipped = entries.iter().zip(asked).filter_map(|(entry, asked)| Some((entry.clone(), asked.err()?))).collect();
    let found = found.into_iter().flatten().filter(|found| !found.alignments.is_empty()).collect();
    let frequencies = queries.frequencies(&n_documents);
    Ok(SearchOutcome { found, frequencies, skipped, n_compared })
}

/// The files of a tree that share something with the queries, when that is known without reading them.
pub(in crate::audit) struct Located<'l> {
    pub entries: &'l [Entry],
    /// The numbers of files, sorted, and what each shares.
    pub hits: Vec<(usize, Vec<u32>)>,
    /// Where each file is kept.
    pub place: &'l (dyn Fn(&FilePath) -> Place + Sync),
    /// As of [`Targets`].
    pub common_at: usize,
}

/// Aligns the queries with the files that share rare fingerprints with them.
///
/// # Errors
/// The first of them that could not be read.
pub(in crate::audit) fn search_located(
    queries: &Queries<'_>,
    located: &Located<'_>,
    reader: &impl ReadFiles,
    sources: &Sources<'_>,
) -> Result<SearchOutcome, Error> {
    let &Located { entries, ref hits, place, common_at } = located;
    let n_documents = n_documents(hits.iter().map(|(file, rows)| (&entries[*file], rows.clone())), place);
    let is_rare = |row: &u32| f64::from(n_documents[row]) <= FEW_FILES / sources.config.min_rarity;
    let is_telling = |row: &u32| n_documents.get(row).is_some_and(|&n| n as usize <= common_at);
    let mut scratch = Vec::new();
    let mut found = Vec::new();
    for (file, rows) in hits {
        if !rows.iter().any(is_rare) || !rows.iter().any(is_telling) {
            continue;
        }
        let Ok(target) = sources.read(reader, &entries[*file])? else { continue };
        let mut hits = queries.hits_in(&target, sources.config, &mut scratch);
        hits.retain(|hit| is_telling(&hit.row));
        let place = place(&target.path);
        let same = queries.number_of(&target.path).filter(|_| place == Place::Tree);
        let alignments = queries.align(&target, &hits, same, sources.config);
        if !alignments.is_empty() {
            let text = (place != Place::Tree).then(|| target.text.clone().into());
            found.push(Found { place, target, text, alignments, whole: Vec::new() });
        }
    }
    let frequencies = queries.frequencies(&n_documents);
    Ok(SearchOutcome { found, frequencies, skipped: Vec::new(), n_compared: entries.len() })
}

/// What a file of the tree has of the queries.
struct Asked {
    hits: Vec<Hit>,
    /// Whether it was not read for this.
    is_remembered: bool,
}

impl Asked {
    /// Whether what was remembered of a file is not what it holds.
    fn is_false(
        &self,
        read: &Result<Source, Skip>,
        queries: &Queries<'_>,
        sources: &Sources<'_>,
        scratch: &mut Vec<u64>,
    ) -> bool {
        let is_true = |source: &Source| queries.hits_in(source, sources.config, scratch) == self.hits;
        self.is_remembered && !read.as_ref().is_ok_and(is_true)
    }
}

/// Asks a file which fingerprints it shares with the queries: what is remembered of it, or itself.
fn ask(
    queries: &Queries<'_>,
    entry: &Entry,
    reader: &impl ReadFiles,
    sources: &Sources<'_>,
    scratch: &mut Vec<u64>,
) -> Result<Result<Asked, Skip>, Error> {
    if let Some(cached) = sources.remembered.get(entry, sources.reading(&entry.path)) {
        return Ok(match reason(cached.status) {
            Some(skip) => Err(skip),
            None => Ok(Asked { hits: queries.hits_in_remembered(&cached), is_remembered: true }),
        });
    }
    let read = sources.read(reader, entry)?;
    sources.learn(entry, &read, scratch);
    Ok(read.map(|target| Asked { hits: queries.hits_in(&target, sources.config, scratch), is_remembered: false }))
}

/// The files that can hold a clone, by number, and their hits that are not common.
///
/// A clone needs seeds that are rare in the mean, so at least one that is as rare as the mean must be.
fn promising(
    asked: &[Result<Asked, Skip>],
    n_documents: &BTreeMap<u32, u32>,
    common_at: usize,
    config: &Config,
) -> Vec<(usize, Vec<Hit>)> {
    let rare_at = FEW_FILES / config.min_rarity;
    let mut promising = Vec::new();
    for (number, asked) in asked.iter().enumerate() {
        let Ok(asked) = asked else { continue };
        if asked.hits.iter().any(|hit| f64::from(n_documents[&hit.row]) <= rare_at) {
            let is_telling = |hit: &&Hit| n_documents[&hit.row] as usize <= common_at;
            promising.push((number, asked.hits.iter().filter(is_telling).copied().collect::<Vec<_>>()));
        }
    }
    promising.retain(|(_, hits)| !hits.is_empty());
    promising
}

/// Compares what is remembered of the queries, and of a few files that are read for it, with what they hold,
/// and ends the use of the cache when it was wrong about one.
fn sample(
    queries: &Queries<'_>,
    entries: &[Entry],
    asked: &[Result<Asked, Skip>],
    reader: &impl ReadFiles,
    sources: &Sources<'_>,
) {
    let mut scratch = Vec::new();
    for source in &queries.sources {
        let Ok(number) = entries.binary_search_by(|entry| entry.path.cmp(&source.path)) else { continue };
        let hits = queries.hits_in(source, sources.config, &mut scratch);
        if asked[number].as_ref().map_or(true, |asked| asked.hits != hits) {
            sources.remembered.distrust();
        }
    }
    for number in sources.remembered.sample(entries.len()) {
        // What is not in a partial clone cannot be compared, and need not be.
        let Ok(read) = sources.read(reader, &entries[number]) else { continue };
        let is_false = match &asked[number] {
            Ok(asked) => asked.is_false(&read, queries, sources, &mut scratch),
            Err(skip) => read.err() != Some(*skip),
        };
        if is_false {
            sources.remembered.distrust();
        }
    }
}

/// For each fingerprint that was hit, the number of files that hold it: files of the tree, and components
/// outside of it, since a component's versions and files are one voice.
fn n_documents<'e>(
    hits: impl Iterator<Item = (&'e Entry, Vec<u32>)>,
    place: &(dyn Fn(&FilePath) -> Place + Sync),
) -> BTreeMap<u32, u32> {
    let mut counted: BTreeMap<u32, (u32, Option<Place>)> = BTreeMap::new();
    for (entry, mut rows) in hits {
        if rows.is_empty() {
            continue;
        }
        rows.sort_unstable();
        rows.dedup();
        let place = Some(place(&entry.path)).filter(|place| matches!(place, Place::Component(_)));
        for row in rows {
            let (n, last) = counted.entry(row).or_default();
            // The files of a component stand beside each other.
            if place.is_none() || *last != place {
                *n += 1;
                last.clone_from(&place);
            }
        }
    }
    counted.into_iter().map(|(row, (n, _))| (row, n)).collect()
}
