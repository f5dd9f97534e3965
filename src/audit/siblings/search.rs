//! Compares the edits of a change with each file that may hold siblings, and makes a sibling of the places that lack
//! them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::compared::{MAX_FILES, Sighting, Target, Wanted};
use super::edits::does_something;
use super::images::PreImages;
use super::members::Members;
use super::other::Other;
use super::patch::adapted;
use super::place::Place;
use super::step::{Marks, Parted, Side, parted};
use crate::audit::Error;
use crate::audit::bundle::Bundle;
use crate::audit::read::Sources;
use crate::audit::search::Hit;
use crate::files::Entry;
use crate::git::Repository;
use crate::matching::Edit;
use crate::policy::Fragment;
use crate::text::FilePath;

/// Maximum further files in which comments that keep blocks in step are looked for.
const MAX_DECLARED: usize = 1_000;

/// Minimum files with siblings, of [`MAX_FILES`], for a class to be counted in all files.
const LARGE_CLASS: usize = MAX_FILES * 2 / 3;
/// Maximum patches for the siblings of a unit in one file, the first ones.
const MAX_PATCHES: usize = 32;

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
    pub text: Arc<Vec<u8>>,
}

impl<'p> PreImages<'p> {
    /// The siblings that lack edits, in the files with `hits` of the queries and in those of the change.
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
        let sightings = self.sightings(hits, is_new, sources);
        let (wanted, further) = self.wanted(&sightings);
        let compared: BTreeSet<usize> = wanted.keys().copied().collect();
        let mut found = self.compared(wanted, &sightings, repository, sources)?;
        // Where most of the nearest files have siblings, the others are counted.
        let mut files: BTreeMap<(usize, &Edit), BTreeSet<&FilePath>> = BTreeMap::new();
        for sibling in found.iter().filter(|_| !further.is_empty()) {
            for edit in &sibling.edits {
                files.entry((sibling.number, edit)).or_default().insert(&sibling.path);
            }
        }
        let mut counted = Wanted::new();
        for ((query, edit), rest) in further {
            let number = self.numbers[query];
            let n_files = files.get(&(number, &self.edits[number][edit])).map_or(0, BTreeSet::len);
            for at in rest.into_iter().filter(|_| n_files >= LARGE_CLASS) {
                counted.entry(at).or_default().entry(query).or_default().push(edit);
            }
        }
        found.extend(self.compared(counted, &sightings, repository, sources)?);
        let not_compared = sightings.iter().enumerate().filter(|(at, _)| !compared.contains(at));
        let not_compared: Vec<&Sighting> = not_compared.map(|(_, sighting)| sighting).collect();
        found.extend(self.further_declared(&found, &not_compared, repository, sources)?);
        Ok(found)
    }

    /// The siblings in the files that are `wanted`.
    fn compared(
        &self,
        wanted: Wanted,
        sightings: &[Sighting],
        repository: &Repository,
        sources: &Sources<'_>,
    ) -> Result<Vec<Sibling>, Error> {
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
                let other = Other::new(path, source, number, hits);
                Ok(queries.iter().flat_map(|(&query, edits)| self.in_file(query, edits, &other, sources)).collect())
            },
        );
        let found: Vec<Vec<Sibling>> = found.collect::<Result<_, Error>>()?;
        Ok(found.into_iter().flatten().collect())
    }

    /// The blocks that comments keep in step with edited ones, in files that were not compared: where one file has such
    /// a comment, so may any other that shares something with the edited one.
    fn further_declared(
        &self,
        found: &[Sibling],
        not_compared: &[&Sighting],
        repository: &Repository,
        sources: &Sources<'_>,
    ) -> Result<Vec<Sibling>, Error> {
        let numbers: BTreeSet<usize> = found.iter().filter(|of| of.is_declared).map(|of| of.number).collect();
        if numbers.is_empty() {
            return Ok(Vec::new());
        }
        let further = not_compared[..not_compared.len().min(MAX_DECLARED)].par_iter().map_init(
            || repository.reader(),
            |reader, Sighting { path, target, .. }| {
                let Target::Same(entry) = target else { return Ok(Vec::new()) };
                let Ok(source) = sources.read(reader, entry)? else { return Ok(Vec::new()) };
                let other = Other::new(path, &source, None, &[]);
                let declared = |&number: &usize| {
                    let declared = Members::new(self, number, &other)?.declared(sources);
                    Some(declared.into_iter().map(|(_, sibling)| sibling))
                };
                Ok(numbers.iter().filter_map(declared).flatten().collect())
            },
        );
        let further: Vec<Vec<Sibling>> = further.collect::<Result<_, Error>>()?;
        Ok(further.into_iter().flatten().collect())
    }

    /// The siblings of some edits of a query in one file.
    fn in_file(&self, query: usize, edits: &[usize], other: &Other<'_>, sources: &Sources<'_>) -> Vec<Sibling> {
        let Some(members) = Members::new(self, self.numbers[query], other) else { return Vec::new() };
        // What a document shows has no faults to mend.
        if other.source.is_prose {
            return Vec::new();
        }
        let mut found = members.places(query, edits);
        let mut declared = members.declared(sources);
        let is_declared = |edit: &Edit| declared.iter().any(|(own, _)| own.contains(&edit.base.0));
        found.retain(|(group, _)| !is_declared(&group[0].0));
        let of_group =
            |(places, names): (Vec<(Edit, Place)>, _)| Some((members.sibling(&places, sources)?, places, names));
        let mut siblings: Vec<(Sibling, _, _)> = found.into_iter().filter_map(of_group).collect();
        siblings.sort_by_key(|(sibling, ..)| (sibling.unit, Reverse(sibling.edits.len()), sibling.fragment));
        let mut n_patches: HashMap<usize, usize> = HashMap::new();
        for (sibling, places, names) in &mut siblings {
            let n = n_patches.entry(sibling.unit).or_default();
            *n += 1;
            if *n <= MAX_PATCHES {
                sibling.patch = adapted(&members, places, &other.spelled(names));
            }
        }
        let siblings: Vec<Sibling> = siblings.into_iter().map(|(sibling, ..)| sibling).collect();
        // An edit of the sources reaches a bundle when it is built.
        let bundle = || Bundle::between(members.own, other.source, sources.config);
        let is_built = !siblings.is_empty() && !members.is_same_file() && bundle().is_some();
        let siblings = if is_built { Vec::new() } else { siblings };
        declared.drain(..).map(|(_, sibling)| sibling).chain(siblings).collect()
    }
}

