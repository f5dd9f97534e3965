//! Finds the fragments of a tree that repeat earlier ones, along the links between their
//! fingerprints.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rayon::prelude::*;

use foldhash::{HashMap, HashMapExt};

use crate::audit::Error;
use crate::audit::judge::{is_long_or_whole, is_renamed_function};
use crate::audit::read::{Source, Sources};
use crate::config::{Config, Thresholds};
use crate::files::{Entry, ReadFiles};
use crate::index::{Link, cut_off};
use crate::language::{Builds, Kind};
use crate::matching::{
    Alignment, Alignments, Block, CloneClass, CloneClasses, ClonePair, CloneType, Deed, QueryPairs,
    Seed, Shortfall, TargetPair, Worth, alignments, chains, clone_classes, clones, is_beside,
    mean_rarity, n_equal_lines, n_statements, names_alike,
};
use crate::policy::{Fragment, content};

/// A place with a member of a class.
#[derive(Debug, Clone)]
pub(super) struct Member {
    /// The file's number.
    pub document: u32,
    /// Its tokens there.
    pub tokens: Range<usize>,
    pub fragment: Fragment,
    /// Its lines that no other place has: of what was put in, of a long string that differs.
    pub missing: BTreeSet<u32>,
    /// How it relates to the first place of its class.
    pub clone_type: CloneType,
    /// Their similarity, 0 to 1.
    pub similarity: f64,
    pub content: u64,
    /// Whether what it has in common with one of the others would be worth a warning in a change.
    pub is_worth: bool,
    pub builds: Arc<Builds>,
}

impl Member {
    /// The lines that another place has as well.
    pub fn rows(&self) -> impl Iterator<Item = u32> {
        self.fragment.rows().filter(|row| !self.lacks(*row))
    }

    fn lacks(&self, row: u32) -> bool {
        self.missing.contains(&row) || !self.fragment.rows().contains(&row)
    }

    /// Adds what is known of nearly the same place by another pair.
    pub fn join(&mut self, other: &Self) {
        self.is_worth |= other.is_worth;
        let missing = self.missing.union(&other.missing).copied();
        self.missing = missing.filter(|&row| self.lacks(row) && other.lacks(row)).collect();
    }

    pub fn is_at(&self, other: &Self) -> bool {
        (self.document, &self.tokens) == (other.document, &other.tokens)
    }

    /// Whether no build has both.
    pub fn excludes(&self, other: &Self) -> bool {
        self.builds.exclude(&self.fragment.rows(), &other.builds, &other.fragment.rows())
    }
}

/// A fragment and an earlier place that it repeats.
#[derive(Clone)]
pub(super) struct Repeat {
    pub place: Member,
    pub earlier: Member,
    /// Whether it is no idiom: rare, long or a whole unit of code.
    pub is_telling: bool,
}

/// What repeats in a tree.
#[derive(Default)]
pub(super) struct Repeats {
    /// The fragments that repeat earlier ones, joined across gaps.
    pub fragments: Vec<Repeat>,
    /// The runs without gaps: certain, so a class has to contain each.
    pub runs: Vec<Repeat>,
    /// What was left out, by the number of the later file.
    pub limits: Vec<(u32, Shortfall)>,
}

/// Bytes of sources that are kept in memory as targets, at least.
const KEPT_BYTES: usize = 32 * 1024 * 1024;

/// The links of the pairs of files that may have a clone; `links` must be sorted.
pub(super) fn promising(mut links: Vec<Link>, sources: &Sources<'_>) -> Vec<Link> {
    let pairs = links.par_chunk_by(|a, b| (a.document, a.target) == (b.document, b.target));
    let are_kept: Vec<bool> = pairs.map(|pair| is_promising(pair, sources)).collect();
    let (mut are_kept, mut last) = (are_kept.into_iter(), None);
    links.retain(|link| {
        let pair = (link.document, link.target);
        let known = last.filter(|(of, _)| *of == pair);
        let (_, is_kept) = known.unwrap_or_else(|| (pair, are_kept.next() == Some(true)));
        last = Some((pair, is_kept));
        is_kept
    });
    links.shrink_to_fit();
    links
}

