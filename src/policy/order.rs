//! Puts the findings of a change in order: bounds its warnings, and joins those that are one matter
//! into families: many copies between the same two files, or siblings beside each other.
//!
//! ```text
//! new.c:10-40   copied from old.c:5      |
//! new.c:52-60   copied from old.c:80     |  one finding, with two more places
//! new.c:90-99   copied from old.c:120    |
//! ```
//!
//! Invariant: no copy is lost. Each is in a family once, with its own level, identity and origins.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::{About, Finding, Fragment, Level, Milder, Place, Topic};
use crate::matching::{BESIDE_LINES, Groups};
use crate::text::{FilePath, count, first};

/// Joins copies of one rule in one file. If they come from another file, they all belong together;
/// if they come from the same file, those do that are next to each other, or whose origins are.
///
/// The first of a family is the most severe that is worth most. `findings` are sorted by place, and
/// stay so. Time O(n log n).
pub fn join_families(findings: &mut Vec<Finding>) {
    let mut of_files: BTreeMap<(&str, &FilePath, &FilePath), Vec<usize>> = BTreeMap::new();
    for (number, finding) in findings.iter().enumerate() {
        if let Some(origin) = origin_file(finding) {
            of_files.entry((finding.rule.id, &finding.path, origin)).or_default().push(number);
        }
    }
    let mut families: Vec<Vec<usize>> = Vec::new();
    for ((_, path, origin), numbers) in of_files {
        match path == origin {
            true => families.extend(siblings(findings, &numbers)),
            false => families.push(numbers),
        }
    }
    families.retain(|family| family.len() > 1);
    let mut first_of: Vec<usize> = (0..findings.len()).collect();
    for family in families {
        // Of equals, the one that comes first.
        let first = family.iter().min_by(|&&a, &&b| findings[a].reading_order(&findings[b]));
        let first = *first.expect("a family has members");
        family.into_iter().for_each(|number| first_of[number] = first);
    }
    let mut heads: BTreeMap<usize, Finding> = BTreeMap::new();
    let mut others: Vec<(usize, Finding)> = Vec::new();
    for (number, finding) in std::mem::take(findings).into_iter().enumerate() {
        match first_of[number] == number {
            true => drop(heads.insert(number, finding)),
            false => others.push((first_of[number], finding)),
        }
    }
    for (first, other) in others {
        heads.get_mut(&first).expect("the first of a family is a head").family.push(other);
    }
    findings.extend(heads.into_values());
}

/// Findings in the order for readers: by level, then by worth, then as they were.
pub fn best_first(findings: &[Finding]) -> Vec<&Finding> {
    let mut sorted: Vec<&Finding> = findings.iter().collect();
    sorted.sort_by(|a, b| a.reading_order(b));
    sorted
}

/// Turns the warnings of copied code into notes, but for the `max_warnings` that are worth most: of
/// a pasted folder, a reviewer reads ten, and the number of the others. A family counts once.
pub fn bound_warnings(findings: &mut [Finding], max_warnings: usize) {
    let mut warnings: Vec<&mut Finding> = findings
        .iter_mut()
        .filter(|of| of.level == Level::Warning && of.rule.topic == Topic::Duplication)
        .filter(|of| of.is_copy())
        .collect();
    // Copies of the tree come first, so that a search of the past makes none of it milder.
    warnings.sort_by(|a, b| a.is_revived().cmp(&b.is_revived()).then(a.reading_order(b)));
    for finding in warnings.into_iter().skip(max_warnings) {
        (finding.level, finding.milder) = (Level::Note, Some(Milder::Beyond(max_warnings)));
        for other in finding.family.iter_mut().filter(|other| other.level > Level::Note) {
            (other.level, other.milder) = (Level::Note, Some(Milder::Beyond(max_warnings)));
        }
    }
}

/// The file that the new copy comes from, if it is one of the tree and the copy may be in a family.
fn origin_file(finding: &Finding) -> Option<&FilePath> {
    let is_new_copy = finding.about == About::Copy
        && finding.n_novel > 0
        && finding.rule.topic == Topic::Duplication;
    let origin = finding.origins.first().filter(|_| is_new_copy)?;
    (origin.place == Place::Tree).then_some(&origin.path)
}

/// The groups of copies within one file whose places or origins are next to each other.
fn siblings(findings: &[Finding], numbers: &[usize]) -> Vec<Vec<usize>> {
    let mut places: Vec<(Fragment, usize)> = Vec::new();
    for (at, &number) in numbers.iter().enumerate() {
        places.push((findings[number].fragment, at));
        places.extend(findings[number].origins.first().map(|origin| (origin.fragment, at)));
    }
    places.sort_unstable();
    let mut groups = Groups::new(numbers.len());
    let (mut end, mut last) = (0, None);
    for (place, at) in places {
        if let Some(last) = last.filter(|_| place.start.line <= end + BESIDE_LINES) {
            groups.join(last, at);
        }
        end = end.max(place.end.line);
        last = Some(at);
    }
    let mut families: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, &number) in numbers.iter().enumerate() {
        families.entry(groups.first(at)).or_default().push(number);
    }
    families.into_values().collect()
}

impl Finding {
    /// The more severe one first, then the one with the higher worth.
    pub(super) fn reading_order(&self, other: &Self) -> Ordering {
        let by_level = other.level.cmp(&self.level);
        by_level.then(other.worth.score().total_cmp(&self.worth.score()))
    }

    /// Whether it is a copy of deleted code first of all.
    fn is_revived(&self) -> bool {
        self.origins.first().is_some_and(|origin| origin.place.deletion().is_some())
    }

    /// It and the other copies of its family.
    pub fn with_family(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.family)
    }

    /// `; 2 more copies from there: lines 40-52 and 60`, of up to four, if it has a family.
    pub(super) fn family_message(&self) -> String {
        let mut named = first(&self.family, 4, |of| of.fragment.lines());
        let Some(last) = named.pop() else { return String::new() };
        let and = if named.is_empty() { "" } else { " and " };
        let from = match self.origins.first() {
            Some(origin) if origin.path == self.path => "beside it",
            _ => "from the same file",
        };
        let copies = count(self.family.len(), "more copy");
        format!("; {copies} {from}: lines {}{and}{last}", named.join(", "))
    }
}
