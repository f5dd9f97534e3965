//! Keeps archives within bounds: number of entries, sizes, and compression ratio.

use std::cell::Cell;
use std::io::{self, Read};
use std::path::Path;
use std::rc::Rc;

use super::Error;
use crate::text::printable;

/// Maximum amounts to read from one source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Entries, including those of nested archives.
    pub max_entries: u64,
    /// Bytes of a nested archive that has to be held in memory.
    pub max_nested: u64,
    /// Total bytes, unpacked.
    pub max_total: u64,
    /// Bytes unpacked for each packed byte.
    pub max_ratio: u64,
    /// Depth of nested archives; deeper ones are listed and skipped.
    pub max_depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_entries: 2_000_000,
            max_nested: 64 << 20,
            max_total: 64 << 30,
            max_ratio: 200,
            max_depth: 1,
        }
    }
}

impl Limits {
    /// Which of them `n_bytes` exceed that were unpacked from `n_packed`, in words.
    fn excess(&self, n_bytes: u64, n_packed: u64) -> Option<String> {
        let Self { max_total, max_ratio, .. } = self;
        if n_bytes > *max_total {
            return Some(format!("it unpacks to more than {max_total} bytes"));
        }
        (n_bytes > FREE_OF_RATIO && n_bytes / max_ratio > n_packed)
            .then(|| format!("it unpacks to more than {max_ratio} times its size"))
    }
}

/// The ratio does not count below this many bytes: even an empty file has a high one.
const FREE_OF_RATIO: u64 = 16 << 20;

/// Counts what has been read from one source.
#[derive(Debug)]
pub(super) struct Budget {
    pub limits: Limits,
    n_entries: u64,
    n_bytes: u64,
    /// The size on disk of what is read.
    n_packed: u64,
}

impl Budget {
    pub fn new(limits: Limits, n_packed: u64) -> Self {
        Self { limits, n_entries: 0, n_bytes: 0, n_packed }
    }

    pub fn of_file(limits: Limits, path: &Path) -> Self {
        // A missing file is reported when it is opened.
        Self::new(limits, std::fs::metadata(path).map_or(0, |metadata| metadata.len()))
    }

    pub fn entry(&mut self, archive: &str, entry: &str) -> Result<(), Error> {
        self.n_entries += 1;
        let max = self.limits.max_entries;
        if self.n_entries > max {
            let what = format!("there are more than {max} entries");
            return Err(Error::too_much(archive, entry, what));
        }
        Ok(())
    }

    /// Counts bytes that an entry claims to have, or that came out of it.
    pub fn bytes(&mut self, n: u64, archive: &str, entry: &str) -> Result<(), Error> {
        self.n_bytes = self.n_bytes.saturating_add(n);
        // Each entry may be small, but entries can share their packed bytes.
        let too_much = self.limits.excess(self.n_bytes, self.n_packed);
        too_much.map_or(Ok(()), |what| Err(Error::too_much(archive, entry, what)))
    }
}

#[derive(Debug)]
pub(super) struct CountingReader<R> {
    pub inner: R,
    pub n: Rc<Cell<u64>>,
}

impl<R: Read> Read for CountingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.n.set(self.n.get() + n as u64);
        Ok(n)
    }
}

/// Stops a decompressor that produces too much, in total or in proportion to its input.
#[derive(Debug)]
pub(super) struct GuardedReader<R> {
    inner: R,
    n_in: Rc<Cell<u64>>,
    n_out: u64,
    limits: Limits,
}

impl<R> GuardedReader<R> {
    /// Guards `inner`, whose number of bytes read is in `n_in`.
    pub fn new(inner: R, n_in: Rc<Cell<u64>>, limits: Limits) -> Self {
        Self { inner, n_in, n_out: 0, limits }
    }
}

impl<R: Read> Read for GuardedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.n_out += n as u64;
        let too_much = self.limits.excess(self.n_out, self.n_in.get());
        too_much.map_or(Ok(n), |what| Err(io::Error::new(BOMB, what)))
    }
}

/// Marks an error as an exceeded limit, for [`error_at`].
const BOMB: io::ErrorKind = io::ErrorKind::FileTooLarge;

/// The error of reading `entry`: an exceeded limit, or damage.
pub(super) fn error_at(archive: &str, entry: &str, why: &io::Error) -> Error {
    // Decompressors and archive readers wrap errors: the words stay.
    let text = printable(why.to_string().as_bytes());
    if why.kind() == BOMB || text.contains("it unpacks to more than") {
        return Error::too_much(archive, entry, text);
    }
    Error::damaged(archive, entry, text)
}
