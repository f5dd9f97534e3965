//! Builds the segment of one source: receives its files, and writes what lookups will need.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::Hash;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::chunks::{ChunkWriter, ChunkedTokens};
use super::make::{
    FileLexer, FileRows, FunctionPair, LexedFile, LexedRows, PastRowMaker, RowMaker, Sampling,
    TokensToWrite, key_of_history, keys,
};
use super::open::{BLOB_ROW, CorpusSegment, IN_CHUNKS, Meta, SectionId, StoredLanguage, WHOLE};
use super::past::{PastWriter, write_table};
use super::tokens::pack;
use super::{Stats, params};
use crate::files::{BlobId, Entry, ReadFiles};
use crate::git::{Repository, blob_id};
use crate::license::{
    KnownTexts, Licenses, LicensingInfo, Method, NamedText, Scope, Terms, is_relevant, meant_by,
};
use crate::sources::{
    self, DeclaredComponent, FixedFile, Note, PastFile, PastOf, PastTag, ReleaseHistory, Sink,
    SourceFile,
};
use crate::store::runs::Sorter;
use crate::store::{PostingsWriter, Result, SegmentError, SegmentKind, SegmentWriter};
use crate::text::varint::put;
use crate::text::{FilePath, MAX_WRITTEN};

/// Bytes of files to process together, on all threads.
const BATCH: usize = 8 << 20;
/// Bytes of files of a history to process together: each time, the packs are read from the versions
/// on that these are deltas of.
const WINDOW: u64 = 256 << 20;

/// Builds a segment; if dropped before [`Builder::finish`], it leaves nothing behind.
pub(super) struct Builder<'b> {
    reading: &'b dyn FileLexer,
    sampling: Sampling,
    /// The segment to replace, whose blobs need not be lexed again.
    known: Option<&'b CorpusSegment>,
    out: SegmentWriter,
    folder: PathBuf,
    pending: Vec<SourceFile>,
    n_pending: usize,
    components: Interner<DeclaredComponent>,
    languages: Interner<StoredLanguage>,
    blobs: Vec<Blob>,
    blob_numbers: HashMap<BlobId, u32>,
    files: Vec<File>,
    postings: Sorter,
    /// Fingerprints of earlier versions of each file, by path, since histories are repetitive.
    posted: foldhash::HashSet<u64>,
    packed_len: u64,
    /// The tokens of the versions of histories.
    chunks: ChunkWriter,
    /// The licensing information of files, each once; blobs refer to it by number.
    infos: Interner<LicensingInfo>,
    /// What texts of licenses were read as.
    memory: KnownTexts,
    /// License statements about other files, by component; for files that did not come with theirs.
    licenses: HashMap<u32, Licenses>,
    /// The latest statements attached to a file of each component.
    last_licenses: HashMap<u32, Arc<Licenses>>,
    /// The statements at the root of each component as it is now, for those with a history.
    current: HashMap<DeclaredComponent, Arc<Licenses>>,
    /// When the files of components were packed.
    dates: HashMap<u32, i64>,
    past: Vec<(Arc<DeclaredComponent>, PastOf)>,
    fixes: PastWriter,
    is_of_fixes: bool,
    stats: Stats,
    notes: Vec<Note>,
    /// Files that are source by their name, and too large to be read.
    too_large: RefCell<BTreeSet<FilePath>>,
}

/// Values, each once, with a number.
struct Interner<T> {
    numbers: HashMap<T, u32>,
    all: Vec<T>,
}

impl<T: Eq + Hash + Clone> Interner<T> {
    fn new() -> Self {
        Self { numbers: HashMap::new(), all: Vec::new() }
    }

    fn number(&mut self, value: &T) -> u32 {
        if let Some(&known) = self.numbers.get(value) {
            return known;
        }
        let number = self.all.len() as u32;
        self.all.push(value.clone());
        self.numbers.insert(value.clone(), number);
        number
    }
}

struct Blob {
    id: BlobId,
    language: u32,
    n_tokens: u32,
    packed: std::ops::Range<u64>,
    /// What it states about its own license.
    info: u32,
}

/// For each component and path, since when a file has been there, and the number of what it states.
type FileReferences<'b> = HashMap<(u32, &'b [u8]), Vec<(i64, u32)>>;

struct File {
    blob: u32,
    component: u32,
    path: FilePath,
    seen: Option<ReleaseHistory>,
    licenses: Option<Arc<Licenses>>,
}

