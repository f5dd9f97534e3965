//! Remembers what brackets belong to, for a `/` or a line: `if (a) /b/.test(c)`, `$h{a}`.
//!
//! Nothing is read until somebody asks, and each token once.

use super::Run;
use crate::language::compile::has_word;
use crate::language::hash;
use crate::language::token::{Kind, Token};

/// The brackets that are open, from the outermost one on that belongs to something: what is around
/// it says nothing, and may be before the place where reading was resumed.
#[derive(Default)]
pub(super) struct Brackets {
    n_read: usize,
    open: Vec<Open>,
    /// What the bracket closed by the last token belongs to.
    closed: Belongs,
}

struct Open {
    kind: usize,
    belongs: Belongs,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) enum Belongs {
    #[default]
    Nothing,
    /// A word before a statement: `if (a)`.
    Head,
    /// A variable: `$h{a}`, `@{a}`.
    Variable,
    /// Arithmetic of a shell, `((a << b))`.
    Arithmetic,
}

/// The kind of a bracket, and whether it opens.
fn kind(token: &Token, text: &[u8]) -> Option<(usize, bool)> {
    if token.kind() != Kind::Punctuation {
        return None;
    }
    match text.get(token.start as usize)? {
        b'(' => Some((0, true)),
        b')' => Some((0, false)),
        b'[' => Some((1, true)),
        b']' => Some((1, false)),
        b'{' => Some((2, true)),
        b'}' => Some((2, false)),
        _ => None,
    }
}

impl Run<'_, '_, '_> {
    /// Reads the tokens since the last time. Time O(n) in all.
    fn read_brackets(&mut self) {
        // The tokens of an import may be removed again.
        let end = self.import.as_ref().map_or(self.tokens.len(), |import| import.from_token);
        let mut brackets = std::mem::take(&mut self.brackets);
        for at in brackets.n_read..end {
            let Some((kind, opens)) = kind(&self.tokens[at], self.text) else {
                brackets.closed = Belongs::Nothing;
                continue;
            };
            let closed = std::mem::take(&mut brackets.closed);
            if opens {
                let belongs = self.belongs(at, closed, brackets.open.last());
                if !brackets.open.is_empty() || belongs != Belongs::Nothing {
                    brackets.open.push(Open { kind, belongs });
                }
                continue;
            }
            // A bracket that nothing closes ends with the one around it. A bracket that nothing
            // here opened closes what is around all of these.
            while let Some(open) = brackets.open.pop() {
                if open.kind == kind {
                    brackets.closed = open.belongs;
                    break;
                }
            }
        }
        brackets.n_read = brackets.n_read.max(end);
        self.brackets = brackets;
    }

    /// What the bracket that token `at` opens belongs to; `closed` is what the one belonged to that
    /// ends right before it, and `around` the one that it is in.
    fn belongs(&self, at: usize, closed: Belongs, around: Option<&Open>) -> Belongs {
        let Some(before) = at.checked_sub(1) else { return Belongs::Nothing };
        let touches = self.tokens[before].end == self.tokens[at].start;
        match self.word(at) {
            b"(" if !self.table.heads.is_empty() && self.is_head(before) => Belongs::Head,
            b"(" | b"[" if self.table.has_arithmetic => {
                let is_inside = around.is_some_and(|around| around.belongs == Belongs::Arithmetic);
                // The first may be the end of a string: `"$((a << b))"`.
                let last =
                    (self.tokens[at].start as usize).checked_sub(1).map(|last| self.text[last]);
                let is_begin =
                    matches!((last, self.word(at)), (Some(b'('), b"(") | (Some(b'$'), b"["));
                let is_index = touches && self.word(at) == b"[" && self.tokens[before].is_name();
                let is_arithmetic = is_inside || is_begin || is_index;
                if is_arithmetic { Belongs::Arithmetic } else { Belongs::Nothing }
            }
            b"{" if !self.table.sigils.is_empty() => {
                let is_variable = match self.word(before) {
                    b"}" => closed == Belongs::Variable,
                    b"]" => true,
                    b">" => before > 0 && self.word(before - 1) == b"-",
                    name => {
                        self.is_sigil(&name[..1])
                            || before > 0 && self.is_sigil(self.word(before - 1))
                    }
                };
                if is_variable { Belongs::Variable } else { Belongs::Nothing }
            }
            _ => Belongs::Nothing,
        }
    }

    fn word(&self, at: usize) -> &[u8] {
        self.tokens[at].text(self.text)
    }

    fn is_sigil(&self, text: &[u8]) -> bool {
        matches!(text, [byte] if self.table.sigils.contains(byte))
    }

    /// Whether a statement follows the brackets of this word: `if (a)`, `for await (a of b)`.
    fn is_head(&self, at: usize) -> bool {
        // The word before a keyword decides where that is none.
        let is_word = has_word(&self.table.heads, self.word(at));
        let is_behind = !is_word && at > 0 && self.tokens[at].kind() == Kind::Keyword;
        let head = if is_behind { at - 1 } else { at };
        let is_member = head > 0
            && matches!(self.word(head - 1), b"." | b"#")
            && self.tokens[head - 1].end <= self.tokens[head].start;
        !is_member && (is_word || is_behind && has_word(&self.table.heads, self.word(head)))
    }

    pub(super) fn closed_bracket(&mut self) -> Belongs {
        if self.import.is_some() {
            return Belongs::Nothing;
        }
        self.read_brackets();
        self.brackets.closed
    }

    pub(super) fn open_bracket(&mut self) -> Belongs {
        self.read_brackets();
        self.brackets.open.last().map_or(Belongs::Nothing, |open| open.belongs)
    }

    /// Whether what follows depends on more than the last token: reading cannot resume here.
    pub(super) fn is_bound(&mut self) -> bool {
        let table = self.table;
        if table.heads.is_empty() && table.sigils.is_empty() && !table.has_arithmetic {
            return false;
        }
        self.read_brackets();
        !self.brackets.open.is_empty()
            || self.brackets.closed != Belongs::Nothing
            || self.ends_in_owner()
    }

    /// Whether the last tokens may decide what brackets belong to: `a.if`, `for await`, `$a`, `->`.
    fn ends_in_owner(&self) -> bool {
        let [.., before, last] = self.tokens.as_slice() else { return false };
        let [before, text] = [before, last].map(|token| token.text(self.text));
        has_word(&self.table.heads, text)
            || last.kind() == Kind::Keyword && has_word(&self.table.heads, before)
            || self.is_sigil(before)
            || (before, text) == (b"-", b">")
    }

    /// Whether the last tokens are a value and an operator behind it: `for (a of /b/.exec(c))`.
    pub(super) fn ends_in_infix(&mut self) -> bool {
        let [.., value, word] = self.tokens.as_slice() else { return false };
        let is_infix = has_word(&self.table.infix, word.text(self.text));
        let is_value = match value.kind() {
            Kind::Identifier | Kind::Number | Kind::String => true,
            Kind::Keyword => {
                self.table.keywords.is_value(hash::word(value.text(self.text), self.table.fold))
            }
            Kind::Punctuation => matches!(value.text(self.text), b"]" | b"}" | b")"),
        };
        is_infix && is_value && self.open_bracket() == Belongs::Head
    }
}
