//! Turns source into tokens, driven by a compiled table.
//!
//! Invariant: never panics, terminates on any bytes, and takes linear time: every lookahead that can
//! fail may do so only a bounded number of times.

mod brackets;
mod closers;
mod element;
mod escapes;
mod heredoc;
mod import;
mod literal;
mod places;
mod spaces;

use std::borrow::Cow;

pub(super) use self::escapes::character;
use brackets::Brackets;
use closers::LineClosers;
use element::Elements;
use escapes::Escapes;
use heredoc::{LastLines, PendingHeredoc};
use import::OpenImport;
use literal::{Body, Frame, closes_in, mirror};
use spaces::plain_spaces;

use super::compile::{CompiledTable, DIGIT, NEWLINE, ODD, OPENER, SPACE, START, WORD_OPENER};
use super::relex::{BETWEEN_MARKS, ChangedTokens, Kept, Mark, Plan, PlanOutcome, Version};
use super::table::{ImportEnd, Table, TableError};
use super::token::{Kind, Symbol, Token};
use super::{hash, swar};

/// Bytes of text for which a token is made room for: fewer than most code has.
const BYTES_PER_TOKEN: usize = 6;
/// Maximum bytes of text to make room for: a large file may have few tokens.
const MAX_ROOM: usize = 1 << 20;
/// Maximum bytes of a word that is spread over lines. Each line of it is joined with all before.
const MAX_SPLICED: usize = 256;

/// Maximum unsuccessful searches that may each go through all of the text: then none is begun, or
/// all that could be found is looked up.
const MAX_LONG_SEARCHES: usize = 16;

/// A language's lexer.
#[derive(Debug)]
pub struct Lexer(CompiledTable);

impl Lexer {
    /// Compiles `table`.
    ///
    /// # Errors
    /// [`TableError::Value`] when a value of the table cannot be used.
    pub fn new(table: &Table) -> Result<Self, TableError> {
        CompiledTable::new(table).map(Self)
    }

    /// Reads `text` into tokens, replacing the contents of `tokens`. Time O(n), for any bytes.
    ///
    /// Comments and import statements give no token. An unclosed string ends at its line end, an
    /// unclosed comment at the end of the text. Text beyond four gigabytes is not read.
    pub fn tokenize(&self, text: &[u8], tokens: &mut Vec<Token>) {
        self.tokenize_holding(text, tokens, &mut Vec::new());
    }

    /// Like [`Self::tokenize`], but imports give tokens as well, and escapes are read as they are.
    pub(super) fn tokenize_imports_too(&self, text: &[u8], tokens: &mut Vec<Token>) {
        tokens.clear();
        let mut held = Vec::new();
        let run = Run::new(&self.0, text, tokens, &mut held);
        Run { keeps_imports: true, ..run }.run();
    }

    /// Like [`Self::tokenize`], and puts code of other languages inside literals into `held`.
    pub(super) fn tokenize_holding(
        &self,
        text: &[u8],
        tokens: &mut Vec<Token>,
        held: &mut Vec<InnerCode>,
    ) {
        tokens.clear();
        let text = &text[..text.len().min(u32::MAX as usize)];
        match Escapes::of(&self.0, text) {
            None => drop(Run::new(&self.0, &plain_spaces(&self.0, text), tokens, held).run()),
            Some(escapes) => {
                Run::new(&self.0, &plain_spaces(&self.0, &escapes.text), tokens, held).run();
                escapes.locate(tokens);
            }
        }
    }

