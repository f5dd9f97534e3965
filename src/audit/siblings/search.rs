//! Looks up the surroundings of edits, and finds the places that lack them.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;

use rayon::prelude::*;

use super::patch::adapted;
use super::place::Place;
use super::step::{Marks, Parted, Side, parted};
use crate::audit::Error;
use crate::audit::change::{Changed, Predecessor};
use crate::audit::read::{Source, Sources};
use crate::audit::search::{Hit, Queries};
use crate::config::Config;
use crate::files::Entry;
use crate::fingerprint::Params;
use crate::git::Repository;
use crate::language::{Kind, Language, Token};
use crate::matching::{
    Alignment, Edit, Likeness, Renaming, Spot, Unit, aligned_around, aligned_units, continued, edits, has_already,
    is_missed, may_be_missed, spot,
};
use crate::policy::{Fragment, Ground, content};
use crate::text::{FilePath, Lines};

/// Number of tokens on either side of an edit whose fingerprints are looked up.
const WINDOW: usize = 48;
/// Maximum tokens of an edit, removed or added. A longer one is a rewrite, and what it fixes is unclear.
const MAX_EDIT: usize = 200;
/// Maximum edits of a change to look up, the first ones. Bounds the time of a large change.
const MAX_EDITS: usize = 400;
/// Maximum files to compare with an edit: those that share most with its surroundings, then the nearest. A class with
/// more members is counted as far as they were compared.
const MAX_FILES: usize = 24;
/// Maximum further files in which comments that keep blocks in step are looked for.
const MAX_DECLARED: usize = 1_000;
/// Maximum shared fingerprints that rank a file; beyond them its distance decides.
const MANY_SHARED: usize = 12;
/// Minimum equal edits of one change to be a mechanical rewrite: what it left out was left out on purpose.
const MECHANICAL: usize = 8;
/// Minimum novel tokens of a large change: with so many edits, some agree with something by chance.
const LARGE_CHANGE: usize = 300;
/// Minimum tokens that a change edits to be a rewrite in part: a unit of which it edits more than a quarter was not
/// fixed.
const REWRITE: usize = 600;
/// Maximum tokens that a change edits in files that it did not add. More is a rewrite, and what it leaves alone is
/// another version by design.
const MAX_REWRITE: usize = 2_000;
/// Number of tokens on either side of a place that are aligned with the surroundings of an edit.
const LOCAL: usize = 160;
/// Maximum tokens of a unit on either side of a place that are aligned.
const MAX_REACH: usize = 2_000;
/// Maximum tokens that one of two shared fingerprints is shifted for both to be about the same place.
const MAX_SHIFT: i64 = 12;
/// Maximum places of a file whose surroundings are aligned with those of edits.
const MAX_LOCAL: usize = 256;
/// Maximum tokens between an edit and a run beside it.
const BESIDE: usize = 4;
/// Maximum tokens of a declaration that is known by its length.
const MAX_DECLARATION: usize = 5;
/// Minimum letters of a function's name to be recognized in another name.
const MIN_NAME: usize = 3;
/// Number of tokens around the place of a sibling in which an edit has reached it.
const NEAR: usize = 12;

/// The edits of a change, and what surrounded them before it.
pub(in crate::audit) struct PreImages<'p> {
    pub changed: &'p [Changed],
    pub base: &'p [Predecessor],
    /// For each file of `base`, what it became.
    heads: Vec<Option<&'p Changed>>,
    /// For each file of `base`, all its edits.
    all_edits: Vec<Vec<Edit>>,
    /// For each file of `base`, its edits to look up, in order.
    edits: Vec<Vec<Edit>>,
    /// For each of these edits, the unit around it in base.
    units: Vec<Vec<Unit>>,
    /// For each fingerprint of the queries, by its number, the edits that it is next to.
    anchors: HashMap<u32, Vec<Anchor>>,
    /// The file of `base` that each query is.
    numbers: Vec<usize>,
    pub queries: Queries<'p>,
    is_large: bool,
    is_rewrite: bool,
    /// Edits that were not looked up.
    pub n_left_out: usize,
}

/// A sibling that lacks edits.
pub(in crate::audit) struct Sibling {
    /// The number of the edited file.
    pub number: usize,
    /// The edited unit, by its first token in base.
    pub unit: usize,
    pub path: FilePath,
    /// Where it lacks them, in the head.
    pub fragment: Fragment,
    /// The edits that it lacks, in order.
    pub edits: Vec<Edit>,
    /// Aligned tokens of both units, divided by all of them, 0 to 1.
    pub similarity: f64,
    /// Whether the units agree in every token, and whether their names do.
    pub is_whole: bool,
    pub is_spelled: bool,
    /// The name of its unit, if it is a function.
    pub name: Option<String>,
    pub patch: Option<String>,
    /// Whether a comment says that both are kept in step.
    pub is_declared: bool,
    /// The text of its file in the head.
    pub text: Vec<u8>,
}

/// A fingerprint next to an edit.
#[derive(Debug, Clone, Copy)]
struct Anchor {
    query: usize,
    /// The number of the edit among those of its file.
    edit: usize,
    /// The position of the fingerprint in the query.
    position: usize,
}

/// A file that may hold siblings.
enum Target {
    /// A file that the change leaves alone.
    Same(Entry),
    /// A file of the change, by its number in base.
    Changed(usize),
}

/// A file that shares fingerprints with the surroundings of edits.
struct Sighting {
    path: FilePath,
    target: Target,
    hits: Vec<Hit>,
}

