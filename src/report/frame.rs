//! Cuts the lines of a fragment out of its text, for a code frame.

use std::ops::Range;

use crate::policy::Fragment;
use crate::text::{Lines, Position, printable};

/// Lines of a text, made fit to print, and where a fragment lies in them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Frame {
    pub text: String,
    /// The number of the first line.
    pub first_line: u32,
    /// The fragment, as bytes of `text`.
    pub span: Range<usize>,
}

impl Frame {
    pub fn new(text: &[u8], fragment: &Fragment) -> Self {
        let lines = Lines::new(text);
        let mut shown = String::new();
        let mut span = 0..0;
        for line in fragment.start.line..=fragment.end.line {
            let bytes = lines.text(text, line).strip_prefix(b"\xEF\xBB\xBF").unwrap_or(lines.text(text, line));
            if line == fragment.start.line {
                span.start = shown.len() + printable(&bytes[..byte_of(bytes, fragment.start)]).len();
            }
            if line == fragment.end.line {
                span.end = shown.len() + printable(&bytes[..byte_of(bytes, fragment.end)]).len();
            }
            shown.push_str(&printable(bytes));
            shown.push('\n');
        }
        Self { text: shown, first_line: fragment.start.line, span }
    }
}

/// The offset in `line` of a position's column.
fn byte_of(line: &[u8], position: Position) -> usize {
    let lines = Lines::new(line);
    let at_or_after = |offset: &usize| lines.position(line, *offset as u32).column >= position.column;
    (0..=line.len()).find(at_or_after).unwrap_or(line.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_marks_the_fragment_in_printable_text() {
        let text = "a\r\n\u{1F600} \u{1b}[31mb();\r\nc\n".as_bytes();
        let at = |line, column| Position { line, column };
        let frame = Frame::new(text, &Fragment { start: at(2, 9), end: at(2, 12) });
        assert_eq!(frame.text, "\u{1F600} \\u{1b}[31mb();\n");
        assert_eq!(&frame.text[frame.span.clone()], "b()");
    }
}
