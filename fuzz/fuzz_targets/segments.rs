//! Feeds any bytes to the readers of segments: none panics or reads beyond its file.
//!
//! `.ci/fuzz 60 segments`. `tests/it/segments` runs the same body over
//! mutated samples, without a fuzzer.

#![no_main]

#[path = "../../tests/it/segments/reading.rs"]
#[allow(dead_code, reason = "the test uses the samples")]
mod reading;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| reading::read_any(bytes));
