//! The systems that came before winnowing, beside it on the same text: which copies each finds, at
//! what size.

use std::collections::BTreeMap;

use secondhand::fingerprint::hash_numbers;
use support::Random;

use crate::input::{Prose, Word};
use crate::schemes::{
    Grams, ModMinimizers, PlainWinnowing, RobustWinnowing, SafeZeroMod, Scheme, Smallest, ZeroMod,
};
use crate::selection::positive;
use crate::table::Row;

/// Letters of a k-gram, and the window: what the winnowing paper takes for text.
const K: usize = 50;
const WINDOW: usize = 100;
/// A chunk ends behind one sentence in so many (COPS), and words are in the same frequency up to
/// this (SCAM).
const ONE_IN: u64 = 4;
const EPSILON: f64 = 2.5;
/// The words of a document, and the cases of each kind.
const WORDS: usize = 1_000;
const CASES: usize = 200;
/// The part of unrelated pairs that may be above the threshold of a system.
const FALSE: f64 = 0.01;

/// What a system stores of a document: units, and how often each occurs.
type Units = BTreeMap<u64, f64>;

/// How a system divides a document into units.
enum Division {
    /// Selected k-grams of letters.
    Grams(Box<dyn Scheme>),
    /// Sentences (COPS, one unit a chunk).
    Sentences,
    /// Runs of sentences that end behind one in four, by its hash (COPS, hashed breakpoints;
    /// Manber's anchors).
    Breakpoints,
    /// Words, compared by their frequencies (SCAM).
    Frequencies,
}

/// The system, what it is called, and how it divides.
fn systems() -> Vec<(String, Division)> {
    let mods = ModMinimizers { window: positive(WINDOW), k: positive(K), least: positive(8) };
    let schemes: [Box<dyn Scheme>; 6] = [
        Box::new(RobustWinnowing(positive(WINDOW))),
        Box::new(PlainWinnowing(positive(WINDOW))),
        Box::new(mods),
        Box::new(SafeZeroMod(positive(WINDOW))),
        Box::new(ZeroMod(positive(50))),
        Box::new(Smallest(WINDOW)),
    ];
    let of_scheme = |scheme: Box<dyn Scheme>| (described(scheme.as_ref()), Division::Grams(scheme));
    let others = [
        ("COPS, sentences", Division::Sentences),
        ("COPS, hashed breakpoints, one sentence in 4", Division::Breakpoints),
        ("SCAM, frequencies of words", Division::Frequencies),
    ];
    schemes
        .into_iter()
        .map(of_scheme)
        .chain(others.map(|(name, division)| (name.to_owned(), division)))
        .collect()
}

/// A scheme, with the length from which on it finds every match.
fn described(scheme: &dyn Scheme) -> String {
    let every =
        scheme.guarantee(K).map_or(String::new(), |n| format!("; every match of {n} letters"));
    format!("{}, k = {K}{every}", scheme.name())
}

impl Division {
    fn units(&self, words: &[Word]) -> Units {
        let mut units = Units::new();
        for unit in self.list(words) {
            *units.entry(unit).or_default() += 1.0;
        }
        units
    }

    fn list(&self, words: &[Word]) -> Vec<u64> {
        match self {
            Self::Grams(scheme) => grams(scheme.as_ref(), words),
            Self::Sentences => words.split_inclusive(|word| word.is_last).map(hash).collect(),
            Self::Breakpoints => {
                let sentences: Vec<u64> =
                    words.split_inclusive(|word| word.is_last).map(hash).collect();
                let chunks = sentences.split_inclusive(|sentence| sentence % ONE_IN == 0);
                chunks.map(|chunk| chunk.iter().fold(0, |hash, unit| mixed(hash ^ unit))).collect()
            }
            Self::Frequencies => words.chunks(1).map(hash).collect(),
        }
    }

    /// How much of one document is in another, or the other way around.
    fn score(&self, a: &Units, b: &Units) -> f64 {
        let of = |a: &Units, b: &Units| match self {
            Self::Frequencies => relative(a, b),
            _ => {
                a.keys().filter(|unit| b.contains_key(*unit)).count() as f64 / a.len().max(1) as f64
            }
        };
        of(a, b).max(of(b, a))
    }
}

