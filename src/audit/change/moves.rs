//! Removes moved code from what is novel.

use std::borrow::Cow;

use rayon::prelude::*;

use super::changed::{Changed, MAX_OLD_BETWEEN, Predecessor, clusters, hunks};
use crate::audit::search::Queries;
use crate::config::Config;
use crate::matching::{ClonePair, clones};

/// Marks code as not novel that was only moved: cut from one place in base and pasted into the head.
///
/// Each removed token accounts for one novel token, the best matches first: code that is cut
/// once and pasted twice is a move and a copy.
pub(in crate::audit) fn credit_moves(changed: &mut [Changed], predecessors: &[Predecessor], config: &Config) {
    let k = config.fingerprint.noise_threshold();
    let asked: Vec<_> = changed
        .iter()
        .filter(|file| file.n_novel() >= k)
        .map(|file| (&file.source, Cow::Borrowed(&*file.novel)))
        .collect();
    let numbers: Vec<usize> = (0..changed.len()).filter(|&at| changed[at].n_novel() >= k).collect();
    let queries = Queries::new(asked, config);
    let has_removed = |file: &&Predecessor| file.removed.iter().filter(|&&is_removed| is_removed).count() >= k;
    if queries.is_empty() || !predecessors.iter().any(|file| has_removed(&file)) {
        return;
    }
    let mut moves: Vec<_> = predecessors
        .par_iter()
        .enumerate()
        .filter(|(_, file)| has_removed(file))
        .flat_map_iter(|(from, file)| {
            let hits = queries.hits_in(&file.source, &mut Vec::new());
            let aligned = hunks(&file.removed).into_iter().flat_map(|part| {
                // A seed counts if half of it was removed.
                let part = part.start.saturating_sub(k / 2)..(part.end + k / 2).min(file.removed.len());
                queries.align_part(&file.source, part, &hits)
            });
            aligned.map(|(query, alignment)| (from, query, alignment)).collect::<Vec<_>>()
        })
        .map(|(from, query, alignment)| {
            let to = numbers[query];
            let (novel, removed) = (&changed[to].novel, &predecessors[from].removed);
            let n_moved = alignment.pairs().filter(|&(a, b)| novel[a] && removed[b]).count();
            (n_moved, from, to, alignment)
        })
        .collect();
    moves.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| (a.1, a.2, &a.3.blocks).cmp(&(b.1, b.2, &b.3.blocks))));

    let mut left: Vec<Vec<bool>> = predecessors.iter().map(|file| file.removed.clone()).collect();
    for (_, from, to, alignment) in moves {
        let (source, target) = (&changed[to].source, &predecessors[from].source);
        let is_moved = |&(a, b): &(usize, usize)| changed[to].novel[a] && left[from][b];
        let moved: Vec<usize> = alignment.pairs().filter(is_moved).map(|(a, _)| a).collect();
        // Beyond the moved part, an alignment continues over code that merely resembles it and is not part of the move.
        let parts = clusters(&moved, |between| between.len() > MAX_OLD_BETWEEN);
        let clones = parts
            .into_iter()
            .flat_map(|part| clones(alignment.within(part), &source.tokens, &target.tokens, &config.matching));
        let clones: Vec<ClonePair> = clones.collect();
        let Changed { novel, was, .. } = &mut changed[to];
        let mut credited: Vec<(usize, usize)> = Vec::new();
        for (a, b) in clones.iter().flat_map(|pair| pair.alignment.pairs()) {
            if novel[a] && left[from][b] {
                novel[a] = false;
                left[from][b] = false;
                credited.push((a, b));
            }
        }
        // Tokens between two moved ones were edited on the way: a few at most.
        credited.sort_unstable();
        for gap in credited.windows(2).filter(|gap| gap[1].0 - gap[0].0 <= MAX_EDIT_IN_MOVE) {
            novel[gap[0].0..gap[1].0].fill(false);
        }
        was.add_moved(&credited, from);
    }
}

/// Maximum distance of two moved tokens for what lies between them, up to 7 tokens, to count as moved with them.
const MAX_EDIT_IN_MOVE: usize = 8;
