//! Finds license texts in a text: each template of SPDX's list that is in it, and where they differ.
//!
//! The templates that share most grams of words with a part of the text are aligned with it word by word, and the one
//! that leaves the least over is taken. Words that the template marks as optional or replaceable make no difference.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};

use super::templates::{Candidate, Template, candidates};
use super::words::Words;

/// Minimum share of a template's sketch in a text that is compared with it.
const MIN_SHARE: f64 = 0.3;
/// Maximum templates that a part of a text is compared with.
const MAX_COMPARED: usize = 16;
/// What a word that differs counts, where one that is equal counts one.
const COST: i64 = 2;

/// A template in a text.
#[derive(Debug)]
pub(super) struct Reading {
    /// The license or exception.
    pub id: &'static str,
    /// Its words in the text.
    pub range: Range<usize>,
    /// The number of words that are equal.
    pub n_equal: usize,
    /// The number of words that the template requires.
    pub n_required: usize,
    /// Where text and template differ.
    pub differences: Vec<Difference>,
}

/// Words of a template that a text lacks, and what it has instead.
#[derive(Debug)]
pub(super) struct Difference {
    /// The words that are missing.
    pub missing: Vec<&'static str>,
    /// The words in the text.
    pub added: Range<usize>,
}

/// The license texts in `words`, in order.
pub(super) fn readings(words: &Words) -> Vec<Reading> {
    let hashes = words.hashes();
    let mut found = Vec::new();
    read(&hashes, 0..hashes.len(), candidates(&hashes), words, &mut found);
    found.sort_by_key(|of| of.range.start);
    found
}

/// Reads a part of a text: takes the best template, then what is before it and behind it.
fn read(hashes: &[u32], range: Range<usize>, mut candidates: Vec<Candidate>, words: &Words, found: &mut Vec<Reading>) {
    let mut likely: Vec<(f64, &Candidate, Range<usize>)> = Vec::new();
    candidates.retain_mut(|candidate| {
        candidate.positions.retain(|at| range.contains(at));
        !candidate.positions.is_empty()
    });
    for candidate in &candidates {
        if candidate.share(candidate.positions.len()) >= MIN_SHARE {
            let (n_grams, window) = candidate.densest();
            likely.push((candidate.share(n_grams), candidate, window));
        }
    }
    likely.sort_by(|a, b| b.0.total_cmp(&a.0));
    likely.truncate(MAX_COMPARED);
    let readings = likely.iter().map(|(_, candidate, window)| {
        let template = candidate.template();
        let around = template.words.len() + 30;
        let from = window.end.saturating_sub(around + around / 4).max(range.start);
        let to = (window.start + around + around / 4).min(range.end);
        align(template, hashes, from.min(window.start)..to.max(window.end), words)
    });
    let Some(best) = readings.flatten().max_by_key(Reading::worth).filter(|of| of.worth() > 0) else { return };
    let (before, behind) = (range.start..best.range.start, best.range.end..range.end);
    found.push(best);
    for part in [before, behind] {
        let of_part = |of: &Candidate| of.positions.iter().copied().filter(|at| part.contains(at)).collect();
        let left = candidates.iter().map(|of| Candidate { number: of.number, positions: of_part(of) }).collect();
        read(hashes, part, left, words, found);
    }
}

impl Candidate {
    /// The most grams that are as near to each other as in the template, and where they are.
    fn densest(&self) -> (usize, Range<usize>) {
        let positions = &self.positions;
        let reach = self.template().words.len() * 5 / 4 + 30;
        let (mut best, mut first) = ((0, 0..0), 0);
        for (last, &end) in positions.iter().enumerate() {
            while end - positions[first] > reach {
                first += 1;
            }
            if last + 1 - first > best.0 {
                best = (last + 1 - first, positions[first]..end + 1);
            }
        }
        best
    }
}

/// Words that are equal: where they are in the template and in the text.
struct Run {
    template: Range<usize>,
    text: Range<usize>,
}

