//! Names the settings files that judge a file.

use crate::text::FilePath;

/// The settings files of a repository, each for the files of its folder.
#[derive(Debug, Clone, Default)]
pub struct SettingsFiles {
    /// The file at the root, if there is one.
    pub root: Option<SettingsDigest>,
    /// What variables and flags change of that: `min-tokens = 200`.
    pub changes: Vec<String>,
    /// Folders below the root with settings of their own, an outer one before those in it.
    pub folders: Vec<(FilePath, SettingsDigest)>,
}

/// A settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsDigest {
    /// Its path.
    pub file: String,
    /// A digest (SHA-256) of its text, in hexadecimal.
    pub digest: String,
}

impl SettingsFiles {
    /// All files, with their digests, and what variables and flags change; `none` for the defaults.
    pub fn describe(&self) -> String {
        let nested = self.folders.iter().map(|(_, file)| file);
        let files = self.root.iter().chain(nested);
        let named = files.map(|of| format!("{} (sha256 {})", of.file, &of.digest[..16]));
        let all: Vec<String> = named.chain(self.changes.iter().cloned()).collect();
        if all.is_empty() { "none".to_owned() } else { all.join(", ") }
    }

    /// Whether folders have settings of their own.
    pub fn are_nested(&self) -> bool {
        !self.folders.is_empty()
    }

    /// The settings files that judge the file at `path`, the nearest first.
    pub fn of(&self, path: &FilePath) -> Vec<&str> {
        let nested = self
            .folders
            .iter()
            .rev()
            .filter(|(folder, _)| path.is_in(folder))
            .map(|(_, file)| file);
        nested.chain(&self.root).map(|of| &*of.file).collect()
    }
}
