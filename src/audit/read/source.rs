//! Reads a file into tokens, or decides why to skip it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock};

use super::remembered::Memory;
use super::skip::Skip;
use crate::audit::{Context, Progress, RunLimit};
use crate::config::{Config, Foreign, Ruling};
use crate::files::{BlobId, Entry, Error, ReadFiles};
use crate::git::{Attributes, FileAttributes, Snapshot};
use crate::language::{BlockWords, Language, Languages, Token, is_generated, is_script};
use crate::matching::{Document, words_of_file};
use crate::policy::Fragment;
use crate::text::{FilePath, Lines, Position, decoded, fnv_1a};

/// Maximum bytes of the files of a generation, as they are in memory.
const GENERATION_BYTES: usize = 32 * 1024 * 1024;

/// A source file and its tokens.
#[derive(Debug, Clone)]
pub(in crate::audit) struct Source {
    pub path: FilePath,
    /// Its decoded text, which offsets and positions refer to.
    pub text: Vec<u8>,
    /// Its bytes, if they differ from its text.
    pub encoded: Option<Vec<u8>>,
    pub tokens: Vec<Token>,
    /// The words that show how its code is built.
    pub words: Arc<BlockWords>,
    /// Whether lines were skipped that are minified or too long.
    pub is_partial: bool,
    /// The name of its language.
    pub language: String,
    /// The family of its language; [`MIXED`] if it contains code of other languages.
    pub family: String,
    /// Whether it is data or documentation, with code inside that is compared.
    pub is_prose: bool,
    /// Whether it was read although it is generated.
    pub is_generated: bool,
    /// Its lines, and those with test code, once they were asked for.
    pub lines: OnceLock<Lines>,
    pub test_lines: OnceLock<Vec<Range<u32>>>,
}

impl Source {
    /// Code without anything special, in a language and its family.
    pub fn plain(path: FilePath, text: Vec<u8>, tokens: Vec<Token>, language: [&str; 2]) -> Self {
        let [language, family] = language.map(str::to_owned);
        Self {
            path,
            text,
            encoded: None,
            tokens,
            words: Arc::clone(BlockWords::common()),
            is_partial: false,
            language,
            family,
            is_prose: false,
            is_generated: false,
            lines: OnceLock::new(),
            test_lines: OnceLock::new(),
        }
    }

    pub fn lines(&self) -> &Lines {
        self.lines.get_or_init(|| Lines::new(&self.text))
    }

    /// The lines with test code, which its language tells.
    pub fn test_lines(&self, language: Option<&Language>) -> &[Range<u32>] {
        self.test_lines.get_or_init(|| {
            language.map(|of| of.test_lines(&self.text, &self.tokens)).unwrap_or_default()
        })
    }

