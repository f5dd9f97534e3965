//! Writes and reads sorted postings: for each hash, the values stored under it.
//!
//! A directory of buckets by the leading bits of the remixed hash, then the following bits of each
//! row (up to 56 are stored in total), then the values. With eight rows per bucket, large postings
//! take 5.5 to 6 bytes for each row besides its value, and a lookup touches three places. Two
//! hashes that agree in 56 bits are treated as one: what a value leads to is compared token by
//! token anyway.

use super::error::{Result, SegmentError};
use super::segment::{Section, Segment, big_endian, u32_at, u64_at};
use super::write::SegmentWriter;
use crate::index::remix;

/// The leading bits of a remixed hash that are stored.
const KEPT_BITS: u32 = 56;
/// Average number of rows in a bucket.
const ROWS_A_BUCKET: usize = 8;
/// The length of the directory header in bytes.
const HEAD: usize = 16;

/// The key of a hash, by which postings are sorted: the leading bits of its [`remix`].
#[inline]
pub fn key(hash: u64) -> u64 {
    remix(hash) >> (64 - KEPT_BITS)
}

/// Collects postings that arrive sorted by key.
#[derive(Debug, Default)]
pub struct PostingsWriter {
    bits: u32,
    n_value: usize,
    last: u64,
    n_rows: u64,
    directory: Vec<u32>,
    remainders: Vec<u8>,
    values: Vec<u8>,
}

impl PostingsWriter {
    /// For about `n_rows` rows with values of `n_value` bytes.
    pub fn new(n_rows: usize, n_value: usize) -> Self {
        let n_buckets = (n_rows / ROWS_A_BUCKET).next_power_of_two().max(2);
        let bits = n_buckets.trailing_zeros().min(28);
        let directory = vec![0; (1 << bits) + 1];
        Self { bits, n_value, directory, ..Self::default() }
    }

    /// Adds a row. Rows must arrive in ascending order of [`key`]; `value` must have the length
    /// given to `new`.
    ///
    /// # Panics
    /// If a row is out of order, a value has another length, or there are 2^32 rows.
    pub fn push(&mut self, key: u64, value: &[u8]) {
        assert!(
            key >= self.last && value.len() == self.n_value,
            "postings come sorted, with values of one length"
        );
        self.last = key;
        self.n_rows += 1;
        let bucket = (key >> (KEPT_BITS - self.bits)) as usize;
        self.directory[bucket + 1] =
            u32::try_from(self.n_rows).expect("a segment has fewer than 2^32 rows");
        let remainder = (key & mask(KEPT_BITS - self.bits)).to_be_bytes();
        self.remainders.extend(&remainder[8 - n_remainder(self.bits)..]);
        self.values.extend(value);
    }

    /// Writes the postings as the sections `id`, `id + 1` and `id + 2`.
    pub fn write(mut self, out: &mut SegmentWriter, id: impl Into<u32>) -> Result<()> {
        let id = id.into();
        for bucket in 1..self.directory.len() {
            self.directory[bucket] = self.directory[bucket].max(self.directory[bucket - 1]);
        }
        out.section(id, &self.n_rows.to_le_bytes())?;
        out.write(&self.bits.to_le_bytes())?;
        out.write(&(self.n_value as u32).to_le_bytes())?;
        self.directory.iter().try_for_each(|start| out.write(&start.to_le_bytes()))?;
        out.section(id + 1, &self.remainders)?;
        out.section(id + 2, &self.values)
    }
}

fn n_remainder(bits: u32) -> usize {
    (KEPT_BITS - bits).div_ceil(8) as usize
}

fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

/// Sorted postings of an open segment.
#[derive(Debug, Clone, Copy)]
pub struct Postings<'s> {
    directory: Section<'s>,
    remainders: Section<'s>,
    values: Section<'s>,
    n_rows: usize,
    bits: u32,
    n_value: usize,
}

impl<'s> Postings<'s> {
    /// Reads the postings written as the section `id` and the two after it.
    pub fn new(segment: &'s Segment, id: impl Into<u32>) -> Result<Self> {
        let id = id.into();
        let (directory, remainders, values) =
            (segment.section(id)?, segment.section(id + 1)?, segment.section(id + 2)?);
        let head = directory.bytes(0..HEAD)?;
        let n_rows = u64_at(head, 0).and_then(|n| usize::try_from(n).ok());
        if let (Some(n_rows), Some(bits), Some(n_value)) =
            (n_rows, u32_at(head, 8), u32_at(head, 12))
            && (1..=28).contains(&bits)
            && directory.len() == HEAD + 4 * ((1 << bits) + 1)
            && n_rows.checked_mul(n_remainder(bits)) == Some(remainders.len())
            && n_rows.checked_mul(n_value as usize) == Some(values.len())
        {
            let n_value = n_value as usize;
            return Ok(Self { directory, remainders, values, n_rows, bits, n_value });
        }
        Err(SegmentError::Damaged("the head of its postings"))
    }

