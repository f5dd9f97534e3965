//! Reads submissions: folders, files and archives, into tokens.
//!
//! Promise: what cannot be read never ends a comparison, but is listed with the reason.

use std::borrow::Cow;
use std::cell::RefCell;
use std::path::{Path, PathBuf};

use crate::audit::read::{Skip, Source, Sources};
use crate::files::{Content, Entry, ReadFiles};
use crate::language::{WORDS, page_text, words};
use crate::sources::{self, Folder, Limits, Note, Sink, SourceFile, archive_kind, read_archive};
use crate::text::{FilePath, decoded};

/// A submission: a name and its files.
#[derive(Debug, Clone)]
pub struct Submission {
    /// Its name.
    pub name: FilePath,
    /// A file, a folder, or an archive of files.
    pub path: PathBuf,
    /// The number of its group. Submissions of one group can be left uncompared with each other.
    pub group: usize,
}

/// Something that was not compared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LeftOut {
    /// A file, an archive, a folder, or an entry of an archive.
    pub path: FilePath,
    /// The reason.
    pub why: String,
    /// Whether it may well hold what was to be compared; pictures and settings do not.
    pub is_notable: bool,
}

const UNREAD_ARCHIVE: &str = "an archive of a kind that is not read: unpack it";

pub(in crate::audit) struct SubmissionReader<'s, 'c> {
    sources: &'s Sources<'c>,
    /// Whether prose and files of unknown languages are read word by word.
    with_words: bool,
    pub files: Vec<Source>,
    pub left_out: Vec<LeftOut>,
}

impl<'s, 'c> SubmissionReader<'s, 'c> {
    /// Reads `submission`: each file on disk in the order of paths, each archive in its own order.
    pub fn of(submission: &Submission, sources: &'s Sources<'c>, with_words: bool) -> Self {
        let mut reading = Self { sources, with_words, files: Vec::new(), left_out: Vec::new() };
        let Submission { name, path, .. } = submission;
        if path.is_dir() {
            reading.folder(name, path);
        } else if path.is_file() {
            reading.file(name.clone(), path);
        } else {
            // A pipe or a device may never end.
            reading.leave_out(name.clone(), "neither a file nor a folder".to_owned(), true);
        }
        reading
    }

    fn folder(&mut self, name: &FilePath, path: &Path) {
        let folder = Folder::new(path);
        match folder.entries() {
            Ok(entries) => {
                for entry in entries {
                    let name = inside(name, &entry.path);
                    self.entry(name, &folder, &entry, &folder.on_disk(&entry.path));
                }
            }
            Err(why) => self.leave_out(name.clone(), why.why().to_owned(), true),
        }
    }

    fn file(&mut self, name: FilePath, path: &Path) {
        let folder = Folder::new(path.parent().unwrap_or(Path::new(".")));
        let file = path.file_name().unwrap_or_default().as_encoded_bytes();
        let entry = Entry { path: FilePath::new(file), content: Content::Disk };
        self.entry(name, &folder, &entry, path);
    }

    fn entry(&mut self, name: FilePath, folder: &Folder, entry: &Entry, path: &Path) {
        match archive_kind(entry.path.name()) {
            Some(true) => self.archive(&name, path),
            Some(false) => self.leave_out(name, UNREAD_ARCHIVE.to_owned(), true),
            None => match self.skip_by_name(&entry.path) {
                Some(skip) => self.skip(name, skip),
                None if self.sources.is_too_large(folder, entry) => self.skip(name, Skip::TooLarge),
                None => match folder.read(entry) {
                    Ok(bytes) => self.take(name, &entry.path, bytes),
                    Err(why) => self.leave_out(name, why.why().to_owned(), true),
                },
            },
        }
    }

    /// Reads an archive; one that is damaged or exceeds a limit is left out as a whole, since
    /// nobody knows which part of it is missing.
    fn archive(&mut self, name: &FilePath, path: &Path) {
        let (n_files, n_left_out) = (self.files.len(), self.left_out.len());
        let mut unpacking = ArchiveFiles { reading: self, name, unwanted: RefCell::default() };
        // More than any submission has, and little enough to hold.
        let limits = Limits { max_entries: 200_000, max_total: 1 << 30, ..Limits::default() };
        let read = read_archive(path, limits, &mut unpacking);
        let unwanted = unpacking.unwanted.into_inner();
        match read {
            Ok(()) => unwanted.into_iter().for_each(|(path, skip)| match skip {
                Some(skip) => self.skip(path, skip),
                None => self.leave_out(path, UNREAD_ARCHIVE.to_owned(), true),
            }),
            Err(why) => {
                self.files.truncate(n_files);
                self.left_out.truncate(n_left_out);
                let why = match why {
                    sources::Error::Damaged { entry, why, .. } => {
                        format!("a damaged archive, {entry}: {why}")
                    }
                    sources::Error::TooMuch { entry, what, .. } => {
                        format!("an archive that claims too much, {entry}: {what}")
                    }
                    other => other.to_string(),
                };
                self.leave_out(name.clone(), why, true);
            }
        }
    }

