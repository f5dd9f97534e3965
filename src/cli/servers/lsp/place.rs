//! Converts between files, paths in the repository, and the addresses and ranges of the protocol.

use std::path::{Component, Path, PathBuf};

use serde_json::{Value, json};

use crate::change::root_of_another;
use crate::policy::Fragment;
use crate::sources::slashes;
use crate::text::{FilePath, Position, percent_decoded};

/// The scheme of virtual documents.
pub(super) const SCHEME: &str = "secondhand";

/// The file of this machine that a `file:` address names; `None` if it names another host (RFC 8089).
pub(super) fn file_of(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let (host, path) = rest.split_at(rest.find('/')?);
    if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
        return None;
    }
    let path = FilePath::new(percent_decoded(path)?);
    let text = std::str::from_utf8(path.as_bytes()).ok();
    // `/C:/work` is `C:/work` on Windows.
    let drive = text.filter(|text| cfg!(windows) && text.as_bytes().get(2) == Some(&b':'));
    #[cfg(unix)]
    let file = PathBuf::from(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(
        path.as_bytes(),
    ));
    #[cfg(not(unix))]
    let file = PathBuf::from(text?);
    Some(drive.map_or(file, |drive| PathBuf::from(&drive[1..])))
}

/// The path from the root of the repository of the file that an address names; `None` outside.
pub(super) fn path_in(root: &Path, uri: &str) -> Option<FilePath> {
    let file = plain(&file_of(uri)?)?;
    // Clients and git can name the same folder by different links, and a link may lead out of the
    // root. The file itself need not exist, nor its folder.
    let mut folders = file.ancestors().skip(1);
    let (folder, real) = folders.find_map(|of| Some((of, of.canonicalize().ok()?)))?;
    let real = real.join(file.strip_prefix(folder).ok()?);
    let real_root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let inside = real.strip_prefix(&real_root).ok()?;
    // Those of git and of a repository in this one are none of its files.
    if inside.starts_with(".git") || root_of_another(&real_root, inside).is_some() {
        return None;
    }
    let found = slashes(file.strip_prefix(root).unwrap_or(inside));
    (!found.as_bytes().is_empty()).then_some(found)
}

/// A path without `.` and `..`; `None` if it leads above its root.
fn plain(path: &Path) -> Option<PathBuf> {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => plain.pop().then_some(())?,
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    Some(plain)
}

pub(super) fn uri_of(root: &Path, path: &FilePath) -> String {
    let root = root.to_string_lossy().replace('\\', "/");
    let root = FilePath::new(root.trim_end_matches('/')).to_uri();
    let slash = if root.starts_with('/') || root.is_empty() { "" } else { "/" };
    format!("file://{slash}{root}/{}", path.to_uri())
}

/// A position as the protocol counts, from 0. Both count UTF-16 units.
fn position(of: Position) -> Value {
    json!({"line": of.line.saturating_sub(1), "character": of.column.saturating_sub(1)})
}

pub(super) fn range(of: &Fragment) -> Value {
    json!({"start": position(of.start), "end": position(of.end)})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn what_lies_behind_a_link_that_leads_out_is_outside_though_it_is_not_there_yet() {
        let folder = tempfile::tempdir().expect("it can be made");
        let root = folder.path().join("root");
        std::fs::create_dir(&root).expect("it is writable");
        std::os::unix::fs::symlink("..", root.join("out")).expect("it is writable");
        let place = |path: &str| path_in(&root, &uri_of(&root, &FilePath::new(path)));
        assert_eq!((place("out/x.c"), place("out/new/x.c")), (None, None));
        assert_eq!(place("out/root/x.c"), Some(FilePath::new("out/root/x.c")));
        assert_eq!(place("new/x.c"), Some(FilePath::new("new/x.c")));
        std::fs::create_dir_all(root.join("clone/.git")).expect("it is writable");
        assert_eq!(
            (place(".git/hooks/x.c"), place("clone/x.c"), place("out/root/.git/x.c")),
            (None, None, None)
        );
    }

    #[test]
    #[cfg(unix)]
    fn an_address_and_its_path_are_the_same_place() {
        let (root, path) = (Path::new("/srv/a folder"), FilePath::new("src/täble #1.c"));
        let uri = uri_of(root, &path);
        assert_eq!(uri, "file:///srv/a%20folder/src/t%C3%A4ble%20%231.c");
        assert_eq!(path_in(root, &uri), Some(path.clone()));
        assert_eq!(path_in(root, &uri.replacen("://", "://localhost", 1)), Some(path));
        assert_eq!(path_in(root, &uri.replacen("://", "://other.host", 1)), None);
        assert_eq!(path_in(root, "untitled:Untitled-1"), None);
        assert_eq!(path_in(root, "file:///srv/%zz"), None);
        assert_eq!(path_in(root, "file:///etc/hosts"), None);
        let a = uri_of(root, &FilePath::new("a"));
        assert_eq!(path_in(root, &format!("{a}/../../etc/x.c")), None);
        assert_eq!(path_in(root, &format!("{a}/../b.c")), Some(FilePath::new("b.c")));
    }
}
