//! Combines the settings: the file, then `SECONDHAND_*` variables, then flags.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::error::Failure;
use super::flags::{Common, Setting};
use super::output::warn;
use crate::config::{Config, RawConfig, find, options};
use crate::text::{nearest, printable};

/// The settings in use, checked, and the name of their source for messages.
pub(super) fn read(common: &Common, root: Option<&Path>, flags: &[Setting]) -> Result<(Config, String), Failure> {
    complete(written(common, root)?, common, flags)
}

/// Like [`read`], but with settings that come from a commit instead of a file.
pub(super) fn complete(
    (written, origin): (RawConfig, String),
    common: &Common,
    flags: &[Setting],
) -> Result<(Config, String), Failure> {
    Ok((Config::new(overridden(written, common, flags)?, &origin)?, origin))
}

/// The settings in use before they are checked, and where they were written.
pub(super) fn raw(common: &Common, root: Option<&Path>, flags: &[Setting]) -> Result<(RawConfig, String), Failure> {
    let (written, origin) = written(common, root)?;
    Ok((overridden(written, common, flags)?, origin))
}

/// The settings as the file has them that counts, and its name.
pub(super) fn written(common: &Common, root: Option<&Path>) -> Result<(RawConfig, String), Failure> {
    let file: Option<PathBuf> = match (&common.config, common.isolated) {
        (_, true) => None,
        (Some(file), false) => Some(file.clone()),
        (None, false) => root.and_then(find),
    };
    let written = match &file {
        Some(file) => RawConfig::read(file, root)?,
        None => RawConfig::default(),
    };
    Ok((written, file.map_or_else(|| "the settings".to_owned(), |file| format!("`{}`", file.display()))))
}

/// Warns about each `SECONDHAND_*` variable that names neither an option nor a flag: it has no effect.
pub(super) fn warn_of_variables(flags: &clap::Command) {
    let is_ours = |name: &String| name.starts_with("SECONDHAND_");
    let set: Vec<String> = env::vars_os().filter_map(|(name, _)| name.into_string().ok()).filter(is_ours).collect();
    if set.is_empty() {
        return;
    }
    let of_option = |name: &str| format!("SECONDHAND_{}", name.to_uppercase().replace('-', "_"));
    let mut known: Vec<String> = options().iter().map(|option| of_option(&option.name)).collect();
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

/// The settings after applying variables and flags.
fn overridden(mut raw: RawConfig, common: &Common, flags: &[Setting]) -> Result<RawConfig, Failure> {
    let is_ours = |(name, _): &(OsString, OsString)| name.as_encoded_bytes().starts_with(b"SECONDHAND_");
    let options = if env::vars_os().any(|variable| is_ours(&variable)) { options() } else { Vec::new() };
    for name in options.into_iter().map(|option| option.name) {
        let variable = format!("SECONDHAND_{}", name.to_uppercase().replace('-', "_"));
        if let Ok(value) = env::var(&variable) {
            raw = raw.with(&name, &value, &format!("the variable {variable}"))?;
        }
    }
    for (name, value) in &common.set {
        raw = raw.with(name, value, "--set")?;
    }
    for (name, value) in flags {
        raw = raw.with(name, value, &format!("--{name}"))?;
    }
    Ok(raw)
}
