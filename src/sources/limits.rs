//! Keeps archives within bounds: entries, sizes, and how far they blow up.

use std::cell::Cell;
use std::io::{self, Read};
use std::path::Path;
use std::rc::Rc;

use super::Error;
use crate::text::printable;

/// What is read of one source at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Entries, those of nested archives included.
    pub max_entries: u64,
    /// Bytes of an archive inside an archive that has to be held in memory.
    pub max_nested: u64,
    /// Bytes of everything, unpacked.
    pub max_total: u64,
    /// Bytes that come out for each that goes in.
    pub max_ratio: u64,
    /// Archives in archives that are opened; deeper ones are named and passed over.
    pub max_depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_entries: 2_000_000, max_nested: 64 << 20, max_total: 64 << 30, max_ratio: 200, max_depth: 1 }
    }
}

/// Below so many bytes nothing is said of the ratio: an empty file of a few kilobytes blows up, too.
const FREE_OF_RATIO: u64 = 16 << 20;

/// Counts what was read of one source.
#[derive(Debug)]
pub(super) struct Budget {
    limits: Limits,
    n_entries: u64,
    n_bytes: u64,
    /// The size of what is read, as it is on disk.
    n_packed: u64,
}

impl Budget {
    pub fn new(limits: Limits, n_packed: u64) -> Self {
        Self { limits, n_entries: 0, n_bytes: 0, n_packed }
    }

    /// The budget of reading one archive.
    pub fn of_file(limits: Limits, path: &Path) -> Self {
        // A file that is not there is told when it is opened.
        Self::new(limits, std::fs::metadata(path).map_or(0, |metadata| metadata.len()))
    }

    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Takes note of an entry.
    pub fn entry(&mut self, archive: &str, entry: &str) -> Result<(), Error> {
        self.n_entries += 1;
        let max = self.limits.max_entries;
        self.require(self.n_entries <= max, archive, entry, || format!("there are more than {max} entries"))
    }

    /// Takes note of bytes that an entry says it has, or that came out of it.
    pub fn bytes(&mut self, n: u64, archive: &str, entry: &str) -> Result<(), Error> {
        self.n_bytes = self.n_bytes.saturating_add(n);
        let max = self.limits.max_total;
        self.require(self.n_bytes <= max, archive, entry, || format!("it unpacks to more than {max} bytes"))?;
        // Entries that share their packed bytes are small one by one.
        let max = self.limits.max_ratio;
        let is_free = self.n_bytes <= FREE_OF_RATIO;
        self.require(is_free || self.n_bytes / max <= self.n_packed, archive, entry, || {
            format!("it unpacks to more than {max} times its size")
        })
    }

    fn require(&self, holds: bool, archive: &str, entry: &str, what: impl Fn() -> String) -> Result<(), Error> {
        if holds {
            return Ok(());
        }
        Err(Error::TooMuch { archive: archive.to_owned(), entry: entry.to_owned(), what: what() })
    }
}

/// Counts the bytes that go through.
#[derive(Debug)]
pub(super) struct Counted<R> {
    inner: R,
    n: Rc<Cell<u64>>,
}

impl<R> Counted<R> {
    /// The reader, and the count that it keeps.
    pub fn new(inner: R) -> (Self, Rc<Cell<u64>>) {
        let n = Rc::default();
        (Self { inner, n: Rc::clone(&n) }, n)
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.n.set(self.n.get() + n as u64);
        Ok(n)
    }
}

/// Stops a decompressor that gives too much, in all or for what goes in.
#[derive(Debug)]
pub(super) struct Guarded<R> {
    inner: R,
    n_in: Rc<Cell<u64>>,
    n_out: u64,
    limits: Limits,
}

impl<R> Guarded<R> {
    /// Guards `inner`, which has read as many bytes as `n_in` counts.
    pub fn new(inner: R, n_in: Rc<Cell<u64>>, limits: Limits) -> Self {
        Self { inner, n_in, n_out: 0, limits }
    }
}

impl<R: Read> Read for Guarded<R> {
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

/// Marks an error as a limit that was met, for [`error_at`].
const BOMB: io::ErrorKind = io::ErrorKind::FileTooLarge;

fn bomb(why: String) -> io::Error {
    io::Error::new(BOMB, why)
}

/// The error of reading `entry`: a limit that was met, or damage.
pub(super) fn error_at(archive: &str, entry: &str, why: &io::Error) -> Error {
    let (archive, entry) = (archive.to_owned(), entry.to_owned());
    // Decompressors and archive readers wrap errors: the words stay.
    let text = printable(why.to_string().as_bytes());
    if why.kind() == BOMB || text.contains("it unpacks to more than") {
        return Error::TooMuch { archive, entry, what: text };
    }
    Error::Damaged { archive, entry, why: text }
}