impl<'p> PreImages<'p> {
    /// The edits of a change whose siblings are looked for.
    pub fn new(changed: &'p [Changed], base: &'p [Predecessor], sources: &Sources<'p>) -> Self {
        let by_path: BTreeMap<&FilePath, &Changed> = changed.iter().map(|file| (&file.source.path, file)).collect();
        let heads: Vec<Option<&Changed>> =
            base.iter().map(|before| by_path.get(before.of.as_ref()?).copied()).collect();
        let pairs = || base.par_iter().zip(&heads);
        let all_edits: Vec<Vec<Edit>> = pairs().map(|(before, head)| edits_of(before, *head)).collect();
        let number = |number: usize| -> Vec<Edit> {
            let Some(head) = heads[number] else { return Vec::new() };
            candidates(number, &base[number], head, &all_edits[number], changed, sources)
        };
        let mut edits: Vec<Vec<Edit>> = (0..base.len()).into_par_iter().map(number).collect();
        drop_mechanical(&mut edits, base, &heads);
        let n_edited: usize = all_edits.iter().flatten().map(Edit::len).sum();
        let is_rewrite = n_edited > REWRITE;
        if n_edited > MAX_REWRITE {
            edits.iter_mut().for_each(Vec::clear);
        }
        let mut n_left = MAX_EDITS;
        let mut n_left_out = 0;
        for of_file in &mut edits {
            n_left_out += of_file.len().saturating_sub(n_left);
            of_file.truncate(n_left);
            n_left -= of_file.len();
        }
        // Units are looked for last, since that reads the file from the edit on.
        let with_units = edits.into_iter().zip(base).map(|(of_file, before)| {
            let with_unit = |edit: Edit| {
                let unit = around(&before.source, edit.removed().start, edit.removed().end)?;
                (!is_of_head(&edit, &unit, &before.source)).then_some((edit, unit))
            };
            of_file.into_iter().filter_map(with_unit).unzip()
        });
        let (edits, units): (Vec<Vec<Edit>>, Vec<Vec<Unit>>) = with_units.unzip();
        let numbers: Vec<usize> = (0..base.len()).filter(|&at| !edits[at].is_empty()).collect();
        let asked = numbers.iter().map(|&at| {
            let mut mask = vec![false; base[at].source.tokens.len()];
            for edit in &edits[at] {
                let end = (edit.base.1 + WINDOW).min(mask.len());
                mask[edit.base.0.saturating_sub(WINDOW)..end].fill(true);
            }
            (&base[at].source, Cow::Owned(mask))
        });
        let config = sources.config;
        let k = config.fingerprint.noise_threshold().try_into().expect("k is at least 1");
        // All k-grams of one side: every fingerprint of the other side that is in the run of both is found.
        let all = Params::new(k, k).expect("k <= k");
        let queries = Queries::sampled(asked.collect(), config, all);
        let anchors = anchors(&queries, &numbers, &edits);
        let is_large = changed.iter().map(Changed::n_novel).sum::<usize>() > LARGE_CHANGE;
        Self {
            changed,
            base,
            heads,
            all_edits,
            edits,
            units,
            anchors,
            numbers,
            queries,
            is_large,
            is_rewrite,
            n_left_out,
        }
    }

    /// Whether a file may hold a sibling, judging by its name: code of the project itself, in a language that edits
    /// were made in.
    pub fn may_be_in(&self, path: &FilePath, sources: &Sources<'_>) -> bool {
        let extension = |path: &FilePath| path.name().rsplit(|&byte| byte == b'.').next().map(<[u8]>::to_vec);
        // An extension may be of several languages.
        let is_like =
            |source: &&Source, of: &Language| source.family == of.family || extension(&source.path) == extension(path);
        let has_family =
            |of: &Language| of.is_host() || self.queries.sources().iter().any(|source| is_like(source, of));
        let is_declared = sources.attributes.of(path).language.is_some();
        (is_declared || sources.languages.promised(path).is_none_or(has_family)) && is_own_code(path, false, sources)
    }

