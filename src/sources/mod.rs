//! Reads code from outside the repository under audit: components, from wherever they are kept.
//!
//! A source is a file next to this one and a line in [`SOURCES`]. It passes on one file at a time,
//! with its component, and never holds the bytes of more than one.
//!
//! Invariant: nothing that is read can write a file, run a command, or take unbounded memory. The
//! one source that starts a program (`purl`) starts the package manager that the user has set up.

// Archives can be in archives: `archive`, `tar` and `zip` form a circle.
mod archive;
mod debian;
mod fixes;
mod folder;
mod limits;
mod list;
mod past;
mod purl;
mod repository;
mod tar;
mod walk;
mod zip;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub use fixes::{FixedFile, fixes_source, is_fixes};
pub use limits::Limits;
pub use past::{PastChange, PastOf, PastTag};
pub use walk::{Folder, slashes};

use self::repository::Part;
use crate::files::{self, BlobId, Entry, ReadFiles};
use crate::git::{self, Repository};
use crate::license::{Expression, Licenses, NamedText, is_relevant, named_text};
use crate::text::{FilePath, MAX_WRITTEN, printable};

/// What is known of a component before its code is read.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DeclaredComponent {
    /// Its name.
    pub name: String,
    /// Its version, a release or a revision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Its package URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub purl: Option<String>,
    /// Where to get it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Its license as declared by the author of the list, an SPDX expression.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub license: Option<String>,
}

impl DeclaredComponent {
    /// This, with what was `found` where nothing is declared.
    fn or(self, found: Self) -> Self {
        Self {
            name: if self.name.is_empty() { found.name } else { self.name },
            version: self.version.or(found.version),
            purl: self.purl.or(found.purl),
            url: self.url.or(found.url),
            license: self.license.or(found.license),
        }
    }
}

/// When code first appeared in a repository, and which of its releases contain it.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ReleaseHistory {
    /// The first commit that has it, in hexadecimal; empty for an archive.
    pub commit: String,
    /// The time of that commit or of the archive, in seconds since 1970.
    pub time: i64,
    /// The first tag that contains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_tag: Option<String>,
    /// The last tag that contains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_tag: Option<String>,
    /// Whether the versions before and after it, which have most of it too, are read as well.
    #[serde(skip)]
    pub is_of_history: bool,
}

/// A file of a component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// The component.
    pub component: Arc<DeclaredComponent>,
    /// The path in it.
    pub path: FilePath,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// When it first appeared in its repository, if it comes from one.
    pub seen: Option<ReleaseHistory>,
    /// The license statements around it then, for a history; else those of all files count.
    pub licenses: Option<Arc<Licenses>>,
}

impl SourceFile {
    /// A file of which no more is known.
    pub fn new(component: &Arc<DeclaredComponent>, path: FilePath, bytes: Vec<u8>) -> Self {
        Self { component: Arc::clone(component), path, bytes, seen: None, licenses: None }
    }
}

/// A file of a history, without its bytes.
#[derive(Debug, Clone)]
pub struct PastFile {
    /// The id of its bytes.
    pub blob: BlobId,
    /// The file.
    pub file: SourceFile,
}

/// Whether a file is short enough to be read for license statements.
pub fn is_license_sized(files: &impl ReadFiles, entry: &Entry) -> bool {
    files.size(entry).is_none_or(|size| size <= MAX_WRITTEN)
}

/// Whether a file is at the root, and may state the license of the project by its name.
pub fn may_state_license(path: &FilePath) -> bool {
    !path.as_bytes().contains(&b'/') && is_relevant(path)
}

/// Receives the files of a source.
pub trait Sink {
    /// Whether to read a file with this name and size.
    fn wants(&self, path: &FilePath, size: u64) -> bool;

    /// Accepts a file; after an error, if it cannot be stored, the source stops.
    fn take(&mut self, file: SourceFile) -> Result<(), Error>;

