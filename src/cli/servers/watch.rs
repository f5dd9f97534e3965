//! Runs `check --watch`: checks again when files change, and prints the findings that appeared or
//! disappeared.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use crate::audit::{Outcome, Silent};
use crate::cli::CLEAN;
use crate::cli::args::Check;
use crate::cli::commands::check;
use crate::cli::flags::Common;
use crate::cli::io::error::Failure;
use crate::cli::io::output::{report_failure, try_print};
use crate::git::Repository;
use crate::language::Languages;
use crate::policy::{Finding, best_first};
use crate::report::finding_line;
use crate::text::{FilePath, count};

/// How long nothing may change for the change to count as over: an editor writes a file in several
/// steps, and git many.
const QUIET: Duration = Duration::from_millis(200);

/// Judges until the reader of its output is gone, or until a signal ends the program.
pub(in crate::cli) fn run(flags: &Check, common: &Common) -> Result<u8, Failure> {
    let repository = Repository::discover(&common.repo)?;
    // Starts before the first check, so that changes during it are not missed.
    let (_watcher, changes) = changes(&repository)?;
    let mut known = BTreeMap::new();
    // A bar would hide what was printed.
    let mut outcome = Some(check::outcome(flags, common, &Silent)?);
    let mut is_first = true;
    loop {
        if let Some(outcome) = &outcome {
            let now = lines_of(outcome);
            let text = difference(&known, &now, outcome, is_first);
            if !text.is_empty() && !try_print(&text)? {
                return Ok(CLEAN);
            }
            known = now;
            is_first = false;
        }
        if changes.recv().is_err() {
            return Ok(CLEAN);
        }
        while !matches!(changes.recv_timeout(QUIET), Err(RecvTimeoutError::Timeout)) {}
        // A temporary state, such as a half-written settings file, is no reason to end.
        outcome = check::outcome(flags, common, &Silent).inspect_err(report_failure).ok();
    }
}

/// A message for each change that may matter, for as long as the watcher lives.
fn changes(repository: &Repository) -> Result<(RecommendedWatcher, Receiver<()>), Failure> {
    let root = repository.root().to_owned();
    let unwatched = |why: notify::Error| unwatched(&root, &why);
    let (changed, changes) = channel();
    let git = repository.common_dir().canonicalize().unwrap_or_else(|_| repository.common_dir());
    let (top, git_folder) = (root.canonicalize().unwrap_or_else(|_| root.clone()), git.clone());
    let languages = Languages::builtin();
    let watch = move |event: notify::Result<Event>| {
        // Missed events may matter.
        let matters = event.is_ok_and(|event| {
            !matches!(event.kind, EventKind::Access(_))
                && (event.need_rescan()
                    || event.paths.iter().any(|path| matters(path, &top, &git_folder, &languages)))
        });
        if matters {
            let _ = changed.send(());
        }
    };
    let config = notify::Config::default().with_follow_symlinks(false);
    let mut watcher = RecommendedWatcher::new(watch, config).map_err(unwatched)?;
    let top = root.canonicalize().unwrap_or_else(|_| root.clone());
    watcher.watch(&top, RecursiveMode::Recursive).map_err(unwatched)?;
    if !git.starts_with(&top) {
        watcher.watch(&git, RecursiveMode::NonRecursive).map_err(unwatched)?;
    }
    Ok((watcher, changes))
}

fn unwatched(folder: &Path, why: &notify::Error) -> Failure {
    let help = "the system may limit the folders that are watched, as Linux does with fs.inotify.max_user_watches";
    Failure::user(format!("cannot watch `{}`: {why}", folder.display()), help)
}

/// Whether a file affects the result: source, settings, and git's records of commits and the
/// index. Most build output does not.
fn matters(path: &Path, root: &Path, git: &Path, languages: &Languages) -> bool {
    if let Ok(inside) = path.strip_prefix(git) {
        let name = inside.to_string_lossy();
        return ["HEAD", "index", "packed-refs", "MERGE_HEAD"].contains(&&*name)
            || name.starts_with("refs");
    }
    let Ok(inside) = path.strip_prefix(root) else { return true };
    let path = FilePath::new(inside.as_os_str().as_encoded_bytes());
    let mut ends = [&b".toml"[..], b".gitattributes", b".gitignore"].into_iter();
    let is_setting = ends.any(|end| path.name().ends_with(end));
    !inside.starts_with(".git") && (is_setting || languages.may_know(&path))
}

/// Each finding by what stays the same when lines move, in a line.
fn lines_of(outcome: &Outcome) -> BTreeMap<(String, usize), String> {
    let mut lines = BTreeMap::new();
    for finding in best_first(&outcome.findings) {
        let mut number = 0;
        while lines.contains_key(&(finding.identity.clone(), number)) {
            number += 1;
        }
        lines.insert((finding.identity.clone(), number), finding_line(finding));
    }
    lines
}

/// What went and what came, and the number of findings that there are now; empty if nothing did.
fn difference(
    before: &BTreeMap<(String, usize), String>,
    now: &BTreeMap<(String, usize), String>,
    outcome: &Outcome,
    is_first: bool,
) -> String {
    let gone = before.iter().filter(|(key, _)| !now.contains_key(key));
    let went = gone.map(|(_, line)| format!("- {line}\n"));
    let new: BTreeSet<&String> =
        now.iter().filter(|(key, _)| !before.contains_key(key)).map(|(_, line)| line).collect();
    let is_new = |finding: &&&Finding| new.contains(&finding_line(finding));
    let findings = best_first(&outcome.findings);
    let came =
        findings.iter().filter(is_new).map(|finding| format!("+ {}\n", finding_line(finding)));
    let text: String = went.chain(came).collect();
    if text.is_empty() && !is_first {
        return text;
    }
    format!("{text}= {}\n", count(outcome.findings.len(), "finding"))
}
