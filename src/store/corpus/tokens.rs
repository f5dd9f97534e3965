//! Packs the tokens of a file: their two readings and their lines, without their text.
//!
//! Bytes, before they are deflated: the number of different tokens, and for each its symbol and
//! exact reading, the frequent ones first; then the number of tokens, and for each its place in
//! that list; then for each line with tokens how many it has and how many lines it is below the one
//! before. Numbers are varints, readings four bytes.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::bufread::DeflateDecoder;
use flate2::write::DeflateEncoder;
use foldhash::{HashMap, HashMapExt};

use crate::language::{Kind, Symbol, Token};
use crate::matching::line_key;
use crate::store::SegmentError;

/// How hard the tokens are packed: the fastest level makes them a tenth larger.
const LEVEL: Compression = Compression::new(2);
/// Maximum bytes that the packed tokens of one file may unpack to.
const MAX_UNPACKED: u64 = 64 << 20;
/// Maximum lines of a file.
const MAX_LINES: usize = 16 << 20;

/// Packs `tokens`, which were read from `text`.
pub(super) fn pack(tokens: &[Token], text: &[u8]) -> Vec<u8> {
    let mut counts: HashMap<(u32, u32), u32> = HashMap::new();
    for token in tokens {
        *counts.entry((token.symbol.get(), token.exact)).or_default() += 1;
    }
    let mut distinct: Vec<_> = counts.into_iter().collect();
    distinct.sort_unstable_by_key(|&(token, n)| (std::cmp::Reverse(n), token));
    let numbers: HashMap<(u32, u32), u32> =
        distinct.iter().zip(0..).map(|(&(token, _), number)| (token, number)).collect();

    let mut bytes = Vec::with_capacity(tokens.len() * 2);
    put(&mut bytes, distinct.len() as u64);
    for ((symbol, exact), _) in &distinct {
        put(&mut bytes, u64::from(*symbol));
        bytes.extend(exact.to_le_bytes());
    }
    put(&mut bytes, tokens.len() as u64);
    for token in tokens {
        put(&mut bytes, u64::from(numbers[&(token.symbol.get(), token.exact)]));
    }
    let (mut n_on_line, mut end) = (0u64, 0usize);
    for token in tokens {
        let between = text.get(end..token.start as usize).unwrap_or_default();
        let n_lines = memchr::memchr_iter(b'\n', between).count();
        if n_lines > 0 {
            put(&mut bytes, n_on_line);
            put(&mut bytes, n_lines as u64);
            n_on_line = 0;
        }
        n_on_line += 1;
        // A token may span lines: those in it count before the next one.
        end = token.start as usize;
    }
    put(&mut bytes, n_on_line);

    let mut out = DeflateEncoder::new(Vec::with_capacity(bytes.len() / 2), LEVEL);
    let written = out.write_all(&bytes).and_then(|()| out.finish());
    written.expect("memory takes all that is written")
}

/// Unpacks tokens, and a text that has them where their own text had them: on the same lines and in
/// the same order, punctuation as it was, every name and literal as one letter.
///
/// # Errors
/// When the bytes are none that [`pack`] made.
pub(super) fn unpack(packed: &[u8]) -> Result<(Vec<Token>, Vec<u8>), SegmentError> {
    let bytes = inflated(packed)?;
    let Readings { all, mut lines, .. } = Readings::new(&bytes).ok_or(DAMAGED)?;
    let mut tokens: Vec<Token> = all.into_iter().map(bare).collect();
    let text = laid_out(&mut tokens, &mut lines).ok_or(DAMAGED)?;
    Ok((tokens, text))
}

/// Unpacks tokens without their places, and the exact readings that they have.
///
/// # Errors
/// As [`unpack`].
pub(super) fn unpack_bare(packed: &[u8]) -> Result<(Vec<Token>, Vec<u32>), SegmentError> {
    let bytes = inflated(packed)?;
    let Readings { distinct, all, .. } = Readings::new(&bytes).ok_or(DAMAGED)?;
    let words = distinct.into_iter().map(|(_, exact)| exact);
    Ok((all.into_iter().map(bare).collect(), words.collect()))
}

fn bare((symbol, exact): Reading) -> Token {
    Token { start: 0, end: 0, symbol, exact }
}

/// Unpacks a key of each line with tokens, as [`line_key`] makes it.
///
/// # Errors
/// As [`unpack`].
pub(super) fn unpack_lines(packed: &[u8]) -> Result<Vec<u64>, SegmentError> {
    let bytes = inflated(packed)?;
    let Readings { all: readings, lines: mut rest, .. } = Readings::new(&bytes).ok_or(DAMAGED)?;
    let (mut keys, mut at) = (Vec::new(), 0);
    while at < readings.len() {
        let n_on_line = take(&mut rest).and_then(|n| usize::try_from(n).ok()).ok_or(DAMAGED)?;
        let line =
            at.checked_add(n_on_line).and_then(|end| readings.get(at..end)).ok_or(DAMAGED)?;
        // Before the first line, there may be lines without tokens.
        if !line.is_empty() {
            keys.push(line_key(line.iter().map(|(_, exact)| *exact)));
        }
        at += n_on_line;
        if at < readings.len() {
            take(&mut rest).filter(|&n| n > 0).ok_or(DAMAGED)?;
        }
    }
    Ok(keys)
}

