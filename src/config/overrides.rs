//! Holds what variables and flags set: it takes the place of what settings files have.

use std::env;

use super::Config;
use super::file::{ConfigError, Leaf, names_of};
use super::folders::FolderSettings;
use super::raw::{RawConfig, options};
use super::written::SettingsFile;

/// An option and its value, as a flag sets it.
pub type Setting = (&'static str, String);

/// What variables and flags set, the weakest first.
#[derive(Debug, Clone)]
pub struct Overrides(Vec<Override>);

/// An option that a variable or a flag sets.
#[derive(Debug, Clone)]
struct Override {
    key: String,
    value: String,
    /// The variable or flag.
    by: String,
}

impl Overrides {
    /// The variables of the process, what `--set` sets, and `flags`.
    pub fn new(set: &[(String, String)], flags: &[Setting]) -> Self {
        let options = if variables().is_empty() { Vec::new() } else { options() };
        let mut variables = Vec::from_iter(options.into_iter().filter_map(|option| {
            let variable = variable_of(&option.name);
            let (key, value) = (option.name, env::var(&variable).ok()?);
            Some(Override { key, value, by: format!("the variable {variable}") })
        }));
        let set = set.iter().map(|(key, value)| (key.clone(), value.clone(), "--set".to_owned()));
        let named =
            flags.iter().map(|(key, value)| ((*key).to_owned(), value.clone(), format!("--{key}")));
        let mut flags: Vec<_> =
            set.chain(named).map(|(key, value, by)| Override { key, value, by }).collect();
        // What is set for all files comes first: it takes the place of what the file has for some.
        for level in [&mut variables, &mut flags] {
            level.sort_by_key(|of| is_special(&of.key));
        }
        variables.extend(flags);
        Self(variables)
    }

    /// Checks and completes the settings after applying them; also hands out where these are from,
    /// for messages.
    ///
    /// # Errors
    /// If a value cannot be used: what set it is named.
    pub fn complete(&self, written: &SettingsFile) -> Result<(Config, String), ConfigError> {
        let raw = self.over(written.raw.clone())?;
        let changes = self.changes(&written.raw, &raw);
        let config = written.complete(raw, &self.over_folders(&written.folders)?);
        let mut config = config.map_err(|error| self.blamed(error))?;
        config.files.changes = changes;
        Ok((config, written.origin.clone()))
    }

    /// The settings after applying them.
    ///
    /// # Errors
    /// If there is no such option, or it cannot have such a value.
    pub fn over(&self, mut raw: RawConfig) -> Result<RawConfig, ConfigError> {
        for Override { key, value, by } in &self.0 {
            raw = raw.with(key, value, by)?;
            if !is_special(key) {
                raw = raw.for_all_files(key);
            }
        }
        Ok(raw)
    }

    /// Each option with its value and where that was set, in the order of the reference.
    pub fn values(&self, written: &SettingsFile) -> Result<Vec<OptionValue>, ConfigError> {
        let raw = self.over(written.raw.clone())?;
        let default = RawConfig::default().leaves(|_| true);
        let values = raw.leaves(|_| true).into_iter().map(|leaf| {
            let is_changed = !default.contains(&leaf);
            let Leaf { names, key, value } = leaf;
            let source = self.source(&names).map(str::to_owned);
            let source = source.or_else(|| written.place_of(&names));
            // A part of a table that the file writes on one line.
            let source = source.or_else(|| written.place_of(&names[..1]).filter(|_| is_changed));
            OptionValue { key, value, source }
        });
        Ok(values.collect())
    }

    /// The options whose values differ after applying them; not those that change nothing of what
    /// is found.
    fn changes(&self, before: &RawConfig, after: &RawConfig) -> Vec<String> {
        // What is set for all files takes the place of what is set for some.
        let mut set = vec!["languages".to_owned(), "paths".to_owned()];
        set.extend(self.0.iter().filter_map(|of| names_of(&of.key).into_iter().next()));
        set.retain(|name| name != "fail-on" && name != "format");
        let [before, after] =
            [before, after].map(|raw| raw.leaves(|name| set.iter().any(|other| other == name)));
        let changed = after.into_iter().filter(|leaf| !before.contains(leaf));
        changed.map(|Leaf { key, value, .. }| format!("{key} = {value}")).collect()
    }

    /// The settings of folders after applying them. What they set for some files outranks every
    /// folder, so it comes last.
    fn over_folders(&self, folders: &[FolderSettings]) -> Result<Vec<FolderSettings>, ConfigError> {
        if folders.is_empty() {
            return Ok(Vec::new());
        }
        let mut folders = folders.to_vec();
        let mut last = RawConfig::default();
        for Override { key, value, by } in &self.0 {
            if is_special(key) {
                last = last.with(key, value, by)?;
            } else {
                last = last.for_all_files(key);
                folders.iter_mut().for_each(|folder| folder.clear(key));
            }
        }
        folders.push(FolderSettings::of_all(last));
        Ok(folders)
    }

    /// The value of the option `key`, if a variable or flag sets it to something.
    pub fn value(&self, key: &str) -> Option<&str> {
        let set = self.0.iter().rfind(|of| of.key == key);
        set.map(|of| of.value.as_str()).filter(|value| !value.is_empty())
    }

    /// What sets the option with these names, or part of it.
    fn source(&self, names: &[String]) -> Option<&str> {
        let set =
            self.0.iter().rfind(|of| names_of(&of.key).iter().zip(names).all(|(a, b)| a == b));
        set.map(|of| of.by.as_str())
    }

    /// The error, with what set the value that cannot be used.
    fn blamed(&self, error: ConfigError) -> ConfigError {
        match error {
            ConfigError::Value { file, key, why, nearest } => {
                let set = self.source(&names_of(&key)).map(str::to_owned);
                ConfigError::Value { file: set.unwrap_or(file), key, why, nearest }
            }
            other => other,
        }
    }
}

/// The value of an option or of a part of it, and where it was set; `None` if nothing sets it.
#[derive(Debug)]
pub struct OptionValue {
    /// The option.
    pub key: String,
    /// Its value, as TOML.
    pub value: String,
    /// The file and line, variable or flag.
    pub source: Option<String>,
}

/// The variable of an option.
pub fn variable_of(option: &str) -> String {
    format!("SECONDHAND_{}", option.to_uppercase().replace('-', "_"))
}

/// The names of our variables that are set.
pub fn variables() -> Vec<String> {
    let all = env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    all.filter(|name| name.starts_with("SECONDHAND_")).collect()
}

/// Whether an option is for some files only.
fn is_special(key: &str) -> bool {
    ["languages", "paths"]
        .iter()
        .any(|table| key.strip_prefix(table).is_some_and(|rest| rest.starts_with('.')))
}
