//! Measures how much documents resemble and contain each other (Broder 1997), also by sketches.

use std::num::NonZeroUsize;

use rayon::prelude::*;

use super::Context;
use super::compare::{LeftOut, Submission, SubmissionReader};
use super::read::Sources;
use crate::fingerprint::resemblance::{
    Counting, Estimate, ShingleCluster, ShingleSampling, ShingleSketch, Shingles, greedy_clusters,
    super_size,
};
use crate::index::{Index, Posting};
use crate::language::{Kind, Token};
use crate::text::FilePath;

/// Maximum representatives that a shingle leads to: one in more clusters is not informative.
const MAX_POSTINGS: usize = 1_000;
/// The seed of the permutation of all sketches: any number, but the same on every machine.
const SEED: u64 = 1997;

/// How documents are compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ResemblanceParams {
    /// The number of tokens of a shingle.
    pub shingle: NonZeroUsize,
    /// How a shingle that occurs repeatedly counts.
    pub counting: Counting,
    /// Which shingles count; `None` for all, and exact figures.
    pub sampling: Option<ShingleSampling>,
    /// Whether names and literals count by class, not as spelled.
    pub is_normalized: bool,
    /// Whether prose and files of unknown languages are read too, word by word.
    pub with_words: bool,
    /// Minimum resemblance of documents in one cluster, 0 to 1; `None` for no clusters.
    pub clustered: Option<f64>,
    /// Whether the documents to compare for that are found by super-shingles.
    pub by_super_shingles: bool,
    /// Whether a report shows all pairs as a matrix.
    pub is_matrix: bool,
}

/// Documents, and how much they resemble each other.
#[derive(Debug, Clone, PartialEq)]
pub struct Resemblances {
    /// The documents, in the given order.
    pub documents: Vec<MeasuredDocument>,
    /// The pairs that share a shingle, or a sampled one, the most similar first.
    pub pairs: Vec<ResemblingPair>,
    /// The clusters, in the order of their representatives, if they were wanted.
    pub clusters: Option<Vec<ShingleCluster>>,
    /// How they were compared.
    pub params: ResemblanceParams,
    /// What was not compared, and why, by path.
    pub skipped: Vec<LeftOut>,
}

/// A document, measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeasuredDocument {
    /// Its name.
    pub name: FilePath,
    /// The number of its tokens.
    pub n_tokens: usize,
    /// The number of its distinct shingles; labeled ones differ.
    pub n_shingles: usize,
    /// The number of shingles in its sketch, if it was sketched.
    pub n_sketched: Option<usize>,
}

/// Two documents that share something.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ResemblingPair {
    /// The number of the first.
    pub a: usize,
    /// The number of the second.
    pub b: usize,
    /// What both have, divided by what either has. An exact figure rests on all shingles.
    pub resemblance: Estimate,
    /// The fraction of the first that is in the second; `None` if the sketches cannot estimate it.
    pub a_in_b: Option<Estimate>,
    /// The fraction of the second that is in the first; `None` if the sketches cannot estimate it.
    pub b_in_a: Option<Estimate>,
}

impl ResemblingPair {
    /// The larger of the two containments, as far as they can be estimated.
    fn containment(&self) -> f64 {
        let estimates = [self.a_in_b, self.b_in_a].into_iter().flatten();
        estimates.map(|estimate| estimate.value).fold(0.0, f64::max)
    }
}

