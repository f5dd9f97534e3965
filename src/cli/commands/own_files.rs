//! Reads and writes the files that `init` adds to.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use crate::cli::io::{Checkout, Failure, temporary_in};
use crate::config::MAX_SETTINGS;
use crate::files;

/// The text of a file that lists hooks or workflows.
pub(super) fn text_of(file: &Path) -> std::io::Result<String> {
    files::read_text(file, MAX_SETTINGS)
}

/// Writes a file as a whole; one that is there is replaced only if `force` says so.
pub(super) fn write(
    file: &Path,
    checkout: &Checkout,
    text: &str,
    force: bool,
) -> Result<(), Failure> {
    checkout.refuse_links(file)?;
    let folder = file.parent().unwrap_or(Path::new("."));
    let temporary = fs::create_dir_all(folder).and_then(|()| {
        let mut temporary = temporary_in(folder, mode_of(file))?;
        temporary.write_all(text.as_bytes())?;
        Ok(temporary)
    });
    let temporary = temporary.map_err(Failure::not_written(file))?;
    let kept = if force { temporary.persist(file) } else { temporary.persist_noclobber(file) };
    match kept {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == std::io::ErrorKind::AlreadyExists => {
            let message = format!("cannot write `{}`: it already exists", file.display());
            Err(Failure::user(message, "use `--force` to overwrite it"))
        }
        Err(error) => Err(Failure::not_written(file)(error.error)),
    }
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
