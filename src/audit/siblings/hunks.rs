//! Chooses the hunks of a change that a sibling may lack.

use std::cell::LazyCell;
use std::collections::HashMap;
use std::ops::Range;

use crate::audit::change::{ChangedFile, Predecessor};
use crate::audit::read::{Source, Sources};
use crate::language::{Kind, Token};
use crate::matching::{Hunk, Unit, UnitSearch, Window, missable_hunks};
use crate::policy::{Ground, content};
use crate::text::{FilePath, Lines};

/// Maximum places that lack a hunk, and maximum places of a change that have it: more are an idiom,
/// or a rewrite that left some out on purpose. A change with no more hunks is small.
pub(super) const MAX_PLACES: usize = 8;

/// The windows of those `hunks` of a file that a sibling may lack, each with its unit; the tokens in
/// `moved` are elsewhere now.
pub(super) fn windows(
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
    let mut has_moved = vec![false; base.tokens.len()];
    moved.for_each(|range| has_moved[range].fill(true));
    let is_moved = |hunk: &Hunk| {
        let is_gone = |at: usize| before.removed[at] && !has_moved[at];
        let is_renamed =
            hunk.removed.clone().all(|at| !before.removed[at]) && !hunk.removed.is_empty();
        !is_renamed
            && !hunk.removed.clone().any(is_gone)
            && !head.novel[hunk.added.clone()].contains(&true)
    };
    let test_lines = LazyCell::new(|| (Lines::new(&after.text), sources.test_lines(after)));
    let is_test = |hunk: &Hunk| {
        let token = after.tokens.get(hunk.added.start.saturating_sub(1));
        let (lines, of_tests) = &*test_lines;
        let line = token.map(|token| lines.line_of(token.start));
        line.is_some_and(|line| of_tests.iter().any(|of| of.contains(&line)))
    };
    let [mut around_base, mut behind, mut around_after] =
        [base, base, after].map(|source| UnitSearch::new(source.document()));
    let window = |hunk: Hunk| {
        let is_feature = hunk.before.is_empty() && is_declared(&hunk.added, after);
        if is_feature
            || is_bracketed(&hunk, base, after)
            || is_idle(&hunk, base, after)
            || is_moved(&hunk)
            || is_test(&hunk)
        {
            return None;
        }
        let unit = around_base.around(with_neighbors(base, &hunk.removed))?;
        if is_of_head(&hunk, &unit, &mut behind, base, after) {
            return None;
        }
        let of_head = around_after.around(with_neighbors(after, &hunk.added));
        let of_head = of_head.map_or(0..after.tokens.len(), |unit| unit.tokens);
        let of_base = &base.tokens[unit.tokens.clone()];
        if is_renaming(&hunk, of_base, base, &after.tokens[of_head.clone()], after) {
            return None;
        }
        let tokens = hunk.with_context(base.document());
        let is_replaced = !hunk.before.is_empty() && !hunk.after.is_empty();
        let lines =
            if is_replaced { hunk.before.clone() } else { hunk.with_lines(1, base.document()) };
        Some((Window { hunk, tokens, lines }, unit))
    };
    missable_hunks(hunks, base.document(), after.document(), 1).filter_map(window).collect()
}

/// Whether a file is code of the project itself that computes something.
pub(super) fn is_own_code(path: &FilePath, is_prose: bool, sources: &Sources<'_>) -> bool {
    matches!(sources.config.ground(path, is_prose), Ground::Code | Ground::Example)
        && sources.skip_judging(path).is_none()
}

/// Whether a file may lack an edit that is owed, judging by its name: also an example, and code of
/// others that the repository keeps.
pub(super) fn may_hold_siblings(path: &FilePath, sources: &Sources<'_>) -> bool {
    matches!(sources.config.ground(path, false), Ground::Code | Ground::Example)
        && sources.is_compared(path)
}

/// Whether added tokens declare something before they decide what is done, or are no whole
/// statements: brackets are left open, unless the first word decides.
fn is_declared(added: &Range<usize>, after: &Source) -> bool {
    let words = after.document().words;
    let text = |token: &Token| token.text(&after.text);
    let tokens = &after.tokens[added.clone()];
    let n_before = tokens.iter().take_while(|token| !words.decides(text(token))).count();
    let is_name = |token: &Token| token.kind() == Kind::Identifier;
    let is_keyword = |token: &Token| token.kind() == Kind::Keyword;
    let is_typed = |(at, pair): (usize, &[Token])| {
        is_name(&pair[1]) && (is_name(&pair[0]) || tokens[..=at].iter().all(is_keyword))
    };
    let n = |brackets: &[u8]| {
        let is_one = |token: &&Token| token.punctuation().is_some_and(|of| brackets.contains(&of));
        tokens.iter().filter(is_one).count()
    };
    let is_open = n(b"({[") != n(b")}]");
    is_open && n_before > 0
        || tokens[..n_before].windows(2).enumerate().any(is_typed)
        || tokens.iter().any(|token| words.defines(text(token)))
}

