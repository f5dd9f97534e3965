//! Finds the two states that a check compares: the ends of a change, and the base as it is now.

use std::borrow::Cow;

use super::environment::{self, EventRange, NamedRevision};
use super::uncommitted::UncommittedFiles;
use super::{ChangeEnd, CheckRequest, Error};
use crate::config::SettingsFile;
use crate::git::{self, CommitId, DefaultBranch, Reader, Repository, Snapshot};
use crate::policy::Notice;
use crate::text::FilePath;

/// One end of the audited range.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct End {
    /// Its name for the user: a revision, "the index", "the work tree".
    pub name: String,
    /// `None` for the index and the work tree.
    pub commit: Option<CommitId>,
}

/// The two states to compare.
#[derive(Debug)]
pub struct Range {
    /// The start of the change; `None` before the first commit.
    pub base: Option<(End, Snapshot)>,
    /// The end of the change.
    pub head: (End, Snapshot),
    /// The base as it is now, where that is not what the change starts from. Where a branch starts
    /// from is up to its author.
    pub tip: Option<Snapshot>,
    /// Files and folders to judge; empty for all. The others are still read to see what was moved.
    pub within: Vec<FilePath>,
    /// Whether it ends with the last commit since a person named no end: what they have not
    /// committed is worth a notice.
    pub is_open: bool,
    /// Who is believed about what judges the change.
    pub side: Side,
}

/// A side of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The change itself. What it edits of its judge is listed.
    Head,
    /// The base as it is now, to which the author of a change cannot write.
    Base,
}

pub(super) struct RangeSearch<'s> {
    pub request: &'s CheckRequest,
    pub repository: &'s Repository,
    pub side: Side,
    /// The base that the settings of that side name; empty for the default branch.
    pub base_of_settings: &'s str,
    /// The settings of the work tree, if they were read.
    pub of_work_tree: Option<&'s SettingsFile>,
}

