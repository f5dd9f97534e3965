//! Finds out what a change is, and decides what it is checked with: in this folder, a module uses
//! only those above it.
//!
//! Which side is believed is decided in `trust.rs` alone.

// Reads what flags, settings and states of the repository have, and explains what is wrong.
mod error;
mod paths;
mod state;
mod work_tree;

// Says what to check: a request, the environment, and what is not committed yet.
mod environment;
mod request;
mod uncommitted;

// Finds the range, and decides whom to believe.
mod range;
mod trust;

// Reads folders of components, and lists what the change edits in its judge.
mod corpus_edits;
mod corpus_folder;
mod policy_edits;

// Gathers what judges the change.
mod check_policy;

// Finds the change and its judge for a request.
mod case;

pub use case::Case;
pub use check_policy::{Acceptance, CheckPolicy};
pub use corpus_folder::{Components, ComponentsReader};
pub use error::Error;
pub use paths::{in_tree, inside, root_of_another};
pub use range::{End, Range, Side};
pub use request::{ChangeEnd, CheckRequest, PastScope, paths_in};
pub use state::project_files;
pub use trust::Authority;
pub use work_tree::{FilePlace, decisions_of, projects, read_baseline};
