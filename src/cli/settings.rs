//! Combines the settings: the file, then `SECONDHAND_*` variables, then flags.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::error::Failure;
use super::flags::{Common, Setting};
use crate::config::{Config, RawConfig, find, options};

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
