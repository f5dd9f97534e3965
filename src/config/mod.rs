//! Reads settings: checks and completes what is written in `secondhand.toml`.
//!
//! Two steps: [`RawConfig`] is the file as written, with every key optional;
//! [`Config`] is checked, and has the parameters of every floor.

mod day;
mod file;
mod folders;
mod licensing;
mod overrides;
mod paths;
mod raw;
mod regular;
mod thresholds;
mod written;

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::ops::Deref;

use sha2::{Digest as _, Sha256};

pub use file::{ConfigError, Leaf, NAMES, decisions, find};
pub use folders::{FolderSettings, Reach};
pub use overrides::{Overrides, Setting, variable_of, variables};
pub use paths::{Foreign, PathRules, Ruling};
pub use raw::{
    ConfigOption, FailOn, LevelSetting, RawConfig, RawException, RawLicense, RawThresholds, Trust,
    Vendored, option_names, options, schema,
};
pub use regular::{below, read_text};
pub use thresholds::Thresholds;
pub use written::SettingsFile;

use self::raw::FileThresholds;
use self::thresholds::{Specials, check, levels};
use crate::fingerprint::Effort;
use crate::language::Languages;
use crate::policy::{Ground, Levels, LicensePolicy, SettingsDigest, SettingsFiles};
use crate::text::{FilePath, hexadecimal};
use crate::{fingerprint, matching};

/// Checked settings, and the parameters made from them; derefs to the settings as written.
#[derive(Debug, Clone)]
pub struct Config {
    written: RawConfig,
    /// Which fingerprints choose the files to compare; no option of the file, since less effort
    /// misses copies.
    pub effort: Effort,
    /// Parameters of fingerprinting.
    pub fingerprint: fingerprint::Params,
    /// The same for a scan of a whole tree: fewer fingerprints, since every clone there contains a
    /// longer run.
    pub scan_fingerprint: fingerprint::Params,
    /// What counts as a clone.
    pub matching: matching::Params,
    /// The evidence that a copy from a corpus needs.
    pub enough: matching::Enough,
    /// Files that are not compared.
    pub ignore: PathRules,
    /// Files whose findings are notes at most.
    pub tests: PathRules,
    /// Files that are examples, in the same form.
    pub examples: PathRules,
    /// Files that declare rather than compute, whatever their language.
    pub declaring: [PathRules; 2],
    /// How grave what is found is, where a language or path has no levels of its own.
    pub levels: Levels,
    specials: Specials,
    /// Which licenses code may be copied under.
    pub licenses: LicensePolicy,
    /// Which settings files judge which files.
    pub files: SettingsFiles,
}

impl Deref for Config {
    type Target = RawConfig;

    fn deref(&self) -> &RawConfig {
        &self.written
    }
}

impl Config {
    /// Checks and completes the settings written in `origin` (a file name, for messages).
    pub fn new(raw: RawConfig, origin: &str) -> Result<Self, ConfigError> {
        Self::with_folders(raw, &[], origin)
    }

