//! Opens files to write: as a whole, and through no link of the checkout.
//!
//! The author of the code under audit may leave a link under any name, and so could have any file
//! replaced that we may write.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::error::Failure;
use crate::cli::flags::Common;
use crate::git::Repository;

/// Maximum links to follow on the way to one file, as on Linux.
const MAX_LINKS: usize = 40;

/// The work tree under audit, whose links are not followed.
#[derive(Debug, Default)]
pub(in crate::cli) struct Checkout {
    /// The real path of its root; without one there are no links of others.
    root: Option<PathBuf>,
}

impl Checkout {
    pub fn of(common: &Common) -> Self {
        let repository = Repository::discover(&common.repo);
        repository.map(|repository| Self::of_repository(&repository)).unwrap_or_default()
    }

    /// That of a repository; a bare one has none.
    pub fn of_repository(repository: &Repository) -> Self {
        let root = repository.has_work_tree().then(|| repository.root().canonicalize());
        Self { root: root.and_then(Result::ok) }
    }

    /// Checks that `file` names one, and that no link of the checkout is on the way to it.
    pub fn refuse_links(&self, file: &Path) -> Result<(), Failure> {
        if file == Path::new("-") {
            let message = "cannot write to standard output: this is written to a file";
            return Err(Failure::user(message, "name the file; `./-` is one with this name"));
        }
        let Some(link) = self.link_to(file).map_err(Failure::unwritable(file))? else {
            return Ok(());
        };
        let (file, link) = (file.display(), link.display());
        let message = format!(
            "cannot write `{file}`: `{link}` is a link of the checkout, and links are not written through"
        );
        Err(Failure::user(message, "name a file that no link leads to, or take the link away"))
    }

    /// Replaces `file` as a whole. A link under its name that is none of the checkout is replaced,
    /// not followed.
    pub fn write(&self, file: &Path, bytes: &[u8]) -> Result<(), Failure> {
        self.refuse_links(file)?;
        let replaced = temporary_for(file).and_then(|mut temporary| {
            temporary.write_all(bytes)?;
            Ok(temporary.persist(file)?)
        });
        replaced.map(drop).map_err(Failure::not_written(file))
    }

    /// Writes a file as a whole, with the folders above it; one that is there keeps its
    /// permissions, and is replaced only if `force` says so.
    pub fn create(&self, file: &Path, text: &str, force: bool) -> Result<(), Failure> {
        self.refuse_links(file)?;
        let folder = file.parent().unwrap_or(Path::new("."));
        let temporary = fs::create_dir_all(folder).and_then(|()| {
            let mut temporary = temporary_in(folder, mode_of(file))?;
            temporary.write_all(text.as_bytes())?;
            Ok(temporary)
        });
        let temporary = temporary.map_err(Failure::not_written(file))?;
        let kept = if force { temporary.persist(file) } else { temporary.persist_noclobber(file) };
        kept.map(drop).map_err(|error| match error.error.kind() {
            io::ErrorKind::AlreadyExists => {
                let message = format!("cannot write `{}`: it already exists", file.display());
                Failure::user(message, "use `--force` to overwrite it")
            }
            _ => Failure::not_written(file)(error.error),
        })
    }

    /// The first link of the checkout on the way to `file`, which is followed name by name, as the
    /// system does: what `..` leaves is where a link led, and a link beside the checkout may lead
    /// to one in it.
    fn link_to(&self, file: &Path) -> io::Result<Option<PathBuf>> {
        let mut n_links = 0;
        let mut reached = PathBuf::new();
        let mut ahead = names_of(&std::path::absolute(file)?);
        while let Some(name) = ahead.pop() {
            if name == ".." {
                reached.pop();
                continue;
            }
            reached.push(&name);
            let Ok(target) = fs::read_link(&reached) else { continue };
            if self.contains(&reached) {
                return Ok(Some(reached));
            }
            n_links += 1;
            if n_links > MAX_LINKS {
                return Err(io::Error::other("too many links are on the way to it"));
            }
            reached.pop();
            ahead.extend(names_of(&target));
        }
        Ok(None)
    }

    /// Whether a link is one that the checkout brought. Git checks nothing out below `.git`.
    fn contains(&self, link: &Path) -> bool {
        let (Some(root), Some(folder), Some(name)) = (&self.root, link.parent(), link.file_name())
        else {
            return false;
        };
        let Ok(folder) = folder.canonicalize() else { return false };
        folder.join(name).strip_prefix(root).is_ok_and(|path| !path.starts_with(".git"))
    }
}

fn names_of(path: &Path) -> Vec<OsString> {
    let names = path.components().rev().map(|part| part.as_os_str().to_owned());
    names.filter(|name| name != ".").collect()
}

/// Checks the folders that the flags name: that of `--repo` is there, and those that every command
/// may write to are behind no link.
pub(in crate::cli) fn check_folders(common: &Common) -> Result<(), Failure> {
    fs::read_dir(&common.repo).map_err(Failure::unreadable(&common.repo))?;
    let named = [&common.cache_dir, &common.corpus_dir];
    if named.iter().all(|folder| folder.is_none()) {
        return Ok(());
    }
    let checkout = Checkout::of(common);
    named.into_iter().flatten().try_for_each(|folder| checkout.refuse_links(folder))
}

/// A temporary file in `folder`, with the permissions that any program gives its files, as the
/// umask allows.
fn temporary_in(folder: &Path, mode: u32) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".secondhand-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(mode));
    }
    #[cfg(not(unix))]
    let _ = mode;
    builder.tempfile_in(folder)
}

/// The permissions of a file that is there, or else those that a file is made with.
fn mode_of(file: &Path) -> u32 {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::metadata(file).map_or(0o666, |metadata| metadata.permissions().mode())
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        0o666
    }
}

/// A temporary file that is to replace `file`.
pub(super) fn temporary_for(file: &Path) -> io::Result<NamedTempFile> {
    if file.is_file() {
        // Do not replace a write-protected file either.
        OpenOptions::new().append(true).open(file)?;
    }
    let folder = file.parent().unwrap_or(Path::new("."));
    // The error names the temporary file, but the reader only knows the report.
    temporary_in(folder, 0o666).map_err(|error| io::Error::from(error.kind()))
}

#[derive(Debug, PartialEq, Eq)]
pub(in crate::cli) enum Target {
    /// A file, replaced as a whole: readers see the old report or the new one, never half of one.
    File(PathBuf),
    /// A pipe, a terminal or another device: written as it comes.
    Device(PathBuf),
}

impl Target {
    /// Follows links: the target of a link is replaced, not the link.
    pub fn new(file: &Path) -> io::Result<Self> {
        match fs::metadata(file) {
            Ok(metadata) if metadata.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory)),
            Ok(metadata) if metadata.is_file() => Ok(Self::File(fs::canonicalize(file)?)),
            Ok(_) => Ok(Self::Device(file.to_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
                let folder = folder.unwrap_or(Path::new("."));
                let name = file.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
                Ok(Self::File(fs::canonicalize(folder)?.join(name)))
            }
            Err(error) => Err(error),
        }
    }
}
