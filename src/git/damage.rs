//! Finds out why something in a repository cannot be read: the file that is damaged, or the object
//! that is missing.
//!
//! A pack that cannot be opened is as if its objects were not there. So where something cannot be
//! read, git's files are looked at, and the first that is damaged is the reason.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use gix::bstr::ByteSlice;

use super::{CommitId, Error, Reader, Repository, first_line};
use crate::files;

/// Maximum bytes to read of a file of references.
const MAX_REFERENCES: u64 = 256 << 20;
/// Maximum bytes of a file with one reference.
const MAX_REFERENCE: u64 = 64 * 1024;
/// Where a reference may be, by how it is named.
const PLACES: [&str; 5] = ["", "refs/", "refs/tags/", "refs/heads/", "refs/remotes/"];

const OF_UNBORN: &str =
    "`git commit` makes the first; `check --staged` checks it, and `scan` reads what is there";
const OF_HEAD: &str = "`git symbolic-ref HEAD refs/heads/BRANCH` writes it anew";
const OF_REFERENCE: &str = "take the file away; `git fetch` brings a branch of the remote back, and `git fsck --lost-found` finds its commits";
const OF_PACKED: &str = "take the line away; `git fetch` brings a branch of the remote back, and `git fsck --lost-found` finds its commits";
const OF_SHALLOW: &str = "clone it again, or take the line away and fetch: `git fetch --unshallow`";
const OF_PACK: &str = "`git fsck` shows what else is damaged; `git fetch --refetch` brings the objects of the remote back, as cloning again does";
pub(super) const OF_INDEX: &str =
    "take it away, and `git read-tree HEAD` writes it anew; what was staged is staged again";
const OF_CONFIG: &str = "`git config --list` and `git fsck` show what git says of it";

pub(super) type PassedOver = std::sync::Arc<std::sync::Mutex<BTreeSet<CommitId>>>;

impl Repository {
    /// The commits that were passed over so far, since they are malformed.
    pub fn passed_over(&self) -> Vec<CommitId> {
        let passed_over = self.passed_over.lock();
        passed_over.map_or_else(|_| Vec::new(), |commits| commits.iter().copied().collect())
    }
}

impl Reader {
    pub(super) fn pass_over(&self, commit: CommitId) {
        if let Ok(mut commits) = self.passed_over.lock() {
            commits.insert(commit);
        }
    }

    /// Whether a commit and its parents can be read; if not, the malformed one is remembered.
    pub fn is_readable(&self, commit: CommitId) -> Result<bool, Error> {
        let read = self.parents(commit).and_then(|parents| {
            parents.into_iter().try_for_each(|parent| self.find_commit(parent).map(drop))
        });
        if let Err(Error::Malformed(commit)) = read {
            self.pass_over(commit);
            return Ok(false);
        }
        read.map(|()| true)
    }

    /// Why `what` cannot be read, which failed with `why`.
    pub(super) fn fails(&self, what: &str, why: &dyn std::error::Error) -> Error {
        self.damaged_file().unwrap_or_else(|| Error::unreadable(what, &innermost(why)))
    }

    /// Why `commit` cannot be read, which failed with `why`.
    pub(super) fn commit_fails(&self, commit: CommitId, why: &dyn std::error::Error) -> Error {
        self.fails(&format!("commit {commit}"), why)
    }

    /// Why a revision names no commit: nothing has its name, or what has it is damaged.
    pub(super) fn unresolved(&self, revision: &str) -> Error {
        let (name, steps) =
            revision.split_at(revision.find(['^', '~', '@', ':']).unwrap_or(revision.len()));
        let name = if name.is_empty() { "HEAD" } else { name };
        if ["HEAD", "@"].contains(&name) && self.repo.head().is_ok_and(|head| head.is_unborn()) {
            let (revision, why) = (revision.to_owned(), "there is no commit yet");
            return Error::NoCommit { revision, why, cure: OF_UNBORN };
        }
        let damage = self.damaged_reference(name).or_else(|| {
            let goes_back = steps.starts_with(['^', '~']);
            goes_back.then(|| self.gap_behind(self.commit(name).ok()?)).flatten()
        });
        damage.unwrap_or_else(|| {
            let (revision, is_shallow) = (revision.to_owned(), self.is_shallow());
            match self.other_than_a_commit(&revision, name) {
                Some([why, cure]) => Error::NoCommit { revision, why, cure },
                None => Error::UnknownRevision { revision, is_shallow },
            }
        })
    }

