//! Runs `find`: finds existing code for a sketch of new code.
//!
//! A sketch is whatever an author has: a function, a signature and its first statements, a name, a
//! few words. Lexing needs no grammar, so all of that is read. Two searches answer: that of `check`
//! with lower minimums, whose matches are extended to the function around them, and one for
//! functions with the same words. Both rank each function that either of them finds.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::ops::{Range, RangeInclusive};

use rayon::prelude::*;

use super::read::{MIXED, Memory, Skip, Source, Sources, n_marked};
use super::search::{
    AlignedQueries, FileHits, Past, PastQuery, Queries, SearchOutcome, Targets, UnreadPlace,
    WordIndex, align, asks_for_more, found, identify_vendored, look_up,
};
use super::{Context, Elsewhere, Error, SketchError};
use crate::change::End;
use crate::config::Config;
use crate::files::{BlobId, Entry, ReadFiles};
use crate::fingerprint::Effort;
use crate::git::{Attributes, Repository, Snapshot};
use crate::language::{Language, Languages, Token};
use crate::matching::{
    Agreement, Alignment, Bag, ClonePair, CloneType, Document, Enough, Rarity, Unit,
    agreeing_pairs, overlaps,
};
use crate::policy::{Fragment, Ground, Place};
use crate::text::{FilePath, Lines, count, decoded, nearest, printable};

/// Maximum bytes of a sketch.
pub const MAX_SKETCH: usize = 10_000_000;

/// Minimum fraction of a sketch in solid runs, for a match that is no clone by itself.
const ENOUGH_OF_SKETCH: f64 = 0.5;
/// Minimum fraction of a sketch's words, for a function with no tokens in a row in common.
const MIN_WORDS: f64 = 0.2;
/// Maximum files to read for the words of a sketch, those with most. Time grows with it.
const MAX_FILES: usize = 16;
/// What a test function counts for, beside one that can be called.
const OF_TEST: f64 = 0.8;
/// Maximum tokens of a sketch for every k-gram to be searched for; of more, a sample is enough.
const EVERY_KGRAM: usize = 2_000;

/// Code to search for.
#[derive(Debug, Clone, Default)]
pub struct Sketch {
    /// Its bytes, or those of the file that it is part of.
    pub bytes: Vec<u8>,
    /// The name of its file, by which its language is known.
    pub name: Option<FilePath>,
    /// The name of its language.
    pub language: Option<String>,
    /// Its lines, if it is a part of these bytes.
    pub lines: Option<RangeInclusive<u32>>,
    /// The file of the tree that it is, which is not searched for itself.
    pub in_tree: Option<FilePath>,
}

impl Sketch {
    /// How far it is from a file; 0 if it is nowhere.
    fn distance(&self, path: &FilePath) -> usize {
        let near = self.in_tree.as_ref().or(self.name.as_ref());
        near.map_or(0, |near| near.distance(path))
    }
}

/// Where to search, and how much to report.
pub struct FindParams<'p> {
    /// The tree that is searched.
    pub tree: End,
    /// Its files.
    pub files: &'p Snapshot,
    /// What else is searched.
    pub elsewhere: Elsewhere<'p>,
    /// Maximum results, the best first.
    pub max_results: usize,
}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundCode {
    /// What the sketch was read as; `None` if that was to be guessed and no token was found.
    pub language: Option<String>,
    /// The tokens of the sketch.
    pub n_tokens: usize,
    /// The tree that was searched.
    pub tree: End,
    /// The number of files compared, in the tree and in corpora.
    pub n_compared: usize,
    /// How much of the sketch was looked up.
    pub effort: Effort,
    /// The part of the past that could not be searched, in words.
    pub unavailable: Option<String>,
    /// The number of results, including those beyond the maximum.
    pub n_found: usize,
    /// The results, the best first.
    pub results: Vec<Existing>,
}

