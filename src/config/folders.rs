//! Reads the settings of subfolders: each extends those above it, for the files of its folder.
//!
//! What a folder says of its files is translated into rules and thresholds for paths from the root,
//! so that no other floor knows of nested settings. The innermost folder wins, value by value.

use std::collections::BTreeMap;
use std::path::Path;

use super::file::{keys_of, line_of_key, only};
use super::paths::{PathRules, Ruling};
use super::raw::{RawConfig, RawThresholds};
use super::{ConfigError, Foreign, NAMES, read_text};
use crate::policy::SettingsDigest;
use crate::text::{FilePath, MAX_WRITTEN};

/// The options that a subfolder can set, besides thresholds.
const OTHERS: &[&str] =
    &["languages", "paths", "ignore", "tests", "examples", "vendored", "project"];

/// The settings file of a subfolder, as written. Patterns and folders are still relative to it.
#[derive(Debug, Clone, Default)]
pub struct FolderSettings {
    /// The folder, from the root of the repository.
    pub folder: FilePath,
    /// The file, from the root of the repository; `None` for what variables and flags set.
    pub file: Option<FilePath>,
    /// The file for messages, and its text.
    pub(super) origin: String,
    pub(super) text: String,
    /// The thresholds for all of its files.
    pub(super) thresholds: RawThresholds,
    /// What else a folder can set.
    pub(super) raw: RawConfig,
}

impl FolderSettings {
    /// Reads the settings file at `file`, from the root of the repository; `of` says whose it is,
    /// as in ` of the base`. An option that only the root can set is an error.
    pub fn parse(text: String, file: FilePath, of: &str) -> Result<Self, ConfigError> {
        let name = file.to_string();
        let raw = RawConfig::parse(&text, &name)?;
        let thresholds = RawThresholds::names();
        let mut keys = keys_of(&text).into_iter().map(|(key, _)| key);
        if let Some(key) = keys.find(|key| !thresholds.contains(key) && !OTHERS.contains(&&**key)) {
            let (thresholds, others) = (thresholds.join(", "), OTHERS.join(", "));
            let why = format!(
                "only the settings at the root of the repository can set `{key}`; those of a folder can set: {thresholds}, {others}"
            );
            let line = line_of_key(&text, &key);
            return Err(ConfigError::Syntax { file: name, line, why, nearest: None });
        }
        Ok(Self {
            folder: folder_of(&file).unwrap_or_else(|| FilePath::new("")),
            origin: format!("`{name}`{of}"),
            file: Some(file),
            thresholds: only(&text, &thresholds),
            text,
            ..Self::of_all(raw)
        })
    }

    /// Reads the settings file of `folder` in the repository at `root`, if it has one.
    pub fn read(root: &Path, folder: &FilePath) -> Result<Option<Self>, ConfigError> {
        // Whoever cannot read such a name as text cannot have named it in settings either.
        let Ok(name) = std::str::from_utf8(folder.as_bytes()) else { return Ok(None) };
        let mut files = NAMES.iter().map(|settings| format!("{name}/{settings}"));
        let file = files.find(|file| {
            // What is in `.config` is that of the folder around it.
            let is_own = folder_of(&FilePath::new(file.as_bytes())).as_ref() == Some(folder);
            is_own && root.join(file).symlink_metadata().is_ok()
        });
        let Some(file) = file else { return Ok(None) };
        let text = read_text(&root.join(&file), Some(root), MAX_WRITTEN)
            .map_err(|why| ConfigError::File { file: file.clone().into(), why })?;
        Self::parse(text, FilePath::new(file.into_bytes()), "").map(Some)
    }

    /// What `raw` has for languages and paths, for all files: it outranks the settings of folders.
    pub fn of_all(raw: RawConfig) -> Self {
        Self { raw, ..Self::default() }
    }

    /// Leaves the option `key` as it is for all files: something stronger has set it.
    pub fn clear(&mut self, key: &str) {
        self.thresholds.clear(key);
        self.raw = self.raw.for_all_files(key);
        match key {
            "ignore" => self.raw.ignore.clear(),
            "tests" => self.raw.tests.clear(),
            "examples" => self.raw.examples.clear(),
            "vendored" => self.raw.vendored.clear(),
            _ => {}
        }
    }

    pub(super) fn digest(&self) -> Option<SettingsDigest> {
        Some(super::digest(&self.file.as_ref()?.to_string(), &self.text))
    }

