//! Runs the commands, each in a file of its own.

mod agents;
pub(super) mod audit;
pub(super) mod baseline;
pub(super) mod cache;
pub(super) mod calibrate;
pub(super) mod check;
pub(super) mod compare;
pub(super) mod corpus;
pub(super) mod find;
pub(super) mod history;
pub(super) mod init;
mod json_edit;
mod migrate;
mod named;
pub(super) mod report;
pub(super) mod resemblance;
pub(super) mod scan;
pub(super) mod show;
pub(super) mod stale;
pub(super) mod survey;
