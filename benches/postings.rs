//! Measures the postings of a segment: bytes a posting, and lookups in many of them.
//!
//! `cargo bench --bench postings -- [MILLIONS]` writes so many postings (50, unless told) to a
//! temporary segment, opens it as a cache or a corpus is opened, and looks 500 fingerprints up at a
//! time, half of which are there: first as the file was opened, then warm.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

use secondhand::store::{
    HashKind, Postings, PostingsWriter, Segment, SegmentKind, SegmentParams, SegmentWriter, key,
};

/// The section of the postings.
const SECTION: u32 = 1;
/// Lookups at a time: about the fingerprints of 500 added lines.
const LOOKUPS: u64 = 500;
/// Rounds of which the median is told.
const ROUNDS: u64 = 200;

/// The next number of a sequence that does not repeat (splitmix64).
fn mixed(n: u64) -> u64 {
    let n = n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let n = (n ^ n >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    n ^ n >> 31
}

fn look_up(
    postings: &Postings<'_>,
    round: u64,
    n_rows: u64,
) -> Result<(Duration, usize), Box<dyn Error>> {
    let begun = Instant::now();
    let mut n_found = 0;
    for at in 0..LOOKUPS {
        // Every second one was put.
        let drawn = mixed(round * LOOKUPS + at + (1 << 40)) % n_rows;
        let hash = mixed(if at % 2 == 0 { drawn } else { drawn + (1 << 50) });
        n_found += black_box(postings.get(key(hash))?).len();
    }
    Ok((begun.elapsed(), n_found))
}

fn main() -> Result<(), Box<dyn Error>> {
    let millions =
        std::env::args().skip(1).find_map(|argument| argument.parse::<u64>().ok()).unwrap_or(50);
    let n_rows = millions * 1_000_000;
    let folder = tempfile::tempdir()?;
    let params = SegmentParams {
        k: 16,
        window: 16,
        scheme: 1,
        normal_form: 1,
        languages: 0,
        hash: HashKind::Sha1,
    };
    let mut keys: Vec<u64> = (0..n_rows).map(|n| key(mixed(n))).collect();
    keys.sort_unstable();
    let mut rows = PostingsWriter::new(keys.len(), 3);
    for (number, key) in keys.iter().enumerate() {
        rows.push(*key, &(number as u32).to_le_bytes()[..3]);
    }
    let mut out = SegmentWriter::create(folder.path(), SegmentKind::Corpus, params)?;
    rows.write(&mut out, SECTION)?;
    let path = out.finish("bench")?;
    println!(
        "{millions} million postings: {:.2} bytes each",
        std::fs::metadata(&path)?.len() as f64 / n_rows as f64
    );

    let segment = Segment::open(&path)?;
    let postings = Postings::new(&segment, SECTION)?;
    let (first, n_found) = look_up(&postings, ROUNDS, n_rows)?;
    println!("{LOOKUPS} lookups at first: {:.2} ms, {n_found} found", first.as_secs_f64() * 1e3);
    let mut times = Vec::new();
    for round in 0..ROUNDS {
        times.push(look_up(&postings, round, n_rows)?.0);
    }
    times.sort_unstable();
    let (median, most) = (times[times.len() / 2], times[times.len() - 1]);
    println!(
        "{LOOKUPS} lookups, warm: median {:.3} ms, most {:.3} ms",
        median.as_secs_f64() * 1e3,
        most.as_secs_f64() * 1e3
    );
    Ok(())
}
