//! Finds the places of a file that lack edits: aligns the surroundings of each edit, and compares the units around.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;

use super::edits::{around, is_bracketed};
use super::images::{BESIDE, PreImages, WINDOW};
use super::members::Members;
use super::other::{Names, Other};
use super::place::Place;
use super::variables::{declared_in, declares_any, is_still_used, missing, names_of, needs_variable};
use crate::audit::read::Source;
use crate::language::{Kind, Token};
use crate::matching::{
    Alignment, Edit, Likeness, Renaming, Spot, Unit, aligned_around, aligned_near, aligned_units, continued,
    has_already, is_missed, may_be_missed, spot,
};

/// Number of tokens on either side of a place that are aligned with the surroundings of an edit.
const LOCAL: usize = 160;
/// Maximum tokens of a unit on either side of a place that are aligned.
const MAX_REACH: usize = 2_000;
/// Maximum places of a file whose surroundings are aligned with those of edits, over all edited files; each of them has
/// at least [`MIN_LOCAL`].
const MAX_LOCAL: usize = 4_096;
/// Minimum places of a file to align with the edits of another one, as far as it has so many.
const MIN_LOCAL: usize = 256;
/// Minimum letters of a function's name to be recognized in another name.
const MIN_NAME: usize = 3;
/// Number of tokens around the place of a sibling in which an edit has reached it.
const NEAR: usize = 12;
/// Minimum removed tokens among which there may be a wide gap.
const NEAR_GAP: usize = 40;
/// Minimum tokens that agree on both sides of what only the sibling has: with another gap, it may be beside the place.
const LIKELY_RUN: usize = 32;
/// Maximum tokens between two edits of one finding, unless both are in one unit.
const SAME_UNIT: usize = 80;

impl Members<'_, '_> {
    /// The places of one file that lack edits of a query, in groups of those that belong together.
    ///
    /// Only the surroundings of an edit are aligned, from each fingerprint next to it that the file shares. What was
    /// aligned from there is not aligned again for the edits nearby. Two files that are alike as wholes take no longer
    /// than two that share a function.
    pub(super) fn places(&self, query: usize, edits: &[usize]) -> Vec<(Vec<(Edit, Place)>, Names)> {
        let PreImages { queries, numbers, .. } = self.images;
        let (own, target) = (self.own, self.other.source);
        let is_same = self.is_same_file();
        let k = queries.sampling().noise_threshold();
        let mut n_left = (MAX_LOCAL / numbers.len().max(1)).max(MIN_LOCAL);
        let mut found: Vec<(Vec<(Edit, Place)>, Names)> = Vec::new();
        // For each edit, the diagonals along which it was aligned, and its places.
        let mut aligned: HashSet<(usize, i64)> = HashSet::new();
        let mut placed: HashSet<(usize, usize)> = HashSet::new();
        for &number_of_edit in edits {
            let (edit, unit) = (&self.edits()[number_of_edit], &self.units()[number_of_edit]);
            let asked = edit.base.0.saturating_sub(k + BESIDE)..edit.base.1 + BESIDE;
            for (at, there) in queries.shared_at(query, self.other.hits, &asked) {
                let diagonal = there as i64 - at as i64;
                if is_same && diagonal == 0 || aligned.contains(&(number_of_edit, diagonal)) || n_left == 0 {
                    continue;
                }
                n_left -= 1;
                let reach = reach(at, unit, is_same.then_some(diagonal.unsigned_abs() as usize));
                let anchor = (at, there);
                aligned.insert((number_of_edit, diagonal));
                // Most places differ.
                let near = aligned_near(anchor, &own.tokens, &target.tokens, reach);
                if !self.has_place(&near) {
                    continue;
                }
                let alignment = aligned_around(anchor, &own.tokens, &target.tokens, reach);
                let reached = self.reached(&alignment);
                // At the ends of what was aligned, too little around an edit was.
                let inside = (at + WINDOW).saturating_sub(reach[0])..(at + reach[1]).saturating_sub(WINDOW);
                let is_inside = |of: &usize| {
                    let of = &self.edits()[*of].base;
                    inside.start <= of.0 && of.1 <= inside.end
                };
                let done = reached.clone().filter(is_inside);
                for (of, diagonal) in done.flat_map(|of| self.diagonals(of, &alignment)) {
                    aligned.insert((of, diagonal));
                }
                let renaming = Renaming::of(&alignment, &own.tokens, &target.tokens);
                let places: Vec<(usize, Place)> = reached
                    .filter_map(|of| Some((of, self.place(of, &alignment, &renaming)?)))
                    .filter(|(of, place)| !placed.contains(&(*of, place.in_base.start)))
                    .collect();
                for mut group in groups(places, self.edits()) {
                    self.drop_dependent(&mut group, &renaming);
                    if group.iter().all(|(of, _)| is_bracketed(&self.edits()[*of], own, &self.head.source)) {
                        continue;
                    }
                    if group.iter().any(|(_, place)| place.is_missed) {
                        placed.extend(group.iter().map(|(of, place)| (*of, place.in_base.start)));
                        let group = group.into_iter().map(|(of, place)| (self.edits()[of].clone(), place));
                        found.push((group.collect(), renaming.pairs().collect()));
                    }
                }
            }
        }
        found
    }

