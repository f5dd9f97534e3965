//! Distinguishes reserved words from names, by the hash of their text.

/// The reserved words of a language, in buckets with room for four hashes each: a lookup reads one
/// bucket, without a branch that depends on the word.
#[derive(Debug)]
pub(super) struct Keywords {
    buckets: Box<[[u64; ROOM]]>,
    /// Hashes whose bucket was full; empty except for unusual tables.
    crowded: Box<[u64]>,
    /// The words that are values: `this`, `null`.
    values: Box<[u64]>,
}

const ROOM: usize = 4;
/// Maximum buckets. Only words chosen to share a bucket would need more.
const MAX_BUCKETS: usize = 1 << 12;

impl Keywords {
    pub fn new(words: &[u64], values: &[u64]) -> Self {
        let mut n_buckets = words.len().next_power_of_two();
        loop {
            let keywords = Self::with_buckets(words, values, n_buckets);
            if keywords.crowded.is_empty() || n_buckets >= MAX_BUCKETS {
                return keywords;
            }
            n_buckets *= 2;
        }
    }

    fn with_buckets(words: &[u64], values: &[u64], n_buckets: usize) -> Self {
        let mut buckets = vec![[0; ROOM]; n_buckets];
        let mut crowded = Vec::new();
        for &word in words {
            let bucket = &mut buckets[bucket(word, n_buckets)];
            match bucket.iter_mut().find(|slot| **slot == 0 || **slot == word) {
                Some(slot) => *slot = word,
                None => crowded.push(word),
            }
        }
        Self { buckets: buckets.into(), crowded: crowded.into(), values: values.into() }
    }

    #[inline(always)]
    pub fn contains(&self, hash: u64) -> bool {
        let [a, b, c, d] = self.buckets[bucket(hash, self.buckets.len())];
        let is_here = (a == hash) | (b == hash) | (c == hash) | (d == hash);
        if self.crowded.is_empty() { is_here } else { is_here || self.crowded.contains(&hash) }
    }

    /// Whether the word with this `hash` is a value: no value can begin right after it.
    pub fn is_value(&self, hash: u64) -> bool {
        self.values.contains(&hash)
    }
}

#[inline(always)]
fn bucket(hash: u64, n_buckets: usize) -> usize {
    (hash >> 40) as usize & (n_buckets - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_share_a_bucket_are_all_found() {
        let words: Vec<u64> =
            (1..=20).map(|n| n << 1 | 1 << 63).chain((1..500).map(|n| n << 40 | 7)).collect();
        let keywords = Keywords::new(&words, &words[..3]);
        assert!(!keywords.crowded.is_empty());
        assert!(words.iter().all(|&word| keywords.contains(word)));
        assert!(!keywords.contains(3) && !keywords.contains(1 << 40));
        assert!(keywords.is_value(words[2]) && !keywords.is_value(words[3]));
        assert!(!Keywords::new(&[], &[]).contains(1));
    }
}
