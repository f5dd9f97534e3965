//! Reads the history of a component: files under all their names, at each tag and commit.

use std::collections::BTreeMap;

use crate::audit::Error;
use crate::audit::read::{Source, Sources};
use crate::audit::search::{FileHits, LineCounts, Outside, SharedLines, StoredCorpus};
use crate::git::{Repository, blob_id};
use crate::policy::{Component, PastCommit};
use crate::store::corpus::{CorpusSegment, StoredChange, StoredTokens};
use crate::text::FilePath;

/// A file of a component whose code is in the tree.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::audit) struct ComponentFile {
    pub corpus: String,
    pub component: String,
    pub path: FilePath,
}

impl ComponentFile {
    /// The file of a component where code was found, if it is in one.
    pub fn of(found: &FileHits) -> Option<Self> {
        found.place.component().map(|component| Self::new(component, &found.target.path))
    }

    pub fn new(component: &Component, path: &FilePath) -> Self {
        let (corpus, component) = (component.corpus.clone(), component.name.clone());
        Self { corpus, component, path: path.clone() }
    }
}

/// A component in a corpus, with its history or as one release.
#[derive(Clone, Copy)]
pub(super) struct Project<'o> {
    pub stored: &'o StoredCorpus,
    pub segment: &'o CorpusSegment,
    /// The source of the segment, if it was not imported.
    spec: Option<&'o str>,
    /// The number of the component in the segment.
    pub component: u32,
}

/// A file of a component with history: its changes under all its names.
pub(super) struct Lineage<'o> {
    pub project: Project<'o>,
    /// The number of the lineage in the segment.
    pub number: u32,
    /// The changes, the oldest first; at least one.
    pub changes: Vec<StoredChange>,
}

/// The components of this name in a corpus: of a repository one, unless it was added twice.
pub(super) fn projects<'o>(outsides: &'o [Outside], corpus: &str, name: &str) -> Vec<Project<'o>> {
    let mut projects = Vec::new();
    for stored in outsides.iter().filter_map(Outside::stored).filter(|of| of.name() == corpus) {
        let sources = stored.sources();
        for (segment, spec) in sources.filter(|(of, _)| of.keeps_past() && !of.is_of_fixes()) {
            let named = (0..).zip(segment.components()).filter(|(_, of)| of.name == name);
            for (component, _) in named {
                projects.push(Project { stored, segment, spec, component });
            }
        }
    }
    projects
}

/// The lineages of `file` in all corpora; none if its component has no history.
pub(super) fn lineages<'o>(
    outsides: &'o [Outside],
    file: &ComponentFile,
) -> Result<Vec<Lineage<'o>>, Error> {
    let mut found = Vec::new();
    for project in projects(outsides, &file.corpus, &file.component) {
        let path = project.segment.past_path(project.component, &file.path);
        if let Some(path) = project.stored.checked(path)? {
            found.extend(project.lineage(path)?);
        }
    }
    Ok(found)
}

impl<'o> Project<'o> {
    /// The file that has this path, under all its names; `None` if no commit changed it.
    pub fn lineage(&self, path: u32) -> Result<Option<Lineage<'o>>, Error> {
        let changes = self.stored.checked(self.segment.changes_of(path))?;
        Ok(changes.map(|(number, changes)| Lineage { project: *self, number, changes }))
    }

    pub fn version(&self, blob: u32) -> Result<StoredTokens, Error> {
        self.stored.checked(self.segment.tokens(blob))
    }

    /// A version with its text, from the repository that the corpus was made from; `None` if it is
    /// not there, or would be read otherwise.
    pub fn read(
        &self,
        blob: u32,
        path: &FilePath,
        version: &StoredTokens,
        clone: &Repository,
        sources: &Sources<'_>,
    ) -> Option<Source> {
        let id = self.segment.id_of(blob).ok()??;
        let text = clone.reader().past_blob(id, path).ok()??;
        let source = sources.tokenize(path, text).ok()?;
        let [read, stored] =
            [&source.tokens, &version.tokens].map(|of| of.iter().map(|of| of.exact));
        read.eq(stored).then_some(source)
    }

    /// The blob with the bytes of a file, if there is one.
    pub fn blob_of(&self, source: &Source) -> Result<Option<u32>, Error> {
        self.stored.checked(self.segment.blob_of(&blob_id(source.bytes())))
    }

    pub fn past_commit(&self, number: u32) -> Result<PastCommit, Error> {
        self.stored.checked(self.segment.past_commit(number))
    }

    pub fn shared_lines(&self, own: &LineCounts, blob: u32) -> Result<SharedLines, Error> {
        self.stored.shared_lines(own, self.segment, blob)
    }

    /// The component, as findings name it.
    pub fn component(&self) -> Result<Component, Error> {
        let declared = self.stored.declared(self.segment, self.component);
        let license = self.segment.component_license(self.component as usize);
        Ok(Component { terms: self.stored.checked(license)?, ..declared })
    }

    /// The repository that the corpus was made from, if it is available.
    pub fn clone_at_hand(&self) -> Option<Repository> {
        // `REPOSITORY@REVISION` has no history, and lists name several.
        let path = self.spec.map(std::path::Path::new).filter(|path| path.is_dir())?;
        Repository::discover_another(path).ok()
    }
}

/// A component with its tags, and all files that it ever had.
pub(super) struct Releases<'r> {
    pub project: Project<'r>,
    /// The numbers and names of the tags, the oldest first; the last is the default branch.
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
