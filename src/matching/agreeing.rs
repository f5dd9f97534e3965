//! Cuts runs into parts whose names agree: certainly the same code, however it was renamed.
//!
//! Invariant: within a part, each name of one side is one name of the other, in both directions
//! (Baker's p-match, 1995), and no part can be extended on either side without losing that.

use foldhash::{HashMap, HashMapExt};

use super::alignment::Block;
use crate::language::Token;

/// The maximal parts of `runs` with at least `min_tokens` tokens whose names agree. They may
/// overlap: if a name clashes with an earlier one, the next part begins after the earlier
/// occurrence.
///
/// Time and memory O(n) for n tokens in `runs`.
pub fn agreeing(
    runs: &[Block],
    query: &[Token],
    target: &[Token],
    min_tokens: usize,
) -> Vec<Block> {
    let mut found = Vec::new();
    for run in runs.iter().filter(|run| run.len as usize >= min_tokens) {
        // For each name where it was met last, and what was opposite.
        let mut of_query: HashMap<u32, (u32, u32)> = HashMap::new();
        let mut of_target: HashMap<u32, (u32, u32)> = HashMap::new();
        let mut start = 0;
        for at in 0..run.len {
            let (a, b) = (&query[(run.query + at) as usize], &target[(run.target + at) as usize]);
            if !a.is_name() {
                continue;
            }
            let last_of_query = of_query.insert(a.exact, (at, b.exact));
            let last_of_target = of_target.insert(b.exact, (at, a.exact));
            let clash = (last_of_query.filter(|(_, opposite)| *opposite != b.exact))
                .max(last_of_target.filter(|(_, opposite)| *opposite != a.exact));
            if let Some((place, _)) = clash.filter(|(place, _)| *place >= start) {
                found.push(run.part(start, at - start));
                start = place + 1;
            }
        }
        found.push(run.part(start, run.len - start));
    }
    found.retain(|part| part.len as usize >= min_tokens);
    found
}

#[cfg(test)]
mod tests {
    use super::super::tests::c_tokens;
    use super::*;

    fn parts(query: &str, target: &str) -> Vec<(u32, u32)> {
        let (query, target) = (c_tokens(query), c_tokens(target));
        let run = Block { query: 0, target: 0, len: query.len() as u32 };
        let parts = agreeing(&[run], &query, &target, 4).into_iter();
        parts.map(|part| (part.query, part.len)).collect()
    }

    #[test]
    fn a_name_that_clashes_ends_a_run_and_the_next_begins_behind_its_rival() {
        assert_eq!(parts("a = b + a;", "x = y + x;"), [(0, 6)], "all are renamed one to one");
        assert_eq!(parts("a = b + c * a - 1;", "x = y + z * y - 1;"), [(0, 6), (3, 7)]);
    }
}
