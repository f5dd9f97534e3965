//! Weighs what a clone proves about copying between projects.
//!
//! Within a project, two fragments of the same shape are likely to be copies: few people wrote it,
//! and they know it. Between projects most are not, however long: loops, constructors and tests are
//! written in the same way again and again. What rarely happens by chance is a word that few
//! projects use, at the same position in both, or a long run.
//!
//! A run is long by what it says. Of 220 runs of 50 and more equal tokens between projects that
//! have nothing in common, nearly all repeat themselves: declarations, assertions, rows of
//! assignments. So what repeats counts once. A function of 70 tokens, renamed throughout, says more
//! than 400 tokens of a table.
//!
//! What is left of chance below 50 tokens is code whose shape an interface dictates: `equals` and
//! `hashCode`, `fmt`, `deserialize_struct`. Such code spells the names of the interface the same.
//! Where nearly all names are other ones, and agree one to one (Baker's p-match, 1995), no
//! interface explains the shape, and a shorter run is enough.

use std::ops::Range;
use std::sync::LazyLock;

use foldhash::{HashSet, HashSetExt};

use super::alignment::Block;
use super::run::agreeing;
use super::{ClonePair, Document, Seed};
use crate::language::{Kind, Symbol, Token};
use crate::text::{common_prefix_by, common_suffix_by, unpack};

/// The required evidence; any one kind is enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Enough {
    /// Minimum distinct rare words that both sides have at matching positions.
    pub n_words: usize,
    /// Minimum tokens in a row that are spelled the same.
    pub exact_run: usize,
    /// Minimum tokens in a row that are equal apart from names and literals, counting what repeats
    /// once: fewer are enough if they decide something, are a whole function, or are renamed
    /// throughout.
    pub run: usize,
}

impl Enough {
    /// The fewest telling tokens of a run that may be evidence: one that is renamed throughout.
    fn least_run(&self) -> usize {
        self.run * 3 / 5
    }
}

/// Minimum distinct names in a run: loops and sums with fewer are written again and again.
const MIN_NAMES: usize = 8;
/// Minimum distinct names in a run that is renamed throughout: that each agrees is evidence too.
const MIN_RENAMED: usize = 7;
/// At most one name in so many is spelled the same in a run that is renamed throughout. With one in
/// three there are more chance findings: two implementations of one interface.
const ONE_IN: usize = 5;
/// The length of what may repeat in a run: shorter pieces repeat in any code.
const PIECE: usize = 6;

/// Whether the tokens in `range`, a run of equal symbols, say enough to be evidence: a run
/// `is_renamed` if its names agree one to one, and nearly all are other ones. Time O(n · d) for
/// units that are nested d deep.
fn is_telling(query: Document<'_>, range: Range<usize>, is_renamed: bool, enough: &Enough) -> bool {
    let tokens = &query.tokens[range.clone()];
    let (least, min_names) = if is_renamed {
        (enough.least_run(), MIN_RENAMED)
    } else {
        (enough.run * 2 / 3, MIN_NAMES)
    };
    let n_tokens = n_telling(tokens);
    let names = tokens.iter().filter(|token| token.is_name());
    let names: HashSet<u32> = names.map(|token| token.exact).collect();
    if n_tokens < least || names.len() < min_names {
        return false;
    }
    let mut keywords = tokens.iter().filter(|token| token.kind() == Kind::Keyword);
    let decides = keywords.any(|token| query.words.decides(token.text(query.text)));
    let is_whole = query.holds_unit(range, least);
    n_tokens
        >= match (is_renamed, is_whole, decides) {
            (true, true, _) | (true, _, true) => enough.least_run(),
            (true, false, false) | (false, true, true) => enough.run * 2 / 3,
            (false, true, false) | (false, false, true) => enough.run * 4 / 5,
            (false, false, false) => enough.run,
        }
}