    fn skip_by_name(&self, path: &FilePath) -> Option<Skip> {
        // Read word by word, a file with any name has a language.
        let skip = self.sources.skip_by_name(path);
        skip.filter(|skip| !(self.with_words && *skip == Skip::NotSource))
    }

    /// Reads `bytes` as the file at `path` of the submission, which is reported as `name`.
    fn take(&mut self, name: FilePath, path: &FilePath, bytes: Vec<u8>) {
        match self.tokenize(path, bytes) {
            Ok(source) => {
                if source.is_partial {
                    self.skip(name.clone(), Skip::LongLines);
                }
                self.files.push(Source { path: name, ..source });
            }
            Err(skip) => self.skip(name, skip),
        }
    }

    fn tokenize(&self, path: &FilePath, bytes: Vec<u8>) -> Result<Source, Skip> {
        if !self.with_words {
            return self.sources.tokenize(path, bytes);
        }
        let identified = self.sources.identify(path, &decoded(&bytes)?);
        match identified {
            Ok(language) if language.is_page => prose(path, bytes, true),
            // A notebook is code; any other text around code is read as the prose that it is.
            Ok(language) if language.is_data && !language.is_notebook => prose(path, bytes, false),
            Err(Skip::NotSource | Skip::Data) => prose(path, bytes, false),
            Ok(_) => self.sources.tokenize(path, bytes),
            Err(skip) => Err(skip),
        }
    }

    fn skip(&mut self, name: FilePath, skip: Skip) {
        let is_notable = self.sources.is_unread(&name, skip) || skip == Skip::LongLines;
        self.leave_out(name, skip.reason().to_owned(), is_notable);
    }

    fn leave_out(&mut self, path: FilePath, why: String, is_notable: bool) {
        self.left_out.push(LeftOut { path, why, is_notable });
    }
}

/// The name of a file of a folder or an archive.
fn inside(name: &FilePath, path: &FilePath) -> FilePath {
    FilePath::new([name.as_bytes(), b"/", path.as_bytes()].concat())
}

/// A text, or that of a page, as its words.
fn prose(path: &FilePath, bytes: Vec<u8>, is_page: bool) -> Result<Source, Skip> {
    let (text, encoded) = match decoded(&bytes)? {
        text if is_page => (page_text(&text), Some(bytes)),
        Cow::Borrowed(_) => (bytes, None),
        Cow::Owned(text) => (text, Some(bytes)),
    };
    let mut tokens = Vec::new();
    words(&text, &mut tokens);
    let plain = Source::plain(path.clone(), text, tokens, [WORDS, WORDS]);
    Ok(Source { encoded, is_prose: true, ..plain })
}

struct ArchiveFiles<'r, 's, 'c> {
    reading: &'r mut SubmissionReader<'s, 'c>,
    name: &'r FilePath,
    /// Files that are not read, and why; `None` for an archive that nothing here reads.
    unwanted: RefCell<Vec<(FilePath, Option<Skip>)>>,
}

impl Sink for ArchiveFiles<'_, '_, '_> {
    fn wants(&self, path: &FilePath, size: u64) -> bool {
        let is_unread = archive_kind(path.name()) == Some(false);
        let is_large = size > self.reading.sources.config.max_file_size;
        let skip = self.reading.skip_by_name(path).or(is_large.then_some(Skip::TooLarge));
        let skip = skip.filter(|_| !is_unread);
        if is_unread || skip.is_some() {
            self.unwanted.borrow_mut().push((inside(self.name, path), skip));
            return false;
        }
        true
    }

    fn take(&mut self, file: SourceFile) -> Result<(), sources::Error> {
        self.reading.take(inside(self.name, &file.path), &file.path, file.bytes);
        Ok(())
    }

    fn note(&mut self, note: Note) {
        self.reading.leave_out(FilePath::new(note.what.into_bytes()), note.why.to_owned(), true);
    }
}
