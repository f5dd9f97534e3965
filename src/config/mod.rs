//! Reads settings: checks and completes what is written in `secondhand.toml`.
//!
//! Two steps: [`RawConfig`] is the file as written, with every key optional;
//! [`Config`] is checked, and has the parameters of every floor.

mod day;
mod file;
mod licensing;
mod paths;
mod raw;
mod regular;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::Deref;

pub use file::{ConfigError, NAMES, decisions, find};
pub use paths::{Foreign, PathRules, Ruling};
pub use raw::{ConfigOption, LevelSetting, RawConfig, RawException, RawLicense, Vendored, options, schema};
pub use regular::{MAX_BASELINE, MAX_SETTINGS, below, not_utf8, read_text, too_large};

use crate::language::Languages;
use crate::policy::{Ground, Level, Levels, LicensePolicy};
use crate::text::FilePath;
use crate::{fingerprint, matching};

/// Complete, checked settings: the settings as written, and the parameters made from them.
///
/// Options that are used as written are read from [`RawConfig`], which this derefs to.
#[derive(Debug, Clone)]
pub struct Config {
    /// The settings as written, checked.
    written: RawConfig,
    /// Parameters of fingerprinting.
    pub fingerprint: fingerprint::Params,
    /// The same for a scan of a whole tree: fewer fingerprints, since every clone there contains a longer run.
    pub scan_fingerprint: fingerprint::Params,
    /// What counts as a clone.
    pub matching: matching::Params,
    /// The evidence that a copy from a corpus needs.
    pub enough: matching::Enough,
    /// Minimum rarity of the seeds of a clone, 0 to 1.
    pub min_rarity: f64,
    /// Files that are not compared.
    pub ignore: PathRules,
    /// Files whose findings are notes at most.
    pub tests: PathRules,
    /// Files that are examples, likewise.
    pub examples: PathRules,
    /// Files that set up builds.
    pub build_files: PathRules,
    /// How grave what is found is.
    pub levels: Levels,
    /// Which licenses code may be copied under.
    pub licenses: LicensePolicy,
}

impl Deref for Config {
    type Target = RawConfig;

    fn deref(&self) -> &RawConfig {
        &self.written
    }
}

impl Config {
    /// Checks and completes the settings written in `origin` (a file name, for messages).
    ///
    /// # Errors
    /// [`ConfigError::Value`] names the key with the unusable value.
    pub fn new(mut raw: RawConfig, origin: &str) -> Result<Self, ConfigError> {
        let invalid = |key: &str, why: String| ConfigError::Value {
            file: origin.to_owned(),
            key: key.to_owned(),
            why,
            nearest: None,
        };
        let percent = |key: &str, value: u8| {
            if value <= 100 {
                Ok(f64::from(value) / 100.0)
            } else {
                Err(invalid(key, format!("{value} is more than 100 percent")))
            }
        };
        let positive = |key: &str, value: usize| {
            NonZeroUsize::new(value).ok_or_else(|| invalid(key, "it must be at least 1".to_owned()))
        };
        licensing::check_vendored(&raw.vendored, origin)?;
        sort_vendored(&mut raw.vendored).map_err(|why| invalid("vendored", why))?;
        let k = positive("noise-threshold", raw.noise_threshold)?;
        let t = positive("guarantee-threshold", raw.guarantee_threshold)?;
        let fingerprint =
            fingerprint::Params::new(k, t).map_err(|error| invalid("guarantee-threshold", error.to_string()))?;
        for (key, n) in [("min-tokens", raw.min_tokens), ("scan-min-tokens", raw.scan_min_tokens)] {
            if n < t.get() {
                let why = format!(
                    "{n} is below the guarantee threshold of {t}: finding such copies would be a matter of luck"
                );
                return Err(invalid(key, why));
            }
        }
        let scan_t = positive("min-run", raw.min_run)?.min(positive("scan-min-tokens", raw.scan_min_tokens)?).max(t);
        Ok(Self {
            fingerprint,
            scan_fingerprint: fingerprint::Params::new(k, scan_t)
                .expect("k <= t was checked, and scan_t is no less than t"),
            matching: matching::Params {
                k: k.get(),
                min_distinct: raw.min_distinct,
                max_gap: raw.max_gap,
                min_containment: percent("min-containment", raw.min_containment)?,
                min_agreement: percent("min-agreement", raw.min_agreement)?,
                min_spelled: percent("min-spelled", raw.min_spelled)?,
                min_run: raw.min_run,
            },
            enough: matching::Enough {
                n_words: raw.corpus_min_words,
                exact_run: raw.corpus_min_exact_run,
                run: raw.corpus_min_run,
            },
            min_rarity: percent("min-rarity", raw.min_rarity)?,
            ignore: PathRules::new(paths::IGNORED, &raw.ignore).map_err(|why| invalid("ignore", why))?,
            tests: PathRules::new(paths::TESTS, &raw.tests).map_err(|why| invalid("tests", why))?,
            examples: PathRules::new(paths::EXAMPLES, &raw.examples).map_err(|why| invalid("examples", why))?,
            build_files: PathRules::new(paths::BUILD_FILES, &[]).map_err(|why| invalid("build files", why))?,
            levels: Levels {
                of_rules: levels(&raw).map_err(|(key, why)| invalid(&key, why))?,
                in_tests: raw.test_level,
                in_declarations: raw.declarative_level,
            },
            licenses: licensing::licenses(&raw.license, origin)?,
            written: raw,
        })
    }

    /// The languages: the built-in ones, and the user's.
    ///
    /// # Errors
    /// [`ConfigError::Value`] names the unusable table.
    pub fn languages(&self, origin: &str) -> Result<Languages, ConfigError> {
        let mut languages = Languages::builtin();
        for (id, table) in &self.language {
            languages.add(id, table.clone()).map_err(|error| ConfigError::Value {
                file: origin.to_owned(),
                key: format!("language.{id}"),
                why: error.to_string(),
                nearest: None,
            })?;
        }
        Ok(languages)
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
            false if self.build_files.contains(path) => Ground::Declarative,
            false => Ground::Code,
        }
    }

    /// The folder of third-party code that contains a file, recognized by its name, unless `ignore` adds it back.
    pub fn foreign_at<'p>(&self, path: &'p FilePath) -> Option<Foreign<'p>> {
        Foreign::above(path).filter(|_| self.ignore.ruling(path) != Ruling::Excepted)
    }
}

/// Sorts the vendored folders, the innermost first.
fn sort_vendored(folders: &mut [Vendored]) -> Result<(), String> {
    if let Some(wrong) = folders.iter().find(|vendored| vendored.folder().is_empty() || vendored.path.contains("..")) {
        return Err(format!("`{}` is not a folder below the root of the repository", wrong.path));
    }
    folders.sort_by_key(|vendored| std::cmp::Reverse(vendored.folder().len()));
    Ok(())
}

fn levels(raw: &RawConfig) -> Result<BTreeMap<&'static str, Option<Level>>, (String, String)> {
    let mut levels = BTreeMap::new();
    for (id, setting) in &raw.rules {
        let Some(rule) = crate::policy::rule(id) else {
            let all: Vec<_> = crate::policy::RULES.iter().map(|rule| rule.id).collect();
            return Err((format!("rules.{id}"), format!("there is no such rule; the rules are: {}", all.join(", "))));
        };
        levels.insert(rule.id, setting.level());
    }
    Ok(levels)
}
