//! Chooses the edits of a change that a sibling may lack.

use std::collections::HashMap;
use std::ops::Range;

use super::place::Place;
use crate::audit::change::{Changed, Predecessor};
use crate::audit::read::{Source, Sources};
use crate::language::Kind;
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

pub(super) fn edits_of(before: &Predecessor, head: Option<&Changed>) -> Vec<Edit> {
    let of_head = |head: &Changed| edits(&before.kept, &head.source.tokens, &before.source.tokens);
    head.map(of_head).unwrap_or_default()
}

/// Whether a file is code of the project itself that computes something.
pub(super) fn is_own_code(path: &FilePath, is_prose: bool, sources: &Sources<'_>) -> bool {
    sources.config.ground(path, is_prose) == Ground::Code && sources.skip_judging(path).is_none()
}

/// The edits of a file that a sibling may lack.
pub(super) fn candidates(
    number: usize,
    before: &Predecessor,
    head: &Changed,
    all: &[Edit],
    changed: &[Changed],
    sources: &Sources<'_>,
) -> Vec<Edit> {
    let source = &before.source;
    let is_declarative = sources.languages.named(&source.language).is_some_and(|language| language.is_declarative);
    if all.is_empty() || is_declarative || !is_own_code(&head.source.path, source.is_prose, sources) {
        return Vec::new();
    }
    let mut has_moved = vec![false; source.tokens.len()];
    for range in changed.iter().flat_map(|file| file.was.tokens_of(number)) {
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
pub(super) fn is_of_head(edit: &Edit, unit: &Unit, source: &Source) -> bool {
    let head = source.document().head_of(unit);
    head.is_some_and(|head| head.start <= edit.base.0 && edit.base.1 <= head.end && edit.base.0 < head.end)
}

/// The lines of a file with test code.
pub(super) fn test_lines(source: &Source, sources: &Sources<'_>) -> Vec<Range<u32>> {
    let language = sources.languages.named(&source.language);
    language.map(|language| language.test_lines(&source.text)).unwrap_or_default()
}

/// Drops the edits that the change makes again and again.
pub(super) fn drop_mechanical(edits: &mut [Vec<Edit>], base: &[Predecessor], heads: &[Option<&Changed>]) {
    let key = |number: usize, edit: &Edit| {
        let added = heads[number].map_or(0, |head| content(&head.source.tokens[edit.added()]));
        (content(&base[number].source.tokens[edit.removed()]), added)
    };
    let mut n_made: HashMap<(u64, u64), usize> = HashMap::new();
    for (number, edit) in edits.iter().enumerate().flat_map(|(number, of)| of.iter().map(move |edit| (number, edit))) {
        *n_made.entry(key(number, edit)).or_default() += 1;
    }
    for (number, of_file) in edits.iter_mut().enumerate() {
        of_file.retain(|edit| n_made.get(&key(number, edit)).is_none_or(|&n| n <= MECHANICAL));
    }
}

/// Whether the edits call, compute, assign or decide, or remove something: a declaration alone fixes nothing.
pub(super) fn does_something(places: &[(Edit, Place)], head: &Changed, own: &Source) -> bool {
    places.iter().any(|(edit, place)| {
        let added = &head.source.tokens[edit.added()];
        let acts = |text: &[u8]| {
            let is_argument = text == b"," && place.unit.name.is_some();
            is_argument || matches!(text, b"(" | b"=" | b"!" | b"+" | b"-" | b"<" | b">" | b"?" | b"return" | b"if")
        };
        let is_replaced = !edit.removed().is_empty();
        // `@Override` and `#[inline]` are about what follows.
        let mut first = added.iter().map(|token| token.text(&head.source.text));
        let is_annotation = match first.next() {
            Some(b"@") => true,
            Some(b"#") => first.next() == Some(b"["),
            _ => false,
        };
        let own = &own.tokens[edit.removed()];
        (is_replaced && own.iter().any(|token| token.kind() != Kind::Punctuation || added.is_empty()))
            || !is_annotation && added.iter().any(|token| acts(token.text(&head.source.text)))
    })
}
