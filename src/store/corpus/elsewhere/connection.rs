//! What every connection to an engine needs: a runtime that waits for answers, and errors that name
//! the place once.

use std::error::Error;
use std::io;

use tokio::runtime::{Builder, Runtime};

use super::Location;
use crate::store::SegmentError;
use crate::store::corpus::CorpusError;

/// A runtime with so many threads, which wait for answers most of the time.
pub(super) fn runtime(n_threads: usize) -> io::Result<Runtime> {
    Builder::new_multi_thread().worker_threads(n_threads).enable_all().build()
}

/// What an error says, and what its causes say that it does not.
pub(super) fn with_causes(why: &dyn Error) -> String {
    let causes = std::iter::successors(why.source(), |&cause| cause.source());
    causes.map(ToString::to_string).fold(why.to_string(), |text, cause| {
        match text.contains(&cause) {
            true => text,
            false => format!("{text}: {cause}"),
        }
    })
}

impl Location {
    /// What a source in it met.
    pub(super) fn fails_of(&self, label: &str, why: impl std::fmt::Display) -> CorpusError {
        self.fails(format!("source `{label}`: {why}"))
    }

    /// What a segment in it met: the place is named once.
    pub(super) fn fails_with(&self, why: SegmentError) -> CorpusError {
        match why {
            SegmentError::Elsewhere { why, .. } => self.fails(why),
            why => self.fails(why),
        }
    }
}
