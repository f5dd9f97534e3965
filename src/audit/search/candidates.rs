//! Chooses which queries to align with which files, by their shared fingerprints.
//!
//! Most code that many files have is an idiom, and aligning a query with all of them shows the same
//! thing a thousand times. So for each query, the files that share most with it come first, and a
//! file is skipped if every fingerprint it shares, and every few in a row, was already explained
//! often enough by those before it. A short copy must be rare, too: a file that shares only a few
//! fingerprints, all of them common, holds none.
//!
//! ```text
//! fingerprints of the query     a b c d e f g h
//! file 1                        x x x x x x . .     taken
//! file 2                        x x x . . x . .     skipped if a b c f were already explained often enough
//! file 3                        . . . . . x x x     taken: nothing has explained g and h yet
//! ```

use std::cmp::Reverse;
use std::collections::BTreeMap;

use foldhash::{HashMap, HashSet};
use rayon::prelude::*;

use super::queries::{LimitedQuery, Queries, places_in};
use crate::audit::read::distinct;
use crate::matching::{max_seeds, mean_rarity};
use crate::text::FilePath;

/// Number of fingerprints in a row that are explained together: they are more than shapes.
const IN_A_ROW: usize = 4;

/// Maximum pairs of a query and a file for one fingerprint; beyond it, only the first
/// [`FIRST_FILES`] count. Bounds the time if hundreds of changed files resemble hundreds of others.
const MAX_PAIRS: usize = 64 * 64;
const FIRST_FILES: usize = 64;
/// Maximum seeds to align, for each fingerprint of the queries and in total, before fewer files are
/// taken. This way, the work grows with the change and not with its square.
const SEEDS_PER_FINGERPRINT: usize = 8;
const SEEDS_IN_ALL: usize = 600_000;
/// The cost of a pair in addition to its seeds, in seeds.
const COST_OF_PAIR: usize = 64;

pub(super) struct Overlap<'f> {
    pub file: usize,
    pub path: &'f FilePath,
    /// Whether the change adds or modifies the file; existing code is the better origin.
    pub is_new: bool,
    /// The distinct fingerprints it shares, by the number of their first row, sorted.
    pub rows: Vec<u32>,
}

/// The files to align, by number, and the queries to align each with.
pub(super) struct Candidates {
    pub queries_of: BTreeMap<usize, Vec<usize>>,
    pub n_passed_over: usize,
    /// The queries for which fewer files were chosen than settings ask for.
    pub limited: Vec<LimitedQuery>,
}

/// Chooses at most `max_files` of `files`, which are in the order of their paths, for each
/// fingerprint of each query; fewer if aligning them would take quadratic time in the change. If it
/// is known how many documents have each fingerprint, files with no rare enough copy are left out.
///
/// Time O(p log p) for p pairs of a query and a file that share a fingerprint, up to [`MAX_PAIRS`]
/// for each fingerprint. Memory: what the files share, and the pairs of one query in each thread.
/// All pairs of 10,000 changed files took more than a gigabyte, so they are found again for each
/// attempt, of which there are three at most.
pub(super) fn choose(
    queries: &Queries<'_>,
    files: &[Overlap<'_>],
    n_documents: Option<&BTreeMap<u32, u32>>,
    max_files: usize,
) -> Candidates {
    let pairs = Pairs::new(queries, files, n_documents);
    // The seeds to align before fewer files are taken: linear in the change, not in its square.
    let budget = SEEDS_PER_FINGERPRINT * queries.index.len() + SEEDS_IN_ALL;
    let max_files = max_files.max(1);
    let mut taken = pairs.of_queries(|of_query| of_query.taken(max_files));
    let mut limited = Vec::new();
    if taken.iter().map(|taken| taken.cost).sum::<usize>() > budget {
        // A quarter fewer files for each fingerprint until that is cheap enough.
        let first = (max_files * 3 / 4).max(1);
        let fewer = std::iter::successors(Some(first), |&max| (max > 1).then_some(max * 3 / 4));
        let fewer: Vec<usize> = fewer.collect();
        let costs: Vec<Vec<usize>> = pairs
            .of_queries(|of_query| fewer.iter().map(|&max| of_query.taken(max).cost).collect());
        let chosen = (0..fewer.len() - 1)
            .find(|&number| costs.iter().map(|costs| costs[number]).sum::<usize>() <= budget);
        let chosen = fewer[chosen.unwrap_or(fewer.len() - 1)];
        taken = pairs.of_queries(|of_query| of_query.taken(chosen));
        let cut = taken.iter().enumerate().filter(|(_, taken)| taken.n_passed_over > 0);
        limited.extend(cut.map(|(query, taken)| {
            let n_aligned = taken.files.len();
            LimitedQuery { query, n_sharing: n_aligned + taken.n_passed_over, n_aligned }
        }));
    }
    let n_passed_over = taken.iter().map(|taken| taken.n_passed_over).sum();
    let mut queries_of: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (query, taken) in taken.iter().enumerate() {
        for &file in &taken.files {
            queries_of.entry(files[file as usize].file).or_default().push(query);
        }
    }
    Candidates { queries_of, n_passed_over, limited }
}

/// The pairs of a query and a file that share fingerprints.
struct Pairs<'p> {
    queries: &'p Queries<'p>,
    files: &'p [Overlap<'p>],
    /// For each fingerprint, the files to follow it to, by their places in `files`.
    followed: HashMap<u32, Vec<u32>>,
    /// The fingerprints that more files have.
    is_cut: HashSet<u32>,
    n_documents: Option<&'p BTreeMap<u32, u32>>,
}

