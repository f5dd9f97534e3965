//! Hashes the text of a token.

/// Folds ASCII letters to lower case when or-ed to eight bytes of a word.
pub(super) const FOLD: u64 = 0x2020_2020_2020_2020;

const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

/// Hashes a token's bytes, eight at a time; `fold` is 0 or [`FOLD`].
///
/// A multiply-rotate hash in the manner of FxHash. It distinguishes words, and withstands no
/// adversary, who would gain nothing but a seed that alignment then rejects.
#[inline]
pub(super) fn word(bytes: &[u8], fold: u64) -> u64 {
    let mut hash = bytes.len() as u64;
    let mut rest = bytes;
    while let Some((chunk, tail)) = rest.split_first_chunk::<8>() {
        hash = step(hash, u64::from_le_bytes(*chunk) | fold);
        rest = tail;
    }
    if !rest.is_empty() {
        hash = step(hash, short(rest) | (fold & (u64::MAX >> (64 - 8 * rest.len()))));
    }
    hash ^ hash >> 32
}

/// Like [`word`], for a word of one to seven bytes in `chunk`, with zeros above them.
#[inline(always)]
pub(super) fn short_word(chunk: u64, len: usize, fold: u64) -> u64 {
    let hash = step(len as u64, chunk | (fold & (u64::MAX >> (64 - 8 * len))));
    hash ^ hash >> 32
}

#[inline]
fn step(hash: u64, chunk: u64) -> u64 {
    (hash.rotate_left(23) ^ chunk).wrapping_mul(MULTIPLIER)
}

/// Up to seven bytes as a little-endian number, without a loop.
#[inline]
fn short(bytes: &[u8]) -> u64 {
    let n = bytes.len();
    if n >= 4 {
        let low = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        let high = u32::from_le_bytes([bytes[n - 4], bytes[n - 3], bytes[n - 2], bytes[n - 1]]);
        u64::from(low) | u64::from(high) << (8 * (n - 4))
    } else {
        u64::from(bytes[0])
            | u64::from(bytes[n / 2]) << (8 * (n / 2))
            | u64::from(bytes[n - 1]) << (8 * (n - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_reads_every_byte_once() {
        for n in 1..8 {
            let bytes: Vec<u8> = (1..=n).collect();
            let mut padded = [0; 8];
            padded[..n as usize].copy_from_slice(&bytes);
            assert_eq!(short(&bytes), u64::from_le_bytes(padded));
        }
    }

    #[test]
    fn a_short_word_hashes_as_any_word() {
        for (n, fold) in (1..8).flat_map(|n| [(n, 0), (n, FOLD)]) {
            let mut chunk = [0; 8];
            chunk[..n].copy_from_slice(&b"Ab_1Z\xC3x"[..n]);
            assert_eq!(short_word(u64::from_le_bytes(chunk), n, fold), word(&chunk[..n], fold));
        }
    }

    #[test]
    fn folding_makes_cases_equal_and_nothing_else() {
        assert_eq!(word(b"SELECT_x1", FOLD), word(b"select_X1", FOLD));
        assert_ne!(word(b"select", FOLD), word(b"selekt", FOLD));
        assert_ne!(word(b"SELECT", 0), word(b"select", 0));
    }
}
