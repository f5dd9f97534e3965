//! Unpacks what the program carries: language tables, lists of words, license texts.
//!
//! Packed, they are a fifth of their size, and most runs need few of them.

use flate2::read::ZlibDecoder;

/// Unpacks a text that `build.rs` packed: a megabyte takes about three milliseconds.
///
/// # Panics
/// If it is damaged: it is part of the program.
pub fn unpack(packed: &[u8]) -> String {
    std::io::read_to_string(ZlibDecoder::new(packed)).expect("a part of the program is whole")
}
