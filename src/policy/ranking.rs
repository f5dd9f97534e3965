//! Puts the findings of a change in order, and bounds its warnings.

use std::cmp::Ordering;

use super::{Finding, Level, Milder, Topic};

/// Findings in the order for readers: the most severe first, then those with the highest worth;
/// between equals, the order stays.
pub fn best_first(findings: &[Finding]) -> Vec<&Finding> {
    let mut sorted: Vec<&Finding> = findings.iter().collect();
    sorted.sort_by(|a, b| a.reading_order(b));
    sorted
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
