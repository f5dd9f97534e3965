//! Finds the places of siblings: code that was like the edited code before the change, and still is
//! as it was.
//!
//! ```text
//!             context       removed    context
//! before      if ( f ( a )  == EOF     ) goto err ;      the edit leaves out `== EOF`
//! sibling     if ( f ( b )  == EOF     ) goto err ;      has what was removed, between the same neighbors
//! ```
//!
//! What is looked for is the window of a hunk: its lines before the change, with some lines of
//! context on both sides. This is ReDeBug (Jang, Agrawal, Brumley 2012) on tokens, with names that
//! may be renamed one to one.

use std::ops::Range;

use foldhash::{HashMap, HashSet};

use super::Document;
use super::missed::Hunk;
use super::words::words as words_of;
use crate::fingerprint::Params;
use crate::language::{Kind, Token};

/// Minimum tokens in a row across an edit that agree, unless it mends something or is owed whole:
/// fewer are an idiom.
pub const MIN_RUN: usize = 32;
/// Minimum different names and literals that a run spells the same: brackets and keywords are
/// everywhere.
const MIN_WORDS: usize = 5;
/// Number of lines on each side of a hunk that belong to its window, as in a patch.
const CONTEXT_LINES: usize = 3;
/// Minimum percentage of its names and literals that are spelled the same.
const MIN_SPELLED: usize = 60;

/// A hunk, and what was around it before the change.
#[derive(Debug, Clone)]
pub struct Window {
    /// The hunk.
    pub hunk: Hunk,
    /// Its lines and those of the context, in tokens before the change.
    pub tokens: Range<usize>,
    /// What a sibling has all of: the lines that the hunk replaced; of lines that were inserted or
    /// removed, those around them, too; of one more beside others of its kind, the whole window.
    pub lines: Range<usize>,
}

/// A place that has the window of a hunk and lacks the edit.
#[derive(Debug)]
pub struct Site {
    /// The tokens that the edit would replace; none where it would only add some.
    pub at: Range<usize>,
    /// How the names of the window are spelled there.
    pub renaming: Renaming,
    /// Tokens in a row that agree, across the edit.
    pub n_run: usize,
}

/// Which name of a sibling corresponds to which of the edited file, one to one.
#[derive(Debug, Default)]
pub struct Renaming {
    to: HashMap<u32, u32>,
    from: HashMap<u32, u32>,
}

impl Hunk {
    /// The lines before the change and those of the context.
    pub fn with_context(&self, before: Document<'_>) -> Range<usize> {
        self.with_lines(CONTEXT_LINES, before)
    }

    /// The lines before the change and `n` on each side.
    pub fn with_lines(&self, n: usize, before: Document<'_>) -> Range<usize> {
        let Range { start, end } = self.before;
        let from = (0..start).rev().filter(|&at| before.starts_line(at)).nth(n - 1);
        let behind = end + 1..before.tokens.len();
        let to = behind.filter(|&at| before.starts_line(at)).nth(n - 1);
        from.unwrap_or(0)..to.unwrap_or(before.tokens.len())
    }

    /// Where a fingerprint of every run of t tokens across the hunk begins, in tokens before the
    /// change.
    pub fn reach(&self, params: &Params) -> Range<usize> {
        let (k, t) = (params.noise_threshold(), params.guarantee_threshold());
        let Range { start, end } = self.removed;
        end.min(start + t).saturating_sub(t)..start + t - k + 1
    }

    /// The run of tokens in `target` that agrees with what is around the hunk in its `window`, if
    /// what it removed begins at `at`.
    pub(super) fn run_at(
        &self,
        window: &Range<usize>,
        before: &[Token],
        target: &[Token],
        at: usize,
    ) -> Option<Run> {
        let removed = &self.removed;
        let there = at..at + removed.len();
        // A file may end where what it shares does.
        if there.end > target.len() {
            return None;
        }
        let mut renaming = Renaming::default();
        let n_removed = renaming.n_agreeing(removed.clone().zip(there.clone()), before, target);
        let left = (window.start..removed.start).rev().zip((0..there.start).rev());
        let n_left = renaming.n_agreeing(left, before, target);
        let right = (removed.end..window.end).zip(there.end..target.len());
        let n_right = renaming.n_agreeing(right, before, target);
        let (from, to) = (removed.start - n_left, removed.end + n_right);
        // Other names in what is removed are other code, unless the lines around it rename them,
        // too.
        let mut names = before[removed.clone()].iter().filter(|token| !renaming.keeps(token));
        let is_same = n_removed == removed.len()
            && names.all(|name| {
                let mut around = before[from..removed.start].iter().chain(&before[removed.end..to]);
                around.any(|other| other.exact == name.exact)
            });
        let is_run = is_same && renaming.is_alike(&before[from..to]);
        is_run.then_some(Run { renaming, n_left, n_right })
    }

