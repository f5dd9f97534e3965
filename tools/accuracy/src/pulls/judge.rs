//! Runs the program under test on a pull request, and holds its findings against the truth.

use std::path::Path;

use serde::Deserialize;

use super::builder::Copy;
use super::kinds::Pull;
use crate::error::Error;
use crate::place::Place;
use crate::program::Program;

/// What became of a pull request.
#[derive(Debug)]
pub struct Verdict {
    /// For each copy, how it was found.
    pub copies: Vec<Option<FileHits>>,
    /// Findings at level warning or above.
    pub n_findings: usize,
    /// Findings below that level.
    pub n_notes: usize,
    /// Those of the findings that overlap no copy.
    pub wrong: Vec<Finding>,
    /// Files of the change that were not examined, and why.
    pub skipped: Vec<Skipped>,
    /// What ran.
    pub command: String,
}

/// How a copy was found.
#[derive(Debug)]
pub struct FileHits {
    /// The finding that has most of its lines.
    pub finding: Finding,
    /// Findings that have most of their lines in common with it.
    pub n_findings: usize,
    /// Whether the finding's first origin is an origin of the copy.
    pub is_first_right: bool,
    /// Whether some origin of the finding is.
    pub is_any_right: bool,
    /// Lines that the finding begins too early or late, and ends.
    pub off: usize,
}

/// A finding of the report.
#[derive(Debug, Clone)]
pub struct Finding {
    pub level: String,
    pub place: Place,
    pub n_tokens: usize,
    pub origins: Vec<Place>,
}

/// A file that was not examined.
#[derive(Debug, Deserialize)]
pub struct Skipped {
    pub path: String,
    pub reason: String,
}

#[derive(Deserialize)]
struct Report {
    examined: Examination,
    findings: Vec<Row>,
}

#[derive(Deserialize)]
struct Examination {
    skipped: Vec<Skipped>,
}

#[derive(Deserialize)]
struct Row {
    level: String,
    path: String,
    fragment: Lines,
    tokens: usize,
    origins: Vec<Origin>,
}

#[derive(Deserialize)]
struct Origin {
    path: String,
    fragment: Lines,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Lines {
    start_line: usize,
    end_line: usize,
}

/// Checks the pull request and judges the findings.
pub fn judge(program: &Program, repository: &Path, pull: &Pull) -> Result<Verdict, Error> {
    let mut command = program.command("check", repository);
    command.args(["--base", &pull.base(), "--head", &pull.head()]);
    let Report { examined, findings } = Program::report(&mut command)?;
    let findings = findings.into_iter().map(finding);
    let (counted, notes): (Vec<_>, Vec<_>) = findings.partition(|finding| finding.level != "note");
    let is_wrong =
        |finding: &&Finding| pull.copies.iter().all(|copy| finding.place.overlap(&copy.place) == 0);
    Ok(Verdict {
        copies: pull.copies.iter().map(|copy| found(copy, pull, &counted)).collect(),
        n_findings: counted.len(),
        n_notes: notes.len(),
        wrong: counted.iter().filter(is_wrong).cloned().collect(),
        skipped: examined.skipped,
        command: by_hand(program, repository, pull),
    })
}

/// The command line, to be run again by hand.
fn by_hand(program: &Program, repository: &Path, pull: &Pull) -> String {
    let settings: String =
        program.settings.iter().map(|setting| format!(" --set {setting}")).collect();
    let (binary, repository) = (program.binary.display(), repository.display());
    format!(
        "{binary} check -C {repository} --base {} --head {} --isolated{settings}",
        pull.base(),
        pull.head()
    )
}

fn finding(row: Row) -> Finding {
    let place =
        |path: String, lines: &Lines| Place { path, first: lines.start_line, last: lines.end_line };
    Finding {
        level: row.level,
        place: place(row.path, &row.fragment),
        n_tokens: row.tokens,
        origins: row
            .origins
            .into_iter()
            .map(|origin| place(origin.path, &origin.fragment))
            .collect(),
    }
}

/// The finding that has at least half of the copy's lines, and how well it fits.
fn found(copy: &Copy, pull: &Pull, findings: &[Finding]) -> Option<FileHits> {
    let touching: Vec<&Finding> =
        findings.iter().filter(|finding| finding.place.overlap(&copy.place) > 0).collect();
    let finding = *touching.iter().max_by_key(|finding| finding.place.overlap(&copy.place))?;
    let is_right = |origin: &Place| copy.origins.iter().any(|own| own.overlap(origin) > 0);
    (2 * finding.place.overlap(&copy.place) >= copy.place.n_lines()).then(|| FileHits {
        is_first_right: finding.origins.first().is_some_and(is_right),
        is_any_right: finding.origins.iter().any(is_right),
        off: off(copy, &finding.place),
        n_findings: touching.iter().filter(|finding| is_mostly_on(finding, copy, pull)).count(),
        finding: finding.clone(),
    })
}

/// Whether no other copy has more of the finding's lines: one that reaches over an end is not
/// split.
fn is_mostly_on(finding: &Finding, copy: &Copy, pull: &Pull) -> bool {
    let n_lines = finding.place.overlap(&copy.place);
    pull.copies.iter().all(|other| finding.place.overlap(&other.place) <= n_lines)
}

/// The lines between where the copy begins and ends and where the finding does.
fn off(copy: &Copy, finding: &Place) -> usize {
    let start = finding.first.clamp(copy.may_start, copy.place.first);
    start.abs_diff(finding.first) + copy.place.last.abs_diff(finding.last)
}