/// Existing code that has much of a sketch, or the same words.
#[derive(Debug, Clone, PartialEq)]
pub struct Existing {
    /// Whether it is in the tree or in a component, or was deleted.
    pub place: Place,
    /// Its file.
    pub path: FilePath,
    /// The function around the match, or what else encloses it according to the layout.
    pub fragment: Fragment,
    /// The part that matches.
    pub matched: Fragment,
    /// The name of the function, if it is known from its head.
    pub name: Option<String>,
    /// The fraction of the sketch's tokens that it has, 0 to 1.
    pub containment: f64,
    /// Matching tokens divided by all of the sketch and of the whole function, 0 to 1 (Dice).
    pub similarity: f64,
    /// How the sketch differs from the part that matches.
    pub clone_type: CloneType,
    /// The number of tokens that match.
    pub n_matched: usize,
    /// The fraction of the sketch's words that it has, 0 to 1, rare ones counting more.
    pub words: f64,
    /// What both call and say.
    pub agreement: Agreement,
    /// Its lines; `None` if its text is not stored.
    pub text: Option<Vec<u8>>,
}

struct RankedResult {
    query: usize,
    /// Its tokens in its file.
    tokens: Range<usize>,
    existing: Existing,
    n_contained: usize,
    n_exact: usize,
    /// How much it has of the sketch, by its words and by its tokens.
    score: f64,
    distance: usize,
}

/// Finds the existing code that has most of `sketch`, by its tokens and its words, the best first;
/// of what is as good, the nearer one. Deleted code is only named where the tree has nothing as
/// good.
///
/// # Errors
/// If the sketch cannot be searched for, or a file cannot be read.
pub fn find(
    repository: &Repository,
    sketch: &Sketch,
    params: FindParams<'_>,
    remembered: &Memory,
    context: Context<'_>,
) -> Result<FoundCode, Error> {
    let FindParams { tree, files, elsewhere, max_results } = params;
    let attributes = Attributes::read(&files.entries, &repository.reader())?;
    let config = lenient(context.config);
    let sources = Sources::new(Context { config: &config, ..context }, &attributes, remembered);
    let entries = files.entries.par_iter();
    let entries = entries.filter(|of| sources.is_searched(&of.path, of.blob().is_some()));
    let entries: Vec<Entry> = entries.cloned().collect();
    let sketches = read_sketch(sketch, &entries, &sources)?;

    let bag = words_of(sketch, &sketches);
    let queries = queries_of(&sketches, &bag, &config);
    let open = || repository.reader();
    let targets = Targets::new(&entries, &open, &sources);
    let sets = [Some(&queries)];
    let mut lookup = look_up(&sets, &targets)?;
    let mut searched = align(0, &mut lookup, &targets)?;
    let wording = WordIndex::new(&lookup, 0, searched.n_compared);
    let rarity = wording.rarity(&bag);
    let closest = wording.closest(&rarity, MAX_FILES, |file| sketch.distance(&entries[file].path));
    let closest: Vec<&Entry> = closest.into_iter().map(|file| &entries[file]).collect();
    add_files(&closest, &targets, &mut searched)?;
    let closest = closest.into_iter().map(|entry| &entry.path).collect();
    let mut unavailable = missing(&searched.skipped);
    let (mut found, mut n_compared) = (searched.found, searched.n_compared);
    let (reader, is_told) = (repository.reader(), asks_for_more(&config));
    identify_vendored(&mut found, &files.entries, &reader, &sources, &is_told)?;
    for outside in elsewhere.outsides {
        let searched = outside.search(&queries, &sources)?;
        n_compared += searched.n_compared;
        found.extend(searched.found);
    }
    if let Some(past) = elsewhere.past {
        let (of_past, not_searched) = search_past(past, &queries, files, repository, &sources)?;
        unavailable = unavailable.or(not_searched);
        found.extend(of_past);
    }

    let (sketches, config) = (&sketches[..], context.config);
    let asked = Demand { sketch, sketches, rarity: &rarity, closest: &closest, config };
    let (query, mut ranked) = ranked(found, &asked);
    // Words are the same in each language.
    let is_known = sketches.len() == 1 || ranked.iter().any(|of| of.existing.n_matched > 0);
    let n_found = ranked.len();
    ranked.truncate(max_results);
    Ok(FoundCode {
        language: sketches.get(query).filter(|_| is_known).map(|sketch| sketch.language.clone()),
        n_tokens: sketches.get(query).map_or(0, |sketch| sketch.tokens.len()),
        tree,
        n_compared,
        effort: context.config.effort,
        unavailable,
        n_found,
        results: ranked.into_iter().map(|ranked| ranked.existing).collect(),
    })
}

