//! Estimates resemblance and containment from samples of the shingles.

use super::shingles::{Shingles, n_common, ratio};
use crate::fingerprint::kgram::mix;

/// Which shingles a sketch keeps (Broder 1997: MIN_s and MOD_m). The order is that of a random
/// permutation: of hashes, mixed with a seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShingleSampling {
    /// The `size` smallest: MIN_s. Of a fixed size, and estimates resemblance, but not containment.
    Min {
        /// s.
        size: usize,
    },
    /// Those that are 0 mod `modulus`: MOD_m. In proportion to the document, and estimates both.
    Mod {
        /// m, at least 1.
        modulus: u64,
    },
    /// The `size` smallest of those that are 0 mod `modulus`: MIN_s of MOD_m. Cheaper to select
    /// than MIN_s alone, and small documents have small sketches.
    MinOfMod {
        /// s.
        size: usize,
        /// m, at least 1.
        modulus: u64,
    },
    /// Those that are 0 mod `modulus`, which is doubled until at most `max_size` are left. Of two
    /// sketches with different moduli the larger counts for both: what is 0 mod 2m is 0 mod m. Of a
    /// bounded size, and estimates both.
    Doubling {
        /// The first m, at least 1.
        modulus: u64,
        /// Maximum size.
        max_size: usize,
    },
}

/// A sample of the shingles of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShingleSketch {
    /// s, if it is a sample of a fixed size.
    size: Option<usize>,
    /// m for this sketch.
    modulus: u64,
    kept: Vec<u64>,
}

/// An estimated ratio.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The estimate, 0 to 1: unbiased.
    pub value: f64,
    /// The number of sampled shingles that it rests on.
    pub n_sampled: usize,
}

impl Estimate {
    fn new(part: usize, n_sampled: usize) -> Self {
        Self { value: ratio(part, n_sampled), n_sampled }
    }

    /// The range that contains the true ratio with a probability of at least 95 %.
    ///
    /// Hoeffding's inequality, `value ± sqrt(ln(2 / 0.05) / 2n)`, holds for samples without
    /// replacement too (Hoeffding 1963, section 6): 400 samples give ± 6.8 points. Nothing is known
    /// without a sample.
    pub fn bounds(&self) -> (f64, f64) {
        if self.n_sampled == 0 {
            return (0.0, 1.0);
        }
        let margin = ((2.0f64 / 0.05).ln() / (2.0 * self.n_sampled as f64)).sqrt();
        ((self.value - margin).max(0.0), (self.value + margin).min(1.0))
    }
}

impl ShingleSketch {
    /// Sketches `shingles`. Sketches with the same sampling and `seed` are comparable.
    ///
    /// Time O(n log n), memory O(n).
    pub fn new(shingles: &Shingles, sampling: ShingleSampling, seed: u64) -> Self {
        // Mixed twice: the hashes were mixed once, and seeds differ in few bits.
        let permuted = shingles.hashes().iter().map(|hash| mix(mix(hash ^ mix(seed))));
        let (modulus, size) = match sampling {
            ShingleSampling::Min { size } => (1, Some(size)),
            ShingleSampling::MinOfMod { size, modulus } => (modulus, Some(size)),
            ShingleSampling::Mod { modulus } | ShingleSampling::Doubling { modulus, .. } => {
                (modulus, None)
            }
        };
        let mut modulus = modulus.max(1);
        let mut kept: Vec<u64> = permuted.filter(|hash| hash % modulus == 0).collect();
        kept.sort_unstable();
        kept.truncate(size.unwrap_or(usize::MAX));
        if let ShingleSampling::Doubling { max_size, .. } = sampling {
            while kept.len() > max_size.max(1) && modulus <= u64::MAX / 2 {
                modulus *= 2;
                kept.retain(|hash| hash % modulus == 0);
            }
        }
        Self { size, modulus, kept }
    }

    /// Its permuted hashes, ascending.
    pub fn kept(&self) -> &[u64] {
        &self.kept
    }

    /// Estimates the resemblance with the document of `other`.
    ///
    /// MIN_s looks at the s smallest of the union only: whether such a shingle is in both sketches
    /// says whether it is in both documents. Theorem 1 of the paper: the estimate is unbiased.
    pub fn resemblance(&self, other: &Self) -> Estimate {
        let Some(size) = self.size else {
            let [a, b] = self.common_moduli(other);
            let shared = n_common(&a, &b);
            return Estimate::new(shared, a.len() + b.len() - shared);
        };
        let (mut at, mut to, mut shared, mut n) = (0, 0, 0, 0);
        while n < size && (at < self.kept.len() || to < other.kept.len()) {
            let (a, b) = (self.kept.get(at), other.kept.get(to));
            shared += usize::from(a == b);
            at += usize::from(b.is_none_or(|b| a.is_some_and(|a| a <= b)));
            to += usize::from(a.is_none_or(|a| b.is_some_and(|b| b <= a)));
            n += 1;
        }
        Estimate::new(shared, n)
    }

