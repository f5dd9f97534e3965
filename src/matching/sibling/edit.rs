//! Finds the edits of a change: tokens that it replaced, removed or added in one place.

use std::ops::Range;

use foldhash::{HashMap, HashMapExt, HashSet};

use crate::language::{Kind, Token};
use crate::matching::alignment::Alignment;

/// Tokens of a base file that a change replaced by tokens of the head; either may be empty.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    /// The tokens before.
    pub base: (usize, usize),
    /// The tokens after.
    pub head: (usize, usize),
}

impl Edit {
    /// The tokens before.
    pub fn removed(&self) -> Range<usize> {
        self.base.0..self.base.1
    }

    /// The tokens after.
    pub fn added(&self) -> Range<usize> {
        self.head.0..self.head.1
    }

    /// How many tokens it removed or added, whichever are more.
    pub fn len(&self) -> usize {
        self.removed().len().max(self.added().len())
    }

    /// Whether it changed nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Maximum kept tokens between two edits of a statement for them to be one: with `- 1` replaced by `.saturating_sub(1)`,
/// the `1` was kept.
const MAX_BETWEEN: usize = 4;
/// Maximum kept tokens between an edit that opens a bracket and the one that closes it: `f(a, b)` became `g(f(a, b))`.
const MAX_WRAPPED: usize = 40;

/// The edits between what was `kept`, in order: the head file is the query, the base file the target.
///
/// A kept name that is another one now is an edit, unless it was renamed: see `substituted`. `scopes` has the units
/// around a token of base and around one of the head, `is_used_only` tells whether a token of the head stands for what
/// the change does not define. Time O(n).
pub fn edits(
    kept: &Alignment,
    head: &[Token],
    base: &[Token],
    scopes: &Scopes<'_>,
    is_used_only: &dyn Fn(usize) -> bool,
) -> Vec<Edit> {
    let mut parts: Vec<Edit> = Vec::new();
    let mut from = (0, 0);
    let blocks = kept.blocks.iter().map(|block| (block.target as usize, block.query as usize, block.len as usize));
    for (of_base, of_head, len) in blocks.chain([(base.len(), head.len(), 0)]) {
        if from.0 < of_base || from.1 < of_head {
            parts.push(Edit { base: (from.0, of_base), head: (from.1, of_head) });
        }
        from = (of_base + len, of_head + len);
    }
    // A name that is another one right beside what was edited belongs to that edit, renamed or not: a call of another
    // function has other arguments.
    let is_beside = |at: usize| {
        let behind = parts.partition_point(|part| part.base.1 + 2 <= at);
        parts.get(behind).is_some_and(|part| part.base.0 <= at + 2)
    };
    let substituted = substituted(kept, head, base, &is_beside, scopes, is_used_only);
    parts.extend(substituted.into_iter().map(|(a, b)| Edit { base: (a, a + 1), head: (b, b + 1) }));
    parts.sort_unstable();
    let mut edits: Vec<Edit> = Vec::new();
    for part in parts {
        match edits.last_mut() {
            Some(last) if is_continued(last, &part, head, base) => {
                (last.base.1, last.head.1) = (part.base.1, part.head.1);
            }
            _ => edits.push(part),
        }
    }
    edits
}

/// Whether two edits are one: next to each other, or the two brackets put around something.
fn is_continued(edit: &Edit, next: &Edit, head: &[Token], base: &[Token]) -> bool {
    let n_between = next.base.0 - edit.base.1;
    let n_open = |tokens: &[Token]| tokens.iter().map(Token::nesting).sum::<i64>();
    let ends_statement = |token: &Token| token.punctuation() == Some(b';');
    n_between <= MAX_BETWEEN && !base[edit.base.1..next.base.0].iter().any(ends_statement)
        || n_between <= MAX_WRAPPED && {
            let opened = n_open(&head[edit.added()]) - n_open(&base[edit.removed()]);
            let closed = n_open(&base[next.removed()]) - n_open(&head[next.added()]);
            opened != 0 && opened == closed && n_open(&base[edit.base.1..next.base.0]) == 0
        }
}

/// The tokens of the units around a token of base and around one of the head.
pub type Scopes<'s> = dyn Fn(usize, usize) -> (Range<usize>, Range<usize>) + 's;

/// The kept names, in base and in the head, that became other ones: `super->settings` is `host->settings` now.
///
/// A renaming changes all places that mean a thing: the old name is gone, or the new one was not there before, or, where
/// two have changed places, each is where the other was. A name that is kept in one place and changed in another was not
/// renamed, and neither was one that became a known one, nor the name of a function or member that the change does not
/// define: `free(rule)` calls another one with `free_act_rule(rule)`.
fn substituted(
    kept: &Alignment,
    head: &[Token],
    base: &[Token],
    is_beside: &dyn Fn(usize) -> bool,
    scopes: &Scopes<'_>,
    is_used_only: &dyn Fn(usize) -> bool,
) -> Vec<(usize, usize)> {
    let is_changed = |&(b, a): &(usize, usize)| base[a].exact != head[b].exact && base[a].kind() == Kind::Identifier;
    let changed: Vec<(usize, usize)> = kept.pairs().filter(is_changed).map(|(b, a)| (a, b)).collect();
    if changed.is_empty() {
        return changed;
    }
    let names = |tokens: &[Token]| tokens.iter().map(|token| token.exact).collect::<HashSet<u32>>();
    let (in_base, in_head) = (names(base), names(head));
    // How often each name became which one: a variable that is renamed in one function stays in others.
    let mut counts: HashMap<(u32, u32), usize> = HashMap::new();
    for &(a, b) in &changed {
        *counts.entry((base[a].exact, head[b].exact)).or_default() += 1;
    }
    let is_renamed = |&(a, b): &(usize, usize)| {
        let (was, is) = (base[a].exact, head[b].exact);
        let is_everywhere = !in_head.contains(&was) && !in_base.contains(&is);
        let is_local = || {
            let near = |tokens: &[Token], at: usize, name: u32| {
                let (from, to) = (at.saturating_sub(RENAMED_AROUND), (at + RENAMED_AROUND).min(tokens.len()));
                tokens[from..to].iter().any(|token| token.exact == name)
            };
            let has = |tokens: &[Token], name: u32| tokens.iter().any(|token| token.exact == name);
            let in_unit = || {
                let (of_base, of_head) = scopes(a, b);
                !has(&head[of_head.clone()], was) && !has(&base[of_base.clone()], is)
                    || has_moved(&changed, (base, of_base, was), (head, of_head, is))
            };
            counts[&(was, is)] > 1 && (!near(head, b, was) && !near(base, a, is) || in_unit())
        };
        (is_everywhere || is_local() && !is_beside(a)) && !is_used_only(b)
    };
    changed.iter().filter(|pair| !is_renamed(pair)).copied().collect()
}

/// A name in a range of the tokens of one side.
type Named<'t> = (&'t [Token], Range<usize>, u32);

/// Whether one name before is the other after wherever either is; `changed` ascends.
fn has_moved(changed: &[(usize, usize)], (base, of_base, was): Named<'_>, (head, of_head, is): Named<'_>) -> bool {
    let from = changed.partition_point(|&(a, _)| a < of_base.start);
    let inside = changed[from..].iter().take_while(|(a, _)| *a < of_base.end).filter(|(_, b)| of_head.contains(b));
    let n_moved = inside.filter(|&&(a, b)| base[a].exact == was && head[b].exact == is).count();
    let n_of = |tokens: &[Token], name: u32| tokens.iter().filter(|token| token.exact == name).count();
    n_moved == n_of(&base[of_base], was) && n_moved == n_of(&head[of_head], is)
}

/// Number of tokens on either side of a changed name in which a renamed variable is found under its new name only.
const RENAMED_AROUND: usize = 80;
