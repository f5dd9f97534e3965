//! Names the settings files that judge a file.

use crate::text::FilePath;

/// The settings files of a repository, each for the files of its folder.
#[derive(Debug, Clone, Default)]
pub struct SettingsFiles {
    /// The file at the root, if there is one.
    pub root: Option<String>,
    /// Folders below the root with settings of their own, and these, an outer folder before those
    /// in it.
    folders: Vec<(FilePath, String)>,
}

impl SettingsFiles {
    /// Those of these folders; an outer one comes before those in it.
    pub fn new<'f>(folders: impl Iterator<Item = (FilePath, &'f FilePath)>) -> Self {
        Self {
            root: None,
            folders: folders.map(|(folder, file)| (folder, file.to_string())).collect(),
        }
    }

    /// Whether folders have settings of their own.
    pub fn are_nested(&self) -> bool {
        !self.folders.is_empty()
    }

    /// The settings files that judge the file at `path`, the nearest first. Time O(n) for n
    /// folders.
    pub fn of(&self, path: &FilePath) -> Vec<&str> {
        let nested = self
            .folders
            .iter()
            .rev()
            .filter(|(folder, _)| path.is_in(folder))
            .map(|(_, file)| file);
        nested.chain(&self.root).map(String::as_str).collect()
    }
}
