//! Stores what the commits of components did to their files, in numbers of blobs: their tokens are
//! in the segment anyway.
//!
//! ```text
//! (component, path) -> row of the table of paths -> lineage: all its names -> its changes, the oldest first
//!                          |                                                   commit, path, blob before, blob after
//!                          `-> its blob at each tag at which that is another one
//! ```
//!
//! A lineage is a file with all the names that it has had. A list of fixes makes a lineage of each
//! pair of functions.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::open::{CorpusSegment, SectionId, binary_search, numbers};
use crate::files::BlobId;
use crate::policy::PastCommit;
use crate::sources::PastOf;
use crate::store::segment::span;
use crate::store::{Result, SegmentError, SegmentWriter};
use crate::text::FilePath;

/// Bytes of a row of the table of paths.
const PATH_ROW: usize = 24;
/// Bytes of a row of the table of changes.
const CHANGE_ROW: usize = 16;
/// Bytes of a row of the tables of lineages and of blobs at tags.
const PAIR: usize = 8;
const NO_BLOB: u32 = u32::MAX;

/// A change of a file of a component, as stored in a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredChange {
    /// The number of its commit.
    pub commit: u32,
    /// The number of the file's path at that time.
    pub path: u32,
    /// The blob before; `None` if the file is new, or the blob holds nothing to compare.
    pub before: Option<u32>,
    /// The blob after.
    pub after: Option<u32>,
}

/// A tag of a component.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredTag {
    component: u32,
    /// Its name; empty for the default branch when it was read.
    pub name: String,
    /// The time of its commit, in seconds since 1970.
    pub time: i64,
}

struct PathRow {
    component: u32,
    text: std::ops::Range<usize>,
    lineage: u32,
    at_tags: std::ops::Range<usize>,
}

/// Gathers the past of components, and writes it.
#[derive(Default)]
pub(super) struct PastWriter {
    commits: Vec<PastCommit>,
    /// Of those that fixed a function.
    commit_numbers: HashMap<PastCommit, u32>,
    paths: Vec<(u32, FilePath)>,
    path_numbers: HashMap<(u32, FilePath), u32>,
    /// For each path, another one of its lineage; its own number if it leads it.
    same: Vec<u32>,
    /// In the order of commits.
    changes: Vec<StoredChange>,
    tags: Vec<StoredTag>,
    /// The path, and its blob at a tag.
    at_tags: Vec<(u32, u32, u32)>,
}

impl PastWriter {
    /// Adds the past of a component; `number_of` gives the numbers of stored blobs.
    pub fn add(
        &mut self,
        component: u32,
        past: PastOf,
        number_of: &dyn Fn(&BlobId) -> Option<u32>,
    ) {
        let first = self.commits.len() as u32;
        for change in past.changes {
            let [before, after] = [change.before, change.after].map(|id| number_of(&id?));
            if before.is_none() && after.is_none() {
                continue;
            }
            let path = self.path(component, change.path);
            if let Some(was) = change.was {
                let was = self.path(component, was);
                self.join(was, path);
            }
            self.changes.push(StoredChange { commit: first + change.commit, path, before, after });
        }
        self.commits.extend(past.commits);
        for tag in past.tags {
            let number = self.tags.len() as u32;
            self.tags.push(StoredTag { component, name: tag.name, time: tag.time });
            for (path, blob) in tag.files {
                let blob = blob.and_then(|id| number_of(&id));
                // A file that nothing is known of, and of which there is nothing to compare.
                if blob.is_none() && !self.path_numbers.contains_key(&(component, path.clone())) {
                    continue;
                }
                let path = self.path(component, path);
                self.at_tags.push((path, number, blob.unwrap_or(NO_BLOB)));
            }
        }
    }

    /// Adds a function that a commit fixed, before and after it, as a lineage of its own.
    pub fn add_fix(
        &mut self,
        component: u32,
        commit: PastCommit,
        path: FilePath,
        [before, after]: [u32; 2],
    ) {
        let commits = &mut self.commits;
        let commit = *self.commit_numbers.entry(commit).or_insert_with_key(|commit| {
            commits.push(commit.clone());
            commits.len() as u32 - 1
        });
        let path = self.path(component, path);
        let (before, after) = (Some(before), Some(after));
        self.changes.push(StoredChange { commit, path, before, after });
    }

    fn path(&mut self, component: u32, path: FilePath) -> u32 {
        let number = self.paths.len() as u32;
        let known = *self.path_numbers.entry((component, path.clone())).or_insert(number);
        if known == number {
            self.paths.push((component, path));
            self.same.push(number);
        }
        known
    }