    /// Why a revision that begins with `name` is no commit though it means something, and the cure.
    fn other_than_a_commit(&self, revision: &str, name: &str) -> Option<[&'static str; 2]> {
        let steps = revision.strip_prefix(name).unwrap_or_default();
        let found = self.repo.rev_parse_single(revision).ok();
        // An id in full need not be here.
        let found = found.and_then(|id| self.repo.try_find_header(id).ok().flatten());
        Some(if revision.contains("..") {
            let why = "it is a range, and one commit is wanted";
            [why, "give each of its ends to a flag of its own"]
        } else if found.is_some_and(|of| of.kind().is_tree() || of.kind().is_blob()) {
            ["it is a file or folder, and a commit is wanted", "name the commit alone"]
        } else if steps.starts_with(['^', '~']) && !self.is_shallow() && self.commit(name).is_ok() {
            let cure = "`git log --graph` shows the parents of each commit";
            ["there is no such commit before it", cure]
        } else {
            return None;
        })
    }

    /// What is wrong with the reference `name`, or with what it points to; `None` if there is none.
    fn damaged_reference(&self, name: &str) -> Option<Error> {
        gix::validate::reference::name_partial(name.into()).ok()?;
        let folders = [self.repo.git_dir(), self.repo.common_dir()];
        let mut files = PLACES
            .iter()
            .flat_map(|place| folders.map(|folder| folder.join(format!("{place}{name}"))))
            .filter(|file| file.is_file());
        if let Some(damaged) = files.find_map(|file| self.damage_of_reference(&file)) {
            return Some(damaged);
        }
        let what = format!("the reference `{name}`");
        let found = self.repo.try_find_reference(name);
        let id = match found.and_then(|of| of.map(|mut of| of.follow_to_object()).transpose()) {
            Ok(id) => id?.detach(),
            Err(why) => return Some(self.fails(&what, &why)),
        };
        match self.repo.try_find_object(id) {
            Ok(Some(_)) => None,
            Ok(None) => {
                let why = format!("{id}, which it points to, is not in this clone");
                Some(self.damaged_file().unwrap_or_else(|| Error::unreadable(&what, &why)))
            }
            Err(why) => Some(self.fails(&format!("object {id}, which `{name}` points to"), &why)),
        }
    }

    /// What is wrong with a file that holds one reference.
    fn damage_of_reference(&self, file: &Path) -> Option<Error> {
        let is_head = file.ends_with("HEAD");
        let cure = if is_head { OF_HEAD } else { OF_REFERENCE };
        let why = match files::read(file, MAX_REFERENCE) {
            Err(why) => why.to_string(),
            Ok(text) if text.starts_with(b"ref: ") || self.begins_with_id(&text) => return None,
            Ok(_) => "it holds neither the id of a commit nor the name of a branch".to_owned(),
        };
        Some(Error::Damaged { file: file.to_owned(), why, cure })
    }

    /// The first of git's files for references and packs that is damaged.
    fn damaged_file(&self) -> Option<Error> {
        let common = self.repo.common_dir();
        self.damage_of_reference(&self.repo.git_dir().join("HEAD"))
            .or_else(|| self.damage_of_lines(common.join("packed-refs"), OF_PACKED))
            .or_else(|| self.damage_of_lines(common.join("shallow"), OF_SHALLOW))
            .or_else(|| self.damaged_pack(&common.join("objects/pack")))
    }