    /// Like [`Config::new`], with the settings of `folders`, an outer one before those in it.
    pub fn with_folders(
        mut raw: RawConfig,
        folders: &[FolderSettings],
        origin: &str,
    ) -> Result<Self, ConfigError> {
        // Their own errors name their files.
        for folder in folders.iter().filter(|folder| folder.file.is_some()) {
            check_folder(folder).map_err(|error| error.located(&folder.text))?;
        }
        let invalid = |key: &str, why: String| ConfigError::value(origin, key, why);
        licensing::check_vendored(&raw.vendored, origin)?;
        for folder in folders.iter().map(FolderSettings::at_root) {
            raw.ignore.extend(folder.ignore);
            raw.tests.extend(folder.tests);
            raw.examples.extend(folder.examples);
            raw.vendored.extend(folder.vendored);
        }
        sort_vendored(&mut raw.vendored).map_err(|why| invalid("vendored", why))?;
        let k = positive("noise-threshold", raw.noise_threshold, origin)?;
        let t = positive("guarantee-threshold", raw.guarantee_threshold, origin)?;
        let fingerprint = fingerprint::Params::new(k, t)
            .map_err(|error| invalid("guarantee-threshold", error.to_string()))?;
        let file = FileThresholds::new(&raw);
        check(&file, t.get()).map_err(|(key, why)| invalid(key, why))?;
        if raw.min_distinct > k.get() {
            let n = raw.min_distinct;
            let why = format!(
                "a match of {k} tokens cannot have {n} distinct ones, so that copies would be missed; set `min-distinct` to {k} \
                 or less, or `noise-threshold` to {n} or more"
            );
            return Err(invalid("min-distinct", why));
        }
        let specials = Specials::new(&raw, folders, origin)?;
        let min_run = specials.least(raw.min_run, |of| of.min_run);
        let scan_min_tokens = specials.least(raw.scan_min_tokens, |of| of.scan_min_tokens);
        let scan_t = positive("scan-min-tokens", min_run.min(scan_min_tokens), origin)?.max(t);
        let Thresholds { matching, levels, .. } =
            Thresholds::new(&raw, file, levels("rules", &raw.rules, origin)?);
        let digests = folders.iter().filter_map(|of| Some((of.folder.clone(), of.digest()?)));
        Ok(Self {
            effort: Effort::Full,
            fingerprint,
            scan_fingerprint: fingerprint::Params::new(k, scan_t)
                .expect("k <= t was checked, and scan_t is no less than t"),
            matching,
            enough: matching::Enough {
                n_words: raw.corpus_min_words,
                exact_run: raw.corpus_min_exact_run,
                run: raw.corpus_min_run,
            },
            ignore: PathRules::of_option("ignore", paths::IGNORED, &raw.ignore, origin)?,
            tests: PathRules::of_option("tests", paths::TESTS, &raw.tests, origin)?,
            examples: PathRules::of_option("examples", paths::EXAMPLES, &raw.examples, origin)?,
            declaring: [paths::BUILDS, paths::DATA].map(PathRules::builtin),
            levels,
            licenses: licensing::licenses(&raw.license, origin)?,
            specials,
            files: SettingsFiles { folders: digests.collect(), ..SettingsFiles::default() },
            written: raw,
        })
    }

    /// With another minimum of tokens in a row for all files that have none of their own.
    #[must_use]
    pub fn with_min_run(&self, min_run: usize) -> Self {
        let mut config = self.clone();
        (config.written.min_run, config.matching.min_run) = (min_run, min_run);
        config
    }

    /// What the copies in the file `path` are judged with, whose `language` may be known by name.
    pub fn thresholds(&self, path: &FilePath, language: Option<&str>) -> Thresholds {
        self.specials.of(&self.written, &self.levels.of_rules, path, language)
    }

    /// The fewest tokens that a clone of any file has in a scan.
    pub fn least_scan_min_tokens(&self) -> usize {
        self.specials.least(self.scan_min_tokens, |of| of.scan_min_tokens)
    }

    /// Levels by which a rule is on if it is for some file.
    pub fn levels_of_any_file(&self) -> Levels {
        let mut levels = self.levels.clone();
        levels.of_rules.extend(self.specials.rules().filter(|(_, level)| level.is_some()));
        levels
    }

    /// The vendored folder that contains a file; the innermost of several.
    pub fn vendored_at(&self, path: &FilePath) -> Option<&Vendored> {
        self.vendored.iter().find(|vendored| vendored.contains(path))
    }

    /// The kind of this file; `is_prose` if its language is that of a document.
    pub fn ground(&self, path: &FilePath, is_prose: bool) -> Ground {
        match is_prose {
            true => Ground::Document,
            false if self.tests.contains(path) => Ground::Test,
            false if self.examples.contains(path) => Ground::Example,
            false if self.declaring.iter().any(|rules| rules.contains(path)) => Ground::Declarative,
            false => Ground::Code,
        }
    }

