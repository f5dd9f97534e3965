//! Records the smallest number for each key, from many threads and in bounded memory.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};

use super::error::{Result, SegmentError};
use super::runs::Runs;

/// Number of parts that threads fill independently.
const SHARDS: usize = 64;
/// The shift that leaves the leading bits of a key, out of 56, as the number of its part.
const SHARD_SHIFT: u32 = 56 - SHARDS.trailing_zeros();
/// Maximum keys in memory, at twenty bytes each; beyond it, all are written to a file, sorted.
const MAX_KEYS: usize = 5_000_000;

/// A key in halves: with its number it takes twelve bytes, not sixteen.
type Halves = [u32; 2];

/// A hasher for keys that are already mixed.
#[derive(Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for half in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..half.len()].copy_from_slice(half);
            // A hash table uses the highest and the lowest bits.
            self.0 = (self.0 ^ u64::from_le_bytes(word))
                .wrapping_mul(0x9E37_79B9_7F4A_7C15)
                .rotate_left(32);
        }
    }

    fn write_usize(&mut self, _: usize) {}
}

type Shard = HashMap<Halves, u32, BuildHasherDefault<KeyHasher>>;

/// The smallest number of each key.
#[derive(Debug)]
pub struct Earliest {
    /// Locked for writing while everything in memory goes to a file.
    shards: RwLock<Vec<Mutex<Shard>>>,
    n_keys: AtomicUsize,
    max_keys: usize,
    runs: Mutex<Runs>,
    /// The error when a run could not be written.
    fault: Mutex<Option<SegmentError>>,
}

impl Earliest {
    /// An empty record; what does not fit in memory goes into `folder`.
    pub fn new(folder: &Path) -> Self {
        Self::with_limit(folder, MAX_KEYS)
    }

    /// None so far; all is kept in memory.
    pub fn in_memory() -> Self {
        Self::with_limit(Path::new(""), usize::MAX)
    }

    fn with_limit(folder: &Path, max_keys: usize) -> Self {
        Self {
            shards: RwLock::new((0..SHARDS).map(|_| Mutex::default()).collect()),
            n_keys: AtomicUsize::new(0),
            max_keys,
            runs: Mutex::new(Runs::new(folder)),
            fault: Mutex::default(),
        }
    }

    /// Records `number` for each of `keys`, using `scratch` to sort them.
    pub fn note(&self, keys: impl Iterator<Item = u64>, number: u32, scratch: &mut Vec<Vec<u64>>) {
        scratch.resize_with(SHARDS, Vec::new);
        for key in keys {
            scratch[(key >> SHARD_SHIFT) as usize % SHARDS].push(key);
        }
        let mut n_new = 0;
        if let Ok(shards) = self.shards.read() {
            for (shard, keys) in shards.iter().zip(scratch.iter_mut()) {
                if keys.is_empty() {
                    continue;
                }
                let Ok(mut shard) = shard.lock() else { continue };
                let n_before = shard.len();
                for key in keys.drain(..) {
                    let earliest = shard.entry([(key >> 32) as u32, key as u32]).or_insert(number);
                    *earliest = (*earliest).min(number);
                }
                n_new += shard.len() - n_before;
            }
        }
        if self.n_keys.fetch_add(n_new, Ordering::Relaxed) + n_new > self.max_keys {
            self.spill();
        }
    }

    /// Writes everything in memory to an unnamed file.
    fn spill(&self) {
        let Ok(mut shards) = self.shards.write() else { return };
        // Another thread may have done it in the meantime.
        if self.n_keys.load(Ordering::Relaxed) <= self.max_keys {
            return;
        }
        let Ok(mut runs) = self.runs.lock() else { return };
        if let Err(why) = runs.write(shards.iter_mut().flat_map(sorted))
            && let Ok(mut fault) = self.fault.lock()
        {
            *fault = Some(SegmentError::File { file: runs.folder().to_owned(), why });
        }
        self.n_keys.store(0, Ordering::Relaxed);
    }

    /// The keys and their numbers, sorted by key.
    pub fn into_sorted(self) -> Result<impl Iterator<Item = Result<(u64, u32)>>> {
        if let Some(fault) = self.fault.into_inner().unwrap_or_default() {
            return Err(fault);
        }
        let runs = self.runs.into_inner().unwrap_or_else(PoisonError::into_inner);
        let folder = runs.folder().to_owned();
        let shards = self.shards.into_inner().unwrap_or_default();
        let in_memory = shards.into_iter().flat_map(|mut shard| sorted(&mut shard));
        let merged = runs.merge(in_memory).map_err(SegmentError::file(&folder))?;
        // The smallest number of a key comes first.
        let mut last = None;
        let rows = merged.map(move |row| row.map_err(SegmentError::file(&folder)));
        Ok(rows.filter(move |row| match row {
            Ok((key, _)) => last.replace(*key) != Some(*key),
            Err(_) => true,
        }))
    }
}

/// The keys of a shard and their numbers, sorted; empties it.
fn sorted(shard: &mut Mutex<Shard>) -> Vec<(u64, u32)> {
    let Ok(shard) = shard.get_mut() else { return Vec::new() };
    let rows = std::mem::take(shard).into_iter();
    let rows = rows.map(|([high, low], n)| (u64::from(high) << 32 | u64::from(low), n));
    let mut rows: Vec<(u64, u32)> = rows.collect();
    rows.sort_unstable();
    rows
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::key;
    use super::super::tests::folder;
    use super::*;

    #[test]
    fn each_key_has_its_smallest_number_in_memory_and_in_files() {
        let folder = folder();
        for max_keys in [10, 1_000, 100_000] {
            let earliest = Earliest::with_limit(folder.path(), max_keys);
            let mut expected: BTreeMap<u64, u32> = BTreeMap::new();
            let mut scratch = Vec::new();
            for n in 0..500u32 {
                let number = (n * 7) % 500;
                let keys = (n * 20..n * 20 + 20).map(|at| key(at.into()) % 3_000 * 0x5_2A3B_4C5D);
                let keys: Vec<u64> = keys.collect();
                for key in &keys {
                    let kept = expected.entry(*key).or_insert(number);
                    *kept = number.min(*kept);
                }
                earliest.note(keys.into_iter(), number, &mut scratch);
            }
            let sorted = earliest.into_sorted().expect("the folder is writable");
            let sorted: Vec<_> = sorted.collect::<Result<_, _>>().expect("the runs are readable");
            assert_eq!(sorted, expected.into_iter().collect::<Vec<_>>(), "{max_keys} in memory");
        }
    }

    #[test]
    fn a_place_that_takes_nothing_is_told() {
        let folder = folder();
        let earliest = Earliest::with_limit(&folder.path().join("none"), 1);
        earliest.note([1, 2, 3].into_iter(), 1, &mut Vec::new());
        assert!(earliest.into_sorted().is_err());
    }
}
