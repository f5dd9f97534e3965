//! Stores where each fingerprint of a history first appeared, and what each commit did to each
//! file.
//!
//! Histories are repetitive: one row for each distinct fingerprint takes a hundredth of one for
//! each occurrence. Each update adds a segment with what is new in the commits since.
//!
//! ```text
//! segment          1              2            3
//! commits          A B C          D E          F           oldest first
//! before           0              3 ids        5 ids       in bytes: how much the earlier segments must have
//! fingerprints     first seen     only those   only those
//!                  in A to C      not in 1     not in 1 or 2
//! ```
//!
//! If segment 2 is lost, segment 3 notices that too few ids precede it, and the whole index is
//! rebuilt.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use super::earliest::Earliest;
use super::error::{Result, SegmentError};
use super::postings::{Postings, PostingsWriter, key};
use super::segment::{Section, Segment, SegmentKind, SegmentParams, u32_at, u64_at};
use super::write::{SegmentWriter, list, remove_all, sweep};
use super::{MAX_SEGMENTS, TRIES};
use crate::files::BlobId;
use crate::git::CommitId;
use crate::text::FilePath;

/// Maximum number of segments; if there are more, someone else put them there.
const TOO_MANY: usize = 1_000;

/// The postings take three sections.
#[derive(Clone, Copy)]
enum SectionId {
    Tips = 1,
    Commits = 2,
    Paths = 3,
    Events = 4,
    Postings = 5,
    Before = 8,
}

impl From<SectionId> for u32 {
    fn from(id: SectionId) -> Self {
        id as Self
    }
}

/// How much of the past an index covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Everything reachable from its tips.
    Whole,
    /// A part of it: what its commits added, and what existed before them.
    Part,
}

impl Extent {
    /// The name of the files of such an index.
    fn name(self) -> &'static str {
        match self {
            Self::Whole => "history",
            Self::Part => "recent",
        }
    }
}

/// What a commit did to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileEvent<P, C> {
    /// The file.
    pub path: P,
    /// The commit.
    pub commit: C,
    /// The content before, if the file existed.
    pub before: Option<BlobId>,
    /// The content after, if the file still exists.
    pub after: Option<BlobId>,
}

/// What a commit did to a file, with both of them.
pub type PastEvent = FileEvent<FilePath, CommitId>;

/// Like [`PastEvent`], with the numbers of path and commit in a [`Stretch`].
pub type EventRow = FileEvent<u32, u32>;

/// A stretch of history to store, without its fingerprints.
#[derive(Debug, Default)]
pub struct Stretch {
    /// The commits whose history is known with this stretch.
    pub tips: Vec<CommitId>,
    /// Its commits, the oldest first.
    pub commits: Vec<CommitId>,
    /// Its paths, each once, in any order.
    pub paths: Vec<FilePath>,
    /// The events, the oldest first.
    pub events: Vec<EventRow>,
}

#[derive(Debug)]
struct Part {
    file: PathBuf,
    segment: Segment,
    /// The paths, sorted; an event refers to one by its number.
    paths: Vec<FilePath>,
    /// The bytes of commit ids in the earlier parts, without which this part is incomplete.
    n_before: u64,
}

/// The history index: all segments in a folder with the same parameters, the oldest first.
///
/// What is asked of it fails if the data is damaged, and names the file.
#[derive(Debug)]
pub struct History {
    /// `None`: it is in memory, for one run.
    folder: Option<PathBuf>,
    params: SegmentParams,
    extent: Extent,
    parts: Vec<Part>,
    /// Why nothing could be read, although there are files.
    fault: Option<SegmentError>,
}

impl History {
    /// An empty index in memory, for one run.
    pub fn in_memory(params: SegmentParams, extent: Extent) -> Self {
        Self { folder: None, params, extent, parts: Vec::new(), fault: None }
    }

    /// Opens the index in `folder`; an empty one when there is none, or when a part of it is
    /// damaged or missing.
    pub fn open(folder: &Path, params: SegmentParams, extent: Extent) -> Self {
        let mut opened =
            Self { folder: Some(folder.to_owned()), ..Self::in_memory(params, extent) };
        for _ in 0..TRIES {
            match open_parts(folder, &params, extent) {
                Ok(parts) => return Self { parts, fault: None, ..opened },
                // Another process merges it: files are gone after they were listed, or were listed
                // in part.
                Err(why) => opened.fault = Some(why),
            }
        }
        opened
    }

