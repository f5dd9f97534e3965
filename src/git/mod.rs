//! Reads repositories: revisions, trees, the index, the work tree, blobs.
//!
//! Invariant: gix is named in this folder only; everything returned has our own types.
//!
//! Whatever is missing or cannot be read is an error; the docs below name further ones.

mod appearances;
mod attributes;
mod changes;
mod damage;
mod entries;
mod error;
mod links;
mod objects;
mod packs;
mod past;
mod promised;
mod recorded;
mod snapshot;
mod sparse;
mod tree;

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gix::bstr::ByteSlice;
use gix::odb::pack::cache::lru::MemoryCappedHashmap;
use tempfile::TempDir;

pub use appearances::{Appearance, FilesAround, Interest, References};
pub use attributes::{Attributes, FileAttributes};
pub use error::Error;
pub use links::Way;
pub use packs::{Blob, Work};
pub use past::{CommitInfo, CommitNode, Event, Span, WalkLimits, seconds_of};
use snapshot::ListedTree;
pub use snapshot::Snapshot;

use self::damage::{PassedOver, unopened};
use self::promised::Promise;
use self::recorded::Filter;
use crate::files::{self, BlobId, Content, Entry, ReadFiles};
use crate::text::{FilePath, MAX_WRITTEN, fnv_1a, name_at_end, printable, shortened};

/// Maximum characters to show of a name or message that a repository supplies.
const MAX_SHOWN: usize = 200;

/// Room for the packs that come while a repository is open: each fetch of what a partial clone
/// lacks, and of a user beside a server, brings one.
const PACK_SLOTS: gix::odb::store::init::Slots =
    gix::odb::store::init::Slots::AsNeededByDiskState { multiplier: 2.0, minimum: 1_024 };

/// The id of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommitId(gix::ObjectId);

impl std::fmt::Display for CommitId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// The id of a blob with these bytes, in the usual format (SHA-1).
pub fn blob_id(bytes: &[u8]) -> BlobId {
    blob_of(gix::hash::Kind::Sha1, bytes)
}

/// The id of a blob with these bytes in the repository that `other` comes from.
pub fn blob_id_like(other: BlobId, bytes: &[u8]) -> BlobId {
    blob_of(object_id(other).kind(), bytes)
}

/// Computes the ids of blobs in a repository that has the blob `any`.
pub fn ids_like(any: Option<BlobId>) -> impl Fn(&[u8]) -> BlobId {
    move |bytes| any.map_or_else(|| blob_id(bytes), |other| blob_id_like(other, bytes))
}

fn blob_of(kind: gix::hash::Kind, bytes: &[u8]) -> BlobId {
    let hash = gix::objs::compute_hash(kind, gix::objs::Kind::Blob, bytes);
    // Only fails for bytes crafted to collide; these get an id that no blob has.
    blob_of_gix(hash.unwrap_or_else(|_| gix::ObjectId::null(kind)))
}

fn blob_of_gix(id: gix::ObjectId) -> BlobId {
    BlobId::from_bytes(id.as_slice()).expect("an object id has 20 or 32 bytes")
}

fn object_id(id: BlobId) -> gix::ObjectId {
    gix::ObjectId::try_from(id.as_bytes()).expect("a blob id has 20 or 32 bytes")
}

fn blob_entry(path: impl AsRef<[u8]>, id: gix::ObjectId) -> Entry {
    Entry { path: FilePath::new(path), content: Content::Blob(blob_of_gix(id)) }
}

impl CommitId {
    /// The id with these bytes; `None` if their number is not that of an id.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        gix::ObjectId::try_from(bytes).ok().map(Self)
    }

    /// The id as git stores it: 20 bytes, or 32 in a SHA-256 repository.
    pub fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// Whether these digits are an abbreviation of it, as git takes one: four or more.
    pub fn is_abbreviated(&self, digits: &str) -> bool {
        gix::hash::Prefix::from_hex(digits).is_ok_and(|prefix| prefix.cmp_oid(&self.0).is_eq())
    }

    /// The first ten digits, for people.
    pub fn short(&self) -> String {
        self.0.to_hex_with_len(10).to_string()
    }
}

/// What may be the default branch of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DefaultBranch {
    /// Its name here.
    pub name: String,
    /// Its commit; `None` where the remote's `HEAD` names a branch that is not in this clone.
    pub tip: Option<CommitId>,
    /// Whether more speaks for it than that it was cloned.
    pub is_sure: bool,
}