/// SCAM's measure: of the words that are about as frequent in both, the products of their
/// frequencies, to the squares in the first document.
fn relative(a: &Units, b: &Units) -> f64 {
    let close = |(word, n): (&u64, &f64)| {
        let other = b.get(word)?;
        (n / other + other / n < EPSILON).then_some(n * other)
    };
    let squares: f64 = a.values().map(|n| n * n).sum();
    (a.iter().filter_map(close).sum::<f64>() / squares.max(1.0)).min(1.0)
}

fn grams(scheme: &dyn Scheme, words: &[Word]) -> Vec<u64> {
    let letters: Vec<u64> =
        words.iter().flat_map(|word| &word.letters).map(|letter| u64::from(*letter)).collect();
    let mut hashes = Vec::new();
    hash_numbers(&letters, positive(K), &mut hashes);
    let selected = scheme.select(Grams { tokens: &letters, hashes: &hashes });
    selected.into_iter().map(|at| hashes[at as usize]).collect()
}

fn hash(words: &[Word]) -> u64 {
    let letters = words.iter().flat_map(|word| word.letters.iter().chain(b" "));
    letters.fold(0, |hash, letter| mixed(hash ^ u64::from(*letter)))
}

fn mixed(number: u64) -> u64 {
    Random::new(number, 0).number()
}

/// Makes a copy of a text, in a host or alone.
type Edit = fn(&[Word], &[Word]) -> Vec<Word>;

/// Pairs of documents, and what they are.
struct Cases {
    what: &'static str,
    pairs: Vec<[Vec<Word>; 2]>,
}

/// The table of all systems. Empty without documents of two projects.
pub fn table(proses: &[Prose]) -> String {
    let long: Vec<&Prose> = proses.iter().filter(|prose| prose.words.len() >= WORDS).collect();
    let projects: std::collections::BTreeSet<usize> =
        long.iter().map(|prose| prose.project).collect();
    if projects.len() < 2 {
        return String::new();
    }
    let (unrelated, cases) = cases(&long);
    let mut text =
        format!("| system | units a word | {} unrelated pairs that share one |", unrelated.len());
    cases.iter().for_each(|cases| text += &format!(" {} |", cases.what));
    text += &format!("\n|---|{}\n", "--:|".repeat(cases.len() + 2));
    for (name, division) in systems() {
        let scores = |pairs: &[[Vec<Word>; 2]]| -> Vec<f64> {
            pairs
                .iter()
                .map(|[a, b]| division.score(&division.units(a), &division.units(b)))
                .collect()
        };
        let mut of_unrelated = scores(&unrelated);
        of_unrelated.sort_by(|a, b| b.total_cmp(a));
        let threshold = of_unrelated[(of_unrelated.len() as f64 * FALSE) as usize];
        let n_units: usize = unrelated.iter().map(|[a, _]| division.list(a).len()).sum();
        let part = |scores: &[f64], least: f64| {
            100.0 * scores.iter().filter(|score| **score > least).count() as f64
                / scores.len() as f64
        };
        let size = n_units as f64 / (unrelated.len() * WORDS) as f64;
        text += &format!("| {name} | {size:.3} | {:.1} % |", part(&of_unrelated, 0.0));
        cases.iter().for_each(|cases| {
            text += &format!(" {:.0} % |", part(&scores(&cases.pairs), threshold));
        });
        text += "\n";
    }
    text
}

