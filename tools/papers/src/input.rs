//! Reads real text and code: as the papers did, a letter at a time, as secondhand does, in tokens,
//! and as words.

use std::io;
use std::path::{Path, PathBuf};

use secondhand::language::{Kind, Languages, Token, page_text, words};
use secondhand::text::FilePath;

/// What was read.
#[derive(Debug, Default)]
pub struct Input {
    /// Of each file, its letters: lower case, without white space (section 2.1 of the winnowing
    /// paper).
    pub texts: Vec<Vec<u64>>,
    /// Of each file in a known language, its normalized tokens.
    pub codes: Vec<Vec<u64>>,
    /// For each token of these, its name; 0 for what is no name.
    pub names: Vec<Vec<u32>>,
    /// The project of each text and of each code: a path that was given.
    pub projects: [Vec<usize>; 2],
    /// Documents in a human language.
    pub proses: Vec<Prose>,
    /// The bytes read.
    pub n_bytes: usize,
}

/// A document in a human language.
#[derive(Debug, Clone)]
pub struct Prose {
    /// The project that it is of.
    pub project: usize,
    /// Its words, in lower case.
    pub words: Vec<Word>,
}

/// A word of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    pub letters: Vec<u8>,
    /// Whether a sentence or a paragraph ends behind it.
    pub is_last: bool,
}

/// Maximum bytes of a file.
const MAX_FILE: u64 = 4 << 20;
/// Minimum words of a document.
const MIN_WORDS: usize = 100;

impl Input {
    /// Reads files and folders, in the order of paths.
    ///
    /// # Errors
    /// If a path that was given cannot be read. What is not text is left out.
    pub fn read(paths: &[PathBuf]) -> io::Result<Self> {
        let languages = Languages::builtin();
        let mut input = Self::default();
        for (project, path) in paths.iter().enumerate() {
            let mut files = Vec::new();
            collect(path, &mut files)?;
            files.sort();
            for file in files {
                let bytes = std::fs::read(&file)?;
                if !bytes.contains(&0) {
                    input.take(languages, project, &file, &bytes);
                }
            }
        }
        Ok(input)
    }

    fn take(&mut self, languages: &Languages, project: usize, file: &Path, bytes: &[u8]) {
        self.n_bytes += bytes.len();
        let language =
            languages.identify(&FilePath::new(file.as_os_str().as_encoded_bytes()), bytes);
        let is_page = language.is_some_and(|language| language.is_page);
        let page = if is_page { page_text(bytes) } else { Vec::new() };
        let text: &[u8] = if is_page { &page } else { bytes };
        let letters = text.iter().filter(|byte| !byte.is_ascii_whitespace());
        self.texts.push(letters.map(|byte| u64::from(byte.to_ascii_lowercase())).collect());
        self.projects[0].push(project);
        match language.filter(|language| !language.is_data && !is_page) {
            Some(language) => {
                let mut tokens = Vec::new();
                languages.tokenize(language, bytes, false, &mut tokens);
                let name =
                    |token: &Token| if token.kind() == Kind::Identifier { token.exact } else { 0 };
                self.codes.push(tokens.iter().map(|token| u64::from(token.symbol.get())).collect());
                self.names.push(tokens.iter().map(name).collect());
                self.projects[1].push(project);
            }
            None => self
                .proses
                .extend(prose(project, text).filter(|prose| prose.words.len() >= MIN_WORDS)),
        }
    }
}

/// A document as words, of which the last of a sentence is marked. `None` if it is not UTF-8.
fn prose(project: usize, text: &[u8]) -> Option<Prose> {
    std::str::from_utf8(text).ok()?;
    let mut tokens = Vec::new();
    words(text, &mut tokens);
    let ends = tokens.iter().skip(1).map(|token| token.start as usize).chain([text.len()]);
    let word = |(token, end): (&Token, usize)| {
        let between = &text[token.end as usize..end];
        let is_last = between.iter().any(|byte| b".!?".contains(byte))
            || between.windows(2).any(|two| two == b"\n\n");
        Word { letters: token.text(text).to_ascii_lowercase(), is_last }
    };
    Some(Prose { project, words: tokens.iter().zip(ends).map(word).collect() })
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
