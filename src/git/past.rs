//! Walks the past of a repository: which file content each commit brought in, and which it took away.

use gix::revision::walk::Sorting;
use gix::traverse::commit::simple::CommitTimeOrder;

use super::{BlobId, CommitId, Error, Reader};
use crate::text::FilePath;

/// Folders in folders that are followed; deeper ones are left out, since no real tree has them.
const MAX_DEPTH: usize = 256;

/// What a commit did to a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Event {
    /// The file.
    pub path: FilePath,
    /// Its content before; `None` when there was no such file.
    pub before: Option<BlobId>,
    /// Its content after; `None` when the commit took the file away.
    pub after: Option<BlobId>,
}

/// How much of the past is walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// Commits before this time, in seconds since 1970, are left out.
    pub since: Option<i64>,
    /// The newest so many commits are walked.
    pub max_commits: Option<usize>,
}

/// What a commit says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitInfo {
    /// The first line of its message.
    pub subject: String,
    /// The whole message.
    pub message: String,
    /// When it was made, in seconds since 1970.
    pub time: i64,
}

impl Reader {
    /// The commits that `tips` reach and `known` do not, the oldest first.
    ///
    /// A shallow clone's past ends where it was cut.
    ///
    /// # Errors
    /// When a commit cannot be read.
    pub fn commits(&self, tips: &[CommitId], known: &[CommitId], limits: Limits) -> Result<Vec<CommitId>, Error> {
        let unreadable = |error: &dyn std::fmt::Display| Error::unreadable("the history", &error.to_string());
        let order = CommitTimeOrder::NewestFirst;
        let sorting = match limits.since {
            Some(seconds) => Sorting::ByCommitTimeCutoff { order, seconds },
            None => Sorting::ByCommitTime(order),
        };
        let walk = self.repo.rev_walk(tips.iter().map(|tip| tip.0)).sorting(sorting);
        // What a shallow fetch has cut off since cannot be hidden, and need not be.
        let known = known.iter().map(|commit| commit.0).filter(|id| self.repo.has_object(id));
        let walk = walk.with_hidden(known).all().map_err(|error| unreadable(&error))?;
        let mut commits = Vec::new();
        for info in walk.take(limits.max_commits.unwrap_or(usize::MAX)) {
            commits.push(CommitId(info.map_err(|error| unreadable(&error))?.id));
        }
        commits.reverse();
        Ok(commits)
    }

    /// Whether a commit has more than one parent.
    ///
    /// # Errors
    /// When it is not here.
    pub fn is_merge(&self, commit: CommitId) -> Result<bool, Error> {
        Ok(self.find_commit(commit)?.parent_ids().nth(1).is_some())
    }

    /// What `commit` did to regular files, compared with its first parent; of a root
    /// commit, or where a shallow clone begins, all its files are new.
    ///
    /// # Errors
    /// When a tree is not here.
    pub fn events(&self, commit: CommitId) -> Result<Vec<Event>, Error> {
        let tree_of = |id: gix::ObjectId| {
            let tree = self.repo.find_commit(id).and_then(|commit| Ok(commit.tree_id()?.detach()));
            tree.map_err(|error| Error::unreadable(&format!("commit {id}"), &error))
        };
        let parent = self.find_commit(commit)?.parent_ids().next().map(gix::Id::detach);
        let before = parent.filter(|parent| self.repo.has_object(parent)).map(tree_of).transpose()?;
        let mut events = Vec::new();
        self.compare(before, Some(tree_of(commit.0)?), &mut Vec::new(), 0, &mut events)?;
        Ok(events)
    }

    /// Appends the differences between two trees.
    fn compare(
        &self,
        before: Option<gix::ObjectId>,
        after: Option<gix::ObjectId>,
        folder: &mut Vec<u8>,
        depth: usize,
        events: &mut Vec<Event>,
    ) -> Result<(), Error> {
        if before == after || depth == MAX_DEPTH {
            return Ok(());
        }
        let (before, after) = (self.files_of(before)?, self.files_of(after)?);
        let mut rows: Vec<(&[u8], Option<&Item>, Option<&Item>)> = Vec::new();
        let (mut a, mut b) = (before.iter().peekable(), after.iter().peekable());
        loop {
            match (a.peek(), b.peek()) {
                (None, None) => break,
                (Some(x), Some(y)) if x.name == y.name => rows.push((&x.name, a.next(), b.next())),
                (Some(x), y) if y.is_none_or(|y| x.name < y.name) => rows.push((&x.name, a.next(), None)),
                (_, Some(y)) => rows.push((&y.name, None, b.next())),
                (Some(_), None) => break,
            }
        }
        for (name, before, after) in rows {
            if before.map(|item| (item.id, item.is_folder)) == after.map(|item| (item.id, item.is_folder)) {
                continue;
            }
            let n_folder = folder.len();
            folder.extend(name);
            let file = |item: Option<&Item>| item.filter(|item| !item.is_folder).map(|item| BlobId(item.id));
            let tree = |item: Option<&Item>| item.filter(|item| item.is_folder).map(|item| item.id);
            if file(before) != file(after) {
                events.push(Event { path: FilePath::new(folder.clone()), before: file(before), after: file(after) });
            }
            folder.push(b'/');
            self.compare(tree(before), tree(after), folder, depth + 1, events)?;
            folder.truncate(n_folder);
        }
        Ok(())
    }

    /// The regular files and folders of a tree, sorted by name.
    fn files_of(&self, tree: Option<gix::ObjectId>) -> Result<Vec<Item>, Error> {
        let Some(id) = tree else { return Ok(Vec::new()) };
        let unreadable = |error: gix::Error| Error::unreadable(&format!("tree {id}"), &error);
        let tree = self.repo.find_tree(id).map_err(unreadable)?;
        let tree = tree.decode().map_err(unreadable)?;
        let entries = tree.entries.iter().filter(|entry| entry.mode.is_blob() || entry.mode.is_tree());
        let item = |entry: &gix::objs::tree::EntryRef<'_>| Item {
            name: entry.filename.to_vec(),
            id: entry.oid.to_owned(),
            is_folder: entry.mode.is_tree(),
        };
        let mut items: Vec<Item> = entries.map(item).collect();
        items.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(items)
    }

    /// What a commit says of itself.
    ///
    /// # Errors
    /// When it is not here.
    pub fn info(&self, commit: CommitId) -> Result<CommitInfo, Error> {
        let commit = self.find_commit(commit)?;
        let message = commit.message_raw_sloppy().to_string();
        let subject = message.trim_start().lines().next().unwrap_or_default().trim_end().to_owned();
        let time = commit.time().map_or(0, |time| time.seconds);
        Ok(CommitInfo { subject, message, time })
    }

    /// The content of a past file; `None` in a partial clone that has not fetched it.
    ///
    /// # Errors
    /// When it is here and cannot be read.
    pub fn past_blob(&self, id: BlobId, path: &FilePath) -> Result<Option<Vec<u8>>, Error> {
        match self.blob(id, path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(Error::MissingObject { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// An entry of a tree.
struct Item {
    name: Vec<u8>,
    id: gix::ObjectId,
    is_folder: bool,
}
