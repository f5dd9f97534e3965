//! Densities and gaps of the selection schemes; lemma 1 and theorem 1 of the winnowing paper.

use std::io;
use std::num::NonZeroUsize;
use std::path::Path;

use crate::schemes::{
    EveryNth, Grams, ModMinimizers, PlainWinnowing, RobustWinnowing, SafeZeroMod, Scheme, ZeroMod,
};
use secondhand::fingerprint::hash_numbers;

use crate::input::Input;
use crate::plot::Plot;
use crate::table::Row;
use support::Random;

pub fn positive(n: usize) -> NonZeroUsize {
    NonZeroUsize::new(n).unwrap_or(NonZeroUsize::MIN)
}

/// What a scheme makes of a text.
struct Measured {
    n_selected: usize,
    n_kgrams: usize,
    longest_gap: usize,
}

impl Measured {
    fn density(&self) -> f64 {
        self.n_selected as f64 / self.n_kgrams.max(1) as f64
    }
}

/// Selects from the k-grams of each text; a gap is a run of k-grams of one text without a
/// fingerprint.
fn measure<'t>(
    scheme: &dyn Scheme,
    texts: impl IntoIterator<Item = &'t Vec<u64>>,
    k: usize,
) -> Measured {
    let mut measured = Measured { n_selected: 0, n_kgrams: 0, longest_gap: 0 };
    let mut hashes = Vec::new();
    for text in texts {
        hash_numbers(text, positive(k), &mut hashes);
        let selected = scheme.select(Grams { tokens: text, hashes: &hashes });
        measured.n_selected += selected.len();
        measured.n_kgrams += hashes.len();
        let mut free_from = 0;
        for at in selected.iter().map(|at| *at as usize).chain([hashes.len()]) {
            measured.longest_gap = measured.longest_gap.max(at - free_from.min(at));
            free_from = at + 1;
        }
    }
    measured
}

pub fn random(n: usize, n_letters: usize) -> Vec<u64> {
    let mut random = Random::new(2003, 1);
    (0..n).map(|_| random.below(n_letters) as u64).collect()
}

/// Section 3.1: 8 MB of random text, k = 50, w = 100, p = 50.
pub fn random_text() -> Vec<Row> {
    let text = [random(8 << 20, 95)];
    let density = |scheme: &dyn Scheme| format!("{:.6}", measure(scheme, &text, 50).density());
    vec![
        Row::new(
            "3.1",
            "density of winnowing, random text, w = 100 (expected 2 / (w + 1) = 0.019802)",
            density(&PlainWinnowing(positive(100))),
            "0.019902",
        ),
        Row::new(
            "3.1",
            "density of 0 mod p, random text, p = 50 (expected 1 / p = 0.020000)",
            density(&ZeroMod(positive(50))),
            "0.020005",
        ),
    ]
}

/// Definition 3: runs of equal hashes, where winnowing selects nearly everything.
pub fn equal_runs() -> Vec<Row> {
    let text = [vec![7; 1_000_000]];
    let density = |scheme: &dyn Scheme| format!("{:.6}", measure(scheme, &text, 50).density());
    vec![
        Row::new(
            "Web data",
            "density of robust winnowing, equal letters, w = 100",
            density(&RobustWinnowing(positive(100))),
            "1 / w = 0.010000",
        ),
        Row::new(
            "definition 1",
            "density of winnowing, equal letters, w = 100",
            density(&PlainWinnowing(positive(100))),
            "1",
        ),
    ]
}

/// Density and longest gap of real text and code. The paper's text is 500,000 web pages.
pub fn real_text(input: &Input) -> Vec<Row> {
    let mut rows = Vec::new();
    let n_letters: usize = input.texts.iter().map(Vec::len).sum();
    let n_tokens: usize = input.codes.iter().map(Vec::len).sum();
    let n_megabytes = input.n_bytes as f64 / 1e6;
    let read = format!("{n_megabytes:.1} MB; {n_letters}, {n_tokens}");
    rows.push(Row::new("Web data", "read; letters, tokens", read, "500,000 pages"));
    let schemes: [(&dyn Scheme, &str); 4] = [
        (&PlainWinnowing(positive(100)), "gap at most w"),
        (&RobustWinnowing(positive(100)), "gap at most w"),
        (&SafeZeroMod(positive(100)), "gap at most w"),
        (&ZeroMod(positive(50)), "gap 29,900"),
    ];
    for (scheme, printed) in schemes {
        let what =
            format!("density, longest gap, {}; letters, k = 50; tokens, k = 16", scheme.name());
        let figures = [(&input.texts, 50), (&input.codes, 16)].map(|(texts, k)| {
            let measured = measure(scheme, texts.iter(), k);
            (format!("{:.6}, {}", measured.density(), measured.longest_gap), String::new())
        });
        rows.push(Row::several("Web data", &what, printed, figures));
    }
    rows
}