    /// Whether an alignment may show the place of an edit.
    fn has_place(&self, alignment: &Alignment) -> bool {
        let (own, target) = (&self.own.tokens, &self.other.source.tokens);
        let renaming = Renaming::of(alignment, own, target);
        self.edits()[self.reached(alignment)].iter().any(|edit| {
            let is_likely = |spot: Spot| {
                let n_run = spot.n_left_run + spot.n_right_run;
                spot.is_alike(edit) || spot.target.len() > edit.removed().len() && n_run >= LIKELY_RUN
            };
            edit.removed().len() > NEAR_GAP || spot(edit, alignment, &renaming, own, target).is_some_and(is_likely)
        })
    }

    /// The edits of a file that an alignment reaches, by their numbers.
    fn reached(&self, alignment: &Alignment) -> Range<usize> {
        let (edits, query) = (self.edits(), alignment.query());
        let from = edits.partition_point(|edit| edit.base.1 < query.start);
        from..edits.partition_point(|edit| edit.base.0 <= query.end).max(from)
    }

    /// The diagonals of an alignment next to an edit.
    fn diagonals(&self, edit: usize, alignment: &Alignment) -> Vec<(usize, i64)> {
        let removed = self.edits()[edit].removed();
        let near = removed.start.saturating_sub(BESIDE)..removed.end + BESIDE;
        let blocks = &alignment.blocks;
        let from = blocks.partition_point(|block| ((block.query + block.len) as usize) < near.start);
        let blocks = blocks[from..].iter().take_while(|block| block.query as usize <= near.end);
        blocks.map(|block| (edit, i64::from(block.target) - i64::from(block.query))).collect()
    }

