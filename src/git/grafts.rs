//! Gives commits the parents that `.git/info/grafts` says, as git does.

use std::path::Path;

use gix::ObjectId;
use gix::bstr::ByteSlice;
use gix::objs::{Kind, Write};
use gix::odb::loose;

use super::{Error, MAX_ALTERNATES};
use crate::files;

/// Maximum bytes of the list of grafts.
const MAX_GRAFTS: u64 = 64 * MAX_ALTERNATES;

/// The commits that have other parents, each with what is read in its place. A line that names none
/// is passed over.
///
/// # Errors
/// If there is a list that cannot be read.
pub(super) fn grafts(repo: &gix::Repository) -> Result<Vec<(ObjectId, Vec<u8>)>, Error> {
    let path = repo.common_dir().join("info/grafts");
    let text = match files::read(&path, MAX_GRAFTS) {
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        text => text.map_err(|why| Error::File { path, why })?,
    };
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

/// A commit with other parents.
fn with_parents(commit: &[u8], parents: &[ObjectId]) -> Vec<u8> {
    let (tree, rest) = commit.split_once_str("\n").unwrap_or((commit, b""));
    let own = rest.lines_with_terminator().take_while(|line| line.starts_with(b"parent "));
    let n_of_parents: usize = own.map(<[u8]>::len).sum();
    let parents: String = parents.iter().map(|id| format!("parent {id}\n")).collect();
    [tree, b"\n", parents.as_bytes(), &rest[n_of_parents..]].concat()
}

/// Writes what is read in place of commits to a folder of objects; returns the id of each and that
/// of what replaces it.
///
/// # Errors
/// If it cannot be written.
pub(super) fn write(
    grafts: &[(ObjectId, Vec<u8>)],
    folder: &Path,
    hash: gix::hash::Kind,
) -> std::io::Result<Vec<(ObjectId, ObjectId)>> {
    let store = loose::Store::at(folder, hash);
    let written = grafts.iter().map(|(commit, bytes)| {
        let made = store.write_buf(Kind::Commit, bytes);
        Ok((*commit, made.map_err(|why| std::io::Error::other(why.to_string()))?))
    });
    written.collect()
}
