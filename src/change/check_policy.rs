//! Gathers what judges a change, and lists what the change edits of it.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use super::corpus_edits::CorpusEdits;
use super::paths::{in_tree, settled};
use super::policy_edits::PolicyEdits;
use super::{Authority, CheckRequest, Error, Range, Side};
use crate::config::{Config, SettingsFile};
use crate::git::{Repository, Snapshot};
use crate::language::Languages;
use crate::policy::{Baseline, Decision, Notice};
use crate::text::FilePath;

/// What judges a change.
#[derive(Debug)]
pub struct CheckPolicy {
    /// The settings, with variables and flags.
    pub config: Config,
    /// The languages that files are read as.
    pub languages: Arc<Languages>,
    /// What is allowed.
    pub acceptance: Acceptance,
    /// What the change edits in its judge, and which files that judge its base does not have.
    pub notices: Vec<Notice>,
    /// The baseline that the settings name and that is not there.
    pub missing_baseline: Option<String>,
}

/// What a run allows, besides the exceptions of its settings.
#[derive(Debug, Clone, Default)]
pub struct Acceptance {
    /// The copies that are known.
    pub baseline: Baseline,
    /// The decisions on copies.
    pub decisions: Vec<Decision>,
    /// Whether suppressions that a change adds have an effect.
    pub trusts_change: bool,
    /// Whether to keep what is suppressed.
    pub keeps_suppressed: bool,
}

impl CheckPolicy {
    /// What judges the change `range` with these settings, those of the side that is believed.
    pub(super) fn new(
        request: &CheckRequest,
        repository: &Repository,
        range: &Range,
        settings: &SettingsFile,
    ) -> Result<Self, Error> {
        let authority = range.authority(repository);
        authority.check_corpora(&settings.raw.corpora)?;
        let mut config = request.overrides.complete(settings)?;
        let has_project = config.licenses.project.is_some() || config.licenses.has_no_project;
        // A change must not choose the project license that it is judged by.
        config.licenses.find_project(authority.project()?);
        let (baseline, missing) = authority.baseline(&request.baseline, &config)?;
        let decisions = authority.decisions(&config)?;
        let mut notices = Vec::from_iter(missing);
        if let Some((_, base)) = &range.base {
            notices.extend(edits(request, &authority, base, &config, has_project)?);
        }
        let is_head_trusted = range.side == Side::Head;
        let root = is_head_trusted.then_some(repository.root());
        let missing_baseline = request.baseline.missing_baseline(root, &config).map(str::to_owned);
        Ok(Self {
            languages: config.languages(),
            config,
            acceptance: Acceptance {
                baseline,
                decisions,
                trusts_change: is_head_trusted,
                keeps_suppressed: request.keeps_suppressed,
            },
            notices,
            missing_baseline,
        })
    }

    /// What the change edits in its own judge, where it is judged by that.
    pub fn edits_in_use(&self) -> &[Notice] {
        if self.acceptance.trusts_change { &self.notices } else { &[] }
    }
}

/// What a change edits in what judges it, whoever is believed. `has_project` says whether the
/// settings name the license of the project.
fn edits(
    request: &CheckRequest,
    authority: &Authority<'_>,
    base: &Snapshot,
    config: &Config,
    has_project: bool,
) -> Result<Vec<Notice>, Error> {
    let (reader, root, head) =
        (&authority.repository.reader(), authority.repository.root(), authority.head);
    let settings = request.settings.in_tree(root);
    let baseline = request.baseline.in_tree(root).or_else(|| settled(&config.baseline));
    let decisions = settled(&config.decisions);
    let mut notices =
        PolicyEdits { reader, base, head, settings, baseline, decisions }.notices()?;
    let edits = CorpusEdits::new(reader, base, head);
    let of_settings = config.corpora.iter().map(|name| root.join(name));
    let corpora = request.corpora.iter().map(PathBuf::from).chain(of_settings);
    let corpora: BTreeSet<FilePath> = corpora.filter_map(|folder| in_tree(&folder, root)).collect();
    notices.extend(edits.corpora(&Vec::from_iter(corpora)));
    notices.extend(edits.vendored(&config.vendored));
    if !has_project {
        notices.extend(edits.project()?);
    }
    Ok(notices)
}