/// Compares `documents`: files, folders or archives.
///
/// Pairs are found by the shingles that they share: one that shares nothing costs nothing.
pub fn resemblances(
    documents: &[Submission],
    params: ResemblanceParams,
    context: Context<'_>,
) -> Resemblances {
    let sources = Sources::bare(context);
    context.progress.begin("reading", documents.len());
    let read = documents.par_iter().map(|document| {
        context.progress.step();
        let reading = SubmissionReader::of(document, &sources, params.with_words);
        let parts: Vec<Vec<u64>> =
            reading.files.iter().map(|file| numbers(&file.tokens, params.is_normalized)).collect();
        let shingles =
            Shingles::new(parts.iter().map(Vec::as_slice), params.shingle, params.counting);
        (shingles, parts.iter().map(Vec::len).sum(), reading.left_out)
    });
    let read: Vec<ReadDocument> = read.collect();
    let sketches = params.sampling.map(|sampling| sketched(&read, sampling));

    context.progress.begin("comparing", documents.len());
    let kept =
        |at: usize| sketches.as_ref().map_or(read[at].0.hashes(), |sketches| sketches[at].kept());
    let postings = (0..read.len()).flat_map(|at| {
        kept(at).iter().map(move |&hash| (hash, Posting { document: at as u32, position: 0 }))
    });
    let index = Index::new(postings);
    let pairs = (0..read.len()).into_par_iter().flat_map_iter(|a| {
        context.progress.step();
        let mut n_shared = vec![0usize; read.len()];
        for posting in kept(a).iter().flat_map(|&hash| index.postings(hash)) {
            n_shared[posting.document as usize] += 1;
        }
        let others: Vec<_> = (a + 1..read.len()).filter(|&b| n_shared[b] > 0).collect();
        let pairs = others.into_iter().map(|b| match &sketches {
            Some(sketches) => by_sketches(a, b, sketches),
            None => exact(a, b, [a, b].map(|at| read[at].0.hashes().len()), n_shared[b]),
        });
        pairs.collect::<Vec<_>>()
    });
    let mut pairs: Vec<ResemblingPair> = pairs.collect();
    pairs.sort_unstable_by(|one, other| {
        let by_resemblance = other.resemblance.value.total_cmp(&one.resemblance.value);
        let by_both = by_resemblance.then(other.containment().total_cmp(&one.containment()));
        by_both.then((one.a, one.b).cmp(&(other.a, other.b)))
    });

    let measured = (0..read.len()).map(|at| MeasuredDocument {
        name: documents[at].name.clone(),
        n_tokens: read[at].1,
        n_shingles: read[at].0.hashes().len(),
        n_sketched: sketches.as_ref().map(|sketches| sketches[at].kept().len()),
    });
    let measured = measured.collect();
    let clusters = params.clustered.map(|threshold| {
        // All shingles are the sketch that samples every one.
        let every = ShingleSampling::Mod { modulus: 1 };
        let sketches = sketches.unwrap_or_else(|| sketched(&read, every));
        let super_size = params.by_super_shingles.then(|| super_size(threshold));
        greedy_clusters(&sketches, threshold, MAX_POSTINGS, super_size)
    });
    let mut skipped: Vec<LeftOut> = read.into_iter().flat_map(|(.., left_out)| left_out).collect();
    skipped.sort_unstable();
    Resemblances { documents: measured, pairs, clusters, params, skipped }
}

/// The shingles of a document, the number of its tokens, and what was not read of it.
type ReadDocument = (Shingles, usize, Vec<LeftOut>);

fn sketched(read: &[ReadDocument], sampling: ShingleSampling) -> Vec<ShingleSketch> {
    read.par_iter().map(|(all, ..)| ShingleSketch::new(all, sampling, SEED)).collect()
}

/// Tokens as numbers: by symbol; names and literals also by spelling, unless they are normalized.
fn numbers(tokens: &[Token], is_normalized: bool) -> Vec<u64> {
    Vec::from_iter(tokens.iter().map(|token| {
        let is_spelled = !is_normalized
            && matches!(token.kind(), Kind::Identifier | Kind::Number | Kind::String);
        let exact = if is_spelled { u64::from(token.exact) } else { 0 };
        u64::from(token.symbol.get()) << 32 | exact
    }))
}

fn exact(a: usize, b: usize, [n_a, n_b]: [usize; 2], n_shared: usize) -> ResemblingPair {
    let estimate =
        |whole: usize| Estimate { value: n_shared as f64 / whole.max(1) as f64, n_sampled: whole };
    ResemblingPair {
        a,
        b,
        resemblance: estimate(n_a + n_b - n_shared),
        a_in_b: Some(estimate(n_a)),
        b_in_a: Some(estimate(n_b)),
    }
}

fn by_sketches(a: usize, b: usize, sketches: &[ShingleSketch]) -> ResemblingPair {
    let (of_a, of_b) = (&sketches[a], &sketches[b]);
    ResemblingPair {
        a,
        b,
        resemblance: of_a.resemblance(of_b),
        a_in_b: of_a.containment_in(of_b),
        b_in_a: of_b.containment_in(of_a),
    }
}
