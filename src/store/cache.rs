//! Caches the fingerprints of blobs, so that each is read and tokenized only once.
//!
//! Any number of processes read and write at the same time: each adds its own segments, which are
//! merged when there are many. Damaged entries are treated as missing.

use std::cmp;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::MAX_SEGMENTS;
use super::error::{Result, SegmentError};
use super::segment::{Section, Segment, SegmentKind, SegmentParams, span, u32_at, u64_at};
use super::write::{SegmentWriter, list, remove_all, sweep};
use crate::fingerprint::Fingerprint;
use crate::text::varint;

const NAME: &str = "prints";
/// Maximum total size of all segments in bytes; beyond it, the oldest are removed.
const MAX_BYTES: u64 = 1024 * 1024 * 1024;

#[derive(Clone, Copy)]
enum SectionId {
    Rows = 1,
    Prints = 2,
    Families = 3,
    Words = 5,
}

impl From<SectionId> for u32 {
    fn from(id: SectionId) -> Self {
        id as Self
    }
}

/// The key of an entry: a blob, and how it is read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// The id of the blob.
    pub id: Box<[u8]>,
    /// A digest of everything besides its bytes that decides how it is read, such as the extension
    /// of its name.
    pub reading: u64,
}

/// What the cache knows about a blob, wherever its parts are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct BlobFacts<'c> {
    id: &'c [u8],
    reading: u64,
    /// Why it was skipped, as a number defined by the owner; 0 if it was not.
    pub status: u32,
    /// The family of its language.
    pub family: &'c str,
    n_prints: u32,
    /// The hashes, then the gaps between the positions.
    prints: &'c [u8],
    words: &'c [u8],
}

impl<'c> BlobFacts<'c> {
    /// The hashes of its fingerprints, in the order of the text.
    pub fn hashes(&self) -> impl ExactSizeIterator<Item = u64> + use<'c> {
        let (hashes, _) = self.prints[..self.n_prints as usize * 8].as_chunks::<8>();
        hashes.iter().map(|hash| u64::from_le_bytes(*hash))
    }

    /// The positions of its fingerprints.
    pub fn positions(&self) -> impl Iterator<Item = u32> + use<'c> {
        let mut rest = &self.prints[self.n_prints as usize * 8..];
        let mut position = 0u32;
        std::iter::from_fn(move || {
            position = position.wrapping_add(varint::take(&mut rest)? as u32);
            Some(position)
        })
    }

    /// The words in it, by their numbers, sorted.
    pub fn words(&self) -> impl Iterator<Item = u32> + use<'c> {
        let (words, _) = self.words.as_chunks::<4>();
        words.iter().map(|word| u32::from_le_bytes(*word))
    }

    /// Whether a word is in it. Time O(log n) for n words.
    pub fn has_word(&self, word: u32) -> bool {
        let (words, _) = self.words.as_chunks::<4>();
        words.binary_search_by_key(&word, |word| u32::from_le_bytes(*word)).is_ok()
    }
}

/// What to store about a blob.
#[derive(Debug)]
pub struct Fresh {
    key: Key,
    status: u32,
    family: String,
    prints: Vec<u8>,
    n_prints: u32,
    words: Vec<u8>,
}

impl Fresh {
    /// Takes what [`BlobFacts`] returns.
    pub fn new(
        key: Key,
        status: u32,
        family: &str,
        fingerprints: impl Iterator<Item = Fingerprint>,
        words: &[u32],
    ) -> Self {
        let (mut prints, mut gaps, mut last) = (Vec::new(), Vec::new(), 0);
        for print in fingerprints {
            prints.extend(print.hash.to_le_bytes());
            varint::put(&mut gaps, u64::from(print.position.wrapping_sub(last)));
            last = print.position;
        }
        let n_prints = (prints.len() / 8) as u32;
        prints.extend(gaps);
        prints.shrink_to_fit();
        let words = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        Self { key, status, family: family.to_owned(), prints, n_prints, words }
    }

    fn row(&self) -> BlobFacts<'_> {
        let Self { key: Key { id, reading }, family, prints, words, .. } = self;
        let (reading, status, n_prints) = (*reading, self.status, self.n_prints);
        BlobFacts { id, reading, status, family, n_prints, prints, words }
    }
}

