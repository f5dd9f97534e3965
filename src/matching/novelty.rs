//! Finds novel tokens, which a change adds, using a diff that compares closely first.
//!
//! ```text
//!           base                 head
//! lines     int f(int a)         int f(int a)          kept: spelled the same
//!           { return a + 1; }    {
//! tokens                           return a + 1;       kept: the same tokens in a new layout
//!                                }
//!                                int g(int b)          novel: f is spelled as before, g is not
//!                                {
//!                                  return b + 1;
//!                                }
//! symbols   x = h(y);            z = h(w);             kept: only names differ, and nothing closer agrees
//! ```
//!
//! Each stage only looks between the parts that the previous one kept. An old function stays
//! aligned with itself, however similar a new one next to it is, and if a name was changed, the
//! symbols still agree.
//!
//! Invariant: changes of layout, comments and names make nothing novel.

use std::cell::LazyCell;
use std::hash::Hash;
use std::num::NonZeroUsize;
use std::ops::Range;

use imara_diff::{Algorithm, Diff, Hunk, InternedInput};

use foldhash::{HashMap, HashMapExt, HashSet};

use super::Document;
use super::alignment::{Alignment, Cell};
use super::lines::{DEFAULT, line_hunks, longest_ascent, place_of_one};
use crate::fingerprint::{hash_kgrams, hash_spelled};
use crate::language::{Symbol, Token};
use crate::text::fnv_1a;

/// What a change did to a file, token by token.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Novelty {
    /// For each token of the head file, whether the change adds it.
    pub novel: Vec<bool>,
    /// For each token of the base file, whether the change removes it.
    pub removed: Vec<bool>,
    /// What the change kept: the head file is the query, the base file the target.
    pub kept: Alignment,
}

/// Diffs a head file with its predecessor in base.
///
/// Worst-case time O(n √n): see `kept`.
pub fn novelty(base: Document<'_>, head: Document<'_>) -> Novelty {
    let kept = kept(base, head);
    let (mut novel, mut removed) = (vec![true; head.tokens.len()], vec![true; base.tokens.len()]);
    for block in &kept.blocks {
        novel[block.in_query()].fill(false);
        removed[block.in_target()].fill(false);
    }
    Novelty { novel, removed, kept }
}

/// Minimum length above which an equal run is always kept, even between larger edits.
const LONG_RUN: usize = 24;

/// Maximum length of an equal run that is dropped next to a larger edit if no word in it agrees.
const SHORT_RUN: usize = 10;

/// Maximum tokens that an insertion is moved to find where it really starts.
const MAX_SLIDE: usize = 200;

/// Aligns `head` with `base` from end to end: what a change kept, with the head file as the query.
///
/// Three diffs, each between what the previous one kept, and of what was not moved. First of lines,
/// ignoring white space, like git's (Myers 1986, with git's bounds and its indent heuristic), so
/// that a line that git shows as context is rarely novel. Then of spelled tokens, then of symbols
/// (histogram diffs, which fall back to Myers's; what is too large for them is first cut where both
/// sides surely agree). Because tokens often agree by chance, two repairs follow. Equal runs that
/// are shorter than the edits next to them count as edited (the semantic cleanup of Fraser's
/// diff-match-patch). And an insertion with several possible positions is put where the tokens next
/// to it agree exactly, its brackets are balanced, and a line starts.
fn kept(base: Document<'_>, head: Document<'_>) -> Alignment {
    let mut edits: Vec<Edit> = Vec::new();
    let gaps = edited_lines(base, head);
    let moved = moves(&gaps, base.tokens, head.tokens);
    let (of_base, of_head) =
        moved.as_ref().map_or((base.tokens, head.tokens), |[base, head]| (base, head));
    for gap in gaps {
        let from = edits.len();
        edits.extend(edited_tokens(&gap, of_base, of_head));
        slide_insertions(&mut edits[from..], &gap, base, head);
    }
    between(&edits, base.tokens.len(), head.tokens.len())
}