    /// What the edited file number `number` became.
    pub fn head(&self, number: usize) -> Option<&'p Changed> {
        self.heads[number]
    }

    /// The siblings that lack edits, in the files that were `sighted` and in those of the change.
    ///
    /// # Errors
    /// The first file that could not be read.
    pub fn siblings(
        &self,
        sighted: Vec<(Entry, Vec<Hit>)>,
        is_new: &(dyn Fn(&FilePath) -> bool + Sync),
        repository: &Repository,
        sources: &Sources<'_>,
    ) -> Result<Vec<Sibling>, Error> {
        let sightings = self.sightings(sighted, is_new, sources);
        let wanted = self.wanted(&sightings);
        let compared: BTreeSet<usize> = wanted.keys().copied().collect();
        let found = wanted.into_par_iter().map_init(
            || repository.reader(),
            |reader, (at, queries)| {
                let Sighting { path, target, hits } = &sightings[at];
                let read;
                let (source, number) = match target {
                    Target::Changed(number) => (&self.base[*number].source, Some(*number)),
                    Target::Same(entry) => {
                        let Ok(source) = sources.read(reader, entry)? else { return Ok(Vec::new()) };
                        read = source;
                        (&read, None)
                    }
                };
                let other = Other { path, source, number };
                Ok(queries
                    .iter()
                    .flat_map(|(&query, edits)| self.in_file(query, edits, hits, &other, sources))
                    .collect())
            },
        );
        let found: Vec<Vec<Sibling>> = found.collect::<Result<_, Error>>()?;
        let mut found: Vec<Sibling> = found.into_iter().flatten().collect();
        found.extend(self.further_declared(&found, &sightings, &compared, repository, sources)?);
        Ok(found)
    }

    /// The blocks that comments keep in step with edited ones, in files that were not compared: where one file has such
    /// a comment, so may any other that shares something with the edited one.
    fn further_declared(
        &self,
        found: &[Sibling],
        sightings: &[Sighting],
        compared: &BTreeSet<usize>,
        repository: &Repository,
        sources: &Sources<'_>,
    ) -> Result<Vec<Sibling>, Error> {
        let numbers: BTreeSet<usize> = found.iter().filter(|of| of.is_declared).map(|of| of.number).collect();
        if numbers.is_empty() {
            return Ok(Vec::new());
        }
        let others = sightings.iter().enumerate().filter(|(at, _)| !compared.contains(at)).take(MAX_DECLARED);
        let others: Vec<&Sighting> = others.map(|(_, sighting)| sighting).collect();
        let further = others.into_par_iter().map_init(
            || repository.reader(),
            |reader, Sighting { path, target, .. }| {
                let Target::Same(entry) = target else { return Ok(Vec::new()) };
                let Ok(source) = sources.read(reader, entry)? else { return Ok(Vec::new()) };
                let other = Other { path, source: &source, number: None };
                let declared = |&number: &usize| {
                    let head = self.heads[number]?;
                    Some(self.declared(number, head, &other).into_iter().map(|(_, sibling)| sibling))
                };
                Ok(numbers.iter().filter_map(declared).flatten().collect())
            },
        );
        let further: Vec<Vec<Sibling>> = further.collect::<Result<_, Error>>()?;
        Ok(further.into_iter().flatten().collect())
    }

    fn sightings(
        &self,
        sighted: Vec<(Entry, Vec<Hit>)>,
        is_new: &(dyn Fn(&FilePath) -> bool + Sync),
        sources: &Sources<'_>,
    ) -> Vec<Sighting> {
        let same = sighted.into_iter().filter(|(entry, _)| !is_new(&entry.path)).map(|(entry, hits)| Sighting {
            path: entry.path.clone(),
            target: Target::Same(entry),
            hits,
        });
        let mut scratch = Vec::new();
        let changed = self.base.iter().enumerate().filter_map(|(number, before)| {
            let hits = self.queries.hits_in(&before.source, &mut scratch);
            let path = before.of.clone()?;
            (!hits.is_empty()).then_some(Sighting { path, target: Target::Changed(number), hits })
        });
        same.chain(changed).filter(|sighting| is_own_code(&sighting.path, false, sources)).collect()
    }

    /// For each sighting to compare, the queries to compare it with, and which of their edits.
    ///
    /// A file is only read if it has what is right around an edit: what it shares farther away shows no place.
    fn wanted(&self, sightings: &[Sighting]) -> BTreeMap<usize, BTreeMap<usize, Vec<usize>>> {
        let mut sharing: BTreeMap<(usize, usize), Vec<(usize, usize)>> = BTreeMap::new();
        for (at, sighting) in sightings.iter().enumerate() {
            for (key, n) in self.sharing(&sighting.hits) {
                sharing.entry(key).or_default().push((n, at));
            }
        }
        let mut wanted: BTreeMap<usize, BTreeMap<usize, Vec<usize>>> = BTreeMap::new();
        // What a comment names is compared, even if many others are nearer.
        for (query, source) in self.queries.sources().iter().enumerate() {
            let marks = Marks::of(source);
            for (at, _) in sightings.iter().enumerate().filter(|(_, sighting)| marks.name(&sighting.path)) {
                wanted.entry(at).or_default().entry(query).or_default();
            }
        }
        for ((query, edit), mut files) in sharing {
            let own = &self.queries.sources()[query].path;
            let order = |&(n, at): &(usize, usize)| {
                let path = &sightings[at].path;
                (Reverse(n), path.distance(own), path.clone())
            };
            files.sort_by_cached_key(order);
            for (_, at) in files.into_iter().take(MAX_FILES) {
                wanted.entry(at).or_default().entry(query).or_default().push(edit);
            }
        }
        wanted
    }

    /// The edits, by query and number, of which a file with these hits has something next to the place: and how many
    /// fingerprints around it, up to [`MANY_SHARED`], in the same order.
    fn sharing(&self, hits: &[Hit]) -> BTreeMap<(usize, usize), usize> {
        let mut anchored: BTreeMap<(usize, usize), BTreeSet<i64>> = BTreeMap::new();
        for hit in hits {
            for anchor in self.anchors.get(&hit.row()).into_iter().flatten() {
                let diagonal = hit.position() as i64 - anchor.position as i64;
                anchored.entry((anchor.query, anchor.edit)).or_default().insert(diagonal);
            }
        }
        let queries: BTreeSet<usize> = anchored.keys().map(|(query, _)| *query).collect();
        let mut shared: BTreeMap<usize, Vec<(i64, usize)>> = BTreeMap::new();
        for hit in hits.iter().filter(|_| !queries.is_empty()) {
            for (_, posting) in self.queries.postings(hit.row()) {
                let (query, position) = (posting.document as usize, posting.position as usize);
                if queries.contains(&query) {
                    shared.entry(query).or_default().push((hit.position() as i64 - position as i64, position));
                }
            }
        }
        shared.values_mut().for_each(|of_query| of_query.sort_unstable());
        let k = self.queries.sampling().noise_threshold();
        let n_around = |(query, edit): (usize, usize), diagonals: BTreeSet<i64>| {
            let removed = self.edits[self.numbers[query]][edit].removed();
            let around = removed.start.saturating_sub(WINDOW + k)..removed.end + WINDOW;
            let of_query = &shared[&query];
            let n_near = |diagonal: i64| {
                let from = of_query.partition_point(|(of, _)| *of < diagonal - MAX_SHIFT);
                let near = of_query[from..].iter().take_while(|(of, _)| *of <= diagonal + MAX_SHIFT);
                near.filter(|(_, position)| around.contains(position)).take(MANY_SHARED).count()
            };
            diagonals.into_iter().map(n_near).max().unwrap_or_default()
        };
        anchored.into_iter().map(|(key, diagonals)| (key, n_around(key, diagonals))).collect()
    }

    /// The siblings of some edits of a query in one file.
    fn in_file(
        &self,
        query: usize,
        edits: &[usize],
        hits: &[Hit],
        other: &Other<'_>,
        sources: &Sources<'_>,
    ) -> Vec<Sibling> {
        let number = self.numbers[query];
        let Some(head) = self.heads[number] else { return Vec::new() };
        // What a document shows has no faults to mend.
        if other.source.is_prose {
            return Vec::new();
        }
        let own = &self.base[number].source;
        let mut found = self.places(query, edits, hits, other, head);
        let mut declared = self.declared(number, head, other);
        let is_declared = |edit: &Edit| declared.iter().any(|(own, _)| own.contains(&edit.base.0));
        found.retain(|(group, _)| !is_declared(&group[0].0));
        let siblings = found.into_iter().filter_map(|(places, names)| {
            let mut sibling = self.sibling(number, &places, head, own, other, sources)?;
            let of_head = self.in_head_of(other)?;
            sibling.patch = adapted(other.path, own, &head.source, of_head, &places, &names);
            Some(sibling)
        });
        let siblings: Vec<Sibling> = siblings.collect();
        // An edit of the sources reaches a bundle when it is built.
        let is_same = other.number == Some(number);
        let is_built = !siblings.is_empty() && !is_same && is_bundle(own, other.source, sources.config);
        let siblings = if is_built { Vec::new() } else { siblings };
        declared.drain(..).map(|(_, sibling)| sibling).chain(siblings).collect()
    }

    /// The places of one file that lack edits of a query, in groups of those that belong together.
    ///
    /// Only the surroundings of an edit are aligned, from each fingerprint next to it that the file shares. What was
    /// aligned from there is not aligned again for the edits nearby. Two files that are alike as wholes take no longer
    /// than two that share a function.
    fn places(
        &self,
        query: usize,
        edits: &[usize],
        hits: &[Hit],
        other: &Other<'_>,
        head: &Changed,
    ) -> Vec<(Vec<(Edit, Place)>, Names)> {
        let number = self.numbers[query];
        let own = &self.base[number].source;
        let is_same = other.number == Some(number);
        let k = self.queries.sampling().noise_threshold();
        let mut n_left = MAX_LOCAL;
        let mut found: Vec<(Vec<(Edit, Place)>, Names)> = Vec::new();
        // For each edit, the diagonals along which it was aligned, and its places.
        let mut aligned: HashSet<(usize, i64)> = HashSet::new();
        let mut placed: HashSet<(usize, usize)> = HashSet::new();
        for &number_of_edit in edits {
            let edit = &self.edits[number][number_of_edit];
            let unit = &self.units[number][number_of_edit];
            let asked = edit.base.0.saturating_sub(k + BESIDE)..edit.base.1 + BESIDE;
            for (at, there) in self.queries.shared_at(query, hits, &asked) {
                let diagonal = there as i64 - at as i64;
                if is_same && diagonal == 0 || aligned.contains(&(number_of_edit, diagonal)) || n_left == 0 {
                    continue;
                }
                n_left -= 1;
                let reach = reach(at, unit, is_same.then_some(diagonal.unsigned_abs() as usize));
                let alignment = aligned_around((at, there), &own.tokens, &other.source.tokens, reach);
                let reached = self.reached(number, &alignment);
                // At the ends of what was aligned, too little around an edit was.
                let inside = (at + WINDOW).saturating_sub(reach[0])..(at + reach[1]).saturating_sub(WINDOW);
                let is_inside = |of: &usize| {
                    let of = &self.edits[number][*of].base;
                    inside.start <= of.0 && of.1 <= inside.end
                };
                let done = reached.clone().filter(is_inside);
                for (of, diagonal) in done.flat_map(|of| self.diagonals(number, of, &alignment)) {
                    aligned.insert((of, diagonal));
                }
                aligned.insert((number_of_edit, diagonal));
                let renaming = Renaming::of(&alignment, &own.tokens, &other.source.tokens);
                let places: Vec<(usize, Place)> = reached
                    .filter_map(|of| Some((of, self.place(number, of, head, &alignment, &renaming, other)?)))
                    .filter(|(of, place)| !placed.contains(&(*of, place.in_base.start)))
                    .collect();
                for group in groups(places, &self.edits[number]) {
                    if group.iter().any(|(_, place)| place.is_missed) {
                        placed.extend(group.iter().map(|(of, place)| (*of, place.in_base.start)));
                        let group = group.into_iter().map(|(of, place)| (self.edits[number][of].clone(), place));
                        let names = renaming_of(&renaming, &other.source.tokens, &other.source.text);
                        found.push((group.collect(), names));
                    }
                }
            }
        }
        found
    }

    /// The edits of a file that an alignment reaches, by their numbers.
    fn reached(&self, number: usize, alignment: &Alignment) -> Range<usize> {
        let (edits, query) = (&self.edits[number], alignment.query());
        let from = edits.partition_point(|edit| edit.base.1 < query.start);
        from..edits.partition_point(|edit| edit.base.0 <= query.end).max(from)
    }

    /// The diagonals of an alignment next to an edit.
    fn diagonals(&self, number: usize, edit: usize, alignment: &Alignment) -> Vec<(usize, i64)> {
        let removed = self.edits[number][edit].removed();
        let near = removed.start.saturating_sub(BESIDE)..removed.end + BESIDE;
        let blocks = &alignment.blocks;
        let from = blocks.partition_point(|block| ((block.query + block.len) as usize) < near.start);
        let blocks = blocks[from..].iter().take_while(|block| block.query as usize <= near.end);
        blocks.map(|block| (edit, i64::from(block.target) - i64::from(block.query))).collect()
    }

    /// The blocks of the other file that a comment keeps in step with edited blocks, and that no longer are.
    fn declared(&self, number: usize, head: &Changed, other: &Other<'_>) -> Vec<(Range<usize>, Sibling)> {
        let own = &self.base[number].source;
        let Some(of_head) = self.in_head_of(other) else { return Vec::new() };
        if std::ptr::eq(own, other.source) || Marks::of(own).is_empty() && Marks::of(other.source).is_empty() {
            return Vec::new();
        }
        let own_side = Side { path: &head.source.path, base: own, head: &head.source };
        let other_side = Side { path: other.path, base: other.source, head: of_head };
        let lines = Lines::new(&of_head.text);
        let sibling = |pair: Parted| {
            let within = |edit: &&Edit| pair.own.start <= edit.base.0 && edit.base.1 <= pair.own.end;
            let edits: Vec<Edit> = self.all_edits[number].iter().filter(within).cloned().collect();
            let fragment = crate::audit::judge::fragment(&of_head.text, &lines, &of_head.tokens[pair.other.clone()])?;
            let (n, n_other) = (pair.own.len(), pair.other.len());
            let sibling = Sibling {
                number,
                unit: pair.own.start,
                path: other.path.clone(),
                fragment,
                edits,
                similarity: 2.0 * n.min(n_other) as f64 / (n + n_other).max(1) as f64,
                is_whole: n == n_other,
                is_spelled: false,
                name: None,
                patch: None,
                is_declared: true,
                text: of_head.text.clone(),
            };
            (!sibling.edits.is_empty()).then_some((pair.own, sibling))
        };
        parted(own_side, other_side).into_iter().filter_map(sibling).collect()
    }

    /// The other file in the head.
    fn in_head_of<'o>(&'o self, other: &Other<'o>) -> Option<&'o Source> {
        other.number.map_or(Some(other.source), |number| Some(&self.heads[number]?.source))
    }

    /// The place of the other file that lacks `edit`, if it may.
    fn place(
        &self,
        number: usize,
        edit: usize,
        head: &Changed,
        alignment: &Alignment,
        renaming: &Renaming,
        other: &Other<'_>,
    ) -> Option<Place> {
        let (own, target) = (&self.base[number].source, other.source);
        let (edit, unit) = (&self.edits[number][edit], &self.units[number][edit]);
        // Most places differ, so the expensive checks come after this one.
        let spot_in =
            |alignment: &Alignment, renaming: &Renaming| spot(edit, alignment, renaming, &own.tokens, &target.tokens);
        let spot = spot_in(alignment, renaming).filter(|spot| spot.is_alike(edit))?;
        let of = around(target, spot.target.start, spot.target.end)?;
        let in_head = self.in_head(&spot, other)?;
        let (removed, added) = (&own.tokens[edit.removed()], &head.source.tokens[edit.added()]);
        // What makes the member like its sibling is no edit that the sibling lacks.
        if renaming.makes(added, &target.tokens[spot.target.clone()]) {
            return None;
        }
        let is_substitution = removed.len() == added.len()
            && !removed.is_empty()
            && removed.iter().zip(added).all(|(a, b)| a.symbol == b.symbol);
        if is_substitution && self.is_own_name(edit, head, alignment, own, other, (unit, &of)) {
            return None;
        }
        let is_same_unit = std::ptr::eq(own, target) && *unit == of;
        let n_agreeing_in = |alignment: &Alignment, renaming: &Renaming| {
            let in_units = alignment.within(unit.tokens.clone());
            let pairs = in_units.pairs().filter(|(_, b)| of.tokens.contains(b));
            pairs.filter(|&(a, b)| renaming.agrees(&own.tokens[a], &target.tokens[b])).count()
        };
        let n_agreeing = n_agreeing_in(alignment, renaming);
        // Two units can be alike beyond a part that only one of them has.
        let whole =
            if is_same_unit { Alignment::default() } else { aligned_units(&own.tokens, unit, &target.tokens, &of) };
        let of_whole = Renaming::of(&whole, &own.tokens, &target.tokens);
        let n_agreeing_whole = n_agreeing_in(&whole, &of_whole);
        // What surrounds the place goes on in the units where the alignment around it ended.
        let alignment = continued(alignment, &whole);
        let of_both = Renaming::of(&alignment, &own.tokens, &target.tokens);
        let spot = spot_in(&alignment, &of_both).filter(|wider| wider.target == spot.target).unwrap_or(spot);
        let (n_agreeing, renaming) =
            if n_agreeing_whole > n_agreeing { (n_agreeing_whole, &of_whole) } else { (n_agreeing, renaming) };
        let names: BTreeSet<u32> =
            added.iter().filter(|token| token.kind() == Kind::Identifier).map(|token| token.exact).collect();
        let is_known =
            |name: &&u32| renaming.get(**name).is_some() || target.tokens.iter().any(|token| token.exact == **name);
        let likeness = Likeness {
            n_tokens: (unit.tokens.len(), of.tokens.len()),
            n_agreeing,
            is_same_unit,
            n_names: names.len(),
            n_known: names.iter().filter(is_known).count(),
            is_substitution,
            is_operator: is_operator(removed, &own.text) && is_operator(added, &head.source.text),
            had: has_already(
                added,
                removed,
                &own.tokens[near(&unit.tokens, &edit.removed(), added.len())],
                &target.tokens[near(&of.tokens, &spot.target, added.len())],
                renaming,
            ),
            needs_variable: needs_variable(added, (own, unit), (target, &of), renaming),
            is_still_used: added.is_empty() && is_still_used(edit, (own, unit), (target, &of), &spot.target, renaming),
            is_large_change: self.is_large,
            is_rewritten: self.is_rewrite && {
                let within = |edit: &&Edit| edit.base.0 <= unit.tokens.end && edit.base.1 >= unit.tokens.start;
                let n_edited: usize = self.all_edits[number].iter().filter(within).map(Edit::len).sum();
                4 * n_edited > unit.tokens.len()
            },
        };
        let is_missed = is_missed(edit, &spot, &likeness);
        (is_missed || may_be_missed(edit, &spot, &likeness)).then(|| Place {
            in_head,
            in_base: spot.target.clone(),
            unit: unit.clone(),
            of,
            likeness,
            is_missed,
        })
    }

    /// Whether an edit only gives a member its own name where it had that of its sibling: `Queue` became `SizedQueue`
    /// in what was copied from `Queue`.
    fn is_own_name(
        &self,
        edit: &Edit,
        head: &Changed,
        alignment: &Alignment,
        own: &Source,
        other: &Other<'_>,
        (unit, of): (&Unit, &Unit),
    ) -> bool {
        // What stands most often where a name of the own file does.
        let counterpart = |name: u32| {
            let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
            for (_, b) in alignment.pairs().filter(|(a, _)| own.tokens[*a].exact == name) {
                *counts.entry(other.source.tokens[b].exact).or_default() += 1;
            }
            counts.into_iter().max_by_key(|(_, n)| *n).map(|(name, _)| name)
        };
        let name_of = |source: &Source, unit: &Unit| {
            unit.name.map(|at| source.tokens[at].text(&source.text).to_ascii_lowercase()).unwrap_or_default()
        };
        let (own_name, other_name) = (name_of(own, unit), name_of(other.source, of));
        let changed = edit.removed().zip(edit.added());
        let changed =
            changed.map(|(a, b)| (&own.tokens[a], &head.source.tokens[b])).filter(|(a, b)| a.exact != b.exact);
        changed.into_iter().all(|(was, is)| {
            let text = is.text(&head.source.text).to_ascii_lowercase();
            let is_of = |name: &[u8]| name.len() >= MIN_NAME && memchr::memmem::find(&text, name).is_some();
            counterpart(is.exact) == Some(was.exact) || is_of(&own_name) && !is_of(&other_name)
        })
    }

    /// The place of a sibling in the head: its tokens between two kept ones; `None` if the change edits it there.
    fn in_head(&self, spot: &Spot, other: &Other<'_>) -> Option<(usize, usize)> {
        let Some(number) = other.number else { return Some((spot.target.start, spot.target.end)) };
        let (from, to) = (spot.target.start.saturating_sub(NEAR), spot.target.end + NEAR);
        if self.all_edits[number].iter().any(|edit| edit.base.0 <= to && edit.base.1 >= from) {
            return None;
        }
        let blocks = &self.base[number].kept.blocks;
        let at = blocks.partition_point(|block| ((block.target + block.len) as usize) < spot.target.end);
        let block = blocks.get(at).filter(|block| block.target as usize <= spot.target.start)?;
        let shift = |at: usize| at - block.target as usize + block.query as usize;
        Some((shift(spot.target.start), shift(spot.target.end)))
    }

    /// The sibling that lacks the edits at these places of one unit.
    fn sibling(
        &self,
        number: usize,
        places: &[(Edit, Place)],
        head: &Changed,
        own: &Source,
        other: &Other<'_>,
        sources: &Sources<'_>,
    ) -> Option<Sibling> {
        let (first, last) = (&places.first()?.1, &places.last()?.1);
        let of_head = self.in_head_of(other)?;
        let lines = Lines::new(&of_head.text);
        let (from, to) = (first.in_head.0.saturating_sub(1), (last.in_head.1 + 1).min(of_head.tokens.len()));
        let fragment = crate::audit::judge::fragment(&of_head.text, &lines, of_head.tokens.get(from..to)?)?;
        let is_test = || test_lines(of_head, sources).iter().any(|lines| lines.contains(&fragment.start.line));
        if !does_something(places, head, own) || is_test() {
            return None;
        }
        let Place { unit, of, likeness, .. } = first;
        let (n_own, n_other) = (unit.tokens.len(), of.tokens.len());
        let name = of.name.and_then(|name| other.source.tokens.get(name));
        let own_unit = own.tokens[unit.tokens.clone()].iter().map(|token| token.exact);
        let of_unit = other.source.tokens[of.tokens.clone()].iter().map(|token| token.exact);
        Some(Sibling {
            number,
            unit: unit.tokens.start,
            path: other.path.clone(),
            fragment,
            edits: places.iter().map(|(edit, _)| edit.clone()).collect(),
            similarity: 2.0 * likeness.n_agreeing as f64 / (n_own + n_other).max(1) as f64,
            is_whole: n_own == n_other && likeness.n_agreeing == n_own,
            is_spelled: own_unit.eq(of_unit),
            name: name.map(|name| String::from_utf8_lossy(name.text(&other.source.text)).into_owned()),
            patch: None,
            is_declared: false,
            text: of_head.text.clone(),
        })
    }
}

