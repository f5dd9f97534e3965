//! Holds what variables and flags set: it takes the place of what settings files have.

use std::env;

use super::Config;
use super::file::{ConfigError, Leaf, names_of};
use super::folders::FolderSettings;
use super::raw::{RawConfig, option_names};
use super::written::SettingsFile;

/// An option and its value, as a flag sets it.
pub type Setting = (&'static str, String);

/// What variables and flags set, the weakest first.
#[derive(Debug, Clone)]
pub struct Overrides(Vec<Override>);

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
        let names = if variables().is_empty() { Vec::new() } else { option_names() };
        let mut variables = Vec::from_iter(names.into_iter().filter_map(|key| {
            let by = variable_of(&key);
            let value = env::var(&by).ok()?;
            Some(Override { key, value, by: format!("the variable {by}") })
        }));
        let set = set.iter().map(|(key, value)| (key.as_str(), value, "--set".to_owned()));
        let named = flags.iter().map(|(key, value)| (*key, value, "the command line".to_owned()));
        let flags = set.chain(named);
        let mut flags = Vec::from_iter(flags.map(|(key, value, by)| Override {
            key: key.to_owned(),
            value: value.clone(),
            by,
        }));
        // What is set for all files comes first: it takes the place of what the file has for some.
        for level in [&mut variables, &mut flags] {
            level.sort_by_key(|of| is_special(&of.key));
        }
        variables.extend(flags);
        Self(variables)
    }

    /// Checks and completes the settings after applying them. An error names what set the value
    /// that cannot be used.
    pub fn complete(&self, written: &SettingsFile) -> Result<Config, ConfigError> {
        let raw = self.over(written.raw.clone())?;
        let changes = self.changes(&written.raw, &raw);
        let config = written.complete(raw, &self.over_folders(&written.folders)?);
        let mut config = config.map_err(|error| self.blamed(error))?;
        config.files.changes = changes;
        Ok(config)
    }

    /// `raw` after applying them.
    pub fn over(&self, mut raw: RawConfig) -> Result<RawConfig, ConfigError> {
        for Override { key, value, by } in &self.0 {
            raw = raw.with(key, value, by)?;
            if !is_special(key) {
                raw = raw.for_all_files(key);
            }
        }
        Ok(raw)
    }

    /// Each option and part of one, and the file and line, variable or flag that sets it, in the
    /// order of the reference.
    pub fn values(
        &self,
        written: &SettingsFile,
    ) -> Result<Vec<(Leaf, Option<String>)>, ConfigError> {
        let raw = self.over(written.raw.clone())?;
        let default = RawConfig::default().leaves(|_| true);
        let values = raw.leaves(|_| true).into_iter().map(|leaf| {
            let is_changed = !default.contains(&leaf);
            let source = self.source(&leaf.names).map(str::to_owned);
            let source = source.or_else(|| written.place_of(&leaf.names));
            // A part of a table that the file writes on one line.
            let table = || written.place_of(&leaf.names[..1]).filter(|_| is_changed);
            let source = source.or_else(table);
            (leaf, source)
        });
        Ok(values.collect())
    }

    /// The options whose values differ after applying them, and change what is found.
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

    /// The settings of folders after applying them, and last what they set for some files alone.
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
        let is_of = |key: &str| names_of(key).iter().zip(names).all(|(a, b)| a == b);
        self.0.iter().rfind(|of| is_of(&of.key)).map(|of| of.by.as_str())
    }

    fn blamed(&self, mut error: ConfigError) -> ConfigError {
        if let ConfigError::Value { file, key, .. } = &mut error
            && let Some(by) = self.source(&names_of(key))
        {
            by.clone_into(file);
        }
        error
    }
}

/// The variable of an option.
pub fn variable_of(option: &str) -> String {
    format!("SECONDHAND_{}", option.to_uppercase().replace('-', "_"))
}

/// Our variables that are set.
pub fn variables() -> Vec<String> {
    let all = env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
    all.filter(|name| name.starts_with("SECONDHAND_")).collect()
}

/// Whether an option is for some files only.
fn is_special(key: &str) -> bool {
    key.starts_with("languages.") || key.starts_with("paths.")
}
