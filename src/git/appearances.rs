//! Walks all history and records, per blob: its first commit, files of interest around it at that
//! time, and its first and last release tag.

use std::sync::Arc;

use foldhash::{HashMap, HashSet};
use gix::ObjectId;

use super::past::WalkLimits;
use super::{BlobId, CommitId, Content, Entry, Error, Reader, blob_id, blob_of_gix, object_id};
use crate::text::FilePath;

/// Which files are of interest to the files next to and below them, as decided by the caller.
#[derive(Debug, Clone, Copy)]
pub struct Interest {
    /// Whether a file is of interest to its folder and everything below.
    pub is_relevant: fn(&FilePath) -> bool,
    /// Files of interest to their parent directory: (directory, file name).
    pub for_parent: &'static [(&'static str, &'static str)],
}

/// Which references lead to the history that is walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum References {
    /// `HEAD`, branches, tags and those of remotes: what the project made public as its own.
    Own,
    /// Those of pull requests, reviews, notes and the stash, too: a mirror has what strangers
    /// proposed.
    All,
}

impl References {
    fn have(self, name: &str) -> bool {
        self == Self::All
            || ["refs/heads/", "refs/tags/", "refs/remotes/"]
                .iter()
                .any(|own| name.starts_with(own))
    }
}

/// Files of interest: path and content.
pub type FilesAround = Arc<Vec<(FilePath, BlobId)>>;

/// Maximum files of interest in one folder; the rest are ignored.
const MAX_RELEVANT: usize = 100;

/// The first appearance of a blob in a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appearance {
    /// The blob.
    pub blob: BlobId,
    /// Its first path.
    pub entry: Entry,
    /// The first commit that has it.
    pub commit: CommitId,
    /// The time of that commit, in seconds since 1970.
    pub time: i64,
    /// The first tag that contains it.
    pub first_tag: Option<Arc<str>>,
    /// The last tag that contains it.
    pub last_tag: Option<Arc<str>>,
    /// The files of interest in that commit, in the blob's folder and above.
    pub around: FilesAround,
}

impl Reader {
    /// The time of a commit, in seconds since 1970.
    ///
    /// # Errors
    /// If the commit is missing.
    pub fn time(&self, commit: CommitId) -> Result<i64, Error> {
        let time = self.find_commit(commit)?.time().map(|time| time.seconds);
        time.or_else(|_| self.raw_time(commit))
    }

