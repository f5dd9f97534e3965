//! Reads real text and code: as the papers did, a letter at a time, and as secondhand does, in tokens.

use std::io;
use std::path::{Path, PathBuf};

use secondhand::language::Languages;
use secondhand::text::FilePath;

/// What was read.
#[derive(Debug, Default)]
pub struct Input {
    /// Of each file, its letters: lower case, without white space (section 2.1 of the winnowing paper).
    pub texts: Vec<Vec<u64>>,
    /// Of each file in a known language, its normalized tokens.
    pub codes: Vec<Vec<u64>>,
}

/// Maximum bytes of a file.
const MAX_FILE: u64 = 4 << 20;

impl Input {
    /// Reads files and folders, in the order of paths.
    ///
    /// # Errors
    /// If a path that was given cannot be read. What is not text is left out.
    pub fn read(paths: &[PathBuf]) -> io::Result<Self> {
        let mut files = Vec::new();
        paths.iter().try_for_each(|path| collect(path, &mut files))?;
        files.sort();
        let languages = Languages::builtin();
        let mut input = Self::default();
        for file in files {
            let bytes = std::fs::read(&file)?;
            if bytes.contains(&0) {
                continue;
            }
            let letters = bytes.iter().filter(|byte| !byte.is_ascii_whitespace());
            input.texts.push(letters.map(|byte| u64::from(byte.to_ascii_lowercase())).collect());
            let name = FilePath::new(file.as_os_str().as_encoded_bytes());
            if let Some(language) = languages.identify(&name, &bytes).filter(|language| !language.is_data) {
                let mut tokens = Vec::new();
                languages.tokenize(language, &bytes, false, &mut tokens);
                input.codes.push(tokens.iter().map(|token| u64::from(token.symbol.get())).collect());
            }
        }
        Ok(input)
    }
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    let metadata = std::fs::symlink_metadata(path)?;
    if metadata.is_dir() {
        for child in std::fs::read_dir(path)? {
            let child = child?;
            if child.file_name() != ".git" {
                collect(&child.path(), files)?;
            }
        }
    } else if metadata.is_file() && metadata.len() <= MAX_FILE {
        files.push(path.to_owned());
    }
    Ok(())
}
