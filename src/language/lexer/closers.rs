//! Knows whether a literal that differs from punctuation only in being closed, such as `/a/`, is
//! closed on its line.

use super::Run;
use super::literal::{Body, BodyEnd, closes_at_end};
use crate::language::compile::Rule;

/// Maximum bytes of a literal that are searched before its whole line is.
const NEAR: usize = 500;
/// Maximum unsuccessful searches for the end of a literal that may nest, or whose closer depends on
/// its opener,
const MAX_UNCLOSED: usize = 256;
/// plus one for every so many bytes of text. Prose in a page has many; input crafted to be slow has
/// nothing else.
const BYTES_PER_UNCLOSED: usize = 16;

/// Maximum unsuccessful searches that may each go through all of the text.
const MAX_UNCLOSED_LINES: usize = 16;

/// Where on the rest of a line a literal is closed: found from its end, so that each line is read
/// once for each rule.
pub(super) struct LineClosers<'c> {
    rule: &'c Rule,
    start: usize,
    /// Whether a body is closed that begins, or continues, at each byte from `start` on.
    is_closed: Vec<bool>,
}

impl<'c> Run<'c, '_, '_> {
    /// Whether a body is closed on its line.
    pub(super) fn is_closed_on_line(&mut self, body: &Body<'c>) -> bool {
        let (rule, start) = (body.rule, body.start);
        if rule.is_multi_line {
            return self.is_closed_at_all(body);
        }
        let is_fixed =
            rule.nests.is_none() && rule.close.as_ref().is_some_and(|close| close.hole.is_none());
        if is_fixed
            && let Some(known) =
                self.line_closers.iter().find(|known| std::ptr::eq(known.rule, rule))
        {
            let at = start.checked_sub(known.start);
            if let Some(&is_closed) = at.and_then(|at| known.is_closed.get(at)) {
                return is_closed;
            }
        }
        if !is_fixed && self.n_unclosed >= MAX_UNCLOSED + self.at / BYTES_PER_UNCLOSED {
            return false;
        }
        let near = &self.text[..self.text.len().min(start + NEAR)];
        let is_near = match self.scan(body, near) {
            BodyEnd::Whole(end) => closes_at_end(rule, &body.close, &near[start..end]),
            BodyEnd::Code(..) => true,
        };
        if is_near {
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
}

impl<'c> Run<'c, '_, '_> {
    /// Whether a body that may go on over lines is closed. Where many were not, none is.
    fn is_closed_at_all(&mut self, body: &Body<'c>) -> bool {
        if self.n_unclosed >= MAX_UNCLOSED_LINES {
            return false;
        }
        let is_closed = match self.scan(body, self.text) {
            BodyEnd::Whole(end) => {
                closes_at_end(body.rule, &body.close, &self.text[body.start..end])
            }
            BodyEnd::Code(..) => true,
        };
        self.n_unclosed += usize::from(!is_closed);
        is_closed
    }
}

/// For each byte of `line`, whether a body that continues there is closed. Time O(n).
fn closed(rule: &Rule, close: &[u8], line: &[u8]) -> Vec<bool> {
    // Beyond the line nothing is closed; a closer and an escape look a few bytes ahead.
    let mut outside = vec![false; line.len() + 1];
    let mut sheltered = vec![false; line.len() + 1];
    let closers: Vec<&[u8]> =
        std::iter::once(close).chain(rule.other_closes.iter().map(|close| &**close)).collect();
    for at in (0..line.len()).rev() {
        let (byte, rest) = (line[at], &line[at..]);
        let after = |flags: &[bool], n: usize| flags.get(at + n).copied().unwrap_or(false);
        let starts = |texts: &[Box<[u8]>]| {
            texts.iter().find(|text| rest.starts_with(text)).map(|text| text.len())
        };
        let is_escape = Some(byte) == rule.escape;
        outside[at] = if let Some(n_plain) = starts(&rule.plain) {
            after(&outside, n_plain)
        } else if rule.interpolation.iter().any(|(open, _)| rest.starts_with(open)) {
            true
        } else if is_escape
            && !closers.iter().any(|close| close.len() > 1 && rest.starts_with(close))
        {
            after(&outside, 2)
        } else if closers.iter().any(|close| rest.starts_with(close)) {
            true
        } else if starts(&rule.ends_before).is_some() {
            false
        } else if rule.shelter.is_some_and(|(open, _)| open == byte) {
            after(&sheltered, 1)
        } else {
            after(&outside, 1)
        };
        sheltered[at] = match rule.shelter {
            Some((_, close)) if close == byte => after(&outside, 1),
            _ => after(&sheltered, if is_escape { 2 } else { 1 }),
        };
    }
    outside.truncate(line.len());
    outside
}
