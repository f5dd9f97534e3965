//! Runs `secondhand scan`.

use std::path::{Path, PathBuf};

use crate::audit::{Context, Outcome, Progress, Tree, callers, finish, owners, read_texts, scan};
use crate::change::{self, Acceptance, End, projects, root_of_another};
use crate::cli::args::Scan;
use crate::cli::flags::Common;
use crate::cli::io::{Bar, Failure, Reports, all_here, limited, selection};
use crate::cli::{CLEAN, FOUND, not_fetched, settings, today, warn_of_nothing};
use crate::config::Config;
use crate::files::{Entry, ReadFiles};
use crate::git::{self, Repository, Snapshot};
use crate::policy::{Baseline, Notice};
use crate::report::scan_formats;
use crate::sources::{Folder, slashes};
use crate::text::{FilePath, count};

pub(in crate::cli) fn run(flags: &Scan, common: &Common) -> Result<u8, Failure> {
    let reports = Reports::new(scan_formats(), &flags.output.reporting, common)?;
    let target = target(flags, common)?;
    let config = settings_of(flags, &target, common)?;
    let mut reports = reports.with(&config)?;
    reports.is_paged = !common.no_pager;
    reports.warn_of_suppressed(flags.suppressing.show_suppressed);
    let mut scanned = scanned(target, flags, &config, common, &Bar::of(common))?;
    selection::keep(&mut scanned.outcome, &flags.output.only)?;
    warn_of_nothing(&scanned.outcome);
    let (fails, n_missing) = (scanned.outcome.fails(config.fail_on), scanned.outcome.n_missing());
    scanned.outcome = limited(scanned.outcome);
    let outcome = match reports.show_code(&scanned.outcome, common) {
        true => scanned.with_texts()?,
        false => scanned.outcome,
    };
    reports.write(&outcome, common)?;
    if flags.missing.fail_on_missing {
        all_here(n_missing)?;
    }
    let percent = outcome.duplication.as_ref().map_or(0.0, |of| of.total.percent());
    let is_above = flags.fail_on_percent.is_some_and(|limit| percent > limit);
    Ok(if is_above || fails { FOUND } else { CLEAN })
}

pub(in crate::cli) fn outcome(
    flags: &Scan,
    common: &Common,
    progress: &dyn Progress,
) -> Result<ScanResult, Failure> {
    let target = target(flags, common)?;
    let config = settings_of(flags, &target, common)?;
    scanned(target, flags, &config, common, progress)
}

fn settings_of(flags: &Scan, target: &ScanTarget, common: &Common) -> Result<Config, Failure> {
    let settings = [flags.output.settings(), flags.min_tokens.settings("scan-min-tokens")].concat();
    settings::read(common, target.repository(), &settings)
}

/// What a scan found, and where its texts are.
pub(in crate::cli) struct ScanResult {
    /// The outcome, without texts: most uses need no more.
    pub outcome: Outcome,
    target: ScanTarget,
    entries: Vec<Entry>,
}

impl ScanResult {
    pub fn with_texts(self) -> Result<Outcome, Failure> {
        let Self { mut outcome, target, entries } = self;
        let read = match target {
            ScanTarget::Folder { root, .. } => {
                read_texts(&mut outcome, &entries, &Folder::new(&root))
            }
            ScanTarget::Repository(of, _) => read_texts(&mut outcome, &entries, &of.reader()),
        };
        read?;
        Ok(outcome)
    }
}

fn scanned(
    target: ScanTarget,
    flags: &Scan,
    config: &Config,
    common: &Common,
    progress: &dyn Progress,
) -> Result<ScanResult, Failure> {
    let languages = config.languages();
    let root = target.repository().map(Repository::root);
    let baseline = settings::baseline(&flags.suppressing, root, config)?;
    let context = Context { config, languages: &languages, progress };
    let (mut outcome, all) = match &target {
        ScanTarget::Folder { root, paths } => {
            let end = End { name: root.display().to_string(), commit: None };
            let folder = Folder::new(root);
            let all = folder.entries_of(paths)?;
            let (entries, within) = (all.clone(), Vec::new());
            let tree = Tree { end, entries, within, open: &|| folder.clone() };
            (with_callers(tree, &all, common, context)?, all)
        }
        ScanTarget::Repository(repository, within) => {
            let (end, snapshot) = tree(repository, flags.tree.rev.as_deref())?;
            if common.verbose {
                settings::warn_of_idle(config, &languages, &snapshot.entries);
            }
            let owners = owners(&snapshot, &repository.reader(), config);
            let all = snapshot.entries;
            let entries =
                all.iter().filter(|entry| entry.path.is_within(within)).cloned().collect();
            let tree = Tree { end, entries, within: within.clone(), open: &|| repository.reader() };
            let mut outcome = with_callers(tree, &all, common, context)?;
            (outcome.owners, outcome.repository) = (owners, repository.name());
            outcome.notices.extend(not_fetched(repository));
            (outcome, all)
        }
    };
    if flags.paths.is_empty() && !baseline.is_empty() {
        outcome.notices.extend(gone(&baseline, &outcome));
    }
    let keeps_suppressed = flags.suppressing.show_suppressed;
    let acceptance =
        Acceptance { baseline, trusts_change: true, keeps_suppressed, ..Acceptance::default() };
    finish(&mut outcome, &acceptance, config, today());
    Ok(ScanResult { outcome, target, entries: all })
}

