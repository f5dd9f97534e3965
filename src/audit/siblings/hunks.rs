//! Chooses the hunks of a change that a sibling may lack.

use std::ops::Range;

use crate::audit::change::{ChangedFile, Predecessor};
use crate::audit::read::{Source, Sources};
use crate::language::{Kind, Token};
use crate::matching::{Hunk, Unit, UnitSearch, Window, missable_hunks};
use crate::policy::{Ground, content};
use crate::text::FilePath;

/// Maximum places that lack a hunk, and of a change that have it: more are an idiom, or a rewrite
/// that left some out on purpose. A change with no more hunks is small.
pub(super) const MAX_PLACES: usize = 8;

/// The windows of `hunks` that a sibling may lack, with their units; `moved` is elsewhere now.
pub(super) fn windows_of(
    hunks: Vec<Hunk>,
    before: &Predecessor,
    head: &ChangedFile,
    moved: impl Iterator<Item = Range<usize>>,
    sources: &Sources<'_>,
) -> Vec<(Window, Unit)> {
    let (base, after) = (&before.source, &head.source);
    let language = sources.languages.named(&base.language);
    if language.is_some_and(|language| language.is_declarative) {
        return Vec::new();
    }
    let mut is_gone = before.removed.clone();
    moved.for_each(|range| is_gone[range].fill(false));
    let [mut around_base, mut behind, mut around_after] =
        [base, base, after].map(|source| UnitSearch::new(source.document()));
    let mut windows = Vec::new();
    for hunk in missable_hunks(hunks, base.document(), after.document(), 1) {
        let is_feature = hunk.before.is_empty() && is_declared(&hunk.added, after);
        if is_feature
            || is_idle(&hunk, base, after)
            || is_moved(&hunk, before, head, &is_gone)
            || is_test(&hunk, after, sources)
        {
            continue;
        }
        // What is declared outside of functions differs on purpose.
        let around = around_base.around(with_neighbors(base, &hunk.removed));
        let Some(unit) = around.filter(|unit| unit.name.is_some()) else { continue };
        if is_of_head(&hunk, &unit, &mut behind, base, after) {
            continue;
        }
        let of_head = around_after.around(with_neighbors(after, &hunk.added));
        let of_head = of_head.map_or(0..after.tokens.len(), |unit| unit.tokens);
        let of_base = &base.tokens[unit.tokens.clone()];
        if is_renaming(&hunk, of_base, base, &after.tokens[of_head], after) {
            continue;
        }
        let tokens = hunk.with_context(base.document());
        let lines = if is_one_more(&hunk, after) {
            tokens.clone()
        } else if hunk.before.is_empty() || hunk.after.is_empty() {
            hunk.with_lines(1, base.document())
        } else {
            hunk.before.clone()
        };
        windows.push((Window { hunk, tokens, lines }, unit));
    }
    windows
}

/// Whether a hunk only moves code: it removes what is not gone nor renamed, and adds nothing new.
fn is_moved(hunk: &Hunk, before: &Predecessor, head: &ChangedFile, is_gone: &[bool]) -> bool {
    let removed = hunk.removed.clone();
    let is_renamed = !removed.is_empty() && !before.removed[removed.clone()].contains(&true);
    !is_renamed
        && !is_gone[removed].contains(&true)
        && !head.novel[hunk.added.clone()].contains(&true)
}

fn is_test(hunk: &Hunk, after: &Source, sources: &Sources<'_>) -> bool {
    let before = hunk.added.start.saturating_sub(1);
    before < after.tokens.len() && after.is_on(before, sources.test_lines(after))
}

/// Whether a file is code of the project itself that computes something.
pub(super) fn is_own_code(path: &FilePath, is_prose: bool, sources: &Sources<'_>) -> bool {
    matches!(sources.config.ground(path, is_prose), Ground::Code | Ground::Example)
        && sources.skip_judging(path).is_none()
}

/// Whether a file may lack an edit, judging by its name: also code of others that is kept here.
pub(super) fn may_hold_siblings(path: &FilePath, sources: &Sources<'_>) -> bool {
    matches!(sources.config.ground(path, false), Ground::Code | Ground::Example)
        && sources.is_compared(path)
}

/// Whether added tokens declare something before they decide anything, or are no whole statements:
/// brackets are left open, unless the first word decides.
fn is_declared(added: &Range<usize>, after: &Source) -> bool {
    let (words, tokens) = (after.document().words, &after.tokens[added.clone()]);
    let texts: Vec<&[u8]> = tokens.iter().map(|token| token.text(&after.text)).collect();
    let n_before = texts.iter().take_while(|text| !words.decides(text)).count();
    let n_keywords = tokens.iter().take_while(|token| token.kind() == Kind::Keyword).count();
    let is_typed = tokens[..n_before]
        .windows(2)
        .enumerate()
        .any(|(at, pair)| pair[1].is_name() && (pair[0].is_name() || at < n_keywords));
    let is_open = tokens.iter().map(Token::nesting).sum::<i64>() != 0;
    is_open && n_before > 0 || is_typed || texts.iter().any(|text| words.defines(text))
}

