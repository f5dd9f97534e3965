//! Writes outcomes: one file for each format.
//!
//! Invariant: the same outcome writes the same bytes.

mod audited;
mod azure;
mod brief;
mod checkstyle;
mod comparison;
mod concise;
mod counts;
mod csv;
mod extraction;
mod found;
mod frame;
mod github;
mod gitlab;
mod html;
mod json;
mod junit;
mod markdown;
mod measured;
mod missed;
mod organization;
mod passages;
mod patch;
mod plain_json;
mod rdjson;
mod resemblance;
mod sarif;
mod sides;
mod sonarqube;
mod stale;
mod text;
mod timeline;
mod words;

use std::io::{self, Write};

use self::audited::{cyclonedx, decisions, notice, openvex, spdx_document, spdx3};
use self::measured::{badge, openmetrics, shields, trend};
use self::plain_json::schema_of;
use crate::audit::Outcome;

/// A format for reports of a `T`.
#[derive(Debug)]
pub struct Format<T: 'static = Outcome> {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is for, in a line.
    pub help: &'static str,
    write: Writing<T>,
}

type Writing<T> = fn(&T, &Style, &mut dyn Write) -> io::Result<()>;

/// How a report should look, if its format leaves a choice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Style {
    /// Whether to use colors.
    pub has_color: bool,
    /// The maximum width of code in columns.
    pub width: usize,
    /// Whether prose is wrapped to that width too, as on a terminal. Programs read a message from
    /// one line.
    pub wraps: bool,
    /// Whether to draw every line of a copy.
    pub is_full: bool,
    /// Whether to say of each copy what is equal and what differs.
    pub is_brief: bool,
    /// By what findings are grouped, in formats for people.
    pub group_by: Option<GroupBy>,
    /// The most findings to print in formats for people, those worth most; `None` for what fits a
    /// screen.
    pub top: Option<usize>,
    /// Whether to write only the findings.
    pub is_quiet: bool,
    /// Whether to list every skipped file.
    pub is_verbose: bool,
}

/// Minimum columns to draw in.
const MIN_WIDTH: usize = 24;

impl Style {
    /// How many to list: at most `max`, or all if that is asked for.
    fn at_most(&self, max: usize) -> usize {
        if self.is_verbose { usize::MAX } else { max }
    }

    /// The columns to draw in: too few would show nothing sensible.
    fn columns(&self) -> usize {
        self.width.max(MIN_WIDTH)
    }

    /// `text` in lines that leave `n_taken` columns free.
    fn wrapped(&self, text: &str, n_taken: usize) -> Vec<String> {
        let width = if self.wraps { self.columns().saturating_sub(n_taken) } else { usize::MAX };
        wrapped(text, width)
    }
}

/// What findings are grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupBy {
    /// The owners of the copy, in CODEOWNERS.
    Owner,
    /// The folder of the copy.
    Folder,
}

/// The formats of findings, the default first.
pub static FORMATS: &[Format] = &[
    Format::new("text", "both sides of each copy, for people", text::write),
    Format::new("concise", "a line for each finding, for editors and logs", concise::write),
    Format::new("json", "versioned JSON for programs", json::write),
    Format::new("sarif", "SARIF 2.1.0 for code scanning", sarif::write),
    Format::new("github", "annotations in GitHub Actions", github::write),
    Format::new("markdown", "summary of a workflow step", markdown::write),
    Format::new("gitlab", "Code Quality report of GitLab", gitlab::write),
    Format::new("junit", "JUnit XML for CI systems", junit::write),
    Format::new(
        "checkstyle",
        "Checkstyle XML, for Jenkins and other readers of warnings",
        checkstyle::write,
    ),
    Format::new("rdjson", "diagnostics for reviewdog", rdjson::write),
    Format::new("sonarqube", "generic issues of SonarQube", sonarqube::write),
    Format::new("azure", "logging commands of Azure Pipelines", azure::write),
    Format::new("csv", "a row for each origin, for spreadsheets", csv::write),
    Format::new("html", "one page, side by side, to read in a browser", html::write),
    Format::new("patch", "the edits that siblings lack, for `git apply`", patch::write),
    Format::new("counts", "counts for scripts, one `name=value` per line", counts::write),
];

