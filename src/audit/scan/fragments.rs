//! Finds the fragments of a tree that repeat earlier ones, along the links between their fingerprints.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use crate::audit::Error;
use crate::audit::judge::{fragment, is_long_or_whole};
use crate::audit::read::{Source, Sources};
use crate::git::{Entry, ReadFiles};
use crate::index::Link;
use crate::language::Token;
use crate::matching::{Block, Candidate, CloneClass, ClonePair, CloneType, Seed, alignments, chains, classes, clones};
use crate::policy::{Fragment, content};
use crate::text::Lines;

/// A place that holds a member of a class.
#[derive(Debug, Clone)]
pub(in crate::audit) struct Place {
    /// The file's number.
    pub document: u32,
    /// Its tokens there.
    pub tokens: Range<usize>,
    /// The same in lines.
    pub fragment: Fragment,
    /// How it relates to the first place of its class.
    pub clone_type: CloneType,
    /// How alike the two are, 0 to 1.
    pub similarity: f64,
    /// A hash of its content.
    pub content: u64,
}

/// A fragment and the earlier places that it repeats.
pub(in crate::audit) struct Repeat {
    pub place: Place,
    pub earlier: Vec<Place>,
}

/// Bytes of sources that a thread keeps at hand as targets.
const KEPT_BYTES: usize = 8 * 1024 * 1024;

/// For each file, the fragments that repeat earlier ones, in the order of the files; `links` are sorted.
///
/// # Errors
/// When a file cannot be read.
pub(in crate::audit) fn repeats<R: ReadFiles>(
    links: &[Link],
    entries: &[Entry],
    open: &(dyn Fn() -> R + Sync),
    sources: &Sources<'_>,
) -> Result<Vec<Repeat>, Error> {
    let documents: Vec<&[Link]> = links.chunk_by(|a, b| a.document == b.document).collect();
    let progress = sources.progress;
    progress.begin("aligning", documents.len());
    let next = AtomicUsize::new(0);
    let work = |_: usize| -> Result<Vec<(usize, Vec<Repeat>)>, Error> {
        let mut kept =
            Kept { entries, sources, reader: open(), at_hand: HashMap::new(), order: VecDeque::new(), n_bytes: 0 };
        let mut found = Vec::new();
        // Neighbors in the tree resemble each other: each thread takes the next file, so that targets are at hand.
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(links) = documents.get(number) else { return Ok(found) };
            progress.step();
            let repeats = of_document(links, &mut kept)?;
            if !repeats.is_empty() {
                found.push((number, repeats));
            }
        }
    };
    let n_threads = rayon::current_num_threads();
    let mut found: Vec<_> =
        (0..n_threads).into_par_iter().map(work).collect::<Result<Vec<_>, Error>>()?.into_iter().flatten().collect();
    found.sort_by_key(|(number, _)| *number);
    Ok(found.into_iter().flat_map(|(_, repeats)| repeats).collect())
}

/// The sources that a thread has read last.
struct Kept<'s, R> {
    entries: &'s [Entry],
    sources: &'s Sources<'s>,
    reader: R,
    at_hand: HashMap<u32, Arc<Source>>,
    order: VecDeque<u32>,
    n_bytes: usize,
}

impl<R: ReadFiles> Kept<'_, R> {
    fn source(&mut self, document: u32) -> Result<Option<Arc<Source>>, Error> {
        if let Some(source) = self.at_hand.get(&document) {
            return Ok(Some(Arc::clone(source)));
        }
        let Ok(source) = self.sources.read(&self.reader, &self.entries[document as usize])? else { return Ok(None) };
        let source = Arc::new(source);
        let n_bytes = |source: &Source| source.text.len() + source.tokens.len() * size_of::<Token>();
        self.n_bytes += n_bytes(&source);
        self.at_hand.insert(document, Arc::clone(&source));
        self.order.push_back(document);
        while self.n_bytes > KEPT_BYTES && self.order.len() > 1 {
            let oldest = self.order.pop_front().and_then(|oldest| self.at_hand.remove(&oldest));
            self.n_bytes -= oldest.map_or(0, |oldest| n_bytes(&oldest));
        }
        Ok(Some(source))
    }
}

