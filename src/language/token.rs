//! Defines the token: a piece of source with its two readings.

use super::hash;

/// The normalized reading of a token: what remains without names and literals.
///
/// All identifiers are one symbol, literals one for each kind; punctuation is its byte; a keyword
/// is a hash of its text. All of these differ between families: code of two families is never
/// compared, whether it is alone in a file or embedded in another one.
///
/// A keyword is its hash with the top bit set; any other symbol is its family (23 bits) and its
/// class (8 bits).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(u32);

/// A family of languages that are compared with each other, as a number derived from its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Family(u32);

impl Family {
    /// The family with this name. A test checks that no two built-in ones have the same number.
    pub fn new(name: &str) -> Self {
        Self(((hash::word(name.as_bytes(), 0) >> 41) as u32) << 8)
    }
}

impl Symbol {
    /// Any name, without a family.
    pub const IDENTIFIER: Self = Self(1);
    /// Any number, without a family.
    pub const NUMBER: Self = Self(2);
    /// Any string, character or regular expression, or a piece of one, without a family.
    pub const STRING: Self = Self(3);

    /// A punctuation byte, without a family. Each byte is its own symbol: `>>` is two, so
    /// that layout and generics (`Vec<Vec<T> >`) never change the tokens.
    pub fn punctuation(byte: u8) -> Self {
        Self(u32::from(byte))
    }

    /// A keyword of `family`, from the hash of its text.
    #[inline]
    pub(super) fn keyword(exact: u32, family: Family) -> Self {
        Self((exact ^ family.0) | 1 << 31)
    }

    /// A word of prose, from the hash of its text: a name that no other word has.
    pub(super) fn word(exact: u32) -> Self {
        Self((exact & 0x7FFF_FF00) | Self::IDENTIFIER.0)
    }

    /// This symbol, which is not a keyword, in `family`.
    #[inline]
    pub(super) fn of(self, family: Family) -> Self {
        Self(self.0 | family.0)
    }

    /// The kind that the lexer read the token as.
    pub fn kind(self) -> Kind {
        match (self.0 >> 31, self.0 & 0xFF) {
            (1, _) => Kind::Keyword,
            (_, 1) => Kind::Identifier,
            (_, 2) => Kind::Number,
            (_, 3) => Kind::String,
            _ => Kind::Punctuation,
        }
    }

    /// The family of its language; not known from a keyword.
    pub fn family(self) -> Option<Family> {
        (self.0 >> 31 == 0).then_some(Family(self.0 & !0xFF))
    }

    /// The symbol for which [`Self::get`] returned this number.
    pub fn new(number: u32) -> Self {
        Self(number)
    }

    /// The symbol as a number, for hashing.
    pub fn get(self) -> u32 {
        self.0
    }
}

/// The kinds of tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A name.
    Identifier,
    /// A reserved word of the language.
    Keyword,
    /// A numeric literal.
    Number,
    /// A string, character or regular-expression literal.
    String,
    /// One byte of punctuation.
    Punctuation,
}

/// A token: its position, and its normalized and exact readings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
    /// The normalized reading.
    pub symbol: Symbol,
    /// The exact reading: a hash of the text, with case folded if the language ignores case.
    pub exact: u32,
}

impl Token {
    /// Its kind.
    pub fn kind(&self) -> Kind {
        self.symbol.kind()
    }

    /// Whether it is a name.
    #[inline]
    pub fn is_name(&self) -> bool {
        self.kind() == Kind::Identifier
    }

    /// Whether it is a name or a keyword.
    #[inline]
    pub fn is_word(&self) -> bool {
        matches!(self.kind(), Kind::Identifier | Kind::Keyword)
    }

    /// Whether it is spelled as `other`, and no punctuation.
    #[inline]
    pub fn is_same_word(&self, other: &Self) -> bool {
        self.exact == other.exact && self.kind() != Kind::Punctuation
    }

    /// Both readings: tokens that are spelled the same have the same.
    #[inline]
    pub fn readings(&self) -> (Symbol, u32) {
        (self.symbol, self.exact)
    }

    /// Whether another one is spelled the same, wherever it is.
    #[inline]
    pub fn is_same(&self, other: &Self) -> bool {
        self.symbol == other.symbol && self.exact == other.exact
    }

    /// Whether it is a name or a literal: what code says, rather than how.
    pub fn is_content(&self) -> bool {
        !matches!(self.kind(), Kind::Keyword | Kind::Punctuation)
    }

    /// How much deeper the code behind it is: 1 for an opening bracket, -1 for a closing one.
    pub fn nesting(&self) -> i64 {
        match self.punctuation() {
            Some(b'(' | b'[' | b'{') => 1,
            Some(b')' | b']' | b'}') => -1,
            _ => 0,
        }
    }

    /// Whether it is a closing bracket.
    pub fn is_closing(&self) -> bool {
        self.nesting() < 0
    }

    /// Its byte, if it is punctuation.
    pub fn punctuation(&self) -> Option<u8> {
        (self.kind() == Kind::Punctuation).then_some(self.symbol.get() as u8)
    }

    /// Its bytes in the text it was read from.
    pub fn text<'t>(&self, text: &'t [u8]) -> &'t [u8] {
        text.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}
