//! Chooses which queries to align with which files, by their shared fingerprints.
//!
//! Most code that many files have is an idiom, and aligning a query with all of them shows the same thing a thousand
//! times. So for each query, the files that share most with it come first, and a file is skipped if every fingerprint
//! it shares, and every few in a row, was already explained often enough by those before it.
//!
//! ```text
//! fingerprints of the query     a b c d e f g h
//! file 1                        x x x x x x . .     taken
//! file 2                        x x x . . x . .     skipped if a b c f were already explained often enough
//! file 3                        . . . . . x x x     taken: nothing has explained g and h yet
//! ```

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use rayon::prelude::*;

use super::queries::{Limited, Queries};
use crate::text::FilePath;

/// Number of fingerprints in a row that are explained together: a file that has them in a row shares more than shapes.
const IN_A_ROW: usize = 4;

/// Maximum pairs of a query and a file to consider for one fingerprint; beyond it, only the first [`FIRST_FILES`] of
/// its files count. Bounds the time if hundreds of changed files resemble hundreds of others.
const MAX_PAIRS: usize = 64 * 64;
const FIRST_FILES: usize = 64;

/// Maximum shared fingerprints to align, for each fingerprint of the queries and in total, before fewer files are
/// taken. This way, the work grows with the change and not with its square.
const ALIGNED_PER_FINGERPRINT: usize = 3;
const ALIGNED_IN_ALL: usize = 150_000;
/// The cost of a pair in addition to its fingerprints, in fingerprints.
const COST_OF_PAIR: usize = 64;

/// A file and what it shares with the queries.
pub(super) struct Sharing<'f> {
    /// The number of the file.
    pub file: usize,
    pub path: &'f FilePath,
    /// Whether the change adds or modifies the file; existing code is the better origin.
    pub is_new: bool,
    /// The distinct fingerprints it shares, by the number of their first row, sorted.
    pub rows: Vec<u32>,
}

/// The files to align, by number, and the queries to align each with; and how many pairs were skipped.
pub(super) struct Candidates {
    pub queries_of: BTreeMap<usize, Vec<usize>>,
    pub n_passed_over: usize,
    /// The queries for which fewer files were chosen than settings ask for.
    pub limited: Vec<Limited>,
}

/// Chooses at most `max_files` files for each fingerprint of each query; fewer if the change and the tree are so
/// similar that aligning them would take quadratic time in the change.
///
/// Time O(p log p) for p pairs of a query and a file that share a fingerprint, up to [`MAX_PAIRS`] for each fingerprint.
pub(super) fn choose(queries: &Queries<'_>, files: &[Sharing<'_>], max_files: usize) -> Candidates {
    let mut order: Vec<usize> = (0..files.len()).collect();
    order.sort_by_key(|&at| (files[at].is_new, Reverse(files[at].rows.len()), files[at].path));
    let mut n_files: HashMap<u32, usize> = HashMap::new();
    let mut of_query: Vec<HashMap<usize, Vec<u32>>> = vec![HashMap::new(); queries.sources().len()];
    for &at in &order {
        for &row in &files[at].rows {
            let n_before = n_files.entry(row).or_default();
            *n_before += 1;
            let postings = queries.postings(row);
            if *n_before > FIRST_FILES && *n_before * postings.len() > MAX_PAIRS {
                continue;
            }
            for of_one in postings.chunk_by(|a, b| a.1.document == b.1.document) {
                of_query[of_one[0].1.document as usize].entry(at).or_default().push(row);
            }
        }
    }
    let ranked: Vec<Vec<(usize, Vec<u32>)>> = of_query
        .into_par_iter()
        .enumerate()
        .map(|(query, sharing)| {
            let path = &queries.sources()[query].path;
            let mut sharing: Vec<(usize, Vec<u32>)> = sharing.into_iter().collect();
            sharing.sort_by_cached_key(|(at, rows)| {
                let file = &files[*at];
                (file.is_new, Reverse(rows.len()), file.path.distance(path), file.path.clone())
            });
            sharing
        })
        .collect();
    let n_asked: usize = queries.n_postings();
    let budget = ALIGNED_PER_FINGERPRINT * n_asked + ALIGNED_IN_ALL;
    let all_files = max_files.max(1);
    let mut max_files = all_files;
    loop {
        let taken: Vec<Vec<usize>> =
            ranked.par_iter().enumerate().map(|(query, ranked)| taken(queries, query, ranked, max_files)).collect();
        let cost_of = |(ranked, taken): (&Vec<(usize, Vec<u32>)>, &Vec<usize>)| -> usize {
            taken.iter().map(|&place| ranked[place].1.len() + COST_OF_PAIR).sum()
        };
        let cost: usize = ranked.iter().zip(&taken).map(cost_of).sum();
        if cost > budget && max_files > 1 {
            max_files = (max_files / 2).max(1);
            continue;
        }
        let n_pairs: usize = ranked.iter().map(Vec::len).sum();
        let mut queries_of: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (query, taken) in taken.iter().enumerate() {
            for &place in taken {
                queries_of.entry(files[ranked[query][place].0].file).or_default().push(query);
            }
        }
        let n_taken: usize = taken.iter().map(Vec::len).sum();
        let limited = |(query, (ranked, taken)): (usize, (&Vec<_>, &Vec<usize>))| {
            let is_limited = max_files < all_files && taken.len() < ranked.len();
            is_limited.then_some(Limited { query, n_sharing: ranked.len(), n_aligned: taken.len() })
        };
        let limited = ranked.iter().zip(&taken).enumerate().filter_map(limited).collect();
        return Candidates { queries_of, n_passed_over: n_pairs - n_taken, limited };
    }
}

/// The positions in `ranked` of the files that explain something of a query which fewer than `max_files` before them
/// did.
fn taken(queries: &Queries<'_>, query: usize, ranked: &[(usize, Vec<u32>)], max_files: usize) -> Vec<usize> {
    let sequence = queries.sequence(query);
    let mut n_explained: HashMap<u32, usize> = HashMap::new();
    let mut n_explained_in_a_row = vec![0usize; sequence.len()];
    let mut taken = Vec::new();
    for (place, (_, rows)) in ranked.iter().enumerate() {
        let mut rows = rows.clone();
        rows.sort_unstable();
        let mut ends = Vec::new();
        let mut n_in_a_row = 0;
        for (at, row) in sequence.iter().enumerate() {
            n_in_a_row = if rows.binary_search(row).is_ok() { n_in_a_row + 1 } else { 0 };
            if n_in_a_row >= IN_A_ROW {
                ends.push(at);
            }
        }
        let is_needed = rows.iter().any(|row| n_explained.get(row).is_none_or(|&n| n < max_files))
            || ends.iter().any(|&at| n_explained_in_a_row[at] < max_files);
        if is_needed {
            taken.push(place);
            rows.iter().for_each(|&row| *n_explained.entry(row).or_default() += 1);
            ends.iter().for_each(|&at| n_explained_in_a_row[at] += 1);
        }
    }
    taken
}
