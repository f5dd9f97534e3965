//! Builds the segment of one source: takes its files, and writes what is asked of them later.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use super::open::{BLOB_ROW, CorpusSegment, Meta, SECTION, Spoken};
use super::runs::Runs;
use super::tokens::{pack, put};
use super::{Stats, params};
use crate::corpus::{self, Component, Note, Seen, Sink, SourceFile};
use crate::fingerprint;
use crate::git::BlobId;
use crate::language::Token;
use crate::matching::is_telling;
use crate::store::{Kind, PostingsWriter, SegmentError, SegmentWriter, key};
use crate::text::FilePath;

/// A source file as its language reads it.
#[derive(Debug)]
pub struct Lexed {
    /// The name of its language.
    pub language: String,
    /// The family of its language.
    pub family: String,
    /// Its tokens.
    pub tokens: Vec<Token>,
}

/// How files become tokens, and their licenses known: what the floors above decide.
pub trait Reading: Sync {
    /// Whether a file of this name and size is to be read.
    fn wants(&self, path: &FilePath, size: u64) -> bool;

    /// The tokens of a file; `None` when it is no source that is compared.
    fn lex(&self, path: &FilePath, bytes: &[u8]) -> Option<Lexed>;

    /// Told of each file as it comes.
    fn step(&self, n_bytes: usize);
}

/// How fingerprints are taken of a corpus.
#[derive(Debug, Clone, Copy)]
pub struct Sampling {
    /// k and w.
    pub fingerprint: fingerprint::Params,
    /// Different tokens that a k-gram must have.
    pub min_distinct: usize,
}

/// Bytes of files that are taken together, on all threads.
const BATCH: usize = 8 << 20;

/// Builds a segment; dropped before [`Builder::finish`], it leaves nothing behind.
pub struct Builder<'b> {
    reading: &'b dyn Reading,
    sampling: Sampling,
    /// What is there of the source already: its blobs need not be lexed again.
    known: Option<&'b CorpusSegment>,
    out: SegmentWriter,
    folder: PathBuf,
    pending: Vec<SourceFile>,
    n_pending: usize,
    components: Vec<Component>,
    component_numbers: HashMap<Component, u32>,
    languages: BTreeMap<(String, String), u32>,
    blobs: Vec<Blob>,
    blob_numbers: HashMap<BlobId, u32>,
    files: Vec<File>,
    postings: Runs,
    /// Fingerprints that an earlier version of a file has, by path: a history repeats itself.
    posted: HashSet<u64>,
    packed_len: u64,
    stats: Stats,
    notes: Vec<Note>,
}

struct Blob {
    id: BlobId,
    language: u32,
    n_tokens: u32,
    packed: std::ops::Range<u64>,
}

struct File {
    blob: u32,
    component: u32,
    path: FilePath,
    seen: Option<Seen>,
}

/// What is made of a file on one of the threads.
struct Made {
    id: BlobId,
    lexed: Option<(String, String, u32)>,
    packed: Vec<u8>,
    keys: Vec<u64>,
}

impl std::fmt::Debug for Builder<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Builder").field("stats", &self.stats).finish_non_exhaustive()
    }
}

impl<'b> Builder<'b> {
    /// Begins a segment in `folder`; `known` is the segment that it will replace.
    ///
    /// # Errors
    /// When the folder is not writable.
    pub fn new(
        folder: &Path,
        sampling: Sampling,
        reading: &'b dyn Reading,
        known: Option<&'b CorpusSegment>,
    ) -> Result<Self, SegmentError> {
        let mut out = SegmentWriter::create(folder, Kind::Corpus, params(&sampling.fingerprint))?;
        out.begin(SECTION.tokens);
        Ok(Self {
            reading,
            sampling,
            known: known.filter(|known| known.is_sampled(&sampling.fingerprint)),
            out,
            folder: folder.to_owned(),
            pending: Vec::new(),
            n_pending: 0,
            components: Vec::new(),
            component_numbers: HashMap::new(),
            languages: BTreeMap::new(),
            blobs: Vec::new(),
            blob_numbers: HashMap::new(),
            files: Vec::new(),
            postings: Runs::new(folder),
            posted: HashSet::new(),
            packed_len: 0,
            stats: Stats::default(),
            notes: Vec::new(),
        })
    }

