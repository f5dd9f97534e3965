//! Assigns tokens to the passage that spells them the same, before alignments compete for them.
//!
//! Functions of one shape align with each other in any order, and an alignment of the whole file in
//! the order of the text has more tokens than each function with its own. So what is spelled the
//! same for long goes first, the longest first, and takes its tokens on both sides: greedy string
//! tiling (Wise 1993), over the diagonals that were aligned.
//!
//! Only whole paragraphs do so at once, those that are the same but for their names among them:
//! that is an equivalence, so each that has a free partner gets one, whichever goes first. Of two
//! variants of a function that agree but for their names, half may be spelled as in a third one:
//! the halves must not be torn apart for that, so a part of a paragraph has to be worth more than
//! what it would be taken from.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use crate::config::Config;
use crate::matching::{Alignment, Block, Document};

/// For each file and token of one side, the file and position of its token of the other side.
type Owners = Vec<Vec<Option<(u32, u32)>>>;

/// A run of tokens that are the same but for names; ordered by worth, then from the beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Tile {
    /// Its tokens, those that are spelled the same counted twice.
    worth: usize,
    len: usize,
    /// The tokens of its alignment: of equal tiles, the one with more around it goes first.
    n_around: usize,
    files: Reverse<(usize, usize)>,
    start: Reverse<(usize, usize)>,
}

/// Maximum tokens at an end of a tile that may go to what is next to it.
const RAGGED: usize = 8;

impl Tile {
    fn weighed(self, a: &[Document<'_>], b: &[Document<'_>]) -> Self {
        let (files, (at, to)) = (self.files.0, self.start.0);
        let own = &a[files.0].tokens[at..at + self.len];
        let other = &b[files.1].tokens[to..to + self.len];
        let n_exact = own.iter().zip(other).filter(|(a, b)| a.exact == b.exact).count();
        Self { worth: self.len + n_exact, ..self }
    }

    /// Whether a paragraph begins at an offset on both sides.
    fn starts_paragraph(&self, a: &[Document<'_>], b: &[Document<'_>], offset: usize) -> bool {
        let (files, (at, to)) = (self.files.0, self.start.0);
        starts_paragraph(a[files.0], at + offset) && starts_paragraph(b[files.1], to + offset)
    }

    fn starts_line(&self, a: &[Document<'_>], b: &[Document<'_>], offset: usize) -> bool {
        let (files, (at, to)) = (self.files.0, self.start.0);
        a[files.0].starts_line(at + offset) && b[files.1].starts_line(to + offset)
    }

    /// Its whole paragraphs, if they have `min_len` tokens.
    fn paragraphs(self, a: &[Document<'_>], b: &[Document<'_>], min_len: usize) -> Option<Self> {
        let (at, to) = self.start.0;
        let from = (0..self.len).find(|&at| self.starts_paragraph(a, b, at))?;
        let end = (from..=self.len).rev().find(|&at| self.starts_paragraph(a, b, at))?;
        let start = Reverse((at + from, to + from));
        (end - from >= min_len).then(|| Self { len: end - from, start, ..self }.weighed(a, b))
    }

    /// Its tokens without those at its ends that belong to what is around it: what surrounds two
    /// passages often begins or ends alike. `None` if less than `min_len` are left.
    fn own(&self, a: &[Document<'_>], b: &[Document<'_>], min_len: usize) -> Option<Range<usize>> {
        let query = a[self.files.0.0];
        let near = (0..self.len.min(RAGGED)).find(|&at| self.starts_paragraph(a, b, at));
        let from = near.or_else(|| {
            let mut lines = (0..self.len).filter(|&at| self.starts_line(a, b, at));
            lines.find(|at| !closes(query, self.start.0.0 + at))
        })?;
        let mut near = self.len.saturating_sub(RAGGED).max(from + 1)..=self.len;
        let last = near.rfind(|&at| self.starts_paragraph(a, b, at));
        let last = last.or_else(|| (from + 1..=self.len).rfind(|&at| self.starts_line(a, b, at)));
        last.filter(|last| last - from >= min_len).map(|last| from..last)
    }
}

/// Whether a token ends what is before it.
fn closes(document: Document<'_>, at: usize) -> bool {
    let token = document.tokens.get(at).map(|token| token.text(document.text));
    token.and_then(<[u8]>::first).is_some_and(|byte| b"})];,".contains(byte))
}

/// Which tokens of two submissions belong to each other.
pub(super) struct Tiles<'d> {
    a: &'d [Document<'d>],
    b: &'d [Document<'d>],
    min_len: usize,
    /// Minimum tokens of a paragraph that is paired as a whole.
    min_paragraph: usize,
    of_a: Owners,
    of_b: Owners,
    /// Whole paragraphs that are the same but for their names, which no run has paired.
    pub paragraphs: Vec<((usize, usize), Block)>,
}

