//! Distinguishes new copies from pairs that base already had, and that the change edited, moved or
//! rewrote alike.
//!
//! The question is never how the change was made, only what was there before: whatever became of a
//! pair, its two members lead back to two fragments of base, and those were either similar or not.
//! What was there counts only if it is like what is there now: two tables do not excuse the
//! functions that replace them.

use std::cell::LazyCell;
use std::ops::Range;

use crate::audit::change::{ChangedFile, Predecessor};
use crate::audit::read::{Source, n_marked};
use crate::language::Token;
use crate::matching::{
    AddedLines, Alignment, ClonePair, Params, added_lines, aligned, clones, n_shared, names_alike,
};

/// Minimum fraction of the former names that are there now, for the one to have become the other.
const KEPT: f64 = 0.25;
/// Maximum fraction of what is there now that was removed there, for it to be no rewrite.
const REPLACED: f64 = 0.25;

/// A part of the query that is new compared to its origin.
pub(super) struct Part {
    pub range: Range<usize>,
    /// Whether it was inserted into a member of an old pair, and into the other member too.
    pub is_in_both: bool,
}

#[derive(Clone, Copy)]
pub(super) struct Side<'a> {
    pub source: &'a Source,
    /// `None` if the change does not touch the file.
    pub changed: Option<&'a ChangedFile>,
}

impl<'a> Side<'a> {
    pub fn is_novel(&self, at: usize) -> bool {
        self.changed.is_some_and(|changed| changed.novel[at])
    }

    /// Whether a novel token was moved here in a piece that is no copy on its own.
    pub fn is_joined(&self, at: usize) -> bool {
        self.changed.is_some_and(|changed| changed.joined.get(at) == Some(&true))
    }

    /// What `range` was before the change, and in which file; `None` if there was nothing.
    fn before(
        &self,
        range: Range<usize>,
        base: &'a [Predecessor],
    ) -> Option<(&'a Source, Range<usize>)> {
        let Some(changed) = self.changed else { return Some((self.source, range)) };
        let (file, range) = changed.was.before(range, |file, at| base[file].gone[at])?;
        Some((&base[file].source, range))
    }

    /// For each token, whether git calls its line added.
    pub fn added(&self, base: &[Predecessor]) -> Vec<bool> {
        let Source { path, text, tokens, .. } = self.source;
        let before = Predecessor::of(base, path).map_or(&[][..], |file| &file.source.text);
        let added = added_lines(before, text);
        let lines = (0..tokens.len()).map(|at| self.source.line_of(at) as usize);
        lines.map(|line| added[line - 1] > AddedLines::No).collect()
    }

    /// Whether the lines of `range` replaced a quarter as many at most: an edit that is spread over
    /// a function changes one here and there.
    pub fn pastes(&self, range: Range<usize>, base: &'a [Predecessor]) -> bool {
        let document = self.source.document();
        let n_lines = range.clone().filter(|&at| document.starts_line(at)).count();
        let most = (REPLACED * n_lines as f64) as usize;
        let Some((source, before)) = self.before(range, base) else { return true };
        // Code in another order was all over the file.
        let document = source.document();
        let mut replaced = before.filter(|&at| document.starts_line(at));
        most > 0 && replaced.nth(most).is_none()
    }

    /// Whether the change added `range` and removed next to nothing there.
    fn inserts(&self, range: Range<usize>, base: &[Predecessor]) -> bool {
        let Some(changed) = self.changed else { return false };
        let most = REPLACED * range.len() as f64;
        let before = changed.was.before(range, |file, at| base[file].gone[at]);
        before.is_none_or(|(file, before)| n_marked(&base[file].gone[before]) as f64 <= most)
    }
}

/// An alignment of the head, to be compared with base.
pub(super) struct Pairs<'a> {
    pub query: Side<'a>,
    pub target: Side<'a>,
    pub alignment: &'a Alignment,
    pub base: &'a [Predecessor],
    pub params: &'a Params,
}

impl<'a> Pairs<'a> {
    /// The parts of `fragments` of the query that are new compared to their origin.
    ///
    /// In an old fragment, each of the `runs` that were inserted at one place is checked alone.
    pub fn new_parts(&self, fragments: Vec<Range<usize>>, runs: &[Range<usize>]) -> Vec<Part> {
        let were_pair = LazyCell::new(|| self.was_pair(self.alignment));
        let mut parts = Vec::new();
        for fragment in fragments {
            if let Some(part) = self.part(fragment.clone(), &were_pair) {
                parts.push(part);
                continue;
            }
            // Runs are in order and apart from each other.
            let from = runs.partition_point(|run| run.start < fragment.start);
            for run in runs[from..].iter().take_while(|run| run.end <= fragment.end) {
                let outside = self.outside(run);
                let pieces = [run.start..outside, outside..run.end].into_iter();
                let pieces = pieces.filter(|piece| !piece.is_empty() && *piece != fragment);
                parts.extend(pieces.filter_map(|piece| self.part(piece, &were_pair)));
            }
        }
        parts
    }

