//! Reads comments and literals, and the code inside them.

use std::borrow::Cow;

use super::{InnerCode, MAX_LONG_SEARCHES, Run};
use crate::language::compile::{
    Ending, Hole, HoledText, Opener, Opens, Rule, has_word, is_word_byte,
};
use crate::language::hash;
use crate::language::table::{ImportEnd, OpenerPlace};
use crate::language::token::Symbol;

/// Maximum depth of code inside literals inside code; anything deeper is plain text.
const MAX_DEPTH: usize = 64;
/// Maximum bytes of a tag that an opener and its closer share.
pub(super) const MAX_TAG: usize = 64;
/// Maximum white space between the two bodies of a literal: `s{a}   {b}`.
const MAX_BLANKS: usize = 500;
/// Maximum bytes of the delimiter of a raw string in C++.
const MAX_DELIMITER: usize = 16;

/// Code inside a literal that continues after it.
pub(super) struct Frame<'c> {
    /// The rest of the literal.
    pub(super) body: Body<'c>,
    /// The byte that ends the code, and how many of its openers are unclosed.
    pub(super) ends: u8,
    pub(super) depth: usize,
    /// The round and square brackets that are open in it.
    pub(super) n_brackets: usize,
    /// The number of tokens before the code.
    pub(super) first_token: usize,
    /// The number of tokens searched for cases, and the depth of each case that has not ended.
    pub(super) n_read: usize,
    pub(super) cases: Vec<usize>,
}

/// The body of a literal that is open.
pub(super) struct Body<'c> {
    pub(super) rule: &'c Rule,
    pub(super) close: Cow<'c, [u8]>,
    /// Where it starts, or continues after code inside it.
    pub(super) start: usize,
    /// The number of its brackets that are open there.
    pub(super) n_levels: usize,
}

impl<'c> Body<'c> {
    pub(super) fn new(rule: &'c Rule, close: Cow<'c, [u8]>, start: usize) -> Self {
        Self { rule, close, start, n_levels: 0 }
    }
}

pub(super) enum BodyEnd {
    /// At its closer, or where an unclosed one must.
    Whole(usize),
    /// Before code: its offset, the index of its pair, and the open levels of the body.
    Code(usize, usize, usize),
}

