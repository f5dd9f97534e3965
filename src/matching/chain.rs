//! Chains seeds: finds runs of shared k-grams in the same order on both sides.
//!
//! Invariant: the seeds of a chain strictly ascend in the query and in the target.

/// A k-gram that a query and a target share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seed {
    /// The position of its first token in the query.
    pub query: u32,
    /// The position of its first token in the target.
    pub target: u32,
}

/// Seeds looked back over for a predecessor. Higher joins chains across
/// repeats, and costs time in proportion.
const LOOK_BACK: usize = 64;

/// A distance of this many tokens between two seeds' diagonals costs a chain as much as one token that
/// is not matched: a chance seed does not join two copies that have nothing to do with each other.
/// Lower joins copies with more inserted in between.
const DIAGONAL_STEP: i64 = 4;

/// Finds the colinear chains of `seeds`, the best first; each seed is in at most one.
///
/// The chaining of minimap2 (Li 2018, section 2.1): a seed adds the tokens it
/// covers anew, less a cost for leaving the diagonal, to the best of the
/// seeds before it that lie within `max_gap` tokens on both sides.
///
/// `k` is the length of a seed in tokens. Sorts `seeds`.
/// Time O(n log n + 64 n), memory O(n).
pub fn chains(seeds: &mut Vec<Seed>, k: usize, max_gap: usize) -> Vec<Vec<Seed>> {
    seeds.sort_unstable();
    seeds.dedup();
    let (scores, before) = best_predecessors(seeds, k as i64, max_gap as i64);
    let mut by_score: Vec<usize> = (0..seeds.len()).collect();
    by_score.sort_by_key(|&at| (std::cmp::Reverse(scores[at]), at));

    let mut is_used = vec![false; seeds.len()];
    let mut chains = Vec::new();
    for last in by_score {
        let mut chain = Vec::new();
        let mut next = Some(last);
        while let Some(at) = next.filter(|&at| !is_used[at]) {
            is_used[at] = true;
            chain.push(seeds[at]);
            next = before[at];
        }
        if !chain.is_empty() {
            chain.reverse();
            chains.push(chain);
        }
    }
    chains
}

/// For each seed the score of the best chain that ends with it, in units of 1 / [`DIAGONAL_STEP`] token, and its predecessor.
fn best_predecessors(seeds: &[Seed], k: i64, max_gap: i64) -> (Vec<i64>, Vec<Option<usize>>) {
    let mut scores = vec![k * DIAGONAL_STEP; seeds.len()];
    let mut before = vec![None; seeds.len()];
    for at in 0..seeds.len() {
        for earlier in (at.saturating_sub(LOOK_BACK)..at).rev() {
            let in_query = i64::from(seeds[at].query) - i64::from(seeds[earlier].query);
            let in_target = i64::from(seeds[at].target) - i64::from(seeds[earlier].target);
            if in_query - k > max_gap {
                break;
            }
            if in_query <= 0 || in_target <= 0 || in_target - k > max_gap {
                continue;
            }
            let n_new = in_query.min(in_target).min(k);
            let score = scores[earlier] + n_new * DIAGONAL_STEP - (in_query - in_target).abs();
            if score > scores[at] {
                scores[at] = score;
                before[at] = Some(earlier);
            }
        }
    }
    (scores, before)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seeds(pairs: &[(u32, u32)]) -> Vec<Seed> {
        pairs.iter().map(|&(query, target)| Seed { query, target }).collect()
    }

    #[test]
    fn seeds_in_the_same_order_are_one_chain_across_a_gap() {
        let found = chains(&mut seeds(&[(0, 100), (10, 110), (60, 140), (75, 155)]), 10, 100);
        assert_eq!(found, [seeds(&[(0, 100), (10, 110), (60, 140), (75, 155)])]);
    }

    #[test]
    fn seeds_in_another_order_are_two_chains() {
        let found = chains(&mut seeds(&[(0, 200), (10, 210), (30, 100), (40, 110)]), 10, 100);
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn a_wide_gap_separates() {
        assert_eq!(chains(&mut seeds(&[(0, 0), (500, 500)]), 10, 100).len(), 2);
    }
}