    /// What is wrong with a file that names a commit on each line; in that of packed references,
    /// some have a mark before it, and some are remarks.
    fn damage_of_lines(&self, file: PathBuf, cure: &'static str) -> Option<Error> {
        let is_packed = file.ends_with("packed-refs");
        let why = match files::read(&file, MAX_REFERENCES) {
            Err(why) if why.kind() == std::io::ErrorKind::NotFound => return None,
            Err(why) => why.to_string(),
            Ok(text) => {
                let bad = text.lines().position(|line| match line.first() {
                    None => false,
                    Some(b'#') if is_packed => false,
                    Some(b'^') if is_packed => !self.begins_with_id(&line[1..]),
                    Some(_) => !self.begins_with_id(line),
                })?;
                format!("line {} names no commit", bad + 1)
            }
        };
        Some(Error::Damaged { file, why, cure })
    }

    /// The first pack or index of one that cannot be opened.
    fn damaged_pack(&self, folder: &Path) -> Option<Error> {
        let hash = self.repo.object_hash();
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut found: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        found.sort_unstable();
        found.into_iter().find_map(|file| {
            let why = match file.extension()?.to_str()? {
                "idx" => innermost(&gix::odb::pack::index::File::at(&file, hash).err()?),
                "pack" => innermost(&gix::odb::pack::data::File::at(&file, hash).err()?),
                _ => return None,
            };
            Some(Error::Damaged { file, why: first_line(&why), cure: OF_PACK })
        })
    }

    fn begins_with_id(&self, text: &[u8]) -> bool {
        let n = self.repo.object_hash().len_in_hex();
        text.get(..n).is_some_and(|id| id.iter().all(u8::is_ascii_hexdigit))
            && text.get(n).is_none_or(u8::is_ascii_whitespace)
    }

    /// The error of the first commit on the way back along 10,000 first parents that cannot be read.
    fn gap_behind(&self, commit: CommitId) -> Option<Error> {
        let mut last = commit;
        for _ in 0..10_000 {
            match self
                .first_parent(last)
                .and_then(|parent| parent.map(|id| self.find_commit(id).map(|_| id)).transpose())
            {
                Ok(parent) => last = parent?,
                Err(error) => return Some(error),
            }
        }
        None
    }

    /// The error of a commit in the history of `tips` that cannot be read. Time O(n) in these
    /// commits.
    pub(super) fn gap_in(&self, tips: &[CommitId]) -> Option<Error> {
        let (mut met, mut open) = (HashSet::new(), tips.to_vec());
        while let Some(commit) = open.pop() {
            if met.insert(commit) {
                match self.parents(commit) {
                    Ok(parents) => open.extend(parents),
                    Err(error) => return Some(error),
                }
            }
        }
        None
    }

    /// Whether what git needs of a commit can be read: its tree and its parents.
    pub(super) fn is_well_formed(&self, commit: &[u8]) -> bool {
        let mut lines = commit.lines();
        let is_id =
            |id: &[u8]| self.begins_with_id(id) && id.len() == self.repo.object_hash().len_in_hex();
        let has_tree = lines.next().and_then(|line| line.strip_prefix(b"tree ")).is_some_and(is_id);
        has_tree && lines.map_while(|line| line.strip_prefix(b"parent ")).all(is_id)
    }
}

/// Why a repository at or above `folder` was not opened: there is none, or it is damaged.
pub(super) fn unopened(folder: &Path, why: &gix::Error) -> Error {
    let Ok((found, _)) = gix::discover::upwards(folder) else {
        return Error::NotARepository { folder: folder.to_owned(), why: first_line(why) };
    };
    let (folder, _) = found.into_repository_and_work_tree_directories();
    let file = folder.join("config");
    let damage =
        gix::config::File::from_path_no_includes(file.clone(), gix::config::Source::Local).err();
    let (file, why) = damage.map_or_else(|| (folder, all_of(why)), |why| (file, all_of(&why)));
    Error::Damaged { file, why: first_line(&why), cure: OF_CONFIG }
}

/// An error and those that it is about.
fn all_of(error: &dyn std::error::Error) -> String {
    let messages =
        std::iter::successors(Some(error), |error| error.source()).map(ToString::to_string);
    messages.collect::<Vec<_>>().join(": ")
}

/// The error that all the others are about.
pub(super) fn innermost(error: &dyn std::error::Error) -> String {
    std::iter::successors(Some(error), |error| error.source())
        .last()
        .map_or_else(String::new, ToString::to_string)
}
