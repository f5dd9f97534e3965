//! Remembers the long stretches of a query that are certainly copied, in which chains to elsewhere
//! are no news.
//!
//! ```text
//! target ^        / .
//!        |   g2 -/           f and g are alike in both of two near-equal files. The chains f1-g2 and g1-f2 say so once
//!        |      / .          more: they are in the middle of a copied stretch, and the target is known to have it all.
//!        |   . /             Only what is spelled more like its other place is still of interest.
//!        | f2 /- .
//!        |   /
//!        +--f1--g1----> query
//! ```

use super::alignment::Block;
use crate::language::Token;

/// How many times as long as a chain a copied stretch has to be for the chain to be no news within
/// it.
const WITHIN: u32 = 8;

/// The long stretches of a query with equal symbols and agreeing names in the target: both starts
/// and ends ascend.
pub(super) struct CopiedStretches(Vec<Block>);

impl CopiedStretches {
    /// Takes what is long enough from the stretches whose names agree. No chain has fewer than half
    /// of `min_run` tokens.
    pub fn new(agreeing: &[Block], min_run: usize) -> Self {
        let mut long = agreeing.to_vec();
        long.retain(|stretch| 2 * stretch.len as usize >= WITHIN as usize * min_run);
        long.sort_unstable_by_key(|stretch| {
            (stretch.query, std::cmp::Reverse(stretch.len), stretch.target)
        });
        let mut end = 0;
        long.retain(|stretch| {
            let before = end;
            end = end.max(stretch.query + stretch.len);
            before < end
        });
        Self(long)
    }

    /// Whether a chain is in a much longer stretch, and spells no more of it the same. Time
    /// O(chain).
    pub fn holds(&self, chain: &[Block], query: &[Token], target: &[Token]) -> bool {
        let (Some(first), Some(last)) = (chain.first(), chain.last()) else { return false };
        let n_before = self.0.partition_point(|stretch| stretch.query <= first.query);
        let Some(stretch) = n_before.checked_sub(1).map(|at| self.0[at]) else { return false };
        let end = last.query + last.len;
        if end > stretch.query + stretch.len || WITHIN * (end - first.query) > stretch.len {
            return false;
        }
        let n_spelled: usize = chain.iter().map(|run| run.n_spelled(query, target)).sum();
        let in_stretch = chain.iter().map(|run| stretch.part(run.query - stretch.query, run.len));
        n_spelled <= in_stretch.map(|run| run.n_spelled(query, target)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::c_tokens;
    use super::*;

    #[test]
    fn a_chain_in_a_copied_stretch_is_no_news_unless_it_spells_more_the_same() {
        let text: String = (0..40).map(|n| format!("a{} = f(1);\n", n % 20)).collect();
        let query = c_tokens(&text);
        let n_row = query.len() as u32 / 40;
        let stretch = Block { query: 0, target: 0, len: 40 * n_row };
        let holds = |run: Block, target: &str| {
            CopiedStretches::new(&[stretch], 7).holds(&[run], &query, &c_tokens(target))
        };
        let row = Block { query: 3 * n_row, target: 9 * n_row, len: 2 * n_row };
        assert!(holds(row, &text));
        assert!(!holds(Block { len: 6 * n_row, ..row }, &text), "it is not much shorter");
        assert!(!holds(Block { query: 39 * n_row, ..row }, &text), "it goes on behind the stretch");
        let renamed = text.replace("a3 ", "b ").replace("a4 ", "b ");
        let nearby = renamed.replacen("a9 = f(1);\na10 = f(1);", "a3 = f(1);\na4 = f(1);", 1);
        assert!(!holds(row, &nearby), "the other place is spelled more alike");
    }
}
