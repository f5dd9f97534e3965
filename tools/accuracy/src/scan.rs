//! Scans source into tokens, a little more simply than a compiler does.
//!
//! Promise: comments and layout are no tokens, so two texts with equal tokens differ in nothing
//! else.

use std::ops::Range;

use crate::language::{Apostrophe, Backtick, Language, is_keyword};

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Class {
    /// A name that no language reserves.
    Name,
    /// A reserved word.
    Keyword,
    /// A number.
    Number,
    /// A string, a character, a regular expression.
    Text,
    /// One byte of punctuation, or a lifetime.
    Mark,
}

/// A token, its bytes and the lines (from 0) it stands on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub class: Class,
    pub bytes: Range<usize>,
    pub line: usize,
    pub end_line: usize,
}

/// A text and what stands in it.
#[derive(Debug, Clone)]
pub struct Scan {
    pub language: &'static Language,
    pub text: String,
    pub tokens: Vec<Token>,
    /// For each line, what can be done at it.
    pub lines: Vec<Line>,
}

/// A line, and what can be done at it.
#[derive(Debug, Clone, Default)]
pub struct Line {
    /// Its bytes, without the line end.
    pub bytes: Range<usize>,
    /// The first of its tokens, and the one after its last. Tokens count where they start.
    pub tokens: Range<usize>,
    /// Whether it begins inside a token or a comment, or goes on with a directive.
    pub is_glued: bool,
    /// Whether a comment stands on it.
    pub has_comment: bool,
    /// Whether it is (or goes on with) a directive such as `#define`.
    pub is_directive: bool,
    /// The brackets `(` and `[` that are open where it begins.
    pub depth: usize,
}

impl Scan {
    /// Scans `text`, whose line ends are `\n`.
    pub fn new(text: String, language: &'static Language) -> Self {
        let mut scanner = Scanner {
            text: text.as_bytes(),
            language,
            at: 0,
            tokens: Vec::new(),
            comments: Vec::new(),
        };
        scanner.run();
        let Scanner { mut tokens, comments, .. } = scanner;
        let lines = lines(&text, language, &mut tokens, &comments);
        Self { language, text, tokens, lines }
    }

    /// The text of the token numbered `at`; empty when there is none.
    pub fn token(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| &self.text[token.bytes.clone()])
    }

    /// The text of the line numbered `at`.
    pub fn line(&self, at: usize) -> &str {
        &self.text[self.lines[at].bytes.clone()]
    }

    /// All lines as text.
    pub fn to_lines(&self) -> Vec<String> {
        (0..self.lines.len()).map(|at| self.line(at).to_owned()).collect()
    }

    /// The first token of the line numbered `at`; empty when it has none.
    pub fn first_word(&self, at: usize) -> &str {
        let tokens = &self.lines[at].tokens;
        if tokens.is_empty() { "" } else { self.token(tokens.start) }
    }

    /// The leading blanks of the line numbered `at`.
    pub fn indent(&self, at: usize) -> &str {
        let line = self.line(at);
        &line[..line.len() - line.trim_start().len()]
    }

    /// Whether the line numbered `at` is blank.
    pub fn is_blank(&self, at: usize) -> bool {
        self.lines.get(at).is_none_or(|line| self.text[line.bytes.clone()].trim().is_empty())
    }

    /// Whether something can be put before the line numbered `at` without changing a token or a
    /// comment.
    pub fn may_break_before(&self, at: usize) -> bool {
        self.lines.get(at).is_none_or(|line| !line.is_glued)
    }

    /// The readings of the tokens: hashes of what they spell.
    pub fn exact(&self) -> Vec<u64> {
        (0..self.tokens.len()).map(|at| hash(self.token(at))).collect()
    }

    /// The readings of the tokens when names and literals are taken away.
    pub fn shape(&self) -> Vec<u64> {
        let reading = |(at, token): (usize, &Token)| match token.class {
            Class::Name => 1,
            Class::Number => 2,
            Class::Text => 3,
            Class::Keyword | Class::Mark => hash(self.token(at)),
        };
        self.tokens.iter().enumerate().map(reading).collect()
    }

    /// The text with tokens put in another's place.
    pub fn replace(&self, mut by: impl FnMut(usize, &Token) -> Option<String>) -> String {
        let mut text = String::with_capacity(self.text.len());
        let mut done = 0;
        for (at, token) in self.tokens.iter().enumerate() {
            if let Some(other) = by(at, token) {
                text.push_str(&self.text[done..token.bytes.start]);
                text.push_str(&other);
                done = token.bytes.end;
            }
        }
        text.push_str(&self.text[done..]);
        text
    }
}

/// The 64-bit FNV-1a hash of `text`.
pub fn hash(text: &str) -> u64 {
    text.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3)
    })
}

