//! Skips import statements: their tokens are removed again.

use super::Run;
use super::literal::mirror;
use crate::language::compile::{ImportRule, MAX_MARK};
use crate::language::table::ImportEnd;
use crate::language::token::Token;

/// Maximum tokens of an import statement; a longer one is code that looks like an import.
const MAX_IMPORT: usize = 1_000;

/// An import statement being read.
pub(super) struct OpenImport<'c> {
    pub(super) rule: &'c ImportRule,
    pub(super) from_token: usize,
    pub(super) depth: usize,
}

impl Run<'_, '_, '_> {
    /// Begins an import statement if the previous word is first on its line and imports something.
    #[inline]
    pub(super) fn begin_import(&mut self, word: u32) {
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
        self.import = Some(OpenImport { rule, from_token: self.line_first, depth });
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
