//! Reads a file into tokens, or says why it is passed over.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use super::remembered::Remembered;
use super::skip::Skip;
use crate::audit::{Context, Progress};
use crate::config::{Config, RawConfig};
use crate::git::{Attributes, BlobId, Entry, Error, FileAttributes, ReadFiles};
use crate::language::{Language, Languages, Token, is_generated};
use crate::matching::Document;
use crate::text::{FilePath, fnv_1a, is_binary};

/// A source file and its tokens.
#[derive(Debug, Clone)]
pub(in crate::audit) struct Source {
    pub path: FilePath,
    pub text: Vec<u8>,
    pub tokens: Vec<Token>,
    /// The name of its language.
    pub language: String,
    /// The family of its language; [`MIXED`] when it holds code of others.
    pub family: String,
    /// Whether it is data or documentation, with code inside that is compared.
    pub is_prose: bool,
}

impl Source {
    pub fn document(&self) -> Document<'_> {
        Document { text: &self.text, tokens: &self.tokens }
    }
}

/// In the place of a family: of a file that holds code of several languages.
pub(in crate::audit) const MIXED: &str = "*";

/// What sources are read with.
pub(in crate::audit) struct Sources<'a> {
    pub config: &'a Config,
    pub languages: &'a Languages,
    /// What the tree says of its files.
    pub attributes: &'a Attributes,
    pub remembered: &'a Remembered,
    /// What was read not long ago, when the same files are read again and again.
    pub recent: Option<&'a Mutex<Recent>>,
    pub progress: &'a dyn Progress,
}

/// The mean length of a line, in bytes, from which a text counts as minified.
const MINIFIED_LINE: usize = 400;
/// The size in bytes below which long lines prove nothing.
const MINIFIED_SIZE: usize = 4_000;

impl<'a> Sources<'a> {
    pub fn new(context: Context<'a>, attributes: &'a Attributes, remembered: &'a Remembered) -> Self {
        let Context { config, languages, progress } = context;
        Self { config, languages, attributes, remembered, recent: None, progress }
    }
}

