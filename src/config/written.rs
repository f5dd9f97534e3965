//! Holds the settings as their files have them, those of the root and of folders.

use std::path::Path;

use super::file::line_of;
use super::regular::{below, read_text};
use super::{Config, ConfigError, FolderSettings, RawConfig, digest};
use crate::text::{MAX_WRITTEN, printable};

/// Settings as a file has them, and the file.
#[derive(Debug, Clone, Default)]
pub struct SettingsFile {
    /// The settings.
    pub raw: RawConfig,
    /// The file, for messages.
    pub origin: String,
    /// The file, for reports: from the root of the repository if it lies there.
    pub file: Option<String>,
    /// The settings of subfolders, an outer one before those in it.
    pub folders: Vec<FolderSettings>,
    text: String,
}

impl SettingsFile {
    /// No file.
    pub fn nowhere() -> Self {
        Self { origin: "the settings".to_owned(), ..Self::default() }
    }

    /// Reads a settings file, of the repository at `root` if there is one.
    pub fn read(file: &Path, root: Option<&Path>) -> Result<Self, ConfigError> {
        let text = read_text(file, root, MAX_WRITTEN)
            .map_err(|why| ConfigError::File { file: file.to_owned(), why })?;
        let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy();
        let shown = root.and_then(|root| below(file, root)).unwrap_or_else(|| file.to_owned());
        let shown = Some(printable(shown.as_os_str().as_encoded_bytes()));
        Ok(Self { file: shown, ..Self::parse(text, &name, format!("`{}`", file.display()))? })
    }

    /// Reads settings from `text`; `name` is the file name and `origin` the file, for messages.
    pub fn parse(text: String, name: &str, origin: String) -> Result<Self, ConfigError> {
        let raw = RawConfig::parse(&text, name)?;
        Ok(Self { raw, origin, file: Some(name.to_owned()), folders: Vec::new(), text })
    }

    /// The file and the line of it that sets the option with these names.
    pub(super) fn place_of(&self, names: &[String]) -> Option<String> {
        Some(format!("{}, line {}", self.origin, line_of(&self.text, names, "")?))
    }

    /// Checks and completes `raw` and `folders`, what variables and flags made of these settings.
    pub fn complete(
        &self,
        raw: RawConfig,
        folders: &[FolderSettings],
    ) -> Result<Config, ConfigError> {
        let mut config = Config::with_folders(raw, folders, &self.origin)
            .map_err(|error| error.located(&self.text))?;
        config.files.root = self.file.as_ref().map(|file| digest(file, &self.text));
        Ok(config)
    }
}
