//! The last versions of files, from the base back.

use std::collections::HashMap;

use super::Error;
use super::follow::{PastEdit, PastFile, follow};
use crate::files::BlobId;
use crate::git::{CommitId, Reader};
use crate::text::FilePath;

/// Maximum commits to walk back for one file: each that does not touch it reads a few trees.
const MAX_COMMITS: usize = 1_000;
/// Maximum past versions of a file.
const MAX_VERSIONS: usize = 16;

/// A commit that changed a file.
#[derive(Clone, Copy)]
pub(super) struct FileEdit {
    pub commit: CommitId,
    pub parent: CommitId,
    /// What the file was before.
    pub before: BlobId,
}

/// The versions that files had before a commit.
pub(super) struct Versions<'v> {
    pub reader: &'v Reader,
    /// The commit.
    pub base: CommitId,
    known: HashMap<FilePath, Vec<FileEdit>>,
}

impl<'v> Versions<'v> {
    pub fn new(base: CommitId, reader: &'v Reader) -> Self {
        Self { reader, base, known: HashMap::new() }
    }

    /// The commits that changed a file of the base, the newest first; none if it is not there.
    pub fn of(&mut self, path: &FilePath) -> Result<&[FileEdit], Error> {
        self.read([path.clone()])?;
        Ok(self.known.get(path).map_or(&[], Vec::as_slice))
    }

    /// Reads the versions of files in one walk. A history that is cut off ends it.
    pub fn read(&mut self, paths: impl IntoIterator<Item = FilePath>) -> Result<(), Error> {
        let mut files: Vec<File> = Vec::new();
        for path in paths {
            if self.known.contains_key(&path) {
                continue;
            }
            self.known.insert(path.clone(), Vec::new());
            if let Some(blob) = self.reader.blob_at(self.base, &path)? {
                files.push(File { path, blob, edits: Vec::new() });
            }
        }
        let starts: Vec<_> = files.iter().map(|file| (self.base, file.path.clone())).collect();
        let _ = follow(self.reader, starts, MAX_COMMITS, |edit| {
            let mut before = |&file: &usize| Some((file, files[file].before(edit)?));
            Ok(edit.files.iter().filter_map(&mut before).collect())
        });
        self.known.extend(files.into_iter().map(|file| (file.path, file.edits)));
        Ok(())
    }
}

/// A file on its way back.
struct File {
    path: FilePath,
    /// What it is where it is now.
    blob: BlobId,
    edits: Vec<FileEdit>,
}

impl File {
    /// Goes to what it was before an edit: under its name, or deleted with its content or its name.
    /// Returns which that is, if there is one and more versions are wanted.
    fn before(&mut self, edit: &PastEdit<'_>) -> Option<usize> {
        let is_it = |was: &PastFile| was.blob == self.blob || was.path.name() == edit.path.name();
        let at = edit.before.iter().position(is_it)?;
        let PastFile { parent, blob: before, .. } = edit.before[at];
        if before != self.blob {
            self.edits.push(FileEdit { commit: edit.commit, parent, before });
        }
        self.blob = before;
        (self.edits.len() < MAX_VERSIONS).then_some(at)
    }
}
