//! Runs `secondhand check`.

use std::path::{Path, PathBuf};

use super::args::Check;
use super::cache::{PAST_NOT_READ, with_past};
use super::change::components::Change;
use super::corpus::{outsides, report_traffic};
use super::change::environment::{self, EventRange, Named};
use super::error::Failure;
use super::flags::{Common, fails};
use super::limit::limited;
use super::output::{Reports, warn};
use super::progress::Bar;
use super::settings::{self, Overrides};
use super::change::trust::{Judge, SettingsInUse, in_tree};
use super::change::uncommitted::Uncommitted;
use super::{CLEAN, FOUND, cache, passed_over, start_threads};
use crate::audit::{self, Context, Elsewhere, End, Outcome, Past, Progress, Range, blame, callers, check};
use crate::config::{Config, RawConfig, Trust};
use crate::git::{self, CommitId, DefaultBranch, Reader, Repository, Snapshot, Span};
use crate::policy::Notice;
use crate::report::FORMATS;
use crate::text::FilePath;

pub(super) fn run(flags: &Check, common: &Common) -> Result<u8, Failure> {
    let reports = Reports::new(FORMATS, &flags.output.reporting, common)?;
    start_threads(common.threads)?;
    let repository = Repository::discover(&common.repo)?;
    let asked = Asked::new(paths(flags, &repository, common)?, &repository, flags, common);
    let case = asked.case()?;
    let config = case.judge.config.clone();
    let reports = reports.with(&config)?;
    if common.verbose {
        settings::warn_of_idle(&config, &case.judge.languages, &case.range.head.1.entries);
    }
    let edits = case.judge.edits_in_use().to_vec();
    let outcome = asked.outcome(case, &Bar::of(common))?;
    if !reports.have_notices(common) {
        edits.iter().for_each(|edit| warn(&edit.to_string()));
    }
    let fails = fails(&outcome, &config);
    reports.write(&limited(outcome), common)?;
    Ok(if fails { FOUND } else { CLEAN })
}

/// The outcome of the audit, before it is written.
pub(super) fn outcome(flags: &Check, common: &Common, progress: &dyn Progress) -> Result<Outcome, Failure> {
    start_threads(common.threads)?;
    let repository = Repository::discover(&common.repo)?;
    let within = paths(flags, &repository, common)?;
    outcome_within(within, &repository, flags, common, progress)
}

/// The same in a repository that is open; only what is `within` these files and folders is judged.
pub(super) fn outcome_within(
    within: Vec<FilePath>,
    repository: &Repository,
    flags: &Check,
    common: &Common,
    progress: &dyn Progress,
) -> Result<Outcome, Failure> {
    let asked = Asked::new(within, repository, flags, common);
    asked.outcome(asked.case()?, progress)
}

/// What a run has to judge.
struct Asked<'a> {
    flags: &'a Check,
    repository: &'a Repository,
    common: &'a Common,
    overrides: Overrides,
    /// The paths to judge; none for all.
    within: Vec<FilePath>,
    /// The base that a flag or a variable of ours names.
    base: Option<String>,
}

/// The parts of the range that come from settings, unless a flag or variable sets them.
#[derive(Debug, Clone)]
struct Side {
    /// Whose settings judge.
    trust: Trust,
    /// The base; empty for the default branch.
    base: String,
    /// The paths to judge; none for all.
    within: Vec<FilePath>,
}

/// A change, and what judges it.
struct Case {
    side: Side,
    range: Range,
    /// The notices about the range.
    notices: Vec<Notice>,
    judge: Judge,
}

impl<'a> Asked<'a> {
    fn new(within: Vec<FilePath>, repository: &'a Repository, flags: &'a Check, common: &'a Common) -> Self {
        let overrides = Overrides::new(common, &flags.settings());
        // Pipelines set the variable to nothing if they know no base; an empty flag is a mistake.
        let base = flags.base.clone().or_else(|| overrides.value("base").map(str::to_owned));
        Self { flags, repository, common, overrides, within, base }
    }

    /// Finds out what is judged, and by whose settings.
    ///
    /// Settings may name the base and whom to trust. But a change must not choose its own judge: where the base is
    /// trusted, only the settings of the base have a say in either.
    fn case(&self) -> Result<Case, Failure> {
        let said = self.overrides.over(RawConfig::default())?.trust;
        let settled = |settings: &SettingsInUse| if said == Trust::Auto { settings.written.raw.trust } else { said };
        let is_base_trusted = said == Trust::Base || said == Trust::Auto && environment::is_machine();
        if !is_base_trusted {
            let head = SettingsInUse::of_head(self.repository, self.common)?;
            if settled(&head) != Trust::Base {
                return self.judged_by(head);
            }
        }
        let mut side = Side { trust: Trust::Base, base: String::new(), within: self.within.clone() };
        let mut ranges = self.range(&side)?;
        let mut settings = SettingsInUse::of_base(self.repository, &ranges.0, self.common)?;
        if settled(&settings) == Trust::Head {
            return self.judged_by(SettingsInUse::of_head(self.repository, self.common)?);
        }
        if self.base.is_none() && !settings.written.raw.base.is_empty() {
            side.base = settings.written.raw.base;
            ranges = self.range(&side)?;
            settings = SettingsInUse::of_base(self.repository, &ranges.0, self.common)?;
        }
        self.with(side, ranges, settings)
    }

