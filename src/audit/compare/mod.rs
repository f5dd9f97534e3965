//! Compares submissions with each other: how much code each shares with each other one, and where.
//!
//! Each submission is a set of fingerprints. Containment and resemblance are those of
//! Broder (1997): the fraction of one set that is in the other, and the shared fraction of
//! both together. Handed-out code is removed from the sets first (Schleimer, Wilkerson,
//! Aiken 2003, section 5: base files), and so is what too many submissions have.

mod clusters;
mod file_pairs;
mod likeness;
mod matches;
mod prints;
mod pseudonyms;
mod ranking;
mod submission;
mod tiles;

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashSet};

use rayon::prelude::*;

pub use clusters::CLUSTERED;
pub use ranking::HISTOGRAM_BARS;
pub use submission::{LeftOut, Submission};

use self::likeness::are_small;
use self::matches::matches;
use self::prints::{ReadSubmission, prints_of};
use self::ranking::Ranking;
pub(in crate::audit) use self::submission::SubmissionReader;
use super::Context;
use super::outcome::in_part;
use super::read::{Source, Sources};
use crate::matching::CloneType;
use crate::policy::Fragment;
use crate::text::{FilePath, LinedText, fnv_1a};

/// Minimum submissions with a passage for it to be common by default: a ring is not ignored.
const MIN_COMMON: usize = 10;
/// Maximum links of clusters to keep, the most similar first.
const MAX_LINKS: usize = 2_000;

/// How submissions are compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CompareParams {
    /// Whether every k-gram is a fingerprint: exact figures, at several times the memory.
    pub is_exact: bool,
    /// Maximum submissions that may have a passage. One that more have is ignored, as handed-out
    /// code is; 0 for no maximum, and `None` for nine in ten of them, but no fewer than ten.
    pub max_common: Option<usize>,
    /// Minimum containment of a pair, 0 to 1.
    pub threshold: f64,
    /// Maximum pairs to keep, the most similar first.
    pub max_pairs: usize,
    /// Whether prose and files of unknown languages are compared too, word by word.
    pub with_words: bool,
    /// Whether only submissions of different groups are compared.
    pub is_across_only: bool,
}

/// The result of a comparison.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// The submissions, in the given order.
    pub submissions: Vec<MeasuredSubmission>,
    /// The pairs that share something, the most similar first.
    pub pairs: Vec<Pair>,
    /// The number of compared pairs: of submissions with files, in different groups if asked for.
    pub n_compared: usize,
    /// The number of them that share something, kept or not.
    pub n_sharing: usize,
    /// The largest containment of them.
    pub most: f64,
    /// The number of them by containment, in equal steps from 0 to 1.
    pub histogram: [usize; HISTOGRAM_BARS],
    /// Submissions that each share at least half of one with another of their cluster.
    pub clusters: Vec<Vec<usize>>,
    /// The pairs that join the clusters, with their containment, the most similar first.
    pub links: Vec<(usize, usize, f64)>,
    /// The number of distinct fingerprints that too many submissions have, which were ignored.
    pub n_common: usize,
    /// How submissions were compared.
    pub params: CompareParams,
    /// k and w of the fingerprints.
    pub k_and_window: (usize, usize),
    /// What was not compared, and why, by path.
    pub skipped: Vec<LeftOut>,
    /// Files of the first of two submissions that were compared in part, and why, by path.
    pub limited: Vec<(FilePath, String)>,
    /// The texts of all files with matches.
    pub texts: BTreeMap<FilePath, LinedText>,
}

/// A submission, measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeasuredSubmission {
    /// Its name.
    pub name: FilePath,
    /// The number of files read.
    pub n_files: usize,
    /// The number of their tokens.
    pub n_tokens: usize,
    /// The number of distinct fingerprints, without those that were ignored.
    pub n_fingerprints: usize,
    /// A digest of the contents of its files.
    pub digest: u64,
}

/// Two submissions, and how similar they are.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// The number of the first submission.
    pub a: usize,
    /// The number of the second.
    pub b: usize,
    /// The number of fingerprints that both have.
    pub n_shared: usize,
    /// Shared fingerprints divided by all fingerprints of both, 0 to 1.
    pub resemblance: f64,
    /// The fraction of the first's fingerprints that the second has, 0 to 1.
    pub a_in_b: f64,
    /// The fraction of the second's fingerprints that the first has, 0 to 1.
    pub b_in_a: f64,
    /// By what pairs are ranked, 0 to 1: the containment; of small submissions how much of one is
    /// in the other by sequences of four tokens, rare ones weighing more.
    pub likeness: f64,
    /// The number of tokens of the first that are part of matches, and of the second.
    pub n_matched: (usize, usize),
    /// The matches, the longest first.
    pub matches: Vec<Match>,
}

impl Pair {
    /// The pair of submissions `a` and `b`, each with its number of fingerprints, which share `n`.
    fn new((a, n_a): (usize, usize), (b, n_b): (usize, usize), n: usize) -> Self {
        let (a_in_b, b_in_a) = (n as f64 / n_a as f64, n as f64 / n_b as f64);
        Self {
            a,
            b,
            n_shared: n,
            resemblance: n as f64 / (n_a + n_b - n) as f64,
            a_in_b,
            b_in_a,
            likeness: a_in_b.max(b_in_a),
            n_matched: (0, 0),
            matches: Vec::new(),
        }
    }

    /// The order of two pairs in a ranking: the more similar first.
    fn rank(&self, other: &Self) -> Ordering {
        let by_likeness = other.likeness.total_cmp(&self.likeness);
        let by_containment = by_likeness.then(other.containment().total_cmp(&self.containment()));
        let by_resemblance = by_containment.then(other.resemblance.total_cmp(&self.resemblance));
        by_resemblance.then(other.n_shared.cmp(&self.n_shared))
    }

