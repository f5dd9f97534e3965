//! Chains runs: finds those that follow each other in the same order on both sides.
//!
//! Invariant: the runs of a chain strictly ascend in the query and in the target.
//!
//! ```text
//! target ^        / c          a and c are a chain: both sides go on, across a gap in each;
//!        |    / b              b leaves their diagonal, and is a chain of its own
//!        |  a/
//!        +--------------> query
//! ```

use super::alignment::Block;

/// Runs looked back over for a predecessor. Higher joins chains across
/// repeats, and costs time in proportion.
const LOOK_BACK: usize = 64;

/// A distance of this many tokens between two runs' diagonals costs a chain as much as one token that
/// is not matched: a chance run does not join two copies that have nothing to do with each other.
/// Lower joins copies with more inserted in between.
const DIAGONAL_STEP: i64 = 4;

/// Finds the colinear chains of `runs`, the best first; each run is in exactly one.
///
/// The chaining of minimap2 (Li 2018, section 2.1), of whole runs: a run adds the tokens it
/// covers anew, less a cost for leaving the diagonal, to the best of the
/// runs before it that lie within `max_gap` tokens on both sides. A run may overlap its predecessor.
///
/// A run is never entered midway. Chaining k-grams instead lets a chain that comes from elsewhere
/// step into the middle of a copy and leave its beginning behind.
///
/// Sorts `runs`. Time O(n log n + 64 n), memory O(n).
pub fn chains(runs: &mut [Block], max_gap: usize) -> Vec<Vec<Block>> {
    runs.sort_unstable();
    let (scores, before) = best_predecessors(runs, max_gap as i64);
    let mut by_score: Vec<usize> = (0..runs.len()).collect();
    by_score.sort_by_key(|&at| (std::cmp::Reverse(scores[at]), at));

    let mut is_used = vec![false; runs.len()];
    let mut chains = Vec::new();
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

/// For each run the score of the best chain that ends with it, in units of 1 / [`DIAGONAL_STEP`] token, and its predecessor.
fn best_predecessors(runs: &[Block], max_gap: i64) -> (Vec<i64>, Vec<Option<usize>>) {
    let mut scores: Vec<i64> = runs.iter().map(|run| i64::from(run.len) * DIAGONAL_STEP).collect();
    let mut before = vec![None; runs.len()];
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
            // Of two runs that overlap the later adds what is beyond the end of the earlier, on both sides.
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
    fn runs_in_the_same_order_are_one_chain_across_a_gap() {
        let all = [(0, 100, 20), (60, 140, 15), (75, 160, 10)];
        assert_eq!(chains(&mut runs(&all), 100), [runs(&all)]);
    }

    #[test]
    fn runs_in_another_order_are_two_chains() {
        assert_eq!(chains(&mut runs(&[(0, 200, 20), (30, 100, 20)]), 100).len(), 2);
    }

    #[test]
    fn a_wide_gap_separates() {
        assert_eq!(chains(&mut runs(&[(0, 0, 10), (500, 500, 10)]), 100).len(), 2);
    }

    #[test]
    fn a_run_that_the_one_before_it_covers_is_a_chain_of_its_own() {
        assert_eq!(chains(&mut runs(&[(0, 0, 50), (10, 12, 30)]), 100).len(), 2);
    }
}