    /// The place of the other file that lacks `edit`, if it may.
    fn place(&self, edit: usize, alignment: &Alignment, renaming: &Renaming) -> Option<Place> {
        let &Self { images, number, own, head, other } = self;
        let target = other.source;
        let n_sharing = images.n_sharing.get().and_then(|all| all.get(&(number, edit))).copied().unwrap_or(1);
        let (edit, unit) = (&self.edits()[edit], &self.units()[edit]);
        // Most places differ, so the expensive checks come after this one.
        let spot_in =
            |alignment: &Alignment, renaming: &Renaming| spot(edit, alignment, renaming, &own.tokens, &target.tokens);
        let spot = spot_in(alignment, renaming).filter(|spot| spot.is_alike(edit))?;
        let of = around(target, spot.target.start, spot.target.end)?;
        let in_head = images.in_head(&spot, other)?;
        let (removed, added) = (&own.tokens[edit.removed()], &head.source.tokens[edit.added()]);
        // What makes the member like its sibling is no edit that the sibling lacks.
        if renaming.makes(added, &target.tokens[spot.target.clone()]) {
            return None;
        }
        let is_substitution = removed.len() == added.len()
            && !removed.is_empty()
            && removed.iter().zip(added).all(|(a, b)| a.symbol == b.symbol);
        if is_substitution && self.is_own_name(edit, alignment, (unit, &of)) {
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
        let is_introduced = |name: &&u32| {
            let n_here = || added.iter().filter(|token| token.exact == **name).count() as u32;
            images.introduced().get(*name).is_some_and(|&n| n > n_here())
        };
        let is_known = |name: &&u32| renaming.get(**name).is_some() || other.has(**name);
        // A variable of the edit itself may have the name of any other.
        let own_variables: HashSet<u32> = declared_in(added, &head.source).collect();
        let lasting: Vec<Token> = added.iter().filter(|token| !own_variables.contains(&token.exact)).copied().collect();
        let likeness = Likeness {
            n_tokens: (unit.tokens.len(), of.tokens.len()),
            n_agreeing,
            is_same_file: self.is_same_file(),
            is_same_unit,
            n_sharing,
            n_edits: images.n_edits,
            purpose: images.purposes.of(&head.source.path),
            n_names: names.len(),
            n_known: names.iter().filter(is_known).count(),
            n_introduced: names.iter().filter(|name| is_introduced(name)).count(),
            is_substitution,
            is_operator: is_operator(removed, &own.text) && is_operator(added, &head.source.text),
            had: has_already(
                &lasting,
                removed,
                &own.tokens[near(&unit.tokens, &edit.removed(), added.len())],
                &target.tokens[near(&of.tokens, &spot.target, added.len())],
                renaming,
            ),
            needs_variable: needs_variable((added, &head.source), (own, unit), (target, &of), renaming),
            is_still_used: added.is_empty() && is_still_used(edit, (own, unit), (target, &of), &spot.target, renaming),
            is_large_change: images.is_large,
            is_rewritten: images.is_rewrite && {
                let within = |edit: &&Edit| edit.base.0 <= unit.tokens.end && edit.base.1 >= unit.tokens.start;
                let n_edited: usize = self.all_edits().iter().filter(within).map(Edit::len).sum();
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

    /// Drops the edits of a group that use what the change declares and the sibling does not get: a parameter, or a
    /// variable in an edit that is not of the group. In the sibling, they would not compile.
    fn drop_dependent(&self, group: &mut Vec<(usize, Place)>, renaming: &Renaming) {
        let head = &self.head.source;
        let of_group: Vec<Range<usize>> = group.iter().map(|(at, _)| self.edits()[*at].added()).collect();
        group.retain(|(at, place)| {
            let added = self.edits()[*at].added();
            let Some(unit) = around(head, added.start, added.end) else { return true };
            let mut missing = missing(&head.tokens[added], (self.other.source, &place.of), renaming);
            for name in names_of(&self.own.tokens[place.unit.tokens.clone()]) {
                missing.remove(&name);
            }
            !declares_any(missing, head, &unit, &|at| !of_group.iter().any(|edit| edit.contains(&at)))
        });
    }

    /// Whether an edit only gives a member its own name where it had that of its sibling: `Queue` became `SizedQueue`
    /// in what was copied from `Queue`.
    fn is_own_name(&self, edit: &Edit, alignment: &Alignment, (unit, of): (&Unit, &Unit)) -> bool {
        let &Self { own, head, other, .. } = self;
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
}

impl PreImages<'_> {
    /// The place of a sibling in the head: its tokens between two kept ones; `None` if the change edits it there.
    fn in_head(&self, spot: &Spot, other: &Other<'_>) -> Option<(usize, usize)> {
        let Some(number) = other.number else { return Some((spot.target.start, spot.target.end)) };
        let (from, to) = (spot.target.start.saturating_sub(NEAR), spot.target.end + NEAR);
        let edits = &self.all_edits[number];
        let first = edits.partition_point(|edit| edit.base.1 < from);
        if edits.get(first).is_some_and(|edit| edit.base.0 <= to) {
            return None;
        }
        let blocks = &self.base[number].kept.blocks;
        let at = blocks.partition_point(|block| ((block.target + block.len) as usize) < spot.target.end);
        let block = blocks.get(at).filter(|block| block.target as usize <= spot.target.start)?;
        let shift = |at: usize| at - block.target as usize + block.query as usize;
        Some((shift(spot.target.start), shift(spot.target.end)))
    }
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