/// The longest part of `run` with at least `least` tokens that is renamed throughout. Only the
/// longest is looked at: parts overlap, so all of them could take quadratic time. Time O(n).
fn renamed_part(run: Block, query: &[Token], target: &[Token], least: usize) -> Option<Block> {
    let parts = agreeing(&[run], query, target, least);
    let part = parts.into_iter().max_by_key(|part| (part.len, std::cmp::Reverse(part.query)))?;
    // Equal symbols: where one side has a name, so does the other.
    let (mut n_names, mut n_spelled) = (0, 0);
    for (own, other) in part.sides(query, target).filter(|(own, _)| own.is_name()) {
        n_names += 1;
        n_spelled += usize::from(own.exact == other.exact);
    }
    (n_spelled * ONE_IN <= n_names).then_some(part)
}

/// The number of tokens, counting what repeats once: those that begin a piece which is not there
/// before, and the rest of the last one.
///
/// With pieces of two tokens, `a b a b a b c` has the pieces `ab ba bc`, so it counts as four
/// tokens: `a b`, `a`, `c`.
fn n_telling(tokens: &[Token]) -> usize {
    let pieces: HashSet<[Symbol; PIECE]> =
        tokens.windows(PIECE).map(|piece| std::array::from_fn(|at| piece[at].symbol)).collect();
    if pieces.is_empty() { tokens.len() } else { pieces.len() + PIECE - 1 }
}

/// The evidence of a clone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Evidence {
    /// The number of distinct rare words that both sides have at matching positions.
    pub n_words: usize,
    /// The longest run of tokens that are spelled the same.
    pub exact_run: usize,
    /// Whether a run of tokens that are equal apart from names and literals says enough.
    pub has_run: bool,
    /// Whether five sixths of both files are the same.
    pub is_whole: bool,
}

impl Evidence {
    /// Weighs `pair`, a clone of `query` and of a text with the tokens `target`; `enough` says how
    /// long a run is. Time O(n log w) for n aligned tokens and w common words.
    pub fn new(pair: &ClonePair, query: Document<'_>, target: &[Token], enough: &Enough) -> Self {
        let mut words = HashSet::new();
        let mut exact_run = 0;
        for block in &pair.alignment.blocks {
            let mut run = 0;
            for (own, other) in block.sides(query.tokens, target) {
                if own.exact != other.exact {
                    run = 0;
                    continue;
                }
                // It may be a rare word that both sides have at the same position.
                run += 1;
                exact_run = exact_run.max(run);
                let text = own.text(query.text);
                if is_rare(own.kind(), text) {
                    words.insert(text);
                }
            }
        }
        let is_whole = are_alike(pair.n_exact, query.tokens.len().max(target.len()));
        let has_run = pair.alignment.blocks.iter().any(|block| {
            is_telling(query, block.in_query(), false, enough)
                || renamed_part(*block, query.tokens, target, enough.least_run())
                    .is_some_and(|part| is_telling(query, part.in_query(), true, enough))
        });
        Self { n_words: words.len(), exact_run, has_run, is_whole }
    }

    /// Whether one kind of evidence is enough.
    pub fn is(&self, enough: &Enough) -> bool {
        self.n_words >= enough.n_words
            || self.exact_run >= enough.exact_run
            || self.has_run
            || self.is_whole
    }
}

fn are_alike(n: usize, n_all: usize) -> bool {
    6 * n >= 5 * n_all
}

/// The rare words of a text, by exact reading. Time O(n log w) for n tokens and w common words.
pub fn rare_words(Document { text, tokens, .. }: Document<'_>) -> HashSet<u32> {
    let rare = tokens.iter().filter(|token| is_rare(token.kind(), token.text(text)));
    rare.map(|token| token.exact).collect()
}

/// Tokens, and some of their exact readings.
#[derive(Clone, Copy)]
pub struct WordedTokens<'t> {
    /// The tokens.
    pub tokens: &'t [Token],
    /// Of a query its rare words, of a target all.
    pub words: &'t HashSet<u32>,
}

