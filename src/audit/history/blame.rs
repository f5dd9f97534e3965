//! Finds when and by whom a piece of code was written, by walking back through the versions of its
//! file.
//!
//! A piece was written by the commit that added most of its lines. It is followed from version to
//! version for as long as the previous one contains at least half of them. Lines are compared
//! without the white space around them, so re-indenting does not count as writing. Renames are
//! followed.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use rayon::prelude::*;

use crate::audit::{Error, Outcome, Progress};
use crate::files::BlobId;
use crate::git::{CommitId, Event, Reader, Repository};
use crate::policy::{Fragment, Place, Writing};
use crate::text::{FilePath, Lines, fnv_1a, readable};

/// Number of commits that are compared with their parents at a time.
const CHUNK: usize = 4 * 1024;
/// Minimum consecutive commits that one thread compares: their trees have most in common.
const MIN_COMMITS: usize = 256;
/// Minimum fraction of a piece's lines that a version must contain to count as a version of it.
const HOLDS_AT: f64 = 0.5;
/// Minimum letters and digits of a line for it to be distinctive.
const TELLING: usize = 4;

/// A piece of code whose author is searched for.
#[derive(Debug, Clone)]
pub(in crate::audit) struct Piece {
    /// The commit whose tree contains it.
    pub commit: CommitId,
    /// The file that contains it.
    pub path: FilePath,
    /// The content of that file.
    pub blob: BlobId,
    /// Its lines, hashed.
    lines: Vec<u64>,
}

impl Piece {
    /// The piece `fragment` of `text`, the file at `path` in the tree of `commit`.
    pub fn new(
        commit: CommitId,
        path: FilePath,
        blob: BlobId,
        text: &[u8],
        fragment: &Fragment,
    ) -> Self {
        let at = Lines::new(text);
        let numbers = fragment.start.line..=fragment.end.line.min(at.n_lines());
        let all: Vec<&[u8]> = numbers.map(|line| at.text(text, line).trim_ascii()).collect();
        let telling: Vec<u64> =
            all.iter().filter(|line| is_telling(line)).map(|line| hash(line)).collect();
        let lines =
            if telling.is_empty() { all.iter().map(|line| hash(line)).collect() } else { telling };
        Self { commit, path, blob, lines }
    }

    /// Whether a version contains enough of it.
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

/// Who wrote each of `pieces`, and when; `None` if the available history does not show it. All of
/// them must be in trees reachable from `tips`.
///
/// A single walk for all: time grows with the number of commits since the oldest of them was
/// written.
///
/// # Errors
/// If the history cannot be read.
pub(in crate::audit) fn written(
    repository: &Repository,
    tips: &[CommitId],
    pieces: Vec<Piece>,
    progress: &dyn Progress,
) -> Result<Vec<Option<Writing>>, Error> {
    let mut walk = Walk {
        written: vec![None; pieces.len()],
        n_open: pieces.len(),
        waiting: HashMap::new(),
        open: BTreeMap::new(),
        pieces,
    };
    for (number, piece) in walk.pieces.iter().enumerate() {
        walk.waiting.entry(piece.commit).or_default().push(number);
    }
    if walk.n_open == 0 {
        return Ok(walk.written);
    }
    progress.begin("origins", walk.n_open);
    let reader = repository.reader();
    reader.walk_back(tips, CHUNK, |commits| {
        let events = commits
            .par_iter()
            .with_min_len(MIN_COMMITS)
            .map_init(|| repository.history_reader(), |reader, commit| reader.events(*commit))
            .collect::<Result<Vec<_>, _>>()?;
        for (commit, events) in commits.iter().zip(&events) {
            walk.pass(*commit, events, &reader, progress)?;
        }
        Ok(walk.n_open > 0)
    })?;
    Ok(walk.written)
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
    let ends = [Some(&outcome.head), outcome.base.as_ref()].into_iter().flatten();
    let Some(tip) = ends.filter_map(|end| end.commit).next() else { return Ok(()) };
    let mut pieces = Vec::new();
    let mut places = Vec::new();
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
            let piece = Piece::new(commit, origin.path.clone(), blob, text, &origin.fragment);
            // What the index or the work tree adds has no author yet.
            let version = reader.past_blob(blob, &origin.path)?.unwrap_or_default();
            if piece.is_in(&lines_of(&version)) {
                pieces.push(piece);
                places.push((at, number));
            }
        }
    }
    let writings = written(repository, &[tip], pieces, progress)?;
    for ((at, number), writing) in places.into_iter().zip(writings) {
        outcome.findings[at].origins[number].written = writing.map(Arc::new);
    }
    Ok(())
}