/// The fingerprints next to edits, by their numbers.
fn anchors(queries: &Queries<'_>, numbers: &[usize], edits: &[Vec<Edit>]) -> HashMap<u32, Vec<Anchor>> {
    let k = queries.sampling().noise_threshold();
    let mut anchors: HashMap<u32, Vec<Anchor>> = HashMap::new();
    for (row, posting) in queries.all_postings() {
        let (query, position) = (posting.document as usize, posting.position as usize);
        let edits = &edits[numbers[query]];
        let from = edits.partition_point(|edit| edit.base.1 + BESIDE <= position);
        let near = edits[from..].iter().take_while(|edit| edit.base.0 <= position + k + BESIDE);
        for edit in from..from + near.count() {
            anchors.entry(row).or_default().push(Anchor { query, edit, position });
        }
    }
    anchors
}

/// How many tokens to align on the left and on the right of a place: its unit, and what is around it. In one file, the
/// two sides, which are `apart`, must not get into each other.
fn reach(at: usize, unit: &Unit, apart: Option<usize>) -> [usize; 2] {
    let of_unit = [at.saturating_sub(unit.tokens.start), unit.tokens.end.saturating_sub(at)];
    match apart {
        None => of_unit.map(|n| n.clamp(LOCAL, MAX_REACH)),
        Some(apart) if of_unit[0] + of_unit[1] <= apart => {
            let beyond = (apart - of_unit[0] - of_unit[1]) / 2;
            of_unit.map(|n| (n + beyond).min(n.max(LOCAL)).min(MAX_REACH))
        }
        Some(apart) => [apart / 2; 2].map(|n| n.min(MAX_REACH)),
    }
}

