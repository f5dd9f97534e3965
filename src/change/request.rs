//! Says what to check: what the command line, the servers and callers of the library ask for.

use std::path::{Path, PathBuf};

use super::paths::{in_tree, root_of_another};
use super::{Error, FilePlace};
use crate::config::Overrides;
use crate::git::{self, CommitId, Reader, Repository, Span, WalkLimits};
use crate::text::FilePath;

/// What to check, and with what.
#[derive(Debug, Clone)]
pub struct CheckRequest {
    /// The start of the change; what the environment, the settings or the clone know if absent.
    pub base: Option<String>,
    /// The end of the change.
    pub end: ChangeEnd,
    /// Files and folders to judge, from the root of the repository; empty for all.
    pub within: Vec<FilePath>,
    /// Projects to judge, too: what their settings call them, or their paths.
    pub projects: Vec<String>,
    /// Where settings are read from.
    pub settings: FilePlace,
    /// What takes the place of what the settings say.
    pub overrides: Overrides,
    /// The baseline.
    pub baseline: FilePlace,
    /// The corpora to compare with, besides those of the settings.
    pub corpora: Vec<String>,
    /// Which past is searched, if the option `history` has it searched.
    pub past: PastScope,
    /// Whether to keep what is suppressed.
    pub keeps_suppressed: bool,
}

/// Where a change ends.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ChangeEnd {
    /// At the commit that the environment names or else `HEAD`; where a person asks and no commit
    /// is new, in the work tree.
    #[default]
    Latest,
    /// At this revision.
    Commit(String),
    /// In the index; where pre-commit runs its hooks on commits, at the last of these.
    Index,
    /// In the work tree.
    WorkTree,
}

/// Which part of the history is searched.
#[derive(Debug, Clone, Default)]
pub struct PastScope {
    /// Revisions and ranges; empty for what the base reaches.
    pub revisions: Vec<String>,
    /// How far back.
    pub limits: WalkLimits,
}

impl CheckRequest {
    /// The base that the request or one of our variables names. Pipelines set the variable to
    /// nothing if they know no base; an empty name in the request is a mistake.
    pub(super) fn base(&self) -> Option<&str> {
        self.base.as_deref().or_else(|| self.overrides.value("base"))
    }
}

impl PastScope {
    /// The part of the history: that of `default` unless a revision is given.
    pub fn span(
        &self,
        default: Option<CommitId>,
        reader: &Reader,
    ) -> Result<Option<Span>, git::Error> {
        let mut span = Span { limits: self.limits, ..Span::default() };
        for revision in &self.revisions {
            reader.add_revision(revision, &mut span)?;
        }
        if span.tips.is_empty() {
            span.tips.extend(default);
        }
        Ok((!span.tips.is_empty()).then_some(span))
    }
}

/// The paths from the root of the repository of files and folders that are named from `folder`, on
/// disk or in `HEAD`. A revision is a common mistake: its error names the flag for it.
pub fn paths_in(
    repository: &Repository,
    folder: &Path,
    named: &[PathBuf],
) -> Result<Vec<FilePath>, Error> {
    named.iter().map(|path| path_in(repository, folder, path)).collect()
}

fn path_in(repository: &Repository, folder: &Path, path: &Path) -> Result<FilePath, Error> {
    let (file, root) = (folder.join(path), repository.root());
    let reader = repository.reader();
    match in_tree(&file, root) {
        Some(found) if file.symlink_metadata().is_ok() || is_committed(&found, &reader) => {
            let name = String::from_utf8_lossy(found.as_bytes()).into_owned();
            // A submodule itself is a part of this repository.
            let other = Path::new(&name).parent().and_then(|inside| root_of_another(root, inside));
            return other.map_or(Ok(found), |other| Err(Error::in_another(path, &other)));
        }
        None if is_same_folder(&file, root) => return Ok(FilePath::new("")),
        None if file.exists() => {
            let (path, root) = (path.display(), root.display());
            return Err(Error::user(
                format!("cannot check the path `{path}`: it is outside the repository `{root}`"),
                "name the repository with `--repo DIR`",
            ));
        }
        _ => {}
    }
    let name = path.to_string_lossy();
    let is_revision =
        name.split("..").all(|end| end.is_empty() || reader.commit(end.trim_matches('.')).is_ok());
    if is_revision {
        let message =
            format!("cannot check the path `{name}`: it is a revision, not a file or folder");
        return Err(Error::user(message, comparing(&name)));
    }
    let path = path.display();
    Err(Error::user(
        format!("cannot check the path `{path}`: there is no such file or folder"),
        "paths start from the folder of `--repo`; a revision is named with `--base REV`",
    ))
}

/// How to compare with what was given as a path.
fn comparing(name: &str) -> String {
    let Some((base, head)) = name.split_once("..") else {
        return format!("to compare with it, use `--base {name}`");
    };
    let head = head.trim_start_matches('.');
    let head = if head.is_empty() { String::new() } else { format!(" --head {head}") };
    format!("to compare the two, use `--base {base}{head}`")
}

/// Whether `HEAD` has a file of this path or in it.
fn is_committed(path: &FilePath, reader: &Reader) -> bool {
    let files = reader.head_snapshot();
    files.is_ok_and(|files| files.entries.iter().any(|entry| entry.path.is_in(path)))
}

fn is_same_folder(a: &Path, b: &Path) -> bool {
    a.canonicalize().is_ok_and(|a| b.canonicalize().is_ok_and(|b| a == b))
}