    /// Accepts the files of a history, the oldest first; their bytes are in `repository`.
    ///
    /// # Errors
    /// Like [`Sink::take`]; if one of them cannot be read.
    fn take_history(&mut self, repository: &Repository, files: Vec<PastFile>) -> Result<(), Error> {
        let reader = repository.reader();
        for PastFile { blob, file } in files {
            let entry = Entry::of_blob(&file.path, blob);
            if self.wants(&file.path, reader.size(&entry).unwrap_or(0)) {
                self.take(SourceFile { bytes: reader.read(&entry)?, ..file })?;
            }
        }
        Ok(())
    }

    /// Accepts the license statements at the root of a component now; its files may be older.
    fn licenses(&mut self, _: &Arc<DeclaredComponent>, _: Arc<Licenses>) {}

    /// Accepts the bytes of a license text that a manifest of a component names.
    fn named(&mut self, _: &Arc<DeclaredComponent>, _: &NamedText, _bytes: &[u8]) {}

    /// Accepts when the files of a component were packed, which have no time of their own.
    fn dated(&mut self, _: &Arc<DeclaredComponent>, _time: i64) {}

    /// Accepts what the commits of a component did; its files are passed on as well.
    fn past(&mut self, _: &Arc<DeclaredComponent>, _: PastOf) {}

    /// Accepts a file that a listed commit fixed.
    fn fixed(&mut self, _: FixedFile) -> Result<(), Error> {
        Ok(())
    }

    /// Accepts a note about something that was skipped.
    fn note(&mut self, note: Note);
}

/// Something that a source skipped, and why.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Note {
    /// What it is: an archive and the entry in it.
    pub what: String,
    /// The reason.
    pub why: &'static str,
}

impl Note {
    /// The reason of a package that a list leaves out.
    pub const NOT_FETCHED: &'static str = "it could not be fetched";
}

/// A kind of source.
#[derive(Debug)]
pub struct SourceKind {
    /// What it is called.
    pub name: &'static str,
    /// What to write for one, in a line.
    pub help: &'static str,
    takes: fn(&str) -> bool,
    read: fn(&Request<'_>, &mut dyn Sink) -> Result<(), Error>,
}

/// What to read.
#[derive(Debug, Clone)]
pub struct Request<'r> {
    /// The source as given: a path or a package URL.
    pub spec: &'r str,
    /// What is known of the component; what is not is found out from the source.
    pub component: DeclaredComponent,
    /// What may be read at most.
    pub limits: Limits,
}

/// All kinds of sources; the first that takes what is named reads it.
pub static SOURCES: &[&SourceKind] = &[
    &fixes::SOURCE,
    &purl::SOURCE,
    &list::SOURCE,
    &debian::SOURCE,
    &zip::SOURCE,
    &tar::SOURCE,
    &repository::SOURCE,
    &folder::SOURCE,
];

/// Reads the source in `request` into `sink`.
///
/// # Errors
/// [`Error::Unknown`] if no kind of source accepts it, or the source's: discard what `sink` has.
pub fn read(request: &Request<'_>, sink: &mut dyn Sink) -> Result<(), Error> {
    if let Some(written) = &request.component.license
        && Expression::parse(written).is_none()
    {
        return Err(Error::License(written.clone()));
    }
    let source = SOURCES.iter().find(|source| (source.takes)(request.spec));
    let source = source.ok_or_else(|| Error::Unknown(request.spec.to_owned()))?;
    (source.read)(request, sink)
}

/// Ends of the names of archives of many files that [`read_archive`] reads.
const ARCHIVES: [&str; 8] =
    [".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz"];
/// Ends of the names of archives that nothing here reads.
const UNREAD_ARCHIVES: [&str; 5] = [".7z", ".rar", ".tar.zst", ".bz2", ".zst"];

/// Whether a file name says an archive of files, and if so, whether [`read_archive`] reads it.
pub fn archive_kind(name: &[u8]) -> Option<bool> {
    let lower = name.to_ascii_lowercase();
    let mut kinds = [(&ARCHIVES[..], true), (&UNREAD_ARCHIVES, false)].into_iter();
    let kind = kinds.find(|(ends, _)| ends.iter().any(|end| lower.ends_with(end.as_bytes())));
    kind.map(|(_, is_read)| is_read)
}

