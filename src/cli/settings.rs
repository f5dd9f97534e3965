//! Combines the settings: the file, then `SECONDHAND_*` variables, then flags.

use std::env;

use super::error::Failure;
use super::flags::{Common, Setting};
use super::output::warn;
use crate::config::{Config, ConfigError, FolderSettings, Leaf, RawConfig, Reach, Written, find, options};
use crate::files::Entry;
use crate::git::Repository;
use crate::language::Languages;
use crate::text::{FilePath, nearest, printable};

/// The settings in use, checked, and the name of their source for messages.
pub(super) fn read(
    common: &Common,
    repository: Option<&Repository>,
    flags: &[Setting],
) -> Result<(Config, String), Failure> {
    complete(&written(common, repository)?, &Overrides::new(common, flags))
}

/// Like [`read`], but with settings that come from a commit instead of a file.
pub(super) fn complete(written: &Written, overrides: &Overrides) -> Result<(Config, String), Failure> {
    let config = written.complete(overrides.over(written.raw.clone())?, &overrides.over_folders(&written.folders)?);
    Ok((config.map_err(|error| overrides.blamed(error))?, written.origin.clone()))
}

/// The settings as the files have them that count: the one that a flag names, or those of the repository's root and of
/// the folders with tracked files.
pub(super) fn written(common: &Common, repository: Option<&Repository>) -> Result<Written, Failure> {
    let root = repository.map(Repository::root);
    if common.isolated {
        return Ok(Written::nowhere());
    }
    if let Some(file) = &common.config {
        return Ok(Written::read(file, root)?);
    }
    let written = root.and_then(find).map(|file| Written::read(&file, root)).transpose()?;
    let mut written = written.unwrap_or_else(Written::nowhere);
    if let Some(repository) = repository {
        let reach = Reach::new(&written.raw);
        for folder in repository.reader().tracked_folders()?.iter().filter(|folder| reach.heeds(folder)) {
            written.folders.extend(FolderSettings::read(repository.root(), folder)?);
        }
    }
    Ok(written)
}

/// The folders of the projects with these names: what their settings call them, or their paths.
///
/// # Errors
/// If there is no such project.
pub(super) fn projects(names: &[String], written: &Written) -> Result<Vec<FilePath>, Failure> {
    let of_root = (written.raw.project.clone(), FilePath::new(""));
    let of_folders = written.folders.iter().map(|of| (of.name(), of.folder.clone()));
    let known: Vec<(String, FilePath)> =
        [of_root].into_iter().filter(|of| !of.0.is_empty()).chain(of_folders).collect();
    let folder = |name: &String| {
        let path = name.trim_start_matches("./").trim_matches('/');
        let named = known.iter().find(|(known, _)| known == name);
        let found = named.or_else(|| known.iter().find(|(_, folder)| folder.as_bytes() == path.as_bytes()));
        let known = || known.iter().map(|(name, _)| name.clone()).collect();
        found.map(|(_, folder)| folder.clone()).ok_or_else(|| Failure::NoProject { name: name.clone(), known: known() })
    };
    names.iter().map(folder).collect()
}

/// The variable of an option.
fn variable_of(option: &str) -> String {
    format!("SECONDHAND_{}", option.to_uppercase().replace('-', "_"))
}

/// Warns about each `SECONDHAND_*` variable that names neither an option nor a flag: it has no effect.
pub(super) fn warn_of_variables(flags: &clap::Command) {
    let set = variables();
    if set.is_empty() {
        return;
    }
    let mut known: Vec<String> = options().iter().map(|option| variable_of(&option.name)).collect();
    let commands = std::iter::once(flags).chain(flags.get_subcommands());
    let of_flags = commands.flat_map(clap::Command::get_arguments).filter_map(|flag| flag.get_env()?.to_str());
    known.extend(of_flags.map(str::to_owned));
    // The action sets these for its scripts.
    known.extend(["SECONDHAND_VERSION_WANTED", "SECONDHAND_CLIENTS"].map(str::to_owned));
    let names: Vec<&str> = known.iter().map(String::as_str).collect();
    for name in set.iter().filter(|name| !names.contains(&name.as_str())) {
        let meant = nearest(name, &names).map(|nearest| format!("; did you mean `{nearest}`?")).unwrap_or_default();
        warn(&format!(
            "the variable `{}` has no effect: no option or flag has that name{meant}",
            printable(name.as_bytes())
        ));
    }
}