/// What repeats earlier code, in file order; `links` must be sorted. They go as their files are
/// done.
pub(super) fn repeats<R: ReadFiles>(
    links: Vec<Link>,
    entries: &[Entry],
    open: &(dyn Fn() -> R + Sync),
    sources: &Sources<'_>,
    kept: &KeptTexts,
) -> Result<Repeats, Error> {
    let progress = sources.progress;
    progress.begin("aligning", links.chunk_by(|a, b| a.document == b.document).count());
    let links = Mutex::new(links);
    let threads = (0..rayon::current_num_threads()).into_par_iter();
    let found = threads.map(|_| -> Result<Repeats, Error> {
        let recent = RecentSources { entries, sources, reader: open(), kept };
        let mut found = Repeats::default();
        // Neighboring files resemble each other. Each thread takes the next file, so its targets
        // are likely still in memory.
        while let Some(links) = next_document(&links) {
            progress.step();
            of_document(&links, &recent, &mut found)?;
        }
        Ok(found)
    });
    let mut found = found.collect::<Result<Vec<_>, Error>>()?;
    let mut all = found.pop().unwrap_or_default();
    for Repeats { fragments, runs, limits } in found {
        all.fragments.extend(fragments);
        all.runs.extend(runs);
        all.limits.extend(limits);
    }
    // Stable: what a file has stays in order.
    all.fragments.sort_by_key(|repeat| repeat.place.document);
    all.runs.sort_by_key(|repeat| repeat.place.document);
    all.limits.sort_unstable_by_key(|(document, _)| *document);
    Ok(all)
}

/// Takes the links of the next document, which are the last ones.
fn next_document(links: &Mutex<Vec<Link>>) -> Option<Vec<Link>> {
    let mut links = links.lock().unwrap_or_else(PoisonError::into_inner);
    let document = links.last()?.document;
    let first = links.partition_point(|link| link.document > document);
    let own = links[first..].to_vec();
    cut_off(&mut links, first);
    Some(own)
}

/// A file, and what its code is judged with.
struct Text {
    source: Arc<Source>,
    builds: OnceLock<Arc<Builds>>,
    long_strings: OnceLock<Vec<usize>>,
    /// Whether it declares rather than computes.
    is_declarative: bool,
    has_juxtaposed_calls: bool,
}

impl Text {
    fn new(source: Arc<Source>, sources: &Sources<'_>) -> Self {
        let language = sources.languages.named(&source.language);
        Self {
            builds: OnceLock::new(),
            long_strings: OnceLock::new(),
            is_declarative: super::is_declarative(&source, sources),
            has_juxtaposed_calls: language.is_some_and(|language| language.has_juxtaposed_calls),
            source,
        }
    }

    fn builds(&self) -> &Arc<Builds> {
        let Source { path, text, .. } = &*self.source;
        self.builds.get_or_init(|| Arc::new(Builds::new(path, text)))
    }

    /// Some of its tokens as a place of the file number `document`; how it relates to another one.
    fn place(
        &self,
        document: u32,
        tokens: Range<usize>,
        (clone_type, similarity): (CloneType, f64),
        is_worth: bool,
    ) -> Option<Member> {
        Some(Member {
            document,
            fragment: self.source.fragment(&tokens)?,
            content: content(&self.source.tokens[tokens.clone()]),
            tokens,
            missing: BTreeSet::new(),
            clone_type,
            similarity,
            is_worth,
            builds: Arc::clone(self.builds()),
        })
    }

