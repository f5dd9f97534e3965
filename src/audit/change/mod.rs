//! Finds out what a change brings in: pairs the files of base and head, diffs them, and takes out what was moved.

mod changed;
mod moves;
mod pairing;

pub(super) use changed::{Predecessor, changed_files};
pub(super) use moves::credit_moves;
