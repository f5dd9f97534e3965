//! Finds the places that have the window of a hunk, in the files that share fingerprints with it.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use foldhash::{HashMap, HashMapExt, HashSet};
use rayon::prelude::*;

use super::hunks::{MAX_PLACES, may_hold_siblings, unit_around};
use super::patch::{adapted, is_balanced, patch};
use super::purpose::Purposes;
use super::step::{Marks, Side, parted};
use super::windows::{Pair, Place, Windows};
use crate::audit::Error;
use crate::audit::bundle::Bundle;
use crate::audit::read::{Source, Sources, counts};
use crate::audit::search::Hit;
use crate::files::Entry;
use crate::matching::{CloneType, Hunk, MIN_RUN, Site, Window, n_hunks};
use crate::policy::{Fragment, Purpose};
use crate::text::FilePath;

/// Maximum pairs of places with one fingerprint, in the change and in all other files.
const MAX_PAIRS: usize = 4_096;
/// Maximum files to compare with a window: one more than places that may lack an edit.
const MAX_FILES: usize = MAX_PLACES + 1;
/// The first of them: the others are compared if one of these has a sibling, which few have.
const FIRST_FILES: usize = 4;
/// Maximum files in which comments that keep blocks in step with an edited one are looked for.
const MAX_DECLARED: usize = 1_000;

pub(in crate::audit) struct Sibling {
    pub number: usize,
    /// The edited unit, by its first token in base.
    pub unit: usize,
    pub path: FilePath,
    /// Where it lacks them, in the head.
    pub fragment: Fragment,
    /// The hunks that it lacks, in order.
    pub hunks: Vec<Hunk>,
    /// The part of the windows that agrees in a row, 0 to 1, and how.
    pub similarity: f64,
    pub clone_type: CloneType,
    /// The name of its unit, if it is a function.
    pub name: Option<String>,
    pub patch: Option<String>,
    /// Whether a comment says that both are kept in step.
    pub is_declared: bool,
    /// The text of its file in the head.
    pub text: Vec<u8>,
}

/// By query and window, or for all of a query, how far apart in two files their common fingerprints
/// are, and how many are so.
type Offsets = BTreeMap<(usize, Option<usize>), BTreeMap<i64, usize>>;

/// A file that shares fingerprints with windows.
struct Candidate {
    path: FilePath,
    target: Target,
    shared: Offsets,
}

/// By query and window, or for all of a query, the candidates that share something with it.
type Overlap = BTreeMap<(usize, Option<usize>), Vec<usize>>;

/// By candidate and query, the numbers of the windows to compare.
type WantedWindows = BTreeMap<usize, BTreeMap<usize, Vec<usize>>>;

/// For each edited file and hunk, by its first token in base, how many places lack it.
type PlaceCounts = HashMap<(usize, usize), usize>;

enum Target {
    /// A file that the change leaves alone.
    Same(Entry),
    /// A file of the change, by its number in base.
    Changed(usize),
}