/// A repository on disk. A clone of it is as cheap as a reader.
#[derive(Clone)]
pub struct Repository {
    inner: gix::ThreadSafeRepository,
    root: PathBuf,
    edited: OpenBuffers,
    passed_over: PassedOver,
    promise: Promise,
    /// The folders of objects that git's variables name; the list goes away with it.
    _listed: Option<Arc<TempDir>>,
}

/// Files of the work tree that are open in an editor, with changes that are not on disk yet.
pub type OpenBuffers = Arc<BTreeMap<FilePath, Arc<[u8]>>>;

/// What folders of mirrors are called whatever they mirror: the folder above them is named after
/// it.
const PLAIN_NAMES: &[&str] = &["repo", "repository", "git", "bare", "mirror", "source"];

impl Repository {
    /// Opens the repository that contains `folder`, or that git's variables name, as in a hook.
    ///
    /// # Errors
    /// [`Error::NotARepository`] if there is none at or above `folder`.
    pub fn discover(folder: &Path) -> Result<Self, Error> {
        Self::open(folder, true)
    }

    /// Opens the repository that contains `folder`, whatever git's variables are about: they are
    /// about the one under audit.
    ///
    /// # Errors
    /// As [`Repository::discover`].
    pub fn discover_another(folder: &Path) -> Result<Self, Error> {
        Self::open(folder, false)
    }

    fn open(folder: &Path, heeds_variables: bool) -> Result<Self, Error> {
        // A folder inside of which a command is run has no name to tell that it is `.git`.
        let git_dir = folder.canonicalize().ok().filter(|of| of.ends_with(".git"));
        let folder = git_dir.as_deref().unwrap_or(folder);
        // A folder to stop at counts where the search comes by it; elsewhere it is ignored, as git
        // does.
        let options = gix::discover::upwards::Options {
            match_ceiling_dir_or_error: false,
            ..Default::default()
        };
        // `core.safecrlf` refuses to record mixed line ends. To read them it is no reason to fail,
        // as in `git diff`. Git trusts the index that it wrote, except in `git fsck`: to hash it
        // takes longer than to read it. Of a file that was written in the second of its index, as all
        // of a fresh checkout are, the rest of the time tells whether it is as it was.
        let overrides =
            ["core.safecrlf=false", "index.skipHash=true", "gitoxide.core.useNsec=true"];
        let mut trust = gix::sec::trust::Mapping::<gix::open::Options>::default();
        trust.full = trust.full.config_overrides(overrides).object_store_slots(PACK_SLOTS);
        trust.reduced = trust.reduced.config_overrides(overrides).object_store_slots(PACK_SLOTS);
        let inner = match heeds_variables {
            true => gix::ThreadSafeRepository::discover_with_environment_overrides_opts(
                folder, options, trust,
            ),
            false => gix::ThreadSafeRepository::discover_opts(folder, options, trust),
        };
        let mut inner = inner.map_err(|why| unopened(folder, &why))?;
        let local = inner.to_thread_local();
        check_readable(&local)?;
        let listed = objects::redirect(&mut inner, &local, heeds_variables)?;
        let root = local.workdir().unwrap_or_else(|| local.git_dir()).to_owned();
        Ok(Self {
            root,
            inner,
            edited: OpenBuffers::default(),
            passed_over: PassedOver::default(),
            promise: Promise::of(&local),
            _listed: listed.map(Arc::new),
        })
    }

    /// The same repository, in which the work tree has these files instead of those on disk.
    #[must_use]
    pub fn with_edited(self, edited: OpenBuffers) -> Self {
        Self { edited, ..self }
    }

    /// The root of the work tree, or the git directory of a bare repository.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Its name, for people: of that folder, or for a bare mirror, whose folder is named by whoever
    /// made it, of the remote that it mirrors. Without one, a folder called `repo` is named after
    /// the one above.
    pub fn name(&self) -> String {
        let remote = if self.is_bare() { self.reader().remote() } else { None };
        let mirrored = remote.as_deref().map(shown_name).filter(|name| !name.is_empty());
        mirrored.unwrap_or_else(|| {
            let root = self.root.canonicalize().unwrap_or_else(|_| self.root.clone());
            let name = shown_name(&root.to_string_lossy());
            let says_nothing = self.is_bare() && PLAIN_NAMES.contains(&&*name);
            let above = root.parent().filter(|_| says_nothing);
            let above = above.map(|above| shown_name(&above.to_string_lossy()));
            above.filter(|name| !name.is_empty()).unwrap_or(name)
        })
    }