/// Maximum steps of a search that go by how ids are spread.
const INTERPOLATIONS: usize = 8;
/// The length of a row after its id.
const FIELDS: usize = 44;

#[derive(Debug)]
struct CacheSegment {
    path: PathBuf,
    segment: Segment,
    families: Vec<String>,
    n_rows: usize,
    /// Set if damage was found in it.
    is_damaged: AtomicBool,
}

impl CacheSegment {
    fn open(path: &Path, params: &SegmentParams) -> Result<Self> {
        let segment = Segment::open(path)?.of_kind(SegmentKind::Cache)?.with_params(params)?;
        let n_row = segment.params().hash.n_bytes() + FIELDS;
        let n_bytes = segment.section(SectionId::Rows)?.len();
        if !n_bytes.is_multiple_of(n_row) {
            return Err(SegmentError::Damaged("the length of its rows"));
        }
        let families = families(segment.section(SectionId::Families)?)?;
        segment.section(SectionId::Prints)?;
        segment.section(SectionId::Words)?;
        let is_damaged = AtomicBool::new(false);
        Ok(Self { path: path.to_owned(), segment, families, n_rows: n_bytes / n_row, is_damaged })
    }

    /// What was read, if it is not damaged; remembers if it is.
    fn noting_damage<T>(&self, read: Result<T>) -> Option<T> {
        if read.is_err() {
            self.is_damaged.store(true, Ordering::Relaxed);
        }
        read.ok()
    }

    fn row_bytes(&self, at: usize) -> Result<&[u8]> {
        self.segment
            .section(SectionId::Rows)?
            .row(at, self.segment.params().hash.n_bytes() + FIELDS)
    }

    fn row<'r>(&'r self, bytes: &'r [u8]) -> Result<BlobFacts<'r>> {
        let (id, fields) = bytes.split_at(self.segment.params().hash.n_bytes());
        let [reading, start, first_word] =
            [0, 8, 32].map(|at| u64_at(fields, at).unwrap_or(u64::MAX));
        let [len, n_prints, status, family, n_words] =
            [16, 20, 24, 28, 40].map(|at| u32_at(fields, at).unwrap_or(u32::MAX) as usize);
        let prints = self.segment.section(SectionId::Prints)?.bytes(span(start, len))?;
        let words = span(first_word, n_words.saturating_mul(4));
        let words = self.segment.section(SectionId::Words)?.bytes(words)?;
        match self.families.get(family) {
            Some(family) if n_prints <= prints.len() / 8 => {
                let (status, n_prints) = (status as u32, n_prints as u32);
                Ok(BlobFacts { id, reading, status, n_prints, family, prints, words })
            }
            _ => Err(SegmentError::Damaged("a row of the cache")),
        }
    }

    /// The row of a key: the rows are sorted.
    ///
    /// Ids are evenly spread, so a key is as far from another one as their first bytes say (Perl,
    /// Itai and Avni, Interpolation search, 1978): O(log log n) steps. After a few the rest is
    /// halved, so that it is O(log n) for any ids.
    fn find(&self, key: &Key) -> Result<Option<BlobFacts<'_>>> {
        let n_id = self.segment.params().hash.n_bytes();
        let place = |id: &[u8]| {
            let first = id.first_chunk::<8>().map_or(0, |first| u64::from_be_bytes(*first));
            (u128::from(first) * self.n_rows as u128) >> 64
        };
        let wanted = place(&key.id) as usize;
        let (mut from, mut to) = (0, self.n_rows);
        let (mut guess, mut n_guesses) = (wanted, 0);
        while from < to {
            let middle = guess.clamp(from, to - 1);
            let bytes = self.row_bytes(middle)?;
            let (id, fields) = bytes.split_at(n_id);
            let reading = u64_at(fields, 0).unwrap_or_default();
            match (id, reading).cmp(&(&*key.id, key.reading)) {
                cmp::Ordering::Equal => return self.row(bytes).map(Some),
                cmp::Ordering::Less => from = middle + 1,
                cmp::Ordering::Greater => to = middle,
            }
            n_guesses += 1;
            guess = match n_guesses <= INTERPOLATIONS {
                true => (middle + wanted).saturating_sub(place(id) as usize),
                false => from.midpoint(to),
            };
        }
        Ok(None)
    }

    fn rows(&self) -> Result<Vec<BlobFacts<'_>>> {
        (0..self.n_rows).map(|at| self.row(self.row_bytes(at)?)).collect()
    }
}

