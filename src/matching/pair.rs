//! Judges an alignment: whether it is a clone, of which type, and how similar its sides are.

use std::ops::Range;

use foldhash::{HashSet, HashSetExt};
use serde::{Deserialize, Serialize};

use super::alignment::{Alignment, Block, Cell};
use super::class::Candidate;
use super::score::counted;
use super::split::parts;
use crate::language::{Kind, Token};

/// What counts as a clone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Params {
    /// k: the length of a seed in tokens.
    pub k: usize,
    /// Minimum distinct tokens of a seed. Higher leaves out more tables and lists, and misses more
    /// copies of plain code.
    pub min_distinct: usize,
    /// Maximum tokens between two seeds of one clone. Higher joins pieces of a heavily edited copy,
    /// but also unrelated pieces.
    pub max_gap: usize,
    /// Minimum fraction of the better covered side that is aligned, 0 to 1. Lower finds more
    /// heavily edited copies, and more coincidences.
    pub min_containment: f64,
    /// Minimum fraction of the aligned names and literals that are spelled the same, or renamed as
    /// elsewhere in the clone, 0 to 1. Lower finds more inconsistently renamed copies, and more
    /// code that merely has the same shape.
    pub min_agreement: f64,
    /// Minimum fraction of the names and literals that are spelled the same, 0 to 1, unless the
    /// clone has a long run. Lower finds more edited copies that were renamed as well.
    pub min_spelled: f64,
    /// Minimum length in tokens of a run that makes a clone whatever its names are. Lower finds
    /// shorter renamed copies, and more code that is merely similar.
    pub min_run: usize,
}

/// How a clone differs from its origin (Roy, Cordy, Koschke 2009, section 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum CloneType {
    /// Only layout and comments differ.
    Type1,
    /// Names and literals differ too; `is_consistent` when names are renamed one to one (Baker's
    /// p-match, 1995).
    Type2 {
        /// Whether names are renamed one to one throughout (Baker's p-match, 1995).
        is_consistent: bool,
    },
    /// Tokens were inserted, deleted or changed.
    Type3,
    /// Other code for what may be the same purpose: it has the same words. No alignment shows it.
    Type4,
}

impl CloneType {
    /// The type as the literature numbers it, in the one spelling of every report.
    pub fn name(self) -> &'static str {
        match self {
            Self::Type1 => "type-1",
            Self::Type2 { .. } => "type-2",
            Self::Type3 => "type-3",
            Self::Type4 => "type-4",
        }
    }

    /// The type in a word, for people.
    pub fn word(self) -> &'static str {
        match self {
            Self::Type1 => "exact",
            Self::Type2 { is_consistent: true } => "consistently renamed",
            Self::Type2 { is_consistent: false } => "renamed",
            Self::Type3 => "edited",
            Self::Type4 => "written anew",
        }
    }

    /// The type as a description, as a continuation of "a copy".
    pub fn describe(self) -> &'static str {
        match self {
            Self::Type1 => "exact but for layout and comments",
            _ => self.word(),
        }
    }
}

/// Two fragments that are clones of each other, and how similar they are.
#[derive(Debug, Clone, PartialEq)]
pub struct ClonePair {
    /// Which tokens match which.
    pub alignment: Alignment,
    /// How they differ.
    pub clone_type: CloneType,
    /// Aligned tokens divided by all tokens of both fragments, 0 to 1 (Dice).
    pub similarity: f64,
    /// Aligned tokens divided by those of the better covered fragment, 0 to 1.
    pub containment: f64,
    /// Aligned tokens that are spelled the same.
    pub n_exact: usize,
    /// Its solid runs: the part that is similar line after line.
    pub(super) solid: Alignment,
    /// Tokens in solid runs divided by those of the shorter fragment, 0 to 1.
    solidity: f64,
    /// Aligned names and literals that agree, divided by those that could, 0 to 1.
    pub agreement: f64,
    /// Aligned names and literals that are spelled the same, divided by all of them, 0 to 1.
    pub spelled: f64,
    /// The longest run of equal symbols.
    pub longest_run: usize,
    /// Names and keywords, and as many strings if they are spelled the same, divided by all aligned
    /// tokens, 0 to 1: data has few.
    pub worded: f64,
}

