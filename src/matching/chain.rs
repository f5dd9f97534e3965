//! Chains runs: finds those that follow each other in the same order on both sides.
//!
//! Invariant: the runs of a chain strictly ascend in the query and in the target.
//!
//! ```text
//! target ^        / c          a and c are a chain: both sides continue, across a gap in each;
//!        |    / b              b leaves their diagonal, and is a chain of its own
//!        |  a/
//!        +--------------> query
//! ```

use super::alignment::Block;

/// Number of earlier runs to check for a predecessor. Higher joins chains across more repeats, and
/// takes time in proportion.
const LOOK_BACK: usize = 64;

/// Leaving the diagonal by this many tokens costs as much as one unmatched token, so that a chance
/// run does not join two unrelated copies. Lower values penalize it more.
const DIAGONAL_STEP: i64 = 4;

/// Finds the colinear chains of `runs`, the best first; each run is in exactly one.
///
/// The chaining of minimap2 (Li 2018, section 2.1), but of whole runs: a run adds the tokens that
/// it newly covers, minus a cost for leaving the diagonal, to the best of the earlier runs within
/// `max_gap` tokens on both sides. A run may overlap its predecessor.
///
/// A run is never entered midway. Chaining k-grams instead would let a chain from elsewhere step
/// into the middle of a copy and leave its beginning behind.
///
/// For example, with `max_gap` 100 and runs written as (query, target, length), in quarter tokens:
///
/// ```text
/// a = (0, 100, 20)     20 · 4                           =  80
/// b = (60, 140, 15)    80 + 15 · 4 - |60 - 40|          = 120, after a
/// c = (75, 160, 10)    120 + 10 · 4 - |15 - 20|         = 155, after b; after a it is 80 + 40 - 15 = 105
/// ```
///
/// Sorts `runs`. Time O(n log n + 64 n), memory O(n).
pub fn chains(runs: &mut [Block], max_gap: usize) -> Vec<Vec<Block>> {
    runs.sort_unstable();
    let (scores, before) = best_predecessors(runs, max_gap as i64);
    let mut by_score: Vec<usize> = (0..runs.len()).collect();
    by_score.sort_by_key(|&at| (std::cmp::Reverse(scores[at]), at));

    let mut is_used = vec![false; runs.len()];
    let mut chains = Vec::new();
    // Take chains from the best end down, following predecessors until a run is already used. A
    // weaker chain that shares its beginning with a stronger one thus keeps only its own end. Its
    // score is not recomputed: it only decides the order.
    for last in by_score {
        let mut chain = Vec::new();
        let mut next = Some(last);
        while let Some(at) = next.filter(|&at| !is_used[at]) {
            is_used[at] = true;
            chain.push(runs[at]);
            next = before[at];
        }
        if !chain.is_empty() {
            chain.reverse();
            chains.push(chain);
        }
    }
    chains
}

/// For each run, the score of the best chain that ends with it, in units of 1 / [`DIAGONAL_STEP`]
/// token, and its predecessor.
fn best_predecessors(runs: &[Block], max_gap: i64) -> (Vec<i64>, Vec<Option<usize>>) {
    let mut scores: Vec<i64> = runs.iter().map(|run| i64::from(run.len) * DIAGONAL_STEP).collect();
    let mut before = vec![None; runs.len()];
    // Runs are sorted by query position, so every possible predecessor is earlier in the list. The
    // nearest ones are tried first, and only a strictly better one replaces them, so the nearest
    // wins a tie.
    for at in 0..runs.len() {
        let run = &runs[at];
        for earlier in (at.saturating_sub(LOOK_BACK)..at).rev() {
            let from = &runs[earlier];
            let in_query = i64::from(run.query) - i64::from(from.query);
            let in_target = i64::from(run.target) - i64::from(from.target);
            let len = i64::from(from.len);
            if in_query <= 0 || in_target <= 0 || in_query.max(in_target) - len > max_gap {
                continue;
            }
            // If two runs overlap, the later one adds only what is beyond the end of the earlier
            // one, on both sides.
            let n_overlap = (len - in_query.min(in_target)).max(0);
            let n_new = i64::from(run.len) - n_overlap;
            let score = scores[earlier] + n_new * DIAGONAL_STEP - (in_query - in_target).abs();
            if n_new > 0 && score > scores[at] {
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

    fn runs(blocks: &[(u32, u32, u32)]) -> Vec<Block> {
        blocks.iter().map(|&(query, target, len)| Block { query, target, len }).collect()
    }

    #[test]
    fn runs_in_the_same_order_are_one_chain_across_a_gap_and_others_are_two() {
        let all = [(0, 100, 20), (60, 140, 15), (75, 160, 10)];
        assert_eq!(chains(&mut runs(&all), 100), [runs(&all)]);
        let in_another_order = [(0, 200, 20), (30, 100, 20)];
        let across_a_wide_gap = [(0, 0, 10), (500, 500, 10)];
        let in_the_one_before = [(0, 0, 50), (10, 12, 30)];
        for apart in [in_another_order, across_a_wide_gap, in_the_one_before] {
            assert_eq!(chains(&mut runs(&apart), 100).len(), 2);
        }
    }
}
