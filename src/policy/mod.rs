//! Defines what clones mean: rules, levels and findings.
//!
//! Invariant: knows what was found, but not how it is shown or where it was read.

mod about;
mod baseline;
mod commit_message;
mod date;
mod finding;
mod judgment;
mod licensing;
mod order;
mod origin;
mod owners;
mod reasons;
mod rules;
mod settings_files;
mod suppression;
mod verdict;

pub use about::{
    About, Behind, Change, LaterCommits, LineEdit, MissedCommit, MissedEdit, MissedPlace,
    PastCommit, UnexaminedFiles,
};
pub use baseline::{Baseline, BaselineError, KnownCopy};
pub use commit_message::{Purpose, says_security, vulnerability_ids};
pub use date::Date;
pub use finding::{
    Finding, Notice, OtherPlace, SuppressedBy, SuppressedFinding, content, identity,
};
pub use judgment::{Circumstances, Judgment, Levels, Milder, SaysLittle};
pub use licensing::{AcceptanceRules, Decision, Exception, LicensePolicy, LicenseTerm};
pub use order::{best_first, bound_warnings, join_families};
pub use origin::{
    Component, Deletion, FirstAppearance, Fragment, InCommon, Insertion, Origin, Place, Rank,
    Reuse, Writing, n_as_good, order_origins, short_commit, unversioned_purl,
};
pub use owners::{OWNERS_FILES, Owners};
pub use rules::{Ground, RULES, Rule, RuleCondition, Topic, rule};
pub use settings_files::{SettingsDigest, SettingsFiles};
pub use suppression::{BadSuppression, Peer, Suppression, suppressions};
pub use verdict::{Answer, Attribution, Verdict};

use serde::{Deserialize, Serialize};

/// The severity of a finding, from the mildest to the most severe.
#[derive(Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Worth knowing; does not fail a run.
    Note,
    /// Needs a review before it is merged.
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