impl<'d> Tiles<'d> {
    /// No tiles of the files of two submissions.
    pub fn new(a: &'d [Document<'d>], b: &'d [Document<'d>], config: &Config) -> Self {
        // No passage of fewer tokens is ever a match.
        let min_len = config.min_tokens.min(config.matching.min_run);
        let [of_a, of_b] =
            [a, b].map(|of| of.iter().map(|document| vec![None; document.tokens.len()]).collect());
        Self { a, b, min_len, min_paragraph: config.min_tokens, of_a, of_b, paragraphs: Vec::new() }
    }

    /// Tiles the `alignments` of files with runs that begin and end with a line in both; then the
    /// `runs` whose names agree, whole paragraphs first.
    ///
    /// Time O(n log n) for n aligned tokens: a tile is cut at most once for each that took a part.
    pub fn tile(
        &mut self,
        alignments: &[((usize, usize), Alignment)],
        runs: &[((usize, usize), Block)],
        is_match: impl Fn((usize, usize), Block) -> bool,
    ) {
        let &mut Self { a, b, min_len, min_paragraph, .. } = self;
        let mut heap = BinaryHeap::new();
        for (files, alignment) in alignments {
            let (query, target) = (a[files.0], b[files.1]);
            let n_around = alignment.n_tokens();
            for block in &alignment.blocks {
                let (at, to) = (block.query as usize, block.target as usize);
                let exact = runs_of(block.len as usize, min_len, |offset| {
                    query.tokens[at + offset].exact == target.tokens[to + offset].exact
                });
                heap.extend(exact.map(|(offset, len)| {
                    let (files, start) = (Reverse(*files), Reverse((at + offset, to + offset)));
                    Tile { worth: 2 * len, len, n_around, files, start }
                }));
            }
        }
        let mut heap: BinaryHeap<Tile> = self.place_all(heap, min_len, true).into();
        let runs = Vec::from_iter(runs.iter().map(|(files, run)| {
            let len = run.len as usize;
            let start = Reverse((run.query as usize, run.target as usize));
            Tile { worth: 0, len, n_around: len, files: Reverse(*files), start }.weighed(a, b)
        }));
        let whole = runs.iter().filter_map(|run| run.paragraphs(a, b, min_paragraph)).collect();
        self.place_all(whole, min_paragraph, true);
        self.pair_paragraphs(is_match);
        heap.extend(runs);
        self.place_all(heap, min_len, false);
    }

    /// Pairs the paragraphs of at least `min_paragraph` tokens that are the same but for their
    /// names and free on both sides, if `is_match`: in code that repeats itself, runs connect each
    /// place with a few others only. Time O(n).
    fn pair_paragraphs(&mut self, is_match: impl Fn((usize, usize), Block) -> bool) {
        let &mut Self { a, b, min_paragraph, .. } = self;
        let mut of_b: HashMap<u64, Vec<(usize, Range<usize>)>> = HashMap::new();
        for (file, document) in b.iter().enumerate() {
            for paragraph in paragraphs(*document, min_paragraph) {
                if self.of_b[file][paragraph.clone()].iter().all(Option::is_none) {
                    let hash = renamed_hash(*document, &paragraph);
                    of_b.entry(hash).or_default().push((file, paragraph));
                }
            }
        }
        // The first comes first.
        of_b.values_mut().for_each(|places| places.reverse());
        for (file, document) in a.iter().enumerate() {
            for paragraph in paragraphs(*document, min_paragraph) {
                if self.of_a[file][paragraph.clone()].iter().any(Option::is_some) {
                    continue;
                }
                let places = of_b.get_mut(&renamed_hash(*document, &paragraph));
                let Some(places) = places else { continue };
                let Some((other, opposite)) = places.last().cloned() else { continue };
                let (query, target) = (paragraph.start as u32, opposite.start as u32);
                let run = Block { query, target, len: paragraph.len() as u32 };
                if paragraph.len() != opposite.len() || !is_match((file, other), run) {
                    continue;
                }
                places.pop();
                self.pair((file, other), (paragraph.start, opposite.start), paragraph.len());
                self.paragraphs.push(((file, other), run));
            }
        }
    }

    /// Places tiles, the worthiest first; one of which others have taken a part is cut, and waits
    /// for its turn again. With `only_paragraphs`, returns those that are not whole paragraphs.
    fn place_all(
        &mut self,
        mut heap: BinaryHeap<Tile>,
        min_len: usize,
        only_paragraphs: bool,
    ) -> Vec<Tile> {
        let &mut Self { a, b, .. } = self;
        let mut left = Vec::new();
        while let Some(tile) = heap.pop() {
            let (files, (at, to)) = (tile.files.0, tile.start.0);
            // A shorter tile on the same diagonal is a part of this one.
            if !(0..tile.len).all(|offset| self.may_belong(files, (at + offset, to + offset))) {
                let free = runs_of(tile.len, min_len, |offset| {
                    self.may_belong(files, (at + offset, to + offset))
                });
                heap.extend(free.map(|(offset, len)| {
                    let start = Reverse((at + offset, to + offset));
                    Tile { len, start, ..tile }.weighed(a, b)
                }));
                continue;
            }
            let Some(own) = tile.own(a, b, min_len) else { continue };
            if only_paragraphs
                && ![own.start, own.end].iter().all(|&at| tile.starts_paragraph(a, b, at))
            {
                left.push(tile);
                continue;
            }
            self.pair(files, (at + own.start, to + own.start), own.len());
        }
        left
    }

    /// Lets `len` tokens of two files belong to each other.
    fn pair(&mut self, files: (usize, usize), (at, to): (usize, usize), len: usize) {
        for offset in 0..len {
            self.of_a[files.0][at + offset] = Some((files.1 as u32, (to + offset) as u32));
            self.of_b[files.1][to + offset] = Some((files.0 as u32, (at + offset) as u32));
        }
    }

    /// Whether two tokens of files belong to nothing but each other.
    fn may_belong(&self, files: (usize, usize), (at, to): (usize, usize)) -> bool {
        let (own, other) = (self.of_a[files.0][at], self.of_b[files.1][to]);
        own.is_none_or(|own| own == (files.1 as u32, to as u32))
            && other.is_none_or(|other| other == (files.0 as u32, at as u32))
    }

    /// The alignment of two files without the tokens that belong elsewhere, in pieces: what is left
    /// on either side of another passage was joined across it by its order alone.
    pub fn own_parts(&self, files: (usize, usize), alignment: &Alignment) -> Vec<Alignment> {
        let (of_a, of_b) = (&self.of_a[files.0], &self.of_b[files.1]);
        let pairs = Vec::from_iter(alignment.pairs().filter(|&pair| self.may_belong(files, pair)));
        let parts = pairs.chunk_by(|last, next| {
            let between = of_a[last.0 + 1..next.0].iter().chain(&of_b[last.1 + 1..next.1]);
            between.flatten().next().is_none()
        });
        parts.map(|part| part.iter().copied().collect()).collect()
    }
}

