//! Finds clones: fragments of a query that also occur in a target.
//!
//! seeds -> runs -> chain -> alignment -> clone pair -> clone class
//!
//! Invariant: the same input gives the same output; nothing here reads a file or a clock.

mod agreement;
mod align;
mod alignment;
mod alignments;
mod band;
mod chain;
mod class;
mod copied;
mod corners;
mod coverage;
mod evidence;
mod groups;
mod lanes;
mod lines;
mod missed;
mod moved;
mod novelty;
mod overlap;
mod pair;
mod run;
mod score;
mod seeding;
mod sibling;
mod signature;
mod split;
mod statements;
mod unified;
mod unit;
mod words;
mod worth;

pub use agreement::{Agreement, called};
pub use alignment::{Alignment, Block};
pub use alignments::{Alignments, Shortfall, alignments, without_neighbors};
pub use chain::chains;
pub use coverage::{CloneClass, CloneClasses, QueryPairs, TargetPair, clone_classes};
pub use evidence::{Enough, Evidence, WordedTokens, may_be_evident, mean_rarity, rare_words};
pub use groups::Groups;
pub use lines::{AddedLines, added_lines, shown_lines};
pub use missed::{
    CONTEXT, Fix, Hunk, HunkIndex, MissedHunk, edited_hunks, edited_lines, fixes, line_key,
    line_keys, missable_hunks, missed, n_hunks,
};
pub use moved::{ChangeTokens, MovedRun, moved_runs};
pub use novelty::{Novelty, aligned, novelty};
pub use overlap::{SAME_PLACE, is_same_place, n_shared, overlaps};
pub use pair::{ClonePair, CloneType, Params, agreeing_pairs, clones};
pub use seeding::{Seed, SeedSide, SharedKgram, is_telling, max_seeds, seeds};
pub use sibling::{MIN_RUN, Renaming, Site, Window};
pub use unified::{HUNK_CONTEXT, unified};
pub use unit::{Unit, UnitSearch};
pub use words::{Bag, Rarity, WordMatch, words, words_of_file};
pub use worth::{BESIDE_LINES, Deed, Worth, is_beside, n_equal_lines, n_statements, names_alike};

use crate::language::{BlockWords, Token};

/// A token stream and the text it was read from.
#[derive(Debug, Clone, Copy)]
pub struct Document<'d> {
    /// The text.
    pub text: &'d [u8],
    /// Its tokens.
    pub tokens: &'d [Token],
    /// The words that show how its code is built.
    pub words: &'d BlockWords,
}

impl<'d> Document<'d> {
    /// Code whose language is not known.
    pub fn new(text: &'d [u8], tokens: &'d [Token]) -> Self {
        Self { text, tokens, words: BlockWords::common() }
    }

    /// The text of the token at `at`; empty at the end.
    fn word(&self, at: usize) -> &'d [u8] {
        self.tokens.get(at).map_or(&b""[..], |token| token.text(self.text))
    }

    fn is(&self, at: usize, word: &[u8]) -> bool {
        self.word(at) == word
    }

    /// Whether the token at `at` is the first on its line; true at the end.
    pub fn starts_line(&self, at: usize) -> bool {
        self.between(at).is_none_or(|between| between.contains(&b'\n'))
    }

    /// Whether there is a line without tokens before the token at `at`; true at the end.
    pub fn starts_paragraph(&self, at: usize) -> bool {
        self.between(at).is_none_or(|between| memchr::memchr_iter(b'\n', between).nth(1).is_some())
    }

    /// Bytes of white space before the first code on the line of the token at `at`; 0 at the end.
    pub fn indent(&self, at: usize) -> usize {
        if at < self.tokens.len() { self.indentation(at).len() } else { 0 }
    }

    /// The white space that the line of the token at `at` begins with; at the end, the last line.
    pub fn indentation(&self, at: usize) -> &'d [u8] {
        let end = self.tokens.get(at).map_or(self.text.len(), |token| token.start as usize);
        let before = self.text.get(..end).unwrap_or_default();
        let line = memchr::memrchr(b'\n', before).map_or(before, |end| &before[end + 1..]);
        &line[..line.iter().take_while(|byte| byte.is_ascii_whitespace()).count()]
    }

    /// What is between the token before and the one at `at`, if there are both.
    fn between(&self, at: usize) -> Option<&[u8]> {
        let (before, token) = (self.tokens.get(at.checked_sub(1)?)?, self.tokens.get(at)?);
        Some(self.text.get(before.end as usize..token.start as usize).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Languages;

    pub(super) const PARAMS: Params = Params {
        k: 8,
        min_distinct: 4,
        max_gap: 100,
        min_containment: 0.6,
        min_agreement: 0.5,
        min_spelled: 0.75,
        min_run: 40,
    };

    pub(super) fn c_tokens(text: &str) -> Vec<Token> {
        tokens_of("c", text)
    }

    pub(super) fn tokens_of(language: &str, text: &str) -> Vec<Token> {
        let languages = Languages::builtin();
        let language = languages.get(language).expect("it is built in");
        let mut tokens = Vec::new();
        language.lexer.tokenize(text.as_bytes(), &mut tokens);
        tokens
    }

    pub(super) fn document<'d>(text: &'d str, tokens: &'d [Token]) -> Document<'d> {
        Document::new(text.as_bytes(), tokens)
    }
}
