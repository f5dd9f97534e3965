//! Compares every file of a folder, by its name, with the version that the folder is nearest to.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;

use super::lineage::{Choice, Project, Releases};
use super::mapping::Mapping;
use super::missed::{document, line_range};
use crate::audit::Error;
use crate::audit::outcome::{EditedFile, EditedLines, FolderVersion};
use crate::audit::read::{Source, Sources};
use crate::audit::search::{LineCounts, version_of};
use crate::git::{Repository, Snapshot};
use crate::matching::{Document, edited_lines};
use crate::text::{FilePath, Lines, common_prefix_by, common_suffix_by};

#[derive(Clone, Copy)]
pub(in crate::audit) struct TreeFiles<'t> {
    pub snapshot: &'t Snapshot,
    pub sources: &'t Sources<'t>,
    pub repository: &'t Repository,
}

impl<'t> TreeFiles<'t> {
    pub fn paths(self) -> impl Iterator<Item = &'t FilePath> {
        self.snapshot.entries.iter().map(|entry| &entry.path)
    }

    /// Reads a file; `None` if it holds nothing to compare.
    fn read(self, path: &FilePath) -> Result<Option<Arc<Source>>, Error> {
        let Self { snapshot, sources, repository } = self;
        let is_asked = sources.is_read(path) || sources.config.vendored_at(path).is_some();
        let Some(entry) = snapshot.get(path).filter(|_| is_asked) else { return Ok(None) };
        Ok(sources.read(&repository.reader(), entry)?.ok())
    }
}

/// A folder and what it is compared with.
pub(super) struct Difference<'d, 'f> {
    pub releases: &'d Releases<'f>,
    pub tree: TreeFiles<'f>,
    pub mapping: &'d Mapping,
    /// Where else its files were in the component, such as headers in a folder of their own.
    pub elsewhere: &'d [Mapping],
    /// The files with code of the component.
    pub holding: BTreeSet<&'f FilePath>,
    pub choice: &'d Choice,
    /// The files that are copies.
    pub members: Vec<&'f Source>,
}

/// The tokens of whole lines, in the version and here.
type Edit = (Range<usize>, Range<usize>);

/// The files of a version, by their paths below its folder, with their own paths and blobs.
type FilesThere = BTreeMap<Vec<u8>, (FilePath, u32)>;

/// How a file of the folder relates to the version.
enum Relation {
    /// A file of the version, under whatever name, with its blob.
    Identical(u32),
    /// All but comments and layout.
    Equal,
    Edited(EditedFile),
    /// A file that another version has, as it says.
    OfVersion(String),
    Added,
    /// Not source to compare.
    Nothing,
}

impl Difference<'_, '_> {
    /// Adds to `version` how each file differs.
    ///
    /// Of the tree, files count that have the name of a file of the version, or lie next to copies:
    /// the root of a tree holds more than the copy.
    pub fn of(&self, mut version: FolderVersion) -> Result<FolderVersion, Error> {
        let there = self.files_there()?;
        let folders = BTreeSet::from_iter(self.members.iter().map(|source| source.path.folder()));
        let near = Vec::from_iter(self.tree.paths().filter(|path| {
            let Some(name) = path.below(&self.mapping.folder) else { return false };
            folders.contains(path.folder()) || there.contains_key(name)
        }));
        let known = self.with_elsewhere(there.clone(), &near)?;
        let clone = self.releases.project.clone_at_hand();
        let blobs: BTreeSet<u32> = there.values().map(|(_, blob)| *blob).collect();
        let relations = near.par_iter().map(|path| {
            let name = path.below(&self.mapping.folder).unwrap_or_default();
            self.relation(path, known.get(name), &blobs, clone.as_ref())
        });
        let mut held = BTreeSet::new();
        let relations = relations.collect::<Result<Vec<_>, Error>>()?;
        for (relation, path) in relations.into_iter().zip(near.iter().copied().cloned()) {
            match relation {
                Relation::Identical(blob) => {
                    let there = path.below(&self.mapping.folder).and_then(|name| known.get(name));
                    let place = there.filter(|(_, of)| *of == blob).map(|(place, _)| place.clone());
                    version.places.extend(place.map(|place| (path.clone(), place)));
                    version.identical.push(path);
                    held.insert(blob);
                }
                Relation::Equal => version.equal.push(path),
                Relation::Edited(file) => version.edited.push(file),
                Relation::OfVersion(name) => version.of_others.push((path, name)),
                Relation::Added => version.added.push(path),
                Relation::Nothing => {}
            }
        }
        let n_known = version.own().count() + version.of_others.len();
        version.n_files = n_known;
        version.is_shared = version.added.len() > n_known;
        if version.is_shared {
            version.added.clear();
        }
        if n_known == 1 || version.is_shared {
            version.files = self.members.iter().map(|source| source.path.clone()).collect();
        }
        let here = BTreeSet::from_iter(near.iter().filter_map(|of| of.below(&self.mapping.folder)));
        let missing = there
            .iter()
            .filter(|(name, (_, blob))| !here.contains(&***name) && !held.contains(blob))
            .map(|(name, _)| FilePath::joined(&self.mapping.origin, name));
        let (near, elsewhere): (Vec<FilePath>, Vec<FilePath>) = missing.partition(|path| {
            let mut there = self.members.iter().filter_map(|of| self.mapping.there(&of.path));
            version.files.is_empty() && there.any(|of| of.folder() == path.folder())
        });
        version.n_missing_elsewhere = elsewhere.len();
        version.missing = near;
        Ok(version)
    }

