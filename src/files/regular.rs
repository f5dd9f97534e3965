//! Opens files to read: regular ones only, since a pipe may have no writer and a device no end.
//!
//! Whoever wrote what is read, be it a change, a cache or a corpus, may have put a pipe or a link
//! to a device under any name.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::text::hexadecimal;

/// Opens the regular file at `path` for reading, whatever links lead to it.
///
/// # Errors
/// When there is none. A folder is opened where the system does so, and cannot be read.
pub fn open(path: &Path) -> io::Result<File> {
    // The device that people name for a file without contents.
    if cfg!(unix) && path == Path::new("/dev/null") {
        return File::open(path);
    }
    // Checked before it is opened, since opening a pipe waits for a writer.
    check(&std::fs::metadata(path)?)?;
    let file = File::open(path)?;
    check(&file.metadata()?)?;
    Ok(file)
}

/// Like [`open`], for a file below the folder `root`, a path without links: nothing else is opened,
/// though a link that leads out takes the place of a folder meanwhile, where the system says what
/// was opened.
///
/// # Errors
/// The same, and when it is elsewhere.
pub fn open_below(root: &Path, path: &Path) -> io::Result<File> {
    let file = open(path)?;
    #[cfg(target_os = "linux")]
    {
        use std::os::fd::AsRawFd as _;
        let opened = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()));
        if opened.is_ok_and(|opened| opened.is_absolute() && !opened.starts_with(root)) {
            return Err(not_regular());
        }
    }
    Ok(file)
}

/// The bytes of the regular file at `path`, which has at most `max`.
///
/// # Errors
/// When it is none, is larger or cannot be read.
pub fn read(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(max + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max { Err(too_large(max)) } else { Ok(bytes) }
}

/// The SHA-256 of the regular file at `path`, in hexadecimal, and its length.
pub fn digest(path: &Path) -> io::Result<(String, u64)> {
    let (mut file, mut hasher, mut len) = (open(path)?, Sha256::new(), 0);
    let mut buffer = vec![0; 1 << 16];
    loop {
        let n = file.read(&mut buffer)?;
        if n == 0 {
            return Ok((hexadecimal(&hasher.finalize()), len));
        }
        hasher.update(&buffer[..n]);
        len += n as u64;
    }
}

/// Like [`read`], for a text in UTF-8.
///
/// # Errors
/// The same, and when it is not UTF-8.
pub fn read_text(path: &Path, max: u64) -> io::Result<String> {
    String::from_utf8(read(path, max)?).map_err(|_| not_utf8())
}

/// Why a file of more than `max` bytes is not read.
pub fn too_large(max: u64) -> io::Error {
    let why = format!("it has more than {} MB", max / (1024 * 1024));
    io::Error::new(io::ErrorKind::FileTooLarge, why)
}

/// Why a file is not read as text.
pub fn not_utf8() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8")
}

/// Why what is no file is not read.
pub fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")
}

fn check(metadata: &Metadata) -> io::Result<()> {
    if metadata.is_file() || metadata.is_dir() { Ok(()) } else { Err(not_regular()) }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn what_a_link_takes_out_of_a_folder_is_not_opened() {
        let folder = tempfile::tempdir().expect("it can be made");
        let real = folder.path().canonicalize().expect("it is there");
        let (root, out) = (real.join("root"), real.join("out"));
        for folder in [&root, &out] {
            std::fs::create_dir(folder).expect("it is writable");
            std::fs::write(folder.join("x.c"), "x").expect("it is writable");
        }
        std::os::unix::fs::symlink(&out, root.join("link")).expect("it is writable");
        let is_opened = |path: &str| open_below(&root, &root.join(path)).is_ok();
        assert_eq!((is_opened("x.c"), is_opened("link/x.c")), (true, false));
    }
}
