//! Reads the entries of archives of every kind, and archives in archives.

use std::cell::Cell;
use std::io::Read;
use std::sync::Arc;

use super::limits::{Budget, error_at};
use super::{DeclaredComponent, Error, Note, Sink, SourceFile, tar, zip};
use crate::license::{NamedText, named_text};
use crate::text::{FilePath, MAX_WRITTEN, printable};

/// Reads one archive, and those in it.
pub(super) struct Archive<'a> {
    /// For messages.
    pub name: String,
    pub component: Arc<DeclaredComponent>,
    /// The number of archives around this one.
    depth: usize,
    /// The prefix of entry paths: the path of this archive in the one around it.
    prefix: Vec<u8>,
    /// The folder that contains everything, by convention: `zlib-1.3.1/`.
    pub top: Option<Vec<u8>>,
    pub budget: &'a mut Budget,
    pub sink: &'a mut dyn Sink,
    texts: Texts,
    /// When its newest file was changed, in seconds since 1970.
    newest: Option<i64>,
}

/// Times that packers always write: nothing, zip's first day, npm, cargo, poetry and hatch.
const CONSTANT_TIMES: &[i64] =
    &[0, 315_532_800, 499_162_500, 1_153_704_088, 1_451_606_400, 1_580_601_600];

/// License texts that manifests of an archive name.
#[derive(Default)]
struct Texts {
    named: Vec<NamedText>,
    /// Up to [`MAX_WRITTEN`] bytes of texts: a manifest may come behind its text.
    held: Vec<(FilePath, Vec<u8>)>,
    n_bytes: u64,
}

impl Texts {
    /// Whether a file may be one of them that is read for nothing else.
    fn wants(&self, path: &FilePath, size: u64) -> bool {
        let name = path.name().to_ascii_lowercase();
        let extension = name.rsplit(|&byte| byte == b'.').next().filter(|of| *of != &name[..]);
        let is_text = [&b"txt"[..], b"md", b"rst", b"html", b"rtf", b""];
        self.n_bytes + size <= MAX_WRITTEN
            && (extension.is_none_or(|of| is_text.contains(&of))
                || self.named.iter().any(|of| of.path == *path))
    }
}

/// A regular file in an archive.
struct Entry<'e> {
    path: FilePath,
    /// Its name, for messages.
    shown: String,
    /// Its declared size.
    size: u64,
    bytes: &'e mut dyn Read,
}

impl Entry<'_> {
    /// Its bytes; rejects one that is longer than its declared size.
    fn read_all(&mut self, archive: &str) -> Result<Vec<u8>, Error> {
        let mut all = Vec::new();
        let read = (&mut *self.bytes).take(self.size.saturating_add(1)).read_to_end(&mut all);
        read.map_err(|why| error_at(archive, &self.shown, &why))?;
        if all.len() as u64 > self.size {
            let what = format!("it holds more than the {} bytes that it says", self.size);
            return Err(Error::too_much(archive, &self.shown, what));
        }
        Ok(all)
    }
}

impl<'a> Archive<'a> {
    /// An archive that is in no other one.
    pub fn new(
        name: String,
        component: Arc<DeclaredComponent>,
        top: Option<&str>,
        budget: &'a mut Budget,
        sink: &'a mut dyn Sink,
    ) -> Self {
        Self {
            name,
            component,
            depth: 0,
            prefix: Vec::new(),
            top: top.map(|top| top.as_bytes().to_vec()),
            budget,
            sink,
            texts: Texts::default(),
            newest: None,
        }
    }

    /// Handles a regular file: reads `bytes` only if they are wanted.
    pub fn entry(&mut self, name: &[u8], size: u64, bytes: &mut dyn Read) -> Result<(), Error> {
        let shown = self.shown(name);
        self.budget.entry(&self.name, &shown)?;
        let Some(inner) = safe_path(name) else {
            self.note(name, "its path leads out of the archive");
            return Ok(());
        };
        // Without the folder that contains everything, if that has the name of the archive.
        let below =
            self.top.as_ref().and_then(|top| inner.strip_prefix(&**top)?.strip_prefix(b"/"));
        let inner = below.unwrap_or(&inner);
        let mut entry =
            Entry { path: FilePath::new([&self.prefix[..], inner].concat()), shown, size, bytes };
        if let Some(kind) = NestedArchive::of(inner) {
            return self.nested(kind, entry);
        }
        let is_wanted = self.sink.wants(&entry.path, size);
        if !is_wanted && !self.texts.wants(&entry.path, size) {
            return Ok(());
        }
        let bytes = entry.read_all(&self.name)?;
        let Entry { path, shown, .. } = entry;
        self.budget.bytes(bytes.len() as u64, &self.name, &shown)?;
        self.texts.named.extend(named_text(&path, &bytes));
        if !is_wanted {
            self.texts.n_bytes += bytes.len() as u64;
            self.texts.held.push((path, bytes));
            return Ok(());
        }
        self.sink.take(SourceFile::new(&self.component, path, bytes))
    }