    /// The git directory shared by all its work trees.
    pub fn common_dir(&self) -> PathBuf {
        self.inner.to_thread_local().common_dir().to_owned()
    }

    /// A digest of the objects that git reads in place of others, as `git replace` and grafts say;
    /// `None` if there are none. Under an id with it is what an id alone cannot tell.
    pub fn replacements(&self) -> Option<u64> {
        let all = self.inner.objects.replacements();
        let bytes: Vec<u8> =
            all.flat_map(|(id, other)| [id, other]).flat_map(|id| id.as_bytes().to_vec()).collect();
        (!bytes.is_empty()).then(|| fnv_1a(bytes))
    }

    /// Whether its ids are SHA-256, with 32 bytes, rather than SHA-1, with 20.
    pub fn is_sha256(&self) -> bool {
        self.inner.to_thread_local().object_hash() == gix::hash::Kind::Sha256
    }

    /// Whether it has a work tree, unlike a bare repository.
    pub fn has_work_tree(&self) -> bool {
        self.inner.work_tree.is_some()
    }

    /// Whether it has no work tree of its own: a mirror, or a repository on a server.
    pub fn is_bare(&self) -> bool {
        self.inner.to_thread_local().is_bare()
    }

    /// The folder where git looks for hooks.
    pub fn hooks_folder(&self) -> PathBuf {
        let local = self.inner.to_thread_local();
        let configured = local.config_snapshot().trusted_path("core.hooksPath").ok().flatten();
        // A relative path starts where hooks run: at the root of the work tree.
        configured.map_or_else(|| local.common_dir().join("hooks"), |folder| self.root.join(folder))
    }

    /// A handle for reading objects on one thread.
    pub fn reader(&self) -> Reader {
        let mut repo = self.inner.to_thread_local();
        repo.object_cache_size_if_unset(4 * 1024 * 1024);
        self.reader_with(repo)
    }

    /// Like [`Repository::reader`], for reading many trees of a history: keeps more of what it has
    /// read.
    pub fn history_reader(&self) -> Reader {
        let mut repo = self.inner.to_thread_local();
        repo.object_cache_size(8 * 1024 * 1024);
        repo.objects.set_pack_cache(|| Box::new(MemoryCappedHashmap::new(16 * 1024 * 1024)));
        self.reader_with(repo)
    }

    fn reader_with(&self, repo: gix::Repository) -> Reader {
        Reader {
            repo,
            root: self.inner.work_tree.clone(),
            real_root: OnceCell::new(),
            filter: RefCell::default(),
            edited: Arc::clone(&self.edited),
            passed_over: Arc::clone(&self.passed_over),
            promise: self.promise.clone(),
            listed: OnceCell::new(),
        }
    }
}

/// The name at the end of an address or a path, for people.
fn shown_name(address: &str) -> String {
    printable(name_at_end(address).as_bytes())
}

/// Checks for two faults of a repository that would later look as if its objects were missing.
fn check_readable(repo: &gix::Repository) -> Result<(), Error> {
    let storage = repo.config_snapshot().string("extensions.refStorage");
    if storage.is_some_and(|storage| storage.eq_ignore_ascii_case(b"reftable")) {
        return Err(Error::Reftable(repo.git_dir().to_owned()));
    }
    check_extensions(repo)?;
    let objects = repo.common_dir().join("objects");
    let list = objects.join("info/alternates");
    let text = if_there(files::read(&list, MAX_WRITTEN), &list)?;
    for line in text.split(|&byte| byte == b'\n') {
        // A name in quotes, as git writes one that it has to quote, is left to gix.
        if matches!(line.first(), None | Some(b'#' | b'"')) {
            continue;
        }
        let named = gix::path::from_bstr(line.as_bstr()).unwrap_or_default();
        if !objects.join(&named).is_dir() {
            return Err(Error::Alternate { list, named: first_line(&line.as_bstr()) });
        }
    }
    Ok(())
}

/// What was read of the file at `path`; nothing if there is none.
fn if_there<T: Default>(read: std::io::Result<T>, path: &Path) -> Result<T, Error> {
    match read {
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => Ok(T::default()),
        read => read.map_err(|why| Error::File { path: path.to_owned(), why }),
    }
}