/// Aligns two token streams from end to end, as [`novelty`] does between equal lines.
pub fn aligned(query: &[Token], target: &[Token]) -> Alignment {
    let all = Edit { base: 0..target.len(), head: 0..query.len() };
    between(&edited_tokens(&all, target, query), target.len(), query.len())
}

fn between(edits: &[Edit], n_base: usize, n_head: usize) -> Alignment {
    let mut kept = Alignment::default();
    let mut from = (0, 0);
    let end = Edit { base: n_base..n_base, head: n_head..n_head };
    for edit in edits.iter().chain([&end]) {
        kept.push(from.1, from.0, edit.head.start - from.1);
        from = (edit.base.end, edit.head.end);
    }
    kept
}

/// Tokens of the base, and those of the head that replaced them; either may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Edit {
    base: Range<usize>,
    head: Range<usize>,
}

impl Edit {
    fn size(&self) -> usize {
        self.base.len().max(self.head.len())
    }

    /// Whether a diff of its tokens would take seconds.
    fn is_large(&self) -> bool {
        self.base.len().saturating_mul(self.head.len()) > MAX_CELLS
    }
}

/// The tokens of the lines that a line diff leaves unaligned, as edits with kept tokens between any
/// two.
fn edited_lines(base: Document<'_>, head: Document<'_>) -> Vec<Edit> {
    let input = InternedInput::new(base.text, head.text);
    let (of_base, of_head) = (first_tokens(base), first_tokens(head));
    let mut kept = Alignment::default();
    let (mut line, mut of) = (0, 0);
    let end = Hunk { before: of_base.len() as u32 - 1..0, after: of_head.len() as u32 - 1..0 };
    // Walk the lines between the hunks: they are pairs of equal lines. Their tokens are aligned one
    // to one.
    for hunk in line_hunks(&input, DEFAULT, Diff::postprocess_lines).into_iter().chain([end]) {
        for (line, of) in (line..hunk.after.start as usize).zip(of..hunk.before.start as usize) {
            let (at, from) = (of_head[line]..of_head[line + 1], of_base[of]..of_base[of + 1]);
            let (a, b) = (&head.tokens[at.clone()], &base.tokens[from.clone()]);
            // A line may be code on one side and inside a comment on the other.
            if a.iter().map(Token::readings).eq(b.iter().map(Token::readings)) {
                kept.push(at.start, from.start, at.len());
            }
        }
        (line, of) = (hunk.after.end as usize, hunk.before.end as usize);
    }
    let all = Edit { base: 0..base.tokens.len(), head: 0..head.tokens.len() };
    // Few changes have a run that is short enough to ask.
    let is_telling = LazyCell::new(|| telling_lines(base, head));
    drop_chance_runs(beside(&kept, &all), |before, after| {
        let mut between = before.head.end..after.head.start;
        let line_of = |at: usize| of_head.partition_point(|&first| first <= at) - 1;
        is_chance(before, after, base.tokens, head.tokens)
            && !between.any(|at| head.tokens[at].is_content() && is_telling[line_of(at)])
    })
}

/// For each line of `head`, whether it occurs exactly once in both texts, ignoring white space, so
/// that it cannot have been any other line.
fn telling_lines(base: Document<'_>, head: Document<'_>) -> Vec<bool> {
    let mut n_found: HashMap<u64, [u32; 2]> = HashMap::new();
    for (side, text) in [base.text, head.text].into_iter().enumerate() {
        lines(text).for_each(|line| n_found.entry(code_key(line)).or_default()[side] += 1);
    }
    lines(head.text).map(|line| n_found[&code_key(line)] == [1, 1]).collect()
}

/// A number for a line, the same for lines that differ in white space alone.
fn code_key(line: &[u8]) -> u64 {
    fnv_1a(line.iter().copied().filter(|byte| !byte.is_ascii_whitespace()))
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|&byte| byte == b'\n')
}

