//! Compares submissions with each other: how much code each shares with each other one, and where.
//!
//! Each submission is a set of fingerprints. Containment and resemblance are those of
//! Broder (1997): the fraction of one set that is in the other, and the shared fraction of
//! both together. Handed-out code is removed from the sets first (Schleimer, Wilkerson,
//! Aiken 2003, section 5: base files).

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::num::NonZeroUsize;
use std::ops::Range;

use rayon::prelude::*;

use super::judge::fragment;
use super::read::{Remembered, Skip, Source, Sources};
use super::{Context, Error};
use crate::config::Config;
use crate::fingerprint::Params;
use crate::git::{Attributes, Entry, ReadFiles};
use crate::index::{Index, Posting};
use crate::matching::{Alignment, ClonePair, CloneType, Shared, alignments, clones, is_telling, seeds};
use crate::policy::Fragment;
use crate::text::{FilePath, Lines};

/// A submission: a name and its files.
#[derive(Debug, Clone)]
pub struct Submission<R> {
    /// Its name.
    pub name: FilePath,
    /// Its files, with paths relative to where `reader` finds them.
    pub entries: Vec<Entry>,
    /// Reads them.
    pub reader: R,
    /// Whether it is a single file, whose path is the name.
    pub is_file: bool,
}

/// How submissions are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompareParams {
    /// Whether every k-gram is a fingerprint, instead of a winnowed sample: exact figures, at several times the memory.
    pub is_exact: bool,
    /// Maximum pairs to keep, the most similar first.
    pub max_pairs: usize,
}

/// The result of a comparison.
#[derive(Debug, Clone)]
pub struct Comparison {
    /// The submissions, in the given order.
    pub submissions: Vec<Compared>,
    /// The pairs that share something, the most similar first.
    pub pairs: Vec<Pair>,
    /// The number of pairs that share something, kept or not.
    pub n_sharing: usize,
    /// k and w of the fingerprints.
    pub k_and_window: (usize, usize),
    /// Files that were not compared although they may be source, and why.
    pub skipped: Vec<(FilePath, Skip)>,
    /// The texts of all files with matches.
    pub texts: BTreeMap<FilePath, Vec<u8>>,
}

/// A submission, measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compared {
    /// Its name.
    pub name: FilePath,
    /// The number of files read.
    pub n_files: usize,
    /// The number of their tokens.
    pub n_tokens: usize,
    /// The number of distinct fingerprints, without those of handed-out code.
    pub n_fingerprints: usize,
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
    /// The number of tokens of the first that are part of matches, and of the second.
    pub n_matched: (usize, usize),
    /// The matches, the longest first.
    pub matches: Vec<Match>,
}

