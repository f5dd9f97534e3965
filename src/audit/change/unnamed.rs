//! Finds changed files that are source though their names do not say so: source includes them
//! (`#include "table.def"`), or they begin like source (`<?php`).

use std::collections::{BTreeMap, HashSet};

use crate::audit::read::Sources;
use crate::files::{Error, ReadFiles};
use crate::git::Snapshot;
use crate::language::Language;
use crate::text::FilePath;

/// Maximum files of a folder to look into.
const MAX_BESIDE: usize = 256;

/// The changed files without the name of source that a source file of their folder includes, each
/// with its language; and those, or removed ones, whose name says nothing, with the language that
/// they begin like.
pub(in crate::audit) fn unnamed(
    base: &Snapshot,
    head: &Snapshot,
    reader: &impl ReadFiles,
    sources: &Sources<'_>,
) -> Result<BTreeMap<FilePath, String>, Error> {
    let mut found = BTreeMap::new();
    let unread = unread(base, head, sources);
    // Of a file that is moved, neither name says anything.
    let gone = head.differences(base).filter_map(|(old, new)| old.filter(|_| new.is_none()));
    let gone = gone.filter(|entry| sources.promise(&entry.path).is_none());
    let entries = unread.iter().filter_map(|path| head.get(path)).chain(gone);
    for entry in entries.filter(|entry| !sources.languages.may_know(&entry.path)) {
        let path = &entry.path;
        // Most are data: none is fetched for this.
        if reader.size(entry).is_none() || sources.is_too_large(reader, entry) {
            continue;
        }
        let Ok(text) = reader.try_read(entry)? else { continue };
        let language = sources.languages.identify(path, &text);
        found.extend(language.map(|language| (path.clone(), language.id.clone())));
    }
    for paths in unread.chunk_by(|a, b| a.folder() == b.folder()) {
        let folder = paths[0].folder();
        let beside = head.entries.iter();
        let beside = beside.filter(|of| of.path.folder() == folder && sources.is_source(&of.path));
        for entry in beside.take(MAX_BESIDE) {
            let Some(language) = sources.languages.promised(&entry.path) else { continue };
            if sources.is_too_large(reader, entry) || !may_include(language, sources) {
                continue;
            }
            let Ok(text) = reader.try_read(entry)? else { continue };
            let names = included_names(&text);
            let named = paths.iter().filter(|path| names.contains(path.name()));
            found.extend(named.map(|&path| (path.clone(), language.id.clone())));
        }
    }
    Ok(found)
}

/// The changed files with no name of source, or that of a template, in the order of paths.
fn unread<'h>(base: &'h Snapshot, head: &'h Snapshot, sources: &Sources<'_>) -> Vec<&'h FilePath> {
    let paths = head.differences(base).filter_map(|(_, new)| new).map(|entry| &entry.path);
    let unread = paths.filter(|path| {
        // What a template becomes is what its name promises, unless source includes it as it is.
        sources.promise(path).is_none()
            || sources.languages.promised(path).is_some_and(Language::is_host)
    });
    unread.collect()
}

/// Whether files of a language include others by `#include`, as its table says.
fn may_include(language: &Language, sources: &Sources<'_>) -> bool {
    let table = sources.languages.table(&language.id);
    table.is_some_and(|table| {
        table.imports.iter().any(|import| import.first.iter().any(|word| word == "#include"))
    })
}

/// The names in quotes behind `#include`.
fn included_names(text: &[u8]) -> HashSet<&[u8]> {
    let mut names = HashSet::new();
    for at in memchr::memmem::find_iter(text, b"include") {
        let before = text[..at].rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        let behind = text[at + b"include".len()..].trim_ascii_start();
        if before.trim_ascii() == b"#"
            && let Some(name) = behind.strip_prefix(b"\"")
        {
            names.extend(name.split(|byte| *byte == b'"').next());
        }
    }
    names
}
