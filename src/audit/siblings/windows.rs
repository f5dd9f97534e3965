//! Holds the windows of a change's hunks, and their fingerprints.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use rayon::prelude::*;

use super::hunks::{MAX_PLACES, content_of, is_own_code, n_made, windows};
use crate::audit::bundle::Bundle;
use crate::audit::change::{ChangedFile, Predecessor};
use crate::audit::read::{Source, Sources};
use crate::audit::search::Queries;
use crate::matching::{Hunk, Unit, Window, edited_hunks, n_hunks};
use crate::text::FilePath;

/// The hunks of a change whose siblings are looked for.
pub(in crate::audit) struct Windows<'p> {
    pub(super) sources: &'p Sources<'p>,
    pub(super) changed: &'p [ChangedFile],
    pub(super) base: &'p [Predecessor],
    /// For each file of `base`, what it became.
    pub(super) heads: Vec<Option<&'p ChangedFile>>,
    /// For each file of `base`, all its hunks.
    pub(super) hunks: Vec<Vec<Hunk>>,
    /// For each file of `base`, the windows to look up, in order, with their units in base.
    pub(super) windows: Vec<Vec<(Window, Unit)>>,
    /// Whether the change edits few places.
    pub(super) is_small: bool,
    /// The file of `base` that each query is.
    pub(super) numbers: Vec<usize>,
    pub(super) queries: Queries<'p>,
}

impl<'p> Windows<'p> {
    /// The hunks of a change whose siblings are looked for.
    pub fn new(
        changed: &'p [ChangedFile],
        base: &'p [Predecessor],
        sources: &'p Sources<'p>,
    ) -> Self {
        let by_path: BTreeMap<&FilePath, &ChangedFile> =
            changed.iter().map(|file| (&file.source.path, file)).collect();
        let heads: Vec<Option<&ChangedFile>> =
            base.iter().map(|before| by_path.get(before.of.as_ref()?).copied()).collect();
        let is_asked = sources.config.levels_of_any_file().ask_for_edits();
        let pairs = || base.par_iter().zip(&heads);
        let hunks_of = |(before, head): (&Predecessor, &Option<&ChangedFile>)| {
            let (before, is_prose) = (&before.source, before.source.is_prose);
            let head = head.filter(|_| is_asked).map(|head| &head.source)?;
            is_own_code(&head.path, is_prose, sources)
                .then(|| edited_hunks(before.document(), head.document()))
        };
        let hunks: Vec<Vec<Hunk>> = pairs().map(|of| hunks_of(of).unwrap_or_default()).collect();
        let windows_of = |(number, head): (usize, &Option<&ChangedFile>)| {
            let head = head.filter(|_| !hunks[number].is_empty())?;
            let moved = changed.iter().flat_map(|file| file.was.tokens_of(number));
            Some(windows(hunks[number].clone(), &base[number], head, moved, sources))
        };
        let mut windows: Vec<Vec<(Window, Unit)>> =
            heads.par_iter().enumerate().map(|of| windows_of(of).unwrap_or_default()).collect();
        let content = |number: usize, window: &Window| {
            let head = heads[number].map(|head| &head.source);
            let content = head.map(|head| content_of(&window.hunk, &base[number].source, head));
            content.unwrap_or_default()
        };
        // What a change makes again and again is a mechanical rewrite: what it left out was left
        // out on purpose.
        let all = windows
            .iter()
            .enumerate()
            .flat_map(|(number, of)| of.iter().map(move |(window, _)| (number, window)));
        let n_made = n_made(all.map(|(number, window)| content(number, window)));
        for (number, of_file) in windows.iter_mut().enumerate() {
            of_file.retain(|(window, _)| n_made[&content(number, window)] <= MAX_PLACES);
        }
        // An edit of the sources reaches a bundle when it is built.
        let contents = windows.iter().enumerate().map(|(number, of)| {
            of.iter().map(move |(window, _)| content(number, window)).collect()
        });
        let contents: Vec<HashSet<(u64, u64)>> = contents.collect();
        let is_built_from = |number: usize, other: usize| {
            let (whole, part) = (&base[number].source, &base[other].source);
            whole.tokens.len() > part.tokens.len()
                && !contents[number].is_disjoint(&contents[other])
                && Bundle::between(whole, part, sources.config).is_some()
        };
        for (number, of_file) in windows.iter_mut().enumerate() {
            if !of_file.is_empty() && (0..base.len()).any(|other| is_built_from(number, other)) {
                of_file.clear();
            }
        }
        let is_small = hunks.iter().map(Vec::len).sum::<usize>() <= MAX_PLACES;
        if !is_small {
            let of_files = windows.iter_mut().zip(&hunks);
            of_files.for_each(|(of_file, hunks)| keep_whole_edits(of_file, hunks));
        }
        // A comment may keep any code in step, so that all hunks are looked up.
        let numbers: Vec<usize> = (0..base.len()).filter(|&at| !hunks[at].is_empty()).collect();
        let asked = numbers.iter().map(|&at| {
            let source = &*base[at].source;
            (source, Cow::Owned(within_reach(&hunks[at], source.tokens.len(), sources)))
        });
        // All k-grams of one side: every fingerprint of the other side in a common run is found.
        let all = sources.config.fingerprint.of_every_kgram();
        let queries = Queries::sampled(asked.collect(), sources.config, all);
        Self { sources, changed, base, heads, hunks, windows, is_small, numbers, queries }
    }

    /// What is looked up: nothing if no rule asks for siblings.
    pub fn queries_to_look_up(&self) -> Option<&Queries<'p>> {
        Some(&self.queries).filter(|queries| !queries.is_empty())
    }

    /// Whether a file may share something with what is looked up, judging by its language.
    pub fn may_be_in(&self, path: &FilePath) -> bool {
        // An extension may be of several languages.
        let is_like = |source: &&Source, family: &str| {
            source.family == family || source.path.extension() == path.extension()
        };
        let has_family =
            |family: &str| self.queries.sources.iter().any(|source| is_like(source, family));
        self.sources.languages.promised_family(path).is_none_or(has_family)
            || self.sources.attributes.of(path).language.is_some()
    }
}

/// Keeps the windows of the units of which each hunk has one: elsewhere, a sibling lacks a part of
/// an edit at most.
fn keep_whole_edits(windows: &mut Vec<(Window, Unit)>, hunks: &[Hunk]) {
    let mut n_windows: HashMap<usize, usize> = HashMap::new();
    windows.iter().for_each(|(_, unit)| *n_windows.entry(unit.tokens.start).or_default() += 1);
    windows.retain(|(_, unit)| n_hunks(hunks, &unit.tokens) <= n_windows[&unit.tokens.start]);
}

/// For each of some tokens, whether it is of a fingerprint within reach of a hunk.
fn within_reach(hunks: &[Hunk], n_tokens: usize, sources: &Sources<'_>) -> Vec<bool> {
    let params = &sources.config.fingerprint;
    let mut mask = vec![false; n_tokens];
    for reach in hunks.iter().map(|hunk| hunk.reach(params)) {
        mask[reach.start..(reach.end + params.noise_threshold()).min(n_tokens)].fill(true);
    }
    mask
}