impl ClonePair {
    /// Measures `alignment` between `query` and `target`.
    pub fn new(alignment: Alignment, query: &[Token], target: &[Token]) -> Self {
        let n_aligned = alignment.n_tokens();
        let (n_query, n_target) = (alignment.query().len(), alignment.target().len());
        let renaming = Renaming::new(&alignment, query, target);
        let counts = Counts::new(&alignment, query, target, &renaming);
        let solid = Alignment { blocks: renaming.solid_runs(&alignment, query, target) };
        // A string says something if both sides spell it the same, in a row with a name: by itself
        // it is text.
        let n_words = counts.n_named + counts.n_same_strings.min(counts.n_named);
        let is_whole = n_aligned == n_query && n_aligned == n_target;
        let clone_type = match (is_whole, counts.n_exact == n_aligned) {
            (true, true) => CloneType::Type1,
            (true, false) => CloneType::Type2 { is_consistent: renaming.is_consistent },
            (false, _) => CloneType::Type3,
        };
        Self {
            clone_type,
            similarity: ratio(2 * n_aligned, n_query + n_target),
            containment: ratio(n_aligned, n_query.min(n_target)),
            n_exact: counts.n_exact,
            solidity: ratio(solid.n_tokens(), n_query.min(n_target)),
            solid,
            agreement: ratio(counts.n_agreeing, counts.n_telling),
            spelled: ratio(counts.n_spelled, counts.n_contents),
            worded: ratio(n_words, n_aligned),
            longest_run: alignment.blocks.iter().map(|block| block.len as usize).max().unwrap_or(0),
            alignment,
        }
    }

    /// Its similarity as a pair of all that is in `range` of the query.
    pub fn similarity_within(&self, range: &Range<usize>) -> f64 {
        ratio(2 * self.alignment.n_tokens(), range.len() + self.alignment.target().len())
    }

    /// The positions in the query of the aligned tokens that are spelled the same, ascending.
    pub fn exact_positions(&self, query: &[Token], target: &[Token]) -> Vec<u32> {
        let exact = self.alignment.pairs().filter(|&(a, b)| query[a].exact == target[b].exact);
        let mut positions = Vec::with_capacity(self.n_exact);
        positions.extend(exact.map(|(a, _)| a as u32));
        positions
    }

    /// The number of tokens in solid runs.
    pub fn n_solid(&self) -> usize {
        self.solid.n_tokens()
    }

    pub(super) fn candidate(&self, query: &[Token], target: &[Token]) -> Candidate {
        let mut aligned = Vec::with_capacity(self.alignment.n_tokens());
        aligned.extend(self.alignment.pairs().map(|(a, _)| a as u32));
        Candidate {
            query: self.alignment.query(),
            aligned,
            exact: self.exact_positions(query, target),
            runs: self.solid.blocks.iter().map(Block::in_query).collect(),
        }
    }

    /// Whether the sides are similar enough to be a clone.
    ///
    /// Three kinds of evidence, each of which is enough: words that are spelled the same, as in an
    /// edited copy; a long run of the same shape whose names agree with each other, as in a renamed
    /// one; and a run half as long again that covers nearly everything, however its names were
    /// changed.
    pub fn is_clone(&self, params: &Params) -> bool {
        let agrees = self.agreement >= params.min_agreement;
        let is_spelled =
            agrees && self.solidity >= params.min_containment && self.spelled >= params.min_spelled;
        let is_renamed =
            agrees && self.solidity >= RENAMED_SOLIDITY && self.longest_run >= params.min_run;
        let is_reshaped = self.agreement >= params.min_agreement * RESHAPED_AGREEMENT
            && self.containment >= RESHAPED_CONTAINMENT
            && self.longest_run >= params.min_run * RESHAPED_RUN / 2;
        let is_similar = self.similarity >= params.min_containment / 2.0;
        is_similar && self.worded >= WORDED && (is_spelled || is_renamed || is_reshaped)
    }
}

