//! Finds what findings are about by the ids that reports show.

use super::{check, scan};
use crate::audit::Outcome;
use crate::change::ChangeEnd;
use crate::cli::args::Scan;
use crate::cli::flags::Common;
use crate::cli::io::selection::{take, unknown};
use crate::cli::io::{Bar, Failure};

/// What has the findings that `ids` name: what `check` says of this branch, of the work tree, and
/// what `scan` says.
pub(super) fn find(ids: &[String], common: &Common) -> Result<Vec<Outcome>, Failure> {
    let bar = Bar::of(common);
    let repository = common.repository()?;
    let (mut left, mut found) = (ids.to_vec(), Vec::new());
    let mut failure = None;
    for end in [Some(ChangeEnd::Latest), Some(ChangeEnd::WorkTree), None] {
        let audited = match end {
            Some(end) => {
                let request = check::plain_request(end, None, Vec::new(), common);
                check::requested(&request, &repository, common, &bar)
            }
            None => {
                scan::outcome(&Scan::default(), common, &bar).and_then(scan::ScanResult::with_texts)
            }
        };
        match audited {
            Ok(mut outcome) => {
                left = take(&mut outcome, &left);
                found.extend((!outcome.findings.is_empty()).then_some(outcome));
            }
            // A branch without a base may have what was asked for in its tree.
            Err(why) => failure = failure.or(Some(why)),
        }
        if left.is_empty() {
            return Ok(found);
        }
    }
    Err(failure.unwrap_or_else(|| unknown(&left[0])))
}
