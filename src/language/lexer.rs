//! Turns source into tokens, driven by a compiled table.
//!
//! Invariant: never panics, ends on any bytes, and its time grows linearly with
//! them: whatever is looked for ahead and not found is looked for a bounded
//! number of times.

use std::borrow::Cow;

use super::compile::{
    CONTINUE, Closer, Compiled, DIGIT, Ending, HeredocRule, Hole, ImportRule, MAX_MARK, NEWLINE, ODD, OPENER, Opener,
    Opens, Rule, SPACE, START, Tail, WORD_OPENER,
};
use super::table::{ImportEnd, Place, Table, TableError};
use super::token::{Kind, Symbol, Token};
use super::version::{BETWEEN_MARKS, Changed, Mark, Plan, Taken, Version};
use super::{eight, hash};

/// A language's lexer.
#[derive(Debug)]
pub struct Lexer {
    compiled: Compiled,
}

impl Lexer {
    /// Compiles `table`.
    ///
    /// # Errors
    /// [`TableError::Value`] when a value of the table cannot be used.
    pub fn new(table: &Table) -> Result<Self, TableError> {
        Compiled::new(table).map(|compiled| Self { compiled })
    }

    /// Reads `text` into tokens, replacing what `tokens` held.
    ///
    /// Comments and import statements leave no token. Whatever is not closed
    /// ends where it must: a string at its line end, a comment with the text.
    /// Text beyond four gigabytes is not read.
    ///
    /// Time O(n), for any bytes.
    pub fn tokenize(&self, text: &[u8], tokens: &mut Vec<Token>) {
        self.tokenize_holding(text, tokens, &mut Vec::new());
    }

    /// As [`Self::tokenize`], and puts into `held` what literals hold of other languages.
    pub(super) fn tokenize_holding(&self, text: &[u8], tokens: &mut Vec<Token>, held: &mut Vec<Held>) {
        tokens.clear();
        let text = &text[..text.len().min(u32::MAX as usize)];
        Run::new(&self.compiled, text, tokens, held).run();
    }
}

impl Lexer {
    /// Reads `text` as a version of another, `before`, of which nothing is read again that stayed; `tokens` is
    /// scratch space. Says in which tokens the two differ.
    pub fn version(
        &self,
        text: &[u8],
        before: Option<(&[u8], &Version)>,
        tokens: &mut Vec<Token>,
    ) -> (Version, Changed) {
        tokens.clear();
        let none = Version::default();
        let plan = match before {
            Some((before_text, before)) if self.is_resumable() => Plan::new(text, before_text, before),
            _ => Plan::whole(),
        };
        let before = before.map_or(&none, |(_, before)| before);
        let (from, shift) = (plan.from, plan.shift);
        tokens.extend(from.and_then(|mark| mark.last));
        let n_seeds = tokens.len();
        let mut held = Vec::new();
        let mut run = Run::new(&self.compiled, &text[..text.len().min(u32::MAX as usize)], tokens, &mut held);
        run.tracing = Some(Tracing {
            offset: from.map_or(0, |mark| mark.n_tokens as usize) - n_seeds,
            last_at: from.map_or(0, |mark| mark.at as usize),
            marks: Vec::new(),
            end: None,
            plan,
        });
        if let Some(mark) = from {
            (run.at, run.line_first) = (mark.at as usize, n_seeds);
        }
        let mut taken = run.run();
        taken.is_resumable &= self.is_resumable();
        Version::new(before, from, shift, tokens, n_seeds, taken)
    }

    /// Whether nothing at a text's begin decides how all of it is read.
    fn is_resumable(&self) -> bool {
        self.compiled.at_start.is_none()
    }
}

/// Follows a run of which marks are kept.
struct Tracing<'v> {
    plan: Plan<'v>,
    /// Tokens before the first that is in the list.
    offset: usize,
    /// The place of the last mark.
    last_at: usize,
    marks: Vec<Mark>,
    /// The end that was reached.
    end: Option<Mark>,
}

