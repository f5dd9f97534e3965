//! Sorts more postings than memory should hold: in runs on disk that are merged.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Postings that are held in memory: 64 MiB.
const HELD: usize = 4 << 20;
/// Bytes of a row on disk.
const ROW: usize = 12;

/// A posting: the key of a fingerprint, and a blob.
pub(super) type Row = (u64, u32);

/// Takes rows in any order and gives them back sorted.
#[derive(Debug)]
pub(super) struct Runs {
    folder: PathBuf,
    held: Vec<Row>,
    runs: Vec<File>,
    n_rows: usize,
    n_held: usize,
}

impl Runs {
    /// Runs are written to `folder`, as files without a name.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), held: Vec::new(), runs: Vec::new(), n_rows: 0, n_held: HELD }
    }

    /// The number of rows so far.
    pub fn len(&self) -> usize {
        self.n_rows
    }

    pub fn push(&mut self, row: Row) -> io::Result<()> {
        self.n_rows += 1;
        self.held.push(row);
        if self.held.len() >= self.n_held { self.spill() } else { Ok(()) }
    }

    fn spill(&mut self) -> io::Result<()> {
        self.held.sort_unstable();
        let mut out = BufWriter::with_capacity(1 << 18, tempfile::tempfile_in(&self.folder)?);
        for (key, blob) in self.held.drain(..) {
            out.write_all(&key.to_le_bytes())?;
            out.write_all(&blob.to_le_bytes())?;
        }
        let mut file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.seek(SeekFrom::Start(0))?;
        self.runs.push(file);
        Ok(())
    }

    /// Hands out all rows, sorted.
    pub fn merge(mut self, mut each: impl FnMut(Row)) -> io::Result<()> {
        if self.runs.is_empty() {
            self.held.sort_unstable();
            self.held.into_iter().for_each(each);
            return Ok(());
        }
        self.spill()?;
        self.held = Vec::new();
        let mut runs: Vec<BufReader<File>> =
            self.runs.into_iter().map(|file| BufReader::with_capacity(1 << 17, file)).collect();
        let mut next = BinaryHeap::new();
        for (number, run) in runs.iter_mut().enumerate() {
            next.extend(read(run)?.map(|row| Reverse((row, number))));
        }
        while let Some(Reverse((row, number))) = next.pop() {
            each(row);
            next.extend(read(&mut runs[number])?.map(|row| Reverse((row, number))));
        }
        Ok(())
    }
}

/// The next row of a run; `None` at its end.
fn read(run: &mut BufReader<File>) -> io::Result<Option<Row>> {
    let mut row = [0; ROW];
    match run.read_exact(&mut row) {
        Ok(()) => {
            let (key, blob) = row.split_at(8);
            let key = key.try_into().map(u64::from_le_bytes).map_err(io::Error::other)?;
            let blob = blob.try_into().map(u32::from_le_bytes).map_err(io::Error::other)?;
            Ok(Some((key, blob)))
        }
        Err(why) if why.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
        Err(why) => Err(why),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_sorted_whether_they_fit_or_not() {
        let folder = tempfile::TempDir::new().expect("the folder for temporary files is writable");
        let rows: Vec<Row> = (0..1_000u64).map(|n| (n * 7919 % 1_000, n as u32)).collect();
        let mut expected = rows.clone();
        expected.sort_unstable();
        for n_held in [10, 333, 1_000, 5_000] {
            let mut runs = Runs { n_held, ..Runs::new(folder.path()) };
            for &row in &rows {
                runs.push(row).expect("the folder is writable");
            }
            assert_eq!(runs.len(), rows.len());
            let mut merged = Vec::new();
            runs.merge(|row| merged.push(row)).expect("the runs are readable");
            assert_eq!(merged, expected, "{n_held} held");
        }
    }
}