    pub fn document(&self) -> Document<'_> {
        Document { text: &self.text, tokens: &self.tokens, words: &self.words }
    }

    /// What decides how its code is judged: path, language, and whether it is that of a document.
    pub fn file(&self) -> (&FilePath, Option<&str>, bool) {
        (&self.path, Some(&self.language), self.is_prose)
    }

    /// The words of its code and its comments, sorted, each once.
    pub fn distinct_words(&self) -> Vec<u32> {
        words_of_file(&self.text, &self.tokens)
    }

    #[inline]
    pub fn text_of(&self, token: usize) -> &[u8] {
        self.tokens[token].text(&self.text)
    }

    /// The text from the first of some tokens to the last.
    pub fn text_between(&self, tokens: &Range<usize>) -> &[u8] {
        let tokens = &self.tokens[tokens.clone()];
        let (Some(first), Some(last)) = (tokens.first(), tokens.last()) else { return &[] };
        self.text.get(first.start as usize..last.end as usize).unwrap_or_default()
    }

    #[inline]
    pub fn line_of(&self, token: usize) -> u32 {
        self.lines().line_of(self.tokens[token].start)
    }

    /// Whether a token begins in one of some ranges of lines.
    pub fn is_on(&self, token: usize, ranges: &[Range<u32>]) -> bool {
        let line = self.line_of(token);
        ranges.iter().any(|lines| lines.contains(&line))
    }

    pub fn rows(&self, tokens: &Range<usize>) -> Range<u32> {
        self.line_of(tokens.start)..self.line_of(tokens.end - 1) + 1
    }

    /// Where some tokens are; `None` if there are none.
    pub fn fragment(&self, tokens: &Range<usize>) -> Option<Fragment> {
        let tokens = self.tokens.get(tokens.clone())?;
        let [start, end] = [tokens.first()?.start, tokens.last()?.end]
            .map(|offset| self.lines().position(&self.text, offset));
        Some(Fragment { start, end })
    }

    /// The end of a line, without its line end.
    pub fn end_of_line(&self, line: u32) -> Position {
        let lines = self.lines();
        let end = lines.range(line).start + lines.text(&self.text, line).len();
        lines.position(&self.text, end as u32)
    }

    /// The tokens on the lines of a fragment.
    pub fn tokens_on(&self, fragment: &Fragment) -> Range<usize> {
        let lines = self.lines();
        let rows = fragment.rows();
        let [start, end] = [rows.start, rows.end]
            .map(|line| self.tokens.partition_point(|token| lines.line_of(token.start) < line));
        start..end
    }

    pub fn bytes(&self) -> &[u8] {
        self.encoded.as_deref().unwrap_or(&self.text)
    }

    /// About its bytes of memory.
    pub fn n_bytes(&self) -> usize {
        size_of_val(&*self.text) + size_of_val(&*self.tokens)
    }
}

/// The family of a file with code of several languages.
pub(in crate::audit) const MIXED: &str = "*";

/// Reads sources.
pub(in crate::audit) struct Sources<'a> {
    pub config: &'a Config,
    pub languages: &'a Languages,
    pub attributes: &'a Attributes,
    pub remembered: &'a Memory,
    /// Recently read files, if the same files are read repeatedly.
    pub recent: Option<&'a Mutex<RecentFiles>>,
    /// Whether the files are generated: they are compared with, but not checked.
    pub are_generated: bool,
    pub progress: &'a dyn Progress,
}

/// Minimum mean length of a line, in bytes, for a text to count as minified.
const MINIFIED_LINE: usize = 400;
/// Minimum bytes of a text to count as minified: in a smaller one, long lines prove nothing.
const MINIFIED_SIZE: usize = 4_000;
/// Maximum bytes of a changed file to look for its first line; nobody writes a longer script.
const MAX_LOOKED_INTO: u64 = 64 << 20;
/// Maximum tokens of a line written by hand, in a text that may be minified. Only code makes a line
/// longer than that, not comments, white space or long literals. A token has a byte at least.
pub(in crate::audit) const MINIFIED_TOKENS: usize = 100;

impl<'a> Sources<'a> {
    pub fn new(context: Context<'a>, attributes: &'a Attributes, remembered: &'a Memory) -> Self {
        let Context { config, languages, progress } = context;
        let (recent, are_generated) = (None, false);
        Self { config, languages, attributes, remembered, recent, are_generated, progress }
    }

    /// For files that no tree gives attributes to, and of which nothing is remembered.
    pub fn bare(context: Context<'a>) -> Self {
        static NOTHING: LazyLock<(Attributes, Memory)> = LazyLock::new(Default::default);
        Self::new(context, &NOTHING.0, &NOTHING.1)
    }

    /// The same, for files that were skipped since they are generated.
    pub fn of_generated(&self) -> Self {
        Self { are_generated: true, ..*self }
    }

    /// Whether a file is larger than the settings allow.
    pub fn is_too_large(&self, reader: &impl ReadFiles, entry: &Entry) -> bool {
        reader.size(entry).is_some_and(|size| size > self.config.max_file_size)
    }

    /// Whether a change is compared with this file; what was installed there has to be tracked.
    pub fn is_searched(&self, path: &FilePath, is_tracked: bool) -> bool {
        self.is_compared(path) && (is_tracked || self.skip_by_name(path) != Some(Skip::Vendored))
    }

