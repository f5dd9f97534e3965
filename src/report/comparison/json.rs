//! Writes a comparison for programs: versioned JSON, whose schema `docs/comparison.schema.json`
//! publishes.

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;

use crate::audit;
use crate::policy;
use crate::report::plain_json::write_json;
use crate::report::{Format, Style, VERSION};
use crate::text::FilePath;

pub(super) const FORMAT: Format<audit::Comparison> =
    Format { name: "json", help: "versioned JSON for programs", write };

/// Increases when a field changes its meaning or is removed; new fields do not count.
const FORMAT_VERSION: u32 = 1;

/// How similar submissions are.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Comparison {
    /// The version of this format.
    version: u32,
    /// The version of the program.
    secondhand: &'static str,
    /// k: the tokens of a fingerprint.
    noise_threshold: usize,
    /// w: the number of k-grams in a row of which one is a fingerprint; 1 if all are.
    window: usize,
    submissions: Vec<Submission>,
    /// Pairs that share something, the most similar first: by containment, then by resemblance.
    pairs: Vec<Pair>,
    /// The number of pairs that were compared.
    compared_pairs: usize,
    /// The number of pairs that share something, listed or not.
    sharing_pairs: usize,
    /// The number of compared pairs by containment, the larger of the two: 20 steps from 0 to 1.
    histogram: Vec<usize>,
    /// The indices of submissions that are connected by pairs in which one holds half of the other
    /// or more, the largest cluster first.
    clusters: Vec<Vec<usize>>,
    /// Distinct fingerprints that were ignored because too many submissions have them.
    common_fingerprints: usize,
    /// Files, archives and folders that were not compared.
    skipped: Vec<SkippedFile>,
    /// Files that were compared in part, since they repeat others too often.
    limited: Vec<SkippedFile>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Submission {
    name: String,
    files: usize,
    tokens: usize,
    /// Distinct fingerprints, not counting those of handed-out and common code.
    fingerprints: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Pair {
    /// The index of the first in `submissions`.
    first: usize,
    /// The index of the second in `submissions`.
    second: usize,
    shared_fingerprints: usize,
    /// Shared fingerprints divided by all fingerprints of both, 0 to 1 (Broder 1997).
    resemblance: f64,
    /// The fraction of the first's fingerprints that the second has, 0 to 1 (Broder 1997).
    first_in_second: f64,
    /// The fraction of the second's fingerprints that the first has, 0 to 1.
    second_in_first: f64,
    /// By what pairs are ranked, 0 to 1: the larger of these two fractions, or in small submissions
    /// how much of one is in the other by sequences of four tokens, of which those weigh more that
    /// few submissions have.
    likeness: f64,
    /// Tokens of the first that are part of matches.
    first_matched_tokens: usize,
    /// Tokens of the second that are part of matches.
    second_matched_tokens: usize,
    /// Where they match, the longest first.
    matches: Vec<Match>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Match {
    first: Side,
    second: Side,
    /// `type-1`, `type-2` or `type-3`.
    clone_type: &'static str,
    /// 0 to 1.
    similarity: f64,
    tokens: usize,
}

/// A part of a file; lines and columns from 1, columns in UTF-16 code units, the end column after
/// the last.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Side {
    path: String,
    start_line: u32,
    start_column: u32,
    end_line: u32,
    end_column: u32,
}

#[derive(Debug, Serialize, JsonSchema)]
struct SkippedFile {
    path: String,
    reason: String,
}

fn write(comparison: &audit::Comparison, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    write_json(&report(comparison), out)
}

/// The JSON schema of a comparison.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Comparison).to_value()
}

fn report(of: &audit::Comparison) -> Comparison {
    let submission = |of: &audit::MeasuredSubmission| Submission {
        name: of.name.to_string(),
        files: of.n_files,
        tokens: of.n_tokens,
        fingerprints: of.n_fingerprints,
    };
    Comparison {
        version: FORMAT_VERSION,
        secondhand: VERSION,
        noise_threshold: of.k_and_window.0,
        window: of.k_and_window.1,
        submissions: of.submissions.iter().map(submission).collect(),
        pairs: of.pairs.iter().map(pair).collect(),
        compared_pairs: of.n_compared,
        sharing_pairs: of.n_sharing,
        histogram: of.histogram.to_vec(),
        clusters: of.clusters.clone(),
        common_fingerprints: of.n_common,
        skipped: of
            .skipped
            .iter()
            .map(|left_out| SkippedFile {
                path: left_out.path.to_string(),
                reason: left_out.why.clone(),
            })
            .collect(),
        limited: of
            .limited
            .iter()
            .map(|(path, why)| SkippedFile { path: path.to_string(), reason: why.clone() })
            .collect(),
    }
}

fn pair(of: &audit::Pair) -> Pair {
    Pair {
        first: of.a,
        second: of.b,
        shared_fingerprints: of.n_shared,
        resemblance: rounded(of.resemblance),
        first_in_second: rounded(of.a_in_b),
        second_in_first: rounded(of.b_in_a),
        likeness: rounded(of.likeness),
        first_matched_tokens: of.n_matched.0,
        second_matched_tokens: of.n_matched.1,
        matches: of
            .matches
            .iter()
            .map(|found| Match {
                first: side(&found.a),
                second: side(&found.b),
                clone_type: found.clone_type.name(),
                similarity: rounded(found.similarity),
                tokens: found.n_tokens,
            })
            .collect(),
    }
}

fn side((path, fragment): &(FilePath, policy::Fragment)) -> Side {
    Side {
        path: path.to_string(),
        start_line: fragment.start.line,
        start_column: fragment.start.column,
        end_line: fragment.end.line,
        end_column: fragment.end.column,
    }
}

fn rounded(part: f64) -> f64 {
    (part * 10_000.0).round() / 10_000.0
}
