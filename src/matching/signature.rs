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
//!   long (*size)(struct path *path);            signature: of a pointer to functions
//!   size(path);                                 a call
//! ```

use std::ops::Range;

use super::Document;
use super::unit::HEAD;

/// Words before an expression or between two, which are no types.
const NO_TYPES: &[&[u8]] = &[
    b"return", b"new", b"delete", b"go", b"assert", b"echo", b"print", b"typeof", b"import",
    b"export", b"not", b"del", b"out", b"ref", b"in", b"is", b"as", b"and", b"or", b"of", b"to",
    b"instanceof", b"lambda",
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
        // `int (*compare)(const void *a, const void *b);`
        let is_pointer = open > start
            && self.is(open + 1, b"*")
            && self.is(close + 1, b"(")
            && (start..open).all(|at| self.is_in_type(at));
        let close = if is_pointer { self.closing(close + 1, limit)? } else { close };
        let is_head = is_pointer || self.is_head(start..open, close);
        let is_declared = is_head && self.ends_head(close + 1);
        is_declared.then(|| {
            let mut behind = close + 1..limit;
            let end = behind
                .find(|&at| self.starts_line(at) || matches!(self.word(at), b"{" | b";" | b"="));
            let end = end.unwrap_or(limit);
            end + usize::from(self.is(end, b";"))
        })
    }

    /// Whether `head`, then parameters that end at `close`, declare a function rather than call
    /// one.
    fn is_head(&self, head: Range<usize>, close: usize) -> bool {
        let mut words = head.clone().filter(|&at| self.tokens[at].is_word());
        if let Some(defines) = words.find(|&at| self.words.defines_function(self.word(at))) {
            // What is before it are words, too, but for those of a statement before.
            let mut before = head.start..defines;
            return head.len() > 1
                && before.all(|at| self.tokens[at].is_word() && !self.starts_line(at + 1));
        }
        let Some(last) = head.clone().last().filter(|_| head.clone().all(|at| self.is_in_type(at)))
        else {
            return false;
        };
        // The parameters of a type may be between: `f<T>(T a)`.
        let is_generic = self.is(last, b">");
        if !is_generic && !self.tokens[last].is_word() {
            return false;
        }
        let name = head.clone().rev().find(|&at| is_generic && self.is(at + 1, b"<"));
        let mut parameters = head.end + 1..close;
        // What has a function in it is called with that.
        if parameters
            .clone()
            .any(|at| self.is(at, b"{") || self.words.defines_function(self.word(at)))
        {
            return false;
        }
        let is_behind = close + 1 < self.tokens.len() && !self.starts_line(close + 1);
        let is_told = parameters.clone().skip(1).any(|at| self.is_type(at - 1) && self.is_type(at))
            || is_behind && (self.is(close + 1, b":") || self.is_type(close + 1));
        match name.unwrap_or(last).checked_sub(1).filter(|&before| before >= head.start) {
            Some(before) => {
                !matches!(self.word(before), b"." | b":" | b",")
                    && (is_told || parameters.all(|at| self.is_in_type(at) && !self.is_field(at)))
            }
            None => is_told,
        }
    }

    /// Whether a token may be part of a type, or a name.
    fn is_in_type(&self, at: usize) -> bool {
        let byte = self.tokens[at].punctuation();
        self.is_type(at) || byte.is_some_and(|byte| b"<>[]*&?,.:~".contains(&byte))
    }

    /// Whether a token is a word that may be a type or a name: it neither decides nor computes.
    fn is_type(&self, at: usize) -> bool {
        let word = self.word(at);
        self.tokens[at].is_word() && !NO_TYPES.contains(&word) && !self.words.decides(word)
    }

    /// Whether a token is the dot before a field: `Area area(max(a.b, c))` is a variable,
    /// `int... rest` are parameters.
    fn is_field(&self, at: usize) -> bool {
        self.is(at, b".") && !self.is(at - 1, b".") && !self.is(at + 1, b".")
    }

    /// Whether the parameters of a function may end before `at`: a call goes on with what is done
    /// with its value.
    fn ends_head(&self, at: usize) -> bool {
        if at >= self.tokens.len() || self.starts_line(at) || self.is_type(at) {
            return true;
        }
        let is_end = match self.word(at) {
            b";" | b"{" | b":" | b"(" | b"*" => true,
            b"-" => self.is(at + 1, b">"),
            b"=" => matches!(self.word(at + 1), b">" | b"0" | b"default" | b"delete"),
            _ => false,
        };
        is_end && self.tokens[at].punctuation().is_some()
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