impl<'c, 't> Run<'c, 't, '_> {
    /// Reads what opens here; `n_word` is the length of the word that starts here.
    pub(super) fn open(&mut self, first: u8, n_word: usize) -> bool {
        if self.is_verbatim() || self.elements.is_in_text() {
            return false;
        }
        let table = self.table;
        let first = if table.fold != 0 { first.to_ascii_lowercase() } else { first };
        let (from, to) = table.openers_at[first as usize];
        for opener in &table.openers[from as usize..to as usize] {
            // A `#` is part of a word, but quotes.
            let is_word = opener.n_word == n_word
                || opener.hole == Some(Hole::Quote)
                    && n_word > opener.n_word
                    && self.text[self.at + opener.n_word] == b'#';
            if !is_word || !opener.is_at(self.text, self.at) {
                continue;
            }
            if let (true, Opens::Rule(rule)) = (opener.is_plain, opener.opens) {
                let rule = &table.rules[rule];
                let (start, inside) = (self.at, self.at + opener.head.len());
                match simple_end(rule, self.text, inside).filter(|_| self.heredocs.is_empty()) {
                    Some(end) => {
                        self.at = end;
                        self.piece(rule, start, end);
                    }
                    None => {
                        let close = Cow::Borrowed(rule.fixed_close());
                        self.body(start, Body::new(rule, close, inside));
                    }
                }
                return true;
            }
            if self.open_one(opener) {
                return true;
            }
        }
        false
    }

    fn open_one(&mut self, opener: &'c Opener) -> bool {
        let table = self.table;
        let Some((inside, hole)) = self.matches(opener, self.at) else { return false };
        match opener.opens {
            Opens::Heredoc(rule) => self.open_heredoc(&table.heredocs[rule], inside),
            Opens::NothingAsOperand if !self.may_begin_value() => false,
            Opens::NothingAsArgument if !self.may_begin_plain_argument() => false,
            Opens::Nothing | Opens::NothingAsOperand | Opens::NothingAsArgument => {
                let (start, mut end) = (self.at, self.at);
                if opener.n_word > 0 {
                    let (_, hash) = self.measure_word(start);
                    end += opener.n_word;
                    self.push_word(start, end, hash);
                }
                let text = self.text;
                for at in (end..inside).filter(|&at| opener.n_word == 0 || text[at] != b' ') {
                    self.push_byte(at, text[at]);
                }
                self.at = inside;
                true
            }
            Opens::Rule(rule) => {
                let rule = &table.rules[rule];
                if !self.is_in_its_place(rule, inside) {
                    return false;
                }
                let close = match &rule.close {
                    None => Cow::Borrowed(&b""[..]),
                    Some(close) => closing(close, opener.hole, hole),
                };
                let body = Body::new(rule, close, inside);
                // Nothing but its closer distinguishes it from punctuation.
                use OpenerPlace::{Argument, Operand, Quote};
                let must_close = matches!(rule.row.place, Operand | Argument | Quote);
                if must_close && !self.is_closed_on_line(&body) {
                    return false;
                }
                self.body(self.at, body);
                true
            }
        }
    }

    /// Whether what `rule` reads may open here, by what is before it.
    fn is_in_its_place(&mut self, rule: &Rule, inside: usize) -> bool {
        let (frame, last) = (self.frames.last(), self.tokens.last());
        let is_within = rule.within.is_none_or(|end| frame.is_some_and(|frame| frame.ends == end));
        let is_name = !rule.not_after.is_empty()
            && last.is_some_and(|last| has_word(&rule.not_after, last.text(self.text)));
        is_within
            && !is_name
            && self.is_place(rule.row.place, inside)
            && (!rule.row.one_character || self.holds_one_character(rule, inside))
    }

    /// The offset after `opener` at `at`, if more than its head matches, and what its hole holds.
    fn matches(&self, opener: &Opener, at: usize) -> Option<(usize, &'t [u8])> {
        let rest = &self.text[at + opener.head.len()..];
        let Some(hole) = opener.hole else { return Some((at + opener.head.len(), b"")) };
        let near = rest.iter().take(MAX_TAG);
        let n_hole = match hole {
            Hole::Repeat(byte) => near.take_while(|&&b| b == byte).count(),
            Hole::Blank | Hole::Quote => near.take_while(|b| matches!(b, b' ' | b'\t')).count(),
            Hole::Splice => n_splices(&rest[..rest.len().min(MAX_TAG)]),
            Hole::Tag => near.take_while(|b| is_word_byte(b)).count(),
            Hole::Extension => {
                near.take_while(|b| b.is_ascii_alphanumeric() || b"%._' \t".contains(b)).count()
            }
            Hole::Delimiter => near
                .take(MAX_DELIMITER)
                .take_while(|b| b.is_ascii_graphic() && !matches!(b, b'(' | b')' | b'\\'))
                .count(),
            Hole::Bracket => usize::from(rest.first().is_some_and(u8::is_ascii_punctuation)),
        };
        if hole == Hole::Quote {
            let delimiter = *rest.get(n_hole)?;
            let is_arrow = rest[n_hole..].starts_with(b"=>");
            // Behind blanks a `#` opens a comment.
            let is_comment = delimiter == b'#' && n_hole > 0;
            let quotes = delimiter.is_ascii_punctuation() && !b")]}>_".contains(&delimiter);
            let inside = at + opener.head.len() + n_hole + 1;
            return (quotes && !is_arrow && !is_comment)
                .then_some((inside, &rest[n_hole..=n_hole]));
        }
        if hole == Hole::Bracket && n_hole == 0 || !rest[n_hole..].starts_with(&opener.tail) {
            return None;
        }
        Some((at + opener.head.len() + n_hole + opener.tail.len(), &rest[..n_hole]))
    }

    pub(super) fn body(&mut self, start: usize, body: Body<'c>) {
        let rule = body.rule;
        match self.scan(&body, self.text) {
            BodyEnd::Whole(end) => {
                if let Some(line_end) = self.interrupting_line(&body, end) {
                    self.at = line_end;
                    self.piece(rule, start, line_end);
                    self.heredoc_bodies();
                    let start = self.at;
                    if start < self.text.len() {
                        self.body(start, Body::new(rule, body.close, start));
                    }
                    return;
                }
                let end = if rule.has_tail() { self.tail(&body, end) } else { end };
                let is_cut = rule.row.conditional;
                let end = if is_cut { other_half(&body, self.text, start, end) } else { end };
                self.at = end;
                if rule.row.holds.is_some() {
                    self.hold(rule, &body.close, body.start..end);
                } else {
                    self.piece(rule, start, end);
                }
            }
            BodyEnd::Code(code, pair, n_levels) => {
                self.at = code;
                self.piece(rule, start, code);
                let (ends, first_token) = (rule.interpolation[pair].1, self.tokens.len());
                self.frames.push(Frame {
                    body: Body { n_levels, ..body },
                    ends,
                    depth: 0,
                    n_brackets: 0,
                    first_token,
                    n_read: first_token,
                    cases: Vec::new(),
                });
            }
        }
    }

    /// The end of the first line of a literal, if the bodies of heredocs come next: `f(<<A, "b` and
    /// its next line. A shell reads them after the line on which the literal ends.
    fn interrupting_line(&self, body: &Body<'_>, end: usize) -> Option<usize> {
        self.heredocs
            .last()
            .filter(|heredoc| !body.rule.is_comment && !heredoc.rule.row.word_tag)?;
        memchr::memchr(b'\n', &self.text[body.start..end]).map(|n| body.start + n + 1)
    }

    /// The end of what belongs to a literal after its closer; its body ends at `end`.
    fn tail(&mut self, body: &Body<'_>, mut end: usize) -> usize {
        let (text, rule, close) = (self.text, body.rule, &*body.close);
        if !closes_at_end(rule, close, &text[body.start..end]) {
            return end;
        }
        if rule.row.second {
            let second = match close {
                &[byte] if unmirror(byte) != byte => {
                    let blanks = text[end..].iter().take(MAX_BLANKS);
                    let at = end + blanks.take_while(|byte| byte.is_ascii_whitespace()).count();
                    let open = text.get(at).copied().filter(|&open| mirror(open) != open);
                    open.map(|open| (at + 1, vec![mirror(open)]))
                }
                close => Some((end, close.to_vec())),
            };
            let second = second.map(|(at, close)| Body::new(rule, close.into(), at));
            if let Some(BodyEnd::Whole(second)) = second.map(|body| self.scan(&body, text)) {
                end = second;
            }
        }
        if rule.row.flags {
            end += text[end..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        }
        if rule.row.whole_line { self.line_end(end) } else { end }
    }

    /// Records a body that is code of another language; its delimiters give no token.
    fn hold(&mut self, rule: &Rule, close: &[u8], body: std::ops::Range<usize>) {
        let n_close = longest_close(rule, close, |text| self.text[body.clone()].ends_with(text));
        let mut strings = self.table.rules.iter().skip_while(|rule| rule.is_comment);
        let row = strings.position(|other| std::ptr::eq(other, rule)).unwrap_or(0);
        self.held.push(InnerCode { range: body.start..body.end - n_close, row });
    }

    #[inline]
    fn piece(&mut self, rule: &Rule, start: usize, end: usize) {
        if rule.is_comment {
            if self.table.has_preambles {
                self.remember_comment(rule, start, end);
            }
            // What comes after a comment of several lines is first on its line if nothing comes
            // before the comment's end.
            if rule.is_multi_line && memchr::memchr(b'\n', &self.text[start..end]).is_some() {
                self.end_import(ImportEnd::Line);
                self.line_first = self.tokens.len();
            }
        } else {
            if self.table.has_preambles
                && let Some(import) = &self.import
            {
                self.hold_preamble(start, start, import.rule);
            }
            let symbol = if rule.row.name { Symbol::IDENTIFIER } else { Symbol::STRING };
            self.push(start, end, symbol, hash::word(&self.text[start..end], 0) as u32);
        }
    }

    pub(super) fn scan(&mut self, body: &Body<'_>, text: &[u8]) -> BodyEnd {
        let Body { rule, close, start, .. } = body;
        if let Some(end) = simple_end(rule, text, *start) {
            return BodyEnd::Whole(end);
        }
        if rule.row.expansions
            && let Some(end) = self.scan_expansions(body, text)
        {
            return end;
        }
        if let Ending::Closer(_) = rule.ending {
            let end = find(&text[*start..], close).map(|n| start + n + close.len());
            return BodyEnd::Whole(end.unwrap_or(text.len()));
        }
        self.scan_slowly(body, text)
    }

    fn scan_slowly(&mut self, body: &Body<'_>, text: &[u8]) -> BodyEnd {
        let (rule, close) = (body.rule, &*body.close);
        let first = close.first().copied();
        // A bracket closes its mirror image, and nests if the two differ.
        let nests: Option<Cow<'_, [u8]>> = match (&rule.nests, first) {
            (Some(_), Some(first)) if unmirror(first) != first && close.len() == 1 => {
                Some(vec![unmirror(first)].into())
            }
            (Some(_), Some(_)) if !rule.has_fixed_close() => None,
            (Some(open), _) => Some((&**open).into()),
            (None, _) => None,
        };
        let nest_first = nests.as_ref().and_then(|open| open.first().copied());
        let mut depth = body.n_levels;
        let mut at = body.start;
        let has_few_stops = rule.few_stops.is_some() && nests.is_none();
        while at < text.len() {
            if has_few_stops {
                at = next_stop(rule, text, at);
            }
            let Some(&byte) = text.get(at) else { break };
            if !rule.stops[byte as usize] && Some(byte) != first && Some(byte) != nest_first {
                at += 1;
                continue;
            }
            let rest = &text[at..];
            if rule.row.holds_strings
                && let Some(end) = self.string_end(at, text)
            {
                at = end;
            } else if let Some(plain) = starting(&rule.row.plain, rest) {
                at += plain.len();
            } else if let Some(pair) =
                rule.interpolation.iter().position(|(open, _)| rest.starts_with(open))
            {
                let code = at + rule.interpolation[pair].0.len();
                if self.frames.len() < MAX_DEPTH {
                    return BodyEnd::Code(code, pair, depth);
                }
                at = code;
            } else if let Some(close) = closer_by_escape(rule, rest) {
                at += close.len();
                if depth == 0 {
                    return BodyEnd::Whole(at);
                }
                depth -= 1;
            } else if Some(byte) == rule.escape {
                at += if rest[1..].starts_with(b"\r\n") { 3 } else { 2 };
            } else if rule.row.close_first && !is_first_on_line(text, at) {
                at += 1;
            } else if rule.row.whole_line && continues_word(close, rest) {
                at += close.len();
            } else if let n_close @ 1.. =
                longest_close(rule, close, |close| rest.starts_with(close))
            {
                at += n_close;
                if depth == 0 {
                    return BodyEnd::Whole(at);
                }
                depth -= 1;
            } else if let Some(n_close) = spliced_close(rule, close, rest) {
                return BodyEnd::Whole(at + n_close);
            } else if nests.as_ref().is_some_and(|open| rest.starts_with(open)) {
                depth += 1;
                at += nests.as_ref().map_or(1, |open| open.len());
            } else if ends_line(rule, byte) || starting(&rule.row.ends_before, rest).is_some() {
                return BodyEnd::Whole(at);
            } else {
                at = self.skip_shelter(rule, text, at);
            }
        }
        BodyEnd::Whole(text.len())
    }

    /// Finds the end of a body with expansions of a shell; `None` if nothing ends it, when its
    /// braces are plain text.
    ///
    /// What is open is a number with two bits for each level, the innermost lowest: it is kept
    /// while code inside is read.
    ///
    /// Time O(n), whatever is nested.
    fn scan_expansions(&mut self, body: &Body<'_>, text: &[u8]) -> Option<BodyEnd> {
        const QUOTED: usize = 1;
        /// In an expansion, where a single quote opens a string, and where it is text.
        const QUOTING: usize = 2;
        const PLAIN: usize = 3;
        if self.n_unclosed >= MAX_LONG_SEARCHES {
            return None;
        }
        let rule = body.rule;
        let outermost = if *body.close == *b"}" { QUOTING } else { QUOTED };
        let mut open = if body.n_levels == 0 { outermost } else { body.n_levels };
        let begins = body.n_levels == 0 && outermost == QUOTING;
        let n_before = if begins { n_flags(&text[body.start..]) } else { 0 };
        let mut at = next_stop(rule, text, body.start + n_before);
        while let Some(&byte) = text.get(at) {
            let rest = &text[at..];
            let code = rule.interpolation.iter().position(|(open, _)| rest.starts_with(open));
            if Some(byte) == rule.escape {
                at += if rest[1..].starts_with(b"\r\n") { 3 } else { 2 };
            } else if let Some(pair) = code {
                at += rule.interpolation[pair].0.len();
                if self.frames.len() < MAX_DEPTH {
                    return Some(BodyEnd::Code(at, pair, open));
                }
            } else if rest.starts_with(b"${") {
                let is_quoted =
                    (0..usize::BITS).step_by(2).any(|level| open >> level & 3 == QUOTED);
                let inside = if is_quoted && !edits(&rest[2..]) { PLAIN } else { QUOTING };
                // What is too deep is text.
                open = if open.leading_zeros() >= 2 { open << 2 | inside } else { open };
                at += 2 + n_flags(&rest[2..]);
            } else {
                at += 1;
                match (open & 3, byte) {
                    (QUOTED, b'"') | (QUOTING | PLAIN, b'}') => open >>= 2,
                    (QUOTING | PLAIN, b'"') if open.leading_zeros() >= 2 => {
                        open = open << 2 | QUOTED;
                    }
                    (QUOTING, b'\'') => {
                        at = memchr::memchr(b'\'', &text[at..]).map_or(at, |n| at + n + 1);
                    }
                    (_, b'\n') if !rule.is_multi_line => return Some(BodyEnd::Whole(at - 1)),
                    _ => {}
                }
            }
            if open == 0 {
                return Some(BodyEnd::Whole(at));
            }
            at = next_stop(rule, text, at);
        }
        self.n_unclosed += 1;
        None
    }

    /// The end of the string or character at `at`, if there is one and it is closed.
    ///
    /// One that is not closed was looked for in all of the rest: few may be, and what comes there
    /// decides what is here.
    fn string_end(&mut self, at: usize, text: &[u8]) -> Option<usize> {
        let table = self.table;
        if self.n_unclosed >= MAX_LONG_SEARCHES {
            return None;
        }
        let (from, to) = table.openers_at[text[at] as usize];
        table.openers[from as usize..to as usize].iter().find_map(|opener| {
            let Opens::Rule(rule) = opener.opens else { return None };
            let rule = &table.rules[rule];
            if rule.is_comment || !opener.is_at(text, at) {
                return None;
            }
            let (inside, hole) = self.matches(opener, at)?;
            if rule.row.one_character && !self.holds_one_character(rule, inside) {
                return None;
            }
            let close = closing(rule.close.as_ref()?, opener.hole, hole);
            let BodyEnd::Whole(end) = self.scan(&Body::new(rule, close.clone(), inside), text)
            else {
                return None;
            };
            let is_closed = closes_at_end(rule, &close, &text[inside..end]);
            self.n_unclosed += usize::from(!is_closed);
            is_closed.then_some(end)
        })
    }

    /// The offset after the sheltered part that opens at `at`, or after the byte.
    fn skip_shelter(&self, rule: &Rule, text: &[u8], at: usize) -> usize {
        let Some((open, close)) = rule.shelter else { return at + 1 };
        if text[at] != open {
            return at + 1;
        }
        let mut end = at + 1;
        while let Some(&byte) = text.get(end) {
            match byte {
                b'\n' => return end,
                byte if byte == close => return end + 1,
                byte if Some(byte) == rule.escape => end += 2,
                _ => end += 1,
            }
        }
        text.len()
    }
}

