//! Splits an alignment where its parts are worth more alone.
//!
//! A chain joins everything in the same order on both sides: an edited copy across its edits, but
//! also two functions that have nothing in common but their order. The gaps tell these cases apart:
//! a part stays joined to the others only while it is worth more than the gap to them costs.
//!
//! ```text
//! aligned     40      100     30  12   60          with a gap token at 1/2:
//!          |------| . . . . |---| . |------|       the gap of 100 costs 50, more than the 40 before it: split;
//! gap            100            12                 the gap of 12 costs 6, less than either side: joined
//! ```

use super::alignment::{Alignment, Block};

/// Minimum length of an equal run to count for a part: shorter ones agree by chance, and only make
/// their gap smaller.
const COUNTED_RUN: u32 = 8;

/// The parts of `alignment` that stay joined at a cost of `gap_cost` for each gap token, a matched
/// token being worth 1.
///
/// These are its maximal scoring subsequences (Ruzzo and Tompa 1999): each part scores more than
/// any piece of it, and no part can be extended to score more. A gap counts the tokens of its
/// larger side minus those aligned in it. Time and memory O(n) for n blocks.
pub fn parts(alignment: &Alignment, gap_cost: f64) -> Vec<Alignment> {
    let blocks = &alignment.blocks;
    // The paper's list of candidates: a part with the sum of all scores before its first and after
    // its last block.
    struct Part {
        first: usize,
        last: usize,
        before: f64,
        behind: f64,
    }
    let mut found: Vec<Part> = Vec::new();
    let mut sum = 0.0;
    let mut previous = None;
    for at in (0..blocks.len()).filter(|&at| blocks[at].len >= COUNTED_RUN) {
        if let Some(previous) = previous.replace(at) {
            sum -= gap_cost * gap(&blocks[previous..=at]) as f64;
        }
        let before = sum;
        sum += f64::from(blocks[at].len);
        let mut part = Part { first: at, last: at, before, behind: sum };
        // Join with the nearest earlier part that begins lower, unless that one ends at least as
        // high as this one does. Parts in between begin higher and are joined as well, so each is
        // visited once.
        while let Some(earlier) = found.iter().rposition(|earlier| earlier.before < part.before) {
            if found[earlier].behind >= part.behind {
                break;
            }
            part.first = found[earlier].first;
            part.before = found[earlier].before;
            found.truncate(earlier);
        }
        found.push(part);
    }
    // The ends of the alignment were trimmed already: short blocks there belong to the parts next
    // to them.
    if let Some(first) = found.first_mut() {
        first.first = 0;
    }
    if let Some(last) = found.last_mut() {
        last.last = blocks.len() - 1;
    }
    let parts = found.into_iter().map(|part| &blocks[part.first..=part.last]);
    parts.map(|blocks| Alignment { blocks: blocks.to_vec() }).collect()
}

/// The tokens between the first and the last of `blocks` on the longer side, minus those that are
/// aligned.
fn gap(blocks: &[Block]) -> u32 {
    let [first, between @ .., last] = blocks else { return 0 };
    let n_aligned: u32 = between.iter().map(|block| block.len).sum();
    first.gap_to(last) - n_aligned
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alignment(lengths_and_gaps: &[(u32, u32)]) -> Alignment {
        let (mut query, mut target) = (0, 0);
        let mut blocks = Vec::new();
        for &(len, gap) in lengths_and_gaps {
            blocks.push(Block { query, target, len });
            query += len + gap;
            target += len;
        }
        Alignment { blocks }
    }

    fn n_tokens(lengths_and_gaps: &[(u32, u32)], gap_cost: f64) -> Vec<usize> {
        parts(&alignment(lengths_and_gaps), gap_cost).iter().map(Alignment::n_tokens).collect()
    }

    #[test]
    fn a_part_is_joined_while_both_sides_are_worth_more_than_the_gap() {
        assert_eq!(n_tokens(&[(40, 100), (30, 12), (60, 0)], 0.5), [40, 90]);
        assert_eq!(n_tokens(&[(40, 70), (30, 12), (60, 0)], 0.5), [130]);
        assert_eq!(n_tokens(&[(500, 100), (40, 0)], 0.5), [500, 40]);
        assert_eq!(n_tokens(&[(10, 8), (10, 8), (10, 8), (10, 8), (10, 0)], 1.0), [50]);
    }

    #[test]
    fn a_short_block_makes_its_gap_smaller_and_is_no_part_but_at_an_end() {
        assert_eq!(n_tokens(&[(20, 10), (4, 10), (20, 0)], 1.5), [20, 20]);
        assert_eq!(n_tokens(&[(20, 6), (4, 6), (20, 0)], 1.5), [44]);
        assert_eq!(n_tokens(&[(5, 10), (40, 100), (30, 10), (5, 0)], 0.5), [45, 35]);
    }

    /// The definition: no sequence of neighbors scores more than a part, among those that remain
    /// when better ones are taken.
    #[test]
    fn the_best_part_scores_as_much_as_any() {
        let mut seed = 7u32;
        let mut random = |n: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) % n
        };
        for _ in 0..500 {
            let all: Vec<(u32, u32)> = (0..12).map(|_| (8 + random(40), 1 + random(60))).collect();
            let score = |part: &[(u32, u32)]| {
                let gaps: u32 = part[..part.len() - 1].iter().map(|(_, gap)| gap).sum();
                f64::from(part.iter().map(|(len, _)| len).sum::<u32>()) - f64::from(gaps)
            };
            let any = (1..=all.len()).flat_map(|n| all.windows(n));
            let best = any.map(score).fold(0.0, f64::max);
            let whole = alignment(&all);
            let found = parts(&whole, 1.0).into_iter().map(|part| {
                let gaps = part.query().len() - part.n_tokens();
                part.n_tokens() as f64 - gaps as f64
            });
            assert_eq!(found.fold(0.0, f64::max), best);
        }
    }
}
