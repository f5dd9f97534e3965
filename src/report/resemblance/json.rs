//! Writes resemblances for programs: versioned JSON, whose schema `docs/resemblance.schema.json`
//! publishes.

use super::bounds;
use crate::audit::{LeftOut, MeasuredDocument, Resemblances, ResemblingPair};
use crate::fingerprint::resemblance::{Counting, Estimate, ShingleCluster};
use crate::report::VERSION;
use crate::report::plain_json::{each, json_types, rounded};

json_types! {

/// How much documents resemble and contain each other (Broder 1997).
pub(in crate::report) struct Resemblance from (of: &Resemblances) {
    /// The version of this format.
    version: u32 = 1,
    /// The version of the program.
    secondhand: &'static str = VERSION,
    /// The tokens of a shingle.
    shingle: usize = of.params.shingle.get(),
    /// Whether a shingle counts as often as it occurs (the paper's option A), not once (option B).
    labeled: bool = of.params.counting == Counting::Labeled,
    /// Whether the figures are estimates from sketches.
    estimated: bool = of.params.sampling.is_some(),
    documents: Vec<Document> = each(&of.documents),
    /// Pairs that share a shingle, or a sampled one, the most similar first.
    pairs: Vec<ResemblancePair> =
        of.pairs.iter().map(|pair| ResemblancePair::from((of, pair))).collect(),
    /// Clusters of documents, if they were wanted.
    clusters: Option<Vec<Cluster>> = of.clusters.as_ref().map(each),
    /// Files, archives and folders that were not compared.
    skipped: Vec<LeftOutFile> = each(&of.skipped),
}

struct Document from (of: &MeasuredDocument) {
    name: String = of.name.to_string(),
    tokens: usize = of.n_tokens,
    /// Distinct shingles.
    shingles: usize = of.n_shingles,
    /// Shingles in the sketch, if there is one.
    sketched: Option<usize> = of.n_sketched,
}

struct ResemblancePair from ((found, of): (&Resemblances, &ResemblingPair)) {
    /// The index of the first in `documents`.
    first: usize = of.a,
    /// The index of the second in `documents`.
    second: usize = of.b,
    /// What both have, divided by what either has.
    resemblance: Ratio = Ratio::from((found, of.resemblance)),
    /// The fraction of the first that is in the second; null if the sketches cannot estimate it.
    first_in_second: Option<Ratio> = of.a_in_b.map(|part| Ratio::from((found, part))),
    /// The fraction of the second that is in the first; null if the sketches cannot estimate it.
    second_in_first: Option<Ratio> = of.b_in_a.map(|part| Ratio::from((found, part))),
}

/// A ratio, 0 to 1; the true one is from `low` to `high` with a probability of 95 % or more.
struct Ratio from ((found, of): (&Resemblances, Estimate)) {
    value: f64 = rounded(of.value, 6),
    low: f64 = rounded(bounds(found, &of).0, 6),
    high: f64 = rounded(bounds(found, &of).1, 6),
}

struct Cluster from (of: &ShingleCluster) {
    /// The index of the document that the others were compared with.
    representative: usize = of.representative,
    /// The indices of all its documents.
    members: Vec<usize> = of.members.clone(),
}

struct LeftOutFile from (of: &LeftOut) {
    path: String = of.path.to_string(),
    reason: String = of.why.clone(),
}

}
