//! Runs `secondhand stale`.

use super::audit::{Scope, audited};
use crate::cli::args::Stale;
use crate::cli::flags::Common;
use crate::cli::io::{Failure, Reports, limited, selection};
use crate::cli::{CLEAN, FOUND, settings};
use crate::report::{Format, stale_formats};

pub(in crate::cli) fn run(flags: &Stale, common: &Common) -> Result<u8, Failure> {
    let reports = Reports::new(stale_formats(), &flags.output.reporting, common)?;
    let Stale { tree, corpora, min_tokens, suppressing, output } = flags;
    let repository = common.repository()?;
    let settings = [output.settings(), min_tokens.settings("min-tokens")].concat();
    let config = settings::read(common, Some(&repository), &settings)?;
    let reports = reports.with(&config)?;
    let languages = config.languages();
    let tells_fixes = reports.any(Format::tells_held_fixes);
    let scope = Scope { tree, corpora, suppressing, has_history: false, tells_fixes };
    let (mut outcome, has_past) = audited(&scope, &repository, (&config, &languages), common)?;
    if !has_past {
        let message = "cannot find missed commits: no corpus has the history of a component, or a list of fixes";
        let help = "add a clone with `secondhand corpus add NAME REPOSITORY`, or update a corpus of an older version \
                    with `secondhand corpus update NAME`";
        return Err(Failure::user(message, help));
    }
    outcome.findings.retain(|finding| finding.behind().is_some());
    outcome.suppressed.retain(|suppressed| suppressed.finding.behind().is_some());
    outcome.n_suppressed = outcome.suppressed.len();
    if !suppressing.show_suppressed {
        outcome.suppressed.clear();
    }
    reports.warn_of_suppressed(suppressing.show_suppressed);
    selection::keep(&mut outcome, &output.only)?;
    let fails = outcome.fails(config.fail_on);
    reports.write(&limited(outcome), common)?;
    Ok(if fails { FOUND } else { CLEAN })
}