/// Parts the places of a file that lack edits into those that belong together: a label may part a function, and two
/// functions in a row are two findings.
fn groups(places: Vec<(usize, Place)>, edits: &[Edit]) -> Vec<Vec<(usize, Place)>> {
    let mut groups: Vec<Vec<(usize, Place)>> = Vec::new();
    for (at, place) in places {
        let belongs = |group: &Vec<(usize, Place)>| {
            let (last, of_last) = &group[group.len() - 1];
            let n_between = edits[at].base.0 - edits[*last].base.1;
            // The sibling has the next place about as far away, or it is another place.
            let n_there = place.in_head.0.saturating_sub(of_last.in_head.1);
            (place.unit == of_last.unit || n_between <= SAME_UNIT) && n_there <= n_between + SAME_UNIT
        };
        match groups.last_mut().filter(|group| belongs(group)) {
            Some(group) => group.push((at, place)),
            None => groups.push(vec![(at, place)]),
        }
    }
    groups
}

/// A file that may hold siblings, as it was in base.
struct Other<'o> {
    path: &'o FilePath,
    source: &'o Source,
    /// Its number in base, if the change touches it.
    number: Option<usize>,
}

/// Minimum percentage of the smaller file's fingerprints in a bundle.
const IN_STEP: usize = 70;
/// Minimum size of a bundle, as a multiple of the file's fingerprints.
const BUNDLE: usize = 3;