/// The formats that only an audit of a whole tree has: SBOMs, VEX and notices.
pub static AUDIT_FORMATS: &[Format] = &[
    Format::new("spdx", "SPDX 2.3 in JSON, copies as snippets", spdx_document::write),
    Format::new("spdx3", "SPDX 3.0.1 in JSON-LD, copies as snippets", spdx3::write),
    Format::new("cyclonedx", "CycloneDX 1.6 in JSON, with evidence and pedigree", cyclonedx::write),
    Format::new(
        "openvex",
        "OpenVEX in JSON: which security fixes copies have, and which they lack",
        openvex::write,
    ),
    Format::new(
        "notice",
        "a NOTICE file: whose code it is, and the attribution that is owed",
        notice::write,
    ),
    Format::new(
        "decisions",
        "entries of a decisions file, for a person to fill in",
        decisions::write,
    ),
];

/// The formats that only a scan has: figures for badges and monitoring.
pub static SCAN_FORMATS: &[Format] = &[
    Format::new("badge", "a badge with the percentage of duplicated lines, as SVG", badge::write),
    Format::new(
        "shields",
        "the same for badge services, as JSON of the shields.io endpoint",
        shields::write,
    ),
    Format::new(
        "openmetrics",
        "figures by language and folder for Prometheus and its like",
        openmetrics::write,
    ),
    Format::new(
        "trend",
        "a line of JSON to append to a file: the figures of a commit",
        trend::write,
    ),
];

/// All formats of a scan.
pub fn scan_formats() -> impl Iterator<Item = &'static Format> + Clone {
    FORMATS.iter().chain(SCAN_FORMATS)
}

/// All formats of an audit of a whole tree.
pub fn audit_formats() -> impl Iterator<Item = &'static Format> + Clone {
    FORMATS.iter().chain(AUDIT_FORMATS)
}

/// The formats of what copies lack: its own text, those of findings, and patches.
pub fn stale_formats() -> impl Iterator<Item = &'static Format> + Clone {
    static OWN: &[Format] = &[
        Format::new("text", "what copies lack, and which versions they are", stale::write),
        Format::new("patch", "what copies lack, for `git apply`", patch::write_missing),
    ];
    OWN.iter().chain(FORMATS.iter().filter(|format| OWN.iter().all(|own| own.name != format.name)))
}

impl Format {
    /// Whether a report in this format shows code of an outcome.
    pub fn shows_code(&self, outcome: &Outcome, style: &Style) -> bool {
        self.name != "text" || !text::is_overview(outcome, style)
    }
}

impl<T> Format<T> {
    const fn new(name: &'static str, help: &'static str, write: Writing<T>) -> Self {
        Self { name, help, write }
    }

    /// Whether a report in this format has a place for what readers must know beside the findings;
    /// `is_quiet` if it is to have only findings.
    pub fn has_notices(&self, is_quiet: bool) -> bool {
        match self.name {
            "json" | "sarif" | "markdown" | "html" | "junit" => true,
            "text" | "github" | "azure" => !is_quiet,
            _ => false,
        }
    }

    /// Whether a report in this format lists suppressed findings where they are asked for.
    pub fn shows_suppressed(&self) -> bool {
        matches!(
            self.name,
            "text" | "concise" | "json" | "sarif" | "markdown" | "junit" | "csv" | "html"
        )
    }

    /// Whether a report in this format tells which security fixes copies have, beside those that
    /// they lack.
    pub fn tells_held_fixes(&self) -> bool {
        matches!(self.name, "cyclonedx" | "openvex")
    }

    /// Writes `found` to `out`, to its end.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write(&self, found: &T, style: &Style, out: &mut dyn Write) -> io::Result<()> {
        (self.write)(found, style, out)?;
        out.flush()
    }
}

/// A way to write a JSON schema.
type Schema = fn() -> serde_json::Value;

/// The schemas of the formats `json`, by the names under which `docs` publishes them.
pub static SCHEMAS: &[(&str, Schema)] = &[
    ("report", schema_of::<json::Report>),
    ("history", schema_of::<timeline::json::History>),
    ("find", schema_of::<found::json::Report>),
    ("comparison", schema_of::<comparison::json::Comparison>),
    ("resemblance", schema_of::<resemblance::json::Resemblance>),
    ("organization", schema_of::<organization::json::Organization>),
];

/// The version of the program, for reports.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Where people learn more about it.
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

pub use comparison::{COMPARISON_FORMATS, pseudonym_key};
pub use concise::finding_line;
pub use extraction::{Extraction, extractions};
pub use found::FIND_FORMATS;
pub use frame::wrapped;
pub use markdown::other_side;
pub use organization::ORGANIZATION_FORMATS;
pub use passages::{
    Passage, check_headline, class_passages, finding_in_full, finding_passages, found_headline,
    found_passages, side_by_side,
};
pub use resemblance::RESEMBLANCE_FORMATS;
pub use timeline::TIMELINE_FORMATS;