    /// Whether a name in what it removed is only declared in a run around it, with a type that is
    /// renamed there: then it is something else.
    fn is_of_other_type(&self, Run { renaming, n_left, n_right }: &Run, before: &[Token]) -> bool {
        let removed = before[self.removed.clone()].iter();
        let run = &before[self.removed.start - n_left..self.removed.end + n_right];
        removed.filter(|name| !renaming.keeps(name)).any(|name| {
            let mut around = (0..*n_left).chain(run.len() - n_right..run.len());
            !around.any(|at| run[at].exact == name.exact && !renaming.is_declared(at, run))
        })
    }
}

/// Tokens in a row that agree with those around a hunk.
pub(super) struct Run {
    pub renaming: Renaming,
    /// Tokens on the left and on the right of what the hunk removed.
    pub n_left: usize,
    pub n_right: usize,
}

impl Window {
    /// The place of `target` that has this window of `before`, with what was removed at `at`, and
    /// not what the hunk made of it in `after`.
    ///
    /// Time O(m) for a window of m tokens.
    pub fn site(
        &self,
        before: &[Token],
        after: &[Token],
        target: &[Token],
        at: usize,
    ) -> Option<Site> {
        let Self { hunk: hunk @ Hunk { removed, added, .. }, tokens, lines, .. } = self;
        let run = hunk.run_at(tokens, before, target, at)?;
        let has_lines =
            run.n_left >= removed.start - lines.start && run.n_right >= lines.end - removed.end;
        if !has_lines || hunk.is_of_other_type(&run, before) {
            return None;
        }
        let n_run = run.n_left + removed.len() + run.n_right;
        let there = at..at + removed.len();
        let n_before = removed.start - tokens.start + added.len();
        let n_behind = tokens.end - removed.end + added.len();
        let near = at.saturating_sub(n_before)..(there.end + n_behind).min(target.len());
        let has_edit = has_already(&after[added.clone()], &before[tokens.clone()], &target[near]);
        (!has_edit).then_some(Site { at: there, renaming: run.renaming, n_run })
    }

    /// Whether a file that `has` some words may have the window of `before`: a run across the
    /// hunk whose literals are there, and of whose names and literals enough.
    ///
    /// Time O(m²) for m names and literals of the window.
    pub fn may_be_among(&self, before: Document<'_>, has: &dyn Fn(u32) -> bool) -> bool {
        let end = self.hunk.removed.end;
        let left = before.tokens[self.tokens.start..end].iter().rev();
        let right = before.tokens[end..self.tokens.end].iter();
        let left = n_known_of_runs(left, before.text, has);
        let right = n_known_of_runs(right, before.text, has);
        // A run has all of the lines.
        let [n_left, n_right] = [self.lines.start..end, end..self.lines.end]
            .map(|lines| before.tokens[lines].iter().filter(|token| token.is_content()).count());
        left.iter().skip(n_left).any(|left| {
            right.iter().skip(n_right).any(|right| {
                let (n_there, n) = (left.0 + right.0, left.1 + right.1);
                n_there >= MIN_WORDS && 100 * n_there >= MIN_SPELLED * n
            })
        })
    }

    /// Whether the edit is one that a place with `n_run` tokens in a row lacks only if it mends
    /// something: an insertion is a feature otherwise, and a short run an idiom.
    pub fn is_fix_only(&self, n_run: usize) -> bool {
        self.hunk.before.is_empty() || n_run < MIN_RUN
    }
}