/// Whether one of two files is built from the other and more.
fn is_bundle(a: &Source, b: &Source, config: &Config) -> bool {
    let mut scratch = Vec::new();
    let mut prints = |of: &Source| -> BTreeSet<u64> {
        config.fingerprint.fingerprints(&of.tokens, &mut scratch).map(|print| print.hash).collect()
    };
    let (a, b) = (prints(a), prints(b));
    let (n_fewer, n_more) = (a.len().min(b.len()), a.len().max(b.len()));
    n_more >= BUNDLE * n_fewer && 100 * a.intersection(&b).count() >= IN_STEP * n_fewer.max(1)
}

/// How a sibling spells the names of the edited file, by their reading.
type Names = HashMap<u32, Vec<u8>>;

/// How a target spells the names of a renaming.
fn renaming_of(renaming: &Renaming, tokens: &[Token], text: &[u8]) -> Names {
    let spelled: HashMap<u32, &[u8]> = tokens.iter().map(|token| (token.exact, token.text(text))).collect();
    renaming.pairs().filter_map(|(name, to)| Some((name, spelled.get(&to)?.to_vec()))).collect()
}

/// Whether tokens are operators and numbers only: `<` became `<=`.
fn is_operator(tokens: &[Token], text: &[u8]) -> bool {
    let is_one = |token: &Token| {
        token.kind() == Kind::Number
            || matches!(token.text(text), b"<" | b">" | b"=" | b"!" | b"+" | b"-" | b"*" | b"/" | b"%" | b"|" | b"^")
    };
    tokens.iter().all(is_one)
}