/// For each line, the first token that starts on it or after it; then the number of tokens.
fn first_tokens(document: Document<'_>) -> Vec<usize> {
    let mut first = Vec::new();
    let (mut at, mut start) = (0, 0);
    for line in lines(document.text) {
        while document.tokens.get(at).is_some_and(|token| (token.start as usize) < start) {
            at += 1;
        }
        first.push(at);
        start += line.len();
    }
    first.push(document.tokens.len());
    first
}

/// The parts of `within` that `kept` does not cover.
fn beside(kept: &Alignment, within: &Edit) -> Vec<Edit> {
    let mut edits = Vec::new();
    let (mut of_base, mut of_head) = (within.base.start, within.head.start);
    let end = (within.base.end..0, within.head.end..0);
    let blocks = kept.blocks.iter().map(|block| (block.in_target(), block.in_query()));
    for (base, head) in blocks.chain([end]) {
        if of_base < base.start || of_head < head.start {
            edits.push(Edit { base: of_base..base.start, head: of_head..head.start });
        }
        (of_base, of_head) = (base.end, head.end);
    }
    edits
}

/// The edits in `gap`: by a diff of spelled tokens, and within its edits of symbols.
fn edited_tokens(gap: &Edit, base: &[Token], head: &[Token]) -> Vec<Edit> {
    let spelled = edited(gap, base, head, |token| (token.symbol.get(), token.exact), hash_spelled);
    let edits = spelled
        .iter()
        .map(|edit| edited(edit, base, head, |token| token.symbol.get(), hash_kgrams));
    edits.flatten().collect()
}

/// The tokens of both sides, if some were moved: these are made like no others, so that no diff
/// takes a function for the one that was in its place. Moved is what is spelled the same in
/// [`LONG_RUN`] tokens that occur once on either side, in another gap or not in the order in which
/// most others are. Time O(n log n) for n tokens in gaps.
fn moves(gaps: &[Edit], base: &[Token], head: &[Token]) -> Option<[Vec<Token>; 2]> {
    const K: NonZeroUsize = NonZeroUsize::new(LONG_RUN).expect("it is not 0");
    let (of_base, of_head): (Vec<_>, Vec<_>) =
        gaps.iter().map(|gap| (&gap.base, &gap.head)).unzip();
    let places = only_places([(base, &of_base), (head, &of_head)], K, hash_spelled);
    let (staying, mut moved): (Vec<_>, Vec<_>) = places.into_iter().partition(|&(at, from)| {
        gaps.partition_point(|gap| gap.head.end <= at)
            == gaps.partition_point(|gap| gap.base.end <= from)
    });
    let in_order: HashSet<usize> = longest_ascent(&staying).into_iter().map(|(at, _)| at).collect();
    moved.extend(staying.into_iter().filter(|(at, _)| !in_order.contains(at)));
    let mut sides: Option<[Vec<Token>; 2]> = None;
    for (at, from) in moved {
        let [base, head] = sides.get_or_insert_with(|| [base.to_vec(), head.to_vec()]);
        for n in 0..LONG_RUN {
            (base[from + n].symbol, head[at + n].symbol) =
                (no_other(2 * (from + n)), no_other(2 * (at + n) + 1));
        }
    }
    sides
}

/// A symbol that no token has but the one with this number.
fn no_other(number: usize) -> Symbol {
    const NO_PUNCTUATION: u32 = 4;
    Symbol::new((number as u32) << 8 | NO_PUNCTUATION)
}

