//! Defines the scores of an alignment.
//!
//! Unrelated code scores below zero on average, even with gaps, so an extension ends soon after the
//! copy does. A renamed copy scores above zero.

use foldhash::HashMap;

use super::alignment::Block;
use crate::language::{Kind, Symbol, Token};

/// A name or literal that both sides spell the same: rarely a coincidence.
const SAME_WORD: i8 = 12;
/// A name that the rest of the alignment renames in the same way.
const RENAMED_WORD: i8 = 8;
/// A keyword.
const KEYWORD: i8 = 6;
/// A punctuation byte: often a coincidence.
const PUNCTUATION: i8 = 4;
/// A name or literal that agrees only by class.
const SAME_CLASS: i8 = -2;
/// Two tokens with different symbols, aligned with each other.
pub const MISMATCH: i8 = -10;
/// Opening a gap on one side.
pub const GAP: i8 = -12;
/// Each token in a gap.
pub const GAP_TOKEN: i8 = -1;

/// Pairs of names, each with how often it is there.
///
/// By sorting: a map takes longer for the few names that most alignments have.
pub(super) fn counted(mut names: Vec<(u32, u32)>) -> Vec<((u32, u32), usize)> {
    names.sort_unstable_by_key(|&(own, other)| u64::from(own) << 32 | u64::from(other));
    names.chunk_by(|a, b| a == b).map(|same| (same[0], same.len())).collect()
}

/// What a token of the query scores against any token of the target.
#[derive(Debug)]
pub struct Scores {
    pub symbol: Symbol,
    pub exact: u32,
    /// The name that it is renamed to, or its own.
    pub renamed_to: u32,
    /// The scores of a token with the same symbol: one that is spelled the same, one that it is
    /// renamed to, any other.
    pub same: i8,
    pub renamed: i8,
    pub class: i8,
}

impl Scores {
    /// The score against a token of the target, without a branch.
    #[inline]
    pub fn against(&self, symbol: Symbol, exact: u32) -> i8 {
        let other = if exact == self.renamed_to { self.renamed } else { self.class };
        let word = if exact == self.exact { self.same } else { other };
        if symbol == self.symbol { word } else { MISMATCH }
    }
}

/// For each name of the query, the name that most often replaces it: Baker's p-match, by majority.
#[derive(Debug, Default)]
pub struct Renames(HashMap<u32, u32>);

impl Renames {
    /// The renames along blocks of an alignment.
    pub fn new(query: &[Token], target: &[Token], blocks: &[Block]) -> Self {
        let mut renamed = Vec::new();
        for (a, b) in blocks.iter().flat_map(|block| block.sides(query, target)) {
            if a.kind() == Kind::Identifier && a.exact != b.exact {
                renamed.push((a.exact, b.exact));
            }
        }
        let mut counts = counted(renamed);
        counts.sort_unstable_by_key(|&(names, n)| (n, names));
        Self(counts.into_iter().map(|(names, _)| names).collect())
    }

    /// What a token of the query scores.
    #[inline]
    pub fn scores(&self, token: &Token) -> Scores {
        let kind = token.kind();
        let (same, renamed, class) = match kind {
            Kind::Punctuation => (PUNCTUATION, PUNCTUATION, PUNCTUATION),
            Kind::Keyword => (KEYWORD, KEYWORD, KEYWORD),
            _ => (SAME_WORD, RENAMED_WORD, SAME_CLASS),
        };
        let is_renamed = kind == Kind::Identifier && !self.0.is_empty();
        let renamed_to = if is_renamed { self.0.get(&token.exact).copied() } else { None };
        let renamed_to = renamed_to.unwrap_or(token.exact);
        Scores { symbol: token.symbol, exact: token.exact, renamed_to, same, renamed, class }
    }
}
