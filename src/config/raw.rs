//! Defines the settings as written, and their documentation.
//!
//! The comment of a field is its help: the reference and the JSON schema are generated from it. An
//! option is its field here and its use. One that is checked or converted also has a line in
//! [`Config::new`](super::Config::new).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::language::Table;
use crate::policy::{Level, Peer};
use crate::text::FilePath;

/// A struct whose fields have their defaults next to them, so that an option is defined in one
/// place.
macro_rules! options {
    ($(#[$about:meta])* pub struct $name:ident { $($(#[$meta:meta])* pub $option:ident: $type:ty = $default:expr,)* }) => {
        $(#[$about])*
        pub struct $name {
            $($(#[$meta])* pub $option: $type,)*
        }

        impl Default for $name {
            fn default() -> Self {
                Self { $($option: $default,)* }
            }
        }
    };
}

options! {
    /// Settings of Secondhand, as written in `secondhand.toml`.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
    pub struct RawConfig {
        /// Minimum tokens that a change adds to a copy for `check` to report it. Lower finds
        /// shorter copies, and more chance matches.
        pub min_tokens: usize = 40,
        /// Minimum tokens for `scan` to list a clone. Lower lists shorter clones, and more chance
        /// matches.
        pub scan_min_tokens: usize = 50,
        /// Minimum tokens of a match (the noise threshold k). Lower finds copies with an edit on
        /// nearly every line, and takes more time.
        #[schemars(extend("x-advanced" = true))]
        pub noise_threshold: usize = 16,
        /// Tokens from which every match is found (the guarantee threshold t). Lower finds more
        /// heavily edited copies, and takes more memory. A stored corpus has its own window: every
        /// match of k + 15 tokens is found in it, 31 by default.
        #[schemars(extend("x-advanced" = true))]
        pub guarantee_threshold: usize = 20,
        /// Minimum distinct tokens in a match, with names and literals counted by kind. Higher
        /// leaves out more tables and lists.
        #[schemars(extend("x-advanced" = true))]
        pub min_distinct: usize = 5,
        /// Maximum tokens inserted or deleted between two matches of one copy.
        #[schemars(extend("x-advanced" = true))]
        pub max_gap: usize = 240,
        /// Minimum percent of the copy, or of its origin, that is the same. Lower finds more
        /// heavily edited copies, and more chance matches.
        #[schemars(extend("x-advanced" = true))]
        pub min_containment: u8 = 60,
        /// Minimum percent of matching names and literals that agree: spelled the same, or renamed
        /// the same way throughout. Lower finds more inconsistently renamed copies, and more code
        /// that only has the same shape.
        #[schemars(extend("x-advanced" = true))]
        pub min_agreement: u8 = 75,
        /// Minimum percent of matching names and literals that are spelled the same, unless the
        /// copy has a run of `min-run` tokens. Lower finds more copies that were both edited and
        /// renamed.
        #[schemars(extend("x-advanced" = true))]
        pub min_spelled: u8 = 75,
        /// Minimum matching tokens in a row for a copy with other names. Lower finds shorter
        /// renamed copies, and more code that is merely similar.
        #[schemars(extend("x-advanced" = true))]
        pub min_run: usize = 32,
        /// Maximum files to align because of one match, the most similar first. Further ones are
        /// counted, not aligned.
        #[schemars(extend("x-advanced" = true))]
        pub common_at: usize = 64,
        /// Maximum components of a corpus that share a match. A match in more components is common:
        /// it is counted, not scored.
        #[schemars(extend("x-advanced" = true))]
        pub common_components: usize = 20,
        /// Minimum rare words (names or literals that few projects use) that a copy from a corpus
        /// shares with its origin, unless it has a long run. Lower finds more short copies, and
        /// more chance matches.
        #[schemars(extend("x-advanced" = true))]
        pub corpus_min_words: usize = 3,
        /// Minimum tokens in a row, spelled the same, for a copy from a corpus without rare words.
        #[schemars(extend("x-advanced" = true))]
        pub corpus_min_exact_run: usize = 56,
        /// Minimum matching tokens in a row for a copy from a corpus with other names, counting
        /// what repeats once. Less is enough with control flow, for a whole function, and if nearly
        /// all names are changed one to one.
        #[schemars(extend("x-advanced" = true))]
        pub corpus_min_run: usize = 72,
        /// Minimum rarity of a short copy in percent: how few files share its matches. Keeps out
        /// idioms; long copies and whole functions are always reported. Lower finds more copies of
        /// common code.
        #[schemars(extend("x-advanced" = true))]
        pub min_rarity: u8 = 25,
        /// Minimum worth of a copy for a warning: what its new lines do, and what shows that they
        /// were copied. Other copies are notes, however long they are. Lower warns about more
        /// copies that need no action; 0 about all.
        pub min_worth: u16 = 20,
        /// Maximum warnings about copied code for one change: those with the highest worth. The
        /// others are notes.
        pub max_warnings: usize = 10,
        /// Whether text and answers for agents mark copies that cross a border of CODEOWNERS: whose
        /// origin none of their owners owns. In JSON, `crossesOwners` always says so.
        pub owner_borders: bool = false,
        /// Maximum bytes of a file. Larger changed files are reported as `not-examined`.
        #[schemars(extend("x-advanced" = true))]
        pub max_file_size: u64 = 4 * 1024 * 1024,
        /// Maximum tokens of a file. Changed files with more are reported as `not-examined`.
        #[schemars(extend("x-advanced" = true))]
        pub max_file_tokens: usize = 2_000_000,
        /// Maximum bytes of a line. The code of longer lines is not compared, and a changed file
        /// with one is reported as `not-examined`.
        #[schemars(extend("x-advanced" = true))]
        pub max_line_length: usize = 1024 * 1024,
        /// Maximum findings in a report, the most severe first. The exit status depends on all of
        /// them.
        #[schemars(extend("x-advanced" = true))]
        pub max_findings: usize = 10_000,
        /// Whether to check files marked as generated, too.
        pub include_generated: bool = false,
        /// Whether to compare data and prose (JSON, YAML, Markdown, ...), which are repetitive by
        /// nature.
        pub include_data: bool = false,
        /// Files that are not compared, in .gitignore syntax; `!` adds one back. Lock files and
        /// minified files are ignored by default. Folders of vendored, installed or built code
        /// (`vendor/`, `third_party/`, `node_modules/`, `dist/`) are searched for origins but not
        /// checked; `!vendor/` checks one.
        pub ignore: Vec<String> = Vec::new(),
        /// Other tools whose marks in comments leave code out: `jscpd` (`jscpd:ignore-start`),
        /// `pmd` (`CPD-OFF`), `sonar` (`NOSONAR`). What they leave out counts as suppressed.
        pub honor: Vec<Peer> = Vec::new(),
        /// The baseline file, with known copies that are not reported, relative to the root of the
        /// repository. Used if it exists; `secondhand baseline create` writes it.
        pub baseline: String = "secondhand-baseline.txt".to_owned(),
        /// Additional files that are test code, besides the usual names, in .gitignore syntax.
        pub tests: Vec<String> = Vec::new(),
        /// Additional files that are examples, demos or benchmarks, besides the usual names, in
        /// .gitignore syntax.
        pub examples: Vec<String> = Vec::new(),
        /// Maximum level of copies in test code and examples, which are repetitive by nature.
        pub test_level: Level = Level::Note,
        /// Maximum level of copies in declarative code (style sheets, markup, schemas, queries,
        /// build rules), which is repetitive by nature.
        pub declarative_level: Level = Level::Note,
        /// The level of each rule: `off`, `note`, `warning` or `error`.
        pub rules: BTreeMap<String, LevelSetting> = BTreeMap::new(),
        /// Thresholds for the files of a language, as in `[languages.rust]`: any of `min-tokens`,
        /// `scan-min-tokens`, `min-containment`, `min-agreement`, `min-spelled`, `min-run`,
        /// `min-rarity`, `min-worth`, `test-level`, `declarative-level` and `rules`. The file with
        /// the copy decides; in a scan, the later of the two by path.
        pub languages: BTreeMap<String, RawThresholds> = BTreeMap::new(),
        /// Thresholds for the files that a pattern in .gitignore syntax matches, as in
        /// `[paths."src/**"]`: the same as in `languages`, which they override. Of several
        /// patterns, the one with more characters besides wildcards counts.
        #[serde(deserialize_with = "by_pattern")]
        pub paths: BTreeMap<String, RawThresholds> = BTreeMap::new(),
        /// The lowest level of findings that fails the run: `error`, `warning`, `note` or `never`.
        pub fail_on: FailOn = FailOn::Warning,
        /// The output format. A command without this format prints text.
        pub format: String = "text".to_owned(),
        /// Start of the change for `check` where neither a flag nor CI names one: its merge base
        /// with the head is used. Default: the default branch.
        pub base: String = String::new(),
        /// Whose settings, baseline, decisions and .gitattributes count: `head`, `base`, or `auto`
        /// for `base` where the variable CI is set and `head` elsewhere. Where the base is trusted,
        /// only its settings can change this.
        pub trust: Trust = Trust::Auto,
        /// Whether `check` searches history for deleted code that comes back, as `--history` does.
        pub history: bool = false,
        /// Whether `check` shows when and by whom the origins were written, as `--blame` does.
        pub blame: bool = false,
        /// Corpora to compare with, in addition to `--corpus`: names of stored ones, or folders
        /// whose direct subfolders are components.
        pub corpora: Vec<String> = Vec::new(),
        /// Folders of the repository with third-party code: copies out of them are reported as
        /// `corpus-copy`, with their license.
        pub vendored: Vec<Vendored> = Vec::new(),
        /// Which licenses code may be copied under: `preset`, `project-license`, `allow`, `deny`,
        /// `exceptions`.
        pub license: RawLicense = RawLicense::default(),
        /// The decisions file, with copies that a person has accepted, relative to the root of the
        /// repository. Used if it exists.
        pub decisions: String = "secondhand-decisions.toml".to_owned(),
        /// The name of the project in this folder, for `--project`. Default: the folder.
        pub project: String = String::new(),
        /// Languages to add or replace, by name, with the same keys as the built-in tables.
        #[schemars(with = "BTreeMap<String, serde_json::Value>")]
        #[serde(skip_serializing)]
        pub language: BTreeMap<String, Table> = BTreeMap::new(),
    }
}

/// Defines the options that may differ by folder, language and path: a threshold is a line here,
/// and one where it is used.
macro_rules! thresholds {
    ($($(#[$meta:meta])* $option:ident: $type:ty,)*) => {
        /// Thresholds for some files; what is left out is as for all files.
        #[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
        pub struct RawThresholds {
            $($(#[$meta])* #[serde(skip_serializing_if = "Option::is_none")] pub $option: Option<$type>,)*
            /// The level of each rule: `off`, `note`, `warning` or `error`.
            #[serde(skip_serializing_if = "BTreeMap::is_empty")]
            pub rules: BTreeMap<String, LevelSetting>,
        }

        /// The thresholds of one file, as written.
        #[derive(Debug, Clone, Copy)]
        pub(super) struct FileThresholds {
            $(pub $option: $type,)*
        }

        impl RawThresholds {
            /// Their options.
            pub(super) fn names() -> Vec<String> {
                [$(stringify!($option),)* "rules"].map(|name| name.replace('_', "-")).into()
            }

            /// Leaves the option `key` as it is for all files.
            pub(super) fn clear(&mut self, key: &str) {
                $(if key == stringify!($option).replace('_', "-") { self.$option = None; })*
                match key.strip_prefix("rules") {
                    Some("") => self.rules.clear(),
                    Some(rule) => drop(rule.strip_prefix('.').map(|rule| self.rules.remove(rule))),
                    None => {}
                }
            }

            /// Changes `file` to what these say.
            pub(super) fn apply(&self, file: &mut FileThresholds) {
                $(file.$option = self.$option.unwrap_or(file.$option);)*
            }
        }

        impl FileThresholds {
            /// Those of a file of which nothing special is written.
            pub fn new(raw: &RawConfig) -> Self {
                Self { $($option: raw.$option,)* }
            }
        }
    };
}

thresholds! {
    /// Minimum tokens that a change adds to a copy for `check` to report it.
    min_tokens: usize,
    /// Minimum tokens for `scan` to list a clone.
    scan_min_tokens: usize,
    /// Minimum percent of the copy, or of its origin, that is the same.
    min_containment: u8,
    /// Minimum percent of matching names and literals that agree.
    min_agreement: u8,
    /// Minimum percent of matching names and literals that are spelled the same, unless the copy
    /// has a run of `min-run` tokens.
    min_spelled: u8,
    /// Minimum matching tokens in a row for a copy with other names.
    min_run: usize,
    /// Minimum rarity of a short copy in percent.
    min_rarity: u8,
    /// Minimum worth of a copy for a warning.
    min_worth: u16,
    /// Maximum level of copies in test code and examples.
    test_level: Level,
    /// Maximum level of copies in declarative code.
    declarative_level: Level,
}

/// What `paths` has to be.
pub(super) const EXPECTED_PATHS: &str =
    "a table of thresholds by pattern, as in `[paths.\"src/**\"]`";

/// Reads thresholds by pattern, with an error that says so.
fn by_pattern<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, RawThresholds>, D::Error> {
    struct Patterns;

    impl<'de> Visitor<'de> for Patterns {
        type Value = BTreeMap<String, RawThresholds>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str(EXPECTED_PATHS)
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
            BTreeMap::deserialize(serde::de::value::MapAccessDeserializer::new(map))
        }
    }

    deserializer.deserialize_map(Patterns)
}

/// The lowest level of findings that fails the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FailOn {
    /// Errors only.
    Error,
    /// Warnings and errors.
    Warning,
    /// Any finding.
    Note,
    /// Nothing.
    Never,
}

/// Whose settings and baseline count for a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Trust {
    /// Those of the base where the variable CI is set, else those of the head.
    Auto,
    /// Those of the head; edits to them are listed.
    Head,
    /// Those of the base as it is now, and no suppression that the change adds.
    Base,
}

impl Trust {
    /// The same, or `other` where that is left open.
    pub fn or(self, other: Self) -> Self {
        if self == Self::Auto { other } else { self }
    }
}

/// A folder of the repository with third-party code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Vendored {
    /// The folder, relative to the root of the repository.
    pub path: String,
    /// Its license, an SPDX expression.
    pub license: Option<String>,
    /// The name of the component. Default: the name of the folder.
    pub name: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// Its package URL.
    pub purl: Option<String>,
}

impl Vendored {
    /// Whether this file is in the folder.
    pub fn contains(&self, path: &FilePath) -> bool {
        path.below(self.folder().as_bytes()).is_some()
    }

    /// The name of the component.
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or_else(|| self.folder().rsplit('/').next().unwrap_or_default())
    }

    /// The folder without leading and trailing slashes.
    pub fn folder(&self) -> &str {
        self.path.trim_start_matches("./").trim_matches('/')
    }
}

/// Which licenses code may be copied under.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct RawLicense {
    /// A policy to start from: `permissive`, `weak-copyleft`, `closed`, `gpl-2` or `gpl-3`. Other
    /// settings add to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// The license of the project, an SPDX expression. Decides where the lists do not, using
    /// OSADL's compatibility matrix. Default: what the manifest or license text at the root of the
    /// repository states; `NOASSERTION` for none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_license: Option<String>,
    /// Licenses that code may be copied under: classes (`permissive`), families (`LGPL`), licenses
    /// (`MIT`), SPDX expressions. If there are any, all others are denied. The most specific entry
    /// wins; between equally specific ones, `deny` wins.
    pub allow: Vec<String>,
    /// Licenses that code may not be copied under, in the same form.
    pub deny: Vec<String>,
    /// Copies that are accepted anyway.
    pub exceptions: Vec<RawException>,
}

/// Copies that are accepted whatever the policy says.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RawException {
    /// The file with the copy, or its folder; `*` matches anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The name or package URL of the component; `*` matches anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// The rule. Default: all license rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Why.
    pub reason: String,
    /// The last day it applies, as in 2027-01-31.
    #[serde(
        default,
        deserialize_with = "super::day::day",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<String>")]
    pub until: Option<String>,
}

/// The level of a rule, or `off`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LevelSetting {
    /// The rule is off.
    Off,
    /// Worth knowing.
    Note,
    /// To be looked at.
    Warning,
    /// Must not be merged.
    Error,
}

