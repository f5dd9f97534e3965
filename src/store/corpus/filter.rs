//! Tells keys that are certainly not in a table from those that may be: a Bloom filter in blocks.
//!
//! Putze, Sanders, Singler, "Cache-, hash- and space-efficient Bloom filters" (2007): all bits of a
//! key are in one block, so a test reads 32 bytes.

use crate::store::{Result, Section, SegmentError};

/// Bytes of a block.
const BLOCK: usize = 32;
/// Bits for each key. Every reader downloads the filter. With four it is about as large as the
/// blocks that it saves one change of 500 lines from reading, five in six of those of absent keys;
/// with eight bits it saves little more.
const BITS_A_KEY: usize = 4;
/// The multipliers that choose the bits of a key, from Parquet's specification; three bits are best
/// for four a key.
const SALTS: [u32; 3] = [0x47b6_137b, 0x4497_4d91, 0x8824_ad5b];

pub(super) struct Filter {
    bytes: Vec<u8>,
}

impl Filter {
    /// For `n` keys.
    pub fn new(n: u64) -> Self {
        let n_blocks = (n as usize * BITS_A_KEY).div_ceil(BLOCK * 8).max(1);
        Self { bytes: vec![0; n_blocks * BLOCK] }
    }

    pub fn insert(&mut self, key: u64) {
        let start = place(key, self.bytes.len() / BLOCK);
        for bit in bits(key) {
            self.bytes[start + bit / 8] |= 1 << (bit % 8);
        }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Whether `key` may be one of those that were inserted; if it was, this is true.
pub(super) fn may_have(filter: &Section<'_>, key: u64) -> Result<bool> {
    let n_blocks = filter.len() / BLOCK;
    if n_blocks == 0 {
        return Err(SegmentError::Damaged("the filter"));
    }
    let start = place(key, n_blocks);
    let block = filter.bytes(start..start + BLOCK)?;
    Ok(bits(key).all(|bit| block[bit / 8] & 1 << (bit % 8) != 0))
}

/// Where the block of a key begins. Keys have 56 bits, of which the leading ones choose.
fn place(key: u64, n_blocks: usize) -> usize {
    (((key >> 24) * n_blocks as u64) >> 32) as usize * BLOCK
}

fn bits(key: u64) -> impl Iterator<Item = usize> {
    // The trailing 32 bits overlap with the leading ones by eight, which few blocks hang on.
    SALTS.iter().map(move |salt| ((key as u32).wrapping_mul(*salt) >> 24) as usize)
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::PARAMS;
    use super::*;
    use crate::store::{Segment, SegmentKind, SegmentWriter, key};

    #[test]
    fn every_key_passes_and_few_others_do() {
        let keys = |from: u64, to: u64| (from..to).map(key);
        for n in [0, 1, 7, 20_000] {
            let mut filter = Filter::new(n);
            keys(0, n).for_each(|key| filter.insert(key));
            let mut out = SegmentWriter::in_memory(SegmentKind::Corpus, PARAMS);
            out.section(1_u32, filter.bytes()).expect("memory takes all");
            let bytes = out.finish_in_memory().expect("memory takes all");
            let segment = Segment::from_bytes(bytes).expect("it was written");
            let section = segment.section(1_u32).expect("it was written");
            assert!(keys(0, n).all(|key| may_have(&section, key).expect("it is whole")));
            let n_false = keys(n, n + 10_000)
                .filter(|key| may_have(&section, *key).expect("it is whole"))
                .count();
            assert!(n_false < 1_800, "{n_false} of 10,000 absent keys pass a filter of {n}");
        }
    }
}
