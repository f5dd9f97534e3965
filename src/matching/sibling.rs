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
use crate::language::{Kind, Token};

/// Number of lines on each side of a hunk that belong to its window, as in a patch.
const CONTEXT_LINES: usize = 3;
/// Minimum tokens in a row across an edit that agree, and half as many as where the commits say
/// that they do something else than mend. Fewer are an idiom.
const MIN_RUN: usize = 16;
/// Minimum tokens of such a run on each side of an insertion, which replaces nothing.
const MIN_SIDE: usize = 4;
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
    /// The variables that the edit needs and the change declares elsewhere.
    pub variables: Vec<u32>,
    /// Whether the commits may mean to mend something.
    pub may_mend: bool,
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
    /// The lines before the change and those around them.
    pub fn with_lines(&self, before: Document<'_>) -> Range<usize> {
        let Range { start, end } = self.before;
        let starts_line = |at: &usize| before.starts_line(*at);
        let from = (0..start).rev().filter(starts_line).nth(CONTEXT_LINES - 1);
        let to = (end + 1..before.tokens.len()).filter(starts_line).nth(CONTEXT_LINES - 1);
        from.unwrap_or(0)..to.unwrap_or(before.tokens.len())
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
        let mut renaming = Renaming::default();
        let mut agrees = |(a, b): &(usize, usize)| renaming.agrees(&before[*a], &target[*b]);
        let n_removed = removed.clone().zip(there.clone()).take_while(&mut agrees).count();
        let n_left = (window.start..removed.start)
            .rev()
            .zip((0..there.start).rev())
            .take_while(&mut agrees)
            .count();
        let n_right =
            (removed.end..window.end).zip(there.end..target.len()).take_while(&mut agrees).count();
        let (from, to) = (removed.start - n_left, removed.end + n_right);
        // Other names in what is removed are other code, unless the lines around it rename them,
        // too.
        let is_known = |token: &Token| {
            let mut around = before[from..removed.start].iter().chain(&before[removed.end..to]);
            renaming.keeps(token) || around.any(|other| other.exact == token.exact)
        };
        let is_same = n_removed == removed.len() && before[removed.clone()].iter().all(is_known);
        (is_same && renaming.is_alike(&before[from..to])).then_some(Run {
            renaming,
            n_left,
            n_right,
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
    /// The places within `region` of a file that have this window of `before`, and not what the
    /// hunk made of it in `after`.
    ///
    /// Time O(n) in the tokens of the region, and O(m) for each place that has the removed tokens
    /// of a window of m.
    pub fn sites(
        &self,
        before: &[Token],
        after: &[Token],
        target: &[Token],
        region: Range<usize>,
    ) -> Vec<Site> {
        let Range { start, end } = self.hunk.removed;
        let core = start.saturating_sub(1).max(self.tokens.start)..(end + 1).min(self.tokens.end);
        let is_core = |tokens: &[Token]| {
            tokens.iter().zip(&before[core.clone()]).all(|(a, b)| a.symbol == b.symbol)
        };
        let places = target[region.clone()].windows(core.len().max(1)).zip(region.start..);
        let places =
            places.filter(|(tokens, _)| is_core(tokens)).map(|(_, at)| at + start - core.start);
        places.filter_map(|at| self.site(before, after, target, at)).collect()
    }

    /// The place where the removed tokens may begin at `at`.
    fn site(&self, before: &[Token], after: &[Token], target: &[Token], at: usize) -> Option<Site> {
        let Self { hunk, tokens, .. } = self;
        let Run { renaming, n_left, n_right } = hunk.run_at(tokens, before, target, at)?;
        if !self.is_enough(n_left, n_right) {
            return None;
        }
        let Hunk { removed, added, .. } = hunk;
        let there = at..at + removed.len();
        let around =
            removed.start - tokens.start + added.len()..tokens.end - removed.end + added.len();
        let near =
            there.start.saturating_sub(around.start)..(there.end + around.end).min(target.len());
        let has_edit = has_already(&after[added.clone()], &before[tokens.clone()], &target[near]);
        let n_run = n_left + removed.len() + n_right;
        (!has_edit).then_some(Site { at: there, renaming, n_run })
    }

    /// Whether so many tokens on the left and the right of what was removed show a place.
    fn is_enough(&self, n_left: usize, n_right: usize) -> bool {
        let (removed, tokens) = (&self.hunk.removed, &self.tokens);
        let min_run = if self.may_mend { MIN_RUN } else { 2 * MIN_RUN };
        let min_side = if self.hunk.before.is_empty() { MIN_SIDE } else { 1 };
        let is_held = n_left >= min_side.min(removed.start - tokens.start)
            && n_right >= min_side.min(tokens.end - removed.end);
        is_held && n_left + removed.len() + n_right >= min_run
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

    /// Whether two tokens are the same, or names that may correspond; then they do from now on.
    fn agrees(&mut self, a: &Token, b: &Token) -> bool {
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
        self.to.get(&token.exact).is_none_or(|to| *to == token.exact)
    }

    /// Whether enough names and literals of some tokens that agree are spelled the same.
    fn is_alike(&self, tokens: &[Token]) -> bool {
        let words = tokens.iter().filter(|token| token.is_content());
        let (spelled, others): (Vec<&Token>, Vec<&Token>) =
            words.partition(|token| self.keeps(token));
        let n_different = spelled.iter().map(|token| token.exact).collect::<HashSet<_>>().len();
        n_different >= MIN_WORDS
            && 100 * spelled.len() >= MIN_SPELLED * (spelled.len() + others.len())
    }
}
