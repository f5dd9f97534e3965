//! Finds where fingerprints occur: an inverted index of postings, and links between repeated code
//! in a tree.
//!
//! Invariant: the same fingerprints in any order give the same index.

mod links;

pub use links::{Link, Occurrence, cut_off, links};

/// An occurrence of a fingerprint: a document and a position in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Posting {
    /// The document, numbered by its owner.
    pub document: u32,
    /// The position of the k-gram's first token in the document.
    pub position: u32,
}

/// Maximum postings for which an index gets spare buckets. This covers the index of a change, in
/// which every file of a tree is looked up.
const SMALL: usize = 64 * 1024;

/// An inverted index: for each fingerprint hash, its postings in order.
///
/// The rows are sorted, with a directory of buckets in front: about one bucket for each row, and
/// four to eight for each row in a small index. A lookup costs one or two cache lines, and most
/// lookups of an absent hash end in an empty bucket. Memory 16 bytes for each posting, and 4 to 8
/// for the directory.
#[derive(Debug)]
pub struct Index {
    /// The first row of each bucket; one entry more than there are buckets.
    directory: Box<[u32]>,
    /// The number of bits of a remixed hash below the bucket number.
    shift: u32,
    /// Remixed hashes and their postings, sorted.
    rows: Box<[(u64, Posting)]>,
}

impl Index {
    /// Builds the index of `rows` (hashes and postings in any order) in time O(n log n).
    pub fn new(rows: impl IntoIterator<Item = (u64, Posting)>) -> Self {
        let mut rows: Vec<_> =
            rows.into_iter().map(|(hash, posting)| (remix(hash), posting)).collect();
        rows.sort_unstable();
        rows.dedup();
        let n_buckets = if rows.len() <= SMALL { 4 * rows.len() } else { rows.len() };
        let bits = n_buckets.next_power_of_two().trailing_zeros().max(1);
        let shift = 64 - bits;
        let mut directory = vec![0; (1 << bits) + 1].into_boxed_slice();
        for (hash, _) in &rows {
            directory[(hash >> shift) as usize + 1] += 1;
        }
        for bucket in 1..directory.len() {
            directory[bucket] += directory[bucket - 1];
        }
        Self { directory, shift, rows: rows.into() }
    }

    /// The postings of `hash`, sorted; empty if it is absent.
    #[inline]
    pub fn postings(&self, hash: u64) -> impl ExactSizeIterator<Item = Posting> + Clone + '_ {
        let rows = self.first_row(hash).map_or(&[][..], |first| self.run_from(first));
        rows.iter().map(|row| row.1)
    }

    /// The first row of `hash`, if present: a short name for the fingerprint.
    ///
    /// Time O(log n) for n rows in its bucket: about one, except for fingerprints that occur again
    /// and again.
    #[inline(always)]
    pub fn first_row(&self, hash: u64) -> Option<usize> {
        let hash = remix(hash);
        let bucket = (hash >> self.shift) as usize;
        let (from, to) = (self.directory[bucket] as usize, self.directory[bucket + 1] as usize);
        let rows = &self.rows[from..to];
        let start = rows.partition_point(|row| row.0 < hash);
        rows.get(start).filter(|row| row.0 == hash).map(|_| from + start)
    }

    /// The rows of the fingerprint whose first row is `row`, sorted: its remixed hash and one
    /// posting each.
    #[inline]
    pub fn run_from(&self, row: usize) -> &[(u64, Posting)] {
        let Some(&(hash, _)) = self.rows.get(row) else { return &[] };
        let bucket = (hash >> self.shift) as usize;
        let rows = &self.rows[row..self.directory[bucket + 1] as usize];
        &rows[..rows.partition_point(|other| other.0 == hash)]
    }

    /// The number of postings.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no postings.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

/// What several indexes may have: most hashes that none has are known by one look.
#[derive(Debug)]
pub struct Sieve {
    /// A bit for the leading bits of each remixed hash.
    bits: Box<[u64]>,
    /// The number of bits of a remixed hash that do not count.
    shift: u32,
}

impl Sieve {
    /// The sieve of all hashes of `indexes`, with sixteen bits or more for each.
    pub fn new(indexes: &[&Index]) -> Self {
        let n_rows = indexes.iter().map(|index| index.len()).sum();
        let rows = indexes.iter().flat_map(|index| &index.rows);
        Self::of(n_rows, rows.map(|(hash, _)| *hash))
    }

    /// For each of `n` documents, the sieve of what it has in an index.
    pub fn of_documents(index: &Index, n: usize) -> Vec<Self> {
        let mut hashes: Vec<Vec<u64>> = vec![Vec::new(); n];
        for (hash, posting) in &index.rows {
            hashes[posting.document as usize].push(*hash);
        }
        hashes.into_iter().map(|hashes| Self::of(hashes.len(), hashes.into_iter())).collect()
    }

    /// The sieve of `n` remixed hashes.
    fn of(n: usize, hashes: impl Iterator<Item = u64>) -> Self {
        let bits = (16 * n).next_power_of_two().trailing_zeros().clamp(6, 32);
        let mut sieve = Self { bits: vec![0; (1 << bits) / 64].into(), shift: 64 - bits };
        for hash in hashes {
            let at = hash >> sieve.shift;
            sieve.bits[at as usize / 64] |= 1 << (at % 64);
        }
        sieve
    }

    /// Whether an index may have `hash`; if not, none has.
    #[inline]
    pub fn may_have(&self, hash: u64) -> bool {
        let at = remix(hash) >> self.shift;
        self.bits[at as usize / 64] >> (at % 64) & 1 == 1
    }
}

/// Spreads a hash that winnowing selected. It is the smallest of many, so its leading
/// bits are mostly zero and would crowd into few buckets. A bijection: the finalizer of splitmix64.
#[inline]
pub fn remix(hash: u64) -> u64 {
    let hash = (hash ^ hash >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (hash ^ hash >> 32).wrapping_mul(0x94D0_49BB_1331_11EB)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn posting(document: u32, position: u32) -> Posting {
        Posting { document, position }
    }

    #[test]
    fn every_posting_is_found_in_order_and_nothing_else() {
        // Small hashes, as winnowing selects them.
        let rows: Vec<_> =
            (0..10_000u32).map(|n| (u64::from(n * 7 % 1_000), posting(n % 13, n))).collect();
        let index = Index::new(rows.clone());
        for hash in 0..1_100u64 {
            let mut expected: Vec<_> =
                rows.iter().filter(|row| row.0 == hash).map(|row| row.1).collect();
            expected.sort_unstable();
            assert_eq!(index.postings(hash).collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn an_empty_index_finds_nothing() {
        assert_eq!(Index::new([]).postings(1).len(), 0);
        assert!(!Sieve::new(&[&Index::new([])]).may_have(1));
    }

    #[test]
    fn a_sieve_keeps_what_any_index_has_and_little_else() {
        let index = |from: u64| Index::new((from..from + 100).map(|n| (n, posting(0, 0))));
        let sieve = Sieve::new(&[&index(0), &index(1_000)]);
        assert!((0..100).chain(1_000..1_100).all(|hash| sieve.may_have(hash)));
        assert!((10_000..20_000).filter(|&hash| sieve.may_have(hash)).count() < 1_000);
    }
}
