//! Measures how much two documents have in common: exactly, and by sketches of a fixed size.
//!
//! *On the resemblance and containment of documents* (Broder 1997) and *Syntactic clustering of the
//! Web* (Broder, Glassman, Manasse, Zweig 1997). A document is a set of shingles, its contiguous
//! subsequences of `size` tokens. Resemblance is the part that two sets share of both together,
//! containment the part of one that is in the other. A sketch is a sample of the set by the values
//! of hashes alone, so equal shingles are sampled together everywhere, and sketches are made
//! without knowing what they will be compared with.
//!
//! ```
//! use std::num::NonZeroUsize;
//! use secondhand::fingerprint::resemblance::{Counting, Shingles};
//!
//! let size = NonZeroUsize::new(2).unwrap();
//! let [a, b] = ["a rose is a rose is a rose", "a rose is a flower which is a rose"].map(|text| {
//!     let words = text.split(' ').map(|word| word.bytes().fold(0, |n, b| n * 31 + u64::from(b)));
//!     Shingles::new([&words.collect::<Vec<u64>>()[..]], size, Counting::Set)
//! });
//! assert_eq!(a.resemblance(&b), 0.5);
//! assert_eq!(a.containment_in(&b), 1.0);
//! ```

mod clusters;
mod shingles;
mod sketch;

pub use clusters::{ShingleCluster, greedy_clusters, super_size};
pub use shingles::{Counting, Shingles};
pub use sketch::{Estimate, ShingleSampling, ShingleSketch};