    /// What was passed over, and why.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    fn component(&mut self, component: &Arc<Component>) -> u32 {
        if let Some(&number) = self.component_numbers.get(&**component) {
            return number;
        }
        let number = self.components.len() as u32;
        self.components.push((**component).clone());
        self.component_numbers.insert((**component).clone(), number);
        number
    }

    fn language(&mut self, language: String, family: String) -> u32 {
        let n = self.languages.len() as u32;
        *self.languages.entry((language, family)).or_insert(n)
    }

    /// Takes the pending files: what is costly on all threads, the rest in order.
    fn flush(&mut self) -> Result<(), SegmentError> {
        let files = std::mem::take(&mut self.pending);
        self.n_pending = 0;
        let (reading, sampling) = (self.reading, self.sampling);
        let (known, blob_numbers) = (self.known, &self.blob_numbers);
        let made: Vec<Made> = files
            .par_iter()
            .map_init(Vec::new, |hashes, file| {
                reading.step(file.bytes.len());
                let id = BlobId::of(&file.bytes);
                let is_known = blob_numbers.contains_key(&id) || known.is_some_and(|known| known.has(&id));
                if is_known {
                    return Made { id, lexed: None, packed: Vec::new(), keys: Vec::new() };
                }
                match reading.lex(&file.path, &file.bytes) {
                    None => Made { id, lexed: None, packed: Vec::new(), keys: Vec::new() },
                    Some(Lexed { language, family, tokens }) => Made {
                        id,
                        packed: pack(&tokens, &file.bytes),
                        keys: keys(&tokens, &sampling, hashes),
                        lexed: Some((language, family, tokens.len() as u32)),
                    },
                }
            })
            .collect();
        for (file, made) in files.into_iter().zip(made) {
            self.stats.n_bytes += file.bytes.len() as u64;
            let is_history = file.seen.as_ref().is_some_and(|seen| seen.is_of_history);
            let blob = match (self.blob_numbers.get(&made.id).copied(), made.lexed) {
                (Some(number), _) => Some(number),
                (None, Some((language, family, n_tokens))) => {
                    let language = self.language(language, family);
                    Some(self.add(
                        made.id,
                        language,
                        n_tokens,
                        &made.packed,
                        made.keys,
                        is_history.then_some(&file.path),
                    )?)
                }
                (None, None) => self.add_known(&made.id, is_history.then_some(&file.path))?,
            };
            if let Some(blob) = blob {
                let component = self.component(&file.component);
                self.files.push(File { blob, component, path: file.path, seen: file.seen });
            }
        }
        Ok(())
    }

    /// Adds a blob; of one that belongs to a history, only the fingerprints that its path has not had.
    fn add(
        &mut self,
        id: BlobId,
        language: u32,
        n_tokens: u32,
        packed: &[u8],
        keys: Vec<u64>,
        history: Option<&FilePath>,
    ) -> Result<u32, SegmentError> {
        let number = self.blobs.len() as u32;
        let path = history.map(key_of_path);
        for key in keys {
            if path.is_none_or(|path| self.posted.insert(key ^ path)) {
                self.postings.push((key, number)).map_err(|why| self.failed(why))?;
            }
        }
        self.out.write(packed)?;
        let start = self.packed_len;
        self.packed_len += packed.len() as u64;
        self.stats.n_tokens += u64::from(n_tokens);
        self.blobs.push(Blob { id, language, n_tokens, packed: start..self.packed_len });
        self.blob_numbers.insert(id, number);
        Ok(number)
    }

    /// Takes a blob over from the segment that is replaced, if it has it.
    fn add_known(&mut self, id: &BlobId, history: Option<&FilePath>) -> Result<Option<u32>, SegmentError> {
        let Some(known) = self.known else { return Ok(None) };
        let Some(number) = known.blob_of(id)? else { return Ok(None) };
        let Spoken { language, family } = known.spoken(number)?.clone();
        let packed = known.packed(number)?;
        let (tokens, _) = super::tokens::unpack(packed)?;
        let keys = keys(&tokens, &self.sampling, &mut Vec::new());
        let language = self.language(language, family);
        self.add(*id, language, tokens.len() as u32, packed, keys, history).map(Some)
    }

    fn failed(&self, why: std::io::Error) -> SegmentError {
        SegmentError::File { file: self.folder.clone(), why }
    }

    /// Completes the segment under a name that begins with `name`.
    ///
    /// # Errors
    /// When the disk takes no more.
    pub fn finish(mut self, name: &str) -> Result<(PathBuf, Stats), SegmentError> {
        self.flush()?;
        self.stats.n_components = self.components.len() as u64;
        self.stats.n_files = self.files.len() as u64;
        self.stats.n_blobs = self.blobs.len() as u64;
        self.stats.n_postings = self.postings.len() as u64;
        self.write_files()?;
        self.write_postings()?;
        let mut languages: Vec<_> = self.languages.into_iter().collect();
        languages.sort_by_key(|(_, number)| *number);
        let spoken = |((language, family), _)| Spoken { language, family };
        let meta = Meta {
            stats: self.stats,
            components: self.components,
            languages: languages.into_iter().map(spoken).collect(),
        };
        self.out.begin(SECTION.meta);
        self.out.write(&serde_json::to_vec(&meta).map_err(|_| SegmentError::Damaged("its description"))?)?;
        Ok((self.out.finish(name)?, self.stats))
    }

    /// Writes the table of blobs, the order of their ids, and the files of each.
    fn write_files(&mut self) -> Result<(), SegmentError> {
        let mut files: Vec<Vec<&File>> = vec![Vec::new(); self.blobs.len()];
        for file in &self.files {
            files[file.blob as usize].push(file);
        }
        let mut rows = Vec::with_capacity(self.blobs.len() * BLOB_ROW);
        let mut records = Vec::new();
        for (blob, files) in self.blobs.iter().zip(&files) {
            let start = records.len() as u64;
            put(&mut records, files.len() as u64);
            for file in files {
                put_file(&mut records, file);
            }
            rows.extend(blob.id.sha1());
            rows.extend(files.first().map_or(0, |file| file.component).to_le_bytes());
            rows.extend(blob.language.to_le_bytes());
            rows.extend(blob.n_tokens.to_le_bytes());
            rows.extend(((blob.packed.end - blob.packed.start) as u32).to_le_bytes());
            rows.extend(((records.len() as u64 - start) as u32).to_le_bytes());
            rows.extend(blob.packed.start.to_le_bytes());
            rows.extend(start.to_le_bytes());
        }
        let mut order: Vec<u32> = (0..self.blobs.len() as u32).collect();
        order.sort_unstable_by_key(|&number| self.blobs[number as usize].id.sha1());
        self.out.begin(SECTION.blobs);
        self.out.write(&rows)?;
        self.out.begin(SECTION.by_id);
        for number in order {
            self.out.write(&number.to_le_bytes())?;
        }
        self.out.begin(SECTION.files);
        self.out.write(&records)
    }

    fn write_postings(&mut self) -> Result<(), SegmentError> {
        // Three bytes name sixteen million blobs.
        let n_value = if self.blobs.len() < 1 << 24 { 3 } else { 4 };
        let postings = std::mem::replace(&mut self.postings, Runs::new(&self.folder));
        let mut out = PostingsWriter::new(postings.len(), n_value);
        postings.merge(|(key, blob)| out.push(key, &blob.to_le_bytes()[..n_value])).map_err(|why| self.failed(why))?;
        out.write(&mut self.out, SECTION.postings)
    }
}