    /// Every blob reachable from these references, once, the oldest first; with the files of
    /// `interest` around it, if any.
    ///
    /// Walks each tree once, however many commits share it: time grows with the number of distinct
    /// trees, memory with the number of distinct blobs.
    ///
    /// # Errors
    /// If a commit or tree is missing.
    pub fn first_appearances(
        &self,
        references: References,
        interest: Option<Interest>,
    ) -> Result<Vec<Appearance>, Error> {
        let (tips, tags) = self.tips_and_tags(references)?;
        let tips: Vec<CommitId> = tips.into_iter().map(CommitId).collect();
        let commits = self.commits(&tips, &[], WalkLimits::default())?;

        // From the oldest commit on, so that the first tree that has a blob is the one to report. A
        // tree that was met is not entered again: commit n+1 shares all but a few trees with commit
        // n, so that the walk costs what changed.
        let mut appearances: Vec<Appearance> = Vec::new();
        let mut seen = Trees { interest, ..Trees::default() };
        for commit in commits {
            let tree = match self.tree_of(commit) {
                Err(Error::Malformed { .. }) => {
                    self.pass_over(commit);
                    continue;
                }
                tree => tree?,
            };
            let time = self.time(commit)?;
            seen.walk(self, tree, &mut |blob, path, around| {
                let entry =
                    Entry { path: FilePath::new(path), content: Content::Blob(blob_of_gix(blob)) };
                let (blob, around) = (blob_of_gix(blob), Arc::clone(around));
                appearances.push(Appearance {
                    blob,
                    entry,
                    commit,
                    time,
                    first_tag: None,
                    last_tag: None,
                    around,
                });
            })?;
        }

        let numbers: HashMap<ObjectId, usize> = appearances
            .iter()
            .enumerate()
            .map(|(number, appearance)| (object_id(appearance.blob), number))
            .collect();
        // The same walk over the tags from either end: the first that meets a blob is its first
        // tag, or its last. It cannot be done in the walk above, which is in order of commits,
        // while tags follow branches.
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

    /// Changes whenever one of these references does: the ids that they point to.
    ///
    /// # Errors
    /// If the references cannot be read.
    pub fn state(&self, references: References) -> Result<String, Error> {
        let (tips, _) = self.tips_and_tags(references)?;
        let ids: Vec<String> = tips.iter().map(ToString::to_string).collect();
        Ok(blob_id(ids.join("\n").as_bytes()).to_string())
    }

    /// The tags and their commits, in order of their versions.
    ///
    /// # Errors
    /// If the references cannot be read.
    pub fn tags(&self) -> Result<Vec<(String, CommitId)>, Error> {
        let (_, tags) = self.tips_and_tags(References::Own)?;
        Ok(tags.into_iter().map(|(name, commit)| (name.to_string(), commit)).collect())
    }

    /// The commits that these references and `HEAD` point to, and the tags among them in order of
    /// their versions.
    #[allow(clippy::type_complexity, reason = "the two lists are taken apart at once")]
    fn tips_and_tags(
        &self,
        references: References,
    ) -> Result<(Vec<ObjectId>, Vec<(Arc<str>, CommitId)>), Error> {
        let unreadable = |error: &dyn std::error::Error| self.fails("the references", error);
        let platform = self.repo.references().map_err(|error| unreadable(&error))?;
        let mut tips = Vec::new();
        let mut tags = Vec::new();
        for reference in platform.all().map_err(|error| unreadable(&error))? {
            let mut reference = reference.map_err(|error| unreadable(&error))?;
            let name = reference.name().as_bstr().to_string();
            if !references.have(&name) {
                continue;
            }
            // A tag may point to a blob or a tree, and a reference may be dangling: neither is
            // history.
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
        Ok((tips, in_order_of_versions(tags)))
    }

    pub(super) fn tree_of(&self, commit: CommitId) -> Result<ObjectId, Error> {
        let tree = self.find_commit(commit)?.tree_id();
        tree.map(gix::Id::detach).map_err(|error| self.fails(&format!("commit {commit}"), &error))
    }

    /// The tree `id`; `what` names it in an error.
    pub(super) fn tree(&self, id: ObjectId, what: &str) -> Result<gix::Tree<'_>, Error> {
        match self.repo.try_find_object(id) {
            Ok(None) => Err(Error::MissingTree { id: id.to_string(), path: what.to_owned() }),
            Err(error) => Err(self.fails(what, &error)),
            Ok(Some(object)) => object.try_into_tree().map_err(|error| self.fails(what, &error)),
        }
    }
}

/// Tags with their times, in order of their versions; those whose names begin otherwise apart, the
/// oldest first. In order of dates, `v1.0 to v1.1.1` would tell of a file that 2.0 has, too, if
/// 1.1.1 is newer.
fn in_order_of_versions(mut tags: Vec<(i64, Arc<str>, CommitId)>) -> Vec<(Arc<str>, CommitId)> {
    let prefix =
        |name: &str| name[..name.find(|c: char| c.is_ascii_digit()).unwrap_or(0)].to_owned();
    let mut since: HashMap<String, i64> = HashMap::default();
    for (time, name, _) in &tags {
        let first = since.entry(prefix(name)).or_insert(*time);
        *first = (*first).min(*time);
    }
    tags.sort_by_cached_key(|(time, name, _)| {
        let prefix = prefix(name);
        (since[&prefix], version(&name[prefix.len()..]), *time, prefix, Arc::clone(name))
    });
    tags.into_iter().map(|(_, name, commit)| (name, commit)).collect()
}

/// A part of the name of a version: what comes before a release, the end, another word, a number.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum VersionPart {
    Before(String),
    End,
    Word(String),
    Number(u64),
}

/// The parts of a version, in the order of which versions follow each other; none of a name without
/// a number.
fn version(text: &str) -> Vec<VersionPart> {
    let is_number = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    if !is_number(text) {
        return Vec::new();
    }
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let runs = words
        .flat_map(|word| word.as_bytes().chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit()));
    let part = |run: &[u8]| {
        let text = String::from_utf8_lossy(run).to_ascii_lowercase();
        match text.parse() {
            Ok(number) => VersionPart::Number(number),
            Err(_) if BEFORE_RELEASES.contains(&&*text) => VersionPart::Before(text),
            Err(_) => VersionPart::Word(text),
        }
    };
    runs.map(part).chain([VersionPart::End]).collect()
}

