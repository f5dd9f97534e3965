//! Exports a corpus as one file, and imports one.
//!
//! The file: `secondhand corpus 1` and a line end; the length of a JSON description (8 bytes) and
//! the description, which lists the sources with length and SHA-256 of their segments; then the
//! segments. The same sources make the same bytes: it contains no time and no path of the machine.

use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use super::{Corpus, CorpusError, CorpusSegment, Record, Stats, finish, hex, is_hex, temporary_in};
use crate::files;
use crate::text::MAX_MADE;

const MAGIC: &[u8] = b"secondhand corpus 1\n";

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    sources: Vec<ExportedSource>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExportedSource {
    label: String,
    len: u64,
    sha256: String,
    stats: Stats,
}

/// What an import did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportResult {
    /// Sources that were added or replaced.
    pub n_sources: usize,
    /// The SHA-256 of the file.
    pub digest: String,
}

/// Passes bytes through, and hashes them.
struct HashingStream<T> {
    inner: T,
    hasher: Sha256,
}

impl<T> HashingStream<T> {
    fn new(inner: T) -> Self {
        Self { inner, hasher: Sha256::new() }
    }
}

impl<T: Read> Read for HashingStream<T> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.hasher.update(&buffer[..n]);
        Ok(n)
    }
}

impl<T: Write> Write for HashingStream<T> {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        let n = self.inner.write(buffer)?;
        self.hasher.update(&buffer[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl Corpus {
    /// Writes the corpus to `file`, which is replaced as a whole; returns its SHA-256.
    pub fn export(&self, file: &Path) -> Result<String, CorpusError> {
        // Only a complete corpus may be exported.
        self.open()?;
        let mut sources = Vec::new();
        for (_, record) in self.records()? {
            let (sha256, len) = self.digest_of_source(&record)?;
            let path = self.folder.join(record.segment);
            let (label, stats) = (record.label, record.stats);
            sources.push((ExportedSource { label, len, sha256, stats }, path));
        }
        sources.sort_unstable_by(|a, b| (&a.0.label, &a.0.sha256).cmp(&(&b.0.label, &b.0.sha256)));
        let (sources, paths): (Vec<_>, Vec<_>) = sources.into_iter().unzip();
        write(file, &Description { sources }, &paths).map_err(CorpusError::file(file))
    }

    /// Adds the sources of an exported file; with `digest` only if that is its SHA-256.
    ///
    /// Everything is checked before anything is added: [`CorpusError::Import`] says what is wrong.
    pub fn import(&self, file: &Path, digest: Option<&str>) -> Result<ImportResult, CorpusError> {
        let _held = self.create()?;
        let (sources, segments, digest) =
            self.imported(file, digest).map_err(|why| CorpusError::import(file, why))?;
        let n_sources = segments.len();
        for exported in &sources {
            self.check_unclaimed(&exported.key(), &exported.label)?;
        }
        for (exported, temporary) in sources.into_iter().zip(segments) {
            let key = exported.key();
            let claim = self.claim(&key, &exported.label)?;
            let segment = format!("{key}-{}.seg", &exported.sha256[..16]);
            let path = self.folder.join(&segment);
            temporary.persist(&path).map_err(|error| CorpusError::file(&path)(error.error))?;
            let ExportedSource { label, stats, .. } = exported;
            self.put(&claim, &Record::imported(label, segment, stats))?;
        }
        Ok(ImportResult { n_sources, digest })
    }

    /// The sources of an exported file, their segments, and its SHA-256, which must be `digest`.
    fn imported(
        &self,
        file: &Path,
        digest: Option<&str>,
    ) -> Result<(Vec<ExportedSource>, Vec<NamedTempFile>, String), Fault> {
        let opened = BufReader::with_capacity(1 << 18, files::open(file)?);
        let mut bytes = HashingStream::new(opened);
        let Description { sources } = read_description(&mut bytes)?;
        let mut segments = Vec::new();
        for exported in &sources {
            let segment = self.segment_of(&mut bytes, exported);
            let label = crate::text::printable(exported.label.as_bytes());
            segments.push(segment.map_err(|why| format!("{label}: {why}"))?);
        }
        if bytes.read(&mut [0])? > 0 {
            return Err("something follows its end".into());
        }
        let found = hex(&bytes.hasher.finalize());
        let wanted = digest.map(|digest| digest.strip_prefix("sha256:").unwrap_or(digest));
        match wanted.filter(|wanted| !wanted.eq_ignore_ascii_case(&found)) {
            Some(wanted) => Err(format!("its SHA-256 is {found}, not {wanted}").into()),
            None => Ok((sources, segments, found)),
        }
    }

    /// Copies a segment out of an exported file, and reads all of it once to check it.
    fn segment_of(
        &self,
        bytes: &mut impl Read,
        exported: &ExportedSource,
    ) -> Result<NamedTempFile, Fault> {
        let mut out = HashingStream::new(temporary_in(&self.folder)?);
        let n = io::copy(&mut bytes.take(exported.len), &mut out)?;
        let HashingStream { inner, hasher } = out;
        if n != exported.len {
            return Err("it is truncated".into());
        }
        if hex(&hasher.finalize()) != exported.sha256 {
            return Err("its SHA-256 is not the one that the file says".into());
        }
        inner.as_file().sync_data()?;
        CorpusSegment::open(inner.path())?.verify()?;
        Ok(inner)
    }
}

type Fault = Box<dyn std::error::Error>;

impl ExportedSource {
    fn key(&self) -> String {
        super::key_of(&format!("import:{}", self.label))
    }
}

/// Writes an exported file with the segments at `paths`; returns its SHA-256.
fn write(file: &Path, description: &Description, paths: &[PathBuf]) -> io::Result<String> {
    let description = serde_json::to_vec(description)?;
    let folder =
        file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let temporary = temporary_in(folder)?;
    let mut out = HashingStream::new(BufWriter::with_capacity(1 << 18, temporary));
    out.write_all(MAGIC)?;
    out.write_all(&(description.len() as u64).to_le_bytes())?;
    out.write_all(&description)?;
    for path in paths {
        io::copy(&mut files::open(path)?, &mut out)?;
    }
    out.flush()?;
    let HashingStream { inner, hasher } = out;
    finish(inner.into_inner().map_err(io::IntoInnerError::into_error)?, file)?;
    Ok(hex(&hasher.finalize()))
}

fn read_description(bytes: &mut impl Read) -> io::Result<Description> {
    let mut magic = vec![0; MAGIC.len()];
    bytes.read_exact(&mut magic).map_err(|_| io::Error::other("it is not an exported corpus"))?;
    if magic != MAGIC {
        return Err(io::Error::other("it is not an exported corpus of this version"));
    }
    let mut len = [0; 8];
    bytes.read_exact(&mut len)?;
    let len = u64::from_le_bytes(len);
    if len > MAX_MADE {
        return Err(io::Error::other("its description is too long"));
    }
    let mut description = Vec::new();
    bytes.take(len).read_to_end(&mut description)?;
    let description: Description = serde_json::from_slice(&description)?;
    if description.sources.iter().all(|source| is_hex(&source.sha256, 64)) {
        return Ok(description);
    }
    Err(io::Error::other("a SHA-256 in its description is none"))
}