    /// Reads `text` as a version of another text, `before`, reusing everything that is unchanged;
    /// `tokens` is scratch space. Returns the tokens in which the two differ.
    pub fn version<T: Kept>(
        &self,
        text: &[u8],
        before: Option<(&[u8], &Version<T>)>,
        tokens: &mut Vec<Token>,
    ) -> (Version<T>, ChangedTokens) {
        tokens.clear();
        let none = Version::default();
        let known = before.filter(|_| self.is_resumable());
        let before = before.map_or(&none, |(_, before)| before);
        if let Some(escapes) = Escapes::of(&self.0, text) {
            let text = plain_spaces(&self.0, &escapes.text);
            Run::new(&self.0, &text, tokens, &mut Vec::new()).run();
            escapes.locate(tokens);
            return Version::new(before, &Plan::default(), tokens, PlanOutcome::default());
        }
        let plan = known.map(|(known, before)| Plan::new(text, known, before)).unwrap_or_default();
        let from = plan.from;
        // The token before the mark decides how the first one after it reads.
        tokens.extend(from.and_then(|mark| mark.last));
        let n_seeds = tokens.len();
        let (text, mut held) = (&text[..text.len().min(u32::MAX as usize)], Vec::new());
        let text = plain_spaces(&self.0, text);
        let mut run = Run::new(&self.0, &text, tokens, &mut held);
        run.tracing = Some(Tracer {
            offset: from.map_or(0, |mark| mark.n_tokens as usize) - n_seeds,
            last_at: from.map_or(0, |mark| mark.at as usize),
            outcome: PlanOutcome::default(),
            plan: plan.clone(),
        });
        if let Some(mark) = from {
            (run.at, run.line_first) = (mark.at as usize, n_seeds);
        }
        let mut outcome = run.run();
        outcome.is_resumable &= self.is_resumable();
        Version::new(before, &plan, &tokens[n_seeds..], outcome)
    }

    /// Whether nothing at the start of a text decides how all of it is read.
    fn is_resumable(&self) -> bool {
        self.0.at_start.is_none()
    }
}

/// Follows a run and decides which marks to keep.
struct Tracer<'v> {
    plan: Plan<'v>,
    /// The number of tokens before the first one in the list.
    offset: usize,
    last_at: usize,
    outcome: PlanOutcome,
}

impl Tracer<'_> {
    /// Whether this may be the position of a mark, or of one that was known.
    fn is_due(&mut self, at: usize) -> bool {
        while self.end_at().is_some_and(|end| end < at as i64) {
            self.plan.ends = &self.plan.ends[1..];
        }
        at >= self.last_at + BETWEEN_MARKS || self.end_at() == Some(at as i64)
    }

    /// Where the next end of the plan is in this text.
    fn end_at(&self) -> Option<i64> {
        self.plan.ends.first().map(|end| i64::from(end.at) + self.plan.shift)
    }

    /// Records the position if one is due; true if the rest is already known.
    fn pass(&mut self, at: usize, tokens: &[Token]) -> bool {
        let last = tokens.last().copied();
        let n_tokens = (self.offset + tokens.len()) as u32;
        let readings = |token: Option<Token>| token.map(|token| token.readings());
        self.outcome.end = (self.plan.ends.first().copied())
            .filter(|end| self.end_at() == Some(at as i64) && readings(end.last) == readings(last));
        if self.outcome.end.is_some() || at >= self.last_at + BETWEEN_MARKS {
            self.last_at = at;
            self.outcome.marks.push(Mark { at: at as u32, n_tokens, last });
        }
        self.outcome.end.is_some()
    }
}

/// The body of a literal that is code of another language.
pub(super) struct InnerCode {
    pub range: std::ops::Range<usize>,
    /// The row of the literal among the table's strings.
    pub row: usize,
}

struct Run<'c, 't, 'o> {
    table: &'c CompiledTable,
    text: &'t [u8],
    at: usize,
    tokens: &'o mut Vec<Token>,
    held: &'o mut Vec<InnerCode>,
    /// The number of tokens before this line.
    line_first: usize,
    frames: Vec<Frame<'c>>,
    heredocs: Vec<PendingHeredoc<'c>>,
    n_endless_heredocs: usize,
    last_lines: LastLines<'t>,
    /// The number of literals whose closer was searched for and not found.
    n_unclosed: usize,
    line_closers: Vec<LineClosers<'c>>,
    brackets: Brackets,
    import: Option<OpenImport<'c>>,
    keeps_imports: bool,
    /// The comments since the last token, if one may be code, each with its body.
    comments: Vec<(std::ops::Range<usize>, std::ops::Range<usize>)>,
    /// The number of tokens before them.
    commented: usize,
    elements: Elements<'t>,
    tracing: Option<Tracer<'c>>,
}