/// Whether a hunk is in the head of its unit, or adds or removes a whole one: what calls it
/// changes, not its siblings.
fn is_of_head(
    hunk: &Hunk,
    unit: &Unit,
    behind: &mut UnitSearch<'_>,
    base: &Source,
    after: &Source,
) -> bool {
    let holds = |source: &Source, range: &Range<usize>| {
        source.document().holds_unit(range.clone(), 1)
            && source.document().holds_head(range.clone())
    };
    let is_within =
        |head: Range<usize>| head.start <= hunk.removed.start && hunk.removed.end <= head.end;
    let is_head = |unit: &Unit| base.document().head_of(unit).is_some_and(is_within);
    // `public f()`, where it was `f()`: what is in front belongs to the unit around.
    let mut behind = || behind.around(hunk.removed.start..hunk.removed.start + 1);
    let is_of_line = hunk.removed.start < hunk.before.end;
    is_of_line && (is_head(unit) || behind().is_some_and(|unit| is_head(&unit)))
        || holds(after, &hunk.added)
        || holds(base, &hunk.removed)
}

/// The unit around some tokens and their neighbors.
pub(super) fn unit_around(source: &Source, tokens: &Range<usize>) -> Option<Unit> {
    source.document().enclosing_unit(with_neighbors(source, tokens))
}

fn with_neighbors(source: &Source, tokens: &Range<usize>) -> Range<usize> {
    tokens.start.saturating_sub(1)..(tokens.end + 1).min(source.tokens.len())
}

/// Whether a hunk only adds or removes braces: `if (a) b();` became `if (a) { b(); }`.
fn is_bracketed(hunk: &Hunk, base: &Source, after: &Source) -> bool {
    let is_word = |token: &&Token| !matches!(token.punctuation(), Some(b'{' | b'}'));
    let words = |tokens: &[Token]| {
        tokens.iter().filter(is_word).map(|token| token.exact).collect::<Vec<_>>()
    };
    words(&base.tokens[hunk.removed.clone()]) == words(&after.tokens[hunk.added.clone()])
}

/// Whether a hunk only edits what does nothing: comments that are strings, rows of numbers, and
/// attributes.
fn is_idle(hunk: &Hunk, base: &Source, after: &Source) -> bool {
    let sides = [(base, &hunk.removed), (after, &hunk.added)];
    sides.iter().all(|(source, tokens)| is_comment(source, tokens))
        || sides.iter().all(|(source, tokens)| is_row(&source.tokens[(*tokens).clone()]))
        || sides.iter().any(|(source, tokens)| is_attribute(source, tokens))
}

/// Whether tokens are strings that stand alone on their lines.
fn is_comment(source: &Source, tokens: &Range<usize>) -> bool {
    let mut ends = tokens.start..tokens.end + 1;
    ends.all(|at| source.document().starts_line(at))
        && source.tokens[tokens.clone()].iter().all(|token| token.kind() == Kind::String)
}

/// Whether tokens are several numbers of a list.
fn is_row(tokens: &[Token]) -> bool {
    let is_comma = |token: &Token| token.punctuation() == Some(b',');
    tokens.len() > 1 && tokens.iter().all(|token| token.kind() == Kind::Number || is_comma(token))
}

/// Whether a line begins with tokens like `#[`.
fn is_attribute(source: &Source, tokens: &Range<usize>) -> bool {
    let first = source.tokens[tokens.clone()].iter().take(2).flat_map(Token::punctuation);
    source.document().starts_line(tokens.start) && first.eq(*b"#[")
}

/// Whether a hunk only gives variables of a unit other names: it had them in several places, and
/// has none of them now, or others are wherever they were.
fn is_renaming(
    hunk: &Hunk,
    unit: &[Token],
    base: &Source,
    of_head: &[Token],
    after: &Source,
) -> bool {
    let (was, is) = (&base.tokens[hunk.removed.clone()], &after.tokens[hunk.added.clone()]);
    let n_of =
        |name: u32, tokens: &[Token]| tokens.iter().filter(|token| token.exact == name).count();
    let is_gone = |a: u32, b: u32| n_of(a, of_head) + n_of(b, unit) == 0;
    let is_renamed = |a: &Token, b: &Token| {
        let (was, is) = (a.exact, b.exact);
        a.kind() == Kind::Identifier
            && n_of(was, unit) > 1
            && (is_gone(was, is) || has_moved(was, unit, is, of_head))
    };
    let is_same =
        |(a, b): (&Token, &Token)| a.symbol == b.symbol && (a.exact == b.exact || is_renamed(a, b));
    was.len() == is.len() && was.iter().zip(is).all(is_same)
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

/// How often each of some edits is made, by its content.
pub(super) fn n_made(contents: impl Iterator<Item = (u64, u64)>) -> HashMap<(u64, u64), usize> {
    let mut n_made = HashMap::new();
    contents.for_each(|content| *n_made.entry(content).or_default() += 1);
    n_made
}
