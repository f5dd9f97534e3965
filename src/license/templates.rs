//! Unpacks SPDX's license templates, which `tools/licenses` packs, and finds those of a text.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use super::words::{Words, hash, is_bullet};
use crate::text::unpack;

/// A license or exception as SPDX lists it: what a text of it has, may have, and may replace.
#[derive(Debug, Default)]
pub(super) struct Template {
    pub id: &'static str,
    pub words: Vec<&'static str>,
    /// The hash of each word.
    pub hashes: Vec<u32>,
    /// Whether each word has to be there.
    pub is_required: Vec<bool>,
    /// How many words of others may be before each word, and at the end.
    pub n_free: Vec<u8>,
    bag: OnceLock<Bag>,
    places: OnceLock<HashMap<u32, Option<usize>>>,
}

/// The words of a template without their order.
#[derive(Debug)]
pub(super) struct Bag {
    /// The hashes of all words, sorted.
    pub hashes: Vec<u32>,
    /// The number of words that each text has: marks of lists may be left out.
    pub n_needed: usize,
}

impl Template {
    fn new(line: &'static str) -> Self {
        let (id, text) = line.split_once(' ').unwrap_or((line, ""));
        let (mut words, mut is_required, mut n_free) = (Vec::new(), Vec::new(), vec![0]);
        let mut open: Vec<u8> = Vec::new();
        for word in text.split(' ') {
            if let Some(n) = word.strip_prefix('[') {
                open.push(n.parse().unwrap_or_default());
            } else if word == "{" {
                open.push(0);
            } else if matches!(word, "}" | "]") {
                open.pop();
                continue;
            } else {
                words.push(word);
                is_required.push(open.is_empty());
                n_free.push(0);
            }
            let last = n_free.last_mut().expect("it has one more than words");
            *last = open.iter().copied().max().unwrap_or_default().max(*last);
        }
        let hashes = words.iter().map(|word| hash(word)).collect();
        Self { id, words, hashes, is_required, n_free, ..Self::default() }
    }

    /// Where it has a gram; `None` if nowhere, or in several places.
    pub fn place_of(&self, gram: u32) -> Option<usize> {
        let places = self.places.get_or_init(|| {
            let mut places: HashMap<u32, Option<usize>> = HashMap::new();
            for (at, gram) in Words::grams(&self.hashes).enumerate() {
                places.entry(gram).and_modify(|place| *place = None).or_insert(Some(at));
            }
            places
        });
        places.get(&gram).copied().flatten()
    }

    pub fn bag(&self) -> &Bag {
        self.bag.get_or_init(|| {
            let mut hashes = self.hashes.clone();
            hashes.sort_unstable();
            let words = self.words.iter().zip(&self.is_required);
            let n_needed = words.filter(|(word, is_required)| **is_required && !is_bullet(word));
            Bag { hashes, n_needed: n_needed.count() }
        })
    }

    /// The template without what may be left out.
    pub fn bare(&self) -> Self {
        let mut bare = Self { id: self.id, n_free: vec![0], ..Self::default() };
        for (at, &n_free) in self.n_free.iter().enumerate() {
            let last = bare.n_free.last_mut().expect("it has one more than words");
            *last = n_free.max(*last);
            if self.is_required.get(at) == Some(&true) {
                bare.words.push(self.words[at]);
                bare.hashes.push(self.hashes[at]);
                bare.is_required.push(true);
                bare.n_free.push(0);
            }
        }
        bare
    }
}

/// A template that a text may hold.
#[derive(Clone)]
pub(super) struct Candidate {
    pub number: u16,
    /// Where the text has grams of its sketch.
    pub positions: Vec<usize>,
}

/// Templates that are unpacked together.
struct Block {
    templates: Range<usize>,
    packed: &'static [u8],
    text: OnceLock<String>,
}

/// The file that `tools/licenses` writes; what it holds is described there.
struct Store {
    /// The grams by which templates are found, four bytes each, in order.
    grams: &'static [u8],
    /// The template of each gram, two bytes each.
    owners: &'static [u8],
    blocks: Vec<Block>,
    templates: Vec<OnceLock<Template>>,
    /// The number of grams of each template.
    n_grams: Vec<usize>,
}

static STORE: LazyLock<Store> = LazyLock::new(|| {
    let file: &[u8] = include_bytes!("../../config/licenses/templates.bin");
    let (n_grams, file) = file.split_at(4);
    let n_grams = number(n_grams) as usize;
    let (grams, file) = file.split_at(4 * n_grams);
    let (owners, mut rest) = file.split_at(2 * n_grams);
    let (mut blocks, mut first) = (Vec::new(), 0);
    while !rest.is_empty() {
        let (head, packed) = rest.split_at(6);
        let (packed, next) = packed.split_at(number(&head[..4]) as usize);
        let templates = first..first + number(&head[4..]) as usize;
        first = templates.end;
        blocks.push(Block { templates, packed, text: OnceLock::new() });
        rest = next;
    }
    let mut sizes = vec![0; first];
    owners.chunks_exact(2).for_each(|owner| sizes[number(owner) as usize] += 1);
    let templates = (0..first).map(|_| OnceLock::new()).collect();
    Store { grams, owners, blocks, templates, n_grams: sizes }
});

fn number(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte))
}

/// The templates of which a text has grams.
pub(super) fn candidates(hashes: &[u32]) -> Vec<Candidate> {
    let mut found: BTreeMap<u16, Vec<usize>> = BTreeMap::new();
    for (at, gram) in Words::grams(hashes).enumerate() {
        for owner in owners(gram) {
            found.entry(owner).or_default().push(at);
        }
    }
    found.into_iter().map(|(number, positions)| Candidate { number, positions }).collect()
}

fn owners(gram: u32) -> impl Iterator<Item = u16> {
    let (grams, _) = STORE.grams.as_chunks::<4>();
    let (owners, _) = STORE.owners.as_chunks::<2>();
    let first = grams.partition_point(|of| u32::from_le_bytes(*of) < gram);
    let rest = grams[first..].iter().zip(&owners[first..]);
    let same = rest.take_while(move |(of, _)| u32::from_le_bytes(**of) == gram);
    same.map(|(_, owner)| u16::from_le_bytes(*owner))
}

impl Candidate {
    pub fn template(&self) -> &'static Template {
        let number = usize::from(self.number);
        STORE.templates[number].get_or_init(|| {
            let at = STORE.blocks.partition_point(|block| block.templates.end <= number);
            let Block { templates, packed, text } = &STORE.blocks[at];
            let mut lines = text.get_or_init(|| unpack(packed)).lines();
            Template::new(lines.nth(number - templates.start).unwrap_or_default())
        })
    }

    /// The share of the sketch that a number of grams is.
    pub fn share(&self, n_grams: usize) -> f64 {
        n_grams as f64 / STORE.n_grams[usize::from(self.number)].max(1) as f64
    }
}

#[cfg(test)]
pub(super) fn all() -> impl Iterator<Item = &'static Template> {
    (0..STORE.templates.len() as u16)
        .map(|number| Candidate { number, positions: Vec::new() }.template())
}
