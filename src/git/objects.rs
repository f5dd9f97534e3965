//! Finds objects where git's variables say, and gives commits the parents that `.git/info/grafts`
//! says: a server that runs a hook keeps what is pushed in a folder of its own until the hook has
//! ended.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::objs::{Kind, Write};
use tempfile::TempDir;

use super::{Error, PACK_SLOTS, if_there};
use crate::files;
use crate::text::MAX_MADE;

/// Has objects read where git's variables say, if these are heeded, and other commits in place of
/// those with grafts; returns a folder of objects that lists the others as long as it lives, unless
/// all are in the repository's own.
pub(super) fn redirect(
    inner: &mut gix::ThreadSafeRepository,
    local: &gix::Repository,
    heeds_variables: bool,
) -> Result<Option<TempDir>, Error> {
    let grafts = grafts(local)?;
    let own = local.common_dir().join("objects");
    let named = if heeds_variables { folders_of_variables(&own) } else { None };
    if named.is_none() && grafts.is_empty() {
        return Ok(None);
    }
    let folders = named.unwrap_or_else(|| vec![own.clone()]);
    let listed = list_objects(inner, local.object_hash(), folders, &grafts);
    listed.map(Some).map_err(|why| Error::File { path: own, why })
}

fn list_objects(
    inner: &mut gix::ThreadSafeRepository,
    hash: gix::hash::Kind,
    folders: Vec<PathBuf>,
    grafts: &[(ObjectId, Vec<u8>)],
) -> io::Result<TempDir> {
    let listed = TempDir::new()?;
    let path = listed.path().to_owned();
    std::fs::create_dir(path.join("info"))?;
    std::fs::write(path.join("info/alternates"), list_of(folders))?;
    let mut replaced: BTreeMap<_, _> = inner.objects.replacements().collect();
    let store = gix::odb::loose::Store::at(&path, hash);
    for (commit, bytes) in grafts {
        let made = store.write_buf(Kind::Commit, bytes);
        replaced.insert(*commit, made.map_err(|why| io::Error::other(why.to_string()))?);
    }
    let options = gix::odb::store::init::Options { slots: PACK_SLOTS, ..Default::default() };
    let store = gix::odb::Store::at_opts(path, hash, &mut replaced.into_iter(), options)?;
    inner.objects = gix::parallel::OwnShared::new(store);
    Ok(listed)
}

/// The commits that have other parents, each with what is read in its place. A line that names none
/// is passed over.
fn grafts(repo: &gix::Repository) -> Result<Vec<(ObjectId, Vec<u8>)>, Error> {
    let path = repo.common_dir().join("info/grafts");
    let text = if_there(files::read(&path, MAX_MADE), &path)?;
    let grafts = text.lines().filter_map(|line| {
        let ids: Option<Vec<ObjectId>> = line
            .fields_with(|byte| byte == ' ' || byte == '\r')
            .map(|id| ObjectId::from_hex(id).ok())
            .collect();
        let (commit, parents) = ids.as_ref()?.split_first()?;
        let object = repo.try_find_object(*commit).ok()??;
        object.kind.is_commit().then(|| (*commit, with_parents(&object.data, parents)))
    });
    Ok(grafts.collect())
}

fn with_parents(commit: &[u8], parents: &[ObjectId]) -> Vec<u8> {
    let (tree, rest) = commit.split_once_str("\n").unwrap_or((commit, b""));
    let own = rest.lines_with_terminator().take_while(|line| line.starts_with(b"parent "));
    let n_of_parents: usize = own.map(<[u8]>::len).sum();
    let parents: String = parents.iter().map(|id| format!("parent {id}\n")).collect();
    [tree, b"\n", parents.as_bytes(), &rest[n_of_parents..]].concat()
}

/// The folders that git's variables name: one in place of the repository's `own`, and further ones.
/// `None` if they name none.
fn folders_of_variables(own: &Path) -> Option<Vec<PathBuf>> {
    let [folder, alternates] = ["GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES"]
        .map(|name| std::env::var_os(name).filter(|of| !of.is_empty()));
    if folder.is_none() && alternates.is_none() {
        return None;
    }
    let mut folders = vec![folder.map_or_else(|| own.to_owned(), PathBuf::from)];
    folders.extend(alternates.as_deref().map(folders_of).unwrap_or_default());
    Some(folders)
}

/// The folders in a variable, between which the system's separator is; git writes names in quotes
/// that contain it.
fn folders_of(list: &OsStr) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    let mut rest = list.as_encoded_bytes().as_bstr();
    while !rest.is_empty() {
        let (name, n_read) =
            match gix::quote::ansi_c::undo(rest).ok().filter(|_| rest.starts_with(b"\"")) {
                Some((name, n_read)) => (name.into_owned(), n_read),
                None => {
                    let end = rest.find_byte(SEPARATOR).unwrap_or(rest.len());
                    (rest[..end].into(), end)
                }
            };
        if !name.is_empty() {
            folders.extend(gix::path::from_bstr(Cow::Owned(name)).map(Cow::into_owned));
        }
        rest = rest[n_read..].strip_prefix(&[SEPARATOR]).unwrap_or(&rest[n_read..]).as_bstr();
    }
    folders
}

/// What is between the folders of a list.
const SEPARATOR: u8 = if cfg!(windows) { b';' } else { b':' };

/// The names of folders as lines. Git passes over one that is not there.
fn list_of(folders: Vec<PathBuf>) -> Vec<u8> {
    let mut list = Vec::new();
    for folder in folders {
        let Ok(folder) = folder.canonicalize() else { continue };
        let Ok(name) = gix::path::into_bstr(Cow::Owned(folder)) else { continue };
        list.extend(quoted(&name));
        list.push(b'\n');
    }
    list
}

/// A name as a line of the list: in quotes where it would not be one line, or be taken for a
/// comment or for quoted.
fn quoted(name: &[u8]) -> Vec<u8> {
    if !name.starts_with(b"\"") && !name.starts_with(b"#") && !name.contains(&b'\n') {
        return name.to_owned();
    }
    let mut quoted = b"\"".to_vec();
    for &byte in name {
        match byte {
            b'"' | b'\\' | b'\n' => quoted.extend(format!("\\{byte:03o}").into_bytes()),
            byte => quoted.push(byte),
        }
    }
    quoted.push(b'"');
    quoted
}
