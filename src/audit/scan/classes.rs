//! Joins the repeats of a tree into clone classes, one for each family of copies.
//!
//! Each repeat links a place to a few earlier ones. Places that are linked, directly or through others, form one class
//! (the connected components of the links). A class inside another one adds nothing and is left out.
//!
//! Invariant: no two places of a class overlap, and each class has at least two.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::fragments::{Place, Repeat};

/// Minimum overlap of two places, as a fraction of either, to be one.
const SAME_PLACE: f64 = 0.7;

/// Joins repeats into classes, sorted by their first places. Time O(n log n) for n places, unless many of them overlap.
pub(super) fn join(repeats: Vec<Repeat>) -> Vec<Vec<Place>> {
    let mut places = Places::default();
    for Repeat { place, earlier } in repeats {
        let number = places.number(place);
        for other in earlier {
            let other = places.number(other);
            places.link(number, other);
        }
    }
    without_nested(places.into_classes())
}

/// The distinct places seen so far, and which are linked.
#[derive(Default)]
struct Places {
    all: Vec<Place>,
    /// For each document, the numbers of its places by first token, and the longest of them.
    of_document: HashMap<u32, (BTreeMap<usize, Vec<usize>>, usize)>,
    /// Union-find: for each place, an earlier one of its class, or itself.
    before: Vec<usize>,
}

impl Places {
    /// The number of the place that is nearly the same as this one, or of this one as a new place.
    fn number(&mut self, place: Place) -> usize {
        let (by_start, longest) = self.of_document.entry(place.document).or_default();
        *longest = (*longest).max(place.tokens.len());
        // Places that overlap by seven tenths begin within half the longest length of each other.
        let (from, to) = (place.tokens.start.saturating_sub(*longest / 2), place.tokens.start + place.tokens.len() / 2);
        let near = by_start.range(from..=to).flat_map(|(_, numbers)| numbers);
        let known = near.copied().find(|&other| is_same(&self.all[other].tokens, &place.tokens));
        if let Some(number) = known.filter(|&number| self.all[number].tokens.len() < place.tokens.len()) {
            // Keep the longer of the two, so that nothing is lost.
            self.all[number] = place;
            return number;
        }
        known.unwrap_or_else(|| {
            let number = self.all.len();
            by_start.entry(place.tokens.start).or_default().push(number);
            self.all.push(place);
            self.before.push(number);
            number
        })
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

    fn into_classes(mut self) -> Vec<Vec<Place>> {
        let roots: Vec<usize> = (0..self.all.len()).map(|at| self.root(at)).collect();
        let mut classes: BTreeMap<usize, Vec<Place>> = BTreeMap::new();
        for (place, root) in self.all.into_iter().zip(roots) {
            classes.entry(root).or_default().push(place);
        }
        let classes = classes.into_values().map(without_overlap);
        classes.filter(|class| class.len() > 1).collect()
    }
}

/// The places of a class without overlaps: of two that overlap, the longer is the copy, and the other a piece of it.
fn without_overlap(mut class: Vec<Place>) -> Vec<Place> {
    class.sort_by_key(|place| (place.document, place.tokens.start));
    let mut kept: Vec<Place> = Vec::new();
    for place in class {
        match kept.last_mut() {
            Some(last) if last.document == place.document && n_shared(&last.tokens, &place.tokens) > 0 => {
                if place.tokens.len() > last.tokens.len() {
                    *last = place;
                }
            }
            _ => kept.push(place),
        }
    }
    kept
}

/// The classes that are not entirely inside the places of another one.
fn without_nested(classes: Vec<Vec<Place>>) -> Vec<Vec<Place>> {
    let mut of_document: BTreeMap<u32, Vec<(Range<usize>, usize)>> = BTreeMap::new();
    for (number, place) in
        classes.iter().enumerate().flat_map(|(number, class)| class.iter().map(move |of| (number, of)))
    {
        of_document.entry(place.document).or_default().push((place.tokens.clone(), number));
    }
    let mut longest: HashMap<u32, usize> = HashMap::new();
    for (document, places) in &mut of_document {
        places.sort_by_key(|(tokens, number)| (tokens.start, *number));
        longest.insert(*document, places.iter().map(|(tokens, _)| tokens.len()).max().unwrap_or(0));
    }
    // The other classes with a place around this one.
    let around = |place: &Place, own: usize| -> Vec<usize> {
        let places = &of_document[&place.document];
        let from = places.partition_point(|(tokens, _)| tokens.start + longest[&place.document] < place.tokens.end);
        let before = places[from..].iter().take_while(|(tokens, _)| tokens.start <= place.tokens.start);
        let holds = |tokens: &Range<usize>| tokens.end >= place.tokens.end;
        before.filter(|(tokens, number)| *number != own && holds(tokens)).map(|&(_, number)| number).collect()
    };
    let is_nested = |number: usize| {
        let class = &classes[number];
        let candidates = around(&class[0], number);
        candidates.into_iter().any(|other| {
            // Of two classes with the same places, keep the first.
            let is_larger = |a: &Place, b: &Place| a.tokens.len() > b.tokens.len();
            let outer = &classes[other];
            outer.len() >= class.len()
                && class.iter().all(|place| around(place, number).contains(&other))
                && (other < number || outer.iter().zip(class).any(|(outer, own)| is_larger(outer, own)))
        })
    };
    let is_nested: Vec<bool> = (0..classes.len()).map(is_nested).collect();
    classes.into_iter().zip(is_nested).filter(|(_, is_nested)| !is_nested).map(|(class, _)| class).collect()
}

fn n_shared(a: &Range<usize>, b: &Range<usize>) -> usize {
    a.end.min(b.end).saturating_sub(a.start.max(b.start))
}

pub(super) fn is_same(a: &Range<usize>, b: &Range<usize>) -> bool {
    n_shared(a, b) as f64 >= SAME_PLACE * a.len().max(b.len()) as f64
}