    /// The number of rows.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// The values under the hash with this [`key`], one after the other, in the order they were
    /// added.
    pub fn get(&self, key: u64) -> Result<std::slice::ChunksExact<'s, u8>> {
        let rows = self.rows_of(key)?;
        let values = self.values.bytes(rows.start * self.n_value..rows.end * self.n_value)?;
        Ok(values.chunks_exact(self.n_value.max(1)))
    }

    fn rows_of(&self, key: u64) -> Result<std::ops::Range<usize>> {
        let bucket = key >> (KEPT_BITS - self.bits) & mask(self.bits);
        let (from, to) = self.bucket(bucket as usize)?;
        let n = n_remainder(self.bits);
        let remainder = key & mask(KEPT_BITS - self.bits);
        // Compare integers: rows are five to seven bytes long, and many of them are compared.
        let rows = self.remainders.bytes(from * n..to * n)?;
        let n_before = rows.chunks_exact(n).take_while(|row| big_endian(row) < remainder).count();
        let rest = rows[n_before * n..].chunks_exact(n);
        let n_equal = rest.take_while(|row| big_endian(row) == remainder).count();
        Ok(from + n_before..from + n_before + n_equal)
    }

    fn bucket(&self, bucket: usize) -> Result<(usize, usize)> {
        let at = HEAD + 4 * bucket;
        let ends = self.directory.bytes(at..at + 8)?;
        match u32_at(ends, 0).zip(u32_at(ends, 4)) {
            Some((from, to)) if from <= to && to as usize <= self.n_rows => {
                Ok((from as usize, to as usize))
            }
            _ => Err(SegmentError::Damaged("a bucket of its postings")),
        }
    }

    /// All rows in the order of their keys, for merging.
    pub fn rows(&self) -> Result<impl Iterator<Item = (u64, &'s [u8])> + use<'s>> {
        let directory = self.directory.all()?;
        let (remainders, values) = (self.remainders.all()?, self.values.all()?);
        let (n, bits, n_value) = (n_remainder(self.bits), self.bits, self.n_value);
        for bucket in 0..1 << bits {
            self.bucket(bucket)?;
        }
        let mut bucket = 0;
        Ok((0..self.n_rows).map(move |row| {
            while u32_at(directory, HEAD + 4 * (bucket as usize + 1))
                .is_some_and(|end| end as usize <= row)
            {
                bucket += 1;
            }
            let mut remainder = [0; 8];
            remainder[8 - n..].copy_from_slice(&remainders[row * n..row * n + n]);
            let key = bucket << (KEPT_BITS - bits) | u64::from_be_bytes(remainder);
            (key, &values[row * n_value..(row + 1) * n_value])
        }))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::PARAMS;
    use super::super::{Segment, SegmentKind, SegmentWriter};
    use super::*;

    fn segment(rows: &[(u64, u32)]) -> Segment {
        let mut sorted: Vec<_> = rows.iter().map(|(hash, value)| (key(*hash), *value)).collect();
        sorted.sort_unstable();
        let mut postings = PostingsWriter::new(rows.len(), 4);
        for (key, value) in &sorted {
            postings.push(*key, &value.to_le_bytes());
        }
        let mut out = SegmentWriter::in_memory(SegmentKind::Corpus, PARAMS);
        postings.write(&mut out, 5_u32).expect("memory takes all");
        let bytes = out.finish_in_memory().expect("memory takes all");
        Segment::from_bytes(bytes).expect("it was just written")
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn every_value_is_found_under_its_hash_and_nothing_else(
            rows in prop::collection::vec((0u64..500, any::<u32>()), 0..400),
            spread in any::<bool>(),
        ) {
            let spread = if spread { 0x9E37_79B9_7F4A_7C15 } else { 1u64 };
            let rows: Vec<_> = rows.into_iter().map(|(hash, value)| (hash.wrapping_mul(spread), value)).collect();
            let segment = segment(&rows);
            let postings = Postings::new(&segment, 5_u32).expect("it was just written");
            for hash in (0..600u64).map(|hash| hash.wrapping_mul(spread)) {
                let mut expected: Vec<u32> = rows.iter().filter(|row| row.0 == hash).map(|row| row.1).collect();
                expected.sort_unstable();
                let found = postings.get(key(hash)).expect("it is whole");
                prop_assert_eq!(found.map(|value| u32_at(value, 0).expect("4 bytes")).collect::<Vec<_>>(), expected);
            }
            let all: Vec<_> = postings.rows().expect("it is whole").map(|(key, value)| (key, value.to_vec())).collect();
            let mut expected: Vec<_> = rows.iter().map(|row| (key(row.0), row.1)).collect();
            expected.sort_unstable();
            let expected: Vec<_> = expected.iter().map(|row| (row.0, row.1.to_le_bytes().to_vec())).collect();
            prop_assert_eq!(all, expected);
        }
    }

    #[test]
    fn a_row_takes_less_than_six_bytes_besides_its_value() {
        let rows: Vec<_> =
            (0..500_000u64).map(|n| (n.wrapping_mul(0x9E37_79B9_7F4A_7C15), 0)).collect();
        let n_bytes = segment(&rows).n_bytes() as f64 / rows.len() as f64 - 4.0;
        assert!(n_bytes < 6.0, "{n_bytes} bytes a row");
    }
}