impl Windows<'_> {
    /// The siblings that lack hunks, in files with `hits` of the queries and those of the change.
    pub fn siblings(
        &self,
        hits: Vec<(Entry, Vec<Hit>)>,
        is_new: &(dyn Fn(&FilePath) -> bool + Sync),
        purposes: &Purposes<'_>,
    ) -> Result<Vec<Sibling>, Error> {
        let candidates = self.candidates(hits, is_new);
        let sharing = sharing(&candidates);
        let mut first = self.wanted(&candidates, &sharing, 0..FIRST_FILES, None);
        self.add_declared(&candidates, &sharing, &mut first);
        let mut found = self.compared(&first, &candidates, purposes)?;
        let lacking = n_places(&found);
        let others = self.wanted(&candidates, &sharing, FIRST_FILES..MAX_FILES, Some(&lacking));
        let others = self.compared(&others, &candidates, purposes)?;
        found.extend(others.into_iter().filter(|sibling| !sibling.is_declared));
        let lacking = n_places(&found);
        found.retain(|Sibling { number, hunks, is_declared, .. }| {
            let mut n_places = hunks.iter().map(|hunk| lacking[&(*number, hunk.before.start)]);
            *is_declared || n_places.all(|n| n <= MAX_PLACES)
        });
        Ok(found)
    }

    fn compared(
        &self,
        wanted: &WantedWindows,
        candidates: &[Candidate],
        purposes: &Purposes<'_>,
    ) -> Result<Vec<Sibling>, Error> {
        let of_generated = self.sources.of_generated();
        let found = wanted.par_iter().map_init(
            || purposes.repository.reader(),
            |reader, (&at, queries)| {
                let (other, number) = match &candidates[at].target {
                    Target::Changed(number) => {
                        (self.heads[*number].map(|head| Arc::clone(&head.source)), Some(*number))
                    }
                    // It was not skipped as generated when it was looked up.
                    Target::Same(entry) => (of_generated.read(reader, entry)?.ok(), None),
                };
                let mut found = Vec::new();
                for (&query, windows) in queries {
                    let Some(other) = &other else { continue };
                    let pair = Pair::new(self, self.numbers[query], other, number);
                    let shared = &candidates[at].shared;
                    let windows = windows.iter().map(|&of| (of, &shared[&(query, Some(of))]));
                    found.extend(pair.map(|pair| pair.siblings(windows, purposes)));
                }
                Ok(found.into_iter().flatten().collect())
            },
        );
        let found: Vec<Vec<Sibling>> = found.collect::<Result<_, Error>>()?;
        Ok(found.into_iter().flatten().collect())
    }

    fn candidates(
        &self,
        hits: Vec<(Entry, Vec<Hit>)>,
        is_new: &(dyn Fn(&FilePath) -> bool + Sync),
    ) -> Vec<Candidate> {
        let same = hits.into_iter().filter(|(entry, _)| !is_new(&entry.path));
        let same = same.map(|(entry, hits)| (entry.path.clone(), Target::Same(entry), hits));
        let mut scratch = Vec::new();
        let changed = self.heads.iter().enumerate().filter_map(|(number, head)| {
            let source = &head.as_ref()?.source;
            let hits = self.queries.hits_in(source, &mut scratch);
            Some((source.path.clone(), Target::Changed(number), hits))
        });
        let all = same
            .chain(changed)
            .filter(|(path, _, hits)| !hits.is_empty() && may_hold_siblings(path, self.sources));
        let all: Vec<(FilePath, Target, Vec<Hit>)> = all.collect();
        let n_hits = counts(all.iter().flat_map(|(.., hits)| hits).map(|hit| hit.row));
        let shared = |hits: &[Hit]| self.shared(hits, &n_hits);
        let all = all.into_iter();
        all.map(|(path, target, hits)| Candidate { shared: shared(&hits), path, target }).collect()
    }

    /// What a file with these hits shares with windows: what is everywhere, by `n_hits` of each row
    /// in all files, says nothing of a place.
    fn shared(&self, hits: &[Hit], n_hits: &HashMap<u32, usize>) -> Offsets {
        let params = &self.queries.config.fingerprint;
        let mut shared: Offsets = BTreeMap::new();
        for hit in hits {
            let postings = self.queries.postings(hit.row);
            if n_hits[&hit.row] * postings.len() > MAX_PAIRS {
                continue;
            }
            for (_, posting) in postings {
                let (query, position) = (posting.document as usize, posting.position as usize);
                let windows = self.windows[self.numbers[query]].iter().enumerate();
                let near = windows.filter(|(_, (of, _))| of.hunk.reach(params).contains(&position));
                let diagonal = hit.position as i64 - position as i64;
                for window in near.map(|(at, _)| Some(at)).chain([None]) {
                    *shared.entry((query, window)).or_default().entry(diagonal).or_default() += 1;
                }
            }
        }
        shared
    }

    /// Adds the files that a comment may keep in step with an edited one.
    fn add_declared(
        &self,
        candidates: &[Candidate],
        sharing: &Overlap,
        wanted: &mut WantedWindows,
    ) {
        // A comment may keep a file in step even if no window is near. What is remembered decides
        // only whether a file is read: which files are asked is the same without it.
        let marks: Vec<Marks> = self.base.iter().map(|of| Marks::of(&of.source)).collect();
        for (query, source) in self.queries.sources.iter().enumerate() {
            let own = self.numbers[query];
            let path = self.heads[own].map_or(&source.path, |head| &head.source.path);
            let files = sharing.get(&(query, None)).into_iter().flatten();
            for &at in files.take(MAX_DECLARED) {
                let candidate = &candidates[at];
                let may_declare = marks[own].name(&candidate.path)
                    || match &candidate.target {
                        Target::Changed(number) => marks[*number].name(path),
                        Target::Same(_) => may_be(candidate, self.sources, |has| {
                            Marks::may_name(&source.path, has)
                        }),
                    };
                if may_declare {
                    wanted.entry(at).or_default().entry(query).or_default();
                }
            }
        }
    }

    /// The windows to compare with each candidate, all or those that some places are `lacking`:
    /// each with some of the files that share most with it, then the nearest.
    fn wanted(
        &self,
        candidates: &[Candidate],
        sharing: &Overlap,
        files_of_each: Range<usize>,
        lacking: Option<&PlaceCounts>,
    ) -> WantedWindows {
        let mut wanted = WantedWindows::new();
        for (&(query, number), files) in sharing {
            let (source, own) = (self.queries.sources[query], self.numbers[query]);
            let Some(number) = number else { continue };
            let window = &self.windows[own][number].0;
            if lacking.is_some_and(|of| !of.contains_key(&(own, window.hunk.before.start))) {
                continue;
            }
            let mut files = files.clone();
            files.sort_by_cached_key(|&at| {
                let Candidate { path, shared, .. } = &candidates[at];
                let n_shared: usize = shared[&(query, Some(number))].values().sum();
                (Reverse(n_shared), path.distance(&source.path), path.clone())
            });
            for at in files.into_iter().take(files_of_each.end).skip(files_of_each.start) {
                let may_have = may_be(&candidates[at], self.sources, |has| {
                    window.may_be_among(source.document(), has)
                });
                if may_have {
                    wanted.entry(at).or_default().entry(query).or_default().push(number);
                }
            }
        }
        wanted
    }
}

