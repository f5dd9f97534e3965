//! Joins the repeats of a tree into clone classes, one for each family of copies.
//!
//! Each repeat links a place to an earlier one. Places that are linked, directly or through
//! others, form one class (the connected components of the links). A class inside another one adds
//! nothing and is left out.
//!
//! Invariant: no two places of a class overlap, and each class has at least two.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use foldhash::HashMap;
use rayon::prelude::*;

use super::fragments::{Member, RecentSources, Repeat, Repeats};
use crate::audit::Error;
use crate::files::ReadFiles;
use crate::matching::{Groups, SAME_PLACE, is_same_place};

/// Opens the files of places for one thread.
type Open<'o, 's, R> = &'o (dyn Fn() -> RecentSources<'s, R> + Sync);

/// The classes of a tree.
pub(super) struct TreeClasses {
    /// The places of each.
    pub classes: Vec<Vec<Member>>,
    /// The number of classes that are left out as too common: short code that many places share.
    pub n_idioms: usize,
    /// The number of their places, all together.
    pub n_idiom_places: usize,
}

/// Joins repeats into classes, in the order of their first places.
///
/// Places that are nearly the same become one, and places of a class that overlap are cut, so a run
/// may be lost. What is lost is joined again, to classes of its own, three times at most.
/// Time O(n log n) for n places, but where many overlap.
///
/// Whether something is an idiom is asked of a class, not of its pairs: a family with a member that
/// is a whole function is none, however many members have lost an end.
pub(super) fn join<R: ReadFiles>(
    repeats: Repeats,
    open: Open<'_, '_, R>,
) -> Result<TreeClasses, Error> {
    let Repeats { fragments, mut runs, .. } = repeats;
    let mut classes = linked(fragments, open)?;
    for _ in 0..3 {
        let places = each_place(classes.iter().map(|class| &class.places));
        let places = places.map(|(place, number)| (place.document, rows(place), number));
        let shown = PlacesAround::new(places);
        runs.retain(|run| !is_pair(&shown, run));
        if runs.is_empty() {
            break;
        }
        classes.extend(linked(runs.clone(), open)?);
    }
    let (telling, idioms): (Vec<Class>, Vec<Class>) =
        classes.into_iter().partition(|class| class.is_telling);
    let n_idiom_places = idioms.iter().map(|idiom| idiom.places.len()).sum();
    let classes = without_nested(telling.into_iter().map(|class| class.places).collect());
    Ok(TreeClasses { classes, n_idioms: idioms.len(), n_idiom_places })
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
    // Those of a fragment stand side by side: it is one place, whatever is linked meanwhile.
    for of_place in repeats.chunk_by(|a, b| a.place.is_at(&b.place)) {
        let mut place = of_place[0].place.clone();
        of_place[1..].iter().for_each(|repeat| place.join(&repeat.place));
        let number = places.number(place);
        places.all[number].is_telling |= of_place.iter().any(|repeat| repeat.is_telling);
        for repeat in of_place {
            let other = places.number(repeat.earlier.clone());
            places.groups.join(number, other);
        }
    }
    drop(repeats);
    let classes = places.into_classes().into_par_iter().map_init(open, |files, linked| {
        let is_telling = linked.iter().any(|of| of.is_telling);
        let mut whole = Vec::with_capacity(linked.len());
        for LinkedPlace { place, hull, .. } in linked {
            let cut = if hull == place.tokens { None } else { files.cut(&place, hull)? };
            whole.push(cut.unwrap_or(place));
        }
        Ok(Class { places: without_overlap(whole, files)?, is_telling })
    });
    let mut classes = classes.collect::<Result<Vec<_>, Error>>()?;
    classes.retain(|class| class.places.len() > 1);
    Ok(classes)
}

struct LinkedPlace {
    place: Member,
    /// Its tokens and those of the places that are nearly the same.
    hull: Range<usize>,
    /// Whether what it repeats is no idiom.
    is_telling: bool,
}

/// The places of classes, to be found by what they hold: each a range of its document, with what is
/// known of it.
struct PlacesAround<T>(BTreeMap<u32, PlacesOfDocument<T>>);

/// Places by their starts, and the length of the longest.
type PlacesOfDocument<T> = (Vec<(Range<usize>, T)>, usize);

impl<T: Copy + Ord> PlacesAround<T> {
    fn new(places: impl Iterator<Item = (u32, Range<usize>, T)>) -> Self {
        let mut of_document: BTreeMap<u32, PlacesOfDocument<T>> = BTreeMap::new();
        for (document, range, place) in places {
            let (all, longest) = of_document.entry(document).or_default();
            *longest = (*longest).max(range.len());
            all.push((range, place));
        }
        for (all, _) in of_document.values_mut() {
            all.sort_unstable_by_key(|(range, place)| (range.start, *place));
        }
        Self(of_document)
    }

    /// The places of a document that hold all of `range`.
    fn around(&self, document: u32, range: Range<usize>) -> impl Iterator<Item = T> {
        let of_document = self.0.get(&document);
        let (all, longest) =
            of_document.map_or((&[][..], 0), |(all, longest)| (&all[..], *longest));
        let from = all.partition_point(|(of, _)| of.start + longest < range.end);
        let before = all[from..].iter().take_while(move |(of, _)| of.start <= range.start);
        before.filter(move |(of, _)| range.end <= of.end).map(|(_, place)| *place)
    }
}

fn rows(place: &Member) -> Range<usize> {
    place.fragment.start.line as usize..place.fragment.end.line as usize + 1
}