impl<'p> Pairs<'p> {
    fn new(
        queries: &'p Queries<'p>,
        files: &'p [Overlap<'p>],
        n_documents: Option<&'p BTreeMap<u32, u32>>,
    ) -> Self {
        let mut order: Vec<usize> = (0..files.len()).collect();
        order.sort_unstable_by_key(|&at| (files[at].is_new, Reverse(files[at].rows.len()), at));
        let mut followed: HashMap<u32, Vec<u32>> = HashMap::default();
        let mut is_cut = HashSet::default();
        for at in order {
            for &row in &files[at].rows {
                if is_cut.contains(&row) {
                    continue;
                }
                let of_row = followed.entry(row).or_default();
                let n = of_row.len() + 1;
                if n <= FIRST_FILES || n * queries.postings(row).len() <= MAX_PAIRS {
                    of_row.push(at as u32);
                } else {
                    is_cut.insert(row);
                }
            }
        }
        Self { queries, files, followed, is_cut, n_documents }
    }

    fn of_queries<T: Send>(&self, answer: impl Fn(&OfQuery<'_>) -> T + Sync) -> Vec<T> {
        let queries = (0..self.queries.sources.len()).into_par_iter();
        queries.map(|query| self.of_query(query, &answer)).collect()
    }

    fn of_query<T>(&self, query: usize, answer: impl Fn(&OfQuery<'_>) -> T) -> T {
        let sequence = self.queries.sequence(query);
        let rows = distinct(sequence.iter().copied());
        let numbers =
            sequence.iter().map(|row| rows.binary_search(row).expect("rows are of the sequence"));
        let sequence: Vec<u32> = numbers.map(|number| number as u32).collect();
        let mut shared: Vec<(u32, u32)> = Vec::new();
        for (number, row) in rows.iter().enumerate() {
            let files = self.followed.get(row).map_or(&[][..], Vec::as_slice);
            shared.extend(files.iter().map(|&file| (file, number as u32)));
        }
        shared.sort_unstable();
        let is_rare = self.are_rare(query, &rows);
        let min_tokens = self.queries.thresholds[query].min_tokens;
        // A whole function counts however common it is, and half of it may be edited.
        let least = self.queries.config.fingerprint.n_guaranteed(min_tokens).div_ceil(2);
        let of_files = shared.chunk_by(|a, b| a.0 == b.0).filter(|shared| {
            shared.len() >= least || shared.iter().any(|&(_, row)| is_rare[row as usize])
        });
        let mut ranked: Vec<&[(u32, u32)]> = of_files.collect();
        let path = &self.queries.sources[query].path;
        ranked.sort_by_cached_key(|shared| {
            let at = shared[0].0 as usize;
            let file = &self.files[at];
            (file.is_new, Reverse(shared.len()), file.path.distance(path), at)
        });
        let mut n_times = vec![0; rows.len()];
        sequence.iter().for_each(|&row| n_times[row as usize] += 1);
        let n_seeds: Vec<usize> = n_times.into_iter().map(|n| max_seeds(n, n)).collect();
        let is_cut = rows.iter().any(|row| self.is_cut.contains(row));
        let files = is_cut.then_some(self.files);
        answer(&OfQuery { sequence, rows, n_seeds, ranked, files })
    }

    /// For each of the `rows` of a query, whether a short copy with nothing rarer is reported.
    fn are_rare(&self, query: usize, rows: &[u32]) -> Vec<bool> {
        let min_rarity = self.queries.thresholds[query].min_rarity;
        let n_documents = rows.iter().map(|row| self.n_documents.map(|n| n.get(row).copied()));
        n_documents.map(|n| n.is_none_or(|n| mean_rarity(n.into_iter()) >= min_rarity)).collect()
    }
}

/// The files that share something with one query.
struct OfQuery<'q> {
    /// Its fingerprints in the order of its tokens.
    sequence: Vec<u32>,
    /// Its distinct fingerprints, sorted: the number of one is its place here.
    rows: Vec<u32>,
    /// For each of these, its seeds with a file that has it as often: how often is not known yet.
    n_seeds: Vec<usize>,
    /// The best file first, each with the fingerprints it shares.
    ranked: Vec<&'q [(u32, u32)]>,
    /// All files, if what one shares may be more than what it was found by.
    files: Option<&'q [Overlap<'q>]>,
}

