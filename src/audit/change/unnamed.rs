//! Finds changed files that are source though their names do not say so: source includes them
//! (`#include "table.def"`), or they begin like source (`<?php`).

use std::collections::{BTreeMap, HashSet};

use crate::audit::read::{Promise, Sources};
use crate::files::{Entry, Error, ReadFiles};
use crate::git::Snapshot;
use crate::language::Language;
use crate::text::FilePath;

/// Maximum files of a folder to look into.
const MAX_BESIDE: usize = 256;

/// The changed files whose name is not that of source, and that a source file of their folder
/// includes, each with the language of that one; and those whose name says nothing, with the
/// language that they begin like.
pub(in crate::audit) fn unnamed(
    base: &Snapshot,
    head: &Snapshot,
    reader: &impl ReadFiles,
    sources: &Sources<'_>,
) -> Result<BTreeMap<FilePath, String>, Error> {
    let mut found = BTreeMap::new();
    for &path in unread(base, head, sources).iter().filter(|path| !sources.languages.may_know(path))
    {
        // Most are data: none is fetched for this.
        let is_small = |entry: &&Entry| {
            reader.size(entry).is_some_and(|size| size <= sources.config.max_file_size)
        };
        let Some(entry) = head.get(path).filter(is_small) else { continue };
        let Ok(text) = reader.try_read(entry)? else { continue };
        let language = sources.languages.identify(path, &text);
        found.extend(language.map(|language| (path.clone(), language.id.clone())));
    }
    for paths in unread(base, head, sources).chunk_by(|a, b| a.folder() == b.folder()) {
        let folder = paths[0].folder();
        let is_beside = |entry: &&Entry| {
            entry.path.folder() == folder && sources.promise(&entry.path) == Some(Promise::Source)
        };
        for entry in head.entries.iter().filter(is_beside).take(MAX_BESIDE) {
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

/// The changed files whose name is not that of source, or that of a template, in the order of
/// paths.
fn unread<'h>(base: &'h Snapshot, head: &'h Snapshot, sources: &Sources<'_>) -> Vec<&'h FilePath> {
    // What a template is made into is what its name promises, unless source includes it as it is.
    let is_template =
        |path: &FilePath| sources.languages.promised(path).is_some_and(Language::is_host);
    let paths = head.differences(base).filter_map(|(_, new)| new).map(|entry| &entry.path);
    paths.filter(|path| sources.promise(path).is_none() || is_template(path)).collect()
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
    let name = |at: usize| {
        let before = text[..at].rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        let behind = text[at + b"include".len()..].trim_ascii_start().strip_prefix(b"\"")?;
        (before.trim_ascii() == b"#")
            .then(|| behind.split(|byte| *byte == b'"').next().unwrap_or_default())
    };
    memchr::memmem::find_iter(text, b"include").filter_map(name).collect()
}
