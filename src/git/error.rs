//! Explains why a repository could not be read, and what to do about it.

use std::path::PathBuf;

use super::{CommitId, first_line};
use crate::files::{self, Lack};
use crate::text::FilePath;

/// Why a repository could not be read.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum Error {
    #[error("cannot open a git repository at `{}`: {why}", folder.display())]
    NotARepository { folder: PathBuf, why: String },
    #[error("cannot read `{}`: it keeps its references as reftable, which is not supported", .0.display())]
    Reftable(PathBuf),
    #[error("cannot read the objects that `{}` names: there is no folder `{named}`", list.display())]
    Alternate { list: PathBuf, named: String },
    #[error("cannot resolve the revision `{revision}`: no branch, tag or commit has that name")]
    UnknownRevision {
        revision: String,
        /// Whether the clone is shallow, which may be the reason.
        is_shallow: bool,
    },
    /// What has the name is not one commit, or there is no commit yet.
    #[error("cannot resolve the revision `{revision}`: {why}")]
    NoCommit { revision: String, why: &'static str, cure: &'static str },
    /// A name stands for several commits, and which of them is meant decides what is judged.
    #[error("cannot resolve `{0}`: more than one branch, tag or commit has that name")]
    Ambiguous(String),
    #[error("cannot read the branch `{name}`: {why}")]
    Branch { name: String, why: String },
    #[error("cannot read the date `{0}`")]
    Date(String),
    #[error("cannot read commit {0}: this clone is shallow and ends before it")]
    Shallow(String),
    #[error("cannot read commit {0}: it is not in this clone")]
    MissingCommit(String),
    /// A commit is none by its first lines: its tree or a parent has no id.
    #[error("cannot read commit {0}: it is malformed")]
    Malformed(CommitId),
    #[error("cannot read `{}`: {why}", file.display())]
    Damaged { file: PathBuf, why: String, cure: &'static str },
    #[error("cannot read `{}`: it uses the extension `{name}`, which is not known", folder.display())]
    Extension { folder: PathBuf, name: String },
    #[error("cannot read {what}: it has more than {max} folders inside each other")]
    TooDeep { what: String, max: usize },
    #[error("cannot find the merge base of {base} and {head}: {}",
        if *is_shallow { "this clone is shallow and ends before it" } else { "they share no history" })]
    NoMergeBase {
        base: String,
        head: String,
        /// Whether the clone is shallow, which may be the reason.
        is_shallow: bool,
    },
    #[error("cannot read `{path}`: its blob {id} is not in this clone")]
    MissingObject {
        id: String,
        path: String,
        /// Whether the clone is partial: it may lack it.
        is_promised: bool,
    },
    #[error("cannot read {path}: its tree {id} is not in this clone")]
    MissingTree { id: String, path: String },
    #[error("cannot read the {what} of `{}`: the repository is bare", root.display())]
    Bare { what: &'static str, root: PathBuf },
    /// A file that is read by its name is a link that leads to no file of the repository.
    #[error("cannot read `{path}`, which is a link: {why}")]
    Link { path: String, why: &'static str },
    /// A filter that git's configuration sets for a file failed, or is not there.
    #[error("cannot read `{path}` as git would: its filter failed: {why}")]
    Filter { path: String, why: String },
    /// A file of the work tree is not in the encoding that its attributes name, or that is not
    /// known.
    #[error("cannot read `{path}` in the encoding `{encoding}`, which its attributes name")]
    Encoding { path: String, encoding: String },
    #[error("cannot read `{}`: {why}", path.display())]
    File { path: PathBuf, why: std::io::Error },
    /// Something in the repository exists but cannot be read.
    #[error("cannot read {what}: {why}")]
    Unreadable { what: String, why: String },
}

impl Error {
    pub(super) fn unreadable(what: &str, why: &impl std::fmt::Display) -> Self {
        Self::Unreadable { what: what.to_owned(), why: first_line(why) }
    }

    pub(super) fn filter<E: std::fmt::Display>(path: &FilePath) -> impl Fn(E) -> Self {
        move |why| Self::Filter { path: path.to_string(), why: first_line(&why) }
    }

    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        let deepen = "fetch the missing history: `git fetch --unshallow`, or `fetch-depth: 0` for actions/checkout";
        Some(match self {
            Self::NotARepository { .. } => "run it inside a repository, or name one with `--repo DIR`".into(),
            Self::Reftable(_) => "`git refs migrate --ref-format=files` changes the format, or clone it with `--ref-format=files`".into(),
            Self::Alternate { .. } => "bring the folder back, or clone the repository again without `--shared` and `--reference`".into(),
            Self::UnknownRevision { is_shallow: true, .. } => {
                format!("the clone is shallow: {deepen}; then fetch the branch by name")
            }
            Self::Ambiguous(name) => format!("name it in full, as `refs/heads/{name}` or `refs/tags/{name}`, or with all digits"),
            Self::Branch { .. } => "`git fsck` shows what is damaged; fetch the branch again, or name another base with `--base REV`".into(),
            Self::Date(_) => "name a day, `2025-01-31`, or how long ago it was, `2 years ago`".into(),
            Self::UnknownRevision { .. } => "`git fetch` may bring it; `git branch --all` lists the branches here".into(),
            Self::Shallow(_) | Self::NoMergeBase { is_shallow: true, .. } => deepen.into(),
            Self::NoMergeBase { .. } => "name a base that shares history with the head: `--base REV`".into(),
            Self::MissingObject { .. } => "if the clone is partial, fetch all blobs: `git fetch --refetch --no-filter`; else `git fsck` shows what is damaged".into(),
            Self::MissingTree { .. } => "if the clone is partial, fetch all trees: `git fetch --refetch --no-filter`; else `git fsck` shows what is damaged".into(),
            Self::Bare { .. } => "compare commits instead: `--base REV --head REV`".into(),
            Self::Link { .. } => "put the file itself in its place".into(),
            Self::Filter { path, .. } => format!("`git check-attr filter -- {path}` names the filter, and `git config --get-regexp '^filter'` what it runs"),
            Self::MissingCommit(_) => "`git fsck` shows what else is missing; `git fetch --refetch` brings what the remote has, as cloning again does".into(),
            Self::Malformed(_) => "`git fsck` says what is wrong with it; name a base behind it with `--base REV`".into(),
            Self::Damaged { cure, .. } | Self::NoCommit { cure, .. } => (*cure).to_owned(),
            Self::Extension { .. } => "git reads it with a version that knows the extension; a new clone may do without".into(),
            Self::Unreadable { .. } => "`git fsck` shows what is damaged; `git fetch --refetch` brings what the remote has, as cloning again does".into(),
            Self::Encoding { path, .. } => {
                format!("`git check-attr working-tree-encoding -- {path}` shows the attribute")
            }
            Self::File { .. } | Self::TooDeep { .. } => return None,
        })
    }
}

impl From<Error> for files::Error {
    fn from(error: Error) -> Self {
        let made = Self::new(error.to_string(), error.help());
        match error {
            Error::Encoding { .. } => made.lacking(Lack::Encoding),
            Error::MissingObject { is_promised: true, .. } => made.lacking(Lack::Bytes),
            _ => made,
        }
    }
}
