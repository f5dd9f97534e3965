//! Removes moved code from what is novel.
//!
//! Exact moves come first, as runs with the same spelling; then moves with edits, by aligning what
//! is left of the removed code with what is left of the novel code.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use rayon::prelude::*;

use super::changed::{ChangedFile, MAX_OLD_BETWEEN, Predecessor, around, clusters, hunks};
use crate::audit::read::{Sources, n_marked};
use crate::audit::search::Queries;
use crate::config::Config;
use crate::language::Token;
use crate::matching::{Alignment, Block, ChangeTokens, ClonePair, MovedRun, clones, moved_runs};

/// Maximum distance of two moved tokens for what lies between them, up to 7 tokens, to count as
/// moved with them.
const MAX_EDIT_IN_MOVE: usize = 8;

/// Marks code as not novel that was only moved: cut from base and pasted into the head.
///
/// Each removed token accounts for one novel token, the best matches first: code that is cut
/// once and pasted twice is a move and a copy.
pub(in crate::audit) fn credit_moves(
    changed: &mut [ChangedFile],
    predecessors: &mut [Predecessor],
    sources: &Sources<'_>,
) {
    let config = sources.config;
    let k = config.fingerprint.noise_threshold();
    if changed.iter().all(|file| file.n_novel() < k)
        || predecessors.iter().all(|file| n_marked(&file.removed) < k)
    {
        return;
    }
    let mut credit = Credit {
        novel: changed.iter().map(|file| file.novel.clone()).collect(),
        left: predecessors.iter().map(|file| file.removed.clone()).collect(),
        moved: changed.iter().map(|file| vec![None; file.novel.len()]).collect(),
        is_test: changed.par_iter().map(|file| sources.test_tokens(&file.source)).collect(),
        was_test: predecessors.par_iter().map(|file| sources.test_tokens(&file.source)).collect(),
    };
    credit.verbatim(changed, predecessors, config);
    credit.edited(changed, predecessors, config);
    for ((file, novel), moved) in changed.iter_mut().zip(credit.novel).zip(credit.moved) {
        let min_tokens = file.thresholds(config).min_tokens;
        file.joined = joined(&moved, &novel, min_tokens, &file.source.tokens, predecessors);
        let novel = file.novel.iter().zip(&novel).zip(&file.joined);
        file.novel =
            novel.map(|((&is_added, &is_novel), &joined)| is_novel || is_added && joined).collect();
        file.was.add_moved(&moved);
    }
    for (file, left) in predecessors.iter_mut().zip(credit.left) {
        file.gone = left;
    }
}

struct Credit {
    /// For each file of the head, the tokens that are novel even so.
    novel: Vec<Vec<bool>>,
    /// For each predecessor, the removed tokens that account for nothing yet.
    left: Vec<Vec<bool>>,
    /// For each file of the head, where its tokens were moved from: the predecessor, and the place.
    moved: Vec<Vec<Option<(usize, usize)>>>,
    /// For each file of the head and each predecessor, which tokens are test code; empty if none.
    is_test: Vec<Vec<bool>>,
    was_test: Vec<Vec<bool>>,
}

impl Credit {
    fn verbatim(&mut self, changed: &[ChangedFile], predecessors: &[Predecessor], config: &Config) {
        let head: Vec<ChangeTokens<'_>> = changed
            .iter()
            .map(|of| ChangeTokens { tokens: &of.source.tokens, is_marked: &of.novel })
            .collect();
        let base: Vec<ChangeTokens<'_>> = predecessors
            .iter()
            .map(|of| ChangeTokens { tokens: &of.source.tokens, is_marked: &of.removed })
            .collect();
        let mut moved: BTreeMap<(usize, usize), Vec<Block>> = BTreeMap::new();
        let min_runs: Vec<usize> =
            changed.iter().map(|of| of.thresholds(config).min_tokens.div_ceil(2)).collect();
        for MovedRun { to, from, block } in moved_runs(&head, &base, &min_runs) {
            if config.judges_alike(predecessors[from].source.file(), changed[to].source.file()) {
                moved.entry((to, from)).or_default().push(block);
            }
        }
        for ((to, from), mut blocks) in moved {
            blocks.sort_unstable();
            let pairs = blocks.iter().flat_map(|of| {
                (0..of.len).map(|at| ((of.query + at) as usize, (of.target + at) as usize))
            });
            self.take(to, from, pairs);
        }
    }

