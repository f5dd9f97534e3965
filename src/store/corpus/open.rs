//! Reads the segment of one source: which blobs have a fingerprint, and what is known about each.
//!
//! Invariant: a segment may come from anywhere. Whatever it contains, nothing is read out of
//! bounds, nothing panics, and no more memory is allocated than its own size justifies.
//!
//! ```text
//! hash -> postings -> blob number -> row of the blob table -> record: its files, paths, licenses
//! git id -> by_id (binary search) ---^           |
//!                                                `-> packed tokens, or where its chunks are
//! ```

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::chunks::ranges;
use super::tokens::{PackedTokens, unpack, unpack_bare, unpack_lines};
use super::{Stats, params};
use crate::files::BlobId;
use crate::fingerprint::{self, ROBUST_WINNOWING};
use crate::language::Token;
use crate::license::{Expression, LicensingInfo, Terms};
use crate::sources::{DeclaredComponent, ReleaseHistory};
use crate::store::segment::{number_of, span, u64_at};
use crate::store::{Postings, Result, Section, Segment, SegmentError, SegmentKind};
use crate::text::varint::take;
use crate::text::{FilePath, hexadecimal};

/// The sections of a segment. The postings take three; licenses, statements of files, tags and
/// commits two each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SectionId {
    Meta = 1,
    Blobs = 2,
    ById = 3,
    Files = 4,
    Postings = 5,
    Tokens = 8,
    Licenses = 9,
    Info = 11,
    Paths = 13,
    PathTexts = 14,
    Lineages = 15,
    Changes = 16,
    AtTags = 17,
    Tags = 18,
    Commits = 20,
    Chunks = 22,
}

impl From<SectionId> for u32 {
    fn from(id: SectionId) -> Self {
        id as Self
    }
}

/// The first byte of the tokens of a blob: packed as a whole, or where its chunks are.
pub(super) const WHOLE: u8 = 0;
pub(super) const IN_CHUNKS: u8 = 1;

/// Where the chunks of a blob are; nowhere if it is packed as a whole.
fn chunks_of(packed: &[u8]) -> Result<Vec<Range<usize>>> {
    let ranges = match packed {
        [WHOLE, ..] => Some(Vec::new()),
        [IN_CHUNKS, list @ ..] => ranges(list),
        _ => None,
    };
    ranges.ok_or(SegmentError::Damaged("where the tokens of a blob are"))
}

/// Bytes of a row of the table of blobs.
pub(super) const BLOB_ROW: usize = 56;

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Meta {
    pub stats: Stats,
    pub components: Vec<DeclaredComponent>,
    /// For each component, the number of its license.
    pub component_licenses: Vec<u32>,
    pub languages: Vec<StoredLanguage>,
    /// Whether its blobs are functions that commits fixed, before and after, rather than files.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_of_fixes: bool,
}

/// The language of a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StoredLanguage {
    /// Its name.
    #[serde(rename = "language")]
    pub name: String,
    /// Its family.
    pub family: String,
}

/// A file of a component, as stored in a segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredFile {
    /// The number of its component.
    pub component: u32,
    /// Its path in the component.
    pub path: FilePath,
    /// When it first appeared in its repository.
    pub seen: Option<ReleaseHistory>,
    /// The number of its license.
    pub license: u32,
}

/// The tokens of a blob, and a text with the same line layout.
#[derive(Debug, Clone)]
pub struct StoredTokens {
    /// The tokens.
    pub tokens: Vec<Token>,
    /// A text laid out like theirs, but not their text.
    pub text: Vec<u8>,
}

/// The tokens of a blob without their places: all that it takes to see whether it has anything.
#[derive(Debug, Clone)]
pub struct BareTokens<'s> {
    /// The family of its language.
    pub family: &'s str,
    /// The tokens.
    pub tokens: Vec<Token>,
    /// The exact readings that they have.
    pub words: Vec<u32>,
}

