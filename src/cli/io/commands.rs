//! Breaks what the change says to the agents of CI systems: they take commands anywhere in a line
//! of output.

use std::io::{self, Write};

use crate::text::{COMMANDS, begins_command};

/// Writes to another writer what steers no agent, and reads the same: in the notation of a format,
/// `##[` is not written.
pub(super) struct InertWriter<W> {
    out: W,
    /// What stands for the second `#`.
    mark: &'static str,
    /// The last bytes, as long as they may begin a command.
    held: Vec<u8>,
}

impl<W: Write> InertWriter<W> {
    /// A writer for the format `name`; `None` where such text cannot stand, or must: a patch is
    /// applied as it is, and the others have broken it already.
    pub fn new(out: W, name: &str) -> Result<Self, W> {
        let mark = match name {
            "json" | "sarif" | "gitlab" | "rdjson" | "sonarqube" | "trend" | "shields" | "spdx"
            | "cyclonedx" => "\\u0023",
            "junit" | "checkstyle" | "html" | "badge" => "&#35;",
            _ => return Err(out),
        };
        Ok(Self { out, mark, held: Vec::new() })
    }

    /// Writes what cannot be the beginning of a command; all of it if nothing follows.
    fn settle(&mut self, is_end: bool) -> io::Result<()> {
        let (mut from, mut at) = (0, 0);
        while let Some(next) = memchr::memchr(b'#', &self.held[at..]) {
            at += next;
            let rest = &self.held[at..];
            if begins_command(rest) {
                self.out.write_all(&self.held[from..=at])?;
                self.out.write_all(self.mark.as_bytes())?;
                (from, at) = (at + 2, at + 2);
            } else if !is_end
                && COMMANDS.iter().any(|mark| {
                    mark.len() > rest.len() && rest.eq_ignore_ascii_case(&mark[..rest.len()])
                })
            {
                self.out.write_all(&self.held[from..at])?;
                self.held.drain(..at);
                return Ok(());
            } else {
                at += 1;
            }
        }
        self.out.write_all(&self.held[from..])?;
        self.held.clear();
        Ok(())
    }
}

impl<W: Write> Write for InertWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.held.extend_from_slice(bytes);
        self.settle(false)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.settle(true)?;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_broken_however_it_is_cut() {
        let text = "\"a ##vso[x]y ##[z] ###[ # ## ##VSO[ ##vs\"";
        let expected = "\"a #\\u0023vso[x]y #\\u0023[z] ##\\u0023[ # ## #\\u0023VSO[ ##vs\"";
        for n in 1..text.len() {
            let mut writer =
                InertWriter::new(Vec::new(), "json").unwrap_or_else(|_| panic!("it is JSON"));
            text.as_bytes()
                .chunks(n)
                .for_each(|part| writer.write_all(part).expect("memory takes it"));
            writer.flush().expect("memory takes it");
            assert_eq!(String::from_utf8_lossy(&writer.out), expected, "in parts of {n}");
        }
    }
}