impl Members<'_, '_> {
    /// The blocks of the other file that a comment keeps in step with edited blocks, and that no longer are.
    fn declared(&self, sources: &Sources<'_>) -> Vec<(Range<usize>, Sibling)> {
        let &Self { number, own, head, other, .. } = self;
        let Some(of_head) = self.other_in_head() else { return Vec::new() };
        if std::ptr::eq(own, other.source) || Marks::of(own).is_empty() && Marks::of(other.source).is_empty() {
            return Vec::new();
        }
        let own_side = Side { path: &head.source.path, base: own, head: &head.source };
        let other_side = Side { path: other.path, base: other.source, head: of_head };
        let in_head = other.in_head(of_head, sources);
        let sibling = |pair: Parted| {
            let within = |edit: &&Edit| pair.own.start <= edit.base.0 && edit.base.1 <= pair.own.end;
            let edits: Vec<Edit> = self.all_edits().iter().filter(within).cloned().collect();
            let fragment =
                crate::audit::judge::fragment(&of_head.text, &in_head.lines, &of_head.tokens[pair.other.clone()])?;
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
                text: Arc::clone(&in_head.text),
            };
            (!sibling.edits.is_empty()).then_some((pair.own, sibling))
        };
        parted(own_side, other_side).into_iter().filter_map(sibling).collect()
    }

    /// The sibling that lacks the edits at these places of one unit.
    fn sibling(&self, places: &[(Edit, Place)], sources: &Sources<'_>) -> Option<Sibling> {
        let &Self { number, own, head, other, .. } = self;
        let (first, last) = (&places.first()?.1, &places.last()?.1);
        let of_head = self.other_in_head()?;
        let in_head = other.in_head(of_head, sources);
        let (from, to) = (first.in_head.0.saturating_sub(1), (last.in_head.1 + 1).min(of_head.tokens.len()));
        let fragment = crate::audit::judge::fragment(&of_head.text, &in_head.lines, of_head.tokens.get(from..to)?)?;
        let is_test = || in_head.test_lines.iter().any(|lines| lines.contains(&fragment.start.line));
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
            text: Arc::clone(&in_head.text),
        })
    }
}
