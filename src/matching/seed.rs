//! Defines the seed, and which k-grams are worth one.

use crate::language::Token;

/// A k-gram that a query and a target share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seed {
    /// The position of its first token in the query.
    pub query: u32,
    /// The position of its first token in the target.
    pub target: u32,
}

impl Seed {
    /// On which diagonal it is, as of a block.
    #[inline]
    pub(super) fn diagonal(&self) -> i64 {
        i64::from(self.target) - i64::from(self.query)
    }
}

/// Whether a k-gram is informative; tables, lists and rows of the same shape are not.
///
/// A k-gram has low entropy if it has fewer than `min_distinct` distinct tokens, counting names and
/// literals by class, or if it repeats itself with a period of at most a third of its length.
pub fn is_telling(kgram: &[Token], min_distinct: usize) -> bool {
    has_distinct(kgram, min_distinct) && !is_periodic(kgram) && has_words(kgram)
}

/// Whether it has `n` distinct tokens and more; most have them near their beginning.
fn has_distinct(kgram: &[Token], n: usize) -> bool {
    let mut firsts = (0..kgram.len())
        .filter(|&at| kgram[..at].iter().all(|token| token.symbol != kgram[at].symbol));
    n == 0 || firsts.nth(n - 1).is_some()
}

fn is_periodic(kgram: &[Token]) -> bool {
    (1..=kgram.len() / 3)
        .any(|period| kgram[period..].iter().zip(kgram).all(|(a, b)| a.symbol == b.symbol))
}

/// A run of only literals and punctuation is data.
fn has_words(kgram: &[Token]) -> bool {
    kgram.iter().any(Token::is_word)
}

#[cfg(test)]
mod tests {
    use super::super::tests::c_tokens;
    use super::*;

    #[test]
    fn tables_and_rows_of_one_shape_do_not_tell() {
        assert!(!is_telling(&c_tokens("1, 2, 3, 4, 5, 6, 7, 8"), 4));
        assert!(!is_telling(&c_tokens("{ 1, \"a\" }, { 2, \"b\" }, { 3, \"c\" }"), 4));
        assert!(!is_telling(&c_tokens("a(b); c(d); e(f); g(h);"), 4));
        assert!(is_telling(&c_tokens("if (a < b) return c[d];"), 4));
    }
}
