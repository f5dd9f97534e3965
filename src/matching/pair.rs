//! Judges an alignment: whether it is a clone, of which type, and how similar its sides are.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::Document;
use super::align::{Alignment, Block, align};
use super::chain::{Seed, chains};
use crate::language::{Kind, Token};

/// What counts as a clone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// k: the length of a seed in tokens.
    pub k: usize,
    /// Different tokens a seed must have. Higher leaves out more tables and
    /// lists, and misses more copies of plain code.
    pub min_distinct: usize,
    /// Tokens that may stand between two seeds of one clone. Higher joins
    /// pieces of a heavily edited copy, and pieces that have nothing to do with each other.
    pub max_gap: usize,
    /// The part of the better covered side that must be aligned, 0 to 1. Lower
    /// finds more heavily edited copies, and more chance likeness.
    pub min_containment: f64,
    /// The part of the aligned names and literals that must be spelled the same, or
    /// renamed as elsewhere in the clone, 0 to 1. Lower finds more
    /// inconsistently renamed copies, and more code that merely has the same shape.
    pub min_agreement: f64,
    /// The part of the names and literals that must be spelled the same, 0 to 1,
    /// unless the clone holds a long run. Lower finds more edited copies that were renamed as well.
    pub min_spelled: f64,
    /// The length in tokens of a run that makes a clone whatever its names are.
    /// Lower finds shorter renamed copies, and more code that is written alike.
    pub min_run: usize,
}

/// How a clone differs from its origin (Roy, Cordy, Koschke 2009, section 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CloneType {
    /// Only layout and comments differ.
    Type1,
    /// Names and literals differ too; `is_consistent` when names are renamed one to one (Baker's p-match, 1992).
    Type2 {
        /// Whether each name stands for one name throughout.
        is_consistent: bool,
    },
    /// Tokens were inserted, deleted or changed.
    Type3,
}

impl CloneType {
    /// The type as people write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Type1 => "Type-1",
            Self::Type2 { .. } => "Type-2",
            Self::Type3 => "Type-3",
        }
    }

    /// What the type says of the copy, to follow "a copy".
    pub fn describe(self) -> &'static str {
        match self {
            Self::Type1 => "exact but for layout and comments",
            Self::Type2 { is_consistent: true } => "consistently renamed",
            Self::Type2 { is_consistent: false } => "renamed",
            Self::Type3 => "edited",
        }
    }
}

/// Two fragments that are clones of each other, and how alike they are.
#[derive(Debug, Clone, PartialEq)]
pub struct ClonePair {
    /// Which tokens stand for which.
    pub alignment: Alignment,
    /// How they differ.
    pub clone_type: CloneType,
    /// Aligned tokens over all tokens of both fragments, 0 to 1 (Dice).
    pub similarity: f64,
    /// Aligned tokens over those of the better covered fragment, 0 to 1.
    pub containment: f64,
    /// Aligned tokens whose text agrees.
    pub n_exact: usize,
    /// Tokens in solid runs over those of the shorter fragment, 0 to 1.
    pub solidity: f64,
    /// Aligned names and literals that agree, over those that could, 0 to 1.
    pub agreement: f64,
    /// Aligned names and literals that are spelled the same, over all of them, 0 to 1.
    pub spelled: f64,
    /// The longest run of equal symbols.
    pub longest_run: usize,
    /// Names and keywords over all aligned tokens, 0 to 1: data has few.
    pub worded: f64,
}

impl ClonePair {
    /// Measures `alignment` between `query` and `target`.
    pub fn new(alignment: Alignment, query: &[Token], target: &[Token]) -> Self {
        let n_aligned = alignment.n_tokens();
        let (n_query, n_target) = (alignment.query().len(), alignment.target().len());
        let n_exact = alignment.pairs().filter(|&(a, b)| query[a].exact == target[b].exact).count();
        let n_solid: usize = solid_runs(&alignment, query, target).iter().map(|run| run.len as usize).sum();
        let is_named = |&(a, _): &(usize, usize)| matches!(query[a].kind(), Kind::Identifier | Kind::Keyword);
        let n_named = alignment.pairs().filter(is_named).count();
        let is_whole = n_aligned == n_query && n_aligned == n_target;
        let clone_type = match (is_whole, n_exact == n_aligned) {
            (true, true) => CloneType::Type1,
            (true, false) => CloneType::Type2 { is_consistent: is_consistent(&alignment, query, target) },
            (false, _) => CloneType::Type3,
        };
        let ratio = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
        Self {
            clone_type,
            similarity: ratio(2 * n_aligned, n_query + n_target),
            containment: ratio(n_aligned, n_query.min(n_target)),
            n_exact,
            solidity: ratio(n_solid, n_query.min(n_target)),
            agreement: agreement(&alignment, query, target),
            spelled: spelled(&alignment, query, target),
            worded: ratio(n_named, n_aligned),
            longest_run: alignment.blocks.iter().map(|block| block.len as usize).max().unwrap_or(0),
            alignment,
        }
    }