/// The part of a unit around a place where the edit may already be.
fn near(unit: &Range<usize>, place: &Range<usize>, n_added: usize) -> Range<usize> {
    let around = WINDOW + n_added;
    let (start, end) = (place.start.saturating_sub(around), place.end + around);
    start.max(unit.start).min(place.start)..end.min(unit.end).max(place.end)
}

/// The names among some tokens.
fn names_of(tokens: &[Token]) -> impl Iterator<Item = u32> + '_ {
    tokens.iter().filter(|token| token.kind() == Kind::Identifier).map(|token| token.exact)
}

/// Whether what an edit adds uses a variable that its unit declares, and that the unit of the sibling does not have, by
/// this name or another: there, the edit would not compile.
fn needs_variable(
    added: &[Token],
    (own, unit): (&Source, &Unit),
    (target, of): (&Source, &Unit),
    renaming: &Renaming,
) -> bool {
    let wanted: HashSet<u32> = names_of(added).filter(|name| renaming.get(*name).is_none()).collect();
    if wanted.is_empty() {
        return false;
    }
    let there: HashSet<u32> = names_of(&target.tokens[of.tokens.clone()]).collect();
    let mut missing: HashSet<u32> = wanted.difference(&there).copied().collect();
    let word = |at: usize| own.tokens.get(at).map(|token| token.text(&own.text)).unwrap_or_default();
    for at in unit.tokens.clone() {
        // The first place of a name in its unit declares it, or it is none of the unit's variables.
        if missing.remove(&own.tokens[at].exact) && own.tokens[at].kind() == Kind::Identifier {
            let before = at.checked_sub(1).filter(|before| unit.tokens.contains(before));
            let kind = before.map(|before| own.tokens[before].kind());
            let has_type = matches!(kind, Some(Kind::Identifier | Kind::Keyword))
                || before.is_some_and(|before| matches!(word(before), b"*" | b"&" | b">" | b"]"));
            let is_variable = matches!(word(at + 1), b"=" | b";" | b"," | b")" | b":" | b"[");
            if is_variable && has_type && before.is_some_and(|before| !matches!(word(before), b"return" | b"goto")) {
                return true;
            }
        }
    }
    false
}

/// The tokens among which a declaration has its names: `char *name = value;` before its value.
fn declared_names<'t>(tokens: &'t [Token], text: &[u8]) -> Option<&'t [Token]> {
    let word = |token: &Token| token.text(text);
    let (last, rest) = tokens.split_last()?;
    if word(last) != b";" || rest.iter().any(|token| word(token) == b";") {
        return None;
    }
    if tokens.len() <= MAX_DECLARATION {
        return Some(rest);
    }
    let value = rest.iter().position(|token| word(token) == b"=")?;
    let [.., of_type, name] = &rest[..value] else { return None };
    let has_type = matches!(of_type.kind(), Kind::Identifier | Kind::Keyword) || matches!(word(of_type), b"*" | b"&");
    (has_type && name.kind() == Kind::Identifier).then_some(std::slice::from_ref(name))
}

/// Whether the sibling uses the variable whose declaration an edit removes, and the edited unit no longer does.
fn is_still_used(
    edit: &Edit,
    (own, unit): (&Source, &Unit),
    (target, of): (&Source, &Unit),
    place: &Range<usize>,
    renaming: &Renaming,
) -> bool {
    let removed = edit.removed();
    let Some(declared) = declared_names(&own.tokens[removed.clone()], &own.text) else { return false };
    let outside = |tokens: &[Token], unit: &Range<usize>, place: &Range<usize>| -> HashSet<u32> {
        let (before, behind) = (unit.start..place.start.max(unit.start), place.end.min(unit.end)..unit.end);
        names_of(&tokens[before]).chain(names_of(&tokens[behind])).collect()
    };
    let (own_rest, other_rest) =
        (outside(&own.tokens, &unit.tokens, &removed), outside(&target.tokens, &of.tokens, place));
    names_of(declared).any(|name| !own_rest.contains(&name) && other_rest.contains(&renaming.get(name).unwrap_or(name)))
}

