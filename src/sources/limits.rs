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

/// The ratio does not count below this many bytes: even an empty file of a few kilobytes has a high
/// ratio.
const FREE_OF_RATIO: u64 = 16 << 20;

/// Counts what has been read from one source.
#[derive(Debug)]
pub(super) struct Budget {
    limits: Limits,
    n_entries: u64,
    n_bytes: u64,
    /// The size on disk of what is read.
    n_packed: u64,
}

impl Budget {
    pub fn new(limits: Limits, n_packed: u64) -> Self {
        Self { limits, n_entries: 0, n_bytes: 0, n_packed }
    }

    /// The budget for reading one archive.
    pub fn of_file(limits: Limits, path: &Path) -> Self {
        // A missing file is reported when it is opened.
        Self::new(limits, std::fs::metadata(path).map_or(0, |metadata| metadata.len()))
    }

    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Counts an entry.
    pub fn entry(&mut self, archive: &str, entry: &str) -> Result<(), Error> {
        self.n_entries += 1;
        let max = self.limits.max_entries;
        self.require(self.n_entries <= max, archive, entry, || {
            format!("there are more than {max} entries")
        })
    }

    /// Counts bytes that an entry claims to have, or that came out of it.
    pub fn bytes(&mut self, n: u64, archive: &str, entry: &str) -> Result<(), Error> {
        self.n_bytes = self.n_bytes.saturating_add(n);
        let max = self.limits.max_total;
        self.require(self.n_bytes <= max, archive, entry, || {
            format!("it unpacks to more than {max} bytes")
        })?;
        // Each entry may be small, but entries can share their packed bytes.
        let max = self.limits.max_ratio;
        let is_free = self.n_bytes <= FREE_OF_RATIO;
        self.require(is_free || self.n_bytes / max <= self.n_packed, archive, entry, || {
            format!("it unpacks to more than {max} times its size")
        })
    }

    fn require(
        &self,
        holds: bool,
        archive: &str,
        entry: &str,
        what: impl Fn() -> String,
    ) -> Result<(), Error> {
        if holds {
            return Ok(());
        }
        Err(Error::TooMuch { archive: archive.to_owned(), entry: entry.to_owned(), what: what() })
    }
}

/// Counts the bytes that pass through.
#[derive(Debug)]
pub(super) struct CountingReader<R> {
    inner: R,
    n: Rc<Cell<u64>>,
}

impl<R> CountingReader<R> {
    /// The reader, and its byte count.
    pub fn new(inner: R) -> (Self, Rc<Cell<u64>>) {
        let n = Rc::default();
        (Self { inner, n: Rc::clone(&n) }, n)
    }
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
        let Limits { max_total, max_ratio, .. } = self.limits;
        if self.n_out > max_total {
            return Err(bomb(format!("it unpacks to more than {max_total} bytes")));
        }
        if self.n_out > FREE_OF_RATIO && self.n_out / max_ratio > self.n_in.get() {
            return Err(bomb(format!("it unpacks to more than {max_ratio} times its size")));
        }
        Ok(n)
    }
}

/// Marks an error as an exceeded limit, for [`error_at`].
const BOMB: io::ErrorKind = io::ErrorKind::FileTooLarge;

fn bomb(why: String) -> io::Error {
    io::Error::new(BOMB, why)
}

/// The error of reading `entry`: an exceeded limit, or damage.
pub(super) fn error_at(archive: &str, entry: &str, why: &io::Error) -> Error {
    let (archive, entry) = (archive.to_owned(), entry.to_owned());
    // Decompressors and archive readers wrap errors: the words stay.
    let text = printable(why.to_string().as_bytes());
    if why.kind() == BOMB || text.contains("it unpacks to more than") {
        return Error::TooMuch { archive, entry, what: text };
    }
    Error::Damaged { archive, entry, why: text }
}