    /// `range` as a new part; `None` if it was a pair with its origin, or was rewritten as one.
    fn part(
        &self,
        range: Range<usize>,
        were_pair: &LazyCell<bool, impl FnOnce() -> bool>,
    ) -> Option<Part> {
        let pair = self.alignment.within(range.clone());
        if self.was_pair(&pair) {
            return None;
        }
        let is_of_old_pair = self.is_alike(&pair) && self.is_inside(&range) && **were_pair;
        let is_in_both = is_of_old_pair
            && self.query.inserts(pair.query(), self.base)
            && self.target.inserts(pair.target(), self.base);
        (is_in_both || !is_of_old_pair).then_some(Part { range, is_in_both })
    }

    /// Whether what `pair` was in base was also a pair: two fragments. If both sides lead back to
    /// one place, a fragment was copied as it was moved, or two members beside each other were
    /// rewritten: then one half of it was like the other.
    fn was_pair(&self, pair: &Alignment) -> bool {
        let [own, other] = [self.query, self.target].map(|side| &*side.source.tokens);
        let before = self.query.before(pair.query(), self.base);
        let before = before.zip(self.target.before(pair.target(), self.base));
        let Some(((query, mut a), (target, mut b))) = before else { return false };
        if !are_kept(&query.tokens[a.clone()], &own[pair.query()])
            || !are_kept(&target.tokens[b.clone()], &other[pair.target()])
        {
            return false;
        }
        if query.path == target.path && n_shared(&a, &b) > 0 {
            let place = a.start.min(b.start)..a.end.max(b.end);
            let middle = place.start.midpoint(place.end);
            (a, b) = (place.start..middle, middle..place.end);
        }
        let mut before = aligned(&query.tokens[a.clone()], &target.tokens[b.clone()]);
        for block in &mut before.blocks {
            block.query += a.start as u32;
            block.target += b.start as u32;
        }
        let now = ClonePair::new(pair.clone(), own, other);
        // For a short fragment half is enough: the two are at corresponding positions, so nobody
        // had to search for them. What was put together of pieces has to have been as alike.
        let n_joined = pair.query().filter(|&at| self.query.is_joined(at)).count();
        let enough = match 2 * n_joined > pair.n_tokens() {
            true => now.n_solid(),
            false => self.params.min_run.min(now.n_solid() / 2),
        };
        let params = Params { min_run: enough, ..*self.params };
        let before = clones(before, &query.tokens, &target.tokens, &params);
        before.iter().map(ClonePair::n_solid).sum::<usize>() >= enough
    }

    /// Whether the change brought in most of what `pair` aligns, on both sides.
    fn is_alike(&self, pair: &Alignment) -> bool {
        let novel =
            pair.pairs().filter(|&(a, b)| self.query.is_novel(a) && self.target.is_novel(b));
        2 * novel.count() > pair.n_tokens()
    }

    /// Whether `part` is inside code that is aligned before it, by brackets or indentation, like a
    /// statement in its function, rather than behind it, like the next function.
    fn is_inside(&self, part: &Range<usize>) -> bool {
        let mut before = self.alignment.query().start..part.start;
        let outside = self.outside(part);
        let tokens = &self.query.source.tokens;
        let mut n_open: i64 = tokens[part.start..outside].iter().map(Token::nesting).sum();
        let is_open = before.clone().rev().any(|at| {
            n_open += tokens[at].nesting();
            n_open > 0
        });
        let document = self.query.source.document();
        let indent = document.indent(outside);
        is_open || before.any(|at| document.starts_line(at) && document.indent(at) < indent)
    }

    /// Where `part` leaves the blocks that it begins in: a diff may show the end of a function and
    /// the next one as a single insertion.
    fn outside(&self, part: &Range<usize>) -> usize {
        let document = self.query.source.document();
        let (mut depth, mut outermost) = (0, 0);
        let mut least_indent = document.indent(part.start);
        let mut outside = part.start;
        for at in part.clone() {
            if document.starts_line(at) && document.indent(at) < least_indent {
                (least_indent, outside) = (document.indent(at), at);
            }
            depth += self.query.source.tokens[at].nesting();
            if depth < outermost {
                (outermost, outside) = (depth, at + 1);
            }
        }
        outside
    }
}

/// Whether enough of the names `before` are there `now`. Time O(n) for n tokens now.
fn are_kept(before: &[Token], now: &[Token]) -> bool {
    let most = (now.iter().filter(|token| token.is_name()).count() as f64 / KEPT) as usize;
    let is_much_more = before.iter().filter(|token| token.is_name()).nth(most).is_some();
    !is_much_more && names_alike(before, now) >= KEPT
}
