//! Finds added functions, of which no copy was found, that the tree has already in other words.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::Error;
use super::change::{ChangedFile, Predecessor};
use super::judge::added_part;
use super::read::{Source, Sources};
use super::search::{Targets, WordIndex};
use crate::config::Thresholds;
use crate::files::ReadFiles;
use crate::matching::{
    Agreement, Bag, CloneType, Document, Rarity, Unit, WordMatch, added_lines, called,
};
use crate::policy::{About, Finding, Ground, Origin, Reuse, content};
use crate::text::{FilePath, LinedText, printable};

/// Maximum functions of a change to ask for. Who adds more brings in a library, or generates code.
const MAX_FUNCTIONS: usize = 64;
/// Maximum files to read for a function.
const MAX_FILES: usize = 4;
/// Minimum score of a function that does the same; that of the added one itself is 1. Measured on
/// re-implementations and ordinary commits: less names wrong ones, more finds fewer right ones.
const MIN_SCORE: f64 = 0.35;
/// Minimum fraction of the words of the added one, rare ones counting more.
const MIN_SHARE: f64 = 0.55;
/// Minimum words in common.
const MIN_WORDS: usize = 6;
/// How many times longer one may be than the other.
const MAX_LONGER: usize = 2;

/// A function that a change adds as a whole.
struct Addition<'c> {
    file: &'c ChangedFile,
    unit: Unit,
    bag: Bag,
}

/// The functions that a change adds.
pub(super) struct NewFunctions<'c>(Vec<Addition<'c>>);

/// A file of the tree, and the functions that the change left as they were.
struct TreeFile {
    source: Arc<Source>,
    functions: Vec<(Bag, Unit)>,
}

/// A function of the tree that is like an added one.
struct Likeness<'l> {
    source: &'l Source,
    unit: &'l Unit,
    worded: WordMatch,
}

impl<'c> NewFunctions<'c> {
    /// The functions that `files` of a change have and `before` had not, if they are not too many.
    /// Tests, examples and what declares have functions of the same words by nature.
    pub fn new(files: &[&'c ChangedFile], before: &[Predecessor], sources: &Sources<'_>) -> Self {
        let mut all = Vec::new();
        for &file in files {
            let Source { path, is_prose, .. } = &*file.source;
            let Thresholds { levels, min_tokens, .. } = file.thresholds(sources.config);
            if levels.ask_for_functions() && sources.config.ground(path, *is_prose) == Ground::Code
            {
                all.extend(additions(file, before, min_tokens));
            }
        }
        Self(if all.len() <= MAX_FUNCTIONS { all } else { Vec::new() })
    }

    pub fn words(&self) -> Vec<u32> {
        self.0.iter().flat_map(|addition| addition.bag.words()).collect()
    }

    /// The findings about those that the tree has already, and of which `copies` says nothing, with
    /// the texts of their files. What the change adds itself, in `changed`, is no answer.
    pub fn findings<R: ReadFiles>(
        &self,
        wording: &WordIndex<'_>,
        targets: &Targets<'_, R>,
        copies: &[Finding],
        changed: &[ChangedFile],
    ) -> Result<(Vec<Finding>, BTreeMap<FilePath, LinedText>), Error> {
        let sources = targets.sources;
        let free = self.0.iter().filter(|addition| !addition.is_copied(copies));
        let asked = Vec::from_iter(free.map(|addition| (addition, wording.rarity(&addition.bag))));
        let closest = asked.iter().map(|(addition, rarity)| {
            let path = &addition.file.source.path;
            wording.closest(rarity, MAX_FILES, |file| targets.entries[file].path.distance(path))
        });
        let files: Vec<Vec<usize>> = closest.collect();
        let wanted: BTreeSet<usize> = files.iter().flatten().copied().collect();
        let lengths = Vec::from_iter(asked.iter().map(|(addition, _)| addition.unit.tokens.len()));
        let read = wanted.into_par_iter().map_init(targets.open, |reader, file| {
            let source = sources.read(reader, &targets.entries[file])?.ok();
            Ok(source.map(|source| (file, TreeFile::new(source, changed, &lengths))))
        });
        let read = read.collect::<Result<Vec<Option<(usize, TreeFile)>>, Error>>()?;
        let read: BTreeMap<usize, TreeFile> = read.into_iter().flatten().collect();
        let (mut findings, mut texts) = (Vec::new(), BTreeMap::new());
        for ((addition, rarity), files) in asked.iter().zip(&files) {
            let files = files.iter().filter_map(|file| read.get(file));
            let Some(best) = addition.best(rarity, files) else { continue };
            let Some(finding) = addition.finding(&best, rarity, sources) else { continue };
            texts.insert(best.source.path.clone(), best.source.text.clone().into());
            findings.push(finding);
        }
        Ok((findings, texts))
    }
}

impl TreeFile {
    /// Those of its functions that may be what functions of these `lengths` are.
    fn new(source: Arc<Source>, changed: &[ChangedFile], lengths: &[usize]) -> Self {
        let novel = ChangedFile::at(changed, &source.path).map(|file| &file.novel);
        let document = source.document();
        let mut units = document.functions();
        units.retain(|unit| lengths.iter().any(|&length| is_as_long(length, unit.tokens.len())));
        units.retain(|unit| novel.is_none_or(|novel| !novel[unit.tokens.clone()].contains(&true)));
        let functions = units.into_iter().map(|unit| (Bag::of_unit(document, &unit), unit));
        Self { functions: functions.collect(), source }
    }
}

/// The entirely new functions of a file, without those inside, or with names that it had before.
fn additions<'c>(
    file: &'c ChangedFile,
    before: &[Predecessor],
    min_tokens: usize,
) -> Vec<Addition<'c>> {
    let source = &file.source;
    if file.n_novel() < min_tokens {
        return Vec::new();
    }
    let was = Predecessor::of(before, &source.path).map(|before| &*before.source);
    let known = was.into_iter().flat_map(|was| {
        was.document().functions().into_iter().map(move |unit| name_of(was, &unit))
    });
    let known: HashSet<&[u8]> = known.collect();
    let mut units = source.document().functions();
    units.retain(|unit| unit.tokens.len() >= min_tokens && is_added(file, &unit.tokens));
    units.retain(|unit| !known.contains(name_of(source, unit)));
    units.dedup_by(|inner, outer| inner.tokens.start < outer.tokens.end);
    let added = |unit| Addition { file, bag: Bag::of_unit(source.document(), &unit), unit };
    units.into_iter().map(added).collect()
}