/// The unit around a place.
fn around(source: &Source, start: usize, end: usize) -> Option<Unit> {
    source.document().enclosing_unit(start.saturating_sub(1)..(end + 1).min(source.tokens.len()))
}

fn edits_of(before: &Predecessor, head: Option<&Changed>) -> Vec<Edit> {
    let of_head = |head: &Changed| edits(&before.kept, &head.source.tokens, &before.source.tokens);
    head.map(of_head).unwrap_or_default()
}

/// Whether a file is code of the project itself that computes something.
fn is_own_code(path: &FilePath, is_prose: bool, sources: &Sources<'_>) -> bool {
    sources.config.ground(path, is_prose) == Ground::Code && sources.skip_judging(path).is_none()
}

/// The edits of a file that a sibling may lack.
fn candidates(
    number: usize,
    before: &Predecessor,
    head: &Changed,
    all: &[Edit],
    changed: &[Changed],
    sources: &Sources<'_>,
) -> Vec<Edit> {
    let source = &before.source;
    let is_declarative = sources.languages.named(&source.language).is_some_and(|language| language.is_declarative);
    if all.is_empty() || is_declarative || !is_own_code(&head.source.path, source.is_prose, sources) {
        return Vec::new();
    }
    let mut has_moved = vec![false; source.tokens.len()];
    for range in changed.iter().flat_map(|file| file.was.tokens_of(number)) {
        has_moved[range].fill(true);
    }
    let is_edit = |edit: &&Edit| {
        let (removed, added) = (edit.removed(), edit.added());
        let is_small = removed.len() <= MAX_EDIT && added.len() <= MAX_EDIT;
        let n_removed = removed.clone().filter(|&at| before.removed[at] && !has_moved[at]).count();
        let n_novel = head.novel[added.clone()].iter().filter(|&&is_novel| is_novel).count();
        // A whole function is a feature, and so is its end.
        let holds_unit = || {
            let holds = |source: &Source, range: &Range<usize>| {
                // A wrapped call looks like a unit, too; a function has a head.
                source.document().holds_unit(range.clone(), MIN_UNIT) && source.document().holds_head(range.clone())
            };
            holds(&head.source, &added) || holds(source, &removed)
        };
        // Where all is kept, a name became another one.
        let is_kept = !removed.is_empty() && before.removed[removed.clone()].iter().all(|&is_removed| !is_removed);
        is_small && (is_kept || n_removed + n_novel > 0) && !holds_unit()
    };
    let lines = Lines::new(&head.source.text);
    let test_lines = test_lines(&head.source, sources);
    let is_test_line = |edit: &Edit| {
        let token = head.source.tokens.get(edit.head.0.saturating_sub(1));
        token.is_some_and(|token| test_lines.iter().any(|of| of.contains(&lines.line_of(token.start))))
    };
    all.iter().filter(is_edit).filter(|edit| !is_test_line(edit)).cloned().collect()
}

/// Whether an edit is within the head of a function: with another parameter, what calls it changes, not its siblings.
fn is_of_head(edit: &Edit, unit: &Unit, source: &Source) -> bool {
    let head = source.document().head_of(unit);
    head.is_some_and(|head| head.start <= edit.base.0 && edit.base.1 <= head.end && edit.base.0 < head.end)
}

/// Maximum tokens between two edits of one finding, unless both are in one unit.
const SAME_UNIT: usize = 80;
/// Minimum tokens of a function that an edit adds or removes as a whole.
const MIN_UNIT: usize = 12;

/// The lines of a file with test code.
fn test_lines(source: &Source, sources: &Sources<'_>) -> Vec<Range<u32>> {
    let language = sources.languages.named(&source.language);
    language.map(|language| language.test_lines(&source.text)).unwrap_or_default()
}

/// Drops the edits that the change makes again and again.
fn drop_mechanical(edits: &mut [Vec<Edit>], base: &[Predecessor], heads: &[Option<&Changed>]) {
    let key = |number: usize, edit: &Edit| {
        let added = heads[number].map_or(0, |head| content(&head.source.tokens[edit.added()]));
        (content(&base[number].source.tokens[edit.removed()]), added)
    };
    let mut n_made: HashMap<(u64, u64), usize> = HashMap::new();
    for (number, edit) in edits.iter().enumerate().flat_map(|(number, of)| of.iter().map(move |edit| (number, edit))) {
        *n_made.entry(key(number, edit)).or_default() += 1;
    }
    for (number, of_file) in edits.iter_mut().enumerate() {
        of_file.retain(|edit| n_made.get(&key(number, edit)).is_none_or(|&n| n <= MECHANICAL));
    }
}

/// Whether the edits call, compute, assign or decide, or remove something: a declaration alone fixes nothing.
fn does_something(places: &[(Edit, Place)], head: &Changed, own: &Source) -> bool {
    places.iter().any(|(edit, place)| {
        let added = &head.source.tokens[edit.added()];
        let acts = |text: &[u8]| {
            let is_argument = text == b"," && place.unit.name.is_some();
            is_argument || matches!(text, b"(" | b"=" | b"!" | b"+" | b"-" | b"<" | b">" | b"?" | b"return" | b"if")
        };
        let is_replaced = !edit.removed().is_empty();
        // `@Override` and `#[inline]` are about what follows.
        let mut first = added.iter().map(|token| token.text(&head.source.text));
        let is_annotation = match first.next() {
            Some(b"@") => true,
            Some(b"#") => first.next() == Some(b"["),
            _ => false,
        };
        let own = &own.tokens[edit.removed()];
        (is_replaced && own.iter().any(|token| token.kind() != Kind::Punctuation || added.is_empty()))
            || !is_annotation && added.iter().any(|token| acts(token.text(&head.source.text)))
    })
}
