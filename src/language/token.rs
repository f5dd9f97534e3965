//! Defines the token: a stretch of source with its two readings.

use super::hash;

/// The normalized reading of a token: what stays when names and literals are taken away.
///
/// Identifiers are one symbol, literals one for each kind; punctuation is its
/// byte; a keyword is a hash of its text. All of these differ between families:
/// that code of two families is never compared follows from it, wherever the
/// code stands, alone in a file or embedded in another's.
///
/// A keyword is its hash with the top bit set; any other is its family (23 bits)
/// and its class (8 bits).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(u32);

/// Languages that are compared with each other, as a number made from their name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Family(u32);

impl Family {
    /// The family of this name. Two of the built-in families never share a number: a test keeps that true.
    pub fn new(name: &str) -> Self {
        Self(((hash::word(name.as_bytes(), 0) >> 41) as u32) << 8)
    }
}

impl Symbol {
    /// Any name, of no family.
    pub const IDENTIFIER: Self = Self(1);
    /// Any number, of no family.
    pub const NUMBER: Self = Self(2);
    /// Any string, character or regular expression, or a piece of one between interpolations, of no family.
    pub const STRING: Self = Self(3);

    /// A punctuation byte, of no family. Each byte is a symbol of its own: `>>` is two, so
    /// that layout and generics (`Vec<Vec<T> >`) never change the tokens.
    pub fn punctuation(byte: u8) -> Self {
        Self(u32::from(byte))
    }

    /// A keyword of `family`, from the hash of its text.
    #[inline]
    pub(super) fn keyword(exact: u32, family: Family) -> Self {
        Self((exact ^ family.0) | 1 << 31)
    }

    /// This symbol, which is no keyword, as one of `family`.
    #[inline]
    pub(super) fn of(self, family: Family) -> Self {
        Self(self.0 | family.0)
    }

    /// What the lexer took the token for.
    pub fn kind(self) -> Kind {
        match (self.0 >> 31, self.0 & 0xFF) {
            (1, _) => Kind::Keyword,
            (_, 1) => Kind::Identifier,
            (_, 2) => Kind::Number,
            (_, 3) => Kind::String,
            _ => Kind::Punctuation,
        }
    }

    /// The family of its language; a keyword does not tell.
    pub fn family(self) -> Option<Family> {
        (self.0 >> 31 == 0).then_some(Family(self.0 & !0xFF))
    }

    /// The symbol that [`Self::get`] gave this number.
    pub fn new(number: u32) -> Self {
        Self(number)
    }

    /// The symbol as a number, for hashing.
    pub fn get(self) -> u32 {
        self.0
    }
}

/// What the lexer took a token for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A name.
    Identifier,
    /// A word the language reserves.
    Keyword,
    /// A numeric literal.
    Number,
    /// A string, character or regular-expression literal.
    String,
    /// One byte of punctuation.
    Punctuation,
}

/// A token: where it stands, and its normalized and exact readings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
    /// The normalized reading.
    pub symbol: Symbol,
    /// The exact reading: a hash of the text, case folded where the language folds it.
    pub exact: u32,
}

impl Token {
    /// What the lexer took it for.
    pub fn kind(&self) -> Kind {
        self.symbol.kind()
    }

    /// Its bytes in the text it was read from.
    pub fn text<'t>(&self, text: &'t [u8]) -> &'t [u8] {
        text.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}
