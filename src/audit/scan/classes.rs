//! Joins the repeats of a tree into clone classes, one for each family of copies.
//!
//! Each repeat links a place to a few earlier ones. Places that are linked, directly or through
//! others, form one class (the connected components of the links). A class inside another one adds
//! nothing and is left out.
//!
//! Invariant: no two places of a class overlap, and each class has at least two.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use foldhash::{HashMap, HashMapExt};
use rayon::prelude::*;

use super::fragments::{Member, RecentSources, Repeat, Repeats};
use crate::audit::Error;
use crate::files::ReadFiles;
use crate::matching::{SAME_PLACE, is_same_place};

/// Maximum times that lost runs are joined again.
const MAX_ROUNDS: usize = 3;

/// Opens the files of places for one thread.
type Open<'o, 's, R> = &'o (dyn Fn() -> RecentSources<'s, R> + Sync);

/// The classes of a tree.
pub(super) struct TreeClasses {
    /// The places of each.
    pub classes: Vec<Vec<Member>>,
    /// What is left out as too common.
    pub idioms: Idioms,
}

/// Short code that many places share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Idioms {
    /// How many there are.
    pub n_all: usize,
    /// Where they are, all together.
    pub n_places: usize,
}

/// Joins repeats into classes, in the order of their first places.
///
/// Places that are nearly the same become one, and places of a class that overlap are cut, so a run
/// may be lost. What is lost is joined again, to classes of its own. Time O(n log n) for n places,
/// but where many overlap.
///
/// Whether something is an idiom is asked of a class, not of its pairs: a family with a member that
/// is a whole function is none, however many members have lost an end.
///
/// # Errors
/// If a file cannot be read.
pub(super) fn join<R: ReadFiles>(
    repeats: Repeats,
    open: Open<'_, '_, R>,
) -> Result<TreeClasses, Error> {
    let Repeats { fragments, mut runs, .. } = repeats;
    let mut classes = linked(fragments, open)?;
    for _ in 0..MAX_ROUNDS {
        let shown = PlacesByLine::new(&classes);
        runs.retain(|run| !shown.is_pair(run));
        drop(shown);
        if runs.is_empty() {
            break;
        }
        classes.extend(linked(runs.clone(), open)?);
    }
    let (telling, idioms): (Vec<Class>, Vec<Class>) =
        classes.into_iter().partition(|class| class.is_telling);
    let n_places = idioms.iter().map(|idiom| idiom.places.len()).sum();
    let idioms = Idioms { n_all: idioms.len(), n_places };
    Ok(TreeClasses {
        classes: without_nested(telling.into_iter().map(|class| class.places).collect()),
        idioms,
    })
}

/// Places that are copies of each other.
struct Class {
    places: Vec<Member>,
    /// Whether it is no idiom.
    is_telling: bool,
}

/// The classes of the places that are linked, directly or through others.
fn linked<R: ReadFiles>(repeats: Vec<Repeat>, open: Open<'_, '_, R>) -> Result<Vec<Class>, Error> {
    let mut places = Places::default();
    for Repeat { place, earlier, is_telling } in repeats {
        let number = places.number(place);
        places.is_telling[number] |= is_telling;
        for other in earlier {
            let other = places.number(other);
            places.link(number, other);
        }
    }
    let mut classes = places
        .into_classes()
        .into_par_iter()
        .map_init(open, |files, LinkedPlaces { places, is_telling }| {
            let mut whole = Vec::with_capacity(places.len());
            for (place, hull) in places {
                let cut = if hull == place.tokens { None } else { files.cut(&place, hull)? };
                whole.push(cut.unwrap_or(place));
            }
            Ok(Class { places: without_overlap(whole, files)?, is_telling })
        })
        .collect::<Result<Vec<_>, Error>>()?;
    classes.retain(|class| class.places.len() > 1);
    Ok(classes)
}

/// Linked places, each with its tokens and those of the places that are nearly the same.
#[derive(Default)]
struct LinkedPlaces {
    places: Vec<(Member, Range<usize>)>,
    /// Whether they are no idiom.
    is_telling: bool,
}

/// The places of classes, to be found by their lines.
struct PlacesByLine<'c> {
    of_document: BTreeMap<u32, DocumentPlaces<'c>>,
}

/// The places in one document.
#[derive(Default)]
struct DocumentPlaces<'c> {
    /// Each with the number of its class, by first line.
    places: Vec<(&'c Member, usize)>,
    /// The lines of the longest.
    longest: u32,
}