/// Whether a blank line precedes the token at `at`; true at both ends. Comments part nothing.
fn starts_paragraph(document: Document<'_>, at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| document.tokens.get(before));
    let (Some(before), Some(token)) = (before, document.tokens.get(at)) else { return true };
    let between = document.text.get(before.end as usize..token.start as usize).unwrap_or_default();
    let lines = between.split(|&byte| byte == b'\n').count();
    let mut lines = between.split(|&byte| byte == b'\n').take(lines.saturating_sub(1)).skip(1);
    lines.any(|line| line.trim_ascii().is_empty())
}

/// The tokens between blank lines, where there are at least `min_len`.
fn paragraphs(document: Document<'_>, min_len: usize) -> impl Iterator<Item = Range<usize>> {
    let n = document.tokens.len();
    let mut start = 0;
    let ends = (1..=n).filter(move |&at| starts_paragraph(document, at));
    let all = ends.map(move |end| std::mem::replace(&mut start, end)..end);
    all.filter(move |paragraph| paragraph.len() >= min_len)
}

/// A hash of some tokens that is the same if names are renamed one to one: each name counts by
/// where it was before (Baker's p-match, 1995).
fn renamed_hash(document: Document<'_>, range: &Range<usize>) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut last: HashMap<u32, usize> = HashMap::new();
    for at in range.clone() {
        let token = &document.tokens[at];
        token.symbol.get().hash(&mut hasher);
        if token.is_name() {
            last.insert(token.exact, at).map_or(0, |before| at - before).hash(&mut hasher);
        }
    }
    hasher.finish()
}

/// The longest runs of at least `min_len` offsets below `len` for which `holds`: first and number.
fn runs_of(
    len: usize,
    min_len: usize,
    holds: impl Fn(usize) -> bool,
) -> impl Iterator<Item = (usize, usize)> {
    let mut end = 0;
    let runs = std::iter::from_fn(move || {
        let start = (end..len).find(|&offset| holds(offset))?;
        end = (start..len).find(|&offset| !holds(offset)).unwrap_or(len);
        Some((start, end - start))
    });
    runs.filter(move |(_, n)| *n >= min_len)
}