/// What a sketch asks for, read as each language that it may be in.
fn queries_of<'q>(sketches: &'q [Source], bag: &Bag, config: &'q Config) -> Queries<'q> {
    let asked = sketches.iter();
    let asked = asked.map(|of| (of, Cow::Owned(vec![true; of.tokens.len()]))).collect();
    if sketches.iter().any(|sketch| sketch.tokens.len() > EVERY_KGRAM) {
        // It has tokens in a row with whatever it resembles.
        return Queries::sampled(asked, config, config.fingerprint);
    }
    Queries::sampled(asked, config, config.fingerprint.of_every_kgram())
        .with_words(bag.words().collect())
}

/// Searches deleted code; also returns what part of the past could not be searched, in words.
fn search_past(
    past: &Past,
    queries: &Queries<'_>,
    files: &Snapshot,
    repository: &Repository,
    sources: &Sources<'_>,
) -> Result<(Vec<FileHits>, Option<String>), Error> {
    // A whole file that was deleted is found by its functions, like any other.
    let sought =
        PastQuery { queries, brought_in: Vec::new(), standing: standing(files, repository)? };
    let SearchOutcome { found, unread, n_passed_over, .. } =
        past.search(&sought, repository, sources)?;
    // A past file that was passed over has nothing that others had not shown.
    let n_files = unread.n_files + n_passed_over;
    Ok((found, past.unavailable(UnreadPlace { n_files, ..unread }, "sketch")))
}

/// The results in what was found, the best first, and the number of the sketch that they have.
fn ranked(found: Vec<FileHits>, asked: &Demand<'_>) -> (usize, Vec<RankedResult>) {
    // Each thread drops the files that it is done with: to free them takes as long as to rank them.
    let mut ranked: Vec<RankedResult> =
        found.into_par_iter().flat_map_iter(|found| results_in(&found, asked)).collect();
    // Read as the wrong language, a sketch has little in common with anything: the best is right.
    ranked.sort_by_cached_key(|ranked| {
        let Existing { place, path, fragment, similarity, .. } = &ranked.existing;
        let alike = Reverse([ranked.score, *similarity].map(|part| (part * 1e6) as u64));
        (alike, ranked.distance, place.clone(), path.clone(), *fragment)
    });
    // Many functions share some words.
    let least = ranked.first().map_or(0.0, |best| best.score / 2.0);
    ranked.retain(|ranked| ranked.existing.clone_type != CloneType::Type4 || ranked.score >= least);
    let best = ranked.first().filter(|_| asked.sketches.len() > 1);
    let query = best.map_or(0, |best| best.query);
    ranked.retain(|ranked| ranked.query == query);
    drop_what_still_exists(&mut ranked);
    (query, ranked)
}

/// The words of the sketch, or of its lines. Plain words are all words; in code, keywords are none.
fn words_of(sketch: &Sketch, sketches: &[Source]) -> Bag {
    let Some(source) = sketches.first() else { return Bag::default() };
    let lines = Lines::new(&source.text);
    let bytes = match &sketch.lines {
        Some(asked) => {
            lines.range(*asked.start()).start..lines.range((*asked.end()).min(lines.n_lines())).end
        }
        None => 0..source.text.len(),
    };
    let mut marks = source.tokens.iter().filter_map(Token::punctuation);
    match marks.any(|mark| b"({;=".contains(&mark)) {
        true => Bag::of_code(source.document(), bytes),
        false => Bag::new(source.text.get(bytes).unwrap_or_default()),
    }
}

