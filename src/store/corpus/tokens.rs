//! Packs the tokens of a file: their two readings and their lines, without their text.
//!
//! Bytes, before they are deflated, and in chunks as they are: the number of different tokens, and
//! for each its symbol and exact reading, the frequent ones first; then the number of tokens, and
//! for each its place in that list; then for each line with tokens how many it has and how many
//! lines it is below the one before. Numbers are varints, readings four bytes.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::bufread::DeflateDecoder;
use flate2::write::DeflateEncoder;
use foldhash::{HashMap, HashMapExt};

use crate::language::{Kind, Symbol, Token};
use crate::matching::line_key;
use crate::store::{Result, SegmentError};
use crate::text::varint::{put, take};

/// How hard the tokens are packed: the fastest level makes them a tenth larger.
const LEVEL: Compression = Compression::new(2);
/// Maximum bytes that the packed tokens of one file may unpack to.
const MAX_UNPACKED: u64 = 64 << 20;
/// Maximum lines of a file.
const MAX_LINES: usize = 16 << 20;

/// Where a line with tokens starts, if a break is before it.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineStart {
    /// The number of its first token.
    pub at: u32,
    /// How many lines it is below the line of the token before.
    pub n_lines: u32,
}

impl LineStart {
    /// The lines of a text. A token may span lines: those in it count before the next one.
    pub fn all(tokens: &[Token], text: &[u8]) -> Vec<Self> {
        let (mut starts, mut at, mut n_lines) = (Vec::new(), 0, 0);
        for end in memchr::memchr_iter(b'\n', text).chain([text.len()]) {
            let on_line = tokens[at..].iter().take_while(|token| token.start as usize <= end);
            let n_tokens = on_line.count();
            if n_tokens > 0 && n_lines > 0 {
                starts.push(Self { at: at as u32, n_lines });
                n_lines = 0;
            }
            at += n_tokens;
            n_lines += 1;
        }
        starts
    }
}

/// Packs `tokens`, which were read from `text`.
pub(super) fn pack(tokens: &[Token], text: &[u8]) -> Vec<u8> {
    let bytes = plain(tokens, LineStart::all(tokens, text).into_iter());
    let mut out = DeflateEncoder::new(Vec::with_capacity(bytes.len() / 2), LEVEL);
    let written = out.write_all(&bytes).and_then(|()| out.finish());
    written.expect("memory takes all that is written")
}

/// The bytes of `tokens`, which are on these lines, before they are deflated.
pub(super) fn plain(tokens: &[Token], lines: impl Iterator<Item = LineStart>) -> Vec<u8> {
    // Numbers in order of appearance, then in order of frequency: a token is looked up once.
    let mut met: HashMap<(u32, u32), u32> = HashMap::new();
    let mut distinct: Vec<((u32, u32), u32, u32)> = Vec::new();
    let mut numbers: Vec<u32> = Vec::with_capacity(tokens.len());
    for token in tokens {
        let reading = (token.symbol.get(), token.exact);
        let number = *met.entry(reading).or_insert_with(|| {
            distinct.push((reading, distinct.len() as u32, 0));
            distinct.len() as u32 - 1
        });
        distinct[number as usize].2 += 1;
        numbers.push(number);
    }
    distinct.sort_unstable_by_key(|&(reading, _, n)| (std::cmp::Reverse(n), reading));
    let mut ranks = vec![0; distinct.len()];
    for (&(_, number, _), rank) in distinct.iter().zip(0u64..) {
        ranks[number as usize] = rank;
    }

    let mut bytes = Vec::with_capacity(tokens.len() * 2);
    put(&mut bytes, distinct.len() as u64);
    for ((symbol, exact), ..) in &distinct {
        put(&mut bytes, u64::from(*symbol));
        bytes.extend(exact.to_le_bytes());
    }
    put(&mut bytes, tokens.len() as u64);
    for number in numbers {
        put(&mut bytes, ranks[number as usize]);
    }
    let mut before = 0;
    for LineStart { at, n_lines } in lines {
        put(&mut bytes, u64::from(at - before));
        put(&mut bytes, u64::from(n_lines));
        before = at;
    }
    put(&mut bytes, tokens.len() as u64 - u64::from(before));
    bytes
}