impl Pair {
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

/// A submission after reading.
struct Read {
    sources: Vec<Source>,
    /// For each source, its fingerprints and their positions, without those of handed-out code.
    prints: Vec<Vec<(u64, u32)>>,
    /// For each source and token, whether it is handed-out code.
    handed_out: Vec<Vec<bool>>,
    /// The number of distinct fingerprints.
    n_fingerprints: usize,
}

/// Compares all pairs of `submissions`, ignoring the `handed_out` code.
///
/// # Errors
/// If a file cannot be read.
pub fn compare<R: ReadFiles + Sync>(
    submissions: &[Submission<R>],
    handed_out: &[Submission<R>],
    params: CompareParams,
    context: Context<'_>,
) -> Result<Comparison, Error> {
    let remembered = Remembered::nothing();
    // Submissions are not trees: an attributes file in one does not apply to the others.
    let attributes = Attributes::default();
    let sources = Sources::new(context, &attributes, &remembered);
    let Context { config, progress, .. } = context;
    let print_params = if params.is_exact { every_kgram(&config.fingerprint) } else { config.fingerprint };
    let mut skipped = Vec::new();
    progress.begin("reading", submissions.len() + handed_out.len());

    // A winnowed sample of the handed-out code would miss what it shares with the sample of a submission.
    let mut given = HashSet::new();
    for source in read_all(handed_out, &sources, &mut skipped)?.iter().flatten() {
        given.extend(prints_of(source, &every_kgram(&config.fingerprint), config).into_iter().map(|(hash, _)| hash));
    }
    let read = read_all(submissions, &sources, &mut skipped)?;
    let read: Vec<Read> =
        read.into_par_iter().map(|sources| measured(sources, &print_params, &given, config)).collect();

    progress.begin("comparing", read.len());
    let postings = read.iter().enumerate().flat_map(|(number, read)| {
        let hashes = read.prints.iter().flatten();
        hashes.map(move |&(hash, _)| (hash, Posting { document: number as u32, position: 0 }))
    });
    let index = Index::new(postings);
    let pairs = read.par_iter().enumerate().map(|(a, _)| {
        progress.step();
        pairs_from(a, &read, &index)
    });
    let mut pairs: Vec<Pair> = pairs.flatten().collect();
    let names = |pair: &Pair| (&submissions[pair.a].name, &submissions[pair.b].name);
    pairs.sort_by(|one, other| {
        let alike = |pair: &Pair| (pair.containment(), pair.resemblance);
        let (one_alike, other_alike) = (alike(one), alike(other));
        let by_figures = other_alike.0.total_cmp(&one_alike.0).then(other_alike.1.total_cmp(&one_alike.1));
        by_figures.then(other.n_shared.cmp(&one.n_shared)).then(names(one).cmp(&names(other)))
    });
    let n_sharing = pairs.len();
    pairs.truncate(params.max_pairs);

    progress.begin("aligning", pairs.len());
    pairs.par_iter_mut().for_each(|pair| {
        progress.step();
        (pair.matches, pair.n_matched) = matches(&read[pair.a], &read[pair.b], config);
    });
    let mut texts = BTreeMap::new();
    for (at, of) in
        pairs.iter().flat_map(|pair| pair.matches.iter().flat_map(|found| [(pair.a, &found.a.0), (pair.b, &found.b.0)]))
    {
        if !texts.contains_key(of)
            && let Some(source) = read[at].sources.iter().find(|source| source.path == *of)
        {
            texts.insert(of.clone(), source.text.clone());
        }
    }
    let compared = |(submission, read): (&Submission<R>, &Read)| Compared {
        name: submission.name.clone(),
        n_files: read.sources.len(),
        n_tokens: read.sources.iter().map(|source| source.tokens.len()).sum(),
        n_fingerprints: read.n_fingerprints,
    };
    skipped.retain(|(path, skip)| sources.is_unread(path, *skip));
    Ok(Comparison {
        submissions: submissions.iter().zip(&read).map(compared).collect(),
        pairs,
        n_sharing,
        k_and_window: (print_params.noise_threshold(), print_params.window().get()),
        skipped,
        texts,
    })
}

/// The parameters that select every k-gram.
fn every_kgram(params: &Params) -> Params {
    let k = NonZeroUsize::new(params.noise_threshold()).expect("k is positive in Params");
    Params::new(k, k).expect("t = k is allowed")
}

/// The sources of each submission.
fn read_all<R: ReadFiles + Sync>(
    submissions: &[Submission<R>],
    sources: &Sources<'_>,
    skipped: &mut Vec<(FilePath, Skip)>,
) -> Result<Vec<Vec<Source>>, Error> {
    type Files = Vec<Result<Source, (FilePath, Skip)>>;
    let files = |submission: &Submission<R>| -> Result<Files, Error> {
        sources.progress.step();
        let path = |entry: &Entry| match submission.is_file {
            true => submission.name.clone(),
            false => FilePath::new([submission.name.as_bytes(), b"/", entry.path.as_bytes()].concat()),
        };
        let known = submission.entries.iter().filter(|entry| sources.skip_by_name(&entry.path).is_none());
        known
            .map(|entry| {
                let read = sources.read(&submission.reader, entry)?;
                Ok(read.map(|source| Source { path: path(entry), ..source }).map_err(|skip| (path(entry), skip)))
            })
            .collect()
    };
    let read = submissions.par_iter().map(files).collect::<Result<Vec<Files>, Error>>()?;
    let mut kept = Vec::new();
    for files in read {
        let mut of_one = Vec::new();
        for file in files {
            match file {
                Ok(source) => of_one.push(source),
                Err(skip) => skipped.push(skip),
            }
        }
        kept.push(of_one);
    }
    Ok(kept)
}

/// The informative fingerprints of a source; those of different families differ.
fn prints_of(source: &Source, params: &Params, config: &Config) -> Vec<(u64, u32)> {
    let k = params.noise_threshold();
    let family = source.family.bytes().fold(0u64, |hash, byte| hash.wrapping_mul(31).wrapping_add(u64::from(byte)));
    let mut hashes = Vec::new();
    let telling = |at: usize| is_telling(&source.tokens[at..at + k], config.matching.min_distinct);
    let prints = params.fingerprints(&source.tokens, &mut hashes).filter(|print| telling(print.position as usize));
    prints.map(|print| (print.hash ^ family.wrapping_mul(0x9E37_79B9_7F4A_7C15), print.position)).collect()
}

fn measured(sources: Vec<Source>, params: &Params, given: &HashSet<u64>, config: &Config) -> Read {
    let mut prints: Vec<_> = sources.iter().map(|source| prints_of(source, params, config)).collect();
    for of_one in &mut prints {
        of_one.retain(|(hash, _)| !given.contains(hash));
    }
    let mut distinct: Vec<u64> = prints.iter().flatten().map(|&(hash, _)| hash).collect();
    distinct.sort_unstable();
    distinct.dedup();
    let handed_out = sources.iter().map(|source| handed_out(source, given, config)).collect();
    Read { n_fingerprints: distinct.len(), sources, prints, handed_out }
}

/// For each token, whether a k-gram of handed-out code contains it.
fn handed_out(source: &Source, given: &HashSet<u64>, config: &Config) -> Vec<bool> {
    let mut is_given = vec![false; source.tokens.len()];
    if !given.is_empty() {
        let params = every_kgram(&config.fingerprint);
        for (hash, position) in prints_of(source, &params, config) {
            if given.contains(&hash) {
                is_given[position as usize..position as usize + params.noise_threshold()].fill(true);
            }
        }
    }
    is_given
}

/// The pairs of submission `a` with each later one that shares a fingerprint with it.
fn pairs_from(a: usize, read: &[Read], index: &Index) -> Vec<Pair> {
    let mut n_shared = vec![0usize; read.len()];
    let mut own: Vec<u64> = read[a].prints.iter().flatten().map(|&(hash, _)| hash).collect();
    own.sort_unstable();
    own.dedup();
    for posting in own.iter().flat_map(|&hash| index.postings(hash)) {
        n_shared[posting.document as usize] += 1;
    }
    let pair = |b: usize| {
        let n = n_shared[b];
        let (n_a, n_b) = (read[a].n_fingerprints, read[b].n_fingerprints);
        (n > 0).then(|| Pair {
            a,
            b,
            n_shared: n,
            resemblance: n as f64 / (n_a + n_b - n) as f64,
            a_in_b: n as f64 / n_a as f64,
            b_in_a: n as f64 / n_b as f64,
            n_matched: (0, 0),
            matches: Vec::new(),
        })
    };
    (a + 1..read.len()).filter_map(pair).collect()
}

/// A clone of two files, by their numbers in the submissions.
struct FoundPair {
    files: (usize, usize),
    pair: ClonePair,
}

impl FoundPair {
    /// How well it explains its fragments: of two, the one that is joined from pieces explains less.
    fn evidence(&self) -> i64 {
        let n_gap = self.pair.alignment.query().len() - self.pair.alignment.n_tokens();
        self.pair.n_exact as i64 - n_gap as i64
    }
}

/// The matches of two submissions, and how many tokens of each they cover; each token is in at most one match.
///
/// The best match takes its tokens on both sides, and what is left of the next one is judged again, so an exact match
/// is never hidden by a longer one that merely spans it.
fn matches(a: &Read, b: &Read, config: &Config) -> (Vec<Match>, (usize, usize)) {
    let mut found = Vec::new();
    for (files, shared) in shared(a, b) {
        found.extend(clones_of(a, b, files, &shared, config));
    }
    found.sort_by_cached_key(|found| {
        (
            Reverse(found.evidence()),
            found.files,
            found.pair.alignment.query().start,
            found.pair.alignment.target().start,
        )
    });
    let unmatched = |read: &Read| read.sources.iter().map(|source| vec![true; source.tokens.len()]).collect::<Vec<_>>();
    let (mut free_a, mut free_b) = (unmatched(a), unmatched(b));
    let mut matches = Vec::new();
    for FoundPair { files, pair } in found {
        let (query, target) = (&a.sources[files.0], &b.sources[files.1]);
        let (of_a, of_b) = (&mut free_a[files.0], &mut free_b[files.1]);
        let left: Alignment = pair.alignment.pairs().filter(|&(at, to)| of_a[at] && of_b[to]).collect();
        let pairs = match left.n_tokens() == pair.alignment.n_tokens() {
            true => vec![pair],
            false => clones(left, &query.tokens, &target.tokens, &config.matching),
        };
        for pair in pairs.into_iter().filter(|pair| pair.alignment.n_tokens() >= config.min_tokens) {
            let (in_query, in_target) = (pair.alignment.query(), pair.alignment.target());
            // What is in its gaps may be part of another match.
            for (at, to) in pair.alignment.pairs() {
                (of_a[at], of_b[to]) = (false, false);
            }
            let of_query = fragment(&query.text, &Lines::new(&query.text), &query.tokens[in_query.clone()]);
            let of_target = fragment(&target.text, &Lines::new(&target.text), &target.tokens[in_target]);
            let (Some(of_query), Some(of_target)) = (of_query, of_target) else { continue };
            let found = Match {
                a: (query.path.clone(), of_query),
                b: (target.path.clone(), of_target),
                clone_type: pair.clone_type,
                similarity: pair.similarity,
                n_tokens: in_query.len(),
            };
            matches.push((found, files));
        }
    }
    matches.sort_by_cached_key(|(found, files)| (Reverse(found.n_tokens), *files, found.a.1));
    let n = |free: &[Vec<bool>]| free.iter().flatten().filter(|&&free| !free).count();
    (matches.into_iter().map(|(found, _)| found).collect(), (n(&free_a), n(&free_b)))
}

/// The fingerprints that each two files share.
fn shared(a: &Read, b: &Read) -> BTreeMap<(usize, usize), Vec<Shared>> {
    let mut of_b: HashMap<u64, Vec<(usize, u32)>> = HashMap::new();
    for (file, prints) in b.prints.iter().enumerate() {
        for &(hash, position) in prints {
            of_b.entry(hash).or_default().push((file, position));
        }
    }
    let mut shared: BTreeMap<(usize, usize), Vec<Shared>> = BTreeMap::new();
    for (file, prints) in a.prints.iter().enumerate() {
        let mut prints = prints.clone();
        prints.sort_unstable();
        for of_one in prints.chunk_by(|a, b| a.0 == b.0) {
            let Some(places) = of_b.get(&of_one[0].0) else { continue };
            let query: Vec<u32> = of_one.iter().map(|&(_, position)| position).collect();
            for of_other in places.chunk_by(|a, b| a.0 == b.0) {
                let target = of_other.iter().map(|&(_, position)| position).collect();
                shared.entry((file, of_other[0].0)).or_default().push(Shared { query: query.clone(), target });
            }
        }
    }
    shared
}

/// The clones of two files in code that was not handed out.
fn clones_of(a: &Read, b: &Read, files: (usize, usize), shared: &[Shared], config: &Config) -> Vec<FoundPair> {
    let (query, target) = (&a.sources[files.0], &b.sources[files.1]);
    let mut seeds = seeds(query.document(), target.document(), shared, config.matching.k, false);
    let mut found = Vec::new();
    for alignment in alignments(query.document(), target.document(), &mut seeds, &config.matching, false).alignments {
        for own in own_runs(alignment.query(), &a.handed_out[files.0], config.matching.k) {
            let pairs = clones(alignment.within(own), &query.tokens, &target.tokens, &config.matching);
            found.extend(pairs.into_iter().map(|pair| FoundPair { files, pair }));
        }
    }
    found
}

/// The runs of `range` that were not handed out; fewer than `k` handed-out tokens in a row do not split a run.
fn own_runs(range: Range<usize>, handed_out: &[bool], k: usize) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for at in range.filter(|&at| !handed_out[at]) {
        match runs.last_mut() {
            Some(last) if at - last.end < k => last.end = at + 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}