/// The segment of one source, open. What is asked of it fails if that is damaged, or cannot be read
/// from elsewhere.
#[derive(Debug)]
pub struct CorpusSegment {
    pub(super) segment: Segment,
    meta: Meta,
    pub(super) n_blobs: u32,
    /// The rows of its blobs, if it is elsewhere and they are kept here.
    pub(super) kept_rows: Option<KeptRows>,
}

/// Rows that are read when one is first asked for; none if they are damaged.
pub(super) type KeptRows =
    LazyLock<Option<Vec<BlobRow>>, Box<dyn FnOnce() -> Option<Vec<BlobRow>> + Send>>;

#[derive(Debug, Clone)]
pub(super) struct BlobRow {
    pub language: u32,
    /// Its tokens and its record, in their sections.
    pub packed: Range<usize>,
    pub record: Range<usize>,
}

impl CorpusSegment {
    /// Opens and checks the segment at `path`.
    pub fn open(path: &Path) -> Result<Self> {
        Self::new(Segment::open(path)?)
    }

    /// Checks a segment, which may be elsewhere.
    pub fn new(segment: Segment) -> Result<Self> {
        let segment = segment.of_kind(SegmentKind::Corpus)?;
        let params = segment.params();
        // A query is sampled as robust winnowing does; another scheme has another guarantee.
        let is_known = params.languages == super::LEXING && params.scheme == ROBUST_WINNOWING;
        if !is_known || !(1..=4096).contains(&params.k) {
            return Err(SegmentError::OtherParams);
        }
        let damaged = SegmentError::Damaged;
        let meta: Meta = serde_json::from_slice(segment.section(SectionId::Meta)?.all()?)
            .map_err(|_| damaged("its description"))?;
        let blobs = segment.section(SectionId::Blobs)?.len();
        let n_blobs =
            u32::try_from(blobs / BLOB_ROW).map_err(|_| damaged("the number of blobs"))?;
        if blobs % BLOB_ROW != 0 || segment.section(SectionId::ById)?.len() != n_blobs as usize * 4
        {
            return Err(damaged("the number of blobs"));
        }
        // Elsewhere, a table or a database is asked for postings.
        if !segment.is_elsewhere() {
            Postings::new(&segment, SectionId::Postings)?;
        }
        segment.section(SectionId::Files)?;
        segment.section(SectionId::Tokens)?;
        segment.section(SectionId::Chunks)?;
        if meta.component_licenses.len() != meta.components.len() {
            return Err(damaged("the licenses of its components"));
        }
        Ok(Self { segment, meta, n_blobs, kept_rows: None })
    }

    /// Checks a new segment that comes from elsewhere, which is removed if something is wrong.
    #[allow(dead_code, reason = "not without any engine")]
    pub(super) fn check_new(path: &Path) -> Result<()> {
        let checked = Self::open(path).and_then(|segment| segment.verify());
        checked.inspect_err(|_| drop(std::fs::remove_file(path)))
    }

    /// Reads everything once, to check a segment that comes from elsewhere.
    pub fn verify(&self) -> Result<()> {
        for id in [SectionId::Files, SectionId::Tokens, SectionId::Chunks] {
            self.segment.section(id)?.all()?;
        }
        for number in 0..self.n_blobs {
            for file in self.files(number)? {
                self.license(file.license)?;
            }
            self.info(number)?;
            self.tokens(number)?;
        }
        self.verify_past()?;
        for &license in &self.meta.component_licenses {
            self.license(license)?;
        }
        let last = u64::from(self.n_blobs);
        let mut rows = Postings::new(&self.segment, SectionId::Postings)?.rows()?;
        let is_inside = rows.all(|(_, value)| u64::from(number_of(value)) < last);
        is_inside.then_some(()).ok_or(SegmentError::Damaged("a posting"))
    }

    /// The number of its blobs.
    pub fn n_blobs(&self) -> u32 {
        self.n_blobs
    }

    /// The figures.
    pub fn stats(&self) -> &Stats {
        &self.meta.stats
    }

