//! Puts the findings of a change in order, and bounds its warnings.

use std::cmp::Reverse;

use super::{Finding, Level, Milder, Place, Topic};

/// Findings in the order for readers: the most severe first, then those with the highest worth;
/// between equals, the order stays.
pub fn best_first(findings: &[Finding]) -> Vec<&Finding> {
    let mut sorted: Vec<&Finding> = findings.iter().collect();
    sorted.sort_by(|a, b| {
        Reverse(a.level).cmp(&Reverse(b.level)).then(b.worth.score().total_cmp(&a.worth.score()))
    });
    sorted
}

/// Turns the warnings of copied code into notes, but for the `max_warnings` that are worth most: of
/// a pasted folder, a reviewer reads ten, and the number of the others. A family counts once.
pub fn bound_warnings(findings: &mut [Finding], max_warnings: usize) {
    let is_bound = |of: &Finding| {
        of.level == Level::Warning && of.is_copy() && of.rule.topic == Topic::Duplication
    };
    let mut warnings: Vec<&mut Finding> = findings.iter_mut().filter(|of| is_bound(of)).collect();
    // Copies of the tree come first, so that a search of the past makes none of it milder.
    let is_past = |of: &Finding| {
        of.origins.first().is_some_and(|origin| matches!(origin.place, Place::Past(_)))
    };
    warnings.sort_by(|a, b| {
        is_past(a).cmp(&is_past(b)).then(b.worth.score().total_cmp(&a.worth.score()))
    });
    for finding in warnings.into_iter().skip(max_warnings) {
        (finding.level, finding.milder) = (Level::Note, Some(Milder::Beyond(max_warnings)));
        for other in finding.family.iter_mut().filter(|other| other.level > Level::Note) {
            (other.level, other.milder) = (Level::Note, Some(Milder::Beyond(max_warnings)));
        }
    }
}
