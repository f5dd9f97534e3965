//! Walks the history of a repository: which contents each commit added, and which it removed.

use std::collections::{BinaryHeap, HashSet, VecDeque};

use gix::bstr::ByteSlice;
use gix::revision::walk::Sorting;
use gix::traverse::commit::simple::CommitTimeOrder;

use super::entries::{EntryKind, Rows, TreeEntry, differences};
use super::tree::{MAX_DEPTH, too_deep};
use super::{BlobId, CommitId, Error, Reader, blob_of_gix};
use crate::text::{FilePath, shortened};

/// Maximum characters of a subject: no report shows more.
const MAX_SUBJECT: usize = 500;

/// What a commit did to a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event {
    /// The file.
    pub path: FilePath,
    /// Its content before; `None` if the file did not exist.
    pub before: Option<BlobId>,
    /// Its content after; `None` if the commit deleted the file.
    pub after: Option<BlobId>,
}

/// Limits on how much history to walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WalkLimits {
    /// Commits before this time, in seconds since 1970, are left out.
    pub since: Option<i64>,
    /// Walk at most this many of the newest commits.
    pub max_commits: Option<usize>,
}

/// A part of history: everything reachable from some commits but not from others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Span {
    /// The commits to start from.
    pub tips: Vec<CommitId>,
    /// Commits whose history is excluded.
    pub hidden: Vec<CommitId>,
    /// How much of it is walked.
    pub limits: WalkLimits,
    /// Whether only first parents are followed: a merge then counts as one change.
    pub is_first_parent: bool,
}

/// The time given by `text`, in seconds since 1970: `2025-01-31`, `2 years ago`, and everything
/// else that git accepts.
///
/// # Errors
/// [`Error::Date`] if it is not a date.
pub fn seconds_of(text: &str) -> Result<i64, Error> {
    let now = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC);
    // Git's parser reads arbitrary words as a day of this month.
    let is_date = text.bytes().any(|byte| byte.is_ascii_digit())
        || text.ends_with("ago")
        || text == "yesterday";
    let time = gix::date::parse(text, Some(now)).ok().filter(|_| is_date);
    time.map(|time| time.seconds).ok_or_else(|| Error::Date(text.to_owned()))
}

impl Span {
    /// Everything reachable from a commit.
    pub fn of(tip: CommitId) -> Self {
        Self { tips: vec![tip], ..Self::default() }
    }

    /// Whether it is everything reachable from its tips.
    pub fn is_whole(&self) -> bool {
        self.hidden.is_empty() && self.limits == WalkLimits::default() && !self.is_first_parent
    }
}

/// The metadata of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitInfo {
    /// The first line of its message.
    pub subject: String,
    /// The whole message.
    pub message: String,
    /// The commit time, in seconds since 1970.
    pub time: i64,
    /// The name of its author.
    pub author: String,
    /// The email address of its author.
    pub email: String,
    /// The author time, in seconds since 1970.
    pub author_time: i64,
    /// The number of its parents, including missing ones.
    pub n_parents: usize,
}

/// A commit of the past.
#[derive(Debug, Clone)]
pub struct CommitNode {
    /// The commit.
    pub id: CommitId,
    /// When it was committed, in seconds since 1970; 0 if that cannot be read.
    pub time: i64,
    /// Its parents that are present.
    pub parents: Vec<CommitId>,
    tree: gix::ObjectId,
}

/// A folder to compare with what it was.
struct Folder {
    /// Its path, with a trailing slash.
    path: Vec<u8>,
    /// The number of folders around it.
    depth: usize,
    before: Vec<Option<gix::ObjectId>>,
    after: Option<gix::ObjectId>,
}

impl Reader {
    /// The commits of a span, the oldest first.
    ///
    /// The history of a shallow clone ends where it was cut.
    pub fn commits_of(&self, span: &Span) -> Result<Vec<CommitId>, Error> {
        // Dates that cannot be read end the search that goes by them.
        self.dated_commits(span).or_else(|_| self.undated_commits(span))
    }