    /// The components.
    pub fn components(&self) -> &[DeclaredComponent] {
        &self.meta.components
    }

    /// Whether it holds functions that commits fixed, rather than the code of projects.
    pub fn is_of_fixes(&self) -> bool {
        self.meta.is_of_fixes
    }

    /// The id of a blob.
    pub fn id_of(&self, blob: u32) -> Result<Option<BlobId>> {
        Ok(BlobId::from_bytes(&self.stored_row(blob)?[..20]))
    }

    /// The license of the component with this number.
    pub fn component_license(&self, component: usize) -> Result<Terms> {
        let number = self.meta.component_licenses.get(component);
        self.license(*number.ok_or(SegmentError::Damaged("the license of a component"))?)
    }

    /// The license with this number.
    pub fn license(&self, number: u32) -> Result<Terms> {
        self.value(SectionId::Licenses, number)
    }

    /// The licenses of the files of a component, each with the number of its files and the first of
    /// them by path, the most frequent first.
    pub fn licenses_of(
        &self,
        component: usize,
    ) -> Result<Vec<(Option<Expression>, usize, FilePath)>> {
        let mut files: BTreeMap<u32, (usize, FilePath)> = BTreeMap::new();
        for blob in 0..self.n_blobs {
            let of_component = |file: &StoredFile| file.component as usize == component;
            for file in self.files(blob)?.into_iter().filter(of_component) {
                add_files(&mut files, file.license, (1, file.path));
            }
        }
        let mut licenses: BTreeMap<Option<Expression>, (usize, FilePath)> = BTreeMap::new();
        for (number, files) in files {
            add_files(&mut licenses, self.license(number)?.license, files);
        }
        let mut licenses: Vec<_> =
            licenses.into_iter().map(|(license, (n, first))| (license, n, first)).collect();
        licenses.sort_by_key(|&(_, n, _)| Reverse(n));
        Ok(licenses)
    }

    /// What a blob states about its own license.
    pub(super) fn info(&self, blob: u32) -> Result<LicensingInfo> {
        let mut record = self.segment.section(SectionId::Files)?.bytes(self.row(blob)?.record)?;
        let number = take(&mut record).and_then(|number| u32::try_from(number).ok());
        self.value(SectionId::Info, number.ok_or(SegmentError::Damaged("the record of a file"))?)
    }

    /// The value with this number in a table of JSON texts, as written by `build`.
    pub(super) fn value<T: serde::de::DeserializeOwned>(
        &self,
        section: SectionId,
        number: u32,
    ) -> Result<T> {
        let texts = self.segment.section(section as u32 + 1)?;
        let text = texts.bytes(self.place(section, number)?)?;
        serde_json::from_slice(text).map_err(|_| SegmentError::Damaged("its license statements"))
    }

    /// Where the text with this number is in the section after this table.
    fn place(&self, section: SectionId, number: u32) -> Result<Range<usize>> {
        // Table n holds where each text ends; the texts themselves are back to back in the next
        // section:
        //
        //     section      end of 0 | end of 1 | end of 2        8 bytes each
        //     section + 1  {...}{...}{...}                       text n is from the end of n - 1 to the end of n
        let ends = self.segment.section(section)?.bytes(ends_of(number))?;
        let (before, own) = ends.split_at(ends.len() - 8);
        match [before, own].map(|end| usize::try_from(u64_at(end, 0).unwrap_or(0))) {
            [Ok(start), Ok(end)] => Ok(start..end),
            _ => Err(SegmentError::Damaged("its license statements")),
        }
    }

    /// The bytes of its file.
    pub fn n_bytes(&self) -> usize {
        self.segment.n_bytes()
    }

    /// k and w: the length of its k-grams, and the window they were selected in.
    pub fn sampling(&self) -> (usize, usize) {
        let params = self.segment.params();
        (params.k as usize, params.window as usize)
    }

