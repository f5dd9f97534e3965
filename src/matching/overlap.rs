//! Decides when two ranges of tokens are one place.

use std::ops::Range;

/// Minimum overlap of two ranges, as a fraction of the longer one, to be one place: of one class,
/// or of one finding.
pub const SAME_PLACE: f64 = 0.7;

/// The number of tokens in both.
pub fn n_shared(a: &Range<usize>, b: &Range<usize>) -> usize {
    a.end.min(b.end).saturating_sub(a.start.max(b.start))
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
        let check = |a: Range<usize>, b: Range<usize>, expected| {
            assert_eq!(
                (is_same_place(&a, &b), is_same_place(&b, &a)),
                (expected, expected),
                "{a:?} {b:?}"
            );
        };
        check(0..100, 30..100, true);
        check(0..100, 31..100, false);
        check(0..100, 0..143, false);
        check(0..100, 0..142, true);
        check(0..10, 10..20, false);
    }
}
