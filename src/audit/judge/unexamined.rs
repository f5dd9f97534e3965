//! Turns changed files that were not examined into findings.

use std::collections::BTreeMap;

use crate::audit::read::{Promise, Skip, Sources};
use crate::policy::{About, Finding, Level, NOT_EXAMINED, Unexamined};
use crate::text::FilePath;

/// The findings about changed files that were `skipped`: one for each that holds source and could not be read, and
/// one in all for those that were left out on purpose.
pub(in crate::audit) fn unexamined(skipped: &[(FilePath, Skip)], sources: &Sources<'_>) -> Vec<Finding> {
    let Some(level) = sources.config.level(&NOT_EXAMINED) else { return Vec::new() };
    let unread = skipped.iter().filter(|(path, skip)| sources.is_unread(path, *skip)).map(|(path, skip)| {
        // As with copies: tests and documents are told, and fail nothing.
        let is_mild = sources.config.tests.contains(path) || sources.promise(path) == Some(Promise::Document);
        let level = if is_mild { level.min(sources.config.test_level) } else { level };
        let file = Unexamined { path: path.clone(), n_files: 1, reason: skip.reason() };
        Finding::unexamined(About::Unread(file), level, path.clone())
    });
    unread.chain(left_out(skipped, sources, level)).collect()
}

/// The finding about the files that were left out on purpose; those of a folder of others' code are told together.
fn left_out(skipped: &[(FilePath, Skip)], sources: &Sources<'_>, level: Level) -> Option<Finding> {
    let is_left_out = |(path, skip): &&(FilePath, Skip)| match (skip, sources.promise(path)) {
        (_, Some(Promise::Document)) => false,
        (Skip::LeftOut | Skip::Vendored, promise) => promise.is_some(),
        // Its content told the language, if its name did not.
        (Skip::Generated | Skip::Minified | Skip::LongLines, _) => true,
        _ => false,
    };
    let mut first: Option<&FilePath> = None;
    let mut told: BTreeMap<(FilePath, &'static str), usize> = BTreeMap::new();
    for (path, skip) in skipped.iter().filter(is_left_out) {
        let shown = match folder(path, sources) {
            Some(folder) => (folder, Skip::Vendored.reason()),
            None => (path.clone(), skip.reason()),
        };
        *told.entry(shown).or_default() += 1;
        first = Some(first.map_or(path, |first| first.min(path)));
    }
    let files = told.into_iter().map(|((path, reason), n_files)| Unexamined { path, n_files, reason });
    Some(Finding::unexamined(About::LeftOut(files.collect()), level.min(Level::Note), first?.clone()))
}

/// The folder of others' code that a file lies in, with a slash at its end.
fn folder(path: &FilePath, sources: &Sources<'_>) -> Option<FilePath> {
    let of_settings = || sources.config.vendored_at(path).map(|vendored| vendored.folder().as_bytes());
    let folder = of_settings().or_else(|| sources.foreign_at(path).map(|foreign| foreign.folder))?;
    Some(FilePath::new([folder, b"/"].concat()))
}