/// The bytes of backslashes with a line end each that `text` begins with.
fn n_splices(text: &[u8]) -> usize {
    let mut at = 0;
    while let Some(rest) = text[at..].strip_prefix(b"\\") {
        at += match rest {
            [b'\n', ..] => 2,
            [b'\r', b'\n', ..] => 3,
            _ => return at,
        };
    }
    at
}

/// The length of the closer that `text` begins with, if lines may be joined in it.
fn spliced_close(rule: &Rule, close: &[u8], text: &[u8]) -> Option<usize> {
    if !rule.has_splices || text.first() != close.first() {
        return None;
    }
    let mut at = 0;
    for byte in close {
        at += n_splices(&text[at..]);
        if text.get(at) != Some(byte) {
            return None;
        }
        at += 1;
    }
    Some(at)
}

pub(super) fn starting<'r>(texts: &'r [String], text: &[u8]) -> Option<&'r str> {
    texts.iter().map(String::as_str).find(|one| text.starts_with(one.as_bytes()))
}

/// Whether `text` begins with a closer that ends in the middle of a word: `=cutter`.
fn continues_word(close: &[u8], text: &[u8]) -> bool {
    let next = text.strip_prefix(close).and_then(<[u8]>::first);
    next.is_some_and(is_word_byte)
}

