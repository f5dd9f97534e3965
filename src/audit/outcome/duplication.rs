//! Measures how much of a tree is duplicated, by language and by folder.
//!
//! There is one figure: the lines of source that would go if each class were written once. Tests,
//! examples and documents are no source, as they repeat by nature; a class that would not be worth
//! a warning in a change does not count.

use std::collections::BTreeMap;

use crate::text::FilePath;

/// How much of some files is duplicated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Share {
    /// The files.
    pub n_files: usize,
    /// Their lines, without those of test code.
    pub n_lines: usize,
    /// Those of them that would go if each class were written once.
    pub duplicated_lines: usize,
}

impl Share {
    /// The duplicated fraction of the lines, 0 to 100.
    pub fn percent(&self) -> f64 {
        100.0 * self.duplicated_lines as f64 / self.n_lines.max(1) as f64
    }

    fn add(&mut self, other: &Self) {
        self.n_files += other.n_files;
        self.n_lines += other.n_lines;
        self.duplicated_lines += other.duplicated_lines;
    }
}

/// How much of the source of a tree is duplicated.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Duplication {
    /// All of it.
    pub total: Share,
    /// The classes that count.
    pub n_classes: usize,
    /// By the name of the language.
    pub by_language: BTreeMap<String, Share>,
    /// By folder directly below the root; files at the root count as `.`.
    pub by_folder: BTreeMap<FilePath, Share>,
    /// By file.
    pub by_file: BTreeMap<FilePath, Share>,
}

impl Duplication {
    /// Adds a file.
    pub(in crate::audit) fn add(&mut self, path: &FilePath, language: &str, file: &Share) {
        let folder = match path.as_bytes().iter().position(|&byte| byte == b'/') {
            Some(end) => &path.as_bytes()[..end],
            None => b".",
        };
        self.total.add(file);
        self.by_language.entry(language.to_owned()).or_default().add(file);
        self.by_folder.entry(FilePath::new(folder)).or_default().add(file);
        self.by_file.entry(path.clone()).or_default().add(file);
    }
}
