//! Writes JSON for hosts that look files up by the paths in it.

use std::io::{self, Write};

use serde::Serialize;

use crate::text::{FilePath, is_unseen};

/// Writes `value` so that it steers no terminal: what would is escaped, and a reader gets it as it
/// was.
pub(super) fn write_json(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    for c in serde_json::to_string_pretty(value)?.chars() {
        if is_unseen(c) || c >= '\u{7F}' && c.is_control() {
            c.encode_utf16(&mut [0; 2]).iter().try_for_each(|unit| write!(out, "\\u{unit:04x}"))?;
        } else {
            write!(out, "{c}")?;
        }
    }
    writeln!(out)
}

/// The path as it is, not as people read it, or the host does not find the file.
pub(super) fn exact(path: &FilePath) -> String {
    String::from_utf8_lossy(path.as_bytes()).into_owned()
}
