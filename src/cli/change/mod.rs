//! Finds out what a change is, and decides what it is checked with.

pub(super) mod components;
pub(super) mod corpus_edits;
pub(super) mod environment;
pub(super) mod policy_edits;
pub(super) mod trust;
pub(super) mod uncommitted;
pub(super) mod versions;