/// What a file states about itself; statements about others, and license texts, go to its
/// component.
fn own(mut info: LicensingInfo) -> LicensingInfo {
    info.statements.retain(|of| matches!(of.scope, Scope::File | Scope::Lines(..)));
    LicensingInfo { text: None, ..info }
}

impl<'b> Builder<'b> {
    /// Begins a segment in `folder`; `known`, which it will replace, is sampled in the same way.
    pub fn new(
        folder: &Path,
        sampling: Sampling,
        reading: &'b dyn FileLexer,
        known: Option<&'b CorpusSegment>,
    ) -> Result<Self> {
        let mut out =
            SegmentWriter::create(folder, SegmentKind::Corpus, params(&sampling.fingerprint))?;
        out.begin(SectionId::Tokens);
        let chunks = ChunkWriter::new(folder).map_err(SegmentError::file(folder))?;
        Ok(Self {
            reading,
            sampling,
            known,
            out,
            folder: folder.to_owned(),
            pending: Vec::new(),
            n_pending: 0,
            components: Interner::new(),
            languages: Interner::new(),
            blobs: Vec::new(),
            blob_numbers: HashMap::new(),
            files: Vec::new(),
            postings: Sorter::new(folder),
            posted: foldhash::HashSet::default(),
            packed_len: 0,
            chunks,
            infos: Interner::new(),
            memory: KnownTexts::default(),
            licenses: HashMap::new(),
            last_licenses: HashMap::new(),
            current: HashMap::new(),
            dates: HashMap::new(),
            past: Vec::new(),
            fixes: PastWriter::default(),
            is_of_fixes: false,
            stats: Stats::default(),
            notes: Vec::new(),
            too_large: RefCell::default(),
        })
    }

    /// What was skipped, and why.
    pub fn notes(&self) -> Vec<Note> {
        let too_large = self.too_large.borrow();
        let too_large =
            too_large.iter().map(|path| Note { what: path.to_string(), why: "it is too large" });
        self.notes.iter().cloned().chain(too_large).collect()
    }

    /// Processes the pending files: expensive work on all threads, the rest in order.
    fn flush(&mut self) -> Result<()> {
        let files = std::mem::take(&mut self.pending);
        self.n_pending = 0;
        let making = self.making();
        let made = files.par_iter().map_init(Vec::new, |hashes, file| {
            let id = blob_id(&file.bytes);
            Ok((id, making.rows(file, &id, &file.bytes, None, hashes)?))
        });
        let made = made.collect::<Result<Vec<(BlobId, FileRows)>>>()?;
        files.into_iter().zip(made).try_for_each(|(file, (id, made))| self.add_rows(file, id, made))
    }

