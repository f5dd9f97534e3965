//! Decides by folder, language and path which thresholds a file is judged with.
//!
//! The settings of the innermost folder count before those above it. In one file of settings the
//! most special counts: that of a path, else that of the language, else the one for all files. Of
//! several patterns that match a path, the one with more characters besides wildcards is more
//! special; of two with as many, the later one in the alphabet. Each threshold is decided on its
//! own.

use std::collections::BTreeMap;

use super::paths::PathRules;
use super::raw::{FileThresholds, LevelSetting, RawConfig, RawThresholds};
use super::{ConfigError, FolderSettings};
use crate::language::Languages;
use crate::matching;
use crate::policy::{Level, Levels, RULES, rule};
use crate::text::{FilePath, nearest};

/// What the copies in one file are judged with.
#[derive(Debug, Clone)]
pub struct Thresholds {
    /// Minimum tokens that a change adds to a copy.
    pub min_tokens: usize,
    /// Minimum tokens of a clone in a scan.
    pub scan_min_tokens: usize,
    /// What counts as a clone.
    pub matching: matching::Params,
    /// Minimum rarity of the seeds of a clone, 0 to 1.
    pub min_rarity: f64,
    /// Minimum worth of a copy for a warning.
    pub min_worth: u16,
    /// How grave what is found is.
    pub levels: Levels,
}

/// Thresholds for some files, as written and checked.
#[derive(Debug, Clone)]
struct Special {
    /// The folder with the settings; empty for the root.
    folder: FilePath,
    which: Which,
    written: RawThresholds,
    rules: BTreeMap<&'static str, Option<Level>>,
}

#[derive(Debug, Clone)]
enum Which {
    Any,
    Language(String),
    Path(PathRules),
}

/// All thresholds for some files, the most special last.
#[derive(Debug, Clone, Default)]
pub(super) struct Specials(Vec<Special>);

impl Specials {
    /// Checks and orders what `raw` has for languages and paths, then what `folders` have, an outer
    /// one before those in it.
    pub fn new(
        raw: &RawConfig,
        folders: &[FolderSettings],
        file: &str,
    ) -> Result<Self, ConfigError> {
        let mut all = Self::default();
        let mut raws = folders.iter().map(|folder| &folder.raw).chain([raw]);
        let are_named = raws.any(|raw| !raw.languages.is_empty());
        let languages = are_named.then(|| raw.languages());
        let root =
            FolderSettings { origin: file.to_owned(), ..FolderSettings::of_all(raw.clone()) };
        all.extend(&root, raw, languages.as_deref())?;
        for folder in folders {
            let of_folder = all.extend(folder, raw, languages.as_deref());
            of_folder.map_err(|error| error.located(&folder.text))?;
        }
        Ok(all)
    }

    fn extend(
        &mut self,
        settings: &FolderSettings,
        raw: &RawConfig,
        languages: Option<&Languages>,
    ) -> Result<(), ConfigError> {
        let file = &*settings.origin;
        let is_any = settings.thresholds != RawThresholds::default();
        let of_all = is_any.then(|| Ok((Which::Any, String::new(), &settings.thresholds)));
        let of_languages = settings.raw.languages.iter().map(|(name, written)| {
            let key = format!("languages.{name}");
            let Some(language) = languages.and_then(|languages| languages.named(name)) else {
                let why = "there is no such language; `secondhand languages` lists all";
                let known = languages.map(Languages::ids).unwrap_or_default();
                return Err(ConfigError::value_near(file, &key, why, nearest(name, &known)));
            };
            Ok((Which::Language(language.name.clone()), key, written))
        });
        let mut patterns: Vec<(&String, &RawThresholds)> = settings.raw.paths.iter().collect();
        let is_literal = |character: &char| !"*?[]!".contains(*character);
        patterns.sort_by_key(|(pattern, _)| pattern.chars().filter(is_literal).count());
        let of_paths = patterns.into_iter().map(|(pattern, written)| {
            let key = format!("paths.{pattern:?}");
            if pattern.trim().is_empty() || pattern.starts_with(['!', '#']) {
                let why = "it matches no file; expected a pattern such as `src/**`";
                return Err(ConfigError::value(file, &key, format!("`{pattern}`: {why}")));
            }
            let rules =
                PathRules::of_option(&key, &[], &[settings.pattern_at_root(pattern)], file)?;
            Ok((Which::Path(rules), key, written))
        });
        for special in of_all.into_iter().chain(of_languages).chain(of_paths) {
            let (which, key, written) = special?;
            let rules = checked(&key, written, raw, file)?;
            let (folder, written) = (settings.folder.clone(), written.clone());
            self.0.push(Special { folder, which, rules, written });
        }
        Ok(())
    }