/// The names of our variables that are set.
fn variables() -> Vec<String> {
    let is_ours = |name: &String| name.starts_with("SECONDHAND_");
    env::vars_os().filter_map(|(name, _)| name.into_string().ok()).filter(is_ours).collect()
}

/// What variables and flags set, the weakest first.
#[derive(Debug)]
pub(super) struct Overrides(Vec<Override>);

/// An option that a variable or a flag sets.
#[derive(Debug)]
struct Override {
    key: String,
    value: String,
    /// The variable or flag.
    by: String,
}

impl Overrides {
    /// The variables of the process, `--set`, and `flags`.
    pub fn new(common: &Common, flags: &[Setting]) -> Self {
        let options = if variables().is_empty() { Vec::new() } else { options() };
        let of_variable = |key: String| {
            let variable = variable_of(&key);
            let value = env::var(&variable).ok()?;
            Some(Override { key, value, by: format!("the variable {variable}") })
        };
        let mut variables: Vec<_> = options.into_iter().filter_map(|option| of_variable(option.name)).collect();
        let set = common.set.iter().map(|(key, value)| (key.clone(), value.clone(), "--set".to_owned()));
        let named = flags.iter().map(|(key, value)| ((*key).to_owned(), value.clone(), format!("--{key}")));
        let mut flags: Vec<_> = set.chain(named).map(|(key, value, by)| Override { key, value, by }).collect();
        // What is set for all files comes first: it takes the place of what the file has for some.
        for level in [&mut variables, &mut flags] {
            level.sort_by_key(|of| is_special(&of.key));
        }
        variables.extend(flags);
        Self(variables)
    }

    /// The settings after applying them.
    pub fn over(&self, mut raw: RawConfig) -> Result<RawConfig, Failure> {
        for Override { key, value, by } in &self.0 {
            raw = raw.with(key, value, by)?;
            if !is_special(key) {
                raw = raw.for_all_files(key);
            }
        }
        Ok(raw)
    }

    /// The settings of folders after applying them. What they set for some files outranks every folder, so it comes
    /// last.
    fn over_folders(&self, folders: &[FolderSettings]) -> Result<Vec<FolderSettings>, Failure> {
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
        let sets = |of: &&Override| {
            let own = crate::config::names_of(&of.key);
            own.iter().zip(names).all(|(a, b)| a == b)
        };
        self.0.iter().rfind(sets).map(|of| of.by.as_str())
    }

    /// The error, with what set the value that cannot be used.
    fn blamed(&self, error: ConfigError) -> ConfigError {
        match error {
            ConfigError::Value { file, key, why, nearest } => {
                let set = self.source(&crate::config::names_of(&key)).map(str::to_owned);
                ConfigError::Value { file: set.unwrap_or(file), key, why, nearest }
            }
            other => other,
        }
    }
}

/// Warns about each setting that is for files which are not among `entries`.
pub(super) fn warn_of_idle(config: &Config, languages: &Languages, entries: &[Entry]) {
    let paths: Vec<_> = entries.iter().map(|entry| &entry.path).collect();
    for idle in config.idle(&paths, languages) {
        warn(&printable(idle.as_bytes()));
    }
}

/// Whether an option is for some files only.
fn is_special(key: &str) -> bool {
    ["languages", "paths"].iter().any(|table| key.strip_prefix(table).is_some_and(|rest| rest.starts_with('.')))
}

/// The value of an option or of a part of it, and where it was set; `None` if nothing sets it.
pub(super) struct Shown {
    pub key: String,
    pub value: String,
    pub source: Option<String>,
}

/// Each option with its value and where that was set, in the order of the reference.
pub(super) fn shown(written: &Written, overrides: &Overrides) -> Result<Vec<Shown>, Failure> {
    let raw = overrides.over(written.raw.clone())?;
    let default = RawConfig::default().leaves();
    let of_leaf = |Leaf { names, key, value }: Leaf| {
        let in_file = |names: &[String]| Some(format!("{}, line {}", written.origin, written.line_of(names)?));
        let is_changed = !default.iter().any(|leaf| leaf.names == names && leaf.value == value);
        let source = overrides.source(&names).map(str::to_owned).or_else(|| in_file(&names));
        // A part of a table that the file writes on one line.
        let source = source.or_else(|| in_file(&names[..1]).filter(|_| is_changed));
        Shown { key, value, source }
    };
    Ok(raw.leaves().into_iter().map(of_leaf).collect())
}
