//! Makes of a file what a segment has of it: its tokens, fingerprints and license statements. Runs
//! on all threads.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::chunks::{ChunkedTokens, Claims};
use super::open::{CorpusSegment, StoredLanguage};
use super::tokens::{Packed, pack, unpack};
use crate::files::BlobId;
use crate::fingerprint;
use crate::git::{self, Work};
use crate::language::Token;
use crate::license::{KnownTexts, LicensingInfo, is_relevant};
use crate::matching::is_telling;
use crate::sources::{PastFile, SourceFile};
use crate::store::{SegmentError, key};
use crate::text::{FilePath, fnv_1a};

/// A source file as read by its language.
#[derive(Debug)]
pub struct LexedFile {
    /// The name of its language.
    pub language: String,
    /// The family of its language.
    pub family: String,
    /// Its tokens.
    pub tokens: Vec<Token>,
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
pub trait Reading: Sync {
    /// Whether to read a file with this name and size.
    fn wants(&self, path: &FilePath, size: u64) -> bool;

    /// Whether a file with this name is source that is too large to be read.
    fn is_too_large(&self, path: &FilePath, size: u64) -> bool;

    /// The tokens of a file; `None` if it is not source to compare.
    fn lex(&self, path: &FilePath, bytes: &[u8]) -> Option<LexedFile>;

    /// The functions that differ between two versions of a file, each as it was and as it is.
    fn changed_functions(&self, path: &FilePath, before: &[u8], after: &[u8]) -> Vec<FunctionPair>;

    /// Called for each file, to report progress.
    fn step(&self, n_bytes: usize);
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
        let positive =
            |n: usize| std::num::NonZeroUsize::new(n).unwrap_or(std::num::NonZeroUsize::MIN);
        let k = self.fingerprint.noise_threshold();
        let dense = fingerprint::Params::new(positive(k), positive(k + DENSE_WINDOW - 1));
        Self { fingerprint: dense.unwrap_or(self.fingerprint), ..self }
    }
}

/// The tokens of a blob.
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
    pub language: String,
    pub family: String,
    pub n_tokens: u32,
    pub tokens: TokensToWrite,
    pub keys: Vec<u64>,
}

/// What the threads have to know that make rows.
pub(super) struct Making<'m> {
    pub reading: &'m dyn Reading,
    pub sampling: Sampling,
    pub known: Option<&'m CorpusSegment>,
    pub blob_numbers: &'m HashMap<BlobId, u32>,
    pub memory: &'m KnownTexts,
    pub posted: &'m foldhash::HashSet<u64>,
    pub claims: Claims<'m>,
}

impl Making<'_> {
    /// The rows of `file`, whose `bytes` have this id.
    pub fn rows(
        &self,
        file: &SourceFile,
        id: &BlobId,
        bytes: &[u8],
        hashes: &mut Vec<u64>,
    ) -> Result<FileRows, SegmentError> {
        let n_bytes = bytes.len() as u64;
        self.reading.step(bytes.len());
        // Files of a history already have the statements about others attached.
        let may_license = file.licenses.is_none() && is_relevant(&file.path);
        let (lexed, info) = match self.known_rows(file, id, hashes)? {
            Some(known) => (known.lexed, Some(known.info)),
            None => {
                let is_read =
                    !self.blob_numbers.contains_key(id) && self.reading.wants(&file.path, n_bytes);
                let lexed = is_read.then(|| self.reading.lex(&file.path, bytes)).flatten();
                (lexed.map(|lexed| self.rows_of(file, lexed, bytes, None, hashes)), None)
            }
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

    /// The rows of `file` if the replaced segment has its bytes, which have this id.
    pub fn known_rows(
        &self,
        file: &SourceFile,
        id: &BlobId,
        hashes: &mut Vec<u64>,
    ) -> Result<Option<FileRows>, SegmentError> {
        let Some(known) = self.known.filter(|_| !self.blob_numbers.contains_key(id)) else {
            return Ok(None);
        };
        let Some(number) = known.blob_of(id)? else { return Ok(None) };
        let StoredLanguage { language, family } = known.language(number)?.clone();
        let packed = known.packed(number)?;
        let (tokens, text) = unpack(&packed)?;
        let packed = if let Packed::Whole(packed) = packed { Some(packed) } else { None };
        let lexed = LexedFile { language, family, tokens };
        let lexed = Some(self.rows_of(file, lexed, &text, packed, hashes));
        Ok(Some(FileRows { n_bytes: 0, lexed, info: known.info(number)? }))
    }

    /// The rows of `lexed`, read from `text`; `packed` is what it packs to, if that is known.
    fn rows_of(
        &self,
        file: &SourceFile,
        LexedFile { language, family, tokens }: LexedFile,
        text: &[u8],
        packed: Option<&[u8]>,
        hashes: &mut Vec<u64>,
    ) -> LexedRows {
        let of_file = key_of_history(file);
        let is_new = |key| of_file.is_none_or(|file| !self.posted.contains(&(key ^ file)));
        let keys = keys(&tokens, &self.sampling, &is_new, hashes);
        let n_tokens = tokens.len() as u32;
        let tokens = match (of_file, packed) {
            (Some(_), _) => {
                TokensToWrite::InChunks(ChunkedTokens::new(&tokens, text, &self.claims))
            }
            (None, Some(packed)) => TokensToWrite::Whole(packed.to_vec()),
            (None, None) => TokensToWrite::Whole(pack(&tokens, text)),
        };
        LexedRows { language, family, n_tokens, tokens, keys }
    }
}

/// Makes the rows of the files of a history.
pub(super) struct MakingPast<'m> {
    pub making: Making<'m>,
    /// The files to read.
    pub files: Vec<&'m PastFile>,
    pub made: Vec<OnceLock<Result<FileRows, SegmentError>>>,
}

impl Work for MakingPast<'_> {
    type State = Vec<u64>;
    type Product = ();

    fn state(&self) -> Self::State {
        Vec::new()
    }

    fn make(&self, hashes: &mut Self::State, blob: git::Blob<'_, ()>) {
        let Some(number) = blob.number else { return };
        let PastFile { blob: id, file } = self.files[number];
        self.made[number].get_or_init(|| self.making.rows(file, id, blob.bytes, hashes));
    }

    fn finish(&self, _: &mut Self::State, (): ()) {}
}

/// The keys of the informative fingerprints of a file that `is_new`, without duplicates.
pub(super) fn keys(
    tokens: &[Token],
    sampling: &Sampling,
    is_new: &dyn Fn(u64) -> bool,
    hashes: &mut Vec<u64>,
) -> Vec<u64> {
    let k = sampling.fingerprint.noise_threshold();
    let prints = sampling.fingerprint.fingerprints(tokens, hashes);
    let new = prints.filter(|print| is_new(key(print.hash)));
    let is_informative = |print: &fingerprint::Fingerprint| {
        let at = print.position as usize;
        is_telling(&tokens[at..at + k], sampling.min_distinct)
    };
    let mut keys: Vec<u64> = new.filter(is_informative).map(|print| key(print.hash)).collect();
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