/// The names of the families: for each its length in two bytes, and its bytes.
fn families(section: Section<'_>) -> Result<Vec<String>> {
    let names = section.texts(2)?.map(|name| String::from_utf8(name?.to_vec()).ok());
    names.collect::<Option<_>>().ok_or(SegmentError::Damaged("the names of its families"))
}

/// The fingerprint cache: all segments in a folder with the same parameters.
#[derive(Debug)]
pub struct Cache {
    folder: PathBuf,
    params: SegmentParams,
    parts: Vec<CacheSegment>,
    /// Files that could not be used, and why.
    faults: Vec<(PathBuf, SegmentError)>,
}

impl Cache {
    /// Opens the segments in `folder` that were made with `params`; none when there is no such
    /// folder.
    pub fn open(folder: &Path, params: SegmentParams) -> Self {
        let mut cache =
            Self { folder: folder.to_owned(), params, parts: Vec::new(), faults: Vec::new() };
        // The newest first, since it most likely has the entry.
        for path in list(folder, NAME).into_iter().rev() {
            match CacheSegment::open(&path, &params) {
                Ok(part) => cache.parts.push(part),
                Err(why) => cache.faults.push((path, why)),
            }
        }
        cache
    }

    /// What is known about a blob; `None` if the entry is damaged.
    pub fn get(&self, key: &Key) -> Option<BlobFacts<'_>> {
        self.parts.iter().find_map(|part| part.noting_damage(part.find(key)).flatten())
    }

    /// Where its files are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The number of its files.
    pub fn n_segments(&self) -> usize {
        self.parts.len()
    }

    /// The number of entries.
    pub fn n_entries(&self) -> usize {
        self.parts.iter().map(|part| part.n_rows).sum()
    }

    /// The total size of its files in bytes.
    pub fn n_bytes(&self) -> u64 {
        self.parts.iter().map(|part| part.segment.n_bytes() as u64).sum()
    }

    /// Files that are not used, and why, including those found damaged since it was opened.
    pub fn faults(&self) -> Vec<(&Path, String)> {
        let damaged = self.parts.iter().filter(|part| part.is_damaged.load(Ordering::Relaxed));
        let damaged = damaged.map(|part| (&*part.path, "it is damaged".to_owned()));
        self.faults.iter().map(|(path, why)| (&**path, why.to_string())).chain(damaged).collect()
    }

    /// Reads every entry, to find all damage.
    pub fn verify(&self) {
        for part in &self.parts {
            part.noting_damage(part.rows());
        }
    }

    /// Adds entries, removes damaged files, and merges and limits the rest. Where the folder is not
    /// writable, what is whole stays.
    pub fn keep(mut self, fresh: &[Fresh]) -> Result<()> {
        self.remove_damaged();
        let own = fresh.iter().filter(|of| of.key.id.len() == self.params.hash.n_bytes());
        let rows: Vec<BlobFacts<'_>> = own.map(Fresh::row).collect();
        if !rows.is_empty() {
            let path = self.write(rows)?;
            // Not there: another process has merged it already.
            self.parts.extend(CacheSegment::open(&path, &self.params));
        }
        if self.parts.len() > MAX_SEGMENTS {
            self.merge()?;
        }
        sweep(&self.folder);
        self.bound();
        Ok(())
    }

    /// Keeps only the entries of `blobs`, in a single file.
    pub fn prune(mut self, blobs: &HashSet<Vec<u8>>) -> Result<()> {
        self.verify();
        self.remove_damaged();
        let rows = self.parts.iter().filter_map(|part| part.rows().ok()).flatten();
        let kept: Vec<BlobFacts<'_>> = rows.filter(|row| blobs.contains(row.id)).collect();
        if !kept.is_empty() {
            self.write(kept)?;
        }
        // Segments with other settings are unreachable too.
        let faults = self.faults.iter().map(|(path, _)| path);
        self.parts.iter().map(|part| &part.path).chain(faults).for_each(|path| remove(path));
        sweep(&self.folder);
        Ok(())
    }

    /// Removes the files in `folder`; returns their number and total size.
    pub fn clear(folder: &Path) -> (usize, u64) {
        let removed = remove_all(list(folder, NAME));
        sweep(folder);
        removed
    }

    /// Removes files that are of no use to any settings; those of other settings may be in use.
    fn remove_damaged(&mut self) {
        use SegmentError::{Damaged, Foreign, Truncated};
        for (path, why) in &self.faults {
            if matches!(why, Foreign | Truncated | Damaged(_)) {
                remove(path);
            }
        }
        for part in self.parts.extract_if(.., |part| *part.is_damaged.get_mut()) {
            remove(&part.path);
        }
    }

    /// Writes rows into a new segment, each key once.
    fn write(&self, mut rows: Vec<BlobFacts<'_>>) -> Result<PathBuf> {
        rows.sort_unstable();
        rows.dedup_by_key(|row| (row.id, row.reading));
        let mut families: Vec<&str> = rows.iter().map(|row| row.family).collect();
        families.sort_unstable();
        families.dedup();
        let mut out = SegmentWriter::create(&self.folder, SegmentKind::Cache, self.params)?;
        out.begin(SectionId::Rows);
        let (mut start, mut first_word) = (0u64, 0u64);
        for row in &rows {
            let family = families.binary_search(&row.family).unwrap_or_default() as u32;
            let fields = [row.prints.len() as u32, row.n_prints, row.status, family];
            out.write(row.id)?;
            out.write([row.reading, start].map(u64::to_le_bytes).as_flattened())?;
            out.write(fields.map(u32::to_le_bytes).as_flattened())?;
            out.write(&first_word.to_le_bytes())?;
            out.write(&((row.words.len() / 4) as u32).to_le_bytes())?;
            start += row.prints.len() as u64;
            first_word += row.words.len() as u64;
        }
        out.begin(SectionId::Prints);
        rows.iter().try_for_each(|row| out.write(row.prints))?;
        out.begin(SectionId::Families);
        for family in families {
            out.write(&(family.len() as u16).to_le_bytes())?;
            out.write(family.as_bytes())?;
        }
        out.begin(SectionId::Words);
        rows.iter().try_for_each(|row| out.write(row.words))?;
        out.finish(NAME)
    }

    /// Merges the small segments, but not those larger than all smaller ones together.
    fn merge(&mut self) -> Result<()> {
        self.parts.sort_by_key(|part| part.segment.n_bytes());
        let (mut n_merged, mut total) = (1, self.parts[0].segment.n_bytes());
        for (at, part) in self.parts.iter().enumerate().skip(1) {
            if part.segment.n_bytes() <= 2 * total {
                n_merged = at + 1;
            }
            total += part.segment.n_bytes();
        }
        let merged: Vec<CacheSegment> = self.parts.drain(..n_merged).collect();
        let rows = merged.iter().filter_map(|part| part.rows().ok()).flatten();
        let path = self.write(rows.collect())?;
        merged.iter().for_each(|part| remove(&part.path));
        self.parts.extend(CacheSegment::open(&path, &self.params));
        Ok(())
    }

    /// Removes the oldest files while the total size is too large.
    fn bound(&self) {
        let paths = list(&self.folder, NAME);
        let sizes: Vec<u64> =
            paths.iter().map(|path| std::fs::metadata(path).map_or(0, |file| file.len())).collect();
        let mut total: u64 = sizes.iter().sum();
        for (path, size) in paths.iter().zip(sizes) {
            if total <= MAX_BYTES {
                break;
            }
            remove(path);
            total -= size;
        }
    }
}

