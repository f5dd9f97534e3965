//! Defines why a file was skipped.

use crate::files::Lack;
use crate::text::NotText;

/// Why a file was skipped; [`Self::reason`] says what most are.
#[allow(missing_docs, reason = "their names and the reasons tell")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Skip {
    NotSource,
    Ignored,
    /// A built-in rule excludes files with its name.
    LeftOut,
    /// It is data or prose, which is repetitive by nature.
    Data,
    TooLarge,
    TooManyTokens,
    /// A line of it is longer than the settings allow; the others were examined.
    LongLine,
    /// Many other files have the same content, and some of them were examined.
    Repeated,
    OutOfTime,
    OutOfMemory,
    Binary,
    Encoding,
    /// This partial clone does not have its bytes.
    Missing,
    /// It is no notebook, though its name says so.
    Broken,
    /// A script by its first line alone, which is too large, no text or in conflict.
    Script,
    /// Its first line names an interpreter, and no language has that.
    UnknownScript,
    /// It is a link with the name of source, to a file that is not read as source.
    Linked,
    /// A generator has marked it as its output, or `.gitattributes` have.
    Generated,
    /// Third-party or built code by its folder or `.gitattributes`: compared, but not checked.
    Vendored,
    /// Its lines are too long to be written by hand.
    Minified,
    /// Some of its lines are too long for that; the others were examined.
    LongLines,
    LfsPointer,
    Submodule,
    /// It is a repository in the work tree that this one does not record.
    Repository,
    /// It is in conflict: what a merge makes of it is not known.
    Unmerged,
}

impl Skip {
    /// The reason, as a continuation of "not examined:".
    pub fn reason(self) -> &'static str {
        match self {
            Self::NotSource => "not source code",
            Self::Ignored => "ignored",
            Self::LeftOut => "left out by default",
            Self::Data => "data or prose",
            Self::TooLarge => "too large",
            Self::TooManyTokens => "too many tokens",
            Self::LongLine => "too long a line",
            Self::Repeated => "the same as many others",
            Self::OutOfTime => "out of time",
            Self::OutOfMemory => "out of memory",
            Self::Binary => "binary",
            Self::Encoding => "in an encoding that is not read",
            Self::Missing => "not in this clone",
            Self::Broken => "a notebook that cannot be read",
            Self::Script => "a script that cannot be read",
            Self::UnknownScript => "a script in an unknown language",
            Self::Linked => "a link to a file that is not read as source",
            Self::Generated => "generated",
            Self::Vendored => "vendored or built",
            Self::Minified => "minified",
            Self::LongLines => "minified lines",
            Self::LfsPointer => "a Git LFS pointer",
            Self::Submodule => "a submodule",
            Self::Repository => "a repository of its own",
            Self::Unmerged => "in conflict",
        }
    }

    /// Whether to report it: the file may well be source that somebody wrote.
    pub fn is_notable(self) -> bool {
        matches!(self, Self::TooLarge | Self::TooManyTokens | Self::LongLine)
            || matches!(self, Self::LfsPointer | Self::Encoding | Self::Broken | Self::Unmerged)
            || matches!(self, Self::Script | Self::UnknownScript | Self::Linked | Self::Missing)
            || self.is_end()
    }

    /// Whether the run ended before it was read: another run may read it.
    pub fn is_end(self) -> bool {
        matches!(self, Self::OutOfTime | Self::OutOfMemory)
    }
}

impl From<NotText> for Skip {
    fn from(why: NotText) -> Self {
        match why {
            NotText::Binary => Self::Binary,
            NotText::Encoding => Self::Encoding,
        }
    }
}

impl From<Lack> for Skip {
    fn from(lack: Lack) -> Self {
        match lack {
            Lack::Encoding => Self::Encoding,
            Lack::Bytes => Self::Missing,
        }
    }
}

/// The reasons that follow from a file's bytes and reading alone, by their numbers in files.
const REASONS: [(u32, Skip); 11] = [
    (1, Skip::NotSource),
    (2, Skip::Data),
    (3, Skip::Binary),
    (4, Skip::Generated),
    (5, Skip::Minified),
    (6, Skip::LfsPointer),
    (7, Skip::Encoding),
    (8, Skip::TooManyTokens),
    (9, Skip::LongLine),
    (10, Skip::Broken),
    (11, Skip::UnknownScript),
];

pub(super) fn number(skip: Skip) -> Option<u32> {
    REASONS.iter().find(|(_, reason)| *reason == skip).map(|(number, _)| *number)
}

/// The reason for a status; `None` if the file was read.
pub(in crate::audit) fn reason(status: u32) -> Option<Skip> {
    REASONS.iter().find(|(number, _)| *number == status).map(|(_, reason)| *reason)
}