fn sharing(candidates: &[Candidate]) -> Overlap {
    let mut sharing = Overlap::new();
    for (at, candidate) in candidates.iter().enumerate() {
        candidate.shared.keys().for_each(|&key| sharing.entry(key).or_default().push(at));
    }
    sharing
}

/// How many places lack each hunk that siblings lack.
fn n_places(found: &[Sibling]) -> PlaceCounts {
    let lacking = found.iter().filter(|sibling| !sibling.is_declared);
    counts(lacking.flat_map(|of| of.hunks.iter().map(|hunk| (of.number, hunk.before.start))))
}

/// Whether a file may be what is sought, by the words that are remembered of it.
fn may_be(
    candidate: &Candidate,
    sources: &Sources<'_>,
    is_it: impl Fn(&dyn Fn(u32) -> bool) -> bool,
) -> bool {
    let Target::Same(entry) = &candidate.target else { return true };
    let known = sources.remembered.get(entry, sources.reading(&entry.path));
    known.is_none_or(|known| is_it(&|word| known.has_word(word)))
}

/// The names among some tokens, and whether each is one of a member.
fn names<'s>(source: &'s Source, tokens: &Range<usize>) -> impl Iterator<Item = (u32, bool)> + 's {
    let names = tokens.clone().filter(|&at| source.tokens[at].is_name());
    names.map(|at| (source.tokens[at].exact, source.document().is_member(at)))
}

impl<'m> Pair<'m> {
    /// `None` if the edited file is gone.
    fn new(
        windows: &'m Windows<'m>,
        number: usize,
        other: &'m Source,
        other_number: Option<usize>,
    ) -> Option<Self> {
        let (own, head) = (&windows.base[number].source, windows.heads[number]?);
        Some(Self { windows, number, own, head, other, other_number })
    }

