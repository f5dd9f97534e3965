//! Reads the spaces of Unicode as spaces, and its line ends as such where they end a line.

use std::borrow::Cow;

use super::CompiledTable;

/// The text with as many blanks in place of each such character, and a carriage return first in one
/// that ends comments with its line: that ends them, too, and no literal. Time O(n).
pub(super) fn plain_spaces<'t>(table: &CompiledTable, text: &'t [u8]) -> Cow<'t, [u8]> {
    let mut plain = Cow::Borrowed(text);
    let firsts = memchr::memchr3_iter(0xC2, 0xE2, 0xE3, text);
    for at in firsts.chain(memchr::memchr_iter(0xEF, text)) {
        let n_bytes = match text[at..] {
            [0xC2, 0x85 | 0xA0, ..] => 2,
            [0xE2, 0x80, 0x80..=0x8A | 0xA8 | 0xA9 | 0xAF, ..] | [0xE2, 0x81, 0x9F, ..] => 3,
            [0xE3, 0x80, 0x80, ..] | [0xEF, 0xBB, 0xBF, ..] => 3,
            _ => continue,
        };
        // A mark at the start is skipped, and a literal of one character holds one.
        if at > 0 && text[at - 1] != b'\'' {
            let ends_line = table.line_ends.iter().any(|end| text[at..].starts_with(end));
            plain.to_mut()[at..at + n_bytes].fill(b' ');
            plain.to_mut()[at] = if ends_line { b'\r' } else { b' ' };
        }
    }
    plain
}
