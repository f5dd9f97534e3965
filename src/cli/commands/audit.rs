//! Runs `secondhand audit`.

use super::corpus::{outsides, report_traffic};
use super::scan;
use crate::audit::{Context, Outcome, Outside, Whole, audit, brought, finish};
use crate::change::{Acceptance, decisions_of, project_files};
use crate::cli::args::Audit;
use crate::cli::flags::{Common, CorpusFlags, SuppressionFlags, TreeFlags};
use crate::cli::io::{Bar, Failure, Reports, all_here, limited, selection, warn};
use crate::cli::{CLEAN, FOUND, not_fetched, now, passed_over, settings, today, warn_of_nothing};
use crate::config::Config;
use crate::fingerprint::Effort;
use crate::git::Repository;
use crate::language::Languages;
use crate::policy::Notice;
use crate::report::{Format, audit_formats};

pub(in crate::cli) fn run(flags: &Audit, common: &Common) -> Result<u8, Failure> {
    let reports = Reports::new(audit_formats(), &flags.output.reporting, common)?;
    let Audit { tree, history, corpora, effort, min_tokens, suppressing, missing, output } = flags;
    let repository = common.repository()?;
    let settings = [output.settings(), min_tokens.settings("min-tokens")].concat();
    let mut config = settings::read(common, Some(&repository), &settings)?;
    config.effort = effort.effort;
    let reports = reports.with(&config)?;
    let languages = config.languages();
    let tells_fixes = reports.any(Format::tells_held_fixes);
    let scope = Scope { tree, corpora, suppressing, has_history: *history, tells_fixes };
    let (mut outcome, _) = audited(&scope, &repository, (&config, &languages), common)?;
    if !suppressing.show_suppressed {
        outcome.suppressed.clear();
    }
    reports.warn_of_suppressed(suppressing.show_suppressed);
    selection::keep(&mut outcome, &output.only)?;
    outcome.notices.extend(less_effort(config.effort));
    warn_of_nothing(&outcome);
    let (fails, n_missing) = (outcome.fails(config.fail_on), outcome.n_missing());
    reports.write(&limited(outcome), common)?;
    if missing.fail_on_missing {
        all_here(n_missing)?;
    }
    Ok(if fails { FOUND } else { CLEAN })
}

fn less_effort(effort: Effort) -> Option<Notice> {
    let message = format!(
        "searched with `--effort {effort}`: copies may be missing that a full search finds"
    );
    (effort != Effort::Full).then(|| Notice::new(None, None, &message))
}

pub(super) struct Scope<'f> {
    pub tree: &'f TreeFlags,
    pub corpora: &'f CorpusFlags,
    pub suppressing: &'f SuppressionFlags,
    pub has_history: bool,
    /// Whether a format tells which security fixes copies have.
    pub tells_fixes: bool,
}

/// The outcome of the audit of a tree, before it is written, with all that is suppressed; and
/// whether any corpus knows what commits did.
pub(super) fn audited(
    scope: &Scope<'_>,
    repository: &Repository,
    (config, languages): (&Config, &Languages),
    common: &Common,
) -> Result<(Outcome, bool), Failure> {
    let &Scope { tree, corpora, suppressing, has_history, tells_fixes } = scope;
    let root = repository.root();
    let outsides = outsides(&corpora.named, config, (languages, None), root, common)?;
    let baseline = settings::baseline(suppressing, Some(root), config)?;
    let decisions = decisions_of(root, config)?;
    let reader = repository.reader();
    let (end, snapshot) = scan::tree(repository, tree.rev.as_deref())?;
    // What is built of the code itself is none of others.
    let is_of_others = |path| config.foreign_at(path).is_some_and(|of| !of.is_built);
    let has_others = || snapshot.entries.iter().any(|entry| is_of_others(&entry.path));
    if outsides.is_empty() && config.vendored.is_empty() && !has_others() {
        let help = "set one with `--corpus NAME|DIR` or with `corpora` in the settings; `secondhand corpus add` creates one";
        let message = "cannot compare: no corpus is named, and no folder has third-party code";
        return Err(Failure::user(message, help));
    }
    let mut config = config.clone();
    config.licenses.find_project(project_files(&snapshot, &reader)?);
    let config = &config;
    let time = end.commit.map_or_else(|| Ok(now()), |commit| reader.time(commit))?;
    let revision = match (end.commit, reader.head()?) {
        (Some(commit), _) => commit.short(),
        (None, Some(head)) => format!("{} on {}", end.name, head.short()),
        (None, None) => end.name.clone(),
    };
    let project = repository.name();
    let bar = Bar::of(common);
    let context = Context { config, languages, progress: &bar };
    let tree = Whole { end, snapshot, project, revision, time, tells_fixes };
    let mut outcome = audit(repository, tree, &outsides, context)?;
    if let Some(audited) = outcome.audited.as_mut().filter(|_| has_history) {
        audited.brought = Some(brought(repository, audited, &outsides, context)?);
    }
    drop(bar);
    let acceptance =
        Acceptance { baseline, decisions, trusts_change: true, keeps_suppressed: true };
    finish(&mut outcome, &acceptance, config, today());
    report_traffic(&outsides, common);
    passed_over(repository).into_iter().for_each(|message| warn(&message));
    outcome.notices.extend(not_fetched(repository));
    Ok((outcome, outsides.iter().any(Outside::has_past)))
}