impl Tracing<'_> {
    /// Keeps the place, if it is due; true when the rest is known.
    fn pass(&mut self, at: usize, tokens: &[Token]) -> bool {
        while self.plan.ends.first().is_some_and(|end| i64::from(end.at) + self.plan.shift < at as i64) {
            self.plan.ends = &self.plan.ends[1..];
        }
        let last = tokens.last().copied();
        let n_tokens = (self.offset + tokens.len()) as u32;
        if let Some(end) = self.plan.ends.first()
            && i64::from(end.at) + self.plan.shift == at as i64
            && end.last.map(|last| (last.symbol, last.exact)) == last.map(|last| (last.symbol, last.exact))
        {
            self.end = Some(*end);
            self.marks.push(Mark { at: at as u32, n_tokens, last });
            return true;
        }
        if at >= self.last_at + BETWEEN_MARKS {
            self.last_at = at;
            self.marks.push(Mark { at: at as u32, n_tokens, last });
        }
        false
    }
}

/// The body of a literal that is code of another language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Held {
    pub range: std::ops::Range<usize>,
    /// The number of the literal's row among the table's strings.
    pub row: usize,
}

/// Levels of code inside literals inside code; deeper ones are plain text.
const MAX_DEPTH: usize = 64;
/// Bytes a literal may have that is only told from punctuation by being closed.
const MAX_OPERAND: usize = 500;
/// How often such a literal is looked for and not closed before no more are believed: this often,
const MAX_UNCLOSED: usize = 256;
/// and once more for so many bytes of text. Prose in a page has many; input made to be slow has nothing else.
const BYTES_PER_UNCLOSED: usize = 16;
/// Bytes of a tag that an opener and its closer share.
const MAX_TAG: usize = 64;
/// How often a heredoc without an end is looked for before no more are believed.
const MAX_ENDLESS_HEREDOCS: usize = 16;
/// Tokens an import statement may have; a longer one is code that looks like it.
const MAX_IMPORT: usize = 1_000;

/// Code inside a literal that is to go on.
struct Frame<'c> {
    rule: &'c Rule,
    close: Cow<'c, [u8]>,
    /// The byte that ends the code, and how many of its openers are unclosed.
    ends: u8,
    depth: usize,
    /// Levels of the literal that are open around the code.
    n_levels: usize,
    /// The number of tokens before the code.
    first_token: usize,
}

struct PendingHeredoc<'c> {
    rule: &'c HeredocRule,
    tag: Vec<u8>,
    is_indented: bool,
}

struct OpenImport<'c> {
    rule: &'c ImportRule,
    from_token: usize,
    depth: usize,
}

/// How a body ended.
enum End {
    /// At its closer, or where an unclosed one must.
    Whole(usize),
    /// Before code inside it: the offset of the code, the index of the pair, and the levels of the body that are open.
    Code(usize, usize, usize),
}

struct Run<'c, 't, 'o> {
    table: &'c Compiled,
    text: &'t [u8],
    at: usize,
    tokens: &'o mut Vec<Token>,
    held: &'o mut Vec<Held>,
    /// The number of tokens before this line.
    line_first: usize,
    frames: Vec<Frame<'c>>,
    heredocs: Vec<PendingHeredoc<'c>>,
    n_endless_heredocs: usize,
    /// Literals that were looked for and not closed.
    n_unclosed: usize,
    import: Option<OpenImport<'c>>,
    tracing: Option<Tracing<'c>>,
}

impl<'c, 't, 'o> Run<'c, 't, 'o> {
    fn new(table: &'c Compiled, text: &'t [u8], tokens: &'o mut Vec<Token>, held: &'o mut Vec<Held>) -> Self {
        let at = if text.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        Self {
            table,
            text,
            at,
            tokens,
            held,
            line_first: 0,
            frames: Vec::new(),
            heredocs: Vec::new(),
            n_endless_heredocs: 0,
            n_unclosed: 0,
            import: None,
            tracing: None,
        }
    }