/// The bytes of the flags of an expansion in zsh, in which quotes delimit: `${(j:":)a}`.
fn n_flags(text: &[u8]) -> usize {
    let flags = &text[..text.len().min(MAX_TAG)];
    let end = memchr::memchr2(b')', b'\n', flags).filter(|_| flags.starts_with(b"("));
    end.filter(|&end| flags[end] == b')').map_or(0, |end| end + 1)
}

/// Whether an expansion, whose name `text` begins with, has an operator that edits the value: in
/// its pattern, quotes count wherever it is.
fn edits(text: &[u8]) -> bool {
    let mut at = usize::from(text.first() == Some(&b'!'));
    let name = text[at.min(text.len())..].iter().take(MAX_TAG);
    at += name.take_while(|byte| is_word_byte(byte)).count().max(1);
    if text.get(at) == Some(&b'[') {
        at += text[at..].iter().take(MAX_TAG).position(|byte| *byte == b']').map_or(0, |n| n + 1);
    }
    text.get(at).is_some_and(|byte| b"#%/^,".contains(byte))
}

/// Where the first directive is in the comment from `start` to `end` that belongs to an `#if`
/// before it, and ends it in code that is left out; else `end`.
///
/// Where the comment is closed after that, and no other one opens before its closer, it is none
/// that ends there.
fn other_half(body: &Body<'_>, text: &[u8], start: usize, end: usize) -> usize {
    let mut depth = 0;
    for at in memchr::memchr_iter(b'#', &text[body.start..end]).map(|n| body.start + n) {
        if !is_first_on_line(text, at) {
            continue;
        }
        let word = text[at + 1..end].trim_ascii_start();
        let is_other =
            [&b"endif"[..], b"else", b"elif"].iter().any(|other| word.starts_with(other));
        if word.starts_with(b"if") {
            depth += 1;
        } else if is_other && depth == 0 {
            let is_closed = closes_at_end(body.rule, &body.close, &text[body.start..end]);
            let opens_again = find(&text[at..end], &text[start..body.start]).is_some();
            return if opens_again || !is_closed { at } else { end };
        } else if word.starts_with(b"endif") {
            depth -= 1;
        }
    }
    end
}

