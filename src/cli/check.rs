//! Runs `secondhand check`.

use std::path::{Path, PathBuf};

use super::args::{Check, Trust};
use super::cache::HistoryPlace;
use super::corpus::outsides;
use super::environment::{self, EventRange};
use super::error::Failure;
use super::flags::{Common, PastFlags};
use super::limit::told;
use super::output::{Reports, warn};
use super::progress::Bar;
use super::suppressing::{Judge, in_tree};
use super::uncommitted::Uncommitted;
use super::{CLEAN, FOUND, cache, start_threads};
use crate::audit::{self, Context, Elsewhere, End, Outcome, Past, Progress, Range, blame, check};
use crate::git::{self, CommitId, Reader, Repository, Snapshot, Span};
use crate::policy::Notice;
use crate::report::FORMATS;
use crate::text::FilePath;

pub(super) fn run(flags: &Check, common: &Common) -> Result<u8, Failure> {
    let reports = Reports::new(FORMATS, &flags.output.reporting, common)?;
    let outcome = outcome(flags, common, &Bar::of(common))?;
    let fails = flags.output.fails(&outcome);
    reports.write(&told(outcome), common)?;
    Ok(if fails { FOUND } else { CLEAN })
}

/// The outcome of the audit, before it is written.
pub(super) fn outcome(flags: &Check, common: &Common, progress: &dyn Progress) -> Result<Outcome, Failure> {
    start_threads(common.threads)?;
    let repository = Repository::discover(&common.repo)?;
    let within = paths(flags, &repository, common)?;
    outcome_within(&within, &repository, flags, common, progress)
}

/// The same in a repository that is open; only what is `within` these files and folders is judged.
pub(super) fn outcome_within(
    within: &[FilePath],
    repository: &Repository,
    flags: &Check,
    common: &Common,
    progress: &dyn Progress,
) -> Result<Outcome, Failure> {
    let (range, uncommitted) = range(flags, within, repository, common)?;
    let judge = Judge::new(repository, &range, flags, common)?;
    let remembered = cache::open(common, repository, &judge.config, &judge.languages);
    let outsides = outsides(&flags.corpora.named, &judge.config, &judge.languages, repository.root(), common)?;
    let mut outcome = {
        let context = Context { config: &judge.config, languages: &judge.languages, progress };
        let judged = |range: Range, past: Option<&Past>| {
            let elsewhere = Elsewhere { outsides: &outsides, past };
            check(repository, range, &elsewhere, &remembered, context).map_err(Failure::from)
        };
        let mut outcome = match past_of(&flags.past, repository, &range)? {
            None => judged(range, None)?,
            Some(span) => {
                let change = range.base.as_ref().and_then(|(base, _)| base.commit).zip(range.head.0.commit);
                let mut range = Some(range);
                let search = |folder: Option<&Path>| {
                    let past = match Past::open(folder, repository, &span, change, context) {
                        Err(audit::Error::Ended) => {
                            let again = || self::range(flags, within, repository, common).map(|(range, _)| range);
                            let mut outcome = judged(range.take().map_or_else(again, Ok)?, None)?;
                            outcome.examined.unavailable =
                                Some("the history, which was not read to its end".to_owned());
                            return Ok(outcome);
                        }
                        past => past?,
                    };
                    if let Some(why) = past.unkept() {
                        warn(&format!(
                            "the history index is not kept, so that every run reads all history anew: {why}"
                        ));
                    }
                    let again = || self::range(flags, within, repository, common).map(|(range, _)| range);
                    judged(range.take().map_or_else(again, Ok)?, Some(&past))
                };
                let discard = |folder: &Path| Past::discard(folder, repository, context);
                HistoryPlace::new(common, repository).try_with(search, discard)?
            }
        };
        if flags.blame {
            blame(repository, &mut outcome, progress)?;
        }
        outcome
    };
    cache::save(remembered, common);
    if let Some(missing) = &outcome.examined.unavailable {
        warn(&format!("not searched: {missing}"));
    }
    outcome.notices.extend(uncommitted);
    judge.suppress(&mut outcome);
    Ok(outcome)
}

/// The past that is searched, when the flags ask for it: all that the base reaches, if they do not say otherwise.
fn past_of(flags: &PastFlags, repository: &Repository, range: &Range) -> Result<Option<Span>, Failure> {
    let base = range.base.as_ref().and_then(|(base, _)| base.commit);
    Ok(flags.span(base, &repository.reader())?)
}

