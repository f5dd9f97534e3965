//! Follows the links of a snapshot, as far as they stay inside of the repository.

use super::{Content, Entry, Error, ReadFiles, Reader, Snapshot};
use crate::text::FilePath;

/// Maximum links to follow one after another, as many nested ones as Linux follows.
const MAX_LINKS: usize = 40;
/// Maximum bytes of a link's target; no system has longer ones.
const MAX_TARGET: u64 = 4096;

/// Where a path leads in a state of the repository.
#[derive(Debug)]
pub struct Way<'s> {
    /// The links on the way, in order.
    pub links: Vec<&'s Entry>,
    /// The path without links, or why there is none.
    pub end: Result<FilePath, &'static str>,
}

impl Reader {
    /// The regular file that `path` names in a snapshot, behind links within the repository, too.
    ///
    /// `None` where nothing has the name, and where a folder above it is a link out of the
    /// repository.
    ///
    /// # Errors
    /// [`Error::Link`] when the file is itself a link that leads to no file of the repository.
    pub fn file_at<'s>(
        &self,
        snapshot: &'s Snapshot,
        path: &FilePath,
    ) -> Result<Option<&'s Entry>, Error> {
        let no_file = "it leads to no file of the repository";
        let end = self.way(snapshot, path)?.end;
        match end.and_then(|end| snapshot.get(&end).ok_or(no_file)) {
            Ok(entry) => Ok(Some(entry)),
            Err(why) if snapshot.link(path).is_some() => {
                Err(Error::Link { path: path.to_string(), why })
            }
            Err(_) => Ok(None),
        }
    }

    /// Follows the links on the way to `path`, a file, a folder or nothing.
    pub fn way<'s>(&self, snapshot: &'s Snapshot, path: &FilePath) -> Result<Way<'s>, Error> {
        // The names still to go through, the next one last; and where those before them lead.
        let mut rest = names(path.as_bytes());
        let mut reached: Vec<Vec<u8>> = Vec::new();
        let mut links = Vec::new();
        let end = loop {
            let Some(name) = rest.pop() else { break Ok(FilePath::new(reached.join(&b'/'))) };
            if name == b".." {
                if reached.pop().is_none() {
                    break Err("it leads out of the repository");
                }
                continue;
            }
            reached.push(name);
            let Some(link) = snapshot.link(&FilePath::new(reached.join(&b'/'))) else { continue };
            let target = self.target(link)?;
            links.push(link);
            if links.len() > MAX_LINKS {
                break Err("it leads in a circle");
            }
            if target.first() == Some(&b'/') || target.get(1) == Some(&b':') {
                break Err("it leads out of the repository");
            }
            reached.pop();
            rest.extend(names(&target));
        };
        Ok(Way { links, end })
    }

    /// What a link names.
    fn target(&self, link: &Entry) -> Result<Vec<u8>, Error> {
        match link.content {
            Content::Blob(_) if self.size(link).is_some_and(|size| size > MAX_TARGET) => {
                let why = "its target is too long for a name";
                Err(Error::Link { path: link.path.to_string(), why })
            }
            Content::Blob(_) => self.bytes(link),
            Content::Disk => {
                let path = self.on_disk(&link.path)?;
                let target = std::fs::read_link(&path).map_err(|why| Error::File { path, why })?;
                Ok(gix::path::os_string_into_bstring(target.into_os_string())
                    .map(Vec::from)
                    .unwrap_or_default())
            }
        }
    }
}

/// The names of a path, the last one first.
fn names(path: &[u8]) -> Vec<Vec<u8>> {
    let names = path.rsplit(|&byte| byte == b'/').filter(|name| !name.is_empty() && *name != b".");
    names.map(<[u8]>::to_vec).collect()
}
