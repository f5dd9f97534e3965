//! Makes of a file what a segment has of it: its tokens, fingerprints and license statements. Runs
//! on all threads.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::chunks::{ChunkedTokens, Claims};
use super::open::{CorpusSegment, StoredLanguage};
use super::tokens::{PackedTokens, pack, unpack};
use crate::files::BlobId;
use crate::fingerprint;
use crate::git::{self, Work};
use crate::language::{ChangedTokens, OwnTokens, Token, Version};
use crate::license::{KnownTexts, LicensingInfo, is_relevant};
use crate::matching::is_telling;
use crate::sources::{PastFile, SourceFile};
use crate::store::{Result, key};
use crate::text::{FilePath, fnv_1a};

/// A source file as read by its language.
#[derive(Debug)]
pub struct LexedFile {
    /// Its language.
    pub language: StoredLanguage,
    /// Its tokens.
    pub tokens: Vec<Token>,
}

/// A version of a file of a history, as read by its language.
#[derive(Debug)]
pub struct LexedVersion {
    /// Its language.
    pub language: StoredLanguage,
    /// Its tokens, and what is needed to read another version.
    pub version: Version<Token>,
}

/// A function before and after a change; the offsets of its tokens are in the file.
#[derive(Debug)]
pub struct FunctionPair {
    /// Before.
    pub before: LexedFile,
    /// After.
    pub after: LexedFile,
}

/// How to turn files into tokens and find their licenses, as decided by the floors above.
pub trait FileLexer: Sync {
    /// Whether to read a file with this name and size.
    fn wants(&self, path: &FilePath, size: u64) -> bool;

    /// Whether a file with this name is source that is too large to be read.
    fn is_too_large(&self, path: &FilePath, size: u64) -> bool;

    /// The tokens of a file; `None` if it is not source to compare.
    fn lex(&self, path: &FilePath, bytes: &[u8]) -> Option<LexedFile>;

    /// The tokens of a file, of which only what differs from another text is lexed, and which of
    /// them differ; `None` if more than one lexer reads it, or its text is not read as it is.
    /// `tokens` is scratch space.
    fn version(
        &self,
        path: &FilePath,
        bytes: &[u8],
        base: Option<(&[u8], &LexedVersion)>,
        tokens: &mut Vec<Token>,
    ) -> Option<(LexedVersion, ChangedTokens)>;

    /// The functions that differ between two versions of a file, each as it was and as it is.
    fn changed_functions(&self, path: &FilePath, before: &[u8], after: &[u8]) -> Vec<FunctionPair>;

    /// Called for each file, to report progress.
    fn step(&self);
}

/// The fingerprinting parameters of a corpus.
#[derive(Debug, Clone, Copy)]
pub struct Sampling {
    /// k and w.
    pub fingerprint: fingerprint::Params,
    /// Minimum distinct tokens of a k-gram.
    pub min_distinct: usize,
}

/// Window for the fingerprints of fixes, in k-grams: functions are short, and there are few of
/// them.
const DENSE_WINDOW: usize = 4;

impl Sampling {
    /// With more fingerprints, which find shorter runs.
    pub(super) fn dense(self) -> Self {
        let k = self.fingerprint.noise_threshold();
        let [k, t] = [k, k + DENSE_WINDOW - 1]
            .map(|n| std::num::NonZeroUsize::new(n).unwrap_or(std::num::NonZeroUsize::MIN));
        let dense = fingerprint::Params::new(k, t);
        Self { fingerprint: dense.unwrap_or(self.fingerprint), ..self }
    }
}

pub(super) enum TokensToWrite {
    /// Packed.
    Whole(Vec<u8>),
    /// A version of a file of a history.
    InChunks(ChunkedTokens),
}

/// What a thread makes of a file.
#[derive(Default)]
pub(super) struct FileRows {
    pub n_bytes: u64,
    pub lexed: Option<LexedRows>,
    pub info: LicensingInfo,
}

/// What a thread makes of source.
pub(super) struct LexedRows {
    pub language: StoredLanguage,
    pub n_tokens: u32,
    pub tokens: TokensToWrite,
    pub keys: Vec<u64>,
}