    /// The thresholds of the file `path` in `language`; `of_rules` are the levels for all files.
    pub fn of(
        &self,
        raw: &RawConfig,
        of_rules: &BTreeMap<&'static str, Option<Level>>,
        path: &FilePath,
        language: Option<&str>,
    ) -> Thresholds {
        let (mut file, mut of_rules) = (FileThresholds::new(raw), of_rules.clone());
        let around = self.0.iter().filter(|special| path.is_in(&special.folder));
        for Special { which, written, rules, .. } in around {
            let is_meant = match which {
                Which::Any => true,
                Which::Language(name) => language == Some(name),
                Which::Path(pattern) => pattern.contains(path),
            };
            if is_meant {
                written.apply(&mut file);
                of_rules.extend(rules);
            }
        }
        Thresholds::new(raw, file, of_rules)
    }

    /// Every set of levels that a file may be judged with differs from that for all files only in
    /// these rules.
    pub fn rules(&self) -> impl Iterator<Item = (&'static str, Option<Level>)> + '_ {
        self.0.iter().flat_map(|special| special.rules.iter().map(|(id, level)| (*id, *level)))
    }

    /// The smallest value of a threshold that any file has.
    pub fn least(&self, all: usize, of: impl Fn(&RawThresholds) -> Option<usize>) -> usize {
        self.0.iter().filter_map(|special| of(&special.written)).fold(all, usize::min)
    }
}

impl Thresholds {
    /// Those of a file with these values, which were checked.
    pub(super) fn new(
        raw: &RawConfig,
        file: FileThresholds,
        of_rules: BTreeMap<&'static str, Option<Level>>,
    ) -> Self {
        let fraction = |percent: u8| f64::from(percent) / 100.0;
        Self {
            min_tokens: file.min_tokens,
            scan_min_tokens: file.scan_min_tokens,
            matching: matching::Params {
                k: raw.noise_threshold,
                min_distinct: raw.min_distinct,
                max_gap: raw.max_gap,
                min_containment: fraction(file.min_containment),
                min_agreement: fraction(file.min_agreement),
                min_spelled: fraction(file.min_spelled),
                min_run: file.min_run,
            },
            min_rarity: fraction(file.min_rarity),
            min_worth: file.min_worth,
            levels: Levels {
                of_rules,
                in_tests: file.test_level,
                in_declarations: file.declarative_level,
            },
        }
    }
}

/// Checks the thresholds in the table `key`; returns the levels of its rules.
fn checked(
    key: &str,
    written: &RawThresholds,
    raw: &RawConfig,
    file: &str,
) -> Result<BTreeMap<&'static str, Option<Level>>, ConfigError> {
    let of_key =
        |name: &str| if key.is_empty() { name.to_owned() } else { format!("{key}.{name}") };
    let mut values = FileThresholds::new(raw);
    written.apply(&mut values);
    check(&values, raw.guarantee_threshold)
        .map_err(|(name, why)| ConfigError::value(file, &of_key(name), why))?;
    levels(&of_key("rules"), &written.rules, file)
}

/// Checks the thresholds of a file; of a value that cannot be used, returns the option and why.
pub(super) fn check(
    file: &FileThresholds,
    guarantee_threshold: usize,
) -> Result<(), (&'static str, String)> {
    let percents = [
        ("min-containment", file.min_containment),
        ("min-agreement", file.min_agreement),
        ("min-spelled", file.min_spelled),
        ("min-rarity", file.min_rarity),
    ];
    if let Some((name, value)) = percents.into_iter().find(|(_, percent)| *percent > 100) {
        return Err((name, format!("{value} is more than 100 percent")));
    }
    let lengths = [("min-tokens", file.min_tokens), ("scan-min-tokens", file.scan_min_tokens)];
    let positive = lengths.into_iter().chain([("min-run", file.min_run)]);
    if let Some((name, _)) = positive.into_iter().find(|(_, n)| *n == 0) {
        return Err((name, "it must be at least 1".to_owned()));
    }
    if let Some((name, n)) = lengths.into_iter().find(|(_, n)| *n < guarantee_threshold) {
        let why = format!(
            "{n} is below the guarantee threshold of {guarantee_threshold}: finding such copies would be a matter of luck; \
             set `guarantee-threshold` and `noise-threshold` to {n} or less as well"
        );
        return Err((name, why));
    }
    Ok(())
}

pub(super) fn levels(
    key: &str,
    rules: &BTreeMap<String, LevelSetting>,
    file: &str,
) -> Result<BTreeMap<&'static str, Option<Level>>, ConfigError> {
    let levels = rules.iter().map(|(id, setting)| {
        let rule = rule(id).ok_or_else(|| {
            let known: Vec<_> = RULES.iter().map(|rule| rule.id).collect();
            let why = format!("there is no such rule; the rules are: {}", known.join(", "));
            ConfigError::value_near(file, &format!("{key}.{id}"), why, nearest(id, &known))
        })?;
        Ok((rule.id, setting.level()))
    });
    levels.collect()
}
