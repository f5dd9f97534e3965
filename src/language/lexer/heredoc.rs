//! Reads heredocs: literals that begin on the line after their tag.

use std::collections::HashMap;

use super::brackets::Belongs;
use super::literal::MAX_TAG;
use super::places::{MAX_IN_BRACES, opening};
use super::{MAX_LONG_SEARCHES, Run};
use crate::language::compile::{HeredocRule, has_word, is_word_byte};
use crate::language::region;
use crate::language::table::OpenerPlace;

/// A heredoc whose body has not begun.
pub(super) struct PendingHeredoc<'c> {
    pub(super) rule: &'c HeredocRule,
    pub(super) tag: Vec<u8>,
    pub(super) indent: Indent,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Indent {
    Nothing,
    Tabs,
    Blanks,
}

/// The last line that ends a heredoc, by what may indent it, whether code may follow, and the tag.
pub(super) type LastLines<'t> = HashMap<(Indent, bool), HashMap<&'t [u8], usize>>;

impl<'c, 't> Run<'c, 't, '_> {
    pub(super) fn open_heredoc(&mut self, rule: &'c HeredocRule, inside: usize) -> bool {
        let start = self.at;
        let text = self.text;
        if start > 0 && text[start - 1] == text[start] || !self.may_begin_heredoc(rule, inside) {
            return false;
        }
        let is_mark = |byte: &u8| rule.row.indented.as_bytes().contains(byte);
        let is_marked = text.get(inside).is_some_and(is_mark);
        let tag_at = inside + usize::from(is_marked);
        let found = match rule.row.word_tag {
            true if self.open_bracket() == Belongs::Arithmetic => None,
            true => word_tag(text, tag_at),
            false => plain_tag(rule, text, tag_at),
        };
        let Some((at, tag)) = found else { return false };
        let indent = match (is_marked || rule.row.always_indented, rule.row.word_tag) {
            (false, _) => Indent::Nothing,
            (true, true) => Indent::Tabs,
            (true, false) => Indent::Blanks,
        };
        let is_quoted = text[inside..at].iter().any(|byte| matches!(byte, b'"' | b'\'' | b'`'));
        let has_small = rule.row.capital_tag && tag.iter().any(u8::is_ascii_lowercase);
        if has_small && !is_quoted && !is_marked {
            let end = self.line_end(start);
            let last = self.last_lines((indent, rule.row.always_indented)).get(&*tag);
            if last.is_none_or(|&last| last <= end) {
                self.n_endless_heredocs += 1;
                return false;
            }
        }
        self.heredocs.push(PendingHeredoc { rule, tag, indent });
        self.at = at;
        self.push_string(start, at);
        true
    }

    /// Whether a value or an argument may begin here; behind a value, `a[0] <<B` shifts.
    fn may_begin_heredoc(&mut self, rule: &HeredocRule, inside: usize) -> bool {
        if rule.row.place == OpenerPlace::Anywhere || self.may_begin_value() {
            return true;
        }
        if !rule.files.is_empty() && self.ends_in_file(rule) {
            return true;
        }
        let is_variable = match self.tokens.as_slice() {
            // The sigil is part of the name, or a token by itself.
            [.., last] if matches!(last.text(self.text).first(), Some(b'$')) => true,
            [.., before, last] => {
                before.end == last.start
                    && matches!(before.text(self.text), b"@" | b"$" | b"%" | b"&" | b"*")
            }
            _ => false,
        };
        let is_first = rule.files.is_empty() && self.on_line().is_empty();
        is_first || !is_variable && self.is_spaced_from_name(inside)
    }

    /// Whether the last tokens are a file to print to: `print $file`, `print {$file}`.
    fn ends_in_file(&self, rule: &HeredocRule) -> bool {
        let line = self.on_line();
        let near = &line[line.len().saturating_sub(MAX_IN_BRACES + 1)..];
        let n_file = match near.last().map(|last| last.text(self.text)) {
            Some(b"}") => opening(near, self.text, *b"{}").map(|at| near.len() - at),
            Some([b'$', ..]) => Some(1),
            _ => None,
        };
        let before = n_file.and_then(|n| line[..line.len() - n].last());
        before.is_some_and(|before| has_word(&rule.files, before.text(self.text)))
    }

    /// For each tag, the last line that could end its heredoc. Time O(n) in all.
    fn last_lines(&mut self, kind: (Indent, bool)) -> &HashMap<&'t [u8], usize> {
        let text = self.text;
        self.last_lines.entry(kind).or_insert_with(|| {
            let starts =
                std::iter::once(0).chain(memchr::memchr_iter(b'\n', text).map(|end| end + 1));
            starts.map(|at| (tag_of_line(line(text, at), kind).1, at)).collect()
        })
    }

    pub(super) fn heredoc_bodies(&mut self) {
        let mut is_behind_tag = false;
        for heredoc in std::mem::take(&mut self.heredocs) {
            let start = self.at;
            // The next one begins on the line after the tag of the one before.
            let is_at_line_end = is_behind_tag && self.text.get(start) == Some(&b'\n');
            match self.heredoc_end(&heredoc, start + usize::from(is_at_line_end)) {
                Some(end) => {
                    (self.at, is_behind_tag) = (end, true);
                    // With an empty tag, an empty line is all of it.
                    if start < end {
                        self.push_string(start, end);
                    }
                }
                None => self.n_endless_heredocs += 1,
            }
        }
        self.line_first = self.tokens.len();
    }

    /// Where the body that begins at `start` ends, behind its tag.
    fn heredoc_end(&mut self, heredoc: &PendingHeredoc<'_>, start: usize) -> Option<usize> {
        let PendingHeredoc { rule, tag, indent } = heredoc;
        let kind = (*indent, rule.row.always_indented);
        if self.n_endless_heredocs >= MAX_LONG_SEARCHES
            && self.last_lines(kind).get(tag.as_slice()).is_none_or(|&last| last < start)
        {
            return None;
        }
        let mut at = start;
        while at < self.text.len() {
            let line = line(self.text, at);
            let (n_indent, found) = tag_of_line(line, kind);
            if found == tag.as_slice() {
                return Some(at + n_indent + tag.len());
            }
            at += line.len() + 1;
        }
        None
    }
}

