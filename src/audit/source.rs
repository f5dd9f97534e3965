//! Reads a file into tokens, or says why it is passed over.

use super::cache::Remembered;
use crate::config::Config;
use crate::git::{Entry, Error, ReadFiles};
use crate::language::{Languages, Token, is_generated};
use crate::matching::Document;
use crate::text::{FilePath, is_binary};

/// A source file and its tokens.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub path: FilePath,
    pub text: Vec<u8>,
    pub tokens: Vec<Token>,
    /// The name of its language.
    pub language: String,
    /// The family of its language: only sources of one family are compared.
    pub family: String,
}

impl Source {
    pub fn document(&self) -> Document<'_> {
        Document { text: &self.text, tokens: &self.tokens }
    }
}

/// Why a file was passed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Skip {
    /// No language knows it.
    NotSource,
    /// The settings leave it out.
    Ignored,
    /// It is data or prose, which repeats by nature.
    Data,
    /// It is larger than the settings allow.
    TooLarge,
    /// It holds NUL bytes.
    Binary,
    /// A generator has marked it as its output.
    Generated,
    /// Its lines are so long that no one writes them.
    Minified,
    /// It is a pointer of Git LFS; the content is elsewhere.
    LfsPointer,
}

impl Skip {
    /// The reason, to follow "not examined:".
    pub fn reason(self) -> &'static str {
        match self {
            Self::NotSource => "not source code",
            Self::Ignored => "ignored",
            Self::Data => "data or prose",
            Self::TooLarge => "too large",
            Self::Binary => "binary",
            Self::Generated => "generated",
            Self::Minified => "minified",
            Self::LfsPointer => "a Git LFS pointer",
        }
    }

    /// Whether a reader has to be told: the file may well be source that somebody wrote.
    pub fn is_notable(self) -> bool {
        matches!(self, Self::TooLarge | Self::LfsPointer)
    }
}

/// What sources are read with.
pub(super) struct Sources<'a> {
    pub config: &'a Config,
    pub languages: &'a Languages,
    pub remembered: &'a Remembered,
}

/// The mean length of a line, in bytes, from which a text counts as minified.
const MINIFIED_LINE: usize = 400;
/// The size in bytes below which long lines prove nothing.
const MINIFIED_SIZE: usize = 4_000;

impl Sources<'_> {
    /// Whether the name alone rules a file out.
    pub fn skip_by_name(&self, path: &FilePath) -> Option<Skip> {
        if !self.languages.may_know(path) {
            Some(Skip::NotSource)
        } else if self.config.ignore.contains(path) {
            Some(Skip::Ignored)
        } else {
            None
        }
    }

    /// Reads a file that [`Self::skip_by_name`] let pass.
    pub fn read(&self, reader: &impl ReadFiles, entry: &Entry) -> Result<Result<Source, Skip>, Error> {
        if reader.size(entry).is_some_and(|size| size > self.config.max_file_size) {
            return Ok(Err(Skip::TooLarge));
        }
        let text = reader.read(entry)?;
        Ok(self.tokenize(&entry.path, text))
    }

    /// Remembers what a file holds, when that is wanted; `scratch` is scratch space.
    pub fn learn(&self, entry: &Entry, read: &Result<Source, Skip>, scratch: &mut Vec<u64>) {
        if self.remembered.is_learning() {
            let tokens = read.as_ref().map_or(&[][..], |source| &source.tokens);
            let prints = self.config.fingerprint.fingerprints(tokens, scratch);
            self.remembered.learn(entry, self.reading(&entry.path), read, prints);
        }
    }

    /// All that decides how a file is read besides its bytes and the language tables, as a number:
    /// its name and the settings that [`Self::read`] heeds.
    pub fn reading(&self, path: &FilePath) -> u64 {
        let Config { include_data, include_generated, max_file_size, .. } = *self.config;
        let settings = [u8::from(include_data), u8::from(include_generated)];
        let bytes = settings.into_iter().chain(max_file_size.to_le_bytes()).chain(path.name().iter().copied());
        bytes.fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3))
    }

    /// Reads `text` as the file at `path`.
    pub fn tokenize(&self, path: &FilePath, text: Vec<u8>) -> Result<Source, Skip> {
        if text.starts_with(b"version https://git-lfs.github.com/spec/v1") {
            return Err(Skip::LfsPointer);
        }
        if is_binary(&text) {
            return Err(Skip::Binary);
        }
        let language = self.languages.identify(path, &text).ok_or(Skip::NotSource)?;
        if language.is_data && !self.config.include_data {
            return Err(Skip::Data);
        }
        if !self.config.include_generated && is_generated(&text) {
            return Err(Skip::Generated);
        }
        if is_minified(&text) {
            return Err(Skip::Minified);
        }
        let mut tokens = Vec::new();
        language.lexer.tokenize(&text, &mut tokens);
        Ok(Source {
            path: path.clone(),
            text,
            tokens,
            language: language.name.clone(),
            family: language.family.clone(),
        })
    }
}

fn is_minified(text: &[u8]) -> bool {
    text.len() > MINIFIED_SIZE && text.len() / (memchr::memchr_iter(b'\n', text).count() + 1) > MINIFIED_LINE
}