/// Reads the files that have most of the words of a sketch, and that were not read for its tokens.
fn add_files<R: ReadFiles>(
    closest: &[&Entry],
    targets: &Targets<'_, R>,
    searched: &mut SearchOutcome,
) -> Result<(), Error> {
    let is_unread = |of: &&&Entry| searched.found.iter().all(|it| it.target.path != of.path);
    let unread: Vec<&&Entry> = closest.iter().filter(is_unread).collect();
    let read = unread.into_par_iter().map_init(targets.open, |reader, entry| {
        let target = targets.sources.read(reader, entry)?.ok();
        let place = targets.place(&entry.path);
        Ok(target.map(|target| found(place, target, AlignedQueries::default())))
    });
    let read = read.collect::<Result<Vec<Option<FileHits>>, Error>>()?;
    searched.found.extend(read.into_iter().flatten());
    searched.found.sort_unstable_by(|a, b| a.target.path.cmp(&b.target.path));
    Ok(())
}

/// The contents that exist: those of the tree, and what a work tree was checked out from.
fn standing(files: &Snapshot, repository: &Repository) -> Result<HashSet<BlobId>, Error> {
    let reader = repository.reader();
    let of_head = reader.head()?.map(|head| reader.commit_snapshot(head));
    let of_head = of_head.transpose()?.unwrap_or_default();
    Ok(files.entries.iter().chain(&of_head.entries).filter_map(Entry::blob).collect())
}

/// Drops deleted code where the tree has as much of the sketch, under the same path or name or
/// spelled as alike: an older version of a file still has what is in it today.
fn drop_what_still_exists(ranked: &mut Vec<RankedResult>) {
    let still_exist = ranked.iter().map(|past| {
        let mut in_tree = ranked.iter().filter(|of| of.existing.place == Place::Tree);
        matches!(past.existing.place, Place::Past(_))
            && in_tree.any(|tree| {
                let is_same = tree.existing.path == past.existing.path
                    || tree.existing.name == past.existing.name;
                tree.n_contained >= past.n_contained && (is_same || tree.n_exact >= past.n_exact)
            })
    });
    let mut still_exist = still_exist.collect::<Vec<_>>().into_iter();
    ranked.retain(|_| still_exist.next() != Some(true));
}

/// The settings with lower minimums: here a short match is an answer, not noise. Whatever decides
/// how files are read and remembered is the same.
fn lenient(config: &Config) -> Config {
    let mut config = config.with_min_run(config.min_run.min(config.matching.k));
    config.enough = Enough { n_words: 0, exact_run: config.matching.k, run: config.matching.k };
    config
}

/// Reads a sketch: in its language, or to guess that, in one of each family that the tree has.
fn read_sketch(
    sketch: &Sketch,
    entries: &[Entry],
    sources: &Sources<'_>,
) -> Result<Vec<Source>, SketchError> {
    if sketch.bytes.len() > MAX_SKETCH {
        return Err(SketchError::too_large(MAX_SKETCH));
    }
    let text = decoded(&sketch.bytes)
        .map_err(|why| SketchError::new(format!("it is {}", Skip::from(why).reason()), None))?;
    if !text.iter().any(|&byte| byte.is_ascii_alphanumeric() || !byte.is_ascii()) {
        let help = "give a function, its signature, its name, or a few words";
        return Err(SketchError::new("it is empty".to_owned(), Some(help)));
    }
    let lines = Lines::new(&text);
    let n_lines = lines.n_lines() - u32::from(text.ends_with(b"\n"));
    let first = sketch.lines.as_ref().map(|lines| *lines.start());
    if let Some(first) = first.filter(|first| *first > n_lines) {
        let lines = count(n_lines, "line");
        let why = format!("it begins at line {first}, and the file has {lines}");
        return Err(SketchError::new(why, None));
    }
    let languages = match known_language(sketch, &text, sources.languages)? {
        Some(language) => vec![language],
        None => languages_of(entries, sources.languages),
    };
    let read = languages.into_iter().map(|language| {
        let mut tokens = Vec::new();
        let with_data = sources.config.include_data;
        let embedded = sources.languages.tokenize(language, &text, with_data, &mut tokens);
        let (is_mixed, words) = (!embedded.is_empty(), language.words_with(&embedded));
        if language.is_data && !with_data && !is_mixed {
            return Err(SketchError::new(format!("it is {}", Skip::Data.reason()), None));
        }
        if let Some(asked) = &sketch.lines {
            tokens.retain(|token| asked.contains(&lines.line_of(token.start)));
        }
        // No file has this path, so that the sketch is never taken for a file of the tree.
        let path = FilePath::new("");
        let family = if is_mixed { MIXED } else { &*language.family };
        let plain = Source::plain(path, text.to_vec(), tokens, [&language.name, family]);
        Ok(Source { words, ..plain })
    });
    read.collect()
}

