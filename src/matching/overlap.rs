//! Compares ranges of tokens, and decides when two are one place.

use std::ops::Range;

/// Minimum overlap of two ranges, as a fraction of the longer one, to be one place: of one class,
/// or of one finding.
pub const SAME_PLACE: f64 = 0.7;

/// The number of tokens in both.
pub fn n_shared(a: &Range<usize>, b: &Range<usize>) -> usize {
    a.end.min(b.end).saturating_sub(a.start.max(b.start))
}

pub(super) fn shared(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    let start = a.start.max(b.start);
    start..a.end.min(b.end).max(start)
}

pub(super) fn joined(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    a.start.min(b.start)..a.end.max(b.end)
}

pub(super) fn holds(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start <= b.start && b.end <= a.end
}

/// Whether any token is in both.
pub fn overlaps(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// Whether two ranges are one place.
pub fn is_same_place(a: &Range<usize>, b: &Range<usize>) -> bool {
    n_shared(a, b) as f64 >= SAME_PLACE * a.len().max(b.len()) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_one_place_if_they_share_seven_tenths_of_the_longer_one() {
        let is_one = |a: Range<usize>, b: Range<usize>| {
            assert_eq!(is_same_place(&a, &b), is_same_place(&b, &a));
            is_same_place(&a, &b)
        };
        assert!(is_one(0..100, 30..100) && !is_one(0..100, 31..100));
        assert!(is_one(0..100, 0..142) && !is_one(0..100, 0..143));
        assert!(!is_one(0..10, 10..20));
    }
}
