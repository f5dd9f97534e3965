//! Walks all history, and says of each blob when it first stood in it and in which releases it is.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use gix::ObjectId;
use gix::revision::walk::Sorting;
use gix::traverse::commit::simple::CommitTimeOrder;

use super::{BlobId, CommitId, Content, Entry, Error, Reader};
use crate::text::FilePath;

/// A blob of a history, where it first stood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appearance {
    /// The blob.
    pub blob: BlobId,
    /// Its first path.
    pub entry: Entry,
    /// The first commit that has it.
    pub commit: CommitId,
    /// When that was made, in seconds since 1970.
    pub time: i64,
    /// The first tag that it is in.
    pub first_tag: Option<Arc<str>>,
    /// The last tag that it is in.
    pub last_tag: Option<Arc<str>>,
}

impl Reader {
    /// When a commit was made, in seconds since 1970.
    ///
    /// # Errors
    /// When the commit is not here.
    pub fn time(&self, commit: CommitId) -> Result<i64, Error> {
        let time = self.find_commit(commit)?.time();
        time.map(|time| time.seconds).map_err(|error| Error::unreadable(&format!("commit {commit}"), &error))
    }

    /// Every blob that any branch, tag or `HEAD` reaches, once, the oldest first.
    ///
    /// Walks each tree once, however many commits have it: time grows with the
    /// distinct trees, memory with the distinct blobs.
    ///
    /// # Errors
    /// When a commit or tree is not here.
    pub fn first_appearances(&self) -> Result<Vec<Appearance>, Error> {
        let unreadable = |error: gix::Error| Error::unreadable("the history", &error);
        let (tips, tags) = self.tips_and_tags()?;
        let order = Sorting::ByCommitTime(CommitTimeOrder::NewestFirst);
        let walk = self.repo.rev_walk(tips).sorting(order).all().map_err(unreadable)?;
        let mut commits = Vec::new();
        for info in walk {
            commits.push(info.map_err(|error| Error::unreadable("the history", &error))?.id);
        }

        let mut appearances: Vec<Appearance> = Vec::new();
        let mut seen = Trees::default();
        for id in commits.into_iter().rev() {
            let commit = CommitId(id);
            let (tree, time) = (self.tree_of(commit)?, self.time(commit)?);
            seen.walk(self, tree, &mut |blob, path| {
                let entry = Entry { path: FilePath::new(path), content: Content::Blob(BlobId(blob)) };
                let blob = BlobId(blob);
                appearances.push(Appearance { blob, entry, commit, time, first_tag: None, last_tag: None });
            })?;
        }

        let numbers: HashMap<ObjectId, usize> =
            appearances.iter().enumerate().map(|(number, appearance)| (appearance.blob.0, number)).collect();
        let mut first = Trees::default();
        for (name, commit) in &tags {
            first.walk(self, self.tree_of(*commit)?, &mut |blob, _| {
                if let Some(&number) = numbers.get(&blob) {
                    appearances[number].first_tag = Some(Arc::clone(name));
                }
            })?;
        }
        let mut last = Trees::default();
        for (name, commit) in tags.iter().rev() {
            last.walk(self, self.tree_of(*commit)?, &mut |blob, _| {
                if let Some(&number) = numbers.get(&blob) {
                    appearances[number].last_tag = Some(Arc::clone(name));
                }
            })?;
        }
        Ok(appearances)
    }

    /// Changes whenever a reference does: the ids that all of them name.
    ///
    /// # Errors
    /// When the references cannot be read.
    pub fn state(&self) -> Result<String, Error> {
        let (tips, _) = self.tips_and_tags()?;
        let ids: Vec<String> = tips.iter().map(ToString::to_string).collect();
        Ok(BlobId::of(ids.join("\n").as_bytes()).to_string())
    }

    /// The commits that references name, and the tags among them, the oldest first.
    #[allow(clippy::type_complexity, reason = "the two lists are taken apart at once")]
    fn tips_and_tags(&self) -> Result<(Vec<ObjectId>, Vec<(Arc<str>, CommitId)>), Error> {
        let unreadable = |error: &dyn std::fmt::Display| Error::unreadable("the references", &error.to_string());
        let platform = self.repo.references().map_err(|error| unreadable(&error))?;
        let mut tips = Vec::new();
        let mut tags = Vec::new();
        for reference in platform.all().map_err(|error| unreadable(&error))? {
            let mut reference = reference.map_err(|error| unreadable(&error))?;
            let name = reference.name().as_bstr().to_string();
            // A tag may name a blob or a tree, and a reference may lead nowhere: neither is history.
            let Ok(commit) = reference.peel_to_commit() else { continue };
            tips.push(commit.id);
            if let Some(tag) = name.strip_prefix("refs/tags/") {
                let commit = CommitId(commit.id);
                tags.push((self.time(commit)?, Arc::from(tag), commit));
            }
        }
        tips.extend(self.head()?.map(|head| head.0));
        tips.sort_unstable();
        tips.dedup();
        tags.sort();
        Ok((tips, tags.into_iter().map(|(_, name, commit)| (name, commit)).collect()))
    }

    pub(super) fn tree_of(&self, commit: CommitId) -> Result<ObjectId, Error> {
        let tree = self.find_commit(commit)?.tree_id();
        tree.map(gix::Id::detach).map_err(|error| Error::unreadable(&format!("commit {commit}"), &error))
    }
}

/// The trees and blobs that were met: what is below one need not be walked again.
#[derive(Default)]
struct Trees {
    met: HashSet<ObjectId>,
}

impl Trees {
    /// Hands out each blob below `tree` that was not met before, with its path.
    fn walk(&mut self, reader: &Reader, tree: ObjectId, each: &mut dyn FnMut(ObjectId, Vec<u8>)) -> Result<(), Error> {
        let mut rest = vec![(tree, Vec::new())];
        while let Some((id, folder)) = rest.pop() {
            if !self.met.insert(id) {
                continue;
            }
            let unreadable =
                |error: &dyn std::fmt::Display| Error::unreadable(&format!("tree {id}"), &error.to_string());
            let tree = reader.repo.find_tree(id).map_err(|error| unreadable(&error))?;
            let mut folders = Vec::new();
            for entry in tree.iter() {
                let entry = entry.map_err(|error| unreadable(&error))?;
                let path = || {
                    let separator: &[u8] = if folder.is_empty() { b"" } else { b"/" };
                    [&folder[..], separator, entry.filename()].concat()
                };
                let id = entry.object_id();
                if entry.mode().is_tree() {
                    folders.push((id, path()));
                } else if entry.mode().is_blob() && self.met.insert(id) {
                    each(id, path());
                }
            }
            rest.extend(folders.into_iter().rev());
        }
        Ok(())
    }
}