/// The language of a sketch, if it is named; `None` if it is to be guessed.
fn known_language<'l>(
    sketch: &Sketch,
    text: &[u8],
    languages: &'l Languages,
) -> Result<Option<&'l Language>, SketchError> {
    if let Some(name) = &sketch.language {
        return languages.named(name).map(Some).ok_or_else(|| {
            let meant = nearest(name, &languages.ids());
            let meant = meant.map(|of| format!("did you mean `{of}`? ")).unwrap_or_default();
            let help = meant + "name one with `--lang NAME`; `secondhand languages` lists all";
            SketchError::new(format!("unknown language `{name}`"), Some(&help))
        });
    }
    let Some(name) = &sketch.name else {
        return Ok(languages.identify(&FilePath::new("sketch"), text));
    };
    match languages.identify(name, text) {
        None if name.name().contains(&b'.') => {
            let why = format!("no language has files named `{}`", printable(name.name()));
            let help = "name its language with `--lang NAME`; `secondhand languages` lists all";
            Err(SketchError::new(why, Some(help)))
        }
        known => Ok(known),
    }
}

/// The language of each family with the most files of the tree.
fn languages_of<'l>(entries: &[Entry], languages: &'l Languages) -> Vec<&'l Language> {
    let mut n_files: BTreeMap<&str, (usize, &Language)> = BTreeMap::new();
    let known = entries.iter().filter_map(|entry| languages.promised(&entry.path));
    for language in known.filter(|language| !language.is_data) {
        n_files.entry(&*language.id).or_insert((0, language)).0 += 1;
    }
    let mut most = Vec::from_iter(n_files.into_values());
    // Of equals, the first stays the first.
    most.sort_by_key(|&(n, language)| (&*language.family, Reverse(n)));
    most.dedup_by_key(|&mut (_, language)| &*language.family);
    most.into_iter().map(|(_, language)| language).collect()
}

/// The results in one file: each function that has enough of the sketch, once. Where a match has
/// much more of it than any function that it goes through, such as of a sketch of two short ones,
/// or there is no function, its lines are the result instead.
fn results_in(found: &FileHits, asked: &Demand<'_>) -> Vec<RankedResult> {
    let &Demand { sketches, config, .. } = asked;
    let searched = SearchedFile { found, asked };
    let runs = found.runs.iter().map(|(query, run)| (*query, Alignment { blocks: vec![*run] }));
    let mut of_queries: BTreeMap<usize, Vec<Alignment>> = BTreeMap::new();
    for (query, alignment) in found.alignments.iter().cloned().chain(runs) {
        of_queries.entry(query).or_default().push(alignment);
    }
    of_queries.retain(|query, alignments| searched.may_have_enough(&sketches[*query], alignments));
    let mut results = Vec::new();
    for (query, alignments) in of_queries {
        let mut of_units: BTreeMap<(usize, usize), (Unit, Vec<Alignment>)> = BTreeMap::new();
        let mut across = Vec::new();
        for alignment in &alignments {
            let parts = by_unit(alignment, &found.target, searched.has_text());
            across.extend((parts.len() > 1).then_some(alignment));
            for (unit, part) in parts {
                let place = (unit.tokens.start, unit.tokens.end);
                of_units.entry(place).or_insert((unit, Vec::new())).1.push(part);
            }
        }
        let units = of_units.into_values();
        let units = units.filter_map(|(unit, parts)| searched.result(query, unit, parts));
        let single = across.into_iter().map(std::slice::from_ref);
        let stretches = single.filter_map(|single| searched.stretch(query, single)).collect();
        let mut best = with_stretches(units.collect(), stretches, config.matching.k);
        if best.is_empty() {
            best.extend(searched.stretch(query, &alignments));
        }
        results.append(&mut best);
    }
    searched.add_worded(&mut results);
    results
}

