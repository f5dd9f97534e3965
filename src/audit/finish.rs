//! Decides the verdict: what is suppressed, belongs together or warns, and whether the run fails.

use super::Outcome;
use super::judge::suppress;
use crate::change::Acceptance;
use crate::config::{Config, FailOn};
use crate::policy::{
    About, AcceptanceRules, Date, Finding, KnownCopy, Level, bound_warnings, join_families,
};

/// Finishes what `check`, `scan` or `audit` found: moves findings that are allowed on the day
/// `today` to the suppressed ones; of a change, joins families and bounds the warnings.
pub fn finish(outcome: &mut Outcome, acceptance: &Acceptance, config: &Config, today: Date) {
    let accepted = AcceptanceRules {
        exceptions: &config.licenses.exceptions,
        decisions: &acceptance.decisions,
    };
    suppress(outcome, &acceptance.baseline, accepted, today, acceptance.trusts_change);
    if outcome.duplication.is_none() && outcome.audited.is_none() {
        join_families(&mut outcome.findings);
        bound_warnings(&mut outcome.findings, config.max_warnings);
    }
    if !acceptance.keeps_suppressed {
        outcome.suppressed.clear();
    }
}

impl Outcome {
    /// What a baseline of the findings records.
    pub fn known_copies(&self) -> impl Iterator<Item = KnownCopy> {
        // The note about left-out files is not a copy to record; the option `ignore` is for those.
        let findings = self.all_findings().filter(|of| !matches!(of.about, About::LeftOut(_)));
        findings.flat_map(Finding::known_copies)
    }

    /// Whether the findings fail the run.
    pub fn fails(&self, fail_on: FailOn) -> bool {
        let least = match fail_on {
            FailOn::Error => Level::Error,
            FailOn::Warning => Level::Warning,
            FailOn::Note => Level::Note,
            FailOn::Never => return false,
        };
        self.findings.iter().any(|finding| finding.level >= least)
    }
}
