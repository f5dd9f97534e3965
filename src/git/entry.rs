//! Defines a file of a repository: its path, and the location of its bytes.

use super::BlobId;
use crate::text::FilePath;

/// The location of a file's bytes.
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
    /// The location of its bytes.
    pub content: Content,
}

impl Entry {
    /// The blob with its bytes; `None` if they are only on disk.
    pub fn blob(&self) -> Option<BlobId> {
        match self.content {
            Content::Blob(id) => Some(id),
            Content::Disk => None,
        }
    }
}