impl<'c> PlacesByLine<'c> {
    fn new(classes: &'c [Class]) -> Self {
        let mut of_document: BTreeMap<u32, DocumentPlaces<'_>> = BTreeMap::new();
        for (number, place) in classes
            .iter()
            .enumerate()
            .flat_map(|(number, class)| class.places.iter().map(move |of| (number, of)))
        {
            let all = of_document.entry(place.document).or_default();
            all.places.push((place, number));
            all.longest = all.longest.max(place.fragment.end.line - place.fragment.start.line);
        }
        for all in of_document.values_mut() {
            all.places.sort_by_key(|(place, number)| (place.fragment.start.line, *number));
        }
        Self { of_document }
    }

    /// The places around `place`, each with its class, as far as its lines go.
    fn around(&self, place: &Member) -> impl Iterator<Item = (&'c Member, usize)> {
        let (first, last) = (place.fragment.start.line, place.fragment.end.line);
        let all = self.of_document.get(&place.document);
        let (places, longest) = all.map_or((&[][..], 0), |all| (&all.places[..], all.longest));
        let from = places.partition_point(|(of, _)| of.fragment.start.line + longest < last);
        let before =
            places[from..].iter().take_while(move |(of, _)| of.fragment.start.line <= first);
        before.filter(move |(of, _)| last <= of.fragment.end.line).copied()
    }

    /// Whether one class has a place around the fragment and another one around its earlier places.
    fn is_pair(&self, Repeat { place, earlier, .. }: &Repeat) -> bool {
        // A class has at most one place around it, as none overlap.
        let own: HashMap<usize, &Member> =
            self.around(place).map(|(of, class)| (class, of)).collect();
        let is_other = |(other, class): (&Member, usize)| {
            own.get(&class).is_some_and(|of| !std::ptr::eq(*of, other))
        };
        earlier.iter().all(|earlier| self.around(earlier).any(is_other))
    }
}

/// The distinct places seen so far, and which are linked.
#[derive(Default)]
struct Places {
    all: Vec<Member>,
    /// For each place, its tokens and those of the places that are nearly the same.
    hulls: Vec<Range<usize>>,
    /// For each place, whether what it repeats is no idiom.
    is_telling: Vec<bool>,
    /// For each document the numbers of its places by their first token, and the longest of them.
    of_document: HashMap<u32, (BTreeMap<usize, Vec<usize>>, usize)>,
    /// Union-find: for each place, an earlier one of its class, or itself.
    before: Vec<usize>,
}

impl Places {
    /// The number of the place that is nearly this one, or of this one, which is new.
    fn number(&mut self, place: Member) -> usize {
        let (by_start, longest) = self.of_document.entry(place.document).or_default();
        *longest = (*longest).max(place.tokens.len());
        // Places that overlap by seven tenths begin within half the longest length of each other.
        let (from, to) = (
            place.tokens.start.saturating_sub(*longest / 2),
            place.tokens.start + place.tokens.len() / 2,
        );
        let near = by_start.range(from..=to).flat_map(|(_, numbers)| numbers);
        let known =
            near.copied().find(|&other| is_same_place(&self.all[other].tokens, &place.tokens));
        if let Some(number) = known {
            self.all[number].is_worth |= place.is_worth;
            // What either has beyond the other was found as well.
            let hull = &mut self.hulls[number];
            *hull = hull.start.min(place.tokens.start)..hull.end.max(place.tokens.end);
            return number;
        }
        let number = self.all.len();
        by_start.entry(place.tokens.start).or_default().push(number);
        self.hulls.push(place.tokens.clone());
        self.is_telling.push(false);
        self.all.push(place);
        self.before.push(number);
        number
    }

    /// The first place of a class.
    fn root(&mut self, mut at: usize) -> usize {
        while self.before[at] != at {
            // Path compression: each lookup shortens the way for the next.
            self.before[at] = self.before[self.before[at]];
            at = self.before[at];
        }
        at
    }

    fn link(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.before[a.max(b)] = a.min(b);
    }

    fn into_classes(mut self) -> Vec<LinkedPlaces> {
        let roots: Vec<usize> = (0..self.all.len()).map(|at| self.root(at)).collect();
        let mut classes: BTreeMap<usize, LinkedPlaces> = BTreeMap::new();
        for (((place, hull), is_telling), root) in
            self.all.into_iter().zip(self.hulls).zip(self.is_telling).zip(roots)
        {
            let class = classes.entry(root).or_default();
            class.places.push((place, hull));
            class.is_telling |= is_telling;
        }
        classes.into_values().collect()
    }
}