/// Reads the archive at `path`, and those in it, into `sink`.
///
/// # Errors
/// Like [`read()`]; also if its name is not that of an archive.
pub fn read_archive(path: &Path, limits: Limits, sink: &mut dyn Sink) -> Result<(), Error> {
    let unknown = || Error::Unknown(path.display().to_string());
    // A name that is not UTF-8 cannot be a source's; no other part of a path matters here.
    let spec = path.to_str().ok_or_else(unknown)?;
    let request = Request { spec, component: DeclaredComponent::default(), limits };
    let kinds: [&SourceKind; 2] = [&zip::SOURCE, &tar::SOURCE];
    let kind = kinds.into_iter().find(|kind| (kind.takes)(spec)).ok_or_else(unknown)?;
    (kind.read)(&request, sink)
}

/// Passes on the `entries` that are wanted, first `seen` then, and license texts that they name.
fn read_entries(
    entries: &[Entry],
    files: &impl ReadFiles,
    component: &Arc<DeclaredComponent>,
    seen: Option<&ReleaseHistory>,
    sink: &mut dyn Sink,
) -> Result<(), Error> {
    let mut named = Vec::new();
    for entry in entries {
        if sink.wants(&entry.path, files.size(entry).unwrap_or(0)) {
            let bytes = files.read(entry)?;
            named.extend(named_text(&entry.path, &bytes));
            let file = SourceFile::new(component, entry.path.clone(), bytes);
            sink.take(SourceFile { seen: seen.cloned(), ..file })?;
        }
    }
    for text in named {
        let entry = entries.iter().find(|entry| entry.path == text.path);
        if let Some(entry) = entry.filter(|entry| is_license_sized(files, entry)) {
            sink.named(component, &text, &files.read(entry)?);
        }
    }
    Ok(())
}

/// All kinds of sources, in a line for people.
pub fn kinds() -> String {
    SOURCES.iter().map(|source| source.help).collect::<Vec<_>>().join("; ")
}

/// The name of a source independent of the machine: a package URL, or the name of a file or folder.
pub fn label(spec: &str) -> String {
    if spec.starts_with("pkg:") {
        return spec.to_owned();
    }
    if let Some((list, _)) = fixes::list_of(spec) {
        return base_name(Path::new(list));
    }
    let Some((path, part)) = repository::repository_of(spec) else {
        return base_name(Path::new(spec));
    };
    let bare = Repository::discover_another(Path::new(path)).ok().filter(Repository::is_bare);
    let name = bare.map_or_else(|| base_name(Path::new(path)), |bare| bare.name());
    match part {
        Part::Revision(revision) => format!("{name}@{revision}"),
        Part::History(_) => name,
    }
}

/// Whether this is read with its history, so that fixes which copies lack can be found.
pub fn has_past(spec: &str) -> bool {
    matches!(repository::repository_of(spec), Some((_, Part::History(_))))
}

/// Equal stamps mean equal bytes; `None` if only reading can tell.
pub fn stamp(spec: &str) -> Option<String> {
    if spec.starts_with("pkg:") {
        return Some("a release".to_owned());
    }
    // The list may be as it was, and a clone have new commits.
    if is_fixes(spec) {
        return None;
    }
    if let Some((path, part)) = repository::repository_of(spec) {
        let reader = Repository::discover_another(Path::new(path)).ok()?.reader();
        return match part {
            Part::Revision(revision) => Some(reader.commit(revision).ok()?.to_string()),
            Part::History(references) => reader.state(references).ok(),
        };
    }
    let path = Path::new(spec);
    let is_list = spec.to_ascii_lowercase().ends_with(".toml");
    if path.is_file() && !is_list { stamp_of_file(path) } else { None }
}

fn stamp_of_file(path: &Path) -> Option<String> {
    let metadata = path.metadata().ok()?;
    let time = metadata.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(format!("{} bytes of {}", metadata.len(), time.as_nanos()))
}

fn why_unknown(spec: &str) -> &'static str {
    match Path::new(spec).is_file() {
        true => "files of this kind are not read",
        false => "it is not a file, a folder or a package URL",
    }
}

