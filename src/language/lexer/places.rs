//! Tells where literals may open by what is before: a slash that begins a pattern, or divides.

use super::brackets::Belongs;
use super::{Run, is_line_start};
use crate::language::compile::Rule;
use crate::language::hash;
use crate::language::table::OpenerPlace;
use crate::language::token::{Kind, Token};

/// Maximum tokens of a line that are searched for the brace of a value.
pub(super) const MAX_IN_BRACES: usize = 64;

impl Run<'_, '_, '_> {
    pub(super) fn is_place(&mut self, place: OpenerPlace, inside: usize) -> bool {
        let is_line_start = is_line_start(self.text, self.at);
        match place {
            OpenerPlace::Anywhere => true,
            OpenerPlace::LineStart => is_line_start,
            OpenerPlace::FileStart => is_line_start && self.tokens.is_empty(),
            OpenerPlace::Statement => is_line_start && self.may_begin_statement(),
            OpenerPlace::LineFirst => self.tokens.len() == self.line_first,
            OpenerPlace::Operand => self.may_begin_value() && !self.doubles_operator(),
            OpenerPlace::Argument => self.may_begin_value() || self.may_begin_argument(inside),
            OpenerPlace::Apart => {
                self.at == 0 || !self.table.continues_word(self.text[self.at - 1])
            }
            OpenerPlace::Quote => self.may_quote(inside),
            OpenerPlace::WordStart => self.at == 0 || begins_word(self.text[self.at - 1]),
            OpenerPlace::Spaced => {
                self.at == 0 || self.text[self.at - 1] <= b' ' || self.may_begin_value()
            }
        }
    }

    /// Whether this byte is the second one of an operator: `a // b` in Perl divides.
    fn doubles_operator(&self) -> bool {
        let last = self.tokens.last().filter(|last| last.kind() == Kind::Punctuation);
        last.is_some_and(|last| {
            last.end as usize == self.at && last.text(self.text).first() == self.text.get(self.at)
        })
    }

    /// Whether the word here quotes what the delimiter before `inside` begins.
    fn may_quote(&mut self, inside: usize) -> bool {
        let delimiter = self.text[inside - 1];
        let before = self.tokens.last().map_or(&b""[..], |last| last.text(self.text));
        let touches = self.tokens.last().is_some_and(|last| last.end as usize == self.at);
        // A variable, a member, a test of a file: `@s`, `->s`, `-s`.
        let is_name = touches && matches!(before, b"@" | b"%" | b"&" | b"*" | b"-")
            || before == b">"
                && matches!(self.on_line(), [.., dash, _] if dash.text(self.text) == b"-");
        let is_matched = before == b"~";
        let is_blank = self.text[inside - 2].is_ascii_whitespace();
        match delimiter {
            _ if is_name => false,
            _ if is_matched => true,
            b'=' | b',' | b';' => matches!(before, b"=" | b"."),
            _ => !is_blank || self.may_begin_value(),
        }
    }

    /// Whether an opener here is placed like the argument of a call without brackets.
    pub(super) fn may_begin_argument(&self, inside: usize) -> bool {
        self.tokens.len() == self.line_first
            || self.is_spaced_from_name(inside) && self.text.get(inside) != Some(&b'=')
    }

    /// Whether a name and white space come before this place, and none at `inside`.
    pub(super) fn is_spaced_from_name(&self, inside: usize) -> bool {
        self.tokens.last().is_some_and(Token::is_name)
            && self.text[..self.at].last().is_some_and(u8::is_ascii_whitespace)
            && !self.text.get(inside).is_some_and(u8::is_ascii_whitespace)
    }

    /// The same of a text that opens nothing. After a `?`, a colon begins the other case.
    pub(super) fn may_begin_plain_argument(&mut self) -> bool {
        let is_condition = self.on_line().iter().any(|token| token.text(self.text) == b"?");
        !is_condition && self.may_begin_argument(self.at + 1) || self.may_begin_value()
    }

    pub(super) fn may_begin_value(&mut self) -> bool {
        let begins_code =
            self.frames.last().is_some_and(|frame| frame.first_token == self.tokens.len());
        let Some(&last) = self.tokens.last().filter(|_| !begins_code) else { return true };
        let has_heads = !self.table.heads.is_empty();
        match last.kind() {
            Kind::Identifier => self.ends_in_infix(),
            Kind::Number | Kind::String => false,
            Kind::Punctuation => match last.text(self.text) {
                b")" => has_heads && self.closed_bracket() == Belongs::Head,
                // Few divide what is in braces, and of these on one line.
                b"}" if has_heads => !self.ends_in_braces_of_value(),
                b"}" => !self.table.sigils.is_empty() && self.closed_bracket() != Belongs::Variable,
                b"]" => false,
                _ => !self.ends_in_postfix(),
            },
            Kind::Keyword => {
                let text = last.text(self.text);
                !self.table.keywords.is_value(hash::word(text, self.table.fold))
                    && !self.ends_in_member()
            }
        }
    }

    fn may_begin_statement(&mut self) -> bool {
        let Some(last) = self.tokens.last() else { return true };
        match last.text(self.text) {
            b";" => true,
            b"{" => self.open_bracket() != Belongs::Variable,
            b"}" => self.closed_bracket() != Belongs::Variable,
            _ => false,
        }
    }

    // What follows looks back on the line alone: reading may resume at its start, with one token
    // from before it.

    pub(super) fn on_line(&self) -> &[Token] {
        self.tokens.get(self.line_first..).unwrap_or_default()
    }

    /// Whether the last tokens are an operator that leaves the value before it one: `a++`.
    fn ends_in_postfix(&self) -> bool {
        let line = self.on_line();
        self.table.postfix.iter().any(|operator| {
            let Some(at) = line.len().checked_sub(operator.len() + 1) else { return false };
            let (value, tokens) = (line[at], &line[at + 1..]);
            let mut parts = (value.end..).zip(tokens.iter().zip(operator.iter()));
            parts.all(|(at, (token, byte))| token.start == at && token.text(self.text) == [*byte])
                && (value.is_name() || matches!(value.text(self.text), b")" | b"]"))
        })
    }

    /// Whether the brace before closes, on its line, an object or the body of a function that is a
    /// value: `a = {} / 2`, `b(function () {} / 2)`.
    fn ends_in_braces_of_value(&self) -> bool {
        let line = self.on_line();
        let line = &line[line.len().saturating_sub(MAX_IN_BRACES)..];
        let Some(brace) = opening(line, self.text, *b"{}") else { return false };
        let mut before = &line[..brace];
        if before.last().is_some_and(|last| last.text(self.text) == b")") {
            let Some(bracket) = opening(before, self.text, *b"()") else { return false };
            let mut head = before[..bracket].iter().rev().take(3);
            let n_head = head.position(|token| token.text(self.text) == b"function");
            let Some(n_head) = n_head else { return false };
            before = &before[..bracket - n_head - 1];
        }
        let last = before.last().map(|last| last.text(self.text));
        matches!(last, Some(b"=" | b"(" | b"," | b"[" | b"?"))
    }

    /// Whether the last token is a keyword that is the name of a member: `a.of`. Where calls need
    /// no brackets, one may have an argument: `a.match /b/`.
    fn ends_in_member(&self) -> bool {
        match self.on_line() {
            _ if self.table.heads.is_empty() => false,
            [.., before, dot, last] => {
                dot.text(self.text) == b"."
                    && dot.end == last.start
                    && before.text(self.text) != b"."
            }
            _ => false,
        }
    }

    pub(super) fn holds_one_character(&self, rule: &Rule, inside: usize) -> bool {
        let rest = &self.text[inside..];
        let close = rule.fixed_close();
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
}

/// Where the bracket is that the last of `tokens` closes.
pub(super) fn opening(tokens: &[Token], text: &[u8], [open, close]: [u8; 2]) -> Option<usize> {
    let mut depth = 0;
    tokens.iter().rposition(|token| {
        depth += usize::from(token.text(text) == [close]);
        depth -= usize::from(token.text(text) == [open] && depth > 0);
        depth == 0
    })
}

/// Whether a word of a shell begins behind `byte`.
fn begins_word(byte: u8) -> bool {
    byte <= b' ' || b"`;&|<>()".contains(&byte)
}