    /// Credits what was edited on the way, where enough is left on either side.
    fn edited(&mut self, changed: &[ChangedFile], predecessors: &[Predecessor], config: &Config) {
        // Less novel code than this is never a copy, so it does not matter whether it was moved.
        let asked = changed.par_iter().zip(&self.novel).map(|(file, novel)| {
            around(novel, &file.novel, file.thresholds(config).min_tokens, margin(config))
        });
        let asked: Vec<Vec<bool>> = asked.collect();
        let numbers: Vec<usize> =
            (0..changed.len()).filter(|&at| asked[at].contains(&true)).collect();
        let queries = numbers.iter().map(|&at| (&*changed[at].source, Cow::Borrowed(&*asked[at])));
        let queries = Queries::new(queries.collect(), config);
        if queries.is_empty() {
            return;
        }
        let mut moves: Vec<_> = (0..predecessors.len())
            .into_par_iter()
            .flat_map_iter(|from| {
                let aligned = aligned(&queries, &predecessors[from], &self.left[from], config);
                aligned.into_iter().map(move |(query, alignment)| (from, query, alignment))
            })
            .filter_map(|(from, query, alignment)| {
                let to = numbers[query];
                let (before, file) = (&predecessors[from], &changed[to]);
                config.judges_alike(before.source.file(), file.source.file()).then(|| {
                    let pairs = alignment.pairs();
                    let n_moved =
                        pairs.filter(|&(a, b)| file.novel[a] && before.removed[b]).count();
                    (n_moved, from, to, alignment)
                })
            })
            .collect();
        moves.sort_unstable_by(|a, b| {
            b.0.cmp(&a.0).then_with(|| (a.1, a.2, &a.3.blocks).cmp(&(b.1, b.2, &b.3.blocks)))
        });

        for (_, from, to, alignment) in moves {
            let (source, target) = (&changed[to].source, &predecessors[from].source);
            let (novel, left, moved) = (&self.novel[to], &self.left[from], &self.moved[to]);
            if !alignment.pairs().any(|(a, b)| novel[a] && left[b]) {
                continue;
            }
            let own = alignment
                .pairs()
                .filter(|&(a, b)| novel[a] && left[b] || moved[a] == Some((from, b)));
            let moved: Vec<usize> = own.map(|(a, _)| a).collect();
            // Beyond it, an alignment continues over code that merely resembles it.
            let parts = clusters(&moved, |between| between.len() > MAX_OLD_BETWEEN);
            let matching = changed[to].thresholds(config).matching;
            let clones = parts.into_iter().flat_map(|part| {
                clones(alignment.within(part), &source.tokens, &target.tokens, &matching)
            });
            let clones: Vec<ClonePair> = clones.collect();
            self.take(to, from, clones.iter().flat_map(|pair| pair.alignment.pairs()));
        }
    }

    /// Credits pairs of tokens, now and then, of which both are still free.
    fn take(&mut self, to: usize, from: usize, pairs: impl Iterator<Item = (usize, usize)>) {
        let (novel, left) = (&mut self.novel[to], &mut self.left[from]);
        let (is_test, was_test) = (&self.is_test[to], &self.was_test[from]);
        let mut credited: Vec<usize> = Vec::new();
        for (a, b) in pairs {
            let was_judged = was_test.get(b) != Some(&true) || is_test.get(a) == Some(&true);
            if novel[a] && left[b] && was_judged {
                novel[a] = false;
                left[b] = false;
                self.moved[to][a] = Some((from, b));
                credited.push(a);
            }
        }
        // Up to seven tokens between two moved ones were edited on the way.
        credited.sort_unstable();
        for gap in credited.windows(2).filter(|gap| gap[1] - gap[0] <= MAX_EDIT_IN_MOVE) {
            novel[gap[0]..gap[1]].fill(false);
        }
    }
}

/// The queries that align with what is `left` of the removed code of a file, and what is around it.
fn aligned(
    queries: &Queries<'_>,
    before: &Predecessor,
    left: &[bool],
    config: &Config,
) -> Vec<(usize, Alignment)> {
    let (k, n_tokens) = (config.fingerprint.noise_threshold(), left.len());
    let asked = hunks(&around(left, &before.removed, k, margin(config))).into_iter();
    // A seed counts if half of it was removed.
    let parts = asked.map(|of| of.start.saturating_sub(k / 2)..(of.end + k / 2).min(n_tokens));
    let parts: Vec<Range<usize>> = parts.collect();
    if parts.is_empty() {
        return Vec::new();
    }
    let hits = queries.hits_in(&before.source, &mut Vec::new());
    queries.align_parts(&before.source, &parts, &hits)
}

/// For each of `tokens`, whether it was moved in a piece of fewer than `min_tokens`, which base had
/// on its own: nobody has judged it as part of the copy that it may be now.
fn joined(
    moved: &[Option<(usize, usize)>],
    novel: &[bool],
    min_tokens: usize,
    tokens: &[Token],
    predecessors: &[Predecessor],
) -> Vec<bool> {
    let mut of_files: BTreeMap<usize, Vec<(usize, usize)>> = BTreeMap::new();
    for (at, was) in moved.iter().enumerate() {
        was.iter().for_each(|&(file, from)| of_files.entry(file).or_default().push((at, from)));
    }
    let mut is_whole = vec![false; moved.len()];
    let runs = of_files.iter().flat_map(|(&file, places)| {
        let runs = places.chunk_by(|a, b| is_behind(a.0, b.0) && is_behind(a.1, b.1));
        runs.map(move |run| (file, run))
    });
    for (file, run) in runs {
        let (first, last) = (run[0], run[run.len() - 1]);
        // A diff takes a line of the piece for that of another one: it goes on while both have it.
        let base = &predecessors[file].source.tokens;
        let before = tokens[..first.0].iter().rev().zip(base[..first.1].iter().rev());
        let behind = tokens[last.0 + 1..].iter().zip(&base[last.1 + 1..]);
        let n_before = before.take(min_tokens).take_while(|(a, b)| a.is_same(b)).count();
        let n_behind = behind.take(min_tokens).take_while(|(a, b)| a.is_same(b)).count();
        if n_before + (last.1 + 1 - first.1) + n_behind >= min_tokens {
            is_whole[first.0..=last.0].fill(true);
        }
    }
    // What was edited on the way goes with what is before it.
    let mut is_moved = false;
    let of_piece = moved.iter().zip(novel).zip(is_whole).map(|((was, is_novel), is_whole)| {
        is_moved = !is_whole && (was.is_some() || is_moved && !is_novel);
        is_moved
    });
    of_piece.collect()
}

/// What was moved as it is shows where the edits beside it belong: that much is aligned, too.
fn margin(config: &Config) -> usize {
    2 * config.min_tokens
}

fn is_behind(a: usize, b: usize) -> bool {
    a < b && b - a <= MAX_OLD_BETWEEN
}