    /// The siblings of some windows, each with how far apart what they share is.
    fn siblings<'s>(
        &self,
        windows: impl Iterator<Item = (usize, &'s BTreeMap<i64, usize>)>,
        purposes: &Purposes<'_>,
    ) -> Vec<Sibling> {
        let sources = self.windows.sources;
        // What a document shows has no faults to mend.
        if self.other.is_prose {
            return Vec::new();
        }
        let declared = self.declared();
        // By the own unit, the other one, and which of the places of a window there it is.
        let mut of_units: BTreeMap<(usize, usize, usize), Vec<Place<'_>>> = BTreeMap::new();
        for (number, diagonals) in windows {
            let (window, unit) = &self.windows.windows[self.number][number];
            if declared.iter().any(|(own, _)| own.contains(&window.hunk.removed.start)) {
                continue;
            }
            let mut n_there: HashMap<usize, usize> = HashMap::new();
            for site in self.sites(window, diagonals, purposes) {
                let before = site.at.start.saturating_sub(1);
                if self.other.is_on(before, sources.test_lines(self.other)) {
                    continue;
                }
                let of = unit_around(self.other, &site.at);
                let of_start = of.as_ref().map_or(site.at.start, |of| of.tokens.start);
                let n_before = n_there.entry(of_start).or_insert(0);
                let places = of_units.entry((unit.tokens.start, of_start, *n_before)).or_default();
                places.push(Place { window, site, unit, of });
                *n_before += 1;
            }
        }
        let places = of_units.into_values();
        let mut siblings: Vec<Sibling> = places.filter_map(|places| self.sibling(places)).collect();
        // An edit of the sources reaches a bundle when it is built.
        if !siblings.is_empty()
            && self.other_number != Some(self.number)
            && Bundle::between(self.own, self.other, sources.config).is_some()
        {
            siblings.clear();
        }
        declared.into_iter().map(|(_, sibling)| sibling).chain(siblings).collect()
    }

    /// The places of the other file that have a window, and that the change leaves alone.
    fn sites(
        &self,
        window: &Window,
        diagonals: &BTreeMap<i64, usize>,
        purposes: &Purposes<'_>,
    ) -> Vec<Site> {
        let (own, head) = (&self.own.tokens, &self.head.source.tokens);
        let sites = diagonals.keys().filter_map(|&diagonal| {
            let at = window.hunk.removed.start.checked_add_signed(diagonal as isize)?;
            window.site(own, head, &self.other.tokens, at)
        });
        let missed = sites.filter(|site| !self.is_edited(&site.at)).filter(|site| {
            match purposes.of(&self.head.source.path) {
                Purpose::Form => false,
                Purpose::Unsaid => self.windows.is_small && !window.is_fix_only(site.n_run),
                Purpose::Fix => true,
            }
        });
        missed.take(MAX_PLACES + 1).collect()
    }

    /// Whether the change edits a place of the other file, too.
    fn is_edited(&self, at: &Range<usize>) -> bool {
        let hunks =
            self.other_number.map(|number| &self.windows.hunks[number][..]).unwrap_or_default();
        hunks.iter().any(|hunk| hunk.after.start <= at.end && at.start <= hunk.after.end)
    }