    fn dated_commits(&self, span: &Span) -> Result<Vec<CommitId>, Error> {
        let Span { tips, hidden: known, limits, is_first_parent } = span;
        let unreadable =
            |error: &dyn std::fmt::Display| Error::unreadable("the history", &error.to_string());
        let order = CommitTimeOrder::NewestFirst;
        let sorting = match limits.since {
            Some(seconds) => Sorting::ByCommitTimeCutoff { order, seconds },
            None => Sorting::ByCommitTime(order),
        };
        let mut walk = self.repo.rev_walk(tips.iter().map(|tip| tip.0)).sorting(sorting);
        if *is_first_parent {
            walk = walk.first_parent_only();
        }
        // Commits cut off by a shallow fetch cannot be hidden, and need not be.
        let known = known.iter().map(|commit| commit.0).filter(|id| self.repo.has_object(id));
        let walk = walk.with_hidden(known).all().map_err(|error| unreadable(&error))?;
        let mut commits = Vec::new();
        for info in walk.take(limits.max_commits.unwrap_or(usize::MAX)) {
            let info = info.map_err(|error| unreadable(&error))?;
            // A malformed commit may look like one without parents.
            if info.parent_ids.is_empty() {
                self.find_commit(CommitId(info.id))?;
            }
            commits.push(CommitId(info.id));
        }
        commits.reverse();
        Ok(commits)
    }

    /// As [`Reader::commits_of`], where the date of a commit cannot be read: it counts as the
    /// oldest that may be.
    ///
    /// Time O(n log n) in the commits that the tips and what is hidden reach.
    fn undated_commits(&self, span: &Span) -> Result<Vec<CommitId>, Error> {
        let mut seen: HashSet<CommitId> = HashSet::new();
        let mut open: Vec<CommitId> =
            span.hidden.iter().filter(|commit| self.repo.has_object(commit.0)).copied().collect();
        while let Some(commit) = open.pop() {
            if seen.insert(commit) {
                open.extend(self.parents_as_told(commit)?);
            }
        }
        let mut queue = BinaryHeap::new();
        for tip in &span.tips {
            if seen.insert(*tip) {
                queue.push((self.raw_time(*tip)?, *tip));
            }
        }
        let mut commits = Vec::new();
        while let Some((time, commit)) = queue.pop() {
            if span.limits.max_commits == Some(commits.len()) {
                break;
            }
            if span.limits.since.is_some_and(|since| time < since) {
                continue;
            }
            commits.push(commit);
            let n_parents = if span.is_first_parent { 1 } else { usize::MAX };
            for parent in self.parents_as_told(commit)?.into_iter().take(n_parents) {
                if seen.insert(parent) {
                    // No later than its child: what goes by dates sees children first.
                    queue.push((self.raw_time(parent)?.min(time), parent));
                }
            }
        }
        commits.reverse();
        Ok(commits)
    }

    /// When a commit was made, in seconds since 1970, as its bytes say; 0 where they say it in no
    /// way that can be read.
    pub(super) fn raw_time(&self, commit: CommitId) -> Result<i64, Error> {
        let object = self.commit_object(commit)?;
        let committer = object.data.lines().find_map(|line| line.strip_prefix(b"committer "));
        let time = committer
            .and_then(|line| line.rsplit(|&byte| byte == b' ').nth(1)?.to_str().ok()?.parse().ok());
        Ok(time.unwrap_or(0))
    }

    /// Whether a commit is dated no earlier than each of its parents, as far as they are here.
    pub fn is_after_its_parents(&self, commit: CommitId) -> Result<bool, Error> {
        let time = self.time(commit)?;
        let commit = self.find_commit(commit)?;
        let mut parents = commit.parent_ids().map(|id| CommitId(id.detach()));
        Ok(parents.all(|parent| self.time(parent).ok().is_none_or(|of_parent| of_parent <= time)))
    }

    /// Adds to `span` what a revision refers to: a commit, or a range `A..B`.
    ///
    /// # Errors
    /// [`Error::UnknownRevision`] if a name does not exist.
    pub fn add_revision(&self, revision: &str, span: &mut Span) -> Result<(), Error> {
        let named = |name: &str| self.commit(if name.is_empty() { "HEAD" } else { name });
        match revision.split_once("..") {
            Some((from, to)) => {
                // `A...B` means both sides, without what both of them reach.
                if let Some(to) = to.strip_prefix('.') {
                    let (from, to) = (named(from)?, named(to)?);
                    span.tips.extend([from, to]);
                    span.hidden.push(self.merge_base(from, to)?);
                } else {
                    span.hidden.push(named(from)?);
                    span.tips.push(named(to)?);
                }
            }
            None => match revision.strip_prefix('^') {
                Some(revision) => span.hidden.push(named(revision)?),
                None => span.tips.push(named(revision)?),
            },
        }
        Ok(())
    }