    /// Lets the second submission be the first.
    fn swap(&mut self) {
        std::mem::swap(&mut self.a, &mut self.b);
        std::mem::swap(&mut self.a_in_b, &mut self.b_in_a);
        self.n_matched = (self.n_matched.1, self.n_matched.0);
        for found in &mut self.matches {
            std::mem::swap(&mut found.a, &mut found.b);
        }
    }

    /// The larger of the two containments: how much of one is in the other.
    pub fn containment(&self) -> f64 {
        self.a_in_b.max(self.b_in_a)
    }
}

/// A part of one submission that occurs in another.
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    /// Where it is in the first.
    pub a: (FilePath, Fragment),
    /// Where it is in the second.
    pub b: (FilePath, Fragment),
    /// How they differ.
    pub clone_type: CloneType,
    /// Their similarity, 0 to 1.
    pub similarity: f64,
    /// Its number of tokens in the first.
    pub n_tokens: usize,
}

/// Compares all pairs of `submissions`, ignoring the `handed_out` code.
///
/// What cannot be read is left out and listed; if it was all, [`Comparison::n_compared`] is 0.
pub fn compare(
    submissions: &[Submission],
    handed_out: &[Submission],
    params: CompareParams,
    context: Context<'_>,
) -> Comparison {
    // Submissions are not trees: an attributes file in one does not apply to the others.
    let sources = Sources::bare(context);
    let Context { config, progress, .. } = context;
    let mut skipped = Vec::new();
    progress.begin("reading", submissions.len() + handed_out.len());

    // A winnowed sample of handed-out code would miss what it shares with that of a submission.
    let mut given = HashSet::new();
    let every_kgram = config.fingerprint.of_every_kgram();
    for source in read_all(handed_out, &sources, params.with_words, &mut skipped).iter().flatten() {
        given.extend(prints_of(source, &every_kgram, config).into_iter().map(|(hash, _)| hash));
    }
    let read = read_all(submissions, &sources, params.with_words, &mut skipped);
    let is_exact = params.is_exact || are_small(&read);
    let print_params = if is_exact { every_kgram } else { config.fingerprint };
    let read = read.into_par_iter();
    let mut read: Vec<ReadSubmission> =
        read.map(|sources| ReadSubmission::new(sources, &print_params, &given, config)).collect();
    skipped.sort_unstable();

    progress.begin("comparing", read.len());
    let index = prints::index(&read);
    let max_common = params.max_common.unwrap_or((submissions.len() * 9 / 10).max(MIN_COMMON));
    let n_common = match max_common {
        0 => 0,
        max => prints::remove_common(&mut read, &index, max, &print_params),
    };
    let Ranking { mut pairs, n_compared, n_sharing, most, histogram } =
        ranking::ranked(submissions, &read, &index, &params, progress);
    let clusters = clusters::clusters(submissions.len(), &pairs);
    let joining = pairs.iter().filter(|pair| pair.containment() >= CLUSTERED).take(MAX_LINKS);
    let mut links: Vec<_> = joining.map(|pair| (pair.a, pair.b, pair.containment())).collect();
    links.sort_by(|a, b| b.2.total_cmp(&a.2));
    pairs.truncate(params.max_pairs);

    progress.begin("aligning", pairs.len());
    let limits = pairs.par_iter_mut().map(|pair| {
        progress.step();
        let found = matches(&read[pair.a], &read[pair.b], config);
        (pair.matches, pair.n_matched) = (found.matches, found.n_matched);
        found.limits
    });
    let limited = in_part(limits.collect::<Vec<_>>().into_iter().flatten());
    let texts = texts(&pairs, &read);
    let measured = submissions.iter().zip(&read).map(|(submission, read)| MeasuredSubmission {
        name: submission.name.clone(),
        n_files: read.sources.len(),
        n_tokens: read.sources.iter().map(|source| source.tokens.len()).sum(),
        n_fingerprints: read.n_fingerprints,
        digest: fnv_1a(read.sources.iter().flat_map(|source| source.text.iter().copied())),
    });
    Comparison {
        submissions: measured.collect(),
        pairs,
        n_compared,
        n_sharing,
        most,
        histogram,
        clusters,
        links,
        n_common,
        params: CompareParams { max_common: Some(max_common), ..params },
        k_and_window: (print_params.noise_threshold(), print_params.window().get()),
        skipped,
        limited,
        texts,
    }
}

fn read_all(
    submissions: &[Submission],
    sources: &Sources<'_>,
    with_words: bool,
    skipped: &mut Vec<LeftOut>,
) -> Vec<Vec<Source>> {
    let read = submissions.par_iter().map(|submission| {
        sources.progress.step();
        let reading = SubmissionReader::of(submission, sources, with_words);
        (reading.files, reading.left_out)
    });
    let (files, left_out): (Vec<_>, Vec<_>) = read.unzip();
    skipped.extend(left_out.into_iter().flatten());
    files
}

/// The texts of the files that have a match.
fn texts(pairs: &[Pair], read: &[ReadSubmission]) -> BTreeMap<FilePath, LinedText> {
    let matches = pairs.iter().flat_map(|pair| pair.matches.iter().map(move |of| (pair, of)));
    let paths = matches.flat_map(|(pair, of)| [(pair.a, &of.a.0), (pair.b, &of.b.0)]);
    let matched: HashSet<(usize, &FilePath)> = paths.collect();
    let sources = read.iter().enumerate().flat_map(|(number, read)| {
        let matched = &matched;
        read.sources.iter().filter(move |source| matched.contains(&(number, &source.path)))
    });
    sources.map(|source| (source.path.clone(), source.text.clone().into())).collect()
}
