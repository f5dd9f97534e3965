//! Finds the siblings that an edit did not reach: code that was like the edited code before the
//! change, and still is as it was.
//!
//! ```text
//! hunks of the change -> their windows in base -> files of the head that share fingerprints with them
//!   -> places that have a window and not what the edit made of it -> a finding for each edited unit
//! ```

mod findings;
mod hunks;
mod patch;
mod purpose;
mod search;
mod step;
mod windows;

pub(super) use findings::findings;
pub(super) use purpose::Purposes;
pub(super) use windows::Windows;
