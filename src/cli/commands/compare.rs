//! Runs `secondhand compare`.

use std::path::{Path, PathBuf};

use crate::audit::{CompareParams, Comparison, Context, LeftOut, Submission, compare};
use crate::cli::args::Compare;
use crate::cli::flags::Common;
use crate::cli::io::{Bar, Checkout, Failure, Reports, warn};
use crate::cli::{CLEAN, FOUND, settings};
use crate::git::Repository;
use crate::report::{COMPARISON_FORMATS, pseudonym_key};
use crate::text::{FilePath, joined};

/// Maximum files to list if nothing could be compared.
const MAX_SKIPPED: usize = 10;

pub(in crate::cli) fn run(flags: &Compare, common: &Common) -> Result<u8, Failure> {
    let reports = Reports::new(COMPARISON_FORMATS, &flags.reporting, common)?;
    let repository = Repository::discover(&common.repo).ok();
    let settings = [flags.reporting.settings(), flags.min_tokens.settings("min-tokens")].concat();
    let config = settings::read(common, repository.as_ref(), &settings)?;
    let reports = reports.with(&config)?;
    let submissions = submissions(&flags.paths, flags.across_only, &common.repo)?;
    if submissions.len() < 2 {
        return Err(nothing_to_compare(submissions.len()));
    }
    let handed_out = flags.base_code.iter().map(|path| submission(path, 0, &common.repo));
    let handed_out = handed_out.collect::<Result<Vec<_>, _>>()?;
    let languages = config.languages();
    let params = CompareParams {
        is_exact: flags.exact,
        max_common: flags.common,
        threshold: flags.threshold / 100.0,
        max_pairs: flags.top,
        with_words: flags.text,
        is_across_only: flags.across_only,
    };
    let bar = Bar::of(common);
    let context = Context { config: &config, languages: &languages, progress: &bar };
    let mut comparison = compare(&submissions, &handed_out, params, context);
    drop(bar);
    if comparison.n_compared == 0 {
        return Err(nothing_compared(&comparison));
    }
    warn_of_empty(&comparison);
    let limit = flags.fail_on_percent.map(|percent| percent / 100.0);
    let is_above = limit.is_some_and(|limit| comparison.n_sharing > 0 && comparison.most >= limit);
    if flags.pseudonyms {
        let key;
        (comparison, key) = comparison.with_pseudonyms();
        if let Some(file) = &flags.pseudonym_key {
            Checkout::of(common).write(file, &pseudonym_key(&key))?;
        }
    }
    reports.write(&comparison, common)?;
    Ok(if is_above { FOUND } else { CLEAN })
}

fn nothing_compared(comparison: &Comparison) -> Failure {
    let with_files = comparison.submissions.iter().filter(|of| of.n_files > 0).count();
    if with_files >= 2 {
        let message = format!(
            "cannot compare: all {with_files} submissions are in one folder, and only those of different folders are compared"
        );
        let help = "give two or more folders of submissions, such as last year's and this year's";
        return Failure::user(message, help);
    }
    nothing_comparable(comparison.submissions.len(), std::iter::empty(), &comparison.skipped)
}

pub(super) fn nothing_to_compare(n: usize) -> Failure {
    let message = if n == 0 { "there is no submission" } else { "there is only one submission" };
    let help = "give two files or folders, or one folder with a file or folder for each submission";
    Failure::user(format!("cannot compare: {message}"), help)
}

/// Too few of `n` submissions can be compared: some are too `short`, and some were `skipped`.
pub(super) fn nothing_comparable(
    n: usize,
    short: impl Iterator<Item = String>,
    skipped: &[LeftOut],
) -> Failure {
    let message = format!(
        "cannot compare: fewer than two of the {n} submissions contain a file that can be compared"
    );
    let skipped = skipped.iter().map(|left_out| format!("{} ({})", left_out.path, left_out.why));
    let skipped: Vec<String> = short.chain(skipped).take(MAX_SKIPPED).collect();
    let help = match skipped.is_empty() {
        true => "submissions are source files, or folders and archives of them. `secondhand languages --file FILE` \
                 shows how a file is read"
            .to_owned(),
        false => {
            format!("left out: {}. `--text` compares prose and files of unknown languages too", skipped.join(", "))
        }
    };
    Failure::user(message, help)
}

fn warn_of_empty(comparison: &Comparison) {
    let empty = Vec::from_iter(comparison.submissions.iter().filter(|of| of.n_files == 0));
    if !empty.is_empty() {
        let names = joined(&empty, MAX_SKIPPED, |submission| submission.name.to_string());
        warn(&format!("not compared, since none of its files can be: {names}"));
    }
}

/// Each path is a submission; of a single folder, or of groups, each direct child.
pub(super) fn submissions(
    paths: &[PathBuf],
    is_across_only: bool,
    within: &Path,
) -> Result<Vec<Submission>, Failure> {
    match paths {
        [folder] if !is_across_only && within.join(folder).is_dir() => children(folder, 0, within),
        paths if is_across_only => {
            let mut all = Vec::new();
            for (group, folder) in paths.iter().enumerate() {
                if !within.join(folder).is_dir() {
                    all.push(submission(folder, group, within)?);
                    continue;
                }
                // Two years may have submissions of one name.
                let name = name_of(folder);
                for child in children(folder, group, within)? {
                    let name = [name.as_bytes(), b"/", child.name.as_bytes()].concat();
                    all.push(Submission { name: FilePath::new(name), ..child });
                }
            }
            Ok(all)
        }
        paths => paths.iter().map(|path| submission(path, 0, within)).collect(),
    }
}

fn children(folder: &Path, group: usize, within: &Path) -> Result<Vec<Submission>, Failure> {
    let path = within.join(folder);
    let mut submissions = Vec::new();
    for child in std::fs::read_dir(&path).map_err(Failure::unreadable(folder))? {
        let child = child.map_err(Failure::unreadable(folder))?;
        let name = child.file_name();
        // It is unknown where links lead; names that start with a dot are not submissions.
        let is_kept = child.file_type().is_ok_and(|kind| !kind.is_symlink());
        if is_kept && !name.as_encoded_bytes().starts_with(b".") {
            let (name, path) = (FilePath::new(name.as_encoded_bytes()), child.path());
            submissions.push(Submission { name, path, group });
        }
    }
    submissions.sort_unstable_by(|a, b| a.name.cmp(&b.name));
    Ok(submissions)
}

fn submission(path: &Path, group: usize, within: &Path) -> Result<Submission, Failure> {
    let place = within.join(path);
    std::fs::metadata(&place).map_err(Failure::unreadable(path))?;
    Ok(Submission { name: name_of(path), path: place, group })
}

fn name_of(path: &Path) -> FilePath {
    let name = path.as_os_str().as_encoded_bytes();
    let name = name.strip_suffix(b"/").filter(|name| !name.is_empty()).unwrap_or(name);
    FilePath::new(name.strip_prefix(b"./").unwrap_or(name))
}
