//! Measures how much of a text a tree holds already, by shared n-grams.
//!
//! It decides what is true, so it knows nothing of the program under test: plain sets of n-grams,
//! file by file.

use std::collections::HashMap;
use std::ops::Range;

use crate::scan::Scan;

/// Tokens, as spelled, of an n-gram.
const EXACT: usize = 5;
/// Tokens, names and literals left out, of an n-gram: such agree sooner by chance.
const SHAPE: usize = 12;

/// Tokens of a stretch that could be called a copy by itself.
const STRETCH: usize = 50;

/// How much of a text stands in one file, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Likeness {
    /// The part of its n-grams as they are spelled.
    pub exact: f64,
    /// The part of its n-grams when names and literals are left out.
    pub shape: f64,
}

/// The n-grams of the files of a tree.
#[derive(Debug, Default)]
pub struct Grams {
    exact: Postings,
    shape: Postings,
}

/// For each n-gram the files it stands in, and the first and last place in each.
type Postings = HashMap<u64, Vec<Posting>>;

#[derive(Debug, Clone, Copy)]
struct Posting {
    file: usize,
    first: usize,
    last: usize,
}

impl Grams {
    /// Adds the file numbered `file`. Files come in ascending order.
    pub fn add(&mut self, file: usize, scan: &Scan) {
        add(&mut self.exact, file, &grams(&scan.exact(), EXACT));
        add(&mut self.shape, file, &grams(&scan.shape(), SHAPE));
    }

    /// How much of the tokens `tokens` of `scan` stands in the one file that has most of it.
    ///
    /// `own` is where the text itself stands: there it does not count.
    pub fn likeness(
        &self,
        scan: &Scan,
        tokens: &Range<usize>,
        own: Option<(usize, &Range<usize>)>,
    ) -> Likeness {
        let most = |postings: &Postings, readings: Vec<u64>, n: usize| {
            largest_share(postings, &grams(&readings[tokens.clone()], n), own, n)
        };
        Likeness {
            exact: most(&self.exact, scan.exact(), EXACT),
            shape: most(&self.shape, scan.shape(), SHAPE),
        }
    }

    /// The same for the stretch of the tokens that has most in common with a file.
    pub fn likeness_of_stretches(&self, scan: &Scan, tokens: &Range<usize>) -> Likeness {
        let most = |postings: &Postings, readings: Vec<u64>, n: usize| {
            largest_share_of_stretch(postings, &grams(&readings[tokens.clone()], n), STRETCH - n)
        };
        Likeness {
            exact: most(&self.exact, scan.exact(), EXACT),
            shape: most(&self.shape, scan.shape(), SHAPE),
        }
    }
}

/// N-grams, names and literals left out, that a text may have twice before it repeats itself.
const REPEATED: usize = 15;

/// Whether a part of a text is much like another part of it.
pub fn repeats_itself(scan: &Scan, tokens: &Range<usize>) -> bool {
    let mut grams = grams(&scan.shape()[tokens.clone()], SHAPE);
    let n_all = grams.len();
    grams.sort_unstable();
    grams.dedup();
    n_all - grams.len() >= REPEATED
}

/// How much of `text` stands in `other`.
pub fn likeness_of(text: &Scan, other: &Scan) -> Likeness {
    let mut grams = Grams::default();
    grams.add(0, other);
    grams.likeness(text, &(0..text.tokens.len()), None)
}

fn grams(readings: &[u64], n: usize) -> Vec<u64> {
    let mix = |hash: u64, reading: &u64| {
        (hash.rotate_left(23) ^ reading).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    };
    readings.windows(n).map(|window| window.iter().fold(0, mix)).collect()
}

fn add(postings: &mut Postings, file: usize, grams: &[u64]) {
    for (at, &gram) in grams.iter().enumerate() {
        let places = postings.entry(gram).or_default();
        match places.last_mut() {
            Some(place) if place.file == file => place.last = at,
            _ => places.push(Posting { file, first: at, last: at }),
        }
    }
}

fn largest_share(
    postings: &Postings,
    grams: &[u64],
    own: Option<(usize, &Range<usize>)>,
    n: usize,
) -> f64 {
    let counts = |place: &Posting| match own {
        Some((file, range)) if file == place.file => {
            place.first < range.start || place.last + n > range.end
        }
        _ => true,
    };
    let mut n_shared: HashMap<usize, usize> = HashMap::new();
    for place in
        grams.iter().flat_map(|gram| postings.get(gram)).flatten().filter(|place| counts(place))
    {
        *n_shared.entry(place.file).or_default() += 1;
    }
    let most = n_shared.into_values().max().unwrap_or(0);
    most as f64 / grams.len().max(1) as f64
}

fn largest_share_of_stretch(postings: &Postings, grams: &[u64], n_grams: usize) -> f64 {
    let mut shared: HashMap<usize, Vec<usize>> = HashMap::new();
    for (at, gram) in grams.iter().enumerate() {
        for place in postings.get(gram).into_iter().flatten() {
            shared.entry(place.file).or_default().push(at);
        }
    }
    let in_stretch = |places: &[usize], first: usize| {
        places.iter().filter(|&&at| (first..first + n_grams).contains(&at)).count()
    };
    let densest = |places: Vec<usize>| places.iter().map(|&first| in_stretch(&places, first)).max();
    let most = shared.into_values().filter_map(densest).max().unwrap_or(0);
    most as f64 / n_grams.min(grams.len()).max(1) as f64
}