/// The packed tokens of a file.
#[derive(Debug)]
pub(super) enum PackedTokens<'s> {
    /// As [`pack`] makes them.
    Whole(&'s [u8]),
    /// A version in chunks, each as [`plain`] makes it.
    InChunks(Vec<&'s [u8]>),
}

/// Unpacks tokens, and a text that has them where their own text had them: on the same lines and in
/// the same order, punctuation as it was, every name and literal as one letter.
pub(super) fn unpack(packed: &PackedTokens<'_>) -> Result<(Vec<Token>, Vec<u8>)> {
    let Readings { all, lines, .. } = Readings::of(packed)?;
    let mut tokens: Vec<Token> = all.into_iter().map(bare).collect();
    let text = laid_out(&mut tokens, &mut &lines[..]).ok_or(DAMAGED)?;
    Ok((tokens, text))
}

/// Unpacks tokens without their places, and the exact readings that they have.
pub(super) fn unpack_bare(packed: &PackedTokens<'_>) -> Result<(Vec<Token>, Vec<u32>)> {
    let Readings { distinct, all, .. } = Readings::of(packed)?;
    let words = distinct.into_iter().map(|(_, exact)| exact);
    Ok((all.into_iter().map(bare).collect(), words.collect()))
}

fn bare((symbol, exact): Reading) -> Token {
    Token { start: 0, end: 0, symbol, exact }
}

/// Unpacks a key of each line with tokens, as [`line_key`] makes it.
pub(super) fn unpack_lines(packed: &PackedTokens<'_>) -> Result<Vec<u64>> {
    let Readings { all: readings, lines, .. } = Readings::of(packed)?;
    let (mut keys, mut at, mut rest) = (Vec::new(), 0, &lines[..]);
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

fn inflated(packed: &[u8]) -> Result<Vec<u8>> {
    // Tokens pack to a fifth or so.
    let mut bytes = Vec::with_capacity((packed.len() * 5).min(MAX_UNPACKED as usize));
    DeflateDecoder::new(packed).take(MAX_UNPACKED).read_to_end(&mut bytes).map_err(|_| DAMAGED)?;
    Ok(bytes)
}

/// The two readings of a token.
type Reading = (Symbol, u32);

/// What packed tokens are.
#[derive(Default)]
struct Readings {
    /// The different ones; of a version in chunks, those of each.
    distinct: Vec<Reading>,
    /// Those of each token.
    all: Vec<Reading>,
    /// The bytes with their lines.
    lines: Vec<u8>,
}

impl Readings {
    fn of(packed: &PackedTokens<'_>) -> Result<Self> {
        let mut readings = Self::default();
        match packed {
            PackedTokens::Whole(packed) => {
                let bytes = inflated(packed)?;
                let lines = readings.add(&bytes).ok_or(DAMAGED)?;
                readings.lines.extend(lines);
            }
            PackedTokens::InChunks(chunks) => {
                // The same chunk may be there any number of times.
                let n_bytes: u64 = chunks.iter().map(|chunk| chunk.len() as u64).sum();
                if n_bytes > MAX_UNPACKED {
                    return Err(DAMAGED);
                }
                for chunk in chunks {
                    let lines = readings.add(chunk).ok_or(DAMAGED)?;
                    // A chunk ends with how many tokens its last line has; after it the next one
                    // begins with none, and the break.
                    let is_first = readings.lines.is_empty();
                    let follows = if is_first { Some(lines) } else { lines.strip_prefix(&[0]) };
                    readings.lines.extend(follows.ok_or(DAMAGED)?);
                }
                if chunks.is_empty() {
                    put(&mut readings.lines, 0);
                }
            }
        }
        Ok(readings)
    }

    /// Adds what `rest` begins with, and returns the remainder: the lines.
    fn add<'b>(&mut self, mut rest: &'b [u8]) -> Option<&'b [u8]> {
        let n_distinct = take(&mut rest)?;
        let first = self.distinct.len();
        // Each takes five bytes and more.
        self.distinct.reserve(at_most(n_distinct, rest.len() / 5));
        for _ in 0..n_distinct {
            let symbol = u32::try_from(take(&mut rest)?).ok()?;
            let (exact, tail) = rest.split_first_chunk::<4>()?;
            self.distinct.push((Symbol::new(symbol), u32::from_le_bytes(*exact)));
            rest = tail;
        }
        let n_tokens = take(&mut rest)?;
        self.all.reserve(at_most(n_tokens, rest.len()));
        let distinct = &self.distinct[first..];
        for _ in 0..n_tokens {
            self.all.push(*distinct.get(usize::try_from(take(&mut rest)?).ok()?)?);
        }
        Some(rest)
    }
}

/// A number of things that damaged bytes may overstate.
fn at_most(n: u64, most: usize) -> usize {
    usize::try_from(n).map_or(most, |n| n.min(most))
}

fn laid_out(tokens: &mut [Token], lines: &mut &[u8]) -> Option<Vec<u8>> {
    let mut text = Vec::with_capacity(tokens.len() * 2);
    let mut at = 0usize;
    let mut n_lines = 0;
    loop {
        let n_on_line = usize::try_from(take(lines)?).ok()?;
        for token in tokens.get_mut(at..at.checked_add(n_on_line)?)? {
            token.start = text.len() as u32;
            let is_punctuation = token.kind() == Kind::Punctuation;
            text.push(if is_punctuation { token.symbol.get() as u8 } else { b'x' });
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

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::language::Languages;
    use crate::matching::{Document, line_keys};
    use crate::text::Lines;

    pub(in super::super) fn tokens(text: &str) -> Vec<Token> {
        let languages = Languages::builtin();
        let mut tokens = Vec::new();
        let python = languages.get("python").expect("Python is built in");
        python.lexer.tokenize(text.as_bytes(), &mut tokens);
        tokens
    }

    #[track_caller]
    fn check(text: &str) {
        let tokens = tokens(text);
        let packed = pack(&tokens, text.as_bytes());
        let packed = PackedTokens::Whole(&packed);
        let (read, laid_out) = unpack(&packed).expect("it was just packed");
        let readings = |tokens: &[Token]| {
            tokens.iter().map(|token| (token.symbol, token.exact)).collect::<Vec<_>>()
        };
        assert_eq!(readings(&read), readings(&tokens));
        let lines = |text: &[u8], tokens: &[Token]| {
            let lines = Lines::new(text);
            tokens.iter().map(|token| lines.line_of(token.start)).collect::<Vec<_>>()
        };
        assert_eq!(lines(&laid_out, &read), lines(text.as_bytes(), &tokens), "{text}");
        let keys = unpack_lines(&packed).expect("it was just packed");
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
            let halves = packed.split_at(packed.len() / 2);
            for packed in [PackedTokens::Whole(&packed), PackedTokens::InChunks(vec![halves.0, halves.1, halves.0])] {
                let lines = unpack_lines(&packed);
                prop_assert!(lines.is_ok() || unpack(&packed).is_err());
            }
        }
    }
}