    /// Estimates the fraction of this document that is in the one of `other`; `None` from the
    /// smallest of each: a sample of a fixed size does not say how large the document is.
    pub fn containment_in(&self, other: &Self) -> Option<Estimate> {
        if self.size.is_some() {
            return None;
        }
        let [a, b] = self.common_moduli(other);
        Some(Estimate::new(n_common(&a, &b), a.len()))
    }

    /// What both keep under the larger modulus.
    fn common_moduli(&self, other: &Self) -> [Vec<u64>; 2] {
        let modulus = self.modulus.max(other.modulus);
        [self, other].map(|of| of.kept.iter().copied().filter(|hash| hash % modulus == 0).collect())
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::super::Counting;
    use super::*;
    use crate::fingerprint::tests::positive;

    fn documents(n: u64, n_shared: u64) -> (Shingles, Shingles) {
        (shingles(0..n), shingles(n - n_shared..2 * n - n_shared))
    }

    fn shingles(numbers: Range<u64>) -> Shingles {
        Shingles::new([&numbers.collect::<Vec<_>>()[..]], positive(1), Counting::Set)
    }

    const ALL: [ShingleSampling; 4] = [
        ShingleSampling::Min { size: 100 },
        ShingleSampling::Mod { modulus: 25 },
        ShingleSampling::MinOfMod { size: 60, modulus: 8 },
        ShingleSampling::Doubling { modulus: 2, max_size: 150 },
    ];

    fn estimates(a: &Shingles, b: &Shingles, sampling: ShingleSampling, n: u64) -> Vec<Estimate> {
        let sketch = |of, seed| ShingleSketch::new(of, sampling, seed);
        (0..n).map(|seed| sketch(a, seed).resemblance(&sketch(b, seed))).collect()
    }

    #[test]
    fn estimates_are_unbiased() {
        for n_shared in [0, 300, 1_200, 2_000] {
            let (a, b) = documents(2_000, n_shared);
            let exact = a.resemblance(&b);
            for sampling in ALL {
                let estimates = estimates(&a, &b, sampling, 400);
                let mean = estimates.iter().map(|estimate| estimate.value).sum::<f64>() / 400.0;
                // The standard deviation of a mean of 400 estimates from 40 samples or more.
                let deviation = (exact * (1.0 - exact) / 40.0 / 400.0).sqrt();
                let is_near = (mean - exact).abs() <= 4.0 * deviation;
                assert!(is_near, "{sampling:?}: {mean} against {exact}");
            }
        }
    }

    #[test]
    fn the_bounds_contain_the_truth_at_least_95_times_in_100() {
        let (a, b) = documents(2_000, 900);
        let exact = a.resemblance(&b);
        for sampling in ALL {
            let estimates = estimates(&a, &b, sampling, 400);
            let bounds: Vec<(f64, f64)> = estimates.iter().map(Estimate::bounds).collect();
            let n = bounds.iter().filter(|(low, high)| (low..=high).contains(&&exact)).count();
            assert!(n >= 380, "{sampling:?}: {n} of 400");
            // A bound that says nothing would hold as well.
            assert!(bounds.iter().all(|(low, high)| high - low < 0.5), "{sampling:?}");
        }
    }

    #[test]
    fn containment_is_unbiased_where_it_can_be_estimated() {
        let (part, whole) = (shingles(0..1_000), shingles(400..8_000));
        for sampling in [ALL[1], ALL[3]] {
            let sketch = |of, seed| ShingleSketch::new(of, sampling, seed);
            let estimate = |seed| {
                sketch(&part, seed).containment_in(&sketch(&whole, seed)).expect("these do").value
            };
            let mean = (0..400).map(estimate).sum::<f64>() / 400.0;
            assert!((mean - 0.6).abs() < 0.03, "{sampling:?}: {mean}");
        }
        let sketch = ShingleSketch::new(&part, ALL[0], 1);
        assert_eq!(sketch.containment_in(&sketch), None);
    }

    #[test]
    fn a_sketch_of_everything_is_exact_and_a_bounded_one_is_bounded() {
        let (a, b) = documents(500, 200);
        let whole = [ShingleSampling::Min { size: 5_000 }, ShingleSampling::Mod { modulus: 1 }];
        for sampling in whole {
            let sketch = |of| ShingleSketch::new(of, sampling, 7);
            assert_eq!(sketch(&a).resemblance(&sketch(&b)).value, a.resemblance(&b));
        }
        let empty = Shingles::default();
        for sampling in ALL {
            let [of_a, of_none] = [&a, &empty].map(|of| ShingleSketch::new(of, sampling, 7));
            assert_eq!(of_a.resemblance(&of_none).value, 0.0);
            assert_eq!(of_none.resemblance(&of_none).bounds(), (0.0, 1.0));
            assert!(of_a.kept().len() <= 150);
        }
    }
}