impl Sink for Builder<'_> {
    fn wants(&self, path: &FilePath, size: u64) -> bool {
        self.reading.wants(path, size)
    }

    fn knows(
        &mut self,
        component: &Arc<Component>,
        path: &FilePath,
        blob: &BlobId,
        seen: &Seen,
    ) -> Result<bool, corpus::Error> {
        if !self.known.is_some_and(|known| known.has(blob)) {
            return Ok(false);
        }
        let fails = |why: SegmentError| corpus::Error::Sink { what: path.to_string(), why: why.to_string() };
        self.flush().map_err(fails)?;
        let added = match self.blob_numbers.get(blob).copied() {
            Some(number) => Some(number),
            None => self.add_known(blob, Some(path)).map_err(fails)?,
        };
        let Some(number) = added else { return Ok(false) };
        let component = self.component(component);
        self.files.push(File { blob: number, component, path: path.clone(), seen: Some(seen.clone()) });
        Ok(true)
    }

    fn take(&mut self, file: SourceFile) -> Result<(), corpus::Error> {
        self.n_pending += file.bytes.len();
        let path = file.path.clone();
        self.pending.push(file);
        if self.n_pending < BATCH {
            return Ok(());
        }
        self.flush().map_err(|why| corpus::Error::Sink { what: path.to_string(), why: why.to_string() })
    }

    fn note(&mut self, note: Note) {
        self.notes.push(note);
    }
}

/// The keys of the fingerprints of a file that tell something, each once.
fn keys(tokens: &[Token], sampling: &Sampling, hashes: &mut Vec<u64>) -> Vec<u64> {
    let k = sampling.fingerprint.noise_threshold();
    let telling = |print: &fingerprint::Fingerprint| {
        let at = print.position as usize;
        is_telling(&tokens[at..at + k], sampling.min_distinct)
    };
    let prints = sampling.fingerprint.fingerprints(tokens, hashes);
    let mut keys: Vec<u64> = prints.filter(telling).map(|print| key(print.hash)).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// A number for a path, to tell the fingerprints of one from those of another.
fn key_of_path(path: &FilePath) -> u64 {
    let fnv = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01B3);
    path.as_bytes().iter().fold(0xCBF2_9CE4_8422_2325, fnv).rotate_left(32)
}

/// Appends the record of a file; `open` reads it.
fn put_file(bytes: &mut Vec<u8>, file: &File) {
    let text = |bytes: &mut Vec<u8>, text: &[u8]| {
        put(bytes, text.len() as u64);
        bytes.extend(text);
    };
    put(bytes, u64::from(file.component));
    text(bytes, file.path.as_bytes());
    bytes.push(u8::from(file.seen.is_some()));
    if let Some(seen) = &file.seen {
        text(bytes, seen.commit.as_bytes());
        bytes.extend(seen.time.to_le_bytes());
        text(bytes, seen.first_tag.as_deref().unwrap_or_default().as_bytes());
        text(bytes, seen.last_tag.as_deref().unwrap_or_default().as_bytes());
    }
}
