//! Finds out what a change adds: pairs files of base and head, diffs them, removes what was moved.

mod changed;
mod excuses;
mod links;
mod moves;
mod pairing;
mod traces;
mod unnamed;

pub(super) use changed::{
    ChangedFile, MAX_OLD_BETWEEN, Predecessor, asking, changed_files, clusters, queries,
};
pub(super) use excuses::self_excused;
pub(super) use links::linked;
pub(super) use moves::credit_moves;
pub(super) use pairing::changes;
pub(super) use unnamed::unnamed;