    fn run(mut self) -> Taken {
        let begins = self.at <= 3 && self.tokens.is_empty();
        if begins && self.text[self.at..].starts_with(b"#!") && !self.text[self.at..].starts_with(b"#![") {
            self.at = self.line_end(self.at);
        }
        if begins {
            self.begin_inside();
        }
        let (table, text) = (self.table, self.text);
        // The place is a local, which stays in a register where `self` does not.
        let mut at = self.at;
        while let Some(&byte) = text.get(at) {
            let class = table.classes[byte as usize];
            if class & (START | OPENER) == START {
                let (end, hash) = self.measure_word(at);
                if class & WORD_OPENER != 0 && self.opens_after_word(byte, at, end) {
                    at = self.at;
                } else {
                    self.push_word(at, end, hash);
                    at = end;
                }
            } else if class == 0 && !self.is_watching() {
                self.push(at, at + 1, Symbol::punctuation(byte), u32::from(byte));
                at += 1;
            } else if class & SPACE != 0 {
                at += 1;
                continue;
            } else {
                self.at = at;
                self.seldom(byte, class);
                at = self.at;
            }
            // Most tokens are followed by one space or none; a branch on which would often be foretold wrongly.
            at += usize::from(text.get(at) == Some(&b' '));
        }
        self.at = at;
        self.end_import(ImportEnd::Line);
        let is_resumable = self.n_endless_heredocs == 0 && self.n_unclosed == 0;
        let (marks, end) = self.tracing.map(|tracing| (tracing.marks, tracing.end)).unwrap_or_default();
        Taken { marks, end, is_resumable }
    }

    /// Whether punctuation may end something: code inside a literal, or an import statement.
    #[inline(always)]
    fn is_watching(&self) -> bool {
        !self.frames.is_empty() || self.import.is_some()
    }

    /// Reads what is neither a word nor plain punctuation at `self.at`, and passes it.
    #[inline]
    fn seldom(&mut self, byte: u8, class: u8) {
        if class & NEWLINE != 0 {
            self.at += 1;
            self.end_line();
            self.skip_spaces();
        } else if class & OPENER != 0 && self.open(byte, 0) {
        } else if class & START != 0 {
            let (end, hash) = self.measure_word(self.at);
            if class & WORD_OPENER == 0 || !self.opens_after_word(byte, self.at, end) {
                self.push_word(self.at, end, hash);
                self.at = end;
            }
        } else if class & DIGIT != 0 {
            self.number();
        } else {
            self.punctuation(byte, class);
        }
    }

    /// Passes over text that stands before the first code, in a language whose files begin so.
    fn begin_inside(&mut self) {
        let Some(rule) = self.table.at_start.map(|rule| &self.table.rules[rule]) else { return };
        let close = rule.close.as_ref().map_or(&b""[..], |close| &close.head);
        if closes_in(rule, close, &self.text[self.at..]) {
            self.body(rule, Cow::Borrowed(close), self.at, self.at, 0);
        }
    }

    #[inline]
    fn push(&mut self, start: usize, end: usize, symbol: Symbol, exact: u32) {
        let symbol = symbol.of(self.table.family);
        self.push_symbol(start, end, symbol, exact);
    }

    #[inline]
    fn push_symbol(&mut self, start: usize, end: usize, symbol: Symbol, exact: u32) {
        self.tokens.push(Token { start: start as u32, end: end as u32, symbol, exact });
    }

    /// Passes the spaces that indent a line.
    #[inline]
    fn skip_spaces(&mut self) {
        loop {
            let n_spaces = eight::spaces(eight::load(self.text, self.at));
            self.at += n_spaces;
            if n_spaces < 8 {
                return;
            }
        }
    }

    /// The end of the word that starts at `start`, and its hash.
    #[inline(always)]
    fn measure_word(&self, start: usize) -> (usize, u64) {
        if let Some(bytes) = self.table.word_bytes {
            let chunk = eight::load(self.text, start);
            let n_bytes = bytes.run(chunk);
            if n_bytes < 8 {
                return (start + n_bytes, hash::short_word(eight::lowest(chunk, n_bytes), n_bytes, self.table.fold));
            }
            let mut end = start + 8;
            loop {
                let n_bytes = bytes.run(eight::load(self.text, end));
                end += n_bytes;
                if n_bytes < 8 {
                    return (end, hash::word(&self.text[start..end], self.table.fold));
                }
            }
        }
        let is_part = |byte: &&u8| self.table.classes[**byte as usize] & CONTINUE != 0;
        let end = start + self.text[start..].iter().take_while(is_part).count();
        (end, hash::word(&self.text[start..end], self.table.fold))
    }

