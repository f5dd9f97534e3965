//! Skips import statements: their tokens are removed again.

use super::literal::mirror;
use super::{Held, Run};
use crate::language::compile::{ImportRule, MAX_MARK, Rule};
use crate::language::table::ImportEnd;
use crate::language::token::Token;

/// Maximum tokens of an import statement; a longer one is code that looks like an import.
const MAX_IMPORT: usize = 1_000;

/// An import statement being read.
pub(super) struct OpenImport<'c> {
    pub(super) rule: &'c ImportRule,
    pub(super) from_token: usize,
    pub(super) depth: usize,
    /// Where the name in brackets ends in which nothing opens.
    pub(super) verbatim_until: usize,
}

impl Run<'_, '_, '_> {
    /// Begins an import statement if the word that begins at `start` and ends here is first on its line and imports
    /// something.
    #[inline]
    pub(super) fn begin_import(&mut self, start: usize, word: u32) {
        let n_before = self.tokens.len() - self.line_first.min(self.tokens.len());
        if self.import.is_some() || n_before > MAX_MARK {
            return;
        }
        let before = &self.tokens[self.tokens.len() - n_before..];
        let is_marked = |mark: &[u8]| {
            let is_one = |(token, byte): (&Token, &u8)| token.text(self.text) == std::slice::from_ref(byte);
            mark.len() == n_before && before.iter().zip(mark).all(is_one)
        };
        let rule = self.table.imports.iter().find(|rule| rule.word == word && is_marked(&rule.mark));
        let Some(rule) = rule else { return };
        let next = self.text[self.at..].iter().find(|byte| !matches!(byte, b' ' | b'\t'));
        if next.is_some_and(|byte| rule.not_before.contains(byte)) {
            return;
        }
        // `(ns` continues until its bracket is closed.
        let depth = rule.mark.iter().filter(|&&byte| mirror(byte) != byte).count();
        self.hold_preamble(start, rule);
        let verbatim_until = rule.verbatim.map_or(0, |brackets| self.verbatim_end(brackets));
        self.import = Some(OpenImport { rule, from_token: self.line_first, depth, verbatim_until });
    }

    /// Remembers a comment that may be code, if a statement follows that says so. Time O(1).
    pub(super) fn remember_comment(&mut self, rule: &Rule, start: usize, end: usize) {
        if std::mem::replace(&mut self.commented, self.tokens.len()) != self.tokens.len() {
            self.comments.clear();
        }
        let close = if rule.close.is_some() && self.text[..end].ends_with(rule.fixed_close()) {
            rule.fixed_close().len()
        } else {
            0
        };
        // `//` and `/*` alike.
        let n_open = self.text[start..end].iter().take(2).take_while(|byte| byte.is_ascii_punctuation()).count();
        self.comments.push((start..end, start + n_open..(end - close).max(start + n_open)));
    }

    /// Hands out the comments right before the import that begins at `start`, if they are code of another language.
    fn hold_preamble(&mut self, start: usize, rule: &ImportRule) {
        let Some((name, row)) = &rule.preamble else { return };
        let rest = self.text[self.at..].trim_ascii_start();
        if !rest.starts_with(name) || self.commented != self.tokens.len() {
            return;
        }
        let mut next = start;
        let mut bodies = Vec::new();
        while let Some((comment, body)) = self.comments.pop()
            && self.text[comment.end..next].iter().filter(|byte| **byte == b'\n').count() <= 1
        {
            next = comment.start;
            bodies.push(Held { range: body, row: *row });
        }
        self.held.extend(bodies.into_iter().rev());
    }

    /// Where a name in `brackets` ends that begins here, behind blanks, and is closed on its line; else 0.
    fn verbatim_end(&self, (open, close): (u8, u8)) -> usize {
        let rest = &self.text[self.at..];
        let n_blank = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        if rest.get(n_blank) != Some(&open) {
            return 0;
        }
        let line = memchr::memchr2(b'\n', close, &rest[n_blank..]);
        line.map(|at| n_blank + at).filter(|&at| rest[at] == close).map_or(0, |at| self.at + at)
    }

    /// Whether here is the name of what is imported, in which nothing opens.
    pub(super) fn is_verbatim(&self) -> bool {
        self.import.as_ref().is_some_and(|import| self.at < import.verbatim_until)
    }

    pub(super) fn end_import(&mut self, end: ImportEnd) {
        let Some(import) = &self.import else { return };
        let is_over = match end {
            ImportEnd::Semicolon => true,
            ImportEnd::Line => import.rule.ends == ImportEnd::Line || self.at >= self.text.len(),
        };
        let n_tokens = self.tokens.len() - import.from_token;
        if n_tokens > MAX_IMPORT {
            self.import = None;
        } else if is_over && import.depth == 0 {
            self.tokens.truncate(import.from_token);
            self.line_first = self.tokens.len();
            self.import = None;
        }
    }
}