    /// Whether the sides are alike enough to be a clone.
    ///
    /// Three kinds of evidence, each enough: words that are spelled the same, as in an
    /// edited copy; a long run of one shape whose names agree with each other, as in a renamed one;
    /// and a run twice as long that is nearly the whole, however its names were changed.
    pub fn is_clone(&self, params: &Params) -> bool {
        let agrees = self.agreement >= params.min_agreement;
        let is_spelled = agrees && self.solidity >= params.min_containment && self.spelled >= params.min_spelled;
        let is_renamed = agrees && self.solidity >= RENAMED_SOLIDITY && self.longest_run >= params.min_run;
        let is_reshaped = self.agreement >= params.min_agreement * RESHAPED_AGREEMENT
            && self.containment >= RESHAPED_CONTAINMENT
            && self.longest_run >= 2 * params.min_run;
        let is_similar = self.similarity >= params.min_containment / 2.0;
        is_similar && self.worded >= WORDED && (is_spelled || is_renamed || is_reshaped)
    }
}

/// The part of names and keywords below which tokens are a table or a text in
/// pieces; code has about two fifths.
const WORDED: f64 = 0.2;

/// How often an alignment is split in search of clones in its parts.
const MAX_SPLITS: usize = 8;

/// The clones in `alignment`: the whole of it if it is one, else those in the parts on
/// either side of its widest gap. Two copies that a chance match joined are still found.
/// Time O(n): an alignment is split eight times at most.
pub fn clones(alignment: Alignment, query: &[Token], target: &[Token], params: &Params) -> Vec<ClonePair> {
    let mut found = Vec::new();
    let mut rest = vec![(alignment, MAX_SPLITS)];
    while let Some((alignment, n_splits)) = rest.pop() {
        if alignment.n_tokens() < params.min_run {
            continue;
        }
        let parts = if n_splits > 0 { alignment.split() } else { None };
        let pair = ClonePair::new(alignment, query, target);
        if pair.is_clone(params) {
            found.push(pair);
        } else if let Some((before, after)) = parts {
            rest.extend([(after, n_splits - 1), (before, n_splits - 1)]);
        }
    }
    found
}

/// The part of the usual agreement that a long run needs when it is nearly the whole.
const RESHAPED_AGREEMENT: f64 = 2.0 / 3.0;
/// The part of such a copy that must be aligned.
const RESHAPED_CONTAINMENT: f64 = 0.95;

/// The part of the aligned names and literals that agree.
///
/// A name that is renamed says nothing at its first occurrence, whatever it is
/// renamed to; at each further one it agrees or disagrees.
fn agreement(alignment: &Alignment, query: &[Token], target: &[Token]) -> f64 {
    let renaming = renaming(alignment, query, target);
    let mut met = HashSet::new();
    let (mut n_agreeing, mut n_telling) = (0usize, 0usize);
    for (a, b) in alignment.pairs().map(|(a, b)| (&query[a], &target[b])) {
        if matches!(a.kind(), Kind::Keyword | Kind::Punctuation) {
            continue;
        }
        let is_renamed = a.kind() == Kind::Identifier && renaming.get(&a.exact) == Some(&b.exact);
        if a.exact != b.exact && is_renamed && met.insert(a.exact) {
            continue;
        }
        n_telling += 1;
        n_agreeing += usize::from(a.exact == b.exact || is_renamed);
    }
    if n_telling == 0 { 0.0 } else { n_agreeing as f64 / n_telling as f64 }
}

/// The part of a renamed copy that must lie in solid runs.
const RENAMED_SOLIDITY: f64 = 0.75;

/// The part of the aligned names and literals that are spelled the same.
fn spelled(alignment: &Alignment, query: &[Token], target: &[Token]) -> f64 {
    let words = || {
        let pairs = alignment.pairs().map(|(a, b)| (&query[a], &target[b]));
        pairs.filter(|(a, _)| !matches!(a.kind(), Kind::Keyword | Kind::Punctuation))
    };
    words().filter(|(a, b)| a.exact == b.exact).count() as f64 / words().count().max(1) as f64
}

/// Equal tokens in a row that make a solid run: fewer agree by chance.
const SOLID_RUN: u32 = 8;