    /// Why to skip a file for its name alone, if so.
    pub fn skip_by_name(&self, path: &FilePath) -> Option<Skip> {
        if !self.languages.may_know(path) && self.attributes.of(path).language.is_none() {
            return Some(Skip::NotSource);
        }
        match self.config.ignore.ruling(path) {
            Ruling::Matched { is_builtin: true } => Some(Skip::LeftOut),
            Ruling::Matched { is_builtin: false } => Some(Skip::Ignored),
            Ruling::Excepted => None,
            Ruling::None => {
                self.foreign_at(path).filter(|of| of.is_installed).map(|_| Skip::Vendored)
            }
        }
    }

    pub fn is_read(&self, path: &FilePath) -> bool {
        self.skip_by_name(path).is_none()
    }

    /// Like [`Self::skip_by_name`], for a file that is checked rather than compared with.
    pub fn skip_judging(&self, path: &FilePath) -> Option<Skip> {
        self.skip_by_name(path).or_else(|| {
            let is_vendored = self.attributes.of(path).vendored == Some(true)
                || self.config.vendored_at(path).is_some()
                || self.foreign_at(path).is_some();
            is_vendored.then_some(Skip::Vendored)
        })
    }

    /// Whether a change is compared with a file of this name, also where it is not checked.
    pub fn is_compared(&self, path: &FilePath) -> bool {
        match self.skip_by_name(path) {
            None | Some(Skip::Vendored) => true,
            Some(skip) => skip != Skip::NotSource && self.config.vendored_at(path).is_some(),
        }
    }

    /// How a file is read, as of [`Self::reading`], if a change to the tree is compared with it.
    pub fn compared_reading(&self, path: &FilePath) -> Option<u64> {
        self.is_compared(path).then(|| self.reading(path))
    }

