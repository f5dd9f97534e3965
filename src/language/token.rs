//! Defines the token: a stretch of source with its two readings.

/// The normalized reading of a token: what stays when names and literals are taken away.
///
/// Identifiers are one symbol, literals one for each kind; punctuation is its
/// byte; a keyword is a hash of its text, the same in every language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(u32);

impl Symbol {
    /// Any name.
    pub const IDENTIFIER: Self = Self(1);
    /// Any number.
    pub const NUMBER: Self = Self(2);
    /// Any string, character or regular expression, or a piece of one between interpolations.
    pub const STRING: Self = Self(3);

    /// A punctuation byte. Each byte is a symbol of its own: `>>` is two, so
    /// that layout and generics (`Vec<Vec<T> >`) never change the tokens.
    pub fn punctuation(byte: u8) -> Self {
        Self(u32::from(byte))
    }

    /// A keyword, from the hash of its text.
    pub(super) fn keyword(exact: u32) -> Self {
        Self(exact | 1 << 31)
    }

    /// What the lexer took the token for.
    pub fn kind(self) -> Kind {
        match self.0 {
            1 => Kind::Identifier,
            2 => Kind::Number,
            3 => Kind::String,
            n if n < 256 => Kind::Punctuation,
            _ => Kind::Keyword,
        }
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