    /// Opens what the word from `start` to `end` opens together with what follows it; true when it did.
    #[inline]
    fn opens_after_word(&mut self, first: u8, start: usize, end: usize) -> bool {
        let may_open = self.text.get(end).is_none_or(|&next| self.table.follows_word_opener[next as usize]);
        self.at = start;
        may_open && self.open(first, end - start)
    }

    #[inline(always)]
    fn push_word(&mut self, start: usize, end: usize, hash: u64) {
        let table = self.table;
        let exact = hash as u32;
        if table.import_bits >> (exact & 63) & 1 != 0 {
            self.at = end;
            self.begin_import(exact);
        }
        let keyword = Symbol::keyword(exact, table.family);
        // Keywords and names follow each other as they like: a branch would often be foretold wrongly.
        let is_keyword = table.keywords.contains(hash);
        let symbol = std::hint::select_unpredictable(is_keyword, keyword, Symbol::IDENTIFIER.of(table.family));
        self.push_symbol(start, end, symbol, exact);
    }

    fn number(&mut self) {
        let start = self.at;
        let chunk = eight::load(self.text, start);
        let n_bytes = eight::alphanumerics(chunk);
        let next = self.text.get(start + n_bytes);
        let (end, hash) = if n_bytes < 8 && next.is_none_or(|&next| !self.table.lengthens_number[next as usize]) {
            (start + n_bytes, hash::short_word(eight::lowest(chunk, n_bytes), n_bytes, self.table.fold))
        } else {
            let end = self.number_end(start);
            (end, hash::word(&self.text[start..end], self.table.fold))
        };
        self.at = end;
        self.push(start, end, Symbol::NUMBER, hash as u32);
    }

    /// The end of the number that starts at `start`, found byte by byte.
    fn number_end(&self, start: usize) -> usize {
        let mut end = start + 1;
        let is_hex = self.text[start] == b'0' && matches!(self.text.get(end), Some(b'x' | b'X'));
        while let Some(&byte) = self.text.get(end) {
            let next_is_digit = || self.text.get(end + 1).is_some_and(u8::is_ascii_digit);
            let next_is_word = || self.text.get(end + 1).is_some_and(u8::is_ascii_alphanumeric);
            let is_part = match byte {
                b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' => true,
                b'.' => next_is_digit(),
                b'+' | b'-' => match self.text[end - 1] {
                    b'e' | b'E' => !is_hex && next_is_digit(),
                    b'p' | b'P' => is_hex && next_is_digit(),
                    _ => false,
                },
                _ => self.table.digit_separators[byte as usize] && next_is_word(),
            };
            if !is_part {
                break;
            }
            end += 1;
        }
        end
    }

    #[inline]
    fn punctuation(&mut self, byte: u8, class: u8) {
        let start = self.at;
        self.at += 1;
        if class & ODD != 0 && matches!(self.text.get(self.at), Some(b'\n' | b'\r')) {
            // A line that goes on: layout, in every language that has it.
            self.at = self.line_end(self.at) + 1;
            self.at = self.at.min(self.text.len());
            return;
        }
        if !self.frames.is_empty() && self.leave_code(byte, start) {
            return;
        }
        if let Some(import) = &mut self.import {
            match byte {
                byte if import.rule.not_with.contains(&byte) => self.import = None,
                b'(' | b'[' | b'{' => import.depth += 1,
                b')' | b']' | b'}' => import.depth = import.depth.saturating_sub(1),
                b';' => {
                    self.push(start, start + 1, Symbol::punctuation(byte), u32::from(byte));
                    self.end_import(ImportEnd::Semicolon);
                    return;
                }
                _ => {}
            }
        }
        self.push(start, start + 1, Symbol::punctuation(byte), u32::from(byte));
    }

    /// Counts brackets of code inside a literal; true when `byte` ended the code and the literal went on.
    fn leave_code(&mut self, byte: u8, start: usize) -> bool {
        let Some(frame) = self.frames.last_mut() else { return false };
        if byte == frame.ends {
            if frame.depth > 0 {
                frame.depth -= 1;
                return false;
            }
            let Some(frame) = self.frames.pop() else { return false };
            self.body(frame.rule, frame.close, start, start + 1, frame.n_levels);
            return true;
        }
        if mirror(byte) == frame.ends {
            frame.depth += 1;
        }
        false
    }

