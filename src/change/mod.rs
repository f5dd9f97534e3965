//! Finds out what a change is, and decides what it is checked with: in this folder, a module uses
//! only those above it.
//!
//! Which side is believed is decided in `trust.rs` alone.

// Explains what is wrong.
mod error;

// Finds files that flags and settings name in the repository.
mod paths;

// Reads what judges from a state of the repository, and from the work tree.
mod state;
mod work_tree;

// Says what to check.
mod request;

// Finds what the environment says, what is not committed yet, and with these the range.
mod environment;
mod uncommitted;

mod range;

// Decides whom to believe.
mod trust;

// Reads the files of a folder of components.
mod components;
mod corpus_folder;

// Lists what the change edits in its judge.
mod corpus_edits;
mod policy_edits;

// Gathers what judges the change.
mod check_policy;

// Finds the change and its judge for a request.
mod case;

pub use case::Case;
pub use check_policy::{Acceptance, CheckPolicy};
pub use components::{Components, ComponentsReader};
pub use error::Error;
pub use paths::{in_tree, inside};
pub use range::{End, Range, Side};
pub use request::{ChangeEnd, CheckRequest, PastScope, paths_in};
pub use state::project_files;
pub use trust::Authority;
pub use work_tree::{FilePlace, decisions_of, projects, read_baseline};
