//! Hashes bytes to a number that never changes: baselines, caches and corpora store it in files.

/// The 64-bit hash of Fowler, Noll and Vo, variant 1a, for inputs that nobody crafted to collide.
/// Time O(n), one byte at a time.
pub fn fnv_1a(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hashes_are_those_that_its_authors_publish() {
        assert_eq!(fnv_1a(*b""), 0xCBF2_9CE4_8422_2325);
        assert_eq!(fnv_1a(*b"a"), 0xAF63_DC4C_8601_EC8C);
        assert_eq!(fnv_1a(*b"foobar"), 0x8594_4171_F739_67E8);
    }
}
