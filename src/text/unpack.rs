//! Unpacks what the program carries: language tables, lists of words, license texts.
//!
//! Packed, they are a fifth of their size, and most runs need few of them.

use std::io::Read;

use flate2::read::ZlibDecoder;
use lzma_rust2::XzReader;

/// Unpacks a text that `build.rs` packed: a megabyte takes about three milliseconds.
///
/// # Panics
/// If it is damaged: it is part of the program.
pub fn unpack(packed: &[u8]) -> String {
    read(ZlibDecoder::new(packed))
}

/// Unpacks a text that is stored as xz, which is smaller and slower: a megabyte takes about ten milliseconds.
///
/// # Panics
/// As [`unpack`].
pub fn unpack_xz(packed: &[u8]) -> String {
    read(XzReader::new(packed, false))
}

fn read(mut reader: impl Read) -> String {
    let mut text = String::new();
    reader.read_to_string(&mut text).expect("a part of the program is whole");
    text
}
