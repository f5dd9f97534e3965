//! Finds the places that have the window of a hunk, in the files that share fingerprints with it.

use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::hunks::{MAX_PLACES, may_hold_siblings, unit_around};
use super::patch::adapted;
use super::place::{Pair, Place};
use super::step::{Marks, PartedBlocks, Side, parted};
use super::windows::Windows;
use crate::audit::Error;
use crate::audit::bundle::Bundle;
use crate::audit::judge::fragment;
use crate::audit::read::{Source, Sources};
use crate::audit::search::Hit;
use crate::files::Entry;
use crate::git::Repository;
use crate::language::Token;
use crate::matching::{CloneType, Hunk, Site, Window};
use crate::policy::Fragment;
use crate::text::{FilePath, Lines};

/// Maximum pairs of places with one fingerprint, in the windows of a file and in another file.
const MAX_PAIRS: usize = 4_096;

/// Maximum files to compare with a window: those that share most with it, then the nearest.
const MAX_FILES: usize = 8;
/// Maximum files in which comments that keep blocks in step are looked for, those that share most
/// with an edited one.
const MAX_NEAR: usize = 24;
/// Maximum further files in which comments that keep blocks in step are looked for.
const MAX_DECLARED: usize = 1_000;

/// A sibling that lacks edits.
pub(in crate::audit) struct Sibling {
    /// The number of the edited file.
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
    pub text: Arc<Vec<u8>>,
}

/// By query and window, or for all of a query, how far apart in two files the fingerprints are that
/// they share, and how many are so.
type Offsets = BTreeMap<(usize, Option<usize>), BTreeMap<i64, usize>>;

/// A file that shares fingerprints with windows.
struct Candidate {
    path: FilePath,
    target: Target,
    shared: Offsets,
}

enum Target {
    /// A file that the change leaves alone.
    Same(Entry),
    /// A file of the change, by its number in base.
    Changed(usize),
}