/// Removes a file; another process may already have, and a file that cannot be removed only costs
/// space.
fn remove(path: &Path) {
    let _ = std::fs::remove_file(path);
}

#[cfg(test)]
mod tests {
    use super::super::tests::{PARAMS, folder};
    use super::*;

    fn key(n: u32) -> Key {
        let mut id = [0; 20];
        id[..4].copy_from_slice(&n.to_be_bytes());
        Key { id: id.into(), reading: u64::from(n % 3) }
    }

    /// The status and the family of a blob; its hashes, positions and words.
    fn facts(n: u32) -> (u32, String, [Vec<u64>; 3]) {
        let at = 0..u64::from(n % 50);
        let hashes = at.clone().map(|at| u64::from(n) << 32 | at).collect();
        let family = if n.is_multiple_of(2) { "c" } else { "rust" }.to_owned();
        let positions = at.map(|at| at * 100).collect();
        (n % 4, family, [hashes, positions, vec![u64::from(n), u64::from(n) + 7]])
    }

    fn fresh(n: u32) -> Fresh {
        let (status, family, [hashes, positions, _]) = facts(n);
        let prints = hashes.into_iter().zip(positions);
        let prints = prints.map(|(hash, at)| Fingerprint { hash, position: at as u32 });
        Fresh::new(key(n), status, &family, prints, &[n, n + 7])
    }

