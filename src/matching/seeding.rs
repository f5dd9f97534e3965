//! Pairs the occurrences of shared k-grams into seeds, without pairing each with each.
//!
//! A k-gram that occurs `a` times in the query and `b` times in the target could give `a * b`
//! seeds. Repetitive code (rows of a table, similar functions, generated accessors) makes that
//! quadratic, and dropping such k-grams would lose whole copies. Instead, each occurrence of a
//! repeated k-gram is paired with the few in the other document whose surroundings are most
//! similar, as a suffix array would find them.
//!
//! Guarantee: an occurrence in the query that is part of an exact or consistently renamed run of up
//! to `CONTEXT` tokens is paired with an occurrence of the target that is part of a run at least as
//! long on that side.
//!
//! ```text
//! query    ... A x B ...  A y B ...          A's first occurrence is paired with the one before `x`,
//! target   ... A y B ...  A z B ...  A x B   not with all three
//! ```

use std::cmp::Reverse;
use std::sync::OnceLock;

use foldhash::{HashMap, HashMapExt};

use crate::language::Token;
use crate::text::common_prefix_by;

/// A k-gram that a query and a target share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seed {
    /// The position of its first token in the query.
    pub query: u32,
    /// The position of its first token in the target.
    pub target: u32,
}

impl Seed {
    #[inline]
    pub(super) fn diagonal(&self) -> i64 {
        i64::from(self.target) - i64::from(self.query)
    }
}

/// Whether a k-gram is informative; tables, lists and rows of the same shape are not.
///
/// A k-gram has low entropy if it has fewer than `min_distinct` distinct tokens, counting names and
/// literals by class, or if it repeats itself with a period of at most a third of its length.
pub fn is_telling(kgram: &[Token], min_distinct: usize) -> bool {
    // A run of only literals and punctuation is data.
    has_distinct(kgram, min_distinct) && !is_periodic(kgram) && kgram.iter().any(Token::is_word)
}

/// Most have `n` distinct tokens near their beginning.
fn has_distinct(kgram: &[Token], n: usize) -> bool {
    let mut firsts = (0..kgram.len())
        .filter(|&at| kgram[..at].iter().all(|token| token.symbol != kgram[at].symbol));
    n == 0 || firsts.nth(n - 1).is_some()
}

fn is_periodic(kgram: &[Token]) -> bool {
    (1..=kgram.len() / 3)
        .any(|period| kgram[period..].iter().zip(kgram).all(|(a, b)| a.symbol == b.symbol))
}

/// The occurrences of one k-gram in two documents, by the position of its first token, ascending.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SharedKgram {
    /// Positions in the query.
    pub query: Vec<u32>,
    /// Positions in the target.
    pub target: Vec<u32>,
}

/// Maximum pairs of occurrences for which every pair becomes a seed. Above it, only the most
/// similar ones are paired. Higher takes time in proportion and finds no more: it only avoids
/// comparing surroundings.
const MAX_PAIRS: usize = 16;

/// Number of tokens on either side by which repeated occurrences are distinguished. Runs that agree
/// for longer count as equally similar, and the nearest is used. Takes time in proportion, and 4
/// bytes for each repeated occurrence.
const CONTEXT: usize = 64;

/// Maximum seeds of a k-gram with so many occurrences in the query and in the target.
pub fn max_seeds(n_query: usize, n_target: usize) -> usize {
    let n_pairs = n_query * n_target;
    if n_pairs <= MAX_PAIRS { n_pairs } else { View::ALL.len() * n_query }
}

/// One of two documents to pair occurrences in; each may be compared with many others.
#[derive(Debug)]
pub struct SeedSide<'s> {
    tokens: &'s [Token],
    /// Where its names recur, once that was needed.
    recurrences: OnceLock<Recurrences>,
}

impl<'s> SeedSide<'s> {
    /// A document with these tokens.
    pub fn new(tokens: &'s [Token]) -> Self {
        Self { tokens, recurrences: OnceLock::new() }
    }
}

/// Pairs the occurrences of the k-grams that `query` and `target` share; `is_same` if they are one
/// document.
///
/// Time O(n · CONTEXT · log n) for n occurrences in both; memory O(m · CONTEXT) for the m
/// occurrences of the most frequent k-gram. Gives at most `MAX_PAIRS` seeds for a rare k-gram, and
/// four for each occurrence of a repeated one.
pub fn seeds(
    query: &SeedSide<'_>,
    target: &SeedSide<'_>,
    shared: &[SharedKgram],
    k: usize,
    is_same: bool,
) -> Vec<Seed> {
    let mut seeds = Vec::new();
    for of_kgram in shared {
        let SharedKgram { query: of_query, target: of_target } = of_kgram;
        if of_query.len() * of_target.len() <= MAX_PAIRS {
            let all = of_query
                .iter()
                .flat_map(|&query| of_target.iter().map(move |&target| Seed { query, target }));
            seeds.extend(all.filter(|seed| !is_same || seed.query != seed.target));
        } else {
            let contexts = [query, target].map(|side| Contexts::new(side, k));
            for reading in View::ALL {
                pair_most_alike(of_kgram, &contexts, reading, is_same, &mut seeds);
            }
        }
    }
    seeds.sort_unstable();
    seeds.dedup();
    seeds
}

