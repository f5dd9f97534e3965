//! Finds the templates of SPDX's list in a text, and where they differ.
//!
//! The templates that share most grams of words with a part of the text are aligned with it word by
//! word, and the one that leaves the least over is taken. Words that the template marks as optional
//! or replaceable make no difference.

use std::cmp::Reverse;
use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};

use super::templates::{Candidate, Template, candidates};
use super::words::{Words, is_bullet};

/// Minimum share of a template's sketch in a text that is compared with it.
const MIN_SHARE: f64 = 0.3;
/// The same, where none has that: the text may be an abridged one.
const MIN_SHARE_ABRIDGED: f64 = 0.1;
/// Maximum templates that a part of a text is compared with.
const MAX_COMPARED: usize = 16;
/// Minimum words of an abridged text.
const MIN_ABRIDGED: usize = 20;
/// Maximum words that differ in a text that is compared with a template's required words alone,
/// too.
const MAX_DIFFERING: usize = 100;
/// What a word that differs counts, where one that is equal counts one.
const COST: i64 = 2;

/// A template in a text. What is counted are words.
#[derive(Debug)]
pub(super) struct TemplateMatch {
    /// The license or exception.
    pub id: &'static str,
    /// Its words in the text.
    pub range: Range<usize>,
    /// The first word of its body in the text: a title may be left out.
    pub body: usize,
    pub n_equal: usize,
    /// Those that the template requires.
    pub n_required: usize,
    /// Whether it begins as the template does.
    pub starts: bool,
    pub differences: Vec<Difference>,
}

/// Words of a template that a text lacks, and what it has instead.
#[derive(Debug)]
pub(super) struct Difference {
    pub missing: Vec<&'static str>,
    pub added: Range<usize>,
}

/// The license texts in `words`, in order.
pub(super) fn readings(words: &Words) -> Vec<TemplateMatch> {
    let hashes = words.hashes();
    let mut found = Vec::new();
    read(&hashes, 0..hashes.len(), candidates(&hashes), words, &mut found);
    found.sort_by_key(|of| of.range.start);
    found
}

/// The license of which `words` are the beginning, with most of it left out and nothing added.
pub(super) fn abridged(words: &Words) -> Option<TemplateMatch> {
    let hashes = words.hashes();
    let all = 0..hashes.len();
    let reading = best(&hashes, &all, &candidates(&hashes), MIN_SHARE_ABRIDGED, words)?;
    let end = reading.range.end;
    let is_at_end = end == words.n_words() || words.has_end(end - 1..end);
    (reading.is_abridged() && is_at_end).then_some(reading)
}

/// Reads a part of a text: takes the best template, then what is before it and behind it.
fn read(
    hashes: &[u32],
    range: Range<usize>,
    mut candidates: Vec<Candidate>,
    words: &Words,
    found: &mut Vec<TemplateMatch>,
) {
    candidates.retain_mut(|candidate| {
        candidate.positions.retain(|at| range.contains(at));
        !candidate.positions.is_empty()
    });
    let best = best(hashes, &range, &candidates, MIN_SHARE, words);
    let Some(best) = best else { return };
    let (before, behind) = (range.start..best.range.start, best.range.end..range.end);
    found.push(best);
    read(hashes, before, candidates.clone(), words, found);
    read(hashes, behind, candidates, words, found);
}

/// The template that fits a part of a text best, of those that have a share of their sketch in it.
fn best(
    hashes: &[u32],
    range: &Range<usize>,
    candidates: &[Candidate],
    min_share: f64,
    words: &Words,
) -> Option<TemplateMatch> {
    let likely = candidates.iter().filter(|of| of.share(of.positions.len()) >= min_share);
    let mut likely: Vec<(f64, &Candidate, Range<usize>)> =
        likely.map(|of| of.densest(hashes, range)).collect();
    likely.sort_by(|a, b| b.0.total_cmp(&a.0));
    likely.truncate(MAX_COMPARED);
    let mut best: Option<TemplateMatch> = None;
    for (_, candidate, part) in likely {
        let template = candidate.template();
        let least = best.as_ref().map_or(1, TemplateMatch::worth);
        if may_be_worth(least, template, &hashes[part.clone()]) {
            // Of equals the last is taken.
            let reading = aligned(template, hashes, part, words);
            best = best.into_iter().chain(reading).max_by_key(TemplateMatch::fit);
        }
    }
    best.filter(|of| of.worth() > 0)
}