impl LexedRows {
    fn new(
        language: &StoredLanguage,
        n_tokens: usize,
        tokens: TokensToWrite,
        keys: Vec<u64>,
    ) -> Self {
        Self { language: language.clone(), n_tokens: n_tokens as u32, tokens, keys }
    }
}

/// What the threads have to know that make rows.
pub(super) struct RowMaker<'m> {
    pub reading: &'m dyn FileLexer,
    pub sampling: Sampling,
    pub known: Option<&'m CorpusSegment>,
    pub blob_numbers: &'m HashMap<BlobId, u32>,
    pub memory: &'m KnownTexts,
    pub posted: &'m foldhash::HashSet<u64>,
    pub claims: Claims<'m>,
}

impl RowMaker<'_> {
    /// The rows of `file`, whose `bytes` have this id; without keys if they are a `version`.
    pub fn rows(
        &self,
        file: &SourceFile,
        id: &BlobId,
        bytes: &[u8],
        version: Option<&LexedVersion>,
        hashes: &mut Vec<u64>,
    ) -> Result<FileRows> {
        let n_bytes = bytes.len() as u64;
        self.reading.step();
        // Files of a history already have the statements about others attached.
        let may_license = file.licenses.is_none() && is_relevant(&file.path);
        let (lexed, info) = match (self.known_rows(file, id, hashes)?, version) {
            (Some(known), _) => (known.lexed, Some(known.info)),
            (None, Some(LexedVersion { language, version })) => {
                let tokens = version.tokens();
                let to_write = self.to_write(file, tokens, bytes);
                (Some(LexedRows::new(language, tokens.len(), to_write, Vec::new())), None)
            }
            (None, None) if self.is_read(file, id, bytes) => {
                let lexed = self.reading.lex(&file.path, bytes);
                let lexed = lexed.map(|LexedFile { language, tokens }| {
                    let keys = self.keys(file, &tokens, hashes);
                    let to_write = self.to_write(file, &tokens, bytes);
                    LexedRows::new(&language, tokens.len(), to_write, keys)
                });
                (lexed, None)
            }
            (None, None) => (None, None),
        };
        let info = match info {
            Some(known) if !may_license => known,
            _ if may_license || lexed.is_some() => {
                LicensingInfo::remembered(&file.path, bytes, self.memory)
            }
            _ => LicensingInfo::default(),
        };
        Ok(FileRows { n_bytes, lexed, info })
    }

    /// Whether the tokens of `file` are needed, whose `bytes` have this id.
    fn is_read(&self, file: &SourceFile, id: &BlobId, bytes: &[u8]) -> bool {
        !self.blob_numbers.contains_key(id) && self.reading.wants(&file.path, bytes.len() as u64)
    }

    /// The rows of `file` if the replaced segment has its bytes, which have this id.
    pub fn known_rows(
        &self,
        file: &SourceFile,
        id: &BlobId,
        hashes: &mut Vec<u64>,
    ) -> Result<Option<FileRows>> {
        let Some(known) = self.known.filter(|_| !self.blob_numbers.contains_key(id)) else {
            return Ok(None);
        };
        let Some(number) = known.blob_of(id)? else { return Ok(None) };
        let packed = known.packed(number)?;
        let (tokens, text) = unpack(&packed)?;
        let keys = self.keys(file, &tokens, hashes);
        let to_write = match packed {
            PackedTokens::Whole(packed) if key_of_history(file).is_none() => {
                TokensToWrite::Whole(packed.to_vec())
            }
            _ => self.to_write(file, &tokens, &text),
        };
        let lexed = LexedRows::new(known.language(number)?, tokens.len(), to_write, keys);
        Ok(Some(FileRows { n_bytes: 0, lexed: Some(lexed), info: known.info(number)? }))
    }

    /// The keys of `tokens` of a file that it does not have yet.
    fn keys(&self, file: &SourceFile, tokens: &[Token], hashes: &mut Vec<u64>) -> Vec<u64> {
        let of_file = key_of_history(file);
        let is_new = |key| of_file.is_none_or(|file| !self.posted.contains(&(key ^ file)));
        keys(tokens, &self.sampling, is_new, hashes)
    }

    /// How the `tokens` of `file`, read from `text`, are written.
    fn to_write(&self, file: &SourceFile, tokens: &[Token], text: &[u8]) -> TokensToWrite {
        match key_of_history(file) {
            Some(_) => TokensToWrite::InChunks(ChunkedTokens::new(tokens, text, &self.claims)),
            None => TokensToWrite::Whole(pack(tokens, text)),
        }
    }
}

