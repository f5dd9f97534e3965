//! Walks all history and records, per blob: its first commit, files of interest around it at that
//! time, and its first and last release tag.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use foldhash::{HashMap, HashSet};
use gix::ObjectId;

use super::entries::{EntryKind, Rows, TreeEntry, differences};
use super::{BlobId, CommitId, Error, Reader, Span, blob_id, blob_of_gix, object_id};
use crate::text::FilePath;

/// Maximum files of interest in one folder; the rest are ignored.
const MAX_RELEVANT: usize = 100;

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
        let own = ["refs/heads/", "refs/tags/", "refs/remotes/"];
        self == Self::All || own.iter().any(|folder| name.starts_with(folder))
    }
}

/// Files of interest: path and content.
pub type FilesAround = Arc<Vec<(FilePath, BlobId)>>;

/// The first appearance of a blob in a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appearance {
    /// The blob.
    pub blob: BlobId,
    /// Its first path.
    pub path: FilePath,
    /// The first commit that has it.
    pub commit: CommitId,
    /// The time of that commit, in seconds since 1970.
    pub time: i64,
    /// The first and the last tag that contain it.
    pub tags: [Option<Arc<str>>; 2],
    /// The files of interest in that commit, in the blob's folder and above.
    pub around: FilesAround,
}

impl Reader {
    /// The time of a commit, in seconds since 1970.
    pub fn time(&self, commit: CommitId) -> Result<i64, Error> {
        let time = self.find_commit(commit)?.time().map(|time| time.seconds);
        time.or_else(|_| self.raw_time(commit))
    }

