//! Says what two functions have in common that a person recognizes: what they call, their messages,
//! their words.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::words::{Rarity, word_texts, words_of_code};
use super::{Document, Unit};
use crate::language::Kind;
use crate::text::{printable, shortened};

/// Minimum bytes of a message, with its quotes. A shorter string is a key or a separator.
const MIN_MESSAGE: usize = 10;

/// What two functions have in common, the rarest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Agreement {
    /// The functions that both call.
    pub calls: Vec<String>,
    /// The messages in both.
    pub says: Vec<String>,
    /// Other words in both, as the second one spells them.
    pub words: Vec<String>,
}

impl Agreement {
    /// What `asked` and a function of `known` have in common; `rarity` is that of the words of
    /// `asked`.
    pub fn new(asked: Document<'_>, known: Document<'_>, unit: &Unit, rarity: &Rarity<'_>) -> Self {
        let all_words = words_of_code(known, known.bytes_with_comment(&unit.tokens));
        let known = Document { tokens: &known.tokens[unit.tokens.clone()], ..known };
        let calls = rarest(&called(&asked) & &called(&known), rarity, 4);
        let says = rarest(&messages(&asked) & &messages(&known), rarity, 2);
        let mut words: BTreeMap<u32, &[u8]> = BTreeMap::new();
        for (word, text) in all_words {
            words.entry(word).or_insert(text);
        }
        // What is called says its words itself.
        for (word, _) in calls.iter().flat_map(|name| word_texts(name.as_bytes())) {
            words.remove(&word);
        }
        words.retain(|word, text| rarity.weight(*word) > 0.0 && !text[0].is_ascii_digit());
        let words = rarest(words.into_values().collect(), rarity, 5);
        let words = words.iter().map(|word| word.to_lowercase()).collect();
        Self { calls, says: says.iter().map(|text| quoted(text)).collect(), words }
    }

    /// As words, safe to print: `calls f and g; says "no such key"; names table, key`.
    pub fn describe(&self) -> String {
        let lists = [("calls", &self.calls), ("says", &self.says), ("names", &self.words)];
        let told = lists.iter().filter(|(_, list)| !list.is_empty());
        let told = told.map(|(verb, list)| format!("{verb} {}", list.join(", ")));
        told.collect::<Vec<String>>().join("; ")
    }
}

/// The names that have a bracket behind them.
pub fn called<'d>(code: &Document<'d>) -> BTreeSet<&'d [u8]> {
    let pairs = code.tokens.windows(2);
    let calls = pairs.filter(|pair| pair[0].is_name() && pair[1].punctuation() == Some(b'('));
    calls.map(|pair| pair[0].text(code.text)).collect()
}

/// The literals of several words.
fn messages<'d>(code: &Document<'d>) -> BTreeSet<&'d [u8]> {
    let strings = code.tokens.iter().filter(|token| token.kind() == Kind::String);
    let texts = strings.map(|token| token.text(code.text));
    texts.filter(|text| text.len() >= MIN_MESSAGE && text.contains(&b' ')).collect()
}

fn rarest(texts: BTreeSet<&[u8]>, rarity: &Rarity<'_>, max: usize) -> Vec<String> {
    let mut texts: Vec<&[u8]> = texts.into_iter().collect();
    texts.sort_by_cached_key(|text| {
        let weight: f64 = word_texts(text).map(|(word, _)| rarity.weight(word)).sum();
        (Reverse((weight * 1e6) as u64), *text)
    });
    texts.into_iter().take(max).map(printable).collect()
}

fn quoted(literal: &str) -> String {
    let text = literal.trim_matches(|c: char| !c.is_alphanumeric() && !"%{}[]()<>".contains(c));
    format!("\"{}\"", shortened(text, 50))
}