/// The k-grams that occur once on either side, in the order of the second: their positions there
/// and in the first. Each side has its tokens and the ranges to look at.
fn only_places(
    sides: [(&[Token], &[&Range<usize>]); 2],
    k: NonZeroUsize,
    hash: HashKgrams,
) -> Vec<Cell> {
    let mut places: HashMap<u64, [(u32, usize); 2]> = HashMap::new();
    let mut hashes = Vec::new();
    if sides.iter().any(|(_, ranges)| ranges.iter().all(|range| range.len() < k.get())) {
        return Vec::new();
    }
    for (side, (tokens, ranges)) in sides.into_iter().enumerate() {
        for range in ranges {
            hash(&tokens[(*range).clone()], k, &mut hashes);
            for (at, &hash) in hashes.iter().enumerate() {
                let (n, place) = &mut places.entry(hash).or_default()[side];
                (*n, *place) = (*n + 1, range.start + at);
            }
        }
    }
    let only = places.values().filter_map(place_of_one);
    let mut only: Vec<Cell> = only.map(|(from, at)| (at, from)).collect();
    only.sort_unstable();
    only
}

/// Maximum tokens of the base times tokens of the head for a diff of tokens: more takes seconds.
const MAX_CELLS: usize = 1 << 26;

type HashKgrams = fn(&[Token], NonZeroUsize, &mut Vec<u64>);

/// The parts of a gap that is too large for a diff, between the runs that have a k-gram which
/// occurs once on either side: the most of them that are in the same order on both (patience diff).
///
/// In code that was put into another order, only a few are; the rest was moved. Time O(n log n).
fn between_anchors(gap: &Edit, base: &[Token], head: &[Token], hash: HashKgrams) -> Vec<Edit> {
    const K: NonZeroUsize = NonZeroUsize::new(16).expect("16 is not 0");
    let unique = only_places([(base, &[&gap.base]), (head, &[&gap.head])], K, hash);
    let mut kept = Alignment::default();
    let mut end = (gap.head.start, gap.base.start);
    for (at, from) in longest_ascent(&unique) {
        // K-grams of one run overlap; what is left of each continues the run.
        let n_known = end.0.saturating_sub(at).max(end.1.saturating_sub(from));
        if let Some(n) = K.get().checked_sub(n_known).filter(|n| *n > 0) {
            let start = (at + n_known, from + n_known);
            kept.push(start.0, start.1, n);
            end = (start.0 + n, start.1 + n);
        }
    }
    beside(&kept, gap)
}

/// The edits in `gap`, from a diff of the tokens as read by `reading`.
fn edited<T: Default + Eq + Hash>(
    gap: &Edit,
    base: &[Token],
    head: &[Token],
    reading: impl Fn(&Token) -> T + Copy,
    hash: HashKgrams,
) -> Vec<Edit> {
    let (of_base, of_head) = (&base[gap.base.clone()], &head[gap.head.clone()]);
    if of_base.is_empty() || of_head.is_empty() {
        return vec![gap.clone()];
    }
    // If only names differ, no diff is needed, and one could be misled by names that were swapped.
    if of_base.iter().map(|token| token.symbol).eq(of_head.iter().map(|token| token.symbol)) {
        return Vec::new();
    }
    if gap.is_large() {
        let parts = between_anchors(gap, base, head, hash);
        let edits = parts.into_iter().flat_map(|part| {
            if part.is_large() { vec![part] } else { edited(&part, base, head, reading, hash) }
        });
        return drop_chance_runs(edits.collect(), |a, b| is_chance(a, b, base, head));
    }
    let mut input = InternedInput::default();
    input.update_before(of_base.iter().map(reading));
    input.update_after(of_head.iter().map(reading));
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_no_heuristic(&input);
    let edits = diff.hunks().map(|hunk| Edit {
        base: tokens_behind(gap.base.start, hunk.before),
        head: tokens_behind(gap.head.start, hunk.after),
    });
    drop_chance_runs(edits.collect(), |a, b| is_chance(a, b, base, head))
}

fn tokens_behind(start: usize, range: Range<u32>) -> Range<usize> {
    start + range.start as usize..start + range.end as usize
}

