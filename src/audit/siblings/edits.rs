//! Chooses the edits of a change that a sibling may lack.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use super::place::Place;
use super::variables::is_call_or_member;
use crate::audit::change::{Changed, Predecessor};
use crate::audit::read::{Source, Sources};
use crate::language::{Kind, Token};
use crate::matching::{Edit, Unit, edits};
use crate::policy::{Ground, content};
use crate::text::{FilePath, Lines};

/// Maximum tokens of an edit, removed or added. A longer one is a rewrite, and what it fixes is unclear.
const MAX_EDIT: usize = 200;
/// Minimum equal edits of one change to be a mechanical rewrite: what it left out was left out on purpose.
const MECHANICAL: usize = 8;
/// Minimum tokens of a function that an edit adds or removes as a whole.
const MIN_UNIT: usize = 12;

/// The unit around a place.
pub(super) fn around(source: &Source, start: usize, end: usize) -> Option<Unit> {
    source.document().enclosing_unit(start.saturating_sub(1)..(end + 1).min(source.tokens.len()))
}

/// The unit that ends with an edit, where nothing closes it: what is behind belongs to another one, or to none.
pub(super) fn ended_by(edit: &Edit, before: &Source, after: &Source) -> Option<Unit> {
    let unit = before.document().enclosing_unit(edit.base.0.checked_sub(1)?..edit.base.1)?;
    let (base, head) = (before.document(), after.document());
    let is_inside = || head.starts_line(edit.head.0) && head.indent(edit.head.0) > base.indent(unit.tokens.start);
    (!edit.removed().is_empty() || is_inside()).then_some(unit)
}

/// All edits of a file; `is_defined` tells which names the change defines.
pub(super) fn edits_of(before: &Predecessor, head: Option<&Changed>, is_defined: &dyn Fn(u32) -> bool) -> Vec<Edit> {
    let of_head = |head: &Changed| {
        let (in_head, in_base) = (Scopes::new(&head.source), Scopes::new(&before.source));
        let is_used_only = |at: usize| is_call_or_member(&head.source, at) && !is_defined(head.source.tokens[at].exact);
        let (head, base) = (&head.source.tokens, &before.source.tokens);
        edits(&before.kept, head, base, &|a, b| (in_base.of(a), in_head.of(b)), &is_used_only)
    };
    head.map(of_head).unwrap_or_default()
}

/// The functions of a file, found as they are asked for. Many names of one function cost no more than one.
struct Scopes<'s> {
    source: &'s Source,
    last: RefCell<Range<usize>>,
}

impl<'s> Scopes<'s> {
    fn new(source: &'s Source) -> Self {
        Self { source, last: RefCell::default() }
    }

    /// The tokens of the unit around a token.
    fn of(&self, at: usize) -> Range<usize> {
        let mut last = self.last.borrow_mut();
        if !last.contains(&at) {
            let unit = self.source.document().enclosing_unit(at..at + 1);
            *last = unit.map_or(0..self.source.tokens.len(), |unit| unit.tokens);
        }
        last.clone()
    }
}

/// Whether a file is code of the project itself that computes something.
pub(super) fn is_own_code(path: &FilePath, is_prose: bool, sources: &Sources<'_>) -> bool {
    sources.config.ground(path, is_prose) == Ground::Code && sources.skip_judging(path).is_none()
}

/// The edits of a file that a sibling may lack; its tokens in `moved` are elsewhere now.
pub(super) fn candidates(
    before: &Predecessor,
    head: &Changed,
    all: &[Edit],
    moved: impl Iterator<Item = Range<usize>>,
    sources: &Sources<'_>,
) -> Vec<Edit> {
    let source = &before.source;
    let is_declarative = sources.languages.named(&source.language).is_some_and(|language| language.is_declarative);
    if all.is_empty() || is_declarative || !is_own_code(&head.source.path, source.is_prose, sources) {
        return Vec::new();
    }
    let mut has_moved = vec![false; source.tokens.len()];
    for range in moved {
        has_moved[range].fill(true);
    }
    let is_edit = |edit: &&Edit| {
        let (removed, added) = (edit.removed(), edit.added());
        let is_small = removed.len() <= MAX_EDIT && added.len() <= MAX_EDIT;
        let n_removed = removed.clone().filter(|&at| before.removed[at] && !has_moved[at]).count();
        let n_novel = head.novel[added.clone()].iter().filter(|&&is_novel| is_novel).count();
        // A whole function is a feature, and so is its end.
        let holds_unit = || {
            let holds = |source: &Source, range: &Range<usize>| {
                // A wrapped call looks like a unit, too; a function has a head.
                source.document().holds_unit(range.clone(), MIN_UNIT) && source.document().holds_head(range.clone())
            };
            holds(&head.source, &added) || holds(source, &removed)
        };
        // Where all is kept, a name became another one.
        let is_kept = !removed.is_empty() && before.removed[removed.clone()].iter().all(|&is_removed| !is_removed);
        is_small && (is_kept || n_removed + n_novel > 0) && !holds_unit()
    };
    let lines = Lines::new(&head.source.text);
    let test_lines = test_lines(&head.source, sources);
    let is_test_line = |edit: &Edit| {
        let token = head.source.tokens.get(edit.head.0.saturating_sub(1));
        token.is_some_and(|token| test_lines.iter().any(|of| of.contains(&lines.line_of(token.start))))
    };
    all.iter().filter(is_edit).filter(|edit| !is_test_line(edit)).cloned().collect()
}

