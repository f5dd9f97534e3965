//! Tells the signatures of functions, which who implements an interface or overrides a method has
//! to write again.
//!
//! ```text
//!   @Override                                   annotation
//!   public long size(Path path) throws Gone {   signature: a type before the name
//!     return 0;
//!   }
//!   Get(key string) (value string, ok bool)     signature: its parameters, or what is behind them, are typed
//!   fn size(&self) -> u64;                      signature: `fn`
//!   size(path);                                 a call
//! ```

use std::ops::Range;

use super::Document;
use super::unit::HEAD;
use crate::language::Kind;

/// Words before an expression or between two, which are no types.
const NO_TYPES: &[&[u8]] = &[
    b"return", b"new", b"delete", b"go", b"assert", b"echo", b"print", b"typeof", b"import",
    b"export", b"not", b"del", b"out", b"ref", b"in", b"is", b"as", b"and", b"or", b"of", b"to",
];

impl Document<'_> {
    /// Whether most of the tokens in `range` are of signatures and annotations. Time O(n).
    pub fn is_signatures(&self, range: Range<usize>) -> bool {
        let (mut n_tokens, mut at) = (0, range.start);
        while at < range.end {
            let end = self.end_of_signature(at).min(range.end);
            n_tokens += end - at;
            at = if end > at && self.starts_line(end) { end } else { self.next_line(end) };
        }
        2 * n_tokens > range.len()
    }

    /// Behind the annotations and the signature that begin at `at`, or `at`.
    pub(super) fn end_of_signature(&self, at: usize) -> usize {
        let mut start = at;
        while let Some(end) = self.end_of_annotation(start) {
            start = end;
        }
        self.signature_at(start).unwrap_or(start)
    }

    /// The end of a signature that begins at `start`, without its body.
    fn signature_at(&self, start: usize) -> Option<usize> {
        let limit = self.tokens.len().min(start + HEAD);
        let mut open = (start..limit).find(|&at| self.is(at, b"("))?;
        if open > start
            && self.words.defines_function(self.word(open - 1))
            && self.word(start) != b"("
        {
            // The receiver of Go.
            open = self.closing(open, limit)? + 2;
        }
        let close = self.closing(open, limit).filter(|_| self.is(open, b"("))?;
        let is_declared = self.is_head(start..open, close) && self.ends_head(close + 1);
        is_declared.then(|| {
            let is_end =
                |at: &usize| self.starts_line(*at) || matches!(self.word(*at), b"{" | b";" | b"=");
            let end = (close + 1..limit).find(is_end).unwrap_or(limit);
            end + usize::from(self.is(end, b";"))
        })
    }

    /// Whether `head`, then parameters that end at `close`, declare a function rather than call
    /// one.
    fn is_head(&self, head: Range<usize>, close: usize) -> bool {
        let is_word =
            |at: usize| matches!(self.tokens[at].kind(), Kind::Identifier | Kind::Keyword);
        if let Some(defines) =
            head.clone().find(|&at| is_word(at) && self.words.defines_function(self.word(at)))
        {
            // What is before it are words, too, but for those of a statement before.
            return head.len() > 1
                && (head.start..defines).all(|at| is_word(at) && !self.starts_line(at + 1));
        }
        let is_of_type = |at: usize| match self.tokens[at].kind() {
            Kind::Identifier | Kind::Keyword => self.is_of_type(at),
            Kind::Punctuation => {
                self.tokens[at].punctuation().is_some_and(|byte| b"<>[]*&?,.:~".contains(&byte))
            }
            Kind::Number | Kind::String => false,
        };
        let is_named = |last: usize| is_word(last) || self.is(last, b">");
        let Some(last) =
            head.clone().last().filter(|&last| is_named(last) && head.clone().all(is_of_type))
        else {
            return false;
        };
        // The parameters of a type may be between: `f<T>(T a)`.
        let is_name = |at: &usize| self.is(last, b">") && self.is(at + 1, b"<");
        let name = head.clone().rev().find(is_name).unwrap_or(last);
        let mut parameters = head.end + 1..close;
        let is_type = |at: usize| is_word(at) && self.is_of_type(at);
        let is_typed = |at: usize| is_type(at - 1) && is_type(at);
        let is_behind = close + 1 < self.tokens.len() && !self.starts_line(close + 1);
        let is_told = parameters.clone().skip(1).any(is_typed)
            || is_behind && (self.is(close + 1, b":") || is_type(close + 1));
        match name.checked_sub(1).filter(|&before| before >= head.start) {
            Some(before) => {
                // `Area area(max(a.b, c))` is a variable; `int... rest` are parameters.
                let is_field = |at: usize| {
                    self.is(at, b".") && !self.is(at - 1, b".") && !self.is(at + 1, b".")
                };
                let is_plain = |at: usize| is_of_type(at) && !is_field(at);
                !matches!(self.word(before), b"." | b":" | b",")
                    && (is_told || parameters.all(is_plain))
            }
            None => is_told,
        }
    }

    /// Whether a word may be of a type or a name: it neither decides nor computes.
    fn is_of_type(&self, at: usize) -> bool {
        let word = self.word(at);
        !NO_TYPES.contains(&word) && !self.words.decides(word)
    }

    /// Whether the parameters of a function may end before `at`: a call goes on with what is done
    /// with its value.
    fn ends_head(&self, at: usize) -> bool {
        let is_bodiless = || matches!(self.word(at + 1), b">" | b"0" | b"default" | b"delete");
        at >= self.tokens.len()
            || self.starts_line(at)
            || match self.tokens[at].kind() {
                Kind::Punctuation => {
                    matches!(self.word(at), b";" | b"{" | b":" | b"(" | b"*")
                        || self.is(at, b"-") && self.is(at + 1, b">")
                        || self.is(at, b"=") && is_bodiless()
                }
                Kind::Identifier | Kind::Keyword => self.is_of_type(at),
                Kind::Number | Kind::String => false,
            }
    }

    /// The end of an annotation that begins at `at`, with its arguments.
    fn end_of_annotation(&self, at: usize) -> Option<usize> {
        let limit = self.tokens.len().min(at + HEAD);
        if !self.is_annotation(at) {
            return None;
        }
        if !self.is(at, b"@") {
            return Some(self.closing(at + usize::from(self.is(at, b"#")), limit)? + 1);
        }
        let mut end = at + 2;
        while self.is(end, b".") {
            end += 2;
        }
        if self.is(end, b"(") { Some(self.closing(end, limit)? + 1) } else { Some(end.min(limit)) }
    }
}