    pub fn changed_at(&mut self, time: Option<i64>) {
        self.newest = self.newest.max(time.filter(|time| !CONSTANT_TIMES.contains(time)));
    }

    /// Passes on its date and the texts that the manifests named. An archive in it is older.
    pub fn finish(&mut self) {
        if let Some(time) = self.newest.filter(|_| self.depth == 0) {
            self.sink.dated(&self.component, time);
        }
        for text in &self.texts.named {
            if let Some((_, bytes)) = self.texts.held.iter().find(|(path, _)| *path == text.path) {
                self.sink.named(&self.component, text, bytes);
            }
        }
    }

    /// An entry's name, for messages.
    pub fn shown(&self, name: &[u8]) -> String {
        format!("`{}`", printable([&self.prefix[..], name].concat()))
    }

    pub fn note(&mut self, name: &[u8], why: &'static str) {
        let what = format!("{}: {}", self.name, printable([&self.prefix[..], name].concat()));
        self.sink.note(Note { what, why });
    }

    fn nested(&mut self, kind: NestedArchive, mut entry: Entry<'_>) -> Result<(), Error> {
        let path = &entry.path;
        if self.depth >= self.budget.limits.max_depth {
            let name = path.as_bytes().strip_prefix(&self.prefix[..]).unwrap_or_default();
            self.note(name, "it is an archive in an archive in an archive");
            return Ok(());
        }
        let max = self.budget.limits.max_nested;
        if matches!(kind, NestedArchive::Zip) && entry.size > max {
            self.note(path.as_bytes(), "it is a nested archive too large to hold in memory");
            return Ok(());
        }
        let (name, component) = (self.name.clone(), Arc::clone(&self.component));
        let mut inner = Archive {
            depth: self.depth + 1,
            prefix: [path.as_bytes(), b"/"].concat(),
            ..Archive::new(name, component, None, &mut *self.budget, &mut *self.sink)
        };
        let has_failed = Cell::new(false);
        let read = match kind {
            NestedArchive::Tar(compression) => tar::read_tar(
                &mut WatchedReader { inner: entry.bytes, has_failed: &has_failed },
                compression,
                &mut inner,
            ),
            NestedArchive::Zip => {
                let bytes = entry.read_all(&inner.name)?;
                zip::read_zip(std::io::Cursor::new(bytes), &mut inner)
            }
        };
        inner.finish();
        match read {
            // Tests have damaged archives as data: what could be read of one stays.
            Err(Error::Damaged { .. }) if !has_failed.get() => {
                self.note(entry.path.as_bytes(), "it is a damaged archive in an archive");
                Ok(())
            }
            read => read,
        }
    }
}

/// Remembers whether the reader inside has failed, and not what is read from it.
struct WatchedReader<'a> {
    inner: &'a mut dyn Read,
    has_failed: &'a Cell<bool>,
}

impl Read for WatchedReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.inner.read(buffer).inspect_err(|_| self.has_failed.set(true))
    }
}

#[derive(Clone, Copy)]
enum NestedArchive {
    Tar(tar::Compression),
    Zip,
}

impl NestedArchive {
    fn of(path: &[u8]) -> Option<Self> {
        let path = String::from_utf8_lossy(path);
        let tar = tar::Compression::of(&path).map(|(_, compression)| Self::Tar(compression));
        tar.or_else(|| zip::is_zip(&path).then_some(Self::Zip))
    }
}

/// The name of an entry as a path inside the archive; `None` if it would lead out of it.
pub(super) fn safe_path(name: &[u8]) -> Option<Vec<u8>> {
    let is_drive = name.get(1) == Some(&b':') && name[0].is_ascii_alphabetic();
    if name.starts_with(b"/") || name.contains(&0) || name.contains(&b'\\') || is_drive {
        return None;
    }
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in name.split(|&byte| byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => return None,
            part => parts.push(part),
        }
    }
    (!parts.is_empty()).then(|| parts.join(&b'/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_leads_out_of_the_archive_is_none() {
        let path = |name: &str| {
            safe_path(name.as_bytes()).map(|path| String::from_utf8_lossy(&path).into_owned())
        };
        assert_eq!(path("./a//b.c").as_deref(), Some("a/b.c"));
        for name in ["/etc/passwd", "../a.c", "a/../../b.c", "C:/a.c", "a\\b.c", "a\0.c", "", "."] {
            assert_eq!(path(name), None, "{name}");
        }
    }
}