/// How many files a partial clone lacks, in words.
fn missing(skipped: &[(Entry, Skip)]) -> Option<String> {
    let n = skipped.iter().filter(|(_, skip)| *skip == Skip::Missing).count();
    (n > 0).then(|| format!("{} that this partial clone does not have", count(n, "file")))
}

/// The results of units, and those of stretches that have at least `min_more` tokens of the sketch
/// more than any unit that they overlap, instead of these.
fn with_stretches(
    mut results: Vec<RankedResult>,
    mut stretches: Vec<RankedResult>,
    min_more: usize,
) -> Vec<RankedResult> {
    stretches.sort_by_key(|of| (Reverse(of.n_contained), Reverse(of.n_exact), of.tokens.start));
    for stretch in stretches {
        let mut others = results.iter().filter(|unit| overlaps(&unit.tokens, &stretch.tokens));
        if others.all(|other| other.n_contained + min_more <= stretch.n_contained) {
            results.retain(|unit| !overlaps(&unit.tokens, &stretch.tokens));
            results.push(stretch);
        }
    }
    results
}

/// The tokens of a file, at most twice as many as a sketch has, with most of it, and its parts.
fn fullest_stretch(
    alignments: &[Alignment],
    sketch: &Source,
    target: &Source,
) -> Option<(Range<usize>, Vec<Alignment>)> {
    let pairs = alignments.iter().flat_map(|of| agreeing_pairs(of, &sketch.tokens, &target.tokens));
    let mut pairs: Vec<(usize, usize)> = pairs.map(|(at, from)| (from, at)).collect();
    pairs.sort_unstable();
    let max = 2 * sketch.tokens.len();
    // For each token of the sketch, how many pairs of the window have it.
    let mut n_of = vec![0u32; sketch.tokens.len()];
    let (mut first, mut n_contained, mut best) = (0, 0usize, (0, 0..0));
    for last in 0..pairs.len() {
        let (to, at) = pairs[last];
        n_contained += usize::from(n_of[at] == 0);
        n_of[at] += 1;
        while pairs[first].0 + max <= to {
            n_of[pairs[first].1] -= 1;
            n_contained -= usize::from(n_of[pairs[first].1] == 0);
            first += 1;
        }
        if n_contained > best.0 {
            best = (n_contained, pairs[first].0..to + 1);
        }
    }
    let stretch = Some(best.1).filter(|stretch| !stretch.is_empty())?;
    let parts = alignments.iter().map(|alignment| {
        alignment.pairs().filter(|(_, at)| stretch.contains(at)).collect::<Alignment>()
    });
    let parts = parts.filter(|part| !part.blocks.is_empty()).collect();
    Some((stretch, parts))
}

struct Demand<'a> {
    sketch: &'a Sketch,
    /// The sketch, read as each language that it may be in.
    sketches: &'a [Source],
    rarity: &'a Rarity<'a>,
    /// The files with most of its words.
    closest: &'a HashSet<&'a FilePath>,
    config: &'a Config,
}

/// A file that was found, and what it was asked for.
struct SearchedFile<'s> {
    found: &'s FileHits,
    asked: &'s Demand<'s>,
}

