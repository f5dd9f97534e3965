//! Walks all history, and says of each blob when it first stood in it, what spoke of licenses around it then, and in
//! which releases it is.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use gix::ObjectId;
use gix::revision::walk::Sorting;
use gix::traverse::commit::simple::CommitTimeOrder;

use super::{BlobId, CommitId, Content, Entry, Error, Reader};
use crate::license::is_relevant;
use crate::text::FilePath;

/// Files that may speak of licenses: path and content.
pub type LicenseFiles = Arc<Vec<(FilePath, BlobId)>>;

/// Files of one folder that may speak of licenses; in a folder with more of them the rest is not heard.
const MAX_RELEVANT: usize = 100;
/// Folders whose files speak of the folder above, and the file that does.
const SPEAKING: [(&[u8], &[u8]); 2] = [(b"debian", b"copyright"), (b".reuse", b"dep5")];

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
    /// The files of that commit, in the blob's folder and above, that may speak of its license.
    pub around: LicenseFiles,
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
        let mut seen = Trees { hears: true, ..Trees::default() };
        for id in commits.into_iter().rev() {
            let commit = CommitId(id);
            let (tree, time) = (self.tree_of(commit)?, self.time(commit)?);
            seen.walk(self, tree, &mut |blob, path, around| {
                let entry = Entry { path: FilePath::new(path), content: Content::Blob(BlobId(blob)) };
                let (blob, around) = (BlobId(blob), Arc::clone(around));
                appearances.push(Appearance { blob, entry, commit, time, first_tag: None, last_tag: None, around });
            })?;
        }

        let numbers: HashMap<ObjectId, usize> =
            appearances.iter().enumerate().map(|(number, appearance)| (appearance.blob.0, number)).collect();
        let mut first = Trees::default();
        for (name, commit) in &tags {
            first.walk(self, self.tree_of(*commit)?, &mut |blob, _, _| {
                if let Some(&number) = numbers.get(&blob) {
                    appearances[number].first_tag = Some(Arc::clone(name));
                }
            })?;
        }
        let mut last = Trees::default();
        for (name, commit) in tags.iter().rev() {
            last.walk(self, self.tree_of(*commit)?, &mut |blob, _, _| {
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
    /// Whether the files that speak of licenses are handed out with each blob.
    hears: bool,
}

impl Trees {
    /// Hands out each blob below `tree` that was not met before, with its path and what speaks of licenses around it.
    fn walk(
        &mut self,
        reader: &Reader,
        tree: ObjectId,
        each: &mut dyn FnMut(ObjectId, Vec<u8>, &LicenseFiles),
    ) -> Result<(), Error> {
        let mut rest = vec![(tree, Vec::new(), LicenseFiles::default())];
        while let Some((id, folder, above)) = rest.pop() {
            if !self.met.insert(id) {
                continue;
            }
            let unreadable =
                |error: &dyn std::fmt::Display| Error::unreadable(&format!("tree {id}"), &error.to_string());
            let tree = reader.repo.find_tree(id).map_err(|error| unreadable(&error))?;
            let (mut folders, mut files, mut speaking) = (Vec::new(), Vec::new(), Vec::new());
            for entry in tree.iter() {
                let entry = entry.map_err(|error| unreadable(&error))?;
                let separator: &[u8] = if folder.is_empty() { b"" } else { b"/" };
                let path = [&folder[..], separator, entry.filename()].concat();
                let id = entry.object_id();
                if entry.mode().is_tree() {
                    let name = SPEAKING.iter().find(|(name, _)| *name == entry.filename().to_vec());
                    speaking.extend(name.filter(|_| self.hears).map(|(_, file)| (id, path.clone(), *file)));
                    folders.push((id, path));
                } else if entry.mode().is_blob() {
                    files.push((id, path));
                }
            }
            let around = if self.hears { heard(reader, &above, &files, &speaking) } else { above };
            for (id, path) in files {
                if self.met.insert(id) {
                    each(id, path, &around);
                }
            }
            rest.extend(folders.into_iter().rev().map(|(id, path)| (id, path, Arc::clone(&around))));
        }
        Ok(())
    }
}

/// The files that may speak of the license of a folder's files: those `above`, and those in it.
fn heard(
    reader: &Reader,
    above: &LicenseFiles,
    files: &[(ObjectId, Vec<u8>)],
    speaking: &[(ObjectId, Vec<u8>, &[u8])],
) -> LicenseFiles {
    let own = files.iter().map(|(id, path)| (FilePath::new(path.clone()), BlobId(*id)));
    let mut own: Vec<_> = own.filter(|(path, _)| is_relevant(path)).take(MAX_RELEVANT).collect();
    for (id, folder, name) in speaking {
        let Ok(tree) = reader.repo.find_tree(*id) else { continue };
        let found = tree.iter().flatten().find(|entry| entry.mode().is_blob() && entry.filename().to_vec() == *name);
        own.extend(found.map(|entry| (FilePath::new([folder, &b"/"[..], name].concat()), BlobId(entry.object_id()))));
    }
    if own.is_empty() { Arc::clone(above) } else { Arc::new(above.iter().cloned().chain(own).collect()) }
}
