//! External sort: writes sorted runs to files and merges them, for more rows than should be in
//! memory.
//!
//! A row is a key and a number, and takes twelve bytes in a file. The files are unnamed, so they
//! disappear with the process, however it ends.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Maximum rows that a [`Sorter`] holds in memory: 64 MiB of them.
const MAX_HELD: usize = 4 << 20;
/// Bytes of a row in a file.
const ROW: usize = 12;

/// Sorted runs of rows, each in a file.
#[derive(Debug)]
pub(super) struct Runs {
    folder: PathBuf,
    files: Vec<File>,
}

impl Runs {
    /// No runs yet; they will be written to `folder`.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), files: Vec::new() }
    }

    /// The folder of the runs.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes a run of sorted `rows`.
    pub fn write(&mut self, rows: impl IntoIterator<Item = (u64, u32)>) -> io::Result<()> {
        let mut out = BufWriter::with_capacity(1 << 18, tempfile::tempfile_in(&self.folder)?);
        for (key, number) in rows {
            out.write_all(&key.to_le_bytes())?;
            out.write_all(&number.to_le_bytes())?;
        }
        let mut file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.seek(SeekFrom::Start(0))?;
        self.files.push(file);
        Ok(())
    }

    /// The rows of all runs and of the sorted `rest`, in one order.
    ///
    /// Time O(n log r) for r runs, memory O(r).
    pub fn merge<I: Iterator<Item = (u64, u32)>>(self, rest: I) -> io::Result<MergedRows<I>> {
        let files = self.files.into_iter().map(|file| BufReader::with_capacity(1 << 17, file));
        let mut sources: Vec<SortedRows<I>> =
            files.map(SortedRows::File).chain([SortedRows::Memory(rest)]).collect();
        let mut heads = BinaryHeap::with_capacity(sources.len());
        for (number, source) in sources.iter_mut().enumerate() {
            heads.extend(source.next()?.map(|row| Reverse((row, number))));
        }
        Ok(MergedRows { heads, sources })
    }
}

enum SortedRows<I> {
    File(BufReader<File>),
    Memory(I),
}

impl<I: Iterator<Item = (u64, u32)>> SortedRows<I> {
    /// The next row; `None` at the end.
    fn next(&mut self) -> io::Result<Option<(u64, u32)>> {
        let run = match self {
            Self::Memory(rows) => return Ok(rows.next()),
            Self::File(run) => run,
        };
        let (mut key, mut number) = ([0; 8], [0; ROW - 8]);
        match run.read_exact(&mut key) {
            Err(why) if why.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            read => read?,
        }
        run.read_exact(&mut number)?;
        Ok(Some((u64::from_le_bytes(key), u32::from_le_bytes(number))))
    }
}

/// Sorted rows from several sources, in one order.
pub(super) struct MergedRows<I> {
    /// The next row of each unfinished source, with the number of the source; the smallest on top.
    heads: BinaryHeap<Reverse<((u64, u32), usize)>>,
    sources: Vec<SortedRows<I>>,
}

impl<I: Iterator<Item = (u64, u32)>> Iterator for MergedRows<I> {
    type Item = io::Result<(u64, u32)>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut head = self.heads.peek_mut()?;
        let Reverse((row, source)) = *head;
        match self.sources[source].next() {
            // The heap reorders itself when `head` is dropped.
            Ok(Some(next)) => *head = Reverse((next, source)),
            Ok(None) => drop(PeekMut::pop(head)),
            Err(why) => {
                PeekMut::pop(head);
                return Some(Err(why));
            }
        }
        Some(Ok(row))
    }
}

/// Accepts rows in any order and returns them sorted.
#[derive(Debug)]
pub(super) struct Sorter {
    runs: Runs,
    held: Vec<(u64, u32)>,
    max_held: usize,
    n_rows: usize,
}

impl Sorter {
    /// No rows yet; what does not fit in memory goes into `folder`.
    pub fn new(folder: &Path) -> Self {
        Self { runs: Runs::new(folder), held: Vec::new(), max_held: MAX_HELD, n_rows: 0 }
    }

    /// The number of rows so far.
    pub fn len(&self) -> usize {
        self.n_rows
    }

    /// Adds a row.
    pub fn push(&mut self, row: (u64, u32)) -> io::Result<()> {
        self.n_rows += 1;
        self.held.push(row);
        if self.held.len() < self.max_held {
            return Ok(());
        }
        self.held.sort_unstable();
        self.runs.write(self.held.drain(..))
    }

    /// All rows, sorted.
    pub fn into_sorted(mut self) -> io::Result<impl Iterator<Item = io::Result<(u64, u32)>>> {
        self.held.sort_unstable();
        self.runs.merge(self.held.into_iter())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::folder;
    use super::*;

    #[test]
    fn rows_come_sorted_whether_they_fit_or_not() {
        let folder = folder();
        let rows: Vec<(u64, u32)> = (0..1_000u64).map(|n| (n * 7919 % 1_000, n as u32)).collect();
        let mut expected = rows.clone();
        expected.sort_unstable();
        for max_held in [10, 333, 1_000, 5_000] {
            let mut sorter = Sorter { max_held, ..Sorter::new(folder.path()) };
            for &row in &rows {
                sorter.push(row).expect("the folder is writable");
            }
            assert_eq!(sorter.len(), rows.len());
            let sorted: io::Result<Vec<_>> = sorter.into_sorted().and_then(Iterator::collect);
            assert_eq!(sorted.expect("the runs are readable"), expected, "{max_held} held");
        }
    }
}