fn gone(baseline: &Baseline, outcome: &Outcome) -> Option<Notice> {
    let n_gone = baseline.n_beyond(&outcome.known_copies().collect());
    let all = count(baseline.len(), "copy");
    let message = format!(
        "not found: {n_gone} of {all} in the baseline. `secondhand baseline update --prune` removes what is gone"
    );
    (n_gone > 0).then(|| Notice::new(None, None, &message))
}

/// The outcome of a scan; with `--brief` with the places in `all` that call what is duplicated.
fn with_callers<R: ReadFiles>(
    tree: Tree<'_, R>,
    all: &[Entry],
    common: &Common,
    context: Context<'_>,
) -> Result<Outcome, Failure> {
    let open = tree.open;
    let mut outcome = scan(tree, context)?;
    if common.brief {
        read_texts(&mut outcome, all, &open())?;
        callers(&mut outcome, all, open, context)?;
    }
    Ok(outcome)
}

enum ScanTarget {
    /// A folder outside of any repository, and the paths in it to scan.
    Folder { root: PathBuf, paths: Vec<PathBuf> },
    /// A repository, and the paths in it to scan; empty for all.
    Repository(Box<Repository>, Vec<FilePath>),
}

impl ScanTarget {
    fn repository(&self) -> Option<&Repository> {
        match self {
            Self::Folder { .. } => None,
            Self::Repository(repository, _) => Some(repository),
        }
    }

    /// Paths outside of any repository: read as they are, from the folder that all are in.
    fn outside(paths: Vec<PathBuf>) -> Self {
        let folders = paths.iter().map(|path| match path.parent() {
            Some(parent) if !path.is_dir() => parent.to_owned(),
            _ => path.clone(),
        });
        let root = folders.reduce(|a, b| {
            let parts = a.components().zip(b.components());
            parts.take_while(|(a, b)| a == b).map(|(a, _)| a).collect()
        });
        Self::Folder { root: root.unwrap_or_default(), paths }
    }
}

/// What is scanned: paths, and the folders of projects.
fn target(flags: &Scan, common: &Common) -> Result<ScanTarget, Failure> {
    let mut target = place(flags, common)?;
    if !flags.project.is_empty() {
        let written = settings::place(common).settings(target.repository())?;
        let folders = projects(&flags.project, &written)?;
        if let ScanTarget::Repository(_, within) = &mut target {
            within.extend(folders);
        }
    }
    Ok(target)
}

fn place(flags: &Scan, common: &Common) -> Result<ScanTarget, Failure> {
    let repository = common.repository();
    let paths = flags.paths.iter().map(|path| canonical(&common.repo.join(path)));
    let paths = paths.collect::<Result<Vec<_>, _>>()?;
    let repository = match repository {
        Ok(repository) if paths.is_empty() => {
            return Ok(ScanTarget::Repository(Box::new(repository), Vec::new()));
        }
        Ok(repository) => repository,
        // What is there but cannot be read is no plain folder.
        Err(error)
            if flags.tree.rev.is_some() || !matches!(error, git::Error::NotARepository { .. }) =>
        {
            return Err(error.into());
        }
        Err(_) if paths.is_empty() => return Ok(ScanTarget::outside(vec![common.repo.clone()])),
        Err(_) => return Ok(ScanTarget::outside(paths)),
    };
    let root = canonical(repository.root())?;
    for path in &paths {
        let inside = path.strip_prefix(&root).ok();
        if let Some(other) = inside.and_then(|inside| root_of_another(&root, inside)) {
            return Err(change::Error::in_another(path, &other).into());
        }
    }
    let within = paths.iter().map(|path| path.strip_prefix(&root).map(slashes));
    match within.collect::<Result<Vec<_>, _>>() {
        Ok(within) => Ok(ScanTarget::Repository(Box::new(repository), within)),
        Err(_) if flags.tree.rev.is_none() && !paths.iter().any(|path| path.starts_with(&root)) => {
            Ok(ScanTarget::outside(paths))
        }
        Err(_) => {
            let outside = format!("not all of them are inside `{}`", root.display());
            let message = format!("cannot scan these paths together: {outside}");
            Err(Failure::user(message, "scan a folder outside of the repository on its own"))
        }
    }
}

fn canonical(path: &Path) -> Result<PathBuf, Failure> {
    path.canonicalize().map_err(Failure::unreadable(path))
}

/// The tree of a revision, or else the work tree, or that of `HEAD` if there is no work tree.
pub(in crate::cli) fn tree(
    repository: &Repository,
    revision: Option<&str>,
) -> Result<(End, Snapshot), Failure> {
    let reader = repository.reader();
    if revision.is_none() && repository.has_work_tree() {
        let end = End { name: "the work tree".to_owned(), commit: None };
        return Ok((end, reader.work_tree_snapshot()?));
    }
    let name = revision.unwrap_or("HEAD");
    let commit = reader.commit(name)?;
    Ok((End { name: name.to_owned(), commit: Some(commit) }, reader.commit_snapshot(commit)?))
}