/// Minimum length of a run that covers nearly everything, in halves of the usual minimum.
const RESHAPED_RUN: usize = 3;
/// The fraction of the usual agreement that is enough for such a run.
const RESHAPED_AGREEMENT: f64 = 2.0 / 3.0;
/// Minimum fraction of such a copy that is aligned.
const RESHAPED_CONTAINMENT: f64 = 0.95;

/// Minimum fraction of words: with fewer, tokens are numbers or scattered pieces of text. Code has
/// about two fifths, and so do the rows of a table of strings, which says something if both sides
/// spell them the same.
const WORDED: f64 = 0.2;

/// The cost of a gap token in matched tokens, tried one after the other: an alignment that is not a
/// clone at one cost is split at the next. The first joins a copy across insertions; the last
/// separates everything.
const GAP_COSTS: [f64; 4] = [0.5, 1.0, 2.0, 1e6];

/// The clones in `alignment`: its largest parts that are worth more joined than alone, and are
/// clones.
///
/// Guarantee: a run of `min_run` tokens or more whose names agree, and that is a clone on its own,
/// is part of one of them. What is joined is split again until it is a clone, in the end into runs.
/// Time O(n), at most once for each cost.
pub fn clones(
    alignment: Alignment,
    query: &[Token],
    target: &[Token],
    params: &Params,
) -> Vec<ClonePair> {
    let mut found = Vec::new();
    let mut rest = vec![(alignment, 0)];
    while let Some((alignment, n_splits)) = rest.pop() {
        let parts = match GAP_COSTS.get(n_splits) {
            Some(&gap_cost) => parts(&alignment, gap_cost),
            None => {
                let runs = solid_runs(&alignment, query, target).into_iter();
                runs.map(|run| Alignment { blocks: vec![run] }).collect()
            }
        };
        // In reverse, since `rest` is a stack: of the parts that are split again, the first comes
        // first.
        for part in parts.into_iter().rev().filter(|part| part.n_tokens() >= params.min_run) {
            // What stays whole at this cost was judged at the one before.
            let is_judged = n_splits > 0 && part == alignment;
            let judged = if is_judged { Err(part) } else { judge(part, query, target, params) };
            match judged {
                Ok(pair) => found.push(pair),
                Err(part) if n_splits < GAP_COSTS.len() => rest.push((part, n_splits + 1)),
                Err(_) => {}
            }
        }
    }
    found.sort_by_key(|pair| pair.alignment.query().start);
    found
}

/// The clone that a part of an alignment is, or the part if it is none.
fn judge(
    part: Alignment,
    query: &[Token],
    target: &[Token],
    params: &Params,
) -> Result<ClonePair, Alignment> {
    if !can_be_clone(&part, query, target, params) {
        return Err(part);
    }
    let pair = ClonePair::new(part, query, target);
    if pair.is_clone(params) { Ok(pair) } else { Err(pair.alignment) }
}

/// Whether a part of an alignment can be a clone, by what needs no renaming: each kind of evidence
/// asks for a long run or for words that are spelled the same.
fn can_be_clone(part: &Alignment, query: &[Token], target: &[Token], params: &Params) -> bool {
    let n_both = part.query().len() + part.target().len();
    let is_similar = ratio(2 * part.n_tokens(), n_both) >= params.min_containment / 2.0;
    if !is_similar || part.blocks.iter().any(|block| block.len as usize >= params.min_run) {
        return is_similar;
    }
    let (mut n_contents, mut n_spelled) = (0, 0);
    for (a, b) in part.sides(query, target).filter(|(a, _)| a.is_content()) {
        n_contents += 1;
        n_spelled += usize::from(a.exact == b.exact);
    }
    ratio(n_spelled, n_contents) >= params.min_spelled
}

fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