    #[inline]
    fn end_line(&mut self) {
        self.line_first = self.tokens.len();
        if !self.heredocs.is_empty() {
            self.heredoc_bodies();
        }
        if self.import.is_some() {
            self.end_import(ImportEnd::Line);
        }
        if self.tracing.is_some() {
            self.trace();
        }
    }

    /// Notes where reading may begin again, and passes over the rest when that is known.
    #[cold]
    fn trace(&mut self) {
        let is_clean =
            self.frames.is_empty() && self.import.is_none() && self.n_endless_heredocs == 0 && self.n_unclosed == 0;
        if let Some(tracing) = self.tracing.as_mut().filter(|_| is_clean)
            && tracing.pass(self.at, self.tokens)
        {
            self.at = self.text.len();
        }
    }

    // Comments and literals.

    /// Opens what an opener at this place opens; `n_word` is the length of the word that starts here.
    fn open(&mut self, first: u8, n_word: usize) -> bool {
        let table = self.table;
        let first = if table.fold != 0 { first.to_ascii_lowercase() } else { first };
        let (from, to) = table.openers_at[first as usize];
        for opener in &table.openers[from as usize..to as usize] {
            if opener.n_word != n_word || !opener.is_at(self.text, self.at, table.fold) {
                continue;
            }
            if let (true, Opens::Rule(rule)) = (opener.is_plain, opener.opens) {
                let rule = &table.rules[rule];
                let (start, inside) = (self.at, self.at + opener.head.len());
                match simple_end(rule, self.text, inside) {
                    Some(end) => {
                        self.at = end;
                        self.piece(rule, start, end);
                    }
                    None => self.body(rule, Cow::Borrowed(rule.fixed_close()), start, inside, 0),
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
        let Some((inside, hole)) = self.matches(opener) else { return false };
        match opener.opens {
            Opens::Heredoc(rule) => self.open_heredoc(&table.heredocs[rule], inside),
            Opens::NothingAsOperand if !self.may_begin_value() => false,
            Opens::Nothing | Opens::NothingAsOperand => {
                for at in self.at..inside {
                    self.push(at, at + 1, Symbol::punctuation(self.text[at]), u32::from(self.text[at]));
                }
                self.at = inside;
                true
            }
            Opens::Rule(rule) => {
                let rule = &table.rules[rule];
                if !self.is_place(rule.place, inside)
                    || rule.is_one_character && !self.holds_one_character(rule, inside)
                {
                    return false;
                }
                let close = match &rule.close {
                    None => Cow::Borrowed(&b""[..]),
                    Some(close) => closing(close, opener.hole, hole),
                };
                let is_told_by_closing = matches!(rule.place, Place::Operand | Place::Argument);
                if is_told_by_closing {
                    if self.n_unclosed >= MAX_UNCLOSED + self.at / BYTES_PER_UNCLOSED {
                        return false;
                    }
                    if !self.is_closed_nearby(rule, &close, inside) {
                        self.n_unclosed += 1;
                        return false;
                    }
                }
                self.body(rule, close, self.at, inside, 0);
                true
            }
        }
    }

    /// The offset after `opener`, whose head stands here, if the rest of it does, and what its hole holds.
    fn matches(&self, opener: &Opener) -> Option<(usize, &'t [u8])> {
        let rest = &self.text[self.at + opener.head.len()..];
        let n_hole = match opener.hole {
            None => return Some((self.at + opener.head.len(), b"")),
            Some(Hole::Repeat(byte)) => rest.iter().take(MAX_TAG).take_while(|&&b| b == byte).count(),
            Some(Hole::Tag) => {
                rest.iter().take(MAX_TAG).take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count()
            }
            Some(Hole::Bracket) => usize::from(rest.first().is_some_and(u8::is_ascii_punctuation)),
        };
        if opener.hole == Some(Hole::Bracket) && n_hole == 0 || !rest[n_hole..].starts_with(&opener.tail) {
            return None;
        }
        Some((self.at + opener.head.len() + n_hole + opener.tail.len(), &rest[..n_hole]))
    }

    fn is_place(&self, place: Place, inside: usize) -> bool {
        match place {
            Place::Anywhere => true,
            Place::LineStart => self.at == 0 || self.text[self.at - 1] == b'\n',
            Place::LineFirst => self.tokens.len() == self.line_first,
            Place::Operand => self.may_begin_value(),
            Place::Argument => self.may_begin_value() || self.may_begin_argument(inside),
            Place::Apart => self.at == 0 || self.table.classes[self.text[self.at - 1] as usize] & CONTINUE == 0,
        }
    }

    /// Whether what opens here stands as the argument of a call without brackets does.
    fn may_begin_argument(&self, inside: usize) -> bool {
        let is_name = self.tokens.last().is_some_and(|last| last.kind() == Kind::Identifier);
        let is_space = |at: Option<usize>| at.and_then(|at| self.text.get(at)).is_some_and(u8::is_ascii_whitespace);
        let is_spaced = is_space(self.at.checked_sub(1)) && !is_space(Some(inside));
        self.tokens.len() == self.line_first || is_name && is_spaced && self.text.get(inside) != Some(&b'=')
    }

    fn may_begin_value(&self) -> bool {
        let begins_code = self.frames.last().is_some_and(|frame| frame.first_token == self.tokens.len());
        let Some(last) = self.tokens.last().filter(|_| !begins_code) else { return true };
        match last.kind() {
            Kind::Identifier | Kind::Number | Kind::String => false,
            Kind::Punctuation => !matches!(last.text(self.text), b")" | b"]" | b"}"),
            Kind::Keyword => {
                let text = last.text(self.text);
                !self.table.keywords.is_value(hash::word(text, self.table.fold))
            }
        }
    }

    fn holds_one_character(&self, rule: &Rule, inside: usize) -> bool {
        let rest = &self.text[inside..];
        let close = rule.close.as_ref().map_or(&b""[..], |close| &close.head);
        match rest.first() {
            None | Some(b'\n') => false,
            Some(&byte) if Some(byte) == rule.escape => true,
            Some(&byte) => {
                let n_bytes = match byte {
                    0xF0.. => 4,
                    0xE0.. => 3,
                    0xC0.. => 2,
                    _ => 1,
                };
                rest.get(n_bytes..).is_some_and(|rest| rest.starts_with(close))
            }
        }
    }

    /// Whether what opens before `inside` is closed on its line and within [`MAX_OPERAND`] bytes.
    fn is_closed_nearby(&self, rule: &Rule, close: &[u8], inside: usize) -> bool {
        if rule.is_multi_line {
            return true;
        }
        let near = &self.text[..self.text.len().min(inside + MAX_OPERAND)];
        match self.scan(rule, close, near, inside, 0) {
            End::Whole(end) => closes_at_end(rule, close, &near[inside..end]),
            End::Code(..) => true,
        }
    }

    /// Reads the body from `inside` on, where `n_levels` of it are open already, for a piece that began at `start`.
    fn body(&mut self, rule: &'c Rule, close: Cow<'c, [u8]>, start: usize, inside: usize, n_levels: usize) {
        match self.scan(rule, &close, self.text, inside, n_levels) {
            End::Whole(end) => {
                let end = if rule.tail == Tail::default() { end } else { self.tail(rule, &close, inside, end) };
                self.at = end;
                if rule.is_held {
                    self.hold(rule, &close, inside..end);
                } else {
                    self.piece(rule, start, end);
                }
            }
            End::Code(code, pair, n_levels) => {
                self.at = code;
                self.piece(rule, start, code);
                let (ends, first_token) = (rule.interpolation[pair].1, self.tokens.len());
                self.frames.push(Frame { rule, close, ends, depth: 0, n_levels, first_token });
            }
        }
    }

    /// The end of what belongs to a piece behind its closer: it has a body from `inside` to `end`.
    fn tail(&self, rule: &Rule, close: &[u8], inside: usize, mut end: usize) -> usize {
        let text = self.text;
        if !closes_at_end(rule, close, &text[inside..end]) {
            return end;
        }
        if rule.tail.is_second {
            let second = match close {
                &[byte] if unmirror(byte) != byte => {
                    let n_spaces = text[end..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
                    let open = text.get(end + n_spaces).copied().filter(|&open| mirror(open) != open);
                    open.map(|open| (end + n_spaces + 1, vec![mirror(open)]))
                }
                close => Some((end, close.to_vec())),
            };
            if let Some((inside, close)) = second
                && let End::Whole(second) = self.scan(rule, &close, text, inside, 0)
            {
                end = second;
            }
        }
        if rule.tail.has_flags {
            end += text[end..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        }
        if rule.tail.is_whole_line { self.line_end(end) } else { end }
    }

    /// Notes a body that is code of another language; its delimiters leave no token.
    fn hold(&mut self, rule: &Rule, close: &[u8], body: std::ops::Range<usize>) {
        let n_close = longest_close(rule, close, |text| self.text[body.clone()].ends_with(text));
        let n_comments = self.table.rules.iter().take_while(|rule| rule.is_comment).count();
        let row = self.table.rules.iter().position(|other| std::ptr::eq(other, rule)).unwrap_or(n_comments);
        self.held.push(Held { range: body.start..body.end - n_close, row: row - n_comments });
    }

    #[inline]
    fn piece(&mut self, rule: &Rule, start: usize, end: usize) {
        if !rule.is_comment {
            let symbol = if rule.is_name { Symbol::IDENTIFIER } else { Symbol::STRING };
            self.push(start, end, symbol, hash::word(&self.text[start..end], 0) as u32);
        }
    }

    fn scan(&self, rule: &Rule, close: &[u8], text: &[u8], inside: usize, n_levels: usize) -> End {
        if let Some(end) = simple_end(rule, text, inside) {
            return End::Whole(end);
        }
        if let Ending::Closer(_) = rule.ending {
            return End::Whole(find(&text[inside..], close).map_or(text.len(), |n| inside + n + close.len()));
        }
        self.scan_slowly(rule, close, text, inside, n_levels)
    }

    fn scan_slowly(&self, rule: &Rule, close: &[u8], text: &[u8], inside: usize, n_levels: usize) -> End {
        let first = close.first().copied();
        // A bracket closes its mirror, and nests when it is a pair.
        let nests: Option<Cow<'_, [u8]>> = match (&rule.nests, first) {
            (Some(_), Some(first)) if unmirror(first) != first && close.len() == 1 => {
                Some(vec![unmirror(first)].into())
            }
            (Some(open), _) => Some((&**open).into()),
            (None, _) => None,
        };
        let nest_first = nests.as_ref().and_then(|open| open.first().copied());
        let mut depth = n_levels;
        let mut at = inside;
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
            if let Some(plain) = rule.plain.iter().find(|plain| rest.starts_with(plain)) {
                at += plain.len();
            } else if let Some(pair) = rule.interpolation.iter().position(|(open, _)| rest.starts_with(open)) {
                let code = at + rule.interpolation[pair].0.len();
                if self.frames.len() < MAX_DEPTH {
                    return End::Code(code, pair, depth);
                }
                at = code;
            } else if Some(byte) == rule.escape {
                at += if rest[1..].starts_with(b"\r\n") { 3 } else { 2 };
            } else if let n_close @ 1.. = longest_close(rule, close, |close| rest.starts_with(close)) {
                at += n_close;
                if depth == 0 {
                    return End::Whole(at);
                }
                depth -= 1;
            } else if nests.as_ref().is_some_and(|open| rest.starts_with(open)) {
                depth += 1;
                at += nests.as_ref().map_or(1, |open| open.len());
            } else if byte == b'\n' && !rule.is_multi_line || rule.ends_before.iter().any(|text| rest.starts_with(text))
            {
                return End::Whole(at);
            } else {
                at = self.skip_shelter(rule, text, at);
            }
        }
        End::Whole(text.len())
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

    // Heredocs.

    fn open_heredoc(&mut self, rule: &'c HeredocRule, inside: usize) -> bool {
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
        let n_tag = text[at..].iter().take(MAX_TAG).take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
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

    fn heredoc_bodies(&mut self) {
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
                // PHP lets the statement go on after the tag.
                Some(byte) => heredoc.rule.is_always_indented && !byte.is_ascii_alphanumeric() && *byte != b'_',
            });
            if ends_here {
                return Some(at + from + heredoc.tag.len());
            }
            at = end + 1;
        }
        None
    }

    // Imports.

    /// Begins an import statement if the word before here is first on its line and one that imports.
    #[inline]
    fn begin_import(&mut self, word: u32) {
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
        // `(ns` goes on until its bracket is closed.
        let depth = rule.mark.iter().filter(|&&byte| mirror(byte) != byte).count();
        self.import = Some(OpenImport { rule, from_token: self.line_first, depth });
    }

    fn end_import(&mut self, end: ImportEnd) {
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

    /// The offset of the line end at or after `from`, or of the text's end.
    fn line_end(&self, from: usize) -> usize {
        memchr::memchr(b'\n', &self.text[from..]).map_or(self.text.len(), |n| from + n)
    }
}

/// The closer with its hole filled by what the opener's held.
fn closing<'c>(closer: &'c Closer, opened: Option<Hole>, hole: &[u8]) -> Cow<'c, [u8]> {
    if closer.hole.is_none() {
        return Cow::Borrowed(&closer.head);
    }
    let mirrored: Vec<u8> = match opened {
        Some(Hole::Bracket) => hole.iter().map(|&byte| mirror(byte)).collect(),
        _ => hole.to_vec(),
    };
    Cow::Owned([&closer.head, mirrored.as_slice(), &closer.tail].concat())
}

/// The end of a body that ends at the line end, at the first of one closer, or at a quote.
#[inline]
fn simple_end(rule: &Rule, text: &[u8], inside: usize) -> Option<usize> {
    match &rule.ending {
        Ending::Line => Some(memchr::memchr(b'\n', &text[inside..]).map_or(text.len(), |n| inside + n)),
        Ending::Closer(Some(finder)) => {
            Some(finder.find(&text[inside..]).map_or(text.len(), |n| inside + n + finder.needle().len()))
        }
        Ending::Quote(quote) => Some(scan_quoted(rule, *quote, text, inside)),
        Ending::Closer(None) | Ending::Any => None,
    }
}

/// The end of a literal that ends at `quote` or, unless it may hold lines, at the line end.
#[inline]
fn scan_quoted(rule: &Rule, quote: u8, text: &[u8], inside: usize) -> usize {
    let mut at = inside;
    loop {
        at = next_stop(rule, text, at);
        match text.get(at) {
            None => return text.len(),
            Some(&byte) if Some(byte) == rule.escape => at += if text[at + 1..].starts_with(b"\r\n") { 3 } else { 2 },
            Some(&byte) if byte == quote => return at + 1,
            // The line end, where it is a stop.
            Some(_) => return at,
        }
    }
}

/// The place of the next byte, from `at` on, that a rule stops at; else the end or beyond.
#[inline]
fn next_stop(rule: &Rule, text: &[u8], at: usize) -> usize {
    match rule.few_stops {
        Some(few) => few.find(text, at),
        None => at + text[at.min(text.len())..].iter().take_while(|&&byte| !rule.stops[byte as usize]).count(),
    }
}

/// The length of the longest closer of which `is_here` is true; 0 for none.
fn longest_close(rule: &Rule, close: &[u8], is_here: impl Fn(&[u8]) -> bool) -> usize {
    let others = rule.other_closes.iter().map(|close| &**close);
    std::iter::once(close).chain(others).filter(|close| is_here(close)).map(<[u8]>::len).max().unwrap_or(0)
}

/// Whether `body` ends with a closer.
fn closes_at_end(rule: &Rule, close: &[u8], body: &[u8]) -> bool {
    longest_close(rule, close, |close| body.ends_with(close)) > 0
}

/// Whether `text` holds a closer.
fn closes_in(rule: &Rule, close: &[u8], text: &[u8]) -> bool {
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
fn mirror(byte: u8) -> u8 {
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
    match byte {
        b')' => b'(',
        b']' => b'[',
        b'}' => b'{',
        b'>' => b'<',
        byte => byte,
    }
}