impl LevelSetting {
    pub(super) fn level(self) -> Option<Level> {
        match self {
            Self::Off => None,
            Self::Note => Some(Level::Note),
            Self::Warning => Some(Level::Warning),
            Self::Error => Some(Level::Error),
        }
    }
}

/// The JSON schema of the settings.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(RawConfig).to_value()
}

/// An option of the settings file, for the reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigOption {
    /// Its key.
    pub name: String,
    /// What it does.
    pub help: String,
    /// Its default, as TOML.
    pub default: String,
    /// Whether it is a threshold that few have reason to change.
    pub is_advanced: bool,
}

/// The names of all options, in the order of the file.
pub fn option_names() -> Vec<String> {
    let schema = schema();
    let properties = schema["properties"].as_object().into_iter().flatten();
    properties.map(|(name, _)| name.clone()).collect()
}

/// All options, in the order of the file. Each default is written out: who wants names asks for
/// [those](option_names).
pub fn options() -> Vec<ConfigOption> {
    let schema = schema();
    let properties = schema["properties"].as_object().into_iter().flatten();
    let defaults = RawConfig::default();
    Vec::from_iter(properties.map(|(name, property)| ConfigOption {
        name: name.clone(),
        help: property["description"].as_str().unwrap_or_default().replace('\n', " "),
        default: defaults.get(name).unwrap_or_else(|| "{}".to_owned()),
        is_advanced: property.get("x-advanced").is_some(),
    }))
}
