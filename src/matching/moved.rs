//! Finds code that was moved as it is: cut from one place, and pasted into another.
//!
//! A move is certain where enough tokens in a row are spelled the same, so most moves are found
//! here, in time that grows with the change. Alignments, which compare documents in pairs, only
//! have to find what was edited on the way.

use std::num::NonZeroUsize;

use foldhash::{HashMap, HashMapExt};

use super::alignment::Block;
use crate::fingerprint::hash_spelled;
use crate::language::Token;

/// Tokens, and which of them are part of the change.
#[derive(Debug, Clone, Copy)]
pub struct ChangeTokens<'m> {
    /// All tokens of a file.
    pub tokens: &'m [Token],
    /// For each token whether it is removed, or novel.
    pub is_marked: &'m [bool],
}

/// A run that was moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MovedRun {
    /// The number of the file that has it now.
    pub to: usize,
    /// The number of the file that had it.
    pub from: usize,
    /// Its positions now (the query), and then (the target).
    pub block: Block,
}

/// Maximum places that a stretch of code is compared with to find the longest run.
const MAX_PLACES: usize = 8;
/// Maximum places to look through for those.
const MAX_SEEN: usize = 64;

/// Pairs novel tokens of `head` with removed tokens of `base` in runs that are spelled the same, of
/// at least as many tokens as `min_runs` has for the file of the head. Each token is in one run at
/// most. The longest runs are paired first: whole files, then functions, then what is left of
/// functions.
///
/// Of the base, only every n-th window of n tokens is indexed, and all windows of the head are
/// looked up, so a run of 2 n - 1 tokens always meets one (one-sided sampling). Time O(n log n) for
/// each of the few lengths, memory 16 bytes for each indexed window.
pub fn moved_runs(
    head: &[ChangeTokens<'_>],
    base: &[ChangeTokens<'_>],
    min_runs: &[usize],
) -> Vec<MovedRun> {
    let Some(&min_tokens) = min_runs.iter().min() else { return Vec::new() };
    let [to, from] =
        [head, base].map(|side| side.iter().map(|file| file.is_marked.to_vec()).collect());
    let mut sides = Sides { head, base, to, from, min_runs };
    let mut found = Vec::new();
    for factor in [32, 8, 2, 1] {
        pair_runs(&mut sides, factor * min_tokens, &mut found);
    }
    found
}

/// The hash of a window, the number of its file and its first token.
type Place = (u64, u32, u32);

/// Both sides of a change, and which tokens are not paired yet.
struct Sides<'s> {
    head: &'s [ChangeTokens<'s>],
    base: &'s [ChangeTokens<'s>],
    to: Vec<Vec<bool>>,
    from: Vec<Vec<bool>>,
    min_runs: &'s [usize],
}

/// Pairs the runs of `min_tokens` or more, if the file asks for no more, in the order of `head`.
fn pair_runs(sides: &mut Sides<'_>, min_tokens: usize, found: &mut Vec<MovedRun>) {
    let Some(window) = NonZeroUsize::new(min_tokens.div_ceil(2)) else { return };
    let n = window.get();
    let mut hashes = Vec::new();
    let mut places: Vec<Place> = Vec::new();
    for (number, file) in sides.base.iter().enumerate() {
        for stretch in stretches(&sides.from[number], min_tokens) {
            hash_spelled(&file.tokens[stretch.clone()], window, &mut hashes);
            let sampled = (stretch.start..).zip(&hashes).step_by(n);
            places.extend(sampled.map(|(at, &hash)| (hash, number as u32, at as u32)));
        }
    }
    places.sort_unstable();
    if places.is_empty() {
        return;
    }
    // Places are mostly taken in order: how many of those with a hash are, so that they are not
    // looked at again.
    let mut n_taken: HashMap<u64, usize> = HashMap::new();
    for (number, file) in sides.head.iter().enumerate() {
        let min_run = min_tokens.max(sides.min_runs[number]);
        for stretch in stretches(&sides.to[number], min_run) {
            hash_spelled(&file.tokens[stretch.clone()], window, &mut hashes);
            let mut at = 0;
            while let Some(&hash) = hashes.get(at) {
                let all = of_hash(&places, hash);
                let n_first = n_taken.entry(hash).or_default();
                *n_first +=
                    all[*n_first..].iter().take_while(|place| !sides.is_free(place, n)).count();
                match sides.longest(number, stretch.start + at, n, &all[*n_first..]) {
                    Some(moved) if moved.block.len as usize >= min_run => {
                        sides.take(&moved);
                        found.push(moved);
                        at = (moved.block.query + moved.block.len) as usize - stretch.start;
                    }
                    _ => at += 1,
                }
            }
        }
    }
}

fn of_hash(places: &[Place], hash: u64) -> &[Place] {
    let from = places.partition_point(|place| place.0 < hash);
    let n = places[from..].partition_point(|place| place.0 == hash);
    &places[from..from + n]
}