/// The state of the walk back.
struct Walk {
    pieces: Vec<Piece>,
    written: Vec<Option<Writing>>,
    /// Pieces whose author is not known yet.
    n_open: usize,
    /// Pieces in the trees of commits that have not been reached yet.
    waiting: HashMap<CommitId, Vec<usize>>,
    /// Pieces being followed, by their current file.
    open: BTreeMap<FilePath, Vec<usize>>,
}

impl Walk {
    /// Goes back by one commit.
    fn pass(
        &mut self,
        commit: CommitId,
        events: &[Event],
        reader: &Reader,
        progress: &dyn Progress,
    ) -> Result<(), crate::git::Error> {
        for number in self.waiting.remove(&commit).unwrap_or_default() {
            self.open.entry(self.pieces[number].path.clone()).or_default().push(number);
        }
        for event in events {
            let Some(numbers) = self.open.get(&event.path) else { continue };
            // The content afterward is not the version being followed: another branch made it.
            let (followed, others): (Vec<usize>, Vec<usize>) =
                numbers.iter().partition(|&&number| Some(self.pieces[number].blob) == event.after);
            if followed.is_empty() {
                continue;
            }
            self.open.insert(event.path.clone(), others);
            let versions = before(commit, event, events, reader)?;
            for number in followed {
                let piece = &mut self.pieces[number];
                match versions.iter().find(|version| piece.is_in(&version.lines)) {
                    Some(version) => {
                        (piece.path, piece.blob) = (version.path.clone(), version.blob);
                        self.open.entry(version.path.clone()).or_default().push(number);
                    }
                    None => {
                        let info = reader.info(commit)?;
                        self.written[number] = Some(Writing {
                            commit: commit.to_string(),
                            author: info.author,
                            time: info.author_time,
                            path: event.path.clone(),
                        });
                        self.n_open -= 1;
                        progress.step();
                    }
                }
            }
        }
        Ok(())
    }
}

/// What a file was before a commit.
struct PieceVersion {
    path: FilePath,
    blob: BlobId,
    lines: HashSet<u64>,
}

/// The possible predecessors of a file: the file with its name in each parent; for a new file,
/// those that the commit deleted.
fn before(
    commit: CommitId,
    event: &Event,
    events: &[Event],
    reader: &Reader,
) -> Result<Vec<PieceVersion>, crate::git::Error> {
    let mut candidates: Vec<(FilePath, BlobId)> = Vec::new();
    candidates.extend(event.before.map(|blob| (event.path.clone(), blob)));
    for parent in reader.parents(commit)?.into_iter().skip(1) {
        candidates
            .extend(reader.blob_at(parent, &event.path)?.map(|blob| (event.path.clone(), blob)));
    }
    if event.before.is_none() {
        let is_gone = |other: &&Event| other.after.is_none();
        let mut gone: Vec<(FilePath, BlobId)> = events
            .iter()
            .filter(is_gone)
            .filter_map(|other| Some((other.path.clone(), other.before?)))
            .collect();
        // A file of the same name in another folder is the most likely.
        gone.sort_by_key(|(path, _)| path.name() != event.path.name());
        candidates.extend(gone);
    }
    let mut versions = Vec::new();
    for (path, blob) in candidates {
        if reader.blob_size(blob).is_some_and(|size| size > MAX_VERSION) {
            continue;
        }
        let Some(text) = reader.past_blob(blob, &path)? else { continue };
        versions.push(PieceVersion { path, blob, lines: lines_of(&readable(text)) });
    }
    Ok(versions)
}