/// Whether the change adds nearly all tokens of a function.
fn is_added(file: &ChangedFile, tokens: &Range<usize>) -> bool {
    10 * tokens.clone().filter(|&at| file.is_added(at)).count() >= 9 * tokens.len()
}

/// Whether a function of `own` tokens may be one of `other` tokens in other words.
fn is_as_long(own: usize, other: usize) -> bool {
    own.max(other) <= MAX_LONGER * own.min(other)
}

fn name_of<'s>(source: &'s Source, unit: &Unit) -> &'s [u8] {
    unit.name.map(|at| source.text_of(at)).unwrap_or_default()
}

impl Addition<'_> {
    fn is_copied(&self, copies: &[Finding]) -> bool {
        let source = &self.file.source;
        let Some(own) = source.fragment(&self.unit.tokens) else { return true };
        copies.iter().any(|copy| {
            copy.is_copy()
                && copy.path == source.path
                && copy.fragment.start < own.end
                && own.start < copy.fragment.end
        })
    }

    /// The function that is most like it, if one is enough. Who calls it knows that it is there.
    fn best<'e>(
        &self,
        rarity: &Rarity<'_>,
        files: impl Iterator<Item = &'e TreeFile>,
    ) -> Option<Likeness<'e>> {
        let of_family = files.filter(|file| file.source.family == self.file.source.family);
        let n = self.unit.tokens.len();
        let all = of_family.flat_map(|TreeFile { source, functions }| {
            let functions = functions.iter().filter(move |(_, of)| is_as_long(n, of.tokens.len()));
            functions.map(|(bag, unit)| Likeness { source, unit, worded: rarity.of_function(bag) })
        });
        let best = all.max_by(|a, b| a.worded.score.total_cmp(&b.worded.score))?;
        let WordMatch { score, share, n_words } = best.worded;
        let is_enough = score >= MIN_SCORE && share >= MIN_SHARE && n_words >= MIN_WORDS;
        (is_enough && !self.calls(name_of(best.source, best.unit))).then_some(best)
    }

    /// Whether it calls a function of another name.
    fn calls(&self, name: &[u8]) -> bool {
        let source = &self.file.source;
        let tokens = &source.tokens[self.unit.tokens.clone()];
        name != name_of(source, &self.unit)
            && called(&Document { tokens, ..source.document() }).contains(name)
    }

    fn finding(
        &self,
        best: &Likeness<'_>,
        rarity: &Rarity<'_>,
        sources: &Sources<'_>,
    ) -> Option<Finding> {
        let (source, document) = (&self.file.source, best.source.document());
        let whole = source.fragment(&self.unit.tokens)?;
        // Every line of it is new.
        let added = added_part(&whole, &added_lines(b"", &source.text), source)?;
        let tokens = &source.tokens[self.unit.tokens.clone()];
        let agreement =
            Agreement::new(Document { tokens, ..source.document() }, document, best.unit, rarity);
        let about = About::Exists { name: printable(name_of(best.source, best.unit)), agreement };
        let levels = self.file.thresholds(sources.config).levels;
        let judgment = levels.judge_other(&about, Ground::Code)?;
        let there = best.source.fragment(&best.unit.tokens)?;
        let mut origin =
            Origin::in_tree(best.source.path.clone(), there, CloneType::Type4, best.worded.share);
        origin.in_common.reuse = Reuse::Call;
        Some(Finding {
            language: source.language.clone(),
            added,
            n_tokens: tokens.len(),
            n_novel: tokens.len(),
            n_places: 1,
            origins: vec![origin],
            ..Finding::new(about, judgment, source.path.clone(), whole, content(tokens))
        })
    }
}