    /// What a file contains at a commit, if it is there; of a partial clone, what its remote has.
    pub fn text_at(&self, commit: CommitId, path: &FilePath) -> Result<Option<Vec<u8>>, Error> {
        self.blob_at(commit, path)?.map(|blob| self.promised_blob(blob, path)).transpose()
    }

    /// The content of the regular file at `path` in the tree of `commit`, if it exists.
    pub fn blob_at(&self, commit: CommitId, path: &FilePath) -> Result<Option<BlobId>, Error> {
        let mut tree = self.tree_of(commit)?;
        let n_id = self.repo.object_hash().len_in_bytes();
        let mut parts = path.as_bytes().split(|&byte| byte == b'/').peekable();
        while let Some(name) = parts.next() {
            let kind = if parts.peek().is_some() { EntryKind::Folder } else { EntryKind::File };
            let bytes = self.tree_bytes(tree)?;
            let row = Rows::new(&bytes, n_id).find(|row| row.name == name && row.kind == kind);
            let Some(id) = row.and_then(|row| gix::ObjectId::try_from(row.id).ok()) else {
                return Ok(None);
            };
            if kind == EntryKind::File {
                return Ok(Some(blob_of_gix(id)));
            }
            tree = id;
        }
        Ok(None)
    }

    /// A commit of the past.
    pub fn past_commit(&self, id: CommitId) -> Result<CommitNode, Error> {
        let commit = self.find_commit(id)?;
        let tree = commit.tree_id().map_err(|error| self.commit_fails(id, &error))?;
        let time = commit.time().map_or(0, |time| time.seconds);
        Ok(CommitNode { id, time, parents: self.parents_of(&commit), tree: tree.detach() })
    }

    /// The parents of a commit, and whether all of them can be read: a malformed one is passed
    /// over, and its parents stand for it.
    pub fn past_parents(&self, commit: &CommitNode) -> Result<(Vec<CommitNode>, bool), Error> {
        let (mut parents, mut are_all) = (Vec::new(), true);
        let mut open: VecDeque<CommitId> = commit.parents.iter().copied().collect();
        while let Some(parent) = open.pop_front() {
            match self.past_commit(parent) {
                Err(Error::Malformed(_)) => {
                    are_all = false;
                    open.extend(self.parents_as_told(parent)?);
                }
                parent => parents.push(parent?),
            }
        }
        Ok((parents, are_all))
    }

    /// The parents of a commit that are present.
    pub fn parents(&self, commit: CommitId) -> Result<Vec<CommitId>, Error> {
        Ok(self.parents_of(&self.find_commit(commit)?))
    }

    fn parents_of(&self, commit: &gix::Commit<'_>) -> Vec<CommitId> {
        // Parents are missing where a shallow clone is cut off.
        let is_shallow = self.is_shallow();
        let parents = commit.parent_ids().map(gix::Id::detach);
        parents.filter(|id| !is_shallow || self.repo.has_object(id)).map(CommitId).collect()
    }

    /// The parents of a commit that are present; of a malformed one, which is passed over, those
    /// that can be told.
    pub fn parents_as_told(&self, commit: CommitId) -> Result<Vec<CommitId>, Error> {
        match self.parents(commit) {
            Err(Error::Malformed(_)) => self.pass_over(commit),
            parents => return parents,
        }
        let Ok(Some(object)) = self.repo.try_find_object(commit.0) else { return Ok(Vec::new()) };
        let lines = object.data.lines().take_while(|line| !line.is_empty());
        let ids =
            lines.filter_map(|line| gix::ObjectId::from_hex(line.strip_prefix(b"parent ")?).ok());
        Ok(ids.filter(|id| self.repo.has_object(id)).map(CommitId).collect())
    }

    /// What `commit` did to regular files, compared with its first parent. In a root commit, and
    /// where a shallow clone is cut off, all files are new. For a merge, only files that differ
    /// from each of its parents count. A malformed commit, and one with a malformed parent, is
    /// passed over.
    pub fn events(&self, commit: CommitId) -> Result<Vec<Event>, Error> {
        if !self.is_readable(commit)? {
            return Ok(Vec::new());
        }
        let parents = self.parents(commit)?;
        self.events_between(&parents, commit)
    }

    /// The regular files of `commit` that differ from those of each of `parents`; the first parent
    /// counts as before.
    pub fn events_between(
        &self,
        parents: &[CommitId],
        commit: CommitId,
    ) -> Result<Vec<Event>, Error> {
        let parents =
            parents.iter().map(|parent| self.tree_of(*parent)).collect::<Result<Vec<_>, _>>()?;
        self.tree_differences(&parents, commit, self.tree_of(commit)?, &|_| true)
    }