/// Whether an edit is within the head of a function: with another parameter, what calls it changes, not its siblings.
pub(super) fn is_of_head(edit: &Edit, unit: &Unit, before: &Source, after: &Source) -> bool {
    let (base, head) = (before.document(), after.document());
    let is_within = |unit: &Unit| {
        let of_unit = base.head_of(unit)?;
        let starts_body = || {
            let opens = before.tokens.get(of_unit.end).is_some_and(|token| token.text(&before.text) == b"{");
            // `-> A<'_> {`, where there was no `<'_>`.
            !opens || head.starts_line(edit.head.0)
        };
        let is_in_front = edit.base.0 < of_unit.end || edit.base.0 == of_unit.end && !starts_body();
        Some(of_unit.start <= edit.base.0 && edit.base.1 <= of_unit.end && is_in_front)
    };
    // `pub fn`, where there was no `pub`: what was in front of the function belongs to another unit.
    let begins = |unit: &Unit| {
        let is_first = unit.tokens.start == edit.base.0 && unit.name.is_some();
        is_first && (!edit.removed().is_empty() || !head.starts_line(edit.head.1))
    };
    let behind = base.enclosing_unit(edit.base.0..edit.base.0 + 1).filter(begins);
    is_within(unit).unwrap_or(false) || behind.is_some_and(|unit| is_within(&unit).unwrap_or(false))
}

/// Whether an edit only adds or removes braces: `if (a) b();` became `if (a) { b(); }`.
pub(super) fn is_bracketed(edit: &Edit, before: &Source, after: &Source) -> bool {
    let words = |source: &Source, range: Range<usize>| -> Vec<u32> {
        let tokens = source.tokens[range].iter();
        let words = tokens.filter(|token| !matches!(token.text(&source.text), b"{" | b"}"));
        words.map(|token| token.exact).collect()
    };
    words(before, edit.removed()) == words(after, edit.added())
}

/// Whether an edit adds or removes lines of a list outside of functions: exported names, variants of a type.
pub(super) fn is_listed(edit: &Edit, unit: &Unit, before: &Source, after: &Source) -> bool {
    let sides = [(before, edit.removed()), (after, edit.added())];
    let are_lines = |(source, range): &(&Source, Range<usize>)| {
        range.is_empty() || source.document().starts_line(range.start) && source.document().starts_line(range.end)
    };
    let is_of_list = |(source, range): &(&Source, Range<usize>)| {
        source.tokens[range.clone()].iter().all(|token| {
            token.kind() != Kind::Punctuation && token.text(&source.text) != b"return"
                || matches!(token.text(&source.text), b"," | b":" | b"{" | b"}" | b"<" | b">" | b"'" | b"." | b"|")
        })
    };
    let has_comma = |(source, range): &(&Source, Range<usize>)| {
        source.tokens[range.clone()].iter().any(|token| token.text(&source.text) == b",")
    };
    unit.name.is_none() && sides.iter().all(|side| are_lines(side) && is_of_list(side)) && sides.iter().any(has_comma)
}

/// The lines of a file with test code.
pub(super) fn test_lines(source: &Source, sources: &Sources<'_>) -> Vec<Range<u32>> {
    let language = sources.languages.named(&source.language);
    language.map(|language| language.test_lines(&source.text, &source.tokens)).unwrap_or_default()
}

/// What an edit of a file removes and adds, whatever surrounds it.
fn content_of(edit: &Edit, before: &Predecessor, head: Option<&Changed>) -> (u64, u64) {
    let added = head.map_or(0, |head| content(&head.source.tokens[edit.added()]));
    (content(&before.source.tokens[edit.removed()]), added)
}

