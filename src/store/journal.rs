//! Stores the results of long-running work as they come: lines with checksums, appended to a file.
//!
//! After an interruption, all complete lines are still there. Several processes may append to one
//! file, since a line is written in a single call.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::error::{Result, SegmentError};
use super::write::{named, remove_all};
use crate::files;

const NAME: &str = "judged-";
const EXTENSION: &str = ".log";
/// Maximum bytes of a journal; a longer one is started over.
const MAX_BYTES: u64 = 256 * 1024 * 1024;
/// Maximum number of journals with other settings to keep.
const MAX_OTHERS: usize = 3;

/// A journal of one kind of work.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: Mutex<File>,
}

impl Journal {
    /// Opens the journal in `folder` for work whose settings have this digest; returns its complete
    /// lines.
    pub fn open(folder: &Path, digest: u64) -> Result<(Self, Vec<String>)> {
        let path = folder.join(format!("{NAME}{digest:016x}{EXTENSION}"));
        let (file, bytes) = opened(folder, &path).map_err(SegmentError::file(&path))?;
        let lines =
            bytes.split(|&byte| byte == b'\n').filter_map(whole).map(str::to_owned).collect();
        remove_others(folder, &path);
        Ok((Self { path, file: Mutex::new(file) }, lines))
    }

    /// Appends a line.
    pub fn append(&self, line: &str) -> Result<()> {
        let whole = format!("{:08x} {line}\n", crc32fast::hash(line.as_bytes()));
        let Ok(mut file) = self.file.lock() else { return Ok(()) };
        file.write_all(whole.as_bytes()).map_err(SegmentError::file(&self.path))
    }

    /// Removes all journals in `folder`; returns their number and total size.
    pub fn clear(folder: &Path) -> (usize, u64) {
        remove_all(journals(folder))
    }
}

/// The journal at `path` in `folder`, which is made if there is none, and its bytes.
fn opened(folder: &Path, path: &Path) -> io::Result<(File, Vec<u8>)> {
    std::fs::create_dir_all(folder)?;
    // Who wrote the folder may have left a link, to a file that is not ours to write.
    if path.symlink_metadata().is_ok_and(|metadata| !metadata.is_file()) {
        return Err(files::not_regular());
    }
    let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
    if file.metadata()?.len() > MAX_BYTES {
        file.set_len(0)?;
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    // The unfinished line of a killed process must not become the beginning of the next one.
    if bytes.last().is_some_and(|&last| last != b'\n') {
        file.write_all(b"\n")?;
    }
    Ok((file, bytes))
}

/// The text of a line, if its checksum is correct.
fn whole(line: &[u8]) -> Option<&str> {
    let (checksum, text) = line.split_at_checked(8)?;
    let checksum = u32::from_str_radix(std::str::from_utf8(checksum).ok()?, 16).ok()?;
    let text = text.strip_prefix(b" ")?;
    if crc32fast::hash(text) == checksum { std::str::from_utf8(text).ok() } else { None }
}

/// The journals in a folder, the most recently written last.
fn journals(folder: &Path) -> Vec<PathBuf> {
    let mut paths = named(folder, NAME, EXTENSION);
    paths.sort_unstable_by_key(|path| {
        (std::fs::metadata(path).and_then(|file| file.modified()).ok(), path.clone())
    });
    paths
}

fn remove_others(folder: &Path, own: &Path) {
    let others: Vec<PathBuf> = journals(folder).into_iter().filter(|path| path != own).collect();
    for path in &others[..others.len().saturating_sub(MAX_OTHERS)] {
        // A file that cannot be removed only costs space.
        let _ = std::fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::folder;
    use super::*;

    /// Writes a journal with these lines; returns its path and its bytes.
    fn write(folder: &Path, lines: [&str; 3]) -> (PathBuf, Vec<u8>) {
        let (journal, before) = Journal::open(folder, 7).expect("the folder is writable");
        assert!(before.is_empty());
        for line in lines {
            journal.append(line).expect("the folder is writable");
        }
        let path = journals(folder).pop().expect("there is one");
        let bytes = std::fs::read(&path).expect("it is there");
        (path, bytes)
    }

    #[test]
    fn whole_lines_are_found_again_and_halves_are_not() {
        let folder = folder();
        let (path, bytes) = write(folder.path(), ["one", "", "three"]);
        for n in 0..bytes.len() {
            std::fs::write(&path, &bytes[..n]).expect("it is writable");
            let (journal, lines) = Journal::open(folder.path(), 7).expect("the folder is writable");
            assert_eq!(lines, ["one", "", "three"][..lines.len()], "{n} bytes");
            journal.append("next").expect("the folder is writable");
            let (_, again) = Journal::open(folder.path(), 7).expect("the folder is writable");
            assert_eq!(again.last().map(String::as_str), Some("next"), "after {n} bytes");
            assert_eq!(again.len(), lines.len() + 1, "after {n} bytes");
        }
    }

    #[test]
    fn a_flipped_bit_costs_a_line() {
        let folder = folder();
        let all = ["one", "two", "three"];
        let (path, bytes) = write(folder.path(), all);
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 4;
            std::fs::write(&path, damaged).expect("it is writable");
            let (_, lines) = Journal::open(folder.path(), 7).expect("the folder is writable");
            assert!(!lines.is_empty(), "byte {at}");
            assert!(lines.iter().all(|line| all.contains(&line.as_str())), "byte {at}");
        }
    }

    #[test]
    fn journals_of_other_settings_do_not_pile_up() {
        let folder = folder();
        for digest in 0..10 {
            Journal::open(folder.path(), digest).expect("the folder is writable");
        }
        assert_eq!(journals(folder.path()).len(), MAX_OTHERS + 1);
        assert_eq!(Journal::clear(folder.path()), (MAX_OTHERS + 1, 0));
    }
}