/// Pairs of unrelated documents, and copies of each kind.
fn cases(proses: &[&Prose]) -> (Vec<[Vec<Word>; 2]>, Vec<Cases>) {
    let mut random = Random::new(1995, 3);
    let mut draw = || {
        let prose = proses[random.below(proses.len())];
        let start = random.below(prose.words.len() - WORDS + 1);
        (prose.project, prose.words[start..start + WORDS].to_vec())
    };
    let mut drawn = Vec::new();
    while drawn.len() < 5 * CASES {
        let ((project, text), (other, host)) = (draw(), draw());
        if project != other {
            drawn.push([text, host]);
        }
    }
    let kinds: [(&str, Edit); 4] = [
        ("one word in 25 changed", |text, _| changed(text)),
        ("a sentence put in front", |text, host| [&host[..9], text].concat()),
        ("100 words pasted", |text, host| pasted(&text[450..550], host)),
        ("40 words pasted", |text, host| pasted(&text[480..520], host)),
    ];
    let copies = |(what, copy): (&'static str, Edit)| {
        let pairs = drawn[..CASES].iter().map(|[text, host]| [text.clone(), copy(text, host)]);
        Cases { what, pairs: pairs.collect() }
    };
    let cases = kinds.into_iter().map(copies).collect();
    (drawn, cases)
}

/// The text, with a new word for one in 25.
fn changed(text: &[Word]) -> Vec<Word> {
    let own = |(at, word): (usize, &Word)| match at % 25 {
        12 => Word { letters: format!("own{at}").into_bytes(), ..word.clone() },
        _ => word.clone(),
    };
    text.iter().enumerate().map(own).collect()
}

fn pasted(passage: &[Word], host: &[Word]) -> Vec<Word> {
    [&host[..WORDS / 2], passage, &host[WORDS / 2..]].concat()
}

/// How much of a document the n smallest hashes say is in one that has all of it and more (Heintze
/// 1996).
pub fn contained(proses: &[Prose]) -> Row {
    let all: Vec<Word> = proses.iter().flat_map(|prose| prose.words.iter().cloned()).collect();
    let figures = |times: &usize| {
        let n = WORDS * times;
        let wholes: Vec<&[Word]> = all.chunks_exact(n).take(40).collect();
        let mean = |division: &Division| {
            let part = |whole: &&[Word]| {
                let (part, whole) = (division.units(&whole[n - WORDS..]), division.units(whole));
                part.keys().filter(|unit| whole.contains_key(*unit)).count() as f64
                    / part.len().max(1) as f64
            };
            wholes.iter().map(part).sum::<f64>() / wholes.len().max(1) as f64
        };
        let smallest = Division::Grams(Box::new(Smallest(WINDOW)));
        let winnowed = Division::Grams(Box::new(RobustWinnowing(positive(WINDOW))));
        (format!("{:.2}, {:.2}", mean(&smallest), mean(&winnowed)), "1".to_owned())
    };
    let times: Vec<usize> =
        [1, 2, 5, 20, 100].into_iter().filter(|times| all.len() >= WORDS * times).collect();
    let listed = times.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let what = format!(
        "part of a document said to be in one of {listed} times its words that has it: {WINDOW} smallest, winnowing"
    );
    Row::several("Heintze", &what, "", times.iter().map(figures))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Word> {
        let word = |word: &str| Word {
            letters: word.trim_end_matches('.').as_bytes().to_vec(),
            is_last: word.ends_with('.'),
        };
        text.split(' ').map(word).collect()
    }

    #[test]
    fn sentences_are_units_and_breakpoints_join_them() {
        let text = words("the cat sat. a dog ran. the cat sat. nobody came");
        assert_eq!(Division::Sentences.list(&text).len(), 4);
        assert_eq!(Division::Sentences.units(&text).len(), 3);
        let many = words(&(0..400).map(|n| format!("w{n} w. ")).collect::<String>());
        let n_chunks = Division::Breakpoints.list(&many).len();
        assert!((70..130).contains(&n_chunks), "one sentence in 4 ends a chunk: {n_chunks}");
    }

    #[test]
    fn frequencies_count_where_they_are_close() {
        let [a, b, c] = ["a a b c", "a a b c d", "a a a a a a a a b"]
            .map(|text| Division::Frequencies.units(&words(text)));
        assert_eq!(relative(&a, &b), 1.0);
        // Of `a`, 2 and 8 are far apart: only `b` counts.
        assert!((relative(&a, &c) - 1.0 / 6.0).abs() < 1e-9);
    }
}
