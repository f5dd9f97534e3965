//! Reads a segment whose file is elsewhere, block by block, when a block is first needed.
//!
//! Invariant: a block that was read is kept as long as the segment, so that references to its bytes
//! hold as those to a mapped file do; and no byte is returned that [`Blocks`] has not verified.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::ops::Range;
use std::sync::OnceLock;

use super::error::{Result, SegmentError};

/// Bytes covered by one checksum, and read at once from elsewhere.
pub(super) const BLOCK: usize = 4096;

/// A block of a segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockAt {
    /// Its number: those of a section follow each other, and the sections do as in the file.
    pub number: u32,
    /// Its bytes in the file.
    pub range: Range<u64>,
}

/// Where the blocks of a segment are.
pub trait Blocks: Debug + Send + Sync {
    /// Reads `blocks`, all at once where that is faster; their bytes in the same order, verified.
    fn read(&self, blocks: &[BlockAt]) -> Result<Vec<Vec<u8>>>;
}

/// Maximum bytes to read as one piece: a larger one is a wrong reference, or no file of source
/// code.
const MAX_PIECE: usize = 256 << 20;
/// Number of blocks in a page of the table of blocks, which is made when one of them is read.
const PAGE: usize = 512;

/// Consecutive blocks that were read.
#[derive(Debug)]
struct Run {
    bytes: Box<[u8]>,
    n_blocks: usize,
    /// Another run from the same block on.
    next: OnceLock<Box<Run>>,
}

type Slot = OnceLock<Box<Run>>;

/// The blocks of a file elsewhere, as far as they were read.
#[derive(Debug)]
pub(super) struct Far {
    blocks: Box<dyn Blocks>,
    /// For each block the runs that begin with it. A list that only grows hands out references
    /// without a lock.
    pages: Box<[OnceLock<Box<[Slot]>>]>,
}

/// The location of a section.
#[derive(Debug)]
pub(super) struct SectionAt {
    pub id: u32,
    pub range: Range<usize>,
    /// The number of its first block in the file.
    pub first_block: usize,
}

impl SectionAt {
    pub fn block(&self, block: usize) -> BlockAt {
        let start = self.range.start + block * BLOCK;
        let end = self.range.end.min(start + BLOCK);
        BlockAt { number: (self.first_block + block) as u32, range: start as u64..end as u64 }
    }

    /// Which of its blocks have these of its bytes.
    #[inline]
    pub fn blocks(&self, bytes: &Range<usize>) -> Range<usize> {
        if bytes.is_empty() { 0..0 } else { bytes.start / BLOCK..(bytes.end - 1) / BLOCK + 1 }
    }
}

impl Far {
    /// A file of `n_blocks` blocks, none of which was read.
    pub fn new(blocks: Box<dyn Blocks>, n_blocks: usize) -> Self {
        Self { blocks, pages: (0..n_blocks.div_ceil(PAGE)).map(|_| OnceLock::new()).collect() }
    }

    fn slot(&self, number: usize) -> &Slot {
        let page =
            self.pages[number / PAGE].get_or_init(|| (0..PAGE).map(|_| OnceLock::new()).collect());
        &page[number % PAGE]
    }

    /// A run of at least `n_blocks` from this block on, if one was read.
    fn known(&self, number: usize, n_blocks: usize) -> Option<&Run> {
        let mut run = self.slot(number).get();
        while let Some(found) = run.filter(|found| found.n_blocks < n_blocks) {
            run = found.next.get();
        }
        run.map(Box::as_ref)
    }

    fn keep(&self, number: usize, n_blocks: usize, bytes: Box<[u8]>) -> &Run {
        let mut run = Box::new(Run { bytes, n_blocks, next: OnceLock::new() });
        let mut slot = self.slot(number);
        loop {
            // Two threads may append at once: the one that comes second goes on to the end of what
            // the first made.
            match slot.set(run) {
                Ok(()) => return slot.get().expect("it was just set"),
                Err(back) => run = back,
            }
            slot = &slot.get().expect("it is set already").next;
        }
    }

    /// Bytes of a section, which are inside of it.
    pub fn bytes(&self, section: &SectionAt, bytes: Range<usize>) -> Result<&[u8]> {
        let blocks = section.blocks(&bytes);
        if blocks.is_empty() {
            return Ok(&[]);
        }
        if bytes.len() > MAX_PIECE {
            return Err(SegmentError::Damaged("a piece is far too long"));
        }
        let (first, n_blocks) = (section.first_block + blocks.start, blocks.len());
        let run = match self.known(first, n_blocks) {
            Some(run) => run,
            None => self.keep(first, n_blocks, self.joined(section, blocks.clone())?),
        };
        let start = bytes.start - blocks.start * BLOCK;
        run.bytes.get(start..start + bytes.len()).ok_or(SegmentError::Truncated)
    }

    /// Several blocks in a row, of which those are read that are not known.
    fn joined(&self, section: &SectionAt, blocks: Range<usize>) -> Result<Box<[u8]>> {
        let missing =
            blocks.clone().filter(|block| self.known(section.first_block + block, 1).is_none());
        let missing: Vec<BlockAt> = missing.map(|block| section.block(block)).collect();
        let mut read = self.read(&missing)?.into_iter().zip(&missing).peekable();
        let mut joined = Vec::with_capacity(blocks.len() * BLOCK);
        for block in blocks {
            let number = section.first_block + block;
            match read.next_if(|(_, at)| at.number as usize == number) {
                Some((bytes, _)) => joined.extend(bytes),
                None => {
                    let known = self.known(number, 1).ok_or(SegmentError::Truncated)?;
                    joined.extend(&known.bytes[..known.bytes.len().min(BLOCK)]);
                }
            }
        }
        Ok(joined.into())
    }

    fn read(&self, blocks: &[BlockAt]) -> Result<Vec<Vec<u8>>> {
        if blocks.is_empty() {
            return Ok(Vec::new());
        }
        let read = self.blocks.read(blocks)?;
        let lens = blocks.iter().map(|at| at.range.end - at.range.start);
        let are_whole = read.iter().map(|bytes| bytes.len() as u64).eq(lens);
        if are_whole { Ok(read) } else { Err(SegmentError::Truncated) }
    }

    /// Reads all at once what later calls of [`Far::bytes`] will ask for.
    pub fn read_ahead(&self, pieces: &[(&SectionAt, Range<usize>)]) -> Result<()> {
        let mut missing = Vec::new();
        let mut seen = BTreeSet::new();
        for (section, bytes) in pieces {
            if bytes.end > section.range.len() || bytes.len() > MAX_PIECE {
                continue;
            }
            for block in section.blocks(bytes) {
                let number = section.first_block + block;
                if self.known(number, 1).is_none() && seen.insert(number) {
                    missing.push(section.block(block));
                }
            }
        }
        missing.sort_unstable_by_key(|block| block.number);
        for (bytes, at) in self.read(&missing)?.into_iter().zip(&missing) {
            self.keep(at.number as usize, 1, bytes.into());
        }
        Ok(())
    }
}