/// The fragments of one file that repeat earlier ones.
fn of_document<R: ReadFiles>(links: &[Link], kept: &mut Kept<'_, R>) -> Result<Vec<Repeat>, Error> {
    let config = kept.sources.config;
    let params = &config.matching;
    let mut pairs: Vec<(u32, Arc<Source>, ClonePair)> = Vec::new();
    for of_target in links.chunk_by(|a, b| a.target == b.target) {
        let mut seeds = promising_seeds(of_target, kept.sources);
        let (Some(first), false) = (of_target.first(), seeds.is_empty()) else { continue };
        let (Some(query), Some(target)) = (kept.source(first.document)?, kept.source(first.target)?) else { continue };
        let is_same = first.document == first.target;
        for alignment in alignments(query.document(), target.document(), &mut seeds, params, is_same).alignments {
            let found = clones(alignment, &query.tokens, &target.tokens, params).into_iter();
            let long = found.filter(|pair| pair.alignment.n_tokens() >= config.scan_min_tokens);
            let says_something = |pair: &ClonePair| {
                rarity(&pair.alignment.query(), of_target, params.k) >= config.min_rarity
                    || is_long_or_whole(pair, query.document(), config.scan_min_tokens)
            };
            pairs.extend(long.filter(says_something).map(|pair| (first.target, Arc::clone(&target), pair)));
        }
    }
    let (Some(first), false) = (links.first(), pairs.is_empty()) else { return Ok(Vec::new()) };
    let Some(query) = kept.source(first.document)? else { return Ok(Vec::new()) };
    let candidates: Vec<Candidate> =
        pairs.iter().map(|(_, target, pair)| pair.candidate(&query.tokens, &target.tokens)).collect();
    let classes = classes(&candidates, config.scan_min_tokens).into_iter();
    Ok(classes.filter_map(|class| repeat(first.document, &query, &class, &pairs, kept.sources)).collect())
}

/// The seeds among `links`, all of one pair of documents, that are in chains that may be a clone: long enough
/// if all between their seeds and a little beyond is one.
fn promising_seeds(links: &[Link], sources: &Sources<'_>) -> Vec<Seed> {
    let config = sources.config;
    let (k, margin) = (config.matching.k, config.scan_fingerprint.window().get() - 1);
    let kgram = |link: &Link| Block { query: link.position, target: link.target_position, len: k as u32 };
    let mut kgrams: Vec<Block> = links.iter().map(kgram).collect();
    let is_promising = |chain: &Vec<Block>| {
        let (Some(first), Some(last)) = (chain.first(), chain.last()) else { return false };
        let n_spanned = (last.query - first.query) as usize + k;
        n_spanned + 2 * margin >= config.scan_min_tokens
    };
    let promising = chains(&mut kgrams, config.matching.max_gap).into_iter().filter(is_promising);
    promising.flatten().map(|kgram| Seed { query: kgram.query, target: kgram.target }).collect()
}

/// How rare the shapes in a fragment are, 0 to 1, by the `links` of its file to another: the mean over those within it.
fn rarity(fragment: &Range<usize>, links: &[Link], k: usize) -> f64 {
    let from = links.partition_point(|link| (link.position as usize) < fragment.start);
    let within = links[from..].iter().take_while(|link| link.position as usize + k <= fragment.end);
    let (mut sum, mut n) = (0.0, 0.0);
    for link in within {
        sum += (FEW_PLACES / f64::from(link.n_places)).min(1.0);
        n += 1.0;
    }
    if n == 0.0 { 0.0 } else { sum / n }
}

/// Places up to which a shape counts as rare.
const FEW_PLACES: f64 = 5.0;

/// A class of one file: the fragment, and the places of those pairs that are still clones within it.
fn repeat(
    document: u32,
    query: &Source,
    class: &CloneClass,
    pairs: &[(u32, Arc<Source>, ClonePair)],
    sources: &Sources<'_>,
) -> Option<Repeat> {
    let config = sources.config;
    let within = |&member: &usize| {
        let (other, target, pair) = &pairs[member];
        let is_whole = pair.alignment.query() == class.query;
        let pair = match is_whole {
            true => pair.clone(),
            false => ClonePair::new(pair.alignment.within(class.query.clone()), &query.tokens, &target.tokens),
        };
        let is_long = pair.alignment.n_tokens() >= config.scan_min_tokens;
        (is_long && pair.is_clone(&config.matching)).then_some((*other, target, pair))
    };
    let members: Vec<_> = class.members.iter().filter_map(within).collect();
    let (_, _, best) = members.first()?;
    let earlier =
        members.iter().filter_map(|(other, target, pair)| place(*other, target, pair.alignment.target(), pair));
    Some(Repeat { place: place(document, query, best.alignment.query(), best)?, earlier: earlier.collect() })
}

fn place(document: u32, source: &Source, tokens: Range<usize>, pair: &ClonePair) -> Option<Place> {
    let within = &source.tokens[tokens.clone()];
    Some(Place {
        document,
        fragment: fragment(&source.text, &Lines::new(&source.text), within)?,
        content: content(within),
        tokens,
        clone_type: pair.clone_type,
        similarity: pair.similarity,
    })
}
