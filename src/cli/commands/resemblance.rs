//! Runs `secondhand resemblance`.

use super::compare::{nothing_comparable, nothing_to_compare, submissions};
use crate::audit::{Context, ResemblanceParams, resemblances};
use crate::cli::args::Resemblance;
use crate::cli::flags::Common;
use crate::cli::io::{Bar, Failure, Reports};
use crate::cli::settings;
use crate::fingerprint::resemblance::Counting;
use crate::git::Repository;
use crate::report::RESEMBLANCE_FORMATS;

pub(in crate::cli) fn run(flags: &Resemblance, common: &Common) -> Result<(), Failure> {
    let reports = Reports::new(RESEMBLANCE_FORMATS, &flags.reporting, common)?;
    let repository = Repository::discover(&common.repo).ok();
    let config = settings::read(common, repository.as_ref(), &flags.reporting.settings())?;
    let reports = reports.with(&config)?;
    let documents = submissions(&flags.paths, false, &common.repo)?;
    if documents.len() < 2 {
        return Err(nothing_to_compare(documents.len()));
    }
    let languages = config.languages();
    let params = ResemblanceParams {
        shingle: flags.shingle,
        counting: if flags.labeled { Counting::Labeled } else { Counting::Set },
        sampling: flags.sketch,
        is_normalized: flags.normalized,
        with_words: flags.text,
        clustered: flags.cluster.map(|percent| percent / 100.0),
        by_super_shingles: flags.super_shingles,
        is_matrix: flags.matrix,
    };
    let bar = Bar::of(common);
    let context = Context { config: &config, languages: &languages, progress: &bar };
    let found = resemblances(&documents, params, context);
    drop(bar);
    if found.documents.iter().filter(|document| document.n_shingles > 0).count() < 2 {
        let short = found.documents.iter().filter(|of| of.n_tokens > 0 && of.n_shingles == 0);
        let short = short.map(|of| format!("{} (fewer tokens than a shingle)", of.name));
        return Err(nothing_comparable(documents.len(), short, &found.skipped));
    }
    reports.write(&found, common)
}