    /// The third-party folder of a file, by its name, unless `.gitattributes` call it our own.
    pub fn foreign_at<'p>(&self, path: &'p FilePath) -> Option<Foreign<'p>> {
        self.config.foreign_at(path).filter(|_| self.attributes.of(path).vendored != Some(false))
    }

    /// The vendored, installed or built folder of a file, by settings or name, with a slash behind.
    pub fn vendored_folder(&self, path: &FilePath) -> Option<FilePath> {
        let of_settings =
            self.config.vendored_at(path).map(|vendored| vendored.folder().as_bytes());
        let folder = of_settings.or_else(|| self.foreign_at(path).map(|foreign| foreign.folder))?;
        Some(FilePath::new([folder, b"/"].concat()))
    }

    /// The third-party folder of a file, by its name or `.gitattributes`, if the settings list
    /// none: the root, if only the attributes say so.
    pub fn unlisted_folder<'p>(&self, path: &'p FilePath) -> Option<&'p [u8]> {
        if self.config.vendored_at(path).is_some() {
            return None;
        }
        let of_name = self.foreign_at(path).filter(|of| !of.is_built).map(|of| of.folder);
        of_name.or_else(|| (self.attributes.of(path).vendored == Some(true)).then_some(b""))
    }

    /// The repositories in a tree that are not read with it: submodules that `before` lacks, or has
    /// at another commit, and those that are not recorded.
    pub fn repositories_in<'s>(
        &'s self,
        tree: &'s Snapshot,
        before: &'s Snapshot,
    ) -> impl Iterator<Item = (FilePath, Skip)> + 's {
        let submodules = tree.changed_submodules(before).map(|path| (path, Skip::Submodule));
        let others = tree.repositories.iter().map(|path| (path, Skip::Repository));
        let all = submodules.chain(others).filter(|(path, _)| self.is_read(path));
        all.map(|(path, skip)| (path.clone(), skip))
    }

    /// Whether a skipped file is source that could not be read, by its content or its name. An
    /// extension that languages only claim promises none: most `.lib` files are not Liberty.
    pub fn is_unread(&self, path: &FilePath, skip: Skip) -> bool {
        let is_identified = matches!(skip, Skip::TooManyTokens | Skip::LongLine | Skip::Script);
        // Without its first line, a name that promises nothing may be that of a script.
        let may_be_script = skip == Skip::Missing && path.extension().is_none();
        is_identified
            || may_be_script
            || ((skip.is_notable() || skip == Skip::Binary) && self.promise(path).is_some())
    }

    /// Why a changed file was skipped, once more: its first line may show that it is a script.
    pub fn looked_into(&self, reader: &impl ReadFiles, entry: &Entry, skip: Skip) -> Skip {
        let is_unread =
            matches!(skip, Skip::TooLarge | Skip::Binary | Skip::Encoding | Skip::Unmerged);
        if !is_unread
            || self.promise(&entry.path).is_some()
            || reader.size(entry).is_none_or(|n| n > MAX_LOOKED_INTO)
        {
            return skip;
        }
        let Ok(bytes) = reader.read(entry) else { return skip };
        let language = self.languages.identify(&entry.path, &bytes);
        let is_script = language.map_or_else(|| is_script(&bytes), |language| !language.is_data);
        if is_script { Skip::Script } else { skip }
    }

    /// The kind of a file, judging by its name: `None` if it is not source.
    pub fn promise(&self, path: &FilePath) -> Option<Promise> {
        let attributes = self.attributes.of(path);
        let named = self.languages.attributed(path, attributes.language.as_deref());
        let language = named.or_else(|| self.languages.promised(path))?;
        let is_document = attributes.documentation.unwrap_or(language.is_data);
        if language.is_data && !self.config.include_data && !language.is_host() {
            None
        } else if is_document {
            Some(Promise::Document)
        } else {
            Some(Promise::Source)
        }
    }

    pub fn is_source(&self, path: &FilePath) -> bool {
        self.promise(path) == Some(Promise::Source)
    }

    pub fn test_lines<'s>(&self, source: &'s Source) -> &'s [Range<u32>] {
        source.test_lines(self.languages.named(&source.language))
    }

    /// For each token of a file, whether it is test code; empty if none is.
    pub fn test_tokens(&self, source: &Source) -> Vec<bool> {
        let units = self.test_lines(source);
        if units.is_empty() {
            return Vec::new();
        }
        (0..source.tokens.len()).map(|at| source.is_on(at, units)).collect()
    }

    /// Whether code at `before` was judged as it is at `path`: what was left out, a document, test
    /// code or in another kind of language is new where it becomes source.
    pub fn was_judged_as(&self, reader: &impl ReadFiles, before: &Entry, path: &FilePath) -> bool {
        if self.skip_judging(path).is_some() {
            return true;
        }
        if self.skip_judging(&before.path).is_some() {
            return false;
        }
        match (self.promise(&before.path), self.promise(path)) {
            (_, Some(Promise::Document)) => true,
            (Some(Promise::Document), _) => false,
            (Some(Promise::Source), Some(_))
                if self.reading(&before.path) == self.reading(path) =>
            {
                let name = self.languages.promised(path).map(|language| &*language.name);
                self.config.judges_alike((&before.path, name, false), (path, name, false))
            }
            // Its name says nothing, but its first line may.
            _ => {
                let Ok(Ok(was)) = self.read(reader, before) else { return false };
                let Ok(now) = self.tokenize(path, was.bytes().to_vec()) else { return true };
                was.family == now.family && self.config.judges_alike(was.file(), now.file())
            }
        }
    }

    /// Reads a file that [`Self::skip_by_name`] does not skip.
    pub fn read(
        &self,
        reader: &impl ReadFiles,
        entry: &Entry,
    ) -> Result<Result<Arc<Source>, Skip>, Error> {
        // The attributes of a file may change with the tree.
        let blob = entry.blob().filter(|_| self.attributes.is_empty());
        let kept = blob.map(|blob| (blob, entry.path.clone()));
        // What is skipped since it is generated is read where that does not matter.
        let recent = kept.as_ref().and_then(|key| self.recent()?.get(key));
        if let Some(read) = recent.filter(|read| !self.are_generated || read.is_ok()) {
            return Ok(read);
        }
        if let Some(exhausted) = self.progress.end() {
            return Ok(Err(match exhausted {
                RunLimit::Time => Skip::OutOfTime,
                RunLimit::Memory => Skip::OutOfMemory,
            }));
        }
        if self.is_plain_data(&entry.path) {
            return Ok(Err(Skip::Data));
        }
        if self.is_too_large(reader, entry) {
            return Ok(Err(Skip::TooLarge));
        }
        let read = match reader.try_read(entry)? {
            Ok(bytes) => self.tokenize(&entry.path, bytes).map(Arc::new),
            // It may be here the next time.
            Err(lack) => return Ok(Err(lack.into())),
        };
        let kept = kept.filter(|_| !self.are_generated);
        if let (Some(key), Some(mut recent)) = (kept, self.recent()) {
            recent.keep(key, read.clone());
        }
        Ok(read)
    }

    /// Whether the bytes of a file are needed that [`Self::skip_by_name`] does not skip.
    pub fn needs(&self, entry: &Entry) -> bool {
        !self.is_plain_data(&entry.path)
            && self.remembered.get(entry, self.reading(&entry.path)).is_none()
    }

    /// Whether a file is data by its name, whatever it holds, and need not be read.
    fn is_plain_data(&self, path: &FilePath) -> bool {
        let mut possible = self.languages.possible(path).peekable();
        !self.config.include_data
            && possible.peek().is_some()
            && possible.all(|language| language.is_data && !language.is_host())
            && self.attributes.of(path).language.is_none()
    }

    fn recent(&self) -> Option<MutexGuard<'_, RecentFiles>> {
        self.recent?.lock().ok()
    }

    /// Remembers the contents of a file, if there is a cache.
    pub fn learn(&self, entry: &Entry, read: &Result<Arc<Source>, Skip>, scratch: &mut Vec<u64>) {
        if self.remembered.is_learning() {
            let read = read.as_deref().map_err(|skip| *skip);
            let tokens = read.map_or(&[][..], |source| &source.tokens);
            let prints = self.config.fingerprint.fingerprints(tokens, scratch);
            let family = read.map(|source| source.family.as_str());
            let words = read.map_or_else(|_| Vec::new(), Source::distinct_words);
            self.remembered.learn(entry, self.reading(&entry.path), family, prints, &words);
        }
    }

    /// A digest of what decides how a file is read, besides its bytes and the language tables: the
    /// part of its name that tells its language, the settings in use, and its `.gitattributes`.
    pub fn reading(&self, path: &FilePath) -> u64 {
        let FileAttributes { language, generated, .. } = self.attributes.of(path);
        let with_generated = self.with_generated().into();
        let settings =
            [self.config.include_data.into(), with_generated, generated.map_or(2, u8::from)];
        let limits = [
            self.config.max_file_size,
            self.config.max_file_tokens as u64,
            self.config.max_line_length as u64,
        ];
        let limits = limits.map(u64::to_le_bytes);
        let (name, language) = (self.languages.telling_name(path), language.unwrap_or_default());
        let parts: [&[u8]; 5] =
            [&settings, limits.as_flattened(), name.as_bytes(), b"\0", language.as_bytes()];
        fnv_1a(parts.concat())
    }

    pub fn tokenize(&self, path: &FilePath, bytes: Vec<u8>) -> Result<Source, Skip> {
        if bytes.len() as u64 > self.config.max_file_size {
            return Err(Skip::TooLarge);
        }
        let (text, encoded) = match decoded(&bytes)? {
            Cow::Borrowed(_) => (bytes, None),
            Cow::Owned(text) => (text, Some(bytes)),
        };
        let mut tokens = Vec::new();
        let FileTokens { language, words, is_mixed, is_partial } =
            self.lex_text(path, &text, &mut tokens)?;
        // Many sources are kept at once.
        tokens.shrink_to_fit();
        let family = if is_mixed { MIXED } else { &*language.family };
        Ok(Source {
            encoded,
            words,
            is_partial,
            is_prose: self.attributes.of(path).documentation.unwrap_or(language.is_data),
            is_generated: self.are_generated,
            ..Source::plain(path.clone(), text, tokens, [&language.name, family])
        })
    }

    /// Like [`Self::tokenize`], for the `tokens` alone, whose former content is replaced.
    pub fn lex(
        &self,
        path: &FilePath,
        bytes: &[u8],
        tokens: &mut Vec<Token>,
    ) -> Result<FileTokens<'_>, Skip> {
        if bytes.len() as u64 > self.config.max_file_size {
            return Err(Skip::TooLarge);
        }
        self.lex_text(path, &decoded(bytes)?, tokens)
    }

    fn lex_text(
        &self,
        path: &FilePath,
        text: &[u8],
        tokens: &mut Vec<Token>,
    ) -> Result<FileTokens<'_>, Skip> {
        let language = self.identify(path, text)?;
        if self.languages.is_broken(language, text) {
            return Err(Skip::Broken);
        }
        let with_data = self.config.include_data;
        let embedded = self.languages.tokenize(language, text, with_data, tokens);
        let is_mixed = !embedded.is_empty();
        if language.is_data && !with_data && !is_mixed {
            return Err(Skip::Data);
        }
        if tokens.len() > self.config.max_file_tokens {
            return Err(Skip::TooManyTokens);
        }
        let has_minified =
            self.may_be_minified(path, language, text) && leave_out_long_lines(text, tokens);
        if has_minified && tokens.is_empty() {
            return Err(Skip::Minified);
        }
        let has_long =
            self.may_have_long_line(language, text) && leave_out_longer(text, tokens, self.config);
        if has_long && tokens.is_empty() {
            return Err(Skip::LongLine);
        }
        let words = language.words_with(&embedded);
        Ok(FileTokens { language, words, is_mixed, is_partial: has_minified || has_long })
    }

    /// Why some lines of a source were skipped, if any were.
    pub fn left_out_of(&self, source: &Source) -> Option<Skip> {
        let is_long = has_longer(&source.text, self.config.max_line_length);
        source.is_partial.then_some(if is_long { Skip::LongLine } else { Skip::LongLines })
    }

    /// The language of a file that a single lexer reads as it is: not decoded, embedded or skipped.
    pub fn plain(&self, path: &FilePath, bytes: &[u8]) -> Option<&Language> {
        let is_as_it_is = bytes.len() as u64 <= self.config.max_file_size
            && matches!(decoded(bytes), Ok(Cow::Borrowed(_)));
        let language = self.identify(path, bytes).ok().filter(|_| is_as_it_is)?;
        // No text has more tokens than bytes.
        let is_whole = bytes.len() <= self.config.max_file_tokens
            && !self.may_be_minified(path, language, bytes)
            && !self.may_have_long_line(language, bytes);
        (language.is_plain() && is_whole && !language.has_preamble(bytes)).then_some(language)
    }

    /// Whether `source` would be read the same way at `path`, not as another language or none.
    pub fn reads_alike(&self, source: &Source, path: &FilePath) -> bool {
        self.identify(path, &source.text).is_ok_and(|language| language.name == source.language)
    }

    /// The language of `text` as the file at `path`, if it should be read.
    pub fn identify(&self, path: &FilePath, text: &[u8]) -> Result<&Language, Skip> {
        if text.starts_with(b"version https://git-lfs.github.com/spec/v1") {
            return Err(Skip::LfsPointer);
        }
        let attributes = self.attributes.of(path);
        let named = self.languages.attributed(path, attributes.language.as_deref());
        let language = named.or_else(|| self.languages.identify(path, text));
        let unknown = || if is_script(text) { Skip::UnknownScript } else { Skip::NotSource };
        let language = language.ok_or_else(unknown)?;
        if language.is_data && !self.config.include_data && !language.is_host() {
            return Err(Skip::Data);
        }
        if !self.with_generated() && attributes.generated.unwrap_or_else(|| is_generated(text)) {
            return Err(Skip::Generated);
        }
        Ok(language)
    }

    fn with_generated(&self) -> bool {
        self.config.include_generated || self.are_generated
    }

    /// Whether a text has so few lines that a program may have written it. What attributes declare
    /// not generated was written by hand.
    fn may_be_minified(&self, path: &FilePath, language: &Language, text: &[u8]) -> bool {
        let is_long = text.len() > MINIFIED_SIZE
            && text.len() / (memchr::memchr_iter(line_end(text), text).count() + 1) > MINIFIED_LINE;
        is_long && !language.is_notebook && self.attributes.of(path).generated != Some(false)
    }

    /// Whether a line is longer than the settings allow. A notebook may be a single line.
    fn may_have_long_line(&self, language: &Language, text: &[u8]) -> bool {
        !language.is_notebook && has_longer(text, self.config.max_line_length)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::audit) enum Promise {
    Source,
    /// Data or documentation, with code inside that is compared.
    Document,
}