    /// Its lines that another text lacks: between `blocks`, which are aligned from a token here and
    /// one there, and inside of strings that differ.
    fn missing(
        &self,
        other: &Self,
        blocks: impl Iterator<Item = (u32, u32, u32)>,
    ) -> BTreeSet<u32> {
        let (own, mut missing) = (&self.source, BTreeSet::new());
        let last_line = |at: usize| own.lines().line_of(own.tokens[at].end - 1);
        let mut before = None;
        for (start, there, len) in blocks {
            let (start, end) = (start as usize, (start + len) as usize);
            if let Some(before) = before.replace(end).filter(|&before| before < start) {
                missing.extend(last_line(before - 1) + 1..own.line_of(start));
            }
            let strings = self.long_strings();
            let first = strings.partition_point(|&at| at < start);
            for &at in strings[first..].iter().take_while(|&&at| at < end) {
                let of = &other.source.tokens[there as usize + at - start];
                if own.tokens[at].exact != of.exact {
                    missing.extend(own.line_of(at) + 1..last_line(at));
                }
            }
        }
        missing
    }

    /// Its strings of more than a line.
    fn long_strings(&self) -> &[usize] {
        self.long_strings.get_or_init(|| {
            let tokens = self.source.tokens.iter().enumerate();
            let strings = tokens.filter(|(_, token)| token.kind() == Kind::String);
            let long = strings.filter(|(_, token)| token.text(&self.source.text).contains(&b'\n'));
            long.map(|(at, _)| at).collect()
        })
    }

    /// Whether no build has both sides of a pair.
    fn excludes(&self, target: &Self, alignment: &Alignment) -> bool {
        let own = self.source.rows(&alignment.query());
        let other = target.source.rows(&alignment.target());
        self.builds().exclude(&own, target.builds(), &other)
    }
}

/// Weighs the pairs of a file, as `check` would if a change brought them in.
struct Scales<'t> {
    query: &'t Text,
    min_worth: u16,
    /// What each statement of the file does.
    deeds: Vec<Deed<'t>>,
    /// What is known of each range without its origin: a range has many.
    known: HashMap<Range<usize>, Worth>,
}

impl<'t> Scales<'t> {
    fn new(query: &'t Text, min_worth: u16) -> Self {
        let Text { source, has_juxtaposed_calls, .. } = query;
        let deeds = source.document().deeds(0..source.tokens.len(), *has_juxtaposed_calls);
        Self { query, min_worth, deeds, known: HashMap::new() }
    }

    /// Whether a pair would be worth a warning.
    fn is_worth(&mut self, target: &Text, pair: &ClonePair) -> bool {
        let Self { query, .. } = *self;
        if query.is_declarative {
            return false;
        }
        // A file that is a copy as a whole is worth it whatever it does.
        let (own, other) = (pair.alignment.query(), pair.alignment.target());
        if own.len() == query.source.tokens.len() && pair.clone_type == CloneType::Type1 {
            return true;
        }
        let document = query.source.document();
        let is_beside = query.source.path == target.source.path
            && (is_beside(query.source.rows(&own), target.source.rows(&other))
                || document.are_branches(&own, &other));
        let names = names_alike(&query.source.tokens[own.clone()], &target.source.tokens[other]);
        let mut worth = Worth { names, similarity: pair.similarity, is_beside, ..self.alone(&own) };
        // Lines take longest to compare: only where they decide.
        let at_most = Worth { n_equal_lines: worth.n_statements, ..worth };
        if !worth.is_enough() && at_most.is_enough() {
            worth.n_equal_lines =
                n_equal_lines(&pair.alignment, document, target.source.document());
        }
        worth.is_enough()
            || worth.n_statements > 0 && is_renamed_function(document, own, names, pair.agreement)
    }

    /// What a range is worth, but for what it has in common with an origin.
    fn alone(&mut self, own: &Range<usize>) -> Worth {
        if let Some(known) = self.known.get(own) {
            return *known;
        }
        let document = self.query.source.document();
        let from = self.deeds.partition_point(|deed| deed.tokens.end <= own.start);
        let within = self.deeds[from..].iter().take_while(|deed| deed.tokens.start < own.end);
        let worth = Worth {
            n_origins: 1,
            ..Worth::alone(document, own.clone(), n_statements(within), self.min_worth)
        };
        self.known.insert(own.clone(), worth);
        worth
    }
}

