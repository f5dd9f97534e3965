//! Follows files back through the history as `git log --follow` does, and finds their versions.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use super::Error;
use crate::files::BlobId;
use crate::git::{self, CommitId, CommitNode, Event, Reader};
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
    pub before: BlobId,
}

/// The versions that files had before a commit.
pub(super) struct Versions<'v> {
    pub reader: &'v Reader,
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

/// What a file was before a commit changed it.
pub(super) struct PastFile {
    /// The parent that has it.
    pub parent: CommitId,
    pub path: FilePath,
    pub blob: BlobId,
}

/// A commit that made files what they are.
pub(super) struct PastEdit<'e> {
    pub commit: CommitId,
    /// Their path there.
    pub path: &'e FilePath,
    /// The numbers of the files.
    pub files: &'e [usize],
    /// What they may have been before: the file at that path in each parent; if the first has none,
    /// what the commit deleted, with the same content first, then with the same name.
    pub before: &'e [PastFile],
}

/// Of files that a commit edited, those to follow, each with its place in [`PastEdit::before`].
type Choice = Result<Vec<(usize, usize)>, git::Error>;

/// The files that wait at a commit, by their paths there.
type Waiting = BTreeMap<FilePath, Vec<usize>>;

/// Follows files back, each from the commit and the path where it is, over at most `max_commits`
/// commits.
///
/// A merge is followed into the first parent that has the same file: what it took from another
/// branch was changed there. Where a commit edited files, `choose` says which of them to follow,
/// and what they were before.
///
/// Of the commits where files wait, the newest is the next, so that files that took different ways
/// around a merge meet again, and each tree is read once for all of them. Only folders with one of
/// the files are compared. If `max_commits` is not `usize::MAX`, commits between two with the same
/// files are passed over: what is changed and changed back there is not told.
///
/// # Errors
/// If a commit or a tree cannot be read, or `choose` fails. A history that is cut off ends there.
pub(super) fn follow(
    reader: &Reader,
    files: impl IntoIterator<Item = (CommitId, FilePath)>,
    max_commits: usize,
    mut choose: impl FnMut(&PastEdit<'_>) -> Choice,
) -> Result<(), git::Error> {
    let mut queue = Queue::default();
    let mut ways = Vec::new();
    for (number, (commit, path)) in files.into_iter().enumerate() {
        queue.add(&reader.past_commit(commit)?, Waiting::from([(path, vec![number])]));
        ways.push(Way::default());
    }
    while let Some((_, (at, mut waiting))) = queue.0.pop_first() {
        for files in waiting.values_mut() {
            files.retain(|&file| ways[file].goes_on(at.id, max_commits));
        }
        waiting.retain(|_, files| !files.is_empty());
        let far = waiting.values().flatten().map(|&file| ways[file].n_commits).max();
        let max_passed = far.filter(|_| max_commits < usize::MAX).map_or(0, |n| max_commits - n);
        let (at, n_passed) = unchanged(reader, at, &waiting, max_passed);
        waiting.values().flatten().for_each(|&file| ways[file].n_commits += n_passed);
        step(reader, &at, waiting, &mut choose, &mut queue)?;
    }
    Ok(())
}

/// The way of a file. Replaced commits can lead in a circle: Brent's algorithm finds that (BIT 20,
/// 1980) after at most three times around it and what leads there.
#[derive(Default)]
struct Way {
    n_commits: usize,
    /// The commit after the last power of two.
    mark: Option<CommitId>,
}

impl Way {
    fn goes_on(&mut self, commit: CommitId, max_commits: usize) -> bool {
        self.n_commits += 1;
        let is_circle = self.mark == Some(commit);
        if self.n_commits.is_power_of_two() {
            self.mark = Some(commit);
        }
        self.n_commits <= max_commits && !is_circle
    }
}

/// The commits where files wait, the newest first.
#[derive(Default)]
struct Queue(BTreeMap<(Reverse<i64>, CommitId), (CommitNode, Waiting)>);

impl Queue {
    fn add(&mut self, at: &CommitNode, files: Waiting) {
        let place = self.0.entry((Reverse(at.time), at.id));
        let (_, waiting) = place.or_insert_with(|| (at.clone(), Waiting::new()));
        if waiting.is_empty() {
            *waiting = files;
        } else {
            files.into_iter().for_each(|(path, of)| waiting.entry(path).or_default().extend(of));
        }
    }
}

/// The last commit along first parents, at most `max_passed` of them, that has the files that wait
/// at a commit as they are there, and how far that is.
///
/// The steps double while nothing differs, and halve between what is the same and what is not
/// (Bentley and Yao, 1976): O(log n) trees are read for n commits, not n. What cannot be read ends
/// it.
fn unchanged(
    reader: &Reader,
    at: CommitNode,
    waiting: &Waiting,
    max_passed: usize,
) -> (CommitNode, usize) {
    let mut line = vec![at];
    let (mut same, mut differs, mut step) = (0, None, 1);
    while same < max_passed && differs != Some(same + 1) {
        let next = differs.map_or(same + step, |differs| usize::midpoint(same, differs));
        while line.len() <= next.min(max_passed)
            && let Some(parent) = line[line.len() - 1].parents.first()
            && let Ok(parent) = reader.past_commit(*parent)
        {
            line.push(parent);
        }
        let next = next.min(line.len() - 1);
        if next == same {
            break;
        }
        let events = reader.differences(&line[next], &line[0], &|of| has_in(waiting, of));
        let Ok(events) = events else { break };
        if events.iter().any(|event| waiting.contains_key(&event.path)) {
            differs = Some(next);
        } else {
            (same, step) = (next, 2 * step);
        }
    }
    (line.swap_remove(same), same)
}

/// Moves the files that wait at a commit to its parents.
fn step(
    reader: &Reader,
    at: &CommitNode,
    mut waiting: Waiting,
    choose: &mut impl FnMut(&PastEdit<'_>) -> Choice,
    queue: &mut Queue,
) -> Result<(), git::Error> {
    let (parents, are_all) = reader.past_parents(at)?;
    // What was not the same in any parent so far, and what it was there.
    let mut edits: BTreeMap<FilePath, Vec<PastFile>> = BTreeMap::new();
    for parent in &parents {
        let mut same = std::mem::take(&mut waiting);
        let events = reader.differences(parent, at, &|folder| has_in(&same, folder))?;
        for Event { path, before, .. } in events {
            let Some(files) = same.remove(&path) else { continue };
            let was = before.map(|blob| PastFile { parent: parent.id, path: path.clone(), blob });
            edits.entry(path.clone()).or_default().extend(was);
            waiting.insert(path, files);
        }
        if !same.is_empty() {
            queue.add(parent, same);
        }
    }
    // What a commit that cannot be read did is not what this one did.
    if !are_all {
        return Ok(());
    }
    let mut events = None;
    for (path, files) in waiting {
        let mut before = edits.remove(&path).unwrap_or_default();
        let first = parents.first().map(|first| first.id);
        if first.is_some() && before.first().map(|was| was.parent) != first {
            let events = match &mut events {
                Some(events) => events,
                None => events.insert(reader.events(at.id)?),
            };
            before.extend(deleted(events, &path, parents[0].id));
        }
        let edit = PastEdit { commit: at.id, path: &path, files: &files, before: &before };
        for (file, chosen) in choose(&edit)? {
            let PastFile { parent, path, .. } = &before[chosen];
            if let Some(parent) = parents.iter().find(|of| of.id == *parent) {
                queue.add(parent, Waiting::from([(path.clone(), vec![file])]));
            }
        }
    }
    Ok(())
}

/// Whether a file waits in a folder, whose path ends with a slash.
fn has_in(waiting: &Waiting, folder: &[u8]) -> bool {
    let next = waiting.range(FilePath::new(folder)..).next();
    next.is_some_and(|(path, _)| path.as_bytes().starts_with(folder))
}

/// What a file that is new in a commit may have been before: the files that the commit deleted.
fn deleted(events: &[Event], path: &FilePath, parent: CommitId) -> Vec<PastFile> {
    let blob = events.iter().find(|event| event.path == *path).and_then(|event| event.after);
    let gone = events.iter().filter(|event| event.after.is_none()).filter_map(|event| {
        Some(PastFile { parent, path: event.path.clone(), blob: event.before? })
    });
    let mut gone: Vec<PastFile> = gone.collect();
    gone.sort_by_key(|was| (Some(was.blob) != blob, was.path.name() != path.name()));
    gone
}
