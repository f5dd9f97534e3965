//! Writes resemblances for programs: versioned JSON, whose schema `docs/resemblance.schema.json`
//! publishes.

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;

use super::bounds;
use crate::audit;
use crate::fingerprint::resemblance::{Counting, Estimate};
use crate::report::plain_json::write_json;
use crate::report::{Format, Style, VERSION};

pub(super) const FORMAT: Format<audit::Resemblances> =
    Format { name: "json", help: "versioned JSON for programs", write };

/// Increases when a field changes its meaning or is removed; new fields do not count.
const FORMAT_VERSION: u32 = 1;

/// How much documents resemble and contain each other (Broder 1997).
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Resemblance {
    /// The version of this format.
    version: u32,
    /// The version of the program.
    secondhand: &'static str,
    /// The tokens of a shingle.
    shingle: usize,
    /// Whether a shingle counts as often as it occurs (the paper's option A), not once (option B).
    labeled: bool,
    /// Whether the figures are estimates from sketches.
    estimated: bool,
    documents: Vec<Document>,
    /// Pairs that share a shingle, or a sampled one, the most similar first.
    pairs: Vec<ResemblancePair>,
    /// Clusters of documents, if they were wanted.
    clusters: Option<Vec<Cluster>>,
    /// Files, archives and folders that were not compared.
    skipped: Vec<LeftOutFile>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Document {
    name: String,
    tokens: usize,
    /// Distinct shingles.
    shingles: usize,
    /// Shingles in the sketch, if there is one.
    sketched: Option<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct ResemblancePair {
    /// The index of the first in `documents`.
    first: usize,
    /// The index of the second in `documents`.
    second: usize,
    /// What both have, divided by what either has.
    resemblance: Ratio,
    /// The fraction of the first that is in the second; null if the sketches cannot estimate it.
    first_in_second: Option<Ratio>,
    /// The fraction of the second that is in the first; null if the sketches cannot estimate it.
    second_in_first: Option<Ratio>,
}

/// A ratio, 0 to 1; the true one is from `low` to `high` with a probability of 95 % or more.
#[derive(Debug, Serialize, JsonSchema)]
struct Ratio {
    value: f64,
    low: f64,
    high: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Cluster {
    /// The index of the document that the others were compared with.
    representative: usize,
    /// The indices of all its documents.
    members: Vec<usize>,
}

#[derive(Debug, Serialize, JsonSchema)]
struct LeftOutFile {
    path: String,
    reason: String,
}

fn write(found: &audit::Resemblances, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    write_json(&report(found), out)
}

/// The JSON schema of resemblances.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(Resemblance).to_value()
}

fn report(of: &audit::Resemblances) -> Resemblance {
    let ratio = |estimate: &Estimate| {
        let (low, high) = bounds(of, estimate).unwrap_or((estimate.value, estimate.value));
        let [value, low, high] = [estimate.value, low, high].map(|part| (part * 1e6).round() / 1e6);
        Ratio { value, low, high }
    };
    let document = |of: &audit::MeasuredDocument| Document {
        name: of.name.to_string(),
        tokens: of.n_tokens,
        shingles: of.n_shingles,
        sketched: of.n_sketched,
    };
    let pair = |pair: &audit::ResemblingPair| ResemblancePair {
        first: pair.a,
        second: pair.b,
        resemblance: ratio(&pair.resemblance),
        first_in_second: pair.a_in_b.as_ref().map(ratio),
        second_in_first: pair.b_in_a.as_ref().map(ratio),
    };
    let clusters = of.clusters.as_ref().map(|clusters| {
        let cluster = clusters.iter();
        cluster
            .map(|of| Cluster { representative: of.representative, members: of.members.clone() })
            .collect()
    });
    let left_out = of.skipped.iter();
    Resemblance {
        version: FORMAT_VERSION,
        secondhand: VERSION,
        shingle: of.params.shingle.get(),
        labeled: of.params.counting == Counting::Labeled,
        estimated: of.params.sampling.is_some(),
        documents: of.documents.iter().map(document).collect(),
        pairs: of.pairs.iter().map(pair).collect(),
        clusters,
        skipped: left_out
            .map(|of| LeftOutFile { path: of.path.to_string(), reason: of.why.clone() })
            .collect(),
    }
}
