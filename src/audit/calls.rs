//! Finds where the functions of a copy and of its origin are called, by name: tokens show no more.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use super::find::{UnitIn, units_in};
use super::read::{Memory, Source, Sources};
use super::{Callers, Context, Error, Outcome};
use crate::files::{Entry, ReadFiles};
use crate::git::Attributes;
use crate::policy::{Fragment, Place};
use crate::text::{FilePath, Lines};

/// Words before a name that is called; behind any other word it is declared.
const BEFORE_CALLS: &[&[u8]] = &[
    b"return", b"await", b"yield", b"throw", b"raise", b"new", b"go", b"defer", b"else", b"do",
    b"then", b"not", b"and", b"or", b"in", b"if", b"while", b"until", b"unless", b"when", b"case",
    b"assert", b"try", b"puts", b"echo",
];

/// Names the functions in each copy and in its first origin, with the places in `entries` that call
/// them.
///
/// A call is the name of the function with a bracket behind it, in the same family of languages. Of
/// two functions of one name, each is named with the calls of both.
///
/// # Errors
/// If a file cannot be read.
pub fn callers<R: ReadFiles>(
    outcome: &mut Outcome,
    entries: &[Entry],
    open: &(dyn Fn() -> R + Sync),
    context: Context<'_>,
) -> Result<(), Error> {
    let (remembered, attributes) = (Memory::nothing(), Attributes::default());
    let sources = Sources::new(context, &attributes, &remembered);
    let mut functions: BTreeMap<(FilePath, u32), Vec<(String, String)>> = BTreeMap::new();
    for finding in outcome.findings.iter().filter(|finding| finding.is_copy()) {
        let origin = finding.origins.first().filter(|origin| origin.place == Place::Tree);
        let origin = origin.map(|origin| (&origin.path, &origin.fragment));
        for (path, fragment) in origin.into_iter().chain([(&finding.path, &finding.fragment)]) {
            let Some(text) = outcome.texts.get(path) else { continue };
            functions
                .entry((path.clone(), fragment.start.line))
                .or_insert_with(|| functions_in(path, text, fragment, &sources));
        }
    }
    let asked: BTreeSet<(String, String)> = functions.values().flatten().cloned().collect();
    if asked.is_empty() {
        return Ok(());
    }
    let called = entries
        .par_iter()
        .filter(|entry| sources.skip_by_name(&entry.path).is_none())
        .map_init(open, |reader, entry| {
            let read = sources.read(reader, entry)?;
            Ok(read.map_or_else(|_| Vec::new(), |source| calls_in(&source, &asked)))
        })
        .collect::<Result<Vec<_>, Error>>()?;
    let mut calls: BTreeMap<(String, String), BTreeSet<(FilePath, u32)>> = BTreeMap::new();
    for (function, place) in called.into_iter().flatten() {
        calls.entry(function).or_default().insert(place);
    }
    let named = |function: (String, String)| {
        let calls = calls.get(&function).into_iter().flatten().cloned().collect();
        Callers { function: function.1, calls }
    };
    let named = |(place, of): (_, Vec<_>)| (place, of.into_iter().map(named).collect());
    outcome.callers = functions.into_iter().map(named).collect();
    Ok(())
}

/// The functions in or around a fragment, each with its language family.
fn functions_in(
    path: &FilePath,
    text: &[u8],
    fragment: &Fragment,
    sources: &Sources<'_>,
) -> Vec<(String, String)> {
    let Ok(source) = sources.tokenize(path, text.to_vec()) else { return Vec::new() };
    let range = source.tokens_on(&Lines::new(&source.text), fragment);
    if range.is_empty() {
        return Vec::new();
    }
    let name_of = |unit: UnitIn| {
        let name = source.tokens[unit.name?].text(&source.text);
        Some(String::from_utf8_lossy(name).into_owned())
    };
    let units = units_in(&source.document(), range).into_iter();
    let mut names: Vec<String> = units.filter_map(name_of).collect();
    names.dedup();
    names.into_iter().map(|name| (source.family.clone(), name)).collect()
}

/// The calls in a file, with the line of each.
fn calls_in(
    source: &Source,
    asked: &BTreeSet<(String, String)>,
) -> Vec<((String, String), (FilePath, u32))> {
    let Source { path, text, tokens, family, .. } = source;
    let of_family = asked.iter().filter(|(of, _)| of == family);
    let names: BTreeMap<&[u8], &(String, String)> =
        of_family.map(|of| (of.1.as_bytes(), of)).collect();
    if names.is_empty() {
        return Vec::new();
    }
    let lines = Lines::new(text);
    let document = source.document();
    let is_call = |at: usize| {
        tokens.get(at + 1).is_some_and(|next| next.text(text) == b"(")
            && !is_declared(source, &lines, at)
            && document.enclosing_unit(at..at + 1).is_none_or(|unit| unit.name != Some(at))
    };
    let call = |at: usize| Some((*names.get(tokens[at].text(text))?, at));
    (0..tokens.len())
        .filter_map(call)
        .filter(|(_, at)| is_call(*at))
        .map(|(name, at)| (name.clone(), (path.clone(), lines.line_of(tokens[at].start))))
        .collect()
}

/// Whether only words and stars are before a name on its line, as in `extern char *name(int);`.
fn is_declared(source: &Source, lines: &Lines, at: usize) -> bool {
    let line_of = |at: &usize| lines.line_of(source.tokens[*at].start);
    let before = (0..at).rev().take_while(|before| line_of(before) == line_of(&at));
    let before: Vec<&[u8]> =
        before.map(|before| source.tokens[before].text(&source.text)).collect();
    let is_word =
        |text: &&[u8]| text.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    let is_star = |text: &&[u8]| matches!(*text, b"*" | b"&");
    before.iter().any(is_word)
        && before.iter().all(|text| is_word(text) && !BEFORE_CALLS.contains(text) || is_star(text))
}