    fn making(&self) -> RowMaker<'_> {
        RowMaker {
            reading: self.reading,
            sampling: self.sampling,
            known: self.known,
            blob_numbers: &self.blob_numbers,
            memory: &self.memory,
            posted: &self.posted,
            claims: self.chunks.claims(),
        }
    }

    fn add_rows(&mut self, file: SourceFile, id: BlobId, made: FileRows) -> Result<()> {
        let FileRows { n_bytes, lexed, info } = made;
        self.stats.n_bytes += n_bytes;
        if file.licenses.is_none() && is_relevant(&file.path) && !info.is_empty() {
            let component = self.components.number(&file.component);
            self.licenses.entry(component).or_default().add(&file.path, &info);
        }
        let history = key_of_history(&file);
        let blob = match (self.blob_numbers.get(&id).copied(), lexed) {
            (Some(number), _) => number,
            (None, Some(lexed)) => self.add(id, lexed, info, history)?,
            (None, None) => return Ok(()),
        };
        let SourceFile { component, path, seen, licenses, .. } = file;
        let component = self.components.number(&component);
        if let Some(licenses) = &licenses {
            self.last_licenses.insert(component, Arc::clone(licenses));
        }
        self.files.push(File { blob, component, path, seen, licenses });
        Ok(())
    }

    fn add_past(
        &mut self,
        repository: &Repository,
        files: Vec<PastFile>,
    ) -> Result<(), sources::Error> {
        let making = self.making();
        let known = files.par_iter().map_init(Vec::new, |hashes, PastFile { blob, file }| {
            making.known_rows(file, blob, hashes).map_err(|why| not_stored(&file.path, &why))
        });
        let known = known.collect::<Result<Vec<Option<FileRows>>, sources::Error>>()?;
        let unknown = files.iter().zip(&known).filter(|(_, known)| known.is_none());
        let unknown: Vec<&PastFile> = unknown.map(|(file, _)| file).collect();
        let blobs: Vec<BlobId> = unknown.iter().map(|file| file.blob).collect();
        let reader = repository.reader();
        reader.fetch_blobs(&mut blobs.iter().copied());
        let made = blobs.iter().map(|_| OnceLock::new()).collect();
        let work = PastRowMaker { making, files: unknown, made };
        if let Some(&missing) = repository.each_blob(&blobs, &work)?.first() {
            // It says what is missing.
            let PastFile { blob, file } = work.files[missing];
            reader.read(&Entry::of_blob(&file.path, *blob))?;
        }
        let mut read = work.made.into_iter();
        let mut made = Vec::with_capacity(files.len());
        for (of, known) in files.iter().zip(known) {
            let rows = match known {
                Some(known) => Ok(Some(known)),
                None => read.next().and_then(OnceLock::into_inner).transpose(),
            };
            made.push(rows.map_err(|why| not_stored(&of.file.path, &why))?.unwrap_or_default());
        }
        // The thread that packed a chunk may have met it in a later file than the first.
        for rows in made.iter_mut().filter_map(|made| made.lexed.as_mut()) {
            if let TokensToWrite::InChunks(chunked) = &mut rows.tokens {
                self.chunks.keep(std::mem::take(&mut chunked.new));
            }
        }
        for (PastFile { blob, file }, made) in files.into_iter().zip(made) {
            let path = file.path.clone();
            self.add_rows(file, blob, made).map_err(|why| not_stored(&path, &why))?;
        }
        Ok(())
    }

    /// Adds a blob; for one from a history, only the fingerprints that are new in its file, which
    /// has this key.
    fn add(
        &mut self,
        id: BlobId,
        lexed: LexedRows,
        info: LicensingInfo,
        history: Option<u64>,
    ) -> Result<u32> {
        let LexedRows { language, n_tokens, tokens, keys } = lexed;
        let language = self.languages.number(&language);
        let number = self.blobs.len() as u32;
        for key in keys {
            if history.is_none_or(|file| self.posted.insert(key ^ file)) {
                self.postings.push((key, number)).map_err(SegmentError::file(&self.folder))?;
            }
        }
        let (kind, packed) = match tokens {
            TokensToWrite::Whole(packed) => (WHOLE, packed),
            TokensToWrite::InChunks(ChunkedTokens { keys, .. }) => {
                (IN_CHUNKS, self.chunks.list(&keys).map_err(SegmentError::file(&self.folder))?)
            }
        };
        self.out.write(&[kind])?;
        self.out.write(&packed)?;
        let start = self.packed_len;
        self.packed_len += 1 + packed.len() as u64;
        self.stats.n_tokens += u64::from(n_tokens);
        let info = self.infos.number(&own(info));
        self.blobs.push(Blob { id, language, n_tokens, packed: start..self.packed_len, info });
        self.blob_numbers.insert(id, number);
        Ok(number)
    }

    /// Completes the segment under a name that begins with `name`.
    pub fn finish(mut self, name: &str) -> Result<(PathBuf, Stats)> {
        self.flush()?;
        self.stats.n_components = self.components.all.len() as u64;
        self.stats.n_files = self.files.len() as u64;
        self.stats.n_blobs = self.blobs.len() as u64;
        self.stats.n_postings = self.postings.len() as u64;
        self.write_chunks()?;
        let component_licenses = self.write_files()?;
        let postings = std::mem::replace(&mut self.postings, Sorter::new(&self.folder));
        write_postings(&mut self.out, postings, self.blobs.len(), &self.folder)?;
        self.write_past()?;
        let meta = Meta {
            stats: self.stats,
            components: self.components.all,
            component_licenses,
            languages: self.languages.all,
            is_of_fixes: self.is_of_fixes,
        };
        let meta =
            serde_json::to_vec(&meta).map_err(|_| SegmentError::Damaged("its description"))?;
        self.out.section(SectionId::Meta, &meta)?;
        Ok((self.out.finish(name)?, self.stats))
    }

    /// What is known of the licenses of each component, and of each of its files, as numbers in
    /// `table`.
    fn licenses(&mut self, table: &mut Interner<Terms>) -> (Vec<u32>, Vec<u32>) {
        for (component, number) in self.components.all.iter().zip(0..) {
            if let Some(declared) = &component.license {
                self.licenses.entry(number).or_default().declare(&FilePath::new(""), declared);
            }
        }
        let nothing = Licenses::default();
        let mut whole = Vec::new();
        for (component, number) in self.components.all.iter().zip(0..) {
            let known = self.current.get(component);
            let licenses = known
                .filter(|of| of.component().expression.is_some())
                .or_else(|| self.last_licenses.get(&number))
                .map_or_else(|| self.licenses.get(&number).unwrap_or(&nothing), |of| &**of);
            let texts = licenses.texts().to_vec();
            whole.push(Terms { texts, ..Terms::new(&licenses.component()) });
        }
        let referred = self.referred();
        // Files in one folder with the same statements have the same license, unless something
        // names them.
        let mut known: HashMap<(usize, &[u8], u32), u32> = HashMap::new();
        let mut files = Vec::with_capacity(self.files.len());
        for file in &self.files {
            let of_component = self.licenses.get(&file.component).unwrap_or(&nothing);
            let licenses = file.licenses.as_deref().unwrap_or(of_component);
            let info = self.blobs[file.blob as usize].info;
            let of_file = &self.infos.all[info as usize];
            let key = (std::ptr::from_ref(licenses).addr(), file.path.folder(), info);
            let number = match known.get(&key) {
                Some(&number) if !licenses.is_by_name() && !of_file.refers() => number,
                _ => {
                    let identified = licenses.of_info(&file.path, of_file, &|path, name| {
                        let mut meant = meant_by(path, name).into_iter();
                        meant.find_map(|at| self.meant(&referred, file, &at).map(|info| (at, info)))
                    });
                    table.number(&Terms::of_file(&identified, &whole[file.component as usize]))
                }
            };
            known.insert(key, number);
            files.push(number);
        }
        for (whole, number) in whole.iter_mut().zip(0..) {
            // A package may have everything in one folder.
            let mut all = self.files.iter().zip(&files);
            if whole.license.is_none()
                && whole.evidence.is_none()
                && let Some((_, &license)) = all.find(|(file, _)| file.component == number)
            {
                let texts = std::mem::take(&mut whole.texts);
                *whole = Terms { texts, ..table.all[license as usize].clone() };
            }
        }
        (whole.iter().map(|license| table.number(license)).collect(), files)
    }

    /// What the file at a path states to which the header of `file` may refer, at its time.
    fn meant(
        &self,
        referred: &FileReferences<'_>,
        file: &File,
        at: &FilePath,
    ) -> Option<LicensingInfo> {
        let versions = referred.get(&(file.component, at.as_bytes()))?;
        // The version of that time: the last one that is not newer, or else the first.
        let time = file.seen.as_ref().map_or(i64::MAX, |seen| seen.time);
        let last = versions.partition_point(|(since, _)| *since <= time).saturating_sub(1);
        Some(self.infos.all[versions[last].1 as usize].clone())
    }

    /// The files that headers refer to for their license, by component and path: since when, and
    /// what they state.
    fn referred(&self) -> FileReferences<'_> {
        let statements = self.infos.all.iter().flat_map(|info| &info.statements);
        let names = statements.filter(|of| of.method == Method::Reference);
        let names: HashSet<&[u8]> = names
            .filter_map(|of| of.written.as_bytes().rsplit(|&byte| byte == b'/').next())
            .collect();
        let mut referred = FileReferences::new();
        for file in self.files.iter().filter(|file| names.contains(file.path.name())) {
            let since = file.seen.as_ref().map_or(i64::MIN, |seen| seen.time);
            let info = self.blobs[file.blob as usize].info;
            referred.entry((file.component, file.path.as_bytes())).or_default().push((since, info));
        }
        referred.values_mut().for_each(|versions| versions.sort_unstable());
        referred
    }

    /// Writes the blobs, their files and the licenses; returns the licenses of the components.
    fn write_files(&mut self) -> Result<Vec<u32>> {
        let mut table = Interner::new();
        for file in self.files.iter_mut().filter(|file| file.seen.is_none()) {
            let time = self.dates.get(&file.component);
            file.seen = time.map(|&time| ReleaseHistory { time, ..ReleaseHistory::default() });
        }
        let (component_licenses, licenses) = self.licenses(&mut table);
        let mut files: Vec<Vec<(&File, u32)>> = vec![Vec::new(); self.blobs.len()];
        for (file, license) in self.files.iter().zip(licenses) {
            files[file.blob as usize].push((file, license));
        }
        let mut rows = Vec::with_capacity(self.blobs.len() * BLOB_ROW);
        let mut records = Vec::new();
        for (blob, files) in self.blobs.iter().zip(&files) {
            let start = records.len() as u64;
            put(&mut records, u64::from(blob.info));
            put(&mut records, files.len() as u64);
            for (file, license) in files {
                put(&mut records, u64::from(*license));
                put_file(&mut records, file);
            }
            rows.extend(blob.id.sha1());
            let component = files.first().map_or(0, |(file, _)| file.component);
            let n_packed = (blob.packed.end - blob.packed.start) as u32;
            let n_record = (records.len() as u64 - start) as u32;
            let numbers = [component, blob.language, blob.n_tokens, n_packed, n_record];
            rows.extend(numbers.map(u32::to_le_bytes).as_flattened());
            rows.extend([blob.packed.start, start].map(u64::to_le_bytes).as_flattened());
        }
        let mut order: Vec<u32> = (0..self.blobs.len() as u32).collect();
        order.sort_unstable_by_key(|&number| self.blobs[number as usize].id.sha1());
        self.out.section(SectionId::Blobs, &rows)?;
        self.out.begin(SectionId::ById);
        order.iter().try_for_each(|number| self.out.write(&number.to_le_bytes()))?;
        self.out.section(SectionId::Files, &records)?;
        write_table(&mut self.out, SectionId::Licenses, &table.all)?;
        write_table(&mut self.out, SectionId::Info, &self.infos.all)?;
        Ok(component_licenses)
    }

    fn write_chunks(&mut self) -> Result<()> {
        let failed = SegmentError::file(&self.folder);
        let file = self.chunks.rewound().map_err(&failed)?;
        let mut bytes = vec![0; 1 << 18];
        self.out.begin(SectionId::Chunks);
        loop {
            match file.read(&mut bytes).map_err(&failed)? {
                0 => return Ok(()),
                n => self.out.write(&bytes[..n])?,
            }
        }
    }

    fn write_past(&mut self) -> Result<()> {
        let mut writer = std::mem::take(&mut self.fixes);
        for (component, past) in self.releases() {
            writer.add(component, past, &|id| self.blob_numbers.get(id).copied());
        }
        for (component, past) in std::mem::take(&mut self.past) {
            // A component of which no file was taken has no number, and nothing to look up.
            if let Some(&component) = self.components.numbers.get(&*component) {
                writer.add(component, past, &|id| self.blob_numbers.get(id).copied());
            }
        }
        writer.write(&mut self.out)
    }

    /// The components with a version and no history: their past is one release.
    fn releases(&self) -> Vec<(u32, PastOf)> {
        let mut releases: BTreeMap<u32, PastOf> = BTreeMap::new();
        for file in &self.files {
            let component = &self.components.all[file.component as usize];
            let Some(name) = &component.version else { continue };
            if file.seen.as_ref().is_some_and(|seen| seen.is_of_history) {
                continue;
            }
            let time = file.seen.as_ref().map_or(0, |seen| seen.time);
            let release = releases.entry(file.component).or_insert_with(|| {
                let tags = [name.clone(), String::new()];
                let tags = tags.map(|name| PastTag { name, time, files: Vec::new() });
                PastOf { tags: tags.into(), ..PastOf::default() }
            });
            let blob = self.blobs[file.blob as usize].id;
            release.tags[0].files.push((file.path.clone(), Some(blob)));
        }
        releases.into_iter().collect()
    }

    /// Adds a function as it was before a fix, or as it became.
    fn add_function(&mut self, file: &FixedFile, function: LexedFile, text: &[u8]) -> Result<u32> {
        let LexedFile { language, tokens } = function;
        let packed = pack(&tokens, text);
        let id = blob_id(&packed);
        if let Some(&known) = self.blob_numbers.get(&id) {
            return Ok(known);
        }
        let keys = keys(&tokens, &self.sampling, |_| true, &mut Vec::new());
        let (n_tokens, tokens) = (tokens.len() as u32, TokensToWrite::Whole(packed));
        let lexed = LexedRows { language, n_tokens, tokens, keys };
        let number = self.add(id, lexed, LicensingInfo::default(), None)?;
        let component = self.components.number(&file.component);
        let path = file.path.clone();
        self.files.push(File { blob: number, component, path, seen: None, licenses: None });
        Ok(number)
    }

    fn add_fixed(&mut self, file: &FixedFile) -> Result<()> {
        self.is_of_fixes = true;
        self.stats.n_bytes += (file.before.len() + file.after.len()) as u64;
        self.reading.step();
        for FunctionPair { before, after } in
            self.reading.changed_functions(&file.path, &file.before, &file.after)
        {
            let before = self.add_function(file, before, &file.before)?;
            let after = self.add_function(file, after, &file.after)?;
            let component = self.components.number(&file.component);
            self.fixes.add_fix(component, file.commit.clone(), file.path.clone(), [before, after]);
        }
        Ok(())
    }
}

