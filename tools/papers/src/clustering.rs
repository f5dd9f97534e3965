//! Clusters made text as Broder, Glassman, Manasse and Zweig (1997) clustered 30 million pages of
//! the Web.

use std::collections::BTreeSet;
use std::time::Instant;

use secondhand::fingerprint::resemblance::{
    Counting, ShingleCluster, ShingleSampling, ShingleSketch, Shingles, greedy_clusters, super_size,
};

use crate::input::{Prose, Word};
use crate::selection::positive;
use crate::table::Row;
use support::Random;

/// Words of a document, and different ones in all.
const WORDS: usize = 200;
const VOCABULARY: usize = 100_000;
/// Documents made from one: 1 to this many.
const MAX_COPIES: usize = 19;
/// Of a copy, one word in this many is another.
const CHANGED: usize = 200;

/// Clusters `n` documents: originals, each with copies in which a word in 200 is another.
pub fn made_text(n: usize) -> Vec<Row> {
    let began = Instant::now();
    let (mut sketches, mut originals) = (Vec::with_capacity(n), Vec::with_capacity(n));
    let mut original = 0;
    let mut random = Random::new(1997, 2);
    while sketches.len() < n {
        let words: Vec<u64> = (0..WORDS).map(|_| word(&mut random)).collect();
        for copy in 0..=random.below(MAX_COPIES) {
            if sketches.len() == n {
                break;
            }
            let mut of_copy = words.clone();
            for word in &mut of_copy {
                if copy > 0 && random.below(CHANGED) == 0 {
                    *word = random.number();
                }
            }
            // The shingles of the paper are of ten words, and one in 25 is kept of pages of any
            // length.
            let shingles = Shingles::new([&of_copy[..]], positive(10), Counting::Set);
            let sampling = ShingleSampling::MinOfMod { size: 48, modulus: 4 };
            sketches.push(ShingleSketch::new(&shingles, sampling, 1997));
            originals.push(original);
        }
        original += 1;
    }
    let sketched = began.elapsed();
    let clusters = greedy_clusters(&sketches, 0.5, 1_000, None);
    let n_pure = clusters.iter().filter(|cluster| {
        cluster.members.iter().all(|&member| originals[member] == originals[cluster.representative])
    });
    let (n_pure, n_clusters) = (n_pure.count(), clusters.len());
    let seconds = |time: std::time::Duration| format!("{:.0} s", time.as_secs_f64());
    let mut rows = vec![
        Row::new(
            "1997, 4",
            &format!("clusters of {n} documents made from {original}"),
            n_clusters.to_string(),
            "3.6 million of 30 million pages",
        ),
        Row::new(
            "1997, 4",
            "clusters with copies of one document only",
            format!("{n_pure} of {n_clusters}"),
            "",
        ),
        Row::new(
            "1997, 4",
            "time to sketch, and in all, one core",
            format!("{}, {}", seconds(sketched), seconds(began.elapsed())),
            "10.5 CPU days for 30 million",
        ),
    ];
    if let Some(memory) = peak_memory() {
        rows.push(Row::new("1997, 4", "peak memory of this program", memory, ""));
    }
    rows
}

/// Clusters the documents that were read, each with a copy: exactly, by sketches, and by
/// super-shingles of these.
pub fn real_text(proses: &[Prose]) -> Row {
    let copies = proses.iter().enumerate().map(|(at, prose)| edited(prose, 20 + at * 37 % 400));
    let proses: Vec<Prose> = proses.iter().cloned().chain(copies).collect();
    let sketched = |sampling: ShingleSampling| -> Vec<ShingleSketch> {
        proses.iter().map(|prose| ShingleSketch::new(&shingles(prose), sampling, 1997)).collect()
    };
    let (all, sketches) = (
        sketched(ShingleSampling::Mod { modulus: 1 }),
        sketched(ShingleSampling::Min { size: 100 }),
    );
    let figures = |percent: u32| {
        let threshold = f64::from(percent) / 100.0;
        let clusters = |of: &[ShingleSketch], size: Option<usize>| {
            pairs(&greedy_clusters(of, threshold, 1_000, size))
        };
        let exact = clusters(&all, None);
        let ways = [
            clusters(&sketches, None),
            clusters(&sketches, Some(super_size(threshold))),
            clusters(&sketches, Some(25)),
        ];
        let ways = ways.map(|found| {
            let n_right = found.intersection(&exact).count();
            format!("{n_right} + {}", found.len() - n_right)
        });
        (format!("{}: {}", exact.len(), ways.join(", ")), String::new())
    };
    let what = format!(
        "pairs in a cluster at 50, 80, 95 %, of {} documents: exact: right + wrong by sketches, super-shingles, those of 25",
        proses.len()
    );
    Row::several("Web, super shingles", &what, "", [50, 80, 95].map(figures))
}

/// A copy in which one word in `one_in` is another.
fn edited(prose: &Prose, one_in: usize) -> Prose {
    let mut copy = prose.clone();
    for word in copy.words.iter_mut().step_by(one_in) {
        word.letters.extend(b"x");
    }
    copy
}

fn shingles(prose: &Prose) -> Shingles {
    let number = |word: &Word| {
        word.letters.iter().fold(0u64, |n, letter| n.wrapping_mul(257) + u64::from(*letter))
    };
    let words: Vec<u64> = prose.words.iter().map(number).collect();
    Shingles::new([&words[..]], positive(10), Counting::Set)
}

/// The pairs of documents that share a cluster.
fn pairs(clusters: &[ShingleCluster]) -> BTreeSet<(usize, usize)> {
    let mut pairs = BTreeSet::new();
    for ShingleCluster { members, .. } in clusters {
        for (at, &a) in members.iter().enumerate() {
            pairs.extend(members[at + 1..].iter().map(|&b| (a, b)));
        }
    }
    pairs
}

/// A word, the common ones far more often: Zipf's law with exponent 1.
fn word(random: &mut Random) -> u64 {
    (VOCABULARY as f64).powf(random.part()) as u64
}

/// The peak memory of this process, where the system tells.
fn peak_memory() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = peak.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(format!("{} MB", kilobytes / 1024))
}