/// Of the names and literals of each run from the first of `tokens` on, how many a file may have
/// that `has` some words, and how many there are. A run has all of its literals.
fn n_known_of_runs<'t>(
    tokens: impl Iterator<Item = &'t Token>,
    text: &[u8],
    has: &dyn Fn(u32) -> bool,
) -> Vec<(usize, usize)> {
    let mut counts = vec![(0, 0)];
    for token in tokens.filter(|token| token.is_content()) {
        let is_there = token.kind() == Kind::Number || words_of(token.text(text)).all(has);
        if !is_there && !token.is_name() {
            break;
        }
        let (n_there, n) = counts[counts.len() - 1];
        counts.push((n_there + usize::from(is_there), n + 1));
    }
    counts
}

/// Whether a place has most of the words already that an edit brings into a window.
fn has_already(added: &[Token], window: &[Token], there: &[Token]) -> bool {
    let known: HashSet<u32> = window.iter().map(|token| token.exact).collect();
    let words = added.iter().filter(|token| token.kind() != Kind::Punctuation);
    let mut new: HashSet<u32> = words.map(|token| token.exact).collect();
    new.retain(|word| !known.contains(word));
    let there: HashSet<u32> = there.iter().map(|token| token.exact).collect();
    2 * new.intersection(&there).count() > new.len()
}

impl Renaming {
    /// The names and what they are in the sibling, in no order.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.to.iter().map(|(&name, &to)| (name, to))
    }

    /// What a name is in the sibling.
    pub fn renamed(&self, name: u32) -> u32 {
        self.to.get(&name).copied().unwrap_or(name)
    }

    /// Whether two tokens are the same, or names that may correspond; then they do from now on.
    pub fn agrees(&mut self, a: &Token, b: &Token) -> bool {
        if a.symbol != b.symbol || !a.is_name() {
            return a.readings() == b.readings();
        }
        if !self.to.contains_key(&a.exact) && !self.from.contains_key(&b.exact) {
            self.to.insert(a.exact, b.exact);
            self.from.insert(b.exact, a.exact);
        }
        self.to.get(&a.exact) == Some(&b.exact)
    }

    fn n_agreeing(
        &mut self,
        pairs: impl Iterator<Item = (usize, usize)>,
        before: &[Token],
        target: &[Token],
    ) -> usize {
        pairs.take_while(|&(a, b)| self.agrees(&before[a], &target[b])).count()
    }

    /// Whether the name at `at` of some tokens is declared there, with a type that is renamed.
    fn is_declared(&self, at: usize, tokens: &[Token]) -> bool {
        let mut before = tokens[..at].iter().rev();
        let left = before.find(|token| !matches!(token.punctuation(), Some(b'*' | b'&')));
        let mut beside = left.into_iter().chain(tokens.get(at + 1));
        beside.any(|token| token.is_name() && !self.keeps(token))
    }

    fn keeps(&self, token: &Token) -> bool {
        self.renamed(token.exact) == token.exact
    }

    /// Whether enough names and literals of some tokens that agree are spelled the same.
    fn is_alike(&self, tokens: &[Token]) -> bool {
        let (mut n_words, mut n_spelled, mut spelled) = (0, 0, HashSet::default());
        for token in tokens.iter().filter(|token| token.is_content()) {
            n_words += 1;
            if self.keeps(token) {
                n_spelled += 1;
                spelled.insert(token.exact);
            }
        }
        spelled.len() >= MIN_WORDS && 100 * n_spelled >= MIN_SPELLED * n_words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_run_across_a_hunk_has_a_fingerprint_within_its_reach() {
        let [k, t] = [16, 20].map(|n: usize| n.try_into().expect("it is not 0"));
        let params = Params::new(k, t).expect("k <= t");
        for n_removed in [0, 1, 5, 19, 20, 21, 60] {
            let removed = 100..100 + n_removed;
            let hunk = Hunk { before: removed.clone(), after: 0..0, removed, added: 0..0 };
            let reach = hunk.reach(&params);
            assert!(reach.len() < 2 * 20, "{reach:?}");
            let n_run = n_removed.max(20);
            for start in 100 + n_removed - n_run..=100 {
                // Of five fingerprints in a row, one is selected.
                let has_all = |at: &usize| (*at..at + 5).all(|print| reach.contains(&print));
                assert!((start..=start + n_run - 20).any(|at| has_all(&at)), "{start}, {reach:?}");
            }
        }
    }
}