    /// The change as the settings of the head judge it.
    fn judged_by(&self, head: SettingsInUse) -> Result<Case, Failure> {
        let base = head.written.raw.base.clone();
        let side = Side { trust: Trust::Head, base, within: self.within.clone() };
        let ranges = self.range(&side)?;
        self.with(side, ranges, head)
    }

    fn with(
        &self,
        mut side: Side,
        (mut range, notices): (Range, Vec<Notice>),
        settings: SettingsInUse,
    ) -> Result<Case, Failure> {
        // A change must not choose what its projects are called either.
        side.within.extend(settings::projects(&self.flags.project, &settings.written)?);
        range.within = side.within.clone();
        let Check { suppressing, corpora, .. } = self.flags;
        let judge = Judge::new(self.repository, &range, settings, &self.overrides, (suppressing, &corpora.named))?;
        Ok(Case { side, range, notices, judge })
    }

    /// The outcome of the audit.
    fn outcome(&self, case: Case, progress: &dyn Progress) -> Result<Outcome, Failure> {
        let Case { side, range, notices, judge } = case;
        let &Self { flags, repository, common, .. } = self;
        let remembered = cache::open(common, repository, &judge.config, &judge.languages);
        let outsides = {
            let nothing = Snapshot::default();
            let base =
                if judge.trust == Trust::Base { range.tip() } else { range.base.as_ref().map(|(_, files)| files) };
            let (base, head) = (base.unwrap_or(&nothing), &range.head.1);
            let change = Change { repository, base, head, trust: judge.trust };
            let languages = (&judge.languages, Some(&change));
            outsides(&flags.corpora.named, &judge.config, languages, repository.root(), common)?
        };
        let mut outcome = {
            let context = Context { config: &judge.config, languages: &judge.languages, progress };
            let judged = |range: Range, past: Option<&Past>| {
                let elsewhere = Elsewhere { outsides: &outsides, past };
                check(repository, range, &elsewhere, &remembered, context).map_err(Failure::from)
            };
            let mut outcome = match past_of(flags, &judge.config, repository, &range)? {
                None => judged(range, None)?,
                Some(span) => {
                    let change = range.base.as_ref().and_then(|(base, _)| base.commit).zip(range.head.0.commit);
                    let mut range = Some(range);
                    with_past((repository, &span), change, context, common, |past| {
                        let again = || self.range(&side).map(|(range, _)| range);
                        let mut outcome = judged(range.take().map_or_else(again, Ok)?, past)?;
                        if past.is_none() {
                            outcome.examined.unavailable = Some(PAST_NOT_READ.to_owned());
                        }
                        Ok(outcome)
                    })?
                }
            };
            if common.brief {
                let (_, files) = self.range(&side)?.0.head;
                let context = Context { config: &judge.config, languages: &judge.languages, progress };
                callers(&mut outcome, &files.entries, &|| repository.reader(), context)?;
            }
            if judge.config.blame {
                blame(repository, &mut outcome, progress)?;
            }
            outcome
        };
        cache::save(remembered, common);
        report_traffic(&outsides, common);
        if let Some(missing) = &outcome.examined.unavailable {
            warn(&format!("not searched: {missing}"));
        }
        outcome.notices.extend(notices);
        outcome.notices.extend(passed_over(repository).map(|message| Notice::new(None, None, &message)));
        judge.suppress(&mut outcome);
        Ok(outcome)
    }