/// The extensions of the format of a repository that git knows.
const EXTENSIONS: [&str; 9] = [
    "noop", "noop-v1", "partialClone", "preciousObjects", "worktreeConfig", "objectFormat",
    "compatObjectFormat", "refStorage", "relativeWorktrees",
];

/// Checks that a repository uses no extension of its format that is not known: what it keeps may
/// mean something else.
fn check_extensions(repo: &gix::Repository) -> Result<(), Error> {
    let config = repo.config_snapshot();
    // Before, there were no extensions.
    if config.integer("core.repositoryFormatVersion").is_none_or(|version| version < 1) {
        return Ok(());
    }
    let sections = config.plumbing().sections_by_name("extensions").into_iter().flatten();
    let mut names = sections.flat_map(|section| section.value_names().collect::<Vec<_>>());
    let other = names.find(|name| !EXTENSIONS.iter().any(|of| of.eq_ignore_ascii_case(name)));
    let folder = repo.git_dir().to_owned();
    other.map_or(Ok(()), |name| Err(Error::Extension { folder, name: first_line(&name) }))
}

/// The SHA-1 of some bytes, in hexadecimal: of a file's content, as bills of material name it.
pub fn sha1_of(bytes: &[u8]) -> String {
    let mut hasher = gix::hash::hasher(gix::hash::Kind::Sha1);
    hasher.update(bytes);
    hasher.try_finalize().map_or_else(|_| String::new(), |id| id.to_string())
}

/// Reads objects of a repository on one thread.
pub struct Reader {
    repo: gix::Repository,
    root: Option<PathBuf>,
    /// The root behind all links, once a file of the work tree was read.
    real_root: OnceCell<PathBuf>,
    /// What reads files of the work tree; made when the first is read.
    filter: RefCell<Option<Filter>>,
    edited: OpenBuffers,
    passed_over: PassedOver,
    promise: Promise,
    /// The first tree that was listed.
    listed: OnceCell<ListedTree>,
}

impl Reader {
    /// Whether the history is cut off, as in a clone with `--depth`.
    pub fn is_shallow(&self) -> bool {
        self.repo.is_shallow().unwrap_or(false)
    }

    /// The commit that `revision` refers to, following tags.
    ///
    /// # Errors
    /// [`Error::UnknownRevision`] if there is none.
    pub fn commit(&self, revision: &str) -> Result<CommitId, Error> {
        // All that follows `:/` is what a message is searched for, and finds a commit.
        let kind = if revision.starts_with(":/") { "" } else { "^{commit}" };
        let id = self.repo.rev_parse_single(&*format!("{revision}{kind}"));
        let id = id.map_err(|_| self.unresolved(revision))?;
        Ok(CommitId(id.detach()))
    }

    /// The commit that `HEAD` refers to; `None` before the first commit.
    pub fn head(&self) -> Result<Option<CommitId>, Error> {
        let head = self.repo.head().map_err(|error| self.fails("HEAD", &error))?;
        (!head.is_unborn()).then(|| self.commit("HEAD")).transpose()
    }

    /// The commits that a merge in progress brings in; empty if there is no merge.
    pub fn merge_heads(&self) -> Result<Vec<CommitId>, Error> {
        let path = self.repo.git_dir().join("MERGE_HEAD");
        let ids = if_there(files::read_text(&path, MAX_WRITTEN), &path)?;
        ids.lines().map(|id| self.commit(id)).collect()
    }

    /// The first parent of a commit; `None` for a root commit.
    ///
    /// # Errors
    /// [`Error::Shallow`] if the parent exists but is missing here.
    pub fn first_parent(&self, commit: CommitId) -> Result<Option<CommitId>, Error> {
        let object = self.find_commit(commit)?;
        let parent = object.parent_ids().next().map(|id| CommitId(id.detach()));
        parent.map(|parent| self.commit_object(parent).map(|_| parent)).transpose()
    }

    /// The best common ancestor of two commits.
    ///
    /// # Errors
    /// [`Error::NoMergeBase`] if they have none, or the clone is too shallow to contain it.
    pub fn merge_base(&self, base: CommitId, head: CommitId) -> Result<CommitId, Error> {
        // First along first parents: without a commit graph, the general search reads all commits
        // back to the date of the base.
        let mut ancestor = Some(head);
        for _ in 0..64 {
            match ancestor {
                Some(commit) if commit == base => return Ok(base),
                Some(commit) => ancestor = self.first_parent(commit).ok().flatten(),
                None => break,
            }
        }
        let gap = match self.repo.merge_base(base.0, head.0) {
            Ok(Some(id)) => return Ok(CommitId(id.detach())),
            Ok(None) => self.gap_in(&[base, head]),
            Err(_) if self.is_shallow() => None,
            Err(error) => self
                .gap_in(&[base, head])
                .or_else(|| Some(self.fails("the commits between base and head", &error))),
        };
        let (base, head, is_shallow) = (base.short(), head.short(), self.is_shallow());
        Err(gap.unwrap_or(Error::NoMergeBase { base, head, is_shallow }))
    }

