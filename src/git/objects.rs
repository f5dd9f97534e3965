//! Finds objects where git's variables say: a server that runs a hook keeps what is pushed in a
//! folder of its own until the hook has ended.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use gix::bstr::ByteSlice;
use tempfile::TempDir;

/// The folder in place of the repository's own.
const FOLDER: &str = "GIT_OBJECT_DIRECTORY";
/// Further folders.
const ALTERNATES: &str = "GIT_ALTERNATE_OBJECT_DIRECTORIES";

/// A folder of objects that only lists others, as long as it lives.
#[derive(Debug)]
pub(super) struct ObjectList {
    folder: TempDir,
}

impl ObjectList {
    /// A list of the folders that git's variables name; `None` if they name none.
    ///
    /// # Errors
    /// If the list cannot be written.
    pub fn of_variables(own: &Path) -> io::Result<Option<Self>> {
        let [folder, alternates] =
            [FOLDER, ALTERNATES].map(|name| std::env::var_os(name).filter(|of| !of.is_empty()));
        if folder.is_none() && alternates.is_none() {
            return Ok(None);
        }
        let first = folder.map_or_else(|| own.to_owned(), PathBuf::from);
        let further = alternates.as_deref().map(folders_of).unwrap_or_default();
        Self::new(std::iter::once(first).chain(further)).map(Some)
    }

    /// A list of these folders. Git passes over one that is not there.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(folders: impl IntoIterator<Item = PathBuf>) -> io::Result<Self> {
        let listed = Self { folder: TempDir::new()? };
        let mut list = Vec::new();
        for folder in folders {
            let Ok(folder) = folder.canonicalize() else { continue };
            let Ok(name) = gix::path::into_bstr(Cow::Owned(folder)) else { continue };
            list.extend_from_slice(&quoted(&name));
            list.push(b'\n');
        }
        std::fs::create_dir(listed.folder.path().join("info"))?;
        std::fs::write(listed.folder.path().join("info/alternates"), list)?;
        Ok(listed)
    }

    /// Where the list is.
    pub fn path(&self) -> PathBuf {
        self.folder.path().to_owned()
    }
}

/// The folders in a variable, between which the system's separator is; git writes names in quotes
/// that contain it.
fn folders_of(list: &OsStr) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    let mut rest = list.as_encoded_bytes().as_bstr();
    while !rest.is_empty() {
        let (name, n_read) =
            match gix::quote::ansi_c::undo(rest).ok().filter(|_| rest.starts_with(b"\"")) {
                Some((name, n_read)) => (name.into_owned(), n_read),
                None => {
                    let end = rest.find_byte(SEPARATOR).unwrap_or(rest.len());
                    (rest[..end].into(), end)
                }
            };
        if !name.is_empty() {
            folders.extend(gix::path::from_bstr(Cow::Owned(name)).map(Cow::into_owned));
        }
        rest = rest[n_read..].strip_prefix(&[SEPARATOR]).unwrap_or(&rest[n_read..]).as_bstr();
    }
    folders
}

/// What is between the folders of a list.
const SEPARATOR: u8 = if cfg!(windows) { b';' } else { b':' };

/// A name as a line of the list: in quotes where it would not be one line, or be taken for a
/// comment or for quoted.
fn quoted(name: &[u8]) -> Vec<u8> {
    let is_plain = !name.starts_with(b"\"") && !name.starts_with(b"#") && !name.contains(&b'\n');
    if is_plain {
        return name.to_owned();
    }
    let mut quoted = b"\"".to_vec();
    for &byte in name {
        match byte {
            b'"' | b'\\' | b'\n' => quoted.extend(format!("\\{byte:03o}").into_bytes()),
            byte => quoted.push(byte),
        }
    }
    quoted.push(b'"');
    quoted
}
