//! Runs `secondhand history`.

use super::cache;
use crate::audit::{Context, Timeline, TimelineParams, timeline};
use crate::cli::args::History;
use crate::cli::flags::Common;
use crate::cli::io::{Bar, Failure, Reports, warn};
use crate::cli::settings;
use crate::config::Config;
use crate::git::{Repository, Span};
use crate::report::TIMELINE_FORMATS;
use crate::text::FilePath;

pub(in crate::cli) fn run(flags: &History, common: &Common) -> Result<(), Failure> {
    let reports = Reports::new(TIMELINE_FORMATS, &flags.reporting, common)?;
    let repository = Repository::discover(&common.repo)?;
    let settings = [flags.reporting.settings(), flags.min_tokens.settings("min-tokens")].concat();
    let (config, origin) = settings::read(common, Some(&repository), &settings)?;
    let reports = reports.with(&config)?;
    let name = flags.range.clone().unwrap_or_else(|| "HEAD".to_owned());
    let (limits, is_first_parent) = (flags.limits.read()?, flags.first_parent);
    let span = Span { limits, is_first_parent, ..Span::default() };
    let author = flags.author.as_ref().map(|author| author.to_lowercase());
    let mut timeline = timeline_of(&repository, (name, span), author, (&config, &origin), common)?;
    if let Some(what) = &timeline.unavailable {
        warn(&format!("not checked: {what}"));
    }
    // As git writes paths.
    let as_git = |path: &String| FilePath::new(path.trim_start_matches("./").trim_end_matches('/'));
    let [paths, outside] =
        [&flags.path, &flags.origin_outside].map(|all| Vec::from_iter(all.iter().map(as_git)));
    for judged in &mut timeline.commits {
        judged.copies.retain(|copy| copy.path.is_within(&paths));
        if !outside.is_empty() {
            judged.copies.retain(|of| of.origins.iter().all(|of| !of.path.is_within(&outside)));
        }
    }
    reports.write(&timeline, common)
}

/// What the commits of a range copied, by its name, along a span without its ends.
pub(super) fn timeline_of(
    repository: &Repository,
    (name, mut span): (String, Span),
    author: Option<String>,
    (config, origin): (&Config, &str),
    common: &Common,
) -> Result<Timeline, Failure> {
    let languages = config.languages(origin)?;
    repository.reader().add_revision(&name, &mut span)?;
    let folder = cache::kept_folder(common, repository);
    let params = TimelineParams { name, span, author, folder: folder.as_deref() };
    let bar = Bar::of(common);
    Ok(timeline(repository, &params, Context { config, languages: &languages, progress: &bar })?)
}