/// Whether a hunk begins in the head of its unit, or is a whole one: what calls it changes, and no
/// sibling.
fn is_of_head(
    hunk: &Hunk,
    unit: &Unit,
    behind: &mut UnitSearch<'_>,
    base: &Source,
    after: &Source,
) -> bool {
    let Hunk { removed, added, .. } = hunk;
    // `public f()`, where it was `f()`: what is in front belongs to the unit around.
    removed.start < hunk.before.end
        && (is_in_head(removed, unit, base)
            || behind
                .around(removed.start..removed.start + 1)
                .is_some_and(|unit| is_in_head(removed, &unit, base)))
        || has_whole_unit(added, after)
        || has_whole_unit(removed, base)
}

fn is_in_head(tokens: &Range<usize>, unit: &Unit, source: &Source) -> bool {
    let head = source.document().head_of(unit);
    head.is_some_and(|head| {
        head.start <= tokens.start && (tokens.start < head.end || tokens.end <= head.end)
    })
}

fn has_whole_unit(tokens: &Range<usize>, source: &Source) -> bool {
    let document = source.document();
    document.holds_unit(tokens.clone(), 1) && document.holds_head(tokens.clone())
}

pub(super) fn unit_around(source: &Source, tokens: &Range<usize>) -> Option<Unit> {
    source.document().enclosing_unit(with_neighbors(source, tokens))
}

fn with_neighbors(source: &Source, tokens: &Range<usize>) -> Range<usize> {
    tokens.start.saturating_sub(1)..(tokens.end + 1).min(source.tokens.len())
}

/// Whether a hunk only edits what does nothing or is another's on purpose: braces, as where
/// `if (a) b();` became `if (a) { b(); }`, what closes another part of the edit, and texts; rows of
/// numbers; attributes.
fn is_idle(hunk: &Hunk, base: &Source, after: &Source) -> bool {
    let sides = [&base.tokens[hunk.removed.clone()], &after.tokens[hunk.added.clone()]];
    let [removed, added] = sides.map(|tokens| {
        let others = tokens.iter().filter(|of| {
            of.kind() != Kind::String
                && !matches!(of.punctuation(), Some(b'{' | b'}' | b')' | b';'))
        });
        others.map(|token| token.exact)
    });
    let mut sources = [(base, &hunk.removed), (after, &hunk.added)].into_iter();
    removed.eq(added)
        || sides.iter().all(|tokens| is_row(tokens))
        || sources.any(|(source, tokens)| is_attribute(source, tokens))
}

/// Whether a hunk only adds one more of its kind: what is beside it has the same symbols.
fn is_one_more(hunk: &Hunk, after: &Source) -> bool {
    let Range { start, end } = hunk.added;
    let n = end - start;
    let symbols = |from: usize| Some(after.tokens.get(from..from + n)?.iter().map(|of| of.symbol));
    let is_like = |beside: usize| symbols(beside).zip(symbols(start)).is_some_and(|(a, b)| a.eq(b));
    hunk.removed.is_empty() && (is_like(end) || start.checked_sub(n).is_some_and(is_like))
}

/// Whether tokens are several numbers of a list.
fn is_row(tokens: &[Token]) -> bool {
    let mut others = tokens.iter().filter(|token| token.kind() != Kind::Number);
    tokens.len() > 1 && others.all(|token| token.punctuation() == Some(b','))
}

/// Whether a line begins with tokens like `#[`.
fn is_attribute(source: &Source, tokens: &Range<usize>) -> bool {
    let first = source.tokens[tokens.clone()].iter().take(2).flat_map(Token::punctuation);
    source.document().starts_line(tokens.start) && first.eq(*b"#[")
}

/// Whether a hunk only renames variables of a unit: it had them in several places, and has none of
/// them now, or others are wherever they were.
fn is_renaming(
    hunk: &Hunk,
    unit: &[Token],
    base: &Source,
    of_head: &[Token],
    after: &Source,
) -> bool {
    let (was, is) = (&base.tokens[hunk.removed.clone()], &after.tokens[hunk.added.clone()]);
    was.len() == is.len()
        && was.iter().zip(is).all(|(a, b)| {
            let (was, is) = (a.exact, b.exact);
            a.is_same(b)
                || a.symbol == b.symbol
                    && a.is_name()
                    && n_of(was, unit) > 1
                    && (n_of(was, of_head) + n_of(is, unit) == 0
                        || has_moved(was, unit, is, of_head))
        })
}

fn n_of(word: u32, tokens: &[Token]) -> usize {
    tokens.iter().filter(|token| token.exact == word).count()
}

/// Whether one name is on one side wherever another is on the other.
fn has_moved(was: u32, base: &[Token], is: u32, head: &[Token]) -> bool {
    base.len() == head.len()
        && base.iter().zip(head).all(|(a, b)| (a.exact == was) == (b.exact == is))
}

/// What a hunk of a file removes and adds, whatever surrounds it.
pub(super) fn content_of(hunk: &Hunk, base: &Source, after: &Source) -> (u64, u64) {
    (content(&base.tokens[hunk.removed.clone()]), content(&after.tokens[hunk.added.clone()]))
}
