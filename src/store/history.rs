//! Keeps where each fingerprint of a history appeared first, and what each commit did to each file.
//!
//! A history repeats itself: one row for each distinct fingerprint is a hundredth of one for each
//! occurrence. Each update adds a segment with what is new in the commits since.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::postings::{Postings, PostingsWriter, key};
use super::segment::{Kind, Params, Section, Segment, SegmentError, u32_at};
use super::write::{SegmentWriter, list, sweep};
use crate::text::FilePath;

/// What the files of the history index are called.
const NAME: &str = "history";
/// Segments from which on the index is made anew as one.
const MAX_SEGMENTS: usize = 24;

const TIPS: u32 = 1;
const COMMITS: u32 = 2;
const PATHS: u32 = 3;
const EVENTS: u32 = 4;
const POSTINGS: u32 = 5;

/// What a commit did to a file. Ids are as git has them; the empty one stands for no file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PastEvent {
    /// The file.
    pub path: FilePath,
    /// The commit.
    pub commit: Vec<u8>,
    /// The content before, if there was such a file.
    pub before: Option<Vec<u8>>,
    /// The content after, if there is such a file still.
    pub after: Option<Vec<u8>>,
}

/// A stretch of history that is to be kept: the events in order, and for each new fingerprint its first event.
#[derive(Debug, Default)]
pub struct Stretch {
    /// The commits whose past is known with this stretch.
    pub tips: Vec<Vec<u8>>,
    /// The events, the oldest first.
    pub events: Vec<PastEvent>,
    /// Keys of fingerprints and the number of the event that brought each in first.
    pub first: Vec<(u64, u32)>,
}

#[derive(Debug)]
struct Part {
    segment: Segment,
    /// The paths, sorted; an event names one by its number.
    paths: Vec<FilePath>,
}

/// The history index: all segments in a folder that were made with the same parameters, the oldest first.
#[derive(Debug)]
pub struct History {
    folder: PathBuf,
    params: Params,
    parts: Vec<Part>,
}

impl History {
    /// Opens the index in `folder`; an empty one when there is none, or when a part of it is damaged.
    pub fn open(folder: &Path, params: Params) -> Self {
        let parts = list(folder, NAME).iter().map(|path| Part::open(path, &params)).collect::<Result<Vec<_>, _>>();
        let is_other = |fault: &SegmentError| matches!(fault, SegmentError::OtherParams | SegmentError::Version { .. });
        let parts = match parts {
            Ok(parts) if parts.len() <= MAX_SEGMENTS => parts,
            Err(fault) if is_other(&fault) => Self::open_own(folder, &params),
            _ => Vec::new(),
        };
        Self { folder: folder.to_owned(), params, parts }
    }

    /// The parts that were made with these parameters, when others are there as well.
    fn open_own(folder: &Path, params: &Params) -> Vec<Part> {
        let parts = list(folder, NAME).into_iter().map(|path| Part::open(&path, params));
        let own = parts.filter(|part| !matches!(part, Err(SegmentError::OtherParams | SegmentError::Version { .. })));
        own.collect::<Result<Vec<_>, _>>().unwrap_or_default()
    }

    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The bytes of the files that are read.
    pub fn n_bytes(&self) -> u64 {
        self.parts.iter().map(|part| part.segment.n_bytes() as u64).sum()
    }

    /// The number of distinct fingerprints.
    pub fn n_fingerprints(&self) -> usize {
        let postings = self.parts.iter().filter_map(|part| Postings::new(&part.segment, POSTINGS).ok());
        postings.map(|postings| postings.len()).sum()
    }

    /// The commits whose past is known.
    ///
    /// # Errors
    /// When what is read is damaged.
    pub fn tips(&self) -> Result<Vec<Vec<u8>>, SegmentError> {
        let n_id = self.params.hash.len();
        let mut tips = Vec::new();
        for part in &self.parts {
            tips.extend(part.segment.section(TIPS)?.all()?.chunks_exact(n_id).map(<[u8]>::to_vec));
        }
        Ok(tips)
    }

    /// The paths of the files in which a fingerprint appeared first, one for each part of the index that has it.
    ///
    /// # Errors
    /// When what is read is damaged.
    pub fn paths_of(&self, hash: u64) -> Result<Vec<&FilePath>, SegmentError> {
        let mut paths = Vec::new();
        for part in &self.parts {
            for event in Postings::new(&part.segment, POSTINGS)?.get(key(hash))? {
                let row = part.event(u32_at(event, 0).unwrap_or(u32::MAX) as usize, self.params.hash.len())?;
                paths.push(part.path(row)?);
            }
        }
        Ok(paths)
    }