pub(in crate::audit) struct FileTokens<'l> {
    language: &'l Language,
    words: Arc<BlockWords>,
    is_mixed: bool,
    is_partial: bool,
}

/// Removes the tokens of lines too long to be written by hand; returns whether there were any.
///
/// Line by line, so that neither a long comment nor a table on one line hides the code beside it.
fn leave_out_long_lines(text: &[u8], tokens: &mut Vec<Token>) -> bool {
    let lines = Lines::new(text);
    let n_before = tokens.len();
    let of_lines = tokens.chunk_by(|a, b| lines.line_of(a.start) == lines.line_of(b.start));
    *tokens = of_lines.filter(|line| line.len() <= MINIFIED_TOKENS).flatten().copied().collect();
    tokens.len() < n_before
}

/// Removes the tokens of lines longer than the settings allow; returns whether there were any.
fn leave_out_longer(text: &[u8], tokens: &mut Vec<Token>, config: &Config) -> bool {
    let lines = Lines::new(text);
    let n_before = tokens.len();
    tokens.retain(|token| lines.range(lines.line_of(token.start)).len() <= config.max_line_length);
    tokens.len() < n_before
}

/// What ends the lines of a text: in one without a line feed, as of the classic Mac, what is before
/// it elsewhere.
fn line_end(text: &[u8]) -> u8 {
    if memchr::memchr(b'\n', text).is_some() { b'\n' } else { b'\r' }
}