/// The paths to judge, from the root of the repository; none for all.
///
/// # Errors
/// If one is neither on disk nor in `HEAD`. A revision is a common mistake, and is named with the flag for it.
fn paths(flags: &Check, repository: &Repository, common: &Common) -> Result<Vec<FilePath>, Failure> {
    let reader = repository.reader();
    let is_committed = |path: &FilePath| {
        let files = reader.head().ok().flatten().and_then(|head| reader.commit_snapshot(head).ok());
        files.is_some_and(|files| files.entries.iter().any(|entry| entry.path.is_in(path)))
    };
    let of = |path: &PathBuf| {
        let file = common.repo.join(path);
        let in_tree = in_tree(&file, repository.root());
        match in_tree {
            Some(found) if file.symlink_metadata().is_ok() || is_committed(&found) => return Ok(found),
            None if is_same_folder(&file, repository.root()) => return Ok(FilePath::new("")),
            None if file.exists() => {
                return Err(Failure::OutsideCheck { path: path.clone(), root: repository.root().to_owned() });
            }
            _ => {}
        }
        let name = path.to_string_lossy().into_owned();
        let is_revision = name.split("..").all(|end| end.is_empty() || reader.commit(end.trim_matches('.')).is_ok());
        Err(if is_revision { Failure::RevisionAsPath { name } } else { Failure::NoPath { path: path.clone() } })
    };
    flags.paths.iter().map(of).collect()
}

fn is_same_folder(a: &Path, b: &Path) -> bool {
    a.canonicalize().is_ok_and(|a| b.canonicalize().is_ok_and(|b| a == b))
}

/// The two states to compare, and what to tell about files that no commit has.
fn range(
    flags: &Check,
    within: &[FilePath],
    repository: &Repository,
    common: &Common,
) -> Result<(Range, Option<Notice>), Failure> {
    let reader = &repository.reader();
    let named = named_base(flags);
    let event = match (named, &flags.head) {
        (None, None) if flags.worktree || flags.watch && !flags.staged => None,
        // A hook may be run over a range too: with `--from-ref`, and before a push.
        (None, None) if flags.staged => environment::hook_range(),
        (None, None) => environment::range()?,
        _ => None,
    };
    if flags.worktree || flags.watch && !flags.staged || (flags.staged && event.is_none()) {
        return Ok((uncommitted(flags, within, reader)?, None));
    }
    // Where nobody says what to judge, people mean what they have just written.
    let is_open = flags.head.is_none() && event.is_none() && !Trust::is_machine();
    let files = || if is_open { Uncommitted::read(repository, within, common) } else { None };
    let judged = |files: Uncommitted| Ok((uncommitted(flags, within, reader)?, Some(files.judged())));
    let head_name = flags.head.clone().or_else(|| event.as_ref()?.head.clone()).unwrap_or_else(|| "HEAD".to_owned());
    if head_name == "HEAD" && reader.head()?.is_none() {
        return match files() {
            Some(files) => judged(files),
            None => Err(Failure::NoBase { why: "there is no commit yet; `--staged` checks the first one" }),
        };
    }
    let files = files();
    let head = reader.commit(&head_name)?;
    if let Some(files) = files
        && !has_commits_of_its_own(named, head, reader)?
    {
        return judged(files);
    }
    let base = match (named, event) {
        (Some(name), _) => Some(Base::new(reader, name, head)?),
        (None, Some(event)) => base_of_event(reader, event, head)?,
        (None, None) => default_base(reader, head, None)?,
    };
    let (base, tip) = base.map(|base| base.read(reader)).transpose()?.unzip();
    let head = commit_end(reader, head_name, head)?;
    let has_attributes_of_base = flags.trust() == Trust::Base;
    let range = Range { base, head, tip: tip.flatten(), within: within.to_vec(), has_attributes_of_base };
    Ok((range, files.map(Uncommitted::not_judged)))
}

/// Whether `head` has commits that the base does not have: the one `named`, or the default branch.
fn has_commits_of_its_own(named: Option<&String>, head: CommitId, reader: &Reader) -> Result<bool, Failure> {
    let base = match named {
        Some(name) => Some(reader.commit(name)?),
        None => reader.default_branch().map(|(_, tip)| tip),
    };
    Ok(base.map(|base| reader.merge_base(base, head)).transpose()?.is_some_and(|start| start != head))
}