    /// Whether its fingerprints were taken with these parameters.
    pub(super) fn is_sampled(&self, fingerprint: &fingerprint::Params) -> bool {
        *self.segment.params() == params(fingerprint)
    }

    /// A digest of everything in a corpus of these segments, in hexadecimal; `None` if a part of it
    /// is elsewhere.
    pub fn digest_of(segments: &[Self]) -> Option<String> {
        let digests: Option<Vec<[u8; 32]>> =
            segments.iter().map(|segment| segment.segment.digest()).collect();
        Some(hexadecimal(&Sha256::digest(digests?.concat())))
    }

    /// A reader for looking up fingerprints.
    pub fn lookup(&self) -> Result<Lookup<'_>> {
        Ok(Lookup {
            postings: Postings::new(&self.segment, SectionId::Postings)?,
            blobs: self.segment.section(SectionId::Blobs)?,
            n_blobs: self.n_blobs,
        })
    }

    /// Whether it is elsewhere: then it pays to read ahead.
    pub fn is_elsewhere(&self) -> bool {
        self.segment.is_elsewhere()
    }

    /// Reads all at once the tokens and the files of these blobs, if they are elsewhere. Where
    /// their rows are not kept here, these are read before.
    pub fn read_ahead(&self, blobs: &[u32]) -> Result<()> {
        if !self.is_elsewhere() {
            return Ok(());
        }
        if self.kept_rows.is_none() {
            let rows = blobs.iter().map(|&blob| blob as usize * BLOB_ROW);
            let rows = rows.map(|start| (SectionId::Blobs, start..start + BLOB_ROW));
            self.segment.read_ahead(rows)?;
        }
        let mut of_blobs = Vec::with_capacity(2 * blobs.len());
        for &blob in blobs {
            let row = self.row(blob)?;
            of_blobs.extend([(SectionId::Files, row.record), (SectionId::Tokens, row.packed)]);
        }
        self.segment.read_ahead(of_blobs)?;
        let tokens = self.segment.section(SectionId::Tokens)?;
        let mut of_versions = Vec::new();
        for &blob in blobs {
            let chunks = chunks_of(tokens.bytes(self.row(blob)?.packed)?)?;
            of_versions.extend(chunks.into_iter().map(|range| (SectionId::Chunks, range)));
        }
        self.segment.read_ahead(of_versions)
    }

    /// Reads all at once the licenses of the files of these blobs, if they are elsewhere: first
    /// where they are, unless that is kept here.
    pub fn read_licenses_ahead(&self, blobs: &[u32]) -> Result<()> {
        if !self.is_elsewhere() {
            return Ok(());
        }
        let mut licenses: Vec<u32> = Vec::new();
        for &blob in blobs {
            licenses.extend(self.files(blob)?.iter().map(|file| file.license));
        }
        licenses.sort_unstable();
        licenses.dedup();
        let table = SectionId::Licenses;
        self.segment.read_ahead(licenses.iter().map(|&number| (table, ends_of(number))))?;
        let texts =
            licenses.iter().map(|&number| Ok((table as u32 + 1, self.place(table, number)?)));
        self.segment.read_ahead(texts.collect::<Result<Vec<_>>>()?)
    }

    /// Whether it has a blob.
    pub fn has(&self, id: &BlobId) -> bool {
        self.blob_of(id).is_ok_and(|blob| blob.is_some())
    }

    /// The number of the blob with this id.
    pub fn blob_of(&self, id: &BlobId) -> Result<Option<u32>> {
        let sought = id.sha1();
        let by_id = self.segment.section(SectionId::ById)?;
        // `by_id` lists blob numbers in the order of their git ids. Each is checked by `row`.
        let number = |at| by_id.row(at, 4).map(number_of);
        let row_order = |at| Ok(self.stored_row(number(at)?)?[..20].cmp(&sought[..]));
        binary_search(self.n_blobs as usize, row_order)?.map(number).transpose()
    }

    /// The files with this content, at least one.
    pub fn files(&self, blob: u32) -> Result<Vec<StoredFile>> {
        let record = self.segment.section(SectionId::Files)?.bytes(self.row(blob)?.record)?;
        let n_components = self.meta.components.len();
        let files = take_files(record).filter(|files| {
            !files.is_empty() && files.iter().all(|file| (file.component as usize) < n_components)
        });
        files.ok_or(SegmentError::Damaged("the record of a file"))
    }

    /// The language of a blob.
    pub fn language(&self, blob: u32) -> Result<&StoredLanguage> {
        let number = self.row(blob)?.language as usize;
        self.meta.languages.get(number).ok_or(SegmentError::Damaged("the language of a blob"))
    }

    pub(super) fn packed(&self, blob: u32) -> Result<PackedTokens<'_>> {
        let packed = self.segment.section(SectionId::Tokens)?.bytes(self.row(blob)?.packed)?;
        if let [WHOLE, packed @ ..] = packed {
            return Ok(PackedTokens::Whole(packed));
        }
        let all = self.segment.section(SectionId::Chunks)?;
        let chunks = chunks_of(packed)?.into_iter().map(|range| all.bytes(range));
        chunks.collect::<Result<_, _>>().map(PackedTokens::InChunks)
    }

    /// The tokens of a blob.
    pub fn tokens(&self, blob: u32) -> Result<StoredTokens> {
        let (tokens, text) = unpack(&self.packed(blob)?)?;
        Ok(StoredTokens { tokens, text })
    }

    /// The tokens of a blob without their places, and its family.
    pub fn bare_tokens(&self, blob: u32) -> Result<BareTokens<'_>> {
        let (tokens, words) = unpack_bare(&self.packed(blob)?)?;
        Ok(BareTokens { family: &self.language(blob)?.family, tokens, words })
    }

    /// The number of tokens of a blob.
    pub fn n_tokens(&self, blob: u32) -> Result<u32> {
        let [.., n_tokens, _, _] = self.numbers(blob)?;
        Ok(n_tokens)
    }

    /// A key of each line of a blob that has tokens, as [`line_key`](crate::matching::line_key)
    /// makes it.
    pub fn line_keys(&self, blob: u32) -> Result<Vec<u64>> {
        unpack_lines(&self.packed(blob)?)
    }

    /// A row of the table of blobs, as it is stored.
    fn stored_row(&self, blob: u32) -> Result<&[u8]> {
        self.segment.section(SectionId::Blobs)?.row(blob as usize, BLOB_ROW)
    }

    /// Of a blob its first component, its language, the number of its tokens, and the bytes of
    /// these and of its record.
    fn numbers(&self, blob: u32) -> Result<[u32; 5]> {
        self.stored_row(blob).map(|row| numbers(&row[20..]))
    }

    pub(super) fn row(&self, blob: u32) -> Result<BlobRow> {
        if let Some(rows) = &self.kept_rows {
            let row = rows.as_ref().and_then(|rows| rows.get(blob as usize));
            return row.cloned().ok_or(SegmentError::Damaged("the rows of its blobs"));
        }
        let row = self.stored_row(blob)?;
        let [_, language, _, n_packed, n_record] = numbers(&row[20..]);
        let [packed, record] = [40, 48].map(|at| u64_at(row, at).unwrap_or(0));
        let (packed, record) = (span(packed, n_packed as usize), span(record, n_record as usize));
        Ok(BlobRow { language, packed, record })
    }

    /// The number of the component that first has a blob.
    pub fn component_of(&self, blob: u32) -> Result<u32> {
        let [component, ..] = self.numbers(blob)?;
        let component = Some(component).filter(|&of| (of as usize) < self.meta.components.len());
        component.ok_or(SegmentError::Damaged("the component of a blob"))
    }
}