    /// The regular files of `commit` that differ from those of `parent`, as far as they are in
    /// folders that `holds` asks for; the path of a folder ends with a slash.
    pub fn differences(
        &self,
        parent: &CommitNode,
        commit: &CommitNode,
        holds: &dyn Fn(&[u8]) -> bool,
    ) -> Result<Vec<Event>, Error> {
        self.tree_differences(&[parent.tree], commit.id, commit.tree, holds)
    }

    fn tree_differences(
        &self,
        parents: &[gix::ObjectId],
        commit: CommitId,
        after: gix::ObjectId,
        holds: &dyn Fn(&[u8]) -> bool,
    ) -> Result<Vec<Event>, Error> {
        if parents.contains(&after) {
            return Ok(Vec::new());
        }
        let before = parents.iter().copied().map(Some).collect();
        let mut open = vec![Folder { path: Vec::new(), depth: 0, before, after: Some(after) }];
        let mut events = Vec::new();
        while let Some(folder) = open.pop() {
            if folder.depth > MAX_DEPTH {
                return Err(too_deep(&format!("the tree of commit {commit}")));
            }
            if holds(&folder.path) {
                self.compare(&folder, &mut open, &mut events)?;
            }
        }
        // The order of a tree.
        events.sort_unstable();
        Ok(events)
    }

    /// Appends the differences of a folder from what it was, and the folders in it that differ.
    fn compare(
        &self,
        folder: &Folder,
        open: &mut Vec<Folder>,
        events: &mut Vec<Event>,
    ) -> Result<(), Error> {
        let Folder { path: folder, depth, before, after } = folder;
        let read = |tree: &Option<gix::ObjectId>| {
            tree.map_or(Ok(Vec::new()), |tree| self.tree_bytes(tree))
        };
        let after_bytes = read(after)?;
        let before_bytes = before.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let n_id = self.repo.object_hash().len_in_bytes();
        differences(&before_bytes, &after_bytes, n_id, |was, is| {
            let Some(any) = was.iter().chain([&is]).flatten().next() else { return };
            if any.kind == EntryKind::Folder {
                let tree = |entry: Option<TreeEntry<'_>>| {
                    entry.and_then(|entry| gix::ObjectId::try_from(entry.id).ok())
                };
                let before = was.iter().map(|entry| tree(*entry)).collect();
                let path = [folder, any.name, b"/"].concat();
                open.push(Folder { path, depth: *depth + 1, before, after: tree(is) });
            } else {
                let file = |entry: Option<TreeEntry<'_>>| {
                    let TreeEntry { kind, id, .. } = entry?;
                    (kind == EntryKind::File).then(|| BlobId::from_bytes(id)).flatten()
                };
                let (before, after) = (was.first().and_then(|entry| file(*entry)), file(is));
                if before != after {
                    let path = FilePath::new([folder, any.name].concat());
                    events.push(Event { path, before, after });
                }
            }
        });
        Ok(())
    }

    pub(super) fn tree_bytes(&self, id: gix::ObjectId) -> Result<Vec<u8>, Error> {
        let mut tree = self.tree(id, "the history")?;
        Ok(std::mem::take(&mut tree.data))
    }

    /// The metadata of a commit.
    pub fn info(&self, commit: CommitId) -> Result<CommitInfo, Error> {
        let commit = self.find_commit(commit)?;
        let message = commit.message_raw_sloppy().to_string();
        let author = commit.author().ok();
        let subject = message.trim_start().lines().next().unwrap_or_default().trim_end();
        let subject = shortened(subject, MAX_SUBJECT);
        let time = commit.time().map_or(0, |time| time.seconds);
        Ok(CommitInfo {
            subject,
            message,
            time,
            author: author.as_ref().map(|author| author.name.to_string()).unwrap_or_default(),
            email: author.as_ref().map(|author| author.email.to_string()).unwrap_or_default(),
            author_time: author
                .and_then(|author| author.time().ok())
                .map_or(time, |time| time.seconds),
            n_parents: commit.parent_ids().count(),
        })
    }

    /// The content of a past file; `None` in a partial clone that has not fetched it.
    pub fn past_blob(&self, id: BlobId, path: &FilePath) -> Result<Option<Vec<u8>>, Error> {
        match self.blob(id, path) {
            Err(Error::MissingObject { .. }) => Ok(None),
            read => read.map(Some),
        }
    }
}
