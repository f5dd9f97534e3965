//! Runs `secondhand history`.

use super::cache;
use crate::audit::{Context, Timeline, TimelineParams, timeline};
use crate::cli::args::History;
use crate::cli::flags::Common;
use crate::cli::io::{Bar, Failure, Reports, warn};
use crate::cli::settings;
use crate::config::Config;
use crate::git::{Reader, Repository, Snapshot, Span};
use crate::report::TIMELINE_FORMATS;
use crate::text::FilePath;

pub(in crate::cli) fn run(flags: &History, common: &Common) -> Result<(), Failure> {
    let reports = Reports::new(TIMELINE_FORMATS, &flags.reporting, common)?;
    let repository = Repository::discover(&common.repo)?;
    let settings = [flags.reporting.settings(), flags.min_tokens.settings("min-tokens")].concat();
    let config = settings::read(common, Some(&repository), &settings)?;
    let reports = reports.with(&config)?;
    let name = flags.range.clone().unwrap_or_else(|| "HEAD".to_owned());
    let (limits, is_first_parent) = (flags.limits.read()?, flags.first_parent);
    let span = Span { limits, is_first_parent, ..Span::default() };
    let author = flags.author.as_ref().map(|author| author.to_lowercase());
    let mut timeline = timeline_of(&repository, (name, span), author, &config, common)?;
    if let Some(what) = &timeline.unavailable {
        warn(&format!("not checked: {what}"));
    }
    let [paths, outside] = [&flags.path, &flags.origin_outside];
    let [paths, outside] =
        [paths, outside].map(|all| Vec::from_iter(all.iter().map(|path| as_git(path))));
    if let Some(path) = paths.iter().chain(&outside).find(|path| !timeline.knows(path))
        && !is_at_the_end(&timeline.range, path, &repository.reader())?
    {
        let range = &timeline.range;
        let message = format!(
            "cannot list the copies of `{path}`: neither the end of `{range}` nor a copy in it has that path"
        );
        return Err(Failure::user(message, "paths start from the root of the repository"));
    }
    for judged in &mut timeline.commits {
        judged.copies.retain(|copy| copy.path.is_within(&paths));
        if !outside.is_empty() {
            judged.copies.retain(|of| of.origins.iter().all(|of| !of.path.is_within(&outside)));
        }
    }
    reports.write(&timeline, common)
}

/// A path as git writes it.
fn as_git(path: &str) -> FilePath {
    let path = path.trim_start_matches("./").trim_end_matches('/');
    FilePath::new(if path == "." { "" } else { path })
}

/// Whether a tree at the end of a range has this path.
fn is_at_the_end(range: &str, path: &FilePath, reader: &Reader) -> Result<bool, Failure> {
    let mut span = Span::default();
    reader.add_revision(range, &mut span)?;
    let trees = span.tips.into_iter().map(|tip| reader.commit_snapshot(tip));
    let trees = trees.collect::<Result<Vec<_>, _>>()?;
    Ok(trees.iter().flat_map(Snapshot::paths).any(|file| file.is_in(path)))
}

/// What the commits of a range copied, by its name, along a span without its ends.
pub(super) fn timeline_of(
    repository: &Repository,
    (name, mut span): (String, Span),
    author: Option<String>,
    config: &Config,
    common: &Common,
) -> Result<Timeline, Failure> {
    let languages = config.languages();
    repository.reader().add_revision(&name, &mut span)?;
    let folder = cache::kept_folder(common, repository);
    let params = TimelineParams { name, span, author, folder: folder.as_deref() };
    let bar = Bar::of(common);
    Ok(timeline(repository, &params, Context { config, languages: &languages, progress: &bar })?)
}