/// Definition 2 and lemma 1 by exhaustion: a window of a local scheme selects the same position
/// whatever is around, so matches of t tokens are found. Robust winnowing is not local, but a
/// window always selects the same hash.
pub fn lemma_1() -> Vec<Row> {
    const LETTERS: usize = 3;
    const WINDOW: usize = 4;
    // All documents of a window with two hashes before and behind it.
    let length = WINDOW + 4;
    let documents = LETTERS.pow(length as u32);
    let disagreeing = |scheme: &dyn Scheme| {
        let (mut n_positions, mut n_hashes) = (0, 0);
        for number in 0..documents {
            let document: Vec<u64> =
                (0..length).map(|at| (number / LETTERS.pow(at as u32) % LETTERS) as u64).collect();
            let selected = scheme.select(Grams { tokens: &document, hashes: &document });
            // What the window selects on its own, and whether it is still selected among others.
            let own = scheme.select(Grams { tokens: &document[2..6], hashes: &document[2..6] });
            let is_at = |at: &u32| selected.contains(&(at + 2));
            let hash = |at: &u32| document[*at as usize];
            let has_hash = |at: &u32| {
                selected
                    .iter()
                    .any(|other| (2..6).contains(other) && hash(other) == hash(&(at + 2)))
            };
            n_positions += usize::from(!own.iter().all(is_at));
            n_hashes += usize::from(!own.iter().all(has_hash));
        }
        (n_positions.to_string(), n_hashes.to_string())
    };
    let plain = disagreeing(&PlainWinnowing(positive(WINDOW)));
    let robust = disagreeing(&RobustWinnowing(positive(WINDOW)));
    let what = |what: &str| format!("windows of {what} among others, of {documents}");
    let (moved, lost) = ("that select another position", "that lose their smallest hash");
    vec![
        Row::new("definition 2", &what(&format!("winnowing (definition 1) {moved}")), plain.0, "0"),
        Row::new("lemma 1", &what(&format!("winnowing {lost}")), plain.1, "0"),
        Row::new(
            "definition 3",
            &what(&format!("robust winnowing, which is not local, {moved}")),
            robust.0,
            "",
        ),
        Row::new("definition 3", &what(&format!("robust winnowing {lost}")), robust.1, "0"),
    ]
}

/// Theorem 1: no local scheme has a density below 1.5 / (w + 1) on random hashes.
pub fn theorem_1(plots: &Path) -> io::Result<Vec<Row>> {
    let text = [random(1_000_000, 1 << 20)];
    let k = 64;
    let mut rows = Vec::new();
    let mut lines: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
    let mut add = |name: String, w: usize, density: f64| {
        let point = (w as f64, density * (w as f64 + 1.0));
        match lines.iter_mut().find(|(of, _)| *of == name) {
            Some((_, points)) => points.push(point),
            None => lines.push((name, vec![point])),
        }
    };
    for w in [5, 10, 16, 32, 50, 100] {
        let mods = ModMinimizers { window: positive(w), k: positive(k), least: positive(4) };
        let schemes: [(&dyn Scheme, &str, &str); 4] = [
            (&PlainWinnowing(positive(w)), "winnowing", "2; at least 1.5"),
            (&RobustWinnowing(positive(w)), "robust winnowing", "2; at least 1.5"),
            (&mods, "mod-minimizers", "at least 1.5 if local in k-grams; it is not"),
            (&EveryNth(positive(w)), "every w-th (one-sided)", "not local"),
        ];
        for (scheme, name, printed) in schemes {
            let density = measure(scheme, &text, k).density();
            add(name.to_owned(), w, density);
            if w == 16 {
                let what = format!("density · (w + 1) of {}, k = {k}", scheme.name());
                rows.push(Row::new(
                    "theorem 1",
                    &what,
                    format!("{:.3}", density * (w as f64 + 1.0)),
                    printed,
                ));
            }
        }
        add("bound of theorem 1".to_owned(), w, 1.5 / (w as f64 + 1.0));
    }
    let plot = Plot {
        title: "Density times w + 1, random tokens, k = 64".to_owned(),
        x: "w".to_owned(),
        y: "density · (w + 1)".to_owned(),
        is_log: (true, false),
        lines,
    };
    plot.write(&plots.join("density.svg"))?;
    Ok(rows)
}