/// Looks up fingerprints in one segment.
#[derive(Debug)]
pub struct Lookup<'s> {
    postings: Postings<'s>,
    blobs: Section<'s>,
    n_blobs: u32,
}

impl<'s> Lookup<'s> {
    /// The blobs that have the fingerprint with this [`key`](crate::store::key), in ascending order.
    pub fn blobs(&self, key: u64) -> Result<impl Iterator<Item = u32> + use<'s>> {
        Ok(self.postings.get(key)?.map(number_of))
    }

    /// The number of the component that first has a blob; rejects a blob number out of range.
    pub fn component_of(&self, blob: u32) -> Result<u32> {
        if blob >= self.n_blobs {
            return Err(SegmentError::Damaged("a posting"));
        }
        Ok(number_of(&self.blobs.row(blob as usize, BLOB_ROW)?[20..24]))
    }
}

/// The numbers of four bytes that a row begins with.
#[inline]
pub(super) fn numbers<const N: usize>(row: &[u8]) -> [u32; N] {
    std::array::from_fn(|at| number_of(&row[4 * at..4 * at + 4]))
}

/// Which of `n` sorted rows is sought; `order` compares one with it. Where rows are damaged, the
/// answer is wrong, but the interval shrinks in every step.
pub(super) fn binary_search(
    n: usize,
    order: impl Fn(usize) -> Result<Ordering>,
) -> Result<Option<usize>> {
    let (mut low, mut high) = (0, n);
    while low < high {
        let mid = usize::midpoint(low, high);
        match order(mid)? {
            Ordering::Less => low = mid + 1,
            Ordering::Greater => high = mid,
            Ordering::Equal => return Ok(Some(mid)),
        }
    }
    Ok(None)
}