    fn known(cache: &Cache, n: u32) -> Option<(u32, String, [Vec<u64>; 3])> {
        let found = cache.get(&key(n))?;
        let positions = found.positions().map(u64::from).collect();
        let words = found.words().map(u64::from).collect();
        Some((found.status, found.family.to_owned(), [found.hashes().collect(), positions, words]))
    }

    #[track_caller]
    fn check(cache: &Cache, n: u32) {
        assert_eq!(known(cache, n), Some(facts(n)));
    }

    fn add(folder: &Path, entries: impl Iterator<Item = u32>) {
        let fresh: Vec<_> = entries.map(fresh).collect();
        Cache::open(folder, PARAMS).keep(&fresh).expect("the folder is writable");
    }

    #[test]
    fn what_was_added_is_found_through_merges_and_nothing_else() {
        let folder = folder();
        for n in 0..40 {
            add(folder.path(), n * 25..n * 25 + 30);
        }
        let cache = Cache::open(folder.path(), PARAMS);
        assert!(cache.n_segments() <= MAX_SEGMENTS, "{} segments", cache.n_segments());
        (0..1_005).for_each(|n| check(&cache, n));
        assert_eq!(known(&cache, 1_005), None);
        assert_eq!(cache.faults(), []);
    }

    #[test]
    fn what_has_an_evenly_spread_id_is_found_and_its_neighbors_are_not() {
        let folder = folder();
        let ids = || (0..1_000u32).map(|n| n * 4_294_967);
        add(folder.path(), ids());
        let cache = Cache::open(folder.path(), PARAMS);
        for n in ids() {
            check(&cache, n);
            assert_eq!([known(&cache, n + 1), known(&cache, n + 2_000_000)], [None, None]);
        }
    }

    #[test]
    fn what_is_damaged_is_not_known_and_goes_with_the_next_that_is_added() {
        let folder = folder();
        add(folder.path(), 0..500);
        let path = list(folder.path(), NAME).pop().expect("there is one");
        let mut bytes = std::fs::read(&path).expect("it is there");
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&path, bytes).expect("it is writable");
        let cache = Cache::open(folder.path(), PARAMS);
        let found: Vec<u32> = (0..500).filter(|&n| known(&cache, n).is_some()).collect();
        found.iter().for_each(|&n| check(&cache, n));
        assert!(found.len() < 500, "what lies in the damaged block is gone");
        assert_eq!(cache.faults().len(), 1);
        cache.keep(&[fresh(7)]).expect("the folder is writable");
        let cache = Cache::open(folder.path(), PARAMS);
        assert_eq!((cache.n_entries(), cache.faults()), (1, vec![]));
        check(&cache, 7);
    }

    #[test]
    fn pruning_keeps_what_is_reached() {
        let folder = folder();
        add(folder.path(), 0..100);
        add(folder.path(), 100..200);
        let reached: HashSet<Vec<u8>> = (90..110).map(|n| key(n).id.to_vec()).collect();
        Cache::open(folder.path(), PARAMS).prune(&reached).expect("the folder is writable");
        let cache = Cache::open(folder.path(), PARAMS);
        assert_eq!((cache.n_entries(), cache.n_segments()), (20, 1));
        (90..110).for_each(|n| check(&cache, n));
    }
}