/// Whether the worth of a template in a part of a text may be at least `least`, by the words of
/// both in any order. Most candidates are others of a license's family; comparing them word by word
/// is what reading one costs.
fn may_be_worth(least: i64, template: &Template, part: &[u32]) -> bool {
    if least <= 1 {
        return true;
    }
    let mut part = part.to_vec();
    part.sort_unstable();
    let (bag, mut rest, mut n_shared) = (template.bag(), part.iter().peekable(), 0);
    for word in &bag.hashes {
        while rest.next_if(|of| *of < word).is_some() {}
        n_shared += i64::from(rest.next_if_eq(&word).is_some());
    }
    let n_missing = bag.n_needed as i64 - n_shared;
    n_shared - COST * n_missing.max(0) >= least
}

/// Compares a template with a part of a text, or if that is nearer, its required words alone.
fn aligned(
    template: &Template,
    hashes: &[u32],
    part: Range<usize>,
    words: &Words,
) -> Option<TemplateMatch> {
    let reading = align(template, hashes, part.clone(), words)?;
    // A word may have been compared with the same one in a part that may be left out.
    let is_near = (1..=MAX_DIFFERING).contains(&reading.n_differing());
    let bare = is_near.then(|| align(&template.bare(), hashes, part, words)).flatten();
    let nearer = bare.filter(|bare| {
        bare.range.len() >= reading.range.len() && bare.n_differing() < reading.n_differing()
    });
    Some(nearer.unwrap_or(reading))
}

impl Candidate {
    /// The share of its sketch in the densest stretch that may be one text of it, and the part of a
    /// range that this text may fill.
    fn densest(&self, hashes: &[u32], range: &Range<usize>) -> (f64, &Self, Range<usize>) {
        let (template, positions) = (self.template(), &self.positions);
        let n_words = template.words.len();
        let place = |at: usize| template.place_of(Words::grams(&hashes[at..]).next()?);
        let places: Vec<Option<usize>> = positions.iter().map(|&at| place(at)).collect();
        let reach = n_words * 5 / 4 + 30;
        let (mut densest, mut first, mut reached) = (0..0, 0, None);
        for (last, &end) in positions.iter().enumerate() {
            // What goes back in the template is another text of it, or of one that shares words.
            if places[last].is_some_and(|place| reached.is_some_and(|reached| place <= reached)) {
                first = last;
            }
            reached = places[last].or(reached);
            while end - positions[first] > reach {
                first += 1;
            }
            if last + 1 - first > densest.len() {
                densest = first..last + 1;
            }
        }
        let share = self.share(densest.len());
        let (Some(&first), Some(&last)) =
            (positions.get(densest.start), positions[densest.clone()].last())
        else {
            return (share, self, 0..0);
        };
        // Where a text with all words of the template begins, and ends, by a gram of it.
        let starts =
            |of: Range<usize>| of.filter_map(|at| Some(positions[at].saturating_sub(places[at]?)));
        let ends =
            |of: Range<usize>| of.filter_map(|at| Some(positions[at] + n_words - places[at]?));
        let around = (n_words + 30) * 5 / 4;
        // The words of a text that is next to this one are none of its own.
        let before = ends(0..densest.start).next_back().min(starts(densest.clone()).next());
        let behind = starts(densest.end..positions.len()).next();
        let behind = behind.map(|of| of.max(ends(densest).next_back().unwrap_or(of)));
        let from = last.saturating_sub(around).max(range.start).max(before.unwrap_or_default());
        let to = (first + around).min(range.end).min(behind.unwrap_or(usize::MAX));
        (share, self, from.min(first)..to.max(last + 1))
    }
}

/// Words that are equal: where they are in the template and in the text.
struct Run {
    template: Range<usize>,
    text: Range<usize>,
}