impl Sources<'_> {
    /// Whether the name alone rules a file out.
    pub fn skip_by_name(&self, path: &FilePath) -> Option<Skip> {
        if !self.languages.may_know(path) && self.attributes.of(path).language.is_none() {
            Some(Skip::NotSource)
        } else if self.config.ignore.contains(path) {
            Some(Skip::Ignored)
        } else {
            None
        }
    }

    /// As [`Self::skip_by_name`], for a file that is judged rather than compared with.
    pub fn skip_judging(&self, path: &FilePath) -> Option<Skip> {
        let is_vendored = || self.attributes.of(path).vendored == Some(true);
        self.skip_by_name(path).or_else(|| is_vendored().then_some(Skip::Vendored))
    }

    /// Reads a file that [`Self::skip_by_name`] let pass.
    pub fn read(&self, reader: &impl ReadFiles, entry: &Entry) -> Result<Result<Source, Skip>, Error> {
        // What attributes say of a file changes with the tree.
        let kept = entry.blob().filter(|_| self.attributes.is_empty()).map(|blob| (blob, entry.path.clone()));
        if let Some(read) = kept.as_ref().and_then(|key| self.recent()?.get(key)) {
            return Ok(read.as_ref().clone());
        }
        if reader.size(entry).is_some_and(|size| size > self.config.max_file_size) {
            return Ok(Err(Skip::TooLarge));
        }
        let text = reader.read(entry)?;
        let read = self.tokenize(&entry.path, text);
        if let (Some(key), Some(mut recent)) = (kept, self.recent()) {
            recent.keep(key, Arc::new(read.clone()));
        }
        Ok(read)
    }

    fn recent(&self) -> Option<MutexGuard<'_, Recent>> {
        self.recent?.lock().ok()
    }

    /// Remembers what a file holds, when that is wanted; `scratch` is scratch space.
    pub fn learn(&self, entry: &Entry, read: &Result<Source, Skip>, scratch: &mut Vec<u64>) {
        if self.remembered.is_learning() {
            let tokens = read.as_ref().map_or(&[][..], |source| &source.tokens);
            let prints = self.config.fingerprint.fingerprints(tokens, scratch);
            let family = read.as_ref().map(|source| source.family.as_str()).map_err(|skip| *skip);
            self.remembered.learn(entry, self.reading(&entry.path), family, prints);
        }
    }

    /// All that decides how a file is read besides its bytes and the language tables, as a number:
    /// its name, the settings that [`Self::read`] heeds, and what `.gitattributes` say of it.
    pub fn reading(&self, path: &FilePath) -> u64 {
        let RawConfig { include_data, include_generated, max_file_size, .. } = **self.config;
        let FileAttributes { language, generated, .. } = self.attributes.of(path);
        let settings = [u8::from(include_data), u8::from(include_generated), generated.map_or(2, u8::from)];
        let names = [path.name(), &[0], language.as_deref().unwrap_or_default().as_bytes()].concat();
        fnv_1a(settings.into_iter().chain(max_file_size.to_le_bytes()).chain(names))
    }

    /// Reads `text` as the file at `path`.
    pub fn tokenize(&self, path: &FilePath, text: Vec<u8>) -> Result<Source, Skip> {
        let mut tokens = Vec::new();
        let Lexed { language, is_mixed } = self.lex(path, &text, &mut tokens)?;
        let is_prose = self.attributes.of(path).documentation.unwrap_or(language.is_data);
        let (name, family) = (language.name.clone(), language.family.clone());
        let family = if is_mixed { MIXED.to_owned() } else { family };
        Ok(Source { path: path.clone(), text, tokens, language: name, family, is_prose })
    }

    /// Reads the tokens of `text` as the file at `path`, replacing what `tokens` held.
    pub fn lex(&self, path: &FilePath, text: &[u8], tokens: &mut Vec<Token>) -> Result<Lexed<'_>, Skip> {
        let language = self.identify(path, text)?;
        let with_data = self.config.include_data;
        let embedded = self.languages.tokenize(language, text, with_data, tokens);
        let is_mixed = !embedded.is_empty();
        if language.is_data && !with_data && !is_mixed {
            return Err(Skip::Data);
        }
        Ok(Lexed { language, is_mixed })
    }

    /// The language of `text` as the file at `path`, if it is to be read.
    pub fn identify(&self, path: &FilePath, text: &[u8]) -> Result<&Language, Skip> {
        if text.len() as u64 > self.config.max_file_size {
            return Err(Skip::TooLarge);
        }
        if text.starts_with(b"version https://git-lfs.github.com/spec/v1") {
            return Err(Skip::LfsPointer);
        }
        if is_binary(text) {
            return Err(Skip::Binary);
        }
        let attributes = self.attributes.of(path);
        let named = attributes.language.as_ref().and_then(|name| self.languages.named(name));
        let language = named.or_else(|| self.languages.identify(path, text)).ok_or(Skip::NotSource)?;
        if language.is_data && !self.config.include_data && !language.is_host() {
            return Err(Skip::Data);
        }
        let is_generated = || attributes.generated.unwrap_or_else(|| is_generated(text));
        if !self.config.include_generated && is_generated() {
            return Err(Skip::Generated);
        }
        if !language.is_notebook && is_minified(text) {
            return Err(Skip::Minified);
        }
        Ok(language)
    }
}

/// As what a file was read.
#[derive(Debug, Clone, Copy)]
pub(in crate::audit) struct Lexed<'l> {
    language: &'l Language,
    /// Whether it holds code of other languages.
    is_mixed: bool,
}

fn is_minified(text: &[u8]) -> bool {
    text.len() > MINIFIED_SIZE && text.len() / (memchr::memchr_iter(b'\n', text).count() + 1) > MINIFIED_LINE
}

/// Bytes of text that are kept read; beyond it all are let go.
const MAX_KEPT: usize = 48 * 1024 * 1024;

/// A content, and the file it is.
type File = (BlobId, FilePath);

/// Files that were read not long ago.
#[derive(Debug, Default)]
pub(in crate::audit) struct Recent {
    sources: HashMap<File, Arc<Result<Source, Skip>>>,
    n_bytes: usize,
}

impl Recent {
    pub fn get(&self, file: &File) -> Option<Arc<Result<Source, Skip>>> {
        self.sources.get(file).cloned()
    }

    pub fn keep(&mut self, file: File, source: Arc<Result<Source, Skip>>) {
        if self.n_bytes > MAX_KEPT {
            *self = Self::default();
        }
        self.n_bytes += source.as_ref().as_ref().map_or(100, |source| source.text.len());
        self.sources.insert(file, source);
    }
}
