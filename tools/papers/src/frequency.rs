//! How often fingerprints occur, and from which k on a match is no coincidence: the winnowing
//! paper's experiments on Web data.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use crate::schemes::{Grams, RobustWinnowing, Scheme};
use secondhand::fingerprint::hash_numbers;

use crate::input::Input;
use crate::plot::Plot;
use crate::selection::positive;
use crate::table::Row;

/// The occurrences of each fingerprint, and the number of texts that have it.
fn counts(texts: &[Vec<u64>], k: usize, w: usize) -> HashMap<u64, (u32, u32)> {
    let scheme = RobustWinnowing(positive(w));
    let mut counts: HashMap<u64, (u32, u32)> = HashMap::new();
    let mut hashes = Vec::new();
    for text in texts {
        hash_numbers(text, positive(k), &mut hashes);
        let mut selected: Vec<u64> = scheme
            .select(Grams { tokens: text, hashes: &hashes })
            .iter()
            .map(|at| hashes[*at as usize])
            .collect();
        selected.sort_unstable();
        for of_one in selected.chunk_by(|a, b| a == b) {
            let count = counts.entry(of_one[0]).or_default();
            count.0 += of_one.len() as u32;
            count.1 += 1;
        }
    }
    counts
}

/// The shares of fingerprints that occur once, twice, three times; and the slope of frequency by
/// rank.
pub fn occurrences(input: &Input, plots: &Path) -> io::Result<Vec<Row>> {
    let mut rows = Vec::new();
    let mut lines = Vec::new();
    for (kind, texts, k, w, printed) in
        [("letters", &input.texts, 50, 100, "82, 14, 2 %"), ("tokens", &input.codes, 16, 16, "")]
    {
        let counts = counts(texts, k, w);
        let mut by_rank: Vec<u32> = counts.values().map(|count| count.0).collect();
        by_rank.sort_unstable_by(|a, b| b.cmp(a));
        let share = |n: u32| {
            by_rank.iter().filter(|count| **count == n).count() as f64 / by_rank.len().max(1) as f64
        };
        let shares = [1, 2, 3].map(|n| format!("{:.1}", share(n) * 100.0)).join(", ");
        let what =
            format!("fingerprints that occur once, twice, three times ({kind}, k = {k}, w = {w})");
        rows.push(Row::new("Web data", &what, format!("{shares} %"), printed));
        let points = spread(&by_rank);
        let what = format!("slope of frequency by rank, both logarithmic ({kind})");
        rows.push(Row::new("Web data", &what, format!("{:.2}", slope(&points)), "a power law"));
        lines.push((kind.to_owned(), points));
    }
    let plot = Plot {
        title: "Occurrences of a fingerprint by rank".to_owned(),
        x: "rank".to_owned(),
        y: "occurrences".to_owned(),
        is_log: (true, true),
        lines,
    };
    plot.write(&plots.join("rank-frequency.svg"))?;
    Ok(rows)
}

/// Ranks that are evenly spread on a logarithmic axis, with their frequencies.
fn spread(by_rank: &[u32]) -> Vec<(f64, f64)> {
    let mut points = Vec::new();
    let mut rank = 1.0f64;
    while (rank as usize) <= by_rank.len() {
        points.push((rank.floor(), f64::from(by_rank[rank as usize - 1])));
        rank = (rank * 1.3).max(rank + 1.0);
    }
    points
}

/// The slope of the line through the points on logarithmic axes, by least squares, where there is
/// more than one occurrence.
fn slope(points: &[(f64, f64)]) -> f64 {
    let points: Vec<(f64, f64)> = points
        .iter()
        .filter(|point| point.1 > 1.0)
        .map(|point| (point.0.ln(), point.1.ln()))
        .collect();
    let n = points.len() as f64;
    let sum = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>();
    let (x, y, xx, xy) = (sum(|p| p.0), sum(|p| p.1), sum(|p| p.0 * p.0), sum(|p| p.0 * p.1));
    if points.len() < 2 { 0.0 } else { (n * xy - x * y) / (n * xx - x * x) }
}

/// Which fraction of fingerprints two projects have by chance, for each k: what a match of one
/// fingerprint is worth.
pub fn coincidences(input: &Input) -> Vec<Row> {
    let kinds = [
        ("letters", &input.texts, &input.projects[0]),
        ("tokens", &input.codes, &input.projects[1]),
    ];
    let row = |(kind, texts, projects): (&str, &Vec<Vec<u64>>, &Vec<usize>)| {
        let share = |k: usize| format!("{k}: {:.1}", 100.0 * shared(texts, projects, k));
        let shares = [4, 8, 12, 16, 20, 24, 32, 50].map(share).join(", ");
        let what = format!("fingerprints that two projects have, by k ({kind}, w = 10)");
        Row::new("5, k", &what, format!("{shares} %"), "a sharp threshold in k")
    };
    kinds.map(row).into()
}

fn shared(texts: &[Vec<u64>], projects: &[usize], k: usize) -> f64 {
    let scheme = RobustWinnowing(positive(10));
    let mut first: HashMap<u64, (usize, bool)> = HashMap::new();
    let mut hashes = Vec::new();
    for (text, &project) in texts.iter().zip(projects) {
        hash_numbers(text, positive(k), &mut hashes);
        for at in scheme.select(Grams { tokens: text, hashes: &hashes }) {
            let (of, is_shared) = first.entry(hashes[at as usize]).or_insert((project, false));
            *is_shared |= *of != project;
        }
    }
    first.values().filter(|(_, is_shared)| *is_shared).count() as f64 / first.len().max(1) as f64
}

/// Which fraction of fingerprints several files have, for each k: coincidences end at a threshold,
/// copies go on.
pub fn thresholds(input: &Input, plots: &Path) -> io::Result<Vec<Row>> {
    let mut lines = Vec::new();
    let mut rows = Vec::new();
    for (kind, texts) in [("letters", &input.texts), ("tokens", &input.codes)] {
        let shared = |k: usize| {
            let counts = counts(texts, k, 10);
            counts.values().filter(|count| count.1 > 1).count() as f64 / counts.len().max(1) as f64
        };
        let points: Vec<(f64, f64)> = [2, 4, 6, 8, 10, 12, 16, 20, 24, 32, 40, 50, 64, 80]
            .map(|k| (k as f64, shared(k)))
            .into();
        let steepest = points.windows(2).max_by(|a, b| {
            let fall = |step: &[(f64, f64)]| (step[0].1 - step[1].1) / (step[1].0 / step[0].0).ln();
            fall(a).total_cmp(&fall(b))
        });
        if let Some([from, to]) = steepest {
            let figures = format!(
                "k = {} to {}: {:.1} % to {:.1} %",
                from.0,
                to.0,
                from.1 * 100.0,
                to.1 * 100.0
            );
            let what =
                format!("steepest fall of fingerprints that two files or more have ({kind})");
            rows.push(Row::new("Web data", &what, figures, "a sharp threshold in k"));
        }
        lines.push((kind.to_owned(), points));
    }
    let plot = Plot {
        title: "Fingerprints that two files or more have".to_owned(),
        x: "k".to_owned(),
        y: "part".to_owned(),
        is_log: (true, false),
        lines,
    };
    plot.write(&plots.join("threshold.svg"))?;
    Ok(rows)
}