impl KeptTexts {
    /// Keeps a source that will probably be asked for, while there is room.
    pub fn offer(&self, document: u32, source: Arc<Source>, sources: &Sources<'_>) {
        let mut kept = self.lock();
        if kept.n_bytes + source.n_bytes() <= kept.n_most() {
            kept.put(document, Arc::new(Text::new(source, sources)), 0);
        }
    }

    /// Keeps from now on what is asked for next when files are aligned along these links, in
    /// `n_bytes` if that is more than it has.
    pub fn expect(&self, links: &[Link], n_bytes: usize) {
        let mut kept = self.lock();
        kept.n_wanted = n_bytes;
        let pairs = links.chunk_by(|a, b| (a.document, a.target) == (b.document, b.target));
        kept.uses = pairs.map(|pair| (pair[0].target, pair[0].document)).collect();
        let documents = links.chunk_by(|a, b| a.document == b.document);
        kept.uses.extend(documents.map(|of| (of[0].document, of[0].document)));
        kept.uses.sort_unstable();
        kept.uses.dedup();
        let all: Vec<u32> = kept.texts.keys().copied().collect();
        all.into_iter().for_each(|document| kept.note(document, 0));
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads sources, and keeps those read last for all threads.
pub(super) struct RecentSources<'s, R> {
    pub entries: &'s [Entry],
    pub sources: &'s Sources<'s>,
    pub reader: R,
    pub kept: &'s KeptTexts,
}

/// What is kept of the sources read last.
#[derive(Default)]
pub(super) struct KeptTexts(Mutex<Kept>);

/// Texts by the numbers of their files. Which files will be compared is known, so the text goes
/// that is asked for last, or never again: no other choice reads fewer files anew (the MIN of
/// Belady 1966). Of those that are never asked for the oldest goes.
#[derive(Default)]
struct Kept {
    /// Each with the number of its last use.
    texts: HashMap<u32, (Arc<Text>, u64)>,
    /// When each is asked for next, with the number of the use before that; outdated ones, too.
    order: BinaryHeap<(u32, Reverse<u64>, u32)>,
    /// The files that are asked for, each with the number of the file that is aligned then.
    uses: Vec<(u32, u32)>,
    /// The last file that was begun.
    now: u32,
    n_uses: u64,
    n_bytes: usize,
    /// The bytes to keep, if more than [`KEPT_BYTES`].
    n_wanted: usize,
}

/// After all files.
const NEVER: u32 = u32::MAX;

impl Kept {
    fn n_most(&self) -> usize {
        self.n_wanted.max(KEPT_BYTES)
    }

    /// A text, asked for when file `now` is aligned.
    fn get(&mut self, document: u32, now: u32) -> Option<Arc<Text>> {
        let text = Arc::clone(&self.texts.get(&document)?.0);
        self.note(document, now);
        Some(text)
    }

    /// Notes a use when file `now` is aligned. Other threads may be ahead: what only they asked for
    /// is not asked for again.
    fn note(&mut self, document: u32, now: u32) {
        self.now = self.now.max(now);
        let passed = (document, self.now);
        let next = self.uses.partition_point(|&use_| use_ <= passed);
        let next = self.uses.get(next).filter(|(of, _)| *of == document);
        self.n_uses += 1;
        if let Some((_, last)) = self.texts.get_mut(&document) {
            *last = self.n_uses;
        }
        self.order.push((next.map_or(NEVER, |(_, at)| *at), Reverse(self.n_uses), document));
    }