/// What is in the names of versions that come before a release.
const BEFORE_RELEASES: &[&str] = &["alpha", "beta", "dev", "pre", "rc"];

/// The trees and blobs already seen: what is below them need not be walked again.
#[derive(Default)]
struct Trees {
    met: HashSet<ObjectId>,
    /// The files to return with each blob.
    interest: Option<Interest>,
    /// Which paths are of interest; they are the same in most trees.
    relevant: HashMap<Vec<u8>, bool>,
}

impl Trees {
    fn is_relevant(&mut self, path: &[u8]) -> bool {
        let Some(Interest { is_relevant, .. }) = self.interest else { return false };
        if let Some(&known) = self.relevant.get(path) {
            return known;
        }
        let is_it = is_relevant(&FilePath::new(path));
        self.relevant.insert(path.to_owned(), is_it);
        is_it
    }

    /// Returns each new blob below `tree`, with its path and the files of interest around it.
    fn walk(
        &mut self,
        reader: &Reader,
        tree: ObjectId,
        each: &mut dyn FnMut(ObjectId, Vec<u8>, &FilesAround),
    ) -> Result<(), Error> {
        let mut rest = vec![(tree, Vec::new(), FilesAround::default())];
        while let Some((id, folder, above)) = rest.pop() {
            if !self.met.insert(id) {
                continue;
            }
            let unreadable =
                |error: &dyn std::error::Error| reader.fails(&format!("tree {id}"), error);
            let tree = reader.tree(id, "the history")?;
            // All files of a folder come before its subfolders, since its license files count for
            // both.
            let (mut folders, mut files) = (Vec::new(), Vec::new());
            let (mut relevant, mut for_here) = (Vec::new(), Vec::new());
            let for_parent = self.interest.map_or(&[][..], |interest| interest.for_parent);
            let mut path = folder;
            path.extend((!path.is_empty()).then_some(b'/'));
            let n_folder = path.len();
            // Most entries are those of the commit before, so that only the others get a path.
            for entry in tree.iter() {
                let entry = entry.map_err(|error| unreadable(&error))?;
                path.truncate(n_folder);
                path.extend_from_slice(entry.filename());
                let id = entry.object_id();
                let is_new = !self.met.contains(&id);
                if entry.mode().is_tree() {
                    let name = for_parent.iter().find(|(name, _)| entry.filename() == name);
                    for_here.extend(name.map(|(_, file)| (id, path.clone(), *file)));
                    folders.extend(is_new.then(|| (id, path.clone())));
                } else if entry.mode().is_blob() {
                    files.extend(is_new.then(|| (id, path.clone())));
                    if relevant.len() < MAX_RELEVANT && self.is_relevant(&path) {
                        relevant.push((FilePath::new(path.clone()), blob_of_gix(id)));
                    }
                }
            }
            let around = around(reader, &above, relevant, &for_here);
            for (id, path) in files {
                if self.met.insert(id) {
                    each(id, path, &around);
                }
            }
            // In reverse, since `rest` is a stack: the walk is in the order of the tree.
            rest.extend(
                folders.into_iter().rev().map(|(id, path)| (id, path, Arc::clone(&around))),
            );
        }
        Ok(())
    }
}

/// The files of interest to a folder: those `above`, those in it, and those in the folders
/// `for_here`.
fn around(
    reader: &Reader,
    above: &FilesAround,
    mut own: Vec<(FilePath, BlobId)>,
    for_here: &[(ObjectId, Vec<u8>, &str)],
) -> FilesAround {
    for (id, folder, name) in for_here {
        let Ok(tree) = reader.repo.find_tree(*id) else { continue };
        let found =
            tree.iter().flatten().find(|entry| entry.mode().is_blob() && entry.filename() == name);
        own.extend(found.map(|entry| {
            (
                FilePath::new([folder, &b"/"[..], name.as_bytes()].concat()),
                blob_of_gix(entry.object_id()),
            )
        }));
    }
    // Most folders have none of their own and share the list of the folder above.
    if own.is_empty() {
        Arc::clone(above)
    } else {
        Arc::new(above.iter().cloned().chain(own).collect())
    }
}