/// Writes the postings of `n_blobs`, which were sorted in `folder`.
pub(super) fn write_postings(
    out: &mut SegmentWriter,
    postings: Sorter,
    n_blobs: usize,
    folder: &Path,
) -> Result<()> {
    // Three bytes are enough for sixteen million blobs.
    let n_value = if n_blobs < 1 << 24 { 3 } else { 4 };
    let mut rows = PostingsWriter::new(postings.len(), n_value);
    for row in postings.into_sorted().map_err(SegmentError::file(folder))? {
        let (key, blob) = row.map_err(SegmentError::file(folder))?;
        rows.push(key, &blob.to_le_bytes()[..n_value]);
    }
    rows.write(out, SectionId::Postings)
}

fn not_stored(path: &FilePath, why: &SegmentError) -> sources::Error {
    sources::Error::Sink { what: path.to_string(), why: why.to_string() }
}

impl Sink for Builder<'_> {
    fn wants(&self, path: &FilePath, size: u64) -> bool {
        if self.reading.is_too_large(path, size) {
            self.too_large.borrow_mut().insert(path.clone());
        }
        self.reading.wants(path, size) || size <= MAX_WRITTEN && is_relevant(path)
    }

    fn take(&mut self, file: SourceFile) -> Result<(), sources::Error> {
        self.n_pending += file.bytes.len();
        let path = file.path.clone();
        self.pending.push(file);
        if self.n_pending < BATCH {
            return Ok(());
        }
        self.flush().map_err(|why| not_stored(&path, &why))
    }

    fn take_history(
        &mut self,
        repository: &Repository,
        files: Vec<PastFile>,
    ) -> Result<(), sources::Error> {
        let Some(first) = files.first() else { return Ok(()) };
        self.flush().map_err(|why| not_stored(&first.file.path, &why))?;
        let reader = repository.reader();
        let (mut window, mut n_bytes) = (Vec::new(), 0);
        for PastFile { blob, file } in files {
            let size = reader.blob_size(blob).unwrap_or(0);
            if self.known.is_some_and(|known| known.has(&blob)) {
                self.stats.n_bytes += size;
            } else if !self.wants(&file.path, size) {
                continue;
            }
            n_bytes += size;
            window.push(PastFile { blob, file });
            if n_bytes >= WINDOW {
                self.add_past(repository, std::mem::take(&mut window))?;
                n_bytes = 0;
            }
        }
        self.add_past(repository, window)
    }

    fn licenses(&mut self, component: &Arc<DeclaredComponent>, licenses: Arc<Licenses>) {
        self.current.insert((**component).clone(), licenses);
    }

    fn named(&mut self, component: &Arc<DeclaredComponent>, text: &NamedText, bytes: &[u8]) {
        let component = self.components.number(component);
        let info = LicensingInfo::of_named(text, bytes);
        self.licenses.entry(component).or_default().add(&text.path, &info);
    }

    fn dated(&mut self, component: &Arc<DeclaredComponent>, time: i64) {
        let component = self.components.number(component);
        let known = self.dates.entry(component).or_insert(time);
        *known = time.max(*known);
    }

    fn past(&mut self, component: &Arc<DeclaredComponent>, past: PastOf) {
        self.past.push((Arc::clone(component), past));
    }

    fn fixed(&mut self, file: FixedFile) -> Result<(), sources::Error> {
        self.add_fixed(&file).map_err(|why| not_stored(&file.path, &why))
    }

    fn note(&mut self, note: Note) {
        self.notes.push(note);
    }
}

/// Appends the record of a file, which `open` reads.
fn put_file(bytes: &mut Vec<u8>, file: &File) {
    put(bytes, u64::from(file.component));
    put_text(bytes, file.path.as_bytes());
    bytes.push(u8::from(file.seen.is_some()));
    if let Some(seen) = &file.seen {
        put_text(bytes, seen.commit.as_bytes());
        bytes.extend(seen.time.to_le_bytes());
        for tag in [&seen.first_tag, &seen.last_tag] {
            put_text(bytes, tag.as_deref().unwrap_or_default().as_bytes());
        }
    }
}

fn put_text(bytes: &mut Vec<u8>, text: &[u8]) {
    put(bytes, text.len() as u64);
    bytes.extend(text);
}