/// How to read the surroundings of an occurrence: in which direction, and whether names count by
/// their spelling or by the distance to their last occurrence (Baker's p-match, 1995), which a
/// consistent renaming does not change.
#[derive(Debug, Clone, Copy)]
enum View {
    ExactRight,
    ExactLeft,
    RenamedRight,
    RenamedLeft,
}

impl View {
    const ALL: [Self; 4] =
        [Self::ExactRight, Self::ExactLeft, Self::RenamedRight, Self::RenamedLeft];
}

type Context = [u32; CONTEXT];

/// Where the names of a document recur.
#[derive(Debug)]
struct Recurrences {
    /// For each token, the distance to the previous one with the same name, 0 if there is none.
    before: Vec<u32>,
    /// Likewise to the next one.
    after: Vec<u32>,
}

impl Recurrences {
    fn new(tokens: &[Token]) -> Self {
        let mut last: HashMap<u32, usize> = HashMap::new();
        let (mut before, mut after) = (vec![0; tokens.len()], vec![0; tokens.len()]);
        let names = (0..).zip(tokens).filter(|(_, token)| token.is_name());
        for (at, token) in names {
            if let Some(earlier) = last.insert(token.exact, at) {
                before[at] = (at - earlier) as u32;
                after[earlier] = (at - earlier) as u32;
            }
        }
        Self { before, after }
    }
}

/// Reads the surroundings of positions in one document.
struct Contexts<'t> {
    tokens: &'t [Token],
    k: usize,
    /// As in [`Recurrences`].
    before: &'t [u32],
    after: &'t [u32],
}

impl<'t> Contexts<'t> {
    fn new(SeedSide { tokens, recurrences }: &'t SeedSide<'_>, k: usize) -> Self {
        let Recurrences { before, after } = recurrences.get_or_init(|| Recurrences::new(tokens));
        Self { tokens, k, before, after }
    }

    /// The surroundings of the k-gram at `at`: the k-gram and what follows it, or the k-gram and
    /// what precedes it, backward. Beyond an end of the document they are 0, which no token reads
    /// as.
    fn of(&self, at: u32, reading: View) -> Context {
        let mut context = [0; CONTEXT];
        let at = at as usize;
        match reading {
            View::ExactRight | View::RenamedRight => {
                let end = (at + CONTEXT).min(self.tokens.len());
                for (place, slot) in (at..end).zip(&mut context) {
                    *slot = self.read(place, reading, self.before[place], place - at);
                }
            }
            View::ExactLeft | View::RenamedLeft => {
                let end = (at + self.k).min(self.tokens.len());
                for (place, slot) in (0..end).rev().zip(&mut context) {
                    *slot = self.read(place, reading, self.after[place], end - 1 - place);
                }
            }
        }
        context
    }

    /// Reads one token. With renaming, a name becomes the distance to its last occurrence if that
    /// is among the `n_read` tokens read before it, which is what "the same name again" means
    /// within the surroundings.
    ///
    /// Spelled names and other tokens are odd, distances are even from 2 on, and 0 is beyond the
    /// end: no two of them collide.
    fn read(&self, at: usize, reading: View, distance: u32, n_read: usize) -> u32 {
        let token = &self.tokens[at];
        match reading {
            View::ExactRight | View::ExactLeft => token.exact | 1,
            _ if !token.is_name() => token.symbol.get() | 1,
            _ if distance as usize <= n_read => 2 * distance + 2,
            _ => 2,
        }
    }
}

