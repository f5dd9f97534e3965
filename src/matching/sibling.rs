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

/// Number of lines on each side of a hunk that belong to its window, as in a patch.
const CONTEXT_LINES: usize = 3;
/// Minimum tokens in a row across an edit that agree, unless it mends something or is owed whole:
/// fewer are an idiom.
pub const MIN_RUN: usize = 32;
/// Minimum different names and literals that a run spells the same: brackets and keywords are
/// everywhere.
const MIN_WORDS: usize = 5;
/// Minimum percentage of the names and literals of a run that are spelled the same.
const MIN_SPELLED: usize = 60;

/// A hunk, and what was around it before the change.
#[derive(Debug, Clone)]
pub struct Window {
    /// The hunk.
    pub hunk: Hunk,
    /// Its lines and those of the context, in tokens before the change.
    pub tokens: Range<usize>,
    /// What a sibling has all of: the lines that the hunk replaced; of lines that were inserted or
    /// removed, those around them, too.
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
        let starts_line = |at: &usize| before.starts_line(*at);
        let from = (0..start).rev().filter(starts_line).nth(n - 1);
        let to = (end + 1..before.tokens.len()).filter(starts_line).nth(n - 1);
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
        let mut agrees = |(a, b): &(usize, usize)| renaming.agrees(&before[*a], &target[*b]);
        let n_removed = removed.clone().zip(there.clone()).take_while(&mut agrees).count();
        let left = (window.start..removed.start).rev().zip((0..there.start).rev());
        let n_left = left.take_while(&mut agrees).count();
        let right = (removed.end..window.end).zip(there.end..target.len());
        let n_right = right.take_while(&mut agrees).count();
        let (from, to) = (removed.start - n_left, removed.end + n_right);
        // Other names in what is removed are other code, unless the lines around it rename them,
        // too.
        let is_known = |token: &Token| {
            let mut around = before[from..removed.start].iter().chain(&before[removed.end..to]);
            renaming.keeps(token) || around.any(|other| other.exact == token.exact)
        };
        let is_same = n_removed == removed.len() && before[removed.clone()].iter().all(is_known);
        let is_run = is_same && renaming.is_alike(&before[from..to]);
        is_run.then_some(Run { renaming, n_left, n_right })
    }

    /// Whether a name in what it removed is only declared in a run around it, with a type that is
    /// renamed there: then it is something else.
    fn is_of_other_type(&self, Run { renaming, n_left, n_right }: &Run, before: &[Token]) -> bool {
        let removed = &self.removed;
        let (from, to) = (removed.start - n_left, removed.end + n_right);
        let is_declared = |at: usize| {
            let is_mark = |token: &&Token| matches!(token.punctuation(), Some(b'*' | b'&'));
            let left = before[from..at].iter().rev().find(|token| !is_mark(token));
            let mut beside = left.into_iter().chain(before[at + 1..to].first());
            beside.any(|token| token.kind() == Kind::Identifier && !renaming.keeps(token))
        };
        let is_used = |name: &Token| {
            let mut around = (from..removed.start).chain(removed.end..to);
            around.any(|at| before[at].exact == name.exact && !is_declared(at))
        };
        before[removed.clone()].iter().any(|token| !renaming.keeps(token) && !is_used(token))
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
        let is_there = |token: &Token| {
            let mut of_token = words_of(token.text(before.text));
            token.kind() == Kind::Number || of_token.all(has)
        };
        // How many names and literals of a run to some token are there, and how many it has.
        let counts = |tokens: &mut dyn Iterator<Item = &Token>| {
            let of_content = tokens.filter(|token| token.is_content()).map(|token| {
                let is_there = is_there(token);
                (token.kind() == Kind::Identifier || is_there).then_some(is_there)
            });
            let mut counts = vec![(0, 0)];
            for is_there in of_content.map_while(|known| known) {
                let (n_there, n) = counts[counts.len() - 1];
                counts.push((n_there + usize::from(is_there), n + 1));
            }
            counts
        };
        let n_content = |tokens: Range<usize>| {
            before.tokens[tokens].iter().filter(|token| token.is_content()).count()
        };
        // A run has all of the lines.
        let left = counts(&mut before.tokens[self.tokens.start..end].iter().rev());
        let right = counts(&mut before.tokens[end..self.tokens.end].iter());
        left.iter().skip(n_content(self.lines.start..end)).any(|left| {
            right.iter().skip(n_content(end..self.lines.end)).any(|right| {
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

/// Whether a place has most of the words already that an edit brings into a window.
fn has_already(added: &[Token], window: &[Token], there: &[Token]) -> bool {
    let known: HashSet<u32> = window.iter().map(|token| token.exact).collect();
    let is_new =
        |token: &&Token| token.kind() != Kind::Punctuation && !known.contains(&token.exact);
    let new: HashSet<u32> = added.iter().filter(is_new).map(|token| token.exact).collect();
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
        if a.symbol != b.symbol || a.kind() != Kind::Identifier {
            return a.symbol == b.symbol && a.exact == b.exact;
        }
        if !self.to.contains_key(&a.exact) && !self.from.contains_key(&b.exact) {
            self.to.insert(a.exact, b.exact);
            self.from.insert(b.exact, a.exact);
        }
        self.to.get(&a.exact) == Some(&b.exact)
    }

    /// Whether a token is spelled the same in the sibling.
    fn keeps(&self, token: &Token) -> bool {
        self.renamed(token.exact) == token.exact
    }

    /// Whether enough names and literals of some tokens that agree are spelled the same.
    fn is_alike(&self, tokens: &[Token]) -> bool {
        let words = || tokens.iter().filter(|token| token.is_content());
        let spelled = || words().filter(|token| self.keeps(token));
        let n_different = spelled().map(|token| token.exact).collect::<HashSet<_>>().len();
        n_different >= MIN_WORDS && 100 * spelled().count() >= MIN_SPELLED * words().count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_run_across_a_hunk_has_a_fingerprint_within_its_reach() {
        let params =
            Params::new(16.try_into().expect("k"), 20.try_into().expect("t")).expect("k <= t");
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