    /// The commit of the branch with this name, as `main` and `origin/main` name one. A tag of the
    /// same name is none.
    ///
    /// # Errors
    /// [`Error::Branch`] if there is one, but its commit cannot be read.
    pub fn branch(&self, name: &str) -> Result<Option<CommitId>, Error> {
        let folder = if name.starts_with("origin/") { "refs/remotes" } else { "refs/heads" };
        let commit = match self.repo.try_find_reference(&format!("{folder}/{name}")) {
            Ok(None) => return Ok(None),
            Ok(Some(mut reference)) => reference.peel_to_commit().map(|commit| commit.id),
            Err(why) => Err(why),
        };
        let commit = commit.map(|commit| Some(CommitId(commit)));
        commit.map_err(|why| Error::Branch { name: name.to_owned(), why: first_line(&why) })
    }

    /// As [`Reader::commit`], for a revision that must not mean what somebody else chose: a tag may
    /// have the name of a branch, and git takes the tag.
    ///
    /// # Errors
    /// [`Error::Ambiguous`] if it could be several commits, else as [`Reader::commit`].
    pub fn unambiguous_commit(&self, revision: &str) -> Result<CommitId, Error> {
        let name = revision.split(['~', '^', '@']).next().unwrap_or_default();
        if self.named(name).len() > 1 {
            return Err(Error::Ambiguous(name.to_owned()));
        }
        self.commit(revision)
    }

    /// As [`Reader::unambiguous_commit`], for an id that may be abbreviated. Git takes a branch or
    /// tag that looks like one before the commit itself.
    ///
    /// # Errors
    /// [`Error::Ambiguous`] if a branch or tag has that name, else as [`Reader::commit`].
    pub fn commit_with_id(&self, id: &str) -> Result<CommitId, Error> {
        if id.bytes().all(|byte| byte.is_ascii_hexdigit()) && !self.named(id).is_empty() {
            return Err(Error::Ambiguous(id.to_owned()));
        }
        self.unambiguous_commit(id)
    }

    /// The commits of the tags and branches with this name.
    fn named(&self, name: &str) -> BTreeSet<CommitId> {
        ["refs/tags", "refs/heads", "refs/remotes"]
            .iter()
            .filter_map(|folder| self.commit(&format!("{folder}/{name}")).ok())
            .collect()
    }

    /// The branch that is checked out, if one is.
    pub fn checked_out(&self) -> Option<String> {
        let name = self.repo.head_name().ok().flatten()?;
        Some(name.shorten().to_string())
    }

