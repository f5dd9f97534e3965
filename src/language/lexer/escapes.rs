//! Reads escapes that mean their character wherever they are, as in Java: `\u002f*` is a comment.

use super::CompiledTable;
use crate::language::token::Token;

pub(super) struct Escapes {
    pub(super) text: Vec<u8>,
    /// For each escape, where the text goes on, and how much farther on that is in the file.
    places: Vec<(usize, usize)>,
}

impl Escapes {
    /// The text without its escapes, if the language has them and the text has any. Time O(n).
    pub(super) fn of(table: &CompiledTable, file: &[u8]) -> Option<Self> {
        if !table.has_unicode_escapes {
            return None;
        }
        memchr::memmem::find(file, b"\\u")?;
        let (mut text, mut places) = (Vec::with_capacity(file.len()), Vec::new());
        let mut at = 0;
        while at < file.len() {
            let next = memchr::memchr(b'\\', &file[at..]).map_or(file.len(), |n| at + n);
            text.extend_from_slice(&file[at..next]);
            at = next;
            match character(&file[at..]) {
                Some((c, n_bytes)) => {
                    text.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                    at += n_bytes;
                    places.push((text.len(), at - text.len()));
                }
                // A backslash that escapes another one begins no escape of a character, nor does
                // that one.
                None => {
                    let n_plain =
                        (file.len() - at).min(if file[at..].starts_with(b"\\\\") { 2 } else { 1 });
                    text.extend_from_slice(&file[at..at + n_plain]);
                    at += n_plain;
                }
            }
        }
        (!places.is_empty()).then_some(Self { text, places })
    }

    /// Puts tokens of the text where they are in the file.
    pub(super) fn locate(&self, tokens: &mut [Token]) {
        let mut places = self.places.iter().peekable();
        let mut shift = 0;
        for at in tokens.iter_mut().flat_map(|token| [&mut token.start, &mut token.end]) {
            while let Some((_, n)) = places.next_if(|(from, _)| *from <= *at as usize) {
                shift = *n;
            }
            *at += shift as u32;
        }
    }
}

/// The character whose escape this is, and its bytes. Half of a pair is a mark of its own.
pub(in crate::language) fn character(text: &[u8]) -> Option<(char, usize)> {
    let (high, n_bytes) = unit(text)?;
    let (code, n_bytes) = match (high, unit(&text[n_bytes..])) {
        (0xD800..0xDC00, Some((low @ 0xDC00..0xE000, n_more))) => {
            (0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00), n_bytes + n_more)
        }
        _ => (high, n_bytes),
    };
    Some((char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER), n_bytes))
}

/// `\u002f`, with any number of `u`.
fn unit(text: &[u8]) -> Option<(u32, usize)> {
    let marked = text.strip_prefix(b"\\")?;
    let n_marks = marked.iter().take_while(|byte| **byte == b'u').count();
    let digits = marked.get(n_marks..n_marks + 4).filter(|_| n_marks > 0)?;
    let mut digits = digits.iter().map(|&digit| char::from(digit).to_digit(16));
    let code = digits.try_fold(0, |code, digit| Some(code * 16 + digit?))?;
    Some((code, 1 + n_marks + 4))
}