fn lines(
    text: &str,
    language: &Language,
    tokens: &mut [Token],
    comments: &[Range<usize>],
) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut start = 0;
    for line in text.split_terminator('\n') {
        lines.push(Line { bytes: start..start + line.len(), ..Line::default() });
        start += line.len() + 1;
    }
    let line_of =
        |byte: usize| lines.partition_point(|line| line.bytes.start <= byte).saturating_sub(1);
    for token in tokens.iter_mut() {
        token.line = line_of(token.bytes.start);
        token.end_line = line_of(token.bytes.end - 1);
    }
    let comment_lines: Vec<_> =
        comments.iter().map(|comment| line_of(comment.start)..=line_of(comment.end - 1)).collect();
    for at in comment_lines.iter().cloned().flatten() {
        lines[at].has_comment = true;
    }
    let long_tokens = tokens.iter().map(|token| token.line + 1..=token.end_line);
    let long_comments =
        comment_lines.into_iter().map(|comment| comment.start() + 1..=*comment.end());
    for at in long_tokens.chain(long_comments).flatten() {
        lines[at].is_glued = true;
    }
    give_tokens(&mut lines, tokens, text);
    mark_directives(&mut lines, text, language);
    lines
}

/// Tells each line its tokens and the brackets open before it.
fn give_tokens(lines: &mut [Line], tokens: &[Token], text: &str) {
    let mut open: Vec<u8> = Vec::new();
    let mut next = 0;
    for (at, line) in lines.iter_mut().enumerate() {
        line.depth = open.iter().rev().take_while(|&&bracket| bracket != b'{').count();
        let first = next;
        while let Some(token) = tokens.get(next).filter(|token| token.line == at) {
            match (token.class, text.as_bytes()[token.bytes.start]) {
                (Class::Mark, bracket @ (b'(' | b'[' | b'{')) => open.push(bracket),
                (Class::Mark, b')' | b']' | b'}') => drop(open.pop()),
                _ => {}
            }
            next += 1;
        }
        line.tokens = first..next;
    }
}

/// Finds the lines that are directives, and those that go on with the line before.
fn mark_directives(lines: &mut [Line], text: &str, language: &Language) {
    let mut continued = None;
    for line in lines {
        let bytes = &text[line.bytes.clone()];
        let is_opener = language.has_directives && bytes.trim_start().starts_with('#');
        line.is_directive = continued.unwrap_or(is_opener);
        line.is_glued |= continued.is_some();
        continued = bytes.ends_with('\\').then_some(line.is_directive);
    }
}

/// The words that may stand before a string as part of it.
const PREFIXES: &[&str] =
    &["r", "b", "f", "u", "br", "rb", "fr", "rf", "R", "B", "F", "U", "L", "u8", "c", "cr"];

struct Scanner<'s> {
    text: &'s [u8],
    language: &'static Language,
    at: usize,
    tokens: Vec<Token>,
    comments: Vec<Range<usize>>,
}