const DAMAGED: SegmentError = SegmentError::Damaged("packed tokens");

fn inflated(packed: &[u8]) -> Result<Vec<u8>, SegmentError> {
    // Tokens pack to a fifth or so.
    let mut bytes = Vec::with_capacity((packed.len() * 5).min(MAX_UNPACKED as usize));
    DeflateDecoder::new(packed).take(MAX_UNPACKED).read_to_end(&mut bytes).map_err(|_| DAMAGED)?;
    Ok(bytes)
}

/// The two readings of a token.
type Reading = (Symbol, u32);

/// What packed tokens are.
struct Readings<'b> {
    /// The different ones.
    distinct: Vec<Reading>,
    /// Those of each token.
    all: Vec<Reading>,
    /// The bytes with their lines.
    lines: &'b [u8],
}

impl<'b> Readings<'b> {
    fn new(mut rest: &'b [u8]) -> Option<Self> {
        let n_distinct = take(&mut rest)?;
        // Each takes five bytes and more.
        let mut distinct = Vec::with_capacity(at_most(n_distinct, rest.len() / 5));
        for _ in 0..n_distinct {
            let symbol = u32::try_from(take(&mut rest)?).ok()?;
            let (exact, tail) = rest.split_first_chunk::<4>()?;
            distinct.push((Symbol::new(symbol), u32::from_le_bytes(*exact)));
            rest = tail;
        }
        let n_tokens = take(&mut rest)?;
        let mut all = Vec::with_capacity(at_most(n_tokens, rest.len()));
        for _ in 0..n_tokens {
            all.push(*distinct.get(usize::try_from(take(&mut rest)?).ok()?)?);
        }
        Some(Self { distinct, all, lines: rest })
    }
}

/// A number of things that damaged bytes may overstate.
fn at_most(n: u64, most: usize) -> usize {
    usize::try_from(n).map_or(most, |n| n.min(most))
}

/// Puts the tokens on their lines.
fn laid_out(tokens: &mut [Token], lines: &mut &[u8]) -> Option<Vec<u8>> {
    let mut text = Vec::with_capacity(tokens.len() * 2);
    let mut at = 0usize;
    let mut n_lines = 0;
    loop {
        let n_on_line = usize::try_from(take(lines)?).ok()?;
        for token in tokens.get_mut(at..at.checked_add(n_on_line)?)? {
            token.start = text.len() as u32;
            text.push(if token.kind() == Kind::Punctuation {
                token.symbol.get() as u8
            } else {
                b'x'
            });
            token.end = text.len() as u32;
            text.push(b' ');
        }
        at += n_on_line;
        if at == tokens.len() {
            return Some(text);
        }
        let n = usize::try_from(take(lines)?).ok()?;
        n_lines = usize::checked_add(n_lines, n).filter(|&all| n > 0 && all <= MAX_LINES)?;
        text.resize(text.len() + n, b'\n');
    }
}

/// Appends a number: seven bits a byte, the lowest first.
pub(super) fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Takes a number off the beginning.
pub(super) fn take(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..63).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::language::Languages;
    use crate::matching::{Document, line_keys};
    use crate::text::Lines;

    fn tokens(text: &str) -> Vec<Token> {
        let languages = Languages::builtin();
        let mut tokens = Vec::new();
        languages
            .get("python")
            .expect("Python is built in")
            .lexer
            .tokenize(text.as_bytes(), &mut tokens);
        tokens
    }

    #[track_caller]
    fn check(text: &str) {
        let tokens = tokens(text);
        let (read, laid_out) = unpack(&pack(&tokens, text.as_bytes())).expect("it was just packed");
        let readings = |tokens: &[Token]| {
            tokens.iter().map(|token| (token.symbol, token.exact)).collect::<Vec<_>>()
        };
        assert_eq!(readings(&read), readings(&tokens));
        let lines = |text: &[u8], tokens: &[Token]| {
            let lines = Lines::new(text);
            tokens.iter().map(|token| lines.line_of(token.start)).collect::<Vec<_>>()
        };
        assert_eq!(lines(&laid_out, &read), lines(text.as_bytes(), &tokens), "{text}");
        let keys = unpack_lines(&pack(&tokens, text.as_bytes())).expect("it was just packed");
        assert_eq!(keys, line_keys(Document::new(&laid_out, &read)), "{text}");
    }

    #[test]
    fn readings_and_lines_are_kept() {
        check("");
        check("a = 1\n");
        check(
            "\n\n# a comment\ndef f(a, b):\n    \"\"\"Text\n    on lines\"\"\" + b\n\n    return a + 'x'\n",
        );
    }

    proptest! {
        #[test]
        fn any_text_is_kept(text in "[a-z0-9()= \n\"#:]{0,200}") {
            check(&text);
        }

        #[test]
        fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), is_plain in any::<bool>()) {
            let packed = if is_plain {
                let mut out = DeflateEncoder::new(Vec::new(), Compression::fast());
                out.write_all(&bytes).expect("memory takes all");
                out.finish().expect("memory takes all")
            } else {
                bytes
            };
            let lines = unpack_lines(&packed);
            prop_assert!(lines.is_ok() || unpack(&packed).is_err());
        }
    }
}