impl Windows<'_> {
    /// The siblings that lack hunks, in the files with `hits` of the queries and in those of the
    /// change.
    ///
    /// # Errors
    /// The first file that could not be read.
    pub fn siblings(
        &self,
        hits: Vec<(Entry, Vec<Hit>)>,
        is_new: &(dyn Fn(&FilePath) -> bool + Sync),
        repository: &Repository,
        sources: &Sources<'_>,
    ) -> Result<Vec<Sibling>, Error> {
        let candidates = self.candidates(hits, is_new, sources);
        let wanted = self.wanted(&candidates, sources);
        let of_file = |(at, queries): (&usize, &BTreeMap<usize, Vec<usize>>),
                       other: &Source,
                       number: Option<usize>| {
            let found = queries.iter().filter_map(|(&query, windows)| {
                let pair = Pair::new(self, self.numbers[query], other, number)?;
                let shared = windows
                    .iter()
                    .map(|&window| (window, &candidates[*at].shared[&(query, Some(window))]));
                Some(pair.siblings(shared, sources))
            });
            found.flatten().collect::<Vec<Sibling>>()
        };
        let found = wanted.par_iter().map_init(
            || repository.reader(),
            |reader, wanted| match &candidates[*wanted.0].target {
                Target::Changed(number) => {
                    let head = self.heads[*number].map(|head| &head.source);
                    Ok(head.map(|head| of_file(wanted, head, Some(*number))).unwrap_or_default())
                }
                Target::Same(entry) => {
                    let source = sources.read(reader, entry)?;
                    Ok(source.map(|source| of_file(wanted, &source, None)).unwrap_or_default())
                }
            },
        );
        let found: Vec<Vec<Sibling>> = found.collect::<Result<_, Error>>()?;
        let mut found: Vec<Sibling> = found.into_iter().flatten().collect();
        let mut n_places: HashMap<(usize, usize), usize> = HashMap::new();
        for sibling in found.iter().filter(|sibling| !sibling.is_declared) {
            sibling.hunks.iter().for_each(|hunk| {
                *n_places.entry((sibling.number, hunk.before.start)).or_default() += 1;
            });
        }
        let is_rare = |sibling: &Sibling, hunk: &Hunk| {
            n_places[&(sibling.number, hunk.before.start)] <= MAX_PLACES
        };
        found.retain(|sibling| {
            sibling.is_declared || sibling.hunks.iter().all(|hunk| is_rare(sibling, hunk))
        });
        let rest = candidates
            .iter()
            .enumerate()
            .filter(|(at, _)| !wanted.contains_key(at))
            .map(|(_, of)| of);
        found.extend(self.further_declared(
            &found,
            &rest.collect::<Vec<_>>(),
            repository,
            sources,
        )?);
        Ok(found)
    }

    fn candidates(
        &self,
        hits: Vec<(Entry, Vec<Hit>)>,
        is_new: &(dyn Fn(&FilePath) -> bool + Sync),
        sources: &Sources<'_>,
    ) -> Vec<Candidate> {
        let same = hits.into_iter().filter(|(entry, _)| !is_new(&entry.path));
        let same = same.map(|(entry, hits)| (entry.path.clone(), Target::Same(entry), hits));
        let mut scratch = Vec::new();
        let changed = self.heads.iter().enumerate().filter_map(|(number, head)| {
            let source = &head.as_ref()?.source;
            Some((
                source.path.clone(),
                Target::Changed(number),
                self.queries.hits_in(source, &mut scratch),
            ))
        });
        let is_candidate = |(path, _, hits): &(FilePath, Target, Vec<Hit>)| {
            !hits.is_empty() && may_hold_siblings(path, sources)
        };
        let all = same.chain(changed).filter(is_candidate);
        all.map(|(path, target, hits)| Candidate { shared: self.shared(&hits), path, target })
            .collect()
    }

    /// What a file with these hits shares with windows: fingerprints that both repeat say nothing
    /// of a place.
    fn shared(&self, hits: &[Hit]) -> Offsets {
        let mut shared: Offsets = BTreeMap::new();
        let mut n_hits: HashMap<_, usize> = HashMap::new();
        hits.iter().for_each(|hit| *n_hits.entry(hit.row()).or_default() += 1);
        let is_telling =
            |hit: &&Hit| n_hits[&hit.row()] * self.queries.postings(hit.row()).len() <= MAX_PAIRS;
        for hit in hits.iter().filter(is_telling) {
            for (_, posting) in self.queries.postings(hit.row()) {
                let (query, position) = (posting.document as usize, posting.position as usize);
                let windows = &self.windows[self.numbers[query]];
                let from = windows
                    .partition_point(|(window, _)| window.tokens.end + self.n_around <= position);
                let near = windows[from..]
                    .iter()
                    .take_while(|(window, _)| window.tokens.start < position + self.n_around);
                let diagonal = hit.position() as i64 - position as i64;
                for window in (from..from + near.count()).map(Some).chain([None]) {
                    *shared.entry((query, window)).or_default().entry(diagonal).or_default() += 1;
                }
            }
        }
        shared
    }

    /// For each candidate to compare, the queries and which of their windows.
    fn wanted(
        &self,
        candidates: &[Candidate],
        sources: &Sources<'_>,
    ) -> BTreeMap<usize, BTreeMap<usize, Vec<usize>>> {
        let mut wanted: BTreeMap<usize, BTreeMap<usize, Vec<usize>>> = BTreeMap::new();
        // What a comment names is compared, even if many others are nearer.
        for (query, source) in self.queries.sources().iter().enumerate() {
            let marks = Marks::of(source);
            for (at, _) in
                candidates.iter().enumerate().filter(|(_, candidate)| marks.name(&candidate.path))
            {
                wanted.entry(at).or_default().entry(query).or_default();
            }
        }
        let mut sharing: BTreeMap<(usize, Option<usize>), Vec<usize>> = BTreeMap::new();
        for (at, candidate) in candidates.iter().enumerate() {
            candidate.shared.keys().for_each(|&key| sharing.entry(key).or_default().push(at));
        }
        for ((query, window), mut files) in sharing {
            let own = &self.queries.sources()[query].path;
            files.sort_by_cached_key(|&at| {
                let Candidate { path, shared, .. } = &candidates[at];
                (
                    Reverse(shared[&(query, window)].values().sum::<usize>()),
                    path.distance(own),
                    path.clone(),
                )
            });
            // A comment may keep the file in step, even if no window is near. What is remembered
            // decides only whether a file is read: which files are asked is the same without it.
            let n_files = if window.is_some() { MAX_FILES } else { MAX_NEAR };
            let is_asked =
                |&at: &usize| window.is_some() || self.may_declare(&candidates[at], sources);
            for at in files.into_iter().take(n_files).filter(is_asked) {
                wanted.entry(at).or_default().entry(query).or_default().extend(window);
            }
        }
        wanted
    }

    /// Whether a comment of a file may keep code in step. What is remembered of it tells that
    /// without reading it.
    fn may_declare(&self, candidate: &Candidate, sources: &Sources<'_>) -> bool {
        match &candidate.target {
            Target::Changed(_) => true,
            Target::Same(entry) => {
                let known = sources.remembered.get(entry, sources.reading(&entry.path));
                known.is_none_or(|known| Marks::may_be_among(known.words()))
            }
        }
    }

    /// The blocks that comments keep in step with edited ones, in files that were not compared:
    /// where one file has such a comment, so may any other that shares something with the edited
    /// one.
    fn further_declared(
        &self,
        found: &[Sibling],
        not_compared: &[&Candidate],
        repository: &Repository,
        sources: &Sources<'_>,
    ) -> Result<Vec<Sibling>, Error> {
        let numbers: BTreeSet<usize> =
            found.iter().filter(|of| of.is_declared).map(|of| of.number).collect();
        if numbers.is_empty() {
            return Ok(Vec::new());
        }
        let may_declare = |candidate: &&&Candidate| self.may_declare(candidate, sources);
        let not_compared: Vec<_> =
            not_compared.iter().take(MAX_DECLARED).filter(may_declare).collect();
        let further = not_compared.par_iter().map_init(
            || repository.reader(),
            |reader, candidate| {
                let Target::Same(entry) = &candidate.target else { return Ok(Vec::new()) };
                let Ok(other) = sources.read(reader, entry)? else { return Ok(Vec::new()) };
                let declared =
                    |&number: &usize| Some(Pair::new(self, number, &other, None)?.declared());
                let declared = numbers.iter().filter_map(declared).flatten();
                Ok(declared.map(|(_, sibling)| sibling).collect())
            },
        );
        let further: Vec<Vec<Sibling>> = further.collect::<Result<_, Error>>()?;
        Ok(further.into_iter().flatten().collect())
    }
}