    /// Whether code of one file is judged there as it is in the other, if not more strictly: in a
    /// document or in test code it is not, nor where copies are longer or less grave. Each file has
    /// its path, its language, and whether that is one of documents.
    pub fn judges_alike(
        &self,
        from: (&FilePath, Option<&str>, bool),
        to: (&FilePath, Option<&str>, bool),
    ) -> bool {
        let is_code = |(path, _, is_prose)| self.ground(path, is_prose) == Ground::Code;
        let [is_from_code, is_to_code] = [from, to].map(is_code);
        let [from, to] = [from, to].map(|(path, language, _)| self.thresholds(path, language));
        (is_from_code || !is_to_code)
            && from.min_tokens <= to.min_tokens
            && from.levels.of_copies() >= to.levels.of_copies()
    }

    /// The settings that match none of the files at `paths`, as in ``paths."src/**"` matches no
    /// file``; a name in `languages` counts as met if a file may be in that language, by its name.
    /// Time O(n · m) for n files and m patterns.
    pub fn idle(&self, paths: &[&FilePath], languages: &Languages) -> Vec<String> {
        let RawConfig { ignore, tests, examples, .. } = &self.written;
        let lists = [("ignore", ignore), ("tests", tests), ("examples", examples)];
        let listed =
            lists.into_iter().flat_map(|(key, list)| list.iter().map(move |rule| (key, rule)));
        let of_paths = self.written.paths.keys().map(|pattern| ("paths", pattern));
        let patterns = listed.chain(of_paths).filter(|(_, rule)| {
            let rule = rule.strip_prefix('!').unwrap_or(rule).to_owned();
            PathRules::new(&[], &[rule])
                .is_ok_and(|rule| !paths.iter().any(|path| rule.contains(path)))
        });
        let idle = patterns.map(|(key, rule)| format!("`{rule}` of `{key}` matches no file"));
        let folders =
            self.vendored.iter().filter(|folder| !paths.iter().any(|path| folder.contains(path)));
        let idle = idle
            .chain(folders.map(|folder| format!("`{}` of `vendored` has no file", folder.path)));
        let possible = paths.iter().flat_map(|path| languages.possible(path));
        let possible: BTreeSet<&str> = possible.map(|language| language.name.as_str()).collect();
        let absent = self.written.languages.keys().filter(|name| {
            languages.named(name).is_none_or(|of| !possible.contains(of.name.as_str()))
        });
        idle.chain(absent.map(|name| format!("`{name}` of `languages` is the language of no file")))
            .collect()
    }

    /// The folder of third-party code around a file, by its name, unless `ignore` adds it back.
    pub fn foreign_at<'p>(&self, path: &'p FilePath) -> Option<Foreign<'p>> {
        Foreign::above(path).filter(|_| self.ignore.ruling(path) != Ruling::Excepted)
    }
}

fn positive(key: &str, value: usize, origin: &str) -> Result<NonZeroUsize, ConfigError> {
    NonZeroUsize::new(value).ok_or_else(|| ConfigError::value(origin, key, "it must be at least 1"))
}

fn digest(file: &str, text: &str) -> SettingsDigest {
    SettingsDigest { file: file.to_owned(), digest: hexadecimal(&Sha256::digest(text)) }
}

/// Checks what a folder has besides thresholds.
fn check_folder(folder: &FolderSettings) -> Result<(), ConfigError> {
    let FolderSettings { origin, raw: RawConfig { ignore, tests, examples, vendored, .. }, .. } =
        folder;
    for (key, rules) in [("ignore", ignore), ("tests", tests), ("examples", examples)] {
        PathRules::of_option(key, &[], rules, origin)?;
    }
    licensing::check_vendored(vendored, origin)?;
    let sorted = sort_vendored(&mut vendored.clone());
    sorted.map_err(|why| ConfigError::value(origin, "vendored", why))
}

/// Sorts the vendored folders, the innermost first.
fn sort_vendored(folders: &mut [Vendored]) -> Result<(), String> {
    if let Some(wrong) = folders.iter().find(|of| of.folder().is_empty() || of.path.contains(".."))
    {
        return Err(format!("`{}` is not a folder below that of the settings", wrong.path));
    }
    folders.sort_by_key(|vendored| std::cmp::Reverse(vendored.folder().len()));
    Ok(())
}