impl SearchedFile<'_> {
    /// Whether heads can be read: a stored corpus has tokens without their text.
    fn has_text(&self) -> bool {
        self.found.place == Place::Tree || self.found.text.is_some()
    }

    /// Whether all alignments together have as many tokens of a sketch as a result needs. Most
    /// files have a run of it and no more, and need not be cut by their functions.
    fn may_have_enough(&self, sketch: &Source, alignments: &[Alignment]) -> bool {
        let mut is_aligned = vec![false; sketch.tokens.len()];
        for block in alignments.iter().flat_map(|alignment| &alignment.blocks) {
            is_aligned[block.query as usize..(block.query + block.len) as usize].fill(true);
        }
        is_enough_of(n_marked(&is_aligned), sketch)
            || alignments.iter().any(|of| of.n_tokens() >= self.asked.config.min_tokens)
    }

    /// The tokens of the file that have most of a sketch, with the result, if it is enough.
    fn stretch(&self, query: usize, alignments: &[Alignment]) -> Option<RankedResult> {
        let sketch = &self.asked.sketches[query];
        let (tokens, parts) = fullest_stretch(alignments, sketch, &self.found.target)?;
        self.result(query, Unit { tokens, name: None }, parts)
    }

    /// What a unit of the file has of a sketch, if it is enough.
    fn result(&self, query: usize, unit: Unit, parts: Vec<Alignment>) -> Option<RankedResult> {
        let sketch = &self.asked.sketches[query];
        let (own, other, config) = (&sketch.tokens, &self.found.target.tokens, self.asked.config);
        let mut is_contained = vec![false; own.len()];
        for (at, _) in parts.iter().flat_map(|part| agreeing_pairs(part, own, other)) {
            is_contained[at] = true;
        }
        let n_contained = n_marked(&is_contained);
        let pairs = parts.into_iter().map(|part| ClonePair::new(part, own, other));
        let best = pairs.max_by_key(|pair| {
            (pair.n_solid(), pair.n_exact, Reverse(pair.alignment.target().start))
        })?;
        let is_clone =
            best.alignment.n_tokens() >= config.min_tokens && best.is_clone(&config.matching);
        if !(is_enough_of(n_contained, sketch) || is_clone) {
            return None;
        }
        self.ranked(query, unit, Some((n_contained, best)))
    }

    /// Adds the functions that have the words of the sketch and are no results yet.
    fn add_worded(&self, results: &mut Vec<RankedResult>) {
        let (target, Demand { sketches, closest, .. }) = (&self.found.target, self.asked);
        if !closest.contains(&target.path) {
            return;
        }
        let query = sketches.iter().position(|of| of.family == target.family).unwrap_or_default();
        let units = target.document().functions().into_iter();
        let worded = units.filter_map(|unit| self.ranked(query, unit, None));
        for result in worded.filter(|result| result.existing.words >= MIN_WORDS) {
            let own = result.existing.fragment;
            let mut known = results.iter().map(|result| result.existing.fragment);
            if !known.any(|known| known.start < own.end && own.start < known.end) {
                results.push(result);
            }
        }
    }

    /// A unit of the file as a result: with the number of tokens that it has of a sketch and the
    /// best pair of them, if it has enough. `None` if it is the sketch itself.
    fn ranked(
        &self,
        query: usize,
        unit: Unit,
        tokens: Option<(usize, ClonePair)>,
    ) -> Option<RankedResult> {
        let FileHits { place, target, .. } = self.found;
        let &Demand { sketch, sketches, rarity, config, .. } = self.asked;
        let (own, lines) = (&sketches[query].tokens, target.lines());
        let in_file = target.fragment(&unit.tokens)?;
        if *place == Place::Tree && is_itself(sketch, &target.path, &in_file) {
            return None;
        }
        let (n_contained, pair) = tokens.unzip();
        let n_contained = n_contained.unwrap_or_default();
        let (n_exact, n_matched, matched) = pair.as_ref().map_or((0, 0, None), |pair| {
            let matched = target.fragment(&pair.alignment.target());
            (pair.n_exact, pair.alignment.n_tokens(), matched)
        });
        let document = target.document();
        let (worded, agreement) = if self.has_text() {
            let worded = rarity.of_function(&Bag::of_unit(document, &unit));
            (worded, Agreement::new(sketches[query].document(), document, &unit, rarity))
        } else {
            Default::default()
        };
        let part = |n: usize| n as f64 / own.len().max(1) as f64;
        let is_test = config.ground(&target.path, false) == Ground::Test;
        let of_words = worded.score * if is_test { OF_TEST } else { 1.0 };
        let text = lines.range(in_file.start.line).start..lines.range(in_file.end.line).end;
        Some(RankedResult {
            query,
            n_contained,
            n_exact,
            score: of_words + part(n_contained) + part(n_exact),
            distance: sketch.distance(&target.path),
            existing: Existing {
                place: place.clone(),
                path: target.path.clone(),
                fragment: in_file,
                matched: matched.unwrap_or(in_file),
                name: unit.name.map(|at| printable(target.text_of(at))),
                containment: part(n_contained),
                similarity: 2.0 * n_matched as f64 / (own.len() + unit.tokens.len()).max(1) as f64,
                clone_type: pair.map_or(CloneType::Type4, |pair| pair.clone_type),
                n_matched,
                words: worded.share,
                agreement,
                text: self.has_text().then(|| target.text[text].to_vec()),
            },
            tokens: unit.tokens,
        })
    }
}