/// The renaming that an alignment goes by: for each name of the query, the one
/// that stands in its place most often, each name of either side used once.
fn renaming(alignment: &Alignment, query: &[Token], target: &[Token]) -> HashMap<u32, u32> {
    let mut counts: HashMap<(u32, u32), usize> = HashMap::new();
    for (a, b) in alignment.pairs().map(|(a, b)| (&query[a], &target[b])) {
        if a.kind() == Kind::Identifier {
            *counts.entry((a.exact, b.exact)).or_default() += 1;
        }
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_unstable_by_key(|&(names, n)| (std::cmp::Reverse(n), names));
    let mut renaming = HashMap::new();
    let mut taken = HashSet::new();
    for ((from, to), _) in counts {
        if !renaming.contains_key(&from) && !taken.contains(&to) {
            renaming.insert(from, to);
            taken.insert(to);
        }
    }
    renaming
}

/// Cuts an alignment's blocks into runs in which every name agrees, and keeps
/// those of [`SOLID_RUN`] tokens and more.
///
/// Code of the same shape but another origin agrees in punctuation and
/// keywords, a few tokens at a time; a copy agrees line after line, also between its edits.
fn solid_runs(alignment: &Alignment, query: &[Token], target: &[Token]) -> Vec<Block> {
    let renaming = renaming(alignment, query, target);
    let agrees = |&(a, b): &(usize, usize)| {
        let (a, b) = (&query[a], &target[b]);
        a.kind() != Kind::Identifier || a.exact == b.exact || renaming.get(&a.exact) == Some(&b.exact)
    };
    let mut agreeing = Alignment::default();
    for (a, b) in alignment.pairs().filter(agrees) {
        agreeing.push(a, b, 1);
    }
    agreeing.blocks.retain(|run| run.len >= SOLID_RUN);
    agreeing.blocks
}

/// Whether each name of one side stands for one name of the other, both ways.
fn is_consistent(alignment: &Alignment, query: &[Token], target: &[Token]) -> bool {
    let mut to_target: HashMap<u32, u32> = HashMap::new();
    let mut to_query: HashMap<u32, u32> = HashMap::new();
    alignment.pairs().map(|(a, b)| (&query[a], &target[b])).filter(|(a, _)| a.kind() == Kind::Identifier).all(
        |(a, b)| {
            *to_target.entry(a.exact).or_insert(b.exact) == b.exact
                && *to_query.entry(b.exact).or_insert(a.exact) == a.exact
        },
    )
}

/// Chains of one pair of documents that are aligned, the best first. A file that
/// repeats itself a thousand times is a table, whatever its rows look like.
const MAX_CHAINS: usize = 400;

/// Finds the alignments of `query` with `target` around their shared k-grams, the best chains first.
///
/// No two cover the same tokens of both sides. With `is_same`, query and
/// target are one document: fragments never overlap themselves.
/// Nothing is judged yet: that is for [`ClonePair::is_clone`], once the caller has cut out what it asks about.
pub fn alignments(
    query: Document<'_>,
    target: Document<'_>,
    seeds: &mut Vec<Seed>,
    params: &Params,
    is_same: bool,
) -> Vec<Alignment> {
    if is_same {
        seeds.retain(|seed| seed.query != seed.target);
    }
    let mut found: Vec<Alignment> = Vec::new();
    for chain in chains(seeds, params.k, params.max_gap).into_iter().take(MAX_CHAINS) {
        let (Some(first), Some(last)) = (chain.first(), chain.last()) else { continue };
        let (from, to) = (mid(first, params.k), mid(last, params.k));
        let is_covered = found.iter().any(|old| {
            let (query, target) = (old.query(), old.target());
            [from, to].iter().all(|(a, b)| query.contains(a) && target.contains(b))
        });
        if is_covered {
            continue;
        }
        let alignment = trim(&align(query.tokens, target.tokens, &chain, params.k), query, target);
        match is_same {
            false if !alignment.blocks.is_empty() => found.push(alignment),
            false => {}
            true => found.extend(without_overlap(alignment)),
        }
    }
    found
}

/// Tokens at an end of an alignment that may be cut off: more than that is no chance.
const MAX_TRIM: usize = 10;

/// Cuts an alignment down to its solid runs and what belongs to them, and off the piece of a
/// line at either end: what follows a copy often begins as what follows its
/// origin does (`static int`), and what comes before ends alike (`;`, `}`).
fn trim(alignment: &Alignment, query: Document<'_>, target: Document<'_>) -> Alignment {
    let solid = solid_runs(alignment, query.tokens, target.tokens);
    let (Some(first), Some(last)) = (solid.first(), solid.last()) else { return Alignment::default() };
    let core = first.query as usize..(last.query + last.len) as usize;
    let alignment = with_supported_ends(alignment, core, query, target);
    let pairs: Vec<_> = alignment.pairs().collect();
    let starts_line = |&(a, b): &(usize, usize)| query.starts_line(a) || target.starts_line(b);
    let ends_line = |&(a, b): &(usize, usize)| query.starts_line(a + 1) || target.starts_line(b + 1);
    let n_before_line = pairs.iter().take(MAX_TRIM + 1).position(starts_line).unwrap_or(0);
    let is_leading_closer = |&&(a, _): &&(usize, usize)| is_closer(&query.tokens[a], query);
    let n_closers = pairs[n_before_line..].iter().take_while(is_leading_closer).count();
    let n_after_line = pairs.iter().rev().take(MAX_TRIM + 1).position(ends_line).unwrap_or(0);
    let last = pairs.len().checked_sub(n_after_line + 1).and_then(|last| pairs.get(last));
    match (pairs.get(n_before_line + n_closers), last) {
        (Some(first), Some(last)) if first.0 <= last.0 => alignment.within(first.0..last.0 + 1),
        _ => Alignment::default(),
    }
}

/// Whether a token closes what was opened before it, or goes on from it: nothing begins with it.
fn is_closer(token: &Token, document: Document<'_>) -> bool {
    matches!(token.text(document.text), b")" | b"]" | b"}" | b";" | b",")
}

/// Equal tokens in a row that belong to a copy when they follow it closely and spell a word the same.
const SUPPORTED_RUN: u32 = 4;
/// Tokens that may stand between such a run and the copy.
const MAX_BEFORE_END: u32 = 24;

/// The alignment from `core` outward to the last block that is supported; blocks of a few tokens in between are chance.
fn with_supported_ends(
    alignment: &Alignment,
    core: Range<usize>,
    query: Document<'_>,
    target: Document<'_>,
) -> Alignment {
    let is_supported = |block: &Block, gap: u32| {
        let tokens = |document: Document<'_>, at: u32| document.tokens[at as usize..(at + block.len) as usize].to_vec();
        let (a, b) = (tokens(query, block.query), tokens(target, block.target));
        let spells_a_word = a.iter().zip(&b).any(|(a, b)| a.kind() != Kind::Punctuation && a.exact == b.exact);
        block.len >= SUPPORTED_RUN && gap <= MAX_BEFORE_END && spells_a_word
    };
    let mut range = core;
    for block in alignment.blocks.iter().rev() {
        let (start, end) = (block.query as usize, (block.query + block.len) as usize);
        if start < range.start && (end >= range.start || is_supported(block, (range.start - end) as u32)) {
            range.start = start;
        }
    }
    for block in &alignment.blocks {
        let (start, end) = (block.query as usize, (block.query + block.len) as usize);
        if end > range.end && (start <= range.end || is_supported(block, (start - range.end) as u32)) {
            range.end = end;
        }
    }
    alignment.within(range)
}

fn mid(seed: &Seed, k: usize) -> (usize, usize) {
    (seed.query as usize + k / 2, seed.target as usize + k / 2)
}

/// Cuts an alignment of a document with itself into parts whose sides do not overlap.
///
/// The longest block is kept whole, and takes the blocks beside it for as long as
/// the sides stay apart; what is left on either side is cut in the same way. A block
/// that overlaps itself is periodic, and cut by its period: of `A A A`, the
/// second is a copy of the first, and the third of the second.
fn without_overlap(alignment: Alignment) -> Vec<Alignment> {
    let mut parts = Vec::new();
    let mut rest = vec![alignment];
    while let Some(alignment) = rest.pop() {
        let blocks = &alignment.blocks;
        let Some(longest) = (0..blocks.len()).max_by_key(|&at| (blocks[at].len, std::cmp::Reverse(at))) else {
            continue;
        };
        let period = blocks[longest].query.abs_diff(blocks[longest].target);
        if blocks[longest].len > period {
            parts.extend(cut_by_period(blocks[longest], period.max(1)));
            rest.push(Alignment { blocks: blocks[..longest].to_vec() });
            rest.push(Alignment { blocks: blocks[longest + 1..].to_vec() });
            continue;
        }
        let is_apart = |from: usize, to: usize| {
            let (first, last) = (&blocks[from], &blocks[to]);
            let (query, target) = (first.query..last.query + last.len, first.target..last.target + last.len);
            query.end <= target.start || target.end <= query.start
        };
        let from = (0..longest).rev().take_while(|&from| is_apart(from, longest)).last().unwrap_or(longest);
        let to = (longest + 1..blocks.len()).take_while(|&to| is_apart(from, to)).last().unwrap_or(longest);
        rest.push(Alignment { blocks: blocks[..from].to_vec() });
        rest.push(Alignment { blocks: blocks[to + 1..].to_vec() });
        parts.push(Alignment { blocks: blocks[from..=to].to_vec() });
    }
    parts
}

fn cut_by_period(block: Block, period: u32) -> Vec<Alignment> {
    let starts = (0..block.len).step_by(period as usize);
    let part = |start: u32| Block {
        query: block.query + start,
        target: block.target + start,
        len: period.min(block.len - start),
    };
    starts.map(|start| Alignment { blocks: vec![part(start)] }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{c_tokens, document};
    use super::*;

    const PARAMS: Params = Params {
        k: 8,
        min_distinct: 4,
        max_gap: 100,
        min_containment: 0.6,
        min_agreement: 0.5,
        min_spelled: 0.75,
        min_run: 40,
    };

    fn clones(query_text: &str, target_text: &str) -> Vec<ClonePair> {
        let (query, target) = (c_tokens(query_text), c_tokens(target_text));
        let mut seeds = Vec::new();
        for a in 0..query.len().saturating_sub(PARAMS.k - 1) {
            for b in 0..target.len().saturating_sub(PARAMS.k - 1) {
                let equal = (0..PARAMS.k).all(|at| query[a + at].symbol == target[b + at].symbol);
                if equal && super::super::is_telling(&query[a..a + PARAMS.k], PARAMS.min_distinct) {
                    seeds.push(Seed { query: a as u32, target: b as u32 });
                }
            }
        }
        let documents = (document(query_text, &query), document(target_text, &target));
        let found = alignments(documents.0, documents.1, &mut seeds, &PARAMS, false);
        let pairs = found.into_iter().map(|alignment| ClonePair::new(alignment, &query, &target));
        pairs.filter(|pair| pair.is_clone(&PARAMS)).collect()
    }

    const ORIGIN: &str = "int sum(int *values, int n) {\n  int total = 0;\n  for (int i = 0; i < n; i++) {\n    total += values[i];\n  }\n  return total;\n}\n";

    #[track_caller]
    fn check(copy: &str, clone_type: CloneType) {
        let pairs = clones(copy, ORIGIN);
        assert_eq!(pairs.iter().map(|pair| pair.clone_type).collect::<Vec<_>>(), [clone_type]);
    }

    #[test]
    fn layout_and_comments_make_type_1() {
        check(&ORIGIN.replace("  ", "\t").replace(";\n", "; // x\n"), CloneType::Type1);
    }

    #[test]
    fn names_changed_one_to_one_make_a_consistent_type_2() {
        check(&ORIGIN.replace("total", "sum_of_all").replace("values", "v"), CloneType::Type2 { is_consistent: true });
    }

    #[test]
    fn names_changed_here_and_there_make_an_inconsistent_type_2() {
        check(&ORIGIN.replacen("total", "other", 1), CloneType::Type2 { is_consistent: false });
    }

    #[test]
    fn an_inserted_statement_makes_one_type_3() {
        check(&ORIGIN.replace("    total +=", "    if (values[i] < 0) continue;\n    total +="), CloneType::Type3);
    }

    #[test]
    fn the_sides_of_a_copy_in_one_document_do_not_overlap() {
        let block = |query, target, len| Block { query, target, len };
        let parts = |blocks: &[Block]| {
            let mut parts = without_overlap(Alignment { blocks: blocks.to_vec() });
            parts.sort_by_key(|part| part.blocks[0]);
            parts.into_iter().map(|part| part.blocks).collect::<Vec<_>>()
        };
        // A A A: one block, shifted by a period of 10.
        assert_eq!(parts(&[block(10, 0, 20)]), [[block(10, 0, 10)], [block(20, 10, 10)]]);
        // A copy of 50 tokens among repeats of another shape stays whole.
        assert_eq!(
            parts(&[block(75, 0, 10), block(100, 20, 50), block(170, 90, 12)]),
            [vec![block(75, 0, 10), block(100, 20, 50)], vec![block(170, 90, 12)]]
        );
    }

    #[test]
    fn the_alignment_ends_with_the_copy() {
        let copy = format!("struct a {{ char *b; }};\n{ORIGIN}enum z {{ Y, X = 3 }};\n");
        let pairs = clones(&copy, &format!("void g(void);\nstatic long q = 77L;\n{ORIGIN}#define W while (1)\n"));
        assert_eq!(pairs.len(), 1);
        assert_eq!(pairs[0].alignment.query().len(), c_tokens(ORIGIN).len());
    }
}
