//! Finds when and by whom code was written, by walking back through the versions of its file.
//!
//! A piece was written by the commit that added most of its lines. It is followed, under all its
//! names, for as long as the previous version contains at least half of them. Lines are compared
//! without the white space around them, so re-indenting does not count as writing.

use std::collections::HashSet;
use std::sync::Arc;

use crate::audit::versions::{PastEdit, follow};
use crate::audit::{Error, Outcome, Progress};
use crate::git::{CommitId, Reader, Repository};
use crate::policy::{Fragment, Place, Writing};
use crate::text::{FilePath, Lines, fnv_1a, readable};

/// Minimum fraction of a piece's lines that a version must contain to count as a version of it.
const HOLDS_AT: f64 = 0.5;
/// Minimum letters and digits of a line for it to be distinctive.
const TELLING: usize = 4;

/// A piece of code whose author is searched for.
#[derive(Debug, Clone)]
pub(in crate::audit) struct Piece {
    /// The commit whose tree contains it.
    pub commit: CommitId,
    pub path: FilePath,
    lines: Vec<u64>,
}

impl Piece {
    /// The piece `fragment` of `text`, the file at `path` in the tree of `commit`.
    pub fn new(commit: CommitId, path: FilePath, text: &[u8], fragment: &Fragment) -> Self {
        let at = Lines::new(text);
        let numbers = fragment.start.line..=fragment.end.line.min(at.n_lines());
        let all = numbers.map(|line| at.text(text, line).trim_ascii());
        let mut lines: Vec<u64> = all.clone().filter(|line| is_telling(line)).map(hash).collect();
        if lines.is_empty() {
            lines = all.map(hash).collect();
        }
        Self { commit, path, lines }
    }

    fn is_in(&self, version: &HashSet<u64>) -> bool {
        let n_held = self.lines.iter().filter(|line| version.contains(line)).count();
        n_held as f64 >= HOLDS_AT * self.lines.len() as f64
    }
}

fn lines_of(text: &[u8]) -> HashSet<u64> {
    text.split(|&byte| byte == b'\n').map(|line| hash(line.trim_ascii())).collect()
}

fn is_telling(line: &[u8]) -> bool {
    line.iter().filter(|byte| byte.is_ascii_alphanumeric()).take(TELLING).count() == TELLING
}

fn hash(line: &[u8]) -> u64 {
    fnv_1a(line.iter().copied())
}

/// Who wrote each of `pieces`, and when; `None` if the available history does not show it. A single
/// walk for all: time grows with the commits since the oldest was written.
pub(in crate::audit) fn written(
    repository: &Repository,
    pieces: &[Piece],
    progress: &dyn Progress,
) -> Result<Vec<Option<Writing>>, Error> {
    let mut written = vec![None; pieces.len()];
    if pieces.is_empty() {
        return Ok(written);
    }
    progress.begin("origins", pieces.len());
    let reader = repository.history_reader();
    let starts = pieces.iter().map(|piece| (piece.commit, piece.path.clone()));
    follow(&reader, starts, usize::MAX, |edit| {
        let mut former = FormerFiles { edit, reader: &reader, lines: Vec::new() };
        let mut followed = Vec::new();
        for &number in edit.files {
            match former.holder(&pieces[number])? {
                Some(at) => followed.push((number, at)),
                None => {
                    written[number] = Some(writing(edit, &reader)?);
                    progress.step();
                }
            }
        }
        Ok(followed)
    })?;
    Ok(written)
}

/// What files may have been before an edit.
struct FormerFiles<'v> {
    edit: &'v PastEdit<'v>,
    reader: &'v Reader,
    /// The lines of the first few; none of what is not looked into.
    lines: Vec<HashSet<u64>>,
}

impl FormerFiles<'_> {
    /// The first that holds a piece.
    fn holder(&mut self, piece: &Piece) -> Result<Option<usize>, crate::git::Error> {
        for (at, was) in self.edit.before.iter().enumerate() {
            if at == self.lines.len() {
                let is_large = self.reader.blob_size(was.blob).is_some_and(|n| n > MAX_VERSION);
                let text =
                    if is_large { None } else { self.reader.past_blob(was.blob, &was.path)? };
                self.lines.push(text.map(|text| lines_of(&readable(text))).unwrap_or_default());
            }
            if piece.is_in(&self.lines[at]) {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }
}

fn writing(edit: &PastEdit<'_>, reader: &Reader) -> Result<Writing, crate::git::Error> {
    let info = reader.info(edit.commit)?;
    Ok(Writing {
        commit: edit.commit.to_string(),
        author: info.author,
        time: info.author_time,
        path: edit.path.clone(),
    })
}

/// Maximum bytes of an earlier version of a file: code was not in a larger one.
const MAX_VERSION: u64 = 64 << 20;

/// Maximum origins of one finding whose authors are searched for.
const MAX_BLAMED: usize = 3;

/// Finds when and by whom the origins of an outcome were written, for the best ones of each
/// finding.
///
/// # Errors
/// If the history cannot be read.
pub fn blame(
    repository: &Repository,
    outcome: &mut Outcome,
    progress: &dyn Progress,
) -> Result<(), Error> {
    let reader = repository.reader();
    let tip = outcome.head.commit.or(outcome.base.as_ref().and_then(|base| base.commit));
    let Some(tip) = tip else { return Ok(()) };
    let (mut pieces, mut places) = (Vec::new(), Vec::new());
    for (at, finding) in outcome.findings.iter().enumerate() {
        for (number, origin) in finding.origins.iter().enumerate().take(MAX_BLAMED) {
            let (commit, text) = match &origin.place {
                Place::Tree => (tip, outcome.texts.get(&origin.path).map(|text| &**text)),
                Place::Past(deletion) => {
                    let deleting = reader.commit(&deletion.commit)?;
                    let Some(before) = reader.parents(deleting)?.first().copied() else { continue };
                    (before, origin.text.as_ref().map(|text| &***text))
                }
                Place::Component(_) => continue,
            };
            let (Some(text), Some(blob)) = (text, reader.blob_at(commit, &origin.path)?) else {
                continue;
            };
            let piece = Piece::new(commit, origin.path.clone(), text, &origin.fragment);
            // What the index or the work tree adds has no author yet.
            let version = reader.past_blob(blob, &origin.path)?.unwrap_or_default();
            if piece.is_in(&lines_of(&version)) {
                pieces.push(piece);
                places.push((at, number));
            }
        }
    }
    let writings = written(repository, &pieces, progress)?;
    for ((at, number), writing) in places.into_iter().zip(writings) {
        outcome.findings[at].origins[number].written = writing.map(Arc::new);
    }
    Ok(())
}
