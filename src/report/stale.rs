//! Writes for people what `secondhand stale` found: each file, and all commits that it lacks.

use std::collections::BTreeSet;
use std::io::{self, Write};

use super::Style;
use super::missed::{commit_lines, edits, version_lines};
use super::words::{count, end};
use crate::audit::Outcome;
use crate::policy::{Level, best_first};

pub(super) fn write(outcome: &Outcome, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if style.is_quiet {
        return super::concise::write(outcome, style, out);
    }
    let findings: Vec<_> = best_first(&outcome.findings);
    for finding in &findings {
        let Some(behind) = finding.behind() else { continue };
        let (level, at) = (finding.level.name(), finding.fragment.start_in(&finding.path));
        writeln!(out, "{level}[{}]: {at}: {}", finding.rule.id, finding.message())?;
        for line in commit_lines(behind, usize::MAX) {
            writeln!(out, "  = {line}")?;
        }
        writeln!(out)?;
    }
    let versions = outcome.audited.as_ref().map_or(&[][..], |audited| &audited.versions);
    if !versions.is_empty() {
        writeln!(out, "versions")?;
    }
    for version in versions {
        for line in version_lines(version, style.is_verbose) {
            writeln!(out, "{line}")?;
        }
        if style.is_verbose || style.is_full {
            for line in version.edited.iter().flat_map(edits) {
                writeln!(out, "      {line}")?;
            }
        }
    }
    let n_commits: usize =
        findings.iter().filter_map(|of| of.behind()).map(|behind| behind.commits.len()).sum();
    let n_files = findings.iter().map(|finding| &finding.path).collect::<BTreeSet<_>>().len();
    let n_warnings = findings.iter().filter(|finding| finding.level > Level::Note).count();
    let what = match n_commits {
        0 => "no missed commits".to_owned(),
        n => format!("{} in {}", count(n, "missed commit"), count(n_files, "file")),
    };
    let warnings =
        if n_warnings > 0 { format!(", {}", count(n_warnings, "warning")) } else { String::new() };
    let n_compared = count(outcome.examined.n_compared, "file");
    writeln!(out, "{what}{warnings}; {} compared with {n_compared}", end(&outcome.head))?;
    if outcome.n_suppressed > 0 {
        writeln!(out, "suppressed: {}", count(outcome.n_suppressed, "finding"))?;
    }
    for notice in &outcome.notices {
        writeln!(out, "note: {notice}")?;
    }
    Ok(())
}