/// Compares a template with a part of a text; `None` if nothing is equal.
fn align(template: &'static Template, hashes: &[u32], part: Range<usize>, words: &Words) -> Option<Reading> {
    let mut runs = runs(template, &hashes[part.clone()], part.start);
    let gaps: Vec<Option<Difference>> = runs.windows(2).map(|pair| difference(template, &pair[0], &pair[1], words)).collect();
    let mut runs: Vec<Run> = runs.drain(nearest(&runs, &gaps)?).collect();
    stretch(&mut runs, template, hashes, &part);
    let (first, last) = (runs.first()?, runs.last()?);
    let start = Run { template: 0..0, text: first.text.start..first.text.start };
    let end = template.words.len();
    let end = Run { template: end..end, text: last.text.end..last.text.end };
    let around: Vec<&Run> = std::iter::once(&start).chain(&runs).chain([&end]).collect();
    let differences = around.windows(2).filter_map(|pair| difference(template, pair[0], pair[1], words)).collect();
    let n_equal = runs.iter().map(|run| run.text.len()).sum();
    let n_required = template.is_required.iter().filter(|is_required| **is_required).count();
    Some(Reading { id: template.id, range: first.text.start..last.text.end, n_equal, n_required, differences })
}

fn runs(template: &Template, text: &[u32], shift: usize) -> Vec<Run> {
    let mut input = InternedInput::default();
    input.update_before(template.hashes.iter().copied());
    input.update_after(text.iter().copied());
    let diff = Diff::compute(Algorithm::Myers, &input);
    let mut runs = Vec::new();
    let (mut before, mut after) = (0, 0);
    let end = (template.hashes.len() as u32..0, text.len() as u32..0);
    for (removed, added) in diff.hunks().map(|hunk| (hunk.before, hunk.after)).chain([end]) {
        if removed.start > before {
            let text = after as usize + shift..added.start as usize + shift;
            runs.push(Run { template: before as usize..removed.start as usize, text });
        }
        (before, after) = (removed.end, added.end);
    }
    runs
}

/// Takes in the words before the first run and behind the last that are equal: they may have been compared with others,
/// farther away.
fn stretch(runs: &mut [Run], template: &Template, hashes: &[u32], part: &Range<usize>) {
    if let Some(first) = runs.first_mut() {
        while let (Some(of), Some(in_text)) = (first.template.start.checked_sub(1), first.text.start.checked_sub(1))
            && in_text >= part.start
            && template.hashes[of] == hashes[in_text]
        {
            (first.template.start, first.text.start) = (of, in_text);
        }
    }
    if let Some(last) = runs.last_mut() {
        while last.text.end < part.end && template.hashes.get(last.template.end) == Some(&hashes[last.text.end]) {
            (last.template.end, last.text.end) = (last.template.end + 1, last.text.end + 1);
        }
    }
}

/// The runs that belong together: those whose words count most, less the words between them.
fn nearest(runs: &[Run], gaps: &[Option<Difference>]) -> Option<Range<usize>> {
    let mut best: Option<(i64, Range<usize>)> = None;
    let (mut sum, mut first) = (0, 0);
    for (at, run) in runs.iter().enumerate() {
        let gap = at.checked_sub(1).and_then(|before| gaps[before].as_ref()).map_or(0, |of| of.added.len() as i64);
        if sum - gap <= 0 {
            (sum, first) = (0, at);
        } else {
            sum -= gap;
        }
        sum += run.text.len() as i64;
        if best.as_ref().is_none_or(|(most, _)| sum > *most) {
            best = Some((sum, first..at + 1));
        }
    }
    best.map(|(_, range)| range)
}

/// What differs between two runs, if the template does not allow for it.
fn difference(template: &Template, a: &Run, b: &Run, words: &Words) -> Option<Difference> {
    let gap = a.template.end..b.template.start;
    let mut missing: Vec<_> = gap.clone().filter(|&at| template.is_required[at]).map(|at| template.words[at]).collect();
    let n_free = template.n_free[gap.start..=gap.end].iter().copied().max().unwrap_or_default();
    let mut added = a.text.end..b.text.start;
    let is_name = added.len() <= usize::from(n_free) && !words.has_end(added.start..added.end.saturating_sub(1).max(added.start));
    if is_name || added.clone().all(|at| is_bullet(words.of(at..at + 1))) {
        added = added.end..added.end;
    }
    if missing.iter().all(|word| is_bullet(word)) {
        missing.clear();
    }
    (!missing.is_empty() || !added.is_empty()).then_some(Difference { missing, added })
}

/// Whether a word is the number or letter of a list.
fn is_bullet(word: &str) -> bool {
    word.len() == 1 || word.len() == 2 && word.bytes().all(|byte| byte.is_ascii_digit())
}

impl Reading {
    /// How well a template fits: the words that are equal, less those that differ.
    fn worth(&self) -> i64 {
        self.n_equal as i64 - COST * self.n_differing() as i64
    }

    /// The number of words that differ.
    pub fn n_differing(&self) -> usize {
        self.differences.iter().map(|of| of.missing.len().max(of.added.len())).sum()
    }
}
