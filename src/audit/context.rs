//! Holds what every audit works with.

use crate::config::Config;
use crate::language::Languages;

/// What an audit works with. A command makes one, and passes it instead of its parts.
///
/// The repository is not a part of it: `scan` and `compare` also work where there is none.
#[derive(Clone, Copy)]
pub struct Context<'c> {
    /// The settings.
    pub config: &'c Config,
    /// The languages that files are read as.
    pub languages: &'c Languages,
    /// Hears of long work.
    pub progress: &'c dyn Progress,
}

impl std::fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context").field("config", self.config).finish_non_exhaustive()
    }
}

/// Told of long work, for a progress bar.
pub trait Progress: Sync {
    /// A stage of `n_steps` begins.
    fn begin(&self, stage: &'static str, n_steps: usize);
    /// A step of it is done. Called from many threads.
    fn step(&self);
}