    /// The path that leads a lineage.
    fn leader(&mut self, mut path: u32) -> u32 {
        while self.same[path as usize] != path {
            let next = self.same[path as usize];
            self.same[path as usize] = self.same[next as usize];
            path = next;
        }
        path
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.leader(a), self.leader(b));
        self.same[a.max(b) as usize] = a.min(b);
    }

    /// Writes the sections; empty ones show that nothing is known.
    pub fn write(mut self, out: &mut SegmentWriter) -> Result<()> {
        let n_paths = self.paths.len();
        let mut lineages: BTreeMap<u32, Vec<StoredChange>> = BTreeMap::new();
        for at in 0..self.changes.len() {
            let change = self.changes[at];
            let leader = self.leader(change.path);
            lineages.entry(leader).or_default().push(change);
        }
        let numbers: HashMap<u32, u32> = lineages.keys().copied().zip(0..).collect();
        // Rows are sorted by component and path.
        let mut order: Vec<u32> = (0..n_paths as u32).collect();
        order.sort_unstable_by(|&a, &b| self.paths[a as usize].cmp(&self.paths[b as usize]));
        let mut row_of = vec![0u32; n_paths];
        for (row, &path) in order.iter().enumerate() {
            row_of[path as usize] = row as u32;
        }
        self.at_tags.sort_unstable_by_key(|&(path, tag, _)| (row_of[path as usize], tag));

        let (mut rows, mut texts, mut at_tag) = (Vec::new(), Vec::new(), 0usize);
        for &path in &order {
            let lineage = numbers.get(&self.leader(path)).copied().unwrap_or(u32::MAX);
            let (component, name) = &self.paths[path as usize];
            let n = self.at_tags[at_tag..].iter().take_while(|(of, ..)| *of == path).count();
            let (at, len) = (texts.len() as u32, name.as_bytes().len() as u32);
            let row = [*component, at, len, lineage, at_tag as u32, n as u32];
            rows.extend(row.map(u32::to_le_bytes).as_flattened());
            texts.extend(name.as_bytes());
            at_tag += n;
        }
        out.section(SectionId::Paths, &rows)?;
        out.section(SectionId::PathTexts, &texts)?;
        let (mut of_lineages, mut changes, mut first) = (Vec::new(), Vec::new(), 0u32);
        for of_lineage in lineages.values() {
            let n = of_lineage.len() as u32;
            of_lineages.extend([first, n].map(u32::to_le_bytes).as_flattened());
            first += n;
            for StoredChange { commit, path, before, after } in of_lineage {
                let [before, after] = [before, after].map(|blob| blob.unwrap_or(NO_BLOB));
                let row = [*commit, row_of[*path as usize], before, after];
                changes.extend(row.map(u32::to_le_bytes).as_flattened());
            }
        }
        out.section(SectionId::Lineages, &of_lineages)?;
        out.section(SectionId::Changes, &changes)?;
        let pairs = self.at_tags.iter().flat_map(|&(_, tag, blob)| [tag, blob]);
        out.section(SectionId::AtTags, &pairs.flat_map(u32::to_le_bytes).collect::<Vec<u8>>())?;
        write_table(out, SectionId::Tags, &self.tags)?;
        write_table(out, SectionId::Commits, &self.commits)
    }
}

/// Writes values as JSON, one after the other, preceded by a table of where each ends.
pub(super) fn write_table<T: serde::Serialize>(
    out: &mut SegmentWriter,
    section: SectionId,
    all: &[T],
) -> Result<()> {
    let (mut ends, mut texts) = (Vec::new(), Vec::new());
    for value in all {
        serde_json::to_writer(&mut texts, value)
            .map_err(|_| SegmentError::Damaged("its license statements"))?;
        ends.extend((texts.len() as u64).to_le_bytes());
    }
    out.section(section, &ends)?;
    out.section(section as u32 + 1, &texts)
}

impl CorpusSegment {
    /// Whether it was written by a version that keeps the past of components, whether or not they
    /// have one.
    pub fn keeps_past(&self) -> bool {
        self.segment.section(SectionId::Changes).is_ok()
    }

    /// Whether anything is known of what its commits did.
    pub fn has_past(&self) -> bool {
        self.segment.section(SectionId::Changes).is_ok_and(|changes| !changes.is_empty())
    }

    /// The number of a path of a component, if a commit changed it.
    pub fn past_path(&self, component: u32, path: &FilePath) -> Result<Option<u32>> {
        let found = binary_search(self.n_past_paths(), |at| {
            let row = self.path_row(at)?;
            let text = self.segment.section(SectionId::PathTexts)?.bytes(row.text)?;
            Ok((row.component, text).cmp(&(component, path.as_bytes())))
        });
        Ok(found?.map(|at| at as u32))
    }

    /// The path with this number.
    pub fn past_name(&self, path: u32) -> Result<FilePath> {
        let row = self.path_row(path as usize)?;
        Ok(FilePath::new(self.segment.section(SectionId::PathTexts)?.bytes(row.text)?))
    }

