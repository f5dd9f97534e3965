//! Reads heredocs: literals that begin on the line after their tag.

use super::Run;
use super::literal::MAX_TAG;
use crate::language::compile::HeredocRule;
use crate::language::hash;
use crate::language::token::Symbol;

/// Maximum unsuccessful searches for the end of a heredoc; after that, openers are ignored.
const MAX_ENDLESS_HEREDOCS: usize = 16;

/// A heredoc whose body has not begun.
pub(super) struct PendingHeredoc<'c> {
    pub(super) rule: &'c HeredocRule,
    pub(super) tag: Vec<u8>,
    pub(super) is_indented: bool,
}

impl<'c> Run<'c, '_, '_> {
    pub(super) fn open_heredoc(&mut self, rule: &'c HeredocRule, inside: usize) -> bool {
        let start = self.at;
        let text = self.text;
        let is_longer = start > 0 && text[start - 1] == text[start];
        if is_longer || self.n_endless_heredocs >= MAX_ENDLESS_HEREDOCS {
            return false;
        }
        let mut at = inside;
        let is_marked = text.get(at).is_some_and(|byte| rule.indented.contains(byte));
        at += usize::from(is_marked);
        let quote = text.get(at).copied().filter(|byte| matches!(byte, b'"' | b'\'' | b'`'));
        at += usize::from(quote.is_some());
        let is_part = |byte: &&u8| match quote {
            Some(quote) => **byte != quote && **byte != b'\n',
            None => byte.is_ascii_alphanumeric() || **byte == b'_',
        };
        let n_tag = text[at..].iter().take(MAX_TAG).take_while(is_part).count();
        let tag = &text[at..at + n_tag];
        let is_word = tag.first().is_some_and(|first| !first.is_ascii_digit());
        let is_capital = !rule.is_capital || quote.is_some() || is_marked || !tag.iter().any(u8::is_ascii_lowercase);
        at += n_tag;
        if !is_word || !is_capital || quote.is_some_and(|quote| text.get(at) != Some(&quote)) {
            return false;
        }
        at += usize::from(quote.is_some());
        self.heredocs.push(PendingHeredoc {
            rule,
            tag: tag.to_vec(),
            is_indented: is_marked || rule.is_always_indented,
        });
        self.at = at;
        self.push(start, at, Symbol::STRING, hash::word(&text[start..at], 0) as u32);
        true
    }

    pub(super) fn heredoc_bodies(&mut self) {
        for heredoc in std::mem::take(&mut self.heredocs) {
            match self.heredoc_end(&heredoc) {
                Some(end) => {
                    let start = self.at;
                    self.at = end;
                    self.push(start, end, Symbol::STRING, hash::word(&self.text[start..end], 0) as u32);
                }
                None => self.n_endless_heredocs += 1,
            }
        }
        self.line_first = self.tokens.len();
    }

    fn heredoc_end(&self, heredoc: &PendingHeredoc<'_>) -> Option<usize> {
        let mut at = self.at;
        while at < self.text.len() {
            let end = self.line_end(at);
            let line = &self.text[at..end];
            let indent = line.iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
            let from = if heredoc.is_indented { indent } else { 0 };
            let ends_here = line[from..].strip_prefix(heredoc.tag.as_slice()).is_some_and(|rest| match rest.first() {
                None | Some(b'\r') => true,
                // PHP lets the statement continue after the tag.
                Some(byte) => heredoc.rule.is_always_indented && !byte.is_ascii_alphanumeric() && *byte != b'_',
            });
            if ends_here {
                return Some(at + from + heredoc.tag.len());
            }
            at = end + 1;
        }
        None
    }
}
