//! Runs `secondhand compare`.

use std::path::{Path, PathBuf};

use super::args::Compare;
use super::error::Failure;
use super::flags::Common;
use super::output::{Reports, warn};
use super::progress::Bar;
use super::{CLEAN, FOUND, settings, start_threads};
use crate::audit::{CompareParams, Context, Submission, compare};
use crate::git::{Content, Entry, Repository};
use crate::report::COMPARISON_FORMATS;
use crate::sources::Folder;
use crate::text::FilePath;

/// Maximum files to list if nothing could be compared.
const MAX_SKIPPED: usize = 10;

pub(super) fn run(flags: &Compare, common: &Common) -> Result<u8, Failure> {
    let reports = Reports::new(COMPARISON_FORMATS, &flags.reporting, common)?;
    start_threads(common.threads)?;
    let submissions = submissions(&flags.paths, &common.repo)?;
    if submissions.len() < 2 {
        return Err(Failure::NothingToCompare);
    }
    let handed_out = flags.base_code.iter().map(|path| submission(path, &common.repo));
    let handed_out = handed_out.collect::<Result<Vec<_>, _>>()?;

    let repository = Repository::discover(&common.repo).ok();
    let root = repository.as_ref().map(Repository::root);
    let (config, origin) = settings::read(common, root, flags.min_tokens.setting("min-tokens").as_slice())?;
    let languages = config.languages(&origin)?;
    let params = CompareParams { is_exact: flags.exact, max_pairs: flags.top };
    let comparison = {
        let bar = Bar::of(common);
        compare(&submissions, &handed_out, params, Context { config: &config, languages: &languages, progress: &bar })?
    };
    if comparison.submissions.iter().filter(|submission| submission.n_files > 0).count() < 2 {
        let skipped = comparison.skipped.iter().map(|(path, skip)| format!("{path} ({})", skip.reason()));
        return Err(Failure::NothingComparable { n: submissions.len(), skipped: skipped.take(MAX_SKIPPED).collect() });
    }
    let empty = comparison.submissions.iter().filter(|submission| submission.n_files == 0);
    let names: Vec<_> = empty.map(|submission| submission.name.to_string()).collect();
    if !names.is_empty() {
        let n_more = names.len().saturating_sub(MAX_SKIPPED);
        let more = if n_more > 0 { format!(" and {n_more} more") } else { String::new() };
        let names = names[..names.len() - n_more].join(", ");
        warn(&format!("not compared, since none of its files can be: {names}{more}"));
    }
    reports.write(&comparison, common)?;
    let limit = flags.fail_on_percent.map(|percent| percent / 100.0);
    let is_above = |limit: f64| comparison.pairs.iter().any(|pair| pair.containment() >= limit);
    Ok(if limit.is_some_and(is_above) { FOUND } else { CLEAN })
}

/// Each path is a submission; for a single folder, each of its direct children.
fn submissions(paths: &[PathBuf], within: &Path) -> Result<Vec<Submission<Folder>>, Failure> {
    let [folder] = paths else { return paths.iter().map(|path| submission(path, within)).collect() };
    let unreadable = |why| Failure::Unreadable { file: folder.clone(), why };
    let path = within.join(folder);
    if !path.is_dir() {
        return Ok(vec![submission(folder, within)?]);
    }
    let mut submissions = Vec::new();
    for child in std::fs::read_dir(&path).map_err(unreadable)? {
        let child = child.map_err(unreadable)?;
        let name = child.file_name();
        // It is unknown where links lead; names that start with a dot are not submissions.
        let is_kept = child.file_type().is_ok_and(|kind| !kind.is_symlink());
        if is_kept && !name.as_encoded_bytes().starts_with(b".") {
            let child = submission(&folder.join(&name), within)?;
            submissions.push(Submission { name: FilePath::new(name.as_encoded_bytes()), ..child });
        }
    }
    submissions.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(submissions)
}

/// The file or folder at `path` as one submission.
fn submission(path: &Path, within: &Path) -> Result<Submission<Folder>, Failure> {
    let unreadable = |why| Failure::Unreadable { file: path.to_owned(), why };
    let place = within.join(path);
    let metadata = std::fs::metadata(&place).map_err(unreadable)?;
    let name = path.as_os_str().as_encoded_bytes();
    let name = name.strip_prefix(b"./").unwrap_or(name);
    let name = FilePath::new(name.strip_suffix(b"/").filter(|name| !name.is_empty()).unwrap_or(name));
    if metadata.is_dir() {
        let folder = Folder::new(&place);
        return Ok(Submission { name, entries: folder.entries()?, reader: folder, is_file: false });
    }
    let file = place.file_name().unwrap_or_default().as_encoded_bytes();
    let entry = Entry { path: FilePath::new(file), content: Content::Disk };
    let folder = Folder::new(place.parent().unwrap_or(Path::new(".")));
    Ok(Submission { name, entries: vec![entry], reader: folder, is_file: true })
}