/// The closer, with its placeholder filled in from the opener.
fn closing<'c>(closer: &'c HoledText, opened: Option<Hole>, hole: &[u8]) -> Cow<'c, [u8]> {
    if closer.hole.is_none() {
        return Cow::Borrowed(&closer.head);
    }
    let mirrored: Vec<u8> = match opened {
        Some(Hole::Bracket | Hole::Quote) => hole.iter().map(|&byte| mirror(byte)).collect(),
        Some(Hole::Extension) => {
            // What is behind the first blank, without blanks.
            let words = hole.split(|byte| matches!(byte, b' ' | b'\t')).skip(1);
            words.flatten().copied().collect()
        }
        _ => hole.to_vec(),
    };
    Cow::Owned([&closer.head, mirrored.as_slice(), &closer.tail].concat())
}

/// The end of a body that ends with its line, at its only closer, or at a quote.
#[inline]
fn simple_end(rule: &Rule, text: &[u8], inside: usize) -> Option<usize> {
    let rest = &text[inside..];
    let n_inside = match &rule.ending {
        Ending::Line => memchr::memchr2(b'\n', b'\r', rest),
        Ending::Closer(Some(finder)) => finder.find(rest).map(|n| n + finder.needle().len()),
        Ending::Quote(quote) => return Some(scan_quoted(rule, *quote, text, inside)),
        Ending::Closer(None) | Ending::Any => return None,
    };
    Some(n_inside.map_or(text.len(), |n| inside + n))
}

