//! Runs audits: reads what a change touches, compares it with the tree, and says what was found.
//!
//! Invariant: an equal repository state gives an equal [`Outcome`], whatever the number of threads.
//!
//! This page is the map of the folder, the lowest floor first: a module uses only those above it.

// Says why an audit could not be done.
mod error;

// Holds what every audit works with.
mod context;

// Reads files into tokens, and remembers between runs what they hold.
mod read;

// Holds what an audit found.
mod outcome;

// Looks for the origins of code: in the tree, in components, in the past.
mod search;

// Finds out what a change brings in.
mod change;

// Judges what was found: copies, findings, suppressions.
mod judge;

// Runs `check`, `audit`, `compare`, `scan` and `history`.
mod check;
mod compare;
mod history;
mod inventory;
mod scan;

pub use check::{Elsewhere, Range, check};
pub use compare::{CompareParams, Compared, Comparison, Match, Pair, Submission, compare};
pub use context::{Context, Progress};
pub use error::Error;
pub use history::{Copy, CopyOrigin, Judged, Timeline, TimelineParams, blame, timeline};
pub use inventory::{Whole, audit, brought};
pub use judge::suppress;
pub use outcome::{
    Audited, Brought, Comment, Common, CopiedFile, Duplication, End, Examined, Explained, Outcome, Share, Taken,
};
pub use read::{Remembered, Skip, warm};
pub use scan::{Tree, scan};
pub use search::{CorpusReading, Indexed, Outside, Past, Stored};