    /// Whether a fingerprint has appeared, by its [`key`].
    ///
    /// # Errors
    /// When what is read is damaged.
    pub fn has(&self, key: u64) -> Result<bool, SegmentError> {
        for part in &self.parts {
            if Postings::new(&part.segment, POSTINGS)?.get(key)?.next().is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What was done to each of `paths`, the oldest first.
    ///
    /// # Errors
    /// When what is read is damaged.
    pub fn events_of(&self, paths: &[FilePath]) -> Result<BTreeMap<FilePath, Vec<PastEvent>>, SegmentError> {
        let n_id = self.params.hash.len();
        let mut found: BTreeMap<FilePath, Vec<PastEvent>> = BTreeMap::new();
        for part in &self.parts {
            let asked: Vec<usize> = paths.iter().filter_map(|path| part.paths.binary_search(path).ok()).collect();
            let commits = part.segment.section(COMMITS)?;
            for row in part.segment.section(EVENTS)?.all()?.chunks_exact(8 + 2 * n_id) {
                let path = u32_at(row, 0).unwrap_or(u32::MAX) as usize;
                if !asked.contains(&path) {
                    continue;
                }
                let id = |bytes: &[u8]| bytes.iter().any(|&byte| byte != 0).then(|| bytes.to_vec());
                let path = part.paths[path].clone();
                let event = PastEvent {
                    commit: commits.row(u32_at(row, 4).unwrap_or(u32::MAX) as usize, n_id)?.to_vec(),
                    before: id(&row[8..8 + n_id]),
                    after: id(&row[8 + n_id..]),
                    path: path.clone(),
                };
                found.entry(path).or_default().push(event);
            }
        }
        Ok(found)
    }

    /// Adds a stretch of history. Where nothing could be read of what is there, that is removed first.
    ///
    /// # Errors
    /// When the folder takes no more. What was there stays as it was.
    pub fn keep(&self, stretch: Stretch) -> Result<(), SegmentError> {
        let old = if self.parts.is_empty() { list(&self.folder, NAME) } else { Vec::new() };
        self.write(stretch)?;
        for path in old {
            let fault = Segment::open(&path).and_then(|segment| segment.with_params(&self.params));
            if !matches!(fault, Err(SegmentError::OtherParams | SegmentError::Version { .. })) {
                // Where it cannot be removed it costs space only.
                let _ = std::fs::remove_file(path);
            }
        }
        sweep(&self.folder);
        Ok(())
    }

    fn write(&self, mut stretch: Stretch) -> Result<PathBuf, SegmentError> {
        let mut commits: Vec<&[u8]> = stretch.events.iter().map(|event| &*event.commit).collect();
        commits.dedup();
        let mut paths: Vec<&FilePath> = stretch.events.iter().map(|event| &event.path).collect();
        paths.sort_unstable();
        paths.dedup();
        let mut out = SegmentWriter::create(&self.folder, Kind::History, self.params)?;
        out.begin(TIPS);
        out.write(&stretch.tips.concat())?;
        out.begin(COMMITS);
        for commit in &commits {
            out.write(commit)?;
        }
        out.begin(PATHS);
        for path in &paths {
            out.write(&(path.as_bytes().len() as u32).to_le_bytes())?;
            out.write(path.as_bytes())?;
        }
        out.begin(EVENTS);
        let none = vec![0; self.params.hash.len()];
        let mut commit = 0;
        for event in &stretch.events {
            while commits[commit] != event.commit {
                commit += 1;
            }
            let path = paths.binary_search(&&event.path).unwrap_or_default();
            out.write(&(path as u32).to_le_bytes())?;
            out.write(&(commit as u32).to_le_bytes())?;
            out.write(event.before.as_ref().unwrap_or(&none))?;
            out.write(event.after.as_ref().unwrap_or(&none))?;
        }
        stretch.first.sort_unstable();
        let mut postings = PostingsWriter::new(stretch.first.len(), 4);
        for (key, event) in &stretch.first {
            postings.push(*key, &event.to_le_bytes());
        }
        postings.write(&mut out, POSTINGS)?;
        out.finish(NAME)
    }

    /// Removes the index in `folder`; returns the number of files and their bytes.
    pub fn clear(folder: &Path) -> (usize, u64) {
        let sized =
            list(folder, NAME).into_iter().map(|path| (std::fs::metadata(&path).map_or(0, |file| file.len()), path));
        let removed = sized.filter(|(_, path)| std::fs::remove_file(path).is_ok());
        removed.fold((0, 0), |(n, total), (size, _)| (n + 1, total + size))
    }
}

impl Part {
    fn open(path: &Path, params: &Params) -> Result<Self, SegmentError> {
        let segment = Segment::open(path)?.of_kind(Kind::History)?.with_params(params)?;
        for id in [TIPS, COMMITS, EVENTS] {
            segment.section(id)?;
        }
        Postings::new(&segment, POSTINGS)?;
        let paths = paths(segment.section(PATHS)?)?;
        Ok(Self { segment, paths })
    }

    fn event(&self, at: usize, n_id: usize) -> Result<&[u8], SegmentError> {
        self.segment.section(EVENTS)?.row(at, 8 + 2 * n_id)
    }

    fn path(&self, event: &[u8]) -> Result<&FilePath, SegmentError> {
        let number = u32_at(event, 0).unwrap_or(u32::MAX) as usize;
        self.paths.get(number).ok_or(SegmentError::Damaged("the path of an event"))
    }
}

/// Reads paths: for each its length in four bytes, and its bytes. They come sorted.
fn paths(section: Section<'_>) -> Result<Vec<FilePath>, SegmentError> {
    let damaged = || SegmentError::Damaged("its paths");
    let mut rest = section.all()?;
    let mut paths: Vec<FilePath> = Vec::new();
    while let Some((len, after)) = rest.split_first_chunk::<4>() {
        let len = u32::from_le_bytes(*len) as usize;
        let path = FilePath::new(after.get(..len).ok_or_else(damaged)?);
        if paths.last().is_some_and(|last| *last >= path) {
            return Err(damaged());
        }
        paths.push(path);
        rest = &after[len..];
    }
    if rest.is_empty() { Ok(paths) } else { Err(damaged()) }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{PARAMS, folder};
    use super::*;

    fn event(path: &str, commit: u8, before: u8, after: u8) -> PastEvent {
        let id = |n: u8| (n > 0).then(|| vec![n; 20]);
        PastEvent { path: FilePath::new(path), commit: vec![commit; 20], before: id(before), after: id(after) }
    }

    #[test]
    fn each_update_adds_to_what_is_known() {
        let folder = folder();
        let history = || History::open(folder.path(), PARAMS);
        let of_a = [event("a.c", 1, 0, 1), event("a.c", 2, 1, 2), event("a.c", 3, 2, 0)];
        let first = Stretch {
            tips: vec![vec![2; 20]],
            events: vec![of_a[0].clone(), event("b.c", 1, 0, 9), of_a[1].clone()],
            first: vec![(key(7), 0), (key(8), 1), (key(9), 2)],
        };
        history().keep(first).expect("the folder is writable");
        let second = Stretch { tips: vec![vec![3; 20]], events: vec![of_a[2].clone()], first: vec![(key(10), 0)] };
        history().keep(second).expect("the folder is writable");
        let history = history();
        assert_eq!(history.tips().expect("it is whole"), [vec![2; 20], vec![3; 20]]);
        let path = |hash| history.paths_of(hash).expect("it is whole").first().map(ToString::to_string);
        assert_eq!([7, 8, 10, 11].map(path), [Some("a.c".into()), Some("b.c".into()), Some("a.c".into()), None]);
        let events = history.events_of(&[FilePath::new("a.c")]).expect("it is whole");
        assert_eq!(events[&FilePath::new("a.c")], of_a);
        assert!(history.has(key(9)).expect("it is whole") && !history.has(key(12)).expect("it is whole"));
    }

    #[test]
    fn a_damaged_index_is_as_none_and_is_replaced() {
        let folder = folder();
        let stretch = |commit: u8| Stretch {
            tips: vec![vec![commit; 20]],
            events: vec![event("a.c", commit, 0, 1)],
            first: vec![(key(u64::from(commit)), 0)],
        };
        History::open(folder.path(), PARAMS).keep(stretch(1)).expect("the folder is writable");
        let path = list(folder.path(), NAME).pop().expect("there is one");
        let bytes = std::fs::read(&path).expect("it is there");
        std::fs::write(&path, &bytes[..bytes.len() - 9]).expect("it is writable");
        let history = History::open(folder.path(), PARAMS);
        assert!(history.is_empty());
        history.keep(stretch(2)).expect("the folder is writable");
        assert_eq!(History::open(folder.path(), PARAMS).tips().expect("it is whole"), [vec![2; 20]]);
        assert_eq!(list(folder.path(), NAME).len(), 1);
    }
}
