//! Surveys a repository for `secondhand init`: its languages, third-party code, and pipelines.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use crate::cli::io::Failure;
use crate::config::{Config, RawConfig};
use crate::files;
use crate::git::Repository;
use crate::language::Languages;
use crate::text::MAX_WRITTEN;

/// Maximum folders of others' code that are listed one by one. A tree that vendors hundreds is
/// better served by the folder above them, which is known by its name.
const MAX_COMPONENTS: usize = 100;
/// How the names of files begin that say under which license a folder is.
const LICENSES: [&[u8]; 4] = [b"LICENSE", b"LICENCE", b"COPYING", b"UNLICENSE"];

pub(super) struct Survey {
    /// The programming languages with most files, and their number, most first.
    pub languages: Vec<(String, usize)>,
    /// Folders that hold code of others and say their license.
    pub components: Vec<String>,
    /// Systems whose settings are here, besides GitHub's: names and settings.
    pub systems: Vec<(&'static str, &'static str)>,
}

/// The systems that run pipelines, and their settings: files or folders.
const SYSTEMS: &[(&str, &str)] = &[
    ("GitLab", ".gitlab-ci.yml"),
    ("Azure Pipelines", "azure-pipelines.yml"),
    ("Bitbucket", "bitbucket-pipelines.yml"),
    ("Jenkins", "Jenkinsfile"),
    ("Buildkite", ".buildkite"),
    ("CircleCI", ".circleci"),
    ("Woodpecker", ".woodpecker"),
    ("Woodpecker", ".woodpecker.yml"),
    ("Woodpecker", ".woodpecker.yaml"),
    ("Drone", ".drone.yml"),
    ("Travis", ".travis.yml"),
    ("TeamCity", ".teamcity"),
];

impl Survey {
    pub fn of(repository: &Repository) -> Result<Self, Failure> {
        let root = repository.root();
        let languages = Languages::builtin();
        let config = Config::new(RawConfig::default(), "the defaults")?;
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let mut components = BTreeSet::new();
        for entry in repository.reader().index_snapshot()?.entries {
            if let Some(foreign) = config.foreign_at(&entry.path) {
                let component = component(entry.path.as_bytes(), foreign.folder.len());
                components.extend(component.filter(|_| !foreign.is_installed));
            } else if let Some(language) = languages.promised(&entry.path).filter(|of| !of.is_data)
            {
                *counts.entry(&language.name).or_default() += 1;
            }
        }
        let mut languages: Vec<_> =
            counts.into_iter().map(|(name, n)| (name.to_owned(), n)).collect();
        languages.sort_unstable_by(|(a, n_a), (b, n_b)| n_b.cmp(n_a).then_with(|| a.cmp(b)));
        languages.truncate(8);
        let systems = SYSTEMS.iter().copied().filter(|(_, settings)| root.join(settings).exists());
        Ok(Self { languages, components: outermost(components), systems: systems.collect() })
    }
}

/// The text of a file that lists hooks or workflows, or has settings.
pub(super) fn text_of(file: &Path) -> io::Result<String> {
    files::read_text(file, MAX_WRITTEN)
}

/// The folder of a license file, if that lies below the first `n_above` bytes of the path.
fn component(path: &[u8], n_above: usize) -> Option<String> {
    let end = memchr::memrchr(b'/', path)?;
    let name = path[end + 1..].to_ascii_uppercase();
    let is_license = LICENSES.iter().any(|license| name.starts_with(license));
    let folder = std::str::from_utf8(&path[..end]).ok()?;
    (is_license && end > n_above && !folder.contains(char::is_control)).then(|| folder.to_owned())
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