#[derive(Default)]
struct Counts {
    n_exact: usize,
    n_named: usize,
    n_same_strings: usize,
    n_contents: usize,
    n_spelled: usize,
    /// Names and literals that could agree, and those that do. The first occurrence of a renamed
    /// name says nothing, whatever it is renamed to; each further one agrees or disagrees.
    n_telling: usize,
    n_agreeing: usize,
}

impl Counts {
    fn new(alignment: &Alignment, query: &[Token], target: &[Token], renaming: &Renaming) -> Self {
        let mut counts = Self::default();
        let mut met = HashSet::new();
        for (a, b) in alignment.sides(query, target) {
            let is_exact = a.exact == b.exact;
            counts.n_exact += usize::from(is_exact);
            counts.n_named += usize::from(a.is_word());
            counts.n_same_strings += usize::from(is_exact && a.kind() == Kind::String);
            if !a.is_content() {
                continue;
            }
            counts.n_contents += 1;
            counts.n_spelled += usize::from(is_exact);
            let agrees = is_exact || renaming.renames(a, b);
            if agrees && !is_exact && met.insert(a.exact) {
                continue;
            }
            counts.n_telling += 1;
            counts.n_agreeing += usize::from(agrees);
        }
        counts
    }
}

/// Minimum fraction of a renamed copy in solid runs.
const RENAMED_SOLIDITY: f64 = 0.75;

/// Minimum equal tokens in a row to be a solid run: fewer agree by chance.
const SOLID_RUN: u32 = 8;

/// The renaming of an alignment: for each name of the query, the one that most often replaces it,
/// with each name of either side used once.
struct Renaming {
    /// By the names of the query; empty where every name is itself.
    to: Vec<(u32, u32)>,
    /// Whether names are renamed one to one, in both directions.
    is_consistent: bool,
}

impl Renaming {
    /// Time O(n log n) for n aligned names.
    fn new(alignment: &Alignment, query: &[Token], target: &[Token]) -> Self {
        let mut sides = alignment.sides(query, target);
        if sides.all(|(a, b)| a.exact == b.exact || !a.is_name()) {
            return Self { to: Vec::new(), is_consistent: true };
        }
        let names = alignment.sides(query, target).filter(|(a, _)| a.is_name());
        let mut all = Vec::with_capacity(alignment.n_tokens());
        all.extend(names.map(|(a, b)| (a.exact, b.exact)));
        let mut counts = counted(all);
        let n_different = counts.len();
        counts.sort_unstable_by_key(|&(names, n)| (std::cmp::Reverse(n), names));
        let mut named = HashSet::with_capacity(n_different);
        let mut taken = HashSet::with_capacity(n_different);
        let mut to: Vec<(u32, u32)> = counts.into_iter().map(|(names, _)| names).collect();
        to.retain(|&(name, other)| {
            !named.contains(&name) && taken.insert(other) && named.insert(name)
        });
        to.sort_unstable();
        Self { is_consistent: to.len() == n_different, to }
    }

    /// Whether two aligned tokens agree: no names, or ones that are spelled the same or renamed as
    /// elsewhere in the alignment.
    fn agrees(&self, a: &Token, b: &Token) -> bool {
        !a.is_name() || a.exact == b.exact || self.renames(a, b)
    }

    fn renames(&self, a: &Token, b: &Token) -> bool {
        a.is_name() && self.to.binary_search(&(a.exact, b.exact)).is_ok()
    }

    fn solid_runs(&self, alignment: &Alignment, query: &[Token], target: &[Token]) -> Vec<Block> {
        let mut runs = Vec::new();
        for block in alignment.blocks.iter().filter(|block| block.len >= SOLID_RUN) {
            let (own, other) = (&query[block.query as usize..], &target[block.target as usize..]);
            let mut start = 0;
            for at in 0..=block.len {
                if at < block.len && self.agrees(&own[at as usize], &other[at as usize]) {
                    continue;
                }
                if at - start >= SOLID_RUN {
                    runs.push(block.part(start, at - start));
                }
                start = at + 1;
            }
        }
        runs
    }
}