    /// The two states to compare, and the notices about files that no commit has and about a base that was guessed.
    fn range(&self, side: &Side) -> Result<(Range, Vec<Notice>), Failure> {
        let (Self { flags, repository, common, .. }, within) = (self, &side.within);
        let reader = &repository.reader();
        let named = self.base.as_ref();
        let event = match (named, &flags.head) {
            (None, None) if flags.is_of_work_tree() => None,
            // A hook may be run over a range too: with `--from-ref`, and before a push.
            (None, None) if flags.staged => environment::hook_range(),
            (None, None) => environment::range()?,
            _ => None,
        };
        if flags.is_of_work_tree() || (flags.staged && event.is_none()) {
            return Ok((self.uncommitted(side, reader)?, Vec::new()));
        }
        // Without any such flag, people mean what they have just written.
        let is_open = flags.head.is_none() && event.is_none() && !environment::is_machine();
        let files = || if is_open { Uncommitted::read(repository, within, common) } else { None };
        let judged = |files: Uncommitted| Ok((self.uncommitted(side, reader)?, vec![files.judged()]));
        let head_name =
            flags.head.clone().or_else(|| event.as_ref()?.head.clone()).unwrap_or_else(|| "HEAD".to_owned());
        if head_name == "HEAD" && reader.head()?.is_none() {
            return match files() {
                Some(files) => judged(files),
                None => Err(Failure::NoBase { why: "there is no commit yet; `--staged` checks the first one" }),
            };
        }
        let files = files();
        let head = reader.commit(&head_name)?;
        if let Some(files) = files
            && !has_commits_of_its_own(named, side, head, reader)?
        {
            return judged(files);
        }
        let base = match (named, event) {
            (Some(name), _) => Some(Base::new(reader, name, head)?),
            (None, Some(event)) => base_of_event(reader, event, side, head)?,
            (None, None) => default_base(reader, head, side, None, is_strict(side))?,
        };
        let unsure = base.as_ref().filter(|base| base.name == BEFORE_UNSURE).map(|_| Notice::new(None, None, UNSURE));
        let (base, tip) = base.map(|base| base.read(reader)).transpose()?.unzip();
        let head = commit_end(reader, head_name, head)?;
        let has_attributes_of_base = side.trust == Trust::Base;
        let range = Range { base, head, tip: tip.flatten(), within: within.clone(), has_attributes_of_base };
        Ok((range, files.map(Uncommitted::not_judged).into_iter().chain(unsure).collect()))
    }

    /// The index or the work tree, against `HEAD` or the merge base with `--base`. In a merge in progress,
    /// code from the other side is not new.
    fn uncommitted(&self, side: &Side, reader: &Reader) -> Result<Range, Failure> {
        let Self { flags, base: named, .. } = self;
        let last = reader.head()?;
        let base = match (named, last) {
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
        if let (Some((_, files)), None) = (&mut base, named) {
            let merged: Vec<CommitId> = reader.merge_heads()?;
            if !merged.is_empty() {
                tip = Some(files.clone());
            }
            let merged = merged.into_iter().map(|side| reader.commit_snapshot(side));
            files.take_over(&snapshot, &merged.collect::<Result<Vec<_>, _>>()?);
        }
        let head = (End { name: name.to_owned(), commit: None }, snapshot);
        let has_attributes_of_base = side.trust == Trust::Base;
        Ok(Range { base, head, tip, within: side.within.clone(), has_attributes_of_base })
    }
}

/// The past that is searched, when the flags ask for it: all that the base reaches, if they do not say otherwise.
fn past_of(flags: &Check, config: &Config, repository: &Repository, range: &Range) -> Result<Option<Span>, Failure> {
    let base = range.base.as_ref().and_then(|(base, _)| base.commit);
    Ok(flags.past.span(config.history, base, &repository.reader())?)
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

/// Whether `head` has commits that the base does not have: the one `named`, or the default branch.
fn has_commits_of_its_own(
    named: Option<&String>,
    side: &Side,
    head: CommitId,
    reader: &Reader,
) -> Result<bool, Failure> {
    let base = match named {
        Some(name) => Some(reader.commit(name)?),
        None => match side.tip(reader)? {
            Some((_, tip)) => Some(tip),
            None => default_branch(reader, false)?.map(|(_, tip)| tip),
        },
    };
    Ok(base.map(|base| reader.merge_base(base, head)).transpose()?.is_some_and(|start| start != head))
}

/// The name of the base on the default branch.
const BEFORE: &str = "the commit before";
/// Its name where it is not known whether that is the branch.
const BEFORE_UNSURE: &str = "the commit before, since the default branch is not known";
/// What is said then.
const UNSURE: &str = "the default branch is not known here: the last commit was compared with the one before";

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
        let tip = reader.unambiguous_commit(name)?;
        Ok(Self { name: name.to_owned(), tip, start: reader.merge_base(tip, head)? })
    }

    /// The one that the environment names.
    fn of_event(reader: &Reader, named: &Named, head: CommitId) -> Result<Self, Failure> {
        let (name, tip) = named.in_clone(reader)?;
        Ok(Self { name: name.to_owned(), tip, start: reader.merge_base(tip, head)? })
    }

    /// Its files where the change starts from, and at the tip if that is another commit.
    fn read(self, reader: &Reader) -> Result<((End, Snapshot), Option<Snapshot>), Failure> {
        let tip = (self.tip != self.start).then(|| reader.commit_snapshot(self.tip)).transpose()?;
        Ok((commit_end(reader, self.name, self.start)?, tip))
    }
}

