//! Defines what every audit needs.

use crate::config::Config;
use crate::language::Languages;

/// What an audit needs. A command creates one and passes it on instead of its parts.
///
/// It does not include the repository: `scan` and `compare` also work without one.
#[derive(Clone, Copy)]
pub struct Context<'c> {
    /// The settings.
    pub config: &'c Config,
    /// The languages that files are read as.
    pub languages: &'c Languages,
    /// Receives progress.
    pub progress: &'c dyn Progress,
}

/// Receives the progress of long work.
pub trait Progress: Sync {
    /// A stage with `n_steps` begins.
    fn begin(&self, stage: &'static str, n_steps: usize);
    /// A step of it is complete. Called from many threads.
    fn step(&self);
    /// Why the run has to end now, if it does: files that were not read yet are then skipped.
    fn end(&self) -> Option<RunLimit> {
        None
    }
}

/// Reports no progress.
#[derive(Debug, Clone, Copy)]
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _: &'static str, _: usize) {}
    fn step(&self) {}
}

/// The limit that a run reached before it was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunLimit {
    /// The time limit.
    Time,
    /// The memory limit.
    Memory,
}