/// Pairs each occurrence in the query with the one of the target whose surroundings agree with its
/// own for longest. On a tie the nearest position wins, so that consecutive repeats are paired in
/// step.
fn pair_most_alike(
    shared: &SharedKgram,
    [own, other]: &[Contexts<'_>; 2],
    reading: View,
    is_same: bool,
    seeds: &mut Vec<Seed>,
) {
    // A small suffix array: sorting the surroundings puts those with the longest common prefix next
    // to each other. For
    //
    // query    ... f ( 7 ) ; ...
    // target   ... f ( 2 ) ; ...   f ( 7 ) , ...   f ( 7 ) ; ...   f ( 9 ) ; ...
    //
    // a binary search finds the place of the query's surroundings between two entries, and the best
    // match is one of these two: further away, the common prefix can only get shorter.
    let mut sorted: Vec<(Context, u32)> =
        shared.target.iter().map(|&at| (other.of(at, reading), at)).collect();
    sorted.sort_unstable();
    for &query in &shared.query {
        let key = (own.of(query, reading), query);
        let at = sorted.partition_point(|place| *place < key);
        // The neighbors of the query's own place; in one document, the occurrence itself is not a
        // partner.
        let before = sorted[..at].iter().rev().find(|place| !is_same || place.1 != query);
        let after = sorted[at..].iter().find(|place| !is_same || place.1 != query);
        let neighbors = before.into_iter().chain(after).map(|(context, target)| {
            let n_alike = common_prefix_by(context, &key.0, |a, b| a == b);
            (n_alike, Reverse(target.abs_diff(query)), Reverse(*target))
        });
        // The k-gram itself has to agree in this reading too. It has the same symbols on both
        // sides, but with exact spelling an agreement on less would pair arbitrary occurrences.
        if let Some((n_alike, _, Reverse(target))) = neighbors.max()
            && n_alike >= own.k.min(CONTEXT)
        {
            seeds.push(Seed { query, target });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::c_tokens;
    use super::*;
    use crate::language::Symbol;

    fn shared(query: &[Token], target: &[Token], k: usize) -> Vec<SharedKgram> {
        let mut found: HashMap<Vec<Symbol>, SharedKgram> = HashMap::new();
        let kgram = |tokens: &[Token]| tokens.iter().map(|token| token.symbol).collect();
        for (at, tokens) in (0..).zip(query.windows(k)) {
            found.entry(kgram(tokens)).or_default().query.push(at);
        }
        for (at, tokens) in (0..).zip(target.windows(k)) {
            found.entry(kgram(tokens)).or_default().target.push(at);
        }
        let is_shared = |of: &SharedKgram| !of.query.is_empty() && !of.target.is_empty();
        found.into_values().filter(is_shared).collect()
    }

    fn seeds_of(query: &str, target: &str, k: usize) -> Vec<Seed> {
        let (own, other) = (c_tokens(query), c_tokens(target));
        let is_same = query == target;
        let shared = shared(&own, &other, k);
        seeds(&SeedSide::new(&own), &SeedSide::new(&other), &shared, k, is_same)
    }

    fn rows(names: impl Iterator<Item = usize>) -> String {
        names.map(|n| format!("f{n}(g, {n});\n")).collect()
    }

    #[test]
    fn rows_of_one_shape_are_paired_with_those_that_are_spelled_the_same() {
        let seeds = seeds_of(&rows(20..40), &rows(0..60), 7);
        let n_per_row = c_tokens(&rows(0..1)).len() as u32;
        assert!(seeds.contains(&Seed { query: 0, target: 20 * n_per_row }), "{seeds:?}");
    }

    #[test]
    fn renamed_code_among_repeats_is_paired_by_where_its_names_recur() {
        let body = |a: &str, b: &str| format!("{a} = {b} + {a};\n");
        let nine = |a: &str, b: &str| body(a, b).repeat(9);
        let target = nine("x", "y") + &body("x", "x") + &nine("y", "x");
        let seeds = seeds_of(&nine("u", "u"), &target, 6);
        let n_per_row = c_tokens(&body("a", "b")).len() as u32;
        assert!(seeds.iter().any(|seed| seed.target == 9 * n_per_row), "{seeds:?}");
    }

    #[test]
    fn seeds_grow_with_the_text_and_not_with_its_square() {
        let n = |n_rows: usize| seeds_of(&rows(0..n_rows), &rows(0..n_rows), 7).len();
        let (small, large) = (n(200), n(400));
        assert!(large <= 2 * small + 64, "{small} and {large}");
    }

    #[test]
    fn a_k_gram_has_no_more_seeds_than_said() {
        for (n_query, n_target) in [(1, 1), (2, 8), (4, 5), (40, 3), (3, 40), (40, 40)] {
            let (query, target) = (rows(0..n_query), rows(0..n_target));
            let (own, other) = (c_tokens(&query), c_tokens(&target));
            let all = shared(&own, &other, 7);
            let max: usize = all.iter().map(|of| max_seeds(of.query.len(), of.target.len())).sum();
            let n = seeds(&SeedSide::new(&own), &SeedSide::new(&other), &all, 7, false).len();
            assert!(0 < n && n <= max, "{n} of {max} for {n_query} and {n_target} rows");
        }
    }

    #[test]
    fn a_document_is_never_paired_with_itself_in_place() {
        let seeds = seeds_of(&rows(0..40), &rows(0..40), 7);
        assert!(seeds.iter().all(|seed| seed.query != seed.target));
    }

    #[test]
    fn tables_and_rows_of_one_shape_do_not_tell() {
        assert!(!is_telling(&c_tokens("1, 2, 3, 4, 5, 6, 7, 8"), 4));
        assert!(!is_telling(&c_tokens("{ 1, \"a\" }, { 2, \"b\" }, { 3, \"c\" }"), 4));
        assert!(!is_telling(&c_tokens("a(b); c(d); e(f); g(h);"), 4));
        assert!(is_telling(&c_tokens("if (a < b) return c[d];"), 4));
    }
}