/// What the environment says that the change starts from.
fn base_of_event(reader: &Reader, event: EventRange, side: &Side, head: CommitId) -> Result<Option<Base>, Failure> {
    // A pull request that is checked out merged with its target: what the target has is not its doing, whatever the
    // target was at the time of the event.
    if let Some(proposed) = event.proposed.as_ref().and_then(|id| reader.commit(id).ok())
        && reader.commit(&format!("{head}^2")).is_ok_and(|second| second == proposed)
        && let Some(target) = reader.first_parent(head)?
    {
        return Ok(Some(Base { name: "the target".to_owned(), tip: target, start: target }));
    }
    match event.base {
        Some(base) => match Base::of_event(reader, &base, head) {
            Err(Failure::Audit(audit::Error::Git(git::Error::UnknownRevision { revision, is_shallow }))) => {
                Err(Failure::NamedBase { revision, by: base.by, is_shallow })
            }
            found => Ok(Some(found?)),
        },
        // A hook is run by a person; all else that knows of events is a pipeline.
        None => {
            default_base(reader, head, side, event.default_branch.as_deref(), event.head.is_none() || is_strict(side))
        }
    }
}

impl Side {
    /// The base that the settings name, if they do, and its commit.
    fn tip(&self, reader: &Reader) -> Result<Option<(String, CommitId)>, Failure> {
        if self.base.is_empty() {
            return Ok(None);
        }
        match reader.unambiguous_commit(&self.base) {
            Ok(tip) => Ok(Some((self.base.clone(), tip))),
            Err(git::Error::UnknownRevision { revision, is_shallow }) => {
                Err(Failure::NamedBase { revision, by: "the option `base`", is_shallow })
            }
            Err(why) => Err(why.into()),
        }
    }
}

/// Where no flag or variable names the base: the merge base with the one of the settings, or with the default branch,
/// which the environment may know; on that branch itself the commit before, and nothing before the first commit.
///
/// # Errors
/// If no default branch is known and `is_strict`: the commit before may be the author's, and what it lets pass is
/// nobody else's word.
fn default_base(
    reader: &Reader,
    head: CommitId,
    side: &Side,
    branch: Option<&str>,
    is_strict: bool,
) -> Result<Option<Base>, Failure> {
    let named = match side.tip(reader)? {
        None => branch.map(|branch| branch_of_system(reader, branch, head)).transpose()?,
        named => named,
    };
    let found = match named {
        None => default_branch(reader, is_strict)?,
        named => named,
    };
    let name = match found {
        Some((name, tip)) => {
            let start = reader.merge_base(tip, head)?;
            if start != head {
                return Ok(Some(Base { name, tip, start }));
            }
            BEFORE
        }
        None if is_strict => return Err(Failure::NoDefaultBranch),
        None => BEFORE_UNSURE,
    };
    let before = |parent| Base { name: name.to_owned(), tip: parent, start: parent };
    Ok(reader.first_parent(head)?.map(before))
}

/// The default branch that the environment names. Where what is checked out is that branch, the clone need not have
/// another one of the name.
fn branch_of_system(reader: &Reader, branch: &str, head: CommitId) -> Result<(String, CommitId), Failure> {
    let name = environment::remote_branch(branch);
    if let Some(tip) = reader.branch(&name)? {
        return Ok((name, tip));
    }
    if reader.checked_out().is_some_and(|checked_out| name == environment::remote_branch(&checked_out)) {
        return Ok((name, head));
    }
    Err(Failure::NamedBase { revision: name, by: "the environment", is_shallow: reader.is_shallow() })
}

/// The default branch, as far as the clone knows it. Where `is_strict`, a guess is none, and so is a branch that only
/// the remote has.
fn default_branch(reader: &Reader, is_strict: bool) -> Result<Option<(String, CommitId)>, Failure> {
    for branch in reader.default_branches() {
        match branch? {
            DefaultBranch { is_sure: false, .. } if is_strict => {}
            DefaultBranch { name, tip: Some(tip), .. } => return Ok(Some((name, tip))),
            DefaultBranch { name, tip: None, .. } if is_strict => {
                return Err(Failure::NamedBase { revision: name, by: "origin/HEAD", is_shallow: reader.is_shallow() });
            }
            DefaultBranch { tip: None, .. } => {}
        }
    }
    Ok(None)
}

/// Whether a base must not be guessed: a machine asks, or the base judges.
fn is_strict(side: &Side) -> bool {
    environment::is_machine() || side.trust == Trust::Base
}

fn commit_end(reader: &Reader, name: String, commit: CommitId) -> Result<(End, Snapshot), Failure> {
    let snapshot = reader.commit_snapshot(commit)?;
    Ok((End { name, commit: Some(commit) }, snapshot))
}
