//! Holds the windows of a change's hunks with their fingerprints, and what they are compared with.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use foldhash::{HashMap, HashMapExt};
use rayon::prelude::*;

use super::hunks::{MAX_PLACES, content_of, is_own_code, windows_of};
use crate::audit::bundle::Bundle;
use crate::audit::change::{ChangedFile, Predecessor};
use crate::audit::read::{Source, Sources, counts};
use crate::audit::search::Queries;
use crate::matching::{Hunk, Site, Unit, Window, edited_hunks, n_hunks};
use crate::text::FilePath;

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
    pub(super) is_small: bool,
    /// The file of `base` that each query is.
    pub(super) numbers: Vec<usize>,
    pub(super) queries: Queries<'p>,
}

/// An edited file, and one that may have siblings of its hunks.
pub(super) struct Pair<'m> {
    pub windows: &'m Windows<'m>,
    /// The number of the edited file in base.
    pub number: usize,
    pub own: &'m Source,
    pub head: &'m ChangedFile,
    /// The other file in the head.
    pub other: &'m Source,
    /// The number of the other file in base, if the change touches it.
    pub other_number: Option<usize>,
}

/// A place that lacks a hunk.
pub(super) struct Place<'m> {
    pub window: &'m Window,
    pub site: Site,
    /// The unit of the window in base, and the one around the place.
    pub unit: &'m Unit,
    pub of: Option<Unit>,
}

impl<'p> Windows<'p> {
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
        let hunks = base.par_iter().zip(&heads).map(|(before, head)| match head {
            Some(head)
                if is_asked && is_own_code(&head.source.path, before.source.is_prose, sources) =>
            {
                edited_hunks(before.source.document(), head.source.document())
            }
            _ => Vec::new(),
        });
        let hunks: Vec<Vec<Hunk>> = hunks.collect();
        let windows = heads.par_iter().zip(base).zip(&hunks).enumerate();
        let windows = windows.map(|(number, ((head, before), hunks))| match head {
            Some(head) if !hunks.is_empty() => {
                let moved = changed.iter().flat_map(|file| file.was.tokens_of(number));
                windows_of(hunks.clone(), before, head, moved, sources)
            }
            _ => Vec::new(),
        });
        let windows: Vec<Vec<(Window, Unit)>> = windows.collect();
        let is_small = hunks.iter().map(Vec::len).sum::<usize>() <= MAX_PLACES;
        // A comment may keep any code in step, so that all hunks are looked up.
        let numbers: Vec<usize> = (0..base.len()).filter(|&at| !hunks[at].is_empty()).collect();
        let asked = numbers.iter().map(|&at| {
            let source = &*base[at].source;
            (source, Cow::Owned(within_reach(&hunks[at], source.tokens.len(), sources)))
        });
        // All k-grams of one side: every fingerprint of the other side in a common run is found.
        let all = sources.config.fingerprint.of_every_kgram();
        let queries = Queries::sampled(asked.collect(), sources.config, all);
        let mut all =
            Self { sources, changed, base, heads, hunks, windows, is_small, numbers, queries };
        all.leave_out_rewrites();
        all.leave_out_built();
        if !is_small {
            let of_files = all.windows.iter_mut().zip(&all.hunks);
            of_files.for_each(|(of_file, hunks)| keep_whole_edits(of_file, hunks));
        }
        all
    }

    /// For each window of a file of base, what its hunk removes and adds.
    fn contents(&self, number: usize) -> Vec<(u64, u64)> {
        let Some(head) = self.heads[number] else { return Vec::new() };
        let hunks = self.windows[number].iter().map(|(window, _)| &window.hunk);
        hunks.map(|hunk| content_of(hunk, &self.base[number].source, &head.source)).collect()
    }

    /// Leaves out what the change makes again and again: a rewrite leaves out on purpose.
    fn leave_out_rewrites(&mut self) {
        let contents: Vec<_> = (0..self.base.len()).map(|number| self.contents(number)).collect();
        let n_made = counts(contents.iter().flatten().copied());
        for (windows, contents) in self.windows.iter_mut().zip(contents) {
            let mut contents = contents.iter();
            windows.retain(|_| contents.next().is_some_and(|of| n_made[of] <= MAX_PLACES));
        }
    }

    /// Leaves out bundles: an edit of their sources reaches them when they are built.
    fn leave_out_built(&mut self) {
        let contents: Vec<_> = (0..self.base.len()).map(|number| self.contents(number)).collect();
        let mut makers: HashMap<(u64, u64), Vec<usize>> = HashMap::new();
        for (number, of_file) in contents.iter().enumerate() {
            of_file.iter().for_each(|of| makers.entry(*of).or_default().push(number));
        }
        for (whole, windows) in self.windows.iter_mut().enumerate() {
            let source = &self.base[whole].source;
            let parts: BTreeSet<usize> =
                contents[whole].iter().flat_map(|of| &makers[of]).copied().collect();
            let is_built = parts.into_iter().map(|part| &self.base[part].source).any(|part| {
                source.tokens.len() > part.tokens.len()
                    && Bundle::between(source, part, self.sources.config).is_some()
            });
            if is_built {
                windows.clear();
            }
        }
    }

    /// What is looked up: nothing if no rule asks for siblings.
    pub fn queries_to_look_up(&self) -> Option<&Queries<'p>> {
        Some(&self.queries).filter(|queries| !queries.is_empty())
    }

    /// Whether a file may share something with what is looked up, judging by its language.
    pub fn may_be_in(&self, path: &FilePath) -> bool {
        let family = self.sources.languages.promised_family(path);
        // An extension may be of several languages.
        let is_like_one = family.is_none_or(|family| {
            self.queries.sources.iter().any(|source| {
                source.family == family || source.path.extension() == path.extension()
            })
        });
        is_like_one || self.sources.attributes.of(path).language.is_some()
    }
}

/// Keeps the windows of units of which each hunk has one: others are a part of an edit at most.
fn keep_whole_edits(windows: &mut Vec<(Window, Unit)>, hunks: &[Hunk]) {
    let n_windows = counts(windows.iter().map(|(_, unit)| unit.tokens.start));
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
