//! Explains why a segment cannot be used.

use std::io;
use std::path::{Path, PathBuf};

/// Increases with every change of the format.
pub const FORMAT_VERSION: u32 = 1;

/// Why a segment cannot be used. The only cost is the time to rebuild it.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum SegmentError {
    /// The file could not be opened or written.
    #[error("cannot read or write `{}`: {why}", file.display())]
    File { file: PathBuf, why: io::Error },
    /// This file of several cannot be used.
    #[error("`{}`: {why}", file.display())]
    Of { file: PathBuf, why: Box<SegmentError> },
    /// It is no segment.
    #[error("it is not a segment of this program")]
    Foreign,
    /// It was written by another version of this program.
    #[error("its format is {found}, but only {FORMAT_VERSION} is supported")]
    Version { found: u32 },
    /// It is a segment of another kind.
    #[error("it is a segment of another kind")]
    OtherKind,
    /// It was made with other settings, language tables or another object format.
    #[error("it was made with other settings or language tables")]
    OtherParams,
    /// It is truncated.
    #[error("it is truncated")]
    Truncated,
    /// A checksum is wrong, or its contents are impossible.
    #[error("it is damaged: {0}")]
    Damaged(&'static str),
    /// Where it is, it could not be read.
    #[error("cannot read from `{place}`: {why}")]
    Elsewhere {
        /// The place, without passwords.
        place: String,
        why: String,
    },
}

impl SegmentError {
    /// That the file at `path` could not be opened or written.
    pub(super) fn file(path: &Path) -> impl Fn(io::Error) -> Self + '_ {
        |why| Self::File { file: path.to_owned(), why }
    }

    /// This error, of the file at `path`.
    pub(super) fn of(self, path: &Path) -> Self {
        match self {
            Self::File { .. } | Self::Of { .. } | Self::Elsewhere { .. } => self,
            why => Self::Of { file: path.to_owned(), why: Box::new(why) },
        }
    }

    /// Whether the file differs from what was written: rebuilding it helps.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::Of { why, .. } => why.is_damage(),
            Self::Foreign | Self::OtherKind | Self::Truncated | Self::Damaged(_) => true,
            Self::File { .. }
            | Self::Version { .. }
            | Self::OtherParams
            | Self::Elsewhere { .. } => false,
        }
    }
}
