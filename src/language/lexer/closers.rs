//! Knows whether a literal that only its closer tells from punctuation, as `/a/`, is closed.

use super::literal::{Body, BodyEnd, closes_at_end, starting};
use super::{MAX_LONG_SEARCHES, Run};
use crate::language::compile::Rule;

/// Maximum bytes of a literal that are searched before its whole line is.
const NEAR: usize = 500;
/// Maximum unsuccessful searches for the end of a literal that may nest, or whose closer depends on
/// its opener, plus one for every so many bytes of text. Prose in a page has many; input crafted to
/// be slow has nothing else.
const MAX_UNCLOSED: usize = 256;
const BYTES_PER_UNCLOSED: usize = 16;

/// Where on a line a literal is closed: found from its end, once for each rule.
pub(super) struct LineClosers<'c> {
    rule: &'c Rule,
    start: usize,
    /// Whether a body is closed that begins, or continues, at each byte from `start` on.
    is_closed: Vec<bool>,
}

impl<'c> Run<'c, '_, '_> {
    pub(super) fn is_closed_on_line(&mut self, body: &Body<'c>) -> bool {
        let (rule, start) = (body.rule, body.start);
        if rule.is_multi_line {
            // Where many were not closed, none is.
            let may_be = self.n_unclosed < MAX_LONG_SEARCHES;
            let is_closed = may_be && self.is_closed_in(body, self.text);
            self.n_unclosed += usize::from(may_be && !is_closed);
            return is_closed;
        }
        let is_fixed = rule.nests.is_none() && rule.close.is_some() && rule.has_fixed_close();
        if is_fixed
            && let Some(known) = self.line_closers.iter().find(|of| std::ptr::eq(of.rule, rule))
            && let Some(at) = start.checked_sub(known.start)
            && let Some(&is_closed) = known.is_closed.get(at)
        {
            return is_closed;
        }
        if !is_fixed && self.n_unclosed >= MAX_UNCLOSED + self.at / BYTES_PER_UNCLOSED {
            return false;
        }
        let near = &self.text[..self.text.len().min(start + NEAR)];
        if self.is_closed_in(body, near) {
            return true;
        }
        if !is_fixed {
            self.n_unclosed += 1;
            return false;
        }
        let line = &self.text[start..self.line_end(start)];
        let is_closed = closed(rule, &body.close, line);
        self.line_closers.retain(|known| !std::ptr::eq(known.rule, rule));
        let is_here = is_closed.first() == Some(&true);
        self.line_closers.push(LineClosers { rule, start, is_closed });
        is_here
    }

    /// Whether a body is closed in `text`, or has code inside.
    fn is_closed_in(&mut self, body: &Body<'c>, text: &[u8]) -> bool {
        match self.scan(body, text) {
            BodyEnd::Whole(end) => closes_at_end(body.rule, &body.close, &text[body.start..end]),
            BodyEnd::Code(..) => true,
        }
    }
}

/// For each byte of `line`, whether a body that continues there is closed. Time O(n).
fn closed(rule: &Rule, close: &[u8], line: &[u8]) -> Vec<bool> {
    // Beyond the line nothing is closed; an escape looks two bytes ahead.
    let mut outside = vec![false; line.len() + 2];
    let mut sheltered = vec![false; line.len() + 2];
    let closers: Vec<&[u8]> =
        std::iter::once(close).chain(rule.other_closes.iter().map(|close| &**close)).collect();
    for at in (0..line.len()).rev() {
        let (byte, rest) = (line[at], &line[at..]);
        if !rule.stops[byte as usize] && rule.shelter.is_none_or(|(_, close)| close != byte) {
            (outside[at], sheltered[at]) = (outside[at + 1], sheltered[at + 1]);
            continue;
        }
        let is_escape = Some(byte) == rule.escape;
        outside[at] = if let Some(plain) = starting(&rule.row.plain, rest) {
            outside[at + plain.len()]
        } else if rule.interpolation.iter().any(|(open, _)| rest.starts_with(open)) {
            true
        } else if is_escape
            && !closers.iter().any(|close| close.len() > 1 && rest.starts_with(close))
        {
            outside[at + 2]
        } else if closers.iter().any(|close| rest.starts_with(close)) {
            true
        } else if starting(&rule.row.ends_before, rest).is_some() {
            false
        } else if rule.shelter.is_some_and(|(open, _)| open == byte) {
            sheltered[at + 1]
        } else {
            outside[at + 1]
        };
        sheltered[at] = match rule.shelter {
            Some((_, close)) if close == byte => outside[at + 1],
            _ => sheltered[at + if is_escape { 2 } else { 1 }],
        };
    }
    outside.truncate(line.len());
    outside
}
