//! Explains why a segment cannot be used.

use std::io;
use std::path::{Path, PathBuf};

/// Increases with every change of the format.
pub const FORMAT_VERSION: u32 = 1;

/// What was asked of a segment.
pub(super) type Result<T, E = SegmentError> = std::result::Result<T, E>;

/// Why a segment cannot be used. The only cost is the time to rebuild it.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum SegmentError {
    #[error("cannot read or write `{}`: {why}", file.display())]
    File { file: PathBuf, why: io::Error },
    #[error("`{}`: {why}", file.display())]
    Of { file: PathBuf, why: Box<SegmentError> },
    #[error("it is not a segment of this program")]
    Foreign,
    #[error("its format is {found}, but only {FORMAT_VERSION} is supported")]
    Version { found: u32 },
    #[error("it is a segment of another kind")]
    OtherKind,
    /// Also when it was made for another object format.
    #[error("it was made with other settings or language tables")]
    OtherParams,
    #[error("it is truncated")]
    Truncated,
    /// A checksum is wrong, or its contents are impossible.
    #[error("it is damaged: {0}")]
    Damaged(&'static str),
    /// `place` shows no passwords.
    #[error("cannot read from `{place}`: {why}")]
    Elsewhere { place: String, why: String },
}

impl SegmentError {
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
            Self::File { .. } | Self::Version { .. } => false,
            Self::OtherParams | Self::Elsewhere { .. } => false,
        }
    }
}
