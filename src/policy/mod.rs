//! Says what clones mean: rules, levels and findings.
//!
//! Invariant: knows what was found, not how it is shown, nor where it was read.

mod baseline;
mod date;
mod finding;
mod licensing;
mod rules;
mod suppression;

pub use baseline::{Baseline, BaselineError, KnownCopy};
pub use date::{Date, DateError};
pub use finding::{
    About, Component, Deletion, Finding, FirstSeen, Fragment, Notice, Origin, Place, Rank, Suppressed, SuppressedBy,
    Unexamined, Writing, content, identity, order_origins,
};
pub use licensing::{Accepted, Answer, Attribution, Decision, Exception, LicensePolicy, LicenseTerm, Verdict};
pub use rules::{
    COPIED_CODE, CORPUS_COPY, LICENSE_CONFLICT, LICENSE_RULES, NOT_EXAMINED, REVIVED_CODE, RULES, Rule,
    UNKNOWN_LICENSE, rule,
};
pub use suppression::{BadSuppression, Suppression, suppressions};

use serde::{Deserialize, Serialize};

/// How grave a finding is. The order is from the mildest to the gravest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Worth knowing; does not fail a run.
    Note,
    /// To be looked at before it is merged.
    Warning,
    /// Must not be merged.
    Error,
}

impl Level {
    /// The level as it is written in configuration and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}