/// Whether one class has a place around the fragment and another one around its earlier place;
/// `shown` has places by their lines, as class and number.
fn is_pair(shown: &PlacesAround<(usize, usize)>, Repeat { place, earlier, .. }: &Repeat) -> bool {
    // A class has at most one place around it, as none overlap.
    let own: HashMap<usize, usize> = shown.around(place.document, rows(place)).collect();
    let mut around = shown.around(earlier.document, rows(earlier));
    around.any(|(class, number)| own.get(&class).is_some_and(|own| *own != number))
}

/// All places of classes, each with the number of its class, and its own in that.
fn each_place<'c>(
    classes: impl Iterator<Item = &'c Vec<Member>>,
) -> impl Iterator<Item = (&'c Member, (usize, usize))> {
    classes.enumerate().flat_map(|(class, places)| {
        places.iter().enumerate().map(move |(number, place)| (place, (class, number)))
    })
}

/// The distinct places seen so far, and which are linked.
#[derive(Default)]
struct Places {
    all: Vec<LinkedPlace>,
    /// For each document its places, as their first token and number, and the longest of them.
    of_document: HashMap<u32, (BTreeSet<(usize, usize)>, usize)>,
    /// Which are linked.
    groups: Groups,
}

impl Places {
    /// The number of the place that is nearly this one, or of this one, which is new.
    fn number(&mut self, place: Member) -> usize {
        let (by_start, longest) = self.of_document.entry(place.document).or_default();
        *longest = (*longest).max(place.tokens.len());
        // Places that overlap by seven tenths begin within half the longest length of each other.
        let start = place.tokens.start;
        let (from, to) = (start.saturating_sub(*longest / 2), start + place.tokens.len() / 2);
        let mut near = by_start.range((from, 0)..(to + 1, 0)).map(|(_, number)| *number);
        let known = near.find(|&of| is_same_place(&self.all[of].place.tokens, &place.tokens));
        if let Some(number) = known {
            let LinkedPlace { place: known, hull, .. } = &mut self.all[number];
            known.join(&place);
            // What either has beyond the other was found as well.
            *hull = hull.start.min(place.tokens.start)..hull.end.max(place.tokens.end);
            return number;
        }
        let number = self.all.len();
        by_start.insert((start, number));
        self.all.push(LinkedPlace { hull: place.tokens.clone(), place, is_telling: false });
        self.groups.add();
        number
    }

    fn into_classes(mut self) -> Vec<Vec<LinkedPlace>> {
        let class_of = Vec::from_iter((0..self.all.len()).map(|number| self.groups.first(number)));
        let mut n_places = vec![0; class_of.len()];
        class_of.iter().for_each(|&class| n_places[class] += 1);
        let mut classes = Vec::from_iter(n_places.into_iter().map(Vec::with_capacity));
        for (class, place) in class_of.into_iter().zip(self.all) {
            classes[class].push(place);
        }
        classes.retain(|class| !class.is_empty());
        classes
    }
}

/// The places of a class that do not overlap: of two that do, the longer is the copy, and the other
/// is what is left of it if that is nearly all, or a piece of the longer.
fn without_overlap<R: ReadFiles>(
    mut class: Vec<Member>,
    files: &RecentSources<'_, R>,
) -> Result<Vec<Member>, Error> {
    class.sort_by_key(|place| (place.document, place.tokens.start));
    let mut kept: Vec<Member> = Vec::with_capacity(class.len());
    for place in class {
        let Some(last) = kept.last_mut().filter(|last| last.document == place.document) else {
            kept.push(place);
            continue;
        };
        let (own, other) = (place.tokens.clone(), last.tokens.clone());
        let behind = own.start.max(other.end)..own.end.max(other.end);
        let before = other.start..own.start;
        if own.start >= other.end {
            kept.push(place);
        } else if is_nearly_all(&behind, &own) && own.len() <= other.len() {
            kept.extend(files.cut(&place, behind)?);
        } else if is_nearly_all(&before, &other) {
            if let Some(left) = files.cut(last, before)? {
                *last = left;
            }
            kept.push(place);
        } else if is_nearly_all(&behind, &own) {
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

fn is_nearly_all(left: &Range<usize>, of: &Range<usize>) -> bool {
    left.len() as f64 >= SAME_PLACE * of.len() as f64
}

/// The classes of which not all places lie within places of another one.
fn without_nested(classes: Vec<Vec<Member>>) -> Vec<Vec<Member>> {
    let places = each_place(classes.iter());
    let places = places.map(|(place, (class, _))| (place.document, place.tokens.clone(), class));
    let all = PlacesAround::new(places);
    let are_nested = Vec::from_iter(classes.iter().enumerate().map(|(number, class)| {
        let around = all.around(class[0].document, class[0].tokens.clone());
        around.filter(|&other| other != number).any(|other| {
            let outer = &classes[other];
            // Of two classes with the same places, the first one is kept.
            is_within(class, outer)
                && (other < number
                    || outer.iter().zip(class).any(|(a, b)| a.tokens.len() > b.tokens.len()))
        })
    }));
    let classes = classes.into_iter().zip(are_nested);
    classes.filter_map(|(class, is_nested)| (!is_nested).then_some(class)).collect()
}

/// Whether each place of a class lies within another place of `outer`: two that lie in one place
/// of it are copies that it does not show.
fn is_within(class: &[Member], outer: &[Member]) -> bool {
    let holders = class.iter().map(|place| {
        // They are in order, and no two overlap.
        let start = (place.document, place.tokens.start);
        let n = outer.partition_point(|of| (of.document, of.tokens.start) <= start);
        let last = n.checked_sub(1).map(|last| (last, &outer[last]));
        let holder = last
            .filter(|(_, of)| of.document == place.document && place.tokens.end <= of.tokens.end);
        holder.map(|(number, _)| number)
    });
    let holders: Option<BTreeSet<usize>> = holders.collect();
    holders.is_some_and(|holders| holders.len() == class.len())
}
