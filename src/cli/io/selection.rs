//! Selects findings by the ids that reports show.

use super::error::Failure;
use crate::audit::Outcome;
use crate::policy::Finding;

/// Keeps the findings that `ids` name, with their families; all of them if there are no ids.
pub(in crate::cli) fn keep(outcome: &mut Outcome, ids: &[String]) -> Result<(), Failure> {
    match take(outcome, ids).first() {
        Some(id) => Err(unknown(id)),
        None => Ok(()),
    }
}

/// Keeps the findings that `ids` name; returns the ids of none.
pub(in crate::cli) fn take(outcome: &mut Outcome, ids: &[String]) -> Vec<String> {
    if ids.is_empty() {
        return Vec::new();
    }
    let is_named =
        |finding: &Finding| ids.iter().any(|id| finding.with_family().any(|of| of.is_named(id)));
    outcome.findings.retain(is_named);
    outcome.suppressed.retain(|suppressed| is_named(&suppressed.finding));
    let suppressed = outcome.suppressed.iter().map(|suppressed| &suppressed.finding);
    let all: Vec<&Finding> = outcome.all_findings().chain(suppressed).collect();
    ids.iter().filter(|id| !all.iter().any(|finding| finding.is_named(id))).cloned().collect()
}

pub(in crate::cli) fn unknown(id: &str) -> Failure {
    let help = "reports show ids in brackets; a finding of other flags is explained by `check --only ID --brief` with them";
    Failure::user(format!("no finding has the id `{id}`"), help)
}