/// The index or the work tree, against `HEAD` or the merge base with `--base`. In a merge in progress,
/// code from the other side is not new.
fn uncommitted(flags: &Check, within: &[FilePath], reader: &Reader) -> Result<Range, Failure> {
    let last = reader.head()?;
    let base = match (named_base(flags), last) {
        (Some(name), Some(last)) => Some(Base::new(reader, name, last)?),
        (None, Some(last)) => Some(Base { name: "HEAD".to_owned(), tip: last, start: last }),
        (_, None) => None,
    };
    let (name, snapshot) = if flags.staged {
        ("the index", reader.index_snapshot()?)
    } else {
        ("the work tree", reader.work_tree_snapshot()?)
    };
    let (mut base, tip) = base.map(|base| base.read(reader)).transpose()?.unzip();
    let mut tip = tip.flatten();
    if let (Some((_, files)), None) = (&mut base, named_base(flags)) {
        let merged: Vec<CommitId> = reader.merge_heads()?;
        if !merged.is_empty() {
            tip = Some(files.clone());
        }
        let merged = merged.into_iter().map(|side| reader.commit_snapshot(side));
        files.take_over(&snapshot, &merged.collect::<Result<Vec<_>, _>>()?);
    }
    let head = (End { name: name.to_owned(), commit: None }, snapshot);
    let has_attributes_of_base = flags.trust() == Trust::Base;
    Ok(Range { base, head, tip, within: within.to_vec(), has_attributes_of_base })
}

/// What a change is compared with.
struct Base {
    name: String,
    /// The commit of that name.
    tip: CommitId,
    /// Where the change starts from: the merge base.
    start: CommitId,
}

impl Base {
    fn new(reader: &Reader, name: &str, head: CommitId) -> Result<Self, Failure> {
        let tip = reader.commit(name)?;
        Ok(Self { name: name.to_owned(), tip, start: reader.merge_base(tip, head)? })
    }

    /// Its files where the change starts from, and at the tip if that is another commit.
    fn read(self, reader: &Reader) -> Result<((End, Snapshot), Option<Snapshot>), Failure> {
        let tip = (self.tip != self.start).then(|| reader.commit_snapshot(self.tip)).transpose()?;
        Ok((commit_end(reader, self.name, self.start)?, tip))
    }
}

/// The base that a flag or a variable names. Pipelines set the variable to nothing where they know of no base.
fn named_base(flags: &Check) -> Option<&String> {
    let is_left_empty = || std::env::var_os("SECONDHAND_BASE").is_some_and(|value| value.is_empty());
    flags.base.as_ref().filter(|base| !base.is_empty() || !is_left_empty())
}

/// What the environment says that the change starts from.
fn base_of_event(reader: &Reader, event: EventRange, head: CommitId) -> Result<Option<Base>, Failure> {
    // A pull request that is checked out merged with its target: what the target has is not its doing, whatever the
    // target was when the event was made.
    if let Some(proposed) = event.proposed.as_ref().and_then(|id| reader.commit(id).ok())
        && reader.commit(&format!("{head}^2")).is_ok_and(|second| second == proposed)
        && let Some(target) = reader.first_parent(head)?
    {
        return Ok(Some(Base { name: "the target".to_owned(), tip: target, start: target }));
    }
    match event.base {
        Some(base) => match Base::new(reader, base.in_clone(reader), head) {
            Err(Failure::Audit(audit::Error::Git(git::Error::UnknownRevision { revision, is_shallow }))) => {
                Err(Failure::NamedBase { revision, by: base.by, is_shallow })
            }
            found => Ok(Some(found?)),
        },
        None => default_base(reader, head, event.default_branch.as_deref()),
    }
}

/// Without a word about the base: the merge base with the default branch, which the environment may know; on that
/// branch itself the commit before, and nothing before the first commit.
fn default_base(reader: &Reader, head: CommitId, branch: Option<&str>) -> Result<Option<Base>, Failure> {
    let known =
        branch.map(environment::remote_branch).and_then(|name| Some((name.clone(), reader.commit(&name).ok()?)));
    if let Some((name, branch)) = known.or_else(|| reader.default_branch()) {
        let base = Base { name, tip: branch, start: reader.merge_base(branch, head)? };
        if base.start != head {
            return Ok(Some(base));
        }
    }
    let before = |parent| Base { name: "the commit before".to_owned(), tip: parent, start: parent };
    Ok(reader.first_parent(head)?.map(before))
}

fn commit_end(reader: &Reader, name: String, commit: CommitId) -> Result<(End, Snapshot), Failure> {
    let snapshot = reader.commit_snapshot(commit)?;
    Ok((End { name, commit: Some(commit) }, snapshot))
}
