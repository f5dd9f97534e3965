//! Writes reports, failures and progress, and ends a run at its limits.

mod commands;
pub(super) mod destination;
pub(super) mod error;
pub(super) mod limit;
pub(super) mod output;
mod pager;
pub(super) mod progress;
pub(super) mod selection;