/// Adds files to those of a license: their number, and the first of them by path.
fn add_files<L: Ord>(
    to: &mut BTreeMap<L, (usize, FilePath)>,
    license: L,
    (n, first): (usize, FilePath),
) {
    let files = to.entry(license).or_insert_with(|| (0, first.clone()));
    files.0 += n;
    if first < files.1 {
        files.1 = first;
    }
}

/// Where a table of JSON texts says where the text with this number begins and ends.
fn ends_of(number: u32) -> Range<usize> {
    let number = number as usize;
    number.saturating_sub(1) * 8..(number + 1) * 8
}

/// Reads the record of a blob, as written by `build`.
fn take_files(mut record: &[u8]) -> Option<Vec<StoredFile>> {
    take(&mut record)?;
    let n = take(&mut record)?;
    let mut files = Vec::new();
    // `n` is not trusted: no memory is reserved for it, and every file takes at least one byte of
    // the record, so the loop ends with the record at the latest.
    for _ in 0..n {
        files.push(take_file(&mut record)?);
    }
    Some(files)
}

fn take_file(bytes: &mut &[u8]) -> Option<StoredFile> {
    let license = u32::try_from(take(bytes)?).ok()?;
    let component = u32::try_from(take(bytes)?).ok()?;
    let path = FilePath::new(take_text(bytes)?);
    let (&has_seen, rest) = bytes.split_first()?;
    *bytes = rest;
    if has_seen == 0 {
        return Some(StoredFile { component, path, seen: None, license });
    }
    let commit = String::from_utf8_lossy(take_text(bytes)?).into_owned();
    let (time, rest) = bytes.split_first_chunk::<8>()?;
    *bytes = rest;
    let [first_tag, last_tag] = [take_text(bytes)?, take_text(bytes)?]
        .map(|tag| (!tag.is_empty()).then(|| String::from_utf8_lossy(tag).into_owned()));
    let time = i64::from_le_bytes(*time);
    let seen = ReleaseHistory { commit, time, first_tag, last_tag, is_of_history: false };
    Some(StoredFile { component, path, seen: Some(seen), license })
}

fn take_text<'b>(bytes: &mut &'b [u8]) -> Option<&'b [u8]> {
    let len = usize::try_from(take(bytes)?).ok()?;
    let (text, rest) = bytes.split_at_checked(len)?;
    *bytes = rest;
    Some(text)
}
