//! Keeps one of two findings that are each other's origin.
//!
//! Of two places that a change makes alike, each can be the copy: where one had some of the code
//! before, and the other the rest. They are one copy, for one finding.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::policy::{Finding, Origin, Place};
use crate::text::FilePath;

/// A finding, and what its parts in tree, corpora and past would be alone, if it has several.
pub(in crate::audit) struct JointFinding(pub Finding, pub Vec<Finding>);

/// The findings, with one of each two that describe a copy from its two sides: the one with more
/// new code, or the later one; what has an origin elsewhere too always stays.
///
/// `findings` are sorted by path and position. Time O(n log n) for n origins.
pub(super) fn without_mutual(findings: Vec<JointFinding>) -> Vec<JointFinding> {
    let mut of_file: BTreeMap<&FilePath, Vec<usize>> = BTreeMap::new();
    for (number, JointFinding(finding, _)) in findings.iter().enumerate() {
        of_file.entry(&finding.path).or_default().push(number);
    }
    let mut by_novelty: Vec<usize> = (0..findings.len()).collect();
    by_novelty.sort_unstable_by_key(|&at| (Reverse(findings[at].0.n_novel), Reverse(at)));
    let mut is_kept = vec![false; findings.len()];
    for number in by_novelty {
        let JointFinding(finding, parts) = &findings[number];
        let is_said = finding.origins.iter().all(|origin| {
            // The last finding that begins before it: those of a file hardly overlap.
            let numbers = of_file.get(&origin.path).map_or(&[][..], Vec::as_slice);
            let behind = numbers.partition_point(|&at| {
                findings[at].0.fragment.start.line <= origin.fragment.start.line
            });
            numbers[..behind].last().is_some_and(|&at| {
                let JointFinding(other, _) = &findings[at];
                origin.place == Place::Tree
                    && other.fragment.holds_lines(&origin.fragment)
                    && is_kept[at]
                    && other.rule.id == finding.rule.id
                    && other.origins.iter().any(|origin| is_around(origin, finding))
            })
        });
        is_kept[number] = !parts.is_empty() || !is_said;
    }
    let rest = findings.into_iter().zip(is_kept);
    rest.filter_map(|(finding, is_kept)| is_kept.then_some(finding)).collect()
}

/// Whether an origin has all lines of a finding.
fn is_around(origin: &Origin, finding: &Finding) -> bool {
    origin.place == Place::Tree
        && origin.path == finding.path
        && origin.fragment.holds_lines(&finding.fragment)
}
