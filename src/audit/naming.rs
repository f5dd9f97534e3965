//! Gives the files and components of an audit the versions of the folders that they are in.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::outcome::{AuditSummary, ComponentCopy, FolderVersion};
use crate::policy::{Attribution, Component, Finding};
use crate::text::FilePath;

/// What folders say of their files.
struct FolderFiles<'v> {
    /// The versions that have a file, edited or not, and where.
    by_path: HashMap<&'v FilePath, Vec<(&'v FolderVersion, Option<&'v FilePath>)>>,
    /// The corpora and names of the components.
    components: BTreeSet<(&'v str, &'v str)>,
}

impl<'v> FolderFiles<'v> {
    fn new(versions: &'v [FolderVersion]) -> Self {
        let mut by_path: HashMap<_, Vec<_>> = HashMap::new();
        let mut components = BTreeSet::new();
        for version in versions {
            let edited = version.edited.iter().map(|of| (&of.path, &of.origin));
            let places: BTreeMap<_, _> = version.places.iter().chain(edited).collect();
            for path in version.own() {
                by_path.entry(path).or_default().push((version, places.get(path).copied()));
            }
            components.insert((&*version.component.corpus, &*version.component.name));
        }
        Self { by_path, components }
    }

    /// The folder of a component that has a file, and where its version has that.
    fn folder(
        &self,
        path: &FilePath,
        of: &Component,
    ) -> Option<(&'v FolderVersion, Option<&'v FilePath>)> {
        let folders = self.by_path.get(path).into_iter().flatten();
        let of_it = folders.filter(|(version, _)| version.is_of(of)).copied();
        of_it.max_by_key(|(version, _)| version.is_exact())
    }

    /// A component as it is in a folder: where there are folders of it, it has the version of this
    /// one, or none.
    fn named(&self, of: &Arc<Component>, folder: Option<&FolderVersion>) -> Arc<Component> {
        let name = (&*of.corpus, &*of.name);
        match folder.filter(|folder| folder.is_exact()) {
            Some(folder) => {
                let (version, purl) = (folder.version(), folder.purl());
                Arc::new(Component { version, purl, ..(**of).clone() })
            }
            None if self.components.contains(&name) => Arc::new(of.unversioned()),
            None => Arc::clone(of),
        }
    }
}

impl AuditSummary {
    /// Names the versions of folders, also in the components that were copied: a file that a folder
    /// has of its version is of that; what else there is of the component has no version, and is a
    /// component of its own. A file is named where its version has it.
    pub(super) fn name_versions(&mut self, versions: Vec<FolderVersion>) {
        let folders = FolderFiles::new(&versions);
        let mut parts: BTreeMap<(usize, Option<String>), ComponentCopy> = BTreeMap::new();
        let mut keys = Vec::new();
        for file in &mut self.files {
            let mut of_file = BTreeSet::new();
            for of in &mut file.origins {
                let whole = &self.components[of.component];
                let (folder, place) = folders.folder(&file.path, &whole.component).unzip();
                let component = folders.named(&whole.component, folder);
                let key = (of.component, component.version.clone());
                if let Some(place) = place.flatten() {
                    of.path.clone_from(place);
                }
                // Of several packages with this file it is from the one that its folder is.
                if whole.component.committed().is_none() && component.version.is_some() {
                    of.version.clone_from(&component.version);
                }
                let part = parts.entry(key.clone()).or_insert_with(|| ComponentCopy {
                    component,
                    n_files: 0,
                    n_tokens: 0,
                    ..whole.clone()
                });
                part.n_tokens += of.n_tokens;
                part.n_files += usize::from(of_file.insert(key.clone()));
                keys.push(key);
            }
        }
        let mut parts: Vec<_> = parts.into_iter().collect();
        parts.sort_by(|(_, a), (_, b)| a.by_size(b));
        let numbers: BTreeMap<_, _> = parts.iter().map(|(key, _)| key).zip(0..).collect();
        let origins = self.files.iter_mut().flat_map(|file| &mut file.origins);
        origins.zip(&keys).for_each(|(of, key)| of.component = numbers[key]);
        self.components = parts.into_iter().map(|(_, part)| part).collect();
        self.versions = versions;
    }

    /// Adds to each verdict what is owed for the files of the component. An idiom owes nothing.
    pub(super) fn settle_attribution(&mut self, findings: &[Finding]) {
        let mut paths: Vec<BTreeSet<&FilePath>> = vec![BTreeSet::new(); self.components.len()];
        for file in &self.files {
            for of in &file.origins {
                paths[of.component].insert(&file.path);
            }
        }
        for (taken, paths) in self.components.iter_mut().zip(&paths) {
            let of_it = findings.iter().filter(|of| !of.is_idiom && paths.contains(&of.path));
            if let Some(attribution) = owed(taken, of_it) {
                taken.verdict.attribution = attribution.clone();
            }
        }
    }
}

/// What is owed for a component in any of its findings, if some have the same answer.
fn owed<'f>(
    ComponentCopy { component, verdict, .. }: &ComponentCopy,
    findings: impl Iterator<Item = &'f Finding>,
) -> Option<&'f Attribution> {
    let origins = findings.flat_map(|finding| &finding.origins);
    let of_it = origins.filter(|of| of.place.component().is_some_and(|of| of.is_same(component)));
    let verdicts = of_it.filter_map(|origin| origin.verdict.as_ref());
    let verdicts = verdicts.filter(|of| of.answer == verdict.answer);
    let given = Vec::from_iter(verdicts.map(|of| &of.attribution));
    given.iter().find(|of| matches!(of, Attribution::Owed(_))).or(given.first()).copied()
}
