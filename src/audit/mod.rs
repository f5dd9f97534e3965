//! Runs audits: reads what a change touches, compares it with the tree, and reports what was found.
//!
//! Invariant: the same repository state gives the same [`Outcome`], whatever the number of threads.
//!
//! This page is the map of the folder, lowest floor first: a module uses only those above it.

// Explains why an audit failed.
mod error;

// Defines what every audit needs.
mod context;

// Reads who owns the files of a tree.
mod owners;

// Reads files into tokens, and remembers them between runs.
mod read;

// Tells a file that is built from others.
mod bundle;

// Defines what an audit found.
mod outcome;

// Searches for the origins of code: in the tree, in components, in the past.
mod search;

// Finds what a change adds.
mod change;

// Judges what was found: copies, findings, suppressions.
mod judge;

// Finds files that are again as they were.
mod reverts;

// Finds the siblings that an edit did not reach.
mod siblings;

// Finds new functions that the tree has already in other words.
mod exists;

// Follows files back through the history, and finds their last versions.
mod versions;

// Finds copies of what their origin was.
mod outdated;

// Finds pairs of files that are edited alike.
mod in_step;

// Finds what copies have missed, and which versions folders are.
mod stale;

// Names the files and components of an audit by the versions of their folders.
mod naming;

// Runs `check`, `audit`, `compare`, `resemblance`, `find`, `scan` and `history`.
mod check;
mod compare;
mod find;
mod history;
mod inventory;
mod resemblance;
mod scan;

// Proposes settings from a history.
mod calibration;

// Decides the verdict.
mod finish;

// Finds where copied functions are called.
mod calls;

// Merges the reports of many repositories.
mod organization;

pub use calibration::{MergedCopy, Proposal, proposals};
pub use calls::callers;
pub use check::{Elsewhere, check};
pub use compare::{
    CLUSTERED, CompareParams, Comparison, HISTOGRAM_BARS, LeftOut, Match, MeasuredSubmission, Pair,
    Submission, compare,
};
pub use context::{Context, Progress, RunLimit, Silent};
pub use error::{Error, SketchError};
pub use find::{Existing, FindParams, FoundCode, MAX_SKETCH, Sketch, find};
pub use finish::finish;
pub use history::{
    CommitCopies, Copy, CopyOrigin, Timeline, TimelineParams, UnreadFile, blame, timeline,
};
pub use inventory::{Whole, audit, brought};
pub use organization::{
    Day, Flow, Member, MemberReport, Organization, Period, ReportError, RepositoryFinding,
    SharedComponent, UncountedFile,
};
pub use outcome::{
    AuditSummary, Callers, Comment, Common, ComponentCopy, CopiedFile, Duplication, EditedFile,
    EditedLines, Examination, ExaminedCorpus, Explanation, FolderVersion, HeldFix, Introduction,
    Outcome, Possible, Share, State, generic_purl, percent_encoded,
};
pub use owners::owners;
pub use read::{Memory, Skip, warm};
pub use resemblance::{
    MeasuredDocument, ResemblanceParams, Resemblances, ResemblingPair, resemblances,
};
pub use scan::{Tree, read_texts, scan};
pub use search::{CorpusLexer, HistoryContents, Outside, Past, StoredCorpus};