/// Whether a line has more than `max` bytes. Time O(n), and none for a text of no more.
fn has_longer(text: &[u8], max: usize) -> bool {
    let mut start = 0;
    text.len() > max
        && memchr::memchr_iter(line_end(text), text)
            .chain([text.len()])
            .any(|end| end - std::mem::replace(&mut start, end + 1) > max)
}

/// A content, and the file it is.
type File = (BlobId, FilePath);

/// Recently read files: those of this generation, about 32 MB, and those of the last one.
#[derive(Debug, Default)]
pub(in crate::audit) struct RecentFiles {
    young: HashMap<File, Result<Arc<Source>, Skip>>,
    old: HashMap<File, Result<Arc<Source>, Skip>>,
    /// Bytes of the young ones.
    n_bytes: usize,
}

impl RecentFiles {
    /// A file, which stays for another generation.
    pub fn get(&mut self, file: &File) -> Option<Result<Arc<Source>, Skip>> {
        if let Some((file, source)) = self.old.remove_entry(file) {
            self.keep(file, source);
        }
        self.young.get(file).cloned()
    }

    pub fn keep(&mut self, file: File, source: Result<Arc<Source>, Skip>) {
        if self.n_bytes > GENERATION_BYTES {
            self.old = std::mem::take(&mut self.young);
            self.n_bytes = 0;
        }
        self.n_bytes += source.as_ref().map_or(100, |source| source.n_bytes());
        self.young.insert(file, source);
    }
}