    /// What may be the default branch, the likeliest first: the branch that the remote's `HEAD`
    /// names, `main`, `master`. A damaged one is an error.
    pub fn default_branches(&self) -> impl Iterator<Item = Result<DefaultBranch, Error>> + '_ {
        let of_remote = self.remote_head();
        let cloned = self.cloned_branches();
        let candidates = ["origin/main", "origin/master", "main", "master"].map(str::to_owned);
        let candidates: Vec<String> =
            of_remote.iter().map(|name| format!("origin/{name}")).chain(candidates).collect();
        candidates.into_iter().enumerate().filter_map(move |(at, name)| {
            let tip = match self.branch(&name) {
                Ok(None) if at > 0 || of_remote.is_none() => return None,
                Ok(tip) => tip,
                Err(why) => return Some(Err(why)),
            };
            // In a clone of one branch, that one says nothing: anybody can have called it so. The
            // remote's `HEAD` confirms it.
            let branch = name.trim_start_matches("origin/");
            let is_confirmed =
                of_remote.as_deref() == Some(branch) && ["main", "master"].contains(&branch);
            let is_sure =
                cloned.as_ref().is_none_or(|cloned| is_confirmed || !cloned.contains(branch));
            Some(Ok(DefaultBranch { name, tip, is_sure }))
        })
    }

    /// The branch that the `HEAD` of the remote names.
    fn remote_head(&self) -> Option<String> {
        let head = self.repo.try_find_reference("refs/remotes/origin/HEAD").ok().flatten()?;
        let target = head.target().try_name()?.as_bstr().to_string();
        target.strip_prefix("refs/remotes/origin/").map(str::to_owned)
    }

    /// The branches that this clone has of its remote; `None` where it has all of them, or no
    /// remote.
    fn cloned_branches(&self) -> Option<BTreeSet<String>> {
        let config = self.repo.config_snapshot();
        let specs = config.plumbing().strings("remote.origin.fetch")?;
        let branches = specs.iter().filter_map(|spec| {
            let spec = spec.to_string();
            let source = spec.trim_start_matches('+').split(':').next()?;
            source.strip_prefix("refs/heads/").map(str::to_owned)
        });
        let branches: BTreeSet<String> = branches.collect();
        (!branches.iter().any(|branch| branch.contains('*'))).then_some(branches)
    }

    /// The address of the remote `origin`, as configured: it may be of any kind, and hold a
    /// password.
    pub fn remote(&self) -> Option<String> {
        self.repo.config_snapshot().string("remote.origin.url").map(|address| address.to_string())
    }

    /// The size of a blob in bytes, without reading it; `None` if it is not here.
    pub fn blob_size(&self, id: BlobId) -> Option<u64> {
        self.repo.try_find_header(object_id(id)).ok().flatten().map(|header| header.size())
    }

    fn blob(&self, id: BlobId, path: &FilePath) -> Result<Vec<u8>, Error> {
        match self.repo.try_find_object(object_id(id)) {
            Ok(Some(mut object)) => {
                let mut bytes = std::mem::take(&mut object.data);
                // A delta is resolved in a buffer that is several times as large. Some texts are
                // kept for long.
                bytes.shrink_to_fit();
                Ok(bytes)
            }
            Ok(None) => Err(Error::MissingObject {
                id: id.to_string(),
                path: path.to_string(),
                is_promised: self.promise.is_given(),
            }),
            Err(error) => Err(self.fails(&format!("blob {id} ({path})"), &error)),
        }
    }

    fn bytes(&self, entry: &Entry) -> Result<Vec<u8>, Error> {
        match (entry.content, self.edited.get(&entry.path)) {
            (Content::Blob(id), _) => self.promised_blob(id, &entry.path),
            (Content::Disk, Some(bytes)) => Ok(bytes.to_vec()),
            (Content::Disk, None) => self.to_record(&entry.path),
        }
    }

    fn find_commit(&self, id: CommitId) -> Result<gix::Commit<'_>, Error> {
        let object = self.commit_object(id)?;
        if object.kind.is_commit() && !self.is_well_formed(&object.data) {
            return Err(Error::Malformed(id));
        }
        object.try_into_commit().map_err(|error| self.commit_fails(id, &error))
    }

    /// The object with the id of a commit; if it is missing, the clone is shallow, or damaged.
    fn commit_object(&self, id: CommitId) -> Result<gix::Object<'_>, Error> {
        let object = self.repo.try_find_object(id.0).map_err(|why| self.commit_fails(id, &why))?;
        object.ok_or_else(|| match self.is_shallow() {
            true => Error::Shallow(id.short()),
            false => Error::MissingCommit(id.to_string()),
        })
    }
}

impl ReadFiles for Reader {
    fn read(&self, entry: &Entry) -> Result<Vec<u8>, files::Error> {
        Ok(self.bytes(entry)?)
    }

    fn fetch(&self, entries: &mut dyn Iterator<Item = &Entry>) {
        self.fetch_blobs(&mut entries.filter_map(Entry::blob));
    }

    fn size(&self, entry: &Entry) -> Option<u64> {
        match (entry.content, self.edited.get(&entry.path)) {
            (Content::Blob(id), _) => self.blob_size(id),
            (Content::Disk, Some(bytes)) => Some(bytes.len() as u64),
            (Content::Disk, None) => {
                let path = self.on_disk(&entry.path).ok()?;
                std::fs::metadata(path).ok().map(|metadata| metadata.len())
            }
        }
    }
}

/// The outermost message of an error, without its chain: a line of bounded length that steers no
/// terminal.
fn first_line(error: &dyn std::fmt::Display) -> String {
    let text = error.to_string();
    printable(shortened(text.lines().next().unwrap_or_default(), MAX_SHOWN))
}