    /// Every blob reachable from these references, once, the oldest first; with the files of
    /// `interest` around it, if any.
    ///
    /// Walks each tree once, however many commits share it: time grows with the number of distinct
    /// trees, memory with the number of distinct blobs.
    pub fn first_appearances(
        &self,
        references: References,
        interest: Option<Interest>,
    ) -> Result<Vec<Appearance>, Error> {
        let (tips, mut tags) = self.tips_and_tags(references)?;
        let tips = tips.into_iter().map(CommitId).collect();
        let commits = self.commits_of(&Span { tips, ..Span::default() })?;

        // From the oldest commit on, so that the first tree that has a blob is the one to report. A
        // tree that was met is not entered again: commit n+1 shares all but a few trees with commit
        // n, so that the walk costs what changed.
        let mut appearances: Vec<Appearance> = Vec::new();
        let mut seen = Trees { interest, ..Trees::default() };
        for commit in commits {
            let tree = match self.tree_of(commit) {
                Err(Error::Malformed(_)) => {
                    self.pass_over(commit);
                    continue;
                }
                tree => tree?,
            };
            let time = self.time(commit)?;
            seen.walk(self, tree, &mut |blob, path, around| {
                let (blob, path) = (blob_of_gix(blob), FilePath::new(path));
                let (tags, around) = ([None, None], Arc::clone(around));
                appearances.push(Appearance { blob, path, commit, time, tags, around });
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
        for end in [0, 1] {
            let mut seen = Trees::default();
            for (name, commit) in &tags {
                seen.walk(self, self.tree_of(*commit)?, &mut |blob, _, _| {
                    if let Some(&number) = numbers.get(&blob) {
                        appearances[number].tags[end] = Some(Arc::clone(name));
                    }
                })?;
            }
            tags.reverse();
        }
        Ok(appearances)
    }

    /// Changes whenever one of these references does: the ids that they point to.
    pub fn state(&self, references: References) -> Result<String, Error> {
        let (tips, _) = self.tips_and_tags(references)?;
        let ids: Vec<String> = tips.iter().map(ToString::to_string).collect();
        Ok(blob_id(ids.join("\n").as_bytes()).to_string())
    }

    /// The tags and their commits, in order of their versions.
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
        let mut tips = Vec::new();
        let mut tags = Vec::new();
        self.each_reference(|reference| {
            let name = reference.name().as_bstr().to_string();
            // A tag may point to a blob or a tree, and a reference may be dangling: neither is
            // history.
            if references.have(&name)
                && let Ok(commit) = reference.peel_to_commit()
            {
                tips.push(commit.id);
                if let Some(tag) = name.strip_prefix("refs/tags/") {
                    let commit = CommitId(commit.id);
                    tags.push((self.time(commit)?, Arc::from(tag), commit));
                }
            }
            Ok(())
        })?;
        tips.extend(self.head()?.map(|head| head.0));
        tips.sort_unstable();
        tips.dedup();
        Ok((tips, in_order_of_versions(tags)))
    }

    pub(super) fn each_reference(
        &self,
        mut each: impl FnMut(&mut gix::Reference<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let fails = |error: &dyn std::error::Error| self.fails("the references", error);
        let platform = self.repo.references().map_err(|error| fails(&error))?;
        for reference in platform.all().map_err(|error| fails(&error))? {
            each(&mut reference.map_err(|error| fails(&error))?)?;
        }
        Ok(())
    }

    pub(super) fn tree_of(&self, commit: CommitId) -> Result<ObjectId, Error> {
        let tree = self.find_commit(commit)?.tree_id();
        tree.map(gix::Id::detach).map_err(|error| self.commit_fails(commit, &error))
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

/// A tag: when its commit was made, the version in its name, that, and the commit.
type Tag = (i64, Vec<VersionPart>, Arc<str>, CommitId);

/// Tags with their times, in order of their versions. In order of dates, `v1.0 to v1.1.1` would
/// tell of a file that 2.0 has, too, if 1.1.1 is newer.
///
/// Names that begin in different ways are one sequence, as `jq-1.5` and `1.6rc2`, if most of the
/// fewer are by date where they are by version; else those with older tags come first. Of such
/// names of a version, one is kept for a commit. Time O(n log n).
fn in_order_of_versions(tags: Vec<(i64, Arc<str>, CommitId)>) -> Vec<(Arc<str>, CommitId)> {
    let mut by_prefix: BTreeMap<String, Vec<Tag>> = BTreeMap::new();
    for (time, name, commit) in tags {
        let (prefix, number) =
            name.split_at(name.find(|c: char| c.is_ascii_digit()).unwrap_or(name.len()));
        let (prefix, version) = (prefix.to_owned(), version(number));
        by_prefix.entry(prefix).or_default().push((time, version, name, commit));
    }
    let mut groups = Vec::from_iter(by_prefix);
    groups.sort_by_key(|(_, tags)| Reverse(tags.len()));
    let mut sequences: BTreeMap<String, Vec<(i64, Vec<Tag>)>> = BTreeMap::new();
    for (prefix, mut tags) in groups {
        tags.sort_by(|a, b| (&a.1, a.0, &a.2).cmp(&(&b.1, b.0, &b.2)));
        let since = tags.iter().map(|(time, ..)| *time).min().unwrap_or_default();
        // `module/v1.2` is a release of a folder.
        let module = prefix.rsplit_once('/').map_or("", |(module, _)| module);
        let known = sequences.entry(module.to_owned()).or_default();
        match known.first_mut().filter(|(_, main)| fits(&tags, main)) {
            Some((first, main)) => {
                *first = since.min(*first);
                main.extend(tags);
                // The sort is stable: of one commit the name like most others is first.
                main.sort_by(|a, b| (&a.1, a.0, a.3).cmp(&(&b.1, b.0, b.3)));
                main.dedup_by(|a, b| !a.1.is_empty() && (&a.1, a.3) == (&b.1, b.3));
            }
            None => known.push((since, tags)),
        }
    }
    let mut sequences = Vec::from_iter(sequences.into_values().flatten());
    sequences.sort_by_key(|(since, _)| *since);
    sequences
        .into_iter()
        .flat_map(|(_, tags)| tags)
        .map(|(.., name, commit)| (name, commit))
        .collect()
}

/// Whether most of these tags are between those of `main` by date that they are between by version.
fn fits(tags: &[Tag], main: &[Tag]) -> bool {
    let n_fitting = tags.iter().filter(|(time, version, ..)| {
        let before = main.partition_point(|of| of.1 < *version);
        let behind = main.partition_point(|of| of.1 <= *version);
        before.checked_sub(1).is_none_or(|at| main[at].0 <= *time)
            && main.get(behind).is_none_or(|of| *time <= of.0)
    });
    2 * n_fitting.count() > tags.len()
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
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return Vec::new();
    }
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let runs = words
        .flat_map(|word| word.as_bytes().chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit()));
    let parts = runs.map(|run| {
        let text = String::from_utf8_lossy(run).to_ascii_lowercase();
        match text.parse() {
            Ok(number) => VersionPart::Number(number),
            Err(_) if BEFORE_RELEASES.contains(&&*text) => VersionPart::Before(text),
            Err(_) => VersionPart::Word(text),
        }
    });
    parts.chain([VersionPart::End]).collect()
}

/// What is in the names of versions that come before a release.
const BEFORE_RELEASES: &[&str] = &["alpha", "beta", "dev", "pre", "rc"];

/// The trees and blobs already seen: what is below them need not be walked again.
#[derive(Default)]
struct Trees {
    met: HashSet<ObjectId>,
    /// The last tree of each folder: most entries of the next are the same.
    last: HashMap<Vec<u8>, LastTree>,
    /// The files to return with each blob.
    interest: Option<Interest>,
    /// Which paths are of interest; they are the same in most trees.
    relevant: HashMap<Vec<u8>, bool>,
}

/// A tree whose entries are all met.
#[derive(Default)]
struct LastTree {
    bytes: Vec<u8>,
    /// The files of interest to its folder.
    own: Vec<(FilePath, BlobId)>,
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

    /// Whether a file or folder at `path` is of interest to the folder that it is in.
    fn is_of_interest(&mut self, entry: &TreeEntry<'_>, path: &[u8]) -> bool {
        match entry.kind {
            EntryKind::File => self.is_relevant(path),
            EntryKind::Folder => self.for_parent(entry.name).is_some(),
            EntryKind::Other => false,
        }
    }

    /// The name of the file of interest in a folder of this name to the folder that it is in.
    fn for_parent(&self, folder: &[u8]) -> Option<&'static str> {
        let names = self.interest.map_or(&[][..], |interest| interest.for_parent);
        names.iter().find(|(name, _)| name.as_bytes() == folder).map(|(_, file)| *file)
    }

    /// Returns each new blob below `tree`, with its path and the files of interest around it.
    fn walk(
        &mut self,
        reader: &Reader,
        tree: ObjectId,
        each: &mut dyn FnMut(ObjectId, Vec<u8>, &FilesAround),
    ) -> Result<(), Error> {
        let n_id = reader.repo.object_hash().len_in_bytes();
        let mut rest = vec![(tree, Vec::new(), FilesAround::default())];
        while let Some((id, folder, above)) = rest.pop() {
            if !self.met.insert(id) {
                continue;
            }
            let mut tree = reader.tree(id, "the history")?;
            let LastTree { bytes, own } = self.last.remove(&folder).unwrap_or_default();
            let last = [bytes];
            let mut changed = Vec::new();
            let is_whole = differences(&last, &tree.data, n_id, |was, is| {
                changed.extend(was.iter().chain([&is]).flatten().copied());
            });
            if !is_whole && let Some(error) = tree.iter().find_map(Result::err) {
                return Err(reader.fails(&format!("tree {id}"), &error));
            }
            // All files of a folder come before its subfolders, since its license files count for
            // both.
            let (mut folders, mut files) = (Vec::new(), Vec::new());
            let mut has_same_own = true;
            let mut path = folder.clone();
            path.extend((!path.is_empty()).then_some(b'/'));
            let n_folder = path.len();
            for entry in changed {
                path.truncate(n_folder);
                path.extend_from_slice(entry.name);
                has_same_own &= !self.is_of_interest(&entry, &path);
                let id = ObjectId::try_from(entry.id).ok();
                let Some(id) = id.filter(|id| !self.met.contains(id)) else { continue };
                match entry.kind {
                    EntryKind::Folder => folders.push((id, path.clone())),
                    EntryKind::File => files.push((id, path.clone())),
                    EntryKind::Other => {}
                }
            }
            path.truncate(n_folder);
            let own =
                if has_same_own { own } else { self.own_files(reader, &tree.data, n_id, path) };
            // Most folders have none of their own and share the list of the folder above.
            let around = if own.is_empty() {
                above
            } else {
                Arc::new(above.iter().chain(&own).cloned().collect())
            };
            self.last.insert(folder, LastTree { bytes: std::mem::take(&mut tree.data), own });
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

    /// The first 100 files of interest in a tree, and those in the folders that are in it for that;
    /// `path` is that of the tree.
    fn own_files(
        &mut self,
        reader: &Reader,
        tree: &[u8],
        n_id: usize,
        mut path: Vec<u8>,
    ) -> Vec<(FilePath, BlobId)> {
        let n_folder = path.len();
        let (mut own, mut below) = (Vec::new(), Vec::new());
        for TreeEntry { name, kind, id } in Rows::new(tree, n_id) {
            path.truncate(n_folder);
            path.extend_from_slice(name);
            match (kind, self.for_parent(name)) {
                (EntryKind::File, _) if own.len() < MAX_RELEVANT && self.is_relevant(&path) => {
                    own.extend(BlobId::from_bytes(id).map(|id| (FilePath::new(&path), id)));
                }
                (EntryKind::Folder, Some(file)) => {
                    let Ok(id) = ObjectId::try_from(id) else { continue };
                    let Ok(tree) = reader.tree_bytes(id) else { continue };
                    let found = Rows::new(&tree, n_id)
                        .find(|row| row.kind == EntryKind::File && row.name == file.as_bytes());
                    let path = FilePath::new([&*path, b"/", file.as_bytes()].concat());
                    below.extend(found.and_then(|row| Some((path, BlobId::from_bytes(row.id)?))));
                }
                _ => {}
            }
        }
        own.extend(below);
        own
    }
}