    fn put(&mut self, document: u32, text: Arc<Text>, now: u32) {
        self.n_bytes += text.source.n_bytes();
        // Another thread may have read it at the same time.
        if let Some((twin, _)) = self.texts.insert(document, (text, 0)) {
            self.n_bytes -= twin.source.n_bytes();
        }
        self.note(document, now);
        while self.n_bytes > self.n_most() {
            let Some((_, Reverse(number), last)) = self.order.pop() else { break };
            if self.texts.get(&last).is_some_and(|(_, current)| *current == number)
                && let Some((text, _)) = self.texts.remove(&last)
            {
                self.n_bytes -= text.source.n_bytes();
            }
        }
    }
}

impl<'s, R: ReadFiles> RecentSources<'s, R> {
    /// The place of some of the tokens of another; it begins and ends with a line.
    pub fn cut(&self, from: &Member, tokens: Range<usize>) -> Result<Option<Member>, Error> {
        let Some(file) = self.source(from.document, NEVER)? else { return Ok(None) };
        let document = file.source.document();
        let start = tokens.clone().find(|&at| document.starts_line(at)).unwrap_or(tokens.start);
        let end = (start + 1..=tokens.end).rev().find(|&at| document.starts_line(at));
        let end = end.unwrap_or(tokens.end);
        let alike = (from.clone_type, from.similarity);
        let place = file.place(from.document, start..end, alike, from.is_worth);
        Ok(place.map(|place| Member { missing: from.missing.clone(), ..place }))
    }

    /// A file and an earlier one as places, if they are byte for byte the same.
    pub fn whole_copy(
        &self,
        document: u32,
        earlier: u32,
    ) -> Result<Option<(Member, Member)>, Error> {
        let files = (self.source(document, NEVER)?, self.source(earlier, NEVER)?);
        let (Some(file), Some(other)) = files else { return Ok(None) };
        if file.source.text != other.source.text {
            return Ok(None);
        }
        let all = 0..file.source.tokens.len();
        let place = file.place(document, all, (CloneType::Type1, 1.0), !file.is_declarative);
        let builds = Arc::clone(other.builds());
        Ok(place.map(|place| (place.clone(), Member { document: earlier, builds, ..place })))
    }