    /// The number of a file by whatever name it has, and its changes, the oldest first; `None` if
    /// there are none.
    pub fn changes_of(&self, path: u32) -> Result<Option<(u32, Vec<StoredChange>)>> {
        let lineage = self.path_row(path as usize)?.lineage;
        if lineage == u32::MAX {
            return Ok(None);
        }
        let row = self.segment.section(SectionId::Lineages)?.row(lineage as usize, PAIR)?;
        let [first, n] = numbers(row).map(|number| number as usize);
        let [start, end] =
            [first, first.saturating_add(n)].map(|row| row.saturating_mul(CHANGE_ROW));
        let bytes = self.segment.section(SectionId::Changes)?.bytes(start..end)?;
        let changes = bytes.chunks_exact(CHANGE_ROW).map(|row| self.change(row));
        Ok(Some((lineage, changes.collect::<Result<_, _>>()?)))
    }

    /// All changes.
    pub fn changes(&self) -> Result<Vec<StoredChange>> {
        let Ok(changes) = self.segment.section(SectionId::Changes) else { return Ok(Vec::new()) };
        changes.all()?.chunks_exact(CHANGE_ROW).map(|row| self.change(row)).collect()
    }

    fn change(&self, row: &[u8]) -> Result<StoredChange> {
        let [commit, path, before, after] = numbers(row);
        let (before, after) = (self.blob_number(before)?, self.blob_number(after)?);
        Ok(StoredChange { commit, path, before, after })
    }

    fn blob_number(&self, number: u32) -> Result<Option<u32>> {
        match number {
            NO_BLOB => Ok(None),
            number if number < self.n_blobs => Ok(Some(number)),
            _ => Err(SegmentError::Damaged("the blob of a change")),
        }
    }

    /// The commit with this number.
    pub fn past_commit(&self, number: u32) -> Result<PastCommit> {
        self.value(SectionId::Commits, number)
    }

    /// The tags of a component with their numbers, the oldest first; the last is its default
    /// branch, without a name.
    pub fn tags_of(&self, component: u32) -> Result<Vec<(u32, StoredTag)>> {
        let n = self.segment.section(SectionId::Tags).map_or(0, |ends| ends.len() / 8);
        let mut tags = Vec::new();
        for number in 0..n as u32 {
            let tag: StoredTag = self.value(SectionId::Tags, number)?;
            if tag.component == component {
                tags.push((number, tag));
            }
        }
        Ok(tags)
    }

    /// The blob of a path from a tag on, until the tag of the next row; `None` where there is no
    /// such file.
    pub fn at_tags(&self, path: u32) -> Result<Vec<(u32, Option<u32>)>> {
        let rows = self.path_row(path as usize)?.at_tags;
        let bytes =
            self.segment.section(SectionId::AtTags)?.bytes(rows.start * PAIR..rows.end * PAIR)?;
        let rows = bytes.chunks_exact(PAIR).map(numbers);
        rows.map(|[tag, blob]| Ok((tag, self.blob_number(blob)?))).collect()
    }

    /// The numbers of all paths that files of a component have had, with the paths.
    pub fn past_paths(&self, component: u32) -> Result<Vec<(u32, FilePath)>> {
        let mut paths = Vec::new();
        for path in 0..self.n_past_paths() as u32 {
            if self.path_row(path as usize)?.component == component {
                paths.push((path, self.past_name(path)?));
            }
        }
        Ok(paths)
    }

    /// Reads the tables once, to check a segment that comes from elsewhere.
    pub(super) fn verify_past(&self) -> Result<()> {
        if !self.keeps_past() {
            return Ok(());
        }
        let n_commits = self.segment.section(SectionId::Commits)?.len() / 8;
        for path in 0..self.n_past_paths() as u32 {
            self.past_name(path)?;
            self.at_tags(path)?;
            self.changes_of(path)?;
        }
        let changes = self.changes()?;
        if changes.iter().any(|change| change.commit as usize >= n_commits) {
            return Err(SegmentError::Damaged("the commit of a change"));
        }
        for change in &changes {
            self.past_name(change.path)?;
        }
        for commit in 0..n_commits as u32 {
            self.past_commit(commit)?;
        }
        for component in 0..self.components().len() as u32 {
            self.tags_of(component)?;
        }
        Ok(())
    }

    fn n_past_paths(&self) -> usize {
        self.segment.section(SectionId::Paths).map_or(0, |paths| paths.len() / PATH_ROW)
    }

    fn path_row(&self, at: usize) -> Result<PathRow> {
        let row = self.segment.section(SectionId::Paths)?.row(at, PATH_ROW)?;
        let [component, text, n_text, lineage, at_tag, n_tags] = numbers(row);
        let text = span(u64::from(text), n_text as usize);
        let at_tags = span(u64::from(at_tag), n_tags as usize);
        Ok(PathRow { component, text, lineage, at_tags })
    }
}