    /// This index, if its files could be read.
    pub fn readable(mut self) -> Result<Self> {
        self.fault.take().map_or(Ok(self), Err)
    }

    /// Reads every byte, so that all damage is found.
    pub fn verify(&self) -> Result<()> {
        self.each_part(|part| part.segment.verify())
    }

    fn each_part<'h>(&'h self, mut read: impl FnMut(&'h Part) -> Result<()>) -> Result<()> {
        self.parts.iter().try_for_each(|part| read(part).map_err(|why| why.of(&part.file)))
    }

    /// Removes the index of `extent` in `folder`, but not what was made with other parameters.
    pub fn discard(folder: &Path, params: &SegmentParams, extent: Extent) {
        for path in list(folder, extent.name()) {
            let fault = Segment::open(&path).and_then(|segment| segment.with_params(params));
            if !matches!(fault, Err(SegmentError::OtherParams | SegmentError::Version { .. })) {
                // Where it cannot be removed it costs space only.
                let _ = std::fs::remove_file(path);
            }
        }
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The total size of its files in bytes.
    pub fn n_bytes(&self) -> u64 {
        self.parts.iter().map(|part| part.segment.n_bytes() as u64).sum()
    }

    /// The number of distinct fingerprints.
    pub fn n_fingerprints(&self) -> usize {
        self.parts.iter().filter_map(|part| part.postings().ok()).map(|all| all.n_rows()).sum()
    }

    /// The number of its files.
    pub fn n_segments(&self) -> usize {
        self.parts.len()
    }

    /// The commits whose history is known.
    pub fn tips(&self) -> Result<Vec<CommitId>> {
        self.ids(SectionId::Tips)
    }

    /// The commits that were read.
    pub fn commits(&self) -> Result<Vec<CommitId>> {
        self.ids(SectionId::Commits)
    }

    fn ids(&self, id: SectionId) -> Result<Vec<CommitId>> {
        let mut ids = Vec::new();
        self.each_part(|part| part.ids(id).map(|of_part| ids.extend(of_part)))?;
        Ok(ids)
    }

    /// The paths of the files in which a fingerprint first appeared, one for each part of the index
    /// that has it.
    pub fn paths_of(&self, hash: u64) -> Result<Vec<&FilePath>> {
        let mut paths = Vec::new();
        self.each_part(|part| {
            for event in part.postings()?.get(key(hash))? {
                let at = u32_at(event, 0).unwrap_or(u32::MAX) as usize;
                let row = part.segment.section(SectionId::Events)?.row(at, part.n_event())?;
                paths.push(part.path(u32_at(row, 0).unwrap_or(u32::MAX))?);
            }
            Ok(())
        })?;
        Ok(paths)
    }

    /// Whether a fingerprint has appeared, by its [`key`].
    pub fn has(&self, key: u64) -> Result<bool> {
        for part in &self.parts {
            let found = part.postings().and_then(|all| all.get(key));
            if found.map_err(|why| why.of(&part.file))?.len() > 0 {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// What was done to each of `paths`, the oldest first.
    pub fn events_of(&self, paths: &[FilePath]) -> Result<BTreeMap<FilePath, Vec<PastEvent>>> {
        let mut found: BTreeMap<FilePath, Vec<PastEvent>> = BTreeMap::new();
        self.each_part(|part| {
            let mut is_asked = vec![false; part.paths.len()];
            for at in paths.iter().filter_map(|path| part.paths.binary_search(path).ok()) {
                is_asked[at] = true;
            }
            for row in part.events()? {
                if is_asked.get(row.path as usize) == Some(&true) {
                    let event = part.past_event(row)?;
                    found.entry(event.path.clone()).or_default().push(event);
                }
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// The events that took one of `blobs` from its path, the oldest first.
    ///
    /// Time O(n) for n events.
    pub fn removals_of(&self, blobs: &HashSet<BlobId>) -> Result<Vec<PastEvent>> {
        let mut found = Vec::new();
        if blobs.is_empty() {
            return Ok(found);
        }
        self.each_part(|part| {
            for row in part.events()? {
                if row.before.is_some_and(|blob| blobs.contains(&blob)) {
                    found.push(part.past_event(row)?);
                }
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// The index with a stretch of history more, and those of its fingerprints that are not known;
    /// `first` has their keys, with the number of the event that first added each. Where nothing
    /// could be read of what is there, that is removed first.
    ///
    /// Also why the stretch could not be kept in the folder, where it takes no more: then it is in
    /// memory.
    pub fn keep(
        mut self,
        stretch: &Stretch,
        first: Earliest,
    ) -> Result<(Self, Option<SegmentError>)> {
        if let Some(folder) = self.folder.as_ref().filter(|_| self.parts.is_empty()) {
            Self::discard(folder, &self.params, self.extent);
        }
        let mut rows = Vec::new();
        // Keys come sorted, each with its earliest event in this stretch. A fingerprint that an
        // older segment has first appeared there, so it gets no row here: each fingerprint has one
        // row in the whole index.
        for row in first.into_sorted()? {
            let (key, event) = row?;
            if !self.has(key)? {
                rows.push((key, event));
            }
        }
        let unkept = match &self.folder {
            None => None,
            Some(folder) => match self.write(folder, &self.parts, stretch, &rows) {
                Ok(_) => {
                    let kept = Self::open(folder, self.params, self.extent).readable()?;
                    sweep(folder);
                    if kept.parts.len() < MAX_SEGMENTS || kept.merge(folder).is_err() {
                        return Ok((kept, None));
                    }
                    return Ok((Self::open(folder, self.params, self.extent).readable()?, None));
                }
                Err(why @ SegmentError::File { .. }) => Some(why),
                Err(why) => return Err(why),
            },
        };
        let mut out = SegmentWriter::in_memory(SegmentKind::History, self.params);
        self.fill(&mut out, &self.parts, stretch, &rows)?;
        let segment = Segment::from_bytes(out.finish_in_memory()?)?;
        self.parts.push(Part::new(segment, Path::new("the index in memory"))?);
        Ok((self, unkept))
    }

    /// Merges all segments but those that are larger than all newer ones together.
    fn merge(&self, folder: &Path) -> Result<()> {
        let mut n_newer = 0;
        let mut from = self.parts.len();
        for (at, part) in self.parts.iter().enumerate().rev() {
            if part.segment.n_bytes() <= 2 * n_newer {
                from = at;
            }
            n_newer += part.segment.n_bytes();
        }
        let (before, merged) = self.parts.split_at(from.min(self.parts.len().saturating_sub(2)));
        if merged.len() < 2 {
            return Ok(());
        }
        let mut paths: Vec<FilePath> =
            merged.iter().flat_map(|part| part.paths.iter().cloned()).collect();
        paths.sort_unstable();
        paths.dedup();
        let mut all = Stretch { paths, ..Stretch::default() };
        let mut rows: Vec<(u64, u32)> = Vec::new();
        for part in merged {
            let (n_events, n_commits) = (all.events.len() as u32, all.commits.len() as u32);
            let numbers = part.paths.iter().map(|path| all.paths.binary_search(path));
            let numbers: Vec<u32> = numbers.map(|at| at.unwrap_or_default() as u32).collect();
            all.tips.extend(part.ids(SectionId::Tips)?);
            all.commits.extend(part.ids(SectionId::Commits)?);
            for row in part.events()? {
                let path = *numbers.get(row.path as usize).ok_or(DAMAGED_EVENT)?;
                let commit = row.commit.saturating_add(n_commits);
                all.events.push(EventRow { path, commit, ..row });
            }
            rows.extend(part.postings()?.rows()?.filter_map(|(key, event)| {
                Some((key, u32_at(event, 0)?.saturating_add(n_events)))
            }));
        }
        // Segments are merged oldest first and events are renumbered in that order, so of several
        // rows with one key the first after sorting is the earliest event. Sort and dedup belong
        // together here.
        rows.sort_unstable();
        rows.dedup_by_key(|(key, _)| *key);
        let mut known = HashSet::new();
        all.tips.retain(|tip| known.insert(*tip));
        self.write(folder, before, &all, &rows)?;
        for part in merged {
            let _ = std::fs::remove_file(&part.file);
        }
        Ok(())
    }

    /// Writes a segment to `folder` that comes after those `before`; `rows` are the keys of its
    /// fingerprints, sorted, and the first event of each.
    fn write(
        &self,
        folder: &Path,
        before: &[Part],
        stretch: &Stretch,
        rows: &[(u64, u32)],
    ) -> Result<()> {
        let mut out = SegmentWriter::create(folder, SegmentKind::History, self.params)?;
        self.fill(&mut out, before, stretch, rows)?;
        out.finish(self.extent.name()).map(drop)
    }

    fn fill(
        &self,
        out: &mut SegmentWriter,
        before: &[Part],
        stretch: &Stretch,
        rows: &[(u64, u32)],
    ) -> Result<()> {
        let Stretch { tips, commits, paths, events } = stretch;
        let mut order: Vec<u32> = (0..paths.len() as u32).collect();
        order.sort_unstable_by_key(|&number| &paths[number as usize]);
        let mut numbers = vec![0u32; paths.len()];
        for (at, &number) in order.iter().enumerate() {
            numbers[number as usize] = at as u32;
        }
        for (section, ids) in [(SectionId::Tips, tips), (SectionId::Commits, commits)] {
            out.begin(section);
            ids.iter().try_for_each(|id| out.write(id.as_bytes()))?;
        }
        out.begin(SectionId::Paths);
        for &number in &order {
            let path = paths[number as usize].as_bytes();
            out.write(&(path.len() as u32).to_le_bytes())?;
            out.write(path)?;
        }
        out.begin(SectionId::Events);
        let none = vec![0; self.params.hash.n_bytes()];
        for event in events {
            let path = numbers.get(event.path as usize).copied().unwrap_or(u32::MAX);
            out.write([path, event.commit].map(u32::to_le_bytes).as_flattened())?;
            out.write(event.before.as_ref().map_or(&none[..], BlobId::as_bytes))?;
            out.write(event.after.as_ref().map_or(&none[..], BlobId::as_bytes))?;
        }
        let mut postings = PostingsWriter::new(rows.len(), 4);
        for (key, event) in rows {
            postings.push(*key, &event.to_le_bytes());
        }
        postings.write(out, SectionId::Postings)?;
        out.begin(SectionId::Before);
        let ids = before.iter().filter_map(|part| part.segment.section(SectionId::Commits).ok());
        out.write(&ids.map(|ids| ids.len() as u64).sum::<u64>().to_le_bytes())
    }

    /// Removes the index.
    pub fn remove(&mut self) {
        for part in self.parts.drain(..) {
            // Where it cannot be removed it costs space only.
            let _ = std::fs::remove_file(part.file);
        }
    }

    /// Removes the index in `folder`; returns the number of files and their bytes.
    pub fn clear(folder: &Path) -> (usize, u64) {
        remove_all([Extent::Whole, Extent::Part].map(|extent| list(folder, extent.name())).concat())
    }
}

fn open_parts(folder: &Path, params: &SegmentParams, extent: Extent) -> Result<Vec<Part>> {
    let files = list(folder, extent.name());
    if files.len() > TOO_MANY {
        return Err(SegmentError::Foreign);
    }
    let (mut parts, mut n_before) = (Vec::new(), 0);
    for file in files {
        let part = match Part::open(&file, params) {
            Err(SegmentError::OtherParams | SegmentError::Version { .. }) => continue,
            part => part.map_err(|why| why.of(&file))?,
        };
        // What it assumes to be known is in the parts before it.
        if part.n_before > n_before {
            return Err(SegmentError::Damaged("a part of the index before it is missing").of(&file));
        }
        n_before += part.segment.section(SectionId::Commits)?.len() as u64;
        parts.push(part);
    }
    Ok(parts)
}

impl Part {
    fn open(path: &Path, params: &SegmentParams) -> Result<Self> {
        Self::new(Segment::open(path)?.of_kind(SegmentKind::History)?.with_params(params)?, path)
    }

    fn new(segment: Segment, path: &Path) -> Result<Self> {
        for id in [SectionId::Tips, SectionId::Commits, SectionId::Events] {
            segment.section(id)?;
        }
        Postings::new(&segment, SectionId::Postings)?;
        let paths = paths(segment.section(SectionId::Paths)?)?;
        let n_before = u64_at(segment.section(SectionId::Before)?.all()?, 0);
        let n_before = n_before.ok_or(SegmentError::Damaged("the size of the parts before it"))?;
        Ok(Self { file: path.to_owned(), segment, paths, n_before })
    }

    fn postings(&self) -> Result<Postings<'_>> {
        Postings::new(&self.segment, SectionId::Postings)
    }

    fn n_id(&self) -> usize {
        self.segment.params().hash.n_bytes()
    }

    fn n_event(&self) -> usize {
        8 + 2 * self.n_id()
    }

    fn events(&self) -> Result<impl Iterator<Item = EventRow>> {
        let rows = self.segment.section(SectionId::Events)?.all()?.chunks_exact(self.n_event());
        let n_id = self.n_id();
        Ok(rows.map(move |row| event_row(row, n_id)))
    }

    fn past_event(&self, row: EventRow) -> Result<PastEvent> {
        let EventRow { path, commit, before, after } = row;
        let path = self.path(path)?.clone();
        let id = self.segment.section(SectionId::Commits)?.row(commit as usize, self.n_id())?;
        let commit = CommitId::from_bytes(id).ok_or(DAMAGED_COMMIT)?;
        Ok(PastEvent { path, commit, before, after })
    }

    fn ids(&self, id: SectionId) -> Result<Vec<CommitId>> {
        let ids = self.segment.section(id)?.all()?.chunks_exact(self.n_id());
        ids.map(|id| CommitId::from_bytes(id).ok_or(DAMAGED_COMMIT)).collect()
    }

    fn path(&self, number: u32) -> Result<&FilePath> {
        self.paths.get(number as usize).ok_or(DAMAGED_EVENT)
    }
}

const DAMAGED_EVENT: SegmentError = SegmentError::Damaged("the path of an event");
const DAMAGED_COMMIT: SegmentError = SegmentError::Damaged("the id of a commit");

fn event_row(row: &[u8], n_id: usize) -> EventRow {
    let [path, commit] = [0, 4].map(|at| u32_at(row, at).unwrap_or(u32::MAX));
    let [before, after] = [&row[8..8 + n_id], &row[8 + n_id..]]
        .map(|id| BlobId::from_bytes(id).filter(|_| id.iter().any(|&byte| byte != 0)));
    EventRow { path, commit, before, after }
}

/// The paths: for each its length in four bytes, then its bytes. They must be sorted.
fn paths(section: Section<'_>) -> Result<Vec<FilePath>> {
    let paths: Option<Vec<FilePath>> = section.texts(4)?.map(|of| of.map(FilePath::new)).collect();
    let paths = paths.filter(|paths| paths.is_sorted_by(|a, b| a < b));
    paths.ok_or(SegmentError::Damaged("its paths"))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{PARAMS, folder};
    use super::*;

    fn id(n: u8) -> Option<BlobId> {
        (n > 0).then(|| BlobId::from_bytes(&[n; 20]).expect("twenty bytes are an id"))
    }

    fn commit(n: u8) -> CommitId {
        CommitId::from_bytes(&[n; 20]).expect("twenty bytes are an id")
    }

    fn event(path: &str, n: u8, before: u8, after: u8) -> PastEvent {
        let [before, after] = [before, after].map(id);
        PastEvent { path: FilePath::new(path), commit: commit(n), before, after }
    }

    fn open(folder: &Path) -> History {
        History::open(folder, PARAMS, Extent::Whole)
    }

    fn keep(folder: &Path, tip: u8, events: &[PastEvent], first: &[(u64, u32)]) {
        let earliest = Earliest::new(folder);
        for (hash, event) in first {
            earliest.note([key(*hash)].into_iter(), *event, &mut Vec::new());
        }
        let mut paths: Vec<FilePath> = events.iter().map(|event| event.path.clone()).collect();
        paths.sort_unstable_by(|a, b| b.cmp(a));
        paths.dedup();
        let mut commits: Vec<CommitId> = events.iter().map(|event| event.commit).collect();
        commits.dedup();
        fn at<T: PartialEq>(of: &T, all: &[T]) -> u32 {
            all.iter().position(|one| one == of).expect("it is one of them") as u32
        }
        let row = |event: &PastEvent| EventRow {
            path: at(&event.path, &paths),
            commit: at(&event.commit, &commits),
            before: event.before,
            after: event.after,
        };
        let events = events.iter().map(row).collect();
        let stretch = Stretch { tips: vec![commit(tip)], commits, paths, events };
        let kept = open(folder).keep(&stretch, earliest);
        assert!(kept.expect("nothing is damaged").1.is_none(), "the folder is writable");
    }

    #[test]
    fn each_update_adds_to_what_is_known() {
        let folder = folder();
        let of_a = [event("a.c", 1, 0, 1), event("a.c", 2, 1, 2), event("a.c", 3, 2, 0)];
        let events = [of_a[0].clone(), event("b.c", 1, 0, 9), of_a[1].clone()];
        keep(folder.path(), 2, &events, &[(7, 0), (8, 1), (9, 2), (9, 1)]);
        keep(folder.path(), 3, &of_a[2..], &[(10, 0), (8, 0)]);
        let history = open(folder.path());
        assert_eq!(history.tips().expect("it is whole"), [commit(2), commit(3)]);
        assert_eq!(history.commits().expect("it is whole"), [commit(1), commit(2), commit(3)]);
        let paths = |hash| {
            let paths = history.paths_of(hash).expect("it is whole");
            paths.into_iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(
            [7, 8, 9, 10, 11].map(paths),
            [vec!["a.c"], vec!["b.c"], vec!["b.c"], vec!["a.c"], vec![]]
        );
        let events = history.events_of(&[FilePath::new("a.c")]).expect("it is whole");
        assert_eq!(events[&FilePath::new("a.c")], of_a);
        let has = |hash| history.has(key(hash)).expect("it is whole");
        assert_eq!([9, 12].map(has), [true, false]);
        let part = History::open(folder.path(), PARAMS, Extent::Part);
        assert!(part.is_empty(), "a part is another index");
    }

    #[test]
    fn many_updates_are_merged_and_say_the_same() {
        let folder = folder();
        let mut all = Vec::new();
        for n in 1..60u8 {
            let path = format!("{}.c", n % 7);
            let events = [event(&path, n, n - 1, n), event("z.c", n, n - 1, n)];
            keep(folder.path(), n, &events, &[(u64::from(n), 0), (1_000 + u64::from(n / 2), 1)]);
            all.extend(events);
        }
        let history = open(folder.path());
        assert!(history.n_segments() <= MAX_SEGMENTS, "{} segments", history.n_segments());
        assert_eq!(history.tips().expect("it is whole"), (1..60).map(commit).collect::<Vec<_>>());
        for n in 1..60u8 {
            let path = FilePath::new(format!("{}.c", n % 7));
            assert_eq!(history.paths_of(u64::from(n)).expect("it is whole"), [&path]);
            let z = FilePath::new("z.c");
            assert_eq!(history.paths_of(1_000 + u64::from(n / 2)).expect("it is whole"), [&z]);
            for asked in [path, z] {
                let expected: Vec<_> =
                    all.iter().filter(|event| event.path == asked).cloned().collect();
                let found = history.events_of(std::slice::from_ref(&asked));
                assert_eq!(found.expect("it is whole")[&asked], expected);
            }
        }
    }

    #[test]
    fn an_index_that_lacks_a_part_is_as_none() {
        let folder = folder();
        for n in 1..4 {
            keep(folder.path(), n, &[event("a.c", n, n - 1, n)], &[(u64::from(n), 0)]);
        }
        let files = list(folder.path(), Extent::Whole.name());
        assert_eq!(files.len(), 3);
        let kept = std::fs::read(&files[1]).expect("it is there");
        std::fs::remove_file(&files[1]).expect("it can be removed");
        assert!(open(folder.path()).is_empty());
        std::fs::write(&files[1], kept).expect("it is writable");
        std::fs::remove_file(&files[2]).expect("it can be removed");
        let tips = open(folder.path()).tips().expect("it is whole");
        assert_eq!(tips, [commit(1), commit(2)], "without the last it is older");
    }
}
