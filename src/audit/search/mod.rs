//! Looks for the origins of novel code: in the tree, in folders and corpora of components, and in the past.

mod corpus;
mod folder;
mod past;
mod queries;

pub use corpus::{CorpusReading, Stored};
pub use folder::Outside;
pub(super) use folder::{identify_vendored, place_in_tree};
pub use past::{Indexed, Past};
pub(super) use queries::{Found, Located, Queries, SearchOutcome, Targets, search, search_located};
