//! Weighs what a clone tells of copying between projects.
//!
//! Within a project two fragments of one shape are likely to be copies: few people wrote it, and they know it. Between
//! projects most are not, however long: loops, constructors and tests are written in the same way time and again. What
//! seldom comes about by itself is a word that few projects know, at the same place in both, or a long run.

use std::collections::HashSet;
use std::sync::LazyLock;

use super::{ClonePair, Document};
use crate::language::{Kind, Token};

/// Which evidence is enough; each kind is enough by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Enough {
    /// Different rare words that both sides have, at the same places.
    pub n_words: usize,
    /// Tokens in a row that are spelled the same.
    pub exact_run: usize,
    /// Tokens in a row that are the same but for names and literals.
    pub run: usize,
}

/// What a clone has to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Evidence {
    /// Different rare words that both sides have, at the same places.
    pub n_words: usize,
    /// The longest run of tokens that are spelled the same.
    pub exact_run: usize,
    /// The longest run of tokens that are the same but for names and literals.
    pub run: usize,
}

impl Evidence {
    /// Weighs `pair`, a clone of `query` and of a text with the tokens `target`. Time O(n log w) for n aligned tokens and w common words.
    pub fn new(pair: &ClonePair, query: Document<'_>, target: &[Token]) -> Self {
        let mut words = HashSet::new();
        let mut exact_run = 0;
        for block in &pair.alignment.blocks {
            let mut run = 0;
            let sides = query.tokens[block.query as usize..].iter().zip(&target[block.target as usize..]);
            for (own, other) in sides.take(block.len as usize) {
                if own.exact != other.exact {
                    run = 0;
                    continue;
                }
                run += 1;
                exact_run = exact_run.max(run);
                let text = own.text(query.text);
                if is_rare(own.kind(), text) {
                    words.insert(text);
                }
            }
        }
        Self { n_words: words.len(), exact_run, run: pair.longest_run }
    }

    /// Whether one kind of it is enough.
    pub fn is(&self, enough: &Enough) -> bool {
        self.n_words >= enough.n_words || self.exact_run >= enough.exact_run || self.run >= enough.run
    }
}

/// Names, literals and parts of literals that stand in five or more of 167 projects, sorted, one a line.
const COMMON_WORDS: &str = include_str!("../../config/common-words.txt");

/// The bytes of the shortest name, number and string that can be rare: shorter ones are the same by chance.
const SHORTEST: (usize, usize, usize) = (3, 5, 4);

/// Whether the token of this kind and text is a word that few projects know.
fn is_rare(kind: Kind, text: &[u8]) -> bool {
    static WORDS: LazyLock<Vec<&[u8]>> = LazyLock::new(|| COMMON_WORDS.lines().map(str::as_bytes).collect());
    let word = match kind {
        Kind::Identifier if text.len() >= SHORTEST.0 => text,
        Kind::Number if text.len() >= SHORTEST.1 => text,
        Kind::String => {
            let inner = unquoted(text);
            if inner.len() < SHORTEST.2 {
                return false;
            }
            inner
        }
        _ => return false,
    };
    WORDS.binary_search(&word).is_err()
}

/// What stands between the quotes of a string literal.
fn unquoted(text: &[u8]) -> &[u8] {
    let is_quote = |byte: &u8| matches!(byte, b'"' | b'\'' | b'`');
    let start = text.iter().position(is_quote).map_or(0, |at| at + 1);
    let end = text.iter().rposition(is_quote).unwrap_or(text.len());
    text.get(start..end).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::tests::c_tokens;
    use crate::matching::{Alignment, Block};

    /// The evidence of two texts that are aligned token by token.
    fn evidence(query: &str, target: &str) -> Evidence {
        let (own, others) = (c_tokens(query), c_tokens(target));
        assert_eq!(own.len(), others.len(), "they are aligned as wholes");
        let block = Block { query: 0, target: 0, len: own.len() as u32 };
        let pair = ClonePair::new(Alignment { blocks: vec![block] }, &own, &others);
        Evidence::new(&pair, Document { text: query.as_bytes(), tokens: &own }, &others)
    }

    #[test]
    fn common_words_are_sorted_and_each_stands_once() {
        let words: Vec<&str> = COMMON_WORDS.lines().collect();
        assert!(words.windows(2).all(|two| two[0].as_bytes() < two[1].as_bytes()));
        assert!(words.len() > 10_000 && !is_rare(Kind::Identifier, b"length") && !is_rare(Kind::String, b"\"utf-8\""));
    }

    #[test]
    fn rare_words_count_once_and_only_where_they_are_spelled_the_same() {
        let found = evidence("zrx_a = zrx_b + len(zrx_a);", "zrx_a = zrx_c + len(zrx_a);");
        assert_eq!(found, Evidence { n_words: 1, exact_run: 6, run: 9 });
        let found = evidence("f(\"zrx of b\", 0x8badf00d, 17);", "f(\"zrx of b\", 0x8badf00d, 17);");
        assert_eq!(found.n_words, 2, "strings and long numbers are words, short ones are not");
    }

    #[test]
    fn one_kind_of_evidence_is_enough() {
        let enough = Enough { n_words: 2, exact_run: 20, run: 40 };
        let of = |n_words, exact_run, run| Evidence { n_words, exact_run, run }.is(&enough);
        assert!(of(2, 0, 0) && of(0, 20, 20) && of(0, 0, 40));
        assert!(!of(1, 19, 39));
    }
}
