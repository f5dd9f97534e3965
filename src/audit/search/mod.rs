//! Searches for the origins of code: in the tree, in folders and corpora, and in the past.

mod align;
mod candidates;
mod corpus;
mod election;
mod folder;
mod licenses;
mod line_counts;
mod lookup;
mod outside;
mod past;
mod queries;
mod twins;
mod vendored;
mod worded;

pub(super) use align::{align, align_known, found, search};
pub use corpus::{CorpusLexer, StoredCorpus};
pub(super) use corpus::{params, version_of};
pub(super) use election::AS_MUCH;
pub(super) use line_counts::{LineCounts, SharedLines};
pub(super) use lookup::{Targets, look_up, repeated};
pub use outside::Outside;
pub(super) use past::PastQuery;
pub use past::{HistoryContents, Past};
pub(super) use queries::{
    AlignedQueries, FileHits, Hit, Queries, SearchOutcome, SeedPlaces, UnreadPlace, may_be_whole,
};
pub(super) use twins::{Twins, twins};
pub(super) use vendored::{
    asks_for_more, identify_vendored, identify_vendored_as_of, place_in_tree,
};
pub(super) use worded::WordIndex;