/// Whether any clone of `query` and `target`, which share `seeds`, could have evidence that is
/// `enough`, before they are aligned.
///
/// Most coincidences between projects are ruled out here. Time O(r + s log s + m) for r rare words,
/// s seeds and m tokens in runs.
pub fn may_be_evident(
    query: WordedTokens<'_>,
    target: WordedTokens<'_>,
    seeds: &[Seed],
    enough: &Enough,
) -> bool {
    let WordedTokens { tokens: query, words: rare } = query;
    let WordedTokens { tokens: target, words } = target;
    // One check for each kind of evidence, the cheap ones first; each may say yes too often, never
    // no too often.
    let (shorter, longer) = (query.len().min(target.len()), query.len().max(target.len()));
    let known = query.iter().filter(|token| words.contains(&token.exact));
    if are_alike(shorter, longer) && are_alike(known.count(), longer) {
        return true;
    }
    let (few, many) = if rare.len() < words.len() { (rare, words) } else { (words, rare) };
    if few.iter().filter(|word| many.contains(word)).take(enough.n_words).count() == enough.n_words
    {
        return true;
    }
    // By diagonal, and along each: a seed within the run of the one before it says nothing new, so
    // each run is walked once. Without the order, a run of n tokens would be walked for each of its
    // n/w seeds.
    let mut sorted = seeds.to_vec();
    sorted.sort_unstable_by_key(|seed| (seed.diagonal(), seed.query));
    let mut known: Option<(i64, usize)> = None;
    for seed in sorted {
        let diagonal = seed.diagonal();
        let (a, b) = (seed.query as usize, seed.target as usize);
        if known.is_some_and(|(of, end)| of == diagonal && a < end) {
            continue;
        }
        // Walk from the seed to both ends of the run: no gaps, since a clone with gaps has no
        // longer run than this one.
        let before = common_suffix_by(&query[..a], &target[..b], |a, b| a.symbol == b.symbol);
        let after = common_prefix_by(&query[a..], &target[b..], |a, b| a.symbol == b.symbol);
        if before + after >= enough.least_run()
            && n_telling(&query[a - before..a + after]) >= enough.least_run()
        {
            return true;
        }
        let sides = query[a - before..a + after].iter().zip(&target[b - before..b + after]);
        let mut run = 0;
        for (own, other) in sides {
            run = if own.exact == other.exact { run + 1 } else { 0 };
            if run >= enough.exact_run {
                return true;
            }
        }
        known = Some((diagonal, a + after));
    }
    false
}

/// Names, literals and parts of literals found in five or more of 167 projects, sorted, one per
/// line.
static COMMON_WORDS: LazyLock<String> =
    LazyLock::new(|| unpack(include_bytes!(concat!(env!("OUT_DIR"), "/common-words"))));

/// Whether the token with this kind and text is a word that few projects use: shorter ones agree by
/// chance.
fn is_rare(kind: Kind, text: &[u8]) -> bool {
    static WORDS: LazyLock<Vec<&[u8]>> =
        LazyLock::new(|| COMMON_WORDS.lines().map(str::as_bytes).collect());
    let (word, min_bytes) = match kind {
        Kind::Identifier => (text, 3),
        Kind::Number => (text, 5),
        Kind::String => (unquoted(text), 4),
        Kind::Keyword | Kind::Punctuation => return false,
    };
    word.len() >= min_bytes && WORDS.binary_search(&word).is_err()
}

fn unquoted(text: &[u8]) -> &[u8] {
    let start = memchr::memchr3(b'"', b'\'', b'`', text).map_or(0, |at| at + 1);
    let end = memchr::memrchr3(b'"', b'\'', b'`', text).unwrap_or(text.len());
    text.get(start..end).unwrap_or(text)
}

/// Maximum files, or places, with a seed for it to count fully.
const FEW_FILES: f64 = 5.0;

