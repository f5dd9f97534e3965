//! Reads the judged findings: project, commit, place, verdict and a sentence each; no code.

use serde::Deserialize;

use crate::error::Error;
use crate::replay::{Half, Level};

/// A finding that was read with its commit, and judged.
#[derive(Debug, Deserialize)]
pub struct CommitCopies {
    pub half: Half,
    /// As `owner/name`.
    pub project: String,
    pub commit: String,
    pub path: String,
    /// The first and the last line of the copy.
    pub start: u32,
    pub end: u32,
    /// The level it had then.
    pub level: Level,
    pub verdict: Verdict,
    /// Whether practically any reviewer would call it useful.
    #[serde(rename = "clear", deserialize_with = "is_clear")]
    pub is_clear: bool,
    /// Of what is true and boring: why.
    pub kind: String,
    /// The verdict of another reader, who had not seen the first.
    pub second: Option<Verdict>,
    pub why: String,
}

/// What a reader says of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// A reviewer wants to know.
    Useful,
    /// True, and nothing to do.
    Boring,
    /// The two share no more than their shape.
    NotCopy,
    /// It was there before: moved, renamed, edited in place.
    NotNew,
    /// The lines shown are not those that were copied.
    Range,
    /// Copied from elsewhere.
    Origin,
}

impl CommitCopies {
    /// The end of the file's name behind its last dot.
    pub fn extension(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        name.rsplit_once('.').map_or("", |(_, extension)| extension)
    }

    /// The verdict, and why where it is boring.
    pub fn label(&self) -> String {
        let verdict = format!("{:?}", self.verdict).to_lowercase();
        match (self.is_clear, &*self.kind) {
            (true, _) => format!("{verdict}, clearly"),
            (_, "") => verdict,
            (_, kind) => format!("{verdict}: {kind}"),
        }
    }
}

/// The judged findings.
pub fn read() -> Result<Vec<CommitCopies>, Error> {
    let mut rows = csv::Reader::from_reader(include_bytes!("../../data/judged.csv").as_slice());
    rows.deserialize()
        .collect::<Result<_, csv::Error>>()
        .map_err(|why| Error::Judged { why: why.to_string() })
}

fn is_clear<'d, D: serde::Deserializer<'d>>(from: D) -> Result<bool, D::Error> {
    Ok(String::deserialize(from)? == "clear")
}
