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
mod missing_patch;
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

use crate::audit::Outcome;

/// A format for reports of a `T`.
#[derive(Debug)]
pub struct Format<T: 'static = Outcome> {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is for, in a line.
    pub help: &'static str,
    write: fn(&T, &Style, &mut dyn Write) -> io::Result<()>,
}

/// How a report should look, if its format leaves a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    text::FORMAT,
    concise::FORMAT,
    json::FORMAT,
    sarif::FORMAT,
    github::FORMAT,
    markdown::FORMAT,
    gitlab::FORMAT,
    junit::FORMAT,
    checkstyle::FORMAT,
    rdjson::FORMAT,
    sonarqube::FORMAT,
    azure::FORMAT,
    csv::FORMAT,
    html::FORMAT,
    patch::FORMAT,
    counts::FORMAT,
];

/// The formats that only an audit of a whole tree has: SBOMs, VEX and notices.
pub static AUDIT_FORMATS: &[Format] = &[
    audited::spdx_document::FORMAT,
    audited::spdx3::FORMAT,
    audited::cyclonedx::FORMAT,
    audited::openvex::FORMAT,
    audited::notice::FORMAT,
    audited::decisions::FORMAT,
];

/// The formats that only a scan has: figures for badges and monitoring.
pub static SCAN_FORMATS: &[Format] = &[
    measured::badge::FORMAT,
    measured::shields::FORMAT,
    measured::openmetrics::FORMAT,
    measured::trend::FORMAT,
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
    static OWN: &[Format] = &[stale::FORMAT, missing_patch::FORMAT];
    OWN.iter().chain(FORMATS.iter().filter(|format| OWN.iter().all(|own| own.name != format.name)))
}

impl Format {
    /// Whether a report in this format shows code of an outcome.
    pub fn shows_code(&self, outcome: &Outcome, style: &Style) -> bool {
        self.name != text::FORMAT.name || !text::is_overview(outcome, style)
    }
}

impl<T> Format<T> {
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

    /// Writes `found` to `out`.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write(&self, found: &T, style: &Style, out: &mut dyn Write) -> io::Result<()> {
        (self.write)(found, style, out)
    }
}

/// The version of the program, for reports.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Where people learn more about it.
const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

pub use comparison::{COMPARISON_FORMATS, comparison_schema, pseudonym_key};
pub use concise::finding_line;
pub use extraction::{Extraction, extractions};
pub use found::{FIND_FORMATS, find_schema};
pub use json::schema;
pub use markdown::other_side;
pub use organization::{ORGANIZATION_FORMATS, organization_schema};
pub use passages::{
    Passage, check_headline, class_passages, finding_in_full, finding_passages, found_headline,
    found_passages, side_by_side,
};
pub use resemblance::{RESEMBLANCE_FORMATS, resemblance_schema};
pub use timeline::{TIMELINE_FORMATS, timeline_schema};
