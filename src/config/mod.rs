//! Reads settings: what was written in `secondhand.toml`, checked and completed.
//!
//! Two steps: [`RawConfig`] is the file as written, every key optional;
//! [`Config`] is complete, and each floor's parameters are made from it.

mod file;
mod licensing;
mod paths;
mod raw;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

pub use file::{ConfigError, NAMES, decisions, find, nearest};
pub use paths::PathRules;
pub use raw::{ConfigOption, LevelSetting, RawConfig, RawException, RawLicense, Vendored, options, schema};

use crate::language::{Languages, Table};
use crate::policy::{Level, LicensePolicy, Rule};
use crate::text::FilePath;
use crate::{fingerprint, matching};

/// Complete, checked settings.
#[derive(Debug)]
pub struct Config {
    /// Novel tokens a copy must hold to be a finding.
    pub min_tokens: usize,
    /// Tokens a clone must have in a scan of a whole tree.
    pub scan_min_tokens: usize,
    /// How fingerprints are taken.
    pub fingerprint: fingerprint::Params,
    /// How they are taken in a scan of a whole tree: fewer, since every clone there holds a longer run.
    pub scan_fingerprint: fingerprint::Params,
    /// What counts as a clone.
    pub matching: matching::Params,
    /// What a copy out of a corpus has to show.
    pub enough: matching::Enough,
    /// Documents a fingerprint may occur in before it is common, and not followed.
    pub common_at: usize,
    /// Components of a corpus a fingerprint may occur in before it is common, and not followed.
    pub common_components: usize,
    /// How rare the seeds of a clone must be, 0 to 1.
    pub min_rarity: f64,
    /// Bytes of the largest file that is read.
    pub max_file_size: u64,
    /// Whether generated files are compared.
    pub include_generated: bool,
    /// Whether data and prose are compared.
    pub include_data: bool,
    /// Files that are not compared.
    pub ignore: PathRules,
    /// The file of the baseline, from the root of the repository.
    pub baseline: String,
    /// Files whose findings are notes at most.
    pub tests: PathRules,
    /// The level of findings in test code.
    pub test_level: Level,
    /// Levels by rule; `None` turns a rule off.
    pub levels: BTreeMap<&'static str, Option<Level>>,
    /// Corpora to compare with, as the settings name them.
    pub corpora: Vec<String>,
    /// Folders of the repository that hold code of others.
    pub vendored: Vec<Vendored>,
    /// Which licenses code may be copied under.
    pub licenses: LicensePolicy,
    /// The decisions file, from the root of the repository.
    pub decisions: String,
    /// Languages that are added to the built-in ones, or replace one.
    pub languages: BTreeMap<String, Table>,
}

impl Config {
    /// Completes what was written in `origin` (a file name, for messages).
    ///
    /// # Errors
    /// [`ConfigError::Value`] names the key whose value cannot be used.
    pub fn new(raw: RawConfig, origin: &str) -> Result<Self, ConfigError> {
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
        let k = positive("noise-threshold", raw.noise_threshold)?;
        let t = positive("guarantee-threshold", raw.guarantee_threshold)?;
        let fingerprint =
            fingerprint::Params::new(k, t).map_err(|error| invalid("guarantee-threshold", error.to_string()))?;
        let guaranteed = |key: &str, n: usize| {
            let why =
                || format!("{n} is below the guarantee threshold of {t}: such copies would be found by chance only");
            if n < t.get() { Err(invalid(key, why())) } else { Ok(n) }
        };
        let scan_t = positive("min-run", raw.min_run)?.min(positive("scan-min-tokens", raw.scan_min_tokens)?).max(t);
        Ok(Self {
            min_tokens: guaranteed("min-tokens", raw.min_tokens)?,
            scan_min_tokens: guaranteed("scan-min-tokens", raw.scan_min_tokens)?,
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
            common_at: raw.common_at,
            common_components: raw.common_components,
            min_rarity: percent("min-rarity", raw.min_rarity)?,
            max_file_size: raw.max_file_size,
            include_generated: raw.include_generated,
            include_data: raw.include_data,
            ignore: PathRules::new(paths::IGNORED, &raw.ignore).map_err(|why| invalid("ignore", why))?,
            baseline: raw.baseline.clone(),
            tests: PathRules::new(paths::TESTS, &raw.tests).map_err(|why| invalid("tests", why))?,
            test_level: raw.test_level,
            levels: levels(&raw).map_err(|(key, why)| invalid(&key, why))?,
            licenses: licensing::licenses(&raw.license, origin)?,
            decisions: raw.decisions,
            corpora: raw.corpora,
            vendored: vendored(raw.vendored).map_err(|why| invalid("vendored", why))?,
            languages: raw.language,
        })
    }

    /// The languages: the built-in ones, and the user's.
    ///
    /// # Errors
    /// [`ConfigError::Value`] names the table that cannot be used.
    pub fn languages(&self, origin: &str) -> Result<Languages, ConfigError> {
        let mut languages = Languages::builtin();
        for (id, table) in &self.languages {
            languages.add(id, table.clone()).map_err(|error| ConfigError::Value {
                file: origin.to_owned(),
                key: format!("language.{id}"),
                why: error.to_string(),
                nearest: None,
            })?;
        }
        Ok(languages)
    }

    /// The vendored folder that a file lies in, the innermost of several.
    pub fn vendored_at(&self, path: &FilePath) -> Option<&Vendored> {
        self.vendored.iter().find(|vendored| vendored.contains(path))
    }

    /// The level of `rule`; `None` when it is off.
    pub fn level(&self, rule: &Rule) -> Option<Level> {
        self.levels.get(rule.id).copied().unwrap_or(Some(rule.level))
    }
}

/// The vendored folders, the innermost first.
fn vendored(mut folders: Vec<Vendored>) -> Result<Vec<Vendored>, String> {
    if let Some(wrong) = folders.iter().find(|vendored| vendored.folder().is_empty() || vendored.path.contains("..")) {
        return Err(format!("`{}` is no folder below the root of the repository", wrong.path));
    }
    folders.sort_by_key(|vendored| std::cmp::Reverse(vendored.folder().len()));
    Ok(folders)
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