fn is_enough_of(n_tokens: usize, sketch: &Source) -> bool {
    n_tokens as f64 >= ENOUGH_OF_SKETCH * sketch.tokens.len() as f64
}

/// Whether a result is the sketch itself, which is no answer.
fn is_itself(asked: &Sketch, path: &FilePath, unit: &Fragment) -> bool {
    let mut lines = asked.lines.iter();
    asked.in_tree.as_ref() == Some(path)
        && lines.all(|lines| *lines.start() <= unit.end.line && unit.start.line <= *lines.end())
}

/// Cuts an alignment by the functions of the target; what none encloses is a part of its own.
fn by_unit(alignment: &Alignment, target: &Source, has_text: bool) -> Vec<(Unit, Alignment)> {
    let all = alignment.target();
    if all.is_empty() {
        return Vec::new();
    }
    let document = target.document();
    if !has_text {
        return vec![(Unit { tokens: all, name: None }, alignment.clone())];
    }
    if let Some(unit) = document.enclosing_unit(all).filter(|unit| unit.name.is_some()) {
        return vec![(unit, alignment.clone())];
    }
    let mut parts: BTreeMap<(usize, usize), (usize, Unit)> = BTreeMap::new();
    for block in &alignment.blocks {
        let block = block.target as usize..(block.target + block.len) as usize;
        for (from, unit) in units_in(&document, block) {
            let place = (unit.tokens.start, unit.tokens.end);
            let (first, _) = parts.entry(place).or_insert((from, unit));
            *first = from.min(*first);
        }
    }
    Vec::from_iter(parts.into_values().map(|(from, unit)| {
        let within = alignment.pairs().filter(|(_, at)| (from..unit.tokens.end).contains(at));
        let part = within.collect();
        (unit, part)
    }))
}

/// Maximum lines between functions that are looked at one by one, in each run of tokens. Time is
/// quadratic in them. What precedes a function is annotations, or the end of the one before.
const LINES_BETWEEN: usize = 8;

/// The units that a run of tokens goes through: its functions, and what else encloses a part of it
/// that is in none. A class that begins before the run is no unit of it if the run goes through its
/// functions. Each with where the run enters it; before its first token, if annotations precede it.
pub(super) fn units_in(document: &Document<'_>, run: Range<usize>) -> Vec<(usize, Unit)> {
    let mut units: Vec<(usize, Unit)> = Vec::new();
    // What encloses the lines since the last function: an annotation, or the bracket at the end of
    // a function, is in a class that goes on far beyond them.
    let mut around: Option<(usize, Unit)> = None;
    let (mut at, mut from, mut n_between) = (run.start, run.start, 0);
    while at < run.end {
        let Some(unit) = document.enclosing_unit(at..at + 1) else {
            // The lines before a function may be indented like its own, such as a template's.
            n_between += 1;
            at = document.next_line(at);
            from = if n_between > LINES_BETWEEN { at } else { from };
            continue;
        };
        if let Some(before) = around.take_if(|(_, of)| of.tokens.end <= unit.tokens.start) {
            (from, n_between) = (before.1.tokens.end, 0);
            units.push(before);
        }
        // A class whose head is in the run is a unit of it like a function.
        if unit.name.is_some() || run.contains(&unit.tokens.start) {
            (around, n_between) = (None, 0);
            at = unit.tokens.end.max(at + 1);
            units.push((from, unit));
            from = at;
        } else {
            n_between += 1;
            let is_over = n_between > LINES_BETWEEN;
            at = if is_over { unit.tokens.end.max(at + 1) } else { document.next_line(at) };
            around.get_or_insert((from, unit));
        }
    }
    let last = units.iter().map(|(_, unit)| unit.tokens.start).max();
    units.extend(around.filter(|(_, unit)| last.is_none_or(|last| last < unit.tokens.start)));
    if units.is_empty() {
        units.push((run.start, Unit { tokens: run, name: None }));
    }
    units
}