struct ChosenFiles {
    files: Vec<u32>,
    n_passed_over: usize,
    /// In seeds.
    cost: usize,
}

impl OfQuery<'_> {
    /// The files that explain something of the query which fewer than `max_files` before them did.
    fn taken(&self, max_files: usize) -> ChosenFiles {
        let mut n_explained = vec![0usize; self.rows.len()];
        let mut n_explained_in_a_row = vec![0usize; self.sequence.len()];
        let mut is_shared = vec![false; self.rows.len()];
        let mut taken = ChosenFiles { files: Vec::new(), n_passed_over: 0, cost: 0 };
        let mut ends = Vec::new();
        for shared in &self.ranked {
            let found_by: Vec<u32> = shared.iter().map(|&(_, row)| row).collect();
            self.ends_in_a_row(&found_by, &mut is_shared, &mut ends);
            let is_new = found_by.iter().any(|&row| n_explained[row as usize] < max_files);
            if !is_new && ends.iter().all(|&at| n_explained_in_a_row[at] >= max_files) {
                taken.n_passed_over += 1;
                continue;
            }
            let file = shared[0].0;
            let all = self.files.map_or(found_by, |files| {
                places_in(&self.rows, files[file as usize].rows.iter().copied())
            });
            if self.files.is_some() {
                self.ends_in_a_row(&all, &mut is_shared, &mut ends);
            }
            taken.files.push(file);
            taken.cost +=
                all.iter().map(|&row| self.n_seeds[row as usize]).sum::<usize>() + COST_OF_PAIR;
            all.iter().for_each(|&row| n_explained[row as usize] += 1);
            ends.iter().for_each(|&at| n_explained_in_a_row[at] += 1);
        }
        taken
    }

    /// The places in the sequence where [`IN_A_ROW`] of these fingerprints end.
    fn ends_in_a_row(&self, of: &[u32], is_shared: &mut [bool], ends: &mut Vec<usize>) {
        ends.clear();
        // Fewer than that can only be in a row if they repeat.
        if of.len() < IN_A_ROW && self.sequence.len() == self.rows.len() {
            return;
        }
        of.iter().for_each(|&row| is_shared[row as usize] = true);
        let mut n_in_a_row = 0;
        for (at, &row) in self.sequence.iter().enumerate() {
            n_in_a_row = if is_shared[row as usize] { n_in_a_row + 1 } else { 0 };
            if n_in_a_row >= IN_A_ROW {
                ends.push(at);
            }
        }
        of.iter().for_each(|&row| is_shared[row as usize] = false);
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::audit::read::Source;
    use crate::config::{Config, RawConfig};
    use crate::language::Languages;

    #[test]
    fn a_file_with_a_few_common_fingerprints_is_not_aligned() {
        let operators = ["+", "-", "*", "/", "%", "&", "|", "^", "<", ">", ",", ";", "?"];
        let text: String =
            (0..60).map(|at| format!("a {} ", operators[at * at * at % 13])).collect();
        let mut tokens = Vec::new();
        let languages = Languages::builtin();
        languages.get("c").expect("C is built in").lexer.tokenize(text.as_bytes(), &mut tokens);
        let asked = vec![true; tokens.len()];
        let path = FilePath::new("new.c");
        let source = Source::plain(path, text.into(), tokens, ["c", "c"]);
        let config = Config::new(RawConfig::default(), "a test").expect("the defaults are valid");
        let queries = Queries::new(vec![(&source, Cow::Owned(asked))], &config);
        let rows: Vec<u32> = distinct(queries.distinct().into_iter().map(|(row, _)| row));
        let min_tokens = config.thresholds(&source.path, None).min_tokens;
        let least = config.fingerprint.n_guaranteed(min_tokens).div_ceil(2);
        assert!(rows.len() > least, "{rows:?}");
        let chosen = |n_rows: usize, n: u32| {
            let path = FilePath::new("old.c");
            let rows = rows[..n_rows].to_vec();
            let n_documents = rows.iter().map(|&row| (row, n)).collect();
            let files = [Overlap { file: 0, path: &path, is_new: false, rows }];
            !choose(&queries, &files, Some(&n_documents), 64).queries_of.is_empty()
        };
        // A fingerprint in 20 files counts a quarter.
        assert_eq!([1, least - 1].map(|n_rows| chosen(n_rows, 20)), [true, true]);
        assert_eq!([1, least - 1].map(|n_rows| chosen(n_rows, 21)), [false, false]);
        assert!(chosen(least, 1_000), "this may be a long copy, or a whole function");
    }
}
