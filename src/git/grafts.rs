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
    let graft = |line: &[u8]| {
        let ids: Option<Vec<ObjectId>> = line
            .fields_with(|byte| byte == ' ' || byte == '\r')
            .map(|id| ObjectId::from_hex(id).ok())
            .collect();
        let (commit, parents) = ids.as_ref()?.split_first()?;
        let object = repo.try_find_object(*commit).ok()??;
        object.kind.is_commit().then(|| (*commit, with_parents(&object.data, parents)))
    };
    Ok(text.lines().filter_map(graft).collect())
}

/// A commit with other parents.
fn with_parents(commit: &[u8], parents: &[ObjectId]) -> Vec<u8> {
    let is_parent = |line: &&[u8]| line.starts_with(b"parent ");
    let (tree, rest) = commit.split_once_str("\n").unwrap_or((commit, b""));
    let n_of_parents: usize =
        rest.lines_with_terminator().take_while(is_parent).map(<[u8]>::len).sum();
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
    let write = |(commit, bytes): &(ObjectId, Vec<u8>)| {
        let made = store
            .write_buf(Kind::Commit, bytes)
            .map_err(|why| std::io::Error::other(why.to_string()))?;
        Ok((*commit, made))
    };
    grafts.iter().map(write).collect()
}
