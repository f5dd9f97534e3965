//! Writes a comparison for programs: versioned JSON, whose schema `docs/comparison.schema.json`
//! publishes.

use crate::audit;
use crate::policy;
use crate::report::VERSION;
use crate::report::plain_json::{each, json_types, rounded};
use crate::text::FilePath;

json_types! {

/// How similar submissions are.
pub(in crate::report) struct Comparison from (of: &audit::Comparison) {
    /// The version of this format.
    version: u32 = 1,
    /// The version of the program.
    secondhand: &'static str = VERSION,
    /// k: the tokens of a fingerprint.
    noise_threshold: usize = of.k_and_window.0,
    /// w: the number of k-grams in a row of which one is a fingerprint; 1 if all are.
    window: usize = of.k_and_window.1,
    submissions: Vec<Submission> = each(&of.submissions),
    /// Pairs that share something, the most similar first: by containment, then by resemblance.
    pairs: Vec<Pair> = each(&of.pairs),
    /// The number of pairs that were compared.
    compared_pairs: usize = of.n_compared,
    /// The number of pairs that share something, listed or not.
    sharing_pairs: usize = of.n_sharing,
    /// The number of compared pairs by containment, the larger of the two: 20 steps from 0 to 1.
    histogram: Vec<usize> = of.histogram.to_vec(),
    /// The indices of submissions that are connected by pairs in which one holds half of the other
    /// or more, the largest cluster first.
    clusters: Vec<Vec<usize>> = of.clusters.clone(),
    /// Distinct fingerprints that were ignored because too many submissions have them.
    common_fingerprints: usize = of.n_common,
    /// Files, archives and folders that were not compared.
    skipped: Vec<SkippedFile> =
        of.skipped.iter().map(|of| SkippedFile::from((&of.path, &of.why))).collect(),
    /// Files that were compared in part, since they repeat others too often.
    limited: Vec<SkippedFile> =
        of.limited.iter().map(|(path, why)| SkippedFile::from((path, why))).collect(),
}

struct Submission from (of: &audit::MeasuredSubmission) {
    name: String = of.name.to_string(),
    files: usize = of.n_files,
    tokens: usize = of.n_tokens,
    /// Distinct fingerprints, not counting those of handed-out and common code.
    fingerprints: usize = of.n_fingerprints,
}

struct Pair from (of: &audit::Pair) {
    /// The index of the first in `submissions`.
    first: usize = of.a,
    /// The index of the second in `submissions`.
    second: usize = of.b,
    shared_fingerprints: usize = of.n_shared,
    /// Shared fingerprints divided by all fingerprints of both, 0 to 1 (Broder 1997).
    resemblance: f64 = rounded(of.resemblance, 4),
    /// The fraction of the first's fingerprints that the second has, 0 to 1 (Broder 1997).
    first_in_second: f64 = rounded(of.a_in_b, 4),
    /// The fraction of the second's fingerprints that the first has, 0 to 1.
    second_in_first: f64 = rounded(of.b_in_a, 4),
    /// By what pairs are ranked, 0 to 1: the larger of these two fractions, or in small submissions
    /// how much of one is in the other by sequences of four tokens, of which those weigh more that
    /// few submissions have.
    likeness: f64 = rounded(of.likeness, 4),
    /// Tokens of the first that are part of matches.
    first_matched_tokens: usize = of.n_matched.0,
    /// Tokens of the second that are part of matches.
    second_matched_tokens: usize = of.n_matched.1,
    /// Where they match, the longest first.
    matches: Vec<Match> = each(&of.matches),
}

struct Match from (of: &audit::Match) {
    first: Side = Side::from(&of.a),
    second: Side = Side::from(&of.b),
    /// `type-1`, `type-2` or `type-3`.
    clone_type: &'static str = of.clone_type.name(),
    /// 0 to 1.
    similarity: f64 = rounded(of.similarity, 4),
    tokens: usize = of.n_tokens,
}

/// A part of a file; lines and columns from 1, columns in UTF-16 code units, the end column after
/// the last.
struct Side from ((path, fragment): &(FilePath, policy::Fragment)) {
    path: String = path.to_string(),
    start_line: u32 = fragment.start.line,
    start_column: u32 = fragment.start.column,
    end_line: u32 = fragment.end.line,
    end_column: u32 = fragment.end.column,
}

struct SkippedFile from ((path, why): (&FilePath, &String)) {
    path: String = path.to_string(),
    reason: String = why.clone(),
}

}
