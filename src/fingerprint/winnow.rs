//! Selects fingerprints from k-gram hashes by robust winnowing.

use std::hint::select_unpredictable;
use std::num::NonZeroUsize;

use super::Fingerprint;

/// The number of robust winnowing in the header of every index; see `docs/formats.md`.
pub const ROBUST_WINNOWING: u32 = 1;

/// Selects the smallest hash of every window of `window` hashes: of several
/// smallest, the one that the previous window selected, or else the rightmost.
/// Each position is selected once.
///
/// Robust winnowing, definition 3 of Schleimer, Wilkerson and Aiken (2003).
/// Guarantee: every window has a selected position, and its hash is the smallest
/// of the window, so two texts that share `window` consecutive hashes select a
/// common hash. Lemma 1 of the paper is of local algorithms, and this one is not:
/// which of several equal hashes is selected depends on the window before. The
/// expected density on hashes without ties is 2 / (window + 1) (section 3.1).
///
/// Fewer hashes than a window select nothing.
///
/// Time O(n) expected: a window is rescanned only after its smallest hash has
/// left, every (window + 1) / 2 hashes. Memory O(1).
///
/// The example of the paper's figure 2:
///
/// ```
/// use secondhand::fingerprint::winnow;
/// let hashes = [77, 74, 42, 17, 98, 50, 17, 98, 8, 88, 67, 39, 77, 74, 42, 17, 98];
/// let window = std::num::NonZeroUsize::new(4).unwrap();
/// let selected: Vec<_> = winnow(&hashes, window).map(|f| (f.hash, f.position)).collect();
/// assert_eq!(selected, [(17, 3), (17, 6), (8, 8), (39, 11), (17, 15)]);
/// ```
pub fn winnow(hashes: &[u64], window: NonZeroUsize) -> Winnow<'_> {
    Winnow { hashes, window: window.get(), end: 0, selected: Fingerprint { hash: 0, position: 0 } }
}

/// The iterator of [`winnow`].
#[derive(Debug, Clone)]
pub struct Winnow<'h> {
    hashes: &'h [u64],
    window: usize,
    /// The end of the last window; 0 before the first.
    end: usize,
    /// What that window selected.
    selected: Fingerprint,
}

impl Iterator for Winnow<'_> {
    type Item = Fingerprint;

    #[inline]
    fn next(&mut self) -> Option<Fingerprint> {
        if self.end == 0 {
            self.end = self.window;
            return (self.window <= self.hashes.len()).then(|| self.select_rightmost());
        }
        while let Some(&entering) = self.hashes.get(self.end) {
            self.end += 1;
            if self.selected.position as usize + self.window < self.end {
                return Some(self.select_rightmost());
            }
            // On a tie, keep the current selection: this is what makes it robust.
            if entering < self.selected.hash {
                self.selected = Fingerprint { hash: entering, position: (self.end - 1) as u32 };
                return Some(self.selected);
            }
        }
        None
    }
}

impl Winnow<'_> {
    #[inline]
    fn select_rightmost(&mut self) -> Fingerprint {
        let start = self.end - self.window;
        let mut selected = Fingerprint { hash: u64::MAX, position: 0 };
        for (&hash, position) in self.hashes[start..self.end].iter().zip(start as u32..) {
            // Take both or neither, without a branch: which hash is smallest is unpredictable.
            let is_smallest = hash <= selected.hash;
            selected.hash = select_unpredictable(is_smallest, hash, selected.hash);
            selected.position = select_unpredictable(is_smallest, position, selected.position);
        }
        self.selected = selected;
        selected
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fingerprint::tests::positive;

    fn selected(hashes: &[u64], window: usize) -> Vec<usize> {
        winnow(hashes, positive(window)).map(|fingerprint| fingerprint.position as usize).collect()
    }

    /// Definition 3, literally.
    fn by_definition(hashes: &[u64], window: usize) -> Vec<usize> {
        let mut selected: Vec<usize> = Vec::new();
        for start in 0..(hashes.len() + 1).saturating_sub(window) {
            let range = start..start + window;
            let smallest = hashes[range.clone()].iter().min().expect("a window is not empty");
            let keeps = |last: &usize| range.contains(last) && hashes[*last] == *smallest;
            if !selected.last().is_some_and(keeps) {
                let rightmost = range.rev().find(|&at| hashes[at] == *smallest);
                selected.push(rightmost.expect("one is smallest"));
            }
        }
        selected
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn it_selects_what_the_definition_selects(hashes in prop::collection::vec(0u64..12, 0..80), window in 1usize..12) {
            prop_assert_eq!(selected(&hashes, window), by_definition(&hashes, window));
        }

        #[test]
        fn every_window_holds_a_selected_position(hashes in prop::collection::vec(any::<u64>(), 0..80), window in 1usize..12) {
            let selected = selected(&hashes, window);
            for start in 0..(hashes.len() + 1).saturating_sub(window) {
                prop_assert!(selected.iter().any(|&at| at >= start && at < start + window));
            }
        }
    }

    #[test]
    fn a_tie_keeps_what_the_window_before_selected() {
        assert_eq!(selected(&[5, 5, 5, 5, 5, 5, 5], 3), [2, 5]);
    }

    #[test]
    fn density_on_random_hashes_is_two_over_window_plus_one() {
        let mut state = 1u64;
        let hashes: Vec<u64> = std::iter::repeat_with(|| {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
            (state ^ state >> 33).wrapping_mul(0xFF51_AFD7_ED55_8CCD)
        })
        .take(1_000_000)
        .collect();
        for window in [4, 16, 50] {
            let density = selected(&hashes, window).len() as f64 / hashes.len() as f64;
            let ratio = density * (window as f64 + 1.0) / 2.0;
            assert!((ratio - 1.0).abs() < 0.01, "w={window}: {density}");
        }
    }
}
