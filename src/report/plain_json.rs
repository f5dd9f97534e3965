//! Writes JSON; for hosts that look files up by the paths in it, these are exact.

use std::io::{self, Write};

use serde::Serialize;

use crate::text::{FilePath, is_unseen};

/// Writes `value` so that it steers no terminal: what would is escaped, and a reader gets it as it
/// was.
pub(super) fn write_json(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", json(value)?)
}

/// `value` as such a text.
pub(super) fn json(value: &impl Serialize) -> io::Result<String> {
    let plain = serde_json::to_string_pretty(value)?;
    let mut text = String::with_capacity(plain.len());
    let mut from = 0;
    let steers = |c: char| is_unseen(c) || c >= '\u{7F}' && c.is_control();
    for (at, c) in plain.char_indices().filter(|(_, c)| steers(*c)) {
        text.push_str(&plain[from..at]);
        text.extend(c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")));
        from = at + c.len_utf8();
    }
    Ok(text + &plain[from..])
}

/// The path as it is, not as people read it, or the host does not find the file.
pub(super) fn exact(path: &FilePath) -> String {
    String::from_utf8_lossy(path.as_bytes()).into_owned()
}