/// Why a source could not be read.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum Error {
    /// No kind of source accepts it.
    #[error("cannot read `{0}`: {why}", why = why_unknown(.0))]
    Unknown(String),
    /// A file or folder could not be opened or read.
    #[error("cannot read `{}`: {why}", path.display())]
    File { path: PathBuf, why: io::Error },
    /// An archive is damaged, or not what its name says.
    #[error("cannot read `{archive}`: {entry}: {why}")]
    Damaged { archive: String, entry: String, why: String },
    /// An archive exceeds a limit.
    #[error("cannot read `{archive}`: {entry}: {what}")]
    TooMuch { archive: String, entry: String, what: String },
    /// A list, a package URL or a control file is invalid.
    #[error("cannot use `{what}`: {why}")]
    Invalid { what: String, why: String },
    /// The declared license does not exist.
    #[error("unknown license `{0}`")]
    License(String),
    /// A package manager could not fetch a package.
    #[error("cannot fetch `{purl}`: {why}")]
    Fetch { purl: String, why: String, help: Option<&'static str> },
    /// A repository could not be read.
    #[error(transparent)]
    Git(#[from] git::Error),
    /// A file of a folder or a repository could not be read.
    #[error(transparent)]
    Files(#[from] files::Error),
    /// What was read could not be stored.
    #[error("cannot store `{what}`: {why}")]
    Sink { what: String, why: String },
}

impl Error {
    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        let help = match self {
            Self::Unknown(_) => return Some(format!("a source is one of: {}", kinds())),
            Self::Damaged { .. } => "fetch the archive again; nothing was stored",
            Self::TooMuch { .. } => {
                "if the archive is as it should be, unpack it and add the folder; nothing was \
                 stored"
            }
            Self::License(_) => {
                "write an SPDX expression such as `MIT OR Apache-2.0`, or `LicenseRef-NAME` for a \
                 license of your own"
            }
            Self::Fetch { help, .. } => (*help)?,
            Self::Git(error) => return error.help(),
            Self::Files(error) => return error.help(),
            Self::File { .. } | Self::Invalid { .. } | Self::Sink { .. } => return None,
        };
        Some(help.to_owned())
    }

    fn too_much(archive: &str, entry: &str, what: String) -> Self {
        Self::TooMuch { archive: archive.to_owned(), entry: entry.to_owned(), what }
    }

    fn damaged(archive: &str, entry: &str, why: String) -> Self {
        Self::Damaged { archive: archive.to_owned(), entry: entry.to_owned(), why }
    }

    fn file(path: &Path, why: io::Error) -> Self {
        Self::File { path: path.to_owned(), why }
    }

    fn invalid(path: &Path, why: impl Into<String>) -> Self {
        Self::Invalid { what: base_name(path), why: why.into() }
    }
}

/// `component` with name and version, where it has none, from those of a file: `zlib-1.3.1`.
fn named(mut component: DeclaredComponent, stem: &str) -> DeclaredComponent {
    let at = stem.match_indices(['-', '_']).map(|(at, _)| at).rfind(|&at| {
        let rest = stem[at + 1..].strip_prefix('v').unwrap_or(&stem[at + 1..]);
        at > 0 && rest.starts_with(|c: char| c.is_ascii_digit())
    });
    let (name, version) = at.map_or((stem, None), |at| (&stem[..at], Some(&stem[at + 1..])));
    if component.name.is_empty() {
        component.name = name.to_owned();
        component.version = component.version.or_else(|| version.map(ToOwned::to_owned));
    }
    component
}

/// The last part of a path, for people and for names.
fn base_name(path: &Path) -> String {
    let named = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    named.file_name().map(|name| printable(name.as_encoded_bytes())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(stem: &str, name: &str, version: Option<&str>) {
        let component = named(DeclaredComponent::default(), stem);
        assert_eq!((component.name.as_str(), component.version.as_deref()), (name, version));
    }

    #[test]
    fn the_name_of_an_archive_tells_name_and_version() {
        check("zlib-1.3.1", "zlib", Some("1.3.1"));
        check("serde-1.0.200-alpha-2", "serde-1.0.200-alpha", Some("2"));
        check("requests_v2.0", "requests", Some("v2.0"));
        check("master", "master", None);
        check("-1", "-1", None);
    }
}
