//! Finds files by their words.
//!
//! Fingerprints find what agrees for some tokens in a row, whatever its names are. A function that
//! was written anew for the same purpose has no such run, and still uses the words of the purpose:
//! in names, messages and comments.

use super::lookup::Lookup;
use crate::matching::{Bag, Rarity};

/// Which words of the queries each file has.
pub(in crate::audit) struct WordIndex<'w> {
    /// The words, sorted.
    words: &'w [u32],
    /// The numbers of the files that have any, and of the words of each.
    files: Vec<(usize, &'w [u32])>,
    /// For each word, the number of files that have it.
    n_having: Vec<usize>,
    n_files: usize,
}

impl<'w> WordIndex<'w> {
    /// What was looked up of a set of queries, in `n_files` files.
    pub fn new(lookup: &'w Lookup<'_>, set: usize, n_files: usize) -> Self {
        let words = lookup.sets[set].map_or(&[][..], |queries| &queries.words);
        let files = lookup.words(set);
        let mut n_having = vec![0; words.len()];
        for &word in files.iter().flat_map(|(_, words)| *words) {
            n_having[word as usize] += 1;
        }
        Self { words, files, n_having, n_files }
    }

    /// How rare the words of a bag are.
    pub fn rarity<'b>(&self, asked: &'b Bag) -> Rarity<'b> {
        let n_having = |word| self.number(word).map_or(0, |number| self.n_having[number]);
        Rarity::new(asked, n_having, self.n_files)
    }

    /// The numbers of the `max` files with most words of a bag; of equals, first by `distance`.
    ///
    /// Time O(n log n) for n words of all files together.
    pub fn closest(
        &self,
        rarity: &Rarity<'_>,
        max: usize,
        distance: impl Fn(usize) -> usize,
    ) -> Vec<usize> {
        let mut weights = vec![0.0; self.words.len()];
        for (word, weight) in rarity.weights() {
            if let Some(number) = self.number(word) {
                weights[number] = weight;
            }
        }
        let weighed = self.files.iter().map(|&(file, words)| {
            let weights = words.iter().map(|&word| weights[word as usize]);
            (weights.sum::<f64>(), distance(file), file)
        });
        let mut best: Vec<(f64, usize, usize)> = weighed.collect();
        best.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        best.into_iter().take(max).map(|(.., file)| file).collect()
    }

    fn number(&self, word: u32) -> Option<usize> {
        self.words.binary_search(&word).ok()
    }
}
