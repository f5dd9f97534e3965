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
        // As copies in tests and documents are: they repeat by nature, and hold what is odd on purpose.
        let is_mild = sources.config.tests.contains(path) || sources.promise(path) == Some(Promise::Document);
        let level = if is_mild { level.min(sources.config.test_level) } else { level };
        let file = Unexamined { path: path.clone(), n_files: 1, reason: skip.reason() };
        Finding::unexamined(About::Unread(file), level, path.clone())
    });
    unread.chain(left_out(skipped, sources, level)).collect()
}

/// The finding about the files that were left out on purpose; those of a vendored or built folder are counted.
fn left_out(skipped: &[(FilePath, Skip)], sources: &Sources<'_>, level: Level) -> Option<Finding> {
    let is_left_out = |(path, skip): &&(FilePath, Skip)| match (skip, sources.promise(path)) {
        (_, Some(Promise::Document)) => false,
        (Skip::LeftOut | Skip::Vendored, promise) => promise.is_some(),
        // Where the name says nothing, the content has shown the language.
        (Skip::Generated | Skip::Minified | Skip::LongLines, _) => true,
        _ => false,
    };
    let mut first: Option<&FilePath> = None;
    let mut listed: BTreeMap<(FilePath, &'static str), usize> = BTreeMap::new();
    for (path, skip) in skipped.iter().filter(is_left_out) {
        let shown = match sources.vendored_folder(path) {
            Some(folder) => (folder, Skip::Vendored.reason()),
            None => (path.clone(), skip.reason()),
        };
        *listed.entry(shown).or_default() += 1;
        first = Some(first.map_or(path, |first| first.min(path)));
    }
    let files = listed.into_iter().map(|((path, reason), n_files)| Unexamined { path, n_files, reason });
    Some(Finding::unexamined(About::LeftOut(files.collect()), level.min(Level::Note), first?.clone()))
}