/// The end of a literal that ends at `quote` or, unless it may contain lines, at the line end.
#[inline]
fn scan_quoted(rule: &Rule, quote: u8, text: &[u8], inside: usize) -> usize {
    let mut at = inside;
    loop {
        at = next_stop(rule, text, at);
        match text.get(at) {
            None => return text.len(),
            Some(&byte) if Some(byte) == rule.escape => {
                at += if text[at + 1..].starts_with(b"\r\n") { 3 } else { 2 }
            }
            Some(&byte) if byte == quote => return at + 1,
            // The line end, if it is a stop.
            Some(_) => return at,
        }
    }
}

/// The position of the next byte, from `at` on, at which a rule stops; else the end or beyond.
#[inline]
fn next_stop(rule: &Rule, text: &[u8], at: usize) -> usize {
    match rule.few_stops {
        Some(few) => few.find(text, at),
        None => {
            let rest = text[at.min(text.len())..].iter();
            at + rest.take_while(|&&byte| !rule.stops[byte as usize]).count()
        }
    }
}

/// The closer at the start of `text`, if it begins with the escape character: `\u0022` in Java.
fn closer_by_escape<'r>(rule: &'r Rule, text: &[u8]) -> Option<&'r [u8]> {
    rule.other_closes.iter().map(|close| &**close).find(|close| {
        close.len() > 1 && close.first().copied() == rule.escape && text.starts_with(close)
    })
}

