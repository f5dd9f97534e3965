//! Runs `secondhand cache`, and opens the cache for other commands.
//!
//! The cache is optional: whatever is wrong with it, the audit succeeds, and only takes longer.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::audit::{self, Context, HistoryContents, Memory, Past, warm};
use crate::cli::args;
use crate::cli::flags::Common;
use crate::cli::io::{Bar, Failure, note, print_text, warn};
use crate::cli::settings;
use crate::config::Config;
use crate::git::{CommitId, Repository, Span};
use crate::language::Languages;
use crate::store::{Cache, History, Journal, SegmentError};
use crate::text::{count, printable};

pub(in crate::cli) fn folder(common: &Common, repository: &Repository) -> PathBuf {
    let own = || repository.common_dir().join("secondhand");
    let folder = common.cache_dir.clone().unwrap_or_else(own);
    // What is kept goes by ids: they name other contents and parents where objects are replaced.
    let replaced = repository.replacements();
    replaced.map_or_else(|| folder.clone(), |of| folder.join(format!("replaced-{of:016x}")))
}

/// Runs `work` with the folder of the history index: that of the cache, or with `--no-cache` one for
/// this run; once more without a damaged index, and once more in memory where no folder can be used.
fn in_index_folder<T>(
    (common, repository): (&Common, &Repository),
    context: Context<'_>,
    mut work: impl FnMut(Option<&Path>) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let kept = kept_folder(common, repository);
    let passing = if kept.is_none() { tempfile::TempDir::new().ok() } else { None };
    let folder = kept.as_deref().or(passing.as_ref().map(tempfile::TempDir::path));
    let mut done = match folder {
        Some(folder) => with_mended(folder, repository, context, || work(Some(folder))),
        None => work(None),
    };
    if let (Err(Failure::Audit(audit::Error::Store(why))), Some(_)) = (&done, folder) {
        warn(&format!("the history index is made in memory, for this run only: {why}"));
        done = work(None);
    }
    done
}

/// Runs `search` with the past that `span` is, if any, from its index; with `None` where a limit
/// ended its reading, and then tells what was not searched. `change` is the base and head of a
/// change, whose messages may name what it reverts.
pub(super) fn with_past<T>(
    (repository, span): (&Repository, Option<&Span>),
    change: Option<(CommitId, CommitId)>,
    context: Context<'_>,
    common: &Common,
    mut search: impl FnMut(Option<&Past>) -> Result<T, audit::Error>,
) -> Result<(T, Option<String>), Failure> {
    let Some(span) = span else { return Ok((search(None)?, None)) };
    in_index_folder((common, repository), context, |folder| {
        let past = match Past::open(folder, repository, span, change, context) {
            Err(audit::Error::Ended) => {
                let not_read = "the history, which was not read to its end".to_owned();
                return Ok((search(None)?, Some(not_read)));
            }
            past => past?,
        };
        if let Some(why) = past.unkept() {
            warn(&format!(
                "the history index is not kept, so every run reads all history again: {why}"
            ));
        }
        Ok((search(Some(&past))?, None))
    })
}

/// The folder of what may be kept between runs; none with `--no-cache`.
pub(super) fn kept_folder(common: &Common, repository: &Repository) -> Option<PathBuf> {
    (!common.no_cache).then(|| folder(common, repository))
}

pub(super) fn open(
    common: &Common,
    repository: &Repository,
    config: &Config,
    languages: &Languages,
) -> Memory {
    kept_folder(common, repository)
        .map_or_else(Memory::nothing, |of| Memory::open(&of, repository, config, languages))
}

/// Writes new entries to the cache, and reports what was wrong with it.
pub(super) fn save(remembered: Memory, common: &Common) {
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
    let folder = remembered.cache().map(|cache| cache.folder().to_owned());
    if let (Err(why), Some(folder)) = (remembered.save(), folder) {
        let what = "cannot be used, so every run reads all files again";
        warn(&format!("the cache `{}` {what}: {why}", folder.display()));
    }
}

