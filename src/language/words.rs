//! Reads prose, or a text of unknown language, as words.

use std::ops::Range;

use super::hash;
use super::token::{Symbol, Token};

/// The family of the words of a text: they are compared with nothing but words.
pub const WORDS: &str = "words";

/// Reads up to 4 GiB of `text` into a token for each word, replacing those in `tokens`. Time O(n).
///
/// A word is a run of letters and digits of any script, with apostrophes inside, or a letter of a
/// script without spaces. Case, punctuation and layout do not count, as in the canonical documents
/// of Broder (1997). Both readings of a word are hashes of its lower case: unlike names in code, no
/// two words are the same symbol.
pub fn words(text: &[u8], tokens: &mut Vec<Token>) {
    tokens.clear();
    let text = &text[..text.len().min(u32::MAX as usize)];
    let mut folded = String::new();
    let (mut start, mut end, mut at) = (0, 0, 0);
    for chunk in text.utf8_chunks() {
        for c in chunk.valid().chars() {
            let is_inner = (c == '\'' || c == '’') && !folded.is_empty();
            let is_part = is_inner || c.is_alphanumeric();
            if is_inner {
                folded.push('\'');
            } else if is_part {
                start = if folded.is_empty() { at } else { start };
                folded.extend(c.to_lowercase());
                end = at + c.len_utf8();
            }
            // A soft hyphen, where a word may be broken at the end of a line, is part of it.
            if c != '\u{AD}' && (!is_part || is_word_alone(c)) {
                close(&mut folded, start..end, tokens);
            }
            at += c.len_utf8();
        }
        if !chunk.invalid().is_empty() {
            close(&mut folded, start..end, tokens);
            at += chunk.invalid().len();
        }
    }
    close(&mut folded, start..end, tokens);
}

/// Adds the token of a word, if there is one, and empties it.
fn close(folded: &mut String, place: Range<usize>, tokens: &mut Vec<Token>) {
    if !folded.is_empty() {
        let exact = (hash::word(folded.trim_end_matches('\'').as_bytes(), 0) >> 16) as u32;
        let (start, end) = (place.start as u32, place.end as u32);
        tokens.push(Token { start, end, symbol: Symbol::word(exact), exact });
        folded.clear();
    }
}

/// Whether a letter belongs to a script without spaces between words: Han, Hiragana, Katakana,
/// Thai, Lao, Khmer, Burmese.
fn is_word_alone(c: char) -> bool {
    matches!(c, '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' | '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let mut tokens = Vec::new();
        words(text.as_bytes(), &mut tokens);
        let read = tokens.iter().map(|token| &text[token.start as usize..token.end as usize]);
        assert_eq!(read.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_text_is_its_words_whatever_their_case_and_punctuation() {
        check("\"A rose,\" -- is a ROSE.", &["A", "rose", "is", "a", "ROSE"]);
        check("don't 'quote' rock'n'roll'", &["don't", "quote", "rock'n'roll"]);
        check("naïve Straße x2\n", &["naïve", "Straße", "x2"]);
        check("co\u{AD}operate", &["co\u{AD}operate"]);
        check("我们 ok", &["我", "们", "ok"]);
        check(" .,; ", &[]);
        let mut tokens = Vec::new();
        words("Rose ROSE rosE' rise".as_bytes(), &mut tokens);
        assert!(tokens[0].symbol == tokens[1].symbol && tokens[1].symbol == tokens[2].symbol);
        assert_ne!(tokens[2].symbol, tokens[3].symbol);
        words("cooperate co\u{AD}operate".as_bytes(), &mut tokens);
        assert_eq!(tokens[0].symbol, tokens[1].symbol);
        words(b"a\xFF\xFEb \x80", &mut tokens);
        assert_eq!(tokens.len(), 2);
    }
}
