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

impl std::fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context").field("config", self.config).finish_non_exhaustive()
    }
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

/// The limit that a run reached before it was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunLimit {
    /// The time limit.
    Time,
    /// The memory limit.
    Memory,
}
