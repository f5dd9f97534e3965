//! Measures how much of a tree is duplicated, by language and by folder.

use std::collections::BTreeMap;

use crate::text::FilePath;

/// How much of some files is duplicated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Share {
    /// The files.
    pub n_files: usize,
    /// Their lines.
    pub n_lines: usize,
    /// Their tokens.
    pub n_tokens: usize,
    /// Lines that a clone touches.
    pub duplicated_lines: usize,
    /// Tokens that are part of a clone.
    pub duplicated_tokens: usize,
}

impl Share {
    /// The duplicated fraction of the lines, 0 to 100.
    pub fn percent_of_lines(&self) -> f64 {
        percent(self.duplicated_lines, self.n_lines)
    }

    /// The duplicated fraction of the tokens, 0 to 100.
    pub fn percent_of_tokens(&self) -> f64 {
        percent(self.duplicated_tokens, self.n_tokens)
    }

    fn add(&mut self, file: &FileShare) {
        self.n_files += 1;
        self.n_lines += file.n_lines;
        self.n_tokens += file.n_tokens;
        self.duplicated_lines += file.duplicated_lines;
        self.duplicated_tokens += file.duplicated_tokens;
    }
}

fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

/// How much of one file is duplicated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::audit) struct FileShare {
    pub n_lines: usize,
    pub n_tokens: usize,
    pub duplicated_lines: usize,
    pub duplicated_tokens: usize,
}

/// How much of a tree is duplicated.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Duplication {
    /// All of it.
    pub total: Share,
    /// What is neither test code nor an example nor a document.
    pub source: Share,
    /// By the name of the language.
    pub by_language: BTreeMap<String, Share>,
    /// By folder directly below the root; files at the root count as `.`.
    pub by_folder: BTreeMap<FilePath, Share>,
    /// By file.
    pub by_file: BTreeMap<FilePath, Share>,
}

impl Duplication {
    /// Adds a file, and the part of it that is source, if any.
    pub(in crate::audit) fn add(
        &mut self,
        path: &FilePath,
        language: &str,
        file: &FileShare,
        source: Option<&FileShare>,
    ) {
        let folder = match path.as_bytes().iter().position(|&byte| byte == b'/') {
            Some(end) => &path.as_bytes()[..end],
            None => b".",
        };
        self.total.add(file);
        if let Some(source) = source {
            self.source.add(source);
        }
        self.by_language.entry(language.to_owned()).or_default().add(file);
        self.by_folder.entry(FilePath::new(folder)).or_default().add(file);
        self.by_file.entry(path.clone()).or_default().add(file);
    }
}