    /// The options that it sets, as TOML.
    pub fn values(&self) -> BTreeMap<String, String> {
        keys_of(&self.text).into_iter().collect()
    }

    /// The name of its project: what it says, else its folder.
    pub fn name(&self) -> String {
        match &*self.raw.project {
            "" => self.folder.to_string(),
            name => name.to_owned(),
        }
    }

    pub(super) fn at_root(&self) -> RawConfig {
        let mut raw = self.raw.clone();
        for rule in raw.ignore.iter_mut().chain(&mut raw.tests).chain(&mut raw.examples) {
            *rule = self.pattern_at_root(rule);
        }
        for vendored in &mut raw.vendored {
            vendored.path = format!("{}/{}", self.folder, vendored.folder());
        }
        raw
    }

    /// A pattern of this folder, from the root of the repository.
    pub(super) fn pattern_at_root(&self, pattern: &str) -> String {
        below(&escaped(&String::from_utf8_lossy(self.folder.as_bytes())), pattern)
    }
}

/// Which folders may have settings: not those with code of others, nor ignored ones.
#[derive(Debug)]
pub struct Reach(Option<PathRules>);

impl Reach {
    /// That of the settings at the root.
    pub fn new(root: &RawConfig) -> Self {
        // Rules that cannot be read are reported where the settings are completed.
        Self(PathRules::new(&[], &root.ignore).ok())
    }

    /// The folder that the settings file at `file` is for, if it is for one that is heeded.
    pub fn folder(&self, file: &FilePath) -> Option<FilePath> {
        folder_of(file).filter(|folder| self.heeds(folder))
    }

    /// Whether settings in this folder are heeded.
    pub fn heeds(&self, folder: &FilePath) -> bool {
        // A rule may be for folders only, so it is asked about a file in this one.
        let file = FilePath::new([folder.as_bytes(), b"/", NAMES[0].as_bytes()].concat());
        match self.0.as_ref().map_or(Ruling::None, |rules| rules.ruling(&file)) {
            Ruling::Matched { .. } => false,
            Ruling::Excepted => true,
            Ruling::None => Foreign::above(&file).is_none(),
        }
    }
}

/// The folder of a settings file below the root; `None` for other files.
fn folder_of(file: &FilePath) -> Option<FilePath> {
    // The longer name first: `.config/secondhand.toml` is no settings file of `.config`.
    let mut names = NAMES.iter().rev().map(|name| name.as_bytes());
    let folder = names.find_map(|name| file.as_bytes().strip_suffix(name)?.strip_suffix(b"/"))?;
    (!folder.is_empty() && folder != b".config").then(|| FilePath::new(folder))
}

/// A pattern in .gitignore syntax that is meant from `folder` on, from the root.
fn below(folder: &str, pattern: &str) -> String {
    let (negation, rest) = pattern.strip_prefix('!').map_or(("", pattern), |rest| ("!", rest));
    if folder.is_empty() || rest.trim().is_empty() || rest.starts_with('#') {
        return pattern.to_owned();
    }
    let is_anchored = rest.trim_end().trim_end_matches('/').contains('/');
    let between = if is_anchored { "" } else { "**/" };
    format!("{negation}/{folder}/{between}{}", rest.strip_prefix('/').unwrap_or(rest))
}

fn escaped(path: &str) -> String {
    let escape = |character: char| "\\*?[]{}".contains(character).then_some('\\');
    path.chars().flat_map(|character| escape(character).into_iter().chain([character])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_a_folder_match_in_it_alone() {
        #[track_caller]
        fn check(pattern: &str, from_root: &str) {
            assert_eq!(below(&escaped("a/[b]"), pattern), from_root);
        }
        check("*.c", "/a/\\[b\\]/**/*.c");
        check("gen/", "/a/\\[b\\]/**/gen/");
        check("/gen/", "/a/\\[b\\]/gen/");
        check("x/y", "/a/\\[b\\]/x/y");
        check("!keep.c", "!/a/\\[b\\]/**/keep.c");
        check("# a comment", "# a comment");
        check("", "");
        let rules =
            PathRules::new(&[], &[below(&escaped("a/[b]"), "*.c")]).expect("it is a pattern");
        let contains = |path: &str| rules.contains(&FilePath::new(path));
        assert!(contains("a/[b]/x.c") && contains("a/[b]/d/x.c"));
        assert!(!contains("a/b/x.c") && !contains("x.c"));
    }
}