/// Joins two edits if the equal run between them `is_chance`.
fn drop_chance_runs(edits: Vec<Edit>, is_chance: impl Fn(&Edit, &Edit) -> bool) -> Vec<Edit> {
    let mut kept: Vec<Edit> = Vec::with_capacity(edits.len());
    for edit in edits {
        kept.push(edit);
        // The joined edit is larger, and may in turn absorb the run before it.
        while let [.., before, after] = kept.as_slice() {
            if !is_chance(before, after) {
                break;
            }
            let joined = Edit {
                base: before.base.start..after.base.end,
                head: before.head.start..after.head.end,
            };
            kept.truncate(kept.len() - 2);
            kept.push(joined);
        }
    }
    kept
}

/// Whether the equal run between two edits is a coincidence: it is shorter than both of them, or
/// shorter than one and without a word that is spelled the same.
///
/// For example, `) ; }` between 6 replaced tokens and 8 replaced tokens is a coincidence (3 is less
/// than 6), and the two edits are really one. Between two pure insertions it is not: nothing was
/// removed that it could be confused with.
fn is_chance(before: &Edit, after: &Edit, base: &[Token], head: &[Token]) -> bool {
    let of_base = &base[before.base.end..after.base.start];
    let of_head = &head[before.head.end..after.head.start];
    let n_confusable =
        (before.base.len() + after.base.len()).min(before.head.len() + after.head.len());
    let (small, large) = (before.size().min(after.size()), before.size().max(after.size()));
    let n = of_head.len();
    n <= n_confusable
        && (n <= small.min(LONG_RUN)
            || n <= large.min(SHORT_RUN)
                && !of_base.iter().zip(of_head).any(|(a, b)| a.is_same_word(b)))
}

fn slide_insertions(edits: &mut [Edit], gap: &Edit, base: Document<'_>, head: Document<'_>) {
    for at in 0..edits.len() {
        let earliest = if at == 0 { gap.head.start } else { edits[at - 1].head.end };
        let latest = edits.get(at + 1).map_or(gap.head.end, |edit| edit.head.start);
        if edits[at].base.is_empty() {
            edits[at] = best_slide(&edits[at], earliest..latest, base, head);
        }
    }
}

/// Moves an insertion to where it reads best among the tokens of `within`.
fn best_slide(edit: &Edit, within: Range<usize>, base: Document<'_>, head: Document<'_>) -> Edit {
    let (earliest, latest) = (within.start, within.end);
    let tokens = head.tokens;
    let (start, end) = (edit.head.start, edit.head.end);
    // A diff is free to choose among several equal positions of an insertion. Here it may report
    // either of
    //
    //     base   a ( ) ; }                            int h
    //     head   a ( ) ; } int g ( ) { b ( ) ; }      int h
    //                    ^-------------------^          `} int g ( ) { b ( ) ;`, unbalanced
    //                      ^-------------------^        `int g ( ) { b ( ) ; }`, which is what was written
    //
    // Moving it up by one is possible while the token that enters at its top has the same symbol as
    // the one that leaves at its bottom; moving it down likewise. So first find how far it can
    // move, then rate every position.
    let up = 1..=(start - earliest).min(MAX_SLIDE);
    let n_up = up.take_while(|n| tokens[start - n].symbol == tokens[end - n].symbol).count();
    let down = 0..(latest - end).min(MAX_SLIDE);
    let n_down = down.take_while(|n| tokens[start + n].symbol == tokens[end + n].symbol).count();

    // Each step aligns another token of the head with the base: count where the spelling agrees
    // too.
    let mut best = (i64::MIN, start);
    let mut agreement = 0i64;
    let first = start - n_up;
    for at in first..=start + n_down {
        if at > first {
            // The base token that was aligned behind the insertion is now aligned before it.
            let Some(of_base) = base.tokens.get(edit.base.start - n_up + (at - first) - 1) else {
                break;
            };
            agreement += i64::from(of_base.exact == tokens[at - 1].exact);
            agreement -= i64::from(of_base.exact == tokens[at - 1 + (end - start)].exact);
        }
        // In order of importance, each outweighing the next ones together: spelling, brackets,
        // start of a line or paragraph. On a tie the last position wins.
        let quality = agreement * 16
            + i64::from(is_balanced(&tokens[at..at + (end - start)])) * 8
            + i64::from(head.starts_line(at)) * 4
            + i64::from(head.starts_paragraph(at)) * 2;
        if quality >= best.0 {
            best = (quality, at);
        }
    }
    let slid = best.1;
    let of_base = edit.base.start + slid - start;
    Edit { base: of_base..of_base, head: slid..slid + (end - start) }
}