/// Compares a template with a part of a text; `None` if nothing is equal.
fn align(
    template: &Template,
    hashes: &[u32],
    part: Range<usize>,
    words: &Words,
) -> Option<TemplateMatch> {
    let mut runs = runs(template, &hashes[part.clone()], part.start);
    let gaps: Vec<Option<Difference>> =
        runs.windows(2).map(|pair| difference(template, &pair[0], &pair[1], words)).collect();
    let mut runs: Vec<Run> = runs.drain(nearest(&runs, &gaps)?).collect();
    stretch(&mut runs, template, hashes, &part);
    let (first, last) = (runs.first()?, runs.last()?);
    let start = Run { template: 0..0, text: first.text.start..first.text.start };
    let end = template.words.len();
    let end = Run { template: end..end, text: last.text.end..last.text.end };
    let around: Vec<&Run> = std::iter::once(&start).chain(&runs).chain([&end]).collect();
    let pairs = around.windows(2);
    let differences =
        pairs.filter_map(|pair| difference(template, pair[0], pair[1], words)).collect();
    let n_equal = runs.iter().map(|run| run.text.len()).sum();
    let n_required = template.is_required.iter().filter(|is_required| **is_required).count();
    let starts = !template.is_required[..first.template.start].contains(&true);
    let mut pairs = runs.iter().flat_map(|run| run.template.clone().zip(run.text.clone()));
    let body = pairs.find(|(of, _)| template.is_required[*of]);
    let body = body.map_or(first.text.start, |(_, at)| at);
    let range = first.text.start..last.text.end;
    Some(TemplateMatch { id: template.id, starts, range, body, n_equal, n_required, differences })
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

/// Takes in equal words before the first run and behind the last: they may be compared with others.
fn stretch(runs: &mut [Run], template: &Template, hashes: &[u32], part: &Range<usize>) {
    if let Some(first) = runs.first_mut() {
        while let (Some(of), Some(in_text)) =
            (first.template.start.checked_sub(1), first.text.start.checked_sub(1))
            && in_text >= part.start
            && template.hashes[of] == hashes[in_text]
        {
            (first.template.start, first.text.start) = (of, in_text);
        }
    }
    if let Some(last) = runs.last_mut() {
        while last.text.end < part.end
            && template.hashes.get(last.template.end) == Some(&hashes[last.text.end])
        {
            (last.template.end, last.text.end) = (last.template.end + 1, last.text.end + 1);
        }
    }
}

/// The runs that belong together: those whose words count most, less the words between them.
fn nearest(runs: &[Run], gaps: &[Option<Difference>]) -> Option<Range<usize>> {
    let mut best: Option<(i64, Range<usize>)> = None;
    let (mut sum, mut first) = (0, 0);
    for (at, run) in runs.iter().enumerate() {
        let gap = at.checked_sub(1).and_then(|before| gaps[before].as_ref());
        let gap = gap.map_or(0, |of| of.added.len() as i64);
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
    let mut missing: Vec<_> =
        gap.clone().filter(|&at| template.is_required[at]).map(|at| template.words[at]).collect();
    let n_free = template.n_free[gap.start..=gap.end].iter().copied().max().unwrap_or_default();
    let mut added = a.text.end..b.text.start;
    // Where much is missing, what is there instead is no name.
    let is_name = missing.len() <= usize::from(n_free)
        && added.len() <= usize::from(n_free)
        && !words.has_end(added.start..added.end.saturating_sub(1).max(added.start));
    if is_name || added.clone().all(|at| is_bullet(words.word(at))) {
        added = added.end..added.end;
    }
    if missing.iter().all(|word| is_bullet(word)) {
        missing.clear();
    }
    (!missing.is_empty() || !added.is_empty()).then_some(Difference { missing, added })
}

impl TemplateMatch {
    /// How well a template fits: the words that are equal, less those that differ.
    fn worth(&self) -> i64 {
        if self.is_abridged() {
            return 1;
        }
        self.n_equal as i64 - COST * self.n_differing() as i64
    }

    /// Its order among templates: the one that fits best is the last.
    fn fit(&self) -> (i64, usize, Reverse<usize>) {
        (self.worth(), self.n_equal, Reverse(self.n_required))
    }

    /// Whether this is the beginning of a license, with most of it left out and nothing added.
    pub fn is_abridged(&self) -> bool {
        self.starts
            && self.differences.iter().all(|of| of.added.is_empty())
            && self.n_equal >= MIN_ABRIDGED
            && 2 * self.n_equal <= self.n_required
    }

    /// Whether most of a part of the text is within it, and not from the template.
    pub fn is_mostly_added(&self, part: &Range<usize>) -> bool {
        let added = self.differences.iter().map(|of| &of.added);
        let n_added: usize =
            added.map(|of| of.end.min(part.end).saturating_sub(of.start.max(part.start))).sum();
        2 * n_added > part.len()
    }

    pub fn n_differing(&self) -> usize {
        self.differences.iter().map(|of| of.missing.len().max(of.added.len())).sum()
    }
}
