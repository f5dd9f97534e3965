//! Reads tar archives, plain or compressed: releases, `.crate`, npm's `.tgz`, Python's packages.

use std::io::{self, BufReader, Read};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use bzip2::read::MultiBzDecoder;
use flate2::read::MultiGzDecoder;
use lzma_rust2::XzReader;
use tar::EntryType;

use super::archive::Archive;
use super::limits::{Budget, CountingReader, GuardedReader, error_at};
use super::{DeclaredComponent, Error, Request, Sink, SourceKind, named};
use crate::files;

pub(super) static SOURCE: SourceKind = SourceKind {
    name: "tar",
    help: "an archive (.tar, .tar.gz, .tgz, .tar.bz2, .tar.xz, .crate)",
    takes: |spec| Compression::of(spec).is_some() && Path::new(spec).is_file(),
    read,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compression {
    None,
    Gzip,
    Bzip2,
    Xz,
}

/// File name extensions, and the compression they mean.
const ENDS: &[(&str, Compression)] = &[
    (".tar.gz", Compression::Gzip),
    (".tgz", Compression::Gzip),
    (".crate", Compression::Gzip),
    (".tar.bz2", Compression::Bzip2),
    (".tbz2", Compression::Bzip2),
    (".tar.xz", Compression::Xz),
    (".txz", Compression::Xz),
    (".tar", Compression::None),
];

/// Maximum memory that an xz archive may request: one made with `-9` requests 64 MiB. Only its
/// first block is checked; later ones get memory as their output needs it, and that is guarded.
const XZ_MEMORY: u64 = 128 << 20;
/// Number of bytes that contain the header of the first block of an xz archive.
const XZ_START: usize = 1_036;
/// Maximum bytes of a long name or of a set of extended headers.
const MAX_HEADER: u64 = 64 << 10;

impl Compression {
    /// The compression according to the end of a file name, and that.
    pub fn of(name: &str) -> Option<(&'static str, Self)> {
        let lower = name.to_ascii_lowercase();
        ENDS.iter().copied().find(|(end, _)| lower.ends_with(end))
    }
}

fn read(request: &Request<'_>, sink: &mut dyn Sink) -> Result<(), Error> {
    let path = Path::new(request.spec);
    let name = super::base_name(path);
    let stem = Compression::of(&name).map_or(&*name, |(end, _)| &name[..name.len() - end.len()]);
    let component = Arc::new(named(request.component.clone(), stem));
    read_file(path, Some(stem), &component, &mut Budget::of_file(request.limits, path), sink)
}

/// Reads the archive at `path`; `stem` is the expected name of its top folder.
pub(super) fn read_file(
    path: &Path,
    stem: Option<&str>,
    component: &Arc<DeclaredComponent>,
    budget: &mut Budget,
    sink: &mut dyn Sink,
) -> Result<(), Error> {
    let name = super::base_name(path);
    let Some((_, compression)) = Compression::of(&name) else {
        return Err(Error::damaged(&name, "the name", "it is not a tar archive".to_owned()));
    };
    let file = files::open(path).map_err(|why| Error::file(path, why))?;
    let mut archive = Archive::new(name, Arc::clone(component), stem, budget, sink);
    read_tar(&mut BufReader::with_capacity(1 << 16, file), compression, &mut archive)?;
    archive.finish();
    Ok(())
}

pub(super) fn read_tar(
    bytes: &mut dyn Read,
    compression: Compression,
    archive: &mut Archive<'_>,
) -> Result<(), Error> {
    let limits = archive.budget.limits;
    let n_in = Rc::default();
    let counted = CountingReader { inner: bytes, n: Rc::clone(&n_in) };
    match compression {
        Compression::None => entries(counted, archive),
        Compression::Gzip => {
            entries(GuardedReader::new(MultiGzDecoder::new(counted), n_in, limits), archive)
        }
        Compression::Bzip2 => {
            entries(GuardedReader::new(MultiBzDecoder::new(counted), n_in, limits), archive)
        }
        Compression::Xz => {
            let (counted, start) = with_start(counted)
                .map_err(|why| error_at(&archive.name, "the beginning", &why))?;
            if dictionary(&start).is_some_and(|size| size > XZ_MEMORY) {
                let what = format!("it asks for more than {XZ_MEMORY} bytes of memory");
                return Err(Error::too_much(&archive.name, "the whole", what));
            }
            entries(GuardedReader::new(XzReader::new(counted, true), n_in, limits), archive)
        }
    }
}

/// The reader with its beginning put back, and that beginning.
fn with_start<R: Read>(mut bytes: R) -> io::Result<(impl Read, Vec<u8>)> {
    let mut start = Vec::new();
    bytes.by_ref().take(XZ_START as u64).read_to_end(&mut start)?;
    Ok((io::Cursor::new(start.clone()).chain(bytes), start))
}

/// The size that the first block of an xz archive asks for (.xz format, sections 3.1 and 5.3.1).
fn dictionary(start: &[u8]) -> Option<u64> {
    let header = start.get(12..)?;
    let header = header.get(..(usize::from(*header.first()?) + 1) * 4)?;
    // LZMA2 is the last filter: id, a byte of properties, size; padding and checksum follow.
    let at = header.windows(2).rposition(|bytes| bytes == [0x21, 1])?;
    let bits = u64::from(*header.get(at + 2)?);
    match bits {
        0..40 => Some((2 | bits & 1) << (bits / 2 + 11)),
        _ => Some(u64::from(u32::MAX)),
    }
}

/// Reads the entries, and extended headers, which the tar crate would hold in any amount.
fn entries(bytes: impl Read, archive: &mut Archive<'_>) -> Result<(), Error> {
    let mut tar = tar::Archive::new(bytes);
    let mut last = "the beginning".to_owned();
    let (mut long_name, mut extended) = (None, ExtendedHeader::default());
    let all = tar.entries().map_err(|why| error_at(&archive.name, &last, &why))?.raw(true);
    for entry in all {
        let mut entry =
            entry.map_err(|why| error_at(&archive.name, &format!("after {last}"), &why))?;
        let kind = entry.header().entry_type();
        match kind {
            EntryType::GNULongName | EntryType::XHeader => {
                let header = small(&mut entry)
                    .map_err(|why| error_at(&archive.name, &format!("after {last}"), &why))?;
                if kind == EntryType::GNULongName {
                    let end = memchr::memchr(0, &header).unwrap_or(header.len());
                    long_name = Some(header[..end].to_vec());
                } else {
                    extended = ExtendedHeader::new(&header);
                    long_name = extended.path.take().or(long_name);
                }
                continue;
            }
            EntryType::GNULongLink | EntryType::XGlobalHeader => continue,
            _ => {}
        }
        let name = long_name.take().unwrap_or_else(|| entry.header().path_bytes().into_owned());
        last = archive.shown(&name);
        let ExtendedHeader { size, is_sparse, .. } = std::mem::take(&mut extended);
        if size.is_some_and(|size| size != entry.size()) {
            let why = format!(
                "an extended header says another size than the {} bytes of its own",
                entry.size()
            );
            return Err(error_at(&archive.name, &last, &io::Error::other(why)));
        }
        match kind {
            _ if is_sparse => archive.note(&name, "it is a sparse file"),
            // Without the type flag of later formats, a trailing slash marks a folder.
            EntryType::Regular | EntryType::Continuous if !name.ends_with(b"/") => {
                let top = name
                    .split(|&byte| byte == b'/')
                    .find(|part| !part.is_empty() && *part != b".")
                    .unwrap_or(&name);
                adopt_top(archive, top);
                let time = entry.header().mtime().ok();
                archive.changed_at(time.and_then(|time| i64::try_from(time).ok()));
                let size = entry.size();
                archive.entry(&name, size, &mut entry)?;
            }
            EntryType::Symlink | EntryType::Link => archive.note(&name, "it is a link"),
            EntryType::GNUSparse => archive.note(&name, "it is a sparse file"),
            // The name of a folder, a device and so on.
            _ => {}
        }
    }
    // A compressed stream ends with a checksum, which is only compared when all before it was read.
    let rest = io::copy(&mut tar.into_inner(), &mut io::sink());
    rest.map(drop).map_err(|why| error_at(&archive.name, "after the last entry", &why))
}

/// Folders of everything, by convention: npm's `package`, the archive's own name, or part of it.
fn adopt_top(archive: &mut Archive<'_>, top: &[u8]) {
    if let Some(stem) = &archive.top
        && stem != top
        && (top == b"package"
            || top.starts_with(archive.component.name.as_bytes())
            || stem.starts_with(top))
    {
        archive.top = Some(top.to_vec());
    }
}

/// The bytes of a long name or of a set of extended headers.
fn small(entry: &mut tar::Entry<'_, impl Read>) -> io::Result<Vec<u8>> {
    if entry.size() > MAX_HEADER {
        return Err(io::Error::other(format!("an extended header of {} bytes", entry.size())));
    }
    let mut bytes = Vec::new();
    entry.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What a set of extended headers says of the entry behind it, as far as it can be read.
#[derive(Default)]
struct ExtendedHeader {
    path: Option<Vec<u8>>,
    /// Its size, heeded before the header's; the largest of all where it is no number.
    size: Option<u64>,
    /// Whether it is a file with holes, whose bytes begin with a list of these.
    is_sparse: bool,
}

impl ExtendedHeader {
    /// Reads `25 path=a/long/name.c`, line by line.
    fn new(headers: &[u8]) -> Self {
        let number = |text: &[u8]| std::str::from_utf8(text).ok()?.parse::<u64>().ok();
        let mut said = Self::default();
        let mut rest = headers;
        while let Some(space) = memchr::memchr(b' ', rest) {
            let len = number(&rest[..space]).and_then(|len| usize::try_from(len).ok());
            let Some((len, record)) = len.and_then(|len| Some((len, rest.get(space + 1..len)?)))
            else {
                break;
            };
            let record = record.strip_suffix(b"\n").unwrap_or(record);
            if let Some(value) = record.strip_prefix(b"path=") {
                said.path = Some(value.to_vec());
            } else if let Some(value) = record.strip_prefix(b"size=") {
                said.size = Some(number(value).unwrap_or(u64::MAX));
            }
            said.is_sparse |= record.starts_with(b"GNU.sparse.");
            rest = &rest[len..];
        }
        said
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_extended_headers_is_read_and_nonsense_is_none() {
        let path = |headers: &[u8]| ExtendedHeader::new(headers).path;
        assert_eq!(path(b"20 ctime=1432215303\n12 path=a/b\n"), Some(b"a/b".to_vec()));
        for nonsense in [&b"99 path=a\n"[..], b"x path=a\n", b"0 path=a\n", b"2 path=a\n", b""] {
            assert_eq!(path(nonsense), None);
        }
    }

    #[test]
    fn the_memory_that_an_xz_archive_asks_for_is_known() {
        let archive = include_bytes!("../../tests/data/alpha-1.0.tar.xz");
        assert_eq!(dictionary(archive), Some(8 << 20));
        assert_eq!(dictionary(b"no archive"), None);
    }
}