/// Whether every bracket that some tokens close was opened in them, and the other way round.
fn is_balanced(tokens: &[Token]) -> bool {
    let mut depth = 0;
    for token in tokens {
        depth += token.nesting();
        if depth < 0 {
            return false;
        }
    }
    depth == 0
}

#[cfg(test)]
mod tests {
    use super::super::tests::{c_tokens, document};
    use super::*;

    fn novel_text(base: &str, head: &str) -> String {
        let (base_tokens, head_tokens) = (c_tokens(base), c_tokens(head));
        let novelty = novelty(document(base, &base_tokens), document(head, &head_tokens));
        let novel = head_tokens.iter().zip(novelty.novel).filter(|(_, is_novel)| *is_novel);
        let text = |token: &Token| &head[token.start as usize..token.end as usize];
        novel.map(|(token, _)| text(token)).collect::<Vec<_>>().join(" ")
    }

    fn words(letter: char, n: usize) -> String {
        (0..n).map(|at| format!("{letter}{at} ")).collect()
    }

    #[test]
    fn equal_code_of_up_to_24_tokens_between_larger_edits_is_a_coincidence() {
        let n_kept = |n: usize| {
            let run = words('w', n);
            let base = format!("{}{run}{}", "+ - % ".repeat(10), "= ! ~ ".repeat(10));
            let head = format!("{}{run}{}", "< > & ".repeat(10), "^ | ? ".repeat(10));
            60 + n - novel_text(&base, &head).split_whitespace().count()
        };
        assert_eq!((n_kept(LONG_RUN), n_kept(LONG_RUN + 1)), (0, 25));
    }

    #[test]
    fn equal_code_of_up_to_10_tokens_beside_a_larger_edit_is_a_coincidence_if_no_word_agrees() {
        let n_kept = |n: usize, of_base: char, of_head: char| {
            let base = format!("{}{}=", "+ - % ".repeat(10), words(of_base, n));
            let head = format!("{}{}^", "< > & ".repeat(10), words(of_head, n));
            31 + n - novel_text(&base, &head).split_whitespace().count()
        };
        assert_eq!((n_kept(SHORT_RUN, 'u', 'v'), n_kept(SHORT_RUN + 1, 'u', 'v')), (0, 11));
        assert_eq!(n_kept(SHORT_RUN, 'u', 'u'), 10, "the same words");
    }

    #[test]
    fn layout_comments_and_names_make_nothing_novel() {
        let base = "int f(int a) { return a + 1; } // x\n";
        assert_eq!(novel_text(base, "/* y */ int g(int b)\r\n{\r\n\treturn b + 1;\r\n}\r\n"), "");
    }

    #[test]
    fn an_insertion_starts_where_its_line_starts() {
        let base = "int f() {\n a();\n}\nint h() {\n c();\n}\n";
        let head = "int f() {\n a();\n}\nint g() {\n b();\n}\nint h() {\n c();\n}\n";
        assert_eq!(novel_text(base, head), "int g ( ) { b ( ) ; }");
    }

    #[test]
    fn code_put_in_the_place_of_other_code_is_novel_throughout() {
        let base = "int f(int a) {\n if (a > limit) return limit;\n count += a * 2;\n log(\"%d\", count);\n}\n";
        let head = "char *g(list *l) {\n for (node *n = l->head; n; n = n->next) puts(n->name);\n return strdup(l->title);\n}\n";
        let n_novel = novel_text(base, head).split(' ').count();
        assert!(n_novel + 6 >= c_tokens(head).len(), "{}", novel_text(base, head));
    }
}
