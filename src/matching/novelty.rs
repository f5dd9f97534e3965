//! Finds novel tokens: those a change brings in, by a token-level diff.
//!
//! Invariant: layout, comments and the names of things make nothing novel,
//! since the diff sees only normalized tokens.

use std::cell::LazyCell;
use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput};

use super::{Added, Document, added_lines};
use crate::language::Kind;
use crate::text::Lines;

/// What a change did to a file, token by token.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Novelty {
    /// For each token of the head file, whether the diff left it unaligned.
    pub novel: Vec<bool>,
    /// For each token of the base file, whether the diff left it unaligned.
    pub removed: Vec<bool>,
}

/// Equal runs longer than this are kept even between larger edits.
const LONG_RUN: usize = 24;

/// Equal runs up to this long are dropped beside a larger edit when no word agrees.
const SHORT_RUN: usize = 10;

/// How far a run of novel tokens is moved over equal tokens to find its true start.
const MAX_SLIDE: usize = 200;

/// Diffs a head file with its predecessor in base.
///
/// The diff is histogram diff, which falls back to Myers's O(ND) algorithm
/// (Myers 1986) with imara-diff's bounds on hard inputs. Two
/// repairs follow, since normalized tokens are few and agree by chance: equal
/// runs that are shorter than the edits beside them count as edited (the
/// semantic cleanup of Fraser's diff-match-patch), and an insertion that could stand
/// in several places is put where the tokens beside it agree exactly, its
/// brackets are balanced, and a line starts.
pub fn novelty(base: Document<'_>, head: Document<'_>) -> Novelty {
    let mut input: InternedInput<u32> = InternedInput::default();
    input.update_before(base.tokens.iter().map(|token| token.symbol.get()));
    input.update_after(head.tokens.iter().map(|token| token.symbol.get()));
    let diff = Diff::compute(Algorithm::Histogram, &input);
    let mut edits: Vec<Edit> = Vec::new();
    for hunk in diff.hunks() {
        edits.push(Edit { base: range(hunk.before), head: range(hunk.after) });
    }
    let mut edits = drop_chance_runs(edits, base, head);
    slide_insertions(&mut edits, base, head);

    let mut novelty = Novelty { novel: vec![false; head.tokens.len()], removed: vec![false; base.tokens.len()] };
    for edit in edits {
        novelty.novel[edit.head].fill(true);
        novelty.removed[edit.base].fill(true);
    }
    novelty
}

/// Tokens of base that tokens of head replaced; either may be empty.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Edit {
    base: Range<usize>,
    head: Range<usize>,
}

impl Edit {
    fn size(&self) -> usize {
        self.base.len().max(self.head.len())
    }
}

fn range(range: Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

fn drop_chance_runs(edits: Vec<Edit>, base: Document<'_>, head: Document<'_>) -> Vec<Edit> {
    let mut kept: Vec<Edit> = Vec::with_capacity(edits.len());
    for edit in edits {
        kept.push(edit);
        // Joining two edits makes a larger one, which may join the one before it.
        while let [.., before, after] = kept.as_slice() {
            if !is_chance(before, after, base, head) {
                break;
            }
            let joined = Edit { base: before.base.start..after.base.end, head: before.head.start..after.head.end };
            kept.truncate(kept.len() - 2);
            kept.push(joined);
        }
    }
    kept
}

/// Whether the equal run between two edits says nothing: it is shorter than
/// both, or shorter than one and without a word that is spelled the same.
fn is_chance(before: &Edit, after: &Edit, base: Document<'_>, head: Document<'_>) -> bool {
    let of_base = &base.tokens[before.base.end..after.base.start];
    let of_head = &head.tokens[before.head.end..after.head.start];
    let (small, large) = (before.size().min(after.size()), before.size().max(after.size()));
    let same_words = || of_base.iter().zip(of_head).any(|(a, b)| a.kind() != Kind::Punctuation && a.exact == b.exact);
    of_head.len() <= small.min(LONG_RUN) || of_head.len() <= large.min(SHORT_RUN) && !same_words()
}

fn slide_insertions(edits: &mut [Edit], base: Document<'_>, head: Document<'_>) {
    // Most files have no insertion that could stand elsewhere, and need no diff of lines.
    let added = LazyCell::new(|| added_lines(base.text, head.text));
    for at in 0..edits.len() {
        let earliest = if at == 0 { 0 } else { edits[at - 1].head.end };
        let latest = edits.get(at + 1).map_or(head.tokens.len(), |edit| edit.head.start);
        if edits[at].base.is_empty() {
            edits[at] = best_slide(&edits[at], earliest..latest, base, head, &added);
        }
    }
}

/// Moves an insertion to where it reads best among the tokens of `within`; `added` are the lines that git shows as added.
fn best_slide(
    edit: &Edit,
    within: Range<usize>,
    base: Document<'_>,
    head: Document<'_>,
    added: &LazyCell<Vec<Added>, impl FnOnce() -> Vec<Added>>,
) -> Edit {
    let (earliest, latest) = (within.start, within.end);
    let tokens = head.tokens;
    let (start, end) = (edit.head.start, edit.head.end);
    let same_symbol = |a: usize, b: usize| tokens[a].symbol == tokens[b].symbol;
    let n_up = (1..=(start - earliest).min(MAX_SLIDE)).take_while(|&n| same_symbol(start - n, end - n)).count();
    let n_down = (0..(latest - end).min(MAX_SLIDE)).take_while(|&n| same_symbol(start + n, end + n)).count();

    // Of places that read equally well, the one that git shows as added.
    let is_ambiguous = n_up + n_down > 0;
    let added: &[Added] = if is_ambiguous { added } else { &[] };
    let lines = Lines::new(if is_ambiguous { head.text } else { b"" });
    let is_added = |at: usize| {
        let line = tokens.get(at).map_or(0, |token| lines.line_of(token.start) as usize);
        added.get(line.saturating_sub(1)).is_some_and(|&added| added > Added::No)
    };

    // Sliding over a token aligns it with another token of base: count where the text agrees too.
    let mut best = (i64::MIN, start);
    let mut agreement = 0i64;
    let first = start - n_up;
    for at in first..=start + n_down {
        if at > first {
            // The token before the insertion's new start now stands for base's, not the one behind it.
            let Some(of_base) = base.tokens.get(edit.base.start - n_up + (at - first) - 1) else { break };
            agreement += i64::from(of_base.exact == tokens[at - 1].exact);
            agreement -= i64::from(of_base.exact == tokens[at - 1 + (end - start)].exact);
        }
        let is_balanced = is_balanced(head, at..at + (end - start));
        let quality = agreement * 16
            + i64::from(is_balanced) * 8
            + i64::from(head.starts_line(at)) * 4
            + i64::from(head.starts_paragraph(at)) * 2
            + i64::from(is_added(at));
        if quality >= best.0 {
            best = (quality, at);
        }
    }
    let slid = best.1;
    let of_base = edit.base.start + slid - start;
    Edit { base: of_base..of_base, head: slid..slid + (end - start) }
}

/// Whether every bracket that `range` closes was opened in it, and the other way round.
fn is_balanced(document: Document<'_>, range: Range<usize>) -> bool {
    let mut depth = 0i64;
    for token in &document.tokens[range] {
        match token.text(document.text) {
            b"(" | b"[" | b"{" => depth += 1,
            b")" | b"]" | b"}" => depth -= 1,
            _ => {}
        }
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
        novel
            .map(|(token, _)| String::from_utf8_lossy(token.text(head.as_bytes())).into_owned())
            .collect::<Vec<_>>()
            .join(" ")
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