    /// The text of a file, for when file `now` is aligned.
    fn source(&self, document: u32, now: u32) -> Result<Option<Arc<Text>>, Error> {
        if let Some(text) = self.kept.lock().get(document, now) {
            return Ok(Some(text));
        }
        let Ok(source) = self.sources.read(&self.reader, &self.entries[document as usize])? else {
            return Ok(None);
        };
        let text = Arc::new(Text::new(source, self.sources));
        self.kept.lock().put(document, Arc::clone(&text), now);
        Ok(Some(text))
    }
}

/// A pair of a file and an earlier place.
struct PlacePair {
    document: u32,
    target: Arc<Text>,
    pair: ClonePair,
    /// Whether it is a single run, which others probably contain.
    is_run: bool,
    is_telling: bool,
}

/// The clones of a file and a target with enough tokens along their alignments, each of which may be
/// a single run; `links` are those of the two.
fn long_pairs(
    alignments: impl Iterator<Item = (Alignment, bool)>,
    (query, target): (&Text, &Arc<Text>),
    links: &[Link],
    thresholds: &Thresholds,
) -> Vec<PlacePair> {
    let (min_tokens, params) = (thresholds.scan_min_tokens, &thresholds.matching);
    let mut long = Vec::new();
    // No part of a short one is long.
    for (alignment, is_run) in alignments.filter(|(alignment, _)| is_long(alignment, min_tokens)) {
        for pair in clones(alignment, &query.source.tokens, &target.source.tokens, params) {
            if is_long(&pair.alignment, min_tokens) && !query.excludes(target, &pair.alignment) {
                let (document, target) = (links[0].target, Arc::clone(target));
                let is_rare =
                    rarity(&pair.alignment.query(), links, params.k) >= thresholds.min_rarity;
                let is_telling =
                    is_rare || is_long_or_whole(&pair, query.source.document(), min_tokens);
                long.push(PlacePair { document, target, pair, is_run, is_telling });
            }
        }
    }
    long
}

/// Adds the code of one file that repeats earlier code.
fn of_document<R: ReadFiles>(
    links: &[Link],
    recent: &RecentSources<'_, R>,
    repeats: &mut Repeats,
) -> Result<(), Error> {
    let config = recent.sources.config;
    let Some(first) = links.first() else { return Ok(()) };
    let Some(query) = recent.source(first.document, first.document)? else { return Ok(()) };
    let thresholds = config.thresholds(&query.source.path, Some(&query.source.language));
    let (min_tokens, params) = (thresholds.scan_min_tokens, &thresholds.matching);
    let mut paired: Vec<PlacePair> = Vec::new();
    let mut limits = Shortfall::default();
    for of_target in links.chunk_by(|a, b| a.target == b.target) {
        let Some(first) = of_target.first() else { continue };
        let mut seeds = promising_seeds(of_target, recent.sources);
        let Some(target) = recent.source(first.target, first.document)? else { continue };
        let is_same = first.document == first.target;
        let (own, other) = (query.source.document(), target.source.document());
        let Alignments { alignments, runs, limits: of_pair } =
            alignments(own, other, &mut seeds, params, is_same);
        limits += of_pair;
        // Of two places in one file, the later one is the copy.
        let runs = runs.into_iter().filter(|run| !is_same || run.target < run.query);
        let runs = runs.map(|run| (Alignment { blocks: vec![run] }, true));
        let all = alignments.into_iter().map(|alignment| (alignment, false)).chain(runs);
        paired.extend(long_pairs(all, (&query, &target), of_target, &thresholds));
    }
    let pairs = paired.iter().map(|of| TargetPair {
        pair: &of.pair,
        target: of.document as usize,
        tokens: &of.target.source.tokens,
        is_same: of.document == first.document,
        is_run: of.is_run,
        // Its longer side has enough tokens.
        is_sufficient: true,
    });
    let CloneClasses { classes, runs } = clone_classes(QueryPairs {
        query: query.source.document(),
        pairs: &pairs.collect::<Vec<_>>(),
        min_tokens,
        is_enough: &|range| range.len() >= min_tokens,
        by_part: true,
        params,
    });
    let mut scales = Scales::new(&query, thresholds.min_worth);
    for class in classes {
        let of_class = repeats_of(first.document, class, &paired, &thresholds, &mut scales);
        repeats.fragments.extend(of_class);
    }
    for (number, pair) in runs {
        let paired = &paired[number];
        let is_worth = scales.is_worth(&paired.target, &pair);
        let places = places(first.document, &query, paired, &pair, is_worth);
        repeats.runs.extend(places.map(|(place, earlier)| Repeat {
            place,
            earlier,
            is_telling: paired.is_telling,
        }));
    }
    repeats.limits.extend(limits.is_any().then_some((first.document, limits)));
    Ok(())
}

/// The two places of a pair, whether or not it `is_worth` a warning.
fn places(
    document: u32,
    query: &Text,
    paired: &PlacePair,
    pair: &ClonePair,
    is_worth: bool,
) -> Option<(Member, Member)> {
    let alike = (pair.clone_type, pair.similarity);
    let ClonePair { alignment, .. } = pair;
    let place = query.place(document, alignment.query(), alike, is_worth)?;
    let earlier = paired.target.place(paired.document, alignment.target(), alike, is_worth)?;
    if pair.clone_type == CloneType::Type1 {
        return Some((place, earlier));
    }
    let blocks = alignment.blocks.iter();
    let (other, both) = (&*paired.target, blocks.clone().map(|of| (of.query, of.target, of.len)));
    let of_own = query.missing(other, both);
    let of_target = other.missing(query, blocks.map(|of| (of.target, of.query, of.len)));
    Some((Member { missing: of_own, ..place }, Member { missing: of_target, ..earlier }))
}

/// A class of one file, as repeats: its fragment with each place that is the same as a whole, and
/// each part that also occurs elsewhere; those of a fragment side by side.
fn repeats_of(
    document: u32,
    class: CloneClass,
    paired: &[PlacePair],
    of: &Thresholds,
    scales: &mut Scales<'_>,
) -> Vec<Repeat> {
    let members = class.members.into_iter().filter(|(_, pair)| {
        is_long(&pair.alignment, of.scan_min_tokens) && pair.is_clone(&of.matching)
    });
    let mut repeats: Vec<Repeat> = Vec::new();
    for (number, pair) in members {
        let paired = &paired[number];
        let own = pair.alignment.query();
        let known = repeats.iter().rposition(|repeat| repeat.place.tokens == own);
        // A class is worth it if one of its pairs is.
        let is_worth = known.is_some_and(|known| repeats[known].place.is_worth)
            || scales.is_worth(&paired.target, &pair);
        let places = places(document, scales.query, paired, &pair, is_worth);
        let Some((place, earlier)) = places else { continue };
        let repeat = Repeat { place, earlier, is_telling: paired.is_telling };
        repeats.insert(known.map_or(repeats.len(), |known| known + 1), repeat);
    }
    repeats
}

/// Whether one side has `min_tokens`, with what was edited in it: that is the size a class is
/// listed with.
fn is_long(alignment: &Alignment, min_tokens: usize) -> bool {
    alignment.query().len().max(alignment.target().len()) >= min_tokens
}

/// Whether `links`, all between one pair of documents, have [`promising_seeds`]: most often this
/// needs no chains, since each link is in one.
fn is_promising(links: &[Link], sources: &Sources<'_>) -> bool {
    let (Some(first), Some(last)) = (links.first(), links.last()) else { return false };
    links.iter().any(|link| link.n_places == 1)
        || may_be_long(first.position..last.position, sources.config)
            && !promising_seeds(links, sources).is_empty()
}

/// Whether code that begins and ends with seeds, or a little beyond, has enough tokens for a clone;
/// `seeds` are the positions of the first and the last.
fn may_be_long(seeds: Range<u32>, config: &Config) -> bool {
    let (k, margin) = (config.matching.k, config.scan_fingerprint.window().get() - 1);
    seeds.len() + k + 2 * margin >= config.least_scan_min_tokens()
}

/// The seeds among `links`, all between one pair of documents, in chains that may be a clone: long
/// enough, assuming that everything between their seeds and a little beyond belongs to it, or with
/// a seed that is spelled the same. In a short copy with an edit in the middle, only one of the
/// runs on either side has a seed.
fn promising_seeds(links: &[Link], sources: &Sources<'_>) -> Vec<Seed> {
    let config = sources.config;
    let k = config.matching.k;
    let kgrams = links.iter().map(|&Link { position, target_position, .. }| Block {
        query: position,
        target: target_position,
        len: k as u32,
    });
    let mut kgrams: Vec<Block> = kgrams.collect();
    let chains = chains(&mut kgrams, config.matching.max_gap).into_iter();
    let promising = chains.filter(|chain| {
        let (Some(first), Some(last)) = (chain.first(), chain.last()) else { return false };
        may_be_long(first.query..last.query, config)
            || chain.iter().any(|kgram| is_spelled(kgram, links))
    });
    promising.flatten().map(|kgram| Seed { query: kgram.query, target: kgram.target }).collect()
}

/// Whether a match of two documents is spelled the same; `links` are those between them.
fn is_spelled(kgram: &Block, links: &[Link]) -> bool {
    let at = links.partition_point(|link| {
        (link.position, link.target_position) < (kgram.query, kgram.target)
    });
    links.get(at).is_some_and(|link| link.n_places == 1)
}

/// How rare the shapes in a fragment are, 0 to 1, by the `links` of its file to another: the mean
/// over those in it.
fn rarity(fragment: &Range<usize>, links: &[Link], k: usize) -> f64 {
    let from = links.partition_point(|link| (link.position as usize) < fragment.start);
    let within = links[from..].iter().take_while(|link| link.position as usize + k <= fragment.end);
    mean_rarity(within.map(|link| link.n_places))
}
