//! Tells whether an edit depends on the variables of its own unit: elsewhere, it would not compile, or break something.

use std::collections::HashSet;
use std::ops::Range;

use crate::audit::read::Source;
use crate::language::{Kind, Token};
use crate::matching::{Edit, Renaming, Unit};

/// Maximum tokens of a declaration that is known by its length.
const MAX_DECLARATION: usize = 5;

/// The names among some tokens.
pub(super) fn names_of(tokens: &[Token]) -> impl Iterator<Item = u32> + '_ {
    tokens.iter().filter(|token| token.kind() == Kind::Identifier).map(|token| token.exact)
}

/// Whether what an edit adds uses a variable that its unit declares, and that the unit of the sibling does not have, by
/// this name or another: there, the edit would not compile.
pub(super) fn needs_variable(
    (added, head): (&[Token], &Source),
    (own, unit): (&Source, &Unit),
    (target, of): (&Source, &Unit),
    renaming: &Renaming,
) -> bool {
    let mut missing = missing(added, (target, of), renaming);
    // What the edit declares itself, it brings along.
    for name in declared_in(added, head) {
        missing.remove(&name);
    }
    declares_any(missing, own, unit, &|_| true)
}

/// The variables that some tokens declare: `size_t off;`.
pub(super) fn declared_in<'t>(tokens: &'t [Token], source: &'t Source) -> impl Iterator<Item = u32> + 't {
    tokens.windows(3).filter_map(|of| {
        let [before, name, after] = of else { return None };
        let ends = matches!(after.text(&source.text), b"=" | b";" | b":" | b"[");
        (name.kind() == Kind::Identifier && ends_type(before, source) && ends).then_some(name.exact)
    })
}

/// Words that may come before a name and are no type, besides those of [`ends_type`].
const NO_TYPES: &[&[u8]] = &[
    b"else", b"new", b"delete", b"await", b"throw", b"raise", b"in", b"is", b"as", b"case", b"yield", b"not", b"and",
    b"or", b"do", b"if", b"elif", b"unless", b"when", b"while", b"until", b"then", b"begin", b"defer", b"go",
    b"assert", b"echo", b"print", b"sizeof", b"typeof", b"import", b"from", b"use", b"using", b"with",
];

/// The functions and members that a file defines or declares, and its variables with a type.
pub(super) fn defined_in(source: &Source) -> impl Iterator<Item = u32> + '_ {
    source.tokens.windows(2).filter_map(|of| {
        let [before, name] = of else { return None };
        let is_word = matches!(before.kind(), Kind::Identifier | Kind::Keyword);
        let has_type = || ends_type(before, source) && !NO_TYPES.contains(&before.text(&source.text));
        let is_defined = || if is_word { has_type() } else { matches!(before.text(&source.text), b"*" | b"&" | b">") };
        (name.kind() == Kind::Identifier && is_defined()).then_some(name.exact)
    })
}

/// Whether the token at `at` stands for a function or a member: `f(` and `.f`.
pub(super) fn is_call_or_member(source: &Source, at: usize) -> bool {
    let is_called = || source.tokens.get(at + 1).is_some_and(|next| next.text(&source.text) == b"(");
    source.document().is_member(at) || is_called()
}

/// Whether a token may be the end of a type, with the name of a variable behind it.
fn ends_type(token: &Token, source: &Source) -> bool {
    let text = token.text(&source.text);
    let is_word = matches!(token.kind(), Kind::Identifier | Kind::Keyword) && !matches!(text, b"return" | b"goto");
    is_word || matches!(text, b"*" | b"&" | b">" | b"]")
}

/// The names that `added` uses and the sibling does not have.
pub(super) fn missing(added: &[Token], (target, of): (&Source, &Unit), renaming: &Renaming) -> HashSet<u32> {
    let mut missing: HashSet<u32> = names_of(added).filter(|name| renaming.get(*name).is_none()).collect();
    for name in names_of(&target.tokens[of.tokens.clone()]) {
        missing.remove(&name);
    }
    missing
}

/// Whether the first place of any of these names in a unit declares it, and `counts`. If it is none, the name is none
/// of the unit's variables.
pub(super) fn declares_any(
    mut names: HashSet<u32>,
    source: &Source,
    unit: &Unit,
    counts: &dyn Fn(usize) -> bool,
) -> bool {
    if names.is_empty() {
        return false;
    }
    let head = source.document().head_of(unit).filter(|_| unit.name.is_some()).unwrap_or_default();
    let word = |at: usize| source.tokens.get(at).map(|token| token.text(&source.text)).unwrap_or_default();
    unit.tokens.clone().any(|at| {
        if source.tokens[at].kind() != Kind::Identifier || !names.remove(&source.tokens[at].exact) || !counts(at) {
            return false;
        }
        let Some(before) = at.checked_sub(1).filter(|before| unit.tokens.contains(before)) else { return false };
        // `f(a, b: B)`.
        let is_parameter = head.contains(&at) && matches!(word(before), b"(" | b",");
        let is_variable = matches!(word(at + 1), b"=" | b";" | b"," | b")" | b":" | b"[");
        is_variable && (is_parameter || ends_type(&source.tokens[before], source))
    })
}

/// The tokens among which a declaration has its names: `char *name = value;` before its value.
fn declared_names<'t>(tokens: &'t [Token], text: &[u8]) -> Option<&'t [Token]> {
    let word = |token: &Token| token.text(text);
    let (last, rest) = tokens.split_last()?;
    if word(last) != b";" || rest.iter().any(|token| word(token) == b";") {
        return None;
    }
    if tokens.len() <= MAX_DECLARATION {
        return Some(rest);
    }
    let value = rest.iter().position(|token| word(token) == b"=")?;
    let [.., of_type, name] = &rest[..value] else { return None };
    let has_type = matches!(of_type.kind(), Kind::Identifier | Kind::Keyword) || matches!(word(of_type), b"*" | b"&");
    (has_type && name.kind() == Kind::Identifier).then_some(std::slice::from_ref(name))
}

/// Whether the sibling uses the variable whose declaration an edit removes, and the edited unit no longer does.
pub(super) fn is_still_used(
    edit: &Edit,
    (own, unit): (&Source, &Unit),
    (target, of): (&Source, &Unit),
    place: &Range<usize>,
    renaming: &Renaming,
) -> bool {
    let removed = edit.removed();
    let Some(declared) = declared_names(&own.tokens[removed.clone()], &own.text) else { return false };
    let outside = |tokens: &[Token], unit: &Range<usize>, place: &Range<usize>| -> HashSet<u32> {
        let (before, behind) = (unit.start..place.start.max(unit.start), place.end.min(unit.end)..unit.end);
        names_of(&tokens[before]).chain(names_of(&tokens[behind])).collect()
    };
    let (own_rest, other_rest) =
        (outside(&own.tokens, &unit.tokens, &removed), outside(&target.tokens, &of.tokens, place));
    names_of(declared).any(|name| !own_rest.contains(&name) && other_rest.contains(&renaming.get(name).unwrap_or(name)))
}
