//! Finds where the functions of a copy and of its origin are called, by name: tokens show no more.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use super::find::units_in;
use super::read::{Source, Sources};
use super::{Callers, Context, Error, Outcome};
use crate::files::{Entry, ReadFiles};
use crate::policy::{Fragment, Place};
use crate::text::FilePath;

/// Words before a name that is called; behind any other word it is declared.
const BEFORE_CALLS: &[&[u8]] = &[
    b"return", b"await", b"yield", b"throw", b"raise", b"new", b"go", b"defer", b"else", b"do",
    b"then", b"not", b"and", b"or", b"in", b"if", b"while", b"until", b"unless", b"when", b"case",
    b"assert", b"try", b"puts", b"echo",
];

/// A function, by the family of its language and its name.
type Function = (String, String);

/// Names the functions in each copy and in its first origin, with their calls in `entries`.
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
    let sources = Sources::bare(context);
    let mut functions: BTreeMap<(FilePath, u32), Vec<Function>> = BTreeMap::new();
    for finding in outcome.findings.iter().filter(|finding| finding.is_copy()) {
        let origin = finding.origins.first().filter(|origin| origin.place == Place::Tree);
        let origin = origin.map(|origin| (&origin.path, &origin.fragment));
        for (path, fragment) in origin.into_iter().chain([(&finding.path, &finding.fragment)]) {
            let Some(text) = outcome.texts.get(path) else { continue };
            let place = functions.entry((path.clone(), fragment.start.line));
            place.or_insert_with(|| functions_in(path, text, fragment, &sources));
        }
    }
    let asked: BTreeSet<Function> = functions.values().flatten().cloned().collect();
    if asked.is_empty() {
        return Ok(());
    }
    let called = entries.par_iter().filter(|entry| sources.is_read(&entry.path));
    let called = called.map_init(open, |reader, entry| {
        let read = sources.read(reader, entry)?;
        Ok(read.map_or_else(|_| Vec::new(), |source| calls_in(&source, &asked)))
    });
    let called = called.collect::<Result<Vec<_>, Error>>()?;
    let mut calls: BTreeMap<Function, BTreeSet<(FilePath, u32)>> = BTreeMap::new();
    for (function, place) in called.into_iter().flatten() {
        calls.entry(function).or_default().insert(place);
    }
    for (place, functions) in functions {
        let callers = functions.into_iter().map(|function| Callers {
            calls: calls.get(&function).into_iter().flatten().cloned().collect(),
            function: function.1,
        });
        outcome.callers.insert(place, callers.collect());
    }
    Ok(())
}

/// The functions in or around a fragment.
fn functions_in(
    path: &FilePath,
    text: &[u8],
    fragment: &Fragment,
    sources: &Sources<'_>,
) -> Vec<Function> {
    let Ok(source) = sources.tokenize(path, text.to_vec()) else { return Vec::new() };
    let range = source.tokens_on(fragment);
    if range.is_empty() {
        return Vec::new();
    }
    let names = units_in(&source.document(), range).into_iter().filter_map(|(_, unit)| unit.name);
    let mut names: Vec<_> =
        names.map(|name| String::from_utf8_lossy(source.text_of(name)).into_owned()).collect();
    names.dedup();
    names.into_iter().map(|name| (source.family.clone(), name)).collect()
}

/// The calls in a file, with the line of each.
fn calls_in(source: &Source, asked: &BTreeSet<Function>) -> Vec<(Function, (FilePath, u32))> {
    let of_family = asked.iter().filter(|(family, _)| *family == source.family);
    let names = BTreeMap::from_iter(of_family.map(|function| (function.1.as_bytes(), function)));
    if names.is_empty() {
        return Vec::new();
    }
    let mut calls = Vec::new();
    for at in 0..source.tokens.len() {
        if let Some(&name) = names.get(source.text_of(at)).filter(|_| is_call(source, at)) {
            calls.push((name.clone(), (source.path.clone(), source.line_of(at))));
        }
    }
    calls
}

/// Whether the name at a token is called there, and not declared.
fn is_call(source: &Source, at: usize) -> bool {
    at + 1 < source.tokens.len()
        && source.text_of(at + 1) == b"("
        && !is_declared(source, at)
        && source.document().enclosing_unit(at..at + 1).is_none_or(|unit| unit.name != Some(at))
}

/// Whether only words and stars are before a name on its line, as in `extern char *name(int);`.
fn is_declared(source: &Source, at: usize) -> bool {
    let line = source.line_of(at);
    let before = (0..at).rev().take_while(|&before| source.line_of(before) == line);
    let before: Vec<&[u8]> = before.map(|before| source.text_of(before)).collect();
    before.iter().any(|text| is_word(text))
        && before.iter().all(|text| match *text {
            b"*" | b"&" => true,
            text => is_word(text) && !BEFORE_CALLS.contains(&text),
        })
}

fn is_word(text: &[u8]) -> bool {
    text.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_')
}
