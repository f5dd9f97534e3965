//! Runs `secondhand cache`, and opens the cache for other commands.
//!
//! The cache is optional: whatever is wrong with it, the audit is done, and only takes longer.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::args;
use super::error::Failure;
use super::flags::Common;
use super::output::{note, print_text, warn};
use super::progress::Bar;
use super::{CLEAN, settings, start_threads};
use crate::audit::{Context, Indexed, Past, Remembered, warm};
use crate::config::Config;
use crate::git::Repository;
use crate::language::Languages;
use crate::store::{Cache, History, Journal};

/// The name of the cache folder in the git directory.
const FOLDER: &str = "secondhand";

fn folder(common: &Common, repository: &Repository) -> PathBuf {
    common.cache_dir.clone().unwrap_or_else(|| repository.common_dir().join(FOLDER))
}

/// The folder of the history index: a lasting one, or one for this run only.
pub(super) enum HistoryFolder {
    Kept(PathBuf),
    Passing(tempfile::TempDir),
}

impl HistoryFolder {
    pub fn path(&self) -> &Path {
        match self {
            Self::Kept(path) => path,
            Self::Passing(folder) => folder.path(),
        }
    }
}

/// The folder of the history index: the cache, or a temporary one with `--no-cache` or if the cache is not writable.
pub(super) fn history_folder(common: &Common, repository: &Repository) -> Result<HistoryFolder, Failure> {
    let kept = folder(common, repository);
    if !common.no_cache && std::fs::create_dir_all(&kept).is_ok() && tempfile::tempfile_in(&kept).is_ok() {
        return Ok(HistoryFolder::Kept(kept));
    }
    let passing = tempfile::TempDir::new();
    let failed = |why| Failure::Unwritable { file: std::env::temp_dir(), why };
    passing.map(HistoryFolder::Passing).map_err(failed)
}

/// The folder for what is kept between runs; none with `--no-cache`.
pub(super) fn kept_folder(common: &Common, repository: &Repository) -> Option<PathBuf> {
    (!common.no_cache).then(|| folder(common, repository))
}

/// Opens the cache that the flags select.
pub(super) fn open(common: &Common, repository: &Repository, config: &Config, languages: &Languages) -> Remembered {
    if common.no_cache {
        return Remembered::nothing();
    }
    Remembered::open(&folder(common, repository), repository, config, languages)
}

/// Writes new entries to the cache, and reports what was wrong with it.
pub(super) fn save(remembered: Remembered, common: &Common) {
    if let Some(folder) = remembered.is_false() {
        warn(&format!(
            "the cache `{}` had false contents for a file and was not used: someone else has written to it. It is being rebuilt",
            folder.display()
        ));
    }
    let faults = remembered.cache().map(Cache::faults).unwrap_or_default();
    for (path, why) in faults.iter().filter(|_| common.verbose) {
        note(&format!("`{}` was not used: {why}", path.display()));
    }
    drop(faults);
    if let Err(why) = remembered.save()
        && common.verbose
    {
        note(&format!("the cache was not written: {why}"));
    }
}

pub(super) fn run(action: &args::Cache, common: &Common) -> Result<u8, Failure> {
    start_threads(common.threads)?;
    let repository = Repository::discover(&common.repo)?;
    let (config, origin) = settings::read(common, Some(repository.root()), &[])?;
    let languages = config.languages(&origin)?;
    let folder = folder(common, &repository);
    let open = || Remembered::open(&folder, &repository, &config, &languages);
    let unwritable = |why: crate::store::SegmentError| Failure::Cache { folder: folder.clone(), why };
    let said = match action {
        args::Cache::Status => status(&open()),
        args::Cache::Warm { revision, past } => {
            let reader = repository.reader();
            let commit = reader.commit(revision)?;
            let snapshot = reader.commit_snapshot(commit)?;
            let remembered = open();
            let bar = Bar::new(!common.quiet && !common.no_progress);
            let context = Context { config: &config, languages: &languages, progress: &bar };
            let n_read = warm(&repository, &snapshot, &remembered, context)?;
            let past = past.span(Some(commit), &reader)?.map(|span| Past::index(&folder, &repository, &span, context));
            drop(bar);
            remembered.save().map_err(unwritable)?;
            let past = past.transpose()?.map(|indexed| {
                let Indexed { n_new, n_fingerprints, n_bytes } = indexed;
                format!("{n_new} commits read; {n_fingerprints} fingerprints, {}\n", size(n_bytes))
            });
            format!("{n_read} files read\n{}{}", past.unwrap_or_default(), status(&open()))
        }
        args::Cache::Prune => {
            let reached: HashSet<Vec<u8>> =
                repository.reader().blobs_of_tips()?.iter().map(|blob| blob.as_bytes().to_vec()).collect();
            if let Some(cache) = open().into_cache() {
                cache.prune(&reached).map_err(unwritable)?;
            }
            status(&open())
        }
        args::Cache::Clear => {
            let cleared = [Cache::clear(&folder), History::clear(&folder), Journal::clear(&folder)];
            let (n_files, n_bytes) = cleared.iter().fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
            format!("{n_files} files removed, {}\n", size(n_bytes))
        }
    };
    print_text(&said)?;
    Ok(CLEAN)
}

fn status(remembered: &Remembered) -> String {
    let Some(cache) = remembered.cache() else { return String::new() };
    cache.verify();
    let faults = cache.faults();
    let mut said = format!(
        "{}: {} blobs in {} files, {}\n",
        cache.folder().display(),
        cache.n_entries(),
        cache.n_segments(),
        size(cache.n_bytes()),
    );
    for (path, why) in faults {
        let _ = writeln!(said, "not read: `{}`: {why}", path.display());
    }
    said
}

fn size(n_bytes: u64) -> String {
    format!("{:.1} MB", n_bytes as f64 / 1e6)
}