    /// The files of the version, by their paths below the folder of the component.
    fn files_there(&self) -> Result<FilesThere, Error> {
        let mut files = BTreeMap::new();
        for (path, &number) in &self.releases.paths {
            if let Some(name) = path.below(&self.mapping.origin)
                && let Some(blob) = self.releases.blob_in(self.choice, number)?
            {
                files.insert(name.to_vec(), (path.clone(), blob));
            }
        }
        Ok(files)
    }

    /// The same with the files that hold code of the component, and that the version has elsewhere.
    fn with_elsewhere(&self, mut all: FilesThere, near: &[&FilePath]) -> Result<FilesThere, Error> {
        for path in near.iter().filter(|path| self.holding.contains(*path)) {
            let Some(name) = path.below(&self.mapping.folder) else { continue };
            for there in self.elsewhere.iter().filter_map(|mapping| mapping.there(path)) {
                if all.contains_key(name) {
                    break;
                }
                let Some(&number) = self.releases.paths.get(&there) else { continue };
                let blob = self.releases.blob_in(self.choice, number)?;
                all.extend(blob.map(|blob| (name.to_vec(), (there, blob))));
            }
        }
        Ok(all)
    }

    fn relation(
        &self,
        path: &FilePath,
        known_there: Option<&(FilePath, u32)>,
        blobs: &BTreeSet<u32>,
        clone: Option<&Repository>,
    ) -> Result<Relation, Error> {
        let blob = known_there.map(|(_, blob)| *blob);
        let project @ Project { stored, segment, .. } = &self.releases.project;
        let known = self.members.iter().find(|source| source.path == *path);
        let read = if known.is_some() { None } else { self.tree.read(path)? };
        let Some(source) = known.copied().or(read.as_deref()) else { return Ok(Relation::Nothing) };
        let own = project.blob_of(source)?;
        if let Some(own) = own.filter(|own| Some(*own) == blob || blobs.contains(own)) {
            return Ok(Relation::Identical(own));
        }
        let there = blob.map(|blob| project.version(blob)).transpose()?;
        let edits = there.as_ref().map(|there| edited_lines(document(there), source.document()));
        if edits.as_ref().is_some_and(Vec::is_empty) {
            return Ok(Relation::Equal);
        }
        let files = stored.checked(own.map(|own| segment.files(own)).transpose())?;
        let mut files = files.unwrap_or_default().into_iter();
        let file = files.find(|file| file.component == project.component);
        if let Some(name) = file.as_ref().and_then(version_of) {
            return Ok(Relation::OfVersion(name));
        }
        let (Some(there), Some(edits), Some(blob)) = (there, edits, blob) else {
            return Ok(Relation::Added);
        };
        // A file that only has the name of one of the version is none of it.
        let counts = LineCounts::new(source);
        let is_asked = known.is_none() && !self.holding.contains(path);
        if is_asked && !counts.is_mostly(&project.shared_lines(&counts, blob)?) {
            return Ok(Relation::Added);
        }
        let origin = known_there.map(|(origin, _)| origin.clone()).unwrap_or_default();
        let text = clone.and_then(|of| project.read(blob, &origin, &there, of, self.tree.sources));
        let edits = Vec::from_iter(edits.into_iter().flat_map(|edit| match &text {
            Some(text) => edited_text(text, source, &edit),
            None => Some(edited_tokens(document(&there), source, edit)),
        }));
        if edits.is_empty() {
            return Ok(Relation::Equal);
        }
        Ok(Relation::Edited(EditedFile { path: path.clone(), origin, edits }))
    }
}

/// An edit, in the text of the version: the lines that it replaced, without those at either end
/// that are the same but for white space. A string of many lines is one token.
fn edited_text(there: &Source, here: &Source, edit: &Edit) -> Option<EditedLines> {
    let mut removed = line_range(there.document(), there.lines(), &edit.0);
    let mut added = line_range(here.document(), here.lines(), &edit.1);
    let (old, new) = (texts(there, &removed), texts(here, &added));
    let is_same = |a: &Vec<u8>, b: &Vec<u8>| a.trim_ascii() == b.trim_ascii();
    let n_before = common_prefix_by(&old, &new, is_same);
    let n_behind = common_suffix_by(&old[n_before..], &new[n_before..], is_same);
    for lines in [&mut removed, &mut added] {
        *lines = lines.start + n_before as u32..lines.end - n_behind as u32;
    }
    let (removed_text, added_text) = (Some(texts(there, &removed)), texts(here, &added));
    let is_edit = !removed.is_empty() || !added.is_empty();
    is_edit.then_some(EditedLines { removed, added, removed_text, added_text })
}

/// The text of some lines.
fn texts(of: &Source, lines: &Range<u32>) -> Vec<Vec<u8>> {
    lines.clone().map(|line| of.lines().text(&of.text, line).to_vec()).collect()
}

/// An edit of which only the tokens are known as they were. Where something was replaced, the lines
/// count that tokens begin on: where the last one ended is not known of both sides.
fn edited_tokens(there: Document<'_>, here: &Source, edit: Edit) -> EditedLines {
    let (removed, tokens) = edit;
    let mut added = line_range(here.document(), here.lines(), &tokens);
    if let Some(last) = here.tokens[tokens].last().filter(|_| !removed.is_empty()) {
        added.end = here.lines().line_of(last.start) + 1;
    }
    let removed = line_range(there, &Lines::new(there.text), &removed);
    let added_text = texts(here, &added);
    EditedLines { removed, added, removed_text: None, added_text }
}
