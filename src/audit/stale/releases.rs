//! Reads the versions of a component: its files at each tag and after each commit.

use std::collections::BTreeMap;

use super::lineage::Project;
use crate::audit::Error;
use crate::text::FilePath;

/// A component with its tags, and all files that it ever had.
pub(super) struct Releases<'r> {
    pub project: Project<'r>,
    /// The numbers and names of the tags, the oldest first; the last is the default branch, which
    /// is no release.
    pub tags: Vec<(u32, String)>,
    /// The numbers of all paths that its files have had.
    pub paths: BTreeMap<FilePath, u32>,
}

/// What a folder is compared with.
pub(super) enum Choice {
    /// The tag at this place in the list of tags.
    Tag(usize),
    /// The commit with this number.
    Commit(u32),
}

impl<'r> Releases<'r> {
    pub fn new(project: Project<'r>) -> Result<Self, Error> {
        let Project { stored, segment, component, .. } = project;
        let tags = stored.checked(segment.tags_of(component))?;
        let tags = tags.into_iter().map(|(number, tag)| (number, tag.name)).collect();
        let paths = stored.checked(segment.past_paths(component))?;
        let paths = paths.into_iter().map(|(number, path)| (path, number)).collect();
        Ok(Self { project, tags, paths })
    }

    /// The blob of a path in a version.
    pub fn blob_in(&self, choice: &Choice, path: u32) -> Result<Option<u32>, Error> {
        match choice {
            Choice::Tag(at) => Ok(self.blobs_at_tags(path)?[*at]),
            Choice::Commit(commit) => {
                let lineage = self.project.lineage(path)?;
                let changes = lineage.map(|lineage| lineage.changes).unwrap_or_default();
                let last = changes.iter().rev().find(|change| change.commit <= *commit);
                Ok(last.filter(|change| change.path == path).and_then(|change| change.after))
            }
        }
    }

    /// The blob of a path at each tag.
    pub fn blobs_at_tags(&self, path: u32) -> Result<Vec<Option<u32>>, Error> {
        let rows = self.project.stored.checked(self.project.segment.at_tags(path))?;
        let mut rows = rows.into_iter().peekable();
        let mut blob = None;
        let mut at_tags = Vec::with_capacity(self.tags.len());
        for &(tag, _) in &self.tags {
            while let Some((_, next)) = rows.next_if(|(from, _)| *from <= tag) {
                blob = next;
            }
            at_tags.push(blob);
        }
        Ok(at_tags)
    }
}
