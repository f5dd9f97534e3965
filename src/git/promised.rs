//! Fetches the blobs that a partial clone does not have: by git itself, many at once.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use gix::bstr::ByteSlice;

use super::{BlobId, Error, Reader, Repository, first_line, object_id};
use crate::text::FilePath;

/// The remotes that have promised a clone what it does not have, and what became of asking them.
#[derive(Debug, Clone)]
pub(super) struct Promise {
    /// Their names; empty for a clone that has everything.
    remotes: Vec<String>,
    /// Where git runs; `None`: nobody is asked.
    folder: Option<PathBuf>,
    /// Why blobs were not fetched: after the first failure nobody is asked again.
    failure: Arc<Mutex<Option<String>>>,
}

impl Promise {
    pub fn of(repository: &gix::Repository) -> Self {
        let config = repository.config_snapshot();
        let sections = config.plumbing().sections_by_name("remote").into_iter().flatten();
        let named = sections.filter_map(|section| section.header().subsection_name());
        let named: BTreeSet<String> = named.map(ToString::to_string).collect();
        let is_promisor =
            |name: &String| config.boolean(&*format!("remote.{name}.promisor")) == Some(true);
        let extension = config.string("extensions.partialClone").map(|name| name.to_string());
        let remotes = named
            .into_iter()
            .filter(|name| is_promisor(name) || extension.as_ref() == Some(name))
            .collect();
        Self { remotes, folder: None, failure: Arc::default() }
    }

    /// Whether the clone is partial: it may lack what nobody asked for yet.
    pub fn is_given(&self) -> bool {
        !self.remotes.is_empty()
    }

    fn is_kept(&self) -> bool {
        self.folder.is_some() && self.failure.lock().is_ok_and(|failure| failure.is_none())
    }

    /// Fetches the `missing` blobs from the first remote that has them all. One fetch runs at a
    /// time, and what is missing is found out when it begins.
    fn keep(&self, missing: impl Iterator<Item = BlobId>) {
        let (Some(folder), Ok(mut failure)) = (&self.folder, self.failure.lock()) else { return };
        let ids: BTreeSet<String> = missing.map(|id| id.to_string()).collect();
        if ids.is_empty() || failure.is_some() {
            return;
        }
        for remote in &self.remotes {
            *failure = fetch(folder, remote, &ids).err();
            if failure.is_none() {
                return;
            }
        }
    }
}

/// Runs git as it runs itself for what a partial clone lacks.
fn fetch(folder: &Path, remote: &str, ids: &BTreeSet<String>) -> Result<(), String> {
    let mut git = Command::new("git");
    git.current_dir(folder).env("GIT_TERMINAL_PROMPT", "0");
    let configured = "-c fetch.negotiationAlgorithm=noop -c maintenance.auto=false -c gc.auto=0";
    git.args(configured.split(' '));
    git.args(["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--recurse-submodules=no"]);
    git.args(["--filter=blob:none", "--stdin", remote]);
    git.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut running = git.spawn().map_err(|why| format!("git does not start: {why}"))?;
    let lines: Vec<u8> = ids.iter().flat_map(|id| format!("{id}\n").into_bytes()).collect();
    // If git ends before it has read them, it says why.
    let _ = running.stdin.take().map(|mut stdin| stdin.write_all(&lines));
    let ended = running.wait_with_output().map_err(|why| why.to_string())?;
    if ended.status.success() { Ok(()) } else { Err(first_line(&ended.stderr.as_bstr())) }
}

impl Repository {
    /// The same repository, in which blobs that a partial clone does not have are fetched from its
    /// remote when they are read. Not in one of another user, whose configuration says what git
    /// would run.
    #[must_use]
    pub fn fetching(self) -> Self {
        let is_trusted = self.inner.to_thread_local().git_dir_trust() == gix::sec::Trust::Full;
        let folder = (is_trusted && self.promise.is_given()).then(|| self.root.clone());
        Self { promise: Promise { folder, ..self.promise }, ..self }
    }

    /// Why blobs that this partial clone does not have could not be fetched.
    pub fn not_fetched(&self) -> Option<String> {
        self.promise.failure.lock().ok()?.clone()
    }
}

impl Reader {
    /// Fetches those of `blobs` that are not here, all at once, if this is done here.
    pub fn fetch_blobs(&self, blobs: &mut dyn Iterator<Item = BlobId>) {
        if self.promise.is_kept() {
            self.promise.keep(blobs.filter(|blob| !self.repo.has_object(object_id(*blob))));
        }
    }

    /// The bytes of a blob, from the remote if need be.
    pub(super) fn promised_blob(&self, id: BlobId, path: &FilePath) -> Result<Vec<u8>, Error> {
        match self.blob(id, path) {
            Err(Error::MissingObject { .. }) => {
                self.fetch_blobs(&mut std::iter::once(id));
                self.blob(id, path)
            }
            read => read,
        }
    }
}