fn stretches(is_marked: &[bool], min_tokens: usize) -> Vec<std::ops::Range<usize>> {
    let runs = is_marked.chunk_by(|a, b| a == b).scan(0, |at, run| {
        let start = *at;
        *at += run.len();
        Some((run[0], start..*at))
    });
    let marked = runs.filter(|(is_marked, run)| *is_marked && run.len() >= min_tokens);
    marked.map(|(_, run)| run).collect()
}

impl Sides<'_> {
    /// The longest run around `n` tokens of the head, at one of these places that is free.
    fn longest(&self, number: usize, at: usize, n: usize, places: &[Place]) -> Option<MovedRun> {
        let seen = places.iter().take(MAX_SEEN);
        let free = seen.filter(|place| self.is_free(place, n)).take(MAX_PLACES);
        let runs =
            free.map(|&(_, from, place)| self.run(number, at, from as usize, place as usize));
        runs.reduce(|best, run| if run.block.len > best.block.len { run } else { best })
    }

    /// Whether the `n` tokens at a place are not paired yet, by the first and the last.
    fn is_free(&self, &(_, from, place): &Place, n: usize) -> bool {
        let (of_file, place) = (&self.from[from as usize], place as usize);
        of_file[place] && of_file[place + n - 1]
    }

    fn run(&self, to: usize, at: usize, from: usize, place: usize) -> MovedRun {
        let max = (self.to[to].len() - at).min(self.from[from].len() - place);
        let (before, behind) = (1..=at.min(place), 0..max);
        let n_before = before.take_while(|n| self.is_pair((to, at - n), (from, place - n))).count();
        let n_behind = behind.take_while(|n| self.is_pair((to, at + n), (from, place + n))).count();
        let (query, target) = ((at - n_before) as u32, (place - n_before) as u32);
        MovedRun { to, from, block: Block { query, target, len: (n_before + n_behind) as u32 } }
    }

    /// Whether tokens of two files, of the head and of the base, are spelled the same and not
    /// paired yet.
    #[inline]
    fn is_pair(&self, (to, a): (usize, usize), (from, b): (usize, usize)) -> bool {
        self.to[to][a]
            && self.from[from][b]
            && self.head[to].tokens[a].is_same(&self.base[from].tokens[b])
    }

    fn take(&mut self, &MovedRun { to, from, block }: &MovedRun) {
        self.to[to][block.in_query()].fill(false);
        self.from[from][block.in_target()].fill(false);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::c_tokens;
    use super::*;

    /// The runs that were moved, as file, file and length, when everything changed, of at least so
    /// many tokens for each file.
    fn moved_of(head: &[&str], base: &[&str], min_runs: &[usize]) -> Vec<(usize, usize, u32)> {
        let is_marked = vec![true; 1_000];
        let tokens = |texts: &[&str]| texts.iter().map(|text| c_tokens(text)).collect::<Vec<_>>();
        let (head, base) = (tokens(head), tokens(base));
        let changed =
            |tokens| ChangeTokens { tokens, is_marked: &is_marked[..<[Token]>::len(tokens)] };
        let [head, base] =
            [&head, &base].map(|all| all.iter().map(|tokens| changed(tokens)).collect::<Vec<_>>());
        let runs = moved_runs(&head, &base, min_runs).into_iter();
        runs.map(|run| (run.to, run.from, run.block.len)).collect()
    }

    fn moved(head: &[&str], base: &[&str]) -> Vec<(usize, usize, u32)> {
        moved_of(head, base, &vec![8; head.len()])
    }

    const F: &str = "int f(int a) { return a + b * 7 - g(a, 9); }";
    const G: &str = "void g(char *s) { while (*s) put(s++, out); }";

    #[test]
    fn functions_in_another_order_are_each_found() {
        let (n_f, n_g) = (c_tokens(F).len() as u32, c_tokens(G).len() as u32);
        let found = moved(&[&format!("{G}\n{F}")], &[&format!("{F}\n{G}")]);
        assert_eq!(found, [(0, 0, n_g), (0, 0, n_f)]);
    }

    #[test]
    fn what_was_cut_once_is_moved_once() {
        assert_eq!(moved(&[F, F], &[F]).len(), 1);
        assert_eq!(moved(&[F, F, F], &[F, G, F]).len(), 2);
    }

    #[test]
    fn the_longer_run_is_taken_first() {
        let both = format!("{F}\n{G}").repeat(3);
        let n = c_tokens(&both).len() as u32;
        assert_eq!(moved(&[G, &both], &[&both]), [(1, 0, n)]);
    }

    #[test]
    fn each_file_has_its_own_minimum() {
        for (min_runs, expected) in [([8, 8], &[0, 1][..]), ([100, 8], &[1]), ([8, 100], &[0])] {
            let found = moved_of(&[F, G], &[F, G], &min_runs);
            assert_eq!(found.iter().map(|(to, ..)| *to).collect::<Vec<_>>(), expected);
        }
        assert_eq!(moved(&["x = y + z;"], &["x = y + z;"]), []);
    }
}
