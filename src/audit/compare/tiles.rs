//! Assigns tokens to the passage that spells them the same, before alignments compete for them.
//!
//! Functions of one shape align with each other in any order, and an alignment of the whole file in the order of the
//! text has more tokens than each function with its own. So what is spelled the same for long goes first, the longest
//! first, and takes its tokens on both sides: greedy string tiling (Wise 1993), over the diagonals that were aligned.

use std::collections::BinaryHeap;

use crate::matching::{Alignment, Document};

/// For each file and token of one side, the token of the other side that it belongs to: its file and position.
type Owners = Vec<Vec<Option<(u32, u32)>>>;

/// A run of tokens that are spelled the same on both sides; ordered by length, then from the beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Tile {
    len: usize,
    /// The tokens of the alignment that it is of: of equal tiles, the one with more around it goes first.
    n_around: usize,
    files: std::cmp::Reverse<(usize, usize)>,
    start: std::cmp::Reverse<(usize, usize)>,
}

/// Maximum tokens at an end of a tile that may go to what is next to it.
const RAGGED: usize = 8;

/// Which tokens of two submissions belong to each other.
pub(super) struct Tiles {
    of_a: Owners,
    of_b: Owners,
}

impl Tiles {
    /// Tiles the `alignments` of the files of `a` and `b` with runs of at least `min_len` tokens that begin and end with
    /// a line in both.
    ///
    /// Time O(n log n) for n aligned tokens: a tile of which others have taken a part is cut, at most once for each
    /// tile that took it.
    pub fn new(
        alignments: &[((usize, usize), Alignment)],
        a: &[Document<'_>],
        b: &[Document<'_>],
        min_len: usize,
    ) -> Self {
        let none = |of: &[Document<'_>]| of.iter().map(|document| vec![None; document.tokens.len()]).collect();
        let mut tiles = Self { of_a: none(a), of_b: none(b) };
        let mut heap = BinaryHeap::new();
        for (files, alignment) in alignments {
            let (query, target) = (a[files.0], b[files.1]);
            let n_around = alignment.n_tokens();
            for block in &alignment.blocks {
                let (at, to) = (block.query as usize, block.target as usize);
                let is_exact = |offset: &usize| query.tokens[at + offset].exact == target.tokens[to + offset].exact;
                push_runs(block.len as usize, is_exact, min_len, |offset, len| {
                    let start = std::cmp::Reverse((at + offset, to + offset));
                    heap.push(Tile { len, n_around, files: std::cmp::Reverse(*files), start });
                });
            }
        }
        while let Some(tile) = heap.pop() {
            let (files, (at, to)) = (tile.files.0, tile.start.0);
            let is_free = |offset: &usize| {
                tiles.of_a[files.0][at + offset].is_none() && tiles.of_b[files.1][to + offset].is_none()
            };
            if (0..tile.len).all(|offset| is_free(&offset)) {
                tiles.place(tile, a[files.0], b[files.1], min_len);
            } else {
                push_runs(tile.len, is_free, min_len, |offset, len| {
                    heap.push(Tile { len, start: std::cmp::Reverse((at + offset, to + offset)), ..tile });
                });
            }
        }
        tiles
    }

    /// Lets a tile take its tokens, but for those at its ends that belong to what is around it: what follows a passage
    /// often begins like what follows the other one, and what precedes it often ends alike.
    fn place(&mut self, tile: Tile, query: Document<'_>, target: Document<'_>, min_len: usize) {
        let (files, (at, to)) = (tile.files.0, tile.start.0);
        let starts = |offset: usize| query.starts_line(at + offset) && target.starts_line(to + offset);
        let is_paragraph = |offset: usize| query.starts_paragraph(at + offset) && target.starts_paragraph(to + offset);
        let closes = |offset: usize| {
            let token = query.tokens.get(at + offset).map(|token| token.text(query.text));
            token.and_then(<[u8]>::first).is_some_and(|byte| b"})];,".contains(byte))
        };
        let first = |range: std::ops::Range<usize>| {
            let near = range.start..range.end.min(range.start + RAGGED);
            near.clone().find(|&at| is_paragraph(at)).or_else(|| range.clone().find(|&at| starts(at) && !closes(at)))
        };
        let Some(from) = first(0..tile.len) else { return };
        let end = |at: &usize| starts(*at);
        let near = tile.len.saturating_sub(RAGGED).max(from + 1)..=tile.len;
        let last = near.rev().find(|&at| is_paragraph(at)).or_else(|| (from + 1..=tile.len).rev().find(end));
        let Some(last) = last.filter(|last| last - from >= min_len) else { return };
        for offset in from..last {
            self.of_a[files.0][at + offset] = Some((files.1 as u32, (to + offset) as u32));
            self.of_b[files.1][to + offset] = Some((files.0 as u32, (at + offset) as u32));
        }
    }

    /// The alignment of two files without the tokens that belong elsewhere, in pieces: what is left on either side of
    /// another passage was joined across it by its order alone.
    pub fn own_parts(&self, files: (usize, usize), alignment: &Alignment) -> Vec<Alignment> {
        let (of_a, of_b) = (&self.of_a[files.0], &self.of_b[files.1]);
        let belongs = |&(at, to): &(usize, usize)| {
            let is_own_a = of_a[at].is_none_or(|other| other == (files.1 as u32, to as u32));
            is_own_a && of_b[to].is_none_or(|other| other == (files.0 as u32, at as u32))
        };
        let is_taken = |owners: &[Option<(u32, u32)>]| owners.iter().any(Option::is_some);
        let mut parts: Vec<Vec<(usize, usize)>> = Vec::new();
        for (at, to) in alignment.pairs().filter(belongs) {
            match parts.last_mut().and_then(|part| part.last().copied().map(|last| (part, last))) {
                Some((part, last)) if !is_taken(&of_a[last.0 + 1..at]) && !is_taken(&of_b[last.1 + 1..to]) => {
                    part.push((at, to));
                }
                _ => parts.push(vec![(at, to)]),
            }
        }
        parts.into_iter().map(|part| part.into_iter().collect()).collect()
    }
}

/// Passes on each longest run of offsets below `len` for which `holds`, with at least `min_len` of them.
fn push_runs(len: usize, holds: impl Fn(&usize) -> bool, min_len: usize, mut push: impl FnMut(usize, usize)) {
    let mut start = None;
    for offset in 0..=len {
        let is_in = offset < len && holds(&offset);
        match start {
            None if is_in => start = Some(offset),
            Some(from) if !is_in => {
                if offset - from >= min_len {
                    push(from, offset - from);
                }
                start = None;
            }
            _ => {}
        }
    }
}
