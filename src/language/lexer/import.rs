//! Skips import statements: their tokens are removed again.
//!
//! Only what has the shape of an import is one: names, strings and brackets of names. What holds
//! code, such as a body or statements, stays.

use std::borrow::Cow;
use std::ops::Range;

use super::literal::{Body, BodyEnd};
use super::{InnerCode, Run};
use crate::language::compile::{ImportRule, MAX_MARK, Opens, Rule};
use crate::language::table::{ImportEnd, OpenerPlace};
use crate::language::token::{Kind, Token};

/// Maximum tokens of an import statement; a longer one is code that looks like an import.
const MAX_IMPORT: usize = 1_000;
/// Maximum bytes of white space and comments before the next code: fewer than `LOOKS_AHEAD`.
const MAX_AHEAD: usize = 512;

pub(super) struct OpenImport<'c> {
    pub(super) rule: &'c ImportRule,
    pub(super) from_token: usize,
    depth: usize,
    /// The number of literals around it.
    pub(super) n_frames: usize,
    /// The name in brackets in which nothing opens.
    verbatim: Range<usize>,
}

impl Run<'_, '_, '_> {
    /// Begins an import statement if the word from `start` to here is first on its line and imports
    /// something. In one that has begun, the word may say that it is none.
    #[inline]
    pub(super) fn begin_import(&mut self, start: usize, word: u32) {
        if let Some(import) = &self.import {
            if import.rule.not_with_words.contains(&word) {
                self.import = None;
            }
            return;
        }
        let n_before = self.tokens.len() - self.line_first.min(self.tokens.len());
        if n_before > MAX_MARK || self.keeps_imports {
            return;
        }
        let (earlier, before) = self.tokens.split_at(self.tokens.len() - n_before);
        let Some(rule) = self.table.imports.iter().find(|rule| {
            let texts = before.iter().map(|token| token.text(self.text));
            rule.word == word && texts.eq(rule.mark.chunks(1))
        }) else {
            return;
        };
        // An element of a list, an argument, a key.
        let is_in_list =
            earlier.last().is_some_and(|last| matches!(last.text(self.text), b"(" | b"[" | b","));
        if rule.mark.is_empty() && is_in_list {
            return;
        }
        let next = self.next_code(self.at);
        if self.text.get(next).is_some_and(|byte| rule.row.not_before.as_bytes().contains(byte)) {
            return;
        }
        if rule.preamble.is_some() {
            let is_in_brackets = self.text.get(next) == Some(&b'(');
            let name_at = if is_in_brackets { self.next_code(next + 1) } else { next };
            self.hold_preamble(start, name_at, rule);
        }
        let verbatim = next..rule.verbatim.map_or(0, |brackets| self.verbatim_end(next, brackets));
        let (from_token, n_frames) = (self.line_first, self.frames.len());
        self.import = Some(OpenImport { rule, from_token, depth: rule.n_open, n_frames, verbatim });
    }

    /// Where code goes on behind white space and comments, from `at` on.
    fn next_code(&mut self, mut at: usize) -> usize {
        let text = &self.text[..self.text.len().min(at + MAX_AHEAD)];
        while let Some(byte) = text.get(at) {
            if byte.is_ascii_whitespace() {
                at += 1;
            } else if let Some(end) = self.comment_end(at, text) {
                at = end;
            } else {
                break;
            }
        }
        at
    }

    /// The end of the comment that opens at `at` behind white space, if one does.
    fn comment_end(&mut self, at: usize, text: &[u8]) -> Option<usize> {
        let table = self.table;
        let (from, to) = table.openers_at[text[at] as usize];
        let mut openers = table.openers[from as usize..to as usize].iter();
        let opener = openers
            .find(|opener| opener.is_at(text, at) && opener.n_word == 0 && opener.hole.is_none())?;
        let Opens::Rule(rule) = opener.opens else { return None };
        let rule = &table.rules[rule];
        let is_anywhere = matches!(rule.row.place, OpenerPlace::Anywhere | OpenerPlace::Apart);
        if !rule.is_comment || !is_anywhere || rule.row.holds_strings {
            return None;
        }
        let inside = at + opener.head.len();
        match self.scan(&Body::new(rule, Cow::Borrowed(rule.fixed_close()), inside), text) {
            BodyEnd::Whole(end) => Some(end),
            BodyEnd::Code(..) => None,
        }
    }

    /// Follows the import past `byte`, which may end or disprove it; true if it was read.
    pub(super) fn follow_import(&mut self, byte: u8, start: usize) -> bool {
        let Some(import) = &self.import else { return false };
        let rule = import.rule;
        let is_inside = import.depth > 0 || self.frames.len() > import.n_frames;
        let only_with = rule.row.only_with.as_bytes();
        let is_code = match byte {
            _ if import.verbatim.contains(&start) => return false,
            byte if rule.row.not_with.as_bytes().contains(&byte) => true,
            b';' if is_inside && rule.row.ends != ImportEnd::Directive => !rule.row.lines,
            b';' => false,
            // A line of its own, whatever is on it.
            _ if rule.row.ends == ImportEnd::Directive => false,
            b'}' if !is_inside => {
                self.end_import(ImportEnd::Semicolon);
                return false;
            }
            b')' | b']' if !is_inside => true,
            b'=' if rule.row.alias && !self.is_alias() => true,
            // The body of a function.
            b'{' if self.tokens.last().is_some_and(|last| last.text(self.text) == b")") => true,
            byte => !only_with.is_empty() && !only_with.contains(&byte),
        };
        let Some(import) = self.import.as_mut().filter(|_| !is_code) else {
            self.import = None;
            return false;
        };
        match byte {
            b'(' | b'[' | b'{' => import.depth += 1,
            b')' | b']' | b'}' => import.depth = import.depth.saturating_sub(1),
            _ => {}
        }
        // `(ns` ends where its bracket does.
        let is_closed = rule.n_open > 0 && import.depth == 0 && matches!(byte, b')' | b']' | b'}');
        if !is_closed && byte != b';' {
            return false;
        }
        self.push_byte(start, byte);
        self.end_import(ImportEnd::Semicolon);
        true
    }

    /// Whether the import statement has one name so far, besides keywords, and nothing else.
    fn is_alias(&self) -> bool {
        let Some(import) = &self.import else { return false };
        let tokens = self.tokens[import.from_token..].iter().skip(import.rule.mark.len() + 1);
        tokens.map(Token::kind).filter(|&kind| kind != Kind::Keyword).eq([Kind::Identifier])
    }

    /// Whether this line, in the brackets of an import, and the next one are parts of one list.
    fn is_list(&mut self) -> bool {
        let begins_code =
            self.frames.last().is_some_and(|frame| frame.first_token == self.tokens.len());
        let goes_on = self.tokens.last().is_none_or(|last| {
            last.kind() == Kind::Punctuation && !matches!(last.text(self.text), b")" | b"]" | b"}")
        });
        let next = self.next_code(self.at);
        begins_code
            || goes_on
            || self.text.get(next).is_none_or(|byte| b",)]}.|&+=:?<>*/%`".contains(byte))
    }

    /// Remembers a comment that may be code, if a statement follows that says so. Time O(1).
    pub(super) fn remember_comment(&mut self, rule: &Rule, start: usize, end: usize) {
        if std::mem::replace(&mut self.commented, self.tokens.len()) != self.tokens.len() {
            self.comments.clear();
        }
        let is_closed = rule.close.is_some() && self.text[..end].ends_with(rule.fixed_close());
        let n_close = if is_closed { rule.fixed_close().len() } else { 0 };
        // `//` and `/*` alike.
        let opening = self.text[start..end].iter().take(2);
        let inside = start + opening.take_while(|byte| byte.is_ascii_punctuation()).count();
        self.comments.push((start..end, inside..(end - n_close).max(inside)));
    }

    /// Hands out the comments right before what begins at `start` and imports what is at `name_at`,
    /// maybe in brackets, if they are code of another language.
    pub(super) fn hold_preamble(&mut self, start: usize, name_at: usize, rule: &ImportRule) {
        let Some((name, row)) = &rule.preamble else { return };
        let is_here = self.text[name_at..].starts_with(name);
        if !is_here || self.commented != self.tokens.len() {
            return;
        }
        let (mut next, mut bodies) = (start, Vec::new());
        while let Some((comment, body)) = self.comments.pop()
            && self.text[comment.end..next].iter().filter(|byte| **byte == b'\n').count() <= 1
        {
            next = comment.start;
            bodies.push(InnerCode { range: body, row: *row });
        }
        self.held.extend(bodies.into_iter().rev());
    }

    /// Where a name in brackets ends that begins at `at` and is closed on its line; else 0.
    fn verbatim_end(&self, at: usize, (open, close): (u8, u8)) -> usize {
        let rest = &self.text[at..];
        if rest.first() != Some(&open) {
            return 0;
        }
        let end = memchr::memchr2(b'\n', close, rest).filter(|&end| rest[end] == close);
        end.map_or(0, |end| at + end)
    }

    /// Whether here is the name of what is imported, in which nothing opens.
    pub(super) fn is_verbatim(&self) -> bool {
        self.import.as_ref().is_some_and(|import| import.verbatim.contains(&self.at))
    }

    /// Ends the import statement if one is open and `end` ends it.
    pub(super) fn end_import(&mut self, end: ImportEnd) {
        let Some(import) = &self.import else { return };
        let (rule, from_token) = (import.rule, import.from_token);
        let is_over = end == ImportEnd::Semicolon
            || rule.row.ends != ImportEnd::Semicolon
            || self.at >= self.text.len();
        let is_inside = import.depth > 0 || self.frames.len() > import.n_frames;
        let n_tokens = self.tokens.len() - from_token;
        if n_tokens > MAX_IMPORT {
            self.import = None;
        } else if is_over && (!is_inside || rule.row.ends == ImportEnd::Directive) {
            self.tokens.truncate(from_token);
            self.line_first = self.tokens.len();
            self.import = None;
        } else if is_inside && !rule.row.lines && rule.n_open == 0 && !self.is_list() {
            self.import = None;
        }
    }
}