/// What is asked of the other file for each of its siblings, and read once.
#[derive(Default)]
struct OtherFile<'m> {
    lines: OnceCell<Lines>,
    /// How its words are spelled, by their hash.
    spelling: OnceCell<HashMap<u32, &'m [u8]>>,
    text: OnceCell<Arc<Vec<u8>>>,
}

fn spelling(of: &Source) -> HashMap<u32, &[u8]> {
    of.tokens.iter().map(|token| (token.exact, token.text(&of.text))).collect()
}

impl<'m> Pair<'m> {
    /// `None` if the edited file is not in the head.
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
        sources: &Sources<'_>,
    ) -> Vec<Sibling> {
        // What a document shows has no faults to mend.
        if self.other.is_prose {
            return Vec::new();
        }
        let declared = self.declared();
        // Most candidates have no site at all.
        let other = OtherFile::default();
        let lines = || other.lines.get_or_init(|| Lines::new(&self.other.text));
        // By the own unit, the other one, and which of the places of a window there it is.
        let mut of_units: BTreeMap<(usize, usize, usize), Vec<Place<'_>>> = BTreeMap::new();
        for (number, diagonals) in windows {
            let (window, unit) = &self.windows.windows[self.number][number];
            if declared.iter().any(|(own, _)| own.contains(&window.hunk.removed.start)) {
                continue;
            }
            let mut n_there: HashMap<usize, usize> = HashMap::new();
            for site in self.sites(window, diagonals) {
                let line =
                    lines().line_of(self.other.tokens[site.at.start.saturating_sub(1)].start);
                if sources.test_lines(self.other).iter().any(|lines| lines.contains(&line)) {
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
        let groups = of_units.into_values().map(|places| self.independent(places));
        let siblings: Vec<Sibling> =
            groups.filter_map(|places| self.sibling(places, &other)).collect();
        // An edit of the sources reaches a bundle when it is built.
        let is_built = !siblings.is_empty()
            && self.other_number != Some(self.number)
            && Bundle::between(self.own, self.other, sources.config).is_some();
        declared
            .into_iter()
            .map(|(_, sibling)| sibling)
            .chain(siblings.into_iter().filter(|_| !is_built))
            .collect()
    }

    /// The places of the other file that have a window, and that the change leaves alone.
    fn sites(&self, window: &Window, diagonals: &BTreeMap<i64, usize>) -> Vec<Site> {
        let (n_around, n_tokens) = (window.tokens.len() / 2, self.other.tokens.len());
        let region = |diagonal: &i64| {
            let there = |at: usize| at.saturating_add_signed(*diagonal as isize).min(n_tokens);
            let Range { start, end } = window.tokens;
            there(start).saturating_sub(n_around)..(there(end) + n_around).min(n_tokens)
        };
        // Regions in order, those that overlap as one: a place is looked at once.
        let mut regions: Vec<Range<usize>> = Vec::new();
        for region in diagonals.keys().map(region) {
            match regions.last_mut().filter(|last| region.start <= last.end) {
                Some(last) => last.end = last.end.max(region.end),
                None => regions.push(region),
            }
        }
        let (own, head) = (&self.own.tokens, &self.head.source.tokens);
        let sites = regions
            .into_iter()
            .flat_map(|region| window.sites(own, head, &self.other.tokens, region));
        sites.filter(|site| !self.is_edited(&site.at)).take(MAX_PLACES + 1).collect()
    }

    /// The places whose edits use no variable that the change declares where the sibling does not
    /// get it.
    fn independent<'p>(&self, places: Vec<Place<'p>>) -> Vec<Place<'p>> {
        let has = |tokens: &[Token], name: u32| tokens.iter().any(|token| token.exact == name);
        let is_known = |place: &Place<'_>, name: u32| {
            let unit = place.of.as_ref().map_or(0..self.other.tokens.len(), |of| of.tokens.clone());
            let others = places
                .iter()
                .map(|other| &other.window.hunk)
                .filter(|hunk| **hunk != place.window.hunk);
            has(&self.other.tokens[unit], name)
                || others
                    .into_iter()
                    .any(|hunk| has(&self.head.source.tokens[hunk.added.clone()], name))
        };
        let is_independent: Vec<bool> = (places.iter())
            .map(|place| place.window.variables.iter().all(|&name| is_known(place, name)))
            .collect();
        places
            .into_iter()
            .zip(is_independent)
            .filter(|(_, is)| *is)
            .map(|(place, _)| place)
            .collect()
    }

    /// Whether the change edits a place of the other file, too.
    fn is_edited(&self, at: &Range<usize>) -> bool {
        let hunks =
            self.other_number.map(|number| &self.windows.hunks[number][..]).unwrap_or_default();
        hunks.iter().any(|hunk| hunk.after.start <= at.end && at.start <= hunk.after.end)
    }

    /// The sibling that lacks the hunks at these places of one unit.
    fn sibling(&self, mut places: Vec<Place<'_>>, of: &OtherFile<'m>) -> Option<Sibling> {
        let Self { number, other, .. } = *self;
        let hunks = places.iter().map(|place| place.window.hunk.clone()).collect();
        places.sort_by_key(|place| place.site.at.start);
        let (first, last) = (places.first()?, places.last()?);
        let (start, end) =
            (first.site.at.start.saturating_sub(1), (last.site.at.end + 1).min(other.tokens.len()));
        let lines = of.lines.get_or_init(|| Lines::new(&other.text));
        let fragment = fragment(&other.text, lines, &other.tokens[start..end])?;
        let n_tokens: usize = places.iter().map(|place| place.window.tokens.len()).sum();
        let n_run: usize = places.iter().map(|place| place.site.n_run).sum();
        let spelling = of.spelling.get_or_init(|| spelling(other));
        let names =
            last.site.renaming.pairs().filter_map(|(name, to)| Some((name, *spelling.get(&to)?)));
        let is_spelled = last.site.renaming.pairs().all(|(name, to)| name == to);
        let name = first.of.as_ref().and_then(|of| other.tokens.get(of.name?));
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
            name: name.map(|name| String::from_utf8_lossy(name.text(&other.text)).into_owned()),
            patch: adapted(self, &places, &names.collect()),
            is_declared: false,
            text: Arc::clone(of.text.get_or_init(|| Arc::new(other.text.clone()))),
        })
    }

    /// The blocks of the other file that a comment keeps in step with edited blocks, and that no
    /// longer are.
    fn declared(&self) -> Vec<(Range<usize>, Sibling)> {
        let &Self { windows, number, own, head, other, other_number } = self;
        let base = other_number.map_or(other, |number| &windows.base[number].source);
        if other_number == Some(number) || Marks::of(own).is_empty() && Marks::of(base).is_empty() {
            return Vec::new();
        }
        let own_side = Side { path: &head.source.path, base: own, head: &head.source };
        let other_side = Side { path: &other.path, base, head: other };
        let lines = Lines::new(&other.text);
        let sibling = |pair: PartedBlocks| {
            let within = |hunk: &&Hunk| {
                pair.own.start <= hunk.removed.start && hunk.removed.end <= pair.own.end
            };
            let hunks: Vec<Hunk> = windows.hunks[number].iter().filter(within).cloned().collect();
            let fragment = fragment(&other.text, &lines, &other.tokens[pair.other.clone()])?;
            let (n, n_other) = (pair.own.len(), pair.other.len());
            let sibling = Sibling {
                number,
                unit: pair.own.start,
                path: other.path.clone(),
                fragment,
                hunks,
                similarity: 2.0 * n.min(n_other) as f64 / (n + n_other).max(1) as f64,
                clone_type: if n == n_other {
                    CloneType::Type2 { is_consistent: true }
                } else {
                    CloneType::Type3
                },
                name: None,
                patch: None,
                is_declared: true,
                text: Arc::new(other.text.clone()),
            };
            (!sibling.hunks.is_empty()).then_some((pair.own, sibling))
        };
        parted(own_side, other_side).into_iter().filter_map(sibling).collect()
    }
}