/// Cuts an alignment's blocks into runs in which every name agrees, and keeps those of at least
/// [`SOLID_RUN`] tokens.
///
/// Code with the same shape but another origin agrees in punctuation and keywords, a few tokens at
/// a time. A copy agrees line after line, also between its edits.
pub(super) fn solid_runs(alignment: &Alignment, query: &[Token], target: &[Token]) -> Vec<Block> {
    Renaming::new(alignment, query, target).solid_runs(alignment, query, target)
}

/// The aligned pairs that agree: names are spelled the same, or renamed as elsewhere.
pub fn agreeing_pairs(alignment: &Alignment, query: &[Token], target: &[Token]) -> Vec<Cell> {
    let renaming = Renaming::new(alignment, query, target);
    alignment.pairs().filter(|&(a, b)| renaming.agrees(&query[a], &target[b])).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{PARAMS, c_tokens, document};
    use super::super::{Seed, alignments, is_telling};
    use super::*;

    fn clones(query_text: &str, target_text: &str) -> Vec<ClonePair> {
        let (query, target) = (c_tokens(query_text), c_tokens(target_text));
        let mut seeds = Vec::new();
        let is_telling = |kgram: &&[Token]| is_telling(kgram, PARAMS.min_distinct);
        for (a, own) in (0..).zip(query.windows(PARAMS.k)).filter(|(_, own)| is_telling(own)) {
            for (b, other) in (0..).zip(target.windows(PARAMS.k)) {
                if own.iter().zip(other).all(|(own, other)| own.symbol == other.symbol) {
                    seeds.push(Seed { query: a, target: b });
                }
            }
        }
        let documents = (document(query_text, &query), document(target_text, &target));
        let found = alignments(documents.0, documents.1, &mut seeds, &PARAMS, false).alignments;
        let pairs = found.into_iter().map(|alignment| ClonePair::new(alignment, &query, &target));
        pairs.filter(|pair| pair.is_clone(&PARAMS)).collect()
    }

    const ORIGIN: &str = "int sum(int *values, int n) {\n  int total = 0;\n  for (int i = 0; i < n; i++) {\n    total += values[i];\n  }\n  return total;\n}\n";

    /// Of seven names, the first is four times the same and the next three times; the target
    /// renames each twice in one way, and the other times in ways of their own. So two fifths of
    /// what could agree do, which is less than usual.
    #[test]
    fn a_run_half_as_long_again_as_usual_is_a_clone_however_its_names_were_changed() {
        let names = |round: usize, target: bool| -> Vec<String> {
            let own = ["a", "a", "a", "a", "b", "b", "b"];
            let other = ["c", "c", "d", "e", "f", "f", "g"];
            let of = if target { other } else { own };
            of.map(|name| format!("{name}{round} ;")).to_vec()
        };
        let text = |target: bool| {
            let all: Vec<String> = (0..4).flat_map(|round| names(round, target)).collect();
            format!("{} x ; y ; z ;", all.join(" "))
        };
        let (query, target) = (c_tokens(&text(false)), c_tokens(&text(true)));
        let pair = |len: u32| {
            let blocks = vec![Block { query: 0, target: 0, len }];
            ClonePair::new(Alignment { blocks }, &query, &target)
        };
        let least = (PARAMS.min_run * 3 / 2) as u32;
        let (long, short) = (pair(least), pair(least - 1));
        assert!(long.agreement < PARAMS.min_agreement && short.agreement < PARAMS.min_agreement);
        assert_eq!((long.is_clone(&PARAMS), short.is_clone(&PARAMS)), (true, false));
    }

    #[test]
    fn the_alignment_ends_with_the_copy() {
        let copy = format!("struct a {{ char *b; }};\n{ORIGIN}enum z {{ Y, X = 3 }};\n");
        let other = format!("void g(void);\nstatic long q = 77L;\n{ORIGIN}#define W while (1)\n");
        let pairs = clones(&copy, &other);
        assert_eq!(pairs.len(), 1);
        assert_eq!(pairs[0].alignment.query().len(), c_tokens(ORIGIN).len());
    }
}
