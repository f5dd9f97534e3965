//! Shows that no bytes, however they were forged, make the readers of segments panic or read beyond
//! them.
//!
//! The body is that of the fuzz target `segments`; here it runs over mutated samples.

mod reading;

use proptest::prelude::*;
use reading::{read_any, samples};

#[test]
fn the_samples_are_read() {
    for sample in samples() {
        read_any(&sample);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn mutated_segments_do_no_harm(
        sample in 0usize..2,
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0u8..3), 1..8),
    ) {
        let mut bytes = samples()[sample].clone();
        for (at, byte, how) in edits {
            let at = at.index(bytes.len());
            match how {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ if bytes.len() > 1 => drop(bytes.remove(at)),
                _ => {}
            }
        }
        read_any(&bytes);
    }

    #[test]
    fn any_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        read_any(&bytes);
    }
}