pub(super) struct PastRowMaker<'m> {
    pub making: RowMaker<'m>,
    /// The files to read.
    pub files: Vec<&'m PastFile>,
    pub made: Vec<OnceLock<Result<FileRows>>>,
}

#[derive(Default)]
pub(super) struct Scratch {
    tokens: Vec<Token>,
    hashes: Vec<u64>,
}

/// A version whose rows are made but for their keys.
pub(super) struct KeylessVersion {
    number: usize,
    read: LexedVersion,
    rows: Result<FileRows>,
    /// The tokens in which it differs from an earlier version of its file, which has all other
    /// keys.
    own: OwnTokens,
}

impl PastRowMaker<'_> {
    /// Whether two versions are of one file of a history and in one language, so that what they
    /// share is told and has the same keys.
    fn is_same_file(&self, one: &KeylessVersion, other: &KeylessVersion) -> bool {
        let [a, b] = [one, other].map(|of| key_of_history(&self.files[of.number].file));
        one.read.language == other.read.language && a.is_some() && a == b
    }
}

impl Work for PastRowMaker<'_> {
    type State = Scratch;
    type Product = Option<KeylessVersion>;

    fn state(&self) -> Scratch {
        Scratch::default()
    }

    fn make(&self, scratch: &mut Scratch, blob: git::Blob<'_, Self::Product>) -> Self::Product {
        let git::Blob { number, bytes, base } = blob;
        let number = number?;
        let PastFile { blob: id, file } = self.files[number];
        let Scratch { tokens, hashes } = scratch;
        let base = base.and_then(|(text, made)| Some((text, made.as_ref()?)));
        let before = base.map(|(text, made)| (text, &made.read));
        let is_read = self.making.is_read(file, id, bytes);
        let version = is_read
            .then(|| self.making.reading.version(&file.path, bytes, before, tokens))
            .flatten();
        let Some((read, changed)) = version else {
            self.made[number].get_or_init(|| self.making.rows(file, id, bytes, None, hashes));
            return None;
        };
        let rows = self.making.rows(file, id, bytes, Some(&read), hashes);
        let own = OwnTokens::all(read.version.tokens().len());
        let made = KeylessVersion { number, read, rows, own };
        if let Some((_, base)) = base.filter(|(_, base)| self.is_same_file(base, &made)) {
            made.own.share(&base.own, base.number < number, changed);
        }
        Some(made)
    }

    fn finish(&self, scratch: &mut Scratch, made: Self::Product) {
        let Some(KeylessVersion { number, read, mut rows, own }) = made else { return };
        let tokens = read.version.tokens();
        let around = self.making.sampling.fingerprint.around(tokens.len(), own.into_range());
        let file = &self.files[number].file;
        if let Ok(FileRows { lexed: Some(lexed), .. }) = &mut rows {
            lexed.keys = self.making.keys(file, &tokens[around], &mut scratch.hashes);
        }
        self.made[number].get_or_init(|| rows);
    }
}

/// The keys of the informative fingerprints of a file that `is_new`, without duplicates.
pub(super) fn keys(
    tokens: &[Token],
    sampling: &Sampling,
    is_new: impl Fn(u64) -> bool,
    hashes: &mut Vec<u64>,
) -> Vec<u64> {
    let k = sampling.fingerprint.noise_threshold();
    let prints = sampling.fingerprint.fingerprints(tokens, hashes);
    let informative = prints.filter(|print| {
        let at = print.position as usize;
        is_new(key(print.hash)) && is_telling(&tokens[at..at + k], sampling.min_distinct)
    });
    let mut keys: Vec<u64> = informative.map(|print| key(print.hash)).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// A number for a file of a history, to distinguish the fingerprints of different files.
pub(super) fn key_of_history(file: &SourceFile) -> Option<u64> {
    file.seen.as_ref().filter(|seen| seen.is_of_history)?;
    let name = file.component.name.bytes().chain([0]);
    Some(fnv_1a(name.chain(file.path.as_bytes().iter().copied())).rotate_left(32))
}
