//! Defines the alignment: which tokens of a query match which tokens of a target.
//!
//! Invariant: the blocks of an alignment strictly ascend on both sides and have equal symbols.

use std::ops::Range;

use crate::language::Token;

/// A run of tokens with equal symbols on both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Block {
    /// The position of its first token in the query.
    pub query: u32,
    /// The position of its first token in the target.
    pub target: u32,
    /// Its length in tokens, at least 1.
    pub len: u32,
}

impl Block {
    pub(super) fn in_query(&self) -> Range<usize> {
        self.query as usize..(self.query + self.len) as usize
    }

    pub(super) fn in_target(&self) -> Range<usize> {
        self.target as usize..(self.target + self.len) as usize
    }

    /// The part of `len` tokens behind the first `n`.
    pub(super) fn part(&self, n: u32, len: u32) -> Self {
        Self { query: self.query + n, target: self.target + n, len }
    }

    /// On which diagonal it is: how much farther on it is in the target.
    pub(super) fn diagonal(&self) -> i64 {
        i64::from(self.target) - i64::from(self.query)
    }

    /// The tokens between it and the next block, on the side that has more.
    pub(super) fn gap_to(&self, next: &Self) -> u32 {
        (next.query - (self.query + self.len)).max(next.target - (self.target + self.len))
    }

    #[inline]
    pub(super) fn is_spelled_at(&self, at: u32, query: &[Token], target: &[Token]) -> bool {
        query[(self.query + at) as usize].exact == target[(self.target + at) as usize].exact
    }

    pub(super) fn sides<'t>(
        &self,
        query: &'t [Token],
        target: &'t [Token],
    ) -> impl Iterator<Item = (&'t Token, &'t Token)> + use<'t> {
        query[self.in_query()].iter().zip(&target[self.in_target()])
    }

    pub(super) fn n_spelled(&self, query: &[Token], target: &[Token]) -> usize {
        self.sides(query, target).filter(|(a, b)| a.exact == b.exact).count()
    }
}

/// A position in the query and one in the target.
pub type Cell = (usize, usize);

/// The aligned tokens of a query and a target, as blocks in ascending order.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Alignment {
    /// The blocks; never empty once aligned.
    pub blocks: Vec<Block>,
}

impl Alignment {
    /// From the first to the last aligned token of the query.
    pub fn query(&self) -> Range<usize> {
        self.span(Block::in_query)
    }

    /// From the first to the last aligned token of the target.
    pub fn target(&self) -> Range<usize> {
        self.span(Block::in_target)
    }

    fn span(&self, side: fn(&Block) -> Range<usize>) -> Range<usize> {
        match (self.blocks.first(), self.blocks.last()) {
            (Some(first), Some(last)) => side(first).start..side(last).end,
            _ => 0..0,
        }
    }

    /// The query tokens of the block that the query token `at` is in.
    pub fn block_at(&self, at: usize) -> Option<Range<usize>> {
        self.blocks.iter().map(Block::in_query).find(|block| block.contains(&at))
    }

    /// The number of aligned tokens.
    pub fn n_tokens(&self) -> usize {
        self.blocks.iter().map(|block| block.len as usize).sum()
    }

    /// The aligned positions in ascending order.
    pub fn pairs(&self) -> impl Iterator<Item = Cell> + '_ {
        self.blocks.iter().flat_map(|block| {
            (0..block.len).map(move |n| ((block.query + n) as usize, (block.target + n) as usize))
        })
    }

    pub(super) fn sides<'t>(
        &self,
        query: &'t [Token],
        target: &'t [Token],
    ) -> impl Iterator<Item = (&'t Token, &'t Token)> {
        self.blocks.iter().flat_map(|block| block.sides(query, target))
    }

    pub(super) fn all_pairs(&self) -> Vec<Cell> {
        // Their number is known: growing took a twentieth of a scan.
        let mut pairs = Vec::with_capacity(self.n_tokens());
        pairs.extend(self.pairs());
        pairs
    }

    /// The part of the alignment whose query tokens are in `query`.
    pub fn within(&self, query: Range<usize>) -> Self {
        let blocks = self.blocks.iter().filter_map(|block| {
            let from = (query.start as u32).max(block.query);
            let to = (query.end as u32).min(block.query + block.len);
            (from < to).then(|| block.part(from - block.query, to - from))
        });
        Self { blocks: blocks.collect() }
    }

    pub(super) fn add(&mut self, block: &Block) {
        self.push(block.query as usize, block.target as usize, block.len as usize);
    }

    pub(super) fn push(&mut self, query: usize, target: usize, len: usize) {
        if let Some(last) = self.blocks.last_mut()
            && (last.query + last.len) as usize == query
            && (last.target + last.len) as usize == target
        {
            last.len += len as u32;
        } else if len > 0 {
            self.blocks.push(Block { query: query as u32, target: target as u32, len: len as u32 });
        }
    }
}

/// Joins aligned positions, which ascend on both sides, into blocks.
impl FromIterator<Cell> for Alignment {
    fn from_iter<T: IntoIterator<Item = Cell>>(pairs: T) -> Self {
        let mut alignment = Self::default();
        alignment.extend(pairs);
        alignment
    }
}

impl Extend<Cell> for Alignment {
    fn extend<T: IntoIterator<Item = Cell>>(&mut self, pairs: T) {
        for (query, target) in pairs {
            self.push(query, target, 1);
        }
    }
}