pub(in crate::cli) fn run(action: &args::Cache, common: &Common) -> Result<(), Failure> {
    let repository = common.repository()?;
    let config = settings::read(common, Some(&repository), &[])?;
    let languages = config.languages();
    let folder = folder(common, &repository);
    let done = match action {
        args::Cache::Status => String::new(),
        args::Cache::Warm { revision, past } => {
            let reader = repository.reader();
            let commit = reader.commit(revision)?;
            let snapshot = reader.commit_snapshot(commit)?;
            let remembered = Memory::open(&folder, &repository, &config, &languages);
            let bar = Bar::of(common);
            let context = Context { config: &config, languages: &languages, progress: &bar };
            let n_read = warm(&repository, &snapshot, &remembered, context)?;
            let span = past.scope()?.span(Some(commit), &reader)?;
            let span = span.filter(|_| past.history || config.history);
            let index = |span| Ok(Past::index(&folder, &repository, span, context)?);
            let past = span.as_ref();
            let past = past.map(|of| with_mended(&folder, &repository, context, || index(of)));
            drop(bar);
            remembered.save().map_err(|why| unwritable(&folder, &why))?;
            let mut done = format!("{} read\n", count(n_read, "file"));
            if let Some(HistoryContents { n_new, n_fingerprints, n_bytes }) = past.transpose()? {
                let (commits, prints) =
                    (count(n_new, "commit"), count(n_fingerprints, "fingerprint"));
                let _ = writeln!(done, "{commits} read; {prints}, {}", size(n_bytes));
            }
            done
        }
        args::Cache::Prune => {
            let blobs = repository.reader().blobs_of_tips()?;
            let reached = blobs.iter().map(|blob| blob.as_bytes().to_vec()).collect();
            let remembered = Memory::open(&folder, &repository, &config, &languages);
            if let Some(cache) = remembered.into_cache() {
                cache.prune(&reached).map_err(|why| unwritable(&folder, &why))?;
            }
            String::new()
        }
        args::Cache::Clear => {
            let cleared = [Cache::clear(&folder), History::clear(&folder), Journal::clear(&folder)];
            let files = count(cleared.iter().map(|(n_files, _)| n_files).sum::<usize>(), "file");
            let n_bytes = cleared.iter().map(|(_, n_bytes)| n_bytes).sum();
            let done = format!("{files} removed, {}\n", size(n_bytes));
            return if common.quiet { Ok(()) } else { print_text(&done) };
        }
    };
    if common.quiet && !matches!(action, args::Cache::Status) {
        return Ok(());
    }
    let now = Memory::open(&folder, &repository, &config, &languages);
    let indexes = Past::indexes(&folder, &repository, &config, &languages);
    print_text(&(done + &status(&now, &indexes)))
}

/// Runs `work` with the history index in `folder`; once more without one that is damaged.
fn with_mended<T>(
    folder: &Path,
    repository: &Repository,
    context: Context<'_>,
    mut work: impl FnMut() -> Result<T, Failure>,
) -> Result<T, Failure> {
    match work() {
        Err(Failure::Audit(audit::Error::Store(why))) if why.is_damage() => {
            warn(&format!("the history index is rebuilt: {why}"));
            Past::discard(folder, repository, context);
            work()
        }
        done => done,
    }
}

fn unwritable(folder: &Path, why: &SegmentError) -> Failure {
    let message = format!("cannot write the cache `{}`: {why}", folder.display());
    Failure::user(message, "set another folder with `--cache-dir DIR`")
}

fn status(remembered: &Memory, indexes: &[Result<History, SegmentError>]) -> String {
    let Some(cache) = remembered.cache() else { return String::new() };
    cache.verify();
    let faults = cache.faults();
    let folder = printable(cache.folder().as_os_str().as_encoded_bytes());
    let (blobs, files) = (count(cache.n_entries(), "blob"), count(cache.n_segments(), "file"));
    let mut said = format!("{folder}: {blobs} in {files}, {}\n", size(cache.n_bytes()));
    for (path, why) in faults {
        let fault = format!("`{}`: {why}", path.display());
        let _ = writeln!(said, "not read: {}", printable(fault));
    }
    for index in indexes {
        match index.as_ref().map(|history| (history, history.verify())) {
            Ok((history, Ok(()))) if history.is_empty() => {}
            Ok((history, Ok(()))) => {
                let n_commits = history.commits().map_or(0, |commits| commits.len());
                let prints = count(history.n_fingerprints(), "fingerprint");
                let (commits, files) =
                    (count(n_commits, "commit"), count(history.n_segments(), "file"));
                let size = size(history.n_bytes());
                let _ = writeln!(said, "history: {prints} of {commits} in {files}, {size}");
            }
            Ok((_, Err(why))) => said += &unread(&why),
            Err(why) => said += &unread(why),
        }
    }
    said
}

fn unread(why: &SegmentError) -> String {
    format!("not read: {}; the next use rebuilds it\n", printable(why.to_string()))
}

pub(super) fn size(n_bytes: u64) -> String {
    match n_bytes {
        0..100_000 => format!("{:.1} kB", n_bytes as f64 / 1e3),
        _ => format!("{:.1} MB", n_bytes as f64 / 1e6),
    }
}
