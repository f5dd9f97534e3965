//! Defines a file of a repository: its path, and where its bytes are.

use super::BlobId;
use crate::text::FilePath;

/// Where a file's bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// In the object database.
    Blob(BlobId),
    /// In the work tree only: the file differs from the index, or git does not track it.
    Disk,
}

/// A regular file of a snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its path.
    pub path: FilePath,
    /// Where its bytes are.
    pub content: Content,
}

impl Entry {
    /// The blob that holds its bytes; `None` when they are on disk only.
    pub fn blob(&self) -> Option<BlobId> {
        match self.content {
            Content::Blob(id) => Some(id),
            Content::Disk => None,
        }
    }
}
