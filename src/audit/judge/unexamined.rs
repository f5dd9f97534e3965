//! Turns changed files that were not examined into findings.

use std::collections::BTreeMap;

use crate::audit::read::{Promise, Skip, Sources};
use crate::policy::{About, Finding, Ground, UnexaminedFiles};
use crate::text::FilePath;

/// The findings about `skipped` files of the change: one for each with source that could not be
/// read, and a single one for those that were left out on purpose.
pub(in crate::audit) fn unexamined(
    skipped: &[(FilePath, Skip)],
    sources: &Sources<'_>,
) -> Vec<Finding> {
    let unread = skipped.iter().filter(|(path, skip)| sources.is_unread(path, *skip));
    let unread = unread.filter_map(|(path, skip)| {
        let file = UnexaminedFiles { path: path.clone(), n_files: 1, reason: skip.reason() };
        let is_prose = sources.promise(path) == Some(Promise::Document);
        finding(About::Unread(file), path, sources.config.ground(path, is_prose), sources)
    });
    let left_out = left_out(skipped, sources)
        .and_then(|(first, files)| finding(About::LeftOut(files), first, Ground::Code, sources));
    unread.chain(left_out).collect()
}

fn finding(
    about: About,
    path: &FilePath,
    ground: Ground,
    sources: &Sources<'_>,
) -> Option<Finding> {
    let language = sources.languages.possible(path).next().map(|language| &*language.name);
    let judgment = sources.config.thresholds(path, language).levels.judge_other(&about, ground)?;
    Some(Finding::unexamined(about, judgment, path.clone()))
}

/// The files that were left out on purpose, and the first of them; those in a vendored or built
/// folder are counted.
fn left_out<'s>(
    skipped: &'s [(FilePath, Skip)],
    sources: &Sources<'_>,
) -> Option<(&'s FilePath, Vec<UnexaminedFiles>)> {
    let mut first: Option<&FilePath> = None;
    let mut listed: BTreeMap<(FilePath, &'static str), usize> = BTreeMap::new();
    for (path, skip) in skipped.iter().filter(|(path, skip)| is_left_out(path, *skip, sources)) {
        let top = path.as_bytes().split_inclusive(|&byte| byte == b'/').next();
        let shown = match sources.vendored_folder(path) {
            // A submodule is no file of the folder.
            Some(folder) if *skip != Skip::Submodule => (folder, Skip::Vendored.reason()),
            // Such files are expected to be many.
            None if *skip == Skip::Repeated => {
                (FilePath::new(top.unwrap_or_default()), skip.reason())
            }
            _ => (path.clone(), skip.reason()),
        };
        *listed.entry(shown).or_default() += 1;
        first = Some(first.map_or(path, |first| first.min(path)));
    }
    let listed = listed.into_iter();
    let files = listed.map(|((path, reason), n_files)| UnexaminedFiles { path, n_files, reason });
    Some((first?, files.collect()))
}

fn is_left_out(path: &FilePath, skip: Skip, sources: &Sources<'_>) -> bool {
    match (skip, sources.promise(path)) {
        (_, Some(Promise::Document)) => false,
        (Skip::LeftOut | Skip::Vendored, promise) => promise.is_some(),
        // If the name is not enough, the content has shown the language.
        (
            Skip::Generated
            | Skip::Minified
            | Skip::LongLines
            | Skip::Repeated
            | Skip::Submodule
            | Skip::Repository
            | Skip::UnknownScript,
            _,
        ) => true,
        _ => false,
    }
}
