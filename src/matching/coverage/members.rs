//! Names the origins of a fragment: members of a class, each with what its borders leave of it.

use std::cmp::Reverse;
use std::ops::Range;

use crate::language::Token;
use crate::matching::Document;
use crate::matching::alignment::Alignment;
use crate::matching::overlap::{holds, joined, overlaps};
use crate::matching::pair::{ClonePair, Params, clones};

/// A clone pair of a query and one of several targets.
#[derive(Debug, Clone, Copy)]
pub struct TargetPair<'s> {
    /// The pair.
    pub pair: &'s ClonePair,
    /// The number of the target.
    pub target: usize,
    /// Its tokens.
    pub tokens: &'s [Token],
    /// Whether the target is the query itself.
    pub is_same: bool,
    /// Whether it is a single run, to be checked against the classes that the others make.
    pub is_run: bool,
    /// Whether it makes a class even if too few of its tokens are searched for, as a whole file
    /// does.
    pub is_sufficient: bool,
}

/// A fragment of the query with its origins.
#[derive(Debug, Clone, PartialEq)]
pub struct CloneClass {
    /// The fragment of the query.
    pub query: Range<usize>,
    /// The numbers of the pairs, and what is left of each within the fragment.
    pub members: Vec<(usize, ClonePair)>,
}

/// A query and its pairs with all targets, to be grouped into classes.
#[derive(Clone, Copy)]
pub struct QueryPairs<'s> {
    /// The query.
    pub query: Document<'s>,
    /// All pairs of the query.
    pub pairs: &'s [TargetPair<'s>],
    /// Minimum tokens of a class.
    pub min_tokens: usize,
    /// Whether enough tokens of a fragment are searched for.
    pub is_enough: &'s dyn Fn(&Range<usize>) -> bool,
    /// Whether each member is shown with its own part of the fragment, and not with all of it.
    pub by_part: bool,
    /// What counts as a clone.
    pub params: &'s Params,
}

impl QueryPairs<'_> {
    /// The class of the tokens in `range`, with those `members` that name an origin of it.
    pub(super) fn named(
        &self,
        range: &Range<usize>,
        members: impl Iterator<Item = usize>,
    ) -> CloneClass {
        let mut named = CloneClass { query: range.clone(), members: Vec::new() };
        for number in members {
            let left = self.left(range, number).and_then(|pair| self.apart(range, pair, number));
            if let Some(pair) = left {
                named.add(number, pair, *self);
            }
        }
        named
    }

    /// What is left of a pair within `range`, if that is a clone; for a run, any part counts.
    pub(super) fn left(&self, range: &Range<usize>, number: usize) -> Option<ClonePair> {
        let TargetPair { pair, tokens, is_run, .. } = self.pairs[number];
        let left = pair.alignment.within(range.clone());
        if is_run || left.n_tokens() == pair.alignment.n_tokens() {
            return self.cut(pair, number, range.clone());
        }
        self.best(left, tokens)
    }

    /// What is left of a pair if its target stays out of `range`: a copy is not its own origin.
    fn apart(&self, range: &Range<usize>, pair: ClonePair, number: usize) -> Option<ClonePair> {
        let TargetPair { tokens, is_same, .. } = self.pairs[number];
        if !is_same || !overlaps(&pair.alignment.target(), range) {
            return Some(pair);
        }
        self.best(pair.alignment.pairs().filter(|(_, to)| !range.contains(to)).collect(), tokens)
    }

    /// Some tokens of the query without the parts of statements at both ends, but for what is
    /// before a border.
    fn whole(
        &self,
        Range { start, end }: Range<usize>,
        is_border: &dyn Fn(usize) -> bool,
    ) -> Range<usize> {
        let whole = self.query.whole_statements(start..end);
        let has_line = (start..whole.start).any(|at| self.query.starts_line(at));
        let from = if has_line && is_border(start) { start } else { whole.start };
        from..if is_border(end) { end } else { whole.end }
    }

    fn cut(&self, pair: &ClonePair, number: usize, range: Range<usize>) -> Option<ClonePair> {
        let left = pair.alignment.within(range);
        if left.n_tokens() == pair.alignment.n_tokens() {
            return Some(pair.clone());
        }
        let (query, target) = (self.query.tokens, self.pairs[number].tokens);
        (!left.blocks.is_empty()).then(|| ClonePair::new(left, query, target))
    }

    /// The largest clone in what is left of an alignment, which may have been held together by what
    /// is gone.
    fn best(&self, left: Alignment, tokens: &[Token]) -> Option<ClonePair> {
        let parts = clones(left, self.query.tokens, tokens, self.params).into_iter();
        parts.max_by_key(|part| (part.alignment.n_tokens(), Reverse(part.alignment.query().start)))
    }
}

impl CloneClass {
    /// The numbers of its pairs.
    pub(super) fn numbers(&self) -> impl Iterator<Item = usize> + '_ {
        self.members.iter().map(|(number, _)| *number)
    }

    /// Adds a member, unless another one already names all of its origin.
    pub(super) fn add(&mut self, number: usize, pair: ClonePair, input: QueryPairs<'_>) {
        let QueryPairs { pairs, by_part, .. } = input;
        let alignment = &pair.alignment;
        let is_known = self.members.iter().any(|(other, known)| {
            pairs[*other].target == pairs[number].target
                && holds(&known.alignment.target(), &alignment.target())
                && (!by_part || holds(&known.alignment.query(), &alignment.query()))
        });
        if !is_known {
            self.members.push((number, pair));
        }
    }

    /// Without the members of which the borders have left less than a copy: a line or two say
    /// little. One always stays.
    pub(super) fn without_slivers(mut self, input: QueryPairs<'_>) -> Self {
        let longest = self.members.iter().map(|(_, pair)| pair.alignment.n_tokens()).max();
        let least = input.min_tokens.min(longest.unwrap_or(0));
        self.members.retain(|(number, pair)| {
            let n_tokens = pair.alignment.n_tokens();
            n_tokens >= least || n_tokens == input.pairs[*number].pair.alignment.n_tokens()
        });
        self
    }

    /// With whole statements at its ends, and without the members that have nothing else. Where
    /// `is_border` says that another class goes on, no line is left out of both: of what is before
    /// a border nothing is cut off, and of what is behind it the rest of a line.
    pub(super) fn of_statements(
        mut self,
        input: QueryPairs<'_>,
        is_border: &dyn Fn(usize) -> bool,
    ) -> Self {
        if input.by_part {
            for (number, pair) in &mut self.members {
                let range = input.whole(pair.alignment.query(), is_border);
                if (input.is_enough)(&range)
                    && let Some(left) = input.cut(pair, *number, range)
                    && left.is_clone(input.params)
                {
                    *pair = left;
                }
            }
            return self;
        }
        let query = input.whole(self.query.clone(), is_border);
        let cut = |number, pair| Some((number, input.cut(pair, number, query.clone())?));
        let members = self.members.iter().filter_map(|(number, pair)| cut(*number, pair));
        let members: Vec<(usize, ClonePair)> = members.collect();
        // What is left may end with tokens that no origin has.
        let sides = members.iter().map(|(_, pair)| pair.alignment.query());
        match sides.reduce(|a, b| joined(&a, &b)) {
            Some(query) => Self { query, members },
            None => self,
        }
    }
}
