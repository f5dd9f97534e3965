//! Defines a file whose bytes can be read: its path, where its bytes are, and what reads it. Opens
//! those on disk.
//!
//! A file of a repository and one of a plain folder are the same to an audit.

mod regular;

use std::fmt;
use std::io;
use std::path::Path;

pub use regular::{digest, not_regular, not_utf8, open, open_below, read, read_text, too_large};

use crate::text::FilePath;

/// The id of a blob: equal ids mean equal bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlobId {
    /// The bytes of the id, then zeros.
    bytes: [u8; 32],
    len: u8,
}

impl BlobId {
    /// The id with these bytes, 20 (SHA-1) or 32 (SHA-256); `None` if their number is neither.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        if bytes.len() != 20 && bytes.len() != 32 {
            return None;
        }
        let mut all = [0; 32];
        all[..bytes.len()].copy_from_slice(bytes);
        Some(Self { bytes: all, len: bytes.len() as u8 })
    }

    /// The id as git stores it: 20 bytes, or 32 in a SHA-256 repository.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }

    /// The first twenty bytes of the id: all of it in a repository with the usual format.
    pub fn sha1(&self) -> [u8; 20] {
        self.bytes.first_chunk().copied().unwrap_or_default()
    }
}

impl fmt::Display for BlobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_bytes().iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for BlobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BlobId({self})")
    }
}

/// The location of a file's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// In the object database of a repository.
    Blob(BlobId),
    /// On disk only: in a plain folder, or in a work tree where it differs from the index.
    Disk,
}

/// A regular file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its path.
    pub path: FilePath,
    /// The location of its bytes.
    pub content: Content,
}

impl Entry {
    /// The file at a path whose bytes are in the object database.
    pub fn of_blob(path: &FilePath, blob: BlobId) -> Self {
        Self { path: path.clone(), content: Content::Blob(blob) }
    }

    /// The blob with its bytes; `None` if they are only on disk.
    pub fn blob(&self) -> Option<BlobId> {
        match self.content {
            Content::Blob(id) => Some(id),
            Content::Disk => None,
        }
    }
}

/// Reads the files of a tree on one thread.
pub trait ReadFiles {
    /// The bytes of a file.
    ///
    /// # Errors
    /// If they are not here, as in a partial clone, or cannot be read.
    fn read(&self, entry: &Entry) -> Result<Vec<u8>, Error>;

    /// The size of a file in bytes, without reading its content.
    fn size(&self, entry: &Entry) -> Option<u64>;

    /// The bytes of a file, or what is lacking to read it.
    ///
    /// # Errors
    /// If they cannot be read for another reason.
    fn try_read(&self, entry: &Entry) -> Result<Result<Vec<u8>, Lack>, Error> {
        match self.read(entry) {
            Ok(bytes) => Ok(Ok(bytes)),
            Err(why) => why.lack.map(Err).ok_or(why),
        }
    }

    /// Fetches what is not here of files that are about to be read, all at once.
    fn fetch(&self, _: &mut dyn Iterator<Item = &Entry>) {}
}

/// Why a file or a folder could not be read.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// What we did, to what, and why not.
    message: String,
    /// Why not, alone.
    why: String,
    help: Option<String>,
    /// What is lacking, if it concerns this file alone.
    lack: Option<Lack>,
}

/// What is lacking to read one file, while all others can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lack {
    /// Its encoding is not known, or it is in another one than is said of it.
    Encoding,
    /// Its bytes: a partial clone has not fetched them.
    Bytes,
}

impl Error {
    /// An error with this message, and what to do about it.
    pub fn new(message: String, help: Option<String>) -> Self {
        Self { why: message.clone(), message, help, lack: None }
    }

    /// This error, with what is lacking.
    #[must_use]
    pub fn lacking(self, lack: Lack) -> Self {
        Self { lack: Some(lack), ..self }
    }

    /// The file at `path` could not be read.
    pub fn file(path: &Path, why: &io::Error) -> Self {
        let message = format!("cannot read `{}`: {why}", path.display());
        Self { why: why.to_string(), ..Self::new(message, None) }
    }

    /// The folder at `path` could not be listed.
    pub fn folder(path: &Path, why: &impl fmt::Display) -> Self {
        let message = format!("cannot read the folder `{}`: {why}", path.display());
        Self { why: why.to_string(), ..Self::new(message, None) }
    }

    /// The reason, for a list that names the file.
    pub fn why(&self) -> &str {
        &self.why
    }

    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        self.help.clone()
    }
}
