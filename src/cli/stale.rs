//! Runs `secondhand stale`.

use super::args::Stale;
use super::audit::audited;
use super::error::Failure;
use super::flags::Common;
use super::output::Reports;
use super::{CLEAN, FOUND};
use crate::report::stale_formats;

pub(super) fn run(flags: &Stale, common: &Common) -> Result<u8, Failure> {
    let reports = Reports::new(stale_formats(), &flags.output.reporting, common)?;
    let Stale { tree, corpora, min_tokens, suppressing, output } = flags;
    let (mut outcome, has_past) = audited(tree, corpora, min_tokens, suppressing, false, common)?;
    if !has_past {
        return Err(Failure::NoPast);
    }
    outcome.findings.retain(|finding| finding.behind().is_some());
    outcome.suppressed.retain(|suppressed| suppressed.finding.behind().is_some());
    outcome.n_suppressed = outcome.suppressed.len();
    if !suppressing.show_suppressed {
        outcome.suppressed.clear();
    }
    reports.write(&outcome, common)?;
    Ok(if output.fails(&outcome) { FOUND } else { CLEAN })
}
