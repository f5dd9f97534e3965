//! SWAR: classifies eight bytes of a text as one number, without a branch for each to mispredict.

/// The same byte in all eight places.
const fn all(byte: u8) -> u64 {
    0x0101_0101_0101_0101 * byte as u64
}

const TOP: u64 = all(0x80);

/// The eight bytes from `at` on, the first lowest; beyond the end they are zeros.
#[inline(always)]
pub(super) fn load(text: &[u8], at: usize) -> u64 {
    let rest = text.get(at..).unwrap_or_default();
    match rest.first_chunk::<8>() {
        Some(chunk) => u64::from_le_bytes(*chunk),
        None => load_end(rest),
    }
}

#[cold]
fn load_end(rest: &[u8]) -> u64 {
    rest.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// The lowest `n` bytes, up to seven.
#[inline(always)]
pub(super) fn lowest(chunk: u64, n: usize) -> u64 {
    chunk & ((1 << (8 * n)) - 1)
}

/// The number of leading bytes that are spaces, up to eight.
#[inline(always)]
pub(super) fn spaces(chunk: u64) -> usize {
    ((chunk ^ all(b' ')).trailing_zeros() / 8) as usize
}

/// The number of leading bytes that are ASCII letters, digits or `_`, up to eight.
#[inline(always)]
pub(super) fn alphanumerics(chunk: u64) -> usize {
    leading(!chunk & is_alphanumeric(chunk & !TOP) & TOP)
}

/// The number of places, from the lowest on, with their top bit set.
#[inline(always)]
fn leading(tops: u64) -> usize {
    ((!tops & TOP).trailing_zeros() / 8) as usize
}

/// Sets the top bit of each place that is a letter, a digit or `_`; `low` has no top bit set.
#[inline(always)]
fn is_alphanumeric(low: u64) -> u64 {
    let folded = low | all(0x20);
    let is_letter = (folded + all(0x80 - b'a')) & !(folded + all(0x7F - b'z'));
    let is_digit = (low + all(0x80 - b'0')) & !(low + all(0x7F - b'9'));
    is_letter | is_digit | is_byte(low, all(b'_'))
}

/// Sets the top bit of each place that is the byte `of`; neither has a top bit set.
#[inline(always)]
fn is_byte(low: u64, of: u64) -> u64 {
    !((low ^ of) + !TOP)
}

/// The bytes of words: letters, digits, `_`, all non-ASCII bytes, and at most two more.
#[derive(Debug, Clone, Copy)]
pub(super) struct WordBytes([u64; 2]);

impl WordBytes {
    /// Takes the ASCII bytes `besides` letters, digits and `_`; `None` if there are too many.
    pub fn new(besides: &[u8]) -> Option<Self> {
        let more = [0, 1].map(|n| all(besides.get(n).copied().unwrap_or(b'_')));
        (besides.len() <= 2).then_some(Self(more))
    }

    /// The number of leading bytes that belong to a word, up to eight.
    #[inline(always)]
    pub fn run(self, chunk: u64) -> usize {
        let low = chunk & !TOP;
        let is_more = is_byte(low, self.0[0]) | is_byte(low, self.0[1]);
        leading(chunk | is_alphanumeric(low) | is_more)
    }
}

/// Up to three ASCII bytes to search for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Few([u8; 3]);

/// Minimum bytes to check eight at a time before a full search pays off.
const NEAR: usize = 32;

impl Few {
    /// Takes one to three ASCII bytes; `None` for any others.
    pub fn new(bytes: &[u8]) -> Option<Self> {
        let first = bytes.first()?;
        let is_few = bytes.len() <= 3 && bytes.is_ascii();
        is_few.then(|| Self([0, 1, 2].map(|n| *bytes.get(n).unwrap_or(first))))
    }

    /// The offset of the first of them in `text` from `at` on, or the end.
    #[inline]
    pub fn find(self, text: &[u8], at: usize) -> usize {
        let [a, b, c] = self.0.map(all);
        let mut near = at;
        while near < at + NEAR && near + 8 <= text.len() {
            let chunk = load(text, near);
            let low = chunk & !TOP;
            let found = (is_byte(low, a) | is_byte(low, b) | is_byte(low, c)) & !chunk & TOP;
            if found != 0 {
                return near + (found.trailing_zeros() / 8) as usize;
            }
            near += 8;
        }
        let [a, b, c] = self.0;
        let far = text.get(near..).unwrap_or_default();
        near + memchr::memchr3(a, b, c, far).unwrap_or(far.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_at_every_place_is_told_as_one_by_one() {
        let words = WordBytes::new(b"$'").expect("two are few enough");
        let is_word =
            |byte: u8| byte.is_ascii_alphanumeric() || b"_$'".contains(&byte) || byte >= 0x80;
        for byte in 0..=u8::MAX {
            for place in 0..8 {
                let mut bytes = *b"aZ_09z$x";
                bytes[place] = byte;
                let until =
                    |is: &dyn Fn(u8) -> bool| bytes.iter().take_while(|&&byte| is(byte)).count();
                let chunk = u64::from_le_bytes(bytes);
                assert_eq!(words.run(chunk), until(&is_word), "{bytes:?}");
                let is_alphanumeric = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
                assert_eq!(alphanumerics(chunk), until(&is_alphanumeric), "{bytes:?}");
                let mut bytes = [b' '; 8];
                bytes[place] = byte;
                let n_spaces = bytes.iter().take_while(|&&byte| byte == b' ').count();
                assert_eq!(spaces(u64::from_le_bytes(bytes)), n_spaces);
            }
        }
    }

    #[test]
    fn few_bytes_are_found_wherever_they_stand() {
        let few = Few::new(b"\"\\").expect("they are two");
        for n in 0..100 {
            let mut text = vec![b'\xA2'; 100];
            assert_eq!(few.find(&text, n), 100);
            text[n] = b'\\';
            assert!((0..=n).all(|at| few.find(&text, at) == n));
            assert_eq!(few.find(&text, n + 1), 100);
        }
        assert!([&b""[..], b"abcd", b"\xC3"].into_iter().all(|bytes| Few::new(bytes).is_none()));
    }

    #[test]
    fn beyond_the_end_are_zeros() {
        assert_eq!(load(b"abc", 1), u64::from_le_bytes(*b"bc\0\0\0\0\0\0"));
        assert_eq!(load(b"abc", 3), 0);
        assert_eq!(load(b"abc", 9), 0);
        assert_eq!(lowest(load(b"abcdefgh", 0), 7), u64::from_le_bytes(*b"abcdefg\0"));
    }
}