/// Drops the edits that the change makes again and again.
pub(super) fn drop_mechanical(edits: &mut [Vec<Edit>], base: &[Predecessor], heads: &[Option<&Changed>]) {
    let key = |number: usize, edit: &Edit| content_of(edit, &base[number], heads[number]);
    let mut n_made: HashMap<(u64, u64), usize> = HashMap::new();
    for (number, edit) in edits.iter().enumerate().flat_map(|(number, of)| of.iter().map(move |edit| (number, edit))) {
        *n_made.entry(key(number, edit)).or_default() += 1;
    }
    for (number, of_file) in edits.iter_mut().enumerate() {
        of_file.retain(|edit| n_made.get(&key(number, edit)).is_none_or(|&n| n <= MECHANICAL));
    }
}

/// Drops the edits of a file that is built from others of the change, which has made them there: the larger file of two
/// that `is_built` says are such.
pub(super) fn drop_built(
    edits: &mut [Vec<Edit>],
    base: &[Predecessor],
    heads: &[Option<&Changed>],
    is_built: &dyn Fn(&Source, &Source) -> bool,
) {
    let mut made: BTreeMap<(u64, u64), Vec<usize>> = BTreeMap::new();
    for (number, of_file) in edits.iter().enumerate() {
        for edit in of_file {
            made.entry(content_of(edit, &base[number], heads[number])).or_default().push(number);
        }
    }
    let n_tokens = |number: usize| base[number].source.tokens.len();
    let mut pairs: BTreeSet<(usize, usize)> = BTreeSet::new();
    for mut files in made.into_values() {
        files.sort_unstable_by_key(|&number| (n_tokens(number), number));
        files.dedup();
        // The largest file with an edit is the one that may be built from the smallest.
        if let (Some(&smallest), Some(&largest)) = (files.first(), files.last()) {
            pairs.insert((largest, smallest));
        }
    }
    for (larger, smaller) in pairs.into_iter().filter(|(larger, smaller)| larger != smaller) {
        if !edits[larger].is_empty() && is_built(&base[smaller].source, &base[larger].source) {
            edits[larger].clear();
        }
    }
}

/// Whether two tokens are `&&` or `||`.
fn is_double(a: &Token, b: &Token, text: &[u8]) -> bool {
    a.end == b.start && a.text(text) == b.text(text) && matches!(a.text(text), b"&" | b"|")
}

/// Whether an edit replaces elements of a list, or a value: `NULL,` became `0,`.
fn is_element(edit: &Edit, own: &Source) -> bool {
    let word = |at: usize| own.tokens.get(at).map(|token| token.text(&own.text)).unwrap_or_default();
    let before = edit.base.0.checked_sub(1).map(word).unwrap_or_default();
    let opens = matches!(before, b"{" | b"," | b"=" | b"(" | b"[" | b":");
    opens && !edit.removed().is_empty() && matches!(word(edit.base.1), b"," | b"}" | b";" | b")" | b"]")
}

/// Whether the edits call, compute, assign or decide, or remove something: a declaration alone fixes nothing.
pub(super) fn does_something(places: &[(Edit, Place)], head: &Changed, own: &Source) -> bool {
    places.iter().any(|(edit, place)| {
        let added = &head.source.tokens[edit.added()];
        let acts = |text: &[u8]| {
            let is_argument = text == b"," && place.unit.name.is_some();
            is_argument || matches!(text, b"(" | b"=" | b"!" | b"+" | b"-" | b"<" | b">" | b"?" | b"return" | b"if")
        };
        // `@Override` and `#[inline]` are about what follows; within a function, `@name` is a variable.
        let mut first = added.iter().map(|token| token.text(&head.source.text));
        let is_annotation = match first.next() {
            Some(b"@") => place.unit.name.is_none(),
            Some(b"#") => first.next() == Some(b"["),
            _ => false,
        };
        let removed = &own.tokens[edit.removed()];
        let decides = |of: &[Token]| matches!(of, [a, b] if is_double(a, b, &head.source.text));
        let added_acts = added.iter().any(|token| acts(token.text(&head.source.text))) || added.windows(2).any(decides);
        // Outside of functions, what was replaced may be a declaration: `int a;` became `long a;`.
        let removed_acts = || removed.iter().any(|token| acts(token.text(&own.text)));
        let is_code = || place.unit.name.is_some() || added_acts || removed_acts() || is_element(edit, own);
        let has_word = || removed.iter().any(|token| token.kind() != Kind::Punctuation || added.is_empty());
        has_word() && is_code() || !is_annotation && added_acts
    })
}
