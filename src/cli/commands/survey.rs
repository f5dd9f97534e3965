//! Surveys a repository before `secondhand init` sets it up: its languages, third-party code, and
//! what runs its checks.

use std::collections::{BTreeMap, BTreeSet};

use crate::cli::io::Failure;
use crate::config::{Config, RawConfig};
use crate::git::Repository;
use crate::language::Languages;

/// Maximum languages that are named.
const MAX_LANGUAGES: usize = 8;
/// Maximum folders of others' code that are listed one by one. A tree that vendors hundreds is
/// better served by the folder above them, which is known by its name.
const MAX_COMPONENTS: usize = 100;
/// How the names of files begin that say under which license a folder is.
const LICENSES: [&[u8]; 4] = [b"LICENSE", b"LICENCE", b"COPYING", b"UNLICENSE"];

/// What is in a repository.
#[derive(Debug, Default)]
pub(super) struct Survey {
    /// Programming languages by their number of files, most first.
    pub languages: Vec<(String, usize)>,
    /// Folders that hold code of others and say their license.
    pub components: Vec<String>,
    /// Systems whose settings are here, besides GitHub's.
    pub systems: Vec<&'static System>,
}

/// A system that runs pipelines.
#[derive(Debug)]
pub(super) struct System {
    pub name: &'static str,
    /// Its settings, a file or a folder.
    pub settings: &'static str,
}

const SYSTEMS: &[System] = &[
    System { name: "GitLab", settings: ".gitlab-ci.yml" },
    System { name: "Azure Pipelines", settings: "azure-pipelines.yml" },
    System { name: "Bitbucket", settings: "bitbucket-pipelines.yml" },
    System { name: "Jenkins", settings: "Jenkinsfile" },
    System { name: "Buildkite", settings: ".buildkite" },
    System { name: "CircleCI", settings: ".circleci" },
    System { name: "Woodpecker", settings: ".woodpecker" },
    System { name: "Woodpecker", settings: ".woodpecker.yml" },
    System { name: "Woodpecker", settings: ".woodpecker.yaml" },
    System { name: "Drone", settings: ".drone.yml" },
    System { name: "Travis", settings: ".travis.yml" },
    System { name: "TeamCity", settings: ".teamcity" },
];

impl Survey {
    /// Looks at the files that git tracks, and at the names at the root.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn of(repository: &Repository) -> Result<Self, Failure> {
        let root = repository.root();
        let languages = Languages::builtin();
        let config = Config::new(RawConfig::default(), "the defaults")?;
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let mut components = BTreeSet::new();
        for entry in repository.reader().index_snapshot()?.entries {
            match config.foreign_at(&entry.path) {
                Some(foreign) if !foreign.is_installed => {
                    components.extend(component(entry.path.as_bytes(), foreign.folder.len()));
                }
                Some(_) => {}
                None => {
                    let language = languages.promised(&entry.path).filter(|of| !of.is_data);
                    if let Some(language) = language {
                        *counts.entry(&language.name).or_default() += 1;
                    }
                }
            }
        }
        let mut languages: Vec<_> =
            counts.into_iter().map(|(name, n)| (name.to_owned(), n)).collect();
        languages.sort_unstable_by(|(a, n_a), (b, n_b)| n_b.cmp(n_a).then_with(|| a.cmp(b)));
        languages.truncate(MAX_LANGUAGES);
        let systems = SYSTEMS.iter().filter(|system| root.join(system.settings).exists()).collect();
        Ok(Self { languages, components: outermost(components), systems })
    }
}

/// The folder that a license file is in, where that lies below the first `n_above` bytes of the
/// path.
fn component(path: &[u8], n_above: usize) -> Option<String> {
    let end = memchr::memrchr(b'/', path)?;
    let name = path[end + 1..].to_ascii_uppercase();
    let is_license = LICENSES.iter().any(|license| name.starts_with(license));
    let folder = std::str::from_utf8(&path[..end])
        .ok()
        .filter(|folder| !folder.contains(char::is_control))?;
    (is_license && end > n_above).then(|| folder.to_owned())
}

/// Those folders that lie in none of the others; none if there are too many to list.
fn outermost(folders: BTreeSet<String>) -> Vec<String> {
    let mut outer: Vec<String> = Vec::new();
    for folder in folders {
        // They are in order, but for names with characters before the slash: `a`, `a-b`, `a/c`.
        let mut below = outer.iter().filter_map(|outer| folder.strip_prefix(outer.as_str()));
        if !below.any(|rest| rest.starts_with('/')) {
            outer.push(folder);
        }
    }
    if outer.len() > MAX_COMPONENTS { Vec::new() } else { outer }
}
