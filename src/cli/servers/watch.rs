//! Runs `check --watch`: checks again when files change, and prints which findings came and went.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use crate::audit::{Outcome, Silent};
use crate::cli::args::Check;
use crate::cli::commands::check;
use crate::cli::flags::Common;
use crate::cli::io::{Failure, report_failure, try_print};
use crate::git::Repository;
use crate::language::Languages;
use crate::policy::best_first;
use crate::report::finding_line;
use crate::text::{FilePath, count};

/// How long nothing may change for the change to count as over: an editor writes a file in several
/// steps, and git many.
const QUIET: Duration = Duration::from_millis(200);

/// Judges until the reader of its output is gone, or until a signal ends the program.
pub(in crate::cli) fn run(flags: &Check, common: &Common) -> Result<(), Failure> {
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
                return Ok(());
            }
            known = now;
            is_first = false;
        }
        if changes.recv().is_err() {
            return Ok(());
        }
        while !matches!(changes.recv_timeout(QUIET), Err(RecvTimeoutError::Timeout)) {}
        // A temporary state, such as a half-written settings file, is no reason to end.
        outcome = check::outcome(flags, common, &Silent).inspect_err(report_failure).ok();
    }
}

/// A message for each change that may matter, for as long as the watcher lives.
fn changes(repository: &Repository) -> Result<(RecommendedWatcher, Receiver<()>), Failure> {
    let (changed, changes) = channel();
    let watched = Watched {
        root: real(repository.root()),
        git: real(&repository.common_dir()),
        languages: Arc::clone(Languages::builtin()),
    };
    let watcher = watcher(watched, changed).map_err(|why| {
        let help = "the system may limit the folders that are watched, as Linux does with fs.inotify.max_user_watches";
        Failure::user(format!("cannot watch `{}`: {why}", repository.root().display()), help)
    });
    Ok((watcher?, changes))
}

/// A folder without links on the way to it, if it is there.
fn real(folder: &Path) -> PathBuf {
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}

fn watcher(watched: Watched, changed: Sender<()>) -> notify::Result<RecommendedWatcher> {
    let (root, git) = (watched.root.clone(), watched.git.clone());
    let config = notify::Config::default().with_follow_symlinks(false);
    let mut watcher = RecommendedWatcher::new(
        move |event: notify::Result<Event>| {
            // What an error has missed may matter.
            if event.map_or(true, |event| watched.matters(&event)) {
                let _ = changed.send(());
            }
        },
        config,
    )?;
    watcher.watch(&root, RecursiveMode::Recursive)?;
    if !git.starts_with(&root) {
        watcher.watch(&git, RecursiveMode::NonRecursive)?;
    }
    Ok(watcher)
}

struct Watched {
    root: PathBuf,
    git: PathBuf,
    languages: Arc<Languages>,
}

impl Watched {
    fn matters(&self, event: &Event) -> bool {
        !matches!(event.kind, EventKind::Access(_))
            && (event.need_rescan() || event.paths.iter().any(|path| self.is_source(path)))
    }

    /// Whether a file affects the result: source, settings, and git's records of commits and the
    /// index. Most build output does not.
    fn is_source(&self, path: &Path) -> bool {
        if let Ok(inside) = path.strip_prefix(&self.git) {
            let name = inside.to_string_lossy();
            return ["HEAD", "index", "packed-refs", "MERGE_HEAD"].contains(&&*name)
                || name.starts_with("refs");
        }
        let Ok(inside) = path.strip_prefix(&self.root) else { return true };
        let path = FilePath::new(inside.as_os_str().as_encoded_bytes());
        let mut ends = [&b".toml"[..], b".gitattributes", b".gitignore"].into_iter();
        let is_setting = ends.any(|end| path.name().ends_with(end));
        !inside.starts_with(".git") && (is_setting || self.languages.may_know(&path))
    }
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
    let lines = best_first(&outcome.findings).into_iter().map(finding_line);
    let came = lines.filter(|line| new.contains(line)).map(|line| format!("+ {line}\n"));
    let text: String = went.chain(came).collect();
    if text.is_empty() && !is_first {
        return text;
    }
    format!("{text}= {}\n", count(outcome.findings.len(), "finding"))
}
