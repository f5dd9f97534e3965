//! Writes JSON for hosts that look files up by the paths in it.

use std::io::{self, Write};

use serde::Serialize;

use crate::text::{FilePath, is_direction_mark};

/// Writes `value` so that it steers no terminal: what would is escaped, and a reader gets it as it was.
pub(super) fn write_json(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    for c in serde_json::to_string_pretty(value)?.chars() {
        match c {
            c if is_direction_mark(c) => write!(out, "\\u{:04x}", u32::from(c))?,
            c => write!(out, "{c}")?,
        }
    }
    writeln!(out)
}

/// The path as it is, not as people read it, or the host does not find the file.
pub(super) fn exact(path: &FilePath) -> String {
    String::from_utf8_lossy(path.as_bytes()).into_owned()
}