    /// Whether the hunks at places of one unit are all that the change edits of their own, and use
    /// only names that the other file `knows` or that they bring along: a part of an edit is seldom
    /// owed elsewhere.
    fn is_whole(&self, places: &[Place<'_>], knows: impl Fn(u32) -> bool) -> bool {
        let Some(unit) = places.first().map(|place| &place.unit.tokens) else { return false };
        let hunks = &self.windows.hunks[self.number];
        let mut n_unknown: HashMap<u32, usize> = HashMap::new();
        for Place { window, site, .. } in places {
            for token in &self.head.source.tokens[window.hunk.added.clone()] {
                let name = site.renaming.renamed(token.exact);
                if token.is_name() && !knows(name) {
                    *n_unknown.entry(name).or_default() += 1;
                }
            }
        }
        // What an edit declares, it uses, too.
        n_unknown.values().all(|&n| n > 1) && n_hunks(hunks, unit) <= places.len()
    }

    /// Whether the hunks at places of one unit use names of their own unit that the other lacks.
    fn is_about_others(&self, places: &[Place<'_>]) -> bool {
        let Some(Place { unit, of: Some(of), .. }) = places.first() else { return false };
        let own: HashSet<(u32, bool)> = names(self.own, &unit.tokens).collect();
        let there: HashSet<(u32, bool)> = names(self.other, &of.tokens).collect();
        places.iter().any(|Place { window, site, .. }| {
            names(&self.head.source, &window.hunk.added).any(|(name, is_member)| {
                own.contains(&(name, is_member))
                    && !there.contains(&(site.renaming.renamed(name), is_member))
            })
        })
    }

    /// The sibling that lacks the hunks at these places of one unit.
    fn sibling(&self, mut places: Vec<Place<'_>>) -> Option<Sibling> {
        let Self { number, other, .. } = *self;
        if self.is_about_others(&places) {
            return None;
        }
        let n_tokens: usize = places.iter().map(|place| place.window.tokens.len()).sum();
        let n_run: usize = places.iter().map(|place| place.site.n_run).sum();
        let spelling: HashMap<u32, &[u8]> =
            other.tokens.iter().map(|token| (token.exact, token.text(&other.text))).collect();
        let is_alike = self.windows.is_small && n_run >= MIN_RUN;
        if !is_alike && !self.is_whole(&places, |name| spelling.contains_key(&name)) {
            return None;
        }
        // An edit that was made twice is lacking once where there is one place for it.
        places.sort_by_key(|place| (place.site.at.start, place.window.hunk.before.start));
        places.dedup_by(|second, first| second.site.at == first.site.at);
        let mut hunks: Vec<Hunk> = places.iter().map(|place| place.window.hunk.clone()).collect();
        hunks.sort_by_key(|hunk| hunk.before.start);
        let (first, last) = (places.first()?, places.last()?);
        let start = first.site.at.start.saturating_sub(1);
        let end = (last.site.at.end + 1).min(other.tokens.len());
        let fragment = other.fragment(&(start..end))?;
        let names =
            last.site.renaming.pairs().filter_map(|(name, to)| Some((name, *spelling.get(&to)?)));
        let edited = adapted(self, &places, &names.collect())?;
        let is_spelled = last.site.renaming.pairs().all(|(name, to)| name == to);
        let name = other.tokens.get(first.of.as_ref()?.name?)?;
        Some(Sibling {
            number,
            unit: first.unit.tokens.start,
            path: other.path.clone(),
            fragment,
            hunks,
            similarity: n_run as f64 / n_tokens.max(1) as f64,
            clone_type: match (n_run == n_tokens, is_spelled) {
                (true, true) => CloneType::Type1,
                (true, false) => CloneType::Type2 { is_consistent: true },
                (false, _) => CloneType::Type3,
            },
            name: Some(String::from_utf8_lossy(name.text(&other.text)).into_owned()),
            patch: patch(other, &edited).filter(|_| is_balanced(self, &places)),
            is_declared: false,
            text: other.text.clone(),
        })
    }

    /// The blocks of the other file that a comment keeps in step with edited blocks, and are not.
    fn declared(&self) -> Vec<(Range<usize>, Sibling)> {
        let &Self { windows, number, own, head, other, other_number } = self;
        let base = other_number.map_or(other, |number| &windows.base[number].source);
        if other_number == Some(number) || Marks::of(own).is_empty() && Marks::of(base).is_empty() {
            return Vec::new();
        }
        let own_side = Side { base: own, head: &head.source };
        let other_side = Side { base, head: other };
        let mut siblings = Vec::new();
        for (own, there) in parted(own_side, other_side) {
            let hunks = windows.hunks[number].iter();
            let hunks =
                hunks.filter(|of| own.start <= of.removed.start && of.removed.end <= own.end);
            let hunks: Vec<Hunk> = hunks.cloned().collect();
            let fragment = other.fragment(&there);
            let Some(fragment) = fragment.filter(|_| !hunks.is_empty()) else { continue };
            let (n, n_other) = (own.len(), there.len());
            let sibling = Sibling {
                number,
                unit: own.start,
                path: other.path.clone(),
                fragment,
                hunks,
                similarity: 2.0 * n.min(n_other) as f64 / (n + n_other).max(1) as f64,
                clone_type: match n == n_other {
                    true => CloneType::Type2 { is_consistent: true },
                    false => CloneType::Type3,
                },
                name: None,
                patch: None,
                is_declared: true,
                text: other.text.clone(),
            };
            siblings.push((own, sibling));
        }
        siblings
    }
}
