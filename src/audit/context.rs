//! Holds what every audit works with.

/// Told of long work, for a progress bar.
pub trait Progress: Sync {
    /// A stage of `n_steps` begins.
    fn begin(&self, stage: &'static str, n_steps: usize);
    /// A step of it is done. Called from many threads.
    fn step(&self);
}
