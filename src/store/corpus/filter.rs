//! Tells keys that are certainly not stored from those that may be: a split block Bloom filter.
//!
//! Putze, Sanders, Singler, "Cache-, hash- and space-efficient Bloom filters" (2007), in the form that Parquet uses: a
//! key sets one bit in each of the eight words of one block, so that a test reads 32 bytes.

use crate::store::{Section, SegmentError};

/// Bytes of a block: eight words.
const BLOCK: usize = 32;
/// Bits for each key. Sixteen let one in a thousand absent keys pass, each for two reads in vain. Ten let one in a hundred
/// pass, and a corpus of 84 sources then took three times as many reads: each source has a filter of its own.
const BITS_A_KEY: usize = 16;
/// The multipliers that choose a bit in each word, from Parquet's specification.
const SALTS: [u32; 8] =
    [0x47b6_137b, 0x4497_4d91, 0x8824_ad5b, 0xa2b7_289d, 0x7054_95c7, 0x2df1_424b, 0x9efc_4947, 0x5c6b_fb31];

/// The bytes of a filter for `keys`, of which there are `n`.
pub(super) fn filter(n: usize, keys: impl Iterator<Item = u64>) -> Vec<u8> {
    let mut bytes = vec![0; (n * BITS_A_KEY).div_ceil(BLOCK * 8).max(1) * BLOCK];
    let n_blocks = bytes.len() / BLOCK;
    for key in keys {
        let block = &mut bytes[place(key, n_blocks)..][..BLOCK];
        for (word, bit) in block.chunks_exact_mut(4).zip(bits(key)) {
            word[bit / 8] |= 1 << (bit % 8);
        }
    }
    bytes
}

/// Whether `key` may be one of those that the filter was made for; if it was, this is true.
pub(super) fn may_have(filter: &Section<'_>, key: u64) -> Result<bool, SegmentError> {
    let n_blocks = filter.len() / BLOCK;
    if n_blocks == 0 {
        return Err(SegmentError::Damaged("the filter"));
    }
    let start = place(key, n_blocks);
    let block = filter.bytes(start..start + BLOCK)?;
    Ok(block.chunks_exact(4).zip(bits(key)).all(|(word, bit)| word[bit / 8] & 1 << (bit % 8) != 0))
}

/// Where the block of a key begins. Keys have 56 bits, of which the leading ones choose.
fn place(key: u64, n_blocks: usize) -> usize {
    (((key >> 24) * n_blocks as u64) >> 32) as usize * BLOCK
}

/// The bit of each word.
fn bits(key: u64) -> impl Iterator<Item = usize> {
    // The trailing 32 bits overlap with the leading ones by eight, which few blocks hang on.
    SALTS.iter().map(move |salt| ((key as u32).wrapping_mul(*salt) >> 27) as usize)
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::{PARAMS, folder};
    use super::*;
    use crate::store::{Segment, SegmentKind, SegmentWriter, key};

    #[test]
    fn every_key_passes_and_few_others_do() {
        let folder = folder();
        let keys = |from: u64, to: u64| (from..to).map(key);
        for n in [0, 1, 7, 20_000] {
            let mut out =
                SegmentWriter::create(folder.path(), SegmentKind::Corpus, PARAMS).expect("the folder is writable");
            out.begin(1);
            out.write(&filter(n as usize, keys(0, n))).expect("the folder is writable");
            let segment =
                Segment::open(&out.finish("filter").expect("the folder is writable")).expect("it was written");
            let section = segment.section(1).expect("it was written");
            assert!(keys(0, n).all(|key| may_have(&section, key).expect("it is whole")));
            let n_false = keys(n, n + 10_000).filter(|key| may_have(&section, *key).expect("it is whole")).count();
            assert!(n_false < 50, "{n_false} of 10,000 absent keys pass a filter of {n}");
        }
    }
}