/// Whether `byte` ends a body with its line. To many compilers a carriage return alone ends the
/// line of a comment; in a literal it is an error.
fn ends_line(rule: &Rule, byte: u8) -> bool {
    !rule.is_multi_line && (byte == b'\n' || byte == b'\r' && rule.is_comment)
}

/// The length of the longest closer for which `is_here` is true; 0 if none.
fn longest_close(rule: &Rule, close: &[u8], is_here: impl Fn(&[u8]) -> bool) -> usize {
    let others = rule.other_closes.iter().map(|close| &**close);
    let here = std::iter::once(close).chain(others).filter(|close| is_here(close));
    here.map(<[u8]>::len).max().unwrap_or(0)
}

fn is_first_on_line(text: &[u8], at: usize) -> bool {
    let before = text[..at].iter().rposition(|byte| !matches!(byte, b' ' | b'\t'));
    before.is_none_or(|before| matches!(text[before], b'\n' | b'\r'))
}

pub(super) fn closes_at_end(rule: &Rule, close: &[u8], body: &[u8]) -> bool {
    longest_close(rule, close, |close| body.ends_with(close)) > 0
}

pub(super) fn closes_in(rule: &Rule, close: &[u8], text: &[u8]) -> bool {
    longest_close(rule, close, |close| find(text, close).is_some()) > 0
}

fn find(text: &[u8], close: &[u8]) -> Option<usize> {
    match close {
        [] => None,
        [one] => memchr::memchr(*one, text),
        many => memchr::memmem::find(text, many),
    }
}

/// The bracket that closes `byte`; any other byte closes itself.
pub(super) fn mirror(byte: u8) -> u8 {
    match byte {
        b'(' => b')',
        b'[' => b']',
        b'{' => b'}',
        b'<' => b'>',
        byte => byte,
    }
}

/// The bracket that `byte` closes; any other byte opens itself.
fn unmirror(byte: u8) -> u8 {
    b"([{<".iter().copied().find(|&open| mirror(open) == byte).unwrap_or(byte)
}