/// How rare seeds are that so many files, or places, have, 0 to 1: the mean of their weights.
///
/// A seed found in a few files counts fully. One found in many is a common way to write code, and
/// counts in inverse proportion (the document frequency of information retrieval).
pub fn mean_rarity(n_files: impl Iterator<Item = u32>) -> f64 {
    let (mut weight, mut n_seeds) = (0.0, 0.0);
    for n in n_files {
        weight += (FEW_FILES / f64::from(n.max(1))).min(1.0);
        n_seeds += 1.0;
    }
    if n_seeds == 0.0 { 0.0 } else { weight / n_seeds }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matching::tests::{c_tokens, document};
    use crate::matching::{Alignment, Block};

    fn weighed(query: &str, target: &str, enough: &Enough) -> Evidence {
        let (own, others) = (c_tokens(query), c_tokens(target));
        assert_eq!(own.len(), others.len(), "they are aligned as wholes");
        let block = Block { query: 0, target: 0, len: own.len() as u32 };
        let pair = ClonePair::new(Alignment { blocks: vec![block] }, &own, &others);
        Evidence::new(&pair, document(query, &own), &others, enough)
    }

    fn evidence(query: &str, target: &str) -> Evidence {
        weighed(query, target, &Enough { n_words: 2, exact_run: 20, run: 40 })
    }

    #[test]
    fn common_words_are_sorted_and_each_stands_once() {
        let words: Vec<&str> = COMMON_WORDS.lines().collect();
        assert!(words.windows(2).all(|two| two[0].as_bytes() < two[1].as_bytes()));
        assert!(words.len() > 10_000 && !is_rare(Kind::Identifier, b"length"));
        assert!(!is_rare(Kind::String, b"\"utf-8\""));
    }

    #[test]
    fn rare_words_count_once_and_only_where_they_are_spelled_the_same() {
        let found = evidence("zrx_a = zrx_b + len(zrx_a);", "zrx_a = zrx_c + len(zrx_a);");
        assert_eq!(found, Evidence { n_words: 1, exact_run: 6, has_run: false, is_whole: true });
        let text = "f(\"zrx of b\", 0x8badf00d, 17);";
        assert_eq!(evidence(text, text).n_words, 2, "strings and long numbers, no short ones");
    }

    #[test]
    fn what_cannot_be_evident_is_told_before_it_is_aligned() {
        let enough = Enough { n_words: 2, exact_run: 8, run: 15 };
        let may_be = |query: &str, target: &str, seed: Option<(u32, u32)>| {
            let (own, others) = (c_tokens(query), c_tokens(target));
            let rare = rare_words(document(query, &own));
            let words = others.iter().map(|token| token.exact).collect();
            let seeds = Vec::from_iter(seed.map(|(query, target)| Seed { query, target }));
            let query = WordedTokens { tokens: &own, words: &rare };
            may_be_evident(query, WordedTokens { tokens: &others, words: &words }, &seeds, &enough)
        };
        for (query, target, seed, expected) in [
            ("zrx_a(); zrx_b();", "x = zrx_b + zrx_a;", None, true),
            ("zrx_a();", "x = zrx_b + zrx_a;", None, false),
            // A run of eight, found from its middle.
            ("a = b + c * d;", "x; a = b + c * d;", Some((2, 4)), true),
            ("a = b + c * d;", "x; a = b + x * d;", Some((2, 4)), false),
            // The same words: they may be the same as wholes.
            ("a = b + c;", "a = c + b;", None, true),
            ("a = b;", "c = d;", None, false),
            // A run of one shape, and a short one.
            ("a = b + c * d, e, f;", "a = u + v * w, x, y;", Some((1, 1)), true),
            ("a = b + c * d;", "a = u + v * w; x;", Some((1, 1)), false),
        ] {
            assert_eq!(may_be(query, target, seed), expected, "{query} {target}");
        }
    }

    #[test]
    fn a_run_of_one_shape_is_evidence_from_eight_names_on_and_from_seven_if_all_are_other_ones() {
        let operators = ["+", "-", "*", "%", "&", "|", "^", "<", ">", "==", "!=", "<<", ">>"];
        let has_run = |n_names: usize, other: char| {
            let text = |letter: char| -> String {
                let term = |at: usize| {
                    let (name, one, other) =
                        (at % n_names, operators[at % 13], operators[at * 5 % 7]);
                    format!("{letter}{name} {one} {other} ( ")
                };
                (0..40).map(term).collect()
            };
            evidence(&text('p'), &text(other)).has_run
        };
        assert_eq!((has_run(8, 'p'), has_run(7, 'p')), (true, false), "the same names");
        assert_eq!((has_run(7, 'q'), has_run(6, 'q')), (true, false), "other names");
    }

    #[test]
    fn what_repeats_every_few_tokens_counts_once_with_pieces_of_six() {
        let n = |text: &str| n_telling(&c_tokens(text));
        assert_eq!(n(&"+ - ".repeat(40)), 7, "two pieces, and the rest of the last one");
        assert_eq!(n(&"+ - % < > ".repeat(40)), 10, "five pieces");
        assert_eq!(n("+ - % < >"), 5, "no whole piece");
    }

    fn function(name: impl Fn(&str) -> String) -> String {
        let words = ["push", "list", "item", "grow", "size", "room", "data", "fail"];
        let text = "int push(struct list *list, int item)\n{\n  while (list->size >= list->room)\n    \
                    if (!grow(list, 2 * list->room))\n      return fail(list, item);\n  \
                    list->data[list->size++] = item;\n  return 0;\n}\n";
        words.iter().fold(text.to_owned(), |text, word| text.replace(word, &name(word)))
    }

    #[test]
    fn a_renamed_function_with_control_flow_is_evidence_and_rows_of_one_shape_are_not() {
        let enough = Enough { n_words: 9, exact_run: 99, run: 66 };
        let has_run = |text: &str| {
            let tokens = c_tokens(text);
            is_telling(document(text, &tokens), 0..tokens.len(), false, &enough)
        };
        assert!(has_run(&function(|word| format!("{word}ed"))));
        let rows: String = (0..40).map(|n| format!("  set(a{n}, b{n}, {n});\n")).collect();
        assert!(!has_run(&format!("void f(void)\n{{\n{rows}}}\n")), "what repeats counts once");
        assert!(!has_run(&function(|_| "a".to_owned())), "few names are anybody's");
    }

    /// The largest `run` with which two texts of the same symbols are evidence.
    fn largest_run(query: &str, target: &str) -> Option<usize> {
        let has_run = |&run: &usize| {
            weighed(query, target, &Enough { n_words: 99, exact_run: 999, run }).has_run
        };
        (1..1_000).take_while(has_run).last()
    }

    #[test]
    fn a_run_renamed_throughout_is_evidence_at_three_fifths_of_the_length_if_it_decides_something()
    {
        let own = function(str::to_owned);
        let renamed = |kept: &[&str]| {
            let ending = |word: &str| if kept.contains(&word) { "" } else { "ed" };
            function(|word| format!("{word}{}", ending(word)))
        };
        // What is enough is a fraction of `run`, rounded down.
        let n = n_telling(&c_tokens(&own));
        let at = |part: usize, of: usize| (1..1_000).take_while(|run| n >= run * part / of).last();
        assert_eq!(largest_run(&own, &renamed(&[])), at(3, 5), "all are other names");
        assert_eq!(largest_run(&own, &renamed(&["data", "fail"])), at(3, 5), "but for a few");
        assert_eq!(largest_run(&own, &renamed(&["list"])), at(2, 3), "one that is everywhere");
        let clashing = renamed(&[]).replacen("roomed", "other", 1);
        assert_eq!(largest_run(&own, &clashing), at(2, 3), "no part with a clash is renamed");
    }

    #[test]
    fn one_kind_of_evidence_is_enough() {
        let enough = Enough { n_words: 2, exact_run: 20, run: 40 };
        let of = |n_words, exact_run, has_run| {
            Evidence { n_words, exact_run, has_run, is_whole: false }.is(&enough)
        };
        assert!(of(2, 0, false) && of(0, 20, false) && of(0, 0, true));
        assert!(!of(1, 19, false));
        assert!(evidence("a = b + c;", "a = b + c;").is(&enough), "the same as wholes");
    }
}