impl Scanner<'_> {
    fn run(&mut self) {
        while self.at < self.text.len() {
            let start = self.at;
            if self.text[start].is_ascii_whitespace() {
                self.at += 1;
            } else if let Some(end) = self.comment_end() {
                self.at = end;
                self.comments.push(start..end);
            } else {
                let class = self.token();
                self.tokens.push(Token { class, bytes: start..self.at, line: 0, end_line: 0 });
            }
        }
    }

    fn rest(&self) -> &[u8] {
        &self.text[self.at..]
    }

    /// The place after the next `end`, or the end of the text.
    fn after(&self, from: usize, end: &[u8]) -> usize {
        let from = from.min(self.text.len());
        let found = self.text[from..].windows(end.len()).position(|bytes| bytes == end);
        found.map_or(self.text.len(), |at| from + at + end.len())
    }

    fn comment_end(&self) -> Option<usize> {
        let opens = |opener: &&str| self.rest().starts_with(opener.as_bytes());
        let is_shebang = self.at == 0 && self.text.starts_with(b"#!/");
        if is_shebang || self.language.line_comments.iter().any(opens) {
            let length = self.rest().iter().position(|&byte| byte == b'\n');
            return Some(length.map_or(self.text.len(), |length| self.at + length));
        }
        (self.language.has_block_comments && self.rest().starts_with(b"/*"))
            .then(|| self.after(self.at + 2, b"*/"))
    }

    /// Reads one token and says what it is.
    fn token(&mut self) -> Class {
        let byte = self.text[self.at];
        match byte {
            b'0'..=b'9' => self.number(),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | 0x80.. => self.word(),
            b'"' => self.string(byte),
            b'\'' => self.apostrophe(),
            b'`' if self.language.backtick == Backtick::Raw => {
                self.take(Class::Text, self.after(self.at + 1, b"`"))
            }
            b'`' if self.language.backtick == Backtick::Template => {
                self.take(Class::Text, self.template_end(self.at))
            }
            b'/' if self.may_open_regex() => self.regex(),
            _ => self.take(Class::Mark, self.at + 1),
        }
    }

    fn take(&mut self, class: Class, end: usize) -> Class {
        self.at = end;
        class
    }

    fn number(&mut self) -> Class {
        while let Some(&byte) = self.text.get(self.at) {
            let is_fraction =
                byte == b'.' && self.text.get(self.at + 1).is_some_and(u8::is_ascii_digit);
            if !(byte.is_ascii_alphanumeric() || byte == b'_' || is_fraction) {
                break;
            }
            self.at += 1;
        }
        Class::Number
    }

    fn word(&mut self) -> Class {
        let start = self.at;
        let is_word =
            |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..);
        self.at += self.rest().iter().take_while(|byte| is_word(byte)).count();
        let word = String::from_utf8_lossy(&self.text[start..self.at]).into_owned();
        match self.text.get(self.at) {
            Some(&quote @ (b'"' | b'\'')) if PREFIXES.contains(&word.as_str()) => {
                self.prefixed(quote, &word)
            }
            Some(b'#')
                if self.language.apostrophe == Apostrophe::Lifetime && word.ends_with('r') =>
            {
                self.raw_string(&word)
            }
            _ => name_or_keyword(&word),
        }
    }

    fn prefixed(&mut self, quote: u8, word: &str) -> Class {
        if quote == b'\'' && self.language.apostrophe == Apostrophe::Lifetime && word != "b" {
            return name_or_keyword(word);
        }
        self.string(quote)
    }

    /// Rust's `r#"..."#`; anything else is a word.
    fn raw_string(&mut self, word: &str) -> Class {
        let n_hashes = self.rest().iter().take_while(|&&byte| byte == b'#').count();
        if self.text.get(self.at + n_hashes) != Some(&b'"') {
            return name_or_keyword(word);
        }
        let end = [&b"\""[..], &b"#".repeat(n_hashes)].concat();
        self.take(Class::Text, self.after(self.at + n_hashes + 1, &end))
    }

    fn string(&mut self, quote: u8) -> Class {
        let triple = [quote; 3];
        if self.language.has_triple_quotes && self.rest().starts_with(&triple) {
            return self.take(Class::Text, self.after(self.at + 3, &triple));
        }
        let mut end = self.at + 1;
        while let Some(&byte) = self.text.get(end) {
            match byte {
                b'\\' => end += 2,
                b'\n' if !self.language.has_long_strings => break,
                _ if byte == quote => {
                    end += 1;
                    break;
                }
                _ => end += 1,
            }
        }
        self.take(Class::Text, end.min(self.text.len()))
    }

    fn apostrophe(&mut self) -> Class {
        let is_char = matches!(self.rest(), [_, b'\\', ..])
            || self.rest().iter().skip(2).take(4).any(|&byte| byte == b'\'');
        if self.language.apostrophe == Apostrophe::Text || is_char && !self.is_lifetime() {
            return self.string(b'\'');
        }
        self.at += 1;
        let n = self
            .rest()
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
            .count();
        self.take(Class::Mark, self.at + n)
    }

    /// Whether a name longer than one letter follows: `'static`, but not `'a'`.
    fn is_lifetime(&self) -> bool {
        let is_name = |byte: Option<&u8>| {
            byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        };
        is_name(self.rest().get(1)) && self.rest().get(2) != Some(&b'\'')
    }

    /// The end of the template that opens at `from`; templates nest inside `${}`.
    fn template_end(&self, from: usize) -> usize {
        let mut at = from + 1;
        let mut depth = 0usize;
        while let Some(&byte) = self.text.get(at) {
            match byte {
                b'\\' => at += 1,
                b'`' if depth == 0 => return at + 1,
                b'`' => at = self.template_end(at) - 1,
                b'$' if self.text.get(at + 1) == Some(&b'{') && depth == 0 => {
                    depth = 1;
                    at += 1;
                }
                b'{' if depth > 0 => depth += 1,
                b'}' if depth > 0 => depth -= 1,
                _ => {}
            }
            at += 1;
        }
        self.text.len()
    }

    /// Whether an operand may follow: then `/` is no division.
    fn may_open_regex(&self) -> bool {
        let Some(before) = self.tokens.last() else { return self.language.has_regexes };
        let text = &self.text[before.bytes.clone()];
        let is_operator = match before.class {
            Class::Mark => !matches!(text, b")" | b"]" | b"}"),
            Class::Keyword => {
                matches!(
                    text,
                    b"return" | b"typeof" | b"case" | b"in" | b"if" | b"when" | b"and" | b"or"
                )
            }
            _ => false,
        };
        self.language.has_regexes && is_operator && !matches!(self.rest(), [_, b' ' | b'=', ..])
    }

    fn regex(&mut self) -> Class {
        let mut end = self.at + 1;
        let mut is_set = false;
        while let Some(&byte) = self.text.get(end) {
            match byte {
                b'\n' => break,
                b'\\' => end += 1,
                b'[' => is_set = true,
                b']' => is_set = false,
                b'/' if !is_set => {
                    end += 1;
                    break;
                }
                _ => {}
            }
            end += 1;
        }
        end = end.min(self.text.len());
        end += self.text[end..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        self.take(Class::Text, end)
    }
}

fn name_or_keyword(word: &str) -> Class {
    if is_keyword(word) { Class::Keyword } else { Class::Name }
}