impl<'c, 't, 'o> Run<'c, 't, 'o> {
    fn new(
        table: &'c CompiledTable,
        text: &'t [u8],
        tokens: &'o mut Vec<Token>,
        held: &'o mut Vec<InnerCode>,
    ) -> Self {
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
            last_lines: LastLines::default(),
            n_unclosed: 0,
            line_closers: Vec::new(),
            brackets: Brackets::default(),
            import: None,
            keeps_imports: false,
            comments: Vec::new(),
            commented: 0,
            elements: Elements::default(),
            tracing: None,
        }
    }

    fn run(mut self) -> PlanOutcome {
        if self.at <= 3 && self.tokens.is_empty() {
            let rest = &self.text[self.at..];
            if rest.starts_with(b"#!") && !rest.starts_with(b"#![") {
                self.at = memchr::memchr2(b'\n', b'\r', self.text).unwrap_or(self.text.len());
            }
            self.tokens.reserve(self.text.len().min(MAX_ROOM) / BYTES_PER_TOKEN);
            self.begin_inside();
        }
        let (table, text) = (self.table, self.text);
        // A local stays in a register; a field of `self` does not.
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
                self.push_byte(at, byte);
                at += 1;
            } else if class & SPACE != 0 {
                at += 1;
                continue;
            } else {
                self.at = at;
                self.special(byte, class);
                at = self.at;
            }
            // Most tokens are followed by one space or none. A branch here would often be
            // mispredicted.
            at += usize::from(text.get(at) == Some(&b' '));
        }
        self.at = at;
        self.end_import(ImportEnd::Line);
        let is_resumable = self.is_resumable();
        let outcome = self.tracing.map(|tracing| tracing.outcome).unwrap_or_default();
        PlanOutcome { is_resumable, ..outcome }
    }

    /// Whether nothing was decided by what comes later in the text.
    fn is_resumable(&self) -> bool {
        self.n_endless_heredocs == 0 && self.n_unclosed == 0 && self.elements.n_told_by_later == 0
    }

    /// Whether punctuation may end something: code inside a literal, or an import statement.
    #[inline(always)]
    fn is_watching(&self) -> bool {
        !self.frames.is_empty() || self.import.is_some() || self.elements.is_inside()
    }

    /// Reads what is neither a word nor plain punctuation at `self.at`, and moves past it.
    #[inline]
    fn special(&mut self, byte: u8, class: u8) {
        if class & NEWLINE != 0 {
            self.at += 1 + usize::from(byte == b'\r' && self.text.get(self.at + 1) == Some(&b'\n'));
            self.end_line();
            self.skip_spaces();
            return;
        }
        let is_read = self.table.has_elements && self.element(byte)
            || class & OPENER != 0 && self.open(byte, 0);
        if is_read {
            return;
        }
        if class & START != 0 {
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

    /// Skips the text before the first code, in a language whose files begin with text.
    fn begin_inside(&mut self) {
        let Some(rule) = self.table.at_start.map(|rule| &self.table.rules[rule]) else { return };
        let close = rule.fixed_close();
        if closes_in(rule, close, &self.text[self.at..]) {
            self.body(self.at, Body::new(rule, Cow::Borrowed(close), self.at));
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

    #[inline]
    fn push_byte(&mut self, at: usize, byte: u8) {
        self.push(at, at + 1, Symbol::punctuation(byte), u32::from(byte));
    }

    fn push_string(&mut self, start: usize, end: usize) {
        let exact = hash::word(&self.text[start..end], 0) as u32;
        self.push(start, end, Symbol::STRING, exact);
    }

    #[inline]
    fn skip_spaces(&mut self) {
        loop {
            let n_spaces = swar::spaces(swar::load(self.text, self.at));
            self.at += n_spaces;
            if n_spaces < 8 {
                return;
            }
        }
    }

    #[inline(always)]
    fn measure_word(&self, start: usize) -> (usize, u64) {
        if let Some(bytes) = self.table.word_bytes {
            let chunk = swar::load(self.text, start);
            let n_bytes = bytes.run(chunk);
            if n_bytes < 8 {
                let word = swar::lowest(chunk, n_bytes);
                return (start + n_bytes, hash::short_word(word, n_bytes, self.table.fold));
            }
            let mut end = start + 8;
            loop {
                let n_bytes = bytes.run(swar::load(self.text, end));
                end += n_bytes;
                if n_bytes < 8 {
                    return (end, hash::word(&self.text[start..end], self.table.fold));
                }
            }
        }
        let rest = self.text[start..].iter();
        let end = start + rest.take_while(|byte| self.table.continues_word(**byte)).count();
        (end, hash::word(&self.text[start..end], self.table.fold))
    }

    /// Reads the literal or comment that begins with this word; true if there is one.
    #[inline]
    fn opens_after_word(&mut self, first: u8, start: usize, end: usize) -> bool {
        let may_open =
            self.text.get(end).is_none_or(|&next| self.table.follows_word_opener[next as usize]);
        self.at = start;
        may_open && self.open(first, end - start)
    }

    #[inline(always)]
    fn push_word(&mut self, start: usize, end: usize, hash: u64) {
        let table = self.table;
        let exact = hash as u32;
        if table.import_bits >> (exact & 63) & 1 != 0 && !self.elements.is_in_text() {
            self.at = end;
            self.begin_import(start, exact);
        }
        let keyword = Symbol::keyword(exact, table.family);
        // Keywords and names follow each other unpredictably, so a branch would often be
        // mispredicted.
        let is_keyword = table.keywords.contains(hash);
        let name = Symbol::IDENTIFIER.of(table.family);
        let symbol = std::hint::select_unpredictable(is_keyword, keyword, name);
        self.push_symbol(start, end, symbol, exact);
    }

    fn number(&mut self) {
        let start = self.at;
        let chunk = swar::load(self.text, start);
        let n_bytes = swar::alphanumerics(chunk);
        let next = self.text.get(start + n_bytes);
        let is_over = next.is_none_or(|&next| !self.table.lengthens_number[next as usize]);
        let (end, hash) = if n_bytes < 8 && is_over {
            let number = swar::lowest(chunk, n_bytes);
            (start + n_bytes, hash::short_word(number, n_bytes, self.table.fold))
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
            let next = self.text.get(end + 1).copied().unwrap_or_default();
            let is_part = match byte {
                b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' => true,
                b'.' => next.is_ascii_digit(),
                b'+' | b'-' => match self.text[end - 1] {
                    b'e' | b'E' => !is_hex && next.is_ascii_digit(),
                    b'p' | b'P' => is_hex && next.is_ascii_digit(),
                    _ => false,
                },
                _ => self.table.digit_separators[byte as usize] && next.is_ascii_alphanumeric(),
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
            // A continued line: layout, in every language that has it.
            self.at += if self.text[self.at..].starts_with(b"\r\n") { 2 } else { 1 };
            if self.table.has_spliced_words {
                self.splice(start);
            }
            return;
        }
        if !self.frames.is_empty() && self.leave_code(byte, start) {
            return;
        }
        if self.import.is_some() && self.follow_import(byte, start) {
            return;
        }
        self.push_byte(start, byte);
    }

    /// Joins the word that ends at `end` with the rest of it on this line, where there is one.
    #[cold]
    fn splice(&mut self, end: usize) {
        let Some(last) = self.tokens.last_mut().filter(|last| last.end as usize == end) else {
            return;
        };
        if matches!(last.kind(), Kind::String | Kind::Punctuation) {
            return;
        }
        let rest = self.text[self.at..].iter();
        let n_more = rest.take_while(|byte| self.table.continues_word(**byte)).count();
        if n_more == 0 || self.at + n_more - last.start as usize > MAX_SPLICED {
            return;
        }
        self.at += n_more;
        last.end = self.at as u32;
        let mut word = last.text(self.text).to_vec();
        word.retain(|byte| self.table.continues_word(*byte));
        let hash = hash::word(&word, self.table.fold);
        last.exact = hash as u32;
        if last.kind() != Kind::Number {
            last.symbol = match self.table.keywords.contains(hash) {
                true => Symbol::keyword(hash as u32, self.table.family),
                false => Symbol::IDENTIFIER.of(self.table.family),
            };
        }
    }

    /// Counts brackets of code inside a literal; true if `byte` ended the code and the literal
    /// continued. The format of a value is part of the literal.
    fn leave_code(&mut self, byte: u8, start: usize) -> bool {
        if self.table.cases.is_some() && matches!(byte, b'(' | b')') {
            self.read_cases();
        }
        let Some(frame) = self.frames.last_mut() else { return false };
        if byte == b')'
            && frame.ends == byte
            && frame.cases.last().is_some_and(|&depth| frame.depth <= depth)
        {
            return false;
        }
        let begins_format =
            frame.body.rule.format_after == Some(byte) && frame.depth == 0 && frame.n_brackets == 0;
        match byte {
            b'(' | b'[' => frame.n_brackets += 1,
            b')' | b']' => frame.n_brackets = frame.n_brackets.saturating_sub(1),
            _ => {}
        }
        if byte == frame.ends || begins_format {
            if frame.depth > 0 {
                frame.depth -= 1;
                return false;
            }
            let Some(frame) = self.frames.pop() else { return false };
            if self.import.as_ref().is_some_and(|import| import.n_frames > self.frames.len()) {
                self.end_import(ImportEnd::Semicolon);
                self.import = None;
            }
            self.body(start, Body { start: start + 1, ..frame.body });
            return true;
        }
        if mirror(byte) == frame.ends {
            frame.depth += 1;
        }
        false
    }

    /// Looks for new cases, whose patterns end with brackets that nothing opens. Time O(n) in all.
    fn read_cases(&mut self) {
        let (Some([open, close]), Some(frame)) = (&self.table.cases, self.frames.last_mut()) else {
            return;
        };
        for at in frame.n_read..self.tokens.len() {
            let token = &self.tokens[at];
            let word = token.text(self.text);
            if token.kind() != Kind::Keyword || ![&**open, close].contains(&word) {
                continue;
            }
            // Elsewhere it is an argument: `echo case`.
            let before = self.tokens[frame.first_token..at].last();
            let begins_command = before.is_none_or(|before| {
                before.kind() == Kind::Keyword
                    || matches!(
                        before.text(self.text),
                        b";" | b"(" | b")" | b"|" | b"&" | b"{" | b"!"
                    )
                    || self.text[before.end as usize..token.start as usize].contains(&b'\n')
            });
            if begins_command && *word == **open {
                frame.cases.push(frame.depth);
            } else if begins_command {
                frame.cases.pop();
            }
        }
        frame.n_read = self.tokens.len();
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

    /// Records where reading may resume, and skips the rest if it is known.
    #[cold]
    fn trace(&mut self) {
        // A heredoc may have ended here, in the middle of a line.
        let is_clean =
            is_line_start(self.text, self.at) && !self.is_watching() && self.is_resumable();
        let is_due =
            is_clean && self.tracing.as_mut().is_some_and(|tracing| tracing.is_due(self.at));
        if is_due
            && !self.is_bound()
            && let Some(tracing) = &mut self.tracing
            && tracing.pass(self.at, self.tokens)
        {
            self.at = self.text.len();
        }
    }

    /// The offset of the line end at or after `from`, or of the end of the text.
    fn line_end(&self, from: usize) -> usize {
        memchr::memchr(b'\n', &self.text[from..]).map_or(self.text.len(), |n| from + n)
    }
}

/// Whether a line begins at `at`. A carriage return alone ends a line too.
fn is_line_start(text: &[u8], at: usize) -> bool {
    at.checked_sub(1).is_none_or(|before| matches!(text[before], b'\n' | b'\r'))
}
