//! Finds the siblings that an edit did not reach: code that was like the edited code before the change, and still is as
//! it was.
//!
//! ```text
//! edits of a file -> their surroundings in base -> files that share fingerprints with them -> alignments
//!   -> the place of each edit in the sibling -> places that lack it -> a finding for each edited unit
//! ```
//!
//! Everything is compared as it was in base, since the edited file has already changed. A sibling in a file of the
//! change is then looked up in the head: an edit near its place has reached it.

mod compared;
mod edits;
mod findings;
mod images;
mod members;
mod other;
mod patch;
mod place;
mod places;
mod purpose;
mod search;
mod step;
mod variables;

pub(super) use findings::findings;
pub(super) use images::PreImages;
pub(super) use purpose::Purposes;
