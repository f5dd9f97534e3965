//! Finds out what a request is about: a change, and whose settings judge it.

use super::check_policy::CheckPolicy;
use super::environment;
use super::range::{Range, RangeSearch, Side};
use super::uncommitted::UncommittedFiles;
use super::work_tree::projects;
use super::{CheckRequest, Error};
use crate::config::{RawConfig, SettingsFile, Trust};
use crate::git::Repository;
use crate::policy::Notice;

/// A change, and what judges it.
#[derive(Debug)]
pub struct Case {
    /// The change, and whom to believe.
    pub range: Range,
    /// What judges it.
    pub policy: CheckPolicy,
    /// The notices about the range.
    pub notices: Vec<Notice>,
}

impl Case {
    /// A notice of the files that are not judged since no commit has them, where no end was named.
    ///
    /// Cost: that of `git status`.
    pub fn not_judged(&self, repository: &Repository) -> Option<Notice> {
        let Self { range, policy: CheckPolicy { config, languages, .. }, .. } = self;
        let reader = range.is_open.then(|| repository.reader())?;
        let files =
            UncommittedFiles::read(&reader, &range.head.1, (config, languages), &range.within)?;
        Some(files.not_judged())
    }
}

impl CheckRequest {
    /// Finds out what is judged, and by whose settings.
    ///
    /// Settings may name the base and whom to trust. But a change must not choose its own judge:
    /// where the base is trusted, only the settings of the base have a say in either.
    pub fn case(&self, repository: &Repository) -> Result<Case, Error> {
        let said = self.overrides.over(RawConfig::default())?.trust;
        let is_base_trusted =
            said == Trust::Base || said == Trust::Auto && environment::is_machine();
        if !is_base_trusted {
            let head = self.settings.settings(Some(repository))?;
            if said.or(head.raw.trust) != Trust::Base {
                return self.judged_by_head(repository, &head);
            }
        }
        let mut search = RangeSearch {
            request: self,
            repository,
            side: Side::Base,
            base_of_settings: "",
            of_work_tree: None,
        };
        let (mut range, mut notices) = search.range()?;
        let (mut settings, mut missing) = range.authority(repository).settings(&self.settings)?;
        if said.or(settings.raw.trust) == Trust::Head {
            return self.judged_by_head(repository, &self.settings.settings(Some(repository))?);
        }
        let base = settings.raw.base.clone();
        if self.base().is_none() && !base.is_empty() {
            search.base_of_settings = &base;
            (range, notices) = search.range()?;
            (settings, missing) = range.authority(repository).settings(&self.settings)?;
        }
        let mut case = self.judged_by(repository, (range, notices), &settings)?;
        case.policy.notices.extend(missing);
        Ok(case)
    }

    fn judged_by_head(
        &self,
        repository: &Repository,
        settings: &SettingsFile,
    ) -> Result<Case, Error> {
        let base_of_settings = &settings.raw.base;
        let search = RangeSearch {
            request: self,
            repository,
            side: Side::Head,
            base_of_settings,
            of_work_tree: Some(settings),
        };
        self.judged_by(repository, search.range()?, settings)
    }

    fn judged_by(
        &self,
        repository: &Repository,
        (mut range, notices): (Range, Vec<Notice>),
        settings: &SettingsFile,
    ) -> Result<Case, Error> {
        // A change must not choose what its projects are called either.
        range.within.extend(projects(&self.projects, settings)?);
        let policy = CheckPolicy::new(self, repository, &range, settings)?;
        Ok(Case { range, policy, notices })
    }
}