impl RangeSearch<'_> {
    /// The two states to compare, and the notices that files were checked which no commit has, or
    /// that a base was guessed.
    pub fn range(&self) -> Result<(Range, Vec<Notice>), Error> {
        let Self { request: CheckRequest { end, within, .. }, repository, .. } = self;
        let reader = &repository.reader();
        let named = self.request.base();
        let event = match (named, end) {
            // A hook may be run over a range too: with `--from-ref`, and before a push.
            (None, ChangeEnd::Index) => environment::hook_range(),
            (None, ChangeEnd::Latest) => environment::range()?,
            _ => None,
        };
        if *end == ChangeEnd::WorkTree || (*end == ChangeEnd::Index && event.is_none()) {
            return Ok((self.uncommitted(reader, None)?, Vec::new()));
        }
        // Without a word about the end, people mean what they have just written.
        let is_open = *end == ChangeEnd::Latest && event.is_none() && !environment::is_machine();
        let named_end = match end {
            ChangeEnd::Commit(name) => Some(name.clone()),
            _ => event.as_ref().and_then(|event| event.head.clone()),
        };
        let head_name = named_end.unwrap_or_else(|| "HEAD".to_owned());
        let is_born = head_name != "HEAD" || reader.head()?.is_some();
        let head = is_born.then(|| reader.commit(&head_name)).transpose()?;
        if is_open
            && !head.map_or(Ok(false), |head| self.has_commits_of_its_own(head, reader))?
            && let Some(files) = self.uncommitted_files(reader)
        {
            let notice = files.judged();
            return Ok((self.uncommitted(reader, Some(files))?, vec![notice]));
        }
        let head = head.map_or_else(|| reader.commit(&head_name), Ok)?;
        let base = match (named, event) {
            (Some(name), _) => Some(Base::named(reader, name, head)?),
            (None, Some(event)) => self.base_of_event(reader, event, head)?,
            (None, None) => self.default_base(reader, head, None, self.is_strict())?,
        };
        let guess = base.as_ref().filter(|base| base.is_guess);
        let guess = guess.map(|_| Notice::new(None, None, GUESSED));
        let (base, tip) = base.map(|base| base.read(reader)).transpose()?.unzip();
        let head = commit_end(reader, head_name, head)?;
        let (tip, within) = (tip.flatten(), within.clone());
        let range = Range { base, head, tip, within, is_open, side: self.side };
        Ok((range, Vec::from_iter(guess)))
    }

    fn uncommitted_files(&self, reader: &Reader) -> Option<UncommittedFiles> {
        let settings = match self.of_work_tree {
            Some(settings) => Cow::Borrowed(settings),
            // Errors in settings are reported where they are used.
            None => Cow::Owned(self.request.settings.settings(Some(self.repository)).ok()?),
        };
        let config = self.request.overrides.complete(&settings).ok()?;
        let languages = config.languages();
        let committed = reader.head_snapshot().ok()?;
        UncommittedFiles::read(reader, &committed, (&config, &languages), &self.request.within)
    }

    /// The index or the work tree, which may have been read as `files`, against `HEAD` or the merge
    /// base with the base that is named. In a merge in progress, code from the other side is not
    /// new.
    fn uncommitted(
        &self,
        reader: &Reader,
        files: Option<UncommittedFiles>,
    ) -> Result<Range, Error> {
        let named = self.request.base();
        let last = reader.head()?;
        let base = match (named, last) {
            (Some(name), Some(last)) => Some(Base::named(reader, name, last)?),
            (None, Some(last)) => Some(Base::at("HEAD", last)),
            (_, None) => None,
        };
        let (name, snapshot) = match (&self.request.end, files) {
            (ChangeEnd::Index, _) => ("the index", reader.index_snapshot()?),
            (_, Some(files)) => ("the work tree", files.work_tree),
            (_, None) => ("the work tree", reader.work_tree_snapshot()?),
        };
        let (mut base, tip) = base.map(|base| base.read(reader)).transpose()?.unzip();
        let mut tip = tip.flatten();
        if let (Some((_, files)), None) = (&mut base, named) {
            let merged = reader.merge_heads()?;
            if !merged.is_empty() {
                tip = Some(files.clone());
            }
            let merged = merged.into_iter().map(|side| reader.commit_snapshot(side));
            files.take_over(&snapshot, &merged.collect::<Result<Vec<_>, _>>()?);
        }
        let head = (End { name: name.to_owned(), commit: None }, snapshot);
        let within = self.request.within.clone();
        Ok(Range { base, head, tip, within, is_open: false, side: self.side })
    }

    /// Whether `head` has commits that the base does not have: the one that is named, or the
    /// default branch.
    fn has_commits_of_its_own(&self, head: CommitId, reader: &Reader) -> Result<bool, Error> {
        let base = match self.request.base() {
            Some(name) => Some(reader.commit(name)?),
            None => match self.tip_by_settings(reader)? {
                Some((_, tip)) => Some(tip),
                None => default_branch(reader, false)?.map(|(_, tip)| tip),
            },
        };
        let start = base.map(|base| reader.merge_base(base, head)).transpose()?;
        Ok(start.is_some_and(|start| start != head))
    }

    fn base_of_event(
        &self,
        reader: &Reader,
        event: EventRange,
        head: CommitId,
    ) -> Result<Option<Base>, Error> {
        // A pull request that is checked out merged with its target: compare with the merge's first
        // parent, not with the target named by the event.
        if let Some(proposed) = event.proposed.as_ref().and_then(|id| reader.commit(id).ok())
            && reader.commit(&format!("{head}^2")).is_ok_and(|second| second == proposed)
            && let Some(target) = reader.first_parent(head)?
        {
            return Ok(Some(Base::at("the target", target)));
        }
        match event.base {
            Some(named) => Base::of_event(reader, &named, head).map(Some),
            // A hook is run by a person; all else that knows of events is a pipeline.
            None => {
                let is_strict = event.head.is_none() || self.is_strict();
                self.default_base(reader, head, event.default_branch.as_deref(), is_strict)
            }
        }
    }

    fn tip_by_settings(&self, reader: &Reader) -> Result<Option<(String, CommitId)>, Error> {
        let name = self.base_of_settings;
        if name.is_empty() {
            return Ok(None);
        }
        let tip =
            reader.unambiguous_commit(name).map_err(|why| not_here(why, "the option `base`"))?;
        Ok(Some((name.to_owned(), tip)))
    }

    /// Where no flag or variable names the base: the merge base with the one of the settings, or
    /// with the default branch, which the environment may know; on that branch itself the commit
    /// before, and nothing before the first commit. Without a default branch it is an error where
    /// `is_strict`: `HEAD~1` may be by the same author, so it cannot be trusted as the base.
    fn default_base(
        &self,
        reader: &Reader,
        head: CommitId,
        branch: Option<&str>,
        is_strict: bool,
    ) -> Result<Option<Base>, Error> {
        let found = match (self.tip_by_settings(reader)?, branch) {
            (Some(named), _) => Some(named),
            (None, Some(branch)) => Some(branch_of_system(reader, branch, head)?),
            (None, None) => default_branch(reader, is_strict)?,
        };
        let (name, is_guess) = match found {
            Some((name, tip)) => {
                let base = Base::before(head, (&name, tip), reader)?;
                if base.start != head {
                    return Ok(Some(base));
                }
                ("the commit before", false)
            }
            None if is_strict => return Err(no_default_branch()),
            None => ("the commit before, since the default branch is not known", true),
        };
        let parent = reader.first_parent(head)?;
        Ok(parent.map(|parent| Base { is_guess, ..Base::at(name, parent) }))
    }

    /// Whether a base must not be guessed: a machine asks, or the base judges.
    fn is_strict(&self) -> bool {
        environment::is_machine() || self.side == Side::Base
    }
}