/// The places of a class that do not overlap: of two that do, the longer is the copy, and the other
/// is what is left of it if that is nearly all, or a piece of the longer.
fn without_overlap<R: ReadFiles>(
    mut class: Vec<Member>,
    files: &RecentSources<'_, R>,
) -> Result<Vec<Member>, Error> {
    class.sort_by_key(|place| (place.document, place.tokens.start));
    let mut kept: Vec<Member> = Vec::new();
    for place in class {
        let Some(last) = kept.last_mut().filter(|last| last.document == place.document) else {
            kept.push(place);
            continue;
        };
        let (own, other) = (place.tokens.clone(), last.tokens.clone());
        let is_kept = |left: &Range<usize>, of: &Range<usize>| {
            left.len() as f64 >= SAME_PLACE * of.len() as f64
        };
        let behind = own.start.max(other.end)..own.end.max(other.end);
        let before = other.start..own.start;
        if own.start >= other.end {
            kept.push(place);
        } else if is_kept(&behind, &own) && own.len() <= other.len() {
            kept.extend(files.cut(&place, behind)?);
        } else if is_kept(&before, &other) {
            if let Some(left) = files.cut(last, before)? {
                *last = left;
            }
            kept.push(place);
        } else if is_kept(&behind, &own) {
            kept.extend(files.cut(&place, behind)?);
        } else if own.len() > other.len() {
            // The last one may be what was left of a longer place that began before this one.
            let n_before = kept.len() - 1;
            let before = kept[..n_before].last().filter(|before| before.document == place.document);
            let free = own.start.max(before.map_or(0, |before| before.tokens.end));
            kept.truncate(n_before);
            kept.extend(if free == own.start {
                Some(place)
            } else {
                files.cut(&place, free..own.end)?
            });
        }
    }
    Ok(kept)
}

/// The classes of which not all places lie within places of another one.
fn without_nested(classes: Vec<Vec<Member>>) -> Vec<Vec<Member>> {
    let mut of_document: BTreeMap<u32, Vec<(Range<usize>, usize)>> = BTreeMap::new();
    for (number, place) in classes
        .iter()
        .enumerate()
        .flat_map(|(number, class)| class.iter().map(move |of| (number, of)))
    {
        of_document.entry(place.document).or_default().push((place.tokens.clone(), number));
    }
    let mut longest: HashMap<u32, usize> = HashMap::new();
    for (document, places) in &mut of_document {
        places.sort_by_key(|(tokens, number)| (tokens.start, *number));
        longest.insert(*document, places.iter().map(|(tokens, _)| tokens.len()).max().unwrap_or(0));
    }
    // The other classes with a place around this one.
    let around = |place: &Member, own: usize| -> Vec<usize> {
        let places = &of_document[&place.document];
        let from = places.partition_point(|(tokens, _)| {
            tokens.start + longest[&place.document] < place.tokens.end
        });
        let before =
            places[from..].iter().take_while(|(tokens, _)| tokens.start <= place.tokens.start);
        let holds = |tokens: &Range<usize>| tokens.end >= place.tokens.end;
        before
            .filter(|(tokens, number)| *number != own && holds(tokens))
            .map(|&(_, number)| number)
            .collect()
    };
    let is_nested = |number: usize| {
        let class = &classes[number];
        let candidates = around(&class[0], number);
        candidates.into_iter().any(|other| {
            // Of two classes with the same places, the first one is kept.
            let is_larger = |a: &Member, b: &Member| a.tokens.len() > b.tokens.len();
            let outer = &classes[other];
            // Each within another place: two that lie in one place of the outer class are copies
            // that it does not show.
            let holder = |place: &Member| {
                let holds = |of: &Member| {
                    of.tokens.start <= place.tokens.start && place.tokens.end <= of.tokens.end
                };
                // They are in order, and no two overlap.
                let before = |of: &Member| {
                    (of.document, of.tokens.start) <= (place.document, place.tokens.start)
                };
                let last = outer.partition_point(before).checked_sub(1);
                last.filter(|&at| outer[at].document == place.document && holds(&outer[at]))
            };
            let holders: Option<BTreeSet<usize>> = class.iter().map(holder).collect();
            holders.is_some_and(|holders| holders.len() == class.len())
                && (other < number
                    || outer.iter().zip(class).any(|(outer, own)| is_larger(outer, own)))
        })
    };
    let is_nested: Vec<bool> = (0..classes.len()).map(is_nested).collect();
    classes
        .into_iter()
        .zip(is_nested)
        .filter(|(_, is_nested)| !is_nested)
        .map(|(class, _)| class)
        .collect()
}
