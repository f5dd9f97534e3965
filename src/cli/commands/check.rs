//! Runs `secondhand check`.

use std::panic::resume_unwind;
use std::thread;

use super::cache::{self, with_past};
use super::corpus::{outsides, report_traffic};
use crate::audit::{Context, Elsewhere, Outcome, Progress, blame, callers, check, finish};
use crate::change::{Case, ChangeEnd, CheckRequest, FilePlace, PastScope, paths_in};
use crate::cli::args::Check;
use crate::cli::flags::Common;
use crate::cli::io::{Bar, Failure, Reports, all_here, limited, selection, warn};
use crate::cli::settings::{self, place, warn_of_missing_baseline};
use crate::cli::{CLEAN, FOUND, not_fetched, passed_over, today};
use crate::config::{Overrides, Setting};
use crate::git::Repository;
use crate::policy::Notice;
use crate::report::FORMATS;

pub(in crate::cli) fn run(flags: &Check, common: &Common) -> Result<u8, Failure> {
    let reports = Reports::new(FORMATS, &flags.output.reporting, common)?;
    // A hook does not wait for a remote.
    let repository =
        if flags.staged { Repository::discover(&common.repo) } else { common.repository() }?;
    let request = request(flags, &repository, common)?;
    let case = case(&request, &repository)?;
    let config = case.policy.config.clone();
    let reports = reports.with(&config)?;
    if common.verbose {
        settings::warn_of_idle(&config, &case.policy.languages, &case.range.head.1.entries);
    }
    let edits = case.policy.edits_in_use().to_vec();
    reports.warn_of_suppressed(flags.suppressing.show_suppressed);
    let mut outcome = outcome_of(case, &request, &repository, common, &Bar::of(common))?;
    selection::keep(&mut outcome, &flags.output.only)?;
    if !reports.any(|format| format.has_notices(common.quiet)) {
        edits.iter().for_each(|edit| warn(&edit.to_string()));
    }
    let (fails, n_missing) = (outcome.fails(config.fail_on), outcome.n_missing());
    reports.write(&limited(outcome), common)?;
    if flags.missing.fail_on_missing {
        all_here(n_missing)?;
    }
    Ok(if fails { FOUND } else { CLEAN })
}

pub(in crate::cli) fn outcome(
    flags: &Check,
    common: &Common,
    progress: &dyn Progress,
) -> Result<Outcome, Failure> {
    let repository = Repository::discover(&common.repo)?;
    requested(&request(flags, &repository, common)?, &repository, common, progress)
}

pub(in crate::cli) fn requested(
    request: &CheckRequest,
    repository: &Repository,
    common: &Common,
    progress: &dyn Progress,
) -> Result<Outcome, Failure> {
    outcome_of(case(request, repository)?, request, repository, common, progress)
}

/// A request for the change from `base` to `end` and no more than these settings.
pub(in crate::cli) fn plain_request(
    end: ChangeEnd,
    base: Option<String>,
    mut settings: Vec<Setting>,
    common: &Common,
) -> CheckRequest {
    settings.extend(base.iter().map(|base| ("base", base.clone())));
    CheckRequest {
        base,
        end,
        within: Vec::new(),
        projects: Vec::new(),
        settings: place(common),
        overrides: Overrides::new(&common.set, &settings),
        baseline: FilePlace::Usual,
        corpora: Vec::new(),
        past: PastScope::default(),
        keeps_suppressed: false,
    }
}

fn request(
    flags: &Check,
    repository: &Repository,
    common: &Common,
) -> Result<CheckRequest, Failure> {
    let end = match &flags.head {
        _ if flags.staged => ChangeEnd::Index,
        // What is watched is what people write.
        _ if flags.worktree || flags.watch => ChangeEnd::WorkTree,
        Some(head) => ChangeEnd::Commit(head.clone()),
        None => ChangeEnd::Latest,
    };
    Ok(CheckRequest {
        within: paths_in(repository, &common.repo, &flags.paths)?,
        projects: flags.project.clone(),
        baseline: flags.suppressing.place(),
        corpora: flags.corpora.named.clone(),
        past: flags.past.scope()?,
        keeps_suppressed: flags.suppressing.show_suppressed,
        ..plain_request(end, flags.base.clone(), flags.settings(), common)
    })
}

fn case(request: &CheckRequest, repository: &Repository) -> Result<Case, Failure> {
    let case = request.case(repository)?;
    case.policy.missing_baseline.iter().for_each(|name| warn_of_missing_baseline(name));
    Ok(case)
}

fn outcome_of(
    case: Case,
    request: &CheckRequest,
    repository: &Repository,
    common: &Common,
    progress: &dyn Progress,
) -> Result<Outcome, Failure> {
    let Case { range, policy, .. } = &case;
    let (config, languages) = (&policy.config, &policy.languages);
    let remembered = cache::open(common, repository, config, languages);
    let authority = range.authority(repository);
    let judges = (&**languages, Some(&authority));
    let outsides = outsides(&request.corpora, config, judges, repository.root(), common)?;
    let context = Context { config, languages, progress };
    let base = range.base.as_ref().and_then(|(base, _)| base.commit);
    let span = config.history.then(|| request.past.span(base, &repository.reader()));
    let span = span.transpose()?.flatten();
    let change = base.zip(range.head.0.commit);
    let checked = || {
        with_past((repository, span.as_ref()), change, context, common, |past| {
            let elsewhere = Elsewhere { outsides: &outsides, past };
            check(repository, range, &elsewhere, &remembered, context)
        })
    };
    // In a large tree, a status takes as long as the check.
    let (not_judged, checked) = beside(|| case.not_judged(repository), checked);
    let (mut outcome, not_read) = checked?;
    outcome.examined.unavailable = not_read.or(outcome.examined.unavailable);
    if common.brief {
        callers(&mut outcome, &range.head.1.entries, &|| repository.reader(), context)?;
    }
    if config.blame {
        blame(repository, &mut outcome, progress)?;
    }
    cache::save(remembered, common);
    report_traffic(&outsides, common);
    if let Some(missing) = &outcome.examined.unavailable {
        warn(&format!("not searched: {missing}"));
    }
    let Case { policy, notices, .. } = case;
    outcome.notices.extend(not_judged.into_iter().chain(notices));
    outcome.notices.extend(passed_over(repository).map(|why| Notice::new(None, None, &why)));
    outcome.notices.extend(not_fetched(repository));
    outcome.notices.extend(policy.notices);
    finish(&mut outcome, &policy.acceptance, &policy.config, today());
    Ok(outcome)
}

/// What two functions return, of which the first runs on a thread of its own.
fn beside<A: Send, B>(other: impl FnOnce() -> A + Send, own: impl FnOnce() -> B) -> (A, B) {
    thread::scope(|scope| {
        let other = scope.spawn(other);
        let own = own();
        (other.join().unwrap_or_else(|panic| resume_unwind(panic)), own)
    })
}