/// What a change is compared with.
struct Base {
    name: String,
    /// The commit of that name.
    tip: CommitId,
    /// Where the change starts from: the merge base.
    start: CommitId,
    /// Whether it is the commit before, where it is not known whether that is the branch.
    is_guess: bool,
}

const GUESSED: &str =
    "the default branch is not known here: the last commit was compared with the one before";

impl Base {
    fn named(reader: &Reader, name: &str, head: CommitId) -> Result<Self, Error> {
        let tip = reader.unambiguous_commit(name)?;
        Ok(Self::before(head, (name, tip), reader)?)
    }

    fn of_event(reader: &Reader, named: &NamedRevision, head: CommitId) -> Result<Self, Error> {
        let found = named.in_clone(reader);
        let base = found.and_then(|named| Self::before(head, named, reader));
        base.map_err(|why| not_here(why, named.by))
    }

    /// The one at `tip`, which is called `name`, for a change that ends at `head`.
    fn before(
        head: CommitId,
        (name, tip): (&str, CommitId),
        reader: &Reader,
    ) -> Result<Self, git::Error> {
        let start = reader.merge_base(tip, head)?;
        Ok(Self { name: name.to_owned(), tip, start, is_guess: false })
    }

    /// The one at this commit, from which the change starts.
    fn at(name: &str, commit: CommitId) -> Self {
        Self { name: name.to_owned(), tip: commit, start: commit, is_guess: false }
    }

    /// Its files where the change starts from, and at the tip if that is another commit.
    fn read(self, reader: &Reader) -> Result<((End, Snapshot), Option<Snapshot>), Error> {
        let tip = (self.tip != self.start).then(|| reader.commit_snapshot(self.tip)).transpose()?;
        Ok((commit_end(reader, self.name, self.start)?, tip))
    }
}

fn not_here(why: git::Error, by: &str) -> Error {
    match why {
        git::Error::UnknownRevision { revision, is_shallow } => {
            Error::named_base(&revision, by, is_shallow)
        }
        why => why.into(),
    }
}

/// The default branch that the environment names. Where what is checked out is that branch, the
/// clone need not have another one of the name.
fn branch_of_system(
    reader: &Reader,
    branch: &str,
    head: CommitId,
) -> Result<(String, CommitId), Error> {
    let name = environment::remote_branch(branch);
    if let Some(tip) = reader.branch(&name)? {
        return Ok((name, tip));
    }
    let checked_out = reader.checked_out().map(|branch| environment::remote_branch(&branch));
    if checked_out.as_ref() == Some(&name) {
        return Ok((name, head));
    }
    Err(Error::named_base(&name, "the environment", reader.is_shallow()))
}

/// The default branch, as far as the clone knows it. Where `is_strict`, a guess is none, and so is
/// a branch that only the remote has.
fn default_branch(reader: &Reader, is_strict: bool) -> Result<Option<(String, CommitId)>, Error> {
    for branch in reader.default_branches() {
        match branch? {
            DefaultBranch { is_sure: false, .. } if is_strict => {}
            DefaultBranch { name, tip: Some(tip), .. } => return Ok(Some((name, tip))),
            DefaultBranch { name, tip: None, .. } if is_strict => {
                return Err(Error::named_base(&name, "origin/HEAD", reader.is_shallow()));
            }
            DefaultBranch { tip: None, .. } => {}
        }
    }
    Ok(None)
}

fn no_default_branch() -> Error {
    Error::user(
        "cannot find what to compare with: the default branch is not known here",
        "fetch it, as with `git fetch origin main:refs/remotes/origin/main`, or name the base with \
         `--base REV` or SECONDHAND_BASE",
    )
}

fn commit_end(reader: &Reader, name: String, commit: CommitId) -> Result<(End, Snapshot), Error> {
    let snapshot = reader.commit_snapshot(commit)?;
    Ok((End { name, commit: Some(commit) }, snapshot))
}
