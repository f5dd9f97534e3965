//! Adds verdicts up to figures.

use std::collections::BTreeSet;

use serde::Serialize;

use super::builder::LENGTHS;
use super::judge::{FileHits, Finding, Verdict};
use super::kinds::{Kind, Pull};
use crate::place::Place;

/// A part of a whole, counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Share {
    pub part: usize,
    pub whole: usize,
}

impl Share {
    fn count(&mut self, is_part: bool) {
        self.part += usize::from(is_part);
        self.whole += 1;
    }

    fn add(&mut self, other: Self) {
        self.part += other.part;
        self.whole += other.whole;
    }

    /// The part in percent; `None` of nothing.
    pub fn percent(&self) -> Option<f64> {
        (self.whole > 0).then(|| 100.0 * self.part as f64 / self.whole as f64)
    }
}

/// The figures of some pull requests.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Figures {
    /// Pull requests.
    pub n_pulls: usize,
    /// Copies that were found.
    pub recall: Share,
    /// The same by class of length.
    pub recall_by_length: [Share; LENGTHS.len()],
    /// Found copies whose first origin is right.
    pub right_first_origin: Share,
    /// Found copies of which some origin is right.
    pub right_any_origin: Share,
    /// Found copies that more than one finding reports.
    pub split: Share,
    /// Lines that findings begin or end beside the copies, over all found ones.
    pub lines_off: usize,
    /// Findings that overlap a copy, among all.
    pub precision: Share,
    /// Pull requests without a finding, among those that copy nothing.
    pub clean: Share,
    /// Findings of level note.
    pub n_notes: usize,
}

impl Figures {
    /// Counts a pull request.
    pub fn count(&mut self, pull: &Pull, verdict: &Verdict) {
        self.n_pulls += 1;
        self.n_notes += verdict.n_notes;
        self.precision.add(Share {
            part: verdict.n_findings - verdict.wrong.len(),
            whole: verdict.n_findings,
        });
        if !pull.kind.is_copy {
            self.clean.count(verdict.n_findings == 0);
        }
        for (copy, found) in pull.copies.iter().zip(&verdict.copies) {
            self.recall.count(found.is_some());
            if let Some(length) = LENGTHS.iter().position(|length| length.contains(&copy.n_tokens))
            {
                self.recall_by_length[length].count(found.is_some());
            }
            self.count_found(found.as_ref());
        }
    }

    fn count_found(&mut self, found: Option<&FileHits>) {
        let Some(found) = found else { return };
        self.right_first_origin.count(found.is_first_right);
        self.right_any_origin.count(found.is_any_right);
        self.split.count(found.n_findings > 1);
        self.lines_off += found.off;
    }

    /// The mean distance in lines between the ends of a copy and those of its finding.
    pub fn boundary_error(&self) -> Option<f64> {
        (self.recall.part > 0).then(|| self.lines_off as f64 / 2.0 / self.recall.part as f64)
    }

    /// Recall among copies of at least `n` tokens, to the class of length.
    pub fn recall_from(&self, n: usize) -> Share {
        let mut recall = Share::default();
        let lengths = LENGTHS.iter().zip(self.recall_by_length);
        lengths.filter(|(length, _)| *length.start() >= n).for_each(|(_, share)| recall.add(share));
        recall
    }
}

/// The figures of all pull requests, and of each kind.
#[derive(Debug, Default)]
pub struct Tally {
    pub kinds: Vec<(&'static Kind, Figures)>,
    /// The figures of each tree, by number.
    pub trees: Vec<Figures>,
    pub all: Figures,
    /// The findings that overlap no copy, each once: the tree, the length, the origins.
    wrong: BTreeSet<(usize, usize, Vec<Place>)>,
}

impl Tally {
    /// Begins with nothing for these kinds and so many trees.
    pub fn new(kinds: &[&'static Kind], n_trees: usize) -> Self {
        let kinds = kinds.iter().map(|&kind| (kind, Figures::default())).collect();
        let trees = vec![Figures::default(); n_trees];
        Self { kinds, trees, ..Self::default() }
    }

    /// Counts a pull request.
    pub fn count(&mut self, pull: &Pull, verdict: &Verdict) {
        let of_kind = self
            .kinds
            .iter_mut()
            .filter(|(kind, _)| kind.name == pull.kind.name)
            .map(|(_, figures)| figures);
        for figures in of_kind.chain([&mut self.trees[pull.tree], &mut self.all]) {
            figures.count(pull, verdict);
        }
        let key = |finding: &Finding| (pull.tree, finding.n_tokens, finding.origins.clone());
        self.wrong.extend(verdict.wrong.iter().map(key));
    }

    /// Findings that overlap no copy; the same code in several pull requests counts once.
    pub fn n_different_wrong(&self) -> usize {
        self.wrong.len()
    }
}