/// The line that begins at `at`, without its end.
fn line(text: &[u8], at: usize) -> &[u8] {
    let rest = &text[at..];
    &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())]
}

/// The indent and the tag of a line. Where `code_follows`, PHP lets the statement go on behind it.
fn tag_of_line(line: &[u8], (indent, code_follows): (Indent, bool)) -> (usize, &[u8]) {
    let n_indent = match indent {
        Indent::Nothing => 0,
        Indent::Tabs => line.iter().take_while(|byte| **byte == b'\t').count(),
        Indent::Blanks => region::indent(line),
    };
    let rest = &line[n_indent..];
    let n_tag = match code_follows {
        true => rest.iter().take_while(|byte| is_tag_byte(byte)).count(),
        false => rest.len() - usize::from(rest.ends_with(b"\r")),
    };
    (n_indent, &rest[..n_tag])
}

fn is_tag_byte(byte: &u8) -> bool {
    is_word_byte(byte) || !byte.is_ascii()
}

/// The end of a tag at `at`, and the tag.
fn plain_tag(rule: &HeredocRule, text: &[u8], mut at: usize) -> Option<(usize, Vec<u8>)> {
    let n_blank = if rule.row.spaced_tag { region::indent(&text[at..]) } else { 0 };
    let quote = text.get(at + n_blank).copied().filter(|byte| matches!(byte, b'"' | b'\'' | b'`'));
    at += if quote.is_some() { n_blank + 1 } else { 0 };
    at += usize::from(rule.row.spaced_tag && quote.is_none() && text.get(at) == Some(&b'\\'));
    let rest = text[at..].iter().take(MAX_TAG);
    let n_tag = match quote {
        Some(quote) => rest.take_while(|byte| **byte != quote && **byte != b'\n').count(),
        None => rest.take_while(|byte| is_tag_byte(byte)).count(),
    };
    let tag = &text[at..at + n_tag];
    // An empty one ends at an empty line.
    let is_empty_line = rule.row.spaced_tag && quote.is_some();
    let is_word = tag.first().map_or(is_empty_line, |first| !first.is_ascii_digit());
    at += n_tag;
    if !is_word || quote.is_some_and(|quote| text.get(at) != Some(&quote)) {
        return None;
    }
    Some((at + usize::from(quote.is_some()), tag.to_vec()))
}

/// The same of a tag that is any word of a shell: `!`, `'a b'`, `E"O"F`, `\EOF`.
fn word_tag(text: &[u8], mut at: usize) -> Option<(usize, Vec<u8>)> {
    at += region::indent(&text[at..]);
    let (start, mut tag, mut quote) = (at, Vec::new(), None);
    while let Some(&byte) = text.get(at) {
        match (quote, byte) {
            _ if at - start > 2 * MAX_TAG => return None,
            (_, b'\n') if quote.is_some() => return None,
            (Some(open), byte) if byte == open => quote = None,
            (Some(_), byte) => tag.push(byte),
            (None, b'\'' | b'"') => quote = Some(byte),
            (None, b'\\') => {
                at += 1;
                tag.extend(text.get(at).filter(|byte| **byte != b'\n'));
            }
            (None, b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')' | b'`') => break,
            (None, byte) if byte.is_ascii_whitespace() || at == start && byte == b'#' => break,
            (None, byte) => tag.push(byte),
        }
        at += 1;
    }
    (at > start && quote.is_none()).then_some((at.min(text.len()), tag))
}
